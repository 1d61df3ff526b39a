"""Containers whose length only sizes or data know, in the structure of a result."""

from __future__ import annotations

import functools
import itertools
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from npexport.ir import texts


class ListOfRows:
    """In the structure of a result: a list whose length only sizes or data know. Its children are
    arrays, each with one number, or one array, per item along the first axis.

    The context describes an item: ``"number"``, a Python number; ``"scalar"``, a NumPy scalar;
    ``"array"``, an array in memory of its own; a tuple that begins with ``"tuple"``, ``"list"``, or
    ``"namedtuple"`` and the class, and goes on with its items; one that begins with ``"one"`` and
    goes on with what it may be, of which a first column says the place; or among these
    ``("constant", value)``, which has no column; one that begins with ``"record"`` and the keys of
    a dict, or with ``"text"`` and the context of a text, and goes on with their items or children.
    ``("deque", item)``: a deque of such items, and likewise for the other names of `OF_ROWS`; the
    items of a dict are tuples of a key and a value.
    ``("lists", name, item)``: a list, or what `OF_ROWS` makes of it; its columns are the number of
    each list, by which two may be one, how many items it has, and the columns of all their items.
    """


def counts_of(rows: Iterable[tuple[Any, int]]) -> Counter[Any]:
    """A ``Counter`` of pairs of a key and its number."""
    return Counter(dict(rows))


OF_ROWS: dict[str, Callable[[Any], Any]] = {
    "deque": deque, "dict": dict, "set": set, "frozenset": frozenset, "OrderedDict": OrderedDict,
    "Counter": counts_of, "defaultdict": functools.partial(defaultdict, None),
    **{f"defaultdict of {cls.__name__}": functools.partial(defaultdict, cls) for cls in (int, float, bool, list, dict, set)},
}  # fmt: skip
"""What is made of the rows of a result that is not a list, by its name."""


def rows_of(item: Any, columns: Iterator[Any]) -> Any:
    """The items whose numbers and arrays stand in arrays, along the first axis, or in lists.

    >>> rows_of(("tuple", "number", "scalar"), iter([np.array([1, 2]), np.array([0.5, 1.5])]))
    [(1, np.float64(0.5)), (2, np.float64(1.5))]
    """
    if type(item) is tuple and item[0] in OF_ROWS:
        return OF_ROWS[item[0]](_each(item[1], columns))
    if type(item) is tuple and item[0] == "one":
        places = next(columns).tolist()
        options = [[part[1]] * len(places) if part[0] == "constant" else rows_of(part, columns) for part in item[1:]]
        return [options[place][row] for row, place in enumerate(places)]
    if type(item) is tuple and item[0] == "lists":
        numbers, lengths = rows_of("number", columns), rows_of("number", columns)
        return divided(numbers, lengths, rows_of(item[2], columns), OF_ROWS.get(item[1], list))
    if type(item) is tuple:
        return list(_each(item, columns))
    column = next(columns)
    if item == "array":
        return [np.array(row) for row in column]
    return list(column) if item == "scalar" or type(column) is list else column.tolist()


def divided(numbers: list[int], lengths: list[int], items: list[Any], made: Callable[[Any], Any]) -> list[Any]:
    """Lists of so many of the items; those of one number are one.

    >>> divided([4, 7], [2, 1], [10, 20, 30], list)
    [[10, 20], [30]]
    """
    ends = [0, *itertools.accumulate(lengths)]
    lists: list[Any] = [items[start:end] for start, end in itertools.pairwise(ends)]
    if made is not list:
        lists = list(map(made, lists))
    if len({*numbers}) == len(numbers):
        return lists
    found: dict[int, Any] = {}
    return [found.setdefault(number, each) for number, each in zip(numbers, lists, strict=True)]


def parts_of(item: tuple[Any, ...]) -> tuple[Any, ...]:
    """What an item, or one of several that it may be, consists of."""
    return item[2:] if item[0] in ("namedtuple", "record", "text") else item[1:]


def numbers_in(item: Any) -> list[str]:
    """What stands in each column of a list of such items."""
    if type(item) is str or item[0] == "constant":
        return [item] if type(item) is str else []
    if item[0] == "lists":
        return ["number", "number", *numbers_in(item[2])]
    return ["number"] * (item[0] == "one") + [number for part in parts_of(item) for number in numbers_in(part)]


def lengths_in(item: Any, own: int = 0, others: Iterator[int] | None = None) -> list[int]:
    """For each column a number: columns of one number are of one length."""
    others = itertools.count(1) if others is None else others
    if type(item) is str:
        return [own]
    if item[0] == "constant":
        return []
    if item[0] == "lists":
        return [own, own, *lengths_in(item[2], next(others), others)]
    return [*([own] if item[0] == "one" else []), *[found for part in parts_of(item) for found in lengths_in(part, own, others)]]


def _each(item: Any, columns: Iterator[Any]) -> Iterable[Any]:
    """The same, for one iteration."""
    if type(item) is not tuple or item[0] not in ("tuple", "list", *_MADE):
        return rows_of(item, columns)  # type: ignore[no-any-return]
    rows = zip(*[rows_of(part, columns) for part in parts_of(item)], strict=True)
    return rows if item[0] == "tuple" else map(functools.partial(_MADE[item[0]], item[1]) if item[0] in _MADE else list, rows)


def _named_tuple(cls: Any, row: tuple[Any, ...]) -> Any:
    return tuple.__new__(cls, row)


def _record(keys: tuple[str, ...], row: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip(keys, row, strict=True))


_MADE: dict[str, Callable[[Any, Any], Any]] = {"namedtuple": _named_tuple, "record": _record, "text": texts.written}
"""What is made of the parts of an item, by its name; the function gets what follows that."""
