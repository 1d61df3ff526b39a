"""The interfaces of the current export and its recorder, as the arrays use them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
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
from npexport.tracer.arrays.memory.may_alias import MayAlias
from npexport.tracer.arrays.memory.model import GraphBuilder, Kind, Link, Storage

Recipe = tuple[Op, tuple[Any, ...], dict[str, Any]]
"""A call that makes known data."""


class Recording(GraphBuilder, Protocol):
    """The interface of the recorder, which makes all nodes;
    `npexport.tracer.arrays.core.recorder.Recorder` documents it.
    """

    graph: Graph
    session: Session
    sizes: Sizes
    layouts: Layouts
    overlaps: Overlaps
    literals: set[Node]
    generators: dict[int, Any]
    drawn: dict[int, Any]
    unseeded: set[int]
    regions: list[Any]
    left: Any
    repeats: bool
    sub_graphs: int
    choices: Any
    mingled: Any
    aliases: Any
    may_alias: MayAlias
    may_alias_at: Any
    listed: Any
    taken: Any
    lists: Any
    writes: int
    growing: Any
    derived: list[Any] | None
    trial: Any
    raising: list[tuple[Node, Any]]
    effects: bool
    unfinished: dict[Any, str]
    attempts: dict[Any, Any]
    constants: Any
    given: Any

    def require_whole(self, storage: Storage, what: str) -> None: ...
    def undoes(self, storage: Storage) -> bool: ...
    def written(self, storage: Storage) -> None: ...
    def derive(self, link: Link, node: Node, version: int) -> None: ...
    def append(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], meta: Any, state: State) -> Node: ...
    def call(self, op: Op, *args: Any, **kwargs: Any) -> Any: ...
    def again(self, op: Op, *args: Any, **kwargs: Any) -> Node: ...
    def laid(self, node: Node, axes: tuple[int, ...] | None) -> Node: ...
    def declared(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any], meta: Any) -> Node: ...
    def effect(self, op: Op, args: tuple[Any, ...], stack: tuple[Any, ...], passed: Any = ...) -> None: ...
    def bind(self, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]: ...
    def argument(self, arg: Any) -> Any: ...
    def wrap(self, node: Node, layout: Any = ...) -> Any: ...
    def element(self, array: Any) -> Any: ...
    def floating(self, array: Any) -> Any: ...
    def number(self, node: Any) -> Any: ...
    def known(self, value: Any) -> Any: ...
    def constant(self, array: np.ndarray[Any, Any], recipe: Recipe | None = None) -> Node: ...
    def known_view(self, storage: Storage, link: Link | None, array: np.ndarray[Any, Any]) -> Node: ...
    def lift(self, array: np.ndarray[Any, Any], path: str, kind: Kind, shape: tuple[Any, ...] | None = None) -> Any: ...


class ArrayWorld(Protocol):
    """What arrays ask of the world in which the program runs, and tell it;
    `npexport.tracer.driver.world.TracingWorld` documents it.
    """

    asks: bool
    needs_case_splits: bool
    merged: dict[int, Any]
    counting: bool
    counted: bool
    unrolling: Any
    rolled: bool
    mixes: bool
    refers: bool
    iteration: Any

    def type_of(self, value: Any) -> type: ...
    def one_of(self, tests: list[Any], options: list[Any], name: str) -> Any: ...
    def into(self, structure: Any, value: Any) -> Any: ...
    def filled(self, value: list[Any]) -> Any: ...
    def replaceable(self, value: list[Any]) -> list[Any]: ...
    def replace(self, value: list[Any], referrers: list[Any], item: Any) -> None: ...
    def begin(self, store: Any, value: Any) -> None: ...
    def iterated_containers(self, store: Any) -> list[Any]: ...


class Session(Protocol):
    """The interface of the export in progress: it answers for source locations, calls Python, and
    knows sizes that depend on data. `npexport.tracer.driver.session.Session` documents it.
    """

    env: ShapeEnv
    decided: dict[Any, bool]
    counts: dict[Any, Any]
    progress: Callable[[], Any]
    on_node: Callable[[Any], None] | None
    module_stack: Callable[[], dict[str, str]]

    @property
    def world(self) -> ArrayWorld: ...
    @property
    def recorder(self) -> Recording: ...
    def stack(self) -> tuple[Location, ...]: ...
    def forget_unread(self, places: tuple[int, ...] = ...) -> None: ...
    def is_held(self, value: Any) -> bool: ...
    def is_temporary(self, array: Any) -> bool: ...
    def in_a_try(self) -> bool: ...
    def invoke(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any: ...
    def error_state(self, op: Op, args: Iterable[Any]) -> tuple[tuple[str, ...], State]: ...
    def traps(self) -> bool: ...
    def ignoring_errors(self) -> AbstractContextManager[None]: ...
    def holding_items(self) -> AbstractContextManager[None]: ...
    def listening(self) -> AbstractContextManager[None]: ...
    def written_before(
        self,
        op: Op,
        errors: tuple[type[BaseException], ...],
        conditions: list[Any],
        attempt: Any = ...,
        *,
        passed: Any = ...,
        args: Any = ...,
    ) -> Any: ...
    def not_caught(
        self, op: Op, args: tuple[Any, ...], errors: tuple[type[Exception], ...], conditions: list[Any], attempt: Any, made: Any
    ) -> Any: ...
    def require_unexpected(self, error: type[BaseException], what: str) -> None: ...
    def decide(self, truth: Any, value: bool) -> None: ...
    def suppose(self, truth: Any) -> None: ...
    def learn(self, conditions: list[Any]) -> None: ...
    def fix_sizes(self, error: Exception, arguments: Any, least: Callable[[], int]) -> None: ...
    def count(self, count: Any, size: Any, total: Any) -> None: ...


CURRENT: ContextVar[Session | None] = ContextVar("npexport_session", default=None)


def recorder() -> Recording:
    """The recorder of the active session, for what programs call: proxies, and models of functions
    of NumPy. What is given a world, a recorder or a region uses that. Raises ``InternalError`` if
    none is active.
    """
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


@contextmanager
def raising_nothing(recorder: Recording) -> Iterator[None]:
    """Calls that are recorded within it raise nothing: the program has made them before, or knows
    that they fit.
    """
    repeats, recorder.repeats = recorder.repeats, True
    try:
        yield
    finally:
        recorder.repeats = repeats
