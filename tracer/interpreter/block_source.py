"""The source of a block: what `npexport.tracer.interpreter.blocks` says of blocks, one instruction
after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from npexport.tracer.interpreter.operators import SCALARS
from npexport.tracer.interpreter.program import CodeInfo, Operations


class Full(Exception):
    """The instruction cannot be part of the block, which ends before it."""


class Block:
    """The source of one block.

    ``held``: the values at the top of the stack that have not been pushed yet, the last one on top.
    ``slots``: the variables whose values have names. ``scalars``: names whose class is known to be
    builtin; ``truths``: those that are bools. ``first``: the first instruction that is written, to
    which a block may begin with a jump. ``without``: instructions that end such blocks.
    """

    without: frozenset[str] = frozenset()

    def __init__(self, info: CodeInfo, ops: Operations, start: int, names: dict[str, Any]) -> None:
        self.info, self.ops, self.start, self.names = info, ops, start, names
        self.lines: list[str] = []
        self.held: list[str] = []
        self.slots: dict[int, str] = {}
        self.scalars: set[str] = set()
        self.truths: set[str] = set()
        name, target, _ = info.decoded.instructions[start]
        self.first = target if name == "JUMP" else start
        self.place = start  # of the instruction that is being written
        self.shown = start  # the instruction at which an exception would be blamed

    # -- values

    def new(self, text: str, *, scalar: bool = False, truth: bool = False) -> str:
        """A name for the value of an expression."""
        name = f"v{len(self.names)}"
        self.names[name] = None
        self.lines.append(f"{name} = {text}")
        self._know(name, scalar or truth, truth)
        return name

    def constant(self, value: Any) -> str:
        name = f"c{len(self.names)}"
        self.names[name] = value
        self._know(name, type(value) in SCALARS, type(value) is bool)
        return name

    def _know(self, name: str, scalar: bool, truth: bool) -> None:
        if scalar:
            self.scalars.add(name)
        if truth:
            self.truths.add(name)

    def want(self, count: int) -> list[str]:
        """The top ``count`` values of the stack, all of them held."""
        while len(self.held) < count:
            self.held.insert(0, self.new("stack.pop()"))
        return self.held[-count:]

    def drop(self, count: int) -> None:
        del self.held[-count:]

    def forget(self, name: str) -> None:
        """Let go of a value that nothing needs any more: it may be freed at once."""
        if name not in self.held and name not in self.slots.values():
            self.lines += forgetting([name])

    # -- leaving

    def put(self) -> list[str]:
        """Code that pushes what is held on the stack."""
        return [f"stack.append({name})" for name in self.held]

    def leave(self, condition: str) -> None:
        """Stop before the instruction if the condition holds: its own handler goes on."""
        self.lines += [f"if {condition}:", *[f"    {line}" for line in self.leaving()]]

    def leaving(self) -> list[str]:
        """Code that stops before the instruction."""
        lines = self.put()
        if self.place == self.start:
            handle, arg = self.ops[self.place]
            lines += forgetting(self.held)  # what its handler runs may ask how long a value lives
            return [*lines, f"return {self.constant(handle)}(vm, frame, {self.constant(arg)})"]
        return [*lines, f"frame.pc = {self.place}", "return None"]

    def scalar(self, *values: str) -> None:
        """Stop if a value is not of a builtin scalar class."""
        for name in dict.fromkeys(values):
            if name not in self.scalars:
                kind = self.new(f"type({name})")
                self.leave(f"{kind} is not int and {kind} is not float and {kind} not in SCALARS")
                self.scalars.add(name)

    def blame(self) -> None:
        """What follows may raise: set ``frame.pc``."""
        if self.shown != self.place:
            self.lines.append(f"frame.pc = {self.place + 1}")
            self.shown = self.place

    def enter(self, fn: str, args: list[str], rest: list[str]) -> None:
        """Call ``fn``, below which the ``rest`` is held, if it is a function of the program's that
        needs no binding.
        """
        self.blame()
        value = self.new("NULL")
        self.lines += [
            f"if type({fn}) is FunctionType:",
            f"    {value} = enter_plain(vm, {fn}, [{', '.join(args)}])",
            f"if {value} is not NULL:",
            *[f"    stack.append({name})" for name in rest],
            f"    if {value} is PUSHED:",
            "        return True",
            f"    stack.append({value})",
            "    return None",
        ]

    def give_back(self) -> None:
        """Return the top of the stack."""
        self.leave("frame.then is not None or frame.real is not None")
        (value,) = self.want(1)
        back = self.new("frame.back")
        self.lines += [
            f"vm.frame = {back}",
            "frame.back = None",
            "fast.reverse()",
            "vm.depth -= 1",
            f"{back}.stack.append({value})",
            "return True",
        ]

    def go(self, target: int) -> list[str]:
        """Code of a jump, with what is held on the stack."""
        name, arg, _ = self.info.decoded.instructions[target]
        if name == "JUMP_BACKWARD" and self.info.handlers[target] is self.info.handlers[self.place]:
            return self.back(target, arg)
        return [f"frame.pc = {target}", "return None"]

    def back(self, place: int, target: int) -> list[str]:
        """Code of a jump backwards, which counts as a step."""
        steps = ["vm.steps -= 1", "if vm.steps < 0:", f"    frame.pc = {place + 1}", "    vm.out_of_steps()"]
        return [*steps, f"frame.pc = {target}", "return None"]

    def text(self, name: str, end: int | None) -> str:
        """The function's source; ``end``: the instruction after the last, unless that jumps."""
        ending = [] if end is None else [*self.put(), f"frame.pc = {end}", "return None"]
        return "\n    ".join([f"def {name}(vm, frame, arg):", "stack, fast = frame.stack, frame.fast", *self.lines, *ending])


def forgetting(names: Iterable[str]) -> list[str]:
    """Code that lets go of values, unless they are constants."""
    return [f"{name} = None" for name in dict.fromkeys(names) if name[0] == "v"]


WRITERS: dict[str, Callable[[Block, Any], bool | None]] = {}
"""Canonical instruction -> the function that writes it; it returns true if the block ends there."""


def writes(name: str) -> Callable[[Callable[[Block, Any], bool | None]], Callable[[Block, Any], bool | None]]:
    def declare(write: Callable[[Block, Any], bool | None]) -> Callable[[Block, Any], bool | None]:
        WRITERS[name] = write
        return write

    return declare
