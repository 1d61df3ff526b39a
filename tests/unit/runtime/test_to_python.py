"""Programs as modules of plain NumPy: equal to the program, in a process that has no npexport."""

import collections
import datetime
import decimal
import fractions
import math
import subprocess
import sys
import uuid

import numpy as np
import pytest

from npexport import Dim, UserError, check, cond, export, map, nn, opaque, ops, scan, while_loop
from npexport.ir.op import REGISTRY
from npexport.runtime.plain.plain_source import NoSource, PlainSource
from tests.op_samples import has_samples
from tests.support.functions import function_of
from tests.support.plain_modules import calls, equal, map_copy, module_of, outcome
from tests.support.shards import shard

X = np.linspace(-1, 1, 12).reshape(3, 4)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)
        self.norm = nn.LayerNorm(3)
        self.register_buffer("calls", np.zeros((), np.int64))

    def forward(self, x, *, scale=2.0, mode="fast"):
        self.calls += 1
        return {"y": nn.functional.gelu(self.norm(self.linear(x))) * scale, "rows": x.shape[0]}, [self.calls * 1, mode]


def branches(x, n):
    y = cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, (x,))
    iterations, y = while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 1.5), (0, y))
    return y, iterations + n


def writes(x, out):
    out[1:] = np.sort(x[1:], axis=1)
    x += 1
    return out, x[0], out


def data_sizes(x):
    found = np.nonzero(x > 0)[0]
    check(found.shape[0] < 100)
    return found, np.zeros(found.shape[0]), sum(x.shape)


def several(x):
    return collections.OrderedDict(q=np.linalg.qr(x), s=np.linalg.slogdet(x[:, :3]))


def nested(pair, *rest, table, **more):
    return pair[0] + table["a"][0], [pair, rest[0] * more["k"]], pair


def scans(x):
    def rows(carry, row):
        inner, ys = scan(lambda total, each: (total + each * carry[0], total), np.float64(0), row, reverse=True)
        return carry + inner, (ys * 2, row[0] > 0)

    return scan(rows, np.zeros(3), x)


def mapped(x):
    return cond(x.sum() > 0, lambda x: map(np.sort, x), lambda x: map(lambda row, n: row[::-1] * n, x, 2.0), (x,))


def caught(x):
    try:
        return np.linalg.inv(x[:, :3] * (x[0, 0] > 0))
    except np.linalg.LinAlgError:
        return np.zeros((3, 3))


PROGRAMS = {
    "scans": (lambda: scans, (X,), {}, ({0: Dim("n")},), [(3, 4), (0, 4), (1, 4)]),
    "mapped": (lambda: mapped, (X,), {}, None, [(3, 4)] * 4),
    "caught": (lambda: caught, (X,), {}, None, [(3, 4)] * 4),
    "layer": (Layer, (np.ones((2, 4), np.float32),), {}, ({0: Dim("n", max=64)},), [(5, 4), (2, 4)]),
    "branches": (lambda: branches, (X, 3), {}, None, [(3, 4)]),
    "writes": (lambda: writes, (X, X + 1), {}, ({0: Dim("n", min=2)}, {0: Dim("n", min=2)}), [(3, 4), (6, 4)]),
    "data_sizes": (lambda: data_sizes, (X,), {}, ({0: Dim("n")},), [(3, 4), (0, 4)]),
    "several": (lambda: several, (X,), {}, None, [(3, 4)]),
    "nested": (lambda: nested, ((X, 2), X), {"table": {"a": [X]}, "k": 3}, None, [(3, 4)]),
}


def changed(tree, shape, generator):
    if isinstance(tree, np.ndarray):
        return generator.standard_normal(shape).astype(tree.dtype)
    if isinstance(tree, (tuple, list)):
        return type(tree)(changed(item, shape, generator) for item in tree)
    return {key: changed(item, shape, generator) for key, item in tree.items()} if isinstance(tree, dict) else tree


@pytest.mark.parametrize("name", PROGRAMS)
def test_modules_are_the_programs(name, tmp_path):
    make, args, kwargs, shapes, sizes = PROGRAMS[name]
    program = export(make(), args, kwargs, dynamic_shapes=shapes)
    forward, run = module_of(program, tmp_path / "program.py").forward, program.module()
    for seed, shape in enumerate(sizes):
        calls = [changed((args, kwargs), shape, np.random.default_rng(seed)) for _ in range(2)]
        equal(forward(*calls[0][0], **calls[0][1]), run(*calls[1][0], **calls[1][1]))
        equal(calls[0], calls[1])  # what was written to the inputs


def asserts_in_iterations(x):
    total = x.sum()
    while total < 100:
        if total <= -10:
            raise AssertionError("too small")
        total = abs(total) * 1.5 + 1
    return total


