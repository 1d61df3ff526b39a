"""The operators of arrays, one row per Python operator, installed on the proxies."""

from __future__ import annotations

import builtins
import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.meta import TensorMeta
from npexport.ir.numpy_internals import UFuncTypeError
from npexport.ir.op import Op
from npexport.ir.ops.np_scalars import OF_SCALARS
from npexport.ir.ops.rules import Rejected, broadcast
from npexport.ir.ops.stand_ins import raise_like, stand_in
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.tracer.arrays.api import result_layout, temporaries, ufuncs
from npexport.tracer.arrays.core import coercion, complexes, failing_writes, numpy_oracle, protocols, rounded_writes, writes
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.number_stand_ins import NUMBERS
from npexport.tracer.arrays.core.numpy_oracle import numpys, raise_for_stand_ins
from npexport.tracer.arrays.core.proxy import AnyProxy, ArrayProxy, Proxy, ScalarProxy, as_number, is_text_of_data, truth_of, unknown_data

_DIRECT = frozenset(
    {ArrayProxy, ScalarProxy, int, float, bool, complex, SymInt, SymFloat, SymBool, np.float64, np.float32, np.int64, np.int32, np.bool_}
)

_OF_COMPLEX = frozenset({"add", "sub", "mul", "truediv", "pow"})
"""Operators that a Python complex number itself computes with an np.float64, which is a Python
float.
"""

# Python's name: the operator
BINARY = {
    "add": ops.np.add,
    "sub": ops.np.subtract,
    "mul": ops.np.multiply,
    "truediv": ops.np.divide,
    "floordiv": ops.np.floor_divide,
    "mod": ops.np.remainder,
    "pow": ops.np.power,
    "matmul": ops.np.matmul,
    "lshift": ops.np.left_shift,
    "rshift": ops.np.right_shift,
    "and": ops.np.bitwise_and,
    "or": ops.np.bitwise_or,
    "xor": ops.np.bitwise_xor,
    "divmod": ops.np.divmod,
}
_KEYWORDS = {"and": "and_", "or": "or_"}
COMPARISONS = {
    "eq": ops.np.equal,
    "ne": ops.np.not_equal,
    "lt": ops.np.less,
    "le": ops.np.less_equal,
    "gt": ops.np.greater,
    "ge": ops.np.greater_equal,
}
UNARY = {"neg": ops.np.negative, "pos": ops.np.positive, "abs": ops.np.absolute, "invert": ops.np.invert}


def _deferred(array: AnyProxy, other: Any) -> bool:
    """Whether NumPy leaves the operator to the other operand."""
    protocol = getattr(type(other), protocols.UFUNC, type)
    if isinstance(other, np.generic) or type(other) in coercion.SYMBOLIC:
        return False
    if protocol is type:
        return getattr(type(other), "__array_priority__", -1e6) > (-1e6 if type(array) is ScalarProxy else 0.0)
    return protocol is None


def _dispatched(op: Op, inputs: tuple[Any, ...], **kwargs: Any) -> Any:
    """The result of the operands' own classes for the ufunc."""
    return recorder().session.invoke(*protocols.overridden(op.kernel, "__call__", inputs, kwargs))


_ARRAYS = frozenset({ArrayProxy, str, bytes, np.str_, np.bytes_})
"""Operands that give arrays, including arrays of texts."""
_POWERS = {(int, 2): ("biufc", ops.np.square), (int, -1): ("fc", ops.np.reciprocal), (float, 0.5): ("fc", ops.np.sqrt)}
"""What NumPy computes for ``x ** exponent`` with these Python numbers, by kinds of dtype."""


def _is_text(value: Any) -> bool:
    return type(value) in (str, bytes, np.str_, np.bytes_) or is_text_of_data(value)


def binary(op: Op, first: Any, second: Any) -> Any:
    """``first op second``; if neither is an array, arithmetic of scalars.

    Scalars of text compare as Python's texts do.
    """
    if op in COMPARISONS.values() and _is_text(first) and _is_text(second):
        return truth_of(recorder().call(op, first, second))
    if op in OF_SCALARS and not {type(first), type(second)} & _ARRAYS:
        return recorder().call(OF_SCALARS[op], first, second)
    if op is ops.np.power and type(first) is ArrayProxy:
        return _power(first, second)
    return recorder().call(op, first, second)


