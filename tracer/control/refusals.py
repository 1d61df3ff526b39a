"""Why a loop on data is not captured."""

from __future__ import annotations

from collections import deque
from typing import Any

from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.core.filled_dict import SETS, TABLES, is_key
from npexport.tracer.diagnostics.hints import RECURS
from npexport.tracer.effects.parts import Part, same_keys
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Frame
from npexport.tracer.interpreter.loop_analysis import innermost, is_never_left
from npexport.tracer.interpreter.tail_calls import note_recursion

TEXTS = (
    "Collect the parts of a text in a list, as numbers or as texts that are known (parts.append(v), parts.append('x')), and return it: "
    "the text is written where the function is called, ''.join(map(str, parts))."
)
"""The hint for a text that iterations make longer."""


class Refused(Unsupported):
    """The loop is not captured; ``what`` follows "the loop". ``first``: the first iteration is
    unlike the next, but later ones may be alike. ``resizes``: iterations change the size of an
    array, and nothing else is known to stand in the way.
    """

    REWRITE = "Let iterations leave what they found, of one kind and size: fill an array made before the loop, no container that grows."

    def __init__(self, what: str, first: bool = False, hint: str | None = None, resizes: bool = False) -> None:
        super().__init__("E103", f"a loop depends on data, and cannot be one node: {what}", hint=hint or self.REWRITE)
        self.what, self.first, self.resizes = what, first, resizes


class Unfinished(Refused):
    """An exception in the loop would leave the exported object changed in part, which the next call
    must find, or raise.
    """


class Held(Refused):
    """A list gets longer or shorter on a side of a branch or in a loop, and is not the call's
    alone. ``outside``: whether it existed before the call.
    """

    def __init__(self, path: str, outside: bool) -> None:
        reason = "existed before the call" if outside else "is held by more than variables"
        super().__init__(f"`{path}` changes its length, and {reason}: fill an array that is made before it")
        if outside:
            self.message = f"`{path}`, which existed before the call, gets longer or shorter as data say"
            self.hint = _COLLECT.format(path=path if path.replace(".", "").isidentifier() else "the_list")


_COLLECT = (
    "Collect what is found in a list of the call, and return it: found = [] … found.append(value) … return result, found. "
    "Where the function is called, add it: {path} += found."
)


class ListsFromOutside(Held):
    """Data decide which of several lists is taken, and their container is not the call's."""

    def __init__(self) -> None:
        super().__init__("a container of lists", True)
        self.message = "data decide which list of a container is taken that existed before the call"
        self.hint = "Take it from a copy that the function makes: lists = copy.deepcopy(lists); or keep the lists as rows of an array."


class Grows(Refused):
    """A list gets longer or shorter in an iteration. ``target``: the list, or what stands for it.
    ``item``: one of the items that it gets or loses.

    ``most``: a bound on how many it gets, if known. ``widens``: the structure of all its items.
    """

    def __init__(self, path: str, target: Any, item: Any = None, most: Any = 1, widens: Any = None) -> None:
        super().__init__(f"`{path}` changes its length or its keys: fill an array that is made before it")
        self.path, self.target, self.item, self.most, self.widens = path, target, item, most, widens

    def again(self) -> Grows:
        """The same error without its traceback, which holds what the iteration made."""
        return Grows(self.path, self.target, self.item, self.most, self.widens)


MOST_RECORDED = 4
"""The largest number of times that one instruction in a loop is recorded where data decide, in a
run that is followed by one that records fewer iterations.
"""
MOST_CALLED = 24
"""The same of an instruction that no loop is around: of a function that is called often."""
MOST_RUNS_RECORDED = 100
"""The largest number of runs of sides and iterations in such a run, once an instruction in a loop
is recorded again.
"""


def require_few(world: ShadowedWorld, frame: Frame) -> None:
    """Raises `Refused` where data decide again and again at one instruction: a loop is being
    recorded iteration by iteration that may be one node.
    """
    if world.tally.recorded is None or world.iteration is not None:
        return
    world.tally.recorded[frame.code, frame.pc] += 1
    count = world.tally.recorded[frame.code, frame.pc]
    most = MOST_RECORDED if world.tally.runs <= MOST_RUNS_RECORDED else 1
    if count > MOST_CALLED or (count > most and _is_in_loop(frame)):
        note_recursion(world.inlining.recursive, frame)
        world.records_too_much = True
        raise Refused("data decide in each of many iterations")


def _is_in_loop(frame: Frame | None) -> bool:
    """Whether a loop is around an instruction, or around a call in which it runs."""
    while type(frame) is Frame:
        if innermost(frame.code, frame.pc - 1) is not None:
            return True
        frame = frame.back
    return False


