"""Infers the layout of the results of calls: NumPy makes the same call on stand-ins with the
layouts of the operands.

Small operands have stand-ins of the same shapes and strides. Those of larger ones have two elements
along each axis, with the same order of strides, the same repeated and reversed axes, contiguous if
the operand is: everything that NumPy may consult of a layout.
"""

from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

import numpy as np

from npexport.ir import ops
from npexport.ir.aliasing import is_view
from npexport.ir.arguments import map_leaves, structural_key
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.ops.views import order_of
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.interrupts import require_own
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.tracer.arrays.memory.contents import digest
from npexport.tracer.arrays.memory.layout import (
    Array,
    alike,
    apply,
    example_argument,
    example_size,
    fits_without_copy,
    laid_out,
    outermost_first,
    stride_order,
)
from npexport.tracer.arrays.memory.model import C_ORDER, GraphBuilder, Layout, mirror

SMALL = 1 << 12
"""Calls with fewer elements than this are made with their own shapes."""
_NOTHING = np.empty(0)


class Unanswered(Exception):
    """The call fails for stand-ins: the layout of its result is unknown."""


def inferred_layout(op: Op, operands: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any], meta: Any) -> Any:
    """The layout of the result of a call whose ``operands`` are the proxies among the arguments;
    for a tuple a list of layouts.
    """
    several = isinstance(meta, (tuple, list))
    if not several and len(meta.shape) < 2:
        return C_ORDER
    if _names_order(op, kwargs):
        ndim = len(meta.shape)
        return any_order(operands, ndim) if kwargs["order"] == "A" else in_order(kwargs["order"], ndim)
    if is_plain(op) and all(map(_in_c_order, operands)):
        depends = depends_of(operands)
        layout = Layout(None, depends) if depends else C_ORDER
        return [layout] * len(meta) if several else layout
    return asked(op, operands, args, kwargs, meta)


def asked(function: Any, operands: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any], meta: Any) -> Any:
    """The layout of the result of a function, or operator, as NumPy has it for stand-ins."""
    found: Any = None
    if all(operand.storage is None or operand.storage.layout.known for operand in operands):
        with contextlib.suppress(Unanswered):
            found = orders_of(function, args, kwargs, _of_proxy, meta)
    dynamic = [operand for operand in operands if not _in_c_order(operand)]
    sizes = _sizes_of(function, dynamic, args, kwargs, meta) if dynamic else ()
    return _layout(found, meta, depends_of(operands), sizes)


def _layout(found: Any, meta: Any, depends: frozenset[Any], sizes: tuple[Any, ...]) -> Any:
    """The layout of a result that is not a part of a larger array: that of others is unknown."""
    if isinstance(meta, (tuple, list)):
        parts = found if found is not None and len(found) == len(meta) else [None] * len(meta)  # some results have a part for every column
        return [_layout(item, part, depends, sizes) for item, part in zip(parts, meta, strict=True)]
    if found is None or not found.packed:
        return Layout(None, depends, False)
    return Layout(found.axes, depends, sizes=sizes)


def with_layout(builder: GraphBuilder, result: Any, layout: Layout) -> Any:
    """A new array with this layout from NumPy.

    If inputs decide it, its data are not known: views of it ask for conditions.
    """
    storage = result.storage
    if layout.depends and storage.array is not None:
        builder.materialize(storage)
    builder.rearranged |= storage.array is None and storage.layout.order != layout.order
    storage.layout, storage.mirror = layout, None
    if storage.array is not None and stride_order(storage.array) != layout.order:
        array = laid_out(storage.array.shape, storage.array.dtype, layout.order)
        array[...] = storage.array
        storage.array = result.array = array
    return result


def in_order(order: str, ndim: int) -> Layout:
    """The order "C" or "F" of so many axes."""
    return C_ORDER if order == "C" else Layout(tuple(range(ndim))[::-1])


