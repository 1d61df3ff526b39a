"""Keys of results that equal themselves alone: the caller's own objects, or they are refused."""

import enum
import functools

import numpy as np
import pytest

from npexport import Unsupported, export

X = np.ones(3)


class Named:
    pass


class Colour(enum.Enum):
    RED = 1


def function():
    pass


NAMED, MADE, PARTIAL = Named(), object(), functools.partial(function)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: {NAMED: x},
        lambda x: {(1, NAMED): x},
        lambda x: {frozenset([NAMED]): x},
        lambda x: {NAMED.__init__: x},
        lambda x: {PARTIAL: x},
        lambda x: {(lambda: x.sum()): x},
    ],
    ids="object in-tuple in-set method partial function".split(),
)
def test_what_stands_for_an_object_is_no_key(program):
    with pytest.raises(Unsupported, match="a key of result is an object of type") as caught:
        export(program, (X,))
    assert caught.value.code == "E115"


@pytest.mark.parametrize(
    "key",
    [function, len, np.add, Named, Colour.RED, MADE, np.dtype("f4"), ..., (1, Colour.RED)],
    ids="function builtin ufunc class member object dtype ellipsis tuple".split(),
)
def test_what_there_is_one_of_is_a_key(key):
    assert key in export(lambda x: {key: x}, (X,)).module()(X)


@pytest.mark.parametrize("key", [NAMED, PARTIAL, function, MADE], ids="named partial function object".split())
def test_keys_of_inputs_are_the_callers(key):
    assert key in export(lambda d: {name: x + 1 for name, x in d.items()}, ({key: X},)).module()({key: X})
