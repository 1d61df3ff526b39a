"""Branches on data one side of which only raises, warns, or does nothing: the program checks the
condition at run time, and goes on with the other side.

Each side that looks like one is *probed*: run as the sides of `DataBranch` are, in a region,
and with a snapshot that restores everything. Sides of branches inside are conditions of that side.
What is recorded meanwhile is computed whichever side is taken, so it must neither raise nor warn.
"""

from __future__ import annotations

from typing import Any

from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.symshapes.env import known
from npexport.symshapes.errors import ExportError, InternalError, Unsupported
from npexport.symshapes.functions import sym_bool, sym_not
from npexport.symshapes.symint import SymBool, SymInt, is_symbolic, is_unbacked
from npexport.tracer.arrays.core import complexes
from npexport.tracer.arrays.core.complexes import Complex
from npexport.tracer.arrays.core.current import decided
from npexport.tracer.arrays.core.filled_dict import FilledDict, FilledView
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.inner_lists import INNER
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy, truth_of
from npexport.tracer.arrays.core.regions import Region
from npexport.tracer.control import loops, sections
from npexport.tracer.control.failures import Failure, changes_by_now, emit, failure_of
from npexport.tracer.control.forks import BranchInIteration, Fork, successors_of
from npexport.tracer.control.refusals import count_endless, require_few
from npexport.tracer.effects.snapshots import Change, Changed, Snapshot, Spoiled, snapshot
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.flow_graph import is_read, leaves_nothing, may_end, may_raise, next_test, resolved
from npexport.tracer.interpreter.frame import Frame, Machine
from npexport.tracer.interpreter.join_points import Ended, GivenUp, Passed, Suspended, join_point_of, run_until
from npexport.tracer.interpreter.loop_analysis import headers_around, loop_of
from npexport.tracer.interpreter.polyfills.stepping import OF_PLACES

_MOST_STEPS = 5000
_MOST_NESTED = 8
_TRUTHS: frozenset[type] = frozenset({bool, SymBool})
_TESTED: frozenset[type] = _TRUTHS | {int, SymInt, type(None)}


def truth_of_data(value: Any) -> Any:
    """The truth of a one-element array or a number of data; ``None`` for anything else."""
    if type(value) is Mixed:
        value = value.scalar
    if type(value) is Complex:
        return complexes.truth_of(value)
    if type(value) in (FilledList, FilledDict, FilledView, *INNER):
        value = value.__len__()
    if type(value) in (ArrayProxy, ScalarProxy):
        return None if value.known or not known(value.size == 1) else truth_of(value)
    return sym_bool(value) if is_unbacked(value) or (is_symbolic(value) and value.env.splits) else None


def choose(world: ShadowedWorld, vm: Machine, frame: Frame, value: Any, if_true: int, if_false: int) -> bool:
    """Go on where the program does after a branch on data; false if the truth itself decides.

    Raises ``Unsupported`` (E103) for what cannot become part of the program.
    """
    if not world.captures:
        return False
    truth, side = truth_of_data(value), None
    if truth is None and frame.code in OF_PLACES:
        return _of_place(world, vm, frame, value, if_true, if_false)
    if truth is None and is_symbolic(value):
        return _without_guard(world, vm, frame, value, if_true, if_false)
    if type(truth) is SymBool:
        side = decided(truth) if if_true != if_false else True
        if side is None:
            side = one_sided(world, vm, frame, truth, if_true, if_false, join_point_of(frame.code, frame.pc - 1))
            if side is None and world.probe is None and truth.env.of_data_alone(truth.expression):
                require_few(world, frame)
                count_endless(world, frame)
                fork = Fork(world, vm, frame, truth, successors_of(if_true, if_false))
                if loops.choose(fork):
                    return True
                place = frame.pc
                try:
                    sections.choose(fork)
                    return True
                except BranchInIteration:
                    raise
                except Unsupported as error:
                    moved = vm.frame is not frame or frame.pc != place  # to an iteration of a loop around, which is refused
                    if not (moved or world.tally.open_branches or isinstance(error, Spoiled)):
                        side = one_sided(world, vm, frame, truth, if_true, if_false)
                    if side is None:
                        raise
    if side is None:
        return False
    frame.pc = if_true if side else if_false
    return True


def _of_place(world: ShadowedWorld, vm: Machine, frame: Frame, value: Any, if_true: int, if_false: int) -> bool:
    """`choose` for the place of an iterator: a branch on sizes is one on data."""
    if not is_symbolic(value):
        return False
    env, before = value.env, value.env.splits
    env.splits = True
    try:
        return choose(world, vm, frame, value, if_true, if_false)
    finally:
        env.splits = before


