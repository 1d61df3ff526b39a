"""Strict export: the root frame of a call is interpreted on stand-ins, its computation is recorded,
and the record becomes a program.
"""

from __future__ import annotations

import functools
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.program import ExportedProgram
from npexport.ir.report import Report
from npexport.symshapes.errors import ExportError, InternalError, UserError, brief
from npexport.symshapes.fixes import ConstraintViolation
from npexport.symshapes.interrupts import Interrupted, is_interrupt
from npexport.symshapes.parameters import FLAG, TEXTS, require
from npexport.symshapes.spec import AdditionalInputs
from npexport.tracer.arrays.memory.may_alias import AliasDependsOnData
from npexport.tracer.control.refusals import MOST_ALIKE, MOST_RUNS
from npexport.tracer.diagnostics import hints
from npexport.tracer.diagnostics.logs import topics
from npexport.tracer.diagnostics.terminal_line import line as terminal_line
from npexport.tracer.driver.called_names import with_called_names
from npexport.tracer.driver.calls import program_of_calls
from npexport.tracer.driver.determinism import require_one_order
from npexport.tracer.driver.exported_programs import exported_again
from npexport.tracer.driver.inputs import Inputs, read_inputs
from npexport.tracer.driver.logged import listen, show, tell_program, tell_refused
from npexport.tracer.driver.partial_program import program_of_part
from npexport.tracer.driver.trace import Trace, UserException
from npexport.tracer.effects.run_options import Completeness, RunOptions
from npexport.tracer.effects.thread_context import Ambient
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.polyfills.stepping import Placed
from npexport.tracer.interpreter.unwind import strip_traceback

MOST_SHORTER = 3
"""The largest number of runs in which shorter and shorter loops are one node, before all are."""


def exported(
    f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, dynamic_shapes: Any, options: RunOptions
) -> ExportedProgram | BaseException:
    """What `npexport.export` returns, or has to raise."""
    try:
        inputs, options = read(f, args, kwargs, options)
    except ExportError as refusal:
        return brief(refusal)
    reports: list[Report] = []
    program = program_of(f, inputs, dynamic_shapes, reports, options)
    emit(reports)
    return program


def read(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, options: RunOptions) -> tuple[Inputs, RunOptions]:
    """The inputs of a call, and the options, in which ``unroll`` is the largest number of
    iterations of a loop that are recorded one by one, ``None`` for no bound.

    Raises ``UserError`` for malformed arguments, and for logs that the environment asks for and
    that there are not.
    """
    topics()
    for option, value in {"prefer_deferred_runtime_asserts_over_guards": options.prefer_deferred, "strict": options.strict}.items():
        require(option, value, FLAG)
    require("capture_control_flow", options.captures, FLAG)
    require("preserve_module_call_signature", options.preserved, TEXTS)
    unroll: Any = options.unroll
    if type(unroll) is bool:
        unroll = None if unroll else 0
    elif type(unroll) is not int or unroll < 0:
        raise UserError("E201", f"unroll is {unroll!r}", hint="Pass the most iterations of a loop that are recorded one by one, or a bool.")
    return read_inputs(f, args, kwargs), options._replace(unroll=unroll)


def emit(reports: list[Report]) -> None:
    """Print, warn and log what the program did while it was exported."""
    for emission in [emission for report in reports for emission in report.emitted]:
        emission.emit()


def _taking_in(
    trace: Trace, told: _Told, reports: list[Report], run: Callable[[], ExportedProgram], refused: ExportError | None
) -> ExportedProgram | ExportError | None:
    """The program with the generators inlined into its loops that this run found to need it, or the
    reason why there is none; ``None`` if it found no more. ``refused``: why this run gave no
    program, so that loops are unrolled as well.
    """
    if isinstance(refused, AliasDependsOnData):
        trace.world.inlining.refuse_captured()
    inlining = trace.world.inlining
    found = None if trace.world.records_too_much and inlining.recursive == inlining.again else inlining.more(refused is not None)
    if found is None:
        return None
    before, reported, told.options["inlining"] = told.options.get("inlining"), list(reports), found
    try:
        return run()
    except ExportError as refusal:
        told.options["inlining"], reports[:] = before, reported
        return None if refused is not None and isinstance(refusal, ConstraintViolation) else refusal


def _unless_constant(refused: ExportError, run: Callable[[], ExportedProgram]) -> ExportedProgram:
    """The result of a run whose loops run as often as the example's do, after a refusal, which is
    raised again if no size may vary then.
    """
    try:
        return run()
    except ConstraintViolation as violation:
        if all(map(str.isdigit, violation.suggested_fixes.values())):
            raise refused from None
        raise
    except ExportError:
        raise refused from None


