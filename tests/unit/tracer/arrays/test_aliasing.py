"""Memory that has several names: the same array twice, overlapping arrays, layouts, views among the outputs, state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, InputMismatch, Unsupported, export
from npexport.ir import ops
from npexport.ir.facts import View
from tests.support.functions import function_of
from tests.support.outcomes import outcome


def exported(function: Any, *arrays: Any, **options: Any) -> Any:
    return export(function, arrays, **options).module()


def held(function: Any, *arrays: np.ndarray) -> None:
    """Results and written inputs equal eager's."""
    mine, eager = ([array.copy(order="K") for array in arrays] for _ in range(2))
    got, want = exported(function, *[np.zeros_like(array) for array in arrays])(*mine), function(*eager)
    for have, expected in zip([*np.atleast_1d(got), *mine], [*np.atleast_1d(want), *eager], strict=True):
        np.testing.assert_array_equal(have, expected, strict=True)


def add_to_first(x: Any, y: Any) -> Any:
    x += 1
    return y * 2


def only_read(x: Any, y: Any) -> Any:
    return x * 2 + y


def test_the_same_array_twice_is_one_memory_where_it_is_written() -> None:
    example = np.ones(4)
    run = exported(add_to_first, example, example)
    x = np.arange(4.0)
    np.testing.assert_array_equal(run(x, x), [2, 4, 6, 8])
    np.testing.assert_array_equal(x, [1, 2, 3, 4])
    with pytest.raises(InputMismatch):
        run(x, x.copy())


def test_the_same_array_twice_is_two_inputs_where_it_is_read() -> None:
    example = np.ones(4)
    np.testing.assert_array_equal(exported(only_read, example, example)(np.ones(4), np.zeros(4)), [2, 2, 2, 2])


@pytest.mark.parametrize("order", ["C", "F"])
def test_flags_that_ask_for_writeable_memory(order: Any) -> None:
    def f(x: Any) -> Any:
        views = x, x.T, np.einsum("ii->i", x), np.diagonal(x), x[::2], np.imag(x)
        return [(view.flags.behaved, view.flags.carray, view.flags.farray, view.flags.fnc) for view in views]

    x = np.zeros((3, 3), order=order)
    assert exported(f, x)(x) == f(x)


