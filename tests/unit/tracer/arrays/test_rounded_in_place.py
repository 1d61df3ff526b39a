"""Products of complex numbers, and some functions of halves, in arrays of one element: NumPy rounds
them otherwise where the result goes to the memory of an operand.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.blocks import forced


def temporaries(x: Any, y: Any) -> Any:
    z = x * y
    z = z * x * y
    return np.square(z) * y + x


def products(x: Any, y: Any) -> Any:
    x *= y
    y *= 0.3 - 0.7j
    return x + y


def squares(x: Any, y: Any) -> Any:
    x **= 2
    np.square(y, out=y)
    return x - y


def outputs(x: Any, y: Any) -> Any:
    np.multiply(y, x, out=x)
    np.multiply(x, x, out=x)
    return np.multiply(x, y, out=np.empty_like(x))


def narrower(x: Any, y: Any) -> Any:
    x *= y.astype(np.complex64)
    return x * np.complex64(0.4 + 0.3j)


def views(x: Any, y: Any) -> Any:
    view = x[::-1]
    view *= y
    x[:1] *= y[:1]
    return x


def of_a_view(x: Any, y: Any) -> Any:
    np.multiply(x[:1], y[:1], out=x[:1])
    return x


def masked(x: Any, y: Any) -> Any:
    return np.multiply(x, y, out=x, where=np.abs(y) > 0.5)


def written(x: Any, y: Any) -> Any:
    x[...] = x * y
    return x


def foreign(x: Any, y: Any) -> Any:
    z = x.astype(x.dtype.newbyteorder())
    z *= y
    return z


def repeated(x: Any, y: Any) -> Any:
    for _ in range(3):
        x *= y
        x += 1
    return x


def until(x: Any, y: Any) -> Any:
    while abs(x[0]) < 40:
        x *= y * 0 + (1.5 + 0.7j)
        x += 1
    return x


def on_a_side(x: Any, y: Any) -> Any:
    if y[0].real > 0:
        x *= y
    return x


def backwards(x: Any, y: Any) -> Any:
    return np.power(np.abs(x).max(keepdims=True), y[::-1]), np.arctan2(x.sum(keepdims=True), y[::-1])


def real(size: int, char: str, seed: int) -> Any:
    return numbers(size, "D", seed).astype(char) if char in "DF" else numbers(size, "D", seed).real.astype(char)


PROGRAMS = [temporaries, products, squares, outputs, narrower, views, of_a_view, masked, written, foreign, repeated, until, on_a_side]


def numbers(size: int, char: str, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(size) + 1j * rng.standard_normal(size)).astype(char)


@pytest.mark.parametrize("char", "DF")
@pytest.mark.parametrize("example", [1, 3])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_the_bits_of_eager_execution(program: Any, example: int, char: str) -> None:
    ways = {"static": None, "dynamic": ({0: Dim.AUTO}, {0: Dim.AUTO})}
    for way, dynamic in ways.items():
        run = export(program, (numbers(example, char, 0), numbers(example, char, 1)), dynamic_shapes=dynamic).module()
        for seed in range(2, 22):
            size = example if way == "static" else (1, 2, 5)[seed % 3]
            given, expected = [[numbers(size, char, seed), numbers(size, char, seed + 50)] for _ in range(2)]
            results = run(*given), program(*expected)
            for found, wanted in zip((results[0], *given), (results[1], *expected), strict=True):
                assert found.tobytes() == wanted.tobytes(), (way, size)


@pytest.mark.parametrize("char", "fd")
def test_temporaries_beside_an_operand_that_runs_backwards(char: str) -> None:
    for dynamic in (None, ({0: Dim.AUTO}, {0: Dim.AUTO})):
        run = export(backwards, (real(1, char, 0), real(1, char, 1)), dynamic_shapes=dynamic).module()
        for seed in range(2, 32):
            given = real(1, char, seed), real(1, char, seed + 50)
            assert [each.tobytes() for each in run(*given)] == [each.tobytes() for each in backwards(*given)]


@pytest.mark.parametrize("function", [np.arccos, np.arcsin, np.log10], ids=lambda function: function.__name__)
def test_halves(function: Any) -> None:
    def apart(x: Any, y: Any) -> Any:
        return function(np.abs(x * y))

    def there(x: Any, y: Any) -> Any:
        function(x, out=x)
        return function(y[:1], out=y[:1])

    for program in (apart, there):
        run = export(program, (real(3, "e", 0), real(3, "e", 1)), dynamic_shapes=({0: Dim.AUTO}, {0: Dim.AUTO})).module()
        for seed in range(2, 32):
            given, expected = [[np.abs(real((1, 2, 5)[seed % 3], "e", seed + more)) / 4 for more in (0, 50)] for _ in range(2)]
            results = run(*given), program(*expected)
            for found, wanted in zip((results[0], *given), (results[1], *expected), strict=True):
                assert found.tobytes() == wanted.tobytes()


OVERLAPPING = {
    "complex": (lambda x, y: np.multiply(x[1:], y[1:], out=x[:-1]), "D"),
    "of floats": (lambda x, y: np.exp(x[1:], out=x[:-1]), "d"),
    "ahead of the output": (lambda x, y: np.arctan2(x[1:], x[:-1], out=x[:-1]), "f"),
    "one element": (lambda x, y: np.power(x[::-1], x[:1], out=x[::-1]), "f"),
    "of two": (lambda x, y: np.hypot(x[:-1], y[1:], out=x[1:]), "f"),
}


@pytest.mark.parametrize("program, char", OVERLAPPING.values(), ids=OVERLAPPING)
def test_other_elements_of_the_memory_that_is_written(program: Any, char: str) -> None:
    """NumPy computes them one by one, and rounds otherwise than over arrays apart."""
    with pytest.raises(ExportError, match="E120"):
        export(program, (real(5, char, 0), real(5, char, 1)))


MET = {
    "exact": (lambda x, y: np.subtract(x[1:], y[1:], out=x[:-1]), "d"),
    "one is the output": (lambda x, y: np.arctan2(x, x[::-1], out=x), "d"),
    "a complex one is": (lambda x, y: np.multiply(x[::-1], x, out=x), "D"),
    "turned": (lambda x, y: np.arctan2(x.reshape(3, 3), x.reshape(3, 3).T, out=x.reshape(3, 3)), "f"),
    "a view twice": (lambda x, y: np.exp(x[1:], out=x[1:]), "f"),
    "rows": (lambda x, y: np.exp(x.reshape(3, -1)[0], out=x.reshape(3, -1)[1]), "f"),
    "a square in a view": (lambda x, y: np.square(x[::2], out=x[::2]), "D"),
    "a square of a column": (lambda x, y: x.reshape(3, -1)[:, 1].__ipow__(2), "F"),
}


@pytest.mark.parametrize("program, char", MET.values(), ids=MET)
def test_memory_that_operands_may_show(program: Any, char: str) -> None:
    for dynamic in (None, ({0: Dim.AUTO}, {0: Dim.AUTO})):
        run = export(program, (real(9, char, 0), real(9, char, 1)), dynamic_shapes=dynamic).module()
        for size in (9, 9, 9) if dynamic is None or program is MET["turned"][0] else (9, 6, 12):
            given, expected = [[real(size, char, 2), real(size, char, 3)] for _ in range(2)]
            assert run(*given).tobytes() == program(*expected).tobytes()
            assert given[0].tobytes() == expected[0].tobytes()


@pytest.mark.parametrize("char", "DF")
def test_the_last_block_has_one_element(char: str) -> None:
    with forced() as runs:
        for size in range(250, 270):
            x, y = numbers(size, char, 0), numbers(size, char, 1)
            run = export(temporaries, (x, y)).module()
            assert run(x, y).tobytes() == temporaries(x, y).tobytes()
    assert any(runs)
