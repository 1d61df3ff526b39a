"""``program.independent_dims()``: what is proved holds of random programs, and what is known to hold is proved."""

from __future__ import annotations

import io
import math
import random

import numpy as np
import pytest

from npexport import Dim, UserError, cond, dims, export, load, map, nn, save, scan, while_loop

STEPS = {
    "sin": lambda x, y, w: np.sin(x),
    "scale": lambda x, y, w: x * w[0] + y[:, None],
    "product": lambda x, y, w: x @ w,
    "gram": lambda x, y, w: x @ (x.T @ x),
    "einsum": lambda x, y, w: np.einsum("ij,jk->ik", x, w),
    "gram_einsum": lambda x, y, w: x + np.einsum("ij,ik->jk", x, x)[0],
    "softmax": lambda x, y, w: np.exp(x - x.max(1, keepdims=True)) / np.exp(x - x.max(1, keepdims=True)).sum(1, keepdims=True),
    "centre": lambda x, y, w: x - x.mean(0),
    "centre_rows": lambda x, y, w: x - x.mean(1, keepdims=True),
    "count": lambda x, y, w: x / x.shape[0],
    "flip": lambda x, y, w: x[::-1],
    "flip_columns": lambda x, y, w: x[:, ::-1],
    "sort": lambda x, y, w: np.sort(x, axis=0),
    "sort_columns": lambda x, y, w: np.sort(x, axis=1),
    "running": lambda x, y, w: np.cumsum(x, axis=0),
    "running_columns": lambda x, y, w: np.cumsum(x, axis=1),
    "shift": lambda x, y, w: np.roll(x, 1, axis=0),
    "roll_all": lambda x, y, w: np.roll(x, 1),
    "through_flat": lambda x, y, w: (x.reshape(-1) * 2).reshape(x.shape[0], 3),
    "through_transpose": lambda x, y, w: np.ascontiguousarray(x.T * 3).T,
    "mixed_reshape": lambda x, y, w: x.T.reshape(x.shape[0], 3),
    "stack": lambda x, y, w: np.stack([x, x * 2], axis=1)[:, 1],
    "join": lambda x, y, w: np.concatenate([x, y[:, None]], axis=1)[:, 1:],
    "join_rows": lambda x, y, w: np.concatenate([x, x])[: x.shape[0]],
    "pick": lambda x, y, w: x[np.arange(x.shape[0]), np.argmax(x, 1)][:, None] + x,
    "number": lambda x, y, w: x + np.arange(x.shape[0])[:, None],
    "lookup": lambda x, y, w: w[np.argmax(x, 1)] + x,
    "where": lambda x, y, w: np.where(x > y[:, None], x, -x),
    "total": lambda x, y, w: x + y.sum(),
    "largest": lambda x, y, w: x - x.max(),
    "along": lambda x, y, w: np.take_along_axis(x, np.argsort(x, 1), 1),
    "cross_rows": lambda x, y, w: x + x[0],
    "padded": lambda x, y, w: np.pad(x, ((0, 0), (1, 0)))[:, 1:] * 2,
    "padded_rows": lambda x, y, w: np.pad(x, ((1, 0), (0, 0)))[:-1],
    "repeat": lambda x, y, w: np.repeat(x, 2, axis=0).reshape(x.shape[0], 2, 3)[:, 1],
    "gradient": lambda x, y, w: np.gradient(x, axis=1),
    "fourier": lambda x, y, w: np.fft.rfft(x, axis=1).real.sum(1)[:, None] + x,
    "fourier_rows": lambda x, y, w: np.fft.fft(x, axis=0).real,
    "column": lambda x, y, w: _column(x, y),
    "masked": lambda x, y, w: _masked(x, y),
    "row": lambda x, y, w: _row(x),
    "mapped": lambda x, y, w: map(lambda row: row * row.sum(), x),
    "scanned": lambda x, y, w: scan(lambda carry, row: (carry + row, carry), np.zeros(3), x)[1],
    "scanned_columns": lambda x, y, w: scan(lambda carry, column: (carry + column, carry * 1.0), y, x, dim=1)[1],
    "looped": lambda x, y, w: while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 0.5), (np.int64(0), x))[1],
    "looped_by_rows": lambda x, y, w: while_loop(lambda a: a.sum() > 100, lambda a: (a * 0.5,), (x,))[0],
    "branch": lambda x, y, w: cond(w.sum() > 0, lambda a: a + 1, lambda a: a - 1, (x,)),
    "branch_by_rows": lambda x, y, w: cond(x.sum() > 0, lambda a: a + 1, lambda a: a - 1, (x,)),
    "chosen": lambda x, y, w: x if w.sum() > 0 else -x,
    "chosen_view": lambda x, y, w: (x[:, ::-1] if w.sum() > 0 else x) * 2,
    "chosen_rows": lambda x, y, w: (x[::-1] if w.sum() > 0 else x) * 2,
    "chosen_by_rows": lambda x, y, w: x if x.sum() > 0 else -x,
    "solve": lambda x, y, w: np.linalg.inv(np.eye(3) * (1 + x[:, :, None] ** 2))[:, 0],
    "solve_rows": lambda x, y, w: np.linalg.solve(np.eye(3) * (1 + x[:, :, None] ** 2), x[..., None])[..., 0],
    "solve_vector": lambda x, y, w: np.linalg.solve(np.eye(3) * (1 + x[:, :, None] ** 2), w[0]),
    "solve_columns": lambda x, y, w: np.linalg.solve(w + np.eye(3) * 5, x.T).T,
    "solve_by_rows": lambda x, y, w: np.linalg.solve(x @ x.T + np.eye(x.shape[0]) * 9, x),
    "vecdot": lambda x, y, w: x * np.vecdot(x, w[0])[:, None],
    "vecdot_rows": lambda x, y, w: x * np.vecdot(x, x, axis=0),
    "cross": lambda x, y, w: np.cross(x, w[0]),
    "cross_columns": lambda x, y, w: np.cross(x.T, x.T, axis=0).T + x,
    "choose": lambda x, y, w: np.choose((x > 0).astype(np.intp), [x, x * 2]),
    "put_along": lambda x, y, w: _put_along(x, 1),
    "put_along_rows": lambda x, y, w: _put_along(x, 0),
    "where_argument": lambda x, y, w: np.multiply(x, 2, out=x.copy(), where=x > 0),
    "reduceat": lambda x, y, w: np.add.reduceat(x, [0, 1, 2], axis=1),
    "reduceat_rows": lambda x, y, w: x + np.add.reduceat(x, [0, 1], axis=0)[0],
    "likelihood": lambda x, y, w: x + nn.functional.cross_entropy(x, np.argmax(x, 1), reduction="none")[:, None],
    "quantile": lambda x, y, w: x - np.quantile(x, 0.3, axis=1)[:, None],
}
COUPLING = {
    "gram", "gram_einsum", "centre", "count", "flip", "sort", "running", "shift", "roll_all", "mixed_reshape", "join_rows", "number",
    "total", "largest", "cross_rows", "padded_rows", "fourier_rows", "row", "scanned", "looped_by_rows", "branch_by_rows",
    "chosen_rows", "chosen_by_rows",
    "solve_by_rows", "vecdot_rows", "cross_columns", "put_along_rows", "reduceat_rows",
}  # fmt: skip


