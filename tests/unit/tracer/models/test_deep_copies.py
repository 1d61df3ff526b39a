"""`copy.deepcopy` of containers that hold arrays, sizes and numbers of data: new objects, but for those
that Python gives back as they are.
"""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.outcomes import outcome

LARGE = [np.arange(300.0), np.arange(700.0) - 9, np.arange(2.0)]


@dataclasses.dataclass
class Step:
    parts: tuple[Any, ...]
    named: dict[str, Any]


def of_a_dict(x: Any) -> Any:
    held = {"list": [x, 1], "tuple": (x,), "numbers": (x.sum(), float(x[0]), 2), "sizes": (len(x), "k", (x * 2, [x.shape[0]]))}
    copied = copy.deepcopy(held)
    copied["list"][0] += 1
    copied["tuple"][0][0] = 7
    return held, copied, copied["tuple"] is held["tuple"], copied["numbers"] is held["numbers"], copied["list"][0] is copied["tuple"][0]


def of_sizes(x: Any) -> Any:
    return copy.deepcopy([len(x), 1]), copy.deepcopy((len(x), 1)), copy.deepcopy({"n": x.shape[0] + 1})


def of_a_dataclass(x: Any) -> Any:
    step = Step((x, x * 2), {"k": (x, len(x))})
    return dataclasses.asdict(step), dataclasses.astuple(step), copy.deepcopy(step).parts, copy.copy(step).named is step.named


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("function", [of_a_dict, of_sizes, of_a_dataclass])
def test_copies_are_those_of_eager_execution(function: Any, dynamic: bool) -> None:
    run = export(function, (LARGE[0],), dynamic_shapes={"x": {0: Dim.AUTO}} if dynamic else None).module()
    for x in LARGE if dynamic else LARGE[:1]:
        assert outcome(run, (x,)) == outcome(function, (x,))
