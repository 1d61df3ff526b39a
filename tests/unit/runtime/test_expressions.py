"""Runs of operators that one call of C computes: nobody can tell, whatever the layouts, special values and error states."""

import contextlib
import gc
import random
import threading
import tracemalloc
import types
import warnings
import weakref

import numpy as np
import pytest

from npexport import Dim, export
from npexport.runtime.blocks import expressions
from npexport.runtime.modules.module import make_module
from tests.fuzz import arrays as array_fuzz
from tests.fuzz import dynamic_arrays, views
from tests.support.blocks import described, observed
from tests.support.elementwise import LAYOUTS, array, random_arguments, random_function
from tests.support.shards import shard

pytestmark = pytest.mark.skipif(expressions.engine is None, reason="the C extension was not built")
STATES = ({}, {"all": "ignore"}, {"all": "warn"}, {"all": "raise"}, {"invalid": "raise", "over": "ignore"}, {"under": "warn"})


@contextlib.contextmanager
def counted(step=None):
    """Programs compiled in this context have blocks of so many elements; gives a list that says of each run whether it came to a result."""
    engine, steps, runs = expressions.engine, expressions.STEPS, []

    def run(*args):
        result = engine.run(*args)
        runs.append(result is not None)
        return result

    expressions.engine = types.SimpleNamespace(Expression=engine.Expression, run=run)
    expressions.STEPS = steps if step is None else (step, step)
    try:
        yield runs
    finally:
        expressions.engine, expressions.STEPS = engine, steps


def compare(function, args, step=None, states=({},)):
    """Hold a program to its source, and its warnings and errors to those of the nodes one by one; whether its runs came to results."""
    program = export(function, tuple(args))
    plain = make_module(program, True, threads=0)
    with counted(step) as runs:
        run = program.module()
        for state in states:
            with np.errstate(**state):
                found = observed(run, args)
                assert found == observed(plain, args), state
                expected, _ = observed(function, args)
                if not isinstance(expected[0][1], str):  # eager execution may raise where nobody asks for the result
                    assert found[0] == expected, state
    return runs


def chain(x, y):
    a = x * 2.0 + y
    b = np.maximum(a, 0) - x
    return np.tanh(b * b) + np.abs(a) / 3, b > a


def stencil(a):
    return 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])


def cube(a):
    return a[1:-1, 1:-1, 1:-1] * 2 - (a[2:, 1:-1, 1:-1] + a[1:-1, :-2, 1:-1]) * a[0, 1:-1, 2:]


def written(a, b):
    b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
    a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:])


def overlapping(a):
    a[1:] = a[:-1] * 0.5 + a[1:]
    a[:, 1:] -= 0.25 * (a[:, :-1] + 1)
    return a.sum()


def in_place(x, y):
    x *= 2.5
    x += y
    np.sin(x, out=x)
    return x[1:] - y[1:] * 2


def of_made(x, y):
    z = x @ y
    z *= 2
    z -= 1
    np.sqrt(z, out=z)
    return z


def scaled(x, row, column):
    return (x - row) / (column * column + 1) * x.max() + row


def standardised(x, y):
    return (x - x.mean()) / x.std() + np.float32(2) * y


def integers(x, y):
    return (x + y) * 3 // 7 % 5, (x ^ y) & 15, -x < y


def chosen(x, y):
    z = np.where(x > y, x * 2, 0)
    return np.where(z < 1, -1.5, np.clip(z, -1, 2.5) + 1), np.where(x > 0, y, x) * 2, np.where(x != x, np.nan, x > 1) * 1.0


def chosen_integers(x, y):
    return np.where(x > y, x, 7) + 1, np.where(y == 3, True, x > 0) & (x < 9), np.clip(x, -3, 100) * 2


def iterations(x, y):
    total = x
    for _ in range(60):
        x = np.sin(x * 1.5 + y) - 0.25
        total = total + x * y
    return total


def until(x, y):
    while x.sum() < 100:
        x = np.abs(x * 1.5 + y) + 0.25
    return x if x.max() > 3 else x * 2 - y


