"""What draws random numbers: dropouts, ``rrelu`` and ``gumbel_softmax``.

Randomness must be explicit: ``generator`` is a ``numpy.random.Generator``, or an array of what one has drawn by ``random``, which an
exported program can have as an input.
"""

from __future__ import annotations

import numpy as np

from npexport.ir.ops import nn as ops


def in_place(input, result, inplace):
    """``result``, written into ``input`` where that is asked for."""
    if not inplace:
        return result
    input[...] = result
    return input


def dropout(input, p=0.5, training=True, inplace=False, *, generator=None):
    """Zeros with probability ``p`` and the rest scaled by ``1 / (1 - p)``; the input itself where not ``training`` or ``p`` is 0.

    Randomness must be explicit: ``generator`` is a ``numpy.random.Generator``, or an array of the shape of ``input`` (one number for each
    channel of ``dropout1d`` and ``dropout2d``) with what one has drawn by ``random``, which an exported program can have as an input.
    Raises ``ValueError`` in training without it, or for an array of another shape.
    """
    return _dropout(input, p, training, inplace, generator, input.shape)


def dropout1d(input, p=0.5, training=True, inplace=False, *, generator=None):
    """``dropout`` of whole channels of ``([N,] C, L)``."""
    return _dropout(input, p, training, inplace, generator, (*input.shape[:-1], 1))


def dropout2d(input, p=0.5, training=True, inplace=False, *, generator=None):
    """``dropout`` of whole channels of ``([N,] C, H, W)``."""
    return _dropout(input, p, training, inplace, generator, (*input.shape[:-2], 1, 1))


def dropout3d(input, p=0.5, training=True, inplace=False, *, generator=None):
    """``dropout`` of whole channels of ``([N,] C, D, H, W)``."""
    return _dropout(input, p, training, inplace, generator, (*input.shape[:-3], 1, 1, 1))


def feature_alpha_dropout(input, p=0.5, training=False, inplace=False, *, generator=None):
    """``alpha_dropout`` of whole channels of ``(N, C, ...)``."""
    return _alpha_dropout(input, p, training, inplace, generator, (*input.shape[:2], *(1,) * (input.ndim - 2)))


def alpha_dropout(input, p=0.5, training=False, inplace=False, *, generator=None):
    """``dropout`` that keeps mean and variance of what ``selu`` gives: dropped elements get its lower limit, all are scaled and moved."""
    return _alpha_dropout(input, p, training, inplace, generator, input.shape)


_LIMIT = 1.7580993408473766  # of selu, towards minus infinity


def _alpha_dropout(input, p, training, inplace, generator, shape):
    if not _drops(p, training):
        return input
    kept = _drawn(generator, shape, "alpha_dropout") >= p
    scale = 0.0 if p == 1.0 else ((_LIMIT**2 * p + 1) * (1 - p)) ** -0.5
    factor, offset = (kept * scale).astype(input.dtype), ((kept - 1 + p) * (_LIMIT * scale)).astype(input.dtype)
    return in_place(input, input * factor + offset, inplace)


def _dropout(input, p, training, inplace, generator, shape):
    if not _drops(p, training):
        return input
    kept = _drawn(generator, shape, "dropout") >= p
    scale = 0.0 if p == 1.0 else 1.0 / (1.0 - p)
    return in_place(input, input * (kept * np.asarray(scale, input.dtype)), inplace)


def _drops(p, training):
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    return training and p > 0.0


def _drawn(generator, shape, what):
    if generator is None:
        raise ValueError(f"{what} in training needs generator=, or what one has drawn; call .eval() on the model to leave it out")
    drawn = generator if isinstance(generator, np.ndarray) else generator.random(shape)
    if drawn.shape != tuple(shape):
        raise ValueError(f"{what} needs random numbers of shape {tuple(shape)}, got {drawn.shape}")
    return drawn


def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False, *, generator=None):
    """``leaky_relu`` with slopes drawn from ``[lower, upper)`` in training, and with the mean of the two after it."""
    if not training:
        return in_place(input, ops.leaky_relu(input, (lower + upper) / 2), inplace)
    slopes = (lower + (upper - lower) * _drawn(generator, input.shape, "rrelu")).astype(input.dtype)
    return in_place(input, np.where(input > 0, input, input * slopes), inplace)


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1, *, generator=None):
    """A sample of the Gumbel-softmax distribution along ``dim``; ``hard`` makes it one-hot. ``eps`` means nothing, as in torch."""
    waits = -np.log1p(-_drawn(generator, logits.shape, "gumbel_softmax").astype(logits.dtype))
    soft = ops.softmax((logits - np.log(np.maximum(waits, np.finfo(logits.dtype).tiny))) / tau, dim)
    if not hard:
        return soft
    chosen = np.expand_dims(np.argmax(soft, axis=dim), dim)
    places = np.arange(logits.shape[dim]).reshape(-1, *(1,) * ((-1 - dim) % logits.ndim))
    return (places == chosen).astype(logits.dtype)
