"""Simplification that keeps bits: what the compiler leaves out of a program before it plans memory.

Laws: values, dtypes, layouts, flags, sharing of memory, warnings and exceptions are those of the
graph as it is printed. So a value is replaced by another only where it does not leave the program,
nobody's own function gets it, and the other lies in memory as it does: elements that lie otherwise
are summed in another order. Arithmetic of floats stays: it quiets NaN, and there are two zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.aliasing import escaping, may_alias, taken_again
from npexport.ir.arguments import leaves_of
from npexport.ir.editing import copied
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.node import value_of
from npexport.ir.op import Op
from npexport.ir.ops import views
from npexport.ir.ops.rules import larger
from npexport.ir.program import ExportedProgram
from npexport.runtime.compilation.boxed_numbers import is_boxed, is_boxed_integer, unboxed
from npexport.runtime.compilation.uses_of_copies import gives_elements, is_alone
from npexport.runtime.lists.appended_lists import drop_places
from npexport.runtime.lists.list_calls import calls
from npexport.runtime.lists.list_columns import columns_of_numbers
from npexport.runtime.lists.row_elements import join_rows
from npexport.runtime.loops.begun_with_zeros import begin_apart
from npexport.runtime.loops.passed_through import hand_on
from npexport.runtime.memory.layouts import C, Layouts, base_of, is_elementwise_ufunc, is_of_block, items_of, known_orders
from npexport.runtime.memory.view_writes import is_scatter, looks
from npexport.runtime.memory.whole_writes import are_alike, is_whole, pass_over_writes
from npexport.runtime.planning.loop_invariants import hoist, is_loop, redirect
from npexport.runtime.planning.sinking import late_operands, make_inside, moved
from npexport.symshapes.env import known
from npexport.symshapes.symint import SymInt

np_ = ops.np


def simplified(program: ExportedProgram) -> ExportedProgram:
    """The program without calls that change nothing; the program itself if there are none."""
    nodes = [node for node in program.graph.nodes if node.op == CALL]
    simple = not any(is_loop(node) or _is_candidate(node) for node in nodes) and next(late_operands(program.graph), None) is None
    if simple and moved(program.graph, program.graph_signature) is None:
        return program
    copy = copied(program)
    changed = hand_on(copy.graph)
    for node in [node for node in copy.graph.nodes if is_loop(node)]:
        changed |= hoist(copy.graph, node)
    for each in list(late_operands(copy.graph)):
        make_inside(each)
        changed = True
    changed |= join_rows(copy.graph) | drop_places(copy.graph) | begin_apart(copy.graph)
    changed |= _Simplifier(copy).run()
    late = moved(copy.graph, copy.graph_signature)
    if late is not None:
        copy.graph.keep(late)
    return copy if changed or late is not None else program


class _Simplifier:
    """``kept``: the values that stay what they are, ``listed``: those of which only lists of
    numbers are made.
    """

    def __init__(self, program: ExportedProgram) -> None:
        self.graph: Graph = program.graph
        signature = program.graph_signature
        self.replaced: set[Node] = set()
        self.layouts = Layouts(self.graph, False, known_orders(self.graph, signature), {}).tokens
        self.kept = escaping(self.graph, signature, may_alias(self.graph, signature)) | set(taken_again(self.graph, signature))
        self.listed = columns_of_numbers(program)
        for node in self.graph.nodes:
            if node is self.graph.output_node or looks(node):
                self.kept.update(*map(_chain, node.all_input_nodes))

    def run(self) -> bool:
        """Whether anything was left out."""
        self.replaced |= pass_over_writes(self.graph, self.kept)
        for node in self.graph.nodes:
            rule = _rule_of(node) if node.op == CALL and "raises" not in node.meta and node not in self.replaced else None
            if rule is None or (node in self.kept and rule not in _OF_KEPT and node not in self.listed):
                continue
            other = rule(self, node)
            if other is not None:
                self.replaced.add(node)
                redirect(node, other)
        for graph in [each for each in self.graph.all_graphs() if each is not self.graph]:
            for node in [node for node in graph.nodes if _takes_beginning(node)]:
                self.beginning(node)
        for graph in {node.graph: None for node in self.replaced}:
            self._sweep(graph)
        return bool(self.replaced)

    def _sweep(self, graph: Graph) -> None:
        """Drop what was replaced, and the calls that nothing else needs and that never raise or
        warn.
        """
        dropped = set(self.replaced)
        for node in reversed(graph.nodes):
            used = any(user not in dropped for user in node.users)
            if node.op == CALL and node.users and not used and "raises" not in node.meta and _is_quiet(node):
                dropped.add(node)
        graph.keep([node for node in graph.nodes if node not in dropped])

    def _is_dense(self, node: Any) -> bool:
        """Whether an array has the layout of a copy of it."""
        if type(node) is not Node or not isinstance(node.meta["val"], TensorMeta) or node.meta["val"].scalar:
            return False
        return self.layouts.get(node) == C or (node.op == CALL and is_elementwise_ufunc(node))

    def _same(self, node: Node, other: Any) -> Node | None:
        """The other value, if it has the shape and dtype of the node, and the layout of a copy."""
        return other if self._is_dense(other) and are_alike(node, other) else None

    # Rules: what takes the place of a call, if anything does

    def copy(self, node: Node) -> Node | None:
        """A copy of a value that nobody writes to, or of whose numbers a list is made, or an
        integer that is made of a truth for Python.
        """
        base = node.args[0]
        if _is_number_of_truth(node):
            return base  # type: ignore[no-any-return]
        if "order" in node.kwargs and (node.kwargs["order"] != "C" or self.layouts.get(base) != C):
            return None
        if node in self.kept and node not in self.listed:
            new = base not in self.kept and is_alone(base) and self.layouts.get(base) == C
            return base if new and are_alike(node, base) else None
        if node in self.kept:
            return base if _is_copy(node) and list(node.users) == [self.graph.output_node] else None
        return self._same(node, base) or (base if are_alike(node, base) and gives_elements(node) else None)

    def contiguous(self, node: Node) -> Node | None:
        """A copy in C order of a value that is in C order already."""
        base = node.args[0]
        given = not node.kwargs and node.args[1:] in ((), ("C",))
        return base if given and self.layouts.get(base) == C and are_alike(node, base) else None

    def flattened(self, node: Node) -> None:
        """A new vector made of a copy that nothing else uses: it is made of the original, which has
        the same elements.
        """
        base = node.args[0]
        if _is_copy(base) and list(base.users) == [node]:
            node.args = (base.args[0], *node.args[1:])
            self.replaced.add(base)

    def stacked(self, node: Node) -> None:
        """A new axis of numbers, each of which has been made an array to be stacked alone; or of
        rows of such, made for it alone.
        """
        items = node.args[0]
        boxed = all(is_boxed(item) and all(map(_stacks, item.users)) for item in items)
        if self._holds_integers(node):
            node.args = ([unboxed(item) for item in items],)
            node.meta = node.meta | ({"raises": True} if any("raises" in item.meta for item in items) else {})
        elif boxed and (len({item.meta["val"].dtype for item in items}) == 1 or all(len(item.args) == 1 for item in items)):
            node.args = ([unboxed(item) for item in items], *node.args[1:])
        elif all(_is_row(item) and list(item.users) == [node] for item in items) and _is_plain(node):
            node.args = ([item.args[0] for item in items],)
        self.replaced.update(item for item in items if type(item) is Node and not item.users)

    def _holds_integers(self, node: Node) -> bool:
        """Whether a call stacks integers of Python's that have been made arrays right before it, so
        that nothing is between those of which one may be too large for that.
        """
        items = node.args[0]
        if not (_is_plain(node) and all(is_boxed_integer(item) and list(item.users) == [node] for item in items)):
            return False
        place = self.graph.nodes.index(node)
        return set(self.graph.nodes[place - len(items) : place]) == set(items)

    def beginning(self, node: Node) -> None:
        """The elements before a place, by a mask of the places before it: a copy of a part."""
        (base, mask), graph = node.args, node.graph
        end = mask.args[1]
        if known(end.meta["val"] >= 0) is not True:
            least = Node(graph.fresh_name("least"), CALL, ops.sym.max, (end, 0), {}, end.meta | {"val": larger(end.meta["val"], 0)})
            end = graph.insert(graph.nodes.index(node), least)
        most = base.meta["val"].shape[0]
        for size in [user for user in node.users if calls(user, ops.sym.size) and user.args[1] == 0 and type(most) is int]:
            size.target, size.args = ops.sym.min, (end, most)
        self.replaced.update(() if node.users else (node,))
        leaves = graph is self.graph and all(user.op != CALL for user in node.users)
        if leaves and known(end.meta["val"] <= most) is True:
            node.meta = node.meta | {"val": TensorMeta((end.meta["val"], *base.meta["val"].shape[1:]), base.meta["val"].dtype)}
        part = Node(graph.fresh_name("part"), CALL, np_.getitem, (base, slice(None, end)), {}, dict(node.meta))
        graph.insert(graph.nodes.index(node), part)
        node.target, node.args = np_.copy, (part,)
        if all(user in self.replaced for user in mask.users):
            self.replaced.add(mask)
            places = mask.args[0]
            numbered = type(places) is Node and all(user in self.replaced for user in places.users)
            sizes = [size for size in places.all_input_nodes if len(size.users) == 1] if numbered else []
            self.replaced.update((*([places] if numbered else []), *sizes))

    def neutral(self, node: Node) -> Node | None:
        """An operation on an integer and a neutral element."""
        value, either = node.target.neutral  # type: ignore[union-attr, misc]
        if node.kwargs or len(node.args) != 2 or node.meta["val"].dtype.kind not in "iu":
            return None
        for position in (0, 1) if either else (0,):
            number = node.args[1 - position]
            if type(number) is int and number == value:
                return self._same(node, node.args[position])
        return None

    def inverse(self, node: Node) -> Node | None:
        """An operation that undoes that of its operand."""
        inner = _inner(node)
        if inner is None or (node.target is np_.logical_not and inner.args[0].meta["val"].dtype != np.bool):
            return None
        return self._same(node, inner.args[0])

    def idempotent(self, node: Node) -> Node | None:
        """An operation that has been applied already."""
        inner = _inner(node)
        real = inner is not None and inner.meta["val"].dtype.kind in "biuf"
        return self._same(node, inner) if real else None

    def permutation(self, node: Node) -> Node | None:
        """Two transpositions, one after the other."""
        inner = node.args[0]
        if _permuted(node) is None or inner.op != CALL or _rule_of(inner) is not _Simplifier.permutation or _permuted(inner) is None:
            return None
        before = _permuted(inner)
        axes = tuple([before[axis] for axis in _permuted(node)])  # type: ignore[index, union-attr]
        if axes == tuple(range(len(axes))):
            return inner.args[0]  # type: ignore[no-any-return]
        return self._instead(node, np_.transpose, (inner.args[0], axes))

    def reshape(self, node: Node) -> Node | None:
        """Two changes of the shape of a value in C order, which are views of all of it."""
        base = node.args[0]
        if node.kwargs or len(node.args) != 2 or self.layouts.get(base) != C:
            return None
        if are_alike(node, base):
            return base  # type: ignore[no-any-return]
        again = base.op == CALL and base.target is np_.reshape and len(base.args) == 2 and not base.kwargs
        if not again or self.layouts.get(base.args[0]) != C:
            return None
        return self._instead(node, np_.reshape, (base.args[0], node.args[1]))

    def part(self, node: Node) -> Node | None:
        """All of an array, the scalar that was written to an element last, or one of the arrays
        that it is joined from.
        """
        base, index = node.args
        if node.meta["val"].scalar:
            return _written(node, base, index)
        if is_whole(index):
            return base if are_alike(node, base) else None
        joined = base.op == CALL and base.target is np_.concatenate and not base.kwargs and base.args[1:] in ((), (0,))
        if not joined or not isinstance(base.meta["val"], TensorMeta) or type(index) is not slice:
            return None
        return self._joined(node, base, index)

    def back(self, node: Node) -> Node | None:
        """An array with some elements replaced, put back in the place of all of that array."""
        base, index, value = node.args
        last = value if type(value) is Node and is_whole(index) else base
        while value is not base:
            if type(value) is not Node or not is_scatter(value) or not are_alike(node, value):
                return None
            value = base_of(value)
        both = node in self.kept and last in self.kept  # two arrays leave the program
        return last if last is not base and are_alike(node, base) and not both else None

    def _joined(self, node: Node, base: Node, index: slice) -> Node | None:
        length = base.meta["val"].shape[0]
        if self.layouts.get(base) != C or type(length) is not int or any(type(each) is Node for each in leaves_of(index)):
            return None
        start, stop, step = index.indices(length)
        place = 0
        for part in base.args[0]:
            meta = part.meta["val"] if type(part) is Node else None
            if not isinstance(meta, TensorMeta) or not meta.shape or type(meta.shape[0]) is not int:
                return None
            if (place, place + meta.shape[0], 1) == (start, stop, step) and start < stop:
                return part if self.layouts.get(part) == C and are_alike(node, part) else None
            place += meta.shape[0]
        return None

    def _instead(self, node: Node, op: Op, args: tuple[Any, ...]) -> Node:
        """Replace a call by another one."""
        new = Node(self.graph.fresh_name(op.name), CALL, op, args, {}, dict(node.meta))
        self.graph.insert(self.graph.nodes.index(node) + 1, new)
        self.layouts[new] = self.layouts.get(node, new)
        return new


def _written(read: Node, base: Node, index: Any) -> Node | None:
    """What was written to an element that is read, as a scalar of its very dtype."""
    meta = base.meta["val"]
    place = _place(index, meta.shape)
    for _ in range(MOST_WRITES) if place is not None and meta.dtype.kind in "biufc" else ():
        if not _writes_one(base) or (other := _place(base.args[1], meta.shape)) is None:
            return None
        if other == place:
            value = base.args[2].meta["val"] if type(base.args[2]) is Node else None
            same = isinstance(value, TensorMeta) and value.scalar and value.dtype == meta.dtype == read.meta["val"].dtype
            return base.args[2] if same else None
        base = base.args[0]
    return None


MOST_WRITES = 8
"""The writes to elements back to which a read looks."""


def _writes_one(node: Node) -> bool:
    return node.op == CALL and node.target is np_.setitem and not node.kwargs and "raises" not in node.meta


def _place(index: Any, shape: tuple[Any, ...]) -> tuple[int, ...] | None:
    """The element that an index of integers selects, from an array whose sizes are known."""
    items = items_of(index)
    if len(items) != len(shape) or not all(type(item) is int for item in (*items, *shape)):
        return None
    inside = all(-size <= item < size for item, size in zip(items, shape, strict=True))
    return tuple([item % size for item, size in zip(items, shape, strict=True)]) if inside else None


def _is_beginning(node: Node) -> bool:
    """Whether a mask takes the elements before a place, and is for nothing else."""
    base, mask = node.args
    if type(mask) is not Node or mask.op != CALL or mask.target is not np_.less or mask.kwargs:
        return False
    places, end = mask.args
    counts = type(places) is Node and places.op == CALL and places.target is np_.arange and not places.kwargs
    known_end = type(end) is Node and type(end.meta["val"]) is SymInt
    taken = all(_takes_by(user, mask) for user in mask.users) and "raises" not in mask.meta
    return counts and known_end and taken and _are_as_many(places.args, base.meta["val"].shape)


def _takes_beginning(node: Node) -> bool:
    return node.op == CALL and "raises" not in node.meta and _rule_of(node) is _Simplifier.beginning


def _are_as_many(sizes: tuple[Any, ...], shape: tuple[Any, ...]) -> bool:
    values = tuple([value_of(size) for size in sizes])
    return len(values) == 1 and (values[0] is shape[0] or known(values[0] == shape[0]) is True)


def _takes_by(user: Node, mask: Node) -> bool:
    """Whether a call takes the elements of a vector by a mask, or rows of an array in C order."""
    if user.op != CALL or user.target is not np_.index or user.args[1:] != (mask,):
        return False
    return bool(user.args[0].meta["val"].ndim == 1 or is_of_block(user.args[0]))


_OF_KEPT = (_Simplifier.beginning, _Simplifier.flattened, _Simplifier.stacked, _Simplifier.back, _Simplifier.copy)
"""The rules that leave the call, and take something else for an operand; and those which take the
same memory for it, or new memory that nothing else has.
"""


def _rule_of(node: Node) -> Callable[[_Simplifier, Node], Node | None] | None:
    """The rule that the record of the operator names, for a call that has an array, or a list of
    arrays, first.
    """
    op: Any = node.target
    if not isinstance(node.meta["val"], TensorMeta) or not node.args:
        return None
    first = node.args[0]
    if op.view.strides is views.of_permutation:
        return _Simplifier.permutation if type(first) is Node else None
    if op.neutral is not None:
        return _Simplifier.neutral if any(type(arg) is int and arg == op.neutral.number for arg in node.args) else None
    if not op.rewrite or (type(first) is Node) is (op.rewrite == "stacked"):
        return None
    return getattr(_Simplifier, op.rewrite) if op.rewrite != "beginning" or _is_beginning(node) else None


def _is_candidate(node: Node) -> bool:
    """Whether a rule may apply, by the call and the one before it."""
    rule = _rule_of(node)
    if rule is None or rule is _Simplifier.contiguous:
        return rule is not None
    first = node.args[0]
    if rule is _Simplifier.stacked:
        return all(map(is_boxed, first)) or all(map(is_boxed_integer, first))
    if rule is _Simplifier.flattened:
        return _is_copy(first)
    if rule in (_Simplifier.beginning, _Simplifier.back):
        return rule is _Simplifier.beginning or is_whole(node.args[1])
    if rule in (_Simplifier.copy, _Simplifier.neutral):
        return rule is _Simplifier.neutral or are_alike(node, first) or _is_number_of_truth(node)
    if rule is _Simplifier.part and node.meta["val"].scalar:
        return _writes_one(first)
    before = first.op == CALL and (first.target in (node.target, np_.concatenate) or _rule_of(first) is rule)
    return before or (rule in (_Simplifier.reshape, _Simplifier.part) and are_alike(node, first))


def _is_number_of_truth(node: Node) -> bool:
    """Whether a scalar is an integer of which Python's is made, and of a truth of NumPy's, of which
    that can be made, too.
    """
    metas: list[Any] = [each.meta["val"] for each in (node, node.args[0]) if type(each) is Node]
    kinds = "".join(meta.dtype.kind for meta in metas if isinstance(meta, TensorMeta) and meta.scalar)
    users = [user.target.emit.numbers if user.op == CALL else "" for user in node.users]  # type: ignore[union-attr]
    return kinds == "ib" and {*users} == {"iu"}


def _is_copy(node: Node) -> bool:
    """Whether a value is a copy of another one, of the same dtype."""
    plain = node.op == CALL and node.target.rewrite == "copy" and type(node.args[0]) is Node  # type: ignore[union-attr]
    return plain and "raises" not in node.meta and are_alike(node, node.args[0])


def _is_plain(node: Node) -> bool:
    return len(node.args) == 1 and not node.kwargs


def _stacks(user: Node) -> bool:
    return user.op == CALL and _rule_of(user) is _Simplifier.stacked


def _is_row(item: Any) -> bool:
    """Whether a value is a new array of NumPy's numbers, or of rows of them."""
    if type(item) is not Node or item.op != CALL or "raises" in item.meta or not _stacks(item):
        return False
    values = [value_of(leaf) for leaf in leaves_of(item.args[0])]
    of_numpy = all(isinstance(value, np.generic) or getattr(value, "scalar", False) for value in values)
    return len(item.args) == 1 and not item.kwargs and of_numpy


