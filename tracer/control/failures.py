"""What a side of a branch on data raises or warns of, as the program does at run time."""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from npexport.ir import ops
from npexport.ir.ops.control import CAUSE, CONTEXT, NONE, TEXT, name_of
from npexport.symshapes.errors import Location
from npexport.symshapes.functions import sym_not
from npexport.symshapes.symint import is_symbolic
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.arrays.core.regions import LoggingRegion
from npexport.tracer.arrays.core.texts import DataText
from npexport.tracer.arrays.memory.model import Storage
from npexport.tracer.control.eithers import told
from npexport.tracer.effects.difference import differences, leaves
from npexport.tracer.interpreter.attempts import MessageOfData
from npexport.tracer.interpreter.frame import Frame
from npexport.tracer.interpreter.handler_analysis import leaves_the_program
from npexport.tracer.interpreter.join_points import Ended, GivenUp

PLAIN = (str, int, float, bool, complex, bytes, type(None))
"""Types of Python values that are constants of the graph."""


class Failure(NamedTuple):
    """An exception that the program raises at ``where``, or a warning that it issues there, if all
    of the ``conditions`` hold. ``chain``: its cause or context, and where that was raised.
    ``attributes``: those that the program has set on it.
    """

    conditions: tuple[Any, ...]
    error: Any
    args: tuple[Any, ...]
    where: tuple[Location, ...]
    warns: bool = False
    chain: tuple[Any, ...] = ()
    attributes: tuple[tuple[str, Any], ...] = ()

    def raised(self) -> tuple[Any, ...]:
        """The exception, as arguments of a check."""
        if self.attributes:
            return self.error, self.args, self.chain, self.attributes
        return (self.error, self.args, self.chain) if self.chain else (self.error, self.args)


def failure_of(vm: Any, frame: Any, ended: Ended) -> Failure | None:
    """The exception with which a side has left its frame; ``None`` if the program may catch it, or
    if it cannot be made again at run time.
    """
    error: Any = ended.error
    try:
        return _failure(error, ended.where) if frame.generator is None and leaves_the_program(vm, frame, error, left=True) else None
    except GivenUp:
        return None


def _failure(error: BaseException, where: tuple[Location, ...]) -> Failure:
    """Raises `GivenUp` for an exception that its class and arguments do not make again."""
    attributes = tuple([(name, argument_of(value)) for name, value in error.__dict__.items()])
    return Failure((), *_made(error), where, chain=_chain(error), attributes=attributes)


def _made(error: BaseException) -> tuple[Any, tuple[Any, ...]]:
    """The class and the arguments of an exception."""
    cls = type(error)
    if any(isinstance(maker, types.FunctionType) for maker in (cls.__new__, cls.__init__)):
        raise GivenUp
    if isinstance(error, (OSError, ImportError, SyntaxError, UnicodeError, BaseExceptionGroup)):
        raise GivenUp
    if isinstance(error, (AttributeError, NameError)) and error.name is not None:
        raise GivenUp
    if any(type(arg) is MessageOfData for arg in error.args):
        raise GivenUp
    return name_of(cls) or cls, tuple(map(argument_of, error.args))


def _chain(error: BaseException) -> tuple[Any, ...]:
    """For each exception being handled, the innermost last: how the one before comes from it, its
    class and its arguments.
    """
    before, cause = error.__context__, error.__cause__
    if before is None:
        if cause is not None or error.__suppress_context__:
            raise GivenUp
        return ()
    if cause is not None and cause is not before:
        raise GivenUp
    how = CAUSE if cause is not None else NONE if error.__suppress_context__ else CONTEXT
    if before.__dict__:
        raise GivenUp
    return ((how, *_made(before)), *_chain(before))


def changes_outside(world: Any, owners: Iterable[Any], written: Iterable[Storage]) -> bool:
    """Whether one of these objects, or of the memories that are written to, is from outside, or was
    put into something outside: if the program raises, the next call finds it there.
    """
    owners, memory = [owner for owner in owners if type(owner) is not Frame], set(written)
    if any(map(world.shadows.is_outside, owners)) or any(storage.outside is not None for storage in memory):
        return True
    if not (owners or memory):
        return False
    puts = [leaf.after for write in differences(world.shadows, world.overlay) for leaf in leaves(world.shadows, write)]
    held = set(map(id, puts))
    return any(id(owner) in held for owner in owners) or any(type(value) is ArrayProxy and value.storage in memory for value in puts)


def raises_after_change(world: Any, region: LoggingRegion, owners: Iterable[Any], written: Iterable[Storage]) -> bool:
    """Whether something in the region may raise, and something outside is changed. For memory from
    outside the region itself knows which comes first.
    """
    made = [storage for storage in written if storage.outside is None]
    return any("raises" in node.meta for node in region.nodes) and changes_outside(world, owners, made)


def emit(world: Any, failure: Failure) -> None:
    """Record the check; on a side that is being probed it waits until the probe is done."""
    if world.probe is not None:
        if recorder().regions[-1] is not world.probe.region:
            raise GivenUp
        world.probe.failures.append(failure)
        return
    violated: Any = True
    for condition in failure.conditions:
        violated = condition if violated is True else violated & condition
    holds = sym_not(violated)
    if failure.warns:
        recorder().effect(ops.control.warn, (holds, failure.error, failure.args[0]), failure.where)
    else:
        recorder().effect(ops.control.check, (holds, *failure.raised()), failure.where)


def refuse_unless_true(world: Any, truth: Any, error: type[BaseException], args: tuple[Any, ...], where: tuple[Location, ...]) -> None:
    """``check`` and its kin: raise if the truth, which only the data know, does not hold."""
    emit(world, Failure((sym_not(truth),), name_of(error) or error, tuple(map(argument_of, args)), where))


def argument_of(value: Any) -> Any:
    """An argument of an exception, or part of a text, as it is represented in the graph.

    Raises `GivenUp` for one that cannot be.
    """
    value = told(value)
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
