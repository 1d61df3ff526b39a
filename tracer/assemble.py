"""From a finished run to the program: outputs, mutations, signature, order and names of the placeholders."""

from __future__ import annotations

import contextlib
import functools
import operator
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from npexport.ir.aliasing import storages_of
from npexport.ir.graph import CALL, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.passes import dead_code, simplify, skip_overwritten
from npexport.ir.program import CallSpec, ExportedProgram
from npexport.ir.pytree import TreeSpec, tree_flatten
from npexport.ir.signature import (
    ArgumentSpec,
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    SymBoolArgument,
    SymFloatArgument,
    SymIntArgument,
    TensorArgument,
)
from npexport.runtime.checks import address
from npexport.symshapes.errors import ExportError, Unsupported, blamed
from npexport.symshapes.rewrite import substitute
from npexport.symshapes.solver import Solution, solve
from npexport.symshapes.symint import SymBool, SymFloat, SymInt, wrap_bool, wrap_float, wrap_int
from npexport.tracer.arrays.lifting import Kind
from npexport.tracer.arrays.outputs import Outputs
from npexport.tracer.arrays.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.effects.difference import Watch, Write
from npexport.tracer.effects.outcome import Mutation, outcome, problem
from npexport.tracer.effects.state import Role
from npexport.tracer.inputs import CONSTANTS
from npexport.tracer.interpreter.vm import VM
from npexport.tracer.models.identity import Identity, refuse
from npexport.tracer.trace import Trace, UserException

_ORDER = [InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR]
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{4,}>")
"""What ``object.__repr__`` says."""
_SYMBOLIC: dict[type, Callable[[str], ArgumentSpec]] = {SymInt: SymIntArgument, SymFloat: SymFloatArgument, SymBool: SymBoolArgument}
_MUTATIONS = {InputKind.PARAMETER: OutputKind.PARAMETER_MUTATION, InputKind.BUFFER: OutputKind.BUFFER_MUTATION}


def assemble(trace: Trace, result: Any, *, prefer_deferred: bool = False) -> ExportedProgram:
    """The program of a run that gave ``result``. Raises ``Unsupported`` for effects and outputs that no program has."""
    try:
        return _assembled(trace, result, prefer_deferred)
    except ExportError as error:
        raise _located(trace, error) from error.__cause__


def _assembled(trace: Trace, result: Any, prefer_deferred: bool) -> ExportedProgram:
    values, out_spec = tree_flatten(result)
    nodes = Outputs(trace.recorder, values)
    outputs = [_output(trace, nodes, value, path) for value, path in zip(values, out_spec.paths("result"), strict=True)]
    effects = outcome(trace)
    if effects.writes:
        raise _writes_error(trace, effects.writes)
    lifted = [p for p in trace.recorder.placeholders if p.kind is not Kind.INPUT]
    roles = dict(zip(lifted, trace.state.roles(trace.world.shadows, lifted, {m.placeholder for m in effects.mutations}), strict=True))
    order = sorted(lifted, key=lambda p: (_ORDER.index(roles[p].kind), trace.state.order.get(id(p.array), len(lifted) + lifted.index(p))))
    for placeholder in order:
        _rename(trace, trace.recorder.use(placeholder), roles[placeholder])
    written = {mutation.placeholder for mutation in effects.mutations if not mutation.rebinds}
    values_written = [nodes.named(m.array) if m.rebinds else nodes.whole(m.placeholder.storage) for m in effects.mutations]
    mutations = [(node, _mutation_spec(m, node, roles, written)) for m, node in zip(effects.mutations, values_written, strict=True)]
    mutations.sort(key=lambda pair: pair[1].kind is OutputKind.USER_INPUT_MUTATION)
    trace.graph.output((*(node for node, _ in mutations), *(value for value, _ in outputs)))
    signature = ExportGraphSignature(
        [*_lifted_specs(trace, order, roles, effects.mutations), *(_input_spec(trace, leaf) for leaf in trace.leaves)],
        [
            *(spec for _, spec in mutations),
            *(_output_spec(value, arg, proxy, written) for (value, arg), proxy in zip(outputs, values, strict=True)),
        ],
    )
    _keep_apart(trace, signature, mutations)
    _arrange(trace, [trace.recorder.use(p) for p in order])
    return _program(trace, signature, order, roles, out_spec, prefer_deferred, {m.placeholder for m in effects.mutations})


