"""The kernels of calls whose floating-point errors are exceptions, and of what failing writes
leave.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from npexport.ir.op import REGISTRY


def trapped(op: str, errors: Any, *args: Any, **kwargs: Any) -> Any:
    """NumPy's own errors, whatever the caller's error state is."""
    raising: dict[str, Any] = dict.fromkeys(errors, "raise")
    with np.errstate(**raising):
        called = REGISTRY.get(op)
        assert called is not None
        return called.kernel(*args, **kwargs)


def left(op: str, *args: Any, **kwargs: Any) -> Any:
    """Ignore what the call raises: the call itself, which follows, will raise it."""
    called = REGISTRY.get(op)
    assert called is not None
    memory = np.array(next(arg for arg in args if not isinstance(arg, str)))
    with suppress(Exception), np.errstate(all="ignore"):
        called.kernel(*args, out=memory, **kwargs)
    return memory
