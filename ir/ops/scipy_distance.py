"""Functions of ``scipy.spatial.distance`` as operators ``ops.scipy.distance_<name>``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from npexport.ir.ops.rules import Rejected
from npexport.ir.ops.scipy_functions import Row, declare
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.expr import symbol
from npexport.symshapes.symint import is_symbolic
from npexport.symshapes.wrapping import wrap_int


def pairs(m: Any, **_: Any) -> Any:
    """The number of pairs of ``count`` points."""
    return m * (m - 1) // 2


def _square(X: Any, force: Any = "no", **_: Any) -> str:
    if force != "no":
        raise Unsupported("E101", f"`scipy.spatial.distance.squareform` with force={force!r} is not modelled")
    return "(k)->(p,p)" if len(X.shape) == 1 else "(n,n)->(q)"


def points(k: Any = 0, **_: Any) -> Any:
    """The number of points that have this many pairs."""
    counts = [wrap_int(symbol(name), k.env) for name in k.expression.symbols] if is_symbolic(k) else [math.isqrt(2 * k) + 1]
    for count in counts:
        if known(count * (count - 1) // 2 == k):
            return count
    if is_symbolic(k):
        raise Unsupported("E101", "`scipy.spatial.distance.squareform` of distances whose number is not that of the pairs of points")
    raise Rejected


_METRICS = ("p", "w", "V", "VI")


def _between(start: str, result: str) -> Callable[..., str]:
    def shapes(w: Any = None, V: Any = None, VI: Any = None, **_: Any) -> str:
        return f"{start}{',(d)' * (w is not None)}{',(d)' * (V is not None)}{',(d,d)' * (VI is not None)}->{result}"

    return shapes


_ROWS: dict[str, Row] = {
    "cdist": Row(_between("(m,d),(n,d)", "(m,n)"), ("XA", "XB", "w", "V", "VI"), named=_METRICS, gives="f8"),
    "squareform": Row(_square, ("X",), {"p": points, "q": lambda n=0, **_: pairs(n)}, example=0.0),
    "directed_hausdorff": Row("(m,d),(n,d)->(),(),()", ("u", "v"), traits="data_dependent_shape"),
    "pdist": Row(_between("(m,d)", "(k)"), ("X", "w", "V", "VI"), {"k": pairs}, named=_METRICS, gives="f8"),
}
declare("spatial.distance", _ROWS)
