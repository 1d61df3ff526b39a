"""Random classes whose calls replace the arrays and numbers of the object by others: of another dtype, shape or length, by NumPy
scalars where 0-d arrays stood, on some sides of a branch; and write into them, take views of them, and return them.
"""

from __future__ import annotations

import random

_FIRSTS = [
    "np.array(0.0)", "np.array(0)", "np.zeros(1)", "np.zeros(4)", "np.zeros(4, dtype=int)", "np.zeros(4, np.float32)", "np.array([])",
    "np.zeros((0, 4))", "np.float32(0.5)", "np.int64(2)", "np.zeros((1, 4))", "np.array(np.inf)", "np.arange(3.0)", "1.5",
    "np.bool_(False)", "np.zeros((2, 4))[::-1]", "np.ones(6)[::2]", "None", "np.zeros((4, 0))", "np.ones((4, 1), order='F')", "None",
]  # fmt: skip
_REPLACED = [
    "self.a = self.a + x.sum()", "self.a = self.a * 0.5 + x", "self.a = x.copy()", "self.a = np.append(self.a, x.sum())",
    "self.a = np.append(self.a, x)", "self.a = np.vstack([self.a, x])", "self.a = np.concatenate([self.a, x[:2]])", "self.a = self.a[1:]",
    "self.a = self.a[-3:]", "self.a = np.concatenate([self.a[1:], x[:1]])", "self.a = np.maximum(self.a, x)", "self.a = x.max()",
    "self.a = np.array(x.sum())", "self.a = np.minimum(self.a, x.min())", "self.a = self.a + 1", "self.a = x > 0",
    "self.a = self.a.copy()", "self.a = x", "self.a = self.b", "self.a = np.r_[self.a, x[0]]", "self.a = np.insert(self.a, 0, x[0])",
    "self.a = np.where(x > 0, x, self.a)", "self.a = np.sort(np.append(self.a, x[0]))",
    "self.a = np.unique(np.append(self.a, np.round(x)))", "self.a = self.a[self.a > x[0]]", "self.a = x[x > 0]",
    "self.a = np.hstack([self.a, x[:, None]])", "self.a = np.vstack([np.transpose(self.a), x]).T",
    "self.a = np.concatenate([self.a, x[:, None]], axis=-1)[..., -6:]", "self.a = np.c_[self.a, x]",
    "self.a = x if self.a is None else np.append(self.a, x)", "self.a = x.copy() if self.a is None else np.maximum(self.a, x)",
    "self.a = x[:, None] if self.n == 0 else np.hstack([self.a, x[:, None]])\nself.n = self.n + 1",
    "if self.a is None: self.a, self.b = x[:2], 0.0\nelse: self.a = np.concatenate([self.a, x[:2]])",
    "self.a = np.hstack([x[:1], self.a])[:5]", "self.a = np.zeros(len(x))", "self.a = float(x.sum())", "self.a, self.b = self.b, self.a",
]  # fmt: skip
_OTHER = [
    "self.b = self.b + np.sum(self.a)", "self.a[...] = x[0]", "self.a += 1", "self.b += x[0]",
    "v = self.a\nself.a = self.a + x[0]\ny = y + np.sum(v)", "self.b = np.mean(self.a)", "self.n = np.size(self.a)",
    "y = y * np.size(self.a)", "if np.size(self.a) > 6: self.a = self.a[:4]", "if np.ndim(self.a) == 0: y = y + self.a",
    "y = y + np.max(self.a, initial=0)", "k = len(np.atleast_1d(self.a))\ny = y + k", "self.n = self.n + 1",
    "if len(np.atleast_1d(self.a)) > 2: y = y + np.atleast_1d(self.a)[-1]", "for v in np.atleast_1d(self.a): y = y + np.sum(v)",
]  # fmt: skip
_CONDITIONS = ["x[0] > 0", "x.sum() > y", "self.n > 2", "np.sum(self.a) < x[0]", "np.size(self.a) < 5"]
_RESULTS = [
    "y", "self.a", "self.a", "self.b", "np.sum(self.a)", "np.shape(self.a)", "self.a * 2", "np.array(self.a)", "type(self.a).__name__",
    "self.n", "np.copy(self.a)", "np.asarray(self.a).dtype.name", "self.a is self.b", "x", "np.asarray(self.a).mean(axis=0)",
    "np.ravel(self.a, order='K')", "np.asarray(self.a).flags.c_contiguous",
]  # fmt: skip


class Writer:
    """Writes one class from the numbers of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def statement(self) -> list[str]:
        choose, chance = self.random.choice, self.random.random
        text = choose(_REPLACED if chance() < 0.65 else _OTHER)
        if chance() < 0.25:
            text = text.replace("self.a", "self.c").replace("self.b", "self.a").replace("self.c", "self.b")
        lines = text.split("\n")
        if chance() < 0.25:
            lines = [f"if {choose(_CONDITIONS)}:", *["    " + line for line in lines]]
        return lines

    def source(self) -> str:
        """A class ``P`` whose objects are called with a vector."""
        choose = self.random.choice
        begin = [f"self.a = {choose(_FIRSTS)}", f"self.b = {choose(_FIRSTS)}", "self.n = 0"]
        body = ["y = x[1]"]
        for _ in range(self.random.randint(1, 3)):
            body += self.statement()
        body.append(f"return [{', '.join(self.random.sample(_RESULTS, self.random.randint(1, 3)))}]")
        made = ["class P:", "    def __init__(self):", *["        " + line for line in begin], "    def __call__(self, x):"]
        return "\n".join([*made, *["        " + line for line in body]])
