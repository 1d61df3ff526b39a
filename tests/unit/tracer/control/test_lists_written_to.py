"""Items of lists whose length only sizes or data know, written to: in lists, in lists of lists, by
every name that an item has; equal to eager execution, exported, saved and loaded, and decomposed.
"""

from __future__ import annotations

import pytest

from npexport import Dim, ExportError, export
from tests.support.any_size import arguments, exported, program_of
from tests.support.forms import reloaded
from tests.support.outcomes import outcome
from tests.support.shards import shard

ANY_SIZE = {
    "at the counter": "out = [v * 2 for v in x]\nfor i in range(len(x)): out[i] = x[i] - i\nreturn out",
    "at places of data": "out = [0] * 4\nfor v in y: out[v % 4] += 1\nreturn out, sum(out)",
    "as many as a size says": "out = [0] * len(x)\nfor i in range(len(x)): out[i] = i * 3\nreturn out, len(out)",
    "of a range": (
        "out = list(range(len(x)))\nfor i in range(len(x)): out[i] = out[len(x) - 1 - i]\n"
        "return out, list(range(1, len(x), 2))"
    ),
    "in an iteration that data end": (
        "out, k = [0] * (len(x) + 1), 0\nwhile x.sum() > k / 2 and k < len(x):\n  out[k] = k + 7\n  k += 1\n"
        "return out"
    ),
    "on a side": "out = [v for v in x]\nfor i in range(len(x)):\n  if x[i] > 0: out[i] = -x[i]\nreturn out",
    "increasing subsequence": (
        "tails = []\nfor v in x:\n  lo, hi = 0, len(tails)\n  while lo < hi:\n    mid = (lo + hi) // 2\n"
        "    if tails[mid] < v: lo = mid + 1\n    else: hi = mid\n  if lo == len(tails): tails.append(v)\n  else: tails[lo] = v\n"
        "return tails, len(tails)"
    ),
    "rows": "t = [[v, -v] for v in x]\nfor i in range(len(x)): t[i][1] = x[i] * i\nreturn t",
    "rows by their names": (
        "t = [[v, -v] for v in x]\nfor row in t: row[0] = row[1] * 2\n"
        "for i, row in enumerate(t): row[1] = row[0] - i\nreturn t"
    ),
    "rows of rows": "t = [[[v, 1.0 * v], [v, v]] for v in x]\nfor r in t:\n  r[0][1] = r[1][0] * 3\nreturn t",
    "a row of known length": (
        "t = [[0] * 3 for _ in x]\nfor i in range(len(x)):\n"
        "  for j in range(3): t[i][j] = i * j + y[i].item()\nreturn t"
    ),
    "sides of a row": "t = [[v, -v] for v in x]\nfor r in t:\n  if r[0] > 0: r[1] = r[0] * 4\nreturn t",
    "common subsequence": (
        "n, m = len(x), len(y)\nt = [[0] * (m + 1) for _ in range(n + 1)]\nfor i in range(1, n + 1):\n  for j in range(1, m + 1):\n"
        "    if y[i - 1] == y[m - j]: t[i][j] = t[i - 1][j - 1] + 1\n    else: t[i][j] = max(t[i - 1][j], t[i][j - 1])\nreturn t[n][m]"
    ),
    "squares of sizes": (
        "n = len(x)\nt = [[0] * n for _ in range(n)]\nfor i in range(n): t[i][n - 1 - i] = i + 1\n"
        "return sum(sum(r) for r in t)"
    ),
    "a row in the place of another": "t = [[v, v] for v in x]\nfor i in range(len(x)): t[i] = [t[i][1] * 3, x[0]]\nreturn t",
    "rows that are taken, and read before": (
        "t = []\nfor v in x:\n  t.append([v, v])\n  while len(t) > 1 and t[-2][0] > t[-1][0]:\n    a = t.pop()\n"
        "    t[-1][1] = t[-1][1] + a[1]\nreturn t"
    ),
    "rows that are turned round, sorted and moved": (
        "t = [[v, -v] for v in x]\nt.reverse()\nfor r in t: r[1] = r[0] * 2\nt.sort()\nt.insert(0, [y.sum() * 1.0, 2.0 * len(x)])\nreturn t"
    ),
    "out of range": "out = [v for v in x]\nout[int(y[-1]) + 2] = 1.0 * x.sum()\nreturn out",
    "out of range below": "out = [v for v in x]\nout[-int(y[-1]) - 2] = 1.0 * x.sum()\nreturn out",
    "out of a row": "t = [[v, v] for v in x]\nfor i in range(len(x)): t[i][y[i] % 3] = x[i]\nreturn len(t)",
    "read before and after": "t = [[v, v] for v in x]\ns = 0.0\nfor r in t:\n  s += r[0]\n  r[0] = 1.0 * x[0]\n  s += r[0]\nreturn s, t",
}  # fmt: skip
"""Programs that are captured for any size."""

