"""``bisect`` and ``heapq``, if the data decide the comparisons: interpreted from
`npexport.tracer.models.polyfills.searches`.
"""

from __future__ import annotations

import functools
import operator
from typing import Any, NamedTuple

import numpy as np

from npexport.ir.arguments import leaves_of
from npexport.ir.meta import TensorMeta
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import python_type
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.item_structures import is_tuple, metas_of
from npexport.tracer.arrays.core.new_numbers import is_new
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.effects.world import ShadowedWorld, current_world
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.program import unanswered
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.callables.callbacks import is_modelled
from npexport.tracer.models.containers.comparing import Items, may_be_ordered_by_data
from npexport.tracer.models.containers.reordered_objects import require_unheld
from npexport.tracer.models.containers.sorting import compared_parts, comparison_raises, floats_in, is_data, refusal, reordered
from npexport.tracer.models.host_calls import run
from npexport.tracer.models.iteration.counted import begins_loop, is_taken
from npexport.tracer.models.iteration.endless import stays
from npexport.tracer.models.polyfills import comparing, searches
from npexport.tracer.models.registry import models

MODULE = "heapq"
_HEAPS = "heapify heappush heappop heapreplace heappushpop".split()
_OF_MAXIMA = {f"{prefix}{name}_max": name for prefix in ("", "_") for name in _HEAPS}
"""Of heaps whose first item is the largest; their names begin with ``_`` before CPython 3.14."""
_UNLESS_NAN = dict.fromkeys(_HEAPS, searches.below_unless_nan) | dict.fromkeys(_OF_MAXIMA, searches.above_unless_nan)
_OF_NUMBERS = dict.fromkeys(_HEAPS, searches.numbers_below) | dict.fromkeys(_OF_MAXIMA, searches.numbers_above)
"""How the items of a heap compare that are tuples whose floats may be one object in two of them."""
_SEARCHES = "bisect_left bisect_right insort_left insort_right".split()
_MAY_BE_ONE = "a float in a tuple may be one object in two of them, which are equal then even if it is NaN"
POLYFILLS = {name: getattr(searches, name) for name in (*_HEAPS, *_SEARCHES)}
POLYFILLS |= {name: functools.partial(POLYFILLS[heap], better=searches.above) for name, heap in _OF_MAXIMA.items()}


class Apart(NamedTuple):
    """A heap after an operation: its items, and the floats that have ever been in its tuples, each
    an object of its own.

    Python considers an object in a tuple equal to itself, even NaN.
    """

    heap: list[Any]
    items: list[Any]
    floats: set[Any]


