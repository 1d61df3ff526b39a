"""Iterators of C over the items of sequences whose length is not a plain integer: generators with
plain loops, which run like those of the program
(`npexport.tracer.interpreter.generator_functions`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import GeneratorType
from typing import Any

from npexport.symshapes.functions import sym_max, sym_min
from npexport.symshapes.symint import SymInt, is_symbolic, python_type
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.structures_of_items import structure_of
from npexport.tracer.control.counters import along
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.generator_functions import runs_as_function
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.iteration import endless
from npexport.tracer.models.iteration.counted import QUANTIFIERS, SEQUENCES, is_argument
from npexport.tracer.models.polyfills import combining as polyfills
from npexport.tracer.models.registry import DECLINED


def _length(value: Any) -> Any:
    """The length of a sequence, ``None`` of anything else."""
    if type(value) in (tuple, list):
        return len(value)
    found = along(value) if type(value) in SEQUENCES else None
    return None if found is None else found[1]


def _is_sized(world: ShadowedWorld, values: Sequence[Any]) -> bool:
    """Whether these are sequences, of which one has a length that is not a plain integer."""
    if not world.counting or not all(type(value) in SEQUENCES for value in values):
        return False
    return any(type(_length(value)) is SymInt for value in values)


def _is_open(world: ShadowedWorld, vm: Machine, values: Sequence[Any]) -> bool:
    """Whether these are sequences and generators, of which one has a number of items that is no
    plain integer.
    """
    rest = [value for value in values if type(value) is not GeneratorType]
    if len(rest) == len(values) or not all(type(value) in SEQUENCES for value in rest):
        return _is_sized(world, values)
    return any(runs_as_function(vm, value) for value in values)


def product(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``itertools.product`` of up to three pools."""
    repeat = kwargs.get("repeat", 1)
    if kwargs.keys() - {"repeat"} or type(repeat) is not int or not _is_open(world, vm, args):
        return DECLINED
    polyfill: Any = polyfills.PRODUCTS.get(len(args) * repeat)
    return DECLINED if polyfill is None else Invoke(polyfills.of_pools, (polyfill, args, repeat))


