"""Functions of dates in terms of others."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.decompositions import register_decomposition


@register_decomposition("np.is_busday")
def is_busday(dates: Any, weekmask: Any = "1111100", holidays: Any = None) -> Any:
    """Exact: whether there is one business day between the date and the next one."""
    days = np.asarray(dates).astype("M8[D]")
    missing = np.isnat(days)
    days = np.where(missing, np.datetime64(0, "D"), days)
    free = {} if holidays is None else {"holidays": holidays}
    counted = np.busday_count(days, days + np.timedelta64(1, "D"), weekmask, **free)
    return (counted == 1) & ~missing
