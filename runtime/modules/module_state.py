"""Which results of a module's call are state that modules at other places find: it stays as it was
where another module is called instead.
"""

from __future__ import annotations

from collections.abc import Iterator

from npexport.ir.graph import Node
from npexport.ir.op import Op
from npexport.ir.program import ExportedProgram
from npexport.ir.signature import OutputKind
from npexport.runtime.modules.module_sites import Site, arrays_of

_UNTOLD = "calls by other names find what it writes, and the program does not tell what they find without it"


def keep_state(program: ExportedProgram, state: dict[Node, str], sites: list[tuple[str, Site]]) -> None:
    """Tells each site which outputs are such state, and the inputs that hold it before the call.

    Parameters
    ----------
    program : ExportedProgram
        The program; its last values of state are known.
    state : dict of Node to str
        The inputs that are state, with their targets: its first values.
    sites : list of (str, Site)
        The calls of modules, with the names by which they reach them.
    """
    targets = dict(state)
    values = program.graph.output_node.args[0]
    for value, spec in zip(values, program.graph_signature.output_specs, strict=True):
        if spec.kind is not OutputKind.USER_OUTPUT and type(value) is Node and spec.target is not None:
            targets[value] = spec.target
    for name, site in sites:
        if site.call.end is not None and site.call.outputs.keys() - set(arrays_of(site.call.end)):
            others = [other for where, other in sites if not f"{where}.".startswith(f"{name}.")]
            _tell(site, targets, {value for other in others for value in _held(other)})


def _tell(site: Site, targets: dict[Node, str], found: set[Node]) -> None:
    """``found``: what calls of modules at other places find."""
    held, results = set(_held(site)), set(arrays_of(site.call.end))
    needed = {target for value in found if (target := _target(value, targets)) is not None}
    for value in site.call.outputs:
        target = _target(value, targets)
        if value in results or (value not in found and target not in needed):
            continue
        before = next((each for each in _written_over(value) if each in held), None)
        if before is not None and _target(before, targets) == target:
            site.kept[value] = before
        else:
            site.why_not = site.why_not or _UNTOLD


def _held(site: Site) -> list[Node]:
    """The inputs that are no arguments."""
    end = site.call.end
    arguments = {value for value in end.args[1] if type(value) is Node} if end is not None else set()
    return [value for value in site.call.inputs if value not in arguments]


def _written_over(value: Node) -> Iterator[Node]:
    """An array, and before it what it was before each write to it."""
    yield value
    while isinstance(value.target, Op) and "scatter" in value.target.traits and type(value.args[0]) is Node:
        value = value.args[0]
        yield value


def _target(value: Node, targets: dict[Node, str]) -> str | None:
    return next((targets[each] for each in _written_over(value) if each in targets), None)
