"""How results lie in memory, as far as plans rest on it: held to every record that says so."""

import itertools

import numpy as np
import pytest

from npexport import export
from npexport.ir.op import Op
from npexport.ir.ops import REGISTRY
from tests.op_samples import has_samples, samples_of

NEW = [op for op in REGISTRY if has_samples(op) and op.traits.isdisjoint(("view", "may_share"))]
ELEMENTWISE = [op for op in NEW if {"elementwise", "c_order"} <= op.traits]


def with_gaps(value):
    """The array with its elements in C order and gaps between them."""
    if isinstance(value, np.ndarray) and value.ndim > 1:
        room = np.zeros((2 * value.shape[0], *value.shape[1:-1], value.shape[-1] + 3), value.dtype)
        part = room[::2, ..., 1:-2]
        part[...] = value
        return part
    return type(value)(map(with_gaps, value)) if type(value) in (tuple, list) else value


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("op", ELEMENTWISE, ids=Op.__repr__)
def test_elements_in_order_give_c_order_whatever_lies_between_them(op):
    for args, kwargs in samples_of(op):
        result = op(*map(with_gaps, args), **{name: with_gaps(value) for name, value in kwargs.items()})
        assert not isinstance(result, np.ndarray) or result.flags.c_contiguous


def stretched(axis, size, rank, step):
    """An array of one long axis, in memory that lies as it may."""
    room = np.zeros([3 * size if place == axis else 2 for place in range(rank)][::-1]).T
    return room[tuple([slice(None, None, 3) if place == axis else slice(1) for place in range(rank)])][(slice(None, None, step),) * rank]


@pytest.mark.parametrize("step", [1, -1])
def test_arrays_of_one_long_axis_leave_the_order_to_others(step):
    shape = (3, 4, 5)
    for first, second in itertools.product(range(3), repeat=2):
        one, other = (stretched(axis, shape[axis], 3, step) for axis in (first, second))
        assert np.add(one, other).flags.c_contiguous
        assert np.add(np.zeros(shape), one).flags.c_contiguous
        assert np.add(one, np.zeros((3, 8, 5))[:, ::2]).flags.c_contiguous
        assert np.where(one > 0, np.zeros(shape), other).flags.c_contiguous


def test_values_that_are_made_of_one_another_again_and_again():
    """The layout of a value that two others decide, which the same two have decided, is compared at once."""

    def program(x, y):
        for step in range(100):
            x = x * (step + 0.5) + y
            y = np.abs(x).T - y
        return x, y

    arrays = np.random.default_rng(0).standard_normal((2, 4, 4)).transpose(0, 2, 1)
    exported = export(program, tuple(arrays))
    assert len(exported.graph.nodes) > 400
    for found, expected in zip(exported.module()(*arrays), program(*arrays), strict=True):
        assert found.tobytes() == expected.tobytes() and found.strides == expected.strides
