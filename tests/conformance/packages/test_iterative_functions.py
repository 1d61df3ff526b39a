"""Iterative functions of SciPy, scikit-image and statsmodels as they are: which are captured, and with
which code the others are refused, is what the table of docs/control-flow.md says.
"""

from __future__ import annotations

import copy
import importlib
import importlib.util
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support.paths import DOCS

so = pytest.importorskip("scipy.optimize", reason="SciPy is not installed")
integrate = pytest.importorskip("scipy.integrate", reason="SciPy is not installed")
interpolate = pytest.importorskip("scipy.interpolate", reason="SciPy is not installed")
sparse = pytest.importorskip("scipy.sparse.linalg", reason="SciPy is not installed")
signal = pytest.importorskip("scipy.signal", reason="SciPy is not installed")
feature = pytest.importorskip("skimage.feature", reason="scikit-image is not installed")
filters = pytest.importorskip("skimage.filters", reason="scikit-image is not installed")
registration = pytest.importorskip("skimage.registration", reason="scikit-image is not installed")
restoration = pytest.importorskip("skimage.restoration", reason="scikit-image is not installed")
segmentation = pytest.importorskip("skimage.segmentation", reason="scikit-image is not installed")

stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")

Calls = list[tuple[Any, ...]]


def _cubic(x: Any) -> Any:
    return x * x * x - 2 * x - 5


def _slope(x: Any) -> Any:
    return 3 * x * x - 2


def _bowl(a: Any) -> Callable[[Any], Any]:
    return lambda x: (x - a[0]) ** 2


def _rosenbrock(x: Any) -> Any:
    return ((1 - x[:-1]) ** 2).sum() + 100 * ((x[1:] - x[:-1] ** 2) ** 2).sum()


def _rosenbrock_slope(x: Any) -> Any:
    return np.array([-2 * (1 - x[0]) - 400 * x[0] * (x[1] - x[0] ** 2), 200 * (x[1] - x[0] ** 2)])


_STARTS: Calls = [(np.array([2.0]),), (np.array([3.0]),), (np.array([0.5]),)]
_POINTS: Calls = [(np.array([1.3, 0.7]),), (np.array([-1.0, 2.0]),)]
_SERIES: Calls = [(np.sin(np.arange(9.0)),), (np.cos(np.arange(9.0) * 2),)]
_IMAGES: Calls = [(np.sin(np.arange(144.0) ** 2).reshape(12, 12) + 1,), (np.cos(np.arange(144.0) ** 2).reshape(12, 12) ** 2,)]
_PAIRS: Calls = [(np.sin(np.arange(12.0) ** 2), np.cos(np.arange(12.0))), (np.cos(np.arange(12.0) ** 2), np.sin(np.arange(12.0) * 5))]
_LONG: Calls = [(np.sin(np.arange(24.0) ** 2),), (np.cos(np.arange(24.0) ** 2) + np.arange(24.0) / 9,)]
_BLUR = np.full((3, 3), 1 / 9)

