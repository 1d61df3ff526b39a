"""Inlines generators into the loops that iterate over them: the generator's body takes the place of
the loop's ``FOR_ITER``, and the loop's body the place of each ``yield``. So the branches and loops
of both become those of one function; what happens, and in which order, stays the same.

A loop gets such code if a generator was seen to yield on one side of a branch on data, or in a loop
on data (`is_left`); the function runs with it when the program is exported again. The inlined path
is taken by a generator that has not begun and that nobody else holds (``ENTER_GENERATOR``); any
other iterable is iterated as usual.
"""

from __future__ import annotations

import functools
import itertools
from types import CodeType
from typing import Any

from npexport.tracer.bytecode.canonical import Handler, Instruction
from npexport.tracer.bytecode.flow import TARGETS
from npexport.tracer.bytecode.host import CODE_STOPS_ITERATION, STOP_ITERATION_ERROR
from npexport.tracer.interpreter.copied_code import Label, Origin, Target, Writer, origin_of
from npexport.tracer.interpreter.flow_graph import looks_at_variables
from npexport.tracer.interpreter.frame import FOR_ITER, NULL, Frame
from npexport.tracer.interpreter.generator_functions import is_plain, with_loops
from npexport.tracer.interpreter.generators import state_of
from npexport.tracer.interpreter.loop_analysis import Loop, depth_of, loops
from npexport.tracer.interpreter.nested_calls import as_stacked_loop
from npexport.tracer.interpreter.own_calls import nested_calls
from npexport.tracer.interpreter.program import FACTS, code_info, running
from npexport.tracer.interpreter.tail_calls import as_loop
from npexport.tracer.interpreter.unrolling import MOST_LOOPS, Copies, unrolled
from npexport.tracer.interpreter.world import World


class Body:
    """The code of a generator, and the namespaces in which its names are looked up."""

    def __init__(self, frame: Frame) -> None:
        self.code, self.spaces = frame.code, (frame.globals, frame.builtins)

    def is_of(self, frame: Frame) -> bool:
        return self.code is frame.code and self.spaces[0] is frame.globals and self.spaces[1] is frame.builtins


Places = tuple[tuple[int, Body], ...]
"""The ``FOR_ITER`` of each loop, and the generators that it iterates over."""

DELEGATES: Any = object()
"""The place of a generator that runs with loops in place of ``yield from``."""

_MOST = 4
"""The largest number of ``yield``s of a generator, each of which gets a copy of the loop's body,
and of generators inlined into one function.
"""
_OF_ITS_MODULE = frozenset("STORE_GLOBAL DELETE_GLOBAL MAKE_FUNCTION IMPORT_NAME LOAD_BUILD_CLASS".split())
"""Instructions that act in the name of the frame's module."""


class Inlining:
    """The loops of one export that run with other code than the compiler's, and those that were
    found to need it: by ``places`` generators are inlined, by ``copies`` loops are unrolled.
    Functions of ``again`` are loops in place of a recursion; it says whether sizes decide how deep
    that is.

    ``captured``: the loops that became one node and could be unrolled.
    """

    def __init__(
        self,
        places: dict[CodeType, Places] | None = None,
        copies: dict[CodeType, Copies] | None = None,
        again: dict[CodeType, bool] | None = None,
    ) -> None:
        self.places, self.copies, self.again = places or {}, copies or {}, again or {}
        self.recursive = dict(self.again)
        self.found, self.refused = dict(self.places), dict(self.copies)
        self.captured: dict[CodeType, Copies] = {}
        self.changes = bool(places or copies or again)  # any code; a code object takes long to look up

    def entered(self, code: CodeType, fast: list[Any]) -> CodeType:
        """The code with which a function is entered; its slots are extended as that code needs."""
        if code in self.again:
            limit, sized = running.limit, self.again[code]
            code = as_stacked_loop(code, limit, sized) if nested_calls(code) else as_loop(code, limit)
            fast += [NULL] * (len(code_info(code).slots) - len(fast))
        places, copies = self.places.get(code), self.copies.get(code)
        if places is not None and places[0] is DELEGATES:
            return self.entered(with_loops(code) or code, fast)
        if places is not None:
            code = inlined(code, places)
            fast += [NULL] * (len(code_info(code).slots) - len(fast))
            copies = self.copies.get(code)
        return code if copies is None else self.entered(unrolled(code, copies), fast)

    def refuse_captured(self) -> None:
        """Note that a result may be in the memory of another array, as the iterations of captured
        loops decide: branches tell which one it is.
        """
        self.refused = self.captured | self.refused

    def more(self, refused: bool) -> Inlining | None:
        """The same with what was found in this run; ``None`` if nothing was. Loops are unrolled
        after a refusal only.
        """
        if self.found != self.places or self.recursive != self.again:
            return Inlining(self.found, self.copies, dict(self.recursive))
        unrolls = refused and self.refused != self.copies and len(self.refused) <= MOST_LOOPS
        return Inlining(self.places, self.refused, self.again) if unrolls else None


