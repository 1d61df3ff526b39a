"""State that belongs to the thread instead of an object: context variables, the context of
``decimal``. NumPy's error state has a module of its own.

A program runs in a copy of it; what it leaves changed there is a write to the outside.
"""

from __future__ import annotations

import contextvars
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from npexport.ir.numpy_internals import ALLOCATOR, ERROR_STATE
from npexport.ir.ops.fresh import FRESH
from npexport.symshapes.errors import MADE, Unsupported
from npexport.tracer.arrays.core.current import CURRENT

_Result = TypeVar("_Result")
OWN: tuple[contextvars.ContextVar[Any], ...] = (CURRENT, MADE, FRESH)
"""npexport's own variables that are set while a program is exported."""
_DECIMAL = ("prec", "rounding", "Emin", "Emax", "capitals", "clamp", "traps")


class Ambient:
    """The state during one run."""

    def __init__(self) -> None:
        self._context = contextvars.copy_context()
        self._before: dict[Any, Any] = {}
        self._numbers: Any = None

    def run(self, act: Callable[[], _Result]) -> _Result:
        """The result of ``act()`` in the copy."""

        def run() -> _Result:
            if "decimal" in sys.modules:
                import decimal

                decimal.setcontext(decimal.getcontext().copy())
                self._numbers = _decimal_settings()
            self._before = dict(contextvars.copy_context())
            return act()

        return self._context.run(run)

    def problem(self) -> Unsupported | None:
        """What the run left changed (E112)."""
        variables = [v for v in self._context if v not in self._before or self._context[v] is not self._before[v]]
        changed = [f"context variable `{v.name}`" for v in variables if not is_own(v)]
        if self._numbers is not None and self._context.run(_decimal_settings) != self._numbers:
            changed.append("context of decimal")
        if not changed:
            return None
        return Unsupported(
            "E112", f"the program changes the {', the '.join(changed)}", hint="Put the old value back before the program ends."
        )


def sets_context() -> bool:
    """Whether context variables are set, by the program or before it."""
    return any(not is_own(variable) for variable in contextvars.copy_context())


def is_own(variable: contextvars.ContextVar[Any]) -> bool:
    """Whether the variable is npexport's, or of a library and means nothing to programs, or is
    handled by itself.
    """
    return variable in (*OWN, ERROR_STATE) or variable.name in ("decimal_context", ALLOCATOR)


def _decimal_settings() -> tuple[Any, ...]:
    """The settings of ``decimal``'s context that affect later results, without its flags."""
    import decimal

    context = decimal.getcontext()
    return tuple([str(getattr(context, name)) for name in _DECIMAL])
