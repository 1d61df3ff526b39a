"""Results of branches that share the memory of an operand: what a side returns unchanged, or as a
view, is not copied.

Laws: such a result is only read, and so are its operands while it is needed, and it does not leave
the graph. An operand that nothing else needs is handed over instead
(`runtime.memory.inherited_memory`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from npexport.ir import ops
from npexport.ir.aliasing import may_alias
from npexport.ir.checkpoints import is_checkpoint
from npexport.ir.graph import CALL, Node
from npexport.runtime.memory.inherited_memory import Block, block_of, results_of
from npexport.runtime.memory.layouts import base_of, is_array
from npexport.runtime.memory.liveness import Liveness
from npexport.runtime.memory.view_writes import is_scatter
from npexport.symshapes.symint import is_unbacked


def with_borrowing(lives: Liveness, targets: Collection[Node], owned: Collection[Node] = ()) -> Liveness:
    """The lifetimes of a graph's values, given that results of branches may share the memory of
    operands.

    ``targets``: the placeholders that are written to in the end; ``owned``: those whose memory
    belongs to the graph.
    """
    found: dict[Node, list[Node]] = {}
    branches = [(node, block) for node in lives.graph.nodes if (block := block_of(node)) is not None and not block.loops]
    for node, block in branches:
        for number, result in results_of(node).items():
            lent = _lent(block, number) if is_array(result.meta["val"]) else {}
            operands = [operand for side in lent.values() for operand in side]
            read = bool(operands) and _is_only_read(result, node, set(lent), lives.storages)
            if read and _may_borrow(lives, node, result, operands, targets, owned):
                found[result] = operands
    if not found:
        return lives
    storages = {node: set(roots) for node, roots in lives.storages.items()}
    for result, operands in found.items():
        others = set[Node]().union(*(storages[operand] for operand in operands))
        for roots in storages.values():
            if result in roots:
                roots |= others
    return Liveness(lives.graph, storages, lives.held, lives.kept, lives.leaving, frozenset(found))


def _lent(block: Block, number: int) -> dict[bool, list[Node]]:
    """For each truth of the condition, the operands whose memory a result of the branch could
    share; none if another result would share it, too.
    """
    found: dict[bool, list[Node]] = {}
    for truth, graph in zip((True, False), block.graphs, strict=True):
        storages, values = may_alias(graph), graph.output_node.args[0]
        roots = storages.get(values[number], set())
        if any(place != number and not roots.isdisjoint(storages.get(value, ())) for place, value in enumerate(values)):
            return {}
        pairs = zip(graph.placeholders, block.values, strict=True)
        operands = [operand for inner, operand in pairs if inner in roots]
        found |= {truth: operands} if operands else {}
    return found


def _may_borrow(
    lives: Liveness, node: Node, result: Node, operands: list[Node], targets: Collection[Node], owned: Collection[Node]
) -> bool:
    """Whether nothing writes to the operands while the result is needed, and they are not handed
    over.
    """
    storages, here, end = lives.storages, lives.place[node], lives.storage_end[result]
    roots = set[Node]().union(*(storages[operand] for operand in operands))
    writes = [each for each in lives.graph.nodes if is_scatter(each) and here < lives.place[each] <= end]
    bases = [base for write in writes if (base := base_of(write)) is not None]
    if not roots.isdisjoint(targets) or any(not roots.isdisjoint(storages[base]) for base in bases):
        return False
    return not all(lives.storage_end[root] == here and (root.op == CALL or root in owned) for root in roots)


def _is_only_read(value: Node, branch: Node, lent: set[bool], storages: Mapping[Node, set[Node]]) -> bool:
    """Whether nothing writes to a value, and it does not leave the graph, where the condition of
    the branch that it comes from has one of these truths.
    """
    for user in value.users:
        if lent == {_unneeded_at(user, branch.args[0], value)}:
            continue
        if user.op != CALL or is_checkpoint(user) or (is_scatter(user) and base_of(user) is value):
            return False
        if not storages[user].isdisjoint(storages[value]) and not _is_only_read(user, branch, lent, storages):
            return False
    return True


def unneeded(branch: Node) -> tuple[set[int], set[int]]:
    """The indices of the results that nobody needs if the condition is true, and if it is false:
    later calls with the same condition do not choose them.
    """
    found = set[int](), set[int]()
    for number, result in results_of(branch).items():
        truths = {_unneeded_at(user, branch.args[0], result) for user in result.users}
        if truths in ({True}, {False}) and not any(map(is_unbacked, result.meta["val"].shape)):
            found[0 if truths.pop() else 1].add(number)
    return found


def _unneeded_at(user: Node, pred: Any, value: Node) -> bool | None:
    """The truth of the condition for which a call chooses another value than this one; ``None`` if
    the call is not a choice.
    """
    places = [place for place, arg in enumerate(user.args) if arg is value]
    chooses = user.op == CALL and user.target is ops.control.chosen and user.args[0] is pred
    return places == [2] if chooses and len(places) == 1 else None
