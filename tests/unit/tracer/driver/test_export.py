"""The call of ``export``: what may be exported, how inputs are named and checked, what comes out, and how failures look."""

from __future__ import annotations

import collections
import dataclasses
import functools
import inspect
import sys
import traceback
import types

import numpy as np
import pytest

import npexport
from npexport import InputKind, OutputKind, explain, export, nn, ops
from npexport.symshapes.errors import InputMismatch, InternalError, Unsupported, UserError
from tests.support.functions import function_of
from tests.support.threads import run_at_once

X = np.arange(6.0).reshape(2, 3)


def function(x, k=2.0):
    return x * k


class Callable:
    def __init__(self):
        self.k = 3.0

    def __call__(self, x):
        return x * self.k

    def method(self, x):
        return x + self.k

    @classmethod
    def of_class(cls, x):
        return x - 1

    @staticmethod
    def static(x):
        return x - 2


class Made:
    def __new__(cls, x):
        return x * 7


def decorated(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs) + 1

    return wrapper


@decorated
def wrapped(x, y):
    return x + y


def claiming(f):
    """Takes positions, whatever the keyword-only parameters say that it claims to have."""

    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(**dict(zip(inspect.signature(f).parameters, args)), **kwargs)

    wrapper.__signature__ = inspect.signature(f)
    return wrapper


@claiming
def claimed(*, x):
    return x * 2


def generator_based(x):
    return sum(row for row in x)


@functools.lru_cache(maxsize=None)
def cached(n):
    return n + 1


@functools.singledispatch
def dispatched(x):
    return x


@dispatched.register
def _(x: np.ndarray):
    return x * 10


CALLABLES = {
    "function": function,
    "lambda": lambda x: x + 1,
    "bound method": Callable().method,
    "class method": Callable.of_class,
    "static method": Callable.static,
    "instance": Callable(),
    "class": Made,
    "partial": functools.partial(function, k=4.0),
    "partial of method": functools.partial(Callable().method),
    "partial of partial": functools.partial(functools.partial(function), k=5.0),
    "decorated": decorated(function),
    "claimed signature": claimed,
    "partial of a claimed signature": functools.partial(claimed),
    "method of a claimed signature": types.MethodType(claiming(lambda *, a, b: a[0] * b), (2.0,)),
    "singledispatch": dispatched,
    "ufunc": np.sin,
    "numpy function": np.mean,
    "numpy function of arrays": np.transpose,
    "builtin": abs,
    "module": nn.ReLU(),
    "sequential": nn.Sequential(nn.Linear(3, 4), nn.Tanh()),
    "closure": (lambda k: lambda x: x * k)(9.0),
    "generator based": generator_based,
    "vectorised": functools.partial(np.sum, axis=0),
    "method of an array's class": np.ndarray.sum,
}


@pytest.mark.parametrize("f", CALLABLES.values(), ids=CALLABLES)
def test_anything_that_can_be_called(f):
    x = X.astype(np.float32) if isinstance(f, nn.Module) else X
    exported = export(f, (x,))
    for data in (x, x - 3):
        np.testing.assert_allclose(exported.module()(data), f(data), rtol=1e-6)


def names(exported):
    return [node.name for node in exported.graph.placeholders]


@dataclasses.dataclass
class Pair:
    left: object
    right: object


Point = collections.namedtuple("Point", "a b")


