"""Runs that take the example's side: at chosen instructions arrays have the data of the example
inputs, as the recorded graph computes them.

Nothing is undone: a run that is refused is thrown away, and the next one knows at which
instructions to use the example.
"""

from __future__ import annotations

import copy
import mmap
import operator
import random
import types
from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np

from npexport.ir.arguments import map_leaves
from npexport.symshapes.errors import ExportError, Location
from npexport.symshapes.interrupts import require_own
from npexport.symshapes.symint import is_unbacked
from npexport.symshapes.symrange import SymRange
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.arrays.core.texts import DataText
from npexport.tracer.driver.example_values import Values
from npexport.tracer.driver.recovery import JUMPS, TRUTHS, Derived, DiagnosingVM, Place
from npexport.tracer.driver.trace import step_limit
from npexport.tracer.driver.world import TracingWorld
from npexport.tracer.effects.fence import Fence, target_of
from npexport.tracer.interpreter.frame import NULL, Frame
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.program import FACTS
from npexport.tracer.interpreter.vm import VM

Grant = tuple[str, Location | None]
"""The code and line of a refusal that is passed over: what is refused is run, and gives what it
gives now.
"""
NUMBERS, ARRAYS = 1, 2
"""What an instruction gets of the example: numbers only, which nobody can write to; or arrays as
well, as read-only copies.
"""
_READING = frozenset("CONVERT_VALUE FORMAT_SIMPLE FORMAT_WITH_SPEC BUILD_STRING BUILD_MAP BUILD_SET GET_ITER CONTAINS_OP".split())
"""Instructions that read arrays and neither write to them nor return views of them."""
_CALLS = frozenset({"CALL", "CALL_KW", "CALL_FUNCTION_EX"})
_ARRAY_METHODS = frozenset("item tolist tobytes __float__ __int__ __index__ __bool__ __format__ __str__ __repr__".split())
_READ = ("E107", "E113", "E118")
"""Refusals of what is read outside: it gives what it gives now."""
_COPIED = (random.Random, np.random.RandomState, np.random.Generator, Iterator)
_KEPT = (int, float, complex, str, bytes, tuple, type(None), type(NULL), mmap.mmap, memoryview, types.BuiltinFunctionType)
"""Classes whose objects a read moves on, and those that it does not change."""
_READ_BY: dict[str, Callable[..., Any]] = {
    "CALL": lambda *operands: operator.call(*[value for value in operands if value is not NULL]),
    "BINARY_SUBSCR": operator.getitem,
}
_INDEX_ONLY = frozenset({"STORE_SUBSCR", "DELETE_SUBSCR"})  # the container is written to


