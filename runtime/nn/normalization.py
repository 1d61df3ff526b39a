"""Normalisation layers."""

from __future__ import annotations

import numpy as np

from npexport.runtime.nn import functional as F
from npexport.runtime.nn.module import Module


class _Affine(Module):
    """A layer with a ``weight`` of ones and a ``bias`` of zeros, or without."""

    def _make_weights(self, shape, dtype, weight, bias):
        self.register_parameter("weight", np.ones(shape, dtype) if weight else None)
        self.register_parameter("bias", np.zeros(shape, dtype) if bias else None)

    def reset_parameters(self):
        """Make the weight 1 and the bias 0 again."""
        for name, parameter in self.named_parameters(recurse=False):
            parameter[...] = name == "weight"


class _RunningNorm(_Affine):
    """Normalisation by channel with running statistics."""

    _ranks: tuple[int, ...] = ()

    def __init__(self, num_features, eps, momentum, affine, track_running_stats, dtype, bias):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self._make_weights(num_features, dtype, affine, affine and bias)
        self.register_buffer("running_mean", np.zeros(num_features, dtype) if track_running_stats else None)
        self.register_buffer("running_var", np.ones(num_features, dtype) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", np.zeros((), np.int64) if track_running_stats else None)

    def _check(self, input):
        if input.ndim not in self._ranks:
            wanted = " or ".join(f"{rank}D" for rank in self._ranks)
            raise ValueError(f"{type(self).__name__}: expected {wanted} input (got {input.ndim}D input)")

    def reset_running_stats(self):
        """Forget what was seen."""
        if self.track_running_stats:
            self.running_mean[...] = 0
            self.running_var[...] = 1
            self.num_batches_tracked[...] = 0

    def reset_parameters(self):
        """Make the weight 1 and the bias 0 again, and forget what was seen."""
        super().reset_parameters()
        self.reset_running_stats()

    def extra_repr(self):
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_RunningNorm):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, *, dtype=np.float32, bias=True):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype, bias)

    def forward(self, input):
        self._check(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        training = self.training or self.running_mean is None
        if self.training and self.track_running_stats:
            self.num_batches_tracked += 1
            if self.momentum is None:  # the cumulative average
                momentum = 1.0 / self.num_batches_tracked
        return F.batch_norm(input, self.running_mean, self.running_var, self.weight, self.bias, training, momentum, self.eps)


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of ``(N, C)`` or ``(N, C, L)``; in training it moves its running statistics."""

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of ``(N, C, H, W)``; in training it moves its running statistics.

    >>> layer = BatchNorm2d(3).eval()
    >>> layer(np.ones((1, 3, 2, 2), np.float32)).dtype
    dtype('float32')
    """

    _ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalisation of ``(N, C, D, H, W)``; in training it moves its running statistics."""

    _ranks = (5,)


class _InstanceNorm(_RunningNorm):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, *, dtype=np.float32, bias=True):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype, bias)

    def forward(self, input):
        self._check(input)
        own = self.training or not self.track_running_stats
        mean, var = (self.running_mean, self.running_var) if self.training or not own else (None, None)
        batched = input if input.ndim == self._ranks[-1] else input[None]
        out = F.instance_norm(batched, mean, var, self.weight, self.bias, own, self.momentum, self.eps)
        return out if input.ndim == self._ranks[-1] else out[0]


class InstanceNorm1d(_InstanceNorm):
    """Normalisation of each channel of each sample of ``([N,] C, L)``."""

    _ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Normalisation of each channel of each sample of ``([N,] C, H, W)``."""

    _ranks = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Normalisation of each channel of each sample of ``([N,] C, D, H, W)``."""

    _ranks = (4, 5)


class _LastAxesNorm(_Affine):
    def __init__(self, normalized_shape, eps, elementwise_affine):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine

    def extra_repr(self):
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class LayerNorm(_LastAxesNorm):
    """Normalisation over the last axes, of sizes ``normalized_shape`` (an int for one axis)."""

    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, *, dtype=np.float32):
        super().__init__(normalized_shape, eps, elementwise_affine)
        self._make_weights(self.normalized_shape, dtype, elementwise_affine, elementwise_affine and bias)

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return f"{super().extra_repr()}, bias={self.bias is not None}"


class RMSNorm(_LastAxesNorm):
    """Division by the root of the mean square over the last axes."""

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, *, dtype=np.float32):
        super().__init__(normalized_shape, eps, elementwise_affine)
        self.register_parameter("weight", np.ones(self.normalized_shape, dtype) if elementwise_affine else None)

    def forward(self, input):
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)


class GroupNorm(_Affine):
    """Normalisation of each group of channels of each sample."""

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, *, dtype=np.float32, bias=True):
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._make_weights(num_channels, dtype, affine, affine and bias)

    def forward(self, input):
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, bias={self.bias is not None}"


class LocalResponseNorm(Module):
    """``F.local_response_norm``."""

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1.0):
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input):
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self):
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
