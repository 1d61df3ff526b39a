"""Lists that a captured loop fills: a stand-in for a list whose length only sizes or data know.

The items are alike: their leaves (arrays, scalars of NumPy, numbers of Python) are rows of arrays,
the *columns*, of which the first `Grown.count` are in use. What is not said here of a list is
refused.

Laws:

1. An item is held by its value. An array that was put in is not written to while the list lives
   (`Recorder.torn`), nor is one that is taken out.
2. There is room for what an iteration appends (`Recorder.growing`): the loop that is captured sees
   to it before it begins.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, NoReturn

import numpy as np

from npexport.ir import ops
from npexport.ir.containers import register_rows
from npexport.ir.meta import TensorMeta
from npexport.ir.ops.control_flow import NUMBERS, fits
from npexport.ir.printing import value_text
from npexport.symshapes.env import known
from npexport.symshapes.errors import ExportError, Unsupported
from npexport.symshapes.functions import sym_float
from npexport.symshapes.symint import SymBool, SymInt, is_symbolic, python_type
from npexport.tracer.arrays.core import coercion
from npexport.tracer.arrays.core.current import decided, recorder
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy, as_number
from npexport.tracer.arrays.core.regions import left_open
from npexport.tracer.arrays.memory.layout_guards import not_in_c_order
from npexport.tracer.arrays.memory.model import C_ORDER, Storage
from npexport.tracer.interpreter.native import NATIVE_TYPES

_HINT = (
    "Make an array of the list (np.array, np.stack), take its length, go over it or add to it; "
    "or fill an array that is made before the loop; what data choose is written with a mask: x[x > 0], np.nonzero(mask)[0]."
)
_KINDS = "biufc"
_DTYPES = {int: np.dtype(np.int64), float: np.dtype(np.float64), bool: np.dtype(np.bool_)}


def refused(what: str, hint: str = _HINT) -> ExportError:
    """The refusal of what a list that a loop fills does not do."""
    return Unsupported("E103", f"a list that a loop fills, as long as sizes or data say, {what}", hint=hint)


# Items


class Items(NamedTuple):
    """The structure of an item that is such a list itself."""

    length: Any
    item: Any


class Row(NamedTuple):
    """The structure of an item that is a list of so many items."""

    parts: tuple[Any, ...]


def apart(value: Any) -> tuple[Any, list[Any]]:
    """The structure of an item, and its leaves.

    A structure is a tuple of structures, `Row`, `Items`, or what a leaf is: a meta, or a type of
    Python's.
    """
    if type(value) is tuple:
        parts = [apart(item) for item in value]
        return tuple([structure for structure, _ in parts]), [leaf for _, leaves in parts for leaf in leaves]
    if type(value) is list and value:
        structure, leaves = apart(tuple(value))
        return Row(structure), leaves
    if type(value) is Grown:
        return Items(value.count, value.item), value.arrays()
    if type(value) in (ArrayProxy, ScalarProxy) and value.dtype.kind in _KINDS and value.dtype.isnative:
        return value.meta, [value]
    if isinstance(value, np.generic) and value.dtype.kind in _KINDS and value.dtype.isnative and type(value) is value.dtype.type:
        return TensorMeta((), value.dtype, scalar=True), [value]
    if python_type(value) in NUMBERS:
        return python_type(value), [value]
    raise refused(f"holds {_text(value)}")


def _text(value: Any) -> str:
    if type(value) in (ArrayProxy, ScalarProxy):
        return f"an array of dtype {value.dtype}"
    if type(value) is Mixed:
        return "a number that is Python's on one way and NumPy's on another"
    return f"an item of type {type(value).__name__}"


def alike(one: Any, other: Any) -> bool:
    """Whether two structures are one."""
    if isinstance(one, Items) or isinstance(other, Items):
        both = type(one) is type(other)
        return both and known(one.length == other.length) is True and alike(one.item, other.item)
    if isinstance(one, Row) or isinstance(other, Row):
        return type(one) is type(other) and alike(one.parts, other.parts)
    if type(one) is tuple or type(other) is tuple:
        return type(one) is type(other) and len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, TensorMeta) and isinstance(other, TensorMeta):
        return fits(one, other)
    return one is other


def shown(structure: Any) -> str:
    """A structure in words."""
    if isinstance(structure, Items):
        return f"a list of {structure.length} times {shown(structure.item)}"
    if isinstance(structure, Row):
        return f"[{', '.join(map(shown, structure.parts))}]"
    if type(structure) is tuple:
        return f"({', '.join(map(shown, structure))})"
    if isinstance(structure, TensorMeta):
        return f"the {'NumPy scalar' if structure.scalar else 'array'} {value_text(structure)}"
    return f"a Python {structure.__name__}"


def metas_of(structure: Any) -> list[tuple[tuple[Any, ...], np.dtype[Any]]]:
    """Shape and dtype of each leaf in memory."""
    if isinstance(structure, Items):
        return [((structure.length, *shape), dtype) for shape, dtype in metas_of(structure.item)]
    if isinstance(structure, Row):
        return metas_of(structure.parts)
    if type(structure) is tuple:
        return [meta for part in structure for meta in metas_of(part)]
    return [(tuple(structure.shape), structure.dtype) if isinstance(structure, TensorMeta) else ((), _DTYPES[structure])]


def _together(structure: Any, rows: Iterator[Any]) -> Any:
    """An item of this structure from the rows of the columns."""
    if isinstance(structure, Items):
        columns = [next(rows) for _ in metas_of(structure)]
        return Grown(structure.item, tuple([_apart(column) for column in columns]), structure.length)
    if isinstance(structure, Row):
        return list(_together(structure.parts, rows))
    if type(structure) is tuple:
        return tuple([_together(part, rows) for part in structure])
    row = next(rows)
    if isinstance(structure, TensorMeta):
        return row if structure.scalar else _apart(row)
    number = as_number(row, "an item of a list")
    return sym_float(number) if structure is float else number


def _apart(row: ArrayProxy) -> Any:
    """An array of its own, which nobody writes to."""
    copy: Any = recorder().call(ops.np.copy, coercion.array_of(row))
    tie(copy.storage)
    return copy


def tie(storage: Storage) -> None:
    """Nobody writes to memory that lists hold from now on."""
    rec = recorder()
    token = rec.listed = Storage(storage.meta, None, None, C_ORDER) if rec.listed is None else rec.listed
    rec.torn.setdefault(storage, weakref.WeakSet()).add(token)
    rec.torn_at.setdefault(storage, rec.stack())


def freeze(value: Any) -> None:
    """Lists in an item do not change from now on."""
    if type(value) in (tuple, list):
        rooms = recorder().growing
        if type(value) is list and (rooms is None or rooms.holds(value)):
            raise refused("holds a list that may change: put a tuple into it, or a list that nothing else holds")
        for item in value:
            freeze(item)
    elif type(value) is Grown:
        value.frozen = True


# The list


class Grown:
    """``columns``: arrays of the leaves of all items, with room for more. ``frozen``: whether
    another list holds it.

    ``is_open``: whether a loop of any number of iterations fills it, which makes room in each of
    them. ``least`` and ``most``: how many items there are at least, and at most, by all that was
    put in.
    """

    __slots__ = ("__weakref__", "columns", "count", "frozen", "is_open", "item", "least", "most")

    def __init__(self, item: Any, columns: tuple[Any, ...], count: Any) -> None:
        self.item, self.columns, self.count = item, columns, count
        self.frozen, self.is_open, self.least, self.most = False, False, 0, count

    @classmethod
    def of(cls, item: Any, values: list[Any]) -> Grown:
        """What stands for a list of items of this structure."""
        grown = cls(item, (), 0)
        if not metas_of(item):
            raise refused("holds items without a value")
        grown.columns = grown._made(len(values))
        for value in values:
            grown.put(value)
        grown.least = len(values)
        return grown

    # The tracer's side

    @property
    def capacity(self) -> Any:
        """For how many items there is room."""
        return self.columns[0].shape[0]

    def _made(self, capacity: Any) -> tuple[Any, ...]:
        return tuple([recorder().call(ops.np.zeros, (capacity, *shape), dtype) for shape, dtype in metas_of(self.item)])

    def reserve(self, more: Any) -> None:
        """Make room for more items than there are."""
        whole = type(self.count) is not int and type(self.most) is int and type(self.capacity) is int
        olds = self.columns if whole else self.arrays()  # which may settle the count
        used = self.capacity if whole else self.count
        columns = self._made(used + more)
        if known(used == 0) is not True:
            for new, old in zip(columns, olds, strict=True):
                new[:used] = old
        self.columns = columns

    def make_room(self, more: Any) -> None:
        """The same, in an iteration of a loop: copies what there is only where there is no room
        left.
        """
        self.columns = tuple([recorder().call(ops.control.with_room, column, self.count + more) for column in self.columns])

    def arrays(self) -> list[Any]:
        """The leaves of the items that there are: views of the columns."""
        if not recorder().regions:
            self.settle()
        full = known(self.count == self.capacity) is True
        return [column if full else column[: self.count] for column in self.columns]

    def bounds(self, least: Any) -> list[Any]:
        """What is known of the number of items in an iteration, of which there were ``least``
        before the loop.
        """
        return [truth.expression for truth in (self.count >= least, self.count <= self.capacity) if type(truth) is SymBool]

    def settle(self) -> None:
        """Only data know how many items there are: the columns end with them."""
        if type(self.count) is SymInt and self.count.hint is None and known(self.count == self.capacity) is not True:
            used = recorder().call(ops.np.arange, self.capacity) < self.count
            self.columns = tuple([column[used] for column in self.columns])
            self.count = self.most = self.capacity

    def put(self, value: Any) -> None:
        """Append an item, for which there is room."""
        structure, leaves = apart(value)
        if not alike(structure, self.item):
            raise refused(f"holds {shown(self.item)}, and now {shown(structure)}")
        freeze(value)
        rec = recorder()
        if rec.regions:
            inside = (self.count >= 0, self.count < self.capacity)
            rec.regions[-1].inside += [truth.expression for truth in inside if type(truth) is SymBool]
        for column, leaf in zip(self.columns, leaves, strict=True):
            column[self.count] = leaf
            if type(leaf) is ArrayProxy:
                problem = not_in_c_order(rec.layouts, leaf)
                if problem is not None:
                    raise refused(f"holds {problem}")
                tie(leaf.storage)
                if rec.growing is not None:
                    rec.growing.put_in.add(leaf.storage)
        self.count, self.most = self.count + 1, self.most + 1

    # The program's side

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return list

    def append(self, value: Any) -> None:
        """``list.append``."""
        self._require_loose()
        rooms = recorder().growing
        if rooms is None:
            self.reserve(1)
        else:
            rooms.need(self, 1)
        self.put(value)

    def extend(self, values: Any) -> None:
        """``list.extend``, by a list or a tuple of known length."""
        if type(values) not in (list, tuple):
            raise refused("is extended by what is no list or tuple of a known length")
        for value in list(values):
            self.append(value)

    def pop(self, index: Any = -1) -> Any:
        """``list.pop`` of the last item."""
        raise refused("does `pop`")  # where nothing asks first whether there is one

    def last(self) -> Any:
        """The last item, of a list that is known to have one; the list gets shorter by it."""
        self._require_loose()
        rooms = recorder().growing
        if rooms is not None:
            rooms.shorten(self)
        self.count, self.least = self.count - 1, 0
        return self.at(self.count)

    def copy(self) -> Grown:
        """``list.copy``."""
        return Grown(self.item, tuple([recorder().call(ops.np.copy, array) for array in self.arrays()]), self.count)

    def _require_loose(self) -> None:
        if self.frozen:
            raise refused("changes after another list holds it")

    def __iadd__(self, values: Any) -> Grown:
        self.extend(values)
        return self

    def __add__(self, values: Any) -> Any:
        if isinstance(values, (np.ndarray, np.generic)):
            return NotImplemented  # they take the list as an array
        return self._before(_beside(values, self.item))

    def __radd__(self, values: Any) -> Grown:
        return _beside(values, self.item)._before(self)

    def _before(self, other: Grown) -> Grown:
        """The items of both lists."""
        if not alike(self.item, other.item):
            raise refused(f"holds {shown(self.item)}, and the list beside it {shown(other.item)}")
        columns = [recorder().call(ops.np.concatenate, pair) for pair in zip(self.arrays(), other.arrays(), strict=True)]
        joined = Grown(self.item, tuple(columns), self.count + other.count)
        joined.least = self.least + other.least
        return joined

    def __len__(self) -> Any:
        return self.count

    def __bool__(self) -> Any:
        return bool(self.count != 0)

    def __getitem__(self, index: Any) -> Any:
        if type(index) is slice:
            arrays = [recorder().call(ops.np.copy, array[index]) for array in self.arrays()]
            return Grown(self.item, tuple(arrays), arrays[0].shape[0])
        if python_type(index) is not int:
            raise refused("is asked for an item by what is no integer")
        position = self.position(index)
        if position is None:
            raise refused("is asked for an item that it may not have")
        return self.at(position)

    def position(self, index: Any) -> Any:
        """The position that an index means, where it is known to be that of an item."""
        position = index + self.count if known(index < 0) is True else index
        return position if _holds(position >= 0) and _holds(position < self.count) else None

    def at(self, position: Any) -> Any:
        """The item of a position that is known to be one."""
        return _together(self.item, iter([column[position] for column in self.columns]))

    def __iter__(self) -> Iterator[Any]:
        if type(self.count) is not int:
            raise refused("is gone over by what does not take a length that only sizes or data know")
        return iter([self.at(place) for place in range(self.count)])

    def __repr__(self) -> str:
        raise refused("is turned into text")

    __str__ = __repr__

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(list, name):
            return getattr([], name)  # raises
        raise refused(f"does `{name}`")


def _beside(values: Any, item: Any) -> Grown:
    """A list that is added to one of such items."""
    if type(values) is Grown:
        return values
    if type(values) is not list:
        raise TypeError(f'can only concatenate list (not "{python_type(values).__name__}") to list')
    return Grown.of(item, values)


def _holds(truth: Any) -> bool:
    """Whether a truth is known where the recorder stands."""
    return known(truth) is True or (type(truth) is SymBool and bool(recorder().regions) and not left_open(recorder(), [truth]))


def _refusing(name: str) -> Callable[..., NoReturn]:
    def refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
        raise refused(f"does `{name}`")

    return refuse


_REST = (
    "reversed contains eq ne lt le gt ge mul rmul imul setitem delitem hash format reduce reduce_ex copy deepcopy sizeof "
    "index int float length_hint"
)
for _name in _REST.split():
    setattr(Grown, f"__{_name}__", _refusing(f"__{_name}__"))
Grown.__array__ = property(_refusing("__array__"))  # type: ignore[attr-defined]  # which C of NumPy asks for


# As an array


def array_of_items(grown: Grown, dtype: Any = None) -> ArrayProxy:
    """What ``np.array(list, dtype)`` gives."""
    rec = recorder()
    types = [found for _, found in metas_of(grown.item)]
    target = np.dtype(dtype) if dtype is not None else np.result_type(*types)
    lists, item = [grown.least or grown.count], grown.item
    while isinstance(item, Items):
        lists.append(item.length)
        item = item.item
    plain = not isinstance(item, tuple) and not (isinstance(item, TensorMeta) and item.ndim)
    if dtype is None and target != np.float64:
        require_some(lists, "an empty one is an array of dtype float64: say which, np.array(out, dtype=int)")
    if not plain:
        require_some(lists, "an empty one is an array of fewer axes")
    elif len(lists) > 1:
        require_some(lists[:1], "an empty one is an array of fewer axes")
    columns = iter(grown.arrays())
    result = _stacked(item, columns, len(lists), target)
    return result if all(result is not column for column in grown.columns) else rec.call(ops.np.copy, result)


def require_some(lengths: Iterable[Any], why: str) -> None:
    """What is of another kind where there are no items: there are some."""
    for length in lengths:
        truth = length >= 1
        if decided(truth) or decided(length != 0):
            continue
        if not is_symbolic(truth) or truth.hint is None or not truth:
            hint = "If it never is empty, say so before that: npexport.check(len(out) > 0), or an `if` that raises."
            raise refused(f"is made an array where it may be empty ({why})", hint)


def _stacked(structure: Any, columns: Iterator[Any], axis: int, dtype: np.dtype[Any]) -> ArrayProxy:
    """The columns of a structure as one array, with an axis for each tuple."""
    rec = recorder()
    structure = structure.parts if isinstance(structure, Row) else structure
    if type(structure) is tuple:
        parts = [_stacked(part, columns, axis, dtype) for part in structure]
        if len({part.ndim for part in parts}) > 1:
            raise refused("is made an array, of items of different shapes")
        return rec.call(ops.np.stack, parts, axis)
    if isinstance(structure, Items):
        raise refused("is made an array, of tuples of lists")
    column = next(columns)
    return column if column.dtype == dtype else rec.call(ops.np.astype, column, dtype)


# As a result


def _columns(grown: Grown) -> tuple[Any, Any]:
    return grown.arrays(), _number(grown.item)


def _number(item: Any) -> Any:
    """What an item is in the structure of a result (`npexport.ir.containers.ListOfRows`)."""
    if type(item) is tuple or isinstance(item, Row):
        return ("list" if isinstance(item, Row) else "tuple", *map(_number, item.parts if isinstance(item, Row) else item))
    if isinstance(item, Items) or (isinstance(item, TensorMeta) and not item.scalar):
        raise refused(f"is returned, and holds {shown(item)}: return an array, np.array(out)")
    return "scalar" if isinstance(item, TensorMeta) else "number"


register_rows(Grown, _columns)
NATIVE_TYPES.add(Grown)
coercion.LISTS[Grown] = array_of_items
Grown.__name__ = "list"  # as the messages of C name it