@pytest.mark.parametrize(
    ("f", "args", "kwargs", "expected"),
    [
        (lambda x, y: x + y, (X, X), {}, ["x", "y"]),
        (lambda x, y: x + y, (X,), {"y": X}, ["x", "y"]),
        (lambda x, *, y: x + y, (X,), {"y": X}, ["x", "y"]),
        (lambda x, *rest: x + rest[0] + rest[1], (X, X, X), {}, ["x", "rest_0", "rest_1"]),
        (lambda **kw: kw["a"] + kw["b"], (), {"a": X, "b": X}, ["a", "b"]),
        (lambda x: x[0] + x[1], ([X, X],), {}, ["x_0", "x_1"]),
        (lambda x: x["k"] + x["l"][0], ({"k": X, "l": [X]},), {}, ["x_k", "x_l_0"]),
        (lambda p: p.left + p.right, (Pair(X, X),), {}, ["p_left", "p_right"]),
        (lambda p: p.a + p.b, (Point(X, X),), {}, ["p_a", "p_b"]),
        (lambda x, n, s, flag: x * n if flag else x, (X, 3, "s", True), {}, ["x", "n", "s", "flag"]),
        (wrapped, (X, X), {}, ["x", "y"]),
        (lambda sin: np.sin(sin), (X,), {}, ["sin"]),
    ],
)
def test_names_of_inputs(f, args, kwargs, expected):
    exported = export(f, args, kwargs)
    assert names(exported) == expected
    np.testing.assert_array_equal(exported.module()(*args, **kwargs), f(*args, **kwargs))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.branch = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
        self.unused = nn.Linear(2, 2)
        self.register_buffer("calls", np.zeros((), np.int64))
        self.register_buffer("scratch", np.ones(2, np.float32), persistent=False)
        self.table = {"shift": np.full(2, 0.5, np.float32)}
        self.tied = self.branch[0].weight

    def forward(self, x):
        self.calls += 1
        return self.branch(x) * self.scratch + self.table["shift"] + self.tied.sum()


def test_lifting_and_order():
    exported = export(Net(), (np.ones((4, 3), np.float32),))
    signature = exported.graph_signature
    assert signature.parameters == ("branch.0.weight", "branch.0.bias", "unused.weight", "unused.bias")
    assert signature.buffers == ("calls", "scratch")
    assert signature.non_persistent_buffers == ("scratch",)
    assert signature.lifted_tensor_constants == ("table.shift",)
    assert names(exported) == [
        "p_branch_0_weight",
        "p_branch_0_bias",
        "p_unused_weight",
        "p_unused_bias",
        "b_calls",
        "b_scratch",
        "c_table_shift",
        "x",
    ]
    assert list(signature.buffers_to_mutate.values()) == ["calls"]
    assert set(exported.state_dict) == {*signature.parameters, "calls"} and set(exported.constants) == {"scratch", "table.shift"}
    assert [spec.kind for spec in signature.output_specs] == [OutputKind.BUFFER_MUTATION, OutputKind.USER_OUTPUT]
    stacks = {node.name: node.meta["nn_module_stack"] for node in exported.graph if node.op == "call_function"}
    assert any(stack == {"": "Net", "branch": "Sequential", "branch.0": "Linear"} for stack in stacks.values())


def test_state_of_the_running_program_is_its_own():
    net = Net()
    exported = export(net, (np.ones((4, 3), np.float32),))
    run = exported.module()
    run(np.ones((4, 3), np.float32))
    assert net.calls == 0 and exported.state_dict["calls"] == 0
    net(np.ones((4, 3), np.float32))
    assert exported.state_dict["calls"] == 0


def test_plain_classes_keep_state_in_attributes():
    class Filter:
        def __init__(self):
            self.h = np.zeros(3)
            self.history = [np.zeros(3), np.zeros(3)]

        def step(self, x):
            self.h = 0.5 * self.h + x
            self.history[0], self.history[1] = self.history[1], self.h.copy()
            return self.h.sum()

    eager, example = Filter(), Filter()
    exported = export(example.step, (np.ones(3),))
    assert set(exported.graph_signature.buffers) == {"h", "history.0", "history.1"}
    run = exported.module()
    for seed in range(4):
        x = np.random.default_rng(seed).normal(size=3)
        np.testing.assert_allclose(run(x), eager.step(x))
    assert not example.h.any()


def test_arrays_of_globals_and_closures_are_constants():
    weights = np.arange(3.0)

    def program(x):
        return x * weights + X[0]

    exported = export(program, (np.ones(3),))
    assert {spec.kind for spec in exported.graph_signature.input_specs} == {InputKind.CONSTANT_TENSOR, InputKind.USER_INPUT}
    assert set(exported.graph_signature.lifted_tensor_constants) == {"weights", "X"}


