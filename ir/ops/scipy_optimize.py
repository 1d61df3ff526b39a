"""Functions of ``scipy.optimize`` as operators ``ops.scipy.optimize_<name>``."""

from __future__ import annotations

from collections.abc import Callable

from npexport.ir.ops.rules import smaller
from npexport.ir.ops.scipy_functions import Row, declare

_SOME: dict[str, Callable[[int], int]] = {"m": lambda n: max(n, 1), "n": lambda n: max(n, 1)}
"""SciPy 1.17 ends the process where there are no elements."""

_ROWS: dict[str, Row] = {
    "linear_sum_assignment": Row("(m,n)->(r),(r)", ("cost_matrix",), {"r": lambda m, n, **_: smaller(m, n)}),
    "nnls": Row("(m,n),(m)->(n),()", ("A", "b"), least=_SOME, traits="data_dependent_shape"),
}
declare("optimize", _ROWS)
