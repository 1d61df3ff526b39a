"""What compiling a program gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import Any

from npexport.runtime.calling import Convention, Slot


@dataclass
class Compiled:
    """The function's source and code, the constants of its names, its state (global name -> input
    name) and its parameters.

    ``held``: global name -> path, of state without a first value. ``arrays``: what the parameters
    ``targets`` must be, where that can be seen before the function is called.
    ``check``: the code of a function of the same parameters that only checks them.
    """

    text: str
    code: CodeType
    check: CodeType
    namespace: dict[str, Any]
    state: dict[str, str]
    slots: list[Slot]
    convention: Convention
    held: dict[str, str]
    arrays: Any
    targets: list[str]

    def function(self, state: dict[str, Any]) -> Callable[..., Any]:
        """A function over this state: ``state`` maps input names to arrays. Its globals are its
        own.
        """
        arrays = {name: state[target] for name, target in self.state.items()}
        return self.convention.function(self.code, self.namespace | arrays | dict.fromkeys(self.held))

    def checking(self) -> Callable[..., None]:
        """The function that only checks; like the other it is a method."""
        return self.convention.function(self.check, dict(self.namespace))

    def enter(self, module: Any, function: Any) -> None:
        """Let calls of a module, whose class is its own, run this function."""
        self.convention.enter(module, function, self.arrays, self.targets)