def _call(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    values: Any = args[0] if args else None
    if type(values) is FilledList:
        polyfill = POLYFILLS[fn.__name__]
        if not is_tuple(values.item) or not any(dtype.kind in "fc" for _, dtype in metas_of(values.item)):
            return Invoke(polyfill, args, kwargs)
        if fn.__name__ not in _UNLESS_NAN or kwargs:
            raise refusal(_MAY_BE_ONE)
        return Invoke(polyfill, args, {"better": _better(fn.__name__, [values.item, *args[1:2]])})
    if type(values) is ArrayProxy and values.ndim == 1 and world.captures and fn.__name__.startswith("bisect"):
        return Invoke(POLYFILLS[fn.__name__], args, kwargs)
    many = world.captures and type(values) is list and fn.__name__ in _HEAPS and len(values) + len(args[1:2]) > 1
    if many and may_be_ordered_by_data([*values, *args[1:2]], is_data):
        operation = POLYFILLS[fn.__name__]
        return Invoke(comparing.on_heap, (_items_on_heap, comparison_raises, operation, values, list(args[1:2])))
    data = type(values) in (list, tuple) and any(map(is_data, (*values, *args[1:2])))
    if not (data and world.captures) and not is_modelled(world, kwargs.get("key")):
        return run(world, vm, fn, args, kwargs)
    polyfill = POLYFILLS[fn.__name__]
    if not any(map(is_tuple, (*values, *args[1:2]))):
        return Invoke(polyfill, args, kwargs)
    if fn.__name__ in _SEARCHES:
        items = [*values, *args[1:2]]
        _require_apart(set(), items if "key" in kwargs else compared_parts(items))
        return Invoke(polyfill, args, kwargs)
    known = world.apart.get(id(values))
    same = known is not None and len(known.items) == len(values) and all(map(operator.is_, known.items, values))
    floats: set[Any] = set(known.floats) if same and known is not None else set()
    items = [*([] if same else values), *args[1:2]]
    try:
        _require_apart(floats, items)
    except Unsupported:
        if fn.__name__ not in _UNLESS_NAN:
            raise
        return Invoke(polyfill, args, {"better": _better(fn.__name__, [*values, *args[1:2]])})
    return Invoke(searches.followed, (polyfill, args, lambda: world.apart.update({id(values): Apart(values, values[:], floats)})))


def _items_on_heap(items: list[Any], heap: list[Any], given: list[Any]) -> Items:
    world = current_world()
    check = functools.partial(require_unheld, world, world.host.vm, items, [items, heap, given], refusal)
    return Items(items, items, check, reordered, refusal)


def _better(name: str, items: list[Any]) -> Any:
    """How tuples compare whose floats may be one object in two of them. Raises ``Unsupported``."""
    if _by_numbers(items):
        return _OF_NUMBERS[name]
    if any(is_tuple(part) for item in items if is_tuple(item) for part in item):
        raise refusal(_MAY_BE_ONE)
    return _UNLESS_NAN[name]


def _by_numbers(items: list[Any]) -> bool:
    """Whether items, or structures of items, are tuples of real numbers, each of one kind, and of
    such tuples, which then are alike.
    """
    shapes = set(map(_shape, items))
    nested = any(part for shape in shapes for part in shape or ())
    return not {None, ()} & shapes and (len(shapes) == 1 or not nested)


def _shape(value: Any) -> tuple[Any, ...] | None:
    """The shapes of the parts of a tuple; a number has none, and there is none of anything else."""
    if type(value) is tuple:
        shapes = tuple(map(_shape, value))
        return None if None in shapes else shapes
    kind = value if isinstance(value, type) else python_type(value)
    of_numpy = isinstance(value, (TensorMeta, ScalarProxy, np.generic)) and not value.ndim and value.dtype.kind in "biuf"
    return () if kind in (int, float, bool) or of_numpy else None


def _require_apart(floats: set[Any], items: list[Any]) -> None:
    """Raises if a float of the items may be the same object as one of these; adds them."""
    for item in items:
        for leaf in leaves_of(tuple(item)) if is_tuple(item) else ():
            if python_type(leaf) is not float and getattr(leaf, "dtype", np.dtype(int)).kind != "f":
                continue
            if is_data(leaf):
                node = recorder().argument(leaf)
                if node in floats or not is_new(node):
                    raise refusal(_MAY_BE_ONE)
                floats.add(node)
            elif not getattr(leaf, "ndim", 0) and leaf != leaf:
                raise refusal("a tuple holds NaN")


def _extremes(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``heapq.nlargest`` and ``heapq.nsmallest``."""
    given = dict(zip(("n", "iterable", "key"), args, strict=False)) | kwargs
    count, values, key = given.get("n"), given.get("iterable"), given.get("key")
    if type(count) is not int or count < 1 or len(given) < len(args) + len(kwargs) or not _may_be_of_data(world, [values], key):
        return _library(fn, args, kwargs)
    return Invoke(searches.extremes, (unanswered(fn), _are_of_data, floats_in, count, values, key, fn.__name__ == "nlargest"))


def _are_of_data(keys: Any) -> bool:
    return type(keys) is FilledList or any(map(is_data, keys))


def _merge(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``heapq.merge`` of sequences, which are read at once: they do not change while a loop goes
    over the items.
    """
    key, reverse = kwargs.get("key"), kwargs.get("reverse", False)
    known = type(reverse) is bool and not kwargs.keys() - {"key", "reverse"} and all(type(values) in _SEQUENCES for values in args)
    if not known or not _may_be_of_data(world, args, None):
        return _library(fn, args, kwargs)
    call = floats_in, args, key, reverse
    if is_taken(vm):
        return Invoke(searches.merge, call)
    held = [values for values in args if type(values) is list and not world.alone(vm, values)]
    if not begins_loop(vm) or not all(stays(world, vm, values) for values in args if not any(values is one for one in held)):
        return _library(fn, args, kwargs)
    return Invoke(searches.merge_kept, (call, (*held,), _Kept(held))) if held else Invoke(searches.merge, call)


class _Kept:
    """Raises ``Unsupported`` (E103) if one of these lists is not what it was, or another stands for
    it: the program holds them, so that it gets the one that a captured loop fills.
    """

    def __init__(self, lists: list[list[Any]]) -> None:
        self.items = [values[:] for values in lists]

    def __call__(self, lists: tuple[Any, ...]) -> None:
        for values, items in zip(lists, self.items, strict=True):
            if type(values) is not list or len(values) != len(items) or not all(map(operator.is_, values, items)):
                raise refusal("a list changes while its items are merged with those of others")


_SEQUENCES = (list, tuple, ArrayProxy, FilledList)


def _may_be_of_data(world: ShadowedWorld, sequences: Any, key: Any) -> bool:
    """Whether data may decide the order of items."""
    if not world.captures:
        return False
    plain = all(type(values) in (list, tuple, range, str, set, dict) and not any(map(is_data, values)) for values in sequences)
    return not plain or key is not None


def _library(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Invoke:
    return Invoke(unanswered(fn), args, kwargs)


models(MODULE, "nlargest", "nsmallest")(_extremes)
models(MODULE, "merge")(_merge)
models("_heapq", *_HEAPS, *_OF_MAXIMA, iterates="items")(_call)
models("_bisect", *_SEARCHES)(_call)
