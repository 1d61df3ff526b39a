"""Assembles a finished run into a program: outputs, mutations, signature, order and names of the
placeholders.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import re
import types
from collections.abc import Callable, Iterator, Set
from dataclasses import replace
from typing import Any, cast

import numpy as np

from npexport.ir import stated
from npexport.ir.argument_specs import ArgumentSpec, ConstantArgument, TensorArgument
from npexport.ir.call_spec import CallSpec
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.identities import Identities, identities_of
from npexport.ir.meta import TensorMeta
from npexport.ir.owned import snapshot
from npexport.ir.passes import dead_code, simplify, skip_overwritten
from npexport.ir.program import ExportedProgram
from npexport.ir.pytree import TreeSpec, Unbounded, tree_flatten
from npexport.ir.signature import ExportGraphSignature, InputKind, OutputKind, OutputSpec
from npexport.ir.statics import is_static
from npexport.runtime.calling import Slot, slots_of
from npexport.symshapes.derived_sources import DerivedSource
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.errors import ExportError, Unsupported, blamed
from npexport.symshapes.guards import Guard
from npexport.symshapes.solver import Solution, solve
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.outputs import Outputs, all_shown_by, shown_by
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.arrays.core.result_identity import may_be, note_identities, reachable_elsewhere, require_apart
from npexport.tracer.arrays.core.run_dependent_numbers import Identity, refuse
from npexport.tracer.arrays.memory.model import Kind, Storage
from npexport.tracer.driver import lists_of_state
from npexport.tracer.driver.input_specs import NUMBER_ARGUMENTS, input_spec, keep_apart, lifted_specs
from npexport.tracer.driver.inputs import CONSTANTS
from npexport.tracer.driver.lacking_results import complete
from npexport.tracer.driver.recovery import Derived, DiagnosingVM, Unknown
from npexport.tracer.driver.structures import Objects, escaping_roots, value_of
from npexport.tracer.driver.trace import Trace, UserException
from npexport.tracer.effects.checkpoints import Mutation, add_checkpoints, put_back
from npexport.tracer.effects.copiers import listed
from npexport.tracer.effects.difference import Watch, Write
from npexport.tracer.effects.error_states import Callers
from npexport.tracer.effects.outcome import VALUE, Outcome, hindrance, outcome, problem
from npexport.tracer.effects.overlay import DELETED
from npexport.tracer.effects.run_options import Completeness
from npexport.tracer.effects.settled_lists import CannotSettle
from npexport.tracer.effects.shared_state import require_untold
from npexport.tracer.effects.state import Role, dotted, shown
from npexport.tracer.effects.state_places import Place
from npexport.tracer.interpreter.frame import NULL
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.specials.generators import iterator_of_c
from npexport.tracer.interpreter.vm import VM

_ORDER = [InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR, InputKind.CUSTOM_OBJ]
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{4,}>|\) at 0x[0-9A-F]{4,}")
"""The address in the text of ``object.__repr__``, and in that of random generators."""
_OWN_DOMAIN = "Give the series its own: p.domain = np.array([0.0, 1.0])."
_MUTATIONS = {
    InputKind.PARAMETER: OutputKind.PARAMETER_MUTATION,
    InputKind.BUFFER: OutputKind.BUFFER_MUTATION,
    InputKind.CUSTOM_OBJ: OutputKind.BUFFER_MUTATION,
}


class LeftOver(Exception):
    """A run has changed outside what no program with these inputs can change: its ``writes``."""

    def __init__(self, trace: Trace, writes: list[Write]) -> None:
        super().__init__(writes)
        self.trace = trace
        self.writes = writes


class Escaped(Exception):
    """A result is an array that a cache holds: later calls would see what callers write to it."""


class ValueNeeded(Exception):
    """The program reads ``places`` of the state that the first call does not find."""

    def __init__(self, places: list[Place]) -> None:
        super().__init__(places)
        self.places = places


def assemble(trace: Trace, result: Any) -> ExportedProgram:
    """The program of a run that returned ``result``.

    Raises ``Unsupported`` for outputs that no program can have, `LeftOver` for effects,
    `ValueNeeded`.
    """
    try:
        return _assembled(trace, result)
    except ExportError as error:
        raise _located(trace, error) from error.__cause__


def _assembled(trace: Trace, result: Any) -> ExportedProgram:
    if any(array.storage.version or not array.known for array in trace.series):
        raise Unsupported("E116", "the program writes into the domain or window that series of one class share", hint=_OWN_DOMAIN)
    result = complete(trace.world, result)
    values, out_spec = _flattened(result)
    shadows = trace.world.shadows
    out_spec = escaping_roots(out_spec, Objects(shadows.original_of, shadows.has_met, trace.world.is_local, trace.inputs.spec))
    note_identities(trace.recorder, values)
    nodes = Outputs(trace.recorder, values)
    outputs = [_output(trace, nodes, value, path) for value, path in zip(values, out_spec.paths("result"), strict=True)]
    effects = _effects(trace)
    if effects.writes:
        raise LeftOver(trace, effects.writes)
    lists_of_state.require_apart(trace, result)
    arrays = all_shown_by(values)
    if any(array.storage in trace.remembered for array in arrays):
        raise Escaped
    trace.left = {mutation.path: mutation.value for mutation in effects.mutations if type(mutation.value) is ArrayProxy}
    trace.given = arrays
    kept = [(m.placeholder, m.value) for m in effects.mutations if m.placeholder is not None and m.rebinds and type(m.value) is ArrayProxy]
    left = [m.value for m in effects.mutations if m.placeholder is None or not m.rebinds]
    require_apart(trace.recorder, [*arrays, *left, *reachable_elsewhere(trace.recorder, [*arrays, *left], kept)], nodes.made())
    require_untold(shadows, trace.recorder, [*arrays, *left], kept)
    trace.listed = lists_of_state.listed(trace, [*arrays, *left, *[array for _, array in kept]])
    changed = [m.placeholder.array for m in effects.mutations if m.placeholder is not None]
    if any(np.may_share_memory(mine, array) for mine in changed for array in trace.relied_on):
        raise CannotSettle  # of which a cache was worked out
    _require_fixed_records(trace, changed, nodes.made())
    effects.mutations.extend(put_back(trace, effects.mutations))
    unread = {p: place for place, p in trace.places.items() if not place.has_value}
    lifted = [p for p in trace.recorder.placeholders if p.kind is not Kind.INPUT and p not in unread]
    targets = {m.path: trace.state.reserve(dotted(m.path)) for m in effects.mutations if m.placeholder is None}
    roles = dict(zip(lifted, trace.state.roles(trace.world.shadows, lifted, {m.placeholder for m in effects.mutations}), strict=True))
    seen = {p: len(lifted) + number for number, p in enumerate(lifted)}
    order = sorted(lifted, key=lambda p: (_ORDER.index(roles[p].kind), trace.state.order.get(id(p.array), seen[p])))
    for placeholder in order:
        _rename(trace, trace.recorder.use(placeholder), roles[placeholder])
    written = {mutation.placeholder for mutation in effects.mutations if not mutation.rebinds}
    values_written = [_written_value(trace, nodes, m) for m in effects.mutations]
    specs = [_mutation_spec(trace, targets, m, node, roles, written) for m, node in zip(effects.mutations, values_written, strict=True)]
    made = sorted(zip(effects.mutations, values_written, specs, strict=True), key=lambda row: row[2].kind is OutputKind.USER_INPUT_MUTATION)
    mutations = [(node, spec) for _, node, spec in made]
    add_checkpoints(trace.graph, trace.recorder.raising, [mutation for mutation, _, _ in made])
    trace.graph.output((*(node for node, _ in mutations), *(value for value, _ in outputs)))
    _leave_out(trace, unread)
    signature = ExportGraphSignature(
        [*lifted_specs(trace, order, roles, effects.mutations), *(input_spec(trace, leaf) for leaf in trace.leaves)],
        [
            *(spec for _, spec in mutations),
            *(_output_spec(trace, value, arg, proxy, written) for (value, arg), proxy in zip(outputs, values, strict=True)),
        ],
    )
    keep_apart(trace, signature, mutations)
    _arrange(trace, [trace.recorder.use(p) for p in order])
    return _program(trace, signature, order, roles, (out_spec, identities_of(result, trace.arguments)))


def _effects(trace: Trace) -> Outcome:
    """What the run has changed, as far as the program has to hold it."""
    if trace.options.completeness is Completeness.WHOLE:
        return outcome(trace)
    vm = cast(DiagnosingVM, trace.vm)
    found = outcome(trace, vm.found)
    trace.report.lost += [shown(write.path) for write in found.writes]
    if found.writes:
        vm.found(writes_error(trace, found.writes))
    return Outcome([] if trace.options.completeness is Completeness.NOTHING else found.mutations, [])


def _require_fixed_records(trace: Trace, changed: list[Any], made: Set[Storage]) -> None:
    """Check that nothing changes the records that the program is given, or finds outside as
    constants: they are views of memory, which the caller may see elsewhere. Raises ``Unsupported``.
    """
    for value, _ in trace.world.shadows.alive if changed else ():
        base = value.base if issubclass(type(value), np.void) else None
        if base is not None and any(np.may_share_memory(array, base) for array in changed):
            what = "the program writes into an array, and finds a record outside that is a view of its memory"
            raise Unsupported("E123", what, hint="Keep a copy of the record (record.copy()), or read it from the array in the program.")
    for leaf in trace.leaves:
        memory = leaf.stand_in.memory if type(leaf.stand_in) is ScalarProxy else None
        if memory is not None and (changed or memory.storage.mutated or memory.storage in made):
            what = f"the input `{leaf.name}` is a record, a view of an array's memory, and the program writes to such memory or returns it"
            raise Unsupported("E123", what, hint="Pass an array of one record (a[:1]), and take the record in the program.")


def _program(
    trace: Trace,
    signature: ExportGraphSignature,
    order: list[Any],
    roles: dict[Any, Role],
    result: tuple[TreeSpec, Identities],
) -> ExportedProgram:
    """The program has copies of all arrays: later changes to those of ``f`` do not affect it."""
    loadable: dict[int, tuple[str, Any]] = {}
    constants: dict[str, Any] = {}
    for placeholder in order:
        role = roles[placeholder]
        array = placeholder.array if placeholder.kind is Kind.LITERAL else snapshot(placeholder.array)
        if role.loadable:
            loadable[id(placeholder.array)] = role.target, array
        else:
            constants[role.target] = array
    solution = solve(trace.env, trace.bindings, defer=trace.options.prefer_deferred)
    if trace.env.guards:
        stated.restate(trace.graph, trace.env, solution.replacements, solution.replacements.keys() - trace.env.hints.keys())
        _settle_numbers(trace, signature)
    trace.env.close()
    trace.world.record_contents()
    call_spec = CallSpec(trace.inputs.spec, result[0], trace.inputs.parameters, result[1])
    slots = slots_of(call_spec, trace.graph, signature)
    program = ExportedProgram(
        graph=trace.graph,
        signature=signature,
        state_dict=trace.state.state_dict(loadable),
        constants=constants,
        call_spec=call_spec,
        range_constraints=present(trace.env, trace.graph, solution),
        guards=_in_terms_of_the_call(trace, solution.guards, slots),
        module_call_graph=trace.module_calls(),
        example_inputs=(trace.inputs.args, trace.inputs.kwargs),
        report=replace(trace.report, constants=_in_terms_of_the_call(trace, solution.constants, slots)),
    )
    if trace.recorder.effects or trace.env.symbols.keys() - trace.env.hints.keys():  # what only guards needed that were proved since
        dead_code(program)
    simplify(program, frozenset(roles[p].target for p in order if p.kind is Kind.STATE))
    program.validate()
    return program


def present(env: ShapeEnv, graph: Graph, solution: Solution) -> dict[Any, Any]:
    """The ranges without sizes that only the data know and that the program does not have."""
    if all(size.symbols <= env.hints.keys() for size in solution.range_constraints):
        return dict(solution.range_constraints)
    found = {name for guard in solution.guards for name in guard.truth.symbols}
    for node in graph:
        result = node.meta.get("val")
        for value in result if isinstance(result, (tuple, list)) else (result,):
            sizes = value.shape if isinstance(value, TensorMeta) else (value,)
            found.update(name for size in sizes if type(size) in NUMBER_ARGUMENTS for name in size.expression.symbols)
    return {size: interval for size, interval in solution.range_constraints.items() if size.symbols <= found | env.hints.keys()}


def _in_terms_of_the_call(trace: Trace, guards: tuple[Guard, ...], slots: list[Slot]) -> tuple[Guard, ...]:
    """The guards in the callers' names: behind a wrapper ``m`` is ``args[0]``."""
    paths = {leaf.node: leaf.path for slot in slots for leaf in slot.leaves}
    renamed = {leaf.path: paths[leaf.node] for leaf in trace.leaves if leaf.node is not None and leaf.path != paths[leaf.node]}
    if not renamed:
        return guards

    def new(name: str) -> str:
        if isinstance(name, DerivedSource):
            return DerivedSource(new(name.place), name.a, name.b)
        path, dot, rest = name.rpartition(".shape[")
        return renamed.get(path, path) + dot + rest if dot else renamed.get(name, name)

    names = {symbol: new(name) for symbol, name in trace.env.names.items()}
    return tuple([replace(guard, names=names, example={new(name): value for name, value in guard.example.items()}) for guard in guards])


