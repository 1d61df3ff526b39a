"""Similarities and distances as modules: each holds the options of its function in
:mod:`npexport.runtime.nn.losses`.
"""

from __future__ import annotations

from npexport.runtime.array_types import Array
from npexport.runtime.nn import losses
from npexport.runtime.nn.module import Module


class CosineSimilarity(Module):
    """``x1 . x2 / max(|x1| * |x2|, eps)`` along ``dim``, which the result does not have.

    As ``torch.nn.CosineSimilarity``.

    >>> import numpy as np
    >>> CosineSimilarity()(np.array([[1.0, 0.0]]), np.array([[1.0, 1.0]])).round(3)
    array([0.707])
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Array, x2: Array) -> Array:
        return losses.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """The ``p``-norm of ``x1 - x2 + eps`` along the last axis: ``([N,] D)`` to ``([N])``.

    ``keepdim``: keep the last axis, of size 1. As ``torch.nn.PairwiseDistance``.

    >>> import numpy as np
    >>> PairwiseDistance()(np.zeros((1, 2)), np.array([[3.0, 4.0]])).round(3)
    array([5.])
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Array, x2: Array) -> Array:
        return losses.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
