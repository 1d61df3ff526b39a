"""The laws of an exported program, one row each: a function that yields ``(node or None, what is wrong)``.

``verify`` runs them in order and raises at the first violation, showing the lines of the graph around the bad node.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import numpy as np

from npexport.ir.aliasing import is_view
from npexport.ir.graph import CALL, OUTPUT, PLACEHOLDER, Node, map_nodes
from npexport.ir.meta import TensorMeta, size_text
from npexport.ir.op import Op
from npexport.ir.ops.rules import fresh_numbers
from npexport.ir.printing import node_text, value_text
from npexport.ir.program import ExportedProgram
from npexport.ir.signature import (
    MUTATIONS,
    ConstantArgument,
    InputKind,
    OutputKind,
    SymBoolArgument,
    SymFloatArgument,
    SymIntArgument,
    TensorArgument,
)
from npexport.symshapes.env import ShapeEnv, known
from npexport.symshapes.errors import InternalError, Unsupported
from npexport.symshapes.regions import settle

Finding = tuple[Node | None, str]
Row = Callable[[ExportedProgram], Iterator[Finding]]
ROWS: list[Row] = []
_SYMBOLIC_ARGUMENTS = (SymIntArgument, SymFloatArgument, SymBoolArgument)
_PLAIN = frozenset((bool, int, float, complex, str, bytes, type(None), type(Ellipsis)))


def row(check: Row) -> Row:
    """Add a law to the table."""
    ROWS.append(check)
    return check


def verify(program: ExportedProgram) -> None:
    """Hold a program against every law. Raises ``InternalError`` (E902)."""
    for check in ROWS:
        for node, problem in check(program):
            where = "" if node is None else "\n" + neighbourhood(program, node)
            law = (check.__doc__ or check.__name__).splitlines()[0].rstrip(".")
            raise InternalError("E902", f"{problem}\n  (law: {law}){where}")


def neighbourhood(program: ExportedProgram, node: Node, reach: int = 3) -> str:
    """The lines of the graph around a node, the node's own marked."""
    nodes = program.graph.nodes
    here = nodes.index(node)
    lines = []
    for other in nodes[max(here - reach, 0) : here + reach + 1]:
        lines.append(f"  {'-->' if other is node else '   '} {node_text(other)}")
    return "\n".join(lines)


@row
def order_of_kinds(program: ExportedProgram) -> Iterator[Finding]:
    """A graph is placeholders, then calls, then one output."""
    rank = {PLACEHOLDER: 0, CALL: 1, OUTPUT: 2}
    reached = 0
    for node in program.graph.nodes:
        if rank.get(node.op, -1) < reached or reached == rank[OUTPUT]:
            yield node, f"the nodes' kinds are out of order: {node.name} is of the kind {node.op}"
            return
        reached = rank[node.op]
    if reached != rank[OUTPUT]:
        yield None, "the nodes' kinds are out of order: there is no output"


@row
def names(program: ExportedProgram) -> Iterator[Finding]:
    """Names are identifiers, each given once."""
    seen: set[str] = set()
    for node in program.graph.nodes:
        if not node.name.isidentifier():
            yield node, f"{node.name!r} is no identifier"
        if node.name in seen:
            yield node, f"the name {node.name} is given twice"
        seen.add(node.name)


@row
def single_assignment(program: ExportedProgram) -> Iterator[Finding]:
    """Every operand stands before its use."""
    defined: set[Node] = set()
    for node in program.graph.nodes:
        for operand in node.all_input_nodes:
            if operand not in defined:
                yield node, f"{node.name} uses {operand.name}, which is not defined before it"
        defined.add(node)


@row
def grammar(program: ExportedProgram) -> Iterator[Finding]:
    """Arguments are nodes, plain values, dtypes, NumPy scalars, and slices, tuples, lists and dicts of those."""
    for node in program.graph.nodes:
        for value in _foreign(node.args):
            yield node, f"{node.name} has the argument {value!r} of type {type(value).__name__}"
        for value in _foreign(node.kwargs.values()):
            yield node, f"{node.name} has the argument {value!r} of type {type(value).__name__}"


def _foreign(args: Iterable[Any]) -> Iterator[Any]:
    for arg in args:
        kind = type(arg)
        if kind is Node or kind in _PLAIN:
            continue
        if kind is tuple or kind is list:
            yield from _foreign(arg)
        elif kind is dict:
            yield from _foreign(arg.values())
        elif kind is slice:
            yield from _foreign((arg.start, arg.stop, arg.step))
        elif not isinstance(arg, (np.dtype, np.generic)):
            yield arg


