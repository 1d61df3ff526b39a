"""A side of a branch on data that only raises, warns or does nothing is a check of the program: what it does before is
put back, and what it leaves outside makes it no check.
"""

from __future__ import annotations

import contextlib
import gc
import sys
import warnings
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, Unsupported, export
from npexport.ir import ops
from tests.support.outcomes import outcome

DATA = [np.array(values) for values in ([1.0, 2.0, 3.0], [-1.0, 2.0, 9.0], [7.0, -3.0, 0.5], [0.0, 0.0, 0.0])]
HELD: dict[str, Any] = {"failures": 0}


def lists_the_bad(x: Any) -> Any:
    seen = [0]
    if x[0] < 0:
        bad = []
        for place in range(3):
            bad.append(x[place])
        seen.append(len(bad))
        raise ValueError(f"bad: {bad[0]}, {bad[2]}", len(seen))
    return x + 1, len(seen)


def writes_before_it_raises(x: Any) -> Any:
    made = x * 1
    if made[1] < 0:
        about = made.copy()
        about[0] = 5
        raise ValueError(f"{about[0]} {about}")
    return made, made * 2


class Report:
    def __init__(self) -> None:
        self.lines: list[Any] = []

    def add(self, line: Any) -> None:
        self.lines.append(line)

    def fail(self) -> None:
        raise ValueError(*self.lines)


def an_object_tells(x: Any) -> Any:
    report = Report()
    if x[2] > 5:
        report.add("large")
        report.add(x[2])
        report.fail()
    return x, len(report.lines)


def generator(x: Any) -> Any:
    for place in range(3):
        if x[place] < -2:
            raise ValueError(f"{place}")
        yield x[place] * 2


def raises_in_a_generator(x: Any) -> Any:
    return [value + 1 for value in generator(x)]


def cleans_up(x: Any) -> Any:
    state = {"open": 0}
    try:
        state["open"] = 1
        if x[0] < 0:
            raise KeyError("negative")
    except KeyError as error:
        raise ValueError("replaced") from error
    finally:
        state["open"] = 0
    return x, state["open"]


def nested(x: Any) -> Any:
    if x[0] > 0:
        worst = max(x[1], x[2])
        if worst > 2.5:
            if x[1] > x[2]:
                raise ValueError("first")
            raise KeyError("second", worst)
    return x * 2, x


CHECKS = [lists_the_bad, an_object_tells, raises_in_a_generator, cleans_up, nested]


@pytest.mark.parametrize("program", CHECKS, ids=lambda program: program.__name__)
def test_it_is_a_check(program: Any) -> None:
    ep = export(program, (DATA[3],))
    assert not [node for node in ep.graph.nodes if node.target is ops.control.cond]
    assert [node for node in ep.graph.nodes if node.target is ops.control.check]
    run = ep.module()
    for x in DATA:
        assert outcome(run, (x,)) == outcome(program, (x,))


def leaves_a_count(x: Any) -> Any:
    count = [0]
    if x[0] < 0:
        count.append(1)
        if x[1] > 1000:
            raise ValueError("large")
    return x, len(count)


def leaves_a_value(x: Any) -> Any:
    box = {"a": 1.0}
    if x[0] > 5:
        box["a"] = x[1]
        if x[2] > 5:
            raise ValueError
    return x, box["a"]


def writes_to_its_input(x: Any) -> Any:
    if x[0] < 0:
        x[1] = 0
        if x[2] > 1000:
            raise ValueError("large")
    return x, x * 2


def counts_outside(x: Any) -> Any:
    if x[0] < 0:
        HELD["failures"] += 1
        raise ValueError("negative")
    return x, x


LEAVING = [writes_before_it_raises, leaves_a_count, leaves_a_value, writes_to_its_input, counts_outside]


@pytest.mark.parametrize("program", LEAVING, ids=lambda program: program.__name__)
def test_what_it_leaves_is_not_lost(program: Any) -> None:
    HELD["failures"] = 0
    with contextlib.suppress(ExportError):
        run = export(program, (DATA[3],)).module()
        for x in DATA:
            mine, theirs = x.copy(), x.copy()
            assert outcome(run, (mine,)) == outcome(program, (theirs,))
    assert HELD["failures"] in (0, len([x for x in DATA if x[0] < 0]))


