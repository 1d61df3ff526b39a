"""Tracebacks that hold the user's frames only, and the ``__context__`` of exceptions."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from types import CellType, FrameType, TracebackType
from typing import Any

from npexport.symshapes.errors import InternalError, Unsupported
from npexport.symshapes.interrupts import require_own
from npexport.tracer.bytecode.host import error_of_locals, frame_stub, operation_at
from npexport.tracer.frames.frame_ownership import is_machinery
from npexport.tracer.interpreter.frame import NULL, Frame
from npexport.tracer.interpreter.native import NATIVE_CODE, named
from npexport.tracer.interpreter.program import running
from npexport.tracer.interpreter.symbolic_union import SymbolicUnion


def strip_traceback(error: BaseException) -> None:
    """Drop the host's entries in front: those of the VM itself, and of code that ran for a native
    object.

    Exceptions that the host caught on the way are not part of the program's context. Raises
    ``InternalError`` for what only a defect of npexport raises.
    """
    if isinstance(error, (KeyboardInterrupt, MemoryError)):
        running.interrupt = error
    if running.vm is not None and running.vm.tracing:
        require_own(error)
    require_meant(error)
    entry = error.__traceback__
    while entry is not None and is_machinery(entry.tb_frame.f_code):
        entry = entry.tb_next
    while entry is not None and entry.tb_frame.f_code.co_filename.startswith(tuple(NATIVE_CODE)) and not _is_users(entry.tb_frame):
        entry = entry.tb_next
    error.__traceback__ = entry
    context = error.__context__
    if context is not None and context.__traceback__ is not None:
        error.__context__ = _context_of_user(context)


def raised_by_program(error: BaseException) -> bool:
    """Whether the program's own code, called back by C, raised it: its context stays."""
    entry = error.__traceback__
    if entry is None:
        return False
    while entry.tb_next is not None:
        entry = entry.tb_next
    return _is_users(entry.tb_frame)


def _is_users(frame: FrameType) -> bool:
    """Whether the frame object represents one that the VM runs."""
    return type(frame.f_locals) is FrameLocals  # type: ignore[comparison-overlap]


def _context_of_user(context: BaseException | None) -> BaseException | None:
    """The first exception of a chain that was not both raised and handled in the host."""
    while context is not None and (entry := context.__traceback__) is not None and is_machinery(entry.tb_frame.f_code):
        while entry is not None and not _is_users(entry.tb_frame):
            entry = entry.tb_next
        if entry is not None:
            break
        context = context.__context__
    return context


def require_meant(error: BaseException) -> None:
    """Raises ``InternalError`` (E901) for an exception that npexport's own code, where its
    traceback ends, raised by a defect: it is not the program's, which must not catch it.
    """
    last = error.__traceback__ if isinstance(error, _OF_DEFECTS) else None
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None or not is_machinery(last.tb_frame.f_code) or not _is_defect(error, last):
        return
    if running.interrupt is not None:
        raise running.interrupt from None  # the interpreter did not finish what it had begun
    place = f"{last.tb_frame.f_globals.get('__name__')}, line {last.tb_lineno}"
    raise InternalError("E901", f"{type(error).__name__}: {error} (in {place})") from error


_OF_DEFECTS = (AssertionError, NameError, AttributeError, LookupError, TypeError)
_OF_PYTHON = ("list index out of range", "tuple index out of range", "object is not subscriptable")
_FOR_PROGRAM = ("npexport.tracer.interpreter.", "npexport.tracer.effects.")
"""Rooms that read items on behalf of the program: a missing one may be the program's own error."""
_OF_CHECK = "npexport.symshapes.checking"
"""The room whose ``AssertionError`` is what the program asked for."""


def _is_defect(error: BaseException, entry: TracebackType) -> bool:
    """Whether npexport's own code raised it unintentionally: a failed assertion, an unbound name, a
    missing attribute or item of npexport's own objects.
    """
    by_item = isinstance(error, (LookupError, TypeError))  # NumPy's own are asked for on purpose
    if by_item and (entry.tb_frame.f_globals.get("__name__") or _FOR_PROGRAM[0]).startswith(_FOR_PROGRAM):
        return False
    operation = operation_at(entry.tb_frame.f_code, entry.tb_lasti)
    if isinstance(error, AssertionError):
        return operation == "raise" and entry.tb_frame.f_globals.get("__name__") != _OF_CHECK
    if isinstance(error, NameError):
        return operation == "name"
    if by_item:
        return operation == "item" and (type(error) is KeyError or str(error).endswith(_OF_PYTHON))
    owner = type(getattr(error, "obj", None))
    return operation == "attribute" and (owner is type(None) or owner.__module__.startswith("npexport."))