def _program(
    trace: Trace,
    signature: ExportGraphSignature,
    order: list[Any],
    roles: dict[Any, Role],
    out_spec: TreeSpec,
    prefer_deferred: bool,
    written: set[Any],
) -> ExportedProgram:
    """Arrays that the program writes to are copied: running ``f`` itself must not move the program's state."""
    loadable: dict[int, tuple[str, Any]] = {}
    constants: dict[str, Any] = {}
    for placeholder in order:
        role, array = roles[placeholder], placeholder.array.copy(order="K") if placeholder in written else placeholder.array
        if role.loadable:
            loadable[id(placeholder.array)] = role.target, array
        else:
            constants[role.target] = array
    solution = solve(trace.env, trace.bindings, defer=prefer_deferred)
    if solution.replacements:
        _substitute(trace, solution.replacements)
    trace.env.close()
    trace.world.record_contents()
    program = ExportedProgram(
        graph=trace.graph,
        signature=signature,
        state_dict=trace.state.state_dict(loadable),
        constants=constants,
        call_spec=CallSpec(trace.inputs.spec, out_spec, trace.inputs.parameters),
        range_constraints=_present(trace, solution),
        guards=solution.guards,
        example_inputs=(trace.inputs.args, trace.inputs.kwargs),
        report=trace.report,
    )
    if trace.env.symbols.keys() - trace.env.hints.keys():  # what a guard looked at that was proved since
        dead_code(program)
    simplify(program, frozenset(roles[p].target for p in order if p.kind is Kind.STATE))
    program.validate()
    return program


def _present(trace: Trace, solution: Solution) -> dict[Any, Any]:
    """The ranges without those of sizes that only the data know and that nothing in the program has any more."""
    if all(size.symbols <= trace.env.hints.keys() for size in solution.range_constraints):
        return dict(solution.range_constraints)
    found = {name for guard in solution.guards for name in guard.truth.symbols}
    for node in trace.graph:
        result = node.meta.get("val")
        for value in result if isinstance(result, (tuple, list)) else (result,):
            sizes = value.shape if isinstance(value, TensorMeta) else (value,)
            found.update(name for size in sizes if type(size) in _SYMBOLIC for name in size.expr.symbols)
    return {size: interval for size, interval in solution.range_constraints.items() if size.symbols <= found | trace.env.hints.keys()}


_WRAPPED: dict[type, Callable[..., Any]] = {SymInt: wrap_int, SymBool: wrap_bool, SymFloat: wrap_float}


def _substitute(trace: Trace, replacements: Any) -> None:
    """Sizes that turned out to equal others are written as those."""
    found: dict[Any, Any] = {}

    def simpler(value: Any) -> Any:
        if type(value) in _SYMBOLIC:
            if value.expr not in found:
                unchanged = replacements.keys().isdisjoint(value.expr.symbols)
                found[value.expr] = value if unchanged else _WRAPPED[type(value)](substitute(value.expr, replacements), trace.env)
            return found[value.expr]
        if isinstance(value, TensorMeta):
            shape = tuple([size if type(size) is int else simpler(size) for size in value.shape])
            return value if all(map(operator.is_, shape, value.shape)) else value.with_(shape=shape)
        if isinstance(value, (tuple, list)):
            return type(value)([simpler(item) for item in value]) if not hasattr(value, "_fields") else type(value)(*map(simpler, value))
        return value

    unbacked = replacements.keys() - trace.env.hints.keys()
    kept = {node for node, _ in trace.graph.showing(unbacked).values()}  # guards look there at what the symbols are
    for node in trace.graph:
        if "val" in node.meta and node not in kept:
            node.meta["val"] = simpler(node.meta["val"])


