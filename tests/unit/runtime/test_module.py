"""Calls of exported programs: calling conventions, what is refused and how, what comes back, what is written back."""

import inspect
import re
import traceback
from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

from npexport.symshapes.errors import InputMismatch, Location, UserError
from tests.support.program_builder import Builder, parameters_of

X = np.arange(6.0).reshape(2, 3)
Point = namedtuple("Point", "x y")


@dataclass
class Pair:
    left: object
    right: object


def adding(function, args, kwargs=None):
    """A program of ``function``'s calling convention that adds its two array leaves; other leaves are constants."""
    from npexport.ir.pytree import tree_flatten

    builder = Builder()
    nodes = []
    for index, leaf in enumerate(tree_flatten((args, kwargs or {}))[0]):
        nodes.append(builder.input(f"i{index}", leaf))
    arrays = [node for node, spec in zip(nodes, builder.inputs, strict=True) if type(spec.arg).__name__ == "TensorArgument"]
    result = builder.call("np.add", arrays[0], arrays[-1])
    program = builder.finish(result, args=args, kwargs=kwargs, parameters=parameters_of(function))
    program.validate()
    return program.module()


def two(x, y): ...
def defaulted(x, y=None, *, scale=1.0): ...
def positional_only(x, /, y): ...
def keyword_only(x, *, y): ...
def variadic(x, *rest, **named): ...
def one(t): ...
def builtins_shadowed(type, len, repr): ...


CALLS = {
    "positional": (two, (X, X), {}, [lambda f: f(X, X), lambda f: f(X, y=X), lambda f: f(y=X, x=X)]),
    "exported by keyword": (two, (), {"x": X, "y": X}, [lambda f: f(X, X), lambda f: f(y=X, x=X)]),
    "default left alone": (defaulted, (X, X), {}, [lambda f: f(X, X), lambda f: f(X, X, scale=1.0), lambda f: f(y=X, x=X)]),
    "default passed": (defaulted, (X, X), {"scale": 2.0}, [lambda f: f(X, X, scale=2.0), lambda f: f(X, scale=2.0, y=X)]),
    "default equal to what was passed": (defaulted, (X, X), {"scale": 1.0}, [lambda f: f(X, X), lambda f: f(X, X, scale=1.0)]),
    "positional only": (positional_only, (X, X), {}, [lambda f: f(X, X), lambda f: f(X, y=X)]),
    "keyword only": (keyword_only, (X,), {"y": X}, [lambda f: f(X, y=X)]),
    "variadic": (variadic, (X, 1, X), {"k": "v"}, [lambda f: f(X, 1, X, k="v")]),
    "variadic, several keywords": (variadic, (X, X), {"a": 1, "b": 2}, [lambda f: f(X, X, a=1, b=2)]),
    "tuple": (one, ((X, X),), {}, [lambda f: f((X, X)), lambda f: f(t=(X, X))]),
    "dict": (one, ({"a": X, "b": X},), {}, [lambda f: f({"a": X, "b": X})]),
    "nested": (one, ([{"k": (X, None)}, X, "s"],), {}, [lambda f: f([{"k": (X, None)}, X, "s"])]),
    "named tuple": (one, (Point(X, X),), {}, [lambda f: f(Point(X, X))]),
    "dataclass": (one, (Pair(X, [X]),), {}, [lambda f: f(Pair(X, [X]))]),
    "ordered dict": (one, (OrderedDict(a=X, b=X),), {}, [lambda f: f(OrderedDict(a=X, b=X))]),
    "default dict": (one, (defaultdict(list, a=X),), {}, [lambda f: f(defaultdict(list, a=X))]),
    "deque": (one, (deque([X, X], 4),), {}, [lambda f: f(deque([X, X], 4))]),
    "names of builtins": (builtins_shadowed, (X, X, 0.0), {}, [lambda f: f(X, X, 0.0), lambda f: f(X, repr=0.0, len=X)]),
}


