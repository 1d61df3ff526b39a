# ruff: noqa: E501 -- tables of expressions
"""Every way to get a view, and every way to write: programs of both, held to eager NumPy in values, flags, sharing and identity.

``python -m tests.fuzz.views [count] [seed]`` runs chains of several views and writes, drawn at random.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport import Unsupported, export
from tests.fuzz.command import main
from tests.support.functions import function_of
from tests.support.quiet import quiet

INPUTS: dict[str, Callable[[], Any]] = {
    "floats": lambda: np.arange(12.0).reshape(3, 4) - 2,
    "ints": lambda: np.arange(12, dtype="i4").reshape(3, 4),
    "complex": lambda: np.arange(12.0).reshape(3, 4) * (1 + 2j),
    "square": lambda: np.arange(9.0).reshape(3, 3),
    "cube": lambda: np.arange(12).reshape(2, 3, 2),
    "bytes": lambda: np.arange(12, dtype="u1").reshape(3, 4),
}
ORDERS = ("C", "F")
SOURCES = ("pass", "x = x.copy()", "x = x + 0", "x = np.asarray(x, order='F')")
"""The input itself, an array of the program's own, and one that is either."""

VIEWS = (
    "x[::2]",
    "x[::-1]",
    "x[..., ::-2]",
    "x[..., -2:0:-1]",
    "x[1]",
    "x[..., 1]",
    "x[:, None]",
    "x[...]",
    "x[1:, 1:]",
    "x.T",
    "x.transpose()",
    "np.transpose(x, range(x.ndim)[::-1])",
    "x.swapaxes(0, -1)",
    "np.swapaxes(x, 0, 1)",
    "np.moveaxis(x, 0, -1)",
    "np.rollaxis(x, 1)",
    "x.mT",
    "np.matrix_transpose(x)",
    "np.permute_dims(x)",
    "x.reshape(-1)",
    "x.reshape(2, -1)",
    "x.reshape(-1, order='F')",
    "x.reshape(-1, 2, order='A')",
    "x.ravel()",
    "x.ravel('F')",
    "x.ravel('K')",
    "np.ravel(x)",
    "np.reshape(x, (-1, 1))",
    "x.T.reshape(-1)",
    "x.T.ravel()",
    "x.flat.base",
    "x[None].squeeze()",
    "np.squeeze(x[:1], 0)",
    "np.expand_dims(x, (0, 2))",
    "np.broadcast_to(x, x.shape)",
    "np.broadcast_to(x, (2, *x.shape))",
    "np.broadcast_arrays(x, 1)[0]",
    "np.broadcast_arrays(x[:1], x)[0]",
    "np.diagonal(x)",
    "x.diagonal(1)",
    "np.diag(x[..., :2]) if x.ndim == 2 else np.diagonal(x)",
    "np.linalg.diagonal(x)",
    "x.real",
    "x.imag",
    "np.real(x)",
    "np.imag(x)",
    "x.view()",
    "x.view(x.dtype)",
    "x.view(np.uint8)",
    "x.view('i%d' % x.itemsize)",
    "x.view('i%d' % (x.itemsize // 2))",
    "x.view(np.ndarray)",
    "x.view(type=np.ndarray)",
    "np.lib.stride_tricks.sliding_window_view(x, 2, axis=0)",
    "np.lib.stride_tricks.sliding_window_view(x, 2, axis=0, writeable=True)",
    "np.lib.stride_tricks.sliding_window_view(x, 1, axis=0, writeable=True)",
    "np.lib.stride_tricks.as_strided(x, x.shape, x.strides)",
    "np.lib.stride_tricks.as_strided(x, (min(2, len(x)),), (x.strides[0],))",
    "np.lib.stride_tricks.as_strided(x, (min(2, len(x)),), x.strides[:1], writeable=False)",
    "np.flip(x)",
    "np.flip(x, 0)",
    "np.fliplr(x)",
    "np.flipud(x)",
    "np.rot90(x)",
    "np.rot90(x, 2)",
    "np.rot90(x, 4)",
    "np.split(x, [1])[1]",
    "np.array_split(x, 2, axis=-1)[1]",
    "np.hsplit(x, [1])[0]",
    "np.vsplit(x, [1])[1]",
    "np.unstack(x)[1]",
    "np.unstack(x, axis=-1)[0]",
    "list(x)[1]",
    "next(iter(x))",
    "[*x][-1]",
    "np.asarray(x.flat)",
    "np.require(x, None, 'C')",
    "np.require(x, None, ['F', 'W'])",
    "np.require(x, None, 'O')",
    "np.require(x)",
    "np.asarray(x)",
    "np.asanyarray(x)",
    "np.asarray(x, order='C')",
    "np.asarray(x, order='F')",
    "np.asarray(x, order='A')",
    "np.asarray(x, x.dtype)",
    "np.ascontiguousarray(x)",
    "np.asfortranarray(x)",
    "np.array(x, copy=None)",
    "np.array(x, copy=False)",
    "np.array(x)",
    "np.array(x, ndmin=4, copy=None)",
    "np.asarray(x.T, order='C')",
    "x.astype(x.dtype, copy=False)",
    "x.astype(x.dtype, order='C', copy=False)",
    "x.astype(x.dtype, order='F', copy=False)",
    "x.astype(x.dtype, order='A', copy=False)",
    "np.astype(x, x.dtype, copy=False)",
    "x.astype(x.dtype)",
    "np.einsum('ij...->ji...', x)",
    "np.einsum('...ii->...i', x[..., :2, :2])",
    "np.einsum('...', x)",
    "np.einsum('ij...->ji...', x, optimize=True)",
    "np.einsum('ij...->ji...', x, dtype=x.dtype)",
    "np.einsum('ij...->ji...', x, order='C')",
    "np.einsum('ij...->ji...', x, order='K')",
    "np.atleast_1d(x)",
    "np.atleast_2d(x)",
    "np.atleast_3d(x)",
    "np.atleast_3d(x[0])",
    "np.atleast_2d(x[0, ..., 0])",
    "np.atleast_1d(x, 1)[0]",
    "x.conj()",
    "np.conj(x)",
    "np.nan_to_num(x, copy=False)",
    "x.__getitem__(slice(1, None))",
    "__import__('copy').copy(x)",
    "x[0:2][:, 1:][::-1]",
    "np.ndarray.transpose(x)",
    "x[()]",
    "x",
    "np.resize(x, x.shape)",
    "x.reshape(*x.shape, 1)[..., 0]",
    "np.delete(x, [], 0)",
    "x.take([0, 1], 0)",
    "x.byteswap()",
    "x.view(x.dtype.newbyteorder())",
    "np.linalg.matrix_transpose(x)",
    "np.ndarray.view(x)",
    "np.linalg.matrix_power(x[..., :2, :2], 1)",
    "np.isfortran(x) and x or x.T",
    "np.pad(x, 0)",
    "np.roll(x, 0)",
    "np.where(True, x, 0)",
    "np.tile(x, 1)",
    "np.repeat(x, 1, axis=0)",
    "np.concatenate([x])",
    "np.block(x)",
    "np.sort(x)",
    "x.compress([True, True], 0)",
    "np.array_split(x, 1)[0]",
    "np.dsplit(np.atleast_3d(x), 1)[0]",
    "np.ascontiguousarray(x.T).T",
    "np.ma.getdata(x)",
    "np.cumulative_sum(x, axis=0)",
    "[r for r in x][0]",
    "dict(enumerate(x))[1]",
    "next(zip(x, x))[1]",
    "(lambda a, *r: a)(*x)",
    "list(map(lambda r: r, x))[0]",
    "next(reversed(x))",
    "max([x[0]], key=lambda r: 0)",
    "np.apply_along_axis(lambda r: r, 0, x)",
    "x[next(iter(np.ndindex(*x.shape)))[:1]]",
)
"""Views, copies, and what is one of them by how ``x`` lies in memory."""

