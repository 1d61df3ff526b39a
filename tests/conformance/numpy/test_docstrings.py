"""A part of the examples in NumPy's docstrings; ``python -m tests.conformance.numpy.docstrings`` runs all of them."""

from __future__ import annotations

import pytest

from tests.conformance.numpy.docstrings import run

EVERY = {"numpy.fft": 4, "numpy.linalg": 12, "numpy.strings": 9, "numpy.lib.stride_tricks": 3, "numpy.ndarray.": 6, "numpy.c": 25}
"""Each of so many examples of the names with a word."""


@pytest.mark.parametrize("word", EVERY)
def test_examples_compute_what_numpy_computes(word: str) -> None:
    found = run(word, every=EVERY[word], forms=(True,))
    assert found.differences == []
    assert found.outcomes["same"] > (found.outcomes.total() - found.outcomes["no program"]) / 2, found.outcomes