SHAPES = [(5, 5), (1, 3), (90, 40), (3, 700), (700, 3)]
PROGRAMS = {
    **{
        f"{function.__name__} {shape}": (function, (array(*shape), array(*shape, seed=1)))
        for function in (chain, chosen, in_place, iterations, until, written)
        for shape in (SHAPES if function is not written else SHAPES[2:])
    },
    **{f"stencil {shape}": (stencil, (array(*shape),)) for shape in SHAPES[2:]},
    **{f"overlapping {shape}": (overlapping, (array(*shape),)) for shape in SHAPES[2:]},
    "short floats": (chain, (array(300, dtype=np.float32), array(300, dtype=np.float32))),
    "chosen integers": (chosen_integers, (np.arange(300) - 150, np.arange(300)[::-1].copy())),
    **{
        f"chosen {dtype}": (chosen_integers, (np.arange(300).astype(dtype), np.arange(300)[::-1].astype(dtype)))
        for dtype in ("int8", "uint16", "int32")
    },
    "chosen short floats": (chosen, (array(300, dtype=np.float32), array(300, dtype=np.float32))),
    "chosen, strided": (chosen, (array(30, 40)[:, 1:-1], array(30, 40)[:, ::2][:, :19].repeat(2, axis=1))),
    "of one axis": (lambda x: x[1:] * 2 - x[:-1] + x[::2][:50].sum(), (array(300),)),
    "strided": (lambda x: x[::2] * 2 - x[1::2], (array(300),)),
    "cube": (cube, (array(9, 20, 71),)),
    "of made": (of_made, (array(30, 40), array(40, 50))),
    "scaled": (scaled, (array(30, 20), array(20), array(30, 1))),
    "standardised": (standardised, (array(30, 20, dtype=np.float32), array(30, 20, dtype=np.float32))),
    "integers": (integers, (np.arange(300) - 150, np.arange(300)[::-1].copy())),
}  # fmt: skip


@pytest.mark.parametrize("step", [None, 64, 192])
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_eager_ones_to_the_bit(name, step):
    function, args = PROGRAMS[name]
    assert any(compare(function, args, step))


@pytest.mark.parametrize("step", [None, 64])
@pytest.mark.parametrize("name", PROGRAMS)
def test_warnings_and_errors_are_those_of_eager_execution(name, step):
    function, args = PROGRAMS[name]
    args = tuple(arg.copy() for arg in args)
    for arg in args:
        if arg.dtype.kind == "f":
            special = [np.inf, -np.inf, 1e300, 0, -0.0, 1e-310] if arg.itemsize == 8 else [np.inf, -np.inf, 1e38, 0, -0.0, 1e-45]
            flat = arg.reshape(-1)
            flat[: len(flat[:6])] = special[: len(flat)]
            flat[-1] = np.nan
    if name.startswith("until"):
        args = tuple(np.abs(np.nan_to_num(arg, nan=0.5, posinf=1e300)) for arg in args)
    compare(function, args, step, STATES)


@pytest.mark.parametrize("first", LAYOUTS)
@pytest.mark.parametrize("second", LAYOUTS)
def test_layouts_are_those_of_eager_execution(first, second):
    x, y = array(100, 24), array(100, 24, seed=1)
    for function in (chain, lambda x, y: (x - y) * x + y / 2):
        for step in (None, 64):
            with counted(step):
                run = export(function, (x, y)).module()
                args = LAYOUTS[first](x), LAYOUTS[second](y)
                assert observed(run, args) == observed(function, args)


@pytest.mark.parametrize("number", shard(range(60), 3))
def test_random_programs_are_eager_ones_to_the_bit(number):
    rng = random.Random(104729 * number)
    function = random_function(rng)
    rows, columns = rng.choice([1, 2, 7, 64, 130]), rng.choice([1, 2, 8, 15, 64])
    args = random_arguments(rng, rows, columns, number)
    compare(function, args, rng.choice([None, 64, 128]), ({"all": "ignore"}, {}, {"all": "raise"}))


@pytest.mark.parametrize("number", shard(range(40), 3))
def test_programs_of_the_fuzz_in_small_blocks(number):
    with counted(64):
        array_fuzz.run(number, strict=True)
        views.run(number)
        dynamic_arrays.run(number)


def test_sizes_may_be_those_of_the_call():
    x, n = array(10), Dim("n", min=2)
    with counted() as runs:
        run = export(chain, (x, x), dynamic_shapes=({0: n}, {0: n})).module()
        for size in (2, 3, 1000, 100_000):
            y = array(size)
            assert [described(one) for one in run(y, y)] == [described(one) for one in chain(y, y)]
    assert runs == [True] * 4


def test_warnings_are_said_where_the_program_stands_and_may_be_errors():
    x = array(500)
    run = export(lambda x: np.sqrt(x) * 2, (x,)).module()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        run(x)
    assert [str(each.message) for each in said] == ["invalid value encountered in sqrt"]
    assert said[0].filename.startswith("<npexport program")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="invalid value encountered in sqrt") as raised:
            run(x)
    assert "np.sqrt" in raised.value.__notes__[0]


