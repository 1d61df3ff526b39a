"""Lists that captured loops fill (`npexport.tracer.arrays.core.filled_list`), used as arrays and as
results.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.containers import register_rows
from npexport.ir.list_of_rows import OF_ROWS
from npexport.ir.meta import TensorMeta
from npexport.symshapes.errors import ExportError, Location, Unsupported
from npexport.symshapes.symint import is_symbolic
from npexport.tracer.arrays.core import coercion, filled_dict
from npexport.tracer.arrays.core.current import decided, recorder
from npexport.tracer.arrays.core.filled_dict import FilledDict
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.filled_list_columns import end_to_end
from npexport.tracer.arrays.core.filled_list_kinds import refused
from npexport.tracer.arrays.core.inner_list_results import columns_of_containers, made_once, of_store, require_once
from npexport.tracer.arrays.core.inner_lists import InnerList, InnerTable, Store
from npexport.tracer.arrays.core.item_structures import Constant, Items, Kinds, Record, Row, Text, is_tuple, metas_of, refers, shown
from npexport.tracer.arrays.core.proxy import ArrayProxy


def array_of_items(grown: FilledList, dtype: Any = None) -> ArrayProxy:
    """What ``np.array(list, dtype)`` returns."""
    rec = recorder()
    if refers(grown.item):
        raise refused("is converted to an array, and holds lists at places that only the data know")
    if dtype is not None and np.dtype(dtype).names is not None:
        return _records(grown, np.dtype(dtype))
    types = list(_dtypes(grown.item, dtype is not None))
    target = np.dtype(dtype) if dtype is not None else np.result_type(*types)
    if _may_not_fit(grown.item, target):
        refusal = refused(f"is converted to an array of dtype {target}, in which a number of Python may not fit")
        raise MayNotFit(grown, target, refusal)
    lists, item = [grown.least or grown.length], grown.item
    while isinstance(item, Items):
        lists.append(item.length)
        item = item.item
    plain = not is_tuple(item) and not isinstance(item, Row) and not (isinstance(item, TensorMeta) and item.ndim)
    if dtype is None and target != np.float64:
        require_some(lists, "an empty one is an array of dtype float64: say which, np.array(out, dtype=int)")
    if not plain:
        require_some(lists, "an empty one is an array of fewer axes")
    elif len(lists) > 1:
        require_some(lists[:1], "an empty one is an array of fewer axes")
    columns = iter(grown.arrays())
    result = _stacked(item, columns, len(lists), target)
    is_own = grown.within is None and all(result.storage is not column.storage for column in grown.columns)
    return result if is_own else rec.call(ops.np.copy, result)


def _records(grown: FilledList, dtype: np.dtype[Any]) -> ArrayProxy:
    """An array with fields of a list of tuples of numbers, field by field."""
    names: Any = dtype.names
    parts = grown.item if is_tuple(grown.item) else ()
    if len(parts) != len(names) or not all(_fits(part, dtype[name]) for part, name in zip(parts, names, strict=True)):
        raise refused("is converted to an array of records: make the array first (`np.zeros(n, dtype)`), and write its fields")
    columns = grown.arrays()
    result = recorder().call(ops.np.zeros, (columns[0].shape[0],), dtype)
    for name, column in zip(names, columns, strict=True):
        result = recorder().call(ops.np.set_field, result, name, column)
    return result


def _fits(part: Any, field: np.dtype[Any]) -> bool:
    """Whether a field holds every number that this part of an item may be."""
    scalar = isinstance(part, TensorMeta) and not part.ndim
    return scalar and part.dtype.kind in _NUMBERS and field.kind in _NUMBERS and np.can_cast(part.dtype, field)


_NUMBERS = "biufcmM"


def indices_of(grown: FilledList) -> ArrayProxy:
    """The array of indices that NumPy makes of a list: of integers, also if it is empty."""
    kinds = set() if refers(grown.item) or isinstance(grown.item, Items) else {dtype.kind for dtype in _dtypes(grown.item, True)}
    if not kinds <= {"i", "u"} and kinds != {"b"}:
        raise refused(f"is an index, and holds {shown(grown.item)}")
    return array_of_items(grown, np.intp if kinds == {"i"} else None)


def list_of_numbers(values: ArrayProxy) -> FilledList:
    """The list of the numbers that an array holds, or of lists of them, as ``tolist`` gives it."""
    item: Any = {"b": bool, "i": int, "f": float}[values.dtype.kind]
    for length in values.shape[:0:-1]:
        item = Items(length, item)
    return FilledList(item, (values,), values.shape[0])


def list_of_scalars(values: ArrayProxy) -> FilledList:
    """The list of the scalars that an array of one axis holds."""
    return FilledList(TensorMeta((), values.dtype, scalar=True), (recorder().call(ops.np.copy, values),), values.shape[0])


class MayBeEmpty(Unsupported):
    """A list is converted to an array, and data decide whether it has items."""


class MayNotFit(Unsupported):
    """A list of numbers of Python is converted to a dtype of integers: NumPy raises for one that it
    does not hold.
    """

    def __init__(self, values: FilledList, dtype: np.dtype[Any], refusal: ExportError) -> None:
        super().__init__(refusal.code, refusal.message, hint="Convert the array of them: np.array(out).astype(dtype), which wraps around.")
        self.values, self.dtype = values, dtype


def _may_not_fit(structure: Any, dtype: np.dtype[Any]) -> bool:
    """Whether a dtype of integers holds other numbers than the items of Python's types are."""
    if dtype.kind not in "iu" or isinstance(structure, (Record, Text)):
        return False
    if isinstance(structure, Kinds):
        return any(_may_not_fit(option, dtype) for option in structure.options)
    if isinstance(structure, (Items, Row)) or is_tuple(structure):
        parts = (structure.item,) if isinstance(structure, Items) else structure.parts if isinstance(structure, Row) else structure
        return any(_may_not_fit(part, dtype) for part in parts)
    return structure is float or (structure is int and dtype != np.int64)


