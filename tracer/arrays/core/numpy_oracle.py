"""NumPy's own errors: it is asked about stand-ins, real objects of the same shapes, dtypes and
flags whose data mean nothing.

A model that finds a call which NumPy refuses may raise anything: `numpys` repeats the call on
stand-ins, and the error that NumPy raises is used.
"""

from __future__ import annotations

import functools
import math
import operator
import types
import warnings
from collections import deque
from collections.abc import Callable, Mapping
from enum import Enum, auto
from typing import Any, NamedTuple

import numpy as np

from npexport.ir.arguments import leaves_of, map_leaves
from npexport.ir.numpy_internals import handles_files
from npexport.ir.op import Op
from npexport.ir.ops.stand_ins import UNKNOWN, error_of, example, same_error, unknown_numbers
from npexport.symshapes.errors import ExportError, Unsupported
from npexport.symshapes.interrupts import require_own
from npexport.symshapes.rewrite import evaluate
from npexport.symshapes.symint import SymBool, SymFloat, SymInt
from npexport.tracer.arrays.analysis.binding import Mistyped
from npexport.tracer.arrays.core import protocols
from npexport.tracer.arrays.core.array_protocol import NO_ARRAY, converts_itself
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy, Proxy, ScalarProxy, is_text_of_data, sizes_of
from npexport.tracer.arrays.core.silent_objects import is_asked, silenced
from npexport.tracer.arrays.memory.layout import alike, laid_out
from npexport.tracer.arrays.memory.model import mirror
from npexport.tracer.interpreter.attempts import MessageOfData
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.unwind import require_meant

WRITE_AFTERWARDS = "Compute first, and then write it: out[...] = result."
"""The hint where NumPy's steps go through ``out=``."""
_BYTES = 1 << 28
"""The largest stand-in; memory that is never touched costs nothing."""


class Example(NamedTuple):
    """Stand-ins for numbers and elements that only the data know; ``None`` for zeros.

    ``sizes``: the numbers of symbols in place of the example inputs'.
    """

    number: int
    element: int | None
    sizes: Mapping[str, int] | None = None


EXAMPLES = tuple(Example(number, element) for number, element in zip(UNKNOWN, (None, 1, 2, -1, 1, 3), strict=True))
NOT_A_TIME = -(1 << 63)
CONVERSIONS: dict[type, Callable[[Callable[[Any], Any], Any], Any]] = {}
"""How to make the stand-in of an object of npexport's that holds arrays, from those of the
arrays.
"""
Kind = type[Exception] | tuple[type[Exception], ...]


def formed(name: str, model: Callable[..., Any]) -> Callable[..., Any]:
    """The model of a method of arrays and scalars, called in the forms that NumPy's method accepts,
    with its errors.

    NumPy is asked once for each form: whether it accepts arguments of these types and names does
    not depend on data or sizes.
    """

    def function(array: Any, /, *args: Any, **kwargs: Any) -> Any:
        return getattr(type(array), name, round)(array, *args, **kwargs)  # arrays and truths have no `__round__`

    @functools.wraps(model)
    def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        key = (name, _kind(self), *map(_kind, args), *[(word, _kind(value)) for word, value in kwargs.items()])
        if key in _TAKEN:
            return asked(function, model, (self, *args), kwargs)
        error = _form_error(function, self, args, kwargs)
        if error is None:
            _TAKEN.add(key)
        elif unknown_numbers((args, kwargs)) or (type(kwargs.get("out")) is not ArrayProxy and _depends((self, args, kwargs))):
            raise_for_stand_ins(function, (self, *args), kwargs)  # the error may tell data
        elif type(kwargs.get("out")) is not ArrayProxy:
            raise error
        result = asked(function, model, (self, *args), kwargs)  # NumPy's Python writes to `out` before it finds that something does not fit
        if error is not None:
            raise Unsupported("E101", f"a call of {name} that the model takes, and of which NumPy says: {error}") from error
        return result

    call.__name__ = function.__name__ = name
    return call


_TAKEN: set[Any] = set()
"""The forms of method calls that NumPy accepts."""