def _flattened(result: Any) -> tuple[list[Any], TreeSpec]:
    try:
        return tree_flatten(result)
    except Unbounded as error:
        raise Unsupported(
            "E115", f"the result {error}", hint="Return the parts, and put them together where the function is called."
        ) from None


def _settle_numbers(trace: Trace, signature: ExportGraphSignature) -> None:
    """Declare input numbers that turned out to be constants as such."""
    for node, spec in zip(trace.graph.placeholders, signature.input_specs, strict=True):
        if type(spec.arg) in NUMBER_ARGUMENTS.values() and type(node.meta["val"]) in CONSTANTS:
            spec.arg = ConstantArgument(node.name, node.meta["val"])


def output_problems(trace: Trace, result: Any) -> Iterator[ExportError]:
    """The leaves of a result that cannot be returned; those that are unknown are skipped."""
    try:
        values, out_spec = _flattened(complete(trace.world, result))
    except ExportError as error:
        yield _located(trace, error)
        return
    for _, why in _refused(trace, values, out_spec):
        if not isinstance(why, Derived):
            yield _located(trace, why)


def _refused(trace: Trace, values: list[Any], out_spec: TreeSpec) -> Iterator[tuple[int, ExportError]]:
    """The numbers of the leaves of a result that cannot be returned, and why."""
    nodes = Outputs(trace.recorder, values)
    for number, (value, path) in enumerate(zip(values, out_spec.paths("result"), strict=True)):
        try:
            _output(trace, nodes, value, path)
        except ExportError as error:
            yield number, error


