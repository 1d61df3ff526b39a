"""Integers of NumPy, truths and numbers of other kinds in the place of parameters: taken and refused as by NumPy."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.fuzz.form_programs import VALUES, Call, targets
from tests.fuzz.forms import held, outcome, program
from tests.support.shards import shard

KINDS = {"int64": np.int64, "int8": np.int8, "uint8": np.uint8, "float64": np.float64, "array": np.array}
TAKING = [target for target in targets() if target.options[:2] != ["out", "where"]]
LEFT_OUT = {"strings.zfill", "strings.rjust", "strings.ljust", "strings.center"}
"""Whose widths NumPy adds in their dtype."""


def calls(kind: Any) -> Any:
    """The samples with integers of the kind in place of Python's, by place and by name."""
    for target in shard([target for target in TAKING if target.shown.removeprefix("numpy.") not in LEFT_OUT], 3):
        args = target.samples[0]
        for place, value in enumerate(args):
            if type(value) is int and value >= 0:
                yield Call(target.function, target.shown, (*args[:place], kind(value), *args[place + 1 :]), {})
        for name in (*target.places[len(args) :], *target.options):
            found = [value for value in VALUES.get(name, ()) if type(value) is int and value >= 0]
            if found and name not in ("out", "like", "where"):
                yield Call(target.function, target.shown, args, {name: kind(found[0])})


@pytest.mark.parametrize("kind", KINDS)
def test_integers_of_numpy_are_numpys(kind):
    found: Counter[str] = Counter()
    for call in calls(KINDS[kind]):
        found += held(str(call), *program(call))
    assert found["equal"] > 30


X = np.array([1.5, 0.5, 2.5])
SAME = {
    "bins": lambda x: [np.histogram(x, np.int64(3)), np.histogram(x, bins=np.uint8(2), range=(0, 3)), np.histogram(x, True)],
    "end": lambda x: np.linspace(0, 1, 4, endpoint=()),
    "stable": lambda x: np.sort(x, stable=1),
    "truth of NumPy as bins": lambda x: np.histogram(x, np.True_),
    "float as ndmin": lambda x: np.array(x, ndmin=np.float64(1)),
    "truth as ndmin": lambda x: np.array(x, ndmin=np.True_),
    "text as copy": lambda x: np.from_dlpack(x, copy=""),
    "subok": lambda x: np.add(x, 1, subok=0),
    "signature": lambda x: np.add(x, 1, signature={}),
    "empty signature": lambda x: np.add(x, 1, signature=()),
}
REFUSED = {
    "unsigned k": lambda x: np.triu(x, k=np.uint8(0)),
    "class": lambda x: np.sort(x, stable=int),
    "class as k": lambda x: np.tril(x, k=bool),
    "tuple as a truth": lambda x: np.linalg.cholesky(np.eye(2) + x[0] * 0, upper=()),
}


@pytest.mark.parametrize("name", SAME)
def test_what_stands_for_a_number_or_truth(name):
    wanted = outcome(SAME[name], [X])
    try:
        found = outcome(export(SAME[name], (X,)).module(), [X])
    except Unsupported as refusal:
        assert "which every NumPy takes" in refusal.hint, refusal  # noqa: PT017
        return
    except (TypeError, ValueError) as error:
        found, wanted = (type(error).__name__, str(error)), wanted[:2]
    assert found == wanted


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_graph_holds_is_refused(name):
    with pytest.raises(Unsupported, match="E101"):
        export(REFUSED[name], (X,))
