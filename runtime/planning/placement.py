"""Where results go: into the memory of an operand at its last use, or of the array into which they
are written afterwards.

A *storage* is the memory that a node made; views share the storages of their operands. Laws:

1. An operator computes in place only into a storage that the program itself made, of which no other
   value is alive afterwards and no other operand is a view. Inputs, state and constants are never
   written. What a loop carries is its own.
2. The exception: the memory of a mutated input or buffer may hold the values that lead to its final
   value, as it does in eager execution, and no others; and none that is handed out as an array of
   its own.
3. What has been written stays where it is as long as a call may raise: it is written back then. A
   call that may raise computes into memory that holds it only where eager execution does, in the
   array itself. Floating-point errors may raise too, unless that is ruled out (`World.assumed`).
4. The result of an operator that computes in place has the memory layout that a new array would
   have had, unless nobody asks for it.
5. A value that is only written to a part of an array, ``y[1:-1] = value``, may be computed there,
   from the first of its operators on after which nothing else reads the array; where that does not
   pay for the whole value, its blocks may be computed there (`Aim`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection
from typing import Any, NamedTuple

from npexport.ir.aliasing import may_alias
from npexport.ir.arguments import leaves_of
from npexport.ir.graph import CALL, Graph, Node
from npexport.runtime.blocks import fusion
from npexport.runtime.memory.borrowing import with_borrowing
from npexport.runtime.memory.inherited_memory import Block, Inside, Lies, block_of, results_of, settled_places
from npexport.runtime.memory.layouts import C, Layouts, is_array, items_of, rounds_in_place, size_key, takes_any_memory, takes_memory
from npexport.runtime.memory.liveness import Liveness
from npexport.runtime.memory.own_memory import takes_own_memory
from npexport.runtime.memory.view_writes import (
    Part,
    ViewWrites,
    is_part_write,
    is_rearranged,
    is_scatter,
    makes_longer,
    overlaps_alike,
    takes_out,
    window_of,
    written_window,
)
from npexport.runtime.memory.whole_writes import is_whole

WHOLE = object()
LARGE = 1 << 15
"""Bytes of mutated arrays from which on it pays to ask what floating-point errors do."""


class Place(NamedTuple):
    """Memory that takes a result: that of ``memory``, or its part at ``index``."""

    memory: Node
    index: Any = WHOLE


class Aim(NamedTuple):
    """The part of an array to which a value is written afterwards: from this place in the order on
    nothing else needs it; ``assumed``: in calls that are as assumed.
    """

    place: Place
    since: int
    assumed: bool = False


class World:
    """The decisions about one graph; ``assumed``: for calls in which all arrays from outside are in
    C order, and floating-point errors raise nothing.

    ``owned``: the placeholders whose memory is the graph's own; ``leading``: value -> the mutated
    placeholder whose memory may hold it; ``inside``: what is known of sub-graphs, shared with the
    worlds of these.
    """

    def __init__(
        self,
        lives: Liveness,
        writes: ViewWrites,
        layouts: Layouts,
        leading: dict[Node, Node],
        owned: Collection[Node] = (),
        plain: World | None = None,
        inside: Inside | None = None,
    ) -> None:
        self.lives = lives
        self.writes = writes
        self.layouts = layouts
        self.leading = leading
        self.owned = owned
        self.assumed = plain is not None
        self.plain = plain
        self.free: dict[Node, list[Node]] = {} if plain is None else plain.free  # by node, what no world decides otherwise
        self.places: dict[Node, Place] = {}
        self.settled: set[Node] = set()  # writes of what lies there already
        self.memory: dict[Node, Node] = {}  # value -> the node whose memory it lies in
        self.aims: dict[Node, Aim] = {}  # for values that are not computed where they are written
        self.inner: dict[Node, Part] = {}  # writes to views that are written back
        self.parts: dict[Node, Part] = {}  # the same by the writes that put them back
        self.shown: dict[Node, list[Node]] = {}  # memory -> what has been written to views of it
        self.handed: dict[Node, list[Node]] = {}  # branch or loop -> the operands that it may compute in
        self.inside = Inside() if inside is None else inside
        for node in lives.graph.nodes:
            block = block_of(node)
            if block is not None:
                self._hand_over(node, block)
            elif node.op == CALL and is_array(node.meta["val"]) and node not in self.places:
                self._place(node)
        for node in lives.graph.nodes:
            if node in self.places and written_window(node) is not None:
                self._target(node)

    def _place(self, node: Node) -> None:
        """Choose the operand whose memory takes the result, if there is one."""
        target = self.leading.get(node)
        if node in self.writes.back:
            return self._put_back(node, self.writes.back[node])
        if node in self.writes.laid:
            return self._lay_out(node, self.writes.laid[node])
        if self.plain is not None and node not in self.plain.places and not is_scatter(node) and not is_large(node):
            return  # to ask how operands lie costs more
        free = self.free.get(node)
        if free is None:
            free = self.free[node] = [operand for operand in self.writes.candidates(node) if self._is_free(node, operand)]
        here, idle = self.lives.place[node], self._is_idle(node)
        found = [operand for operand in free if idle or not self._is_shown(operand, here)]
        for operand in sorted(found, key=lambda operand: self.owner(operand) is not target) if len(found) > 1 else found:
            if self._leads(node, operand, target) or (self._is_own(node, operand) and self._keeps_layout(node, operand)):
                return self._put(node, operand)
        if is_scatter(node) and self._passes(node):
            self.shown.setdefault(self.owner(self.inner[node].view), []).extend(self.inner[node].steps)
            return self._put(node, self.inner[node].view)
        if is_scatter(node):
            return  # what it writes to has to lie there
        lies = target is not None and self.assumed and takes_out(node) and self._may_lie(node, target) and not rounds_in_place(node)
        if target is not None and lies and is_large(node) and self._is_unread(node, target):
            self._put(node, target)

    def _may_lie(self, node: Node, target: Node) -> bool:
        """Whether a call computes the same into the memory of a mutated array: one of a single axis
        may have gaps.
        """
        if node.meta["val"].ndim > 1 and self.layouts.tokens.get(target) == C:
            return True
        return takes_any_memory(node) or bool(node.meta["val"].ndim < 2 and not takes_memory(node))

    def _put(self, node: Node, operand: Node) -> None:
        self.places[node] = Place(operand)
        self.memory[node] = self.owner(operand)
        if self._is_idle(node):
            self.settled.add(node)

    def _is_idle(self, node: Node) -> bool:
        """Whether a call writes back what is already there."""
        part = self.parts.get(node)
        return part is not None and self._lies_in(part.view, part.steps[-1])

    def _put_back(self, node: Node, part: Part) -> None:
        """A view of all elements that has been written to is in the memory of its array already."""
        if self.parts.get(node) is part and self._is_idle(node):
            self._put(node, part.view.args[0])

    def _lay_out(self, flat: Node, result: Node) -> None:
        """A copy in C order is the array itself if that is in C order and is not used any more."""
        lives, source = self.lives, flat.args[0]
        roots = lives.storages[source] - {source} or {source}
        held = lives.held.get(flat, ())
        owners = [self.owner(root) for root in roots]
        last = all(lives.storage_end[root] == lives.place[flat] and root not in held for root in (*roots, source))
        if last and all(owner.op == CALL or owner in self.owned for owner in owners):
            self._put(flat, source)
        self._put(result, flat)
        self.settled.add(result)

    def owner(self, value: Node) -> Node:
        """The node that made the memory of a value; of a view, of the array that it shows."""
        value = self.memory.get(value, value)
        while is_read_only(value) and value not in self.writes.back and type(value.args[0]) is Node:
            value = self.memory.get(value.args[0], value.args[0])
        return value

    def _is_free(self, node: Node, operand: Node) -> bool:
        """Whether nothing but this result may be in the operand's memory afterwards."""
        storages = self.lives.storages
        fits = makes_longer(node) or same_type(node, operand)
        if storages[operand] != {operand} or not self._is_last(node, operand) or not fits:
            return False
        others = [other for other in node.all_input_nodes if other is not operand and not overlaps_alike(node, other)]
        return (operand in self.writes.apart or not is_read_only(operand)) and not any(operand in storages[other] for other in others)

    def _is_shown(self, value: Node, here: int) -> bool:
        """Whether something that has been written to a view of a value's memory is still needed."""
        lives = self.lives
        shown = self.shown.get(self.owner(value), ())
        return any(lives.place[other] < here <= lives.storage_end[other] and other is not value for other in shown)

    def _hand_over(self, node: Node, block: Block) -> None:
        """Choose the operands in whose memory a branch or a loop may compute."""
        results = results_of(node)
        wanted: dict[int, int | None] = {}
        for place, value in enumerate(block.values):
            if type(value) is not Node or not self._is_given_up(node, value) or not (block.loops or self._is_in_c_order(value)):
                continue  # sums on a side take elements in the order of memory; what loops carry is in C order
            owner = self.owner(value)
            if owner.op == CALL or owner in self.owned:
                wanted[place] = None if owner.op == CALL else -1
            elif (number := self._lent(value, owner, results, place if block.loops else None)) is not None:
                wanted[place] = number
        places, lies = settled_places(block, wanted, self._lies)
        self.handed[node] = [block.values[place] for place in places]
        for number, place in lies.items():
            value, result = block.values[place], results.get(number)
            if result is not None:
                self.memory[result] = self.owner(value)
                if self.memory[result] not in self.owned:
                    self.places[result] = Place(value)

    def _is_in_c_order(self, value: Node) -> bool:
        return bool(value.meta["val"].ndim < 2 or self.layouts.tokens.get(value) == C)

    def _is_given_up(self, node: Node, value: Node) -> bool:
        """Whether a call is the last use of an array."""
        lives = self.lives
        alone = lives.storages[value] == {value} and lives.storage_end[value] == lives.place[node]
        once = sum(type(leaf) is Node and value in lives.storages[leaf] for leaf in leaves_of((node.args, node.kwargs))) == 1
        free = value not in lives.held.get(node, ()) and value not in self.inner and not is_read_only(value)
        return alone and once and free and is_array(value.meta["val"]) and not self._is_shown(value, lives.place[node])

    def _lies(self, graph: Graph, owned: Collection[Node]) -> Lies:
        """Which results of a sub-graph lie in the memory of which placeholders that it owns."""
        key = graph, *owned
        found = self.inside.lies.get(key)
        if found is None:
            world, numbers = (
                world_of_iteration(graph, owned, self.inside),
                {node: place for place, node in enumerate(graph.placeholders)},
            )
            values = enumerate(graph.output_node.args[0])
            owners = {number: world.owner(value) for number, value in values if type(value) is Node}
            found = self.inside.lies[key] = {number: numbers[owner] for number, owner in owners.items() if owner in owned}
        return found

    def _lent(self, value: Node, target: Node, results: dict[int, Node], own: int | None) -> int | None:
        """The result that leads to a mutated array's final value, where its memory is lent for
        it; ``own``: the only one that may.
        """
        if not self.assumed or self._is_shown(value, self.lives.storage_end[value]):
            return None
        found = [number for number, result in results.items() if self.leading.get(result) is target and same_type(result, value)]
        return found[0] if len(found) == 1 and own in (None, found[0]) else None

    def _is_last(self, node: Node, operand: Node) -> bool:
        """Whether the elements that the operand has are used by this call last; what puts a view
        back comes after the view's own last use.
        """
        here, end = self.lives.place[node], self.lives.storage_end[operand]
        return end == here or (end < here and node in self.writes.back)

    def _leads(self, node: Node, operand: Node, target: Node | None) -> bool:
        """Whether a value that becomes a mutated array's final value may be in that array's
        memory.
        """
        if target is None or self.owner(operand) is not target:
            part = self.inner.get(node)
            return part is not None and part is self.inner.get(operand)
        if not same_type(node, operand):
            return False
        if is_scatter(node) or not self.assumed:
            return True
        lies = bool(node.meta["val"].ndim < 2) or self._may_lie(node, target)
        return lies and operand not in self.lives.held.get(node, ())

    def _is_own(self, node: Node, operand: Node) -> bool:
        owner = self.owner(operand)
        return (owner.op == CALL or owner in self.owned) and operand not in self.lives.held.get(node, ()) and operand not in self.inner

    def _is_unread(self, node: Node, target: Node) -> bool:
        """Whether the old elements of a mutated input are no longer needed when this call ends."""
        lives = self.lives
        here = lives.place[node]
        alone = lives.storages[target] == {target} and lives.storage_end[target] <= here
        lies_there = any(owner is target and lives.storage_end[value] > here for value, owner in self.memory.items())
        return alone and not lies_there and same_type(node, target) and target not in lives.held.get(node, ())

    def _keeps_layout(self, node: Node, operand: Node) -> bool:
        """Law 4. A scatter is the functional form of a write into the memory of its operand, so
        that layout is the right one.
        """
        tokens = self.layouts.tokens
        if is_scatter(node) or node.meta["val"].ndim == 1 or node in self.writes.loose:
            return True
        return bool(tokens.get(operand, operand) == tokens[node])

    # Writes to views

    def _passes(self, node: Node) -> bool:
        """Whether a write to a view may be one to the memory of the array that it shows: the
        result is written back there, and nobody looks in between.
        """
        if node not in self.inner:
            part = self.writes.beginning(node)
            if part is None or not self._may_pass(node, part):
                return False
            self.parts[part.write] = part
            self.inner.update(dict.fromkeys(part.steps, part))
        return self.inner[node].steps[0] is node

    def _may_pass(self, node: Node, part: Part) -> bool:
        write, parent = part.write, part.view.args[0]
        storages = self.lives.storages
        others = [other for other in node.all_input_nodes if other is not part.view and not overlaps_alike(node, other)]
        shared = any(not storages[other].isdisjoint(storages[part.view]) for other in others)
        if shared or self.lives.is_read_between(part.view, self.lives.place[node], self.lives.place[write]):
            return False
        if part.flat and self.layouts.tokens.get(parent) != C:
            return False
        if window_of(parent) is not None or (is_rearranged(parent) and parent not in self.writes.back):
            return self._passes(write)
        target = self.leading.get(write)
        owner = self.owner(parent)
        if self._is_shown(parent, self.lives.place[node]) or (target is not None and not self.lives.leaving.isdisjoint(part.steps)):
            return False
        return self._is_free(write, parent) and ((target is not None and owner is target) or self._is_own(write, parent))

    def _lies_in(self, view: Node, value: Node) -> bool:
        """Whether a value is in the memory of a view."""
        while value is not view:
            place = self.places.get(value)
            if place is None or place.index is not WHOLE:
                return False
            value = place.memory
        return True

    # Values that are computed where they are written

    def _target(self, write: Node) -> None:
        """Compute the value of a write to a part of an array in that part (law 5)."""
        base, index, value = write.args
        if not self._is_only(value, write) or "raises" in value.meta or not (takes_any_memory(value) or self._updates(value, base, write)):
            return  # NumPy's message about operands that do not fit names the memory, too
        updated = self._updated(value, base, write)
        if updated is not None:  # x[index] += value
            if self._may_begin(value, write, base):
                self._settle(write, value, Place(updated))
            return
        if not is_part_write(write) or not self._fits(base, index, value):
            return
        chain = [value]
        while self._is_in_place(chain[-1]):
            chain.append(self.places[chain[-1]].memory)
        if any("raises" in node.meta for node in chain):
            return
        updates = is_whole(index) and base in chain[-1].all_input_nodes and same_type(chain[-1], base)  # x *= value; x += value
        if updates and self._may_begin(chain[-1], write, base):
            return self._settle(write, chain[-1], Place(base, index))
        if not takes_any_memory(value):
            return
        if not (self.layouts.tokens.get(base) == C and is_contiguous_part(index)) and (len(chain) > 1 or has_rows(index)):
            self._aim(write, value, base)
            return  # ufuncs are slower there than in memory of their own and a copy
        begin = next((node for node in reversed(self._laid_out_anywhere(chain, base)) if self._may_begin(node, write, base)), None)
        if begin is not None:
            self._settle(write, begin, Place(base, index))

    def _laid_out_anywhere(self, chain: list[Node], base: Node) -> list[Node]:
        """The values of a chain, from the written one backwards, as far as nothing but the chain
        reads them: the layout of other results follows from theirs, unless it is that of the array.
        """
        for place, (later, node) in enumerate(itertools.pairwise(chain)):
            if list(node.users) != [later] and not self.layouts.tokens.get(node) == self.layouts.tokens.get(base) == C:
                return chain[: place + 1]
        return chain

    def _aim(self, write: Node, value: Node, base: Node) -> None:
        """A value that is computed block by block may lie there all the same."""
        lives = self.lives
        end, root = lives.place[write], self.owner(base)
        if not is_large(value, fusion.POLICY.parallel):
            return
        needed = [lives.place[leaf] for leaf in leaves_of(write.args[:2]) if type(leaf) is Node]
        if root.op != CALL and root not in self.owned:
            needed += [lives.place[raising] for raising in lives.held if lives.place[raising] <= end]
            if not self.assumed:
                return
        reads = [place for storage in lives.storages[base] for place in lives.reads.get(storage, ()) if place < end]
        first = max([place + 1 for place in needed] + reads)
        if not any(lives.place[other] < end and lives.storage_end[other] >= first for other in self.shown.get(root, ())):
            self.aims[value] = Aim(Place(base, write.args[1]), first)

    def _settle(self, write: Node, value: Node, place: Place) -> None:
        """Have a value computed where the write puts it, or what is made of it."""
        self.places[value] = place
        self.memory[value] = self.owner(write.args[0])
        self.settled.add(write)

    def _updated(self, value: Node, base: Node, write: Node) -> Node | None:
        """The operand of a value that is the very part of the array to which it is written."""
        window = written_window(write)
        found = [operand for operand in value.all_input_nodes if window_of(operand) == window and operand.args[0] is base]
        return found[0] if found and same_type(value, found[0]) else None

    def _updates(self, value: Node, base: Node, write: Node) -> bool:
        """Whether a value is computed from the elements that it takes the place of, and would be
        the same there: no other operand may show them.
        """
        operand = base if is_whole(write.args[1]) and base in value.all_input_nodes else self._updated(value, base, write)
        if operand is None or not takes_own_memory(value, operand):
            return False
        storages = self.lives.storages
        return all(other is operand or storages[other].isdisjoint(storages[base]) for other in value.all_input_nodes)

    def _is_in_place(self, node: Node) -> bool:
        """Whether a value is in the memory of another element-wise result."""
        place = self.places.get(node)
        return place is not None and place.index is WHOLE and place.memory.op == CALL and takes_any_memory(place.memory)

    def _is_only(self, value: Any, write: Node) -> bool:
        """Whether a value is the result of a call, and used by this write only."""
        alone = type(value) is Node and value.op == CALL and list(value.users) == [write]
        return alone and sum(leaf is value for leaf in leaves_of(write.args)) == 1

    def _fits(self, base: Node, index: Any, value: Node) -> bool:
        """Whether NumPy's ufunc, writing there itself, does what the write does: the dtype is the
        same, and so is how the value is stretched.
        """
        if not is_array(value.meta["val"]) or value.meta["val"].dtype != base.meta["val"].dtype:
            return False
        taken = sum(type(item) is int or type(item) is Node for item in items_of(index))
        return bool(value.meta["val"].ndim <= base.meta["val"].ndim - taken + sum(item is None for item in items_of(index)))

    def _may_begin(self, node: Node, write: Node, base: Node) -> bool:
        lives = self.lives
        begin, end = lives.place[node], lives.place[write]
        if any(type(leaf) is Node and lives.place[leaf] >= begin for leaf in leaves_of(write.args[1])):
            return False
        if node.meta["val"].dtype != write.args[2].meta["val"].dtype or lives.place[base] >= begin:
            return False
        own = self.owner(base).op == CALL or self.owner(base) in self.owned
        if not own and (not self.assumed or not is_large(base) or any(begin <= lives.place[raising] <= end for raising in lives.held)):
            return False
        return not lives.is_read_between(base, begin, end) and not self._is_shown(base, begin)


