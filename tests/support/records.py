"""Operators' rules and kernels, run and compared."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from npexport.ir import ops
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.ops import fresh
from npexport.symshapes.env import ShapeEnv, known
from npexport.symshapes.ranges import int_oo
from tests.op_samples import has_samples
from tests.support.outcomes import result_or_error


def arrays_of(value: Any) -> list[np.ndarray]:
    """The arrays among a call's arguments."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [array for item in value for array in arrays_of(item)]
    return [value] if isinstance(value, np.ndarray) else []


RECORDS = [
    pytest.param(op, id=f"{op.namespace}.{op.name}") for op in ops.REGISTRY if op.namespace in ("np", "sym", "py") and has_samples(op)
]


def describe(value: Any) -> Any:
    """A call's arguments as a rule sees them: arrays and 0-d scalars of arrays by their metas."""
    if isinstance(value, np.ndarray):
        return TensorMeta(value.shape, value.dtype)
    if isinstance(value, (tuple, list)):
        return type(value)(map(describe, value))
    if isinstance(value, slice):
        return value
    if isinstance(value, dict):
        return {key: describe(item) for key, item in value.items()}
    return value


def outcome(result: Any) -> Any:
    """What a kernel returned, as a rule states it."""
    if isinstance(result, (tuple, list)):
        return [outcome(item) for item in result]
    if isinstance(result, np.ndarray):
        return TensorMeta(result.shape, result.dtype)
    if isinstance(result, np.generic):
        return TensorMeta((), result.dtype, scalar=True)
    return result


@contextmanager
def any_data_dependent_size():
    """Sizes that only data knows are unbacked symbols, as while tracing."""
    env = ShapeEnv()
    makers = (lambda low, high, slot: env.create_unbacked(low, int_oo if high is None else high), env.create_unbacked_float)
    with fresh.fresh_numbers(*makers, env.create_unbacked_truth):
        yield


def run(op: Op, args: tuple, kwargs: dict) -> Any:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        args, kwargs = op.bind(args, kwargs)  # as nodes of a graph call it
        return outcome(op.kernel(*args, **kwargs))


def same(expected: Any, actual: Any) -> bool:
    """Whether a kernel returned what the rule states; a size that only data knows may be any within its bounds."""
    if isinstance(actual, list):
        return isinstance(expected, (list, tuple)) and len(expected) == len(actual) and all(map(same, expected, actual))
    if isinstance(expected, TensorMeta) and isinstance(actual, TensorMeta):
        sizes = len(expected.shape) == len(actual.shape) and all(known(a == b) is not False for a, b in zip(expected.shape, actual.shape))
        return sizes and (expected.dtype, expected.scalar) == (actual.dtype, actual.scalar)
    return expected is actual or known(expected == actual) is not False  # NaN is itself


def disagreement(op: Op, args: tuple, kwargs: dict) -> str:
    actual = run(op, args, kwargs)
    try:
        with any_data_dependent_size():
            expected = op.rule(*describe(args), **describe(kwargs))
    except Exception as problem:
        return f"{describe(args)} {describe(kwargs)}: the rule raises {problem!r}, the kernel returns {actual}"
    return "" if same(expected, actual) else f"{describe(args)} {describe(kwargs)}: the rule says {expected}, the kernel returns {actual}"


def result_of(function: Any, *args: Any, **kwargs: Any) -> Any:
    """The outcome, or the exception."""
    found = result_or_error(function, *args, **kwargs)
    return found if isinstance(found, Exception) else outcome(found)
