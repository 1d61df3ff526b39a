"""``x[index]`` and ``x[index] = value`` with indices of every kind, mixed: shapes, scalars and errors are NumPy's, at every size."""

from __future__ import annotations

import random

import numpy as np
import pytest

from npexport.ir import ops
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.rewrite import evaluate
from npexport.symshapes.symint import is_symbolic
from tests.support.records import any_data_dependent_size, describe, result_of, same

BOUNDS = (None, None, 0, 1, 2, 5, -1, -2, -7)


def random_slice(draw: random.Random) -> slice:
    return slice(draw.choice(BOUNDS), draw.choice(BOUNDS), draw.choice((None, None, 1, 2, 3, -1, -2)))


def random_item(draw: random.Random, shape: tuple[int, ...], axis: int):
    size = shape[axis] if axis < len(shape) else 1
    kind = draw.randrange(11)
    if kind < 3:
        return random_slice(draw)
    if kind < 5:
        return draw.randint(-size, size - 1) if size else 0
    if kind == 5:
        return None
    if kind == 6:
        return Ellipsis
    if kind == 7:
        return draw.choice((True, False))
    if kind == 8 and axis < len(shape):
        return np.arange(size) % 2 == draw.randrange(2)
    if kind == 9:
        return np.array(draw.randint(-size, size - 1) if size else 0)
    positions = np.array([draw.randint(-size, size - 1) if size else 0 for _ in range(draw.choice((1, 1, 2, 3)))], dtype=np.int64)
    return positions.reshape(draw.choice(((-1,), (-1, 1), (1, -1))))


def random_index(draw: random.Random, shape: tuple[int, ...]):
    items, axis = [], 0
    for _ in range(draw.randint(0, len(shape) + 1)):
        items.append(random_item(draw, shape, axis))
        axis += items[-1] is not None and items[-1] is not Ellipsis and not isinstance(items[-1], bool)
    return tuple(items) if len(items) != 1 or draw.random() < 0.5 else items[0]


def cases(seed: int, count: int):
    draw = random.Random(seed)
    for _ in range(count):
        shape = tuple(draw.choice((0, 1, 2, 3, 4)) for _ in range(draw.randint(0, 3)))
        yield np.arange(int(np.prod(shape)), dtype="f4").reshape(shape), random_index(draw, shape)


def stated(op, *args):
    with any_data_dependent_size():
        return result_of(op.rule, *describe(args))


def agree(one, other) -> bool:
    if isinstance(one, Unsupported):
        return True
    if isinstance(one, Exception):
        return type(one) is type(other) and str(one) == str(other)
    return isinstance(other, IndexError) or same(one, other)  # positions out of bounds are a matter of data


@pytest.mark.parametrize("seed", range(4))
def test_reading(seed):
    for x, index in cases(seed, 300):
        rule, kernel = stated(ops.np.index, x, index), result_of(ops.np.index.kernel, x, index)
        assert agree(rule, kernel), (x.shape, index, rule, kernel)


@pytest.mark.parametrize("seed", range(4))
def test_writing(seed):
    draw = random.Random(seed)
    for x, index in cases(seed, 200):
        target = result_of(ops.np.index.kernel, x, index)
        shape = draw.choice([(), (1,), (1, 1, 1, 1, 1, 2), getattr(target, "shape", ())[-1:], getattr(target, "shape", ())])
        value = draw.choice([1, 2.5, np.zeros(shape, "f8")])
        rule, kernel = stated(ops.np.setitem, x, index, value), result_of(ops.np.setitem.kernel, x, index, value)
        assert agree(rule, kernel) or isinstance(kernel, (TypeError, ValueError)), (x.shape, index, shape, rule, kernel)


@pytest.mark.parametrize("seed", range(6))
def test_slices_of_any_size_with_symbolic_bounds(seed):
    """The length of every slice, as an expression in the size and the bounds, is what Python takes, wherever its guards hold."""
    draw = random.Random(seed)
    held = 0
    for _ in range(60):
        env = ShapeEnv()
        part = random_slice(draw)
        size = env.create_symbol("n", draw.choice((0, 1, 4, 7)))
        start, stop = (
            None if bound is None else bound if draw.random() < 0.5 else env.create_symbol("k", abs(bound)) * (1 if bound >= 0 else -1)
            for bound in (part.start, part.stop)
        )
        meta = describe(np.zeros(3)).with_(shape=(size,))
        length = ops.np.getitem.rule(meta, slice(start, stop, part.step)).shape[0]
        for _ in range(12):
            numbers = {name: draw.choice((0, 1, 2, 3, 4, 6, 9)) for name in env.symbols}
            if not all(evaluate(guard.truth, numbers) for guard in env.guards):
                continue
            held += 1
            values = (size, start, stop, length)
            n, low, high, got = (evaluate(value.expression, numbers) if is_symbolic(value) else value for value in values)
            assert got == len(range(n)[low : high : part.step]), (n, low, high, part.step, str(getattr(length, "expression", length)))
    assert held > 300
