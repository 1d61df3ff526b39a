"""Generators that are passed in, that the exported object holds, and that are spawned: to the bit what eager NumPy draws and leaves."""

from __future__ import annotations

import copy
import io
import json
import operator
import pickle
import random
import zipfile
from typing import Any

import numpy as np
import pytest

import npexport
from npexport import (
    ConstraintViolation,
    CustomObjArgument,
    Dim,
    ExportError,
    InputKind,
    InputMismatch,
    LoadError,
    OutputKind,
    export,
    load,
    save,
)
from npexport.ir import archive, random_states
from tests.support.comparison import said
from tests.support.forms import FORMS

X = np.arange(4.0) + 1
BIT_GENERATORS = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")
OUTSIDE = np.random.default_rng(4)
PYTHONS = random.Random(4)


def seeded(name: str = "PCG64", seed: Any = 7) -> Any:
    return np.random.Generator(getattr(np.random, name)(seed))


def left(rng: Any) -> Any:
    return repr(rng.bit_generator.state), rng.bit_generator.seed_seq.n_children_spawned


class Holder:
    def __init__(self, name: str = "PCG64") -> None:
        self.rngs = {"own": seeded(name, 3)}
        self.same = self.rngs["own"]

    def __call__(self, x: Any) -> Any:
        return x + self.rngs["own"].normal(size=x.shape), self.same.random()


def arrays(rng: Any, x: Any) -> Any:
    rng.shuffle(x)
    out = np.empty(len(x), np.float32)
    drawn = rng.random(out=out, dtype=np.float32)
    return (
        drawn is out,
        out,
        rng.permuted(x),
        rng.choice(x, (2, 2)),
        rng.normal(x, size=(2, len(x))),
        rng.multivariate_normal([0, 1.0], np.eye(2)),
    )


def scalars(rng: Any, x: Any) -> Any:
    return (
        rng.random(),
        rng.normal(x[0]),
        rng.integers(9),
        rng.integers(9, dtype=int),
        rng.integers(2, dtype=bool),
        rng.poisson(3.0),
        rng.choice(5),
    )


def spawned(rng: Any, x: Any) -> Any:
    first, second = rng.spawn(2)
    return second.random(len(x)), first.spawn(1)[0].normal(x), rng.spawn(1)[0].integers(9, size=3)


def one_state(rng: Any, x: Any) -> Any:
    other = np.random.Generator(rng.bit_generator)
    return other.random(3), rng.random(3), np.random.default_rng(rng) is rng, type(rng.bit_generator).__name__


def raising(rng: Any, x: Any) -> Any:
    rng.random(2)
    x[0] = rng.random()
    return rng.normal(0, x), rng.random()


def branches(rng: Any, x: Any) -> Any:
    y = npexport.cond(x.sum() > 0, lambda: x * rng.random(), lambda: x * 2)
    return y, npexport.map(lambda v: v + rng.random(2), x), rng.random()


def loops(rng: Any, x: Any) -> Any:
    def body(i: Any, y: Any) -> Any:
        return i + 1, npexport.cond(y[0] > 1, lambda: y - rng.random(len(y)), lambda: y + 1.0)

    found = npexport.while_loop(lambda i, y: i < 5, body, (0, x))
    return found, npexport.scan(lambda c, v: (c + rng.normal(), v * rng.random()), np.float64(0), x)


def without_seeds(rng: Any, x: Any) -> Any:
    """Generators that nothing draws from need no seed."""
    own, legacy = np.random.default_rng(), np.random.RandomState(None)
    order = np.random.default_rng(own).permutation(x) if len(x) > 1000 else x
    return order, isinstance(own, np.random.Generator), type(legacy).__name__, rng.random()


def copies(rng: Any, x: Any) -> Any:
    """Copies draw what the generators draw from then on, and spawn the same children."""
    own, held = np.random.default_rng(3), {"rng": rng}
    other, again = copy.deepcopy(own), copy.deepcopy(held)["rng"]
    if x[0] > 0:
        x = x + copy.deepcopy(rng).random()
    same = copy.copy(rng).random()
    return (
        x,
        own.random(len(x)),
        other.random(len(x)),
        same,
        again.random(),
        rng.random(),
        again.spawn(1)[0].random(),
        rng.spawn(1)[0].random(),
    )


def moved(rng: Any, x: Any) -> Any:
    """Bit generators that the program moves."""
    source = np.random.PCG64(3)
    far = np.random.Generator(source.jumped(2))
    source.advance(5)
    return far.random(len(x)), np.random.Generator(source).normal(x), np.random.default_rng(np.random.MT19937(3).jumped()).random(2)