MOST_NESTED = 40
"""The largest number of branches on data in each other: more are a loop, or a recursion, whose end
depends on data.
"""
MOST_RUNS = 2000
"""The largest number of sides and iterations that are run within others while a program is
exported, however often it is: they multiply where paths do not meet. Those that stand in no others
are not counted.
"""
MOST_ALIKE = 60
"""The same, if the program is refused as it was in an earlier run."""
MOST_RECURSED, DEEPEST = 200, 12
"""The largest number of branches in one that stands in no other, where a function calls itself so
often that it is no recursion of a known depth.
"""
MOST_MULTIPLIED, DEEP = 500, 4
"""The largest number of runs within others (`MOST_RUNS`) where a function calls itself so often
that its paths multiply.
"""
MOST_IN_ITERATION = 300
"""The largest number of branches that are run in one iteration of a captured loop."""


def count_run(world: ShadowedWorld) -> None:
    """Count a run of the sides of a branch, or of an iteration, within others. Raises
    ``Unsupported`` where there were too many.
    """
    world.tally.runs += bool(world.recorder.regions)
    if world.tally.runs > MOST_RUNS:
        without_end = f"more than {MOST_RUNS} others were run within such branches: their paths do not meet"
        raise Unsupported("E103", f"a branch depends on data, and {without_end}")


def endless(world: ShadowedWorld) -> Unsupported:
    """The error for a loop on data that no path leaves, whatever data say: no other way to run what
    is around it gives it an end.
    """
    world.endless = True
    return Unsupported("E103", "a loop depends on data, and no path leaves it", hint=_ENDLESS)


def require_end(world: ShadowedWorld) -> None:
    """Raises ``Unsupported`` once an `endless` loop was met."""
    if world.endless:
        raise endless(world)


def count_endless(world: ShadowedWorld, frame: Frame) -> None:
    """Raises ``Unsupported`` where data decide again and again in a loop that only an exception of
    what it calls would end.
    """
    if is_never_left(frame.code, frame.pc - 1):
        world.tally.around_again[frame.code, frame.pc] += 1
        if world.tally.around_again[frame.code, frame.pc] > MOST_AROUND:
            raise endless(world)


MOST_AROUND = 100
"""The largest number of times that one instruction of such a loop is recorded where data decide."""


_ENDLESS = "Let a test that data decide end it (`break`, `return`): run as it is, the function would not return."


def require_few_around(world: ShadowedWorld, frame: Frame) -> None:
    """Raises ``Unsupported`` where loops on data begin in each other without end, as those of
    functions that call each other do.
    """
    if len(world.recorder.regions) > MOST_NESTED:
        note_recursion(world.inlining.recursive, frame)
        what = f"{MOST_NESTED} loops and branches on data are around it: a recursion ends when the data say so"
        raise Unsupported("E103", f"a loop depends on data, and {what}")


def _recursed(frame: Frame | None) -> int:
    """How many calls of a function run within each other."""
    code, count = frame.code if frame is not None else None, 0
    while type(frame) is Frame:
        count, frame = count + (frame.code is code), frame.back
    return count


def require_few_within(world: ShadowedWorld, frame: Frame) -> None:
    """Raises ``Unsupported`` where branches on data stand in each other without end, or multiply:
    what follows paths that do not meet is part of each, and run again for each.
    """
    require_end(world)
    if world.tally.open_branches >= MOST_NESTED:
        note_recursion(world.inlining.recursive, frame)
        what = f"{MOST_NESTED} such branches are nested: a loop or a recursion ends when the data say so"
        raise Unsupported("E103", f"a branch depends on data, and {what}")
    recursed = _recursed(frame) if world.tally.nested > MOST_RECURSED or world.tally.runs > MOST_MULTIPLIED else 0
    if (world.tally.nested > MOST_RECURSED and recursed > DEEPEST) or (world.tally.runs > MOST_MULTIPLIED and recursed > DEEP):
        world.tally.recurs = True
    if world.tally.recurs:
        raise Unsupported("E103", f"a branch depends on data, and {RECURS}")
    count_run(world)
    world.tally.nested = world.tally.nested + 1 if world.tally.open_branches else 0


def require_same_length(path: str, owner: Any, old: Part, new: Part) -> None:
    """Raises `Grows` for a list or a deque that got longer, or shorter, and for a dict or a set
    that has other keys, numbers or texts all of them.
    """
    if type(owner) in TABLES:
        rows = [
            [(key,) for key in part.values] if type(owner) in SETS else [*zip(part.keys, part.values, strict=True)] for part in (old, new)
        ]
        if rows[1] and all(is_key(key, True) for key, *_ in (*rows[0], *rows[1])):
            raise Grows(path, owner, rows[1][-1])
    count = len(new.values) - len(old.values)
    if count and type(owner) in (list, deque):
        raise Grows(path, owner, (new if count > 0 else old).values[-1], int(count > 0))


def require_even(path: str, owner: Any, before: tuple[Part, ...], *sides: tuple[Part, ...]) -> None:
    """Raises `Grows` for a list that a side of a branch makes longer or shorter, and for a dict or
    a set that has other keys after one side than after the other.
    """
    uneven = type(owner) in TABLES and not same_keys(*[parts[0].keys for parts in sides])
    for parts in sides if uneven or type(owner) in (list, deque) else ():
        for old, new in zip(before, parts, strict=True):
            require_same_length(path, owner, old, new)
