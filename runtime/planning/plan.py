"""Memory planning: the steps of a graph, with where each result goes and which values die.

Where results go is decided twice (`runtime.planning.placement`): for the most frequent calls, with
arrays in C order and floating-point errors that raise nothing, and for all others. Where the two
decisions differ, the compiled program asks at the call: for the order of arrays only where that
makes the difference.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from npexport.ir.aliasing import ends_of, escaping, is_view, leading_to, may_alias, new_values, taken_again
from npexport.ir.checkpoints import in_force, is_checkpoint, is_noted
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.signature import ExportGraphSignature, InputKind, OutputKind
from npexport.runtime.memory.borrowing import with_borrowing
from npexport.runtime.memory.inherited_memory import Inside, continued, results_of
from npexport.runtime.memory.layouts import C, Layouts, known_orders
from npexport.runtime.memory.liveness import Liveness
from npexport.runtime.memory.view_writes import ViewWrites, is_scatter, written_window
from npexport.runtime.planning.placement import WHOLE, Aim, Place, World, is_large, same_type, world_of_iteration
from npexport.runtime.planning.reusable_operands import Fresh, fresh_operand

When = Literal["", "assumed", "quiet", "always"]
"""In which calls something is done: in none, in those that are as assumed, in the quiet ones, where
no array has to be in C order but those that are written, in all.
"""
ORDER: tuple[When, ...] = ("", "assumed", "quiet", "always")
SOME = ORDER[1:3]


@dataclass
class Step:
    """One call of a graph.

    ``place``: the memory that takes the result, where there is such, ``when``: in which calls.
    ``settled``: in which of them a write needs no statement, since what it writes lies there
    already. ``dead``: the values that are not used afterwards, but the one whose memory takes the
    result. ``held``: the values that are needed if the call raises. ``laid``: the result is the
    operand in C order, with all its axes. ``given``: operands in whose memory a branch or a loop
    computes, ``lent``: in calls that are as assumed. ``borrowed``: the numbers of a branch's
    results that may lie in the memory of other operands. ``aim``: where the result is written
    afterwards, if it may lie there before. ``fresh``: an operand that takes the result if it turns
    out to be memory of its own. ``number``: the place in the order. ``final``: the mutated input
    whose elements the result becomes when all is done, and nobody else does.
    """

    node: Node
    place: Place | None = None
    when: When = ""
    settled: When = ""
    dead: list[Node] = field(default_factory=list)
    held: frozenset[Node] = frozenset()
    laid: bool = False
    given: list[Node] = field(default_factory=list)
    lent: list[Node] = field(default_factory=list)
    borrowed: frozenset[int] = frozenset()
    aim: Aim | None = None
    fresh: Fresh | None = None
    number: int = 0
    final: Node | None = None

    @property
    def is_quiet(self) -> bool:
        """Whether something is done only in quiet calls."""
        return "quiet" in (self.when, self.settled)

    @property
    def is_assumed(self) -> bool:
        """Whether something is done only in calls that are as assumed."""
        return "assumed" in (self.when, self.settled) or bool(self.lent) or (self.aim is not None and self.aim.assumed)


@dataclass
class Plan:
    """The steps of a graph in their order.

    A call is quiet where the arrays ``written`` are in C order and, if ``exact``, where
    floating-point errors raise nothing; it is as assumed if the arrays ``ordered`` are in C order,
    too. ``inside``: what is known of sub-graphs.
    """

    steps: list[Step]
    written: list[Node] = field(default_factory=list)
    ordered: list[Node] = field(default_factory=list)
    exact: bool = False
    inside: Inside = field(default_factory=Inside)


def plan_memory(graph: Graph, signature: ExportGraphSignature) -> Plan:
    """The plan of a graph whose placeholders and outputs the signature describes."""
    storages, writes = may_alias(graph, signature), ViewWrites(graph)
    leaving = escaping(graph, signature, storages)
    lives = Liveness(
        graph, writes.separated(storages), _written_at(graph, signature), list(_read_again(graph, signature)), frozenset(leaving)
    )
    lives = with_borrowing(lives, [target for _, target in mutations(graph, signature) if target is not None])
    leading = [_leading_values(graph, signature, writes, leaving, assumed) for assumed in (False, True)]
    known = known_orders(graph, signature)
    layouts = [plainly := Layouts(graph, False, known, writes.originals), Layouts(graph, True, known, writes.originals, plainly.tokens)]
    inside = Inside()
    inside.look_into(graph, layouts[False].tokens)
    plain = World(lives, writes, layouts[False], leading[False], inside=inside)
    assumed = World(lives, writes, layouts[True], leading[True], plain=plain, inside=inside)
    plan = Plan(_steps(lives, plain, assumed), inside=inside)
    finals = dict(_finals(graph, signature, storages))
    for step in plan.steps:
        step.final = finals.get(step.node)
    differing = [step for step in plan.steps if "assumed" in (step.when, step.settled)]
    others = [step.aim.place.memory for step in plan.steps if step.aim is not None and step.aim.assumed]
    others += [value for step in plan.steps for value in step.lent]
    plan.exact = any(assumed.owner(value).op != CALL for value in (*[step.node for step in differing], *others))
    targets = dict.fromkeys([target for _, target in mutations(graph, signature) if target is not None], C)
    for orders in (known, targets | known) if plan.exact else ():
        if differing:
            layout = layouts[False] if orders is known else Layouts(graph, False, orders, writes.originals, plainly.tokens)
            quiet = World(lives, writes, layout, leading[True], plain=plain, inside=inside)
            for step in differing:
                if _is_decided_alike(step.node, quiet, assumed):
                    step.when, step.settled = ["quiet" if when == "assumed" else when for when in (step.when, step.settled)]
                    owner = assumed.owner(step.node)
                    plan.written += [] if orders is known else [owner, *layout.decisive([step.node, owner])]
            differing = [step for step in differing if "assumed" in (step.when, step.settled)]
    asked = [*[step.node for step in differing], *others]
    outside = [owner for owner in map(assumed.owner, asked) if owner.op != CALL]
    plan.ordered = [node for node in layouts[True].decisive([*asked, *outside]) if node not in known]
    plan.written = [node for node in dict.fromkeys(plan.written) if node in targets and node not in known and node.meta["val"].ndim > 1]
    return plan


def plan_iteration(graph: Graph, owned: Collection[Node], inside: Inside) -> Plan:
    """The plan of a sub-graph that may compute in the memory of these placeholders, in C order,
    which nobody else sees. ``inside``: what is known of sub-graphs.
    """
    world = world_of_iteration(graph, owned, inside)
    return Plan(_steps(world.lives, world, world))


def _steps(lives: Liveness, plain: World, assumed: World) -> list[Step]:
    """What is decided alike in both worlds holds always; what only the plain world decides is left
    out."""
    steps = []
    ends = dict(lives.last_use)
    for node, place in assumed.places.items():
        ends[place.memory] = max(ends[place.memory], lives.place[node])
    for node in lives.graph.nodes:
        if node.op != CALL or (is_checkpoint(node) and not is_noted(node)):
            continue
        step = Step(node, assumed.places.get(node), laid=node in assumed.writes.laid, number=lives.place[node])
        used = lives.used(node)
        if step.place is None and not step.laid:
            step.fresh = fresh_operand(lives, assumed, node)
        elif _is_uncertain(node, plain, assumed):
            fresh = fresh_operand(lives, plain, node)
            if fresh is not None and assumed.owner(fresh.operand).op == CALL:
                step.place, step.fresh = None, fresh
        if node in assumed.aims:
            step.aim = assumed.aims[node]._replace(assumed=plain.aims.get(node) != assumed.aims[node])
        if step.place is not None:
            used = list(dict.fromkeys((*used, step.place.memory)))
            step.when = "always" if plain.places.get(node) == step.place else "assumed"
            if node in assumed.settled:
                alike = step.when == "always" and _is_decided_alike(node, plain, assumed)
                step.settled = "always" if alike else "assumed"
        if node in assumed.handed:
            step.given = [value for value in plain.handed[node] if value in assumed.handed[node]]
            step.lent = [value for value in assumed.handed[node] if value not in step.given]
        step.held = frozenset(lives.held.get(node, ()))
        if lives.borrowed:
            step.borrowed = frozenset([number for number, result in results_of(node).items() if result in lives.borrowed])
        shared = step.place.memory if step.place is not None and step.when == "always" and not step.laid else None
        step.dead = [value for value in used if ends[value] == lives.place[node] and value is not shared]
        steps.append(step)
    return steps


def _is_uncertain(node: Node, plain: World, assumed: World) -> bool:
    """Whether orders of memory decide if a result lies in memory of the program's own."""
    place = assumed.places.get(node)
    own = place is not None and place.index is WHOLE and assumed.owner(node).op == CALL
    return own and node not in assumed.settled and node not in plain.places and not is_scatter(node)


