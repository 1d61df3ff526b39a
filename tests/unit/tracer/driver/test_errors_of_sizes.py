"""What a call raises for the sizes of the example, and the program catches: it holds for these sizes, or for all that the program takes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from npexport import Dim, InputMismatch, Unsupported, export

CALLS = {
    "reshape": lambda x: x.reshape(len(x) + 1),
    "reshape to what does not divide": lambda x: x.reshape(3, -1),
    "broadcast": lambda x: x + x[1:],
    "index": lambda x: x[6],
    "index of the size": lambda x: x[len(x)],
    "view of parts": lambda x: x.view("c16"),
    "cross product": lambda x: np.cross(x, x),
    "choice among nothing": lambda x: np.choose([9], [x, x]),
    "concatenate": lambda x: np.concatenate([x[None], x[None, 1:]]),
    "product": lambda x: x @ x[1:],
    "repeat": lambda x: np.repeat(x, [1, 2]),
    "partition": lambda x: np.partition(x, 6),
    "mask": lambda x: x[np.ones(3, bool)],
    "axis": lambda x: x.sum(axis=len(x)),
    "axis of a number": lambda x: x.sum(axis=3),
    "conversion": float,
    "write": lambda x: np.copyto(x.copy(), x[1:]),
    "interpreted": lambda x: np.trapezoid(x, x[1:]),
}


def outcome(f: Any, x: Any) -> Any:
    try:
        return f(x)
    except InputMismatch:
        return None


@pytest.mark.parametrize("shown", [False, True], ids=["caught", "shown"])
@pytest.mark.parametrize("name", CALLS)
def test_what_is_caught_is_what_eager_execution_catches(name: str, shown: bool) -> None:
    call = CALLS[name]

    def caught(x: Any) -> Any:
        try:
            call(x)
        except Exception:
            return "raised", x.sum()
        return "taken", x.sum()

    def told(x: Any) -> Any:
        try:
            call(x)
        except (ValueError, IndexError, TypeError) as error:
            return str(error), x.sum()
        return "taken", x.sum()

    program = told if shown else caught
    run = export(program, (np.arange(5.0),), dynamic_shapes=({0: Dim.AUTO},)).module()
    assert run(np.arange(5.0)) == program(np.arange(5.0))
    for size in (0, 1, 2, 3, 4, 6, 7, 8, 12):
        assert outcome(run, np.arange(float(size))) in (None, program(np.arange(float(size))))


def test_what_is_not_caught_is_no_condition() -> None:
    def program(x: Any) -> Any:
        try:
            y = x + 1
        except ValueError:
            y = x
        return y

    run = export(program, (np.arange(5.0),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for size in (0, 1, 7):
        np.testing.assert_array_equal(run(np.zeros(size)), np.ones(size))


def test_sizes_that_only_the_data_know_are_refused() -> None:
    def program(x: Any) -> Any:
        try:
            return x[x > 0].view("c16")
        except ValueError:
            return x

    with pytest.raises(Unsupported):
        export(program, (np.arange(5.0),))


def test_places_that_sizes_tell_may_not_be_there() -> None:
    def unused(x: Any) -> Any:
        np.unravel_index([3], (len(x),))
        np.unravel_index(len(x) - 1, (7,))
        return x.sum()

    run = export(unused, (np.arange(5.0),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for size in (4, 5, 7):
        assert run(np.arange(float(size))) == unused(np.arange(float(size)))
    for size in (1, 3, 8):
        with pytest.raises(ValueError):
            unused(np.arange(float(size)))
        with pytest.raises(ValueError):
            run(np.arange(float(size)))


@pytest.mark.parametrize("window", [np.bartlett, np.blackman, np.hamming, np.hanning])
def test_windows_of_any_size_are_numpys(window: Any) -> None:
    run = export(lambda x: window(len(x)), (np.arange(5.0),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for size in range(9):
        assert run(np.zeros(size)).tobytes() == window(size).tobytes()


def read_only(x: Any) -> Any:
    y = x[::2]
    y.flags.writeable = False
    try:
        y[...] = 1
    except ValueError as error:
        return str(error), y
    return "", y


def of_types(x: Any) -> Any:
    try:
        x += 1j
    except TypeError as error:
        return str(error), x
    return "", x


@pytest.mark.parametrize("program", [read_only, of_types])
def test_what_is_said_of_types_and_flags_holds_at_all_sizes(program: Any) -> None:
    run = export(program, (np.arange(5.0),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for size in (1, 3, 5, 8):
        assert run(np.arange(float(size)))[0] == program(np.arange(float(size)))[0] != ""


def shown(function: Any, *args: Any) -> Any:
    try:
        return function(*args).tolist()
    except (ValueError, InputMismatch) as error:
        return type(error).__name__, str(error)


def test_no_points_are_looked_up_as_this_numpy_does() -> None:
    def program(x: Any, places: Any, values: Any) -> Any:
        return np.interp(x, places, values)

    for points in (0, 3):
        if shown(program, np.ones(0), np.ones(points), np.ones(points)) != []:
            continue
        run = export(program, (np.ones(0), np.ones(points), np.ones(points)), dynamic_shapes=({0: Dim.AUTO},) * 3).module()
        for count in (0, 1, 2):
            for size in (0, 1, 2):
                args = np.ones(count), np.arange(float(size)), np.arange(float(size))
                assert shown(run, *args) == shown(program, *args)


def test_what_numpy_says_of_one_size_is_not_said_of_all() -> None:
    def program(x: Any, out: Any) -> Any:
        counts = np.bincount(x)
        return np.add.reduceat(counts, [0, 1], out=out)  # an index out of bounds, or an output of another shape

    with pytest.raises(Unsupported):
        export(program, (np.arange(3), np.zeros((2, 3), np.int64)))


OVERFLOWS = {
    "exp": lambda n: math.exp(n * 100),
    "expm1": lambda n: math.expm1(n * 100.0),
    "pow": lambda n: math.pow(2.0, n * 200),
    "power of a float": lambda n: float(n) ** 400,
    "power by a size": lambda n: 10.0 ** (n * 50),
    "power that is inverse": lambda n: 0.5 ** (-n * 200),
    "float of an integer": lambda n: float(10 ** (n * 50)),
    "quotient of an integer": lambda n: 10 ** (n * 50) / 3,
    "product with an integer": lambda n: 1.5 * 10 ** (n * 50),
    "shifted": lambda n: float(1 << (n * 200)),
    "truncated": lambda n: math.trunc(n * 3e307),
    "int": lambda n: int(n * 3e307),
    "int that always raises": lambda n: int((n + 1) * 1e308 * 10),
    "floor": lambda n: math.floor(n * 3e307),
    "round": lambda n: round(n * 3e307),
    "digits": lambda n: round(n * 3e307, -308),
    "sin": lambda n: math.sin(n * 3e307),
}


@pytest.mark.parametrize("example", [5, 8])
@pytest.mark.parametrize("name", OVERFLOWS)
def test_a_function_of_a_size_overflows_where_it_does_in_eager_execution(name: str, example: int) -> None:
    function = OVERFLOWS[name]

    def caught(x: Any) -> Any:
        try:
            number = function(len(x))
        except (OverflowError, ValueError) as error:
            x += 1
            return str(error), x.sum()
        return number, x.sum()

    def unused(x: Any) -> Any:
        x *= 2
        function(len(x))
        x += 1
        return x

    def looped(x: Any) -> Any:
        found: Any = []
        for n in range(len(x)):
            try:
                found.append(function(n))
            except (OverflowError, ValueError):
                found.append(-1)
        return found

    compared = 0
    for program in (caught, unused, looped):
        given = np.arange(float(example))
        wanted = result(program, given)
        try:
            run = export(program, (given,), dynamic_shapes=({0: Dim.AUTO},)).module()
        except Unsupported:
            assert program is looped
            continue
        except (OverflowError, ValueError) as error:  # the program's own, at its example
            assert repr(error) == wanted[0] and program is unused
            continue
        for size in (0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 40):
            given = np.arange(float(size))
            try:
                got = result(run, given)
            except InputMismatch:
                assert size != example
                continue
            assert got == result(program, given)
            compared += 1
    assert compared


def result(f: Any, x: Any) -> Any:
    """What a call gives or raises, and what it leaves in its argument."""
    x = x.copy()
    try:
        found = f(x)
    except InputMismatch:
        raise
    except (OverflowError, ValueError) as error:
        return repr(error), x.tolist()
    return (found.tolist() if isinstance(found, np.ndarray) else found), x.tolist()


FORMS_OF_INDICES = {
    "a float": lambda x: x[1.5],
    "a float of data": lambda x: x[float(x.sum())],
    "a complex number": lambda x: x[1j],
    "a text": lambda x: x["a"],
    "an object": lambda x: x[object()],
    "an array of floats": lambda x: x[np.array([1.5])],
    "too many": lambda x: x[0, 0, 0],
    "written": lambda x: x.__setitem__(1j, 2),
}


@pytest.mark.parametrize("name", FORMS_OF_INDICES)
def test_what_is_no_index_is_none_at_any_size(name):
    use = FORMS_OF_INDICES[name]

    def program(x):
        try:
            return use(x)
        except IndexError as error:
            return str(error), x

    run = export(program, (np.ones((3, 4)),), dynamic_shapes=({0: Dim("n")},)).module()
    for size in (0, 1, 2, 3, 7):
        x = np.ones((size, 4))
        found, expected = run(x), program(x)
        assert found[0] == expected[0]
        np.testing.assert_array_equal(found[1], expected[1])