def add_traceback(error: BaseException, frame: Frame, index: int) -> None:
    """Put an entry for the user's frame in front."""
    line = frame.info.decoded.positions(frame.code, index)[0]
    line = frame.code.co_firstlineno if line is None else line
    error.__traceback__ = TracebackType(error.__traceback__, synthetic_frame(frame), frame.info.decoded.offset(index), line)


def attach_context(error: BaseException, handled: BaseException | None) -> None:
    """What CPython does to an exception that C code raises while ``handled`` is being handled."""
    if error.__context__ is None:
        chain_context(error, handled)


def chain_context(error: BaseException, handled: BaseException | None) -> None:
    """What ``raise`` does: ``handled`` becomes the context; a cycle is cut."""
    if handled is None or handled is error:
        return
    if error.__traceback__ is None:  # never raised: it cannot be in the chain
        error.__context__ = handled
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
    """``f_locals`` of a user's frame that the VM runs: reads and writes go to the frame itself.

    A class or module body keeps its names in a separate namespace; the slots beside it are those of
    its comprehensions.
    """

    def __init__(self, frame: Frame) -> None:
        self.frame = frame

    def __getitem__(self, name: str) -> Any:
        slot = self._slot(name)
        if slot is not None:
            return self.value(slot)
        if self.frame.names is not None:
            return self.frame.names[name]
        raise error_of_locals(lambda names: names[name]) or KeyError(name)

    def __setitem__(self, name: str, value: Any) -> None:
        slot = self._slot(name)
        if slot is None and self.frame.names is None and name in self.frame.info.slots:
            slot = self.frame.info.slots.index(name)
        if slot is None:
            if self.frame.names is None:
                raise Unsupported("E111", f"a variable `{name}` that the function does not have is added to its frame")
            self.frame.names[name] = value
        elif _is_cell(self.frame, slot):
            self.frame.fast[slot].cell_contents = value
        else:
            self.frame.fast[slot] = value

    def __delitem__(self, name: str) -> None:
        if self.frame.names is None:
            error = error_of_locals(lambda names: names.__delitem__("held"), 0)
            raise error or Unsupported("E111", f"the variable `{name}` is removed from a frame's `f_locals`")
        del self.frame.names[name]

    def __iter__(self) -> Iterator[str]:
        yield from self.frame.names if self.frame.names is not None else ()
        for slot, name in enumerate(self.frame.info.slots):
            if self.value(slot) is not NULL and (self.frame.names is None or name not in self.frame.names):
                yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(dict(self))

    def _slot(self, name: str) -> int | None:
        """The slot where the name is bound.

        A name may have two: a comprehension's and a free variable's.
        """
        for slot, known in enumerate(self.frame.info.slots):
            if known == name and self.value(slot) is not NULL:
                return slot
        return None

    def value(self, slot: int) -> Any:
        """Raises ``Unsupported`` if only the data know what it is, or whether it is bound."""
        value: Any = self.frame.fast[slot] if slot < len(self.frame.fast) else NULL
        if value is NULL and slot in self.frame.poison:
            raise self.frame.poison[slot]()
        if type(value) is SymbolicUnion and any(option is NULL for option in value.options):
            value.ask()
        if value is not NULL and _is_cell(self.frame, slot):
            try:
                return value.cell_contents
            except ValueError:
                return NULL
        return value


named(FrameLocals, "FrameLocalsProxy")


def _is_cell(frame: Frame, slot: int) -> bool:
    """Whether a slot holds a cell: by its code, and after ``MAKE_CELL``, which may come late."""
    name = frame.info.slots[slot]
    return (slot >= frame.info.first_free or name in frame.code.co_cellvars) and type(frame.fast[slot]) is CellType


def synthetic_frame(frame: Frame) -> FrameType:
    """The real frame object that represents a user's frame: a stub's, with the user's names and
    lines. There is one while the frame runs.
    """
    real = frame.real
    if real is None:
        if frame.info.stub is None:
            frame.info.stub = frame_stub(frame.code)
        real = frame.real = eval(frame.info.stub, frame.globals, FrameLocals(frame)).gi_frame
    return real  # type: ignore[no-any-return]