def output_problems(trace: Trace, result: Any, unknown: type) -> Iterator[ExportError]:
    """What leaves of a result cannot be given back; those of the type ``unknown`` are passed over."""
    values, out_spec = tree_flatten(result)
    known = [(value, path) for value, path in zip(values, out_spec.paths("result"), strict=True) if type(value) is not unknown]
    nodes = Outputs(trace.recorder, [value for value, _ in known])
    for value, path in known:
        try:
            _output(trace, nodes, value, path)
        except ExportError as error:
            yield _located(trace, error)


def _located(trace: Trace, error: ExportError) -> ExportError:
    """The error; what has no place of its own concerns the result."""
    if error.location is None and not error.user_stack:
        error.user_stack = trace.definition()
        error.location = blamed(error.user_stack)
    return error


def _output(trace: Trace, nodes: Outputs, value: Any, path: str) -> tuple[Any, ArgumentSpec]:
    """What stands in the output node for a leaf of the result, and its argument in the signature."""
    kind = type(value)
    if kind is ArrayProxy or kind is ScalarProxy:
        node = nodes.node(value)
        return node, TensorArgument(node.name)
    if kind in _SYMBOLIC:
        node = trace.recorder.sizes.node(value)
        return (node, _SYMBOLIC[kind](node.name)) if isinstance(node, Node) else (node, ConstantArgument("", node))
    if kind is Identity or (kind is str and _ADDRESS.search(value)):
        refuse(f"the output {path}")
    if kind in CONSTANTS or isinstance(value, np.generic):
        return value, ConstantArgument("", value)
    if isinstance(value, np.ndarray):
        node = trace.recorder.constant(value)
        return node, TensorArgument(node.name)
    raise Unsupported(
        "E115",
        f"{path} is of type {trace.world.type_of(value).__qualname__}, which a program cannot give back",
    )


def _output_spec(value: Any, arg: ArgumentSpec, proxy: Any, written: set[Any]) -> OutputSpec:
    if isinstance(value, Node):
        arg = type(arg)(value.name)  # type: ignore[call-arg]
    return OutputSpec(OutputKind.USER_OUTPUT, arg, None, alias=_alias(proxy, written))


def _alias(proxy: Any, written: set[Any]) -> str | None:
    """The written outside array whose memory this is."""
    outside = proxy.storage.outside if type(proxy) is ArrayProxy else None
    return outside.node.name if outside is not None and outside in written else None


def _mutation_spec(mutation: Mutation, node: Node, roles: dict[Any, Role], written: set[Any]) -> OutputSpec:
    arg = TensorArgument(node.name)
    role = roles.get(mutation.placeholder)
    if role is None:
        return OutputSpec(OutputKind.USER_INPUT_MUTATION, arg, mutation.placeholder.node.name)
    return OutputSpec(_MUTATIONS[role.kind], arg, role.target, alias=_alias(mutation.array, written), rebinds=mutation.rebinds)


def _lifted_specs(trace: Trace, order: list[Any], roles: dict[Any, Role], mutations: list[Mutation]) -> Iterator[InputSpec]:
    """State that shares memory says so where it can be seen: the program writes to it, or hands it out, or users load another."""
    storages = storages_of(trace.graph)
    visible = set().union(*(storages[node] for node in trace.graph.output_node.all_input_nodes))
    overlapping = {p: [o for o in trace.recorder.overlaps.of(p) if o.node is not None and o.kind is p.kind is Kind.STATE] for p in order}
    queue = [*{m.placeholder for m in mutations} & overlapping.keys(), *(p for p in order if roles[p].loadable or p.node in visible)]
    changing = set(queue)
    while queue:
        found = [p for p in overlapping[queue.pop()] if p not in changing]
        changing.update(found)
        queue += found
    for index, placeholder in enumerate(order):
        related = overlapping[placeholder] if placeholder in changing else []
        role = roles[placeholder]
        yield InputSpec(
            role.kind,
            TensorArgument(placeholder.node.name),
            role.target,
            role.persistent,
            layout=placeholder.array.strides if related or placeholder in trace.recorder.layouts.conditions else None,
            overlaps=tuple([(p.node.name, address(placeholder.array) - address(p.array)) for p in order[:index] if p in related]),
            names=role.names,
        )


