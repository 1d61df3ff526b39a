"""A named ``Dim`` is a promise: kept at every size of a grid, or a violation whose fixes export in one round and exclude nothing."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest

from npexport import ConstraintViolation, Dim, InputMismatch, export
from npexport import refine_dynamic_shapes_from_suggested_fixes as refine
from npexport.symshapes.dims import DerivedDim, DimHint
from npexport.symshapes.rewrite import evaluate
from tests.support.dynamic_programs import EXAMPLES, assert_same, axes, data, outcome, quietly, spec_of, with_sizes
from tests.support.programs import requirements, shapes
from tests.support.programs.shapes import letters, shapes_at
from tests.support.shards import shard

FAMILIES = {**shapes.FAMILIES, **requirements.FAMILIES}
ROWS = [(family, index) for family, rows in FAMILIES.items() for index, (_, text) in enumerate(rows) if letters(text)]
GRID = {
    1: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 25),
    2: (0, 1, 2, 3, 4, 5, 6, 8),
    3: (0, 1, 2, 3, 4),
    4: (0, 1, 2, 3),
    5: (0, 1, 2),
    6: (0, 1, 2),
}


def promised(spec, text, top=26):
    """Sizes of the dynamic axes that the named dims of a specification promise; ``None`` where one is a hint."""
    found = [spec[i][axis] for i, axis in axes(text)]
    if any(isinstance(dim, DimHint) for dim in found):
        return None
    roots = list({dim.root.name: dim.root for dim in found if not isinstance(dim, int)}.values())
    values = range(top if len(roots) < 2 else 9 if len(roots) == 2 else 4)
    combinations = [
        [n for n in values if n in root.interval and n % root.multiple_of == 0 and n in (root.one_of or (n,))] for root in roots
    ]
    sizes = []
    for numbers in itertools.product(*combinations):
        known = {root.name: number for root, number in zip(roots, numbers, strict=True)}
        sizes.append(tuple(evaluate(dim.expression, known) if isinstance(dim, (Dim, DerivedDim)) else dim for dim in found))
    return [size for size in sizes if all(n >= 0 for n in size)]


def computes(family, index, example):
    """Whether eager computes the example; where it raises there is nothing to export."""
    fn, text = FAMILIES[family][index]
    return not isinstance(outcome(fn, data(shapes_at(text, EXAMPLES[example]), 1)), Exception)


CASES = [(*row, example) for row in ROWS for example in EXAMPLES if computes(*row, example)]


@functools.cache
def reference(family, index, example):
    """Which sizes of the grid the ``Dim.AUTO`` program accepts."""
    fn, text = FAMILIES[family][index]
    shapes = shapes_at(text, EXAMPLES[example])
    args = data(shapes, 1)
    run = quietly(export, fn, tuple(args), dynamic_shapes=spec_of(text, lambda number: Dim.AUTO)).module()
    grid = itertools.product(GRID[len(axes(text))], repeat=len(axes(text)))
    return [sizes for sizes in grid if admits(run, fn, with_sizes(shapes, text, sizes))]


def admits(run, fn, shapes):
    """Whether the program takes these shapes; where it does, it does what eager does."""
    args = data(shapes, 2)
    try:
        actual = outcome(run, args)
    except InputMismatch:
        return False
    assert_same(actual, outcome(fn, args))
    return True


def check(family, index, example, spec):
    """One round: the program of this specification, or of its fixes. The violation, if there was one."""
    fn, text = FAMILIES[family][index]
    shapes = shapes_at(text, EXAMPLES[example])
    args = tuple(data(shapes, 1))
    fixed = None
    try:
        program = quietly(export, fn, args, dynamic_shapes=spec)
    except ConstraintViolation as error:
        fixed = error
        spec, again = refine(error.msg, spec), refine(str(error), spec)
        assert spec == again == error.apply(spec)
        program = quietly(export, fn, args, dynamic_shapes=spec)
    run = program.module()
    for sizes in promised(spec, text) or ():
        assert admits(run, fn, with_sizes(shapes, text, sizes)), f"{sizes} is promised by {spec} but refused"
    return fixed, run, shapes


@pytest.mark.parametrize(("family", "index", "example"), shard(CASES, 6))
def test_a_dim_for_every_axis(family, index, example):
    """Nothing is said of what is tied to what: fixes say it, and take every size that the ``Dim.AUTO`` program takes (but perhaps 0)."""
    fn, text = FAMILIES[family][index]
    accepted = reference(family, index, example)
    spec = spec_of(text, lambda number: Dim(f"d{number}"))
    fixed, run, shapes = check(family, index, example, spec)
    missed = [sizes for sizes in accepted if not admits(run, fn, with_sizes(shapes, text, sizes))]
    if fixed is not None and fixed.wider_fixes:
        assert all(0 in sizes for sizes in missed), "the fixes leave out more than sizes of 0"
        wider = "Suggested fixes:\n" + "\n".join(f"  {name} = {value}" for name, value in fixed.wider_fixes.items())
        run = quietly(export, fn, tuple(data(shapes, 1)), dynamic_shapes=refine(wider, spec)).module()
        missed = [sizes for sizes in missed if not admits(run, fn, with_sizes(shapes, text, sizes))]
    assert not missed, f"{len(missed)} of {len(accepted)} sizes are excluded: {missed[:5]}"


def named(text):
    """The sizes as the program's author would name them: a ``Dim`` for each letter, derived ones where a ``Dim`` can say it."""
    dims = {letter: Dim(letter) for letter in letters(text)}
    found = []
    for part in text.split(";"):
        items = {axis: item for axis, item in enumerate(part.split(",")) if not item.isdigit()}
        found.append({axis: Dim.AUTO if sum(map(str.isalpha, item)) > 1 else eval(item, {}, dims) for axis, item in items.items()})
    return tuple(found)


