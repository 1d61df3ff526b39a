"""Sets of sizes that the program only counts, iterates over or empties: ``len({len(x), len(y)}) ==
1``.

C code puts a size into a set by its hash, which makes it a constant. If no use of a set needs a
hash (`npexport.tracer.interpreter.set_uses`), its members are compared instead, and guards record
which are equal. The order of several members does not follow from sizes, so such a set may only be
counted.
"""

from __future__ import annotations

from typing import Any

from npexport.symshapes.env import known
from npexport.symshapes.symint import SymInt, is_symbolic
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter import polyfills
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.set_uses import Uses, uses_of_set
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.registry import DECLINED
from npexport.tracer.models.specialization import has_sizes_within


def made(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``set``."""
    if len(args) != 1 or kwargs or not _may_have_sizes(args[0]):
        return DECLINED
    return Invoke(polyfills.set_of, args)


def _may_have_sizes(items: Any) -> bool:
    return type(items) in (list, tuple) and any(map(has_sizes_within, items))


def added(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``set.add``."""
    if len(args) != 2 or kwargs or type(args[0]) is not set:
        return DECLINED
    (members, item), frame = args, vm.frame
    if id(members) not in world.compared and not has_sizes_within(item):
        return DECLINED
    uses = uses_of_set(frame) if frame is not None else Uses.ANY
    if uses is Uses.ANY or not all(map(_is_compared, (item, *members))):
        return DECLINED
    equal = [_are_equal(member, item) for member in members]
    if None in equal:
        return DECLINED
    if True in equal:
        return None
    if members and uses is not Uses.COUNT:
        _make_constant(world, members)
        return DECLINED
    world.compared[id(members)] = members
    with world.recorder.session.env.hashing_by_expression():
        members.add(item)
    return None


def _is_compared(value: Any) -> bool:
    """Whether the value is a number, a text, or a tuple of these."""
    if type(value) is tuple:
        return all(map(_is_compared, value))
    return type(value) in (SymInt, int, float, bool, str, type(None))


def _are_equal(one: Any, other: Any) -> bool | None:
    """Whether two members are equal, as guards record for sizes; ``None`` if only the data know."""
    if type(one) is tuple and type(other) is tuple:
        found: bool | None = len(one) == len(other)
        for mine, theirs in zip(one, other, strict=False):
            found = found and _are_equal(mine, theirs)
        return found
    truth = one == other
    return known(truth) if is_symbolic(truth) and truth.hint is None else bool(truth)


def _make_constant(world: ShadowedWorld, members: set[Any]) -> None:
    """Add each member again by its hash, which makes it a constant."""
    world.compared.pop(id(members), None)
    items = list(members)
    members.clear()
    members.update(items)
