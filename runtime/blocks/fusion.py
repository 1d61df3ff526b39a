"""Which runs of nodes are computed block by block: the groups of a graph.

A group computes the rows of one leading axis from the same rows of its operands, so that it may run
over blocks of rows that stay in the cache. Laws:

1. A member's rows follow from the same rows of its blocked operands, by the same loops of NumPy: it
   is element-wise, or it reduces, or shows parts of, the other axes.
2. An operand is blocked where its first axis is the first axis of the result, and is otherwise used
   whole by every block.
3. A group is a run of nodes in the order of the program. What stands between its members is a view,
   or arithmetic on sizes, of values from before it, or an array of zeros: that is computed first.
4. Only new arrays leave a group.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.error_states import State
from npexport.ir.meta import TensorMeta
from npexport.ir.node import CALL, Node, value_of
from npexport.ir.ops import views
from npexport.runtime.emission.emit import scalar_operands
from npexport.runtime.memory.layouts import is_array, is_elementwise_ufunc, is_exact, size_key


@dataclass(frozen=True)
class Policy:
    """What groups cost.

    ``block``: the bytes that one value should have in one block, ``most``: the most that it may
    have, ``quick``: what it has where one call of C computes a block. ``least``: the size in bytes
    of the widest value from which on blocks pay where at least twice as many bytes stay in the
    cache as pass it; ``even``: how many times as large it must be where as many do, ``lean``: where
    fewer do. ``parallel``: the least size for several threads. ``operators``: the fewest that pay,
    ``overlapping`` where results are copied over operands when all is computed. ``unit``: the
    elements of which blocks are multiples: a loop of NumPy treats the same elements by the same
    instructions, wherever it starts at such a multiple. ``level``: the elements of a row that could
    be computed while a loop of NumPy goes on to the next row, ``windows``: the least size where
    that is spared, ``rows``: where groups go through reductions row by row.
    """

    block: int = 512 << 10
    quick: int = 256 << 10
    most: int = 1 << 20
    least: int = 4 << 20
    parallel: int = 1 << 18
    even: int = 3
    lean: int = 6
    operators: int = 3
    overlapping: int = 6
    unit: int = 64
    level: int = 1000
    windows: int = 3 << 18
    rows: int = 1 << 17


POLICY = Policy()
"""The policy with which programs are compiled."""


@dataclass
class Group:
    """Members and what is computed before them, in order; which operands are blocked, which are
    used whole, and which members are used outside.

    ``exact``: all results are exact but for the payload of a NaN, so that blocks may start
    anywhere. ``depth``: how many leading axes may be made one. ``even``: whether all element-wise
    members have rows like a blocked operand's. ``level``: whether all is exact and element-wise
    over operands of one shape, so that what lies between rows may be computed, too. ``errors``: the
    error state of all members that may meet an error. ``rows``: what computes it row by row.
    """

    nodes: list[Node] = field(default_factory=list)
    members: list[Node] = field(default_factory=list)
    blocked: list[Node] = field(default_factory=list)
    whole: list[Node] = field(default_factory=list)
    outputs: list[Node] = field(default_factory=list)
    exact: bool = True
    depth: int = 1
    even: bool = True
    level: bool = False
    errors: State | None = None
    rows: Any = None

    @property
    def operators(self) -> int:
        """How many members compute something."""
        return sum("view" not in _traits(node) for node in self.members)

    @property
    def width(self) -> int:
        """Bytes of the widest element."""
        return max(map(_width, (*self.members, *self.blocked)))

    @property
    def elements(self) -> int | None:
        """The elements of the largest value where sizes are known."""
        sizes = [node.meta["val"].shape for node in (*self.members, *self.blocked)]
        known = all(type(size) is int for shape in sizes for size in shape)
        return max(map(math.prod, sizes)) if known else None

    @property
    def size(self) -> int | None:
        """Bytes of the widest value where sizes are known."""
        return None if self.elements is None else self.elements * self.width


Members = Callable[[Node, set[Node], Group], list[tuple[Node, bool]] | None]
"""What gives the operands from outside of a member, and whether each is blocked; ``None`` of a
node that is not a member of a group beside members that are there.
"""


def may_pay(nodes: Iterable[Node], threads: int) -> bool:
    """Whether any of these calls takes or gives an array large enough for blocks to pay."""
    least = POLICY.parallel if threads > 1 else min(POLICY.windows, POLICY.least, POLICY.rows)
    metas = {id(meta): meta for node in nodes for each in (node, *node.all_input_nodes) if is_array(meta := each.meta["val"])}
    return any(
        any(type(size) is not int for size in meta.shape) or math.prod(meta.shape) * int(meta.dtype.itemsize) >= least
        for meta in metas.values()
    )


def groups_of(nodes: Sequence[Node], threads: int, fixed: Callable[[Node], bool], rows_of: Callable[[Group], Any]) -> list[Group]:
    """The groups among these calls that may pay; ``fixed`` nodes belong to no group. ``rows_of``
    gives what computes a group row by row.
    """
    fewest = 1 if threads > 1 else POLICY.operators
    found = []
    for group in runs(nodes, fixed, _operands):
        if group.operators >= fewest and group.outputs:
            _describe(group)
            group.rows = rows_of(group)
            large = (size := group.size) is None or size >= least_of_any(group, threads)
            if large and (group.depth > 1 or _leading(group) not in (0, 1)):
                found.append(group)
    return found


def least_of_any(group: Group, threads: int) -> int:
    """The smallest size in bytes of the widest value for which a group may pay."""
    windows = group.level and all(node.op == CALL and node.target.view.strides is views.of_slices for node in group.blocked)  # type: ignore[union-attr]
    return min(POLICY.windows, least(group, threads)) if windows else least(group, threads)


def least(group: Group, threads: int) -> int:
    """The smallest size in bytes of the widest value for which a group pays whatever the layout of
    its operands is.
    """
    if threads > 1:
        return POLICY.parallel
    computed = [node for node in group.members if "view" not in _traits(node)]
    rank = max(map(_ndim, computed))
    keys = [key for key, _ in Counter(size_key(node.meta["val"]) for node in computed if _ndim(node) == rank).most_common()]
    full = next(key for key in keys if not any(_is_narrower(key, other) for other in keys))
    large = [node for node in computed if size_key(node.meta["val"]) == full]
    read = {_shown(node): node for node in group.blocked if _ndim(node) == rank and full == size_key(node.meta["val"])}
    passing = sum(_width(node) for node in (*read.values(), *[node for node in large if node in group.outputs]))
    staying = sum(_width(node) for node in large if node not in group.outputs)
    spread = [node.args[0] for node in computed if node.target.kernel in (np.var, np.std)]  # type: ignore[union-attr]
    staying += sum(_width(node) for node in spread if size_key(node.meta["val"]) == full)  # differences from the mean
    few = not staying and len(large) < POLICY.operators
    least = sys.maxsize if few else POLICY.least * (1 if staying >= 2 * passing else POLICY.even if staying >= passing else POLICY.lean)
    return least if group.rows is None else min(least, POLICY.rows)


def _is_narrower(key: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether one shape is another one but for axes of size 1."""
    return key != other and all(size in (1, more) for size, more in zip(key, other, strict=True))


