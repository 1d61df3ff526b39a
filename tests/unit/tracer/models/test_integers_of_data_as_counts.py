"""NumPy's integers that only the data know where Python counts: bounds of ranges, and how often a list
is repeated. They count as Python's own do.
"""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.functions import function_of
from tests.support.outcomes import outcome
from tests.support.quiet import quiet

LABELS, VALUES = np.array([1, 2, 1, 2, 0, 2]), np.array([1.0, 3.0, 2.0, 4.0, 0.0, 7.0])
COUNTS = [
    "[(k == label).sum() for label in range(k.max() + 1)]",
    "np.array([x[k == label].mean() for label in range(k.max() + 1)])",
    "{label: (k == label).sum() for label in range(k.max() + 1)}",
    "[type(i).__name__ for i in range(k.max())]",
    "list(range(k.max().astype(np.uint8)))",
    "list(range(np.asarray(k.max())))",
    "list(range(k.min(), k.max()))",
    "[x[i] for i in reversed(range(k.max()))]",
    "list(zip(range(k.max()), x))",
    "sum(i * x[i] for i in range(1, k.max()))",
    "[x[i] * x[j] for i in range(k.min(), k.max()) for j in range(i, k.max())]",
    "len(range(k.max()))",
    "[0] * k.max()",
    "k.max() * np.array([0] * k.max())",
    "[x[0]] * k.max()",
    "[0] * -k.max(), [0.5] * k.max().astype(np.uint8)",
    "np.array([0.0] * len(x) * k.min())",
]
WRONG = ["list(range(x.max()))", "list(range(k.max() > 0))", "list(range(k[:1]))", "[0] * x.max()", "[0] * (k.max() > 1)"]
REFUSED = ["(1, 2) * k.max()", "'ab' * k.max()"]


def program(text):
    return function_of(f"def f(k, x):\n    return {text}\n", {"np": np})


@pytest.mark.parametrize("spec", [None, ({0: Dim("n")}, {0: Dim("n")})], ids=["static", "dynamic"])
@pytest.mark.parametrize("text", COUNTS)
def test_integers_of_data_count(text, spec):
    f = program(text)
    with quiet():
        run = export(f, (LABELS, VALUES), dynamic_shapes=spec).module()
    for labels in (LABELS, LABELS * 0 + 1, LABELS[::-1].copy(), LABELS * 2, LABELS - 1, LABELS * 0 + 9, *([LABELS[:3]] if spec else ())):
        args = labels, VALUES[: len(labels)]
        assert outcome(run, args) == outcome(f, args)


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_integer_does_not_count(text):
    f = program(text)
    with pytest.raises(TypeError) as eager:
        f(LABELS, VALUES)
    with pytest.raises(TypeError) as raised:
        export(f, (LABELS, VALUES))
    assert str(raised.value) == str(eager.value)


@pytest.mark.parametrize("text", REFUSED)
def test_tuples_and_texts_of_any_length_are_refused(text):
    with pytest.raises(ExportError) as caught:
        export(program(text), (LABELS, VALUES))
    assert caught.value.code == "E104"


def test_counts_are_lists_to_write_to():
    def histogram(k, x):
        found = [0] * (k.max() + 1)
        for label in k:
            found[label] += 1
        return found

    run = export(histogram, (LABELS, VALUES)).module()
    for labels in (LABELS, LABELS * 2, LABELS * 0):
        assert outcome(run, (labels, VALUES)) == outcome(histogram, (labels, VALUES))
