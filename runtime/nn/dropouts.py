"""Functions that draw random numbers: dropouts, ``rrelu`` and ``gumbel_softmax``.

Randomness must be explicit: ``generator`` is a ``numpy.random.Generator``, or an array of what one
has drawn by ``random``, which an exported program can have as an input.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.ops import nn as ops
from npexport.runtime.array_types import Array


def in_place(input: Array, result: Array, inplace: bool) -> Array:
    """``result``, written into ``input`` if ``inplace``."""
    if not inplace:
        return result
    input[...] = result
    return input


def dropout(
    input: Array, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: np.random.Generator | Array | None = None
) -> Array:
    """Zeros with probability ``p`` and the rest scaled by ``1 / (1 - p)``; the input itself where
    not ``training`` or ``p`` is 0.

    Randomness must be explicit: ``generator`` is a ``numpy.random.Generator``, or an array of the
    shape of ``input`` (one number for each channel of ``dropout1d`` and ``dropout2d``) with what
    one has drawn by ``random``, which an exported program can have as an input. Raises
    ``ValueError`` in training without it, or for an array of another shape.

    ``inplace``: write the result into the input and return it. As
    ``torch.nn.functional.dropout``; Srivastava et al., JMLR 15, 2014.

    >>> dropout(np.ones(3), training=False)
    array([1., 1., 1.])
    """
    return _dropout(input, p, training, inplace, generator, input.shape)


def dropout1d(
    input: Array, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: np.random.Generator | Array | None = None
) -> Array:
    """``dropout`` of whole channels of ``([N,] C, L)``.

    ``input``: the array; ``p``: the probability of a zero; ``training``: whether to draw; otherwise
    the input is returned; ``inplace``: write the result into the input and return it;
    ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.functional.dropout1d``; Srivastava et al., JMLR 15, 2014.

    >>> dropout1d(np.ones((1, 2, 2)), training=False).sum()
    np.float64(4.0)
    """
    return _dropout(input, p, training, inplace, generator, (*input.shape[:-1], 1))


def dropout2d(
    input: Array, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: np.random.Generator | Array | None = None
) -> Array:
    """``dropout`` of whole channels of ``([N,] C, H, W)``.

    ``input``: the array; ``p``: the probability of a zero; ``training``: whether to draw; otherwise
    the input is returned; ``inplace``: write the result into the input and return it;
    ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.functional.dropout2d``; Srivastava et al., JMLR 15, 2014.

    >>> dropout2d(np.ones((1, 2, 2, 2)), training=False).sum()
    np.float64(8.0)
    """
    return _dropout(input, p, training, inplace, generator, (*input.shape[:-2], 1, 1))


def dropout3d(
    input: Array, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: np.random.Generator | Array | None = None
) -> Array:
    """``dropout`` of whole channels of ``([N,] C, D, H, W)``.

    ``input``: the array; ``p``: the probability of a zero; ``training``: whether to draw; otherwise
    the input is returned; ``inplace``: write the result into the input and return it;
    ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.functional.dropout3d``; Srivastava et al., JMLR 15, 2014.

    >>> dropout3d(np.ones((1, 2, 2, 2, 2)), training=False).sum()
    np.float64(16.0)
    """
    return _dropout(input, p, training, inplace, generator, (*input.shape[:-3], 1, 1, 1))


def feature_alpha_dropout(
    input: Array, p: float = 0.5, training: bool = False, inplace: bool = False, *, generator: np.random.Generator | Array | None = None
) -> Array:
    """``alpha_dropout`` of whole channels of ``(N, C, ...)``.

    ``input``: the array; ``p``: the probability of a zero; ``training``: whether to draw; otherwise
    the input is returned; ``inplace``: write the result into the input and return it;
    ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.functional.feature_alpha_dropout``; Klambauer et al., arXiv:1706.02515.

    >>> feature_alpha_dropout(np.ones((1, 2, 3))).sum()
    np.float64(6.0)
    """
    return _alpha_dropout(input, p, training, inplace, generator, (*input.shape[:2], *(1,) * (input.ndim - 2)))


def alpha_dropout(
    input: Array, p: float = 0.5, training: bool = False, inplace: bool = False, *, generator: np.random.Generator | Array | None = None
) -> Array:
    """``dropout`` that keeps mean and variance of what ``selu`` gives: dropped elements get its
    lower limit, all are scaled and moved.

    ``input``: the array; ``p``: the probability of a zero; ``training``: whether to draw; otherwise
    the input is returned; ``inplace``: write the result into the input and return it;
    ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.functional.alpha_dropout``; Klambauer et al., arXiv:1706.02515.

    >>> alpha_dropout(np.ones(3))
    array([1., 1., 1.])
    """
    return _alpha_dropout(input, p, training, inplace, generator, input.shape)


_LIMIT = 1.7580993408473766  # of selu, towards minus infinity


def _alpha_dropout(
    input: Array, p: float, training: bool, inplace: bool, generator: np.random.Generator | Array | None, shape: Any
) -> Array:
    if not _drops(p, training):
        return input
    kept = _drawn(generator, shape, "alpha_dropout") >= p
    scale = 0.0 if p == 1.0 else ((_LIMIT**2 * p + 1) * (1 - p)) ** -0.5
    factor, offset = (kept * scale).astype(input.dtype), ((kept - 1 + p) * (_LIMIT * scale)).astype(input.dtype)
    return in_place(input, input * factor + offset, inplace)


def _dropout(input: Array, p: float, training: bool, inplace: bool, generator: np.random.Generator | Array | None, shape: Any) -> Array:
    if not _drops(p, training):
        return input
    kept = _drawn(generator, shape, "dropout") >= p
    scale = 0.0 if p == 1.0 else 1.0 / (1.0 - p)
    return in_place(input, input * (kept * np.asarray(scale, input.dtype)), inplace)


def _drops(p: float, training: bool) -> bool:
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    return training and p > 0.0


def _drawn(generator: np.random.Generator | Array | None, shape: Any, what: str) -> Array:
    if generator is None:
        raise ValueError(f"{what} in training needs generator=, or what one has drawn; call .eval() on the model to leave it out")
    drawn = generator if isinstance(generator, np.ndarray) else generator.random(shape)
    if drawn.shape != tuple(shape):
        raise ValueError(f"{what} needs random numbers of shape {tuple(shape)}, got {drawn.shape}")
    return drawn


def rrelu(
    input: Array,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
    *,
    generator: np.random.Generator | Array | None = None,
) -> Array:
    """``leaky_relu`` with slopes drawn from ``[lower, upper)`` in training, and with the mean of
    the two after it.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it; ``generator``: the source of random numbers, a ``numpy.random.Generator``.
    As ``torch.nn.functional.rrelu``; Xu et al., arXiv:1505.00853.

    >>> rrelu(np.array([-2.0, -0.5, 0.5, 4.0])).round(3)
    array([-0.458, -0.115,  0.5  ,  4.   ])
    """
    if not training:
        return in_place(input, ops.leaky_relu(input, (lower + upper) / 2), inplace)
    slopes = (lower + (upper - lower) * _drawn(generator, input.shape, "rrelu")).astype(input.dtype)
    return in_place(input, np.where(input > 0, input, input * slopes), inplace)


def gumbel_softmax(
    logits: Array,
    tau: float = 1,
    hard: bool = False,
    eps: float = 1e-10,
    dim: int = -1,
    *,
    generator: np.random.Generator | Array | None = None,
) -> Array:
    """A sample of the Gumbel-softmax distribution along ``dim``; ``hard`` makes it one-hot. ``eps``
    means nothing, as in torch.

    ``logits``: unnormalised log-probabilities; ``tau``: the temperature; ``generator``: the
    source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.functional.gumbel_softmax``; Jang et al., arXiv:1611.01144.

    >>> gumbel_softmax(np.zeros((2, 3)), generator=np.random.default_rng(0)).sum(axis=-1).round(3)
    array([1., 1.])
    """
    waits = -np.log1p(-_drawn(generator, logits.shape, "gumbel_softmax").astype(logits.dtype))
    soft = ops.softmax((logits - np.log(np.maximum(waits, np.finfo(logits.dtype).tiny))) / tau, dim)
    if not hard:
        return soft
    chosen = np.expand_dims(np.argmax(soft, axis=dim), dim)
    places = np.arange(logits.shape[dim]).reshape(-1, *(1,) * ((-1 - dim) % logits.ndim))
    return (places == chosen).astype(logits.dtype)