WRITES = (
    "pass",
    "v += 1",
    "v += v[::-1]",
    "v *= v",
    "v //= 2",
    "v &= 1",
    "v /= 2",
    "v **= 2",
    "v @= v",
    "v <<= 1",
    "v[1:] += v[:-1]",
    "v[:1] -= 3",
    "v[...] = 7",
    "v[0] = 5",
    "v[-1:] = 4",
    "v[::2] = v[::2] + 1",
    "v[...] = v[::-1]",
    "v[...] = v.T",
    "v[[0, -1]] = 3",
    "v[[0, 0]] = v[[0, -1]] * 2",
    "v[v > 2] = 0",
    "v[np.arange(len(v)) % 2 == 0] = 9",
    "v[..., 0] = 8",
    "v[None, 0] = 6",
    "v[np.ix_([0])] = 5",
    "v[v > 2] += 1",
    "v[[0, 0]] += 1",
    "np.add(v, 1, out=v)",
    "np.multiply(v, 2, v)",
    "np.divide(v, 2, out=v, casting='unsafe')",
    "np.add(v, 1, out=v, where=v > 2)",
    "np.negative(v, out=v, where=True)",
    "np.add(v, v[::-1], out=v[::-1])",
    "np.add(v[1:], v[:-1], out=v[1:])",
    "np.add(x, x, out=x)",
    "np.divmod(v, 2, out=(v, v.copy()))",
    "np.modf(v, out=(v, v.copy()))",
    "np.divmod(v, 2, out=(v, v))",
    "np.frexp(v, v)",
    "np.add.at(v, [0, 0], 1)",
    "np.negative.at(v, [0])",
    "np.multiply.at(v, v > 2, 2)",
    "np.add.at(v, ..., 1)",
    "np.copyto(v, 3)",
    "np.copyto(v, v[::-1])",
    "np.copyto(v, 1, where=v > 2)",
    "np.copyto(v, 1.5, casting='unsafe')",
    "np.copyto(v, v)",
    "np.put(v, [0, 0, -1], [5, 6, 7])",
    "v.put([1], 9, mode='wrap')",
    "np.put_along_axis(v, np.zeros_like(v, dtype=int)[:1], 3, 0)",
    "np.place(v, v > 1, [4, 5])",
    "np.putmask(v, v > 1, [4, 5, 6])",
    "np.putmask(v, v > 1, v[::-1])",
    "np.fill_diagonal(v, 3)",
    "np.fill_diagonal(v, [1, 2], wrap=True)",
    "v.fill(2)",
    "v.sort()",
    "v.sort(axis=0)",
    "v.sort(kind='stable')",
    "v.partition(1)",
    "v[...] = np.sort(v)",
    "np.add.reduce(v, axis=0, out=v[0])",
    "np.add.accumulate(v, out=v)",
    "np.multiply.accumulate(v, axis=0, out=v)",
    "np.add.reduceat(v, [0, 1], out=v[:2])",
    "np.multiply.outer(v[0], v[0])",
    "v.setflags(write=False)",
    "v.setflags(write=True)",
    "v.flags.writeable = False; v.flags.writeable = True; v[...] = 1",
    "v.setflags(write=False); v.setflags(write=True); v += 1",
    "v.setflags(write=False); v[0] = 1",
    "v.shape = (-1,)",
    "v.shape = (*v.shape, 1); v += 1",
    "v.dtype = 'i%d' % v.itemsize",
    "np.clip(v, 1, 3, out=v)",
    "v.clip(1, 3, out=v)",
    "np.round(v, 0, out=v)",
    "v.round(1, out=v)",
    "np.choose([0] * len(v), [v, v], out=v)",
    "np.take(v, [0] * len(v), axis=0, out=v)",
    "np.compress([True] * len(v), v, axis=0, out=v)",
    "v.take(range(len(v))[::-1], axis=0, out=v)",
    "np.cumsum(v, axis=0, out=v)",
    "v.cumsum(0, out=v)",
    "np.cumprod(v, axis=-1, out=v)",
    "np.mean(v, axis=0, out=v[0])",
    "v.std(axis=0, out=v[-1])",
    "np.var(v, axis=0, out=v[0])",
    "v.sum(axis=0, out=v[0])",
    "v.max(axis=0, out=v[0])",
    "np.any(v, axis=0, out=v[0])",
    "np.median(v, axis=0, out=v[0])",
    "v.prod(0, out=v[-1])",
    "v.argmax(0, out=np.zeros(v.shape[1:], np.intp))",
    "np.nansum(v, axis=0, out=v[0])",
    "np.ptp(v, axis=0, out=v[0])",
    "np.quantile(v, 0.5, axis=0, out=v[0])",
    "np.subtract(v[1:], v[:-1], out=v[:-1])",
    "np.trace(v, out=v.sum()[...])",
    "np.einsum('...->...', v, out=v)",
    "np.einsum('ij->ji', v, out=v)",
    "np.matmul(v, v, out=v)",
    "np.dot(v, v, out=v)",
    "np.concatenate([v[1:], v[:1]], out=v)",
    "np.stack([v[0]] * len(v), out=v)",
    "np.concatenate([v[:1], v[:-1]], out=v)",
    "np.vecdot(v, v, out=v[..., 0])",
    "v.flat = [1, 2, 3]",
    "v.flat[0] = 9",
    "v.flat[::2] = 4",
    "v.flat = v[::-1]",
    "v.flat[[0, 1]] = 3",
    "v.T.flat[1] = 2",
    "v.flat = v.flat",
    "f = v.flat; next(f); f[1] = 3",
    "v.real = 2",
    "v.imag = 3",
    "v.real[...] = 1",
    "v.real = v[::-1].real",
    "v.byteswap(inplace=True)",
    "np.nan_to_num(v, copy=False)",
    "np.random.default_rng(0).shuffle(v)",
    "np.random.RandomState(0).shuffle(v)",
    "v[0], v[1] = v[1], v[0]",
    "v[0], v[1] = v[1].copy(), v[0].copy()",
    "v[[0, 1]] = v[[1, 0]]",
    "for e in np.nditer(v, op_flags=['readwrite']): e[...] = e * 2",
    "for e in np.nditer(v, flags=['external_loop'], op_flags=[['readwrite']]): e *= 2",
    "it = np.nditer(v, flags=['multi_index'], op_flags=['writeonly'])\nfor e in it: e[...] = sum(it.multi_index)",
    "for r in v: r += 1",
    "for i, e in enumerate(v.flat): v.flat[i] = e + 1",
    "for i, e in np.ndenumerate(v): v[i] = e + 1",
    "a, *b = v\na[...] = 0",
    "for r in v:\n    for i in range(len(r)): r[i] += i",
    "for e in np.nditer(v, flags=['buffered'], op_flags=['readwrite'], op_dtypes=['f8'], casting='unsafe'): e[...] = e * 2",
    "for i in np.ndindex(v.shape): v[i] += 1",
    "v.ravel()[0] = 3",
    "v.reshape(-1)[-1] = 3",
    "v.view()[...] = 2",
    "v.T[0] = 3",
    "v.__setitem__(0, 4)",
    "v.__iadd__(1)",
    "__import__('operator').iadd(v, 1)",
    "__import__('operator').setitem(v, 0, 1)",
    "v.resize(v.shape)",
    "v.setfield(1, v.dtype)",
    "v.getfield(v.dtype)[...] = 1",
    "v = v.copy(); v += 1",
    "v.partition(0, axis=0)",
    "v[np.tril_indices(2)] = 0",
    "v[v > v.mean()] = v.mean()",
    "np.put(v, v.argmax(), 1)",
    "x[0] = v[0]",
    "x[...] = 0; v += 1",
    "x += 1",
    "np.square(v, out=v); np.sqrt(np.abs(v), out=v, casting='unsafe')",
    "v -= v.mean(axis=0).astype(v.dtype)",
    "v[...] = np.linspace(0, 1, v.size).reshape(v.shape)",
    "v[0] = v.max()",
    "v[0] += v[1]; v[1] += v[0]",
    "v[(v > 1) & (v < 4)] = 1",
    "v[...] = np.where(v > 1, v, -v)",
    "v[np.where(v > 2)] = 0",
    "v[np.nonzero(v)] = 1",
    "v[tuple(np.argwhere(v > 1).T)] = 5",
)
"""Writes to ``v``, a view of ``x``; what is an error in NumPy is to be one here."""

