"""What a run has changed outside: mutations that become part of the program, and problems."""

from __future__ import annotations

import functools
import re
import sys
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from npexport.ir.graph import Node
from npexport.runtime.entry.checks import has_layout
from npexport.symshapes.errors import ExportError, Location, Unsupported, blamed
from npexport.tracer.arrays.core.current import decided
from npexport.tracer.arrays.core.ownership import root
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.arrays.memory.model import Kind
from npexport.tracer.effects.benign_caches import fills_cache, imports
from npexport.tracer.effects.checkpoints import Mutation, Progress, Run
from npexport.tracer.effects.difference import Write, differences, leaves
from npexport.tracer.effects.interrupted import constants_written_later, refuse_after, require_beginning
from npexport.tracer.effects.overlay import DELETED
from npexport.tracer.effects.replacements import follow_replacements
from npexport.tracer.effects.settled import ListPlace, is_state
from npexport.tracer.effects.shared_state import (
    has_other_names,
    require_apart_where_written,
    require_same_ties,
    require_still_apart,
)
from npexport.tracer.effects.state import belongs_to_root, shown
from npexport.tracer.effects.state_places import NUMBERS, Choice
from npexport.tracer.effects.world import ShadowedWorld


class Outcome(NamedTuple):
    """``writes`` are those that cannot be part of a program."""

    mutations: list[Mutation]
    writes: list[Write]


def _refuse(error: ExportError) -> None:
    raise error


def outcome(trace: Run, found: Callable[[ExportError], None] = _refuse) -> Outcome:
    """Sort the surviving writes of a run.

    ``found`` is called with what no program can do: tied arrays, written constants (E112, E116).
    """
    world = trace.world
    for check in (
        functools.partial(follow_replacements, world.shadows),
        functools.partial(require_same_ties, world.shadows, trace.recorder.overlaps, trace.options.unties),
        trace.recorder.overlaps.settle_changes,
    ):
        _attempt(check, found)
    rebound: dict[Any, Mutation] = {}
    writes = []
    settled = world.shadows.settled
    places: dict[str, Mutation] = {}
    for write in differences(world.shadows, world.overlay):
        placeholder = None if trace.options.unties and has_other_names(world.shadows, write.before, write.path) else _rebound(world, write)
        if placeholder is not None:
            rebound[placeholder] = Mutation(placeholder, write.after, write.path, rebinds=True)
            _use(trace, placeholder.storage, write.after.storage)  # both come into use
        elif write.path in settled.ignored:
            for leaf in leaves(world.shadows, write):
                place = settled.places.get(leaf.path)
                if place is None or not place.takes(leaf.after):
                    lost = place is not None or (is_state(leaf.after) and leaf.path not in settled.recomputed)
                    writes += [leaf] if lost else []
                else:
                    _add_place(trace, leaf, places, writes)
        elif write.path in settled.places and settled.places[write.path].takes(write.after):
            _add_place(trace, write, places, writes)
        elif trace.options.loses and not belongs_to_root(write.path) and id(write.owner) not in world.shadows.inputs:
            trace.report.lost.append(shown(write.path))
        elif not fills_cache(write) and not imports(write, world.modules):
            writes.append(write)
    mutations = []
    for placeholder in trace.recorder.placeholders:
        if placeholder.mutated and placeholder.kind is Kind.CONSTANT:
            found(_constant_written(placeholder))
        elif placeholder.mutated:
            mutations.append(Mutation(placeholder))
    for placeholder in trace.recorder.placeholders:
        if placeholder in rebound:
            _attempt(functools.partial(_require_alone, trace, placeholder), found)
            mutations.append(rebound[placeholder])
    mutations += [places[path] for path in sorted(places)]
    for check_state in (require_still_apart, require_apart_where_written):
        _attempt(functools.partial(check_state, trace.recorder, mutations), found)
    taken = {m.placeholder: m.value for m in mutations if m.placeholder is not None and type(m.value) is ArrayProxy}
    for outside in constants_written_later([taken, *(done.arrays for _, done in trace.recorder.raising)]):
        found(_constant_written(outside))
    for require in _OF_SUCCESSORS:
        _attempt(functools.partial(require, trace, taken), found)
    left = [] if writes else _after_exceptions(trace, found)
    for node, _, path in left:
        trace.interrupted.setdefault((node.target, node.meta["stack_trace"]), []).append(path is not None)
    rows = [(done, path) for _, done, path in left if path is not None]
    if rows and trace.options.marks:
        mutations.append(refuse_after(trace, rows))
    return Outcome(mutations, writes)


