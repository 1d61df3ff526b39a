"""The containers in an archive's structures: their types, and how each names its children."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npexport.ir import texts
from npexport.ir.archive_limits import MAX_NESTING
from npexport.ir.archive_values import damaged, expect, items
from npexport.ir.containers import BUILTIN_CONTAINERS, OBJECTS, OneOf, fits_dataclass
from npexport.ir.dicts_of_some import DictOfSome, count_of
from npexport.ir.list_of_rows import OF_ROWS, ListOfRows, numbers_in
from npexport.ir.pytree import REGISTERED, find_named_tuple
from npexport.symshapes.errors import LoadError

Key = Callable[[Any], Any]
_Container = tuple[Any, Any, int | None]  # type, context, and how many children there must be


def container(kind: str, context: Any, count: int, key: Key) -> tuple[Any, Any]:
    """The type and the context of a container of ``count`` children; ``key`` decodes the key of a
    dict.

    Raises ``LoadError`` where they do not belong together (E501), or where the class of the
    container is not known here (E504).
    """
    decode = _TREES.get(kind)
    if decode is None:
        raise damaged(f"{kind!r} is not a container")
    cls, context, expected = decode(kind, context, key)
    if expected is not None and expected != count:
        raise damaged(f"a {kind} of {expected} parts has {count} children")
    if kind == "one of several" and not (count > 2 and count % 2):
        raise damaged(f"one of several values has {count} children")
    if kind == "deque" and context is not None and context < count:
        raise damaged(f"a deque of at most {context} has {count} children")
    return cls, context


def _plain_tree(kind: str, context: Any, key: Key) -> _Container:
    return BUILTIN_CONTAINERS[kind], expect(context, type(None)), None


def _complex_tree(kind: str, context: Any, key: Key) -> _Container:
    return complex, expect(context, type(None)), 2


def _text_tree(kind: str, context: Any, key: Key) -> _Container:
    parts = tuple([expect(part, str, type(None)) for part in expect(context, list)])
    count = parts.count(None)
    if not texts.fits(parts, count):
        raise damaged("a text has an invalid form")
    return str, parts, count


def _dict_tree(kind: str, context: Any, key: Key) -> _Container:
    keys = tuple([key(each) for each in expect(context, list)])
    if len(set(keys)) != len(keys):
        raise damaged("a dict has a key twice")
    return BUILTIN_CONTAINERS[kind], keys, len(keys)


def _default_tree(kind: str, context: Any, key: Key) -> _Container:
    from npexport.ir.archive_encode import FACTORIES

    factory, keys = items(context, 2)
    cls, keys, count = _dict_tree(kind, keys, key)
    return cls, (None if factory is None else FACTORIES[expect(factory, str)], keys), count


def _deque_tree(kind: str, context: Any, key: Key) -> _Container:
    if expect(context, int, type(None)) is not None and context < 0:
        raise damaged("a deque has a negative maximum length")
    return BUILTIN_CONTAINERS[kind], context, None


def _rows_tree(kind: str, context: Any, key: Key) -> _Container:
    named = type(context) is list and len(context) == 2 and type(context[0]) is str and context[0] in OF_ROWS
    item = (context[0], _item(context[1])) if named else _item(context)
    return ListOfRows, item, len(numbers_in(item))


def _item(context: Any, depth: int = 0, among: bool = False) -> Any:
    """``among``: it is one of several that an item may be."""
    if type(context) is str and context in ("number", "scalar", "array"):
        return context
    if type(context) is list and len(context) == 2 and context[0] == "constant" and type(context[1]) in (str, type(None)) and among:
        return tuple(context)
    if type(context) is list and len(context) == 3 and context[0] == "lists" and not among and depth < MAX_NESTING:
        if context[1] != "list" and context[1] not in OF_ROWS:
            raise damaged("a list has items of an unknown kind")
        return ("lists", context[1], _item(context[2], depth + 1))
    if type(context) is list and len(context) > 1 and context[0] in ("tuple", "list", "one") and depth < MAX_NESTING:
        return (context[0], *[_item(part, depth + 1, context[0] == "one") for part in context[1:]])
    if type(context) is list and len(context) > 2 and context[0] in ("text", *(() if among else ("record",))) and depth < MAX_NESTING:
        return _described(context, [_item(part, depth + 1) for part in context[2:]])
    if type(context) is list and len(context) > 2 and context[0] == "namedtuple" and not among and depth < MAX_NESTING:
        cls, names, _ = _class_tree("namedtuple", context[1:3], str)
        if len(names) != len(context) - 3:
            raise damaged("the named tuples in a list have other fields")
        return ("namedtuple", cls, *[_item(part, depth + 1) for part in context[3:]])
    raise damaged("a list has items of an unknown kind")


def _described(context: list[Any], parts: list[Any]) -> Any:
    """A dict of these keys, or a text of this context."""
    told = tuple([expect(each, str, type(None)) for each in expect(context[1], list)])
    if context[0] == "record" and (None in told or len({*told}) != len(told) or len(told) != len(parts)):
        raise damaged("the dicts in a list do not have one item for each key")
    if context[0] == "text" and not texts.fits(told, len(parts)):
        raise damaged("a list has texts of an invalid form")
    return (context[0], told, *parts)


def _tree_of_one(kind: str, context: Any, key: Key) -> _Container:
    return BUILTIN_CONTAINERS[kind], expect(context, type(None)), 1


def _one_of_tree(kind: str, context: Any, key: Key) -> _Container:
    return OneOf, expect(context, type(None)), None


def _some_tree(kind: str, context: Any, key: Key) -> _Container:
    pairs = [items(pair, 2) for pair in expect(context, list)]
    found = tuple([(key(name), expect(lacks, bool)) for name, lacks in pairs])
    if len({name for name, _ in found}) != len(found):
        raise damaged("a dict has a key twice")
    return DictOfSome, found, count_of(found)


def _object_tree(kind: str, context: Any, key: Key) -> _Container:
    name, found = items(context, 2)
    names = tuple([expect(each, str) for each in expect(found, list)])
    if expect(name, str) not in OBJECTS or len(set(names)) != len(names):
        raise damaged(f"{name!r} is not a container, or has an attribute twice")
    return OBJECTS[name], names, len(names)


def _class_tree(kind: str, context: Any, key: Key) -> _Container:
    name, fields = items(context, 2)
    names = tuple([expect(field, str) for field in expect(fields, list)])
    cls = find_named_tuple(expect(name, str), names) if kind == "namedtuple" else REGISTERED.get(expect(name, str))
    if cls is None:
        raise LoadError("E504", f"the program takes or returns the {kind} {name!r} with the fields {list(names)}, which is not known here")
    if kind == "dataclass" and not fits_dataclass(cls, names):
        raise LoadError("E504", f"the program was saved with a dataclass {name!r} of the values {list(names)}, here it has other fields")
    return cls, names, len(names)


_TREES: dict[str, Callable[[str, Any, Key], _Container]] = {
    "tuple": _plain_tree,
    "list": _plain_tree,
    "deque": _deque_tree,
    "complex": _complex_tree,
    "text": _text_tree,
    "set": _tree_of_one,
    "bytes": _tree_of_one,
    "list of rows": _rows_tree,
    "one of several": _one_of_tree,
    "dict of some keys": _some_tree,
    "object": _object_tree,
    "Counter": _dict_tree,
    "dict": _dict_tree,
    "OrderedDict": _dict_tree,
    "defaultdict": _default_tree,
    "namedtuple": _class_tree,
    "dataclass": _class_tree,
}
