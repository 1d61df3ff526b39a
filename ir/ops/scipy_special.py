"""The ufuncs of ``scipy.special`` as operators ``ops.scipy.<name>``: registered when SciPy is there
and one of them is first met."""

from __future__ import annotations

import numpy as np
import scipy.special

from npexport.ir.op import REGISTRY
from npexport.ir.ops import scipy_fft, scipy_filters  # noqa: F401  the other operators of the namespace
from npexport.ir.ops.np_elementwise import rule_of
from npexport.ir.ops.rules import record
from npexport.ir.raising import NOTHING


def _declare(ufunc: np.ufunc) -> None:
    name = ufunc.__name__
    record(
        ufunc,
        namespace="scipy",
        name=name,
        traits="elementwise ufunc",
        doc=f"The element-wise ufunc ``scipy.special.{name}``.\n\nhttps://docs.scipy.org/doc/scipy/reference/generated/scipy.special.{name}.html",
        raises=NOTHING,
        rejects=False,
    )(rule_of(ufunc))


_UNSAFE = ("mathieu_", "obl_", "pro_", "_stirling2_inexact")
"""They write outside of their memory, or end the process, for orders that are large or not numbers:
no program may call them, whatever an archive contains.
"""
_MODULES = (scipy.special, scipy.special._ufuncs)  # functions and distributions of SciPy call what the second one alone has
_ufuncs = [value for module in _MODULES for value in vars(module).values() if isinstance(value, np.ufunc) and value.signature is None]
for _ufunc in dict.fromkeys(_ufuncs):  # some have two names
    if REGISTRY.modelling(_ufunc) is None and not _ufunc.__name__.startswith(("_sf_error", *_UNSAFE)):
        _declare(_ufunc)
