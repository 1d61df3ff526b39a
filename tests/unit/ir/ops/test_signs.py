"""What records say of results that are never negative: a power of such a base needs no branch."""

import numpy as np
import pytest

import npexport
from tests.support.functions import function_of

NEVER = {
    "the absolute value of an array": "abs(x)[0]",
    "a root": "np.sqrt(x)[0]",
    "an exponential": "np.exp(x)[1]",
    "a sum of squares": "np.square(x).sum()",
    "a product with itself": "(x * x).max()",
    "a number's absolute value": "abs(x[0])",
    "a product of a scalar with itself": "(x[0] * x[0])",
    "a sum of scalars": "(np.sqrt(x)[0] + abs(x[1]))",
    "the mean of roots and a constant": "(np.sqrt(abs(x)) + 1.0).mean()",
}
PERHAPS = {
    "an element": "x[0]",
    "a difference of roots": "(np.exp(x) - 1.0)[0]",
    "a product of two": "(x * x[::-1])[0]",
    "a sum with a negative number": "(np.exp(x) + -1.0)[0]",
}


def power_of(text):
    return function_of(f"def f(x):\n    return np.array([float({text}) ** 0.3])", {"np": np})


def graph_and_results(f):
    ep = npexport.export(f, (np.array([0.5, 2.0]),))
    for data in ([0.5, 2.0], [-0.5, 2.0], [0.0, -0.0], [np.nan, 1.0]):
        x = np.array(data)
        try:
            expected = f(x)
        except TypeError:
            continue
        if not np.iscomplexobj(expected):
            np.testing.assert_array_equal(ep.module()(x), expected)
    return str(ep.graph)


@pytest.mark.parametrize("name", NEVER)
def test_of_what_is_never_negative_a_power_needs_no_branch(name):
    assert "real_pow" in (text := graph_and_results(power_of(NEVER[name]))) and "cond" not in text


@pytest.mark.parametrize("name", PERHAPS)
def test_of_what_may_be_negative_it_is_not_assumed(name):
    f = power_of(PERHAPS[name])
    try:
        text = graph_and_results(f)
    except npexport.ExportError:
        return
    assert "cond" in text or "check" in text
