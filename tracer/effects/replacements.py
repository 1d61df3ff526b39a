"""Containers of the exported object that the program replaces: ``self.state = (h, c)``.

The state of a program are its arrays; the containers around them are part of the program. A new
container with the structure of the old one (same class, same keys in the same order) takes its
place, and its contents are compared with those of the old one, place by place.
"""

from __future__ import annotations

import types
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, NamedTuple

from npexport.tracer.effects.copiers import COPIERS, copier_of, places_of
from npexport.tracer.effects.overlay import DELETED
from npexport.tracer.effects.shadows import Entry, Shadows
from npexport.tracer.effects.state import SELF

_BUILT = tuple([COPIERS[base] for base in (object, list, dict, OrderedDict, types.SimpleNamespace)])


def follow_replacements(shadows: Shadows) -> None:
    """Let containers that replace others stand for these, from the exported object downwards."""
    for entry in list(now(shadows)):
        if shadows.shadow_of(entry.original) is not entry.shadow:
            shadows.replace(entry.original, entry.shadow, entry.origin)


def now(shadows: Shadows) -> Iterator[Place]:
    """The exported object and the containers in it, as they are now. A new container takes the
    place of one, since calls tell one container from two.
    """
    entries = {id(entry.shadow): entry for entry in shadows.entries}
    queue = [entry for entry in shadows.entries if entry.origin == SELF]
    seen: set[int] = set()
    taken: dict[int, Any] = {}
    names: dict[int, dict[str, Any]] = {}  # by identity of a container, the paths found, and what stands there now
    while queue:
        found = queue.pop()
        place = Place(*found, shadows.image(found.original))
        if id(place.original) in seen:
            continue
        seen.add(id(place.original))
        yield place
        for path, old, new in place.places():
            if shadows.shadow_of(old) is not new and takes_its_place(shadows, old, new):
                if not issubclass(type(old), tuple) and taken.setdefault(id(new), old) is not old:
                    continue
                names.setdefault(id(old), {})[path] = new
                first = shadows.taken_by(old, names[id(old)])
                if first is not None:
                    queue.append(Entry(old, new, first))
            elif shadows.shadow_of(old) is new and (id(new) in entries or issubclass(type(old), tuple)):
                queue.append(entries.get(id(new), Entry(old, new, path)))


def left_in(shadows: Shadows) -> Iterator[tuple[str, Any]]:
    """Path and value of every place of the exported object, as a run leaves it."""
    for container in now(shadows):
        yield from [(path, value) for path, _, value in container.places()]


class Place(NamedTuple):
    """A container of the exported object, its stand-in, its path, and its earlier contents."""

    original: Any
    shadow: Any
    origin: str
    image: Any

    def places(self) -> Iterator[tuple[str, Any, Any]]:
        """Path, value before and value after, of every place that exists both times."""
        after = dict(places_of(self.shadow))
        for step, old in places_of(self.image):
            if step in after:
                yield self.origin + step, old, after[step]

    def absent(self) -> Iterator[tuple[str, Any, Any]]:
        """The same for the places that exist only before, or only now."""
        before, after = dict(places_of(self.image)), dict(places_of(self.shadow))
        for step in before.keys() ^ after.keys():
            yield self.origin + step, before.get(step, DELETED), after.get(step, DELETED)


def takes_its_place(shadows: Shadows, old: Any, new: Any) -> bool:
    """Whether a container has the old one's structure, to be compared place by place."""
    if type(new) is not type(old) or shadows.is_outside(new):
        return False
    if not issubclass(type(old), tuple) and copier_of(type(old)) not in _BUILT:
        return False
    old = shadows.image(old)
    return [step for step, _ in places_of(old)] == [step for step, _ in places_of(new)]