def _column(x, y):
    made = np.zeros((x.shape[0], 3))
    made[:, 1] = y
    made[:, 2:] += x[:, :1]
    return made


def _masked(x, y):
    made = x.copy()
    made[y > 0] = 1.0
    made[np.arange(x.shape[0]), 0] = y
    return made


def _row(x):
    made = x.copy()
    made[0] = 7.0
    return made


def _put_along(x, axis):
    made = x.copy()
    np.put_along_axis(made, np.argmax(x, axis, keepdims=True), 0.5, axis)
    return made


def program_of(names):
    def f(x, y, w):
        for name in names:
            x = STEPS[name](x, y, w)
        return x, y

    rows = {0: Dim("rows", min=2)}
    return export(f, (np.ones((4, 3)), np.ones(4), np.ones((3, 3))), dynamic_shapes=(rows, rows, None))


def require_halves(program, exact):
    generator = np.random.default_rng(3)
    x, y, w = generator.normal(size=(7, 3)), generator.normal(size=7), generator.normal(size=(3, 3))
    run = program.module()
    whole = run(x, y, w)
    for cut in (2, 3, 5):
        parts = run(x[:cut], y[:cut], w), run(x[cut:], y[cut:], w)
        for expected, *halves in zip(whole, *parts, strict=True):
            if exact:
                np.testing.assert_array_equal(np.concatenate(halves), expected)
            else:
                np.testing.assert_allclose(np.concatenate(halves), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", STEPS)
def test_one_step(name):
    program = program_of([name])
    found = program.independent_dims()
    assert bool(found) is (name not in COUPLING), program.coupling("rows")
    if found:
        assert found["rows"].inputs == {"x": 0, "y": 0} and found["rows"].outputs == {"result[0]": 0, "result[1]": 0}
        require_halves(program, found["rows"].exact)


@pytest.mark.parametrize("seed", range(8))
def test_random_programs(seed):
    choose = random.Random(seed)
    apart = sorted(STEPS.keys() - COUPLING)
    for _ in range(6):
        names = choose.choices(apart, k=choose.randint(2, 5))
        if choose.random() < 0.3:
            names.insert(choose.randrange(len(names) + 1), choose.choice(sorted(COUPLING)))
        program = program_of(names)
        found = program.independent_dims()
        assert not found or not COUPLING.intersection(names)
        if found:
            require_halves(program, found["rows"].exact)


SIZES = {
    "truediv": lambda n: n / 2,
    "sqrt": lambda n: math.sqrt(n),
    "log": lambda n: math.log(n + 1),
    "float": lambda n: float(n),
    "floordiv": lambda n: n // 4,
    "remainder": lambda n: n % 3,
    "least": lambda n: min(n, 5),
    "filled": lambda n: np.full(3, n),
    "listed": lambda n: np.array([n, 1, 2]),
    "compared": lambda n: np.where(np.arange(3) < n, 1.0, 0.0),
    "counted": lambda n: np.ones(n).sum(),
    "spread": lambda n: np.linspace(0, 1, n)[:, None],
    "numbers": lambda n: np.arange(n).reshape(n, 1),
    "numbers of floats": lambda n: np.arange(float(n))[:, None],
    "iterations": lambda n: while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * 1.1), (0, np.ones(3)))[1],
}


