"""View operators: one row each says how a write through the view becomes a new value of what it views."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from npexport.ir import ops
from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.layout import Layout
from npexport.tracer.arrays.lying import asked
from npexport.tracer.arrays.proxy import ArrayProxy, ScalarProxy, operands_of, real_arguments
from npexport.tracer.arrays.storage import Link, Storage

if TYPE_CHECKING:
    from npexport.tracer.arrays.recorder import Recorder

Scatter = Callable[["Recorder", Node, Node, Link], Node]
"""(recorder, value of the parent, new value of the view, link) -> new value of the parent."""


class View(NamedTuple):
    """One row. ``copies``: whether NumPy copies instead. ``read_only``: NumPy gives a view that is not written to unless ``writeable=``."""

    scatter: Scatter
    copies: Callable[[Recorder, ArrayProxy, TensorMeta, tuple[Any, ...], dict[str, Any]], bool] | None = None
    read_only: bool = False


# Scatters


def _set(recorder: Recorder, old: Node, new: Node, link: Link) -> Node:
    return recorder.node(ops.np.setitem, (old, link.args[0], new))


def _set_places(recorder: Recorder, old: Node, new: Node, link: Link) -> Node:
    """Write to elements one by one, of which none is there twice."""
    shape = old.meta["val"].shape
    if not operands_of((shape, link.args, tuple(link.kwargs.values())), []) and math.prod(shape) <= _LISTED:
        places = link.op.kernel(np.arange(math.prod(shape)).reshape(shape), *link.args, **link.kwargs).reshape(-1)
        if len(set(places.tolist())) == len(places):  # np.unique imports, which a program would be blamed for
            flat, values = recorder.node(ops.np.flatten, (old,)), recorder.node(ops.np.reshape, (new, (-1,)))
            written = recorder.node(ops.np.setitem, (flat, recorder.constant(places), values))
            return recorder.node(ops.np.reshape, (written, shape))
    raise Unsupported("E120", f"a write through np.{link.op.name}, whose elements may be each other's")


_LISTED = 1 << 16  # elements of an array of which some are listed one by one


def _set_field(recorder: Recorder, old: Node, new: Node, link: Link) -> Node:
    return recorder.node(ops.np.set_field, (old, link.args[0], new))


def _reshape_back(recorder: Recorder, old: Node, new: Node, link: Link) -> Node:
    order = _order_argument(link.args[1:] if link.op is ops.np.reshape else link.args, link.kwargs)
    return recorder.node(ops.np.reshape, (new, old.meta["val"].shape), {} if order == "C" else {"order": order})


def _order_argument(rest: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    return str(rest[0] if rest else kwargs.get("order", "C"))


def _itself_back(recorder: Recorder, old: Node, new: Node, link: Link) -> Node:
    return new


def _same_shape_back(recorder: Recorder, old: Node, new: Node, link: Link) -> Node:
    return recorder.node(ops.np.reshape, (new, old.meta["val"].shape))


def _transpose_back(recorder: Recorder, old: Node, new: Node, link: Link) -> Node:
    axes = link.args[0] if link.args else link.kwargs.get("axes")
    if axes is None:
        return recorder.node(ops.np.transpose, (new,))
    ndim = len(old.meta["val"].shape)
    inverse = sorted(range(ndim), key=lambda axis: axes[axis] % ndim)
    return recorder.node(ops.np.transpose, (new, tuple(inverse)))


def _again(recorder: Recorder, old: Node, new: Node, link: Link) -> Node:
    return recorder.node(link.op, (new, *link.args), link.kwargs)


def _diagonal_back(recorder: Recorder, old: Node, new: Node, link: Link) -> Node:
    """A diagonal of two axes."""
    call = link.op.signature.bind(old, *link.args, **link.kwargs)
    call.apply_defaults()
    axes = [call.arguments["axis1"], call.arguments["axis2"]]
    size = new.meta["val"].shape[-1]
    places = recorder.node(ops.np.arange, (recorder.argument(size),))
    offset = call.arguments["offset"]
    rows, columns = (places if shift == 0 else recorder.node(ops.np.add, (places, shift)) for shift in _rows_and_columns(offset))
    moved = recorder.node(ops.np.moveaxis, (old, tuple(axes), (0, 1)))
    value = recorder.node(ops.np.moveaxis, (new, -1, 0))
    written = recorder.node(ops.np.setitem, (moved, (rows, columns), value))
    return recorder.node(ops.np.moveaxis, (written, (0, 1), tuple(axes)))


def _rows_and_columns(offset: Any) -> tuple[Any, Any]:
    """Where the diagonal begins."""
    return (0, offset) if offset >= 0 else (-offset, 0)


def _move_back(recorder: Recorder, old: Node, new: Node, link: Link) -> Node:
    source, destination = link.args
    return recorder.node(ops.np.moveaxis, (new, destination, source))


def _dtype_back(recorder: Recorder, old: Node, new: Node, link: Link) -> Node:
    return recorder.node(ops.np.view_dtype, (new, old.meta["val"].dtype))


def _part_back(start: int) -> Scatter:
    """Write one half of every complex number: as every second one of an array of floats."""

    def scatter(recorder: Recorder, old: Node, new: Node, link: Link) -> Node:
        meta = old.meta["val"]
        flat = recorder.node(ops.np.flatten, (old,))
        parts = recorder.node(ops.np.view_dtype, (flat, new.meta["val"].dtype))
        parts = recorder.node(ops.np.setitem, (parts, slice(start, None, 2), recorder.node(ops.np.reshape, (new, (-1,)))))
        return recorder.node(ops.np.reshape, (recorder.node(ops.np.view_dtype, (parts, meta.dtype)), meta.shape))

    return scatter


# Views that may be copies


def _reshape_copies(recorder: Recorder, x: ArrayProxy, meta: TensorMeta, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    order = _order_argument(args[1:], kwargs)
    return recorder.layouts.reshape_copies(x, meta, order)


def _ravel_copies(recorder: Recorder, x: ArrayProxy, meta: TensorMeta, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return recorder.layouts.ravel_copies(x, _order_argument(args, kwargs))


def _contiguous_copies(recorder: Recorder, x: ArrayProxy, meta: TensorMeta, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return not recorder.layouts.lies(x, _order_argument(args, kwargs))


def _of_real(recorder: Recorder, x: ArrayProxy, meta: TensorMeta, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """The imaginary part of a real array is new."""
    return x.meta.dtype.kind != "c"


VIEWS: dict[Op, View] = {
    ops.np.getitem: View(_set),
    ops.np.field: View(_set_field),
    ops.np.reshape: View(_reshape_back, _reshape_copies),
    ops.np.ravel: View(_reshape_back, _ravel_copies),
    ops.np.as_contiguous: View(_itself_back, _contiguous_copies),
    ops.np.with_flags: View(_itself_back),
    ops.np.squeeze: View(_same_shape_back),
    ops.np.expand_dims: View(_same_shape_back),
    ops.np.transpose: View(_transpose_back),
    ops.np.matrix_transpose: View(_again),
    ops.np.swapaxes: View(_again),
    ops.np.moveaxis: View(_move_back),
    ops.np.view_dtype: View(_dtype_back),
    ops.np.real: View(_part_back(0)),
    ops.np.imag: View(_part_back(1), _of_real),
    ops.np.broadcast_to: View(_set_places, None, True),
    ops.np.diagonal: View(_diagonal_back, None, True),
    ops.np.sliding_window_view: View(_set_places, None, True),
    ops.np.as_strided: View(_set_places, None, True),
}
"""A row for every operator that makes links: those of the trait "view"."""


def view(recorder: Recorder, op: Op, x: ArrayProxy, args: tuple[Any, ...], kwargs: dict[str, Any], known: bool) -> Any:
    """The view ``op(x, *args, **kwargs)``, or the copy where NumPy makes one."""
    row = VIEWS[op]
    if op is ops.np.real and x.meta.dtype.kind != "c":
        return x
    if op is ops.np.squeeze and not args and not kwargs and all(size != 1 for size in x.meta.shape):
        return x
    if known:
        return _known_view(recorder, op, x, args, kwargs, row)
    if x.storage.array is not None:
        recorder.demote(x.storage)
    op.kernel  # noqa: B018 -- loaded now: an import while C runs would be taken for Python of the program's
    (_, *rest), kwargs = recorder.bind(op, (x, *args), kwargs)
    node = recorder.node(op, (x, *rest), kwargs)
    meta = node.meta["val"]
    if meta.scalar:
        return ScalarProxy(meta, node)
    args = tuple([recorder.argument(arg) for arg in rest])
    kwargs = {name: recorder.argument(value) for name, value in kwargs.items()}
    if row.copies is not None and row.copies(recorder, x, meta, args, kwargs):
        result = recorder.wrap(node, _layout_of_copy(x, op, args, kwargs, meta))
        result.writeable = op is not ops.np.imag
        result.storage.hidden = op is ops.np.reshape
    else:
        link = Link(x.link, op, args, kwargs, meta)
        link.node, link.version = node, x.storage.version
        if x.link is None and x.storage.outside is None:
            x.storage.adopt(link)
        result = ArrayProxy(x.storage, link, meta, None, x.writeable and not reads_only(link))
    recorder.layouts.note(x, result)
    return result


def reads_only(step: Link) -> bool:
    """Whether NumPy gives this view of writeable memory read-only."""
    return VIEWS[step.op].read_only and not step.kwargs.get("writeable")


def einsum_view(recorder: Recorder, x: ArrayProxy, terms: str) -> Any:
    """The view that ``np.einsum(terms, x)`` gives where nothing is summed, ``None`` elsewhere."""
    dots = "".join(chr(0x3B1 + i) for i in range(len(x.meta.shape) - len(terms.partition("->")[0].replace("...", ""))))
    labels, arrow, output = terms.replace("...", dots).partition("->")
    if not arrow:
        output = dots + "".join(sorted(label for label in set(labels) - set(dots) if labels.count(label) == 1))
    if len(labels) != len(x.meta.shape) or set(labels) != set(output) or len(set(output)) != len(output):
        return None
    writeable = x.writeable
    for label in output:
        while labels.count(label) > 1:
            axes = labels.index(label), labels.rindex(label)
            _require_square(label, *[x.shape[axis] for axis in axes])
            x = recorder.call(ops.np.diagonal, x, 0, *axes)
            labels = labels.replace(label, "", 1)[::-1].replace(label, "", 1)[::-1] + label
            x.writeable = writeable
            if x.known:
                x.array.flags.writeable = writeable  # type: ignore[union-attr]
    return recorder.call(ops.np.transpose, x, tuple([labels.index(label) for label in output]))


def _require_square(label: str, first: Any, second: Any) -> None:
    """Raises NumPy's error for axes of different lengths; NumPy takes an empty first one for one that is not there."""
    if bool(first == second):
        return
    if bool(first == 0):
        raise Unsupported("E101", f"np.einsum along the diagonal of {first} by {second} elements")
    raise ValueError(f"dimensions in single operand for collapsing index '{label}' don't match ({first} != {second})")


