"""``enumerate``, ``zip``, ``reversed`` and ``map`` of ranges, arrays and lists of any length.

They are something else only where nothing of the program ever sees it: a counter instead of the
iterator where the next instruction begins a loop over it; where ``list`` and its kin take it
(``sorted(zip(a, b))``), and its length is not a plain integer, a generator with such a loop.
"""

from __future__ import annotations

import functools
import itertools
import operator
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any, NamedTuple

from npexport.symshapes.env import known
from npexport.symshapes.functions import sym_min
from npexport.symshapes.symint import SymInt, python_type
from npexport.symshapes.symrange import SymRange
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.control.counters import (
    BACKWARDS,
    CONTAINERS,
    Numbers,
    ZippedItems,
    along,
    is_counted,
    kept,
    left_of,
    lists_of,
    rest_of,
)
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter import polyfills
from npexport.tracer.interpreter.counting import Counting
from npexport.tracer.interpreter.frame import NULL, Frame, Machine
from npexport.tracer.interpreter.generator_functions import runs_as_function
from npexport.tracer.interpreter.symbolic_union import holds
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.iteration import endless
from npexport.tracer.models.polyfills import selecting
from npexport.tracer.models.registry import DECLINED, Feed, models


class _Use(NamedTuple):
    """The call that takes a value: the callee, the instruction after the call, how many values lie
    below its result, and whether Python of the program may run before.
    """

    callee: Any
    after: int
    depth: int
    later: bool


def _use(vm: Machine, index: int, depth: int) -> _Use | None:
    """The call that takes the value that the instruction before ``index`` leaves on ``depth``
    others.
    """
    frame = vm.current_frame
    instructions, above, later = frame.info.decoded.instructions, 1, False
    name, arg = instructions[index][:2]
    while name in _PUSHED and (name != "CALL" or arg + 2 < above):  # other arguments, above the value on the stack
        above += 1 - _PUSHED[name](arg)
        if above < 2:
            return None
        later |= name not in _LOADS and not _is_quiet(frame, index)
        index += 1
        name, arg = instructions[index][:2]
    count = arg if name == "CALL" else arg[0] if name == "CALL_KW" else 0
    below = depth - (count - above)  # the callee is below the arguments before the value
    callees = [each for each in frame.stack[max(below - 2, 0) : below] if each is not NULL]
    return _Use(callees[0], index + 1, below - 2, later) if count >= above and len(callees) == 1 else None


def _is_quiet(frame: Frame, index: int) -> bool:
    """Whether an instruction calls a builtin that makes an iterator of variables, of which each
    holds something whose iteration is not Python of the program.
    """
    instructions = frame.info.decoded.instructions
    name, count, _ = instructions[index]
    if name != "CALL" or index < count + 2:
        return False
    before = {name: arg for name, arg, _ in instructions[index - count - 2 : index - count]}  # in one order or the other
    function = before.get("LOAD_GLOBAL") if "PUSH_NULL" in before else None
    if function not in _QUIET or function in frame.globals:
        return False
    slots = [arg for name, arg, _ in instructions[index - count : index] if name == "LOAD_FAST"]
    return len(slots) == count and all(type(frame.fast[slot]) in (*SEQUENCES, *CONTAINERS) for slot in slots)


_QUIET = frozenset({"enumerate", "range", "reversed", "zip"})


def _way(vm: Machine) -> list[_Use]:
    """The calls of ``enumerate`` and ``zip`` through which the result of the current call goes, and
    the call that takes it then, if there is one.
    """
    frame = vm.current_frame
    uses, index, depth = list[_Use](), frame.pc, len(frame.stack)
    while (use := _use(vm, index, depth)) is not None:
        uses.append(use)
        if not any(use.callee is one for one in _THROUGH):
            break
        index, depth = use.after, use.depth
    return uses


_THROUGH = enumerate, zip
"""What makes an iterator of iterators."""