def any_order(operands: list[Any], ndim: int) -> Layout:
    """The order "A": Fortran's if all operands are contiguous in that."""
    flags = [mirror(operand.storage, operand.link).flags for operand in operands]
    all_c = all(each.c_contiguous for each in flags)
    fortran = not all_c and all(each.f_contiguous for each in flags)
    known = all(operand.storage.layout.known for operand in operands)
    return Layout(
        in_order("F" if fortran else "C", ndim).order, depends_of(operands), known, sizes=_all_sizes_of(operands, shapes=not all_c)
    )


def depends_of(operands: list[Any]) -> frozenset[Any]:
    """The outside arrays that decide the layouts of the operands."""
    found: frozenset[Any] = frozenset()
    for operand in operands:
        if operand.storage is not None and operand.storage.layout.depends is not found:
            found = found | operand.storage.layout.depends if found else operand.storage.layout.depends
    return found


def _all_sizes_of(operands: list[Any], shapes: bool = True) -> tuple[Any, ...]:
    """The dynamic sizes that decide layouts of operands; with ``shapes`` those of operands, too."""
    found = [(*(operand.meta.shape if shapes else ()), *operand.storage.layout.sizes) for operand in operands]
    return tuple({size.expression: size for sizes in found for size in sizes if type(size) is not int}.values())


def _sizes_of(function: Any, operands: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any], meta: Any) -> tuple[Any, ...]:
    """The dynamic sizes that decide the layout of the result. Along an axis of one element an
    operand may have any stride, and where such a size has decided its order, any order.
    """
    sizes = _all_sizes_of(operands)
    if not sizes:
        return ()
    mirrors = [mirror(operand.storage, operand.link) for operand in operands]
    exact = _volume(meta) + sum([one.size for one in mirrors]) <= SMALL

    def found(change: Callable[[Any, Array], Array]) -> Any:
        def operand(arg: Any, part: Callable[[Array], Array]) -> Any:
            array = _of_proxy(arg, part)
            return change(arg, array) if isinstance(array, np.ndarray) and array.ndim else array

        return _called(function, args, kwargs, operand, exact)

    try:
        wanted = found(lambda arg, array: array)
        inner = {size.expression for operand in operands for size in operand.storage.layout.sizes}
        reordered = bool(inner) and not _ordered_alike(found(_reordered), wanted)
        return tuple(
            [
                size
                for size in sizes
                if (reordered and size.expression in inner)
                or any(not _ordered_alike(found(functools.partial(_narrow, size, stride)), wanted) for stride in _STRIDES)
            ]
        )
    except Unanswered:
        return sizes


_STRIDES: tuple[Callable[[Array, int], int], ...] = (
    lambda array, axis: array.strides[axis],
    lambda array, axis: array.itemsize,
    lambda array, axis: max(map(abs, array.strides)) * max(array.shape),
)
"""What the stride of an axis of one element may be."""


def _narrow(size: Any, stride: Callable[[Array, int], int], arg: Any, array: Array) -> Array:
    """The first elements along the axes of this dynamic size."""
    axes = [axis for axis, each in enumerate(arg.meta.shape) if type(each) is not int and each.expression == size.expression]
    first = array[tuple([slice(0, 1) if axis in axes else slice(None) for axis in range(array.ndim)])]
    strides = [stride(array, axis) if axis in axes else step for axis, step in enumerate(array.strides)]
    return np.lib.stride_tricks.as_strided(first, strides=strides)


def _reordered(arg: Any, array: Array) -> Array:
    """The array in another order, if sizes decide its own."""
    return np.array(array, order="F" if array.flags.c_contiguous else "C") if arg.storage.layout.sizes else array


def _ordered_alike(found: Any, wanted: Any) -> bool:
    """Whether the axes of more than one element lie in memory in the same order."""
    if isinstance(found, (tuple, list)):
        return all(map(_ordered_alike, found, wanted))
    axes = [axis for axis, size in enumerate(np.shape(found)) if size > 1]
    return outermost_first(np.asarray(found), axes) == outermost_first(np.asarray(wanted), axes)


