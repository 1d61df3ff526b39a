"""Functions of SciPy and scikit-learn in modules of plain NumPy: they are imported from there."""

import importlib
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

from npexport import UserError, export
from npexport.ir.op import REGISTRY
from npexport.runtime.plain.plain_source import LIBRARIES, PlainSource
from tests.op_samples import has_samples
from tests.support import plain_run
from tests.support.plain_modules import calls, equal, map_copy, module_of
from tests.support.shards import shard

fft = pytest.importorskip("scipy.fft", reason="SciPy is not installed")
linalg = pytest.importorskip("scipy.linalg", reason="SciPy is not installed")
signal = pytest.importorskip("scipy.signal", reason="SciPy is not installed")
special = pytest.importorskip("scipy.special", reason="SciPy is not installed")

for package in ("ndimage", "optimize", "interpolate", "spatial.distance", "spatial.transform", "cluster.hierarchy"):
    importlib.import_module(f"scipy.{package}")
REGISTRY.provide_loaded()
X = np.random.default_rng(0).normal(size=(5, 5))
OPERATORS = [op for op in REGISTRY if op.namespace in LIBRARIES]


def test_the_kernel_of_every_operator_has_a_text() -> None:
    source = PlainSource()
    assert len(OPERATORS) > 400
    for op in OPERATORS:
        assert source.text(op.kernel)
    compile("\n\n".join(source.definitions.values()), "definitions", "exec")
    assert all(name.partition(".")[0] in LIBRARIES for name in source.imports if "scipy" in name)


@pytest.mark.parametrize("op", shard([op for op in OPERATORS if has_samples(op)], 6), ids=str)
def test_operators_give_the_same_as_modules(op: Any, tmp_path: Any) -> None:
    for number, (call, arrays) in enumerate(list(calls(op))[:2]):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                program = export(call, arrays)
                expected = program.module()(*map_copy(arrays))
            except Exception as error:  # what a sample makes the program raise is for other tests
                assert not isinstance(error, AssertionError)
                continue
            equal(module_of(program, tmp_path / f"p{number}.py").forward(*map_copy(arrays)), expected)


def spectrum(x: Any) -> Any:
    filtered = signal.lfilter([1, 0.5], [1, -0.3], fft.dct(x, norm="ortho"))
    return linalg.solve(x @ x.T + np.eye(5), filtered), special.erf(x), linalg.cholesky(x @ x.T + np.eye(5), lower=True)


def test_modules_import_scipy_and_nothing_of_ours(tmp_path: Any) -> None:
    program = export(spectrum, (X,))
    text = program.to_python(tmp_path / "plain.py")
    assert "import scipy.fft\n" in text and "scipy.fft.dct(" in text and "scipy.special.erf(" in text and "npexport" not in text
    plain_run.written((X,), tmp_path / "plain.args")
    subprocess.run([sys.executable, plain_run.__file__, str(tmp_path)], check=True, cwd=tmp_path)
    equal(plain_run.read(tmp_path / "plain.result"), plain_run.called(program.module(), (X,)))


def test_parameters_that_hide_the_package_are_refused() -> None:
    with pytest.raises(UserError, match="E244 .* 'scipy' has the name of what the module uses"):
        export(lambda scipy: fft.dct(scipy), (X,)).to_python()
