"""Functions of SciPy that end in C: one operator each, whose kernel is SciPy's function."""

import importlib
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest

from npexport import Dim, ExportError, export, load, save
from npexport.ir.op import REGISTRY
from tests.op_samples import samples_of
from tests.support.records import arrays_of, disagreement

linalg = pytest.importorskip("scipy.linalg", reason="SciPy is not installed")
distance = pytest.importorskip("scipy.spatial.distance", reason="SciPy is not installed")
ndimage = pytest.importorskip("scipy.ndimage", reason="SciPy is not installed")
signal = pytest.importorskip("scipy.signal", reason="SciPy is not installed")
hierarchy = pytest.importorskip("scipy.cluster.hierarchy", reason="SciPy is not installed")
optimize = pytest.importorskip("scipy.optimize", reason="SciPy is not installed")
transform = pytest.importorskip("scipy.spatial.transform", reason="SciPy is not installed")
MODULES = {
    "linalg": "linalg", "distance": "spatial.distance", "ndimage": "ndimage", "signal": "signal", "hierarchy": "cluster.hierarchy",
    "optimize": "optimize", "grid": "interpolate", "peaks": "signal", "spline": "interpolate", "rotation": "spatial.transform",
}  # fmt: skip


def operators():
    for module in MODULES.values():
        importlib.import_module(f"scipy.{module}")
    REGISTRY.provide_loaded()
    return [op for op in REGISTRY if op.namespace == "scipy" and op.name.partition("_")[0] in MODULES and "typed_parameters" in op.traits]


def test_rules_say_what_the_kernels_return():
    found = [disagreement(op, args, kwargs) for op in operators() for args, kwargs in samples_of(op)]
    assert len(found) > 200
    assert "\n".join(filter(None, found)) == ""


def outcome(function, *args):
    """What is returned, or raised, and warned of."""
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            result = function(*args)
            if type(result).__name__ == "_memoryviewslice":  # an array, to SciPy's own functions
                result = np.asarray(result)
        except ExportError:
            raise
        except Exception as error:
            result = type(error), str(error)
    return repr(result), {(warning.category, str(warning.message)) for warning in caught}


def calling(op, args, kwargs):
    """A program of a call: of its arrays; and the arrays."""
    (function,) = op.models[:1]
    leaves = arrays_of((*args, *kwargs.values()))

    def program(*arrays):
        given = iter(arrays)

        def put(value):
            if isinstance(value, tuple):
                return tuple(put(item) for item in value)
            return next(given) if isinstance(value, np.ndarray) else value

        return function(*[put(arg) for arg in args], **{name: put(value) for name, value in kwargs.items()})

    return program, leaves


FEW = "linalg_solve linalg_svd linalg_cho_factor distance_cdist signal_upfirdn".split()


@pytest.mark.parametrize("names", [FEW, pytest.param(None, marks=pytest.mark.slow)], ids=["few", "all"])
def test_programs_are_eager_to_the_bit_also_from_a_file(names, tmp_path):
    for op in operators():
        for args, kwargs in samples_of(op)[:1] if names and op.name in names else [] if names else samples_of(op):
            kept = {name: value for name, value in kwargs.items() if not name.startswith("overwrite_")}
            program, arrays = calling(op, args, kept)
            exported = export(program, tuple(arrays))
            if "unchecked" in op.traits:  # a file could make it read where there is no array
                with pytest.raises(ExportError, match="E242"):
                    save(exported, tmp_path / "program.np2")
                loaded = exported.module()
            else:
                save(exported, tmp_path / "program.np2")
                loaded = load(tmp_path / "program.np2").module()
            assert op in [node.target for node in exported.graph]
            for data in (arrays, [array[::-1].copy() for array in arrays], [np.zeros_like(array) for array in arrays]):
                assert outcome(exported.module(), *data) == outcome(loaded, *data) == outcome(program, *data), (op, args, kwargs)


