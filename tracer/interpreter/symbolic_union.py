"""A value that is one of several, as data decide: ``None`` or an array, one text or another.

Law: such a value is moved as it is (bound, kept in containers, passed, returned); an instruction
that examines it runs once for each of the values, on the sides of a branch on the same truth.

Once the first such value exists, the instructions that examine operands (`Facts.examines`) are
wrapped (`watch`): before one of them runs, its operands are looked at. What the truths alone
decide, such as ``is None``, becomes such a truth; otherwise the world runs the instruction on both
sides of a branch (``World.ask``). A C callable that would look at such a value in a container
raises `NeedsCaseSplit`, which the instruction answers in the same way.
"""

from __future__ import annotations

import functools
import operator
from collections import deque
from collections.abc import Callable
from types import BuiltinMethodType, FunctionType, MethodType, SimpleNamespace
from typing import Any, NoReturn

from npexport.ir.containers import register_one_of
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_not
from npexport.tracer.interpreter.attempts import KEEPING
from npexport.tracer.interpreter.attributes import SPECIAL_GETTERS, SPECIAL_HAS, python_method
from npexport.tracer.interpreter.frame import NULL, Frame, Machine
from npexport.tracer.interpreter.native import ASKED, NATIVE_TYPES, named
from npexport.tracer.interpreter.operators import BINARY, COMPARE, SCALARS, sign
from npexport.tracer.interpreter.program import FACTS, CodeInfo, Examined, Handle, Operations, code_info

ALIKE = (
    "Give both sides one kind, shape and dtype: .astype(), np.float64(), np.asarray() say which; or choose with np.where(condition, a, b)."
)


