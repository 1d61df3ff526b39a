"""Lists, dicts and instances that ``sorted`` and ``list.sort`` put in an order that data decide.

At each place there is a new object with the contents of the one that eager execution puts there. No
program sees that, if nothing but the list that is sorted holds the objects.
"""

from __future__ import annotations

import dataclasses
import gc
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from npexport.symshapes.plain import with_article
from npexport.tracer.arrays.core.item_structures import is_tuple
from npexport.tracer.bytecode.host import HEAP_TYPE
from npexport.tracer.effects.copiers import slots_of, state_of
from npexport.tracer.effects.parts import Part, is_own
from npexport.tracer.effects.snapshots import Snapshot, snapshot
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter import polyfills
from npexport.tracer.interpreter.flow_graph import is_read
from npexport.tracer.interpreter.frame import Frame, Machine
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.interpreter.partial_dicts import hides
from npexport.tracer.models.polyfills import comparing

_POLYFILLS = frozenset(
    function.__code__
    for function in (polyfills.sorted_by, polyfills.sort_by, *vars(comparing).values())
    if isinstance(function, types.FunctionType)
)
Refuse = Callable[[str], Exception]


def is_object(value: Any) -> bool:
    """Whether a value is an object that can be made anew of its contents."""
    cls = type(value)
    return cls is list or cls is dict or _is_plain_instance(cls, value)


def _is_plain_instance(cls: type, value: Any) -> bool:
    """Whether an instance is nothing but its ``__dict__``."""
    if cls in NATIVE_TYPES or not cls.__flags__ & HEAP_TYPE or is_own(cls) or isinstance(value, type):
        return False
    plain = all(base is object or base.__flags__ & HEAP_TYPE for base in cls.__mro__)
    return plain and not slots_of(cls) and not hasattr(cls, "__del__") and type(state_of(value)) is dict


def contents(value: Any) -> tuple[tuple[Any, ...], list[Any]]:
    """What tells objects of one kind apart, and what one holds."""
    if type(value) is list:
        return (list, len(value)), value
    held: Any = value if type(value) is dict else state_of(value)
    return (type(value), *[(type(name), name) for name in held]), list(held.values())


def with_contents(value: Any, items: tuple[Any, ...]) -> Any:
    """A new object like another, with other contents."""
    if type(value) is list:
        return list(items)
    if type(value) is dict:
        return dict(zip(value, items, strict=True))
    made: Any = object.__new__(type(value))
    held: Any = state_of(made)
    held.update(zip(state_of(value) or (), items, strict=True))
    return made


def require_unheld(world: ShadowedWorld, vm: Machine, values: list[Any], own: list[Any], refusal: Refuse, given: Any = None) -> None:
    """Raises the refusal if something else than these lists, or the list or tuple that is
    ``given`` and nothing else holds, holds an object among the values, or one stands there twice.
    """
    held, objects = dict[int, Any](), list[Any]()
    for value in values:
        _collect(value, held, objects, refusal)
    if not objects:
        return
    if type(given) in (list, tuple):
        held[id(given)] = given
    with snapshot(world, vm) as now:
        holder = next(_holders(now, held, {*held, *map(id, own)}), None)
    hidden = any(hides(one) and not _is_hosts(one) for one in gc.get_referrers(*held.values()))
    seen = any(world.shadows.is_outside(each) or id(each) in world.numbered or _is_weakly_held(each) for each in held.values())
    if holder is not None or hidden or seen:
        raise refusal(f"{_text(objects[0])} among its items is held by a variable or a container, too")


def require_sorted_unheld(world: ShadowedWorld, vm: Machine, values: list[Any], keys: list[Any], refusal: Refuse) -> None:
    """The same of what ``sorted_by`` sorts, which the VM is in."""
    frame: Any = vm.current_frame
    while frame.code is not polyfills.sorted_by.__code__:
        frame = frame.back
    given = frame.fast[frame.code.co_varnames.index("iterable")]
    if frame.back is not None and frame.back.code is polyfills.sort_by.__code__:
        require_unheld(world, vm, values, [values, keys, given], refusal)
    else:
        require_unheld(world, vm, values, [values, keys], refusal, given)


