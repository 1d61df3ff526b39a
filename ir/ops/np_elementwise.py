"""The element-wise ufuncs, from one table, and the methods that every ufunc has."""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.facts import Emit, Neutral
from npexport.ir.meta import TensorMeta
from npexport.ir.narrowing import comparing, narrows
from npexport.ir.op import Op
from npexport.ir.ops import bounds, counts, evaluation, signs
from npexport.ir.ops.evaluation import each, of_integers, truths
from npexport.ir.ops.rules import Array, Rejected, broadcast, dtypes_of, larger, record, shape_of, smaller
from npexport.ir.ops.stand_ins import raise_like
from npexport.ir.raising import ARITHMETIC, COMPARED, EXPONENT, INTEGERS, NOTHING, POWER, of_complex
from npexport.symshapes.functions import MODELS, sym_max, sym_min, sym_not

# name: further traits. `fmax` and `fmin` are not exact: of zeros of two signs they give the one or
# the other, by their place in NumPy's loop.
UFUNCS = {
    "absolute": "quiet exact",
    "add": "plain_loop exact by_parts",
    "arccos": "rounds_alone",
    "arccosh": "",
    "arcsin": "rounds_alone",
    "arcsinh": "",
    "arctan": "",
    "arctan2": "rounds_alone",
    "arctanh": "",
    "bitwise_and": "exact",
    "bitwise_count": "",
    "bitwise_or": "exact",
    "bitwise_xor": "exact",
    "cbrt": "",
    "ceil": "quiet exact",
    "conjugate": "exact by_parts",
    "copysign": "",
    "cos": "",
    "cosh": "",
    "deg2rad": "",
    "degrees": "",
    "divide": "divides plain_loop exact",
    "divmod": "divides",
    "equal": "quiet exact",
    "exp": "",
    "exp2": "",
    "expm1": "",
    "fabs": "exact",
    "float_power": "divides",
    "floor": "quiet exact",
    "floor_divide": "divides",
    "fmax": "",
    "fmin": "",
    "fmod": "divides",
    "frexp": "",
    "gcd": "",
    "greater": "quiet exact",
    "greater_equal": "quiet exact",
    "heaviside": "",
    "hypot": "",
    "invert": "exact",
    "isfinite": "quiet without_gaps exact",
    "isinf": "quiet without_gaps exact",
    "isnan": "quiet without_gaps exact",
    "isnat": "",
    "lcm": "",
    "ldexp": "",
    "left_shift": "exact",
    "less": "quiet exact",
    "less_equal": "quiet exact",
    "log": "",
    "log10": "rounds_alone",
    "log1p": "",
    "log2": "",
    "logaddexp": "",
    "logaddexp2": "",
    "logical_and": "quiet exact",
    "logical_not": "quiet exact",
    "logical_or": "quiet exact",
    "logical_xor": "quiet exact",
    "maximum": "quiet plain_loop exact by_parts",
    "minimum": "quiet plain_loop exact by_parts",
    "modf": "",
    "multiply": "plain_loop exact rounds_alone",
    "negative": "quiet exact by_parts",
    "nextafter": "",
    "not_equal": "quiet exact",
    "positive": "exact by_parts",
    "power": "divides rounds_alone",
    "rad2deg": "",
    "radians": "",
    "reciprocal": "exact",
    "remainder": "divides",
    "right_shift": "exact",
    "rint": "exact",
    "sign": "quiet exact",
    "signbit": "quiet without_gaps",
    "sin": "",
    "sinh": "",
    "spacing": "",
    "sqrt": "exact",
    "square": "exact rounds_alone",
    "subtract": "plain_loop exact by_parts",
    "tan": "",
    "tanh": "",
    "trunc": "exact",
}


RAISES = {
    "power": POWER,
    "ldexp": EXPONENT,
    **dict.fromkeys(("add", "subtract", "multiply"), ARITHMETIC),
    **dict.fromkeys(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"), COMPARED),
}
"""What element-wise ufuncs raise for some data; all others of two operands refuse integers of
Python that do not fit."""


SIGNS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "floor_divide": "//", "remainder": "%", "power": "**",
    "left_shift": "<<", "right_shift": ">>", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^",
    "equal": "==", "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=",
}  # fmt: skip
"""Python's operators for ufuncs of two operands."""
STEPS = {
    **SIGNS, "invert": "~", "logical_not": "not", "fabs": "absolute",
    **{name: name for name in ("absolute", "negative", "square", "sqrt", "exp", "maximum", "minimum")},
}  # fmt: skip
"""What records state as ``step``."""


def elementwise(ufunc: np.ufunc, operands: tuple[Array, ...], dtype: Any) -> Any:
    """The rule of every element-wise ufunc: dtypes by NumPy's own resolution, the common shape, 0-d
    results as scalars."""
    try:
        dtypes = dtypes_of(ufunc, *operands) if dtype is None else dtypes_of(ufunc, *operands, dtype=dtype)
        shape = broadcast(*map(shape_of, operands))
    except Rejected:
        raise_like(ufunc, operands, {} if dtype is None else {"dtype": dtype})
    if len(dtypes) == 1:
        return TensorMeta(shape, dtypes[0], not shape)
    return tuple([TensorMeta(shape, result, not shape) for result in dtypes])


def rule_of(ufunc: np.ufunc) -> Callable[..., Any]:
    """The rule of an element-wise ufunc with any number of operands."""

    def rule(*operands: Array, dtype: Any = None) -> Any:
        return elementwise(ufunc, operands, dtype)

    names = ["x"] if ufunc.nin == 1 else [f"x{i + 1}" for i in range(ufunc.nin)]
    parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY, annotation="Array") for name in names]
    option = inspect.Parameter("dtype", inspect.Parameter.KEYWORD_ONLY, default=None)
    rule.__signature__ = inspect.Signature([*parameters, option])  # type: ignore[attr-defined]
    return rule


