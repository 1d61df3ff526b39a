"""The report of a program: one HTML file that needs no network, with the source beside the graph.

Lines of the source and the nodes that come from them are highlighted together, by pointer or
keyboard; folded parts are ``details``. All text of the program is escaped, and the only script is
``report.js``.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Sequence
from html import escape
from typing import Any

from npexport.ir import cost
from npexport.ir.drawing import drawing
from npexport.ir.graph import Graph
from npexport.ir.meta import dtype_name
from npexport.ir.node import CALL, Node
from npexport.ir.printing import node_text
from npexport.ir.protocols import Program
from npexport.ir.signature import InputKind, InputSpec, OutputSpec
from npexport.ir.verifier import require_valid
from npexport.symshapes.errors import ExportError, Location, blamed
from npexport.symshapes.plain import plain
from npexport.symshapes.rewrite import evaluate

_FILES = (("style", "report.css"), ("script", "report.js"))
_TOOLS = (("unfold", "unfold all"), ("fold", "fold all"), ("larger", "+"), ("smaller", "−"), ("whole", "whole"))
_HOW = "Click or Enter unfolds a box and folds it, Escape folds the box around; arrow keys lead on. Parameters and constants are not drawn."
_NODES_SHORT, _ROWS_SHORT, _ROWS_OPEN = 12, 24, 60  # in notebooks; in reports, where longer tables are folded
_LIFTED = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)


def report(program: Program) -> str:
    """The whole file."""
    require_valid(program)
    count, whole = len(program.graph.nodes), sum(len(graph.nodes) for graph in program.graph.all_graphs())
    within = f", {whole} with those of its branches and loops" if whole > count else ""
    return _document(f"Exported program of {count} nodes{within}", _parts(program))


def explanation(problems: Sequence[ExportError], guards: Sequence[Any], graph: Graph | None, lifted: Collection[str]) -> str:
    """The file on what stands in the way of an export: each problem with its line and what to
    write, then what was recorded all the same. ``lifted``: placeholders that are not inputs.
    """
    parts = [("Problems", "".join(map(_problem, problems)))] if problems else []
    if graph is not None and graph.nodes:
        asked = [error.location for error in problems if error.location is not None]
        parts += [("Source and graph", _beside(graph, lifted, asked)), ("Cost", _cost(graph))]
    parts += [("Guards", _guards(guards))]
    count = len(problems)
    return _document(f"{count} problem{'s' * (count != 1)}" if count else "The program can be exported", parts)


def _problem(error: ExportError) -> str:
    first, *more = error.message.splitlines()
    shown = error.location.render().splitlines() if error.location is not None else []
    head = f"<b>{_text(error.code)}</b> {_text(error.slug)}"
    said = f"<h3>{head}</h3><p>{_text(first)}</p>{_code(more, 'code said')}{_code(shown, 'code')}"
    return f"<article>{said}<p><b>Write instead:</b> {_text(error.hint)}</p></article>"


def _code(rows: Sequence[str], kinds: str) -> str:
    text = "".join(f"<div>{_text(row) or '<br>'}</div>" for row in rows)
    return f'<div class="{kinds}">{text}</div>' if rows else ""


def _document(title: str, parts: Iterable[tuple[str, str]]) -> str:
    sections = "".join(f"<section><h2>{name}</h2>{text}</section>" for name, text in parts if text)
    body = f'<main class="report">{sections}</main>'
    from importlib.resources import files  # slow to import

    style, script = (f"<{tag}>{(files(__package__) / name).read_text('utf-8')}</{tag}>" for tag, name in _FILES)
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>{style}'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body><h1>{title}</h1>{body}{script}</body></html>\n'


def short(program: Program) -> str:
    """What a notebook shows: the first nodes, and the signature folded."""
    calls = [node for node in program.graph.nodes if node.op == CALL]
    lines = "".join(f"<div>{_text(node_text(node))}</div>" for node in calls[:_NODES_SHORT])
    more = f"<div>… and {len(calls) - _NODES_SHORT} more</div>" if len(calls) > _NODES_SHORT else ""
    style = 'style="font-family: ui-monospace, monospace; font-size: 12px; white-space: pre; overflow-x: auto"'
    signature = _signature(program, _ROWS_SHORT) + _sizes(program, _ROWS_SHORT)
    return (
        f"<div><b>ExportedProgram</b>: {len(calls)} calls<div {style}>{lines}{more}</div>"
        f"<details><summary>inputs, outputs, guards</summary>{signature}</details></div>"
    )


def _parts(program: Program) -> list[tuple[str, str]]:
    return [
        ("Source and graph", _beside(program.graph, _lifted(program))),
        ("Inputs and outputs", _signature(program)),
        ("Sizes and guards", _sizes(program)),
        ("Arrays", _arrays(program)),
        ("Modules", _modules(program)),
        ("Cost", _cost(program.graph)),
    ]


def _lifted(program: Program) -> set[str]:
    unseen = (InputKind.PARAMETER, InputKind.CONSTANT_TENSOR)
    return {spec.arg.name for spec in program.graph_signature.input_specs if spec.kind in unseen}


def _beside(graph: Graph, lifted: Collection[str], refused: Collection[Location] = ()) -> str:
    places = _places(graph)
    panes = (("source", _source(places, refused)), ("graph", _graph(graph, places)))
    source, text = (f'<div class="code {name}">{rows}</div>' for name, rows in panes)
    buttons = "".join(f'<button type="button" name="{name}">{shown}</button>' for name, shown in _TOOLS)
    content = drawing(graph, lifted, {node: _mark(place) for node, place in places.items()})
    drawn = f'<div class="drawing" hidden><div class="tools">{buttons}<span>{_HOW}</span></div><div class="sheet"><svg></svg></div></div>'
    data = f'<script type="application/json">{content}</script>'
    return f'<div class="beside">{source}<div>{drawn}{text}</div></div>{data}'


def _text(value: Any) -> str:
    return escape(plain(str(value)))


def _places(whole: Graph) -> dict[Node, Location]:
    found = {node: blamed(node.meta.get("stack_trace", ())) for graph in whole.all_graphs() for node in graph.nodes}
    return {node: place for node, place in found.items() if place is not None}


def _mark(place: Location) -> str:
    return plain(f"{place.file}:{place.line}")


def _key(place: Location) -> str:
    return _text(_mark(place))


def _source(places: dict[Node, Location], refused: Collection[Location]) -> str:
    """The lines that nodes come from and those that are ``refused``, by file and number, under the
    names of their functions.
    """
    lines = {(place.file, place.line): place for place in (*places.values(), *refused)}
    stopped = {(place.file, place.line) for place in refused}
    rows, above = [], ("", "")
    indent = min((len(place.source) - len(place.source.lstrip()) for place in lines.values() if place.source.strip()), default=0)
    for key in sorted(lines):
        place = lines[key]
        if (place.file, place.function) != above:
            name = f"{place.file}, {place.function}" if place.file != above[0] else place.function
            rows.append(f'<div class="file">{_text(name)}</div>')
            above = (place.file, place.function)
        number = f'<span class="number">{place.line:5} </span>'
        kind = ' class="refused" title="refused"' if key in stopped else ""
        rows.append(f'<div tabindex="0"{kind} data-line="{_key(place)}">{number}{_text(place.source[indent:].rstrip())}</div>')
    return "".join(rows) or '<div class="file">No line of the source has a node.</div>'


def _graph(whole: Graph, places: dict[Node, Location]) -> str:
    rows = []
    names = {id(module.graph): module.name for graph in whole.all_graphs() for module in graph.sub_graphs()}
    for graph in whole.all_graphs():
        if id(graph) in names:
            rows.append(f'<div class="file">{_text(names[id(graph)])}</div>')
        rows += [_row(node, places) for node in graph.nodes]
    return "".join(rows)


def _row(node: Node, places: dict[Node, Location]) -> str:
    mark = f' data-line="{_key(places[node])}"' if node in places else ""
    return f'<div tabindex="0"{mark}>{_text(node_text(node))}</div>'


def _table(head: Iterable[str], rows: Iterable[Iterable[Any]], most: int | None = None) -> str:
    """``most``: the number of rows that are shown, all by default."""
    head, rows = list(head), [list(row) for row in rows]
    if not rows:
        return ""
    sides = [' class="size"' if name in _COUNTS else "" for name in head]
    titles = "".join(f"<th{side}>{_text(name)}</th>" for name, side in zip(head, sides, strict=True))
    lines = ("".join(f"<td{side}>{_cell(cell)}</td>" for cell, side in zip(row, sides, strict=True)) for row in rows[:most])
    left = len(rows) - len(rows[:most])
    more = f'<tr><td colspan="{len(head)}">… and {left} more</td></tr>' if left else ""
    table = f"<table><tr>{titles}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}{more}</table>"
    folded = most is None and len(rows) > _ROWS_OPEN
    return f"<details><summary>{len(rows):,} rows</summary>{table}</details>" if folded else table


_COUNTS = ("bytes", "calls", "FLOPs")
"""Columns that stand to the right."""


def _cell(cell: Any) -> str:
    return f"{cell:,}" if isinstance(cell, int) else _text(cell)


def _signature(program: Program, most: int | None = None) -> str:
    values = {node.name: node_text(node).partition(" = ")[0] for node in program.graph.nodes}
    signature = program.graph_signature
    specs: list[tuple[str, InputSpec | OutputSpec]] = [("input", spec) for spec in signature.input_specs]
    specs += [("output", spec) for spec in signature.output_specs]
    shown = [(place, values.get(spec.arg.name, repr(getattr(spec.arg, "value", ""))), spec) for place, spec in specs]
    if most is not None:  # what the caller passes and gets comes first
        shown.sort(key=lambda row: row[2].kind in _LIFTED)
    rows = [(place, value, spec.kind.name, spec.target or "") for place, value, spec in shown]
    return _table(("", "value", "kind", "target"), rows, most)


def _sizes(program: Program, most: int | None = None) -> str:
    ranges = _table(("size", "range"), program.ranges.items(), most)
    return ranges + _guards(program.guards, most)


def _guards(guards: Sequence[Any], most: int | None = None) -> str:
    return _table(("guard", "asked by"), [(guard.text, guard.location or "") for guard in guards], most)


def _arrays(program: Program) -> str:
    rows = []
    for spec in program.graph_signature.input_specs:
        if spec.kind is not InputKind.USER_INPUT:
            array = program.lifted(spec)
            if hasattr(array, "nbytes"):
                rows.append((spec.target, spec.kind.name, f"{dtype_name(array.dtype)}{list(array.shape)}", int(array.nbytes)))
    return _table(("array", "kind", "shape", "bytes"), rows)


def _modules(program: Program) -> str:
    """The calls in their order, those of a module in its box; boxes fold."""
    calls = [node for node in program.graph.nodes if node.op == CALL]
    if not any(node.meta.get("nn_module_stack") for node in calls):
        return ""
    return _boxes(calls, 0, _places(program.graph))


def _boxes(calls: list[Node], depth: int, places: dict[Node, Location]) -> str:
    """Calls that share the modules down to ``depth``: those that end there as rows, deeper ones in
    boxes.
    """

    def module(node: Node) -> tuple[str, str] | None:
        stack = list(node.meta.get("nn_module_stack", {}).items())
        return stack[depth] if len(stack) > depth else None

    parts = []
    for key, group in itertools.groupby(calls, module):
        inside = list(group)
        if key is None:
            parts.append(f'<div class="code">{"".join(_row(node, places) for node in inside)}</div>')
            continue
        count = f"{len(inside)} call{'s' * (len(inside) != 1)}"
        head = f'{_text(key[0] or "the program")} <span class="number">{_text(key[1])}, {count}</span>'
        opened = " open" if depth == 0 else ""
        parts.append(f'<details class="module"{opened}><summary>{head}</summary>{_boxes(inside, depth + 1, places)}</details>')
    return "".join(parts)


def _cost(graph: Graph) -> str:
    """Operations and bytes of each line and module, and the most memory at once."""
    lines, modules, most = cost.by_line(graph), cost.by_module(graph), cost.peak(graph)
    if not lines:
        return ""
    head = ("calls", "FLOPs", "bytes")
    names = _short_names({file for file, _, _ in lines})
    shown = _table(("line", *head), [(cost.at(names[file], line, code), *_counted(row)) for (file, line, code), row in lines.items()])
    shown += _table(("module", *head), [(name or "the program", *_counted(row)) for name, row in modules.items()])
    if most.node is not None:
        place = blamed(most.node.meta.get("stack_trace", ()))
        where = f" in line {place.line}" if place is not None else ""
        size, example = cost.number(most.bytes), evaluate(most.bytes, cost.hints(graph))
        sizes = "" if isinstance(size, int) else f", {example:,} at the sizes of the example"
        shown += f"<p>Peak memory of new arrays: {_cell(size)} bytes{sizes}, at {_text(most.node.name)}{_text(where)}.</p>"
    return shown + f"<p>{_COUNTED}</p>"


def _short_names(files: Collection[str]) -> dict[str, str]:
    """Of each file the last part of its path, or its whole path where two have one last part."""
    last = {file: file.rpartition("/")[2] for file in files}
    return {file: name if list(last.values()).count(name) == 1 else file for file, name in last.items()}


def _counted(row: cost.Cost) -> tuple[Any, ...]:
    return row.calls, cost.number(row.flops), cost.number(row.bytes)


_COUNTED = (
    "FLOPs are those of products, two for each pair that meets, of element-wise operators and of reductions; of a loop, one iteration."
)
