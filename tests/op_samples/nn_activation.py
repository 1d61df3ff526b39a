"""Calls of the operators of `ir/ops/nn_activation.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.op import Op
from tests.op_samples.inputs import Calls, Samples, sample


def _samples(*more: dict[str, Any], ints: bool = False) -> Callable[[], Calls]:
    def samples() -> Calls:
        x = sample(3, 5) * 4
        for kwargs in ({}, *more):
            yield (x,), kwargs
        yield (x.astype(np.float64),), {}
        yield (x[:, 0].astype(np.float16),), {}
        yield (x[0, 0],), {}
        yield (np.asarray(x[0, 0]),), {}
        if ints:
            yield (x.astype(np.int64),), {}

    return samples


def _threshold_samples() -> Calls:
    x = sample(3, 5)
    yield (x, 0.1, 20.0), {}
    yield (x[0, 0], 0.0, -1), {}


def _prelu_samples() -> Calls:
    yield (sample(2, 3, 4), sample(3, seed=1)), {}
    yield (sample(5), sample(1, seed=1)), {}
    yield (sample(2, 3), sample(3)), {}


def _glu_samples() -> Calls:
    yield (sample(4, 6),), {}
    yield (sample(4, 6),), {"dim": 0}


def _softmax_samples() -> Calls:
    x = sample(3, 4, 5)
    yield (x,), {}
    yield (x,), {"dim": 1}
    yield (x.astype(np.float64), 0), {}
    yield (x[:, :0],), {"dim": 1}
    yield (x[0, 0, 0],), {"dim": 0}


SAMPLES: dict[Op, Samples] = {
    ops.nn.threshold: _threshold_samples,
    ops.nn.prelu: _prelu_samples,
    ops.nn.glu: _glu_samples,
    ops.nn.softmax: _softmax_samples,
    ops.nn.log_softmax: _softmax_samples,
}

_OPTIONS: dict[str, tuple[dict[str, object], ...]] = {
    "leaky_relu": ({"negative_slope": 0.3},),
    "elu": ({"alpha": 0.5},),
    "celu": ({"alpha": 0.5},),
    "gelu": ({"approximate": "tanh"},),
    "softplus": ({"beta": 2.0, "threshold": 3.0},),
    "hardshrink": ({"lambd": 1.5},),
    "softshrink": ({"lambd": 1.5},),
    "hardtanh": ({"min_val": -2.0, "max_val": 0.5},),
}
_ELEMENTWISE = (
    "relu relu6 leaky_relu elu selu celu gelu silu mish sigmoid log_sigmoid softplus softsign tanhshrink hardshrink softshrink "
    "hardtanh hardsigmoid hardswish"
)
SAMPLES |= {getattr(ops.nn, name): _samples(*_OPTIONS.get(name, ()), ints=name in ("relu", "relu6")) for name in _ELEMENTWISE.split()}
