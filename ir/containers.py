"""The kinds of containers: how each is taken apart, and rebuilt from its parts.

One row of ``_KINDS`` declares a kind. No code of a container's class runs when one is rebuilt.
"""

from __future__ import annotations

import dataclasses
import types
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from npexport.ir import texts
from npexport.ir.dicts_of_some import DictOfSome, dict_of, dict_text
from npexport.ir.list_of_rows import ListOfRows, rows_of


class Key(NamedTuple):
    """One step of a path: ``[0]``, ``['a']`` or ``.field``."""

    value: Any
    attribute: bool = False

    def __str__(self) -> str:
        return f".{self.value}" if self.attribute else f"[{self.value!r}]"


class Kind(NamedTuple):
    """One kind of container.

    ``parts(tree) -> (children, context)``; ``build(cls, context, children)``; ``get(tree, key)``:
    the child of that key.
    """

    name: str
    parts: Callable[[Any], tuple[Any, Any]]
    build: Callable[[Any, Any, list[Any]], Any]
    keys: Callable[[Any, int], list[Key]]
    render: Callable[[Any, Any, list[str]], str]
    get: Callable[[Any, Any], Any] = lambda tree, key: tree[key]


def _positions(context: Any, count: int) -> list[Key]:
    return [Key(index) for index in range(count)]


def _attributes(context: Any, count: int) -> list[Key]:
    return [Key(name, attribute=True) for name in context]


def _items(context: Any, count: int) -> list[Key]:
    return [Key(key) for key in context]


def _call_text(cls: Any, context: Any, parts: list[str]) -> str:
    return f"{cls.__name__}({', '.join(f'{name}={part}' for name, part in zip(context, parts, strict=True))})"


def _dict_text(context: Any, parts: list[str]) -> str:
    return "{" + ", ".join(f"{key!r}: {part}" for key, part in zip(context, parts, strict=True)) + "}"


def _build_default_dict(cls: Any, context: Any, children: list[Any]) -> Any:
    factory, keys = context
    return defaultdict(factory, zip(keys, children, strict=True))


def dataclass_names(tree: Any) -> tuple[str, ...]:
    """The names of an instance's values: its fields that are set, then what else was put into its
    ``__dict__``.
    """
    names = [field.name for field in dataclasses.fields(tree) if hasattr(tree, field.name)]
    extra = [name for name in getattr(tree, "__dict__", ()) if name not in names]
    return (*names, *extra)


def fits_dataclass(cls: type, names: tuple[str, ...]) -> bool:
    """Whether an instance could hold values of these names: fields in their order, then what stands
    in its ``__dict__`` alone.
    """
    fields = [field.name for field in dataclasses.fields(cls)]
    known = [name for name in names if name in fields]
    extra = names[len(known) :]
    if list(names[: len(known)]) != known or known != [name for name in fields if name in known] or len(set(names)) != len(names):
        return False
    return _are_attributes(cls, extra)


def _are_attributes(cls: type, names: Iterable[str]) -> bool:
    """Whether the ``__dict__`` of an instance may hold values of these names."""
    plain = [name.isidentifier() and not name.startswith("__") and not _is_data_descriptor(cls, name) for name in names]
    return not plain or (all(plain) and has_attributes(cls))


def has_attributes(cls: type) -> bool:
    """Whether instances of a class have a ``__dict__``."""
    return hasattr(cls, "__dictoffset__") and cls.__dictoffset__ != 0


def _is_data_descriptor(cls: type, name: str) -> bool:
    found = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
    return hasattr(type(found), "__set__")


def _dataclass_parts(tree: Any) -> tuple[Any, Any]:
    names = dataclass_names(tree)
    return [getattr(tree, name) for name in names], names


def _build_dataclass(cls: Any, context: Any, children: list[Any]) -> Any:
    """Without ``__init__`` or ``__post_init__``: those ran when the program was exported."""
    instance = object.__new__(cls)
    for name, child in zip(context, children, strict=True):
        object.__setattr__(instance, name, child)
    return instance


