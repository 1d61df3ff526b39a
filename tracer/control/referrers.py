"""What holds a list of the program, and lists that become items of others
(`npexport.tracer.arrays.core.filled_list`): such an item is told by its place wherever the program
holds it.
"""

from __future__ import annotations

import gc
import types
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from npexport.tracer.arrays.core.filled_dict import leave, stands_for
from npexport.tracer.arrays.core.item_structures import is_tuple, with_items
from npexport.tracer.control.endings import STACK, Key
from npexport.tracer.control.iterations import Iteration
from npexport.tracer.effects.snapshots import Snapshot, snapshot
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.loop_analysis import Loop
from npexport.tracer.interpreter.partial_dicts import hides
from npexport.tracer.interpreter.symbolic_union import SymbolicUnion, options_of

_HOLDERS = frozenset({"list", "dict", "deque", "attributes", "slots", "cell", "frame", "generator"})
"""The parts in which a list is replaced."""
_METHODS = (types.BuiltinMethodType, types.MethodType)
Holder = tuple[Any, str, int, int, Any]
"""What holds a list, or a method of it: the owner, the kind of its part, the part's index and the
index in it, and the value there.
"""


def referrers_of(now: Snapshot, target: Any) -> list[Holder]:
    """What holds a list."""
    return all_referrers(now, [target])[id(target)]


def all_referrers(now: Snapshot, targets: list[Any]) -> dict[int, list[Holder]]:
    """What holds each of these lists, by identity."""
    found: dict[int, list[Holder]] = {id(target): [] for target in targets}
    inner = set[int]()
    for held in now._found.values():
        for position, part in enumerate(held.parts):
            for place, value in enumerate(part.values):
                keys = {id(option.__self__ if type(option) in _METHODS else option) for _, option in options_of(value)}
                for key in keys & found.keys():
                    found[key].append((held.value, part.kind, position, place, value))
                    if type(value) is SymbolicUnion:
                        inner.add(id(value.options))
    return {key: [each for each in referrers if id(each[0]) not in inner] for key, referrers in found.items()}


def is_method(value: Any, target: Any) -> bool:
    """Whether a value is a method bound to a list, as ``found.append`` is while its argument
    is computed.
    """
    return type(value) in _METHODS and value.__self__ is target


_OPEN: ContextVar[frozenset[int]] = ContextVar("lists that nothing hides, by identity", default=frozenset())


@contextmanager
def examined(lists: list[Any]) -> Iterator[None]:
    """Inside the block, in which the program does not go on, what hides one of these lists has been
    looked for once, among all objects that there are.
    """
    hidden = any(map(hides, gc.get_referrers(*lists))) if lists else True
    token = _OPEN.set(frozenset() if hidden else frozenset(map(id, lists)))
    try:
        yield
    finally:
        _OPEN.reset(token)


def is_hidden(target: Any, but: list[Any]) -> bool:
    """Whether something refers to a list, or to a method bound to it, and cannot be examined.
    ``but``: what is known of.
    """
    if id(target) in _OPEN.get():
        return False
    known_of = set(map(id, but))
    methods = [value for value in but if is_method(value, target)]
    return any(hides(one) for one in gc.get_referrers(target, *methods) if id(one) not in known_of)


def _instead(value: Any, others: Mapping[int, Any]) -> Any:
    """What a holder of lists holds when others stand for them, by identity."""
    if type(value) is SymbolicUnion:
        return SymbolicUnion(value.tests, tuple([_instead(option, others) for option in value.options]), value.name, value.text)
    bound = type(value) in _METHODS and id(value.__self__) in others
    return getattr(others[id(value.__self__)], value.__name__) if bound else others.get(id(value), value)


def put_instead(iteration: Iteration, referrers: list[Holder], others: Mapping[int, Any]) -> None:
    """Other lists are wherever these are held, which are told by identity; one place may hold
    several of them.
    """
    frame, keys = iteration.frame, dict[Key, Any]()
    for owner, _, position, place, value in referrers:
        iteration.owners[id(owner)] = owner
        on_stack = owner is frame and position == 0 and place >= len(frame.fast)
        key = id(owner), STACK if on_stack else position, place - len(frame.fast) if on_stack else place
        keys[key] = _instead(value, others)
    iteration.put(keys)


def are_replaced(target: Any, referrers: list[Holder], calling: Any = None) -> bool:
    """Whether another list can be put wherever this one is held. ``calling``: a method of it that
    is being called.
    """
    known_of = [calling, *[option for *_, value in referrers for _, option in options_of(value)]]
    return all(kind in _HOLDERS for _, kind, *_ in referrers) and not is_hidden(target, known_of)


def held_items(iteration: Iteration, now: Snapshot, target: Any, items: list[Any]) -> dict[int, list[Holder]]:
    """The items of a list, lists themselves, that others hold, too, and these: by place."""
    counts = Counter(map(id, items))
    lists = {place: item for place, item in enumerate(items) if type(item) is list and item and counts[id(item)] == 1}
    referrers = all_referrers(now, list(lists.values()))
    others = {place: [each for each in referrers[id(item)] if each[0] is not target] for place, item in lists.items()}
    is_outside = iteration.world.shadows.is_outside
    return {place: found for place, found in others.items() if found and not is_outside(items[place]) and are_replaced(items[place], found)}


def replace_lists(iteration: Iteration, values: list[tuple[Any, list[Holder], Any]]) -> None:
    """The lists of values are those of items from now on: wherever the program holds them, and
    where a counter goes over them (`present`). ``values``: each with what holds it and its item.
    """
    lists = [each for each in values if type(each[0]) is list and each[0] is not each[2]]
    for value, _, item in values:
        if is_tuple(value):
            replace_lists(iteration, [(old, [], new) for old, new in zip(value, item, strict=True)])
    for value, *_ in lists:
        iteration.forget(id(value))
    put_instead(iteration, [holder for _, referrers, _ in lists for holder in referrers], {id(value): item for value, _, item in lists})
    for value, _, item in lists:
        leave(value, item)


def present(value: Any) -> Any:
    """The value, with the stand-ins of lists that have become items of others."""
    if is_tuple(value):
        return with_items(value, map(present, value))
    found = stands_for(value) if type(value) is list else None
    return value if found is None else found


def replaceable(world: ShadowedWorld, vm: Machine, value: list[Any]) -> list[Holder]:
    """What holds a list, if another can be put there: nothing otherwise."""
    with snapshot(world, vm) as now:
        referrers = referrers_of(now, value)
    return referrers if are_replaced(value, referrers) and not world.shadows.is_outside(value) else []


def here(world: ShadowedWorld, vm: Machine) -> Iteration:
    """Reads and writes values where the program stands."""
    return Iteration(world, vm, vm.current_frame, Loop(-1, frozenset()), -1)
