"""Strict export: the root frame of a call is interpreted on stand-ins, what it computes is
recorded, and the record becomes a program.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from npexport.ir.program import ExportedProgram
from npexport.ir.report import Report
from npexport.symshapes.errors import ExportError, InternalError, UserError, brief
from npexport.symshapes.fixes import ConstraintViolation
from npexport.symshapes.spec import AdditionalInputs
from npexport.tracer.diagnostics import hints
from npexport.tracer.diagnostics.logs import topics
from npexport.tracer.diagnostics.terminal_line import line as terminal_line
from npexport.tracer.driver.calls import program_of_calls
from npexport.tracer.driver.determinism import require_one_order
from npexport.tracer.driver.exported_programs import exported_again
from npexport.tracer.driver.inputs import Inputs, read_inputs
from npexport.tracer.driver.logged import listen, show, tell_program
from npexport.tracer.driver.trace import Trace, UserException
from npexport.tracer.effects.set_order import Orders
from npexport.tracer.effects.thread_context import Ambient
from npexport.tracer.interpreter.unwind import strip_traceback
from npexport.tracer.interpreter.vm import VM

UNROLLED = 100
"""How many iterations a loop makes at most that is recorded iteration by iteration whatever they
are.
"""


def export(
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
    """Trace ``f(*args, **kwargs)`` into a program valid for all data of these shapes and dtypes.

    The body of ``f`` is interpreted, not run by CPython, and nothing that the caller can see is
    changed, whether the export succeeds or not.

    Parameters
    ----------
    f : callable
        A function, method, lambda, ``functools.partial``, ``nn.Module`` or any object with
        ``__call__``. Its source need not be available.
    args : tuple, optional
        Positional example inputs: arrays of any shape and dtype but object, NumPy scalars, ``int``,
        ``float``, ``bool``, ``str``, ``None``, nested in tuples, lists, dicts, named tuples and
        dataclasses. Arrays are data and are never read; Python values become part of the program,
        which checks at each call that it is given the same ones.
    kwargs : dict of str, optional
        Example inputs by keyword, of the same kinds.
    dynamic_shapes : dict, tuple, list, ShapesCollection, AdditionalInputs or infer, optional
        Which sizes may vary. A structure that mirrors the inputs has for each array a dict from
        axis to size, or a sequence of sizes; a size is a ``Dim``, an expression of one such as
        ``2 * batch + 1``, ``Dim.AUTO``, ``Dim.DYNAMIC``, ``Dim.STATIC``, an integer or ``None``
        (static). By default every size is static.
    strict : bool, default True
        Refuse C functions of which nothing is known, and clocks. ``False`` runs them, while the
        program is exported, where they are handed no array: what they give then is part of the
        program, and ``program.report.reads`` names it. All else is checked as ever.
    preserve_module_call_signature : tuple of str, optional
        Paths of sub-modules of an ``nn.Module``, such as ``"layers.0"``, that `npexport.unflatten`
        is to give as modules that are called as they are called here, and that may be swapped.
    prefer_deferred_runtime_asserts_over_guards : bool, default False
        Keep what the program needs of sizes and no ``Dim`` can say as checks at the call, instead
        of refusing it.
    capture_control_flow : bool, default True
        Turn a branch on data that can be captured soundly into part of the program. ``False``
        refuses it (E103).
    unroll : int or bool, default 100
        A loop of a known number of iterations is recorded iteration by iteration up to this number;
        a longer one is one node, where its iterations record the same. ``True``: every loop
        iteration by iteration; ``False``: none that can be one node.

    Returns
    -------
    ExportedProgram
        The graph, its signature, and read-only copies of the parameters and constants.

    Raises
    ------
    Unsupported
        The program does what cannot be captured soundly; ``explain`` lists all such places.
    UserError
        The call is malformed: its inputs, or ``dynamic_shapes``.
    ConstraintViolation
        The program needs more of the sizes than ``dynamic_shapes`` promises.
    InputMismatch
        One of ``AdditionalInputs`` does not fit the program.
    Exception
        Whatever ``f`` itself raises and does not catch.

    Examples
    --------
    >>> import numpy as np
    >>> from npexport import Dim, export
    >>> batch = Dim("batch")
    >>> shapes = {0: batch}, None
    >>> program = export(lambda x, n: np.sin(x) * n, (np.zeros(3), 2), dynamic_shapes=shapes)
    >>> program.module()(np.zeros(5), 2)
    array([0., 0., 0., 0., 0.])
    """
    options = Options(prefer_deferred_runtime_asserts_over_guards, capture_control_flow, preserve_module_call_signature, strict, unroll)
    try:
        inputs, options = read(f, args, kwargs, options)
    except ExportError as refusal:
        raise brief(refusal)  # noqa: B904 (it has no context)
    reports: list[Report] = []
    program = program_of(f, inputs, dynamic_shapes, reports, options)
    emit(reports)
    if isinstance(program, ExportedProgram):
        return program
    try:
        raise program
    finally:
        del program  # its traceback holds this frame


class Options(NamedTuple):
    """How a program is exported, as parameters of `export` say; ``unroll`` as `read` gives it."""

    prefer_deferred: bool
    captures: bool
    preserved: tuple[str, ...]
    strict: bool
    unroll: Any


def read(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, options: Options) -> tuple[Inputs, Options]:
    """The inputs of a call, and the options in which ``unroll`` is the most iterations of a loop
    that are recorded one by one, ``None`` for any number.

    Raises ``UserError`` for what is not well-formed.
    """
    unroll = options.unroll
    if type(unroll) is bool:
        unroll = None if unroll else 0
    elif type(unroll) is not int or unroll < 0:
        raise UserError("E201", f"unroll is {unroll!r}", hint="Pass the most iterations of a loop that are recorded one by one, or a bool.")
    return read_inputs(f, args, kwargs), options._replace(unroll=unroll)


def emit(reports: list[Report]) -> None:
    """Do what the program printed, warned and logged while it was exported."""
    for emission in [emission for report in reports for emission in report.emitted]:
        emission.emit()


def program_of(
    f: Any,
    inputs: Inputs,
    dynamic_shapes: Any,
    reports: list[Report],
    options: Options,
    make_vm: Callable[[Any], VM] | None = None,
) -> ExportedProgram | BaseException:
    """The program of a call, or what `export` is to raise. ``reports`` gets what the run has to
    say.

    ``make_vm`` makes the machine for a world; then NumPy scalars among the inputs are data, and
    loops of a known number of iterations are unrolled.
    """
    shared: dict[str, Any] = {"captures": options.captures, "preserved": options.preserved, "strict": options.strict, "make_vm": make_vm}
    most = options.unroll if make_vm is None else None

    def run(static_scalars: bool = False, orders: Orders | None = None, counts: int = 2, unroll: int | None = most) -> ExportedProgram:
        trace = Trace(f, inputs, dynamic_shapes, static_scalars=static_scalars, orders=orders, counts=counts, unroll=unroll, **shared)
        if orders is None:
            reports[:] = [trace.report]
            if asked:
                listen(trace, asked)
            if line is not None:
                show(trace, line)
        try:
            program = program_of_calls(trace, options.prefer_deferred)
        except ExportError as refusal:
            if trace.world.rolled and not isinstance(refusal, InternalError):
                return run(static_scalars, orders, counts, None)
            if counts > 1 and trace.world.promotes and not isinstance(refusal, InternalError):
                return run(static_scalars, orders, 1, unroll)  # the first iteration runs by itself
            if refusal.code != "E103" or not (counts and trace.world.counted):
                raise
            refused = refusal
        else:
            if orders is None:
                again = functools.partial(run, static_scalars, counts=counts, unroll=unroll)
                require_one_order(list(trace.world.orders.places), program, again)
            return program
        try:
            return run(static_scalars, orders, 0, unroll)  # the loops go round as often as the example's do
        except ConstraintViolation as violation:
            if all(map(str.isdigit, violation.suggested_fixes.values())):  # no size may vary then
                raise refused from None
            raise
        except ExportError:
            raise refused from None

    asked, begun, line = topics(), time.perf_counter(), terminal_line()
    try:
        same = None if make_vm or options.preserved else exported_again(f, inputs, dynamic_shapes, options.prefer_deferred)
        program = same or (_with_scalars(inputs, run) if make_vm is None else _in_context(run, False))
        if isinstance(dynamic_shapes, AdditionalInputs):
            dynamic_shapes.verify(program)
        program.report.seconds = time.perf_counter() - begun
        if asked:
            tell_program(program)
        return program
    except ExportError as refusal:
        hints.fit(refusal)
        return brief(refusal)
    except UserException as carrier:
        strip_traceback(carrier.error)
        return carrier.error
    except (MemoryError, RecursionError):
        emit(reports)
        raise  # whoever meets them: they are no defect
    except Exception as defect:
        emit(reports)
        raise InternalError("E901", f"{type(defect).__name__}: {defect}") from defect
    finally:
        if line is not None:
            line.close()


export_for_training = export
"""``torch.export``'s name for exports that keep composite operators whole (``batch_norm_train``):
here all do."""

NEEDS_VALUE = ("E103", "E104", "E114")


def _with_scalars(inputs: Inputs, run: Callable[[bool], ExportedProgram]) -> ExportedProgram:
    """NumPy scalars among the inputs are data where the program lets them be; where it needs their
    values they are part of the program.
    """
    try:
        return _in_context(run, False)
    except ExportError as error:
        if error.code not in NEEDS_VALUE or not any(isinstance(leaf.value, np.generic) for leaf in inputs.leaves):
            raise
        refused = error
    try:
        return _in_context(run, True)
    except ExportError as error:
        if error.code in NEEDS_VALUE:
            raise refused from None
        raise


def _in_context(run: Callable[[bool], ExportedProgram], static_scalars: bool) -> ExportedProgram:
    """Runs in a copy of what belongs to the thread.

    Raises ``Unsupported`` (E112) where the program leaves some of it changed.
    """
    ambient = Ambient()
    program = ambient.run(functools.partial(run, static_scalars))
    problem = ambient.problem()
    if problem is not None:
        raise problem
    return program