def _is_decided_alike(node: Node, one: World, other: World) -> bool:
    """Whether two worlds have the same place for a result, and need the same statement."""
    settled = node in one.settled
    if one.places.get(node) != other.places.get(node) or settled is not (node in other.settled):
        return False
    return not settled or _way(node, one) == _way(node, other)


def _way(write: Node, world: World) -> list[Place]:
    """The places through which what is written comes to lie there, the last one first."""
    part, found = world.parts.get(write), list[Place]()
    value = part.steps[-1] if part is not None else write.args[2] if written_window(write) is not None else None
    while value in world.places and (not found or found[-1].index is WHOLE):
        found.append(world.places[value])
        value = found[-1].memory
    return found


def _written_at(graph: Graph, signature: ExportGraphSignature) -> dict[Node, list[Node]]:
    """What is in the memory of mutated inputs and state where a call raises, by these calls."""
    targets = [target for _, target in mutations(graph, signature)]
    found = {}
    for node, checkpoint in in_force(graph).items() if targets else ():
        values, *replayed = ((None,) * len(targets),) if checkpoint is None else checkpoint.args
        held = [target if value is None else value for value, target in zip(values, targets, strict=True)]
        held += replayed[1] if replayed else ()
        found[node] = [value for value in held if value is not None]
    return found


