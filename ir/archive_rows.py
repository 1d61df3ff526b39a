"""Parts of an archive's document with readers of their own: dtypes, source locations, bounds,
members of enumerations.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from npexport.ir.archive_values import T, damaged, expect, items
from npexport.ir.meta import TEXTS
from npexport.ir.op import REGISTRY, Op
from npexport.ir.sources import local
from npexport.symshapes.errors import LoadError


def operator(name: str) -> Op:
    """The operator of a qualified name. Raises ``LoadError`` (E503)."""
    import npexport.ir.ops  # noqa: F401 -- registers the operators

    op = REGISTRY.get(name)
    if op is None:
        raise LoadError("E503", f"the program calls the operator {name!r}, which is not known here")
    if "unchecked" in op.traits:
        raise LoadError("E503", f"the program calls the operator {name!r}, whose kernel trusts its arguments: no file may hold it")
    return op


_DTYPE = re.compile(r"[<>|=]?[A-Za-z]\d{0,8}(\[\d{0,4}[A-Za-zμ]{0,2}\])?")


def dtype_from(content: Any) -> np.dtype[Any]:
    """The inverse of ``dtype_json``."""
    if content == "T":
        return TEXTS
    dtype = np.lib.format.descr_to_dtype(_descr(content))
    if dtype.hasobject:
        raise damaged("a dtype holds Python objects")
    return dtype


def _descr(content: Any) -> Any:
    if not isinstance(content, list):
        if not _DTYPE.fullmatch(expect(content, str)):
            raise damaged(f"{content!r:.80} is not a dtype")
        return content
    if len(content) == 2 and isinstance(content[0], str) and isinstance(content[1], list) and all(type(n) is int for n in content[1]):
        return (content[0], tuple(content[1]))  # a dtype with a shape of its own
    return [tuple([_field(part) for part in expect(field, list)]) for field in content]


def _field(part: Any) -> Any:
    if isinstance(part, list):
        return tuple(part) if all(type(n) is int or type(n) is str for n in part) else _descr(part)
    return expect(part, str)


def location(row: Any) -> list[Any]:
    """The fields of a ``Location``."""
    file, line, column, end_line, end_column, function, source = items(row, 7)
    numbers = [expect(number, int, type(None)) for number in (column, end_line, end_column)]
    return [local(expect(file, str)), expect(line, int), *numbers, expect(function, str), expect(source, str)]


def dialect(value: Any) -> str:
    """The name of the operators that a program is written in."""
    if not re.fullmatch(r"NUMPY|CORE|CUSTOM-[0-9a-f]{8}", expect(value, str)):
        raise damaged(f"there is no dialect {value!r:.80}")
    return str(value)


def at(rows: Sequence[T], number: Any) -> T:
    """The row of this number."""
    index = expect(number, int)
    if not 0 <= index < len(rows):
        raise damaged(f"there is no row {index}")
    return rows[index]


def end(bound: Any) -> Any:
    """One end of a range: an integer or an infinity."""
    from npexport.symshapes.ranges import int_oo

    if type(bound) is int:
        return bound
    return {"int_oo": int_oo, "-int_oo": -int_oo}[expect(bound, str)]


def enum(cls: Any, name: str) -> Any:
    """The member of an enumeration."""
    return enum_of(cls.__members__, name) and cls[name]


def enum_of(allowed: Any, name: Any) -> Any:
    """A name, if it is one of those allowed."""
    if name not in allowed:
        raise damaged(f"{name!r} is not one of {list(allowed)}")
    return name
