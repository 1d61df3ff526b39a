"""The laws of an exported program beside those of every graph, one row per law: a function that
yields ``(node or None, what is wrong)``.

``verify`` checks them in order and raises at the first violation, showing the lines of the graph
around the bad node.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from npexport.ir import random_states, state_lists
from npexport.ir.aliasing import ends_of, is_plain_scalar, leads_to
from npexport.ir.argument_specs import (
    ConstantArgument,
    CustomObjArgument,
    SymBoolArgument,
    SymFloatArgument,
    SymIntArgument,
    TensorArgument,
)
from npexport.ir.call_spec import unbound
from npexport.ir.checkpoints import is_checkpoint
from npexport.ir.containers import OneOf
from npexport.ir.dicts_of_some import DictOfSome, count_of, truths_of
from npexport.ir.edited import Form, form_of, same
from npexport.ir.identities import contradictions, specs_of
from npexport.ir.laws import OF_EVERY_GRAPH, Finding, Part, hold, is_array, parts_of, same_value
from npexport.ir.list_of_rows import ListOfRows, lengths_in, numbers_in
from npexport.ir.meta import TensorMeta
from npexport.ir.module_calls import fences
from npexport.ir.node import Node, value_of
from npexport.ir.owned import literals
from npexport.ir.printing import value_text
from npexport.ir.protocols import Program
from npexport.ir.pytree import TreeSpec
from npexport.ir.signature import MUTATIONS, ExportGraphSignature, InputKind, OutputKind
from npexport.ir.weights import checked
from npexport.symshapes.env import known
from npexport.symshapes.errors import UserError
from npexport.symshapes.parameters import Kind, takes
from npexport.symshapes.symint import python_type

Row = Callable[[Program], Iterator[Finding]]
ROWS: list[Row] = []
_SYMBOLIC_ARGUMENTS = (SymIntArgument, SymFloatArgument, SymBoolArgument)


def row(check: Row) -> Row:
    """Add a law to the table."""
    ROWS.append(check)
    return check


_PROGRAM = Kind(lambda value: isinstance(getattr(value, "graph_signature", None), ExportGraphSignature), "an ExportedProgram")


@takes(program=_PROGRAM)
def verify(program: Program) -> None:
    """Hold a program against every law. Raises ``InternalError`` (E902)."""
    whole, *parts = parts_of(Part(program.graph))
    for check in OF_EVERY_GRAPH:
        hold(check, whole)
    for check in ROWS:
        hold(check, program)
    for part in parts:
        for check in OF_EVERY_GRAPH:
            hold(check, part)
    program.held = _form(program)


def require_valid(program: Program) -> None:
    """Hold a program against every law if it was edited since that was last done: what runs,
    writes or rewrites it comes here first, so that a broken law is named.

    Raises ``InternalError`` (E902), and ``UserError`` (E241) for arrays that do not fit.
    """
    held, now = program.held, _form(program)
    if same(held.arrays, now.arrays) and same(held.parts, now.parts):
        return
    program.graph.refresh()
    _require_arrays(program)
    program.validate()


def _form(program: Program) -> Form:
    arrays = (*program.state_dict.values(), *program.constants.values())
    return form_of(program.graph, program.graph_signature, arrays, (program.call_spec, *program.guards))


def _require_arrays(program: Program) -> None:
    for node, spec in zip(program.graph.placeholders, program.graph_signature.input_specs, strict=False):
        if spec.kind in (InputKind.USER_INPUT, InputKind.TOKEN) or "val" not in node.meta:
            continue
        try:
            checked(node, spec, program.lifted(spec))
        except KeyError:
            raise UserError("E241", f"the program holds no {spec.kind.name} {spec.target!r}") from None


@row
def inputs(program: Program) -> Iterator[Finding]:
    """Placeholders are the input specs, in order, each of the kind that its spec says; lifted ones
    come first.
    """
    placeholders, specs = program.graph.placeholders, program.graph_signature.input_specs
    if [node.name for node in placeholders] != [spec.arg.name for spec in specs]:
        yield None, f"the graph has the inputs {[n.name for n in placeholders]}, the signature {[s.arg.name for s in specs]}"
        return
    earlier: set[str] = set()
    laid_out: set[str] = set()
    users: set[str] = set()
    user = False
    for node, spec in zip(placeholders, specs, strict=True):
        user = user or spec.kind is InputKind.USER_INPUT
        if user and spec.kind is not InputKind.USER_INPUT:
            yield node, f"the lifted input {node.name} comes after a user input"
        if not _matches(spec.arg, node.meta["val"]) or (
            isinstance(spec.arg, _SYMBOLIC_ARGUMENTS) and not hasattr(node.meta["val"], "expression")
        ):
            yield node, f"{node.name} is declared {value_text(node.meta['val'])}, its spec says {spec.arg}"
        for other in spec.compared:
            if other not in earlier:
                yield node, f"{node.name} is compared with {other}, which is not an earlier array"
        tied = {*spec.compared} - {name for name, offset in spec.overlaps if offset is None}
        if user and not tied <= users:
            yield node, f"{node.name} is said to be, or to lie beside, {sorted(tied - users)}, which callers do not pass"
        yield from _layouts(node, spec)
        users |= {node.name} if user else set()
        laid_out |= {node.name} if isinstance(spec.layout, tuple) else set()
        if not user and any(offset is not None and not laid_out.issuperset((name, node.name)) for name, offset in spec.overlaps):
            yield node, f"the state {node.name} lies in the memory of other state, and does not say how"
        earlier |= {node.name} if is_array(node.meta["val"]) else set()
    leaves = sum(spec.kind is InputKind.USER_INPUT for spec in specs)
    if program.call_spec.in_spec.num_leaves != leaves:
        yield None, f"the calling convention has {program.call_spec.in_spec.num_leaves} leaves, the signature {leaves} user inputs"


def _layouts(node: Node, spec: Any) -> Iterator[Finding]:
    meta = node.meta["val"]
    about_memory = spec.layout is not None or spec.compared or spec.owns or spec.writeable is not None
    if (about_memory or spec.reshaped is not None or spec.frozen) and not is_array(meta):
        yield node, f"{node.name} is not an array, and its spec says how it lies in memory"
    elif spec.reshaped is not None and (min(spec.reshaped, default=0) < 0 or math.prod(spec.reshaped) != math.prod(meta.shape)):
        yield node, f"{node.name} has the shape {meta.shape}, which does not become {spec.reshaped}"
    elif isinstance(spec.layout, tuple) and len(spec.layout) != len(meta.shape):
        yield node, f"{node.name} has {len(meta.shape)} axes, its spec {len(spec.layout)} strides"


def _matches(arg: Any, value: Any) -> bool:
    if isinstance(arg, ConstantArgument):
        return type(arg.value) is type(value) and repr(arg.value) == repr(value)
    if isinstance(arg, TensorArgument):
        return isinstance(value, TensorMeta)
    if isinstance(arg, CustomObjArgument):
        words = random_states.WORDS.get(arg.fake_val)
        return (
            words is not None
            and arg.class_fqn == random_states.class_name(arg.fake_val)
            and value == TensorMeta((words,), np.dtype(np.uint64))
        )
    return not isinstance(arg, _SYMBOLIC_ARGUMENTS) or hasattr(value, "expression") or isinstance(value, (int, float))


@row
def calling_convention(program: Program) -> Iterator[Finding]:
    """The example call fits the parameters."""
    problem = unbound(program.call_spec.parameters, program.call_spec.in_spec)
    if problem is not None:
        yield None, f"the example call does not fit the parameters: {problem}"


@row
def state(program: Program) -> Iterator[Finding]:
    """The program holds an array of the right shape and dtype for every lifted input."""
    for node, spec in zip(program.graph.placeholders, program.graph_signature.input_specs, strict=True):
        if spec.kind is InputKind.USER_INPUT:
            continue
        try:
            array = program.lifted(spec)
        except KeyError:
            yield node, f"the program holds no {spec.kind.name} {spec.target!r}"
            continue
        if spec.kind is InputKind.TOKEN:
            continue
        meta = node.meta["val"]
        if not state_lists.holds(meta, array):
            yield node, f"{spec.target!r} is {np.asarray(array).dtype}{np.shape(array)}, the graph takes {meta}"
        for name in spec.names:
            other = program.state_dict.get(name, array)
            if not state_lists.holds(meta, other):
                yield node, f"{name!r} is not the array of {spec.target!r}"
        if isinstance(spec.arg, CustomObjArgument):
            wrong = random_states.problem(str(spec.arg.fake_val), array)
            if wrong is not None:
                yield node, f"{spec.target!r}: {wrong}"


@row
def nothing_else(program: Program) -> Iterator[Finding]:
    """Every array that the program holds is an input of the graph."""
    specs = program.graph_signature.input_specs
    known_as = {name for spec in specs if spec.kind is not InputKind.USER_INPUT for name in (spec.target, *spec.names)}
    for held, kind in ((program.state_dict, "state"), (program.constants, "constant")):
        for name in held:
            if name not in known_as:
                yield None, f"the {kind} {name!r} is not an input of the graph"


@row
def outputs(program: Program) -> Iterator[Finding]:
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
        return
    yield from _columns(node, program.call_spec.out_spec, results[len(results) - leaves :])
    yield from _choices(node, program.call_spec.out_spec, results[len(results) - leaves :])


def _columns(node: Node, out_spec: TreeSpec, leaves: Sequence[Any]) -> Iterator[Finding]:
    """Lists whose length is not known are made of arrays of one length."""
    for spec, first in specs_of(out_spec):
        if spec.type is not ListOfRows:
            continue
        kinds, columns, lengths = numbers_in(spec.context), leaves[first : first + spec.num_leaves], dict[int, list[Any]]()
        if len(kinds) != len(columns):
            yield node, f"a list of {len(kinds)} numbers in each item has {len(columns)} columns"
            continue
        for kind, leaf, number in zip(kinds, columns, lengths_in(spec.context), strict=True):
            meta = value_of(leaf)
            axes = meta.ndim if isinstance(meta, TensorMeta) else 0
            if axes < 1 or (axes > 1 and kind != "array") or (kind == "number" and meta.dtype not in (bool, int, float)):
                yield node, f"{value_text(meta)} is not a column of a list"
            else:
                lengths.setdefault(number, []).append(meta.shape[0])
        if any(known(length == same[0]) is not True for same in lengths.values() for length in same):
            yield node, "the columns of a list differ in length"


def _choices(node: Node, out_spec: TreeSpec, leaves: Sequence[Any]) -> Iterator[Finding]:
    """Which of several values one is, and which keys a dict has, truths say."""
    for spec, first in specs_of(out_spec):
        count = len(spec.children)
        if spec.type not in (OneOf, DictOfSome):
            continue
        one_of = spec.type is OneOf
        what = "which of several values one is" if one_of else "whether a dict has a key"
        truths = list(range(count // 2)) if one_of else truths_of(spec.context)
        fits = count >= 3 and count % 2 == 1 if one_of else count == count_of(spec.context)
        if not fits or any(not spec.children[place].is_leaf for place in truths):
            yield node, f"one of several values has {count} children" if one_of else f"a dict of some keys has {count} children"
            continue
        firsts = [first + sum(child.num_leaves for child in spec.children[:place]) for place in truths]
        for leaf in [leaves[place] for place in firsts]:
            meta = value_of(leaf)
            if python_type(meta) is not bool:
                yield node, f"{value_text(meta)} is not a truth that says {what}"


@row
def mutation_targets(program: Program) -> Iterator[Finding]:
    """Every mutation names an input of the right kind, once for its elements and once for its
    place, and fits its shape and dtype; or it is state without a first value, an array under a path
    that no input has."""
    output, written = program.graph.output_node, mutable_placeholders(program)
    targets: set[tuple[OutputKind, str | None, bool]] = set()
    for value, spec in zip(output.args[0], program.graph_signature.output_specs, strict=True):
        if spec.kind not in MUTATIONS:
            continue
        target = written.get((spec.kind, spec.target))
        if target is None and not without_first_value(program, spec):
            yield output, f"{spec.kind.name} names {spec.target!r}, which is no such input"
        elif (spec.kind, spec.target, spec.rebinds) in targets:
            yield output, f"{spec.target!r} is mutated twice"
        elif not isinstance(value, Node) or not _takes(program, spec, value, target):
            declared = "no input" if target is None else value_text(target.meta["val"])
            yield output, f"{spec.target!r} is {declared} and is given {value}"
        targets.add((spec.kind, spec.target, spec.rebinds))


def without_first_value(program: Program, spec: Any) -> bool:
    """Whether a mutation is of state that no call reads."""
    taken = {source.target for source in program.graph_signature.input_specs}
    return spec.kind is OutputKind.BUFFER_MUTATION and spec.rebinds and spec.target not in taken


def _takes(program: Program, spec: Any, value: Node, target: Node | None) -> bool:
    if target is None:
        return without_first_value(program, spec) and isinstance(value.meta["val"], TensorMeta)
    declared, new = target.meta["val"], value.meta["val"]
    if not isinstance(new, TensorMeta):
        return False
    if spec.rebinds and len(new.shape) == len(declared.shape):
        free = state_lists.open_sizes(declared)
        shape = [new.shape[axis] if axis in free else size for axis, size in enumerate(declared.shape)]
        declared = declared.with_(shape=tuple(shape))
    return same_value(declared.with_(scalar=new.scalar), new)


_TARGET_KINDS: Mapping[OutputKind, tuple[InputKind, ...]] = {
    OutputKind.BUFFER_MUTATION: (InputKind.BUFFER, InputKind.CUSTOM_OBJ),
    OutputKind.PARAMETER_MUTATION: (InputKind.PARAMETER,),
    OutputKind.USER_INPUT_MUTATION: (InputKind.USER_INPUT,),
}


def mutable_placeholders(program: Program) -> dict[tuple[OutputKind, str | None], Node]:
    """The placeholders that mutation outputs may write to, by the kind of these and what they
    name.
    """
    found: dict[tuple[OutputKind, str | None], Node] = {}
    for node, source in zip(program.graph.placeholders, program.graph_signature.input_specs, strict=True):
        for kind, kinds in _TARGET_KINDS.items():
            if source.kind in kinds:
                found.setdefault((kind, source.arg.name if source.kind is InputKind.USER_INPUT else source.target), node)
    return found


@row
def checkpoints(program: Program) -> Iterator[Finding]:
    """A checkpoint has for every mutation what is written there, or nothing."""
    specs, written = [spec for spec in program.graph_signature.output_specs if spec.kind in MUTATIONS], mutable_placeholders(program)
    targets = [(spec, written.get((spec.kind, spec.target))) for spec in specs]
    for graph in program.graph.all_graphs():
        for node in filter(is_checkpoint, graph.nodes):
            place = node if graph is program.graph else None
            yield from ((place, f"{node.name}: {text}") for text in _misfits(program, targets, *node.args, **node.kwargs))


def _misfits(program: Program, targets: list[tuple[Any, Any]], values: Any, *others: Any, **named: Any) -> Iterator[str]:
    """What is wrong with the arguments of a checkpoint."""
    if others or named:
        yield "it says more than values, as only compiled programs do"
    if not isinstance(values, (tuple, list)) or len(values) != len(targets):
        yield f"it has the values {values!r}, the signature {len(targets)} mutations"
        return
    for value, (spec, target) in zip(values, targets, strict=True):
        if value is not None and not (isinstance(value, Node) and _takes(program, spec, value, target)):
            yield f"{spec.target!r} does not take {value!r}"


@row
def aliases(program: Program) -> Iterator[Finding]:
    """A user output, or new array of the state, that shares memory with a mutated input says so,
    and is the new value or a view of it.
    """
    output, specs = program.graph.output_node, program.graph_signature.output_specs
    pairs = list(zip(output.args[0], specs, strict=True))
    places = mutable_placeholders(program)
    written = {places.get((spec.kind, spec.target)): value for value, spec in pairs if spec.kind in MUTATIONS and not spec.rebinds}
    by_name = {node.name: node for node in program.graph.placeholders}
    finals = set(written.values())
    for value, spec in pairs:
        if (spec.kind in MUTATIONS and not spec.rebinds) or not isinstance(value, Node):
            continue
        bases = leads_to(value, finals)
        for name in spec.aliases:
            target = by_name.get(name)
            if target not in written:
                yield output, f"output {value} is said to share memory with {name!r}, which is not written to"
            elif written[target] not in bases:
                yield output, f"output {value} is said to share memory with {name}, but is not a view of {written[target]}"
        for base in [base for end in ends_of(value, finals) for base in leads_to(end, written)]:
            if base is not value and not is_plain_scalar(value):
                yield output, f"output {value} is a view of {base}, which the program writes to, and names no alias"


row(literals)
row(state_lists.states)


@row
def module_calls(program: Program) -> Iterator[Finding]:
    """Every signature of a sub-module that is preserved is that of one call in the graph."""
    yield from fences(program.graph, program.module_call_graph[1:])


@row
def identities(program: Program) -> Iterator[Finding]:
    """Containers of the result that are one object, or the caller's, are alike and hold the same
    values.
    """
    spec, results, inputs = program.call_spec, program.graph.output_node.args[0], program.graph.placeholders
    leaves = results[len(results) - spec.out_spec.num_leaves :], inputs[len(inputs) - spec.in_spec.num_leaves :]
    aliases = [output.aliases for output in program.graph_signature.output_specs][len(results) - spec.out_spec.num_leaves :]
    for problem in contradictions(spec.identities, spec.out_spec, spec.in_spec, *leaves, aliases):
        yield program.graph.output_node, problem
