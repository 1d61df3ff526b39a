"""The exits of a captured loop of which the program does not need all."""

from __future__ import annotations

from typing import Any

from npexport.symshapes.functions import sym_bool, sym_not
from npexport.tracer.control.forks import Exits
from npexport.tracer.effects.parts import same
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.flow_graph import reached
from npexport.tracer.interpreter.frame import Frame, Machine


def may_be_dropped(world: ShadowedWorld, vm: Machine, frame: Frame, number: Any, exits: Exits, which: int) -> bool:
    """Whether the program only raises after an exit, which is checked then, or does nothing on the
    way to the last of the others, which is where it goes on unless the number is that of another:
    it has the same operands there.
    """
    left, out = exits[which]
    truth = sym_not(sym_bool(number)) if left == 0 else number == left
    other = [each for _, each in exits if each is not out][-1]
    place, stack = frame.pc, list(frame.stack)
    mine, theirs = out.prepare(list(stack)), other.prepare(list(stack))
    if other.place in reached(frame.code, out.place) and not (len(mine) == len(theirs) and all(map(same, mine, theirs))):
        return False
    frame.pc, frame.stack[:] = out.place + 1, out.prepare(stack)  # as if a branch stood there
    found = world.one_sided(vm, frame, truth, out.place, other.place)
    frame.pc, frame.stack[:] = place, stack
    return found is False
