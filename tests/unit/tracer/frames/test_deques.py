"""Containers of C with heap types, in the hands of C, with either hook."""

import collections

import numpy as np
import pytest

from npexport import export

deque = collections.deque


@pytest.mark.usefixtures("frame_hook")
@pytest.mark.parametrize(
    "program",
    [
        lambda x: (x, sum(deque([2, 1])), max(deque([1, 2])), sorted(deque([2, 1])), list(deque([1, 2]))),
        lambda x: (x, list((deque([x.sum()]) * 2)), any(deque([0])), "".join(deque(["a", "b"]))),
        lambda x: (x, str(collections.defaultdict(int, a=1)["a"]), len(collections.OrderedDict(a=1)), deque([1]) == deque([1])),
    ],
)
def test_deques_are_handed_over_as_they_are(program):
    assert str(export(program, (np.ones(2),)).module()(np.ones(2))) == str(program(np.ones(2)))
