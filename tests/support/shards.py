"""What the suites of ``.ci/run`` divide among them: one runs on each CPython, with the extension and without it.

Long walks are taken in shards, so that all suites together take the whole; ``NPEXPORT_WHOLE=1`` takes the whole at once.
``NPEXPORT_SUITE`` says that a suite draws from the other cases: what does not depend on the CPython or the frame hook need
not be run by each. ``NPEXPORT_DRAW`` is the seed, for which ``.ci/run`` takes the commit: the next commit draws other cases.
"""

from __future__ import annotations

import functools
import os
import random
import re
import sys
import zlib
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.support.paths import TESTS

Case = TypeVar("Case")

KINDS = 6
"""CPython 3.11 to 3.13, with and without the extension; a newer one takes shards again."""
EXTENSION = find_spec("npexport.tracer.frames._evalframe") is not None
KIND = 2 * (sys.version_info.minor - 11) + EXTENSION
"""The number of the one that is running."""
WHOLE = os.environ.get("NPEXPORT_WHOLE") == "1"
DRAW = os.environ.get("NPEXPORT_DRAW", "")
SUITE = os.environ.get("NPEXPORT_SUITE", "")
ONE_IN = {"": (1, 1), "readme": (8, 8), "newest": (6, 6), "other": (9, 18)}
"""A suite takes one case in so many, and one in so many that are marked ``slow``.

The suites that take ninths take different ones. README's command takes an eighth that is always the same.
"""
TAKEN = 2
"""README's command takes one in so many cases of its shards, so that it ends soon; the other suites draw from those, too."""
FRAMES = TESTS / "unit/tracer/frames"
OF_CPYTHON = tuple(TESTS / room for room in ("conformance/python", "unit/tracer/bytecode", "unit/tracer/interpreter"))
"""The rooms about the bytecode of a CPython: whole on each, with the extension."""
PACKAGES = TESTS / "conformance/packages"
_NEEDS_PACKAGES = re.compile("importorskip|find_spec")


def is_drawn(item: pytest.Item, suite: str = SUITE, kind: int = KIND) -> bool:
    """Whether a suite runs a case: always what is about frames, and what only such a suite can run."""
    usual, slow = ONE_IN[suite]
    extension = kind % 2 == 1
    of = slow if item.get_closest_marker("slow") else 1 if _is_whole(item, extension) else usual
    return zlib.crc32((DRAW + item.nodeid).encode()) % of == kind % of


def _is_whole(item: pytest.Item, extension: bool) -> bool:
    if "frame_hook" in getattr(item, "fixturenames", ()) or item.get_closest_marker("needs_answers"):
        return True
    return _is_whole_file(item.path, extension)


@functools.cache
def _is_whole_file(path: Path, extension: bool) -> bool:
    if not extension or path.is_relative_to(FRAMES):
        return path.is_relative_to(FRAMES)
    return any(map(path.is_relative_to, (*OF_CPYTHON, PACKAGES))) or bool(_NEEDS_PACKAGES.search(path.read_text(encoding="utf-8")))


def shard(cases: Iterable[Case], of: int) -> list[Case]:
    """One of so many shards of equal size, at most `KINDS`, the same in every run, in the order of the cases. README's
    command takes a part of one.

    Shards are drawn, so that none of them leaves out a value of a parameter because of its place.
    """
    assert 1 <= of <= KINDS
    everything = list(cases)
    if WHOLE:
        return everything
    places = list(range(len(everything)))
    random.Random(of).shuffle(places)
    first = (KIND // 2 + EXTENSION if of == 2 else KIND) + zlib.crc32(DRAW.encode())
    mine = places[first % of :: of]
    if SUITE in ("", "readme"):
        mine = mine[::TAKEN]
    return [everything[place] for place in sorted(mine)]


def one_in(step: int, cases: Iterable[tuple[Any, ...]]) -> list[Any]:
    """The cases; all but one in so many are marked ``slow``."""
    return [pytest.param(*case, marks=[pytest.mark.slow] if place % step else []) for place, case in enumerate(cases)]
