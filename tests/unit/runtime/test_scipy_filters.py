"""Programs with compiled filters of SciPy are saved, and loaded: the kernels test what this C relies on, whatever a file says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, export, load, save
from npexport.ir.scipy_filters import CHECKED
from npexport.runtime.kernels import scipy_filters

ndimage = pytest.importorskip("scipy.ndimage", reason="SciPy is not installed")
signal = pytest.importorskip("scipy.signal", reason="SciPy is not installed")

CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], bool)
PROGRAMS = {
    "smoothed": lambda x: ndimage.gaussian_filter(x, 1.5, mode="wrap"),
    "derived": lambda x: (ndimage.sobel(x, 0), ndimage.laplace(x), ndimage.prewitt(x, mode="constant", cval=1)),
    "averaged": lambda x: ndimage.uniform_filter(x, (3, 2), mode="mirror"),
    "median": lambda x: (ndimage.median_filter(x, 3), ndimage.percentile_filter(x, 30, footprint=CROSS)),
    "extremes": lambda x: (ndimage.minimum_filter(x, 3), ndimage.maximum_filter(x, footprint=CROSS, origin=(0, 1))),
    "morphology": lambda x: ndimage.grey_dilation(x, structure=np.ones((3, 3)) * 0.5),
    "weights of data": lambda x: ndimage.convolve(x, x[:3, :3], mode="nearest"),
    "splines": lambda x: ndimage.spline_filter(x, 4),
    "floats": lambda x: ndimage.gaussian_filter(x.astype(np.float32), 1, output=np.float64),
    "recursive": lambda x: (signal.lfilter([0.2, 0.3], [1.0, -0.4], x), signal.filtfilt([0.5, 0.5], [1.0, 0.1], x, axis=1)),
}


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_from_a_file_are_eager_to_the_bit(name: str, dynamic: bool, tmp_path: Any) -> None:
    function, rng = PROGRAMS[name], np.random.default_rng(0)
    shapes = ({0: Dim("rows", min=12)},) if dynamic else None
    save(export(function, (rng.standard_normal((14, 16)),), dynamic_shapes=shapes), tmp_path / "program.np2")
    module = load(tmp_path / "program.np2").module()
    for rows in (14, 12, 19) if dynamic else (14,):
        x = rng.standard_normal((rows, 16))
        ours, eager = module(x), function(x)
        for mine, theirs in zip(*[found if isinstance(found, tuple) else (found,) for found in (ours, eager)], strict=True):
            assert mine.dtype == theirs.dtype
            np.testing.assert_array_equal(mine, theirs)


X, SHAPE, F8 = np.arange(12.0).reshape(3, 4), (3, 4), np.dtype(float)
LINE: dict[str, Any] = {"axis": 1, "mode": 2, "cval": 0.0, "origin": 0}
FIELD: dict[str, Any] = {"mode": 2, "cval": 0.0, "origins": (0, 0)}
FITTING: dict[str, dict[str, Any]] = {
    "correlate1d": {"input": X, "weights": np.ones(3), **LINE},
    "correlate": {"input": X, "weights": np.ones((3, 2)), **FIELD},
    "uniform_filter1d": {"input": X, "size": 3, **LINE},
    "min_or_max_filter1d": {"input": X, "size": 3, **LINE, "minimum": 1},
    "min_or_max_filter": {"input": X, "footprint": CROSS, "structure": None, **FIELD, "minimum": 0},
    "rank_filter": {"input": X, "rank": 2, "footprint": CROSS, **FIELD},
    "spline_filter1d": {"input": X, "order": 3, "axis": 0, "mode": 3},
}
WRONG: dict[str, list[Any]] = {
    "input": [np.arange(4.0), np.ones((3, 4, 2)), np.float64(1).reshape(())],
    "weights": [np.ones(0), np.ones((0, 3)), np.ones((1, 1, 1)), np.float64(1).reshape(()), np.array(["a"])],
    "footprint": [np.zeros((3, 3), bool), np.ones(3, bool), np.ones((0, 3), bool), np.ones((1, 1, 1), bool)],
    "structure": [np.ones((3, 2)), np.ones(9), np.ones((9, 9))],
    "size": [0, -1, 1 << 40, 1 << 62, 2.5],
    "axis": [2, -1, 1 << 40, 0.5],
    "mode": [-1, 7, 1 << 40, "wrap"],
    "origin": [2, -2, 1 << 40, 0.5],
    "origins": [(0, 2), (-2, 0), (0,), (0, 0, 0), (0, 1 << 40)],
    "rank": [-1, 5, 1 << 40],
    "order": [0, 1, 6, -3],
}
CASES = [(name, field, value) for name, given in FITTING.items() for field in given for value in WRONG.get(field, ())]


def _run(name: str, given: dict[str, Any], shape: Any = SHAPE) -> Any:
    return getattr(scipy_filters, name)(*given.values(), shape, F8)


def test_every_filter_that_files_may_hold_is_called_with_wrong_arguments() -> None:
    assert FITTING.keys() == CHECKED
    for name, given in FITTING.items():
        assert _run(name, given).shape == SHAPE
        for shape in ((3, 3), (4, 3), (12,), (3, 4, 1), (1, 1)):
            with pytest.raises(ValueError, match="do not fit"):
                _run(name, given, shape)


@pytest.mark.parametrize(("name", "field", "value"), CASES, ids=str)
def test_arguments_that_do_not_fit_are_refused(name: str, field: str, value: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        _run(name, {**FITTING[name], field: value})


@pytest.mark.parametrize(("b", "a"), [((), (1.0,)), ((1.0,), ()), (((1.0,),), (1.0,))])
def test_a_recursive_filter_without_coefficients_is_refused(b: Any, a: Any) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        scipy_filters.linear_filter(np.array(b), np.array(a), X, 1)
