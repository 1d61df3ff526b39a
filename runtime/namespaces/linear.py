"""Linear algebra and Fourier transforms, which the array-API standard has as extensions.

The standard leaves open which triangle of a symmetric matrix is read; NumPy reads the lower one,
from which the whole matrix is made.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.graph import Node
from npexport.runtime.namespaces.space import Builder, Lacks, Space, Values, declare, dtype_of, row


def _of_the_same_name(name: str) -> None:
    """Declare an operator whose function in the standard takes the matrices alone, as it does."""

    @row(f"np.{name}", needs=f"linalg.{name}", takes="fc")
    def apply(space: Space, meta: Any, a: Any) -> Any:
        return space.function(f"linalg.{name}")(a)


for _name in ("det", "slogdet", "eig", "qr"):
    _of_the_same_name(_name)


@row("np.solve", needs="linalg.solve")
def solve(space: Space, meta: Any, a: Any, b: Any) -> Any:
    return space.function("linalg.solve")(space.array(a, meta.dtype), space.array(b, meta.dtype))


@row("np.cholesky", needs="linalg.cholesky tril", takes="fc")
def cholesky(space: Space, meta: Any, a: Any, /) -> Any:
    return space.function("linalg.cholesky")(_symmetric(space, a))


@row("np.eigh", needs="linalg.eigh tril", takes="fc")
def eigh(space: Space, meta: Any, a: Any) -> Any:
    return space.function("linalg.eigh")(_symmetric(space, a))


def _symmetric(space: Space, a: Any) -> Any:
    """The matrices of which the lower triangles are those of ``a``."""
    below = space.function("tril")(a, k=-1)
    above = space.function("permute_dims")(below, (*range(a.ndim - 2), a.ndim - 1, a.ndim - 2))
    truth = any(a.dtype == getattr(space.xp, name, None) for name in ("complex64", "complex128"))
    return space.function("tril")(a) + (space.function("conj")(above) if truth else above)


def _svd(space: Space, node: Node) -> Values:
    options = dict(zip(("a", "full_matrices", "compute_uv", "hermitian"), node.args, strict=False)) | node.kwargs
    if options.get("hermitian") or dtype_of(options["a"]).kind not in "fc":
        raise Lacks("not with these arguments")
    if not options.get("compute_uv", True):
        values = space.function("linalg.svdvals")
        return lambda a, *args, **kwargs: values(a)
    whole, full = space.function("linalg.svd"), bool(options.get("full_matrices", True))
    return lambda a, *args, **kwargs: whole(a, full_matrices=full)


@row("np.diagonal", needs="linalg.diagonal permute_dims")
def diagonal(space: Space, meta: Any, a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    last = (axis1 % a.ndim, axis2 % a.ndim)
    order = [axis for axis in range(a.ndim) if axis not in last]
    return space.function("linalg.diagonal")(space.function("permute_dims")(a, (*order, *last)), offset=offset)


def _transform(name: str) -> Builder:
    def build(space: Space, node: Node) -> Values:
        function, dtype = space.function(name), node.meta["val"].dtype

        def run(a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
            return function(space.array(a, dtype), n=n, axis=axis, norm=norm or "backward")

        return run

    return build


def _accumulation(space: Space, node: Node) -> Values:
    options = dict(zip(("ufunc", "array", "axis", "dtype"), node.args, strict=False)) | node.kwargs
    standard = {"add": "cumulative_sum", "multiply": "cumulative_prod"}.get(options["ufunc"])
    dtype: np.dtype[Any] = node.meta["val"].dtype
    if standard is None or dtype.kind not in "iufc":
        raise Lacks(f"the standard has no accumulation by {options['ufunc']} of {dtype}")
    function, axis = space.function(standard), options.get("axis", 0)
    return lambda ufunc, array, *args, **kwargs: function(space.array(array, dtype), axis=axis, dtype=space.dtype(dtype))


declare({"np.svd": _svd, "np.fft": _transform("fft.fft"), "np.ifft": _transform("fft.ifft"), "np.ufunc_accumulate": _accumulation})
