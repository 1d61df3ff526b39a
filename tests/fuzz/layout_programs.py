# ruff: noqa: E501 -- tables of expressions
"""Random programs over the memory of arrays and over scalars of all kinds: the generator behind ``fuzz/layouts.py``.

The arguments lie in memory in every way that NumPy knows: in C's and Fortran's order, reversed, with gaps, stretched, read-only, one array
twice, views that overlap; their values are those at the edges of their dtypes. Casts of floats to small integers are left out: what C gives
for those that do not fit differs with the memory. In the tables ``{f}`` is a ufunc of one operand, ``{g}``
one of two, ``{d}`` a dtype, ``{k}`` a rule of casting, ``{o}`` an order, ``{r}`` a reduction; the others are ``function_programs``'s.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.fuzz import function_programs

SIZES = (0, 1, 2, 3, 7, 300)

EXPRESSIONS = (
    # memory
    "{a}.T", "{a}.copy({o})", "{a}.copy()", "np.copy({a}, {o})", "np.array({a}, order={o})", "np.array({a}, copy=None, order={o})", "np.asarray({a}, order={o})", "np.ascontiguousarray({a})", "np.asfortranarray({a})", "np.require({a}, {d}, ['C', 'W'])", "{a}.astype({d}, order={o})", "{a}.astype({d}, copy=False)", "{a}.astype({a}.dtype, copy=False)", "{a}.astype({d}, casting={k})", "{a}.reshape(-1, order={o})", "{a}.reshape({a}.shape, copy=True)", "{a}.reshape((-1, 1), copy=True)", "{a}.reshape({a}.T.shape, order={o})", "{a}.ravel({o})", "{a}.flatten({o})", "{a}.T.reshape(-1)", "{a}[::-1]", "{a}[::2]", "{a}[..., ::-1]", "{a}[:, 1:]", "{a}[1:-1]", "{a}[None]", "{a}[..., None]", "{a}[[0, -1]]", "{a}[..., [0, -1]]", "{a}[:, [0, 1]]", "{a}.T[[0, 1]]", "{a}[{a} > 0]", "{a}[np.argsort({a}, axis=0, kind='stable')]", "np.zeros_like({a})", "np.zeros_like({a}, order={o})", "np.ones_like({a}, dtype={d})", "np.full_like({a}, {c})", "np.zeros_like({a}, shape=(2, 3))", "np.empty_like({a}).strides", "np.broadcast_to({a}, (2, *{a}.shape))", "np.broadcast_arrays({a}, {a})[0]", "np.swapaxes({a}, 0, -1)", "np.moveaxis({a}, 0, -1)", "np.rollaxis({a}, -1)", "np.expand_dims({a}, 1)", "np.squeeze({a})", "np.flip({a}, {x})", "np.rot90({a})", "np.roll({a}, 1, {x})", "np.repeat({a}, 2, {x})", "np.tile({a}, 2)", "np.concatenate([{a}, {a}])", "np.concatenate([{a}, {a}], axis=-1)", "np.stack([{a}, {a}], {x})", "np.hstack([{a}, {a}])", "np.dstack([{a}, {a}])", "np.column_stack([{a}, {a}])", "np.array([{a}, {a}])", "np.where({a} > 0, {a}, {a})", "np.take({a}, [0, 0], {x})", "{a}.take([0, -1], axis=-1)", "np.compress([True, False], {a}, 0)", "np.choose([0, 0], [{a}, {a}])", "np.diagonal({a})", "np.diag({a})", "np.tril({a})", "np.split({a}, [1])[0]", "{a}.view({a}.dtype)", "{a}.view('u1')", "{a}.view('i8')", "{a}.real", "{a}.imag", "{a}.conj()", "{a}.byteswap()", "{a}.squeeze()", "np.atleast_2d({a})", "np.atleast_3d({a})", "np.pad({a}, 1)", "np.sort({a}, {x})", "np.sort({a}.T, {x})", "np.argsort({a}, {x}, kind='stable')", "np.partition({a}, 0, {x})", "np.cumsum({a}, {x})", "np.diff({a}, axis={x})", "np.clip({a}, 0, 2)", "np.nan_to_num({a})", "np.einsum('ij->ji', {a})", "np.einsum('ij,ij->ij', {a}, {a})", "np.einsum('ij,kj->ik', {a}, {a})", "np.einsum('i...->...', {a})", "np.einsum('ii->i', {a}[:1, :1])", "np.matmul({a}, {a}.T)", "np.matmul({a}.T, {a}, order={o})", "np.dot({a}.T, {a})", "np.outer({a}, {a})", "np.tensordot({a}, {a}, 0)", "np.vecdot({a}, {a})", "np.matvec({a}, v, order={o})", "np.vecmat(v, {a}.T, order={o})", "np.unique({a})", "np.gradient({a}, axis=0)", "np.meshgrid({a}, v, copy=False)", "np.indices({a}.shape, sparse=True)", "np.ix_(v > 0, v > 0)", "np.nonzero({a})", "np.unravel_index([0], {a}.shape)", "np.lib.stride_tricks.sliding_window_view({a}, 1, 0)", "{a}.flags.writeable", "{a}.flags.f_contiguous", "{a}.flags.c_contiguous", "{a}.flags.owndata", "{a}.base is None", "{a}.strides", "{a}.flags.forc", "np.may_share_memory({a}, {a})", "np.shares_memory({a}, {a})", "{a} is {a}", "np.asarray({a}) is {a}", "{a}.T is {a}", "{a}.astype({d}, copy=False) is {a}", "np.ascontiguousarray({a}) is {a}", "{a}.base is {a}", "np.linalg.norm({a}, axis={x})", "np.apply_along_axis(np.cumsum, 0, {a})", "np.vectorize(lambda q: q)({a})", "np.delete({a}, 0, {x})", "np.insert({a}, 1, 0, {x})", "np.resize({a}, (2, 2))", "np.block([[{a}, {a}]])", "np.array_split({a}, 2, -1)[0]", "np.triu({a}.T)", "np.kron({a}, {a})", "np.fft.fft({a}.T, axis={x})", "np.select([{a} > 0], [{a}], 1)", "np.ma.getdata({a})", "np.unwrap({a}, axis=0)", "np.cov({a})", "np.linalg.qr({a})[0].shape", "np.median({a}, axis={x})", "np.percentile({a}, [5, 50], axis={x})", "np.average({a}, axis={x}, weights={a})",
    # ufuncs
    "{f}({a})", "{f}({a}, order={o})", "{f}({a}, dtype={d})", "{f}({a}, dtype={d}, casting={k})", "{f}({a}, out=np.zeros({a}.shape, {d}))", "{f}({a}, out=np.zeros({a}.shape, {d}, {o}), casting={k})", "{f}({a}.T, out=np.zeros({a}.shape, {d}).T, casting='unsafe')", "{f}({a}, out=np.zeros({a}.shape), where={a} > 0)", "{f}({a}, where={a} > 0, out={a}.copy())", "{f}({a}, out=np.zeros((2, *{a}.shape), {d}))", "{f}({a}, out=(None,))", "{f}({a}, out=...)", "{f}({c})", "{f}({c}, dtype={d})", "{f}({c}, out=np.zeros((2,), {d}))", "{f}({c}, out=np.zeros((), {d}))", "{f}({c}, out=...)", "{f}({c}, where={a} > 0, out=np.zeros({a}.shape))",
    "{g}({a}, {a})", "{g}({a}, {c})", "{g}({c}, {a})", "{g}({c}, {c})", "{g}({a}, {a}, order={o})", "{g}({a}, {a}.T)", "{g}({a}.T, {a}.T)", "{g}({a}, {c}, dtype={d})", "{g}({a}, {a}, dtype={d}, casting={k})", "{g}({c}, {c}, dtype={d}, casting={k})", "{g}({a}, {c}, out=np.zeros({a}.shape, {d}))", "{g}({a}, {a}, out=np.zeros({a}.shape, {d}, {o}), casting={k})", "{g}({a}, {c}, out=np.ones({a}.shape), where={a} > 0)", "{g}({a}, {c}, where={a}.T > 0, out=np.zeros({a}.T.shape))", "{g}({c}, {c}, out=np.zeros((3,), {d}))", "{g}({c}, {c}, out=np.zeros((), {d}), casting={k})", "{g}({c}, {c}, out=...)", "{g}({a}, {c}, signature='dd->d', casting={k})", "{g}.outer({a}, {a})", "{g}.outer({a}, {c}, order={o})", "{g}.outer({c}, {c})", "{g}.reduce({a}, {x})", "{g}.reduce({a}, {x}, keepdims=True)", "{g}.reduce({a}, {x}, dtype={d})", "{g}.reduce({a}, {x}, out=np.zeros({a}.shape[1:], {d}))", "{g}.reduce({a}, 0, initial={c})", "{g}.reduce({a}, 0, initial={c}, where={a} > 0)", "{g}.reduce({a}, None)", "{g}.accumulate({a})", "{g}.accumulate({a}, -1, dtype={d})", "{g}.accumulate({a}.T, out=np.zeros({a}.shape, {d}).T)", "{g}.reduceat({a}, [0])", "{g}.reduceat({a}, [0, 0], -1, dtype={d})", "divmod({a}, {c})", "divmod({c}, {c})", "np.modf({a})", "np.modf({a}, out=({a}.copy(), None))", "np.frexp({a}, order={o})", "np.divmod({a}, {c}, out=(None, np.zeros({a}.shape)))", "{a} + {c}", "{c} - {a}", "{a} * {c}", "{a} / {c}", "{c} // {a}", "{a} % {c}", "{a} ** {c}", "{c} ** {a}", "{a} == {c}", "{c} < {a}", "{a} & {c}", "{a} << {c}", "{c} + {c}", "{c} * {c}", "{c} - {c}", "{c} / {c}", "{c} // {c}", "{c} % {c}", "{c} ** {c}", "{c} == {c}", "{c} < {c}", "{c} & {c}", "{c} | {c}", "{c} >> {c}", "-{c}", "abs({c})", "~{c}", "+{c}", "not {c}", "{c} and {c}", "{c} if {c} else 0", "max({c}, {c})", "min({c}, 0)", "round({c})", "round({c}, 1)", "int({c})", "float({c})", "complex({c})", "bool({c})", "str({c})", "repr({c})", "f'{{c}}'", "type({c})", "isinstance({c}, float)", "isinstance({c}, np.integer)", "{d}",
    # scalars' methods and arrays of them
    "{c}.dtype", "{c}.item()", "{c}.astype({d})", "{c}.reshape(1)", "{c}.sum()", "{c}.real", "{c}.imag", "{c}.conj()", "{c}.view({d})", "{c}.T", "{c}.copy()", "{c}.squeeze()", "{c}[()]", "{c}[...]", "{c}[None]", "{c}.round(1)", "{c}.clip(0, 1)", "{c}.max()", "{c}.argmax()", "{c}.cumsum()", "{c}.tolist()", "{c}.flatten()", "{c}.nonzero()", "{c}.is_integer()", "{c}.bit_count()", "{c}.byteswap()", "{c}.__array__()", "{c}.strides", "{c}.nbytes", "np.array({c})", "np.asarray({c}, {d})", "np.array([{c}, {c}])", "np.array([{c}, 1])", "np.full(2, {c})", "np.full(2, {c}, {d})", "np.int64({c})", "np.uint8({c})", "np.int8({c})", "np.float32({c})", "np.float16({c})", "np.float64({c})", "np.complex64({c})", "np.bool_({c})", "np.uint64({c})", "np.str_({c})", "np.dtype({d}).type({c})", "np.result_type({c}, {c})", "np.result_type({a}, {c})", "np.can_cast({c}.dtype, {d}, {k})", "np.isscalar({c})", "np.isclose({c}, {c})", "np.where({c}, {c}, {c})", "np.where({a} > 0, {c}, {c})", "np.clip({a}, {c}, {c})", "np.clip({c}, {c}, {c})", "np.clip({c}, None, {c}, out=np.zeros(2, {d}))", "np.maximum.reduce([{c}, {c}])", "np.sum([{c}, {c}])", "np.mean([{c}, {c}])", "np.arange({c}, dtype={d})[:3]", "np.linspace(0, {c}, 3)", "np.stack([{c}, {c}])", "np.append({a}, {c})", "np.isin({c}, {a})", "np.searchsorted(v, {c})", "np.digitize({c}, [0, 1])", "np.round({c}, 1)", "np.sqrt({c})", "np.real_if_close({c})", "np.nan_to_num({c})", "np.sum({c}, dtype={d})", "np.prod({c}, axis=())", "np.any({c})", "np.count_nonzero({c})", "np.float64({c}) is {c}",
    # reductions
    "{r}({a}, axis={x})", "{r}({a}, axis={x}, keepdims=True)", "{r}({a}, axis=0, out=np.zeros({a}.shape[1:], {d}))", "{r}({a}, axis=-1, keepdims=True, out=np.zeros((*{a}.shape[:-1], 1), {d}))", "{r}({a}, axis=0, keepdims=True, out=np.zeros((1, *{a}.shape[1:]), {d}, {o}))", "{r}({a}, axis=0, out=np.zeros({a}.shape[1:], {d})[::-1])", "{r}({a}, out=np.zeros((), {d}))", "{r}({a}, out=np.zeros(3, {d}))", "{r}({a}.T, axis={x})", "{r}({c})", "{r}([{c}, {c}])", "np.sum({a}, axis=0, dtype={d})", "np.sum({a}, axis=0, where={a} > 0)", "np.mean({a}, axis=0, dtype={d})", "np.mean({a}, axis=0, where={a} > 0)", "np.max({a}, axis=0, initial={c})", "np.min({a}, axis=0, initial=0, where={a} < 0)", "np.var({a}, axis=0, ddof=1)", "np.prod({a}, dtype={d}, initial={c})", "np.any({a}, axis=0, where={a} != 1)",
)  # fmt: skip
STATEMENTS = (
    "{n} += {c}", "{n} -= {a}", "{n} *= {a}.T", "{n} /= {c}", "{n} //= {c}", "{n} **= {c}", "{n} %= {c}", "{n} &= {c}", "{n} <<= 1", "{n}[...] = {a}", "{n}[...] = {c}", "{n}[0] = {c}", "{n}[-1] = {a}[0]", "{n}[1:] = {a}[:-1]", "{n}[:-1] = {n}[1:]", "{n}[::-1] = {n}", "{n}[...] = {n}.T", "{n}[:, 0] = {c}", "{n}[{a} > 0] = {c}", "{n}[[0, 0]] += {c}", "{n}.fill({c})", "{n}.sort(0)", "{n}.flat[0] = {c}", "{n}.flat = {a}", "np.copyto({n}, {a}, {k})", "np.copyto({n}, {c}, {k}, where={a} > 0)", "np.put({n}, [0], {c})", "np.putmask({n}, {a} > 0, {a})", "np.place({n}, {n} > 0, [{c}])", "{g}.at({n}, [0, 0], {c})", "{f}({n}, out={n})", "{f}({a}, out={n}, casting={k})", "{g}({n}, {c}, out={n})", "{g}({a}, {a}, out={n}, casting={k})", "{g}({n}[:-1], {n}[1:], out={n}[1:], casting={k})", "{g}({n}, {n}[::-1], out={n}, casting={k})", "{g}({n}, {n}.T, out={n}, casting={k})", "{g}({a}, {c}, out={n}, where={n} > 0, casting={k})", "{g}.reduce({a}, 0, out={n}[0], dtype={d})", "{g}.accumulate({n}, out={n})", "np.matmul({n}, {n}.T, out={n})", "np.clip({n}, 0, {c}, out={n}, casting={k})", "np.cumsum({n}, 0, out={n})", "np.round({n}, 0, out={n})", "np.modf({n}, out=({n}, None))", "np.modf({n}, out=({n}, {n}))", "np.divmod({n}, {c}, out=({n}[::-1], {n}))", "{r}({a}, axis=0, out={n}[0])", "np.take({a}, [0], 0, out={n}[:1], mode='clip')", "{n}.setflags(write=False)", "{n}.resize({n}.shape)", "{n}.real = {c}", "{n}.imag[0] = {c}", "{n}.view('u1')[0] = 1", "np.fill_diagonal({n}, {c})", "np.add.at({n}, {n} > 0, {c})", "{n} = {n}.T", "{n} = {n}[::-1]", "{n} = {n}.copy({o})", "np.nan_to_num({n}, copy=False)", "np.concatenate([{a}, {a}], out={n}, casting={k})", "np.einsum('ij->ij', {a}, out={n})", "np.dot({a}, {a}.T, out={n})", "{n}[{n} != {n}] = 0",
)  # fmt: skip
COMPOUND = (
    "with np.errstate(all='ignore'):\n    {m} = {g}({a}, {c})", "with np.errstate(over='raise', divide='raise'):\n    try: {m} = {g}({a}, {c})\n    except FloatingPointError as e: {m} = str(e)", "with np.errstate(invalid='raise'):\n    try: {m} = {f}({a})\n    except FloatingPointError as e: {m} = str(e)", "with np.errstate(all='raise'):\n    try: {m} = {c} * {c}\n    except FloatingPointError as e: {m} = str(e)", "with np.errstate(all='raise'):\n    try: {m} = {g}({c}, {c})\n    except (FloatingPointError, TypeError) as e: {m} = str(e)", "with np.errstate(divide='ignore'):\n    {m} = {a} / {c}\n{m} = {m} / {c}",
    "try: {m} = np.dtype({d}).type({c})\nexcept (OverflowError, ValueError, TypeError) as e: {m} = str(e)", "try:\n    {n}[0] = {c}\n    {n}[99] = 1\nexcept IndexError as e:\n    {m} = str(e)\nfinally:\n    {n}[-1] = {c}", "try: {g}({a}, {c}, out={n}, casting={k})\nexcept TypeError as e: {m} = str(e)", "try: {m} = {a}.reshape(2, -1)\nexcept ValueError as e: {m} = str(e)", "try: {m} = {a}.astype({d}, casting={k})\nexcept TypeError as e: {m} = str(e)", "try: {m} = {r}({a}, axis=0)\nexcept ValueError as e: {m} = str(e)", "try: {n}[...] = {a}\nexcept (ValueError, TypeError) as e: {m} = str(e)", "try:\n    {n}[0] = {c}\n    {m} = {a}[:, 0].max()\n    {n}[...] = 5\nexcept (ValueError, IndexError):\n    {n} += 1",
    "if {c} > 0: {m} = {a}.T\nelse: {m} = {a}", "if {c} > 0: {m} = {c}\nelse: {m} = {c}", "if {c}: {n}[0] = {c}", "{m} = {c}\nfor q in {a}.ravel()[:3]: {m} = {m} + q", "{m} = {n}[1:]\n{m} += {n}[:-1]", "{m} = {n}.T\n{m}[0] = {c}", "{m} = {n}.reshape(-1)\n{m}[:1] = {c}", "{m} = [q for q in {n}]\n{n}[...] = 0", "{m} = (q * 2 for q in {n})\n{n}[0] = {c}\n{m} = list({m})", "{m} = lambda: {n}[0] + 1\n{n}[0] = {c}\n{m} = {m}()", "{m} = np.nditer({n}, order={o}).itviews[0].strides", "{m} = np.asarray({n})\n{m}[0] = {c}", "{m} = {n}.ravel()\n{m}[0] = {c}", "{m} = np.ascontiguousarray({n})\n{m}[0] = {c}", "for q in {n}:\n    q[...] = q[::-1]", "for q in {n}.T:\n    q += {c}",
)  # fmt: skip
NUMBERS = (
    *("2", "0", "1", "-1", "3.5", "-0.0", "1e300", "True", "1j", "None", "n", "m", "m", "m + 1", "m * 2", "n - 1", "len(x)", "300", "-129", "2**40", "1 << 63", "float('nan')", "float('inf')"),
    *("np.float32(1.5)", "np.int8(3)", "np.uint8(200)", "np.int64(5)", "np.float16(7)", "np.uint64(2**63)", "np.bool_(True)", "np.complex64(1j)", "np.float64(n)", "np.int64(m)", "np.array(2)", "np.array(2.5)", "np.timedelta64(3, 'D')", "np.array([1])"),
    *("{a}[0]", "{a}[-1]", "x[0, 0]", "y[0, 0]", "h[0]", "i[0]", "u[0]", "k[-1]", "l[0]", "z[0]", "c[0]", "b[0]", "t[0]", "v[0]", "x.sum()", "i.sum()", "h.sum()", "b.any()", "int(k[0])", "float(v[0])", "bool(b[0])", "k[0].item()", "complex(z[0])"),
)  # fmt: skip
HOLES = {
    "{d}": tuple(map(repr, "? i4 i8 f2 f4 f8 c8 c16 S8 U9 m8[D]".split())) + ("float", "int", "None", "np.float32", "'f8'", "'f4'", "'i8'"),
    "{k}": ("'no'", "'equiv'", "'safe'", "'same_kind'", "'unsafe'", "'unsafe'", "'same_kind'"),
    "{o}": ("'C'", "'F'", "'A'", "'K'"),
    "{f}": tuple(f"np.{name}" for name in "sqrt exp log negative absolute square sign floor rint reciprocal isnan signbit conj invert logical_not sin tanh cbrt positive spacing trunc isfinite fabs log1p bitwise_count".split()),
    "{g}": tuple(f"np.{name}" for name in "add subtract multiply divide floor_divide remainder power maximum minimum fmax fmin less equal not_equal logical_and logical_xor bitwise_and bitwise_or left_shift right_shift arctan2 hypot copysign nextafter heaviside gcd logaddexp float_power fmod add subtract multiply maximum".split()),
    "{r}": tuple(f"np.{name}" for name in "sum prod max min mean var std any all argmax argmin nansum nanmax nanmin nanmean nanargmax nanargmin nanprod nanvar median nanmedian ptp count_nonzero cumsum cumprod".split()),
}  # fmt: skip
NAMES = "x x2 y f g p w w2 o q1 s1 e v h i u k l z c b t s r".split()


def arguments(seed: int, n: int) -> dict[str, Any]:
    """Arrays of ``n`` rows in memory of every kind, with values at the edges of their dtypes. Equal seeds give equal ones."""
    g = np.random.default_rng(seed)
    x = g.choice(
        [0.0, -0.0, 1.0, -1.5, 2.5, 3.0, np.nan, np.inf, 1e300, 0.5], (n, 3), p=[0.1, 0.05, 0.2, 0.2, 0.15, 0.15, 0.05, 0.05, 0.01, 0.04]
    )
    around = g.standard_normal(n + 1).round(1)
    edges = np.iinfo
    stretched = np.broadcast_to(g.integers(-2, 3, 3).astype("f8"), (n, 3))
    frozen = g.standard_normal(n).round(1)
    frozen.flags.writeable = False
    records = np.zeros(n, [("a", "i2"), ("b", "f8")])
    records["a"], records["b"] = g.integers(-3, 4, n), g.standard_normal(n).round(1)
    return {
        "x": x, "x2": x, "y": g.standard_normal((n, 3)).round(1).astype("f4"), "f": np.asfortranarray(g.integers(-3, 4, (n, 3)) * 0.5),
        "g": g.integers(-3, 4, (n, 6)).astype("f8")[::-1, ::2], "p": g.integers(-9, 9, (3, 2, n)).transpose(2, 0, 1),
        "w": around[1:], "w2": around[:-1], "o": g.integers(-5, 5, 2 * n)[::2], "q1": g.integers(0, 3, (n, 1)).astype("f8"), "s1": stretched, "e": frozen,
        "v": g.choice([1.0, -2.0, 0.0, 3.5], 3), "h": g.choice([1, -2, 0.1, 6e4, np.inf, -0.0], n).astype("f2"),
        "i": g.choice([edges("i1").min, edges("i1").max, 0, 1, -1, 5], n).astype("i1"), "u": g.choice([0, 255, 1, 200], n).astype("u1"),
        "k": g.choice([0, 1, 2, 3, -1, edges("i8").max, edges("i8").min], n, p=[0.2, 0.2, 0.2, 0.2, 0.1, 0.05, 0.05]),
        "l": g.choice(np.array([0, 2**64 - 1, 2**63, 1, 7], "u8"), n), "z": g.integers(-2, 3, n) + 1j * g.choice([0, 1, -0.0, 2.5], n),
        "c": (g.integers(-2, 3, n) - 0.3j).astype("c8"), "b": g.random(n) > 0.5,
        "t": g.choice(np.array(["2020-01-31", "NaT", "1969-12-31"], "M8[D]"), n), "s": g.choice(np.array(["a", "bb", "", "12"]), n), "r": records,
    }  # fmt: skip


class Writer(function_programs.Writer):
    """Grows programs over these arguments."""

    expressions, statements, compound, numbers, names = EXPRESSIONS, STATEMENTS, COMPOUND, NUMBERS, NAMES
    parameters = (*NAMES, "n", "m")

    def _given(self) -> dict[str, Any]:
        return arguments(*self.example) | {"n": self.example[1], "m": 5}

    def _filled(self, text: str) -> str:
        for hole, choices in HOLES.items():
            while hole in text:
                text = text.replace(hole, self.rng.choice(choices), 1)
        return super()._filled(text)
