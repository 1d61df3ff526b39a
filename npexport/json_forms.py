"""What the command line prints with ``--format json`` of errors, problems and codes.

Standard output is one document then: what the user's own code prints goes to standard error.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from typing import IO, Any

from npexport.symshapes.codes import CODES
from npexport.symshapes.errors import ExportError, Location

_OUT: ContextVar[IO[str] | None] = ContextVar("npexport_json_out", default=None)


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Keep standard output for `put`."""
    token = _OUT.set(sys.stdout)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        _OUT.reset(token)


def put(document: Any) -> None:
    """Print a document to standard output."""
    print(json.dumps(document, indent=2), file=_OUT.get() or sys.stdout, flush=True)


def problem(error: ExportError | OSError) -> dict[str, Any]:
    """An error; the operating system's have no code."""
    if not isinstance(error, ExportError):
        return {"code": None, "slug": None, "message": str(error), "hint": None, "location": None, "stack": []}
    return {
        "code": error.code,
        "slug": error.slug,
        "message": error.message,
        "hint": error.hint,
        "location": _place(error.location),
        "stack": [_place(location) for location in error.user_stack],
    }


def explanation(found: Any) -> dict[str, Any]:
    """An ``Explanation``."""
    return {"ok": found.ok, "problems": [problem(each) for each in found.problems], "guards": [str(guard) for guard in found.guards]}


def code(page: Any) -> dict[str, Any]:
    """A code, and the text of its page in Markdown."""
    row = CODES[page.code]
    return {"code": page.code, "slug": row.slug, "hint": row.hint, "page": page.text}


def summary(program: Any) -> dict[str, Any]:
    """What a program takes, gives and holds."""
    from npexport.ir.argument_specs import ConstantArgument
    from npexport.ir.printing import value_text
    from npexport.ir.signature import InputKind, OutputKind

    values = {node.name: value_text(node.meta["val"]) for node in program.graph.nodes if "val" in node.meta}
    signature = program.graph_signature

    def shown(specs: Any, kind: Any) -> dict[str, str]:
        args = [spec.arg for spec in specs if spec.kind is kind]
        return {arg.name: repr(arg.value) if isinstance(arg, ConstantArgument) else values.get(arg.name, "") for arg in args}

    return {
        "inputs": shown(signature.input_specs, InputKind.USER_INPUT),
        "outputs": shown(signature.output_specs, OutputKind.USER_OUTPUT),
        "ranges": {str(size): str(bounds) for size, bounds in program.ranges.items()},
        "guards": len(program.guards),
        "nodes": sum(len(graph) for graph in program.graph.all_graphs()),
        "parameters": sum(array.size for array in program.parameters()),
        "bytes": sum(getattr(array, "nbytes", 0) for array in (*program.state_dict.values(), *program.constants.values())),
        "dialect": program.dialect,
        "operators": dict(sorted(program.opset_version.items())),
    }


def _place(location: Location | None) -> dict[str, Any] | None:
    if location is None:
        return None
    names = ("file", "line", "column", "end_line", "end_column", "function", "source")
    return {name: getattr(location, name) for name in names}
