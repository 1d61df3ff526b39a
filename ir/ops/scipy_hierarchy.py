"""Functions of ``scipy.cluster.hierarchy`` as operators ``ops.scipy.hierarchy_<name>``."""

from __future__ import annotations

from typing import Any

from npexport.ir.ops.scipy_distance import pairs, points
from npexport.ir.ops.scipy_functions import Row, declare
from npexport.symshapes.errors import Unsupported


def _linked(y: Any, **_: Any) -> str:
    return "(k)->(p,4)" if len(y.shape) == 1 else "(n,d)->(p,4)"


def _flat(R: Any = None, monocrit: Any = None, **_: Any) -> str:
    if R is not None or monocrit is not None:
        raise Unsupported("E101", "`scipy.cluster.hierarchy.fcluster` with R or monocrit is not modelled")
    return "(m,4)->(n)"


_TRUSTS = "unchecked"
"""The tree that is passed in may name nodes that do not exist, if its entries are NaN."""


def _one_more(m: Any, **_: Any) -> Any:
    return m + 1


_ROWS: dict[str, Row] = {
    "linkage": Row(_linked, ("y",), {"p": lambda n=None, k=None, **_: (points(k) if n is None else n) - 1}),
    "fcluster": Row(_flat, ("Z",), {"n": _one_more}, gives="i4", traits=_TRUSTS),
    "leaves_list": Row("(m,4)->(n)", ("Z",), {"n": _one_more}, gives="i4", traits=_TRUSTS),
    "inconsistent": Row("(m,4)->(m,4)", ("Z",), gives="f8"),
    "cophenet": Row("(m,4)->(k)", ("Z",), {"k": lambda m, **_: pairs(m + 1)}, gives="f8", traits=_TRUSTS),
}
declare("cluster.hierarchy", _ROWS)
