"""The interface between the VM and its surroundings.

This class is the world of ``interpret()``: everything is real.

The tracing world (``npexport.tracer.driver.world``) subclasses it. The VM asks only at the borders:
where a value comes from outside, where something outside would be written, and where a callable is
not a Python function.
"""

from __future__ import annotations

import builtins
import sys
import types
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from npexport.tracer import frames
from npexport.tracer.interpreter.frame import Frame, Machine, handled_exception

_ABSENT = object()


class Invoke(NamedTuple):
    """A call to be interpreted instead of the one that was requested (``World.call_native``)."""

    fn: Any
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = {}  # noqa: RUF012 (never written to)


class _Overlay:
    """What is known of the program's writes to names where none is recorded."""

    writes: Mapping[int, Any] = MappingProxyType({})


NO_OVERLAY = _Overlay()


class World:
    """The world of ``interpret()``: nothing is shadowed, nothing is refused, every effect happens.

    ``tracing`` tells the VM whether ``enter`` and ``made`` have to be called at all.
    """

    tracing = False
    leaving: Any = frozenset()  # exceptions of the instructions of frames that leave the program as they are
    captures = False  # whether branches on data become part of a program
    counting = False  # whether loops over dynamic sizes do
    stands_in = False  # whether an interpreted generator has taken the place of an iterator of C
    partial_objects: Mapping[int, Any] = MappingProxyType({})  # objects that may lack attributes, by identity, with the names of these
    partial_dicts: Mapping[int, Any] = MappingProxyType({})  # dicts that may lack keys, by identity
    binds_dicts = False  # whether an object was given another ``__dict__``
    placed: Mapping[type, str] = MappingProxyType(
        {}
    )  # sequences whose iterators have a place that data may decide, and C's names for these
    advances = False  # whether an iterator was met that such an object could stand for, or one that is written in Python
    asks = False  # whether there are values that are one of several as data decide
    ended_late: str | None = None  # a generator that was dropped when garbage was collected, and would have done something
    compared: Mapping[int, Any] = MappingProxyType({})  # sets whose members the world compares before it adds one, by identity
    inlining: Any = None  # the loops that generators are written into
    modelled: frozenset[int] = frozenset()  # objects of Python classes whose calls are answered for, by identity
    overlay: Any = NO_OVERLAY  # where ``tracing``: the attributes of outside modules, classes and functions that the program wrote

    def __init__(self) -> None:
        hook = frames.hook()
        self.answer = hook.answer if hook.name == frames.PEP523 else None

    def looks_into(self, vm: Machine, frame: Any, name: str, number: int, arg: Any) -> bool:
        """Settle which keys dicts have that an instruction looks into (`dicts_looked_into`)."""
        return False

    def go_over(self, vm: Machine, frame: Any, target: int) -> None:
        """Go on with the next key of a dict that may lack some, or behind the loop."""

    def call_native(self, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call ``fn``, which is not a Python function.

        Returns the result, or an `Invoke`: the call to interpret instead. If ``fn`` calls Python
        back, the VM runs that if the frame hook can answer for it; otherwise CPython does.
        """
        if self.answer is not None and fn is not builtins.__import__:
            return self.answer(vm.run_bound, fn, args, kwargs)
        handled = handled_exception(vm.frame)
        if handled is not None:
            return _while_handling(handled, fn, args, kwargs)
        return fn(*args, **kwargs) if kwargs else fn(*args)  # C tells none from no more

    def enter(self, value: Any, origin: str) -> Any:
        """What the program sees of an outside ``value`` (``origin``: ``"attribute
        Config.size"``).
        """
        return value

    def read(self, value: Any, origin: str, module: Any) -> Any:
        """`enter` for what a class, function or module of this module holds."""
        return self.enter(value, origin)

    def enter_closure(self, fn: types.FunctionType) -> tuple[types.CellType, ...]:
        """The cells of a frame of ``fn``."""
        return fn.__closure__ or ()

    def load_global(self, frame: Frame, name: str) -> Any:
        """The global or builtin ``name``; raises ``NameError`` as CPython does."""
        value = frame.globals.get(name, _ABSENT)
        if value is _ABSENT:
            value = frame.builtins.get(name, _ABSENT)
            if value is _ABSENT:
                raise undefined_name(name)
        return value

    def namespace(self, space: dict[str, Any]) -> Any:
        """What ``globals()`` and ``module.__dict__`` return."""
        return space

    def names_of(self, owner: Any, names: Any) -> Any:
        """What ``owner.__dict__`` returns for a class or function with these names."""
        return names

    def store_global(self, frame: Frame, name: str, value: Any) -> None:
        frame.globals[name] = value

    def delete_global(self, frame: Frame, name: str) -> None:
        if name not in frame.globals:
            raise undefined_name(name)
        del frame.globals[name]

    def store_attr(self, obj: Any, name: str, value: Any) -> None:
        """``setattr`` on a module, class or function; instances are written to directly."""
        setattr(obj, name, value)

    def was_found(self, obj: Any) -> bool:
        """Whether an object existed before; only asked while tracing, of one that nobody copies."""
        return False

    def delete_attr(self, obj: Any, name: str) -> None:
        delattr(obj, name)

    def is_local(self, obj: Any) -> bool:
        """Whether ``obj`` was made while interpreting."""
        return True

    def making(self, namespace: Any, bases: tuple[Any, ...]) -> None:
        """Called, if ``tracing``, before a class is made from this namespace: code that runs
        meanwhile may already see it.
        """

    def require_makeable(self, cls: type) -> None:
        """Called before an instance of a class that Python code defines is made."""

    def made(self, obj: Any) -> None:
        """Called, if ``tracing``, for each function, class and module that the program makes."""

    def same(self, left: Any, right: Any) -> Any:
        """Whether two objects, one of them native or both tuples, slices or bound methods, are the
        same one to the program (``is``): a truth, which may be open.
        """
        return left is right

    def choose(self, vm: Machine, frame: Frame, value: Any, if_true: int, if_false: int) -> bool:
        """If ``tracing``: go on after a branch on a native value; false if its truth decides."""
        return False

    def count(self, vm: Machine, frame: Frame, counter: Any, target: int) -> bool | None:
        """Whether a loop makes another iteration, which only the data know; ``None`` if the frame
        has moved to where the loop is left.
        """
        return True

    def alone(self, vm: Machine, generator: Any) -> bool:
        """Whether only the call to which a generator was just passed holds it."""
        return False

    def quantify(self, vm: Machine, fn: Any, items: Any, truth: Any) -> Any:
        """The result of ``any`` or ``all`` for an item of this truth, which is not a ``bool``, and
        those that follow; ``None`` if the truth itself decides.
        """
        return None

    def counts(self, value: Any) -> Any:
        """The counter for a loop over a range or an array whose length is not a plain integer;
        ``None`` for anything else.
        """
        return None

    def counts_known(self, vm: Machine, frame: Frame) -> Any:
        """The counter that takes the place of the iterator on the stack, whose items are known;
        ``None`` for any other.
        """
        return None

    def begin_calls(self, vm: Machine, frame: Frame) -> None:
        """A loop in place of nested calls begins, of which sizes decide how deep they go."""

    def mark(self) -> Any:
        """A value that changes when the program writes to an array."""
        return None

    def attempt(self, vm: Machine, frame: Frame, undecided: Any) -> None:
        """If ``tracing``: go on where the program does after an instruction that raises for some
        data; except for ``pc``, the frame is as before the instruction.
        """
        raise undecided

    def known(self, either: Any) -> Any:
        """The option that one of several values is known to be; otherwise the value itself."""
        return either

    def as_text_of_data(self, either: Any) -> Any:
        """One of several texts as a text of data; anything else unchanged."""
        return either

    def one_of(self, tests: list[Any], options: list[Any], name: str) -> Any:
        """One of several values: that of the first truth that holds, or else the last."""
        raise NotImplementedError

    def ask(self, vm: Machine, frame: Frame, either: Any) -> None:
        """If ``tracing``: run the current instruction once for each option; except for ``pc``, the
        frame is as before the instruction.
        """
        either.ask()

    def in_order(self, value: Any) -> Any:
        """What the program iterates over instead of a set."""
        return value

    def type_of(self, value: Any) -> type:
        """What ``type(value)`` returns."""
        return type(value)

    def require_class(self, value: Any) -> None:
        """Refuse an object whose answer to ``isinstance`` may be another one in the next call."""

    def length(self, result: Any) -> Any:
        """What ``len`` makes of what a ``__len__`` in Python returned."""
        return result if type(result) is int and 0 <= result <= sys.maxsize else len(_Sized(result))


class _Sized:
    """Lets the host validate the result of a ``__len__``."""

    def __init__(self, result: Any) -> None:
        self.result = result

    def __len__(self) -> int:
        return self.result  # type: ignore[no-any-return]


def _while_handling(handled: BaseException, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``fn(*args, **kwargs)`` while CPython knows that the program handles an exception, so that it
    becomes the context of what is raised.
    """
    traceback, context = handled.__traceback__, handled.__context__
    try:
        raise handled
    except BaseException:
        handled.__traceback__, handled.__context__ = traceback, context
        return fn(*args, **kwargs)


def undefined_name(name: str) -> NameError:
    return NameError(f"name '{name}' is not defined", name=name)