def posterior(x, y, q):
    """The mean and the spread of a Gaussian process."""
    k = np.exp(-distance.cdist(x, x, "sqeuclidean") / 2) + 0.1 * np.eye(len(x))
    factor = linalg.cho_factor(k, lower=True, overwrite_a=True)
    cross = np.exp(-distance.cdist(q, x, "sqeuclidean") / 2)
    return cross @ linalg.cho_solve(factor, y), 1 - (cross.T * linalg.solve_triangular(factor[0], cross.T, lower=True)).sum(0)


def components(x):
    u, s, vt = linalg.svd(x - x.mean(0), full_matrices=False)
    return u[:, :2] * s[:2], (s**2 / len(x)).round(6), vt.shape


def fitted(x):
    coefficients, residuals, rank, _ = linalg.lstsq(np.c_[np.ones(len(x)), x[:, 0]], x[:, 1])
    return coefficients, residuals if rank == 2 else -residuals


def or_nothing(x):
    try:
        return linalg.cholesky(x.T @ x - 3 * np.eye(x.shape[1])).sum(0)
    except linalg.LinAlgError:
        return np.zeros(x.shape[1])


def edges(x):
    bits = ndimage.binary_fill_holes(x > 0)
    return (bits & ~ndimage.binary_erosion(bits, iterations=2)).sum(), linalg.orth(x).shape


def written(bits):
    """Into arrays of other dtypes, views, and the input itself."""
    wide = np.zeros((bits.shape[1], bits.shape[0]), np.int16)
    eroded = ndimage.binary_erosion(bits, output=wide.T)
    ndimage.binary_opening(bits, iterations=2, output=bits)
    filled, labels = np.empty_like(bits), np.empty(bits.shape, np.int64)
    found = ndimage.binary_fill_holes(bits, output=filled), ndimage.label(bits, output=labels)
    return eroded.base is wide, wide, bits, ndimage.binary_closing(bits, output=np.uint8), filled, labels, found


def labelled(bits):
    """How large the connected parts are, and how many there are."""
    labels, count = ndimage.label(bits)
    return np.bincount(labels.ravel(), minlength=count + 1), count, labels


def turned(x):
    """Vectors in another frame, and the frames' mean, half way and angles."""
    each = transform.Rotation.from_rotvec(x)
    between = transform.Slerp([0, 1], transform.Rotation.from_quat(each.as_quat()[:2]))
    return (each * each[0].inv()).apply(x), each.mean().as_matrix(), between(0.5).as_euler("xyz"), each.magnitude()


