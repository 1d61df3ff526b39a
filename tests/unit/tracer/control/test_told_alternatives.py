"""Messages name each kind of value among which data decide once."""

from __future__ import annotations

import pytest

from npexport.tracer.control.leaves import union_of

PAIR, SINGLE = {"gain": 1.0, "place": 2}, {"gain": 0.0}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([PAIR, SINGLE], "a dict of 2 items, or a dict of 1 item"),
        ([PAIR, dict(PAIR), SINGLE, dict(PAIR)], "a dict of 2 items, or a dict of 1 item"),
        ([PAIR, dict(PAIR)], "a dict of 2 items, or a dict of 2 items"),
        ([PAIR, dict(PAIR), dict(PAIR)], "a dict of 2 items, or another"),
    ],
)
def test_kinds_are_named_once(options, told):
    assert union_of([False] * (len(options) - 1), options, "best").text == told
