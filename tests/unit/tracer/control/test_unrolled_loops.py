"""Loops of a known number of iterations over arrays in containers, which data end: they are unrolled."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

from npexport import Dim, Unsupported, export
from npexport.tracer.driver import exporting
from npexport.tracer.driver.trace import Trace
from tests.support.outcomes import outcome


def validated(parts):
    for number, part in enumerate(parts):
        if part.max() > 1:
            raise ValueError(f"part {number}: {np.sqrt(part.sum())}")
    return len(parts)


def returned(parts):
    for part in parts:
        if part[0] > 1:
            return part.sum() * 2
    return parts[0].mean()


def broken(parts):
    total = np.zeros(())
    for number, part in enumerate(parts, 3):
        if part[0] > 1:
            total = total + number
            break
        total = total + part.sum()
    else:
        total = total - 5
    return total


def continued(parts):
    kept = 0.0
    for part, weight in zip(parts, (1.0, 2.0, 3.0), strict=True):
        if part[0] > 1:
            continue
        if part[1] > 1:
            return kept
        kept += weight * part.sum()
    return -kept


def of_dict(parts):
    named = dict(zip("abc", parts, strict=True))
    for name, part in named.items():
        if part.max() > 1:
            return name, part * 2
    return "none", parts[0] * 3


def nested(parts):
    for one in parts:
        for other in reversed(parts):
            if one[0] - other[1] > 1:
                return one + other
    return parts[2] * 1.0


def in_loop_on_data(parts):
    size = parts[0].sum()
    while size > 0.5:
        for part in parts:
            if part[0] > size:
                size = size / 4
                break
        else:
            size = size / 2
    return size


def caught(parts):
    found = 0.0
    for part in parts:
        try:
            if part[0] > 1:
                raise KeyError("found")
            found += part.sum()
        except KeyError:
            return found * 2
        finally:
            found += 1
    return found


def of_rows(parts):
    for row, part in zip(parts[0].reshape(2, 2), parts, strict=False):
        if row[0] > 1:
            return part + row.sum()
    return parts[2] * 2


def kept(parts):
    seen = []
    for part in parts:
        seen.append(part.sum())
        if part[0] > 1:
            return sum(seen)
    return seen[0] - seen[-1]


def by_callee(parts):
    def first(values):
        for value in values:
            if value[1] > 1:
                return value * 2
        return None

    found = first(parts)
    return -1.0 if found is None else found.sum()


class Layer:
    def __init__(self, weight):
        self.weight = weight


def of_objects(parts):
    for layer in [Layer(part) for part in parts]:
        if layer.weight[0] > 1:
            break
    return layer.weight * 2


def resting(parts):
    iterator = iter(parts)
    for part in iterator:
        if part[0] > 1:
            return part.sum()
        if part is parts[1]:
            return next(iterator).sum() * 3
    return 0.0


def ended_at_once(parts):
    word = "low"
    for number in range(3):
        if (parts[0][0] > 1 or word == "low") and word != "mid":
            break
    return number


def ended_in_another(parts):
    steps, total = 0, parts[1][0]
    while total < 9.0:
        total = total + parts[0][1]
        for part in parts:
            steps += 1
            if (part[0] > 1 or steps > 0) and steps != -1:
                break
            total = total + part.sum()
    return steps, total


def ended_after_the_first(parts):
    turn, total = 0, 0.0
    while True:
        turn += 1
        if parts[0][0] > 1:
            total = total + 1.0
            if turn > 0:
                break
        else:
            total = total - parts[1][1]
            if turn < 2:
                break
    return turn, total


PROGRAMS = [validated, returned, broken, continued, of_dict, nested, in_loop_on_data, caught, of_rows, kept, by_callee, of_objects]
PROGRAMS += [ended_at_once, ended_in_another, ended_after_the_first]


def _parts(choice):
    """Arrays of which ``choice`` says where the first and the second item are above 1."""
    found = [np.arange(4.0) / 10 + place / 100 for place in range(3)]
    for place, part in enumerate(found):
        part[:2] += [2.0 * (choice >> place & 1), 2.0 * (choice >> 3 + place & 1)]
    return found


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("program", PROGRAMS)
def test_each_iteration_may_be_the_last(program, dynamic):
    def of_three(one, two, three):
        return program([one, two, three])

    sizes = ({0: Dim.AUTO},) * 3 if dynamic and program is not of_rows else None
    module = export(of_three, tuple(_parts(0)), dynamic_shapes=sizes).module()
    for choice in range(0, 64, 1 if program is nested else 3):
        assert outcome(module, tuple(_parts(choice))) == outcome(of_three, tuple(_parts(choice))), choice


def test_an_iterator_that_somebody_else_holds():
    module = export(resting, (_parts(0),)).module()
    for choice in range(64):
        assert outcome(module, (_parts(choice),)) == outcome(resting, (_parts(choice),)), choice


def test_a_loop_that_changes_what_it_goes_over_is_refused():
    def program(parts):
        for part in parts:
            if part[0] > 1:
                return part.sum()
            if len(parts) < 5:
                parts.append(part + 1)
        return -1.0

    with pytest.raises(Unsupported, match="changes the list that it iterates over"):
        export(program, (_parts(0),))


def test_a_long_loop_is_not_unrolled():
    def program(parts):
        for part in parts:
            if part[0] > 1:
                return part.sum()
        return 0.0

    with pytest.raises(Unsupported, match="cannot be one node"):
        export(program, ([np.arange(4.0) / 10 for _ in range(50)],))


def test_runs_end(monkeypatch):
    """Two loops, each a little too long for the run before, and a refusal in the run of which both are nodes."""
    runs = []

    def counted(*args):
        runs.append(args[-1].unroll)
        assert len(runs) < 20, runs
        return Trace(*args)

    def program(x):
        total = 0.0
        for k in range(6):
            if x[k] > total:
                total = total + x[k]
        for k in range(5):
            if x[k] < total:
                total = total - x[k]
        return zlib.crc32(x + total)

    monkeypatch.setattr(exporting, "Trace", counted)
    with pytest.raises(Unsupported, match="crc32"):
        export(program, (np.arange(6.0),))
    assert len(runs) > 2
