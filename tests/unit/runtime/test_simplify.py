"""What the compiler leaves out of programs nobody can tell: bits, dtypes, layouts, flags, sharing, warnings and errors are the same."""

from __future__ import annotations

import random
import warnings

import numpy as np
import pytest

from npexport import Dim, export, ops, scan, while_loop
from npexport.runtime.compilation.compile import Writer
from npexport.runtime.compilation.simplify import simplified
from npexport.runtime.modules.module import Module
from tests.support.outcomes import outcome
from tests.support.random_graphs import random_call, random_program
from tests.support.seeds import fresh_seed
from tests.support.shards import shard


def plain_module(program):
    """The program as it is printed."""
    module = Module(program, True, {}, Writer(program, True).finish())
    module.__class__ = type("Module", (Module,), {"__call__": module._function})
    return module


def observed(run, inputs):
    """All that a caller can see of a call."""
    mine = {name: array.copy(order="K") for name, array in inputs.items()}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            results = run(**mine)
        except Exception as error:
            results = f"{type(error).__name__}: {error}"
    results = results if type(results) is tuple else (results,)
    arrays = [*results, *mine.values(), *(array for _, array in run.named_buffers())]
    real = [each for each in arrays if type(each) is np.ndarray]
    return {
        "warnings": [f"{each.category.__name__}: {each.message}" for each in caught],
        "values": [(type(each), each.dtype, each.shape, each.tobytes()) if hasattr(each, "dtype") else each for each in arrays],
        "layouts": [tuple(s for s, n in zip(each.strides, each.shape, strict=True) if n > 1) for each in real],
        "flags": [(each.flags.writeable, each.flags.c_contiguous, each.flags.f_contiguous) for each in real],
        "same": [(i, j) for i, one in enumerate(arrays) for j, other in enumerate(arrays) if one is other],
        "sharing": [
            (i, j) for i, one in enumerate(arrays) for j, other in enumerate(arrays)
            if type(one) is type(other) is np.ndarray and np.shares_memory(one, other)
        ],
    }  # fmt: skip


