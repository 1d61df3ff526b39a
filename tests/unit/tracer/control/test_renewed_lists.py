"""Lists that are begun anew where data say so (``segments.append(part); part = []`` beside
``part.append(v)``): equal to eager execution at any size, saved and loaded, and decomposed.
"""

from __future__ import annotations

from typing import Any

import pytest

from npexport import Dim, ExportError, export
from tests.support.any_size import arguments, exported, program_of
from tests.support.forms import reloaded
from tests.support.outcomes import outcome
from tests.support.shards import shard

ANY_SIZE = {
    "emptied": "c = []\nfor v in x:\n  if v > 0: c = []\n  else: c.append(v)\nreturn c",
    "begun with an item": "c = []\nfor v in x:\n  if v > 0: c = [v]\n  else: c.append(v)\nreturn len(c), sum(c)",
    "begun with its items": "c = [0.0]\nfor v in x:\n  if len(c) > 3: c = [c[0], c[-1]]\n  else: c.append(v)\nreturn c",
    "lengths of runs": "c, out = [], []\nfor v in x:\n  if v > 0: out.append(len(c)); c = []\n  else: c.append(v)\nreturn out",
    "segments": (
        "out, c = [], [x[0]]\nfor i in range(1, len(x)):\n  if x[i] > x[i - 1]: c.append(x[i])\n  else:\n    out.append(c)\n"
        "    c = [x[i]]\nout.append(c)\nreturn out"
    ),
    "segments that are copied": (
        "out, c = [], []\nfor v in x:\n  if v > 0:\n    out.append(list(c))\n    c.clear()\n  else: c.append(v)\nreturn out, c"
    ),
    "segments that are not empty": (
        "out, c = [], []\nfor v in x:\n  if v > 0:\n    c.append(v)\n  elif c:\n    out.append(c)\n    c = []\n"
        "if c: out.append(c)\nreturn out"
    ),
    "the longest run": (
        "best, c = [], []\nfor v in x:\n  if v < 0: c = []\n  else: c.append(v)\n  if len(c) > len(best): best = list(c)\nreturn best, c"
    ),
    "a path that goes on": "c = []\nfor v in x:\n  if v > 0:\n    c = []\n    continue\n  c.append(v)\n  if len(c) > 4: break\nreturn c",
    "in every iteration": "c = []\nfor v in x:\n  if v > 0: c = c + [v]\n  else: c = [v, v]\nreturn c",
    "each list follows from the last": "c = [1.0]\nfor v in x: c = [w + v for w in c if w > v] + [v]\nreturn c",
    "tuples": "c = []\nfor i, v in enumerate(x):\n  if v > 0: c = [(i, v)]\n  else: c.append((i, v))\nreturn c",
    "numbers of several kinds": "c = []\nfor i, v in enumerate(x):\n  if v > 0: c = [i]\n  else: c.append(v)\nreturn c",
    "an attribute": (
        "class Box: pass\nb = Box()\nb.c = []\nfor v in x:\n  if v > 0: b.c = []\n  else: b.c.append(v)\nreturn b.c"
    ),
}  # fmt: skip
HELD = {
    "by another variable": "c, d = [], None\nd = c\nfor v in x:\n  if v > 0: c = []\n  else: c.append(v)\nreturn c, d, c is d",
    "by a list": "c = [0.0]\nall_ = [c]\nfor v in x:\n  if v > 0: c = []\n  else: c.append(v)\nreturn c, all_",
    "by a function": "c = [0.0]\nread = lambda d=c: len(d)\nfor v in x:\n  if v > 0: c = []\n  else: c.append(v)\nreturn c, read()",
    "by a method": "c = [0.0]\nadd = c.append\nfor v in x:\n  if v > 0: c = []\n  else: add(v)\nreturn c, add.__self__",
    "by an iterator": "c = [5.0, 6.0]\ni = iter(c)\nfor v in x[:3]:\n  if v > 0: c = []\n  else: c.append(v)\nreturn c, next(i)",
    "by the next one": "a, b = [], []\nfor v in x:\n  if v > 0: a, b = b, []\n  else: b.append(v)\nreturn len(a), b",
    "by a list from then on": (
        "c, all_ = [0.0], []\nfor v in x:\n  if v > 0:\n    d = [v]\n    all_.append(d)\n    c = d\n  else: c.append(v)\nreturn c, all_"
    ),
    "by a list of copies": (
        "c, all_ = [0.0], []\nfor v in x:\n  if v > 0:\n    d = list(c)\n    all_.append(d)\n    c = d\n  else: c.append(v)\n"
        "return len(c), all_"
    ),
    "from then on": "c, old = [], []\nfor v in x:\n  if v > 0:\n    old = c\n    c = []\n  else: c.append(v)\nreturn c, old",
    "twice from then on": "c, old = [], []\nfor v in x:\n  if v > 0: c = old = []\n  else: c.append(v)\nreturn c, old, c is old",
}


@pytest.mark.parametrize("name", shard(ANY_SIZE, 2))
def test_they_give_what_they_give_eagerly(name: str) -> None:
    found, program = exported(ANY_SIZE[name], 1), program_of(ANY_SIZE[name])
    modules = [found.module(), reloaded(found).module(), found.run_decompositions().module()]
    for size in (1, 2, 3, 5, 9):
        wanted = outcome(program, arguments(size))
        for module in modules:
            assert outcome(module, arguments(size)) == wanted, size


@pytest.mark.parametrize("name", shard(ANY_SIZE, 2))
def test_so_they_do_at_the_size_of_the_example(name: str) -> None:
    _require_equal(ANY_SIZE[name], None)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", HELD)
def test_lists_that_something_else_holds_stay_what_they_are_or_are_refused(name: str, dynamic: bool) -> None:
    try:
        _require_equal(HELD[name], Dim.DYNAMIC if dynamic else None)
    except ExportError as refusal:
        assert refusal.code in ("E103", "E104", "E301")


def _require_equal(body: str, size: Any) -> None:
    program = program_of(body)
    module = export(program, arguments(5), dynamic_shapes=({0: size}, {0: size}) if size else None).module()
    for signs in range(32):
        x, y = arguments(5)
        x = abs(x) * [1 if signs >> place & 1 else -1 for place in range(5)]
        assert outcome(module, (x, y)) == outcome(program, (x, y))


def test_a_constant_that_was_put_into_a_list_in_a_try_that_was_given_up_is_not_written_to() -> None:
    body = "out, c = [], [1.0, 2.0]\nfor i in range(1, len(x)):\n  out.append(c)\n  c = [x[i]]\nreturn out"
    found, program = exported(body, 1), program_of(body)
    for size in (1, 2, 5):
        assert outcome(found.module(), arguments(size)) == outcome(program, arguments(size))
