"""Branches on data of which one side only raises, or does nothing: the program checks the condition
when it runs, and goes on at the other.

Each side that promises it is run on trial (`npexport.tracer.interpreter.sides`). Sides of branches
inside are conditions of that side. What is recorded meanwhile is computed whichever side is taken,
so it must neither raise nor warn.
"""

from __future__ import annotations

import functools
import types
import warnings
from typing import Any, NamedTuple

import numpy as np

from npexport.ir import ops
from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.ops.control import CAUSE, CONTEXT, NONE, name_of
from npexport.symshapes.env import known
from npexport.symshapes.errors import ExportError, Location, Unsupported
from npexport.symshapes.functions import sym_bool, sym_not
from npexport.symshapes.symint import SymBool, is_symbolic
from npexport.tracer.arrays.core import complexes
from npexport.tracer.arrays.core.complexes import Complex
from npexport.tracer.arrays.core.current import decided, recorder
from npexport.tracer.arrays.core.grown import Grown
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy, truth_of
from npexport.tracer.arrays.core.regions import Region
from npexport.tracer.arrays.core.texts import DataText
from npexport.tracer.effects.snapshots import Spoiled
from npexport.tracer.interpreter.attempts import MessageOfData
from npexport.tracer.interpreter.flow_graph import resolved
from npexport.tracer.interpreter.join_points import join_point_of
from npexport.tracer.interpreter.loop_analysis import loop_of
from npexport.tracer.interpreter.sides import IMMUTABLE, MAX_NESTING, GivenUp, Side, leaves_nothing, leaves_the_program, promising
from npexport.tracer.models import loops
from npexport.tracer.models.data_branches import DataBranch
from npexport.tracer.models.iterations import Successor
from npexport.tracer.models.output import ignored_by_program, place_of
from npexport.tracer.models.registry import row
from npexport.tracer.models.texts import argument_of, text_of


