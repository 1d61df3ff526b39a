"""Linear algebra: solvers, decompositions and invariants of (stacks of) matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.facts import Emit, Out
from npexport.ir.meta import TensorMeta
from npexport.ir.numpy_internals import NO_VALUE
from npexport.ir.ops import rows, rows_products
from npexport.ir.ops.fresh import fresh_size
from npexport.ir.ops.np_products import contract
from npexport.ir.ops.np_reductions import dtype_on_one
from npexport.ir.ops.rules import (
    Array,
    Rejected,
    Shape,
    Size,
    array,
    axis_indices,
    broadcast,
    dtype_of,
    dtypes_of,
    is_size,
    meta_of,
    record,
    shape_of,
    smaller,
    value,
    violated,
)
from npexport.ir.raising import INDEFINITE, LINALG, MATRIX_POWER, NOTHING, OF_TEXTS, POLYFIT, SINGULAR
from npexport.symshapes.errors import Unsupported

_results: Any = np.linalg._linalg  # where the named tuples of results live


def _dtypes(function: Callable[..., Any], *operands: Array, **options: Any) -> tuple[np.dtype[Any], ...]:
    """The dtypes of the results, found on an empty stack of matrices."""
    return dtypes_of(function, *operands, ones=(0, 1, 1), **options)


def _matrices(a: Array, square: bool = True) -> tuple[TensorMeta, Shape, Size, Size]:
    """The meta, the shape of the stack, and how many rows and columns its matrices have."""
    a = meta_of(a)
    if len(a.shape) < 2:
        raise Rejected
    rows, columns = a.shape[-2:]
    if square:
        contract(rows, columns)
    return a, a.shape[:-2], rows, columns


@record(np.linalg.inv, traits="own_state", see="numpy.linalg.inv", raises=SINGULAR, rows=rows.leading(2))
def inv(a: Array) -> TensorMeta:
    """The inverses."""
    a, _, _, _ = _matrices(a)
    return array(a.shape, _dtypes(np.linalg.inv, a)[0])


@record(np.linalg.det, see="numpy.linalg.det", raises=NOTHING, rows=rows.leading(2))
def det(a: Array) -> TensorMeta:
    """The determinants."""
    a, stack, _, _ = _matrices(a)
    return value(stack, _dtypes(np.linalg.det, a)[0])


@record(np.linalg.slogdet, see="numpy.linalg.slogdet", raises=NOTHING, rows=rows.leading(2))
def slogdet(a: Array) -> Any:
    """The signs and the logarithms of the absolute values of the determinants."""
    a, stack, _, _ = _matrices(a)
    return _results.SlogdetResult(*[value(stack, dtype) for dtype in _dtypes(np.linalg.slogdet, a)])


@record(np.linalg.cholesky, traits="own_state", see="numpy.linalg.cholesky", raises=INDEFINITE, rows=rows.leading(2))
def cholesky(a: Array, /, *, upper: Any = False) -> TensorMeta:
    """The triangular factors of positive definite matrices."""
    a, _, _, _ = _matrices(a)
    return array(a.shape, _dtypes(np.linalg.cholesky, a)[0])


@record(np.linalg.qr, see="numpy.linalg.qr", raises=OF_TEXTS, rows=rows.leading(2))
def qr(a: Array, mode: str = "reduced") -> Any:
    """The orthogonal and the triangular factors; the modes are NumPy's."""
    a, stack, rows, columns = _matrices(a, square=False)
    mode = "reduced" if mode in ("f", "full") else mode
    if mode in ("e", "economic"):
        raise Unsupported("E101", "np.linalg.qr with mode 'economic', which is deprecated", hint="Use mode='r', the triangular factor.")
    if mode not in ("reduced", "complete", "r", "raw"):
        raise Rejected
    dtypes, least = _dtypes(np.linalg.qr, a, mode=mode), smaller(rows, columns)
    if mode == "r":
        return array((*stack, least, columns), dtypes[0])
    if mode == "raw":
        return array((*stack, columns, rows), dtypes[0]), array((*stack, least), dtypes[1])
    inner = least if mode == "reduced" else rows
    return _results.QRResult(array((*stack, rows, inner), dtypes[0]), array((*stack, inner, columns), dtypes[1]))


