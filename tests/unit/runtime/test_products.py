"""Products of matrices for ``fast_math``: NumPy's within rounding, for every size and layout, with its warnings."""

import threading
import warnings

import numpy as np
import pytest

from npexport import Dim, export, nn
from npexport.ir import numpy_internals
from npexport.runtime.compilation.fast_math import faster
from npexport.runtime.kernels import products

DTYPES = [np.float32, np.float64]
MANY = 48  # rows and columns of products that are computed in C


@pytest.fixture(autouse=True, params=[1, 3])
def computed_here(request, monkeypatch):
    """As on a machine whose vectors NumPy's BLAS does not use, with so many threads."""
    monkeypatch.setattr(products, "pays", lambda: products.engine is not None and bool(products.engine.SUPPORTED))
    monkeypatch.setattr(numpy_internals, "openblas", lambda: ("Haswell", lambda: request.param))
    monkeypatch.setattr(products, "SPREAD", 1 << 12)
    return request.param


def matrix(*shape, dtype=np.float32, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def assert_same(found, x, y):
    expected = np.matmul(x.astype(np.longdouble), y.astype(np.longdouble))
    bound = 4 * np.finfo(x.dtype).eps * np.matmul(abs(x.astype(np.longdouble)), abs(y.astype(np.longdouble)))
    assert (found.dtype, found.shape) == (x.dtype, expected.shape)
    assert (abs(found - expected) <= bound * max(1, x.shape[-1] ** 0.5)).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("terms", [1, 6, 257, 515])
@pytest.mark.parametrize(("rows", "columns"), [(2, 17), (5, 32), (8, 33), (9, 9), (13, 129), (241, 160)])
def test_all_sizes(rows, terms, columns, dtype):
    x, y = matrix(rows, terms, dtype=dtype), matrix(terms, columns, dtype=dtype, seed=1)
    assert_same(products.product(x, y), x, y)
    assert_same(products.product(x.T.copy().T, y.T.copy().T), x, y)


LAYOUTS = {
    "rows apart": lambda array: np.repeat(array, 2, axis=-2)[..., ::2, :],
    "elements apart": lambda array: np.repeat(array, 3, axis=-1)[..., ::3],
    "backwards": lambda array: array[..., ::-1, ::-1].copy()[..., ::-1, ::-1],
    "transposed": lambda array: np.swapaxes(np.swapaxes(array, -1, -2).copy(), -1, -2),
    "read-only": lambda array: np.frombuffer(array.tobytes(), array.dtype).reshape(array.shape),
}


@pytest.mark.parametrize("of_x", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("of_y", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("stacks", [((), ()), ((3,), (3,)), ((2, 1, 3), (4, 1)), ((3,), ()), ((), (2, 2)), ((0,), (1,))])
def test_all_layouts_and_stacks(of_x, of_y, stacks):
    x, y = of_x(matrix(*stacks[0], 14, 70)), of_y(matrix(*stacks[1], 70, 66, seed=1))
    assert_same(products.product(x, y), x, y)
    assert products.product(x, y).strides == np.matmul(x, y).strides


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (1, 0, 2, 3), (2, 0, 1, 3), (0, 2, 1, 3), (3, 1, 0, 2), (0, 3, 2, 1)])
@pytest.mark.parametrize("lead", [(3, 4), (1, 4), (4, 1), (1, 1)])
@pytest.mark.parametrize("rows_of", [products.product, products.rows_times])
def test_results_lie_in_memory_as_numpy_s(order, lead, rows_of):
    shape = (*lead, 20, 36)
    x = np.ascontiguousarray(matrix(*shape).transpose(order)).transpose(np.argsort(order))
    for y in (matrix(36, 40), matrix(*lead, 36, 40), matrix(lead[1], 1, 40, 36).transpose(1, 0, 3, 2), matrix(40, 36).T):
        if y.ndim > 2 and y.shape[1] != lead[1]:
            continue
        found, expected = rows_of(x, y), np.matmul(x, y)
        assert (found.strides, found.flags.owndata) == (expected.strides, expected.flags.owndata)
        assert_same(found, x, y)


def test_overflow_is_told():
    x = np.full((MANY, MANY), 1e30, np.float32)
    assert told(lambda: products.product(x, x)) == told(lambda: np.matmul(x, x)) != []


@pytest.mark.parametrize(
    "shapes", [((1, 9), (9, 80)), ((9, 9), (9, 1)), ((9, 0), (0, 80)), ((0, 9), (9, 80)), ((9,), (9, 80)), ((9, 9), (9,))]
)
def test_what_numpy_computes(shapes):
    x, y = (matrix(*shape) for shape in shapes)
    assert np.array_equal(products.product(x, y), np.matmul(x, y))


@pytest.mark.parametrize("dtypes", [(np.float32, np.float64), (np.int32, np.int32), (">f4", ">f4"), (np.complex64, np.complex64)])
def test_other_dtypes(dtypes):
    x, y = (matrix(MANY, MANY).astype(dtype) for dtype in dtypes)
    found, expected = products.product(x, y), np.matmul(x, y)
    assert found.dtype == expected.dtype
    assert np.array_equal(found, expected)


def test_a_place_for_the_result_is_taken():
    x, y, out = matrix(MANY, 20), matrix(20, 2 * MANY), np.full((MANY, 2 * MANY), np.nan, np.float32)
    assert products.product(x, y, out) is out
    assert_same(out, x, y)


def told(function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function()
    return [str(each.message) for each in caught]


def raised(function):
    with np.errstate(all="raise", under="ignore"):
        try:
            function()
        except FloatingPointError as error:
            return str(error)
    return ""


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 1e-45, 0.0, -0.0])
@pytest.mark.parametrize("columns", [40, 64])
def test_values_that_are_no_ordinary_numbers(value, columns):
    x, y = matrix(MANY, 30), matrix(30, columns, seed=1)
    x[3, 5] = x[7, 2] = y[4, 6] = value
    with np.errstate(all="ignore"):
        assert np.allclose(products.product(x, y), x @ y, rtol=1e-3, atol=1e-4, equal_nan=True)
    assert told(lambda: products.product(x, y)) == told(lambda: np.matmul(x, y))
    assert raised(lambda: products.product(x, y)) == raised(lambda: np.matmul(x, y))