class Failure(NamedTuple):
    """An exception that the program raises at ``where``, or what it warns of there, if all of the
    ``conditions`` hold. ``chain``: how it comes from the one that was handled, and what raised
    that. ``attributes``: those that the program has given it.
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


IMMUTABLE.update((DataText, ScalarProxy, Mixed, Complex))


def _give_up() -> Any:
    raise GivenUp


def truth_of_data(value: Any) -> Any:
    """The truth of an array of one element, or of a number, that only the data know; ``None`` for
    all else.
    """
    if type(value) is Mixed:
        value = value.scalar
    if type(value) is Complex:
        return complexes.truth_of(value)
    if type(value) is Grown:
        value = value.length
    if type(value) in (ArrayProxy, ScalarProxy):
        return None if value.known or not known(value.size == 1) else truth_of(value)
    return sym_bool(value) if is_symbolic(value) and value.hint is None else None


def choose(world: Any, vm: Any, frame: Any, value: Any, if_true: int, if_false: int) -> bool:
    """Go on where the program does after a branch on data: false where the truth itself decides.

    Raises ``Unsupported`` (E103) for what cannot become part of the program.
    """
    if not world.captures:
        return False
    starts = {True: if_true, False: if_false}
    truth, side = truth_of_data(value), None
    if truth is None and is_symbolic(value):
        side = _without_guard(world, vm, frame, sym_bool(value), if_true, if_false)
    elif type(truth) is SymBool:
        side = decided(truth) if if_true != if_false else True
        if side is None and (world.side is None or world.side.nesting < MAX_NESTING):
            side = one_sided(world, vm, frame, truth, if_true, if_false, join_point_of(frame.code, frame.pc - 1))
            if side is None and world.side is None and truth.env.of_data_alone(truth.expression):
                if loops.choose(world, vm, frame, truth, successors_of(if_true, if_false)):
                    return True
                try:
                    DataBranch(world, vm, frame, truth, starts, failure_of).run()
                    return True
                except Unsupported as error:
                    side = (
                        None if world.open_branches or isinstance(error, Spoiled) else one_sided(world, vm, frame, truth, if_true, if_false)
                    )
                    if side is None:
                        raise
    if side is None:
        return False
    frame.pc = starts[side]
    return True


def successors_of(if_true: int, if_false: int) -> dict[bool, Successor]:
    """The successors of a branch: where its sides begin."""
    return {True: Successor(if_true), False: Successor(if_false)}


def one_sided(
    world: Any,
    vm: Any,
    frame: Any,
    truth: Any,
    if_true: int,
    if_false: int,
    limit: int | None = None,
    sides: Any = (True, False),
    worth: Any = promising,
) -> bool | None:
    """The side on which the program goes on, where the other one, one of these, only raises or
    warns. No way around a loop is tried.

    ``limit``: where the sides meet; a side that comes there is given up. ``worth``: whether a side
    is worth a trial.
    """
    session, around = recorder().session, loop_of(frame.code, frame.pc - 1, (if_true, if_false))
    for side, pc, other in ((True, if_true, if_false), (False, if_false, if_true)):
        if side not in sides or (around is not None and pc == around[1]):
            continue
        found = _failures(world, vm, frame, pc, other, limit) if worth(frame, pc, other) else None
        if found is None:
            continue
        ends, failures = found
        _settle(world, truth if side else sym_not(truth), failures)
        if ends and world.side is None:
            session.decided[truth.expression] = not side
            session.decided[sym_not(truth).expression] = side
        return not side
    return None


def _without_guard(world: Any, vm: Any, frame: Any, truth: Any, if_true: int, if_false: int) -> bool | None:
    """The side of a branch on sizes that skips what at most warns: the program takes the sizes of
    both. ``None`` where a guard decides.

    A side that raises keeps its guard, so that the ranges of a program say which sizes it takes,
    and a broken promise is a violation.
    """
    if type(truth) is not SymBool or known(truth) is not None or (world.side is not None and world.side.nesting >= MAX_NESTING):
        return None
    if_true, if_false = resolved(frame.code, if_true), resolved(frame.code, if_false)
    if if_true == if_false:
        return True
    for side, pc, other in ((True, if_true, if_false), (False, if_false, if_true)):
        found = _failures(world, vm, frame, pc, other, None) if leaves_nothing(frame, pc, other) else None
        if found is not None and not found[0]:
            _settle(world, truth if side else sym_not(truth), found[1])
            return not side
    return None


def _settle(world: Any, condition: Any, failures: list[Failure]) -> None:
    """Record what a side raises and warns of; within another side it is the outer one's, under both
    conditions.
    """
    failures = [failure._replace(conditions=(condition, *failure.conditions)) for failure in failures]
    if world.side is not None:
        world.side.failures += failures
    else:
        for failure in failures:
            emit(failure)


def _failures(world: Any, vm: Any, frame: Any, pc: int, other: int, limit: int | None) -> tuple[bool, list[Failure]] | None:
    """(whether the side ends in an exception, what it raises), or ``None`` where it may do more:
    then nothing of it stays recorded.
    """
    env, outer = recorder().session.env, world.side
    facts, guards = env.facts, list(env.guards)
    if facts.ranges:
        env.facts = facts.copy()
    side = world.side = Side(vm, frame, pc, other, outer, limit)
    region = Region(recorder(), "a side of a branch")
    try:
        with region:
            ended = side.run()
            world.side = outer
            failures = list(side.failures)
            if ended.error is not None:
                failures.append(_failure(ended.error, ended.where))
                if not leaves_the_program(vm, side.copy, ended.error):
                    raise GivenUp
        if len(env.guards) != len(guards) or not all(map(is_quiet, region.nodes)):
            raise GivenUp
        region.keep()
        return ended.error is not None, failures
    except ExportError:
        env.facts, env.guards = facts, guards
        return None
    finally:
        world.side = outer


def failure_of(vm: Any, frame: Any, error: BaseException, where: tuple[Location, ...]) -> Failure | None:
    """The exception with which a side has left its frame; ``None`` where the program may catch it,
    or it cannot be made again.
    """
    try:
        return _failure(error, where) if frame.generator is None and leaves_the_program(vm, frame, error, left=True) else None
    except GivenUp:
        return None


# Exceptions


def _failure(error: BaseException, where: tuple[Location, ...]) -> Failure:
    """Raises `GivenUp` for an exception that its class and its arguments do not make again."""
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
    """By the exceptions that were handled, the innermost last: how the one before comes from it,
    its class and its arguments.
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


def emit(failure: Failure) -> None:
    """Record the check."""
    violated = failure.conditions[0]
    for condition in failure.conditions[1:]:
        violated = violated & condition
    if failure.warns:
        recorder().effect(ops.control.warn, (sym_not(violated), failure.error, failure.args[0]), failure.where)
    else:
        recorder().effect(ops.control.check, (sym_not(violated), *failure.raised()), failure.where)


# What a side may call

_IMMUTABLE = (str, bytes, int, float, complex, bool, tuple, frozenset, type(None), np.dtype, range)
_READING = frozenset("get keys values items copy index count union intersection difference isdisjoint issubset issuperset".split())
_OF_ARRAYS = frozenset(
    "all any min max sum mean item tolist argmax argmin nonzero ravel astype copy reshape squeeze flatten transpose round "
    "view std var prod ptp cumsum dot conj conjugate diagonal trace swapaxes take".split()
)


WARNED: Any = object()
_FRESH = frozenset({list, dict, set, enumerate, zip, reversed, type(iter([])), type(iter(())), type(iter(range(0)))})