def _input_spec(trace: Trace, leaf: Any) -> InputSpec:
    arg: ArgumentSpec
    if type(leaf.stand_in) in (ArrayProxy, ScalarProxy):
        arg = TensorArgument(leaf.node.name)
    elif type(leaf.stand_in) in _SYMBOLIC:
        arg = _SYMBOLIC[type(leaf.stand_in)](leaf.node.name)
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
    )


def _keep_apart(trace: Trace, signature: ExportGraphSignature, mutations: list[tuple[Node, OutputSpec]]) -> None:
    """Arrays that the caller passes, or that the state has from the caller, may be arrays of the state: not where the order of reads and
    writes would show it. (Among user inputs every overlap with a written one is looked at.)"""
    specs = {spec.arg.name: spec for spec in signature.input_specs}
    order = {name: index for index, name in enumerate(specs)}
    lifted = {spec.target: name for name, spec in specs.items() if spec.kind is not InputKind.USER_INPUT}
    storages = storages_of(trace.graph, signature)
    given = {node for node in trace.graph.placeholders if specs[node.name].kind is InputKind.USER_INPUT}
    moves = [(next(n for n in trace.graph.placeholders if n.name == lifted[spec.target]), node) for node, spec in mutations if spec.rebinds]
    for _ in moves:  # an array may go from place to place
        given.update(place for place, node in moves if storages[node] & given)
    for placeholder in trace.recorder.placeholders:
        for other in trace.recorder.overlaps.order_matters(placeholder):
            pair = sorted(map(trace.recorder.use, (placeholder, other)), key=lambda node: order[node.name])
            kinds = {specs[node.name].kind is InputKind.USER_INPUT for node in pair}
            apart = (pair[0].name, None)
            if (kinds == {True, False} or (kinds == {False} and given.issuperset(pair))) and apart not in specs[pair[1].name].overlaps:
                specs[pair[1].name].overlaps += (apart,)


def _rename(trace: Trace, node: Node, role: Role) -> None:
    if node.name != role.name:
        node.name = trace.graph.fresh_name(role.name)
        node.target = node.name


def _arrange(trace: Trace, lifted: list[Node]) -> None:
    """Placeholders first, in the order of the signature; then the calls that are not dead."""
    graph = trace.graph
    asked = {symbol for guard in trace.env.guards for symbol in guard.truth.symbols} - trace.env.hints.keys()
    skip_overwritten(graph, asked)
    needed = graph.needed(asked)
    calls = [node for node in graph.nodes if node.op == CALL and node in needed]
    graph.nodes[:] = [*lifted, *(leaf.node for leaf in trace.leaves if leaf.node is not None), *calls, graph.output_node]


def _writes_error(trace: Trace, writes: list[Write]) -> Exception:
    """The error that names the first write and its line: a second run, which goes the same way, watches for it."""
    stacks = watch(trace, writes)
    errors = [problem(write, write.stack or stacks.get(write.path, ())) for write in writes]
    first = errors[0]
    if len(errors) > 1:
        more = ", ".join(sorted({f"`{write.path.replace(':', '.', 1)}`" for write in writes[1:8]}))
        first.message += f" (and {len(errors) - 1} more: {more})"
    return first


def watch(trace: Trace, writes: list[Write], vm: Callable[..., VM] = VM) -> dict[str, Any]:
    """The call chains of writes, by path: a second run in ``vm(world, on_step=...)``, which goes the same way, looks for them."""
    watching = Watch(writes)
    again = Trace(
        trace.f,
        trace.inputs,
        trace.dynamic_shapes,
        static_scalars=trace.static_scalars,
        make_vm=functools.partial(vm, on_step=watching),
    )
    watching.shadows = again.world.shadows
    with again.session.activate(), contextlib.suppress(UserException, ExportError):
        again.run()
    watching.settle()
    return watching.stacks
