"""Calls of the operators of `ir/ops/scipy_linalg.py`."""

from __future__ import annotations

import numpy as np

from npexport.ir.op import Op
from tests.op_samples.inputs import Samples, call
from tests.op_samples.scipy_functions import matrix, samples, vector

A, F, D, T = matrix(4, 4), matrix(4, 4, dtype="f4"), matrix(4, 4, dtype="c16"), matrix(5, 3)
I, V, B = matrix(3, 3, dtype="i8"), vector(4), matrix(4, 2)  # noqa: E741
LOWER, BANDS = np.tril(A), np.stack([vector(4) / 9, vector(4) + 19])
_EACH = [call(A), call(F), call(D), call(I)]
_SIDES = [call(A, V), call(A, B), call(F, vector(4, "f4")), call(D, V), call(I, vector(3, "i8"))]
_RANGE = [call(A, subset_by_index=[1, 2]), call(F), call(D), call(A, matrix(4, 4) + 9 * np.eye(4)), call(A, subset_by_value=(0, 9))]
_THREE = [call(V, V[1:]), call(V.astype("f4"), V[1:].astype("f4"))]

SAMPLES: dict[Op, Samples] = samples(
    "linalg",
    {
        "solve": [
            *_SIDES,
            call(A, V, assume_a="pos"),
            call(A, B, lower=True, assume_a="sym", overwrite_b=True),
            call(LOWER, V, transposed=True),
        ],
        "inv": [*_EACH, call(A, overwrite_a=True, check_finite=False)],
        "det": _EACH,
        "cholesky": [*_EACH, call(A, lower=True)],
        "cho_factor": [*_EACH, call(A, lower=True)],
        "cho_solve": [call((A, False), V), call((A, True), B), call((F, False), vector(4, "f4"))],
        "lu": [*_EACH, call(T), call(T.T), call(T, permute_l=True), call(T, p_indices=True), call(T.astype("f4"))],
        "lu_factor": [*_EACH, call(T), call(T.T)],
        "lu_solve": [call((A, np.arange(4)), V), call((A, np.arange(4, dtype="i4")), B), call((D, np.arange(4)), V, trans=1)],
        "qr": [
            *_EACH,
            call(T),
            call(T.T, mode="economic"),
            call(T, mode="economic", pivoting=True),
            call(T, mode="r"),
            call(T, pivoting=True),
        ],
        "svd": [*_EACH, call(T), call(T.T), call(T, full_matrices=False), call(T.T, full_matrices=False), call(T, compute_uv=False)],
        "svdvals": [*_EACH, call(T), call(T.T)],
        "pinv": [*_EACH, call(T), call(T.T, return_rank=True), call(T, rtol=1e-3)],
        "eigh": [*_RANGE, call(A, eigvals_only=True), call(A, lower=False, driver="evd")],
        "eigvalsh": _RANGE,
        "eig": [call(D), call(D, left=True), call(A, right=False), call(D, D + 1), call(D, homogeneous_eigvals=True)],
        "eigvals": [*_EACH, call(A, A), call(A, homogeneous_eigvals=True)],
        "eigh_tridiagonal": [*_THREE, call(V, V[1:], eigvals_only=True)],
        "eigvalsh_tridiagonal": _THREE,
        "eig_banded": [call(BANDS), call(BANDS, lower=True), call(BANDS.astype("c16")), call(BANDS, eigvals_only=True)],
        "eigvals_banded": [call(BANDS), call(BANDS.astype("f4"))],
        "schur": [*_EACH, call(A, output="complex")],
        "hessenberg": [*_EACH, call(A, calc_q=True)],
        "lstsq": [call(T.T, V[:3]), call(A, B), call(T, vector(5)), call(T, matrix(5, 2)), call(F, vector(4, "f4"), cond=1e-3)],
        "expm": _EACH,
        "expm_frechet": [call(A / 9, A), call(D / 9, D), call(A / 9, A, compute_expm=False)],
        "sqrtm": [call(D)],
        "logm": [call(D)],
        "fractional_matrix_power": [call(D, 0.3)],
        "rq": [*_EACH, call(T), call(T.T, mode="economic"), call(T, mode="r")],
        "qz": [call(A, A + 1), call(A, A + 1, output="complex"), call(D, D + 1)],
        "matrix_balance": [*_EACH, call(A, permute=False)],
        "bandwidth": [call(A), call(LOWER), call(T)],
        "ldl": [*_EACH, call(A, lower=False)],
        "solve_triangular": [call(LOWER, V, lower=True), call(LOWER.T, B, trans="T"), call(F, vector(4, "f4")), call(I, vector(3, "i8"))],
        "solve_banded": [call((1, 0), BANDS[::-1], V), call((0, 1), BANDS, B), call((1, 1), np.stack([V / 9, V + 9, V / 9]), V)],
        "solveh_banded": [call(BANDS, V), call(BANDS[::-1], B, lower=True), call(BANDS.astype("c16"), V)],
        "cholesky_banded": [call(BANDS), call(BANDS[::-1], lower=True)],
        "cho_solve_banded": [call((BANDS, False), V), call((BANDS[::-1], True), B)],
        "solve_toeplitz": [call(V + 9, V), call((V + 9, V + 9), B), call(D[0], V)],
        "solve_sylvester": [call(A, I, matrix(4, 3)), call(D, I, matrix(4, 3))],
        "solve_continuous_lyapunov": [call(A, A), call(D, D)],
        "solve_discrete_lyapunov": [call(A / 40, A), call(A / 40, A, method="bilinear")],
        "solve_continuous_are": [call(A, B, A, np.eye(2)), call(A, B, A, np.eye(2), np.eye(4) * 2)],
        "solve_discrete_are": [call(A / 9, B, A, np.eye(2)), call(A / 9, B, A, np.eye(2), s=np.zeros((4, 2)))],
    },
)
