"""Where the two sides of a branch meet, and how one of them is run until there.

Sides meet at the immediate post-dominator of the branch among the canonical instructions, over the
paths that end in a ``return``: a path that raises meets nothing. Edges to exception handlers are
left out: an exception that the side itself handles is part of the side. If the rest of the function
is one side, both meet before ``return`` runs, with the value on the stack.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any, NamedTuple

from npexport.symshapes.errors import ENDS_RUN, Location, Unsupported
from npexport.tracer.bytecode.flow import JUMPS, RAISES, SUSPENDS, predecessors
from npexport.tracer.interpreter.flow_graph import RETURN, handler_targets, reached, resolved, successors
from npexport.tracer.interpreter.frame import PUSHED, Bound, Continuation, Frame, Machine
from npexport.tracer.interpreter.program import code_info, of_code

_IDLE = JUMPS | {"POP_TOP"}


def gives(name: str) -> str:
    """In the program's words: what an instruction that suspends its frame does."""
    return "gives a value with `yield`" if name == "YIELD_VALUE" else "waits with `await`, `async for` or `yield from`"


@of_code
def _join_points(code: CodeType) -> dict[int, int]:
    """The immediate post-dominator of every instruction from which a ``return`` can be reached."""
    return _post_dominators(successors(code))


def _post_dominators(edges: Sequence[Sequence[int]]) -> dict[int, int]:
    """The immediate post-dominator of every instruction from which the last one can be reached."""
    end = len(edges) - 1
    order = _backwards(predecessors(edges), end)
    number = {index: place for place, index in enumerate(order)}
    found = {end: end}
    changed = True
    while changed:
        changed = False
        for index in order[1:]:
            join_point = None
            for successor in edges[index]:
                if successor in found:
                    join_point = successor if join_point is None else _common(found, number, join_point, successor)
            if join_point is not None and found.get(index) != join_point:
                found[index] = join_point
                changed = True
    return found


def _backwards(before: list[list[int]], end: int) -> list[int]:
    """The instructions that reach the end, in reverse postorder of the reversed graph."""
    done: list[int] = []
    seen, stack = {end}, [(end, iter(before[end]))]
    while stack:
        index, rest = stack[-1]
        following = next((other for other in rest if other not in seen), None)
        if following is None:
            done.append(index)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(before[following])))
    return done[::-1]


def _common(found: dict[int, int], number: dict[int, int], one: int, other: int) -> int:
    while one != other:
        if number[one] > number[other]:
            one = found[one]
        else:
            other = found[other]
    return one


def join_point_of(code: CodeType, index: int) -> int | None:
    """Where the sides of the branch at ``index`` meet, or `RETURN`; ``None`` if nowhere."""
    found = _join_points(code).get(index)
    return None if found is None else meeting_place(code, found)


def meeting_place(code: CodeType, join_point: int) -> int:
    """The same of an instruction, or of the end of the code."""
    return RETURN if join_point == len(successors(code)) - 1 else settled(code, join_point)


def settled(code: CodeType, index: int) -> int:
    """The instruction after jumps, and after what drops values of the stack.

    Join points and exits of loops are always normalised this way, so that a side that leaves a loop
    does not go past the join point.
    """
    return resolved(code, index, _IDLE)


def returns(code: CodeType, index: int) -> bool:
    """Whether the instruction reaches a ``return``, handlers aside."""
    return index in _join_points(code)


@of_code
def caught(code: CodeType, index: int) -> int:
    """Where a path that only raises goes on: at a handler that reaches a ``return``, if any."""
    info, found, places = code_info(code), _join_points(code), [index]
    while places[-1] not in found:
        handlers = [info.handlers[each] for each in reached(code, places[-1]) if info.decoded.instructions[each].name in RAISES]
        handler = next((each for each in handlers if each is not None), None)
        if handler is None or handler.target in places:  # a handler that goes on in a loop without end gets what it raises
            return index
        places.append(handler.target)
    return places[-1]


def common(code: CodeType, *starts: int) -> int | None:
    """Where all paths that begin at these instructions meet, or `RETURN`; ``None`` if nowhere."""
    meeting = _met(_join_points(code), [caught(code, start) for start in starts])
    return None if meeting is None else meeting_place(code, meeting)


