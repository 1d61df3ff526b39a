"""Who owns code: a frame belongs to the module that owns its globals, a code object to its file.

All of npexport, the C extension included, uses the rows of this module and has none of its own.
"""

from __future__ import annotations

import copy
import functools
import os
import sys
from collections.abc import Mapping
from types import CodeType, FrameType
from typing import Any

import npexport
from npexport.symshapes.interrupts import is_handlers

PACKAGE = "npexport"

# Rooms of npexport whose Python is the program's, to be interpreted like the user's: layers, calls
# of users' operators, and Python written to stand for C.
INTERPRETED = (
    "npexport.runtime.nn",
    "npexport.runtime.operators.called_operators",
    "npexport.ir.decompositions",
    "npexport.tracer.interpreter.polyfills",
    "npexport.tracer.arrays.core.polyfills",
    "npexport.tracer.models.polyfills",
)

# The virtual machine: what runs below it is listened to where it calls C again.
ENGINE = ("npexport.tracer.interpreter", "npexport.tracer.frames")

# Packages whose Python npexport itself may call; where C calls it for the program, it is the
# program's.
LIBRARIES = frozenset({*sys.stdlib_module_names, "numpy", "sympy", "mpmath", "bytecode", "scipy"})

# Modules whose Python does what a wrapper in C would do: a root frame is what they call
# (``functools.singledispatch``).
HELPERS = ("functools", "abc", "weakref", "_weakrefset", "_collections_abc")

# NumPy's texts of dtypes, which C asks Python for. The fallback cannot answer for them and leaves
# them to CPython: nothing of the program's is in them.
TEXTS = ("numpy._core._dtype",)


# What weak containers have called when an object dies, whoever holds it, and what C makes of a
# warning before it is shown.
_BESIDE = frozenset({
    ("warnings", "WarningMessage.__init__"), ("_py_warnings", "WarningMessage.__init__"),
    *[("weakref", f"{kind}.__init__.<locals>.remove") for kind in ("WeakKeyDictionary", "WeakValueDictionary")],
    ("_weakrefset", "WeakSet.__init__.<locals>._remove"),
})  # fmt: skip


def _inside(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


# The fallback hook asks this of every frame that starts: the answers are kept by the module's name.


@functools.lru_cache(maxsize=4096)
def _is_own_module(name: str) -> bool:
    return _inside(name, (PACKAGE, *TEXTS)) and not _inside(name, INTERPRETED)


@functools.lru_cache(maxsize=4096)
def _is_engine(name: str) -> bool:
    return _inside(name, ENGINE)


def is_own(namespace: Mapping[str, Any]) -> bool:
    """Whether CPython evaluates frames with these globals, which are not the program's."""
    name = namespace.get("__name__")
    return isinstance(name, str) and _is_own_module(name)


def is_library(namespace: Mapping[str, Any]) -> bool:
    """Whether frames with these globals, started by npexport's, are not the program's."""
    name = namespace.get("__name__")
    return isinstance(name, str) and (name.partition(".")[0] in LIBRARIES or name.startswith("namedtuple_"))


def is_called_back(frame: FrameType) -> bool:
    """Whether a frame is the program's, but was started by npexport's own Python other than the VM,
    or by a library that it uses. A finder that an import asks for a module is the host's.
    """
    if frame.f_back is None or is_library(frame.f_globals):
        return False
    starter = frame.f_back.f_globals
    if starter.get("__name__") == "importlib._bootstrap" and frame.f_code.co_name == "find_spec":
        return False
    return is_library(starter) or (is_own(starter) and not _is_engine(starter["__name__"]))


def is_hosts(namespace: Mapping[str, Any], code: CodeType) -> bool:
    """Whether CPython evaluates a frame that C started, whatever C did: C imports a module, it
    warns, or an object dies and weak containers take note of it.
    """
    name = namespace.get("__name__")
    return name == "importlib._bootstrap" or (name, code.co_qualname) in _BESIDE


def is_programs(frame: FrameType, caller: FrameType | None) -> bool:
    """Whether a frame is the program's that starts while ``caller`` calls C."""
    called = frame.f_back is caller or is_called_back(frame)
    return called and not is_own(frame.f_globals) and not is_hosts(frame.f_globals, frame.f_code) and not is_handlers(frame.f_code)


def is_helper(namespace: Mapping[str, Any]) -> bool:
    """Whether the search for a root frame skips a frame with these globals."""
    name = namespace.get("__name__")
    return isinstance(name, str) and _inside(name, HELPERS)


# Code objects, by their file: the VM asks of code that has no frame yet, and of entries of
# tracebacks

_HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def _folders(*names: str) -> tuple[str, ...]:
    return tuple([os.path.join(_HOME, *name.split("/")) + os.sep for name in names])


_TRACER = _folders("tracer")
_COPIES = frozenset({copy.deepcopy.__code__, copy._deepcopy_tuple.__code__})  # type: ignore[attr-defined]
_MACHINERY = _folders("tracer", "symshapes", "ir", "runtime/kernels")
_ROOMS = (
    *_folders("tracer", "symshapes", "ir", "runtime"),
    npexport.__path__[0] + os.sep,  # the front door: beside the rooms in the repository, around them when installed
    os.path.dirname(npexport.__file__) + os.sep,  # an editable install reaches the front door through a link
)
_INTERPRETED_FILES = tuple([os.path.join(_HOME, *module.split(".")[1:]) + end for module in INTERPRETED for end in (os.sep, ".py")])


def is_own_code(code: CodeType) -> bool:
    """Whether the code is npexport's own and not part of programs: CPython runs it."""
    return code.co_filename.startswith(_ROOMS) and not code.co_filename.startswith(_INTERPRETED_FILES)


def is_machinery(code: CodeType) -> bool:
    """Whether tracebacks hide the code: npexport's own, except the layers that users call."""
    return code.co_filename.startswith(_MACHINERY)


def is_of_tracer(code: CodeType) -> bool:
    """Whether the code is the tracer's: interpreted, it is a polyfill in uncounted frames."""
    return code.co_filename.startswith(_TRACER)


def keeps_objects(code: CodeType) -> bool:
    """Whether code that asks if two numbers or tuples are one object compares what it was given
    itself, and what is new: polyfills, and `copy.deepcopy`, which gives numbers back as they are.
    """
    return is_of_tracer(code) or code in _COPIES
