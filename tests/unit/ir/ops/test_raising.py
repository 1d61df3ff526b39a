"""The table of what operators raise for some data: their samples with other data raise nothing that it does not name."""

from __future__ import annotations

import copy
import dataclasses
import importlib.util
import warnings
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, Unsupported, export
from npexport.ir import ops
from npexport.ir.graph import CALL, PLACEHOLDER, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.ops.bounds import extent
from npexport.ir.ops.counts import arithmetic
from npexport.ir.ops.evaluation import UNKNOWN, number
from npexport.ir.opset import OPSET_VERSION
from tests.op_samples import has_samples, samples_of
from tests.support.records import arrays_of, describe

POOLS = {
    "b": [False, True], "i": [-128, -9, -1, 0, 1, 2, 5, 99], "u": [0, 1, 2, 7, 100], "f": [np.nan, np.inf, -1, 0, 0.5, 2, 1e6],
    "m": [0, 1, -1, 2**62], "M": [0, 1, -1, 2**62], "U": ["", "abc", "1", "é"], "S": [b"", b"abc", b"1", b"\xff"],
    "T": ["", "abc", "1", "é" * 20],
}  # fmt: skip
ATTEMPTS = 4
ALLOCATING = {ops.np.histogram_bin_edges}
"""How much memory they take depends on data."""
RECORDS = [op for op in ops.REGISTRY if op.namespace in ("np", "nn") and has_samples(op) and op not in ALLOCATING]


def other(value: Any, rng: np.random.Generator) -> Any:
    """The argument with other data: few values or many, of which some are bad."""
    if isinstance(value, (tuple, list)) and any(isinstance(item, np.ndarray) for item in value):
        return type(value)([other(item, rng) for item in value])
    if not isinstance(value, np.ndarray) or value.dtype.names is not None:
        return value
    if value.dtype.kind == "c":
        return (other(value.real, rng) + 1j * other(value.imag, rng)).astype(value.dtype).reshape(value.shape)
    pool = POOLS[value.dtype.kind]
    chosen = [pool[place] for place in rng.integers(0, len(pool), 2)] if rng.random() < 0.5 else pool
    numbers = np.array(chosen, np.int64 if value.dtype.kind in "mM" else None)[rng.integers(0, len(chosen), value.shape)]
    return np.asarray(numbers.view(value.dtype) if value.dtype.kind in "mM" else numbers.astype(value.dtype)).reshape(value.shape)


def as_node(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)([as_node(item) for item in value])
    return Node("x", PLACEHOLDER, "x", (), {}, {"val": describe(value)}) if isinstance(value, np.ndarray) else value


def has_data(op: Op) -> bool:
    return any(arrays_of(op.bind(*sample)) for sample in samples_of(op))


@pytest.mark.parametrize("op", [op for op in RECORDS if has_data(op)], ids=str)
def test_what_data_raise_is_in_the_table(op: Op) -> None:
    rng = np.random.default_rng(len(op.name))
    tried = 0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for sample in samples_of(op):
            args, kwargs = op.bind(*sample)
            try:
                op.kernel(*copy.deepcopy(args), **copy.deepcopy(kwargs))
            except Exception:  # which is no matter of data
                continue
            tried += bool(arrays_of(args) or arrays_of(kwargs))
            for _ in range(ATTEMPTS):
                given, named = other(args, rng), {name: other(value, rng) for name, value in kwargs.items()}
                try:
                    op.kernel(*copy.deepcopy(given), **copy.deepcopy(named))
                except Exception as error:
                    found = op.errors(as_node(given), {name: as_node(value) for name, value in named.items()})
                    assert isinstance(error, found), f"{error!r}, not one of {found}: {given} {named}"
    assert tried


def test_operators_without_data_make_arrays_or_compute_scalars() -> None:
    without = {op.name for op in RECORDS if not has_data(op) and not op.name.startswith("scalar_")}
    assert without == {"zeros", "ones", "empty", "arange", "eye", "identity", "tri", "indices"}


def test_every_operator_states_what_data_raise() -> None:
    if importlib.util.find_spec("scipy") is not None:
        assert ops.scipy.erf.raises == (), "asking for one registers all of SciPy's"
    assert [op for op in ops.REGISTRY if op.raises is None and op.namespace in OPSET_VERSION] == []


@pytest.fixture
def stranger(monkeypatch: pytest.MonkeyPatch) -> Op:
    """An operator of another namespace that is called like one of NumPy's, and whose record states nothing."""
    monkeypatch.setattr(ops.REGISTRY, "_by_name", dict(ops.REGISTRY._by_name))
    monkeypatch.setattr(ops.REGISTRY, "_by_model", dict(ops.REGISTRY._by_model))
    return ops.REGISTRY.register(Op("stranger", "ceil", lambda x: TensorMeta(x.shape, x.dtype, not x.shape), _shifted))


def _shifted(x: Any) -> Any:
    """No ceiling at all."""
    if np.any(x < 0):
        raise ValueError("negative")
    return x - 100


def test_facts_are_about_operators_and_not_about_names(stranger: Op) -> None:
    operand = Node("x", PLACEHOLDER, "x", (), {}, {"val": describe(np.int64(3))})
    for name in ("ceil", "sum", "remainder", "argmax", "zeros"):
        op = dataclasses.replace(stranger, name=name)
        node = Node("n", CALL, op, (operand, 2), {}, {"val": describe(np.int64(3))})
        assert extent(node) is None and number(node, {}) is UNKNOWN and arithmetic(node) is None


