"""What ``program.module()`` gives: its type for type checkers, its options, and the registration
of its maker, for the room that runs programs is above this one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from npexport.ir.graph import Graph
from npexport.ir.verifier import require_valid
from npexport.symshapes.errors import UserError
from npexport.symshapes.parameters import FLAG, MAPPING, require

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
_RUNTIME = "npexport.runtime.modules.module"  # importing it registers what runs programs
_CHUNKS = "npexport.runtime.entry.chunks"
_NAMESPACES = "npexport.runtime.namespaces.module"


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


def module_of(
    program: Any, check_guards: bool, threads: int | None, fast_math: bool, chunks: Mapping[str, int] | None, namespace: Any
) -> RunningProgram:
    """What ``program.module()`` gives for these options, which are checked."""
    if threads is not None and (type(threads) is not int or threads < 1):
        raise UserError("E201", f"threads={threads!r} is not a number of threads", hint="Pass a positive integer, or None for all cores.")
    for name, value in (("check_guards", check_guards), ("fast_math", fast_math)):
        require(name, value, FLAG)
    require("chunks", chunks, MAPPING.optional)
    require_valid(program)
    failures = getattr(program.report, "failures", ())
    if failures:
        codes = ", ".join(sorted({failure.code for failure in failures}))
        text = f"this draft took the example's side where export refuses ({codes}): other data may give wrong results; see its report"
        warnings.warn(text, stacklevel=4)
    namespace = program._namespace if namespace is None else namespace
    if namespace is not None:
        if (threads, fast_math, chunks) != (1, False, None):
            raise UserError("E201", "threads, fast_math and chunks are NumPy's", hint="Leave them out where a namespace computes.")
        return import_module(_NAMESPACES).make_module(program, namespace, check_guards)  # type: ignore[no-any-return]
    run = runtime()[0](program, check_guards, threads=threads, fast_math=fast_math)
    return run if chunks is None else import_module(_CHUNKS).chunked(program, chunks, run)
