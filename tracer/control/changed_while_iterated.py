"""Loops over dicts that may lack keys: the turn of a key runs on the side of a branch on whether
the dict has it.
"""

from __future__ import annotations

import functools
from typing import Any

from npexport.tracer.arrays.core.current import decided
from npexport.tracer.control import loops
from npexport.tracer.control.data_branches import DataBranch
from npexport.tracer.control.forks import Successor
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.dicts_looked_into import GoneOver, changed
from npexport.tracer.interpreter.frame import Frame, Machine
from npexport.tracer.interpreter.partial_dicts import without_absence


def go_over(world: ShadowedWorld, vm: Machine, frame: Frame, target: int) -> None:
    """Go on with the next key, or behind the loop. Raises ``Unsupported`` (E103)."""
    over: GoneOver = frame.stack[-1]
    _require_unchanged(over)
    while over.position < len(over.keys):
        position, further = over.position, over._replace(position=over.position + 1)
        there = over.truths[position]
        found = decided(there)
        if found is None:
            header = frame.pc - 1
            successors = {
                True: Successor(frame.pc, functools.partial(_taken, world, over, further)),
                False: Successor(header, functools.partial(_skipped, further)),
            }
            loops.branch(DataBranch(world, vm, frame, there, successors), (frame, header))
            return
        over = further
        if found:
            frame.stack[-1:] = [over, _item(world, over, position)]
            return
    frame.stack.pop()
    frame.pc = target


def _taken(world: ShadowedWorld, over: GoneOver, further: GoneOver, stack: list[Any]) -> list[Any]:
    return [*stack[:-1], further, _item(world, over, over.position)]


def _skipped(further: GoneOver, stack: list[Any]) -> list[Any]:
    return [*stack[:-1], further]


def _item(world: ShadowedWorld, over: GoneOver, position: int) -> Any:
    key = over.keys[position]
    value = without_absence(world.known(over.owner[key]))
    return (key, value) if over.part is None else value if over.part else key


def _require_unchanged(over: GoneOver) -> None:
    """Raises ``Unsupported`` (E103) if the dict has other keys than it had where the loop began."""
    kept = [key for key, there in zip(over.keys, over.truths, strict=True) if key in over.owner or decided(there) is not False]
    if kept != list(over.owner):
        raise changed()
