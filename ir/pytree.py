"""Containers taken apart into leaves and put together again.

Containers are tuples, lists, dicts (also ``OrderedDict``, ``defaultdict``, ``Counter``), deques,
sets, ``SimpleNamespace``, ``ChainMap``, ``UserDict`` and ``UserList``, named tuples and
dataclasses, of these very types: an instance of any other class is a leaf, and so is ``None``. A
dict's leaves come in its insertion order; another dict fits its spec when it has the same keys in
the same order, because a program that iterates over it depends on the order. A complex number that
the program computes from floats is a container of its two parts; any other is a leaf.
`npexport.ir.containers` declares the kinds.
"""

from __future__ import annotations

import dataclasses
import enum
import math
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np

from npexport.ir.containers import BARE, NAMED, STANDS_FOR, Key, OneOf, find_kind, fits_named, kind_of
from npexport.ir.dicts_of_some import DictOfSome
from npexport.ir.list_of_rows import ListOfRows
from npexport.ir.meta import content
from npexport.symshapes.parameters import TEXT, takes
from npexport.symshapes.plain import with_article

T = TypeVar("T")
MAX_DEPTH = 100
"""The largest depth of nested containers: structures are walked recursively."""


class TreeSpec:
    """The structure of a container: its class, what is needed to rebuild it, its children's specs.

    A leaf has ``type`` ``None``.

    >>> leaves, spec = tree_flatten({"a": [1, 2], "b": 3})
    >>> leaves, spec
    ([1, 2, 3], TreeSpec({'a': [*, *], 'b': *}))
    >>> spec.unflatten([4, 5, 6])
    {'a': [4, 5], 'b': 6}
    """

    __slots__ = ("children", "context", "depth", "num_leaves", "type")

    def __init__(self, type: type | None, context: Any, children: tuple[TreeSpec, ...]) -> None:
        self.type = type
        self.context = context
        self.children = children
        self.num_leaves: int = 1 if type is None else sum(child.num_leaves for child in children)
        self.depth: int = 0 if type is None else 1 + max([child.depth for child in children], default=0)

    @property
    def is_leaf(self) -> bool:
        return self.type is None

    @property
    def is_open(self) -> bool:
        """Whether only sizes or data know all of it: how long a list is, which of several values
        one is, which keys a dict has.
        """
        return self.type in (ListOfRows, OneOf, DictOfSome) or any(child.is_open for child in self.children)

    @property
    def keys(self) -> list[Key]:
        """How each child is reached from its parent."""
        return [] if self.type is None else kind_of(self.type).keys(self.context, len(self.children))

    def unflatten(self, leaves: Any) -> Any:
        """The container with these leaves. Raises ``ValueError`` where their number is wrong."""
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(f"{self.num_leaves} leaves are needed, {len(leaves)} came")
        return self._build(iter(leaves))

    def _build(self, leaves: Iterator[Any]) -> Any:
        if self.type is None:
            return next(leaves)
        return kind_of(self.type).build(self.type, self.context, [child._build(leaves) for child in self.children])

    def paths(self, prefix: str = "") -> list[str]:
        """The path of each leaf, ``['a'][0].field`` after ``prefix``."""
        if self.type is None:
            return [prefix]
        return [path for key, child in zip(self.keys, self.children, strict=True) for path in child.paths(prefix + str(key))]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeSpec):
            return NotImplemented
        return self.type is other.type and same_key(self.context, other.context) and self.children == other.children

    def __hash__(self) -> int:
        return hash((self.type, self.num_leaves))

    def __repr__(self) -> str:
        return f"TreeSpec({self.render()})"

    def render(self, leaf: str = "*") -> str:
        """The structure as Python would write it, each leaf a star."""
        if self.type is None:
            return leaf
        return kind_of(self.type).render(self.type, self.context, [child.render(leaf) for child in self.children])


LEAF = TreeSpec(None, None, ())


REGISTERED: dict[str, type] = {}  # serialised name -> dataclass
_REGISTERED_NAMES: dict[type, str] = {}