def simplifiable_call(rng, builder, pool):
    """A call that a rule may apply to, or any."""
    a = rng.choice(pool)
    shape = a.meta["val"].shape
    try:
        match rng.randrange(10):
            case 0:
                return builder.call(rng.choice(["np.copy", "np.array"]), a)
            case 1:
                return builder.call("np.astype", a, rng.choice([a.meta["val"].dtype, np.dtype("f8"), np.dtype("i8")]))
            case 2:
                return builder.call("np.as_contiguous", a)
            case 3:
                axes = list(range(len(shape)))
                rng.shuffle(axes)
                return builder.call("np.transpose", a, tuple(axes))
            case 4:
                return builder.call("np.reshape", a, rng.choice([shape, shape[::-1], (-1,), (1, *shape)]))
            case 5:
                name = rng.choice(["negative", "negative", "absolute", "floor", "sign", "invert", "logical_not", "rint", "conjugate"])
                return builder.call(f"np.{name}", builder.call(f"np.{name}", a) if rng.random() < 0.5 else a)
            case 6:
                name, number = rng.choice([("add", 0), ("multiply", 1), ("subtract", 0), ("bitwise_or", 0), ("floor_divide", 1)])
                return builder.call(f"np.{name}", *((a, number) if rng.random() < 0.7 else (number, a)))
            case 7:
                return builder.call("np.concatenate", [a, rng.choice(pool)])
            case 8:
                size = shape[0] if shape else 0
                start = rng.choice([0, size // 2])
                return builder.call("np.getitem", a, rng.choice([slice(start, start + size // 2), slice(None, size // 2), slice(None)]))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return random_call(rng, builder, pool)


def check(seed):
    program, inputs = random_program(random.Random(seed), simplifiable_call)
    program.validate()
    before = str(program)
    assert observed(program.module(), inputs) == observed(plain_module(program), inputs), (
        f"seed {seed}\n{program}\n{simplified(program).graph}"
    )
    assert str(program) == before
    return len(simplified(program).graph) < len(program.graph)


@pytest.mark.fuzz
@pytest.mark.parametrize("block", shard(range(8), 4))
def test_random_programs(block):
    shorter = [check(seed) for seed in range(block * 100, block * 100 + 100)]
    assert sum(shorter) > 5


def test_an_array_and_what_was_put_back_into_another_leave_the_program_apart():
    check(298521987)


@pytest.mark.fuzz
def test_fresh_random_programs():
    start = fresh_seed()
    for seed in range(start, start + 100):
        check(seed)


def names(function, *args, dynamic_shapes=None):
    """The calls that are left, after the results are compared."""
    program = export(function, args, dynamic_shapes=dynamic_shapes)
    inputs = dict(zip(program.graph_signature.user_inputs, args, strict=True))
    assert observed(program.module(), inputs) == observed(plain_module(program), inputs)
    return [node.target.name for node in simplified(program).graph.find_nodes(op="call_function")]


X, I = np.arange(6.0), np.arange(6)


@pytest.mark.parametrize(("function", "left"), [
    (lambda x: (x + 1).copy() * 2, ["add", "multiply"]),
    (lambda x: (x + 1).astype(np.float64) * 2, ["add", "multiply"]),
    (lambda x: (x + 1).astype(np.float32) * 2, ["add", "astype", "multiply"]),
    (lambda x: np.array(x * 2) + np.ascontiguousarray(x * 2), ["multiply", "add"]),
    (lambda x: -(-(x * 2)) + 1, ["multiply", "add"]),
    (lambda x: np.abs(np.abs(x)) + 1, ["absolute", "add"]),
    (lambda x: np.floor(np.floor(x)) + 1, ["floor", "add"]),
    (lambda x: (x + 1).reshape(2, 3).reshape(3, 2).reshape(-1) * 2, ["add", "multiply"]),
    (lambda x: (x.reshape(2, 3) + 1).T.T * 2, ["reshape", "add", "multiply"]),
    (lambda x: (x.reshape(1, 2, 3) + 1).transpose(1, 2, 0).swapaxes(0, 1) * 2, ["reshape", "add", "transpose", "multiply"]),
    (lambda x: (x + 1)[:] * (x + 1)[...], ["add", "multiply"]),
    (lambda x: np.concatenate([x + 1, x * 2])[6:] - np.concatenate([x + 1, x * 2])[:6], ["add", "multiply", "subtract"]),
    (lambda x: np.concatenate([x + 1, x * 2])[5:] * 2, ["add", "multiply", "concatenate", "getitem", "multiply"]),
    (lambda x: x * 1 + 0.0, ["multiply", "add"]),
    (lambda x: (x + 1).copy(), ["add"]),
    (lambda x: ((y := x + 1), y.copy(), x.copy()), ["add", "copy", "copy"]),
], ids=range(16))  # fmt: skip
def test_what_is_left_out(function, left):
    assert names(function, X) == left


def test_integers():
    assert names(lambda x: ((x + 5) * 1 + 0 - 0) // 1 | 0, I) == ["add", "bitwise_or"]
    assert names(lambda x: 0 + 1 * (x * 3) - 2, I) == ["multiply", "subtract"]
    assert names(lambda x: 0 - (x * 3) + 7, I) == ["multiply", "subtract", "add"]
    assert names(lambda x: (x * 3) * 1 * 1.5, I.astype(np.int8)) == ["multiply", "multiply"]
    assert names(lambda x: ~~(x * 3) + 1, I) == ["multiply", "add"]


def recurrence(x):
    y = np.empty_like(x)
    y[0], y[1] = x[0], x[1] * -0.0
    for i in range(2, 6):
        y[i] = y[i - 1] * 0.5 + y[i - 2] - x[i]
    return y, y[-6] + 1


def test_elements_that_have_just_been_written_are_not_read():
    assert names(recurrence, np.array([np.nan, -np.inf, 0.0, 1.5, -2.0, np.nan])).count("getitem") == 6  # of the input alone
    assert names(lambda x: narrowed(x), X.astype(np.float32)).count("getitem") == 5
    assert names(lambda x: elsewhere(x), X).count("getitem") == 5
    table = names(lambda x: tabled(x), X.reshape(2, 3))
    assert table.count("getitem") == 3


def narrowed(x):
    y = x + 1
    y[0] = np.float64(x[1]) / 3  # is rounded where it is written
    y[1] = 0.1  # no scalar of NumPy's
    y[2] = x[3]
    return y * (y[0] + y[1] + y[-4] + x[4])


def elsewhere(x):
    y = x + 1
    y[1] = x[2] * 2
    y[3:] = 7.0
    a = y[1]  # what is written to a part may be there, too
    y[4] = x[5]
    y[int(2)] = a
    return y, a * y[4] + y[2] + y[5] + y[0]


def tabled(x):
    y = x * 2
    y[0, 1] = x[1, 1]
    y[1, -3] = x[0, 0]
    return y * y[0, -2] + y[1, 0] * y[1, 1]


def test_copies_of_inputs_keep_their_layouts():
    """A copy of an array that lies with gaps is summed in another order."""
    x = np.random.default_rng(0).standard_normal((40, 50))[:, ::2]
    assert "copy" in names(lambda x: np.copy(x).sum(), x)


def test_writes_do_not_reach_copies():
    def function(x):
        y = x + 1
        z = y.copy()
        y[0] = 5
        x[:] = z[::-1]
        return y * 1, z + 0.5

    names(function, I.copy())
    names(function, X.copy())


def test_outputs_are_views_of_what_is_written():
    def function(x, y):
        np.copyto(y, x.T)
        return y.T, y.T.T[:], y[:].T.reshape(-1)

    for order in "CF":
        program = export(function, (X.reshape(2, 3) + 0, np.ones((3, 2), order=order)))
        inputs = {"x": X.reshape(2, 3) + 0, "y": np.ones((3, 2), order=order)}
        assert observed(program.module(), inputs) == observed(plain_module(program), inputs)


def test_dynamic_sizes():
    dynamic = ({0: Dim("n", min=2)},)
    found = names(lambda x: (x + 1).copy().reshape(-1, 1).reshape(-1).astype(x.dtype) * 2, X, dynamic_shapes=dynamic)
    assert found == ["add", "multiply"] or "copy" not in found


def test_copies_that_are_laid_out_are_made_once():
    assert names(lambda x: np.transpose(x.reshape(2, 3)).copy(), X) == ["reshape", "transpose", "copy"]
    assert "copy" not in names(lambda x: x.T.copy().flatten() + 1, X)
    kept = names(lambda x: (lambda y: (y.flatten(), y + 1))(x.copy()), X)
    assert "copy" in kept


def test_numbers_are_stacked_as_they_are():
    assert "array" not in names(lambda x: np.array([x[0], x.max(), x.sum()]), X)
    assert "array" not in names(lambda x: np.array([x[0], x.max(), x[1]]) * 2, I)
    shared = names(lambda x: (lambda number: (np.stack([number, number]), number))(np.array(x[0])), X)
    assert "array" in shared
    names(lambda x: np.stack([x[0], x.max(), np.float32(2)]), X)
    for rows in (
        lambda x: np.array([[np.cos(x[0]), -np.sin(x[0])], [np.sin(x[0]), np.cos(x[0])]]) * 2,
        lambda x: np.array([[[x[0], 1.0]], [[x[1], x[0]]]]).T,
        lambda x: np.array([[x[0], x[1]], [x[1], 2.0]]),
    ):
        found = names(rows, X)
        assert "array" not in found
        assert found.count("stack") == 1
    assert names(lambda x: (lambda row: (np.array([row, row]), row))(np.array([x[0], x[1]])), X).count("stack") == 2
    names(lambda x: np.array([[float(x[0]), 2.5], [float(x[1]), 1.5]]), X)
    names(lambda x: np.array([[x[0], np.float32(1)], [np.float32(2), np.float32(3)]]) @ x[:2], X)


def test_integers_are_stacked_as_they_are():
    assert names(lambda x: np.array([int(x[0]), int(x[1]) + 1, len(x)]), I).count("array") == 0
    apart = names(lambda x: (lambda first: (np.stack([first, np.array(int(x[1]))]), first))(np.array(int(x[0]))), I)
    assert "array" in apart


@pytest.mark.parametrize("power", [1, 61, 62, 63, 64])
def test_an_integer_that_is_too_large_to_be_stacked_raises(power):
    def program(x):
        y = x * 2
        return y, np.array([int(x[0]) * 2**power, int(x[1]) - 2**power, int(x[2])], dtype=np.int64)

    run = export(program, (I,)).module()
    for x in (I, np.zeros_like(I), I * 0 + 1, I * 0 - 1):
        assert outcome(run, (x,)) == outcome(program, (x,))


def iteration_operators(program):
    """The operators of each iteration, of all loops."""
    return [
        [node.target.name for node in module.graph.find_nodes(op="call_function") if node.target.namespace == "np"]
        for module in simplified(program).graph.sub_graphs()
    ]


A = np.random.default_rng(1).standard_normal((3, 3))


@pytest.mark.parametrize("iterations", [0, 1, 4])
def test_what_iterations_repeat_is_computed_before_the_loop(iterations):
    def function(a, x):
        return while_loop(lambda i, y: i < iterations, lambda i, y: (i + 1, np.abs(a).T @ y + np.maximum(a, 0)[0]), (0, x))[1]

    program = export(function, (A, A[0]))
    assert iteration_operators(program) == [[], ["matmul", "add"]]
    inputs = {"a": A, "x": A[0]}
    assert observed(program.module(), inputs) == observed(plain_module(program), inputs)
    np.testing.assert_array_equal(program.module()(A, A[0]), function(A, A[0]))


def test_what_may_warn_or_raise_stays_in_the_loop():
    def function(a, x):
        return while_loop(lambda i, y: i < 0, lambda i, y: (i + 1, np.log(a)[0] + y), (0, x))[1]

    program = export(function, (A * 0, A[0]))
    assert ["log", "getitem", "add"] in iteration_operators(program)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        program.module()(A * 0, A[0])


def test_loops_in_loops_and_scans():
    def inner(a, y):
        return scan(lambda total, row: (total + np.abs(a)[0], row * np.sign(a)[1]), y, a)[0]

    def function(a, x):
        return while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, inner(a, y)), (0, x))[1]

    program = export(function, (A, A[0]))
    assert not any("absolute" in iteration for iteration in iteration_operators(program))
    np.testing.assert_array_equal(program.module()(A, A[0]), function(A, A[0]))


def test_the_printed_graph_stays():
    program = export(lambda x: (x + 1).copy() * 2, (X,))
    program.module()
    assert [node.target for node in program.graph.find_nodes(op="call_function")] == [ops.np.add, ops.np.copy, ops.np.multiply]


@pytest.mark.parametrize("dtype", ["f8", "i4", "?", "c16", ">f8"])
@pytest.mark.parametrize(
    "function",
    [lambda x: x.tolist(), lambda x: ((x * 2).tolist(), x[1:]), lambda x: (x[::-2].tolist(), x)],
)
def test_lists_are_made_of_the_arrays_themselves(function, dtype):
    x = np.arange(1000).astype(dtype)
    run = export(function, (x,)).module()
    assert repr(run(x)) == repr(function(x))
    columns = [node for node in export(function, (x,)).graph.nodes if node.target is ops.np.astype]
    copies = [node for node in columns if node.meta["val"].dtype == node.args[0].meta["val"].dtype]
    assert (".astype(" in run.code) is (len(copies) < len(columns))


def test_one_list_that_is_returned_twice():
    items, again = export(lambda x: (x.tolist(),) * 2, (np.arange(1000.0),)).module()(np.arange(1000.0))
    assert items is again and items == list(range(1000))


def test_a_list_of_what_is_written_to_afterwards_has_the_earlier_numbers():
    def program(x):
        items = x.tolist()
        x += 1
        return items

    x = np.arange(1000.0)
    assert export(program, (x,)).module()(x.copy()) == list(range(1000))


def found(x):
    values = []
    for v in x.tolist():
        if v > 2:
            values.append(v)
    return values


LENGTHS = {
    "how many": lambda x: len(found(x)),
    "how many, and half": lambda x: (len(found(x)) // 2, float(len(found(x)))),
    "an array": lambda x: np.array(found(x), np.int64),
    "two arrays": lambda x: (lambda values: (np.array(values, np.int64), np.array(values, np.int64)))(found(x)),
    "an array and how many": lambda x: (lambda values: (np.array(values, np.int64) + len(values), values))(found(x)),
    "a copy of a side": lambda x: np.copy(x + 1 if x[0] > 2 else x),
    "a copy of what is written": lambda x: (lambda y: (y.copy(), np.copy(y)))(x * 2),
}


@pytest.mark.parametrize("name", LENGTHS)
def test_lengths_and_copies_of_what_is_new(name):
    """The length of what a loop finds needs none of it, and what is new and nothing else has is not copied."""
    program = LENGTHS[name]
    run = export(program, (np.arange(8),)).module()
    for seed in range(6):
        x = np.random.default_rng(seed).integers(0, seed + 1, 8)
        given, result, expected = x.copy(), run(x), program(x)
        assert repr(result) == repr(expected)
        arrays = [each for each in (result if isinstance(result, tuple) else (result,)) if isinstance(each, np.ndarray)]
        for each in arrays:
            assert each.flags.writeable
            each[...] = 99
        assert np.array_equal(x, given)
        assert repr(run(x)) == repr(expected)


def test_a_length_needs_no_elements():
    code = export(LENGTHS["how many"], (np.arange(8),)).module().code
    assert "copy()" not in code