@pytest.mark.parametrize("function, args, kwargs, calls", CALLS.values(), ids=CALLS)
def test_calling_conventions(function, args, kwargs, calls):
    run = adding(function, args, kwargs)
    for call in calls:
        np.testing.assert_array_equal(call(run), X + X)
    assert inspect.signature(run) == inspect.signature(function)


BAD_CALLS = {
    "missing": (two, (X, X), {}, lambda f: f(X), ["y: missing; expected an array f64[2, 3]"]),
    "too many": (two, (X, X), {}, lambda f: f(X, X, 3), ["too many positional arguments: 1 more than the program takes"]),
    "unknown keyword": (two, (X, X), {}, lambda f: f(X, X, z=3), ["unexpected keyword argument 'z'"]),
    "positional only by keyword": (positional_only, (X, X), {}, lambda f: f(x=X, y=X), ["unexpected keyword argument 'x'", "x: missing"]),
    "dtype": (two, (X, X), {}, lambda f: f(X, X.astype("f4")), ["y: expected dtype float64, got float32"]),
    "byte order": (
        two,
        (X, X),
        {},
        lambda f: f(X, X.astype(">f8")),
        ["y: expected dtype float64, got >f8 (not in this machine's byte order)"],
    ),
    "rank": (two, (X, X), {}, lambda f: f(X, X[0]), ["y: expected 2 dimensions, shape (2, 3), got shape (3,)"]),
    "sizes": (two, (X, X), {}, lambda f: f(X[:1], X[:, :2]), ["x.shape[0]: expected 2, got 1", "y.shape[1]: expected 3, got 2"]),
    "list for array": (two, (X, X), {}, lambda f: f(X, [1.0]), ["y: expected an array f64[2, 3], got [*]"]),
    "number for array": (two, (X, X), {}, lambda f: f(X, 3), ["y: expected an array f64[2, 3], got 3 (an int)"]),
    "object array": (two, (X, X), {}, lambda f: f(X, X.astype(object)), ["y: expected dtype float64, got object"]),
    "masked array": (two, (X, X), {}, lambda f: f(X, np.ma.array(X)), ["y: expected an array f64[2, 3], got a MaskedArray f64[2, 3]"]),
    "matrix": (two, (X, X), {}, lambda f: f(X, np.matrix(X)), ["y: expected an array f64[2, 3], got a matrix f64[2, 3]"]),
    "constant": (
        defaulted,
        (X, X),
        {"scale": 2.0},
        lambda f: f(X, X),
        [
            "scale: expected 2.0, for which the program was exported, got 1.0 (a float); "
            "a number that varies is exported with dynamic_shapes={'scale': Dim.AUTO}"
        ],
    ),
    "default": (
        defaulted,
        (X, X),
        {},
        lambda f: f(X, X, scale=3.0),
        ["scale: expected its default 1.0, with which the program was exported, got 3.0"],
    ),
    "key": (
        one,
        ({"a": X, "b": X},),
        {},
        lambda f: f({"a": X, "c": X}),
        ["t: expected the structure {'a': *, 'b': *}, got {'a': *, 'c': *}"],
    ),
    "order of keys": (
        one,
        ({"a": X, "b": X},),
        {},
        lambda f: f({"b": X, "a": X}),
        ["got {'b': *, 'a': *}, the same keys in another order"],
    ),
    "order of **named": (variadic, (X, X), {"a": 1, "b": 2}, lambda f: f(X, X, b=2, a=1), ["the same keys in another order"]),
    "deep leaf": (one, ([{"k": (X, X)}],), {}, lambda f: f([{"k": (X, X[0])}]), ["t[0]['k'][1]: expected 2 dimensions"]),
    "extra keyword of **named": (variadic, (X, X), {"a": 1}, lambda f: f(X, X, a=1, b=2), ["named: expected the structure {'a': *}"]),
    "constant under its own keyword": (variadic, (X, X), {"a": 1}, lambda f: f(X, X, a=2), ["a: expected 1, for which"]),
    "length of *rest": (variadic, (X, X), {}, lambda f: f(X, X, X), ["rest: expected the structure (*,), got (*, *)"]),
    "everything at once": (two, (X, X), {}, lambda f: f(X[0], 3, z=1), ["'z'", "x: expected 2 dimensions", "y: expected an array"]),
}