def _build_counter(keys: Any, children: list[Any]) -> Any:
    counts: Counter[Any] = Counter()
    dict.update(counts, zip(keys, children, strict=True))
    return counts


def attribute_names(tree: Any) -> tuple[str, ...]:
    """The names of all that an object of the standard library holds."""
    return tuple(vars(tree))


def _attributes_of(tree: Any) -> tuple[Any, Any]:
    return list(vars(tree).values()), attribute_names(tree)


def of_attributes(cls: Any, values: Any) -> Any:
    """An object that holds these values, without ``__init__``, which would copy them."""
    instance = cls.__new__(cls)
    vars(instance).update(values)
    return instance


def named_attributes(tree: Any) -> tuple[str, ...]:
    """The names of what an instance of a named tuple's subclass holds beside its items."""
    return tuple(getattr(tree, "__dict__", ()))


def _named_parts(tree: Any) -> tuple[Any, Any]:
    names = named_attributes(tree)
    return [*tree, *[vars(tree)[name] for name in names]], (*type(tree)._fields, *names)


def fits_named(cls: Any, names: tuple[str, ...]) -> bool:
    """Whether an instance could hold values of these names: the fields, then attributes."""
    count = len(cls._fields)
    return cls._fields == names[:count] and len(set(names)) == len(names) and _are_attributes(cls, names[count:])


def of_items(cls: Any, items: Any, named: Any) -> Any:
    """A named tuple of these items, with what else is named as its attributes, without ``__new__``
    of its class.
    """
    instance = tuple.__new__(cls, items)
    attributes = {name: value for name, value in named if name not in cls._fields}
    if attributes:
        vars(instance).update(attributes)
    return instance


_TUPLE = Kind(
    "tuple",
    lambda t: (t, None),
    lambda cls, c, children: tuple(children),
    _positions,
    lambda cls, c, parts: f"({', '.join(parts)}{',' if len(parts) == 1 else ''})",
)
_LIST = Kind("list", lambda t: (t, None), lambda cls, c, children: children, _positions, lambda cls, c, parts: f"[{', '.join(parts)}]")
_DICT = Kind(
    "dict",
    lambda t: (t.values(), tuple(t)),
    lambda cls, c, children: dict(zip(c, children, strict=True)),
    _items,
    lambda cls, c, parts: _dict_text(c, parts),
)
_ORDERED = Kind(
    "OrderedDict",
    lambda t: (t.values(), tuple(t)),
    lambda cls, c, children: OrderedDict(zip(c, children, strict=True)),
    _items,
    lambda cls, c, parts: f"OrderedDict({_dict_text(c, parts)})",
)
_DEFAULT = Kind(
    "defaultdict",
    lambda t: (t.values(), (t.default_factory, tuple(t))),
    _build_default_dict,
    lambda c, count: _items(c[1], count),
    lambda cls, c, parts: f"defaultdict({_dict_text(c[1], parts)})",
)
_DEQUE = Kind(
    "deque",
    lambda t: (t, t.maxlen),
    lambda cls, c, children: deque(children, c),
    _positions,
    lambda cls, c, parts: f"deque([{', '.join(parts)}])",
)
NAMED = Kind(
    "namedtuple",
    _named_parts,
    lambda cls, c, children: of_items(cls, children[: len(cls._fields)], zip(c, children, strict=True)),
    _attributes,
    _call_text,
    get=getattr,
)
_DATACLASS = Kind("dataclass", _dataclass_parts, _build_dataclass, _attributes, _call_text, get=getattr)

