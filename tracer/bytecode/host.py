"""The CPython that runs npexport: all that depends on its version, except the rows of
:mod:`opcodes` and the C code for frames.

Where CPython can be asked for a fact, it is asked (behaviour also changes with patch releases);
elsewhere its version decides. The rest of the module is code that CPython runs for the interpreter:
single instructions that only CPython can execute, and stubs that make real frame objects.
"""

from __future__ import annotations

import builtins
import dis
import functools
import inspect
import opcode
import sys
import warnings
from collections.abc import Callable, Generator
from types import CodeType, FunctionType
from typing import Any

FROM_3_12, FROM_3_13, FROM_3_14 = (sys.version_info >= (3, minor) for minor in (12, 13, 14))
"""Whether the running CPython is at least that version."""
COMMON_CONSTANTS: list[Any] = getattr(opcode, "_common_constants", [])
"""What ``LOAD_COMMON_CONSTANT`` pushes, by its argument."""
PARSE_TIME = "_strptime_datetime_datetime" if FROM_3_14 else "_strptime_datetime"
"""The function of ``_strptime`` that ``datetime.strptime`` calls."""
PLACEHOLDER: Any = getattr(functools, "Placeholder", object())
"""What stands in a ``functools.partial`` where a call puts its own positional arguments."""
HAS_MONITORING = FROM_3_12
"""Whether there is ``sys.monitoring``."""
EXIT_IS_LOOKED_UP_FIRST = FROM_3_14
"""Whether ``with`` looks up ``__exit__`` before ``__enter__``, and keeps the exit function and its
object in two places of the stack.
"""
NONE_HAS_STEADY_HASH = FROM_3_12
"""Whether ``hash(None)`` is the same in every process."""
C_SHARES_RECURSION_LIMIT = not FROM_3_12
"""Whether Python's recursion limit bounds recursion in C, too."""
CODE_STOPS_ITERATION = FROM_3_12
"""Whether the code of a generator itself makes a ``RuntimeError`` of a ``StopIteration`` (PEP 479).
"""
GLOBALS_ARE_ASKED = FROM_3_13
"""Whether names of a namespace body that are not in it are looked up in globals of a subclass of
``dict`` by its own ``__getitem__``.
"""
COMPREHENSIONS_SHOW_ALL = FROM_3_13
"""Whether ``locals()`` in a comprehension of a namespace body holds the variables from further out
instead of the namespace (PEP 667).
"""
SUMS_ARE_COMPENSATED = FROM_3_12
"""Whether ``sum`` of floats adds up their rounding errors, too."""
SUMS_OF_ALL_ARE_COMPENSATED = FROM_3_14
"""Whether it does so for integers after a float, and for complex numbers."""
RUNS_HOLD_EQUAL_ITEMS = FROM_3_13
"""Whether ``list.sort`` reverses runs that descend with equal items in them."""
SMALL_INTEGERS = range(-5, 257)
"""The integers of which there is one object each."""
STOP_ITERATION_ERROR = (1, "CALL_INTRINSIC_1", 3)
"""The instruction (operands, name, argument) that turns a ``StopIteration`` raised in a generator
into a ``RuntimeError`` (PEP 479).
"""
MANAGED_WEAKREF, MANAGED_DICT, IS_SEQUENCE, IS_MAPPING, HEAP_TYPE, MATCH_SELF = (1 << bit for bit in (3, 4, 5, 6, 9, 22))
"""Bits of ``type.__flags__`` (``Include/object.h``): where an object keeps its weak references and
attributes, whether patterns treat it as a sequence or a mapping, whether the type was made at run
time, and whether a class pattern with one positional pattern matches the object itself.
"""
PREP_RERAISE_STAR: tuple[str, int | None] = ("CALL_INTRINSIC_2", 1) if FROM_3_12 else ("PREP_RERAISE_STAR", None)
"""The instruction (name, argument) that ends ``except*``; its operands are the original exception
and the list of those raised.
"""


def host_instruction(name: str, arg: int | None, operands: int) -> FunctionType:
    """A function that pushes its ``operands`` arguments, and runs and returns the instruction."""
    steps = [("RESUME", 0), *(("LOAD_FAST", slot) for slot in range(operands)), (name, arg or 0), ("RETURN_VALUE", 0)]
    template = (lambda: None).__code__
    code = template.replace(
        co_argcount=operands,
        co_varnames=tuple(f"operand{number}" for number in range(operands)),
        co_nlocals=operands,
        co_stacksize=operands + 4,
        co_code=b"".join(bytes((dis.opmap[step], value)) for step, value in steps),
    )
    return FunctionType(code, {"__builtins__": builtins})


_NOP = bytes((dis.opmap["NOP"], 0))


def _stub() -> Generator[None, None, None]:
    yield


def _holding(*held: Any) -> Generator[None, None, None]:
    yield


def error_of_locals(use: Callable[[Any], Any], *held: Any) -> Exception | None:
    """What CPython raises for a use of the ``f_locals`` of a function with no variable but
    ``held``.
    """
    steps: Any = _holding(*held) if held else _stub()
    try:
        use(steps.gi_frame.f_locals)
    except (KeyError, TypeError, ValueError) as error:
        return error.with_traceback(None)
    return None


