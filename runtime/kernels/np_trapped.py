"""The kernel of calls whose floating-point errors are exceptions."""

from __future__ import annotations

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