def _after_exceptions(trace: Run, found: Callable[[ExportError], None]) -> list[tuple[Node, Progress, str | None]]:
    """Check that the program can begin with what a call leaves if it raises, as with what it leaves
    at its end. Returns the calls that may raise, what has been done by then, and the place with
    which no call can begin, if the next one raises instead.
    """
    last = [*trace.changes.now(), *trace.world.outside.now()]
    left = []
    for node, done in [row for row in trace.recorder.raising if "raises" in row[0].meta]:
        stack = node.meta["stack_trace"]
        try:
            path = require_beginning(trace.world.shadows, trace.recorder, done, last, trace.options.interrupts)
            for require in _OF_SUCCESSORS:
                require(trace, done.arrays)
            for placeholder in done.arrays:
                _require_alone(trace, placeholder)
        except ExportError as error:
            error.location, error.user_stack = blamed(stack), stack
            found(error)
            return []
        left.append((node, done, path))
    return left


def _use(trace: Run, *storages: Any) -> None:
    for storage in storages:
        if storage.node is None:
            trace.recorder.materialize(storage)


def _add_place(trace: Run, write: Write, places: dict[str, Mutation], writes: list[Write]) -> None:
    """Note the new value of a place whose value is state.

    Two containers that stood there one after the other may both have one.
    """
    held = trace.world.shadows.settled.places[write.path]
    if type(held) is ListPlace and not _is_alone(trace, write):
        writes.append(write)
        return
    read = write.before is held and held.has_value
    for path, place, value in held.parts(write.path, write.after):
        if path in places and places[path].value is not value:
            writes.append(write)
            return
        if type(value) is ArrayProxy:
            _use(trace, value.storage)
        if read:
            trace.recorder.use(trace.places[place])
        rebinds = not read or (type(value) is ArrayProxy and (isinstance(held, (Choice, ListPlace)) or place.resizes))
        places[path] = Mutation(trace.places[place] if read else None, value, path, rebinds, place)


def _is_alone(trace: Run, write: Write) -> bool:
    """Whether a list that is state is in no other place of the state, and not the caller's."""
    if id(write.after) not in trace.lists and trace.world.shadows.is_outside(write.after):
        return False
    return trace.lists.setdefault(id(write.after), (write.path, write.after))[0] == write.path


def _attempt(check: Callable[[], None], found: Callable[[ExportError], None]) -> None:
    try:
        check()
    except ExportError as error:
        found(error)


def _rebound(world: ShadowedWorld, write: Write) -> Any:
    """The placeholder of the exported object's array that another array of the same kind replaces;
    ``None`` for any other write.
    """
    if type(write.after) is not ArrayProxy or not isinstance(write.before, np.ndarray) or not belongs_to_root(write.path):
        return None
    before = world.shadows.shadow_of(write.before)
    if type(before) is not ArrayProxy or before.storage.outside is None or len(before.storage.outside.paths) > 1:
        return None
    same = before.dtype == write.after.dtype and len(before.shape) == len(write.after.shape)
    same = same and all(decided(old == new) is True for old, new in zip(before.shape, write.after.shape, strict=True))
    return before.storage.outside if same else None


def _require_alone(trace: Run, placeholder: Any) -> None:
    """A replaced array shares no memory, whose writes it would not see later."""
    for other in trace.recorder.overlaps.of(placeholder):
        if other.mutated:
            hint = "Write to it in place (self.a[...] = value), or give it memory of its own before the export."
            raise Unsupported("E112", f"`{placeholder.path}` is replaced, which shares memory with `{other.path}`", hint=hint)


