"""Errors that a call raises for its example: if the program raises an exception while it is traced,
an operator may have raised for these data before.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

from npexport.ir.graph import Node
from npexport.symshapes.errors import Location
from npexport.symshapes.interrupts import require_own
from npexport.tracer.driver.example_values import Values


def first_error(trace: Any, error: BaseException) -> BaseException:
    """What eager execution raises first: ``error``, or what an operator recorded earlier raises for
    the example.

    Operators of users are not run: then it is ``error``.
    """
    if any(getattr(node.target, "home", "") for node in trace.graph):
        return error
    values = Values(trace)
    for node, _ in trace.recorder.raising:
        try:
            values.of(node)
        except Exception as found:
            require_own(found)
            if type(found) is LookupError:  # not known here
                return error
            found.__context__ = None
            return found.with_traceback(_traceback(node))
    return error


def _traceback(node: Node) -> types.TracebackType | None:
    """The user's lines that a node comes from."""
    found = None
    for location in reversed(node.meta.get("stack_trace", ())):
        found = types.TracebackType(found, _frame(location), -1, location.line)
    return found


def _frame(location: Location) -> types.FrameType:
    """A frame that is shown as a line of the user's."""
    code = _nothing.__code__.replace(co_filename=location.file, co_name=location.function, co_qualname=location.function)
    return types.FunctionType(code, {})().gi_frame  # type: ignore[no-any-return]


def _nothing() -> Iterator[None]:
    yield
