"""``sorted`` and ``list.sort`` of what only the data know: as eager execution, ties, NaN and zeros of
both signs included, whatever the order of comparisons is.
"""

from __future__ import annotations

import bisect
import operator
from collections.abc import Callable
from io import BytesIO
from runpy import run_path
from typing import Any, NamedTuple

import numpy as np
import pytest

from npexport import ExportError, export, load, save
from tests.support.outcomes import outcome

NAN = np.nan
GIVEN = [
    [3.0, -1.0, 4.0, 0.5], [1.0, 1.0, 1.0, 1.0], [0.0, -0.0, 0.0, -0.0],
    [-0.0, 0.0, 1.0, -1.0], [NAN, 2.0, 1.0, 0.0], [2.0, NAN, 1.0, 3.0],
    [3.0, 2.0, NAN, 1.0], [NAN, NAN, 1.0, 0.0], [3.0, NAN, NAN, 1.0], [np.inf, -np.inf, NAN, 0.0],
    [2.0, 1.0, 2.0, 1.0], [1.0, 2.0, 3.0, NAN],
]  # fmt: skip


def _in_place(x: Any) -> Any:
    items = [x[0], x[1], x[2]]
    items.sort(reverse=True)
    return items


def _pairs_in_place(x: Any) -> Any:
    items = [(x[i], i * 10) for i in range(4)]
    items.sort(key=lambda item: item[0])
    return items


def _arrays(x: Any) -> Any:
    items = [(x[i], x * (i + 1)) for i in range(4)]
    return [array for _, array in sorted(items, key=lambda item: item[0])]


def _beam(x: Any) -> Any:
    beams = [(0.0, 0)]
    for step in range(3):
        grown = [(score - np.tanh(x[(step + token) % 4]), state * 4 + token) for score, state in beams for token in range(4)]
        beams = sorted(grown, key=lambda beam: beam[0])[:3]
    return beams


def _in_branch(x: Any) -> Any:
    if x[0] > 0:
        y = sorted(x)[1]
    else:
        y = sorted(x, reverse=True)[0]
    return y * 2


def _in_loop(x: Any) -> Any:
    total = 0.0
    while total < 10.0:
        total = total + abs(np.nan_to_num(sorted(x)[2])) + 1.0
        x = x + 1.0
    return total


def _median(x: Any) -> Any:
    order = sorted(range(4), key=x.__getitem__)
    return (x[order[1]] + x[order[2]]) / 2, order


class Named(NamedTuple):
    score: Any
    name: Any


def _named_tuples(x: Any) -> Any:
    first, *_, last = sorted([Named(v, place) for place, v in enumerate(x)], key=lambda item: item.score)
    return first.name, last.score, type(first) is Named


def _names(x: Any) -> Any:
    scores = dict(zip(["a", "b", "c", "d"], x.tolist(), strict=True))
    best = sorted(scores, key=scores.get, reverse=True)
    return best, best[0] == "a"


