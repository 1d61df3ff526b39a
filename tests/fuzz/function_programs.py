# ruff: noqa: E501 -- tables of expressions
"""Random programs over most of NumPy's functions: the generator behind ``fuzz/functions.py``.

A program grows statement by statement; what raises for the example is mostly left out. In the tables ``{a}`` is any value, ``{n}`` one that is
written, ``{m}`` a new name, ``{c}`` a number or scalar, ``{x}`` an axis.
"""

from __future__ import annotations

import random
from collections import namedtuple
from typing import Any

import numpy as np

from tests.support.functions import function_of
from tests.support.quiet import quiet

Pair = namedtuple("Pair", "first second")
NAMES = "x y v w k i u b s t z r".split()

EXPRESSIONS = (
    '{a} + {a}', '{a} - {a}', '{a} * {c}', '{a} / {c}', '{a} // {c}', '{a} % {c}', '{a} ** 2', '-{a}', '{a} > {c}', '{a} == {a}', '{a} & {a}', '{a} | {c}', '~{a}', '{a} << 1', '{a}.T', '{a}[::-1]', '{a}[1:]', '{a}[:-1]',
    '{a}[..., 0]', '{a}[0]', '{a}[-1]', '{a}[:, None]', '{a}[None]', '{a}[:0]', '{a}[..., ::2]', '{a}[{a}]', '{a}[{a} > 0]', '{a}[np.argsort({a})]', '{a}.reshape(-1)', '{a}.reshape(len({a}), -1)', "{a}.ravel('F')",
    '{a}.sum(axis={x})', '{a}.sum(axis={x}, keepdims=True)', 'np.sum({a}, axis=(0, 1), keepdims=True)', 'np.sum({a}, initial=3, where={a} > 0)', 'np.max({a}, axis={x}, initial=-9, where={a} < 2)', '{a}.max(axis={x})',
    '{a}.min()', '{a}.mean(axis={x})', '{a}.var(axis={x}, ddof=1)', '{a}.std()', '{a}.prod(axis={x})', '{a}.cumsum(axis={x})', '{a}.argmax(axis={x})', '{a}.any(axis={x})', '{a}.all()', 'np.median({a}, axis={x})',
    'np.percentile({a}, [25, 50], axis={x})', "np.quantile({a}, 0.3, axis={x}, method='lower')", 'np.sort({a}, axis={x})', "np.argsort({a}, axis={x}, kind='stable')", 'np.unique({a})',
    'np.unique({a}, return_counts=True)[1]', 'np.unique({a}, return_inverse=True)[1]', 'np.unique({a}, axis=0)', 'np.searchsorted(np.sort({a}.ravel()), {a})', 'np.nonzero({a})[0]', 'np.argwhere({a})',
    'np.flatnonzero({a} > 1)', 'np.where({a} > 0, {a}, {a})', 'np.where({a}, 1, {a})', 'np.concatenate([{a}, {a}])', 'np.concatenate([{a}, {a}], axis=-1)', 'np.stack([{a}, {a}], axis={x})', 'np.vstack([{a}, {a}])',
    'np.hstack([{a}, {a}])', 'np.tile({a}, 2)', 'np.repeat({a}, 2, axis={x})', 'np.repeat({a}, {a} % 3)', 'np.roll({a}, 1, axis={x})', 'np.diff({a}, axis={x})', "np.pad({a}, 1, mode='edge')",
    'np.pad({a}, ((1, 0),) * {a}.ndim)', '{a} @ {a}', '{a} @ {a}.T', 'np.dot({a}, {a})', 'np.outer({a}, {a})', "np.einsum('ij,kj->ik', {a}, {a})", "np.einsum('ij,j->i', {a}, {a})", "np.einsum('...j->...', {a})",
    "np.einsum('i,i', {a}, {a})", 'np.inner({a}, {a})', 'np.tensordot({a}, {a}, axes=1)', 'np.kron({a}, {a})', 'np.cross({a}, {a})', 'np.add.reduce({a}, axis={x})', 'np.add.accumulate({a}, axis={x})',
    'np.multiply.outer({a}, {a})', 'np.add.reduceat({a}, [0, 1], axis={x})', 'np.maximum.reduce({a}, axis=None)', 'np.minimum.accumulate({a})', 'np.logical_or.reduce({a}, axis={x})',
    'np.subtract({a}, {a}, where={a} > 0, out={a}.copy())', "np.add({a}, 1, out={a}, casting='unsafe')", "np.multiply({a}, 2, dtype='f4')", 'np.divide({a}, {a}, out=np.zeros({a}.shape), where={a} != 0)',
    'np.floor_divide({a}, {c})', 'np.mod({a}, {c})', 'np.divmod({a}, {c})[1]', 'np.clip({a}, -1, 1)', 'np.clip({a}, {a}, None)', '{a}.clip(0)', 'np.abs({a})', 'np.sign({a})', 'np.sqrt({a})', 'np.exp({a})', 'np.floor({a})',
    'np.round({a}, 1)', 'np.maximum({a}, {c})', 'np.fmin({a}, {a})', 'np.hypot({a}, {a})', 'np.arctan2({a}, {a})', 'np.isnan({a})', 'np.isin({a}, [0, 1, 2])', 'np.isin({a}, {a})', "{a}.astype('i4')", "{a}.astype('u1')",
    "{a}.astype('f4')", "{a}.astype('?')", "{a}.astype('S3')", '{a}.astype(str)', "{a}.astype('i8').astype('i1')", "np.asarray({a}, dtype='f8')", 'np.int8(100) + {a}', '{a} + np.float32(0.1)', '{a} * np.float64(2)',
    '{a} * 1000', '{a} + 1.5', '{a} + 200', 'np.uint8(3) * {a}', '{a}.real', '{a}.imag', '{a}.conj()', 'np.angle({a})', "{a}['a']", "{a}['b']", "{a}[['a', 'b']]", 'np.strings.upper({a})', "np.strings.add({a}, 'x')",
    'np.char.str_len({a})', "np.strings.startswith({a}, 'b')", 'np.strings.strip({a})', "{a}.astype('M8[M]')", "{a} - np.datetime64('2020-02-01')", "{a} + np.timedelta64(1, 'D')", "{a}.astype('i8')",
    "np.busday_count({a}, np.datetime64('2020-06-01'))", 'np.linspace(0, 1, len({a}))', 'np.arange(len({a}))', 'np.arange({a}.shape[-1])[::-1]', 'np.zeros(len({a}))', "np.ones({a}.shape, dtype='i2')",
    'np.full({a}.shape, 3)', 'np.eye(len({a}))', 'np.tri({a}.shape[0])', 'np.tril({a})', 'np.triu({a}, 1)', 'np.diag({a})', 'np.diagonal({a})', 'np.trace({a})', 'np.meshgrid({a}, {a})[1]',
    'np.broadcast_to({a}, (2, *{a}.shape))', 'np.expand_dims({a}, {x})', 'np.squeeze({a})', 'np.swapaxes({a}, 0, -1)', 'np.moveaxis({a}, 0, -1)', 'np.flip({a}, {x})', 'np.rot90({a})', 'np.atleast_2d({a})',
    'np.take({a}, [0, 0, 1], axis={x})', 'np.take({a}, {a} % 2)', 'np.take_along_axis({a}, np.argsort({a}, axis={x}), axis={x})', 'np.compress({a} > 0, {a})', 'np.extract({a}, {a})', 'np.choose({a} % 2, [{a}, {a}])',
    'np.select([{a} > 1, {a} < 0], [{a}, -{a}], 7)', 'np.digitize({a}, [-1, 0, 1])', 'np.bincount({a})', 'np.bincount({a}, minlength=5)', 'np.histogram({a}, bins=3, range=(-3, 3))[0]',
    'np.interp({a}, [-1, 0, 1], [2, 0, 5])', "np.convolve({a}, [1, 2, 1], mode='same')", 'np.convolve({a}, {a})', 'np.correlate({a}, [1, 2])', 'np.gradient({a}, axis={x})', 'np.trapezoid({a}, axis={x})',
    'np.cumprod({a}, axis={x})', 'np.ediff1d({a})', 'np.nansum({a})', 'np.nanmax({a}, axis={x})', 'np.count_nonzero({a}, axis={x})', 'np.ptp({a}, axis={x})', 'np.average({a}, weights={a})', 'np.cov({a})',
    'np.corrcoef({a})', 'np.linalg.norm({a}, axis={x})', 'np.linalg.norm({a})', 'np.linalg.det({a} @ {a}.T)', 'np.insert({a}, 1, 7)', 'np.delete({a}, 0, axis={x})', 'np.append({a}, {a})', 'np.partition({a}, 1)',
    'np.lexsort(({a}, {a}))', 'np.intersect1d({a}, {a})', 'np.setdiff1d({a}, {a})', 'np.union1d({a}, {a})', 'np.packbits({a})', 'np.unpackbits({a})', 'np.ravel_multi_index(np.nonzero({a}), {a}.shape)',
    'np.unravel_index(np.argmax({a}), {a}.shape)[0]', 'np.array([{a}, {a}])', 'np.array([{a}[0], 2.0])', 'np.array([len({a}), {a}.size, {a}.ndim])', 'np.array({a}.shape) * {c}', 'np.float64({a}.sum()) / {a}.size',
    '{a}.sum() // len({a})', '{a}.sum() + 1', '{a}[0] + 100', '{a}.sum() > 0', "{a}.view('i8')", "{a}.view('u1')", "{a}.copy('F')", '{a}.swapaxes(0, 1).reshape(-1)', 'np.ascontiguousarray({a})',
    'np.lib.stride_tricks.sliding_window_view({a}, 2, axis={x}).sum(-1)', 'np.array_split({a}, 2)[1]', 'np.split({a}, [1])[0]', 'np.block([[{a}], [{a}]])', 'np.apply_along_axis(np.sum, 0, {a})',
    'np.vectorize(lambda q: q + 1)({a})', 'np.piecewise({a}, [{a} > 0], [lambda q: q * 2, -1])', 'np.frompyfunc(abs, 1, 1)({a})', 'np.fft.fft({a}).round(6)', 'np.polyval([1, 2, 3], {a})', 'np.nan_to_num({a} / {a})',
    'np.allclose({a}, {a})', 'np.array_equal({a}, {a})', 'float({a}.sum())', 'int({a}.max())', '{a}.item(0)', '{a}.tolist()', 'bool({a}.any())', '{a}.size', '{a}.shape', '{a}.strides', '{a}.nbytes', '{a}.dtype',
    'len({a}) // 2', '{a}.flags.c_contiguous', 'np.result_type({a}, np.float32)', "np.can_cast({a}.dtype, 'f4')", 'np.shares_memory({a}, {a})', 'np.ndim({a})', 'str({a}.shape)', '{a}.max(initial=0)',
    'np.ix_({a} > 0, {a} > 0)[0]', '{a}[np.ix_([0, 1], [0])]', '{a}[[0, -1]]', '{a}[[0], [0]]', '{a}[..., [0, 0]]', '{a}[{a} % 2 == 0]', '{a}[np.arange(len({a})), 0]', '{a}[len({a}) // 2]', '{a}[{a}.argmax()]',
    '{a}[: len({a}) // 2]', '{a}[int({a}.sum()) % 2]', 'np.triu_indices(len({a}))[0]', 'np.indices({a}.shape)[0]', 'np.fromiter((q * 2 for q in {a}), float)', 'np.fromfunction(lambda i, j: i + j, {a}.shape)', 'sum({a})',
    'max({a})', 'min(len({a}), 3)', 'sorted({a}.shape)', '[q for q in {a}]', '[float(q) for q in {a}]', 'np.logspace(0, 1, 3) * {a}.sum()', 'np.bitwise_count({a})', 'np.left_shift({a}, 2)', 'np.gcd({a}, 6)',
    'np.spacing({a})', 'np.frexp({a})[1]', 'np.modf({a})[0]', 'np.ldexp({a}, 2)', 'np.nextafter({a}, 1)', 'np.signbit({a})', 'np.heaviside({a}, 0.5)', 'np.copysign({a}, -1)', 'np.float_power({a}, 2)', 'np.cbrt({a})',
    'np.rint({a})', 'np.unwrap({a})', 'np.i0({a})', 'np.sinc({a})', 'np.vander({a}, 3)', 'np.fill_diagonal({a}.copy(), 5)', 'np.resize({a}, (3, 2))', 'np.trim_zeros({a})', 'np.column_stack([{a}, {a}])',
    'np.dstack([{a}, {a}])', 'np.isclose({a}, {a})', 'np.datetime_as_string({a})', 'np.matmul({a}, {a})', 'np.vecdot({a}, {a})', 'np.linalg.matrix_norm({a})', 'np.cumulative_sum({a}, axis={x}, include_initial=True)',
)  # fmt: skip
STATEMENTS = (
    '{n} += 1', '{n} -= {a}', '{n} *= {c}', '{n} //= 2', '{n} **= 2', '{n} |= 1', '{n}[0] = {c}', '{n}[-1] = 9', '{n}[1:] = {a}[:-1]', '{n}[...] = {a}', '{n}[:, 0] = {c}', '{n}[..., 0] += {c}', '{n}[{a} > 0] = {c}',
    '{n}[{a} > 0] += 1', '{n}[{a}] = 4', '{n}[[0, -1]] = [1, 2]', '{n}[[0, 0]] += 1', '{n}.T[0] = 5', '{n}.T[...] = {a}', '{n}.reshape(-1)[::2] = 3', '{n}.ravel()[1] = 3', '{n}[::-1][0] = 6', '{n}.fill(3)', '{n}.sort()',
    '{n}.sort(axis=0)', '{n}.partition(1)', '{n}.flat[1] = 8', '{n}.flat[::2] = 8', "{n}['a'] = 3", "{n}['b'] += 1", "{n}['b'][{n}['a'] > 0] = -1", '{n}.real = 2', '{n}.imag += 1', '{n}.put([0, 1], [5, 6])',
    'np.put({n}, [0], 3)', 'np.place({n}, {a} > 0, [1, 2])', 'np.putmask({n}, {a} > 0, {a})', 'np.copyto({n}, {a}, where={a} > 0)', "np.copyto({n}, {a}, casting='unsafe')", 'np.add.at({n}, {a}, 1)',
    'np.add.at({n}, [0, 0, 1], {c})', 'np.maximum.at({n}, 0, 3)', 'np.subtract.at({n}, {a} % 2, 2)', 'np.negative.at({n}, [0])', 'np.add({n}, {a}, out={n})', 'np.multiply({n}, {c}, out={n}, where={a} > 0)',
    'np.sqrt({n}, out={n})', 'np.cumsum({n}, axis=0, out={n})', 'np.clip({n}, 0, 2, out={n})', 'np.fill_diagonal({n}, 7)', 'np.put_along_axis({n}, np.argmax({n}, axis=-1, keepdims=True), 99, axis=-1)',
    '{n}.clip(0, 3, out={n})', "{n}.view('u1')[..., 0] = 1", '{n}.byteswap(inplace=True)', "np.take({a}, [0, 1], out={n}, mode='clip')", 'np.matmul({a}, {a}, out={n})', 'np.random.default_rng(3).shuffle({n})',
)  # fmt: skip
COMPOUND = (
    'if {a}.sum() > 0:\n    {n} += 1\nelse:\n    {n}[...] = 2', 'if {a}.max() > 1:\n    {n} = {n} * 2', 'if len({a}) > 2:\n    {n} = {n} + 1', 'if {a}.any():\n    {n}[0] = 1\n    {m} = {a}',
    'for q in range(len({a})):\n    {n}[q] = {a}[q] * 2', 'for q in range(2):\n    {n} = {n} + {a}', 'for q in {a}[:2]:\n    {n} = {n} + q', 'i = 0\nwhile i < len({a}) and {a}[i] > 0:\n    i += 1\n{n} = {n} + i',
    'try:\n    {n}[5] = 1\nexcept IndexError:\n    {n} = {n} + 7', 'try:\n    {n} = {n}.reshape(2, -1)\nexcept ValueError as e:\n    {n} = str(e)',
    'try:\n    {n}[0] += 1\n    np.linalg.inv({a})\nexcept np.linalg.LinAlgError:\n    {n}[0] -= 5', 'def up(q=1):\n    nonlocal {n}\n    {n} = {n} * q\n    return q\n{m} = up(2) + {a}.sum()',
    'acc = []\nfor q in {a}:\n    acc.append(q)\n{m} = np.array(acc)', '{m} = {a} if {a}.sum() > {c} else {a}', "with np.errstate(all='ignore'):\n    {m} = {a} / {a}", '{m} = [{a}, {a}]\n{m}[0] += 1',
    "{m} = dict(p={n}, q={a})\n{m}['p'] *= 2", '{m} = (lambda q: q[::-1])({a})\n{m}[0] = {c}', '{m} = {n}[1:]\nif {a}.sum() > 0:\n    {m} += 1', '{m} = {n}.T\n{n}[0] = {a}.sum()\n{m}[-1] *= 2',
    '{m} = {n}[::2]; {n} = {n}.copy()\n{m} -= 1', 's0 = 0.0\nfor q in {a}:\n    if q > 0: s0 += q\n{m} = s0', 'assert {a}.sum() < 1000', "if {a}.sum() > 3: raise ValueError('too much')",
    '{m} = np.zeros(3)\nfor q in range(3):\n    if {a}.sum() > q: {m}[q] = q', 'best, at = None, -1\nfor q in range(len({a})):\n    if best is None or {a}[q] > best: best, at = {a}[q], q\n{m} = (best, at)',
)  # fmt: skip
NUMBERS = (
    "2", "0", "1", "-1", "3.5", "0.5", "np.float32(1.5)", "np.int8(3)", "np.uint8(200)", "True", "n", "len(x)", "{a}", "{a}", "{a}.sum()", "{a}[0]", "np.int64(5)", "1j",
    "x.shape[1]", "w.size - 1", "2.5",
)  # fmt: skip


