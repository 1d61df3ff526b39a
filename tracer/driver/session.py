"""One export in progress: what the parts of the tracer share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any, NamedTuple, NoReturn

import numpy as np

from npexport.ir import ops
from npexport.ir.error_states import KINDS, WARNINGS, State, state_of
from npexport.ir.facts import Count
from npexport.ir.graph import Graph, GraphModule
from npexport.ir.op import Op
from npexport.ir.ops.control import class_of
from npexport.ir.ops.fresh import fresh_numbers
from npexport.ir.raising import TooLarge, categories, may_meet_errors
from npexport.symshapes import expr as E
from npexport.symshapes.env import ShapeEnv, known
from npexport.symshapes.errors import Location, Unsupported, blamed
from npexport.symshapes.functions import sym_not
from npexport.symshapes.symint import SymBool
from npexport.tracer.arrays.core.current import CURRENT
from npexport.tracer.arrays.core.data_dependent_errors import OF_SIZES, Errors, may_warn, text_of
from npexport.tracer.arrays.core.proxy import ArrayProxy, sizes_of
from npexport.tracer.arrays.core.recorder import Recorder
from npexport.tracer.arrays.core.regions import Attempt
from npexport.tracer.arrays.core.texts import DataText
from npexport.tracer.control.failures import Passed, at_the_end
from npexport.tracer.diagnostics import hints
from npexport.tracer.driver.world import TracingWorld
from npexport.tracer.effects.checkpoints import Left
from npexport.tracer.effects.host_warnings import hearing, listening
from npexport.tracer.effects.snapshots import Spoiled, snapshot
from npexport.tracer.interpreter.attempts import Decided, MessageOfData, Undecided, keeps, made
from npexport.tracer.interpreter.flow_graph import forget_unread
from npexport.tracer.interpreter.frame import Frame, Machine, Run
from npexport.tracer.interpreter.handler_analysis import RAISES_AGAIN, Busy, busy, catching, getter, passing, reads_an_item
from npexport.tracer.interpreter.join_points import GivenUp, called
from npexport.tracer.interpreter.program import running

_OF_ARRAYS = ("np", "nn", "scipy")
_OF_FORMS = ("read-only", "are valid indices", "arrays used as indices must be")
"""What errors say that are about flags and forms of indices."""
_NUMBER = re.compile(r"\b\d")  # "float64" holds none
_STATES = "Say what `{op}` raises, where it is declared: custom_op(name, raises=(ValueError,)), or opaque(function, fake, raises=...)."
_LOCATIONS = 100
"""The largest number of locations that a node keeps: with all of them, a recursion over arrays
would take memory quadratic in its depth.
"""


def _leaves_states(op: Op) -> bool:
    """Whether a draw that raises has drawn nothing."""
    return op.namespace == "random" and "draws_first" not in op.traits


_ASKS = "the program asks for a variable that was not read again when"
_forgotten = partial(Unsupported, "E103", f"{_ASKS} an array was written to which may share its memory")
_put_away = partial(Unsupported, "E103", f"{_ASKS} what it held was put into a list, or a loop took over its iterator")


def _is_array(value: Any) -> bool:
    return type(value) is ArrayProxy


def _of_any(vm: Machine, errors: Errors) -> Any:
    return catching(vm, vm.frame, errors, unsure=True)


def _of_all(vm: Machine, errors: Errors) -> Any:
    return getter(vm, vm.frame, errors, unsure=True)


class _Way(NamedTuple):
    """A way of an exception out of the program: the frame from which on handlers see it, and the
    outside places that those before have put back.
    """

    start: Frame
    restored: frozenset[str]


class Session:
    """``vm`` answers for the source locations and runs calls; ``world`` knows what the program did
    to warnings and errors.

    ``module_stack()`` is the ``nn_module_stack`` of a new node: dotted path -> class name,
    outermost first. ``definition()`` is where the function begins: the place of nodes that only its
    result needs. ``progress()`` is what the program has written so far.
    """

    def __init__(
        self,
        vm: Machine,
        *,
        env: ShapeEnv,
        world: TracingWorld,
        module_stack: Callable[[], dict[str, str]] = dict,
        definition: Callable[[], tuple[Location, ...]] = tuple,
        progress: Callable[[], Any] = lambda: None,
    ) -> None:
        self.vm = vm
        self.env = env
        self.world = world
        self.module_stack = module_stack
        self.definition = definition
        self.progress = progress
        self.on_node: Callable[[Any], None] | None = None  # called for every node, if somebody is watching
        self.recorder = Recorder(Graph(), self)
        self.decided: dict[Any, bool] = {}  # truths of the data that the program has checked
        self._ignoring = False  # whether what is recorded ignores all floating-point errors
        self._holds_items = False  # whether it makes room for items of lists
        self.counts: dict[Any, Any] = {}  # the sizes that depend on data, by what they count

    def stack(self) -> tuple[Location, ...]:
        """The user's locations, innermost last."""
        return self.vm.stack(_LOCATIONS) or self.definition()

    def forget_unread(self, places: tuple[int, ...] = ()) -> None:
        """Let go of the arrays that only variables hold which the program does not read again, if
        the data decide which arrays share memory. In a sub-graph nothing is let go: what it is made
        of stays. ``places``: where the innermost frame goes on, if it is not where it stands.
        """
        frame = self.vm.frame if self.recorder.may_alias and not self.recorder.regions else None
        while frame is not None:
            forget_unread(frame, _is_array, places or (max(frame.pc - 1, 0), frame.pc), _forgotten)
            frame, places = frame.back, ()

    def is_held(self, value: Any) -> bool:
        """Whether the program can still reach a list or an iterator; variables that it does not
        read again let go of it.
        """
        frame = self.vm.frame
        while frame is not None:
            forget_unread(frame, lambda held: held is value, (max(frame.pc - 1, 0), frame.pc), _put_away)
            frame = frame.back
        return not self.world.alone(self.vm, value)

    def is_temporary(self, array: Any) -> bool:
        """Whether nothing but the expression that is being evaluated holds an array."""
        with snapshot(self.world, self.vm) as now:
            return not now.holds(array)

    def in_a_try(self) -> bool:
        """Whether the program may be in a ``try``."""
        frame = self.vm.frame
        return frame is not None and (frame.tried or bool(frame.info.tries))

    def invoke(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call of a Python function, which is interpreted."""
        return self.vm.run(fn, args, kwargs)

    def error_state(self, op: Op, args: Iterable[Any]) -> tuple[tuple[str, ...], State]:
        """The floating-point errors that the program has made exceptions, and its settings for
        others, if the operator may meet them.
        """
        actions = dict.fromkeys(KINDS, "ignore") if self._ignoring else self.world.errors.current()
        if not (actions or self.world.filtering) or not may_meet_errors(op, args):
            return (), ()
        ignored = self.world.ignored_warnings(categories(op, args))
        if ignored is None and op.home:
            self._refuse_filters(op)
        actions = {**actions, WARNINGS: ignored} if ignored else actions
        return tuple([kind for kind in KINDS if actions.get(kind) == "raise"]), state_of(actions)

    def traps(self) -> bool:
        """Whether floating-point errors are exceptions now."""
        return not self._ignoring and "raise" in self.world.errors.current().values()

    @contextmanager
    def ignoring_errors(self) -> Iterator[None]:
        """Inside the block, what is recorded ignores floating-point errors."""
        self._ignoring = True
        try:
            yield
        finally:
            self._ignoring = False

    @contextmanager
    def holding_items(self) -> Iterator[None]:
        """Inside the block, room is made for as many items as lists have, or get: no list has so
        many that no array holds them, so no handler of the program waits for what is raised then.
        """
        before, self._holds_items = self._holds_items, True
        try:
            yield
        finally:
            self._holds_items = before

    def not_caught(
        self, op: Op, args: tuple[Any, ...], errors: Errors, conditions: list[Any], attempt: Attempt | None, made: Any
    ) -> Errors:
        """Those of the exceptions that leave the program.

        Raises ``Unsupported`` (E126) if the program expects what the operator raises for some data
        only: `Undecided` if it can go both ways. ``attempt``: what the program knows of the
        exception. ``conditions``: the operator also raises if one of these does not hold for the
        sizes; if the program would catch that, they become guards.
        """
        if not (errors or conditions or self.world.filtering):
            return errors
        if self.world.filtering and may_warn(op, args, made):
            self._require_plain_filters(op, args)
        if conditions and not self._holds_items and (running.nested or _of_any(self.vm, OF_SIZES)):  # C may catch it, too
            for condition in conditions:
                if condition.hint is not None:
                    bool(condition)
            if any(condition.hint is None for condition in conditions):
                errors = tuple(dict.fromkeys((*errors, *OF_SIZES)))
        if any(type(arg) is GraphModule for arg in args):  # each call in the graphs was looked at where it stands
            return errors
        if errors and running.finalising:
            raise Unsupported("E126", f"`{op}` raises for some data and not for others, in a generator that is finalised: that is ignored")
        if any(issubclass(IndexError, error) for error in errors) and reads_an_item(self.vm.frame):
            raise Unsupported("E126", f"`{op}` raises IndexError for some data and not for others, which ends an iteration of C")
        of_arrays = op.namespace in _OF_ARRAYS
        find = _of_any if of_arrays else _of_all
        found = find(self.vm, errors) if errors else None
        if found is None:
            return errors
        frame, index = found[:2]
        line = frame.info.decoded.location(frame.code, index).line
        names = " or ".join(error.__name__ for error in errors)
        again = frame.info.decoded.instructions[index].name in RAISES_AGAIN
        does = "does something before it raises that again, and may raise another" if again else "would catch it"
        message = f"`{op}` raises {names} for some data and not for others, and line {line} of `{frame.code.co_name}` {does}"
        of_program = (
            of_arrays or op.home or op.namespace == "py" or op is ops.sym.element or _leaves_states(op) or bool(passing(self.vm, errors))
        )
        if attempt is None or not self._runs_again() or Exception in errors or TooLarge in errors or not of_program:
            raise Unsupported("E126", message, hint=_STATES.format(op=op) if op.home and op.raises is None else None)
        return self._decided(errors, attempt, message, find, op)

    def require_unexpected(self, error: type[BaseException], what: str) -> None:
        """Raises ``Unsupported`` (E126) if a handler of the program gets this exception, which what
        is done for it may raise, and the program itself does not.
        """
        if getter(self.vm, self.vm.frame, (error,), unsure=True) is not None:
            raise Unsupported("E126", f"{what}, which raises {error.__name__}, and a handler of the program would get it")

    def _require_plain_filters(self, op: Op, args: tuple[Any, ...]) -> None:
        """Raises ``Unsupported`` (E126) if a warning of the operator is recorded, or goes through
        filters of the program that do more than ignore it.
        """
        if self.world.keeps_warnings() or (self.world.ignored_warnings(categories(op, args)) is None and may_meet_errors(op, args)):
            self._refuse_filters(op)

    def _refuse_filters(self, op: Op) -> NoReturn:
        what = "records warnings" if self.world.keeps_warnings() else "has filters of its own for warnings"
        hint = "Use np.errstate; filters that ignore warnings, of a category or by a plain message, are captured, too."
        raise Unsupported("E126", f"the program {what}, and `{op}` warns for some data and not for others", hint=hint)

    def _runs_again(self) -> bool:
        """Whether the current instruction may run again, once for each way that it can go."""
        return self.world.captures and not running.nested and self.vm.frame is not None and keeps(self.vm.frame)

    def _decided(self, errors: Errors, attempt: Attempt, message: str, find: Any, op: Op) -> Errors:
        """The exceptions that no handler waits for. Raises one that has been decided on, and
        `Undecided` for the first that has not.
        """
        left = []
        for place, error in enumerate(errors, 1):
            if (self.vm.frame, error) in self.world.leaving or find(self.vm, (error,)) is None:
                left.append(error)
                continue
            truth = attempt.number(errors) == place
            decided = known(truth)
            if decided is None:
                decided = self.decided.get(truth.expression)
            if decided is None:
                raise Undecided(message, truth, error, partial(_text, op, error, errors, attempt))
            if decided:
                raise Decided(message, made(message, error, _text(op, error, errors, attempt)))
        return tuple(left)

    def fix_sizes(self, error: Exception, arguments: Any, least: Callable[[], int]) -> None:
        """Make the sizes of a call guards if the program catches what it raised for the example's:
        at others it may succeed, and the error's text contains them. So does the text of what one
        side of a branch raises.

        Errors about types, flags and numbers of axes hold at all sizes from the ``least`` one at
        which they are raised.
        """
        sizes = sizes_of(arguments, shapes=type(error) is not np.exceptions.AxisError)
        if not sizes:
            return
        text = "" if any(type(arg) is MessageOfData for arg in error.args) else str(error)
        of_any_size = isinstance(error, (TypeError, AttributeError)) or any(words in text for words in _OF_FORMS)
        of_any_size = (of_any_size and not _NUMBER.search(text)) or text.startswith("too many indices")
        tells = bool(self.recorder.regions and _NUMBER.search(text))
        if not tells and getter(self.vm, self.vm.frame, (type(error),)) is None:
            return
        if of_any_size:
            few = least()
            plain = [size for size in sizes if str(size.expression) in size.expression.symbols]  # those of inputs
            if few == 0 or (len(plain) == len(sizes) and all(size.hint is not None and bool(size >= few) for size in plain)):
                return
        if any(size.hint is None for size in sizes):
            if tells:
                raise Unsupported("E103", f"the text of what one side raises tells sizes that only the data know: {error}")
            raise Unsupported("E126", f"what {type(error).__name__} is caught depends on sizes that only the data know: {error}")
        for size in sizes:
            bool(size == size.hint)

    def written_before(
        self,
        op: Op,
        errors: tuple[type[BaseException], ...],
        conditions: list[Any],
        attempt: Attempt | None = None,
        *,
        passed: Passed | None = None,
        args: Any = (),
    ) -> Left:
        """What the program has written where an exception of an operator leaves it.

        ``passed``: what it has left already; ``args``: its own arguments, within a tuple, if they
        are known. Raises ``Unsupported`` (E126) if the program would compute more while the
        exception propagates.
        """
        frame = self.vm.current_frame
        graphs = [arg for arg in attempt.call[1] if type(arg) is GraphModule] if attempt is not None else []
        if graphs and self.recorder.regions:  # each node in them was looked at where it stands
            return Left(None, [[] for _ in self.recorder.regions])
        outer = called(frame, None)
        ways: dict[_Way, tuple[type[BaseException], ...]] = {}
        for found, left in list(self._raised_within(graphs)) or [(errors or OF_SIZES, passed)]:
            way = _Way(frame, frozenset()) if left is None else _Way(left.frame.back if left.frame in outer else frame, left.restored)
            ways[way] = (*ways.get(way, ()), *found)
        each = {way: [] if self.world.rehearses else busy(self.vm, way.start, classes) for way, classes in ways.items()}
        told = args
        if any(map(any, each.values())) and attempt is not None and errors and not graphs:
            text = _text(op, errors[0], errors, attempt)  # type: ignore[arg-type]
            told = ((text,),) if text is not None else args
        try:
            ends = [self._left_by(lists, ways[way], way, told[0] if told else ()) for way, lists in each.items()]
            if not all(end.is_like(ends[0]) for end in ends):
                raise GivenUp
            return ends[0]
        except Spoiled:
            raise
        except (GivenUp, Unsupported) as why:
            if not errors and all(condition.hint is not None for condition in conditions):
                for condition in conditions:
                    bool(condition)
                return self._left()
            what = "this line" if op is ops.control.check else f"`{op}`"
            handlers = [found for lists in each.values() for found in lists if found]
            if not handlers:
                raise Unsupported("E112", f"{what} raises for some data, and which exception decides what is changed by then") from None
            frame, target = handlers[0][0]
            line = frame.info.decoded.location(frame.code, target).line
            message = f"{what} raises for some data and not for others, and line {line} of `{frame.code.co_name}` would then still write"
            hint = "Write before the `try` or after it; what a handler writes must be known before the program runs."
            raise Unsupported("E126", message, hint=(isinstance(why, Unsupported) and why.hint) or hint) from None

    def _raised_within(self, graphs: Iterable[GraphModule]) -> Iterator[tuple[tuple[type[BaseException], ...], Any]]:
        """What the nodes of sub-graphs raise that no handler gets, and what it has passed when they
        do.
        """
        for node in [node for module in graphs for node in module.graph.nodes if "raises" in node.meta]:
            inner = [arg for arg in node.args if type(arg) is GraphModule]
            if inner:
                yield from self._raised_within(inner)
            elif node.target is ops.control.check:
                yield (class_of(node.args[1]),), self.recorder.passed.get(node)
            else:
                errors = self.recorder.uncaught.get(node) or node.target.errors(node.args, node.kwargs)  # type: ignore[union-attr]
                yield errors or OF_SIZES, None

    def _left(self, restored: frozenset[str] = frozenset()) -> Left:
        """What the program has written by now, but for what handlers that an exception has passed
        have restored; and what each open sub-graph has changed outside.
        """
        done = self.progress()
        if restored and done is not None:
            done = done._replace(others=[change for change in done.others if change[0] not in restored])
        return Left(done, [region.watch() for region in self.recorder.regions])

    def _left_by(self, lists: list[list[Busy]], errors: tuple[type[BaseException], ...], way: _Way, args: tuple[Any, ...]) -> Left:
        """What the program has written where one of these exceptions leaves it; ``lists``: the busy
        handlers that each comes to. Raises `GivenUp` if that depends on which, or on what the
        handlers compute.
        """
        if not any(lists):
            return self._left(way.restored)
        first, handlers = way.start, lists[0]
        if any(others != handlers for others in lists):
            raise GivenUp
        if any(type(frame.then) is Run for frame in called(first, handlers[-1].frame)):  # C may catch the exception
            raise GivenUp
        now, graph = self._left(), self.recorder.graph

        def raised() -> BaseException:
            unknown = MessageOfData("an exception of data is caught")
            given = [arg if type(arg) in (str, int, float, bool, DataText) else unknown for arg in args or (unknown,)]
            error = BaseException.__new__(errors[0], *given)
            self.vm.raised(error)
            return error

        with at_the_end(self.world, self.vm, first, list(dict.fromkeys(handler.frame for handler in handlers)), raised) as dropped:
            count = len(graph.nodes)
            end = self._left(way.restored)
            used = {node for made in graph.nodes[count:] for node in made.all_input_nodes} | end.nodes()
            if used & dropped:
                raise GivenUp
        inside = [not region.handlers.issuperset(handlers) for region in self.recorder.regions]
        sides = zip(now.changed, end.changed, inside, strict=True)
        return Left(end.done, [after if within else before for before, after, within in sides])

    @contextmanager
    def activate(self) -> Iterator[Session]:
        """While active, this is the session of this thread."""
        token = CURRENT.set(self)
        try:
            with hearing(self.world), fresh_numbers(self._unbacked, self._unbacked_float, self._unbacked_truth):
                yield self
        finally:
            CURRENT.reset(token)

    def listening(self) -> AbstractContextManager[None]:
        """While active, what C warns of is what the program warns of."""
        return listening(self.world)

    def _unbacked(self, low: Any, high: Any, slot: int) -> Any:
        """A size that only the data know: a new one, unless the same thing was counted before."""
        count = self.recorder.inference.count_of(slot)
        if count is None:
            return self._new_unbacked(low, high)
        size = self.counts.get(count.key)
        if size is None:
            if count.extent is not None and (not self.recorder.regions or self.env.agree(*count.extent)):
                low, high = count.extent
            size = low if high is not None and known(low == high) else self._new_unbacked(low, high)
            self.count(count, size, high)
        elif self.env is not None and known(size >= low) is None:  # where it is less, the operator that asks now raises
            self.env.declare((size >= low).expression)
        return size

    def decide(self, truth: SymBool, value: bool) -> None:
        """This truth is known where the program goes on: it has raised where it is another."""
        self.suppose((truth if value else sym_not(truth)).expression)
        if not self.recorder.regions and self.recorder.sizes.about_sizes(truth):
            self.learn([truth if value else sym_not(truth)])

    def suppose(self, truth: E.Bool) -> None:
        """This holds where the program goes on, and so does each part of a conjunction."""
        for part in {truth, *(truth.args if truth.op == "and" else ())}:
            self.decided[part], self.decided[E.negation(part)] = True, False

    def learn(self, conditions: list[Any]) -> None:
        """Where a number does not lie in the bounds that an operator sets, the program has raised:
        from now on it does. Nothing is learned of what says something of sizes of inputs, too, as
        how many of their elements are chosen: such a call is to raise, not to be refused.
        """
        related = {name for guard in self.env.guards for name in guard.truth.symbols if len(guard.truth.symbols) > 1}
        for truth in [condition.expression for condition in conditions]:
            alone = len(truth.symbols) == 1 and truth.symbols.isdisjoint(related | self.env.hints.keys())
            if truth.op == "ge" and alone and not any(self.env.symbols[name].truths for name in truth.symbols):
                self.env.facts.assume(truth)

    def count(self, count: Count, size: Any, total: Any) -> None:
        """Set this size for what is counted; what counts the rest of ``total`` follows."""
        self.counts[count.key] = size
        if count.others is not None:
            self.counts[count.others] = total - size

    def _new_unbacked(self, low: Any, high: Any) -> Any:
        kind = "an integer" if self.recorder.inference.makes_integers() else "a size"
        return self.env.create_unbacked(low, high, f"{kind} that depends on data{self._at_line()}")

    def _unbacked_float(self) -> Any:
        return self.env.create_unbacked_float(f"a float that depends on data{self._at_line()}")

    def _unbacked_truth(self) -> Any:
        return self.env.create_unbacked_truth(f"a truth that depends on data{self._at_line()}")

    def words(self, name: str) -> str | None:
        """The user's expression for a size or number that only the data know."""
        node, axis = self.recorder.sizes.source(name) or (None, None)
        item = node.args[1] if node is not None and node.target is ops.sym.item else None
        text = None if node is None else hints.expression(node.meta.get("stack_trace", ()), item)
        return text if text is None or axis is None else f"{text}.shape[{axis}]"

    def _at_line(self) -> str:
        place = blamed(self.stack())
        return "" if place is None else f" at line {place.line}"


def _text(op: Op, error: type[BaseException], errors: Errors, attempt: Attempt) -> Any:
    """The message of the exception, if it can be known."""
    text = text_of(op, error)
    told = error.__str__ is BaseException.__str__ and not (op.home and Exception in errors)
    return attempt.message(errors) if text is None and told else text