def same_key(first: Any, second: Any) -> bool:
    """Whether no program can tell two keys, or other plain values, apart: of one type, and equal,
    also in what they hold.

    >>> same_key(1, True), same_key((0.0,), (-0.0,)), same_key(float("nan"), float("nan"))
    (False, False, True)
    """
    if first is second or type(first) is not type(second) or isinstance(first, enum.Enum):
        return first is second
    if isinstance(first, float):
        return math.copysign(1, first) == math.copysign(1, second) and (first == second or (first != first and second != second))
    if isinstance(first, complex):
        return same_key(first.real, second.real) and same_key(first.imag, second.imag)
    if isinstance(first, np.generic):
        return bool(first.dtype == second.dtype and content(first) == content(second))
    if isinstance(first, tuple):
        return len(first) == len(second) and all(map(same_key, first, second))
    if isinstance(first, frozenset):
        return len(first) == len(second) and all(any(same_key(one, other) for other in second) for one in first)
    return bool(first == second)


class Unbounded(ValueError):
    """A container that contains itself, more than `MAX_DEPTH` containers within one another, or
    attributes beside its items."""


def tree_flatten(tree: Any) -> tuple[list[Any], TreeSpec]:
    """The leaves, in order, and the structure. Raises `Unbounded`."""
    leaves: list[Any] = []
    return leaves, _flatten(tree, leaves, [])


def _flatten(tree: Any, leaves: list[Any], outer: list[Any]) -> TreeSpec:
    """``outer``: the containers around this one."""
    kind = find_kind(type(tree))
    if kind is None:
        leaves.append(tree)
        return LEAF
    if len(outer) == MAX_DEPTH:
        cyclic = any(container is tree for container in outer)
        raise Unbounded("contains itself" if cyclic else f"has more than {MAX_DEPTH} containers within one another")
    if kind in BARE and getattr(tree, "__dict__", None):
        raise Unbounded(f"holds {with_article(type(tree).__name__)} with attributes of its own")
    outer.append(tree)
    children, context = kind.parts(tree)
    spec = TreeSpec(STANDS_FOR.get(type(tree), type(tree)), context, tuple([_flatten(child, leaves, outer) for child in children]))
    outer.pop()
    return spec


def tree_map(fn: Callable[[Any], Any], tree: Any) -> Any:
    """The container with ``fn`` applied to every leaf.

    >>> tree_map(lambda leaf: leaf + 1, {"a": (1, 2)})
    {'a': (2, 3)}
    """
    leaves, spec = tree_flatten(tree)
    return spec.unflatten([fn(leaf) for leaf in leaves])


def tree_leaves_with_paths(tree: Any, prefix: str = "") -> list[tuple[str, Any]]:
    """Each leaf with its path.

    >>> tree_leaves_with_paths({"a": [1]}, "x")
    [("x['a'][0]", 1)]
    """
    leaves, spec = tree_flatten(tree)
    return list(zip(spec.paths(prefix), leaves, strict=True))


_SINGLE = "a single value"


class Misfit(NamedTuple):
    """A place where a tree differs in structure from its spec."""

    path: str
    expected: str
    actual: str

    @property
    def wanted(self) -> str:
        """What was expected, within a sentence."""
        return self.expected if self.expected == _SINGLE else f"the structure {self.expected}"


def flatten_like(spec: TreeSpec, tree: Any, prefix: str = "") -> tuple[list[Any], list[Misfit]]:
    """The leaves of ``tree``, and every place where its structure differs from ``spec``.

    Leaves that are missing because of a misfit are left out, so the leaves are complete only when
    there is none.

    >>> flatten_like(tree_flatten({"a": 1, "b": 2})[1], {"a": 3, "b": 4})
    ([3, 4], [])
    >>> flatten_like(tree_flatten({"a": 1, "b": 2})[1], {"b": 4, "a": 3}, "x")[1][0].actual
    "{'b': *, 'a': *}, the same keys in another order"
    """
    leaves: list[Any] = []
    misfits: list[Misfit] = []
    _flatten_like(spec, tree, prefix, leaves, misfits)
    return leaves, misfits


