"""``explain``: every problem of a program that one or a few runs can reach."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, cast

from npexport.ir.atomic import replace_file
from npexport.ir.program import ExportedProgram
from npexport.symshapes.errors import ExportError, Unsupported, as_public
from npexport.symshapes.interrupts import raising_interrupts
from npexport.symshapes.parameters import PATH, FilePath, takes
from npexport.symshapes.solver import needed_guards
from npexport.tracer.diagnostics import hints
from npexport.tracer.diagnostics.provenance import without_inputs
from npexport.tracer.driver.assemble import LeftOver, assemble, output_problems, watch
from npexport.tracer.driver.calls import DECISIONS, later_calls, program_of_calls
from npexport.tracer.driver.determinism import require_one_order
from npexport.tracer.driver.export import UNROLLED
from npexport.tracer.driver.exported_programs import exported_again
from npexport.tracer.driver.inputs import Inputs, read_inputs
from npexport.tracer.driver.recovery import DiagnosingVM, Place, Unknown
from npexport.tracer.driver.trace import Trace, UserException
from npexport.tracer.driver.user_exceptions import program_raises
from npexport.tracer.effects.outcome import outcome, problem
from npexport.tracer.effects.run_options import RunOptions
from npexport.tracer.effects.set_order import Orders
from npexport.tracer.effects.thread_context import Ambient

_RUNS = 12
_STEPS = 200_000


@dataclass
class Explanation:
    """What ``explain`` found; its text is a report for people.

    Attributes
    ----------
    problems : list of ExportError
        One error for each problem, with its code, place and hint.
    guards : tuple
        What the program would demand of sizes; where it is refused, what it demands as far as it
        goes.
    graph : object or None
        The graph, as far as it goes.
    inputs : tuple
        The graph's nodes of the arguments' leaves; its other placeholders are lifted.
    report : object or None
        What else there is to say of an export that succeeds.
    ok : bool
        Whether ``export`` succeeds.

    Examples
    --------
    >>> import numpy as np
    >>> from npexport import explain
    >>> explain(np.sin, (np.zeros(3),)).ok
    True
    """

    problems: list[ExportError] = field(default_factory=list)
    guards: tuple[Any, ...] = ()
    graph: Any = None
    report: Any = None
    inputs: tuple[Any, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether ``export`` succeeds."""
        return not self.problems

    @takes(path=PATH.optional)
    def to_html(self, path: FilePath | None = None) -> str:
        """The explanation as one HTML file that needs no network: each problem with its line and
        what to write instead, and the source beside the graph as far as it goes.

        Parameters
        ----------
        path : str or os.PathLike, optional
            Where to write it.

        Returns
        -------
        str
            The text of the file.
        """
        lifted = {node.name for node in self.graph.placeholders if node not in self.inputs} if self.graph is not None else ()
        text: str = import_module("npexport.ir.html").explanation(self.problems, self.guards, self.graph, lifted)
        if path is not None:
            replace_file(path, text.encode())
        return text

    def __str__(self) -> str:
        if self.ok:
            lines = ["The program can be exported."]
        else:
            count = len(self.problems)
            lines = [f"{count} problem{'s' * (count != 1)}:"]
            by_code: dict[str, list[ExportError]] = {}
            for found in self.problems:
                by_code.setdefault(found.code, []).append(found)
            lines += ["\n" + str(found) for group in by_code.values() for found in group]
        if self.guards:
            lines += ["", "Guards:", *(f"  {guard}" for guard in self.guards)]
        return "\n".join(lines)


@raising_interrupts()
def explain(f: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None, *, dynamic_shapes: Any = None) -> Explanation:
    """List what stands in the way of ``export``: every problem within reach, not only the first.

    A refused operation counts as giving an unknown value, and both sides of a branch on data are
    looked at. Nothing of the caller's is changed.

    Parameters
    ----------
    f : callable
        What would be exported.
    args : tuple, optional
        Positional example inputs, as for ``export``.
    kwargs : dict of str, optional
        Example inputs by keyword.
    dynamic_shapes : optional
        Which sizes may vary, as for ``export``.

    Returns
    -------
    Explanation
        Its text is a report; ``problems`` holds an ``ExportError`` for each problem.

    Raises
    ------
    Exception
        Whatever ``f`` itself raises and does not catch. Nothing is raised for what is unsupported.

    Examples
    --------
    >>> import numpy as np
    >>> from npexport import explain
    >>> def f(x):
    ...     if x.sum() > 0:
    ...         print(x)
    ...     return x * len(bin(int(x.max())))
    >>> [problem.code for problem in explain(f, (np.ones(3),)).problems]
    ['E114', 'E104']
    """
    explanation = Explanation()
    try:
        inputs = read_inputs(f, args, kwargs)
        same = exported_again(f, inputs, dynamic_shapes, False)
    except ExportError as error:
        explanation.problems.append(error)
        return explanation
    if same is not None:
        users = [node for node, spec in zip(same.graph.placeholders, same.graph_signature.input_specs, strict=True) if spec.target is None]
        return Explanation([], tuple(same.guards), same.graph, same.report, tuple(users))
    explorer = _Explorer(f, inputs, dynamic_shapes, explanation, UNROLLED)
    explorer.run()
    if explorer.rolled and not explanation.ok:  # as ``export``, which tries again
        explanation = Explanation()
        _Explorer(f, inputs, dynamic_shapes, explanation, None).run()
    return explanation


