"""Programs that return one of several values as data decide: equal to eager execution on data that takes every side, saved, decomposed,
as Python, at other sizes."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, UserError, cond, export, load, nn, save
from tests.support.functions import function_of
from tests.support.open_results import DYNAMIC, PROGRAMS, its_own_or_a_number, made_in_every_call, the_same_list_twice
from tests.support.outcomes import shown

VALUES = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0)


def data(size, count=30):
    rng = np.random.default_rng(size)
    return [rng.choice(VALUES, size) for _ in range(count)]


def text(value):
    """A result with its classes, those of containers within it, too."""
    if is_dataclass(value):
        return f"{type(value).__name__}{text(vars(value))}"
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__}({', '.join(map(text, value))})"
    return "{" + ", ".join(f"{key}: {text(item)}" for key, item in value.items()) + "}" if isinstance(value, dict) else shown(value)


def outcome(f: Any, x: Any) -> tuple[str, str]:
    x = x.copy()
    return text(f(x)), shown(x)


def as_python(program):
    return function_of(program.to_python())


@pytest.mark.parametrize("function", PROGRAMS)
def test_equals_eager(function, tmp_path):
    program = export(function, (np.array([0.5, -1.0, 2.0, 1.0]),))
    save(program, tmp_path / "program.np2")
    loaded = load(tmp_path / "program.np2")
    assert loaded.call_spec.out_spec == program.call_spec.out_spec
    for run in (program.module(), loaded.module(), program.run_decompositions().module(), as_python(program)):
        for x in data(4):
            assert outcome(run, x) == outcome(function, x), x


@pytest.mark.parametrize("function", DYNAMIC)
def test_equals_eager_at_other_sizes(function):
    run = export(function, (np.array([0.5, -1.0, 2.0, 1.0]),), dynamic_shapes={"x": {0: Dim("n", min=4)}}).module()
    for size in (4, 5, 9):
        for x in data(size, 20):
            assert outcome(run, x) == outcome(function, x), x


def test_what_is_returned_is_the_same_object():
    x = np.ones(4)
    assert export(its_own_or_a_number, (x,)).module()(x) is x
    run = export(the_same_list_twice, (x,)).module()
    one, other = run(x), run(-x)
    assert one[0] is one[1] and other[0] is other[2] and one[2] is other[1] is None
    run = export(made_in_every_call, (x,)).module()
    run(x)[:] = 7
    assert run(x).tolist() == [0, 0, 0]


def test_the_structure_is_told():
    program = export(the_same_list_twice, (np.ones(4),))
    assert str(program.call_spec.out_spec) == "TreeSpec(([*], ([*] or *), (* or [*])))"
    assert program.call_spec.out_spec.paths("result")[1:4] == ["result[1].is_option_0", "result[1].option_0[0]", "result[1].option_1"]


def test_rows_of_an_open_result_are_not_kept_apart():
    def f(x, y):
        return x * 2 if y[0] > 0 else None

    program = export(f, (np.ones(4), np.ones(2)), dynamic_shapes={"x": {0: Dim("rows")}, "y": None})
    assert program.independent_dims() == {}
    with pytest.raises(UserError) as caught:
        program.module(chunks={"rows": 2})
    assert caught.value.code == "E260" and "the result" in caught.value.message


class Child(nn.Module):
    def forward(self, x):
        return x * 2 if x[0] > 0 else None


class Parent(nn.Module):
    def __init__(self):
        super().__init__()
        self.child = Child()

    def forward(self, x):
        y = self.child(x)
        return x if y is None else y


def test_a_signature_that_is_preserved_has_one_structure():
    with pytest.raises(UserError) as caught:
        export(Parent(), (np.ones(3),), preserve_module_call_signature=("child",))
    assert "one of several values" in caught.value.message


def test_explicit_operators_give_them_as_branches():
    def f(x):
        y = None if x[0] > 0 else x
        return cond(x[1] > 0, lambda: y, lambda: y)

    run = export(f, (np.ones(4),)).module()
    for x in data(4):
        assert outcome(run, x) == outcome(f, x)


def test_an_object_that_no_program_gives_back_is_refused_on_its_side():
    with pytest.raises(ExportError) as caught:
        export(lambda x: outcome if x[0] > 0 else None, (np.ones(3),))
    assert caught.value.code == "E115" and "result.option_0" in caught.value.message


def test_a_dict_that_may_lack_keys_is_told():
    def f(x):
        found = {"mean": x.mean()}
        if x[0] > 0:
            found["first"] = x
        return found

    program = export(f, (np.ones(4),))
    assert str(program.call_spec.out_spec) == "TreeSpec({'mean': *, **({'first': *} if * else {})})"
    assert program.call_spec.out_spec.paths("result") == ["result['mean']", "result.has_first", "result['first']"]
