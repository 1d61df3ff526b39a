"""Decompositions of operators of users: of those that write to arguments, and of those that return containers."""

from __future__ import annotations

import numpy as np
import pytest

import npexport
from npexport import Dim, UserError, export, opaque, ops
from tests.support.custom_ops import declare_lab, same
from tests.support.forms import reloaded


def test_decompositions_of_what_writes_to_its_arguments():
    declare_lab()

    def f(x):
        y = x.copy()
        ops.lab.add_to(y[1:], 1)
        return y, ops.lab.drain([x, y[::2].copy()], y + 1), ops.lab.drain([y]), x

    @npexport.register_decomposition("lab::add_to")
    def _(x, by):
        x += by

    @npexport.register_decomposition("lab::drain")
    def _(xs, into=None):
        if into is not None:
            raise NotImplementedError
        total = xs[0].sum()
        xs[0][...] = 0
        return np.full(1, total)

    program = export(f, (np.ones(3),), dynamic_shapes=({0: Dim("n")},))
    core = program.run_decompositions()
    assert [str(node.target) for node in core.graph].count("ops.lab.drain") == 1
    assert "ops.lab.add_to" not in [str(node.target) for node in core.graph]
    for run in (core.module(), reloaded(core).module()):
        ours, theirs = np.arange(5.0) - 2, np.arange(5.0) - 2
        same(run(ours), f(theirs))
        same(ours, theirs)


def test_decompositions_return_the_containers_of_the_operator():
    op = opaque(lambda x: {"a": x + 1, "b": x * 2}, lambda x: {"a": np.empty_like(x), "b": np.empty_like(x)}, name="lab::keyed")
    program = export(lambda x: op(x)["b"], (np.ones(3),))
    npexport.register_decomposition(op)(lambda x: {"b": x * 2, "a": x + 1})
    with pytest.raises(UserError, match="in another structure"):
        program.run_decompositions()
    npexport.register_decomposition(op)(lambda x: {"a": x + 1, "b": x * 2})
    same(program.run_decompositions().module()(np.arange(3.0)), np.arange(3.0) * 2)


def test_a_decomposition_that_sizes_give_another_dtype_leaves_the_call_and_says_so():
    op = opaque(lambda x: x * 2, lambda x: np.empty_like(x), name="lab::twice")
    npexport.register_decomposition(op)(lambda x: (x * 2).astype(np.float32 if len(x) > 5 else np.float64))
    program = export(lambda x: op(x) + 1, (np.ones(3),), dynamic_shapes=({0: Dim("n")},))
    with pytest.warns(UserWarning, match=r"ops\.lab\.twice in line \d+ of .* stays: .* returns values of several kinds") as told:
        core = program.run_decompositions()
    assert told[0].filename == __file__ and "ops.lab.twice" in [str(node.target) for node in core.graph]
    same(core.module()(np.arange(7.0)), np.arange(7.0) * 2 + 1)
    with pytest.raises(UserError, match=r"gives f32\[7\], the operator f64\[7\]"):
        export(lambda x: op(x), (np.ones(7),)).run_decompositions()


def declared(decomposition):
    op = npexport.custom_op("lab::filled", mutates_args=("out",))(fill)
    op.register_fake(lambda x, out, flag=True: None)
    npexport.register_decomposition(op)(decomposition)

    def f(x, flag=True):
        out = np.zeros_like(x)
        op(x, out, flag)
        return out

    return f


def fill(x: np.ndarray, out: np.ndarray, flag: bool = True) -> None:
    if flag:
        out[...] = x * 3


def in_a_loop(x, out, flag=True):
    for i in range(len(x)):
        out[i] = 3 * x[i]


def where_positive(x, out, flag=True):
    if x.sum() > 0:
        out[...] = x * 3


@pytest.mark.parametrize("shapes", [None, {"x": {0: Dim("n")}}], ids=["static", "dynamic"])
@pytest.mark.parametrize("decomposition", [lambda x, out, flag=True: None, lambda x, out, flag=True: fill(x, out, not flag)])
def test_a_decomposition_that_does_not_write_what_its_operator_mutates_is_refused(decomposition, shapes):
    program = export(declared(decomposition), (np.ones(3),), dynamic_shapes=shapes)
    with pytest.raises(UserError, match="does not write to out, which the operator is declared to mutate") as caught:
        program.run_decompositions()
    assert caught.value.code == "E201" and "out[...] = out" in caught.value.hint


@pytest.mark.parametrize("size", [0, 3])
@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("decomposition", [fill, in_a_loop, where_positive])
def test_decompositions_that_write_for_some_operands(decomposition, flag, size):
    def whole(x, out, flag=True):
        decomposition(x, out, flag)
        if not flag:
            out[...] = 0

    f = declared(whole)
    core = export(f, (np.ones(size), flag)).run_decompositions()
    assert "ops.lab.filled" not in [str(node.target) for node in core.graph]
    same(core.module()(np.arange(float(size)), flag), f(np.arange(float(size)), flag))


@pytest.mark.parametrize(
    "decomposition",
    [lambda x, s=2.0: x * s, lambda x, t=2.0: x * t, lambda x, s: x * s, lambda x, s=2.0, /: x * s, lambda x, *, s=2.0: x * s],
    ids="other-default other-name no-default by-place by-name".split(),
)
def test_defaults_are_the_operators(decomposition):
    op = npexport.custom_op("lab::scaled_by")(scaled_by)
    op.register_fake(lambda x, s=1.0: np.empty_like(x))
    npexport.register_decomposition(op)(decomposition)
    for call in (lambda x: op(x), lambda x: op(x, s=1.0), lambda x: op(x, 1.0)):
        core = export(call, (np.ones(3),)).run_decompositions()
        assert "ops.lab.scaled_by" not in [str(node.target) for node in core.graph]
        same(core.module()(np.arange(3.0)), np.arange(3.0))
    if decomposition.__code__.co_kwonlyargcount == 0:
        core = export(lambda x: op(x, 3.0), (np.ones(3),)).run_decompositions()
        same(core.module()(np.arange(3.0)), np.arange(3.0) * 3)


def scaled_by(x: np.ndarray, s: float = 1.0) -> np.ndarray:
    return x * s


def test_defaults_are_those_of_operators_of_numpy():
    table = npexport.default_decompositions()
    table[ops.np.var] = lambda a, axis=None, dtype=None, *, ddof=1, mean=None, **rest: ((a - a.mean()) ** 2).sum() / (a.size - ddof)
    x = np.arange(4.0)
    core = export(lambda x: (np.var(x), np.var(x, ddof=1)), (x,)).run_decompositions(table)
    assert "ops.np.var" not in [str(node.target) for node in core.graph]
    np.testing.assert_allclose(core.module()(x), (np.var(x), np.var(x, ddof=1)))
