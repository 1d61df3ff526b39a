"""Every operator's rule says what its kernel returns: shape, dtype, scalar or array."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import numpy as np
import pytest

from npexport import export
from npexport.ir import ops
from npexport.ir.meta import TensorMeta
from npexport.ir.numpy_internals import NO_VALUE, NUMPY
from npexport.ir.op import Op, OpRegistry
from npexport.ir.opset import OPSET_VERSION
from tests.op_samples import has_samples, samples_of
from tests.op_samples.np_strings import TEXTS_ARE_COPIED
from tests.support.records import RECORDS, any_data_dependent_size, arrays_of, describe, disagreement, run, same


@pytest.mark.parametrize("op", RECORDS)
def test_rule_says_what_the_kernel_returns(op: Op) -> None:
    found = [disagreement(op, args, kwargs) for args, kwargs in samples_of(op)]
    assert found
    assert "\n".join(filter(None, found)) == ""


def swapped(value: Any) -> Any:
    """The same numbers in arrays of the other byte order."""
    if isinstance(value, np.ndarray):
        return value if value.dtype.kind == "T" else value.astype(value.dtype.newbyteorder())
    return type(value)(map(swapped, value)) if isinstance(value, (tuple, list)) else value


PICKS = ("quantile", "percentile", "nanquantile", "nanpercentile")
"""Methods that pick an element ("nearest") keep its byte order for some shapes; the rules say the native one."""


def other_order(op: Op) -> list[tuple[Any, Any]]:
    """The samples with arrays of the other byte order, where that is another one."""
    calls = [(swapped(args), kwargs) for args, kwargs in samples_of(op)]
    return [(args, kwargs) for args, kwargs in calls if any(not array.dtype.isnative for array in arrays_of(args))]


ORDERED = [param for param in RECORDS if param.values[0].name not in PICKS and other_order(param.values[0])]
NATIVE_ONLY = {"np.packbits", "np.unpackbits", *(("np.str_expandtabs", "np.str_replace") if TEXTS_ARE_COPIED else ())}
"""Operators of bytes, and of StringDType, which have no order."""


@pytest.mark.parametrize("op", ORDERED)
def test_rule_knows_what_becomes_of_the_byte_order(op: Op) -> None:
    found = []
    for args, kwargs in other_order(op):
        try:
            run(op, args, kwargs)
        except (TypeError, ValueError):  # not of this byte order
            continue
        found.append(disagreement(op, args, kwargs))
    assert found
    assert "\n".join(filter(None, found)) == ""


def test_samples_have_arrays_with_a_byte_order_wherever_there_are_arrays() -> None:
    with_arrays = {param.id for param in RECORDS if any(arrays_of(args) for args, _ in samples_of(param.values[0]))}
    assert with_arrays - {param.id for param in ORDERED} - {f"np.{name}" for name in PICKS} == NATIVE_ONLY


def as_scalars(value: Any) -> Any:
    """0-d arrays as the NumPy scalars that reductions and ufuncs return."""
    if isinstance(value, np.ndarray) and not value.shape:
        return value[()]
    return type(value)(map(as_scalars, value)) if isinstance(value, (tuple, list)) else value


def metas(value: Any) -> Any:
    """The arguments as a rule sees them, scalars of arrays included."""
    if isinstance(value, np.generic):
        return TensorMeta((), value.dtype, scalar=True)
    return type(value)(map(metas, value)) if isinstance(value, (tuple, list)) else describe(value)


def first(value: Any) -> Any:
    """Arrays as 0-d arrays of one of their elements."""
    if isinstance(value, np.ndarray) and value.size:
        return np.asarray(value.reshape(-1)[0])
    return type(value)(map(first, value)) if isinstance(value, (tuple, list)) else value


def of_scalars(op: Op) -> list[tuple[Any, Any]]:
    """The samples with scalars in place of 0-d arrays, where there are some; of elementwise operators with scalars for all arrays."""
    calls = samples_of(op)
    if "elementwise" in op.traits:
        calls += [(tuple(map(first, args)), kwargs) for args, kwargs in calls]
    return [(as_scalars(args), kwargs) for args, kwargs in calls if any(not x.shape for x in arrays_of(args))]


SCALAR = [param for param in RECORDS if of_scalars(param.values[0])]


@pytest.mark.parametrize("op", SCALAR)
def test_rule_says_what_the_kernel_returns_for_scalars(op: Op) -> None:
    for args, kwargs in of_scalars(op):
        with any_data_dependent_size():
            expected = op.rule(*metas(args), **describe(kwargs))
        assert same(expected, run(op, args, kwargs)), args


def test_samples_of_elementwise_operators_have_scalars() -> None:
    elementwise = {param.id for param in RECORDS if param.values[0].namespace == "np" and "elementwise" in param.values[0].traits}
    assert len(elementwise) > 80
    assert elementwise - {param.id for param in SCALAR} == set()


OURS = [op for op in ops.REGISTRY if op.namespace in OPSET_VERSION]


def test_every_operator_has_samples_and_doc() -> None:
    assert len(OURS) > 500
    without = {str(op) for op in OURS if not (has_samples(op) and samples_of(op))}
    assert without == (set() if TEXTS_ARE_COPIED else {"ops.np.str_expandtabs", "ops.np.str_replace", "ops.np.str_slice"})
    assert [str(op) for op in OURS if not op.doc] == []


def test_an_operator_without_samples_is_named() -> None:
    bare = Op(namespace="np", name="bare", rule=lambda x: x, kernel=np.sin)
    assert not has_samples(bare)
    with pytest.raises(KeyError, match=r"ops\.np\.bare has no samples"):
        samples_of(bare)


def test_a_name_is_free_after_its_registration_was_refused() -> None:
    registry = OpRegistry()
    registry.register(ops.np.sin)
    for _ in range(2):
        with pytest.raises(ValueError, match="is modelled by"):
            registry.register(dataclasses.replace(ops.np.sin, name="sine"))
    registry.register(dataclasses.replace(ops.np.cos, name="sine"))


def test_two_records_of_one_name_are_refused() -> None:
    twin = Op(namespace="np", name="sin", rule=lambda x: x, kernel=np.sin)
    with pytest.raises(ValueError, match="registered twice"):
        ops.REGISTRY.register(twin)


def test_two_records_of_one_callable_are_refused() -> None:
    rival = Op(namespace="np", name="sine", rule=lambda x: x, kernel=np.sin, models=(np.sin,))
    with pytest.raises(ValueError, match="modelled by"):
        ops.REGISTRY.register(rival)


# Parameters that say where or how a result is stored; they are dealt with before an operator is called.
HANDLED = {
    "out",
    "busdaycal",
    "casting",
    "order",
    "subok",
    "signature",
    "device",
    "like",
    "copy",
    "overwrite_input",
    "writeable",
    "kwargs",
    "retstep",
}
# What not giving a parameter means, where NumPy's signature does not say.
NOT_GIVEN = {"keepdims": False, "where": True, "descending": False, "axis": -1}
UFUNC_HANDLED = HANDLED | {"where"}


def positional(parameters: Any) -> list[str]:
    return [p.name for p in parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


@pytest.mark.skipif(NUMPY < "2.4.0", reason="NumPy does not tell the signatures of C, and has others in Python")
@pytest.mark.parametrize("op", [pytest.param(op, id=op.name) for op in ops.REGISTRY if op.namespace == "np" and op.models])
def test_schema_has_numpy_parameters_and_defaults(op: Op) -> None:
    compared = 0
    for model in op.models:
        try:
            theirs = dict(inspect.signature(model).parameters)
        except ValueError:
            continue
        compared += 1
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
                assert ours[name].default is NO_VALUE or ours[name].default is NOT_GIVEN[name], name
            else:
                assert ours[name].default == stated, name
    assert compared


def test_dtypes_that_differ_in_their_metadata_alone_are_two():
    named, plain = np.ones(3, np.dtype(np.float32, metadata={"unit": "m"})), np.ones(3, np.float32)

    def metadata(x):
        return str((x + x).dtype.metadata)

    for x in (plain, named, plain):
        assert export(metadata, (x,)).module()(x) == metadata(x)
