"""C functions applied to numbers that are Python's or NumPy's, as the data decide: they get the
NumPy scalar if they return the same for both kinds.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.ops.number_kinds import KINDS
from npexport.ir.ops.python_numbers import OPERATION
from npexport.symshapes.symint import is_symbolic, python_type
from npexport.tracer.arrays.core.mixed import Divided, Mixed, as_written
from npexport.tracer.arrays.core.proxy import Proxy, ScalarProxy
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.polyfills import kinds
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.numbers import complex_numbers, texts
from npexport.tracer.models.polyfills import numbers
from npexport.tracer.models.registry import DECLINED, models

ANYHOW, BY_DTYPE, AS_ITEMS, NEVER = "anyhow", "by dtype", "as items", "never"
_BUILTINS = {
    ANYHOW: (float, int, bool, *OPERATION),
    NEVER: (sum, round, pow, divmod, isinstance, hash, id, repr, str, format, print, complex),
}
_OF_NUMPY = {
    ANYHOW: "isscalar float64 int64 bool_ shape ndim size",
    BY_DTYPE: "array asarray asanyarray stack hstack vstack column_stack concatenate append where full isclose allclose dot clip sum mean "
    "max min prod round outer linspace interp array_equal tile repeat ravel atleast_1d",
    AS_ITEMS: "argmin argmax argsort sort median average std var ptp nanmin nanmax nansum nanmean nanargmin nanargmax cumsum "
    "cumprod diff unique percentile quantile any all count_nonzero nonzero flatnonzero searchsorted digitize histogram trapezoid gradient "
    "convolve polyval",
}
TAKES = {fn: how for how, functions in _BUILTINS.items() for fn in functions}
TAKES |= {getattr(np, name): how for how, names in _OF_NUMPY.items() for name in names.split()}
"""Which functions make the same of both kinds: those that always do, those that do beside arrays
that leave the dtype of either kind as it is, those that make arrays of sequences first, and those
that never do."""
MOST_MIXED = 3
"""Of how many numbers of either kind a sum is taken: the branches are two to this power."""
_MAKING = (np.array, np.asarray, np.asanyarray)
_WIDEST = (np.dtype(np.float64), np.dtype(np.complex128))
_PYTHONS = (int, bool, float, complex)
_KEEPING = frozenset({"out", "dtype", "where", "casting", "order", "subok"})


def call(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of C: on scalars if it returns the same for both kinds, otherwise on each side of a
    branch on the kind of the number.
    """
    try:
        return world.call_model(vm, fn, *given(fn, args, kwargs))
    except Divided as refusal:
        number = refusal.number
        places = tuple([place for place, value in enumerate(args) if value is number])
        if number is None or not world.captures:
            raise
        if fn is sum and not places and _is_short(args[0]):  # of Python's floats alone it corrects for what rounding loses
            return Invoke(kinds.sum_of_either_kind, (number.python, number.kind, number.scalar, number, *args), kwargs)
        if not places or not _computes(fn):
            raise
        return Invoke(kinds.of_either_kind, (number.python, number.kind, number.scalar, fn, args, places, kwargs))


def _is_short(values: Any) -> bool:
    """Whether so few numbers are either kind's that there may be a branch for every one."""
    return type(values) in (list, tuple) and len({id(value) for value in values if type(value) is Mixed}) <= MOST_MIXED


def _computes(fn: Any) -> bool:
    """Whether a function returns numbers and arrays for numbers."""
    if fn in (np.result_type, np.min_scalar_type, np.can_cast):
        return False
    return _is_numpys(fn) or getattr(fn, "__module__", None) == "_operator" or fn in (round, pow, divmod, abs)


