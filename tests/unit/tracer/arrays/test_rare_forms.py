"""Rare forms: of iterators over arrays, of masks and outputs, of the numbers and dicts that programs make of arrays."""

from __future__ import annotations

import collections
import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.outcomes import outcome

X = np.arange(12.0).reshape(3, 4) - 5
K = np.array([2, 0, 3, 1, 5, 2])


def tried(*functions: Callable[[], Any]) -> list[Any]:
    """What they give or raise."""
    found: list[Any] = []
    for function in functions:
        try:
            found.append(function())
        except ExportError:
            raise
        except Exception as error:  # noqa: BLE001
            found.append((type(error).__name__, str(error)))
    return found


def flat_iterators(x: Any) -> Any:
    y = x.flat.copy()
    y[0] = 7
    return (
        np.asarray(x.flat),
        np.array(x.flat, dtype=np.float32),
        x.flat.__array__(),
        y,
        x.flat[...],
        x.flat[-1],
        tried(lambda: x.flat.__delitem__(0)),
    )


def flat_iterators_of_known_arrays(x: Any) -> Any:
    y, z = np.zeros(3), np.zeros((2, 3))
    y.flat[0], y.flat[[1, 2]], y.flat[:2] = 1, 5, [8, 9]
    z.T.flat = [1, 2, 3]
    return y + x.sum(), z + x.sum()


def iterators_that_are_written_to(x: Any) -> Any:
    y, z = x.copy(), np.zeros_like(x)
    with np.nditer([y, z], op_flags=[["readwrite"], ["readwrite"]]) as it:
        for a, b in it:
            it[0:2] = (a * 2, b + 1)
            it[1] = a + 1
    return y, z


def iterators_at_places(x: Any) -> Any:
    it = np.nditer(x, flags=["multi_index"])
    it.multi_index = (1, 2)
    found = [float(it[0])]
    it.iterindex = 5
    found += [float(it[0]), it.multi_index, it.iterindex]
    it = np.nditer(x, flags=["c_index"])
    it.index = 3
    found.append(float(it[0]))
    next(it)
    return found, it.index, it.iterindex, tried(lambda: it.__delitem__(0), lambda: np.nditer(x).index)


def ends_of_iterators(x: Any) -> Any:
    it = np.nditer(x)
    for _ in it:
        pass
    return tried(lambda: it[0], lambda: next(it))


def known_arrays_that_masks_write_to(x: Any) -> Any:
    a, out, four = np.arange(3.0), np.zeros(3), np.zeros(4)
    np.add(a, 1, out=out, where=a > 0)
    np.copyto(four, np.arange(4.0), where=np.arange(4) > 1)
    fraction, whole = np.modf(four - 1.5, out=(None, np.zeros(4)))
    return out * x[0, 0], four, fraction, whole


def calls_that_do_not_fit(x: Any) -> Any:
    return tried(
        lambda: np.add(x, x, sig="dd->d", signature="dd->d"),
        lambda: np.add(x, x, signature="d->d"),
        lambda: np.add(x, x, out=(np.empty(4), np.empty(4))),
        lambda: np.add.reduce(x, keepdims="a"),
        lambda: np.maximum.reduce(x, where=x > 0),
        lambda: np.add.accumulate(x[0, 0]),
        lambda: np.add.reduceat(x[0, 0], [0]),
        lambda: np.negative.at(x[0], 0, 1.0),
        lambda: np.sum(x, where=[1, 0, 1, 0]),
        lambda: np.place([1, 2], [True, False], [3]),
        lambda: np.broadcast_shapes((2,), (3,)),
        lambda: np.array([[x[0, 0], 1], [x[0, 1]]]),
        lambda: round(x),
        lambda: round(x[0, 0] > 0),
        lambda: x.foo,
        lambda: x[0, 0].foo,
        lambda: np.zeros(3, device="gpu"),
        lambda: x.astype(int, casting="foo"),
        lambda: x[0].copy().fill([1, 2]),
        lambda: pow(x, 2, 3),
    )


def complex_numbers(x: Any) -> Any:
    number = complex(x[0, 0], x[0, 1])
    return copy.copy(number), copy.deepcopy([number]), number.conjugate(), np.add(x, number), tried(lambda: x[number], lambda: number.foo)


def counted(k: Any) -> dict[int, int]:
    found: dict[int, int] = {}
    for each in k:
        found[int(each)] = found.get(int(each), 0) + 1
    return found


def views_of_dicts(k: Any) -> Any:
    found = counted(k)
    keys = found.keys
    total = 0
    for key in keys():
        total += key
    sizes = len(keys()), bool(keys()), bool(found.values()), len(found.items())
    return sizes, total, 3 in keys(), list(keys()), list(found.values()), tried(lambda: keys().foo, lambda: found.foo)


def counters(k: Any) -> Any:
    found: Any = collections.defaultdict(int)
    for each in k:
        found[int(each)] += 1
    return found.default_factory is int, len(found), found[3], isinstance(found, dict), type(found) is collections.defaultdict


FIXED = (iterators_that_are_written_to, iterators_at_places, ends_of_iterators, calls_that_do_not_fit)
OF_INTEGERS = (views_of_dicts, counters)
FREE = (flat_iterators, flat_iterators_of_known_arrays, known_arrays_that_masks_write_to, complex_numbers, *OF_INTEGERS)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("program", [*FIXED, *FREE], ids=lambda program: program.__name__)
def test_rare_forms(program: Callable[..., Any], dynamic: bool) -> None:
    if dynamic and program in FIXED:
        return
    example = K if program in OF_INTEGERS else X
    run = export(program, (example,), dynamic_shapes=({0: Dim("n", min=2)},) if dynamic else None).module()
    for given in (example, example[::-1].copy(), *([np.resize(example, (5, *example.shape[1:]))] if dynamic else [])):
        assert outcome(run, (given,)) == outcome(program, (given,))