def _shown(node: Node) -> Node:
    """The array of which a value is a view."""
    while node.op == CALL and "view" in _traits(node):
        node = node.args[0]
    return node


def _width(node: Node) -> int:
    return int(node.meta["val"].dtype.itemsize)


def runs(nodes: Iterable[Node], fixed: Callable[[Node], bool], operands_of: Members) -> Iterator[Group]:
    """The runs of calls that ``operands_of`` accepts as members; ``fixed`` nodes belong to none."""
    group = Group()
    made: set[Node] = set()
    for node in nodes:
        while True:
            alone = fixed(node)
            if not alone and made.isdisjoint(node.all_input_nodes) and _is_quiet(node):
                group.nodes.append(node)
                break
            operands = None if alone or not _agrees(group, node) else operands_of(node, made, group)
            if operands is not None:
                _join(group, node, operands)
                made.add(node)
                break
            started = bool(group.members)
            if started:
                yield _trimmed(group)
            group, made = Group(), set()
            if not started:
                break
    if group.members:
        yield _trimmed(group)


def _leading(group: Group) -> Any:
    return size_key(group.members[0].meta["val"])[0] if group.members else None


def _is_quiet(node: Node) -> bool:
    """Whether it costs nothing to compute a node early: views, arithmetic on sizes, and zeros, for
    which the system provides memory when they are read.
    """
    op: Any = node.target
    free = not op.emit.block and ("view" in op.traits or op.namespace == "sym" or op.kernel is np.zeros) and "may_share" not in op.traits
    return free and "raises" not in node.meta and not op.errors(node.args, node.kwargs)