def _power(base: ArrayProxy, exponent: Any) -> Any:
    """``base ** exponent``. What NumPy computes of floats for a Python number that only the run
    knows is decided then; of truths, a square has another dtype than other powers.
    """
    instead = _instead_of_power(base, exponent)
    if instead is not None:
        return recorder().call(instead, base)
    if base.dtype.kind == "b" and type(exponent) is SymInt and known(exponent == 2) is not False:
        if known(exponent == 2) is None:
            raise Unsupported("E104", "the dtype of a power of truths depends on whether it is a square", hint=_TRUTHS)
        return recorder().call(ops.np.square, base)
    decided = base.dtype.kind in "fc" and type(exponent) in (SymInt, SymFloat)
    return recorder().call(ops.np.power_of if decided else ops.np.power, base, exponent)


_TRUTHS = "Give the array a dtype of numbers first: x.astype(int) ** n."


def _instead_of_power(base: ArrayProxy, exponent: Any) -> Op | None:
    """The operator of one operand that NumPy computes for a power."""
    kinds, op = _POWERS.get((type(exponent), exponent), ("", None)) if type(exponent) in (int, float) else ("", None)
    return op if base.dtype.kind in kinds else None


def _arithmetic_operand(function: Callable[..., Any], array: AnyProxy, other: Any) -> Any:
    """``other`` as an operand. Raises what NumPy raises if no number can be computed with it."""
    if type(other) in coercion.INERT:
        function(stand_in(array.meta) if type(array) is ScalarProxy else np.ones(1, array.dtype), other)
    return coercion.operand(other)


def _computes(scalar: AnyProxy, other: Any) -> Callable[[Op, Any, Any], Any]:
    """What computes a binary operator: beside a Python complex number, NumPy leaves scalars of all
    other kinds to its ufuncs.
    """
    real = type(scalar) is ScalarProxy and scalar.dtype.kind != "c"
    return recorder().call if real and complexes.is_complex(other) else binary


def _scalars_fail(function: Callable[..., Any], first: Any, second: Any) -> None:
    """Raises the error of two NumPy scalars for an operator that they lack."""
    if type(first) is not ArrayProxy and type(second) is not ArrayProxy:
        with np.errstate(all="ignore"):  # the zeros that stand for data are not errors of the program
            function(*[stand_in(value.meta) if type(value) is ScalarProxy else value for value in (first, second)])


def _small(value: Any) -> Any:
    """An operand of the same dtype and number of axes, all of size 1."""
    return np.ones((1,) * value.ndim, value.dtype) if isinstance(value, Proxy) else value


def _repeated(name: str, function: Callable[..., Any], scalar: AnyProxy, other: Any) -> Any:
    """Scalars are not arrays to ``@``, nor to sequences, which they repeat: the sequence that they
    make of such a one, or ``None`` for any other operand. Raises what NumPy raises.
    """
    if type(scalar) is not ScalarProxy:
        return None
    example = [] if type(other) is FilledList else stand_in(other.meta) if type(other) is ScalarProxy else other
    sequence = isinstance(example, (str, bytes)) or (name == "mul" and isinstance(example, (list, tuple)))
    if sequence or (name == "matmul" and not isinstance(other, np.ndarray)):
        function(stand_in(scalar.meta), example)
        if name != "mul" or scalar.dtype.kind not in "iu":
            raise unknown_data(scalar, "a sequence that is repeated")
        return other * as_number(scalar, "a sequence that is repeated")
    return None


def _binary_method(name: str, op: Op, function: Callable[..., Any], reflected: bool) -> Callable[..., Any]:
    """``self op other``; if it is ``reflected``, ``other op self``. ``function``: Python's own,
    with the operands in the order ``self``, ``other``.
    """

    def method(self: AnyProxy, other: Any, *modulus: Any) -> Any:
        if modulus and modulus[0] is not None:
            builtins.pow(stand_in(self.meta), other, *modulus)  # raises: NumPy has no such power
        compute = _computes(self, other)
        given = other = other.operand(self, name) if type(other) in NUMBERS else other
        if reflected and type(other) is complex and type(self) is ScalarProxy and self.dtype == float and name in _OF_COMPLEX:
            return complexes.binary(name, other, self)
        if type(other) not in _DIRECT or name == "matmul":
            if _deferred(self, other):
                return NotImplemented
            if protocols.defines(other, protocols.UFUNC):
                return _dispatched(op, (other, self) if reflected else (self, other))
            if (repeated := _repeated(name, function, self, other)) is not None:
                return repeated
            other = _arithmetic_operand(function, self, other)
        try:
            first, second = (other, self) if reflected else (self, other)
            return temporaries.in_its_memory(name, first, second, compute(op, first, second))
        except TypeError:
            _scalars_fail(function, self, given)
            raise

    return method


