"""Strict export: the root frame of a call is interpreted on stand-ins, what it computes is recorded, and the record becomes a program."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.program import ExportedProgram
from npexport.symshapes.errors import ExportError, InternalError, UserError
from npexport.symshapes.spec import AdditionalInputs
from npexport.tracer.assemble import assemble
from npexport.tracer.determinism import require_one_order
from npexport.tracer.diagnostics.report import Report
from npexport.tracer.effects.ambient import Ambient
from npexport.tracer.effects.orders import Orders
from npexport.tracer.inputs import Inputs, read_inputs
from npexport.tracer.interpreter.unwind import strip_traceback
from npexport.tracer.trace import Trace, UserException


def export(
    f: Any,
    args: tuple[Any, ...] = (),
    kwargs: dict[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    strict: bool = True,
    preserve_module_call_signature: tuple[str, ...] = (),
    prefer_deferred_runtime_asserts_over_guards: bool = False,
) -> ExportedProgram:
    """The program that ``f(*args, **kwargs)`` is, for all data of these shapes and dtypes.

    ``f``: any callable. ``args``, ``kwargs``: example inputs: arrays of any shape and dtype but object, NumPy scalars, ``int``, ``float``,
    ``bool``, ``str``, ``None``, nested in tuples, lists, dicts, named tuples and dataclasses. Arrays are data and never read; Python values
    are part of the program. ``dynamic_shapes``: which sizes may vary (``Dim``). Nothing that the caller can see is changed, and the body of
    ``f`` is not run by CPython. The program shares the memory of parameters and constants; arrays that it writes to are copied.

    Raises ``Unsupported`` (what cannot be captured soundly), ``UserError`` (a malformed call), ``ConstraintViolation`` (a promise about
    sizes that the program breaks), ``InputMismatch`` (an example of ``AdditionalInputs`` that does not fit), and
    whatever ``f`` itself raises and does not catch.

    >>> import numpy as np
    >>> from npexport import export
    >>> program = export(lambda x, n: np.sin(x) * n, (np.zeros(3), 2))
    >>> program.module()(np.zeros(3), 2)
    array([0., 0., 0.])
    """
    if not strict:
        raise UserError("E204", "export(strict=False) is not available")
    if preserve_module_call_signature:
        raise UserError("E204", "export(preserve_module_call_signature=...) is not available", hint="Leave it out.")
    inputs = read_inputs(f, args, kwargs)

    reports: list[Report] = []

    def run(static_scalars: bool = False, orders: Orders | None = None) -> ExportedProgram:
        trace = Trace(f, inputs, dynamic_shapes, static_scalars=static_scalars, orders=orders)
        if orders is None:
            reports[:] = [trace.report]
        with trace.session.activate():
            program = assemble(trace, trace.run(), prefer_deferred=prefer_deferred_runtime_asserts_over_guards)
        if orders is None:
            require_one_order(list(trace.world.orders.places), program, functools.partial(run, static_scalars))
        return program

    try:
        program = _with_scalars(inputs, run)
        if isinstance(dynamic_shapes, AdditionalInputs):
            dynamic_shapes.verify(program)
        return program
    except ExportError:
        raise
    except UserException as carrier:
        error = carrier.error
    except Exception as defect:
        raise InternalError("E901", f"{type(defect).__name__}: {defect}") from defect
    finally:
        for emission in [emission for report in reports for emission in report.emitted]:
            emission.emit()
    strip_traceback(error)
    raise error


export_for_training = export
"""``torch.export``'s name for exports that keep composite operators whole (``batch_norm_train``): here all do."""

_NEEDS_VALUE = ("E103", "E104", "E114")


def _with_scalars(inputs: Inputs, run: Callable[[bool], ExportedProgram]) -> ExportedProgram:
    """NumPy scalars among the inputs are data where the program lets them be; where it needs their values they are part of the program."""
    try:
        return _in_context(run, False)
    except ExportError as error:
        if error.code not in _NEEDS_VALUE or not any(isinstance(leaf.value, np.generic) for leaf in inputs.leaves):
            raise
        refused = error
    try:
        return _in_context(run, True)
    except ExportError as error:
        if error.code in _NEEDS_VALUE:
            raise refused from None
        raise


def _in_context(run: Callable[[bool], ExportedProgram], static_scalars: bool) -> ExportedProgram:
    """Runs in a copy of what belongs to the thread. Raises ``Unsupported`` (E112) where the program leaves some of it changed."""
    ambient = Ambient()
    program = ambient.run(functools.partial(run, static_scalars))
    problem = ambient.problem()
    if problem is not None:
        raise problem
    return program
