"""``range`` with sizes among its bounds: a sequence of sizes whose length is a size too."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

from npexport.symshapes.functions import sym_ceildiv, sym_index, sym_max
from npexport.symshapes.symint import is_symbolic
from npexport.symshapes.wrapping import as_expr


class SymRange:
    """What ``range(start, stop, step)`` is where a bound is a size.

    Its length, its items and what it contains are asked of the sizes alone. Iterating needs the
    *number* of items as a plain integer (with a guard), not the bounds: ``range(0, n, 4)`` fixes
    ``ceil(n / 4)`` and ``range(n - 3, n)`` fixes nothing. Slices, comparison, hash and text fix the
    bounds.
    """

    __slots__ = ("start", "step", "stop")
    start: Any
    step: Any
    stop: Any

    def __init__(self, start: Any, stop: Any, step: Any) -> None:
        if step == 0:
            raise ValueError("range() arg 3 must not be zero")
        for name, value in (("start", start), ("step", step), ("stop", stop)):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(range(0), name, value)  # raises

    def __delattr__(self, name: str) -> None:
        delattr(range(0), name)  # raises

    __class__ = range  # type: ignore[assignment]

    def plain(self) -> range:
        """The range at the example, with guards."""
        return range(*map(operator.index, (self.start, self.stop, self.step)))

    def __len__(self) -> Any:
        return sym_max(sym_ceildiv(self.stop - self.start, self.step), 0)

    def __bool__(self) -> bool:
        return bool(self.__len__() != 0)

    def __iter__(self) -> Iterator[Any]:
        return iter([self.start + i * self.step for i in range(self.__len__())])

    def __reversed__(self) -> Iterator[Any]:
        return iter(list(self)[::-1])

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self.plain()[index]
        if not hasattr(index, "__index__"):
            range(0)[index]  # raises
        position, length = sym_index(index), self.__len__()
        if position < 0:
            position = position + length
        if position < 0 or position >= length:
            raise IndexError("range object index out of range")
        return self.start + position * self.step

    def __contains__(self, value: Any) -> bool:
        if as_expr(value) is None:
            return any(value == item for item in self)
        position = (value - self.start) // self.step
        return bool(self.start + position * self.step == value and position >= 0 and position < self.__len__())

    def count(self, value: Any) -> int:
        """``range.count``."""
        return sum(bool(value == item) for item in self) if as_expr(value) is None else int(value in self)

    def index(self, value: Any) -> Any:
        """``range.index``."""
        if as_expr(value) is not None and value in self:
            return (value - self.start) // self.step
        return self.plain().index(value)

    def __eq__(self, other: object) -> bool:
        return self.plain() == (other.plain() if type(other) is SymRange else other)

    def __hash__(self) -> int:
        return hash(self.plain())

    def __repr__(self) -> str:
        return repr(self.plain())

    def __reduce__(self) -> Any:
        return self.plain().__reduce__()


def sym_range(*args: Any) -> Any:
    """``range``."""
    if not 1 <= len(args) <= 3:
        return range(*args)
    bounds = list(map(sym_index, args))
    if not any(map(is_symbolic, bounds)):
        return range(*bounds)
    start, stop = (0, *bounds) if len(bounds) == 1 else bounds[:2]
    return SymRange(start, stop, bounds[2] if len(bounds) == 3 else 1)
