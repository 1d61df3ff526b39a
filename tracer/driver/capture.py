"""``capture``: real calls of a running program become programs.

Laws: the running program sees no exception of npexport's and no changed argument; what is recorded
is what the call found before its body ran; nothing stays installed.
"""

from __future__ import annotations

import copy
import functools
import gc
import inspect
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from npexport.ir.program import ExportedProgram
from npexport.ir.pytree import tree_flatten
from npexport.symshapes.errors import ExportError, InputMismatch, UserError
from npexport.symshapes.interrupts import is_interrupt
from npexport.symshapes.spec import infer
from npexport.tracer.driver.call_signatures import as_call, kind, referred, signature_of
from npexport.tracer.driver.export import export
from npexport.tracer.driver.inputs import is_generator
from npexport.tracer.frames.settrace import bound_of
from npexport.tracer.frames.watching import Started, Watch
from npexport.tracer.models.polyfills.methods import giving_no_owner

_PREDICATE = "code"  # the only parameter of a predicate


@dataclass(eq=False, slots=True)
class _Call:
    """A call: ``args`` and ``kwargs`` are copies, ``f`` holds what is taken by reference."""

    f: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    sizes: dict[tuple[tuple[int, ...], ...], None] = field(default_factory=dict)  # of the arrays, call by call

    def example(self, shapes: tuple[tuple[int, ...], ...]) -> tuple[Any, ...]:
        """The positional and keyword arguments, with arrays of other sizes and no data."""
        leaves, spec = tree_flatten((self.args, self.kwargs))
        pending = iter(shapes)
        args, kwargs = spec.unflatten([np.empty(next(pending), leaf.dtype) if isinstance(leaf, np.ndarray) else leaf for leaf in leaves])
        return args, kwargs


