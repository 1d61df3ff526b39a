"""Attributes and keys of the exported object that the first call does not find, and later calls may
find: some calls set them, as data decide (`npexport.tracer.effects.state_places.Open`).

Where such an object is entered, it may lack them, as if a branch had set them
(`npexport.tracer.interpreter.partial_objects`, `partial_dicts`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from npexport.tracer.effects.copiers import attributes_of, state_of, step
from npexport.tracer.interpreter import partial_dicts, partial_objects
from npexport.tracer.interpreter.frame import Machine


def may_be_absent(owner: Any, path: str) -> bool:
    """Whether an object may lack what calls put into it at this path."""
    return any(path.endswith(found) for found, _, _ in _places(owner))


def put_absent(image: Any, filled: Any, origin: str, places: Mapping[str, Any]) -> None:
    """Put the places of the state that an object lacks into a copy of it; ``filled``: the object
    after a call that has set them.
    """
    for found, holder, key in _places(filled):
        place = places.get(origin + found)
        own: Any = image if holder is filled else state_of(image)
        if place is not None and key not in own:
            dict.__setitem__(own, key, place)


def note_absent(vm: Machine, shadow: Any) -> None:
    """Note what an object that is entered may lack."""
    held = list(attributes_of(shadow))
    if any(partial_dicts.is_open(value) for _, value in held):
        partial_objects.require_own(vm, shadow)
        partial_objects.note(vm, shadow, [name for name, _ in held])
    if partial_dicts.lacks_keys(shadow):
        vm.world.partial_dicts[id(shadow)] = shadow


def _places(owner: Any) -> list[tuple[str, dict[Any, Any], Any]]:
    """What an object may lack later: the step to it, the dict that holds it, and the key there."""
    state: dict[str, Any] = state_of(owner) or {}
    found: list[tuple[str, dict[Any, Any], Any]] = [(f".{name}", state, name) for name in state]
    if issubclass(type(owner), dict) and not issubclass(type(owner), OrderedDict):
        found += [(step(key), owner, key) for key in dict.keys(owner) if type(key) in (str, int)]
    return found