@pytest.mark.parametrize("size", [30, 3000, 30_000])
def test_an_error_leaves_what_the_nodes_one_by_one_leave(size):
    def function(a, b, c):
        a += b * c
        b[1:] = b[1:] * 2 + a[1:]
        a /= c

    given = [array(size), array(size), np.where(array(size) > 0, 1e300, 0)]
    program = export(function, [arg.copy() for arg in given])
    left = []
    for run in (make_module(program, True, threads=0), program.module()):
        args = [arg.copy() for arg in given]
        with np.errstate(all="raise"), pytest.raises(FloatingPointError):
            run(*args)
        left.append([arg.tobytes() for arg in args])
    assert left[0] == left[1]


def test_what_a_run_replaces_does_not_live_on():
    def function(x, y):
        z = x @ y
        z *= 2
        z += 1
        return z

    x = array(600, 600)
    run = export(function, (x, x)).module()
    run(x, x)
    tracemalloc.start()
    try:
        run(x, x)
        assert tracemalloc.get_traced_memory()[1] < 1.2 * x.nbytes
    finally:
        tracemalloc.stop()


def test_a_run_that_declines_is_tried_ever_more_seldom():
    x = array(40, 40)
    x[7, 7] = np.nan
    with counted() as runs:
        run = export(stencil, (x,)).module()
    for _ in range(200):
        assert run(x).tobytes() == stencil(x).tobytes()
    (expression,) = [value for value in run._function.__globals__.values() if type(value) is expressions.engine.Expression]
    assert not any(runs)
    x[7, 7] = 0
    assert [expressions.engine.run(expression, *[x[1:-1, 1:-1]] * 5, None) is not None for _ in range(65)][-1]


def test_threads_may_call_one_program_at_a_time():
    x = array(300, 300)
    run, expected, wrong = export(chain, (x, x)).module(), chain(x, x)[0].tobytes(), []

    def work():
        wrong.extend(number for number in range(30) if run(x, x)[0].tobytes() != expected)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


def test_what_is_no_call_of_an_expression_is_refused():
    x = array(5)
    run = export(lambda x: x * 2 + 1, (x,)).module()
    (expression,) = [value for value in run._function.__globals__.values() if type(value) is expressions.engine.Expression]
    for args in ((), (expression,), (expression, x), (x, x, None), (expression, x, None, None)):
        with pytest.raises(TypeError, match="takes what the expression has"):
            expressions.engine.run(*args)
    other = array(5, 2)  # blocks may have fewer axes than what they are blocks of
    np.testing.assert_array_equal(expressions.engine.run(expression, other, None)[0], other * 2 + 1)
    for other in (array(5).astype(np.float32), 3.0, None, [1], array(0), np.float64(3)):
        assert expressions.engine.run(expression, other, None) is None
        for _ in range(64):
            expressions.engine.run(expression, x, None)
    with pytest.raises(TypeError):
        expressions.engine.Expression()


def test_expressions_go_with_their_programs():
    x = array(5)
    run = export(lambda x: x * 2 + 1, (x,)).module()
    function = weakref.ref(run._function)
    del run
    gc.collect()
    assert function() is None


def test_exported_programs_are_exported_again():
    x = array(5, 5)
    inner = export(lambda x: np.sin(x) * 2 + 1, (x,)).module()
    program = export(lambda x: inner(x) - x, (x,))
    assert [node.target.name for node in program.graph.nodes if node.op == "call_function"] == ["sin", "multiply", "add", "subtract"]
    assert program.module()(x).tobytes() == (np.sin(x) * 2 + 1 - x).tobytes()


def test_a_scalar_of_numpy_is_no_choice_of_a_run():
    def f(x):
        return np.where(x * 2 == 0, x * 3 - 1, np.float64(2.0)) + np.clip(x, np.float64(0.5), None)

    x = np.array([0.0, 1.5, -2.0, np.nan])
    np.testing.assert_array_equal(export(f, (x,)).module()(x), f(x))


def test_a_call_that_sizes_make_raise_is_not_made_before_what_is_written():
    def program(x, y):
        y *= 2
        y += 1
        last = x[-1, -2]
        return last, y - 3.0

    run = export(program, (np.ones((2, 2, 2)), np.ones((1, 1, 2))), dynamic_shapes={"x": {0: Dim.AUTO}, "y": None}).module()
    for rows in (3, 0):
        results = []
        for called in (program, run):
            y = np.ones((1, 1, 2))
            try:
                found = called(np.ones((rows, 2, 2)), y)
            except Exception as error:
                found = type(error), error.args
            results.append(repr((found, y)))
        assert results[0] == results[1]


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "f4", "i8", "f8"])
def test_one_of_two_constants_is_chosen_by_bytes_of_any_value(dtype):
    one, other = np.array([1, 0]).astype(dtype)
    truths = np.arange(3000, dtype=np.uint8).view(bool)  # bytes that are neither 0 nor 1 are true, too

    def f(x, y, given):
        return np.where(x > y, one, other), np.where(given & given, one, other)

    for size in (5, 77, 3000):
        x, y = array(size), array(size)[::-1].copy()
        assert all(compare(f, (x, y, truths[:size])))