OUTPUTS = {
    "array": lambda x: x + 1,
    "input itself": lambda x: x,
    "tuple": lambda x: (x, x + 1),
    "same twice": lambda x: [(y := x * 2), y],
    "dict": lambda x: {"a": x + 1, "b": (x, [x * 2])},
    "none": lambda x: None,
    "nothing computed": lambda x: 3,
    "mixed": lambda x: (x, 1, 2.5, "s", None, True, 1j, b"b", np.float32(2), np.int64(3)),
    "empty containers": lambda x: ((), [], {}, x),
    "scalar": lambda x: x.sum(),
    "element": lambda x: x[0, 0],
    "named tuple": lambda x: Point(x, 1),
    "dataclass": lambda x: Pair(x, [x + 1]),
    "view": lambda x: x.T,
    "constant array": lambda x: np.arange(3),
    "shape": lambda x: x.shape,
    "ordered": lambda x: collections.OrderedDict(a=x),
    "deque": lambda x: collections.deque([x]),
}


@pytest.mark.parametrize("f", OUTPUTS.values(), ids=OUTPUTS)
def test_outputs(f):
    from npexport.ir.pytree import tree_flatten

    exported = export(f, (X,))
    for data in (X, X * 2 - 1):
        actual, expected = exported.module()(data), f(data)
        (left, left_spec), (right, right_spec) = tree_flatten(actual), tree_flatten(expected)
        assert left_spec == right_spec
        for a, e in zip(left, right, strict=True):
            assert type(a) is type(e)
            np.testing.assert_array_equal(a, e)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: lambda: x,
        lambda x: (row for row in x),
        lambda x: {1.5, 2},
        lambda x: object(),
        lambda x: np.sin,
        lambda x: Callable(),
    ],
)
def test_outputs_that_no_program_has(f):
    with pytest.raises(Unsupported) as caught:
        export(f, (X,))
    assert caught.value.code == "E115" and caught.value.location is not None


@pytest.mark.parametrize(
    ("f", "args", "kwargs", "code"),
    [
        (3, (X,), None, "E203"),
        (nn.ReLU, (X,), None, "E203"),
        (X, (X,), None, "E203"),
        (function, X, None, "E201"),
        (function, (X,), [1], "E201"),
        (function, (X,), {1: 2}, "E201"),
        (function, (object(),), None, "E202"),
        (function, (np.array([1, None]),), None, "E202"),
        (function, (np.matrix([[1.0]]),), None, "E202"),
        (function, (np.ma.ones(3),), None, "E202"),
        (function, ({1, 2},), None, "E202"),
        (function, ({"a": [len]},), None, "E202"),
        (function, (iter([1]),), None, "E202"),
        (lambda a, b: a[0], ((shared := [X]), shared), None, "E202"),
    ],
)
def test_malformed_calls(f, args, kwargs, code):
    with pytest.raises(UserError) as caught:
        export(f, args, kwargs)
    assert caught.value.code == code and caught.value.hint
    assert [problem.code for problem in explain(f, args, kwargs).problems] == [code]


class Wrapped(np.ndarray):
    pass


@pytest.mark.parametrize(
    ("value", "instead"),
    [
        (np.matrix([[1.0]]), "np.asarray(x); x * y of matrices is x @ y"),
        (np.ma.ones(3), "~np.ma.getmaskarray(x)"),
        (np.rec.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]), "np.asarray(x), and take its fields by name"),
        (np.ones(3).view(Wrapped), "np.asarray(x)."),
    ],
)
def test_what_to_pass_instead_of_an_array_of_a_subclass(value, instead):
    with pytest.raises(UserError) as caught:
        export(lambda x: x, (value,))
    assert caught.value.code == "E202" and instead in caught.value.hint


def test_a_subclass_that_the_program_makes_is_named():
    class Quaternion(np.ndarray):
        def __new__(cls, values):
            return super().__new__(cls, values.shape, float, values)

    with pytest.raises(Unsupported, match="Quaternion, a subclass of ndarray") as caught:
        export(lambda x: Quaternion(x), (np.ones(4),))
    assert "NDArrayOperatorsMixin" in caught.value.hint


