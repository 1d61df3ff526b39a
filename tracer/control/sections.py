"""Branches on data some paths of which leave early: ``if a and b: return x``.

What the sides have in common behind such a statement is recorded once. The sides run up to where it
begins (`npexport.tracer.interpreter.early_exits`), as an iteration of a loop runs up to the next
one: they give what has changed, and whether the program goes on there. A second branch, on that,
has what follows on one side, and on the other what the paths that have left do.
"""

from __future__ import annotations

import functools

from npexport.symshapes.errors import InternalError, Unsupported
from npexport.tracer.control import loops
from npexport.tracer.control.data_branches import DataBranch
from npexport.tracer.control.endings import Ending
from npexport.tracer.control.forks import BranchInIteration, Fork, Successor
from npexport.tracer.control.iterations import Iteration
from npexport.tracer.control.refusals import Refused
from npexport.tracer.control.rollback import on_trial
from npexport.tracer.control.side_lists import SideRooms, before_the_branch, making_room
from npexport.tracer.effects.snapshots import Spoiled
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter import early_exits
from npexport.tracer.interpreter.early_exits import section_of
from npexport.tracer.interpreter.frame import Frame, Machine
from npexport.tracer.interpreter.join_points import common, meeting_point, returns
from npexport.tracer.interpreter.loop_analysis import Loop


class Section(Iteration):
    """Runs the paths of a section to its end, or to where they leave it."""

    watches = True

    def __init__(self, world: ShadowedWorld, vm: Machine, frame: Frame, section: early_exits.Section) -> None:
        super().__init__(world, vm, frame, Loop(section.end, section.members), section.end)

    def holds_both(self, starts: tuple[int, int]) -> bool:
        """Whether the sides of a branch inside meet before the section ends or is left."""
        return meeting_point(self.frame.code, self.frame.pc - 1, starts) in self.loop.members

    def branch(self, branch: BranchInIteration) -> Ending:
        if branch.of is not None:
            raise Refused("a branch decides a loop around it")
        return super().branch(branch)


def choose(fork: Fork) -> None:
    """Go on where the program does after a branch that decides no loop.

    Raises ``Unsupported`` (E103); `BranchInIteration` for a branch that decides how the section
    ends that is being run.
    """
    world, _, frame, truth, successors = fork
    around = world.iteration
    if type(around) is Section and around.frame is frame and not around.holds_both(fork.starts):
        raise BranchInIteration(truth, successors)
    alone = around is None or type(around) is Section  # iterations of loops have an end of their own, and are run again and again
    if not (world.shares and alone and _shares(fork)):
        loops.branch(DataBranch(*fork))


def _shares(fork: Fork) -> bool:
    """Go on if the sides have something in common behind which they may leave; false if not, or if
    what they leave there cannot be joined.
    """
    world, vm, frame, truth, successors = fork
    found = section_of(frame.code, frame.pc - 1, fork.starts)
    if found is None:
        return False
    section, branch = Section(world, vm, frame, found), BranchInIteration(truth, successors)
    with on_trial(world, vm, frame) as (_, take_back):
        try:
            ending = making_room(section.recorder, lambda: section, functools.partial(_ending, section, branch))
        except (Spoiled, InternalError):
            raise
        except Unsupported:
            take_back()
            return False
        world.shared = True
        try:
            _go_on(section, frame.pc, ending)
        except (Spoiled, InternalError):
            raise
        except Unsupported:
            take_back()
            raise
    return True


def _ending(section: Section, branch: BranchInIteration, rooms: SideRooms) -> Ending:
    """How the section ends. Raises ``Unsupported`` if its paths cannot be joined."""
    ending = before_the_branch(section.world, section.vm, section.frame, rooms, lambda: section.branch(branch))
    if section.supposes:
        raise Refused("an integer that only data know is a scalar of NumPy on another path")
    return ending


def _go_on(section: Section, pc: int, ending: Ending) -> None:
    """Go on behind the section, or where it was left; ``pc``: behind the branch."""
    world, vm, frame = section.world, section.vm, section.frame
    frame.stack[:], frame.pc = ending.stack, section.stop
    if ending.going is True:
        return
    exits = section.successors()
    if ending.going is False:
        loops.leave(world, vm, frame, ending.left, exits)
        return
    out = loops.leaving(world, vm, frame, ending.left, exits)
    frame.pc, places = pc, [section.stop, *[left.place for left in section.exits]]
    join_point = common(frame.code, *[place for place in places if returns(frame.code, place)])
    loops.branch(DataBranch(world, vm, frame, ending.going, {True: Successor(section.stop), False: out}), (frame, join_point))
