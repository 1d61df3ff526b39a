"""What ``sorted``, ``list.sort`` and ``heapq`` need of items that the program's own Python compares
(``__lt__``, `functools.cmp_to_key`), where data decide, for
`npexport.tracer.models.polyfills.comparing`.

An item that is compared is made anew of its parts at a place that data may choose, so no comparison
may change it, and nothing else may hold it.
"""

from __future__ import annotations

import functools
import gc
import types
from collections.abc import Callable
from typing import Any, NamedTuple

from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import python_type
from npexport.tracer.arrays.core import coercion
from npexport.tracer.arrays.core.item_structures import is_tuple
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.models.containers.reordered_objects import contents, is_object, with_contents

MOST = 63
"""Longer lists are merged from runs."""
Refuse = Callable[[str], Unsupported]
Reordered = Callable[[list[Any], Any], list[Any]]
_Key: Any = type(functools.cmp_to_key(max))


class Leaf(NamedTuple):
    """A number or array, in the column of those at its place in all items."""

    place: int

    def made(self, leaves: list[Any]) -> Any:
        return leaves[self.place]

    def is_unchanged(self, value: Any, leaves: list[Any]) -> bool:
        return value is leaves[self.place]


class Same(NamedTuple):
    """What is the same in all items."""

    value: Any

    def made(self, leaves: list[Any]) -> Any:
        return self.value

    def is_unchanged(self, value: Any, leaves: list[Any]) -> bool:
        return value is self.value


class Parts(NamedTuple):
    """Tuples, or objects of one class with the same attributes. ``first``: one of them."""

    first: Any
    forms: list[Any]

    def made(self, leaves: list[Any]) -> Any:
        row = tuple([form.made(leaves) for form in self.forms])
        return tuple.__new__(type(self.first), row) if is_tuple(self.first) else with_contents(self.first, row)

    def is_unchanged(self, value: Any, leaves: list[Any]) -> bool:
        kind, row = _parts(value)
        same = kind == _parts(self.first)[0] and len(row) == len(self.forms)
        return same and all(form.is_unchanged(part, leaves) for form, part in zip(self.forms, row, strict=True))


def _parts(value: Any) -> tuple[Any, list[Any]]:
    return (type(value), [*tuple.__iter__(value)]) if is_tuple(value) else contents(value)


def compare_of(key: Any) -> Any:
    """The function of two items of which `functools.cmp_to_key` has made this key, if it has."""
    found = [each for each in gc.get_referents(key) if each is not _Key] if type(key) is _Key else []
    return found[0] if len(found) == 1 and isinstance(found[0], types.FunctionType) else None


def is_compared_by_python(value: Any) -> bool:
    """Whether a value is an instance whose class says in Python what it is less than."""
    return is_object(value) and type(value) not in (list, dict) and isinstance(_less(type(value)), types.FunctionType)


def _less(cls: type) -> Any:
    return next((vars(base)["__lt__"] for base in cls.__mro__ if "__lt__" in vars(base)), None)


def holds_data(value: Any, is_data: Callable[[Any], bool], seen: frozenset[int] = frozenset()) -> bool:
    """Whether a value is data, or an object or tuple with data in it."""
    if is_data(value):
        return True
    if id(value) in seen or not (is_tuple(value) or is_object(value)):
        return False
    return any(holds_data(part, is_data, seen | {id(value)}) for part in _parts(value)[1])


def may_be_ordered_by_data(items: list[Any], is_data: Callable[[Any], bool]) -> bool:
    """Whether Python compares these items, and data may decide how."""
    return all(map(is_compared_by_python, items)) and any(holds_data(item, is_data) for item in items)


class Items:
    """The items that are compared. ``values``: what is put in order by them; ``reordered`` does so
    as data decide; ``require_unheld`` raises the refusal if something else holds one of them.
    """

    def __init__(self, values: list[Any], keys: list[Any], require_unheld: Callable[[], None], reordered: Reordered, refusal: Refuse):
        self._values, self._keys = values, keys
        self._require_unheld, self._reordered, self._refusal = require_unheld, reordered, refusal
        self._found: tuple[list[list[Any]], Any] | None = None

    def is_known(self, place: Any) -> bool:
        return type(place) is int

    def columns(self) -> list[list[Any]]:
        """The leaves of the items. Raises the refusal if they are not alike, or held elsewhere."""
        if self._found is None:
            self._require_unheld()
            self._found = self._columns()
        return self._found[0]

    def _columns(self) -> tuple[list[list[Any]], Any]:
        columns: list[list[Any]] = []
        form = _form(self._keys, columns, self._refusal)
        return columns, form

    def item(self, place: Any, leaves: list[Any] | None) -> Any:
        """The item at a known place, or a new one of its leaves."""
        return self._keys[place] if leaves is None else self._form.made(leaves)

    @property
    def _form(self) -> Any:
        return self._found[1]  # type: ignore[index]

    def require_unchanged(self, item: Any, leaves: list[Any] | None) -> None:
        """Raises the refusal if a comparison has changed an item that was made anew."""
        if leaves is not None and not self._form.is_unchanged(item, leaves):
            raise self._refusal("a comparison changes an item")

    def taken(self, order: list[Any]) -> list[Any]:
        """The values at these places, which data may decide."""
        if all(map(self.is_known, order)):
            return [self._values[place] for place in order]
        before, after = self.columns(), self._columns()[0]
        if any(one is not other for mine, theirs in zip(before, after, strict=True) for one, other in zip(mine, theirs, strict=True)):
            raise self._refusal("a comparison changes an item")
        return self._reordered(self._values, coercion.array_of(order))


def _form(values: list[Any], columns: list[list[Any]], refusal: Refuse) -> Any:
    first = values[0]
    if all(value is first for value in values) and not (is_object(first) or is_tuple(first)):
        return Same(first)
    if is_tuple(first) or is_object(first):
        if any(type(value) is not type(first) or _parts(value)[0] != _parts(first)[0] for value in values):
            raise refusal("the items that Python compares are not alike")
        rows = [_parts(value)[1] for value in values]
        if any(len(row) != len(rows[0]) for row in rows):
            raise refusal("the items that Python compares are tuples of several lengths")
        return Parts(first, [_form(list(column), columns, refusal) for column in zip(*rows, strict=True)])
    kinds = {value.dtype if hasattr(value, "dtype") else python_type(value) for value in values}
    shapes = {value.shape if type(value) is ArrayProxy else None for value in values}
    if len(kinds) > 1 or len(shapes) > 1:
        raise refusal("the items that Python compares hold values of several kinds in one place")
    columns.append(values)
    return Leaf(len(columns) - 1)
