"""Random programs over arrays of which only the data know how long they are."""

from __future__ import annotations

import random

_BEGINNINGS = (
    "x[x > 0]", "np.flatnonzero(x > 0)", "np.unique(np.round(x))", "x[np.abs(x) < 1.5]", "np.repeat(x, np.abs(x).astype(int) % 3)",
    "np.nonzero(x > 0.5)[0] + 1", "x[x > 0][:, None]", "np.argwhere(x.reshape(-1, 2) > 0)", "np.unique(k, return_counts=True)[1]",
    "x.reshape(-1, 2)[x.reshape(-1, 2)[:, 0] > 0]", "np.extract(x > 0, x)", "np.where(k > 1)[0]", "x[:int(abs(x[0] * 3))]",
    "np.arange(int(k[0]) + 1) * 1.5", "np.setdiff1d(k, k[:3])", "np.intersect1d(k, k[::2])", "np.delete(x, np.flatnonzero(x > 1))",
    "np.trim_zeros(np.where(x > 0, x, 0))", "x[np.r_[True, np.diff(x) > 0]]", "np.zeros(int(k.max()))", "x[k[k < x.size]]",
)  # fmt: skip
_OF_ONE = (
    "{a} * 2", "-{a}", "{a}[::-1]", "{a}[1:]", "{a}[:-1]", "{a}[::2]", "{a}.reshape(-1)", "{a}.reshape(-1, 1)", "{a}.reshape(-1, 2)",
    "{a}[None]", "np.cumsum({a})", "np.sort({a}, axis=0)", "np.diff({a}, axis=0)", "{a}.T", "np.concatenate([{a}, {a}])",
    "np.stack([{a}, {a}], axis=-1)", "np.vstack([{a}, {a}])", "np.pad({a}, 1)", "np.tile({a}, 2)", "np.append({a}, 1.0)",
    "np.insert({a}, 0, 1.0)", "np.r_[0, {a}.ravel(), 0]", "{a}[{a} > {a}.mean()]", "np.outer({a}, {a})", "{a}.ravel() @ {a}.ravel()",
    "np.add.outer({a}.ravel(), {a}.ravel())", "{a}[:3]", "{a}[-2:]", "np.roll({a}, 1)", "np.flip({a})", "np.repeat({a}, 2, axis=0)",
    "np.where({a} > 0, {a}, 0)", "np.array([v.sum() for v in {a}])", "[float(v) for v in {a}.ravel()]", "np.maximum.accumulate({a})",
    "np.take({a}, [0], axis=0)", "np.array_split({a}, 2)[0]", "np.atleast_2d({a})", "np.broadcast_to({a}, (2, *{a}.shape))",
    "np.arange({a}.size)", "np.linspace(0, 1, {a}.size)", "np.eye({a}.shape[0])", "np.unique({a})", "np.argsort({a}, axis=0)",
    "np.searchsorted(np.sort({a}.ravel()), {a}.ravel())", "np.convolve({a}.ravel(), [1, 2], 'same')", "np.fft.fft({a}.ravel())",
    "np.lib.stride_tricks.sliding_window_view({a}.ravel(), 2)", "np.median({a})", "{a}.mean(axis=0)", "{a}.max(initial=0)", "len({a})",
    "{a}.shape", "sum({a}.ravel())", "sorted({a}.ravel())", "list({a})", "any(v > 1 for v in {a}.ravel())", "np.kron({a}, [1, 2])",
    "np.gradient({a}.ravel())", "np.histogram({a}, bins=3)[0]", "np.apply_along_axis(np.sum, 0, {a})", "{a}.astype(int)",
    "np.swapaxes(np.atleast_2d({a}), 0, 1)", "{a}.flatten('F')", "np.argmax(np.append({a}.ravel(), 0))", "{a}.ravel()[::2].copy()",
)  # fmt: skip
_OF_TWO = (
    "{a} + {b}", "{a}.ravel()[:min({a}.size, {b}.size)] + {b}.ravel()[:min({a}.size, {b}.size)]", "np.isin({a}, {b})", "({a}, {b})",
    "np.concatenate([{a}.ravel(), {b}.ravel()])", "{a}.ravel()[:, None] * {b}.ravel()[None]", "np.union1d({a}, {b})", "{a}[:{b}.size]",
    "np.array_equal({a}, {b})", "{a}.size > {b}.size", "np.where({a}.size > {b}.size, 1, 2)", "np.maximum({a}.ravel()[:1], {b}.ravel())",
)  # fmt: skip
_STATEMENTS = (
    "{a}[0] = 9", "{a}[-1] += 1", "{a} *= 2", "{a}[{a} > 1] = 0", "{a}[1:] -= {a}[:-1]", "{a}[1::2] -= {a}[::2]", "{a}[::2] = 5",
    "{a}.sort()", "{a}.fill(3)", "np.add.at({a}, [0], 1)", "{a}[1:] = {a}[:-1].copy()", "for i in range(len({a})): {a}[i] = i",
    "for i in range(1, len({a})): {a}[i] += {a}[i - 1]", "if {a}.size > 3: {a}[1] = 7", "if {a}.size > 3: {a} = {a}[:3]",
    "while {a}.size > 3: {a} = {a}[1:]", "if not {a}.size: return x", "if {a}.size % 2: {a} = {a}[1:]",
)  # fmt: skip


class Writer:
    """``x``: an input of an even number of floats; ``k``: one of as many integers from 0 to 4."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def program(self) -> str:
        """The source of ``f(x, k)``."""
        lines, names = list[str](), list[str]()
        for number in range(self.random.randint(1, 2) + self.random.randint(1, 4)):
            kind = self.random.random()
            if not names or (number == 1 and kind < 0.5):
                value = self.random.choice(_BEGINNINGS)
            elif kind < 0.25:
                lines.append(self.random.choice(_STATEMENTS).format(a=self.random.choice(names)))
                continue
            else:
                form = self.random.choice(_OF_TWO if kind < 0.4 else _OF_ONE)
                value = form.format(a=self.random.choice(names), b=self.random.choice(names))
            names.append(f"v{number}")
            lines.append(f"{names[-1]} = {value}")
        return "\n    ".join(["def f(x, k):", *lines, f"return {', '.join(names)},"]) + "\n"