def frame_stub(code: CodeType) -> CodeType:
    """Code with the names and lines of ``code``; ``eval`` of it returns a generator: its frame has
    no caller and keeps nothing alive.

    It is as long as ``code``: when CPython 3.11 traces, it writes one entry for every instruction
    of the line table.
    """
    own = _stub.__code__.co_code
    return _stub.__code__.replace(
        co_code=own + _NOP * ((len(code.co_code) - len(own)) // len(_NOP)),
        co_flags=inspect.CO_GENERATOR,
        co_name=code.co_name,
        co_qualname=code.co_qualname,
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
        co_linetable=code.co_linetable,
    )


_OPERATIONS = (
    ("raise", ("RAISE_VARARGS",)),
    ("name", ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FAST", "LOAD_DEREF", "LOAD_CLOSURE")),
    ("item", ("BINARY_SUBSCR", "STORE_SUBSCR", "DELETE_SUBSCR", "BINARY_SLICE")),
    ("attribute", ("LOAD_ATTR", "LOAD_METHOD")),
)
"""Kinds of operations, with the beginnings of the opcodes of every CPython that do them."""


def operation_at(code: CodeType, offset: int) -> str:
    """What the instruction at a byte offset does: it raises, or reads a name, an item or an
    attribute (`_OPERATIONS`), or nothing of that ("").
    """
    found = next((each for each in dis.get_instructions(code) if each.offset == offset), None)
    name = "" if found is None else "BINARY_SUBSCR" if found.argrepr == "[]" else found.opname
    return next((kind for kind, opcodes in _OPERATIONS if name.startswith(opcodes)), "")


# Facts that CPython is asked for


def _groups_have_tracebacks() -> bool:
    caught: BaseException
    try:
        raise ValueError
    except* ValueError as group:
        caught = group
    return caught.__traceback__ is not None


def _close_returns() -> bool:
    def probe() -> Generator[None, None, bool]:
        try:
            yield
        except GeneratorExit:
            return True
        return False

    generator = probe()
    next(generator)
    result: Any = generator.close()
    return bool(result)


def _arguments_deprecated() -> bool:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            (_ for _ in ()).throw(ValueError, "")
        except ValueError:
            pass
    return bool(caught)


def _tuples_are_measured() -> bool:
    class Iterable:
        asked = False

        def __iter__(self) -> Any:
            return iter(())

        def __length_hint__(self) -> int:
            self.asked = True
            return 0

    probe = Iterable()
    tuple(probe)
    return probe.asked


def _surplus_is_counted() -> bool:
    try:
        _, _ = (1, 2, 3)  # type: ignore[misc]
    except ValueError as error:
        return "got" in str(error)
    raise AssertionError("three are two")


def _clears_suspended_frames() -> bool:
    steps: Any = _stub()
    next(steps)
    try:
        steps.gi_frame.clear()
    except RuntimeError:
        return False
    return True


def _refusal(source: str) -> str:
    """CPython's message of a ``TypeError`` about ``5``, which differs between versions, with ``{}``
    for the name of its type.
    """
    try:
        exec(source, {})
    except TypeError as error:
        return str(error).replace("int", "{}")
    raise AssertionError(source)


def _attribute_refusal() -> str:
    """CPython's message where an attribute of ``5`` is written, with ``{}`` for the names of the
    type and of the attribute.
    """
    try:
        (5).attribute = 0  # type: ignore[attr-defined]
    except AttributeError as error:
        return str(error).replace("'int'", "'{}'").replace("'attribute'", "'{}'")
    raise AssertionError("numbers have no attributes")


CLEARS_SUSPENDED_FRAMES = _clears_suspended_frames()
"""Whether ``frame.clear()`` closes a generator: up to CPython 3.12."""
GROUPS_HAVE_TRACEBACKS = _groups_have_tracebacks()
"""Whether the group that ``except*`` makes of a plain exception has a traceback: since CPython
3.12.9 and 3.13.2.
"""
CLOSE_RETURNS = _close_returns()
"""Whether ``generator.close()`` returns what the generator returns: since CPython 3.13."""
THROW_ARGUMENTS_DEPRECATED = _arguments_deprecated()
"""Whether ``generator.throw(type, value)`` warns: since CPython 3.12."""
TUPLES_ARE_MEASURED = _tuples_are_measured()
"""Whether ``tuple(iterable)`` asks for a length hint first: until CPython 3.13."""
SURPLUS_IS_COUNTED = _surplus_is_counted()
"""Whether the error of an unpacking that finds too many items says how many a list, tuple or dict
has: since CPython 3.14.
"""
NOT_A_CLASS = _refusal("pattern = 5\nmatch 5:\n    case pattern():\n        pass")
NOT_A_CONTAINER = _refusal("5 in 5")
NOT_AWAITABLE = _refusal("async def wait():\n    await 5\nwait().send(None)")
NOT_WRITTEN = _attribute_refusal()
"""Texts of errors: of a class pattern that does not name a class, of ``in``, of ``await``, of an
attribute that an object has no room for.
"""