def one_sided(
    world: ShadowedWorld,
    vm: Machine,
    frame: Frame,
    truth: Any,
    if_true: int,
    if_false: int,
    limit: int | None = None,
    sides: Any = (True, False),
    tries: bool = False,
) -> bool | None:
    """The side on which the program goes on if another of these sides only raises or warns. No path
    around a loop is tried: a side that reaches the next iteration is given up; so is the only exit
    of a loop.

    ``limit``: where the sides meet; a side that gets there is given up, too. ``tries``: try sides
    whatever their instructions look like.
    """
    session, around = world.recorder.session, loop_of(frame.code, frame.pc - 1, (if_true, if_false))
    limits = frozenset(headers_around(frame.code, frame.pc - 1)) | (frozenset() if limit is None else {limit})
    for side, pc, other in ((True, if_true, if_false), (False, if_false, if_true)):
        if side not in sides or (around is not None and (pc == around[1] or not may_end(frame.code, other))):
            continue
        if not (tries or leaves_nothing(frame, pc, other) or may_raise(frame.code, pc, limits | {other})):
            continue
        probe = _Probe(world, vm, frame, pc, other, limits)
        if not probe.run():
            continue
        probe.settle(truth if side else sym_not(truth))
        if probe.raises and world.probe is None:
            session.decide(truth, not side)
        return not side
    return None


def _without_guard(world: ShadowedWorld, vm: Machine, frame: Frame, value: Any, if_true: int, if_false: int) -> bool:
    """Go on after a branch on sizes without a guard, so that the program accepts the sizes of both
    sides; false if a guard decides.

    So is a side skipped that at most warns. Of ``a or b``, where both are truths, the side that
    evaluates ``b`` leaves this truth: what the sides leave is one truth about sizes. A side that
    raises keeps its guard, so that the ranges of a program tell which sizes it accepts, and a
    broken promise is a violation.
    """
    truth = sym_bool(value)
    if type(truth) is not SymBool or known(truth) is not None:
        return False
    if_true, if_false = resolved(frame.code, if_true), resolved(frame.code, if_false)
    if if_true == if_false:
        frame.pc = if_true
        return True
    sides = (True, if_true, if_false), (False, if_false, if_true)
    is_value = bool(frame.stack) and frame.stack[-1] is value  # of `and` and `or`
    truth_at = len(frame.stack) - 1 if is_value and type(value) is SymBool else None
    for side, pc, other in sides:
        probe = _Probe(world, vm, frame, pc, other, truth_at=truth_at) if leaves_nothing(frame, pc, other) else None
        if probe is not None and probe.run() and not probe.raises:
            probe.settle(truth if side else sym_not(truth))
            if probe.value is not None:
                frame.stack[-1] = truth & probe.value if side else truth | probe.value
            frame.pc = other
            return True
    if (is_value and truth_at is None) or loop_of(frame.code, frame.pc - 1, (if_true, if_false)) is not None:
        return False
    return _as_one(world, vm, frame, truth, sides, is_value)


def _as_one(world: ShadowedWorld, vm: Machine, frame: Frame, truth: SymBool, sides: Any, is_value: bool) -> bool:
    """Go on at the test of ``b`` in ``if a and b`` with the truth of the whole, which is one
    condition on sizes and not one for each of its parts. False for other branches.

    ``is_value``: the truth of ``a`` stands on the stack, as in ``(a or b) and c`` of CPython 3.14,
    which goes from ``a`` to ``c``.
    """
    depth = len(frame.stack) - is_value
    for side, pc, other in sides:
        test = next_test(frame.code, pc, other, is_value)
        if test is None:
            continue
        probe = _Probe(world, vm, frame, pc, test.place, truth_at=depth, takes=_TRUTHS if test.stays else _TESTED)
        if not probe.run() or probe.raises or probe.value is None:
            continue
        leads = sym_bool(probe.value) if test.truth else sym_not(probe.value)
        leads = leads is not False and (sym_not(truth) if side else truth) | leads
        if leads is False or (not is_value and type(leads) is SymBool and leads.hint is False):
            continue  # both parts decide: a guard for each says more
        frame.stack[depth:] = [leads if test.truth else sym_not(leads)]
        frame.pc = test.place
        return True
    return False