def seeds_of_data(rng: Any, x: Any) -> Any:
    """Generators whose seeds are data or sizes."""
    drawn = rng.integers(2**40)
    own, legacy = np.random.default_rng(drawn), np.random.RandomState(len(x))
    philox = np.random.Generator(np.random.Philox(seed=int(abs(x[0]) * 9)))
    several = [np.random.default_rng(seed).random() for seed in rng.integers(9, size=2)]
    return own.random(2), legacy.randn(2), philox.normal(x), several, np.random.default_rng([drawn, 3, len(x)]).spawn(1)[0].random()


def a_negative_seed(rng: Any, x: Any) -> Any:
    return (np.random.default_rng(-1 - rng.integers(2**40)).random(),)


PROGRAMS = [arrays, scalars, spawned, one_state, raising, branches, loops, without_seeds, copies, moved, seeds_of_data, a_negative_seed]


def outcome(program: Any, rng: Any, x: Any) -> Any:
    x = x.copy()
    result = said(program, rng, x)
    return result, [type(item) for item in result], x, left(rng)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("dynamic", [False, True])
def test_draws_and_states_are_those_of_eager(program: Any, dynamic: bool) -> None:
    shapes = (None, {0: Dim("n", min=2, max=50)}) if dynamic else None
    for form in FORMS.values():
        run = form(export(program, (seeded(), X.copy()), dynamic_shapes=shapes)).module()
        for seed in (1, [5, 2**70]):
            ours, theirs = seeded(seed=seed), seeded(seed=seed)
            for x in (X, -X, *([np.ones(7)] if dynamic else [])):
                np.testing.assert_equal(outcome(run, ours, x), outcome(program, theirs, x))


@pytest.mark.parametrize("name", BIT_GENERATORS)
def test_every_bit_generator(name: str) -> None:
    for program in (arrays, scalars, spawned):
        run = export(program, (seeded(name), X.copy())).module()
        ours, theirs = seeded(name, 11), seeded(name, 11)
        np.testing.assert_equal(outcome(run, ours, X), outcome(program, theirs, X))


@pytest.mark.parametrize("name", BIT_GENERATORS)
def test_a_held_generator_is_state(name: str) -> None:
    held, eager = Holder(name), Holder(name)
    exported = export(held, (X,))
    (spec,) = [spec for spec in exported.graph_signature.input_specs if spec.kind is InputKind.CUSTOM_OBJ]
    assert isinstance(spec.arg, CustomObjArgument) and spec.arg.fake_val == name
    assert exported.graph_signature.output_specs[0].kind is OutputKind.BUFFER_MUTATION
    for form in FORMS.values():
        runs, again = [form(exported).module() for _ in range(2)], copy.deepcopy(eager)
        for _ in range(3):
            expected = again(X)
            for run in runs:
                np.testing.assert_equal(run(X), expected)
        np.testing.assert_equal(copy.deepcopy(runs[0])(X), again(X))
    assert left(held.same) == left(eager.same)


def test_the_signature_and_the_graph() -> None:
    exported = export(lambda rng, x: x + rng.normal(size=4) - rng.normal(size=4), (seeded(), X))
    spec = exported.graph_signature.input_specs[0]
    assert spec.kind is InputKind.USER_INPUT and spec.arg == CustomObjArgument("rng", "numpy.random.Generator", "PCG64")
    assert list(exported.graph_signature.user_inputs_to_mutate.values()) == ["rng"]
    npexport.passes.share(exported)
    draws = [node for node in exported.graph.nodes if str(node.target) == "ops.random.normal"]
    assert len(draws) == 2
    assert draws[1].args[0].args == (draws[0], 0)


def test_an_export_draws_nothing() -> None:
    rng = seeded()
    before = left(rng)
    export(arrays, (rng, X.copy()))
    assert left(rng) == before


@pytest.mark.parametrize(
    "given",
    [seeded("MT19937"), 3, np.random.RandomState(3), np.random.PCG64(3), np.ones(16, np.uint64)],
    ids=["bit generator", "number", "RandomState", "PCG64", "words"],
)
def test_other_inputs_are_refused(given: Any) -> None:
    run = export(arrays, (seeded(), X.copy())).module()
    with pytest.raises(InputMismatch, match="rng: expected a numpy.random.Generator over PCG64"):
        run(given, X.copy())


def test_two_generators_are_two() -> None:
    rng = seeded()
    run = export(lambda a, b: (a.random(), b.random()), (rng, seeded(seed=2))).module()
    with pytest.raises(InputMismatch, match="b: expected a generator of its own, got one that draws from the bit generator of a"):
        run(rng, np.random.Generator(rng.bit_generator))


def _twice() -> Any:
    rng = seeded()
    return export(lambda a, b: (a.random(), b[0].random()), (rng, [np.random.Generator(rng.bit_generator)]))


