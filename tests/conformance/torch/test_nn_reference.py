"""``nn`` takes and gives what torch does: parameters, values, shapes, dtypes, names of state, printed layers (``nn_reference.json``)."""

from __future__ import annotations

import json

import numpy as np
import pytest

from npexport import nn
from tests.conformance.torch.nn_reference import FUNCTIONS, LAYERS, RECORD, filled, fingerprint, signatures, weights

RECORDED = json.loads(RECORD.read_text())
OURS = dict(signatures(nn))
NOT_HERE = {"device", "memo", "min_value", "max_value", "out"}
"""Parameters of torch that ``docs/nn.md`` says are not here."""
PRECISION = {np.float64: 1e-9, np.float32: 2e-4}


def check(result, expected, dtype):
    for found, recorded in zip(fingerprint(result), expected, strict=True):
        assert found[0] == recorded[0]
        scale = 1 + np.prod(found[0])
        np.testing.assert_allclose(found[1:], recorded[1:], rtol=PRECISION[dtype], atol=PRECISION[dtype] * scale)
    arrays = result if isinstance(result, tuple) else (result,)
    assert all(part.dtype in (dtype, np.int64) for part in arrays if not isinstance(part, tuple))


def identity(case):
    return f"{case[0]}-{case[1]}-{case[2]}".replace(" ", "")[:90]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("case", "expected"), list(zip(FUNCTIONS, RECORDED["functions"], strict=True)), ids=map(identity, FUNCTIONS))
def test_functions(case, expected, dtype):
    name, args, kwargs = case
    args, kwargs = filled((args, kwargs), dtype)
    check(getattr(nn.functional, name)(*args, **kwargs), expected, dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("case", "expected"), list(zip(LAYERS, RECORDED["layers"], strict=True)), ids=map(identity, LAYERS))
def test_layers(case, expected, dtype):
    name, args, kwargs, inputs = case
    printed, shapes, result = expected
    layer = getattr(nn, name)(*args, **kwargs).to(dtype).eval()
    assert [[key, list(value.shape)] for key, value in layer.state_dict().items()] == shapes
    assert repr(layer) == printed.replace("NonDynamicallyQuantizableLinear", "Linear")
    layer.load_state_dict(weights({key: value.astype(np.float64) for key, value in layer.state_dict().items()}))
    check(layer(*filled(inputs, dtype)), result, dtype)


@pytest.mark.parametrize(("name", "theirs"), RECORDED["signatures"], ids=[name for name, _ in RECORDED["signatures"]])
def test_parameters(name, theirs):
    """The same names in the same order with the same defaults, and ours alone last; arrays are of one dtype of NumPy by default."""
    theirs = [[key, default] for key, default in theirs if key not in NOT_HERE and not key.startswith("_")]
    ours = [[key, default] for key, default in OURS[name] if key in dict(theirs)]
    assert [key for key, _ in ours] == [key for key, _ in theirs]
    assert [item for item in ours if item[0] != "dtype"] == [item for item in theirs if item[0] != "dtype"]
