"""An instruction asks something of a value that is one of several: it is run once for each, on the
sides of a branch on which it is.
"""

from __future__ import annotations

from typing import Any

from npexport.symshapes.symint import SymBool
from npexport.tracer.arrays.core.current import decided
from npexport.tracer.control.attempts import is_loop
from npexport.tracer.control.data_branches import DataBranch
from npexport.tracer.control.iterations import successors_of
from npexport.tracer.interpreter.either import Asked, Either
from npexport.tracer.interpreter.frame import Frame, Machine
from npexport.tracer.interpreter.join_points import join_point_of


def ask(world: Any, vm: Machine, frame: Frame, either: Either) -> None:
    """Go on where the sides meet. Raises ``Unsupported`` (E103)."""
    if not world.captures:
        raise Asked(either)
    truth = next(test for test in either.tests if type(test) is SymBool and decided(test) is None)
    place = frame.pc - 1
    join_point = join_point_of(frame.code, place)
    branches = "JUMP" in frame.info.decoded.instructions[place].name
    if not (branches and join_point is not None and is_loop(world, vm, frame, truth, join_point)):
        DataBranch(world, vm, frame, truth, successors_of(place, place)).run()
