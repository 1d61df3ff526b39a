"""Arithmetic of ``numpy.polynomial``, whose results have data-dependent lengths: NumPy drops zeros
at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.ops.fresh import fresh_size
from npexport.ir.ops.rules import (
    Array,
    Rejected,
    Shape,
    Size,
    array,
    dtypes_of,
    larger,
    meta_of,
    record,
    violated,
)
from npexport.ir.raising import SERIES
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported


class Series(NamedTuple):
    """A function of series: ``lengths`` gives, for the lengths of its operands, the least and the
    greatest length of each result; ``operands``: their number; ``square``: the result is a matrix;
    ``roots``: it is real or complex as the data decide.
    """

    lengths: Callable[..., list[tuple[Size, Size]]]
    operands: int = 2
    square: bool = False
    roots: bool = False


def _longer(n: Size, m: Size) -> list[tuple[Size, Size]]:
    return [(1, larger(n, m))]


FORMS = {
    "add": Series(_longer),
    "sub": Series(_longer),
    "mul": Series(lambda n, m: [(1, n + m - 1)]),
    "div": Series(lambda n, m: [(1, n), (1, n)]),
    "mulx": Series(lambda n: [(1, n + 1)], 1),
    "pow": Series(lambda n, power: [(1, (n - 1) * power + 1)], 1),
    "fromroots": Series(lambda n: [(1, n + 1)], 1),
    "companion": Series(lambda n: [(1, n - 1)], 1, square=True),
    "roots": Series(lambda n: [(0, n - 1)], 1, roots=True),
}
"""By what follows the prefix of the basis."""
BASES = {"polynomial": "poly", "chebyshev": "cheb", "legendre": "leg", "laguerre": "lag", "hermite": "herm", "hermite_e": "herme"}
"""The prefixes of the modules."""


def _functions() -> dict[tuple[str, str], Series]:
    found = {(module, prefix + form): series for module, prefix in BASES.items() for form, series in FORMS.items()}
    conversion = Series(lambda n: [(1, n)], 1)
    for module, prefix in BASES.items():
        if prefix != "poly":
            found |= {(module, f"{prefix}2poly"): conversion, (module, f"poly2{prefix}"): conversion}
    quotient = Series(lambda n, m: [(larger(n - m + 1, 1), larger(n - m + 1, 1)), (1, n)])
    return found | {("numpy", "polydiv"): quotient, ("numpy", "roots"): Series(lambda n: [(0, n - 1)], 1, roots=True)}


FUNCTIONS = _functions()
"""By module and name: of ``numpy.polynomial``, or of ``numpy`` itself."""


def function_of(module: str, name: str) -> Callable[..., Any]:
    """NumPy's function."""
    found: Callable[..., Any] = getattr(np if module == "numpy" else getattr(np.polynomial, module), name)
    return found


@record(kernel="np_series.call", traits="data_dependent_shape c_order", raises=SERIES, see="numpy.polynomial.polynomial.polyadd")
def series(operands: Any, module: str, name: str, *parameters: Any) -> Any:
    """A function of NumPy's polynomials that leaves out zeros at the end:
    ``np.polynomial.<module>.<name>(*operands, *parameters)``; of the module "numpy",
    ``np.polydiv`` and ``np.roots``."""
    form = FUNCTIONS.get((module, name))
    metas = [meta_of(operand) for operand in operands]
    if form is None or len(metas) != form.operands or any(len(meta.shape) > 1 for meta in metas):
        raise Rejected
    if name.endswith("fromroots") and not metas[0].shape:
        raise Rejected
    sizes = [meta.shape[0] if meta.shape else 1 for meta in metas]
    if (module, name) == ("numpy", "roots") and violated(sizes[0] >= 1):
        raise Unsupported("E101", "the roots of a polynomial without coefficients")
    if any(violated(size >= _least(name)) for size in sizes):
        raise Rejected
    if form.roots:
        _require_complex(metas[0], sizes[0], module)
    dtypes = dtypes_of(_asked, *metas, function=function_of(module, name), parameters=parameters)
    found = [_size(low, high, slot) for slot, (low, high) in enumerate(form.lengths(*sizes, *parameters[:1]))]
    shapes: list[Shape] = [(size, size) if form.square else (size,) for size in found]
    results = tuple([array(shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=True)])
    return results if len(results) > 1 else results[0]


def _least(name: str) -> int:
    return 2 if name.endswith("companion") else 0 if name.endswith("fromroots") else 1


def _size(low: Size, high: Size, slot: int) -> Size:
    return high if known(low == high) is True else fresh_size(low, high, slot)


def _require_complex(coefficients: TensorMeta, size: Size, module: str) -> None:
    """Raises ``Unsupported`` where the data say of which dtype roots are; ``np.roots`` gives those
    of a constant another than those of a line.
    """
    line = module != "numpy" and known(size <= 2) is True
    if coefficients.dtype.kind != "c" and not line:
        raise Unsupported(
            "E104",
            "whether the roots of a polynomial with real coefficients are real or complex depends on the coefficients",
            hint="Cast first: the roots of `c.astype(complex)` are always complex.",
        )


def _asked(*operands: Array, function: Callable[..., Any], parameters: tuple[Any, ...]) -> Any:
    """What the function gives for operands of these dtypes; they have been emptied."""
    return function(*[np.arange(3, 1, -1).astype(operand.dtype) for operand in operands], *parameters)
