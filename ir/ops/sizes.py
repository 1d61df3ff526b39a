"""The ``sym`` namespace: sizes of arrays and arithmetic on them. Rules compute on ``int`` and
``SymInt`` alike."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.arguments import leaves_of
from npexport.ir.facts import CALLED, Emit
from npexport.ir.meta import TensorMeta
from npexport.ir.node import CALL, value_of
from npexport.ir.ops import bounds, counts, rows, signs
from npexport.ir.ops.fresh import fresh_float, fresh_size, fresh_truth
from npexport.ir.ops.rules import Array, Size, axis_index, larger, meta_of, record, smaller
from npexport.ir.raising import ELEMENT, NOTHING
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import MODELS, sym_float, sym_int, sym_not, sym_round_div
from npexport.symshapes.ranges import int_oo
from npexport.symshapes.semantics import round_div
from npexport.symshapes.symint import python_type


@record(kernel="sizes.size", namespace="sym", raises=NOTHING, emit=Emit(("{0}.shape[{1}]",)), traits="c_order", rows=rows.size_of)
def size(x: Array, dim: int) -> Size:
    """The size of an axis."""
    shape = meta_of(x).shape
    return shape[axis_index(dim, len(shape))]


@record(
    kernel=operator.getitem,
    namespace="sym",
    traits="projection c_order may_share",
    raises=NOTHING,
    bounds=bounds.item,
    emit=Emit(("{0}[{1}]",)),
    rows=rows.part,
)
def item(values: Any, index: int) -> Any:
    """One result of an operator that has several."""
    return values[index]


@record(kernel="sizes.checkpoint", namespace="sym", traits="checkpoint", raises=NOTHING)
def checkpoint(values: Any, told: Any = None, operands: tuple[Any, ...] = ()) -> None:
    """What the arrays that the program mutates hold at this place, ``None`` where nothing was
    written: this is what is written back where a call that follows raises. In a sub-graph, ``None``
    is what the graph around it says. Only programs that are compiled have ``told``: what knows, or
    notes, what is written inside of the call that follows, and the ``operands`` that it needs.
    """


def _item_of(kinds: str, number: type) -> Emit:
    """The item of an array of these kinds, of at most 8 bytes, is Python's number at once, and a
    scalar becomes it without an array: one of NumPy's that is a Python number itself, too.
    """

    def own(node: Any) -> str:
        return "({0}.item())" if emit.is_number(node) and not node.args[0].meta["val"].scalar else ""

    def kernel(node: Any) -> Any:
        meta = node.args[0].meta["val"]
        return number if emit.is_number(node) or (meta.scalar and meta.dtype in (np.float64, np.bool)) else None

    emit = Emit(own=own, kernel=kernel, numbers=kinds)
    return emit


@record(
    kernel="sizes.element",
    namespace="sym",
    traits="data_dependent_shape",
    raises=ELEMENT,
    counts=counts.ELEMENT,
    emit=_item_of("iu", int),
    step="int",
)
def element(x: Array) -> Size:
    """The only element of an array of integers, or the integer part of a float: a size that depends
    on data."""
    x = meta_of(x)
    if x.dtype.kind == "f":
        return fresh_size(-int_oo, int_oo)
    if x.dtype.kind not in "iu":
        raise Unsupported("E104", f"an element of dtype {x.dtype} cannot be a size")
    info = np.iinfo(x.dtype)
    return fresh_size(int(info.min), int(info.max))


@record(
    kernel="sizes.floating",
    namespace="sym",
    traits="data_dependent_shape",
    raises=NOTHING,
    emit=_item_of("f", float),
    nonnegative=signs.where_first,
    step="float",
)
def floating(x: Array) -> Any:
    """The only element of an array of floats, as a Python float that depends on data."""
    if meta_of(x).dtype.kind != "f":
        raise Unsupported("E104", f"an element of dtype {meta_of(x).dtype} is no float")
    return fresh_float()


def _as_it_is(node: Any) -> str:
    """A number of NumPy may stand for Python's ``bool`` if it is used in no other way."""
    meta = node.args[0].meta["val"]
    if not isinstance(meta, TensorMeta) or not meta.scalar or meta.dtype.kind not in "biufc":
        return ""
    users = [user for user in node.users if user.op == CALL and user.target.emit.asks]
    alone = all(sum(leaf is node for leaf in leaves_of((user.args, user.kwargs))) == 1 and user.args[0] is node for user in users)
    return "{0}" if alone and len(users) == len(node.users) else ""


@record(kernel=bool, namespace="sym", traits="data_dependent_shape", raises=NOTHING, emit=Emit(own=_as_it_is, numbers="b"), step="truth")
def truth(x: Array, /) -> Any:
    """The truth of the only element of an array, as a ``bool`` of Python that depends on data."""
    return fresh_truth()


def _binary(function: Callable[..., Any]) -> Callable[..., Any]:
    def rule(a: Any, b: Any, /) -> Any:
        return function(a, b)

    return rule


def _unary(function: Callable[..., Any]) -> Callable[..., Any]:
    def rule(a: Any, /) -> Any:
        return function(a)

    return rule


