"""Arrays that a list of the state holds, and others too: callers, results, state by itself.

Law: the state of such a list is a copy of its items. It is what eager execution has as long as
nobody writes to the arrays that were put into the list. Whether somebody has is looked at when the
next call begins, which raises then, and changes nothing.
"""

from __future__ import annotations

import sys
import weakref
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from npexport.symshapes.errors import InputMismatch

RESULT = "a result"
"""The name of results, of which callers may write to all the memory."""
_FEW = 64
"""The number of arrays up to which those that lists hold no more are not looked for."""
_HINT = "Pass copies, and write to copies of results; or let the program put copies into its lists, append(x.copy())."


class _Noted(NamedTuple):
    """``name``: of the input, the state or the result. ``content``: what the list was given."""

    array: Any
    name: str
    content: tuple[Any, ...]


class ListedArrays:
    """The arrays of one module that lists hold and others too, by identity."""

    def __init__(self) -> None:
        self._noted: dict[int, _Noted] = {}
        self._many = _FEW

    def begin(self, given: Sequence[Any], names: Sequence[str], written: Sequence[Any], state: Sequence[Any]) -> None:
        """A call begins that may put these arrays into lists, and writes to those of ``written``.
        ``state``: all arrays of the state, the lists among them. Arrays that nobody else has are
        forgotten.
        """
        groups: dict[int, list[_Noted]] = {}
        for noted in self._noted.values():
            if _content(noted.array) != noted.content:
                raise _changed(noted.name, "was changed since")
            groups.setdefault(id(_owner(noted.array)), []).append(noted)
        for group in groups.values():
            if _unknown(group) <= _OURS:
                for noted in group:
                    del self._noted[id(noted.array)]
        if len(self._noted) > self._many:
            self._drop([array for array in state if isinstance(array, np.ndarray)])
        self.note(given, names)
        for array in written:
            for noted in self._noted.values():
                if np.may_share_memory(array, noted.array):
                    raise _changed(noted.name, "shares memory with what this call writes to")

    def note(self, arrays: Iterable[Any], names: Iterable[str]) -> None:
        """Lists may hold these from now on."""
        for array, name in zip(arrays, names, strict=True):
            while type(array) is np.ndarray:
                self._noted.setdefault(id(array), _Noted(array, name, _content(array)))
                array = array.base if name == RESULT else None

    def _drop(self, state: list[Any]) -> None:
        """Forget the arrays that no list holds any more."""
        held: dict[Any, list[bytes]] = {}
        for array in state:
            held.setdefault(array.dtype, []).append(array.tobytes())
        for key, noted in list(self._noted.items()):
            if not any(noted.content[-1] in content for content in held.get(noted.array.dtype, (noted.content[-1],))):
                del self._noted[key]
        self._many = max(_FEW, 2 * len(self._noted))

    def all(self) -> list[tuple[Any, str, tuple[Any, ...]]]:
        """What is noted, to be given to those of a copy."""
        return list(self._noted.values())

    def restore(self, noted: Iterable[tuple[Any, str, tuple[Any, ...]]]) -> None:
        self._noted = {id(array): _Noted(array, name, content) for array, name, content in noted}


def _content(array: Any) -> tuple[Any, ...]:
    return array.shape, array.dtype, array.strides, array.tobytes()


def _owner(array: Any) -> Any:
    """What has the memory of an array."""
    while type(array) is np.ndarray and array.base is not None:
        array = array.base
    return array


def _unknown(group: list[_Noted]) -> int:
    """How many others have an array of those, which are in one memory, or one between them and the
    memory. Any of them leads to the memory.
    """
    known, between = Counter([id(noted.array) for noted in group]), {id(noted.array): noted.array for noted in group}
    queue = list(between)
    while queue:
        array = between[queue.pop()]
        if type(array) is not np.ndarray or weakref.getweakrefcount(array):
            return sys.maxsize
        if array.base is not None:
            known[id(array.base)] += 1
            if id(array.base) not in between:
                between[id(array.base)] = array.base
                queue.append(id(array.base))
    array = None
    return max(sys.getrefcount(array) - known[key] for key, array in between.items())


_OURS = _unknown([_Noted(np.empty(0), "", ())])
"""The references to an array that counting them makes."""


def _changed(name: str, how: str) -> InputMismatch:
    return InputMismatch("E401", f"`{name}`, which an earlier call may have put into a list of the state, {how}", hint=_HINT)
