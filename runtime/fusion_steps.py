"""Groups among the steps of a plan: a statement that runs a group block by block, and those that
compute its nodes one by one where that gave no result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from npexport.ir.graph import CALL, Node
from npexport.runtime import fusion
from npexport.runtime.fusion import Group, groups_of
from npexport.runtime.fusion_blocks import Blocks
from npexport.runtime.placement import WHOLE, Place
from npexport.runtime.plan import Step
from npexport.runtime.threads import cores


class Target(NamedTuple):
    """Memory that a member's result is copied to; ``assumed``: where the call is as the plan
    assumes.
    """

    place: Place
    assumed: bool


class Fused(NamedTuple):
    """The steps of a group: those before the members, those of the members, and the run over
    blocks.

    ``targets``: the outputs that the plan wants in memory that is seen elsewhere.
    """

    group: Group
    before: list[Step]
    members: list[Step]
    blocks: Blocks
    targets: Mapping[Node, Target]
    least: int | None

    @property
    def largest(self) -> Node:
        """The operand that says how large the group's values are."""
        return max(self.group.blocked, key=lambda node: node.meta["val"].ndim)


def arranged(steps: Sequence[Step], threads: int | None, fast_math: bool, fixed: Callable[[Node], bool]) -> Iterator[Step | Fused]:
    """The steps with their groups put together, for this number of threads: ``None`` stands for all
    cores, 0 for no groups at all.
    """
    if threads == 0:
        yield from steps
        return
    by_node = {step.node: step for step in steps}

    def stands_alone(node: Node) -> bool:
        step = by_node[node]
        shown = "view" in node.target.traits and step.place is not None  # type: ignore[union-attr]
        return shown or step.laid or bool(step.given or step.lent) or fixed(node)

    count = cores(threads)
    groups = {group.nodes[0]: group for group in groups_of(list(by_node), count, stands_alone)}
    rest = 0
    for step in steps:
        group = groups.get(step.node)
        fused = None if group is None else _fused(group, by_node, count, fast_math)
        if group is not None and fused is not None:
            yield fused
            rest = len(group.nodes)
        if not rest:
            yield step
        rest = max(0, rest - 1)


def _fused(group: Group, steps: Mapping[Node, Step], threads: int, fast_math: bool) -> Fused | None:
    """The statement; ``None`` where its results would overwrite its operands otherwise than in
    place, and it computes too little for the copies to pay, or where they are parts of one another.
    """
    members = set(group.members)
    targets = {node: target for node in group.outputs if (target := _target(node, members, steps)) is not None}
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
            targets.setdefault(node, Target(aim.place, aim.assumed))
    return Fused(
        group,
        [steps[node] for node in group.nodes if node not in members],
        [steps[node] for node in group.members],
        Blocks(group, threads, fast_math, in_place if group.operators < fusion.POLICY.overlapping else 0),
        targets,
        fusion.least_of_any(group, threads) // group.width if group.size is None else None,
    )


def _is_in_place(place: Place, group: Group, operands: Mapping[Node, Node]) -> bool:
    """Whether a result goes to the memory of one operand, of which no other is a part."""
    memory = place.memory
    if place.index is not WHOLE or memory not in group.blocked:
        return False
    return not any(root is operands[memory] for node, root in operands.items() if node is not memory)


def _target(node: Node, members: set[Node], steps: Mapping[Node, Step]) -> Target | None:
    """Where the nodes computed one by one put a member's result, if that is seen elsewhere: in the
    array that a view shows, too.
    """
    assumed = False
    while (place := steps[node].place) is not None:
        assumed = assumed or steps[node].when == "assumed"
        if place.index is WHOLE and place.memory in members:
            node = place.memory
        elif place.index is WHOLE and _is_temporary(place.memory, steps):
            return None
        else:
            return Target(place, assumed)
    return Target(Place(node), assumed) if "view" in node.target.traits else None  # type: ignore[union-attr]


def _root(node: Node, steps: Mapping[Node, Step]) -> Node:
    """The value in whose memory a value lies, as far as is known."""
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
    """Whether a value, at its last use, lies in memory that nothing else shows."""
    while node.op == CALL and node in steps and "view" not in node.target.traits:  # type: ignore[union-attr]
        place = steps[node].place
        if place is None:
            return True
        if place.index is not WHOLE:
            return False
        node = place.memory
    return False