_COUNTER = Kind(
    "Counter",
    lambda t: (t.values(), tuple(t)),
    lambda cls, c, children: _build_counter(c, children),
    _items,
    lambda cls, c, parts: f"Counter({_dict_text(c, parts)})",
)
_OBJECT = Kind(
    "object",
    _attributes_of,
    lambda cls, c, children: of_attributes(cls, zip(c, children, strict=True)),
    _attributes,
    _call_text,
    get=getattr,
)
_SET = Kind(
    "set",
    lambda t: ((frozenset(t),), None),
    lambda cls, c, children: None if children[0] is None else set(children[0]),  # a draft leaves out what cannot be returned
    lambda c, count: [Key("members", attribute=True)],
    lambda cls, c, parts: f"set({parts[0]})",
)
_COMPLEX = Kind(
    "complex",
    lambda z: ((z.real, z.imag), None),
    lambda cls, c, children: _COMPLEX_OF(*children),
    lambda c, count: [Key("real", attribute=True), Key("imag", attribute=True)],
    lambda cls, c, parts: f"complex({', '.join(parts)})",
    get=getattr,
)
_BYTES = Kind(
    "bytes",
    lambda t: ((t.array,), None),
    lambda cls, c, children: None if children[0] is None else children[0].tobytes(),  # a draft leaves out what cannot be returned
    lambda c, count: [Key("array", attribute=True)],
    lambda cls, c, parts: f"bytes({parts[0]})",
    get=getattr,
)
_TEXT = Kind(
    "text",
    lambda t: ((), None) if type(t) is str else t.taken_apart(),
    lambda cls, c, children: _TEXT_OF(c, children),
    _positions,
    lambda cls, c, parts: texts.shown(c, parts),
)


_ROWS = Kind(
    "list of rows",
    lambda t: ((), None),
    lambda cls, c, children: rows_of(c, iter(children)),
    lambda c, count: [Key(f"column_{index}", attribute=True) for index in range(count)],
    lambda cls, c, parts: f"[{', '.join(parts)}, ...]",
)


class OneOf:
    """In the structure of a result: one of several values, as data decide.

    Its children are the truths that it is the first of them, the second and so on, except for the
    last; then the values, only one of which is returned.
    """


def chosen(children: Any) -> Any:
    """The first of the values whose truth holds, or the last.

    >>> chosen([False, True, "first", "second", "last"])
    'second'
    """
    tests = len(children) // 2
    return next((value for test, value in zip(children[:tests], children[tests:], strict=False) if test), children[-1])


def chosen_text(children: list[str]) -> str:
    """The same as Python's text.

    >>> chosen_text(["a", "b", "first", "second", "last"])
    '(first if a else second if b else last)'
    """
    tests = len(children) // 2
    pairs = zip(children[tests:], children[:tests], strict=False)
    return f"({' '.join(f'{value} if {test} else' for value, test in pairs)} {children[-1]})"


def _one_of_keys(context: Any, count: int) -> list[Key]:
    tests = count // 2
    names = [*[f"is_option_{index}" for index in range(tests)], *[f"option_{index}" for index in range(count - tests)]]
    return _attributes(names, count)


_ONE_OF = Kind(
    "one of several",
    lambda t: ((*t.tests[:-1], *t.options), None),
    lambda cls, c, children: chosen(children),
    _one_of_keys,
    lambda cls, c, parts: f"({' or '.join(parts[len(parts) // 2 :])})",
)


def _keys_of_some(context: Any, count: int) -> list[Key]:
    return [each for key, lacks in context for each in ([Key(f"has_{key}", attribute=True)] * lacks + [Key(key)])]


_OF_SOME = Kind(
    "dict of some keys",
    lambda t: (t.children, t.context),
    lambda cls, c, children: dict_of(c, children),
    _keys_of_some,
    lambda cls, c, parts: dict_text(c, parts),
)