def require_some(lengths: Iterable[Any], why: str) -> None:
    """Require items: without any, the result would be of another kind. Raises `MayBeEmpty`."""
    for length in lengths:
        truth = length >= 1
        if decided(truth) or decided(length != 0):
            continue
        if not is_symbolic(truth) or truth.hint is None or not truth:
            hint = "If it never is empty, say so before that: npexport.check(len(out) > 0), or an `if` that raises."
            refusal = refused(f"is converted to an array where it may be empty ({why})", hint)
            raise MayBeEmpty(refusal.code, refusal.message, hint=hint)


def _stacked(structure: Any, columns: Iterator[Any], axis: int, dtype: np.dtype[Any]) -> ArrayProxy:
    """The columns of a structure as one array, with an axis for each tuple."""
    rec = recorder()
    structure = structure.parts if isinstance(structure, Row) else structure
    if is_tuple(structure):
        parts = [_stacked(part, columns, axis, dtype) for part in structure]
        if len({part.ndim for part in parts}) > 1:
            raise refused("is converted to an array, of items of different shapes")
        return rec.call(ops.np.stack, parts, axis)
    if isinstance(structure, Items):
        raise refused("is converted to an array, of tuples of lists")
    if isinstance(structure, Kinds):
        return _of_kinds(structure, next(columns), [next(columns) for _ in structure.dtypes()], dtype)
    column = next(columns)
    return column if column.dtype == dtype else rec.call(ops.np.astype, column, dtype)


def _dtypes(structure: Any, told: bool) -> Iterator[np.dtype[Any]]:
    """The dtypes of the numbers in an item; ``told``: whether the array's is given."""
    if isinstance(structure, (Record, Text)):
        raise refused(f"is converted to an array, and holds {shown(structure)}")
    if isinstance(structure, Kinds):
        dtypes = structure.dtypes()
        if any(isinstance(option, (Constant, Text)) for option in structure.options):
            raise refused(f"is converted to an array, and holds {shown(structure)}")
        if len(dtypes) > 1 and not told:
            raise refused(f"is converted to an array, and holds {shown(structure)}: state the dtype, np.array(out, dtype=float)")
        yield dtypes[0]
    elif isinstance(structure, (Items, Row)) or is_tuple(structure):
        for part in (structure.item,) if isinstance(structure, Items) else structure.parts if isinstance(structure, Row) else structure:
            yield from _dtypes(part, told)
    else:
        yield metas_of(structure)[0][1]


def _of_kinds(kinds: Kinds, places: Any, columns: list[Any], dtype: np.dtype[Any]) -> ArrayProxy:
    """Numbers of several kinds as one array."""
    call = recorder().call
    found: Any = None
    for own, column in zip(kinds.dtypes(), columns, strict=True):
        column = column if own == dtype else call(ops.np.astype, column, dtype)
        mine = [number for number, option in enumerate(kinds.options) if metas_of(option)[0][1] == own]
        found = column if found is None else call(ops.np.where, call(ops.np.isin, places, mine), column, found)
    return found


# As a result


def _columns(grown: FilledList) -> tuple[Any, Any]:
    if grown.maxlen is not None:
        raise refused("is a deque of at most so many items, and is returned: return list(items)")
    if grown.frozen or grown.within is not None:
        _require_one_result(grown)
    arrays = grown.arrays()  # which may settle the length
    made = functools.partial(_numbered, arrays)
    *_, outermost = grown, *grown.around()
    number, columns = made_once(grown.family, [grown, grown.length, *outermost.columns], made)
    return columns, number if grown.kind is list else ("deque", number)


def _numbered(arrays: list[Any], owner: FilledList, *_: Any) -> tuple[Any, list[Any]]:
    return _number(owner.item, iter(arrays), owner)


