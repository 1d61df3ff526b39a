"""Goes on after a refusal: to find the next one, or to draft what does not depend on it.

A refused operation returns an :class:`Unknown`, which absorbs everything that is done with it. A
branch on data goes the way that the plan of the run says; another run goes the other way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import is_
from typing import Any, NoReturn

from npexport.symshapes.errors import ENDS_RUN, ExportError
from npexport.symshapes.interrupts import require_own
from npexport.tracer.driver.world import TracingWorld
from npexport.tracer.effects.snapshots import Spoiled
from npexport.tracer.interpreter.frame import NULL, Continuation, Frame
from npexport.tracer.interpreter.native import named
from npexport.tracer.interpreter.program import FACTS
from npexport.tracer.interpreter.unwind import strip_traceback
from npexport.tracer.interpreter.vm import VM

Place = tuple[Any, int]  # code, index of the instruction


class Derived(ExportError):
    """A refusal that only follows from an earlier one: it is not reported."""


class Unknown:
    """What a refused operation would have returned."""

    __slots__ = ()
    __array_ufunc__ = None  # arrays leave their operators to it

    def _same(self, *args: Any, **kwargs: Any) -> Unknown:
        return self

    def _refuse(self, *args: Any) -> NoReturn:
        raise Derived("E104", "the value is unknown because of an earlier problem")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __iter__(self) -> Iterator[Unknown]:
        return iter((self,))

    def __repr__(self) -> str:
        return "<unknown>"

    __call__ = __getitem__ = __enter__ = _same
    __setitem__ = __delitem__ = __exit__ = lambda self, *args: None
    __bool__ = __int__ = __float__ = __index__ = __len__ = __contains__ = _refuse
    __hash__ = object.__hash__
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _same  # type: ignore[assignment]


for _name in "add sub mul matmul truediv floordiv mod pow lshift rshift and or xor".split():
    for _prefix in ("", "r", "i"):
        setattr(Unknown, f"__{_prefix}{_name}__", Unknown._same)
for _name in "neg pos abs invert".split():
    setattr(Unknown, f"__{_name}__", Unknown._same)
named(Unknown, "unknown value")
UNKNOWN = Unknown()


JUMPS = {"POP_JUMP_IF_TRUE": True, "POP_JUMP_IF_FALSE": False}
TRUTHS = {"TO_BOOL": False, "UNARY_NOT": True}  # whether the truth is negated
_PATIENCE = 2  # how many iterations of a loop on data are run
_RECURSION = 3  # how many nested calls with the same arguments, one of them unknown, are run


_CONTAINERS = (list, dict, set)


def _holds_unknown(values: Iterable[Any]) -> bool:
    """Whether one of them, or an item of a list or tuple among them, is unknown."""
    return any(type(value) is Unknown or (type(value) in (list, tuple) and _holds_unknown(value)) for value in values)


def _calls_alike(frame: Frame) -> int:
    """How many calls of the frame's function with the same arguments are going on."""
    count, each = 0, frame
    names = frame.code.co_argcount + frame.code.co_kwonlyargcount
    while each is not None:
        count += each.code is frame.code and all(map(is_, each.fast[:names], frame.fast[:names]))
        each = each.back  # type: ignore[assignment]
    return count


class DiagnosingVM(VM):
    """Reports problems to ``found`` and goes on.

    ``plan``: the direction of each branch on data; ``branches``: those that were met.
    """

    def __init__(
        self,
        world: TracingWorld,
        found: Callable[[ExportError], None],
        plan: dict[Place, bool],
        step_limit: int,
        on_step: Callable[[Any], None] = lambda frame: None,
    ) -> None:
        super().__init__(world, on_step=on_step, step_limit=step_limit)
        self.found = found
        self.plan = plan
        self.branches: dict[Place, int] = {}
        self.recovered = False

    def passes(self, refusal: ExportError) -> bool:
        """Whether the run goes on after this refusal."""
        return True

    def instead(self, refusal: BaseException, name: str, operands: list[Any]) -> list[Any]:
        """What an instruction with one result gives where it is refused."""
        return [UNKNOWN]

    def native(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], then: Continuation | None) -> Any:
        if _holds_unknown((fn, *args, *kwargs.values())) and type(getattr(fn, "__self__", None)) not in _CONTAINERS:
            return UNKNOWN
        return super().native(fn, args, kwargs, then)

    def push(self, frame: Frame, then: Continuation | None) -> Any:
        """Make ``frame`` the current one; a recursion that only what is unknown would end has an
        unknown result.
        """
        pushed = super().push(frame, then)
        if frame.generator is None and _holds_unknown(frame.fast) and _calls_alike(frame) > _RECURSION:
            self.recovered = True
            self.give(UNKNOWN, self.leave(frame))
        return pushed

    def _observed_loop(self, stop: Frame | None) -> None:
        while self.frame is not stop:
            frame: Any = self.frame
            pc = frame.pc
            frame.pc = pc + 1
            self.on_step(frame)  # type: ignore[misc]
            stack = frame.stack[:]
            handler, arg = frame.ops[pc]
            try:
                handler(self, frame, arg)
                continue
            except BaseException as raised:
                require_own(raised)
                error = raised
            if self._recover(frame, pc, stack, error):
                continue
            if isinstance(error, ENDS_RUN):
                raise error
            strip_traceback(error)
            self.throw(error)

    def _recover(self, frame: Frame, pc: int, stack: list[Any], error: BaseException) -> bool:
        """Whether the run can go on: the instruction is undone, and its result is unknown."""
        name, arg, _ = frame.info.decoded.instructions[pc]
        if not isinstance(error, ExportError):
            if not any(type(value) is Unknown for value in stack[-6:]) or not isinstance(error, Exception):
                return False
        elif error.code == "E124" or isinstance(error, Spoiled):
            return False
        else:
            self.locate(error)
            if not self.passes(error):
                return False
            if not isinstance(error, Derived):
                self.found(error)
        self.recovered = True
        self.frame = frame
        frame.stack[:] = stack
        frame.pc = pc + 1
        if name in JUMPS or name in TRUTHS:
            self._branch(frame, pc, name, arg)
        elif name == "FOR_ITER":
            frame.stack.pop()
            frame.pc = arg
        elif (effect := FACTS[name].stack_effect(arg)) is not None:
            pops, pushes = effect
            del frame.stack[len(stack) - pops :]
            frame.stack += self.instead(error, name, stack[len(stack) - pops :]) if pushes == 1 else [UNKNOWN] * pushes
            if name in ("LOAD_METHOD", "LOAD_SUPER_METHOD"):
                frame.stack[-1] = NULL
            elif name == "GET_ITER":
                frame.stack[-1] = iter(UNKNOWN)
        else:
            return False
        return True

    def _branch(self, frame: Frame, pc: int, name: str, target: int) -> None:
        place = (frame.code, pc)
        count = self.branches[place] = self.branches.get(place, 0) + 1
        truth = self.plan.get(place, True) if count <= _PATIENCE else not self.plan.get(place, True)
        frame.stack.pop()
        if name in TRUTHS:
            frame.stack.append(truth is not TRUTHS[name])
        elif truth is JUMPS[name]:
            frame.pc = target
