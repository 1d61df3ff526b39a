"""What ``export(strict=False)`` lets C do: a function of which nothing is known, or that reads the
clock, a file or the environment, runs during the export.

Laws:

1. What it gives without an array of the program is a constant of the program, and an outside
   object, which the program cannot write to; an object that it makes of a class of C is the
   program's own.
2. A function of which nothing is known is handed arrays, as proxies, only where it has something to
   call or to keep them in. Its operations on them are recorded, Python that it calls is
   interpreted, and its error is a refusal. Others would compute with data that they do not get.
3. A refusal in the midst of it ends the export, whatever C makes of it.
4. It is handed no other stand-in: C asks numbers and texts for their types.
"""

from __future__ import annotations

import functools
import os
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from npexport.ir.report import Read
from npexport.symshapes.errors import MADE, ExportError, Unsupported, blamed
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.models.callables import compiled_code
from npexport.tracer.models.callables.lookup import CallableResolver, interpreting
from npexport.tracer.models.host_calls import run_on_numbers
from npexport.tracer.models.numbers.sizes import SYMBOLIC
from npexport.tracer.models.registry import Model, Refusal
from npexport.tracer.models.specialization import plain

READ_OBJECTS = ("os._Environ", "random.Random")
"""Classes whose objects the program may read then, fenced as they are otherwise."""
SYSTEM = frozenset({"posix", "nt"})
"""Modules whose C functions make what they give anew: listings of directories."""


class PermissiveResolver(CallableResolver):
    """Lets refused calls run at export."""

    def __init__(self, arrays: Callable[[Any], Model | None]) -> None:
        super().__init__(arrays)
        self._permitted: dict[Model, Model] = {}

    def __call__(self, fn: Any) -> Model:
        model = super().__call__(fn)
        refusal = getattr(model, "refusal", None)
        if fn is np.fromfile:
            refusal = _ARRAY_OF_A_FILE
        elif refusal is None or not (refusal.reads or refusal.code == "E101"):
            return model
        if model not in self._permitted:
            run = _reader(fn) or (_reading(fn) if type(fn) is types.FunctionType else _at_export)
            self._permitted[model] = _granted(model, refusal, run)
        return self._permitted[model]


_ARRAY_OF_A_FILE = Refusal("E105", "reads a file", reads=True)


