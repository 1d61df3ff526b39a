"""Outside arrays that share memory, and inputs whose strides matter: what export sees, what the call checks, what stays refused."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import ConstraintViolation, Dim, InputMismatch, Unsupported, export, load, save
from tests.support.forms import reloaded
from tests.support.shards import shard

VIEWS = {
    "all": lambda m: m[:],
    "from 1": lambda m: m[1:],
    "to -1": lambda m: m[:-1],
    "every 2nd": lambda m: m[::2],
    "every 5th": lambda m: m[3::5],
    "reversed": lambda m: m[::-1],
    "some reversed": lambda m: m[5:2:-1],
    "one": lambda m: m[2:3],
    "matrix": lambda m: m.reshape(4, 6),
    "transposed": lambda m: m.reshape(4, 6).T,
    "inner": lambda m: m.reshape(4, 6)[1:-1, 1:-1],
    "mirrored": lambda m: m.reshape(4, 6)[:, ::-2],
    "row": lambda m: m.reshape(4, 6)[1],
    "column": lambda m: m.reshape(4, 6)[:, 2],
    "cube": lambda m: m.reshape(2, 3, 4)[:, 1],
    "turned": lambda m: m.reshape(2, 3, 4).transpose(2, 0, 1)[1:],
    "diagonal": lambda m: np.lib.stride_tricks.as_strided(m, (4,), (56,)),
    "flipped": lambda m: m.reshape(4, 6)[:, :, None][::-1],
}


def write_both(x: Any, y: Any) -> Any:
    x += 1
    z = y * 2
    y[0] *= 3
    x[-1] = z.ravel()[0]
    return x.copy(), y.copy(), z


def held(function: Any, make: Any) -> Any:
    """What ``function`` does to views of one memory is what its program does to them, on other data."""
    program = export(function, make(np.zeros(24)))
    mine, theirs = np.arange(24.0), np.arange(24.0)
    for have, want in zip(program.module()(*make(mine)), function(*make(theirs)), strict=True):
        np.testing.assert_array_equal(have, want, strict=True)
    np.testing.assert_array_equal(mine, theirs)
    return program


@pytest.mark.parametrize("first", shard(VIEWS, 2))
def test_views_of_one_memory(first: str) -> None:
    for second in VIEWS:
        held(write_both, lambda memory, second=second: (VIEWS[first](memory), VIEWS[second](memory)))


def test_three_views_and_the_same_twice() -> None:
    def three(x: Any, y: Any, z: Any) -> Any:
        y *= 2
        x[1:] += z[:5]
        return z - x[0], y[::-1]

    for views in itertools.product((VIEWS["from 1"], VIEWS["to -1"], VIEWS["all"]), repeat=3):
        held(three, lambda memory, views=views: tuple(view(memory)[:6] for view in views))
    held(three, lambda memory: (memory[:6],) * 2 + (memory[3:9],))


def test_outputs_share_the_memory_of_overlapping_inputs() -> None:
    def f(x: Any, y: Any) -> Any:
        x += 1
        return y, y[1:], x[:2]

    memory = np.zeros(6)
    same, part, other = export(f, (memory[:-1], memory[1:])).module()(memory[:-1], y := memory[1:])
    assert same is y and np.shares_memory(part, memory) and np.shares_memory(other, same)


def test_the_relation_is_checked_at_the_call(tmp_path: Any) -> None:
    memory = np.arange(6.0)
    program = export(write_both, (memory[:-2], memory[2:]))
    save(program, tmp_path / "p.np2")
    for run in (program.module(), load(tmp_path / "p.np2").module()):
        run(memory[:-2], memory[2:])
        for other in (memory[1:-1], memory[2:].copy(), memory[::-1][:4]):
            with pytest.raises(InputMismatch, match="y: expected"):
                run(memory[:-2], other)


def test_reading_overlapping_inputs_asks_for_nothing() -> None:
    memory = np.arange(6.0)
    program = export(lambda x, y: x + y, (memory[:-2], memory[2:]))
    assert all(not spec.overlaps and spec.layout is None for spec in program.graph_signature.input_specs)
    np.testing.assert_array_equal(program.module()(np.ones(4), np.ones(4)), np.full(4, 2.0))


def test_questions_about_shared_memory_are_conditions() -> None:
    def asked(x: Any, y: Any) -> Any:
        return x * 2 if np.shares_memory(x, y) else x * 3

    memory = np.ones(6)
    apart, together = export(asked, (np.ones(4), np.ones(4))).module(), export(asked, (memory[:4], memory[1:5])).module()
    assert apart(np.ones(4), np.ones(4))[0] == 3 and together(memory[:4], memory[1:5])[0] == 2
    with pytest.raises(InputMismatch, match="shares no memory"):
        apart(memory[:4], memory[1:5])
    with pytest.raises(InputMismatch, match="begins 8 bytes after"):
        together(np.ones(4), np.ones(4))


PAIRS: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "others": lambda memory: (memory[:4], np.ones(4)),
    "one": lambda memory: (memory, memory),
    "shifted": lambda memory: (memory[:4], memory[1:5]),
    "between": lambda memory: (memory[::2], memory[1::2]),
    "beside": lambda memory: (memory[:4], memory[4:]),
    "reversed": lambda memory: (memory[:4], memory[:3:-1]),
    "steps": lambda memory: (memory[::2], memory[:4]),
    "two": lambda memory: (memory[:2], memory[1:3]),
    "single": lambda memory: (memory[:1], memory[1:2]),
}


@pytest.mark.parametrize("question", [np.shares_memory, np.may_share_memory])
@pytest.mark.parametrize("pair", PAIRS)
def test_answers_about_shared_memory_hold_for_other_inputs(question: Any, pair: str) -> None:
    def asked(x: Any, y: Any) -> Any:
        return question(x, y)

    for sizes in (None, ({0: Dim.AUTO}, {0: Dim.AUTO})):
        run = export(asked, PAIRS[pair](np.arange(8.0)), dynamic_shapes=sizes).module()
        assert run(*PAIRS[pair](np.arange(8.0))) == asked(*PAIRS[pair](np.arange(8.0)))
        for other in PAIRS.values():
            inputs = other(np.arange(8.0))
            try:
                found = run(*inputs)
            except InputMismatch:
                continue
            assert found == asked(*inputs)


def test_bounds_of_arrays_that_leave_memory_out_are_up_to_the_caller() -> None:
    with pytest.raises(Unsupported, match="E123"):
        export(lambda x, y: np.may_share_memory(x, y), (np.ones(8)[::2], np.ones(4)))


read_only = np.broadcast_to(np.ones(4), (4,))
refused = np.arange(8.0)


class Keeper:
    def __init__(self) -> None:
        self.w = np.arange(4.0)

    def __call__(self, x: Any, y: Any) -> Any:
        x += 1
        return self.w * y


@pytest.mark.parametrize(
    ("function", "arrays", "options"),
    [
        (write_both, (refused, refused.view(np.int64)), {}),
        (write_both, (refused.view(np.complex128), refused[1:]), {}),
        (lambda x, y: x.fill(1) or y * 1, (refused, np.lib.stride_tricks.sliding_window_view(refused, 3)), {}),
        (write_both, (np.lib.stride_tricks.as_strided(refused, (3, 3), (8, 8)), np.ones(3)), {}),
        (lambda x, y: np.modf(x, out=(x, y)), (refused, refused), {}),
        (write_both, (refused[1:], refused[:-1]), {"dynamic_shapes": {"x": {0: Dim("n")}, "y": {0: Dim("n")}}}),
        (lambda x, y: x.fill(1) or refused * 1, (refused, np.ones(3)), {}),
    ],
    ids=["other dtype", "halves", "read-only", "itself", "outputs", "dynamic", "constant"],
)
def test_overlaps_that_no_graph_describes_are_refused(function: Any, arrays: Any, options: Any) -> None:
    with pytest.raises(Unsupported, match="E120"):
        export(function, arrays, **options)


def test_an_input_that_is_an_array_of_the_program_is_refused_where_it_is_written() -> None:
    keeper = Keeper()
    with pytest.raises(Unsupported, match="E120"):
        export(keeper, (keeper.w, np.ones(4)))


class Holder:
    """``part`` and ``window`` are views of ``cache``."""

    def __init__(self) -> None:
        self.cache = np.zeros((3, 4))
        self.part = self.cache[1, 1:3]
        self.window = self.cache[:, ::2]

    def over(self, x: Any) -> Any:
        self.cache[1, 2] = x[0]
        self.window += 1
        self.part *= x[1]
        return self.cache * 1, self.part * 1, self.window * 1

    def late(self, x: Any) -> Any:
        self.cache += x[0]
        return (self.part.sum(),)

    def rebind(self, x: Any) -> Any:
        self.cache += x[0]
        self.part = self.part + 1
        return (self.cache * 1,)


@pytest.mark.parametrize("name", ["over", "late"])
def test_views_among_the_state_see_each_others_writes_call_after_call(name: str) -> None:
    eager = getattr(Holder(), name)
    run = export(getattr(Holder(), name), (np.ones(2),)).module()
    for step in range(3):
        x = np.arange(2.0) + step
        for have, want in zip(run(x), eager(x), strict=True):
            np.testing.assert_array_equal(have, want)


def test_a_view_among_the_state_that_is_replaced_is_refused() -> None:
    with pytest.raises(Unsupported, match="E112"):
        export(Holder().rebind, (np.ones(2),))


def flatten_and_write(x: Any) -> Any:
    x.reshape(-1)[0] = 9
    return x.copy()


STRIDED = {
    "sliced": lambda: np.arange(24.0).reshape(4, 6)[:, ::2],
    "rows": lambda: np.arange(24.0).reshape(4, 6)[::2],
    "transposed": lambda: np.arange(24.0).reshape(2, 3, 4).transpose(1, 0, 2),
    "reversed": lambda: np.arange(24.0).reshape(4, 6)[::-1],
    "broadcast": lambda: np.lib.stride_tricks.as_strided(np.arange(4.0), (3, 4), (0, 8)),
}


@pytest.mark.parametrize("name", [name for name in STRIDED if name != "broadcast"])
def test_strides_are_a_condition_where_a_write_shows_them(name: str) -> None:
    program = export(flatten_and_write, (STRIDED[name](),))
    mine, theirs = np.ascontiguousarray(STRIDED[name]()), STRIDED[name]()
    with pytest.raises(InputMismatch, match="strides"):
        program.module()(mine)
    mine = STRIDED[name]()
    np.testing.assert_array_equal(program.module()(mine), flatten_and_write(theirs))
    np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("name", STRIDED)
def test_strides_are_no_condition_where_nothing_shows_them(name: str) -> None:
    def f(x: Any) -> Any:
        y = x.reshape(-1) * 2
        y[0] = 1
        return y

    x = STRIDED[name]()
    run = export(f, (x,)).module()
    for given in (x, np.ascontiguousarray(x), np.asfortranarray(x)):
        np.testing.assert_array_equal(run(given), f(x))


@pytest.mark.parametrize(
    "text",
    ["x", "np.array(x, order='F')", "x.copy('F')", "np.asfortranarray(x)", "x.T.copy()", "np.zeros_like(x, order='F')", "x.T", "x[None]"],
)
@pytest.mark.parametrize("shape", [(4, 1), (1, 4), (4, 3), (4, 0), (4,), (4, 1, 2)], ids=str)
def test_strides_of_dynamic_sizes_are_those_of_numpy(text: str, shape: tuple[int, ...]) -> None:
    function = eval(f"lambda x: (x * 1, {text}.strides)", {"np": np})
    sizes = tuple({shape.index(4): Dim.AUTO} for _ in range(1))
    if min(shape) < 2 and text in ("x", "x.T", "x[None]", "np.asfortranarray(x)"):  # views of what may have any stride there
        with pytest.raises(Unsupported, match="E121"):
            export(function, (np.ones(shape),), dynamic_shapes=sizes)
        return
    module = export(function, (np.ones(shape),), dynamic_shapes=sizes).module()
    for size in (4, 7):
        data = np.ones([size if n == 4 else n for n in shape])
        assert module(data)[1] == function(data)[1]


def test_strides_that_dynamic_sizes_change_are_refused() -> None:
    x = np.ones((4, 3, 2)).transpose(1, 0, 2)
    with pytest.raises(Unsupported, match="E121"):
        export(flatten_and_write, (x,), dynamic_shapes={"x": {0: Dim("n", min=2)}})


def test_what_an_array_is_a_view_of_is_a_condition() -> None:
    run = export(lambda x: x * 2 if x[1:].base is x else x * 3, (np.ones(3),)).module()
    assert run(np.ones(3))[0] == 2
    with pytest.raises(InputMismatch, match="owns its memory"):
        run(np.ones(4)[1:])
    with pytest.raises(Unsupported, match="E123"):
        export(lambda x: x.base * 2, (np.ones(4)[1:],))


def test_writeable_windows_may_be_read():
    """As SciPy's ``stft`` does; a write through them is refused where it is made."""
    windows = np.lib.stride_tricks.sliding_window_view

    def read(x, y):
        seen = windows(x, 2, writeable=True)
        local = windows(np.zeros(3), 2, writeable=True)
        local[0] = 5.0
        return seen * 2, seen.flags.writeable, windows(x, 2).flags.writeable, local + y[:2]

    x, y = np.arange(4.0), np.ones(4)
    got, expected = export(read, (x, y)).module()(x + 1, y), read(x + 1, y)
    assert got[1:3] == expected[1:3]
    np.testing.assert_array_equal(got[0], expected[0])
    np.testing.assert_array_equal(got[3], expected[3])

    def write(x):
        windows(x, 2, writeable=True)[0] = 1.0
        return x

    with pytest.raises(Unsupported) as caught:
        export(write, (x,))
    assert caught.value.code == "E120"