Refused = dict[str, str]
REFUSED: Refused = {
    "E103": "holds '.*Error'",  # a handler adds to the list of what is told
    "E101": "with np.nditer|writes to memory before it raises|buffers|fields|WRITEABLE|passes through the dtype",  # buffers that are written back no one knows when; casts to out=
    "E112": "itself are changed|twice, are changed|before a call that raises",  # the caller's own array would have another shape, dtype or flags
    "E120": "elements may be each other's|element by element|vecdot writes",  # windows that overlap, repeated elements; x.flat = x.flat; vecdot's own
    "E121": "parts of others|stretched",  # as_strided of x.imag, of broadcast arrays
    "E123": "ndarray.resize",
    "E126": "would catch it",  # the handlers are for everything
}
"""Codes, and what they are refused for."""


def one_of_each(view: str, write: str, source: str) -> str:
    """The program of one view and one write."""
    return _program([source, f"v = {view}", "y = x[...]", _guarded(write)], ["x", "v", "y"])


def chain(rng: random.Random) -> str:
    """A program of views of views, and writes to some of them."""
    names, lines = ["x"], [rng.choice(SOURCES)]
    for k in range(rng.randint(2, 5)):
        name = rng.choice(names)
        if rng.random() < 0.5:
            view = re.sub(r"\bx\b", name, rng.choice(VIEWS))
            lines.append(f"try: v{k} = {view}\nexcept Exception as error:\n    v{k} = {name}\n    log.append(type(error).__name__)")
            names.append(f"v{k}")
        else:
            lines.append(_guarded(re.sub(r"\bv\b", name, re.sub(r"\bx\b", rng.choice(names), rng.choice(WRITES)))))
    return _program(lines, names)


