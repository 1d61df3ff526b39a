"""Branches that sizes or data decide, as what captures branches and loops takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from npexport.ir.ops.control_flow import alike
from npexport.symshapes.errors import Unsupported
from npexport.tracer.control.leaves import Fit
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Frame, Machine
from npexport.tracer.interpreter.loop_analysis import Loop


class Successor(NamedTuple):
    """Where one side of a branch begins: the instruction, and how the stack changes.

    ``divides``: called first, and goes on by one of several paths, which begin with the
    instructions ``starts``.
    """

    place: int
    prepare: Callable[[list[Any]], list[Any]] = lambda stack: stack
    divides: Callable[[], None] | None = None
    starts: tuple[int, ...] = ()


Exits = tuple[tuple[int, Successor], ...]
"""Where a loop is left, each with the number that tells of it."""


def successors_of(if_true: int, if_false: int) -> dict[bool, Successor]:
    """The successors of a branch whose sides begin with an unchanged stack."""
    return {True: Successor(if_true), False: Successor(if_false)}


class Fork(NamedTuple):
    """A branch that sizes or data decide: where the program is, and where the sides begin."""

    world: ShadowedWorld
    vm: Machine
    frame: Frame
    truth: Any
    successors: dict[bool, Successor]

    @property
    def starts(self) -> tuple[int, int]:
        """The instructions with which the sides begin."""
        return self.successors[True].place, self.successors[False].place


class Captured(NamedTuple):
    """How a loop is captured.

    ``sized``: sizes decide how many iterations it makes. ``condition``: on sizes, which the
    iterations have to change. ``mixes``: a Python number may become NumPy's in it. ``fit``: what
    leaves before and after an iteration have in common.
    """

    sized: bool = False
    condition: Any = None
    mixes: bool = True
    fit: Fit = alike


OF_DATA = Captured()


class BranchInIteration(Unsupported):
    """Raised at a branch that decides how an iteration ends. Neither the program nor the
    interpreter catches it: all branches around it within the iteration decide that, too.

    ``of``: the frame and the loop, if the loop is not being captured yet.
    """

    def __init__(self, truth: Any, successors: dict[bool, Successor], of: tuple[Frame, Loop] | None = None) -> None:
        super().__init__("E103", "a branch depends on data")
        self.truth, self.successors, self.of = truth, successors, of
