"""Memory that lists hold, which must not be written to."""

from __future__ import annotations

from typing import Any

from npexport.ir import ops
from npexport.tracer.arrays.core import coercion
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.memory.model import C_ORDER, Storage


def tie(storage: Storage) -> None:
    """From now on, nobody may write to this memory, which a list holds."""
    rec = recorder()
    token = rec.listed = Storage(storage.meta, None, None, C_ORDER) if rec.listed is None else rec.listed
    rec.torn.add(storage, token)
    rec.torn_at.setdefault(storage, rec.stack())


def copied(row: Any) -> Any:
    """A copy that nobody writes to."""
    copy: Any = recorder().call(ops.np.copy, coercion.array_of(row))
    tie(copy.storage)
    return copy
