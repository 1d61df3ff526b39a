"""What ``scipy.spatial.transform.Rotation`` computes by, as operators
``ops.scipy.rotation_<name>``: of quaternions, one in each row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npexport.ir.ops.rules import broadcast
from npexport.ir.ops.scipy_functions import Row, declare
from npexport.symshapes.errors import Unsupported


def _made_of(name: str, one: str) -> Row:
    """Of one or several of what has the axes ``one``."""

    def shapes(**given: Any) -> str:
        return f"({one})->(4)" if given[name].ndim == len(one.split(",")) else f"(n,{one})->(n,4)"

    return Row(shapes, (name,))


def _turned(seq: Any, angles: Any, **_: Any) -> str:
    if angles.ndim == 1 and len(seq) == 1:
        raise Unsupported(
            "E101", "`Rotation.from_euler` of one axis and a vector of angles", hint="Give the angles as rows: angles[:, None]."
        )
    return {0: "()->(4)", 1: f"({len(seq)})->(4)"}.get(angles.ndim, f"(n,{len(seq)})->(n,4)")


def _together(m: Any, n: Any, **_: Any) -> Any:
    return broadcast((m,), (n,))[0]


def _mean(weights: Any = None, axis: Any = None, **_: Any) -> str:
    if axis is not None:
        raise Unsupported("E101", "`Rotation.mean` with axis is not modelled")
    return f"(n,4){',(n)' * (weights is not None)}->(4)"


def _of_each(result: str) -> Row:
    return Row(f"(n,4)->({result})", ("quat",))


_PAIR: dict[str, Callable[..., Any]] = {"k": _together}
_ROWS: dict[str, Row] = {
    "from_quat": _of_each("n,4"),
    "from_rotvec": _made_of("rotvec", "3"),
    "from_mrp": _made_of("mrp", "3"),
    "from_matrix": _made_of("matrix", "3,3"),
    "from_euler": Row(_turned, ("angles",)),
    "as_quat": _of_each("n,4"),
    "as_rotvec": _of_each("n,3"),
    "as_mrp": _of_each("n,3"),
    "as_matrix": _of_each("n,3,3"),
    "as_euler": _of_each("n,3"),
    "inv": _of_each("n,4"),
    "magnitude": _of_each("n"),
    "pow": _of_each("n,4"),
    "mean": Row(_mean, ("quat", "weights")),
    "apply": Row("(m,4),(n,3)->(k,3)", ("quat", "vectors"), _PAIR),
    "compose_quat": Row("(m,4),(n,4)->(k,4)", ("p", "q"), _PAIR, gives="f8"),
}
declare("spatial.transform._rotation_cy", _ROWS, "rotation")
