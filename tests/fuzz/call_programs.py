"""Random programs of calls with numbers, texts and arrays that only the data know: the generator behind ``fuzz/calls.py``.

A program is one call of a table, or two, of operands of other tables, in one of several forms: as its result, used by nobody, in a
``try`` whose handler returns, tells the message, or raises another exception, on a side of a branch, in a loop.
"""

from __future__ import annotations

import fractions
import math
import operator
import random
import statistics
from typing import Any

import numpy as np

from tests.support.functions import function_of

NUMBERS = (
    "int(k[0])", "float(w[0])", "k[0]", "w[0]", "u[0]", "bool(b[0])", "b[0]", "np.nonzero(b)[0].size", "len(w[b])", "s[0]", "int(k.sum())",
    "k[0].item()", "z[0]", "complex(z[0])", "t[0]", "str(s[0])", "f'{k[0]}'", "np.flatnonzero(b)", "w[b]", "k[b]", "-int(k[0])",
    "int(u[0])", "k[:1]", "x[0, 0]", "float(x[0, 0])", "int(k[0]) + 1", "k[0] / 2", "int(w[0])", "round(float(w[0]))", "np.argmax(w)",
    "int(np.argmax(w))", "len(x)", "w[0] > 0", "None if b[0] else 1",
)  # fmt: skip
"""What takes the place of ``n`` in a call."""
VALUES = (
    "x", "w", "k", "w[b]", "np.flatnonzero(b)", "s", "k[0]", "w[0]", "float(w[0])", "int(k[0])", "[float(w[0]), 1.0]", "[int(k[0])]",
    "(w[0], k[0])", "x[b]", "s[0]", "r", "t", "b", "z", "x[0]", "x.T", "w[::-1]", "k.astype('i1')", "u", "w.astype('f4')", "x[:0]", "w[:0]",
    "np.float32(w[0])", "np.int8(k[0])",
)  # fmt: skip
"""What takes the place of ``x``."""
CALLS = (
    "np.take({x}, {n})", "np.take({x}, {n}, mode='clip')", "np.partition({x}, {n})", "np.roll({x}, {n})", "np.repeat({x}, {n})",
    "np.tile({x}, {n})", "np.reshape({x}, ({n}, -1))", "np.reshape({x}, {n})", "{x}[{n}]", "{x}[:{n}]", "{x}[{n}:]", "{x}[{n}, 0]",
    "np.split({x}, {n})", "np.array_split({x}, {n})", "np.sum({x}, axis={n})", "np.delete({x}, {n})", "np.insert({x}, {n}, 0)",
    "np.expand_dims({x}, {n})", "np.flip({x}, {n})", "np.sort({x}, {n})", "np.zeros({n})", "np.ones(({n}, 2))", "np.full({n}, 1)",
    "np.arange({n})", "np.arange(1, {n})", "np.linspace(0, 1, {n})", "np.eye({n})", "np.tri({n})", "np.diag({x}, {n})", "np.tril({x}, {n})",
    "np.diff({x}, {n})", "np.clip({x}, {n}, 5)", "np.clip({x}, 0, {n})", "np.round({x}, {n})", "np.searchsorted({x}, {n})",
    "np.digitize({x}, [{n}])", "np.bincount({x}, minlength={n})", "np.percentile({x}, {n})", "np.quantile({x}, {n})",
    "np.histogram({x}, {n})", "np.pad({x}, {n})", "np.swapaxes({x}, 0, {n})", "np.moveaxis({x}, {n}, 0)", "np.concatenate([{x}], axis={n})",
    "np.stack([{x}, {x}], axis={n})", "np.where({x} > {n}, {x}, {n})", "np.isin({x}, {n})", "np.append({x}, {n})", "np.power({x}, {n})",
    "np.left_shift({x}, {n})", "np.ldexp({x}, {n})", "np.add({x}, {n})", "{x} + {n}", "{x} @ {n}", "{x} % {n}", "{x} // {n}", "{n} ** {x}",
    "{x} == {n}", "{x} < {n}", "np.maximum({x}, {n})", "np.cumsum({x}, {n})", "np.argmax({x}, {n})", "np.max({x}, initial={n})",
    "np.min({x})", "np.argmin({x})", "np.median({x})", "np.mean({x}, {n})", "np.full_like({x}, {n})", "np.fill_diagonal({x}, {n})",
    "np.put({x}, {n}, 1)", "np.place({x}, {x} > 0, {n})", "np.copyto({x}, {n})", "{x}.fill({n})", "{x}.item({n})", "{x}.astype('i4')[{n}]",
    "np.broadcast_to({x}, {n})", "np.broadcast_to({x}, ({n}, 3))", "np.resize({x}, {n})", "np.rot90({x}, {n})", "np.trace({x}, {n})",
    "np.unravel_index({n}, (2, 2))", "np.ravel_multi_index(({n}, 0), (2, 2))", "np.choose({n}, [{x}, {x}])", "np.compress({n}, {x})",
    "np.extract({n}, {x})", "np.cross({x}, {n})", "np.dot({x}, {n})", "np.outer({x}, {n})", "np.kron({x}, {n})", "np.convolve({x}, {n})",
    "np.interp({n}, {x}, {x})", "np.polyval({x}, {n})", "np.vander({x}, {n})", "np.gradient({x}, {n})", "np.trapezoid({x}, dx={n})",
    "np.unwrap({x}, {n})", "np.float32({n})", "np.int8({n})", "np.uint8({n})", "np.int64({n})", "np.bool_({n})", "np.array({n})",
    "np.array([{n}, 1])", "np.array({n}, dtype='i1')", "np.asarray({n}, dtype='U2')", "np.datetime64({n}, 'D')", "np.timedelta64({n}, 'D')",
    "np.dtype(({n}, 2))", "np.iinfo({n})", "np.finfo({n})", "range({n})", "int({n})", "float({n})", "complex({n})", "bool({n})", "str({n})",
    "round({n})", "abs({n})", "divmod({n}, 2)", "pow({n}, 2)", "pow(2, {n})", "min({n}, 2)", "max({x})", "sum({x})", "len({x})",
    "sorted({x})", "list({x})", "tuple({x})", "{n}.bit_length()", "{n}.real", "{n}.conjugate()", "{n}.is_integer()", "{n} << 2", "2 << {n}",
    "[1, 2, 3][{n}]", "'abc'[{n}]", "'abc' * {n}", "[0] * {n}", "(1, 2)[{n}]", "{{0: 1}}[{n}]", "hash({n})", "format({n}, '.2f')",
    "'%d' % {n}", "'%s' % ({n},)", "chr({n})", "hex({n})", "bin({n})", "{n}.to_bytes(4, 'little')", "{n}.hex()", "{n}.as_integer_ratio()",
    "math.sqrt({n})", "math.floor({n})", "math.factorial({n})", "math.gcd({n}, 6)", "math.log({n})", "math.comb(5, {n})", "math.isqrt({n})",
    "math.ldexp(1.0, {n})", "math.fmod({n}, 2)", "math.isclose({n}, 1)", "np.random.default_rng(0).integers({n})",
    "np.random.default_rng(0).normal({n})", "np.random.default_rng(0).choice({x}, {n})", "np.random.default_rng(0).normal(size={n})",
    "np.linalg.norm({x}, {n})", "np.linalg.matrix_power({x}, {n})", "np.add.reduceat({x}, [{n}])", "np.add.reduceat({x}, {n})",
    "np.add.at({x}, {n}, 1)", "np.add.reduce({x}, {n})", "np.multiply.outer({x}, {n})", "np.strings.add({x}, {n})",
    "np.strings.multiply({x}, {n})", "np.strings.find({x}, {n})", "np.strings.center({x}, {n})", "np.char.add({x}, {n})", "np.ndindex({n})",
    "[*np.ndindex({n}, 2)]", "np.busday_offset({x}, {n})", "np.bitwise_and({x}, {n})", "~{n}", "-{n}", "np.invert({n})",
    "np.packbits({x}, {n})", "np.unpackbits({x}, count={n})", "np.lib.stride_tricks.sliding_window_view({x}, {n})",
    "np.nan_to_num({x}, nan={n})", "np.fft.fft({x}, {n})", "np.einsum('i->', {x})", "np.lexsort(({x}, {n}))", "np.union1d({x}, {n})",
    "np.allclose({x}, {n})", "np.array_equal({x}, {n})", "np.count_nonzero({x}, {n})", "{x}.view({n})", "{x}.view('i8')", "{x}.view('u1')",
    "{x}.tobytes({n})", "{x}['a'][{n}]", "{x}[{n}]['a']", "np.select([{x} > 0], [{n}])", "np.piecewise({x}, [{x} > 0], [{n}])",
    "np.apply_along_axis(np.sum, {n}, {x})", "np.atleast_1d({n})", "np.squeeze({x}, {n})", "np.squeeze({x})", "np.meshgrid({x}, {n})",
    "np.indices(({n}, 2))", "np.fromiter({x}, float)", "np.average({x}, weights={n})", "np.cov({x})", "np.correlate({x}, {n})",
    "np.ix_({x})", "np.nonzero({x})", "np.block([{x}, {n}])", "np.hstack([{x}, {n}])", "np.vstack([{x}, {x}])",
    "np.column_stack([{x}, {n}])", "np.logspace(0, 1, {n})", "np.geomspace(1, 2, {n})", "np.hanning({n})", "np.i0({n})", "np.sinc({n})",
    "np.heaviside({x}, {n})", "np.copysign({x}, {n})", "np.nextafter({x}, {n})", "np.gcd({x}, {n})", "np.bitwise_count({n})",
    "np.isclose({x}, {n})", "np.trim_zeros({x})", "np.unique({x}, {n})", "np.ptp({x}, {n})", "np.argsort({x}, {n})",
    "np.argpartition({x}, {n})", "np.take_along_axis({x}, {x}, {n})", "{x}.flat[{n}]", "{x}.flat[[0, {n}]]", "np.take({x}, [0, {n}])",
    "{x}[[{n}, 0]]", "{x}[None][{n}]", "{x}.searchsorted({n})", "{x}.repeat({n})", "{x}.sum({n})", "{x}.clip({n}, 3)", "{x}.round({n})",
    "{x}.swapaxes({n}, 0)", "{x}.reshape({n}, -1)", "{x}.astype({n})", "{n}.astype('i1')", "{n}.dtype", "{n}.item()", "{x}.dtype.type({n})",
    "np.result_type({x}, {n})", "np.can_cast({x}.dtype, {n})", "np.issubdtype({n}, float)", "np.where({n}, {x}, 0)", "np.divmod({x}, {n})",
    "np.modf({n})", "np.frexp({n})", "np.fmod({x}, {n})", "np.arctan2({x}, {n})", "np.hypot({n}, {x})", "np.float_power({x}, {n})",
    "np.positive({n})", "np.spacing({n})", "np.trunc({n})", "np.sign({n})", "np.isnan({n})", "np.signbit({n})", "np.logical_and({x}, {n})",
    "np.cross([{n}, 1, 2], [3, 4, 5])", "np.interp({x}, [0, 1], [{n}, 2])", "np.bincount({x}, weights={x})", "np.bincount([{n}, 1])",
    "np.histogram({x}, bins=3, range=(0, {n}))", "np.searchsorted([0, 1, 2], {n})", "np.fft.rfft({x}, {n})", "np.fft.fftfreq({n})",
    "np.hamming({n})", "np.kaiser({n}, 2.0)", "np.polyfit([0, 1, 2], {x}, {n})", "np.roots([1, {n}])", "np.poly([{n}, 1])",
    "np.triu_indices({n})", "np.mask_indices({n}, np.triu)", "np.diag_indices({n})", "np.identity({n})",
    "np.broadcast_shapes(({n},), (1,))", "np.setdiff1d({x}, {n})", "np.ediff1d({x}, {n})", "np.repeat({n}, 3)", "np.repeat({x}, {n}, 0)",
    "np.tile({n}, 2)", "np.choose([0, 1], [{n}, 3])", "np.apply_over_axes(np.sum, {x}, {n})", "np.nansum({x}, {n})", "np.nanmax({x})",
    "np.nanquantile({x}, {n})", "np.std({x}, ddof={n})", "np.var({x}, {n})", "np.prod({x}, {n})", "np.all({x}, {n})", "np.any({n})",
    "statistics.mean([{n}, 1])", "operator.index({n})", "operator.getitem([1, 2, 3], {n})", "sum([{n}, 1])", "min([{n}, 1, 2])",
    "sorted([{n}, 1])", "[{n}, 1].index(1)", "[1, 2].insert({n}, 0)", "[1, 2, 3].pop({n})", "[1, 2, 3][:{n}]", "(1, 2, 3)[{n}:]",
    "'a b'.split(' ', {n})", "'abc'.zfill({n})", "'abc'.find('c', {n})", "bytes({n})", "slice({n}).indices(3)", "range(3)[{n}]",
    "list(range({n}))", "enumerate('ab', {n})", "list(zip(range({n}), 'abc'))", "dict(a={n})", "{{'a': {n}}}['a']", "int(str({n}))",
    "float(str({n}))", "int({n}, 2)", "'{{}}'.format({n})", "f'{{{n}:.3}}'", "f'{{{n}!r:>9}}'", "complex({n}, 1)", "isinstance({n}, int)",
    "type({n})", "{n} if {n} else 0", "not {n}", "{n} and 2", "{n} or 2", "0 < {n} < 3", "{n} in (1, 2)", "{n} in {x}", "{n} is None",
    "math.pow(2, {n})", "math.exp({n})", "math.lgamma({n})", "math.hypot({n}, 1)", "math.copysign(1, {n})", "math.frexp({n})",
    "math.trunc({n})", "math.degrees({n})", "math.perm(5, {n})", "math.prod([{n}, 2])", "math.nextafter({n}, 1)", "math.remainder({n}, 2)",
    "math.atan2({n}, 1)", "fractions.Fraction({n}, 2)",
)  # fmt: skip
"""Each also with operands that it does not take: then it raises what it raises eagerly."""