def _number(item: Any, columns: Iterator[Any], owner: Any) -> tuple[Any, list[Any]]:
    """An item in a result's structure (`npexport.ir.list_of_rows.ListOfRows`), and its columns;
    ``owner``: the container that is returned.
    """
    if isinstance(item, (Items, Row)):
        _require_one_result(owner)
    if isinstance(item, (Record, Text)):
        if isinstance(item, Record):
            _require_one_result(owner, "dict", "[dict(row) for row in rows]")
        parts = [_number(part, columns, owner) for part in item.parts]
        return (type(item).__name__.lower(), item[0], *[number for number, _ in parts]), [column for _, found in parts for column in found]
    if isinstance(item, Store):
        require_once(item, owner)
        inner, (numbers, lengths, *rest) = columns_of_containers(item, next(columns))
        number, found = _number(inner, iter(rest), owner)
        return ("lists", _name_of(item.kind, item.factory), number), [numbers, lengths, *found]
    if isinstance(item, Kinds):
        places, own = next(columns), {dtype: next(columns) for dtype in item.dtypes()}
        parts = [_option(each, own, columns, owner) for each in item.options]
        return ("one", *[number for number, _ in parts]), [places, *[column for _, found in parts for column in found]]
    if isinstance(item, Items) and type(item.length) is int:
        mine = [next(columns) for _ in metas_of(item)]
        parts = [_number(item.item, iter([column[:, place] for column in mine]), owner) for place in range(item.length)]
    elif is_tuple(item) or isinstance(item, Row):
        parts = [_number(part, columns, owner) for part in (item.parts if isinstance(item, Row) else item)]
    elif isinstance(item, Items):
        call, mine = recorder().call, [next(columns) for _ in metas_of(item)]
        count = mine[0].shape[0]
        number, found = _number(item.item, iter(end_to_end(mine, item.length)), owner)
        lengths = call(ops.np.full, (count,), item.length, np.dtype(np.int64))
        return ("lists", "list", number), [call(ops.np.arange, count), lengths, *found]
    elif isinstance(item, TensorMeta) and not item.scalar:
        _require_one_result(owner, "array", "[row.copy() for row in rows]")
        lists = recorder().lists
        if not lists.apart:
            what = f"is returned, and holds {shown(item)}, where one may stand twice, or be the caller's"
            raise refused(f"{what}: return an array of its items (np.stack; of a dict, of its values), or put in copies (x.copy())")
        lists.returned = True
        return "array", [next(columns)]
    else:
        return "scalar" if isinstance(item, TensorMeta) else "number", [next(columns)]
    kind: tuple[Any, ...] = ("list",) if not is_tuple(item) else ("tuple",) if type(item) is tuple else ("namedtuple", type(item))
    return (*kind, *[number for number, _ in parts]), [column for _, found in parts for column in found]


def _require_one_result(owner: Any, what: str = "list", copies: str = "[list(row) for row in rows]") -> None:
    """Lists and arrays within a list are returned within no other, and there once: they would be
    copies.
    """
    owner = owner.rows if type(owner) is FilledDict else owner
    family = owner.family
    if family.repeats:
        raise refused(f"is returned, and may hold one {what} twice: return copies, `{copies}`")
    if family.returned is not None and family.returned is not owner:
        raise refused(f"is returned, and other results may hold its {what}s, too: return copies, `{copies}`")
    family.returned = owner


def _option(option: Any, own: dict[np.dtype[Any], Any], columns: Iterator[Any], owner: Any) -> tuple[Any, list[Any]]:
    """The same, of what an item may be. ``own``: the columns of numbers."""
    if isinstance(option, Constant):
        return ("constant", option.value), []
    return _number(option, columns if isinstance(option, Text) else iter([own[dtype] for _, dtype in metas_of(option)]), owner)


def _columns_of_dict(table: FilledDict) -> tuple[Any, Any]:
    item = table.rows.item[0] if table.is_set else table.rows.item
    with filled_dict.refused_as_dict(table.stack):
        number, columns = _number(item, iter(table.rows.arrays()), table)
    return columns, (_name_of(table.kind, table.factory, table.stack), number)


def _name_of(kind: type, factory: Any, stack: tuple[Location, ...] = ()) -> str:
    """What a container is called in a result's structure."""
    factory = getattr(factory, "__name__", "")
    name = kind.__name__ + (f" of {factory}" if factory else "")
    if kind is not list and name not in OF_ROWS:
        raise filled_dict.refused("is returned, and has a factory of its own: return `dict(...)` of it", stack)
    return name


def _columns_of_inner(values: Any) -> tuple[Any, Any]:
    require_once(values.store, values)
    return of_store(values.store, values, _columns_as_read)


def _columns_as_read(values: Any, *arrays: Any) -> tuple[Any, Any]:
    read = values.read()
    return _columns(read) if type(values) is InnerList else _columns_of_dict(read)


register_rows(FilledList, _columns)
register_rows(FilledDict, _columns_of_dict)
register_rows(InnerList, _columns_of_inner)
register_rows(InnerTable, _columns_of_inner)
coercion.LISTS[FilledList] = array_of_items
coercion.INDICES[FilledList] = indices_of