def _layout_of_copy(x: ArrayProxy, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], meta: TensorMeta) -> Layout:
    """How the copy lies; where the input lay otherwise a reshape would be a view, and lie otherwise too."""
    if op is ops.np.imag:
        return asked(op, [x], (x,), {}, meta)  # type: ignore[no-any-return]
    fortran = _order_argument(args[1:] if op is ops.np.reshape else args, kwargs) == "F" and len(meta.shape) > 1
    return Layout(tuple(range(len(meta.shape)))[::-1] if fortran else None, x.storage.layout.depends, x.storage.layout.known)


def _known_view(recorder: Recorder, op: Op, x: ArrayProxy, args: tuple[Any, ...], kwargs: dict[str, Any], row: View) -> Any:
    args, kwargs = real_arguments(args), real_arguments(kwargs)
    result = op.kernel(x.array, *args, **kwargs)
    if not isinstance(result, np.ndarray):
        return result
    if not np.may_share_memory(result, x.array) and result.size:
        copy = recorder.known(result)
        copy.writeable = bool(result.flags.writeable)
        return copy
    (_, *rest), kwargs = recorder.bind(op, (x.array, *args), kwargs)
    meta = TensorMeta(result.shape, result.dtype)
    return ArrayProxy(x.storage, Link(x.link, op, tuple(rest), kwargs, meta), meta, result, bool(result.flags.writeable))


def scatter(recorder: Recorder, storage: Storage, link: Link | None, value: Node) -> Node:
    """The new value of the storage when the view's value becomes ``value``. The links remember theirs, for the version after this one."""
    if link is None:
        return value
    version, chain = storage.version + 1, link.chain()
    values = [storage.node]
    for step in chain[:-1]:
        values.append(recorder.node(step.op, (values[-1], *step.args), step.kwargs))
    for step, old in zip(reversed(chain), reversed(values), strict=True):
        step.node, step.version = value, version
        value = VIEWS[step.op].scatter(recorder, old, value, step)  # type: ignore[arg-type]
    return value


def no_objects(dtype: Any) -> Unsupported:
    """The refusal of arrays of Python objects."""
    return Unsupported("E122", f"an array of dtype {dtype} holds Python objects")


def no_subclass(cls: type) -> Unsupported:
    """The refusal of arrays of a class of their own."""
    hint = "Use plain arrays: a program has no others."
    return Unsupported("E101", f"an array becomes a {cls.__qualname__}, a subclass of ndarray", hint=hint)


__all__ = ["VIEWS", "View", "no_objects", "no_subclass", "scatter", "view"]