def _again(refused: ExportError, run: Callable[[], ExportedProgram], says: bool) -> ExportedProgram:
    """The result of another run after a refusal; ``says``: whether its own refusal says more."""
    try:
        return run()
    except ExportError:
        if says:
            raise
        raise refused from None


def _at_last(run: Callable[[RunOptions], ExportedProgram], told: _Told, options: RunOptions) -> ExportedProgram:
    """The program of a run, or of another after a refusal: in which dicts stay dicts if some became
    tables, or data may decide how many items are taken of iterators, if it has some. ``told``: what
    earlier runs met. An exception of the program's that holds a stand-in for an
    iterator is not given to the caller.
    """
    try:
        return run(options)
    except ExportError as refusal:
        if isinstance(refusal, InternalError):
            raise
        refused = refusal
    for name in [name for name in _LAST if name in told.met and not told.over]:
        try:
            return run(options._replace(**_LAST[name]))
        except ExportError:
            continue
        except UserException as carrier:
            if not any(isinstance(arg, Placed) for arg in carrier.error.args):
                raise
    raise refused from refused.__cause__


_LAST: dict[str, Any] = {"tabulated": {"tabulates": False}, "advances": {"places": True}}
"""Options of further runs, by the name of the world's attribute that asks for one."""


def _tell(trace: Trace, reports: list[Report], asked: Any, line: Any) -> None:
    """Note what a run says, and tell who listens."""
    reports[:] = [trace.report]
    if asked:
        listen(trace, asked)
    if line is not None:
        show(trace, line)


class _Told:
    """What the runs of one program have found out for those that follow: of loops on data, and why
    it is refused. ``met``: the names of what they met, from `_LAST`; ``over``: whether no other run
    follows. ``options``: those of all further runs. ``fewer``: the numbers of recorded iterations
    of runs that followed one that recorded much.
    """

    def __init__(self) -> None:
        self.met, self.over = set[str](), False
        self.options, self.fewer = dict[str, Any](), set[int]()
        self._captured, self._runs, self._refusals = dict[Any, Any](), 0, Counter[Any]()

    def begin(self, given: RunOptions) -> RunOptions:
        """The options of a run that knows it. One in another order begins as the one that it is
        held to.
        """
        given = given._replace(**self.options)
        return given if given.orders is not None else given._replace(captured=dict(self._captured), runs=self._runs)

    def counting(self, trace: Trace) -> Trace:
        """A run that ends where it records much (`npexport.tracer.control.refusals`), if one that
        records fewer iterations may follow.
        """
        trace.world.tally.recorded = Counter() if trace.world.unrolling.most and 0 not in self.fewer else None
        return trace

    def by(self, trace: Trace, make: Callable[[Trace], ExportedProgram]) -> ExportedProgram:
        """The program that a run makes; what it finds out is noted."""
        try:
            return make(trace)
        finally:
            self._captured.update(trace.world.earlier)
            self._runs = max(self._runs, trace.world.tally.runs)
            self.met.update([name for name in _LAST if getattr(trace.world, name)])

    def ends(self, refusal: ExportError, world: ShadowedWorld) -> bool:
        """Whether no other run follows a refusal: one that no way avoids, after many of them."""
        why = refusal.code, refusal.message, refusal.location
        self._refusals[why] += not world.records_too_much
        self.over |= world.endless or self._runs > (MOST_ALIKE if self._refusals[why] > 1 else MOST_RUNS)
        return self.over or isinstance(refusal, InternalError)

    def otherwise(self, world: ShadowedWorld, given: RunOptions) -> RunOptions | None:
        """The options of another run, after a refusal of one with the options ``given``."""
        if world.shared:
            return given._replace(shares=False)
        if world.needs_case_splits and not self.options.get("asks"):
            self.options["asks"] = True
            return given
        fewer = self.fewer
        if world.records_too_much:
            fewer.add(max(world.unrolling.longest - 1, 0) if len(fewer) < MOST_SHORTER else 0)  # no run that is this one again
            return given._replace(unroll=min(fewer))
        if given.unroll is not None and world.rolled:
            more = given._replace(unroll=min([each for each in fewer if each > given.unroll], default=None))
            fewer.add(0)  # none that records fewer follows
            return more
        if given.counts > 2 and world.resized:
            return given._replace(counts=2)
        return given._replace(counts=1) if given.counts > 1 and world.promotes else None  # the first iteration runs by itself


