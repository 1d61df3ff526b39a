"""Records (``np.void``) that a program is given, keeps or returns are views: what their holders write is seen in the array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.forms import reloaded
from tests.support.functions import function_of

DTYPE = [("a", "i4"), ("b", "f8")]
OUTSIDE = np.array([(5, 6.0), (7, 8.0)], DTYPE)

RETURNED = [
    "r[0]", "r[0], r", "[r[0], r[0], r[1]]", "r[:1][0], r[:1]", "r[0].copy(), r", "r[::-1][0], r[::-1]", "[v for v in r]",
    "OUTSIDE[0]", "OUTSIDE[-1], OUTSIDE", "q[0]", "q[-1], q", "q[0], q[0]", "[q[0]] * 2", "q[0], q['b']",
    "np.stack([r, q])[0][1]", "r[r['b'] >= 0][0]", "n[0], n[0]['d']", "n[0]['d'], n",
]  # fmt: skip
WRITES = ["pass", "r['b'] = x[:2]", "v = r[0]; v['b'] = x[0]", "s = r[::-1]; s['b'] += x[1]", "q['b'] += x[:2]", "n['d']['b'] = 3"]


def _poke(value: Any) -> None:
    """Write to all that a caller holds."""
    if isinstance(value, (list, tuple)):
        for item in value:
            _poke(item)
    elif isinstance(value, (np.void, np.ndarray)) and value.dtype.names:
        for number, name in enumerate(value.dtype.names):
            _poke(value[name])
            if not value.dtype[name].names:
                value[name] = np.asarray(value[name]) * 2 + number + 1


def _seen(function: Any) -> list[str]:
    x, r, found = np.arange(1.0, 4.0), np.array([(1, 2.5), (3, 4.5)], DTYPE), []
    OUTSIDE["b"] = 6, 8
    for _ in range(2):
        result = function(x, r)
        found.append(repr((result, r)))
        _poke(result)
        found.append(repr((result, r)))
        _poke(r)
        found.append(repr((result, r)))
    return found


@pytest.mark.parametrize("write", WRITES)
def test_records_in_results_are_views_of_what_eager_execution_shows(write: str) -> None:
    for value in RETURNED:
        made = f"q = np.array([(1, 2.0), (3, 4.0)], {DTYPE})\n    n = np.zeros(2, [('d', {DTYPE}), ('e', 'i2')])\n    result = {value}"
        program = function_of(f"def program(x, r):\n    {made}\n    {write}\n    return result\n", {"np": np, "OUTSIDE": OUTSIDE})
        exported = export(program, (np.arange(1.0, 4.0), np.zeros(2, DTYPE)))
        expected = _seen(program)
        assert _seen(exported.module()) == expected, value
        assert "OUTSIDE" in value or _seen(reloaded(exported).module()) == expected, value


class Kept:
    def __init__(self) -> None:
        self.records = np.zeros(2, DTYPE)
        self.last = np.zeros(1, DTYPE)[0]
        self.mine = self.records[1]


def _keeps(self: Any, x: Any) -> Any:
    before, self.last = self.last["b"], self.records[0]
    return before


def _keeps_a_copy(self: Any, x: Any) -> Any:
    self.last = np.array([(1, 2.0)], DTYPE)[0].copy()
    return self.last


def _writes_below(self: Any, x: Any) -> Any:
    self.records["b"] += x
    return self.mine["b"]


@pytest.mark.parametrize(("call", "code"), [(_keeps, "E112"), (_keeps_a_copy, "E112"), (_writes_below, "E123")])
def test_state_holds_arrays_and_no_records(call: Any, code: str) -> None:
    with pytest.raises(Unsupported, match=code) as refusal:
        export(type("Keeping", (Kept,), {"__call__": call})(), (np.ones(2),))
    assert "record" in str(refusal.value)


GIVEN = {"v['b'] = x[0]": False, "r['b'] = x[:2]": False, "v.view()['b'] = 2": False, "y = v['b'] + x": True, "v = r[0]; v['b'] = 7": False}
"""What is done with a record that is an input, and whether it can be."""


@pytest.mark.parametrize("line", GIVEN)
def test_records_that_are_inputs_are_only_read(line: str) -> None:
    program = function_of(f"def program(v, r, x):\n    w = v['b'] * 2\n    {line}\n    return w, v, v['b'], r\n")
    records = np.zeros(2, DTYPE)
    if not GIVEN[line]:
        with pytest.raises(Unsupported, match=r"E123.*the input `v` is a record"):
            export(program, (records[0], records, np.ones(3)))
        return
    run = export(program, (records[0], records, np.ones(3))).module()
    mine, theirs = (np.array([(1, 2.5), (3, 4.5)], DTYPE) for _ in range(2))
    assert repr(run(mine[0], mine, np.ones(3))) == repr(program(theirs[0], theirs, np.ones(3)))
