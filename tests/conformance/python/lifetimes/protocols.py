"""Exceptions that an operation catches itself: the end of an iterator, a missing attribute, a wrong number of items.

The frame that runs the operation holds an object: it dies with the frame.
"""

from __future__ import annotations

import contextlib
import functools
import operator
from typing import Any

from tests.conformance.python.lifetimes.objects import D, log, program


class Iterations:
    """An iterator of Python's that ends with its own ``raise``."""

    def __init__(self, count: int) -> None:
        self.left = count

    def __iter__(self):
        return self

    def __next__(self):
        if self.left <= 0:
            raise StopIteration
        self.left -= 1
        return self.left


class Items:
    def __getitem__(self, index):
        if index > 2:
            raise IndexError(index)
        return index


class Hidden:
    def __getattr__(self, name):
        raise AttributeError(name)

    def __len__(self):
        raise TypeError

    def __length_hint__(self):
        raise TypeError


class Missing(dict):
    def __missing__(self, key):
        raise KeyError(key)


class Swallow:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return True


class Less:
    def __init__(self, key: int) -> None:
        self.key = key

    def __lt__(self, other):
        if other.key == 3:
            raise ValueError(other.key)
        return self.key < other.key


def caught(call, held):
    try:
        return call(held)
    except Exception as error:
        return type(error).__name__


def unpack(held, count: int):
    first, second = Iterations(count)
    return first, second


def unpack_star(held, count: int):
    first, *rest = Iterations(count)
    return first, rest


def iterations(held):
    seen = [iteration for iteration in Iterations(2)]
    for iteration in Iterations(2):
        seen.append(iteration)
    return seen


def delegated(held):
    def inner(held):
        yield from Iterations(2)
        yield (yield from Iterations(1))

    return list(inner(held))


def raise_in(held, manager):
    with manager:
        raise ValueError(1)


def end_of_a_function_iterator(held):
    ends = iter([1, 2, None])
    return list(iter(lambda: next(ends), None))


def group(held):
    try:
        raise ExceptionGroup("both", [ValueError(1), KeyError(2)])
    except* ValueError:
        log("value")
    except* KeyError:
        log("key")


def awaited(held):
    class Once:
        def __await__(self):
            yield 1
            return 2

    async def use(held):
        return await Once()

    coroutine = use(held)
    coroutine.send(None)
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value


def async_iterations(held):
    async def ticks():
        yield 1
        yield 2

    async def use(held):
        return [tick async for tick in ticks()], await anext(ticks())

    try:
        use(held).send(None)
    except StopIteration as stop:
        return stop.value


OPERATIONS: dict[str, Any] = {
    "for": iterations,
    "unpack": lambda held: unpack(held, 2),
    "too few to unpack": lambda held: caught(lambda held: unpack(held, 1), held),
    "too many to unpack": lambda held: caught(lambda held: unpack(held, 3), held),
    "unpack with a star": lambda held: unpack_star(held, 3),
    "too few beside a star": lambda held: caught(lambda held: unpack_star(held, 0), held),
    "next with a default": lambda held: next(Iterations(0), 5),
    "next of a generator with a default": lambda held: next((iteration for iteration in [1] if iteration > 1), 5),
    "next at the end": lambda held: caught(lambda held: next(Iterations(0)), held),
    "any": lambda held: any(iteration > 5 for iteration in Iterations(2)),
    "all of a class": lambda held: all(Iterations(3)),
    "sum": lambda held: sum(Iterations(3)),
    "min with a default": lambda held: min(Iterations(0), default=3),
    "min of nothing": lambda held: caught(lambda held: min(Iterations(0)), held),
    "list": lambda held: list(Iterations(2)),
    "tuple of items": lambda held: tuple(Items()),
    "in": lambda held: 7 in Iterations(3),
    "in items": lambda held: 7 in Items(),
    "zip": lambda held: list(zip(Iterations(1), Iterations(3))),
    "map": lambda held: list(map(operator.neg, Iterations(2))),
    "filter": lambda held: list(filter(None, Iterations(2))),
    "enumerate": lambda held: dict(enumerate(Iterations(2))),
    "join": lambda held: "".join(str(iteration) for iteration in Iterations(2)),
    "reduce": lambda held: functools.reduce(operator.add, Iterations(3)),
    "reduce of nothing": lambda held: caught(lambda held: functools.reduce(operator.add, Iterations(0)), held),
    "hasattr": lambda held: hasattr(Hidden(), "name"),
    "getattr with a default": lambda held: getattr(Hidden(), "name", 1),
    "length": lambda held: caught(lambda held: len(Hidden()), held),
    "length hint": lambda held: caught(lambda held: operator.length_hint(Hidden()), held),
    "missing key": lambda held: caught(lambda held: Missing()[1], held),
    "get of a missing key": lambda held: Missing().get(1),
    "with": lambda held: raise_in(held, Swallow()),
    "suppress": lambda held: raise_in(held, contextlib.suppress(ValueError)),
    "yield from": delegated,
    "iter of a function": end_of_a_function_iterator,
    "sort": lambda held: caught(lambda held: sorted([Less(1), Less(3), Less(2)]), held),
    "unsupported operator": lambda held: caught(lambda held: Hidden() + 1, held),
    "call with wrong arguments": lambda held: caught(lambda held: unpack(), held),
    "except*": group,
    "await": awaited,
    "async for": async_iterations,
}


def _holds(operation):
    def hold():
        operation(D("held"))
        log("left")

    return hold


for _name, _operation in OPERATIONS.items():
    _program = _holds(_operation)
    _program.__name__ = f"while {_name} ends"
    program(_program)
