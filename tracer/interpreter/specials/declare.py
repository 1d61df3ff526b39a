"""The decorators that declare builtins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npexport.tracer.interpreter.calls import SPECIALS, Args, Kwargs
from npexport.tracer.interpreter.frame import Continuation, Frame, Machine, Steps

Special = Callable[[Any, Args, Kwargs, "Continuation | None"], Any]


def special(*builtin: Any) -> Callable[[Special], Special]:
    """Declare what the VM does instead of builtins."""

    def declare(function: Special) -> Special:
        SPECIALS.update(dict.fromkeys(builtin, function))
        return function

    return declare


def steps(builtin: Any, counts: tuple[int, ...]) -> Callable[[Callable[..., Steps]], Callable[..., Steps]]:
    """Declare a builtin as a task of its positional arguments; other calls go to the host."""

    def declare(function: Callable[..., Steps]) -> Callable[..., Steps]:
        def run(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
            if kwargs or len(args) not in counts:
                return vm.native(builtin, args, kwargs, then)
            return vm.start(function(*args), then)

        special(builtin)(run)
        return function

    return declare


def caller(vm: Machine) -> Frame:
    """The user's frame that calls a builtin."""
    frame: Any = vm.frame
    while frame.info.internal:
        frame = frame.back
    return frame  # type: ignore[no-any-return]
