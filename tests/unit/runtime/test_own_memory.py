"""Complex numbers that are computed where they stand: the bits of eager execution, and no memory more."""

from __future__ import annotations

import tracemalloc
from itertools import product
from typing import Any

import numpy as np
import pytest

from npexport import export
from npexport.runtime.memory.own_memory import updates_alike


def scaled(x: Any, y: Any) -> None:
    x *= 1.5
    x -= y


def many(x: Any, y: Any) -> None:
    x += 1.5
    x -= y
    x *= 1.5 - 2j
    x += y


def multiplied(x: Any, y: Any) -> None:
    x *= y
    x /= 3.0


def of_itself(x: Any, y: Any) -> None:
    x *= x[::-1]
    x -= x * y


def parts(x: Any, y: Any) -> None:
    x[1:] += 1.5
    x[:-1] -= y[1:]
    x[1:, ::2] *= y[1:, ::2]
    np.add(x, y, out=x)


def conjugated(x: Any, y: Any) -> Any:
    np.conjugate(x, out=x)
    z = -x + y
    np.negative(z, out=x)
    return z


ORDERS = {
    "C": lambda x: x.copy(),
    "Fortran": np.asfortranarray,
    "backwards": lambda x: x[::-1].copy()[::-1],
    "gaps": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "a part": lambda x: np.pad(x, 1)[1:-1, 1:-1],
}


def numbers(shape: tuple[int, ...], seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


@pytest.mark.parametrize("shape", [(5, 7), (60, 61)])
@pytest.mark.parametrize("program", [scaled, many, multiplied, of_itself, parts, conjugated], ids=lambda program: program.__name__)
def test_updates_have_the_bits_of_eager_execution(program: Any, shape: tuple[int, ...]) -> None:
    for one, other in product(ORDERS.values(), repeat=2):
        x, y = one(numbers(shape, 0)), other(numbers(shape, 1))
        run = export(program, (x.copy("K"), y)).module()
        for state in ("warn", "raise"):
            found, expected = one(numbers(shape, 0)), one(numbers(shape, 0))
            with np.errstate(all=state):
                results = run(found, y), program(expected, y)
            assert found.tobytes() == expected.tobytes()
            assert results[0] is results[1] is None or results[0].tobytes() == results[1].tobytes()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("program", [scaled, many], ids=lambda program: program.__name__)
def test_updates_need_no_more_memory(program: Any, order: str) -> None:
    if not updates_alike(np.multiply, "D"):
        pytest.skip("NumPy multiplies otherwise in place on this machine")
    x, y = ORDERS[order](numbers((120, 130), 0)), numbers((120, 130), 1)
    most = []
    for call in (program, export(program, (x, y)).module()):
        call(x, y)
        tracemalloc.start()
        call(x, y)  # NumPy's own buffers are part of both
        most.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert most[1] < most[0] + 4096
