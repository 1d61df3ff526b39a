"""Scalars of text compare as Python's texts do: the result is a Python truth."""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest

from npexport import Unsupported, export

OPERATORS = ["eq", "ne", "lt", "le", "gt", "ge"]
DATA = [np.array(pair) for pair in (["a", "b"], ["b", "a"], ["a", "a"], ["", "ä"])]
OTHERS = {
    "element": lambda x: x[1],
    "text": lambda x: "a",
    "NumPy text": lambda x: np.str_("b"),
    "array": lambda x: x,
    "0-d array": lambda x: np.array("a"),
}


@pytest.mark.parametrize(("name", "other"), list(itertools.product(OPERATORS, OTHERS)))
def test_comparisons_of_texts(name, other):
    compare = getattr(operator, name)

    def program(x):
        return compare(x[0], OTHERS[other](x)), compare(OTHERS[other](x), x[0])

    run = export(program, (DATA[0].astype("U1"),)).module()
    for data in DATA:
        data = data.astype("U1")
        assert repr(run(data)) == repr(program(data))


@pytest.mark.parametrize("other", [3, 2.5, None, np.float64(1), b"a"], ids=repr)
def test_texts_beside_what_is_none(other):
    def program(x):
        return x[0] == other, x[0] != other

    data = np.array(["a", "b"])
    assert repr(export(program, (data,)).module()(data)) == repr(program(data))


@pytest.mark.parametrize("data", [np.array(["abc", "d"]), np.array([b"abc", b"d"])], ids=["str", "bytes"])
@pytest.mark.parametrize(
    "program",
    [
        lambda x: x[0] * 2,
        lambda x: 2 * x[0],
        lambda x: x[0] * x.size,
        lambda x: x[0] + x[1],
        lambda x: operator.imul(x[0], 2),
        lambda x: operator.setitem(x, 0, x[0] * 2),
        lambda x: operator.setitem(x.T, -1, operator.imul(x.T[-1], 2)),
    ],
)
def test_texts_of_python_that_operators_give_are_refused(program, data):
    with pytest.raises(Unsupported, match="E114"):
        export(program, (data,))