class Both:
    def __init__(self) -> None:
        self.own = seeded()

    def __call__(self, rng: Any) -> Any:
        return self.own.random() + rng.random()


def _both() -> Any:
    both = Both()
    return export(both, (both.own,))


def _exported(program: Any) -> Any:
    return lambda: export(program, (seeded(), X.copy()))


def _spawns_of_jumped(rng: Any, x: Any, taken: Any = lambda made: made) -> Any:
    made = np.random.Generator(np.random.MT19937(1).jumped())
    drawn = made.standard_gamma(x * x + 0.1)
    return drawn, taken(made).spawn(1)[0].random()


@pytest.mark.parametrize(
    ("program", "text"),
    [
        (lambda rng, x: np.random.seed(3), "np.random.RandomState(0)"),
        (lambda rng, x: rng.bit_generator.state, "the methods of the generator"),
        (lambda rng, x: rng.bit_generator.advance(2), "the methods of the generator"),
        (lambda rng, x: np.random.RandomState(np.random.PCG64(0)).rand(), "np.random.RandomState(0)"),
    ],
)
def test_hints_of_hidden_states_fit(program, text):
    with pytest.raises(ExportError) as caught:
        _exported(program)()
    assert caught.value.code == "E107" and text in caught.value.hint


@pytest.mark.parametrize(
    ("build", "code"),
    [
        (_twice, "E202"),
        (_both, "E120"),
        (lambda: export(lambda rng: rng.rand(), (np.random.RandomState(np.random.PCG64(0)),)), "E202"),
        (lambda: export(lambda rng: rng.random(), (np.random.Generator(type("Own", (np.random.PCG64,), {})(0)),)), "E202"),
        (_exported(lambda rng, x: OUTSIDE.random(3)), "E107"),
        (_exported(lambda rng, x: OUTSIDE.bit_generator.state["has_uint32"]), "E107"),
        (_exported(lambda rng, x: operator.attrgetter("bit_generator.seed_seq.n_children_spawned")(OUTSIDE)), "E107"),
        (_exported(lambda rng, x: PYTHONS.gauss_next), "E107"),
        (_exported(lambda rng, x: vars(PYTHONS)["gauss_next"]), "E107"),
        (_exported(lambda rng, x: np.random.rand(3)), "E107"),
        (_exported(lambda rng, x: np.random.seed(3)), "E107"),
        (_exported(lambda rng, x: pickle.loads(pickle.dumps(np.random.default_rng(3))).random()), "E107"),
        (_exported(lambda rng, x: copy.copy(rng.bit_generator).spawn(2)), "E107"),
        (_exported(lambda rng, x: np.random.Generator(np.random.PCG64(3).jumped()).spawn(1)[0].random()), "E107"),
        (_exported(lambda rng, x: np.random.PCG64(3).jumped().seed_seq.entropy), "E107"),
        (_exported(_spawns_of_jumped), "E107"),
        (_exported(lambda rng, x: _spawns_of_jumped(rng, x, copy.deepcopy)), "E107"),
        (_exported(lambda rng, x: np.random.default_rng(x[0]).random()), "E107"),
        (_exported(lambda rng, x: np.random.RandomState(np.random.PCG64(rng.integers(9))).rand()), "E107"),
        (_exported(lambda rng, x: rng.bit_generator.state), "E107"),
        (_exported(lambda rng, x: rng.bit_generator.seed_seq.entropy), "E107"),
        (_exported(lambda rng, x: setattr(rng.bit_generator, "state", np.random.PCG64(3).state)), "E107"),
        (_exported(lambda rng, x: rng), "E115"),
        (_exported(lambda rng, x: rng.random(out=np.empty((2, 2), order="F"))), "E121"),
        (_exported(lambda rng, x: rng.standard_gamma(x, out=x)), "E120"),
        (_exported(lambda rng, x: npexport.while_loop(lambda y: rng.random() < 1, lambda y: y + 1, (x,))), "E128"),
    ],
)
def test_refused(build: Any, code: str) -> None:
    with pytest.raises(ExportError) as caught:
        build()
    assert caught.value.code == code
    assert caught.value.hint


