"""Results of branches and loops: the nodes of values, and the memories that they may be in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npexport.symshapes.functions import sym_not
from npexport.symshapes.symint import SymBool
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.writes import set_value
from npexport.tracer.arrays.memory.model import Storage
from npexport.tracer.control.leaves import filler, flat, is_value, meta_of, rebuilt
from npexport.tracer.interpreter.frame import NULL


def nodes_of(value: Any) -> list[Any]:
    """The nodes, or constants, that the leaves of a value are in the graph."""
    return [recorder().argument(leaf) if is_value(leaf) else leaf for leaf in flat(value)]


def fillers(value: Any) -> list[Any]:
    return [recorder().argument(filler(meta_of(leaf))) if is_value(leaf) else leaf for leaf in flat(value)]


def replaced(value: Any, found: Any) -> Any:
    """The value with the results of the graph for what is of the graph: arrays in memory of their
    own.
    """
    leaves = [next(found) if is_value(leaf) else leaf for leaf in flat(value)]
    for leaf in leaves:
        if type(leaf) is ArrayProxy:
            leaf.storage.hidden, leaf.storage.maker = False, None
    return rebuilt(value, iter(leaves))


def facts() -> Callable[[Any], bool | None]:
    """What is known of truths here, for when the side is not open any more."""
    known_here = dict(recorder().session.decided)
    return lambda truth: known_here.get(truth.expression) if type(truth) is SymBool else bool(truth)


def suppose(truth: Any, holds: bool) -> None:
    """What is known on this side of a branch, as the verifier knows it there."""
    session, condition = recorder().session, truth if holds else sym_not(truth)
    opposite = sym_not(condition)
    if type(condition) is not SymBool or type(opposite) is not SymBool:
        return  # what is known of sizes says it
    session.decided[condition.expression] = True
    session.decided[opposite.expression] = False
    if recorder().sizes.about_sizes(condition):
        session.env.facts.assume(condition.expression)


def all_of(storage: Storage) -> ArrayProxy:
    """All of a memory."""
    return ArrayProxy(storage, None, storage.meta, storage.array, storage.writeable)


def write(storage: Storage, value: Any) -> None:
    """The whole memory becomes this array's."""
    set_value(all_of(storage), value.node())


def tear(related: list[tuple[Any, set[Storage]]]) -> None:
    """Of each result, the memories that it may lie in, or not: neither is written to while both can
    be read.

    Nor are two results that may lie in one.
    """
    leaves = [(leaf.storage, memory) for leaf, memory in related if type(leaf) is ArrayProxy]
    for place, (storage, memory) in enumerate(leaves):
        others = {*memory, *[other for other, theirs in leaves[:place] if theirs & memory]} - {storage}
        for other in others:
            recorder().tear(storage, other)
        if others:
            recorder().torn_at.setdefault(storage, recorder().stack())


def memories(values: Any) -> set[Storage]:
    """The memory of the arrays among values, and all memory that it may be the same as."""
    arrays = [leaf for value in values if value is not NULL for leaf in flat(value) if type(leaf) is ArrayProxy]
    found = {array.storage for array in arrays}
    for array in arrays:
        found.update(recorder().torn.get(array.storage, ()))
    return found
