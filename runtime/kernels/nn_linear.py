"""Linear maps and lookups."""

from __future__ import annotations

import numpy as np


def linear(input, weight, bias=None):
    if bias is None:
        return np.matmul(input, weight.T)
    out = np.matmul(input, weight.T)
    return np.add(out, bias, out=out) if np.can_cast(bias.dtype, out.dtype) else out + bias


def _check_range(indices, count, error, message):
    if indices.size and (indices.min() < 0 or indices.max() >= count):
        raise error(message.format(low=indices.min(), high=indices.max(), count=count))


def embedding(input, weight):
    _check_range(input, len(weight), IndexError, "embedding: indices {low} to {high} are not all in range({count})")
    return weight[input]


def one_hot(input, num_classes):
    _check_range(input, num_classes, ValueError, "one_hot: classes {low} to {high} are not all in range({count})")
    return (np.asarray(input)[..., None] == np.arange(num_classes)).astype(np.int64)
