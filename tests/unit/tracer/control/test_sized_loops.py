"""Loops that make as many iterations as a dynamic size says: one node, equal to eager execution at every
size, or refused.
"""

from __future__ import annotations

import io
import itertools
import sys
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export, load, save
from tests.support.functions import function_of
from tests.support.outcomes import outcome
from tests.support.shards import shard
from tests.support.sized_loops import Sized, vector
from tests.support.sized_windows import PROGRAMS

REFUSED = {
    "an_iterator_of_the_program": ("E301", ""),
    "a_view_that_is_written_later": ("E103", "shares its memory"),
    "iterated_then_another": ("E301", "which other variables may hold"),
    "prints": ("E301", "`print` is called with"),
    "a_scalar_whose_kind_counts": ("E301", "`s` is the Python float 0.0 before an iteration"),
}
"""By program, the code, and part of what the message says."""


def exported(case: Sized, **options: Any) -> Any:
    """The program, for every size from the least on."""
    dims = {name: Dim(name, min=case.least) for name in "nm"}
    shapes = tuple([{axis: dims[name] for axis, name in enumerate(names.split(","))} for names in case.dims])
    return export(case.program, case.make(4), dynamic_shapes=shapes, **options)


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - REFUSED.keys()))
def test_captured_loops_give_what_they_give_eagerly(name: str) -> None:
    case = PROGRAMS[name]
    program, file = exported(case), io.BytesIO()
    assert [node for node in program.graph.nodes if str(node.target) == "ops.control.while_loop"]
    save(program, file)
    file.seek(0)
    modules = program.module(), load(file).module()
    for size in (size for size in (0, 1, 2, 5) if size >= case.least):
        wanted = outcome(case.program, case.make(size))
        for module in modules:
            assert outcome(module, case.make(size)) == wanted, size


@pytest.mark.parametrize("name", REFUSED)
def test_refused_loops_name_what_stands_in_the_way(name: str) -> None:
    code, message = REFUSED[name]
    with pytest.raises(ExportError) as refusal:
        exported(PROGRAMS[name])
    assert refusal.value.code == code
    assert message in str(refusal.value)


@pytest.mark.parametrize("name", ["sum_by_index", "sum_of_rows", "counts_by_itself"])
def test_loops_fix_the_size_where_capture_is_off(name: str) -> None:
    with pytest.raises(ExportError) as refusal:
        exported(PROGRAMS[name], capture_control_flow=False)
    assert refusal.value.code == "E301"


def test_a_suggested_fix_exports_what_only_a_first_iteration_makes_alike() -> None:
    case = PROGRAMS["a_scalar_whose_kind_counts"]
    with pytest.raises(ExportError, match=r"n = Dim\('n', min=1\)"):
        exported(case)
    module = exported(case._replace(least=1)).module()
    for size in (1, 2, 5):
        assert outcome(module, case.make(size)) == outcome(case.program, case.make(size))


@pytest.mark.parametrize("name", ["a_view_that_is_written_later", "an_iterator_of_c"])
def test_what_cannot_be_one_node_makes_an_automatic_size_a_constant(name: str) -> None:
    case = PROGRAMS[name]
    program = export(case.program, case.make(3), dynamic_shapes=tuple([{0: Dim.AUTO} for _ in case.dims]))
    assert not program.range_constraints
    np.testing.assert_equal(program.module()(*case.make(3)), case.program(*case.make(3)))


GOES_OVER = [
    "range(n)",
    "range(1, n)",
    "range(n - 1, 0, -1)",
    "range(n - 1, -1, -1)",
    "range(0, n, 2)",
    "range(n, -n, -3)",
    "range(-n, n, 2)",
    "range(3, 0, -n)",
    "range(n, n)",
    "reversed(range(n))",
    "reversed(range(n - 1, 0, -2))",
    "enumerate(range(n, 0, -1), 2)",
    "zip(range(n - 1, -1, -1), range(0, 2 * n, 2))",
    "enumerate(x)",
    "zip(x, reversed(range(n)))",
    "reversed(x)",
    "enumerate(reversed(x))",
    "enumerate(reversed(range(0, n, 2)))",
    "enumerate(enumerate(reversed(x)), 1)",
    "x",
]


ADDS = ["out.append(item)", "out += [item]; k += 1", "out.append(item)\n        if len(out) == 3: break"]


@pytest.mark.parametrize(("items", "body", "size"), shard(itertools.product(GOES_OVER, ADDS, [1, 4, 5]), 6))
def test_what_is_not_one_node_goes_over_all_items(items: str, body: str, size: int) -> None:
    function = function_of(f"def program(x):\n    n, out, k = len(x), [], 0\n    for item in {items}:\n        {body}\n    return out, k")
    example = (np.arange(size) * 0.5,)
    program = export(function, example, dynamic_shapes=({0: Dim.AUTO},)).module()
    assert outcome(program, example) == outcome(function, example)


