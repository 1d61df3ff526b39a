"""Items of several kinds in lists that loops fill (`npexport.tracer.arrays.core.filled_list`):
Python numbers beside NumPy's, integers beside floats, ``None`` and texts. A column holds the kind
of each item (`Kinds`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.meta import TensorMeta
from npexport.ir.ops.control_flow import NUMBERS
from npexport.ir.ops.number_kinds import KINDS
from npexport.symshapes.errors import ExportError, Unsupported
from npexport.symshapes.functions import sym_float, sym_not
from npexport.symshapes.symint import SymBool, python_type
from npexport.tracer.arrays.core import mixed, texts
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.item_structures import Constant, Items, Kinds, Record, Row, Text, alike, is_tuple, joined, metas_of
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy, as_number, truth_of
from npexport.tracer.arrays.core.refusing import FILLED_LIST
from npexport.tracer.arrays.core.texts import DataText
from npexport.tracer.interpreter.symbolic_union import SymbolicUnion

_NAME = "an item of a list"
_LARGEST = 1 << 63


_HINT = (
    "Make an array of the list (np.array, np.stack), take its length, iterate over it or add to it; "
    "or fill an array that is made before the loop; what data choose is written with a mask: x[x > 0], np.nonzero(mask)[0]."
)
_DTYPES = "biufc"


def refused(what: str, hint: str = _HINT) -> ExportError:
    """The error for an operation that a list filled by a loop does not support."""
    return Unsupported("E103", f"{FILLED_LIST}, {what}", hint=hint)


def structure_of_leaf(value: Any) -> Any:
    """The structure of an array, a number or a constant."""
    if type(value) in (ArrayProxy, ScalarProxy) and value.dtype.kind in _DTYPES and value.dtype.isnative:
        return value.meta
    if isinstance(value, np.generic) and value.dtype.kind in _DTYPES and value.dtype.isnative and type(value) is value.dtype.type:
        return TensorMeta((), value.dtype, scalar=True)
    if python_type(value) in NUMBERS:
        return python_type(value)
    if value is None or type(value) is str:
        return Kinds((Constant(value),))
    if type(value) is Mixed:
        return Kinds((value.kind, value.scalar.meta))
    if type(value) is DataText:
        return _structure_of_text(value)
    if type(value) is SymbolicUnion:
        return _structure_of_either(value)
    array = type(value) in (ArrayProxy, ScalarProxy)
    raise refused(f"holds {f'an array of dtype {value.dtype}' if array else f'an item of type {type(value).__name__}'}")


def _structure_of_text(text: DataText) -> Text:
    children, context = text.taken_apart()
    parts = tuple(map(structure_of_leaf, children))
    if any(isinstance(part, TensorMeta) and not part.scalar for part in parts):
        raise refused("holds the text of an array")
    return Text(context, parts)


def leaves_of_text(value: DataText, structure: Text) -> list[Any]:
    """The values in a text, for the columns."""
    return [leaf for child, part in zip(value.taken_apart()[0], structure.parts, strict=True) for leaf in _leaves_of(child, part)]


def _leaves_of(child: Any, part: Any) -> list[Any]:
    if isinstance(part, Text):
        return leaves_of_text(child, part)
    return leaves_of_number(child, part) if isinstance(part, Kinds) else [child]


def text_of(structure: Text, rows: Iterator[Any]) -> Any:
    """The text that these values of the columns mean."""
    return texts.made(structure.context, [_child_of(part, rows) for part in structure.parts])


def _child_of(part: Any, rows: Iterator[Any]) -> Any:
    if isinstance(part, Text):
        return text_of(part, rows)
    own = [next(rows) for _ in metas_of(part)]
    return number_of(part, own[0], own[1:]) if isinstance(part, Kinds) else number_at(own[0], part)


def _structure_of_either(union: SymbolicUnion) -> Any:
    """The structure of what is one of several numbers or constants. Raises `NeedsCaseSplit` for
    others.
    """
    if any(type(option) in (tuple, list) or not fits_column(option) for option in union.options):
        union.ask()
    found, *others = map(structure_of_leaf, union.options)
    for other in others:
        found = joined(found, other)
    return union.ask() if found is None else found


def fits_column(option: Any) -> bool:
    """Whether a value that is not an integer too large for a column."""
    return type(option) is not int or -_LARGEST <= option < _LARGEST


def leaves_of_number(value: Any, kinds: Kinds) -> list[Any]:
    """The values of a number or a constant for the columns."""
    if type(value) is SymbolicUnion:
        *rows, found = [leaves_of_number(option, kinds) for option in value.options]
        for test, row in list(zip(value.tests, rows, strict=False))[::-1]:
            found = [
                one if one is other else recorder().call(ops.np.where, test, one, other) for one, other in zip(row, found, strict=True)
            ]
        return found
    found = structure_of_leaf(value)
    in_texts = [leaf for each in kinds.texts() for leaf in _leaves_in(value, each, found)]
    if isinstance(found, Text):
        return [kinds.place(found), *[dtype.type(0) for dtype in kinds.dtypes()], *in_texts]
    if type(value) is Mixed:
        python, scalar = map(kinds.place, found.options)
        place, dtype = recorder().call(ops.np.where, value.python, python, scalar), value.scalar.dtype
        as_python = recorder().call(ops.np.where, value.python, value.scalar, dtype.type(0))  # what only NumPy's may be fits no integer
        own = {each: value.scalar if each == dtype else as_python for each in found.dtypes()}
    else:
        place = kinds.place(found.options[0] if isinstance(found, Kinds) else found)
        own = dict.fromkeys(found.dtypes() if isinstance(found, Kinds) else [metas_of(found)[0][1]], value)
    return [place, *[own.get(dtype, dtype.type(0)) for dtype in kinds.dtypes()], *in_texts]


def _leaves_in(value: Any, text: Text, found: Any) -> list[Any]:
    """The values of a text in the columns of one of its kinds, or fillers."""
    return leaves_of_text(value, text) if alike(found, text) else [dtype.type(0) for _, dtype in metas_of(text)]


def widened(old: Any, new: Any, columns: Any, *shape: Any) -> list[Any]:
    """The columns of items of one structure, as those of a wider one (`item_structures.joined`);
    ``shape``: of how many items.
    """
    if alike(old, new):
        return [next(columns) for _ in metas_of(old)]
    if isinstance(old, (Row, Record)):
        return widened(old.parts, new.parts, columns, *shape)
    if isinstance(new, Row):  # of a list of items of one structure
        held, before = [next(columns) for _ in metas_of(old.item)], (slice(None),) * len(shape)
        parts = [[recorder().call(ops.np.copy, column[*before, place]) for column in held] for place in range(len(new.parts))]
        return [column for own, part in zip(parts, new.parts, strict=True) for column in widened(old.item, part, iter(own), *shape)]
    if is_tuple(old):
        return [column for parts in zip(old, new, strict=True) for column in widened(*parts, columns, *shape)]
    if isinstance(old, Items):
        return widened(old.item, new.item, columns, *shape, old.length)
    call, places = recorder().call, next(columns) if isinstance(old, Kinds) else None
    if places is None:
        places = call(ops.np.full, shape, new.place(old), np.dtype(np.int64))
    elif (known_as := [new.place(option) for option in old.options]) != list(range(len(known_as))):
        places = call(ops.np.take, np.array(known_as), places, mode="clip")
    olds = old.options if isinstance(old, Kinds) else (old,)
    numbers = old.dtypes() if isinstance(old, Kinds) else Kinds(olds).dtypes()
    mine = {dtype: next(columns) for dtype in numbers}
    found = [mine[dtype] if dtype in mine else call(ops.np.zeros, shape, dtype) for dtype in new.dtypes()]
    held = [(text, [next(columns) for _ in metas_of(text)]) for text in olds if isinstance(text, Text)]
    for text in new.texts():
        own = next((own for each, own in held if alike(each, text)), None)
        found += [call(ops.np.zeros, shape, dtype) for _, dtype in metas_of(text)] if own is None else own
    return [places, *found]


def number_at(row: Any, structure: Any) -> Any:
    """The number of this structure that an item of a column is."""
    if isinstance(structure, TensorMeta):
        return row
    number = row.item() if isinstance(row, np.generic) else as_number(row, _NAME)
    return sym_float(number) if structure is float else number


def number_of(kinds: Kinds, place: Any, rows: list[Any]) -> Any:
    """The number that these values of the columns mean."""
    rest = iter(rows)
    values = {dtype: next(rest) for dtype in kinds.dtypes()}
    in_texts = {kinds.place(text): text_of(text, rest) for text in kinds.texts()}
    if type(place) is not ScalarProxy:
        option = kinds.options[int(place)]
        if isinstance(option, Text):
            return in_texts[int(place)]
        return option.value if isinstance(option, Constant) else number_at(values[metas_of(option)[0][1]], option)
    constants = [(number, option.value) for number, option in enumerate(kinds.options) if isinstance(option, Constant)]
    if len(constants) == len(kinds.options) == 1:
        return constants[0][1]
    numbers = [(_is(place, number), value) for number, value in (*constants, *in_texts.items())]
    for dtype, row in values.items():
        mine = [number for number, option in enumerate(kinds.options) if dtype in Kinds((option,)).dtypes()]
        tests = [_is(place, number) for number in mine]
        numbers.append((_any(tests), _of_dtype([kinds.options[number] for number in mine], tests[0], row)))
    if len(numbers) == 1:
        return numbers[0][1]
    return recorder().session.world.one_of([test for test, _ in numbers[:-1]], [number for _, number in numbers], _NAME)


def _is(place: ScalarProxy, number: int) -> Any:
    return truth_of(recorder().call(ops.np.equal, place, number))


def _any(tests: list[Any]) -> Any:
    return tests[0] if len(tests) == 1 else tests[0] | tests[1]


def _of_dtype(options: list[Any], first: SymBool, row: Any) -> Any:
    """A number of one dtype: Python's, NumPy's, or either."""
    if len(options) == 1:
        return number_at(row, options[0])
    kind, is_python = (options[0], first) if isinstance(options[0], type) else (options[1], sym_not(first))
    recorder().session.world.mixes = True
    return mixed.number(kind, is_python, row, _NAME, _LARGEST if KINDS[kind] == row.dtype and kind is int else mixed.EXACT)


def in_order(grown: Any) -> Iterator[Any]:
    """The items of a list or deque of a known length. While a loop iterates over a
    list, its items may be replaced; those of a deque may not.
    """
    length, written = grown.length, _written(grown)
    for place in range(length):
        yield grown.at(place)
        if grown.length is not length or _written(grown) != written:
            raise refused("changes while it is iterated over")


def _written(grown: Any) -> list[int]:
    return [] if grown.kind is list else [column.storage.version for column in grown.columns]
