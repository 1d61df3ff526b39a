"""Decompositions of operators of users: of those that write to arguments, and of those that return containers."""

from __future__ import annotations

import numpy as np
import pytest

import npexport
from npexport import Dim, UserError, export, opaque, ops
from tests.support.custom_ops import declare_lab, same, saved


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
    for run in (core.module(), saved(core).module()):
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
