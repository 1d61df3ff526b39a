# ruff: noqa: E501 -- tables of statements
"""Random programs over arrays, grown statement by statement on examples: the generator behind ``fuzz/arrays.py``.

A program is the source of ``f(np, s, x0, ...)``: ``s`` is an object with arrays in its attributes, ``x0, ...`` are inputs, some of them
views of others. The tables below hold the statements. A row is a condition on the array that the statement is about, and its text:
``{a}`` the array, ``{b}`` an operand that broadcasts to it, ``{o}`` any other array, ``{i}`` a basic index of it, ``{j}`` an advanced
one, ``{p}`` an operand that fits ``a[{i}]``, ``{q}`` one that fits ``a[{j}]``, ``{m}`` a mask of its shape, ``{x}`` an axis, ``{d}`` a dtype, ``{n}`` a small number.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.support.quiet import quiet

RECORD = "i4,f8"
DTYPES = (
    *("float64",) * 5, *("float32",) * 2, *("int64",) * 3, *("int32",) * 2, *("uint8", "bool") * 2, "int8", "uint16", "uint32", "uint64",
    "int16", "float16", *("complex128",) * 2, "complex64", "datetime64[s]", "timedelta64[s]", "U2", "S3", RECORD, ">i4",
)  # fmt: skip
SHAPES = (
    (), (1,), (3,), (4,), (4,), (6,), (2, 3), (3, 3), (3, 3), (1, 4), (4, 1), (3, 4), (4, 4), (2, 3, 2), (2, 2, 3), (3, 1, 2), (0, 3), (0,), (1, 1, 2), (2, 2, 2, 2),
)  # fmt: skip
LAYOUTS = ("C", "C", "C", "C", "F", "F", "strided", "reversed", "permuted", "columns")
OVERLAPS = (
    "{}[1:]",
    "{}[:-1]",
    "{}[::2]",
    "{}[::-1]",
    "{}",
    "{}",
    "{}[...]",
    "{}.T",
    "{}[:, 1:]",
    "{}[:, :-1]",
    "{}[1:-1, 1:-1]",
    "{}[0]",
    "{}[..., 0]",
    "{}[1]",
    "{}.reshape(-1)",
    "{}[None]",
)
MOST = 200  # elements of an array

Condition = Callable[[Any], bool]


def _any(a: Any) -> bool:
    return True


def _number(a: Any) -> bool:
    return a.dtype.kind in "biufc"


def _real(a: Any) -> bool:
    return a.dtype.kind in "biuf"


def _float(a: Any) -> bool:
    return a.dtype.kind in "fc"


def _complex(a: Any) -> bool:
    return a.dtype.kind == "c"


def _axes(least: int) -> Condition:
    return lambda a: a.ndim >= least


def _long(a: Any) -> bool:
    return a.ndim >= 1 and len(a) > 1


def _square(a: Any) -> bool:
    return a.ndim == 2 and a.shape[0] == a.shape[1] and a.dtype.kind in "fiu"


def _text(a: Any) -> bool:
    return a.dtype.kind in "SU"


def _record(a: Any) -> bool:
    return a.dtype.names is not None


def _wide(a: Any) -> bool:
    return a.dtype.kind in "iufc" and a.dtype.itemsize == 8


VIEWS: tuple[tuple[Condition, str], ...] = (
    *((_any, "{a}[{i}]"),) * 8,
    *((_any, text) for text in (
        "{a}.T", "{a}.ravel()", "{a}.reshape(-1)", "{a}.real", "np.squeeze({a})", "np.atleast_1d({a})", "np.atleast_2d({a})", "np.atleast_3d({a})", "{a}[None]", "np.asarray({a})",
        "np.flip({a})", "{a}.view()", "np.expand_dims({a}, 0)", "np.expand_dims({a}, -1)", "{a}.ravel('F')", "{a}.ravel('K')", "{a}.ravel('A')", "{a}.reshape({r})", "{a}.reshape({r})", "{a}.reshape({r}, order='F')",
        "{a}.reshape({r}, order='A')", "np.ascontiguousarray({a})", "np.asfortranarray({a})", "{a}.astype({a}.dtype, copy=False)", "np.broadcast_to({a}, (2, *{a}.shape))", "np.require({a}, None, ['C', 'W'])", "np.require({a}, None, 'F')",
        "np.asarray({a}, order='F')", "np.asarray({a}, order='C')", "np.array({a}, copy=None)", "np.array({a}, copy=False)", "np.asanyarray({a})", "{a}[..., None]", "{a}.transpose()", "np.broadcast_arrays({a}, {b})[0]", "np.ravel({a})", "{a}.squeeze()",
        "np.asarray({a}, dtype=np.{d})", "np.nan_to_num({a}, copy=False)", "np.reshape({a}, {r})", "{a}.view({a}.dtype)", "np.array({a}, ndmin=3, copy=None)", "{a}.T.reshape(-1)", "{a}.view(np.ndarray)", "np.asarray([{a}])[0]", "{a}.base",
    )),
    *((_axes(2), text) for text in (
        "{a}.transpose({t})", "{a}.swapaxes(0, -1)", "np.moveaxis({a}, 0, -1)", "np.moveaxis({a}, -1, 0)", "np.diagonal({a})", "np.diagonal({a}, 1)", "{a}.diagonal(-1)", "np.rot90({a})", "np.rot90({a}, 2)", "{a}.mT", "np.fliplr({a})", "np.rollaxis({a}, 1)",
        "np.transpose({a}, {t})", "np.hsplit({a}, [1])[1]", "np.diag({a})" , "{a}[:, ::-1]", "np.flip({a}, 1)", "np.flipud({a})", "np.einsum('ij...->ji...', {a})", "np.permute_dims({a}, {t})", "np.matrix_transpose({a})",
    )),
    *((_long, text) for text in (
        "np.array_split({a}, 2)[1]", "np.split({a}, [1])[0]", "list({a})[0]", "next(iter({a}))", "[*{a}][-1]", "np.lib.stride_tricks.sliding_window_view({a}, 2, axis=0)", "np.lib.stride_tricks.sliding_window_view({a}, 2, axis=0)[..., 0]", "np.vsplit({a}, [1])[1]", "np.unstack({a})[1]", "{a}[1:][:-1]",
    )),
    (_square, "np.einsum('...ii->...i', {a})"),
    *((_complex, text) for text in ("{a}.imag", "{a}.real", "np.real({a})", "np.imag({a})", "{a}.conj()", "{a}.T.imag")),
    *((_wide, text) for text in ("{a}.view(np.int64)", "{a}.view('u8')", "{a}.view(np.int32)", "{a}.view(np.int32)[..., ::2]", "{a}.view('f4')", "{a}.view(np.complex128)", "{a}.view('i4,i4')", "{a}.view('i4,i4')['f1']")),
    *((_record, text) for text in ("{a}['f0']", "{a}['f1']", "{a}[['f1', 'f0']]", "{a}[['f0']]", "{a}.view(np.uint8)", "{a}['f1'][{i}]")),
    (_number, "np.imag({a})"), (_number, "{a}.imag"), (_number, "{a}.astype(np.{d}, copy=False)"), (_text, "{a}.view(np.uint8)"),
)  # fmt: skip

COMPUTATIONS: tuple[tuple[Condition, str], ...] = (
    *((_number, "{a} " + sign + " {b}") for sign in ("+", "-", "*", "+", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "@")),
    *((_any, "{a} " + sign + " {b}") for sign in ("==", "!=", "+")), *((_number, "{a} " + sign + " {b}") for sign in ("<", ">=")),
    *((_number, "{b} " + sign + " {a}") for sign in ("+", "-", "*", "/", "//", "%", "**", "<", "&")),
    *((_number, f"np.{name}({{a}})") for name in "abs sqrt square negative sign floor isfinite conj exp cbrt rint trunc invert logical_not positive signbit".split()),
    *((_number, f"np.{name}({{a}}, {{b}})") for name in "maximum minimum add subtract logical_and copysign hypot fmod power left_shift arctan2 true_divide gcd".split()),
    *((_number, f"{{a}}.{name}({{x}})") for name in "sum max min mean prod all any argmax cumsum std var argsort".split()),
    *((_number, f"np.{name}({{a}}, axis={{x}}, keepdims=True)") for name in "sum max mean any count_nonzero ptp".split()),
    *((_any, text) for text in (
        "np.where({m}, {a}, {b})", "{a}.copy()", "{a}.copy('F')", "{a}.copy('K')", "{a}.astype(np.{d})", "{a}.astype(np.{d}, order='F')", "np.concatenate([{a}, {o}], axis={x})", "np.concatenate([{a}, {a}])", "np.sort({a}, axis=-1)", "np.zeros_like({a})", "np.empty_like({a}).fill(0)",
        "np.stack([{a}, {b}])", "{a}[{j}]", "{a}[{j}]", "{a}[{m}].size", "np.take({a}, 0, axis={x})", "{a}[(0,) * {a}.ndim]", "np.roll({a}, 1)", "np.repeat({a}, 2)", "np.array([{a}, {a}])", "np.tile({a}, 2)", "{a}.flatten()", "{a}.flatten('F')", "{a}.flatten('K')", "np.copy({a})", "np.array({a})", "np.copy({a}, order='C')",
        "np.array({a}, order='F')", "np.full_like({a}, 3)", "np.array([*{a}])", "np.ones_like({a}, order='K')", "{a}.ndim", "np.hstack([{a}, {a}])", "np.append({a}, {b})", "np.delete({a}, 0, axis=0)", "np.insert({a}, 1, {a}.flat[0])", "np.resize({a}, (3, 2))", "{a}.take([0, 0])", "np.choose([0, 0], [{a}, {a}])",
        "{a}.flat[1:3]", "{a}.flat[[0]]", "len({a})", "{a}[()]", "np.select([{m}], [{a}], 0)", "{a}.repeat(2)", "np.unique({a})", "np.pad({a}, 1)", "np.extract({m}, {a})", "{a}.astype(bool)", "np.take_along_axis({a}, np.zeros_like({a}, dtype=int), 0)", "{a}.nbytes", "{a}.byteswap()",
    )),
    *((_number, text) for text in (
        "np.cumsum({a}, axis={x})", "np.clip({a}, 1, 2)", "np.add.reduce({a})", "np.multiply.accumulate({a})", "{a} ** 2", "{a} ** -1", "{a} ** 0.5", "np.multiply.outer({a}, {b})", "-{a}", "+{a}", "~{a}", "abs({a})", "np.divmod({a}, {b})[1]", "np.diff({a})", "np.add.reduceat({a}, [0, 1])", "np.maximum.reduce({a}, axis={x})",
        "np.cumsum({a}, axis={x}, dtype=np.{d})", "np.sum({a}, dtype=np.{d})", "np.add({a}, {b}, dtype=np.{d})", "np.dot({a}, {o})", "np.tensordot({a}, {a}, 0)", "np.outer({a}, {a})", "np.einsum('...i->...', {a})", "np.trace({a})", "np.triu({a})", "np.round({a}, 1)", "{a}.round()", "np.modf({a})[0]", "np.nonzero({a})[0].size",
        "np.searchsorted(np.sort({a}.ravel()), {n})", "np.bincount({a}.ravel().astype(np.uint8))", "np.histogram({a}, 3, (0, 4))[0]", "np.interp({a}, [0, 1, 2], [1, 3, 2])", "np.convolve({a}, [1, 2])", "np.where({a} > 1)[0].size", "np.isclose({a}, {b})", "np.linalg.norm({a})", "np.gradient({a})", "np.cross({a}, {a})", "np.average({a})", "np.median({a})",
        "np.linspace(0, 1, 3) * {a}.sum()", "sum({a})", "max({a}.shape, default=0)", "{a}.dot({a}.T)", "np.vdot({a}, {a})", "np.kron({a}, {a})", "np.add({a}, {b}, where={m}, out=np.zeros_like({a}))", "np.power({a}, {n})", "divmod({a}, 2)[0]", "np.mod({a}, 3)", "np.float32(2) * {a}", "np.frexp({a})[1]", "np.ldexp({a}, 2)",
    )),
    *((_complex, text) for text in ("np.angle({a})", "{a}.real + {a}.imag", "np.conjugate({a})")),
    *((_text, text) for text in ("np.char.upper({a})", "np.strings.add({a}, {a})", "np.char.str_len({a})", "{a} == 'a'")),
    *((_square, text) for text in ("{a} @ {a}", "np.linalg.det({a} + np.eye(len({a})) * 9)", "np.linalg.inv({a} + np.eye(len({a})) * 20)", "np.linalg.solve({a} + np.eye(len({a})) * 20, {a})")),
)  # fmt: skip

CREATIONS = (
    "np.zeros({s}, np.{d})", "np.ones({s})", "np.arange({n})", "np.full({s}, 2.5)", "np.zeros({s}, order='F')", "np.eye(3)", "np.array([[1, 2, 3], [4, 5, 6]])", "np.arange(12.0).reshape(3, 4)", "np.zeros({s}, 'i4,f8')",
    "np.array(['a', 'b', 'a'])", "np.array([1 + 2j, 3])", "np.arange(6).reshape(2, 3).T", "np.ones({s}, np.{d}, order='F')", "np.identity(2)", "np.array(2.0)", "np.indices((2, 2))", "np.tri(3)", "np.linspace(0, 1, 4)", "np.arange(3)[:, None]", "np.array([True, False, True])",
)  # fmt: skip

WRITES: tuple[tuple[Condition, str], ...] = (
    *((_any, "{a}[{i}] = {p}"),) * 8,
    *((_any, "{a}[{j}] = {q}"),) * 5,
    *((_number, "{a}[{i}] " + sign + " {p}") for sign in ("+=", "-=", "*=", "+=", "*=", "//=", "/=", "|=", "**=", "%=", "<<=", "&=", "^=")),
    *((_number, "{a}[{j}] " + sign + " {q}") for sign in ("+=", "*=", "-=", "//=")),
    *((_number, "{a} " + sign + " {b}") for sign in ("+=", "-=", "*=", "+=", "*=", "//=", "/=", "|=", "**=", "%=", ">>=", "&=", "@=")),
    *((_number, f"np.{name}({{a}}, {{b}}, out={{a}})") for name in "add multiply maximum subtract divide power logical_and".split()),
    *((_number, f"np.{name}({{a}}, {{b}}, out={{o}})") for name in "add multiply minimum less floor_divide".split()),
    *((_number, f"np.{name}({{a}}, {{b}}, out={{a}}, where={{m}})") for name in "add multiply maximum".split()),
    *((_number, f"np.{name}({{a}}, out={{a}})") for name in "negative square abs sqrt invert sign".split()),
    *((_number, f"np.{name}.at({{a}}, np.s_[{{j}}], {{q}})") for name in "add multiply subtract maximum".split()),
    *((_any, text) for text in (
        "{a}[{m}] = {n}", "{a}[{a} > {n}] = {n}", "{a}.fill({n})", "{a}.sort()", "{a}.sort(axis=0)", "np.copyto({a}, {b})", "np.copyto({a}, {b}, where={m})", "np.copyto({a}, {b}, casting='unsafe')", "np.put({a}, [0, 0], {n})", "np.put({a}, [-1, 9], [1, 2], mode='wrap')", "np.put({a}, [-1, 9], [1, 2], mode='clip')", "{a}.flat[::2] = {n}",
        "{a}.flat[0] = {n}", "{a}.flat = {b}", "{a}.flat[[1, 0]] = [1, 2]", "{a}.T.flat[1] = {n}", "np.fill_diagonal({a}, {n})", "np.fill_diagonal({a}, [1, 2], wrap=True)", "np.putmask({a}, {m}, [1, 2])", "np.place({a}, {m}, [6, 5])", "{a}[...] = {a}[::-1]", "{a}[:-1] = {a}[1:]", "{a}[1:] = {a}[:-1]", "{a}[:, 1:] = {a}[:, :-1]", "{a}[::-1] = {a}",
        "{a}.T[...] = {b}", "{a}[...] = {a}.T", "{a}.put([0, 0], {n})", "{a}.partition(1)", "{a}[[0, 0, 1]] = {a}[[1, 0, 0]]", "np.concatenate([{a}, {a}], out={o})", "np.stack([{a}, {a}], out={o})", "{a}[{a}.argmax()] = {n}", "np.put_along_axis({a}, np.zeros_like({a}, dtype=int)[:1], {n}, 0)",
        "{a}.setflags(write=False)", "{a}.flags.writeable = False", "{a}.setflags(write=True)", "{a} = {a}[{i}]", "{a} = {a} + 1", "{a}.shape = {r}", "{a}.shape = (-1,)", "{a}.byteswap(inplace=True)", "{a}[1], {a}[0] = {a}[0], {a}[1]", "{a}[0], {a}[1] = {a}[1].copy(), {a}[0].copy()", "np.random.default_rng(0).shuffle({a})",
        "np.copyto({a}, {n})", "np.copyto({o}, {a}, casting='same_kind')", "{a}[{i}][...] = {n}", "{a}.view()[...] = {b}", "{a}.T[0] = {n}", "{a}.reshape(-1)[0] = {n}", "{a}.ravel()[-1] = {n}", "{a}.ravel('K')[0] = {n}", "np.diagonal({a})[...] = 1", "np.broadcast_to({a}, (2, *{a}.shape))[...] = 1",
    )),
    *((_number, text) for text in (
        "{a}[{m}] += 1", "np.sum({a}, axis=0, out={o})", "np.cumsum({a}, axis=0, out={a})", "{a}[1:] += {a}[:-1]", "{a}[:-1] *= {a}[1:]", "{a}[:, 1:] -= {a}[:, :-1]", "{a} += {a}.T", "{a} += {a}[::-1]", "{a} *= {a}.sum()", "np.clip({a}, 1, 3, out={a})", "np.dot({a}, {a}, out={a})", "np.matmul({a}, {a}, out={o})", "{a}.clip(1, 2, out={a})",
        "np.add.reduce({a}, axis=0, out={o})", "np.multiply.accumulate({a}, out={a})", "np.add.at({a}, [0, 0], 1)", "np.negative.at({a}, [0, -1])", "np.add({a}, 1, out={a}, casting='unsafe')", "np.divide({a}, 2, out={a}, casting='unsafe')", "np.add({a}[1:], {a}[:-1], out={a}[1:])", "np.divmod({a}, 2, out=({a}, {o}))", "np.modf({a}, out=({o}, {a}))", "{a} **= {a}", "{a} **= 2",
        "{a}.sum(axis=0, out={o})", "{a}.mean(axis=-1, out={o})", "np.maximum.at({a}, ([0, 0], [1, 1]), 3)", "{a} -= {a}.mean()", "{a} /= {a}.max()", "np.nan_to_num({a}, copy=False)", "np.subtract.outer({a}, {a}, out={o})", "{a}.imag = {b}", "{a}.real = {b}", "{a}.real += 1", "{a}[{i}].real = 2", "{a}.cumsum(axis=0, out={a})", "np.add.reduceat({a}, [0, 1], out={o})", "np.multiply({a}, {b}, {o})",
    )),
    (_square, "np.einsum('ii->i', {a})[...] = {n}"), (_float, "{a} **= -1"), (_long, "np.take({a}, [0, 0], axis=0, out={o})"),
    *((_complex, text) for text in ("{a}.imag = {b}", "{a}.imag += 1", "{a}.real[...] = {b}", "{a}[{i}].imag = {p}", "{a}.imag[{i}] = {n}")),
    *((_record, text) for text in ("{a}['f0'] = {n}", "{a}['f1'] += 1", "{a}['f1'][{i}] = {n}", "{a}[0] = (1, 2.0)", "{a}[{i}]['f0'] = 3", "{a}[['f0', 'f1']] = {a}[['f0', 'f1']]")),
    *((_wide, text) for text in ("{a}.view(np.int64)[...] = 3", "{a}.view(np.int32)[..., 0] = 1", "{a}.dtype = np.int64", "{a}.view('i4,i4')['f0'] = 1")),
)  # fmt: skip

LOOPS: tuple[tuple[Condition, str], ...] = tuple((lambda a, least=least: a.ndim >= least and _number(a), text) for least, text in (
    (1, "for i in range(len({a})): {a}[i] = {a}[i] + {n}"), (1, "for i in range(1, len({a})): {a}[i] += {a}[i - 1]"), (1, "for row in {a}: row *= 2"), (0, "for row in {a}.reshape(-1, 1): row[...] = row + 1"),
    (1, "for i, row in enumerate({a}): row[...] = i"), (1, "for i in range(len({a})): {a}[i:] -= {n}"), (1, "for row, other in zip({a}, {a}[::-1]): row += other"), (0, "for i in np.ndindex({a}.shape): {a}[i] += sum(i)"), (0, "for i, value in np.ndenumerate({a}): {a}[i] = value + sum(i)"),
    (0, "for value in np.nditer({a}, op_flags=['readwrite']): value[...] = value * 2"), (0, "for value in np.nditer({a}): log.append(value.shape)"), (0, "for i, value in enumerate({a}.flat): {a}.flat[i] = value + 1"), (2, "for i in range({a}.shape[1]): {a}[:, i] += i"),
    (0, "with np.nditer({a}, flags=['multi_index'], op_flags=['readwrite']) as it:\n    for value in it: value[...] = value + sum(it.multi_index)"), (1, "k = 0\nwhile k < len({a}) - 1: {a}[k], k = {a}[k + 1] * 2, k + 1"), (1, "for k in range(3): {a}[k % len({a})] += k"),
    (1, "rows = [{a}[i] for i in range(len({a}))]\nfor row in reversed(rows): row += {n}"), (2, "for i in range({a}.shape[0]):\n    for j in range(i): {a}[i, j] = {a}[j, i]"), (1, "first, *rest = {a}\nfirst += 1\nlog.append(len(rest))"), (1, "{a}[1:-1] = ({a}[:-2] + {a}[2:]) / 2"), (0, "for x, y in np.nditer([{a}, {a}]): log.append(x.dtype.name)"),
    (0, "it = np.nditer({a}, flags=['c_index'])\nfor value in it: log.append(it.index)"), (0, "it = np.nditer([{a}, None])\nfor value, out in it: out[...] = value * 2\nlog.append(it.operands[1].shape)"),
))  # fmt: skip

BRANCHES = (
    "if {a}.ndim > 1: {a}[0] = {n}\nelse: {a}[...] = 2", "if {a}.shape == {o}.shape: {a} += {o}", "if {a}.dtype.kind == 'f': {a} += 1", "if {a}.size > 3: {a}.flat[2] = {n}", "if {a}.flags.writeable: {a}[...] = {n}", "log.append({a}.flags.c_contiguous)", "log.append({a}.flags.f_contiguous)", "log.append({a}.strides)",
    "log.append(np.shares_memory({a}, {o}))", "log.append(np.may_share_memory({a}, {a}[1:]))", "log.append({a}.base is {o})", "log.append({a}.base is None)", "log.append({a} is {o})", "log.append({a}.flags.owndata)", "log.append(({a}.shape, {a}.dtype.name, {a}.nbytes, {a}.itemsize))", "log.append({a}.flags.writeable)", "log.append({a}.flags['C'])",
    "log.append({a}.flags.contiguous)", "log.append({a}.flags.forc)", "log.append(type({a}).__name__)", "h = type('H', (), {{}})()\nh.a = {a}\nh.a += 1\nh.b = h.a[{i}]\nh.b[...] = {n}", "d = {{'k': {a}, 'l': [{o}]}}\nd['k'] *= 2\nd['l'][0] = d['k']\nd['l'][0] += 1", "a, b = {a}, {o}\na[...], b = b, a",
    "g = lambda z: z.__setitem__({e}, {n})\ng({a})", "log.append(np.isfortran({a}))", "log.append({a}.flags.behaved)", "log.append(np.shares_memory({a}, {a}.copy()))", "log.append(np.array_equal({a}.shape, {o}.shape))",
)  # fmt: skip

STATE = (
    "s.a += {n}", "s.a[1:] = s.a[:-1]", "s.b = s.b * 0.5 + 1", "s.c[0] = s.a", "s.d['w'][...] = {n}", "s.l[0] *= 2", "s.v[0] += 1", "y = s.c.T; y += 1", "np.add(s.a, 1, out=s.b)", "s.c[:, 1] = {n}", "s.o.t += 1", "s.p[...] = {n}", "s.p += s.a[:2]", "s.a[...] = s.v", "{a}[...] = s.a", "s.b[...] = {b}", "s.c = s.c[::-1].copy()", "s.o.t = s.o.t * 2",
)  # fmt: skip


class Inner:
    """A part of the state."""


class State:
    """The exported object: arrays in attributes, lists, dicts and other objects; ``p`` is a view of ``a``, ``v`` may be ``a`` itself."""

    def __init__(self, tied: bool) -> None:
        self.a, self.b, self.c = np.arange(4.0), np.ones(4), np.arange(12.0).reshape(3, 4)
        self.d = {"w": np.ones(4)}
        self.l = [np.ones(4), np.zeros(4)]
        self.v = self.a if tied else np.arange(4.0)
        self.p = self.a[1:3]
        self.o = Inner()
        self.o.t = np.ones(4)


def arrays_of(state: State) -> list[Any]:
    """All arrays of the state, in order."""
    return [state.a, state.b, state.c, state.d["w"], *state.l, state.v, state.p, state.o.t]  # type: ignore[attr-defined]


def make_array(rng: random.Random, shape: tuple[int, ...], dtype: str, layout: str) -> np.ndarray[Any, Any]:
    """An array of these features whose data differ from call to call."""
    numbers = np.random.default_rng(rng.randrange(1 << 30))
    data: Any = numbers.integers(0, 5, shape)
    if dtype.startswith(("float", "complex")):
        data = data + numbers.integers(0, 4, shape) / 4
    if dtype.startswith("complex"):
        data = data + 1j * numbers.integers(0, 3, shape)
    if dtype == RECORD:
        array = np.zeros(shape, RECORD)
        array["f0"], array["f1"] = data, data / 2
        return lay_out(array, layout)
    return lay_out(np.asarray(data).astype(dtype), layout)


def lay_out(array: np.ndarray[Any, Any], layout: str) -> np.ndarray[Any, Any]:
    """The same elements in memory of this kind."""
    if array.ndim == 0:
        return array
    if layout == "F":
        return np.asfortranarray(array)
    if layout == "strided":
        wide = np.zeros((*array.shape[:-1], array.shape[-1] * 2), array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]
    if layout == "reversed":
        return np.ascontiguousarray(array[::-1])[::-1]
    if layout == "permuted":
        return (
            np.ascontiguousarray(np.moveaxis(array, 0, -1)).transpose(-1, *range(array.ndim - 1))
            if array.ndim > 2
            else np.asfortranarray(array)
        )
    if layout == "columns":
        wide = np.zeros((array.shape[0] + 2, *array.shape[1:]), array.dtype, order="F")
        wide[1:-1] = array
        return wide[1:-1]
    return np.ascontiguousarray(array)


class Program:
    """Grows a program on example arrays, so that every statement is known to run, or to raise.

    ``inputs``: shape, dtype and layout of each input, or the text of the view of another input that it is.
    """

    def __init__(self, rng: random.Random, *, overlaps: bool = True, stateful: bool = True, avoid: tuple[str, ...] = ()) -> None:
        self.rng = rng
        self.avoid = avoid
        self.inputs: list[Any] = [(rng.choice(SHAPES), rng.choice(DTYPES), rng.choice(LAYOUTS)) for _ in range(rng.randint(1, 3))]
        self.tied = rng.random() < 0.2
        self.stateful = stateful and rng.random() < 0.3
        if overlaps and rng.random() < 0.2:
            self._overlap()
        self.lines: list[str] = []
        self.scope: dict[str, Any] = {"np": np, "log": [], "s": State(self.tied)}
        self.count = 0
        for i, array in enumerate(self.make()):
            self.scope[f"x{i}"] = array

    def _overlap(self) -> None:
        source = self.rng.randrange(len(self.inputs))
        for _ in range(self.rng.choice((1, 1, 2))):
            text = self.rng.choice(OVERLAPS).format(f"x[{source}]")
            try:
                view = eval(text, {"x": self.make()})
            except (IndexError, ValueError):
                continue
            if isinstance(view, np.ndarray):
                self.inputs.append(text)

    def make(self, layouts: list[str] | None = None) -> list[Any]:
        """Fresh inputs, in these layouts (those of the example where there are none)."""
        arrays: list[Any] = []
        for i, spec in enumerate(self.inputs):
            if isinstance(spec, str):
                arrays.append(eval(spec, {"x": arrays}))
            else:
                arrays.append(make_array(self.rng, spec[0], spec[1], spec[2] if layouts is None else layouts[i]))
        return arrays

    def build(self, length: int, everything: bool = False) -> str:
        """The source of ``def f(np, s, x0, ...)``; what it returns is ``everything``, or some of it."""
        with quiet():
            for _ in range(length * 4):
                if len(self.lines) >= length:
                    break
                self._grow()
        names = self.names()
        if not everything and self.rng.random() < 0.5:
            names = [name for name in names if self.rng.random() < 0.6]
        body = "\n".join(f"    {line}" for text in self.lines for line in text.split("\n"))
        arguments = ", ".join(f"x{i}" for i in range(len(self.inputs)))
        return f"def f(np, s, {arguments}):\n    log = []\n{body}\n    return [{', '.join(names)}], log\n"

    def _grow(self) -> None:
        kind = self.rng.random()
        line = self.statement(kind)
        if line is None or any(word in line for word in self.avoid):
            return
        try:
            exec(line, self.scope)
        except (SyntaxError, SystemError):  # no program, or text that is none
            return
        except Exception:
            if self.rng.random() < 0.9:
                return
            body = line.replace("\n", "\n    ")
            line = f"try:\n    {body}\nexcept Exception as error:\n    log.append(f'{{type(error).__name__}}: {{error}}')"
        unwanted = [
            name for name, value in self.scope.items() if name[0] == "v" and (getattr(value, "size", 0) > MOST or has_objects(value))
        ]
        if unwanted:
            self.scope = {name: value for name, value in self.scope.items() if name not in unwanted}
            return
        self.lines.append(line)

    def statement(self, kind: float) -> str | None:
        """A statement of a table."""
        rng = self.rng
        if kind < 0.07:
            self.count += 1
            return f"v{self.count} = " + self.filled(rng.choice(CREATIONS), None)
        if self.stateful and kind < 0.2 and self.arrays():
            return self.filled(rng.choice(STATE), rng.choice(self.arrays()))
        table = VIEWS if kind < 0.35 else COMPUTATIONS if kind < 0.55 else WRITES if kind < 0.87 else LOOPS if kind < 0.93 else None
        arrays = self.arrays()
        if not arrays:
            return None
        name = rng.choice(arrays)
        if table is None:
            return self.filled(rng.choice(BRANCHES), name)
        for _ in range(5):
            fits, text = rng.choice(table)
            if fits(self.scope[name]):
                if table is VIEWS or table is COMPUTATIONS:
                    self.count += 1
                    text = f"v{self.count} = {text}"
                return self.filled(text, name)
        return None

    # Choices

    def names(self) -> list[str]:
        return [
            n
            for n, v in self.scope.items()
            if n[0] in "vx" and n[1:].isdigit() and isinstance(v, (np.ndarray, np.generic)) and not v.dtype.hasobject
        ]

    def arrays(self) -> list[str]:
        return [name for name in self.names() if isinstance(self.scope[name], np.ndarray)]

    def filled(self, text: str, name: str | None) -> str:
        """The text with its places filled in."""
        rng = self.rng
        values: dict[str, Any] = {
            "n": rng.choice(("0", "1", "2", "3", "7", "1.5", "-1", "True")),
            "d": rng.choice(DTYPES[:20]),
            "s": rng.choice(SHAPES),
        }
        if name is not None:
            array = self.scope[name]
            index, places = self.basic(array.shape), self.advanced(array.shape)
            values |= {
                "a": name,
                "b": self.operand(array.shape),
                "o": rng.choice(self.arrays()),
                "i": index,
                "j": places,
                "r": self.reshaped(array.size),
            }
            values |= {"p": self.part(array, index), "q": self.part(array, places), "x": rng.choice(("None", "0", "-1", "1"))}
            values |= {"t": tuple(rng.sample(range(array.ndim), array.ndim)), "m": self.mask(name, array), "e": f"np.s_[{index}]"}
        return text.format(**values)

    def part(self, array: Any, index: str) -> str:
        try:
            shape = array[eval(f"np.s_[{index}]", {"np": np, **self.scope})].shape
        except (IndexError, AttributeError, SystemError):
            shape = ()
        return self.operand(shape)

    def mask(self, name: str, array: Any) -> str:
        if array.dtype.kind in "biuf" and self.rng.random() < 0.7:
            return f"{name} > 1"
        return self.rng.choice(("True", f"np.arange({array.size}).reshape({array.shape}) % 2 == 0"))

    def basic(self, shape: tuple[int, ...]) -> str:
        items: list[str] = []
        for size in shape[: self.rng.randint(0, len(shape))]:
            kind = self.rng.random()
            if kind < 0.3 and size:
                items.append(str(self.rng.randrange(-size, size)))
            elif kind < 0.9:
                parts = [self.rng.choice(("", str(self.rng.randint(-3, 4)))) for _ in range(2)]
                items.append(f"{parts[0]}:{parts[1]}:{self.rng.choice(('', '', '2', '-1', '-2'))}")
            else:
                items.append("..." if "..." not in items else ":")
        if self.rng.random() < 0.15:
            items.insert(self.rng.randint(0, len(items)), "None")
        return ", ".join(items) or "..."

    def advanced(self, shape: tuple[int, ...]) -> str:
        if not shape or 0 in shape:
            return "..."
        rng, size = self.rng, shape[0]
        places = [rng.randrange(-size, size) for _ in range(rng.randint(1, 4))]
        options = [
            str(places),
            f"np.array({places}).reshape(1, -1)",
            f"np.arange({size}) % 2 == 0",
            f"[{rng.choice((True, False))}] * {size}",
        ]
        if len(shape) > 1:
            columns = [rng.randrange(shape[1]) for _ in places]
            options += [
                f"{places}, {columns}",
                f":, {columns[:2]}",
                f"np.ix_({places}, {columns[:2]})" if len(shape) == 2 else f"..., {[0]}",
                f"{places}, ::2",
                f"1:, {columns}",
                f"{places}, None, 0",
                f"0, {columns}",
                f"{places}, {columns[0]}",
            ]
        return rng.choice(options)

    def operand(self, shape: tuple[int, ...]) -> str:
        """Something that broadcasts with the shape, often."""
        rng = self.rng
        if rng.random() < 0.4:
            return rng.choice(
                (
                    "1",
                    "2",
                    "-1",
                    "0.5",
                    "3",
                    "True",
                    "np.float32(2)",
                    "np.int64(3)",
                    "np.uint8(200)",
                    "np.float64(1.5)",
                    "2",
                    "2j",
                    "[1]",
                    "300",
                    "np.bool_(True)",
                    "np.float16(1)",
                )
            )
        names = [name for name in self.names() if fits(self.scope[name].shape, shape)]
        return rng.choice(names) if names else "1"

    def reshaped(self, size: int) -> Any:
        divisors = [d for d in range(1, size + 1) if size % d == 0] or [0]
        first = self.rng.choice(divisors)
        return self.rng.choice(((first, -1), (-1, first), (-1, 1), (1, first, -1), (-1,))) if first else (0, 3)


def has_objects(value: Any) -> bool:
    """Whether it is an array of Python objects."""
    return isinstance(value, np.ndarray) and value.dtype.hasobject


def fits(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether the shape broadcasts to the target."""
    try:
        return np.broadcast_shapes(shape, target) == target
    except ValueError:
        return False
