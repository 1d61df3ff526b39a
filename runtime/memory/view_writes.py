"""Writes to views, as graphs have them: the view with some elements replaced, which an operator
puts back where the view was.

``setitem(x, 0, setitem(getitem(x, 0), 1, value))`` is ``x[0][1] = value``, and
``transpose(setitem(transpose(x), 1, value))`` is ``x.T[1] = value``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from npexport.ir import ops
from npexport.ir.aliasing import is_view
from npexport.ir.arguments import leaves_of, structural_key
from npexport.ir.checkpoints import is_checkpoint
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.ops import views
from npexport.runtime.memory.layouts import is_array, is_basic, items_of, rounds_in_place, size_key, takes_any_memory, takes_memory
from npexport.runtime.memory.whole_writes import of_any_order


class Part(NamedTuple):
    """Writes to a view of an array. ``steps`` write to ``view``, one after the other, and ``write``
    puts the result where the view was. ``flat``: it is a view only of an array in C order.
    ``alone``: nothing else uses the result.
    """

    view: Node
    steps: tuple[Node, ...]
    write: Node
    flat: bool = False
    alone: bool = True


def is_scatter(node: Node) -> bool:
    """Whether a call is a functional write."""
    return node.op == CALL and "scatter" in node.target.traits  # type: ignore[union-attr]


def makes_longer(node: Node) -> bool:
    """Whether a functional write needs other memory if that of its operand is too small."""
    return is_scatter(node) and "data_dependent_shape" in node.target.traits  # type: ignore[union-attr]


def is_part_write(node: Node) -> bool:
    """Whether a call writes to a view of its operand: ``x[index] = value`` with slices and
    integers.
    """
    op: Any = node.target
    return is_scatter(node) and op.emit.in_place.count("{") == 3 and not node.kwargs and is_basic(node.args[1])


def is_part(node: Node) -> bool:
    """Whether a value is a view by slices and integers."""
    return node.op == CALL and node.target.view.strides is views.of_slices and is_basic(node.args[1])  # type: ignore[union-attr]


def window_of(view: Node) -> Any:
    """What tells the parts of an array apart that have their places there, and that a functional
    write puts back: slices and integers, the real and the imaginary part, a field. ``None`` of any
    other value.
    """
    if is_part(view):
        return _key(view.args[1])
    if view.op == CALL and view.target is ops.np.field:
        return view.args[1] if type(view.args[1]) is str else None
    return (view.target.view.part or None) if view.op == CALL else None  # type: ignore[union-attr]


def written_window(write: Node) -> Any:
    """The window that a call writes to: its second argument is the window, its third the value."""
    if is_part_write(write):
        return _key(write.args[1])
    named = write.op == CALL and write.target in (ops.np.set_part, ops.np.set_field)
    return write.args[1] if named and type(write.args[1]) is str else None


def is_rearranged(node: Any) -> bool:
    """Whether a value consists of all elements of another one in another order or shape, by
    arguments that are known.
    """
    op: Any = node.target if type(node) is Node and node.op == CALL else None
    if op is None or op.view.strides not in _REARRANGED:
        return False
    base = node.args[0]
    known = not any(type(leaf) is Node for leaf in leaves_of((node.args[1:], node.kwargs)))
    return known and type(base) is Node and is_array(base.meta["val"])


_REARRANGED = {views.of_permutation, views.of_reshape, views.of_squeeze}


def candidates(node: Node) -> list[Node]:
    """The operands into whose memory this operator could compute."""
    if not is_array(node.meta["val"]) or rounds_in_place(node):
        return []
    if is_scatter(node):
        base = next((arg for arg in node.args if type(arg) is Node), None)
        uses = sum(leaf is base for leaf in leaves_of((node.args, node.kwargs)))
        reads_first = node.target.out.aliases  # type: ignore[union-attr]
        return [base] if base is not None and (uses == 1 or reads_first) else []
    operands = node.args if takes_memory(node) else node.args[:1] if takes_out(node) else ()
    found = dict.fromkeys([arg for arg in operands if type(arg) is Node])
    return [arg for arg in found if not takes_memory(node) or takes_any_memory(node) or arg.op != CALL or not is_view(arg)]


def takes_out(node: Node) -> bool:
    """Whether a call may compute into memory that it is given, its own first operand included."""
    return takes_memory(node) or (node.op == CALL and node.target.out.aliases)  # type: ignore[union-attr]


class ViewWrites:
    """The writes to views in one graph.

    ``back``: the calls that put a view of all elements back; ``apart``: those of them that are
    views by their records, but of memory that nothing else uses. ``laid``: for each array that is
    flattened for the sake of C order alone, the call that gives it its axes again. ``loose``: the
    results of which nobody asks in which order they lie.
    """

    def __init__(self, graph: Graph) -> None:
        self.loose = of_any_order(graph)
        self._candidates: dict[Node, list[Node]] = {}
        self.back: dict[Node, Part] = {}
        self.laid = {node.args[0]: node for node in graph.nodes if is_laid_out(node)}
        for node in graph.nodes:
            if is_rearranged(node) and self._is_write(node.args[0]):
                part = self._of_rearranged(node)
                if part is not None:
                    self.back[node] = part
        self.apart = {node for node, part in self.back.items() if part.alone}

    def separated(self, storages: dict[Node, set[Node]]) -> dict[Node, set[Node]]:
        """The storages, without those that are only passed on under another name."""
        passed = {node.args[0] for node in self.apart}
        return {node: roots if node in passed else roots - passed for node, roots in storages.items()} if passed else storages

    @property
    def originals(self) -> dict[Node, Node]:
        """The arrays whose views ``back`` puts back."""
        return {node: part.view.args[0] for node, part in self.back.items()}

    def candidates(self, node: Node) -> list[Node]:
        """The operands in whose memory the result of a call could be."""
        found = self._candidates.get(node)
        if found is None:
            part = self.back.get(node)
            found = self._candidates[node] = candidates(node) if part is None else [part.view.args[0]]
        return found

    def _is_write(self, node: Node) -> bool:
        return is_scatter(node) or node in self.back

    def _of_rearranged(self, write: Node) -> Part | None:
        steps, alone = [write.args[0]], True
        while True:
            alone = alone and list(steps[-1].users) == [write if len(steps) == 1 else steps[-2]]
            (base,) = self.candidates(steps[-1]) or (None,)
            if base is None or not self._is_write(base):
                break
            steps.append(base)
        if base is None or not is_rearranged(base) or not _is_inverse(write, base):
            return None
        flat = base.target.view.strides is not views.of_permutation  # type: ignore[union-attr]
        return Part(base, tuple(reversed(steps)), write, flat, alone)

    def beginning(self, node: Node) -> Part | None:
        """The writes to a view that begin with this call and end where the view is put back."""
        view = next(iter(self.candidates(node)), None)
        window = None if view is None else window_of(view)
        if view is None or (window is None and not is_rearranged(view)):
            return None
        steps, parent = [node], view.args[0]
        while True:
            found = [user for user in steps[-1].users if user.op == CALL and (is_scatter(user) or user in self.back)]
            for user in found:
                if user in self.back and self.back[user].view is view:
                    return self.back[user]
                written = written_window(user)
                if window is not None and written is not None and user.args[2] is steps[-1] and user.args[0] is parent:
                    return Part(view, tuple(steps), user) if written == window else None
            if len(found) != 1 or self.candidates(found[0]) != [steps[-1]]:
                return None
            steps.append(found[0])


def _is_inverse(second: Node, first: Node) -> bool:
    """Whether the second of two rearrangements undoes the first."""
    ops: Any = first.target, second.target
    if size_key(first.args[0].meta["val"]) != size_key(second.meta["val"]):
        return False
    if all(op.view.strides is not views.of_permutation for op in ops):
        orders = [arg for node in (first, second) for arg in (*node.args[2:], *node.kwargs.values())]
        return not orders  # both in C order
    mirror = np.empty(tuple(range(2, 2 + first.args[0].meta["val"].ndim)), bool)
    try:
        there = ops[0].kernel(mirror, *first.args[1:], **first.kwargs)
        back = ops[1].kernel(there, *second.args[1:], **second.kwargs)
    except (ValueError, TypeError):  # made for other sizes
        return False
    return bool(back.shape == mirror.shape and back.strides == mirror.strides)


def is_laid_out(node: Node) -> bool:
    """Whether a call gives its axes back to an array that has been flattened for its order alone:
    ``reshape(flatten(x), x.shape)``.
    """
    flat = node.args[0] if is_rearranged(node) else None
    if flat is None or flat.target is not ops.np.flatten or len(flat.args) > 1 or list(flat.users) != [node]:
        return False
    plain = node.target.view.strides is views.of_reshape and not node.args[2:] and not node.kwargs  # type: ignore[union-attr]
    return plain and size_key(flat.args[0].meta["val"]) == size_key(node.meta["val"])


def overlaps_alike(write: Node, value: Node) -> bool:
    """Whether NumPy writes a part of an array to another part of it, ``x[1:] = x[:-1]``, as if the
    value were a copy. It copies values of several axes, and elements of one axis that go the other
    way; those that are equally far apart it writes in the order that keeps them.
    """
    if written_window(write) is None or write.args[2] is not value:
        return False
    val = value.meta["val"]
    if isinstance(val, TensorMeta) and val.ndim > 1:
        return True
    if not is_part_write(write):
        return False
    base = write.args[0]
    if not is_part(value) or value.args[0] is not base:
        return False
    there, here = (_steps(part.args[1], base.meta["val"].ndim) for part in (write, value))
    return there == here or (len(there) == len(here) == 1 and there[0][0] == here[0][0] and _turn(there[0][1], here[0][1]))


def _turn(step: Any, other: Any) -> bool:
    """Whether elements are known to go opposite ways, which NumPy copies."""
    return type(step) is int and type(other) is int and (step < 0) is not (other < 0)


def _steps(index: Any, ndim: int) -> list[tuple[int, Any]]:
    """The axes that an index keeps, with the steps along them."""
    items = items_of(index)
    taken = sum(item is not None and item is not Ellipsis for item in items)
    whole = [slice(None)] * (ndim - taken)
    place = next((number for number, item in enumerate(items) if item is Ellipsis), len(items))
    full = [item for item in (*items[:place], *whole, *items[place + 1 :]) if item is not None]
    return [(axis, item.step or 1) for axis, item in enumerate(full) if type(item) is slice]


def _key(index: Any) -> Any:
    return structural_key(index, lambda leaf: (type(leaf), leaf))


def looks(user: Node) -> bool:
    """Whether a user depends on more of a value than its elements: functions of users,
    checkpoints.
    """
    return user.op == CALL and (bool(user.target.home) or is_checkpoint(user))  # type: ignore[union-attr]
