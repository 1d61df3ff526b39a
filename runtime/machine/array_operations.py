"""What the machine of `_loops.c` does in loops to arrays that it may write to, and to numbers in
tables (`npexport.runtime.machine.scalar_loop_code`): the rows of each call, by its operator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npexport.ir.graph import Node
from npexport.runtime.lists.list_calls import Shift, shift_of
from npexport.runtime.machine.scalar_operations import BOOL, BOOLS, FLOAT, INT, INTS, NP_FLOAT, NP_INT, WHOLE, Value, fits, kind_within

_FEW = 16
"""So many numbers are compared one after the other."""
_MOVED = 1024
"""So many elements may be moved where one is dropped: a list moves no more than it has."""


def _put(iteration: Any, node: Node, array: Any, index: Any, number: Any) -> None:
    """One item written, as the kind of number that the array holds; or a part of an array."""
    shift = shift_of(node)
    if shift is not None:
        _shift(iteration, node, array, shift)
        return
    if number in iteration.array_rows:
        iteration.put_row(node, array, index, iteration.array_rows[number])
        return
    operand, places = iteration.places(array, index)
    value, kind = iteration.value(number), operand.kind[0].kind
    fits(value.kind in BOOLS if kind == "b" else value.kind in WHOLE if kind == "i" else type(value.kind) is str)
    text = value.text if kind == "b" else iteration.whole(value) if kind == "i" else iteration.real(value)
    iteration.add(f"put({', '.join((operand.text, *places, text))})")
    iteration.written(node, operand)
    row = iteration.array_rows.get(array)
    if row is not None:
        iteration.array_rows[node] = row._replace(version=iteration.values.pop(node).version)


def _shift(iteration: Any, node: Node, array: Any, shift: Shift) -> None:
    """The elements of a vector go one place on or back, and the one that is left there stays: it is
    moved to the other end, and what was there is put there.
    """
    operand, last, size = iteration.value(array), iteration.fresh(), node.meta["val"].shape[0]
    fits(type(operand.kind) is tuple and operand.kind[1] == 1 and type(size) is int and size <= _MOVED)
    over = iteration.fresh()
    iteration.add(f"{last}, {over} = sub({operand.text}.shape[0], (1))")
    iteration.leave_if(f"{over} or {last} < ({shift.place})")
    places = [f"({shift.place})", last] if shift.back else [last, f"({shift.place})"]
    stays = iteration.given(f"item({operand.text}, {places[1]})")
    iteration.add(f"shift({', '.join((operand.text, *places))})")
    iteration.add(f"put({', '.join((operand.text, places[1], stays))})")
    iteration.written(node, operand)


def _room(iteration: Any, node: Node, array: Any, count: Any) -> None:
    """An array that has room: the machine asks for more where there is too little."""
    operand, number = iteration.value(array), iteration.value(count)
    fits(operand.text.startswith("c") and type(operand.kind) is tuple and number.kind == INT)
    iteration.add(f"room({operand.text}, {number.text})")
    iteration.written(node, operand)


def _moved(iteration: Any, node: Node, array: Any, place: Any, to: Any) -> None:
    operand, places = iteration.value(array), [iteration.value(each) for each in (place, to)]
    fits(type(operand.kind) is tuple and operand.kind[1] == 1 and all(each.kind == INT for each in places))
    iteration.add(f"shift({', '.join((operand.text, *[each.text for each in places]))})")
    iteration.written(node, operand)


def _place(iteration: Any, node: Node, index: Any, count: Any, text: Any) -> None:
    place, size = iteration.value(index), iteration.value(count)
    fits(place.kind == size.kind == INT)
    iteration.values[node] = Value(iteration.given(f"place({place.text}, {size.text})"), INT)


def _found(iteration: Any, node: Node, columns: Any, keys: Any, count: Any) -> None:
    """The first row that holds a key; among many, Python finds it faster where a loop is around."""
    fits(len(columns) == 1)
    operand, key, rows = iteration.value(columns[0]), iteration.value(keys[0]), iteration.value(count)
    fits(type(operand.kind) is tuple and operand.kind[1] == 1 and operand.kind[0].kind == "i" and key.kind in INTS)
    fits(rows.kind == INT and not (iteration.few and type(count) is int and count > _FEW))
    if type(count) is not int:
        iteration.leave_if(f"{rows.text} < (0)" + (f" or {rows.text} > ({_FEW})" if iteration.few else ""))
    iteration.values[node] = Value(iteration.given(f"find({operand.text}, {key.text}, {rows.text})"), INT)


def _rows_with(iteration: Any, node: Node, count: Any, place: Any) -> None:
    """The number of rows once there is one at a place that a search has found, or behind them."""
    rows, row = iteration.value(count), iteration.value(place)
    fits(rows.kind == row.kind == INT)
    iteration.leave_if(f"{row.text} < (0) or {row.text} > {rows.text}")
    more, over = iteration.fresh(), iteration.fresh()
    iteration.add(f"{more}, {over} = add({rows.text}, (1))")
    iteration.leave_if(over)
    iteration.values[node] = Value(iteration.given(f"{more} if {row.text} == {rows.text} else {rows.text}"), INT)


def _key_place(iteration: Any, node: Node, keys: Any, key: Any, or_end: Any) -> None:
    """The place of a key among few that are written out."""
    number = iteration.value(key)
    fits(number.kind in INTS and len(keys) <= _FEW and all(iteration.value(each).kind in (INT, BOOL) for each in keys))
    name = iteration.given(f"({len(keys)})")
    for place, each in enumerate(keys):
        iteration.add(f"if {number.text} == ({int(each)}): {name} = ({place})")
    if not or_end:
        iteration.leave_if(f"{name} == ({len(keys)})")
    iteration.values[node] = Value(name, INT)


def _item(iteration: Any, node: Node, items: Any, place: Any) -> None:
    """One of several numbers; elsewhere Python counts from the end or raises."""
    values, number = [iteration.value(each) for each in items], iteration.value(place)
    fits(number.kind in (INT, BOOL))
    iteration.values[node] = Value(iteration.given(f"pick({iteration.table(values)}, {iteration.whole(number)})"), values[0].kind)


def _where(iteration: Any, node: Node, condition: Any, *numbers: Any) -> None:
    """One of two numbers of a kind, as an array without axes."""
    truth, values, kind = iteration.value(condition), [iteration.value(each) for each in numbers], kind_within(node.meta["val"])
    kinds = INTS if kind == NP_INT else (kind, FLOAT) if kind == NP_FLOAT else BOOLS
    fits(truth.kind in BOOLS and len(values) == 2 and type(kind) is str and all(value.kind in kinds for value in values))
    iteration.values[node] = Value(iteration.given(f"{values[0].text} if {truth.text} else {values[1].text}"), kind)


def _check(iteration: Any, node: Node, condition: Any, *error: Any) -> None:
    """Python raises it."""
    holds = iteration.value(condition)
    fits(holds.kind in BOOLS)
    iteration.leave_if(f"not {holds.text}")


OF_ARRAYS: dict[str, Callable[..., None]] = {
    "put": _put,
    "choose": _where,
    "room": _room,
    "check": _check,
    "move": _moved,
    "place": _place,
    "find": _found,
    "rows": _rows_with,
    "find_key": _key_place,
    "pick": _item,
}
"""What only the machine does, by the `step` of operators."""
