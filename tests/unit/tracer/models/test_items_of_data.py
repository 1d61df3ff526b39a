"""``any``, ``all``, ``min`` and ``max`` of what only the data know: as eager execution for data that
every item decides, effects and errors of items that nobody asks for included.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support.comparison import said_and_warned
from tests.support.forms import reloaded

GIVEN = [
    [3.0, -1.0, 4.0], [-5.0, 2.0, 8.0], [1.0, 1.0, 1.0], [-1.0, -1.0, -2.0], [0.0, -0.0, 0.0], [np.nan, -1.0, 2.0], [2.0, np.nan, -1.0],
    [-3.0, 3.0, np.nan], [0.5, 0.25, 9.0],
]  # fmt: skip

QUANTIFIED: dict[str, Callable[[Any], Any]] = {
    "any": lambda x: any(t > 3 for t in x),
    "all": lambda x: all(t > 0 for t in x),
    "neighbours": lambda x: all(x[i] <= x[i + 1] for i in range(2)),
    "pairs": lambda x: all(a < b for a, b in zip(x, x[1:], strict=False)),
    "near": lambda x: all(abs(a - b) < 2.5 for a in x for b in x),
    "branch": lambda x: x * 2 if any(np.isnan(t) for t in x) else x * 3,
    "list": lambda x: any([t > 3 for t in x]),
    "mixed list": lambda x: (all([True, x[0] > 0, 1, x[1] > 0]), any([0, x[0] > 0, x[1] > 0, False]), any([x[0] > 0, True])),
    "decided": lambda x: (any(t > 3 or i == 1 for i, t in enumerate(x)), all(i != 2 and t > 0 for i, t in enumerate(x))),
    "numbers": lambda x: any(int(t * 2) % 3 == 1 for t in np.nan_to_num(x)),
    "of floats": lambda x: all(float(t) < 4.0 for t in x),
    "raises after it": lambda x: any(t > 1 or np.float64(1 // int(np.nan_to_num(t))) > 0 for t in x),
    "inner": lambda x: all(any(a > b for b in x) for a in x),
    "of tuples": lambda x: any((t > 3, 1)[0] for t in x),
}

EXTREMES: dict[str, Callable[[Any], Any]] = {
    "key": lambda x: min(x[0], x[1], x[2], key=abs),
    "index": lambda x: max(range(3), key=lambda i: x[i]),
    "bound method": lambda x: min(range(len(x)), key=x.__getitem__),
    "enumerate": lambda x: max(enumerate(x), key=lambda pair: pair[1]),
    "tuples": lambda x: min((x[i], i) for i in range(3)),
    "tuples that are equal": lambda x: max([(x[0] > 0, 1, x[1]), (x[1] > 0, 1, x[2]), (x[2] > 0, 1, x[0])]),
    "longer tuples": lambda x: max([(np.float64(1), x[0]), (np.float64(1),), (np.float64(1), x[1], 3)][:2])[0],
    "zip": lambda x: max(zip(x, [10, 20, 30], strict=True)),
    "list": lambda x: (min(list(x)), max(x)),
    "beside a number of Python": lambda x: (min(x[0], 2.5) + x[1], max(0.0, x[0]) * x[1]),
    "clamp": lambda x: max(0.0, min(1.0, x[0])),
    "clamp of floats": lambda x: max(0.0, min(1.0, float(x[0]))),
    "of one": lambda x: (min([float(x[0])]), max((float(t) for t in x[:1])), max([int(np.nan_to_num(x[1]))]), min([x[0]])),
    "integers": lambda x: max(0, int(np.nan_to_num(x[1]))),
    "rows": lambda x: max(np.stack([x, x * 2, x - 1]), key=lambda row: row.sum()) * 1,
    "default": lambda x: min(x, default=0),
    "generator": lambda x: max((float(t) * 2 for t in x), default=0.0),
    "generator of scalars": lambda x: min(t * 2 for t in x),
}


@pytest.mark.parametrize("name", [*QUANTIFIED, *(f"extreme {name}" for name in EXTREMES)])
def test_captured_programs_give_what_they_give_eagerly(name: str) -> None:
    program = QUANTIFIED[name] if name in QUANTIFIED else EXTREMES[name.removeprefix("extreme ")]
    exported = export(program, (np.array(GIVEN[0]),))
    modules = [exported.module(), reloaded(exported).module(), exported.run_decompositions().module()]
    for given in GIVEN:
        wanted = repr(said_and_warned(program, np.array(given)))
        assert [repr(said_and_warned(module, np.array(given))) for module in modules] == [wanted] * 3, given


def test_an_item_that_nobody_asks_for_neither_raises_nor_warns() -> None:
    def program(x: Any) -> Any:
        return any(1.0 / t > 0.4 for t in x), all(np.log(t) < 5.0 for t in x), any(t > 0 or x[int(t)] > 5 for t in x)

    module = export(program, (np.array([1.0, 2.0]),)).module()
    for given in ([1.0, 0.0], [4.0, 0.0], [0.0, 1.0], [1e9, -1.0], [-1.0, 2.0], [-2.0, -1.0], [-2.0, -9.0], [1.0, -9.0]):
        assert repr(said_and_warned(module, np.array(given))) == repr(said_and_warned(program, np.array(given))), given


def test_a_generator_that_the_program_goes_on_with_is_refused() -> None:
    def program(x: Any) -> Any:
        items = (t > 0 for t in x)
        return any(items), next(items, None)

    with pytest.raises(ExportError) as refusal:
        export(program, (np.ones(3),))
    assert refusal.value.code == "E103"


def test_what_a_generator_does_on_the_way_is_done() -> None:
    def sums(x: Any) -> Any:
        seen = []

        def beyond() -> Any:
            total = 0.0
            for t in x:
                total = total + t
                seen.append(t)
                yield total > 5

        return any(beyond()), len(seen)

    def from_inner_loops(x: Any) -> Any:
        def items() -> Any:
            i = 0
            while i < 3:
                for j in range(2):
                    if x[i] > j:
                        yield x[i] + j
                i += 1

        return any(items()), all(v > 2 for v in items()), next(items(), None)

    for program in (sums, from_inner_loops):
        module = export(program, (np.array([1.0, 2.0, 3.0]),)).module()
        for given in ([1.0, 2.0, 1.0], [6.0, 1.0, 1.0], [1.0, 5.0, 0.0], [-1.0, -1.0, -1.0], [-1.0, -1.0, 3.0]):
            assert module(np.array(given)) == program(np.array(given))


def test_effects_of_items_are_refused() -> None:
    def appends(x: Any) -> Any:
        seen: list[Any] = []
        return any(seen.append(t) or t > 0 for t in x), len(seen)

    def writes(x: Any) -> Any:
        y = np.zeros(3)

        def positive(i: int) -> Any:
            y[i] = 1.0
            return x[i] > 0

        return all(positive(i) for i in range(3)), y

    def advances(x: Any) -> Any:
        numbers = iter([1.0, 2.0, 3.0])
        return any(t > next(numbers) for t in x), next(numbers, 0.0)

    def remembers(x: Any) -> Any:
        total = 0.0
        return any((total := total + t) > 5 for t in x)

    def draws(x: Any) -> Any:
        rng = np.random.default_rng(0)
        return any(t > rng.random() for t in x), rng.random()

    for program in (appends, writes, advances, remembers, draws):
        with pytest.raises(ExportError) as refusal:
            export(program, (np.ones(3),))
        assert refusal.value.code in ("E103", "E128"), program


def test_what_is_least_is_written_to_where_it_stands() -> None:
    def program(x: Any) -> Any:
        rows = [x * 1, x * 2]
        least = min(rows, key=lambda row: row.sum())
        least[0] = 9.0
        return rows[0] + rows[1]

    module = export(program, (np.ones(3),)).module()
    for x in (np.ones(3), -np.ones(3), np.zeros(3), np.arange(3.0) - 2):
        np.testing.assert_array_equal(module(x), program(x))


def places(x):
    return max(np.nonzero(x > 0)[0]), min(x[x > 0]), max(x[x > 1], key=lambda value: -value)


def test_extremes_of_arrays_whose_length_only_data_know() -> None:
    run = export(places, (np.array([1.0, 3.0, 2.0]),)).module()
    for x in ([1.0, 3.0, 2.0], [-1.0, 2.0, 5.0], [0.0, 9.0, -1.0]):
        assert run(np.array(x)) == places(np.array(x))
    for x in ([-1.0, -1.0, 0.0], [1.0, 0.5, 0.0]):
        with pytest.raises(ValueError, match="empty") as expected:
            places(np.array(x))
        with pytest.raises(ValueError, match=re.escape(str(expected.value))):
            run(np.array(x))
