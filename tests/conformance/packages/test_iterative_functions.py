"""Iterative functions of SciPy and scikit-image as they are: which are captured, and with which code
the others are refused, is what the table of docs/control-flow.md says.
"""

from __future__ import annotations

import copy
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
signal = pytest.importorskip("scipy.signal", reason="SciPy is not installed")
filters = pytest.importorskip("skimage.filters", reason="scikit-image is not installed")
registration = pytest.importorskip("skimage.registration", reason="scikit-image is not installed")
restoration = pytest.importorskip("skimage.restoration", reason="scikit-image is not installed")

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
_BLUR = np.full((3, 3), 1 / 9)

PROGRAMS: dict[str, tuple[Callable[..., Any], Calls]] = {
    "optimize.newton": (lambda a: so.newton(_cubic, a[0], fprime=_slope), _STARTS),
    "optimize.newton (secant)": (lambda a: so.newton(_cubic, a[0]), _STARTS),
    "optimize.bisect": (lambda a: so.bisect(_cubic, 0.0, a[0]), [(np.array([3.0]),)]),
    "optimize.brentq": (lambda a: so.brentq(_cubic, 0.0, a[0]), [(np.array([3.0]),)]),
    "optimize.toms748": (lambda a: so.toms748(_cubic, 0.0, a[0]), [(np.array([3.0]),)]),
    "optimize.brent": (lambda a: so.brent(_bowl(a)), _STARTS),
    "optimize.golden": (lambda a: so.golden(_bowl(a)), _STARTS),
    "optimize.fminbound": (lambda a: so.fminbound(_bowl(a), 0.0, 4.0), _STARTS),
    "optimize.minimize_scalar": (lambda a: so.minimize_scalar(_bowl(a)).x, _STARTS),
    "optimize.fixed_point": (lambda a: so.fixed_point(lambda x: np.sqrt(10 / (x + 3)), a), [(np.array([1.2]),)]),
    "optimize.line_search": (lambda a: so.line_search(_rosenbrock, _rosenbrock_slope, a, -_rosenbrock_slope(a))[0], _POINTS),
    "optimize.fmin": (lambda a: so.fmin(_rosenbrock, a, disp=0), _POINTS),
    "optimize.minimize (BFGS)": (lambda a: so.minimize(_rosenbrock, a, jac=_rosenbrock_slope, method="BFGS").x, _POINTS),
    "optimize.approx_fprime": (lambda a: so.approx_fprime(a, _rosenbrock), _POINTS),
    "signal.wiener": (lambda a: signal.wiener(a, 3), _SERIES),
    "signal.argrelmax": (lambda a: signal.argrelmax(a), _SERIES),
    "signal.kaiser_beta": (lambda a: signal.kaiser_beta(a[0]), [(np.array([10.0]),), (np.array([30.0]),), (np.array([60.0]),)]),
    "signal.lfilter": (lambda a: signal.lfilter(np.ones(2), np.array([1.0, -0.3]), a), _SERIES),
    "signal.find_peaks": (lambda a: signal.find_peaks(a)[0], _SERIES),
    "integrate.romb": (lambda a: integrate.romb(a), _SERIES),
    "integrate.simpson": (lambda a: integrate.simpson(a), _SERIES),
    "integrate.solve_ivp": (lambda a: integrate.solve_ivp(lambda t, y: -y, (0.0, 1.0), a).y[:, -1], _POINTS),
    "skimage.restoration.wiener": (lambda a: restoration.wiener(a, _BLUR, 0.1), _IMAGES),
    "skimage.restoration.denoise_tv_chambolle": (lambda a: restoration.denoise_tv_chambolle(a, 0.1), _IMAGES),
    "skimage.restoration.richardson_lucy": (lambda a: restoration.richardson_lucy(a, _BLUR, num_iter=3), _IMAGES),
    "skimage.filters.threshold_otsu": (lambda a: filters.threshold_otsu(a), _IMAGES),
    "skimage.filters.threshold_li": (lambda a: filters.threshold_li(a), _IMAGES),
    "skimage.filters.threshold_isodata": (lambda a: filters.threshold_isodata(a), _IMAGES),
    "skimage.filters.threshold_yen": (lambda a: filters.threshold_yen(a), _IMAGES),
    "skimage.filters.threshold_triangle": (lambda a: filters.threshold_triangle(a), _IMAGES),
    "skimage.registration.phase_cross_correlation": (
        lambda a: registration.phase_cross_correlation(a, np.roll(a, 2))[0], _IMAGES,
    ),
}  # fmt: skip

_ROW = re.compile(r"^\| `((?:optimize|signal|integrate|skimage)\.[\w.]+)`( \([\w-]+\))? \| (captured|E\d\d\d)", re.MULTILINE)


def _told() -> dict[str, str]:
    text = (DOCS / "control-flow.md").read_text(encoding="utf-8")
    return {name + form: verdict for name, form, verdict in _ROW.findall(text)}


def test_the_table_has_a_row_for_every_function() -> None:
    assert _told().keys() == PROGRAMS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_functions_are_captured_or_refused_as_the_table_says(name: str) -> None:
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
