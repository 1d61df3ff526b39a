"""Shared code of type and shape rules: dtypes found by NumPy, broadcasting, axes, errors with
NumPy's own messages.

Rules never read data. A rule that finds a call which NumPy would reject raises :class:`Rejected`;
then the kernel itself runs on stand-ins (arrays of the same shapes and dtypes that own one element
of memory), and the user sees what it raises. Sizes may be symbolic: rules are ordinary Python over
them, and every comparison that decides something is a guard.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import BuiltinFunctionType
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from npexport.ir.arguments import leaves_of
from npexport.ir.facts import Raises
from npexport.ir.meta import TEXTS, TensorMeta, dtype_key
from npexport.ir.numpy_internals import implementation
from npexport.ir.op import REGISTRY, Op, resolve_kernel
from npexport.ir.ops.machine_integers import fits_in_64_bits
from npexport.ir.ops.rows import aligned
from npexport.ir.ops.stand_ins import error_of, example, has_large, of_axes_alone, raise_like, stand_in, works_long
from npexport.symshapes.broadcasting import broadcast_sizes, must_equal
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.expr import exact_quotient
from npexport.symshapes.functions import sym_max, sym_min
from npexport.symshapes.plain import with_article
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.symshapes.wrapping import as_expr, wrap_int

Array = Any  # a TensorMeta, or a scalar: Python's, NumPy's or symbolic
Size = Any  # int or SymInt
Shape = tuple[Any, ...]

INTP = np.dtype(np.intp)
BOOL = np.dtype(np.bool_)
FLOAT = np.dtype(np.float64)


class Rejected(Exception):
    """NumPy raises for this call."""


# --- records


def record(
    *models: Any,
    raises: tuple[Raises, ...] | Callable[[tuple[Any, ...], dict[str, Any]], tuple[type[Exception], ...]] | None,
    kernel: Any = None,
    traits: str = "",
    namespace: str = "np",
    name: str = "",
    doc: str = "",
    see: str = "",
    rejects: bool = True,
    **facts: Any,
) -> Callable[[Callable[..., Any]], Op]:
    """Declare the decorated rule as an operator: the one way in which the operators of this package
    are declared.

    Parameters
    ----------
    models : callables
        What it stands for, with the same signature. The kernel is the first one, unless ``kernel``
        is given.
    raises : tuple of Raises, callable or None
        What data make it raise, or what says so of a call's arguments. It must be stated: `NOTHING`
        is a statement, ``None`` says that it may raise anything.
    name, doc : str
        By default those of the rule. Trailing underscores are dropped, and the page of NumPy,
        ``see`` or the first model's own, is added.
    rejects : bool
        Whether the rule raises `Rejected` where the kernel is to say what is wrong, and leaves
        unusual axes to it. Kernels of control flow, which run graphs, are never asked.
    facts
        What else is known of it, by the names of `Op`: ``bounds``, ``counts``, ``decomposition``
        and so on.
    """

    def declare(rule: Callable[..., Any]) -> Op:
        own = name or rule.__name__.rstrip("_")
        text = doc or rule.__doc__ or ""
        page = see or (f"numpy.{own}" if models and not doc else "")
        if page:
            text += f"\n\nhttps://numpy.org/doc/stable/reference/generated/{page}.html"
        function = models[0] if kernel is None else kernel
        if "elementwise" in traits.split():
            facts.setdefault("rows", aligned)
        inner = [implementation(model) for model in models]  # what NumPy's own modules call
        op = Op(
            namespace=namespace,
            name=own,
            rule=with_numpy_errors(rule, function) if rejects and namespace != "control" else rule,
            kernel=function,
            models=(*models, *[model for model in inner if isinstance(model, BuiltinFunctionType)]),
            traits=frozenset(traits.split()),
            doc=text,
            raises=raises,
            **facts,
        )
        return REGISTRY.register(op)

    return declare


def with_numpy_errors(rule: Callable[..., Any], kernel: Any) -> Callable[..., Any]:
    """The rule with :class:`Rejected` replaced by what the kernel raises; what it finds of no type
    that it knows is rejected.
    """

    place = _place_of_axis(rule)

    @functools.wraps(rule)
    def checked(*args: Any, **kwargs: Any) -> Any:
        if place is not None:
            axis = kwargs.get("axis") if len(args) <= place else args[place]
            if axis is not None and _unusual(axis, args):
                require_axis(kernel, args, kwargs)
        try:
            return rule(*args, **kwargs)
        except (Rejected, AttributeError, TypeError):
            pass
        return raise_like(resolve_kernel(kernel) if isinstance(kernel, str) else kernel, args, kwargs)

    return checked


def _place_of_axis(rule: Callable[..., Any]) -> int | None:
    """Where ``axis`` stands among the parameters of a rule."""
    code = getattr(rule, "__code__", None)
    if code is None or hasattr(rule, "__wrapped__") or hasattr(rule, "__signature__"):
        names: Sequence[str] = list(inspect.signature(rule).parameters)
    else:
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return names.index("axis") if "axis" in names else None


def _unusual(axis: Any, args: tuple[Any, ...]) -> bool:
    """Whether an axis is no plain int or tuple of ints, or there are no axes at all. Dynamic ones
    become constants later."""
    if any(isinstance(item, SymInt) for item in as_tuple(axis)):
        return False
    if type(axis) is not int and not (type(axis) is tuple and all(type(item) is int for item in axis)):
        return True
    return bool(args) and isinstance(args[0], TensorMeta) and not args[0].shape


def require_axis(kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise what NumPy raises of an axis that is not a plain int, or where there are no axes: its
    functions disagree about those, so the function itself is asked."""
    made = of_axes_alone if works_long((args, kwargs)) else stand_in
    error = error_of(resolve_kernel(kernel) if isinstance(kernel, str) else kernel, made(args), made(kwargs))
    if isinstance(error, ValueError) and not isinstance(error, np.exceptions.AxisError):
        return  # of other arguments, or of data
    if error is not None:
        raise error


