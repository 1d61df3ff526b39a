"""What builtins, ``math`` and NumPy scalars mean for dynamic sizes: `npexport.symshapes.functions` answers where an argument is one."""

from __future__ import annotations

import _abc
from typing import Any

import numpy as np

from npexport.symshapes.functions import MODELS
from npexport.symshapes.symint import SymBool, SymFloat, SymInt, python_type
from npexport.symshapes.symrange import SymRange, sym_range
from npexport.tracer.interpreter.native import NATIVE_TYPES

SYMBOLIC = frozenset({SymInt, SymBool, SymFloat})
NATIVE_TYPES.update((*SYMBOLIC, SymRange))

UFUNCS = {
    "fadd": np.add, "fsub": np.subtract, "fmul": np.multiply, "fdiv": np.true_divide, "ffloordiv": np.floor_divide, "fmod": np.remainder,
    "fpow": np.power,
}  # fmt: skip
"""What an operator between a NumPy scalar and a size means: the size is a weak Python number."""


def has_sizes(args: tuple[Any, ...]) -> bool:
    """Whether an argument, or an item of a list or tuple among the arguments, is a size."""
    for arg in args:
        kind = type(arg)
        if kind in SYMBOLIC or (kind in (list, tuple) and not SYMBOLIC.isdisjoint(map(type, arg))):
            return True
    return False


def sized(fn: Any, model: Any) -> Any:
    """The model of ``fn`` that knows sizes; ``model`` where ``fn`` means nothing special for them."""
    if fn in _INSTANCE:
        return _isinstance(model, _INSTANCE[fn])
    function = sym_range if fn is range else MODELS.get(fn)
    if function is None:
        return model

    def choose(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if has_sizes(args) and kwargs.get("key") is None:
            return function(*args, **kwargs)
        return model(world, vm, fn, args, kwargs)

    return choose


_INSTANCE = {isinstance: 0, _abc._abc_instancecheck: 1}
"""Functions that ask for the type of an argument, and its position."""


def _isinstance(model: Any, at: int) -> Any:
    """A size is an ``int``, a truth about sizes a ``bool``, a float of sizes a ``float``."""

    def choose(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if len(args) > at and type(args[at]) in SYMBOLIC:
            args = (*args[:at], python_type(args[at])(), *args[at + 1 :])
        return model(world, vm, fn, args, kwargs)

    return choose


def foreign(world: Any, vm: Any) -> Any:
    """What ``ShapeEnv.foreign`` is while tracing."""
    return lambda op, a, b: world.call_native(vm, UFUNCS[op], (a, b), {}) if op in UFUNCS else NotImplemented
