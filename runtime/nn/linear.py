"""Linear layers, dropout, and layers that only rearrange elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from npexport.runtime.array_types import Array, DTypeLike
from npexport.runtime.nn import functional as F
from npexport.runtime.nn import init
from npexport.runtime.nn.module import Module
from npexport.runtime.nn.registered import Parameter


class Weighted(Module):
    """A layer with a ``weight`` and maybe a ``bias``, uniform within ``1 / sqrt(fan_in)``."""

    weight: Array
    bias: Array | None

    def _make_weights(self, shape: Any, bias_size: Any, dtype: DTypeLike, generator: np.random.Generator | None) -> None:
        self.weight = Parameter(np.empty(shape, dtype))
        self.register_parameter("bias", None if bias_size is None else np.empty(bias_size, dtype))
        self.reset_parameters(generator)

    def _fan_in(self) -> int:
        return math.prod(self.weight.shape[1:])

    def reset_parameters(self, generator: np.random.Generator | None = None) -> None:
        """Draw weight and bias anew."""
        bound = 1 / math.sqrt(self._fan_in()) if self._fan_in() else 0.0
        for parameter in self.parameters(recurse=False):
            init.uniform_(parameter, -bound, bound, generator)


class Linear(Weighted):
    """``input @ weight.T + bias``: ``(..., in_features)`` to ``(..., out_features)``.

    ``dtype``: the dtype of the weights; ``generator``: the source of random numbers, a
    ``numpy.random.Generator``. As ``torch.nn.Linear``.

    >>> Linear(4, 2)(np.ones((3, 4), np.float32)).shape
    (3, 2)
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        dtype: DTypeLike = np.float32,
        generator: np.random.Generator | None = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self._make_weights((out_features, in_features), out_features if bias else None, dtype, generator)

    def forward(self, input: Array) -> Array:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Bilinear(Weighted):
    """``input1 @ weight[k] @ input2 + bias[k]`` for each output feature ``k``.

    ``in1_features``: features of ``input1``; ``in2_features``: features of ``input2``;
    ``out_features``: features of the result; ``dtype``: the dtype of the weights;
    ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.Bilinear``.

    >>> Bilinear(3, 4, 5)(np.ones((2, 3), np.float32), np.ones((2, 4), np.float32)).shape
    (2, 5)
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        *,
        dtype: DTypeLike = np.float32,
        generator: np.random.Generator | None = None,
    ) -> None:
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self._make_weights((out_features, in1_features, in2_features), out_features if bias else None, dtype, generator)

    def _fan_in(self) -> int:
        return self.in1_features

    def forward(self, input1: Array, input2: Array) -> Array:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class Identity(Module):
    """Its input; arguments of the constructor are ignored, so that it can stand in for any layer.

    ``args``: any positional arguments; ``kwargs``: any keyword arguments. As ``torch.nn.Identity``.

    >>> Identity()(np.ones(2))
    array([1., 1.])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Array) -> Array:
        return input