def _never_warns(node: Node) -> bool:
    op: Any = node.target
    return bool(op.is_quiet(*node.args, **node.kwargs))


def _agrees(group: Group, node: Node) -> bool:
    """Whether a call may be made in the error state of a group."""
    return group.errors in (None, node.meta.get("errors", ())) or _never_warns(node)


def _join(group: Group, node: Node, operands: list[tuple[Node, bool]]) -> None:
    if group.errors is None and not _never_warns(node):
        group.errors = node.meta.get("errors", ())
    group.nodes.append(node)
    group.members.append(node)
    for operand, blocked in operands:
        side = group.blocked if blocked else group.whole
        if operand not in side:
            side.append(operand)


def _trimmed(group: Group) -> Group:
    """Views stay inside a group: it ends before a view that is used outside."""
    while True:
        members = set(group.members)
        leaving = [node for node in group.members if any(user not in members for user in node.users)]
        views = [node for node in leaving if "view" in node.target.traits]  # type: ignore[union-attr]
        if not views:
            break
        place = group.nodes.index(views[0])
        rest = Group()
        for node in group.nodes[:place]:
            operands = _operands(node, set(rest.members), rest) if node in members else None
            if operands is None:
                rest.nodes.append(node)
            else:
                _join(rest, node, operands)
        group.__dict__.update(rest.__dict__)
    while group.nodes and group.nodes[-1] not in members:
        group.nodes.pop()
    group.outputs = leaving
    return group


def _describe(group: Group) -> None:
    """What decides which blocks a group may have."""
    group.exact = all(is_exact(node) or _is_reduction(node) or "view" in _traits(node) for node in group.members)
    rows = {_row(node) for node in group.blocked}
    elementwise = [node for node in group.members if "elementwise" in _traits(node) or _is_layer(node)]
    group.even = all(_row(node) in rows for node in elementwise)
    group.depth = _depth(group)
    shapes = {size_key(node.meta["val"]) for node in (*group.members, *group.blocked)}
    alike = len(shapes) == 1 and not any(map(_ndim, group.whole))
    group.level = group.exact and alike and _ndim(group.members[0]) > 1 and len(elementwise) == len(group.members)


def _row(node: Node) -> tuple[Any, ...]:
    return size_key(node.meta["val"])[1:]


def _depth(group: Group) -> int:
    """The number of leading axes that can be merged into one: all members treat them alike."""
    ranks = {node.meta["val"].ndim for node in (*group.members, *group.blocked)}
    if len(ranks) > 1 or any("view" in _traits(node) for node in group.members):
        return 1
    (rank,) = ranks
    free = [rank - _ndim(node) for node in group.whole]
    free += [min(axes) for node in group.members if (axes := reduced_axes(node))]
    free += [_free_axes(node) for node in group.members if _is_layer(node)]
    depth: int = max(1, min([rank, *free]))
    shapes = [size_key(node.meta["val"]) for node in (*group.members, *group.blocked)]
    while depth > 1 and any(shape[:depth] != shapes[0][:depth] for shape in shapes):
        depth -= 1
    return depth


