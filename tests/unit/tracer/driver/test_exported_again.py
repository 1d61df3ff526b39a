"""Exported programs are programs: exported again they are what they were, with their state; within another program they are traced, or
refused."""

from __future__ import annotations

import binascii
from typing import Any

import numpy as np
import pytest

from npexport import ConstraintViolation, Dim, InputMismatch, Unsupported, diff, draft_export, explain, export, load, nn, save, unflatten
from tests.support import plain_library
from tests.support.forms import reloaded
from tests.support.outcomes import outcome
from tests.support.plain_modules import equal


def lies_as_its_input(x: Any) -> Any:
    return np.asarray(x), np.array(x), np.ascontiguousarray(x), x.ravel(), x.ravel("F")


def views_and_writes(x: Any) -> Any:
    y = x[1:].reshape(-1, 1)
    y += 1
    z = y.T.ravel()
    z[0] = 9
    return x, y, z


def overlapping(x: Any) -> Any:
    x[1:] = x[:-1]
    x[[0, 1]] = x[[1, 0]]
    return x


def trapped(x: Any) -> Any:
    with np.errstate(divide="raise", invalid="raise"):
        return 1 / x, np.sqrt(x)


def scalars(x: Any) -> Any:
    x[...] = x[0] * 2 + x.sum()
    return x[0], x[0] ** 2, x.mean(), np.diff(x), np.cumsum(x)


def of_parts(x: Any) -> Any:
    z = x + 1j
    z.real = 0
    z.imag[0] = 3
    return z, z.imag, z.reshape(2, 2).diagonal()


def masked(x: Any) -> Any:
    x[x > 1] *= -1
    np.add(x, 1, out=x, where=x > 0)
    return np.pad(x, 1), np.tile(x, 2), np.insert(x, 1, 5.0)


def structured(x: Any) -> Any:
    rows = np.zeros(len(x), [("a", "f4"), ("b", "i2", 2)])
    rows["a"], rows["b"][:, 0] = x, 3
    return rows, rows["b"]


def counted(x: Any) -> Any:
    return np.zeros(2) + np.bincount([0, 0, 1, 1], weights=x, minlength=2)


PROGRAMS = (lies_as_its_input, views_and_writes, overlapping, trapped, scalars, of_parts, masked, structured, counted)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_it_is_the_same_program(program: Any) -> None:
    first = export(program, (np.array([1.5, 2.5, 0.5, 3.5]),)).module()
    try:
        again = export(lambda x: first(x), (np.array([1.5, 2.5, 0.5, 3.5]),)).module()
    except Unsupported:
        assert program not in (trapped, scalars, overlapping)
        return
    for data in ([1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 2.0], [-1.0, 2.0, 5.0, 0.25]):
        assert outcome(again, (np.array(data),), memory=True) == outcome(program, (np.array(data),), memory=True)


def element_wise(x: Any) -> Any:
    return np.sin(x) * 2 + np.cos(x), np.exp(-x) / (1 + x * x)


def in_other_order(x: Any) -> Any:
    return np.stack([x.cumsum(), np.sort(x), x[::-1]]).max(axis=0), np.partition(x, 0)


def summed(x: Any) -> Any:
    s = 0.0
    for v in x:
        s = s + v * 2
    return s + np.float64(1.0)


def filtered(x: Any) -> Any:
    y = np.zeros_like(x)
    for i in range(1, len(x)):
        y[i] = y[i - 1] * 0.5 + x[i]
    return y


def on_a_side(x: Any) -> Any:
    return x * 2 if x.sum() > 0 else x - 1


def until(x: Any) -> Any:
    v = x.sum()
    while v > 0.1:
        v = v / 2
    return v


def listed(x: Any) -> Any:
    return np.array([v * 2 for v in x if v > 0])


@pytest.mark.parametrize("program", [element_wise, in_other_order, summed, filtered, on_a_side, until], ids=lambda f: f.__name__)
def test_it_takes_the_sizes_that_it_took(program: Any) -> None:
    shapes: Any = ({0: Dim("n", min=1)},)
    first = export(program, (np.arange(1.0, 5.0),), dynamic_shapes=shapes).module()
    again = export(lambda x: first(x), (np.arange(1.0, 5.0),), dynamic_shapes=shapes).module()
    for size in (1, 2, 4, 9):
        data = np.random.default_rng(size).normal(size=size)
        assert repr(again(data)) == repr(program(data))


