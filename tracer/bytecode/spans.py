"""Source spans: a :class:`Location` with its source line, from a code object and the positions of
an instruction.
"""

from __future__ import annotations

import linecache
from types import CodeType

from npexport.symshapes.errors import Location

Positions = tuple[int | None, int | None, int | None, int | None]


def location(code: CodeType, positions: Positions | None) -> Location:
    """The span of one instruction; ``positions`` are (line, end line, column, end column) as
    ``co_positions`` gives them.

    Where Python was started with ``-X no_debug_ranges`` columns are ``None``; where the source is
    not available ``source`` is "".

    >>> code = compile("x = 1", "none.py", "exec")
    >>> str(location(code, (1, 1, 0, 5)))
    'none.py:1 in <module>'
    """
    line, end_line, column, end_column = positions or (None, None, None, None)
    line = code.co_firstlineno if line is None else line
    source = linecache.getline(code.co_filename, line).rstrip("\n")
    return Location(
        file=code.co_filename,
        line=line,
        column=_characters(source, column),
        end_line=end_line,
        end_column=_characters(source, end_column) if end_line in (None, line) else end_column,
        function=code.co_name,
        source=source,
    )


def _characters(source: str, offset: int | None) -> int | None:
    """``co_positions`` counts bytes of UTF-8; a span counts characters."""
    if offset is None or source.isascii():
        return offset
    return len(source.encode()[:offset].decode(errors="ignore"))
