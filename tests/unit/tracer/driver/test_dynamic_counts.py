"""Sizes that depend on data: what counts the same thing is one symbol, within bounds that are known."""

from __future__ import annotations

import io
import warnings

import numpy as np
import pytest

from npexport import Dim, InputMismatch, export, load, save
from tests.support.forms import reloaded

ONE = {
    "mask twice": lambda x: x[x > 0] + (x * 2)[x > 0],
    "flatnonzero": lambda x: x[np.flatnonzero(x > 0)] + x[x > 0],
    "nonzero": lambda x: np.nonzero(x > 0)[0] + x[x > 0],
    "where": lambda x: np.where(x > 0)[0] + x[x > 0],
    "argwhere": lambda x: np.argwhere(x > 0)[:, 0] + x[x > 0],
    "compress": lambda x: np.compress(x > 0, x) + x[x > 0],
    "extract": lambda x: np.extract(x > 0, x) + x[x > 0],
    "sum": lambda x: np.zeros(int((x > 0).sum())) + x[x > 0],
    "sum of integers": lambda x: np.zeros((x > 0).astype(np.int8).sum()) + x[x > 0],
    "count_nonzero": lambda x: np.arange(np.count_nonzero(x > 0)) * x[x > 0],
    "numbers": lambda x: x[np.nonzero(x)] + x[x != 0] + x[x.astype(bool)],
    "last of cumsum": lambda x: np.zeros(np.cumsum(x > 0)[-1] if len(x) else 0) + x[x > 0] if x.size else x,
    "others": lambda x: np.concatenate([x[x > 0], x[~(x > 0)]]) + x,
    "others first": lambda x: np.concatenate([x[np.logical_not(x > 0)], x[x > 0]]) + x,
    "others alone": lambda x: (x[x > 0], x[~(x > 0)])[1],
    "difference": lambda x: np.zeros(np.count_nonzero(x > 0)) + np.arange(len(x) - np.count_nonzero(~(x > 0))),
    "repeat": lambda x: np.repeat(np.arange(len(x)), (x > 0) + 1) + np.arange(int(((x > 0) + 1).sum())),
    "ragged": lambda x: np.arange((x > 0).sum()) - np.repeat(np.cumsum(x > 0), x > 0),
    "ragged numbers": lambda x: np.arange(np.abs(x).astype(int).sum()) - np.repeat(np.cumsum(x), np.abs(x).astype(int)),
    "step": lambda x: x[:: int((x > 0).sum()) + 1],
    "unique": lambda x: np.unique(x, return_counts=True)[1] * np.unique(x),
    "two axes": lambda x: np.outer(x, x)[np.outer(x, x) > 0] + np.argwhere(np.outer(x, x) > 0)[:, 1],
}
BOUNDED = {  # at size 5
    "sum": (lambda x: np.zeros(int((x > 0).sum())), "VR[0, 5]"),
    "method": (lambda x: np.zeros((x > 0).sum().item() + 1), "VR[0, 5]"),
    "count": (lambda x: x[: np.count_nonzero(x > 0)], "VR[0, 5]"),
    "argmax": (lambda x: x[: int(np.argmax(x))], "VR[0, 4]"),
    "argsort": (lambda x: x[: int(np.argsort(x)[0]) + 1], "VR[0, 4]"),
    "searchsorted": (lambda x: x[: int(np.searchsorted(np.sort(x), 0.0))], "VR[0, 5]"),
    "digitize": (lambda x: np.zeros(int(np.digitize(x, [0.0, 1.0]).max())), "VR[0, 2]"),
    "truth": (lambda x: np.ones(int((x > 0).any())), "VR[0, 1]"),
    "remainder": (lambda x: np.zeros(int(x.astype(int).sum() % 7)), "VR[0, 6]"),
    "minimum": (lambda x: np.zeros(int(np.minimum((x > 0).sum(), 3))), "VR[0, 5]"),
    "clip": (lambda x: x[: int(np.clip(x.astype(int).sum(), 1, 4))], "VR[1, 4]"),
    "clip to a size": (lambda x: x[: int(np.clip(x.astype(int).sum(), 0, len(x)))], "VR[0, 5]"),
    "arange": (lambda x: np.zeros(int(np.arange(2, 9)[np.argmax(x)])), "VR[2, 8]"),
    "mask": (lambda x: x[x > 0], "VR[0, 5]"),
}
STATIC = {
    "constant mask": lambda x: x[:3][np.array([True, False, True])] + np.ones(2),
    "bins": lambda x: np.bincount(np.digitize(x, [0.0, 1.0]), minlength=3) + np.ones(3),
}


def unbacked(program):
    return {str(size): str(interval) for size, interval in program.range_constraints.items() if str(size).startswith("u")}


@pytest.mark.parametrize("name", ONE)
def test_one_symbol(name):
    program = export(ONE[name], (np.array([1.0, -1.0, 2.0]),), dynamic_shapes=({0: Dim.AUTO},))
    assert unbacked(program).keys() == {"u0"}, program.range_constraints
    for each in (program, reloaded(program)):
        each.validate()
        for n in (3, 1, 2, 9):
            x = np.round(np.random.default_rng(n).standard_normal(n), 1)
            np.testing.assert_array_equal(each.module()(x), ONE[name](x))