def arguments(seed: int, rows: int, columns: int) -> dict[str, Any]:
    """Arrays of many dtypes, of so many rows or columns or of both."""
    g = np.random.default_rng(seed)
    both = rows, columns
    records = np.empty(rows, [("a", "i4"), ("b", "f8")])
    records["a"], records["b"] = g.integers(0, 3, rows), g.standard_normal(rows).round(1)
    return {
        "x": g.integers(-3, 4, both) * 0.5,
        "y": g.standard_normal(both).round(2).astype("f4"),
        "v": g.integers(-4, 5, columns).astype("f8"),
        "w": g.standard_normal(rows).round(1),
        "k": g.integers(0, 4, rows),
        "i": g.integers(-128, 128, both).astype("i1"),
        "u": g.integers(0, 256, columns).astype("u1"),
        "b": g.random(both) > 0.5,
        "s": g.choice(np.array(["a", "bb", "", "Abc", "b "]), rows),
        "t": np.datetime64("2020-01-31") + g.integers(-40, 40, columns).astype("m8[D]"),
        "z": g.integers(-2, 3, columns) + 1j * g.integers(-2, 3, columns),
        "r": records,
    }


def compiled(source: str) -> Any:
    """The function of a program."""
    return function_of(source, {"np": np, "Pair": Pair})


