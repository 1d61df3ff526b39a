"""Losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.decompositions import register_decomposition


@register_decomposition("nn.nll_loss")
def nll_loss(input: Any, target: Any, weight: Any = None, ignore_index: Any = -100) -> Any:
    """Exact: the log-probabilities of the targets, times their weights."""
    counted, classes = counted_classes(target, ignore_index)
    if np.any((classes < 0) | (classes >= input.shape[0 if input.ndim == 1 else 1])):
        raise IndexError("nll_loss: a target is not in the range of the classes")
    return weighted_losses(input, counted, classes, weight)


def counted_classes(target: Any, ignore_index: Any) -> tuple[Any, Any]:
    """Which targets count, and the class of each, 0 where one does not."""
    counted = np.ones(target.shape, np.bool_) if ignore_index is None else np.asarray(target != ignore_index)
    return counted, np.where(counted, target, 0)


def weighted_losses(input: Any, counted: Any, classes: Any, weight: Any) -> tuple[Any, Any]:
    """The losses of the classes, which are known to exist, and their weights."""
    axis = 0 if input.ndim == 1 else 1
    dtype = input.dtype if weight is None else np.result_type(input, weight)
    factor = counted.astype(dtype)
    if weight is not None:
        factor = factor * np.take(weight, classes)
    picked = np.take_along_axis(input, np.expand_dims(classes, axis), axis).squeeze(axis)
    loss = np.where(counted, -picked * factor, np.zeros((), dtype))
    return loss[()], factor[()]


@register_decomposition("nn.ctc_loss")
def ctc_loss(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: Any = 0) -> Any:
    """Exact: the forward algorithm over all sequences at once, step by step."""
    single = log_probs.ndim == 2
    x = (log_probs[:, None] if single else log_probs).astype(np.float64)
    steps = np.reshape(input_lengths, -1)
    labels, counts = _labels(targets, np.reshape(target_lengths, -1), single, blank)
    width = 2 * labels.shape[1] + 1
    place = np.arange(width)
    first = np.full((labels.shape[0], 1), blank, labels.dtype)
    inner = np.repeat(labels, 2, axis=1)  # labels are at odd positions, blanks at even ones
    states = np.where(place % 2 == 1, np.concatenate([first, inner], axis=1), blank)
    before = np.concatenate([first, first, states], axis=1)[:, :width]
    skips = (place % 2 == 1) & (place > 2) & (states != before)
    scores = np.where(np.zeros(states.shape) + place < 1, 0.0, -np.inf)
    for step in range(x.shape[0]):
        row = np.take_along_axis(x[step], states, axis=1)
        found = np.where(place < 2, 0.0, -np.inf) if step == 0 else _reached(scores, skips, width)
        scores = np.where((step < steps)[:, None], found + row, scores)
    ends = 2 * counts[:, None]
    last = np.take_along_axis(scores, ends, axis=1)[:, 0]
    label = np.where(counts > 0, np.take_along_axis(scores, np.maximum(ends - 1, 0), axis=1)[:, 0], -np.inf)
    loss = (-np.logaddexp(label, last)).astype(log_probs.dtype)
    return loss[0] if single else loss


def _labels(targets: Any, counts: Any, single: bool, blank: Any) -> Any:
    """The labels of each sequence in a row, padded with blanks, and their number."""
    if targets.ndim == 2 and not single:
        counts = np.minimum(counts, targets.shape[1])
        rows = targets
    else:
        flat = targets.reshape(-1)
        size = flat.shape[0]
        starts = np.minimum(np.cumsum(counts) - counts, size)
        counts = np.minimum(counts, size - starts)
        places = starts[:, None] + np.arange(size)
        rows = np.take(np.concatenate([flat, np.full(1, blank, flat.dtype)]), np.minimum(places, size))
    return np.where(np.arange(rows.shape[1]) < counts[:, None], rows, blank), counts


def _reached(scores: Any, skips: Any, width: int) -> Any:
    """The scores of staying, of coming from the place before, and of skipping a blank."""
    nothing = np.full((scores.shape[0], 1), -np.inf)
    moved = np.concatenate([nothing, scores[:, : width - 1]], axis=1)
    skipping = np.where(skips, np.concatenate([nothing, moved[:, : width - 1]], axis=1), -np.inf)
    return np.logaddexp(np.logaddexp(scores, moved), skipping)
