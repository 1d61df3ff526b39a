"""Loops whose instructions were made fewer do in every iteration what those that were written first do, and leave it where they do."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from npexport import export
from npexport.runtime.machine import loop_assembler, loop_machine
from npexport.runtime.machine.register_moves import shortened

pytestmark = pytest.mark.skipif(not loop_machine.is_built(), reason="the C extension was not built")

NUMBERS = np.random.default_rng(3).integers(0, 9, 40)


def _cache(x):
    cache, hits = [], 0
    for v in x.tolist():
        if v in cache:
            hits += 1
            cache.remove(v)
        elif len(cache) == 4:
            cache.pop(0)
        cache.append(v)
    return hits


def _overflows(x):
    a, b, swapped = 1, 1, 0
    for v in x.tolist():
        a, b = b, a * (v + 2)
        if v % 2:
            a, b, swapped = b, a, swapped + 1
    return a, b, swapped


def _nested(x):
    rows = x.tolist()
    found = [0] * 10
    for i in range(len(rows)):
        j = i
        while j > 0 and rows[j - 1] > rows[j]:
            rows[j - 1], rows[j] = rows[j], rows[j - 1]
            found[rows[j]] += 1
            j -= 1
    return rows, found


def _merged(x):
    a, b, out = x[:20].tolist(), x[20:].tolist(), []
    i = j = 0
    while i < len(a) or j < len(b):
        if j >= len(b) or (i < len(a) and a[i] <= b[j]):
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    return out


def _floats(x):
    least, most, count = 1e300, -1e300, 0
    for v in x.tolist():
        w = v * 0.5 - least
        if w < most:
            least, count = most, count + 1
        most = w if w > 0 else -w
    return least, most, count


def _windows(x):
    q, total, found = [], 0, []
    for v in x.tolist():
        q.append(v)
        total += v
        if len(q) > 5:
            total -= q.pop(0)
        if v % 2:
            found.append(total)
    return found


PROGRAMS = [_cache, _overflows, _nested, _merged, _floats, _windows]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_every_number_of_iterations_is_the_same(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both machines of a loop get what the program gives it, and make no iterations, one, two and so on."""
    machine_of, calls = loop_machine.machine_of, list[int]()

    def both(loop: Any, places: Any = ()) -> Any:
        machine = machine_of(loop, places)
        with pytest.MonkeyPatch.context() as as_written:
            as_written.setattr(loop_assembler, "shortened", lambda code, *_: code)
            other = machine_of(loop, places)

        def call(*values: Any) -> Any:
            for most in range(60):
                given = [[value.copy() if isinstance(value, np.ndarray) else value for value in _unlisted(values)] for _ in range(2)]
                assert repr(machine.some(most, *given[0])) == repr(other.some(most, *given[1]))
                assert repr(given[0]) == repr(given[1])
            calls.append(len(values))
            return machine(*values)

        call.some = machine.some  # type: ignore[attr-defined]
        return call

    monkeypatch.setattr(loop_machine, "machine_of", both)
    run = export(program, (NUMBERS,)).module()
    for seed in range(3):
        x = np.random.default_rng(seed).integers(0, 9, 40)
        assert repr(run(x)) == repr(program(x))
    assert calls


def _unlisted(values: tuple[Any, ...]) -> list[Any]:
    return [value[:] if isinstance(value, list) else value for value in values]


NAMES = ["move", "add", "lt", "jump", "if", "unless", "tick", "say"]
MOVE, ADD, LT, JUMP, IF, UNLESS, TICK, SAY = range(len(NAMES))


def test_a_carry_is_not_written_before_what_may_leave() -> None:
    """The first sum may not go to its carry, since the second may leave; the second may."""
    code = [
        [UNLESS, 0, 0, 8], [TICK, 0, 0, 0], [ADD, 5, 1, 3], [ADD, 6, 2, 3], [MOVE, 1, 5, 0], [MOVE, 2, 6, 0], [LT, 0, 1, 4],
        [JUMP, 0, 0, 0], [SAY, 0, 0, 0],
    ]  # fmt: skip
    found = shortened(code, NAMES, 3, 5, ())
    assert [ADD, 1, 1, 3] not in found
    assert [ADD, 2, 2, 3] in found


def test_random_moves_between_registers_give_the_same() -> None:
    """Straight code of moves and sums between registers that are needed afterwards."""
    draw = random.Random(1)
    for _ in range(300):
        carries = 3
        code = [[draw.choice((MOVE, LT)), draw.randrange(0, 9), draw.randrange(0, 9), draw.randrange(0, 9)] for _ in range(12)]
        code.append([SAY, 0, 0, 0])
        found = shortened([each[:] for each in code], NAMES, carries, carries, ())
        first = [draw.randrange(5) for _ in range(carries)] + [0] * 6
        assert _ran(found, first)[:carries] == _ran(code, first)[:carries]


def _ran(code: list[list[int]], first: list[int]) -> list[int]:
    registers = first[:]
    for name, a, b, c in code:
        if name in (MOVE, LT):
            registers[a] = registers[b] if name == MOVE else int(registers[b] < registers[c])
    return registers
