"""``draft_export``: a program and a report where ``export`` refuses."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any

from npexport.ir.program import ExportedProgram
from npexport.ir.report import Report
from npexport.symshapes.errors import ExportError, Unsupported, UserError, as_public, brief
from npexport.symshapes.fixes import ConstraintViolation
from npexport.symshapes.refine import as_code, refine_dynamic_shapes_from_suggested_fixes
from npexport.tracer.driver.example_side import ExampleVM, Grant
from npexport.tracer.driver.export import UNROLLED
from npexport.tracer.driver.exporting import NEEDS_VALUE, emit, program_of, read
from npexport.tracer.driver.recovery import Place
from npexport.tracer.driver.world import TracingWorld
from npexport.tracer.effects.run_options import Completeness, RunOptions

_RUNS = 100
_GRANTED = ("E101", "E105", "E106", "E107", "E108", "E110", "E112", "E125", "E140")
"""Refusals that say nothing of data: what is refused may run while the draft is made."""


@dataclass
class DraftExportReport(Report):
    """Where a draft departs from the program that it was made of.

    Attributes
    ----------
    failures : list of ExportError
        What ``export`` would raise, one after the other: each with ``code``, ``location`` (the
        user's line) and ``hint`` (what to write).
    dynamic_shapes : object
        The ``dynamic_shapes`` that the draft was made with: those given, with the suggested fixes
        applied.
    success : bool
        Whether there are no failures: then the draft is what ``export`` gives.

    Examples
    --------
    >>> import numpy as np
    >>> from npexport import draft_export
    >>> draft_export(np.sin, (np.zeros(3),)).report.success
    True
    """

    failures: list[ExportError] = field(default_factory=list)
    dynamic_shapes: Any = None

    @property
    def success(self) -> bool:
        """Whether ``export`` gives the same program."""
        return not self.failures

    def as_dict(self) -> dict[str, Any]:
        """The report as data that JSON takes: with ``success`` and, of each failure, ``code``,
        ``message``, ``hint``, ``file`` and ``line``.
        """
        failures = [
            {
                "code": failure.code,
                "message": failure.message,
                "hint": failure.hint,
                "file": failure.location.file if failure.location else None,
                "line": failure.location.line if failure.location else None,
            }
            for failure in self.failures
        ]
        return {**super().as_dict(), "success": self.success, "failures": failures}

    def __str__(self) -> str:
        if self.success:
            return "The draft is what export gives."
        count = len(self.failures)
        lines = [f"The draft took the example's side at {count} place{'s' * (count != 1)}, where export refuses:"]
        lines += [f"\n{failure}" for failure in self.failures]
        if any(isinstance(failure, ConstraintViolation) for failure in self.failures):
            lines += ["\nThe draft was made with", as_code(self.dynamic_shapes)]
        return "\n".join(lines)


def draft_export(
    f: Any,
    args: tuple[Any, ...] = (),
    kwargs: dict[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    strict: bool = True,
    preserve_module_call_signature: tuple[str, ...] = (),
    prefer_deferred_runtime_asserts_over_guards: bool = False,
    capture_control_flow: bool = True,
    unroll: int | bool = UNROLLED,
) -> ExportedProgram:
    """Export also where ``export`` refuses, by taking the example's side, and report where.

    A branch on data that cannot be captured goes the way of the example inputs; a Python number or
    text that is made of data is that of the example; an operator without a fake gives arrays of the
    shapes that it gives for the example; clocks and files are read while the draft is made; a
    promise of ``dynamic_shapes`` that the program does not keep is replaced by the suggested fix.
    What has no such side is left out: the value is unknown, a result that is made of it is
    ``None``, and what no program can write is not written.
    For other data such a draft can give **wrong results**: it shows how far a program is from being
    exported. Its ``module()`` warns, and it cannot be saved, until the report is clean.

    Parameters
    ----------
    f : callable
        What would be exported.
    args : tuple, optional
        Positional example inputs; their data are read where ``export`` refuses.
    kwargs : dict of str, optional
        Example inputs by keyword.
    dynamic_shapes, strict, preserve_module_call_signature : optional
        As for ``export``.
    prefer_deferred_runtime_asserts_over_guards, capture_control_flow, unroll : optional
        As for ``export``.

    Returns
    -------
    ExportedProgram
        With a `DraftExportReport` as ``report``. Where there is no failure, it is what ``export``
        gives.

    Raises
    ------
    UserError
        The call is wrong: arguments that no program takes, a malformed ``dynamic_shapes``.
    Exception
        Whatever ``f`` itself raises and does not catch.

    Examples
    --------
    >>> import numpy as np
    >>> from npexport import draft_export
    >>> def f(x):
    ...     return x * len(bin(int(x.max())))
    >>> draft = draft_export(f, (np.arange(3.0),))
    >>> [(failure.code, failure.location.line) for failure in draft.report.failures]
    [('E104', 2)]
    >>> print(draft.report.success)
    False
    """
    deferred, captures, preserved = prefer_deferred_runtime_asserts_over_guards, capture_control_flow, preserve_module_call_signature
    options = RunOptions(prefer_deferred=deferred, captures=captures, preserved=preserved, strict=strict, unroll=unroll)
    try:
        inputs, options = read(f, args, kwargs, options)
    except ExportError as refusal:
        raise brief(refusal)  # noqa: B904 (it has no context)
    program = _Draft(f, inputs, dynamic_shapes, options).program()
    if isinstance(program, ExportedProgram):
        return program
    try:
        raise program
    finally:
        del program  # its traceback holds this frame


class _Draft:
    """Exports repeatedly: each run takes the example's side where the run before was refused."""

    def __init__(self, f: Any, inputs: Any, dynamic_shapes: Any, options: RunOptions) -> None:
        self.f = f
        self.inputs = inputs
        self.dynamic_shapes = dynamic_shapes
        self.options = options
        self.failures: list[ExportError] = []
        self.places: dict[Place, int] = {}
        self.tried: set[tuple[Place, int]] = set()
        self.granted: set[Grant] = set()
        self.skipped: set[Grant] = set()
        self.gates = options.strict  # whether all that is refused is reported
        self.latest: tuple[Any, Place | None] = (None, None)  # what the latest refusal says, and what was done about it
        self.watches = False  # whether runs say where they are refused

    def program(self) -> ExportedProgram | BaseException:
        """The draft, or what `draft_export` is to raise."""
        for number in range(_RUNS):
            if number == _RUNS - 1:
                self.options = self.options._replace(completeness=Completeness.NOTHING)
            reports: list[Report] = []
            machines: list[ExampleVM] = []
            make = functools.partial(self._machine, machines) if self.watches else None
            program = program_of(self.f, self.inputs, self.dynamic_shapes, reports, self.options._replace(make_vm=make))
            if isinstance(program, ConstraintViolation):
                goes_on = self._refine(program)
            elif isinstance(program, ExportError) and program.code in NEEDS_VALUE:
                goes_on = not self.watches or self._take(program, machines) or self._stop_capturing()
                self.watches = True
            elif isinstance(program, ExportError) and program.code in _GRANTED:
                goes_on = self._grant(program)
                self.watches = True
            else:
                goes_on = False
            if goes_on or self._leave_out(program):
                continue
            emit(reports)
            if isinstance(program, ExportedProgram):
                program.report = DraftExportReport(**vars(program.report), failures=self.failures, dynamic_shapes=self.dynamic_shapes)
            return program
        return self.failures[0]

    def _leave_out(self, outcome: Any) -> bool:
        """Let the next run go on without what is refused, or without all that the program gives;
        whether that is possible.
        """
        refuses = isinstance(outcome, (Unsupported, ConstraintViolation))
        if isinstance(outcome, ExportedProgram) or not (refuses or self.skipped):  # else it may follow from what is unknown
            return False
        self.watches = True
        if refuses:
            refusal = (outcome.code, outcome.location)
            self._fail(outcome)
            if isinstance(outcome, ConstraintViolation) and self.dynamic_shapes is not None:
                self.dynamic_shapes = None
                return True
            if outcome.location is not None and refusal not in self.skipped:
                self.skipped.add(refusal)
                return True
        if self.options.completeness is Completeness.NOTHING:
            return False
        self.options = self.options._replace(completeness=Completeness(self.options.completeness + 1))
        return True

    def _fail(self, error: ExportError) -> None:
        """Report what is refused, once."""
        if _place(error) not in map(_place, self.failures):
            self.failures.append(as_public(error))

    def _grant(self, error: ExportError) -> bool:
        """Let the next run pass over the refusal; whether that is possible."""
        grant = (error.code, error.location)
        if grant in self.granted:
            return error.code == "E140" and self._stop_capturing()
        if error.code != "E140" and not self.gates:  # what may run has
            return False
        self.granted.add(grant)
        self.failures.append(error)
        self.options = self.options._replace(strict=False)
        return True

    def _stop_capturing(self) -> bool:
        """Let the next run capture nothing, since loops have no example; whether this one did."""
        captured, self.options = self.options.captures, self.options._replace(captures=False)
        self.places.clear()
        self.tried.clear()
        self.latest = (None, None)
        return captured

    def _machine(self, machines: list[ExampleVM], world: TracingWorld) -> ExampleVM:
        machines.append(ExampleVM(world, self.places, self.granted, self.skipped, self._fail, gates=self.gates))
        return machines[-1]

    def _take(self, error: ExportError, machines: list[ExampleVM]) -> bool:
        """Let the next run take the example's side where this one was refused, if possible."""
        machine = next((machine for machine in reversed(machines) if machine.passed), None)
        candidates = machine.candidates() if machine else []
        said = (error.code, error.message, candidates)
        latest, place = self.latest
        if said == latest and place is not None:
            self.places.pop(place)  # it did not help
        else:
            self._fail(error)
        for candidate in candidates:
            if candidate not in self.tried:
                self.tried.add(candidate)
                self.places[candidate[0]] = candidate[1]
                self.latest = said, candidate[0]
                return True
        return False

    def _refine(self, violation: ConstraintViolation) -> bool:
        """Apply the suggested fixes; whether that changed anything."""
        try:
            refined = refine_dynamic_shapes_from_suggested_fixes(violation.msg, self.dynamic_shapes)
        except UserError:
            return False
        if repr(refined) == repr(self.dynamic_shapes):
            return False
        self.dynamic_shapes = refined
        self.failures.append(violation)
        return True


def _place(error: ExportError) -> Any:
    """What is refused where: a line, or a leaf of the result, which the message names."""
    return error.code, error.location, error.message if error.code == "E115" else None
