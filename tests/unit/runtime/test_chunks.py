"""``program.module(chunks=…)``: the results of parts are the results of the whole call."""

from __future__ import annotations

import copy
import itertools
import pickle

import numpy as np
import pytest

from npexport import Dim, InputMismatch, UserError, dims, export, load, nn, save
from npexport.runtime.entry.chunks import pieces

BATCH, TIME = dims("batch", "time")
X = np.random.default_rng(0).normal(size=(7, 5, 3))


def several(x, y, k=2):
    return {"sum": np.sin(x) + y[:, None, None] * k, "peaks": x.max((1, 2)), "same": np.ones(3)}


@pytest.fixture(scope="module")
def program():
    return export(several, (X, np.arange(7.0)), dynamic_shapes={"x": {0: BATCH, 1: TIME}, "y": {0: BATCH}})


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_results_of_parts_are_the_results(program, size):
    found, expected = program.module(chunks={"batch": size})(X, np.arange(7.0)), several(X, np.arange(7.0))
    assert found.keys() == expected.keys()
    for name in expected:
        assert np.array_equal(found[name], expected[name])


def test_results_go_to_the_arrays_that_are_given(program):
    out = {"sum": np.empty(X.shape), "peaks": None, "same": None}
    found = program.module(chunks={"batch": 2})(X, np.arange(7.0), out=out)
    assert found["sum"] is out["sum"]
    assert np.array_equal(out["sum"], several(X, np.arange(7.0))["sum"])


def test_several_dims_at_once():
    program = export(lambda x: np.maximum(x, 0).max(-1), (X,), dynamic_shapes=({0: BATCH, 1: TIME},))
    assert np.array_equal(program.module(chunks={"batch": 3, "time": 2})(X), np.maximum(X, 0).max(-1))


def test_arrays_in_files(tmp_path):
    program = export(lambda x: (x * 2).max(1), (np.ones((2, 3)),), dynamic_shapes=({0: Dim("rows", max=64)},))
    data = np.memmap(tmp_path / "in", np.float64, "w+", shape=(1000, 3))
    data[:] = np.random.default_rng(1).normal(size=data.shape)
    out = np.memmap(tmp_path / "out", np.float64, "w+", shape=(1000,))
    assert program.module(chunks={"rows": 64})(data, out=out) is out
    assert np.array_equal(out, (np.asarray(data) * 2).max(1))


def test_no_rows(program):
    found = program.module(chunks={"batch": 3})(X[:0], np.arange(0.0))
    assert (found["sum"].shape, found["peaks"].shape, found["same"].shape) == ((0, 5, 3), (0,), (3,))


def test_derived_dims():
    half = Dim("half")
    program = export(lambda x, y: (x.reshape(-1, 2).max(1), y), (np.arange(8.0), np.arange(4.0)), dynamic_shapes=({0: 2 * half}, {0: half}))
    x, y = np.random.default_rng(2).normal(size=10), np.arange(5.0)
    found = program.module(chunks={"half": 2})(x, y)
    assert np.array_equal(found[0], x.reshape(-1, 2).max(1)) and np.array_equal(found[1], y)


def test_keywords_defaults_and_containers():
    def f(batch, *more, scale=1.0, **named):
        return (batch["x"] * scale, [more[0] + named["b"]])

    args, kwargs = ({"x": np.ones(4)}, np.arange(4.0)), {"b": np.arange(4.0), "scale": 3.0}
    rows = {0: BATCH}
    program = export(f, args, kwargs, dynamic_shapes={"batch": {"x": rows}, "more": (rows,), "b": rows, "scale": None})
    found = program.module(chunks={"batch": 3})({"x": np.ones(5)}, np.arange(5.0), scale=3.0, b=np.arange(5.0))
    assert np.array_equal(found[0], np.full(5, 3.0)) and np.array_equal(found[1][0], np.arange(5.0) * 2)


def test_the_same_array_twice():
    program = export(lambda x, y: x + y, (X, X), dynamic_shapes=({0: BATCH}, {0: BATCH}))
    assert np.array_equal(program.module(chunks={"batch": 2})(X, X), X + X)


def test_layers_are_equal_within_rounding():
    net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
    x = X[:, 0].astype(np.float32)
    program = export(net, (x,), dynamic_shapes=({0: BATCH},))
    assert not program.independent_dims()["batch"].exact
    np.testing.assert_allclose(program.module(chunks={"batch": 2})(x), net(x), rtol=1e-5, atol=1e-6)


def test_the_module_behind_it_is_at_hand(tmp_path):
    program = export(nn.Linear(3, 2), (X[:, 0].astype(np.float32),), dynamic_shapes=({0: BATCH},))
    run = program.module(chunks={"batch": 2})
    assert set(run.state_dict()) == {"weight", "bias"} and "chunks" not in run.code
    save(program, tmp_path / "p.np2")
    again = load(tmp_path / "p.np2").module(chunks={"batch": 2})
    x = X[:, 0].astype(np.float32)
    for other in (again, copy.deepcopy(run), pickle.loads(pickle.dumps(run))):
        assert np.array_equal(other(x), run(x))


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (lambda x: x - x.mean(0), "ops.np.mean"),
        (lambda x: x / x.shape[0], "ops.np.divide"),
        (lambda x: x[::-1], "ops.np.getitem"),
        (lambda x: np.sort(x, axis=0), "ops.np.sort"),
        (lambda x: np.cumsum(x, 0), "ops.np.cumsum"),
        (lambda x: x * np.arange(x.shape[0])[:, None, None], "ops.np.multiply"),
        (lambda x: x[x[:, 0, 0] > 0], "ops.np.index"),
    ],
)
def test_coupled_rows_are_refused_by_operator_and_line(function, what):
    program = export(function, (X,), dynamic_shapes=({0: Dim("batch", min=2)},))
    assert program.independent_dims() == {}
    with pytest.raises(UserError) as caught:
        program.module(chunks={"batch": 3})
    assert caught.value.code == "E260" and what in caught.value.message
    assert caught.value.location.line == function.__code__.co_firstlineno