PROGRAMS: dict[str, tuple[Callable[..., Any], Calls]] = {
    "optimize.newton": (lambda a: so.newton(_cubic, a[0], fprime=_slope), _STARTS),
    "optimize.newton (secant)": (lambda a: so.newton(_cubic, a[0]), _STARTS),
    "optimize.bisect": (lambda a: so.bisect(_cubic, 0.0, a[0]), [(np.array([3.0]),)]),
    "optimize.brentq": (lambda a: so.brentq(_cubic, 0.0, a[0]), [(np.array([3.0]),)]),
    "optimize.toms748": (lambda a: so.toms748(_cubic, 0.0, a[0]), [(np.array([3.0]),)]),
    "optimize.bracket": (lambda a: so.bracket(_bowl(a), 0.0, 1.0), _STARTS),
    "optimize.root_scalar (Newton)": (lambda a: so.root_scalar(_cubic, x0=a[0], fprime=_slope, method="newton").root, _STARTS),
    "optimize.root_scalar (secant)": (lambda a: so.root_scalar(_cubic, x0=a[0], x1=a[0] + 1, method="secant").root, _STARTS),
    "optimize.root_scalar (Halley)": (
        lambda a: so.root_scalar(_cubic, x0=a[0], fprime=_slope, fprime2=lambda x: 6 * x, method="halley").root, _STARTS,
    ),
    "optimize.brent": (lambda a: so.brent(_bowl(a)), _STARTS),
    "optimize.golden": (lambda a: so.golden(_bowl(a)), _STARTS),
    "optimize.fminbound": (lambda a: so.fminbound(_bowl(a), 0.0, 4.0), _STARTS),
    "optimize.minimize_scalar": (lambda a: so.minimize_scalar(_bowl(a)).x, _STARTS),
    "optimize.minimize_scalar (golden)": (lambda a: so.minimize_scalar(_bowl(a), method="golden").x, _STARTS),
    "optimize.minimize_scalar (bounded)": (lambda a: so.minimize_scalar(_bowl(a), bounds=(0, 4), method="bounded").x, _STARTS),
    "optimize.fixed_point": (lambda a: so.fixed_point(lambda x: np.sqrt(10 / (x + 3)), a), [(np.array([1.2]),)]),
    "optimize.line_search": (lambda a: so.line_search(_rosenbrock, _rosenbrock_slope, a, -_rosenbrock_slope(a))[0], _POINTS),
    "optimize.fmin": (lambda a: so.fmin(_rosenbrock, a, disp=0), _POINTS),
    "optimize.minimize (BFGS)": (lambda a: so.minimize(_rosenbrock, a, jac=_rosenbrock_slope, method="BFGS").x, _POINTS),
    "optimize.approx_fprime": (lambda a: so.approx_fprime(a, _rosenbrock), _POINTS),
    "optimize.minimize (Nelder-Mead)": (lambda a: so.minimize(_rosenbrock, a, method="Nelder-Mead").x, _POINTS),
    "optimize.minimize (Powell)": (lambda a: so.minimize(_rosenbrock, a, method="Powell").x, _POINTS),
    "optimize.minimize (CG)": (lambda a: so.minimize(_rosenbrock, a, jac=_rosenbrock_slope, method="CG").x, _POINTS),
    "optimize.check_grad": (lambda a: so.check_grad(_rosenbrock, _rosenbrock_slope, a), _POINTS),
    "signal.wiener": (lambda a: signal.wiener(a, 3), _SERIES),
    "signal.argrelmax": (lambda a: signal.argrelmax(a), _SERIES),
    "signal.kaiser_beta": (lambda a: signal.kaiser_beta(a[0]), [(np.array([10.0]),), (np.array([30.0]),), (np.array([60.0]),)]),
    "signal.lfilter": (lambda a: signal.lfilter(np.ones(2), np.array([1.0, -0.3]), a), _SERIES),
    "signal.medfilt": (lambda a: signal.medfilt(a, 3), _SERIES),
    "signal.argrelextrema": (lambda a: signal.argrelextrema(a, np.greater), _SERIES),
    "signal.deconvolve": (lambda a: signal.deconvolve(a, np.array([1.0, 0.3]))[0], _SERIES),
    "signal.cheby1": (lambda a: signal.cheby1(2, 1, np.abs(a[0]) * 0.1 + 0.1), _SERIES),
    "signal.find_peaks": (lambda a: signal.find_peaks(a)[0], _SERIES),
    "integrate.romb": (lambda a: integrate.romb(a), _SERIES),
    "integrate.simpson": (lambda a: integrate.simpson(a), _SERIES),
    "integrate.quad_vec": (lambda a: integrate.quad_vec(lambda x: a * np.exp(-x * x), 0, 1)[0], _POINTS),
    "interpolate.krogh_interpolate": (lambda a: interpolate.krogh_interpolate(np.arange(9.0), a, np.array([0.3, 1.7])), _SERIES),
    "interpolate.interp1d": (lambda a: interpolate.interp1d(np.arange(9.0), a)(np.array([0.3, 1.7])), _SERIES),
    "sparse.cg": (lambda a: sparse.cg(np.outer(a, a) + 9 * np.eye(2), np.ones(2))[0], _POINTS),
    "integrate.solve_ivp": (lambda a: integrate.solve_ivp(lambda t, y: -y, (0.0, 1.0), a).y[:, -1], _POINTS),
    "skimage.restoration.wiener": (lambda a: restoration.wiener(a, _BLUR, 0.1), _IMAGES),
    "skimage.restoration.denoise_tv_chambolle": (lambda a: restoration.denoise_tv_chambolle(a, 0.1), _IMAGES),
    "skimage.restoration.richardson_lucy": (lambda a: restoration.richardson_lucy(a, _BLUR, num_iter=3), _IMAGES),
    "skimage.restoration.unsupervised_wiener": (
        lambda a: restoration.unsupervised_wiener(a, _BLUR, rng=np.random.default_rng(0))[0], _IMAGES,
    ),
    "skimage.segmentation.chan_vese": (lambda a: segmentation.chan_vese(a, max_num_iter=10), _IMAGES),
    "skimage.segmentation.inverse_gaussian_gradient": (lambda a: segmentation.inverse_gaussian_gradient(a), _IMAGES),
    "skimage.filters.gaussian": (lambda a: filters.gaussian(a), _IMAGES),
    "skimage.filters.sobel": (lambda a: filters.sobel(a), _IMAGES),
    "skimage.filters.median": (lambda a: filters.median(a), _IMAGES),
    "skimage.filters.frangi": (lambda a: filters.frangi(a), _IMAGES),
    "skimage.filters.unsharp_mask": (lambda a: filters.unsharp_mask(a), _IMAGES),
    "skimage.feature.corner_harris": (lambda a: feature.corner_harris(a), _IMAGES),
    "skimage.registration.optical_flow_ilk": (lambda a: registration.optical_flow_ilk(a, np.roll(a, 1), radius=3), _IMAGES),
    "skimage.filters.threshold_otsu": (lambda a: filters.threshold_otsu(a), _IMAGES),
    "skimage.filters.threshold_li": (lambda a: filters.threshold_li(a), _IMAGES),
    "skimage.filters.threshold_isodata": (lambda a: filters.threshold_isodata(a), _IMAGES),
    "skimage.filters.threshold_yen": (lambda a: filters.threshold_yen(a), _IMAGES),
    "skimage.filters.threshold_triangle": (lambda a: filters.threshold_triangle(a), _IMAGES),
    "skimage.registration.phase_cross_correlation": (
        lambda a: registration.phase_cross_correlation(a, np.roll(a, 2))[0], _IMAGES,
    ),
}  # fmt: skip

