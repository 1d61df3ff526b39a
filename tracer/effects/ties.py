"""Names of the exported object's arrays that mean one array: the program must leave them so, and must not tie others together.

The state of a program has one place for each array. Were names tied or untied by a call, the next call would see it in eager
execution, and the program could not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.overlaps import same_place
from npexport.tracer.arrays.owners import is_same, shares
from npexport.tracer.arrays.proxy import ArrayProxy
from npexport.tracer.effects.copiers import attributes_of, parts_of
from npexport.tracer.effects.shadows import Entry, Shadows
from npexport.tracer.effects.state import belongs_to_root, shown


def require_same_ties(shadows: Shadows) -> None:
    """Raises ``Unsupported`` (E112) where names of one array are names of several afterwards, or the other way round."""
    before: dict[int, tuple[str, ArrayProxy]] = {}  # by the array before
    after: dict[int, list[tuple[str, Any, ArrayProxy]]] = {}  # by the memory after
    for entry in shadows.entries:
        if not belongs_to_root(entry.origin):
            continue
        for path, old, new in _arrays(entry):
            name, first = before.setdefault(id(old), (path, new))
            if first is not new and not is_same(first, new):
                raise _changed(name, path, "one array before the call, and two after it")
            for name, array, other in after.setdefault(id(new.storage), []):
                if not same_place(array, old) and shares(other, new):
                    raise _changed(name, path, "two arrays before the call, and one after it")
            after[id(new.storage)].append((path, old, new))


def _arrays(entry: Entry) -> Iterator[tuple[str, Any, ArrayProxy]]:
    """Path, array before and array after, of every place in an object that holds one both times."""
    yield from _pairs(entry.origin, ".", dict(attributes_of(entry.original)), dict(attributes_of(entry.shadow)))
    yield from _pairs(entry.origin, "", dict(parts_of(entry.original)), dict(parts_of(entry.shadow)))


def _pairs(origin: str, separator: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[str, Any, ArrayProxy]]:
    for key, value in old.items():
        if type(value) is np.ndarray and type(new.get(key)) is ArrayProxy:
            yield f"{origin}{separator}{key}", value, new[key]


def _changed(first: str, second: str, how: str) -> Unsupported:
    hint = "Assign copies (self.a = self.b.copy()), and write to arrays with two names in place (self.a[...] = value)."
    return Unsupported("E112", f"`{shown(first)}` and `{shown(second)}` are {how}", hint=hint)
