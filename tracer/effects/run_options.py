"""How one run of a program is traced."""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Any, NamedTuple

from npexport.symshapes.errors import Location
from npexport.tracer.effects.set_order import Orders
from npexport.tracer.effects.settled import NOTHING_SETTLED, Settled
from npexport.tracer.interpreter.inlining import Inlining


class Completeness(IntEnum):
    """How much of what a run gives its program has to hold: all of it, what a program can hold of
    it, or nothing.
    """

    WHOLE, POSSIBLE, NOTHING = range(3)


class RunOptions(NamedTuple):
    """The options of one run; those of `npexport.export` that every run has are among them.

    ``make_vm`` makes the VM for a world. ``orders``: the orders of sets that the program iterates
    over; ``settled``: the world in which the call runs. ``static_scalars``: NumPy scalars among the
    inputs are part of the program. ``fixed``: the sizes that are constants, each with the reason
    and the line that needs it; ``promised``: whether a `Dim` among them is still a promise.
    ``preserved``: the modules whose signatures are kept. ``strict``: C callables of which nothing
    is known are refused. ``prefer_deferred``: what no `Dim` can say of sizes is checked at the
    call. ``completeness``: of the program.

    ``captures``: branches on data may become part of the program. ``counts``: so may loops over
    dynamic sizes (1), also with numbers that are Python's before an iteration and NumPy's after it
    (2), and with arrays that change their sizes (3). ``unroll``: so may loops of more iterations
    than this (``None``: no others). ``inlining``: the loops that run with other code than the
    compiler's. ``shares``: what follows a branch with paths that leave early is recorded once
    (`npexport.tracer.control.sections`). ``asks``: instructions examine their operands for values
    that are one of several. ``places``: how many items are taken of an iterator may depend on data.
    ``splits``: a branch on sizes is one on data. ``tabulates``: a dict
    with texts as keys, of which the data decide which it has, becomes a table of rows where these
    are alike.

    ``captured``: what earlier runs have found out about loops on data
    (`npexport.tracer.control.earlier_captures`), by code and instruction; ``runs``: how many sides
    and iterations they have run (`npexport.tracer.control.refusals`).

    ``interrupts``: if an exception leaves the exported object changed in part, so that no call can
    begin with it, the next call raises; ``marks``: the program takes note of that, else the trace
    does. ``loses``: writes to what is neither the exported object nor an input are not effects.
    ``unties``: names of one array of the exported object may become names of several.
    """

    make_vm: Callable[[Any], Any] | None = None
    orders: Orders | None = None
    settled: Settled = NOTHING_SETTLED
    static_scalars: bool = False
    fixed: Mapping[str, tuple[str, tuple[Location, ...]]] = types.MappingProxyType({})
    promised: bool = True
    preserved: tuple[str, ...] = ()
    strict: bool = True
    prefer_deferred: bool = False
    completeness: Completeness = Completeness.WHOLE
    captures: bool = True
    counts: int = 3
    unroll: int | None = None
    inlining: Inlining | None = None
    shares: bool = True
    asks: bool = False
    places: bool = False
    splits: bool = False
    tabulates: bool = True
    captured: Mapping[Any, Any] = types.MappingProxyType({})
    runs: int = 0
    interrupts: bool = False
    marks: bool = True
    loses: bool = False
    unties: bool = False


DEFAULT_OPTIONS = RunOptions()


class Unrolling:
    """Which loops of a known number of iterations are recorded iteration by iteration: those of at
    most ``most``, or all if it is ``None``. ``longest``: the largest number of such a loop so far.
    """

    def __init__(self, most: int | None) -> None:
        self.most, self.longest = most, 0

    def is_large(self, count: int) -> bool:
        """Whether a loop of so many iterations is not recorded like that."""
        large = self.most is not None and count > self.most
        self.longest = self.longest if large else max(self.longest, count)
        return large


class Tally:
    """How often branches and loops on data were run, by which `npexport.tracer.control.refusals`
    ends a run. ``runs``: the sides and iterations so far, those of earlier runs included.
    """

    def __init__(self, runs: int) -> None:
        self.runs = runs
        self.refused = Counter[Any]()  # attempts at loops on sizes that failed, by code and instruction
        self.around_again = Counter[Any]()  # branches on data in loops that have no exit, likewise
        self.recorded: Counter[Any] | None = None  # branches on data outside loops on data, likewise, if few are allowed
        self.left: list[Any] = []  # loops on data that were left in two ways, while these are run: frame and header
        self.open_branches = 0  # whose sides are being run
        self.prolonged = 0  # those of them that run on behind the point where the sides meet
        self.nested = 0  # branches on data that were run on the sides of the last one that stood in no other
        self.divided = 0  # branches run in the iteration of a captured loop
        self.recurs = False  # whether calls recur as deep as data say
