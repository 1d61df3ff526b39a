"""`RandomState` objects that are passed in, held or made in the program: to the bit what eager NumPy draws and leaves."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import npexport
from npexport import CustomObjArgument, Dim, ExportError, InputKind, InputMismatch, export
from tests.support.comparison import said
from tests.support.forms import FORMS

X = np.arange(4.0) + 1


def seeded(seed: int = 7, normals: int = 1) -> Any:
    made = np.random.RandomState(seed)
    made.randn(normals)  # of an odd number the next one is kept
    return made


def left(state: Any) -> Any:
    return repr(state.get_state(legacy=False))


def elements(rs: Any, x: Any) -> Any:
    return (
        rs.rand(),
        rs.randn(2, len(x)),
        rs.randint(9),
        rs.randint(0, [3, 9], dtype=np.int8),
        rs.randint(2, dtype=bool),
        rs.random_sample(3),
        rs.normal(x, 2.0),
        rs.exponential(size=len(x)),
        rs.binomial(10, 0.3),
        rs.gamma(x),
        rs.multivariate_normal([0, 1.0], np.eye(2)),
        rs.multinomial(9, [0.2, 0.8], size=2),
        rs.dirichlet(x),
    )


def orders(rs: Any, x: Any) -> Any:
    rs.shuffle(x)
    pairs = np.stack([x, -x], axis=1)
    rs.shuffle(pairs)
    return (
        pairs,
        rs.permutation(pairs),
        rs.permutation(len(x)),
        rs.choice(x, 2, replace=False),
        rs.choice(5),
        rs.choice(x, 3, p=x / x.sum()),
    )


def walk(rs: Any, x: Any) -> Any:
    total, steps = 0.0, 0
    while total < 3:
        total, steps = total + abs(rs.randn()), steps + 1
    kept = x * rs.rand() if x[0] > 0 else x - rs.randn()
    return total, steps, kept, [v * rs.rand() for v in x], npexport.scan(lambda c, v: (c + rs.normal(), v * rs.rand()), np.float64(0), x)


def of_its_own(rs: Any, x: Any) -> Any:
    own = np.random.RandomState(3)
    drawn = own.rand(len(x))
    total = own.rand()
    for v in x:
        total = total + v * own.randn()
    return drawn, total + own.rand() if x[0] > 0 else total - own.randn(), isinstance(rs, np.random.RandomState), type(rs).__name__


@pytest.mark.parametrize("program", [elements, orders, walk, of_its_own])
def test_draws_and_states_are_those_of_eager(program: Any) -> None:
    exported = export(program, (seeded(), X.copy()), dynamic_shapes=(None, {0: Dim("n", min=2, max=50)}))
    for form in FORMS.values():
        run = form(exported).module()
        ours, theirs = seeded(1), seeded(1)
        for x in (X, -X, np.ones(7)):
            if program is elements or program is orders:
                x = abs(x)
            mine, eager = x.copy(), x.copy()
            np.testing.assert_equal((said(run, ours, mine), mine, left(ours)), (said(program, theirs, eager), eager, left(theirs)))


class Holder:
    def __init__(self) -> None:
        self.rs = seeded(3)

    def __call__(self, x: Any) -> Any:
        return x * (self.rs.rand(*x.shape) > 0.5), self.rs.randn()


def test_a_held_one_is_state() -> None:
    held, eager = Holder(), Holder()
    exported = export(held, (X,))
    (spec,) = [spec for spec in exported.graph_signature.input_specs if spec.kind is InputKind.CUSTOM_OBJ]
    assert spec.arg == CustomObjArgument(spec.arg.name, "numpy.random.RandomState", "RandomState")
    for form in FORMS.values():
        run, again = form(exported).module(), copy.deepcopy(eager)
        for _ in range(3):
            np.testing.assert_equal(run(X), again(X))
    assert left(held.rs) == left(eager.rs)


@pytest.mark.parametrize("given", [np.random.default_rng(3), np.random.RandomState(np.random.PCG64(3)), 3], ids=["Generator", "PCG64", "3"])
def test_other_inputs_are_refused(given: Any) -> None:
    with pytest.raises(InputMismatch, match="rs: expected a numpy.random.RandomState over MT19937"):
        export(elements, (seeded(), X.copy())).module()(given, X.copy())


class Shared:
    def __init__(self) -> None:
        self.rs = np.random.RandomState(memory := np.random.MT19937(3))
        self.rng = np.random.Generator(memory)

    def __call__(self, rs: Any, x: Any) -> Any:
        return self.rs.rand() + self.rng.random()


@pytest.mark.parametrize(
    ("program", "code", "hint"),
    [
        (lambda rs, x: rs.get_state(), "E107", "methods of the generator"),
        (lambda rs, x: rs.seed(3), "E107", "methods of the generator"),
        (lambda rs, x: rs._bit_generator.state, "E107", "methods of the generator"),
        (lambda rs, x: np.random.Generator(rs._bit_generator).random(), "E107", "Pass a numpy.random.Generator"),
        (lambda rs, x: rs.random_integers(3), "E107", "rs.randint(low, high + 1)"),
        (lambda rs, x: copy.deepcopy(rs).rand(), "E107", "methods of the generator"),
        (lambda rs, x: rs, "E115", ""),
        (Shared(), "E120", "of its own"),
    ],
)
def test_what_is_refused(program: Any, code: str, hint: str) -> None:
    with pytest.raises(ExportError) as caught:
        export(program, (seeded(), X.copy()))
    assert (caught.value.code, hint in caught.value.hint) == (code, True), caught.value.hint
