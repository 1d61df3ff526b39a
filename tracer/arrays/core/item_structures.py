"""The structures of items of lists that captured loops fill
(`npexport.tracer.arrays.core.filled_list`): a tuple of structures, `Row`, `Items`, `Record`,
`Text`, `Kinds`, or the type of a leaf: a meta, or a Python type. The structure of a named tuple is
one of its class.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from npexport.ir import raising
from npexport.ir.meta import TensorMeta
from npexport.ir.ops.control_flow import alike as same_but_for_sizes
from npexport.ir.ops.control_flow import fits
from npexport.ir.printing import value_text
from npexport.symshapes.env import known
from npexport.symshapes.symint import SymBool, SymInt, is_unbacked
from npexport.tracer.arrays.core.current import recorder

METHODS = (
    "clear count extend index insert pop remove reverse sort __contains__ __delitem__ __iadd__ appendleft extendleft popleft rotate"
).split()
"""The methods that are polyfills (`npexport.tracer.models.polyfills.lists`)."""
_DTYPES = {int: np.dtype(np.int64), float: np.dtype(np.float64), bool: np.dtype(np.bool_)}


class Items(NamedTuple):
    """The structure of an item that is itself such a list."""

    length: Any
    item: Any


class Row(NamedTuple):
    """The structure of an item that is a list of this many items."""

    parts: tuple[Any, ...]


class Record(NamedTuple):
    """The structure of an item that is a dict of these texts as keys, which the program only puts
    in.
    """

    keys: tuple[str, ...]
    parts: tuple[Any, ...]


class Text(NamedTuple):
    """The structure of an item that is a text of this context (`npexport.ir.texts`)."""

    context: tuple[Any, ...]
    parts: tuple[Any, ...]


_DESCRIBED = (Record, Text)


class Like(NamedTuple):
    """An item of this structure, whose value is not told."""

    structure: Any


class Within(NamedTuple):
    """The position of a list inside another, its owner: the index of the item, and where the list
    stands within the item (`part_at`).
    """

    owner: Any
    position: Any
    path: tuple[int, ...]


_OF_ITEMS = "__eq__ __ge__ __getattribute__ __getitem__ __gt__ __hash__ __iter__ __le__ __len__ __lt__ __ne__".split()


def is_tuple(value: Any) -> bool:
    """Whether a value or a structure is nothing but its items: a tuple, also a named one."""
    cls = type(value)
    if cls is tuple or not issubclass(cls, tuple):
        return cls is tuple
    is_named = hasattr(cls, "_fields") and not hasattr(value, "__dict__") and not cls.__module__.startswith("npexport.")
    return is_named and all(getattr(cls, name) is getattr(tuple, name) for name in _OF_ITEMS)


def with_items(value: Any, items: Iterable[Any]) -> Any:
    """The same tuple of other items."""
    return tuple.__new__(type(value), items)


class Family:
    """Lists that may hold the same lists or arrays, each by value. ``repeats``: whether one of them
    may hold one twice. ``returned``: the one that is a result. ``columns``: the arrays of
    results, each after those that they were computed from.
    """

    __slots__ = ("_joined", "columns", "repeats", "returned")

    def __init__(self) -> None:
        self._joined: Family | None = None
        self.repeats, self.returned = False, None
        self.columns: list[tuple[list[Any], Any]] = []

    def all(self) -> Family:
        """The family after all that joined it."""
        return self if self._joined is None else self._joined.all()

    def join(self, other: Family) -> None:
        """Lists of both may hold the same ones."""
        one, other = self.all(), other.all()
        if one is not other:
            other._joined = one
            one.repeats |= other.repeats
            one.returned = one.returned or other.returned


class Reference:
    """A list of a store, as an item: the ``store``, and its ``number`` there."""

    __slots__ = ("number", "store")
    number: Any
    store: Referred


class Referred:
    """The structure of an item that is one of the lists of a store
    (`npexport.tracer.arrays.core.inner_lists`): its number among them.
    """

    __slots__ = ()
    kind: type

    def list_at(self, number: Any) -> Any:
        """The list of this number."""
        raise NotImplementedError


class Constant(NamedTuple):
    """The structure of an item that is ``None``, or one text."""

    value: Any


class Kinds(NamedTuple):
    """The structure of a number, a constant or a text that is of one of several kinds. Its first
    column says of which; numbers of one dtype share another; behind these are those of the texts.
    """

    options: tuple[Any, ...]

    def dtypes(self) -> list[np.dtype[Any]]:
        """The dtypes of the columns of numbers."""
        numbers = [option for option in self.options if not isinstance(option, Text)]
        return list(dict.fromkeys(dtype for option in numbers for _, dtype in metas_of(option)))

    def texts(self) -> list[Text]:
        """The texts among its kinds."""
        return [option for option in self.options if isinstance(option, Text)]

    def place(self, option: Any) -> int:
        """Which of its kinds one is."""
        return next(place for place, each in enumerate(self.options) if alike(each, option))


_MOST_KINDS = 8


def all_joined(structures: Iterable[Any]) -> Any:
    """The structure of items of any of these structures; ``None`` where there is none."""
    return functools.reduce(lambda one, other: one and joined(one, other), structures)


def joined(one: Any, other: Any) -> Any:
    """The structure of items of either structure; ``None`` where there is none."""
    if alike(one, other):
        return one
    if is_tuple(one) and type(one) is type(other) and len(one) == len(other):
        parts = with_items(one, [joined(a, b) for a, b in zip(one, other, strict=True)])
        if all(part is mine for part, mine in zip(parts, one, strict=True)):
            return one
        return None if None in parts else parts
    if isinstance(one, (Row, Items)) and isinstance(other, (Row, Items)) and type(one) is not type(other):
        parts = joined(_parts_beside(one, other), _parts_beside(other, one))
        return None if parts is None else one if parts is one[0] else Row(parts)
    if isinstance(one, (Row, Record)) and type(one) is type(other) and one[:-1] == other[:-1]:
        parts = joined(one.parts, other.parts)
        return None if parts is None else one if parts is one.parts else one._replace(parts=parts)
    if isinstance(one, Items) and isinstance(other, Items) and known(one.length == other.length) is True:
        item = joined(one.item, other.item)
        return None if item is None else one if item is one.item else one._replace(item=item)
    options = list(one.options if isinstance(one, Kinds) else (one,))
    for option in other.options if isinstance(other, Kinds) else (other,):
        if not any(alike(option, each) for each in options):
            options.append(option)
    if isinstance(one, Kinds) and len(options) == len(one.options):
        return one
    return Kinds(tuple(options)) if len(options) <= _MOST_KINDS and all(map(_is_number, options)) else None


def _parts_beside(structure: Any, other: Any) -> tuple[Any, ...]:
    """The structures of the items of a list, which is compared with a list of another structure."""
    if isinstance(structure, Row):
        return structure.parts
    return (structure.item,) * (len(other.parts) if known(structure.length == len(other.parts)) is True else 0)


def _is_number(structure: Any) -> bool:
    return isinstance(structure, (type, Constant, Text)) or (isinstance(structure, TensorMeta) and structure.scalar)


def alike(one: Any, other: Any) -> bool:
    """Whether two structures are the same."""
    if isinstance(one, Kinds) or isinstance(other, Kinds):
        return type(one) is type(other) and alike(one.options, other.options)
    if isinstance(one, Constant) or isinstance(other, Constant):
        return type(one) is type(other) and one == other
    if isinstance(one, Items) or isinstance(other, Items):
        both = type(one) is type(other)
        return both and known(one.length == other.length) is True and alike(one.item, other.item)
    if isinstance(one, Row) or isinstance(other, Row):
        return type(one) is type(other) and alike(one.parts, other.parts)
    if isinstance(one, _DESCRIBED) or isinstance(other, _DESCRIBED):
        return type(one) is type(other) and one[0] == other[0] and alike(one.parts, other.parts)
    if is_tuple(one) or is_tuple(other):
        return type(one) is type(other) and len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, TensorMeta) and isinstance(other, TensorMeta):
        return fits(one, other)
    return one is other


def ask_for_sizes(one: Any, other: Any) -> bool:
    """Whether sizes of arrays in two structures that may differ are equal at the example: then the
    program is one for which they are.
    """
    if is_tuple(one) and type(one) is type(other) and len(one) == len(other):
        return True in [ask_for_sizes(*parts) for parts in zip(one, other, strict=True)]
    if not (isinstance(one, TensorMeta) and isinstance(other, TensorMeta) and same_but_for_sizes(one, other)):
        return False
    asked = [truth for truth in map(operator.eq, one.shape, other.shape) if known(truth) is not True]
    if not asked or any(type(truth) is not SymBool or truth.hint is not True for truth in asked):
        return False
    return all(truth.env.evaluate(truth.expression, "the arrays in a list that a loop fills are of one size") for truth in asked)


def part_at(structure: Any, path: tuple[int, ...]) -> tuple[Any, int]:
    """The part of an item that is reached by these places in tuples and lists, and its first
    column.
    """
    first = 0
    for place in path:
        structure = structure.parts if isinstance(structure, Row) else structure
        first += len(metas_of(structure[:place]))
        structure = structure[place]
    return structure, first


def with_part(structure: Any, path: tuple[int, ...], part: Any) -> Any:
    """The structure with another part at these places."""
    if not path:
        return part
    if isinstance(structure, Row):
        return Row(with_part(structure.parts, path, part))
    return with_items(structure, [with_part(each, path[1:], part) if place == path[0] else each for place, each in enumerate(structure)])


def shown(structure: Any) -> str:
    """A structure in words."""
    if isinstance(structure, Items):
        length = "some" if is_unbacked(structure.length) else structure.length
        return f"a list of {length} times {shown(structure.item)}"
    if isinstance(structure, Referred):
        return "a list"
    if isinstance(structure, Kinds):
        return " or ".join(map(shown, structure.options))
    if isinstance(structure, Constant):
        return repr(structure.value)
    if isinstance(structure, Row):
        return f"[{', '.join(map(shown, structure.parts))}]"
    if isinstance(structure, Record):
        return f"{{{', '.join(f'{key!r}: {shown(part)}' for key, part in zip(structure.keys, structure.parts, strict=True))}}}"
    if isinstance(structure, Text):
        return "a text"
    if is_tuple(structure):
        return f"{type(structure).__name__ if type(structure) is not tuple else ''}({', '.join(map(shown, structure))})"
    if isinstance(structure, TensorMeta):
        return f"the {'NumPy scalar' if structure.scalar else 'array'} {value_text(structure)}"
    return f"a Python {structure.__name__}"


def metas_of(structure: Any) -> list[tuple[tuple[Any, ...], np.dtype[Any]]]:
    """Shape and dtype of each leaf in memory."""
    if isinstance(structure, Items):
        return [((structure.length, *shape), dtype) for shape, dtype in metas_of(structure.item)]
    if isinstance(structure, Kinds):
        numbers: list[tuple[tuple[Any, ...], np.dtype[Any]]] = [((), dtype) for dtype in (np.dtype(np.int64), *structure.dtypes())]
        return numbers + metas_of(tuple(structure.texts()))
    if isinstance(structure, Constant):
        return []
    if isinstance(structure, (Row, *_DESCRIBED)):
        return metas_of(structure.parts)
    if is_tuple(structure):
        return [meta for part in structure for meta in metas_of(part)]
    if isinstance(structure, Referred):
        return [((), _DTYPES[int])]
    return [(tuple(structure.shape), structure.dtype) if isinstance(structure, TensorMeta) else ((), _DTYPES[structure])]


def holds_lists(structure: Any) -> bool:
    """Whether an item is a list, or holds one."""
    return isinstance(structure, (Items, Row, Record)) or (is_tuple(structure) and any(map(holds_lists, structure)))


def refers(structure: Any) -> bool:
    """Whether an item is, or holds, a list of a store."""
    return isinstance(structure, Referred) or (is_tuple(structure) and any(map(refers, structure)))


def holds_arrays(structure: Any) -> bool:
    """Whether an item is or holds an array or a list, whose identity the program can see."""
    if is_tuple(structure):
        return any(map(holds_arrays, structure))
    return isinstance(structure, Referred) or holds_lists(structure) or (isinstance(structure, TensorMeta) and not structure.scalar)


def require_room_for(leaf: Any, dtype: np.dtype[Any]) -> None:
    """Raises ``Unsupported`` (E126) for an integer that the array of a list may not hold, while a
    handler of the program would get what that raises: lists hold integers of any size.
    """
    if type(leaf) is not SymInt or raising.fits(leaf, dtype) or (leaf.env.is_length(leaf.expression) and known(leaf >= -(2**63)) is True):
        return
    recorder().session.require_unexpected(OverflowError, "an integer of a list that a loop fills may need more than 64 bits")
