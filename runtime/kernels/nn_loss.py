"""Losses that are computed step by step."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.decompositions.nn_loss import counted_classes, weighted_losses
from npexport.runtime.array_types import Array


def nll_loss(input: Array, target: Array, weight: Array | None = None, ignore_index: Any = -100) -> Any:
    counted, classes = counted_classes(target, ignore_index)
    count = input.shape[0 if input.ndim == 1 else 1]
    if classes.size and (classes.min() < 0 or classes.max() >= count):
        raise IndexError(f"nll_loss: targets {classes.min()} to {classes.max()} are not all in range({count})")
    return weighted_losses(input, counted, classes, weight)


def ctc_loss(log_probs: Array, targets: Array, input_lengths: Array, target_lengths: Array, blank: Any = 0) -> Array:
    if log_probs.ndim == 2:
        steps, count = int(np.asarray(input_lengths).reshape(())), int(np.asarray(target_lengths).reshape(()))
        return log_probs.dtype.type(_alignments(log_probs[:steps], targets.reshape(-1)[:count], blank))
    ends = np.cumsum(target_lengths)
    losses = np.empty(log_probs.shape[1], log_probs.dtype)
    for n, (steps, count) in enumerate(zip(input_lengths, target_lengths, strict=True)):
        labels = targets[n, :count] if targets.ndim == 2 else targets[ends[n] - count : ends[n]]
        losses[n] = _alignments(log_probs[:steps, n], labels, blank)
    return losses


def _alignments(log_probs: Any, labels: Any, blank: Any) -> Any:
    """The forward algorithm over the labels with blanks between and around them."""
    states = np.full(2 * len(labels) + 1, blank)
    states[1::2] = labels
    skips = np.zeros(len(states), bool)  # from one label to the next, where they differ
    skips[3::2] = labels[1:] != labels[:-1]
    scores = np.full(len(states), -np.inf)
    scores[0] = 0.0
    for step, row in enumerate(log_probs.astype(np.float64)):
        stay = scores
        if step:
            before = np.concatenate([[-np.inf], stay[:-1]])
            skipping = np.where(skips, np.concatenate([[-np.inf, -np.inf], stay[:-2]])[: len(stay)], -np.inf)
            scores = np.logaddexp(np.logaddexp(stay, before), skipping)
        else:
            scores = np.where(np.arange(len(states)) < 2, 0.0, -np.inf)
        scores = scores + row[states]
    return -np.logaddexp.reduce(scores[-2:])
