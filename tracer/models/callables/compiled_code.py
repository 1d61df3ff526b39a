"""What ``export(strict=False)`` makes of compiled code that gets arrays: Cython, mypyc, C that
calls NumPy as Python does.

Laws:

1. It runs on proxies. Functions, operators and methods of NumPy that it calls are recorded, also
   those that make arrays of none (`np.zeros`, `np.array`), where it finds them in its names.
2. Whatever asks for data or for memory is refused. So is what gives something else for arrays than
   for what stands for them, as code may that asks for the exact type: the call is made once more
   with copies of the example's data, and results, exceptions and what is written to arguments are
   compared with those of the recorded operators, to the bit.
3. What it changes in objects that it finds outside is put back, and refused.
4. What it prints is printed once: what it prints for proxies.
"""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from npexport.ir.meta import content
from npexport.symshapes.errors import MADE, ExportError, Unsupported
from npexport.symshapes.interrupts import require_own
from npexport.symshapes.symint import is_symbolic
from npexport.tracer.arrays.core.current import CURRENT
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.effects.policy import ATOMS
from npexport.tracer.effects.streams import written_in_c
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.models.callables.numpy_makers import call, makers_recorded, uses_c_of_numpy
from npexport.tracer.models.callables.outside_state import OutsideState
from npexport.tracer.models.host_calls import answering
from npexport.tracer.models.specialization import plain

_PROXIES = (ArrayProxy, ScalarProxy)


