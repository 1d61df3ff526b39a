"""Hold random programs that sort by comparisons of their own to eager execution: ``python -m tests.fuzz.compared [count] [seed]``.

Items are instances, tuples or places, compared by ``__lt__`` or `functools.cmp_to_key`: by data, in orders that are none as well, with NaN
and ties; by ``sorted``, ``list.sort`` and ``heapq``.
"""

from __future__ import annotations

import functools
import heapq
import random
from typing import Any

import numpy as np

from npexport import export
from tests.fuzz.command import compared, exported_or_why, main
from tests.support.functions import function_of
from tests.support.outcomes import outcome

TESTS = (
    "s.v < o.v", "s.v > o.v", "s.v <= o.v", "bool(s.v < o.v)", "s.v + s.w < o.v + o.w", "(s.v, s.k) < (o.v, o.k)",
    "s.v < o.v or s.w > o.w", "s.v * o.w < o.v * s.w", "s.v % 2 < o.v % 2", "s.k < o.k", "not s.v >= o.v", "s.v < o.w",
    "abs(s.v) < abs(o.v) if s.w > 0 else s.k < o.k", "x[s.k] < x[o.k]", "s.v is not o.v and s.v < o.v",
)  # fmt: skip
BODIES = (
    "return {0}", "return {0}", "if s.v == o.v: return s.k < o.k\nreturn {0}", "if s.w < 0: return -1\nreturn {0}",
    "if s.v != s.v: return False\nreturn {0}", "return {0} if s.k % 2 else {1}",
)  # fmt: skip
FUNCTIONS = (
    "a[0] - b[0]", "-1 if a[0] < b[0] else (1 if a[0] > b[0] else 0)", "b[0] - a[0]", "(a[0] > b[0]) * 1 - (a[0] < b[0]) * 1",
    "a[0] * b[1] - a[1] * b[0]", "x[a[2]] - x[b[2]]", "int(a[0]) - int(b[0])", "a[2] - b[2]",
)  # fmt: skip
PLACES = ("x[i] - x[j]", "-1 if x[i] < x[j] else 1", "int(x[j] * 2) - int(x[i] * 2)", "j - i")
ITEM = "N(x[{i}], x[({i} + 1) % 6], {i})"
MADE = ("[{each}]", "[{of_i} for i in range({count})]", "list({of_i} for i in range({count}))")
INSTANCES = (
    "L = {made}\nL.sort({r})\nreturn [{l} for e in L]", "return [{l} for e in sorted({made}{cr})]",
    "return [{l} for e in sorted(tuple({made}){cr})]",
    "h = []\nfor e in {made}: heapq.heappush(h, e)\nreturn [{l} for e in [heapq.heappop(h) for _ in range({c})]]",
    "h = {made}\nheapq.heapify(h)\na = heapq.heappop(h)\nb = heapq.heappushpop(h, N(x[0] + 1, x[1], 7))\nreturn a.v, b.k, [{l} for e in h]",
    "h = {made}\nheapq.heapify(h)\na = heapq.heapreplace(h, N(x[1], x[0], 8))\nreturn a.v, a.k, [{l} for e in h]",
    "L = {made}\nM = sorted(L{cr})\nreturn [{l} for e in L], [{l} for e in M]",
    "L = {made}\nL.sort({r})\nL[0].v = 5.0\nL.sort({r})\nreturn [{l} for e in L]",
    "L = {made}\nif x[0] > 0: L.sort({r})\nreturn [{l} for e in L]",
    "try:\n    L = sorted({made}{cr})\nexcept ZeroDivisionError:\n    return None\nreturn [{l} for e in L]",
)  # fmt: skip
SEEN = ("(e.v, e.k)", "e.v + e.w", "e.k", "(e.a.sum(), e.w)", "float(e.v)")


def _indented(text: str, by: str = "    ") -> str:
    return "\n".join(by + line for line in text.split("\n"))


def source_of(rng: random.Random) -> str:
    """A program of an array ``x``."""
    count = rng.randint(2, 6)
    reverse = rng.choice(("", "", "reverse=True"))
    if rng.random() < 0.4:
        compare, items = rng.choice(FUNCTIONS), "[(x[i], x[i - 1], i) for i in range({c})]"
        if rng.random() < 0.4:
            compare, items = rng.choice(PLACES), "range({c})"
            compare = f"lambda i, j: {compare}"
        else:
            compare = f"lambda a, b: {compare}"
        way = rng.choice(("return sorted({i}, key=key{r})", "L = list({i})\nL.sort(key=key{r})\nreturn L"))
        body = way.format(i=items.format(c=count), r=f", {reverse}" if reverse else "")
        return f"def f(x):\n    key = cmp_to_key({compare})\n{_indented(body)}\n"
    test = rng.choice(BODIES).format(rng.choice(TESTS), rng.choice(TESTS))
    each = ", ".join(ITEM.format(i=i) for i in range(count))
    made = rng.choice(MADE).format(each=each, of_i=ITEM.format(i="i"), count=count)
    body = rng.choice(INSTANCES).format(made=made, r=reverse, cr=f", {reverse}" if reverse else "", l=rng.choice(SEEN), c=count)
    cls = "class N:\n    def __init__(s, v, w, k):\n        s.v, s.w, s.k, s.a = v, w, k, x[k % 3:][:2] * v\n"
    cls += "    def __lt__(s, o):\n" + _indented(test, "        ")
    return f"def f(x):\n{_indented(cls)}\n{_indented(body)}\n"


def arrays_of(seed: int) -> list[np.ndarray[Any, Any]]:
    """The example, and others with ties and NaN."""
    rng = np.random.default_rng(seed)
    found = [rng.integers(-3, 4, 6) / 2 for _ in range(5)] + [rng.normal(size=6), np.zeros(6)]
    found[2][rng.integers(6)] = np.nan
    found[3][rng.integers(6, size=3)] = np.nan
    return found


def run(seed: int) -> str:
    """What became of the program. Raises ``AssertionError`` with the report of a difference."""
    source = source_of(random.Random(seed))
    f = function_of(source, {"np": np, "heapq": heapq, "cmp_to_key": functools.cmp_to_key})
    arrays = arrays_of(seed)
    exported = exported_or_why(source, lambda: export(f, (arrays[0],)), lambda error: (repr(error), _raised(f, arrays[0])))
    if isinstance(exported, str):
        return exported
    kind, report = compared(source, outcome, f, exported, [(each,) for each in arrays])
    assert not report, report
    return kind


def _raised(f: Any, x: Any) -> str:
    try:
        f(x)
    except Exception as error:
        return repr(error)
    return "nothing"


if __name__ == "__main__":
    main(run)
