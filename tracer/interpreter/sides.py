"""One side of a branch, run on trial: on a copy of its frame, and only as long as nothing that
exists before can change.

It ends where an exception leaves the copy, or where the other side begins with the frame as it was.
At whatever could have an effect on what survives (a write to an object of before, a call that is
not known to write nothing, a ``return``, a ``with``) the trial is given up. Exceptions that the
frame's own handlers would get leave it here; `leaves_the_program` looks at the handlers.
"""

from __future__ import annotations

import copy
import functools
from types import CodeType
from typing import Any, NamedTuple

from npexport.symshapes.errors import ExportError, Location, Unsupported
from npexport.tracer.interpreter import handler_analysis
from npexport.tracer.interpreter.calls import ON_SIDES, SPECIALS
from npexport.tracer.interpreter.either import is_watched, watch
from npexport.tracer.interpreter.flow_graph import block, is_read
from npexport.tracer.interpreter.frame import PUSHED, Continuation, Frame, Machine, Task
from npexport.tracer.interpreter.operators import BINARY, SCALARS
from npexport.tracer.interpreter.program import CodeInfo, code_info, running

MAX_STEPS = 5000
MAX_NESTING = 8
IMMUTABLE: set[Any] = {*SCALARS, tuple, frozenset}
"""Types on which operators in place make new objects; that of NumPy's scalars is added where it is
known."""


class GivenUp(Unsupported):
    """The side may have an effect.

    No step of the program's, and none of the interpreter's, catches it.
    """

    def __init__(self) -> None:
        super().__init__("E103", "a side of a branch on data may have an effect")


class Ended(NamedTuple):
    """How a side ended: with an exception raised at ``where``, or (``None``) where the other side
    begins.
    """

    error: BaseException | None
    where: tuple[Location, ...]


_PURE = frozenset(
    "LOAD_CONST POP_TOP COPY SWAP PUSH_NULL LOAD_FAST LOAD_FAST_AND_CLEAR STORE_FAST DELETE_FAST LOAD_DEREF LOAD_CLOSURE LOAD_GLOBAL "
    "LOAD_ATTR LOAD_METHOD LOAD_SUPER_ATTR LOAD_SUPER_METHOD BINARY_SUBSCR BUILD_SLICE COMPARE_OP IS_OP UNARY_OP UNARY_NOT "
    "TO_BOOL BUILD_TUPLE BUILD_STRING LIST_TO_TUPLE CONVERT_VALUE FORMAT_SIMPLE FORMAT_WITH_SPEC JUMP JUMP_BACKWARD POP_JUMP_IF_TRUE "
    "POP_JUMP_IF_FALSE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE MAKE_FUNCTION MAKE_CELL "
    "GET_LEN MATCH_SEQUENCE MATCH_MAPPING RAISE_VARARGS CALL CALL_KW CALL_FUNCTION_EX".split()
)
_MAKING = frozenset("BUILD_LIST BUILD_SET BUILD_MAP BUILD_CONST_KEY_MAP GET_ITER".split())
_GROWING = frozenset("LIST_APPEND SET_ADD MAP_ADD LIST_EXTEND SET_UPDATE DICT_UPDATE DICT_MERGE".split())
_OF_OTHER_FRAMES = frozenset("RETURN_VALUE PUSH_EXC_INFO CHECK_EXC_MATCH POP_EXCEPT RERAISE".split())


