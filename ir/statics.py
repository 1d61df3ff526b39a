"""Immutable Python values that a program may return unchanged, besides numbers, texts and ``None``.

A row of ``ROWS`` says what a value consists of and how it is rebuilt: such values can be saved, and
so can Python's and NumPy's own types of scalars. Members of enumerations and other types, which are
objects of a program's own modules, cannot.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple
from uuid import UUID, SafeUUID

import numpy as np

_TYPES = (int, float, complex, bool, str, bytes)
_PARTS = (int, float, complex, bool, str, bytes, type(None))
_CLOCK = ("hour", "minute", "second", "microsecond")


class Row(NamedTuple):
    """How values of a type are taken apart, and made of integers, texts and ``None``."""

    type: type
    parts: Callable[[Any], list[Any]]
    make: Callable[..., Any]


def _offset(value: Any) -> int | None:
    """The distance of a fixed time zone from UTC in microseconds.

    Raises ``ValueError`` for another time zone.
    """
    if value.tzinfo is None:
        return None
    if type(value.tzinfo) is not timezone or repr(value.tzinfo) != repr(timezone(value.tzinfo.utcoffset(None))):
        raise ValueError("a time zone that is not a fixed distance from UTC cannot be saved")
    return value.tzinfo.utcoffset(None) // timedelta(microseconds=1)


def _zone(offset: int | None) -> timezone | None:
    return None if offset is None else UTC if offset == 0 else timezone(timedelta(microseconds=offset))


def _clock(value: Any) -> list[Any]:
    return [*(getattr(value, name) for name in _CLOCK), value.fold, _offset(value)]


def _time(hour: Any, minute: Any, second: Any, microsecond: Any, fold: Any, offset: Any) -> time:
    return time(hour, minute, second, microsecond, _zone(offset), fold=fold)


def _moment(year: Any, month: Any, day: Any, *clock: Any) -> datetime:
    return datetime.combine(date(year, month, day), _time(*clock))


ROWS: dict[str, Row] = {
    "decimal": Row(Decimal, lambda value: [str(value)], Decimal),
    "fraction": Row(Fraction, lambda value: [value.numerator, value.denominator], Fraction),
    "date": Row(date, lambda value: [value.year, value.month, value.day], date),
    "time": Row(time, _clock, _time),
    "datetime": Row(
        datetime,
        lambda value: [value.year, value.month, value.day, *_clock(value)],
        _moment,
    ),
    "timedelta": Row(timedelta, lambda value: [value.days, value.seconds, value.microseconds], timedelta),
    "uuid": Row(UUID, lambda value: [value.int], lambda number: UUID(int=number)),
    "range": Row(range, lambda value: [value.start, value.stop, value.step], range),
    "frozenset": Row(frozenset, lambda value: sorted(value, key=repr), lambda *members: frozenset(members)),
}
_KINDS = frozenset(row.type for row in ROWS.values())
_MEMBERS: tuple[type, ...] = (int, bool, str, type(None))
_TAKEN: dict[type, tuple[type, ...]] = {Decimal: (str,), frozenset: _MEMBERS}
"""The types of the parts, if they are others than integers and ``None``."""


_OF_NUMPY: list[type] = [value for value in vars(np).values() if isinstance(value, type) and issubclass(value, np.generic)]
TYPES: dict[str, type] = {f"{cls.__module__}.{cls.__name__}": cls for cls in [*_TYPES, *_OF_NUMPY]}
"""The types of scalars that can be saved, by their names."""


_NAMES = {row.type: name for name, row in ROWS.items()}


def taken_apart(value: Any) -> tuple[str, list[Any]] | None:
    """The row of a value and its parts; ``None`` where no row has them.

    >>> taken_apart(range(3)), taken_apart("text")
    (('range', [0, 3, 1]), None)
    """
    name = _NAMES.get(type(value))
    if name is None:
        return None
    try:
        return name, ROWS[name].parts(value)
    except ValueError:
        return None


def remade(name: str, parts: list[Any]) -> Any:
    """The value of a row that consists of these parts.

    Raises ``ValueError``, whatever the parts are.

    >>> remade("range", [1, 5, 2])
    range(1, 5, 2)
    """
    row = ROWS[name]
    kinds = _TAKEN.get(row.type, (int, type(None)))
    try:
        if all(type(part) in kinds for part in parts):
            return row.make(*parts)
    except (TypeError, ValueError, ArithmeticError, LookupError):
        pass
    raise ValueError(f"no {name} consists of {parts!s:.80}")


def is_static(value: Any) -> bool:
    """Whether a value is one of those, and holds nothing but plain values.

    >>> is_static(Fraction(1, 3)), is_static(slice(1, None)), is_static([1])
    (True, True, False)
    """
    kind = type(value)
    if kind is Fraction:
        return type(value.numerator) is type(value.denominator) is int
    if kind is UUID:
        return type(value.int) is int and value.is_safe is SafeUUID.unknown
    if kind is frozenset:
        return all(type(member) in _MEMBERS for member in value)
    if kind is slice:
        return all(type(part) in _PARTS for part in (value.start, value.stop, value.step))
    if issubclass(kind, type):
        return value in _TYPES or issubclass(value, np.generic)
    return kind in _KINDS or value is ... or issubclass(kind, (enum.Enum, np.dtype))
