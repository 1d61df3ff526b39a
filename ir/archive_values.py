"""Checked reads of an untrusted JSON document."""

from __future__ import annotations

from typing import Any, TypeVar

from npexport.symshapes.errors import LoadError

T = TypeVar("T")


def damaged(what: str) -> LoadError:
    return LoadError("E501", f"the archive's document is damaged: {what}")


def expect(value: Any, *types: type[T], what: str = "") -> T:
    """The value, if it is of one of these very types. Raises ``LoadError``."""
    if type(value) not in types:
        raise damaged(f"expected {' or '.join(cls.__name__ for cls in types)}{f' for {what}' if what else ''}, found {value!r:.80}")
    return value  # type: ignore[no-any-return]


def get(row: Any, key: str, *types: type[T]) -> T:
    """``row[key]`` of one of these types."""
    if key not in expect(row, dict):
        raise damaged(f"the key {key!r} is missing")
    return expect(row[key], *types, what=key)


def items(row: Any, count: int) -> list[Any]:
    """A list of this length."""
    if len(expect(row, list)) != count:
        raise damaged(f"expected {count} items, found {row!r:.80}")
    return list(row)
