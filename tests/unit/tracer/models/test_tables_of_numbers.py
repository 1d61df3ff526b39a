"""Lists and tuples of hundreds of plain numbers that are read at places which data decide: tables of logarithms, of codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.outcomes import outcome

EXP, LOG = [0] * 512, [0] * 256
value = 1
for power in range(255):
    EXP[power] = EXP[power + 255] = value
    LOG[value] = power
    value = value << 1 ^ (0x11D if value & 0x80 else 0)
ROOTS = tuple(n**0.5 for n in range(100))


def product(a: int, b: int) -> int:
    return 0 if a == 0 or b == 0 else EXP[LOG[a] + LOG[b]]


def multiplied(x: Any) -> Any:
    return product(int(x[0]), int(x[1]))


def check_symbols(x: Any) -> Any:
    out = [int(v) for v in x] + [0, 0]
    for i in range(4):
        if out[i] != 0:
            for j, factor in enumerate((3, 2), 1):
                out[i + j] ^= product(factor, out[i])
    return np.array(out[4:])


def roots(x: Any) -> Any:
    return [ROOTS[int(x[0]) % 120], ROOTS[-int(x[1]) % 100 - 100]]


@pytest.mark.parametrize("f", [multiplied, check_symbols, roots], ids=lambda f: f.__name__)
def test_numbers_are_read_from_tables(f: Any) -> None:
    run = export(f, (np.array([7, 200, 0, 33]),)).module()
    for seed in range(20):
        args = (np.random.default_rng(seed).integers(0, 256, 4) * (np.arange(4) != seed),)
        assert outcome(run, args) == outcome(f, args)


def test_a_table_from_outside_is_not_written_to() -> None:
    table = [0] * 100

    def program(x: Any) -> Any:
        table[int(x[0])] = 1
        return table[0]

    with pytest.raises(Unsupported) as found:
        export(program, (np.array([7]),))
    assert found.value.code == "E104"