_OPEN: ContextVar[list[Any] | None] = ContextVar("open_conditions", default=None)


@contextmanager
def open_conditions() -> Iterator[list[Any]]:
    """The conditions on sizes that rules leave to the kernel while this is active: where one does
    not hold, the kernel raises."""
    found: list[Any] = []
    token = _OPEN.set(found)
    try:
        yield found
    finally:
        _OPEN.reset(token)


def _leave_open(condition: Any) -> None:
    found = _OPEN.get()
    if found is not None:
        found.append(condition)


def violated(condition: Any) -> bool:
    """Whether a condition that the kernel checks again at run time fails for the example; leaves a
    guard only then."""
    if type(condition) is bool:
        return not condition
    decided = known(condition)
    if decided is not None:
        return not decided
    if condition.hint is not False:
        _leave_open(condition)
        return False
    return not bool(condition)


# --- operands


def meta_of(value: Array) -> TensorMeta:
    """What ``np.asarray`` makes of an operand, also of nested sequences of numbers and of arrays of
    known shapes; metas are passed through."""
    if isinstance(value, TensorMeta):
        return value
    if isinstance(value, (tuple, list)):
        if any(isinstance(leaf, TensorMeta) and any(type(size) is not int for size in leaf.shape) for leaf in leaves_of(value)):
            raise Unsupported("E101", "an array of arrays whose sizes are dynamic", hint="Write np.stack of them.")
        if has_large(value):
            return _of_large(value)
        numbers = np.asarray(stand_in(value))
        return TensorMeta(numbers.shape, numbers.dtype)
    return TensorMeta((), np.asarray(_representative(of_value((value,))[0])).dtype)


def _of_large(value: Any) -> TensorMeta:
    """What is made of sequences of arrays of one shape, without their elements."""
    shapes = {leaf.shape for leaf in leaves_of(value) if isinstance(leaf, TensorMeta)}
    try:
        numbers = np.asarray(of_axes_alone(value))
        (shape,) = shapes or {()}
    except ValueError:
        raise Rejected from None
    return TensorMeta((*numbers.shape[: numbers.ndim - len(shape)], *shape), numbers.dtype)


def shape_of(value: Array) -> Shape:
    return meta_of(value).shape if isinstance(value, (TensorMeta, tuple, list)) else ()


def _representative(value: Array, ones: Shape = (0,)) -> Any:
    """A value that NumPy types like the operand: ones of this shape for a meta; Python scalars stay
    weak, and ints keep their value, since NumPy refuses those that do not fit."""
    if isinstance(value, (TensorMeta, np.generic)):
        return np.empty(ones, value.dtype) if 0 in ones else np.ones(ones, value.dtype)
    kind = type(value)
    if kind is int or kind is str or kind is bytes:
        return value
    if kind is bool or isinstance(value, SymBool):
        return True
    if kind is float or isinstance(value, SymFloat):
        return 1.0
    if kind is complex:
        return 1j
    if isinstance(value, SymInt):
        return 1
    raise Unsupported("E122", f"an array of {with_article(kind.__name__)} is one of objects")