@pytest.mark.parametrize(("family", "index", "example"), shard(CASES, 6))
def test_a_dim_for_every_letter(family, index, example):
    """The author's own names: kept at every promised size, or fixed in one round."""
    _, text = FAMILIES[family][index]
    check(family, index, example, named(text))


def test_many_first_specifications_are_wrong():
    """The tests above would say little if most programs needed no fix."""
    wrong = 0
    rows = shard(ROWS, 5)
    for family, index in rows:
        fn, text = FAMILIES[family][index]
        args = tuple(data(shapes_at(text, EXAMPLES["usual"]), 1))
        try:
            quietly(export, fn, args, dynamic_shapes=spec_of(text, lambda number: Dim(f"d{number}")))
        except ConstraintViolation:
            wrong += 1
    assert wrong >= 0.3 * len(rows)


def test_of_many_broken_promises_few_are_given_up():
    def f(*arrays):
        if any(len(one) * len(other) > 100 for one, other in itertools.pairwise(arrays)):
            return arrays[0]
        return arrays[0] + 1

    dims = tuple({0: Dim(f"d{place}")} for place in range(9))
    with pytest.raises(ConstraintViolation) as violation:
        export(f, tuple(np.ones(place + 2) for place in range(9)), dynamic_shapes=(dims,))
    assert violation.value.suggested_fixes == dict.fromkeys(("d1", "d3", "d5", "d7"), "Dim.AUTO")


def test_what_the_data_keep_is_no_promise():
    def f(x):
        a, found = list(range(len(x))), x.tolist()
        for i in range(len(x)):
            found[i] = a[i] % 50
            a[2] = i + i
        return found

    with pytest.raises(ConstraintViolation) as violation:
        export(f, (np.arange(16),), dynamic_shapes=({0: Dim("n", min=2)},))
    assert violation.value.suggested_fixes == {"n": "Dim('n', min=3)"}
