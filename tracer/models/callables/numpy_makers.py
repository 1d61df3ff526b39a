"""The functions of NumPy that make arrays and ask no argument what to do, as compiled code finds
them while it runs on proxies (:mod:`compiled_code`): their models stand in the names of its module.

Nobody else sees them, and other threads that run the module get arrays. A module that uses NumPy's
interface of C takes for granted that they are arrays: it is never run on proxies.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from typing import Any

import numpy as np

from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.models.registry import OF_NUMPY

_FUNCTIONS = (types.BuiltinFunctionType, types.FunctionType)
_API = b"_ARRAY_API"
"""The name under which NumPy gives its interface of C."""


@functools.lru_cache(maxsize=1024)
def uses_c_of_numpy(module: str) -> bool:
    """Whether a compiled module can read the memory of arrays without asking."""
    spec = getattr(sys.modules.get(module), "__spec__", None)
    return type(getattr(spec, "loader", None)) is ExtensionFileLoader and _API in Path(spec.origin).read_bytes()  # type: ignore[union-attr]


def call(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The frame from which compiled code is called."""
    return fn(*args, **kwargs)


def _maker(original: Any) -> Any:
    def maker(*args: Any, **kwargs: Any) -> Any:
        if sys._getframe(1).f_code is not call.__code__:  # of another thread
            return original(*args, **kwargs)
        made = recorder().session.invoke(original, args, kwargs)
        return _Generator(made) if isinstance(made, np.random.Generator) else made

    return maker


class _Generator:
    """A generator that compiled code has made with a seed: its draws are recorded."""

    __slots__ = ("_generator",)

    def __init__(self, generator: Any) -> None:
        self._generator = generator

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._generator, name)
        if not callable(method):
            raise Unsupported("E101", f"compiled code reads `{name}` of a generator")
        return lambda *args, **kwargs: recorder().session.invoke(method, args, kwargs)


class _Namespace(types.ModuleType):
    """A module with other values under some names."""

    def __init__(self, module: types.ModuleType, instead: dict[str, Any]) -> None:
        super().__init__(module.__name__)
        self.__dict__.update(instead, __getattr__=functools.partial(getattr, module))


@functools.cache
def _instead() -> dict[int, Any]:
    """What stands in the names of a module for NumPy and its functions, by identity."""
    functions = {name: fn for name, fn in vars(np).items() if isinstance(fn, _FUNCTIONS) and fn in OF_NUMPY}
    makers: dict[str, Any] = {name: _maker(fn) for name, fn in functions.items()}
    random = _Namespace(np.random, {"default_rng": _maker(np.random.default_rng)})
    found = {id(fn): makers[name] for name, fn in functions.items()}
    return found | {id(np.random): random, id(np): _Namespace(np, {**makers, "random": random})}


@contextmanager
def makers_recorded() -> Iterator[None]:
    """Compiled code that is called within it by `call` finds the models."""
    instead, written = _instead(), list[tuple[dict[str, Any], str, Any]]()
    try:
        for name, module in list(sys.modules.items()):
            if type(getattr(getattr(module, "__spec__", None), "loader", None)) is ExtensionFileLoader and not uses_c_of_numpy(name):
                names = vars(module)
                for key, value in list(names.items()):
                    if id(value) in instead:
                        written.append((names, key, value))
                        names[key] = instead[id(value)]
        yield
    finally:
        for names, key, value in written:
            if names.get(key) is instead[id(value)]:
                names[key] = value
