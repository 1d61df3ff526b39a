"""Values that are one of several as data decide: where branches make them, and where the program
examines them.

If the two sides of a branch leave two values of different kinds, both are kept, with the truths
that tell which it is. An instruction that examines such a value runs on the sides of another branch
on the same truth (`npexport.tracer.interpreter.symbolic_union`).
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from npexport.ir.ops.control_flow import NUMBERS
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_not
from npexport.symshapes.symint import SymBool, python_type
from npexport.tracer.arrays.core.current import decided
from npexport.tracer.arrays.core.new_numbers import are_equal_methods
from npexport.tracer.arrays.core.texts import chosen_text, is_text
from npexport.tracer.control.leaves import MOST, method_like, text, union_of
from npexport.tracer.control.one_sided import Build, Mismatch, OneSided
from npexport.tracer.effects.parts import same
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.program import running
from npexport.tracer.interpreter.symbolic_union import (
    ITERABLES,
    NeedsCaseSplit,
    SymbolicUnion,
    holds,
    keeps,
    options_of,
    watch,
    writes_texts,
)

_ABSENT: Any = object()


Facts = Callable[[Any], bool | None]
"""What is known of truths."""


class _Option:
    """One of the values, with the truth by side that it is that one."""

    def __init__(self, tests: list[Any], values: list[Any]) -> None:
        self.tests, self.values = tests, values
        self.build: Build | None = None


class UnionBuilder:
    """Makes a `SymbolicUnion` of the values that two sides leave. ``facts``: what is known of
    truths at the end of each; ``tell``: describes the values.
    """

    def __init__(self, world: ShadowedWorld, vm: Machine, facts: tuple[Facts, Facts], tell: Callable[[Mismatch], str]) -> None:
        self.world, self.vm, self.facts, self.tell = world, vm, facts, tell

    def __call__(self, join: Any, one: Any, other: Any, mismatch: Mismatch) -> Build:
        """Raises the mismatch if there cannot be such a value."""
        world, vm = self.world, self.vm
        if not may_begin(world):
            world.needs_case_splits = True
            raise mismatch
        known = world.unions.get((join.truth.expression, id(one), id(other)))
        if known is not None:
            return lambda results: known
        options = self._options(join, one, other, mismatch.path)
        if len(options) == 1:
            return options[0].build  # type: ignore[return-value]
        if len(options) > MOST:
            raise mismatch
        tests = [self._test(join, option, mismatch.path) for option in options[:-1]]
        builds = [self._value(join, option, mismatch.path) for option in options]
        name = mismatch.path if " " in mismatch.path else f"`{mismatch.path}`"
        told = self.tell(mismatch) if SymbolicUnion not in (type(one), type(other)) else None
        made: list[SymbolicUnion] = []

        def build(results: list[Any]) -> SymbolicUnion:
            if not made:
                begin(world, vm)
                made.append(union_of([test(results) for test in tests], [each(results) for each in builds], name, told))
                note(world, made[0])
            return made[0]

        return build

    def _options(self, join: Any, one: Any, other: Any, path: str) -> list[_Option]:
        """The options of both sides; those of one kind on both are one option."""
        found = [_Option([test, False], [value, _ABSENT]) for test, value in left_open(one, self.facts[0])]
        rest = []
        for test, value in left_open(other, self.facts[1]):
            twin = next((option for option in found if option.values[1] is _ABSENT and same(option.values[0], value)), None)
            method = next((option for option in found if option.values[1] is _ABSENT and are_equal_methods(option.values[0], value)), None)
            if twin is not None:
                twin.tests[1], twin.values[1], twin.build = test, value, join.plain(value, value, path)
            elif method is not None:
                made = method_like(value, [value.__self__])
                method.tests[1], method.values[1], method.build = test, value, lambda results, made=made: made
            else:
                rest.append((test, value))
        for test, value in rest:
            for option in found:
                if option.values[1] is _ABSENT and option.values[0] is not _ABSENT:
                    option.build = join.plain(option.values[0], value, path)
                    if option.build is not None:
                        option.tests[1], option.values[1] = test, value
                        break
            else:
                found.append(_Option([False, test], [_ABSENT, value]))
        return found

    def _test(self, join: Any, option: _Option, path: str) -> Build:
        one, other = option.tests
        if type(one) is type(other) is bool:
            test = one if one is other else join.truth if one else sym_not(join.truth)
            return lambda results: test
        build: Build = join.value(one, other, path)
        return build

    def _value(self, join: Any, option: _Option, path: str) -> Build:
        if option.build is not None:
            return option.build
        place = 0 if option.values[1] is _ABSENT else 1
        return OneSided(self.world, join, place).value(option.values[place], path)


def note(world: ShadowedWorld, union: SymbolicUnion) -> None:
    """Where the sides of a branch on which of two values it is leave these, that is the value."""
    if len(union.options) == 2 and type(union.tests[0]) is SymBool:
        world.unions[union.tests[0].expression, id(union.options[0]), id(union.options[1])] = union


def begin(world: ShadowedWorld, vm: Machine) -> None:
    """Note that a value exists that is one of several: from now on the frames examine the operands
    of instructions that ask.
    """
    if world.asks:
        return
    world.asks = True
    frame = vm.frame
    while frame is not None:
        watch(frame)
        frame = frame.back


def may_begin(world: ShadowedWorld) -> bool:
    """Whether there may be such a value: a running frame keeps its unwrapped instructions."""
    return bool(world.asks or not running.nested)


def one_of(world: ShadowedWorld, tests: list[Any], options: list[Any], name: str) -> SymbolicUnion:
    """One of several values, which no branch has made: the instruction that gets it may be followed
    by others that do not look at it. So the program is exported again, by frames that look from the
    first on.
    """
    if not world.asks:
        world.needs_case_splits = True
        raise Unsupported("E103", f"data decide whether {name} is {' or '.join(map(text, options))}")
    return union_of(tests, options, name)


def begins(world: ShadowedWorld, vm: Machine, value: Any) -> bool:
    """Whether a carried value may be one of several, if it is."""
    if holds(value) is None:
        return True
    if not may_begin(world):
        return False
    begin(world, vm)
    return True


def left_open(value: Any, tell: Callable[[Any], bool | None]) -> list[tuple[Any, Any]]:
    """The options of a value that remain possible given what is known of the truths."""
    found = []
    for test, option in options_of(value):
        answer = tell(test)
        if answer:
            return [(True, option)]
        if answer is None:
            found.append((test, option))
    return found if len(found) > 1 else [(True, option) for _, option in found]


def known(value: Any, facts: Facts | None = None) -> Any:
    """The option that one of several values is known to be; otherwise the value itself. ``facts``:
    of the end of a side, which is not open any more.
    """
    if type(value) is not SymbolicUnion:
        return value
    found = left_open(value, decided if facts is None else facts)
    return found[0][1] if len(found) == 1 else value


def as_text_of_data(value: Any) -> Any:
    """One of several texts as a text of data; anything else unchanged."""
    if type(value) is not SymbolicUnion or not all(map(is_text, value.options)):
        return value
    found = value.options[-1]
    for test, option in list(zip(value.tests, value.options, strict=True))[-2::-1]:
        found = chosen_text(test, option, found)
    return found


def as_texts(fn: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a call of C; of one that makes a text of texts, each a text of data."""
    if not writes_texts(fn):
        return args
    return tuple([_as_texts(arg, fn.__name__ == "join") for arg in args])