def possible(trace: Trace, result: Any) -> Any:
    """The result, with ``None`` for the leaves that cannot be returned."""
    try:
        values, out_spec = _flattened(complete(trace.world, result))
    except ExportError:
        return None
    vm = cast(DiagnosingVM, trace.vm)
    refused = list(_refused(trace, values, out_spec))
    for number, why in refused:
        values[number] = None
        if not isinstance(why, Derived):
            vm.found(_located(trace, why))
    return out_spec.unflatten(values) if refused else result


_ABSENT = "Put something there on both sides, such as None or np.zeros(3): what a program gives back has one structure."


def _located(trace: Trace, error: ExportError) -> ExportError:
    """The error; without a place of its own it concerns the result."""
    if error.location is None and not error.user_stack:
        error.user_stack = trace.place_of_result()
        error.location = blamed(error.user_stack)
    return error


def _output(trace: Trace, nodes: Outputs, value: Any, path: str) -> tuple[Any, ArgumentSpec]:
    """The entry of the output node for a leaf of the result, and its argument in the signature."""
    value = value_of(value)
    value = value.result() if type(value) is Mixed else value
    kind = type(value)
    if kind is ArrayProxy or kind is ScalarProxy:
        node = nodes.node(value)
        if node.graph is not trace.graph:
            raise Unsupported("E103", "what is returned holds what one side of a branch on data makes, and the other side does not")
        return node, TensorArgument(node.name)
    if kind in NUMBER_ARGUMENTS:
        node = trace.recorder.sizes.node(value)
        return (node, NUMBER_ARGUMENTS[kind](node.name)) if isinstance(node, Node) else (node, ConstantArgument("", node))
    if kind is Callers:
        value.refuse()
    if kind is Identity or (kind is str and _ADDRESS.search(value)):
        refuse(f"the output {path}")
    if kind in CONSTANTS or issubclass(kind, np.generic) or (is_static(value) and not trace.world.is_local(kind)):
        value = listed(value) if isinstance(value, enum.Enum) else value
        return value, ConstantArgument("", value)
    # made by C while tracing: the program makes it in every call
    if issubclass(kind, np.ndarray) or (kind in NATIVE_TYPES and isinstance(value, np.ndarray)):
        return _output(trace, nodes, trace.recorder.known(value), path)
    if kind is Unknown:
        raise Derived("E115", f"{path} is unknown because of an earlier problem")
    if value is NULL:
        raise Unsupported("E103", f"a branch depends on data, and decides whether there is a {path.rpartition('.')[0]}", hint=_ABSENT)
    kind = iterator_of_c(value) or trace.world.type_of(value)
    if kind is types.CoroutineType:
        value.close()  # nobody will await it
    if value is trace.world.shadows.shadow_of(trace.root):
        method = getattr(trace.f, "__name__", "")
        call = f"self.inner.{method}" if method else "self.inner"
        raise Unsupported("E115", f"{path} is the exported object itself, of type {kind.__qualname__}", hint=_ITSELF.format(call))
    hint = _HINTS.get(kind, _LIST if hasattr(kind, "__next__") else None)
    raise Unsupported("E115", f"{path} is of type {kind.__qualname__}, which a program cannot give back", hint=hint)


