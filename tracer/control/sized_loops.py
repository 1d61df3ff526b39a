"""Loops whose number of iterations is a dynamic size: captured like those that data decide
(`npexport.tracer.control.loops`).

Where arrays change their sizes (``while len(v) > 1: v = v[::2]``), only the data know how long they
are after the loop. If the program cannot go on with that, it is exported again without such loops.

If the loop cannot be one node, it runs iteration by iteration for the example and the size becomes
a constant: everything that the attempt left is undone. If only the first iteration is unlike the
next, it runs by itself, under the guard that there is one, and the rest is the loop. A number that
is Python's before the first iteration and NumPy's after it (``total = 0.0``, ``total += x[i]``)
needs no such guard if the program does nothing with it in which the two differ: then the data
decide its kind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npexport.ir.ops.control_flow import alike, fits
from npexport.symshapes.codes import CODES
from npexport.symshapes.env import known
from npexport.symshapes.errors import ExportError, InternalError, Unsupported
from npexport.symshapes.functions import sym_bool
from npexport.symshapes.guards import Reason
from npexport.symshapes.symint import SymBool, is_symbolic
from npexport.tracer.arrays.core.current import decided
from npexport.tracer.control import loops
from npexport.tracer.control.branches import one_sided, truth_of_data
from npexport.tracer.control.counters import rest_of
from npexport.tracer.control.forks import BranchInIteration, Captured, Fork, Successor, successors_of
from npexport.tracer.control.refusals import Grows, Refused, Unfinished, require_few
from npexport.tracer.control.rollback import on_trial
from npexport.tracer.effects.snapshots import Spoiled
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.counting import Counting
from npexport.tracer.interpreter.frame import Frame, Machine
from npexport.tracer.interpreter.inlining import is_left
from npexport.tracer.interpreter.join_points import is_within_side
from npexport.tracer.interpreter.loop_analysis import innermost, loop_of
from npexport.tracer.interpreter.loop_analysis import loops as all_loops
from npexport.tracer.interpreter.tail_calls import note_recursion

MOST_PEELED = 2
"""The largest number of iterations that run by themselves before a loop over a counter."""
MOST_ROLLED = 6
"""The largest number of failed attempts at a loop of a known number of iterations."""
MOST_SHORT = 24
"""The largest number of iterations of a loop that is one node only because data decide in each."""
MOST_REFUSED = 50
MOST_AROUND = 2
"""The largest number of failed attempts at the loop of one branch: a branch is met again in every
iteration.
"""


def count(world: ShadowedWorld, vm: Machine, frame: Frame, counter: Counting, target: int) -> bool | None:
    """Whether a loop over a counter makes another iteration; ``None`` if the frame has moved on."""
    truth = counter.going()
    found = decided(truth) if type(truth) is SymBool else truth
    if found is False or (found and _is_iteration(world, frame)):
        return found
    fork = Fork(world, vm, frame, truth, {True: Successor(frame.pc, counter.advance), False: Successor(target, _dropped)})
    if found is None and (truth.hint is None or _is_iteration(world, frame)):
        return _of_data(fork)
    refusal = _refusal(fork, found is None and world.mixing)
    if refusal is True:
        return None
    if isinstance(refusal, Unfinished) and not counter.is_static():
        world.host.wanting.append(refusal.what)
    first = isinstance(refusal, Refused) and refusal.first and counter.peeled < MOST_PEELED
    if not first and _has_example(counter):
        frame.stack[-1] = rest_of(counter, _reason(refusal))
        frame.pc -= 1
        return None
    frame.stack[-1] = counter._replace(peeled=counter.peeled + 1)
    return found or bool(truth.env.evaluate(truth.expression, _reason(refusal)))


def _refusal(fork: Fork, mixes: bool) -> Any:
    """``True`` if the loop is one node; otherwise why not, or ``None`` if it was not tried."""
    world, frame = fork.world, fork.frame
    counter, key = frame.stack[-1], (frame.code, frame.pc - 1)
    if counter.peeled > MOST_PEELED:
        return None
    if not counter.is_static():
        return _sized(fork, Captured(sized=True, mixes=mixes, fit=fits))
    if world.tally.refused[key] >= MOST_ROLLED:
        return None
    if len(range(counter.value, counter.stop, counter.step)) <= MOST_SHORT:
        require_few(world, frame)  # the loop around it is one node, too
    refusal = _attempt(fork, Captured(sized=True, mixes=False, fit=fits), rolls=True)
    world.tally.refused[key] += refusal is not True
    return refusal


def _has_example(counter: Counting) -> bool:
    """Whether the number of iterations has an example."""
    return all(not is_symbolic(end) or end.hint is not None for end in (counter.value, counter.stop))


def _dropped(stack: list[Any]) -> list[Any]:
    return stack[:-1]


def _is_iteration(world: ShadowedWorld, frame: Frame) -> bool:
    """Whether the instruction belongs to the loop that is being captured, and to no loop inside."""
    iteration = world.iteration
    return iteration is not None and iteration.frame is frame and innermost(frame.code, frame.pc - 1) == iteration.loop


def _of_data(fork: Fork) -> bool | None:
    """`count` if only the data know whether there is another iteration."""
    world, vm, frame, truth, _ = fork
    counter = frame.stack.pop()
    try:
        if one_sided(world, vm, frame, truth, *fork.starts, None, (False,)) is not None:
            return True
    finally:
        frame.stack.append(counter)
    if not loops.choose(fork):
        raise Unsupported("E103", "how many iterations a loop makes depends on data")
    return None


def choose(world: ShadowedWorld, vm: Machine, frame: Frame, value: Any, if_true: int, if_false: int) -> bool:
    """Capture the loop that a branch on sizes decides, if there is one; then the frame has moved to
    where the loop is left.
    """
    if not world.counting or world.probe is not None or not is_symbolic(value):
        return False
    truth, key = sym_bool(value), (frame.code, frame.pc - 1)
    if type(truth) is not SymBool or known(truth) is not None or truth.hint is None or world.tally.refused[key] >= MOST_REFUSED:
        return False
    if loop_of(*key, (if_true, if_false)) is None or _is_iteration(world, frame):
        note_recursion(world.inlining.recursive, frame, True)
        return False
    fork = Fork(world, vm, frame, truth, successors_of(if_true, if_false))
    captured = _sized(fork, Captured(sized=True, condition=truth.expression, mixes=world.mixing, fit=fits))
    world.tally.refused[key] += captured is not True
    return captured is True


def choose_around(world: ShadowedWorld, vm: Machine, frame: Frame, value: Any, if_true: int, if_false: int) -> bool:
    """Capture the loop around a branch on data that has been passed before, as that of ``while i <
    n`` is as long as there have been fewer than ``n`` iterations.
    """
    if not world.captures or world.probe is not None or not world.tally.recorded or not world.tally.recorded[frame.code, frame.pc]:
        return False
    truth, key = truth_of_data(value), (frame.code, frame.pc - 1)
    if type(truth) is not SymBool or decided(truth) is not None or world.tally.refused[key] >= MOST_AROUND:
        return False
    fork = Fork(world, vm, frame, truth, successors_of(if_true, if_false))
    captured = _on_trial(world, vm, frame, lambda: _begin_around(fork) or None)
    world.tally.refused[key] += captured is not True
    return captured is True


def _begin_around(fork: Fork) -> bool:
    """Capture the loop around a branch on data that does not end it, from the next iteration on, if
    nothing but the data tells how many there are.
    """
    world, vm, frame, truth, successors = fork
    code, place = frame.code, frame.pc - 1
    around, iteration = innermost(code, place), world.iteration
    if around is None or frame.info.decoded.instructions[around.header].name == "FOR_ITER" or loop_of(code, place, fork.starts) is not None:
        return False
    if is_left(world, frame) or (iteration is not None and iteration.frame is frame) or is_within_side(frame, frame, around.members):
        return False
    return loops.first_iteration(loops.Capture(world, vm, frame, around, around.header), truth, successors, begins=True)


def begin_calls(world: ShadowedWorld, vm: Machine, frame: Frame) -> None:
    """Capture the loop that begins here, in place of nested calls of which sizes decide how deep
    they go, if it can be one node; else it runs as deep as the example's.
    """
    key = frame.code, frame.pc
    if not world.counting or world.probe is not None or world.tally.refused[key] >= MOST_REFUSED:
        return
    loop = next(loop for loop in all_loops(frame.code) if loop.header == frame.pc)

    def capture() -> bool:
        whole = loops.Capture(world, vm, frame, loop, loop.header)
        whole.mixes, whole.fit = world.mixing, fits
        whole.replace(True, 0)
        return True

    world.tally.refused[key] += _on_trial(world, vm, frame, capture) is not True


def _sized(fork: Fork, how: Captured) -> Any:
    """`_attempt`, and another one if nothing but the size of an array is known to stand in the
    way.
    """
    captured = _attempt(fork, how)
    if not (isinstance(captured, Refused) and captured.resizes and fork.world.resizing):
        return captured
    resized = _attempt(fork, how._replace(fit=alike))
    fork.world.resized |= resized is True
    return True if resized is True else captured


def _attempt(fork: Fork, how: Captured, rolls: bool = False) -> Any:
    """`_on_trial` of `loops.choose`."""
    return _on_trial(fork.world, fork.vm, fork.frame, lambda: loops.choose(fork, how=how) or None, rolls)


def _on_trial(world: ShadowedWorld, vm: Machine, frame: Frame, capture: Callable[[], Any], rolls: bool = False) -> Any:
    """``True`` if the loop is captured; otherwise why not, and everything is restored. ``rolls``:
    the number of its iterations is known.

    Raises `Spoiled` if it cannot be restored: the state of a C iterator was changed.
    """
    promoted = world.promotes
    world.promotes = False
    world.counted |= not rolls
    with on_trial(world, vm, frame) as (_, take_back):
        try:
            captured = capture()
            world.rolled |= rolls and captured is True
            world.promotes |= promoted
            return captured
        except (BranchInIteration, Spoiled, InternalError):
            world.rolled |= rolls
            raise
        except ExportError as error:
            rolled, world.rolled = world.rolled, world.rolled or rolls
            take_back()
            world.rolled = rolled
            around = world.recorder.growing
            if isinstance(error, Grows) and around is not None and around.knows(error.target):
                raise error.again() from None  # what is around the loop makes room first
            tried, world.promotes = world.promotes, promoted
            kind = Unfinished if isinstance(error, Unfinished) else Refused
            return kind(error.what if isinstance(error, Refused) else error.message, True, error.hint) if tried else error


def _reason(refusal: ExportError | None) -> str:
    if refusal is None:
        return "it is the number of iterations of a loop of a generator"
    told = f"the loop cannot be one node: {refusal.what if isinstance(refusal, Refused) else refusal.message}"
    return told if refusal.hint == CODES[refusal.code].hint else Reason(told, refusal.hint)
