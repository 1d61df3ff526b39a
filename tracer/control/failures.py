"""What a side of a branch on data raises or warns of, as the program does at run time."""

from __future__ import annotations

import itertools
import operator
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import AsyncExitStack, ExitStack, _GeneratorContextManagerBase, contextmanager
from typing import Any, NamedTuple

import numpy as np

from npexport.ir import ops
from npexport.ir.ops.control import CAUSE, CONTEXT, NAMING, NEW, NONE, TEXT, has_own_init, name_of
from npexport.symshapes.errors import Location
from npexport.symshapes.functions import sym_not
from npexport.symshapes.symint import is_symbolic
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.arrays.core.regions import LoggingRegion
from npexport.tracer.arrays.core.texts import DataText
from npexport.tracer.arrays.memory.model import Storage
from npexport.tracer.control.forks import BranchInIteration
from npexport.tracer.control.symbolic_unions import as_text_of_data
from npexport.tracer.effects.copiers import slots_of
from npexport.tracer.effects.difference import differences, leaves
from npexport.tracer.effects.snapshots import Changed, Snapshot, Spoiled, snapshot
from npexport.tracer.effects.state import belongs_to_root
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter import generators, join_points
from npexport.tracer.interpreter.attempts import MessageOfData
from npexport.tracer.interpreter.flow_graph import RETURN
from npexport.tracer.interpreter.frame import Frame, Machine
from npexport.tracer.interpreter.handler_analysis import around, leaves_the_program, passing
from npexport.tracer.interpreter.join_points import Ended, GivenUp, Suspended, called, own_continuation, run_until, unbound
from npexport.tracer.interpreter.suspended import clone

PLAIN = (str, int, float, bool, complex, bytes, type(None))
"""Types of Python values that are constants of the graph."""


class Passed(NamedTuple):
    """The frame whose handlers an exception has passed, and the outside places that these have put
    back.
    """

    frame: Frame
    restored: frozenset[str]


class Failure(NamedTuple):
    """An exception that the program raises at ``where``, or a warning that it issues there, if all
    of the ``conditions`` hold. ``chain``: its cause or context, and where that was raised.
    ``attributes``: those that the program has set on it. ``passed``: what it has passed by
    then.
    """

    conditions: tuple[Any, ...]
    error: Any
    args: tuple[Any, ...]
    where: tuple[Location, ...]
    warns: bool = False
    chain: tuple[Any, ...] = ()
    attributes: tuple[tuple[str, Any], ...] = ()
    passed: Passed | None = None

    def raised(self) -> tuple[Any, ...]:
        """The exception, as arguments of a check."""
        if self.attributes:
            return self.error, self.args, self.chain, self.attributes
        return (self.error, self.args, self.chain) if self.chain else (self.error, self.args)


def failure_of(world: ShadowedWorld, vm: Machine, frame: Frame, ended: Ended, changed: frozenset[str]) -> Failure | None:
    """The exception with which a side has just left its frame; ``None`` if the program may catch
    it, if another may take its place, or if it cannot be made again at run time. ``changed``: the
    outside places that had another value than before the call where the side began.
    """
    error: Any = ended.error
    if not leaves_the_program(vm, frame, error, left=True):
        return None
    try:
        unsure = passing(vm, (type(error),))
        if unsure and not leaves_unchanged(world, vm, frame, unsure, lambda: _raised_on(vm, error)):
            return None
        return _failure(error, ended.where)._replace(passed=Passed(frame, changed - world.outside.paths()))
    except GivenUp:
        return None


def _raised_on(vm: Machine, error: BaseException) -> BaseException:
    vm.fail(error, None)
    return error


def leaves_unchanged(world: ShadowedWorld, vm: Machine, frame: Frame, unsure: list[Frame], raised: Callable[[], BaseException]) -> bool:
    """Whether an exception of this frame leaves the program as it was raised. Handlers on the way
    that may raise another, in the frames ``unsure``, are run to find out, and everything that they
    did is undone.

    ``raised`` raises the exception in the frame where the VM stands. Raises `GivenUp` if the
    handlers cannot be run twice.
    """
    plain = _called_plainly(frame, unsure[-1])
    with _run_handlers(world, vm, vm.frame if plain is frame else plain, unsure, raised) as run:
        return run.unchanged and not any("raises" in node.meta for node in run.region.nodes)


@contextmanager
def at_the_end(
    world: ShadowedWorld, vm: Machine, first: Frame, frames: list[Frame], raised: Callable[[], BaseException]
) -> Iterator[set[Any]]:
    """Inside the block, an exception of the frame ``first`` has left the program, whose handlers in
    these frames, the innermost first, were run; what they did is undone afterwards. Gives the nodes
    that are not recorded after all.

    ``raised`` raises the exception in the frame where the VM stands. Raises `GivenUp` if the
    handlers cannot be run twice, raise another exception, or write to arrays.
    """
    with _run_handlers(world, vm, _called_plainly(first, frames[-1]), frames, raised) as run:
        if not run.unchanged or run.region.written:
            raise GivenUp
        yield set(run.region.nodes)


