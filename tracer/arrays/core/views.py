"""Views: the proxies of view operators and the writes through them, by the facts in the operators'
records.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta, no_data
from npexport.ir.op import Op
from npexport.ir.ops.views import order_of, set_places
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.plain import with_article
from npexport.tracer.arrays.core.current import Recording
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy, real_arguments
from npexport.tracer.arrays.memory.layout_guards import Answer, not_contiguous, ravel_copies, reshape_copies
from npexport.tracer.arrays.memory.layout_inference import asked
from npexport.tracer.arrays.memory.model import Layout, Link, Placeholder, Storage, mirror

_COPIES: dict[str, Callable[[ArrayProxy, TensorMeta, str], Answer]] = {
    "reshape": reshape_copies,
    "ravel": lambda x, meta, order: ravel_copies(x, order),
    "order": lambda x, meta, order: not_contiguous(x, order),
}
"""Questions of `View.copies` about the memory."""


def _copied(op: Op, x: ArrayProxy, link: Link) -> Answer:
    """Whether NumPy makes a copy although the operator can return a view."""
    if op.view.renews is not None:
        return Answer(op.view.renews(x.meta))
    return _COPIES[op.view.copies](x, link.meta, order_of(op, (x, *link.args), link.kwargs)) if op.view.copies else Answer(False)


def view(recorder: Recording, op: Op, x: ArrayProxy, args: tuple[Any, ...], kwargs: dict[str, Any], known: bool) -> Any:
    """The view ``op(x, *args, **kwargs)``, or the copy if NumPy makes one."""
    if op.view.returns is not None and op.view.returns(x.meta, args, kwargs):
        return x
    if known:
        return _known_view(recorder, op, x, args, kwargs)
    if x.storage.array is not None:
        recorder.materialize(x.storage)
    op.kernel  # noqa: B018 -- loaded now: an import while C runs would be taken for Python of the program's
    (_, *rest), kwargs = recorder.bind(op, (x, *args), kwargs)
    node = recorder.node(op, (x, *rest), kwargs)
    meta = node.meta["val"]
    if meta.scalar:
        return ScalarProxy(meta, node)
    args = tuple([recorder.argument(arg) for arg in rest])
    kwargs = {name: recorder.argument(value) for name, value in kwargs.items()}
    link = Link(x.link, op, args, kwargs, meta)
    copied = _copied(op, x, link)
    if copied.holds:
        result = recorder.wrap(node, _layout_of_copy(x, link))
        result.writeable = op.view.renews is None
        result.storage.hidden = op.view.hides_copy
    else:
        recorder.derive(link, node, x.storage.version)
        if x.link is None and x.storage.outside is None:
            x.storage.adopt(link)
        result = ArrayProxy(x.storage, link, meta, None, x.writeable and not reads_only(link))
    if copied.open:
        recorder.layouts.note(x, result, copied.question)
        if result.storage is not x.storage and recorder.may_alias.of(x.storage):
            result.storage.copied = x.storage
    return result


def subject_by_place(op: Op, kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call by names alone with the array, a view of which is asked for, by
    place.
    """
    name = next(iter(op.signature.parameters))
    return ((kwargs[name],), {key: value for key, value in kwargs.items() if key != name}) if name in kwargs else ((), kwargs)


def reads_only(step: Link) -> bool:
    """Whether this view of writeable memory is read-only in NumPy."""
    return step.op.view.read_only and not step.kwargs.get("writeable")


def einsum_view(recorder: Recording, x: ArrayProxy, terms: str) -> Any:
    """The view that ``np.einsum(terms, x)`` returns if nothing is summed, otherwise ``None``."""
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
    """Raises NumPy's error for axes of different lengths; an empty first one counts as absent."""
    if bool(first == second):
        return
    if bool(first == 0):
        raise Unsupported("E101", f"np.einsum along the diagonal of {first} by {second} elements")
    raise ValueError(f"dimensions in single operand for collapsing index '{label}' don't match ({first} != {second})")