def shape_and_back(x: Any) -> Any:
    x.shape = (6,)
    x[0] = 5
    total = x * 2
    x.shape = (2, 3)
    return total, x[1]


def locked_for_a_while(x: Any) -> Any:
    x.setflags(write=False)
    try:
        x[0] = 1
    except ValueError as error:
        text = str(error)
    x.flags.writeable = True
    x[1] = 7
    return x * 1, text


@pytest.mark.parametrize("function", [shape_and_back, locked_for_a_while])
def test_inputs_may_change_their_shape_and_flags_for_a_while(function: Any) -> None:
    mine, theirs = np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3)
    for have, want in zip(export(function, (np.zeros((2, 3)),)).module()(mine), function(theirs), strict=True):
        np.testing.assert_array_equal(have, want)
    np.testing.assert_array_equal(mine, theirs)


def reshaped(x: Any) -> Any:
    y = x[1:]
    x.shape = (6,)
    x[0] = 5
    return x, y, x[1:], x.reshape(3, 2)


def frozen(x: Any) -> Any:
    y = x.T
    x.setflags(write=False)
    y[0, 0] = 9
    return y, x, x[0], [x]


def both(x: Any) -> Any:
    x.shape = (3, 2)
    x.flags.writeable = False
    return x * 2, {"x": x}, x.T