class _Probe:
    """A run of the side that begins at ``pc``, while the other one begins at ``other``: if it is no
    more than a check, what it records belongs to the surrounding graph.

    ``truth_at``: where on the stack the side may leave a value of the types ``takes``.
    """

    def __init__(
        self,
        world: ShadowedWorld,
        vm: Machine,
        frame: Frame,
        pc: int,
        other: int,
        limits: frozenset[int] = frozenset(),
        *,
        truth_at: int | None = None,
        takes: frozenset[type] = _TRUTHS,
    ) -> None:
        self.world, self.vm, self.frame = world, vm, frame
        self.truth_at, self.takes, self.value = truth_at, takes, None
        self.pc, self.other, self.limits = pc, other, limits
        self.outer = world.probe
        self.nesting: int = 1 if self.outer is None else self.outer.nesting + 1
        self.region = Region(world.recorder, "a side of a branch")
        self.failures: list[Failure] = []
        self.raises = False  # whether the side ends with an exception

    def run(self) -> bool:
        """Whether the side only raises, warns, or does nothing; otherwise everything is undone."""
        if self.nesting > _MOST_NESTED:
            return False
        env, steps = self.world.recorder.session.env, self.vm.steps
        facts, guards = env.facts, list(env.guards)
        if facts.ranges:
            env.facts = facts.copy()
        self.world.probe = self
        try:
            self._run()
            if len(env.guards) == len(guards) and all(map(is_quiet, self.region.nodes)):
                self.region.keep()
                return True
        except (Spoiled, InternalError):
            raise
        except (ExportError, Passed, Suspended):
            pass
        finally:
            self.world.probe, self.vm.steps = self.outer, steps
        env.facts, env.guards = facts, guards
        return False

    def _run(self) -> None:
        frame = self.frame
        changed = self.world.outside.paths()
        with snapshot(self.world, self.vm) as taken:
            changes = None
            try:
                with self.region:
                    frame.pc = self.pc
                    ended = run_until(self.vm, frame, self.other, limits=self.limits, most=_MOST_STEPS)
                    changes = self._changes(taken)
                    if not self._leaves_nothing(ended, dict(changes), taken):
                        raise GivenUp
                    if ended.error is not None:
                        failure = failure_of(self.world, self.vm, frame, ended, changed)
                        if failure is None:
                            raise GivenUp
                        self.failures.append(failure)
                        self.raises = True
            finally:
                taken.restore(changes)

    def _changes(self, taken: Snapshot) -> dict[int, Change]:
        try:
            return taken.require_none_dropped(taken.changes())
        except Changed as changed:
            raise Spoiled("E103", f"a branch depends on data, and one side {changed}") if taken.spoiled else GivenUp from None

    def _leaves_nothing(self, ended: Ended, changes: dict[int, Change], taken: Snapshot) -> bool:
        """Whether the other side finds everything that it reads unchanged; if the side raises:
        whether everything outside is unchanged.
        """
        if taken.written_names():
            return False
        if ended.error is not None:
            return not changes_by_now(self.world, [change.owner for change in changes.values()], ())
        mine = changes.pop(id(self.frame), None)
        if ended.handler is not None or self.frame.pc != self.other or changes:
            return False
        if mine is None:
            return True
        (old, state), (new, state_now) = mine.before, mine.after
        count, before, after = len(self.frame.fast), list(old.values), list(new.values)
        if self.truth_at is not None and len(after) == count + self.truth_at + 1 and type(after[-1]) in self.takes:
            self.value = after.pop()
            del before[len(after) :]
        if len(before) != len(after) or state.values[0] is not state_now.values[0]:
            return False
        bound = [slot for slot, (a, b) in enumerate(zip(before, after, strict=True)) if a is not b]
        return not any(slot >= count or is_read(self.frame, slot, self.other) for slot in bound)

    def settle(self, condition: Any) -> None:
        """Record what the side raises and warns of. Inside another side this is left to the outer
        one, under both conditions.
        """
        for failure in self.failures:
            emit(self.world, failure._replace(conditions=(condition, *failure.conditions)))


# What is recorded on a side


def is_quiet(node: Node) -> bool:
    """Whether the call neither raises nor warns, for any data."""
    op = node.target
    if not isinstance(op, Op) or "raises" in node.meta:
        return False
    if op.namespace in ("sym", "py") or "view" in op.traits or op.is_quiet(*node.args, **node.kwargs):
        return True
    metas = [operand.meta["val"] for operand in (node, *node.all_input_nodes)]
    return (
        op.namespace == "np" and "divides" not in op.traits and all(not isinstance(m, TensorMeta) or m.dtype.kind in "biu" for m in metas)
    )
