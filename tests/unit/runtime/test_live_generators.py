"""Where nothing but draws follows the states of a caller's generator, compiled programs draw from the generator itself."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from npexport.ir.random_states import state_of

X, P = np.arange(6.0).reshape(2, 3), np.array([0.5, 0.25, 0.25])


def several(g, x, p):
    a, b = g.standard_normal(x.shape), g.integers(0, 2, 4)
    return a + x, x[b], g.choice(3, 5, p=p), g.permutation(x), g.random(), g.multinomial(5, p), g.gamma(x + 1)


def unused(g, x, p):
    g.random(3)
    g.shuffle(x)
    return g.normal(0.0, 2.0, size=2)


def none(g, x, p):
    return x + p


def typed(g, x, p):
    return g.random(3, dtype=np.float32), g.integers(0, 9, 3, dtype=np.uint8, endpoint=True), g.standard_exponential(2, method="inv")


def bounded(g, x, p):
    return g.integers(0, x.astype(int) + 1), g.uniform(x[0], x[1]), g.poisson(x)


def spawned(g, x, p):
    (child,) = g.spawn(1)
    return child.random(2), g.random(2)


def on_a_side(g, x, p):
    if x.sum() > 3:
        x = x + g.random()
    return x, g.random()


def in_a_loop(g, x, p):
    while x.max() < 30:
        x = x + g.random(3)
    return x


LIVE = {"several": several, "unused": unused, "typed": typed, "bounded": bounded}
PROGRAMS = LIVE | {"none": none, "spawned": spawned, "on_a_side": on_a_side, "in_a_loop": in_a_loop}
BITS = [np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64, np.random.PCG64DXSM]


def generator(bits: Any = np.random.PCG64) -> np.random.Generator:
    return np.random.Generator(bits(7))


def told(value: Any) -> Any:
    return (
        [told(each) for each in value] if isinstance(value, tuple) else (type(value), np.asarray(value).dtype, np.asarray(value).tolist())
    )


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("bits", BITS)
def test_what_is_drawn_and_what_is_left(name: str, bits: Any) -> None:
    program = PROGRAMS[name]
    run = export(program, (generator(bits), X.copy(), P)).module()
    mine, theirs = generator(bits), generator(bits)
    for each in (mine, theirs):
        each.integers(0, 5, 3, dtype=np.uint32)  # leaves half a word
    for _ in range(3):
        x, y = X.copy(), X.copy()
        assert told(run(mine, x, P)) == told(program(theirs, y, P))
        assert np.array_equal(state_of(mine), state_of(theirs))
        assert np.array_equal(x, y)


@pytest.mark.parametrize("name", PROGRAMS)
def test_which_do(name: str) -> None:
    code = export(PROGRAMS[name], (generator(), X.copy(), P)).module().code
    assert ("a1.random(" in code or "a1.uniform(" in code or "a1.integers(" in code) is (name in LIVE)


def test_a_call_that_raises_leaves_the_draws_of_before() -> None:
    def program(g, x, k, p):
        x[0] = g.random(3)
        y = x[k]
        x[1] = g.normal(size=3)
        return y, g.choice(3, p=p)

    k = np.array([0, 1])
    run = export(program, (generator(), X.copy(), k, P)).module()
    assert "a1.random(" in run.code
    for bad in ((np.array([0, 5]), P), (k, P * 2), (k, P)):
        mine, theirs, x, y = generator(), generator(), X.copy(), X.copy()
        found, expected = [_outcome(call, *args) for call, args in ((run, (mine, x, *bad)), (program, (theirs, y, *bad)))]
        assert found == expected
        assert np.array_equal(state_of(mine), state_of(theirs))
        assert np.array_equal(x, y)


def _outcome(call: Callable[..., Any], *args: Any) -> Any:
    try:
        return told(call(*args))
    except (IndexError, ValueError) as error:
        return type(error), str(error)


def test_two_generators_take_turns() -> None:
    def program(g, h):
        a = g.random(2)
        b = h.random(2)
        return a, b, g.random(), h.random()

    run = export(program, (generator(), generator(np.random.SFC64))).module()
    mine, theirs = [(generator(), generator(np.random.SFC64)) for _ in range(2)]
    assert told(run(*mine)) == told(program(*theirs))
    assert [state_of(each).tolist() for each in mine] == [state_of(each).tolist() for each in theirs]


def test_copies_and_dynamic_sizes_draw_alike() -> None:
    def program(g, x):
        return x + g.random(x.shape[0])

    run = copy.deepcopy(export(program, (generator(), np.ones(4)), dynamic_shapes=(None, {0: Dim("n")})).module())
    mine, theirs = generator(), generator()
    for size in (4, 7, 1000):
        assert told(run(mine, np.ones(size))) == told(program(theirs, np.ones(size)))