@pytest.mark.parametrize("function", [reshaped, frozen, both])
def test_inputs_get_another_shape_and_are_made_read_only(function: Any) -> None:
    example = np.zeros((2, 3))
    program = export(function, (example,))
    assert example.shape == (2, 3) and example.flags.writeable
    for run in (program.module(), reloaded(program).module()):
        mine, theirs = np.arange(6.0).reshape(2, 3).copy(), np.arange(6.0).reshape(2, 3).copy()
        pairs = [(run(mine), function(theirs)), (mine, theirs)]
        for have, want in pairs:
            if isinstance(want, (tuple, list)):
                pairs += zip(have, want, strict=True)
            elif isinstance(want, dict):
                pairs += [(have[key], want[key]) for key in want]
            else:
                np.testing.assert_array_equal(have, want, strict=True)
                assert have.flags.writeable == want.flags.writeable and (have is mine) == (want is theirs)
                assert np.shares_memory(have, mine) == np.shares_memory(want, theirs)


def test_an_input_keeps_its_dtype() -> None:
    x = np.ones((2, 3))
    with pytest.raises(Unsupported, match="E112") as caught:
        export(lambda x: setattr(x, "dtype", np.int64), (x,))
    assert caught.value.location is not None and x.dtype == np.float64


def catches(x: Any) -> Any:
    try:
        x[0] = 1
    except ValueError:
        return x * 2
    return x * 3


