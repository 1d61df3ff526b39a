"""Programs at many sizes: their data, what they compute, and specifications for their axes."""

from __future__ import annotations

import warnings

import numpy as np

from npexport import InputMismatch
from tests.support.outcomes import result_or_error


def data(shapes, seed):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


def outcome(fn, args):
    return result_or_error(fn, *args, passes=InputMismatch)


def assert_same(actual, expected):
    if isinstance(expected, Exception):
        assert type(actual) is type(expected), (actual, expected)
    elif isinstance(expected, (tuple, list)):
        assert type(actual) is type(expected) and len(actual) == len(expected)
        for a, e in zip(actual, expected, strict=True):
            assert_same(a, e)
    else:
        assert type(actual) is type(expected), (actual, expected)
        if isinstance(expected, (np.ndarray, np.generic)):
            assert actual.dtype == expected.dtype and actual.shape == expected.shape
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-9)


EXAMPLES = {"usual": {"a": 4, "b": 3, "c": 5}, "ones": {"a": 1, "b": 1, "c": 1}}


def axes(text):
    """The dynamic axes: (argument, axis)."""
    parts = [part.split(",") for part in text.split(";")]
    return [(i, axis) for i, part in enumerate(parts) for axis, item in enumerate(part) if not item.isdigit()]


def spec_of(text, dim):
    """A specification with ``dim(number of the axis)`` at every dynamic axis."""
    found = [{} for _ in text.split(";")]
    for number, (i, axis) in enumerate(axes(text)):
        found[i][axis] = dim(number)
    return tuple(found)


def with_sizes(shapes, text, sizes):
    """The shapes with these sizes at the dynamic axes."""
    new = [list(shape) for shape in shapes]
    for (i, axis), size in zip(axes(text), sizes, strict=True):
        new[i][axis] = size
    return new


def quietly(fn, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fn(*args, **kwargs)