NO_SHIFT = {"neutral": Neutral(0)}

FACTS: dict[str, dict[str, Any]] = {
    "absolute": {"evaluate": each(abs), "nonnegative": signs.always, "rewrite": "idempotent", "loud": of_complex},
    "add": {
        "evaluate": each(operator.add), "arithmetic": operator.add, "bounds": bounds.ends(operator.add),
        "neutral": Neutral(0, either=True), "nonnegative": signs.where_all,
    },
    "bitwise_and": {"evaluate": truths(operator.and_), "neutral": Neutral(-1, either=True)},
    "bitwise_or": {"evaluate": truths(operator.or_), "neutral": Neutral(0, either=True)},
    "bitwise_xor": {"neutral": Neutral(0, either=True)},
    "ceil": {"evaluate": each(MODELS[math.ceil]), "rewrite": "idempotent"},
    "conjugate": {"rewrite": "inverse"},
    "divide": {"evaluate": each(evaluation.quotient)},
    "equal": {"evaluate": each(operator.eq), "loud": narrows},
    "exp": {"nonnegative": signs.always},
    "floor": {"evaluate": each(MODELS[math.floor]), "rewrite": "idempotent"},
    "floor_divide": {
        "evaluate": each(evaluation.where(lambda a, b: b != 0, operator.floordiv)), "arithmetic": operator.floordiv,
        "bounds": bounds.quotient, "neutral": Neutral(1),
    },
    "greater": {"evaluate": each(operator.gt), "loud": comparing},
    "greater_equal": {"evaluate": each(operator.ge), "loud": comparing},
    "invert": {"evaluate": truths(sym_not), "counts": counts.NEGATION, "rewrite": "inverse"},
    "left_shift": NO_SHIFT,
    "less": {"evaluate": each(operator.lt), "loud": comparing},
    "less_equal": {"evaluate": each(operator.le), "loud": comparing},
    "log2": {"evaluate": each(evaluation.where(lambda a: a > 0, MODELS[math.log2]))},
    "logical_and": {"evaluate": truths(operator.and_), "loud": narrows},
    "logical_not": {"evaluate": each(sym_not), "counts": counts.NEGATION, "rewrite": "inverse"},
    "logical_or": {"evaluate": truths(operator.or_), "loud": narrows},
    "maximum": {"evaluate": of_integers(sym_max), "arithmetic": larger, "bounds": bounds.ends(larger), "loud": narrows,
        "emit": Emit(keyword_out=True),  # NumPy deprecates a positional one
    },
    "minimum": {"evaluate": of_integers(sym_min), "arithmetic": smaller, "bounds": bounds.ends(smaller), "loud": narrows,
        "emit": Emit(keyword_out=True),  # NumPy deprecates a positional one
    },
    "multiply": {
        "evaluate": each(evaluation.multiply), "arithmetic": operator.mul, "bounds": bounds.multiplied, "nonnegative": signs.product,
        "neutral": Neutral(1, either=True),
    },
    "negative": {"evaluate": each(operator.neg), "rewrite": "inverse"},
    "not_equal": {"evaluate": each(operator.ne), "loud": narrows, "counts": counts.UNEQUAL},
    "power": {"evaluate": of_integers(evaluation.power), "fast": "power"},
    "remainder": {"evaluate": each(evaluation.where(lambda a, b: b != 0, operator.mod)), "bounds": bounds.remainder},
    "rint": {"evaluate": each(evaluation.rounded), "rewrite": "idempotent"},
    "right_shift": NO_SHIFT,
    "sign": {"rewrite": "idempotent", "loud": of_complex},
    "sqrt": {"nonnegative": signs.always, "evaluate": each(evaluation.where(lambda a: a >= 0, MODELS[math.sqrt]))},
    "square": {"nonnegative": signs.always, "evaluate": each(lambda a: evaluation.multiply(a, a))},
    "subtract": {
        "evaluate": each(operator.sub), "arithmetic": operator.sub, "bounds": bounds.ends(operator.sub, crossed=True),
        "neutral": Neutral(0),
    },
    "trunc": {"evaluate": each(MODELS[math.trunc]), "rewrite": "idempotent"},
}  # fmt: skip
"""What the records state beside their errors.

NumPy's logarithms and Python's may differ in the last bit. Those to the base 2 are exact where they
are integers, so that the integers about them are the same; others are not, and
``int(np.log(n) / np.log(2))`` would show it.
"""


def declare_ufunc(name: str, traits: str) -> Op:
    """Register the operator of one element-wise ufunc."""
    ufunc = getattr(np, name)
    return record(
        ufunc,
        name=name,
        traits=f"elementwise ufunc {traits}",
        doc=f"The element-wise ufunc ``np.{name}``.",
        see=f"numpy.{name}",
        raises=RAISES.get(name, NOTHING if ufunc.nin == 1 else INTEGERS),
        rejects=False,
        step=STEPS.get(name, ""),
        **FACTS.get(name, {}),
    )(rule_of(ufunc))


for _name, _traits in UFUNCS.items():
    declare_ufunc(_name, _traits)


@record(kernel=operator.pow, traits="elementwise divides", see="numpy.power", raises=POWER, emit=Emit(("({0}) ** ({1})",)))
def power_of(x: Array, exponent: Any) -> TensorMeta:
    """``x ** exponent``: NumPy computes squares, reciprocals and square roots by loops of their own
    where the exponent is a Python number."""
    return elementwise(np.power, (x, exponent), None)  # type: ignore[no-any-return]
