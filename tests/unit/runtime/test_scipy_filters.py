"""Programs with compiled filters of SciPy are saved, and loaded: the kernels test what this C relies on, whatever a file says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, export, load, save
from npexport.ir.scipy_filters import CHECKED
from npexport.runtime.kernels import scipy_filters, scipy_functions

ndimage = pytest.importorskip("scipy.ndimage", reason="SciPy is not installed")
signal = pytest.importorskip("scipy.signal", reason="SciPy is not installed")
interpolate = pytest.importorskip("scipy.interpolate", reason="SciPy is not installed")
optimize = pytest.importorskip("scipy.optimize", reason="SciPy is not installed")

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
    "zoomed": lambda x: (ndimage.zoom(x, (2, 0.7), order=1), ndimage.zoom(x, 1.5, mode="grid-wrap", grid_mode=True), ndimage.shift(x, 1.5)),
    "turned": lambda x: ndimage.rotate(x, 30, mode="reflect", reshape=False),
    "mapped": lambda x: ndimage.map_coordinates(x, np.array([[1.5, np.nan, -1e300], [2, 2, np.inf]]), order=2, mode="nearest"),
    "coordinates of data": lambda x: ndimage.map_coordinates(x, x[:2] * 7, order=1, mode="mirror"),
    "affine": lambda x: ndimage.affine_transform(x.astype(np.float32), np.array([[0.5, 0.1], [0, 2.0]]), (1, -0.5), (20, 5)),
    "lines": lambda x: (
        ndimage.median_filter(x[0], 5),
        ndimage.rank_filter(x[:, 1], 2, 4, mode="wrap", origin=-1),
        signal.medfilt(x[1], 3),
    ),
    "correlated": lambda x: [signal.correlate(x, x[:3, :2], mode, "direct") for mode in ("full", "same", "valid")],
    "on a grid": lambda x: interpolate.interpn((np.arange(3.0), np.arange(4.0)), x[:3, :4], np.abs(x[:3, :2]) % 2),
    "least squares": lambda x: optimize.nnls(np.abs(x[:, :4]), x[:, 5]),
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
        for mine, theirs in zip(*[found if isinstance(found, (tuple, list)) else (found,) for found in (ours, eager)], strict=True):
            assert np.asarray(mine).dtype == np.asarray(theirs).dtype
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
    "geometric_transform": {
        "input": X,
        "mapping": None,
        "coordinates": np.ones((2, 3, 4)),
        "matrix": None,
        "offset": None,
        "order": 3,
        "mode": 6,
        "cval": 0.0,
        "npad": 0,
        "arguments": None,
        "keywords": None,
    },
    "zoom_shift": {
        "input": X,
        "zoom": np.ones(2),
        "shift": np.ones(2),
        "order": 3,
        "mode": 6,
        "cval": 0.0,
        "npad": 0,
        "grid_mode": 0,
    },
    "rank_filter1d": {"input": np.arange(12.0), "rank": 2, "size": 5, "mode": 2, "cval": 0.0, "origin": 0},
    "correlate_nd": {"input": np.ones((4, 6)), "kernel": np.ones((2, 3)), "mode": 0},
    "grid_evaluate_linear": {
        "values": np.ones((3, 4)),
        "indices": np.ones((2, 12), int),
        "norm_distances": np.ones((2, 12)),
        "grid": (np.arange(3.0), np.arange(4.0)),
    },
}
SHAPES = dict.fromkeys(FITTING, SHAPE) | {"rank_filter1d": (12,), "grid_evaluate_linear": (12,)}
WRONG: dict[str, list[Any]] = {
    "input": [np.arange(4.0), np.ones((3, 4, 2)), np.float64(1).reshape(()), np.ones((0, 4))],
    "weights": [np.ones(0), np.ones((0, 3)), np.ones((1, 1, 1)), np.float64(1).reshape(()), np.array(["a"])],
    "footprint": [np.zeros((3, 3), bool), np.ones(3, bool), np.ones((0, 3), bool), np.ones((1, 1, 1), bool)],
    "structure": [np.ones((3, 2)), np.ones(9), np.ones((9, 9))],
    "size": [0, -1, 1 << 40, 1 << 62, 2.5],
    "axis": [2, -1, 1 << 40, 0.5],
    "mode": [-1, 7, 1 << 40, "wrap"],
    "origin": [3, -3, 1 << 40, 0.5],
    "origins": [(0, 2), (-2, 0), (0,), (0, 0, 0), (0, 1 << 40)],
    "rank": [-1, 5, 1 << 40],
    "order": [-1, 6, -3, 1 << 40, 0.5],
    "mapping": [len, 1],
    "coordinates": [
        None,
        np.ones((2, 12)),
        np.ones((2, 4, 4)),
        np.full((2, 3, 4), np.nan),
        np.full((2, 3, 4), 1e300),
        np.ones((2, 3, 4), "M8[s]"),
    ],
    "matrix": [np.ones((2, 2))],
    "npad": [-1, 1 << 40, 0.5],
    "arguments": [(1,)],
    "keywords": [{"a": 1}],
    "zoom": [np.ones(1), np.full(2, np.nan), np.full(2, 1e300)],
    "shift": [np.ones(3), np.array([0, np.inf]), np.full(2, -1e300)],
    "kernel": [np.ones((2, 0)), np.ones(3), np.ones((5, 3)), np.ones((1, 3))],
    "values": [np.ones((3, 3)), np.ones(12), np.ones((0, 4)), np.ones((3, 4), np.float32)],
    "indices": [np.full((2, 12), 2), np.full((2, 12), -2), np.ones((2, 11), int), np.ones((12, 2), int), np.full((2, 12), 0.5)],
    "norm_distances": [np.ones((2, 11)), np.ones(24)],
    "grid": [(np.arange(3.0),), (np.arange(3.0), np.arange(3.0)), [np.arange(3.0), np.arange(4.0)], (np.arange(3.0), np.ones((4, 1)))],
}
CASES = [(name, field, value) for name, given in FITTING.items() for field in given for value in WRONG.get(field, ())]


def _run(name: str, given: dict[str, Any], shape: Any = None) -> Any:
    return getattr(scipy_filters, name)(*given.values(), SHAPES[name] if shape is None else shape, F8)


def test_every_filter_that_files_may_hold_is_called_with_wrong_arguments() -> None:
    assert FITTING.keys() == CHECKED
    for name, given in FITTING.items():
        assert _run(name, given).shape == SHAPES[name]
        fields = () if name == "zoom_shift" else ((3, 3), (4, 3), (1, 1))
        for shape in (*fields, (11,), (3, 4, 1)):
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


@pytest.mark.parametrize("mode", range(7))
def test_images_are_transformed_by_matrices_that_lead_no_further_than_c_counts(mode: int) -> None:
    given = FITTING["geometric_transform"] | {"coordinates": None, "matrix": np.eye(2), "offset": np.zeros(2), "mode": mode}
    np.testing.assert_array_equal(_run("geometric_transform", given | {"order": 1}), X)
    for far in (np.full(2, np.inf), np.full(2, np.nan), np.full(2, -1e300)):
        if mode in (0, 4):
            assert _run("geometric_transform", given | {"offset": far}).shape == SHAPE
        elif mode == 6 or not np.isnan(far).any():
            with pytest.raises(ValueError, match="do not fit"):
                _run("geometric_transform", given | {"offset": far})
    for wrong in ({"matrix": np.eye(3)}, {"offset": np.zeros(1)}, {"coordinates": np.ones((2, 3, 4))}):
        with pytest.raises(ValueError, match="do not fit"):
            _run("geometric_transform", given | wrong)


@pytest.mark.parametrize("mode", ["reflect", "constant", "nearest", "mirror", "wrap"])
def test_lines_that_are_as_short_as_their_filters_are_eager(mode: str) -> None:
    for length, size in [(n, k) for n in range(3, 8) for k in range(3, 2 * n)]:
        x = np.random.default_rng(size).standard_normal(length)
        program = export(lambda x, size=size: ndimage.median_filter(x, size, mode=mode), (x,))
        np.testing.assert_array_equal(program.module()(x), ndimage.median_filter(x, size, mode=mode))
    for rank in (0, 4):
        with pytest.raises(ValueError, match="do not fit"):
            _run("rank_filter1d", FITTING["rank_filter1d"] | {"rank": rank})


def test_least_squares_without_elements_read_nothing() -> None:
    kernel = scipy_functions.optimize_nnls
    assert [part.tolist() for part in kernel(np.ones((2, 0)), np.array([3.0, 4.0]))] == [[], 5.0]
    for shape, count in (((0, 2), 0), ((2, 0), 3), ((0, 0), 1)):
        with pytest.raises(ValueError, match="are nothing"):
            kernel(np.ones(shape), np.ones(count))
    with pytest.raises(ValueError, match="needs one of the grid"):
        scipy_functions.grid_find_indices((np.ones(0),), np.ones((1, 2)))
    with pytest.raises(ValueError, match="needs one of the grid"):
        scipy_functions.grid_find_indices((np.array([np.nan, 1]),), np.ones((1, 2)))