def _guarded(write: str) -> str:
    body = write.replace("\n", "\n    ")
    return f"try:\n    {body}\nexcept Exception as error: log.append(type(error).__name__)"


def _program(lines: list[str], names: list[str]) -> str:
    told = [f"log.append(np.shares_memory({a}, {b}))" for a in names for b in names if a < b]
    for name in names:
        flags = "writeable, c_contiguous, f_contiguous".split(", ") + ["owndata"] * (name != "x")
        told.append(f"if isinstance({name}, np.ndarray): log += [{name}.shape, {', '.join(f'{name}.flags.{flag}' for flag in flags)}]")
    body = "".join(f"    {line}\n" for text in ["log = []", *lines, *told] for line in text.split("\n"))
    return f"def f(np, x):\n{body}    return [{', '.join(names)}], log\n"


def check(text: str, make: Callable[[], Any]) -> str:
    """``"same"``, ``"raises"`` where eager NumPy raises, or the code of a refusal. Raises ``AssertionError``."""
    function = function_of(text)
    with quiet():
        theirs, mine, example = make(), make(), make()
        try:
            want, told = function(np, theirs)
        except Exception:
            return "raises"
        before = example.tobytes()
        try:
            module = export(lambda x: function(np, x), (example,)).module()
        except Unsupported as refusal:
            assert re.search(REFUSED.get(refusal.code, "^never$"), refusal.message), f"{refusal}\n{text}"
            return refusal.code
        assert example.tobytes() == before, "export wrote to its example"
        got, said = module(mine)
    assert said == told, f"{said}, not {told}\n{text}"
    wanted, found = [*want, theirs], [*got, mine]
    for place, (expected, have) in enumerate(zip(wanted, found, strict=True)):
        problem = difference(expected, have)
        assert problem is None, f"result {place}: {problem}\n{text}"
        for other, (second, theirs_too) in enumerate(zip(wanted[:place], found, strict=False)):
            if isinstance(expected, np.ndarray) and isinstance(second, np.ndarray):
                assert (expected is second) == (have is theirs_too), f"results {place} and {other} are one object, or are not\n{text}"
                assert np.shares_memory(expected, second) == np.shares_memory(have, theirs_too), (
                    f"results {place} and {other} share\n{text}"
                )
    return "same"