@record(np.linalg.svd, see="numpy.linalg.svd", raises=LINALG, rows=rows.leading(2))
def svd(a: Array, full_matrices: Any = True, compute_uv: Any = True, hermitian: Any = False) -> Any:
    """The singular values, and with ``compute_uv`` both orthogonal factors."""
    a, stack, rows, columns = _matrices(a, square=bool(hermitian))
    dtypes, least = _dtypes(np.linalg.svd, a, compute_uv=bool(compute_uv)), smaller(rows, columns)
    if not compute_uv:
        return array((*stack, least), dtypes[0])
    u, s, vh = dtypes
    left, right = (rows, columns) if full_matrices else (least, least)
    return _results.SVDResult(array((*stack, rows, left), u), array((*stack, least), s), array((*stack, right, columns), vh))


@record(np.linalg.svdvals, traits="own_source", see="numpy.linalg.svdvals", raises=LINALG, rows=rows.leading(2))
def svdvals(x: Array, /) -> TensorMeta:
    """The singular values."""
    x, stack, rows, columns = _matrices(x, square=False)
    return array((*stack, smaller(rows, columns)), _dtypes(np.linalg.svdvals, x)[0])


@record(np.linalg.eigh, traits="own_state", see="numpy.linalg.eigh", raises=LINALG, rows=rows.leading(2))
def eigh(a: Array, UPLO: str = "L") -> Any:
    """The eigenvalues and eigenvectors of symmetric or Hermitian matrices."""
    a, stack, n, _ = _matrices(a)
    values, vectors = _dtypes(np.linalg.eigh, a, UPLO=UPLO)
    return _results.EighResult(array((*stack, n), values), array(a.shape, vectors))


@record(np.linalg.eigvalsh, traits="own_state", see="numpy.linalg.eigvalsh", raises=LINALG, rows=rows.leading(2))
def eigvalsh(a: Array, UPLO: str = "L") -> TensorMeta:
    """The eigenvalues of symmetric or Hermitian matrices."""
    a, stack, n, _ = _matrices(a)
    return array((*stack, n), _dtypes(np.linalg.eigvalsh, a, UPLO=UPLO)[0])


def _require_static_dtype(function: Callable[..., Any], a: TensorMeta) -> None:
    """Some versions of NumPy return real eigenvalues of a real matrix as reals: then only the data
    knows the dtype."""
    if a.dtype.kind != "c" and function(np.eye(1)).dtype.kind != "c":
        raise Unsupported(
            "E104",
            "whether the eigenvalues of a real matrix are real or complex depends on its elements",
            hint="Use np.linalg.eigh for a symmetric matrix, or cast first: np.linalg.eigvals(a.astype(complex)).",
        )


@record(np.linalg.eigvals, see="numpy.linalg.eigvals", raises=LINALG)
def eigvals(a: Array) -> TensorMeta:
    """The eigenvalues."""
    a, stack, n, _ = _matrices(a)
    _require_static_dtype(np.linalg.eigvals, a)
    return array((*stack, n), _dtypes(np.linalg.eigvals, a)[0])


@record(np.linalg.eig, see="numpy.linalg.eig", raises=LINALG)
def eig(a: Array) -> Any:
    """The eigenvalues and right eigenvectors."""
    a, stack, n, _ = _matrices(a)
    _require_static_dtype(np.linalg.eigvals, a)
    values, vectors = _dtypes(np.linalg.eig, a)
    return _results.EigResult(array((*stack, n), values), array(a.shape, vectors))


@record(np.linalg.solve, traits="own_state", see="numpy.linalg.solve", raises=SINGULAR, rows=rows_products.solve)
def solve(a: Array, b: Array) -> TensorMeta:
    """The solutions of linear equations; a vector ``b`` is one right-hand side."""
    a, stack, n, _ = _matrices(a)
    b = meta_of(b)
    dtype = _dtypes(np.linalg.solve, a, b)[0]
    if not b.shape:
        raise Rejected
    if len(b.shape) == 1:
        contract(n, b.shape[0])
        return array((*stack, n), dtype)
    contract(n, b.shape[-2])
    return array((*broadcast(stack, b.shape[:-2]), n, b.shape[-1]), dtype)


@record(np.linalg.lstsq, traits="data_dependent_shape", see="numpy.linalg.lstsq", raises=LINALG)
def lstsq(a: Array, b: Array, rcond: Any = None) -> Any:
    """Least squares: solution, residuals (none where the rank is deficient), rank, singular
    values."""
    a, b = meta_of(a), meta_of(b)
    if len(a.shape) != 2 or len(b.shape) not in (1, 2):
        raise Rejected
    contract(a.shape[0], b.shape[0])
    solution, residuals, rank, values = dtypes_of(np.linalg.lstsq, a, b, ones=(1, 1))
    sides = b.shape[1] if len(b.shape) == 2 else 1
    return (
        array((a.shape[1], *b.shape[1:]), solution),
        array((fresh_size(0, sides),), residuals),
        TensorMeta((), rank, scalar=True),
        array((smaller(*a.shape),), values),
    )


