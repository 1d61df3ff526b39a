"""The type of ``program.module()`` for type checkers, and the registration of its maker: the room
that runs programs is above this one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from npexport.ir.graph import Graph

Array = np.ndarray[Any, np.dtype[Any]]


class RunningProgram(Protocol):
    """A callable with the calling convention of what was exported, and with its own state."""

    @property
    def graph(self) -> Graph:
        """The graph that runs."""

    @property
    def code(self) -> str:
        """The Python source that runs."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program. Raises ``InputMismatch`` for inputs that it is not valid for."""

    def check_inputs(self, *args: Any, **kwargs: Any) -> None:
        """Raise ``InputMismatch`` where a call with these inputs would, and compute nothing."""

    def named_parameters(self) -> Iterator[tuple[str, Array]]:
        """Dotted path and array of every parameter."""

    def parameters(self) -> Iterator[Array]:
        """The array of every parameter."""

    def named_buffers(self) -> Iterator[tuple[str, Array]]:
        """Dotted path and current array of every buffer."""

    def buffers(self) -> Iterator[Array]:
        """The current array of every buffer."""

    def state_dict(self) -> dict[str, Array]:
        """Dotted path -> current array of the parameters and the persistent buffers."""

    def load_state_dict(self, state_dict: Mapping[str, Array], strict: bool = True) -> None:
        """Take over the values of these arrays."""


ModuleFactory = Callable[..., RunningProgram]
Compiler = Callable[[Any], Any]
_runtime: list[tuple[ModuleFactory, Compiler]] = []
_RUNTIME = "npexport.runtime.module"  # importing it registers what runs programs


def set_runtime(factory: ModuleFactory, compiler: Compiler) -> None:
    """Called once by the room that runs programs.

    ``factory(program, check_guards, **options)`` makes what ``program.module()`` returns;
    ``compiler(program)`` raises what that would.
    """
    _runtime[:] = [(factory, compiler)]


def runtime() -> tuple[ModuleFactory, Compiler]:
    """What runs programs; imported at the first use."""
    if not _runtime:
        import_module(_RUNTIME)
    return _runtime[0]
