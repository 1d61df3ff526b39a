"""What C functions do with Python complex numbers of data: ``complex``, ``cmath``, and NumPy's
functions.
"""

from __future__ import annotations

import cmath
import functools
import math
import operator
import pickle
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.ir.arguments import leaves_of, map_leaves
from npexport.ir.ops.complex_numbers import FLOATS, PAIRS, TRUTHS
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_float
from npexport.symshapes.symint import is_symbolic, python_type
from npexport.tracer.arrays.core import complexes
from npexport.tracer.arrays.core.complexes import Complex, is_complex
from npexport.tracer.arrays.core.numpy_oracle import NoStandIn, stand_ins
from npexport.tracer.arrays.core.proxy import ArrayProxy, Proxy, ScalarProxy, as_number, convert_stand_in
from npexport.tracer.bytecode.host import SUMS_OF_ALL_ARE_COMPENSATED
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.models.host_calls import run
from npexport.tracer.models.registry import models

_NUMBERS = (bool, int, float, complex)
_NUMBER = 1.0 + 2.0j
_DEPTH = 3
"""How deep containers are searched for such numbers: one that is deeper refuses whatever C asks of
it. A list may contain itself.
"""


def given(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call of C, with NumPy scalars in place of complex numbers of data if it is
    a NumPy function.

    Raises ``Unsupported`` (E104) if C would read a number itself that not sizes alone tell.
    Containers take the numbers as they are.
    """
    found = [value for value in within((*args, *kwargs.values())) if type(value) is Complex]
    if not found:
        return args, kwargs
    try:
        return _given(fn, args, kwargs, found)
    except Unsupported:
        if not all(value.is_of_sizes for value in found):
            raise
        args, kwargs = map_leaves((args, kwargs), lambda leaf: leaf.constant() if type(leaf) is Complex else leaf)
        return args, kwargs


def _given(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], found: list[Complex]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if fn in (operator.eq, operator.ne) and type(args[0]) is np.float64:  # whose own comparison comes first
        return (args[0], found[0].operand(args[0], fn.__name__)), kwargs
    module = str(getattr(fn, "__module__", None)).split(".")[0]
    shown = f"`{getattr(fn, '__qualname__', None) or type(fn).__qualname__}` reads it"
    if module == "math" and fn is not math.prod:
        fn(*[1j if type(arg) is Complex else 1.0 for arg in args])  # raises where it takes no complex numbers
        found[0].refuse(shown)
    corrects = SUMS_OF_ALL_ARE_COMPENSATED or any(map(_is_float, within(args)))
    if fn is sum and corrects and type(args[0]) in (list, tuple) and not complexes.are_summed_as_complex(*args, **kwargs):
        found[0].refuse("`sum` adds floats in a way of its own before it comes to complex numbers")
    if _is_method_of_complex(fn):
        found[0].refuse(shown)
    weak = (isinstance(fn, np.ufunc) and len(args) <= fn.nin) or fn is np.where or is_clip(fn, args)
    if not weak and not _is_numpys(fn, module):
        return args, kwargs
    values = args[1:] if fn is np.where else args
    dtypes = [value.dtype for value in values if isinstance(value, (np.ndarray, np.generic))] if weak else []
    if (kwargs or not weak) and not _computes_alike(fn, args, kwargs, dtypes):
        found[0].refuse(shown)
    replace = functools.partial(replaced, kind=Complex, dtypes=dtypes, shown=shown)
    return tuple(map(replace, args)), {name: replace(arg) for name, arg in kwargs.items()}


def _computes_alike(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], dtypes: list[np.dtype[Any]]) -> bool:
    """Whether NumPy makes the same of a Python complex number as of its own scalar: it is asked, of
    stand-ins.
    """
    outcome = _outcome(fn, args, kwargs, _NUMBER)
    return outcome is not None and outcome == _outcome(fn, args, kwargs, np.result_type(*dtypes, 1j).type(_NUMBER))


def _outcome(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], number: Any) -> bytes | None:
    """What NumPy returns and writes for stand-ins, with this number for complex ones; ``None``
    if it raises, or there are no stand-ins.
    """
    owner = getattr(fn, "__self__", None)
    operands = (owner, *args) if isinstance(owner, Proxy) else args
    given = map_leaves((operands, kwargs), lambda leaf: number if type(leaf) is Complex else leaf)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            operands, options = stand_ins(given)
            if isinstance(owner, Proxy):
                result = getattr(operands[0], fn.__name__)(*operands[1:], **options)
            else:
                result = fn(*operands, **options)
        except (NoStandIn, TypeError, ValueError, LookupError, ArithmeticError, AttributeError):
            return None
    try:
        return pickle.dumps((result, [leaf for leaf in leaves_of((operands, options)) if isinstance(leaf, np.ndarray)]))
    except TypeError:  # an iterator, or another object of C
        return None


def is_clip(fn: Any, args: tuple[Any, ...]) -> bool:
    """Whether a call is of the one method whose result has the dtype of all operands."""
    return getattr(fn, "__name__", None) == "clip" and bool(args) and isinstance(args[0], Proxy)


def _is_numpys(fn: Any, module: str) -> bool:
    return module == "numpy" or isinstance(fn, np.ufunc) or isinstance(getattr(fn, "__self__", None), Proxy)


def _is_method_of_complex(fn: Any) -> bool:
    return complex in (getattr(fn, "__objclass__", None), type(getattr(fn, "__self__", None)), getattr(fn, "__self__", None))


def _is_float(value: Any) -> bool:
    return type(value) is not Complex and python_type(value) is float


def within(values: Any, depth: int = _DEPTH) -> Iterator[Any]:
    """The values, and those in containers among them."""
    for value in values:
        yield value
        if depth and type(value) in (tuple, list, dict):
            yield from within(value.values() if type(value) is dict else value, depth - 1)


def replaced(value: Any, kind: type, dtypes: list[np.dtype[Any]], shown: str, depth: int = _DEPTH) -> Any:
    """The value with NumPy scalars, of a dtype that goes with these dtypes, in place of the numbers
    of a kind. In sequences, of which NumPy makes arrays first, they have the dtype of their own.
    """
    if type(value) is kind:
        return value.beside(dtypes, shown)  # type: ignore[attr-defined]
    if depth and type(value) in (tuple, list):
        items = [replaced(item, kind, [], shown, depth - 1) for item in value]
        return type(value)(items) if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return value


def _is_told_at_run_time(value: Any) -> bool:
    """Whether a value is a number that only data or sizes tell."""
    if type(value) in (ArrayProxy, ScalarProxy):
        return not value.known and value.dtype.kind in "biufc"
    return type(value) is Complex or is_symbolic(value)


def _python(value: Any) -> Any:
    """A Python number as C converts a value to one."""
    if type(value) not in (ArrayProxy, ScalarProxy) or value.known:
        return value
    convert_stand_in(complex, value)
    return complexes.of_proxy(value) if value.dtype.kind == "c" else sym_float(as_number(value, "complex()"))


@models("builtins", "complex", pure=True, asks=True)
def complex_(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``complex(x, y)`` of numbers that only the data know."""
    if not any(map(_is_told_at_run_time, (*args, *kwargs.values()))):
        return run(world, vm, fn, args, kwargs)
    if len(args) > 2 or kwargs.keys() - {"real", "imag"} or (args and "real" in kwargs) or (len(args) > 1 and "imag" in kwargs):
        return fn(*[1.0 for _ in args], **dict.fromkeys(kwargs, 1.0))  # raises
    real = args[0] if args else kwargs.get("real", 0.0)
    rest = [*args[1:], *([kwargs["imag"]] if "imag" in kwargs else [])]
    numbers = [_python(number) for number in (real, *rest)]
    if any(not (is_complex(number) or python_type(number) in (bool, int, float)) for number in numbers):
        return run(world, vm, fn, args, kwargs)
    if len(numbers) == 1 and is_complex(numbers[0]):
        return numbers[0]
    if any(map(is_complex, numbers)):
        return complexes.computed("complex", *numbers)
    return complexes.number(*map(sym_float, (*numbers, 0.0)[:2]))


OPERATIONS: dict[Any, tuple[Any, str]] = {
    getattr(cmath, name): (compute, name)
    for table, compute in ((PAIRS, complexes.computed), (FLOATS, complexes.floating), (TRUTHS, complexes.truth))
    for name in table
    if hasattr(cmath, name)
}
OPERATIONS[cmath.polar] = complexes.pair, "polar"


@models("cmath", *[fn.__name__ for fn in OPERATIONS], pure=True)
def cmath_(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A ``cmath`` function: for numbers that only the data know, Python computes it at run time."""
    if not any(map(_is_told_at_run_time, (*args, *kwargs.values()))):
        return run(world, vm, fn, args, kwargs)
    numbers = [_python(number) for number in args]
    kinds = [complex if is_complex(number) else python_type(number) for number in numbers]
    if any(map(_makes_number, kinds)):
        return run(world, vm, fn, args, kwargs)
    if kwargs or any(kind not in _NUMBERS for kind in kinds) or not _fits(fn, kinds):
        raise_of(fn, kinds, kwargs)
    compute, name = OPERATIONS[fn]
    return compute(name, *numbers)


def _makes_number(kind: type) -> bool:
    """Whether C asks objects of a type for a number."""
    return kind not in _NUMBERS and any(hasattr(kind, name) for name in ("__complex__", "__float__", "__index__"))


def _fits(fn: Any, kinds: list[Any]) -> bool:
    if fn is cmath.rect:
        return len(kinds) == 2 and complex not in kinds
    return len(kinds) in ((1, 2) if fn is cmath.log else (2,) if fn is cmath.isclose else (1,))


def raise_of(fn: Any, kinds: list[Any], kwargs: dict[str, Any]) -> None:
    """Raise what Python raises for arguments of these types; a refusal if that is unknown."""
    fn(
        *[
            kind(1) if kind in (bool, int, float, complex) else kind() if kind in (type(None), list, tuple, dict, bytes) else ""
            for kind in kinds
        ]
    )
    Complex(0.0, 0.0).refuse(f"`cmath.{fn.__name__}` is called with options" if kwargs else f"`cmath.{fn.__name__}` reads it")