def _functions(x: Any) -> Any:
    return [function(x[0]) for function, _ in sorted([(np.floor, x[1]), (np.ceil, x[2]), (np.abs, x[3])], key=operator.itemgetter(1))]


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "scalars": lambda x: sorted([x[0], x[1], x[2]]),
    "an array": lambda x: sorted(x, reverse=True),
    "in place": _in_place,
    "pairs in place": _pairs_in_place,
    "key": lambda x: sorted([(0, x[0]), (1, x[1]), (2, x[2]), (3, x[3])], key=lambda item: item[1], reverse=True),
    "a key of C": lambda x: sorted(enumerate(x), key=operator.itemgetter(1)),
    "a key of NumPy": lambda x: sorted([x[0], x[1], x[2]], key=np.abs),
    "abs": lambda x: sorted(x, key=abs, reverse=True),
    "positions": _median,
    "positions by a function": lambda x: sorted(range(3, -1, -1), key=lambda i: -x[i]),
    "zip": lambda x: sorted(zip(x, [10, 20, 10, 20], strict=True)),
    "pairs of data": lambda x: sorted(zip(x, x[::-1], strict=True), reverse=True),
    "a generator": lambda x: sorted(float(t) for t in x),
    "floats": lambda x: sorted([float(x[0]), float(x[1]), 0.5]),
    "integers": lambda x: sorted([int(t * 4) for t in np.nan_to_num(x, posinf=9, neginf=-9)]),
    "large integers": lambda x: sorted([int(np.nan_to_num(t)) ** 3 for t in x], reverse=True)[0] % 1000,
    "truths": lambda x: sorted([x[0] > 1, x[1] > 1, x[2] > 1]),
    "Python's truths": lambda x: sorted([bool(x[0] > 1), bool(x[1] > 1), True]),
    "keys of two": lambda x: sorted(range(4), key=lambda i: (x[i] > 0, -x[i])),
    "arrays": _arrays,
    "float32": lambda x: sorted(x.astype(np.float32)),
    "integers of NumPy": lambda x: sorted(np.nan_to_num(x, posinf=9, neginf=-9).astype(np.int16), key=lambda t: -t),
    "beam": _beam,
    "in a branch": _in_branch,
    "in a loop": _in_loop,
    "twice": lambda x: sorted(sorted(x), key=lambda t: -t)[:2],
    "distances": lambda x: sorted((np.linalg.norm(x[:2] - i), float((x * i).sum()), i) for i in range(4)),
    "texts that decide ties": lambda x: sorted([(x[0], "b"), (x[1], "a"), (x[2], "c")]),
    "named tuples": _named_tuples,
    "names by their values": _names,
    "functions": _functions,
    "texts": lambda x: sorted(["low", "mid", "high"], key=lambda name: {"low": x[0], "mid": x[1], "high": x[2]}[name]),
    "text that is one": lambda x: sorted([("a", x[0]), ("a", x[1])]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_captured_orders_are_those_of_eager_execution(name: str, tmp_path: Any) -> None:
    program = PROGRAMS[name]
    exported = export(program, (np.array(GIVEN[0]),))
    file = BytesIO()
    save(exported, file)
    file.seek(0)
    exported.to_python(tmp_path / "written.py")
    written = run_path(str(tmp_path / "written.py"))["forward"]
    modules = [exported.module(), load(file).module(), exported.run_decompositions().module(), written]
    drawn = np.random.default_rng(list(name.encode())).integers(-2, 3, (20, 4)) / 2
    drawn[5:10][drawn[5:10] == 1] = NAN
    for given in [*GIVEN, *drawn.tolist()]:
        wanted = repr(program(np.array(given)))
        assert [repr(module(np.array(given))) for module in modules] == [wanted] * 4, given


def _filled(x: Any) -> Any:
    found: list[Any] = []
    for _ in range(300):
        found.append(x[0])
    return sorted([(found[0], 1), (found[1], 0)])


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "different types": (lambda x: sorted([x[0], x[1], 1]), "different types"),
    "different shapes": (lambda x: sorted([(x[0], x), (x[1], x[1:])], key=lambda item: item[0]), r"an item\[1\]"),
    "lists of several lengths": (lambda x: sorted([[x[0], 1], [x[1]]], key=lambda item: item[0]), "an item"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_data_cannot_choose_is_refused(name: str) -> None:
    program, text = REFUSED[name]
    with pytest.raises(ExportError, match=text) as refusal:
        export(program, (np.ones(3),))
    assert refusal.value.code == "E103"


NAN_TWICE: dict[str, Callable[[Any], Any]] = {
    "items of a list that a loop fills": _filled,
    "one object": lambda x: sorted([(max(x[0], x[1]), 2), (x[0], 1)]),
    "orders of orders": lambda x: sorted([(t, i) for i, t in enumerate([*sorted(x), x[0]])]),
    "in tuples in tuples": lambda x: sorted([((0, x[0]), 2), ((0, max(x[0], x[1])), 1)]),
}


@pytest.mark.parametrize("name", NAN_TWICE)
def test_floats_in_tuples_that_may_be_one_object_are_ordered_unless_two_are_nan(name: str) -> None:
    program = NAN_TWICE[name]
    run = export(program, (np.array(GIVEN[0]),)).module()
    for given in GIVEN:
        wanted, found = outcome(program, (np.array(given),)), outcome(run, (np.array(given),))
        assert found == wanted or (np.isnan(given).any() and "NaN in the same place" in str(found))


def test_nan_at_the_end_of_tuples_may_be_one_object() -> None:
    def program(x: Any) -> Any:
        return sorted([(1, x[0]), (1, max(x[0], x[1])), (0, x[0])])

    run = export(program, (np.array(GIVEN[0]),)).module()
    for given in GIVEN:
        assert outcome(run, (np.array(given),)) == outcome(program, (np.array(given),))


def test_a_handler_does_not_get_what_two_nan_raise() -> None:
    def program(x: Any) -> Any:
        try:
            return sorted([(max(x[0], x[1]), 2), (x[0], 1)])
        except ValueError:
            return None

    with pytest.raises(ExportError, match="may be one object") as refusal:
        export(program, (np.ones(3),))
    assert refusal.value.code == "E126"


def test_ordered_arrays_may_not_be_written_to() -> None:
    def before(x: Any) -> Any:
        items = [(x[0], x * 1), (x[1], x * 2)]
        found = sorted(items, key=lambda item: item[0])
        items[0][1][0] = 9.0
        return found[0][1]

    def after(x: Any) -> Any:
        items = [(x[0], x * 1), (x[1], x * 2)]
        sorted(items, key=lambda item: item[0])[0][1][0] = 9.0
        return items[0][1]

    for program in (before, after):
        with pytest.raises(ExportError, match="writes to an array that a list holds"):
            export(program, (np.ones(3),))


def test_tuples_beside_numbers_are_refused_or_raise_as_in_python():
    x = np.array([2.0, 1.0])
    with pytest.raises(TypeError, match="'<' not supported between instances of 'tuple' and 'int'"):
        export(lambda x: bisect.bisect([1, 2, 3], tuple(x)), (x,))
    with pytest.raises(ExportError) as caught:
        export(lambda x: sorted([1, (x[0], 2)]), (x,))
    assert caught.value.code == "E103"


def _in_both_ways(x: Any) -> Any:
    items, truths = x.tolist(), (x > 2).tolist()
    items.sort()
    truths.sort(reverse=True)
    place = 0
    while items[place] < 3 and place < 6:
        place += 1
    return place, items, truths, sorted(items, reverse=True)[place], sorted(x.tolist()[:5])[-1]


def _filled_first(x: Any) -> Any:
    items = []
    for v in x.tolist():
        if v != 2:
            items.append(v)
    items.sort()
    return items, sorted(items, reverse=True)


@pytest.mark.parametrize("program", [_in_both_ways, _filled_first])
def test_integers_and_truths_in_order(program: Any) -> None:
    """Lists with and without room for more items."""
    run = export(program, (np.arange(12)[::-1] % 5,)).module()
    for seed in range(6):
        x = np.random.default_rng(seed).integers(-(2**62), 2**62, 12) if seed == 0 else np.random.default_rng(seed).integers(0, 6, 12)
        assert outcome(run, (x,)) == outcome(program, (x,))