PROGRAMS = {
    "process": lambda x: posterior(x, x[:, 0], x[1:4]),
    "components": components,
    "fitted": fitted,
    "or nothing": or_nothing,
    "edges": edges,
    "mixed": lambda x: (linalg.expm(x.T @ x / 99), linalg.det(x[:2, :2]), linalg.subspace_angles(x, abs(x))),
    "pairs": lambda x: distance.pdist(x, "cityblock").sum(),
    "metric of its own": lambda x: distance.pdist(x[:3], lambda a, b: abs(a - b).max()),
    "sections with a state": lambda x: signal.sosfilt(signal.butter(4, 0.2, output="sos"), x, axis=0, zi=np.ones((2, 2, x.shape[1]))),
    "labels": lambda x: labelled(x > 0),
    "written to": lambda x: written(x > 0),
    "distances": lambda x: ndimage.distance_transform_edt(x > 0, return_indices=True, sampling=(1.0, 0.5)),
    "all pairs": lambda x: distance.squareform(distance.pdist(x)).argsort(1),
    "peaks": lambda x: signal.find_peaks(x[:, 0], height=-2, distance=2, prominence=0.1, width=0.1, plateau_size=1),
    "where peaks are": lambda x: x[signal.find_peaks(x[:, 0])[0]].sum(0),
    "resampled": lambda x: signal.resample_poly(x, 3, 2),
    "turned": lambda x: turned(x),
    "convolved by transforms": lambda x: signal.fftconvolve(x[:, 0], x[:, 1], "same"),
    "convolved so or so": lambda x: signal.correlate(x[:, 0], x[:3, 0]) if x.sum() > 0 else signal.convolve(x[:, 1], x[:, 0]),
    "clusters": lambda x: hierarchy.fcluster(hierarchy.linkage(x, "average"), 2.0, "distance") * 2,
    "assigned": lambda x: abs(x)[optimize.linear_sum_assignment(abs(x))].sum(),
    "not negative": lambda x: [part * 2 for part in optimize.nnls(x, x[:, 0] + 1)],
    "a range of eigenvalues": lambda x: [linalg.eigh(a, subset_by_value=(0, 9), eigvals_only=True) for a in (x.T @ x, -x.T @ x)],
    "sections": lambda x: signal.sosfilt(signal.butter(4, 0.2, output="sos"), x, axis=0),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_sizes_may_be_dynamic(name):
    program = PROGRAMS[name]
    needed = {"fitted": "linalg_lstsq", "assigned": "optimize_linear_sum_assignment", "turned": "rotation_apply"}.get(name)
    if needed and REGISTRY.get(f"scipy.{needed}") is None:
        pytest.skip(f"no operator can be {needed} of this SciPy")
    module = export(program, (data(7),), dynamic_shapes=({0: Dim("n", min=4)},)).module()
    for size in (4, 7, 12):
        assert outcome(module, data(size)) == outcome(program, data(size))
    assert outcome(module, data(5) * 0) == outcome(program, data(5) * 0)


def test_numbers_that_are_results_are_others_of_other_sizes():
    module = export(labelled, (data(7) > 0,), dynamic_shapes=({0: Dim("n")},)).module()
    for size in (0, 1, 2, 5):
        assert outcome(module, data(size) > 0) == outcome(labelled, data(size) > 0)


def data(n):
    return np.cos(np.arange(3.0 * n) ** 1.5).reshape(n, 3) * 3


REFUSED = {
    "memory of the caller": ("E120", lambda x: linalg.inv(x, overwrite_a=True)),
    "reals or not": ("E104", lambda x: linalg.eig(x)),
    "option of data": ("E101", lambda x: linalg.pinv(x, rtol=x[0, 0])),
    "a stack": ("E101", lambda x: linalg.inv(np.stack([x, x]))),
    "few": ("E101", lambda x: linalg.lu((x + 1j)[:1, :1])),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_modelled_is_refused(name):
    code, program = REFUSED[name]
    with pytest.raises(ExportError) as caught:
        export(program, (np.eye(3) * 2,))
    assert caught.value.code == code


def test_errors_of_shapes_are_scipys():
    def program(x):
        try:
            return linalg.solve(x, x[0, :2])
        except ValueError as error:
            return str(error)

    assert export(program, (np.eye(3),)).module()(np.eye(3)) == program(np.eye(3))


@pytest.mark.slow
def test_modules_that_the_program_imports_are_known():
    code = """
import numpy as np
from npexport import export
def program(x):
    from scipy.linalg import solve
    return solve(x, x[0])
print(export(program, (np.eye(3),)).module()(np.eye(3) * 2))
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[1. 0. 0.]\n"


@pytest.mark.parametrize(
    "call",
    [
        lambda x: signal.upfirdn(np.ones(3), x, axis=5),
        lambda x: signal.sosfilt(np.ones((1, 6)), x, 5, np.ones((1, 5, 2))),
        lambda x: signal.upfirdn(np.ones((3, 2)), x),
    ],
)
def test_what_scipy_raises_of_axes_is_raised_at_export(call):
    with pytest.raises((IndexError, ValueError)) as wanted:
        call(np.ones((5, 4)))
    with pytest.raises(type(wanted.value), match=re.escape(str(wanted.value))):
        export(call, (np.ones((5, 4)),))