def given(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call of C, with scalars in place of mixed numbers.

    Raises ``Unsupported`` (E103) if the kinds of number would make a difference. Containers take
    the numbers as they are.
    """
    args, kwargs = complex_numbers.given(fn, *texts.given(fn, args, kwargs))
    found, dtypes = _numbers((*args, *kwargs.values()))
    if not found:
        return args, kwargs
    shown = f"`{getattr(fn, '__qualname__', None) or type(fn).__qualname__}`"
    takes = TAKES.get(fn) if fn.__hash__ is not None else None
    if takes == BY_DTYPE and _holds_either(fn, args, kwargs, found):
        takes = ANYHOW
    if fn is range:  # NumPy's integers are bounds, its truths and floats are none
        return tuple([arg.place() if type(arg) is Mixed else arg for arg in args]), kwargs
    if fn is isinstance and type(args[0]) is Mixed:
        return (_example(*args), args[1]), kwargs
    if fn in (str, format) and type(args[0]) is Mixed and as_written(args[0]) is not args[0]:
        return (as_written(args[0]), *args[1:]), kwargs
    if takes == ANYHOW or (takes == AS_ITEMS and _are_items(args, kwargs, found)):
        dtypes = []
    elif (isinstance(fn, np.ufunc) or takes == BY_DTYPE) and not _KEEPING & kwargs.keys():
        if fn is np.where:  # the condition leaves the dtype of the result alone
            dtypes = _numbers(args[1:])[1]
        _require_one_dtype(fn, args, found, dtypes, shown)
    elif takes in (NEVER, AS_ITEMS) or _is_numpys(fn):
        found[0].refuse(shown)
    else:
        return args, kwargs
    replace = functools.partial(complex_numbers.replaced, kind=Mixed, dtypes=dtypes, shown=shown)
    return tuple(map(replace, args)), {name: replace(arg) for name, arg in kwargs.items()}


def _holds_either(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], found: list[Mixed]) -> bool:
    """Whether an array is made whose dtype is given, and holds the value of either kind: Python's
    integers become floats of 64 bits before they become others.
    """
    dtype = kwargs.get("dtype", args[1] if len(args) > 1 else None)
    if fn not in _MAKING or dtype is None:
        return False
    return np.dtype(dtype).kind in "fc" and (np.dtype(dtype) in _WIDEST or all(number.scalar.dtype == np.float64 for number in found))


def _are_items(args: tuple[Any, ...], kwargs: dict[str, Any], found: list[Mixed]) -> bool:
    """Whether all these numbers stand in sequences, of which arrays are made, and have as scalars
    the dtype that Python's numbers get there.
    """
    alone = any(type(value) is Mixed for value in (*args, *kwargs.values()))
    return not alone and all(number.scalar.dtype == np.dtype(number.kind) for number in found)


def _example(number: Mixed, cls: Any) -> Any:
    """A Python number that is an instance of the same classes as the mixed one."""
    if isinstance(number.kind(0), cls) is not isinstance(number.scalar.dtype.type(0), cls):
        number.refuse("what it is an instance of")
    return number.kind(0)


def _require_one_dtype(fn: Any, args: tuple[Any, ...], found: list[Mixed], dtypes: list[np.dtype[Any]], shown: str) -> None:
    """Refuse a call that would compute in another dtype, or by another rule, for the other kind."""
    if isinstance(fn, np.ufunc) and (len(args) > fn.nin or fn is np.power or fn is np.float_power):
        found[0].refuse(shown)
    for number in found:
        if number.kind is int and number.scalar.dtype == np.float64 and not {*map(np.dtype, ("f8", "c16"))} & {*dtypes}:
            number.refuse(shown)


def _is_numpys(fn: Any) -> bool:
    """Whether a callable computes with numbers by rules other than those of Python's operators."""
    module = str(getattr(fn, "__module__", None)).split(".")[0]
    of_number = isinstance(getattr(fn, "__self__", None), (Proxy, int, float, complex)) or getattr(fn, "__objclass__", None) in _PYTHONS
    return of_number or isinstance(fn, np.ufunc) or module in ("numpy", "math")


def _numbers(values: Iterable[Any]) -> tuple[list[Mixed], list[np.dtype[Any]]]:
    """The mixed numbers among arguments, and the dtypes of the arrays and scalars beside them."""
    inside = list(complex_numbers.within(values))
    found = [value for value in inside if type(value) is Mixed]
    return found, [value.dtype for value in inside if type(value) is not Mixed and isinstance(value, (np.ndarray, np.generic))]


@models("npexport.runtime.kernels.number_kinds", "mixed_number")
def mixed_number(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A result of a captured program that is called inside another one."""
    kind, python, number = args
    if type(number) is not ScalarProxy or not is_symbolic(python):
        return fn(*args)
    world.mixes = True
    return Mixed(next(cls for cls in KINDS if cls.__name__ == kind), python, number, "a number that a program gives")


@models("npexport.runtime.kernels.number_kinds", "mixed_operator")
def mixed_operator(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    name, python, numbers = args
    return world.recorder.call(ops.py.mixed_operator, name, tuple(python), tuple(numbers))


@models("math", "dist")
def distance(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """C takes the coordinates for floats that are known."""
    points = [list(point) if type(point) in (list, tuple) else [point] for point in args]
    if len(args) != 2 or kwargs or not world.captures or not all(_is_real(value) for point in points for value in point):
        return DECLINED
    return Invoke(numbers.distance, args)


def _is_real(value: Any) -> bool:
    """Whether it is a real number, or an array of them, as C makes a float of."""
    return value.dtype.kind in "biuf" if isinstance(value, Proxy) else python_type(value) in (int, float, bool)
