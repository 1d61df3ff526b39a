"""``program.module(namespace=…)``: arrays in and out, state, checks, refusals."""

from __future__ import annotations

import copy
import pickle
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from npexport import Dim, InputMismatch, UserError, check, cond, diff, export, nn, passes, scan, while_loop
from npexport import map as map_
from tests.support.tiny_namespace import Tiny, namespace

ROWS = Dim("rows", min=2)
X = np.arange(12.0).reshape(4, 3) - 5
WEIGHTS = np.arange(3, dtype=np.float32)


def mixed(x, y):
    """Kinds are mixed, slices go beyond the end, integers are divided by zero."""
    scaled = (x[1:99, ::-1] * 2).reshape(-1) // 1
    return scaled.sum() + x @ WEIGHTS, y // (y - 1) + y % 3, x[[0, -1]], x.shape[0], [y < 2]


@pytest.fixture(scope="module")
def program():
    return export(mixed, (X, np.arange(4)), dynamic_shapes={"x": {0: ROWS}, "y": {0: ROWS}})


def leaves(result):
    scalars, quotients, rows, size, (truths,) = result
    return [scalars, quotients, rows, size, truths]


def test_results_are_those_of_numpy_in_the_dtypes_of_the_graph(program):
    x, y = X[:3] + 0.5, np.array([1, 0, -7])
    with np.errstate(all="ignore"):
        expected = leaves(mixed(x, y))
    for found, wanted in zip(leaves(program.module(namespace=namespace())(Tiny(x), Tiny(y))), expected, strict=True):
        if isinstance(wanted, int):
            assert found == wanted
        else:
            assert found.dtype == f"tiny.{wanted.dtype}"
            np.testing.assert_allclose(found.data, wanted, strict=True)


def test_numpy_is_a_namespace_too(program):
    x, y = X[:2], np.array([3, 5])
    for found, wanted in zip(leaves(program.module(namespace=np)(x, y)), leaves(mixed(x, y)), strict=True):
        np.testing.assert_allclose(found, wanted)


@pytest.mark.parametrize(
    "x, y, text",
    [
        (X, Tiny(np.arange(4)), "x: expected an array f64[s0, 3] of tiny, got an array of NumPy"),
        (Tiny(X.astype("f4")), Tiny(np.arange(4)), "x: expected dtype f64, got tiny.float32"),
        (Tiny(X), Tiny(np.arange(3)), "y.shape[0]"),
        (Tiny(X[:1]), Tiny(np.arange(1)), "x.shape[0]"),
        (Tiny(X[:, :2]), Tiny(np.arange(4)), "x.shape[1]: expected 3, got 2"),
        (Tiny(X[0]), Tiny(np.arange(4)), "x: expected 2 dimensions, got shape (3,)"),
    ],
    ids=["numpy", "dtype", "sizes", "range", "shape", "rank"],
)
def test_inputs_are_checked(program, x, y, text):
    run = program.module(namespace=namespace())
    for call in (run, run.check_inputs):
        with pytest.raises(InputMismatch) as caught:
            call(x, y)
        assert text in str(caught.value)


def test_subclasses_of_arrays_are_refused():
    run = export(np.sin, (X[0],)).module(namespace=np)
    with pytest.raises(InputMismatch, match="MaskedArray"):
        run(np.ma.masked_array(X[0], [True, False, False]))


def weighed(x, options, *, scale=2.0):
    return {"sum": x + options["shift"], "scaled": x * scale}


def test_containers_keywords_and_scalars():
    program = export(weighed, (X[0], {"shift": np.float32(3)}), {"scale": 0.5})
    for options in ({"shift": np.float32(4)}, {"shift": Tiny(np.float32(4))}):
        found = program.module(namespace=namespace())(Tiny(X[0]), options, scale=0.5)
        np.testing.assert_array_equal(found["sum"].data, X[0] + 4, strict=True)
    with pytest.raises(InputMismatch, match="scale"):
        program.module(namespace=namespace())(Tiny(X[0]), {"shift": np.float32(4)})


def drawn(x, rng):
    return x + rng.normal(size=3)


def test_draws_are_refused_by_name():
    with pytest.raises(UserError, match=r"ops\.random\.") as caught:
        export(drawn, (X[0], np.random.default_rng(0))).module(namespace=np)
    assert caught.value.code == "E245"


def test_a_name_is_no_namespace():
    with pytest.raises(UserError, match="the text 'torch', not a module") as caught:
        export(lambda x: x + 1, (X,)).module(namespace="torch")
    assert caught.value.code == "E201"


def test_what_the_namespace_lacks_is_named():
    program = export(lambda x: np.maximum(np.exp(x), np.sin(x)), (X,))
    program.module(namespace=namespace())(Tiny(X))
    with pytest.raises(UserError) as caught:
        program.module(namespace=namespace("exp", "sin"))
    assert (caught.value.code, caught.value.location.file) == ("E245", __file__)
    assert "ops.np.exp: it has no `exp`" in str(caught.value) and "ops.np.sin: it has no `sin`" in str(caught.value)
    assert "maximum" not in caught.value.message