@pytest.mark.parametrize(
    "program",
    [
        lambda rng, x: rng.normal(0, -1.0),
        lambda rng, x: rng.integers(5, 2),
        lambda rng, x: rng.normal(size=-2),
        lambda rng, x: rng.normal(size=2.5),
        lambda rng, x: rng.normal(x, size=3),
        lambda rng, x: rng.random(out=np.empty(3, np.float32)),
        lambda rng, x: rng.random(size=2, out=np.empty(3)),
        lambda rng, x: rng.random(out=np.empty((3, 3))[:, 0]),
        lambda rng, x: rng.poisson(x * 1j),
        lambda rng, x: rng.choice(x, 9, replace=False),
        lambda rng, x: rng.normal(1, 2, 3, 4),
        lambda rng, x: np.random.default_rng(0).shuffle(x.sum()),
        lambda rng, x: np.random.default_rng(0).shuffle((1, 2)),
        lambda rng, x: np.random.default_rng(0).shuffle(3),
    ],
)
def test_errors_are_numpys(program: Any) -> None:
    with pytest.raises((TypeError, ValueError)) as eager:
        program(seeded(), X)
    with pytest.raises((TypeError, ValueError)) as ours:
        export(program, (seeded(), X)).module()(seeded(), X)
    assert type(ours.value) is type(eager.value)


def test_a_size_that_out_must_have() -> None:
    """The size is a condition on the size of `out`, which was not asked where it is dynamic."""

    def program(rng: Any, x: Any) -> Any:
        return rng.standard_gamma(2.0, size=3, out=x)

    with pytest.raises(ConstraintViolation):
        export(program, (seeded(), X[:3].copy()), dynamic_shapes=(None, {0: Dim("n", min=2, max=9)}))
    run = export(program, (seeded(), X[:3].copy()), dynamic_shapes=(None, {0: Dim.AUTO})).module()
    np.testing.assert_equal(run(seeded(), X[:3].copy()), program(seeded(), X[:3].copy()))
    with pytest.raises(InputMismatch):
        run(seeded(), np.ones(5))


def test_shuffles_of_nothing_to_exchange() -> None:
    def program(x: Any) -> Any:
        np.random.default_rng(0).shuffle(x.shape)
        np.random.default_rng(0).shuffle("a")
        np.random.default_rng(0).shuffle(())
        return x + 1

    np.testing.assert_array_equal(export(program, (np.ones(3),)).module()(np.ones(3)), np.full(3, 2.0))


def test_a_long_seed_spawns_nothing() -> None:
    run = export(spawned, (seeded(), X)).module()
    with pytest.raises(ValueError, match="seeds that have more than 16 words"):
        run(seeded(seed=2**600), X)
    np.testing.assert_array_equal(
        export(lambda rng: rng.random(3), (seeded(),)).module()(seeded(seed=2**600)), seeded(seed=2**600).random(3)
    )


def _hostile(change: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """An archive whose held state is otherwise, which `save` refuses to write by itself."""
    words = random_states.pack(seeded(name, 3).bit_generator)
    exported = export(Holder(name), (X,))
    changed = words.copy()
    changed[change[0]] = change[1]
    exported.constants[next(iter(exported.constants))] = changed
    file = io.BytesIO()
    with pytest.raises(ExportError, match="E902"):
        save(exported, file)
    monkeypatch.setattr(archive, "require_valid", lambda program: None)
    save(exported, file)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "change"),
    [("PCG64", (3, 4)), ("PCG64", (4, 2)), ("PCG64", (5, 1 << 40)), ("PCG64", (7, 99)), ("MT19937", (624, 625)), ("MT19937", (5, 1 << 33)),
     ("Philox", (10, 5)), ("Philox", (10, 0)), ("SFC64", (slice(None), 0)), ("MT19937", (slice(624), 0))],
)  # fmt: skip
def test_hostile_states_are_refused(name: str, change: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LoadError):
        load(io.BytesIO(_hostile(change, name, monkeypatch)))


@pytest.mark.parametrize("field", [["numpy.random.Generator", "PCG65"], ["os.system", "PCG64"], ["numpy.random.Generator"], []])
def test_other_classes_are_refused(field: list[str]) -> None:
    file, other = io.BytesIO(), io.BytesIO()
    save(export(arrays, (seeded(), X.copy())), file)
    with zipfile.ZipFile(file) as written, zipfile.ZipFile(other, "w") as changed:
        for entry in written.namelist():
            data = written.read(entry)
            if entry.endswith(".json") and b"CustomObjArgument" in data:
                document = json.loads(data)
                document["inputs"][0]["arg"][2:] = field
                data = json.dumps(document).encode()
            changed.writestr(entry, data)
    other.seek(0)
    with pytest.raises(LoadError):
        load(other)


@pytest.mark.parametrize("name", ["permutation", "choice", "shuffle"])
def test_what_is_tried_draws_once(name: str) -> None:
    def f(x: Any) -> Any:
        rng, y = np.random.default_rng(0), x.copy()
        try:
            found = getattr(rng, name)(y)
        except ValueError:
            found = None
        return found, y, rng.random()

    run = export(f, (X,), dynamic_shapes=({0: Dim.AUTO},)).module()
    for got, wanted in zip(run(X), f(X), strict=True):
        np.testing.assert_array_equal(got, wanted)