def _is_hosts(referrer: Any) -> bool:
    """Whether it is a generator in which the VM makes a call: what the call was given."""
    frame = referrer.gi_frame if isinstance(referrer, types.GeneratorType) else None
    return frame is not None and str(frame.f_globals.get("__name__")).startswith("npexport.tracer.interpreter.")


def _collect(value: Any, held: dict[int, Any], objects: list[Any], refusal: Refuse) -> None:
    """Find the objects in a value, and what holds them there."""
    if is_tuple(value):
        count = len(objects)
        for item in value:
            _collect(item, held, objects, refusal)
        if len(objects) > count:
            held[id(value)] = value
    elif is_object(value):
        if id(value) in held:
            raise refusal(f"{_text(value)} stands in it twice")
        held[id(value)] = value
        objects.append(value)
        if type(value) not in (list, dict):
            held[id(state_of(value))] = state_of(value)
        for item in contents(value)[1]:
            _collect(item, held, objects, refusal)


def _text(value: Any) -> str:
    return with_article(type(value).__name__)


def _holders(now: Snapshot, held: dict[int, Any], own: set[int]) -> Iterator[Any]:
    """What else refers to what is held."""
    for owner, parts in now.objects():
        if id(owner) in own or (type(owner) is Frame and owner.code in _POLYFILLS):
            continue
        for part in parts:
            unseen = part.keys if part.kind == "dict" else _in_c(owner, now) if part.kind in _OF_C else ()
            if any(id(value) in held for value in unseen) or any(_refers(owner, part, now, held)):
                yield owner


_OF_C = frozenset({"fixed", "hidden", "position"})
_READ_WHOLE = (types.FunctionType, types.MethodType, type, tuple)
"""Whose parts are all that they hold."""


def _in_c(owner: Any, now: Snapshot) -> Iterator[Any]:
    """What an object of C holds, in containers of its own, too."""
    pending = [] if isinstance(owner, _READ_WHOLE) else [owner]
    met = set[int]()
    while pending:
        for value in gc.get_referents(pending.pop()):
            yield value
            if type(value) in (tuple, list, dict) and id(value) not in met and not now.knows(value):
                met.add(id(value))
                pending.append(value)


def _is_weakly_held(value: Any) -> bool:
    """Whether the program may reach an instance by a weak reference."""
    return type(value) not in (tuple, list, dict) and weakref.getweakrefcount(value) > 0


def _refers(owner: Any, part: Part, now: Snapshot, held: dict[int, Any]) -> Iterator[bool]:
    for place, value in enumerate(part.values):
        if id(value) in held and not (type(owner) is Frame and _is_dead(owner, part, place, now)):
            yield True


def _is_dead(frame: Frame, part: Part, place: int, now: Snapshot) -> bool:
    """Whether a frame that runs does not read a variable again."""
    runs = any(frame is each for each in now.frames)
    return runs and part.kind == "frame" and place < len(frame.fast) and not is_read(frame, place, frame.pc)


def fields_in_order(values: list[Any]) -> tuple[str, ...]:
    """The fields by which instances of one data class are ordered, if its methods are those that
    ``dataclass(order=True)`` has made; none for other values.
    """
    cls: Any = type(values[0]) if values else None
    parameters = vars(cls).get("__dataclass_params__") if isinstance(cls, type) else None
    if parameters is None or not parameters.order or any(type(value) is not cls for value in values):
        return ()
    method = vars(cls).get("__lt__")
    if not isinstance(method, types.FunctionType) or method.__code__.co_filename != "<string>":
        return ()
    return tuple([field.name for field in dataclasses.fields(cls) if field.compare])
