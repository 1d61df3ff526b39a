"""Containers of the exported object that the program replaces: ``self.state = (h, c)``.

A program's state are its arrays; the containers around them are part of the program. A new container that is built as the old one was
(same class, same keys in the same order) takes its place, and what it holds is compared with what the old one held, place by place.
"""

from __future__ import annotations

import types
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from npexport.tracer.effects.copiers import COPIERS, attributes_of, copier_of, parts_of
from npexport.tracer.effects.shadows import Entry, Shadows
from npexport.tracer.effects.state import SELF

_BUILT = tuple([COPIERS[base] for base in (object, list, dict, OrderedDict, types.SimpleNamespace)])


def follow_replacements(shadows: Shadows) -> None:
    """Let replaced containers stand for the old ones, from the exported object downwards."""
    entries = {id(entry.original): entry for entry in shadows.entries}
    queue = [entry for entry in shadows.entries if entry.origin == SELF]
    seen: set[int] = set()
    while queue:
        entry = queue.pop()
        if id(entry.original) in seen:
            continue
        seen.add(id(entry.original))
        for path, old, new in _places(entry):
            if shadows.shadow_of(old) is not new and _takes_its_place(shadows, path, old, new):
                shadows.replace(old, new, path)
                queue.append(Entry(old, new, path))
            elif shadows.shadow_of(old) is new and (id(old) in entries or isinstance(old, tuple)):
                queue.append(entries.get(id(old), Entry(old, new, path)))


def _places(entry: Entry) -> Iterator[tuple[str, Any, Any]]:
    """Path, value before and value after, of every place that is there both times."""
    for separator, contents in ((".", attributes_of), ("", parts_of)):
        after = dict(contents(entry.shadow))
        for key, old in contents(entry.original):
            if key in after:
                yield f"{entry.origin}{separator}{key}", old, after[key]


def _takes_its_place(shadows: Shadows, path: str, old: Any, new: Any) -> bool:
    if type(new) is not type(old) or shadows.is_outside(new) or not shadows.only_name(old, path):
        return False
    if not isinstance(old, tuple) and copier_of(type(old)) not in _BUILT:
        return False
    return all([key for key, _ in contents(old)] == [key for key, _ in contents(new)] for contents in (attributes_of, parts_of))
