"""Memory that lists hold, which must not be written to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from npexport.ir import ops
from npexport.symshapes.functions import sym_bool
from npexport.tracer.arrays.core import coercion
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.result_identity import OWN, Side, Ways, may_be_given
from npexport.tracer.arrays.memory.model import C_ORDER, Kind, Storage

_MOST = 64
"""The largest number of arrays that one may be which data choose."""


def tie(storage: Storage) -> None:
    """From now on, nobody may write to this memory, which a list holds."""
    rec = recorder()
    token = rec.listed = Storage(storage.meta, None, None, C_ORDER) if rec.listed is None else rec.listed
    rec.torn.add(storage, token)
    rec.torn_at.setdefault(storage, rec.stack())


def note_places(found: ArrayProxy, items: Sequence[ArrayProxy], place: Any) -> None:
    """``found`` is the item at this place. If the caller has passed that, the program returns it
    itself, or is refused (E103) where it returns it and truths do not tell.
    """
    lasting = [item for item in items if _may_last(item)]
    if not lasting:
        return
    rec, ways = recorder(), list[tuple[Any, Side | None]]()
    for number, item in enumerate(items):
        here = True if number == len(items) - 1 else sym_bool(place == number)
        ways += [(more if here is True else here if more is True else here & more, side) for more, side in _ways_of(item)]
    if len(ways) <= _MOST and all(map(may_be_given, lasting)):
        rec.choices[found.storage] = tuple(ways)
    for item in lasting:
        for storage in (item.storage, *rec.torn.of(item.storage)):
            if storage.outside is not None:
                rec.torn.relate(found.storage, storage)


def _may_last(item: ArrayProxy) -> bool:
    """Whether the caller holds the memory, for some data at least."""
    rec = recorder()
    return any(storage.outside is not None and storage.outside.kind is Kind.INPUT for storage in (item.storage, *rec.torn.of(item.storage)))


def _ways_of(item: ArrayProxy) -> Ways:
    if item.storage.outside is None:
        return recorder().choices.get(item.storage, OWN) if item.link is None else OWN
    return ((True, Side(recorder(), item)),)


def copied(row: Any) -> Any:
    """A copy that nobody writes to."""
    copy: Any = recorder().call(ops.np.copy, coercion.array_of(row))
    tie(copy.storage)
    return copy
