"""Colours of what the command line prints: on terminals, and nowhere else."""

from __future__ import annotations

import os
import re
from typing import Any

_RED, _GREEN, _DIM, _BOLD, _PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[2m", "\x1b[1m", "\x1b[0m"
_ROWS = (
    (re.compile(r"^E\d{3} [a-z-]+", re.M), _BOLD + _RED),  # an error, its hint, and what it points at
    (re.compile(r"^(?:Hint|Read more|Suggested fixes):", re.M), _BOLD),
    (re.compile(r"^ *\^+ *$", re.M), _RED),
    (re.compile(r"^ *#.*$", re.M), _DIM),  # comments of a program: the user's lines
)
_CHANGES = (
    (re.compile(r"^ *-.*$", re.M), _RED),
    (re.compile(r"^ *\+.*$", re.M), _GREEN),
)


def shown(text: Any, stream: Any, *, changes: bool = False) -> str:
    """The text as it is printed there: without colours where that is not a terminal, or where
    ``NO_COLOR`` or a terminal that has none says so. ``changes``: lines are taken out and put in.
    """
    told = str(text)
    if not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return told
    for pattern, colour in _CHANGES if changes else _ROWS:
        told = pattern.sub(rf"{colour}\g<0>{_PLAIN}", told)
    return told
