"""Branches and loops compiled to statements: carries in place, and no array in memory of another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, cond, export, scan, while_loop


def _repeat(body: Any) -> Any:
    """A program that repeats ``body(i, a, b)``, which gives the next two arrays."""

    def program(x: Any, y: Any, n: Any) -> Any:
        return while_loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, *body(i, a, b, y)), (0, x, y))

    return program


def _written(i: Any, a: Any, b: Any, y: Any) -> Any:
    before = a.copy()
    a[i % 3] = a[i % 3 - 1] + 1
    b += before
    first = a[1:]
    a[0] = first[0]
    return a, b


def _nested(i: Any, a: Any, b: Any, y: Any) -> Any:
    def small() -> Any:
        return while_loop(lambda j, c: j < i, lambda j, c: (j + 1, c - b), (0, a))[1]

    return cond(a.sum() > 9, small, lambda: a * 3), b


def _both(i: Any, a: Any, b: Any, y: Any) -> Any:
    one, two = cond(a.sum() > b.sum(), lambda: (a, b), lambda: (b, b + 1))
    one += 1
    return two, one


SQUARE = np.arange(9.0).reshape(3, 3) + 1
PROGRAMS: dict[str, Any] = {
    "swapped": lambda i, a, b, y: (b, a),
    "one result twice": lambda i, a, b, y: (a + 1,) * 2,
    "one carry twice": lambda i, a, b, y: (a, a),
    "an operand": lambda i, a, b, y: (b + 1, y),
    "a view of a result": lambda i, a, b, y: ((a * 2).T, b.T),
    "a view of both": lambda i, a, b, y: (a[::-1], a),
    "a row for all": lambda i, a, b, y: (np.broadcast_to(a[0], (3, 3)), b),
    "a sum of what was turned": lambda i, a, b, y: (a.T + 0.1, np.broadcast_to(a.sum(axis=0), (3, 3))),
    "a constant": lambda i, a, b, y: (a + 1, np.eye(3)),
    "writes in place": _written,
    "a loop in a branch in a loop": _nested,
    "both sides of a branch": _both,
}


@pytest.mark.parametrize("body", PROGRAMS.values(), ids=PROGRAMS)
def test_loops_give_what_eager_loops_give_in_memory_of_their_own(body: Any) -> None:
    program = _repeat(body)
    x, y = SQUARE, SQUARE * 0.5
    module = export(program, (x, y, 3), dynamic_shapes=[None, None, Dim.DYNAMIC]).module()
    for count in (0, 1, 2, 5):
        wanted, found = program(x.copy(), y.copy(), count), module(x, y, count)
        np.testing.assert_equal(found, wanted)
        np.testing.assert_array_equal((x, y), (SQUARE, SQUARE * 0.5))
        arrays = [x, y, *found[1:]]
        assert not any(np.may_share_memory(one, other) for place, one in enumerate(arrays) for other in arrays[:place])
        assert all(array.flags.carray for array in found[1:])


def test_loops_within_loops_within_loops() -> None:
    """More than Python's compiler takes as blocks."""

    def nest(depth: int) -> Any:
        if not depth:
            return lambda x: x + 1
        inner = nest(depth - 1)
        return lambda x: while_loop(lambda i, a: i < 1, lambda i, a: (i + 1, inner(a)), (0, x))[1]

    program = nest(24)
    np.testing.assert_array_equal(export(program, (np.ones(2),)).module()(np.ones(2)), [2.0, 2.0])


def test_an_error_in_an_iteration_names_its_line() -> None:
    def program(x: Any, n: Any) -> Any:
        return while_loop(lambda i, a: i < n, lambda i, a: (i + 1, np.linalg.inv(a)), (0, x))

    module = export(program, (np.eye(2), 1), dynamic_shapes=[None, Dim.DYNAMIC]).module()
    with pytest.raises(np.linalg.LinAlgError) as caught:
        module(np.zeros((2, 2)), 1)
    notes = "\n".join(caught.value.__notes__)
    assert "np.linalg.inv(a)" in notes
    assert notes.index("ops.np.inv") < notes.index("ops.control.while_loop")


def test_sub_graphs_may_warn():
    program = export(lambda x: scan(lambda total, row: (total + np.log(row), total), np.zeros(3), x), (np.ones((2, 3)),))
    run = program.module()
    for _ in range(2):
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            run(np.zeros((2, 3)))


def test_one_of_two_scalars_is_chosen_by_python():
    def ordered(x):
        y = x.copy()
        for i in range(3):
            y[i], y[i + 1] = min(y[i], y[i + 1]), max(y[i], y[i + 1])
        return y, min(x[0], x[1]), x[0] if x[0] > x[1] else x[1]

    program = export(ordered, (np.arange(4.0),))
    run = program.module()
    assert not any(value is np.where for value in run._compiled.namespace.values())
    for values in ([3, 1, 2, 0], [np.nan, 1, -np.nan, 0], [-0.0, 0.0, -0.0, np.inf], [0.0, -0.0, 5, 5]):
        x = np.array(values, float)
        for result, expected, written in zip(run(x), ordered(x), program.graph.run(x), strict=True):
            assert type(result) is type(expected) is type(written)
            assert result.tobytes() == expected.tobytes() == written.tobytes()


def test_checks_look_at_results_of_branches_that_nothing_else_needs():
    def f(x):
        a, total, items = x.tolist(), 0, [1, 1, 1, 1, 3, 1]
        for j in (4, 5):
            if 0 <= j + 1 < 6:
                items[j + 1] = 0
            if a[j] > 2:
                total += items[j + 2]
            elif a[5] > 2:
                items[j - 2] = a[5]
            else:
                total += a[j]
        return total

    run = export(f, (np.array([2, 3, 2, 2, 1, 1]),)).module()
    for x in ([2, 3, 2, 2, 1, 1], [4, 3, 2, 2, 1, 2], [3, 0, 0, 0, 0, 2]):
        assert run(np.array(x)) == f(np.array(x))
    for x in ([2, 3, 2, 2, 3, 1], [4, 3, 2, 2, 1, 3]):
        with pytest.raises(IndexError, match="list index out of range"):
            run(np.array(x))
