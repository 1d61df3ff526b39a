"""Compiles blocks of hot instructions to Python functions.

A loop over numbers spends its time between its instructions. Once a loop has made many iterations,
those of its instructions that only move values and compute with builtin scalars are written as
Python source, one basic block at a time: consecutive instructions that are entered at the first
only and share one exception handler.

A block does what its instructions do one by one, or stops before one of them, whose own handler
goes on: inside a ``try`` of the program, the one that keeps its operands. It stops before whatever
could run Python or ask the world: operands other than builtin scalars, iterators and containers of
other classes, functions that are not known to compute with scalars alone, unbound variables. So
only an exception can reveal where in a block the program is: ``frame.pc`` is set before anything
that may raise.

The functions consist of fixed text, numbered names and bound constants.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from npexport.tracer.bytecode.flow import TARGETS
from npexport.tracer.interpreter.attempts import keeping_of
from npexport.tracer.interpreter.frame import NULL
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.operators import BUILTIN_ITERATORS, OF_SCALARS, SCALARS, is_in_place, sign
from npexport.tracer.interpreter.program import HANDLERS, CodeInfo, Operations

OFTEN = 100
"""The number of calls of a function, or of iterations of its loops that are not compiled yet, after
which they are compiled.
"""

_FILE = os.path.join(os.path.dirname(__file__), "<blocks>")  # tracebacks pass over it, as over the interpreter
_SHORTEST = 2  # instructions that a block is worth
_LONGEST = 500  # of functions that are called often


class _Full(Exception):
    """The instruction cannot be part of the block, which ends before it."""


class _Block:
    """The source of one block.

    ``held``: the values at the top of the stack that have not been pushed yet, the last one on top.
    ``slots``: the variables whose values have names. ``scalars``: names whose class is known to be
    builtin; ``truths``: those that are bools.
    """

    def __init__(self, info: CodeInfo, ops: Operations, start: int, names: dict[str, Any]) -> None:
        self.info, self.ops, self.start, self.names = info, ops, start, names
        self.lines: list[str] = []
        self.held: list[str] = []
        self.slots: dict[int, str] = {}
        self.scalars: set[str] = set()
        self.truths: set[str] = set()
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

    # -- leaving

    def put(self) -> list[str]:
        """Code that pushes what is held on the stack."""
        return [f"stack.append({name})" for name in self.held]

    def leave(self, condition: str) -> None:
        """Stop before the instruction if the condition holds: its own handler goes on."""
        self.lines.append(f"if {condition}:")
        lines = self.put()
        if self.place == self.start:
            handle, arg = self.ops[self.place]
            lines += [f"{name} = None" for name in dict.fromkeys(self.held)]  # what its handler runs may ask how long a value lives
            lines += [f"return {self.constant(handle)}(vm, frame, {self.constant(arg)})"]
        else:
            lines += [f"frame.pc = {self.place}", "return None"]
        self.lines += [f"    {line}" for line in lines]

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


_WRITERS: dict[str, Callable[[_Block, Any], bool | None]] = {}
"""Canonical instruction -> the function that writes it; it returns true if the block ends there."""


def _writes(name: str) -> Callable[[Callable[[_Block, Any], bool | None]], Callable[[_Block, Any], bool | None]]:
    def declare(write: Callable[[_Block, Any], bool | None]) -> Callable[[_Block, Any], bool | None]:
        _WRITERS[name] = write
        return write

    return declare


@_writes("LOAD_CONST")
def _load_const(block: _Block, value: Any) -> None:
    block.held.append(block.constant(value))


@_writes("PUSH_NULL")
def _push_null(block: _Block, arg: Any) -> None:
    block.held.append("NULL")


@_writes("LOAD_DEREF")
def _load_deref(block: _Block, slot: int) -> None:
    name = block.new("NULL")
    block.lines += ["try:", f"    {name} = fast[{slot}].cell_contents", "except ValueError:", "    pass"]
    block.leave(f"{name} is NULL")
    block.held.append(name)


@_writes("LOAD_FAST")
def _load_fast(block: _Block, slot: int) -> None:
    name = block.slots.get(slot)
    if name is None:
        name = block.new(f"fast[{slot}]")
        block.leave(f"{name} is NULL")
        block.slots[slot] = name
    block.held.append(name)


@_writes("STORE_FAST")
def _store_fast(block: _Block, slot: int) -> None:
    before = block.slots.get(slot)
    if before is not None and before not in block.scalars:
        raise _Full  # it is freed at once
    (name,) = block.want(1)
    block.drop(1)
    block.lines.append(f"fast[{slot}] = {name}")
    block.slots[slot] = name


@_writes("POP_TOP")
def _pop_top(block: _Block, arg: Any) -> None:
    if not block.held:
        block.lines.append("stack.pop()")
    elif block.held[-1] in block.scalars:
        block.drop(1)
    else:
        raise _Full  # it is freed at once


@_writes("COPY")
def _copy(block: _Block, depth: int) -> None:
    block.held.append(block.want(depth)[0])


@_writes("SWAP")
def _swap(block: _Block, depth: int) -> None:
    block.want(depth)
    block.held[-1], block.held[-depth] = block.held[-depth], block.held[-1]


@_writes("BINARY_OP")
def _binary_op(block: _Block, row: int) -> None:
    left, right = block.want(2)
    block.scalar(left, right)
    block.blame()
    block.drop(2)
    if is_in_place(row):
        name = block.new(left, scalar=True)
        block.lines.append(f"{name} {sign(row)}= {right}")
    else:
        name = block.new(f"{left} {sign(row)} {right}", scalar=True)
    block.held.append(name)


@_writes("UNARY_OP")
def _unary_op(block: _Block, symbol: str) -> None:
    (operand,) = block.want(1)
    kind = block.new(f"type({operand})")
    block.leave(f"{kind} is not int and {kind} is not float")
    block.blame()
    block.drop(1)
    block.held.append(block.new(f"{symbol}{operand}", scalar=True))


@_writes("COMPARE_OP")
def _compare_op(block: _Block, symbol: str) -> None:
    left, right = block.want(2)
    block.scalar(left, right)
    block.blame()
    block.drop(2)
    block.held.append(block.new(f"{left} {symbol} {right}", truth=True))


@_writes("LOAD_GLOBAL")
def _load_global(block: _Block, name: str) -> None:
    block.blame()
    block.lines.append(f"{block.constant(HANDLERS['LOAD_GLOBAL'])}(vm, frame, {block.constant(name)})")
    block.held.append(block.new("stack.pop()"))


@_writes("CALL")
def _call(block: _Block, count: int) -> None:
    """A function of C, called with scalars."""
    if not count or len(block.held) < count:
        raise _Full
    args, below = block.held[-count:], block.held[:-count]
    first, second = ["stack[-2]", "stack[-1]", *below][-2:]  # the function and NULL, in either order
    if "NULL" not in (first, second):
        block.leave(f"{first} is not NULL")
    fn = block.new(first if second == "NULL" else second)
    block.leave(f"id({fn}) not in OF_SCALARS")
    block.scalar(*args)
    block.blame()
    block.lines += ["stack.pop()"] * max(2 - len(below), 0)
    block.drop(min(count + 2, len(block.held)))
    block.held.append(block.new(f"{fn}({', '.join(args)})"))


@_writes("RETURN_VALUE")
def _return_value(block: _Block, arg: Any) -> bool:
    block.leave("frame.then is not None or frame.real is not None")
    (value,) = block.want(1)
    back = block.new("frame.back")
    block.lines += [
        f"vm.frame = {back}",
        "frame.back = None",
        "fast.reverse()",
        "vm.depth -= 1",
        f"{back}.stack.append({value})",
        "return True",
    ]
    return True


@_writes("IS_OP")
def _is_op(block: _Block, inverted: bool) -> None:
    left, right = block.want(2)
    unknown = [name for name in (left, right) if name not in block.scalars]
    if unknown:
        block.leave(" or ".join(f"type({name}) in NATIVE_TYPES" for name in unknown))
    block.drop(2)
    block.held.append(block.new(f"{left} is {'not ' if inverted else ''}{right}", truth=True))


def _truth(block: _Block) -> str:
    """The top of the stack, whose truth is asked for."""
    (name,) = block.want(1)
    if name not in block.truths:
        block.scalar(name)
    block.drop(1)
    return name


@_writes("UNARY_NOT")
def _unary_not(block: _Block, arg: Any) -> None:
    block.held.append(block.new(f"not {_truth(block)}", truth=True))


@_writes("TO_BOOL")
def _to_bool(block: _Block, arg: Any) -> None:
    block.held.append(block.new(f"not not {_truth(block)}", truth=True))


@_writes("BINARY_SUBSCR")
def _binary_subscr(block: _Block, arg: Any) -> None:
    container, key = block.want(2)
    kind = block.new(f"type({container})")
    block.leave(f"{kind} is not list and {kind} is not tuple or type({key}) is not int")
    block.blame()
    block.drop(2)
    block.held.append(block.new(f"{container}[{key}]"))


@_writes("STORE_SUBSCR")
def _store_subscr(block: _Block, arg: Any) -> None:
    value, container, key = block.want(3)
    block.leave(f"type({container}) is not list or type({key}) is not int")
    block.blame()
    block.drop(3)
    block.lines.append(f"{container}[{key}] = {value}")


@_writes("BUILD_TUPLE")
def _build_tuple(block: _Block, count: int) -> None:
    items = block.want(count) if count else []
    name = block.new(f"({', '.join(items)}{',' * (count == 1)})")
    del block.held[len(block.held) - count :]
    block.held.append(name)


@_writes("UNPACK_SEQUENCE")
def _unpack_sequence(block: _Block, count: int) -> None:
    (name,) = block.want(1)
    block.leave(f"type({name}) is not tuple or len({name}) != {count}")
    block.drop(1)
    block.held += [block.new(f"{name}[{index}]") for index in reversed(range(count))]


@_writes("LIST_APPEND")
def _list_append(block: _Block, depth: int) -> None:
    (value,) = block.want(1)
    if len(block.held) > 1:
        raise _Full
    block.drop(1)
    block.lines.append(f"stack[{-depth}].append({value})")


@_writes("FOR_ITER")
def _for_iter(block: _Block, target: int) -> None:
    if block.held:
        raise _Full
    iterator = block.new("stack[-1]")
    block.leave(f"type({iterator}) not in BUILTIN_ITERATORS")
    block.blame()
    item = block.new(f"next({iterator}, NULL)")
    block.lines += [f"if {item} is NULL:", "    stack.pop()", f"    frame.pc = {target}", "    return None"]
    block.held.append(item)


def _conditional(block: _Block, condition: str, target: int) -> None:
    block.lines += [f"if {condition}:", *[f"    {line}" for line in (*block.put(), *block.go(target))]]


@_writes("POP_JUMP_IF_TRUE")
def _pop_jump_if_true(block: _Block, target: int) -> None:
    _conditional(block, _truth(block), target)


@_writes("POP_JUMP_IF_FALSE")
def _pop_jump_if_false(block: _Block, target: int) -> None:
    _conditional(block, f"not {_truth(block)}", target)


@_writes("POP_JUMP_IF_NONE")
def _pop_jump_if_none(block: _Block, target: int) -> None:
    (name,) = block.want(1)
    block.drop(1)
    _conditional(block, f"{name} is None", target)


@_writes("POP_JUMP_IF_NOT_NONE")
def _pop_jump_if_not_none(block: _Block, target: int) -> None:
    (name,) = block.want(1)
    block.drop(1)
    _conditional(block, f"{name} is not None", target)


@_writes("JUMP")
def _jump(block: _Block, target: int) -> bool:
    block.lines += [*block.put(), *block.go(target)]
    return True


@_writes("JUMP_BACKWARD")
def _jump_backward(block: _Block, target: int) -> bool:
    block.lines += [*block.put(), *block.back(block.place, target)]
    return True


def _write(info: CodeInfo, ops: Operations, start: int, leaders: set[int], names: dict[str, Any]) -> tuple[_Block, int, bool]:
    """A block, the instruction after it, and whether its last one jumps."""
    block, place = _Block(info, ops, start, names), start
    while place < len(ops) and info.handlers[place] is info.handlers[start] and (place == start or place not in leaders):
        name, arg, _ = info.decoded.instructions[place]
        write = _WRITERS.get(name)
        if write is None or ops[place][0] not in (HANDLERS[name], keeping_of(HANDLERS[name])):
            break
        block.place = place
        try:
            ends = write(block, arg)
        except _Full:
            break
        place += 1
        if ends:
            return block, place, True
        if name == "CALL":  # where another function returns to
            break
    return block, place, False


def _leaders(info: CodeInfo) -> set[int]:
    """Where instructions are entered from elsewhere, by jumps or exceptions."""
    targets = {arg for name, arg, _ in info.decoded.instructions if name in TARGETS}
    return targets | {handler.target for handler in info.handlers if handler is not None}


def _reach(info: CodeInfo, place: int) -> range:
    """The instructions of the loop whose iterations end at a ``JUMP_BACKWARD``.

    The backward jump of a conditional jump stands behind all other instructions.
    """
    instructions = info.decoded.instructions
    _, first, offset = instructions[place]
    last = next((index for index, each in enumerate(instructions) if each.offset == offset and each.arg == place), place)
    return range(first, last + 1)


def may_write(ops: Operations, place: int) -> bool:
    """Whether the block of an instruction is missing."""
    return ops.fused is None or ops.fused[place] is ops[place]


def write_loop(info: CodeInfo, ops: Operations, place: int) -> None:
    """Write the blocks of the loop whose iterations end at this ``JUMP_BACKWARD``."""
    _write_blocks(info, ops, _reach(info, place), range(place, place + 1))


def write_function(info: CodeInfo, ops: Operations) -> None:
    """Write the blocks of all instructions, unless there are too many."""
    if len(ops) <= _LONGEST:
        _write_blocks(info, ops, range(len(ops)))


def _write_blocks(info: CodeInfo, ops: Operations, *stretches: range) -> None:
    leaders, texts, found = _leaders(info), [], {}
    names: dict[str, Any] = {"__name__": __name__, **_TABLES}
    for stretch in stretches:
        at = stretch.start
        while at in stretch:
            block, after, jumps = _write(info, ops, at, leaders, names)
            if after - at >= min(_SHORTEST, len(stretch)):
                found[at] = f"block{at}"
                texts.append(block.text(found[at], None if jumps else after))
            at = max(after, at + 1)
    exec(compile("\n".join(texts), _FILE, "exec"), names)
    ops.fused = [(names[found[at]], None) if at in found else op for at, op in enumerate(ops.fused or ops)]


_TABLES = {"NULL": NULL, "SCALARS": SCALARS, "OF_SCALARS": OF_SCALARS, "NATIVE_TYPES": NATIVE_TYPES, "BUILTIN_ITERATORS": BUILTIN_ITERATORS}
