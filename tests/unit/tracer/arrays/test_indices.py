"""Objects with ``__index__`` in Python as numbers of NumPy: taken where NumPy takes them, refused in its words where it does not."""

import numpy as np
import pytest

from npexport import export


class Index:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


CALLS = [
    lambda x, y: np.arange(Index(3)) + y.sum(),
    lambda x, y: np.tile(x, Index(2)),
    lambda x, y: np.triu(x, Index(1)),
    lambda x, y: np.pad(x, Index(1)),
    lambda x, y: np.diff(x, Index(1)),
    lambda x, y: np.partition(y, Index(1)),
    lambda x, y: np.broadcast_to(y, (Index(2), 4)),
    lambda x, y: np.fft.fft(y, Index(8)),
    lambda x, y: np.tensordot(x, x.T, Index(1)),
    lambda x, y: np.add(x, Index(3)),
    lambda x, y: np.eye(Index(3)) * y.sum(),
    lambda x, y: np.identity(Index(3)) + y.sum(),
]
ASKED = [
    lambda x, y: np.zeros(Index(3)) + y.sum(),
    lambda x, y: np.ones((Index(2), 4)) * y,
    lambda x, y: np.roll(x, Index(1)),
    lambda x, y: np.repeat(x, Index(2)),
    lambda x, y: np.diag(x, Index(1)),
    lambda x, y: np.sum(x, axis=(Index(0), Index(1))),
    lambda x, y: np.stack([y, y], Index(1)),
    lambda x, y: x.reshape(Index(4), 3),
    lambda x, y: x.sum(axis=Index(1)),
    lambda x, y: x[Index(1)],
    lambda x, y: x[Index(0) : Index(2), Index(1)],
]
"""C asks these for the number."""


def outcome(call):
    try:
        return "value", call()
    except (TypeError, ValueError, IndexError) as error:
        return type(error).__name__, str(error)


@pytest.mark.usefixtures("frame_hook")
@pytest.mark.parametrize("call", [*CALLS, *[pytest.param(call, marks=pytest.mark.needs_answers) for call in ASKED]])
def test_objects_are_indices_where_they_are_numpys(call):
    x, y = np.arange(12.0).reshape(3, 4), np.arange(4.0)
    kind, expected = outcome(lambda: call(x, y))
    found, program = outcome(lambda: export(call, (np.ones((3, 4)), np.ones(4))))
    assert found == kind
    if kind != "value":
        assert program == expected
    else:
        np.testing.assert_array_equal(program.module()(x, y), expected)


AT_PLACES_OF_DATA = [
    lambda x: np.zeros((2, 6))[0, (x > 1).nonzero()] + x[(x > 1).nonzero()],
    lambda x: (lambda rows, at: (rows.__setitem__((1, at), x[at] * 2), rows)[1])(np.zeros((2, 6)), (x > 1).nonzero()),
    lambda x: x[[np.flatnonzero(x > 1)]],
    lambda x: (lambda out: (out.flat.__setitem__(x > 1, 1.0 / x.flat[x > 1]), out)[1])(np.zeros_like(x)),
    lambda x: (lambda out, at: (out.flat.__setitem__(at, x.flat[at] * 2), out)[1])(np.ones((2, 3)), np.flatnonzero(x > 1)),
]


@pytest.mark.parametrize("index", range(len(AT_PLACES_OF_DATA)))
def test_positions_of_data_of_which_there_may_be_none(index):
    """NumPy makes an array of a sequence in an index, which has the positions as its row; of nothing one of integers."""
    f = AT_PLACES_OF_DATA[index]
    run = export(f, (np.arange(6.0),)).module()
    for x in (np.arange(6.0), np.zeros(6), np.full(6, 3.0)):
        expected = f(x)
        assert run(x).shape == expected.shape
        np.testing.assert_array_equal(run(x), expected)
