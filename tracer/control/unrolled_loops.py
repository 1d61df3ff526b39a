"""Loops of a known number of iterations that data may end, and that cannot be one node: they are
unrolled when the program is exported again (`npexport.tracer.interpreter.unrolling`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any, NamedTuple

from npexport.symshapes.errors import InternalError, Unsupported
from npexport.tracer.control.counters import KeptItems, kept, left_of
from npexport.tracer.control.forks import BranchInIteration
from npexport.tracer.control.referrers import present
from npexport.tracer.control.refusals import Refused
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.counting import Counting, counting_of
from npexport.tracer.interpreter.frame import Frame, Machine
from npexport.tracer.interpreter.loop_analysis import Loop, depth_of
from npexport.tracer.interpreter.unrolling import Copies, copies_of


class _Known(NamedTuple):
    """The items of a container, by position."""

    values: list[Any]

    def __call__(self, position: Any) -> Any:
        return present(self.values[position])

    def arrays(self) -> tuple[Any, ...]:
        """None that a loop reads: the items are whole arrays."""
        return ()


def _counter(iterator: Any) -> tuple[Counting, list[Any]] | None:
    """The counter of the items that an iterator has left, if they are known, and the iterators that
    it replaces.
    """
    counter = counting_of(iterator)
    if counter is not None:
        replaced = [] if counter is iterator else [iterator]
        return (counter, replaced) if counter.is_static() else None
    left = left_of(iterator, _Known)
    if left is None or type(left.length) is not int:
        return None
    return Counting(0, left.length, 1, kept(left.items, left.containers)), left.iterators


def counter_on_stack(world: ShadowedWorld, vm: Machine, frame: Frame) -> Counting | None:
    """The counter that takes the place of the iterator on top of the stack; ``None`` where the
    items are not known. Raises `Refused` if somebody else holds the iterator.
    """
    found = _counter(frame.stack[-1])
    if found is None:
        return None
    counter, replaced = found
    if replaced:
        frame.stack.pop()
        if any(map(world.recorder.session.is_held, replaced)):
            raise Refused("the program holds its iterator")
        frame.stack.append(counter)
    return counter


@contextmanager
def unrolled_if_refused(world: ShadowedWorld, frame: Frame, loop: Loop) -> Iterator[None]:
    """Note a loop that cannot be one node, so that it is unrolled when the program is exported
    again, or one that could be unrolled, too, if only its first iteration; of loops in each other
    the innermost.
    """
    place, refused, captured = depth_of(frame.code, loop) - 1, world.inlining.refused, world.inlining.captured
    iterates = frame.info.decoded.instructions[loop.header].name == "FOR_ITER" and 0 <= place < len(frame.stack)
    found, before = _counter(frame.stack[place]) if iterates else None, (len(refused), len(captured))

    def note(loops: dict[CodeType, Copies], known: int, begins: bool = False) -> None:
        if len(loops) > known or frame.generator is not None or frame.info.is_generator:
            return
        copies = None if found is None else copies_of(frame.code, loop, _all(found[0]))
        if copies is None and begins and (found is not None or not iterates):  # carries are new arrays then
            copies = copies_of(frame.code, loop, 1)
        if copies is not None:
            loops.setdefault(frame.code, copies)

    try:
        yield
    except (BranchInIteration, InternalError):
        raise
    except Unsupported:
        note(refused, before[0])
        raise
    note(captured, before[1], begins=True)


def _all(counter: Counting) -> int:
    """How many copies a loop gets that data may end in its first iteration: more than it has
    iterations, so that the loop behind the last copy never runs.
    """
    whole = [len(container) for container, _ in counter.items.containers] if isinstance(counter.items, KeptItems) else []
    return 1 + max([len(range(counter.value, counter.stop, counter.step)) + 1, *whole])
