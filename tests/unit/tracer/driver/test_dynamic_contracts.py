"""What a dynamic program says of itself: ranges that are true, guards with their lines, and sizes that only the data know."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from npexport import Dim, InputMismatch, Unsupported, check, export
from tests.support.dynamic_programs import EXAMPLES, axes, data, outcome, quietly, spec_of, with_sizes
from tests.support.programs.requirements import FAMILIES
from tests.support.programs.shapes import shapes_at

ROWS = [(family, index) for family in ("multiples", "ranges") for index in range(len(FAMILIES[family]))]


@pytest.mark.parametrize(("family", "index"), ROWS, ids=[f"{f}-{i}" for f, i in ROWS])
def test_ranges_are_true(family, index):
    """No size outside of its range is accepted, and the ends of the ranges are."""
    fn, text = FAMILIES[family][index]
    shapes = shapes_at(text, EXAMPLES["usual"])
    args = data(shapes, 1)
    program = quietly(export, fn, tuple(args), dynamic_shapes=spec_of(text, lambda number: Dim.AUTO))
    run, sizes = program.module(), [node.meta["val"].shape for node in program.graph.nodes if node.op == "placeholder"]
    places = [sizes[i][axis] for i, axis in axes(text)]
    seen = {str(size): set() for size in places}
    grid = range(26) if len(places) == 1 else range(10)
    for numbers in itertools.product(grid, repeat=len(places)):
        try:
            outcome(run, data(with_sizes(shapes, text, numbers), 2))
        except InputMismatch:
            continue
        for size, number in zip(places, numbers, strict=True):
            seen[str(size)].add(number)
    ranges = {str(size): interval for size, interval in program.range_constraints.items()}
    for size, numbers in seen.items():
        if size.isdigit():
            assert numbers == {int(size)}
            continue
        interval = ranges[size]
        assert min(numbers) == interval.lower
        assert max(numbers) <= interval.upper
        assert interval.upper >= grid.stop or max(numbers) == interval.upper


def test_guards_are_a_contract():
    def f(x, y):
        if x.shape[0] % 4 == 0 and x.shape[0] < y.shape[1]:
            return x.reshape(-1, 4).sum() + y
        return y

    program = export(f, (np.ones(8), np.ones((2, 9))), dynamic_shapes=({0: Dim.AUTO}, {1: Dim.AUTO}))
    assert [guard.text for guard in program.guards] == ["x.shape[0] % 4 == 0", "y.shape[1] > x.shape[0]"]
    for guard in program.guards:
        assert guard.location.file == __file__ and guard.location.function == "f"
        assert guard.location.source.strip().startswith("if x.shape[0]")
    text = str(program)
    assert "x.shape[0] % 4 == 0  # x.shape[0] = 8;" in text and "y.shape[1] > x.shape[0]" in text
    program.module()(np.ones(4), np.ones((2, 5)))
    with pytest.raises(InputMismatch, match=r"expected y.shape.1. > x.shape.0..*got x\.shape\[0\] = 8, y\.shape\[1\] = 8"):
        program.module()(np.ones(8), np.ones((2, 8)))


UNBACKED = [
    lambda x: x[x > 0],
    lambda x: x[x > 0].sum() + x,
    lambda x: x[x > 0] * np.arange(len(x[x > 0])),
    lambda x: np.nonzero(x > 0)[0],
    lambda x: np.unique(x),
    lambda x: np.zeros(int((x > 0).sum())),
    lambda x: np.ones(np.count_nonzero(x > 0)) * 2,
    lambda x: x + len(np.argwhere(x > 0)),
    lambda x: np.concatenate([x[x > 0], x]),
    lambda x: x[x > 0].reshape(-1, 1),
    lambda x: x[x > 0][:2],
    lambda x: np.flatnonzero(x > 1) + 1,
    lambda x: (len(x[x > 0]), x + 1)[1],
    lambda x: np.where(x > 0, x, 0.0)[x > 0],
]


@pytest.mark.parametrize("index", range(len(UNBACKED)))
def test_sizes_of_data(index):
    fn = UNBACKED[index]
    program = export(fn, (np.array([1.0, -1.0, 2.0]),), dynamic_shapes=({0: Dim("n")},))
    values = [node.meta["val"] for node in program.graph.nodes if node.op != "output"]
    for size in program.range_constraints:
        name = str(size)
        assert name == "s0" or any(name in str(value) for value in values), f"{name} is not in the program"
    rng = np.random.default_rng(index)
    for n in (0, 1, 2, 5, 17):
        x = np.round(rng.standard_normal(n), 1)
        np.testing.assert_array_equal(program.module()(x), fn(x))


@pytest.mark.parametrize(
    ("fn", "code"),
    [
        (lambda x: next(iter([1])) if len(x[x > 0]) > 2 else print(x), "E114"),
        (lambda x: [x for _ in range(int((x > 0).sum()))], "E103"),
        (lambda x: x if x.sum() > 0 else print(0), "E103"),
    ],
)
def test_branches_on_data_are_refused(fn, code):
    with pytest.raises(Unsupported) as caught:
        export(fn, (np.ones(4),), dynamic_shapes=({0: Dim.AUTO},))
    assert caught.value.code == code and caught.value.location.file == __file__


def test_a_stated_fact_about_data():
    def f(x):
        found = x[x > 0]
        check(found.shape[0] >= 1)
        return found[0] if found.shape[0] >= 1 else x

    run = export(f, (np.ones(4),), dynamic_shapes=({0: Dim.AUTO},)).module()
    assert run(np.array([-1.0, 7.0])) == 7.0
    with pytest.raises((InputMismatch, ValueError, AssertionError)):
        run(np.array([-1.0, -2.0]))


WEAK = {
    "first row": (lambda x: next(iter(x)) * 2, ["x.shape[0] >= 1"]),
    "a row of two": (lambda x: next(zip(x, x[1:])), ["x.shape[0] >= 2"]),  # noqa: B905
    "all rows": (lambda x: sum(x), ["x.shape[0] >= 1"]),
    "flags in line": (lambda x: (x[:, 0].copy().flags.num, x.sum(1).flags["F"]), []),
    "blocks": (lambda x: np.block([[x, x], [x, x * 2]]), []),
    "isqrt": (lambda x: x[: int(x.shape[0] ** 0.5) ** 2].reshape(int(x.shape[0] ** 0.5), int(x.shape[0] ** 0.5), 2), []),
    "patches": (lambda x: (x * 2).reshape(x.shape[0] // 5, 5, 1, 2), ["x.shape[0] % 5 == 0"]),
    "from the end": (lambda x: x[2:] + x[1:-1] + x[:-2], []),
}


@pytest.mark.parametrize("name", WEAK)
def test_guards_are_no_stronger_than_needed(name):
    f, expected = WEAK[name]
    program = export(f, (np.ones((5, 2)),), dynamic_shapes=({0: Dim.AUTO},))
    assert {guard.text for guard in program.guards} <= set(expected)
