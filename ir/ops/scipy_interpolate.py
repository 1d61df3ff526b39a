"""What the interpolators of ``scipy.interpolate`` ask of grids, as operators
``ops.scipy.grid_<name>``, and of splines, ``ops.scipy.spline_<name>``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.ops.control_flow import NUMBERS
from npexport.ir.ops.fresh import fresh_size
from npexport.ir.ops.rules import Array, Rejected, meta_of, record, same_sizes, value
from npexport.ir.ops.scipy_functions import Row, declare
from npexport.ir.raising import DATA, NOTHING
from npexport.symshapes.errors import Unsupported

_MOST_AXES = 32


def _found(grid: Any, **_: Any) -> str:
    axes = ",".join(f"(g{place})" for place in range(len(grid)))
    return f"{axes},({len(grid)},m)->({len(grid)},m),({len(grid)},m)"


_ROWS: dict[str, Row] = {"find_indices": Row(_found, ("grid", "xi"), tuples={"grid": _MOST_AXES}, raises=False)}
declare("interpolate._rgi_cython", _ROWS, "grid")


_F8 = np.dtype(np.float64)


def _evaluated(x: Any, tck: Any, **_: Any) -> str:
    if type(tck) is not tuple or any(part.dtype.kind not in "biuf" for part in (meta_of(x), *map(meta_of, tck[:2]))):
        raise Rejected
    return "(x...),(n),(c)->(x...)"


_OF_SPLINES: dict[str, Row] = {"splev": Row(_evaluated, ("x", "tck"), tuples={"tck": 2}, gives="f8")}
declare("interpolate._fitpack_impl", _OF_SPLINES, "spline")


@record(kernel="scipy_fits.fitted", namespace="scipy", name="spline_splrep", traits="c_order data_dependent_shape", raises=DATA)
def splrep(
    x: Array, y: Array, w: Array = None, xb: Array = None, xe: Array = None, k: int = 3, s: Array = None
) -> tuple[TensorMeta, TensorMeta]:
    """Knots and coefficients of a smoothing spline: ``scipy.interpolate.splrep``. One that goes
    through all points has as many knots as these and the degree say.
    """
    given = [meta_of(each) for each in (x, y, w) if each is not None]
    size = given[0].shape[0] if given[0].ndim == 1 else None
    if size is None or any(each.dtype.kind not in "biuf" or each.ndim != 1 for each in given) or not 1 <= k <= 5:
        raise Rejected
    if not all(same_sizes((size,), each.shape) for each in given):
        raise Rejected
    through = s is None and w is None or type(s) in (int, float) and s == 0
    knots = size + k + 1 if through else fresh_size(2 * k + 2, None)
    return value((knots,), _F8), value((knots,), _F8)


def _of_other_arrays(name: str) -> Unsupported:
    return Unsupported("E101", f"`{name}` of SciPy is called with arrays that its operator does not take")


@record(kernel="scipy_fits.integrated", namespace="scipy", name="spline_splint", traits="data_dependent_shape", raises=DATA)
def splint(a: Array, b: Array, t: Array, c: Array, k: int) -> Any:
    """The integral of a spline, a Python float: ``scipy.interpolate.splint``."""
    ends, (knots, coefficients) = [meta_of(each) for each in (a, b) if isinstance(each, TensorMeta)], map(meta_of, (t, c))
    if any(each.dtype.kind not in "biuf" or each.ndim for each in ends) or not 1 <= k <= 5:
        raise _of_other_arrays("splint")
    if any(each.dtype.kind not in "biuf" or each.ndim != 1 for each in (knots, coefficients)):
        raise _of_other_arrays("splint")
    return NUMBERS[float]()


@record(kernel="scipy_fits.evaluated", namespace="scipy", name="spline_evaluate", traits="c_order", raises=DATA)
def evaluate(t: Array, c: Array, k: int, x: Array, nu: int, extrapolate: bool) -> TensorMeta:
    """The values of splines in the basis of B-splines, or of their derivatives."""
    knots, coefficients, places = map(meta_of, (t, c, x))
    if [each.dtype for each in (knots, coefficients, places)] != [_F8] * 3 or (knots.ndim, coefficients.ndim, places.ndim) != (1, 2, 1):
        raise _of_other_arrays("evaluate_spline")
    return value((places.shape[0], coefficients.shape[1]), _F8)


@record(kernel="scipy_fits.collocated", namespace="scipy", name="spline_collocation", traits="c_order", raises=DATA)
def collocation(x: Array, t: Array, k: int, ab: Array, offset: int = 0) -> TensorMeta:
    """The bands of the matrix of B-splines at places, in what has zeros elsewhere."""
    if any(meta_of(each).dtype != _F8 for each in (x, t, ab)):
        raise _of_other_arrays("_coloc")
    return value(meta_of(ab).shape, _F8)


@record(kernel="scipy_fits.solved_in_bands", namespace="scipy", name="lapack_gbsv", traits="c_order data_dependent_shape", raises=NOTHING)
def gbsv(kl: int, ku: int, ab: Array, b: Array) -> tuple[Any, ...]:
    """LAPACK's solution of a system whose matrix is given by its bands: the factors, the pivots,
    the solution, and whether it was found.
    """
    bands, right = meta_of(ab), meta_of(b)
    dtype = np.result_type(bands.dtype, right.dtype)
    if dtype.char not in "dD" or bands.ndim != 2 or right.ndim != 2:
        raise _of_other_arrays("gbsv")
    if not same_sizes((2 * kl + ku + 1, bands.shape[1]), (bands.shape[0], right.shape[0])):
        raise _of_other_arrays("gbsv")
    return value(bands.shape, dtype), value((bands.shape[1],), np.dtype(np.int32)), value(right.shape, dtype), NUMBERS[int]()


@record(kernel="scipy_fits.length", namespace="scipy", name="lapack_nrm2", traits="data_dependent_shape", raises=NOTHING)
def nrm2(x: Array) -> Any:
    """BLAS's Euclidean length of a vector, as a float of Python."""
    given = meta_of(x)
    if given.ndim != 1 or given.dtype.char not in "fdFD":
        raise _of_other_arrays("nrm2")
    return NUMBERS[float]()


@record(kernel="scipy_fits.estimated", namespace="scipy", name="stats_kernel_estimate", traits="c_order", raises=NOTHING)
def kernel_estimate(points: Array, values: Array, xi: Array, cho_cov: Array, log: bool = False) -> TensorMeta:
    """Sums of normal densities around points, at places, or their logarithms: what ``gaussian_kde``
    computes.
    """
    around, weights, places = map(meta_of, (points, values, xi))
    if any(each.ndim != 2 or each.dtype != _F8 for each in (around, weights, places, meta_of(cho_cov))):
        raise _of_other_arrays("gaussian_kernel_estimate")
    d = around.shape[1]
    if not same_sizes((around.shape[0], d, d, d), (weights.shape[0], places.shape[1], *meta_of(cho_cov).shape)):
        raise _of_other_arrays("gaussian_kernel_estimate")
    return value((places.shape[0], weights.shape[1]), _F8)