class Side:
    """The trial of the side that begins at ``pc``, where the other one begins at ``join_point``."""

    def __init__(self, vm: Machine, frame: Frame, pc: int, join_point: int, outer: Side | None, limit: int | None) -> None:
        self.vm = vm
        self.frame = frame
        self.join_point = join_point
        self.limit = limit  # where the trial is given up
        self.outer = outer
        self.nesting: int = 1 + (outer.nesting if outer is not None else 0)
        self.failures: list[Any] = []  # of branches inside
        self.born: dict[int, Any] = {}
        self.copy = _copy(frame, pc)
        self.steps = 0

    def run(self) -> Ended:
        """Raises `GivenUp`."""
        vm = self.vm
        result = _Result()
        self.copy.then = result
        before, back = (vm.frame, vm.depth, vm.steps, vm.runs_given_up), self.copy.back  # a frame that is left forgets its way back
        where: tuple[Location, ...] = ()
        vm.frame = self.copy
        try:
            while vm.frame is not back:
                frame: Any = vm.frame
                if frame is self.copy and frame.pc == self.join_point and self._as_before():
                    return Ended(None, ())
                if frame is self.copy and frame.pc == self.limit:
                    raise GivenUp
                where = self._step(frame) or where
        finally:
            vm.frame, vm.depth, vm.steps, vm.runs_given_up = before
            self.copy.back = back
        if result.error is None:
            raise GivenUp
        return Ended(result.error, where)

    def _step(self, frame: Frame) -> tuple[Location, ...]:
        """One instruction; where it raises, the places."""
        vm, name = self.vm, frame.info.decoded.instructions[frame.pc].name
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise GivenUp
        handler, arg = frame.ops[frame.pc]
        self._allow(frame, name, arg)
        given = frame.stack[-1] if frame.stack else None
        frame.pc += 1
        where = vm.stack() if name in ("RAISE_VARARGS", "RERAISE") else ()
        try:
            handler(vm, frame, arg)
        except (ExportError, RecursionError) as error:
            raise GivenUp from error
        except Exception as error:
            where = vm.stack()
            vm.raised(error)
        if name in _MAKING and frame.stack and frame.stack[-1] is not given:
            self.make(frame.stack[-1])
        return where

    def _allow(self, frame: Frame, name: str, arg: Any) -> None:
        stack = frame.stack
        if name in _PURE or name in _MAKING:
            if name.startswith("CALL"):
                self._allow_call(frame, name, arg)
        elif name == "BINARY_OP":
            if BINARY[arg].inplace is not None and type(stack[-2]) not in IMMUTABLE and not self.is_born(stack[-2]):
                raise GivenUp
        elif name in _OF_OTHER_FRAMES:
            if frame is self.copy:
                raise GivenUp
        elif name == "FOR_ITER":
            self._require_born(stack[-1])
        elif name in ("STORE_ATTR", "STORE_SUBSCR"):
            self._require_born(stack[-1] if name == "STORE_ATTR" else stack[-2])
        elif name in _GROWING:
            self._require_born(stack[-1 - (arg if type(arg) is int else 1) - (name == "MAP_ADD")])
            self._refuse_iterators(stack[-1:])
        elif name == "CONTAINS_OP":
            self._refuse_iterators(stack[-1:])
        elif name in ("UNPACK_SEQUENCE", "UNPACK_EX"):
            if type(stack[-1]) not in (list, tuple):
                raise GivenUp
        elif name == "STORE_DEREF":
            if frame is self.copy or arg >= frame.info.first_free:
                raise GivenUp
        else:
            raise GivenUp

    def _allow_call(self, frame: Frame, name: str, arg: Any) -> None:
        """Builtins that the interpreter answers itself; all other C goes through `native`."""
        count = arg if name == "CALL" else arg[0] if name == "CALL_KW" else 1 + bool(arg)
        below, top = frame.stack[-count - 2], frame.stack[-count - 1]
        for fn in (below, top):
            try:
                special = fn in SPECIALS and fn not in ON_SIDES
            except TypeError:
                continue
            if special:
                raise GivenUp
        for value in frame.stack[len(frame.stack) - count :]:
            self._refuse_iterators(value if name == "CALL_FUNCTION_EX" and type(value) is tuple else (value,))

    def _refuse_iterators(self, values: Any) -> None:
        """An iterator of before would be advanced."""
        if any(hasattr(type(value), "__next__") and not self.is_born(value) for value in values):
            raise GivenUp

    def make(self, value: Any) -> Any:
        """A value that the side has made: it may be written to."""
        self.born[id(value)] = value
        return value

    def is_born(self, value: Any) -> bool:
        return id(value) in self.born

    def _require_born(self, value: Any) -> None:
        if not self.is_born(value):
            raise GivenUp

    def _as_before(self) -> bool:
        mine, theirs = self.copy, self.frame
        if not _same(mine.stack, theirs.stack):
            return False
        changed = [slot for slot, (a, b) in enumerate(zip(mine.fast, theirs.fast, strict=True)) if a is not b]
        return not any(is_read(theirs, slot, self.join_point) for slot in changed)