class Writer:
    """Grows a program of at most ``length`` statements for an example."""

    expressions, statements, compound = EXPRESSIONS, STATEMENTS, COMPOUND
    numbers, names = NUMBERS, tuple(NAMES)
    parameters = (*NAMES, "n")
    plain, rare = 0.6, 0.85  # below which a statement binds an expression, above which it is compound

    def __init__(self, rng: random.Random, example: Any) -> None:
        self.rng, self.example = rng, example
        self.made: list[str] = []
        self.new = ""

    def program(self, length: int) -> str:
        body: list[str] = []
        for _ in range(40 * length):
            statement = self._statement()
            runs = self._runs(self._source([*body, statement], "None"))
            if runs or self.rng.random() < 0.004:
                body.append(statement)
                self.made += [self.new] * bool(self.new)
            if not runs or len(body) == length:
                if body and (len(body) == length or body[-1] == statement):
                    break
        return self._source(body, self._result())

    def _statement(self) -> str:
        kind = self.rng.random()
        self.new = ""
        if kind < self.plain:
            self.new = f"q{len(self.made)}"
            return f"{self.new} = {self._filled(self.rng.choice(self.expressions))}"
        return self._filled(self.rng.choice(self.statements if kind < self.rare else self.compound))

    def _value(self) -> str:
        return self.rng.choice(self.made if self.made and self.rng.random() < 0.5 else self.names)

    def _filled(self, text: str) -> str:
        rng = self.rng
        written = rng.choice(self.made) if self.made and rng.random() < 0.7 else self._value()
        if "{m}" in text:
            self.new = f"q{len(self.made)}"
        text = text.replace("{n}", written).replace("{m}", self.new)
        for hole, choose in (
            ("{c}", lambda: rng.choice(self.numbers)),
            ("{a}", lambda: written if rng.random() < 0.25 else self._value()),
            ("{x}", lambda: rng.choice(("0", "-1", "1", "None"))),
        ):
            while hole in text:
                text = text.replace(hole, choose(), 1)
        return text

    def _result(self) -> str:
        names = list(dict.fromkeys(self.made))[-4:]
        self.rng.shuffle(names)
        if not names:
            return "x"
        listed = ", ".join(names)
        forms = (
            f"({listed},)",
            f"[{listed}]",
            f"({listed}, x, v)",
            f"Pair({names[0]}, [{listed}])",
            "{" + ", ".join(f"{name!r}: {name}" for name in names) + "}",
        )
        return self.rng.choice(forms)

    def _source(self, body: list[str], result: str) -> str:
        lines = "\n".join([*body, f"return {result}"]).split("\n")
        return f"def program({', '.join(self.parameters)}):\n" + "".join(f"    {line}\n" for line in lines)

    def _runs(self, source: str) -> bool:
        try:
            with quiet():
                compiled(source)(**self._given())
        except Exception:
            return False
        return True

    def _given(self) -> dict[str, Any]:
        """Arguments of a call, new ones each time."""
        return {name: array.copy() for name, array in self.example.items()} | {"n": 3}
