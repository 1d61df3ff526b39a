"""Snapshots of everything that interpreted code can change: a side of a branch or an iteration of a
loop runs, its changes are collected, and everything is restored.

Laws:

1. Everything reachable from the frames of the VM, the shadows and the written names is walked once,
   under one identity memo. What first enters the program while a snapshot is open is saved as it
   enters, before the program can write to it.
2. An object holds *parts* (`Part`): attributes, slots, items. A part is restored in place, so that
   identities stay.
3. State of C objects that a snapshot could see but not restore (the position of an iterator, a
   coroutine's frame, what was printed) is *fixed*: `Snapshot.changes` raises `Changed` if it
   differs.
4. State of C objects that cannot be read (a hash that is being computed, a compressor) is *hidden*:
   while a snapshot is open, no C function is called with it (`World.hiding`).
5. A generator that is known does not end for the host while a snapshot is open: it can go on again.
6. Memory of arrays does not concern snapshots: regions (`npexport.tracer.arrays.core.regions`) log
   the writes to it.
"""

from __future__ import annotations

import contextvars
import itertools
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from npexport.ir.numpy_internals import ERROR_STATE
from npexport.symshapes.errors import Unsupported
from npexport.tracer.effects.overlay import NameWrite
from npexport.tracer.effects.parts import KINDS, LEAVES, PLACED, Part, held_in, is_own, parts_of, same, same_parts, step_of
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter import generators, suspended
from npexport.tracer.interpreter.frame import NULL, Frame, Machine


class Changed(Exception):
    """Something was changed that no snapshot restores; ``str()`` says what, after "the side"."""

    def hint(self) -> str | None:
        """What to write instead, if the place does not tell."""
        return next((hint for what, hint in _HINTS.items() if what in str(self)), None)


_PRINTS = "prints or warns"
NO_GENERATOR = (
    "A generator cannot go on where only one side takes its next step. In place of `with` and a function with @contextmanager, write its "
    "`try` and `except` around these lines, or a class with __enter__ and __exit__; in place of next(), iterate over list(generator(x))."
)
_HINTS = {
    " a generator that": NO_GENERATOR,
    _PRINTS: "Return the condition as one more output, and print where the program is called: what runs only for some data cannot print.",
}


ITERATED = "Take the items by an index, `item = items[i]` and `i += 1`, or let `for item in items` give them, in place of next()."
"""The hint for an iterator from before that goes on where data decide."""


class Spoiled(Unsupported):
    """Something was changed that cannot be restored: nothing may go on, not even for diagnosis."""


class Change(NamedTuple):
    """An object whose contents differ now.

    ``path``: how the program reaches it, in its own words.
    """

    owner: Any
    path: str
    before: tuple[Part, ...]
    after: tuple[Part, ...]

    def alters(self, known: Callable[[Any], Any]) -> bool:
        """Whether the object holds something else, and not only what is ``known`` of values of
        which the data decide what they are, or whether they are there.
        """
        return len(self.before) != len(self.after) or not all(map(_is_told, self.before, self.after, itertools.repeat(known)))


def _is_told(old: Part, new: Part, known: Callable[[Any], Any]) -> bool:
    """Whether a part has its old values, as far as they are known."""
    if old.kind != new.kind or old.kind not in ("attributes", "slots", "dict"):
        return same_parts((old,), (new,))
    rest = list(zip(new.keys, new.values, strict=True))
    for key, value in zip(old.keys, old.values, strict=True):
        found = rest.pop(0)[1] if rest and same(rest[0][0], key) else NULL
        if not same(value, found) and known(value) is not found:
            return False
    return not rest


_Step = str | tuple[Part, int]
"""The last step of a path as the program writes it, or an index into the values of a part, since
few steps are ever shown.
"""


class _Held(NamedTuple):
    value: Any
    parts: tuple[Part, ...]
    parent: int
    step: _Step