def is_left(world: World, frame: Frame) -> bool:
    """Whether a frame in which something depends on data belongs to a generator, which is left in
    the middle of it. If so, the loop over it inlines the generator when the program is exported
    again.
    """
    loop = frame.back
    if frame.generator is not None and frame.on_return == FOR_ITER and loop is not None:
        _note(world, frame, loop, loop.pc - 1)
    for each in (frame, loop):
        if type(each) is Frame and each.generator is not None and with_loops(each.code) is not None:
            world.inlining.found[each.code] = (DELEGATES,)
    return frame.generator is not None or bool(frame.info.is_generator)


def note_iterated(world: World, frame: Frame, loop: Loop) -> None:
    """Note the generator that a loop on data iterates over, and those that it iterates over
    itself.
    """
    place = depth_of(frame.code, loop) - 1
    iterates = frame.info.decoded.instructions[loop.header].name == "FOR_ITER" and 0 <= place < len(frame.stack)
    state = state_of(frame.stack[place]) if iterates else None
    if state is not None:
        _note(world, state.frame, frame, loop.header)
        for each in [each for each in loops(state.frame.code) if state.frame.pc in each.members]:
            note_iterated(world, state.frame, each)


def _note(world: World, frame: Frame, loop: Frame, place: int) -> None:
    """Note the generator of a frame for the ``FOR_ITER`` at a place in another one."""
    code, header = origin_of(loop.code, place)
    known, found = world.inlining.found.get(code, ()), world.inlining.found
    new = len(known) < _MOST and not any(place == header and body.is_of(frame) for place, body in known)
    if new and _loop(code, header) is not None and not looks_at_variables(code) and _fits(frame, loop):
        found[code] = (*known, (header, Body(frame)))


def _fits(generator: Frame, loop: Frame) -> bool:
    code = generator.code
    if not is_plain(code) or looks_at_variables(code) or "super" in code.co_names:
        return False
    names = [instruction.name for instruction in code_info(code).decoded.instructions]
    if generator.globals is not loop.globals and not _OF_ITS_MODULE.isdisjoint(names):
        return False
    return 0 < names.count("YIELD_VALUE") <= _MOST


def _loop(code: CodeType, header: int) -> Loop | None:
    return next((loop for loop in loops(code) if loop.header == header), None)


