"""Parameters that NumPy's functions take by name: what they do to the result, to its kind, and to the arrays that are passed."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from npexport import Dim, ExportError, export, ops
from tests.support.outcomes import outcome

MATRIX = np.random.default_rng(0).normal(size=(4, 5))
VECTOR = MATRIX.ravel()[:9].copy()
NANS = np.where(MATRIX > 1, np.nan, MATRIX)

CALLS = {
    "np.median(x, overwrite_input=True)": MATRIX,
    "np.median(x.T, 0, np.zeros(4), True)": MATRIX,
    "np.median(x, axis=1, overwrite_input=True, keepdims=True)": NANS,
    "np.quantile(x, 0.3, axis=0, overwrite_input=True)": MATRIX,
    "np.median([x[0], x[1]], overwrite_input=True)": VECTOR,
    "np.dot(x, x, out=np.zeros(()))": VECTOR,
    "x[0].dot(x[1], np.zeros(()))": MATRIX,
    "np.matmul(x, x.T, order=None)": MATRIX,
    "np.matmul(x, x.T, where=x > 0)": MATRIX,
    "np.vecdot(x, x, where=False)": MATRIX,
    "np.matmul(x, x, axes=[(0, 1), (1, 0), (0, 1)])": MATRIX,
    "np.matmul(x, x, axes=[(1, 0), (0, 1), (1, 0)])": MATRIX,
    "np.matmul(x, x[0], axes=[(0, 1), (0,), (0,)])": MATRIX,
    "np.matmul(np.stack([x, x + 1]), x, axes=[(0, 2), (1, 0), (2, 0)], out=np.zeros((2, 4, 2)))": MATRIX,
    "np.matmul(x, x, axes=[(0, 1), (0, 1), (0, 1)])": MATRIX,
    "np.matmul(x, x, axes=[(0, 1), (1, 7), (0, 1)])": MATRIX,
    "np.matmul(x, x, axis=0)": MATRIX,
    "np.matmul(x, x.T, keepdims=True)": MATRIX,
    "np.matmul(x, x.T, keepdims=False)": MATRIX,
    "np.vecdot(x, x, keepdims=True)": MATRIX,
    "np.vecdot(x, x + 1, axis=0, keepdims=True, dtype='f4', casting='same_kind')": MATRIX,
    "np.vecdot(x.T, x, axes=[0, 1])": MATRIX,
    "np.vecdot(x, x, axes=[0, 0, 0], keepdims=True)": MATRIX,
    "np.vecdot(x, x, axes=[0, 0, 1], keepdims=True)": MATRIX,
    "np.vecdot(x, x, axes=[0, 0, ()])": MATRIX,
    "np.vecdot(x[0, 0], x, keepdims=True)": MATRIX,
    "np.vecdot(x, x, axes=[0, 0, 0])": MATRIX,
    "np.matvec(x, x[:, 0], axes=[(1, 0), 0, 0])": MATRIX,
    "np.vecmat(x, x, axes=[0, (0, 1), 1])": MATRIX,
    "np.vecdot(x, x + 1, axis=0, dtype='f4', casting='same_kind')": MATRIX,
    "np.vecdot(x.T, x.T + 1, dtype='f4', casting='same_kind')": MATRIX,
    "np.matmul(x.T, x, dtype='f4', casting='same_kind')": np.random.default_rng(0).normal(size=(40, 50)),
    "np.add(x, x, order=None)": MATRIX,
    "np.pad(x, {1: (1, 2), -2: 1})": MATRIX,
    "np.pad(x, {0: 1, -2: 3}, mode='edge')": MATRIX,
    "np.pad(x, {3: 1})": MATRIX,
    "np.pad(x, {0: -1})": MATRIX,
    "np.full((2, 2), x[0, 0], order='K')": MATRIX,
    "np.eye(3, order='F') + np.zeros_like(x, order='Z')": MATRIX,
    "np.trace(x, dtype='>f4')": MATRIX,
    "np.einsum('ij,kj->ik', x, x, optimize='greedy')": MATRIX,
    "np.clip(x, -0.5, 0.5, where=x > 0, out=np.zeros((4, 5)))": MATRIX,
    "np.clip(x, -0.5, 0.5, dtype=np.float32)": MATRIX,
    "np.clip(x, x[0], None, dtype=np.float32, casting='same_kind', order='F')": MATRIX,
    "np.clip(x, a_min=None, a_max=0.5, dtype=np.int8, casting='unsafe')": MATRIX,
    "np.clip(x, None, None, dtype='f4')": MATRIX,
    "np.clip(x, min=-0.5, casting='no')": MATRIX,
    "np.clip(x, -0.5, 0.5, casting='no', dtype='f4')": MATRIX,
    "np.clip(x, 0.5, where=x > 0)": MATRIX,
    "np.clip(x, 0, 0.5, axis=1)": MATRIX,
    "x.clip(-0.5, 0.5, dtype='f4', casting='unsafe')": MATRIX,
    "x.clip(max=x[0], where=True)": MATRIX,
    "np.clip((x * 9).astype('i1'), -1000, 5, dtype='i2')": MATRIX,
    "np.clip((x * 9).astype('i1'), -1000, 1000, dtype='i2')": MATRIX,
    "np.clip(x[0].astype('c8'), 0, x[1], dtype='c16')": MATRIX,
    "np.linalg.vector_norm(x, axis=(0, 1))": MATRIX,
    "x.reshape(np.prod(list(x.shape), dtype=int))": MATRIX,
    "np.ones(np.cumsum([len(x), 2], dtype=int)[1])": VECTOR,
    "np.ones(np.sum([len(x) * 1.4, len(x) * 2.4], dtype=int))": MATRIX,  # floats are cast before they are added
}


@pytest.mark.parametrize("text", CALLS)
def test_keywords_mean_what_they_mean_to_numpy(text: str) -> None:
    program, x = eval(f"lambda x: {text}", {"np": np, "ops": ops}), CALLS[text]
    wanted = outcome(program, (x,))
    for spec in (None, ({axis: Dim.AUTO for axis in range(x.ndim)},)):
        actual = outcome(lambda given, spec=spec: export(program, (copy.copy(x),), dynamic_shapes=spec).module()(given), (x,))
        assert actual == wanted


REFUSED = {
    "np.nanmedian(x, overwrite_input=True)": "overwrite_input",
    "np.nanpercentile(x, 30, 0, overwrite_input=True)": "overwrite_input",
    "np.einsum('ij,kj->ik', x, x, optimize='optimal')": "optimize=True",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused_says_what_to_write(text: str) -> None:
    with pytest.raises(ExportError) as caught:
        export(eval(f"lambda x: {text}", {"np": np, "ops": ops}), (NANS,), dynamic_shapes=({0: Dim.AUTO},))
    assert caught.value.code == "E101" and REFUSED[text] in caught.value.hint