@pytest.mark.parametrize("name", SIZES)
def test_the_number_of_rows_in_a_value_couples_rows(name):
    program = export(lambda x: x * SIZES[name](x.shape[0]), (np.ones((4, 3)),), dynamic_shapes=({0: Dim("rows", min=2)},))
    assert program.independent_dims() == {}


BATCH, TIME = dims("batch", "time")
IMAGE = np.random.default_rng(0).normal(size=(2, 3, 8, 8)).astype(np.float32)
SEQUENCE = np.random.default_rng(1).normal(size=(2, 5, 8)).astype(np.float32)
NETS = {
    "convolutions": (
        nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 10)).eval(),
        IMAGE, ({0: BATCH},), {"batch"},
    ),
    "training": (nn.BatchNorm2d(3), IMAGE, ({0: Dim("batch", min=1)},), set()),
    "groups": (nn.GroupNorm(1, 3), IMAGE, ({0: BATCH},), {"batch"}),
    "encoder": (nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval(), SEQUENCE, ({0: BATCH, 1: TIME},), {"batch"}),
    "recurrent": (nn.LSTM(8, 4, batch_first=True), SEQUENCE, ({0: BATCH, 1: TIME},), {"batch"}),
    "rows": (nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.Softmax(-1)), SEQUENCE, ({0: BATCH, 1: TIME},), {"batch", "time"}),
}  # fmt: skip