def _ceildiv(a: Any, b: Any) -> Any:
    return -(-a // b)


def _bit_length(a: Any) -> Any:
    return a.bit_length()


# name: (rule's function, kernel, doc)
BINARY: dict[str, tuple[Callable[..., Any], Any, str]] = {
    "add": (operator.add, operator.add, "``a + b``"),
    "sub": (operator.sub, operator.sub, "``a - b``"),
    "mul": (operator.mul, operator.mul, "``a * b``"),
    "floordiv": (operator.floordiv, operator.floordiv, "``a // b``"),
    "mod": (operator.mod, operator.mod, "``a % b``"),
    "ceildiv": (_ceildiv, "sizes.ceildiv", "``-(-a // b)``"),
    "truediv": (operator.truediv, operator.truediv, "``a / b``"),
    "pow": (operator.pow, operator.pow, "``a ** b``"),
    "min": (smaller, min, "``min(a, b)``"),
    "max": (larger, max, "``max(a, b)``"),
    "and_": (operator.and_, operator.and_, "``a & b``"),
    "or_": (operator.or_, operator.or_, "``a | b``"),
    "xor": (operator.xor, operator.xor, "``a ^ b``"),
    "lshift": (operator.lshift, operator.lshift, "``a << b``"),
    "rshift": (operator.rshift, operator.rshift, "``a >> b``"),
    "gcd": (MODELS[math.gcd], math.gcd, "``math.gcd(a, b)``"),
    "round_div": (sym_round_div, round_div, "``a / b`` rounded to the nearest integer, halves to the even one, exactly"),
    "ndigits": (round, round, "``round(a, b)``"),
    "math_pow": (MODELS[math.pow], math.pow, "``math.pow(a, b)``"),
    "eq": (operator.eq, operator.eq, "``a == b``"),
    "ne": (operator.ne, operator.ne, "``a != b``"),
    "lt": (operator.lt, operator.lt, "``a < b``"),
    "le": (operator.le, operator.le, "``a <= b``"),
    "gt": (operator.gt, operator.gt, "``a > b``"),
    "ge": (operator.ge, operator.ge, "``a >= b``"),
}
UNARY: dict[str, tuple[Callable[..., Any], Any, str]] = {
    "neg": (operator.neg, operator.neg, "``-a``"),
    "abs": (abs, abs, "``abs(a)``"),
    "invert": (operator.invert, operator.invert, "``~a``"),
    "not_": (sym_not, operator.not_, "``not a``"),
    "int": (sym_int, int, "``int(a)``"),
    "float": (sym_float, float, "``float(a)``"),
    "floor": (math.floor, math.floor, "``math.floor(a)``"),
    "ceil": (math.ceil, math.ceil, "``math.ceil(a)``"),
    "round": (round, round, "``round(a)``"),
    "sqrt": (MODELS[math.sqrt], math.sqrt, "``math.sqrt(a)``"),
    "isqrt": (MODELS[math.isqrt], math.isqrt, "``math.isqrt(a)``"),
    "bit_length": (_bit_length, int.bit_length, "``a.bit_length()``"),
}
for _name in ("exp", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan", "atan", "tanh"):
    UNARY[_name] = (MODELS[getattr(math, _name)], getattr(math, _name), f"``math.{_name}(a)``")
_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%", "truediv": "/", "pow": "**", "and_": "&", "or_": "|", "xor": "^",
    "lshift": "<<", "rshift": ">>", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip
_SHORT = {"and_": "and", "or_": "or"}
"""Operators that give the same on booleans and cost less."""
_PREFIXES = {"neg": "-", "invert": "~", "not_": "not "}
STEPS = {
    **_SIGNS,
    **{"neg": "negative", "invert": "~", "not_": "not", "abs": "absolute"},
    **{name: name for name in ("min", "max", "int", "float", "floor", "ceil", "trunc", "sqrt")},
}
"""What records of these operators state as ``step``, for any numbers of Python."""


def written_as(name: str) -> Emit:
    """How Python's own operator of this name is written."""
    if name in _PREFIXES:
        return Emit((f"({_PREFIXES[name]}({{0}}))",), asks=name == "not_", sign=_PREFIXES[name])
    short = _SHORT.get(name)
    own = None if short is None else lambda node: f"(({{0}}) {short} ({{1}}))" if all(map(_is_truth, node.args)) else ""
    return Emit((f"(({{0}}) {_SIGNS[name]} ({{1}}))",), own=own, sign=_SIGNS[name]) if name in _SIGNS else CALLED


def _is_truth(operand: Any) -> bool:
    return python_type(value_of(operand)) is bool


for _table, _factory in ((BINARY, _binary), (UNARY, _unary)):
    for _name, (_function, _kernel, _doc) in _table.items():
        record(
            kernel=_kernel,
            namespace="sym",
            name=_name,
            doc=_doc,
            raises=NOTHING,
            rejects=False,
            emit=written_as(_name),
            rows=rows.of_sizes,
            step=STEPS.get(_name, ""),
        )(_factory(_function))
