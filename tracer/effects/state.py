"""Which outside arrays are parameters, buffers and constants, and their dotted paths."""

from __future__ import annotations

import re
import sys
from typing import Any, NamedTuple

import numpy as np

from npexport.ir.signature import InputKind
from npexport.ir.state_lists import open_sizes
from npexport.tracer.arrays.core.filled_dict import TABLES
from npexport.tracer.arrays.memory.model import Kind
from npexport.tracer.effects.copiers import contents_of, places_of
from npexport.tracer.effects.settled import LISTS
from npexport.tracer.effects.shadows import Shadows
from npexport.tracer.interpreter.class_members import LIBRARIES


def module_class() -> Any:
    """The base class of layers; without ``nn`` an empty tuple, of which nothing is an instance."""
    return getattr(sys.modules.get("npexport.runtime.nn"), "Module", ())


SELF = "self"
"""The path of the exported object."""

_PREFIXES = {InputKind.PARAMETER: "p_", InputKind.BUFFER: "b_", InputKind.CONSTANT_TENSOR: "c_", InputKind.CUSTOM_OBJ: "obj_"}
_KINDS = {"parameter": (InputKind.PARAMETER, None), "buffer": (InputKind.BUFFER, True), "transient buffer": (InputKind.BUFFER, False)}


class Role(NamedTuple):
    """What one outside array is in the signature."""

    kind: InputKind
    target: str
    persistent: bool | None
    names: tuple[str, ...] = ()  # further ones

    @property
    def loadable(self) -> bool:
        """Whether the array belongs to the state dict."""
        return self.kind is InputKind.PARAMETER or bool(self.persistent)

    @property
    def name(self) -> str:
        """The placeholder's name: ``p_branch_0_weight``."""
        return _PREFIXES[self.kind] + re.sub(r"\W", "_", self.target)


def belongs_to_root(origin: str) -> bool:
    """Whether a path starts at the exported object."""
    return origin == SELF or origin.startswith((SELF + ".", SELF + "["))


def is_users(origin: str) -> bool:
    """Whether a path starts at the exported object or a user's name, not a library's."""
    if not origin.startswith((SELF, "global ", "closure ", "default ")):
        return False
    return not (origin.startswith("global ") and origin[7:].partition(":")[0].partition(".")[0] in LIBRARIES)


def is_registered(owner: Any, name: str | None) -> bool:
    """Whether an attribute is a parameter or a buffer that a module has registered."""
    return name is not None and issubclass(type(owner), module_class()) and name in owner._kinds


def may_be_state(shadows: Shadows, value: Any) -> bool:
    """Whether a list is one that the exported object has, in one place, which calls may make longer
    or shorter.
    """
    path = shadows.path_of(value)
    return type(value) in (*LISTS, *TABLES) and belongs_to_root(path) and shadows.only_name(shadows.original_of(value), path)


def may_change(shadows: Shadows, value: Any) -> bool:
    """Whether data may decide what an object holds: of those from outside, only the exported
    object's own.
    """
    return not shadows.is_outside(value) or belongs_to_root(shadows.path_of(value))


def dotted(origin: str) -> str:
    """The dotted path of an array: ``self.layers[0]['w']`` is ``layers.0.w``, ``global mod:W`` is
    ``W``.

    >>> dotted("self.layers[0]['w']"), dotted("global mod:tables['a']"), dotted("closure f.<locals>.g:w")
    ('layers.0.w', 'tables.a', 'w')
    """
    path = origin.partition(":")[2] or origin.rpartition(" ")[2]
    if belongs_to_root(path):
        path = path[len(SELF) :]
    path = re.sub(r"\[(['\"]?)(.*?)\1\]", r".\2", path)
    return re.sub(r"[^\w.]", "_", path).strip(".") or "array"


def shown(origin: str) -> str:
    """The path as users read it."""
    return origin.replace(":", ".", 1)