def test_what_configures_a_program_is_bound_and_no_input():
    def apply(x, reduce):
        return reduce(x)

    with pytest.raises(UserError) as caught:
        export(apply, (X, np.mean))
    assert caught.value.code == "E202" and "lambda x: f(x, reduce=...)" in caught.value.hint
    np.testing.assert_array_equal(export(lambda x: apply(x, reduce=np.mean), (X,)).module()(X), X.mean())


def test_modules_of_functions_are_asked_for():
    with pytest.raises(UserError):
        export(function, (X,), preserve_module_call_signature=("a",))


def test_wrong_arguments_are_python_errors():
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'"):
        export(lambda x, y: x, (X,))
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        export(lambda x: x, (X,), {"z": 1})
    with pytest.raises(TypeError, match="forward.. takes 2 positional arguments but 3 were given"):
        export(npexport.nn.Linear(4, 2), (X, X))


def test_a_missing_argument_is_named_with_what_to_pass():
    def f(x, y, *, scale):
        return x

    for program, args, hint in (
        (f, (X,), 'Pass an example of `y` and `scale`: export(f, (x, y), {"scale": scale}).'),
        (functools.partial(f, scale=2.0), (X,), "Pass an example of `y`: export(f, (x, y))."),
        (npexport.nn.Linear(4, 2), (), "Pass an example of `input`: export(model, (input,))."),
    ):
        with pytest.raises(UserError) as caught:
            export(program, args)
        assert (caught.value.code, caught.value.hint) == ("E201", hint)


def raises_deeply(x):
    return one(x)


def one(x):
    return two(x)


def two(x):
    raise KeyError("deep")


def test_user_exceptions_have_the_users_frames():
    with pytest.raises(KeyError) as caught:
        export(raises_deeply, (X,))
    frames = [(frame.f_code.co_name, frame.f_globals["__name__"]) for frame, _ in traceback.walk_tb(caught.value.__traceback__)]
    assert [name for name, _ in frames[-3:]] == ["raises_deeply", "one", "two"]
    assert sum(module.startswith("npexport") for _, module in frames) <= 1


def test_numpy_errors_are_numpys():
    with pytest.raises(ValueError, match="shapes|mismatch|broadcast") as caught:
        export(lambda x: x + np.ones(7), (X,))
    with pytest.raises(ValueError) as eager:
        X + np.ones(7)
    assert str(caught.value) == str(eager.value)


def test_numpy_scalars_are_data_unless_their_value_is_needed():
    exported = export(lambda x, k: x * k, (X, np.float64(2.0)))
    np.testing.assert_array_equal(exported.module()(X, np.float64(5.0)), X * 5)
    counted = export(lambda x, n: sum(x * i for i in range(n)), (X, np.int64(3)))
    np.testing.assert_array_equal(counted.module()(X, np.int64(4)), X * 6)
    named = export(lambda x, n: getattr(np, ["sin", "cos", "tan", "exp"][n])(x), (X, np.int64(3)))
    for place, function in enumerate((np.sin, np.cos, np.tan, np.exp)):
        np.testing.assert_array_equal(named.module()(X, np.int64(place)), function(X))


def test_python_values_are_checked():
    run = export(function, (X, 3)).module()
    np.testing.assert_array_equal(run(X, 3), X * 3)
    for other in (4, 3.0, True, None, "3"):
        with pytest.raises(InputMismatch):
            run(X, other)


def test_defects_are_internal_errors(monkeypatch):
    from npexport.tracer.driver import exporting as driver

    def broken(*args, **kwargs):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(driver, "program_of_calls", broken)
    with pytest.raises(InternalError) as caught:
        export(function, (X,))
    assert caught.value.code == "E901" and isinstance(caught.value.__cause__, ZeroDivisionError)


def test_exporting_twice_gives_equal_programs():
    assert str(export(Net(), (np.ones((4, 3), np.float32),))).count("\n") == str(export(Net(), (np.ones((4, 3), np.float32),))).count("\n")
    assert export(function, (X,)).graph_module.code == export(function, (X,)).graph_module.code


