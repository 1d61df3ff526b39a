"""A guard: a fact about sizes that the trace relied on and that the declared ranges do not prove,
with where it comes from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from npexport.symshapes.derived_sources import source_text
from npexport.symshapes.errors import Location, blamed
from npexport.symshapes.plain import plain
from npexport.symshapes.sympy_interop import to_sympy
from npexport.symshapes.truths import Bool

LIMIT = "a limit of the machine: "
"""How the reason of a guard begins that no specification has to promise: the call checks it."""


class Reason(str):
    """Why a size had to be decided, and a ``hint``: what to write to avoid it."""

    __slots__ = ("hint",)
    hint: str

    def __new__(cls, text: str, hint: str) -> Reason:
        made = super().__new__(cls, text)
        made.hint = hint
        return made

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return str(self), self.hint


OF_TEXTS = Reason("its text is used", "Return the size as one more output, and print it, or make the text, where the program is called.")
"""Why a size becomes a constant that is printed or put into a text."""


@dataclass(frozen=True, slots=True)
class Guard:
    """``truth`` over symbols; ``example``: the values of the user's terms in it at the example
    inputs; ``stack``: the user's call chain, innermost last; ``reason``: why a size had to be
    decided; ``deferred``: a stated fact (``check``), not the outcome of a branch.

    ``str(guard)`` is one line of the contract: the truth in the user's terms and the place that
    needs it.
    """

    truth: Bool
    names: Mapping[str, str] = field(repr=False, compare=False)
    example: Mapping[str, int] = field(default_factory=dict, compare=False)
    stack: tuple[Location, ...] = field(default=(), repr=False)
    reason: str = ""
    deferred: bool = False

    @property
    def is_limit(self) -> bool:
        """Whether it is a limit of the machine rather than the outcome of a branch."""
        return self.reason.startswith(LIMIT)

    @property
    def text(self) -> str:
        """The truth in the user's terms: ``x.shape[0] % 4 == 0``."""
        return source_text(self.truth, self.names)

    @property
    def expr(self) -> Any:
        """The truth over symbols as an expression of SymPy, which is imported for it: ``Eq(Mod(s0,
        4), 0)``.
        """
        return self._sympy_()

    def _sympy_(self) -> Any:
        return to_sympy(self.truth)

    @property
    def location(self) -> Location | None:
        """The user's line that needs it."""
        return blamed(self.stack)

    @property
    def origin(self) -> str:
        """The reason, and the line that needs it, as they follow what was expected."""
        reason, location = f" ({self.reason})" if self.reason else "", self.location
        return reason if location is None else f"{reason}, needed at {location}"

    def __str__(self) -> str:
        values = ", ".join(f"{name} = {value}" for name, value in self.example.items())
        at = f"  # {values}" if values else ""
        location = self.location
        if location is not None:
            at += (
                f"; {location.file}:{location.line} in {location.function}"
                if at
                else f"  # {location.file}:{location.line} in {location.function}"
            )
            if location.code:
                at += f", code: {location.code}"
        if self.reason:
            at += f" ({self.reason})"
        return plain(self.text + at)