class Flatten(Module):
    """The axes ``start_dim`` to ``end_dim`` as one.

    As ``torch.nn.Flatten``.

    >>> Flatten()(np.zeros((2, 3, 4))).shape
    (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Array) -> Array:
        shape = input.shape
        start = self.start_dim if self.start_dim >= 0 else self.start_dim + len(shape)
        stop = (self.end_dim if self.end_dim >= 0 else self.end_dim + len(shape)) + 1
        if not 0 <= start < stop <= len(shape):
            raise ValueError(f"Flatten(start_dim={self.start_dim}, end_dim={self.end_dim}) does not fit an array of shape {shape}")
        return input.reshape(*shape[:start], math.prod(shape[start:stop]), *shape[stop:])

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """The axis ``dim`` as axes of the sizes ``unflattened_size``.

    As ``torch.nn.Unflatten``.

    >>> Unflatten(1, (2, 3))(np.zeros((4, 6))).shape
    (4, 2, 3)
    """

    def __init__(self, dim: int, unflattened_size: Sequence[int]) -> None:
        super().__init__()
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Array) -> Array:
        shape, sizes = input.shape, tuple(self.unflattened_size)
        dim = self.dim if self.dim >= 0 else self.dim + len(shape)
        if not 0 <= dim < len(shape):
            raise ValueError(f"Unflatten: dim {self.dim} is out of range for an array of shape {shape}")
        if -1 in sizes and (known := -math.prod(sizes)) > 0:
            sizes = tuple([shape[dim] // known if size == -1 else size for size in sizes])
        if math.prod(sizes) != shape[dim]:
            raise ValueError(f"Unflatten: axis {self.dim} of size {shape[dim]} cannot have the sizes {self.unflattened_size}")
        return input.reshape(*shape[:dim], *sizes, *shape[dim + 1 :])

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class _Dropout(Module):
    _function: Any = None

    def __init__(self, p: float = 0.5, inplace: bool = False, *, generator: np.random.Generator | None = None) -> None:
        super().__init__()
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace
        self.generator = generator

    def forward(self, input: Array, generator: np.random.Generator | None = None) -> Array:
        generator = self.generator if generator is None else generator
        return type(self)._function(input, self.p, self.training, self.inplace, generator=generator)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """Zeros with probability ``p`` in training, which needs ``generator``, of the layer or of the
    call; the identity after ``eval()``.

    ``input`` may have any shape; the result has the same. ``inplace``: write the result into the
    input and return it. As ``torch.nn.Dropout``; Srivastava et al., JMLR 15, 2014.

    >>> Dropout(0.5).eval()(np.ones(3))
    array([1., 1., 1.])
    """

    _function = staticmethod(F.dropout)


class Dropout1d(_Dropout):
    """``Dropout`` of whole channels of ``([N,] C, L)``.

    ``p``: the probability of a zero; ``inplace``: write the result into the input and return it;
    ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.Dropout1d``; Srivastava et al., JMLR 15, 2014.

    >>> Dropout1d(0.5).eval()(np.ones((1, 2, 2))).sum()
    np.float64(4.0)
    """

    _function = staticmethod(F.dropout1d)


class Dropout2d(_Dropout):
    """``Dropout`` of whole channels of ``([N,] C, H, W)``.

    ``p``: the probability of a zero; ``inplace``: write the result into the input and return it;
    ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.Dropout2d``; Srivastava et al., JMLR 15, 2014.

    >>> Dropout2d(0.5).eval()(np.ones((1, 2, 2, 2))).sum()
    np.float64(8.0)
    """

    _function = staticmethod(F.dropout2d)


class Dropout3d(_Dropout):
    """``Dropout`` of whole channels of ``([N,] C, D, H, W)``.

    ``p``: the probability of a zero; ``inplace``: write the result into the input and return it;
    ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.Dropout3d``; Srivastava et al., JMLR 15, 2014.

    >>> Dropout3d(0.5).eval()(np.ones((1, 2, 2, 2, 2))).sum()
    np.float64(16.0)
    """

    _function = staticmethod(F.dropout3d)


class AlphaDropout(_Dropout):
    """Dropout for ``SELU``: keeps mean and variance of what it gives. Any shape.

    ``input`` may have any shape; the result has the same. ``p``: the probability of a zero;
    ``inplace``: write the result into the input and return it; ``generator``: the source of
    random numbers, a ``numpy.random.Generator``. As ``torch.nn.AlphaDropout``; Klambauer et
    al., arXiv:1706.02515.

    >>> AlphaDropout(0.5).eval()(np.ones(3))
    array([1., 1., 1.])
    """

    _function = staticmethod(F.alpha_dropout)


class FeatureAlphaDropout(_Dropout):
    """``F.feature_alpha_dropout``: ``AlphaDropout`` of whole channels of ``(N, C, ...)``.

    ``p``: the probability of a zero; ``inplace``: write the result into the input and return it;
    ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.FeatureAlphaDropout``; Klambauer et al., arXiv:1706.02515.

    >>> FeatureAlphaDropout(0.5).eval()(np.ones((1, 2, 3))).sum()
    np.float64(6.0)
    """

    _function = staticmethod(F.feature_alpha_dropout)
