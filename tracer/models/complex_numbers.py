"""What C functions do with Python complex numbers of data: ``complex``, ``cmath``, and NumPy's
functions.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.ir.ops.complex_numbers import FLOATS, PAIRS, TRUTHS
from npexport.symshapes.functions import sym_float
from npexport.symshapes.symint import is_unbacked, python_type
from npexport.tracer.arrays.core import complexes
from npexport.tracer.arrays.core.complexes import Complex, is_complex
from npexport.tracer.arrays.core.proxy import ArrayProxy, Proxy, ScalarProxy, as_number, convert_stand_in
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.models.registry import models
from npexport.tracer.models.running import run

_DEPTH = 3
"""How deep containers are searched for such numbers: one that is deeper refuses whatever C asks of
it. A list may contain itself.
"""
AS_ARRAYS = frozenset(
    {complex, np.complex128, np.complex64, np.shape, np.ndim, np.size}
    | {
        getattr(np, name)
        for name in (
            "array asarray asanyarray stack hstack vstack column_stack concatenate append full isclose allclose dot sum mean prod outer "
            "array_equal tile repeat ravel atleast_1d angle isscalar iscomplexobj"
        ).split()
    }
)
"""NumPy functions that first make an array of a complex number."""


def given(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call of C, with NumPy scalars in place of complex numbers of data if it is
    a NumPy function.

    Raises ``Unsupported`` (E104) if C would read the number itself. Containers take the numbers as
    they are.
    """
    found = [value for value in within((*args, *kwargs.values())) if type(value) is Complex]
    if not found:
        return args, kwargs
    module = str(getattr(fn, "__module__", None)).split(".")[0]
    shown = f"`{getattr(fn, '__qualname__', None) or type(fn).__qualname__}` reads it"
    if module == "math" and fn is not math.prod:
        fn(*[1j if type(arg) is Complex else 1.0 for arg in args])  # raises where it takes no complex numbers
        found[0].refuse(shown)
    if fn is sum and any(map(_is_float, within(args))):
        found[0].refuse("`sum` adds floats in a way of its own before it comes to complex numbers")
    if _is_method_of_complex(fn):
        found[0].refuse(shown)
    weak = (isinstance(fn, np.ufunc) and len(args) <= fn.nin) or fn is np.where or is_clip(fn, args)
    if not weak and not _is_numpys(fn, module):
        return args, kwargs
    # A count is made an integer where it is a scalar of NumPy's, and refused where it is Python's.
    counts = _takes(fn) and fn in (np.repeat, np.tile) and Complex in map(type, within(args[1:]))
    if kwargs.keys() - {"axis"} or counts or not (weak or _takes(fn)):
        found[0].refuse(shown)
    values = args[1:] if fn is np.where else args
    dtypes = [value.dtype for value in values if isinstance(value, (np.ndarray, np.generic))] if weak else []
    return tuple([replaced(arg, Complex, dtypes, shown) for arg in args]), kwargs


def is_clip(fn: Any, args: tuple[Any, ...]) -> bool:
    """Whether a call is of the one method whose result has the dtype of all operands."""
    return getattr(fn, "__name__", None) == "clip" and bool(args) and isinstance(args[0], Proxy)


def _takes(fn: Any) -> bool:
    return fn.__hash__ is not None and fn in AS_ARRAYS


def _is_numpys(fn: Any, module: str) -> bool:
    return module == "numpy" or isinstance(fn, np.ufunc) or isinstance(getattr(fn, "__self__", None), Proxy)


def _is_method_of_complex(fn: Any) -> bool:
    return complex in (getattr(fn, "__objclass__", None), type(getattr(fn, "__self__", None)), getattr(fn, "__self__", None))


def _is_float(value: Any) -> bool:
    return type(value) is not Complex and python_type(value) is float


def within(values: Any, depth: int = _DEPTH) -> Iterator[Any]:
    """The values, and those in containers among them."""
    for value in values:
        yield value
        if depth and type(value) in (tuple, list, dict):
            yield from within(value.values() if type(value) is dict else value, depth - 1)