def test_dtypes_that_the_namespace_lacks_are_refused():
    with pytest.raises(UserError, match="it has no dtype f16"):
        export(np.sin, (X.astype(np.float16),)).module(namespace=namespace())
    with pytest.raises(UserError, match="it makes tiny.float32 of f64"):
        narrow = namespace()
        narrow.asarray, narrow.astype = lambda value, copy=False: Tiny(np.asarray(value, np.float32)), lambda x, dtype: x
        program = export(lambda x: x + WEIGHTS.astype(float), (X[0],))
        program.module(namespace=narrow)
    narrow.__name__ = "jax.numpy"
    with pytest.raises(UserError, match=r"of f64 until jax\.config\.update\('jax_enable_x64', True\)"):
        program.module(namespace=narrow)


def test_composite_operators_are_decomposed():
    program = export(np.square, (X,))
    np.testing.assert_array_equal(program.module(namespace=namespace())(Tiny(X)).data, X * X)


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(np.ones(3, np.float32))
        self.register_buffer("calls", np.zeros((), np.int64))

    def forward(self, x):
        self.calls += 1
        return x * self.weight, self.calls


def test_state_is_the_modules_own():
    program = export(Counter(), (WEIGHTS,))
    run, other = program.module(namespace=np), program.module(namespace=np)
    run(WEIGHTS)
    _, calls = run(WEIGHTS)
    calls += 5
    assert (int(dict(run.named_buffers())["calls"]), int(dict(other.named_buffers())["calls"])) == (2, 0)
    run.load_state_dict({"weight": np.full(3, 2, np.float32), "calls": np.zeros((), np.int64)})
    np.testing.assert_array_equal(run(WEIGHTS)[0], WEIGHTS * 2)
    assert sorted(run.state_dict()) == ["calls", "weight"]
    with pytest.raises(UserError, match="weight"):
        run.load_state_dict({"weight": np.ones(2, np.float32)}, strict=False)
    np.testing.assert_array_equal(next(other.parameters()), np.ones(3, np.float32))


def test_results_share_memory_with_nothing():
    run = export(lambda x: (x, x[1:], WEIGHTS), (WEIGHTS,)).module(namespace=np)
    x = np.ones(3, np.float32)
    for result in run(x):
        result[...] = 9
    np.testing.assert_array_equal(x, np.ones(3, np.float32))
    np.testing.assert_array_equal(run(x)[2], np.arange(3, dtype=np.float32))


def writes(x):
    x += 1
    return x * 2


def test_programs_that_write_to_inputs_are_refused():
    with pytest.raises(UserError, match=r"writes to its inputs \(x\)") as caught:
        export(writes, (X,)).module(namespace=np)
    assert caught.value.code == "E245"


def steps(x):
    total, count = while_loop(lambda total, count: total.sum() < 100, lambda total, count: (total * 2, count + 1), (x, 0))
    return cond(total[0] > 3, lambda t: t + 1, lambda t: t - 1, (total,)), count


def test_branches_and_loops():
    run = export(steps, (np.ones(3),)).module(namespace=np)
    for x in (np.ones(3), np.array([0.0, 9, 9])):
        found, wanted = run(x), steps(x)
        np.testing.assert_array_equal(found[0], wanted[0])
        assert found[1] == wanted[1]


def of_one_kind_or_another(k, w):
    found = k if w.sum() > 2.5 else w
    return found, 2 + found.sum()


@pytest.mark.parametrize("name", ["numpy", "array_api_strict"])
def test_sides_of_two_kinds(name):
    space = pytest.importorskip(name)
    given = np.arange(3), np.array([0.5, 1.0, 2.0])
    run = export(of_one_kind_or_another, given).module(namespace=space)
    for scale in (1, 0.1):
        found, wanted = run(space.asarray(given[0]), space.asarray(given[1] * scale)), of_one_kind_or_another(given[0], given[1] * scale)
        assert all(
            np.asarray(one).dtype == other.dtype and np.all(np.asarray(one) == other) for one, other in zip(found, wanted, strict=True)
        )


def summed(x, w):
    total, partial = scan(lambda t, row: (t + row * w, (t * 2, row.sum())), np.zeros(3), x, reverse=True)
    return total, partial, map_(lambda row: np.sin(row)[:2] + w, x)


def across(x):
    return scan(lambda t, column: (t + column, column * 2), np.zeros(x.shape[0]), x, dim=1)


NAMESPACES = ["numpy", "array_api_strict"]


@pytest.mark.parametrize("name", NAMESPACES)
def test_iterations_over_arrays(name):
    xp = pytest.importorskip(name)
    run = export(summed, (X, np.float64(3)), dynamic_shapes={"x": {0: Dim.DYNAMIC}, "w": None}).module(namespace=xp)
    for rows in (4, 2, 1):
        found, wanted = run(xp.asarray(X[:rows]), np.float64(3)), summed(X[:rows], np.float64(3))
        for one, other in zip([found[0], *found[1], found[2]], [wanted[0], *wanted[1], wanted[2]], strict=True):
            np.testing.assert_allclose(np.asarray(one), other, rtol=1e-12, strict=True)
    for one, other in zip(export(across, (X,)).module(namespace=xp)(xp.asarray(X)), across(X), strict=True):
        np.testing.assert_array_equal(np.asarray(one), other, strict=True)


