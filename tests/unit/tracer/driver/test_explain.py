"""``explain`` finds every independent problem in one run, and none that only follows from another."""

from __future__ import annotations

import time

import numpy as np
import pytest

from npexport import Dim, draft_export, explain

LOG: list[object] = []


def many(x):
    noise = np.random.rand()
    y = np.sin(noise) * x + np.stack([x, noise * x])
    y[0] = noise
    y += noise
    if x.sum() > 0:
        x = x + time.time()
    else:
        LOG.append(1)
    print(x)
    return np.concatenate([y, np.where(y > noise, y, 0)])


def fine(x):
    return x * 2


def raises(x):
    if x[0] > 0:
        x = x + 1
    raise KeyError("mine")


def loops(x):
    total = 0.0
    while total < x.sum():
        total += 1
    return {v: hash(v) for v in x if v > 0}


def nested(x):
    def inner(v):
        return hash(v)

    return inner(x[0]) + inner(x[1])


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (fine, []),
        (many, [("E107", 16), ("E106", 21), ("E112", 23), ("E114", 24)]),
        (loops, [("E104", 42)]),
    ],
    ids=["fine", "many", "loops"],
)
def test_every_independent_problem_is_found_once(f, expected):
    found = explain(f, (np.ones(3),))
    assert sorted({(problem.code, problem.location.line) for problem in found.problems}) == sorted(expected)
    assert found.ok is (not expected)
    assert LOG == []
    for problem in found.problems:
        assert problem.hint and problem.location.file == __file__ and f"{problem.code} {problem.slug}" in str(found)


def test_every_leaf_of_the_result_is_told_and_what_else_is_refused():
    def f(x):
        LOG.append(x)
        return x * 2, object(), {"later": lambda: x}

    expected = ["result[1] is of type object", "result[2]['later'] is of type function", "the program adds"]
    for problems in (explain(f, (np.ones(3),)).problems, draft_export(f, (np.ones(3),)).report.failures):
        assert [problem.code for problem in problems] == ["E115", "E115", "E112"]
        assert all(text in problem.message for text, problem in zip(expected, problems, strict=True))


def test_a_value_is_blamed_where_it_is_read():
    found = explain(nested, (np.ones(3),))
    assert {problem.location.function for problem in found.problems} == {"inner"}
    assert {problem.code for problem in found.problems} == {"E104"}


def test_exceptions_of_the_program_are_problems_too():
    found = explain(raises, (np.ones(3),))
    assert [problem.code for problem in found.problems] == ["E208"]
    assert not found.ok


def test_what_is_fine_has_a_graph_and_guards():
    found = explain(fine, (np.ones(3),))
    assert len(found.graph.nodes) and tuple(found.guards) == ()


def test_what_a_refused_program_demands_of_sizes_is_told():
    def program(x):
        return {float(x.sum()): x} if x.shape[0] > 2 else x

    found = explain(program, (np.ones(4),), dynamic_shapes={"x": {0: Dim.AUTO}})
    assert not found.ok
    assert [(guard.text, guard.location.line) for guard in found.guards] == [("x.shape[0] >= 3", program.__code__.co_firstlineno + 1)]
    assert "asked by" in found.to_html()


TABLES = [{} for _ in range(400)]


def fills(x):
    for place, table in enumerate(TABLES):
        table[place] = place * 2
    return x


def test_programs_that_write_to_many_objects_are_explained_soon():
    start = time.process_time()
    found = explain(fills, (np.ones(3),))
    assert {problem.code for problem in found.problems} == {"E112"} and TABLES[0] == {}
    assert time.process_time() - start < 30


def prints_in_a_loop(x, y):
    total = np.sin(x)
    while total.sum() < 3:
        total = total + y
        print(total)
    return total


def test_one_line_is_one_problem_however_often_a_loop_comes_to_it():
    explanation = explain(prints_in_a_loop, (np.ones(3), np.ones(3)))
    assert [(problem.code, problem.location.source.strip()) for problem in explanation.problems] == [("E114", "print(total)")]
