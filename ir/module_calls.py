"""The calls of sub-modules in a graph: what their signatures are, and which nodes belong to each.

A node belongs to the innermost call of its ``nn_module_stack``, whose keys are the calls' names:
``layers.0``, and ``layers.0@1`` for the second call of that module. Where a signature is preserved,
a ``control.module_call`` says what went in and came out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from npexport.ir import ops
from npexport.ir.argument_specs import ArgumentSpec, ConstantArgument, SymBoolArgument, SymFloatArgument, SymIntArgument, TensorArgument
from npexport.ir.arguments import leaves_of
from npexport.ir.call_signatures import ModuleCallEntry, ModuleCallSignature
from npexport.ir.call_spec import CallSpec, unbound
from npexport.ir.checkpoints import is_checkpoint
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.laws import Finding
from npexport.ir.meta import TensorMeta
from npexport.ir.signature import ExportGraphSignature, InputKind, OutputKind
from npexport.symshapes.symint import python_type

_SYMBOLIC: dict[type, Any] = {int: SymIntArgument, float: SymFloatArgument, bool: SymBoolArgument}
_NAME = re.compile(r"(.*)@([1-9]\d*)", re.DOTALL)


def path_of(name: str) -> str:
    """The path of the module of a call.

    >>> path_of("layers.0@2"), path_of("layers.0")
    ('layers.0', 'layers.0')
    """
    found = _NAME.fullmatch(name)
    return found[1] if found else name


def argument_of(value: Any) -> ArgumentSpec:
    """What stands in a graph, as an argument of a signature."""
    if not isinstance(value, Node):
        return ConstantArgument("", value)
    meta = value.meta["val"]
    return TensorArgument(value.name) if isinstance(meta, TensorMeta) else _SYMBOLIC[python_type(meta)](value.name)


def whole_call(signature: ExportGraphSignature, call_spec: CallSpec) -> ModuleCallEntry:
    """The entry of the whole program."""
    inputs = [spec.arg for spec in signature.input_specs if spec.kind is InputKind.USER_INPUT]
    kinds = (OutputKind.USER_OUTPUT, OutputKind.LOSS_OUTPUT)
    outputs = [spec.arg for spec in signature.output_specs if spec.kind in kinds]
    names = None if call_spec.parameters is None else [parameter.name for parameter in call_spec.parameters]
    return ModuleCallEntry("", ModuleCallSignature(inputs, outputs, call_spec.in_spec, call_spec.out_spec, names, call_spec.parameters))


def ends_call(node: Node) -> bool:
    """Whether a node says what a call took and returned."""
    return node.op == CALL and node.target is ops.control.module_call


def with_arguments(entries: Iterable[ModuleCallEntry], graph: Graph) -> Iterator[ModuleCallEntry]:
    """The entries with the names that the values of their calls have in the graph now; another
    path of a module has the signature of its first call.
    """
    ends = {node.args[0]: node for node in graph.nodes if ends_call(node)}
    signatures: dict[str | None, ModuleCallSignature | None] = {}
    for entry in entries:
        end = ends.get(entry.fqn)
        if entry.same_as is not None:
            yield replace(entry, signature=signatures.get(entry.same_as))
            continue
        if entry.signature is not None and end is not None:
            inputs, outputs = [list(map(argument_of, values)) for values in end.args[1:3]]
            entry = replace(entry, signature=replace(entry.signature, inputs=inputs, outputs=outputs))
        signatures[entry.fqn] = entry.signature
        yield entry


def _other_paths(entries: Sequence[ModuleCallEntry]) -> Iterator[Finding]:
    """Another path is one of a module that is called, and none within that module."""
    others = {entry.fqn: entry.same_as for entry in entries if entry.same_as is not None}
    called = {path_of(entry.fqn) for entry in entries if entry.same_as is None}
    inside = {first: {other for path, other in others.items() if path.startswith(f"{first}.")} for first in others.values()}
    for path, first in others.items():
        found: set[str | None] = set()
        pending = [first]
        while pending:
            new = inside[pending.pop()] - found
            found |= new
            pending += new
        if first not in called or path in called or first in found:
            yield None, f"{path!r} cannot be another path of the sub-module {first!r}"
    for entry in entries:
        if entry.called_as not in (None, path_of(entry.fqn)) and (
            entry.signature is None or others.get(entry.called_as) != path_of(entry.fqn)
        ):
            yield None, f"the call {entry.fqn!r} cannot be made by the name {entry.called_as!r}"


def fences(graph: Graph, entries: Sequence[ModuleCallEntry]) -> Iterator[Finding]:
    """Every signature that is preserved is that of one call in the graph, and has as many leaves as
    that takes and returns.
    """
    by_name = {entry.fqn: entry for entry in entries}
    if len(by_name) != len(entries):
        yield None, "two calls of sub-modules have one name"
    yield from _other_paths(entries)
    seen = set()
    for node in filter(ends_call, graph.nodes):
        name, inputs, outputs, before, after = node.args
        signature = by_name[name].signature if name in by_name else None
        if signature is None:
            continue  # of no entry: nobody reads it
        if name in seen:
            yield node, f"{node.name} ends the call {name!r}, which ended before"
        seen.add(name)
        if (signature.in_spec.num_leaves, signature.out_spec.num_leaves) != (len(inputs), len(outputs)):
            yield node, f"{node.name} takes {len(inputs)} values and returns {len(outputs)}, the signature of {name!r} has others"
        if [child.type for child in signature.in_spec.children] != [tuple, dict] or signature.in_spec.type is not tuple:
            yield node, f"the signature of {name!r} takes no positional and keyword arguments"
        else:
            yield from _bound(node, name, signature)
        for place, value, _ in (*before, *after):
            if not (isinstance(place, Node) and place.op != CALL and isinstance(value, Node)):
                yield node, f"{node.name} says of {place!r}, which is not an input, that it holds {value!r}"
    for name in {entry.fqn for entry in entries if entry.same_as is None} - seen:
        if by_name[name].signature is not None:
            yield None, f"the graph has no call {name!r}, whose signature is preserved"


def _bound(node: Node, name: str, signature: ModuleCallSignature) -> Iterator[Finding]:
    problem = unbound(signature.parameters, signature.in_spec)
    if problem is not None:
        yield node, f"the call {name!r} does not fit its parameters: {problem}"


@dataclass(eq=False)
class Call:
    """One call of a module: its nodes and the calls in it, in order; ``end`` records what it took
    and returned if that is preserved.

    ``inputs``: the values from outside that it uses; ``outputs``: its own values that are used
    outside.
    """

    name: str
    kind: str
    parent: Call | None = None
    body: list[Node | Call] = field(default_factory=list)
    inputs: dict[Node, None] = field(default_factory=dict)
    outputs: dict[Node, None] = field(default_factory=dict)
    end: Node | None = None

    @property
    def path(self) -> str:
        return path_of(self.name)

    def around(self) -> Iterator[Call]:
        """This call and those around it, innermost first."""
        call: Call | None = self
        while call is not None:
            yield call
            call = call.parent

    def nodes(self) -> Iterator[Node]:
        """The nodes in it, at any depth."""
        for call in (self, *self.calls()):
            yield from [part for part in call.body if isinstance(part, Node)]

    def calls(self) -> Iterator[Call]:
        """The calls in it, at any depth, those around others first."""
        for part in self.body:
            if isinstance(part, Call):
                yield part
                yield from part.calls()


def partition(graph: Graph, also: Iterable[Node] = ()) -> Call:
    """The calls of a graph, in that of the whole program; ``also``: the values that are used there
    besides its outputs.
    """
    root = Call("", "")
    home: dict[Node, Call] = dict.fromkeys(graph.placeholders, root)
    inner = root
    for node in graph.nodes:
        if node.op != CALL or is_checkpoint(node):
            continue
        inner = _entered(inner, [pair for pair in node.meta.get("nn_module_stack", {}).items() if pair[0]])
        if ends_call(node):
            inner.end = node if inner.name == node.args[0] else None
            continue
        inner.body.append(node)
        home[node] = inner
    for node, user in home.items():
        for operand in node.all_input_nodes:
            _pass(operand, home[operand], user)
    for node in (*graph.output_node.all_input_nodes, *also):
        _pass(node, home[node], root)
    for call in root.calls():
        for value in () if call.end is None else leaves_of(call.end.args[1:3]):
            if type(value) is Node and not any(each is call for each in home[value].around()):
                _pass(value, home[value], call)
    return root


def _entered(inner: Call, stack: list[tuple[str, str]]) -> Call:
    """The call of this stack: those that it has in common with the one before go on."""
    current = list(inner.around())[::-1]
    common = 1
    while common < len(current) and common <= len(stack) and current[common].name == stack[common - 1][0]:
        common += 1
    call = current[common - 1]
    for name, kind in stack[common - 1 :]:
        call.body.append(Call(name, kind, call))
        call = call.body[-1]  # type: ignore[assignment]
    return call


def _pass(value: Node, home: Call, user: Call) -> None:
    """A value goes from the call that makes it to one that uses it."""
    outer = set(home.around())
    for call in user.around():
        if call in outer:
            common = call
            break
        call.inputs.setdefault(value)
    for call in home.around():
        if call is common:
            break
        call.outputs.setdefault(value)


def remade(root: Call, graph: Graph) -> set[str]:
    """The calls, whose ends are known, of which the program makes a result once more of other
    values than the call gave: where it gives it back in other memory than it was in.
    """
    returned: dict[Any, list[Node]] = {}
    for each in graph.all_graphs():
        for node in each.find_nodes(op=CALL, target=ops.control.returned):
            returned.setdefault(node.args[1], []).append(node)
    ended = [call for call in root.calls() if call.end is not None and call.name in returned]
    return {call.name for call in ended if _is_remade(call, returned[call.name])}


def _is_remade(call: Call, returned: list[Node]) -> bool:
    """The same of one call; ``returned``: the values that are made as results of it."""
    results = {value for value in call.end.args[2] if type(value) is Node}  # type: ignore[union-attr]
    inside = set(call.nodes())
    again = [node for node in returned if node not in results and node not in inside]
    return any(not _is_made_of(node, results, inside - results) for node in again)


def _is_made_of(node: Node, results: set[Node], own: set[Node]) -> bool:
    """Whether a value is computed of results, and of nothing else that is a call's own."""
    seen, pending = {node}, [node]
    while pending:
        node = pending.pop()
        if node in own:
            return False
        pending += [each for each in node.all_input_nodes if each not in seen and each not in results]
        seen.update(node.all_input_nodes)
    return not seen.isdisjoint(results)