def unaligned(array: Any) -> Any:
    view = np.zeros(array.nbytes + 1, "u1")[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    return view


OF_ALIGNMENT = {
    "aligned": lambda x: x.flags.aligned,
    "behaved": lambda x: x.T.flags.behaved,
    "num": lambda x: x.flags.num,
    "require": lambda x: np.require(x, None, "A") is x,
    "dot": lambda x: np.dot(x, x, out=x),
    "random": lambda x: np.random.default_rng(0).random(out=x),
}


@pytest.mark.parametrize("name", OF_ALIGNMENT)
def test_an_input_that_is_not_aligned_is_refused_where_a_program_sees_it(name: str) -> None:
    f, x = OF_ALIGNMENT[name], np.eye(3)
    run = exported(f, x)
    np.testing.assert_array_equal(run(np.eye(3)), f(np.eye(3)), strict=True)
    for other in (unaligned(x), np.eye(6)[::2, ::2]):
        with pytest.raises(InputMismatch):
            run(other)
    with pytest.raises(Unsupported, match="E121"):
        exported(f, unaligned(x))


def test_an_input_that_is_not_aligned_is_taken_where_no_program_sees_it() -> None:
    for f in (lambda x: (x + 1).flags.aligned, lambda x: x.T.reshape(-1)):
        np.testing.assert_array_equal(exported(f, unaligned(np.eye(3)))(unaligned(np.eye(3))), f(np.eye(3)))


def test_overlap_that_the_export_did_not_see_is_refused_at_the_call() -> None:
    run, memory = exported(add_to_first, np.ones(4), np.ones(4)), np.arange(6.0)
    with pytest.raises(InputMismatch):
        run(memory[:4], memory[2:])


class Holder:
    def __init__(self) -> None:
        self.w = np.ones((2, 2))
        self.v = self.w

    def tied(self, x: Any) -> Any:
        self.w += x
        return self.v * 1


def test_tied_state_is_one_array() -> None:
    holder = Holder()
    program = export(holder.tied, (np.ones((2, 2)),))
    run = program.module()
    assert program.graph_signature.buffers == ("w",)
    assert [run(np.ones((2, 2)))[0, 0] for _ in range(3)] == [2, 3, 4]
    assert holder.w[0, 0] == 1


def test_outputs_alias_what_they_alias_in_eager() -> None:
    def f(x: Any) -> Any:
        y, z = x[1:], np.zeros(3)
        x[0] = 5
        return y, x, z, z[1:], z.copy(), x + 1, x + 1

    x = np.arange(3.0)
    y, same, z, tail, copy, one, other = exported(f, np.ones(3))(x)
    assert same is x and np.shares_memory(y, x) and np.shares_memory(z, tail)
    assert not np.shares_memory(copy, z) and not np.shares_memory(one, other)


def test_layout_is_a_condition_only_where_a_write_shows_it() -> None:
    def read(x: Any) -> Any:
        return x.reshape(-1) * 2

    def write(x: Any) -> Any:
        x.reshape(-1)[0] = 9
        return x.T.copy()

    fortran = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(exported(read, np.ones((2, 3)))(fortran), read(fortran))
    with pytest.raises(InputMismatch, match="C-contiguous"):
        exported(write, np.ones((2, 3)))(fortran)
    x = np.ones((2, 3))
    exported(write, np.ones((2, 3)))(x)
    assert x[0, 0] == 9
    exported(write, fortran)(fortran.copy(order="F"))


def test_a_temporary_hides_the_difference() -> None:
    def f(x: Any) -> Any:
        y = (x + 1).reshape(-1)
        y += 1
        return y

    fortran = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(exported(f, np.ones((2, 3)))(fortran), f(fortran))


def test_questions_about_layout_are_conditions() -> None:
    run = exported(lambda x: x if x.flags.c_contiguous else x * 2, np.ones((2, 2)))
    with pytest.raises(InputMismatch):
        run(np.asfortranarray(np.ones((2, 2))))
    np.testing.assert_array_equal(exported(lambda x: x * x.strides[0], np.ones((2, 2)))(np.ones((2, 2))), np.full((2, 2), 16.0))


def test_a_dynamic_size_that_could_be_one_makes_contiguity_a_guard() -> None:
    def f(x: Any) -> Any:
        y = x.T.reshape(-1)
        y[0] = 9
        return y, x

    export(f, (np.ones((3, 4)),), dynamic_shapes={"x": {0: Dim("n", min=2)}})
    with pytest.raises(Exception, match="min=2"):
        export(f, (np.ones((3, 4)),), dynamic_shapes={"x": {0: Dim("n")}})


def test_overlap_semantics_are_those_of_numpy() -> None:
    def f(x: Any) -> Any:
        x[1:] += x[:-1]
        x[:-1] = x[1:]
        x[::-1] = x
        x[[0, 0, 2]] += 1
        np.add.at(x, [0, 0], 1)
        return x * 1

    held(f, np.arange(6.0))


def test_fields_of_structured_arrays_are_views() -> None:
    def f(r: Any) -> Any:
        r["p"] += 1
        r["q"][0] = 7
        return r["q"] * 2

    held(f, np.zeros(3, [("p", "f8"), ("q", "i4")]))


def test_dynamic_sizes_and_writes() -> None:
    def f(x: Any) -> Any:
        x[1:] += x[:-1]
        y = np.zeros(x.shape[0])
        y[:] = x[:, 0]
        return x.reshape(-1).sum(), y, x[x > 3].sum(), np.lib.stride_tricks.as_strided(y, (y.shape[0] - 1, 2), y.strides * 2).sum(axis=1)

    run = exported(f, np.ones((4, 3)), dynamic_shapes={"x": {0: Dim("n", min=2, max=50)}})
    mine, eager = (np.arange(15.0).reshape(5, 3) for _ in range(2))
    for have, want in zip(run(mine), f(eager), strict=True):
        np.testing.assert_array_equal(have, want)
    np.testing.assert_array_equal(mine, eager)


def test_read_only_arrays() -> None:
    x = np.ones(3)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        export(lambda x: x.fill(0), (x,))
    with pytest.raises(ValueError, match="read-only"):
        export(lambda x: np.broadcast_to(x, (2, 3)).fill(0), (np.ones(3),))
    with pytest.raises(ValueError, match="read-only"):
        export(lambda x: x.__iadd__(1), (x,))


def write_diagonal(x: Any) -> Any:
    d = np.einsum("ii->i", x)
    d[:] = 0
    x[0] += 1
    return d * 1


def write_transposed(x: Any) -> Any:
    d = np.einsum("ij->ji", x)
    d[0] += 5
    return x * 1


def write_after_diag(x: Any) -> Any:
    d = np.diag(x)
    x[0, 0] = 9
    return d * 1


def write_first_power(x: Any) -> Any:
    np.linalg.matrix_power(x, 1)[0] = 4
    return x * 1


def write_edges(x: Any) -> Any:
    edges = np.histogram(x[1], bins=x[0])[1]
    edges += 1
    return x * 1


def write_without_copy(x: Any) -> Any:
    np.nan_to_num(x, copy=False)[0] = 3
    x.real[1] = 2
    x.squeeze()[2] = 1
    return x * 1


@pytest.mark.parametrize(
    "function", [write_diagonal, write_transposed, write_after_diag, write_first_power, write_edges, write_without_copy]
)
def test_functions_that_may_give_their_argument_back(function: Any) -> None:
    held(function, np.arange(9.0).reshape(3, 3))


COMPARED = {
    "x == None": [False, False],
    "x != None": [True, True],
    "x == 'a'": [False, False],
    "'a' != x": [True, True],
    "x == object": [False, False],
    "x == {}": [False, False],
    "x[0] == None": False,
    "x == [1, 'a']": [False, False],
}


@pytest.mark.parametrize(("source", "answer"), COMPARED.items())
def test_comparisons_with_what_is_no_number(source: str, answer: Any) -> None:
    f = function_of(f"def f(x):\n    return {source}")
    np.testing.assert_array_equal(exported(f, np.ones(2))(np.ones(2)), answer)
    np.testing.assert_array_equal(f(np.ones(2)), answer)


@pytest.mark.parametrize("make", [lambda x: np.array([x, x]), lambda x: np.asarray([[x], [x]])], ids=["flat", "nested"])
def test_arrays_of_lists_lie_in_c_order(make: Any) -> None:
    """``np.array`` of a list fills its result in C order, however the parts lie: no copy is made of it."""

    def write_through(x: Any) -> Any:
        stacked = make(x)
        same = np.ascontiguousarray(stacked)
        stacked[0] = 7
        return same

    x = np.asfortranarray(np.ones((2, 2, 3)))
    np.testing.assert_array_equal(export(write_through, (x,)).module()(x), write_through(x))
    np.testing.assert_array_equal(export(lambda: write_through(np.asfortranarray(np.ones((2, 3)))), ()).module()()[0], 7)


WRITES = {
    "setitem": lambda y, x: y.__setitem__(x > 1, 0),
    "in place": lambda y, x: y.__iadd__(x),
    "out": lambda y, x: np.add(x, x, out=y),
    "put": lambda y, x: np.put(y, [0], x[0]),
    "putmask": lambda y, x: np.putmask(y, x > 1, 0.0),
    "place": lambda y, x: np.place(y, x > 1, [0.0]),
    "copyto": lambda y, x: np.copyto(y, x),
    "fill": lambda y, x: y.fill(x[0]),
    "fill_diagonal": lambda y, x: np.fill_diagonal(y.reshape(2, 2), x[0]),
    "sort": lambda y, x: y.sort(),
    "partition": lambda y, x: y.partition(1),
    "shuffle": lambda y, x: np.random.default_rng(0).shuffle(y),
}


@pytest.mark.parametrize("write", WRITES)
def test_read_only_arrays_are_refused_as_numpy_refuses_them(write):
    def program(x):
        y = x.copy()
        y.flags.writeable = False
        try:
            WRITES[write](y, x)
        except ValueError as error:
            return x, str(error)

    x = np.arange(4.0)
    assert export(program, (x,)).module()(x)[1] == program(x)[1]


SIZE_DEPENDENT = {
    "in F order": lambda x: (x, x.reshape((2, -1), order="F")),
    "of a transpose": lambda x: (x, x.T.reshape(-1)),
    "of all columns": lambda x: (x, x[:, : x.shape[0]].reshape(-1)),
    "of two columns": lambda x: (x, x[:, :2].ravel()),
    "of every second row": lambda x: (x, x[::2].reshape(-1)),
    "contiguous": lambda x: (x, np.ascontiguousarray(x[:, : x.shape[0]])),
    "Fortran": lambda x: (x, np.asfortranarray(x)),
    "of a new array": lambda x: (lambda y: (y, y.T.reshape(-1, y.shape[0])))(x + 1),
    "of a diagonal": lambda x: (x, np.diagonal(x).reshape(-1, 1)),
    "of repeated elements": lambda x: (x, np.broadcast_to(x[:, :, None], (*x.shape, x.shape[0])).reshape(-1)),
}


REFUSED_THERE = {("of every second row", (2, 3))}
"""One row is a view, and whether there is one is not known of other sizes."""


@pytest.mark.parametrize("name", SIZE_DEPENDENT)
@pytest.mark.parametrize("example", [(3, 4), (4, 4), (2, 3), (5, 2)], ids=str)
def test_sizes_by_which_a_view_would_be_a_copy_are_excluded_where_a_write_shows_it(name: str, example: tuple[int, int]) -> None:
    def f(x: Any) -> Any:
        whole, part = SIZE_DEPENDENT[name](x)
        whole[...] = 0
        return part

    if (name, example) in REFUSED_THERE:
        with pytest.raises(Unsupported, match="E121"):
            export(f, (np.ones(example),), dynamic_shapes=({0: Dim.AUTO, 1: Dim.AUTO},))
        return
    module = export(f, (np.ones(example),), dynamic_shapes=({0: Dim.AUTO, 1: Dim.AUTO},)).module()
    np.testing.assert_array_equal(module(np.ones(example)), f(np.ones(example)))
    for rows in range(6):
        for columns in range(6):
            mine, theirs = np.ones((2, rows, columns))
            try:
                found = module(mine)
            except (InputMismatch, ValueError):
                continue
            np.testing.assert_array_equal(found, f(theirs))
            np.testing.assert_array_equal(mine, theirs)


def test_every_view_has_strides_over_dynamic_sizes() -> None:
    views = [op for op in ops.REGISTRY if "view" in op.traits and op.namespace == "np"]
    assert len(views) > 10 and [op for op in views if op.view.strides is None or op.view.inverse is None] == []
    assert [op for op in ops.REGISTRY if op.view != View() and "view" not in op.traits] == []


VIEWS_OF_VIEWS = {
    "rows and columns": lambda x: x[1:, ::2],
    "new axis": lambda x: x[:, None],
    "diagonal": lambda x: np.einsum("ii->i", x),
    "swapped": lambda x: x[None].swapaxes(0, 2),
    "windows": lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, 1),
    "split": lambda x: x.reshape(x.shape[0], 2, -1)[:, 0],
    "joined": lambda x: x.reshape(-1)[1:],
    "stretched": lambda x: np.broadcast_to(x, (3, *x.shape)),
    "squeezed": lambda x: x[:1].squeeze(0),
    "part": lambda x: (x + 1j).imag,
    "another dtype": lambda x: x.view(np.float32),
    "moved": lambda x: np.moveaxis(x[None], 0, -1).mT,
}