@of_code
def meeting_in_loop(code: CodeType, members: frozenset[int], starts: tuple[int, int], stop: int) -> int | None:
    """Where the paths from two instructions to ``stop`` meet that stay among ``members``; ``None``
    if only there, or if not both reach it.
    """
    edges = successors(code)
    end = len(edges) - 1
    within = [tuple([each for each in following if each in members]) if index in members else () for index, following in enumerate(edges)]
    within[stop] = (end,)
    meeting = _met(_post_dominators(within), [resolved(code, start) for start in starts])
    place = stop if meeting is None else resolved(code, meeting)
    return None if place in (stop, end) else place


def _met(found: dict[int, int], starts: Sequence[int]) -> int | None:
    """The nearest of the post-dominators that all paths from these instructions reach."""
    one, *others = [_path(found, start) for start in starts] or [[]]
    return next((index for index in one if all(index in other for other in others)), None)


def _path(found: dict[int, int], index: int) -> list[int]:
    """An instruction and its post-dominators, nearest first; empty if it never returns."""
    path = [index] if index in found else []
    while path and found[path[-1]] != path[-1]:
        path.append(found[path[-1]])
    return path


def meeting_point(code: CodeType, index: int, starts: tuple[int, ...]) -> int | None:
    """Where the sides of the branch at ``index`` that begin at ``starts`` meet.

    It is `join_point_of`; or, if one of them only raises what a handler of the function may take,
    where its path meets the other's.
    """
    return join_point_of(code, index) if all(caught(code, start) == start for start in starts) else common(code, *starts)


def behind(frame: Frame, handler: int) -> int | None:
    """Where the path on from the current instruction meets one that begins with a handler: if the
    handler always raises, where the instruction itself would go without exceptions.
    """
    found = common(frame.code, frame.pc, handler)
    return join_point_of(frame.code, frame.pc - 1) if found is None else found


class Ended(NamedTuple):
    """How a side ended: where the sides meet, or with an exception that left its frame and was
    raised at ``where``.

    ``handler``: the instruction where the frame handles an exception, if the join point cannot be
    reached from there.
    """

    error: BaseException | None
    where: tuple[Location, ...]
    handler: int | None = None


def _misses(frame: Frame, join_point: int) -> bool:
    """Whether the frame handles an exception on a path that never reaches the join point."""
    if join_point == RETURN or frame.pc not in handler_targets(frame.code) or frame.pc not in _join_points(frame.code):
        return False
    return join_point not in reached(frame.code, frame.pc)


def comes_within_iteration(code: CodeType, start: int, target: int, header: int) -> bool:
    """Whether paths lead from one instruction to another within an iteration, and none bypasses it
    to the next iteration.
    """
    if target not in reached(code, start, frozenset({header})):
        return False
    return target == header or header not in reached(code, start, frozenset({target}))


def meet_within_iteration(
    code: CodeType, place: int, sides: tuple[int, int], members: frozenset[int], header: int, join_point: int | None
) -> bool:
    """Whether the sides of a branch in a loop meet before either begins another iteration."""
    met = meeting_point(code, place, sides) if join_point is None else join_point
    if met is None or met not in members:
        return False
    return all(comes_within_iteration(code, caught(code, side), met, header) for side in sides)


def unbound(frame: Frame, outer: Frame) -> None:
    """Let the outcomes of this frame, and of those outwards to another, go to their own
    continuations, as if no part of them was run by itself.
    """
    for each in (*called(frame, outer), outer):
        each.then = own_continuation(each)


def own_continuation(frame: Frame) -> Continuation | None:
    """The frame's own continuation, also while a part of it is run by itself."""
    then = frame.then
    while isinstance(then, Bound):
        then = then.beyond
    return then


class _Barrier(Bound):
    """The frame's continuation during a side: an exception that leaves the frame stops here."""

    error: BaseException | None = None

    def __init__(self, join_points: frozenset[int], ready: Callable[[], bool], beyond: Continuation | None) -> None:
        super().__init__(beyond)
        self.join_points, self.ready = join_points, ready

    def stands(self, frame: Frame) -> bool:
        """Whether the side ends here."""
        return frame.pc in self.join_points and self.ready()

    def is_passed(self, frame: Frame) -> bool:
        """Whether a side around this one ends here."""
        around = self.beyond
        return type(around) is _Barrier and (around.stands(frame) or around.is_passed(frame))

    def returned(self, vm: Machine, value: Any) -> Any:
        raise AssertionError("a side ends before its frame returns")

    def raised(self, vm: Machine, error: BaseException) -> Any:
        self.error = error
        return PUSHED


def ends_side(frame: Frame) -> bool:
    """Whether a side ends in this frame, so that it does not return to the caller."""
    return type(frame.then) is _Barrier