class _Run(NamedTuple):
    """How handlers have ended. ``unchanged``: whether the exception has left as it was raised."""

    unchanged: bool
    region: LoggingRegion


@contextmanager
def _run_handlers(
    world: ShadowedWorld, vm: Machine, first: Any, running: list[Frame], raised: Callable[[], BaseException]
) -> Iterator[_Run]:
    """Run the handlers from the frame ``first`` outwards; afterwards everything that they did is
    undone.

    ``running``: the frames whose handlers do something, the innermost first. Raises `GivenUp` if
    they cannot be run twice.
    """
    outer = running[-1]
    if any(each not in (*called(first, outer), outer) for each in running):
        raise GivenUp
    rehearsed, suspended = world.rehearses, [(manager, manager.gen) for manager in _managers(first, outer)]
    with snapshot(world, vm) as taken:
        world.rehearses = True
        try:
            region = LoggingRegion(world.recorder, f"what handlers do on the way out of `{first.code.co_name}`")
            with region:
                for manager, generator in suspended:
                    manager.gen = clone(generator)
                unbound(first, outer)
                vm.frame, vm.depth = first, vm.depth - len(called(vm.frame, first))
                error = raised()
                before = _held(error)
                ended = _ended(vm, outer)
            _require_same_settings(taken)
            after = _held(error)
            same = ended.error is error and len(before) == len(after) and all(map(operator.is_, before, after))
            yield _Run(same, region)
        except (join_points.Passed, Suspended):
            raise GivenUp from None
        finally:
            world.rehearses = rehearsed
            taken.restore()
            for manager, generator in suspended:
                manager.gen = generator


def _ended(vm: Machine, outer: Frame) -> Ended:
    """How the handlers end. A branch in them that decides how an iteration around them ends is one
    of this run alone: nobody else finds the frame where it stands.
    """
    try:
        return run_until(vm, outer, RETURN)
    except BranchInIteration:
        raise GivenUp from None


def _require_same_settings(taken: Snapshot) -> None:
    """Raises ``Unsupported`` (E126) if handlers have changed what no place of the program holds."""
    taken.unsay()
    try:
        taken.changes(but_errors=True)
    except Changed as changed:
        raise Spoiled("E126", f"what the program does on the way out {changed}") from None


def _held(error: BaseException) -> list[Any]:
    """What handlers may change of an exception."""
    held = error.args, error.__cause__, error.__context__, error.__suppress_context__
    return [*held, *itertools.chain(*error.__dict__.items()), *getattr(error, "__notes__", ())]


def _called_plainly(frame: Frame, outer: Frame) -> Frame:
    """The innermost frame, from this one outwards to another, from which on each frame was called
    by one that only waits for its result: others cannot be run twice.
    """
    first = frame
    for each in called(frame, outer):
        if each.generator is not None or own_continuation(each) is not None:
            first = each.back  # type: ignore[assignment]
    return first


def _managers(frame: Frame | None, outer: Frame) -> Iterator[Any]:
    """The ``with`` managers, from this frame outwards to another, that are suspended generators."""
    found: list[Any] = []
    while frame is not None and frame is not outer.back:
        found += frame.stack
        frame = frame.back
    while found:
        owner = getattr(found.pop(), "__self__", None)
        if isinstance(owner, (ExitStack, AsyncExitStack)):
            found += [callback for _, callback in owner._exit_callbacks]  # type: ignore[union-attr]
        elif isinstance(owner, _GeneratorContextManagerBase) and generators.state_of(owner.gen) is not None:
            yield owner


def _failure(error: BaseException, where: tuple[Location, ...]) -> Failure:
    """Raises `GivenUp` for an exception that its class and arguments do not make again."""
    return Failure((), *_made(error), where, chain=_chain(error), attributes=_attributes(error))


def _attributes(error: BaseException) -> tuple[tuple[str, Any], ...]:
    attributes = tuple([(name, argument_of(value)) for name, value in error.__dict__.items()])
    if isinstance(error, NAMING) and error.name is not None:
        attributes += (("name", argument_of(error.name)),)
    return attributes


def _made(error: BaseException) -> tuple[Any, tuple[Any, ...]]:
    """The class and the arguments of an exception."""
    cls = type(error)
    if isinstance(cls.__new__, types.FunctionType):
        raise GivenUp
    if has_own_init(cls) and (slots_of(cls) or isinstance(error, (StopIteration, SystemExit))):  # more than what is seen was left
        raise GivenUp
    if isinstance(error, (OSError, ImportError, SyntaxError, UnicodeError, BaseExceptionGroup)):
        raise GivenUp
    if any(type(arg) is MessageOfData for arg in error.args):
        raise GivenUp
    return name_of(cls) or cls, tuple(map(argument_of, error.args))


