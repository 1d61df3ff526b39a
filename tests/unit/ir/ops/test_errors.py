"""Calls that go wrong: a rule raises exactly what NumPy raises, and never for a call that NumPy accepts."""

from __future__ import annotations

import copy
import os
import random
from typing import Any

import numpy as np
import pytest

from npexport.ir.op import Op
from npexport.symshapes.errors import Unsupported
from tests.op_samples import samples_of
from tests.support.records import RECORDS, any_data_dependent_size, describe, result_of, same
from tests.support.shards import shard

ATTEMPTS = int(os.environ.get("NPEXPORT_ATTEMPTS", "30"))
AXES = ("axis", "axes", "axis1", "axis2", "source", "destination")


def mutated(value: Any, name: str, draw: random.Random) -> Any:
    """The argument with other sizes, another rank, another dtype or another axis."""
    if isinstance(value, np.ndarray):
        shape = list(value.shape)
        change = draw.randrange(4)
        if change == 0 and shape:
            shape[draw.randrange(len(shape))] = draw.choice((0, 1, 2, 4))
        elif change == 1:
            shape.insert(draw.randint(0, len(shape)), draw.choice((0, 1, 2, 3)))
        elif change == 2 and shape:
            del shape[draw.randrange(len(shape))]
        elif value.dtype.names is None:
            value = np.real(value).astype(draw.choice(("f4", "i8", "?", "c16", "u1")))
        return np.resize(value, shape) if value.size else np.zeros(shape, value.dtype)
    if isinstance(value, (tuple, list)) and value and name not in ("choicelist",):
        items = list(value)
        at = draw.randrange(len(items))
        items[at] = mutated(items[at], name, draw)
        if draw.random() < 0.2 and name != "operands":
            del items[at]
        return type(value)(items)
    if name in AXES and draw.random() < 0.5:
        return draw.choice((-7, -1, 0, 1, 2, 5, None))
    if type(value) is int:
        return value + draw.choice((-3, -1, 1, 4))
    return value


def attempts(op: Op, count: int):
    samples = samples_of(op)
    draw = random.Random(op.name)
    for _ in range(count):
        args, kwargs = draw.choice(samples)
        bound = op.signature.bind(*args, **kwargs)
        for name in draw.sample(sorted(bound.arguments), draw.randint(1, len(bound.arguments))):
            bound.arguments[name] = mutated(bound.arguments[name], name, draw)
        yield op.bind(bound.args, bound.kwargs)


def disagreement(op: Op, args: tuple, kwargs: dict) -> str:
    actual = result_of(op.kernel, *copy.deepcopy(args), **copy.deepcopy(kwargs))
    with any_data_dependent_size():
        stated = result_of(op.rule, *describe(args), **describe(kwargs))
    if isinstance(stated, Unsupported) or "is out of bounds for axis 0 with size" in str(actual):
        return ""  # refused, or a matter of data: positions that the rule cannot see
    if isinstance(stated, Exception):
        agrees = type(stated) is type(actual) and str(stated) == str(actual)
    else:  # what depends on data, NumPy may refuse when the program runs
        agrees = isinstance(actual, Exception) or same(stated, actual)
    return "" if agrees else f"{describe(args)} {describe(kwargs)}: the rule {stated!r}, NumPy {actual!r}"


CHECKED_BY_RULE = {"as_strided", "trapped", "left", "order", "order_of_rows", "in_order", "broadcast", "real_pow"}
"""The kernel trusts what its rule has checked; the operators within ``trapped`` and ``left`` have their own tests, what
``broadcast`` takes are sizes, of which none is negative, and ``real_pow`` stands where the power is known to be a float.
"""


@pytest.mark.parametrize("op", shard([record for record in RECORDS if record.values[0].name not in CHECKED_BY_RULE], 2))
def test_rules_raise_what_numpy_raises(op: Op) -> None:
    found = [disagreement(op, args, kwargs) for args, kwargs in attempts(op, ATTEMPTS)]
    assert "\n".join(list(filter(None, found))[:4]) == ""
