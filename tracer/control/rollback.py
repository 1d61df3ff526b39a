"""Running a part of the program on trial: what it has recorded, changed and said can be taken back,
and it is run again from where it began.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from npexport.tracer.arrays.core.trials import Trial
from npexport.tracer.effects.snapshots import Changed, Snapshot, Spoiled, snapshot
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter import suspended
from npexport.tracer.interpreter.frame import Frame, Machine


@contextmanager
def on_trial(world: ShadowedWorld, vm: Machine, frame: Frame) -> Iterator[tuple[Snapshot, Callable[[], None]]]:
    """The world as it is before the block, and a function that puts everything back to that. It is
    called before the block is left.

    The function raises `Spoiled` if something cannot be put back: the state of a C iterator was
    changed. What was taken back may hold earlier generators until garbage is collected.
    """
    stack, pc, go_on, calls = list(frame.stack), frame.pc, suspended.since(vm), world.host.modules.mark()
    with snapshot(world, vm) as before, Trial(world.recorder) as trial:

        def take_back() -> None:
            frame.stack[:], frame.pc = stack, pc
            go_on()
            world.host.modules.back(calls)
            trial.take_back()
            before.restore()
            suspended.make_uncertain(before.generators())
            try:
                before.changes()
            except Changed as changed:
                raise Spoiled("E103", f"a loop cannot be one node, and an iteration of it {changed}") from None

        yield before, take_back
