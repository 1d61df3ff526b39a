# ruff: noqa: E501 -- tables of expressions
"""Random classes with state that process images and signals: the generator behind ``fuzz/pipelines.py``.

Arithmetic of bytes, look-up tables, histograms, padding and blocks of images; filters, transforms, windows and overlaps of signals;
buffers that are written through views, properties, methods that are overridden. Statements are grown on an example.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.fuzz import grown

Condition = Callable[[Any], bool]


def _kind(kinds: str, *ranks: int) -> Condition:
    return lambda a: isinstance(a, np.ndarray) and a.dtype.kind in kinds and (not ranks or a.ndim in ranks)


ARRAY, INTEGERS, SIGNAL, FLOATS, NUMBERS, REALS, COMPLEX = (
    _kind("biufcmM"), _kind("iu"), _kind("fc", 1), _kind("f"), _kind("iufc"), _kind("iuf"), _kind("c"),
)  # fmt: skip


def LONG(a: Any) -> bool:
    return isinstance(a, np.ndarray) and a.ndim > 0


def BYTES(a: Any) -> bool:
    return isinstance(a, np.ndarray) and a.dtype == np.uint8


def IMAGE(a: Any) -> bool:
    return BYTES(a) and a.ndim >= 2


EXPRESSIONS: tuple[tuple[Condition, str], ...] = (
 (BYTES, "{a} + np.uint8({k})"), (BYTES, "{a} * 3"), (BYTES, "255 - {a}"), (BYTES, "~{a}"), (BYTES, "{a} >> {q}"), (BYTES, "({a} << {q}) & 0xF0"), (BYTES, "{a} ^ ({a} >> 1)"), (BYTES, "np.bitwise_count({a})"), (BYTES, "np.unpackbits({a}, axis=-1)"),
 (BYTES, "np.packbits({a} > {b8}, axis=-1)"), (BYTES, "np.clip({a}.astype(np.int16) * 2 - {k}, 0, 255).astype(np.uint8)"), (BYTES, "({a}.astype(np.float32) / 255.0)"), (BYTES, "np.minimum({a}.astype(int) + {a}[::-1], 255).astype(np.uint8)"), (BYTES, "self.lut[{a}]"), (BYTES, "np.take(self.lut, {a})"), (BYTES, "self.lut.take({a} & 15)"),
 (BYTES, "np.bincount({a}.ravel(), minlength=256)"), (BYTES, "np.bincount({a}.ravel() // 16)"), (BYTES, "np.histogram({a}, bins=8, range=(0, 256))[0]"), (BYTES, "np.cumsum(np.bincount({a}.ravel(), minlength=256))[{a}]"), (BYTES, "{a} // 7 * np.uint8(9)"), (BYTES, "{a} % 10"), (BYTES, "{a} - {a}.min()"), (BYTES, "np.add({a}, {a}, dtype=np.uint16)"), (BYTES, "{a}.mean().astype(np.uint8)"), (BYTES, "{a}.sum(dtype=np.uint8)"), (BYTES, "np.subtract({a}, {k}, dtype='i2')"), (BYTES, "({a} > {b8}) * np.uint8(255)"), (BYTES, "np.where({a} > {b8}, {a}, 0)"), (BYTES, "{a}.view(np.int8)"), (BYTES, "{a}.astype('i1') // -2"), (BYTES, "np.right_shift({a}, {q}, out=np.zeros({a}.shape, np.int16))"), (BYTES, "({a} / 3).round().astype('u1')"), (BYTES, "{a} == {a}.max()"), (BYTES, "np.argmax({a})"), (BYTES, "np.unravel_index(np.argmax({a}), {a}.shape)"), (BYTES, "np.digitize({a}, [10, 100, 200])"), (BYTES, "np.searchsorted(np.array([5, 50, 150]), {a})"), (BYTES, "np.unique({a}).size"), (BYTES, "np.median({a})"), (BYTES, "np.percentile({a}, [5, 95])"), (BYTES, "{a}.astype(bool).any(-1)"), (BYTES, "np.left_shift({a}, 1, casting='unsafe', dtype=np.uint16)"), (BYTES, "{a} * np.float32(0.5)"), (BYTES, "{a} * 0.5"), (BYTES, "np.average({a}, axis=-1)"), (BYTES, "np.ptp({a})"), (BYTES, "{a}.astype('>u2')"), (BYTES, "np.frombuffer({a}.tobytes(), np.uint8)[:{q}]"), (BYTES, "np.gcd({a}, 12)"), (BYTES, "divmod({a}, 16)[1]"), (BYTES, "-{a}"), (BYTES, "{a} ** 2"), (BYTES, "abs({a}.astype('i1'))"),
 (IMAGE, "{a}[::2, ::2]"), (IMAGE, "{a}[1:-1, 1:-1]"), (IMAGE, "np.pad({a}, ((1, 1), (2, 0)) + ((0, 0),) * ({a}.ndim - 2), mode='edge')"), (IMAGE, "np.pad({a}, 1, mode='constant', constant_values={q})"), (IMAGE, "np.repeat(np.repeat({a}, 2, 0), 2, 1)"), (IMAGE, "{a}[: {a}.shape[0] // 2 * 2, : {a}.shape[1] // 2 * 2].reshape({a}.shape[0] // 2, 2, {a}.shape[1] // 2, 2, -1).mean((1, 3))"), (IMAGE, "np.rot90({a})"), (IMAGE, "np.flipud({a})"), (IMAGE, "np.fliplr({a})"), (IMAGE, "np.roll({a}, {k}, 1)"), (IMAGE, "{a}.swapaxes(0, 1)"), (IMAGE, "np.lib.stride_tricks.sliding_window_view({a}, 2, 0).sum(-1)"), (IMAGE, "np.lib.stride_tricks.sliding_window_view({a}, (2, 2), (0, 1)).max((-1, -2))"), (IMAGE, "np.diff({a}.astype(int), axis=0)"), (IMAGE, "{a}[1:].astype(int) - {a}[:-1]"), (IMAGE, "{a}[np.arange({a}.shape[0])[:, None] // 2, np.arange({a}.shape[1]) * 2 // 3]"), (IMAGE, "{a}[(np.arange({a}.shape[0]) * {a}.shape[0] // max({a}.shape[0] - 1, 1)).clip(0, {a}.shape[0] - 1)]"), (IMAGE, "np.cumsum(np.cumsum({a}, 0), 1)"), (IMAGE, "np.cumsum({a}, 1, dtype=np.uint8)"), (IMAGE, "{a}.max((0, 1))"), (IMAGE, "{a}.sum(0)"), (IMAGE, "{a}.argmin(1)"), (IMAGE, "{a}[{a}[..., 0] > 3] if {a}.ndim > 2 else {a}[:, {a}[0] > 3]"), (IMAGE, "np.concatenate([{a}, {a}[::-1]], 0)"), (IMAGE, "np.tile({a}, (2,) + (1,) * ({a}.ndim - 1))"), (IMAGE, "np.sort({a}, 0)"), (IMAGE, "np.vstack([{a}[:1], {a}[:-1]])"), (IMAGE, "np.nonzero({a} > {b8})[0]"), (IMAGE, "np.argwhere({a} > {b8})"), (IMAGE, "np.tensordot({a}.astype('f4'), self.kern, (1, 0)) if {a}.shape[1] == 3 else {a}"), (IMAGE, "{a}.dot(np.arange({a}.shape[-1], dtype=np.uint8))"), (IMAGE, "np.einsum('ij...->j...', {a})"), (IMAGE, "{a}.T[..., None]"), (IMAGE, "np.moveaxis({a}, 0, -1).copy()"),
 (SIGNAL, "np.fft.rfft({a}.real)"), (SIGNAL, "np.fft.fft({a})"), (SIGNAL, "np.fft.ifft(np.fft.fft({a}) * np.exp(-1j * np.arange({a}.size)))"), (SIGNAL, "np.fft.irfft(np.fft.rfft({a}.real))"), (SIGNAL, "np.convolve({a}, self.taps)"), (SIGNAL, "np.convolve({a}, self.taps, 'same')"), (SIGNAL, "np.convolve({a}, self.taps, 'valid')"), (SIGNAL, "np.correlate({a}, self.taps)"), (SIGNAL, "np.hanning({a}.size) * {a}"), (SIGNAL, "{a} * np.exp(2j * np.pi * 0.1 * np.arange({a}.size))"), (SIGNAL, "np.unwrap(np.angle({a}))"), (SIGNAL, "20 * np.log10(np.abs({a}) + 1e-12)"), (SIGNAL, "{a}[::-1].conj()"), (SIGNAL, "np.concatenate([self.tail, {a}])"), (SIGNAL, "np.concatenate([self.tail, {a}])[-3:]"), (SIGNAL, "{a} - np.concatenate([[0], {a}[:-1]])"), (SIGNAL, "{a}[: {a}.size // 4 * 4].reshape(-1, 4).mean(1)"), (SIGNAL, "{a}[: {a}.size // 2 * 2].reshape(-1, 2)[:, 0]"), (SIGNAL, "np.lib.stride_tricks.sliding_window_view({a}, 3) @ self.taps"), (SIGNAL, "np.lib.stride_tricks.sliding_window_view({a}, 4)[::2]"), (SIGNAL, "np.pad({a}, (1, 2), mode='reflect')"), (SIGNAL, "np.pad({a}, 2, mode='wrap')"), (SIGNAL, "np.fft.fftshift({a})"), (SIGNAL, "np.fft.fftfreq({a}.size)"), (SIGNAL, "{a}.real ** 2 + {a}.imag ** 2"), (SIGNAL, "np.vdot({a}, {a})"), (SIGNAL, "np.sqrt(np.mean(np.abs({a}) ** 2))"), (SIGNAL, "{a} / np.abs({a}).max()"), (SIGNAL, "np.cumsum({a})"), (SIGNAL, "np.diff({a}, prepend=self.last)"), (SIGNAL, "np.sign({a}.real)"), (SIGNAL, "np.flatnonzero(np.diff(np.signbit({a}.real)))"), (SIGNAL, "np.interp(np.arange(0, {a}.size, 0.5), np.arange({a}.size), {a}.real)"), (SIGNAL, "np.trapezoid({a})"), (SIGNAL, "np.repeat({a}, 2)"), (SIGNAL, "np.roll({a}, 1)"), (SIGNAL, "np.outer({a}, self.taps)"), (SIGNAL, "{a}.astype(np.complex64)"), (SIGNAL, "np.kaiser({a}.size, 5.0)"), (SIGNAL, "np.median({a}.real)"), (SIGNAL, "np.polyval(self.taps, {a})"), (SIGNAL, "np.gradient({a})"), (SIGNAL, "np.blackman(max({a}.size, 1))[: {a}.size]"), (SIGNAL, "np.correlate({a}, {a}, 'full')"), (SIGNAL, "np.nan_to_num({a})"), (SIGNAL, "np.linspace(0, 1, {a}.size)"), (SIGNAL, "np.zeros({a}.size + {q})"), (SIGNAL, "{a}[-{q}:]"), (SIGNAL, "{a}[:-{q}]"), (SIGNAL, "{a}[{q}:{a}.size - 1]"), (SIGNAL, "{a}[{a}.size // 2:]"), (SIGNAL, "{a}[::-{q}]"), (SIGNAL, "{a}[{a}.size - 1::-1]"), (SIGNAL, "np.fft.rfft({a}.real, {a}.size * 2)"), (SIGNAL, "np.fft.fft({a}, 8)"), (SIGNAL, "np.fft.irfft(np.fft.rfft({a}.real), {a}.size)"),
 (REALS, "{a} * {c}"), (REALS, "{a} + {b}"), (NUMBERS, "{a} - {b}"), (NUMBERS, "{a}.sum()"), (NUMBERS, "{a}.mean()"), (REALS, "np.maximum({a}, {b})"), (REALS, "{a}.astype(np.float16)"), (REALS, "{a}.astype('i2')"), (REALS, "{a} > {b}"), (REALS, "np.clip({a}, {k}, {b})"), (REALS, "({a} - {a}.mean()) / {a}.std()"), (LONG, "{a}[None]"), (LONG, "{a}[..., None]"), (LONG, "{a}[-1]"), (LONG, "{a}[:0]"), (LONG, "{a}[:1]"), (LONG, "np.atleast_2d({a})"), (LONG, "len({a})"), (ARRAY, "{a}.size"), (ARRAY, "{a}.shape"), (LONG, "{a}[{q}:]"), (LONG, "{a}[:{k}]"), (LONG, "{a}.reshape(-1)"), (LONG, "np.ascontiguousarray({a})"), (REALS, "{a}.cumsum()"), (REALS, "np.sort({a}, axis=None)"), (REALS, "np.argsort({a}, axis=-1, kind='stable')"), (REALS, "float({a}.sum())"), (REALS, "int({a}.sum())"), (REALS, "bool({a}.sum() > {k})"), (REALS, "np.abs({a})"), (REALS, "np.exp2({a})"), (REALS, "{a} // {k1}"), (REALS, "{a} % {k1}"), (REALS, "np.hypot({a}, {b})"), (REALS, "np.ldexp({a}, 1)"), (REALS, "np.floor_divide({a}, {b})"), (NUMBERS, "{a} * 1j"), (NUMBERS, "-{a}"), (NUMBERS, "np.square({a})"), (NUMBERS, "np.isfinite({a})"), (NUMBERS, "{a} ** 2"), (FLOATS, "np.floor({a}).astype(int)"), (FLOATS, "np.rint({a})"), (FLOATS, "np.frexp({a})[1]"), (FLOATS, "{a}.view('i%d' % {a}.itemsize) & 1"), (FLOATS, "np.nextafter({a}, 0)"), (FLOATS, "np.spacing({a})"), (FLOATS, "np.sinc({a})"), (FLOATS, "np.tanh({a})"), (FLOATS, "np.sqrt({a})"), (FLOATS, "np.log1p(np.abs({a}))"),
)  # fmt: skip
WRITES: tuple[tuple[Condition, str], ...] = (
 (LONG, "{a}[::2] = {a}[::2][::-1]"), (LONG, "{a} += {k1}"), (LONG, "{a} *= 2"), (LONG, "{a}[1:] += {a}[:-1]"), (LONG, "{a}[:{q}] = 0"), (LONG, "{a}[-1] = {k1}"), (REALS, "{a}[{a} > {k}] = {k1}"), (BYTES, "np.add({a}, 10, out={a})"), (BYTES, "np.multiply({a}, 1.5, out={a}, casting='unsafe')"), (INTEGERS, "{a} >>= 1"), (INTEGERS, "{a} &= 0x7F"), (INTEGERS, "{a} //= 3"), (FLOATS, "{a} /= 3"), (FLOATS, "np.sqrt({a}, out={a})"), (REALS, "np.clip({a}, 0, 100, out={a})"), (REALS, "np.copyto({a}, {k1}, where={a} < 2)"), (REALS, "np.putmask({a}, {a} > 3, {k1})"), (IMAGE, "{a}[0], {a}[-1] = {a}[-1].copy(), {a}[0].copy()"), (IMAGE, "{a}[:, 0] = {a}[:, -1]"), (IMAGE, "{a}[1:-1, 1:-1] //= 2"), (REALS, "{a}.sort(axis=-1)"), (LONG, "{a}[...] = {a}[::-1]"), (INTEGERS, "np.add.at({a}, 0, 1)"), (NUMBERS, "{a} -= {a}.mean().astype({a}.dtype)"), (LONG, "{a}.fill({k1})"), (COMPLEX, "{a}.real *= -1"), (COMPLEX, "{a}.imag[...] = 0"), (LONG, "{a}.flat[::2] = {k1}"),
)  # fmt: skip
STATE = (
 "self.count += 1", "self.count += len({a1})", "self.tail = {f1}[-3:]", "self.tail = np.concatenate([self.tail, {f1}])[-3:].real.copy()", "self.tail[:2] = self.tail[1:]", "self.tail[-1] = {f1}.real.sum()", "self.last = {f1}.real[-1:]", "self.hist += np.bincount({u}.ravel(), minlength=256)", "self.hist[{u}] += 1", "np.add.at(self.hist, {u}, 1)", "self.lut[:] = self.lut[::-1]", "self.lut = np.roll(self.lut, 1)", "self.lut[{u}[:1]] = 7", "self.avg = 0.9 * self.avg + 0.1 * {f1}.real.mean()", "self.avg = max(self.avg, 0.5)", "self.peak = np.maximum(self.peak, np.abs({f1}).max())", "self.ring[self.count % 4] = {f1}.real.sum()", "self.ring[:-1] = self.ring[1:]; self.ring[-1] = self.count", "self.view[:] += 1", "self.view[::2] *= self.ring[1]", "self.ring *= 0.5", "self.log.append(1)", "self.seen['k'] = {f1}.real.sum()", "self.total = self.total + {u}.sum()", "self.gain", "self.gain = self.gain * 0.5", "self.step()", "self.push({f1})", "self.shift_in({f1})", "self.acc[0] += {f1}.real.sum(); self.acc[1] -= self.acc[0]",
)  # fmt: skip
CLASSES = """
class Base:
    scale = 2
    def __init__(self):
        self.lut = (np.arange(256) * 3 % 251).astype(np.uint8)
        self.kern = np.array([[1, 2, 1], [0, 1, 0], [1, 0, -1]], np.float32)
        self.taps = np.array([0.25, 0.5, 0.25])
        self.tail = np.zeros(3)
        self.last = np.zeros(1)
        self.hist = np.zeros(256, np.int64)
        self.count = 0
        self.avg = 0.5
        self.peak = np.float32(0.25)
        self.ring = np.zeros(4)
        self.view = self.ring[1:3]
        self.log = []
        self.seen = {"k": 0.0}
        self.total = np.uint64(0)
        self._gain = np.float64(1.5)
        self.acc = np.zeros(2, np.float32)
    @property
    def gain(self): return self._gain * self.scale
    @gain.setter
    def gain(self, value): self._gain = value
    def step(self): self.ring[0] += self.gain
    def push(self, x): self.tail = np.append(self.tail[1:], x.real[:1])
    def shift_in(self, x):
        y, a = np.empty_like(self.tail), self.avg
        for i in range(3):
            a = 0.5 * a + self.tail[i]
            y[i] = a
        self.avg = a
        self.tail[:] = y
        return y