def _require_same_layouts(trace: Run, taken: Mapping[Any, ArrayProxy]) -> None:
    """If the program relies on the layout of an array, its successor has the same."""
    layouts = trace.recorder.layouts
    seen: set[Any] = set()
    while relied_on := [placeholder for placeholder in taken if placeholder in layouts.conditions and placeholder not in seen]:
        for placeholder in relied_on:
            seen.add(placeholder)
            if not _lies_as(placeholder, layouts.ask(taken[placeholder])):
                hint = "Assign an array of the same memory order: np.ascontiguousarray(value)."
                raise Unsupported("E121", f"`{placeholder.path}` is replaced by an array in another memory order", hint=hint)


_FLAGS = {
    True: ("writeable", "read-only", "Assign a copy, which is writeable: value.copy()."),
    False: ("read-only", "writeable", "Assign an array that is read-only, too: value.flags.writeable = False."),
}
"""By whether an array of the state is writeable: what it is, what its successor is, and a hint."""


def _require_same_flags(trace: Run, taken: Mapping[Any, ArrayProxy]) -> None:
    """If the program relies on an array, and its memory, being writeable or read-only, so is its
    successor.
    """
    for placeholder, value in taken.items():
        after = value.writeable and root(value).writeable
        if placeholder.writeable not in (None, after):
            now, then, hint = _FLAGS[placeholder.writeable]
            raise Unsupported("E112", f"`{placeholder.path}`, which is {now}, is replaced by an array that is {then}", hint=hint)


_OF_SUCCESSORS = (_require_same_layouts, _require_same_flags)
"""What the next call needs of the arrays that it finds in the places of arrays of the state: each
is called with a run, and the successors by placeholder.
"""


def _lies_as(placeholder: Any, array: Any) -> bool:
    """Whether an array lies in memory as calls find this state, which may have had other sizes."""
    before = placeholder.array
    if before.shape[1:] == array.shape[1:] or placeholder.storage.layout.order is not None or not has_layout(before, "C"):
        return has_layout(array, before.strides)
    return has_layout(array, "C")


def _constant_written(placeholder: Any) -> Unsupported:
    stack: tuple[Location, ...] = placeholder.storage.node.meta.get("stack_trace", ())
    return Unsupported("E116", f"the program writes into the array `{placeholder.path}`, which it found outside", user_stack=stack)


def problem(world: ShadowedWorld, write: Write, stack: tuple[Location, ...]) -> ExportError:
    """The error that names one write."""
    path = shown(write.path)
    where: dict[str, Any] = {"location": blamed(stack), "user_stack": stack}
    if isinstance(write.after, np.ndarray) and write.before is DELETED and belongs_to_root(write.path):
        return Unsupported("E117", f"the program gives the exported object a new array, `{path}`", **where)
    if isinstance(write.before, np.ndarray) and isinstance(write.after, np.ndarray) and belongs_to_root(write.path):
        message = f"the program replaces the array `{path}` ({_kind(write.before)}) by one of another kind ({_kind(write.after)})"
        return Unsupported("E112", message, hint="Keep its shape and dtype, and give shared arrays one name.", **where)
    if isinstance(write.before, np.ndarray) and isinstance(write.after, np.generic) and belongs_to_root(write.path):
        message = f"the program replaces the array `{path}` ({_kind(write.before)}) by a NumPy scalar, as arithmetic on 0-d arrays gives"
        return Unsupported("E112", message, hint=f"Write to it in place: {path}[...] = value, or += and the like.", **where)
    if write.before is DELETED:
        what = f"adds `{path}` to an object that existed before the call"
    else:
        what = f"{'deletes' if write.after is DELETED else 'changes'} `{path}`, which existed before the call"
    return Unsupported("E112", f"the program {what}", hint=_rewrite(world, write, path), **where)


def hindrance(write: Write) -> int:
    """How much a write stands in the way: 0 for a container that gets longer or shorter, `VALUE`
    for a number or an array, which by itself can be state.
    """
    if isinstance(write.owner, _GROWING) and (write.before is DELETED or write.after is DELETED):
        return 0
    is_number = any(type(write.before) in kinds and type(write.after) in kinds for kinds in NUMBERS.values())
    return VALUE if is_number or type(write.after) in (ArrayProxy, ScalarProxy) else 1


VALUE = 2
_NEW: dict[type, str] = {list: "[]", dict: "{}", set: "set()"}
_GROWING = (list, deque, set)
_FIRST_VALUE = (
    "Set `{0}` in __init__: to None if it gets a number or an array, and ask whether it is None; to a list, a tuple or a dict with all "
    "its places if it gets one."
)
_GROWN = "Return the value, and keep it where the program is called; or write to an array with a place for each call: {0}[self.n] = value."