def _granted(refuse: Model, refusal: Refusal, run: Model) -> Model:
    """``run`` in place of a refusal, where that is granted."""

    def model(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given = (getattr(fn, "__self__", None), *args, *kwargs.values())
        stand_ins = {type(value) for value in _flat(given)} & NATIVE_TYPES
        is_unknown, calls_back = refusal.code == "E101", world.is_local(given[0]) or _has_python(given)
        recording = is_unknown and not calls_back and not compiled_code.reads_memory(fn)
        if stand_ins - SYMBOLIC - (_PROXIES if recording else _ARRAYS if is_unknown and calls_back else frozenset()):
            return refuse(world, vm, fn, args, kwargs)
        if world.grants is not None:
            try:
                refuse(world, vm, fn, args, kwargs)
            except ExportError as error:
                vm.locate(error)
                if not world.grants(error):
                    raise
        made: list[ExportError] = []
        token = MADE.set(made)
        try:
            value = (compiled_code.recorded if recording else run)(world, vm, fn, args, kwargs)
        except ExportError:
            raise
        except Exception as error:
            if not recording and ArrayProxy in stand_ins:  # it need not be the one for arrays
                return refuse(world, vm, fn, args, kwargs)
            if isinstance(error, OSError):  # that there is no such file is read, too
                _tell(world, f"result of {fn.__qualname__}", error)
            raise
        finally:
            MADE.reset(token)
        if made:  # C has gone on as if nothing had been refused
            raise made[-1]
        return value

    return model


def heard(run: Callable[..., Any], *args: Any) -> Any:
    """The result of Python that C calls back: only a refusal that leaves it is C's to pass on."""
    token = MADE.set(None)
    try:
        return run(*args)
    except ExportError as refusal:
        MADE.reset(token)
        made, token = MADE.get(), MADE.set(None)
        if made is not None:
            made.append(refusal)
        raise
    finally:
        MADE.reset(token)


_ARRAYS = frozenset({ArrayProxy})
_PROXIES = frozenset({ArrayProxy, ScalarProxy})
_OF_PYTHON = (types.FunctionType, types.MethodType, functools.partial)


def _has_python(given: tuple[Any, ...]) -> bool:
    """Whether C may call Python of the program."""
    return any(isinstance(value, _OF_PYTHON) or _is_of_python(type(value)) for value in _flat(given))


def _is_of_python(cls: type) -> bool:
    members = (member for base in cls.__mro__ for member in vars(base).values())
    return cls not in NATIVE_TYPES and any(isinstance(member, types.FunctionType) for member in members)


def _at_export(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    value = run_on_numbers(world, vm, fn, args, kwargs)
    if isinstance(fn, type) and type(value) is fn:
        return world.made_by(value)
    origin = f"result of {getattr(fn, '__qualname__', type(fn).__qualname__)}"
    if type(value) not in NATIVE_TYPES and value is not None and value is not getattr(fn, "__self__", None):
        _tell(world, origin, value)
    is_new = type(value).__module__ in SYSTEM or (type(value) is list and fn.__module__ in SYSTEM)
    return world.made_by(value) if is_new else world.enter(value, origin)


def _open(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A file that is opened for reading is the program's own."""
    given = dict(zip(("file", "mode"), args, strict=False)) | kwargs
    mode, file = given.get("mode", "r"), given.get("file")
    if isinstance(file, int) or not isinstance(mode, str) or not set(mode) <= set("rbt"):
        raise Unsupported("E105", "`open` reads or writes outside the program")
    opened = fn(*args, **kwargs)
    _tell_file(world, opened.name, os.fstat(opened.fileno()).st_size)
    return world.made_by(opened)


def _reading(fn: types.FunctionType) -> Model:
    """A Python function that opens files is interpreted, unless it is told to write."""
    run, names = interpreting(fn), fn.__code__.co_varnames[: fn.__code__.co_argcount]

    def model(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given = dict(zip(names, args, strict=False)) | kwargs
        if given.get("mode", "r") != "r":
            raise Unsupported("E105", f"`{fn.__qualname__}` may write to a file")
        return run(world, vm, fn, args, kwargs)

    return model


def _fromfile(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An array of what a file holds, from where the program stands in one that it has opened."""
    args, kwargs = plain((args, kwargs), "so much is read from a file")
    source = args[0] if args else kwargs.get("file")
    if not isinstance(source, (str, bytes, os.PathLike)) and not world.is_local(source):
        raise Unsupported("E105", "an array is read from a file that the program has not opened")
    found = np.fromfile(*args, **kwargs)
    if not world.is_local(source):
        _tell_file(world, source, found.nbytes)
    return world.recorder.known(found)


def _memmap(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The same of a file that is mapped: what is written to it must not get there."""
    args, kwargs = plain((args, kwargs), "so much is read from a file")
    given = dict(zip(("filename", "dtype", "mode"), args[1:], strict=False)) | kwargs
    if given.get("mode") not in ("r", "c", "readonly", "copyonwrite"):
        raise Unsupported("E105", "`np.memmap` may write to a file", hint='Map it to be read: np.memmap(path, dtype, mode="r").')
    mapped = fn(*args, **kwargs)
    if not world.is_local(given["filename"]):
        _tell_file(world, given["filename"], mapped.nbytes)
    made = world.recorder.known(np.array(mapped, subok=False))
    made.setflags(write=mapped.flags.writeable)
    return made


def _reader(fn: Any) -> Model | None:
    """How what C reads from files in a way of its own is called."""
    return _open if fn is open else _fromfile if fn is np.fromfile else _memmap if fn is np.memmap.__new__ else None


def _tell(world: ShadowedWorld, path: str, value: Any) -> None:
    world.report.reads.append(Read(path, value, blamed(world.stack())))


def _tell_file(world: ShadowedWorld, path: Any, size: int) -> None:
    _tell(world, f"file {os.fsdecode(path)}", f"{size} bytes")


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    """The values, and those in containers among them."""
    for value in values:
        yield value
        if isinstance(value, (tuple, list, set, frozenset)):
            yield from _flat(value)
        elif isinstance(value, dict):
            yield from _flat((*value, *value.values()))
