"""Iterators that are advanced on a side of a branch on data: put back before the other side runs,
joined where both leave them at one place, else refused.
"""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.shards import shard

GIVEN = [np.array([3.0, -1.0, 4.0]), np.array([-5.0, 2.0, 8.0])]


def _numbers() -> Any:
    yield from (1.0, 2.0, 3.0)


SEQUENCES = {
    "list": lambda x: iter([1.0, 2.0, 3.0]),
    "tuple": lambda x: iter((1.0, 2.0, 3.0)),
    "array": iter,
    "rows": lambda x: iter(np.stack([x, x * 2, x - 1])[:, 1]),
}


def both(items: Any, x: Any) -> Any:
    if x[0] > 0:
        first = next(items)
    else:
        first = -next(items)
    return first + next(items)


def leaving(items: Any, x: Any) -> Any:
    if x[0] > 0:
        return next(items) * 0.5
    return 2.0 * next(items)


def one(items: Any, x: Any) -> Any:
    first = next(items)
    if x[0] > 0:
        first = first + next(items)
    return first + next(items)


@pytest.mark.parametrize("program", [both, leaving])
@pytest.mark.parametrize("make", SEQUENCES.values(), ids=SEQUENCES)
def test_both_sides_begin_at_the_same_item(make: Any, program: Any) -> None:
    def run(x: Any) -> Any:
        return program(make(x), x)

    module = export(run, (GIVEN[0],)).module()
    for x in GIVEN:
        assert repr(module(x)) == repr(run(x))


@pytest.mark.parametrize("make", SEQUENCES.values(), ids=SEQUENCES)
def test_an_iterator_that_one_side_advances_is_refused_by_its_name(make: Any) -> None:
    def run(x: Any) -> Any:
        return one(make(x), x)

    with pytest.raises(ExportError, match="`items` is an iterator that 2 items were taken of") as refusal:
        export(run, (GIVEN[0],))
    assert refusal.value.code == "E103"


@pytest.mark.parametrize("make", [lambda x: _numbers(), lambda x: iter({1.0: 2.0, 3.0: 4.0, 5.0: 6.0})])
@pytest.mark.parametrize("program", [both, one])
def test_an_iterator_that_cannot_be_put_back_is_refused(make: Any, program: Any) -> None:
    def run(x: Any) -> Any:
        return program(make(x), x)

    with pytest.raises(ExportError) as refusal:
        export(run, (GIVEN[0],))
    assert refusal.value.code == "E103"


class Failed(Exception):
    pass


def _checked(v: Any) -> Any:
    if v < 0:
        raise Failed("negative")
    return np.sqrt(v)


def _totals(x: Any) -> Any:
    total = 0.0
    for v in x:
        total = total + v
        yield total


class Counted:
    """What blocks of it do is noted, and what is raised in them is caught."""

    def __init__(self) -> None:
        self.depth, self.said = 0, list[Any]()

    @contextlib.contextmanager
    def step(self) -> Any:
        self.depth += 1
        try:
            yield self
        except Failed as error:
            self.said.append(len(str(error)))
        finally:
            self.depth -= 1


@contextlib.contextmanager
def _turning() -> Any:
    try:
        yield
    except Failed as error:
        raise KeyError("turned") from error


def caught(x: Any) -> Any:
    counted, found = Counted(), []
    for v in x:
        with counted.step():
            found.append(_checked(v))
    return found, counted.said, counted.depth


def turned(x: Any) -> Any:
    try:
        with _turning():
            return _checked(x[0])
    except KeyError:
        return -1.0


def within(x: Any) -> Any:
    counted = Counted()
    with counted.step(), counted.step():
        counted.said.append(_checked(x[0]) + _checked(x[1]))
    return counted.said, counted.depth


def left(x: Any) -> Any:
    counted = Counted()
    for v in x:
        with counted.step():
            if v > 2:
                return counted.depth, v
            _checked(v)
    return counted.depth, counted.said


def noted_in_the_block(x: Any) -> Any:
    """What is tried and given up while a block is entered leaves nothing when it is dropped."""
    counted, found = Counted(), []
    for v in x:
        with counted.step():
            if v > 1:
                found.append(float(counted.depth))
    return found, counted.depth


def taken_to_the_end(x: Any) -> Any:
    totals = _totals(x)
    first = next(totals)
    first = sum(totals) if x[0] > 0 else max(totals)
    return first, list(totals)


ENDED = [caught, turned, within, noted_in_the_block]
CASES = [*[(each, Dim("n", min=2)) for each in ENDED], *[(each, None) for each in (*ENDED, left, taken_to_the_end)]]


@pytest.mark.parametrize(("program", "n"), shard(CASES, 3))
def test_a_generator_may_end_on_both_sides(program: Any, n: Any) -> None:
    module = export(program, (GIVEN[0],), dynamic_shapes=None if n is None else ({0: n},)).module()
    for x in (*GIVEN, np.array([1.0, 2.0, 0.5]), np.array([0.5, -0.0, -3.0])):
        assert repr(module(x)) == repr(program(x))


def test_a_side_that_goes_to_the_end_of_an_iterator_is_refused() -> None:
    def program(x: Any) -> Any:
        items = iter([1.0, 2.0])
        total = x[1]
        if x[0] > 0:
            for item in items:
                total = total + item
        return total, next(items, 0.0)

    with pytest.raises(ExportError, match="list_iterator") as refusal:
        export(program, (GIVEN[0],))
    assert refusal.value.code == "E103"


def test_iterators_of_numpy_are_not_joined() -> None:
    def chosen(x: Any) -> Any:
        items = x[0] if x[0] > 0 else 1.0
        return [item + 1 for item in np.nditer(items)]

    def carried(x: Any) -> Any:
        total = np.asarray(x[0])
        for place in range(len(x)):
            total = total + x[place]
        return [item for item in np.nditer(total)]  # noqa: C416

    for program in (chosen, carried):
        run = export(program, (GIVEN[0],), dynamic_shapes=({0: Dim.AUTO},)).module()
        for x in GIVEN:
            assert repr(run(x)) == repr(program(x))
