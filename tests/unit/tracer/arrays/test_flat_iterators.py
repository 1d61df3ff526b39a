"""``x.flat``: indices of all kinds at sizes that vary, writes from the array itself, the base of a scalar's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, Unsupported, export
from tests.support.functions import function_of
from tests.support.outcomes import outcome

INDICES = (
    "len(x)", "len(x) - 1", "-len(x)", "-len(x) - 1", "3", "slice(len(x), None)", "len(x) // 2", "True", "False", "...", "[0, -1]", "()",
    "None", "np.bool_(True)", "[True] * 5", "x.size // 3", "int(x[0])", "slice(1, 3)",
)  # fmt: skip


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("text", ["x.flat[{}]", "x.flat.__setitem__({}, 3)"])
def test_indices_are_those_of_numpys_iterator(text: str, index: str) -> None:
    function = function_of(
        f"def program(x):\n try: found = {text.format(index)}\n except IndexError as error: found = str(error)\n return found, x",
        {"np": np},
    )
    function = function_of(f"def program(x):\n return {text.format(index)}, x", {"np": np})
    for program in (function, function):
        for dynamic in (None, ({0: Dim.AUTO},)):
            try:
                run = export(program, (np.arange(5.0),), dynamic_shapes=dynamic).module()
            except ExportError:
                continue
            except IndexError as error:
                assert outcome(program, (np.arange(5.0),))[0] == f"IndexError: {error.args!r}"
                continue
            for size in (5, 3, 1, 4) if dynamic else (5,):
                try:
                    found = outcome(run, (np.arange(float(size)),))
                except ExportError:
                    continue
                assert found == outcome(program, (np.arange(float(size)),))


@pytest.mark.parametrize("text", ["x.flat[1:] = x", "x.flat[::2] = x", "x.flat[[1, 2]] = x", "x.flat = x", "x.flat[:] = x"])
@pytest.mark.parametrize("before", ["", "x = x * 2"])
def test_writes_from_the_array_itself_are_element_by_element(text: str, before: str) -> None:
    program = function_of(f"def program(x):\n {before or 'pass'}\n {text}\n return x")
    for dynamic in (None, ({0: Dim.AUTO},)):
        try:
            run = export(program, (np.arange(4.0),), dynamic_shapes=dynamic).module()
        except Unsupported as error:
            assert error.code == "E120"
            continue
        assert outcome(run, (np.arange(4.0) + 1,)) == outcome(program, (np.arange(4.0) + 1,))


def test_the_base_of_a_scalars_elements_is_an_array() -> None:
    def program(x: Any) -> Any:
        base = x[0].flat.base
        base[...] = 5
        return base, base is x, round(x[0], 1).flat.base is x, x

    assert outcome(export(program, (np.arange(3.0),)).module(), (np.arange(3.0),)) == outcome(program, (np.arange(3.0),))


@pytest.mark.parametrize("dtype", ["?", "f8", "i4", "S3", "m8[s]"])
@pytest.mark.parametrize("made", ["np.zeros((2, 3), dtype)", "x.astype(dtype)", "x.astype(dtype)[:, ::2]"])
def test_what_comes_before_a_place_that_is_not_there_is_written(dtype: str, made: str) -> None:
    x = np.arange(1.0, 7).reshape(2, 3)
    for index in ("[0, 1, 99]", "[99, 0]", "np.array([1, 0, -99])", "[0, 99, 1]", "[-1, 0, 99]"):
        for value in ("7", "[1, 2, 3]", "x[0]"):
            names: dict[str, Any] = {"np": np, "dtype": dtype}
            exec(f"def program(x):\n o = {made}\n try: o.flat[{index}] = {value}\n except IndexError as e: return str(e), o", names)
            assert outcome(export(names["program"], (x,)).module(), (x,)) == outcome(names["program"], (x,))


FUNCTIONS = (
    "np.interp(x.flat, [0.0, 1.0, 2.0], x.flat)", "np.unique(x.flat)", "np.digitize(x.flat, [0.5])", "np.convolve(x.flat, x.flat)",
    "np.searchsorted([0.5], x.flat)", "np.concatenate([x.flat, x.flat])", "np.nansum(x.flat)", "np.take(x, x.astype(int).flat)",
    "np.broadcast_to(x.flat, (2, 3))", "np.einsum('i,i', x.flat, x)", "np.compress((x > 0).flat, x)", "np.sum(x, where=(x > 0).flat)",
    "np.compress(x.flat, x)", "x.compress(x.flat)", "np.copyto(x, 2, where=x.flat)", "np.sum(x, where=x.flat)", "np.nanprod(x.flat, 2)",
    "np.take(x, x.flat)",
)  # fmt: skip


@pytest.mark.parametrize("call", FUNCTIONS)
def test_functions_take_it_for_the_array_that_c_makes_of_it(call: str) -> None:
    program = function_of(f"def program(x):\n return {call}, x", {"np": np})
    x = np.array([1.0, 0.0, 2.0])
    for dynamic in (None, ({0: Dim.AUTO},)):
        try:
            run = export(program, (x.copy(),), dynamic_shapes=dynamic).module()
        except (TypeError, ValueError) as error:
            assert outcome(program, (x.copy(),))[0] == f"{type(error).__name__}: {error.args!r}"
            continue
        assert outcome(run, (x.copy(),)) == outcome(program, (x.copy(),))


SEQUENCES = (
    "np.stack(it)", "np.hstack(it)", "np.vstack(it)", "np.dstack(it)", "np.column_stack(it)", "np.concatenate(it)", "np.lexsort(it)",
    "np.choose(0, it)", "np.choose(it, [x, x], mode='wrap')", "np.select(it, it)", "np.linalg.multi_dot(it)",
    "np.hstack(tup=it)", "np.block(it)", "np.poly(it)", "np.concatenate(arrays=it, axis=0)",
    "np.ravel_multi_index(it, (2, 2))", "np.unique(it)",
)  # fmt: skip


@pytest.mark.parametrize("call", SEQUENCES)
def test_functions_of_sequences_find_it_at_its_end(call: str) -> None:
    """NumPy goes over a sequence of arrays to find out whose function to call, and then over what is left."""
    program = function_of(
        f"def program(x):\n it = x.flat\n next(it)\n try: found = {call}\n except Exception as error: found = repr(error)\n"
        " return found, it.index, list(it)",
        {"np": np},
    )
    for x in (np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0.0])):
        given = x.astype(int) if "[x, x]" in call else x
        assert outcome(export(program, (given,)).module(), (given,)) == outcome(program, (given,))


NO_ARRAYS = (
    "np.broadcast_shapes(it)", "np.broadcast_shapes(x[:0].flat)", "np.zeros(it)", "np.tile(x, it)", "np.sum(x, axis=it)",
    "np.random.default_rng(0).normal(size=it)", "np.random.default_rng(0).choice(5, it)", "np.random.default_rng(0).dirichlet(it)",
    "np.random.default_rng(0).permutation(it)", "np.random.RandomState(0).normal(it)",
)  # fmt: skip


@pytest.mark.parametrize("made", ["x", "np.array([3])"])
@pytest.mark.parametrize("call", NO_ARRAYS)
def test_a_parameter_that_is_no_array_is_refused_or_raises(made: str, call: str) -> None:
    """C tells an iterator from a sequence, and Python does not."""
    program = function_of(f"def program(x):\n it = {made}.flat\n try: return {call}\n except TypeError: return 'raised'", {"np": np})
    x = np.array([3])
    try:
        run = export(program, (x,)).module()
    except Unsupported as error:
        assert error.code in ("E101", "E104", "E109")
        return
    assert outcome(run, (x,)) == outcome(program, (x,))


PLACES = (
    "0", "-1", "99", "slice(0, 2)", "slice(3, 1)", "...", "()", "None", "True", "False", "[0]", "[0, 99]", "[]", "np.array([0])", "'a'",
    "np.array([True, False])", "np.ones(4, bool)", "(0,)", "(0, 1)", "np.True_", "np.array(0)", "np.int64(1)", "x > 0", "[True]", "1.5",
    "int(x[0, 0])", "x[0, 0]", "len(x)", "slice(len(x), 0)", "[2, 1]", "[3]", "[-1]", "np.array([[1, 2], [3, 2]])", "([2],)", "[2, 99]",
    "[99, 2]",
    "x.ravel().astype(int)", "[len(x), 1]", "np.arange(len(x))", "[1.0, 3.0]", "np.array([], int)",
)  # fmt: skip


@pytest.mark.parametrize("text", ["r = it[{}]", "it[{}] = 1", "it[{}] = 'q'"])
@pytest.mark.parametrize("place", PLACES)
def test_an_index_begins_the_iterator_again(place: str, text: str) -> None:
    lines = f"def program(x):\n it, r = x.flat, None\n next(it)\n try: {text.format(place)}\n except Exception as error: r = str(error)\n"
    program = function_of(lines + " return r, it.index, [each for each in it], x", {"np": np})
    x = np.array([[1.0, 0.0], [0.0, 1.0]])
    for dynamic in (None, ({0: Dim.AUTO},)):
        try:
            run = export(program, (x.copy(),), dynamic_shapes=dynamic).module()
        except Unsupported as error:
            assert error.code in ("E101", "E104", "E126", "E103"), error
            continue
        assert outcome(run, (x.copy(),)) == outcome(program, (x.copy(),))