_CAUGHT = "    try:\n        v = {call}\n    except (LookupError, ValueError, ArithmeticError, TypeError) as error:\n        "
ODD = (np.nan, np.inf, -np.inf, -2.5, 30.0)
FORMS = {
    "result": "    return {call}, 1\n",
    "two results": "    return {call}, {other}\n",
    "unused": "    {call}\n    return 1\n",
    "caught": _CAUGHT + "return 'failed'\n    return v, 1\n",
    "caught and written": _CAUGHT + "w[0] = 7\n    return w[0] * 2\n",
    "told": _CAUGHT + "return type(error).__name__, str(error)\n    return v, 1\n",
    "raised anew": _CAUGHT + "raise RuntimeError('mine') from error\n    return v, 1\n",
    "at last": "    try:\n        v = {call}\n    finally:\n        w[1] = 5\n    return v\n",
    "side": "    v = 0\n    if w[1] > 0:\n        v = {call}\n    return v, 1\n",
    "raising side": "    if w[1] > 0:\n        {call}\n        w[0] = 2\n    return w\n",
    "loop": "    found = []\n    for _ in range(2):\n        found.append({call})\n        k, w = k + 1, w - 1\n    return found\n",
    "loop of data": "    v, j = 0.0, 0\n    while j < k[1]:\n        v = {call}\n        j, w = j + 1, w - 1\n    return v, j\n",
    "assigned": "    if (v := {call}) is not None:\n        return v\n    return 0\n",
}
"""The bodies of the programs."""
HEAD = "def f(x, w, k, u, b, s, z, t, r):\n"