_ITSELF = (
    "Export an object that keeps it and returns what is wanted of it: class Of: def __init__(self, inner): self.inner = inner; "
    "def __call__(self, *args): {0}(*args); return vars(self.inner)."
)
_LIST = "Return a list of what it yields: list(...)."
_HINTS: dict[type, str] = {
    types.CoroutineType: "Export a function that is not `async`: an exported program has no event loop to wait in.",
    types.AsyncGeneratorType: "Export a function that is not `async`: an exported program has no event loop to wait in.",
    types.FunctionType: "Call the function in the program and return its result, or take its arguments as arguments of the program.",
}


def _output_spec(trace: Trace, value: Any, arg: ArgumentSpec, proxy: Any, written: set[Any]) -> OutputSpec:
    if isinstance(value, Node):
        arg = type(arg)(value.name)  # type: ignore[call-arg]
    return OutputSpec(OutputKind.USER_OUTPUT, arg, None, alias=_alias(trace, proxy, written), listed=_is_listed(trace, proxy))


def _is_listed(trace: Trace, proxy: Any) -> bool:
    array = shown_by(proxy)
    return array is not None and array.storage in trace.listed


def _alias(trace: Trace, proxy: Any, written: set[Any]) -> str | tuple[str, ...] | None:
    """The written outside array whose memory this is, or several that it may be as the data say."""
    array = shown_by(proxy)
    memories = [] if array is None else [array.storage, *may_be(trace.recorder, array.storage)]
    placeholders = {memory.outside for memory in memories if memory.outside is not None and memory.outside in written}
    nodes = [placeholder.node for placeholder in placeholders if placeholder.node is not None]
    found = sorted([(place, node.name) for node in nodes if (place := trace.graph.position(node)) is not None])
    return tuple([name for _, name in found]) if len(found) > 1 else next((name for _, name in found), None)


