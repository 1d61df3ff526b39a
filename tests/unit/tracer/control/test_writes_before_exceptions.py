"""Exceptions within branches and loops on data, after writes to inputs, state and generators: these are then as eager execution leaves
them.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from npexport import Dim, InternalError, export, unflatten
from npexport.ir.checkpoints import has_checkpoints
from npexport.ir.editing import copied
from tests.support.forms import FORMS
from tests.support.outcomes import outcome, shown
from tests.support.plain_modules import module_of


def in_a_side(x: Any, i: Any) -> Any:
    if x[0] > 0:
        x[1] = 5.0
        return x[i[0]] + 1
    return x[0]


def raised_in_a_side(x: Any, i: Any) -> Any:
    if x[0] > 0:
        x[1] = 7.0
        if i[0] > 2:
            raise KeyError(f"no {i[0]}", 3)
        x[2] = 1.0
    return x.sum()


def in_the_side_that_raises(x: Any, i: Any) -> Any:
    x[0] += 1
    if i[0] > 1:
        x[1] *= 2
        raise ValueError("big")
    x[2] += x[0]
    return x


def within_two_sides(x: Any, i: Any) -> Any:
    x[3] = 0.5
    if x[0] > 0:
        x[0] = -1.0
        if i[1] > 0:
            x[1] = x[i[0]]
            x[2] = x[i[1]]
        x[3] += x[i[2]]
    return x[0] + x[i[2]]


def in_a_loop(x: Any, i: Any) -> Any:
    for j in range(3):
        if x[j] > 0:
            x[j] -= 1
            x[i[j]] *= 2
    return x.sum()


def in_a_loop_without_bound(x: Any, i: Any) -> Any:
    k = 0
    while x[k] < 2.0:
        x[k] += 1
        k = i[k]
    return k


def after_a_side_that_wrote(x: Any, i: Any) -> Any:
    if x[0] > 0:
        x[0] = 3.0
        x[1] = x[i[0]]
    y = x[i[1]]
    x[2] = y
    return x[i[2]]


def caught_within(x: Any, i: Any) -> Any:
    if x[0] > 0:
        x[1] = 3.0
        try:
            x[2] = x[i[0]]
        except IndexError:
            x[2] = 9.0
        x[3] = x[i[1]]
    return x[i[2]]


def a_view_is_written(x: Any, i: Any) -> Any:
    v = x[1:]
    if x[0] > 0:
        v[1] = 4.0
        return v[i[0]]
    return v[0]


def not_raised_again(x: Any, i: Any) -> Any:
    """Nothing may raise after the write: there is nothing to tell."""
    if x[0] > 0:
        y = x[i[0]]
        x[1] = y
    return x[2]


FUNCTIONS = (
    in_a_side,
    raised_in_a_side,
    in_the_side_that_raises,
    within_two_sides,
    in_a_loop,
    in_a_loop_without_bound,
    after_a_side_that_wrote,
    caught_within,
    a_view_is_written,
    not_raised_again,
)
INPUTS = [np.array(values) for values in ([1.0, 0.5, -0.5, 0.2], [-1.0, 0.5, 1.5, 0.2], [0.1, 0.2, 0.3, 0.4])]
INDICES = [np.array(values) for values in ([0, 1, 2], [9, 1, 2], [1, 9, 2], [1, 2, 9], [2, 0, 1], [9, 9, 9])]


@functools.cache
def exported(function: Any, dynamic: bool) -> Any:
    return export(function, (INPUTS[0].copy(), INDICES[0]), dynamic_shapes=({0: Dim("n", min=4)}, None) if dynamic else None)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("form", [*FORMS, "decomposed", "unflattened", "plain"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_inputs_are_as_eager_execution_leaves_them(function, form, dynamic, tmp_path):
    program = copied(exported(function, dynamic))
    assert has_checkpoints(program.graph)
    if form in ("plain", "unflattened"):
        run = module_of(program, tmp_path / "plain.py").forward if form == "plain" else unflatten(program)
    else:
        run = (program.run_decompositions() if form == "decomposed" else FORMS[form](program)).module()
    raised = 0
    for x in INPUTS:
        for i in INDICES:
            for given in (x, np.append(x, 7.0)) if dynamic else (x,):
                expected = outcome(function, (given, i))
                raised += "Error: " in expected[0]
                assert outcome(run, (given, i)) == expected, (given, i)
    assert raised


class Ring:
    """A buffer whose next place is a number of the state."""

    def __init__(self) -> None:
        self.buffer = np.zeros(3)
        self.seen = np.zeros(())
        self.rng = np.random.default_rng(3)

    def __call__(self, x: Any, i: Any) -> Any:
        for k in range(len(x)):
            self.seen += 1
            if x[k] > 0:
                self.buffer[i[k]] = x[k] + self.rng.random()
        return self.buffer.sum()


def test_state_is_as_eager_execution_leaves_it():
    ring = Ring()
    program = export(ring, (INPUTS[2], np.array([0, 1, 2, 0])), dynamic_shapes=({0: Dim("n")}, {0: Dim("n")}))
    for indices in ([0, 1, 2, 0, 1], [0, 9, 1, 1, 0], [2, 1, 0, 7, 0]):
        module, eager = program.module(), Ring()
        for n in (5, 3, 4):
            args = np.linspace(-0.2, 1, n), np.array(indices[:n])
            assert outcome(module, args) == outcome(eager, args)
            state = dict(module.named_buffers())
            assert shown([state["buffer"], state["seen"]]) == shown([eager.buffer, eager.seen])


def test_the_callers_generator_is_where_eager_execution_leaves_it():
    def drawn(rng: Any, x: Any, i: Any) -> Any:
        if x[0] > 0:
            y = rng.random()
            return y + x[i[0]]
        return rng.normal()

    program = export(drawn, (np.random.default_rng(1), INPUTS[0], INDICES[0]))
    run = program.module()
    for x in INPUTS:
        for i in INDICES:
            one, other = np.random.default_rng(5), np.random.default_rng(5)
            assert outcome(drawn, (one, x, i))[0] == outcome(run, (other, x, i))[0]
            for function, rng in ((drawn, one), (run, other)):
                try:
                    function(rng, x, i)
                except IndexError:
                    pass
            assert one.bit_generator.state == other.bit_generator.state


def test_warnings_are_issued_once(recwarn):
    def warned(x: Any, i: Any) -> Any:
        if x[0] > 0:
            x[1] = np.log(x[2])
            return x[i[0]]
        return x[0]

    run = export(warned, (np.ones(3), np.array([0]))).module()
    with pytest.raises(IndexError), np.errstate(invalid="warn"):
        run(np.array([1.0, 1.0, -1.0]), np.array([9]))
    assert len([each for each in recwarn if "invalid value" in str(each.message)]) == 1


@pytest.mark.parametrize("values", [(), (None, None), ("x",)])
def test_the_verifier_names_checkpoints_that_do_not_fit(values):
    program = copied(export(in_a_side, (INPUTS[0].copy(), INDICES[0])))
    (checkpoint,) = [node for module in program.graph.sub_graphs() for node in module.graph.nodes if "checkpoint" in str(node.target)]
    checkpoint.args = (values,)
    with pytest.raises(InternalError, match="checkpoint"):
        program.validate()


def test_only_compiled_programs_know_what_is_written_within():
    program = copied(export(in_a_side, (INPUTS[0].copy(), INDICES[0])))
    checkpoint = next(node for node in program.graph.nodes if "checkpoint" in str(node.target))
    checkpoint.args = (*checkpoint.args, None)
    with pytest.raises(InternalError, match="as only compiled programs do"):
        program.validate()


def test_a_list_that_a_loop_fills_is_there_where_the_loop_raises():
    def filled(x: Any, i: Any) -> Any:
        found, k = [], 1
        for j in range(6):
            x[0] = k
            found.append(3 * j)
            k = k + int(x[j]) // int(i[j])
        return found, k

    run = export(filled, (np.arange(6), np.ones(6, int)), unroll=3).module()
    for i in ([1, 1, 0, 1, 1, 1], [1, 2, 3, 1, 2, 3], [0, 1, 1, 1, 1, 1]):
        assert outcome(run, (np.arange(6), np.array(i))) == outcome(filled, (np.arange(6), np.array(i)))
