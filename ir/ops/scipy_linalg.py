"""Functions of ``scipy.linalg`` as operators ``ops.scipy.linalg_<name>``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from npexport.ir.ops.fresh import fresh_size
from npexport.ir.ops.rules import smaller
from npexport.ir.ops.scipy_functions import Row, declare
from npexport.symshapes.errors import Unsupported


def _least(m: Any, n: Any, **_: Any) -> Any:
    return smaller(m, n)


_ALL: dict[str, Any] = {"subset_by_index": None, "subset_by_value": None}
"""A range of eigenvalues changes no dtypes."""
_DIAGONAL: dict[str, Callable[[int], int]] = {"u": lambda n: 1}
"""The number of bands of the smallest example."""
_SOME: dict[str, Callable[[int], int]] = {"m": lambda n: max(n, 1), "n": lambda n: max(n, 1)}
"""At least one row and column: LAPACK prints a message if there are none."""


def _refused_for(function: str, what: str) -> Unsupported:
    return Unsupported("E101", f"`scipy.{function}` {what} is not modelled")


def _chosen(start: str, vectors: str) -> Callable[..., str]:
    """The signature of a solver of symmetric eigenproblems, of which a range may be chosen."""

    def shapes(eigvals_only: Any = True, select: Any = "a", subset_by_index: Any = None, subset_by_value: Any = None, **given: Any) -> str:
        if select not in ("a", 0):
            raise _refused_for("linalg", f"with select={select!r}")
        operands = f"{start},(n,n)" if given.get("b") is not None else start
        return f"{operands}->(k)" if eigvals_only else f"{operands}->(k),{vectors}"

    return shapes


def _count(n: Any, subset_by_index: Any = None, subset_by_value: Any = None, **_: Any) -> Any:
    if subset_by_value is not None:
        return fresh_size(0, n)
    return n if subset_by_index is None else subset_by_index[1] - subset_by_index[0] + 1


def _lu(permute_l: Any = False, p_indices: Any = False, **_: Any) -> str:
    pivots = "" if permute_l else "(m)," if p_indices else "(m,m),"
    return f"(m,n)->{pivots}(m,r),(r,n)"


def _qr(mode: Any = "full", pivoting: Any = False, **_: Any) -> str:
    results = {"full": "(m,m),(m,n)", "economic": "(m,r),(r,n)", "r": "(m,n)"}.get(mode)
    if results is None:
        raise _refused_for("linalg.qr", f"with mode={mode!r}")
    return f"(m,n)->{results}{',(n)' if pivoting else ''}"


def _svd(full_matrices: Any = True, compute_uv: Any = True, **_: Any) -> str:
    results = "(r)" if not compute_uv else "(m,m),(r),(n,n)" if full_matrices else "(m,r),(r),(r,n)"
    return f"(m,n)->{results}"


def _eig(a: Any, b: Any = None, left: Any = False, right: Any = True, homogeneous_eigvals: Any = False, **_: Any) -> str:
    vectors = ",(n,n)" * (bool(left) + bool(right))
    real = [value for value in (a, b) if value is not None and value.dtype.kind != "c"]
    if vectors and len(real) == 1 + (b is not None):
        hint = "Make them complex first: scipy.linalg.eig(a.astype(complex)); or use eigh for symmetric matrices, or eigvals."
        raise Unsupported("E104", "whether the eigenvectors of a real matrix are real depends on its elements", hint=hint)
    operands = "(n,n)" if b is None else "(n,n),(n,n)"
    return f"{operands}->{'(2,n)' if homogeneous_eigvals else '(n)'}{vectors}"


def _pair(c_or_cr: Any, **_: Any) -> str:
    return "(n),(n),(n,k?)->(n,k?)" if type(c_or_cr) is tuple else "(n),(n,k?)->(n,k?)"


def _are(e: Any = None, s: Any = None, **_: Any) -> str:
    return f"(m,m),(m,n),(m,m),(n,n){',(m,m)' * (e is not None)}{',(m,n)' * (s is not None)}->(m,m)"


def _lstsq(a: Any, b: Any, lapack_driver: Any = None, **_: Any) -> str:
    if len(a.shape) == 2:
        rows, columns = a.shape
        if not (rows > 0 and columns > 0):
            raise _refused_for("linalg.lstsq", "of no numbers")
        if lapack_driver == "gelsy":
            raise _refused_for("linalg.lstsq", "with lapack_driver='gelsy'")
        if not rows > columns:
            return "(l,n),(l,k?)->(n,k?),(0),(),(l)"
    return "(m,n),(m,k?)->(n,k?),(k?),(),(n)"


def _schur(output: Any = "real", sort: Any = None, **_: Any) -> str:
    if sort is not None:
        raise _refused_for("linalg.schur", "with sort")
    return "(n,n)->(n,n),(n,n)"


def _of_complex(function: str) -> Callable[..., str]:
    """The signature of a function of matrices whose result is complex for some real ones."""

    def shapes(A: Any, **_: Any) -> str:
        if A.dtype.kind != "c":
            hint = f"Make it complex first: scipy.linalg.{function}(A.astype(complex)), and take the real part where it is real."
            raise Unsupported("E104", f"whether `{function}` of a real matrix is real depends on its elements", hint=hint)
        return "(n,n)->(n,n)"

    return shapes


def _rq(mode: Any = "full", **_: Any) -> str:
    results = {"full": "(m,n),(n,n)", "economic": "(m,r),(r,n)", "r": "(m,n)"}.get(mode)
    if results is None:
        raise _refused_for("linalg.rq", f"with mode={mode!r}")
    return f"(m,n)->{results}"


def _balanced(separate: Any = False, **_: Any) -> str:
    if separate:
        raise _refused_for("linalg.matrix_balance", "with separate")
    return "(n,n)->(n,n),(n,n)"


def _generalized(sort: Any = None, **_: Any) -> str:
    if sort is not None:
        raise _refused_for("linalg.qz", "with sort")
    return "(n,n),(n,n)->(n,n),(n,n),(n,n),(n,n)"


_ROWS: dict[str, Row] = {
    "solve": Row("(n,n),(n,k?)->(n,k?)", ("a", "b")),
    "inv": Row("(n,n)->(n,n)"),
    "det": Row("(n,n)->()"),
    "cholesky": Row("(n,n)->(n,n)"),
    "cho_factor": Row("(n,n)->(n,n),()"),
    "cho_solve": Row("(n,n),(n,k?)->(n,k?)", ("c_and_lower", "b"), tuples={"c_and_lower": 1}),
    "lu": Row(_lu, sizes={"r": _least}),
    "lu_factor": Row("(m,n)->(m,n),(r)", sizes={"r": _least}),
    "lu_solve": Row("(n,n),(n),(n,k?)->(n,k?)", ("lu_and_piv", "b"), tuples={"lu_and_piv": 2}, example=0.0),
    "qr": Row(_qr, sizes={"r": _least}),
    "svd": Row(_svd, sizes={"r": _least}),
    "svdvals": Row("(m,n)->(r)", sizes={"r": _least}),
    "pinv": Row(lambda return_rank=False, **_: f"(m,n)->(n,m){',()' * bool(return_rank)}"),
    "eigh": Row(_chosen("(n,n)", "(n,k)"), ("a", "b"), {"k": _count}, asked=_ALL, traits="data_dependent_shape"),
    "eigvalsh": Row(_chosen("(n,n)", ""), ("a", "b"), {"k": _count}, asked=_ALL, traits="data_dependent_shape"),
    "eig": Row(_eig, ("a", "b")),
    "eigvals": Row(lambda a, right=False, **given: _eig(a, right=False, **given), ("a", "b")),
    "eigh_tridiagonal": Row(_chosen("(n),(e)", "(n,k)"), ("d", "e"), {"k": _count}, least={"e": lambda n: max(n - 1, 0)}),
    "eigvalsh_tridiagonal": Row(_chosen("(n),(e)", ""), ("d", "e"), {"k": _count}, least={"e": lambda n: max(n - 1, 0)}),
    "eig_banded": Row(_chosen("(u,n)", "(n,k)"), ("a_band",), {"k": _count}),
    "eigvals_banded": Row(_chosen("(u,n)", ""), ("a_band",), {"k": _count}),
    "schur": Row(_schur),
    "hessenberg": Row(lambda calc_q=False, **_: f"(n,n)->(n,n){',(n,n)' * bool(calc_q)}"),
    "expm": Row("(n,n)->(n,n)", ("A",)),
    "expm_frechet": Row(lambda compute_expm=True, **_: f"(n,n),(n,n)->(n,n){',(n,n)' * bool(compute_expm)}", ("A", "E")),
    "sqrtm": Row(_of_complex("sqrtm"), ("A",)),
    "logm": Row(_of_complex("logm"), ("A",)),
    "fractional_matrix_power": Row(_of_complex("fractional_matrix_power"), ("A",)),
    "rq": Row(_rq, sizes={"r": _least}),
    "qz": Row(_generalized, ("A", "B")),
    "matrix_balance": Row(_balanced, ("A",)),
    "bandwidth": Row("(m,n)->(),()", traits="data_dependent_shape"),
    "ldl": Row("(n,n)->(n,n),(n,n),(n)", ("A",)),
    "solve_triangular": Row("(n,n),(n,k?)->(n,k?)", ("a", "b")),
    "solve_banded": Row("(u,n),(n,k?)->(n,k?)", ("ab", "b"), asked={"l_and_u": (0, 0)}, least=_DIAGONAL),
    "solveh_banded": Row("(u,n),(n,k?)->(n,k?)", ("ab", "b"), least=_DIAGONAL),
    "cholesky_banded": Row("(u,n)->(u,n)", ("ab",), least=_DIAGONAL),
    "cho_solve_banded": Row("(u,n),(n,k?)->(n,k?)", ("cb_and_lower", "b"), tuples={"cb_and_lower": 1}, least=_DIAGONAL),
    "solve_toeplitz": Row(_pair, ("c_or_cr", "b"), tuples={"c_or_cr": 2}),
    "solve_sylvester": Row("(m,m),(n,n),(m,n)->(m,n)", ("a", "b", "q")),
    "solve_continuous_lyapunov": Row("(n,n),(n,n)->(n,n)", ("a", "q")),
    "solve_discrete_lyapunov": Row("(n,n),(n,n)->(n,n)", ("a", "q"), example=0.5),
    "solve_continuous_are": Row(_are, ("a", "b", "q", "r", "e", "s"), least=_SOME),
    "solve_discrete_are": Row(_are, ("a", "b", "q", "r", "e", "s"), least=_SOME),
}  # fmt: skip
if np.shape(scipy.linalg.lstsq(np.zeros((2, 1)), np.zeros(2))[1]) == ():  # of older versions data decide which shape
    _ROWS["lstsq"] = Row(_lstsq, ("a", "b"), least={"m": lambda n: n + 1 if n else 0})

declare("linalg", _ROWS)
