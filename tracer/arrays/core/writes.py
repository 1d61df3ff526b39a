"""Writes: each one gives the storage a new value; NumPy's own errors are raised while the program
is traced.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.arguments import key_of
from npexport.ir.graph import CALL, Node
from npexport.ir.numpy_internals import UFuncOutputCastingError
from npexport.ir.op import Op
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymBool
from npexport.tracer.arrays.core import failing_writes
from npexport.tracer.arrays.core.aliased_writes import has_known_aliases, write_through
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.outputs import long_axes, origin
from npexport.tracer.arrays.core.ownership import rely_on_flag
from npexport.tracer.arrays.core.proxy import ArrayProxy, all_known, real_arguments
from npexport.tracer.arrays.core.views import scatter
from npexport.tracer.arrays.memory.layout import outermost_first
from npexport.tracer.arrays.memory.model import Storage, mirror

_READ_ONLY = np.empty(1)
_READ_ONLY.flags.writeable = False


def set_value(x: ArrayProxy, value: Node) -> None:
    """All elements of ``x`` become those of the node, which has the shape and dtype of ``x``."""
    rec = recorder()
    if rec.may_alias.of(x.storage):
        rec.session.forget_unread()  # those that nothing else holds are gone
    shared = bool(rec.may_alias.of(x.storage))
    if shared and not has_known_aliases(rec, x.storage):
        rec.require_whole(x.storage, "writes to an array")
    join_value(x, value)
    if shared:
        write_through(rec, x.storage, join_value)


def join_value(x: ArrayProxy, value: Node) -> None:
    """The same where sides or iterations that wrote to ``x`` end: they required it to be whole."""
    rec = recorder()
    storage: Storage = x.storage
    rec.written(storage)
    outside = storage.outside
    others = [] if outside is None else rec.overlaps.seen_by(outside)
    for each in (storage, *[other.storage for other in others]):
        if each.ambiguities:
            rec.layouts.settle(each)
    if storage.node is None:
        rec.materialize(storage)
    storage.node = scatter(rec, storage, x.link, value)
    storage.version += 1
    rec.rearranged = True
    if outside is not None:
        rec.overlaps.written.update(dict.fromkeys((outside, *others)))
    for other in others:
        other.storage.node = rec.overlaps.after(outside, other)  # type: ignore[arg-type]
        other.storage.version += 1


def become(x: ArrayProxy, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> None:
    """Set all elements of ``x`` to the result of a functional write, unless it raises."""
    rec, kwargs = recorder(), kwargs or {}

    def until() -> None:
        set_value(x, rec.node(ops.np.left, (f"{op.namespace}.{op.name}", *args), kwargs))

    midway = failing_writes.ends_midway(x, op, args, kwargs)
    failing_writes.written(lambda: set_value(x, rec.node(op, args, kwargs)), x, until=until if midway else None)


def overwrite(x: ArrayProxy, op: Op, *args: Any) -> None:
    """The same, of an array that may be known, by a write whose arguments data decide."""
    release(x)
    make_recorded(x)
    become(x, op, (x, *args))


def setitem(x: ArrayProxy, index: Any, value: Any) -> None:
    """``x[index] = value`` with a normalised index. Raises what NumPy raises."""
    if read_only(x):
        _READ_ONLY[0] = 0
    release(x)
    if all_known(x, index, value):
        x.array[real_arguments(index)] = real_arguments(value)  # type: ignore[index]
        touched(x.storage)
        return
    if _is_itself(x, index, value):
        return
    make_recorded(x)
    become(x, ops.np.setitem, (x, index, value))


def touched(storage: Storage) -> None:
    """The data of a known storage were written to: its creation operator does not hold any more."""
    recorder().require_whole(storage, "writes to an array")
    recorder().written(storage)
    if recorder().undoes(storage):
        raise Unsupported("E103", "a side of a branch on data writes to an array that exists before")
    storage.version += 1
    storage.recipe = None


def release(x: Any) -> None:
    """Memory whose writes are undone later, or that others may share, as data decide, is written to
    in the graph only.
    """
    if type(x) is ArrayProxy and x.known and (recorder().undoes(x.storage) or recorder().may_alias.of(x.storage)):
        recorder().materialize(x.storage)


def _is_itself(x: ArrayProxy, index: Any, value: Any) -> bool:
    """Whether a write changes nothing: ``x[i] += y`` writes the view ``x[i]`` back to its own
    place, ``r["a"] += y`` the whole of a view to itself.
    """
    if type(value) is not ArrayProxy or value.storage is not x.storage or value.link is None:
        return False
    link = value.link
    if index is Ellipsis and x.link is not None and link.parent is x.link.parent:
        return link.op is x.link.op and key_of((link.args, link.kwargs)) == key_of((x.link.args, x.link.kwargs))
    return link.parent is x.link and link.op is ops.np.getitem and key_of(link.args[0]) == key_of(recorder().argument(index))


def put(out: Any, result: Any, casting: Any = "same_kind", where: Any = True, function: Any = None, position: int = 0) -> Any:
    """``result``, the one at ``position`` of several, written to all of ``out``, or where ``where``
    is true, as ``out=`` of a ufunc does.

    Returns ``out``.

    Raises NumPy's errors: read-only, casting, shapes that do not fit.
    """
    rec = recorder()
    require_writeable(out)
    meta = out.meta
    if result.dtype != meta.dtype and not np.can_cast(result.dtype, meta.dtype, casting):
        raise_like_ufunc(function, result, meta, casting, position)
    shape = tuple(result.shape)
    longer = len(shape) > len(meta.shape)
    of_data = not longer and _only_data_tell(shape, meta.shape)
    if longer or not (of_data or broadcasts(shape, meta.shape)):
        raise ValueError(misfit(meta.shape, shape))
    if where is not True:
        _masked(out, result, where)
        return out
    if of_data or len(shape) != len(meta.shape) or not same(shape, meta.shape):
        flat = rec.call(ops.np.flatten, rec.call(ops.np.broadcast_to, result, meta.shape))  # each element in memory of its own
        result = rec.call(ops.np.reshape, flat, meta.shape)
    if result.dtype != meta.dtype:  # a scalar would have the native byte order
        result = rec.call(ops.np.astype, result, meta.dtype)
    assign(out, result)
    return out


def _masked(out: ArrayProxy, result: Any, where: Any) -> None:
    release(out)
    if all_known(out, result, where):
        np.copyto(out.array, real_arguments(result), casting="unsafe", where=real_arguments(where))  # type: ignore[arg-type]
        touched(out.storage)
        return
    make_recorded(out)
    become(out, ops.np.copyto, (out, result), {"casting": "unsafe", "where": where})


def require_writeable(out: ArrayProxy, message: str = "output array is read-only") -> None:
    """Raises the ``ValueError`` of NumPy's functions, by default of those with ``out=``."""
    if read_only(out):
        raise ValueError(message)


