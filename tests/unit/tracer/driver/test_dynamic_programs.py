"""Dynamic sizes against eager over grids of sizes: never wrong, never a crash, refused only where the printed contract says so."""

from __future__ import annotations

import itertools
import warnings

import pytest

from npexport import Dim, InputMismatch, export
from tests.support.dynamic_programs import assert_same, data, outcome
from tests.support.programs import requirements, shapes
from tests.support.programs.shapes import letters, shapes_at
from tests.support.shards import shard

FAMILIES = {**shapes.FAMILIES, **requirements.FAMILIES}
ROWS = [(family, index) for family, rows in FAMILIES.items() for index in range(len(rows))]
GRID = {0: (0,), 1: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 16), 2: (0, 1, 2, 3, 5), 3: (0, 1, 2, 3)}
EXAMPLES = ({"a": 4, "b": 3, "c": 5}, {"a": 1, "b": 1, "c": 1}, {"a": 6, "b": 2, "c": 0})


@pytest.mark.parametrize(("family", "index", "example"), shard([(*row, example) for row in ROWS for example in EXAMPLES], 3))
def test_auto(family, index, example):
    """Under ``Dim.AUTO`` whatever exports is right at every size that it accepts."""
    fn, text = FAMILIES[family][index]
    shapes = shapes_at(text, example)
    args = data(shapes, 1)
    expected = outcome(fn, args)
    spec = tuple({axis: Dim.AUTO for axis, item in enumerate(part.split(",")) if not item.isdigit()} for part in text.split(";"))
    if isinstance(expected, Exception):
        with pytest.raises(type(expected)):
            export(fn, tuple(args), dynamic_shapes=spec)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = export(fn, tuple(args), dynamic_shapes=spec).module()
    assert_same(outcome(run, args), expected)
    names = letters(text)
    for sizes in itertools.product(GRID[len(names)], repeat=len(names)):
        args = data(shapes_at(text, dict(zip(names, sizes, strict=True))), 2)
        expected = outcome(fn, args)
        try:
            actual = outcome(run, args)
        except InputMismatch:
            continue
        assert_same(actual, expected)