@record(
    np.trace,
    traits="c_order reduction",
    raises=NOTHING,
    out=Out(passes="value"),
    emit=Emit(method="trace"),
    rows=rows.without("axis1", "axis2"),
)
def trace(a: Array, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None) -> TensorMeta:
    """The sums along diagonals."""
    a = meta_of(a)
    if len(a.shape) < 2 or not (isinstance(offset, bool) or is_size(offset)):
        raise Rejected
    axes = axis_indices((axis1, axis2), len(a.shape))
    summed = None if dtype is None else np.dtype(dtype).newbyteorder("=")
    return value(tuple([size for i, size in enumerate(a.shape) if i not in axes]), dtype_on_one(np.sum, a, dtype=summed))


@record(
    np.linalg.matrix_power,
    traits="own_source",
    kernel="np_own.matrix_power",
    see="numpy.linalg.matrix_power",
    raises=MATRIX_POWER,
    rows=rows.leading(2),
)
def matrix_power(a: Array, n: Any) -> TensorMeta:
    """Square matrices multiplied with themselves; negative powers are those of the inverse."""
    a, _, _, _ = _matrices(a)
    return array(a.shape, dtype_of(np.linalg.matrix_power, a, ones=(1, 1), n=-1 if n < 0 else 1 if n < 2 else 2))


@record(np.linalg.pinv, traits="own_source", see="numpy.linalg.pinv", raises=LINALG, rows=rows.leading(2))
def pinv(a: Array, rcond: Any = None, hermitian: Any = False, *, rtol: Any = NO_VALUE) -> TensorMeta:
    """The pseudo-inverses."""
    a, stack, rows, columns = _matrices(a, square=bool(hermitian))
    dtype = dtype_of(np.linalg.pinv, a, ones=(1, 1))
    if dtype != a.dtype and rows * columns == 0:
        dtype = a.dtype
    return array((*stack, columns, rows), dtype)


@record(np.linalg.cond, see="numpy.linalg.cond", raises=LINALG)
def cond(x: Array, p: Any = None) -> TensorMeta:
    """The condition numbers."""
    x, stack, rows, columns = _matrices(x, square=p not in (None, 2, -2))
    if violated(rows != 0) or violated(columns != 0):
        raise Rejected
    return value(stack, dtype_of(np.linalg.cond, x, ones=(1, 1), p=p))


@record(np.polyfit, raises=POLYFIT)
def polyfit(x: Array, y: Array, deg: Any, rcond: Any = None, full: Any = False, w: Any = None, cov: Any = False) -> Any:
    """The coefficients of the polynomial that fits best, the highest power first; with ``cov``
    their covariances, too."""
    if full:
        raise Unsupported("E101", "numpy.polyfit with full is not modelled", hint="Use np.linalg.lstsq on np.vander(x, deg + 1).")
    if not is_size(deg):
        raise Unsupported(
            "E101", "numpy.polyfit with chosen degrees is not modelled", hint="Use np.linalg.lstsq on the columns of np.vander."
        )
    x, y = meta_of(x), meta_of(y)
    if violated(deg >= 0) or len(x.shape) != 1 or violated(x.shape[0] != 0) or len(y.shape) not in (1, 2):
        raise Rejected
    contract(x.shape[0], y.shape[0])
    if w is not None and (len(shape_of(w)) != 1 or violated(shape_of(w)[0] == y.shape[0])):
        raise Rejected
    coefficients = array((deg + 1, *y.shape[1:]), dtype_of(np.polyfit, x, y, 0, ones=(1,)))
    return (coefficients, _covariances(x, y, deg, cov)) if cov else coefficients


def _covariances(x: TensorMeta, y: TensorMeta, deg: Any, cov: Any) -> TensorMeta:
    if cov != "unscaled" and violated(x.shape[0] > deg + 1):
        raise ValueError("the number of data points must exceed order to scale the covariance matrix")
    if len(y.shape) == 2 or not (isinstance(deg, int) and deg >= 1):  # where the rank is deficient, NumPy's have another shape
        hint = "Fit each column by itself; or use np.linalg.lstsq on np.vander(x, deg + 1)."
        raise Unsupported("E101", "numpy.polyfit with cov, of several columns or of degree 0, is not modelled", hint=hint)
    return array((deg + 1, deg + 1), dtypes_of(_line_and_covariances, x, y)[1])


def _line_and_covariances(x: Any, y: Any) -> Any:
    return np.polyfit(np.arange(4).astype(x.dtype), np.arange(4).astype(y.dtype), 1, cov=True)
