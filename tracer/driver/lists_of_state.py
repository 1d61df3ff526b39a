"""Lists, dicts and sets that are state, and what callers get.

Law: nobody but the program holds such a container, or a list that is an item of it: whoever had one
would see what later calls change, and could write to what they read. Others may hold an array that
is put into it, as long as nobody writes to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from npexport.ir.containers import find_kind
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.core import result_identity
from npexport.tracer.arrays.core.item_structures import holds_arrays
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.memory.model import Storage
from npexport.tracer.driver.trace import Trace
from npexport.tracer.effects.settled import filled
from npexport.tracer.effects.state import shown


class Shared(Unsupported):
    """Others hold a list of the state, or an item of it."""


def require_apart(trace: Trace, result: Any) -> None:
    """Raises `Shared` (E112) if the result holds a list of the state, or a list of its items."""
    if not trace.lists:
        return
    families = {id(grown.family): path for path, value in trace.lists.values() if (grown := filled(value)) is not None}
    for value in _within(result, set()):
        path = trace.lists.get(id(value), (None, None))[0]
        if path is None and (grown := filled(value)) is not None:
            path = families.get(id(grown.family))
        if path is not None:
            kind = getattr(value, "kind", list) if id(value) in trace.lists else list
            hint = f"Return a copy, {kind.__name__}({shown(path)}); of arrays, copies of these, too."
            raise Shared("E112", f"the result holds `{shown(path)}`, or items of it, which later calls go on with", hint=hint)


def listed(trace: Trace, values: list[Any]) -> frozenset[Storage]:
    """The memory that lists of the state hold, and others too: inputs, results, state by itself.
    Nobody may write to it from then on, which a program looks at when it is called again.

    Raises `Shared` (E112) if the program itself writes to it, or if it was taken out of a list, so
    that it is that of an earlier call. Raises ``Unsupported`` (E103) for items of lists that are
    results.
    """
    recorder = trace.recorder
    paths = [path for path, value in trace.lists.values() if (grown := filled(value)) is not None and holds_arrays(grown.item)]
    if not paths:
        result_identity.require_unlisted(recorder, values)
    if not paths or recorder.listed is None:
        return frozenset()
    found = recorder.may_alias.sharing(recorder.listed)
    families = [(storage, each) for storage in found for each in (storage, *recorder.may_alias.of(storage))]
    outside = [(storage, each.outside) for storage, each in families if each.outside is not None]
    results = {value.storage for value in values if type(value) is ArrayProxy}
    held = [(storage, f"`{each.path}` itself") for storage, each in outside if each.mutated]
    held += [
        (storage, "an array that is a result, or state by itself")
        for storage in found
        if storage in results and recorder.taken in recorder.may_alias.of(storage)
    ]
    for storage, what in held:
        text = f"`{shown(paths[0])}`, which calls make longer, may hold {what}: whoever writes to it would change what later calls read"
        hint = f"Put a copy into it, append(x.copy()); return copies of items, {shown(paths[0])}[-1].copy()."
        raise Shared("E112", text, hint=hint, user_stack=recorder.may_alias_at.get(storage, ()))
    return frozenset([*found, *[each.storage for _, each in outside]])


def _within(value: Any, seen: set[int]) -> Iterator[Any]:
    """A value, and what is in it."""
    yield value
    kind = find_kind(type(value))
    if kind is None or id(value) in seen or filled(value) is not None:
        return
    seen.add(id(value))
    for child in kind.parts(value)[0]:
        yield from _within(child, seen)