@pytest.mark.parametrize("name", NETS)
def test_layers(name):
    net, example, shapes, expected = NETS[name]
    program = export(net, (example,), dynamic_shapes=shapes)
    assert set(program.independent_dims()) == expected, program.coupling("batch")
    if expected:
        whole, parts = program.module()(example), program.module(chunks={"batch": 1})(example)
        for one, other in zip(_leaves(whole), _leaves(parts), strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-4, atol=1e-5)


def _leaves(value):
    return [leaf for item in value for leaf in _leaves(item)] if isinstance(value, tuple) else [value]


def test_rows_that_stand_inside_an_axis():
    program = export(lambda x: x.reshape(-1), (np.ones((4, 3)),), dynamic_shapes=({0: BATCH},))
    x = np.arange(15.0).reshape(5, 3)
    assert program.independent_dims()["batch"].outputs == {"result": 0}
    assert np.array_equal(program.module(chunks={"batch": 2})(x), x.reshape(-1))


def test_guards_about_the_size_couple_rows():
    def f(x):
        return x + 1 if x.shape[0] % 2 == 0 else x

    program = export(f, (np.ones(4),), dynamic_shapes=({0: Dim("even", multiple_of=2)},))
    assert program.coupling("even").what == "the guard `x.shape[0] % 2 == 0`"


def test_names_of_dims_are_saved():
    program = export(lambda x: x * 2, (np.ones((4, 3)),), dynamic_shapes=({0: BATCH, 1: TIME},))
    buffer = io.BytesIO()
    save(program, buffer)
    assert load(buffer).independent_dims() == program.independent_dims()
    assert list(program.run_decompositions().independent_dims()) == ["batch", "time"]


def test_only_named_dims_are_known():
    program = export(lambda x: x * 2, (np.ones((4, 3)),), dynamic_shapes=({0: Dim.DYNAMIC},))
    assert program.independent_dims() == {}
    with pytest.raises(UserError) as caught:
        program.coupling("batch")
    assert caught.value.code == "E201"


class Counting(nn.Module):
    """The public contract's example: state that each call writes, an option, a layer over rows."""

    def __init__(self, state):
        super().__init__()
        self.branch = nn.Sequential(nn.Linear(6, 3), nn.ReLU())
        self.register_buffer("calls", np.zeros((), np.int64))
        self.register_buffer("seen", np.zeros(6))
        self.state = state

    def forward(self, x, *, scale=1.0):
        self.calls += 1
        if self.state:
            self.seen += x.shape[0] if self.state == "count" else x.sum(0)
        return self.branch(x) * scale


@pytest.mark.parametrize(("state", "what"), [("", None), ("count", "ops.np.add"), ("rows", "ops.np.sum")])
def test_state_is_an_output_as_others(state, what):
    program = export(Counting(state), (np.ones((4, 6), np.float32),), {"scale": 2.0}, dynamic_shapes={"x": {0: BATCH}, "scale": None})
    found = program.coupling("batch")
    assert (found and found.what) == what and list(program.independent_dims()) == ["batch"] * (what is None)


def test_the_reason_is_readable():
    def f(x):
        return x - x.mean(axis=0)

    text = str(export(f, (np.ones((4, 3)),), dynamic_shapes=({0: BATCH},)).coupling("batch"))
    assert text.startswith("ops.np.mean couples rows along 'batch': it reduces axis 0, along which the rows stand\n")
    assert "x - x.mean(axis=0)" in text
