"""``enumerate``, ``zip``, ``reversed`` and ``map`` of ranges, arrays and lists of any length.

They are something else only where nothing of the program ever sees it: a counter instead of the
iterator where the next instruction begins a loop over it; where ``list`` and its kin take it
(``sorted(zip(a, b))``), and its length is not a plain integer, a generator with such a loop.
"""

from __future__ import annotations

import functools
import itertools
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

from npexport.symshapes.env import known
from npexport.symshapes.functions import sym_min
from npexport.symshapes.symint import SymInt, python_type
from npexport.symshapes.symrange import SymRange
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.control.counters import Numbers, ZippedItems, along, is_counted
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter import polyfills
from npexport.tracer.interpreter.counting import Counting
from npexport.tracer.interpreter.frame import NULL, Machine
from npexport.tracer.interpreter.generator_functions import runs_as_function
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models import endless
from npexport.tracer.models.polyfills import selecting
from npexport.tracer.models.registry import DECLINED, Feed, models


def _begins_loop(vm: Machine) -> bool:
    """Whether a loop uses the result of the current call, perhaps through ``enumerate``."""
    frame = vm.current_frame
    if not frame.info.decoded.instructions[frame.pc - 1].name.startswith("CALL"):
        return False
    instructions, index, depth = frame.info.decoded.instructions, frame.pc, len(frame.stack)
    while instructions[index][:2] == ("CALL", 1):
        callee = [each for each in frame.stack[max(depth - 2, 0) : depth] if each is not NULL]
        if len(callee) != 1 or callee[0] is not enumerate:
            return False
        index, depth = index + 1, depth - 2
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
    return Counting(0, length, 1, items) if is_counted(world, length) else DECLINED


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
    instructions, index, above = frame.info.decoded.instructions, frame.pc, 1
    name, arg = instructions[index][:2]
    while name in _PUSHED and (name != "CALL" or arg + 2 < above):  # other arguments, above the result on the stack
        above += 1 - _PUSHED[name](arg)
        if above < 2:
            return False
        index += 1
        name, arg = instructions[index][:2]
    count = arg if name == "CALL" else arg[0] if name == "CALL_KW" else 0
    below = len(frame.stack) - (count - above)  # the callee is below the arguments before the result
    return count >= above and any(each is taker for each in frame.stack[max(below - 2, 0) : below] for taker in takers)


_OF_ITERTOOLS = itertools.starmap, itertools.product, itertools.combinations, itertools.permutations, itertools.chain
QUANTIFIERS = any, all
_TAKERS = (list, tuple, dict, set, frozenset, sorted, max, min, sum, functools.reduce, *QUANTIFIERS, *_OF_ITERTOOLS)
_KEEPERS = Counter, OrderedDict, defaultdict, deque
"""What takes a list as it takes an iterator."""
SEQUENCES = SymRange, range, FilledList, ArrayProxy, tuple, list
"""Whose items a number finds."""
_PUSHED: dict[str, Callable[[Any], int]] = {
    **dict.fromkeys("LOAD_CONST LOAD_FAST LOAD_GLOBAL LOAD_NAME LOAD_DEREF LOAD_CLOSURE PUSH_NULL".split(), lambda arg: 0),
    "LOAD_ATTR": lambda arg: 1,
    "CALL": lambda arg: arg + 2,
    "BUILD_TUPLE": lambda arg: arg,
    "MAKE_FUNCTION": lambda flags: 1 + flags.bit_count(),
}
"""How many values these instructions take from the stack, on which they put one."""


@models("builtins", "enumerate", pure=True, iterates="items", feeds=Feed(polyfills.iterate, only_first=True))
def enumerate_(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Of a range or an array, or of several."""
    start = kwargs["start"] if kwargs.keys() == {"start"} else args[1] if len(args) == 2 else 0
    found = along(args[0]) if args and len(args) + len(kwargs) <= 2 and kwargs.keys() <= {"start"} else None
    if found is None and args and python_type(start) is int and runs_as_function(vm, args[0]) and _begins_loop(vm):
        return Invoke(polyfills.numbered, (args[0], start))
    if found is None or python_type(start) is not int:
        return DECLINED
    if not _begins_loop(vm):
        return _taken(world, vm, [found], selecting.numbered, (args[0], start))
    return _counter(world, [found[1]], ZippedItems((Numbers(start, 1), found[0])))


@models("builtins", "zip", pure=True, iterates="items", feeds=Feed(polyfills.iterate))
def zip_(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Of ranges and arrays, perhaps beside iterators that never end."""
    ends, strict = [along(arg) for arg in args], kwargs.get("strict", False)
    lengths = [end[1] for end in ends if end is not None]
    found = [endless.endless(world, vm, arg) if end is None else end[0] for arg, end in zip(args, ends, strict=True)]
    equal = strict is False or (len(lengths) == len(args) and all(known(length == lengths[0]) is True for length in lengths))
    together: Any = DECLINED
    if not kwargs.keys() - {"strict"} and lengths and None not in found and equal:
        items = ZippedItems(tuple(found))
        if _begins_loop(vm):
            together = _counter(world, lengths, items)
        else:
            length = functools.reduce(sym_min, lengths)
            plain = None not in ends
            iterator, given = (selecting.together, args) if plain else (selecting.each_of, (Counting(0, length, 1, items),))
            together = _taken(world, vm, ends if plain else [(items, length)], iterator, given)
    if together is not DECLINED and not endless.stay(world, vm, args):
        together = DECLINED
    if together is DECLINED and any(type(arg) is endless.Cycled for arg in args):
        return Invoke(zip, tuple(map(endless.made, args)), kwargs)
    return together


@models("builtins", "reversed", pure=True, calls=polyfills.reversed_)
def reversed_(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Of a range or an array."""
    found = along(args[0]) if len(args) == 1 and not kwargs else None
    if found is None or not is_counted(world, found[1]):
        return DECLINED
    if not _begins_loop(vm):
        return _taken(world, vm, [found], selecting.backwards, args)
    items, length = found
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
    if world.captures and is_argument(vm, QUANTIFIERS) and all(type(each) in SEQUENCES for each in args[1:]):
        return Invoke(selecting.mapped, args)
    return _taken(world, vm, list(map(along, args[1:])), selecting.mapped, args)