def _in_c_order(operand: Any) -> bool:
    storage = operand.storage
    if storage is None or len(operand.meta.shape) < 2:
        return True
    return operand.link is None and storage.layout.order is None and storage.layout.known and not storage.layout.sizes


def _names_order(op: Op, kwargs: Mapping[str, Any]) -> bool:
    """Whether a call says in which order of memory its result is to lie."""
    return "ordered" in op.traits and kwargs.get("order", "K") != "K"


@functools.cache
def is_plain(op: Op) -> bool:
    """Whether results are in C order if all operands are."""
    return "c_order" in op.traits or op.traits.issuperset(("elementwise", "ufunc"))


class Order(NamedTuple):
    """The axes of a result from outermost to innermost (``None``: C order); whether it is
    packed.
    """

    axes: tuple[int, ...] | None
    packed: bool


def orders_of(function: Any, args: Any, kwargs: dict[str, Any], operand: Callable[..., Any], meta: Any) -> Any:
    """The layout of the result of a function, or of an operator's kernel, for stand-ins; a list for
    a tuple. Raises `Unanswered`.

    ``operand(arg, part)`` is the stand-in of an operand, which ``part`` makes of a mirror;
    ``NotImplemented`` for other arguments.
    """
    volume = _volume(meta)
    mirrors: list[Array] = []
    key = (function, _key(args, operand, mirrors), _key(kwargs, operand, mirrors))
    exact = volume + sum([mirror.size for mirror in mirrors]) <= SMALL
    try:
        found = _ANSWERS.get((exact, key))
    except TypeError:  # an argument that is not hashable
        return _asked(function, args, kwargs, operand, exact)
    if found is None:
        found = _asked(function, args, kwargs, operand, exact)
        if len(_ANSWERS) >= _MOST:
            _ANSWERS.clear()
        _ANSWERS[exact, key] = found
    return found


_ANSWERS: dict[Any, Any] = {}
_MOST = 4096


def _asked(function: Any, args: Any, kwargs: dict[str, Any], operand: Callable[..., Any], exact: bool) -> Any:
    return _order(_called(function, args, kwargs, operand, exact))


def _called(function: Any, args: Any, kwargs: dict[str, Any], operand: Callable[..., Any], exact: bool) -> Any:
    """The results for stand-ins. Raises `Unanswered`."""
    convert = functools.partial(_stand_in, operand=operand, part=_same if exact else _reduced)
    kernel = function
    if isinstance(function, Op):
        kernel = function.kernel
        if function is ops.np.index and not exact:
            args = (args[0], _anywhere(args[1]))
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return kernel(*map(convert, args), **{name: convert(value) for name, value in kwargs.items()})
    except Exception as error:  # of the sizes or of the data of stand-ins
        require_own(error)
        raise Unanswered from error


def _order(found: Any) -> Any:
    if isinstance(found, (tuple, list)):
        return list(map(_order, found))
    found = np.asarray(found)
    return Order(stride_order(found), _is_packed(found))


def _key(arg: Any, operand: Callable[..., Any], mirrors: list[Array]) -> Any:
    """What distinguishes a call from others whose results may have another layout. Collects the
    mirrors of operands."""
    return structural_key(arg, lambda leaf: _leaf_key(leaf, operand, mirrors))


def _leaf_key(arg: Any, operand: Callable[..., Any], mirrors: list[Array]) -> Any:
    found = operand(arg, _itself)
    if isinstance(found, np.ndarray):
        mirrors.append(found)
        data = digest(found) if getattr(arg, "known", False) and found.size <= SMALL else None
        return found.shape, found.strides, found.dtype, data
    if found is not NotImplemented:
        return type(found)
    if isinstance(arg, (SymInt, Node)):
        return example_argument(arg)
    return type(arg), None if isinstance(arg, (SymFloat, SymBool)) else arg