def test_elements_that_lie_apart_are_a_run_where_chains_gather_them():
    x = np.arange(12000.0).reshape(2000, 6)
    for function, made in (
        (lambda x: x[:, 0] * 0.5 + x[:, 1] * 0.25 + x[:, 2], True),
        (lambda x: (x[:, ::2] - x[:, 1::2]) * 0.5, True),
        (lambda x: (x[:, :4:2] - x[:, 1:4:2]) * 0.5, False),  # short rows
        (lambda x: np.sqrt(x[:, 0] + 1) * 0.5 - 2, True),
        (lambda x: (x[1:] - x[:-1]) * 0.5, True),
        (lambda x: (x[:100, ::2] - x[:100, 1::2]) * 0.5, True),  # small
    ):
        assert compare(function, (x,)) == [made]
        assert compare(function, (x.astype(np.float32),)) == [made]
    assert compare(lambda x: x[:, 0] * 2 + x[:, 1] * 3 + x[:, 2], (x.astype(int),)) == [False]


def test_short_rows_are_passed_over_by_one_operator_after_the_other():
    def scaled(x, other):
        return x * 1.5 + other

    for width, made in ((20, False), (128, True)):
        x = np.linspace(0, 3, 60 * width, dtype="f4").reshape(60, width)
        for other in (x[:, :1].copy(), x[0].copy(), x[:, ::-1].copy()[:, ::-1]):
            assert compare(scaled, (x, other)) == [made]
        assert compare(scaled, (x[:40], x[:40, :1].copy())) == [True]


def test_two_operators_are_one_run_but_where_they_write_over_what_they_take():
    def of_two(x, y):
        return x * 0.5 + y

    def in_place(x, y):
        x *= 0.5
        x += y

    def elsewhere(x, y):
        x += y * 0.5

    for size, made in ((1000, True), (1 << 15, False)):
        x, y = np.linspace(0, 3, size, dtype="f4"), np.linspace(5, 1, size, dtype="f4")
        assert compare(of_two, (x, y), states=STATES) == [True] * len(STATES)
        assert compare(elsewhere, (x, y)) == [True]
        assert compare(in_place, (x, y)) == [made]


def after_a_row(function):
    """The function of what an operator gives that stretches one of its operands."""
    return lambda x, row: 0.5 * function(x + row) * x


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("function", [np.tanh, np.sin, np.log1p, np.cbrt, np.exp2, lambda x: x**3, lambda x: np.arctan2(x, x * 2)])
def test_functions_of_what_a_run_makes_need_no_operands_of_one_shape(function, dtype):
    rng = np.random.default_rng(0)
    for shape, other in (((3, 700), (700,)), ((2, 5, 33), (5, 1)), ((40, 65), (40, 1)), ((1, 9), (9,))):
        x, row = rng.uniform(0.1, 2, shape).astype(dtype), rng.uniform(0.1, 2, other).astype(dtype)
        wide = np.zeros((*shape[:-1], 2 * shape[-1]), dtype)[..., : shape[-1]]
        wide[...] = x
        for step in (None, 64):
            assert compare(after_a_row(function), (x, row), step) == [True]
            compare(after_a_row(function), (wide, row), step)


def test_functions_of_operands_with_gaps_are_no_part_of_rows():
    x, row = np.linspace(0, 3, 600, dtype="f4").reshape(3, 200)[:, ::2], np.linspace(0, 1, 100, dtype="f4")
    assert compare(lambda x, row: np.sin(x) * row + x, (x, row)) == [False]


@pytest.mark.parametrize("rows", [1, 8, 200])
def test_gelu_beside_a_bias_needs_the_memory_of_its_result(rows):
    def gelu(x, bias):
        x = x + bias
        return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))

    x, bias = np.linspace(-3, 3, rows * 3072, dtype="f4").reshape(rows, 3072), np.linspace(0, 1, 3072, dtype="f4")
    run = export(gelu, (x, bias)).module()
    run(x, bias)
    tracemalloc.start()
    try:
        run(x, bias)
        assert tracemalloc.get_traced_memory()[1] < 1.5 * x.nbytes
    finally:
        tracemalloc.stop()


def test_warnings_show_the_users_line():
    run = export(lambda x: np.sqrt(x) * 2, (array(500),)).module()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        run(array(500))
    shown = warnings.formatwarning(said[0].message, said[0].category, said[0].filename, said[0].lineno)
    assert "test_expressions.py:" in shown and "code: run = export(lambda x: np.sqrt(x) * 2" in shown
