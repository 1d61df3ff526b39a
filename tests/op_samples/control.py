"""Calls of the operators of `ir/ops/control.py`."""

from __future__ import annotations

from collections.abc import Iterator

from npexport.ir import ops
from npexport.ir.op import Op
from npexport.ir.ops.control import CAUSE, NONE, TEXT
from tests.op_samples.inputs import Call, Samples, arr, call


def _samples() -> Iterator[Call]:
    yield call(True, "builtins.ValueError", ("no",))
    yield call(True, "numpy.linalg.LinAlgError", ((TEXT, "format", 2.5, ".1f"), 3))
    yield call(True, "builtins.ValueError", ("no",), ((CAUSE, "builtins.KeyError", ((TEXT, "str", 2),)), (NONE, "builtins.TypeError", ())))


def _warnings() -> Iterator[Call]:
    yield call(True, "builtins.RuntimeWarning", "careful")


def _calls() -> Iterator[Call]:
    yield call("layers.0", (arr(2), 3), (arr(2),), (), ((arr(2), arr(2), False),))


SAMPLES: dict[Op, Samples] = {
    ops.control.warn: _warnings,
    ops.control.check: _samples,
    ops.control.returned: lambda: (call(arr(2, 3), "layers.0", 0), call(arr(dtype="i4"), "head@1", 2)),
    ops.control.module_call: _calls,
}