def _kind(value: Any) -> Any:
    kind = type(value)
    if kind is ArrayProxy or kind is ScalarProxy:
        return kind, value.dtype, value.ndim
    return (kind, *map(_kind, value)) if kind is tuple or kind is list else kind


def _form_error(function: Callable[..., Any], array: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> TypeError | None:
    """NumPy's ``TypeError`` for arguments like these on an array of one element, if any."""
    if handles_files(function) or protocols.may_run_python(args, kwargs) or any(map(is_text_of_data, leaves_of((args, kwargs)))):
        return None  # of a text, which may be the name of a dtype or an order
    seen: dict[int, Any] = {}
    try:
        given = [_small(value, seen) for value in (array, *args)], {word: _small(value, seen) for word, value in kwargs.items()}
    except NoStandIn:
        return None
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(*given[0], **given[1])
        except TypeError as error:
            return error
        except (ValueError, LookupError, ArithmeticError, AttributeError, RuntimeError):
            return None
    return None


def _small(value: Any, seen: dict[int, Any]) -> Any:
    """A stand-in; of one array there is one, ``seen``, as NumPy may crash for two (`out=` beside no
    axes in NumPy 2.4).
    """
    kind = type(value)
    if kind is ArrayProxy:
        if value.dtype.itemsize > _LARGEST:
            raise NoStandIn
        return seen.setdefault(id(value), np.ones((1,) * value.ndim, value.dtype))
    return kind([_small(item, seen) for item in value]) if kind is tuple or kind is list else stand_ins(value)


class NoStandIn(Exception):
    """No stand-in: a class of the program's, an argument used up, or one element too large."""


_LARGEST = 1 << 20  # bytes of an element


def numpys(function: Callable[..., Any], model: Callable[..., Any]) -> Callable[..., Any]:
    """The model of ``function``, with the errors of NumPy."""

    @functools.wraps(model)
    def call(*args: Any, **kwargs: Any) -> Any:
        return asked(function, model, args, kwargs)

    return call


def called(function: Callable[..., Any], model: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Like `asked`, for a function with other parameters than arrays, of kinds NumPy accepts."""
    if _is_unusual(args, kwargs) and function is not np.strings.mod:  # texts say how many values they take, and of which types
        _require_form(function, args, kwargs)
    return asked(function, model, args, kwargs)


_PLAIN = frozenset({ArrayProxy, ScalarProxy, SymInt, SymFloat, SymBool, int, float, complex, bool, str, type(None), type, slice})


def _is_unusual(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether an argument may be of a kind that a parameter accepts no array, list or text for.
    What ``out=`` may be is not settled before the call, which may leave something there.
    """
    for value in (*args[1:], *[value for name, value in kwargs.items() if name != "out"]):
        kind = type(value)
        if (kind is ArrayProxy and value.known and value.ndim < 2) or kind is list or kind is str:
            return all(type(each) in _PLAIN or isinstance(each, (list, tuple, np.generic, np.dtype)) for each in (*args, *kwargs.values()))
    return False


def _require_form(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise NumPy's ``TypeError`` for arguments of these kinds, whatever they hold."""
    key = (function, *map(_kind, args), *[(word, _kind(value)) for word, value in kwargs.items()])
    if key in _TAKEN:
        return
    if _form_error(function, args[0] if args else None, args[1:], kwargs) is None:
        _TAKEN.add(key)
    elif not protocols.may_run_python(args, kwargs):
        raise_for_stand_ins(function, args, kwargs)


def asked(function: Callable[..., Any], model: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of the model of ``function``. If it raises, NumPy decides what is raised.

    Raises ``Unsupported`` (E101) if NumPy accepts the stand-ins of what the model refuses, and
    (E104) if it raises other errors for other data.
    """
    nodes = recorder().graph.nodes
    start = len(nodes)
    try:
        return model(*args, **kwargs)
    except Unsupported as refusal:
        if refusal.code != "E122":
            raise
        if all(map(_is_plain, (*args, *kwargs.values()))):
            return _of_plain(function, args, kwargs, refusal)
        if any(leaf is None for leaf in leaves_of(args)) and all(map(_is_of_numbers, leaves_of((args, kwargs)))):
            raise_for_stand_ins(function, args, kwargs, Exception)  # of numbers and ``None``, Python refuses all or none
        raise
    except (ExportError, FloatingPointError):  # NumPy itself has raised it, of known data
        raise
    except Exception as error:
        require_own(error)
        problem = error
    for node in nodes[start:]:
        node.meta.pop("raises", None)  # what is computed for a call that fails
    recorder().session.fix_sizes(problem, (args, kwargs), functools.partial(_raised_from, function, (args, kwargs), problem))
    if protocols.may_run_python(args, kwargs):
        raise problem
    verdict = _raised(function, args, kwargs, Exception)
    if isinstance(problem, Mistyped):
        raise unheld(function, problem) from problem
    name = getattr(function, "__name__", "NumPy")
    require_meant(problem)
    if verdict is not Verdict.UNKNOWN and isinstance(
        problem, (TypeError, ValueError, LookupError, ArithmeticError)
    ):  # others are defects of ours
        if verdict is Verdict.DEPENDS:
            raise Unsupported("E104", f"data decide what a call of {name} raises, such as: {problem}") from problem
        what = f"a call of {name} that NumPy takes, and of which the model says: {problem}"
        raise Unsupported("E101", what, hint=WRITE_AFTERWARDS if kwargs.get("out") is not None else None) from problem
    raise problem


def unheld(function: Callable[..., Any], problem: Mistyped) -> Unsupported:
    """The refusal of a call with an argument that no node can have."""
    name = getattr(function, "__name__", "NumPy")
    return Unsupported("E101", f"a call of {name} with an argument that no graph holds: {problem}")


def _is_plain(value: Any) -> bool:
    """Whether an argument consists of Python numbers, ``None``, dtypes, and sequences of these."""
    if type(value) in (list, tuple):
        return all(map(_is_plain, value))
    return type(value) in (type(None), bool, int, float, complex, type) or isinstance(value, np.dtype)


def _is_of_numbers(leaf: Any) -> bool:
    """Whether an argument is of numbers; or no object of the program's, whose methods NumPy would
    call.
    """
    return leaf.dtype.kind in "biufc" if isinstance(leaf, (Proxy, np.generic)) else type(leaf) in _PLAIN or isinstance(leaf, np.dtype)


def _of_plain(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], refusal: Unsupported) -> Any:
    """NumPy's result for immutable objects; the refusal if it is of objects, or NumPy warns."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = function(*args, **kwargs)
    if told or not isinstance(result, (bool, int, tuple, np.generic, np.ndarray)):
        raise refusal
    return recorder().known(result)


class Verdict(Enum):
    """What NumPy says of stand-ins."""

    TAKEN = auto()
    DEPENDS = auto()
    """It refuses some of them, or each with another message."""
    UNKNOWN = auto()


def raise_for_stand_ins(function: Callable[..., Any], args: Any, kwargs: Any, kind: Kind = TypeError) -> None:
    """Raise NumPy's error of this kind for arguments of these types and shapes, if any: the same
    one, with the same message, for all data and all numbers that only the data know among
    `EXAMPLES`. A ``TypeError`` may have several, which the program must not ask for.
    """
    _raised(function, args, kwargs, kind)


_MACHINE = range(-(1 << 63), 1 << 63)
"""The integers of 64 bits."""


def require_machine_integers(op: Op, args: Any, kwargs: Any) -> None:
    """Raise what an operator of NumPy raises for an integer beyond 64 bits: where it is recorded,
    so that the program's handlers see it. Rules of shapes and dtypes compute with any integer.
    """
    if op.namespace in ("np", "scipy") and not all(map(_is_machine, leaves_of((*args, *kwargs.values())))):
        raise_for_stand_ins(op.kernel, args, kwargs, Exception)


def _is_machine(leaf: Any) -> bool:
    value = leaf.hint if type(leaf) is SymInt else leaf
    return type(value) is not int or value in _MACHINE


def takes_stand_ins(function: Callable[..., Any], args: Any, kwargs: Any) -> bool | None:
    """Whether a function of C takes arguments of these types, for some data at least; ``None``
    where there are none to ask with. Raises what it raises for all data.
    """
    return None if _raised(function, args, kwargs, Exception) is Verdict.UNKNOWN else True


def _raised(function: Callable[..., Any], args: Any, kwargs: Any, kind: Kind) -> Verdict:
    given = args, kwargs
    found = _said(function, given, EXAMPLES[0])
    if type(found) is NoStandIn or not isinstance(found, kind):
        return Verdict.TAKEN if found is None else Verdict.UNKNOWN
    times = not (function in _ORDERS and any(arg is None for arg in args))  # loops for a greatest time compare one with None at first
    examples = [example for example in EXAMPLES[1:] if times or example.element != -1] if _depends(given) else []
    others = [_said(function, given, example) for example in examples]
    told = all(same_error(found, other) for other in others)
    if not told and (type(found) is not TypeError or any(type(other) is not TypeError for other in others)):
        return Verdict.DEPENDS
    _require_unwritten(function, given)
    try:
        recorder().session.fix_sizes(found, given, functools.partial(_raised_from, function, given, found))
        raise found if told else TypeError(MessageOfData(f"data decide what a TypeError says, such as: {found}"))
    finally:
        del found, others  # which hold this frame


def _require_unwritten(function: Callable[..., Any], given: Any) -> None:
    """Refuses (E101) a call that has written to its ``out=`` before it raises; writes in place
    record what they leave. What is written may be what is there: the call is made twice.
    """
    if given[1].get("out") is not None and any(_writes(function, given, first) for first in (0, 1)):
        name = getattr(function, "__name__", "NumPy")
        hint = "Compute the result first, and then write it: out[...] = result."
        raise Unsupported("E101", f"a call of {name} that writes to memory before it raises", hint=hint)


def _writes(function: Callable[..., Any], given: Any, first: int) -> bool:
    """Whether a call changes the elements of its stand-ins, which count from ``first`` on."""
    memo: dict[int, Any] = {}
    args, kwargs = _stand_in(given, memo, EXAMPLES[1])
    arrays = [value for value in memo.values() if isinstance(value, np.ndarray) and value.flags.writeable]
    for place, array in enumerate(arrays):
        if array.dtype.kind in "biufcmMSU":
            numbers = (np.arange(array.size) + place + first) % (2 if array.dtype.kind == "b" else 8)
            array[...] = numbers.astype(array.dtype).reshape(array.shape)
    before = [array.tobytes() for array in arrays]
    error_of(function, args, kwargs)
    return any(array.tobytes() != data for array, data in zip(arrays, before, strict=True))


def _raised_from(function: Callable[..., Any], given: Any, error: Exception) -> int:
    """The number from which on NumPy raises this error whatever the sizes are: for few elements or
    none it may return early, or complain of the size before it does of types.
    """
    names = sorted({name for size in sizes_of(given) for name in size.expression.symbols})
    for count in reversed(_FEW):
        numbers = [dict.fromkeys(names, count), *[{name: count if name == one else _FEW[-1] + 1 for name in names} for one in names[1:]]]
        for each in numbers:
            found = _said(function, given, EXAMPLES[0]._replace(sizes=each))
            if type(found) is not NoStandIn and not same_error(error, found):
                return count + 1
    return 0


_FEW = (0, 1, 2)
_ORDERS = (operator.lt, operator.le, operator.gt, operator.ge)


def _depends(given: Any) -> bool:
    """Whether anything among the arguments is only known to the data."""
    return unknown_numbers(given) or any(
        isinstance(leaf, Proxy) and not leaf.known or type(leaf) in CONVERSIONS for leaf in leaves_of(given)
    )


_OF_DATA = ("converge", "Singular", "positive definite", "infs")
"""How errors of linear algebra mention elements."""


def _said(function: Callable[..., Any], given: Any, unknown: Example) -> Exception | None:
    """What NumPy raises for stand-ins of these arguments; `NoStandIn` if they have none, or if it
    would read or write a file.
    """
    if handles_files(function):
        return NoStandIn()
    silent: list[Any] = []
    try:
        args, kwargs = _stand_in(map_leaves(given, lambda leaf: silenced(leaf, silent)), {}, unknown)
    except NoStandIn as missing:
        return missing
    error = error_of(function, args, kwargs)
    if is_asked(silent):
        return NoStandIn()
    if isinstance(error, np.linalg.LinAlgError) and any(text in str(error) for text in _OF_DATA):  # of zeros, not of shapes
        return NoStandIn()
    # code of the program's gave C what stands for an array
    unasked = str(error) == NO_ARRAY or (isinstance(error, Unsupported) and error.code == "E101")
    return NoStandIn() if unasked else error


def stand_ins(value: Any) -> Any:
    """The value with zeros for unknown data. Raises `NoStandIn`."""
    return _stand_in(value, {}, EXAMPLES[0])


def _stand_in(value: Any, memo: dict[int, Any], unknown: Example) -> Any:
    return map_leaves(value, lambda leaf: _leaf(leaf, memo, unknown))


def _leaf(value: Any, memo: dict[int, Any], unknown: Example) -> Any:
    kind = type(value)
    if kind is ArrayProxy:
        found = memo.get(id(value))
        if found is None:
            found = memo[id(value)] = _array(value, unknown)
        return found
    if kind is ScalarProxy:
        return _filled(np.zeros((), value.dtype), unknown)[()]
    if kind is SymInt or kind is SymFloat or kind is SymBool:
        return _number(value, unknown)
    if kind in CONVERSIONS:
        return CONVERSIONS[kind](lambda array: _leaf(array, memo, unknown), value)
    if kind in _COLLECTIONS:
        return _COLLECTIONS[kind](value, lambda item: _stand_in(item, memo, unknown))
    if kind in NATIVE_TYPES or kind is types.FunctionType or hasattr(kind, "__next__") or converts_itself(value):
        raise NoStandIn
    return value


def _number(value: Any, unknown: Example) -> Any:
    """The number that stands for a size. Raises `NoStandIn` where the sizes asked for are none that
    it can have.
    """
    if unknown.sizes is None or not isinstance(value, (SymInt, SymFloat, SymBool)):
        return example(value, unknown.number)
    try:
        number = evaluate(value.expression, unknown.sizes)
    except (KeyError, ArithmeticError, ValueError):
        raise NoStandIn from None
    if type(value) is SymInt:
        interval = value.env.facts.bounds(value.expression)
        if not interval.lower <= number <= interval.upper:
            raise NoStandIn
    return number


_COLLECTIONS: dict[type, Callable[[Any, Callable[[Any], Any]], Any]] = {
    type({}.values()): lambda values, of: dict(enumerate(map(of, values))).values(),
    type({}.items()): lambda items, of: {key: of(value) for key, value in items}.items(),
    deque: lambda items, of: deque(map(of, items)),
}
"""How stand-ins are made of collections that are not arguments of operators."""


def _array(proxy: ArrayProxy, unknown: Example) -> Any:
    """An array of the same shape, dtype, flags and layout; with the data of one that is known."""
    array: Any
    if proxy.known:
        array = proxy.array.copy(order="K")  # type: ignore[union-attr]
    else:
        shape = tuple([_number(size, unknown) for size in proxy.shape])
        if math.prod(shape) * proxy.itemsize > _BYTES:
            raise NoStandIn
        if all(type(size) is int for size in (*proxy.storage.meta.shape, *proxy.shape)):
            array = alike(mirror(proxy.storage, proxy.link), True)
        else:
            array = laid_out(shape, proxy.dtype, proxy.storage.layout.order if proxy.link is None else None, np.zeros)
        array = _filled(array, unknown)
    array.flags.writeable = proxy.writeable
    return array


def _filled(array: Any, unknown: Example) -> Any:
    """A new array of zeros with the elements of the example; large ones keep their zeros."""
    if unknown.element is not None and array.dtype.kind in "biufcmMSU" and array.nbytes <= _LARGEST:
        element = max(unknown.element, 0) if array.dtype.kind in "bu" else unknown.element
        if array.dtype.kind in "mM":
            array[...] = np.array(element if element > 0 else NOT_A_TIME).view(array.dtype.newbyteorder("="))
        else:
            array[...] = str(element) * element if array.dtype.kind in "SU" else element
    return array