class Deep(Base):
    scale = 3
    def step(self):
        super().step()
        self.view[0] -= 1
    def push(self, x):
        Base.push(self, x)
        self.count -= 1
"""
ATTRIBUTES = "self.tail, self.last, self.hist.sum(), self.lut[:4], self.count, self.avg, self.peak, self.ring, self.view, self.seen, self.total, self.gain, self.acc"

CONSTANTS = {
    "k": (-3, -1, 0, 1, 2, 7, 200), "q": (1, 2, 3), "k1": (1, 2, 3, 5), "b8": (0, 17, 128, "np.uint8(128)", "u.mean()", "u.shape[1]"),
    "c": (0.5, 2, -1.5, "np.float32(2)", "np.int16(3)", "self.avg", "self.gain", "self.count", "np.uint8(200)", "True", "u.shape[0]", "x.size", "self.peak"),
}  # fmt: skip
OTHERS = ("2", "self.avg", "self.peak", "np.int8(-3)", "x.size", "self.count", "0.5")


class Writer(grown.Writer):
    """Grows a class whose call takes an image ``u`` and a signal ``x``."""

    sizes = ((4, 6, 9), (0, 6, 9), (1, 1, 1), (2, 3, 2), (5, 7, 13), (4, 6, 0), (3, 0, 4), (8, 8, 64), (30, 50, 300))

    def __init__(self, seed: int) -> None:
        self.draw = draw = random.Random(seed)
        self.gray, self.complex, self.layout = draw.random() < 0.6, draw.random() < 0.3, draw.choice("CCCFS")
        self.base = draw.choice(("Base", "Deep"))
        names: dict[str, Any] = {"np": np}
        exec(CLASSES, names)
        super().__init__({"np": np, "self": names[self.base](), **dict(zip("ux", self.arguments(*self.sizes[0]), strict=True))}, ["u", "x"])
        self.grow_all(draw.randrange(3, 10))
        chosen = draw.sample(self.names, min(len(self.names), draw.randrange(1, 5)))
        attributes = draw.sample(ATTRIBUTES.split(", "), draw.randrange(5))
        body = "".join(f"        {line}\n" for line in self.lines)
        self.source = f"{CLASSES}\nclass Program({self.base}):\n    def __call__(self, u, x):\n{body}        return {', '.join([*chosen, *attributes])},\n"

    def arguments(self, height: int, width: int, length: int, salt: int = 0) -> tuple[Any, ...]:
        """An image and a signal of these sizes; by ``salt`` with extreme values."""
        rng = np.random.default_rng([height, width, length, salt])
        image = rng.integers(0, 256, (height, width) if self.gray else (height, width, 3)).astype(np.uint8)
        signal: Any = rng.normal(size=length) * 3
        if self.complex:
            signal = signal + 1j * rng.normal(size=length)
        if salt == 1:
            image[...], signal[:1], signal[-1:] = 255, np.nan, np.inf
        elif salt == 2:
            image[...], signal[...] = 0, -0.0
        elif salt == 3:
            signal *= 1e-310
        if self.layout == "S":
            return np.repeat(image, 2, -1)[..., ::2], np.repeat(signal, 2)[::2]
        return (np.asfortranarray(image) if self.layout == "F" else image), signal

    def dims(self) -> Any:
        return (2, 1)

    def grow(self) -> None:
        draw, kind = self.draw, self.draw.random()
        if kind < 0.2:
            self.add(self._filled(draw.choice(STATE)), None)
            return
        table = WRITES if kind < 0.32 else EXPRESSIONS
        condition, row = draw.choice([each for each in table if self._fitting(each[0])])
        value = draw.choice(self._fitting(condition)[-4:])
        if table is EXPRESSIONS:
            self.add(self._filled(row.replace("{b}", self._other(value)).replace("{a}", value)), self.fresh_name())
            return
        if value in ("u", "x") and draw.random() < 0.6:
            copied = self.fresh_name()
            self.add(f"{value}.copy()", copied)
            value = copied
        self.add(self._filled(row.replace("{a}", value)), None)

    def _fitting(self, condition: Condition) -> list[str]:
        return [name for name in self.names if condition(self.values[name])]

    def _other(self, value: str) -> str:
        shape = np.shape(self.values[value])
        alike = [name for name in self.names if REALS(self.values[name]) and np.shape(self.values[name]) in (shape, ())]
        return self.draw.choice([*alike, *OTHERS])

    def _filled(self, row: str) -> str:
        for hole, choices in CONSTANTS.items():
            row = row.replace("{%s}" % hole, str(self.draw.choice(choices)))
        for hole, condition in (("a1", LONG), ("f1", SIGNAL), ("u", IMAGE)):
            row = row.replace("{%s}" % hole, self.draw.choice(self._fitting(condition)))
        return row
