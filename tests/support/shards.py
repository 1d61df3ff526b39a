"""Shards of long walks: each CPython, with the extension and without it, takes another one, and all of them together take the whole.

``NPEXPORT_WHOLE=1`` takes the whole at once.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from typing import TypeVar

Case = TypeVar("Case")

KINDS = 6
"""Three versions of CPython, with and without the extension."""
KIND = 2 * (sys.version_info.minor - 11) + (find_spec("npexport.tracer.frames._evalframe") is not None)
"""The number of the one that is running."""
WHOLE = os.environ.get("NPEXPORT_WHOLE") == "1"


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
