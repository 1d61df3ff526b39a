# ruff: noqa: E501 -- tables of expressions
"""Every method, attribute and function that stands for itself in one expression: exported strictly and held to eager NumPy on other data."""

from __future__ import annotations

import array
import collections
import warnings
from typing import Any

import numpy as np
import pytest

from npexport import export
from npexport.symshapes.errors import Unsupported
from tests.support.arrays_harness import compare
from tests.support.functions import function_of


def inputs(seed: int) -> dict[str, Any]:
    """x, y: floats; v, w: vectors; i: integers; b: truths; c: complex numbers; s: a symmetric positive definite matrix; z: 0-d."""
    rng = np.random.default_rng(seed)
    x = rng.random((3, 4)) * 4 - 1
    a = rng.random((3, 3))
    return {
        "x": x,
        "y": rng.random((3, 4)).astype(np.float32) + 0.5,
        "v": rng.random(6) + 0.25,
        "w": rng.permutation(6).astype(np.float64),
        "i": rng.integers(0, 3, (3, 4)),
        "k": rng.integers(0, 6, 5),
        "b": rng.random((3, 4)) > 0.5,
        "c": rng.random((2, 3)) + 1j * rng.random((2, 3)),
        "s": a @ a.T + 3 * np.eye(3),
        "z": np.array(rng.random() + 1),
        "u": rng.integers(0, 255, (2, 3)).astype(np.uint8),
    }