def program_of(
    f: Any, inputs: Inputs, dynamic_shapes: Any, reports: list[Report], options: RunOptions, quiet: bool = False
) -> ExportedProgram | BaseException:
    """The program of a call, or what `export` has to raise. ``reports`` gets those of the run,
    which is not logged if it is ``quiet``. With a ``make_vm`` NumPy scalars among the inputs are
    data, and loops of a known number of iterations are unrolled.
    """
    options = options if options.make_vm is None else options._replace(unroll=None)
    told = _Told()

    def run(given: RunOptions) -> ExportedProgram:
        given = told.begin(given)
        trace = told.counting(Trace(f, inputs, dynamic_shapes, given))
        if given.orders is None:
            _tell(trace, reports, asked, line)
        anew = functools.partial(run, given)
        try:
            program = told.by(trace, program_of_part if options.completeness else program_of_calls)
            deeper = _taking_in(trace, told, reports, anew, None)  # without it, sizes are constants
            if isinstance(deeper, ExportedProgram):
                return deeper
        except ExportError as refusal:
            deeper = None if told.ends(refusal, trace.world) else _taking_in(trace, told, reports, anew, refusal)
            if isinstance(deeper, ExportedProgram):
                return deeper
            refused = deeper or refusal
            otherwise = None if told.over or isinstance(refused, InternalError) else told.otherwise(trace.world, given)
            if otherwise is not None:
                return _again(refused, functools.partial(run, otherwise), says=not trace.world.shared)
            if told.over or refused.code != "E103" or not (given.counts and trace.world.counted):
                tell_refused(trace, asked)
                raise refused from refused.__cause__
        else:
            if given.orders is None and options.completeness is Completeness.WHOLE:
                require_one_order(list(trace.world.orders.places), program, lambda orders: run(given._replace(orders=orders)))
            return program
        return _unless_constant(refused, functools.partial(run, given._replace(counts=0)))

    anyhow = functools.partial(_at_last, run, told)
    asked, begun, line = frozenset() if quiet else topics(), time.perf_counter(), None if quiet else terminal_line()
    try:
        same = None if options.make_vm or options.preserved else exported_again(f, inputs, dynamic_shapes, options.prefer_deferred)
        program = same or _with_scalars(inputs, functools.partial(_in_context, anyhow, options), options.make_vm is None)
        if isinstance(dynamic_shapes, AdditionalInputs):
            dynamic_shapes.verify(program)
        with_called_names(f, program, functools.partial(_like, inputs, dynamic_shapes, options))
        program.report.seconds = time.perf_counter() - begun
        if asked:
            tell_program(program)
        return program
    except ExportError as refusal:
        hints.fit(refusal)
        return brief(refusal)
    except (UserException, Interrupted) as carrier:
        strip_traceback(carrier.error)
        return carrier.error
    except Exception as defect:
        emit(reports)
        if isinstance(defect, (MemoryError, RecursionError)) or is_interrupt(defect):
            raise  # whoever meets them: they are no defect
        raise InternalError("E901", f"{type(defect).__name__}: {defect}") from defect
    finally:
        if line is not None:
            line.close()


def _like(inputs: Inputs, dynamic_shapes: Any, options: RunOptions, f: Any) -> ExportedProgram | BaseException:
    """The program of the same call of another callable, whose modules keep no signatures."""
    return program_of(f, inputs, dynamic_shapes, [], options._replace(preserved=(), strict=True), quiet=True)


NEEDS_VALUE = ("E103", "E104", "E114")


def _with_scalars(inputs: Inputs, run: Callable[[bool], ExportedProgram], again: bool) -> ExportedProgram:
    """NumPy scalars among the inputs are data if the program allows it; if it needs their values
    they are part of the program, unless it may not be run ``again``.
    """
    try:
        return run(False)
    except ExportError as error:
        if not again or error.code not in NEEDS_VALUE or not any(isinstance(leaf.value, np.generic) for leaf in inputs.leaves):
            raise
        refused = error
    try:
        return run(True)
    except ExportError as error:
        if error.code in NEEDS_VALUE:
            raise refused from None
        raise


def _in_context(run: Callable[[RunOptions], ExportedProgram], options: RunOptions, static_scalars: bool) -> ExportedProgram:
    """Run in a copy of the thread's context.

    Raises ``Unsupported`` (E112) if the program leaves some of it changed, unless it need not be
    strict or whole: then that is lost.
    """
    ambient = Ambient()
    program = ambient.run(functools.partial(run, options._replace(static_scalars=static_scalars)))
    problem = ambient.problem()
    if problem is not None and options.strict and options.completeness is Completeness.WHOLE:
        raise problem
    if problem is not None:
        program.report.lost.append(problem.message)
    return program
