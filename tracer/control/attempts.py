"""Instructions that run again on both sides of a branch: an operator that raises for some data
while a handler of the program waits for that, and an instruction that examines a value that is one
of several.
"""

from __future__ import annotations

from typing import Any

from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymBool
from npexport.tracer.arrays.core.current import decided
from npexport.tracer.control import loops
from npexport.tracer.control.data_branches import DataBranch
from npexport.tracer.control.failures import leaves_unchanged
from npexport.tracer.control.forks import BranchInIteration, Fork, successors_of
from npexport.tracer.control.refusals import Grows
from npexport.tracer.control.results import suppose
from npexport.tracer.effects.snapshots import Spoiled
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.attempts import Undecided, made
from npexport.tracer.interpreter.frame import Frame, Machine, Task
from npexport.tracer.interpreter.handler_analysis import catching, passing
from npexport.tracer.interpreter.join_points import GivenUp, MeetsOutside, behind, join_point_of, meeting_place
from npexport.tracer.interpreter.loop_analysis import innermost
from npexport.tracer.interpreter.symbolic_union import NeedsCaseSplit, SymbolicUnion


def is_loop(world: ShadowedWorld, vm: Machine, frame: Frame, truth: Any, join_point: int | None) -> bool:
    """Whether the instruction decides a loop that is captured."""
    place, loop = frame.pc - 1, innermost(frame.code, frame.pc - 1)
    stack = list(frame.stack)
    try:
        if loop is not None:
            loops.Capture(world, vm, frame, loop, loop.header).count()
            stack = list(frame.stack)
        return loops.choose(Fork(world, vm, frame, truth, successors_of(place, place)), join_point)
    except (Spoiled, BranchInIteration, MeetsOutside):
        raise
    except Unsupported:
        frame.pc, frame.stack[:] = place + 1, stack
        return False


def attempt(world: ShadowedWorld, vm: Machine, frame: Frame, undecided: Undecided) -> None:
    """Go on where both sides meet, or, if the exception leaves the program unchanged, with the
    instruction itself, which raises it at run time. Raises ``Unsupported`` (E126).
    """
    leaving, unsure = set(world.leaving), passing(vm, (undecided.error,))
    try:
        if unsure and _leaves(world, vm, frame, undecided, unsure):
            frame.pc -= 1
            world.leaving = leaving | {(frame, undecided.error)}
            return
        _both(world, vm, frame, undecided)
    except (Spoiled, BranchInIteration, Grows, MeetsOutside):
        raise
    except Unsupported as error:
        known = undecided.message in error.message  # an attempt inside has said it
        message = error.message if known else f"{undecided.message}; {error.message}"
        raise Unsupported("E126", message, hint=error.hint) from None


def _leaves(world: ShadowedWorld, vm: Machine, frame: Frame, undecided: Undecided, unsure: list[Frame]) -> bool:
    """Whether the exception leaves the program as it was raised."""

    def raised() -> BaseException:
        suppose(world.recorder, undecided.truth, True)
        error = made(undecided.message, undecided.error, undecided.text())
        vm.raised(error)
        return error

    try:
        return leaves_unchanged(world, vm, frame, unsure, raised)
    except GivenUp:
        raise undecided from None


def _both(world: ShadowedWorld, vm: Machine, frame: Frame, undecided: Undecided) -> None:
    """Run the side that raises, up to the end of its handler, and the side that does not."""
    found = catching(vm, frame, (undecided.error,), unsure=True)
    if found is None:
        raise undecided
    outer, _, target = found
    each: Any = frame
    while each is not outer:
        if type(each.then) is Task or each.generator is not None:
            raise undecided
        each = each.back
    place = frame.pc - 1
    join_point = behind(outer, target)
    if outer is frame and is_loop(world, vm, frame, undecided.truth, join_point):
        return
    loops.branch(DataBranch(world, vm, frame, undecided.truth, successors_of(place, place)), (outer, join_point))


def ask(world: ShadowedWorld, vm: Machine, frame: Frame, union: SymbolicUnion) -> None:
    """Go on where the sides meet. Raises ``Unsupported`` (E103)."""
    if not world.captures:
        raise NeedsCaseSplit(union)
    truth = next(test for test in union.tests if type(test) is SymBool and decided(test) is None)
    place = frame.pc - 1
    if world.asking.count((frame, place)) >= _MOST_ASKED:  # its sides are run twice as often for each
        raise NeedsCaseSplit(union)
    join_point = join_point_of(frame.code, place)
    branches = "JUMP" in frame.info.decoded.instructions[place].name
    if not (branches and join_point is not None and is_loop(world, vm, frame, truth, join_point)):
        world.asking.append((frame, place))
        try:
            meets = (frame, meeting_place(frame.code, place + 1)) if join_point is None and not branches else None  # all paths on raise
            loops.branch(DataBranch(world, vm, frame, truth, successors_of(place, place)), meets)
        finally:
            world.asking.pop()


_MOST_ASKED = 6
"""The largest number of such values that one instruction may examine at a time."""
