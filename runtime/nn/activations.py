"""Activations as functions, under the names, argument order and defaults of
``torch.nn.functional``.
"""

from __future__ import annotations

import numpy as np

from npexport.ir.ops import nn as ops
from npexport.runtime.array_types import Array, DTypeLike
from npexport.runtime.nn.dropouts import in_place as _in_place
from npexport.runtime.nn.dropouts import rrelu


def relu(input: Array, inplace: bool = False) -> Array:
    """``max(input, 0)``.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.functional.relu``.

    >>> relu(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([0. , 0. , 0.5, 4. ])
    """
    return _in_place(input, ops.relu(input), inplace)


def relu6(input: Array, inplace: bool = False) -> Array:
    """``min(max(input, 0), 6)``.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.functional.relu6``; Krizhevsky, 2010.

    >>> relu6(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([0. , 0. , 0.5, 4. ])
    """
    return _in_place(input, ops.relu6(input), inplace)


def leaky_relu(input: Array, negative_slope: float = 0.01, inplace: bool = False) -> Array:
    """``input`` where it is positive, ``negative_slope * input`` elsewhere.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.functional.leaky_relu``.

    >>> leaky_relu(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-0.02 , -0.005,  0.5  ,  4.   ])
    """
    return _in_place(input, ops.leaky_relu(input, negative_slope), inplace)


def prelu(input: Array, weight: Array) -> Array:
    """``leaky_relu`` with a learned slope for all channels or for each.

    ``input`` may have any shape; the result has the same. ``weight``: the weight. As
    ``torch.nn.functional.prelu``; He et al., arXiv:1502.01852.

    >>> prelu(np.array([[-2.0, 4.0]]), np.array([0.25]))
    array([[-0.5,  4. ]])
    """
    return ops.prelu(input, weight)


def elu(input: Array, alpha: float = 1.0, inplace: bool = False) -> Array:
    """``input`` where it is positive, ``alpha * (exp(input) - 1)`` elsewhere.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.functional.elu``; Clevert et al., arXiv:1511.07289.

    >>> elu(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-0.865, -0.393,  0.5  ,  4.   ])
    """
    return _in_place(input, ops.elu(input, alpha), inplace)


def selu(input: Array, inplace: bool = False) -> Array:
    """``scale * input`` where it is positive, ``scale * alpha * (exp(input) - 1)`` elsewhere.

    ``scale`` is 1.0507009873554805 and ``alpha`` 1.6732632423543772.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.functional.selu``; Klambauer et al., arXiv:1706.02515.

    >>> selu(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-1.52 , -0.692,  0.525,  4.203])
    """
    return _in_place(input, ops.selu(input), inplace)


def celu(input: Array, alpha: float = 1.0, inplace: bool = False) -> Array:
    """``max(input, 0) + min(alpha * (exp(input / alpha) - 1), 0)``.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.functional.celu``; Barron, arXiv:1704.07483.

    >>> celu(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-0.865, -0.393,  0.5  ,  4.   ])
    """
    return _in_place(input, ops.celu(input, alpha), inplace)


def gelu(input: Array, approximate: str = "none") -> Array:
    """``input`` times the normal distribution function, or its ``"tanh"`` approximation.

    ``input`` may have any shape; the result has the same. ``approximate``: ``"none"`` or
    ``"tanh"``. As ``torch.nn.functional.gelu``; Hendrycks and Gimpel, arXiv:1606.08415.

    >>> gelu(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-0.046, -0.154,  0.346,  4.   ])
    """
    return ops.gelu(input, approximate)


def silu(input: Array, inplace: bool = False) -> Array:
    """``input * sigmoid(input)``.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.functional.silu``; Elfwing et al., arXiv:1702.03118.

    >>> silu(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-0.238, -0.189,  0.311,  3.928])
    """
    return _in_place(input, ops.silu(input), inplace)


def mish(input: Array, inplace: bool = False) -> Array:
    """``input * tanh(softplus(input))``.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.functional.mish``; Misra, arXiv:1908.08681.

    >>> mish(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-0.253, -0.221,  0.375,  3.997])
    """
    return _in_place(input, ops.mish(input), inplace)


def sigmoid(input: Array) -> Array:
    """``1 / (1 + exp(-input))``.

    ``input`` may have any shape; the result has the same. As ``torch.nn.functional.sigmoid``.

    >>> sigmoid(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([0.119, 0.378, 0.622, 0.982])
    """
    return ops.sigmoid(input)


def tanh(input: Array) -> Array:
    """``tanh(input)``, the hyperbolic tangent.

    ``input`` may have any shape; the result has the same. As ``torch.nn.functional.tanh``.

    >>> tanh(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-0.964, -0.462,  0.462,  0.999])
    """
    return np.tanh(input)


