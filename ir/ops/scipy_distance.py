"""Functions of ``scipy.spatial.distance`` as operators ``ops.scipy.distance_<name>``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npexport.ir.ops.scipy_functions import Row, declare


def _pairs(m: Any, **_: Any) -> Any:
    return m * (m - 1) // 2


_METRICS = ("p", "w", "V", "VI")


def _between(start: str, result: str) -> Callable[..., str]:
    def shapes(w: Any = None, V: Any = None, VI: Any = None, **_: Any) -> str:
        return f"{start}{',(d)' * (w is not None)}{',(d)' * (V is not None)}{',(d,d)' * (VI is not None)}->{result}"

    return shapes


_ROWS: dict[str, Row] = {
    "cdist": Row(_between("(m,d),(n,d)", "(m,n)"), ("XA", "XB", "w", "V", "VI"), named=_METRICS, gives="f8"),
    "pdist": Row(_between("(m,d)", "(k)"), ("X", "w", "V", "VI"), {"k": _pairs}, named=_METRICS, gives="f8"),
}
declare("spatial.distance", _ROWS)
