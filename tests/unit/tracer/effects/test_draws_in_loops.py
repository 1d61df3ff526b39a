"""Draws inside branches and loops on data: the generator's state is carried, to the bit as eager NumPy leaves it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export
from npexport.ir.random_states import BIT_GENERATORS
from tests.support.forms import reloaded

X = np.array([0.1, 0.2, 0.3])
COUNTS = (np.array(4), np.array(0), np.array(1))


def added(x: Any, n: Any, rng: Any) -> Any:
    for _ in range(int(n)):
        x += rng.normal(size=3)
    return x


def metropolis(x: Any, n: Any, rng: Any) -> Any:
    accepted = 0
    x = x[0]
    for _ in range(int(n)):
        y = x + rng.normal()
        if rng.random() < np.exp((x * x - y * y) / 2):
            x = y
            accepted += 1
    return x, accepted


def rejected(x: Any, n: Any, rng: Any) -> Any:
    while True:
        u, v = rng.random(), rng.random()
        if u * u + v * v < 1:
            break
    return x * u, rng.integers(9, dtype=np.uint8)


def seeded(x: Any, n: Any, rng: Any) -> Any:
    own = np.random.default_rng(7)
    first = own.integers(0, 5, dtype=np.int32)
    for _ in range(int(n)):
        if x.sum() > 0.5:
            x = x - own.random()
        else:
            x = x + own.normal(size=3) + rng.random()
    return x + 0, own.integers(0, 9), first


def nested(x: Any, n: Any, rng: Any) -> Any:
    own = np.random.Generator(np.random.MT19937(7))
    for _ in range(2):
        for _ in range(int(n)):
            x = x + own.random()
            if x.sum() > 3:
                x = x - own.integers(0, 3)
        x = x + own.random()
    return x + 0, own.random()


def sides(x: Any, n: Any, rng: Any) -> Any:
    own = np.random.default_rng(7)
    state = own.bit_generator.state
    y = x + own.normal(size=3) if x.sum() > 0 else x * own.random()
    last = own.random()
    own.bit_generator.state = state
    return y, last, own.random()


def spawned(x: Any, n: Any, rng: Any) -> Any:
    own = np.random.default_rng(7).spawn(1)[0]
    items = [1, 2, x.sum(), 4]
    own.shuffle(items)
    for _ in range(int(n)):
        own.shuffle(x)
    return items, own.random()


def raw(x: Any, n: Any, rng: Any) -> Any:
    found = 0
    for _ in range(int(n)):
        found += rng.bit_generator.random_raw() & 7
        if x.sum() > 0:
            x = x + (rng.bit_generator.random_raw(3) >> np.uint64(30)) / 2**34
    return x + 0, found, rng.random()


PROGRAMS = (added, metropolis, rejected, seeded, nested, sides, spawned)


@pytest.mark.parametrize(
    ("program", "name"), [(program, "PCG64") for program in PROGRAMS] + [(added, "MT19937")] + [(raw, name) for name in BIT_GENERATORS]
)
def test_the_state_is_carried(program: Any, name: str) -> None:
    def made() -> Any:
        return np.random.Generator(getattr(np.random, name)(11))

    exported = export(program, (X.copy(), COUNTS[0], made()))
    for run in (exported.module(), reloaded(exported).module()):
        ours, eager = made(), made()
        for n in COUNTS:
            for x in (X, -X):
                mine, theirs = x.copy(), x.copy()
                np.testing.assert_equal(run(mine, n, ours), program(theirs, n, eager))
                np.testing.assert_equal(mine, theirs)
                np.testing.assert_equal(ours.bit_generator.state, eager.bit_generator.state)


def reordered_list(x: Any, rng: Any) -> Any:
    items = [1, 2, [3], "4", x]
    rng.shuffle(items)
    return items


@pytest.mark.parametrize("made", [np.random.default_rng, np.random.RandomState], ids=["Generator", "RandomState"])
def test_a_list_is_shuffled_in_place(made: Any) -> None:
    def program(x: Any) -> Any:
        return reordered_list(x, made(7))

    np.testing.assert_equal(export(program, (X,)).module()(X), program(X))


def spawned_seeds(x: Any, n: Any) -> Any:
    seeds = np.random.SeedSequence(7)
    for _ in range(int(n)):
        x = x + np.random.default_rng(seeds.spawn(1)[0]).random()
    return x + 0


def rebound(x: Any, n: Any) -> Any:
    own = np.random.default_rng(7)
    for _ in range(int(n)):
        x, own = x + own.random(), np.random.default_rng(8)
    return x + own.random()


REFUSED = {
    spawned_seeds: ("E103", "default_rng"),
    rebound: ("E103", ""),
    lambda x, n: np.random.default_rng(7).shuffle(bytearray(b"abc")): ("E107", "Shuffle a list or an array"),
    lambda x, n: np.random.rand(3): ("E107", "rng.random((2, 3))"),
    lambda x, n: np.random.shuffle(x): ("E107", "rng.shuffle"),
    lambda x, n: np.random.get_state(): ("E107", "numpy.random.Generator"),
}


@pytest.mark.parametrize("program", list(REFUSED), ids=range(len(REFUSED)))
def test_refused(program: Any) -> None:
    code, hint = REFUSED[program]
    with pytest.raises(ExportError) as caught:
        export(program, (X, COUNTS[0]))
    assert (caught.value.code, hint in caught.value.hint) == (code, True), caught.value.hint
    assert " at 0x" not in str(caught.value)