def difference(expected: Any, have: Any) -> str | None:
    """What is not the same in two results."""
    if type(expected) is not type(have) or not isinstance(expected, (np.ndarray, np.generic)):
        return None if type(expected) is type(have) and expected == have else f"{have!r}, not {expected!r}"
    if (expected.dtype, expected.shape) != (have.dtype, have.shape):
        return f"{have.dtype}{have.shape}, not {expected.dtype}{expected.shape}"
    if isinstance(expected, np.ndarray) and expected.flags.writeable != have.flags.writeable:
        return f"writeable: {have.flags.writeable}"
    if isinstance(expected, np.ndarray) and _strides(expected) != _strides(have):
        return f"strides {have.strides}, not {expected.strides}"
    close = (
        np.allclose(have, expected, rtol=1e-6, atol=0, equal_nan=True) if expected.dtype.kind in "fc" else np.array_equal(have, expected)
    )
    return None if close else f"{have}, not {expected}"


def _strides(array: Any) -> Any:
    return [stride for stride, size in zip(array.strides, array.shape, strict=True) if size > 1] if array.size else []


def made(name: str, order: str) -> Callable[[], Any]:
    """Makes an input that owns its memory."""
    return lambda: np.array(INPUTS[name](), order=order)  # type: ignore[call-overload]


def run(seed: int) -> str:
    """One chain of views and writes, drawn at random."""
    rng = random.Random(seed)
    text = chain(rng)
    return check(text, made(rng.choice(list(INPUTS)), rng.choice(ORDERS)))


if __name__ == "__main__":
    main(run)
