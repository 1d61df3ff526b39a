"""Results of branches and loops: the nodes of values, and the memories that they may be in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npexport.symshapes.functions import sym_not
from npexport.symshapes.symint import SymBool
from npexport.tracer.arrays.core.aliased_writes import all_of
from npexport.tracer.arrays.core.current import Recording
from npexport.tracer.arrays.core.generators import with_states
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.writes import join_value
from npexport.tracer.arrays.memory.model import Storage
from npexport.tracer.control.leaves import filler, flat, is_value, meta_of, rebuilt
from npexport.tracer.interpreter.frame import NULL


def nodes_of(recorder: Recording, value: Any) -> list[Any]:
    """The nodes, or constants, of the leaves of a value."""
    return [recorder.argument(leaf) if is_value(leaf) else leaf for leaf in flat(value)]


def fillers(recorder: Recording, value: Any) -> list[Any]:
    return [recorder.argument(filler(meta_of(leaf))) if is_value(leaf) else leaf for leaf in flat(value)]


def replaced(value: Any, found: Any) -> Any:
    """The value with results of the graph as its leaves; arrays get memory of their own."""
    leaves = [next(found) if is_value(leaf) else leaf for leaf in flat(value)]
    for leaf in leaves:
        if type(leaf) is ArrayProxy:
            leaf.storage.hidden, leaf.storage.maker = False, None
    return rebuilt(value, iter(leaves))


def facts(recorder: Recording) -> Callable[[Any], bool | None]:
    """A function that tells which truths are known here; it also works once the side is closed."""
    known_here = dict(recorder.session.decided)
    return lambda truth: known_here.get(truth.expression) if type(truth) is SymBool else bool(truth)


def suppose(recorder: Recording, truth: Any, holds: bool) -> None:
    """On this side of a branch, assume that the truth holds, as the verifier does there."""
    session, condition = recorder.session, truth if holds else sym_not(truth)
    if type(condition) is not SymBool or type(sym_not(condition)) is not SymBool:
        return  # what is known of sizes says it
    session.suppose(condition.expression)
    if recorder.sizes.about_sizes(condition):
        session.env.facts.assume(condition.expression)


def origin_of(recorder: Recording, truth: Any) -> str:
    """The origin of the numbers that decide, unless the branch is on the truth of an array."""
    env, symbols = recorder.session.env, sorted(truth.expression.symbols)
    names = [env.names[name] for name in symbols if name not in env.hints]
    return "data" if any(name.startswith("a truth") for name in names) else ", ".join(dict.fromkeys(names)) or "data"


def both_sides(recorder: Recording, run: Callable[[bool], Any]) -> dict[bool, Any]:
    """The results of ``run`` for both sides of a branch.

    Law: that two arrays may share memory on one side says nothing about the other side; where the
    sides meet, the relations of both hold.
    """
    sides: dict[bool, Any] = with_states(lambda: _both_sides(recorder, run))
    return sides


def _both_sides(recorder: Recording, run: Callable[[bool], Any]) -> dict[bool, Any]:
    sides: dict[bool, Any] = {}
    before, may_alias = recorder.may_alias, []
    try:
        for side in (True, False):
            recorder.may_alias = before.copy()
            sides[side] = run(side)
            may_alias.append(recorder.may_alias)
    finally:
        recorder.may_alias = before
    for relations in may_alias:
        before.update(relations)
    return sides


def write(storage: Storage, value: Any) -> None:
    """Write this array to the whole memory that sides or iterations have written to."""
    join_value(all_of(storage), value.node())


def mark_aliases(recorder: Recording, related: list[tuple[Any, set[Storage]]], made: list[set[Storage]] | None = None) -> None:
    """Mark results, each given with the memories that it may be in, so that neither a result nor
    such a memory is written to while both can be read.

    The same holds for two results that may be in one memory. ``made``: for each result, the
    memories that no truths tell of, if those are not all.
    """
    mingling = [memory for _, memory in related] if made is None else made
    pairs = zip(related, mingling, strict=True)
    leaves = [(leaf.storage, memory, untold) for (leaf, memory), untold in pairs if type(leaf) is ArrayProxy]
    for place, (storage, memory, untold) in enumerate(leaves):
        together = [other for other, theirs, _ in leaves[:place] if _may_meet(recorder, theirs, memory)]
        mingled = [other for other, _, theirs in leaves[:place] if _may_meet(recorder, theirs, untold)]
        recorder.mingled.update([storage, *mingled] if mingled else ())
        others = {*memory, *together} - {storage}
        for other in others:
            recorder.may_alias.relate(storage, other)
        if others:
            recorder.may_alias_at.setdefault(storage, recorder.stack())


def _may_meet(recorder: Recording, one: set[Storage], other: set[Storage]) -> bool:
    """Whether two results may be in one memory. Two arrays that lists hold are different ones,
    unless one was taken out of a list.
    """
    listed, taken = recorder.listed, recorder.taken
    held = listed in one and listed in other and (taken in one or taken in other)
    return held or not (one & other) <= {listed}


def memories(recorder: Recording, values: Any) -> set[Storage]:
    """The memories of the arrays among the values, and all memories that they may be."""
    arrays = [leaf for value in values if value is not NULL for leaf in flat(value) if type(leaf) is ArrayProxy]
    found = {array.storage for array in arrays}
    for array in arrays:
        found.update(recorder.may_alias.of(array.storage))
    return found
