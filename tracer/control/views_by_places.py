"""Views of earlier memory that an iteration of a loop on data leaves (``best = row``, or ``return
row`` of the first row that fits): what is carried is the places that they show, and the views are
made again where an iteration begins and behind the loop. So they show that memory as it is then,
and are written to as any other view of it.

Laws:

1. A leaf is such a view only if it is one of the same memory that differs in nothing but its places
   wherever it is an array: before an iteration and after it, on every path to its end.
2. Whether one is the same object as another array that shows the same is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from npexport.ir.meta import TensorMeta
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.rebuilt_views import form_of_view, numbers_of, view_at
from npexport.tracer.arrays.core.regions import LoggingRegion
from npexport.tracer.interpreter.symbolic_union import SymbolicUnion, options_of


class ViewByPlaces:
    """Stands for a view of the memory of ``like`` by other ``places`` than its own."""

    __slots__ = ("like", "places")

    def __init__(self, like: ArrayProxy, places: Sequence[Any]) -> None:
        self.like, self.places = like, tuple(places)

    @property
    def tag(self) -> Any:
        """What two views share that differ in nothing but their places."""
        return form_of_view(self.like)

    def at(self, places: Sequence[Any]) -> ViewByPlaces:
        """The same by other places."""
        return ViewByPlaces(self.like, places)

    def made(self) -> ArrayProxy:
        """The view."""
        return view_at(self.like, map(recorder().argument, self.places), untold=True)


def by_places(value: Any, inside: Sequence[LoggingRegion]) -> Any:
    """The value with stand-ins in place of views of earlier memory. ``inside``: the regions that
    are open in the loop, the outermost first.
    """
    if type(value) is tuple:
        items = tuple([by_places(item, inside) for item in value])
        return items if any(one is not other for one, other in zip(items, value, strict=True)) else value
    if type(value) is SymbolicUnion:
        options = by_places(value.options, inside)
        return value if options is value.options else SymbolicUnion(value.tests, options, value.name, value.text)
    if type(value) is not ArrayProxy or value.link is None or (inside and inside[0].owns(value.storage)):
        return value
    places = numbers_of(value)
    return value if places is None else ViewByPlaces(value, places)


def may_be_views(one: Any, other: Any) -> bool:
    """Whether the arrays that two values may be are views that differ by their places alone."""
    tags = [option.tag if type(option) is ViewByPlaces else None for option in (*_arrays(one), *_arrays(other))]
    return None not in tags and all(tag == tags[0] for tag in tags)


def _arrays(value: Any) -> Iterator[Any]:
    for _, option in options_of(value):
        if type(option) in (ViewByPlaces, ArrayProxy) or (isinstance(option, TensorMeta) and not option.scalar):
            yield option
