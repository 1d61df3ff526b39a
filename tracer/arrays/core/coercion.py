"""Any value as an operand: what NumPy makes of lists, strings, sizes and foreign objects where it
expects an array.
"""

from __future__ import annotations

import functools
import operator
import types
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeGuard, cast

import numpy as np

from npexport.ir import ops
from npexport.ir.arguments import leaves_of, map_leaves
from npexport.ir.meta import holds_data
from npexport.ir.op import Op
from npexport.ir.ops.machine_integers import fits_in_64_bits
from npexport.ir.raising import fits
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.symshapes.symrange import SymRange
from npexport.tracer.arrays.core.array_protocol import converts_itself, numpys_array, own_array, with_own_arrays
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import (
    AnyProxy,
    ArrayProxy,
    Proxy,
    ScalarProxy,
    fresh,
    integer_of,
    is_text_of_data,
    operands_of,
    unknown_data,
)
from npexport.tracer.arrays.core.views import no_objects
from npexport.tracer.arrays.memory.layout_inference import in_order, with_layout
from npexport.tracer.arrays.memory.model import C_ORDER, Kind, Layout, Storage
from npexport.tracer.interpreter.native import ASKED

SYMBOLIC = frozenset({SymInt, SymFloat, SymBool})
INERT = frozenset({type(None), dict, set, frozenset, type, object, types.FunctionType, types.BuiltinFunctionType, types.ModuleType})
"""Types whose objects are not numbers and compare by identity, or only with their own kind."""
CONVERSIONS: dict[type, Any] = {}
"""How an object of npexport's becomes an array."""
LISTS: dict[type, Any] = {}
"""How a list of npexport's becomes an array of a dtype, or of its own dtype (``None``)."""
INDICES: dict[type, Any] = {}
"""How a list of npexport's becomes an array of indices."""
ELEMENTS: dict[type, Any] = {}
"""How an object of npexport's becomes an element of an array of known ones."""
_SCALARS = frozenset({int, float, bool, complex, str, bytes, *SYMBOLIC})


def operand(value: Any) -> Any:
    """The value as an operand of an operator: proxies, Python and NumPy scalars and sizes are
    unchanged; all others become arrays.

    Raises ``Unsupported`` (E122) for what NumPy would make an array of Python objects.
    """
    kind = type(value)
    if kind is ArrayProxy or kind is ScalarProxy or kind in _SCALARS or isinstance(value, np.generic):
        return value
    return array_of(value)