def _volume(meta: Any) -> int:
    if isinstance(meta, (tuple, list)):
        return sum(map(_volume, meta))
    return int(np.prod(list(map(example_size, meta.shape)))) if isinstance(meta, TensorMeta) else 0


def _itself(mirror: Array) -> Array:
    return mirror


def _of_proxy(arg: Any, part: Callable[[Array], Array]) -> Any:
    if not hasattr(type(arg), "storage"):
        return NotImplemented
    if arg.storage is None:
        return np.ones((), arg.meta.dtype)[()]
    if arg.storage.array is not None and part is not _reduced:
        return arg.array
    return part(mirror(arg.storage, arg.link))


def _stand_in(arg: Any, operand: Callable[..., Any], part: Callable[[Array], Array]) -> Any:
    return map_leaves(arg, lambda leaf: _leaf_stand_in(leaf, operand, part))


def _leaf_stand_in(arg: Any, operand: Callable[..., Any], part: Callable[[Array], Array]) -> Any:
    found = operand(arg, part)
    if found is not NotImplemented:
        return found
    if isinstance(arg, (SymInt, Node)):
        return example_argument(arg) if part is _same else 1
    if isinstance(arg, (SymFloat, SymBool)):
        return 1.0 if isinstance(arg, SymFloat) else True
    return arg


def _same(mirror: Array) -> Array:
    """An array of the same shape and strides, of data that few functions refuse."""
    array = alike(mirror, True)
    _fill(array)
    return array


def _reduced(mirror: Array) -> Array:
    """The same array with at most two elements along each axis."""
    axes = sorted(range(mirror.ndim), key=lambda axis: abs(mirror.strides[axis]))
    shape = [min(size, 2) for size in mirror.shape]
    gaps = not mirror.flags.forc and _span(mirror) > mirror.size
    step, last, strides = mirror.itemsize << gaps, 0, [0] * mirror.ndim
    for axis in axes:
        stride = abs(mirror.strides[axis])
        if stride > last:
            last, current = stride, step
        if stride:
            strides[axis] = current
            step *= shape[axis] or 1
    array = np.zeros(step, np.uint8)
    found = np.ndarray(shape, mirror.dtype, array.data, 0, strides)
    _fill(found)
    return found[tuple([slice(None, None, -1) if stride < 0 else slice(None) for stride in mirror.strides])]


def _span(mirror: Array) -> int:
    """How many elements lie between the first and the last in memory, themselves included."""
    return 1 + sum((size - 1) * abs(stride) for size, stride in zip(mirror.shape, mirror.strides, strict=True)) // max(mirror.itemsize, 1)


def _is_packed(array: Array) -> bool:
    return _span(array) <= max(array.size, 1)


def _fill(array: Array) -> None:
    """Ones for truths and texts; for other numbers a matrix that has an inverse and a root."""
    if array.dtype.kind in "bSU":
        array[...] = 1
    elif array.dtype.kind in "fc" and array.size:
        array[...] = 1
        if array.ndim > 1 and 0 not in array.strides:
            np.einsum("...ii->...i", array[..., : min(array.shape[-2:]), : min(array.shape[-2:])])[...] = 2


def _anywhere(index: Any) -> Any:
    """An index of the same kind that fits few elements: its numbers do not affect the layout."""
    if type(index) is tuple:
        return tuple([_anywhere(item) for item in index])
    if type(index) is slice:
        return slice(None)
    return index if index is None or index is Ellipsis or hasattr(index, "dtype") or isinstance(index, Node) else 0


def _mirrors(meta: Any, found: Any) -> Any:
    if isinstance(meta, (tuple, list)):
        return [_mirrors(part, item) for part, item in zip(meta, found, strict=True)]
    return _packed(meta, found.axes)


def _packed_forwards(found: Array) -> bool:
    return _is_packed(found) and all(stride > 0 for stride, size in zip(found.strides, found.shape, strict=True) if size > 1)