def replaced(value: Any, kind: type, dtypes: list[np.dtype[Any]], shown: str, depth: int = _DEPTH) -> Any:
    """The value with NumPy scalars, of a dtype that goes with these dtypes, in place of the numbers
    of a kind, also in sequences.
    """
    if type(value) is kind:
        return value.beside(dtypes, shown)  # type: ignore[attr-defined]
    if depth and type(value) in (tuple, list):
        items = [replaced(item, kind, dtypes, shown, depth - 1) for item in value]
        return type(value)(items) if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return value


def _of_data(value: Any) -> bool:
    """Whether a value is a number that only the data know."""
    if type(value) in (ArrayProxy, ScalarProxy):
        return not value.known and value.dtype.kind in "biufc"
    return type(value) is Complex or is_unbacked(value)


def _python(value: Any) -> Any:
    """A Python number as C converts a value to one."""
    if type(value) not in (ArrayProxy, ScalarProxy) or value.known:
        return value
    convert_stand_in(complex, value)
    return complexes.of_proxy(value) if value.dtype.kind == "c" else sym_float(as_number(value, "complex()"))


@models("builtins", "complex", pure=True, asks=True)
def complex_(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``complex(x, y)`` of numbers that only the data know."""
    if not any(map(_of_data, (*args, *kwargs.values()))):
        return run(world, vm, fn, args, kwargs)
    if len(args) > 2 or kwargs.keys() - {"real", "imag"} or (args and "real" in kwargs) or (len(args) > 1 and "imag" in kwargs):
        return fn(*[1.0 for _ in args], **dict.fromkeys(kwargs, 1.0))  # raises
    real = args[0] if args else kwargs.get("real", 0.0)
    rest = [*args[1:], *([kwargs["imag"]] if "imag" in kwargs else [])]
    numbers = [_python(number) for number in (real, *rest)]
    if any(not (is_complex(number) or python_type(number) in (bool, int, float)) for number in numbers):
        return run(world, vm, fn, args, kwargs)
    if len(numbers) == 1 and is_complex(numbers[0]):
        return numbers[0]
    if any(map(is_complex, numbers)):
        return complexes.computed("complex", *numbers)
    return complexes.number(*map(sym_float, (*numbers, 0.0)[:2]))


OPERATIONS: dict[Any, tuple[Any, str]] = {
    getattr(cmath, name): (compute, name)
    for table, compute in ((PAIRS, complexes.computed), (FLOATS, complexes.floating), (TRUTHS, complexes.truth))
    for name in table
    if hasattr(cmath, name)
}
OPERATIONS[cmath.polar] = complexes.pair, "polar"


@models("cmath", *[fn.__name__ for fn in OPERATIONS], pure=True)
def cmath_(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A ``cmath`` function: for numbers that only the data know, Python computes it at run time."""
    if not any(map(_of_data, (*args, *kwargs.values()))):
        return run(world, vm, fn, args, kwargs)
    numbers = [_python(number) for number in args]
    kinds = [complex if is_complex(number) else python_type(number) for number in numbers]
    if kwargs or any(kind not in (bool, int, float, complex) for kind in kinds) or not _fits(fn, kinds):
        raise_of(fn, kinds, kwargs)
    compute, name = OPERATIONS[fn]
    return compute(name, *numbers)


def _fits(fn: Any, kinds: list[Any]) -> bool:
    if fn is cmath.rect:
        return len(kinds) == 2 and complex not in kinds
    return len(kinds) in ((1, 2) if fn is cmath.log else (2,) if fn is cmath.isclose else (1,))


def raise_of(fn: Any, kinds: list[Any], kwargs: dict[str, Any]) -> None:
    """Raise what Python raises for arguments of these types; a refusal if that is unknown."""
    fn(*[kind(1) if kind in (bool, int, float, complex) else "" for kind in kinds])
    Complex(0.0, 0.0).refuse(f"`cmath.{fn.__name__}` is called with options" if kwargs else f"`cmath.{fn.__name__}` reads it")