@pytest.mark.parametrize("function, args, kwargs, call, texts", BAD_CALLS.values(), ids=BAD_CALLS)
def test_bad_calls_say_everything_that_is_wrong(function, args, kwargs, call, texts):
    with pytest.raises(InputMismatch) as caught:
        call(adding(function, args, kwargs))
    assert caught.value.code == "E401"
    for text in texts:
        assert text in caught.value.message


def constant_program(value):
    builder = Builder()
    x = builder.input("x", X)
    builder.input("c", value)
    return builder.finish(builder.call("np.sin", x)).module()


SAME = [
    (1, 1),
    (0, 0),
    (True, True),
    (1.5, 1.5),
    (0.0, 0.0),
    (-0.0, -0.0),
    (float("nan"), float("nan")),
    ("a", "a"),
    (None, None),
    (10**30, 10**30),
]
SAME += [(1 + 2j, 1 + 2j), (float("inf"), float("inf")), ("x" * 100, "x" * 100), (complex(0, -0.0), complex(0, -0.0)), (b"ab", b"ab")]
DIFFERENT = [
    (1, True),
    (True, 1),
    (1, 1.0),
    (1.0, 1),
    (0.0, -0.0),
    (-0.0, 0.0),
    (float("nan"), 1.0),
    ("a", "b"),
    (None, False),
    (0, None),
    (1, np.int64(1)),
]
DIFFERENT += [(1.0, np.float64(1.0)), (complex(0, 0.0), complex(0, -0.0)), ("", None), (float("inf"), 1e308), ("a", b"a")]


@pytest.mark.parametrize("value, same", SAME, ids=repr)
def test_python_values_that_are_the_same(value, same):
    np.testing.assert_array_equal(constant_program(value)(X, same), np.sin(X))


@pytest.mark.parametrize("value, other", DIFFERENT, ids=repr)
def test_python_values_that_are_not(value, other):
    with pytest.raises(InputMismatch, match="c: expected"):
        constant_program(value)(X, other)


def test_arrays_of_every_memory_are_fine():
    run = adding(two, (X, X))
    strided = np.arange(48.0).reshape(4, 12)[::2, 1::4]
    read_only = X.copy()
    read_only.flags.writeable = False
    for array in (strided, read_only, np.asfortranarray(X), X[::-1, ::-1], np.broadcast_to(1.0, (2, 3)), np.full((2, 3), np.nan)):
        np.testing.assert_array_equal(run(array, X), array + X)


def test_memory_maps(tmp_path):
    mapped = np.memmap(tmp_path / "data", dtype="f8", mode="w+", shape=(2, 3))
    mapped[:] = X
    result = adding(two, (X, X))(mapped, X)
    np.testing.assert_array_equal(result, X + X)
    assert type(result) is np.ndarray


@pytest.mark.parametrize(
    "value", [np.zeros(()), np.zeros((0, 3)), np.zeros((2, 0), "i4"), np.ones((1, 1, 1), "?"), np.ones(2, "c8"), np.ones(2, "M8[s]")]
)
def test_unusual_arrays(value):
    builder = Builder()
    run = builder.finish((builder.input("x", value),)).module()
    assert run(value)[0] is value
    with pytest.raises(InputMismatch):
        run(np.zeros((7, 7), "u2"))


def test_numpy_scalars():
    builder = Builder()
    x = builder.input("x", np.float32(2))
    run = builder.finish(builder.call("np.sin", x)).module()
    result = run(np.float32(3))
    assert type(result) is np.float32 and result == np.sin(np.float32(3))
    for wrong in (3.0, np.float64(3), np.array(3, "f4"), 3):
        with pytest.raises(InputMismatch, match="expected a NumPy scalar float32"):
            run(wrong)