_LIKELIHOODS = {
    "norm.ppf": lambda a: stats.norm.ppf(1 / (1 + np.exp(-a))),
    "gamma.pdf": lambda a: stats.gamma.pdf(np.abs(a), 2.0),
    "rankdata": lambda a: stats.rankdata(a),
    "friedmanchisquare": lambda a: tuple(stats.friedmanchisquare(a[:8], a[8:16], a[16:])),
}
PROGRAMS |= {f"stats.{name}": (program, _LONG) for name, program in _LIKELIHOODS.items()}
_STATS = "zscore gzscore skew kurtosis variation tvar iqr"
_OF_PAIRS = "ttest_ind linregress pearsonr levene wilcoxon kruskal mannwhitneyu spearmanr brunnermunzel ansari mood fligner"


def _numbers_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """The items of a result that has attributes, too."""
    return lambda a, b: tuple(function(a, b))


PROGRAMS |= {f"stats.{name}": (_numbers_of(getattr(stats, name)), _PAIRS) for name in _OF_PAIRS.split()}
PROGRAMS |= {f"stats.{name}": (getattr(stats, name), [(np.abs(x) + 0.1,) for (x,) in _LONG]) for name in _STATS.split()}


def _statsmodels(module: str, call: str) -> Callable[..., Any]:
    """A call of a module of statsmodels with the array ``a``; ``X()`` makes the columns of a trend,
    ``GIVEN`` are such columns from outside.
    """

    def program(a: Any) -> Any:
        return function(a)

    def columns() -> Any:
        return np.vander(np.arange(24.0) / 24, 3)

    space = {"np": np, "X": columns, "GIVEN": columns()}
    if importlib.util.find_spec("statsmodels") is not None:
        space["m"] = importlib.import_module(f"statsmodels.{module}")
    function = eval(f"lambda a: m.{call}", space)
    return program