def recorded(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of compiled code for what stands for arrays.

    Raises ``Unsupported`` (E101, E112), or what the code raises for arrays, too.
    """
    shown = getattr(fn, "__qualname__", None) or type(fn).__qualname__
    owner = fn if getattr(fn, "__self__", None) is None or isinstance(fn.__self__, types.ModuleType) else fn.__self__
    given = owner, *plain((args, kwargs), f"`{shown}` is compiled, and reads its value")
    example = _Example(world)
    try:
        real = example.of(given)
    except Exception as error:
        require_own(error)
        raise Unsupported("E101", f"`{shown}` {_NO_EXAMPLE}") from error
    roots = [mine for mine, theirs in zip(_each(given), _each(real), strict=True) if mine is theirs]
    outside = OutsideState(roots, _modules(fn, *_each(given)))
    value, problem = _outcome(lambda: _recording(world, fn, given[1], given[2]))
    changed = outside.put_back()
    if isinstance(problem, ExportError):
        raise problem
    called = fn if real[0] is given[0] else real[0] if owner is fn else _of(real[0], fn)
    expected, raised = _outcome(lambda: _plain_call(called, real[1], real[2]))
    changed = outside.put_back() or changed
    if changed is not None:
        raise Unsupported("E112", f"`{shown}` is compiled, and writes to {changed}", hint=_STATE)
    if problem is not None and type(problem) is type(raised) and str(problem) == str(raised):
        raise problem
    if problem is not None or raised is not None or not example.is_of((given, value), (real, expected)):
        why = f": {problem}" if problem is not None else ""
        raise Unsupported("E101", f"`{shown}` is compiled, and does something else for arrays than for what stands for them{why}") from None
    return _as_the_programs(world, outside, value, f"result of {shown}")


_NO_EXAMPLE = "is compiled, and gets what has no data of the example: a generator, or a number that a loop or a branch on data computes"
_STATE = "Pass what it writes to as an argument, or keep it in a class of Python."


def _as_the_programs(world: ShadowedWorld, outside: OutsideState, value: Any, origin: str) -> Any:
    """The result with arrays of the program in place of NumPy's own, or with those from outside."""
    if issubclass(type(value), np.ndarray):
        root = value
        while isinstance(root.base, np.ndarray):
            root = root.base
        return world.enter(value, origin) if outside.holds(root) or outside.holds(value) else world.recorder.known(value)
    if type(value) is tuple:
        return tuple([_as_the_programs(world, outside, item, origin) for item in value])
    items: Any = enumerate(value) if type(value) is list else value.items() if type(value) is dict else ()
    for key, item in list(items):
        if issubclass(type(item), (np.ndarray, tuple, list, dict)):
            value[key] = _as_the_programs(world, outside, item, origin)
    return value


def reads_memory(fn: Any) -> bool:
    """Whether it may take proxies for arrays without asking."""
    return any(map(uses_c_of_numpy, _modules(fn, getattr(fn, "__self__", None))))


def _modules(fn: Any, *given: Any) -> set[str]:
    """The names of the modules of a callable, and of the classes of what it is given."""
    found = (fn, getattr(fn, "__objclass__", None), *map(type, given))
    return {name for each in found if isinstance(name := getattr(each, "__module__", None), str)}


def _of(owner: Any, fn: Any) -> Any:
    """The same method of another object."""
    function = getattr(fn, "__func__", None)
    return getattr(owner, fn.__name__) if function is None else types.MethodType(function, owner)


def _each(given: tuple[Any, ...]) -> Iterator[Any]:
    return iter((given[0], *given[1], *given[2].values()))


def _outcome(run: Callable[[], Any]) -> tuple[Any, Exception | None]:
    try:
        return run(), None
    except Exception as error:
        require_own(error)
        return None, error


def _recording(world: ShadowedWorld, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    with makers_recorded(), written_in_c(world):
        return answering(world, fn, call, (fn, args, kwargs), {})


def _plain_call(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result for data: nothing of the export is there to be met."""
    tokens = CURRENT.set(None), MADE.set(None)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"), written_in_c(None):
            warnings.simplefilter("ignore")
            return fn(*args, **kwargs)
    finally:
        CURRENT.reset(tokens[0])
        MADE.reset(tokens[1])


class _Example:
    """What the example's data make of a program's values."""

    def __init__(self, world: ShadowedWorld) -> None:
        self._operand, self._twins = world.values.operand, world.values.twins
        self._generators = world.recorder.generators
        self._copies: dict[int, Any] = {}
        self._met: set[tuple[int, int]] = set()

    def of(self, value: Any) -> Any:
        """A copy of the value, with data; objects of classes of C are themselves, or their
        twins.
        """
        if id(value) not in self._copies:
            copy = self._copied(value)
            if type(value) in ATOMS or type(value) is tuple:
                return copy
            self._copies[id(value)] = copy
        return self._copies[id(value)]

    def _copied(self, value: Any) -> Any:
        kind = type(value)
        if kind in _PROXIES or is_symbolic(value):
            return self._data_of(value)
        if id(value) in self._generators:
            raise LookupError("a generator of the program")
        if id(value) in self._twins:
            return self._twins[id(value)][1]
        if kind is tuple:
            return tuple(map(self.of, value))
        if kind not in _CONTAINERS and (isinstance(value, _NOT_COPIED) or not hasattr(value, "__dict__")):
            return value
        try:
            copy: Any = kind() if kind in _CONTAINERS else object.__new__(kind)
        except TypeError:  # of a class of C
            return value
        self._copies[id(value)] = copy
        if kind is list:
            copy.extend(map(self.of, value))
        elif kind is set:
            copy.update(value)
        else:
            into, items = (copy, value) if kind is dict else (vars(copy), vars(value))
            into.update({key: self.of(item) for key, item in items.items()})
        return copy

    def _data_of(self, value: Any) -> Any:
        array: Any = value.array if type(value) is ArrayProxy and value.known else None
        return self._operand(value) if array is None else array.copy()

    def is_of(self, value: Any, real: Any) -> bool:
        """Whether ``real`` is the value for the example's data."""
        kind = type(value)
        if self._copies.get(id(value), real) is not real or (id(value), id(real)) in self._met:
            return (id(value), id(real)) in self._met
        if kind in _PROXIES:
            expected = np.ndarray if kind is ArrayProxy else value.dtype.type
            return type(real) is expected and _same(self._data_of(value), real)
        if is_symbolic(value):
            return type(real) in (int, float, bool) and bool(self._operand(value) == real)
        if kind is not type(real):
            return False
        if kind in (tuple, list):
            return len(value) == len(real) and all(map(self.is_of, value, real))
        if kind is dict:
            return [*value] == [*real] and all(map(self.is_of, value.values(), real.values()))
        return value is real or self._is_alike(value, real)

    def _is_alike(self, value: Any, real: Any) -> bool:
        """The same of other objects of one class; those of classes of C become twins."""
        if isinstance(value, (np.ndarray, np.generic)):
            return _same(value, real)
        if type(value) in (float, complex):
            return repr(value) == repr(real)
        if isinstance(value, _COMPARED):
            return bool(value == real)
        if isinstance(value, _NOT_COPIED):
            return False
        if not hasattr(value, "__dict__"):
            return self._twins.setdefault(id(value), (value, real))[1] is real
        self._met.add((id(value), id(real)))
        return self.is_of(vars(value), vars(real))


_CONTAINERS = frozenset({list, dict, set})
_COMPARED = (int, str, bytes, set, frozenset, slice, range, np.dtype)
_NOT_COPIED = (type, types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinFunctionType, np.ndarray, np.generic, *_COMPARED)


def _same(one: Any, other: Any) -> bool:
    same: bool = one.dtype == other.dtype and one.shape == other.shape and content(one) == content(other)
    return same