COPIES_IN_F_ORDER = ("joined", "another dtype", "split")


@pytest.mark.parametrize(
    ("name", "order"), [(name, order) for name in VIEWS_OF_VIEWS for order in "CF" if order == "C" or name not in COPIES_IN_F_ORDER]
)
def test_strides_and_flags_of_views_of_dynamic_sizes_are_numpys(name: str, order: str) -> None:
    def f(x: Any) -> Any:
        y = VIEWS_OF_VIEWS[name](x)
        return x * 1, y.strides, y.flags.c_contiguous, y.flags.f_contiguous

    module = export(f, (np.ones((6, 6), order=order),), dynamic_shapes=({0: Dim.AUTO, 1: Dim.AUTO},)).module()
    for sizes in ((6, 6), (4, 4), (8, 8), (4, 6), (6, 4), (10, 8)):
        x = np.ones(sizes, order=order)  # type: ignore[call-overload]
        try:
            found = module(x)
        except (InputMismatch, ValueError):
            assert sizes != (6, 6)
            continue
        assert found[1:] == f(x)[1:]


def test_as_strided_of_a_stretched_array_is_not_written_to():
    """``np.broadcast_arrays`` warns of writes, and says by its interface that it is read-only."""

    def strided(x, **options):
        stretched = np.broadcast_arrays(x[:1], x)[0]
        return np.lib.stride_tricks.as_strided(stretched, (2,), stretched.strides, **options)

    x = np.arange(4.0)
    with pytest.raises(Unsupported, match="E121"):
        export(strided, (x,))
    program = export(lambda x: strided(x, writeable=False), (x,)).module()
    np.testing.assert_array_equal(program(x + 1), [1.0, 1.0])
    assert not program(x).flags.writeable