def test_a_loop_of_known_items_that_sizes_leave_asks_for_sizes_that_go_round_as_often() -> None:
    def program(x: Any) -> Any:
        for k in (1, 2):
            if len(x) == k:
                break
        return x + k

    with pytest.raises(ExportError, match=r"n = Dim\('n', min=3\)"):
        export(program, (np.ones(8),), dynamic_shapes=({0: Dim("n")},))


def test_a_condition_that_no_iteration_changes_is_a_guard() -> None:
    def program(x: Any) -> Any:
        s = np.float64(0)
        for k in range(3):
            if len(x) > 6:
                break
            s += x[k]
        return s

    captured = export(program, (np.ones(4),), dynamic_shapes=({0: Dim("n", min=3, max=6)},))
    assert not [node for node in captured.graph.nodes if str(node.target) == "ops.control.while_loop"]


def test_ten_thousand_iterations_are_one_node() -> None:
    def program(x: Any) -> Any:
        y = x.copy()
        for i in range(1, len(x)):
            y[i] = 0.5 * y[i - 1] + x[i]
        return y

    captured = export(program, (np.ones(10_000),), dynamic_shapes=({0: Dim("n")},))
    assert len(captured.graph.nodes) < 12
    x = np.linspace(0.0, 1.0, 300)
    np.testing.assert_equal(captured.module()(x), program(x))


def test_generators_of_a_refused_attempt_are_closed_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    def program(x: Any) -> Any:
        y = np.zeros(len(x))
        for i in range(len(x)):
            for j in range(i + 1):
                y[i] += sum(x[k] for k in range(j))
        return y

    said: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: said.append(unraisable.exc_value))
    exported = export(program, (np.arange(4.0),), dynamic_shapes=({0: Dim.AUTO},)).module()
    assert not said
    assert outcome(exported, (np.arange(4.0),)) == outcome(program, (np.arange(4.0),))


def _of_one_iteration_at_most(x: Any) -> Any:
    s = np.zeros(3)
    for i in range(min(len(x), 1)):
        s[: i + 1] += x[i]
    return s


def _down_to_the_first(x: Any) -> Any:
    s = np.zeros(3)
    for i in range(len(x) - 1, -1, -1):
        s[: i + 1] += x[i]
    return s


@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("example", [0, 1])
@pytest.mark.parametrize("program", [_of_one_iteration_at_most, _down_to_the_first])
def test_bounds_of_a_counter_leave_a_loop_of_one_iteration_a_loop(program: Any, example: int, most: int) -> None:
    run = export(program, (np.ones(example),), dynamic_shapes=({0: Dim("n", max=most)},)).module()
    for size in range(most + 1):
        assert outcome(run, vector(size)) == outcome(program, vector(size))