@pytest.mark.parametrize("name", BOUNDED)
def test_bounds(name):
    fn, expected = BOUNDED[name]
    x = np.array([1.0, -1.0, 0.0, 2.5, -3.0])
    program = export(fn, (x,))
    assert unbacked(program) == {"u0": expected}
    np.testing.assert_array_equal(program.module()(x), fn(x))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dynamic = export(fn, (x,), dynamic_shapes=({0: Dim.AUTO},))
        file = io.BytesIO()
        save(dynamic, file)
    for run in (dynamic.module(), load(io.BytesIO(file.getvalue())).module()):
        for n in (1, 2, 6):
            x = np.random.default_rng(n).standard_normal(n)
            np.testing.assert_array_equal(run(x), fn(x))


@pytest.mark.parametrize("name", STATIC)
def test_sizes_that_are_known_after_all(name):
    program = export(STATIC[name], (np.ones(5),), dynamic_shapes=({0: Dim.AUTO},))
    assert not unbacked(program)
    np.testing.assert_array_equal(program.module()(np.arange(7.0)), STATIC[name](np.arange(7.0)))


def sizes_that_turn_out_to_be_constants(x):
    n = len(x)
    x = np.repeat(x, 2)
    if int(np.ceil(len(x) / 4)) + n + 1 == 7:
        return x[2 * n + int(len(x) * 0.2) :] + (n - 3) * 0.4
    return x


def a_smaller_one_that_is_known_later(x):
    x = np.pad(x, (0, max(3 - len(x) // 3, 0)))
    x = x[len(x) // 5 : 18]
    return np.repeat(x[: min(0, len(x) - 12)], 1)


@pytest.mark.parametrize("fn", [sizes_that_turn_out_to_be_constants, a_smaller_one_that_is_known_later])
def test_what_is_learned_later_fits_what_was_declared(fn):
    program = export(fn, (np.arange(4.0),), dynamic_shapes=({0: Dim.AUTO},))
    program.validate()
    reloaded(program).validate()
    for n in (4,):
        np.testing.assert_array_equal(program.module()(np.arange(float(n))), fn(np.arange(float(n))))


FITTING = {
    "product": lambda x: np.bincount(x, minlength=3) * np.arange(3.0),
    "rows": lambda x: np.ones((2, 3)) / np.maximum(np.bincount(x, minlength=3), 1),
    "where": lambda x: np.where(np.bincount(x, minlength=3) > 0, np.arange(3), -1),
    "einsum": lambda x: np.einsum("i,i->", np.bincount(x, minlength=3), np.arange(3)),
    "matmul": lambda x: np.bincount(x, minlength=3) @ np.arange(6.0).reshape(3, 2),
    "stack": lambda x: np.stack([np.bincount(x, minlength=3), np.arange(3)]),
    "reshape": lambda x: np.bincount(x, minlength=3).reshape(3, 1) * np.ones(2),
    "average": lambda x: np.average(np.arange(3.0), weights=np.bincount(x, minlength=3) + 1),
}


@pytest.mark.parametrize("name", FITTING)
def test_what_is_never_1_must_fit(name):
    """What a size that only the data know has to be lest NumPy refuses is checked when the program runs."""
    f = FITTING[name]
    run = export(f, (np.arange(3),), dynamic_shapes=({0: Dim("n")},)).module()
    for x in (np.array([0, 2, 2, 1]), np.array([1]), np.zeros(0, int)):
        np.testing.assert_array_equal(run(x), f(x))
    with pytest.raises(InputMismatch, match="the arrays are broadcast|the sizes must be equal"):
        run(np.array([0, 3]))


MIXED = {  # one call asks for several sizes, of different kinds
    "slice, mask": lambda x, m, k: x[k.sum() :, m],
    "ellipsis, mask": lambda x, m, k: x[None, k.sum() :, ..., m],
    "mask before a slice": lambda x, m, k: x.T[m, k.sum() :],
    "slices": lambda x, m, k: x[k.sum() :, k[0] :],
    "slices of two ends": lambda x, m, k: x[..., k[1] :][: k.sum()],
}


@pytest.mark.parametrize("name", MIXED)
def test_every_size_of_an_index_counts_what_its_own_item_takes(name):
    def fn(x, m, k):
        part = MIXED[name](x, m, k)
        return part, np.zeros(part.shape), np.flatnonzero(m) + np.zeros(m.sum())

    x, m = np.arange(42.0).reshape(7, 6), np.array([1, 0, 1, 1, 0, 0], bool)
    run = export(fn, (x, m, np.array([1, 1]))).module()
    for numbers in [[1, 1], [0, 0], [3, 2], [0, 5], [5, -9]]:
        for mask in [m, ~m, m & False, m | True]:
            k = np.array(numbers)
            for found, wanted in zip(run(x, mask, k), fn(x, mask, k), strict=True):
                np.testing.assert_array_equal(found, wanted)


def sum_between(x, labels):
    """What lies between two places among the elements of a mask, on a side of a branch."""
    chosen = labels[labels > 0]
    low, high = np.searchsorted(chosen, 2, "left"), np.searchsorted(chosen, 2, "right")
    return x[labels > 0][low:high].sum() if low != high else -1.0


@pytest.mark.parametrize("spec", [None, ({0: Dim("n")}, {0: Dim("n")})], ids=["static", "dynamic"])
def test_places_of_counts_are_known_on_sides(spec):
    labels = np.array([0, 1, 2, 2, 3, 0, 0])
    program = export(sum_between, (np.arange(7.0), labels), dynamic_shapes=spec)
    program.validate()
    for run in (program.module(), reloaded(program).module()):
        for given in (labels, labels * 0, labels + 1):
            assert run(np.arange(7.0), given) == sum_between(np.arange(7.0), given)