def test_exporting_inside_a_program_is_a_call_of_python():
    def outer(x):
        return x + 1

    inner = export(outer, (X,)).module()
    np.testing.assert_array_equal(inner(X), X + 1)


def test_exports_in_threads():
    results = []

    def work(k):
        results.append((k, export(lambda x: x * k, (X,)).module()(X)))

    run_at_once(*(functools.partial(work, k) for k in range(4)))
    assert len(results) == 4
    for k, value in results:
        np.testing.assert_array_equal(value, X * k)


def test_the_callers_trace_function_is_put_back():
    def tracer(frame, event, arg):
        return None

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        export(function, (X,))
        assert sys.gettrace() is tracer
        with pytest.raises(Unsupported):
            export(lambda x: x if x.sum() else print(0), (X,))
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)


def test_source_need_not_be_available():
    space = {}
    exec("def f(x):\n    return x + 1\n", space)
    exported = export(space["f"], (X,))
    np.testing.assert_array_equal(exported.module()(X), X + 1)
    with pytest.raises(Unsupported) as caught:
        exec("def g(x):\n    return x if x.sum() > 0 else print(0)\n", space)
        export(space["g"], (X,))
    assert caught.value.location.line == 2 and caught.value.location.source == ""


def test_dead_code_constants_and_common_subexpressions():
    def program(x):
        np.exp(x)
        k = np.arange(3.0) * 2 + 1
        return (x + k) * (x + k)

    targets = [node.target for node in export(program, (X,)).graph if node.op == "call_function"]
    assert targets.count(ops.np.add) == 1 and ops.np.exp not in targets and ops.np.arange not in targets and len(targets) == 2


def identity_of_inputs(x, y):
    return x * 10 if x is y else x + y


def test_inputs_that_are_one_array_are_one_by_identity():
    run = export(identity_of_inputs, (X, X)).module()
    np.testing.assert_array_equal(run(*[X + 1] * 2), identity_of_inputs(*[X + 1] * 2))
    with pytest.raises(InputMismatch):
        run(X, X.copy())


def test_inputs_that_are_two_arrays_are_two_by_identity():
    run = export(identity_of_inputs, (X, X.copy())).module()
    np.testing.assert_array_equal(run(X, X + 1), X + X + 1)
    with pytest.raises(InputMismatch):
        run(X, X)


def test_identity_restricts_nothing_where_it_is_not_asked_for():
    run = export(lambda x, y: x + y, (X, X)).module()
    np.testing.assert_array_equal(run(X, X + 1), X + X + 1)


def test_the_step_limit_names_the_loop(monkeypatch):
    monkeypatch.setenv("NPEXPORT_STEP_LIMIT", "500")

    def endless(x):
        n = 0
        while True:
            n += 1
        return x

    with pytest.raises(Unsupported) as caught:
        export(endless, (X,))
    assert caught.value.code == "E124" and caught.value.location.function == "endless"
    monkeypatch.setenv("NPEXPORT_STEP_LIMIT", "many")
    with pytest.raises(UserError):
        export(function, (X,))


def test_public_names():
    assert npexport.export is export and callable(npexport.explain)


@pytest.mark.parametrize("defect", ["unbound", "None.attribute", "assertion"])
def test_defects_while_tracing_are_no_exceptions_of_the_program(monkeypatch, defect):
    from npexport.tracer.arrays.core.recorder import Recorder

    broken = {
        "unbound": "def call(self, op, *args, **kwargs):\n    return no_such_name\n",
        "None.attribute": "def call(self, op, *args, **kwargs):\n    return self.session.vm.no_such_attribute\n",
        "assertion": "def call(self, op, *args, **kwargs):\n    assert op is None\n",
    }[defect]
    call = function_of(
        compile(broken, sys.modules["npexport.tracer.arrays.core.recorder"].__file__, "exec"),
        {"__name__": "npexport.tracer.arrays.core.recorder"},
    )
    monkeypatch.setattr(Recorder, "call", call)

    def program(x):
        try:
            return x + 1
        except Exception:
            return x

    with pytest.raises(InternalError) as caught:
        export(program, (X,))
    assert caught.value.location.source.strip() == "return x + 1" and caught.value.__cause__ is not None