def test_results_are_built_anew_each_time():
    builder = Builder()
    x = builder.input("x", X)
    y = builder.call("np.sin", x)
    result = {"t": (y, 1), "l": [y, None, "s"], "p": Point(y, 2.0), "d": Pair(y, {(1, 2): x})}
    run = builder.finish(result).module()
    first, second = run(X), run(X)
    assert first is not second and first["l"] is not second["l"] and first["t"][0] is not second["t"][0]
    assert first["p"] == Point(first["t"][0], 2.0) and first["l"][1:] == [None, "s"] and type(first["d"]) is Pair
    assert first["d"].right[1, 2] is X
    assert first["l"][0] is first["t"][0]


# --- mutation and state


def stateful():
    """``self.n += 1; return x + self.n`` with a buffer written in place."""
    builder = Builder()
    n = builder.buffer("n", np.zeros(3))
    x = builder.input("x", np.ones(3))
    new = builder.call("np.add", n, 1.0)
    program = builder.finish(builder.call("np.add", x, new), writes=[(n, new)])
    program.validate()
    return program


def test_modules_keep_their_own_state():
    program = stateful()
    first, second = program.module(), program.module()
    ones = np.ones(3)
    np.testing.assert_array_equal(first(ones), [2, 2, 2])
    np.testing.assert_array_equal(first(ones), [3, 3, 3])
    np.testing.assert_array_equal(second(ones), [2, 2, 2])
    np.testing.assert_array_equal(program.state_dict["n"], [0, 0, 0])
    np.testing.assert_array_equal(first.state_dict()["n"], [2, 2, 2])
    assert [name for name, _ in first.named_buffers()] == ["n"]


def test_state_is_replaced_by_equal_shapes_only():
    run = stateful().module()
    new = np.full(3, 10.0)
    run.load_state_dict({"n": new})
    np.testing.assert_array_equal(run(np.ones(3)), [12, 12, 12])
    np.testing.assert_array_equal(new, [10, 10, 10])
    for bad in ({"n": np.zeros(4)}, {"n": np.zeros(3, "f4")}, {}, {"n": new, "m": new}):
        with pytest.raises(UserError) as caught:
            run.load_state_dict(bad)
        assert caught.value.code == "E241"
    program = stateful()
    program.state_dict["n"] = np.zeros(2)
    with pytest.raises(UserError, match="exported with"):
        program.module()


def test_a_buffer_that_is_written_in_place_keeps_its_array():
    builder = Builder()
    h = builder.buffer("h", np.zeros((4, 2)))
    x = builder.input("x", np.ones(2))
    new = builder.call("np.setitem", h, 1, x)
    row = builder.call("np.getitem", new, 1)
    program = builder.finish((new, row), writes=[(h, new)], aliases={0: h, 1: h})
    program.validate()
    run = program.module()
    assert "copy" not in run.code  # written in place, no copy
    array = run.state_dict()["h"]
    state, view = run(np.ones(2))
    assert state is array and view.base is array
    run(np.full(2, 5.0))
    np.testing.assert_array_equal(view, [5, 5])  # as in eager: the view sees later writes


def test_a_buffer_that_is_rebound_gets_a_new_array():
    builder = Builder()
    h = builder.buffer("h", np.zeros(2))
    x = builder.input("x", np.ones(2))
    new = builder.call("np.add", h, x)
    program = builder.finish((h, new), rebinds=[(h, new)])
    program.validate()
    run = program.module()
    old, new = run(np.ones(2))
    np.testing.assert_array_equal(old, [0, 0])
    assert run.state_dict()["h"] is new
    again, _ = run(np.ones(2))
    assert again is new
    np.testing.assert_array_equal(new, [1, 1])  # not written: the state has moved on


def test_two_buffers_swap():
    builder = Builder()
    a, b = builder.buffer("a", np.zeros(2)), builder.buffer("b", np.ones(2))
    x = builder.input("x", np.ones(2))
    run = builder.finish(x, writes=[(a, b), (b, a)]).module()
    run(np.ones(2))
    np.testing.assert_array_equal(run.state_dict()["a"], [1, 1])
    np.testing.assert_array_equal(run.state_dict()["b"], [0, 0])


