"""Every operator's rule says what its kernel returns: shape, dtype, scalar or array."""

from __future__ import annotations

import inspect
import warnings
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from npexport.ir import ops
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.ops import rules
from npexport.symshapes.env import ShapeEnv, known
from npexport.symshapes.ranges import int_oo

RECORDS = [pytest.param(op, id=f"{op.namespace}.{op.name}") for op in ops.REGISTRY if op.namespace in ("np", "sym")]


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
    with rules.fresh_numbers(lambda low, high: env.create_unbacked(low, int_oo if high is None else high), env.create_unbacked_float):
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
    return known(expected == actual) is not False


def disagreement(op: Op, args: tuple, kwargs: dict) -> str:
    actual = run(op, args, kwargs)
    try:
        with any_data_dependent_size():
            expected = op.rule(*describe(args), **describe(kwargs))
    except Exception as problem:
        return f"{describe(args)} {describe(kwargs)}: the rule raises {problem!r}, the kernel returns {actual}"
    return "" if same(expected, actual) else f"{describe(args)} {describe(kwargs)}: the rule says {expected}, the kernel returns {actual}"


@pytest.mark.parametrize("op", RECORDS)
def test_rule_says_what_the_kernel_returns(op: Op) -> None:
    found = [disagreement(op, args, kwargs) for args, kwargs in op.samples()]
    assert found
    assert "\n".join(filter(None, found)) == ""


def swapped(value: Any) -> Any:
    """The same numbers in arrays of the other byte order."""
    if isinstance(value, np.ndarray):
        return value.astype(value.dtype.newbyteorder())
    return type(value)(map(swapped, value)) if isinstance(value, (tuple, list)) else value


PICKS = ("quantile", "percentile", "nanquantile", "nanpercentile")
"""Methods that pick an element ("nearest") keep its byte order for some shapes; the rules say the native one."""


@pytest.mark.parametrize("op", [param for param in RECORDS if param.values[0].name not in PICKS])
def test_rule_knows_what_becomes_of_the_byte_order(op: Op) -> None:
    found = []
    for args, kwargs in op.samples():
        try:
            run(op, swapped(args), kwargs)
        except (TypeError, ValueError):  # not of this byte order
            continue
        found.append(disagreement(op, swapped(args), kwargs))
    assert "\n".join(filter(None, found)) == ""


def as_scalars(value: Any) -> Any:
    """0-d arrays as the NumPy scalars that reductions and ufuncs return."""
    if isinstance(value, np.ndarray) and not value.shape:
        return value[()]
    return type(value)(map(as_scalars, value)) if isinstance(value, (tuple, list)) else value


@pytest.mark.parametrize("op", RECORDS)
def test_rule_says_what_the_kernel_returns_for_scalars(op: Op) -> None:
    for args, kwargs in op.samples():
        scalars = as_scalars(args)
        if any(isinstance(x, np.ndarray) and not x.shape for x in args):
            metas = [TensorMeta((), x.dtype, scalar=True) if isinstance(x, np.generic) else describe(x) for x in scalars]
            with any_data_dependent_size():
                expected = op.rule(*metas, **describe(kwargs))
            assert same(expected, run(op, scalars, kwargs)), scalars


def test_every_operator_has_samples_and_doc() -> None:
    bare = [str(op) for op in ops.REGISTRY if op.namespace in ("np", "sym") and not (op.samples and op.doc)]
    assert bare == []


def test_two_records_of_one_name_are_refused() -> None:
    twin = Op(namespace="np", name="sin", rule=lambda x: x, kernel=np.sin)
    with pytest.raises(ValueError, match="registered twice"):
        ops.REGISTRY.register(twin)


def test_two_records_of_one_callable_are_refused() -> None:
    rival = Op(namespace="np", name="sine", rule=lambda x: x, kernel=np.sin, models=(np.sin,))
    with pytest.raises(ValueError, match="modelled by"):
        ops.REGISTRY.register(rival)


# Parameters that say where or how a result is stored; they are dealt with before an operator is called.
HANDLED = {"out", "casting", "order", "subok", "signature", "device", "like", "copy", "overwrite_input", "writeable", "kwargs", "retstep"}
# What not giving a parameter means, where NumPy's signature does not say.
NOT_GIVEN = {"keepdims": False, "where": True, "descending": False, "axis": -1}
UFUNC_HANDLED = HANDLED | {"where"}


def positional(parameters: Any) -> list[str]:
    return [p.name for p in parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


@pytest.mark.parametrize("op", [pytest.param(op, id=op.name) for op in ops.REGISTRY if op.namespace == "np" and op.models])
def test_schema_has_numpy_parameters_and_defaults(op: Op) -> None:
    for model in op.models:
        try:
            theirs = dict(inspect.signature(model).parameters)
        except ValueError:
            continue
        handled = UFUNC_HANDLED if isinstance(model, np.ufunc) else HANDLED
        ours = op.signature.parameters
        missing = [name for name in theirs if name not in ours and name not in handled]
        if not isinstance(model, np.ufunc) and model is op.models[0]:
            assert missing == []
            assert positional(ours)[: len(positional(theirs))] == positional(theirs)[: len(positional(ours))]
            assert [name for name in ours if name in theirs] == [name for name in theirs if name in ours]
        for name in ours.keys() & theirs.keys():
            stated = theirs[name].default
            if stated is np._NoValue:
                assert ours[name].default is rules.NO_VALUE or ours[name].default is NOT_GIVEN[name], name
            else:
                assert ours[name].default == stated, name
