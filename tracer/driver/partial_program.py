"""The program of a part of what a run gives: what a draft holds where nothing goes on."""

from __future__ import annotations

from typing import Any, cast

from npexport.ir.program import ExportedProgram
from npexport.symshapes.errors import ExportError
from npexport.tracer.driver.assemble import assemble, possible
from npexport.tracer.driver.recovery import DiagnosingVM
from npexport.tracer.driver.trace import Trace, UserException
from npexport.tracer.effects.run_options import Completeness


def program_of_part(trace: Trace) -> ExportedProgram:
    """The program of one call: a result that no program can give is ``None``, and what no program
    can write is not written.

    Raises ``ExportError``, ``UserException``.
    """
    with trace.session.activate():
        result = _result(trace)
        return assemble(trace, possible(trace, result))


def _result(trace: Trace) -> Any:
    """The result of the run; ``None`` where the program is to hold nothing, or something unknown
    ends the run.
    """
    vm = cast(DiagnosingVM, trace.vm)
    try:
        result = trace.run()
    except ExportError:
        if trace.options.completeness is not Completeness.NOTHING:
            raise
        return None
    except UserException:
        if not vm.recovered:
            raise
        return None
    return None if trace.options.completeness is Completeness.NOTHING else result
