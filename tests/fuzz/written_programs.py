"""Grows classes whose calls write to an input and to state within branches and loops on data, and raise there."""

from __future__ import annotations

import random

CONDITIONS = ("x[0] > 0.3", "x.sum() > 1", "x[2] < x[1]", "self.h[0] > 0.5", "i[0] > 2", "y > 0.2", "self.n > 1", "i[1] % 2 == 0")
INDICES = ("i[0]", "i[1]", "i[2]", "int(i[0])", "0", "1", "-1")
VALUES = ("x[1] + 1", "y", "2.5", "x[0] * y", "self.h[1]", "float(self.n)", "self.h.sum()")
HEAD = """class Program:
    def __init__(self):
        self.h = np.array([0.4, 0.8])
        self.n = 0
        self.g = np.zeros(4)
        self.rng = np.random.default_rng(3)

    def __call__(self, x, i):
        y = x[1] * 0.5
"""


class Writer:
    """``attributes``: whether numbers and arrays of the object are bound anew, too."""

    def __init__(self, rng: random.Random, attributes: bool) -> None:
        self.rng = rng
        self.attributes = attributes
        self.looping = False
        self.lines: list[str] = []

    def source(self) -> str:
        self._block(2, 3, self.rng.choice((2, 3, 4)))
        return HEAD + "\n".join(self.lines) + "\n        return y\n"

    def _block(self, indent: int, depth: int, count: int = 0) -> None:
        for _ in range(count or self.rng.choice((1, 2, 2, 3))):
            kinds = [*self._SIMPLE, *(self._ATTRIBUTES if self.attributes else ()), *(self._COMPOUND if depth else ())]
            self.rng.choice(kinds)(self, "    " * indent, indent, depth)

    def _place(self) -> str:
        return self.rng.choice((*INDICES, "k" if self.looping else "2"))

    def _value(self) -> str:
        return self.rng.choice((*VALUES, f"x[{self._place()}]"))

    def _condition(self) -> str:
        return self.rng.choice(CONDITIONS)

    def _item(self, pad: str, *_: int) -> None:
        self.lines.append(
            f"{pad}{self.rng.choice(('x', 'x', 'self.h'))}[{self._place()}] {self.rng.choice(('=', '+=', '*='))} {self._value()}"
        )

    def _whole(self, pad: str, *_: int) -> None:
        self.lines.append(f"{pad}x += {self.rng.choice(('1', 'y', 'x[0]'))}")

    def _view(self, pad: str, *_: int) -> None:
        self.lines += [f"{pad}v = x[1:]", f"{pad}v[{self._place()}] = {self._value()}"]

    def _read(self, pad: str, *_: int) -> None:
        self.lines.append(f"{pad}y = x[{self._place()}] / 2")

    def _drawn(self, pad: str, *_: int) -> None:
        self.lines.append(f"{pad}y = y + self.rng.random()")

    def _solved(self, pad: str, *_: int) -> None:
        self.lines.append(f"{pad}self.h[:] = np.linalg.inv(np.diag(self.h[:2]))[0]")

    def _raised(self, pad: str, *_: int) -> None:
        self.lines.append(f"{pad}if {self._condition()}: raise {self.rng.choice(('ValueError', 'KeyError'))}('{self.rng.randint(0, 9)}')")

    def _number(self, pad: str, *_: int) -> None:
        self.lines.append(f"{pad}self.n {self.rng.choice(('+= 1', '= self.n * 2', '-= 1'))}")

    def _rebound(self, pad: str, *_: int) -> None:
        self.lines.append(f"{pad}self.g = x * {self.rng.choice(('2', 'y'))}")

    def _branch(self, pad: str, indent: int, depth: int) -> None:
        self.lines.append(f"{pad}if {self._condition()}:")
        self._block(indent + 1, depth - 1)
        if self.rng.random() < 0.5:
            self.lines.append(f"{pad}else:")
            self._block(indent + 1, depth - 1)

    def _loop(self, pad: str, indent: int, depth: int) -> None:
        if self.looping:
            return self._item(pad)
        self.looping = True
        head = self.rng.choice(("for k in range(3):", "for k in range(len(x)):", "for k in i:", "while"))
        if head == "while":
            self.lines += [f"{pad}k = 0", f"{pad}while k < 3 and {self._condition()}:", f"{pad}    k += 1"]
        else:
            self.lines.append(f"{pad}{head}")
        self._block(indent + 1, depth - 1)
        if self.rng.random() < 0.2:
            self.lines.append(f"{pad}    if {self._condition()}: break")
        self.looping = False

    def _handler(self, pad: str, indent: int, depth: int) -> None:
        self.lines.append(f"{pad}try:")
        self._block(indent + 1, depth - 1)
        self.lines.append(f"{pad}except {self.rng.choice(('IndexError', 'ValueError'))}:")
        self.lines.append(f"{pad}    {self.rng.choice(('y = 7.0', 'x[0] = 9.0', 'raise', 'self.h[0] = 4.0'))}")

    _SIMPLE = (_item, _item, _item, _item, _whole, _view, _read, _drawn, _solved, _raised)
    _ATTRIBUTES = (_number, _rebound)
    _COMPOUND = (_branch, _branch, _branch, _loop, _loop, _handler)