def says(n: Any) -> None:
    warnings.warn(f"only {n} rows", stacklevel=1)


def counted(x: Any) -> Any:
    calls = []
    if len(x) < 3:
        calls.append(1)
    return x, len(calls)


def told(x: Any) -> Any:
    if len(x) < 3:
        says(len(x))
    return x, x


def test_a_side_on_sizes_is_put_back() -> None:
    for program, guarded in ((counted, True), (told, False)):
        ep = export(program, (np.ones(5),), dynamic_shapes=({0: Dim("n")},)) if not guarded else None
        if ep is None:
            with contextlib.suppress(ExportError):
                ep = export(program, (np.ones(5),), dynamic_shapes=({0: Dim.AUTO},))
        assert ep is not None
        assert bool(ep.guards) is guarded or ep.range_constraints
        assert outcome(ep.module(), (np.ones(7),)) == outcome(program, (np.ones(7),))


def advances(x: Any) -> Any:
    values = (value for value in (1, 2, 3))
    if len(x) < 3:
        next(values)
    return x, next(values)


def test_a_generator_of_before_is_advanced_once() -> None:
    with contextlib.suppress(ExportError):
        run = export(advances, (np.ones(2),), dynamic_shapes=({0: Dim.AUTO},)).module()
        assert outcome(run, (np.ones(2),)) == outcome(advances, (np.ones(2),))


class Two:
    """Gives 1 and 2, asynchronously."""

    def __init__(self) -> None:
        self.count = 0

    def __aiter__(self) -> Any:
        return self

    async def __anext__(self) -> int:
        self.count += 1
        if self.count > 2:
            raise StopAsyncIteration
        return self.count


async def waiting(x: Any) -> Any:
    total = x * 1
    if x[0] > 0:
        async for value in Two():
            total = total + value
    return total


def driven(function: Any, x: Any) -> Any:
    try:
        function(x).send(None)
    except StopIteration as done:
        return done.value


async def added(x: Any) -> Any:
    return x + 1


class Entered:
    async def __aenter__(self) -> int:
        return 1

    async def __aexit__(self, *error: Any) -> None:
        pass


async def values_of(x: Any) -> Any:
    for value in x:
        yield value


async def awaits(x: Any) -> Any:
    return await added(x) if x[0] > 0 else x


async def enters(x: Any) -> Any:
    if x[0] > 0:
        async with Entered() as one:
            x = x + one
    return x


async def goes_over(x: Any) -> Any:
    if x[0] > 0:
        async for value in values_of(x):
            x = x + value
    return x


async def is_refused_in_the_middle(x: Any) -> Any:
    held = added(x)
    async for value in values_of(x):
        x.tofile("never")
    return held


@pytest.mark.parametrize("waits", [waiting, awaits, enters, goes_over, is_refused_in_the_middle])
def test_a_side_that_waits_is_told_from_one_that_yields(waits: Any, recwarn: Any, monkeypatch: Any) -> None:
    """... and what is given up warns of nothing, and raises nothing where it is collected."""
    unraisable: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    with pytest.raises(ExportError) as refusal:
        export(lambda x: driven(waits, x), (np.ones(2),))
    if waits is not is_refused_in_the_middle:
        assert refusal.match("one side .* waits with `await`, `async for` or `yield from`")
        assert type(refusal.value) is Unsupported and refusal.value.code == "E103" and "list(generator" not in refusal.value.hint
    del refusal
    gc.collect()
    assert [str(warning.message) for warning in recwarn] == [] == unraisable


def _parts(n, size):
    for at in range(0, n, size):
        yield slice(at, at + size)


def sums_of_parts(x):
    out = np.zeros(-(-len(x) // 4))
    for place, part in enumerate(_parts(len(x), 4)):
        out[place] = x[part].sum()
    return out


def sum_of_parts(x):
    total = 0.0
    for part in _parts(len(x), 4):
        total = total + x[part].max()
    return total


@pytest.mark.parametrize("program", [sums_of_parts, sum_of_parts])
def test_sizes_stay_dynamic_that_a_generator_goes_over(program):
    run = export(program, (np.arange(16.0),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for size in (16, 3, 9, 100):
        np.testing.assert_array_equal(run(np.arange(float(size))), program(np.arange(float(size))))