def _chain(error: BaseException) -> tuple[Any, ...]:
    """For each exception being handled, the innermost last: how the one before comes from it, its
    class, its arguments, and its attributes if it has any. At the end, what the program says where
    it handles none.
    """
    before, cause = error.__context__, error.__cause__
    if before is None:
        if cause is None:
            return ((NONE, None, ()),) if error.__suppress_context__ else ()
        if _chain(cause) or cause.__traceback__ is not None:
            raise GivenUp
        return (_link(NEW, cause),)
    if cause is not None and cause is not before:
        raise GivenUp
    how = CAUSE if cause is not None else NONE if error.__suppress_context__ else CONTEXT
    return (_link(how, before), *_chain(before))


def _link(how: str, error: BaseException) -> tuple[Any, ...]:
    attributes = _attributes(error)
    return (how, *_made(error), attributes) if attributes else (how, *_made(error))


def changes_outside(world: ShadowedWorld, owners: Iterable[Any], written: Iterable[Storage]) -> list[str]:
    """The paths of those of these objects, and of the memories that are written to, that are from
    outside, or were put into something outside: if the program raises, the next call finds it
    there.
    """
    owners, memory = [owner for owner in owners if type(owner) is not Frame], set(written)
    found = [world.shadows.path_of(owner) for owner in owners if world.shadows.is_outside(owner)]
    found += [storage.outside.path for storage in memory if storage.outside is not None]
    if not found and (owners or memory):
        held = set(map(id, owners))
        puts = [leaf for write in differences(world.shadows, world.overlay) for leaf in leaves(world.shadows, write)]
        found = [leaf.path for leaf in puts if id(leaf.after) in held or (type(leaf.after) is ArrayProxy and leaf.after.storage in memory)]
    return found


def changes_by_now(world: ShadowedWorld, owners: Iterable[Any], written: Iterable[Storage]) -> list[str]:
    """The same, but for objects that are again as the call found them."""
    return changes_outside(world, [owner for owner in owners if not world.outside.is_as_before(owner)], written)


def watch(world: ShadowedWorld, vm: Machine, region: LoggingRegion, before: Snapshot) -> None:
    """Let the region note what is changed outside when something in it may raise. For memory from
    outside the region itself knows which comes first.
    """
    shadows, overlay = world.shadows, world.overlay

    def changed() -> list[str]:
        if not (shadows.entries or shadows.cells or overlay.written()):
            return []  # the program has met nothing that lasts longer than the call
        return changes_by_now(world, before.changed(), [storage for storage in region.touched() if storage.outside is None])

    region.watch = changed
    region.handlers = frozenset(around(vm.frame))


def require_order(world: ShadowedWorld, region: LoggingRegion, changed: list[str]) -> None:
    """Raises ``GivenUp`` if these places outside are changed when something in the region raises,
    unless the next call is to raise then.
    """
    if changed and all(map(belongs_to_root, changed)):
        world.unfinished = True
        if world.interrupts:
            region.unfinished = changed[0]
            return
    if changed:
        raise GivenUp


def emit(world: ShadowedWorld, failure: Failure) -> None:
    """Record the check; on a side that is being probed it waits until the probe is done."""
    if world.probe is not None:
        if world.recorder.regions[-1] is not world.probe.region:
            raise GivenUp
        world.probe.failures.append(failure)
        return
    violated: Any = True
    for condition in failure.conditions:
        violated = condition if violated is True else violated & condition
    holds = sym_not(violated)
    if failure.warns:
        world.recorder.effect(ops.control.warn, (holds, failure.error, failure.args[0]), failure.where)
    else:
        world.recorder.effect(ops.control.check, (holds, *failure.raised()), failure.where, failure.passed)


def refuse_unless_true(
    world: ShadowedWorld, truth: Any, error: type[BaseException], args: tuple[Any, ...], where: tuple[Location, ...]
) -> None:
    """``check`` and its kin: raise if the truth, which only the data know, does not hold."""
    emit(world, Failure((sym_not(truth),), name_of(error) or error, tuple(map(argument_of, args)), where))


def argument_of(value: Any) -> Any:
    """An argument of an exception, or part of a text, as it is represented in the graph.

    Raises `GivenUp` for one that cannot be.
    """
    value = as_text_of_data(value)
    if type(value) is DataText:
        return (TEXT, value.form, *[argument_of(part) for part in value.parts])
    if type(value) in (tuple, list):
        return type(value)([argument_of(item) for item in value])
    if type(value) is dict and all(type(key) is str for key in value):
        return {key: argument_of(item) for key, item in value.items()}
    if type(value) in (ArrayProxy, ScalarProxy) or is_symbolic(value):
        return recorder().argument(value)
    if type(value) is Mixed:
        return recorder().argument(value.result())
    if type(value) in PLAIN or isinstance(value, (np.generic, np.dtype)):
        return value
    raise GivenUp