class _Result:
    """The continuation of the copy: an exception is kept."""

    outer: Continuation | None = None
    error: BaseException | None = None

    def returned(self, vm: Machine, value: Any) -> Any:
        raise GivenUp

    def raised(self, vm: Machine, error: BaseException) -> Any:
        self.error = error
        return PUSHED


def _same(left: list[Any], right: list[Any]) -> bool:
    return len(left) == len(right) and all(a is b for a, b in zip(left, right, strict=True))


def _copy(frame: Frame, pc: int) -> Frame:
    made = Frame(_without_handlers(frame.code), frame.code, list(frame.fast), frame.globals, frame.builtins)
    made.names, made.back, made.handled, made.pc = frame.names, frame.back, frame.handled, pc
    made.stack, made.module, made.poison = list(frame.stack), frame.module, frame.poison
    if is_watched(frame):
        watch(made)
    return made


@functools.lru_cache(256)
def _without_handlers(code: CodeType) -> CodeInfo:
    info = copy.copy(code_info(code))
    info.handlers = [None] * len(info.handlers)
    return info


# What becomes of the exception

_ASKED = (StopIteration, StopAsyncIteration, AttributeError, LookupError, TypeError, GeneratorExit, RecursionError)
"""What the interpreter's own steps catch: the protocols of attributes, iteration and operators."""


def leaves_the_program(vm: Machine, frame: Frame, error: BaseException, left: bool = False) -> bool:
    """Whether no handler from this frame outwards changes the exception, or goes on without it.

    ``left``: the exception has left this frame, with its handlers, already.
    """
    if running.nested:  # C may catch it
        return False
    if handler_analysis.getter(vm, frame.back if left else frame, (type(error),)) is not None:
        return False
    outer: Frame | None = frame
    while outer is not None and isinstance(error, _ASKED):
        if type(outer.then) is Task:
            return False
        outer = outer.back
    return True


def promising(frame: Frame, pc: int, join_point: int) -> bool:
    """Whether the side is worth a trial: it comes to a ``raise`` before any branch, or is a block
    before the other side.
    """
    instructions = frame.info.decoded.instructions
    if pc < join_point:
        return True
    index = pc
    while index < len(instructions):
        name, arg, _ = instructions[index]
        if name == "JUMP" and arg > index:
            index = arg
            continue
        index += 1
        if name in ("RAISE_VARARGS", "RERAISE"):
            return bool(name == "RAISE_VARARGS")
        if name == "RETURN_VALUE" or name.startswith(("JUMP", "POP_JUMP", "FOR_ITER")):
            return False
    return False


_LEAVING = frozenset("RETURN_VALUE RAISE_VARARGS RERAISE STORE_ATTR STORE_SUBSCR STORE_GLOBAL STORE_NAME STORE_DEREF DELETE_SUBSCR".split())


def leaves_nothing(frame: Frame, pc: int, join_point: int) -> bool:
    """Whether the side comes to the other one without a loop, binds no name which is read
    afterwards, and neither returns nor raises.
    """
    instructions = [frame.info.decoded.instructions[index] for index in block(frame.code, pc, join_point) or ()]
    if not instructions or any(name in _LEAVING for name, _, _ in instructions):
        return False
    return not any(is_read(frame, arg, join_point) for name, arg, _ in instructions if name in ("STORE_FAST", "DELETE_FAST"))