class capture:
    """Record calls of ``target`` while a program runs, and export what was called.

    Calls are seen wherever they happen: in threads, generators, libraries. The program runs as
    usual. A call's arguments are copied before its body runs; the object of a method, and other
    objects that are neither arrays nor plain data, are taken by reference and exported as they are
    at the end of the ``with`` block. Calls of one structure, with arrays of the same dtypes and
    ranks and equal Python values, have one signature and one program: sizes that differ between
    them are dynamic. Arguments that are their parameters' defaults count as left out. A method that
    returns its own object, as ``fit`` does, becomes a program that returns ``None``.

    Parameters
    ----------
    target : callable
        A Python function, a method (calls of that object's alone), an object with ``__call__``, a
        function in a wrapper (a cache, NumPy's functions that are written in Python), or
        a predicate on code objects: a function of one parameter that is called ``code``, or of
        which it reads attributes such as ``co_name``.
    limit : int, default 1
        How many signatures are recorded; calls of others only run.

    Attributes
    ----------
    programs : list of ExportedProgram
        After the block: a program for each recorded signature that can be exported, in the order
        of their first calls.
    problems : list of ExportError
        After the block: why others have none, or less general ones.

    Raises
    ------
    UserError
        ``target`` has no Python code to watch, or makes generators or coroutines (E207), or
        ``limit`` is not a positive integer (E201).

    Examples
    --------
    >>> import numpy as np
    >>> from npexport import capture
    >>> def scale(x, factor=2.0):
    ...     return x * factor
    >>> with capture(scale) as calls:
    ...     results = [scale(np.ones(n)) for n in (3, 4)]
    >>> calls.programs[0].module()(np.ones(6))
    array([2., 2., 2., 2., 2., 2.])
    """

    def __init__(self, target: Callable[..., Any], *, limit: int = 1) -> None:
        if type(limit) is not int or limit < 1:
            raise UserError("E201", f"capture(limit={limit!r}): limit is a positive integer", hint="Leave it out, or write limit=2.")
        self.programs: list[ExportedProgram] = []
        self.problems: list[ExportError] = []
        self._limit = limit
        self._calls: dict[Any, _Call] = {}
        self._by_signature: dict[Any, _Call] = {}  # those whose arguments are told apart quickly
        self._functions: dict[int, list[types.FunctionType]] = {}  # those found, by the identity of their code
        self._failed: dict[str, None] = {}  # what went wrong while calls were looked at
        self._function: types.FunctionType | None = None
        self._owner: Any = None
        if not _is_predicate(target):
            self._function, self._owner = _function_of(target)
        self._watch = Watch(self._meant(target) if self._function is None else [self._function], self._entered)

    def __enter__(self) -> capture:
        self._watch.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: Any) -> None:
        self._watch.__exit__()
        if self._watch.missed:
            self._failed["calls that stand thousands of frames deep were not seen"] = None
        self.problems += [UserError("E201", text, hint="Look at the target of capture.") for text in self._failed]
        calls = list(self._calls.values())[: self._limit]
        self._calls.clear()
        if kind is None or issubclass(kind, Exception):
            for call in calls:
                self._export(call)

    def _meant(self, predicate: Callable[..., Any]) -> Callable[[types.CodeType], bool]:
        def meant(code: types.CodeType) -> bool:
            try:
                return bool(predicate(code))
            except Exception as error:
                self._failed[f"the predicate raises {type(error).__name__}: {error}"] = None
                return False

        return meant

    def _entered(self, started: Started) -> None:
        """A frame of chosen code is about to run: record its call if it is one of the target."""
        try:
            self._record(started)
        except Exception as error:
            self._failed[f"a call of {started.code.co_qualname} cannot be recorded: {type(error).__name__}: {error}"] = None

    def _record(self, started: Started) -> None:
        function = self._function
        if function is not None and not _is_frame_of(function, started):
            return
        if function is None:
            function = started.function or self._found(started)
            if function is None:
                return
        bound = bound_of(started.code, started.values)
        if self._owner is not None and next(iter(bound.values()), None) is not self._owner:
            return
        signature, shapes = signature_of(function, bound)
        call = None if signature is None else self._by_signature.get(signature)
        if call is None:
            if signature is not None and len(self._calls) >= self._limit:
                return
            call, shapes = self._call(function, bound)
            if call is None:
                return
            if signature is not None:
                self._by_signature[signature] = call
        call.sizes[shapes] = None

    def _call(self, function: types.FunctionType, bound: dict[str, Any]) -> tuple[_Call | None, tuple[tuple[int, ...], ...]]:
        """The recorded call that these arguments belong to, if any, and the shapes of their
        arrays.
        """
        f, args, kwargs = as_call(function, bound)
        leaves, spec = tree_flatten((args, kwargs))
        key = (referred(f), spec, tuple([kind(leaf) for leaf in leaves]))
        call = self._calls.get(key)
        if call is None and len(self._calls) < self._limit:
            copies: dict[int, Any] = {}
            args, kwargs = spec.unflatten([copies.setdefault(id(leaf), _copy(leaf)) for leaf in leaves])
            call = self._calls.setdefault(key, _Call(f, args, kwargs))
        return call, tuple([leaf.shape for leaf in leaves if isinstance(leaf, np.ndarray)])

    def _found(self, started: Started) -> types.FunctionType | None:
        """The function of a frame, which refers to it while it runs; ``None`` if no further one can
        be recorded.

        All objects are searched for it, once for each function. After ``gc.freeze()`` it cannot be
        found: one of the same code, namespace and cells stands for it, without defaults.
        """
        known = self._functions.setdefault(id(started.code), [])
        found = next((each for each in known if _is_frame_of(each, started)), None)
        if found is not None or len(self._calls) >= self._limit:
            return found
        referrers = gc.get_referrers(started.code)
        found = next((each for each in referrers if type(each) is types.FunctionType and _is_frame_of(each, started)), None)
        if found is None:
            values = started.values
            cells = [types.CellType(values[name]) if name in values else types.CellType() for name in started.code.co_freevars]
            found = types.FunctionType(started.code, started.namespace, closure=tuple(cells))
        known.append(found)
        return found

    def _export(self, call: _Call) -> None:
        others = [call.example(shapes) for shapes in list(call.sizes)[1:]]
        try:
            self.programs.append(_program(call, others))
        except InputMismatch as error:  # a call of other sizes does something else
            self.problems.append(error)
            self.programs.append(_program(call, []))
        except ExportError as error:
            self.problems.append(error)