@pytest.mark.parametrize("name", NAMESPACES)
def test_no_iterations_give_empty_arrays(name):
    xp = pytest.importorskip(name)
    x = np.zeros((3, 0))
    for one, other in zip(export(across, (x,)).module(namespace=xp)(xp.asarray(x)), across(x), strict=True):
        np.testing.assert_array_equal(np.asarray(one), other, strict=True)


PLACES = {
    "one axis": (np.array([0, 2, -1]), 5.0),
    "several at one place": (np.array([1, 1, 3, 1]), np.arange(12.0).reshape(4, 3)),
    "beside a slice": ((slice(None, None, -2), np.array([2, 0])), np.array([[7.0, 8], [9, 10]])),
    "two arrays": ((np.array([[0], [3]]), np.array([0, 2])), np.array([1.0, 2])),
    "beside a number": ((1, np.array([2, 0])), np.array([1.0, 2])),
    "a mask and its values": (X > 1, np.arange(5.0)),
    "a mask of rows": (np.array([True, False, True, False]), np.array([7.0, 8, 9])),
    "a mask of nothing": (np.zeros((4, 3), bool), 2.0),
    "no places": (np.zeros(0, np.intp), 2.0),
    "a list": ([3, 0], 1),
}


@pytest.mark.parametrize("places, value", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("name", NAMESPACES)
def test_writes_to_places_that_arrays_tell(name, places, value):
    xp = pytest.importorskip(name)

    def put(x, value):
        y = x.copy()
        y[places] = value
        return y

    run = export(put, (X, value)).module(namespace=xp)
    found = run(xp.asarray(X), xp.asarray(value) if isinstance(value, np.ndarray) else value)
    np.testing.assert_array_equal(np.asarray(found), put(X, value), strict=True)


def put_at(x, places):
    y = x.copy()
    y[places] = 1
    return y


def test_writes_to_places_of_an_input_are_checked():
    run = export(put_at, (X, np.array([0, 1]))).module(namespace=np)
    np.testing.assert_array_equal(run(X, np.array([-1, 2])), put_at(X, np.array([-1, 2])))
    with pytest.raises(IndexError):
        run(X, np.array([0, 4]))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda run: pickle.loads(pickle.dumps(run))], ids=["deepcopy", "pickle"])
@pytest.mark.parametrize("name", NAMESPACES)
def test_copies_have_the_state_of_now(name, copied):
    xp = pytest.importorskip(name)
    run = export(Counter(), (WEIGHTS,)).module(namespace=xp)
    run(xp.asarray(WEIGHTS))
    other = copied(run)
    other(xp.asarray(WEIGHTS))
    assert [int(dict(each.named_buffers())["calls"]) for each in (run, other)] == [1, 2]
    assert repr(other) == repr(run)


def picked(x, places):
    return x[places]


def test_places_outside_are_index_errors():
    run = export(picked, (X, np.array([0, 1]))).module(namespace=np)
    with pytest.raises(IndexError) as caught:
        run(X, np.array([0, 4]))
    assert "x[places]" in "".join(caught.value.__notes__)


def chosen(x):
    positive = x[x > 0]
    check(positive.shape[0] == 5)
    return positive * np.ones(5)


def test_sizes_that_only_data_decide_are_held_to_their_guards():
    run = export(chosen, (np.arange(-2.0, 6.0),)).module(namespace=np)
    np.testing.assert_array_equal(run(np.arange(-3.0, 6.0)[1:]), np.arange(1.0, 6.0))
    with pytest.raises((InputMismatch, AssertionError)):
        run(np.arange(8.0))


def test_options_of_numpy_are_refused_with_a_namespace(program):
    with pytest.raises(UserError, match="NumPy's"):
        program.module(threads=2, namespace=np)


def test_cuda_is_cupy(program, monkeypatch):
    """A module of this name stands for the library: where it computes is no matter here."""
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(**{**vars(np), "__name__": "cupy"}))
    moved = passes.move_to_device_pass(program, "cuda")
    assert "cupy" in repr(moved.module()) and "cupy" in repr(passes.dead_code(moved).module())
    assert "cupy" not in repr(program.module()) and not diff(moved, program)
    assert "cupy" not in repr(passes.move_to_device_pass(moved, {"cuda": "cpu"}).module())
    assert "cupy" not in repr(passes.move_to_device_pass(program, {"cuda": "cuda"}).module())


def test_torch_needs_its_adapter(program, monkeypatch):
    monkeypatch.setitem(sys.modules, "array_api_compat", None)
    with pytest.raises(UserError, match="array_api_compat"):
        program.module(namespace=SimpleNamespace(__name__="torch"))
