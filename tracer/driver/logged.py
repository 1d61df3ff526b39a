"""What is logged of one export (`npexport.set_logs`)."""

from __future__ import annotations

import os
from typing import Any

from npexport.ir.op import Op
from npexport.ir.printing import graph_listing
from npexport.ir.program import ExportedProgram
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.diagnostics.logs import tell
from npexport.tracer.diagnostics.terminal_line import Line
from npexport.tracer.interpreter.frame import Frame
from npexport.tracer.models.callables.lookup import CallableResolver
from npexport.tracer.models.registry import Model


class _LoggingResolver(CallableResolver):
    def __init__(self, judge: CallableResolver) -> None:
        self.judge = judge

    def __call__(self, fn: Any) -> Model:
        tell("models", f"call of {_known_as(fn)}")
        return self.judge(fn)


def _known_as(fn: Any) -> str:
    """The user's name for a C callable, or for its stand-in."""
    if isinstance(fn, Op):
        return str(fn)
    own = next((name for cls in ArrayProxy.__mro__ for name, method in vars(cls).items() if method is fn), None)
    if own is not None:
        return f"numpy.ndarray.{own}"
    module, name = getattr(fn, "__module__", None), getattr(fn, "__qualname__", type(fn).__qualname__)
    return str(name if module is None else f"{module}.{name}")


def listen(trace: Any, topics: frozenset[str]) -> None:
    """Log what a trace does while it runs."""
    if "bytecode" in topics and trace.vm.on_step is None:
        trace.vm.on_step = _tell_instruction
    if "models" in topics:
        trace.world.judge = _LoggingResolver(trace.world.judge)


def show(trace: Any, line: Line) -> None:
    """Show the progress of a trace on a terminal."""

    def where(node: Any) -> tuple[str, int]:
        stack = node.meta["stack_trace"]
        place = f"{os.path.basename(stack[-1].file)}:{stack[-1].line} in {stack[-1].function}" if stack else ""
        return place, len(trace.graph.nodes)

    trace.session.on_node = lambda node: line.step(lambda: where(node))


def tell_program(program: ExportedProgram) -> None:
    """Log the result of an export."""
    tell("graph", str(program))
    for guard in program.guards:
        tell("guards", str(guard))
    for size, found in program.ranges.items():
        tell("sizes", f"{size}: {found}")


def tell_refused(trace: Any, topics: frozenset[str]) -> None:
    """Log how far an export came that is refused."""
    if topics & {"graph", "guards"}:
        tell("graph", graph_listing(trace.graph))
        for guard in trace.env.guards:
            tell("guards", str(guard))


def _tell_instruction(frame: Frame) -> None:
    name, arg, _ = frame.info.decoded.instructions[frame.pc - 1]
    line = frame.info.decoded.location(frame.code, frame.pc - 1).line
    tell("bytecode", f"{frame.code.co_qualname}:{line} {name} {'' if arg is None else arg}".rstrip())
