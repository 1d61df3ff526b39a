"""What the interpolators of ``scipy.interpolate`` ask of grids, as operators
``ops.scipy.grid_<name>``.
"""

from __future__ import annotations

from typing import Any

from npexport.ir.ops.scipy_functions import Row, declare

_MOST_AXES = 32


def _found(grid: Any, **_: Any) -> str:
    axes = ",".join(f"(g{place})" for place in range(len(grid)))
    return f"{axes},({len(grid)},m)->({len(grid)},m),({len(grid)},m)"


_ROWS: dict[str, Row] = {"find_indices": Row(_found, ("grid", "xi"), tuples={"grid": _MOST_AXES}, traits="unchecked", raises=False)}
declare("interpolate._rgi_cython", _ROWS, "grid")
