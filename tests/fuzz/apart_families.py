# ruff: noqa: E501 -- tables of expressions
"""More random programs over arrays whose sizes vary apart: ufuncs' methods with all their options, dtypes from truths to complex numbers
in extended precision beside numbers of every kind, families of sorting with what cannot be ordered, nested records, and chains of shapes
whose bounds are computed from sizes. The generators behind ``fuzz/apart.py``, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.fuzz.apart_programs import Grower

BINARY = "add subtract multiply divide floor_divide remainder power maximum minimum fmax fmin less equal not_equal greater_equal logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor left_shift right_shift arctan2 hypot copysign nextafter heaviside gcd lcm logaddexp logaddexp2 float_power fmod divmod ldexp".split()  # fmt: skip
UNARY = "negative absolute sqrt exp log sign floor ceil rint square reciprocal isnan isfinite signbit conj invert logical_not sin cos tanh cbrt positive spacing trunc fabs log1p expm1 bitwise_count modf frexp deg2rad exp2 log2".split()

DTYPES = "? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 g F D G".split()


class Methods(Grower):
    """Ufuncs' methods with all their options."""

    axes = {
        "a": ("n", "m"),
        "b": ("n",),
        "c": ("m",),
        "i": ("n", "m"),
        "k": ("n",),
        "u": ("m", "n"),
        "t": ("p", "n", "m"),
        "o": ("n", "m"),
        "w": ("n", "m"),
        "h": ("n",),
    }

    def make(self, g: Any, name: str, shape: tuple[int, ...]) -> Any:
        if name == "i":
            return g.choice([-128, 127, 0, 1, -1, 5], shape).astype("i1")
        if name == "k":
            return g.integers(0, 4, shape)
        if name == "u":
            return g.integers(0, 256, shape).astype("u1")
        if name == "w":
            return g.random(shape) > 0.4
        if name == "h":
            return g.choice([1, -2, 0.1, 6e4, np.inf, -0.0, np.nan], shape).astype("f2")
        if name == "t":
            return np.asfortranarray(g.standard_normal(shape).round(1))
        if name == "o":
            return np.zeros(shape)
        return g.choice([0.0, -0.0, 1.0, -1.5, 2.5, 3.0, np.nan, np.inf, 0.5], shape, p=[0.1, 0.05, 0.2, 0.2, 0.15, 0.15, 0.05, 0.05, 0.05])

    def axis(self) -> str:
        return self.pick("0", "-1", "1", "None", "(0, 1)", "()", "(0, -1)", "-2")

    def ax1(self) -> str:
        return self.pick("0", "0", "-1", "1")

    def val(self) -> str:
        return self.seen(3, "{0}[::-1]", "{0}.T", "{0}[1:]", "{0}[..., :1]", "{0}[..., None]", "{0}[:0]")

    def num(self) -> str:
        return self.pick(
            "2", "-1", "0.5", "np.float32(2)", "np.int8(3)", "True", "1j", "0", "100", "b[0]", "k[0]", "len(b)", "None", "np.array(2)"
        )

    def where(self) -> str:
        return self.pick("w", "w", "w[0]", "b > 0", "k[:, None] > 1", "True", "np.False_", "w.T", "a > 0")

    def opts(self, *names: str) -> str:
        o = []
        for n in names:
            if self.rng.random() < 0.35:
                v = {
                    "dtype": lambda: self.pick("'f4'", "'f8'", "int", "'i1'", "complex", "bool", "'f2'", "'u8'", "'i2'"),
                    "keepdims": lambda: self.pick("True", "False"),
                    "initial": lambda: self.num(),
                    "where": self.where,
                    "casting": lambda: self.pick("'unsafe'", "'same_kind'", "'safe'"),
                    "order": lambda: self.pick("'F'", "'C'", "'K'"),  # fmt: skip
                    "out": lambda: self.pick(
                        "o",
                        "o",
                        "np.zeros_like(a)",
                        "a",
                        "np.zeros(len(b))",
                        "np.zeros((len(b), 1))",
                        "...",
                        "o[0]",
                        "o[:, 0]",
                        "o.T",
                        "i",
                        "np.zeros(a.shape, 'f4')",
                        "np.empty(c.shape)[...]" if 0 else "np.zeros(c.shape)",
                    ),
                    "axis": self.axis,
                }[n]()
                o.append(f"{n}={v}")
        return "".join(", " + x for x in o)

    def statement(self) -> tuple[str | None, str]:
        rng = self.rng
        t = self.fresh()
        r = rng.random()
        f = "np." + rng.choice(BINARY)
        u = "np." + rng.choice(UNARY)
        x, y = self.val(), self.val()
        idx = self.pick(
            "[0, 1]",
            "[0]",
            "[0, 0]",
            "[1, 0]",
            "k % len(k)",
            "k",
            "np.arange(0, len(b))",
            "[0, 2, 1]",
            "[]",
            "[-1]",
            "np.arange(len(b))[::2]",
            "[0, len(b) - 1]",
            "k[:0]",
        )
        if r < 0.25:
            return t, f"{f}.reduce({x}, axis={self.axis()}{self.opts('dtype', 'out', 'keepdims', 'initial', 'where')})"
        if r < 0.4:
            return t, f"{f}.reduceat({x}, {idx}, axis={self.ax1()}{self.opts('dtype', 'out')})"
        if r < 0.52:
            return t, f"{f}.accumulate({x}, axis={self.ax1()}{self.opts('dtype', 'out')})"
        if r < 0.6:
            return t, f"{f}.outer({x}, {self.pick(y, self.num())}{self.opts('dtype', 'casting', 'order')})"
        if r < 0.7:
            return (
                None,
                f"{f}.at({self.pick(*self.arrays())}, {self.pick(idx, '(k % len(k), 0)', 'np.s_[:, 0]', 'w', 'np.s_[..., [0, 0]]', '-1', 'w[0]', 'b > 0', 'np.s_[::-1]')}, {self.pick(self.num(), '1', 'b[:1]')})",
            )
        if r < 0.73:
            return None, f"{u}.at({self.pick(*self.arrays())}, {idx})"
        if r < 0.83:
            w = self.where()
            return (
                t,
                f"{f}({x}, {self.pick(y, self.num())}, out={self.pick('np.zeros(np.broadcast_shapes(np.shape(' + x + '), np.shape(' + y + ')))', 'o', 'a', 'np.ones(np.shape(' + x + '))', 'i')}, where={w}{self.opts('dtype', 'casting')})",
            )
        if r < 0.9:
            return t, f"{u}({x}{self.opts('out', 'dtype', 'casting', 'order')})"
        return t, self.pick(f"np.sum({x}, axis={self.axis()}{self.opts('dtype', 'out', 'keepdims', 'initial', 'where')})", f"np.prod({x}, axis={self.axis()}{self.opts('dtype', 'keepdims', 'initial', 'where')})", f"np.max({x}, axis={self.axis()}{self.opts('out', 'keepdims', 'initial', 'where')})", f"np.mean({x}, axis={self.axis()}{self.opts('dtype', 'out', 'keepdims', 'where')})", f"np.var({x}, axis={self.axis()}{self.opts('dtype', 'keepdims', 'where')}, ddof={self.pick(0, 1)})", f"np.std({x}, axis={self.axis()}, mean=np.mean({x}, axis={self.axis()}, keepdims=True))", f"np.any({x}, axis={self.axis()}{self.opts('keepdims', 'where', 'out')})", f"np.all({x}, axis={self.axis()}{self.opts('keepdims', 'where')})", f"np.cumsum({x}, axis={self.ax1()}{self.opts('dtype', 'out')})", f"np.cumulative_sum({x}, axis={self.ax1()}, include_initial=True)", f"np.ptp({x}, axis={self.ax1()})", f"np.nansum({x}, axis={self.axis()}{self.opts('dtype', 'keepdims', 'initial', 'where')})", f"np.nanmax({x}, axis={self.axis()}{self.opts('keepdims', 'initial', 'where')})", f"np.nanmean({x}, axis={self.axis()}{self.opts('keepdims', 'where')})", f"np.count_nonzero({x}, axis={self.axis()}{self.opts('keepdims')})", f"np.argmax({x}, axis={self.ax1()}{self.opts('keepdims')})", f"np.diff({x}, axis={self.ax1()}, n={self.pick(1, 2, 0)}, prepend={self.pick('0', 'np.nan', x)})", f"np.trapezoid({x}, axis={self.ax1()})", f"np.gradient({x}, axis={self.ax1()})", f"np.ediff1d({x}, to_end={self.num()})", f"np.logical_and.reduce([{x}, {y}])", f"np.add.reduce([{x}, {y}], axis=None)", f"np.clip({x}, {self.num()}, {self.num()}{self.opts('out')})", f"np.average({x}, axis={self.ax1()}, weights=np.abs({y}))", f"{x}.sum({self.axis()})", f"{x}.max({self.ax1()}) - {y}.min({self.ax1()})", f"np.frompyfunc(lambda p, q: p + q, 2, 1).reduce({x}, axis=0)")  # fmt: skip


