"""The ufuncs of scipy.special and the transforms of scipy.fft: operators of their own, registered when one is first met."""

import subprocess
import sys

import numpy as np
import pytest

from npexport.ir import ops
from tests.op_samples import has_samples, samples_of
from tests.support.records import disagreement

special = pytest.importorskip("scipy.special")


def records():
    assert ops.REGISTRY.modelling(special.i0) is ops.scipy.i0
    return [op for op in ops.REGISTRY if op.namespace == "scipy"]


def test_rules_say_what_the_kernels_return():
    assert all(map(has_samples, records()))
    found = [disagreement(op, args, kwargs) for op in records() for args, kwargs in samples_of(op)]
    assert len(found) > 800
    assert "\n".join(filter(None, found)) == ""


def test_a_program_of_them_exports_and_equals_eager():
    from npexport import export

    def program(x):
        return special.expit(x) * special.gammaln(2 * x) + special.xlogy(x, 3)

    x = np.linspace(0.5, 2, 6).reshape(2, 3)
    exported = export(program, (x,))
    assert [node.target for node in exported.graph.nodes if node.op == "call_function"][0] is ops.scipy.expit
    np.testing.assert_array_equal(exported.module()(x + 1), program(x + 1))


@pytest.mark.parametrize("dtype", "fdFD")
def test_lengths_of_vectors(dtype):
    from npexport import Dim, export

    linalg = pytest.importorskip("scipy.linalg")

    def program(x):
        longest = linalg.norm(x[::2])
        return linalg.norm(x) if longest > 1 else longest * 2, longest

    x = np.arange(9).astype(dtype)
    run = export(program, (x,), dynamic_shapes=({0: Dim("n", min=1)},)).module()
    for data in (x, x * 0, x[:4] - 0.5, x[1:2]):
        assert repr(run(data)) == repr(program(data))


def test_scipy_is_not_loaded_before_it_is_needed():
    code = "import sys, npexport.ir.ops as ops; assert 'scipy' not in sys.modules; print(ops.scipy.erf, 'scipy.special' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "ops.scipy.erf True\n"


TRANSFORMS = {
    "fourier": lambda fft, x: fft.irfft(fft.rfft(x, workers=2) * 2, n=4),
    "axes": lambda fft, x: fft.ifftn(fft.fftn(x, s=(4, 4), axes=(0, 1), overwrite_x=True)),
    "cosines": lambda fft, x: (fft.dct(x, norm="ortho", axis=0), fft.idctn(x, type=3), fft.dstn(x, axes=(0,))),
    "fast length": lambda fft, x: fft.rfft(x, fft.next_fast_len(7, real=True)),
    "wrong norm": lambda fft, x: fft.fft(x, norm="mean"),
    "complex": lambda fft, x: fft.rfft(x + 1j),
    "no points": lambda fft, x: fft.dct(x, n=0),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_equal_eager(name):
    fft = pytest.importorskip("scipy.fft")
    from npexport import export

    def program(x):
        try:
            return TRANSFORMS[name](fft, x)
        except (ValueError, TypeError) as error:
            return x, type(error).__name__, str(error)

    x = np.arange(12.0).reshape(3, 4)
    got, expected = export(program, (x,)).module()(x + 1), program(x + 1)
    for one, other in zip(*[value if isinstance(value, tuple) else (value,) for value in (got, expected)], strict=True):
        np.testing.assert_array_equal(one, other)


def test_programs_over_transforms_equal_eager():
    signal = pytest.importorskip("scipy.signal")
    from npexport import export

    def program(x):
        return signal.hilbert(x), signal.periodogram(x)[1], signal.fftconvolve(x, x[:3])

    x = np.sin(np.arange(16.0))
    for one, other in zip(export(program, (x,)).module()(x * 2), program(x * 2), strict=True):
        np.testing.assert_array_equal(one, other)


def test_functions_of_pybind11_are_refused_by_name():
    """Their ``__self__``, a record of pybind11's own, is no object of the program."""
    distance = pytest.importorskip("scipy.spatial._distance_pybind")
    from npexport import Unsupported, export

    with pytest.raises(Unsupported, match=r"`scipy\.spatial\._distance_pybind\.cdist_euclidean` is implemented in C") as caught:
        export(lambda x: distance.cdist_euclidean(x, x), (np.ones((2, 3)),))
    assert caught.value.code == "E101"


@pytest.mark.parametrize("name", ["obl_cv", "pro_ang1", "mathieu_cem"])
def test_what_writes_outside_of_its_memory_is_no_operator(name):
    """SciPy's own functions of these orders end the process for some numbers, which an archive may hold."""
    from npexport import Unsupported, export

    function = getattr(special, name)
    assert ops.REGISTRY.get(f"scipy.{name}") is None
    with pytest.raises(Unsupported) as caught:
        export(lambda *args: function(*args), (np.ones(3),) * function.nin)
    assert caught.value.code == "E101" and "opaque" in caught.value.hint