def type_key(value: Array) -> Any:
    """Equal for operands that NumPy types alike: a dtype, a Python type, or a bucket of ints."""
    if isinstance(value, TensorMeta):
        return dtype_key(value.dtype)
    kind = type(value)
    if kind is int:
        return value < 0, (~value if value < 0 else value).bit_length()
    if kind is float or kind is complex or kind is bool:
        return kind
    if isinstance(value, np.generic):
        return dtype_key(value.dtype)
    if kind is str or kind is bytes:
        return kind, len(value)
    return kind


_DTYPES: dict[Any, tuple[np.dtype[Any], ...]] = {}


def dtypes_of(function: Callable[..., Any], /, *operands: Array, ones: Shape = (0,), **options: Any) -> tuple[np.dtype[Any], ...]:
    """The dtypes of what ``function`` returns for operands of these types, asked of NumPy once: of
    arrays of ones of the shape ``ones``, by default of none. Raises :class:`Rejected`."""
    operands = of_value(operands)
    asked = [(name, dtype_key(option) if isinstance(option, np.dtype) else option) for name, option in options.items()]
    key = (function, ones, *map(type_key, operands), *asked)
    found = _DTYPES.get(key)
    if found is None:
        try:
            with np.errstate(all="ignore"):
                result = function(*[_representative(operand, ones) for operand in operands], **options)
        except (TypeError, ValueError, OverflowError) as problem:
            raise Rejected from problem  # what NumPy says of the whole call is for the kernel to say
        found = tuple(map(_dtype_of, result)) if isinstance(result, tuple) else (_dtype_of(result),)
        if any(isinstance(option, np.dtype) and option.kind == "O" for option in options.values()):
            found = (np.dtype(object),) * len(found)  # though a sum of objects is one of them
        _DTYPES[key] = found
    return found