@pytest.mark.parametrize("function", [catches, lambda x: x[1:].flags.writeable, lambda x: x.flags.behaved])
@pytest.mark.parametrize("writeable", [True, False])
def test_a_program_that_sees_whether_an_input_is_writeable_is_one_for_such_inputs(function: Any, writeable: bool) -> None:
    example, other = np.ones(3), np.ones(3)
    example.flags.writeable, other.flags.writeable = writeable, not writeable
    run = export(function, (example,)).module()
    np.testing.assert_array_equal(run(example), function(example))
    with pytest.raises(InputMismatch, match="x"):
        run(other)


def test_a_read_only_input_is_not_made_writeable() -> None:
    x = np.ones(3)
    x.flags.writeable = False
    with pytest.raises(Unsupported, match="E112"):
        export(lambda x: x.setflags(write=True), (x,))


@pytest.mark.parametrize("order", ["C", "F"])
def test_whether_a_read_only_array_is_copied_becomes_a_condition_where_the_program_sees_it(order: Any) -> None:
    def f(x: Any) -> Any:
        x.setflags(write=False)
        try:
            x.reshape(-1)[0] = 5
        except ValueError as error:
            return str(error)
        return "written"

    run = export(f, (np.zeros((2, 3), order=order),)).module()
    assert run(np.zeros((2, 3), order=order)) == f(np.zeros((2, 3), order=order))
    with pytest.raises(InputMismatch, match="contiguous"):
        run(np.zeros((2, 3), order="F" if order == "C" else "C"))


