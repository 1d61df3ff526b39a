"""The virtual machine: an explicit stack of frames, the dispatch loop, and the entry points.

The host never recurses for the user's calls: a call pushes a `Frame`, an operation that needs
several calls leaves a continuation. Only C code that calls Python back starts a nested run.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from npexport.symshapes.errors import ENDS_RUN, ExportError, Location, Unsupported, blamed
from npexport.tracer.interpreter import attempts, attributes, calls, generators, handlers, recursion, specials, throwing  # noqa: F401 (handlers and specials register themselves)
from npexport.tracer.interpreter.blocks import OFTEN, write_function
from npexport.tracer.interpreter.frame import LEAVE, NOTHING, NULL, PUSHED, Bound, Continuation, Frame, Run, Steps, Task, handled_exception
from npexport.tracer.interpreter.program import code_info, running
from npexport.tracer.interpreter.symbolic_union import watch
from npexport.tracer.interpreter.unwind import add_traceback, attach_context, raised_by_program, strip_traceback
from npexport.tracer.interpreter.world import Invoke, World

_DEPTH = 20_000


class VM:
    """Runs functions. One VM serves one thread; nested runs share its frame stack.

    ``step_limit`` bounds the loop iterations and calls of a run (``None``: no bound): beyond it
    ``Unsupported`` (E124) is raised with the line of the loop. ``depth_limit`` bounds nested
    frames: beyond it the program gets a ``RecursionError``. ``on_step`` is called with the frame
    before every instruction, to trace writes and in tests. When a frame of the code ``watched``
    begins, its continuation becomes what ``entering`` returns for the VM, the frame and the
    continuation.
    """

    watched: CodeType | None = None
    entering: Callable[[Any, Frame, Continuation | None], Continuation | None]

    def __init__(
        self, world: World | None = None, *, step_limit: int | None = None, on_step: Callable[[Frame], None] | None = None
    ) -> None:
        self.world = world or World()
        self.tracing = self.world.tracing
        self.frame: Frame | None = None
        self.depth = 0
        self.depth_limit = _DEPTH
        self.runs_given_up = 0
        self.step_limit = step_limit
        self.steps: float = float("inf") if step_limit is None else step_limit
        self.on_step = on_step
        self.types = attributes.TypeTable()
        self.blind = getattr(self.world, "answer", None) is None
        self.follows = recursion.follows(self.tracing, self.blind)

    # -- ways in

    def run(self, fn: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        """Call ``fn`` and run it to completion; returns or raises what the call does."""
        return self._run(lambda result: self.call(fn, args, kwargs or {}, result))

    def run_bound(self, function: FunctionType, localsplus: dict[str, Any]) -> Any:
        """The same for a function whose arguments CPython has bound: ``localsplus`` maps the names
        of its parameters to their values.
        """
        code = function.__code__
        if not code.co_flags & inspect.CO_OPTIMIZED:
            return self.run_code(code, function.__globals__, localsplus, function.__closure__ or ())
        info = code_info(code)
        slots = info.slots[: info.first_free]
        # only the frame holds the list: a generator among its variables is closed as it returns
        return self._run(lambda result: calls.enter_function(self, function, info, [localsplus.get(name, NULL) for name in slots], result))

    def run_generator(self, state: generators.State, value: Any, error: BaseException | None) -> tuple[bool, Any]:
        """Resume a generator for its host object: (whether it returned, what it yielded or
        returned).

        One that outlives its export is dropped, not closed: the program has ended.
        """
        if state.uncertain and state.host() is None:
            self.world.ended_late = state.frame.code.co_name
            return True, None
        if self.tracing and running.vm is None and isinstance(error, GeneratorExit):
            return True, None
        if error is None:
            result = self._run(lambda result: generators.resume(self, state, value, None, result, LEAVE))
        else:
            steps = throwing.throw_for_host(state, error)
            del error  # its traceback will hold this frame
            finalised = state.host() is None  # what it raises is ignored
            running.finalising += finalised
            try:
                result = self._run(lambda result: self.start(steps, result))
            except ExportError as refusal:
                if not finalised:
                    raise
                running.unheard = refusal.with_traceback(None)
                return True, None
            finally:
                running.finalising -= finalised
        return state.finished, result

    def run_code(self, code: CodeType, globals_: dict[str, Any], names: Any, closure: tuple[Any, ...] = ()) -> Any:
        """Run the code of a module, class body or ``exec``."""
        return self._run(lambda result: calls.enter_code(self, code, globals_, names, closure, result))

    def _run(self, start: Callable[[Run], Any]) -> Any:
        result = Run()
        stop, depth, outer = self.frame, self.depth, running.vm
        if outer is None:
            running.limit, running.interrupt, running.unheard = 0, None, None
        else:
            running.nested += 1
        running.vm = self
        try:
            if outer is None:
                running.found = running.limit = recursion.enter(result, self.follows)
            else:
                recursion.nest(running.nested, self.follows)
            value = start(result)
            del start  # it may hold what is raised
            if value is PUSHED:
                (self._loop if self.on_step is None else self._observed_loop)(stop)
            if outer is None and running.unheard is not None:
                raise running.unheard
            if value is not PUSHED:
                return value
        except BaseException as error:
            self._abandon(stop)
            if isinstance(error, ExportError):
                self.locate(error)
                self.runs_given_up += 1
            if running.interrupt is not None and not isinstance(error, ENDS_RUN):
                raise running.interrupt from None  # what a machine that was interrupted meets is not a defect
            raise
        finally:
            running.vm = outer
            self.frame, self.depth = stop, depth
            if outer is not None:
                running.nested -= 1
            else:
                running.interrupt = running.unheard = None
                try:
                    recursion.leave(result, running.limit)
                except BaseException:  # an interrupt of the first call
                    recursion.leave(result, running.limit)
                    raise
        if result.error is not None:
            self._leave(result)
        return result.value

    def _abandon(self, stop: Frame | None) -> None:
        """End the generators whose frames are still on the stack: an interruption of the
        interpreter itself unwinds none of them.
        """
        frame = self.frame
        while frame is not None and frame is not stop:
            if frame.generator is not None:
                frame.generator.end()
            frame = frame.back

    def _leave(self, result: Run) -> None:
        """Raise the error in the host unchanged: raising must not put what the host is handling
        into its ``__context__``.

        Its traceback will hold the frames of the host, which must not hold the error.
        """
        error, result.error = result.error, None
        context = error.__context__  # type: ignore[union-attr]
        try:
            raise error  # type: ignore[misc]
        finally:
            error.__context__ = context  # type: ignore[union-attr]
            del error

    # -- the loop

    def _loop(self, stop: Frame | None) -> None:
        while True:
            frame: Any = self.frame
            if frame is stop:
                return
            ops = frame.ops.fused or frame.ops
            try:
                while True:
                    pc = frame.pc
                    frame.pc = pc + 1
                    handler, arg = ops[pc]
                    if handler(self, frame, arg):
                        break
            except ENDS_RUN:
                raise
            except BaseException as raised:
                if self.frame is stop:  # an interrupt after the last frame: nothing is left to catch it
                    raise
                error = raised
            else:
                continue
            self.raised(error)
            del error

    def _observed_loop(self, stop: Frame | None) -> None:
        """The same loop with ``on_step`` called before every instruction."""
        while self.frame is not stop:
            frame: Any = self.frame
            error: BaseException | None = None
            try:
                pc = frame.pc
                frame.pc = pc + 1
                self.on_step(frame)  # type: ignore[misc]
                handler, arg = frame.ops[pc]
                handler(self, frame, arg)
            except ENDS_RUN:
                raise
            except BaseException as raised:
                if self.frame is stop:
                    raise
                error = raised
            if error is not None:
                self.raised(error)

    def raised(self, error: BaseException) -> None:
        """A host operation has raised ``error``."""
        strip_traceback(error)
        if raised_by_program(error):
            self.fail(error, None)
        else:
            self.throw(error)

    # -- frames

    def push(self, frame: Frame, then: Continuation | None) -> Any:
        """Make ``frame`` the current one; its outcome will go to ``then``."""
        back = self.frame
        if back is not None:
            frame.back = back
            if back.handled is not None:
                frame.handled = back.handled
            elif back.generator is not None:
                frame.handled = handled_exception(back)
        if self.tracing:
            attempts.enter(frame, back)
            if self.world.asks:
                watch(frame)
        ops = frame.ops
        ops.calls += 1
        if ops.calls == OFTEN:
            write_function(frame.info, ops)
        if frame.code is self.watched:
            then = self.entering(self, frame, then)
        if then is not None:
            frame.then = then
        self.depth += 1
        self.steps -= 1
        if self.depth > self.depth_limit or self.steps < 0:
            self._over_limit()
        self.frame = frame
        return PUSHED

    def _over_limit(self) -> None:
        if self.steps < 0:
            self.out_of_steps()
        self.depth -= 1
        raise RecursionError("maximum recursion depth exceeded")

    def limit_depth(self, limit: int) -> None:
        """``sys.setrecursionlimit`` of the program.

        Unless it asks for less than it found, the VM's own bound holds, which is higher.
        """
        if self.depth >= limit:
            raise RecursionError(f"cannot set the recursion limit to {limit} at the recursion depth {self.depth}: the limit is too low")
        self.depth_limit = limit if limit < running.found else max(limit, _DEPTH)
        running.limit = limit

    def out_of_steps(self) -> None:
        """Stop a run that takes more steps than ``step_limit``."""
        raise Unsupported(
            "E124",
            f"the program did not finish within {self.step_limit} loop iterations and calls",
            user_stack=self.stack(),
        )

    def give(self, value: Any, then: Continuation | None) -> None:
        """Pass a value to a continuation, or push it on the current frame's stack."""
        if then is None:
            self.frame.stack.append(value)  # type: ignore[union-attr]
        else:
            self._settle(value, None, then)

    def throw(self, error: BaseException, *, again: bool = False, origin: int | None = None) -> None:
        """Unwind: the current instruction raises ``error``.

        ``again``: like a bare ``raise``, without a traceback entry of its own; ``origin``: the
        instruction that raised it first.
        """
        if not again:
            attach_context(error, handled_exception(self.frame))
        self._settle(None, error, None, again=again, origin=origin)

    def fail(self, error: BaseException, then: Continuation | None) -> None:
        """Pass an exception to a continuation, or throw it at the current instruction."""
        self._settle(None, error, then)

    def _settle(
        self,
        value: Any,
        error: BaseException | None,
        then: Continuation | None,
        *,
        again: bool = False,
        origin: int | None = None,
    ) -> None:
        """Pass an outcome through continuations and frames until a frame goes on: a loop, so that
        depth costs no host recursion.
        """
        while True:
            while then is not None:
                try:
                    value = then.returned(self, value) if error is None else then.raised(self, error)
                    error = None
                except ENDS_RUN:
                    raise
                except BaseException as raised:
                    if isinstance(then, Run):  # an interrupt, too: a result is kept without a mistake
                        raise
                    error = raised
                if error is not None:
                    strip_traceback(error)
                elif value is PUSHED:
                    return
                then = then.outer
            if error is None:
                if value is not NOTHING:
                    self.frame.stack.append(value)  # type: ignore[union-attr]
                return
            frame: Any = self.frame
            _require_words(self, error)
            if self._caught(frame, error, again, origin):
                return
            again, origin = False, None
            if frame.generator is not None:
                error = generators.failed(frame, error)
            then = self.leave(frame)

    def leave(self, frame: Frame) -> Continuation | None:
        """Return to the caller's frame; the continuation that gets the outcome."""
        then = frame.then
        if frame.generator is not None and not isinstance(then, Bound):
            frame.generator.end()  # before the way to it is gone: an interrupt may come between any two calls
        self.frame = frame.back
        frame.then = None
        if frame.real is None:
            frame.back = None
            if frame.generator is None:
                frame.fast.reverse()  # a list drops its last item first
        else:
            frame.real = None  # the frame object lives on and keeps the way back, as CPython's does
        self.depth -= 1
        return then

    def _caught(self, frame: Frame, error: BaseException, again: bool, origin: int | None) -> bool:
        """Whether the handler table has an entry for the error; then the frame moves there."""
        index = frame.pc - 1
        if not again and not frame.info.internal:
            add_traceback(error, frame, index)
        handler = frame.info.handlers[index] if index >= 0 else None
        if handler is None:
            if origin is not None:
                frame.pc = origin + 1
            return False
        stack = frame.stack
        del stack[handler.depth :]
        if handler.push_instruction:
            stack.append(index if origin is None else origin)
        stack.append(error)
        frame.pc = handler.target
        return True

    # -- operations

    def call(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], then: Continuation | None) -> Any:
        """Call anything: the value, or `PUSHED`."""
        return (calls.CALLERS.get(type(fn)) or calls.call_object)(self, fn, args, kwargs, then)

    def native(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], then: Continuation | None) -> Any:
        """Call what is not a Python function, if the world permits."""
        if self.world.stands_in:
            generators.require_going((getattr(fn, "__self__", None), *args))
        result = self.world.call_native(self, fn, args, kwargs)
        if self.blind and self.types:
            self.types.clear()  # C code may have run Python that changed classes
        if type(result) is Invoke:
            return self.call(result.fn, result.args, result.kwargs, then)
        return result

    def start(self, steps: Steps, then: Continuation | None) -> Any:
        """Run an operation written as a host generator: the value, or `PUSHED`."""
        task = Task(steps, then)
        try:
            request = steps.send(None)
        except StopIteration as done:
            return done.value
        return task.go_on(self, request)

    # -- diagnostics

    @property
    def current_frame(self) -> Frame:
        """The innermost frame, while the program runs."""
        return self.frame  # type: ignore[return-value]

    def current_frames(self) -> list[Frame]:
        """The user's frames, innermost last."""
        frames = []
        frame = self.frame
        while frame is not None:
            if not frame.info.internal:
                frames.append(frame)
            frame = frame.back
        frames.reverse()
        return frames

    def stack(self, limit: int | None = None) -> tuple[Location, ...]:
        """The locations of the user's frames, innermost last: all, or the innermost ``limit``."""
        found: list[Location] = []
        frame = self.frame
        while frame is not None and len(found) != limit:
            if not frame.info.internal:
                found.append(frame.info.decoded.location(frame.code, max(frame.pc - 1, 0)))
            frame = frame.back
        found.reverse()
        return tuple(found)

    def locate(self, error: ExportError) -> None:
        """Give an error without a location the place where the program is."""
        if error.location is None and not error.user_stack:
            error.user_stack = self.stack()
            error.location = blamed(error.user_stack)

    def fork(self) -> VM:
        """A VM of the same world for another thread, or for a generator that outlives the run."""
        return VM(self.world, step_limit=self.step_limit)


def _require_words(vm: VM, error: BaseException) -> None:
    """Raises ``Unsupported`` (E119) for an error message of C that may call a generator by its
    name, where the program would have an iterator of C.
    """
    if vm.world.stands_in and type(error) in (TypeError, AttributeError) and "generator" in str(error):
        hint = "Write a list or a generator in its place."
        raise Unsupported("E119", f"C refuses an iterator of C whose place an interpreted one takes ({error})", hint=hint)