def _inplace_method(name: str, op: Op, function: Callable[..., Any], forward: Callable[..., Any]) -> Callable[..., Any]:
    """``self op= other``; ``function``: Python's own."""

    def method(self: AnyProxy, other: Any) -> Any:
        other = other.operand(self, name) if type(other) in NUMBERS else other
        if type(self) is ScalarProxy:
            return forward(self, other)
        if type(other) not in _DIRECT:
            if protocols.defines(other, protocols.UFUNC):
                return _dispatched(op, (self, other), out=(self,))
            if _deferred(self, other):
                return NotImplemented
            other = _arithmetic_operand(function, self, other)
        if name == "matmul":  # wants axes that the operator does not
            function(_small(self), _small(other))
        writes.release(self)
        if self.known and (not isinstance(other, Proxy) or other.storage is not None and other.known):
            return _inplace_known(function, self, other)
        if name == "mul" and self.dtype.kind in "SU":
            raise Unsupported("E101", "text that is repeated in place", hint="Use np.strings.multiply.")
        ufuncs.require_fit(op.kernel, (self, other), (self,), True, "same_kind")

        if op.kernel is np.power and type(other) not in (SymInt, SymFloat):
            instead = _instead_of_power(self, other)
            return ufuncs.call(op.kernel, self, other, out=self) if instead is None else ufuncs.call(instead.kernel, self, out=self)

        if rounded_writes.there(op.kernel, (self, other), self):
            return ufuncs.call(op.kernel, self, other, out=self)

        def run() -> Any:
            result = binary(op, self, other)
            if name == "matmul" and not writes.same(tuple(result.shape), tuple(self.shape)):
                raise_for_stand_ins(function, (self, other), {}, Exception)
            return writes.put(self, result, "same_kind", function=op.kernel)

        return failing_writes.by_ufunc(op.kernel, run, (self, other), (self,))

    return method


def _binary_methods(name: str, op: Op) -> dict[str, Callable[..., Any]]:
    function = divmod if name == "divmod" else getattr(operator, _KEYWORDS.get(name, name))

    def swapped(x: Any, y: Any) -> Any:
        return function(y, x)

    forward = _binary_method(name, op, function, reflected=False)
    reflected = _binary_method(name, op, swapped, reflected=True)
    methods = {f"__{name}__": numpys(function, forward), f"__r{name}__": numpys(swapped, reflected)}
    if name == "divmod":
        return methods
    in_place = getattr(operator, f"i{name}", function)
    return {**methods, f"__i{name}__": numpys(in_place, _inplace_method(name, op, in_place, forward))}


def _inplace_known(function: Callable[..., Any], target: ArrayProxy, other: Any) -> ArrayProxy:
    if type(other) in (SymInt, SymFloat, SymBool):
        other = coercion.specialised(other)
    with recorder().session.listening():
        function(target.array, other.array if type(other) is ArrayProxy else other)
    writes.touched(target.storage)
    return target


def _comparison(name: str, op: Op) -> Callable[..., Any]:
    function = getattr(operator, name)

    def compare(self: ArrayProxy, other: Any) -> Any:
        compute = _computes(self, other)
        other = other.operand(self, name) if type(other) in NUMBERS else other
        if type(other) not in _DIRECT:
            if _deferred(self, other):
                return NotImplemented
            if protocols.defines(other, protocols.UFUNC):
                return _dispatched(op, (self, other))
            if type(other) in coercion.INERT or (_is_text(self) and type(other) in (list, tuple, range)):
                return _compared(function, self, other)
            if type(other) in (bytearray, memoryview):
                raise unknown_data(self, f"a comparison with a {type(other).__name__}")
            other = coercion.operand(other)
        if name in ("eq", "ne") and (self.dtype.kind not in _NUMBERS or _kind(other) not in _NUMBERS):
            return _compared_kinds(self, other, name)
        try:
            return compute(op, self, other)
        except UFuncTypeError:
            if name in ("eq", "ne"):
                return never_equal(self, other, name)
            raise

    return numpys(function, compare)


_NUMBERS = "biufc"


def _kind(value: Any) -> str:
    """The kind of dtype that an operand has, or will get."""
    return value.dtype.kind if hasattr(value, "dtype") else "U" if type(value) in (str, bytes) else "i"


