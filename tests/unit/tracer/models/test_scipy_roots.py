"""The root finders that SciPy has in C, by what stands for them: alone, and in exported programs."""

from __future__ import annotations

import math
import platform
import random
from typing import Any

import numpy as np
import pytest

from npexport import export
from tests.support.outcomes import outcome, result_or_error

optimize = pytest.importorskip("scipy.optimize", reason="SciPy is not installed")
if platform.machine() not in ("x86_64", "AMD64"):
    pytest.skip("compilers join products and sums there: E101", allow_module_level=True)

NAMES = ["bisect", "ridder", "brentq", "brenth"]


def _functions(p: float, q: float) -> list[Any]:
    return [
        lambda x: (x - p) * (1 + q * x * x),
        lambda x: math.cos(p * x) - q * x,
        lambda x: (x - p) ** 3,
        lambda x: np.float64(x) * 1e300 - p * 1e300,
        lambda x: float(round(x - p)),
        lambda x: x if abs(x) > abs(q) else 0.0,
        lambda x: -0.0 if x > p else 1.0,
    ]


@pytest.mark.parametrize("name", NAMES)
def test_each_call_gives_what_c_gives(name: str) -> None:
    from scipy.optimize import _zeros

    from npexport.tracer.models.polyfills import scipy_roots

    c, python = getattr(_zeros, f"_{name}"), getattr(scipy_roots, name)
    rng, converged = random.Random(0), 0
    for _ in range(1500):
        p, q, low, high = [rng.gauss(0, 10 ** rng.uniform(-3, 3)) for _ in range(4)]
        f, ends = rng.choice(_functions(p, q)), (p - abs(low), p + abs(high))
        rest = rng.choice([2e-12, 1e-3, 0.0]), rng.choice([8.9e-16, 1e-6]), rng.choice([100, 100, 0, 1, 4]), ()
        wanted = result_or_error(c, f, *ends, *rest, True, rng.random() < 0.5)
        given = result_or_error(scipy_roots.found, python, f, *ends, *rest, True, type(wanted) is not tuple)
        if type(wanted) is tuple and 0 in (f(ends[0]), f(ends[1])):
            wanted = (*wanted[:2], 0, wanted[3])  # C does not count, and gives what is in its memory
        assert repr(given) == repr(wanted)
        converged += type(wanted) is tuple and wanted[3] == 0
    assert converged > 300


def cube_root(name: str) -> Any:
    return lambda a: getattr(optimize, name)(lambda x: x**3 - a[0], 0.0, 5.0)


def with_all_results(name: str) -> Any:
    def f(a: Any) -> Any:
        root, found = getattr(optimize, name)(lambda x: np.exp(x) - a[1], -a[2] * 9, a[2] * 9, xtol=1e-6, full_output=True)
        return root, found.iterations, found.converged

    return f


def for_each(name: str) -> Any:
    return lambda a: [getattr(optimize, name)(lambda x, c: x - math.atan(x) - c, -9, 9, args=(c,), maxiter=9) for c in a[:2]]


VALUES = [2.0, 0.5, 1.0], [3.0, 0.25, -1.0], [10.0, 1.0, 4.0], [-1.0, 0.3, 2.0], [0.0, 0.3, 2.0], [np.nan, 1.0, 1.0]
DATA = [np.array(values) for values in VALUES]


@pytest.mark.parametrize("program", [cube_root, with_all_results, for_each])
@pytest.mark.parametrize("name", NAMES)
def test_exported_programs_give_what_eager_execution_gives(name: str, program: Any) -> None:
    f = program(name)
    run = export(f, (DATA[0],)).module()
    for given in DATA:
        assert outcome(run, (given,)) == outcome(f, (given,))