class ExampleVM(DiagnosingVM):
    """Takes the example's side at ``places``; what is refused at ``skipped`` gives an `Unknown`.
    ``found`` is called with what the program does not hold; ``passed`` are the refusals with the
    places that they propagated through, the innermost first.
    """

    def __init__(
        self,
        world: TracingWorld,
        places: dict[Place, int],
        granted: Collection[Grant],
        skipped: Collection[Grant],
        found: Callable[[ExportError], None],
        *,
        gates: bool,
    ) -> None:
        super().__init__(world, found, {}, step_limit(), self._prepare)
        self.skipped = skipped
        self._copies: dict[int, Any] = {}  # of outside objects that are read
        self.host: Any = world.host
        self.granted = granted
        world.example = self._results
        if gates:  # else what `strict=False` lets run does
            world.grants = self._grants
            if all(code != "E108" for code, _ in granted):
                world.shadows.unfenced = ()
        self.places = places
        self.passed: list[tuple[ExportError, Place, str]] = []
        self.values: Values | None = None

    def _observed_loop(self, stop: Frame | None) -> None:
        try:
            super()._observed_loop(stop) if self.skipped else VM._observed_loop(self, stop)
        except ExportError as error:
            frame: Any = self.frame
            if frame is not None and frame.pc > 0:
                self.passed.append((error, *_chooser(frame)))
            raise

    def passes(self, refusal: ExportError) -> bool:
        return isinstance(refusal, Derived) or (refusal.code, refusal.location) in self.skipped

    def instead(self, refusal: BaseException, name: str, operands: list[Any]) -> list[Any]:
        if getattr(refusal, "code", None) not in _READ or name not in _READ_BY:
            return super().instead(refusal, name, operands)
        try:
            found = _READ_BY[name](*map(self._outside, operands))
        except Exception as error:
            require_own(error)
            return super().instead(refusal, name, operands)
        if isinstance(found, np.ndarray):
            return [self.host.recorder.known(found)]
        return [found] if isinstance(found, (int, float, complex, str, bytes, np.generic)) else super().instead(refusal, name, operands)

    def _outside(self, value: Any) -> Any:
        """An object from outside, or a copy of one that reading moves on. Raises ``LookupError``
        for others, which may change, and for what the program computes.
        """
        if type(value) is Fence:
            value = target_of(value)
        owner = getattr(value, "__self__", None)
        if owner is not None and not isinstance(owner, types.ModuleType):
            return getattr(self._outside(owner), value.__name__)
        if isinstance(value, _COPIED):
            if id(value) not in self._copies:
                self._copies[id(value)] = copy.deepcopy(value)
            return self._copies[id(value)]
        if type(value) in NATIVE_TYPES or not isinstance(value, _KEPT):
            raise LookupError
        return value

    def candidates(self) -> list[tuple[Place, int]]:
        """The instructions at which taking the example's side avoids the latest refusal, with what
        each needs of the example: the outermost branch first, then other instructions from inside
        out.
        """
        passed = [(place, name) for error, place, name in self.passed if error is self.passed[-1][0]]
        branches = [(place, ARRAYS) for place, name in reversed(passed) if name in JUMPS or name in TRUTHS]
        return branches + [(place, level) for place, name in passed if FACTS[name].effect is not None for level in (NUMBERS, ARRAYS)]

    def _prepare(self, frame: Frame) -> None:
        level = self.places.get((frame.code, frame.pc - 1))
        if level is None:
            return
        name, arg, _ = frame.info.decoded.instructions[frame.pc - 1]
        effect = FACTS[name].stack_effect(arg)
        count = 1 if name in _INDEX_ONLY or effect is None else effect[0]
        stack = frame.stack
        first = len(stack) - count
        with_arrays = level == ARRAYS and self._reads_only(name, stack[first:])
        before = stack[first:]
        stack[first:] = [self._example(value, with_arrays) for value in before]
        if name in _CALLS and len(before) > 1 and stack[first + 1] is not before[1]:
            stack[first] = _method_of(before[0], type(before[1]), type(stack[first + 1]))

    def _reads_only(self, name: str, values: list[Any]) -> bool:
        if name in _CALLS:
            return any(_only_reads(value) for value in values)
        return name in JUMPS or name in TRUTHS or name in _READING

    def _example(self, value: Any, with_arrays: bool) -> Any:
        """The value for the example inputs; the value itself if that is not known."""
        if type(value) in (tuple, list) and len(value) < 1000:
            items = [self._example(item, with_arrays) for item in value]
            return type(value)(items) if any(new is not old for new, old in zip(items, value, strict=True)) else value
        if type(value) is SymRange:
            return SymRange(*[self._example(part, with_arrays) for part in (value.start, value.stop, value.step)])
        if type(value) is DataText:
            return DataText(value.form, *[self._example(part, True) for part in value.parts]).settled()
        owner = getattr(value, "__self__", None) if type(value) in (types.MethodType, types.BuiltinMethodType) else None
        if type(owner) in (ArrayProxy, ScalarProxy) and with_arrays:
            return getattr(self._example(owner, with_arrays), value.__name__)
        is_array = type(value) is ArrayProxy
        if (is_array and not with_arrays) or not (is_array or type(value) is ScalarProxy or is_unbacked(value)):
            return value
        recorder = self.host.recorder
        try:
            found = self._values().of(value.node() if type(value) in (ArrayProxy, ScalarProxy) else recorder.sizes.node(value))
        except Exception as error:  # then the refusal stands
            require_own(error)
            return value
        if not is_array:
            return found[()] if isinstance(found, np.ndarray) else found
        proxy = recorder.known(np.array(found, order="K"))
        proxy.writeable = proxy.storage.writeable = False
        return proxy

    def _grants(self, refusal: ExportError) -> bool:
        return (refusal.code, refusal.location) in self.granted

    def _results(self, refusal: ExportError, compute: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """What a body gives for copies of the example's operands. Raises ``refusal`` where that is
        not allowed, or not known.
        """
        self.locate(refusal)
        if not self._grants(refusal):
            raise refusal
        try:
            return compute(*map_leaves((args, kwargs), self._values().operand))
        except Exception as error:
            require_own(error)
            raise refusal from None

    def _values(self) -> Values:
        if self.values is None:
            self.values = Values(self.host)
        return self.values


def _chooser(frame: Frame) -> tuple[Place, str]:
    """The instruction that is running; for a loop the one that made its iterable, which may be in
    the caller of a comprehension.
    """
    place, name = (frame.code, frame.pc - 1), frame.info.decoded.instructions[frame.pc - 1][0]
    for each in (frame, frame.back) if name == "FOR_ITER" else ():
        for pc in reversed(range(0 if each is None else each.pc)):
            if each is not None and each.info.decoded.instructions[pc][0] == "GET_ITER":
                return (each.code, pc), "GET_ITER"
    return place, name


def _method_of(fn: Any, before: type, now: type) -> Any:
    """The method of ``now`` for the method ``fn`` of ``before``; other callables themselves."""
    name = getattr(fn, "__name__", "")
    return getattr(now, name) if getattr(before, name, None) is fn and hasattr(now, name) else fn


def _only_reads(fn: Any) -> bool:
    """Whether this is a callable that makes plain Python values of arrays."""
    if isinstance(fn, type):
        return fn.__module__ == "builtins"
    if isinstance(fn, types.BuiltinFunctionType) and fn.__module__ == "builtins":
        return isinstance(fn.__self__, types.ModuleType)
    return getattr(fn, "__name__", "") in _ARRAY_METHODS
