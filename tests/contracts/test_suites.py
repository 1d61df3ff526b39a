"""How the suites of ``.ci/run`` divide the tests: what one of them leaves out, others run."""

import re
import tomllib
from types import SimpleNamespace

from tests.support import shards
from tests.support.paths import ROOT, TESTS
from tests.support.shards import FRAMES, KINDS, OF_CPYTHON, is_drawn

WITH, WITHOUT = range(1, KINDS, 2), range(0, KINDS, 2)


def cases(file, slow=False, fixtures=()):
    """A hundred cases of a test, as far as a draw looks at them."""
    marker = {"slow": True} if slow else {}
    return [
        SimpleNamespace(nodeid=f"{file}::test[{number}]", path=TESTS / file, fixturenames=fixtures, get_closest_marker=marker.get)
        for number in range(100)
    ]


def drawn(items, suite, kind):
    return {item.nodeid for item in items if is_drawn(item, suite, kind)}


def test_suites_draw_different_cases():
    items = cases("contracts/test_suites.py")
    ninths = [drawn(items, "other", kind) for kind in range(KINDS)]
    assert sum(map(len, ninths)) == len(set().union(*ninths)) > 50
    assert all(5 < len(ninth) < 20 for ninth in ninths)
    assert len(drawn(items, "newest", KINDS - 1)) > 10
    assert len(drawn(items, "", 1)) == len(items)
    assert len(drawn(items, "readme", 1)) > 7


def test_every_case_is_drawn_by_some_commit(monkeypatch):
    items = cases("contracts/test_suites.py")
    for suite, kind in [("other", kind) for kind in range(KINDS)] + [("newest", KINDS - 1)]:
        found = set()
        for commit in map(str, range(60)):
            monkeypatch.setattr(shards, "DRAW", commit)
            found |= drawn(items, suite, kind)
        assert len(found) == len(items)


def test_what_depends_on_the_suite_is_whole_in_each():
    frames, hooks = cases(str(FRAMES.relative_to(TESTS) / "test_answer.py")), cases("contracts/test_suites.py", fixtures=("frame_hook",))
    for kind in range(KINDS):
        assert len(drawn(frames, "other", kind)) == len(drawn(hooks, "other", kind)) == 100
    for room in OF_CPYTHON:
        assert all(len(drawn(cases(str(room.relative_to(TESTS) / "test_any.py")), "other", kind)) == 100 for kind in WITH)
    packages = cases("unit/ir/ops/test_scipy.py")
    assert len(drawn(packages, "newest", KINDS - 1)) == 100, "no other suite has SciPy"


def test_most_slow_tests_are_run_by_the_newest():
    slow = cases("contracts/test_suites.py", slow=True)
    assert len(drawn(slow, "newest", KINDS - 1)) > 10
    assert all(0 < len(drawn(slow, "other", kind)) < 12 for kind in WITHOUT)


def test_wheels_are_tested_with_every_extension():
    command = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["cibuildwheel"]["test-command"]
    runtime = {f"npexport.runtime.{path.stem}" for path in (ROOT / "runtime").glob("_*.c")}
    assert runtime and runtime <= set(re.findall(r"[\w.]+", command)) and "frame_hook" in command