def _leave_out(trace: Trace, unread: dict[Any, Place]) -> None:
    """Arrays of the state that the first call does not find are not inputs.

    Raises `ValueNeeded` if they matter in any way.
    """
    recorder, graph = trace.recorder, trace.graph
    compared = set().union(*recorder.overlaps.compared)
    used = {operand for node in graph.needed(_asked(trace)) for operand in node.all_input_nodes}
    for placeholder, place in unread.items():
        if placeholder.mutated or placeholder in compared or placeholder in recorder.layouts.conditions or placeholder.node in used:
            raise ValueNeeded([place])
    recorder.placeholders[:] = [placeholder for placeholder in recorder.placeholders if placeholder not in unread]
    left_out = {placeholder.node for placeholder in unread}
    for node in graph if left_out else ():  # what is made of them is not needed
        if not left_out.isdisjoint(node.all_input_nodes):
            left_out.add(node)
    graph.keep(node for node in graph.nodes if node not in left_out)


def _asked(trace: Trace) -> set[str]:
    """The symbols in guards that only data decide."""
    return {symbol for guard in trace.env.guards for symbol in guard.truth.symbols} - trace.env.hints.keys()


def _written_value(trace: Trace, nodes: Outputs, mutation: Mutation) -> Node:
    """The node of the new value of state; numbers and scalars are stored as 0-d arrays."""
    if mutation.value is None:
        return nodes.whole(mutation.placeholder.storage)
    if type(mutation.value) is ArrayProxy:
        return nodes.named(mutation.value)
    node: Node = mutation.place.node(trace.recorder, mutation.value)  # type: ignore[union-attr]
    return node