def test_an_array_without_axes_and_a_view_of_it() -> None:
    def f(x: Any, y: Any) -> Any:
        x.fill(3)
        np.copyto(y, 300)
        return x, y

    memory, eager = np.array("12"), np.array("12")
    program = export(f, (memory, memory[None])).module()
    for have, want in zip(program(memory, memory[None]), f(eager, eager[None]), strict=True):
        np.testing.assert_array_equal(have, want, strict=True)


def _write_one(x: Any, y: Any) -> Any:
    x *= 2
    return x + 1


@pytest.mark.parametrize(
    "sizes",
    [({0: Dim.AUTO}, {0: Dim.AUTO}), ({0: Dim.AUTO, 1: Dim.AUTO}, {0: Dim.DYNAMIC, 1: Dim.AUTO}), ({0: Dim("n")}, {0: Dim("n")})],
    ids=["auto", "both axes", "one name"],
)
@pytest.mark.parametrize("second", [lambda x: x, lambda x: x[:]], ids=["twice", "a view of all"])
def test_one_memory_has_one_size(sizes: Any, second: Any) -> None:
    x = np.arange(12.0).reshape(3, 4)
    program = export(_write_one, (x, second(x)), dynamic_shapes=dict(zip("xy", sizes, strict=True)))
    for run in (program.module(), reloaded(program).module()):
        given = np.arange(20.0).reshape(5, 4)
        expected = given.copy()
        assert np.array_equal(run(given, second(given)), _write_one(expected, second(expected)))
        assert np.array_equal(given, expected)
        with pytest.raises(InputMismatch):
            run(given, given.copy())


def test_names_of_one_memory_that_may_differ_are_refused() -> None:
    x = np.ones((3, 4))
    with pytest.raises(ConstraintViolation, match="m = n"):
        export(_write_one, (x, x), dynamic_shapes={"x": {0: Dim("n")}, "y": {0: Dim("m")}})
    with pytest.raises(ConstraintViolation, match="n = 3"):
        export(_write_one, (x, x), dynamic_shapes={"x": {0: Dim("n")}, "y": None})