class State:
    """Roles by identity of the array, from what modules have registered."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self._taken: set[str] = set()
        self._targets: dict[int, str] = {}
        self.order: dict[int, int] = {}
        self.loadable: list[tuple[str, Any]] = []  # every name in a state dict, and the array
        if isinstance(root, module_class()):
            for name, array in [*root.named_parameters(), *root.named_buffers()]:
                self._targets.setdefault(id(array), name)
                self.order.setdefault(id(array), len(self.order))
        self._registered: dict[int, list[str]] = {}  # every name, also in modules that have several
        for name, array in root.state_dict().items() if isinstance(root, module_class()) else ():
            self._registered.setdefault(id(array), []).append(name)

    def registered(self) -> list[np.ndarray[Any, Any]]:
        """Every parameter and buffer of an exported module, in order: they are inputs even if the
        program does not use them.
        """
        if not isinstance(self.root, module_class()):
            return []
        return [array for _, array in [*self.root.named_parameters(), *self.root.named_buffers()]]

    def roles(self, shadows: Shadows, placeholders: list[Any], written: set[Any]) -> list[Role]:
        """The role of each placeholder; targets are unique.

        Arrays of the exported object that are ``written`` are buffers.
        """
        kinds: dict[int, tuple[InputKind, bool | None]] = {}
        for entry in shadows.entries:
            if issubclass(type(entry.original), module_class()):
                for name, kind in entry.original._kinds.items():
                    if kind in _KINDS:
                        array = vars(entry.original).get(name)
                        kinds.setdefault(id(array), _KINDS[kind])
                        if kind != "transient buffer":
                            self.loadable.append((dotted(f"{entry.origin}.{name}"), array))
        names = _names_of_arrays(shadows)
        for key, registered in self._registered.items():
            names[key] = list(dict.fromkeys([*names.get(key, []), *registered]))
        self.loadable += [(name, p.array) for p in placeholders for name in self._registered.get(id(p.array), [])]
        return [self._role(p, kinds.get(id(p.array)), p in written, names.get(id(p.array), [])) for p in placeholders]

    def _role(self, placeholder: Any, registered: tuple[InputKind, bool | None] | None, written: bool, names: list[str]) -> Role:
        target = self._targets.get(id(placeholder.array)) or placeholder.path
        if registered is not None:
            kind, persistent = registered
        elif placeholder.generator is not None:
            kind, persistent = InputKind.CUSTOM_OBJ, None
        elif placeholder.kind is Kind.STATE and (written or open_sizes(placeholder.storage.meta)):  # which other calls write
            kind, persistent = InputKind.BUFFER, False
        else:
            kind, persistent = InputKind.CONSTANT_TENSOR, None
        return Role(kind, self.unique(target), persistent, tuple([name for name in names if name != target]))

    def reserve(self, target: str) -> str:
        """The path of state without a first value, unless it is registered under this one: what
        stood there before gets another path.
        """
        if target in self._targets.values():
            self._taken.add(target)
            found = self.unique(target)
            self._taken.discard(target)
            return found
        return self.unique(target)

    def unique(self, target: str) -> str:
        """The path, with a number if another array has it."""
        unique, count = target, 0
        while unique in self._taken:
            count += 1
            unique = f"{target}_{count}"
        self._taken.add(unique)
        return unique

    def state_dict(self, held: dict[int, tuple[str, Any]]) -> dict[str, Any]:
        """The value for each array under all names that it is registered by, in the order of the
        exported module's state dict.
        """
        named = {name: held[id(array)][1] for name, array in self.loadable if id(array) in held}
        order = self.root.state_dict() if isinstance(self.root, module_class()) else ()
        return {name: named[name] for name in order if name in named} | dict(held.values()) | named


def _names_of_arrays(shadows: Shadows) -> dict[int, list[str]]:
    """The dotted paths of every array of the exported object, by its identity."""
    found: dict[int, list[str]] = {}

    def note(path: str, value: Any) -> None:
        if type(value) is np.ndarray:
            found.setdefault(id(value), []).append(dotted(path))
        elif issubclass(type(value), tuple):  # no entry of its own
            for key, item in contents_of(value):
                note(path + key, item)

    for entry in shadows.entries:
        if belongs_to_root(entry.origin):
            for step, value in places_of(entry.original):
                note(entry.origin + step, value)
    return found
