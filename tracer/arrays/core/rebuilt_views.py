"""Views that are made again: of other memory, by other numbers, or behind the side of a branch that
made them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from npexport.ir import ops
from npexport.ir.arguments import key_of, leaves_of
from npexport.ir.graph import Node, map_nodes
from npexport.ir.meta import TensorMeta
from npexport.ir.ops.control_flow import fits
from npexport.runtime.memory.layouts import items_of
from npexport.symshapes.functions import sym_max, sym_min
from npexport.symshapes.symint import is_symbolic, is_unbacked, python_type
from npexport.tracer.arrays.core.current import Recording, recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy, integer_of
from npexport.tracer.arrays.core.regions import LoggingRegion
from npexport.tracer.arrays.memory.model import Link, Storage, data_of

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def view_like(storage: Storage, like: ArrayProxy, instead: Mapping[Node, Any] = MappingProxyType({})) -> ArrayProxy:
    """A view of this memory that selects what ``like`` selects of its own memory, by other nodes
    ``instead`` of some.
    """

    def arguments(step: Link) -> Arguments:
        found: Arguments = map_nodes((step.args, step.kwargs), lambda node: instead.get(node, node))
        return found

    return _view_by(storage, like, arguments)


def _view_by(storage: Storage, like: ArrayProxy, arguments: Callable[[Link], Arguments]) -> ArrayProxy:
    if like.link is not None and like.array is None and storage.array is not None:
        recorder().materialize(storage)  # a view made while the data were not known has no array
    link, meta, fit = None, storage.meta, fits(storage.meta, like.storage.meta)
    for step in like.link.chain() if like.link is not None else ():
        meta = step.meta if fit else step.op.rule(meta, *step.args, **step.kwargs)
        args, kwargs = arguments(step)
        link = Link(link, step.op, args, kwargs, meta)
        link.ambiguity, link.held, link.rebuilt = step.ambiguity, step.held, True
    return ArrayProxy(storage, link, meta, data_of(storage, link), like.writeable)


def nodes_in(array: ArrayProxy) -> list[Node]:
    """The nodes that a view selects by, in order."""
    steps = array.link.chain() if array.link is not None else ()
    return [leaf for step in steps for leaf in leaves_of((step.args, step.kwargs)) if type(leaf) is Node]


def view_after_branch(region: LoggingRegion, array: ArrayProxy) -> ArrayProxy | None:
    """The same view of earlier memory by numbers that are known behind the side that has made it;
    ``None`` if only the side knows which elements it shows.
    """
    inside = {*region.nodes, *region.entries}
    nodes = [node for node in nodes_in(array) if node in inside]
    numbers = [node.meta["val"] for node in nodes]
    if any(not is_symbolic(number) or region.made(number.expression.symbols) for number in numbers):
        return None
    behind = dict(zip(nodes, map(region.recorder.argument, numbers), strict=True))
    return view_like(array.storage, array, behind) if nodes else array


def is_by_places(array: ArrayProxy) -> bool:
    """Whether all nodes that a view selects by are places along an axis (``x[i]``), and its own
    sizes do not depend on data.
    """
    nodes = [place for place, _ in places_of(array) if type(place) is Node]
    sized = all(not is_unbacked(size) for size in array.meta.shape)
    return sized and len(nodes) == len(nodes_in(array)) and all(python_type(node.meta["val"]) is int or _is_scalar(node) for node in nodes)


def _is_scalar(place: Any) -> bool:
    """Whether a place is an integer of NumPy."""
    meta = place.meta["val"] if type(place) is Node else None
    return isinstance(meta, TensorMeta) and meta.scalar and meta.dtype.kind in "iu"


def is_of_data(place: Any) -> bool:
    """Whether only the data know a place."""
    return _is_scalar(place) or is_unbacked(place.meta["val"] if type(place) is Node else place)


def numbers_of(array: ArrayProxy) -> list[Any] | None:
    """The places by which a view is one, as numbers; ``None`` if it is none by places alone."""
    places = [place.meta["val"] if type(place) is Node else place for place, _ in places_of(array)]
    return places if places and is_by_places(array) and not any(isinstance(place, TensorMeta) for place in places) else None


def form_of_view(array: ArrayProxy) -> Any:
    """What two views share that differ in nothing but their places."""
    link = view_at(array, [0 for _ in places_of(array)]).link
    chain = link.chain() if link is not None else ()
    steps = tuple([(step.op, key_of((step.args, tuple(step.kwargs.items())))) for step in chain])
    return id(array.storage), array.meta, array.writeable, steps


def view_at(like: ArrayProxy, places: Iterable[Any], untold: bool = False) -> ArrayProxy:
    """The view of the same memory by these places (`places_of`), which are arguments of nodes.
    ``untold``: whether it may be another array that shows the same.
    """
    taken = list(places)
    rest = iter(taken)
    if like.storage.array is not None and any(type(place) is Node for place in taken):
        recorder().materialize(like.storage)

    def arguments(step: Link) -> Arguments:
        items = tuple([next(rest) if _is_place(item) else item for item in _items(step)])
        if not items:
            return step.args, step.kwargs
        return (items if type(step.args[0]) is tuple else items[0], *step.args[1:]), step.kwargs

    found = _view_by(like.storage, like, arguments)
    if found.link is not None:
        found.link.untold = untold
    return found


def at_places_that_are(recorder: Recording, array: ArrayProxy) -> ArrayProxy:
    """The view by places that the array has whatever the numbers are, if it has any: the same where
    the numbers are places of it.
    """
    places, before = [], [place for place, _ in places_of(array)]
    for place, size in places_of(array):
        number: Any = place
        if is_of_data(place):
            number = integer_of(ScalarProxy(place.meta["val"], place)) if _is_scalar(place) else place.meta["val"]
            number = recorder.argument(sym_max(sym_min(number, size - 1), -size))
        places.append(number)
    untold = array.link is not None and array.link.untold
    return array if all(map(operator.is_, places, before)) else view_at(array, places, untold)


def _items(step: Link) -> tuple[Any, ...]:
    """The items of an index; none for another step."""
    return items_of(step.args[0]) if step.op is ops.np.getitem else ()


def _is_place(item: Any) -> bool:
    return item is not None and item is not Ellipsis and type(item) is not slice


def places_of(array: ArrayProxy) -> Iterator[tuple[Any, Any]]:
    """The places that a view selects along axes, each with the size of the axis."""
    shape = array.storage.meta.shape
    for step in array.link.chain() if array.link is not None else ():
        if items := list(_items(step)):
            rest = len(shape) - sum(item is not None and item is not Ellipsis for item in items)
            at = next((place for place, item in enumerate(items) if item is Ellipsis), len(items))
            sizes = iter(shape)
            for item in [*items[:at], *[slice(None)] * rest, *items[at + 1 :]]:
                size: Any = None if item is None else next(sizes)
                if _is_place(item):
                    yield item, size
        shape = step.meta.shape
