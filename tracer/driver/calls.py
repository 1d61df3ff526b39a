"""One program for all calls: if a call leaves behind what it did not find, later calls are traced
as well.

Laws:

1. The program is that of the later calls, each of which leaves the world as it found it, except for
   the values of its state.
2. The first call finds another world. It must compute the same: it is traced with the numbers of
   its world as state, and the two graphs are compared. If later calls read what the first one does
   not find, that is assumed to be zeros (or the number that is there, as a value of the other
   kind), and the later calls are traced with just that.
3. What a call computes from arrays that no call writes, and keeps, every call computes again.
4. What a call writes outside the exported object is not an effect only if later calls find it there
   and write nothing: a cache.
5. Later calls begin with what a call leaves where it raises, or they raise as well.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

from npexport.ir.program import ExportedProgram
from npexport.symshapes.errors import ExportError, InternalError, Location, Unsupported
from npexport.symshapes.fixes import ConstraintViolation
from npexport.tracer.arrays.memory.may_alias import AliasDependsOnData
from npexport.tracer.driver.assemble import Escaped, LeftOver, ValueNeeded, assemble, watch, writes_error
from npexport.tracer.driver.assumed_layouts import require_layouts, same_layouts
from npexport.tracer.driver.determinism import Meanings
from npexport.tracer.driver.earlier_errors import first_error
from npexport.tracer.driver.lists_of_state import Shared
from npexport.tracer.driver.trace import CHANGES, Trace, UserException, step_limit
from npexport.tracer.effects.difference import Write
from npexport.tracer.effects.replacements import left_in
from npexport.tracer.effects.settled import ListPlace, Settled
from npexport.tracer.effects.settled_lists import CannotSettle
from npexport.tracer.effects.settling import Settling, SizesNeeded
from npexport.tracer.effects.shared_state import Tied
from npexport.tracer.effects.state import shown
from npexport.tracer.effects.state_places import MixedPlace, Place
from npexport.tracer.effects.stores import Stores
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.vm import VM

Run = Callable[..., tuple[Trace, ExportedProgram]]
_RUNS = 5
DECISIONS = ("E103", "E104")
"""Why later calls are refused if they branch on numbers that are state."""
WRITES = ("E112", "E117")
"""Why what a call leaves behind is refused."""

_CHOOSE = (
    "Numbers that calls change are data: let them choose with np.where(condition, a, b), or pass the number as an argument, "
    "which is part of the program."
)

_COPY = "Return a copy, `.copy()`: what is kept for later calls is itself a result here, and whoever has it could write to it."


def program_of_calls(trace: Trace) -> ExportedProgram:
    """The program of all calls, the first of which is ``trace``.

    Raises ``ExportError``, ``UserException``.
    """
    program: ExportedProgram | None = None
    try:
        program = _of_calls(trace)
        if not trace.wanting:
            return program
    except ExportError as refusal:
        if not trace.wanting and not (isinstance(refusal, Unsupported) and (refusal.code in WRITES or trace.world.unfinished)):
            raise
        refused = refusal
    loses = program is None and refused.code == "E112" and trace.world.permits(refused)
    unties = program is None and isinstance(refused, Tied)
    for options in (*(_UNTYING if unties else ()), {"interrupts": True}, *(_LOSING if loses else ())):
        again = trace.again(**options)
        with contextlib.suppress(ExportError):
            return _of_calls(again)
        if again.world.promotes and trace.world.mixing:  # state of one kind, where the first iteration runs by itself
            with contextlib.suppress(ExportError):
                return _of_calls(trace.again(**options, counts=1))
    if program is not None:
        return program
    raise refused


_UNTYING: tuple[dict[str, Any], ...] = ({"unties": True}, {"unties": True, "interrupts": True})
"""Options of further runs, in which names of one array become names of several."""
_LOSING: tuple[dict[str, Any], ...] = ({"loses": True}, {"loses": True, "interrupts": True})
"""Options of further runs, of which what the program writes outside may be lost."""


def _of_calls(trace: Trace) -> ExportedProgram:
    with trace.session.activate():
        try:
            result = trace.run()
        except UserException as carrier:
            raise UserException(first_error(trace, carrier.error)) from None
        try:
            return assemble(trace, result)
        except LeftOver as left:
            writes = left.writes
    return later_calls(trace, writes, trace.again)


def later_calls(trace: Trace, writes: list[Write], make: Callable[..., Trace]) -> ExportedProgram:
    """The program of a run that left these ``writes`` behind; ``make`` traces later calls.

    Sizes of inputs that state keeps and the next call needs again are constants in all calls.

    Raises ``Unsupported`` if there is no such program.
    """
    fixed: dict[str, tuple[str, tuple[Location, ...]]] = {}
    named = trace.bindings.named
    while True:
        try:
            program = _later_calls(trace, writes, functools.partial(make, fixed=fixed, promised=not fixed))
            break
        except SizesNeeded as needed:
            if needed.sizes <= fixed.keys():
                raise InternalError("E901", f"sizes that are known are asked for: {', '.join(sorted(needed.sizes))}") from needed
            stack = needed.stack or watch(trace, writes).get(needed.path, ())
            fixed |= dict.fromkeys(sorted(needed.sizes), (f"`{shown(needed.path)}` keeps this size for the next call", stack))
        trace = make(fixed=fixed, promised=False)
        found, writes = _first_call(trace)
        if found is not None:
            program = found
            break
    if not any(map(named, fixed)):
        return program
    trace = make(fixed=fixed)  # there is a program, if not for all sizes that are promised
    found, writes = _first_call(trace)
    return found or _later_calls(trace, writes, functools.partial(make, fixed=fixed))


def _first_call(trace: Trace) -> tuple[ExportedProgram | None, list[Write]]:
    """The program of a run, or what it leaves behind."""
    with trace.session.activate():
        try:
            return assemble(trace, trace.run()), []
        except LeftOver as left:
            return None, left.writes


def _later_calls(trace: Trace, writes: list[Write], make: Callable[..., Trace]) -> ExportedProgram:
    """The same, with the sizes that ``make`` fixes. Raises `SizesNeeded` if they are too few."""
    needed: SizesNeeded | None = None
    reasons: list[ExportError] = []
    last: ExportError | None = None
    handed_out = False

    plain: list[dict[str, Any]] = [{}, {"moving": True}, {"recorder": trace.recorder}]
    ways = [*plain, {"growing": True}, {"moving": True, "opening": True, "unread": True}, {"moving": True, "opening": True}]

    def run(settled: Settled, stores: Stores | None = None, marks: bool = True) -> tuple[Trace, ExportedProgram]:
        vm = {} if stores is None else {"make_vm": functools.partial(VM, step_limit=step_limit(), on_step=stores)}
        again = make(settled=settled, marks=marks, **vm)
        with again.session.activate():
            try:
                return again, assemble(again, again.run())
            except Unsupported as error:
                found = again.sizes_beside_state() if error.code == "E103" else None
                if found is None:
                    raise
                raise SizesNeeded(*found, error.user_stack) from error

    for way in ways:
        try:
            return _settled(trace, writes, run, Settling(**way))
        except InternalError:
            raise
        except ExportError as error:
            last = error
            handed_out |= isinstance(error, AliasDependsOnData)
            if way in plain or isinstance(error, Shared):  # the others ask what the user's program does not ask
                reasons.append(error)
        except SizesNeeded as found:
            needed = found if needed is None or len(found.sizes) < len(needed.sizes) else needed
        except Escaped:
            handed_out = True
        except (CannotSettle, UserException, LeftOver, ValueNeeded):
            continue
    if needed is not None:
        raise needed
    for reason in reasons:
        if isinstance(reason, Shared) or reason.code == "E201":  # a malformed call, whatever is written
            raise reason
        if reason.code in DECISIONS and CHANGES in reason.message:
            reason.hint = _CHOOSE
            raise reason
    if len(reasons) == len(plain) and all(isinstance(reason, ConstraintViolation) for reason in reasons):
        raise reasons[0]
    refusal = writes_error(trace, writes)
    if handed_out:
        refusal.hint = _COPY
    elif last is not None:
        refusal.message += _reason(last)
    raise refusal


def _reason(error: ExportError) -> str:
    """Why calls are refused that find what the first one leaves."""
    line = f" (line {error.location.line})" if error.location is not None else ""
    return f"; later calls, which find that, are refused: {error.code} {error.message.splitlines()[0]}{line}"


def _settled(trace: Trace, writes: list[Write], run: Run, settling: Settling) -> ExportedProgram:
    for _ in range(_RUNS):
        with trace.session.activate():
            settling.after(trace.world, writes)
        try:
            stores = Stores()
            last, program = _reading(settling, run, stores if settling.fills else None)
            break
        except LeftOver as left:
            trace, writes = left.trace, left.writes
    else:
        raise CannotSettle
    settling.require_entered(last.places)
    settling.require_remembered(last.world, stores)
    if not settling.exact:
        meanings = Meanings(memory=False)
        marked = any(map(any, last.interrupted.values()))
        begun, first = run(settling.initial(), marks=False)
        _require_no_more(begun.interrupted, last.interrupted)
        _require_begun(settling, begun.world)
        if settling.assumes or marked:
            like, same = run(settling.assumed(), marks=False)
            if not same_layouts(first, same):
                require_layouts(settling.arrays(), (begun, like), last, program)
        else:
            same = program
        if meanings.of_program(first) != meanings.of_program(same):
            raise CannotSettle
        if any(computation.raises for computation in settling.computations):
            if settling.settled.places or marked:
                raise CannotSettle
            return first  # which raises where the first call does
    return program


def _require_begun(settling: Settling, world: ShadowedWorld) -> None:
    """Raises `CannotSettle` if the first call leaves something else than state in a place for which
    a value was assumed: what it found there, while it would have left the assumed value there, too.
    """
    for path, value in left_in(world.shadows):
        held = settling.settled.places.get(path)
        place = held.value if isinstance(held, (ListPlace, MixedPlace)) else held
        if held is not None and type(place) is Place and place.assumed and not held.takes(value):
            raise CannotSettle(path)


def _require_no_more(first: dict[Any, list[bool]], later: dict[Any, list[bool]]) -> None:
    """Raises `CannotSettle` if the first call may leave a state in which no call begins, and the
    program of the later calls does not raise for it.
    """
    for key, rows in first.items():
        known = later.get(key, [])
        if any(rows) and (len(rows) != len(known) or any(mine and not theirs for mine, theirs in zip(rows, known, strict=True))):
            raise CannotSettle


def _reading(settling: Settling, run: Run, stores: Stores | None) -> tuple[Trace, ExportedProgram]:
    """The program of the later calls.

    State that they read and the first one does not find gets an assumed value.
    """
    while True:
        try:
            return run(settling.later(), stores)
        except ValueNeeded as needed:
            settling.assume(needed.places)