METHODS = """
x.T; x.mT; x.real; c.real; c.imag; x.shape; x.ndim; x.size; x.itemsize; x.nbytes; x.dtype.name; len(x); z.shape; z.ndim; c.dtype.kind; x.flat[3]; x.flat[2:5]; x.flat == 1; i.flat != i.T.flat; v.flat < w; 1 >= y.flat; x.flat > x.flat; x.flat == None; list(v)[2]; x.device
x.all(); b.any(axis=0); b.all(1); x.argmax(); x.argmin(axis=1); x.argmax(axis=0, keepdims=True); v.argpartition(2)[2]; x.argsort(axis=0); v.argsort(); i.astype(float); x.astype('f4')
x.astype(int); i.astype(bool); c.astype(complex, copy=False); i.choose([x, y, 0]); x.clip(0, 1); x.clip(min=0.5); x.clip(max=[0, 1, 2, 1]); v.compress([True, False, True]); c.conj(); c.conjugate()
x.copy(); x.copy(order='F'); x.cumprod(axis=1); x.cumsum(); x.cumsum(axis=0, dtype='f4'); x.diagonal(); x.diagonal(1); x.dot(v[:4]); x.flatten(); x.flatten('F'); x.ravel(); x.max(); x.max(axis=1)
x.mean(); x.mean(axis=0, keepdims=True); i.mean(); y.mean(axis=1); x.min(0); b.nonzero()[0].size > 100; x.prod(); i.prod(axis=1); x.repeat(2); x.repeat([1, 2, 0], axis=0); x.reshape(4, 3)
x.reshape((2, 6)); x.reshape(-1); x.reshape(2, -1, 2); x.reshape(4, 3, order='F'); x.round(1); x.round(); i.round(-1); c.round(1); v.searchsorted(0.5); v.searchsorted([0.1, 0.9], side='right')
x[None].squeeze(); x[:, None].squeeze(axis=1); x.std(); x.std(axis=0, ddof=1); x.sum(); x.sum(axis=(0, 1)); i.sum(); u.sum(axis=0); b.sum(); x.sum(axis=0, dtype=np.float32); x.sum(where=b); x.sum(axis=1, initial=3)
x.swapaxes(0, 1); x.take([0, 2], axis=1); x.take(i); x.trace(); x.transpose(); x.transpose(1, 0); x.transpose((1, 0)); x.var(); y.var(axis=1); u.view(np.int8); v.view(np.int64); v.view('c16'); i.byteswap()
x.tolist is None; abs(x); -x; +x; ~i; ~b; x ** 2; x ** 0.5; abs(x) ** 0.5; 2 ** i; i ** 2; x @ x.T; v @ w; x // 0.5; x % 0.7; divmod(x, 0.3); divmod(3, x); i << 1; i >> 1; i & 1; i | 4; i ^ 3; b & b; b | ~b; b ^ b
1 + x; 2 * x; 1 - x; 1 / v; 5 // v; 3 % v; x < 0; x <= y; x == y; x != 0; x > y; x >= 1; 0 < x; x + y; x + i; i + 1.5; u + 1; u * 2; i / 2; x + True; x * np.float32(2); y * np.float64(2); y + 1.5; y + 1; u + k[:3]; c * 1j; x + [1, 2, 3, 4]; (1, 2, 3, 4) * x
x[0]; x[-1]; x[0, 1]; x[1:, ::2]; x[..., 0]; x[None, :, None]; x[::-1]; x[[0, 2]]; x[[0, 2], [1, 3]]; x[:, [1, 1]]; x[i % 3]; x[b].sum(); x[b[:, 0]].sum(); x[np.newaxis]; x[range(2)]; x[:, range(1, 4)]; x[range(0)]; v[collections.deque([4, 1])]; v[array.array('l', [5, 2])]; v[range(len(k))]; x[(0, 1)]; x[np.array([0, 1])]; x[0:0]; x[i[0, 0] * 0]; v[k]; v[k[0]]; z[()]; z[...]; z[None]; x[x > 10].size; x[[True, False, True]]; x[np.ix_([0, 1], [1, 2])]
x[1] is x; type(x) is np.ndarray; isinstance(x, np.ndarray); isinstance(x.sum(), np.floating); isinstance(x[0, 0], float); type(x.sum()) is np.float64; isinstance(i[0, 0], (int, np.integer)); hasattr(x, 'foo'); callable(x.sum); x.base is None or True; np.isscalar(x[0, 0]); np.ndim(x); np.shape([[1, 2]]); np.size(x, 0); x.sum().dtype.str; x[0, 0].item is None; x.sum() + 1; x[0, 0] * x; -x[0, 0]; np.float32(x[0, 0]); np.int64(x[0, 0] * 10); np.float32(x); np.bool_(x[0, 0]); x[0, 0] ** 2; x[0,0] + y[0,0]; x.mean() < 2
"""
FUNCTIONS = """
np.sin(x); np.exp(x); np.log(v); np.sqrt(v); np.maximum(x, 0); np.minimum(x, y); np.arctan2(x, y); np.hypot(x, y); np.power(v, 2); np.square(x); np.abs(x); np.sign(x); np.floor(x); np.ceil(x); np.trunc(x); np.rint(x); np.fix(x); np.isnan(x); np.isfinite(x); np.logical_and(x > 0, b)
np.add(x, y); np.add(x, 1, dtype=np.float32, casting='same_kind'); np.multiply(i, 2.5); np.divide(x, v[:4]); np.true_divide(i, 2); np.floor_divide(i, 2); np.mod(x, 0.5); np.fmod(x, 0.5); np.negative(x); np.reciprocal(v); np.positive(x); np.conj(c); np.angle(c); np.real(c); np.imag(c); np.cbrt(x); np.exp2(x); np.expm1(x); np.log1p(v); np.log2(v); np.log10(v); np.copysign(x, -1); np.nextafter(x, 9); np.ldexp(x, i); np.frexp(v); np.modf(x); np.heaviside(x, 0.5); np.gcd(i, 6); np.lcm(i + 1, 6); np.clip(x, 0, 1); np.nan_to_num(x); np.interp(x, [0, 1, 2], [3, 2, 5]); np.sinc(x); np.i0(x); np.unwrap(v * 9); np.float_power(v, 1.5); np.spacing(x); np.signbit(x); np.deg2rad(x); np.logaddexp(x, y); np.bitwise_count(i)
np.sum(x); np.sum(x, axis=1); np.sum([x, x], axis=0); np.prod(v); np.mean(x, 0); np.std(x, axis=1); np.var(x); np.median(x); np.median(x, axis=0); np.average(x, axis=0, weights=[1, 2, 3]); np.percentile(x, 30); np.quantile(x, [0.2, 0.5], axis=1); np.max(x); np.min(x, axis=0); np.amax(x); np.amin(x); np.ptp(x); np.argmax(x); np.argmin(x, axis=0); np.any(b); np.all(b, axis=1); np.cumsum(x, axis=1); np.cumprod(v); np.diff(x); np.diff(x, n=2, axis=0); np.ediff1d(v); np.gradient(v); np.gradient(x)[1]; np.nansum(x); np.nanmean(x, axis=0); np.nanmax(x); np.count_nonzero(b); np.count_nonzero(x > 0, axis=1); np.trapezoid(v); np.cross([1, 2, 3], s[0]); np.convolve(v, [1, 2, 3]); np.correlate(v, w); np.histogram(v, bins=4, range=(0, 2)); np.bincount(k, minlength=6); np.digitize(x, [0, 1]); np.cov(x); np.corrcoef(x); np.searchsorted([0, 1, 2], x)
np.reshape(x, (4, 3)); np.ravel(x); np.transpose(x); np.swapaxes(x, 0, 1); np.moveaxis(x[None], 0, -1); np.rollaxis(x[None], 2); np.squeeze(x[None]); np.expand_dims(x, 1); np.broadcast_to(v, (2, 6)); np.broadcast_arrays(x, v[:4])[1]; np.atleast_1d(z); np.atleast_2d(v); np.atleast_3d(x); np.concatenate([x, y]); np.concatenate((x, y), axis=1); np.concatenate([x, x], axis=None); np.stack([v, w]); np.stack([x, x], axis=-1); np.vstack([v, w]); np.hstack([v, w]); np.dstack([x, y]); np.column_stack([v, w]); np.block([[x, x], [x, x]]); np.split(v, 3); np.array_split(v, 4); np.hsplit(x, 2); np.vsplit(x, 3); np.tile(v, 2); np.tile(x, (2, 1)); np.repeat(x, 2, axis=1); np.flip(x); np.fliplr(x); np.flipud(x); np.rot90(x); np.roll(x, 1); np.roll(x, (1, 2), axis=(0, 1)); np.pad(x, 1); np.pad(v, (2, 1), mode='edge'); np.pad(v, 2, mode='reflect'); np.append(v, w); np.insert(v, 1, 5); np.delete(v, 2); np.resize(v, 9); np.unstack(x); np.trim_zeros(np.array([0, 1, 0]))
np.where(b, x, y); np.where(b, x, 0); np.where(x > 0, 1, -1); np.select([x > 1, x > 0], [x, -x], 5); np.choose(i, [x, y, x]); np.take(x, [1, 2]); np.take(x, 1, axis=1); np.take_along_axis(x, i, axis=1); np.compress([1, 0, 1], x, axis=0); np.diag(v); np.diag(x); np.diagonal(x); np.tril(x); np.triu(x, 1); np.trace(x); np.sort(x); np.sort(x, axis=0); np.argsort(v); np.lexsort((v, w)); np.partition(v, 2)[2]; np.isin(k, [1, 2]); np.nonzero(np.array([1, 0, 2])); np.argwhere(np.eye(2)); np.flatnonzero(np.array([0, 1])); np.unravel_index(k, (2, 3)); np.ravel_multi_index((k % 2, k % 3), (2, 3)); np.meshgrid(v, w)[0]; np.indices((2, 3)); np.ix_([0, 1], [1]); np.tril_indices(3); np.vander(v, 3); np.kron(v[:2], v[:3]); np.polyval([1, 2, 3], x); np.apply_along_axis(np.sum, 0, x); np.apply_over_axes(np.sum, x, [0]); np.piecewise(v, [v < 0.5, v >= 0.5], [0, 1])
np.matmul(x, x.T); np.dot(x, v[:4]); np.inner(v, w); np.outer(v, w); np.vdot(v, w); np.tensordot(x, y, axes=([0], [0])); np.tensordot(s, s, 1); np.einsum('ij,kj->ik', x, y); np.einsum('ii->i', s); np.einsum('ij->j', x); np.linalg.norm(x); np.linalg.norm(v, 1); np.linalg.norm(x, axis=1); np.linalg.norm(x, 'fro'); np.linalg.norm(x, np.inf); np.linalg.inv(s); np.linalg.det(s); np.linalg.solve(s, v[:3]); np.linalg.cholesky(s); np.linalg.eigvalsh(s); np.linalg.svd(x, compute_uv=False); abs(np.linalg.qr(x)[1]); np.linalg.slogdet(s); np.linalg.matrix_power(s, 3); np.linalg.pinv(x); np.linalg.lstsq(s, v[:3], rcond=None)[0]; np.linalg.matrix_rank(s) > 9; np.linalg.cond(s); np.linalg.multi_dot([s, s, s]); np.linalg.matrix_norm(x); np.linalg.vector_norm(v); np.linalg.eigh(s)[0]; np.linalg.tensorsolve(s, v[:3]); np.fft.fft(v); np.fft.rfft(v); np.fft.ifft(c); np.fft.irfft(np.fft.rfft(v)); np.fft.fft2(x); np.fft.fftn(x); np.fft.fftshift(v); np.fft.fftfreq(6); np.fft.hfft(c[0])
np.zeros((2, 3)); np.ones(3); np.full((2,), 7); np.empty((2, 3)).shape; np.eye(3); np.identity(2); np.arange(5); np.arange(1, 9, 2.5); np.linspace(0, 1, 5); np.linspace(z, 2, 4); np.logspace(0, 2, 3); np.geomspace(1, 8, 4); np.zeros_like(x); np.ones_like(y); np.full_like(x, 2); np.full(3, z); np.empty_like(x).shape; np.array([1, 2, 3]); np.array([x, x]); np.array([[1, z], [2, 3]]); np.array([v[0], v[1]]); np.array(x); np.array(x, dtype=np.float32); np.array(3.5); np.asarray(x); np.asarray([1, 2.5]); np.asarray(x, dtype=int); np.asanyarray(x); np.ascontiguousarray(x.T); np.asfortranarray(x); np.copy(x); np.array(v, ndmin=2); np.fromiter((j * 2 for j in range(3)), int); np.fromfunction(lambda p, q: p + q, (2, 3)); np.mgrid[0:2, 0:3]; np.ogrid[0:2]; np.r_[v, 1, 2]; np.c_[v, w]; np.tri(3); np.diagflat(v[:2]); np.hanning(4); np.bartlett(5); np.kaiser(4, 2.0); np.blackman(4)
np.result_type(x, y).name; np.can_cast(np.int32, np.float64); np.promote_types('i4', 'f4').name; np.min_scalar_type(3).name; np.common_type(x, y).__name__; np.iscomplexobj(c); np.isrealobj(c); np.isscalar(3); np.ndim(3); np.shape(x); np.size(x); np.shares_memory(x, x[0]); np.may_share_memory(x, y); np.broadcast(x, v[:4]).shape; np.broadcast_shapes((3, 1), (1, 4)); np.array_equal(x.shape, (3, 4)); np.finfo(np.float32).eps; np.iinfo(int).max; np.dtype('f4').itemsize; np.issubdtype(x.dtype, np.floating); np.pi * x; np.inf > x; np.float64(3) * x; np.isclose(x, y); list(np.ndindex(2, 2)); [t[0] for t in np.ndenumerate(np.array([1, 2]))]; np.iscomplex(c); np.isreal(x); np.real_if_close(x); np.round(x, 2); np.around(x, 1); np.nanstd(x); np.nanmedian(x)
np.add.reduce(x); np.add.reduce(x, axis=1, keepdims=True); np.multiply.reduce(v); np.maximum.reduce(x, axis=None); np.logical_or.reduce(b); np.bitwise_or.reduce(i); np.add.accumulate(v); np.maximum.accumulate(x, axis=1); np.add.outer(v, w); np.multiply.outer(v, [1, 2]); np.subtract.outer(v, v); np.add.reduceat(v, [0, 2, 4]); np.hypot.reduce(v); np.add.reduce([1, 2, 3]); np.lib.stride_tricks.sliding_window_view(v, 3); np.random.default_rng(3).random(2); np.random.default_rng(0).permutation(v); np.unique(np.array([1, 1, 2])); np.union1d(np.array([1]), np.array([2])); np.packbits(b); np.interp(1.5, [1, 2], [3, 4]); np.errstate(all='ignore') is None; x.sum().round(2); np.poly1d([1, 2])(3); np.zeros(i[0, 0]); x[: i[0, 0]]; x[int(i[0, 1]) - 3]; np.arange(i[0, 0].item()); k[:3].tolist is None
"""