def test_state_that_is_written_is_not_written_in_parts():
    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("calls", np.zeros(()))

        def forward(self, x):
            self.calls += 1
            return x * 2

    program = export(Counter(), (X,), dynamic_shapes=({0: BATCH},))
    assert list(program.independent_dims()) == ["batch"]
    with pytest.raises(UserError, match="the write to 'calls'") as caught:
        program.module(chunks={"batch": 2})
    assert caught.value.code == "E260" and "return what it writes" in caught.value.hint


def test_inputs_that_are_written_are_not_written_in_parts():
    def f(x):
        x += 1
        return x * 2

    program = export(f, (X,), dynamic_shapes=({0: BATCH},))
    assert program.coupling("batch") is None
    with pytest.raises(UserError, match="the write to 'x'"):
        program.module(chunks={"batch": 2})


def test_the_size_as_a_result_couples_rows():
    program = export(lambda x: (x, x.shape[0]), (X,), dynamic_shapes=({0: BATCH},))
    assert program.coupling("batch").what == "a result"


def test_draws_couple_rows():
    def f(x):
        return x + np.random.default_rng(0).normal(size=x.shape)

    assert "random" in export(f, (X,), dynamic_shapes=({0: BATCH},)).coupling("batch").what


def test_custom_operators_couple_rows():
    from npexport import opaque

    twice = opaque(lambda x: x * 2, lambda x: np.empty_like(x), name="test_chunks::twice")
    program = export(lambda x: twice(x), (X,), dynamic_shapes=({0: BATCH},))
    assert program.coupling("batch").what == "ops.test_chunks.twice"


def test_a_default_that_is_given_another_value():
    program = export(lambda x, k=2: x * k, (X,), dynamic_shapes={"x": {0: BATCH}})
    assert np.array_equal(program.module(chunks={"batch": 3})(X, k=2), X * 2)
    with pytest.raises(InputMismatch, match="k: expected its default 2"):
        program.module(chunks={"batch": 3})(X, k=3)


def test_malformed_calls(program):
    y = np.arange(7.0)
    run = program.module(chunks={"batch": 3})
    with pytest.raises(InputMismatch, match="different numbers of rows"):
        run(X, y[:3])
    with pytest.raises(InputMismatch, match="y: missing"):
        run(X)
    with pytest.raises(InputMismatch, match="expected dtype float64"):
        run(X.astype(np.float32), y)
    with pytest.raises(InputMismatch):
        run(X[0, 0, 0], y)
    with pytest.raises(InputMismatch, match="float64"):
        run.check_inputs(X.astype(np.float32), y)
    with pytest.raises(UserError, match="out has not the structure"):
        run(X, y, out=[np.empty(3)])
    with pytest.raises(UserError, match="expected an array of float64"):
        run(X, y, out={"sum": np.empty((7, 5, 4)), "peaks": None, "same": None})
    with pytest.raises(UserError, match="shares memory"):
        run(X, y, out={"sum": X.copy(), "peaks": y, "same": None})
    for chunks in ({"nobody": 3}, {"batch": 0}, {"batch": 2.0}):
        with pytest.raises(UserError) as caught:
            program.module(chunks=chunks)
        assert caught.value.code == "E201"


def test_ranges_hold_of_parts():
    program = export(lambda x: x * 2, (X[:3],), dynamic_shapes=({0: Dim("batch", min=2, max=4)},))
    run = program.module(chunks={"batch": 4})
    for count in (2, 4, 5, 7):
        assert np.array_equal(run(X[:count]), X[:count] * 2)
    with pytest.raises(UserError, match="chunks of 'batch' have 1 rows"):
        program.module(chunks={"batch": 1})
    with pytest.raises(InputMismatch):
        program.module(chunks={"batch": 5})(X)


def test_pieces():
    for count in range(30):
        for size in range(1, 9):
            for least in range(size + 1):
                found = pieces(count, size, least)
                assert found[0][0] == 0 and found[-1][1] == count
                assert all(a[1] == b[0] for a, b in zip(found, found[1:], strict=False))
                assert all(end - begin <= size for begin, end in found)
                if count >= 2 * least:
                    assert all(end - begin >= min(least, count) for begin, end in found) or 2 * least > size + 1


def test_no_piece_is_too_small_where_there_is_a_way():
    for count, size in itertools.product(range(1, 40), range(1, 12)):
        parts = -(-count // size)
        for least in range(min(size, count // parts) + 1):
            found = [end - begin for begin, end in pieces(count, size, least)]
            assert sum(found) == count and min(found) >= least and max(found) <= size


def test_pieces_of_a_dim_with_a_smallest_size():
    program = export(lambda x: x * 2, (X,), dynamic_shapes=({0: Dim("batch", min=3)},))
    x = np.random.default_rng(0).normal(size=(9, *X.shape[1:]))
    assert np.array_equal(program.module(chunks={"batch": 4})(x), x * 2)
