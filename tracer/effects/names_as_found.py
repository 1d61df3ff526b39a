"""The names of the state are the paths by which the next call finds it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from npexport.tracer.effects.settled import Settled
from npexport.tracer.effects.shadows import Shadows
from npexport.tracer.effects.state import SELF


def name_as_found(settled: Settled, roots: Iterable[Any]) -> None:
    """Name the places of the state, and note the other paths to objects, as the next call finds
    them. ``roots``: the exported object.
    """
    found: dict[int, str] = {}

    def lift(value: Any, origin: str) -> Any:
        found[id(value)] = origin
        return object()

    shadows = Shadows(lift, settled)
    for root in roots:
        shadows.enter(root, SELF)
    settled.places = {found.get(id(place), path): place for path, place in settled.places.items()}
    settled.aliases = shadows.aliases()