class _Explorer:
    """Runs the program several times, each branch on data once in each direction."""

    def __init__(self, f: Any, inputs: Inputs, dynamic_shapes: Any, explanation: Explanation, unroll: int | None) -> None:
        self.f = f
        self.inputs = inputs
        self.dynamic_shapes = dynamic_shapes
        self.explanation = explanation
        self.unroll = unroll
        self.rolled = False  # whether a loop of a known number of iterations became one node
        self._seen: set[Any] = set()

    def run(self) -> None:
        plans: list[dict[Place, bool]] = [{}]
        explored: set[Place] = set()
        for index in range(_RUNS):
            if index >= len(plans):
                break
            ambient = Ambient()
            branches = ambient.run(functools.partial(self._once, plans[index]))
            left = ambient.problem()
            if left is not None:
                self._found(left)
            for place in branches:
                if place not in explored:
                    explored.add(place)
                    plans.append({**plans[index], place: False})

    def _once(self, plan: dict[Place, bool]) -> dict[Place, int]:
        trace = self._make(make_vm=lambda world: DiagnosingVM(world, self._found, plan, _STEPS))
        vm = cast(DiagnosingVM, trace.vm)
        if self.explanation.graph is None:
            self.explanation.graph, self.explanation.report = trace.graph, trace.report
        with trace.session.activate():
            self._collect(lambda: self._finish(trace, trace.run(), vm), vm)
        if self.explanation.graph is trace.graph:
            self.explanation.inputs = tuple([leaf.node for leaf in trace.leaves])
            if not self.explanation.ok:
                self.explanation.guards = tuple(needed_guards(trace.env.guards, trace.env))
        self.rolled |= trace.world.rolled
        return dict(vm.branches)

    def _finish(self, trace: Trace, result: Any, vm: DiagnosingVM) -> None:
        if vm.recovered or isinstance(result, Unknown):
            self._effects(trace)
            self._outputs(trace, result)
            return
        try:
            program = assemble(trace, result)
        except Unsupported:
            if not self._outputs(trace, result):
                raise
            self._effects(trace)
            return
        except LeftOver as left:
            try:
                program = later_calls(trace, left.writes, functools.partial(trace.again, make_vm=None))
            except ExportError as error:
                if error.code in DECISIONS:
                    self._found(error)
                else:
                    self._effects(trace)
                return
        self.explanation.guards = tuple(program.guards)
        require_one_order(list(trace.world.orders.places), program, self._again)

    def _outputs(self, trace: Trace, result: Any) -> bool:
        """Whether leaves of the result cannot be given back: each is a problem."""
        errors = list(output_problems(trace, result))
        for error in errors:
            self._found(error)
        return bool(errors)

    def _make(self, **options: Any) -> Trace:
        return Trace(self.f, self.inputs, self.dynamic_shapes, RunOptions(unroll=self.unroll, interrupts=True, **options))

    def _again(self, orders: Orders) -> ExportedProgram:
        return program_of_calls(self._make(orders=orders))

    def _effects(self, trace: Trace) -> bool:
        """Whether the run wrote what no program can write.

        Of several writes to one object in one line the first is a problem.
        """
        writes = outcome(trace, self._found).writes
        if not writes:
            return False
        vm = cast(DiagnosingVM, trace.vm)
        stacks = watch(trace, writes, functools.partial(DiagnosingVM, found=lambda problem: None, plan=vm.plan, step_limit=_STEPS))
        told: set[Any] = set()
        for write in writes:
            stack = write.stack or stacks.get(write.path, ())
            place = (id(write.owner), stack)
            if write.name is not None or place not in told:
                told.add(place)
                self._found(problem(trace.world, write, stack))
        return True

    def _collect(self, act: Callable[[], None], vm: DiagnosingVM) -> None:
        try:
            act()
        except ExportError as error:
            self._found(error)
        except UserException as carrier:
            if not vm.recovered:  # otherwise it may only follow from what was left unknown
                self._found(program_raises(carrier.error))

    def _found(self, error: ExportError) -> None:
        key = (error.code, error.location, without_inputs(error.message))
        if key not in self._seen:
            self._seen.add(key)
            hints.fit(error)
            self.explanation.problems.append(as_public(error))
