"""The result of compiling a program."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from npexport.runtime.calling import MISSING, Convention, Slot
from npexport.runtime.direct import Direct
from npexport.runtime.extensions import extension
from npexport.runtime.listed_arrays import ListedArrays

Base: Any = object
"""The base class of modules."""
try:
    Base = extension("npexport.runtime._checks").Entry
except ImportError:
    pass  # not built: calls go to the function that is written in Python


class Entry(NamedTuple):
    """``arrays``: what the parameters ``targets`` must be, where that can be seen before the
    function is called. ``bare``: if nothing else is looked at, and the program is short, the code
    of what is left to do then, of the parameters alone. ``direct``: the few calls that it
    makes, ``tell`` what notes a line on an exception of these.
    """

    arrays: Any
    targets: list[str]
    bare: CodeType | None
    direct: Direct | None
    tell: Any


@dataclass
class Compiled:
    """The function's source and code, the constants of its names, its state (global name -> input
    name) and its parameters.

    ``held``: global name -> path, of state without a first value. ``listed``: the global name of
    its `ListedArrays`, if any.
    ``check``: the code of a function of the same parameters that only checks them.
    """

    text: str
    code: CodeType
    check: CodeType
    namespace: dict[str, Any]
    state: dict[str, str]
    slots: list[Slot]
    convention: Convention
    held: dict[str, str]
    entry: Entry
    listed: str

    def function(self, state: dict[str, Any]) -> Callable[..., Any]:
        """A function over this state, with globals of its own. ``state`` maps input names to
        arrays.
        """
        arrays = {name: state[target] for name, target in self.state.items()}
        listed = {self.listed: ListedArrays()} if self.listed else {}
        return self.convention.function(self.code, self.namespace | arrays | listed | dict.fromkeys(self.held))

    def checking(self) -> Callable[..., None]:
        """The function that only checks; like the other it is a method."""
        return self.convention.function(self.check, dict(self.namespace))

    def enter(self, module: Any, function: Any) -> None:
        """Make calls of a module, whose class is its own, go to the function directly. The C
        extension binds the arguments, checks the arrays, and passes all on by position, or makes a
        few calls itself. A program that takes any number of arguments is called as Python calls it.
        """
        convention = self.convention
        if Base is object or convention.extra is None or convention.unknown is None or len(convention.names) > _MOST:
            return
        code: CodeType = function.__code__
        count = code.co_argcount + code.co_kwonlyargcount
        plain = code.replace(
            co_argcount=count + 2,
            co_posonlyargcount=count + 2,
            co_kwonlyargcount=0,
            co_flags=code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS),
        )
        names = code.co_varnames[1:count]
        users = {identifier: name for name, identifier in convention.names.items()}
        defaults = tuple([convention.defaults[name] for name in names])
        places = tuple([names.index(users[target]) for target in self.entry.targets]) if self.entry.arrays is not None else ()
        raw = FunctionType(self.entry.bare or plain, function.__globals__, code.co_name)
        unnamed, positional = code.co_posonlyargcount - 1, code.co_argcount - 1
        nothing = () if self.entry.bare is None else None
        module._bind(function, raw, names, defaults, MISSING, unnamed, positional, self.entry.arrays, places, nothing)
        if self.entry.direct is not None:
            module._call_directly(self.entry.tell, *self.entry.direct)


_MOST = 32
"""The largest number of parameters of a call that the C extension binds."""
