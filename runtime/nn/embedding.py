"""Layers that look up the rows of a table."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from npexport.runtime.array_types import Array, DTypeLike
from npexport.runtime.nn import functional as F
from npexport.runtime.nn import init
from npexport.runtime.nn.module import Module
from npexport.runtime.nn.registered import Parameter


class _Table(Module):
    """A learned table, normally distributed; the row ``padding_idx`` is zeros."""

    def _set(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None,
        max_norm: float | None,
        norm_type: float,
        scale_grad_by_freq: bool,
        sparse: bool,
    ) -> None:
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise ValueError(f"padding_idx {padding_idx} must be within num_embeddings {num_embeddings}")
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse

    def _make_weight(self, given: Any, dtype: DTypeLike, generator: np.random.Generator | None) -> None:
        shape = (self.num_embeddings, self.embedding_dim)
        self.weight = Parameter(np.empty(shape, dtype) if given is None else given)
        if self.weight.shape != shape:
            raise ValueError(f"a weight of shape {self.weight.shape} does not match num_embeddings and embedding_dim, {shape}")
        if given is None:
            self.reset_parameters(generator)

    def reset_parameters(self, generator: np.random.Generator | None = None) -> None:
        """Draw the table anew."""
        init.normal_(self.weight, generator=generator)
        if self.padding_idx is not None:
            self.weight[self.padding_idx] = 0

    def _options(self, *names: Any) -> str:
        """``, name=value`` for each option that differs from its default."""
        defaults = {"norm_type": 2.0, "scale_grad_by_freq": False, "sparse": False}
        shown = [name for name in names if getattr(self, name) != defaults.get(name)]
        return "".join([f", {name}={getattr(self, name)!r}" for name in shown])

    @classmethod
    def from_pretrained(cls, embeddings: Array, freeze: bool = True, *args: Any, **options: Any) -> Self:
        """A layer over an existing table of shape ``(num_embeddings, embedding_dim)``, which is not
        copied.

        ``freeze`` matters to training only; the other arguments are options of the constructor, in
        the order of torch.
        """
        if embeddings.ndim != 2:
            raise ValueError(f"embeddings must be 2-dimensional, got shape {embeddings.shape}")
        if len(args) > len(cls._pretrained):
            raise TypeError(f"from_pretrained takes at most {len(cls._pretrained) + 2} positional arguments")
        return cls(*embeddings.shape, **{"_weight": embeddings, **dict(zip(cls._pretrained, args, strict=False)), **options})

    _pretrained: tuple[str, ...] = ()


class Embedding(_Table):
    """Rows of a learned table, normally distributed; the row ``padding_idx`` is zeros. ``max_norm``
    shortens rows when they are read.

    ``num_embeddings``: the number of rows; ``embedding_dim``: the length of each row;
    ``norm_type``: the exponent of the norm; ``scale_grad_by_freq``, ``sparse``: means nothing
    without gradients; ``_weight``: the table itself, instead of a drawn one; ``dtype``: the
    dtype of the weights; ``generator``: the source of random numbers, a
    ``numpy.random.Generator``. As ``torch.nn.Embedding``.

    >>> Embedding(10, 3)(np.array([[1, 2]])).shape
    (1, 2, 3)
    """

    _pretrained = ("padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse")

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Array | None = None,
        *,
        dtype: DTypeLike = np.float32,
        generator: np.random.Generator | None = None,
    ) -> None:
        super().__init__()
        self._set(num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
        self._make_weight(_weight, dtype, generator)

    def forward(self, input: Array) -> Array:
        return F.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type)

    def extra_repr(self) -> str:
        options = self._options("padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse")
        return f"{self.num_embeddings}, {self.embedding_dim}{options}"


class EmbeddingBag(_Table):
    """The sum, mean or maximum of the rows that each bag of indices names; called with
    ``F.embedding_bag``'s input, offsets and weights.

    ``num_embeddings``: the number of rows; ``embedding_dim``: the length of each row;
    ``max_norm``: rows that are longer are made this long; ``norm_type``: the exponent of the
    norm; ``scale_grad_by_freq``, ``sparse``: means nothing without gradients; ``mode``: the
    method, by its name in torch; ``_weight``: the table itself, instead of a drawn one;
    ``include_last_offset``: the last offset is the end of the last bag; ``padding_idx``: a row
    that is zeros, or that bags leave out; ``dtype``: the dtype of the weights; ``generator``:
    the source of random numbers, a ``numpy.random.Generator``. As ``torch.nn.EmbeddingBag``.

    >>> EmbeddingBag(10, 3)(np.array([[1, 2], [4, 5]])).shape
    (2, 3)
    """

    _pretrained = ("max_norm", "norm_type", "scale_grad_by_freq", "mode", "sparse", "include_last_offset", "padding_idx")

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Array | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        *,
        dtype: DTypeLike = np.float32,
        generator: np.random.Generator | None = None,
    ) -> None:
        super().__init__()
        self._set(num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
        self.mode = mode
        self.include_last_offset = include_last_offset
        self._make_weight(_weight, dtype, generator)

    def forward(self, input: Array, offsets: Array | None = None, per_sample_weights: Array | None = None) -> Array:
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            mode=self.mode,
            per_sample_weights=per_sample_weights,
            include_last_offset=self.include_last_offset,
            padding_idx=self.padding_idx,
        )

    def extra_repr(self) -> str:
        options = self._options("max_norm", "norm_type", "scale_grad_by_freq", "mode", "padding_idx")
        return f"{self.num_embeddings}, {self.embedding_dim}{options}"
