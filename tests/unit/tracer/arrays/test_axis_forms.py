# ruff: noqa: E501 -- a table of calls
"""Axes of every form that a caller may give: what NumPy makes of them, or a refusal with a code that is no internal error."""

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support.comparison import said

X = np.arange(12.0).reshape(3, 4)
FORMS = ((0,), [0], (0, 1), (), 1.0, 0.0, "0", True, np.array(0), np.array([0]), 2, ((0,),))
CALLS = (
    "np.linspace(x, x + 1, 5, axis=a) | np.logspace(x, x + 1, 5, axis=a) | np.geomspace(x + 1, x + 2, 5, axis=a) | np.sort(x, axis=a) | np.cumsum(x, axis=a) | np.take(x, [0], axis=a) | np.concatenate([x, x], axis=a)",
    "np.stack([x, x], axis=a) | np.repeat(x, 2, axis=a) | np.roll(x, 1, axis=a) | np.flip(x, axis=a) | np.argmax(x, axis=a) | np.diff(x, axis=a) | np.delete(x, 0, axis=a) | np.insert(x, 0, 0, axis=a) | np.append(x, x, axis=a)",
    "np.split(x, 1, axis=a) | np.expand_dims(x, a) | np.squeeze(x[None], a) | np.moveaxis(x, a, 0) | np.swapaxes(x, a, 0) | np.rollaxis(x, a) | np.sum(x, axis=a) | np.median(x, axis=a) | np.percentile(x, 30, axis=a) | np.std(x, axis=a)",
    "np.ptp(x, axis=a) | np.cross(x[:, :3], x[:, :3], axis=a) | np.fft.fft(x, axis=a) | np.fft.fft2(x, axes=a) | np.fft.fftn(x, axes=a) | np.fft.fftshift(x, axes=a) | np.linalg.norm(x, axis=a) | np.gradient(x, axis=a) | np.trapezoid(x, axis=a)",
    "np.unique(x, axis=a) | np.partition(x, 1, axis=a) | np.compress([True, False, True], x, axis=a) | np.count_nonzero(x, axis=a) | np.average(x, axis=a) | np.nansum(x, axis=a) | np.apply_along_axis(np.sum, a, x) | np.apply_over_axes(np.sum, x, a)",
    "np.take_along_axis(x, np.zeros((3, 4), int), a) | np.unwrap(x, axis=a) | np.tensordot(x, x, axes=a) | np.rot90(x, axes=a) | np.trace(x, axis1=a) | np.diagonal(x, 0, a, 1) | np.unstack(x, axis=a) | np.packbits(x > 1, axis=a) | np.lexsort(x, axis=a)",
    "np.lib.stride_tricks.sliding_window_view(x, 2, axis=a) | np.all(x, axis=a) | np.vecdot(x, x, axis=a) | x.take([0], a) | x.sum(a) | x.transpose(a) | np.add.reduce(x, axis=a) | np.add.accumulate(x, axis=a) | np.add.reduceat(x, [0, 1], axis=a)",
    "np.cumulative_sum(x, axis=a) | np.histogram(x, bins=a) | np.histogram_bin_edges(x, bins=a)",
)  # fmt: skip
TEXTS = [text.strip() for row in CALLS for text in row.split(" | ")]


@pytest.mark.parametrize("text", TEXTS)
def test_axes(text):
    f = eval(f"lambda x, a: {text}")
    captured = 0
    for axis in FORMS:
        expected = said(lambda axis=axis: f(X.copy(), axis))
        try:
            found = said(lambda axis=axis: export(lambda x: f(x, axis), (X,)).module()(X.copy()))
        except ExportError as refusal:
            assert refusal.code.startswith("E1"), f"{axis!r}: {refusal}"
            continue
        np.testing.assert_equal(found, expected, err_msg=repr(axis))
        captured += 1
    assert captured > len(FORMS) // 2
