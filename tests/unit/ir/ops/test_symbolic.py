"""Rules with dynamic sizes: wherever the guards hold, the shape that was derived is the one that NumPy gives."""

from __future__ import annotations

import inspect
import itertools
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.ops import fresh
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.ranges import int_oo
from npexport.symshapes.rewrite import evaluate
from npexport.symshapes.symint import SymBool, SymFloat, is_symbolic
from tests.op_samples import samples_of
from tests.support.records import RECORDS, outcome, same
from tests.support.shards import shard

# Arguments that hold sizes and positions, which programs compute from sizes.
SIZE_ARGUMENTS = {
    "shape", "dims", "dimensions", "num", "N", "M", "n", "s", "repeats", "reps", "pad_width", "shift", "start_or_stop", "stop",
    "minlength", "count", "index", "window_shape", "bins", "k", "offset",
}  # fmt: skip
SIZES = (0, 1, 2, 3, 5, 8)


class World:
    """The symbols of one call: equal sizes of the sample share one, so that what must be equal stays equal."""

    def __init__(self) -> None:
        self.env = ShapeEnv()
        self.symbols: dict[int, Any] = {}

    def size(self, hint: int) -> Any:
        if hint not in self.symbols:
            self.symbols[hint] = self.env.create_symbol(f"size{hint}", hint)
        return self.symbols[hint]

    def numbers(self, sizes: tuple[int, ...]) -> dict[str, int]:
        return {str(symbol.expression): size for symbol, size in zip(self.symbols.values(), sizes, strict=True)}


def symbolic(value: Any, world: World, sized: bool) -> Any:
    """The call's argument as a rule sees it while tracing with dynamic sizes."""
    if isinstance(value, np.ndarray):
        return TensorMeta(tuple(map(world.size, value.shape)), value.dtype)
    if isinstance(value, (tuple, list)):
        return type(value)(symbolic(item, world, sized) for item in value)
    if type(value) is int and sized:
        return world.size(value) if value >= 0 else -world.size(-value)
    if isinstance(value, slice):
        return slice(symbolic(value.start, world, sized), symbolic(value.stop, world, sized), value.step)
    return value


def concrete(value: Any, world: World, numbers: dict[str, int], sized: bool) -> Any:
    """The same argument at other sizes."""
    if isinstance(value, np.ndarray):
        shape = tuple(numbers[str(world.symbols[size].expression)] for size in value.shape)
        return np.resize(value, shape) if value.size else np.zeros(shape, value.dtype)
    if isinstance(value, (tuple, list)):
        return type(value)(concrete(item, world, numbers, sized) for item in value)
    if type(value) is int and sized:
        size = numbers[str(world.symbols[abs(value)].expression)]
        return size if value >= 0 else -size
    if isinstance(value, slice):
        return slice(concrete(value.start, world, numbers, sized), concrete(value.stop, world, numbers, sized), value.step)
    return value


def calls(op: Op) -> Iterator[tuple[inspect.BoundArguments, set[str]]]:
    """Each sample with symbolic arrays, and again with symbolic arguments of sizes where it has some."""
    for args, kwargs in samples_of(op):
        bound = op.signature.bind(*args, **kwargs)
        yield bound, set()
        sized = SIZE_ARGUMENTS & bound.arguments.keys()
        if sized:
            yield bound, sized


class Unbacked:
    """Sizes that only data knows: found in the result itself, and held to the bounds that the rule stated."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.bounds: dict[str, tuple[Any, Any]] = {}

    def fresh(self, low: Any, high: Any, slot: int) -> Any:
        size = self.world.env.create_unbacked(low, int_oo if high is None else high)
        self.bounds[str(size.expression)] = low, high
        return size

    def _is_new(self, derived: Any, numbers: dict[str, int]) -> bool:
        if type(derived) is SymFloat:
            return str(derived.expression) not in numbers
        return is_symbolic(derived) and str(derived.expression) in self.bounds

    def read(self, derived: Any, actual: Any, numbers: dict[str, int]) -> dict[str, int]:
        found = dict(numbers)
        if isinstance(derived, TensorMeta) and isinstance(actual, TensorMeta):
            for size, number in zip(derived.shape, actual.shape):
                if is_symbolic(size) and str(size.expression) in self.bounds:
                    low, high = (at(bound, numbers) for bound in self.bounds[str(size.expression)])
                    assert low <= number and (high is None or number <= high), (low, number, high)
                    found[str(size.expression)] = number
        elif self._is_new(derived, numbers):
            found[str(derived.expression)] = actual
        elif type(derived) is SymBool:
            found.update(dict.fromkeys(derived.expression.symbols - numbers.keys(), int(actual)))
        elif isinstance(derived, (tuple, list)) and isinstance(actual, (tuple, list)):
            for one, other in zip(derived, actual):
                found = self.read(one, other, found)
        return found


def at(value: Any, numbers: dict[str, int]) -> Any:
    """What a rule derived, at these sizes."""
    if isinstance(value, TensorMeta):
        return value.with_(shape=tuple(at(size, numbers) for size in value.shape))
    if isinstance(value, (tuple, list)):
        return [at(item, numbers) for item in value]
    return evaluate(value.expression, numbers) if is_symbolic(value) else value


def assignments(hints: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The sample's own sizes and some twenty others, zeros and ones among them."""
    every = list(itertools.product(SIZES, repeat=len(hints)))
    return [hints, *every[:: max(len(every) // 20, 1)]]


def check(op: Op, bound: inspect.BoundArguments, sized: set[str]) -> tuple[int, list[str]]:
    """How many assignments of sizes the guards allow and NumPy computes, and what is wrong."""
    world = World()
    unbacked = Unbacked(world)
    arguments = {name: symbolic(value, world, name in sized) for name, value in bound.arguments.items()}
    call = inspect.BoundArguments(bound.signature, arguments)
    with fresh.fresh_numbers(unbacked.fresh, world.env.create_unbacked_float, world.env.create_unbacked_truth):
        derived = op.rule(*call.args, **call.kwargs)
    allowed, wrong = 0, []
    for sizes in assignments(tuple(world.symbols)):
        numbers = world.numbers(sizes)
        if not all(evaluate(guard.truth, numbers) for guard in world.env.guards):
            continue
        real = {name: concrete(value, world, numbers, name in sized) for name, value in bound.arguments.items()}
        call = inspect.BoundArguments(bound.signature, real)
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                actual = outcome(op.kernel(*call.args, **call.kwargs))
        except Exception:
            continue  # the program raises the same
        allowed += 1
        expected = at(derived, unbacked.read(derived, actual, numbers))
        if not same(expected, actual):
            guards = [guard.text for guard in world.env.guards]
            wrong.append(f"{sizes} of {call}: derived {shown(derived)} under {guards}; NumPy gives {actual}")
    return allowed, wrong


def shown(value: Any) -> str:
    if isinstance(value, TensorMeta):
        return "[" + ", ".join(str(size.expression) if is_symbolic(size) else str(size) for size in value.shape) + "]"
    return str([shown(item) for item in value]) if isinstance(value, (tuple, list)) else str(value)


@pytest.mark.parametrize("op", shard(RECORDS, 3))
def test_derived_shapes_are_true_wherever_the_guards_hold(op: Op) -> None:
    total, problems = 0, []
    for bound, sized in calls(op):
        allowed, wrong = check(op, bound, sized)
        total += allowed
        problems += wrong
    assert total
    assert "\n".join(problems[:5]) == ""
