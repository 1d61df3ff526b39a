"""Tables of programs that decorators fill."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Program = TypeVar("Program", bound=Callable[..., Any])
Declares = Callable[[Program], Program]


def declaring() -> tuple[list[Any], list[Any], Declares[Any], Declares[Any]]:
    """All programs, those of them that are exported with dynamic sizes, too, and the decorators
    ``static`` and ``dynamic`` that put them there.
    """
    programs: list[Any] = []
    of_any_size: list[Any] = []

    def static(function: Program) -> Program:
        programs.append(function)
        return function

    def dynamic(function: Program) -> Program:
        of_any_size.append(function)
        return static(function)

    return programs, of_any_size, static, dynamic
