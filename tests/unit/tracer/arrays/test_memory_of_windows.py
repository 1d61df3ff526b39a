"""Slices of fixed length at places that a loop gives: their layouts are known, also if they are longer than
what follows the example's place.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.outcomes import outcome

SIGNALS = [np.random.default_rng(size).standard_normal((size, 4)) for size in (6, 9, 3, 40)]


def spectra(x: Any) -> Any:
    return np.stack([np.fft.rfft(x[start : start + 2], axis=0) for start in range(len(x) - 1)])


def spectra_of_hops(x: Any) -> Any:
    found = []
    for start in range(0, len(x) - 2, 2):
        found.append(np.fft.fft(x[start : start + 3] * np.hanning(3)[:, None], axis=0))
    return found


def sorted_windows(x: Any) -> Any:
    return [np.sort(x[start : start + 2], axis=0).sum(1) for start in range(len(x) - 1)]


@pytest.mark.parametrize("function", [spectra, spectra_of_hops, sorted_windows])
def test_windows_are_those_of_eager_execution(function: Any) -> None:
    run = export(function, (SIGNALS[0],), dynamic_shapes={"x": {0: Dim.AUTO}}).module()
    for x in SIGNALS:
        assert outcome(run, (x,), memory=True) == outcome(function, (x,), memory=True)


def test_arrays_in_c_order_are_not_in_fortrans_alone() -> None:
    def f(x: Any) -> Any:
        last = x[5:] * 2
        return np.delete(last, 0, 0), last.flags.fnc

    run = export(f, (SIGNALS[0],), dynamic_shapes={"x": {0: Dim("n", min=6)}}).module()
    for x in (SIGNALS[0], SIGNALS[1], SIGNALS[3]):
        assert outcome(run, (x,), memory=True) == outcome(f, (x,), memory=True)


def test_views_of_slices_that_data_end_are_not_longer_than_what_they_are_taken_from() -> None:
    def f(x: Any) -> Any:
        first = x[: int(abs(x[0]) * 3)]
        return np.add.outer(first, first), first[:, None].T

    run = export(f, (SIGNALS[0][:, 0],)).module()
    for start in (0.0, 0.4, 1.0, 9.0):
        x = np.array([start, 1, 2, 3, 4, 5])
        assert outcome(run, (x,), memory=True) == outcome(f, (x,), memory=True)


def test_calls_on_parts_of_windows_are_asked_for_their_own_sizes() -> None:
    def f(x: Any) -> Any:
        found = np.trim_zeros(np.where(x > 0, x, 0))
        if found.size > 3:
            found = found[:3]
        return np.take(found, [0], axis=0), found.copy()

    signals = [np.array(values, float) for values in ([1, 2, 0, 4, 5, 6], [0, 0, 1, 2, -3, -4], [0, 3, 0, 0, 0, 0], [-1, -1, 0, 0, 0, 0])]
    run = export(f, (signals[0],)).module()
    for x in signals:
        assert outcome(run, (x,), memory=True) == outcome(f, (x,), memory=True)
