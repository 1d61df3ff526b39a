"""The ``control`` namespace: what a program checks when it runs, and the exceptions that it raises
then.

A *text* of data is written when it is needed::

    text  ::= str | TEXT(form, arg...)          a tuple that begins with `TEXT`
    form  ::= "format" value spec | "str" value | "repr" value | "ascii" value
            | "bin" value | "chr" value | "hex" value | "oct" value
            | "percent" text values | "method" text args kwargs | "join" text...
            | "apply" name text arg... | "choose" truth text text
            | "numpy" name value options
"""

from __future__ import annotations

import functools
import importlib
import types
from typing import Any

from npexport.ir.facts import Emit, Raises, View
from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import resolve_kernel
from npexport.ir.ops import views
from npexport.ir.ops.rules import Array, meta_of, record
from npexport.ir.raising import NOTHING, always
from npexport.ir.texts import COUNTS, FORMS

TEXT = "text of data"
"""Marks a tuple of arguments that is a text."""

LINKS = CAUSE, CONTEXT, NONE, NEW = "from", "while handling", "from None", "from a new one"
"""How an exception comes from the one that was handled when it was raised; `NEW`: from one that was
not raised, and none was handled.
"""
NAMING = AttributeError, NameError
"""Exceptions with a ``name`` beside their arguments."""

LONGEST_MESSAGE = 4096
"""The most characters that a message has which operators raise about data."""

MODULES = frozenset({"builtins", "numpy", "numpy.linalg", "numpy.exceptions"})
"""Exceptions of these are written by their names; those of other modules are kept as classes."""


def name_of(error: type[BaseException]) -> str | None:
    """The name by which a file knows a class of exceptions, or ``None``."""
    for module in (error.__module__, "numpy.linalg") if issubclass(error, Exception) else ():
        if module in MODULES and getattr(importlib.import_module(module), error.__qualname__, None) is error:
            return f"{module}.{error.__qualname__}"
    return None


def has_own_init(error: type[BaseException]) -> bool:
    """Whether the class has an ``__init__`` of Python, which has run when the program was exported:
    an exception of it is made from what it left.
    """
    return isinstance(error.__init__, types.FunctionType)


def class_of(error: Any) -> type[BaseException]:
    """The class of this name. Raises ``ValueError`` where there is none."""
    if isinstance(error, type) and issubclass(error, BaseException):
        return error
    return _named(str(error))


@functools.cache
def _named(error: str) -> type[BaseException]:
    module, _, name = error.rpartition(".")
    found = getattr(importlib.import_module(module), name, None) if module in MODULES else None
    if not (isinstance(found, type) and issubclass(found, Exception)):
        raise ValueError(f"there is no exception {error}")
    return found


def _require_texts(value: Any) -> None:
    """Raises ``ValueError`` for a text of no known form."""
    if isinstance(value, (tuple, list)):
        if type(value) is tuple and value and type(value[0]) is str and value[0] == TEXT:
            if len(value) < 2 or value[1] not in FORMS or COUNTS.get(value[1], len(value) - 2) != len(value) - 2:
                raise ValueError(f"{value[1:2]} is not a text of data")
            value = value[2:]
        for item in value:
            _require_texts(item)
    elif isinstance(value, dict):
        for item in value.values():
            _require_texts(item)


def _require_attributes(attributes: Any = ()) -> None:
    if type(attributes) is not tuple or not all(type(pair) is tuple and len(pair) == 2 and type(pair[0]) is str for pair in attributes):
        raise ValueError("the attributes of an exception are pairs of a name and a value")
    _require_texts([value for _, value in attributes])


def _placed(node: Node) -> Any:
    """The kernel that warns of the user's line, where it is known: else the caller's is named."""
    stack = node.meta.get("stack_trace")
    return functools.partial(resolve_kernel("control.warn_at"), stack[-1].file, stack[-1].line) if stack else None


@record(kernel="control.warn", namespace="control", emit=Emit(kernel=_placed, unless=True), raises=(Raises((Warning,), always, None),))
def warn(condition: Any, category: Any, text: Any, /) -> None:
    """Warn, unless ``condition`` is true."""
    if not issubclass(class_of(category), Warning):
        raise ValueError(f"{category} is not a warning")
    _require_texts(text)


@record(kernel="control.check", namespace="control", emit=Emit(unless=True), raises=(Raises((Exception,), always, None),), step="check")
def check(condition: Any, error: Any, args: Any, chain: Any = (), attributes: Any = (), /) -> None:
    """Raise the exception ``error(*args)``, whose texts are written then, unless ``condition`` is
    true. Where ``error`` has an ``__init__`` of its own, ``args`` and ``attributes`` are what that
    left.

    ``chain``: the exceptions that were handled when it was raised, the innermost last: tuples of
    `CAUSE`, `CONTEXT` or `NONE`, the exception, its arguments, and its attributes if it has any;
    the last one may be `NEW`, or `NONE` of ``None`` where none was handled. ``attributes``: pairs
    of a name and what the program has set it to; the ``name`` of an ``AttributeError`` is one, its
    ``obj`` is not kept.
    """
    class_of(error)
    _require_texts(args)
    if type(chain) is not tuple or not all(type(link) is tuple and len(link) in (3, 4) and link[0] in LINKS for link in chain):
        raise ValueError("exceptions that were handled are tuples of how, the exception, its arguments and attributes")
    _require_attributes(attributes)
    for place, (how, handled, given, *rest) in enumerate(chain, 1):
        if (how == NEW or (how == NONE and handled is None)) and place < len(chain):
            raise ValueError("an exception that was raised while none was handled is the last one")
        if how != NONE or handled is not None:
            class_of(handled)
        _require_texts(given)
        _require_attributes(*rest)


def _whole(builder: Any, old: Any, new: Any, link: Any) -> Any:
    return new


@record(
    kernel="control.returned",
    namespace="control",
    traits="view c_order elementwise",
    raises=NOTHING,
    view=View(inverse=_whole, strides=views.of_itself, first=views.at_first, keeps_order=True),
)
def returned(x: Array, module: str, index: int, /) -> TensorMeta:
    """``x``, as leaf ``index`` of what the call ``module`` of a sub-module returns; its signature
    is preserved.
    """
    return meta_of(x)


@record(kernel="control.module_call", namespace="control", raises=(Raises((Exception,), always, None),))
def module_call(module: str, inputs: Any, outputs: Any, before: Any, after: Any, /) -> None:
    """The call ``module`` of a sub-module, whose signature is preserved, ends here. It took
    ``inputs`` and returned ``outputs``, by leaves.

    ``before`` and ``after`` are what the state held then, where that was another value than before
    the program: the state, the value, and whether it was a new array. Computes nothing.
    """
    if not (isinstance(inputs, tuple) and isinstance(outputs, tuple) and isinstance(before, tuple) and isinstance(after, tuple)):
        raise ValueError("what a call of a module takes and returns are tuples")
    for row in (*before, *after):
        if not (isinstance(row, tuple) and len(row) == 3 and type(row[2]) is bool):
            raise ValueError(f"{row!r} says nothing about state")
