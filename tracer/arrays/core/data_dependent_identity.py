"""Whether two arrays are one object, where data decide which earlier arrays they are.

What a branch or a loop joins is one of several objects, as truths say (`result_identity.Ways`): an
array that somebody holds, one that nobody holds any more, or one that a side has made. Two arrays
are one where both are the same of these.

Laws:

1. Arrays whose memory data never make one are two objects.
2. Memory that truths do not tell of is refused, and so are two arrays that nobody holds any more of
   which one is a view.
3. A view that the program takes is an object of its own, whatever memory it shows.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_not
from npexport.tracer.arrays.core.current import Recording
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.result_identity import Ways, are_told
from npexport.tracer.arrays.memory.model import Storage

_ASKS = "asks whether two arrays are one"
_HINT = "Keep the arrays that are chosen from in variables or in a list, or compare what tells them apart (a number or a name)."
_GONE = (weakref.ref, type(None))
"""What stands for an array that nobody holds any more (`Side.gone`)."""


def one_object(recorder: Recording, left: ArrayProxy, right: ArrayProxy, same: Callable[[Any, Any], Any]) -> Any:
    """Whether they are one, which data may decide; ``None`` where no data do. ``same``: the same of
    two arrays that are what they are on every path. Raises ``Unsupported`` (E103) where truths do
    not tell.
    """
    lefts, rights = list(_objects(recorder, left)), list(_objects(recorder, right))
    if left.storage is right.storage and any(each.link is not None and each.link.untold for each in (left, right)):
        _refuse(recorder, left.storage, right.storage)
    for one in _made(left, lefts):
        for other in _made(right, rights):
            if not _tells(recorder, one, other):
                _refuse(recorder, one, other)
    if lefts == [(True, left)] and rights == [(True, right)]:
        return None
    found: Any = False
    for truth, one in lefts:
        for more, other in rights:
            if (one is None and type(other) in _GONE) or (other is None and type(one) in _GONE):
                _refuse(recorder, left.storage, right.storage)
            alike = same(one, other) if type(one) is type(other) is ArrayProxy else one is other
            found = found | (truth & more & alike)
    return found


def may_be_one(recorder: Recording, left: ArrayProxy, right: ArrayProxy) -> bool:
    """Whether data may make two different arrays one object."""
    lefts, rights = list(_objects(recorder, left)), list(_objects(recorder, right))
    chosen = lefts != [(True, left)] or rights != [(True, right)]
    return chosen or not _tells(recorder, left.storage, right.storage)


def _objects(recorder: Recording, array: ArrayProxy) -> Iterator[tuple[Any, Any]]:
    """What the array may be, each with the truth that it is this one; they exclude each other.
    Memory stands for what a side has made.
    """
    ways = recorder.choices.get(array.storage) if array.link is None and array.storage.outside is None else None
    if ways is None:
        yield True, array
    else:
        yield from _of_ways(recorder, ways, array.storage)


def _of_ways(recorder: Recording, ways: Ways, own: Any) -> Iterator[tuple[Any, Any]]:
    here: Any = True
    for truth, side in ways:
        held = None if side is None else side.held()
        if side is None:
            objects: Any = [(True, own)]
        elif held is not None:
            objects = _objects(recorder, held)
        else:
            objects = [(True, side.gone)] if side.ways is None else _of_ways(recorder, side.ways, side.gone)
        for more, each in objects:
            yield here & truth & more, each
        here = here & sym_not(truth)


def _made(array: ArrayProxy, objects: list[tuple[Any, Any]]) -> set[Storage]:
    """The memory of an array, and of those that it may be and somebody holds."""
    return {array.storage, *[each.storage for _, each in objects if type(each) is ArrayProxy]}


def _tells(recorder: Recording, one: Storage, other: Storage) -> bool:
    """Whether truths tell when these are one memory, if data decide it."""
    if one is other:
        return True
    near = (*recorder.may_alias.of(one), *recorder.may_alias.of(other))
    if recorder.listed is not None and recorder.listed in near:
        return False  # a list may hold either, whose items are arrays made anew here
    if one not in near and other not in near:
        return True
    return recorder.mingled.isdisjoint((one, other)) and are_told(recorder, one, other)


def _refuse(recorder: Recording, one: Storage, other: Storage) -> NoReturn:
    for storage in (one, other):
        recorder.require_whole(storage, _ASKS)
    raise Unsupported("E103", f"the program {_ASKS} of which one was chosen as data decide and the other is gone", hint=_HINT)
