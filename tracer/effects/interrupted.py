"""The state that a call leaves when it raises: the next call begins with it, as with what a call
leaves at its end.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.ops.control import name_of
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_not
from npexport.tracer.arrays.core.current import Recording
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.regions import UNFINISHED
from npexport.tracer.arrays.memory.input_aliasing import same_place
from npexport.tracer.arrays.memory.model import Kind
from npexport.tracer.effects.checkpoints import NOTHING_DONE, Mutation, Run
from npexport.tracer.effects.difference import same
from npexport.tracer.effects.shadows import Shadows
from npexport.tracer.effects.shared_state import become_one, changed
from npexport.tracer.effects.state import belongs_to_root, shown
from npexport.tracer.effects.state_places import Place

_INTERRUPTED = "interrupted"
"""The path of the state that says whether a call has raised where no later one can begin."""


def constants_written_later(ends: Iterable[Mapping[Any, ArrayProxy]]) -> list[Any]:
    """The outside arrays that replace arrays of the state, and into which a later call would write.

    ``ends``: the arrays in these places after a call.
    """
    held: dict[Any, set[Any]] = {}
    for end in ends:
        for placeholder, array in end.items():
            held.setdefault(placeholder, set()).add(array.storage.outside)
    growing = True
    while growing:
        sizes = sum(map(len, held.values()))
        for outsides in held.values():
            outsides.update(*(held[outside] for outside in list(outsides) if outside in held))
        growing = sizes != sum(map(len, held.values()))
    found = [outside for placeholder, outsides in held.items() if placeholder.mutated for outside in outsides]
    return [outside for outside in dict.fromkeys(found) if outside is not None and outside.kind is Kind.CONSTANT]


def require_beginning(shadows: Shadows, recorder: Recording, done: Any, last: list[tuple[str, Any, Any]], interrupts: bool) -> str | None:
    """Raises ``Unsupported`` (E112) if the program cannot begin with what it has done by then.

    ``last``: the changes at its end.
    """
    for placeholder in done.changed:
        raise _undone(placeholder.path, "changes the shape or the flags of")
    at_end = {path: new for path, _, new in last}
    left = None
    for path, _, new in done.others:
        if new is UNFINISHED or path not in at_end or not same(shadows, new, at_end[path]):
            if not (interrupts and belongs_to_root(path)):
                raise _undone(shown(path), "changes", "" if path in at_end else "Put it back in a `finally`. ")
            left = left or shown(path)
    for placeholder, array in done.arrays.items():
        if len(placeholder.paths) > 1 or not _fits(array.shape, placeholder.meta.shape) or array.dtype != placeholder.meta.dtype:
            raise _undone(placeholder.path, "puts an array of another kind, or of fewer names, in the place of")
    _require_same_ties(shadows, recorder, done.arrays)
    return left


def refuse_after(trace: Run, rows: list[tuple[Any, str]]) -> Mutation:
    """State by which the next call raises ``RuntimeError`` after one that has raised and left the
    exported object in a state in which no program can begin. ``rows``: what was done by then, and
    the place.
    """
    recorder, graph = trace.recorder, trace.graph
    place = Place(bool, np.array(False), first=True)
    count = len(graph.nodes)
    interrupted = trace.lift(place, _INTERRUPTED)
    text = f"an earlier call raised while it changed `{rows[0][1]}`, and the program cannot go on from there: take another `ep.module()`"
    condition = recorder.argument(sym_not(interrupted))
    info: dict[str, Any] = {"val": None, "stack_trace": trace.definition(), "nn_module_stack": {}, "raises": True}
    check = graph.record(ops.control.check, (condition, name_of(RuntimeError), (text,)), {}, info)
    recorder.effects = True
    recorder.raising.insert(0, (check, NOTHING_DONE))
    true = place.node(recorder, True)
    for done, _ in rows:
        done.held[_INTERRUPTED] = true
    graph.keep([*graph.nodes[count:], *graph.nodes[:count]])
    placeholder = trace.places[place]
    recorder.use(placeholder)
    return Mutation(placeholder, False, _INTERRUPTED, place=place)


def _fits(shape: tuple[Any, ...], of_state: tuple[Any, ...]) -> bool:
    """Whether an array of this shape may be that state, whose varying sizes may be any."""
    return len(shape) == len(of_state) and all(type(mine) is not int or size == mine for size, mine in zip(shape, of_state, strict=True))


def _require_same_ties(shadows: Shadows, recorder: Recording, arrays: Mapping[Any, ArrayProxy]) -> None:
    """Raises ``Unsupported`` if arrays of the state that the program writes to, or compares, become
    one array.
    """
    state = [p for p in recorder.placeholders if p.kind in (Kind.STATE, Kind.CONSTANT)]
    now = {p: arrays[p] if p in arrays else shadows.shadow_of(p.array) for p in state} if arrays else {}
    for first, second in itertools.combinations([p for p in now if type(now[p]) is ArrayProxy], 2):
        if (first not in arrays and second not in arrays) or same_place(first.array, second.array):
            continue
        told = frozenset((first, second)) in recorder.overlaps.compared
        told |= any(p and p.mutated for p in (first, second, now[first].storage.outside))
        if told and (how := become_one(recorder, now[first], now[second])):
            raise changed(first.path, second.path, f"two arrays before the call, and {how} where it raises")


_LOST = "Of a library that does so: export(…, strict=False) leaves out what is written outside the exported object."


def _undone(path: str, how: str, first: str = "") -> Unsupported:
    message = f"the program {how} `{path}` before a call that raises for some data; where it raises, the exported program would not"
    hint = f"{first}Do that after the last call that may raise; or keep the new value in a local variable. {_LOST}"
    return Unsupported("E112", message, hint=hint)