def never_equal(array: ArrayProxy, other: Any, name: str) -> Any:
    """``x == "text"``: values that no ufunc compares are never equal, element by element."""
    shapes = tuple(array.shape), tuple(getattr(other, "shape", ()))
    try:
        shape = broadcast(*shapes)
    except Rejected:
        raise_like(np.equal, tuple([TensorMeta(sizes, np.dtype(bool)) for sizes in shapes]), {})
    if not shape:
        differs = name == "ne"
        return differs if _is_text(array) and (_is_text(other) or not hasattr(other, "dtype")) else np.bool_(differs)
    return result_layout.with_numpys_layout(
        recorder().call(ops.np.full, shape, name == "ne", np.dtype(bool)), getattr(operator, name), array, other
    )


def _compared_kinds(first: ArrayProxy, second: Any, name: str) -> Any:
    """``==`` and ``!=`` if one side holds no numbers: records are equal if all fields are, and
    values without a common kind are unequal.
    """
    fields = first.dtype.names
    if fields is not None and getattr(second, "dtype", None) is not None:
        getattr(operator, name)(np.zeros(1, first.dtype), np.zeros(1, second.dtype))  # raises where they have no common dtype
    if fields is not None and fields == getattr(getattr(second, "dtype", None), "names", None) and type(first) is ArrayProxy:
        combine = ops.np.logical_and if name == "eq" else ops.np.logical_or
        parts = [_compared_fields(first, second, field, name) for field in fields]
        return functools.reduce(lambda x, y: recorder().call(combine, x, y), parts)
    op = COMPARISONS[name]
    if "V" in (first.dtype.kind, _kind(second)):
        getattr(operator, name)(np.zeros(1, first.dtype), numpy_oracle.stand_ins(second))  # raises: records are compared with records
        raise Unsupported("E101", f"arrays of dtype {first.dtype} are compared with {getattr(second, 'dtype', type(second).__name__)}")
    try:
        op.kernel.resolve_dtypes((*[ufuncs.resolving(value) for value in (first, second)], None))
    except TypeError:
        getattr(operator, name)(np.zeros(1, first.dtype), numpy_oracle.stand_ins(second))  # raises: months and days have no common unit
        return never_equal(first, second, name)
    return binary(op, first, second)


def _compared_fields(first: ArrayProxy, second: Any, field: str, name: str) -> Any:
    """One field of records: arrays in it are equal if all their elements are."""
    one, other = first[field], second[field]  # type: ignore[index]
    compared, axes = _compared_kinds(one, other, name), one.ndim - first.ndim
    if not axes:
        return compared
    if first.ndim != second.ndim or one.shape[first.ndim :] != other.shape[second.ndim :]:
        raise Unsupported("E101", f"records whose field `{field}` holds arrays are compared with such of other shapes")
    reduction = ops.np.all if name == "eq" else ops.np.any
    return recorder().call(reduction, compared, axis=tuple(range(-axes, 0)))


def _compared(function: Callable[..., Any], array: AnyProxy, other: Any) -> Any:
    """``x == None``: what NumPy answers for one number it answers for all, but that no date is
    ``None`` in arrays.
    """
    if other is None and function in (operator.eq, operator.ne) and type(array) is ArrayProxy and array.dtype.kind in "mM":
        none = ufuncs.call(np.isnat, array)
        return none if function is operator.eq else ufuncs.call(np.logical_not, none)
    if not array.ndim:
        return function(np.ones((), array.dtype)[()] if type(array) is ScalarProxy else np.ones((), array.dtype), other)
    answer = function(np.ones(0 if array.size == 0 else 1, array.dtype), other)
    return recorder().call(ops.np.full, array.shape, bool(answer.any()), np.dtype(bool))


def _unary(name: str, op: Op) -> Callable[..., Any]:
    def compute(self: AnyProxy) -> Any:
        return recorder().call(OF_SCALARS[op] if type(self) is ScalarProxy else op, self)

    return numpys(getattr(operator, name), compute)


def install() -> None:
    """Give the proxies their operators."""
    methods: dict[str, Callable[..., Any]] = {}
    for name, op in BINARY.items():
        methods |= _binary_methods(name, op)
    methods |= {f"__{name}__": _comparison(name, op) for name, op in COMPARISONS.items()}
    methods |= {f"__{name}__": _unary(name, op) for name, op in UNARY.items()}
    for name, method in methods.items():
        method.__name__ = name
        setattr(Proxy, name, method)


install()
