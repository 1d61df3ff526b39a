"""While strict export runs, CPython executes none of the program's bytecode: a trace function sees no frame of its code objects."""

from __future__ import annotations

import sys
import types
import warnings

import pytest

from npexport import export, frame_hook
from tests.test_export_language import PROGRAMS, inputs

pytestmark = pytest.mark.skipif(frame_hook() != "pep523", reason="the fallback refuses what C would call back")


def codes_of(code, found):
    found.add(id(code))
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            codes_of(constant, found)
    return found


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_bytecode_of_the_program_runs(program, capsys):
    own = {
        code
        for function in (row.values[0] for row in PROGRAMS)
        if function.__module__ == program.__module__
        for code in codes_of(function.__code__, set())
    }
    for value in vars(sys.modules[program.__module__]).values():
        for part in vars(value).values() if isinstance(value, type) and value.__module__ == program.__module__ else ():
            function = getattr(part, "fget", None) or getattr(part, "__func__", part)
            if isinstance(function, types.FunctionType) and function.__module__ == program.__module__:
                codes_of(function.__code__, own)
    seen = []

    def tracer(frame, event, arg):
        if id(frame.f_code) in own:
            seen.append((frame.f_code.co_qualname, event))

    before = sys.gettrace()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sys.settrace(tracer)
        try:
            export(program, inputs(0))
        finally:
            sys.settrace(before)
    assert not [entry for entry in seen if entry != (program.__qualname__, "call")], seen
