"""Branches on sizes of which one side at most warns exclude no size; those of which one side raises or computes keep their guard."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from npexport import ConstraintViolation, Dim, InputMismatch, export
from tests.support.forms import reloaded
from tests.support.functions import function_of
from tests.support.outcomes import shown

SIZES = (0, 1, 2, 3, 4, 5, 8, 9)


def few(n):
    warnings.warn(f"{n} are few", stacklevel=2)


SOURCES = {
    "warns": "if n < 3: warnings.warn(f'only {n} rows', RuntimeWarning)",
    "warns where the example does": "if n > 3: warnings.warn('many')",
    "equal": "if n == 1: warnings.warn('one')",
    "truth of a size": "if not n: warnings.warn('none')",
    "and": "if n > 1 and n % 2: warnings.warn('odd')",
    "within": "if n < 4:\n    if n != 2: warnings.warn('not two')",
    "callee": "if n < 4: few(n)",
    "text bound in the side": "if n < 4:\n    text = 'few ' + str(n)\n    warnings.warn(text, FutureWarning)",
    "nothing": "if n > 5:\n    pass",
    "what is not read": "if n > 5: unused = n * 2",
    "one after the other": "if n < 4: warnings.warn('few')\nif n < 2: warnings.warn('very few')",
    "each iteration": "for k in (1, 3): \n    if n == k: warnings.warn(f'{k}')",
}


def program(source):
    lines = "\n".join("    " + line for line in source.splitlines())
    return function_of(f"def f(x):\n    n = x.shape[0]\n{lines}\n    return x * 2 + n\n", {"warnings": warnings, "few": few, "np": np})


def outcome(run, n):
    """What a call gives: its data, and what it warns of."""
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        value = run(np.arange(n) / 4)
    return value.tolist(), [(str(entry.message), entry.category) for entry in record]


@pytest.mark.parametrize("dim", [Dim.AUTO, Dim.DYNAMIC, Dim("n")], ids=repr)
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_no_size_is_excluded(source, dim):
    f = program(source)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing is said at export
        ep = export(f, (np.ones(8),), dynamic_shapes=({0: dim},))
    assert not ep.guards and [str(interval) for interval in ep.range_constraints.values()] == ["VR[0, int_oo]"]
    for run in (ep.module(), reloaded(ep).module()):
        assert [outcome(run, n) for n in SIZES] == [outcome(f, n) for n in SIZES]


def test_warnings_that_are_errors_end_the_call():
    run = export(program(SOURCES["warns"]), (np.ones(8),), dynamic_shapes=({0: Dim.AUTO},)).module()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="only 2 rows"):
            run(np.ones(2))
        assert run(np.ones(3)).tolist() == [5, 5, 5]


GUARDED = {
    "raises": "if n < 3: raise ValueError('few')",
    "rebinds": "if n < 3: x = x + 1",
    "rebinds and warns": "if n < 3:\n    warnings.warn('few')\n    x = x * 0",
    "returns": "if n < 3: return x",
    "writes": "x = x.copy()\nif n < 3: x += 1",
    "writes to a list": "seen = []\nif n < 3: seen.append(n)\nx = x + len(seen)",
    "may raise": "if n < 3: 1 // n",
    "prints": "if n < 3: print(n)",
    "leaves a loop": "for k in (1, 2):\n    if n == k: break\nx = x + k",
    "goes on in a loop": "for k in (1, 2):\n    if n == k: continue\n    x = x + k",
    "catches": "try:\n    if n < 3: x[n]\nexcept IndexError: x = x + 1",
    "recursive": "def down(k):\n    if k > 4: down(k - 1)\ndown(n)",
}


@pytest.mark.parametrize("source", GUARDED.values(), ids=GUARDED)
def test_other_sides_keep_their_guard(source):
    f = program(source)
    run = export(f, (np.ones(8),), dynamic_shapes=({0: Dim.AUTO},)).module()
    with pytest.raises(InputMismatch):
        run(np.ones(2))
    assert outcome(run, 8) == outcome(f, 8)
    for n in (1, 3, 5, 9):
        try:
            value = outcome(run, n)
        except InputMismatch:
            continue
        assert value == outcome(f, n)


def test_a_promise_on_which_the_program_raises_is_a_violation():
    with pytest.raises(ConstraintViolation) as caught:
        export(program("if n < 3: raise ValueError('few')"), (np.ones(8),), dynamic_shapes=({0: Dim("n")},))
    assert caught.value.suggested_fixes == {"n": "Dim('n', min=3)"}


def test_branches_are_not_captured_where_that_is_not_wanted():
    ep = export(program(SOURCES["warns"]), (np.ones(8),), dynamic_shapes=({0: Dim.AUTO},), capture_control_flow=False)
    assert [str(guard).partition("  #")[0] for guard in ep.guards] == ["x.shape[0] >= 3"]


ONE_TRUTH = {
    "a shape": "ok = x.shape == (4,)",
    "a shape of two axes": "ok = x[:, None].shape != (4, 1)",
    "a list": "ok = [n, 2] == [8, 2]",
    "in shapes": "ok = x.shape in ((3,), (4, 1), (8,))",
    "nested": "ok = (n, (n + 1, 'a')) == (4, (5, 'a'))",
    "other lengths": "ok = x.shape == (4, 1)",
    "or": "ok = n == 3 or n == 8",
    "and": "ok = n > 2 and n < 5",
    "three": "ok = n > 2 and (n < 5 or n == 8) and not n == 4",
    "what data say, too": "ok = n == 3 or bool((x > 1).any())",
    "shapes": "ok = x.shape == (4,) or x.shape == (1, 4) or x.shape == (8,)",
    "a default": "ok = (n == 3 or x.ndim == 1) and n != 2",
    "chosen by a condition that is known": "ok = n > 2 and x.ndim == 1",
}


@pytest.mark.parametrize("source", ONE_TRUTH.values(), ids=ONE_TRUTH)
def test_truths_of_several_sizes_are_one(source):
    f = function_of(f"def f(x):\n    n = x.shape[0]\n    {source}\n    return ok, np.where(ok, x, -x), ok * n\n", {"np": np})
    ep = export(f, (np.arange(8) / 4,), dynamic_shapes=({0: Dim("n")},))
    assert not ep.guards
    for run in (ep.module(), reloaded(ep).module()):
        assert [shown(run(np.arange(n) / 4)) for n in SIZES] == [shown(f(np.arange(n) / 4)) for n in SIZES]


CONDITIONS = {
    "or": ("n == 8 or n == 3", {3, 8}),
    "and": ("n > 100 and n % 2", set(SIZES)),
    "what is known": ("n > 5 and x.ndim == 2", set(SIZES)),
    "three": ("n > 2 and n < 5 and n % 2 == 0", set(SIZES) - {4}),
    "or within and": ("(n > 4 or n == 0) and x.ndim == 1", {0, 5, 8, 9}),
    "negated": ("not (n > 2 and n == 4)", set(SIZES) - {4}),
    "what data say, too": ("n == 3 or bool((x > 1).any())", set(SIZES)),
    "shapes": ("x.shape == (8,) or x.shape == (3,)", {3, 8}),
    "evaluated only then": ("n > 1 and 8 // (n - 1) == 1", {8, 9}),
}


@pytest.mark.parametrize(("condition", "sizes"), CONDITIONS.values(), ids=CONDITIONS)
def test_a_condition_of_several_parts_is_one(condition, sizes):
    f = function_of(f"def f(x):\n    n = x.shape[0]\n    if {condition}:\n        return x + n\n    return x - n\n", {"np": np})
    run, taken = export(f, (np.arange(8) / 4,), dynamic_shapes=({0: Dim.AUTO},)).module(), set()
    for n in SIZES:
        try:
            assert shown(run(np.arange(n) / 4)) == shown(f(np.arange(n) / 4))
        except InputMismatch:
            continue
        taken.add(n)
    assert taken == sizes


VALUES = [
    "n % 3 or n > 4",
    "n > 4 or n % 3",
    "n > 2 and n % 3 or n == 1",
    "n and n > 2",
    "(n > 2 or None) and x",
    "n > 2 and n",
    "None or n > 2",
]


@pytest.mark.parametrize("source", VALUES)
def test_and_and_or_give_their_operands(source):
    f = function_of(f"def f(x):\n    n = x.shape[0]\n    return ({source}), x\n", {})
    run = export(f, (np.arange(8) / 4,), dynamic_shapes=({0: Dim.AUTO},)).module()
    assert shown(run(np.ones(8))) == shown(f(np.ones(8)))
    for n in SIZES:
        try:
            assert shown(run(np.ones(n))) == shown(f(np.ones(n)))
        except InputMismatch:
            continue


def test_the_part_of_a_condition_that_is_not_evaluated_does_nothing():
    def f(x, seen):
        if x.shape[0] > 3 or seen.append(1):
            return x + 1
        return x

    run, seen = export(f, (np.ones(8), []), dynamic_shapes=({0: Dim.AUTO}, None)).module(), []
    assert run(np.ones(5), seen).tolist() == [2] * 5 and not seen
    with pytest.raises(InputMismatch):
        run(np.ones(2), seen)


MIXED = {
    "or": "(n == 3) | bool((x > 0).any())",
    "and": "(n == 3) & bool((x > 0).any())",
    "a part that is known later": "(n > 2) & (n != 4) & bool((x > 0).any())",
}


@pytest.mark.parametrize("example", [3, 5])
@pytest.mark.parametrize("condition", MIXED.values(), ids=MIXED)
def test_conditions_on_sizes_and_data_are_guarded_by_what_sizes_decide(condition, example):
    def of(last):
        return function_of(f"def f(x):\n    n = x.shape[0]\n    y = x + 1 if {condition} else x\n{last}    return y\n", {})

    for f in (of(""), of("    if n == 4: return y * 2\n")):
        ep, compared = export(f, (np.ones(example),), dynamic_shapes=({0: Dim.AUTO},)), 0
        for run in (ep.module(), reloaded(ep).module()):
            for x in [sign * np.ones(n) for n in SIZES for sign in (-1, 1)]:
                try:
                    assert shown(run(x)) == shown(f(x))
                except InputMismatch:
                    continue
                compared += 1
        assert compared >= 4