def test_threads_change_no_bit(monkeypatch):
    for rows, columns in ((300, 500), (900, 70), (70, 900)):
        x, y = matrix(rows, 310), matrix(310, columns, seed=1)
        found = []
        for count in (1, 2, 5):
            monkeypatch.setattr(numpy_internals, "openblas", lambda count=count: ("Haswell", lambda: count))
            found.append(products.product(x, y))
        assert all(np.array_equal(each, found[0]) for each in found)


def test_calls_at_the_same_time():
    x, y = matrix(130, 300), matrix(300, 200, seed=1)
    expected, found = products.product(x, y), []
    threads = [threading.Thread(target=lambda: found.extend(products.product(x, y) for _ in range(20))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 80
    assert all(np.array_equal(each, expected) for each in found)


def names(program):
    return [node.target.name for node in faster(program).graph.find_nodes(op="call_function")]


@pytest.mark.parametrize("function", [lambda x, y: x @ y, lambda x, y: np.matmul(x, y) * 2, lambda x, y: (y.T @ x.T).T])
def test_products_in_programs(function):
    x, y = matrix(64, 48), matrix(48, 80)
    program = export(function, (x, y))
    assert ("rows_times" in names(program)) == products.pays()
    assert np.allclose(program.module(fast_math=True)(x, y), function(x, y), rtol=1e-4, atol=1e-4)
    assert np.array_equal(program.module()(x, y), function(x, y))


def test_small_products_are_numpy_s():
    x = matrix(8, 8)
    assert names(export(lambda x: x @ x, (x,))) == ["matmul"]
    dynamic = export(lambda x: x @ x.T, (matrix(64, 64),), dynamic_shapes={"x": {0: Dim("n")}})
    for n in (1, 3, 64, 200):
        x = matrix(n, 64)
        assert np.allclose(dynamic.module(fast_math=True)(x), x @ x.T, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shape", [(64,), (40, 64), (3, 20, 64), (2, 3, 5, 64)])
@pytest.mark.parametrize("bias", [False, True])
def test_linear_layers(shape, bias):
    net, x = nn.Linear(64, 72, bias=bias), matrix(*shape)
    run = export(net, (x,)).module(fast_math=True)
    assert np.allclose(run(x), net(x), rtol=1e-4, atol=1e-4)


def test_dots_tell_no_errors_and_stay():
    x, y = matrix(40, 40), matrix(40, 80)
    x[0, 0], y[0, 0] = np.inf, 0
    program = export(lambda x, y: np.dot(x, y), (x, y))
    assert names(program) == ["dot"]
    assert told(lambda: program.module(fast_math=True)(x, y)) == told(lambda: np.dot(x, y))
