"""Calls of the operators of `ir/ops/complex_numbers.py`."""

from __future__ import annotations

from npexport.ir import ops
from npexport.ir.op import Op
from npexport.ir.ops.complex_numbers import FLOATS, PAIRS, TRUTHS
from tests.op_samples.inputs import Samples, call

_Z, _W = (1.5, -0.25), (0.5, 2.0)
_OF_TWO = frozenset({"add", "sub", "mul", "truediv", "pow", "eq", "ne", "complex", "isclose"})


def _operands(name: str) -> tuple[object, ...]:
    if name == "rect":
        return 2.0, 0.5
    return (_Z, _W) if name in _OF_TWO else (_Z,)


SAMPLES: dict[Op, Samples] = {
    ops.py.complex_pair: lambda: (
        [call(name, _operands(name)) for name in PAIRS] + [call("mul", (_Z, 3)), call("sub", (True, _Z)), call("log", (_Z, 2.0))]
    ),
    ops.py.complex_float: lambda: [call(name, _operands(name)) for name in FLOATS],
    ops.py.complex_truth: lambda: [call(name, _operands(name)) for name in TRUTHS] + [call("eq", (_Z, 1.5))],
}
