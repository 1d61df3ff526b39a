"""Arrays of lists of lists that loops over data fill."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support.functions import function_of
from tests.support.outcomes import outcome
from tests.support.quiet import quiet

POINTS, LABELS = np.sin(np.arange(24.0) ** 2).reshape(8, 3), np.array([0, 2, 1, 1, 0, 2, 2, 1])
POSITIVE = "[v for v in x[:, 0] if v > 0]"
CAPTURED = [
    "np.array([[(q - m).sum() for m in [x[k == c].mean(0) for c in np.unique(k)]] for q in x[:4]])",
    "np.array([[(q - m).sum() + n for m, n in [(x[k == c].mean(0), c) for c in np.unique(k)]] for q in x[:2]])",
    f"np.array([{POSITIVE}, {POSITIVE}])",
    f"np.array(([{POSITIVE}], [{POSITIVE}]), np.float32)",
    f"np.mean([{POSITIVE}, {POSITIVE}], axis=0)",
    f"np.dot([{POSITIVE}], {POSITIVE})",
]
MAY_BE_EMPTY = ["np.array([[v for v in k if v > 0], [v for v in k if v > 0]])", "np.array([[v for v in x if v[0] > 0]] * 2)"]


def program(text):
    return function_of(f"def f(x, k):\n    return {text}\n", {"np": np})


@pytest.mark.parametrize("text", CAPTURED)
def test_lists_of_lists_become_arrays(text):
    f = program(text)
    with quiet():
        run = export(f, (POINTS, LABELS)).module()
    for x in (POINTS, -POINTS, POINTS[::-1].copy(), POINTS + 9, POINTS - 9):
        for labels in (LABELS, LABELS // 2, LABELS * 0 + 5):
            assert outcome(run, (x, labels)) == outcome(f, (x, labels))


@pytest.mark.parametrize("text", MAY_BE_EMPTY)
def test_the_dtype_and_the_axes_of_empty_lists_are_refused(text):
    with pytest.raises(ExportError, match="where it may be empty") as caught:
        export(program(text), (POINTS, LABELS))
    assert caught.value.code == "E103"


def test_lists_of_other_lengths_do_not_fit():
    f = program(f"np.array([{POSITIVE}, list(x[:2, 1])])")
    x = np.ones((2, 3))
    run = export(f, (x, LABELS)).module()
    np.testing.assert_array_equal(run(x, LABELS), f(x, LABELS))
    for call in (run, f):
        with pytest.raises(ValueError):
            call(-x, LABELS)