def source(seed: int) -> str:
    """The source of ``f(x, w, k, u, b, s, z, t, r)``."""
    rng = random.Random(seed)
    calls = [rng.choice(CALLS).format(x=rng.choice(VALUES), n=rng.choice(NUMBERS)) for _ in range(2)]
    return HEAD + rng.choice(list(FORMS.values())).replace("{call}", calls[0]).replace("{other}", calls[1])


def compiled(text: str) -> Any:
    """The function."""
    return function_of(text, {"np": np, "math": math, "operator": operator, "statistics": statistics, "fractions": fractions})


def arguments(seed: int) -> dict[str, Any]:
    """Arrays of three rows: a matrix, floats, integers, bytes, truths, texts, complex numbers, times, records.

    Every third seed's begin with what is not a number, no time, or does not fit.
    """
    rng = np.random.default_rng(seed)
    records = np.empty(3, [("a", "i4"), ("b", "f8")])
    records["a"], records["b"] = rng.integers(0, 3, 3), rng.random(3)
    given = {
        "x": rng.integers(-2, 3, (3, 3)) * 0.5,
        "w": rng.integers(-2, 4, 3) * 1.0,
        "k": rng.integers(-2, 4, 3),
        "u": rng.integers(0, 4, 3).astype("u1"),
        "b": rng.random(3) > 0.5,
        "s": rng.choice(np.array(["1", "bb", "", "12"]), 3),
        "z": rng.integers(0, 3, 3) + 1j * rng.integers(0, 2, 3),
        "t": rng.integers(0, 3, 3).astype("m8[D]"),
        "r": records,
    }
    if seed % 3 == 0:
        given["w"][0], given["z"][0] = rng.choice(ODD, 2)
        given["t"][0], given["s"][0] = rng.choice(["NaT", "7"]), rng.choice(["nan", "1e", "b"])
    return given
