"""Elements of arrays that loops read as numbers of Python, and numbers that they write: through
windows, which show the memory of an array as such numbers.

Laws:

1. A window is of one array: every name that it stands for has this array in all iterations of the
   loop. It is made before the loop, made anew where a longer array takes the place of this one,
   which nothing uses any more, and let go behind the loop.
2. What is read or written that way surely has its place, and a number that is written is what the
   array would hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from npexport.ir import ops
from npexport.ir.meta import TensorMeta
from npexport.ir.node import Node, value_of
from npexport.runtime.emission.emit import Source
from npexport.runtime.lists.list_calls import NUMBER, calls, overflows_only, stored_kind
from npexport.runtime.loops.counted_loops import is_number_call
from npexport.runtime.memory.layouts import is_array
from npexport.runtime.origins import Row
from npexport.symshapes.symint import python_type

Array = np.ndarray[Any, Any]

_SHOWN = frozenset("?bBhHiIlLqQfd")
"""The formats that windows show as numbers: those of the C compiler, in its own byte order."""
_NUMBERS = {"b": bool, "i": int, "u": int, "f": float}
_NAMES = r"[a-z]\w*(?:, [a-z]\w*)*"
_MOVE = re.compile(rf"({_NAMES}) = ({_NAMES})")
_BOUND = re.compile(rf"(?<![\w.\]])({_NAMES}),? = |\bfor ({_NAMES}) in |\bas ({_NAMES})")


class _Items:
    """A window on memory that Python shows in no other way."""

    __slots__ = ("array",)

    def __init__(self, array: Array) -> None:
        self.array = array

    def __getitem__(self, place: Any) -> Any:
        return self.array.item(place)

    def __setitem__(self, place: Any, number: Any) -> None:
        self.array[place] = number


def window(array: Array) -> Any:
    """What gives the elements of an array as numbers of Python, and takes such numbers."""
    shown = array.data
    return shown if shown.format in _SHOWN else _Items(array)


def number_of(read: Node) -> Node | None:
    """The call that makes a number of Python of an element, and alone uses it; ``None`` of other
    calls, and of elements that windows do not show or that may not be there.
    """
    number: Any = next(iter(read.users), read)
    if not calls(read, ops.np.getitem) or "raises" in read.meta or not _is_element(*read.args):
        return None
    fits = len(read.users) == 1 and number.graph is read.graph and is_number_call(number) and "raises" not in number.meta
    return number if fits and python_type(number.meta["val"]) is _NUMBERS[read.args[0].meta["val"].dtype.kind] else None


def writes_number(write: Node) -> bool:
    """Whether a call writes a number to an element that is there and holds just this number, if it
    has room for it.
    """
    if not calls(write, ops.np.setitem) or ("raises" in write.meta and not overflows_only(write)) or not _is_element(*write.args[:2]):
        return False
    return stored_kind(write.args[2], write.meta["val"].dtype) == NUMBER


def _is_element(array: Any, index: Any) -> bool:
    """Whether an index says which element of an array is meant, and windows show that."""
    meta = array.meta["val"] if type(array) is Node else None
    if not isinstance(meta, TensorMeta) or not is_array(meta) or meta.dtype.char not in _SHOWN or not meta.dtype.isnative:
        return False
    places = index if type(index) is tuple else (index,)
    return len(places) == meta.ndim > 0 and all(python_type(value_of(place)) is int for place in places)


class _Use(NamedTuple):
    """A read or a write of an element: the name of the array, the row, and its text with ``{}`` in
    the place of the array.
    """

    array: str
    row: Row
    text: str


class Windows:
    """The windows of a loop that is in no other. ``start``: the number of the first row that is
    about the loop.
    """

    def __init__(self, source: Source, start: int) -> None:
        self._source = source
        self._start = start
        self._first = source.count()
        self._uses: dict[int, _Use] = {}
        self._longer: dict[int, tuple[str, Row]] = {}  # rows that may put a longer array in the place of a name's

    def note(self, array: str, row: Row, text: str) -> None:
        """A row is a read or a write."""
        if array.isidentifier():
            self._uses[id(row)] = _Use(array, row, text)

    def note_longer(self, array: str, row: Row) -> None:
        """A row gives a name a longer array if its own is too short."""
        self._longer[id(row)] = (array, row)

    def settle(self, rows: list[Row], head: int, around: tuple[Node, ...], indent: str) -> None:
        """Let the rows of the loop, which are those from ``head`` on, use windows where each is of
        one array.
        """
        bound = bindings([row for row in rows[head:] if id(row) not in self._longer])
        before = {*bindings(rows[self._start : head])}
        windows: dict[str, str] = {}  # the array before the loop -> its window
        for place in range(head, len(rows)):
            use = self._uses.get(id(rows[place]))
            root = None if use is None else self._root(use.array, bound, before)
            if use is None or root is None:
                continue
            if root not in windows:
                windows[root] = self._source.fresh()
            rows[place] = Row(use.row.indentation + use.text.replace("{}", windows[root], 1), use.row.nodes)
        made = self._source.bind(window) if windows else ""
        for place in range(head, len(rows)):
            array, row = self._longer.get(id(rows[place]), ("", rows[place]))
            root = self._root(array, bound, before) if array else None
            if root in windows:
                rows[place] = Row(f"{row.text}; {windows[root]} = {made}({array})", row.nodes)
        rows[head:head] = [Row(f"{indent}{name} = {made}({array})", around) for array, name in windows.items()]
        if windows:
            rows.append(Row(f"{indent}del {', '.join(windows.values())}", around))

    def _root(self, name: str, bound: dict[str, list[str | None]], before: set[str]) -> str | None:
        """The name before the loop of the one array that a name has in all iterations."""
        names, waiting = {name}, [name]
        while waiting:
            for other in bound.get(waiting.pop(), ()):
                if other is None:
                    return None
                if other not in names:
                    names.add(other)
                    waiting.append(other)
        roots = [each for each in names if each in before or self._is_older(each)]
        return roots[0] if len(roots) == 1 else None

    def _is_older(self, name: str) -> bool:
        return name[0] != "v" or int(name[1:]) < self._first


def bindings(rows: Sequence[Row]) -> dict[str, list[str | None]]:
    """The names that rows bind, each with the names that it is bound to; ``None`` among them is
    anything else.
    """
    found: dict[str, list[str | None]] = {}
    for row in rows:
        for name, value in _bound(row.text.strip()):
            found.setdefault(name, []).append(value)
    return found


def _bound(text: str) -> Iterator[tuple[str, str | None]]:
    moved = _MOVE.fullmatch(text)
    if moved is not None:
        names, values = (part.split(", ") for part in moved.groups())
        if len(names) == len(values):
            yield from zip(names, values, strict=True)
            return
    if text.endswith(" = None") and text.removesuffix(" = None").isidentifier():
        return  # an array that is no longer needed
    for groups in _BOUND.findall(text):
        yield from [(name, None) for group in groups if group for name in group.split(", ")]
