"""Results that are computed where they are written: memory with gaps holds what a new array would, and loops of NumPy that are wrong there
are given none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import export
from npexport.ir.op import registered
from npexport.runtime.memory.layouts import is_elementwise_ufunc, takes_any_memory
from tests.support.loops import KINDS, UFUNCS, same_numbers, values

SIZES = (1, 2, 7, 16, 17, 33, 64, 301)
OF_NUMBERS = [name for name in UFUNCS if name != "isnat"]
RIGHT = [name for name in OF_NUMBERS if registered(f"np.{name}").traits & {"exact", "without_gaps"} == {"exact"}]


@pytest.mark.parametrize("name", RIGHT)
def test_loops_write_to_memory_with_gaps_what_new_arrays_hold(name: str) -> None:
    ufunc, compared = getattr(np, name), 0
    kinds = [char for char in KINDS if np.dtype(char).kind != "c" or "by_parts" in registered(f"np.{name}").traits]
    for char in kinds:
        for size in SIZES:
            args = [values(np.dtype(char), size, special=True, seed=number) for number in range(ufunc.nin)]
            with np.errstate(all="ignore"):
                try:
                    expected = ufunc(*args)
                except (TypeError, ValueError):
                    continue  # there is no such loop, or these numbers are refused
                for step in (2, 3, -1):
                    target = np.zeros(3 * size, expected.dtype)[::step][:size]
                    found = ufunc(*args, out=target)
                    assert same_numbers(found.copy(), expected), (char, size, step)
                    compared += 1
    assert compared


def column(x: Any, m: Any) -> None:
    m[:, 0] = np.isnan(x)


def signs(x: Any, m: Any) -> None:
    m[::2, 1] = np.signbit(x[::2])
    m.T[0] = np.isfinite(x * 2)


def made(x: Any, m: Any) -> Any:
    new = np.zeros((len(x), 3), bool)
    new[:, 1] = np.isinf(x)
    return new


def whole(x: Any, m: Any) -> None:
    m[...] = np.isnan(x)[:, None]


def in_a_loop(x: Any, m: Any) -> None:
    for k in range(m.shape[1]):
        m[:, k] = np.signbit(x - k)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("size", [5, 64, 40_000])
@pytest.mark.parametrize("program", [column, signs, made, whole, in_a_loop], ids=lambda program: program.__name__)
def test_truths_of_floats_are_written_to_columns(program: Any, size: int, threads: int) -> None:
    x = np.random.default_rng(size).standard_normal(size)
    x[::3], x[1::7], x[2::5] = np.nan, np.inf, -0.0
    with np.errstate(all="ignore"):
        for wide in (np.zeros((size, 2), bool), np.zeros((size, 4), bool)[:, ::2], np.zeros((2, size), bool).T):
            run = export(program, (x, wide.copy("K"))).module(threads=threads)
            given, expected = wide.copy("K"), wide.copy("K")
            result, wanted = run(x, given), program(x, expected)
            assert np.array_equal(given, expected) and np.array_equal(result, wanted)


def rounded(x: Any, m: Any) -> None:
    m[:, 0] = np.exp(x)
    m[:, 1] = np.sin(x) * np.tan(x)
    m[1:, 0] = np.arctan2(x[1:], x[:-1])


def test_what_is_rounded_is_written_to_an_array_with_gaps_as_it_is_beside_it() -> None:
    def program(x: Any, y: Any) -> None:
        y[...] = np.exp(x)

    x = np.random.default_rng(0).standard_normal(200_000)
    given, expected = np.zeros(400_000)[::2], np.zeros(400_000)[::2]
    export(program, (x, given)).module()(x, given)
    program(x, expected)
    assert given.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
@pytest.mark.parametrize("size", [5, 64, 301, 40_000])
def test_what_is_rounded_is_written_to_columns_as_it_is_beside_them(size: int, dtype: Any) -> None:
    x = np.random.default_rng(size).standard_normal(size).astype(dtype)
    program = rounded if x.dtype.kind == "f" else products
    for wide in (np.zeros((size, 2), dtype), np.zeros((size, 4), dtype)[:, ::2], np.zeros((2, size), dtype).T):
        given, expected = wide.copy("K"), wide.copy("K")
        export(program, (x, wide.copy("K"))).module()(x, given)
        program(x, expected)
        assert given.tobytes() == expected.tobytes()


def products(x: Any, m: Any) -> None:
    m[:, 0] = x * np.conj(x) * x
    m[:, 1] = np.abs(x) / x


def test_exact_loops_are_the_only_ones_that_are_given_such_memory() -> None:
    ep = export(lambda x: (np.isnan(x), np.sin(x), np.sqrt(x)), (np.ones(3),))
    taken = {
        node.target.name: (is_elementwise_ufunc(node), takes_any_memory(node)) for node in ep.graph.nodes if node.op == "call_function"
    }
    assert taken == {"isnan": (True, False), "sin": (True, False), "sqrt": (True, True)}