def test_a_list_that_a_program_fills_within_another() -> None:
    """The handler around its statements may catch what an item of a list raises: with the C
    extensions, its size is a constant within another program.
    """
    shapes: Any = ({0: Dim("n", min=1)},)
    first = export(listed, (np.arange(1.0, 5.0),), dynamic_shapes=shapes).module()
    sizes = [4]
    try:
        again = export(lambda x: first(x), (np.arange(1.0, 5.0),), dynamic_shapes=shapes).module()
        sizes += [1, 2, 9]
    except ConstraintViolation:
        again = export(lambda x: first(x), (np.arange(1.0, 5.0),)).module()
    for size in sizes:
        data = np.random.default_rng(size).normal(size=size)
        assert repr(again(data)) == repr(listed(data))


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 2)
        self.scale = np.full(2, 3.0, np.float32)
        self.register_buffer("calls", np.zeros((), np.int64))
        self.rng = np.random.default_rng(3)

    def forward(self, x: Any, *, weight: float = 1.0) -> Any:
        self.calls += 1
        return {"y": self.linear(x) * self.scale * weight + self.rng.random(dtype=np.float32), "rest": x[1:].sum()}


ROWS = np.arange(12, dtype=np.float32).reshape(4, 3)
SHAPES = {"x": {0: Dim("n", min=2, max=50)}, "weight": None}


HOW: dict[str, Any] = {
    "module": lambda program: program.module(),
    "tree": unflatten,
    "loaded module": lambda program: reloaded(program).module(),
    "loaded tree": lambda program: unflatten(reloaded(program)),
}


def net(**options: Any) -> Any:
    return export(Net(), (ROWS,), {"weight": 2.0}, dynamic_shapes=SHAPES, **options)


def lines(program: Any) -> Any:
    return [[(each.line, each.source) for each in node.meta["stack_trace"]] for node in program.graph if node.op == "call_function"]


def results(run: Any, *sizes: int) -> list[Any]:
    return [{name: value.tobytes() for name, value in run(ROWS[:size], weight=2.0).items()} for size in sizes]


@pytest.mark.parametrize("how", HOW)
def test_it_is_the_program_with_names_places_and_state(how: str, tmp_path: Any) -> None:
    program = net(preserve_module_call_signature=("linear",))
    again = export(HOW[how](program), (ROWS,), {"weight": 2.0}, dynamic_shapes=SHAPES)
    assert not diff(program, again)
    assert lines(again) == lines(program)
    assert results(again.module(), 4, 3, 2) == results(program.module(), 4, 3, 2)
    save(again, tmp_path / "again.np2")
    assert not diff(again, load(tmp_path / "again.np2"))
    assert [name for name, _ in unflatten(again).named_modules()] == ["", "linear"]


@pytest.mark.parametrize("how", HOW)
def test_it_has_the_state_of_now(how: str) -> None:
    run, other = HOW[how](net()), net().module()
    other.load_state_dict(run.state_dict())
    results(run, 4, 3)
    results(other, 4, 3)
    weights = dict(run.named_parameters())["linear.weight"]
    weights *= 2
    dict(other.named_parameters())["linear.weight"][...] = weights
    again = export(run, (ROWS,), {"weight": 2.0}, dynamic_shapes=SHAPES)
    assert again.state_dict["calls"] == 2 and not again.state_dict["linear.weight"].flags.writeable
    assert results(again.module(), 4, 2) == results(other, 4, 2) == results(run, 4, 2)
    assert again.state_dict["calls"] == 2


def test_sizes_may_be_fewer_than_they_were() -> None:
    run = net().module()
    static = export(run, (ROWS,), {"weight": 2.0})
    assert not static.range_constraints and "f32[4, 3]" in str(static) and "s0" not in str(static)
    with pytest.raises(InputMismatch):
        static.module()(ROWS[:3], weight=2.0)
    narrow = export(run, (ROWS,), {"weight": 2.0}, dynamic_shapes={"x": {0: Dim("k", min=3, max=9)}, "weight": None})
    assert [str(found) for found in narrow.range_constraints.values()] == ["VR[3, 9]"]
    free = export(run, (ROWS,), {"weight": 2.0}, dynamic_shapes={"x": {0: Dim.AUTO}, "weight": None})
    assert [str(found) for found in free.range_constraints.values()] == ["VR[2, 50]"]
    twice = export(run, (ROWS,), {"weight": 2.0}, dynamic_shapes={"x": {0: 2 * Dim("h", min=1, max=25)}, "weight": None})
    assert "2*s0" in str(twice) and results(twice.module(), 4, 2) == results(net_of(twice), 4, 2)


def net_of(program: Any) -> Any:
    run = net().module()
    run.load_state_dict(program.state_dict)
    return run


@pytest.mark.parametrize("how", HOW)
def test_no_size_may_be_more_than_it_was(how: str) -> None:
    run = HOW[how](net())
    with pytest.raises(ConstraintViolation) as caught:
        export(run, (ROWS,), {"weight": 2.0}, dynamic_shapes={"x": {0: Dim("n")}, "weight": None})
    assert caught.value.suggested_fixes == {"n": "Dim('n', min=2, max=50)"}
    with pytest.raises(ConstraintViolation):
        export(run, (ROWS,), {"weight": 2.0}, dynamic_shapes={"x": {0: Dim("n", min=2, max=9), 1: Dim("m")}, "weight": None})
    with pytest.raises(InputMismatch):
        export(run, (ROWS,), {"weight": 3.0}, dynamic_shapes=SHAPES)


