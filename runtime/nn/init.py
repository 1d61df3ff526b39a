"""Initialisation as ``torch.nn.init`` does it, from a ``numpy.random.Generator``.

Every function writes into the array and returns it.

Where no ``generator`` is given, all functions and layers draw from one default generator, seeded by
:func:`manual_seed`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from npexport.runtime.array_types import Array

_GAINS = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 0.75}
_default = None  # made at its first use: numpy.random is slow to load


def manual_seed(seed: int | None) -> np.random.Generator:
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


def _drawn_from(generator: np.random.Generator | None) -> np.random.Generator:
    if generator is not None:
        return generator
    return manual_seed(None) if _default is None else _default


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """The gain that torch recommends for a nonlinearity; raises ``ValueError`` for an unknown one.

    ``nonlinearity``: the name of the nonlinearity; ``param``: the slope of the leaky ReLU. As
    ``torch.nn.init.calculate_gain``.

    >>> round(calculate_gain('relu'), 3)
    1.414
    """
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity in ("linear", "sigmoid", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"):
        return 1.0
    if nonlinearity in _GAINS:
        return _GAINS[nonlinearity]
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def fan_in_and_fan_out(tensor: Array) -> tuple[int, int]:
    """How many inputs and outputs one element of a weight of at least 2 dimensions connects;
    ``ValueError`` for fewer.

    ``tensor``: the weight.

    >>> fan_in_and_fan_out(np.zeros((8, 3, 5, 5)))
    (75, 200)
    """
    if tensor.ndim < 2:
        raise ValueError(f"fan in and fan out need at least 2 dimensions, got shape {tensor.shape}")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def uniform_(tensor: Array, a: float = 0.0, b: float = 1.0, generator: np.random.Generator | None = None) -> Array:
    """Uniform in ``[a, b)``.

    ``tensor``: the array, written in place and returned; ``generator``: the source of random
    numbers, a ``numpy.random.Generator``. As ``torch.nn.init.uniform_``.

    >>> uniform_(np.zeros((3, 4)), generator=np.random.default_rng(0)).shape
    (3, 4)
    """
    tensor[...] = _drawn_from(generator).uniform(a, b, tensor.shape)
    return tensor


def normal_(tensor: Array, mean: float = 0.0, std: float = 1.0, generator: np.random.Generator | None = None) -> Array:
    """Normal.

    ``tensor``: the array, written in place and returned; ``mean``: the mean; ``std``: the
    standard deviation; ``generator``: the source of random numbers, a
    ``numpy.random.Generator``. As ``torch.nn.init.normal_``.

    >>> normal_(np.zeros((3, 4)), generator=np.random.default_rng(0)).shape
    (3, 4)
    """
    tensor[...] = _drawn_from(generator).normal(mean, std, tensor.shape)
    return tensor


def trunc_normal_(
    tensor: Array, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: np.random.Generator | None = None
) -> Array:
    """Normal, drawn again where outside ``[a, b]``.

    ``tensor``: the array, written in place and returned; ``mean``: the mean; ``std``: the
    standard deviation; ``generator``: the source of random numbers, a
    ``numpy.random.Generator``. As ``torch.nn.init.trunc_normal_``.

    >>> trunc_normal_(np.zeros((3, 4)), generator=np.random.default_rng(0)).shape
    (3, 4)
    """
    generator = _drawn_from(generator)
    values: Any = generator.normal(mean, std, tensor.shape)
    outside = (values < a) | (values > b)
    while outside.any():
        values[outside] = generator.normal(mean, std, int(outside.sum()))
        outside = (values < a) | (values > b)
    tensor[...] = values
    return tensor


def constant_(tensor: Array, val: float) -> Array:
    """``val`` everywhere.

    ``tensor``: the array, written in place and returned. As ``torch.nn.init.constant_``.

    >>> constant_(np.zeros(3), 2.0)
    array([2., 2., 2.])
    """
    tensor[...] = val
    return tensor


def zeros_(tensor: Array) -> Array:
    """0 everywhere.

    ``tensor``: the array, written in place and returned. As ``torch.nn.init.zeros_``.

    >>> zeros_(np.ones(3))
    array([0., 0., 0.])
    """
    return constant_(tensor, 0)


def ones_(tensor: Array) -> Array:
    """1 everywhere.

    ``tensor``: the array, written in place and returned. As ``torch.nn.init.ones_``.

    >>> ones_(np.zeros(3))
    array([1., 1., 1.])
    """
    return constant_(tensor, 1)


def eye_(tensor: Array) -> Array:
    """The identity matrix.

    ``tensor``: the array, written in place and returned. As ``torch.nn.init.eye_``.

    >>> eye_(np.ones((2, 2)))
    array([[1., 0.],
           [0., 1.]])
    """
    tensor[...] = np.eye(*tensor.shape)
    return tensor


def dirac_(tensor: Array, groups: int = 1) -> Array:
    """A convolution weight that passes as many channels as possible through unchanged; raises
    ``ValueError`` for other than 3 to 5 dimensions.

    ``tensor``: the array, written in place and returned; ``groups``: the number of groups that
    channels are divided into. As ``torch.nn.init.dirac_``.

    >>> dirac_(np.ones((1, 1, 3)))
    array([[[0., 1., 0.]]])
    """
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


def sparse_(tensor: Array, sparsity: float, std: float = 0.01, generator: np.random.Generator | None = None) -> Array:
    """Normal, with the fraction ``sparsity`` of each column 0. Raises ``ValueError`` for other than
    2 dimensions.

    ``tensor``: the array, written in place and returned; ``std``: the standard deviation;
    ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.init.sparse_``; Martens, ICML 2010.

    >>> (sparse_(np.ones((4, 2)), sparsity=0.5, generator=np.random.default_rng(0)) == 0).sum(axis=0)
    array([2, 2])
    """
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    generator = _drawn_from(generator)
    normal_(tensor, 0.0, std, generator)
    zeros = math.ceil(sparsity * tensor.shape[0])
    for column in range(tensor.shape[1]):
        tensor[generator.permutation(tensor.shape[0])[:zeros], column] = 0
    return tensor


def xavier_uniform_(tensor: Array, gain: float = 1.0, generator: np.random.Generator | None = None) -> Array:
    """Glorot and Bengio, uniform.

    ``tensor``: the array, written in place and returned; ``gain``: a factor for the spread;
    ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.init.xavier_uniform_``; Glorot and Bengio, AISTATS 2010.

    >>> xavier_uniform_(np.zeros((3, 4)), generator=np.random.default_rng(0)).shape
    (3, 4)
    """
    bound = gain * math.sqrt(6.0 / sum(fan_in_and_fan_out(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Array, gain: float = 1.0, generator: np.random.Generator | None = None) -> Array:
    """Glorot and Bengio, normal.

    ``tensor``: the array, written in place and returned; ``gain``: a factor for the spread;
    ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.init.xavier_normal_``; Glorot and Bengio, AISTATS 2010.

    >>> xavier_normal_(np.zeros((3, 4)), generator=np.random.default_rng(0)).shape
    (3, 4)
    """
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(fan_in_and_fan_out(tensor))), generator)


def _kaiming_std(tensor: Array, a: float, mode: str, nonlinearity: str) -> float:
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan = fan_in_and_fan_out(tensor)[mode == "fan_out"]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(
    tensor: Array, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: np.random.Generator | None = None
) -> Array:
    """He et al., uniform.

    ``tensor``: the array, written in place and returned; ``a``: the negative slope of the leaky
    ReLU; ``mode``: the method, by its name in torch; ``nonlinearity``: the name of the
    nonlinearity; ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.init.kaiming_uniform_``; He et al., arXiv:1502.01852.

    >>> kaiming_uniform_(np.zeros((3, 4)), generator=np.random.default_rng(0)).shape
    (3, 4)
    """
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Array, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: np.random.Generator | None = None
) -> Array:
    """He et al., normal.

    ``tensor``: the array, written in place and returned; ``a``: the negative slope of the leaky
    ReLU; ``mode``: the method, by its name in torch; ``nonlinearity``: the name of the
    nonlinearity; ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.init.kaiming_normal_``; He et al., arXiv:1502.01852.

    >>> kaiming_normal_(np.zeros((3, 4)), generator=np.random.default_rng(0)).shape
    (3, 4)
    """
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor: Array, gain: float = 1, generator: np.random.Generator | None = None) -> Array:
    """A (semi-)orthogonal matrix, of the first axis by all others; raises ``ValueError`` for less
    than 2 dimensions.

    ``tensor``: the array, written in place and returned; ``gain``: a factor for the spread;
    ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.init.orthogonal_``; Saxe et al., arXiv:1312.6120.

    >>> w = orthogonal_(np.zeros((2, 2)), generator=np.random.default_rng(0))
    >>> (w @ w.T).round(3) + 0.0
    array([[1., 0.],
           [0., 1.]])
    """
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    rows, columns = tensor.shape[0], math.prod(tensor.shape[1:])
    q, r = np.linalg.qr(_drawn_from(generator).normal(size=(max(rows, columns), min(rows, columns))))
    q = q * np.sign(np.diag(r))
    tensor[...] = gain * (q if rows >= columns else q.T).reshape(tensor.shape)
    return tensor
