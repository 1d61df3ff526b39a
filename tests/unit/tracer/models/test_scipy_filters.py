"""Filters of SciPy whose loops are compiled: their Python is interpreted, what they compile is an operator."""

import numpy as np
import pytest

from npexport import Dim, ExportError, LoadError, UserError, export, load, save
from npexport.ir.archive_rows import operator
from tests.support.outcomes import outcome
from tests.support.plain_modules import module_of

scipy = pytest.importorskip("scipy", reason="SciPy is not installed")
ndimage = pytest.importorskip("scipy.ndimage", reason="SciPy is not installed")
signal = pytest.importorskip("scipy.signal", reason="SciPy is not installed")
hierarchy = pytest.importorskip("scipy.cluster.hierarchy", reason="SciPy is not installed")
interpolate = pytest.importorskip("scipy.interpolate", reason="SciPy is not installed")
stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")


def in_place(x):
    ndimage.gaussian_filter(x, 1.0, output=x)
    return x.sum()


def into_a_part(x):
    found = np.zeros((6, x.shape[1]), np.float32)
    ndimage.uniform_filter(x[:3], 3, output=found[::2])
    return found


def where_bright(x):
    return ndimage.sobel(x) if x.mean() > 0 else ndimage.minimum_filter(x, 3)


def axes(x):
    return tuple(np.arange(float(size)) for size in x.shape)


def until_smooth(x):
    turns = 0
    while abs(np.diff(x)).max() > 0.1 and turns < 20:
        x = ndimage.uniform_filter1d(x, 3)
        turns += 1
    return x, turns


