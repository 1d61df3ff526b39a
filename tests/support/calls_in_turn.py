"""Objects with state that are called several times."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tests.support.arrays_harness import compare
from tests.support.forms import reloaded


def require_eager_calls(found: Any, make: Callable[[], Any], inputs: Iterable[Any]) -> None:
    """A program, saved and loaded, and decomposed, gives in calls with these inputs, one after the other, what a new object gives."""
    inputs = list(inputs)
    for program in (found, reloaded(found), found.run_decompositions()):
        eager, module = make(), program.module()
        for x in inputs:
            compare(eager(x), module(x))