def _flatten_like(spec: TreeSpec, tree: Any, path: str, leaves: list[Any], misfits: list[Misfit]) -> None:
    cls = type(tree)
    if spec.type is None:
        if find_kind(cls) is None:
            leaves.append(tree)
        else:
            misfits.append(Misfit(path, _SINGLE, _shown(tree)))
        return
    if spec.type is not cls:
        misfits.append(Misfit(path, spec.render(), _shown(tree) if find_kind(cls) else f"a value of type {cls.__name__}"))
        return
    kind = kind_of(cls)
    children, context = kind.parts(tree)
    if len(children) != len(spec.children) or not same_key(spec.context, context):
        reordered = isinstance(tree, dict) and tree.keys() == {key.value for key in spec.keys}
        order = ", the same keys in another order" if reordered else ""
        misfits.append(Misfit(path, spec.render(), _shown(tree) + order))
        return
    for key, child, item in zip(spec.keys, spec.children, children, strict=True):
        _flatten_like(child, item, path + str(key), leaves, misfits)


def _shown(tree: Any) -> str:
    try:
        return tree_flatten(tree)[1].render()
    except Unbounded as error:
        return f"{with_article(type(tree).__name__)} that {error}"


@takes(serialized_type_name=TEXT.optional)
def register_dataclass(cls: type[T], *, serialized_type_name: str | None = None) -> type[T]:
    """Give a dataclass a stable name in saved programs, so that ``load`` finds it.

    Dataclasses need no registration to be inputs and outputs.

    Parameters
    ----------
    cls : type
        The dataclass.
    serialized_type_name : str, optional
        The name in files; by default the class's module and qualified name.

    Returns
    -------
    type
        ``cls``, so that the function is usable as a decorator.

    Raises
    ------
    TypeError
        ``cls`` is not a dataclass.
    ValueError
        The name belongs to another class.

    Examples
    --------
    >>> @register_dataclass
    ... @dataclasses.dataclass
    ... class Pair:
    ...     left: object
    ...     right: object
    """
    if not (isinstance(cls, type) and dataclasses.is_dataclass(cls)):
        raise TypeError(f"register_dataclass needs a dataclass, got {cls!r}")
    name = serialized_type_name or default_name(cls)
    holder = REGISTERED.get(name)
    if holder is not None and holder is not cls and default_name(holder) != default_name(cls):
        raise ValueError(f"the name {name!r} belongs to {holder!r}")
    REGISTERED[name] = cls
    _REGISTERED_NAMES[cls] = name
    return cls


def default_name(cls: type) -> str:
    """``module:qualified.name``."""
    return f"{cls.__module__}:{cls.__qualname__}"


def serialized_name(cls: type) -> str:
    """The name under which a container's class is written to a file."""
    return _REGISTERED_NAMES.get(cls) or default_name(cls)


def find_named_tuple(name: str, fields: tuple[str, ...]) -> type | None:
    """The named tuple class of this serialised name and these fields, and attributes after them,
    among the modules that are imported already; nothing is imported.
    """
    found = _imported(name)
    return found if isinstance(found, type) and find_kind(found) is NAMED and fits_named(found, fields) else None


def find_exception(name: str) -> type[Exception] | None:
    """The class of exceptions of this serialised name among the modules that are imported already.

    None of its Python runs when an exception is made of it: it has no ``__new__`` of its own, and
    an ``__init__`` of Python is not called (`has_own_init`).
    """
    found = _imported(name)
    if not (type(found) is type and issubclass(found, Exception)):
        return None
    of_python = [cls for cls in found.__mro__ if cls.__module__ != "builtins" and vars(cls).keys() & {"__new__", "__slots__"}]
    is_plain = not of_python and type(found.__init__) in (types.FunctionType, types.WrapperDescriptorType)
    return found if is_plain else None


def find_member(cls: str, name: str) -> enum.Enum | None:
    """The member of an enumeration among the modules that are imported already; flags that are set
    together have their names joined. None of its Python runs.
    """
    found = _imported(cls)
    if not isinstance(found, enum.EnumType):
        return None
    known = vars(found)
    together = (each for each in known["_value2member_map_"].values() if each._name_ == name)
    return known["_member_map_"][name] if name in known["_member_map_"] else next(together, None)


def _imported(name: str) -> Any:
    """What a module that is imported already has under a serialised name, ``None`` for nothing."""
    module, _, qualname = name.partition(":")
    found: Any = sys.modules.get(module)
    for part in qualname.split("."):
        found = getattr(found, "__dict__", {}).get(part)
    return found