class _Writer(Writer):
    """Writes the code of a function with generators inlined into its loops."""

    def __init__(self, code: CodeType, places: Places) -> None:
        super().__init__(code)
        self.places, self.scopes = places, itertools.count()

    def insert(self, index: int, target: Target) -> None:
        for header, body in self.places:
            if header == index:
                self._generator(header, body, target)

    def _generator(self, header: int, body: Body, target: Target) -> None:
        """Write the generator's code; its stack is kept in slots during the loop's body."""
        decoded, base, scope = code_info(body.code).decoded, len(self.slots), next(self.scopes)
        self.slots += decoded.slots
        self.at(header, target)
        around, loop = self.handler, self.origin
        depth = around.depth if around else 0
        self.entries[len(self.instructions)] = body, base
        self.add("ENTER_GENERATOR", (scope, "else"))
        marked = _has_marker(body.code)
        if marked:
            self.add("LOAD_CONST", None)
        for index, (name, arg, _) in enumerate(decoded.instructions):
            self.mark((scope, index))
            self.origin = loop if code_info(body.code).internal else Origin(body.code, index)
            inner = decoded.handlers[index]
            if inner is not None:  # it makes a StopIteration a RuntimeError
                self.handler = Handler((scope, inner.target), depth, inner.push_instruction)  # type: ignore[arg-type]
            else:
                self.handler = around if CODE_STOPS_ITERATION else Handler((scope, "stop"), depth, False)  # type: ignore[arg-type]
            if name == "YIELD_VALUE":
                self._body(header, body.code, index, target)
            elif name == "RETURN_VALUE":
                if marked:
                    self.add("POP_TOP")
                self.add("JUMP", target(self.own[header].arg))
            elif not _is_skipped(decoded.instructions, index):
                self._moved(name, arg, index, scope, base, body)
        self.at(header, target)
        if not CODE_STOPS_ITERATION:
            self.mark((scope, "stop"))
            self.add("HOST_INSTRUCTION", STOP_ITERATION_ERROR)
            self.add("RERAISE", 0)
        self.mark((scope, "else"))

    def _moved(self, name: str, arg: Any, index: int, scope: int, base: int, body: Body) -> None:
        """Copy an instruction of a generator into the function."""
        if name == "LOAD_GLOBAL":
            self.add("LOAD_GLOBAL_OF", (arg, body.spaces))
            return
        if name == "ENTER_GENERATOR":
            inner, first = code_info(body.code).decoded.entries[index]  # type: ignore[attr-defined]
            self.entries[len(self.instructions)] = inner, first + base
        self.add(name, arg + base if FACTS[name].slot else (scope, arg) if name in TARGETS else arg)

    def _body(self, header: int, generator: CodeType, place: int, around: Target) -> None:
        """Write a copy of the loop's body in place of a ``yield``."""
        waiting, scope = range(len(self.slots), len(self.slots) + _waiting(generator, place)), next(self.scopes)
        self.slots += ["(an iterator)"] * len(waiting)
        for slot in waiting:
            self.add("SWAP", 2)
            self.add("STORE_FAST", slot)
        members = sorted(_loop(self.code, header).members - {header})  # type: ignore[union-attr]
        inside = frozenset((header, *members))

        def target(index: int) -> Label:
            return (scope, index) if index in inside else around(index)

        if members[0] != header + 1:
            self.add("JUMP", target(header + 1))
        before = self.handler, self.origin, self.offset
        self.copy(members, target)
        self.mark(target(header))
        self.handler, self.origin, self.offset = before
        for slot in reversed(waiting):
            self.add("LOAD_FAST_AND_CLEAR", slot)


def _is_skipped(instructions: list[Instruction], index: int) -> bool:
    """Whether an instruction belongs to a ``yield`` or ``return`` that others replace."""
    return (index > 0 and instructions[index - 1].name == "YIELD_VALUE") or (
        index + 1 < len(instructions) and instructions[index + 1].name == "RETURN_VALUE"
    )


def _depth(code: CodeType, place: int) -> int:
    """The number of iterators on the stack at a ``yield``."""
    code, place = origin_of(code, place)
    decoded = code_info(code).decoded
    return sum(place in loop.members and decoded.instructions[loop.header].name == "FOR_ITER" for loop in loops(code))


def _has_marker(code: CodeType) -> bool:
    """Whether ``None`` takes the place of the loop's iterator on the stack, since some ``yield`` of
    the generator stands in no loop whose iterator could take it.
    """
    instructions = code_info(code).decoded.instructions
    return not all(_depth(code, place) for place, instruction in enumerate(instructions) if instruction.name == "YIELD_VALUE")


def _waiting(code: CodeType, place: int) -> int:
    """The number of iterators above the loop's own place on the stack at a ``yield``."""
    return _depth(code, place) - (not _has_marker(code))


@functools.lru_cache(256)
def inlined(code: CodeType, places: Places) -> CodeType:
    """The code with these generators inlined."""
    return _Writer(code, places).write(("inlined", *[(header, id(body), body.code) for header, body in places]))
