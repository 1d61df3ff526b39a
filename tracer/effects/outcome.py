"""What a run did to the world: mutations that the program can make part of itself, and problems."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from npexport.runtime.checks import lies
from npexport.symshapes.errors import ExportError, Location, Unsupported, blamed
from npexport.tracer.arrays.lifting import Kind
from npexport.tracer.arrays.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.effects.caches import fills_cache, imports
from npexport.tracer.effects.difference import Write, differences
from npexport.tracer.effects.overlay import DELETED
from npexport.tracer.effects.replacements import follow_replacements
from npexport.tracer.effects.state import belongs_to_root, shown
from npexport.tracer.effects.ties import require_same_ties


class Mutation(NamedTuple):
    """The elements of an outside array have new values; or ``array`` takes its place."""

    placeholder: Any
    array: Any = None

    @property
    def rebinds(self) -> bool:
        return self.array is not None


class Outcome(NamedTuple):
    """``writes`` are those that no program can make."""

    mutations: list[Mutation]
    writes: list[Write]


def _refuse(error: ExportError) -> None:
    raise error


def outcome(trace: Any, found: Callable[[ExportError], None] = _refuse) -> Outcome:
    """Sort the surviving writes of a run. ``found`` is told what no program can do: tied arrays, written constants (E112, E116)."""
    world = trace.world
    for check in (
        functools.partial(follow_replacements, world.shadows),
        functools.partial(require_same_ties, world.shadows, trace.recorder.overlaps),
        trace.recorder.overlaps.settle_changes,
    ):
        _attempt(check, found)
    rebound: dict[Any, Mutation] = {}
    writes = []
    for write in differences(world.shadows, world.overlay):
        placeholder = _rebound(world, write)
        if placeholder is None:
            if not fills_cache(write) and not imports(write, world.modules):
                writes.append(write)
        else:
            rebound[placeholder] = Mutation(placeholder, write.after)
            for storage in (placeholder.storage, write.after.storage):  # both come into use
                if storage.node is None:
                    trace.recorder.demote(storage)
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
    _attempt(functools.partial(_require_same_layouts, trace.recorder.layouts, rebound), found)
    return Outcome(mutations, writes)


def _attempt(check: Callable[[], None], found: Callable[[ExportError], None]) -> None:
    try:
        check()
    except ExportError as error:
        found(error)


def _rebound(world: Any, write: Write) -> Any:
    """The placeholder of the exported object's array that another array of the same kind replaces; ``None`` for any other write."""
    if type(write.after) is not ArrayProxy or not isinstance(write.before, np.ndarray) or not belongs_to_root(write.path):
        return None
    before = world.shadows.shadow_of(write.before)
    if type(before) is not ArrayProxy or before.storage.outside is None or len(before.storage.outside.paths) > 1:
        return None
    same = before.shape == write.after.shape and before.dtype == write.after.dtype
    return before.storage.outside if same else None


def _require_alone(trace: Any, placeholder: Any) -> None:
    """An array that shares memory with others, and is replaced by one that does not, would not see their writes in the next call."""
    for other in trace.recorder.overlaps.of(placeholder):
        if other.mutated:
            hint = "Write to it in place (self.a[...] = value), or give it memory of its own before the export."
            raise Unsupported("E112", f"`{placeholder.path}` is replaced, which shares memory with `{other.path}`", hint=hint)


def _require_same_layouts(layouts: Any, rebound: dict[Any, Mutation]) -> None:
    """Where the program relies on how an array of the state lies in memory, the array that takes its place must lie so in the next call."""
    seen: set[Any] = set()
    while relied_on := [placeholder for placeholder in rebound if placeholder in layouts.conditions and placeholder not in seen]:
        for placeholder in relied_on:
            seen.add(placeholder)
            if not lies(layouts.ask(rebound[placeholder].array), placeholder.array.strides):
                hint = "Assign an array of the same memory order: np.ascontiguousarray(value)."
                raise Unsupported("E121", f"`{placeholder.path}` is replaced by an array that lies in memory in another order", hint=hint)


def _constant_written(placeholder: Any) -> Unsupported:
    stack: tuple[Location, ...] = placeholder.storage.node.meta.get("stack_trace", ())
    return Unsupported("E116", f"the program writes into the array `{placeholder.path}`, which it found outside", user_stack=stack)


def problem(write: Write, stack: tuple[Location, ...]) -> ExportError:
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
    return Unsupported("E112", f"the program {what}", hint=_rewrite(write, path), **where)


def _kind(array: Any) -> str:
    meta = array.meta if type(array) in (ArrayProxy, ScalarProxy) else None
    return str(meta) if meta is not None else f"{array.dtype}{list(array.shape)}"


def _rewrite(write: Write, path: str) -> str | None:
    if belongs_to_root(write.path) and isinstance(write.after, np.ndarray):
        return f"Create the array in __init__; or call the object once before the export, so that `{path}` is there."
    name = path.rpartition(".")[2].rpartition("'")[0].rpartition("'")[2] or path.rpartition(".")[2]
    if belongs_to_root(write.path) and isinstance(write.before, (int, float, np.generic)) and not isinstance(write.before, bool):
        array = f"np.array({write.before!r})"
        return f"Numbers are part of the program; make `{path}` an array ({array}) and write to it in place, or return the new value."
    if name.isidentifier():
        return f"Return the new value ({name}) from the function and store it where the function is called: result, {name} = f(...)."
    return None
