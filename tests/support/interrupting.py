"""Interrupts at any step of npexport's own: what CPython 3.12 and later tell of each function that
starts.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from types import CodeType
from typing import Any

monitoring: Any = getattr(sys, "monitoring", None)
TOOL = 2


class Step:
    """Calls ``act`` when the ``count``-th function of npexport's starts; counts them in ``seen``."""

    def __init__(self, act: Callable[[], Any], count: int) -> None:
        self.act, self.left, self.seen = act, count, 0

    def started(self, code: CodeType, offset: int) -> None:
        if "/npexport/" not in code.co_filename and not code.co_filename.startswith(_OURS):
            return
        self.seen += 1
        self.left -= 1
        if self.left == 0:
            self.act()

    def __enter__(self) -> Step:
        monitoring.use_tool_id(TOOL, "interrupt")
        monitoring.register_callback(TOOL, monitoring.events.PY_START, self.started)
        monitoring.set_events(TOOL, monitoring.events.PY_START)
        monitoring.restart_events()
        return self

    def __exit__(self, *exception: object) -> None:
        monitoring.set_events(TOOL, 0)
        monitoring.register_callback(TOOL, monitoring.events.PY_START, None)
        monitoring.free_tool_id(TOOL)


def _rooms() -> tuple[str, ...]:
    """The folders of ours that a file of each stands in."""
    found = []
    for name in ("ir.graph", "runtime.modules.module", "symshapes.env", "tracer.driver.export"):
        inside = name.partition(".")[2].replace(".", os.sep)
        found.append(str(importlib.import_module(f"npexport.{name}").__file__).rpartition(inside)[0])
    return tuple(found)


_OURS = _rooms()


def points(total: int, count: int) -> list[int]:
    """Places over the whole run, the first and the last among them."""
    step = max(total // count, 1)
    return sorted({*range(1, total + 1, step), total, total - 1, total - 2, total - 3, 2, 3})