def world_of_iteration(graph: Graph, owned: Collection[Node], inside: Inside) -> World:
    """What is decided of a sub-graph that may compute in the memory of these placeholders, in C
    order, which nobody else sees.
    """
    storages, writes = may_alias(graph), ViewWrites(graph)
    lives = with_borrowing(Liveness(graph, writes.separated(storages), {}), (), owned)
    return World(lives, writes, Layouts(graph, False, inside.orders | dict.fromkeys(owned, C), writes.originals), {}, owned, inside=inside)


def is_large(node: Node, least: int | None = None) -> bool:
    """Whether an array has many bytes, or may have."""
    val, least = node.meta["val"], LARGE if least is None else least
    if not hasattr(val, "dtype"):  # a number
        return False
    for size in val.shape:
        if type(size) is not int:
            return True
    return bool(math.prod(val.shape) * int(val.dtype.itemsize) >= least)


def is_read_only(node: Node) -> bool:
    """Whether a value must not be written to although it has memory of its own: the imaginary part
    of a real array.
    """
    return node.op == CALL and "view" in node.target.traits  # type: ignore[union-attr]


def same_type(node: Node, operand: Node) -> bool:
    """Whether two values have one shape and dtype."""
    have, need = operand.meta["val"], node.meta["val"]
    return is_array(have) and have.dtype == need.dtype and size_key(have) == size_key(need)


def is_contiguous_part(index: Any) -> bool:
    """Whether an index selects contiguous elements of an array in C order: it consists of integers,
    one slice and whole axes.
    """
    items = list(items_of(index))
    while items and (type(items[0]) is int or type(items[0]) is Node):
        del items[0]
    first, rest = items[:1], items[1:]
    plain = all(item is Ellipsis or (type(item) is slice and item.step in (None, 1)) for item in first)
    return plain and all(item is Ellipsis or item == slice(None) for item in rest) and not (first == [Ellipsis] and rest)


def has_rows(index: Any) -> bool:
    """Whether an index selects rows of elements of an array in C order, not only single ones."""
    last = (Ellipsis, *items_of(index))[-1]
    return type(last) is not int and type(last) is not Node and (type(last) is not slice or last.step in (None, 1))
