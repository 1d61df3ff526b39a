"""``enumerate``, ``zip`` and ``reversed`` of ranges and arrays: a counter instead of the iterator.

They return one only if the next instruction begins a loop over it, so that nothing else of the
program ever sees it; everywhere else they return what C makes.
"""

from __future__ import annotations

import types
from typing import Any

from npexport.symshapes.env import known
from npexport.symshapes.functions import sym_min
from npexport.symshapes.symint import python_type
from npexport.tracer.control.counters import Numbers, ZippedItems, along, is_counted
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter import polyfills
from npexport.tracer.interpreter.counting import Counting
from npexport.tracer.interpreter.frame import NULL, Machine
from npexport.tracer.interpreter.generator_functions import runs_as_function
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.registry import DECLINED, Feed, models


def _begins_loop(vm: Machine) -> bool:
    """Whether a loop uses the result of the current call, perhaps through ``enumerate``."""
    frame: Any = vm.frame
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
    return instructions[index + 1].name in ("FOR_ITER", "ENTER_GENERATOR")


_AROUND = frozenset({"LOAD_FAST_AND_CLEAR", "SWAP", "BUILD_LIST", "BUILD_SET", "BUILD_MAP"})
"""The instructions of a comprehension before its loop."""
_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})


def _counter(world: ShadowedWorld, lengths: list[Any], items: Any) -> Any:
    """The counter of items by their position."""
    length = lengths[0]
    for other in lengths[1:]:
        length = sym_min(length, other)
    return Counting(0, length, 1, items) if is_counted(world, length) else DECLINED


@models("builtins", "enumerate", pure=True, iterates="items", feeds=Feed(polyfills.iterate, only_first=True))
def enumerate_(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Of a range or an array, or of several."""
    start = kwargs["start"] if kwargs.keys() == {"start"} else args[1] if len(args) == 2 else 0
    found = along(args[0]) if args and len(args) + len(kwargs) <= 2 and kwargs.keys() <= {"start"} else None
    if found is None and args and python_type(start) is int and runs_as_function(vm, args[0]) and _begins_loop(vm):
        return Invoke(polyfills.numbered, (args[0], start))
    if found is None or python_type(start) is not int or not _begins_loop(vm):
        return DECLINED
    return _counter(world, [found[1]], ZippedItems((Numbers(start, 1), found[0])))


@models("builtins", "zip", pure=True, iterates="items", feeds=Feed(polyfills.iterate))
def zip_(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Of ranges and arrays."""
    found = [each for each in map(along, args) if each is not None]
    lengths = [length for _, length in found]
    uneven = kwargs.get("strict", False) is not False and any(known(length == lengths[0]) is not True for length in lengths)
    if kwargs.keys() - {"strict"} or not found or len(found) < len(args) or uneven or not _begins_loop(vm):
        return DECLINED
    return _counter(world, lengths, ZippedItems(tuple([items for items, _ in found])))


@models("builtins", "reversed", pure=True, calls=polyfills.reversed_)
def reversed_(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Of a range or an array."""
    found = along(args[0]) if len(args) == 1 and not kwargs else None
    if found is None or not is_counted(world, found[1]) or not _begins_loop(vm):
        return DECLINED
    items, length = found
    if type(items) is Numbers:
        return Counting(items(length - 1), items.start - items.step, -items.step)
    return Counting(length - 1, -1, -1, items)