KNOTS = np.concatenate([np.zeros(4), np.linspace(0.2, 0.8, 5), np.ones(4)])
DENSITY = stats.gaussian_kde(np.sin(np.arange(20.0) ** 2).reshape(2, 10))
PROGRAMS = {
    "gaussian": lambda x: ndimage.gaussian_filter(x, 1.0, mode="constant", cval=0.5),
    "gradient": lambda x: ndimage.gaussian_gradient_magnitude(x, 0.7),
    "laplace": lambda x: ndimage.laplace(x, mode="wrap"),
    "correlate": lambda x: ndimage.correlate(x, np.arange(6.0).reshape(2, 3), origin=(0, 1)),
    "weights of data": lambda x: ndimage.convolve(x, x[:3, :3], mode="nearest"),
    "integers": lambda x: ndimage.uniform_filter((x * 9).astype(np.int32), 3),
    "maximum": lambda x: ndimage.maximum_filter(x, size=(3, 1)) - ndimage.grey_erosion(x, size=3),
    "footprint": lambda x: ndimage.maximum_filter(x, footprint=np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], bool)),
    "median": lambda x: (ndimage.median_filter(x, 3), ndimage.percentile_filter(x[0], 40, 3)),
    "spline": lambda x: ndimage.spline_filter(x, order=3),
    "shift": lambda x: ndimage.shift(x, (0.5, -1.2), order=1),
    "affine": lambda x: ndimage.affine_transform(x, np.array([[0.9, 0.1], [-0.1, 0.9]]), order=1),
    "coordinates": lambda x: ndimage.map_coordinates(x, [[0.5, 1.5], [1.0, x[0, 0] % 2]], order=1),
    "lfilter": lambda x: signal.lfilter([1.0, 0.5], [2.0, -0.3], x, axis=0),
    "lfilter with state": lambda x: signal.lfilter([1.0, 0.5], [1.0, -0.3], x, zi=x[:, :1]),
    "coefficients of data": lambda x: signal.lfilter([1.0], [x[0, 0], 0.2], x[0]),
    "deconvolve": lambda x: signal.deconvolve(x[0], [1.0, 0.2]),
    "direct": lambda x: signal.correlate(x, x[:2, :2], method="direct"),
    "natural spline": lambda x: interpolate.CubicSpline(np.arange(x.shape[1]), x[0], bc_type="natural")(x[1] * 9, 1),
    "monotonic": lambda x: interpolate.PchipInterpolator(np.arange(6.0), x[0], extrapolate=False)(np.linspace(-1, 7, 9)),
    "fixed spline": lambda x: interpolate.CubicSpline(np.arange(9.0), np.sin(np.arange(9.0)))(x),
    "area": lambda x: interpolate.Akima1DInterpolator(np.arange(6.0), x[0]).integrate(0.5, 4.0),
    "grid": lambda x: interpolate.RegularGridInterpolator(axes(x), x, bounds_error=False)(abs(x[:, :2]) * 3),
    "beyond the grid": lambda x: interpolate.RegularGridInterpolator(axes(x), x, bounds_error=False, fill_value=None)((x[0], x[1])),
    "nearest of a grid": lambda x: interpolate.interpn(axes(x), x, abs(x[:, 2:4]), "nearest"),
    "grid of three axes": lambda x: interpolate.RegularGridInterpolator((*axes(x), [0.0, 2.0]), np.stack([x, -x], 2))([[1.5, 2.5, 0.5]]),
    "smoothing spline": lambda x: interpolate.splev(x[1], interpolate.splrep(np.arange(6.0), x[0], s=0.4), der=1, ext=1),
    "integral of a spline": lambda x: interpolate.splint(0.5, x[1, 0], interpolate.splrep(np.arange(x.shape[1]), x[0])),
    "spline through points": lambda x: interpolate.splrep(np.arange(x.shape[1]), x[0], k=2)[1],
    "fixed B-spline": lambda x: interpolate.BSpline(KNOTS, np.cos(np.arange(9.0)), 3)(x, nu=1),
    "interpolating spline": lambda x: interpolate.make_interp_spline(np.arange(x.shape[1]), x.T, check_finite=False)(x[1] * 9),
    "complex spline": lambda x: interpolate.make_interp_spline(np.arange(6.0), x[0] + 1j * x[1], k=2, check_finite=False)(x[1] * 9),
    "cubic": lambda x: interpolate.interp1d(np.arange(6.0), x, kind="cubic", bounds_error=False)(x[1] * 3),
    "density": lambda x: stats.gaussian_kde(x[0])(x[1]),
    "logarithms of a density": lambda x: stats.gaussian_kde(x[0], "silverman").logpdf(x[1]),
    "fixed density": lambda x: DENSITY(x[:2]),
    "into a part": into_a_part,
    "in place": in_place,
    "on a side": where_bright,
    "in a loop": until_smooth,
}
DATA = [
    np.sin(np.arange(24.0) ** 2).reshape(4, 6),
    np.cos(np.arange(24.0) * 3).reshape(4, 6) - 0.4,
    np.zeros((4, 6)),
    np.full((4, 6), np.nan),
]


@pytest.mark.parametrize("name", PROGRAMS)
def test_filters_are_eager_to_the_bit(name):
    program = PROGRAMS[name]
    module = export(program, (DATA[0].copy(),)).module()
    for x in DATA:
        assert outcome(module, (x,)) == outcome(program, (x,))


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize(
    ("image", "kernel"), [("u1", "f8"), ("f4", "i4"), ("i2", "f4"), ("?", "u1"), ("f8", "u1"), ("?", "?"), ("u1", "i8")]
)
def test_correlations_compute_in_the_dtype_of_both(image, kernel, mode):
    def program(x, k):
        return signal.correlate(x, k, mode, method="direct"), signal.convolve(k, x, mode, method="direct")

    x, k = (abs(DATA[0]) * 9).astype(image), (abs(DATA[1][:2, :3]) * 5).astype(kernel)
    try:
        run = export(program, (x, k)).module()
    except ValueError as error:  # of truths alone
        with pytest.raises(ValueError, match=str(error)):
            program(x, k)
    else:
        assert outcome(run, (x, k)) == outcome(program, (x, k))