class Values:
    """The layouts of the values of a graph's nodes when it runs on inputs with the layouts of the
    examples: by their kernels, node by node.
    """

    def __init__(self, graph: Graph, placeholders: list[Any]) -> None:
        self._graph = graph
        self._outside = {p.node: p.mirror for p in placeholders if p.node is not None}
        self._mirrors: dict[Node, Any] = {}  # None: not known; nodes in C order are not here
        self._seen: set[Node] = set()

    def order(self, node: Node) -> tuple[int, ...] | None:
        """The order of the axes in memory of their own.

        Raises `Unanswered`, also of what is a part of other memory.
        """
        if len(self._seen) < len(self._graph.nodes):
            for each in self._graph.nodes:
                if each not in self._seen:
                    self._seen.add(each)
                    self._visit(each)
        if node not in self._mirrors:
            return None
        found = self._mirrors[node]
        if found is None or not _packed_forwards(found):
            raise Unanswered
        return stride_order(found)

    def _visit(self, node: Node) -> None:
        if node.op != CALL:
            found = self._outside.get(node)
            if found is not None and not found.flags.c_contiguous:
                self._mirrors[node] = found
            return
        mirrors, op = self._mirrors, cast(Op, node.target)
        if op.namespace == "control":
            return
        in_place = "scatter" in op.traits
        asked = node.all_input_nodes[:1] if in_place else node.all_input_nodes  # what is written has the layout of the array
        changed = bool(mirrors) and [mirrors[operand] for operand in asked if operand in mirrors]
        flat = op.view.keeps_order and not node.kwargs and len(node.args) < 3
        if not changed and (flat or is_plain(op)) and not _names_order(op, node.kwargs):
            return
        unknown = changed and any(each is None or (in_place and not _packed_forwards(each)) for each in changed)
        found = None if unknown else self._found(node, op, node.meta["val"])
        if found is None or isinstance(found, list) or not found.flags.c_contiguous:
            mirrors[node] = found

    def _found(self, node: Node, op: Any, meta: Any) -> Any:
        projected = "projection" in op.traits
        if projected and node.args[0] in self._mirrors:
            return self._mirrors[node.args[0]][node.args[1]]
        if not isinstance(meta, (TensorMeta, tuple, list)) or projected or (isinstance(meta, TensorMeta) and not meta.shape):
            return _NOTHING
        try:
            if isinstance(meta, TensorMeta) and is_view(node):
                return self._view(node, op, meta)
            if isinstance(meta, TensorMeta) and len(meta.shape) < 2:
                return _NOTHING
            return _mirrors(meta, orders_of(op, node.args, node.kwargs, self._of_node, meta))
        except Unanswered:
            return None

    def _view(self, node: Node, op: Any, meta: TensorMeta) -> Any:
        base = self._of_node(node.args[0], _itself)
        try:
            if op.view.copies:
                order, flags = order_of(op, node.args, node.kwargs), base.flags
                fits = flags.c_contiguous if order == "C" else flags.f_contiguous
                if op.view.copies == "reshape":
                    fits = fits_without_copy(base, tuple(map(example_size, meta.shape)), order)
                if not fits:
                    return _packed(meta, tuple(range(len(meta.shape)))[::-1] if order == "F" else None)
            return apply(op, base, node.args[1:], node.kwargs)
        except Unsupported as problem:  # stand-ins for sizes of 0 and 1 that do not fit each other
            raise Unanswered from problem

    def _of_node(self, arg: Any, part: Callable[[Array], Array]) -> Any:
        meta = arg.meta["val"] if isinstance(arg, Node) else None
        if not isinstance(meta, TensorMeta):
            return NotImplemented
        if meta.scalar:
            return np.ones((), meta.dtype)[()]
        found = self._mirrors.get(arg)
        return part(_packed(meta, None) if found is None else found)


def _packed(meta: Any, order: tuple[int, ...] | None) -> Array:
    return laid_out(tuple(map(example_size, meta.shape)), meta.dtype, order) if isinstance(meta, TensorMeta) else _NOTHING