def _mutation_spec(
    trace: Trace, targets: dict[str, str], mutation: Mutation, node: Node, roles: dict[Any, Role], written: set[Any]
) -> OutputSpec:
    arg, alias, listed = TensorArgument(node.name), _alias(trace, mutation.value, written), _is_listed(trace, mutation.value)
    if mutation.placeholder is None:
        return OutputSpec(OutputKind.BUFFER_MUTATION, arg, targets[mutation.path], alias=alias, rebinds=True, listed=listed)
    role = roles.get(mutation.placeholder)
    if role is None:
        return OutputSpec(OutputKind.USER_INPUT_MUTATION, arg, mutation.placeholder.node.name)
    return OutputSpec(_MUTATIONS[role.kind], arg, role.target, alias=alias, rebinds=mutation.rebinds, listed=listed)


def _rename(trace: Trace, node: Node, role: Role) -> None:
    if node.name != role.name:
        node.name = trace.graph.fresh_name(role.name)
        node.target = node.name


def _arrange(trace: Trace, lifted: list[Node]) -> None:
    """Placeholders first, in the order of the signature; then the calls that are not dead."""
    graph = trace.graph
    asked = _asked(trace)
    skip_overwritten(graph, asked)
    needed = graph.needed(asked)
    calls = [node for node in graph.nodes if node.op == CALL and node in needed]
    graph.keep([*lifted, *(leaf.node for leaf in trace.leaves if leaf.node is not None), *calls, graph.output_node])


def writes_error(trace: Trace, writes: list[Write]) -> ExportError:
    """The error that names the first write and its line, which a second run along the same path
    finds. A container that gets longer or shorter comes first, numbers and arrays come last (first
    of these those that were not there); beside others, they are not named, since each can be state.
    """
    stacks, writes = watch(trace, writes), sorted(writes, key=lambda write: (hindrance(write), write.before is not DELETED))
    writes = [write for write in writes if hindrance(write) < VALUE or hindrance(writes[0]) == VALUE]
    errors = [problem(trace.world, write, write.stack or stacks.get(write.path, ())) for write in writes]
    first = errors[0]
    if len(errors) > 1:
        more = ", ".join(sorted({f"`{write.path.replace(':', '.', 1)}`" for write in writes[1:8]}))
        first.message += f" (and {len(errors) - 1} more: {more})"
    return first


def watch(trace: Trace, writes: list[Write], vm: Callable[..., VM] = VM) -> dict[str, Any]:
    """The call chains of writes, by path: a second run in ``vm(world, on_step=...)``, along the
    same path, looks for them.
    """
    watching = Watch(writes)
    again = trace.again(make_vm=functools.partial(vm, on_step=watching))
    watching.shadows = again.world.shadows
    with again.session.activate(), contextlib.suppress(UserException, ExportError):
        again.run()
    watching.settle()
    return watching.stacks
