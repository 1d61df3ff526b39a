"""SymPy is the language of sizes at the border: what npexport says of sizes is said in it, and what it says is taken."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from npexport import Dim, UserError, export
from npexport.symshapes import expr as E
from npexport.symshapes.constructors import maximum, minimum
from npexport.symshapes.rewrite import evaluate
from npexport.symshapes.sympy_interop import from_sympy, to_sympy
from tests.support.forms import reloaded

S0 = sympy.Symbol("s0", integer=True)
S1 = sympy.Symbol("s1", integer=True)
X = np.ones((4, 6))


def flat(x):
    return x[: x.shape[0] // 2].reshape(-1) * 2


def test_range_constraints_have_sympy_keys():
    ep = export(lambda x, y: x[1:] + y, (np.ones(5), np.ones(4)), dynamic_shapes=({0: Dim("d", max=9) + 1}, {0: Dim("d", max=9)}))
    assert set(ep.range_constraints) == {S0, S0 + 1} or set(ep.range_constraints) == {S0, S0 - 1}
    ep = export(flat, (X,), dynamic_shapes=({0: Dim("n", min=2, max=8)},))
    assert str(ep.range_constraints) == "{s0: VR[2, 8]}"
    assert ep.range_constraints[S0].upper == 8
    ep.range_constraints.clear()
    assert ep.range_constraints, "what is handed out is the caller's own"
    assert export(flat, (X,)).range_constraints == {}


def test_sizes_of_metas_are_sympy_expressions():
    ep = export(flat, (X,), dynamic_shapes=({0: Dim("n")},))
    (size,) = ep.graph.nodes[-1].args[0][0].meta["val"].shape
    assert size.expr == 6 * sympy.floor(S0 / 2) and sympy.sympify(size) == size.expr
    assert sympy.simplify(size.expr.subs(S0, 9)) == 24


def test_guards_are_sympy_relations():
    ep = export(lambda x: x.reshape(-1, 3), (np.ones(6),), dynamic_shapes=({0: Dim.AUTO},))
    relations = [guard.expr for guard in ep.guards] + [sympy.sympify(guard) for guard in ep.guards]
    for relation in relations:
        assert relation.subs(S0, 9) == True and relation.subs(S0, 10) == False  # noqa: E712  SymPy's truths


def test_dims_are_sympy_expressions():
    n = Dim("n", min=1, max=5)
    assert sympy.sympify(2 * n + 1) == 2 * sympy.Symbol("n", integer=True) + 1


@pytest.mark.parametrize("upper", [8, sympy.Integer(8), np.int64(8), sympy.oo, float("inf")], ids=str)
def test_bounds_are_any_integers(upper):
    n = Dim("n", max=upper)
    ep = export(flat, (X,), dynamic_shapes=({0: n},))
    assert ep.range_constraints[S0].upper == (8 if upper == 8 else ep.range_constraints[S0].upper)
    assert type(n.max) is int or str(n.max) == "int_oo"


@pytest.mark.parametrize("bad", [sympy.Symbol("n"), sympy.Rational(1, 2), sympy.Integer(-1), True, "8", 1.5, np.ones(3)], ids=str)
def test_bounds_that_are_none(bad):
    with pytest.raises(UserError) as raised:
        Dim("n", max=bad)
    assert raised.value.code == "E302"


def test_specifications_in_sympy():
    d = sympy.Symbol("d", integer=True)
    spec = {"x": {0: d + 1, 1: sympy.Integer(6)}, "y": {0: Dim("d", max=20)}}
    ep = export(lambda x, y: x[1:] + y[:, None], (np.ones((5, 6)), np.ones(4)), dynamic_shapes=spec)
    assert sorted(str(found) for found in ep.range_constraints.values()) == ["VR[0, 20]", "VR[1, 21]"]
    assert ep.module()(np.ones((8, 6)), np.ones(7)).shape == (7, 6)


@pytest.mark.parametrize("size", [sympy.Symbol("a") + sympy.Symbol("b"), sympy.sqrt(sympy.Symbol("a")), sympy.pi], ids=str)
def test_specifications_that_are_no_sizes(size):
    with pytest.raises(UserError) as raised:
        export(flat, (X,), dynamic_shapes=({0: size},))
    assert raised.value.code == "E302"


def test_sympy_is_not_imported_until_it_is_asked_for():
    program = """
import sys, io, numpy as np
from npexport import Dim, export, save, load
ep = export(lambda x: x[: x.shape[0] // 2].reshape(-1, 2), (np.ones(8),), dynamic_shapes=({0: Dim.AUTO},))
file = io.BytesIO(); save(ep, file); file.seek(0)
again = load(file)
again.module()(np.ones(12)); str(again); ep.guards
assert "sympy" not in sys.modules
ep.range_constraints
assert "sympy" in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


# The two algebras agree


def expressions():
    atoms = st.one_of(st.sampled_from(["s0", "s1"]).map(E.symbol), st.integers(-4, 9).map(E.integer))

    def grown(inner):
        positive = st.integers(1, 6)
        return st.one_of(
            st.tuples(inner, inner).map(lambda ab: ab[0] + ab[1]),
            st.tuples(inner, inner).map(lambda ab: ab[0] * ab[1]),
            st.tuples(inner, positive).map(lambda ab: E.floordiv(*ab)),
            st.tuples(inner, positive).map(lambda ab: E.mod(*ab)),
            st.tuples(inner, inner).map(lambda ab: minimum(*ab)),
            st.tuples(inner, inner).map(lambda ab: maximum(*ab)),
        )

    return st.recursive(atoms, grown, max_leaves=6)


@settings(max_examples=150, deadline=None)
@given(expressions(), st.integers(0, 40), st.integers(0, 40))
def test_both_algebras_give_the_same_numbers(expression, s0, s1):
    there = to_sympy(expression)
    assert there.subs({S0: s0, S1: s1}) == evaluate(expression, {"s0": s0, "s1": s1})
    back = from_sympy(there)
    assert evaluate(back, {"s0": s0, "s1": s1}) == evaluate(expression, {"s0": s0, "s1": s1})


@settings(max_examples=80, deadline=None)
@given(expressions(), expressions(), st.integers(0, 40), st.integers(0, 40))
def test_relations_hold_in_both_or_in_neither(a, b, s0, s1):
    numbers = {"s0": s0, "s1": s1}
    for truth in (a >= b, E.eq(a, b), E.ne(a, b)):
        there = sympy.sympify(to_sympy(truth))
        assert bool(there.subs({S0: s0, S1: s1})) is bool(evaluate(truth, numbers))


def test_programs_survive_with_their_ranges():
    ep = export(flat, (X,), dynamic_shapes=({0: 2 * Dim("n", max=8)},))
    assert reloaded(ep).range_constraints == ep.range_constraints
