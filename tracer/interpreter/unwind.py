"""Tracebacks that hold the user's frames only, and the exceptions' ``__context__``."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, MutableMapping
from types import CodeType, FrameType, TracebackType
from typing import Any

from npexport.tracer.interpreter.frame import NULL, Frame

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_INTERNAL = tuple(os.path.join(_PACKAGE, room) + os.sep for room in ("tracer", "symshapes", "ir"))


def strip_traceback(error: BaseException) -> None:
    """Drops the host's entries in front: those of the VM itself."""
    entry = error.__traceback__
    while entry is not None and entry.tb_frame.f_code.co_filename.startswith(_INTERNAL):
        entry = entry.tb_next
    error.__traceback__ = entry


def add_traceback(error: BaseException, frame: Frame, index: int) -> None:
    """Puts an entry for the user's frame in front."""
    entry = synthetic_frame(frame, index)
    line = frame.info.decoded.positions(frame.code, index)[0]
    error.__traceback__ = TracebackType(error.__traceback__, entry, entry.f_lasti, line if line is not None else entry.f_lineno)


def attach_context(error: BaseException, handled: BaseException | None) -> None:
    """What CPython does to an exception that C code raises while ``handled`` is being handled."""
    if error.__context__ is None:
        chain_context(error, handled)


def chain_context(error: BaseException, handled: BaseException | None) -> None:
    """What a ``raise`` statement does: ``handled`` becomes the context, and a cycle that this would close is cut."""
    if handled is None or handled is error:
        return
    seen: set[int] = set()
    link = handled
    while (context := link.__context__) is not None and id(link) not in seen:
        if context is error:
            link.__context__ = None
            break
        seen.add(id(link))
        link = context
    error.__context__ = handled


class FrameLocals(MutableMapping[str, Any]):
    """``f_locals`` of a user's frame that the VM runs: reads and writes go to the frame itself."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame

    def __getitem__(self, name: str) -> Any:
        value = self._value(self._slot(name))
        if value is NULL:
            raise KeyError(name)
        return value

    def __setitem__(self, name: str, value: Any) -> None:
        slot = self._slot(name)
        if _is_cell(self.frame, slot):
            self.frame.fast[slot].cell_contents = value
        else:
            self.frame.fast[slot] = value

    def __delitem__(self, name: str) -> None:
        raise ValueError("cannot remove local variables from FrameLocalsProxy")

    def __iter__(self) -> Iterator[str]:
        return (name for slot, name in enumerate(self.frame.info.slots) if self._value(slot) is not NULL and not name.startswith("."))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(dict(self))

    def _slot(self, name: str) -> int:
        if name not in self.frame.info.slots:
            raise KeyError(name)
        slot: int = self.frame.info.slots.index(name)
        return slot

    def _value(self, slot: int) -> Any:
        value = self.frame.fast[slot] if slot < len(self.frame.fast) else NULL
        if value is not NULL and _is_cell(self.frame, slot):
            try:
                return value.cell_contents
            except ValueError:
                return NULL
        return value


def _is_cell(frame: Frame, slot: int) -> bool:
    """A slot holds a cell where the code says so and the cell was made (``MAKE_CELL`` may come late, facts A.2.12)."""
    name = frame.info.slots[slot]
    return (slot >= frame.info.first_free or name in frame.code.co_cellvars) and type(frame.fast[slot]) is _CELL


_CELL = type((lambda x: lambda: x)(0).__closure__[0])  # type: ignore[index]


def local_names(frame: Frame) -> Any:
    """What ``locals()`` is in the frame: the namespace itself, or a view of the slots."""
    return frame.names if frame.names is not None else FrameLocals(frame)


def synthetic_frame(frame: Frame, index: int) -> FrameType:
    """A real frame object that tells the user's code, line and variables (its code is a stub that returns its own frame)."""
    stub = frame.info.synthetic.get(index)
    if stub is None:
        stub = frame.info.synthetic[index] = _stub(frame.code, frame.info.decoded.positions(frame.code, index))
    return eval(stub, frame.globals, local_names(frame))  # type: ignore[no-any-return]


with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    _TEMPLATE = compile("1()", "<stub>", "eval")


def _stub(code: CodeType, positions: tuple[int | None, int | None, int | None, int | None]) -> CodeType:
    line, end_line, column, end_column = positions
    line = code.co_firstlineno if line is None else line
    table = _location_entries(line - code.co_firstlineno, line, end_line, column, end_column, len(_TEMPLATE.co_code) // 2)
    return _TEMPLATE.replace(
        co_consts=tuple(sys._getframe if value == 1 else value for value in _TEMPLATE.co_consts),
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
        co_linetable=table,
    )


def _location_entries(delta: int, line: int, end_line: int | None, column: int | None, end_column: int | None, units: int) -> bytes:
    """A location table that gives every code unit the same span (CPython's Objects/locations.md: long form 14, without columns 13)."""
    table = bytearray()
    while units > 0:
        length = min(units, 8)
        if column is None or end_column is None or end_line is None:
            table.append(0x80 | 13 << 3 | length - 1)
            table += _signed(delta)
        else:
            table.append(0x80 | 14 << 3 | length - 1)
            table += _signed(delta) + _unsigned(end_line - line) + _unsigned(column + 1) + _unsigned(end_column + 1)
        units -= length
        delta = 0
    return bytes(table)


def _unsigned(value: int) -> bytes:
    out = bytearray()
    while value >= 64:
        out.append(0x40 | value & 63)
        value >>= 6
    out.append(value)
    return bytes(out)


def _signed(value: int) -> bytes:
    return _unsigned((-value << 1) | 1 if value < 0 else value << 1)