def _choosing(chosen: dict[int, Callable[..., Any]]) -> Callable[..., Any]:
    """The model of an iterator over tuples of a number of items from one pool, by that number."""

    def model(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given = {**dict(zip(("iterable", "r"), args, strict=False)), **kwargs}
        if len(args) > 2 or given.keys() != {"iterable", "r"} or type(given["r"]) is not int:
            return DECLINED
        if given["r"] not in chosen or not _is_open(world, vm, [given["iterable"]]):
            return DECLINED
        return Invoke(polyfills.of_pools, (chosen[given["r"]], (given["iterable"],), 1))

    return model


combinations = _choosing({1: polyfills.product_of_one, 2: polyfills.pairs, 3: polyfills.triples})
combinations_with_replacement = _choosing({1: polyfills.product_of_one, 2: polyfills.pairs_with_replacement})
permutations = _choosing({1: polyfills.product_of_one, 2: polyfills.ordered_pairs})


def _over(polyfill: Callable[..., Any], most: int = 1) -> Callable[..., Any]:
    """The model of an iterator over up to ``most`` sequences, which it reads as it goes on."""

    def model(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if kwargs or not 1 <= len(args) <= most or not _is_open(world, vm, args):
            return DECLINED
        return Invoke(polyfill, args)

    return model


pairwise = _over(polyfills.neighbours)
_chain = _over(polyfills.one_after_the_other, most=8)
from_iterable = _over(polyfills.of_each)
_cycle = _over(polyfills.again_and_again)


def chain(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``itertools.chain``. Each of two or three generators gets a loop of its own."""
    found = _chain(world, vm, fn, args, kwargs)
    if found is DECLINED or GeneratorType not in map(type, args) or len(args) not in polyfills.IN_TURN:
        return found
    return Invoke(polyfills.IN_TURN[len(args)], args)


def cycle(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``itertools.cycle``."""
    if len(args) == 1 and world.counting and type(args[0]) in SEQUENCES and is_argument(vm, (zip,)):
        found = endless.cycled(args[0])
        if found is not None:
            return found
    if GeneratorType in map(type, args):  # C keeps what it has yielded
        return DECLINED
    model: Any = _cycle(world, vm, fn, args, kwargs)
    return model if model is DECLINED or endless.stays(world, vm, args[0]) else DECLINED


def zip_longest(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``itertools.zip_longest`` of two or three sequences."""
    if kwargs.keys() - {"fillvalue"} or len(args) not in (2, 3) or range in map(type, args) or not _is_sized(world, args):
        return DECLINED
    if not all(endless.stays(world, vm, each) for each in args if type(each) in (list, FilledList)):
        return DECLINED
    polyfill: Any = polyfills.pairs_filled_up if len(args) == 2 else polyfills.triples_filled_up
    return Invoke(polyfill, (kwargs.get("fillvalue"), functools.reduce(sym_max, map(_length, args)), *args))


def repeat(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``itertools.repeat`` of a number of times that is not a plain integer."""
    given = {**dict(zip(("object", "times"), args, strict=False)), **kwargs}
    if len(args) > 2 or given.keys() != {"object", "times"} or type(given["times"]) is not SymInt or not world.counting:
        return DECLINED
    return Invoke(polyfills.repeated, (given["object"], given["times"]))


def groupby(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``itertools.groupby`` of a sequence of numbers: its groups are slices."""
    given = {**dict(zip(("iterable", "key"), args, strict=False)), **kwargs}
    items: Any = given.get("iterable")
    if len(args) > 2 or given.keys() - {"iterable", "key"} or not world.captures:
        return DECLINED
    of_data = type(items) is list and any(map(is_symbolic, items)) and len({python_type(item) for item in items}) == 1
    if not (of_data or type(items) is FilledList or (type(items) is ArrayProxy and items.ndim == 1 and not items.known)):
        return DECLINED
    if not endless.stays(world, vm, items):
        return DECLINED
    items = FilledList.of(structure_of(items[0]), items) if of_data else items
    return Invoke(polyfills.groups, (items, given.get("key")))


def starmap(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``itertools.starmap``."""
    if kwargs or len(args) != 2:
        return DECLINED
    asked = world.captures and type(args[1]) in (*SEQUENCES, zip) and is_argument(vm, QUANTIFIERS)
    return Invoke(polyfills.with_arguments, args) if asked or _is_open(world, vm, args[1:]) else DECLINED


def reduce(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``functools.reduce``."""
    if kwargs or not 2 <= len(args) <= 3 or not _is_open(world, vm, args[1:2]):
        return DECLINED
    return Invoke(polyfills.reduced, args)


def islice(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``itertools.islice`` of a sequence, which no other iterator shares, or of a generator that
    yields as data decide.
    """
    if not kwargs and 2 <= len(args) <= 4 and runs_as_function(vm, args[0]):
        start, stop, step = (0, args[1], 1) if len(args) == 2 else (args[1] or 0, args[2], args[3] if len(args) == 4 else 1)
        if all(type(number) is int and number >= 0 for number in (start, stop, step)) and step:
            return Invoke(polyfills.first_items, (args[0], start, stop, step))
    if kwargs or not 2 <= len(args) <= 4 or type(args[0]) is FilledList or not _is_sized(world, args[:1]):  # a list may grow meanwhile
        return DECLINED
    start, stop, step = (0, args[1], 1) if len(args) == 2 else (*args[1:], 1)[:3]
    start, step, length = start or 0, 1 if step is None else step, _length(args[0])
    if not all(type(number) is int and number >= 0 for number in (start, step)) or not step:
        return DECLINED
    if stop is not None and (type(stop) not in (int, SymInt) or stop < 0):
        return DECLINED
    return Invoke(polyfills.part, (args[0], start, length if stop is None else sym_min(stop, length), step))