def _ndim(node: Node) -> int:
    meta = node.meta["val"]
    rank: int = meta.ndim if isinstance(meta, TensorMeta) else 0
    return rank


def _traits(node: Node) -> frozenset[str]:
    return node.target.traits  # type: ignore[union-attr]


# Members

_KINDS = "biufc"


def _operands(node: Node, made: set[Node], group: Group) -> list[tuple[Node, bool]] | None:
    """The operands from outside, each with whether it is blocked; ``None`` if the node cannot be a
    member of a group that has these members.
    """
    meta = node.meta["val"]
    if not is_array(meta) or not _is_plain(meta):
        return None
    key, leading = size_key(meta)[0], _leading(group)
    if leading is not None and key != leading:
        return None
    member = next((member for test, member in _MEMBERS if test(node)), None)
    arrays = None if member is None else member(node)
    if arrays is None or not any(blocked for _, blocked in arrays):
        return None
    outside = []
    for operand, blocked in arrays:
        if operand in made:
            if not blocked:
                return None
        elif not _fits(operand, blocked):
            return None
        else:
            outside.append((operand, blocked))
    return outside


def _is_plain(meta: TensorMeta) -> bool:
    return meta.dtype.kind in _KINDS and meta.dtype.isnative


def _fits(operand: Node, blocked: bool) -> bool:
    meta = operand.meta["val"]
    if isinstance(meta, TensorMeta):
        return _is_plain(meta) and (not blocked or not meta.scalar)
    return not isinstance(meta, (tuple, list)) and not blocked


def _aligned(node: Node) -> list[tuple[Node, bool]] | None:
    """The operands of an element-wise operator."""
    meta = node.meta["val"]
    first = size_key(meta)[0]
    found = []
    for operand in node.all_input_nodes:
        value = operand.meta["val"]
        if not isinstance(value, TensorMeta) or value.ndim < meta.ndim:
            found.append((operand, False))
        elif size_key(value)[0] == first:
            found.append((operand, True))
        elif size_key(value)[0] == 1:
            found.append((operand, False))
        else:
            return None
    return found


def _ufunc(node: Node) -> list[tuple[Node, bool]] | None:
    """The operands of NumPy's own ufuncs. A ufunc that computes in another dtype than that of an
    operand casts it in a buffer; only the results of exact operators are independent of how the
    buffer is filled.
    """
    op: Any = node.target
    if not is_plain_ufunc(op):
        return None
    if "exact" in op.traits:
        return _aligned(node)
    types = [_dtype_of(arg) for arg in scalar_operands(node)]
    try:
        loop = op.kernel.resolve_dtypes((*types, None))
    except (TypeError, ValueError):
        return None
    cast = any(isinstance(kind, np.dtype) and kind != wanted for kind, wanted in zip(types, loop, strict=False))
    return None if cast else _aligned(node)


def is_plain_ufunc(op: Any) -> bool:
    """Whether an operator is an element-wise ufunc of NumPy's own with one result."""
    kernel = op.kernel
    return kernel.signature is None and kernel.nout == 1 and getattr(np, kernel.__name__, None) is kernel


def _dtype_of(arg: Any) -> Any:
    meta = value_of(arg)
    return meta.dtype if isinstance(meta, (TensorMeta, np.ndarray, np.generic)) else type(meta)


def _plain_call(node: Node) -> list[tuple[Node, bool]] | None:
    """The operands of an element-wise function whose arrays are positional arguments."""
    nested = any(type(arg) in (tuple, list, dict) for arg in (*node.args, *node.kwargs.values()))
    return None if nested or any(type(value) is Node for value in node.kwargs.values()) else _aligned(node)


def _cast(node: Node) -> list[tuple[Node, bool]] | None:
    """The operands of casts among real numbers, or to complex ones: others warn that they drop
    imaginary parts.
    """
    (operand,) = node.all_input_nodes
    if "order" in node.kwargs:
        return None
    kinds = _dtype_of(operand).kind, node.meta["val"].dtype.kind
    return None if kinds[0] == "c" and kinds[1] != "c" else _aligned(node)


