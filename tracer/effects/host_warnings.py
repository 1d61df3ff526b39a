"""What CPython and NumPy warn of while the tracer computes with known data. The program would have
warned of it: its own filters decide, where it has some.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from npexport.symshapes.errors import Location, Unsupported
from npexport.tracer.arrays.core.current import Recording
from npexport.tracer.arrays.core.proxy import Proxy
from npexport.tracer.effects.warning_filters import action_of, by_place, ignores

_ALWAYS = ("always", None, Warning, None, 0)


class Filtered(Protocol):
    """The world of a program that may change the filters of warnings."""

    filtering: bool

    @property
    def recorder(self) -> Recording: ...

    def keeps_warnings(self) -> bool: ...
    def own_filters(self) -> Any: ...
    def say(self, kind: str, text: str, location: Location | None, detail: Any) -> None: ...


@contextmanager
def hearing(world: Filtered) -> Iterator[None]:
    """What C warns of is told to ``world`` first."""
    outer: Any = warnings._showwarnmsg  # type: ignore[attr-defined]
    original = getattr(outer, "original", outer)

    def show(message: Any) -> None:
        if _passes(world, message):
            original(message)

    show.original = original  # type: ignore[attr-defined]
    warnings._showwarnmsg = show  # type: ignore[attr-defined]
    try:
        yield
    finally:
        warnings._showwarnmsg = outer  # type: ignore[attr-defined]


@contextmanager
def listening(world: Filtered, given: Iterable[Any] = ()) -> Iterator[None]:
    """While the tracer computes with what is ``given`` for a program that has filters of its own,
    the caller's ignore nothing: the program's are asked first. What is computed of data warns when
    the exported program runs.
    """
    if not world.filtering or any(isinstance(value, Proxy) for value in given):
        yield
        return
    outer = warnings.filters
    _SET_ASIDE.append((world.own_filters(), outer))
    warnings.filters = [_ALWAYS]
    _changed()
    try:
        yield
    finally:
        warnings.filters = outer
        _SET_ASIDE.pop()
        _changed()


_SET_ASIDE: list[tuple[Any, Any]] = []
"""The filters that the program has and those of its caller, while the process has others."""


def programs_filters() -> Any:
    """The filters that the program had before the process got others; ``None`` if it has not."""
    return _SET_ASIDE[-1][0] if _SET_ASIDE else None


def callers_filters() -> Any:
    """The filters of the program's caller."""
    return _SET_ASIDE[0][1] if _SET_ASIDE else warnings.filters


def _changed() -> None:
    changed: Any = getattr(warnings, "_filters_mutated", None) or warnings._filters_mutated_lock_held  # type: ignore[attr-defined]
    changed()


def _passes(world: Filtered, message: Any) -> bool:
    """Whether the caller sees a warning now. Raises it if the program's filters make it an error,
    and ``Unsupported`` (E126) if they do more.
    """
    if not world.filtering:
        return True
    text, filters, callers = str(message.message), world.own_filters(), callers_filters()
    found = ignores(filters, callers, message.category, text)
    if found:
        return False
    keeps = world.keeps_warnings()
    if (
        found is None
        and not keeps
        and action_of(filters, text, message.category, None) == "error"
        and not by_place(filters, message.category)
    ):
        raise message.message
    if found is None or keeps:
        what = "records warnings" if keeps else "has filters of its own for warnings"
        hint = "Use np.errstate; filters that ignore warnings, of a category or by a plain message, are captured, too."
        raise Unsupported("E126", f"the program {what}, and this warns: {text}", hint=hint)
    stack = world.recorder.stack()
    world.say("warning", text, stack[-1] if stack else None, message.category)
    return False
