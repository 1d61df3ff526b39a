"""The table of what operators raise for some data: their samples with other data raise nothing that it does not name."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import pytest

from npexport.ir import ops
from npexport.ir.graph import PLACEHOLDER, Node
from npexport.ir.op import Op
from npexport.tracer.arrays.raising import errors_of
from tests.test_ops_records import describe

POOLS = {
    "b": [False, True], "i": [-128, -9, -1, 0, 1, 2, 5, 99], "u": [0, 1, 2, 7, 100], "f": [np.nan, np.inf, -1, 0, 0.5, 2, 1e6],
    "m": [0, 1, -1, 2**62], "M": [0, 1, -1, 2**62], "U": ["", "abc", "1", "é"], "S": [b"", b"abc", b"1", b"\xff"],
}  # fmt: skip
ATTEMPTS = 4
ALLOCATING = {ops.np.histogram_bin_edges}
"""How much memory they take depends on data."""
RECORDS = [op for op in ops.REGISTRY if op.namespace in ("np", "nn") and op.samples is not None and op not in ALLOCATING]


def other(value: Any, rng: np.random.Generator) -> Any:
    """The argument with other data: few values or many, of which some are bad."""
    if isinstance(value, (tuple, list)) and any(isinstance(item, np.ndarray) for item in value):
        return type(value)([other(item, rng) for item in value])
    if not isinstance(value, np.ndarray) or value.dtype.names is not None:
        return value
    if value.dtype.kind == "c":
        return (other(value.real, rng) + 1j * other(value.imag, rng)).astype(value.dtype).reshape(value.shape)
    pool = POOLS[value.dtype.kind]
    chosen = [pool[place] for place in rng.integers(0, len(pool), 2)] if rng.random() < 0.5 else pool
    numbers = np.array(chosen, np.int64 if value.dtype.kind in "mM" else None)[rng.integers(0, len(chosen), value.shape)]
    return np.asarray(numbers.view(value.dtype) if value.dtype.kind in "mM" else numbers.astype(value.dtype)).reshape(value.shape)


def as_node(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)([as_node(item) for item in value])
    return Node("x", PLACEHOLDER, "x", (), {}, {"val": describe(value)}) if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("op", RECORDS, ids=str)
def test_what_data_raise_is_in_the_table(op: Op) -> None:
    rng = np.random.default_rng(len(op.name))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for sample in op.samples():
            args, kwargs = op.bind(*sample)
            try:
                op.kernel(*copy.deepcopy(args), **copy.deepcopy(kwargs))
            except Exception:  # which is no matter of data
                continue
            for _ in range(ATTEMPTS):
                given, named = other(args, rng), {name: other(value, rng) for name, value in kwargs.items()}
                try:
                    op.kernel(*copy.deepcopy(given), **copy.deepcopy(named))
                except Exception as error:
                    found = errors_of(op, as_node(given), {name: as_node(value) for name, value in named.items()})
                    assert isinstance(error, found), f"{error!r}, not one of {found}: {given} {named}"
