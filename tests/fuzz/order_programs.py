# ruff: noqa: E501 -- tables of expressions
"""Random programs over arrays in every order of memory: the generator behind ``fuzz/orders.py``.

Arrays of three axes, in C order, in Fortran's, with axes in another order, views and copies, are written to as wholes and in part, by
operators in place, with ``out=``, in loops and on sides of branches, kept as state; and everything is summed at the end, which rounds in
the order of memory. All axes have three elements, so that every array fits every other one, however it is turned.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tests.support.quiet import quiet

SHAPE = (3, 3, 3)
ARRAYS = (
    "x", "y", "z", "self.a", "self.b", "x.T", "y.T", "x.swapaxes(0, -1)",
    "np.asfortranarray(x)", "x.copy('K')", "x.copy()", "np.array(y, order='F')", "x.transpose(2, 0, 1)", "x[::2]", "x[:, ::-1]", "np.moveaxis(y, 0, -1)",
    "x * 1.1", "y.T * 0.3", "np.zeros(x.shape)", "np.zeros(x.shape, order='F')", "np.zeros_like(x.T) + 1.3", "np.zeros_like(y.T)", "np.ones(x.shape).T", "np.broadcast_to(x[0], x.shape)",
    "x.reshape(x.shape[::-1], order='F')", "np.einsum('ijk->kji', x)", "np.stack([x[0], x[1]])", "np.concatenate([x.T, y.T])", "x + y.T", "np.where(x > 0, x, y.T)", "np.sort(x.T, axis=0)", "x.astype('f4').T",
    "np.linalg.norm(x, axis=1, keepdims=True) * x", "np.cumsum(x.T, axis=1)", "np.tensordot(x, np.eye(3) * 0.7, 1)", "x @ y[0]", "np.flip(x).T", "np.roll(x.T, 1, 0)", "np.take(x.T, [2, 1, 0], axis=0)", "x[[0, 1, 2]].T",
    "x.T[[2, 1, 0]]", "x[:, [1, 0, 2]]", "x[..., [1, 2, 0]]", "np.squeeze(x[None]).T", "np.pad(x.T, 1)[1:-1, 1:-1, 1:-1]",
)  # fmt: skip
STATEMENTS = (
    "{o} += {a}", "{o} *= {a}", "{o}[...] = {a}", "np.add({a}, {b}, out={o})", "np.multiply({a}, 0.37, out={o})", "np.copyto({o}, {a})", "np.cumsum({a}, axis={k}, out={o})", "{o}.T[...] = {a}",
    "{o}[1:] -= {a}[1:]", "{o}[:, ::2] += 0.1", "{o}.sort(axis={k})", "{m} = {a}", "{m} = {a} - {b}", "{m} = np.maximum({a}, {b})", "self.a = {a}", "self.b = {o} + {a}",
    "self.a += {a}", "self.b.T[...] = {a}", "for q in range(len(x)):\n    {o} = {o} * 0.9 + {a}", "for q in range(3): {o} += {a} * 0.1", "if {a}.sum() > 0: {o} = {a}\nelse: {o} = {b} * 2", "if {a}.sum() > 0: {o} += {b}", "if {a}.sum() > 1:\n    {o} = {o}.T\n    {o} = {o} * 1.3", "{m} = {a}\nwhile {m}.sum() > 1: {m} = {m} * 0.7",
    "{m} = [row * 1.1 for row in {a}]\n{m} = np.stack({m})", "{m} = {a}.copy('K')\n{m} /= {b} + 9.1", "np.matmul({a}, {b}, out={o})", "np.take({a}, [2, 0, 1], axis={k}, out={o})", "np.clip({a}, -0.5, 0.7, out={o})", "{m} = np.empty({a}.shape)\n{m}[:] = {a}", "{m} = np.empty_like({a})\nnp.subtract({a}, {b}, out={m})", "for q, row in enumerate({a}): {o}[q] = row * 0.3",
    "{o}, {m} = {a} * 1.7, {o}", "np.negative({a}, out={o}, where={b} > 0)", "{o}.flat = {a}", "{o} = np.divide({a}, 3.3, order='F')", "{m} = {a}.reshape(-1).reshape({a}.shape)", "{m} = {a}.ravel(order='K').reshape({a}.shape)", "{o}.real += {a}", "np.put_along_axis({o}, np.argsort({a}, axis={k}), {b}, {k})",
    "{m} = ({a} + 1j * {b}).imag", "{m} = {a}.view()\n{m} += 0.01",
)  # fmt: skip


def arguments(seed: int, orders: str) -> tuple[Any, ...]:
    """Arrays of numbers, each in its order of memory."""
    rng = np.random.default_rng(seed)
    return tuple([np.array(rng.normal(size=SHAPE).round(2), order=order) for order in orders])  # type: ignore[call-overload]


def state(program: Any) -> Any:
    """The program with arrays in two orders as attributes."""
    program.a, program.b = arguments(9, "CF")
    return program


class Writer:
    """Grows a class whose call takes three arrays."""

    def __init__(self, seed: int) -> None:
        self.draw, self.names, self.lines = random.Random(seed), ["x", "y", "z"], list[str]()
        self.program = state(type("Program", (), {})())
        self.values = {"np": np, "self": self.program, **dict(zip("xyz", arguments(0, "CCC"), strict=True))}
        wanted = self.draw.randrange(2, 8)
        for _ in range(50):
            if len(self.lines) < wanted:
                self._grow()
        body = "".join(f"        {line}\n" for lines in self.lines for line in lines.split("\n"))
        results = [*dict.fromkeys(self.names[-5:]), "self.a", "self.b"]
        sums = ", ".join(f"{name}.sum(), {name}.sum({self.draw.randrange(3)}), {name}" for name in results)
        self.source = (
            f"class Program:\n    def __init__(self): state(self)\n    def __call__(self, x, y, z):\n{body}        return {sums}\n"
        )

    def _array(self) -> str:
        return f"({self.draw.choice(self.names if self.draw.random() < 0.4 else ARRAYS)})"

    def _grow(self) -> None:
        line, name = self.draw.choice(STATEMENTS), f"v{len(self.names) - 3}"
        made = [name] if "{m}" in line else []
        for hole, choose in {
            "a": self._array,
            "b": self._array,
            "o": lambda: self.draw.choice(self.names),
            "k": lambda: self.draw.choice("012"),
        }.items():
            line = line.replace("{%s}" % hole, choose()) if "{%s}" % hole in line else line
        line, before = line.replace("{m}", name), dict(self.values)
        try:
            with quiet():
                exec(line, self.values)
            found = [*[self.values[each] for each in (*self.names, *made)], self.program.a, self.program.b]
            fits = all(np.shape(each) == SHAPE for each in found)
        except Exception:
            fits = False
        if not fits:
            self.values.update(before)
            return
        self.lines.append(line)
        self.names += made
