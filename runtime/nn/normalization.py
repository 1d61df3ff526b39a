"""Normalisation layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.runtime.array_types import Array, DTypeLike, Sizes
from npexport.runtime.nn import functional as F
from npexport.runtime.nn.module import Module


class _Affine(Module):
    """A layer with a ``weight`` of ones and a ``bias`` of zeros, or without."""

    weight: Array | None
    bias: Array | None

    def _make_weights(self, shape: Any, dtype: DTypeLike, weight: bool, bias: bool) -> None:
        self.register_parameter("weight", np.ones(shape, dtype) if weight else None)
        self.register_parameter("bias", np.zeros(shape, dtype) if bias else None)

    def reset_parameters(self) -> None:
        """Reset the weight to 1 and the bias to 0."""
        for name, parameter in self.named_parameters(recurse=False):
            parameter[...] = name == "weight"


class _RunningNorm(_Affine):
    """Normalisation by channel with running statistics."""

    _ranks: tuple[int, ...] = ()
    running_mean: Any
    running_var: Any
    num_batches_tracked: Any

    def __init__(
        self, num_features: int, eps: float, momentum: float | None, affine: bool, track_running_stats: bool, dtype: DTypeLike, bias: bool
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum: Any = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self._make_weights(num_features, dtype, affine, affine and bias)
        self.register_buffer("running_mean", np.zeros(num_features, dtype) if track_running_stats else None)
        self.register_buffer("running_var", np.ones(num_features, dtype) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", np.zeros((), np.int64) if track_running_stats else None)

    def _check(self, input: Array) -> None:
        if input.ndim not in self._ranks:
            wanted = " or ".join(f"{rank}D" for rank in self._ranks)
            raise ValueError(f"{type(self).__name__}: expected {wanted} input (got {input.ndim}D input)")

    def reset_running_stats(self) -> None:
        """Reset the running statistics."""
        if self.track_running_stats:
            self.running_mean[...] = 0
            self.running_var[...] = 1
            self.num_batches_tracked[...] = 0

    def reset_parameters(self) -> None:
        """Reset the weight to 1, the bias to 0, and the running statistics."""
        super().reset_parameters()
        self.reset_running_stats()

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_RunningNorm):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        *,
        dtype: DTypeLike = np.float32,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype, bias)

    def forward(self, input: Array) -> Array:
        self._check(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        training = self.training or self.running_mean is None
        if self.training and self.track_running_stats:
            self.num_batches_tracked += 1
            if self.momentum is None:  # the cumulative average
                momentum = 1.0 / self.num_batches_tracked
        return F.batch_norm(input, self.running_mean, self.running_var, self.weight, self.bias, training, momentum, self.eps)


class BatchNorm1d(_BatchNorm):
    """``(input - mean) / sqrt(var + eps) * weight + bias``, by channel of ``(N, C)`` or ``(N, C,
    L)``.

    In training ``mean`` and ``var`` are those of the batch, and move the running ones.

    ``num_features``: the number of channels; ``momentum``: how far the running statistics move
    in each training step; ``affine``: whether there are a learned weight and bias;
    ``track_running_stats``: keep running statistics for evaluation; ``dtype``: the dtype of the
    weights. As ``torch.nn.BatchNorm1d``; Ioffe and Szegedy, arXiv:1502.03167.

    >>> BatchNorm1d(4).eval()(np.zeros((2, 4, 16), np.float32)).shape
    (2, 4, 16)
    """

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of ``(N, C, H, W)``; in training it moves its running statistics.

    ``num_features``: the number of channels; ``eps``: a small number that keeps divisions
    finite; ``momentum``: how far the running statistics move in each training step; ``affine``:
    whether there are a learned weight and bias; ``track_running_stats``: keep running
    statistics for evaluation; ``dtype``: the dtype of the weights; ``bias``: whether there is a
    bias. As ``torch.nn.BatchNorm2d``; Ioffe and Szegedy, arXiv:1502.03167.

    >>> layer = BatchNorm2d(3).eval()
    >>> layer(np.ones((1, 3, 2, 2), np.float32)).dtype
    dtype('float32')
    """

    _ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """``(input - mean) / sqrt(var + eps) * weight + bias``, by channel of ``(N, C, D, H, W)``.

    In training ``mean`` and ``var`` are those of the batch, and move the running ones.

    ``num_features``: the number of channels; ``momentum``: how far the running statistics move
    in each training step; ``affine``: whether there are a learned weight and bias;
    ``track_running_stats``: keep running statistics for evaluation; ``dtype``: the dtype of the
    weights. As ``torch.nn.BatchNorm3d``; Ioffe and Szegedy, arXiv:1502.03167.

    >>> BatchNorm3d(4).eval()(np.zeros((2, 4, 4, 8, 8), np.float32)).shape
    (2, 4, 4, 8, 8)
    """

    _ranks = (5,)


class _InstanceNorm(_RunningNorm):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        *,
        dtype: DTypeLike = np.float32,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype, bias)

    def forward(self, input: Array) -> Array:
        self._check(input)
        own = self.training or not self.track_running_stats
        mean, var = (self.running_mean, self.running_var) if self.training or not own else (None, None)
        batched = input if input.ndim == self._ranks[-1] else input[None]
        out = F.instance_norm(batched, mean, var, self.weight, self.bias, own, self.momentum, self.eps)
        return out if input.ndim == self._ranks[-1] else out[0]