def test_what_a_refused_attempt_has_written_is_not_written() -> None:
    def program(x: Any) -> Any:
        a = x * 2
        for i in range(len(x) // 2, 2 * len(x)):
            a[1:] = a[:-1]
            if i % 2:
                return a
        return None

    exported = export(program, (np.arange(1.0, 4.0),), dynamic_shapes=({0: Dim.AUTO},)).module()
    assert outcome(exported, (np.arange(1.0, 4.0),)) == outcome(program, (np.arange(1.0, 4.0),))


def _goes_on_where_the_loop_left(x: Any) -> Any:
    box = [iter(range(6))]
    for i in box[0]:
        if x[i] > 0:
            break
    return next(box[0], -1), i


def _goes_over_what_is_left(x: Any) -> Any:
    box, s = {"it": iter(range(1, 300))}, x[0]
    for i in box["it"]:
        s = s * 0.5 + i
    return s, next(box["it"], -1)


@pytest.mark.parametrize("program", [_goes_on_where_the_loop_left, _goes_over_what_is_left])
def test_an_iterator_that_the_program_holds_stands_where_the_loop_left_it(program: Any) -> None:
    try:
        run = export(program, (np.array([-1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),)).module()
    except ExportError as refusal:
        assert refusal.code == "E103" and "holds its iterator" in refusal.message
        return
    for first in range(6):
        given = np.where(np.arange(6) < first, -1.0, 1.0)
        assert outcome(run, (given,)) == outcome(program, (given,))


def _product(x: Any) -> Any:
    total = np.float64(1.0)
    for item in x:
        total = total * 2.0 + item
    return total


def _after_the_first(x: Any) -> Any:
    items = iter(x)
    total = next(items)
    for item in items:
        total = total * 2.0 + item
    return total


def _pairs(x: Any) -> Any:
    total = np.float64(0.0)
    for place, item in enumerate(x[1:]):
        total = total + item * place
    return total


@pytest.mark.parametrize("program", [_product, _after_the_first, _pairs, lambda x: max(x), lambda x: np.poly1d(x, True).coef[0]])
@pytest.mark.parametrize("size", [1, 3])
def test_the_example_may_make_no_iteration(program: Any, size: int) -> None:
    x = np.arange(1.0, 6.0)
    ep = export(program, (x[:size],), dynamic_shapes=({0: Dim.AUTO},))
    assert ep.module()(x[:size].copy()) == program(x[:size])


@pytest.mark.parametrize("program", [_product, _pairs])
def test_sizes_hold_that_make_more_iterations_than_the_example(program: Any) -> None:
    x = np.arange(1.0, 6.0)
    ep = export(program, (x[:1],), dynamic_shapes=({0: Dim.AUTO},))
    assert [ep.module()(x[:size].copy()) for size in (1, 2, 5)] == [program(x[:size]) for size in (1, 2, 5)]


def _set_in_the_first_iteration(x: Any) -> Any:
    rest = np.zeros(len(x))
    for k in range(len(x)):
        if k == 0:
            first = x[k] * 2
        else:
            rest[k - 1] = x[k]
    return rest + first


def _set_in_the_first_iteration_alone(x: Any) -> Any:
    for k in range(len(x)):
        if k == 0:
            first = x[k]
    return first


def _set_in_the_first_iteration_and_changed(x: Any) -> Any:
    for k, item in enumerate(x):
        if k == 0:
            total = item
        else:
            total = total * item
    return total


def _set_where_data_say(x: Any) -> Any:
    k = 0
    while x[k] < 3:
        if x[k] > 1:
            found = x[k]
        k += 1
    return found


@pytest.mark.parametrize(
    "program", [_set_in_the_first_iteration, _set_in_the_first_iteration_alone, _set_in_the_first_iteration_and_changed]
)
def test_what_only_the_first_iteration_sets_is_there_after_the_loop(program: Any) -> None:
    x = np.arange(1.0, 7.0)
    run = export(program, (x,), dynamic_shapes=({0: Dim.AUTO},)).module()
    for size in (1, 2, 3, 6):
        assert outcome(run, (x[:size].copy(),)) == outcome(program, (x[:size].copy(),))


def test_a_variable_that_data_set_is_bound_or_raises() -> None:
    run = export(_set_where_data_say, (np.arange(6.0),)).module()
    for x in (np.arange(6.0), np.full(6, 3.0), np.array([0.0, 0, 5, 1, 1, 1]), np.array([2.0, 1, 2, 4, 1, 1])):
        assert outcome(run, (x,)) == outcome(_set_where_data_say, (x,))


def test_sizes_that_an_iteration_alone_knows_are_declared_as_everywhere():
    def f(v):
        total, found = 0.0, v.view("u1")
        for q in np.repeat(v, 8)[:2]:
            total = total * q + 1
        for q in found[:2]:
            found = found + q
        return total, found

    run = export(f, (np.ones(3),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for size in (0, 1, 2, 5):
        data = np.arange(size) + 1.5
        for found, expected in zip(run(data), f(data), strict=True):
            np.testing.assert_array_equal(found, expected)


def test_a_divisor_that_is_nothing_in_the_only_iterations_there_are():
    def f(x, m):
        n, total = len(x), x.sum()
        for _ in range(n - 1, -n):
            for place in range(n):
                total = max(total, m[place % n].sum())
        return total

    run = export(f, (np.ones(4), np.ones((4, 3))), dynamic_shapes=({0: Dim.AUTO}, {0: Dim.AUTO})).module()
    for size in (0, 1, 4):
        assert run(np.ones(size), np.ones((4, 3))) == f(np.ones(size), np.ones((4, 3)))


def _downwards_where_there_is_nothing(x: Any, y: Any) -> Any:
    for i in reversed(range(len(x) - 2, -len(x))):
        for _ in range(i):
            if x[0] < y[-1]:
                break
        y[1:] = y[:-1]
    return y


def _over_what_a_call_has_filled(x: Any, y: Any) -> Any:
    np.add(x, 1, out=y)
    for i in range(len(y)):
        y[i] = y[i] * 2
    return y


@pytest.mark.parametrize("program", [_downwards_where_there_is_nothing, _over_what_a_call_has_filled])
def test_sizes_that_are_known_around_the_loop_are_known_in_it(program: Any) -> None:
    run = export(program, (np.arange(3.0), np.ones(3)), dynamic_shapes=({0: Dim.AUTO}, {0: Dim.AUTO})).module()
    for size in (0, 1, 2, 5):
        assert outcome(run, (np.arange(size + 0.0), np.ones(size))) == outcome(program, (np.arange(size + 0.0), np.ones(size)))
