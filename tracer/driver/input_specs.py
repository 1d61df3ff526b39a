"""The inputs in the signature: those of the caller, and the state and constants that were lifted
into inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from npexport.ir import random_states
from npexport.ir.aliasing import may_alias
from npexport.ir.argument_specs import (
    ArgumentSpec,
    ConstantArgument,
    CustomObjArgument,
    SymBoolArgument,
    SymFloatArgument,
    SymIntArgument,
    TensorArgument,
)
from npexport.ir.graph import Node
from npexport.ir.signature import ExportGraphSignature, InputKind, InputSpec, OutputSpec
from npexport.runtime.entry.checks import address
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.arrays.memory.model import Kind
from npexport.tracer.driver.trace import Trace
from npexport.tracer.effects.checkpoints import Mutation
from npexport.tracer.effects.state import Role

NUMBER_ARGUMENTS: dict[type, Callable[[str], ArgumentSpec]] = {SymInt: SymIntArgument, SymFloat: SymFloatArgument, SymBool: SymBoolArgument}
"""The argument that stands for a Python number that depends on sizes."""


def lifted_specs(trace: Trace, order: list[Any], roles: dict[Any, Role], mutations: list[Mutation]) -> Iterator[InputSpec]:
    """The specs of lifted inputs. State that shares memory is marked if that is visible: the
    program writes to it, or returns it, or users load another.
    """
    storages = may_alias(trace.graph)
    visible = set().union(*(storages[node] for node in trace.graph.output_node.all_input_nodes))
    overlapping: dict[Any, list[Any]] = {
        p: [o for o in trace.recorder.overlaps.of(p) if o.node is not None and o.kind is p.kind is Kind.STATE] for p in order
    }
    queue = [*{m.placeholder for m in mutations} & overlapping.keys(), *(p for p in order if roles[p].loadable or p.node in visible)]
    changing = set(queue)
    while queue:
        found = [p for p in overlapping[queue.pop()] if p not in changing]
        changing.update(found)
        queue += found
    earlier: dict[Any, int] = {}
    for index, placeholder in enumerate(order):
        related = overlapping[placeholder] if placeholder in changing else []
        before: list[Any] = sorted({p for p in related if p in earlier}, key=earlier.__getitem__)
        earlier[placeholder] = index
        role = roles[placeholder]
        yield InputSpec(
            role.kind,
            _lifted_argument(placeholder),
            role.target,
            role.persistent,
            layout=placeholder.array.strides if related or placeholder in trace.recorder.layouts.conditions else None,
            overlaps=tuple([(p.node.name, address(placeholder.array) - address(p.array)) for p in before]),
            names=role.names,
            literal=placeholder.kind is Kind.LITERAL,
            listed=placeholder.storage in trace.listed,
        )


def _lifted_argument(placeholder: Any) -> ArgumentSpec:
    name = placeholder.node.name
    return TensorArgument(name) if placeholder.generator is None else _generator(name, placeholder.generator)


def _generator(name: str, state: str) -> CustomObjArgument:
    return CustomObjArgument(name, random_states.class_name(state), state)


def input_spec(trace: Trace, leaf: Any) -> InputSpec:
    arg: ArgumentSpec
    if leaf.generator is not None:
        return InputSpec(InputKind.USER_INPUT, _generator(leaf.node.name, leaf.generator), None)
    if type(leaf.stand_in) in (ArrayProxy, ScalarProxy):
        arg = TensorArgument(leaf.node.name)
    elif type(leaf.stand_in) in NUMBER_ARGUMENTS:
        arg = NUMBER_ARGUMENTS[type(leaf.stand_in)](leaf.node.name)
    else:
        arg = ConstantArgument(leaf.node.name, leaf.value)
    placeholder = leaf.placeholder
    if placeholder is None:
        return InputSpec(InputKind.USER_INPUT, arg, None)
    condition = trace.recorder.layouts.conditions.get(placeholder)
    return InputSpec(
        InputKind.USER_INPUT,
        arg,
        None,
        same_as=placeholder.same_as.node.name if placeholder.same_as is not None else None,
        layout=condition.order if condition is not None else None,
        distinct_from=tuple([other.node.name for other in placeholder.distinct_from]),
        overlaps=tuple([(other.node.name, offset) for other, offset in placeholder.overlaps.items()]),
        owns=placeholder.owns,
        writeable=placeholder.writeable,
        reshaped=placeholder.reshaped,
        frozen=placeholder.frozen,
        listed=placeholder.storage in trace.listed,
    )


def keep_apart(trace: Trace, signature: ExportGraphSignature, mutations: list[tuple[Node, OutputSpec]]) -> None:
    """Require arrays that the caller passes, or that the state has from the caller, to differ from
    arrays of the state if the order of reads and writes would show it, or the program asks. (Among
    user inputs every overlap with a written one is checked.)
    """
    specs = {spec.arg.name: spec for spec in signature.input_specs}
    order = {name: index for index, name in enumerate(specs)}
    lifted = {spec.target: name for name, spec in specs.items() if spec.kind is not InputKind.USER_INPUT}
    storages = may_alias(trace.graph, signature)
    given = {node for node in trace.graph.placeholders if specs[node.name].kind is InputKind.USER_INPUT}
    state = {node.name: node for node in trace.graph.placeholders if node not in given}
    moves = [(state[lifted[spec.target]], node) for node, spec in mutations if spec.rebinds and spec.target in lifted]
    for _ in moves:  # an array may go from place to place
        given.update(place for place, node in moves if storages[node] & given)
    inside = set(state.values())
    from_state, from_callers = [trace.recorder.overlaps.apart_from(nodes) for nodes in (inside, given)]
    for placeholder in [p for p in trace.recorder.placeholders if p.generator is None]:  # no caller's array is a generator's state
        for other in (from_callers if placeholder.node in inside else from_state)(placeholder):
            pair = sorted(map(trace.recorder.use, (placeholder, other)), key=lambda node: order[node.name])
            kinds = {specs[node.name].kind is InputKind.USER_INPUT for node in pair}
            apart = (pair[0].name, None)
            if (kinds == {True, False} or (kinds == {False} and given.issuperset(pair))) and apart not in specs[pair[1].name].overlaps:
                specs[pair[1].name].overlaps += (apart,)
