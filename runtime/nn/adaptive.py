"""Softmax over many classes, frequent ones first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from npexport.runtime.array_types import Array, DTypeLike
from npexport.runtime.nn import functional as F
from npexport.runtime.nn.containers import ModuleList, Sequential
from npexport.runtime.nn.linear import Linear
from npexport.runtime.nn.module import Module


class ASMoutput(NamedTuple):
    """The log-probability of each target, and the mean of their negatives."""

    output: Any
    loss: Any


class AdaptiveLogSoftmaxWithLoss(Module):
    """The classes below ``cutoffs[0]`` and one entry for each cluster of others make up the head;
    clusters have smaller projections.

    ``in_features``: features of the input; ``n_classes``: the number of classes; ``div_value``:
    each cluster's projection is this many times smaller; ``head_bias``: whether the head has a
    bias; ``dtype``: the dtype of the weights; ``generator``: the source of random numbers, a
    ``numpy.random.Generator``. As ``torch.nn.AdaptiveLogSoftmaxWithLoss``; Grave et al.,
    arXiv:1609.04309.

    >>> layer = AdaptiveLogSoftmaxWithLoss(4, 10, cutoffs=[3, 6])
    >>> layer(np.zeros((5, 4), np.float32), np.arange(5)).output.shape
    (5,)
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        *,
        dtype: DTypeLike = np.float32,
        generator: np.random.Generator | None = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs or cutoffs != sorted(set(cutoffs)) or cutoffs[0] <= 0 or cutoffs[-1] > n_classes - 1:
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, "
                "where each value is between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = cutoffs[0]
        self.n_clusters = len(cutoffs)
        self.head_size = self.shortlist_size + self.n_clusters
        options: dict[str, Any] = {"dtype": dtype, "generator": generator}
        self.head = Linear(in_features, self.head_size, head_bias, **options)
        self.tail = ModuleList()
        for i, (start, stop) in enumerate(zip(cutoffs, self.cutoffs[1:], strict=True)):
            hidden = int(in_features // (div_value ** (i + 1)))
            self.tail.append(Sequential(Linear(in_features, hidden, False, **options), Linear(hidden, stop - start, False, **options)))

    def forward(self, input_: Array, target_: Array) -> ASMoutput:
        """``(N, in_features)`` and ``(N,)``, or without ``N``, to an ``ASMoutput``.

        Raises ``IndexError`` for unknown classes.
        """
        batched = target_.ndim == 1
        if target_.ndim > 1 or input_.ndim != target_.ndim + 1:
            raise ValueError(f"AdaptiveLogSoftmaxWithLoss: target of shape {target_.shape} does not fit input of shape {input_.shape}")
        input, target = (input_, target_) if batched else (input_[None], target_[None])
        output = -F.nll_loss(self.log_prob(input), target, reduction="none")
        return ASMoutput(output if batched else output[0], -np.mean(output))

    def log_prob(self, input: Array) -> Array:
        """The log-probabilities ``(N, n_classes)`` of all classes."""
        head = F.log_softmax(self.head(input), 1)
        clusters = [
            F.log_softmax(cluster(input), 1) + np.expand_dims(head[:, self.shortlist_size + i], 1) for i, cluster in enumerate(self.tail)
        ]
        return np.concatenate([head[:, : self.shortlist_size], *clusters], axis=1)

    def predict(self, input: Array) -> Array:
        """The most probable class of each row."""
        return np.argmax(self.log_prob(input), axis=1)