@row
def operators(program: ExportedProgram) -> Iterator[Finding]:
    """Calls are calls of operators that mutate nothing, bound by their schemas."""
    fitting: set[Any] = set()
    for node in program.graph.nodes:
        form = (node.target, len(node.args), *node.kwargs)
        if node.op != CALL or form in fitting:
            continue
        if not isinstance(node.target, Op):
            yield node, f"{node.name} calls {node.target!r}, which is no operator"
            continue
        if node.target.is_mutable:
            yield node, f"{node.target} mutates its arguments"
        try:
            node.target.bind(node.args, node.kwargs)
        except TypeError as error:
            yield node, f"the arguments do not fit {node.target.schema}: {error}"
        fitting.add(form)


@row
def values(program: ExportedProgram) -> Iterator[Finding]:
    """Every value's shape and dtype are what the operator's rule says."""
    with ExitStack() as undone:
        fresh: list[Any] = []
        env = ShapeEnv()
        undone.enter_context(fresh_numbers(_remembering(env.create_unbacked, fresh), _remembering(env.create_unbacked_float, fresh)))
        for each in program.graph.environments():
            undone.enter_context(each.speculative())
        kinds: dict[Node, Any] = {}
        seen: set[Any] = set()
        for node in program.graph.nodes:
            if node.op == OUTPUT:
                continue
            if "val" not in node.meta:
                yield node, f"{node.name} has no value"
            kinds[node] = _kind(node.meta["val"])
            if node.op == CALL:
                form = _form(node, kinds)
                if form is None or form not in seen:
                    yield from _derived(node, fresh)
                    seen.add(form)


def _remembering(make: Callable[..., Any], fresh: list[Any]) -> Callable[..., Any]:
    """Makes numbers that only data decide, and notes them."""

    def noting(*bounds: Any) -> Any:
        fresh.append(make(*bounds))
        return fresh[-1]

    return noting


def _kind(value: Any) -> Any:
    """A key of a value's dtype and shape; comparing keys decides nothing about sizes."""
    if isinstance(value, TensorMeta):
        return (value.dtype, value.scalar, *[getattr(size, "expr", size) for size in value.shape])
    if isinstance(value, (tuple, list)):
        return (type(value), *map(_kind, value))
    return (type(value), getattr(value, "expr", value))


def _form(node: Node, kinds: dict[Node, Any]) -> Any:
    """A key of a call and of its declared value: calls of one form make values of one kind. ``None`` where there is no such key."""
    op: Any = node.target
    if node.kwargs or "data_dependent_shape" in op.traits:
        return None
    form = (op, kinds[node], *[kinds[arg] if type(arg) is Node else (type(arg), arg) for arg in node.args])
    try:
        hash(form)
    except TypeError:
        return None
    return form if not any(isinstance(arg, (tuple, list, slice)) for arg in node.args) else None


def _derived(node: Node, fresh: list[Any]) -> Iterator[Finding]:
    """``fresh``: the numbers made while rules run; a declared size may have another name than one that the rule makes."""
    op: Any = node.target
    fresh.clear()
    args, kwargs = map_nodes((node.args, node.kwargs), lambda operand: operand.meta["val"])
    try:
        value = op.rule(*args, **kwargs)
    except Unsupported:
        return  # undecided without the example's sizes
    except Exception as error:  # whatever a rule raises is a finding: the call cannot be run
        yield node, f"the rule of {op} refuses the call: {type(error).__name__}: {error}"
        return
    if not same_value(node.meta["val"], value, loose=bool(fresh)):
        yield node, f"{node.name} is declared {value_text(node.meta['val'])}, its operator makes {value_text(value)}"


def same_value(declared: Any, derived: Any, loose: bool = False) -> bool:
    """Whether two values are of one kind, shape and dtype; ``loose``: sizes that only data decide may have other names."""
    if isinstance(declared, (tuple, list)) and isinstance(derived, (tuple, list)):
        return len(declared) == len(derived) and all(map(lambda a, b: same_value(a, b, loose), declared, derived))
    if isinstance(declared, TensorMeta) and isinstance(derived, TensorMeta):
        if (declared.dtype, declared.ndim, declared.scalar) != (derived.dtype, derived.ndim, derived.scalar):
            return False
        return all(same_size(a, b, loose) for a, b in zip(declared.shape, derived.shape, strict=True))
    if isinstance(declared, TensorMeta) or isinstance(derived, TensorMeta):
        return False
    return same_size(declared, derived, loose)


def same_size(a: Any, b: Any, loose: bool = False) -> bool:
    """Whether two sizes, or other plain values, are known to be equal."""
    symbolic = [size for size in (a, b) if hasattr(size, "expr")]
    if not symbolic:
        return bool(type(a) is type(b) and a == b)
    if loose or size_text(a) == size_text(b):
        return True
    truth = a == b
    if hasattr(truth, "expr") and known(truth) is None:  # a rule may have known which of two sizes is the smaller one
        return truth.env.decide(settle(truth.expr, truth.env.facts)) is True
    return known(truth) is True


