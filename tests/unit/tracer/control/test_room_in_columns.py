"""Lists and dicts of pairs of a number and a row, that loops in loops fill: their columns have the
same room, and what follows reads, orders and changes them as one list.
"""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.functions import function_of
from tests.support.outcomes import outcome

FILLED = {
    "a while in a for": """
for i in range(len(x)):
    while abs(s) > 0.2:
        s = s * 0.5
        pairs.append((y[i].item(), m[i] * 2))
        rows[y[i].item()] = m[i] * 2
    pairs.append((y[i].item(), m[i]))
    rows[y[i].item()] = m[i] * 3
""",
    "a for in a for": """
for i in range(len(x)):
    for j in range(y[i].item()):
        if x[i] > 0:
            pairs.append((j, m[i] * 2))
            rows[y[i].item()] = m[i] * 2
    pairs.append((y[i].item(), m[i]))
    rows[y[i].item()] = m[i] * 3
""",
}
READ = {
    "an entry": "return rows[y[0].item()].sum()",
    "entries in order": "return [row.sum() for key, row in sorted(rows.items(), key=lambda pair: pair[0])]",
    "without an entry": "del rows[y[0].item()]\nreturn [row.sum() for row in rows.values()]",
    "in order": "pairs.sort(key=lambda pair: pair[0])\nreturn [row.sum() for _, row in pairs]",
    "one more in front": "pairs.insert(0, (7, m[0]))\nreturn [key for key, _ in pairs], [row.sum() for _, row in pairs]",
    "without the first": "pairs.pop(0)\nreturn [row.sum() for _, row in pairs]",
    "the least": "return min(pairs, key=lambda pair: pair[0])[1].sum()",
    "stacked": "return np.stack([row for _, row in pairs])",
}


@pytest.mark.parametrize("read", READ)
@pytest.mark.parametrize("filled", FILLED)
def test_pairs_are_one_list(filled: str, read: str) -> None:
    body = f"s, pairs, rows = x.sum(), [], {{}}\n{FILLED[filled]}{READ[read]}"
    f = function_of(f"def f(x, y, m):\n{textwrap.indent(body, '    ')}", {"np": np})
    n, rng = Dim("n", min=1), np.random.default_rng(0)

    def inputs(size: int) -> tuple[np.ndarray, ...]:
        return rng.normal(size=size), rng.integers(0, 4, size), rng.normal(size=(size, 3))

    module = export(f, inputs(5), dynamic_shapes=({0: n}, {0: n}, {0: n})).module()
    for size in (1, 2, 3, 5, 8, 13):
        args = inputs(size)
        assert outcome(module, args) == outcome(f, args)