def _reduction(node: Node) -> list[tuple[Node, bool]] | None:
    """The operands of reductions over other axes than the first, in the dtype of the elements: a
    cast would use a buffer whose parts are added up one by one.
    """
    axes = reduced_axes(node)
    if not axes or 0 in axes or not node.kwargs.keys() <= {"axis", "keepdims"}:
        return None
    dtype = _dtype_of(node.args[0])
    averages = "averaging" in _traits(node)  # short floats and integers are averaged in longer floats
    if dtype.kind not in ("f" if averages else "biuf") or (averages and dtype.itemsize < 4):
        return None
    return [(node.args[0], True)]


def reduced_axes(node: Node) -> tuple[int, ...]:
    """The axes of a reduction, counted from the first; none if they are unknown."""
    if not _is_reduction(node) or not node.args or type(node.args[0]) is not Node or len(node.args) > 2:
        return ()
    axis = node.args[1] if len(node.args) == 2 else node.kwargs.get("axis")
    axes = axis if type(axis) is tuple else (axis,)
    if not all(type(one) is int for one in axes):
        return ()
    return tuple([one % node.args[0].meta["val"].ndim for one in axes])


def _rows_of_view(node: Node) -> list[tuple[Node, bool]] | None:
    """The operands of basic indices that take the whole first axis."""
    index = node.args[1] if len(node.args) == 2 and not node.kwargs else None
    index = index if type(index) is tuple and index else (index,)
    axes = sum(item is not None and item is not Ellipsis for item in index)
    whole = axes < _ndim(node.args[0]) if index[0] is Ellipsis else type(index[0]) is slice and index[0] == slice(None)
    plain = all(item is None or item is Ellipsis or type(item) in (int, slice) for item in index)
    steps = [step for item in index if type(item) is slice for step in (item.start, item.stop, item.step)]
    if not whole or not plain or not all(step is None or type(step) is int for step in steps):
        return None
    return None if any(type(item) is slice and (item.step or 1) < 0 for item in index) else [(node.args[0], True)]


def _layer(node: Node) -> list[tuple[Node, bool]] | None:
    """The operands of layers that treat each row separately; their other operands are vectors."""
    vectors = all(operand is node.args[0] or _ndim(operand) <= 1 for operand in node.all_input_nodes)
    if not vectors or node.args.count(node.args[0]) > 1 or not _free_axes(node):
        return None
    return [(operand, operand is node.args[0]) for operand in node.all_input_nodes]


def _free_axes(node: Node) -> int:
    """The number of leading axes whose entries a layer treats separately."""
    given = dict(zip(node.target.signature.parameters, node.args, strict=False)) | node.kwargs  # type: ignore[union-attr]
    if "normalized_shape" in given:
        return _ndim(node) - len(given["normalized_shape"])
    dim = given.get("dim", -1)
    if type(dim) is not int:
        return 0
    return dim % _ndim(node) if dim < 0 else min(1, dim)


def _is_reduction(node: Node) -> bool:
    return "reduction" in _traits(node) and "by_row" in _traits(node)


def _is_layer(node: Node) -> bool:
    return "by_row" in _traits(node) and _traits(node).isdisjoint(("reduction", "elementwise"))


def _is_call(node: Node) -> bool:
    elementwise = "elementwise" in _traits(node) and "cast" not in _traits(node)
    return elementwise and ("by_row" in _traits(node) or node.target.namespace == "nn")  # type: ignore[union-attr]


_MEMBERS: tuple[tuple[Callable[[Node], bool], Callable[[Node], list[tuple[Node, bool]] | None]], ...] = (
    (is_elementwise_ufunc, _ufunc),
    (lambda node: {"cast", "elementwise"} <= _traits(node) and node.target is ops.np.astype, _cast),
    (_is_reduction, _reduction),
    (lambda node: node.target.view.strides is views.of_slices, _rows_of_view),  # type: ignore[union-attr]
    (_is_call, _plain_call),
    (_is_layer, _layer),
)