def _as_texts(arg: Any, joins: bool) -> Any:
    """An argument with texts of data for unions of texts; ``joins``: all its items are texts."""
    if type(arg) in (list, tuple):
        return type(arg)(map(as_text_of_data, arg))
    if joins and type(arg) in ITERABLES and holds(list(map(as_text_of_data, copy.copy(iter(arg))))) is None:
        return list(map(as_text_of_data, arg))
    return as_text_of_data(arg)


def require_known(world: ShadowedWorld, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raises `NeedsCaseSplit` for a call of C that would look at a value that is one of several."""
    if fn is sum and args and all(map(_is_number, args[0] if type(args[0]) in (list, tuple) else ())):
        return
    if keeps(fn) and not (args and type(args[0]) in NATIVE_TYPES and type(args[0]) is not SymbolicUnion):
        return
    for value in (*args, *kwargs.values()):
        found = holds(value)
        if found is not None and (found is value or getattr(fn, "__name__", None) not in _HOLDERS):
            world.needs_case_splits = True  # no instruction answers for what has consumed a generator
            raise NeedsCaseSplit(found)


def _is_number(value: Any) -> bool:
    """Whether a value is a number, or one of several."""
    return all(python_type(option) in NUMBERS for _, option in options_of(value))


_HOLDERS = frozenset(
    "list tuple dict len iter enumerate zip reversed map filter extend get items values keys copy pop popitem update isinstance "
    "getitem delitem __new__ __init__ __getitem__ __len__ __iter__ next".split()
)
"""C callables that do not look at the contents of containers."""