def _is_quiet(node: Node) -> bool:
    """Whether a call warns for no data."""
    op: Any = node.target
    return op.rewrite == "inverse" or "view" in op.traits or bool(op.is_quiet(*node.args, **node.kwargs))


def _chain(node: Node) -> list[Node]:
    """A value and the views that it is the result of: an output takes them again, of what has been
    written to.
    """
    found = [node]
    while node.op == CALL and "view" in node.target.traits:  # type: ignore[union-attr]
        node = node.args[0]
        found.append(node)
    return found


def _inner(node: Node) -> Node | None:
    """The operand, if it is a call of the same operator."""
    inner = node.args[0]
    plain = is_elementwise_ufunc(node) and type(inner) is Node and inner.op == CALL and inner.target is node.target
    return inner if plain and is_elementwise_ufunc(inner) else None


def _permuted(node: Node) -> tuple[int, ...] | None:
    """The axis of the argument that each axis of a view is."""
    op: Any = node.target
    if any(type(leaf) is Node for leaf in leaves_of((node.args[1:], node.kwargs))):
        return None
    rank = node.args[0].meta["val"].ndim
    numbered = np.lib.stride_tricks.as_strided(np.empty(0, np.uint8), (2,) * rank, range(1, rank + 1))
    asked = op.kernel(numbered, *node.args[1:], **node.kwargs)
    return tuple([number - 1 for number in asked.strides]) if asked.ndim == rank else None