READ_ONLY = {
    "scalar": lambda x: np.broadcast_to(x[0], (3, 2)),
    "scalar of no axes": lambda x: np.broadcast_to(x[0], ()),
    "number": lambda x: np.broadcast_to(2.0, (2,)),
    "list": lambda x: np.broadcast_to([x[0], 2.0], (3, 2)),
    "array": lambda x: np.broadcast_to(array=x, shape=(2, 4), subok=True),
    "diagonal": lambda x: np.diagonal(x.reshape(2, 2), 1),
    "diagonal of a list": lambda x: np.diagonal([[x[0], x[1]], [x[2], 3.0]]),
}


@pytest.mark.parametrize("name", READ_ONLY)
def test_what_numpy_gives_read_only_is(name: str) -> None:
    program, x = READ_ONLY[name], np.arange(4.0)
    found, expected = export(program, (x,)).module()(x), program(x)
    assert not expected.flags.writeable
    assert (found.flags.writeable, found.strides, found.tobytes()) == (False, expected.strides, expected.tobytes())


def _written_and_flat(x: Any) -> Any:
    y = x[::2]
    y += 10
    return np.ravel(y)


def _made_and_flat(x: Any) -> Any:
    y = x * 2
    return y, np.ravel(y[::2])


def _flat_twice(x: Any) -> Any:
    y = x * 2
    return np.ravel(np.ravel(y[::2])[::1]), y


