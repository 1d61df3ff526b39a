"""Initialisation as ``torch.nn.init`` does it, from a ``numpy.random.Generator``. Every function writes into the array and returns it.

Where no ``generator`` is given, all functions and layers draw from one default generator, seeded by :func:`manual_seed`.
"""

from __future__ import annotations

import math

import numpy as np

_GAINS = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 0.75}
_default = None  # made at its first use: numpy.random is slow to load


def manual_seed(seed):
    """Restart the default generator from ``seed``.

    >>> _ = manual_seed(0)
    >>> first = uniform_(np.empty(3))
    >>> _ = manual_seed(0)
    >>> bool((uniform_(np.empty(3)) == first).all())
    True
    """
    global _default
    _default = np.random.default_rng(seed)
    return _default


def _drawn_from(generator):
    if generator is not None:
        return generator
    return manual_seed(None) if _default is None else _default


def calculate_gain(nonlinearity, param=None):
    """The gain that torch recommends for a nonlinearity; raises ``ValueError`` for an unknown one."""
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity in ("linear", "sigmoid", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"):
        return 1.0
    if nonlinearity in _GAINS:
        return _GAINS[nonlinearity]
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def fan_in_and_fan_out(tensor):
    """How many inputs and outputs one element of a weight of at least 2 dimensions connects; ``ValueError`` for fewer."""
    if tensor.ndim < 2:
        raise ValueError(f"fan in and fan out need at least 2 dimensions, got shape {tensor.shape}")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Uniform in ``[a, b)``."""
    tensor[...] = _drawn_from(generator).uniform(a, b, tensor.shape)
    return tensor


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Normal."""
    tensor[...] = _drawn_from(generator).normal(mean, std, tensor.shape)
    return tensor


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """Normal, drawn again where outside ``[a, b]``."""
    generator = _drawn_from(generator)
    values = generator.normal(mean, std, tensor.shape)
    outside = (values < a) | (values > b)
    while outside.any():
        values[outside] = generator.normal(mean, std, int(outside.sum()))
        outside = (values < a) | (values > b)
    tensor[...] = values
    return tensor


def constant_(tensor, val):
    """``val`` everywhere."""
    tensor[...] = val
    return tensor


def zeros_(tensor):
    """0 everywhere."""
    return constant_(tensor, 0)


def ones_(tensor):
    """1 everywhere."""
    return constant_(tensor, 1)


def eye_(tensor):
    """The identity matrix."""
    tensor[...] = np.eye(*tensor.shape)
    return tensor


def dirac_(tensor, groups=1):
    """A convolution weight that keeps as many channels as it can as they are; raises ``ValueError`` for other than 3 to 5 dimensions."""
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    tensor[...] = 0
    rows = tensor.shape[0] // groups
    center = [size // 2 for size in tensor.shape[2:]]
    for group in range(groups):
        for channel in range(min(rows, tensor.shape[1])):
            tensor[(group * rows + channel, channel, *center)] = 1
    return tensor


def sparse_(tensor, sparsity, std=0.01, generator=None):
    """Normal, with the fraction ``sparsity`` of each column 0. Raises ``ValueError`` for other than 2 dimensions."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    generator = _drawn_from(generator)
    normal_(tensor, 0.0, std, generator)
    zeros = math.ceil(sparsity * tensor.shape[0])
    for column in range(tensor.shape[1]):
        tensor[generator.permutation(tensor.shape[0])[:zeros], column] = 0
    return tensor


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Glorot and Bengio, uniform."""
    bound = gain * math.sqrt(6.0 / sum(fan_in_and_fan_out(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Glorot and Bengio, normal."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(fan_in_and_fan_out(tensor))), generator)


def _kaiming_std(tensor, a, mode, nonlinearity):
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan = fan_in_and_fan_out(tensor)[mode == "fan_out"]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """He et al., uniform."""
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """He et al., normal."""
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor, gain=1, generator=None):
    """A (semi-)orthogonal matrix, of the first axis by all others; raises ``ValueError`` for less than 2 dimensions."""
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    rows, columns = tensor.shape[0], math.prod(tensor.shape[1:])
    q, r = np.linalg.qr(_drawn_from(generator).normal(size=(max(rows, columns), min(rows, columns))))
    q = q * np.sign(np.diag(r))
    tensor[...] = gain * (q if rows >= columns else q.T).reshape(tensor.shape)
    return tensor