class InstanceNorm1d(_InstanceNorm):
    """``(input - mean) / sqrt(var + eps) * weight + bias``, by channel and sample of ``([N,] C,
    L)``.

    ``num_features``: the number of channels; ``momentum``: how far the running statistics move
    in each training step; ``affine``: whether there are a learned weight and bias;
    ``track_running_stats``: keep running statistics for evaluation; ``dtype``: the dtype of the
    weights. As ``torch.nn.InstanceNorm1d``; Ulyanov et al., arXiv:1607.08022.

    >>> InstanceNorm1d(4)(np.zeros((2, 4, 16), np.float32)).shape
    (2, 4, 16)
    """

    _ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """``(input - mean) / sqrt(var + eps) * weight + bias``, by channel and sample of ``([N,] C, H,
    W)``.

    ``num_features``: the number of channels; ``momentum``: how far the running statistics move
    in each training step; ``affine``: whether there are a learned weight and bias;
    ``track_running_stats``: keep running statistics for evaluation; ``dtype``: the dtype of the
    weights. As ``torch.nn.InstanceNorm2d``; Ulyanov et al., arXiv:1607.08022.

    >>> InstanceNorm2d(4)(np.zeros((2, 4, 8, 8), np.float32)).shape
    (2, 4, 8, 8)
    """

    _ranks = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """``(input - mean) / sqrt(var + eps) * weight + bias``, by channel and sample of ``([N,] C, D,
    H, W)``.

    ``num_features``: the number of channels; ``momentum``: how far the running statistics move
    in each training step; ``affine``: whether there are a learned weight and bias;
    ``track_running_stats``: keep running statistics for evaluation; ``dtype``: the dtype of the
    weights. As ``torch.nn.InstanceNorm3d``; Ulyanov et al., arXiv:1607.08022.

    >>> InstanceNorm3d(4)(np.zeros((2, 4, 4, 8, 8), np.float32)).shape
    (2, 4, 4, 8, 8)
    """

    _ranks = (4, 5)


class _LastAxesNorm(_Affine):
    def __init__(self, normalized_shape: Sizes, eps: float | None, elementwise_affine: bool) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps: Any = eps
        self.elementwise_affine = elementwise_affine

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class LayerNorm(_LastAxesNorm):
    """``(input - mean) / sqrt(var + eps) * weight + bias``, over the last axes, of sizes
    ``normalized_shape``.

    ``elementwise_affine``: whether there is a learned weight; ``dtype``: the dtype of the
    weights. As ``torch.nn.LayerNorm``; Ba et al., arXiv:1607.06450.

    >>> LayerNorm(4)(np.array([[1.0, 2.0, 3.0, 4.0]], np.float32)).round(3)
    array([[-1.342, -0.447,  0.447,  1.342]], dtype=float32)
    """

    def __init__(
        self,
        normalized_shape: Sizes,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        *,
        dtype: DTypeLike = np.float32,
    ) -> None:
        super().__init__(normalized_shape, eps, elementwise_affine)
        self._make_weights(self.normalized_shape, dtype, elementwise_affine, elementwise_affine and bias)

    def forward(self, input: Array) -> Array:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, bias={self.bias is not None}"


class RMSNorm(_LastAxesNorm):
    """``input / sqrt(mean(input ** 2) + eps) * weight``, over the last axes.

    ``normalized_shape``: the sizes of the last axes; ``elementwise_affine``: whether there is a
    learned weight; ``dtype``: the dtype of the weights. As ``torch.nn.RMSNorm``; Zhang and
    Sennrich, arXiv:1910.07467.

    >>> RMSNorm(2)(np.array([[3.0, 4.0]], np.float32)).round(3)
    array([[0.849, 1.131]], dtype=float32)
    """

    def __init__(
        self, normalized_shape: Sizes, eps: float | None = None, elementwise_affine: bool = True, *, dtype: DTypeLike = np.float32
    ) -> None:
        super().__init__(normalized_shape, eps, elementwise_affine)
        self.register_parameter("weight", np.ones(self.normalized_shape, dtype) if elementwise_affine else None)

    def forward(self, x: Array) -> Array:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)


class GroupNorm(_Affine):
    """``(input - mean) / sqrt(var + eps) * weight + bias``, by group of channels and sample of
    ``(N, C, ...)``.

    ``num_groups``: the number of groups; ``num_channels``: the number of channels; ``affine``:
    whether there are a learned weight and bias; ``dtype``: the dtype of the weights. As
    ``torch.nn.GroupNorm``; Wu and He, arXiv:1803.08494.

    >>> GroupNorm(2, 4)(np.zeros((2, 4, 8), np.float32)).shape
    (2, 4, 8)
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        *,
        dtype: DTypeLike = np.float32,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._make_weights(num_channels, dtype, affine, affine and bias)

    def forward(self, input: Array) -> Array:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, bias={self.bias is not None}"


class LocalResponseNorm(Module):
    """``input / (k + alpha * mean) ** beta``: the mean of the squares of ``size`` neighbouring
    channels.

    ``input`` is ``(N, C, ...)``; the result has its shape.

    As ``torch.nn.LocalResponseNorm``; Krizhevsky et al., NeurIPS 2012.

    >>> LocalResponseNorm(2)(np.zeros((2, 4, 8))).shape
    (2, 4, 8)
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Array) -> Array:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