def logsigmoid(input: Array) -> Array:
    """``log(sigmoid(input))``.

    ``input`` may have any shape; the result has the same. As ``torch.nn.functional.logsigmoid``.

    >>> logsigmoid(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-2.127, -0.974, -0.474, -0.018])
    """
    return ops.log_sigmoid(input)


def softplus(input: Array, beta: float = 1.0, threshold: float = 20.0) -> Array:
    """``log(1 + exp(beta * input)) / beta``.

    ``input`` may have any shape; the result has the same. ``threshold``: linear where ``beta *
    input`` is above it. As ``torch.nn.functional.softplus``.

    >>> softplus(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([0.127, 0.474, 0.974, 4.018])
    """
    return ops.softplus(input, beta, threshold)


def softsign(input: Array) -> Array:
    """``input / (1 + abs(input))``.

    ``input`` may have any shape; the result has the same. As ``torch.nn.functional.softsign``.

    >>> softsign(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-0.667, -0.333,  0.333,  0.8  ])
    """
    return ops.softsign(input)


def tanhshrink(input: Array) -> Array:
    """``input - tanh(input)``.

    ``input`` may have any shape; the result has the same. As ``torch.nn.functional.tanhshrink``.

    >>> tanhshrink(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-1.036, -0.038,  0.038,  3.001])
    """
    return ops.tanhshrink(input)


def hardshrink(input: Array, lambd: float = 0.5) -> Array:
    """``input`` outside ``[-lambd, lambd]``, 0 inside.

    ``input`` may have any shape; the result has the same. As ``torch.nn.functional.hardshrink``.

    >>> hardshrink(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-2.,  0.,  0.,  4.])
    """
    return ops.hardshrink(input, lambd)


def softshrink(input: Array, lambd: float = 0.5) -> Array:
    """``input`` moved towards 0 by ``lambd``.

    ``input`` may have any shape; the result has the same. As ``torch.nn.functional.softshrink``.

    >>> softshrink(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-1.5,  0. ,  0. ,  3.5])
    """
    return ops.softshrink(input, lambd)


def hardtanh(input: Array, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Array:
    """``input`` clipped to ``[min_val, max_val]``.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.functional.hardtanh``.

    >>> hardtanh(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-1. , -0.5,  0.5,  1. ])
    """
    return _in_place(input, ops.hardtanh(input, min_val, max_val), inplace)


def hardsigmoid(input: Array, inplace: bool = False) -> Array:
    """``min(max(input + 3, 0), 6) / 6``.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.functional.hardsigmoid``.

    >>> hardsigmoid(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([0.167, 0.417, 0.583, 1.   ])
    """
    return _in_place(input, ops.hardsigmoid(input), inplace)


def hardswish(input: Array, inplace: bool = False) -> Array:
    """``input * hardsigmoid(input)``.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.functional.hardswish``; Howard et al., arXiv:1905.02244.

    >>> hardswish(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-0.333, -0.208,  0.292,  4.   ])
    """
    return _in_place(input, ops.hardswish(input), inplace)


def threshold(input: Array, threshold: float, value: float, inplace: bool = False) -> Array:
    """``input`` where it is above ``threshold``, ``value`` elsewhere.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.functional.threshold``.

    >>> threshold(np.array([-2.0, -0.5, 0.5, 4.0]), 1.0, -1.0)
    array([-1., -1., -1.,  4.])
    """
    return _in_place(input, ops.threshold(input, threshold, value), inplace)


def glu(input: Array, dim: int = -1) -> Array:
    """The first half along ``dim`` times the sigmoid of the second.

    ``input``: the array. As ``torch.nn.functional.glu``; Dauphin et al., arXiv:1612.08083.

    >>> glu(np.ones((3, 8))).shape
    (3, 4)
    """
    return ops.glu(input, dim)


def _softmax_dim(dim: int | None, ndim: int) -> int:
    """The axis that torch takes where none is given."""
    if dim is not None:
        return dim
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input: Array, dim: int | None = None, *, dtype: DTypeLike | None = None) -> Array:
    """``exp(input) / sum(exp(input))`` along ``dim``.

    ``input`` may have any shape; the result has the same. ``dtype``: convert to this dtype first.
    As ``torch.nn.functional.softmax``.

    >>> softmax(np.array([[0.0, 0.0], [0.0, 5.0]]), dim=-1).round(3)
    array([[0.5  , 0.5  ],
           [0.007, 0.993]])
    """
    return ops.softmax(input if dtype is None else input.astype(dtype), _softmax_dim(dim, input.ndim))


