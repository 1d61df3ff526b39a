"""Small known arrays stand in a graph as lists: what a rule says of a list is what the kernel makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from npexport.ir import ops
from npexport.ir.arguments import leaves_of, map_leaves
from npexport.ir.op import Op
from npexport.ir.ops.rules import Rejected
from tests.op_samples import has_samples, samples_of
from tests.support.records import any_data_dependent_size, describe, run, same

LARGEST = 16
OPERATORS = [op for op in ops.REGISTRY if op.namespace in ("np", "random") and has_samples(op)]
REFUSED = (Rejected, Unsupported, TypeError, ValueError, LookupError, AttributeError)
"""What a rule or a kernel raises for a list where it takes arrays alone."""


def literal_calls(op: Op) -> Iterator[tuple[Any, Any]]:
    """The samples with one small array as a list, each in turn."""
    for call in samples_of(op):
        for array in leaves_of(call):
            if isinstance(array, np.ndarray) and array.ndim and 0 < array.size <= LARGEST and array.dtype in (float, int, bool):
                yield map_leaves(call, lambda leaf, array=array: leaf.tolist() if leaf is array else leaf)


@pytest.mark.parametrize("op", OPERATORS, ids=str)
def test_a_rule_takes_lists_as_its_kernel_does(op: Op) -> None:
    for args, kwargs in literal_calls(op):
        try:
            with any_data_dependent_size():
                ruled = op.rule(*describe(args), **describe(kwargs))
            found = run(op, args, kwargs)
        except REFUSED:
            continue
        assert same(ruled, found), (args, kwargs)


def test_positions_of_known_arrays_have_their_shape() -> None:
    def program(x):
        places = np.ravel_multi_index((np.array([1, 2, 1]),), (5,))
        return x[places], np.bincount(places, x)

    x = np.array([0.5, 1.5, 2.5])
    exported = export(program, (x,))
    assert exported.graph.output_node.args[0][0].meta["val"].shape == (3,)
    for ours, eager in zip(exported.module()(x), program(x), strict=True):
        np.testing.assert_array_equal(ours, eager)