class SymbolicUnion:
    """``options``: the values that it may be; ``tests``: by option, the truth that it is that one.

    One of the tests holds. ``name``: what the program calls it; ``text``: what it may be, in words.
    `NULL` is an option of variables alone: the variable is not bound.
    """

    __slots__ = ("name", "options", "tests", "text")
    __array_ufunc__ = None

    def __init__(self, tests: tuple[Any, ...], options: tuple[Any, ...], name: str, text: str) -> None:
        self.tests, self.options, self.name, self.text = tests, options, name, text

    def ask(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NeedsCaseSplit(self)


def options_of(value: Any) -> list[tuple[Any, Any]]:
    """The options of a value: truths, each with the value if it holds."""
    return list(zip(value.tests, value.options, strict=True)) if type(value) is SymbolicUnion else [(True, value)]


class NeedsCaseSplit(Unsupported):
    """Something asks what only one of the values of ``either`` can answer.

    No handler of the program catches this.
    """

    def __init__(self, union: SymbolicUnion) -> None:
        super().__init__("E103", f"a branch depends on data, and {union.name} is {union.text}", hint=ALIKE)
        self.union = union


_SPECIAL = """add sub mul truediv floordiv mod divmod pow matmul lshift rshift and or xor radd rsub rmul rtruediv rfloordiv rmod rdivmod
rpow rmatmul rlshift rrshift rand ror rxor neg pos abs invert lt le gt ge eq ne hash bool len iter next contains getitem setitem delitem
float int complex index round trunc floor ceil call repr str format reduce_ex enter exit array"""

for _name in _SPECIAL.split():
    setattr(SymbolicUnion, f"__{_name}__", SymbolicUnion.ask)


def _get(vm: Machine, union: SymbolicUnion, name: str, then: Any) -> NoReturn:
    union.ask()


named(SymbolicUnion, "object that is one of several")
ASKED.add(SymbolicUnion)
register_one_of(SymbolicUnion)
SPECIAL_GETTERS[SymbolicUnion] = _get
SPECIAL_HAS[SymbolicUnion] = lambda union, name: union.ask()

# What instructions examine


def of_call(values: int) -> Examined:
    """The callable, and the arguments unless a Python function or a container takes them."""

    def count(frame: Frame, arg: Any) -> int:
        given = arg if values == 0 else arg[0] if values == 1 else 1 + bool(arg)
        below, top = frame.stack[-given - 2], frame.stack[-given - 1]
        if type(below) is SymbolicUnion or type(top) is SymbolicUnion:
            return int(given) + 2
        return 0 if values == 2 or only_moves(below if below is not NULL else top) else int(given)

    return count


def of_store(number: int) -> Examined:
    """The container and the index; for an array the value, too."""
    return lambda frame, arg: number + (type(frame.stack[-number]) in NATIVE_TYPES)


def only_moves(fn: Any) -> bool:
    """Whether a call only moves its arguments; the callee's own instructions ask for itself."""
    while type(fn) in (MethodType, functools.partial):
        fn = fn.__func__ if type(fn) is MethodType else fn.func
    if type(fn) is FunctionType:
        return not code_info(fn.__code__).host
    if keeps(fn) or python_method(type(fn), "__call__") is not None:
        return True
    return isinstance(fn, type) and FunctionType in (type(fn.__init__), type(fn.__new__))  # type: ignore[misc]


def keeps(fn: Any) -> bool:
    """Whether a C callable only keeps its arguments."""
    if isinstance(fn, type):
        return issubclass(fn, (dict, SimpleNamespace, BaseException)) and type(fn.__init__) is not FunctionType
    name = getattr(fn, "__name__", None)
    if fn is object.__init__ or (name == "__new__" and getattr(fn, "__self__", None) is tuple):  # what makes a named tuple
        return True
    return name in _KEEPERS and type(fn) is not FunctionType


_KEEPERS = frozenset({"append", "appendleft", "insert", "setdefault", "__setattr__", "__setitem__", "setitem"})

_WRITING = frozenset({"BUILD_STRING", "CONVERT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC"})
"""Instructions that make a text of texts, whichever these are."""
_ADDS = frozenset(row for row in range(len(BINARY)) if sign(row) == "+")
_LOADS = frozenset(
    """LOAD_FAST LOAD_DEREF LOAD_ATTR BINARY_SUBSCR LOAD_GLOBAL LOAD_GLOBAL_OF LOAD_NAME LOAD_FROM_DICT_OR_DEREF
    LOAD_FROM_DICT_OR_GLOBALS""".split()
)
_VARIABLES = frozenset({"LOAD_FAST", "DELETE_FAST", "LOAD_DEREF", "DELETE_DEREF"})


def _truth_of_option(value: Any) -> Any:
    """The truth of an option if it is plain, else ``None``."""
    return bool(value) if type(value) in SCALARS else None


def truth_of_options(union: SymbolicUnion, tell: Callable[[Any], bool | None]) -> Any:
    """The truth of ``tell`` for the option that holds; ``None`` if it is unknown for any option."""
    answers = [tell(option) for option in union.options]
    return None if None in answers else _of_cases(list(zip(union.tests, answers, strict=True)))


def truth_of_pairs(tell: Callable[[Any, Any], bool], left: list[tuple[Any, Any]], right: list[tuple[Any, Any]]) -> Any:
    """The truth of ``tell`` for the options of two values that hold."""
    return _of_cases([(test, _of_cases([(truth, tell(one, other)) for truth, other in right])) for test, one in left])


def _of_cases(cases: list[tuple[Any, Any]]) -> Any:
    """A truth that is one of several: ``cases`` are tests, of which one holds, and what it is
    then.
    """
    denied = [test for test, answer in cases if answer is False]
    if len(denied) == len(cases):
        return False
    if all(answer is True or answer is False for _, answer in cases) and len(denied) < 2:  # where the one does not hold
        return sym_not(denied[0]) if denied else True
    return functools.reduce(operator.or_, [test & answer for test, answer in cases if answer is not False])


def is_bound(value: Any) -> Any:
    """Whether a place that holds this holds a value at all: a truth."""
    return truth_of_options(value, lambda option: option is not NULL) if type(value) is SymbolicUnion else value is not NULL


def _are_one(left: Any, right: Any) -> Any:
    """The truth of ``left is right``, one of which is one of several; ``None`` if it is unknown."""
    union, other = (left, right) if type(left) is SymbolicUnion else (right, left)

    def tell(option: Any) -> bool | None:
        if type(option) in NATIVE_TYPES or type(other) in NATIVE_TYPES:
            return False if option is None or other is None else None
        if isinstance(option, tuple) and isinstance(other, tuple) and option is not other:
            return None
        return option is other

    return None if type(other) is SymbolicUnion else truth_of_options(union, tell)


def _compared(sign: str, left: Any, right: Any) -> Any:
    """The truth of a comparison of plain values, of which either may be one of several; ``None`` if
    some are not plain, or have no order.
    """
    if not all(type(option) in SCALARS for value in (left, right) for _, option in options_of(value)):
        return None
    try:
        return truth_of_pairs(COMPARE[sign], options_of(left), options_of(right))
    except TypeError:
        return None


def _short(vm: Machine, frame: Frame, name: str, arg: Any) -> bool:
    """Answer from the truths alone, if possible: the answer replaces the operands."""
    stack = frame.stack
    if name in ("POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE", "TO_BOOL", "UNARY_NOT"):
        truth = truth_of_options(stack[-1], _truth_of_option)
        if truth is not None:
            stack[-1] = truth
        return truth is not None
    if name not in _COMPARES:
        return False
    left, right = stack[-2:]
    truth = _compared(arg, left, right) if name == "COMPARE_OP" else _are_one(left, right)
    if name == "IS_OP" and arg and truth is not None:
        truth = sym_not(truth)
    if truth is not None:
        stack[-2:] = [truth]
    return truth is not None


@functools.cache
def _asking(handle: Handle, name: str) -> Handle:
    """The handler, before which the operands are examined."""
    count = FACTS[name].examines

    def ask(vm: Machine, frame: Frame, arg: Any) -> Any:
        stack = frame.stack
        number = count if type(count) is int else count(frame, arg)  # type: ignore[operator]
        if vm.world.partial_dicts:
            for place in range(len(stack) - number, len(stack)):  # what is known to be such a dict is looked into as well
                stack[place] = vm.world.known(stack[place]) if type(stack[place]) is SymbolicUnion else stack[place]
            if vm.world.looks_into(vm, frame, name, number, arg):
                return True
        for place in range(len(stack) - number, len(stack)):
            if type(stack[place]) is SymbolicUnion:
                stack[place] = union = vm.world.known(stack[place])
                writes = name in _WRITING or (name == "BINARY_OP" and arg in _ADDS)
                if type(union) is SymbolicUnion and (writes or _formats(frame, name, arg)):
                    stack[place] = union = vm.world.as_text_of_data(union)
                if type(union) is SymbolicUnion:
                    if name in ("POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE"):
                        return _jump_if_none(vm, frame, union, arg, name == "POP_JUMP_IF_NONE")
                    if _short(vm, frame, name, arg):
                        return None if name in _COMPARES else handle(vm, frame, arg)
                    if (name == "BINARY_SUBSCR" and _take_part(vm, frame)) or (name in _METHODS and _take_method(vm, frame, name, arg)):
                        return None
                    vm.world.ask(vm, frame, union)
                    return True
        return _run(vm, frame, handle, arg)

    if handle in KEEPING:
        KEEPING.add(ask)
    return ask


def called(stack: list[Any], name: str, arg: Any) -> tuple[int, Any]:
    """How many operands a call has, and what is called."""
    given = arg if name == "CALL" else arg[0] if name == "CALL_KW" else 1 + bool(arg)
    below, top = stack[-given - 2 : len(stack) - given]
    return given, below if below is not NULL else top


def writes_texts(fn: Any) -> bool:
    """Whether a C callable makes a text of texts, whichever these are."""
    return fn is str or (type(getattr(fn, "__self__", None)) is str and fn.__name__ in ("join", "format"))


def _formats(frame: Frame, name: str, arg: Any) -> bool:
    return name in ("CALL", "CALL_KW") and writes_texts(called(frame.stack, name, arg)[1])


def _take_part(vm: Machine, frame: Frame) -> bool:
    """Take a part of one of several texts, if possible: one of as many parts as differ."""
    union, index = frame.stack[-2:]
    places = (index.start, index.stop, index.step) if type(index) is slice else (index,)
    if not all(type(place) in (int, type(None)) for place in places) or type(union) is not SymbolicUnion:
        return False
    if not all(type(option) in (str, bytes) for option in union.options):
        return False
    found: dict[Any, list[Any]] = {}
    for test, option in options_of(union):
        try:
            part = option[index]
        except (IndexError, ValueError, TypeError):
            return False
        found.setdefault((type(part), part), []).append(test)
    parts, tests = [part for _, part in found], [functools.reduce(operator.or_, each) for each in found.values()]
    frame.stack[-2:] = [parts[0] if len(parts) == 1 else vm.world.one_of(tests[:-1], parts, union.name)]
    return True


def _take_method(vm: Machine, frame: Frame, name: str, attribute: str) -> bool:
    """Take a method of C of one of several texts or containers, if possible: the same truths tell
    which it is.
    """
    union = frame.stack[-1]
    methods = [_method_of_c(option, attribute) for option in union.options]
    if None in methods:
        return False
    frame.stack[-1] = vm.world.one_of(union.tests[:-1], methods, union.name)
    if name == "LOAD_METHOD":
        frame.stack.insert(-1, NULL)
    return True


def _method_of_c(value: Any, name: str) -> Any:
    """A method of C of a text or a container, or that of a container's stand-in; else ``None``."""
    stands_in = type(value) in NATIVE_TYPES
    cls = value.__class__ if stands_in else type(value)
    if cls not in (_CONTAINERS if stands_in else _WITH_METHODS) or not hasattr(cls, name):
        return None
    method = getattr(value, name, None)
    return method if type(method) is (MethodType if stands_in else BuiltinMethodType) else None


_METHODS, _COMPARES = frozenset({"LOAD_ATTR", "LOAD_METHOD"}), frozenset({"IS_OP", "COMPARE_OP"})
_CONTAINERS = frozenset({list, tuple, dict, set, frozenset, deque})
_WITH_METHODS = _CONTAINERS | {str, bytes}


def _jump_if_none(vm: Machine, frame: Frame, union: SymbolicUnion, target: int, wanted: bool) -> bool:
    truth = truth_of_options(union, lambda option: option is None)
    frame.stack.pop()
    if type(truth) is bool:
        frame.pc = target if truth is wanted else frame.pc
    elif not vm.world.choose(vm, frame, truth, *((target, frame.pc) if wanted else (frame.pc, target))):
        raise NeedsCaseSplit(union)
    return True


def _run(vm: Machine, frame: Frame, handle: Handle, arg: Any) -> Any:
    """Run the instruction; if C asks for a value in a container, again, once for each option.

    If the frame has moved on, what asks stands in a part of the program that the instruction began
    to capture, and is refused.
    """
    stack, place, mark = list(frame.stack), frame.pc, vm.world.mark()
    try:
        return handle(vm, frame, arg)
    except NeedsCaseSplit as raised:
        if vm.frame is not frame or frame.pc != place or vm.world.mark() != mark:
            raise
        asked = raised.with_traceback(None)
    frame.stack[:] = stack
    option = vm.world.known(asked.union)
    if type(option) is SymbolicUnion:
        vm.world.ask(vm, frame, option)
        return True
    found = False
    for place, value in enumerate(stack):
        frame.stack[place] = settled = _settled(value, asked.union, option)
        found |= settled is not value
    if not found:
        raise asked
    frame.pc -= 1
    return True


_DEPTH = 4


def _settled(value: Any, union: SymbolicUnion, option: Any, depth: int = _DEPTH) -> Any:
    """The value with the option in place of one of several; tuples and lists are rebuilt."""
    if value is union:
        return option
    if not depth or option is NULL:
        return value
    items = _items(value)
    found = [_settled(item, union, option, depth - 1) for item in items]
    if all(map(operator.is_, found, items)):
        return value
    if type(value) is dict:
        return dict(zip(value, found, strict=True))
    if type(value) is list:
        return found
    return value if type(value).__dictoffset__ else tuple.__new__(type(value), found)  # attributes would be lost


def _items(value: Any) -> list[Any]:
    """What C finds in a container."""
    if type(value) is dict:
        return list(value.values())
    if type(value) is list:
        return value
    return list(tuple.__iter__(value)) if issubclass(type(value), tuple) else []


def holds(value: Any, depth: int = _DEPTH) -> SymbolicUnion | None:
    """A value that is one of several, if a value is one or contains one."""
    if type(value) is SymbolicUnion:
        return value
    items = _items(value) if depth else []
    return next((found for item in items if (found := holds(item, depth - 1)) is not None), None)


ITERABLES = frozenset(
    {deque, dict, reversed, *map(type, ({}.keys(), {}.values(), iter([]), iter(()), iter({}), iter({}.values()), iter(deque())))}
    | {*map(type, (reversed([]), reversed({}), reversed({}.values()), reversed(deque())))}
)
"""Containers of C beside lists and tuples, and iterators over containers, which can be copied."""


@functools.cache
def _loading(handle: Handle) -> Handle:
    """The handler of an instruction that pushes a value, which may be known by now."""

    def load(vm: Machine, frame: Frame, arg: Any) -> Any:
        pushed = handle(vm, frame, arg)
        if not pushed and frame.stack and type(frame.stack[-1]) is SymbolicUnion:
            frame.stack[-1] = value = vm.world.known(frame.stack[-1])
            if type(value) is SymbolicUnion and any(option is NULL for option in value.options):
                value.ask()
        return pushed

    if handle in KEEPING:
        KEEPING.add(load)
    return load


@functools.cache
def _bound(handle: Handle, name: str) -> Handle:
    """The handler of a variable, before which it is checked whether the variable is bound."""
    of_cell = name.endswith("DEREF")

    def look(vm: Machine, frame: Frame, slot: int) -> Any:
        held = frame.fast[slot]
        value = next(iter(_contents(held)), NULL) if of_cell else held
        if type(value) is SymbolicUnion and any(option is NULL for option in value.options):
            value = vm.world.known(value)
            if type(value) is SymbolicUnion:
                vm.world.ask(vm, frame, value)
                return True
            if not of_cell:
                frame.fast[slot] = value
            elif value is NULL:
                del held.cell_contents
            else:
                held.cell_contents = value
        return handle(vm, frame, slot)

    return look


def _contents(cell: Any) -> list[Any]:
    try:
        return [cell.cell_contents]
    except ValueError:
        return []


def asking(info: CodeInfo, ops: Any) -> Any:
    """The operations of a code object; those that ask examine their operands first."""
    key = id(ops)
    found = info.asking.get(key)
    if found is None:
        names = [instruction.name for instruction in info.decoded.instructions]
        made = Operations((_wrapped(handle, name), arg) for (handle, arg), name in zip(ops, names, strict=True))
        found = info.asking[key] = (ops, made)  # which keeps the identity
    return found[1]


def _wrapped(handle: Handle, name: str) -> Handle:
    handle = _loading(handle) if name in _LOADS else handle
    return _asking(handle, name) if FACTS[name].examines != 0 else _bound(handle, name) if name in _VARIABLES else handle


def watch(frame: Frame) -> None:
    """From now on, the frame's instructions examine the operands that they ask."""
    if not is_watched(frame):
        frame.ops = asking(frame.info, frame.ops)


def is_watched(frame: Frame) -> bool:
    return any(frame.ops is made for _, made in frame.info.asking.values())