def softmin(input: Array, dim: int | None = None, *, dtype: DTypeLike | None = None) -> Array:
    """``softmax(-input)``.

    ``input`` may have any shape; the result has the same. ``dim``: the axis; ``dtype``: convert to
    this dtype first. As ``torch.nn.functional.softmin``.

    >>> softmin(np.array([[0.0, 0.0], [0.0, 5.0]]), dim=-1).round(3)
    array([[0.5  , 0.5  ],
           [0.993, 0.007]])
    """
    return softmax(-input, dim, dtype=dtype)


def log_softmax(input: Array, dim: int | None = None, *, dtype: DTypeLike | None = None) -> Array:
    """The logarithm of ``softmax``.

    ``input`` may have any shape; the result has the same. ``dim``: the axis; ``dtype``: convert to
    this dtype first. As ``torch.nn.functional.log_softmax``.

    >>> log_softmax(np.array([[0.0, 0.0], [0.0, 5.0]]), dim=-1).round(3)
    array([[-0.693, -0.693],
           [-5.007, -0.007]])
    """
    return ops.log_softmax(input if dtype is None else input.astype(dtype), _softmax_dim(dim, input.ndim))


# -- in place


def relu_(input: Array) -> Array:
    """``relu`` in place.

    ``input``: the array. As ``torch.nn.functional.relu_``.

    >>> x = np.array([-2.0, -0.5, 0.5, 4.0])
    >>> relu_(x) is x
    True
    """
    return relu(input, True)


def leaky_relu_(input: Array, negative_slope: float = 0.01) -> Array:
    """``leaky_relu`` in place.

    ``input``: the array; ``negative_slope``: the slope below 0. As
    ``torch.nn.functional.leaky_relu_``.

    >>> x = np.array([-2.0, -0.5, 0.5, 4.0])
    >>> leaky_relu_(x) is x
    True
    """
    return leaky_relu(input, negative_slope, True)


def rrelu_(
    input: Array,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    *,
    generator: np.random.Generator | Array | None = None,
) -> Array:
    """``rrelu`` in place.

    ``input``: the array; ``lower``: the least slope; ``upper``: the greatest slope;
    ``training``: whether to draw; otherwise the input is returned; ``generator``: the source of
    random numbers, a ``numpy.random.Generator``. As ``torch.nn.functional.rrelu_``; Xu et al.,
    arXiv:1505.00853.

    >>> x = np.array([-2.0, -0.5, 0.5, 4.0])
    >>> rrelu_(x) is x
    True
    """
    return rrelu(input, lower, upper, training, True, generator=generator)


def elu_(input: Array, alpha: float = 1.0) -> Array:
    """``elu`` in place.

    ``input``: the array; ``alpha``: a factor. As ``torch.nn.functional.elu_``; Clevert et al.,
    arXiv:1511.07289.

    >>> x = np.array([-2.0, -0.5, 0.5, 4.0])
    >>> elu_(x) is x
    True
    """
    return elu(input, alpha, True)


def selu_(input: Array) -> Array:
    """``selu`` in place.

    ``input``: the array. As ``torch.nn.functional.selu_``; Klambauer et al., arXiv:1706.02515.

    >>> x = np.array([-2.0, -0.5, 0.5, 4.0])
    >>> selu_(x) is x
    True
    """
    return selu(input, True)


def celu_(input: Array, alpha: float = 1.0) -> Array:
    """``celu`` in place.

    ``input``: the array; ``alpha``: a factor. As ``torch.nn.functional.celu_``; Barron,
    arXiv:1704.07483.

    >>> x = np.array([-2.0, -0.5, 0.5, 4.0])
    >>> celu_(x) is x
    True
    """
    return celu(input, alpha, True)


def hardtanh_(input: Array, min_val: float = -1.0, max_val: float = 1.0) -> Array:
    """``hardtanh`` in place.

    ``input``: the array; ``min_val``: the least value; ``max_val``: the greatest value. As
    ``torch.nn.functional.hardtanh_``.

    >>> x = np.array([-2.0, -0.5, 0.5, 4.0])
    >>> hardtanh_(x) is x
    True
    """
    return hardtanh(input, min_val, max_val, True)


def threshold_(input: Array, threshold: float, value: float) -> Array:
    """``threshold`` in place.

    ``input``: the array; ``value``: what replaces the elements that are not above ``threshold``. As
    ``torch.nn.functional.threshold_``.

    >>> x = np.array([-2.0, -0.5, 0.5, 4.0])
    >>> threshold_(x, 1.0, -1.0) is x
    True
    """
    return _in_place(input, ops.threshold(input, threshold, value), True)