def view_of_number(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a view operator on a Python number: a view of an array of it; the imaginary
    part is the number's own.
    """
    if op.view.part == "imag":
        return 0.0 if type(args[0]) is SymFloat else 0
    return recorder().call(op, array_of(args[0]), *args[1:], **kwargs)


def known_scalar(value: np.generic) -> ScalarProxy:
    """A NumPy scalar of the program, as a value of the graph."""
    rec = recorder()
    return cast(ScalarProxy, rec.wrap(rec.node(ops.np.scalar, (rec.known(np.asarray(value)),))))


def is_record(value: Any) -> TypeGuard[ScalarProxy]:
    """Whether it is a scalar with fields (``np.void``), which is a view of memory."""
    return type(value) is ScalarProxy and value.meta.dtype.names is not None


def memory_of(record: ScalarProxy) -> ArrayProxy:
    """The 0-d array that a record is a view of, or has for itself; a copy of what it owns."""
    memory: ArrayProxy = recorder().call(ops.np.array, record) if record.memory is None else record.memory
    if not record.owns:
        record.memory = memory
    return memory


def owning(value: Any) -> Any:
    """A value that NumPy makes; a record owns what it holds."""
    if is_record(value):
        value._node, value.memory, value.owns = value.node(), None, True
    return value


def view_of_record(op: Op, record: ScalarProxy, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of a view operator on a record: a view of its memory; if that has no axes it is a
    record, too. Its real part is itself.
    """
    if op.view.part == "real":
        return record
    if op.view.part == "imag":
        node = recorder().node(op, (record,))
        return owning(ScalarProxy(node.meta["val"], node))
    found = recorder().call(op, memory_of(record), *args, **kwargs)
    return found[()] if type(found) is ArrayProxy and not found.ndim else found  # type: ignore[index]


def array_of(value: Any, dtype: Any = None, copy: bool | None = None) -> ArrayProxy:
    """``np.asarray(value, dtype)`` as a proxy: the value itself if it is an array of this dtype.

    ``copy``: what the methods ``__array__`` of objects in a list are told of it.
    """
    rec = recorder()
    kind = type(value)
    if dtype is not None:
        refuse_objects(np.dtype(dtype))
    if is_record(value):
        if dtype is not None:  # NumPy makes an array of its own
            return rec.call(ops.np.astype, memory_of(value), np.dtype(dtype))
        value, kind = memory_of(value), ArrayProxy
    if kind is ArrayProxy:
        return value if dtype is None or value.dtype == np.dtype(dtype) else rec.call(ops.np.astype, value, np.dtype(dtype))
    if kind is SymInt and dtype is None:
        if dtype_of_integer(value) != np.int64:
            dtype = np.asarray(2**63).dtype
        elif _may_not_fit(value):
            return machine_integer(value)
    if kind is ScalarProxy or kind in SYMBOLIC:
        return rec.call(ops.np.array, value, *(() if dtype is None else (np.dtype(dtype),)))
    if isinstance(value, np.ndarray):
        return array_of(rec.lift(value, "constant", Kind.CONSTANT), dtype)
    if kind is SymRange:
        return rec.call(ops.np.arange, value.start, value.stop, value.step, dtype=np.dtype(dtype or (np.intp if value else np.float64)))
    if converts_itself(value):
        return array_of(own_array(value, dtype)[0], dtype)
    value = plain_sequence(value)
    if dtype is None or np.dtype(dtype).names is None:  # what becomes a field is asked for a number
        value = with_own_arrays(value, dtype, copy)
    kind = type(value)
    if kind is list or kind is tuple:
        value = map_leaves(value, functools.partial(_converted, dtype=dtype))
    found: list[Any] = []
    symbolic = operands_of((value,), found)
    if isinstance(value, (list, tuple)) and (symbolic or found):
        return _nested(value, dtype)
    if kind in LISTS:
        return LISTS[kind](value, dtype)
    if kind in CONVERSIONS:
        return array_of(_as_operand(value, dtype), dtype)
    method = getattr(kind, "__array__", None)
    if not isinstance(value, np.generic) and (method is not None or hasattr(kind, "__array_interface__")):
        raise Unsupported("E101", f"an object of type {kind.__name__} is converted to an array by its own code")
    return rec.known(numpys_array(map_leaves(value, _element), dtype))


def _element(leaf: Any) -> Any:
    return ELEMENTS[type(leaf)](leaf) if type(leaf) in ELEMENTS else leaf


def _converted(leaf: Any, dtype: Any) -> Any:
    """An item of a sequence that becomes an array, where it is a list of any length, a range or a
    number that has no node of its own.
    """
    kind = type(leaf)
    if kind is range or kind is SymRange:
        return array_of(leaf, dtype)
    return LISTS[kind](leaf, dtype) if kind in LISTS else _as_operand(leaf, dtype) if kind in CONVERSIONS else leaf


def plain_sequence(value: Any) -> Any:
    """A plain list or tuple of the same items for named tuples, deques and their kin, recursively,
    since NumPy treats these as sequences. Classes that define iteration themselves are left
    unchanged.
    """
    kind = type(value)
    if kind not in (list, tuple):
        if not isinstance(value, _SEQUENCES) or kind.__iter__ not in _GONE_OVER_IN_C or any(hasattr(kind, name) for name in _CONVERTED):
            return value
        value = tuple(value) if isinstance(value, tuple) else list(value)
    if not any(isinstance(item, _SEQUENCES) for item in value):
        return value
    items = [plain_sequence(item) for item in value]
    return value if all(map(operator.is_, items, value)) else type(value)(items)


_SEQUENCES = (list, tuple, deque)
_GONE_OVER_IN_C = [cls.__iter__ for cls in _SEQUENCES]
_CONVERTED = ("__array__", "__array_interface__", "__array_struct__")


def mask_of(where: Any) -> Any:
    """``where=``: an array of truths, or True.

    Values other than arrays are converted; arrays, and what iterates over one, must already have
    the dtype.
    """
    mask = array_of(where, None if type(where) is ArrayProxy or isinstance(where, np.flatiter) else bool)
    if mask.dtype != bool:
        raise TypeError("where= is cast to bool by the rule 'safe'")
    return True if mask.known and not mask.ndim and mask.array else mask


def refuse_objects(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype.

    Raises ``Unsupported`` (E122) for that of Python objects, and for those that are not NumPy's
    own.
    """
    if not holds_data(dtype):
        raise no_objects(dtype)
    return dtype


def _nested(value: Any, dtype: Any) -> ArrayProxy:
    """An array of nested sequences with arrays or sizes among them: stacked, level by level."""
    rec = recorder()
    types = _types(value) if dtype is None else []
    found: list[AnyProxy] = []
    operands_of((value,), found)
    text = next((item for item in found if is_text_of_data(item)), None)
    if text is not None and dtype is None:
        raise unknown_data(text, "the length of the longest text of a list")
    target = np.dtype(dtype) if dtype is not None else types[0] if len(types) == 1 else _common(types)
    if dtype is None:
        value = map_leaves(value, _as_machine_integer)
    result: ArrayProxy = _stack(value, target)
    shape = _shape(value, target)
    if shape is None or len(shape) != len(result.shape):
        raise ValueError("setting an array element with a sequence. The requested array has an inhomogeneous shape.")
    result = result if result.dtype == target else rec.call(ops.np.astype, result, target)
    # NumPy fills the array of a list in C order; stacked arrays would keep their layout
    flat = all(len(item.meta.shape) < 2 for item in found)
    return with_layout(rec, result, C_ORDER) if flat else arranged(result, "C")


def arranged(result: ArrayProxy, order: str) -> ArrayProxy:
    """A new array in the order "C" or "F", whatever the layouts of inputs are."""
    layout, storage = in_order(order, len(result.meta.shape)), result.storage
    if storage.array is None and not is_certain(storage.layout, layout):
        in_c = is_certain(storage.layout, C_ORDER)  # so that all is copied, and has the strides of a new array
        call = (ops.np.copy, (result.node(),), {"order": order}) if in_c else (ops.np.as_contiguous, (result.node(), order), {})
        return fresh(Storage(storage.meta, recorder().node(*call), None, layout))
    return with_layout(recorder(), result, layout)


def is_certain(layout: Layout, wanted: Layout) -> bool:
    """Whether an array has an order for all layouts of the inputs."""
    return layout.known and not layout.depends and layout.order == wanted.order


def _common(types: list[Any]) -> np.dtype[Any]:
    """The dtype of all. Raises ``Unsupported`` (E122) if NumPy makes objects of them."""
    try:
        return np.result_type(*types)
    except TypeError:
        raise no_objects(np.dtype(object)) from None


def _stack(value: Any, dtype: np.dtype[Any]) -> ArrayProxy:
    rec = recorder()
    found: list[Any] = []
    if not (isinstance(value, (list, tuple)) and (operands_of(value, found) or found)):
        return _cast(value, dtype)
    if _is_record(value, dtype):
        return _record(value, dtype)
    items = [_stack(item, dtype) for item in value]
    shapes = {len(item.shape) for item in items}
    if len(shapes) > 1:
        raise ValueError(
            f"setting an array element with a sequence. The requested array has an inhomogeneous shape after 1 dimensions. "
            f"The detected shape was ({len(items)},) + inhomogeneous part."
        )
    return rec.call(ops.np.stack, items)


_NO_INTEGERS = dict.fromkeys("mM", ("a time", "Convert it first: t.astype(int).")) | {
    "c": ("a complex number", "Take its real part first: z.real.")
}


def _cast(value: Any, dtype: np.dtype[Any]) -> ArrayProxy:
    """An element of a nested list in the common dtype, converted as NumPy converts elements: of
    a scalar, signed integers are made by way of a Python integer, which raises for NaN and for what
    does not fit.
    """
    rec = recorder()
    if type(value) is ScalarProxy and dtype.kind == "i" and value.dtype.kind in "iuf" and not np.can_cast(value.dtype, dtype):
        value = integer_of(value)
    if type(value) is ScalarProxy and dtype.kind in "iu" and value.dtype.kind in "cmM":
        what, hint = _NO_INTEGERS[value.dtype.kind]
        raise Unsupported("E126", f"{what} becomes an integer, which raises for some data", hint=hint)
    if isinstance(value, Proxy):
        array: Any = value if type(value) is ArrayProxy else rec.call(ops.np.array, value)
        return array if array.dtype == dtype else rec.call(ops.np.astype, array, dtype)
    if type(value) in SYMBOLIC:
        return rec.call(ops.np.array, value, dtype)
    return rec.known(numpys_array(value, dtype))


def require_alike(value: Any, dtype: np.dtype[Any], what: str) -> None:
    """Raises ``Unsupported`` (E126) for an array with axes whose only element becomes an integer:
    by way of Python in some versions of NumPy, where others cast it.
    """
    if type(value) is ArrayProxy and value.ndim and dtype.kind in "iu" and value.dtype.kind in "fcmM":
        raise Unsupported("E126", f"{what} of an array raises for some data in some versions of NumPy", hint="Take its element: x[0].")


def _is_record(value: Any, dtype: np.dtype[Any] | None) -> bool:
    """Whether a sequence is one element: a tuple is a record if the dtype has fields."""
    return dtype is not None and dtype.names is not None and isinstance(value, tuple)


def _record(value: Sequence[Any], dtype: np.dtype[Any]) -> ArrayProxy:
    """A record of a tuple, field by field. Raises ``ValueError`` for a tuple of another length."""
    names = dtype.names or ()
    if len(value) != len(names):
        raise ValueError(f"could not assign tuple of length {len(value)} to structure with {len(names)} fields.")
    record = recorder().call(ops.np.zeros, (), dtype)
    for name, item in zip(names, value, strict=True):
        record = recorder().call(ops.np.set_field, record, name, _part(item, dtype[name]))
    return record


def _part(item: Any, dtype: np.dtype[Any]) -> ArrayProxy:
    """What NumPy writes into a field. For an integer field it asks an item for a Python integer:
    such items become Python numbers here, and too large ones raise.

    Raises ``Unsupported`` (E101) for items that are converted in another way than arrays are.
    """
    if _is_record(item, dtype):
        return _record(item, dtype)
    if isinstance(item, ScalarProxy) and dtype.kind in "iu" and item.dtype.kind in "iuf" and not np.can_cast(item.dtype, dtype):
        item = integer_of(item)
    alike = not isinstance(item, Proxy) or np.can_cast(item.dtype, dtype) or (item.dtype.kind == dtype.kind and dtype.kind in "fSU")
    if not alike or (isinstance(item, Proxy) and item.shape and dtype.subdtype is None):
        raise Unsupported(
            "E101", f"an array {item.dtype} in a tuple is written into a field {dtype}", hint="Write the fields: r['name'] = x."
        )
    return array_of(item, dtype.base) if dtype.subdtype is not None or isinstance(item, Proxy) else _stack(item, dtype)


def _types(value: Any) -> list[Any]:
    """What decides the dtype of an array of nested sequences: the dtype of each element alone."""
    if isinstance(value, Proxy):
        return [value.dtype if type(value) is ArrayProxy or value.dtype.isnative else value.dtype.newbyteorder("=")]
    if isinstance(value, (list, tuple)):
        return [found for item in value for found in _types(item)] or [np.dtype(float)]
    if type(value) in SYMBOLIC:
        return [dtype_of_integer(value) if type(value) is SymInt else np.dtype(np.float64 if type(value) is SymFloat else np.bool_)]
    return [refuse_objects(numpys_array(value).dtype)]


def machine_integer(value: SymInt) -> ArrayProxy:
    """An integer that only the data know, as an int64: the dtype that NumPy chooses if it fits.
    Where it does not, NumPy chooses another one, and the conversion raises ``OverflowError``.

    Raises ``Unsupported`` (E126) if a handler of the program would get that.
    """
    recorder().session.require_unexpected(OverflowError, "an integer that becomes an array may need more than 64 bits")
    made: ArrayProxy = recorder().call(ops.np.array, value, _INT64)
    return made


def _as_machine_integer(leaf: Any) -> Any:
    return machine_integer(leaf) if _may_not_fit(leaf) else leaf


def _may_not_fit(leaf: Any) -> bool:
    """Whether it is an integer that only the data know, and perhaps no int64; of those among the
    inputs a guard decides.
    """
    return type(leaf) is SymInt and leaf.hint is None and not fits(leaf, _INT64)


def with_machine_integers(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments, with arrays for the integers whose values decide the dtype of the result."""
    chosen = "by_value" in op.traits
    if not chosen and "ufunc" not in op.traits:
        return args, kwargs
    if not any(map(_may_not_fit, leaves_of(args))):
        return args, kwargs
    given = dict(zip(op.signature.parameters, args, strict=False)) | kwargs
    if given.get("dtype") is not None or not (chosen or _chooses(op.kernel, args)):
        return args, kwargs
    return tuple([arg if name == "shape" else map_leaves(arg, _as_machine_integer) for name, arg in zip(given, args, strict=False)]), kwargs


def _chooses(ufunc: np.ufunc, args: tuple[Any, ...]) -> bool:
    """Whether the integers decide the dtype of the results: beside an operand of NumPy's they take
    its dtype. Truths are truths, and functions of one float take no objects.
    """
    if any(isinstance(arg, (Proxy, np.generic, np.ndarray)) for arg in args):
        return False
    types = ufunc.types
    return "qq->?" not in types and "q->?" not in types and (ufunc.nin > 1 or "q->q" in types)


_INT64 = np.dtype(np.int64)


def dtype_of_integer(value: Any) -> np.dtype[Any]:
    """The dtype that NumPy chooses for a Python integer, which depends on its size: a condition on
    integers among the inputs.

    One that only the data know is assumed to be an int64; conversions raise if it is not. Raises
    ``Unsupported`` (E122) if it is too large for any dtype.
    """
    if fits_in_64_bits(value):
        return np.dtype(np.int64)
    if value >= 0 and value < 2**64:
        return np.asarray(2**63).dtype
    raise no_objects(np.dtype(object))


def _shape(value: Any, dtype: np.dtype[Any]) -> tuple[Any, ...] | None:
    if isinstance(value, Proxy):
        return value.shape
    if isinstance(value, (list, tuple)) and not _is_record(value, dtype):
        return (len(value), *(_shape(value[0], dtype) or ())) if value else (0,)
    return ()


def _as_operand(value: Any, dtype: Any) -> Any:
    """What an array is made of for an object that converts itself; as for known ones, NumPy asks
    Python's complex numbers, unlike its own, for a real number, and they have none.
    """
    if isinstance(value, complex) and dtype is not None and np.dtype(dtype).kind not in "bc":
        np.array(0j, dtype)  # raises
        value.refuse(f"it becomes an element of an array of the dtype {np.dtype(dtype)}")  # type: ignore[attr-defined]
    return CONVERSIONS[type(value)](value)


def specialised(value: Any) -> Any:
    """The number of a dynamic size in the example, with a guard."""
    if type(value) is SymInt:
        return int(value)
    return float(value) if type(value) is SymFloat else bool(value)


def _described(value: Any) -> Any:
    """A description of a dtype in which no array passes for the dtype that it has."""
    if type(value) is ArrayProxy:
        return np.empty(0)
    if type(value) is tuple and value:
        return (_described(value[0]), *value[1:])
    if type(value) is list:
        return [(item[0], _described(item[1]), *item[2:]) if type(item) is tuple and len(item) > 1 else item for item in value]
    return value


def dtype_of(value: Any) -> np.dtype[Any]:
    """``np.dtype(value)`` for a value that the program uses as a dtype; a scalar has its own, for
    an array NumPy raises ``TypeError``, also within a description of fields or of a sub-array.
    """
    value = _described(value)
    if is_text_of_data(value):  # the name of one
        raise unknown_data(value, "numpy.dtype()")
    if isinstance(value, type) and issubclass(value, np.dtype):  # a class of dtypes, as type(x.dtype) is
        value = value.type if value.type in (np.str_, np.bytes_, np.void) else value()  # type: ignore[call-overload, comparison-overlap]
    return value.dtype if type(value) is ScalarProxy else np.dtype(value)


_CONVERSIONS: dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
    tuple: lambda items: tuple.__getitem__(items, slice(None)),
    list: lambda items: list.__getitem__(items, slice(None)),
    range: list,
}


def of_base(value: Any) -> Any:
    """A number, string or sequence of a class of its own (``IntEnum``, a named tuple) as C reads
    it: as one of the base class. Any other value itself. Raises ``Unsupported`` (E104) for what
    stands for one that only the data know.
    """
    base = next((base for base in _CONVERSIONS if isinstance(value, base)), None)
    if base is None:
        return value
    if type(value) in ASKED:
        told = f"a {base.__name__} that only the data know is an argument of NumPy's that an operator takes as it is"
        raise Unsupported(
            "E104", told, hint="Pass an array, np.array(values), if NumPy takes one there, or what is known when the program is exported."
        )
    return _CONVERSIONS[base](value)