def test_no_file_may_hold_what_trusts_its_arguments(tmp_path):
    """A call with other arguments could read and write outside of its arrays."""
    with pytest.raises(UserError) as caught:
        save(export(hierarchy.cophenet, (hierarchy.linkage(DATA[0]),)), tmp_path / "program.np2")
    assert caught.value.code == "E242" and not list(tmp_path.iterdir())
    with pytest.raises(LoadError) as refused:
        operator("scipy.hierarchy_cophenet")
    assert refused.value.code == "E503"


@pytest.mark.parametrize("name", ["gaussian", "lfilter", "natural spline"])
def test_modules_of_plain_python_call_them(name, tmp_path):
    program = PROGRAMS[name]
    forward = module_of(export(program, (DATA[0].copy(),)), tmp_path / "plain.py").forward
    for x in DATA:
        assert outcome(forward, (x,)) == outcome(program, (x,))


FITS = ["natural spline", "spline through points", "fixed B-spline", "interpolating spline", "density"]


@pytest.mark.parametrize(
    "name", ["gaussian", "laplace", "maximum", "spline", "lfilter", "into a part", "in place", "natural spline", *FITS]
)
def test_sizes_may_be_dynamic(name):
    program = PROGRAMS[name]
    module = export(program, (DATA[0].copy(),), dynamic_shapes=({1: Dim("n", min=4)},)).module()
    for size in (4, 6, 31):
        x = np.sin(np.arange(4.0 * size) ** 2).reshape(4, size)
        np.testing.assert_array_equal(module(x.copy()), program(x.copy()))


def test_fits_are_read_from_files(tmp_path):
    for name in (*FITS, "smoothing spline", "complex spline", "cubic", "fixed density"):
        save(export(PROGRAMS[name], (DATA[0],)), tmp_path / "program.np2")
        assert outcome(load(tmp_path / "program.np2").module(), (DATA[1],)) == outcome(PROGRAMS[name], (DATA[1],))


@pytest.mark.parametrize("name", ["welch", "csd", "coherence"])
def test_spectra_of_any_size(name):
    of_two = {"csd": signal.csd, "coherence": signal.coherence}.get(name)
    program = (lambda x: of_two(x, x[::-1], nperseg=8)) if of_two else lambda x: signal.welch(x, nperseg=8)
    module = export(program, (np.sin(np.arange(30.0) ** 2),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for size in (30, 31, 12, 100):
        x = np.cos(np.arange(size) ** 2)
        assert outcome(module, (x,)) == outcome(program, (x,))


@pytest.mark.skipif(scipy.__version__ < "1.18", reason="its lstsq is Fortran, which is refused (E101)")
def test_a_trend_of_any_size():
    module = export(lambda x: signal.detrend(x), (np.sin(np.arange(30.0)),), dynamic_shapes=({0: Dim("n", min=3)},)).module()
    for size in (30, 3, 101):
        x = np.cos(np.arange(size) ** 2)
        assert outcome(module, (x,)) == outcome(signal.detrend, (x,))


def test_other_dtypes_and_callables_are_refused():
    for program in (
        lambda x: ndimage.gaussian_filter(x.astype(np.longdouble), 1.0),
        lambda x: ndimage.geometric_transform(x, lambda at: at),
    ):
        with pytest.raises((ExportError, RuntimeError)):
            export(program, (DATA[0],))


@pytest.mark.parametrize(
    "kinds", [(float, bool, float), (bool, bool, float), (float, float, bool), (np.float32, bool, bool), (bool, bool, bool)]
)
def test_truths_are_coefficients_and_samples(kinds):
    """The first coefficient is not 0, as the stand-ins of arrays are."""
    b, a, x = (np.array(values).astype(kind) for values, kind in zip(([1.0], [1.0, 0.0, 1.0], [1.0, 0.0, 3.0, 1.0]), kinds, strict=True))

    def f(b, a, x):
        return signal.lfilter(b, a, x)

    expected = outcome(f, (b, a, x))
    if len(expected) == 2:  # neither a number
        with pytest.raises(NotImplementedError):
            export(f, (b, a, x))
        return
    assert outcome(export(f, (b, a, x)).module(), (b, a, x)) == expected