class Snapshot:
    """The state of everything reachable from the frames of the VM, the shadows and ``roots``, and
    of what the program has written outside.

    It is open until `close`; several may be open, the innermost last. ``names``: what the program
    has written to names of outside modules, classes and functions: (identity of the owner, name) ->
    write.
    """

    def __init__(self, world: ShadowedWorld, vm: Machine, roots: tuple[Any, ...] = ()) -> None:
        self._world, self._vm = world, vm
        self.names = world.overlay.written()
        self._context = contextvars.copy_context()  # keeps the identities of its values
        self._settings = self._fixed()
        self.errors = world.errors.in_force()
        self._emitted, self._warned = len(world.report.emitted), set(world.warned)
        self._found: dict[int, _Held] = {}
        self._generators: list[generators.State] = []
        self.spoiled = False  # whether an error has said that not everything can be restored
        self._hiding, world.hiding = world.hiding, dict(world.hiding)
        self.frames: list[Frame] = []
        frame = vm.frame
        while frame is not None:
            self.frames.append(frame)
            frame = frame.back
        self._serial = generators.serial()
        self._machine = vm.frame, vm.depth, [(frame.pc, frame.then, frame.back, frame.real) for frame in self.frames]
        shadows = world.shadows
        self._take([(root, 0, "") for root in roots])
        for frame in self.frames:
            self._keep(frame, 0, "")
            self._take([(frame.names, 0, "")])
            if world.is_local(frame.globals):
                self._take([(frame.globals, 0, "")])
        self._take([(entry.shadow, 0, _shown(entry.origin)) for entry in shadows.entries])
        self._take([(shadow, 0, _shown(origin)) for _, shadow, origin in shadows.cells.values()])
        self._take([(write.value, 0, write.name) for write in self.names.values()])
        shadows.watchers.append(self._enter)

    def close(self) -> None:
        """From now on, what enters the program is not saved."""
        self._world.shadows.watchers.remove(self._enter)
        self._world.hiding = self._hiding
        for state in self._generators:
            suspended.release(state)

    def generators(self) -> list[generators.State]:
        """Those that the VM runs, and that were suspended then."""
        return self._generators

    # Finding everything

    def _enter(self, shadow: Any, origin: str) -> None:
        self._take([(shadow, 0, _shown(origin))])

    def _take(self, pending: list[tuple[Any, int, _Step]]) -> None:
        world, found = self._world, self._found
        while pending:
            value, parent, step = pending.pop()
            cls = type(value)
            if cls in LEAVES or id(value) in found or is_own(cls):
                continue
            if issubclass(cls, (type, types.ModuleType)) and not world.is_local(value):
                continue
            pending += self._keep(value, parent, step)

    def _keep(self, value: Any, parent: int, step: _Step) -> list[tuple[Any, int, _Step]]:
        parts = parts_of(value)
        self._found[id(value)] = _Held(value, parts, parent, step)
        key = id(value)
        if any(part.kind == "hidden" for part in parts):
            self._world.hiding[key] = value
        if type(value) is types.GeneratorType and (state := suspended.keep(value)) is not None:
            self._generators.append(state)
        held = [(item, key, step) for item, step in held_in(parts)]
        if type(value) is Frame:
            self._take([entry for entry in held if entry[0] is not Frame.poison])
            return []
        return held

    def knows(self, value: Any) -> bool:
        """Whether an object existed when the snapshot was taken, or was entered since."""
        return id(value) in self._found

    def parts(self, value: Any) -> tuple[Part, ...]:
        """The saved parts of a known object."""
        return self._found[id(value)].parts

    def objects(self) -> Iterator[tuple[Any, tuple[Part, ...]]]:
        """Every known object with its saved parts."""
        for held in self._found.values():
            yield held.value, held.parts

    def holds(self, value: Any) -> bool:
        """Whether a frame or an object that is known has it among its parts."""
        return any(value is each for held in self._found.values() for part in held.parts for each in part.values)

    def path(self, value: Any) -> str:
        """How the program reaches a known object."""
        steps: list[str] = []
        held = self._found.get(id(value))
        while held is not None:
            steps.append(held.step if isinstance(held.step, str) else step_of(*held.step))
            held = self._found.get(held.parent)
        return "".join(reversed(steps)).lstrip(".")

    # What has changed

    def changes(self, but_errors: bool = False) -> dict[int, Change]:
        """The objects that have changed, by identity. Raises `Changed`.

        ``but_errors``: the error state may differ.
        """
        found = self._differences()
        if not but_errors and not self.errors.is_left_by(self._world.errors.in_force()):
            raise Changed(_HANDLING)
        for what, old, new in zip(_SETTINGS, self._settings, self._fixed(), strict=True):
            if old != new:
                self.spoiled |= what == _CONTEXT
                raise Changed(what)
        lost = self._lost(found, ("fixed",))
        if lost is not None:
            self.spoiled = True
            raise Changed(f"changes a {lost} that exists before")
        return found

    def require_none_dropped(self, found: dict[int, Change]) -> dict[int, Change]:
        """The changes. Raises `Changed` if a generator was, or will be dropped that runs something
        then.
        """
        gone = (suspended.dropped(*[[value for part in parts for value in part.values] for parts in each[2:]]) for each in found.values())
        left = next(filter(None, gone), suspended.left_since(self._vm, self._serial))
        if left is not None:
            raise Changed(f"leaves the generator `{left}` suspended within a `try` or a `with`, whose end runs when it is dropped")
        return found

    def changed(self) -> list[Any]:
        """The objects that have changed so far."""
        return [change.owner for change in self._differences().values() if change.alters(self._world.known)]

    def _differences(self) -> dict[int, Change]:
        found: dict[int, Change] = {}
        for key, held in self._found.items():
            after = parts_of(held.value)
            if not same_parts(held.parts, after):
                found[key] = Change(held.value, self.path(held.value), held.parts, after)
        return found

    def written_names(self, left: bool = False) -> dict[tuple[int, str], NameWrite]:
        """The names of outside modules, classes and functions that have changed. ``left``: only
        those that have another value than before the program.
        """
        overlay = self._world.overlay
        found = {key: write for key, write in overlay.written().items() if not self._as_before(key, write)}
        kept = {(id(write.owner), write.name) for write in overlay.surviving(self._world.shadows.shadow_of)} if left and found else found
        return {key: write for key, write in found.items() if key in kept}

    def _as_before(self, key: tuple[int, str], write: NameWrite) -> bool:
        before = self.names.get(key)
        if before is not None:
            return before.value is write.value
        names = write.owner if isinstance(write.owner, dict) else vars(write.owner)
        return write.name in names and self._world.shadows.shadow_of(names[write.name]) is write.value

    def named(self, value: Any) -> str:
        """The kind of an object, for messages."""
        return "variable" if type(value) is types.CellType else str(self._world.type_of(value).__name__)

    def _fixed(self) -> tuple[Any, ...]:
        world = self._world
        variables = [(id(variable), id(value)) for variable, value in contextvars.copy_context().items() if variable is not ERROR_STATE]
        remembered = [(id(cache), results.hits, results.misses) for cache, results in world.remembered.items()]
        return sorted(variables), remembered, frozenset(world.warned), len(world.report.emitted)

    def effect(self) -> str | None:
        """What was changed, in words; ``None`` where nothing was."""
        try:
            found = self.changes()
        except Changed as changed:
            return str(changed)
        if found:
            return f"changes a {self.named(next(iter(found.values())).owner)} that exists before"
        return "writes a global variable or an attribute of a class, function or module" if self.written_names() else None

    # Putting back

    def restore(self, changes: dict[int, Change] | None = None) -> None:
        """Restore everything; frames are where they were.

        ``changes``: the changes, if they are known; if not, nothing that was made since is used any
        more. Raises `Spoiled` if something cannot be restored and nobody was told.
        """
        if changes is None:
            suspended.end_since(self._vm, self._serial)  # before they are dropped
            changes = self._differences()
        for change in changes.values():
            for old, new in zip(change.before, change.after, strict=False):
                put = KINDS[old.kind]
                if put is not None and not same_parts((old,), (new,)):
                    put(change.owner, old)
        self._world.errors.put_back(self.errors)
        self.unsay()
        overlay = self._world.overlay
        for key, write in overlay.written().items():
            if self.names.get(key) is not write:
                overlay.put_back(write, self.names.get(key))
                self._world.forget(write.owner, write.name)
        self._end_generators()
        self._vm.frame, self._vm.depth, places = self._machine
        for frame, place in zip(self.frames, places, strict=True):
            frame.pc, frame.then, frame.back, frame.real = place
        if not self.spoiled:
            self._require_restored(changes)

    def _end_generators(self) -> None:
        """End generators that were made since and are suspended."""
        frame = self._vm.frame
        while frame is not None and frame not in self.frames:
            if frame.generator is not None and frame.generator.serial > self._serial:
                frame.generator.end()
            frame = frame.back

    def unsay(self) -> None:
        """Drop what the program has printed, warned of and logged since."""
        del self._world.report.emitted[self._emitted :]
        self._world.warned.intersection_update(self._warned)

    def _require_restored(self, changes: dict[int, Change]) -> None:
        now = {key: change._replace(after=parts_of(change.owner)) for key, change in changes.items()}
        lost = self._lost(now, ("fixed", *PLACED))
        if lost is not None:
            raise Spoiled(
                "E103",
                f"a branch or loop depends on data, and one side, or one iteration, goes on with a {lost} that exists before",
                hint=ITERATED,
            )

    def _lost(self, changes: dict[int, Change], kinds: tuple[str, ...]) -> str | None:
        """The kind of an object whose parts of these kinds have changed."""
        for change in changes.values():
            for old, new in zip(change.before, change.after, strict=False):
                if old.kind in kinds and not same_parts((old,), (new,)):
                    return self.named(change.owner)
        return None


@contextmanager
def snapshot(world: ShadowedWorld, vm: Machine, roots: tuple[Any, ...] = ()) -> Iterator[Snapshot]:
    """A `Snapshot` that is open inside the block."""
    taken = Snapshot(world, vm, roots)
    try:
        yield taken
    except BaseException:
        taken.unsay()
        raise
    finally:
        taken.close()


def require_told(world: ShadowedWorld, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raises ``Unsupported`` (E103) for a call of C with an object that could not be restored."""
    for value in (fn, getattr(fn, "__self__", None), *args, *kwargs.values()):
        if id(value) in world.hiding:
            what = (
                f"on one side, or in one iteration, a {world.type_of(value).__name__} from before it is used, whose contents cannot be read"
            )
            hint = "Make the object within the branch or the loop, or move what is done with it out of them."
            raise Unsupported("E103", f"a branch or loop depends on data, and {what}", hint=hint)


_HANDLING = "changes how errors or warnings are handled"
_CONTEXT = "sets a context variable"
_SETTINGS = (
    _CONTEXT,
    "calls a function whose results are cached",
    _HANDLING,
    _PRINTS,
)


def _shown(origin: str) -> str:
    return origin.replace(":", ".").removeprefix("attribute ").removeprefix("global ")
