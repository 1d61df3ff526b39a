"""Products in terms of the matrix product, and linear algebra in terms of factorizations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.decompositions import register_decomposition
from npexport.ir.decompositions.kinds import unboxed


def _of_numpy(name: str) -> Callable[[Any], Any]:
    """The decorator for a function that NumPy has had since 2.2."""
    return register_decomposition(f"np.{name}") if hasattr(np, name) else lambda function: function


@register_decomposition("np.dot")
def dot(a: Any, b: Any) -> Any:
    """The matrix product: exact, but for the order of sums where one operand has more than two
    axes.
    """
    a, b = np.asanyarray(a), np.asanyarray(b)
    if {a.dtype.kind, b.dtype.kind} & {"m", "M"}:
        raise NotImplementedError  # matmul takes no durations
    if a.ndim == 0 or b.ndim == 0:
        return np.multiply(a, b)
    if a.ndim <= 2 and b.ndim <= 2:
        return np.matmul(a, b)
    size = a.shape[-1]
    left = a.reshape((_product(a.shape[:-1]), size))
    if b.ndim == 1:
        return np.matmul(left, b).reshape(a.shape[:-1])
    order = (b.ndim - 2, *range(b.ndim - 2), b.ndim - 1)
    kept = (*b.shape[:-2], b.shape[-1])
    right = np.transpose(b, order).reshape((size, _product(kept)))
    return np.matmul(left, right).reshape((*a.shape[:-1], *kept))


def _product(sizes: Any) -> Any:
    count: Any = 1
    for size in sizes:
        count = count * size
    return count


@register_decomposition("np.inner")
def inner(a: Any, b: Any, /) -> Any:
    """The matrix product over the last axes."""
    a, b = np.asanyarray(a), np.asanyarray(b)
    if {a.dtype.kind, b.dtype.kind} & {"m", "M"}:
        raise NotImplementedError  # matmul takes no durations
    if a.ndim == 0 or b.ndim == 0:
        return np.multiply(a, b)
    left, right = a.reshape((_product(a.shape[:-1]), a.shape[-1])), b.reshape((_product(b.shape[:-1]), b.shape[-1]))
    return np.matmul(left, right.T).reshape((*a.shape[:-1], *b.shape[:-1]))[()]


@register_decomposition("np.vdot")
def vdot(a: Any, b: Any, /) -> Any:
    """Exact: the product of the flattened arrays, the first one conjugated."""
    left, right = np.reshape(a, (-1,)), np.reshape(b, (-1,))
    if "m" in (left.dtype.kind, right.dtype.kind):
        raise NotImplementedError  # matmul takes no durations
    with np.errstate(all="ignore"):  # NumPy's C code reports no floating-point errors here
        return np.matmul(left.conj() if left.dtype.kind == "c" else left, right)


@register_decomposition("np.vecdot")
def vecdot(x1: Any, x2: Any, /, *, axis: Any = -1, dtype: Any = None) -> Any:
    """The matrix product of a row and a column."""
    if axis != -1:
        x1, x2 = np.moveaxis(x1, axis, -1), np.moveaxis(x2, axis, -1)
    left = x1.conj() if x1.dtype.kind == "c" else x1
    return unboxed(np.matmul(left[..., None, :], x2[..., None], dtype=dtype)[..., 0, 0])


@_of_numpy("matvec")
def matvec(x1: Any, x2: Any, /, *, dtype: Any = None) -> Any:
    """The matrix product with a column."""
    return unboxed(np.matmul(x1, x2[..., None], dtype=dtype)[..., 0])


@_of_numpy("vecmat")
def vecmat(x1: Any, x2: Any, /, *, dtype: Any = None) -> Any:
    """The matrix product with a conjugated row."""
    left = x1.conj() if x1.dtype.kind == "c" else x1
    return unboxed(np.matmul(left[..., None, :], x2, dtype=dtype)[..., 0, :])


@register_decomposition("np.inv")
def inv(a: Any) -> Any:
    """Exact: ``solve`` with the identity."""
    size = a.shape[-1]
    kind = a.dtype if a.dtype.kind in "fc" else np.dtype(np.float64)
    return np.linalg.solve(a, np.broadcast_to(np.eye(size, dtype=kind), a.shape))


@register_decomposition("np.eigvalsh")
def eigvalsh(a: Any, UPLO: Any = "L") -> Any:
    """The eigenvalues of ``eigh``: within a few units in the last place of the largest."""
    return np.linalg.eigh(a, UPLO)[0]


@register_decomposition("np.eigvals")
def eigvals(a: Any) -> Any:
    """The eigenvalues of ``eig``: within a few units in the last place of the largest."""
    return np.linalg.eig(a)[0]


@register_decomposition("np.cond")
def cond(x: Any, p: Any = None) -> Any:
    """Exact: the quotient of two singular values; calls with other norms stay."""
    if p not in (None, 2, -2):
        raise NotImplementedError
    if x.shape[-1] == 0 or x.shape[-2] == 0:
        raise np.linalg.LinAlgError("cond is not defined on empty arrays")
    finite = np.all(np.isfinite(x), axis=(-2, -1))
    values = np.linalg.svd(np.where(finite[..., None, None], x, np.zeros((), x.dtype)), compute_uv=False)
    with np.errstate(all="ignore"):  # as NumPy has it
        ratio = values[..., -1] / values[..., 0] if p == -2 else values[..., 0] / values[..., -1]
    return unboxed(np.where(np.any(np.isnan(x), axis=(-2, -1)), np.nan, np.where(np.isnan(ratio), np.inf, ratio)).astype(ratio.dtype))