REFUSED = {
    "longer": ("t = [[v, v] for v in x]\nt[0].append(x[0])\nreturn len(t)", "is an item of another list"),
    "a copy holds it": ("t = [[v, v] for v in x]\nu = t.copy()\nu[0][0] = x[0] * 4\nreturn t[0][0]",
    "items other lists or variables hold"),
    "written, then copied": ("t = [[v, v] for v in x]\nt[0][0] = x[0] * 4\nu = t[1:]\nreturn u", "are written to, and that other lists"),
    "put elsewhere": (
        "t, u = [[v, v] for v in x], [[v, v] for v in x]\nu.append(t[0])\nt[0][0] = x[0] * 3\nreturn u[-1][0]",
        "items other lists or variables hold",
    ),
    "in the place of a row": ("t = [[v, v] for v in x]\nr = t[0]\nt[0] = [x[1], x[1]]\nr[0] = x[1] * 3\nreturn t[0][0]", "replaces a list"),
    "turned round": ("t = [[v, v] for v in x]\nr = t[0]\nt.reverse()\nr[0] = x[1] * 3\nreturn t", "moves a list"),
    "moved by another": ("t = [[v, v] for v in x]\nr = t[0]\nt.insert(0, [x[1], x[1]])\nr[0] = x[1] * 3\nreturn t", "moves a list"),
    "given up": ("t = [[v, v] for v in x]\nr = t[-1]\nt.pop()\nt.append([x[0], x[0]])\nreturn r[0]", "loses a list"),
    "of several kinds by data": (
        "t = [[v, i] for i, v in enumerate(x)]\nt[0][y[0] % 2] = x[0]\nreturn t",
        "at a place that only sizes or data know",
    ),
}  # fmt: skip
"""By name, a program, and part of what the message says."""

AS_THE_EXAMPLE = {
    "of rows that are held": (
        "t = []\nfor i in range(len(x)):\n  r = [0] * len(x)\n  t.append(r)\n  t[i][0] = 5\n  t[i][1] = r[0]\nreturn t[0], t[-1]"
    ),
    "one row again and again": "t, r = [], [x[0], x[1]]\nfor v in x:\n  r[0] = v\n  t.append(r)\n  t[0][1] = 7.0 * v\nreturn t",
    "a row in two lists": "t, u = [], []\nfor v in x:\n  r = [v, v]\n  t.append(r)\n  u.append(r)\n  r[0] = v * v\nreturn t, u",
    "a list of a list again and again": "t = [[0] * len(x)] * 3\nt[0][1] = 5\nreturn t[2][1]",
    "other kinds": "t = [0] * len(x)\nt[0] = 'a'\nreturn t[0], len(t)",
}
"""Programs that are exported for the size of the example alone."""


@pytest.mark.parametrize("name", shard(ANY_SIZE, 2))
def test_they_give_what_they_give_eagerly(name: str) -> None:
    found = exported(ANY_SIZE[name], 0)
    modules = [found.module(), reloaded(found).module(), found.run_decompositions().module()]
    for size in (0, 1, 2, 3, 5, 9):
        wanted = outcome(program_of(ANY_SIZE[name]), arguments(size))
        for module in modules:
            assert outcome(module, arguments(size)) == wanted, size


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_be_two_lists_is_refused(name: str) -> None:
    body, message = REFUSED[name]
    with pytest.raises(ExportError) as refusal:
        exported(body, 2)
    assert refusal.value.code == "E103"
    assert message in refusal.value.message


@pytest.mark.parametrize("name", AS_THE_EXAMPLE)
def test_what_cannot_be_told_apart_is_as_it_is_eagerly(name: str) -> None:
    program = program_of(AS_THE_EXAMPLE[name])
    module = export(program, arguments(5), dynamic_shapes=({0: Dim.AUTO}, {0: Dim.AUTO})).module()
    assert outcome(module, arguments(5)) == outcome(program, arguments(5))


@pytest.mark.parametrize("name", [*ANY_SIZE, *REFUSED])
def test_lists_of_the_size_of_the_example_are_as_they_are_eagerly(name: str) -> None:
    body = ANY_SIZE[name] if name in ANY_SIZE else REFUSED[name][0]
    module = export(program_of(body), arguments(5)).module()
    assert outcome(module, arguments(5)) == outcome(program_of(body), arguments(5))
