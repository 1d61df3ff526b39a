"""The source that assembles the result of a program from the texts of its leaves: tuples, lists and
dicts as displays, other containers by a call.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from npexport.ir import texts
from npexport.ir.call_spec import CallSpec
from npexport.ir.containers import OneOf, chosen_text, kind_of
from npexport.ir.dicts_of_some import DictOfSome, dict_text
from npexport.ir.identities import specs_of
from npexport.ir.list_of_rows import OF_ROWS, ListOfRows, counts_of
from npexport.ir.pytree import TreeSpec
from npexport.runtime.emission.emit import Source
from npexport.runtime.kernels.list_rows import divided

MAX_DEPTH = 20  # Python's parser has a limit to the parentheses within one another


def result_text(
    call_spec: CallSpec,
    outputs: Sequence[str],
    places: Mapping[int, str],
    source: Source,
    container: Callable[[TreeSpec, list[str]], str],
) -> tuple[str, list[str]]:
    """The text of the result, and the lines that stand before it: containers that are in the result
    twice, or lie too deep, have names.

    ``outputs``: the texts of the leaves. ``places``: those of the containers that callers pass, by
    the ``id`` of their specs. ``container``: the text of one, from those of its children.
    """
    leaves = iter(outputs)
    identities = call_spec.identities
    given = [spec for spec, _ in specs_of(call_spec.in_spec)]
    texts = {number: places[id(given[place])] for number, place in identities.passed}  # of containers that are there already
    kept = {first for _, first in identities.shared}
    numbers = itertools.count()
    lines: list[str] = []

    def build(spec: TreeSpec) -> str:
        if spec.type is None:
            return next(leaves)
        number = next(numbers)
        text = texts.get(number) or texts.get(dict(identities.shared).get(number, -1))
        if text is not None:
            within = sum(1 for _ in specs_of(spec)) - 1
            _skip(numbers, within)
            _skip(leaves, spec.num_leaves)
            return text
        text = container(spec, [build(child) for child in spec.children])
        if number not in kept and spec.depth % MAX_DEPTH:
            return text
        name = texts[number] = source.fresh()
        lines.append(f"{name} = {text}")
        return name

    return build(call_spec.out_spec), lines


def container_text(source: Source, spec: TreeSpec, children: list[str]) -> str:
    """The text of a container, from those of its children."""
    if spec.type is tuple:
        return f"({''.join(child + ', ' for child in children)})"
    if spec.type is list:
        return f"[{', '.join(children)}]"
    if spec.type is dict:
        return "{" + ", ".join(f"{source.value(key)}: {child}" for key, child in zip(spec.context, children, strict=True)) + "}"
    if spec.type is OneOf:
        return chosen_text(children)
    if spec.type is DictOfSome:
        return dict_text(spec.context, children, source.value)
    if spec.type is ListOfRows:
        text = rows_text(spec.context, children, source)
        if text is not None:
            return text
    if spec.type is complex:
        return f"{source.bind(complex)}({', '.join(children)})"
    if spec.type is bytes:
        return f"{children[0]}.tobytes()"
    if spec.type is str and texts.fits(spec.context, len(children)):
        return texts.source(spec.context, children, source.bind, source.value)
    return f"{source.bind(_builder(spec))}([{', '.join(children)}])"


def rows_text(item: Any, columns: list[str], source: Source) -> str | None:
    """The text of what `ListOfRows` describes, where its items are numbers or tuples and lists of
    them; ``None`` of others. A dict may be there already, in the place of its keys.
    """
    made = OF_ROWS[item[0]] if type(item) is tuple and item[0] in OF_ROWS else None
    if made is not None and columns[1:] == ["None"]:
        return columns[0] if made is dict else f"{source.bind(made)}({columns[0]}{'.items()' * (made is counts_of)})"
    row = item if made is None else item[1]
    if not _is_written(row):
        return None
    text = _rows(row, iter(columns), source)
    if made is not None:
        return f"{source.bind(made)}({text})"
    return text if type(row) is str or row[0] == "lists" else f"{source.bind(list)}({text})"


def _is_written(item: Any) -> bool:
    """Whether `_rows` knows what an item is."""
    if type(item) is str:
        return item in ("number", "scalar")
    return _is_written(item[2]) if item[0] == "lists" else item[0] in ("tuple", "list") and all(map(_is_written, item[1:]))


def _rows(item: Any, columns: Iterator[str], source: Source) -> str:
    """The text of something to iterate over, which gives such items once: a list, but for tuples
    and lists of parts.
    """
    if type(item) is str:
        column = next(columns)
        return column if column in source.lists else f"{column}.tolist()" if item == "number" else f"{source.bind(list)}({column})"
    if item[0] == "lists":
        numbers, lengths = [_rows("number", columns, source) for _ in range(2)]
        items = _rows(item[2], columns, source)
        items = items if type(item[2]) is str or item[2][0] == "lists" else f"{source.bind(list)}({items})"
        return f"{source.bind(divided)}({numbers}, {lengths}, {items}, {source.bind(OF_ROWS.get(item[1], list))})"
    rows = f"{source.bind(zip)}({', '.join([_rows(part, columns, source) for part in item[1:]])})"
    return rows if item[0] == "tuple" else f"{source.bind(map)}({source.bind(list)}, {rows})"


def _builder(spec: TreeSpec) -> Callable[[list[Any]], Any]:
    cls: Any = spec.type
    kind = kind_of(cls)
    return lambda children: kind.build(cls, spec.context, children)


def _skip(items: Iterator[Any], count: int) -> None:
    for _ in range(count):
        next(items)