def _kind(array: Any) -> str:
    meta = array.meta if type(array) in (ArrayProxy, ScalarProxy) else None
    return str(meta) if meta is not None else f"{array.dtype}{list(array.shape)}"


_COPIES: dict[type, tuple[str, str]] = {list: ("list({0})", "{0}[:] = new"), dict: ("dict({0})", "{0}.clear(); {0}.update(new)")}
"""How a program copies a container that it was given and which its caller then fills from the
copy.
"""


def _copied(write: Write, path: str) -> str:
    """What to write instead of a write to a container that is an input."""
    owner = path.rpartition("." if write.name is not None else "[")[0] if path.endswith("]") or write.name is not None else path
    if not owner.isidentifier():
        (owner,) = re.findall(r"^\w+", path) or [path]
        copy, filling = "copy.deepcopy({0})", "use new in its place"
    else:
        copy, filling = _COPIES.get(type(write.owner), ("copy.copy({0})", "use new in its place"))
    copied = f"Write to a copy, and return it: {owner} = {copy.format(owner)}; ...; return result, {owner}."
    return f"{copied} Where the function is called: result, new = f({owner}); {filling.format(owner)}."


def _in_its_module(path: str) -> str | None:
    """What a module calls a part of one of its globals: ``MODEL.w`` of the path
    ``global package.module.MODEL.w``.
    """
    names = path.removeprefix("global ").split(".")
    count = next((count for count in range(len(names), 0, -1) if ".".join(names[:count]) in sys.modules), 0)
    place = ".".join(names[count:])
    return place if path.startswith("global ") and re.fullmatch(r"\w+(\.\w+|\['[^]]*'\]|\[\d+\])+", place) else None


def _rewrite(world: ShadowedWorld, write: Write, path: str) -> str | None:
    if isinstance(write.after, np.void) and write.after.dtype.names:
        return "A record is a view of the memory of its array. Keep an array of it: np.array([record])."
    if id(write.owner) in world.shadows.inputs:
        return _copied(write, path)
    if belongs_to_root(write.path) and write.before is None and type(write.after) is not str:
        return f"Give `{path}` a first value of the kind that it gets later (0.0, np.zeros(n)), and a flag (False) while it is unset."
    if belongs_to_root(write.path) and isinstance(write.after, np.ndarray):
        return f"Create the array in __init__; or call the object once before the export, so that `{path}` is there."
    if belongs_to_root(write.path) and hindrance(write) == 0:
        return _GROWN.format(path.rpartition("[")[0])
    if belongs_to_root(write.path) and write.before is DELETED:
        return _FIRST_VALUE.format(path)
    name = path.rpartition(".")[2].rpartition("'")[0].rpartition("'")[2] or path.rpartition(".")[2]
    if belongs_to_root(write.path) and isinstance(write.before, (int, float, np.generic)) and not isinstance(write.before, bool):
        array = f"np.array({write.before!r})"
        return f"Keep `{path}` of one kind (always an int, or always a float); or make it an array ({array}) and write to it in place."
    if path.startswith("default "):
        name, new = re.split(r"\W", path.removeprefix("default "))[0], _NEW.get(type(write.owner), "...")
        anew = f"({name}=None, and `{name} = {new} if {name} is None else {name}`)"
        return f"Make `{name}` anew in every call {anew}, or keep it in an object that is exported."
    grown = re.search(r"(\w+)\[\d+\]$", path) if isinstance(write.owner, list) and write.before is DELETED else None
    if grown is not None:
        return f"Return the new value, and append it where the function is called: result, new = f(...); {grown[1]}.append(new)."
    item = re.search(r"\w+(\['[^]]*'\])+$", path)
    place = _in_its_module(path) or (item and item[0])
    if place or name.isidentifier():
        name = place or name
        holder = re.match(r"\w+(?=[.[])", name)
        kept = f" Or export an object that has `{holder[0]}` as an attribute: what it holds is state then." if holder else ""
        return f"Return the new value ({name}) from the function and store it where the function is called: result, {name} = f(...).{kept}"
    return None
