"""Groups among the steps of a plan: a statement that runs a group block by block, and those that
compute its nodes one by one where that gave no result.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from npexport.ir.graph import CALL, Node
from npexport.runtime.blocks import expressions, fusion
from npexport.runtime.blocks.expression_calls import Calls
from npexport.runtime.blocks.expressions import COPY, DIES, expression_groups, expression_of, most_of, parts_of
from npexport.runtime.blocks.fusion import Group, groups_of, may_pay
from npexport.runtime.blocks.fusion_blocks import Blocks
from npexport.runtime.blocks.rows import block_at_once, rows_of
from npexport.runtime.planning.placement import WHOLE, Place
from npexport.runtime.planning.plan import ORDER, Step, When
from npexport.runtime.planning.reusable_operands import Fresh
from npexport.runtime.threads import cores


class Target(NamedTuple):
    """Memory that a member's result is copied to, in these calls; ``fresh``: where an operand turns
    out to be memory of its own.
    """

    place: Place
    when: When
    fresh: Fresh | None = None


def pays(size: int, least: int) -> bool:
    """Whether an array is so large that computing it by blocks pays."""
    return size >= least


class Fused(NamedTuple):
    """The steps of a group: those before the members, those of the members, and the run over
    blocks.

    ``expression`` computes them in one call, ``blocks`` otherwise, from so many elements of the
    largest operand on as ``least`` says. ``targets``: the outputs that the plan wants in memory
    that is seen elsewhere.
    """

    group: Group
    before: list[Step]
    members: list[Step]
    expression: Any
    blocks: Blocks | None
    targets: Mapping[Node, Target]
    least: int | None

    @property
    def largest(self) -> Node:
        """The operand whose size decides for the group."""
        return max(self.group.blocked, key=lambda node: node.meta["val"].ndim)


def arranged(steps: Sequence[Step], threads: int | None, fast_math: bool, fixed: Callable[[Node], bool]) -> Iterator[Step | Fused]:
    """The steps with their groups combined, for this number of threads: ``None`` stands for all
    cores, 0 for no groups at all. ``fixed`` nodes belong to no group.
    """
    if threads == 0:
        yield from steps
        return
    by_node, count, calls = {step.node: step for step in steps}, cores(threads), Calls()
    alone = _standing_alone(by_node, fixed)
    groups = groups_of(list(by_node), count, alone, partial(rows_of, calls=calls)) if may_pay(by_node, count) else []
    groups = [group for group in groups if count > 1 or expressions.engine is None or not _falls_apart(group, calls)]
    large = [fused for group in groups if (fused := _fused(group, by_node, count, fast_math, calls)) is not None]
    taken = {node for fused in large for node in fused.group.nodes}
    yield from _put_together(steps, [*large, *_expressed(by_node, lambda node: node in taken or alone(node), calls)])


def arranged_iteration(steps: Sequence[Step], fixed: Callable[[Node], bool]) -> Iterator[Step | Fused]:
    """The same for a sub-graph that is run often: only groups that pay without any preparation."""
    by_node = {step.node: step for step in steps}
    yield from _put_together(steps, _expressed(by_node, _standing_alone(by_node, fixed), Calls()))


def _standing_alone(steps: Mapping[Node, Step], fixed: Callable[[Node], bool]) -> Callable[[Node], bool]:
    def stands_alone(node: Node) -> bool:
        step = steps[node]
        shown = "view" in node.target.traits and step.place is not None  # type: ignore[union-attr]
        return shown or step.laid or bool(step.given or step.lent) or fixed(node)

    return stands_alone


def _put_together(steps: Sequence[Step], fused: Iterable[Fused]) -> Iterator[Step | Fused]:
    """The steps; the first one of each group stands for all of the group."""
    starts = {each.group.nodes[0]: each for each in fused}
    rest = 0
    for step in steps:
        if step.node in starts:
            yield starts[step.node]
            rest = len(starts[step.node].group.nodes)
        if not rest:
            yield step
        rest = max(0, rest - 1)


def _expressed(steps: Mapping[Node, Step], fixed: Callable[[Node], bool], calls: Calls) -> Iterator[Fused]:
    """The statements of the groups that one call of C computes, but those whose results are parts
    of one another.
    """
    last = next(reversed(list(steps)), None)
    for group in expression_groups(list(steps), fixed, calls):
        members = set(group.members)
        targets = {node: target for node in group.outputs if (target := _target(node, group, steps, in_place=True)) is not None}
        if any(target.place.memory in members or _root(target.place.memory, steps) in members for target in targets.values()):
            continue
        if group.nodes[-1] is last:
            finals = {node: final for node in group.outputs if (final := steps[node].final) is not None}
            targets = {node: Target(Place(final), "always") for node, final in finals.items()} | targets
        replaced = any(value not in members for node in group.members for value in steps[node].dead)
        most = min(DIES if replaced and len(group.outputs) > 1 else sys.maxsize, most_of(group, calls))
        if (size := group.elements) is not None and size > most:
            continue
        spare = len(group.outputs) == 1 and len(members) >= COPY and any(steps[node].place is None for node in group.members)
        expression = expression_of(group, calls, most, spare)
        before = [steps[node] for node in group.nodes if node not in members]
        if expression is not None:
            yield Fused(group, before, [steps[node] for node in group.members], expression, None, targets, None)


def _falls_apart(group: Group, calls: Calls) -> bool:
    """Whether calls of C compute all of a group except the views that it takes of its own
    members.
    """
    computed = [node for node in group.members if "view" not in node.target.traits]  # type: ignore[union-attr]
    return len(computed) < len(group.members) and all(calls.of(node) is not None for node in computed)


def _fused(group: Group, steps: Mapping[Node, Step], threads: int, fast_math: bool, calls: Calls) -> Fused | None:
    """The statement; ``None`` where its results would overwrite its operands otherwise than in
    place, and it computes too little for the copies to pay, or where they are parts of one another.
    """
    members = set(group.members)
    targets = {node: target for node in group.outputs if (target := _target(node, group, steps)) is not None}
    made = set(group.nodes)
    if any(target.place.memory in members or _root(target.place.memory, steps) in members for target in targets.values()):
        return None  # a part of what the group itself makes
    operands = {node: _root(node, steps) for node in (*group.blocked, *group.whole)}
    roots = set(operands.values())
    in_place = sum(_is_in_place(target.place, group, operands) for target in targets.values())
    overlapping = sum(_root(target.place.memory, steps) in roots for target in targets.values()) - in_place
    if overlapping > 1 or (overlapping and group.operators < fusion.POLICY.overlapping):
        return None
    for node in group.outputs:
        aim = steps[node].aim
        if aim is not None and aim.since <= steps[group.members[0]].number and _root(aim.place.memory, steps) not in roots | made:
            targets.setdefault(node, Target(aim.place, "assumed" if aim.assumed else "always"))
    once = block_at_once(group, calls)
    return Fused(
        group,
        [steps[node] for node in group.nodes if node not in members],
        [steps[node] for node in group.members],
        expression_of(group, calls) if threads == 1 else None,
        Blocks(
            group,
            threads,
            fast_math,
            in_place if group.operators < fusion.POLICY.overlapping else 0,
            once,
            parts_of(group, calls) if once is None or group.rows is not None else (),
        ),
        targets,
        fusion.least_of_any(group, threads) // group.width if group.size is None else None,
    )


def _is_in_place(place: Place, group: Group, operands: Mapping[Node, Node]) -> bool:
    """Whether a result is computed into the memory of one operand that no other operand is part
    of.
    """
    memory = place.memory
    if place.index is not WHOLE or memory not in group.blocked:
        return False
    return not any(root is operands[memory] for node, root in operands.items() if node is not memory)


def _target(node: Node, group: Group, steps: Mapping[Node, Step], in_place: bool = False) -> Target | None:
    """Where the nodes computed one by one put a member's result, if that is seen elsewhere: in the
    array that a view shows, too, and with ``in_place`` in an operand that nothing else needs.
    """
    when: When = "always"
    members = set(group.members)
    while (place := steps[node].place) is not None:
        when = min(when, steps[node].when, key=ORDER.index)
        if place.index is WHOLE and place.memory in members:
            node = place.memory
        elif place.index is WHOLE and _is_temporary(place.memory, steps):
            return Target(place, when) if in_place and place.memory in group.blocked else None
        else:
            return Target(place, when)
    fresh = steps[node].fresh if in_place else None
    if fresh is not None and fresh.operand in group.blocked and members.isdisjoint(fresh.others):
        return Target(Place(fresh.operand), when, fresh)
    return Target(Place(node), when) if "view" in node.target.traits else None  # type: ignore[union-attr]


def _root(node: Node, steps: Mapping[Node, Step]) -> Node:
    """The value whose memory a value is in, as far as that is known."""
    while node.op == CALL and node in steps:
        place = steps[node].place
        if place is not None:
            node = place.memory
        elif "view" in node.target.traits:  # type: ignore[union-attr]
            node = node.args[0]
        else:
            break
    return node


def _is_temporary(node: Node, steps: Mapping[Node, Step]) -> bool:
    """Whether a value, at its last use, is in memory that nothing else shares."""
    while node.op == CALL and node in steps and "view" not in node.target.traits:  # type: ignore[union-attr]
        place = steps[node].place
        if place is None:
            return True
        if place.index is not WHOLE:
            return False
        node = place.memory
    return False
