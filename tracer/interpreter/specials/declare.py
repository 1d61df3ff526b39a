"""The decorators that declare builtins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npexport.tracer.interpreter.calls import SPECIALS, Args, Kwargs
from npexport.tracer.interpreter.frame import Continuation, Frame, Machine

Special = Callable[[Any, Args, Kwargs, "Continuation | None"], Any]


def special(*builtin: Any) -> Callable[[Special], Special]:
    """Declare what the VM does instead of builtins."""

    def declare(function: Special) -> Special:
        SPECIALS.update(dict.fromkeys(builtin, function))
        return function

    return declare


def caller(vm: Machine) -> Frame:
    """The user's frame that calls a builtin."""
    frame: Any = vm.frame
    while frame.info.internal:
        frame = frame.back
    return frame  # type: ignore[no-any-return]
