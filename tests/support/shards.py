"""What the suites of ``.ci/run`` divide among them: one runs on each CPython, with the extension and without it.

Long walks are taken in shards, so that all suites together take the whole; ``NPEXPORT_WHOLE=1`` takes the whole at once.
With ``NPEXPORT_HALVES=1``, each file that the frame hook does not matter to is run by one of the two suites of a CPython.
"""

from __future__ import annotations

import os
import random
import re
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.support.paths import TESTS

Case = TypeVar("Case")

KINDS = 6
"""CPython 3.11 to 3.13, with and without the extension; a newer one takes shards again."""
KIND = 2 * (sys.version_info.minor - 11) + (find_spec("npexport.tracer.frames._evalframe") is not None)
"""The number of the one that is running."""
WHOLE = os.environ.get("NPEXPORT_WHOLE") == "1"
HALVES = os.environ.get("NPEXPORT_HALVES") == "1"
UNDIVIDED = tuple(
    TESTS / room for room in ("fuzz", "conformance/python", "unit/tracer/bytecode", "unit/tracer/frames", "unit/tracer/interpreter")
)
"""The rooms that every suite runs: how frames and bytecode are read, and random programs."""
_DIVIDED_ALREADY = re.compile(r"\bshards?\b")
_NAMES_THE_HOOK = re.compile("frame_hook|needs_answers|pep523|settrace")


def is_in_other_half(path: Path, kind: int = KIND) -> bool:
    """Whether a file is run by the other suite of this CPython: the halves change places from one CPython to the next.

    Files that take shards are divided already, and those that name a frame hook run with each.
    """
    if not path.name.startswith("test_") or any(path.is_relative_to(room) for room in UNDIVIDED):
        return False
    text = path.read_text(encoding="utf-8")
    if _DIVIDED_ALREADY.search(text) or _NAMES_THE_HOOK.search(text):
        return False
    place = sorted(path.parent.glob("test_*.py")).index(path)
    return (place + kind // 2 + kind) % 2 == 1


def shard(cases: Iterable[Case], of: int) -> list[Case]:
    """One of so many shards of equal size, at most `KINDS`, the same in every run, in the order of the cases.

    Shards are drawn, so that none of them leaves out a value of a parameter because of its place.
    """
    assert 1 <= of <= KINDS
    everything = list(cases)
    if WHOLE:
        return everything
    places = list(range(len(everything)))
    random.Random(of).shuffle(places)
    return [everything[place] for place in sorted(places[KIND % of :: of])]


def one_in(step: int, cases: Iterable[tuple[Any, ...]]) -> list[Any]:
    """The cases; all but one in so many are marked ``slow``."""
    return [pytest.param(*case, marks=[pytest.mark.slow] if place % step else []) for place, case in enumerate(cases)]
