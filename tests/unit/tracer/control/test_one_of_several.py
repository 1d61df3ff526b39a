"""Programs whose variables are one of several values as data decide, from textbooks and public code: equal to eager execution on data that
takes every side, saved, at other sizes."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, Unsupported, export, load, save
from tests.support.functions import function_of
from tests.support.outcomes import outcome
from tests.support.sentinels import DYNAMIC, PROGRAMS

VALUES = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0)


def data(size, count=60):
    rng = np.random.default_rng(size)
    return [rng.choice(VALUES, size) for _ in range(count)]


@pytest.mark.parametrize("function", PROGRAMS)
def test_equals_eager(function, tmp_path):
    program = export(function, (np.array([0.5, -1.0, 2.0]),))
    save(program, tmp_path / "program.np2")
    for each in (program, load(tmp_path / "program.np2")):
        run = each.module()
        for x in data(3):
            assert outcome(run, (x,)) == outcome(function, (x,)), x


@pytest.mark.parametrize("function", DYNAMIC)
def test_equals_eager_at_other_sizes(function):
    run = export(function, (np.array([0.5, -1.0, 2.0]),), dynamic_shapes={"x": {0: Dim("n", min=2)}}).module()
    for size in (2, 3, 5, 9):
        for x in data(size, 30):
            assert outcome(run, (x,)) == outcome(function, (x,)), x


@pytest.mark.slow
def test_cost_is_linear():
    body = "".join(f"    if x[{i % 3}] > {i % 4}: y{i} = x * {i}\n    else: y{i} = None\n" for i in range(24))
    body += "    s = x[0]\n" + "".join(f"    if y{i} is not None: s = s + y{i}.sum()\n" for i in range(24))
    f = function_of(f"def f(x):\n{body}    return s\n")
    program = export(f, (np.ones(3),))
    assert sum(node.target.name == "cond" for node in program.graph.nodes if node.op == "call_function") <= 48
    assert len(str(program)) < 60_000
    for x in data(3):
        assert outcome(program.module(), (x,)) == outcome(f, (x,))


def test_variables_that_are_looked_at_all_at_once_are_refused():
    def f(x):
        if x[0] > 0:
            y = 1  # noqa: F841
        return sorted(locals())

    with pytest.raises(Unsupported) as caught:
        export(f, (np.ones(3),))
    assert caught.value.code == "E103"


def status_of(x):
    status, detail = "low", None
    if x[0] > 0:
        status = "high"
    elif x[1] > 0:
        status, detail = f"middle of {len(x)}", "second"
    if detail is None:
        detail = "no detail"
    return {"status": status, "detail": detail, "top": status == "high"}


def raised_with_a_text(x):
    kind = "negative" if x[0] < 0 else "small"
    if x.sum() < 1:
        raise ValueError(kind)
    return x * 2


@pytest.mark.parametrize("function", [status_of, raised_with_a_text])
def test_texts_are_results_and_messages(function):
    run = export(function, (np.ones(3),)).module()
    for x in data(3):
        assert outcome(run, (x,)) == outcome(function, (x,)), x


def starts_of_texts(x):
    task = b"ERROR: NEGATIVE"
    if x[0] > 0:
        task = b"START"
    if x[1] > 0:
        task = b"ERROR: STEP"
    if x[2] > 0:
        task = b"WARNING"
    kind = task[:5]
    if kind == b"ERROR":
        return x * 2, 0
    return x + (task[0] == 87), len(kind)


def test_a_part_of_one_of_several_texts_is_one_of_as_many_as_differ():
    program = export(starts_of_texts, (np.ones(3),))
    run = program.module()
    for x in data(3):
        np.testing.assert_equal(outcome(run, (x,)), outcome(starts_of_texts, (x,)))
