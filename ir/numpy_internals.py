"""Everything that npexport uses of NumPy beyond its public names.

If a new NumPy renames or removes one of these, only this module has to change.
"""

from __future__ import annotations

import contextvars
import functools
import gc
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy._core import arrayprint, shape_base
from numpy._core._exceptions import UFuncTypeError, _UFuncOutputCastingError
from numpy._core._internal import array_function_errmsg_formatter, array_ufunc_errmsg_formatter

NO_VALUE: Any = np._NoValue
"""The default of parameters that are not given."""
CopyMode: Any = np._CopyMode
"""The values that ``copy=`` may have, beside truths and ``None``."""
multiarray_umath: Any = np._core._multiarray_umath  # type: ignore[attr-defined]
"""The C module whose functions NumPy's own Python code calls."""
umath: Any = np._core.umath
"""The ufuncs, including those of text and ``clip``."""
slice_of_texts: Any = getattr(umath, "_slice", None)
"""That of ``np.strings.slice``, which is there since NumPy 2.3."""
ERROR_STATE: Any = umath._extobj_contextvar
"""The context variable that holds what ``np.errstate`` sets."""
ERROR_STATE_OF_NONE: Any = contextvars.Context().run(ERROR_STATE.get)
"""Its value if nobody has set anything."""
ALLOCATOR = "current_allocator"
"""The name of the context variable that holds what allocates the memory of arrays."""
PRINT_OPTIONS: Any = getattr(arrayprint, "format_options", None)
"""The context variable that holds what ``np.printoptions`` sets; ``None`` if this NumPy has
none.
"""
C_INTERFACE: Any = multiarray_umath._ARRAY_API
"""The capsule of the table of NumPy's C interface."""
NUMPY = np.lib.NumpyVersion(np.__version__)
"""The version of NumPy: ``NUMPY < "2.1.0"``."""
SQUARES: bool = "square" in np._core._methods._var.__code__.co_names  # type: ignore[attr-defined]
"""Whether variances take squares, as errors name them; else products."""
NOTHING_NEEDS_POINTS = NUMPY >= "2.5.0"
"""Whether `np.interp` accepts no points where there is nothing to look up."""
TELLS_BINS: bool = "Too many bins" in repr(np.lib._histograms_impl._get_bin_edges.__code__.co_consts)  # type: ignore[attr-defined]
"""Whether bins of no width are an error."""
UFuncOutputCastingError = _UFuncOutputCastingError
_VECTORIZED = " (vectorized)"


settings_of_errors: Any = umath._get_extobj_dict
"""The settings of the state in force, as a dict."""


def _series() -> dict[int, Any]:
    classes = [getattr(np.polynomial, name) for name in ("Polynomial", "Chebyshev", "Legendre", "Laguerre", "Hermite", "HermiteE")]
    found = [getattr(cls, name) for cls in classes for name in ("domain", "window")]
    return {id(array): array for array in found}


SERIES_CONSTANTS = _series()
"""The default domains and windows of series of ``numpy.polynomial``, by identity: NumPy never
writes to them.
"""


def loop_of(ufunc: Any, types: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
    """The dtypes of a ufunc's loop for operands of these, and the loop as a capsule."""
    found, loop = ufunc._resolve_dtypes_and_context(types)
    ufunc._get_strided_loop(loop)
    return found, loop


def implementation(function: Any) -> Any:
    """What a function of the array-function protocol runs; ``None`` of any other callable."""
    return getattr(function, "_implementation", None)


def handles_files(function: Any) -> bool:
    """Whether a function of NumPy reads or writes files: ``np.fromfile``, ``np.save`` and the
    like.
    """
    return function is np.fromfile or getattr(implementation(function), "__globals__", None) is np.lib._npyio_impl.__dict__


def series_of_i0() -> tuple[Any, Any]:
    """What ``np.i0`` computes of elements up to 8, and of greater ones."""
    names = implementation(np.i0).__globals__
    return names["_i0_1"], names["_i0_2"]


def is_of_python(ufunc: np.ufunc) -> bool:
    """Whether ``np.frompyfunc`` made the ufunc."""
    return ufunc.__name__.endswith(_VECTORIZED)


def function_of(ufunc: np.ufunc) -> Any:
    """The function that ``np.frompyfunc`` made a ufunc of: what it refers to first."""
    return gc.get_referents(ufunc)[0]


@functools.cache
def openblas() -> tuple[str, Callable[[], int]] | None:
    """The processor that NumPy's OpenBLAS computes for, and what gives the number of its threads;
    ``None`` where NumPy has another BLAS, or hides it.
    """
    import ctypes

    try:
        library = ctypes.CDLL(multiarray_umath.__file__)
    except OSError:
        return None
    for form in ("scipy_openblas_get_{}64_", "scipy_openblas_get_{}", "openblas_get_{}64_", "openblas_get_{}"):
        core, threads = (getattr(library, form.format(what), None) for what in ("corename", "num_threads"))
        if core is not None and threads is not None:
            core.restype = ctypes.c_char_p
            return core().decode(), threads
    return None


BIT_GENERATOR = "_bit_generator"
"""The attribute of a ``RandomState`` that is its bit generator."""

__all__ = [
    "ALLOCATOR",
    "BIT_GENERATOR",
    "C_INTERFACE",
    "ERROR_STATE",
    "ERROR_STATE_OF_NONE",
    "NOTHING_NEEDS_POINTS",
    "NO_VALUE",
    "PRINT_OPTIONS",
    "SERIES_CONSTANTS",
    "SQUARES",
    "TELLS_BINS",
    "CopyMode",
    "UFuncOutputCastingError",
    "UFuncTypeError",
    "array_function_errmsg_formatter",
    "array_ufunc_errmsg_formatter",
    "function_of",
    "implementation",
    "is_of_python",
    "loop_of",
    "multiarray_umath",
    "openblas",
    "settings_of_errors",
    "shape_base",
    "slice_of_texts",
    "umath",
]

INDICES_OF_NDITER = "_it" in np.ndindex.__next__.__code__.co_names
"""Whether ``np.ndindex`` keeps an ``nditer``; since NumPy 2.4 it keeps a product of ranges."""
