"""Dicts of a result that may lack keys, as data decide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any


class DictOfSome:
    """In the structure of a result: a dict that may lack keys.

    The context are pairs of a key and whether the dict may lack it. The children are the values;
    before that of a key which the dict may lack stands the truth that it has the key.
    """


def entries(context: Any, children: Sequence[Any]) -> Iterator[tuple[Any, Any, Any]]:
    """Each key, the truth that the dict has it (``None``: it has), and its value."""
    rest = iter(children)
    for key, lacks in context:
        yield key, next(rest) if lacks else None, next(rest)


def dict_of(context: Any, children: Sequence[Any]) -> dict[Any, Any]:
    """The dict of the keys that there are.

    >>> dict_of((("a", False), ("b", True), ("c", True)), [1, False, 2, True, 3])
    {'a': 1, 'c': 3}
    """
    return {key: value for key, there, value in entries(context, children) if there is None or there}


def dict_text(context: Any, children: Sequence[str], shown: Callable[[Any], str] = repr) -> str:
    """The same as Python's text.

    >>> dict_text((("a", False), ("b", True)), ["x", "t", "y"])
    "{'a': x, **({'b': y} if t else {})}"
    """
    parts = [
        f"{shown(key)}: {value}" if there is None else f"**({{{shown(key)}: {value}}} if {there} else {{}})"
        for key, there, value in entries(context, children)
    ]
    return f"{{{', '.join(parts)}}}"


def count_of(context: Any) -> int:
    """How many children there are."""
    return sum(1 + lacks for _, lacks in context)


def truths_of(context: Any) -> list[int]:
    """Which of the children are truths."""
    found, place = [], 0
    for _, lacks in context:
        found += [place] * lacks
        place += 1 + lacks
    return found
