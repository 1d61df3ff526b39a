"""Suspended generators that are put back where they stood, made twice, or given up: what a branch
or a loop on data needs, whose sides and iterations are run more than once.
"""

from __future__ import annotations

from collections.abc import Callable
from types import GeneratorType
from typing import Any

from npexport.tracer.interpreter.frame import Frame, Machine
from npexport.tracer.interpreter.generators import State, close_host, finish, make, serial, state_of, states


def twin(host: Any) -> Any:
    """A copy of a suspended generator that the VM runs, at the same instruction."""
    state: Any = state_of(host)
    vm, frame = state.vm, state.frame
    copy = Frame(frame.info, frame.code, list(frame.fast), frame.globals, frame.builtins)
    copy.pc, copy.stack, copy.handled, copy.tried, copy.ops = frame.pc, list(frame.stack), frame.handled, frame.tried, frame.ops
    made = make(vm, copy, host.__name__, host.__qualname__)
    state_of(made).started = True  # type: ignore[union-attr]
    return made


def since(vm: Machine) -> Callable[[], None]:
    """A function that ends the generators made since, wherever they stand; earlier ones go on,
    whatever run was given up.
    """
    begun, given_up = serial(), vm.runs_given_up

    def undo() -> None:
        end_since(vm, begun)
        vm.runs_given_up = given_up

    return undo


def end_since(vm: Machine, begun: int) -> None:
    """End the generators made after this number was given out: nothing of them runs any more, not
    even where they are dropped.
    """
    for state in states(vm):
        if state.serial > begun:
            state.end()


def keep(host: Any) -> State | None:
    """The state of a generator, which from now on can be put back, whether it ends or not; ``None``
    for one that cannot.
    """
    state = state_of(host) if type(host) is GeneratorType else None
    if state is not None:
        state.kept += 1
    return state


def release(state: State) -> None:
    """Nobody puts it back any more."""
    state.kept -= 1
    if state.finished:
        close_host(state)


def stands(state: State) -> tuple[Any, ...]:
    """Where a suspended generator stands; nothing if it has ended."""
    frame = state.frame
    if state.finished:
        return ()
    return state.started, frame, frame.pc, frame.ops, frame.handled, frame.tried, frame.poison, *frame.fast, *frame.stack


def put_back(host: Any, where: tuple[Any, ...]) -> None:
    """Suspend a generator where it stood, unless the host's object is over, or end it."""
    state = state_of(host)
    if state is None or host.gi_frame is None:
        return
    if not where:
        finish(state)
        return
    state.started, frame, frame.pc, frame.ops, frame.handled, frame.tried, frame.poison, *values = where
    state.frame, count = frame, len(frame.fast)
    frame.fast[:], frame.stack[:] = values[:count], values[count:]
    frame.generator = frame.back = frame.then = frame.real = state.alive = None
    state.finished = state.running = False
