"""The interfaces of the current export and its recorder, as the arrays use them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any, Protocol

import numpy as np

from npexport.ir.error_states import State
from npexport.ir.graph import Graph, Node
from npexport.ir.op import Op
from npexport.symshapes.env import ShapeEnv, known
from npexport.symshapes.errors import InternalError, Location
from npexport.symshapes.symint import SymBool
from npexport.tracer.arrays.core.sizes import Sizes
from npexport.tracer.arrays.memory.input_aliasing import Overlaps
from npexport.tracer.arrays.memory.layout_guards import Layouts
from npexport.tracer.arrays.memory.model import GraphBuilder, Kind, Link, Storage

Recipe = tuple[Op, tuple[Any, ...], dict[str, Any]]
"""A call that makes known data."""


class Recording(GraphBuilder, Protocol):
    """The interface of the recorder, which makes all nodes."""

    graph: Graph
    session: Session
    sizes: Sizes
    layouts: Layouts
    overlaps: Overlaps
    literals: set[Node]
    generators: dict[int, Any]
    drawn: dict[int, Any]
    regions: list[Any]
    left: Any
    sub_graphs: int
    choices: Any
    torn: Any
    torn_at: Any
    listed: Any
    growing: Any

    def require_whole(self, storage: Storage, what: str) -> None:
        """Raises ``Unsupported`` (E103) for memory that others share only if the data say so."""
        ...

    def tear(self, one: Storage, other: Storage) -> None:
        """The data decide whether two memories are one."""
        ...

    def undoes(self, storage: Storage) -> bool:
        """Whether a write to this memory is undone later."""
        ...

    def written(self, storage: Storage) -> None:
        """The program writes to this memory."""
        ...

    def call(self, op: Op, *args: Any, **kwargs: Any) -> Any:
        """The result of a call as the program sees it."""
        ...

    def again(self, op: Op, *args: Any, **kwargs: Any) -> Node:
        """A node of its own, even if an equal one exists."""
        ...

    def laid(self, node: Node, axes: tuple[int, ...] | None) -> Node:
        """An array in C order, rearranged so that its axes have this order in memory."""
        ...

    def declared(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], meta: Any) -> Node:
        """A call of an operator of which nothing is known but its results here."""
        ...

    def effect(self, op: Op, args: tuple[Any, ...], stack: tuple[Any, ...]) -> None:
        """Record a call for the errors that it raises."""
        ...

    def bind(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The call in canonical form."""
        ...

    def argument(self, arg: Any) -> Any:
        """The argument as it is represented in the graph."""
        ...

    def wrap(self, node: Node, layout: Any = ...) -> Any:
        """A fresh array or scalar whose value the node computes."""
        ...

    def element(self, array: Any) -> Any:
        """The only element of an integer array as a size."""
        ...

    def floating(self, array: Any) -> Any:
        """The only element of an array of floats as a Python float."""
        ...

    def number(self, node: Any) -> Any:
        """The value of a node that is computed from sizes alone."""
        ...

    def known(self, value: Any) -> Any:
        """A proxy that owns this array."""
        ...

    def constant(self, array: np.ndarray[Any, Any], recipe: Recipe | None = None) -> Node:
        """The node of known data."""
        ...

    def known_view(self, storage: Storage, link: Link | None, array: np.ndarray[Any, Any]) -> Node:
        """The node of a view, ``array``, of a known storage."""
        ...

    def lift(self, array: np.ndarray[Any, Any], path: str, kind: Kind, shape: tuple[Any, ...] | None = None) -> Any:
        """A proxy of an outside array."""
        ...


class Session(Protocol):
    """The interface of the export in progress: it answers for source locations, calls Python, and
    knows sizes that depend on data.
    """

    env: ShapeEnv
    world: Any
    decided: dict[Any, bool]
    on_node: Callable[[Any], None] | None
    module_stack: Callable[[], dict[str, str]]

    @property
    def recorder(self) -> Recording:
        """What makes its nodes."""
        ...

    def stack(self) -> tuple[Location, ...]:
        """The user's locations, innermost last."""
        ...

    def invoke(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call of a Python function."""
        ...

    def error_state(self, op: Op, args: Iterable[Any]) -> tuple[tuple[str, ...], State]:
        """The floating-point errors that the program has made exceptions, and its settings for
        others, if the operator may meet them.
        """
        ...

    def traps(self) -> bool:
        """Whether floating-point errors are exceptions now."""
        ...

    def ignoring_errors(self) -> AbstractContextManager[None]:
        """Inside, what is recorded ignores floating-point errors."""
        ...

    def written_before(self, op: Op, errors: tuple[type[Exception], ...], conditions: list[Any]) -> Any:
        """What the program has written where an operator may raise; refuses what it would write
        while the exception propagates.
        """
        ...

    def not_caught(
        self, op: Op, args: tuple[Any, ...], errors: tuple[type[Exception], ...], conditions: list[Any], attempt: Any, made: Any
    ) -> Any:
        """The exceptions that leave the program; ``made``: the result of the call.

        Raises those that it has been decided to raise, and ``Unsupported`` (E126) if the program
        expects what the operator raises for some data only.
        """
        ...

    def fix_sizes(self, error: Exception, arguments: Any) -> None:
        """Make the sizes of a call constants if the program catches what it raised for the
        example's.
        """
        ...

    def count(self, count: Any, size: Any, total: Any) -> None:
        """Note that this is the size of what is counted."""
        ...


CURRENT: ContextVar[Session | None] = ContextVar("npexport_session", default=None)


def current() -> Session | None:
    """The active session of this thread, or ``None``."""
    return CURRENT.get()


def recorder() -> Recording:
    """The recorder of the active session. Raises ``InternalError`` if none is active."""
    session = CURRENT.get()
    if session is None:
        raise InternalError("E901", "an array proxy is used after the export that made it has ended")
    return session.recorder


def decided(truth: Any) -> bool | None:
    """What is known of a truth: by sizes, or since the program has checked it or a side is run."""
    if type(truth) is not SymBool:
        return bool(truth)
    found = recorder().session.decided.get(truth.expression)
    return known(truth) if found is None else bool(found)