def of_value(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """The operands, with numbers for symbolic integers whose values decide the dtype: beside an
    operand of NumPy's they take its dtype. It is a condition on integers among the inputs."""
    if not any(type(operand) is SymInt for operand in operands) or any(isinstance(each, (TensorMeta, np.generic)) for each in operands):
        return operands
    return tuple([_OF_VALUE[fits_in_64_bits(each)] if type(each) is SymInt else each for each in operands])


_OF_VALUE = 2**63, 1


def _dtype_of(result: Any) -> np.dtype[Any]:
    if type(result) is str:  # so does NumPy hand over an element of texts of any length
        return TEXTS
    dtype: np.dtype[Any] = np.asarray(result).dtype
    return dtype


def dtype_of(function: Callable[..., Any], /, *operands: Array, **options: Any) -> np.dtype[Any]:
    """The dtype of the only result: see :func:`dtypes_of`."""
    return dtypes_of(function, *operands, **options)[0]


def result_type(*operands: Array) -> np.dtype[Any]:
    """``np.result_type`` of the operands: NumPy scalars strong, Python scalars weak."""
    return dtype_of(_promote, *operands)


def _promote(*values: Any) -> Any:
    return np.empty((), np.result_type(*values))


# --- shapes


def broadcast(*shapes: Shape) -> Shape:
    """The common shape; raises :class:`Rejected` where there is none."""
    result = shapes[0]
    for shape in shapes[1:]:
        result = _broadcast_two(result, shape)
    return result


def _broadcast_two(first: Shape, second: Shape) -> Shape:
    if first is second or not second:
        return first
    if len(first) < len(second):
        first, second = second, first
    lead = len(first) - len(second)
    return first[:lead] + tuple([a if a is b else _broadcast_size(a, b) for a, b in zip(first[lead:], second, strict=True)])


def _broadcast_size(a: Size, b: Size) -> Size:
    if type(a) is int and type(b) is int:
        if b in (a, 1):
            return a
        if a == 1:
            return b
        raise Rejected
    size = broadcast_sizes(a, b)
    if size is None:
        raise Rejected
    return size


def broadcasts_to(shape: Shape, target: Shape) -> bool:
    """Whether ``shape`` can be stretched to exactly ``target``."""
    lead = len(target) - len(shape)
    return lead >= 0 and all(_stretches(a, b) for a, b in zip(shape, target[lead:], strict=True))


def _stretches(size: Size, target: Size) -> bool:
    """Whether an axis can become ``target`` long; the example chooses which of the two ways is
    guarded."""
    either: Any = (size == 1) | (size == target)
    if size is target or known(size == 1) or known(size == target) or known(either):
        return True
    if type(either) is SymBool and (either.hint is None or either.env.closed):
        if known(either) is False:
            return False
        _leave_open(either)  # only the data know, or did when it was traced: the kernel looks again
        return True
    if example(size) == 1 and example(target) != 1:
        return bool(size == 1)
    return bool(size == target) or bool(size == 1)


def require_broadcast_to(shape: Shape, target: Shape) -> None:
    """Raises :class:`Rejected` unless ``shape`` can be stretched to ``target``."""
    if not broadcasts_to(shape, target):
        raise Rejected


def same_sizes(first: Sequence[Size], second: Sequence[Size]) -> bool:
    """Whether two shapes are equal, compared size by size, where NumPy refuses any others."""
    return len(first) == len(second) and all(a is b or must_equal(a, b) for a, b in zip(first, second, strict=True))


def product(sizes: Iterable[Size]) -> Size:
    total: Size = 1
    for size in sizes:
        total = total * size
    return total


def open_sign(bound: Any) -> bool:
    """Whether it depends on data if a bound counts from the end."""
    negative: Any = bound is not None and bound < 0
    return known(negative) is None and negative.hint is None


def plain(number: Any) -> Any:
    """A NumPy scalar as Python's number; anything else itself."""
    return number.item() if isinstance(number, np.generic) else number


def smaller(a: Size, b: Size) -> Size:
    """``min(a, b)`` without a guard."""
    return min(a, b) if type(a) is int and type(b) is int else sym_min(a, b)


def larger(a: Size, b: Size) -> Size:
    """``max(a, b)`` without a guard."""
    return max(a, b) if type(a) is int and type(b) is int else sym_max(a, b)


def quotient(a: Size, b: Size) -> Size | None:
    """``q`` where ``a == q * b`` whatever the symbols are (also where ``b`` is 0, so nothing is
    guarded); ``None`` where there is none."""
    if type(a) is int and type(b) is int:
        return a // b if b and a % b == 0 else None
    x, y = as_expr(a), as_expr(b)
    found = None if x is None or y is None else exact_quotient(x, y)
    return None if found is None else wrap_int(found, (a if isinstance(a, SymInt) else b).env)


def is_size(value: Any) -> bool:
    """Whether the value is a size: an ``int`` or a symbolic one."""
    return isinstance(value, (int, SymInt, np.integer)) and not isinstance(value, bool)


def as_tuple(value: Any) -> tuple[Any, ...]:
    """A shape given as one size or as a sequence of sizes."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def axis_index(axis: Any, ndim: int) -> int:
    """The axis counted from the front; raises :class:`Rejected` where there is no such axis."""
    try:
        return int(normalize_axis_index(axis, ndim))
    except (ValueError, TypeError):
        raise Rejected from None


def axis_indices(axis: Any, ndim: int) -> tuple[int, ...]:
    """Axes counted from the front, ``None`` meaning all; raises :class:`Rejected` for repeated or
    absent ones."""
    if axis is None:
        return tuple(range(ndim))
    axes = tuple([axis_index(item, ndim) for item in (axis if isinstance(axis, (tuple, list)) else (axis,))])
    if len(set(axes)) != len(axes):
        raise Rejected
    return axes


def without_axes(shape: Shape, axes: Sequence[int], keepdims: bool = False) -> Shape:
    """The shape after reducing over the axes."""
    if keepdims:
        return tuple([1 if i in axes else size for i, size in enumerate(shape)])
    return tuple([size for i, size in enumerate(shape) if i not in axes])


def replace_axis(shape: Shape, axis: int, size: Size) -> Shape:
    return (*shape[:axis], size, *shape[axis + 1 :])


def array(shape: Shape, dtype: np.dtype[Any]) -> TensorMeta:
    """An array, also where it is 0-d."""
    return TensorMeta(shape, dtype)


def like(a: TensorMeta, shape: Shape) -> TensorMeta:
    """The result of functions that only rearrange: a scalar stays one, all others are arrays."""
    return TensorMeta(shape, a.dtype, a.scalar and not shape)


def as_dtype(dtype: Any) -> np.dtype[Any]:
    """The dtype that NumPy makes of a ``dtype`` argument. Raises ``TypeError``."""
    result: np.dtype[Any] = np.dtype(dtype)
    return result


def value(shape: Shape, dtype: np.dtype[Any]) -> TensorMeta:
    """The result of ufuncs and reductions: an array, or a scalar if it is 0-d."""
    return TensorMeta(shape, dtype, not shape)