_OF_STATSMODELS = {
    "OLS.fit (regressors-from-outside)": ("api", "OLS(a, GIVEN).fit().params"),
    "OLS.fit": ("api", "OLS(a, X()).fit().params"),
    "WLS.fit": ("api", "WLS(a, X(), weights=abs(a) + 1).fit().params"),
    "GLS.fit": ("api", "GLS(a, X()).fit().params"),
    "GLSAR.iterative_fit": ("api", "GLSAR(a, X()).iterative_fit(2).params"),
    "RLM.fit": ("api", "RLM(a, X()).fit().params"),
    "GLM.fit": ("api", "GLM(a, X()).fit().params"),
    "HuberT.psi": ("robust.norms", "HuberT().psi(a)"),
    "Hampel.weights": ("robust.norms", "Hampel().weights(a)"),
    "TukeyBiweight.rho": ("robust.norms", "TukeyBiweight().rho(a)"),
    "estimate_location": ("robust.norms", "estimate_location(a, 1.0)"),
    "mad": ("robust.scale", "mad(a)"),
    "huber": ("robust.scale", "huber(a)"),
    "acf": ("tsa.stattools", "acf(a, nlags=5, fft=False)"),
    "ccf": ("tsa.stattools", "ccf(a, a**2)"),
    "pacf_burg": ("tsa.stattools", "pacf_burg(a, nlags=4)"),
    "levinson_durbin": ("tsa.stattools", "levinson_durbin(a, 3)"),
    "yule_walker": ("regression.linear_model", "yule_walker(a, 2)[0]"),
    "cffilter": ("tsa.filters.cf_filter", "cffilter(a)"),
    "bkfilter": ("tsa.filters.bk_filter", "bkfilter(a, 2, 5, 2)"),
    "hpfilter": ("tsa.filters.hp_filter", "hpfilter(a)"),
    "arma_generate_sample": ("tsa.arima_process", "arma_generate_sample([1, 0.2], [1, 0.3], 5, distrvs=lambda size: a[:5])"),
    "DescrStatsW.tconfint_mean": ("stats.weightstats", "DescrStatsW(a).tconfint_mean()"),
    "durbin_watson": ("stats.stattools", "durbin_watson(a)"),
    "fdrcorrection": ("stats.multitest", "fdrcorrection(1 / (30 + 20 * a))[1]"),
    "corr_nearest": ("stats.correlation_tools", "corr_nearest(np.eye(3) + 0.1 * np.outer(a[:3], a[:3]))"),
    "approx_hess": ("tools.numdiff", "approx_hess(a[:2], lambda x: (x * x).sum())"),
    "OLS.pvalues": ("api", "OLS(a, X()).fit().pvalues"),
    "QuantReg.fit": ("api", "QuantReg(a, X()).fit(0.5).params"),
    "kpss": ("tsa.stattools", "kpss(a)[0]"),
    "adfuller": ("tsa.stattools", "adfuller(a, maxlag=2, autolag=None)[0]"),
    "arma2ma": ("tsa.arima_process", "arma2ma(np.r_[1, a[:2] * 0.1], np.r_[1, a[2:4] * 0.1], 6)"),
    "recursive_filter": ("tsa.filters.filtertools", "recursive_filter(a, np.array([0.3]))"),
    "lowess": ("nonparametric.smoothers_lowess", "lowess(a, np.arange(24.0))"),
}
PROGRAMS |= {f"statsmodels.{name}": (_statsmodels(*call), _LONG) for name, call in _OF_STATSMODELS.items()}

_ROW = re.compile(
    r"^\| `((?:optimize|signal|integrate|interpolate|sparse|stats|statsmodels|skimage)\.[\w.]+)`( \([\w-]+\))? \| (captured|E\d\d\d)",
    re.MULTILINE,
)


def _told() -> dict[str, str]:
    text = (DOCS / "control-flow.md").read_text(encoding="utf-8")
    return {name + form: verdict for name, form, verdict in _ROW.findall(text)}


def test_the_table_has_a_row_for_every_function() -> None:
    assert _told().keys() == PROGRAMS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_functions_are_captured_or_refused_as_the_table_says(name: str) -> None:
    if name.startswith("statsmodels"):
        pytest.importorskip("statsmodels", reason="statsmodels is not installed")
    program, calls = PROGRAMS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program(*copy.deepcopy(calls[0]))  # imports what it needs
        try:
            module = export(program, copy.deepcopy(calls[0])).module()
        except ExportError as refusal:
            assert refusal.code == _told()[name], refusal
            return
        assert _told()[name] == "captured"
        for given in calls:
            assert repr(module(*copy.deepcopy(given))) == repr(program(*copy.deepcopy(given)))
