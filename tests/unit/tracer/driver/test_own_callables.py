"""What npexport itself offers in Python is exported as the call that it is: no function of a library that it happens to use is taken
for it."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import npexport
from npexport import ExportError, InterpreterModule, export, nn, unflatten

X = np.arange(1.0, 4.0)


class Sum:
    def __init__(self):
        self.a = np.full(3, 2.0)
        self.b = np.full(3, 5.0)

    def __call__(self, x):
        return x * self.a + self.b


OWN = {
    "cond": (functools.partial(npexport.cond, true_fn=np.sin, false_fn=np.cos, operands=(X,)), (X.sum() > 0,)),
    "map": (functools.partial(npexport.map, lambda row: row * 2), (X,)),
    "scan": (functools.partial(npexport.scan, lambda c, x: (c + x, c * x), np.float64(1)), (X,)),
    "interpret": (functools.partial(npexport.interpret, lambda x: x * 2), (X,)),
    "InterpreterModule": (InterpreterModule(export(lambda x: np.sin(x) + 1, (X,)).graph), (X,)),
    "relu": (nn.functional.relu, (X,)),
}


@pytest.mark.parametrize("name", OWN)
def test_own_functions(name):
    function, args = OWN[name]
    found, wanted = export(function, args).module()(*args), function(*args)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


def test_an_unflattened_program_that_was_never_called():
    tree = unflatten(export(Sum(), (X,)))
    try:
        again = export(tree, (X,)).module()
    except ExportError:
        return
    np.testing.assert_array_equal(again(X), Sum()(X))