_KINDS: dict[type, Kind] = {
    tuple: _TUPLE,
    list: _LIST,
    dict: _DICT,
    OrderedDict: _ORDERED,
    defaultdict: _DEFAULT,
    deque: _DEQUE,
    Counter: _COUNTER,
    set: _SET,
    types.SimpleNamespace: _OBJECT,
    ChainMap: _OBJECT,
    UserDict: _OBJECT,
    UserList: _OBJECT,
    ListOfRows: _ROWS,
    OneOf: _ONE_OF,
    DictOfSome: _OF_SOME,
}
_NOT_CONTAINERS: set[type] = {type(None), int, float, bool, str, complex, bytes, np.ndarray}
_BY_OTHER_MEANS = (_OBJECT, _ROWS, _ONE_OF, _OF_SOME)
BUILTIN_CONTAINERS = {kind.name: cls for cls, kind in _KINDS.items() if kind not in _BY_OTHER_MEANS} | {
    "complex": complex,
    "text": str,
    "bytes": bytes,
}
OBJECTS = {cls.__name__: cls for cls, kind in _KINDS.items() if kind is _OBJECT}
"""Classes of the standard library whose instances consist of their ``__dict__``."""
RESULTS_ALONE: tuple[type, ...] = (complex, set, str, bytes, ListOfRows, OneOf, DictOfSome)
"""Containers of results that are not accepted as inputs: the order of a set is its own."""
STANDS_FOR: dict[type, type] = {}
_COMPLEX_OF: Callable[[Any, Any], Any] = complex
_TEXT_OF: Callable[[Any, Any], Any] = texts.written


def find_kind(cls: type) -> Kind | None:
    """The row of this class, or ``None``: its instances are leaves."""
    kind = _KINDS.get(cls)
    if kind is not None or cls in _NOT_CONTAINERS:
        return kind
    if issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple):
        return NAMED
    return _DATACLASS if dataclasses.is_dataclass(cls) else None


def register_complex(cls: type, number: Callable[[Any, Any], Any]) -> None:
    """Take numbers of this class, which stand for complex numbers, apart into the parts ``real``
    and ``imag``. ``number`` makes one of its parts, in place of ``complex``.
    """
    global _COMPLEX_OF
    _KINDS[cls], STANDS_FOR[cls], _COMPLEX_OF = _COMPLEX, complex, number


def register_rows(cls: type, parts: Callable[[Any], tuple[Any, Any]]) -> None:
    """Take objects of this class, which stand for lists, apart into columns (`ListOfRows`)."""
    _KINDS[cls], STANDS_FOR[cls] = _ROWS._replace(parts=parts), ListOfRows


def register_one_of(cls: type) -> None:
    """Take objects of this class, with ``tests`` and ``options``, apart as `OneOf`."""
    _KINDS[cls], STANDS_FOR[cls] = _ONE_OF, OneOf


def register_dict_of_some(cls: type) -> None:
    """Take objects of this class, with ``children`` and ``context``, apart as `DictOfSome`."""
    _KINDS[cls], STANDS_FOR[cls] = _OF_SOME, DictOfSome


def register_text(cls: type, text: Callable[[Any, Any], Any]) -> None:
    """Take texts of this class, which stand for plain ones, apart (``value.taken_apart()``:
    children and context). ``text`` makes one of its context and its children, in place of
    `texts.written`.
    """
    global _TEXT_OF
    _KINDS[cls], STANDS_FOR[cls], _TEXT_OF = _TEXT, str, text


def register_bytes(cls: type) -> None:
    """Take bytes of this class, which stand for plain ones, apart into one array (``array``), whose
    ``tobytes`` makes them again.
    """
    _KINDS[cls], STANDS_FOR[cls] = _BYTES, bytes


_MADE_OF_DATA = {complex: _COMPLEX, str: _TEXT, bytes: _BYTES}
"""Classes of which only those values are containers that data know."""


def kind_of(cls: type) -> Kind:
    """The row of a class that is known to be a container's."""
    kind = _MADE_OF_DATA.get(cls) or find_kind(cls)
    if kind is None:
        raise TypeError(f"{cls.__qualname__} is not a container")
    return kind


BARE = (_ORDERED, _COUNTER)
"""Containers that are rebuilt without the attributes that an instance may have beside its items."""