def _written_and_ordered(x: Any) -> Any:
    x += 1
    return np.ascontiguousarray(x[::2]), np.asarray(x[::2], order="F")


@pytest.mark.parametrize("f", [_written_and_flat, _made_and_flat, _flat_twice, _written_and_ordered])
def test_copies_that_are_views_at_other_sizes_are_told_apart(f: Any) -> None:
    """One element lies in any order: what is a copy in the example is a view there, which the caller sees."""
    program = export(f, (np.arange(6.0),), dynamic_shapes={"x": {0: Dim.AUTO}}).module()
    for size in (3, 4, 7):
        mine, theirs = np.arange(float(size)), np.arange(float(size))
        found, expected = program(mine), f(theirs)
        np.testing.assert_equal([found, mine], [expected, theirs])
        first, second = [(*result, x) if type(result) is tuple else (result, x) for result, x in ((found, mine), (expected, theirs))]
        assert [np.shares_memory(a, b) for a in first for b in first] == [np.shares_memory(a, b) for a in second for b in second]
    for size in (1, 2):
        with pytest.raises(InputMismatch):
            program(np.arange(float(size)))


def test_copies_of_one_array_that_is_gone_may_share_memory() -> None:
    def f(x: Any) -> Any:
        y = x * 2
        return np.ravel(y[::2]), np.ravel(y[::2])

    with pytest.raises(Unsupported, match="E121"):
        export(f, (np.arange(6.0),), dynamic_shapes={"x": {0: Dim.AUTO}})


def _shifts(x):
    v, k = x.ravel("F"), 0
    while k < len(v) - 1:
        v[k], k = v[k + 1] * 2, k + 1
    return x, v


def _each(x):
    v = x.ravel("F")
    for k in range(len(v)):
        v[k] = v[k] + 1
    return x, v


def _rows(x):
    for row in x.T.reshape(-1, 1):
        row[...] = row + 1
    return (x,)


def _on_one_side(x):
    v = x.ravel("F")
    if x.sum() > -5:
        v += 1
    return x, v


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("program", [_shifts, _each, _rows, _on_one_side])
def test_loops_that_write_to_what_is_a_view_at_other_sizes_hold_for_copies_alone(program, axis):
    run = export(program, (np.arange(6.0).reshape(2, 3),), dynamic_shapes=({axis: Dim.AUTO},)).module()
    accepted = 0
    for size in (0, 1, 2, 3, 5):
        shape = (size, 3) if axis == 0 else (2, size)
        mine, theirs = np.arange(3.0 * size if axis == 0 else 2.0 * size).reshape(shape), np.arange(float(np.prod(shape))).reshape(shape)
        try:
            found = run(mine)
        except InputMismatch:
            continue
        np.testing.assert_equal([mine, *found], [theirs, *program(theirs)])
        accepted += 1
    assert accepted >= 3


@pytest.mark.parametrize("given", [{"axes": ()}, {"axes": []}, {"axes": (), "s": ()}, {"axes": (), "norm": "any"}, {"axes": (), "s": (2,)}])
@pytest.mark.parametrize("name", ["fftn", "ifftn", "fft2", "ifft2"])
def test_a_fourier_transform_along_no_axes_is_the_array_itself(name: str, given: dict[str, Any]) -> None:
    def program(x: Any, out: Any) -> Any:
        try:
            found = getattr(np.fft, name)(x, out=out, **given)
        except ValueError as error:
            return str(error)
        found[0] = 7
        return found is x, out

    args = np.arange(3, dtype="u1"), np.zeros(3, "u1")
    assert outcome(export(program, args).module(), args) == outcome(program, args)