def test_an_operator_that_states_nothing_may_raise_anything(stranger: Op) -> None:
    def dead(x: Any) -> Any:
        stranger(x)
        return x

    def caught(x: Any) -> Any:
        try:
            return stranger(x)
        except ValueError:
            return x

    program = export(dead, (np.ones(3),))
    assert program.module()(np.ones(3)).tolist() == [1, 1, 1]
    with pytest.raises(ValueError, match="negative"):
        program.module()(-np.ones(3))
    with pytest.raises(ExportError, match="E126"):
        export(caught, (np.ones(3),))


def test_a_mode_takes_back_what_places_raise_and_nothing_else() -> None:
    x, places, texts = (
        Node(name, PLACEHOLDER, name, (), {}, {"val": describe(array)})
        for name, array in (
            ("x", np.ones(3)),
            ("places", np.ones(3, int)),
            ("texts", np.array(["a", "b", "c"])),
        )
    )
    assert ops.np.put.errors((x, places, x), {"mode": "clip"}) == ops.np.take.errors((x, places), {"mode": "wrap"}) == ()
    assert ops.np.put.errors((x, places, texts), {"mode": "clip"}) == (ValueError,)
    assert ops.np.put.errors((x, places, x, "clip"), {}) == ()
    assert ops.np.take.errors((x, places), {}) == (IndexError,)


SURE = {
    "a maximum": lambda x, rng: x[x[:, 0].argmax()],
    "along another axis": lambda x, rng: x[..., x[0].argmin()],
    "behind an ellipsis": lambda x, rng: x[None, ..., x.argmax(1)],
    "of an order": lambda x, rng: x[np.argsort(x[:, 1])[::-1], 1:],
    "drawn": lambda x, rng: x[rng.integers(0, len(x), 4)],
    "drawn with the end": lambda x, rng: x[rng.integers(-4, 3, 9, endpoint=True)],
    "of a permutation": lambda x, rng: x[rng.permutation(len(x))],
    "of a shuffled array": lambda x, rng: x[shuffled(rng, np.arange(len(x)))],
    "chosen": lambda x, rng: x[rng.choice(len(x), 2, replace=False)],
    "chosen among places": lambda x, rng: x[rng.choice(np.argsort(x[:, 0]), 2)],
}
UNSURE = {
    "of the other axis": lambda x, rng: x[:, x[:, 0].argmax()],
    "one too far": lambda x, rng: x[x[:, 0].argmax() + 1],
    "too far below": lambda x, rng: x[rng.integers(-5, 4, 9)],
    "drawn with the end": lambda x, rng: x[rng.integers(0, len(x), 4, endpoint=True)],
    "of more": lambda x, rng: x[rng.permutation(len(x) + 1)],
    "given": lambda x, rng: x[rng.choice(x[0].astype(int), 2)],
    "behind an ellipsis": lambda x, rng: x[..., x[:, 0].argmax(), None],
}


def shuffled(rng, places):
    rng.shuffle(places)
    return places


@pytest.mark.parametrize("dynamic", [None, {0: Dim("n", min=4)}], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", [*SURE, *[f"not {name}" for name in UNSURE]])
def test_places_that_are_there_whatever_the_data_are_raise_nothing(name: str, dynamic: Any) -> None:
    program = SURE[name] if name in SURE else UNSURE[name.removeprefix("not ")]
    example = np.arange(12.0).reshape(4, 3)
    exported = export(program, (example, np.random.default_rng(0)), dynamic_shapes=(dynamic, None))
    errors = [node.target.errors(node.args, node.kwargs) for node in exported.graph if node.target in (ops.np.getitem, ops.np.index)]
    assert ((IndexError,) in errors) is (name not in SURE)
    run = exported.module()
    for seed in range(20):
        x, mine, theirs = np.random.default_rng(seed).normal(size=(4, 3)), np.random.default_rng(seed), np.random.default_rng(seed)
        try:
            wanted = program(x, theirs)
        except IndexError as error:
            assert name not in SURE, error
        else:
            np.testing.assert_array_equal(run(x, mine), wanted)


@pytest.mark.parametrize(("most", "raises"), [(1, False), (2**62, False), (2**63, True)])
def test_an_integer_that_a_branch_chooses_is_one_of_the_two(most: int, raises: bool) -> None:
    exported = export(lambda x, y: y[0] - (most if x[0] > 0 else 0), (np.ones(2), np.ones(2, int)))
    assert any("raises" in node.meta for node in exported.graph) is raises


@pytest.mark.parametrize("x", [np.array(1.5), np.array([1.5]), np.ones((9, 2)), np.ones((9, 0)), np.ones((2, 9))], ids=np.shape)
def test_places_in_the_flat_array_are_held_to_all_its_elements(x):
    def read(x, i):
        try:
            found = x.flat[np.argsort(i)]
        except IndexError as error:
            return f"{error}"
        return f"{len(found)} found"

    def written(x, i):
        try:
            x.flat[np.argsort(i)] = 1.0
        except IndexError as error:
            return f"{error}"
        return "written"

    for program in (read, written):
        try:
            run = export(program, (x.copy(), np.arange(9.0))).module()
        except Unsupported as refusal:
            assert refusal.code == "E126"
            continue
        for i in (np.arange(9.0), -np.arange(9.0)):
            assert run(x.copy(), i) == program(x.copy(), i)
