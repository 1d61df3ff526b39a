"""``npexport.dask.apply``: blocks of the results are results of blocks, on threads and on processes."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, InputMismatch, UserError, dims, export, nn
from npexport.dask import apply

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

BATCH, TIME = dims("batch", "time")
X = np.random.default_rng(0).normal(size=(20, 6, 3))
Y = np.arange(20.0)


def several(x, y, k=2):
    return {"sum": np.sin(x) + y[:, None, None] * k, "peaks": x.max((1, 2)), "same": np.ones(3), "number": 5}


@pytest.fixture(scope="module")
def program():
    return export(several, (X, Y), dynamic_shapes={"x": {0: BATCH, 1: TIME}, "y": {0: BATCH}})


def require_equal(found, expected):
    (found,) = dask.compute(found, scheduler="synchronous")
    assert found.keys() == expected.keys()
    for name in expected:
        assert np.array_equal(found[name], expected[name])


@pytest.mark.parametrize("size", [1, 7, 20])
def test_blocks_along_an_independent_dim(program, size):
    found = apply(program, da.from_array(X, chunks=(size, -1, -1)), Y)
    assert found["sum"].chunks == da.from_array(X, chunks=(size, -1, -1)).chunks and found["peaks"].dtype == np.float64
    require_equal(found, several(X, Y))


def test_blocks_of_the_first_array_are_those_of_all(program):
    require_equal(apply(program, da.from_array(X, chunks=(7, -1, -1)), da.from_array(Y, chunks=5)), several(X, Y))


def test_blocks_along_two_dims():
    program = export(lambda x: np.maximum(x, 0).max(-1), (X,), dynamic_shapes=({0: BATCH, 1: TIME},))
    found = apply(program, da.from_array(X, chunks=(7, 4, -1)))
    assert found.chunks == ((7, 7, 6), (4, 2))
    assert np.array_equal(found.compute(scheduler="synchronous"), np.maximum(X, 0).max(-1))


def test_arrays_of_no_blocks(program):
    require_equal(apply(program, X, Y), several(X, Y))


def test_rows_inside_an_axis():
    program = export(lambda x: x.reshape(-1), (X[:, 0],), dynamic_shapes=({0: BATCH},))
    found = apply(program, da.from_array(X[:, 0], chunks=(8, -1)))
    assert found.chunks == ((24, 24, 12),)
    assert np.array_equal(found.compute(scheduler="synchronous"), X[:, 0].reshape(-1))


def test_blocks_along_coupled_rows_are_refused(program):
    with pytest.raises(UserError) as caught:
        apply(program, da.from_array(X, chunks=(7, 2, -1)), Y)
    assert caught.value.code == "E260" and "ops.np.max" in caught.value.message and "'time'" in caught.value.message
    assert caught.value.location.function == "several"


def test_blocks_along_an_axis_without_a_name_are_refused(program):
    with pytest.raises(UserError, match="x has 3 blocks along axis 2, whose size has no name") as caught:
        apply(program, da.from_array(X, chunks=(7, -1, 1)), Y)
    assert caught.value.code == "E260"


def test_programs_that_write_are_refused():
    def f(x):
        x += 1
        return x

    with pytest.raises(UserError) as caught:
        apply(export(f, (Y,), dynamic_shapes=({0: BATCH},)), da.from_array(Y, chunks=5))
    assert caught.value.code == "E260"


def test_malformed_calls(program):
    blocks = da.from_array(X, chunks=(7, -1, -1))
    with pytest.raises(InputMismatch, match="different numbers of rows"):
        apply(program, blocks, Y[:3])
    with pytest.raises(InputMismatch, match="expected dtype float64"):
        apply(program, blocks.astype(np.float32), Y)
    with pytest.raises(InputMismatch, match="y: missing"):
        apply(program, blocks)
    with pytest.raises(UserError, match="the sizes of its blocks are not known"):
        apply(program, blocks[blocks[:, 0, 0] > 0], Y)


def test_ranges_hold_of_blocks():
    program = export(lambda x: x * 2, (Y[:4],), dynamic_shapes=({0: Dim("rows", max=8)},))
    assert np.array_equal(apply(program, da.from_array(Y, chunks=8)).compute(scheduler="synchronous"), Y * 2)
    with pytest.raises(InputMismatch):
        apply(program, da.from_array(Y, chunks=10))


@pytest.mark.slow
def test_a_cluster_of_processes(program):
    distributed = pytest.importorskip("dask.distributed")
    net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
    x = X[:, 0].astype(np.float32)
    layers = export(net, (x,), dynamic_shapes=({0: BATCH},))
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster),
    ):
        (found,) = dask.compute(apply(program, da.from_array(X, chunks=(7, -1, -1)), Y))
        scores = apply(layers, da.from_array(x, chunks=(6, -1))).compute()
    for name, expected in several(X, Y).items():
        assert np.array_equal(found[name], expected)
    np.testing.assert_allclose(scores, net(x), rtol=1e-5, atol=1e-6)
