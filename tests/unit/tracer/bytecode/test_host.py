"""Code that the host runs for the interpreter stands up to tracers, debuggers and coverage."""

import functools
import inspect
import sys

import pytest

from npexport.tracer.bytecode.host import frame_stub

FUNCTIONS = [lambda: 1, inspect.getmodule, functools.singledispatch, inspect.signature, inspect.Signature._bind]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_stub_is_no_shorter_than_its_line_table(function):
    """CPython 3.11 writes one entry of a buffer as long as the code for every instruction of the line table."""
    stub = frame_stub(function.__code__)
    assert max(end for _, end, _ in stub.co_lines()) <= max(len(stub.co_code), len(function.__code__.co_code))
    assert len(stub.co_code) >= len(function.__code__.co_code)
    assert (stub.co_name, stub.co_filename, stub.co_linetable) == (
        function.__code__.co_name,
        function.__code__.co_filename,
        function.__code__.co_linetable,
    )


@pytest.mark.parametrize("function", FUNCTIONS)
def test_stub_is_traced_without_harm(function):
    seen = []

    def trace(frame, event, arg):
        seen.append(event)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        made = eval(frame_stub(function.__code__), {})
        frame = made.gi_frame
        list(made)
    finally:
        sys.settrace(before)
    assert frame.f_code.co_name == function.__code__.co_name
