"""What a record says that its operator computes of sizes (`npexport.ir.ops.evaluation`) is what its kernel computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport.ir.arguments import map_leaves
from npexport.ir.graph import Graph
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.ops.evaluation import DTYPES, UNKNOWN, number
from tests.op_samples import samples_of
from tests.support.records import RECORDS

EVALUATED = [param for param in RECORDS if param.values[0].evaluate is not None]


def evaluated(op: Op, args: Any, kwargs: Any) -> Any:
    """What the record says of a call whose arrays and scalars hold plain numbers."""
    graph, numbers = Graph(), dict[Any, Any]()

    def leaf(value: Any) -> Any:
        if not isinstance(value, (np.ndarray, np.generic)):
            return value
        scalar = isinstance(value, np.generic)
        node = graph.placeholder("x", {"val": TensorMeta(np.shape(value), value.dtype, scalar=scalar)})
        small = value.dtype in DTYPES
        numbers[node] = UNKNOWN if not small else value.astype(object) if np.ndim(value) else value.item()
        return node

    args, kwargs = op.bind(args, kwargs)
    with np.errstate(all="ignore"):
        result = op.kernel(*args, **kwargs)
    if not isinstance(result, (np.ndarray, np.generic)):
        return None
    meta = TensorMeta(np.shape(result), result.dtype, scalar=isinstance(result, np.generic))
    node = graph.record(op, map_leaves(args, leaf), map_leaves(kwargs, leaf), {"val": meta})
    found = number(node, numbers)
    if found is UNKNOWN:
        return None
    known = found if isinstance(found, np.ndarray) else np.array(found, object)
    assert known.shape == result.shape
    for mine, theirs in zip(known.flat, np.asarray(result).flat, strict=True):
        if mine is not UNKNOWN:
            assert type(mine) is type(theirs.item())
            assert mine == theirs.item() or mine != mine
    return known


@pytest.mark.parametrize("op", EVALUATED)
def test_numbers_are_those_of_the_kernel(op: Op) -> None:
    found = [evaluated(op, args, kwargs) for args, kwargs in samples_of(op)]
    assert any(known is not None for known in found)
