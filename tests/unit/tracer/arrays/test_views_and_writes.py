"""The tables of ``view_programs``: every view with some writes and every write with some views, and chains of both, of any length."""

from __future__ import annotations

import io
import random
from typing import Any

import numpy as np
import pytest

from npexport import export, load, ops, save
from tests.fuzz.views import INPUTS, ORDERS, SOURCES, VIEWS, WRITES, chain, check, made, one_of_each
from tests.support.shards import shard

pytestmark = pytest.mark.filterwarnings("ignore:future versions will not create a writeable array:FutureWarning")
EACH = 3
"""How many partners everything has."""


@pytest.mark.parametrize("place", shard(range(len(VIEWS)), 4))
def test_every_view_is_written_to(place: int) -> None:
    rng = random.Random(place)
    for write in rng.sample(WRITES, EACH):
        check(one_of_each(VIEWS[place], write, rng.choice(SOURCES)), made(rng.choice(list(INPUTS)), rng.choice(ORDERS)))


@pytest.mark.parametrize("place", shard(range(len(WRITES)), 4))
def test_every_write_goes_through_views(place: int) -> None:
    rng = random.Random(1000 + place)
    for view in rng.sample(VIEWS, EACH):
        check(one_of_each(view, WRITES[place], rng.choice(SOURCES)), made(rng.choice(list(INPUTS)), rng.choice(ORDERS)))


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", shard(range(0, 200, 20), 5))
def test_chains_of_views_and_writes(seed: int) -> None:
    for number in range(seed, seed + 20):
        rng = random.Random(number)
        check(chain(rng), made(rng.choice(list(INPUTS)), rng.choice(ORDERS)))


def reshaped(x: Any) -> Any:
    """Each of these reshapes gives a view or a copy, as the input lies."""
    for _ in range(400):
        x = x.reshape(2, 8).T.reshape(4, 4)
    return x


def written(x: Any) -> Any:
    """A view of a view, and so on, of an input that is written to."""
    x += 1
    for _ in range(1100):
        x = x[::-1]
    return x


def beside_each_other(x: Any) -> Any:
    """The same for two outputs that are views of one another."""
    x *= 2
    y = x.T
    for _ in range(500):
        y = y[:, ::-1].T
    return y, y[1:], x.sum()


@pytest.mark.parametrize("program", [reshaped, written, beside_each_other])
def test_views_of_views_have_no_largest_number(program: Any) -> None:
    """What a chain of views shows was looked for anew at each of them, and by a recursion."""
    given, file = np.arange(16.0).reshape(4, 4), io.BytesIO()
    exported = export(program, (given.copy(),), unroll=True)
    save(exported, file)
    file.seek(0)
    for run in exported.module(), load(file).module():
        mine, own = given.copy(), given.copy()
        found, wanted = run(mine), program(own)
        pairs = zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]
        for value, eager in [*pairs, (mine, own)]:
            np.testing.assert_array_equal(value, eager, strict=True)
            assert np.shares_memory(value, mine) == np.shares_memory(eager, own)


BY_NAME = [
    lambda x: np.squeeze(a=x), lambda x: np.swapaxes(a=x, axis1=0, axis2=1), lambda x: np.moveaxis(a=x, source=0, destination=1),
    lambda x: np.expand_dims(a=x, axis=0), lambda x: np.real(val=x), lambda x: np.imag(val=x + 0j), lambda x: np.transpose(a=x),
    lambda x: np.rollaxis(a=x, axis=1), lambda x: ops.np.squeeze(a=x),
]  # fmt: skip


@pytest.mark.parametrize("view", BY_NAME)
def test_views_of_arrays_that_are_named_show_the_same_memory(view: Any) -> None:
    def program(x: Any) -> Any:
        y = view(x)
        y *= 2
        return y, x.sum()

    mine, theirs = np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3)
    found, wanted = export(program, (mine.copy(),)).module()(mine), program(theirs)
    np.testing.assert_equal([mine, *found], [theirs, *wanted])
    assert np.shares_memory(found[0], mine) == np.shares_memory(wanted[0], theirs)