def _layout_of_copy(x: ArrayProxy, link: Link) -> Layout:
    """The layout of the copy, which depends on the input: another one may make it a view."""
    meta = link.meta
    if link.op.view.renews is not None:
        return asked(link.op, [x], (x,), {}, meta)
    fortran = order_of(link.op, (x, *link.args), link.kwargs) == "F" and len(meta.shape) > 1
    axes, layout = tuple(range(len(meta.shape)))[::-1] if fortran else None, x.storage.layout
    return Layout(axes, layout.depends, layout.known, sizes=layout.sizes)


def _known_view(recorder: Recording, op: Op, x: ArrayProxy, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
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


def _in_place(recorder: Recording, storage: Storage, value: Node) -> Node:
    """The value of a whole storage of floats that is not in C order, with its earlier layout:
    sums and products take its elements in the order of memory.
    """
    old, meta = storage.node, storage.meta
    if meta.dtype.kind not in "fc" or len(meta.shape) < 2 or old is None or mirror(storage, None).flags.c_contiguous:
        return value
    if isinstance(value.target, Op) and "scatter" in value.target.traits and value.args[:1] == (old,):
        return value
    return recorder.node(ops.np.setitem, (old, Ellipsis, value))


def scatter(recorder: Recording, storage: Storage, link: Link | None, value: Node) -> Node:
    """The new value of the storage when the view's value becomes ``value``.

    The links remember theirs, for the version after this one, if the layouts in memory are those of
    the views: the rounding of sums and products of floats depends on that.
    """
    if link is None:
        return _in_place(recorder, storage, value)
    version, chain = storage.version + 1, link.chain()
    values = [storage.node]
    for step in chain[:-1]:
        values.append(recorder.node(step.op, (values[-1], *step.args), step.kwargs))
    for step, old in zip(reversed(chain), reversed(values), strict=True):
        if step.meta.dtype.kind not in "fc" or mirror(storage, step).flags.c_contiguous:
            recorder.derive(step, value, version)
        value = (step.op.view.inverse or set_places)(recorder, old, value, step)  # type: ignore[arg-type]
    return value


def no_objects(dtype: Any) -> Unsupported:
    """The error for arrays of Python objects, and for dtypes that are not NumPy's own."""
    why, hint = no_data(dtype)
    return Unsupported("E122", why, hint=hint)


def no_subclass(cls: type) -> Unsupported:
    """The error for arrays of a subclass."""
    hint = next(
        (hint for name, hint in _INSTEAD.items() if name in [base.__name__ for base in cls.__mro__]),
        "Use plain arrays, a program has no others: let a class hold the array as an attribute (self.values = np.asarray(values)), "
        "and define its operators with np.lib.mixins.NDArrayOperatorsMixin, or __add__ and the like.",
    )
    what = "an ndarray by its own __new__" if cls is np.ndarray else f"{with_article(cls.__qualname__)}, a subclass of ndarray"
    return Unsupported("E101", f"an array becomes {what}", hint=hint)


def another(placeholder: Placeholder, array: np.ndarray[Any, Any], path: str) -> ArrayProxy:
    """The proxy of another outside array of the elements that a placeholder has."""
    proxy = ArrayProxy(placeholder.storage, None, placeholder.storage.meta, None, bool(array.flags.writeable))
    placeholder.others.append((proxy, path))
    return proxy


_INSTEAD = {
    "MaskedArray": "Keep the mask beside the array, True where elements count: np.mean(x, where=valid), np.where(valid, x, fill), "
    "np.nanmean(np.where(valid, x, np.nan)).",
    "matrix": "Use arrays of two axes: x @ y is their product.",
    "recarray": "Use a plain array of the same dtype, and its fields by name: x['field'].",
    "chararray": "Use np.strings on plain arrays of text.",
}
"""What to write instead of NumPy's own subclasses, by name: their modules are loaded only when they
are used.
"""


__all__ = ["another", "no_objects", "no_subclass", "scatter", "view"]