def writing(**conditions):
    """``x += y; return x``."""
    builder = Builder()
    x = builder.input("x", X)
    y = builder.input("y", X, **conditions)
    new = builder.call("np.add", x, y)
    program = builder.finish(new, writes=[(x, new)], aliases={0: x})
    program.validate()
    return program.module()


def test_writes_reach_the_callers_array():
    mine = X.copy()
    result = writing()(mine, X)
    assert result is mine
    np.testing.assert_array_equal(mine, X + X)
    strided = np.zeros((4, 6))[::2, ::2]
    writing()(strided, X)
    np.testing.assert_array_equal(strided, X)


def overlapping():
    base = np.zeros(20)
    return np.lib.stride_tricks.as_strided(base, (2, 3), (8, 8)), X


REFUSED_WRITES = {
    "read-only": (lambda: (np.broadcast_to(0.0, (2, 3)), X), "x: expected a writeable array"),
    "the same array": (lambda: (a := X.copy(), a), "x: the program writes to it, but it shares memory with y"),
    "overlap": (lambda: ((a := np.zeros((3, 3)))[:2], a[1:]), "shares memory with y"),
    "itself": (overlapping, "several of its elements are one place in memory"),
}


@pytest.mark.parametrize("inputs, text", REFUSED_WRITES.values(), ids=REFUSED_WRITES)
def test_writes_that_eager_would_do_otherwise_are_refused(inputs, text):
    with pytest.raises(InputMismatch, match=text):
        writing()(*inputs())


def test_neighbours_are_no_overlap():
    base = np.zeros((2, 6))
    writing()(base[:, :3], base[:, 3:])
    writing()(base[:, ::2], base[:, 1::2])


def test_an_input_that_was_the_same_array():
    run = writing(same_as="x")
    mine = X.copy()
    run(mine, mine)
    np.testing.assert_array_equal(mine, X + X)
    with pytest.raises(InputMismatch, match="y: expected the very array that is passed as x"):
        run(X.copy(), X.copy())


def test_layout_conditions():
    builder = Builder()
    x = builder.input("x", X, layout="C")
    run = builder.finish(builder.call("np.sin", x)).module()
    run(X)
    with pytest.raises(InputMismatch, match="x: expected C-contiguous memory"):
        run(np.asfortranarray(X))


def test_nothing_is_changed_by_a_refused_call():
    mine = X.copy()
    with pytest.raises(InputMismatch):
        writing()(mine, X[0])
    np.testing.assert_array_equal(mine, X)


def test_exceptions_name_the_users_line():
    builder = Builder()
    x = builder.input("x", np.eye(2))
    shifted = builder.call("np.subtract", x, 1.0)
    inverse = builder.call("np.inv", shifted)
    inverse.meta["stack_trace"] = (Location("model.py", 7, 11, 7, 24, "forward", "    return np.linalg.inv(x - 1)"),)
    run = builder.finish(inverse).module()
    run(np.eye(2))
    with pytest.raises(np.linalg.LinAlgError) as caught:
        type(run).__call__(run, np.ones((2, 2)))  # in C there is no frame
    with pytest.raises(np.linalg.LinAlgError) as again:
        run(np.ones((2, 2)))
    assert again.value.__notes__ == caught.value.__notes__
    text = "".join(traceback.format_exception(caught.value))
    assert re.search(r"\n    v\d+ = c\d+\(v\d+\)  # model\.py:7 in forward, code: return np\.linalg\.inv\(x - 1\)\n", text)
    assert (
        'Raised by inv: "f64[2, 2]" = ops.np.inv(subtract)\n  File "model.py", line 7, in forward\n    return np.linalg.inv(x - 1)' in text
    )


def test_programs_are_not_called():
    with pytest.raises(UserError, match="cannot be called directly") as caught:
        stateful()(np.ones(3))
    assert "module()" in caught.value.hint


def test_parameters_handed_out_are_the_modules_own():
    builder = Builder()
    w = builder.parameter("w", np.ones(2))
    builder.input("x", X)
    program = builder.finish(w)
    run = program.module()
    run(X)[...] = 7
    np.testing.assert_array_equal(program.state_dict["w"], [1, 1])
    assert run(X) is run(X)