def is_within_side(frame: Frame | None, outer: Frame, places: frozenset[int]) -> bool:
    """Whether a running side ends in a frame called from another, or there at these places."""
    then = outer.then
    return any(map(ends_side, called(frame, outer))) or (type(then) is _Barrier and then.join_points <= places)


def further(frame: Frame, index: int) -> int | None:
    """The next instruction after this one on every path, or `RETURN`; ``None`` if there is none."""
    return None if index == RETURN else join_point_of(frame.code, index)


@of_code
def _all_behind(code: CodeType, join_point: int) -> frozenset[int]:
    """An instruction, and all later ones that are on every path."""
    found = [join_point]
    while found[-1] != RETURN:
        following = join_point_of(code, found[-1])
        if following is None:
            break
        found.append(following)
    return frozenset(found)


class Suspended(Exception):
    """The side yields or awaits in the middle: its frame is left and entered again. ``str()`` says
    which, after "the side".
    """


class Passed(Exception):
    """The enclosing side ends before this one does."""


class MeetsOutside(Unsupported):
    """The sides meet in a function that called the one in which an enclosing branch runs its side,
    so both branches meet there.
    """

    def __init__(self, place: tuple[Frame, int | None]) -> None:
        super().__init__("E103", "a branch depends on data, and its sides handle exceptions in several places")
        self.place = place


class GivenUp(Unsupported):
    """The side cannot be a check of the program, or its message cannot be known at run time."""

    def __init__(self) -> None:
        super().__init__("E103", "a side of a branch on data may have an effect")


def _at_once() -> bool:
    return True


MOST_INSTRUCTIONS = 1_000_000
ENDLESS = f"runs through more than {MOST_INSTRUCTIONS:,} instructions, or never ends"


def run_until(
    vm: Machine,
    frame: Frame,
    join_point: int,
    ready: Callable[[], bool] | None = None,
    limits: frozenset[int] = frozenset(),
    most: int | None = None,
) -> Ended:
    """Run from the frame's present place until it is at ``join_point`` or before a ``return``.

    ``ready``: whether that is the end; if not, the next instruction on every path is. Raises
    `Suspended`, also after a million instructions; `Passed` if an enclosing side, or the call, ends
    first; and `GivenUp` at the instructions ``limits``, or after ``most`` instructions.
    """
    places = frozenset((join_point,)) if ready is None else _all_behind(frame.code, join_point)
    barrier = _Barrier(places, ready or _at_once, frame.then)
    instructions = frame.info.decoded.instructions
    then, back, real = frame.then, frame.back, frame.real
    where: tuple[Location, ...] = ()
    left = MOST_INSTRUCTIONS if most is None else most
    frame.then = barrier
    try:
        while True:
            current: Any = vm.frame
            if current is frame:
                name = instructions[frame.pc].name
                if barrier.stands(frame) or name == "RETURN_VALUE":
                    return Ended(None, ())
                if barrier.is_passed(frame):
                    raise Passed
                if name in SUSPENDS:
                    raise Suspended(gives(name))
                if frame.pc in limits:
                    raise GivenUp
            elif barrier.error is not None:
                return Ended(barrier.error, where)
            elif current is None:
                raise Passed
            left -= 1
            if left < 0:
                raise GivenUp if most is not None else Suspended(ENDLESS)
            pc = frame.pc
            where = step(vm, current) or where
            if vm.frame is frame and frame.pc not in (pc, pc + 1) and _misses(frame, join_point):
                return Ended(None, where, frame.pc)
    finally:
        frame.then, frame.back, frame.real = then, back, real


def step(vm: Machine, frame: Frame) -> tuple[Location, ...]:
    """Run one instruction; if it raises, return where it was raised."""
    handler, arg = frame.ops[frame.pc]
    name = frame.info.decoded.instructions[frame.pc].name
    frame.pc += 1
    if vm.on_step is not None:
        vm.on_step(frame)
    where = vm.stack() if name in RAISES and name != "RERAISE" else ()
    try:
        handler(vm, frame, arg)
    except ENDS_RUN:
        raise
    except BaseException as error:
        where = vm.stack()
        vm.raised(error)
    return where


def called(frame: Frame | None, outer: Frame | None) -> list[Frame]:
    """The frames from one on that another has called."""
    found: list[Frame] = []
    while frame is not outer and frame is not None:
        found.append(frame)
        frame = frame.back
    return found
