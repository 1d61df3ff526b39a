"""Functions from PyPI that nobody here wrote: name, and a maker of arguments from a random generator. One row a function.

Every row is exported with the arguments of one seed and held to eager at those of others, which have the same shapes and Python values.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

_IN_C = importlib.util.find_spec("numpy_financial") is not None and importlib.util.find_spec("numpy_financial._cfinancial") is not None
"""Whether functions of numpy_financial call C of its own, which those before version 1.1 do not."""


class Row(NamedTuple):
    """``name`` is the dotted path of the function; ``make(rng)`` gives its positional arguments, ``kwargs`` are the same for all seeds.

    ``refused`` is the code of the refusal where the function asks the data what to do next.
    ``bind`` turns what ``name`` names into the callable that is exported: a method of a fitted estimator, a function of a function.
    """

    name: str
    make: Callable[[np.random.Generator], tuple[Any, ...]]
    kwargs: dict[str, Any] = {}
    tag: str = ""
    refused: str = ""
    bind: Callable[[Any], Callable[..., Any]] | None = None

    @property
    def package(self) -> str:
        return self.name.partition(".")[0]

    @property
    def id(self) -> str:
        return self.name + (f"-{self.tag}" if self.tag else "")

    def resolve(self) -> Callable[..., Any]:
        """The function itself; raises ``ImportError`` where the package is missing."""
        module, attributes = self.name, []
        while True:
            module, _, attribute = module.rpartition(".")
            attributes.insert(0, attribute)
            try:
                value = importlib.import_module(module)
            except ModuleNotFoundError:
                if "." not in module:
                    raise
                continue
            for attribute in attributes:
                value = getattr(value, attribute)
            return value if self.bind is None else self.bind(value)


def normal(*shape: int, dtype: Any = float) -> Callable[[np.random.Generator], tuple[np.ndarray]]:
    return lambda rng: (rng.standard_normal(shape).astype(dtype),)


def uniform(*shape: int, low: float = 0.0, high: float = 1.0) -> Callable[[np.random.Generator], tuple[np.ndarray]]:
    return lambda rng: (rng.uniform(low, high, shape),)


def both(*makers: Callable[[np.random.Generator], tuple[Any, ...]]) -> Callable[[np.random.Generator], tuple[Any, ...]]:
    return lambda rng: tuple(value for make in makers for value in make(rng))


def fixed(*values: Any) -> Callable[[np.random.Generator], tuple[Any, ...]]:
    return lambda rng: values


def unit(*shape: int) -> Callable[[np.random.Generator], tuple[np.ndarray]]:
    """Vectors of length 1 along the last axis."""

    def make(rng: np.random.Generator) -> tuple[np.ndarray]:
        x = rng.standard_normal(shape)
        return (x / np.sqrt((x * x).sum(-1, keepdims=True)),)

    return make


def rotation(rng: np.random.Generator) -> tuple[np.ndarray]:
    q, r = np.linalg.qr(rng.standard_normal((3, 3)))
    q = q * np.sign(np.diag(r))
    return (q * np.linalg.det(q),)


def transform(rng: np.random.Generator) -> tuple[np.ndarray]:
    matrix = np.eye(4)
    matrix[:3, :3] = rotation(rng)[0]
    matrix[:3, 3] = rng.standard_normal(3)
    return (matrix,)


def positive_definite(*shape: int) -> Callable[[np.random.Generator], tuple[np.ndarray]]:
    def make(rng: np.random.Generator) -> tuple[np.ndarray]:
        x = rng.standard_normal(shape)
        return (x @ x.swapaxes(-1, -2) + np.eye(shape[-1]),)

    return make


NUMPY = (
    Row("numpy.pad", both(normal(3, 4), fixed(((1, 2), (0, 3))))),
    Row("numpy.pad", both(normal(5, 4), fixed(2)), {"mode": "reflect"}, "reflect"),
    Row("numpy.pad", both(normal(5, 4), fixed(2)), {"mode": "wrap"}, "wrap"),
    Row("numpy.pad", both(normal(5, 4), fixed(2)), {"mode": "edge"}, "edge"),
    Row("numpy.pad", both(normal(5, 4), fixed(3)), {"mode": "linear_ramp", "end_values": 1.0}, "linear_ramp"),
    Row("numpy.pad", both(normal(5, 4), fixed(1)), {"mode": "mean"}, "mean"),
    Row("numpy.cov", normal(3, 10)),
    Row("numpy.corrcoef", normal(3, 10)),
    Row("numpy.linalg.norm", normal(3, 4)),
    Row("numpy.linalg.norm", normal(3, 4), {"axis": 1, "ord": 1, "keepdims": True}, "ord-1"),
    Row("numpy.linalg.norm", normal(3, 4), {"ord": "nuc"}, "nuclear"),
    Row("numpy.linalg.matrix_power", both(normal(3, 3), fixed(5))),
    Row("numpy.linalg.multi_dot", lambda rng: ([rng.standard_normal((3, 4)), rng.standard_normal((4, 5)), rng.standard_normal((5, 2))],)),
    Row("numpy.linalg.cond", positive_definite(3, 3)),
    Row("numpy.linalg.pinv", normal(4, 3)),
    Row("numpy.gradient", normal(5, 6)),
    Row("numpy.gradient", both(normal(7), fixed(0.5)), {"edge_order": 2}, "edge-order"),
    Row("numpy.cross", both(normal(4, 3), normal(4, 3))),
    Row("numpy.kron", both(normal(2, 3), normal(3, 2))),
    Row("numpy.roll", both(normal(3, 4), fixed((1, -2), (0, 1)))),
    Row("numpy.rot90", both(normal(3, 4), fixed(3))),
    Row("numpy.diff", both(normal(3, 6), fixed(2))),
    Row("numpy.trapezoid", both(normal(3, 6), normal(6))),
    Row("numpy.average", normal(3, 4), {"axis": 1, "weights": np.array([1.0, 2.0, 3.0, 4.0])}),
    Row("numpy.nanmean", normal(3, 4), {"axis": 0}),
    Row("numpy.nanstd", normal(3, 4)),
    Row("numpy.median", normal(3, 5), {"axis": 1}),
    Row("numpy.percentile", both(normal(3, 5), fixed((25, 50))), {"axis": 0}),
    Row("numpy.interp", both(uniform(6), fixed(np.linspace(0, 1, 5)), normal(5))),
    Row("numpy.polyval", both(normal(4), normal(5))),
    Row("numpy.vander", both(normal(4), fixed(3))),
    Row("numpy.polynomial.chebyshev.chebval", both(normal(5), normal(4))),
    Row("numpy.apply_along_axis", normal(3, 4), bind=lambda along: lambda x: along(np.cumsum, 1, x)),
    Row("numpy.tensordot", both(normal(3, 4, 5), normal(4, 5, 2)), {"axes": 2}),
    Row("numpy.fft.fftshift", normal(4, 5)),
    Row("numpy.fft.rfft", normal(3, 8)),
    Row("numpy.unwrap", uniform(10, low=-10, high=10)),
    Row("numpy.i0", normal(5)),
    Row("numpy.sinc", normal(5)),
    Row("numpy.array_split", both(normal(7, 2), fixed(3))),
)

SCIPY = (
    Row("scipy.special.softmax", normal(3, 4), {"axis": 1}),
    Row("scipy.special.log_softmax", normal(3, 4)),
    Row("scipy.special.logsumexp", normal(3, 4), {"axis": 0}),
    Row("scipy.special.bernoulli", normal(5), bind=lambda bernoulli: lambda x: x * bernoulli(len(x) - 1)),
    Row("scipy.signal.windows.kaiser", normal(16), bind=lambda kaiser: lambda x: x * kaiser(len(x), 8.6)),
    Row("scipy.signal.windows.hann", normal(16), bind=lambda hann: lambda x: x * hann(x.shape[0])),
    Row("scipy.stats.zscore", normal(4, 5)),
    Row("scipy.stats.gmean", uniform(4, 5, low=0.1)),
    Row("scipy.stats.sem", normal(4, 5)),
    Row("scipy.stats.skew", normal(4, 5)),
    Row("scipy.stats.kurtosis", normal(4, 5)),
    Row("scipy.stats.variation", normal(4, 5)),
    Row("scipy.stats.tvar", normal(12)),
    Row("scipy.stats.chisquare", uniform(6, low=1.0), bind=lambda chisquare: lambda x: chisquare(x / x.sum())),
    Row("scipy.signal.detrend", normal(3, 8), {"type": "constant"}),
    Row("scipy.linalg.toeplitz", normal(5)),
    Row("scipy.linalg.circulant", normal(5)),
    Row("scipy.linalg.hankel", normal(5)),
    Row("scipy.linalg.companion", uniform(5, low=1.0, high=2.0)),
    Row("scipy.integrate.simpson", normal(3, 7), {"dx": 0.5}),
    Row("scipy.integrate.cumulative_trapezoid", normal(3, 7)),
    Row("scipy.optimize.rosen", normal(6)),
    Row("scipy.optimize.rosen_der", normal(6)),
    Row("scipy.ndimage.generate_binary_structure", fixed(2, 1)),
)

SKIMAGE = (
    Row("skimage.color.rgb2lab", uniform(6, 5, 3)),
    Row("skimage.color.lab2rgb", lambda rng: (rng.uniform((20, -10, -10), (80, 10, 10), (6, 5, 3)),)),
    Row("skimage.color.rgb2hsv", uniform(6, 5, 3)),
    Row("skimage.color.hsv2rgb", uniform(6, 5, 3)),
    Row("skimage.color.rgb2gray", uniform(6, 5, 3)),
    Row("skimage.color.gray2rgb", uniform(6, 5)),
    Row("skimage.color.rgb2xyz", uniform(6, 5, 3)),
    Row("skimage.color.rgb2yuv", uniform(6, 5, 3)),
    Row("skimage.color.rgb2ycbcr", uniform(6, 5, 3)),
    Row("skimage.color.rgb2hed", uniform(6, 5, 3, low=0.1)),
    Row("skimage.color.deltaE_cie76", both(uniform(6, 5, 3), uniform(6, 5, 3))),
    Row("skimage.color.deltaE_ciede2000", both(uniform(6, 5, 3, high=50), uniform(6, 5, 3, high=50))),
    Row("skimage.exposure.adjust_gamma", both(uniform(6, 5), fixed(2.2))),
    Row("skimage.exposure.adjust_sigmoid", uniform(6, 5)),
    Row("skimage.metrics.mean_squared_error", both(uniform(6, 5), uniform(6, 5))),
    Row("skimage.metrics.normalized_root_mse", both(uniform(6, 5), uniform(6, 5))),
    Row("skimage.util.img_as_float", lambda rng: (rng.integers(0, 256, (6, 5), np.uint8),)),
    Row("skimage.util.invert", uniform(6, 5)),
    Row("skimage.util.montage", uniform(4, 3, 3)),
    Row("skimage.util.view_as_blocks", both(uniform(4, 6), fixed((2, 3)))),
)

X, Y = np.random.default_rng(7).standard_normal((20, 3)), np.arange(20) % 2


def fitted(method: str, **options: Any) -> Callable[[Any], Callable[..., Any]]:
    """The method of an estimator that was fitted before the export."""
    return lambda estimator: getattr(estimator(**options).fit(X, Y), method)


def fitting(method: str) -> Callable[[Any], Callable[..., Any]]:
    """The fit of an estimator, and then the method; not the first fit of the process."""

    def bind(estimator: Any) -> Callable[..., Any]:
        estimator().fit(X, Y)
        return lambda data: getattr(estimator().fit(data), method)(data)

    return bind


SKLEARN = (
    Row("sklearn.preprocessing.StandardScaler", normal(4, 3), bind=fitted("transform")),
    Row("sklearn.preprocessing.StandardScaler", normal(4, 3), tag="fit", bind=fitting("transform")),
    Row("sklearn.preprocessing.MinMaxScaler", normal(4, 3), bind=fitted("transform")),
    Row("sklearn.preprocessing.MinMaxScaler", normal(4, 3), tag="fit", bind=fitting("transform")),
    Row("sklearn.decomposition.PCA", normal(4, 3), bind=fitted("transform", n_components=2)),
    Row("sklearn.linear_model.LinearRegression", normal(4, 3), bind=fitted("predict")),
    Row("sklearn.linear_model.LogisticRegression", normal(4, 3), bind=fitted("predict_proba")),
    Row("sklearn.naive_bayes.GaussianNB", normal(4, 3), bind=fitted("predict_proba")),
    Row("sklearn.neural_network.MLPRegressor", normal(4, 3), bind=fitted("predict", hidden_layer_sizes=(5,), max_iter=5, random_state=0)),
    *[
        Row(f"sklearn.{name}", normal(4, 3), bind=fitted(method, random_state=0, **options))
        for name, method, options in (
            ("tree.DecisionTreeClassifier", "predict", {}),
            ("tree.DecisionTreeRegressor", "apply", {"max_depth": 3}),
            ("ensemble.RandomForestClassifier", "predict_proba", {"n_estimators": 4}),
            ("ensemble.ExtraTreesRegressor", "predict", {"n_estimators": 4}),
            ("ensemble.AdaBoostRegressor", "predict", {"n_estimators": 4}),
            ("ensemble.BaggingRegressor", "predict", {"n_estimators": 3}),
        )
    ],
    Row("sklearn.ensemble.RandomForestRegressor", normal(4, 3), bind=fitted("predict", n_estimators=2, n_jobs=2), refused="E110"),
    Row("sklearn.utils.check_array", lambda rng: (rng.integers(0, 9, (4, 3)),), kwargs={"dtype": "float32"}),
    Row("sklearn.metrics.pairwise.linear_kernel", both(normal(4, 3), normal(5, 3))),
    Row("sklearn.metrics.pairwise.polynomial_kernel", both(normal(4, 3), normal(5, 3))),
    Row("sklearn.metrics.pairwise.rbf_kernel", both(normal(4, 3), normal(5, 3))),
    Row("sklearn.metrics.pairwise.sigmoid_kernel", both(normal(4, 3), normal(5, 3))),
    Row("sklearn.metrics.pairwise.cosine_similarity", both(normal(4, 3), normal(5, 3))),
    Row("sklearn.metrics.pairwise.euclidean_distances", both(normal(4, 3), normal(5, 3))),
    Row("sklearn.metrics.pairwise.additive_chi2_kernel", both(uniform(4, 3), uniform(5, 3)), refused="E101"),
    Row("sklearn.metrics.mean_absolute_error", both(normal(6), normal(6))),
    Row("sklearn.metrics.r2_score", both(normal(6), normal(6))),
    Row("sklearn.preprocessing.normalize", normal(4, 3)),
    Row("sklearn.preprocessing.scale", normal(4, 3)),
    Row("sklearn.preprocessing.minmax_scale", normal(4, 3)),
    Row("sklearn.utils.extmath.softmax", normal(4, 3)),
)

EINOPS = (
    Row("einops.rearrange", both(normal(2, 3, 4), fixed("a b c -> c (a b)"))),
    Row("einops.rearrange", both(normal(6, 4), fixed("(a b) c -> b a c")), {"a": 2}, "split"),
    Row("einops.reduce", both(normal(2, 4, 6), fixed("b (h h2) (w w2) -> b h w", "mean")), {"h2": 2, "w2": 3}),
    Row("einops.repeat", both(normal(2, 3), fixed("a b -> a (b r)")), {"r": 4}),
    Row("einops.einsum", both(normal(2, 3), normal(3, 4), fixed("i j, j k -> i k"))),
    Row("einops.pack", lambda rng: ([rng.standard_normal((2, 3)), rng.standard_normal((2, 4, 5))], "a *")),
)

SMALL_PACKAGES = (
    Row("numpy_financial.pmt", both(uniform(4, low=0.01, high=0.1), fixed(12), uniform(4, low=100, high=200))),
    Row("numpy_financial.fv", both(uniform(4, low=0.01, high=0.1), fixed(12), uniform(4), uniform(4))),
    Row("numpy_financial.pv", both(uniform(4, low=0.01, high=0.1), fixed(12), uniform(4))),
    Row("numpy_financial.mirr", lambda rng: (np.append(-100.0, rng.uniform(30, 60, 4)), 0.1, 0.12), refused="E101" if _IN_C else ""),
    Row("colorspacious.cspace_convert", both(uniform(5, 3), fixed("sRGB1", "XYZ100"))),
    Row("colorspacious.cspace_convert", both(uniform(5, 3), fixed("sRGB1", "CIELab")), {}, "lab"),
    Row("colorspacious.deltaE", both(uniform(5, 3), uniform(5, 3)), {"input_space": "sRGB1", "uniform_space": "CIELab"}),
    Row("transforms3d.quaternions.qmult", both(unit(4), unit(4))),
    Row("transforms3d.quaternions.qconjugate", unit(4)),
    Row("transforms3d.quaternions.rotate_vector", both(normal(3), unit(4))),
    Row("transforms3d.axangles.axangle2mat", both(unit(3), fixed(0.3, True))),
    Row("transforms3d.affines.compose", both(normal(3), rotation, uniform(3, low=0.5))),
    Row("transforms3d.euler.euler2mat", fixed(0.1, 0.2, 0.3)),
    Row("trimesh.transformations.quaternion_multiply", both(unit(4), unit(4))),
    Row("trimesh.transformations.quaternion_conjugate", unit(4)),
    Row("trimesh.transformations.vector_norm", normal(4, 3), {"axis": 1}),
    Row("trimesh.transformations.transform_points", both(normal(5, 3), transform)),
    Row("trimesh.transformations.translation_matrix", normal(3)),
    Row("trimesh.triangles.cross", normal(5, 3, 3)),
    Row("trimesh.triangles.area", normal(5, 3, 3)),
    Row("trimesh.triangles.angles", normal(5, 3, 3)),
    Row("trimesh.triangles.points_to_barycentric", both(normal(5, 3, 3), normal(5, 3))),
    Row("trimesh.util.diagonal_dot", both(normal(5, 3), normal(5, 3))),
    Row("trimesh.util.row_norm", normal(5, 3)),
    Row(
        "filterpy.kalman.predict",
        both(normal(2, 1), positive_definite(2, 2), normal(2, 2)),
        {"Q": 0.1},
    ),
    Row("filterpy.kalman.update", both(normal(2, 1), positive_definite(2, 2), normal(1, 1), fixed(np.eye(1)), normal(1, 2))),
    Row("filterpy.common.Q_discrete_white_noise", fixed(2), {"dt": 0.1, "var": 2.0}),
    Row("mir_eval.util.midi_to_hz", uniform(5, low=20, high=90)),
    Row("mir_eval.util.hz_to_midi", uniform(5, low=50, high=900)),
    Row("mir_eval.melody.hz2cents", uniform(5, low=50, high=900)),
    Row("opt_einsum.contract", lambda rng: ("ij,jk,kl->il", *[rng.standard_normal((3, 3)) for _ in range(3)])),
    Row("emcee.autocorr.function_1d", normal(16)),
    Row("pyquaternion.Quaternion", unit(4), bind=lambda quaternion: lambda q: quaternion(q).rotation_matrix),
    Row("pymap3d.geodetic2ecef", both(uniform(5, low=-60, high=60), uniform(5, low=-170, high=170), uniform(5, high=9000))),
    Row("pymap3d.enu2aer", both(normal(5), normal(5), normal(5))),
    Row("pymap3d.ecef2enu", both(uniform(5, high=1e6), uniform(5, high=1e6), uniform(5, high=1e6), fixed(42.0, -82.0, 200.0))),
    Row("pymap3d.haversine.anglesep", both(uniform(5, low=-60, high=60), uniform(5, low=-170, high=170), fixed(10.0, 20.0))),
    Row("pymap3d.rcurve.meridian", uniform(5, low=-60, high=60)),
    Row("pymap3d.aer2enu", both(uniform(5, high=360), uniform(5, high=89), uniform(5, high=1e4))),
    Row("skyfield.functions.to_spherical", normal(3, 5)),
    Row("skyfield.functions.rot_z", normal(4)),
    Row("skyfield.precessionlib.compute_precession", uniform(3, low=2.4e6, high=2.5e6)),
    Row("skyfield.nutationlib.iau2000b", uniform(3, low=2.4e6, high=2.5e6)),
    Row("skyfield.relativity.light_time_difference", both(normal(3), normal(3))),
    Row("tensorly.unfold", both(normal(3, 4, 5), fixed(1))),
    Row("tensorly.tenalg.mode_dot", both(normal(3, 4, 5), normal(6, 4), fixed(1))),
    Row("tensorly.tenalg.khatri_rao", lambda rng: ([rng.standard_normal((3, 2)), rng.standard_normal((4, 2))],)),
    Row("tensorly.cp_to_tensor", lambda rng: ((rng.uniform(size=2), [rng.standard_normal((n, 2)) for n in (3, 4, 5)]),)),
    Row("tensorly.tt_to_tensor", lambda rng: ([rng.standard_normal(shape) for shape in ((1, 3, 2), (2, 4, 2), (2, 5, 1))],)),
    Row("tensorly.metrics.RMSE", both(normal(3, 4), normal(3, 4))),
)

ROWS = (*NUMPY, *SCIPY, *SKIMAGE, *SKLEARN, *EINOPS, *SMALL_PACKAGES)