@row
def inputs(program: ExportedProgram) -> Iterator[Finding]:
    """Placeholders are the input specs, in order, each of the kind that its spec says; lifted ones come first."""
    placeholders, specs = program.graph.placeholders, program.graph_signature.input_specs
    if [node.name for node in placeholders] != [spec.arg.name for spec in specs]:
        yield None, f"the graph has the inputs {[n.name for n in placeholders]}, the signature {[s.arg.name for s in specs]}"
        return
    earlier: set[str] = set()
    laid_out: set[str] = set()
    user = False
    for node, spec in zip(placeholders, specs, strict=True):
        user = user or spec.kind is InputKind.USER_INPUT
        if user and spec.kind is not InputKind.USER_INPUT:
            yield node, f"the lifted input {node.name} comes after a user input"
        if not _matches(spec.arg, node.meta["val"]) or (
            isinstance(spec.arg, _SYMBOLIC_ARGUMENTS) and not hasattr(node.meta["val"], "expr")
        ):
            yield node, f"{node.name} is declared {value_text(node.meta['val'])}, its spec says {spec.arg}"
        for other in spec.compared:
            if other not in earlier:
                yield node, f"{node.name} is compared with the array {other}, which is no earlier input"
        yield from _layouts(node, spec)
        laid_out |= {node.name} if isinstance(spec.layout, tuple) else set()
        if not user and any(offset is not None and not laid_out.issuperset((name, node.name)) for name, offset in spec.overlaps):
            yield node, f"the state {node.name} lies in the memory of other state, and does not say how"
        earlier.add(node.name)
    leaves = sum(spec.kind is InputKind.USER_INPUT for spec in specs)
    if program.call_spec.in_spec.num_leaves != leaves:
        yield None, f"the calling convention has {program.call_spec.in_spec.num_leaves} leaves, the signature {leaves} user inputs"


def _layouts(node: Node, spec: Any) -> Iterator[Finding]:
    meta = node.meta["val"]
    array = isinstance(meta, TensorMeta) and not meta.scalar
    about_memory = spec.layout is not None or spec.overlaps or spec.owns or spec.writeable is not None
    if (about_memory or spec.reshaped is not None or spec.frozen) and not array:
        yield node, f"{node.name} is no array, and its spec says how it lies in memory"
    elif spec.reshaped is not None and math.prod(spec.reshaped) != math.prod(meta.shape):
        yield node, f"{node.name} has the shape {meta.shape}, which does not become {spec.reshaped}"
    elif isinstance(spec.layout, tuple) and len(spec.layout) != len(meta.shape):
        yield node, f"{node.name} has {len(meta.shape)} axes, its spec {len(spec.layout)} strides"


def _matches(arg: Any, value: Any) -> bool:
    if isinstance(arg, ConstantArgument):
        return type(arg.value) is type(value) and repr(arg.value) == repr(value)
    if isinstance(arg, TensorArgument):
        return isinstance(value, TensorMeta)
    return not isinstance(arg, _SYMBOLIC_ARGUMENTS) or hasattr(value, "expr") or isinstance(value, (int, float))


@row
def calling_convention(program: ExportedProgram) -> Iterator[Finding]:
    """The example call fits the parameters."""
    spec = program.call_spec
    args, kwargs = spec.in_spec.children
    if spec.parameters is not None:
        try:
            inspect.Signature(spec.parameters).bind(*args.children, **dict(zip(kwargs.context, kwargs.children, strict=True)))
        except (TypeError, ValueError) as error:
            yield None, f"the example call does not fit the parameters: {error}"


@row
def state(program: ExportedProgram) -> Iterator[Finding]:
    """The program holds an array of the right shape and dtype for every lifted input."""
    for node, spec in zip(program.graph.placeholders, program.graph_signature.input_specs, strict=True):
        if spec.kind in (InputKind.USER_INPUT, InputKind.TOKEN, InputKind.CUSTOM_OBJ):
            continue
        try:
            array = program.lifted(spec)
        except KeyError:
            yield node, f"the program holds no {spec.kind.name} {spec.target!r}"
            continue
        meta = node.meta["val"]
        if np.shape(array) != meta.shape or np.asarray(array).dtype != meta.dtype:
            yield node, f"{spec.target!r} is {np.asarray(array).dtype}{np.shape(array)}, the graph takes {meta}"
        for name in spec.names:
            other = program.state_dict.get(name, array)
            if np.shape(other) != meta.shape or np.asarray(other).dtype != meta.dtype:
                yield node, f"{name!r} is not the array of {spec.target!r}"


