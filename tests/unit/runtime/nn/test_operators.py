"""Every operator of the nn namespace: on every sample its rule tells what its kernel returns, and leaves its arguments alone."""

from __future__ import annotations

import numpy as np
import pytest

from npexport.ir.meta import TensorMeta, described
from npexport.ir.ops import REGISTRY
from tests.op_samples import samples_of

CASES = [
    pytest.param(op, args, kwargs, id=f"{op.name}-{index}")
    for op in REGISTRY
    if op.namespace == "nn"
    for index, (args, kwargs) in enumerate(samples_of(op))
]


@pytest.mark.parametrize(("op", "args", "kwargs"), CASES)
def test_rule_equals_kernel(op, args, kwargs):
    originals = [np.array(arg, copy=True) if isinstance(arg, np.ndarray) else arg for arg in args]
    promised = op.rule(*map(described, args), **{name: described(value) for name, value in kwargs.items()})
    results = op.kernel(*args, **kwargs)
    if isinstance(promised, TensorMeta):
        promised, results = (promised,), (results,)
    for meta, result in zip(promised, results, strict=True):
        assert described(result) == meta
        assert not any(isinstance(arg, np.ndarray) and np.shares_memory(arg, result) for arg in args), "kernels return fresh arrays"
    for arg, original in zip(args, originals, strict=True):
        np.testing.assert_array_equal(arg, original)


def test_every_operator_has_samples_and_a_doc():
    for op in REGISTRY:
        if op.namespace == "nn":
            assert op.doc, op
