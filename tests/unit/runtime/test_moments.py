"""Means, variances and deviations of arrays whose sizes are known have the bits, types and warnings of NumPy's functions."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import export
from npexport.runtime.kernels import moments
from tests.support.outcomes import outcome

AXES = {"all": {}, "first": {"axis": 0}, "last": {"axis": -1}, "kept": {"axis": 1, "keepdims": True}, "all kept": {"keepdims": True},
        "both": {"axis": (0, 1)}}  # fmt: skip
DTYPES = "d", "f", "e", "l", "B", "?", "D", ">f8"


def arrays(dtype):
    rng = np.random.default_rng(5)
    for scale in (1.0, 100.0, 1e20):
        yield (rng.standard_normal((7, 5)) * scale).astype(dtype) if dtype not in "lB?" else rng.integers(0, 99, (7, 5)).astype(dtype)
    if np.dtype(dtype).kind == "f":
        for odd in (np.nan, np.inf, np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal, -0.0):
            yield np.full((7, 5), odd, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("options", AXES.values(), ids=AXES)
@pytest.mark.parametrize("name", ["mean", "var", "std"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_moments_are_numpys(name, options, dtype):
    for more in ({}, {"ddof": 1}) if name != "mean" else ({},):

        def program(x, name=name, given=options | more):
            return getattr(np, name)(x, **given)

        run = export(program, (np.ones((7, 5), dtype),)).module()
        for x in arrays(dtype):
            assert outcome(run, (x,), warns=True) == outcome(program, (x,), warns=True)


def test_small_arrays_take_the_few_calls_alone():
    kept = [getattr(moments, name).cache_info().currsize for name in ("mean", "var", "std")]
    run = export(lambda x: (x.mean(3), x.var(3), x.std(3)), (np.ones((1, 2, 1, 17)),)).module()
    assert [getattr(moments, name).cache_info().currsize for name in ("mean", "var", "std")] == [kept[0] + 1, kept[1] + 1, kept[2] + 1]
    assert "mean(" not in run.code
    nothing = export(lambda x: x.var(ddof=5), (np.ones(5),)).module()
    with pytest.warns(RuntimeWarning, match="Degrees of freedom"):
        nothing(np.ones(5))