@row
def outputs(program: ExportedProgram) -> Iterator[Finding]:
    """Outputs are the output specs, in order, mutations first, as many as the result has leaves."""
    node, specs = program.graph.output_node, program.graph_signature.output_specs
    results = node.args[0]
    if not isinstance(results, tuple) or len(results) != len(specs):
        yield node, f"the graph's outputs are {results!r}, the signature has {len(specs)}"
        return
    user = False
    for value, spec in zip(results, specs, strict=True):
        user = user or spec.kind not in MUTATIONS
        if user and spec.kind in MUTATIONS:
            yield node, f"the mutation of {spec.target!r} comes after a user output"
        if isinstance(value, Node):
            if value.name != spec.arg.name:
                yield node, f"output {value.name} is called {spec.arg.name} in the signature"
            if not isinstance(spec.arg, ConstantArgument) and not _matches(spec.arg, value.meta["val"]):
                yield node, f"output {value.name} is {value_text(value.meta['val'])}, its spec says {spec.arg}"
        elif not isinstance(spec.arg, ConstantArgument) or not _matches(spec.arg, value):
            yield node, f"the output {value!r} is {spec.arg} in the signature"
    leaves = sum(spec.kind in (OutputKind.USER_OUTPUT, OutputKind.LOSS_OUTPUT) for spec in specs)
    if program.call_spec.out_spec.num_leaves != leaves:
        yield node, f"the result has {program.call_spec.out_spec.num_leaves} leaves, the signature {leaves} user outputs"


@row
def mutation_targets(program: ExportedProgram) -> Iterator[Finding]:
    """Every mutation names an input of the right kind, once for its elements and once for its place, and fits its shape and dtype."""
    output = program.graph.output_node
    targets: set[tuple[OutputKind, str | None, bool]] = set()
    for value, spec in zip(output.args[0], program.graph_signature.output_specs, strict=True):
        if spec.kind not in MUTATIONS:
            continue
        target = mutated_placeholder(program, spec)
        if target is None:
            yield output, f"{spec.kind.name} names {spec.target!r}, which is no such input"
        elif (spec.kind, spec.target, spec.rebinds) in targets:
            yield output, f"{spec.target!r} is mutated twice"
        elif not isinstance(value, Node) or not _fits(target.meta["val"], value.meta["val"]):
            yield output, f"{spec.target!r} is {value_text(target.meta['val'])} and is given {value}"
        targets.add((spec.kind, spec.target, spec.rebinds))


def _fits(target: Any, value: Any) -> bool:
    return isinstance(value, TensorMeta) and same_value(target.with_(scalar=value.scalar), value)


_TARGET_KINDS: Mapping[OutputKind, InputKind] = {
    OutputKind.BUFFER_MUTATION: InputKind.BUFFER,
    OutputKind.PARAMETER_MUTATION: InputKind.PARAMETER,
    OutputKind.USER_INPUT_MUTATION: InputKind.USER_INPUT,
}


def mutated_placeholder(program: ExportedProgram, spec: Any) -> Node | None:
    """The placeholder that a mutation output writes to."""
    kind = _TARGET_KINDS[spec.kind]
    for node, source in zip(program.graph.placeholders, program.graph_signature.input_specs, strict=True):
        if source.kind is kind and spec.target == (source.arg.name if kind is InputKind.USER_INPUT else source.target):
            return node
    return None


@row
def aliases(program: ExportedProgram) -> Iterator[Finding]:
    """A user output, or new array of the state, that shares memory with a mutated input says so, and is the new value or a view of it."""
    output, specs = program.graph.output_node, program.graph_signature.output_specs
    pairs = list(zip(output.args[0], specs, strict=True))
    written = {mutated_placeholder(program, spec): value for value, spec in pairs if spec.kind in MUTATIONS and not spec.rebinds}
    by_name = {node.name: node for node in program.graph.placeholders}
    for value, spec in pairs:
        if (spec.kind in MUTATIONS and not spec.rebinds) or not isinstance(value, Node):
            continue
        base = _view_base(value, set(written.values()))
        if spec.alias is not None:
            target = by_name.get(spec.alias)
            if target not in written:
                yield output, f"output {value} is said to share memory with {spec.alias!r}, which is not written to"
            elif base is not written[target]:
                yield output, f"output {value} is said to share memory with {spec.alias}, but is no view of {written[target]}"
        elif base in written and base is not value and not _is_scalar(value):
            yield output, f"output {value} is a view of {base}, which the program writes to, and names no alias"


def _view_base(node: Node, stop: set[Any]) -> Node:
    while node.op == CALL and node not in stop and is_view(node) and isinstance(node.args[0], Node):
        node = node.args[0]
    return node


def _is_scalar(node: Node) -> bool:
    value = node.meta["val"]
    return not isinstance(value, TensorMeta) or value.scalar