def _warn(world: Any, side: Side, message: Any, category: Any = None, stacklevel: int = 1) -> Any:
    """A warning of one side: the program gives it.

    What filters and records warnings is the caller's, not the program's.
    """
    category = UserWarning if category is None else category
    ignored = ignored_by_program(world, category) if isinstance(category, type) and issubclass(category, Warning) else None
    if ignored is None or type(message) not in (str, DataText) or name_of(category) is None or type(stacklevel) is not int:
        raise GivenUp
    if ignored:
        return WARNED
    side.failures.append(Failure((), name_of(category), (argument_of(message),), place_of(world.stack(), stacklevel), True))
    return WARNED


def on_side(world: Any, vm: Any, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of C on the side that runs."""
    text = allow(world, world.side, fn, args, kwargs)
    if text is not None:
        return None if text is WARNED else text
    value = world.judge(fn)(world, vm, fn, args, kwargs)
    fresh = (type(value) in _FRESH or isinstance(value, BaseException)) and not any(value is arg for arg in args)
    return world.side.make(value) if fresh else value


def allow(world: Any, side: Side, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a side gets of a call of C: a text of data, `WARNED`, or ``None`` where the call is to
    be made. Raises `GivenUp`.
    """
    if fn is warnings.warn and kwargs.keys() <= {"category", "stacklevel"}:
        return _warn(world, side, *args, **kwargs)
    text = text_of(fn, args, kwargs)
    if text is not None:
        return text
    owner = getattr(fn, "__self__", None)
    name = getattr(fn, "__name__", "")
    if isinstance(fn, type) and (issubclass(fn, BaseException) or fn in _IMMUTABLE):
        return None
    if kwargs.get("out") is not None:
        raise GivenUp
    if type(fn) is types.FunctionType and args and type(args[0]) in (ArrayProxy, ScalarProxy):
        return None if fn in _array_methods() else _give_up()
    if isinstance(fn, (types.WrapperDescriptorType, types.MethodDescriptorType)) and args:
        owner = args[0]
    if owner is None or isinstance(owner, types.ModuleType):
        module = getattr(fn, "__module__", None) or ""
        if (module == "builtins" and row("builtins", name).on_sides) or (isinstance(fn, np.ufunc) and _is_known(fn)):
            return None if name != "next" or side.is_born(args[0]) else _give_up()
        if module in ("_operator", "operator"):
            return None if _is_plain_operator(side, name, args) else _give_up()
        if module.partition(".")[0] == "numpy" and row("numpy", name).on_sides:
            return None
        raise GivenUp
    if isinstance(owner, BaseException) or (isinstance(owner, type) and issubclass(owner, BaseException)):
        return None if name in ("__init__", "__new__") else _give_up()
    if type(owner) in (ArrayProxy, ScalarProxy):
        return None if name in _OF_ARRAYS or (name.startswith("__") and not name.startswith(("__i", "__set", "__del"))) else _give_up()
    if type(owner) in _IMMUTABLE or side.is_born(owner) or (type(owner) in (dict, list, set) and name in _READING):
        return None
    raise GivenUp


@functools.cache
def _array_methods() -> frozenset[Any]:
    """The stand-ins' own methods that only read."""
    return frozenset(getattr(cls, name, None) for cls in (ArrayProxy, ScalarProxy) for name in _OF_ARRAYS)


def _is_known(ufunc: np.ufunc) -> bool:
    return getattr(np, ufunc.__name__, None) is ufunc


def _is_plain_operator(side: Side, name: str, args: tuple[Any, ...]) -> bool:
    if name in ("getitem", "contains"):
        return type(args[0]) in (list, tuple, dict, str, bytes, set, frozenset, range, ArrayProxy, ScalarProxy)
    if name in ("setitem", "delitem") or (name.startswith("i") and name not in ("is_", "is_not", "invert", "inv", "index")):
        return side.is_born(args[0]) or type(args[0]) in _IMMUTABLE or type(args[0]) is ScalarProxy
    return True


# What is recorded on a side


def is_quiet(node: Node) -> bool:
    """Whether the call neither raises nor warns, whatever the data."""
    op = node.target
    if not isinstance(op, Op) or "raises" in node.meta:
        return False
    if op.namespace in ("sym", "py") or "view" in op.traits or op.is_quiet(*node.args, **node.kwargs):
        return True
    metas = [operand.meta["val"] for operand in (node, *node.all_input_nodes)]
    return (
        op.namespace == "np" and "divides" not in op.traits and all(not isinstance(m, TensorMeta) or m.dtype.kind in "biu" for m in metas)
    )


def refuse_unless_true(world: Any, truth: Any, error: type[BaseException], args: tuple[Any, ...], where: tuple[Location, ...]) -> None:
    """``check`` and its kin: raise where the truth, which only the data know, does not hold."""
    if world.side is not None:
        raise Unsupported("E103", "a check on one side of a branch")
    emit(Failure((sym_not(truth),), name_of(error) or error, tuple(map(argument_of, args)), where))