@pytest.mark.parametrize("how", HOW)
def test_it_is_explained_and_drafted_as_it_is_exported(how: str) -> None:
    program = net()
    call: dict[str, Any] = {"args": (ROWS,), "kwargs": {"weight": 2.0}}
    explained = explain(HOW[how](program), **call, dynamic_shapes=SHAPES)
    assert explained.ok and str(explained.graph) == str(program.graph) and [node.name for node in explained.inputs] == ["x", "weight"]
    draft = draft_export(HOW[how](program), **call, dynamic_shapes=SHAPES)
    assert draft.report.success and not diff(program, draft)
    explained = explain(HOW[how](program), **call, dynamic_shapes={"x": {0: Dim("n")}, "weight": None})
    assert [problem.code for problem in explained.problems] == ["E301"]


def drawn(x: Any, rng: Any) -> Any:
    total, steps = 0.0, 0
    while rng.random() < 0.8:
        total, steps = total + float(x[0]) * rng.normal(), steps + 1
    return total, steps, x[x > 0.5]


@pytest.mark.parametrize("how", HOW)
def test_numbers_of_data_keep_their_names(how: str) -> None:
    call, shapes = (np.ones(3), np.random.default_rng(1)), ({0: Dim("n", min=1)}, None)
    program = export(drawn, call, dynamic_shapes=shapes)
    again = export(HOW[how](program), call, dynamic_shapes=shapes)
    assert not diff(program, again)
    for seed in range(5):
        x = np.linspace(0, 1, seed + 1)
        assert repr(again.module()(x, np.random.default_rng(seed))) == repr(drawn(x, np.random.default_rng(seed)))


def related(x: Any, y: Any) -> Any:
    if len(x) == len(y) and len(x) % 2 == 0:
        return (x + y).reshape(2, -1), x[x > 1]
    return x, y


def test_guards_stay() -> None:
    auto = ({0: Dim.AUTO}, {0: Dim.AUTO})
    program = export(related, (np.ones(4), np.ones(4)), dynamic_shapes=auto)
    again = export(program.module(), (np.ones(4), np.ones(4)), dynamic_shapes=auto)
    assert not diff(program, again) and [guard.location for guard in again.guards] == [guard.location for guard in program.guards]
    for run in (program.module(), again.module()):
        assert run(np.ones(6), np.full(6, 3.0))[0].shape == (2, 3)
        with pytest.raises(InputMismatch):
            run(np.ones(6), np.ones(4))


def test_a_tree_in_which_a_module_was_swapped_is_traced_or_refused() -> None:
    tree = unflatten(net(preserve_module_call_signature=("linear",)))
    tree.linear = lambda x: x[:, :2] * 0
    try:
        again = export(tree, (ROWS,), {"weight": 2.0}).module()
    except Unsupported:
        return
    assert (again(ROWS, weight=2.0)["y"] < 1).all()


def test_what_is_refused_within_another_program_says_what_to_write() -> None:
    run = net().module()
    with pytest.raises(Unsupported) as caught:
        export(lambda x: run(x, weight=2.0)["y"] * 2, (ROWS,))
    assert "Call the original function there" in caught.value.hint


def of_a_library(x: Any, y: Any) -> Any:
    values, places = plain_library.positive(x)
    twice, again, crc = plain_library.twice(x), plain_library.twice(values), binascii.crc_hqx(x, 0)
    return twice + plain_library.count_up(y, 2.0), values, places, again, crc, y.sum()


def test_operators_of_a_library_are_calls_of_them_within_another_program() -> None:
    x = np.array([1.0, -1.0, 2.0])
    run = export(of_a_library, (x, np.zeros(2))).module()
    again = export(lambda x, y: run(x, y), (x, np.zeros(2)))
    assert {str(node.target) for node in again.graph if node.op == "call_function"} >= {
        "ops.plain_library.count_up",
        "ops.plain_library.positive",
    }
    for data in (x, -x, x * 0):
        mine, theirs = np.zeros(2), np.zeros(2)
        equal(again.module()(data, mine), of_a_library(data, theirs))
        equal(mine, theirs)


def written_before_it_raises(x: Any, y: Any) -> Any:
    y += 1
    inverse = np.linalg.inv(x)
    y += 1
    return inverse


def test_what_a_program_within_another_has_written_before_it_raises_is_refused() -> None:
    x, y = np.eye(2), np.zeros((2, 2))
    run = export(written_before_it_raises, (x, y)).module()
    with pytest.raises(Unsupported, match="E126"):
        export(lambda x, y: run(x, y), (x, y))