def expressions(text: str) -> list[str]:
    return [part.strip() for line in text.strip().splitlines() for part in line.split("; ")]


def held(source: str) -> None:
    """Export the expression on one set of inputs and compare with eager on another."""
    names = [name for name in inputs(0) if f"{name}" in "".join(ch if ch.isalnum() or ch == "_" else " " for ch in source).split()]
    function = function_of(f"def f({', '.join(names)}):\n    return {source}", {"np": np, "array": array, "collections": collections})
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        first, second = ([inputs(seed)[name] for name in names] for seed in (1, 2))
        expected = function(*second)
        program = export(function, tuple(first))
        got = program.module()(*second)
    same(expected, got)


def same(want: Any, have: Any) -> None:
    if isinstance(want, (tuple, list)) and len(want):
        for w, h in zip(want, have, strict=True):
            same(w, h)
    elif isinstance(want, (np.ndarray, np.generic)) and want.dtype.kind in "fc":
        assert (have.dtype, have.shape, type(have)) == (want.dtype, want.shape, type(want))
        np.testing.assert_allclose(have, want, rtol=1e-5 if want.dtype.itemsize < 8 else 1e-12, atol=1e-12)
    else:
        compare(want, have)


@pytest.mark.parametrize("source", expressions(METHODS))
def test_methods_and_operators(source: str) -> None:
    held(source)


@pytest.mark.parametrize("source", expressions(FUNCTIONS))
def test_functions(source: str) -> None:
    held(source)


REFUSED = {
    "x.data": "E123",
    "bytes(z)": "E123",
    "bytearray(x)": "E123",
    "memoryview(x)": "E123",
    "x.ctypes": "E123",
    "x.copy().resize((2, 2))": "E123",
    "np.vectorize(lambda a: a if a > 0 else 'no')(v)": "E114",
    "len(str(x))": "E114",
    "print(f'{z}')": "E114",
    "np.random.rand(3)": "E107",
    "np.random.default_rng().random(3)": "E107",
    "np.matrix(x)": "E101",
    "np.frombuffer(bytearray(8))": "E105",
    "np.array([None, z])": "E122",
    "hash(z)": "",
}


@pytest.mark.parametrize(("source", "code"), REFUSED.items())
def test_refusals(source: str, code: str) -> None:
    with pytest.raises(Unsupported if code else TypeError) as caught:
        held(source)
    assert not code or caught.value.code == code
