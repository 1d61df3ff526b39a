"""Tuples of numbers of which a loop reads items at places of data: made once before the loop where
none of the numbers changes in it.
"""

from __future__ import annotations

import re
from itertools import takewhile

from npexport.runtime.emission.emit import Source
from npexport.runtime.lists.number_texts import names_in
from npexport.runtime.lists.windows import bindings
from npexport.runtime.origins import Row

LEAST = 4
"""Shorter tuples are made where they are read."""
_READ = re.compile(rf"\((?:v\d+, ){{{LEAST},}}\)(?=\[)|\((?:v\d+, ){{{LEAST - 1},}}v\d+\)(?=\[)")


def before_loops(rows: list[Row], head: int, source: Source) -> None:
    """Move the tuples that the rows from ``head`` on read to before the outermost loop that leaves
    their numbers as they are.
    """
    place = head
    while place < len(rows):
        for display in dict.fromkeys(_READ.findall(rows[place].text)):
            loop = _loop_of(rows, head, place, names_in(display))
            if loop is not None:
                name, first = source.fresh(), rows[loop]
                last = loop + 1 + len(_within(rows, loop))
                rows[loop:last] = [Row(row.text.replace(f"{display}[", f"{name}["), row.nodes) for row in rows[loop:last]]
                rows.insert(loop, Row(f"{first.indentation}{name} = {display}", first.nodes))
                place += 1
        place += 1


def _loop_of(rows: list[Row], head: int, place: int, names: set[str]) -> int | None:
    """The number of the row that begins the outermost loop around a row that binds none of these
    names.
    """
    loops, indent = list[int](), rows[place].indentation
    for number in range(place - 1, head - 1, -1):
        if len(rows[number].indentation) < len(indent):
            indent = rows[number].indentation
            loops += [number] if rows[number].statement.startswith(("for ", "while ")) else []
    return next((loop for loop in reversed(loops) if names.isdisjoint(bindings([rows[loop], *_within(rows, loop)]))), None)


def _within(rows: list[Row], loop: int) -> list[Row]:
    indent = rows[loop].indentation
    return list(takewhile(lambda row: len(row.indentation) > len(indent), rows[loop + 1 :]))