class Mixtures(Grower):
    """Arrays of all dtypes beside numbers of all kinds."""

    axes = {"x" + c if c != "?" else "xb": ("n",) if j % 2 else ("n", "m") for j, c in enumerate(DTYPES)}
    numbers = ("n",)

    def make(self, g: Any, name: str, shape: tuple[int, ...]) -> Any:
        c = name[1:] if name != "xb" else "?"
        if c in "bBhHiIlLqQ" or c[0] in "iu":
            info = np.iinfo(c)
            return g.choice(np.array([info.min, info.max, 0, 1, 2, 7, 3, 5], c), shape)
        if c == "?":
            return g.random(shape) > 0.5
        base = g.choice(
            [0.0, -0.0, 1.0, -1.5, 2.5, 3.0, 0.1, 1e4, 65504.0, np.inf, np.nan, 1e-7],
            shape,
            p=[0.08, 0.04, 0.2, 0.1, 0.15, 0.1, 0.15, 0.05, 0.03, 0.03, 0.03, 0.04],
        )
        if c in "FDG":
            base = base + 1j * g.choice([0.0, 1.0, -0.0, 2.5], shape)
        return base.astype(c)

    def val(self) -> str:
        n = self.pick(*self.arrays())
        r = self.rng.random()
        if r < 0.1 and self.env[n].ndim:
            return n + self.pick("[0]", "[-1]", "[:1]", "[::-1]")
        if r < 0.15:
            return n + self.pick(".real", ".imag", ".T", ".conj()")
        return n

    def num(self) -> str: return self.pick("2", "-1", "0.5", "1j", "True", "300", "2**40", "2**63", "-2**63", "1e300", "1e39", "65520.0", "np.float32(0.1)", "np.float16(2)", "np.longdouble('0.1')", "np.int8(-128)", "np.uint8(200)", "np.uint64(2**63)", "np.int64(3)", "np.complex64(1+1j)", "np.clongdouble(2)", "np.bool_(True)", "n", "n * 100", "-n", "n / 3", "0", "float('nan')", "np.float64(3)", "2**64", "10**30", "n * 2**31", "np.array(2)", "np.array(0.1, 'f2')", "np.array(7, 'g')", "np.uint8(n)", "np.float32(n)")  # fmt: skip

    def statement(self) -> tuple[str | None, str]:
        rng = self.rng
        t = self.fresh()
        r = rng.random()
        x, y = self.val(), self.val()
        op = self.pick("+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "<", "==", "!=", ">=", "@")
        y = self.pick(y, y, self.num())
        if rng.random() < 0.1:
            x = self.num()
        if r < 0.4:
            return t, f"{x} {op} {y}"
        f = "np." + rng.choice(BINARY)
        u = "np." + rng.choice(UNARY)
        d = repr(rng.choice(DTYPES))
        if r < 0.5:
            return t, f"{f}({x}, {y})"
        if r < 0.6:
            return t, f"{u}({x})"
        if r < 0.68:
            return None, f"{self.pick(*self.arrays())} {self.pick('+=', '-=', '*=', '/=', '//=', '%=', '**=', '&=', '|=', '<<=')} {y}"
        if r < 0.72:
            return (
                None,
                f"{self.pick(*self.arrays())}[{self.pick('0', '...', '::2', '-1', '[0]', 'xb[:, 0]')}] = {self.pick(self.num(), 'xf8', 'xi8', 'xD')}",
            )
        return t, self.pick(f"np.where({x} > 0, {x}, {y})", f"np.where(xb, {x}, {y})", f"np.concatenate([{x}, {y}])", f"np.stack([{x}, {y}])", f"np.result_type({x}, {y})", f"np.maximum({x}, {y})", f"np.clip({x}, {y}, {self.num()})", f"np.sum({x}, axis=0)", f"np.mean({x}, axis=0)", f"np.prod({x}[:2])", f"np.cumsum({x})", f"np.add({x}, {y}, dtype={d})", f"np.multiply({x}, {y}, dtype={d}, casting='unsafe')", f"np.full(2, {y}, {d})", f"np.full_like({x}, {y})", f"np.array([{y}, 1])", f"np.array([{y}, {self.num()}])", f"np.asarray({x}, dtype=np.result_type({x}, {d}))", f"np.nan_to_num({x})", f"np.isclose({x}, {y})", f"np.angle({x})", f"np.real_if_close({x})", f"np.dot({x}, {y})", f"np.inner({x}, {y})", f"np.var({x}, axis=0)", f"np.abs({x})", f"np.round({x}, 1)", f"np.select([{x} > 1], [{x}], {y})", f"np.append({x}, {y})", f"np.insert({x}, 0, {y})", f"np.linspace({self.num()}, {self.num()}, 3, dtype={d})", f"np.arange({self.num()}, {self.num()})[:4]", f"np.can_cast({x}.dtype, {d})", f"np.promote_types({x}.dtype, {d})", f"np.min_scalar_type({y})", f"np.power({x}, {y})", f"np.float_power({x}, {y})", f"np.polyval([{y}, 1, {self.num()}], {x})", f"np.interp({y}, xf4, xf4)", f"np.outer({x}, {y})", f"np.heaviside({x}, {y})", f"np.searchsorted({x}, {y})", f"np.digitize({x}, [0, {y}])", f"np.histogram({x})[0]", f"np.bincount({x})", f"np.unique({x})", f"np.sort({x})", f"np.isin({x}, {y})", f"np.diff({x})", f"np.pad({x}, 1, constant_values={y})", f"np.copysign({x}, {y})", f"np.nextafter({x}, {y})", f"np.spacing({x})", f"np.sum([{x}, {y}], axis=0)", f"np.max({x}, initial={y})", f"np.add.reduce({x}, initial={y})", f"np.trapezoid({x})", f"np.fft.fft({x})", f"np.convolve({x}, {y})", f"np.median({x})", f"np.percentile({x}, 30)", f"np.quantile({x}, {self.pick('np.float32(0.3)', '0.5', '[0.1, 1]')})", f"np.average({x}, weights=np.ones(len({x})))", f"np.linalg.norm({x})", f"np.vander({x}, 3)", f"np.cross({x}[:3], {y})", f"np.ldexp({x}, 2)", f"np.frexp({x})", f"np.modf({x})", f"np.divmod({x}, {y})", f"{x}.astype({d})" if self._ok(x, d) else f"{x}.astype('G')", f"{x}.view('u1').sum()", f"{x}.item(0)", f"{x}.dtype", f"{x}.itemsize", f"np.finfo({x}.dtype).eps", f"np.iinfo({x}.dtype).max", f"divmod({x}, {y})", f"round({x}[0])", f"int({x}.flat[0])", f"float({x}.flat[0])", f"complex({x}.flat[0])", f"sum({x}.tolist()) if {x}.ndim == 1 else 0", f"{x}.max() + {y}", f"max({x}.flat[0], {y})", f"abs({x}.flat[0])", f"{x}.flat[0] ** {y}", f"{x}.flat[0] {op} {y}", f"{y} {op} {x}.flat[0]", f"f'{{{x}.flat[0]}}'", f"repr({x}.flat[0])", f"{x}.flat[0].item()", f"type({x}.flat[0] {op} {y}).__name__")  # fmt: skip

    def _ok(self, x: str, d: str) -> bool:
        try:
            return np.can_cast(eval(x, self.env).dtype, eval(d), "same_kind")
        except Exception:
            return False


class Orders(Grower):
    """Families of sorting and searching over what cannot be ordered."""

    axes = {
        "a": ("n",),
        "b": ("n", "m"),
        "z": ("n",),
        "t": ("n",),
        "s": ("n",),
        "k": ("m",),
        "f": ("n", "m"),
        "u": ("m", "n"),
        "d": ("m",),
        "q": ("n",),
        "h": ("m",),
    }

    def make(self, g: Any, name: str, shape: tuple[int, ...]) -> Any:
        if name == "z":
            return g.choice([1, 1j, np.nan, complex(0, np.nan), 2 + 1j, 0, -1], shape)
        if name == "t":
            return g.choice(np.array(["2020-01-31", "NaT", "1969-12-31", "2021-02-01"], "M8[D]"), shape)
        if name == "d":
            return g.choice(np.array([3, -1, "NaT", 0, 3], "m8[h]"), shape)
        if name == "s":
            return g.choice(np.array(["a", "bb", "", "12", "B", "é"]), shape)
        if name == "k":
            return g.integers(-3, 4, shape)
        if name == "u":
            return g.integers(0, 5, shape).astype("u1")
        if name == "q":
            return g.random(shape) > 0.5
        if name == "h":
            return g.choice([1, np.nan, -0.0, 0, 2, np.inf], shape).astype("f2")
        v = g.choice([0.0, -0.0, 1.0, -1.5, 2.5, 3.0, np.nan, np.inf, -np.inf], shape)
        return np.asfortranarray(v.astype("f4")) if name == "f" else v

    def val(self) -> str:
        parts = ("{0}[:2]", "{0}.ravel()", "np.sort({0}, axis=None)", "{0}[:0]", "np.concatenate([{0}, {0}])", "{0}[..., None]")
        return self.seen(4, "{0}[::-1]", "{0}.T", *parts)

    def statement(self) -> tuple[str | None, str]:
        rng = self.rng
        t = self.fresh()
        r = rng.random()
        x, y, w = self.val(), self.val(), self.val()
        ax = self.pick("0", "-1", "None", "1", "-1")
        kind = self.pick("", "", ", kind='stable'", ", kind='heapsort'", ", stable=True", ", kind='mergesort'")
        p = self.pick("0", "1", "-1", "[0, 1]", "len(a) // 2", "[0, -1]", "2")
        side = self.pick("'left'", "'right'")
        b = lambda: self.pick("True", "False")
        if r < 0.06:
            return None, self.pick(
                f"{self.pick(*self.arrays())}.sort({ax}{kind})",
                f"{self.pick(*self.arrays())}.partition({p})",
                f"{self.pick(*self.arrays())}.T.sort()",
                f"{self.pick(*self.arrays())}[::-1].sort()",
                f"np.random.default_rng(3).shuffle({self.pick(*self.arrays())})",
            )
        return t, self.pick(f"np.sort({x}, axis={ax}{kind})", f"np.argsort({x}, axis={ax}{kind})", f"np.partition({x}, {p}, axis={ax})", f"np.argpartition({x}, {p}, axis={ax})", f"np.searchsorted(np.sort({x}), {y}, {side})", f"np.searchsorted({x}, {y}, sorter=np.argsort({x}))", f"np.searchsorted(np.sort({x}.ravel()), {y}, {side})", f"np.unique({x}, return_index={b()}, return_inverse={b()}, return_counts={b()}, equal_nan={b()})", f"np.unique({x}, axis={ax})", f"np.unique({x}, return_inverse=True, axis={ax})", f"np.unique_values({x})", f"np.unique_counts({x})", f"np.unique_all({x})", f"np.unique_inverse({x})", f"np.unique({x}, sorted=True)", f"np.lexsort(({x}, {y}))", f"np.lexsort(({x}, {y}, {w}), axis={self.pick('0', '-1')})", f"np.isin({x}, {y}, invert={b()})", f"np.isin({x}, {y}, assume_unique=True)", f"np.isin({x}, {y}, kind='sort')", f"np.intersect1d({x}, {y}, return_indices={b()})", f"np.union1d({x}, {y})", f"np.setdiff1d({x}, {y})", f"np.setxor1d({x}, {y})", f"np.argmax({x}, axis={ax})", f"np.argmin({x}, axis={ax})", f"np.nanargmax({x}, axis={ax})", f"np.max({x}, axis={ax})", f"np.min({x}, axis={ax})", f"np.fmax.reduce({x}, axis={ax})", f"np.nanmin({x}, axis={ax})", f"np.median({x}, axis={ax})", f"np.nanmedian({x}, axis={ax})", f"np.percentile({x}, [0, 50, 99], axis={ax}, method={self.pick(repr('linear'), repr('lower'), repr('nearest'), repr('hazen'), repr('inverted_cdf'))})", f"np.quantile({x}, 0.25, axis={ax}, weights=np.abs({y}), method='inverted_cdf')", f"np.nanquantile({x}, [0.5], axis={ax})", f"np.sort_complex({x})", f"np.digitize({x}, np.sort({y}), right={b()})", f"np.histogram({x}, bins=np.sort({y}))", f"np.histogram({x}, bins={self.pick(3, 0, 1)}, range=(-1, 3))", f"np.histogram({x}[np.isfinite({x})], {self.pick(4, repr('auto'), repr('fd'), repr('sqrt'))})", f"np.histogram2d({x}, {y}, bins=2, range=[[0, 1], [0, 1]])[0]", f"np.bincount({x}, minlength=len(a))", f"np.bincount({x}, weights={y})", f"np.take_along_axis({x}, np.argsort({x}, {self.pick(0, -1)}), {self.pick(0, -1)})", f"np.trim_zeros({x})", f"np.flatnonzero({x})", f"np.array_equal({x}, {y}, equal_nan={b()})", f"np.array_equal({x}, {y})", f"np.allclose({x}, {y}, equal_nan=True)", f"np.maximum.accumulate({x}, axis={self.pick(0, -1)})", f"{x} < {y}", f"{x} == {y}", f"np.maximum({x}, {y})", f"np.fmin({x}, {y})", f"np.sign({x})", f"np.where({x} == {x}, {x}, {y})", f"np.isnat({x})", f"np.nan_to_num({x})", f"np.diff(np.sort({x}, axis={self.pick(0, -1)}))", f"sorted({x}.tolist(), key=str)", f"np.rot90({x})", f"np.flip({x}, {ax})", f"np.roll({x}, 1, {ax})", f"np.interp({x}, np.sort({y}), {w})", f"np.piecewise({x}, [{x} > 0], [1, 2])", f"np.extract({x} > 0, {x})", f"np.compress({x} > 0, {y})", f"np.ptp({x}, {ax})", f"np.cumsum({x}, {self.pick(0, -1)})", f"np.nancumsum({x})", f"np.corrcoef({x})", f"np.select([{x} > 0], [{x}])", f"np.apply_along_axis(np.sort, {self.pick(0, -1)}, {x})", f"max({x}.tolist(), default=0)" , f"min({x})" , f"sorted({x})", f"np.argwhere({x} == {x}.max())", f"np.any({x} > {y})", f"np.random.default_rng(1).permutation({x})", f"np.count_nonzero({x} > {y})", f"np.mean({x}[{x} == {x}])")  # fmt: skip


class Records(Grower):
    """Nested records, with gaps and fields out of order."""

    axes = {"r": ("n",), "p": ("n",), "v": ("m",), "k": ("n",), "x": ("n", 2), "q": ("n", "m"), "y": ("n",), "g": ("n",)}
    header = "P = np.dtype({'names': ['a', 'b'], 'formats': ['i2', 'f8'], 'offsets': [8, 0], 'itemsize': 24})\nR = np.dtype([('a', 'i4'), ('b', 'f8'), ('c', 'f4', (2,)), ('d', [('e', 'u1'), ('f', 'U3')]), ('t', 'M8[D]')])\nV = np.dtype([('a', '?'), ('b', 'i1')], align=True)\n"

    def make(self, g: Any, name: str, shape: tuple[int, ...]) -> Any:
        env = {"np": np}
        exec(self.header, env)
        if name == "x":
            return g.standard_normal(shape).round(1)
        if name == "y":
            return g.standard_normal(shape).round(1).astype("f4")
        if name == "k":
            return g.integers(-1, 4, shape)
        if name == "g":
            return np.array(g.standard_normal(shape), [("b", "f8")])
        if name == "v":
            v = np.zeros(shape, env["V"])
            v["a"] = g.random(shape) > 0.5
            v["b"] = g.integers(-3, 4, shape)
            return v
        if name == "q":
            v = np.zeros(shape, [("a", "f4"), ("b", "c8")])
            v["a"] = g.integers(-3, 4, shape)
            v["b"] = 1j * v["a"] + 1
            return v
        if name == "p":
            v = np.zeros(shape, env["P"])
            v["a"] = g.integers(-3, 4, shape)
            v["b"] = g.standard_normal(shape).round(1)
            return v
        v = np.zeros(shape, env["R"])
        v["a"] = g.integers(-3, 4, shape)
        v["b"] = g.choice([1.0, np.nan, -0.0, 2.5], shape)
        v["c"] = g.standard_normal((*shape, 2)).round(1)
        v["d"]["e"] = g.integers(0, 5, shape)
        v["d"]["f"] = g.choice(np.array(["a", "bcd", ""]), shape)
        v["t"] = g.choice(np.array(["2020-01-31", "NaT"], "M8[D]"), shape)
        return v

    def rec(self) -> str:
        n = self.structured()
        nd = self.env[n].ndim
        return self.pick(
            n,
            n,
            n,
            n,
            f"{n}[::-1]" if nd else n,
            f"{n}[:2]" if nd else n,
            f"{n}[:, None]" if nd else n,
            f"{n}[1:]" if nd else n,
            f"{n}[k > 0]" if nd == 1 else n,
            f"{n}.copy()",
        )

    def fld(self) -> str:
        return self.pick(
            "'a'",
            "'b'",
            "'a'",
            "'b'",
            "'c'",
            "'d'",
            "'t'",
            "['a']",
            "['b', 'a']",
            "['a', 'b']",
            "['d', 't']",
            "['c', 'a']",
            "'zz'",
            "0",
            "-1",
            "...",
            "k > 0",
            "['a', 'a']",
            "[0, -1]",
            "[]",
        )

    def value(self) -> str:
        return self.pick(
            "1",
            "2.5",
            "k",
            "y",
            "x",
            "(1, 2)",
            "(1, 2.0, [1, 2], (3, 'xy'), '2020-01-01')",
            "r",
            "r[0]",
            "p",
            "p[0]",
            "r['b']",
            "0",
            "'7'",
            "g",
            "v[:1]",
            "(True, 3)",
            "x[0]",
            "np.float32(3)",
            "np.zeros((), R)",
            "q",
        )

    def statement(self) -> tuple[str | None, str]:
        rng = self.rng
        t = self.fresh()
        r = rng.random()
        x, y = self.rec(), self.rec()
        f, h, v = self.fld, self.fld, self.value
        n = self.structured()
        if r < 0.3:
            return None, self.pick(f"{n}[{f()}] = {v()}", f"{n}[{f()}][{h()}] = {v()}", f"{n}[{f()}] {self.pick('+=', '*=', '-=')} {v()}", f"{n}[{f()}][{h()}] += 1", f"{n}[0] = {v()}", f"{n}[0][{f()}] = {v()}", f"{n}[...] = {v()}", f"{n}.sort(order={f()})", f"{n}.fill({v()})", f"np.copyto({n}, {v()}, where=k > 0)", f"np.put({n}, [0], {v()})", f"{n}[1:] = {n}[:-1]", f"{n}[::-1] = {n}", f"{n}[['a', 'b']] = {n}[['b', 'a']]", f"{n}['d']['e'] = {v()}", f"{n}['c'][:, 0] = {v()}", f"{n}['c'][...] += {v()}", f"{n}.view('V{24}')[0] = {n}.view('V24')[-1]", f"{n}.flat[0] = {v()}", f"np.putmask({n}, k > 0, {n}[::-1])")  # fmt: skip
        return t, self.pick(f"{x}[{f()}]", f"{x}[{f()}][{h()}]", f"{x}[0]", f"{x}[-1][{f()}]", f"{x}[0].item()", f"{x}.tolist()", f"{x}[{f()}] + {y}[{f()}]", f"{x}[{f()}].sum()", f"{x} == {y}", f"{x} != {y}", f"{x} == {v()}", f"np.sort({x}, order={f()})", f"np.argsort({x}, order={f()}, kind='stable')", f"np.concatenate([{x}, {y}])", f"np.stack([{x}, {y}])", f"np.where(k > 0, {x}, {y})", f"{x}.astype({y}.dtype)", f"{x}.astype({self.pick('P', 'R', 'V')})", f"{x}.view({self.pick(repr('u1'), 'P', 'np.recarray', repr('V24'))})", f"{x}[['a', 'b']].copy().dtype", f"np.empty_like({x}).dtype", f"np.zeros_like({x})", f"np.zeros(2, {x}.dtype)", f"np.full(2, {v()}, {self.pick('P', 'R', 'V')})", f"np.array([{v()}, {v()}], {self.pick('P', 'R', 'V')})", f"np.array({v()}, {self.pick('P', 'R', 'V')})", f"{x}.dtype.names", f"{x}.dtype.itemsize", f"{x}.strides", f"{x}[{f()}].strides", f"{x}[{f()}].dtype", f"np.unique({x})", f"np.unique({x}[{f()}])", f"np.isin({x}, {y})", f"np.repeat({x}, 2)", f"np.roll({x}, 1)", f"np.take({x}, [0, -1])", f"np.tile({x}, 2)", f"{x}.reshape(-1)", f"{x}.T", f"np.flip({x})", f"np.append({x}, {y})", f"np.delete({x}, 0)", f"np.insert({x}, 0, {v()})", f"np.lib.recfunctions.structured_to_unstructured({x}[['a', 'b']])", "np.lib.recfunctions.unstructured_to_structured(x)", f"np.lib.recfunctions.append_fields({x}, 'n', k, usemask=False)", f"np.lib.recfunctions.drop_fields({x}, 'a')", f"np.lib.recfunctions.repack_fields({x}[['b']])", f"np.lib.recfunctions.stack_arrays(({x}, {y}), usemask=False)", f"np.lib.recfunctions.rename_fields({x}, {{'a': 'A'}})", f"np.lib.recfunctions.join_by('a', {x}, {y}, usemask=False)", "np.rec.fromarrays([k, y], names='p,q')", f"np.rec.array({x}).b", f"{x}.byteswap()", f"{x}[0] == {y}[-1]", f"[*{x}[0]]", f"len({x}[0])", f"{x}[0].dtype", f"{{n: {x}[n].sum() for n in ('a', 'b')}}", f"[q['b'] for q in {x}.ravel()[:2]]", f"sum(q['a'] for q in {x}.ravel())", f"{x}.ravel()['b'].max()", f"np.lexsort(({x}['a'], {x}['b']))", f"np.sum({x}['c'], axis=-1)", f"np.nonzero({x})", f"{x}.flags.writeable", f"np.broadcast_to({x}, (2, *{x}.shape))['a']", f"{x}[0].copy()", f"np.array({x}[0])", f"np.asarray({x})[{f()}]", f"{x}.squeeze()", f"np.maximum({x}['a'], {y}['b'])", f"np.average({x}['b'], weights=np.abs({x}['a']))", f"np.vectorize(lambda q: q * 2)({x}['a'])", f"np.select([k > 0], [{x}['b']], 0)", f"{x}.nbytes", f"np.promote_types({x}.dtype, {y}.dtype)", f"np.result_type({x}, {y})", f"np.can_cast({x}.dtype, {y}.dtype, 'unsafe')", f"{x}.getfield('i2', 0)", f"memoryview({x}['b'])[0]")  # fmt: skip


class Chains(Grower):
    """Changes of shape whose bounds are computed from sizes."""

    axes = {"a": ("n", "m"), "b": ("n",), "c": ("p", "n", "m"), "d": ("m", "n"), "e": (1, "n"), "f": ("k",), "g": ("n", "n")}
    numbers = ("n", "j")
    header = "import math\n"

    def make(self, g: Any, name: str, shape: tuple[int, ...]) -> Any:
        v = g.integers(-9, 10, shape) * 0.5
        if name == "d":
            return np.asfortranarray(v)
        if name == "c":
            return v.astype("f4")[::-1]
        if name == "f":
            return g.integers(0, 4, shape)
        return v

    def val(self) -> str:
        return self.seen(4, "{0}[::-1]", "{0}.T", "{0}[1:]", "{0}[..., :-1]", "{0}[None]", "{0}[..., 0]", "{0}[:0]")

    def size(self) -> str: return self.pick("n", "len(b)", "a.shape[1]", "a.size", "n - 1", "n // 2", "-n", "n + j", "1", "2", "0", "-1", "3", "n * 2", "c.shape[0]", "len(f)", "n % 2", "min(n, len(f))", "max(n - 2, 0)", "math.ceil(n / 2)", "a.ndim", "b.nbytes // 8", "n - a.shape[1]", "j", "(n > 2) + 1", "n ** 2 // 2", "abs(n - len(f))", "-j", "len(f) - n")  # fmt: skip

    def statement(self) -> tuple[str | None, str]:
        rng = self.rng
        t = self.fresh()
        x, y = self.val(), self.val()
        s = self.size
        ax = self.pick("0", "-1", "1", "None")
        ax1 = self.pick("0", "-1", "1", "0")
        mode = self.pick(
            "'constant'",
            "'edge'",
            "'reflect'",
            "'symmetric'",
            "'wrap'",
            "'linear_ramp'",
            "'maximum'",
            "'mean'",
            "'minimum'",
            "'median'",
        )
        fs = [f"np.pad({x}, {self.pick(s(), '(' + s() + ', ' + s() + ')', '((1, 0),) * ' + x + '.ndim', '[(' + s() + ', 0)] + [(0, 1)] * (' + x + '.ndim - 1)', '{' + ax1.replace('None', '0') + ': (1, ' + s() + ')}')}, {mode})", f"np.roll({x}, {s()}, {ax})", f"np.roll({x}, ({s()}, {s()}), (0, -1))", f"np.flip({x}, {ax})", f"np.rot90({x}, {s()}, {self.pick('(0, 1)', '(1, 0)', '(0, -1)')})", f"np.tile({x}, {self.pick(s(), '(2, ' + s() + ')', '(' + s() + ', 1, 1)')})", f"np.repeat({x}, {self.pick(s(), 'f', 'f % 3', '[2]', '[1, ' + s() + ']')}, {ax})", f"np.concatenate([{x}, {y}], {ax})", f"np.stack([{x}, {y}], {ax1})", f"np.split({x}, {self.pick(s(), '[' + s() + ']', '[1, ' + s() + ']')}, {ax1})", f"np.array_split({x}, {s()}, {ax1})", f"np.hsplit({x}, {s()})", f"{x}.reshape({s()}, {s()})", f"{x}.reshape(-1, {s()})", f"{x}.reshape({s()}, -1, order='F')", f"{x}.reshape({x}.shape[::-1])", f"np.resize({x}, ({s()}, {s()}))", f"{x}.ravel({self.pick(repr('C'), repr('F'), repr('K'), repr('A'))})", f"np.squeeze({x}, {ax})", f"np.expand_dims({x}, ({ax1}, 0))", f"np.swapaxes({x}, 0, {ax1})", f"np.moveaxis({x}, 0, {ax1})", f"np.broadcast_to({x}, ({s()}, *{x}.shape))", f"np.broadcast_to({x}, ({s()}, {s()}))", f"np.broadcast_arrays({x}, {y})", f"{x} + {y}", f"{x} * {y}[:1]", f"{x}[{s()}:]", f"{x}[:{s()}]", f"{x}[::{s()}]", f"{x}[..., {s()}:{s()}]", f"{x}[{s()}]", f"np.take({x}, {s()}, {ax}, mode='wrap')", f"np.delete({x}, {self.pick(s(), 'slice(' + s() + ', None)', '[0, ' + s() + ']')}, {ax})", f"np.insert({x}, {s()}, {s()}, {ax})", f"np.append({x}, {y}, {ax})", f"np.eye({s()}, {s()}, {s()})", f"np.diag({x}, {s()})", f"np.diagflat({x}, {s()})", f"np.tri({s()}, {s()}, {s()})", f"np.tril({x}, {s()})", f"np.triu({x}, {s()})", f"np.trace({x}, {s()})", f"np.vander({x}, {s()})", f"np.arange({s()}, {s()})", f"np.arange({s()}, {s()}, {s()})", f"np.linspace(0, {s()}, {s()})", f"np.zeros(({s()}, {s()}))", f"np.full({s()}, {s()})", f"np.ones_like({x}, shape=({s()},))", f"np.indices(({s()}, {s()}))", f"np.mgrid[:{s()}, 0:{s()}]", f"np.ogrid[:{s()}, :2]", f"np.meshgrid({x}, {y})", f"np.ix_({x}, {y})", f"np.lib.stride_tricks.sliding_window_view({x}, {s()}, {ax})", f"np.lib.stride_tricks.sliding_window_view({x}, ({s()}, 2))", f"np.fft.fft({x}, {s()}, {ax1})", f"np.fft.rfft({x}, {s()})", f"np.fft.irfft({x}, {s()}, {ax1}) if {x}.size else 0", f"np.fft.fft2({x}, ({s()}, {s()}))", f"np.fft.fftshift({x}, {ax})", f"np.fft.fftfreq({s()})", f"np.fft.rfftn({x}, axes=({ax1},))", f"np.block([[{x}, {y}], [{y}, {x}]])", f"np.vstack([{x}, {y}])", f"np.hstack([{x}, {y}])", f"np.dstack([{x}, {y}])", f"np.column_stack([{x}, {y}])", f"np.atleast_2d({x})", f"np.atleast_3d({x})", f"np.unravel_index({s()}, ({s()}, {s()}))", f"np.ravel_multi_index(({s()}, {s()}), ({s()}, {s()}), mode='wrap')", f"np.convolve({x}, {y}, {self.pick(repr('same'), repr('valid'), repr('full'))})", f"np.correlate({x}, {y})", f"np.bartlett({s()})", f"np.hanning({s()})", f"np.kaiser({s()}, 2.0)", f"np.cumsum({x}, {ax})", f"np.gradient({x}, axis={ax1})", f"np.diff({x}, {s()}, {ax1})", f"np.trapezoid({x}, dx=0.5, axis={ax1})", f"np.interp({s()}, b, b)", f"np.polyfit(b, b, {s()})", f"np.packbits({x} > 0, {ax})", f"np.unpackbits(np.packbits({x} > 0), count={s()}) if {x}.size else 0", f"np.bincount(f, minlength={s()})", f"np.histogram({x}, {s()}, (-5, 5))[0]", f"np.partition({x}, {s()}, {ax1})", f"np.linalg.matrix_power(g, {s()})", f"np.unstack({x}, axis={ax1})", f"np.cov({x})", f"np.dot({x}, {y})", f"np.kron({x}, {y})", f"np.lib.stride_tricks.as_strided({x}, ({s()}, 1), (0, 8))", f"np.fromfunction(lambda p, q: p + q, ({s()}, {s()}))", f"np.apply_along_axis(lambda q: q[:{s()}], {ax1}, {x})", f"np.array([{x}[:{s()}].sum(), {s()}])", f"np.array([{s()}, {s()}])", f"({s()}, {s()})", f"[{x}.shape, {x}.size, {x}.strides]", f"np.partition({x}, {s()})[:{s()}]", f"np.rollaxis({x}, {ax1}, {s()})", f"np.geomspace(1, 2 + abs({s()}), {s()})", f"np.logspace(0, 1, {s()})", f"np.trim_zeros({x})", f"np.searchsorted(np.arange({s()}), {s()})", f"np.poly({x})", f"np.polyval({x}, {s()})", f"np.roots({x})", f"np.random.default_rng({s()} % 5).random(({s()}, 2))", f"np.cross({x}, {y})", f"np.nan_to_num({x} / {s()})", f"np.average({x}, axis={ax1}, weights={y})"]  # fmt: skip
        if rng.random() < 0.12:
            n = self.pick(*self.arrays())
            return None, self.pick(
                f"{n}[{s()}:] = {s()}",
                f"{n}[:{s()}] += 1",
                f"{n}[{s()}] = {y}",
                f"{n}[..., {s()}:] *= 2",
                f"{n}[::{s()}] = 0",
                f"{n}[{s()}:{s()}] = {n}[{s()}:{s()}]",
                f"{n} += {y}",
                f"{n}[...] = {y}",
            )
        return t, rng.choice(fs)