def _program(call: _Call, others: list[tuple[Any, ...]]) -> ExportedProgram:
    shapes = infer() if others else None
    for args, kwargs in others:
        shapes.add(args, kwargs)  # type: ignore[union-attr]
    try:
        try:
            return export(call.f, call.args, call.kwargs, dynamic_shapes=shapes)
        except ExportError as error:
            if error.code != "E115" or type(call.f) is not types.MethodType:
                raise
            owned = types.MethodType(giving_no_owner(call.f.__func__), call.f.__self__)
            return export(owned, call.args, call.kwargs, dynamic_shapes=shapes)
    except (ExportError, MemoryError, RecursionError):
        raise
    except Exception as error:
        if is_interrupt(error):
            raise
        message = f"{call.f} raises {type(error).__name__}: {error}"
        raise UserError("E208", message, hint="What it reads must be at the end of the block as it was at the call.") from None


def _is_predicate(target: Any) -> bool:
    """Whether a function asks about code: by its parameter's name, or by what it reads."""
    if type(target) is not types.FunctionType or len(names := list(inspect.signature(target).parameters)) != 1:
        return False
    return names == [_PREDICATE] or any(name.startswith("co_") for name in target.__code__.co_names)


def _function_of(target: Any) -> tuple[types.FunctionType, Any]:
    """The function whose calls are meant, and its required first argument, or ``None``."""
    method = target if isinstance(target, types.MethodType) else getattr(target, "__call__", None)  # noqa: B004 (it is needed)
    wrapped = getattr(target, "__wrapped__", None)  # by a cache, as a static method, by NumPy's protocol of functions
    if isinstance(target, types.FunctionType):
        found, owner = target, None
    elif not isinstance(target, type) and isinstance(method, types.MethodType) and isinstance(method.__func__, types.FunctionType):
        found, owner = method.__func__, method.__self__
    elif isinstance(wrapped, types.FunctionType):
        found, owner = wrapped, None
    else:
        hint = "Give a Python function, a method, an object with __call__, or a function of one parameter, `code`."
        hint = next((hint for kind, hint in _HINTS.items() if isinstance(target, kind)), hint)
        raise UserError("E207", f"capture cannot watch calls of the target {target!r:.80}: it has no Python code", hint=hint)
    if found.__code__.co_flags & _SUSPENDED:
        what = f"capture cannot record calls of {found.__qualname__}: they make a generator or coroutine, whose steps are no calls"
        hint = f"Give a function that takes all of it, such as def f(x): return list({found.__name__}(x)), or one that is called in it."
        raise UserError("E207", what, hint=hint)
    return found, owner


_SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_HINTS: dict[type, str] = {
    type: "Give its method: Class.__init__, or another.",
    property: "Give its function: Class.name.fget.",
    functools.cached_property: "Give its function: Class.name.func.",
    functools.partial: "Give its function, target.func, of which other calls are recorded, too.",
}
"""What to give in place of what has no code of its own."""


def _cells(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not bound yet
            continue


def _is_frame_of(function: Any, started: Started) -> bool:
    """Whether a frame is of this very function: decorators make many of one code object."""
    if started.function is not None:
        return function is started.function
    if function.__code__ is not started.code or function.__globals__ is not started.namespace:
        return False
    if not function.__closure__:
        return True
    values = started.values
    return all(name in values and values[name] is value for name, value in _cells(function))


def _copy(leaf: Any) -> Any:
    """A leaf in its present state."""
    if type(leaf) in (np.ndarray, np.memmap):
        copied = np.array(leaf, order="K", subok=False)
        copied.flags.writeable = leaf.flags.writeable
        return copied
    return copy.deepcopy(leaf) if is_generator(leaf) else leaf