def _finals(graph: Graph, signature: ExportGraphSignature, storages: Mapping[Node, set[Node]]) -> Iterator[tuple[Node, Node]]:
    """Values that become the elements of a mutated input and are nothing else, with that input, of
    which no other output shares memory.
    """
    pairs = zip(graph.output_node.args[0], signature.output_specs, strict=True)
    outputs, written = [(other, spec.aliases) for other, spec in pairs if isinstance(other, Node)], new_values(graph, signature)
    shown = defaultdict[Node, list[tuple[Node, tuple[str, ...]]]](list)  # by memory
    shared = defaultdict[str, list[Node]](list)  # by mutated input
    for other, names in outputs:
        for root in {other, *storages.get(other, ())}:
            shown[root].append((other, names))
        for name in names:
            shared[name].append(other)
    for value, mutated in mutations(graph, signature):
        if isinstance(value, Node) and value.op == CALL and mutated is not None and same_type(value, mutated):
            apart = [other for root in (value, mutated) for other, names in shown[root] if mutated.name not in names]
            ends = [end for other in shared[mutated.name] for end in ends_of(other, written) if end is not value]
            once = sum(other is value and mutated.name not in names for other, names in shown[value]) == 1
            alone = all(other is value for other in apart)
            if once and alone and all(storages[end].isdisjoint((value, mutated)) for end in ends if end in storages):
                yield value, mutated


def retaken(graph: Graph, signature: ExportGraphSignature) -> set[Node]:
    """The views of written inputs that only outputs use, for which they are taken again."""
    outputs = list(zip(signature.output_specs, graph.output_node.args[0], strict=True))
    found = {node for spec, node in outputs if spec.alias is not None and list(node.users) == [graph.output_node]}
    found -= {node for spec, node in outputs if spec.alias is None and type(node) is Node}
    return {node for node in found if node.op == CALL and "raises" not in node.meta and is_view(node)}


def _read_again(graph: Graph, signature: ExportGraphSignature) -> Iterator[Node]:
    """The sizes, positions and truths of the views and choices that are taken once more, of a
    written input, for an output that shares its memory, and what they may be instead.
    """
    written = new_values(graph, signature)
    operands = [operand for node in taken_again(graph, signature) for operand in node.all_input_nodes]
    shown = leading_to(operands, written)
    yield from (operand for operand in operands if operand not in shown)


def _leading_values(
    graph: Graph, signature: ExportGraphSignature, writes: ViewWrites, leaving: set[Node], assumed: bool
) -> dict[Node, Node]:
    """Value -> the mutated placeholder whose memory may hold it: final values and the writes on
    their way there.

    ``assumed``: element-wise operators on the way, too.
    """
    leading: dict[Node, Node] = {}
    final = set(graph.output_node.all_input_nodes)
    for last, target in mutations(graph, signature):
        waiting = [last] if target is not None else []
        while waiting:
            value = waiting.pop()
            if not isinstance(value, Node) or value.op != CALL or value in leading:
                continue
            if value in leaving or (value is not last and value in final):
                continue
            leading[value] = target  # type: ignore[assignment]
            steps = writes.candidates(value) or continued(value)
            if not is_scatter(value) and value not in writes.back and not (assumed and is_large(value)):
                steps = [step for step in steps if is_scatter(step)]
            waiting += steps
    return leading


def mutations(graph: Graph, signature: ExportGraphSignature) -> list[tuple[Any, Node | None]]:
    """Each mutation output's value with the placeholder whose elements it is written to; ``None``
    where the state takes a new array.
    """
    by_name = {node.name: node for node in graph.placeholders}
    by_target = {
        spec.target: by_name[spec.arg.name]
        for spec in signature.input_specs
        if spec.kind in (InputKind.BUFFER, InputKind.PARAMETER, InputKind.CUSTOM_OBJ)
    }
    found: list[tuple[Any, Node | None]] = []
    for value, spec in zip(graph.output_node.args[0], signature.output_specs, strict=True):
        if spec.kind is OutputKind.USER_INPUT_MUTATION:
            found.append((value, by_name[spec.target or ""]))
        elif spec.kind in (OutputKind.BUFFER_MUTATION, OutputKind.PARAMETER_MUTATION):
            found.append((value, None if spec.rebinds else by_target[spec.target]))
    return found
