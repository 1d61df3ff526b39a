"""Calls of the operators of `ir/ops/python_numbers.py`."""

from __future__ import annotations

from typing import Any

from npexport.ir import ops
from npexport.ir.op import Op
from npexport.ir.ops.python_numbers import ROWS, Row
from tests.op_samples.inputs import Samples, call

_PAIRS = ((7.5, 2.0), (7, -2), (-0.0, 3), (True, 2.5))
_INTS = ((7, 2), (12, 3), (True, 1))
_ONE = ((0.5,), (1,), (True,))
_FLOAT = ((2.5,), (-0.5,), (float("nan"),))
_NUMBERS: dict[str, tuple[tuple[Any, ...], ...]] = {
    "add": _PAIRS,
    "sub": _PAIRS,
    "mul": _PAIRS,
    "truediv": _PAIRS,
    "floordiv": _PAIRS,
    "mod": _PAIRS,
    "divmod": _PAIRS,
    "pow": ((2.5, 2), (2, 3), (2, -1), (2.5, -2.0)),
    "real_pow": ((2.5, 0.5), (2, 1.5), (0.0, 0.25)),
    "sum": (([2.5, 1.0], 0), ([1, 2], 3)),
    "pow_mod": ((3, 4, 5),),
    "lshift": _INTS,
    "rshift": _INTS,
    "neg": _ONE,
    "abs": _ONE,
    "round": ((2.5,), (3,)),
    "round_to": ((2.675, 2), (1234, -2)),
    "int": ((2.5,), (-3,), (True,)),
    "float": ((2.5,), (-3,), (True,)),
    "min": ((2.5, 1.0), (1, 2)),
    "max": ((2.5, 1.0), (1, 2)),
    "is_integer": _FLOAT,
    "as_integer_ratio": _FLOAT[:2],
    "bit_count": ((7,), (-3,)),
    "floor": _FLOAT[:2],
    "ceil": _FLOAT[:2],
    "trunc": _FLOAT[:2],
    "modf": _FLOAT[:2],
    "frexp": _FLOAT[:2],
    "ldexp": ((0.5, 3),),
    "fsum": (([0.1, 0.2, 0.3],),),
    "hypot": ((3.0, 4.0), (1.0, 2.0, 2.0)),
    "isclose": ((1.0, 1.0 + 1e-12), (1.0, 2.0)),
    "isclose_to": ((1.0, 1.1, 0.5, 0.0),),
    "broadcast": ((1, 5), (5, 1), (0, 1), (3, 3)),
    "isnan": _FLOAT,
    "isinf": _FLOAT,
    "isfinite": _FLOAT,
    "isqrt": ((10,),),
    "gcd": ((12, 18),),
    "lcm": ((4, 6),),
    "factorial": ((5,),),
    "comb": ((5, 2),),
    "perm": ((5, 2),),
    "acosh": ((1.5,),),
}


def _samples(name: str, row: Row) -> Samples:
    numbers = _NUMBERS.get(name, ((2.5, 0.5),) if row.arity == 2 else ((0.5,), (0.25,)))
    return lambda: (call(*args) for args in numbers)


SAMPLES: dict[Op, Samples] = {getattr(ops.py, name): _samples(name, row) for name, row in ROWS.items()}