def begins_loop(vm: Machine, items: Any = None) -> bool:
    """Whether a loop uses the result of the current call, perhaps through ``enumerate`` or
    ``zip``, or what takes all of such an iterator. ``items``: what the call gives; of lists nothing
    that runs before the loop may change the length.
    """
    frame = vm.current_frame
    if not frame.info.decoded.instructions[frame.pc - 1].name.startswith("CALL"):
        return False
    uses = _way(vm)
    if any(use.later for use in uses) and lists_of(items):
        return False
    if uses and not any(uses[-1].callee is one for one in _THROUGH):
        return len(uses) > 1 and any(uses[-1].callee is taker for taker in (*_TAKERS, *_KEEPERS))
    instructions = frame.info.decoded.instructions
    index, depth = (uses[-1].after, uses[-1].depth) if uses else (frame.pc, len(frame.stack))
    if instructions[index].name != "GET_ITER":
        return False
    while instructions[index + 1].name in _AROUND:
        index += 1
    if instructions[index + 1][:2] == ("CALL", 0):  # of a comprehension's own function
        function = next((each for each in reversed(frame.stack[:depth]) if each is not NULL), None)
        return isinstance(function, types.FunctionType) and function.__name__ in _COMPREHENSIONS
    return instructions[index + 1].name in ("FOR_ITER", "FOR_COPY", "ENTER_GENERATOR")


_AROUND = frozenset({"LOAD_FAST_AND_CLEAR", "SWAP", "BUILD_LIST", "BUILD_SET", "BUILD_MAP"})
"""The instructions of a comprehension before its loop."""
_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})


def _counter(world: ShadowedWorld, lengths: list[Any], items: Any) -> Any:
    """The counter of items by their position."""
    length = lengths[0]
    for other in lengths[1:]:
        length = sym_min(length, other)
    counter = Counting(0, length, 1, items)
    if is_counted(world, length):
        return counter
    return rest_of(counter, "") if type(length) is int and lists_of(items) else DECLINED


def _taken(world: ShadowedWorld, vm: Machine, found: list[Any], iterator: Any, args: tuple[Any, ...]) -> Any:
    """What the result of the current call is, if it is taken whole, and a loop goes over all of
    these, and over one of a length that is not a plain integer. ``iterator``: the generator.
    """
    if None in found or not any(type(length) is SymInt and is_counted(world, length) for _, length in found):
        return DECLINED
    if is_argument(vm, _KEEPERS):
        return Invoke(selecting.collected, (iterator, args))
    return Invoke(iterator, args) if is_argument(vm, _TAKERS) else DECLINED


def is_argument(vm: Machine, takers: tuple[Any, ...]) -> bool:
    """Whether the result of the current call is an argument of one of these."""
    frame = vm.current_frame
    use = _use(vm, frame.pc, len(frame.stack))
    return use is not None and any(use.callee is taker for taker in takers)


def is_taken(vm: Machine) -> bool:
    """Whether the result of the current call is taken whole before Python of the program runs."""
    return is_argument(vm, (*_TAKERS_BY_THEMSELVES, *_KEEPERS))


_OF_ITERTOOLS = itertools.starmap, itertools.product, itertools.combinations, itertools.permutations, itertools.chain
QUANTIFIERS = any, all
_TAKERS_BY_THEMSELVES = list, tuple, set, frozenset, sum
_TAKERS = (*_TAKERS_BY_THEMSELVES, dict, sorted, max, min, functools.reduce, *QUANTIFIERS, *_OF_ITERTOOLS)
_KEEPERS = Counter, OrderedDict, defaultdict, deque
"""What takes a list as it takes an iterator."""
SEQUENCES = SymRange, range, FilledList, ArrayProxy, tuple, list
"""Whose items a number finds."""
_LOADS = frozenset("LOAD_CONST LOAD_FAST LOAD_GLOBAL LOAD_NAME LOAD_DEREF LOAD_CLOSURE PUSH_NULL".split())
"""Instructions that run no Python of the program."""
_PUSHED: dict[str, Callable[[Any], int]] = {
    **dict.fromkeys(_LOADS, lambda arg: 0),
    **dict.fromkeys(("LOAD_ATTR", "UNARY_OP"), lambda arg: 1),
    **dict.fromkeys(("BINARY_OP", "BINARY_SUBSCR"), lambda arg: 2),
    **dict.fromkeys(("BUILD_LIST", "BUILD_SLICE"), lambda arg: arg),
    "CALL": lambda arg: arg + 2,
    "BUILD_TUPLE": lambda arg: arg,
    "MAKE_FUNCTION": lambda flags: 1 + flags.bit_count(),
}
"""How many values these instructions take from the stack, on which they put one."""


def _has_to_be_a_loop(vm: Machine, value: Any, start: Any) -> bool:
    """Whether C cannot number these: a generator that runs as a function, or by a start that is not
    a plain integer.
    """
    return runs_as_function(vm, value) or (type(start) is SymInt and type(value) in (list, tuple, dict))