def raises_with_data(x):
    if x.max() > 100:
        raise ValueError(f"the largest is {x.max():.1f}")
    return x * 2


def raises_from(x):
    try:
        if x.max() > 100:
            raise KeyError("a")
    except KeyError as error:
        raise IndexError("chained") from error
    return x * 2


@pytest.mark.parametrize("f", [asserts_in_iterations, raises_with_data, raises_from])
def test_exceptions_are_the_programs(f, tmp_path):
    program = export(f, (np.ones(3),))
    forward, run = module_of(program, tmp_path / "program.py").forward, program.module()
    for x in (np.ones(3), np.full(3, -50.0), np.full(3, 123.0)):
        equal(outcome(forward, x), outcome(run, x))


def test_a_process_without_npexport_runs_it(tmp_path):
    program = export(Layer(), (np.ones((2, 4), np.float32),))
    program.to_python(tmp_path / "layer.py")
    code = (
        "import sys, numpy as np, layer; assert not any(n.startswith('npexport') for n in sys.modules);"
        "print(float(layer.forward(np.ones((2, 4), np.float32))[0]['y'].sum()))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}"], capture_output=True, text=True
    )
    assert done.stderr == ""
    assert float(done.stdout) == float(program.module()(np.ones((2, 4), np.float32))[0]["y"].sum())


def test_the_text_shows_the_users_lines_and_names():
    text = export(lambda first, second: np.sin(first) + second, (X, X)).to_python()
    assert "def forward(first, second):" in text
    assert "    sin = np.sin(first)\n    add = sin + second\n" in text
    assert "np.sin(first) + second" in next(line for line in text.splitlines() if line.strip().startswith("#"))


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda forward: forward(X[:, :3]), r"x.shape\[1\] must be 4"),
        (lambda forward: forward(X.astype(np.float32)), "x must be an array f64 of 2 axes"),
        (lambda forward: forward(X[0]), "of 2 axes"),
        (lambda forward: forward(np.ones((65, 4))), r"x.shape\[0\] <= 64"),
        (lambda forward: forward(X, scale=3.0), "scale must be 2.0"),
        (lambda forward: forward(X, mode="slow"), "mode must be 'fast'"),
    ],
)
def test_other_inputs_are_refused(call, told, tmp_path):
    def program(x, scale=2.0, mode="fast"):
        return x * scale

    exported = export(program, (X,), dynamic_shapes={"x": {0: Dim("n", max=64)}})
    with pytest.raises(ValueError, match=told):
        call(module_of(exported, tmp_path / "p.py").forward)


_foreign = opaque(lambda row: row * 2, np.empty_like, name="plain_tests::foreign")


class Local(Exception):
    """Tests may be run where they cannot be imported from."""


Local.__qualname__ = Local.__name__ = "Elsewhere"


def raises_its_own(x):
    if x.sum() > 1:
        raise Local("too much")
    return x


def with_a_factory(x):
    return collections.defaultdict(lambda: 0, a=x)


@pytest.mark.parametrize(
    ("program", "told"),
    [
        (lambda x: map(lambda row: _foreign(row), x), "ops.control.map: its function .*lambda.* cannot be imported"),
        (raises_its_own, "the class Elsewhere, which cannot be imported"),
        (with_a_factory, "of the result, function '.*lambda"),
    ],
)
def test_what_has_no_plain_form_is_named(program, told, tmp_path):
    (tmp_path / "p.py").write_text("before")
    with pytest.raises(UserError, match=told) as caught:
        export(program, (X,)).to_python(tmp_path / "p.py")
    assert caught.value.code == "E244"
    assert (tmp_path / "p.py").read_text() == "before"


# Every operator over its samples


REFUSED = {
    ops.np.trapped: "it finds the operator whose errors it traps by its name",
    ops.np.left: "it finds the operator that writes by its name; plain Python has no checkpoints, which alone ask for it",
}
PLAIN = [op for op in REGISTRY if op.namespace in ("np", "nn") and has_samples(op) and op not in REFUSED]
OWN = [op for op in PLAIN if op.namespace == "nn" or op.kernel_name]


def test_the_kernel_of_every_operator_has_a_text():
    source = PlainSource()
    for op in PLAIN:
        assert source.text(op.kernel)
    compile("\n\n".join(source.definitions.values()), "definitions", "exec")
    for op in REFUSED:
        with pytest.raises(NoSource):
            source.text(op.kernel)


@pytest.mark.parametrize("op", shard(OWN, 3), ids=str)
def test_operators_of_our_own_give_the_same_as_modules(op, tmp_path):
    for number, (call, arrays) in enumerate(list(calls(op))[:2]):
        with np.errstate(all="ignore"):
            try:
                program = export(call, arrays)
            except Exception as error:  # what a sample makes the program raise is for other tests
                assert not isinstance(error, AssertionError)
                continue
            forward = module_of(program, tmp_path / f"p{number}.py").forward
            equal(forward(*map_copy(arrays)), program.module()(*map_copy(arrays)))