def require_whole(x: ArrayProxy) -> None:
    """Raises ``Unsupported`` (E101) for records with gaps, which NumPy may or may not copy."""
    fields = x.meta.dtype.fields
    if fields is not None and sum([field[0].itemsize for field in fields.values()]) < x.meta.dtype.itemsize:
        raise Unsupported("E101", "records with gaps between their fields are moved in place", hint="Move all fields, or each by itself.")


def read_only(x: ArrayProxy) -> bool:
    """Whether ``x`` is read-only; the program relies on that, also if the write fails."""
    rely_on_flag(x)
    if x.writeable and x.storage is not None and x.storage.ambiguity is not None:
        _decide_flag(x, x.storage.ambiguity.source())
    return not x.writeable


def _decide_flag(x: ArrayProxy, source: Storage | None) -> None:
    """A copy of read-only memory would be read-only itself in a layout that makes it a view."""
    if source is not None and not source.writeable:
        recorder().layouts.decide_owner(x)


def assign(x: ArrayProxy, value: Any, alike: bool = False) -> None:
    """``x[...] = value``: the value has the shape and dtype of ``x``; ``alike``: and lies in memory
    as ``x`` does.
    """
    release(x)
    if all_known(x, value):
        x.array[...] = real_arguments(value)  # type: ignore[index]
        touched(x.storage)
        return
    make_recorded(x)
    if type(value) is ArrayProxy and origin(value.node()).op == CALL and (alike or _lies_alike(x, value)):
        set_value(x, value.node())
    else:  # a scalar, memory that outlives the program, or another order in memory, by which sums are rounded
        become(x, ops.np.setitem, (x, Ellipsis, value))


def _lies_alike(x: ArrayProxy, value: ArrayProxy) -> bool:
    """Whether the axes of ``value`` have the order in memory of those of ``x``."""
    axes = long_axes(None, x.meta.shape)
    if len(axes) < 2:
        return True
    if not (x.storage.layout.known and value.storage.layout.known):
        return False
    mine, theirs = mirror(x.storage, x.link), mirror(value.storage, value.link)
    return outermost_first(mine, axes) == outermost_first(theirs, axes)


def make_recorded(x: ArrayProxy) -> None:
    """A storage that gets unknown data is not known any more."""
    if x.storage.array is not None:
        recorder().materialize(x.storage)


def same(first: tuple[Any, ...], second: tuple[Any, ...]) -> bool:
    """Whether two shapes are equal."""
    return len(first) == len(second) and all(a is b or bool(a == b) for a, b in zip(first, second, strict=True))


def _only_data_tell(shape: tuple[Any, ...], target: tuple[Any, ...]) -> bool:
    """Whether only the data know if a size is that of the target. They have to say that it is, or
    that it is 1, where the program runs; not on a side, nor where a handler may get NumPy's error.
    """
    rec, found = recorder(), False
    if rec.regions or rec.session.in_a_try():
        return False
    for size, wanted in zip(shape, target[len(target) - len(shape) :], strict=True):
        equal = size == wanted
        if type(equal) is SymBool and equal.hint is None and known(equal) is None:
            equal.env.check((equal | (size == 1)).expression, "the result is written into an array")
            found |= known(equal) is None
    return found


def broadcasts(shape: tuple[Any, ...], target: tuple[Any, ...]) -> bool:
    """Whether the shape stretches to the target."""
    tail = target[len(target) - len(shape) :]
    return all(a is b or bool(a == b) or bool(a == 1) for a, b in zip(shape, tail, strict=True))


def misfit(out: tuple[Any, ...], shape: tuple[Any, ...]) -> str:
    """The error of NumPy's functions if ``out`` has too few elements."""
    return f"non-broadcastable output operand with shape {shape_text(out)} doesn't match the broadcast shape {shape_text(shape)}"


def shape_text(shape: tuple[Any, ...]) -> str:
    """A shape as NumPy's errors write it."""
    return "(" + ",".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def raise_like_ufunc(function: Any, result: Any, meta: Any, casting: str, position: int) -> None:
    """Raise a ufunc's (or function's) casting error: the result does not fit into ``out``."""
    if isinstance(function, np.ufunc):
        raise UFuncOutputCastingError(
            function,
            casting,  # type: ignore[arg-type]
            result.dtype,
            meta.dtype,
            function.nin + position,
        )
    raise TypeError(f"Cannot cast array data from {result.dtype!r} to {meta.dtype!r} according to the rule '{casting}'")


__all__ = ["assign", "become", "make_recorded", "put", "release", "set_value", "setitem", "touched"]