def _of_known_length(world: ShadowedWorld, vm: Machine, value: Any) -> Any:
    """The items, and their number, of a container, or of an iterator over some that nobody holds.
    They may not change from now on.
    """
    if type(value) in CONTAINERS:
        value = iter(value)
    elif type(value) not in (*_THROUGH, BACKWARDS) or not world.alone(vm, value):
        return None
    if type(value) not in _THROUGH and operator.length_hint(value) == 0:
        return ZippedItems(()), 0  # no item is asked for
    found = left_of(value)
    return None if found is None else (kept(found.items, found.containers), found.length)


def _of_iterators(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of C whose arguments it iterates over: of a counter, which stands for an iterator, the
    number of items becomes a constant.
    """
    if Counting not in map(type, args):
        return DECLINED
    reason = f"`{fn.__name__}` takes its items one by one"
    return Invoke(fn, tuple([rest_of(arg, reason) if type(arg) is Counting else arg for arg in args]), kwargs)


@models("builtins", "enumerate", pure=True, iterates="items", feeds=Feed(polyfills.iterate, only_first=True))
def enumerate_(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Of a range or an array, or of several."""
    start = kwargs["start"] if kwargs.keys() == {"start"} else args[1] if len(args) == 2 else 0
    found = along(args[0]) if args and len(args) + len(kwargs) <= 2 and kwargs.keys() <= {"start"} else None
    numbers = found is None and args and python_type(start) is int and _has_to_be_a_loop(vm, args[0], start)
    if numbers and (begins_loop(vm) or is_argument(vm, _TAKERS)):
        return Invoke(polyfills.numbered, (args[0], start))
    if found is None or python_type(start) is not int:
        return _of_iterators(enumerate, args, kwargs)
    if not begins_loop(vm, found[0]):
        return _taken(world, vm, [found], selecting.numbered, (args[0], start))
    return _counter(world, [found[1]], ZippedItems((Numbers(start, 1), found[0])))


@models("builtins", "zip", pure=True, iterates="items", feeds=Feed(polyfills.iterate))
def zip_(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Of ranges and arrays, perhaps beside containers, and iterators that never end."""
    ends, strict = [along(arg) for arg in args], kwargs.get("strict", False)
    if any(end is not None and type(end[1]) is SymInt and is_counted(world, end[1]) for end in ends):
        ends = [_of_known_length(world, vm, arg) if end is None else end for arg, end in zip(args, ends, strict=True)]
    lengths = [end[1] for end in ends if end is not None]
    found = [endless.endless(world, vm, arg) if end is None else end[0] for arg, end in zip(args, ends, strict=True)]
    equal = strict is False or (len(lengths) == len(args) and all(known(length == lengths[0]) is True for length in lengths))
    together: Any = DECLINED
    if not kwargs.keys() - {"strict"} and lengths and None not in found and equal:
        items = ZippedItems(tuple(found))
        if begins_loop(vm, items):
            together = _counter(world, lengths, items)
        else:
            length = functools.reduce(sym_min, lengths)
            plain = all(type(arg) in SEQUENCES for arg in args)
            iterator, given = (selecting.together, args) if plain else (selecting.each_of, (Counting(0, length, 1, items),))
            together = _taken(world, vm, ends if plain else [(items, length)], iterator, given)
    if together is not DECLINED and not endless.stay(world, vm, args):
        together = DECLINED
    if together is DECLINED and any(type(arg) is endless.Cycled for arg in args):
        return Invoke(zip, tuple(map(endless.made, args)), kwargs)
    return _of_iterators(zip, args, kwargs) if together is DECLINED else together


@models("builtins", "reversed", pure=True, calls=polyfills.reversed_)
def reversed_(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Of a range or an array."""
    found = along(args[0]) if len(args) == 1 and not kwargs else None
    if found is None or not is_counted(world, found[1]):
        return DECLINED
    items, length = found
    if not begins_loop(vm, items):
        return _taken(world, vm, [found], selecting.backwards, args)
    if type(items) is Numbers:
        return Counting(items(length - 1), items.start - items.step, -items.step)
    return Counting(length - 1, -1, -1, items)


@models("builtins", "map", pure=True, iterates="items", calls=polyfills.map_)
def map_(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Of ranges and arrays."""
    if kwargs or len(args) < 2:
        return DECLINED
    if len(args) == 2 and runs_as_function(vm, args[1]):
        return Invoke(selecting.each_mapped, args)
    asked = world.captures and is_argument(vm, QUANTIFIERS) and all(type(each) in SEQUENCES for each in args[1:])
    if asked or (world.asks and holds(args[1:]) is not None):  # C does not look at what is one of several
        return Invoke(selecting.mapped, args)
    return _taken(world, vm, list(map(along, args[1:])), selecting.mapped, args)