def clashing(s0, i0):
    """Parameters with the names of sizes."""
    return s0 * 2 + i0[: s0.shape[0]] + s0.shape[0]


def squared(isqrt):
    return isqrt.reshape(math.isqrt(isqrt.shape[0]), -1)


def rooted(x):
    isqrt = math.isqrt(x.shape[0])
    return x.reshape(isqrt, isqrt)


@pytest.mark.parametrize(
    ("f", "args"), [(clashing, (np.arange(4.0), np.arange(4.0))), (squared, (np.arange(4.0),)), (rooted, (np.arange(9.0),))]
)
def test_names_of_sizes_and_their_functions_are_free(f, args, tmp_path):
    program = export(f, args, dynamic_shapes=tuple({0: Dim.AUTO} for _ in args))
    forward = module_of(program, tmp_path / "plain.py").forward
    for part in (args, tuple(array[:1] for array in args)):
        equal(forward(*part), f(*part))
    with pytest.raises(ValueError, match="exported for other inputs"):
        forward(*args[:-1], np.arange(3.0) if f is rooted else np.zeros((2, 2)))


@pytest.mark.parametrize("name", ["np", "_require", "type"])
def test_parameters_that_hide_what_the_module_uses_are_refused(name):
    f = function_of(f"def f({name}):\n    return {name} * 2")
    with pytest.raises(UserError, match=rf"'{name}' has the name of what the module uses") as caught:
        export(f, (X,)).to_python()
    assert caught.value.code == "E244"


def test_named_tuples_of_layers_are_made_anew(tmp_path):
    layer = nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2])
    x, target = X.astype(np.float32), np.array([0, 3, 5])
    program = export(layer, (x, target))
    found = module_of(program, tmp_path / "plain.py").forward(x, target)
    expected = program.module()(x, target)
    assert found._fields == expected._fields
    equal(tuple(found), tuple(expected))


class Stateful:
    """State without a first value, and none besides."""

    def __call__(self, x):
        self.last = x * 1
        return x + 1


def test_state_without_a_first_value_is_kept(tmp_path):
    module = module_of(export(Stateful(), (X,)), tmp_path / "stateful.py")
    equal(module.forward(X), X + 1)
    equal(module.STATE["last"], X)


def in_stages(x, places):
    x[0] = 9.0
    first = x[int(places[0])]
    x[1] = 8.0
    return first + x[int(places[1])]


def test_what_was_written_before_an_exception_is_written(tmp_path):
    forward = module_of(export(in_stages, (np.ones(2), np.zeros(2))), tmp_path / "stages.py").forward
    for places in ([0.0, 1.0], [5.0, 0.0], [0.0, 5.0]):
        outcomes = []
        for function in (in_stages, forward):
            x = np.ones(2)
            try:
                outcomes.append((function(x, np.array(places)), x.tolist()))
            except IndexError as error:
                outcomes.append((str(error), x.tolist()))
        assert outcomes[0] == outcomes[1]


def test_lines_are_as_people_write_them():
    def program(x, n):
        total = x[0] * 2
        while total > 3:
            total = total - x[1]
        return total, x + 1, "a\n\"b'"

    text = export(program, (np.arange(4.0), 3), dynamic_shapes=({0: Dim.AUTO}, Dim.DYNAMIC)).to_python()
    body = text[text.index("def forward") :]
    assert "((" not in body and ", )" not in body and "= x.shape\n" not in body
    lines = (
        "total = getitem * 2",
        "total_2 = total_1 - getitem_1",
        "total_1 = total_2",
        "if not greater_1:",
    )
    for line in lines:
        assert f"    {line}\n" in body
    forward = function_of(text)
    assert repr(forward(np.arange(5.0), 7)) == repr(program(np.arange(5.0), 7))


VALUES = [
    decimal.Decimal("1.50"),
    fractions.Fraction(-1, 3),
    uuid.UUID(int=5),
    datetime.datetime(2024, 2, 29, 1, 2, 3, 4, datetime.timezone.utc, fold=1),
    datetime.date(2024, 2, 29),
    datetime.timedelta(-1, 5, 7),
    range(5, 1, -2),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_that_nobody_can_change_are_made_as_they_show_themselves(value, tmp_path):
    program = export(lambda x: ({value: x}, [value]), (X,))
    found = module_of(program, tmp_path / "plain.py").forward(X)
    equal(found, program.module()(X))
    assert found[1] == [value] and type(found[1][0]) is type(value)
