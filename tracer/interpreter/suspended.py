"""Suspended generators that are put back where they stood, made twice, or given up: what a branch
or a loop on data needs, whose sides and iterations are run more than once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import GeneratorType
from typing import Any

from npexport.symshapes.errors import Unsupported
from npexport.tracer.interpreter.frame import Frame, Machine
from npexport.tracer.interpreter.generators import State, close_host, finish, made_since, make, serial, state_of
from npexport.tracer.interpreter.handler_analysis import runs_when_dropped


def clone(host: Any) -> Any:
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
    for state in made_since(vm, begun):
        state.end()


def left_since(vm: Machine, begun: int) -> str | None:
    """The name of a generator made after this number was given out that does something when it is
    dropped: it is suspended within a ``try`` or a ``with``.
    """
    return next((state.frame.code.co_name for state in made_since(vm, begun) if _ends_later(state)), None)


def require_none_left(vm: Machine) -> None:
    """Raises ``Unsupported`` (E103) if the program has ended and such a generator has not: CPython
    has dropped it by then.
    """
    _refuse(vm.world.ended_late or left_since(vm, -1))


def make_uncertain(states: Iterable[State]) -> None:
    """What was given up may hold these generators until garbage is collected. One that is ended, as
    by the ``with`` that it manages, is none the worse; to drop one that does something then is
    refused. Raises ``Unsupported`` (E103) for those whose end cannot be told from being dropped.
    """
    for state in filter(_ends_later, states):
        state.uncertain = True
        if state.host is not None and type(state.host()) is not GeneratorType:
            _refuse(state.frame.code.co_name)


def _refuse(left: str | None) -> None:
    if left is not None:
        text = f"it is not known when the generator `{left}` is dropped, which is suspended within a `try` or a `with`, whose end runs then"
        raise Unsupported("E103", text, hint="End it where it is not needed any more: generator.close(); or iterate over all of its items.")


def dropped(before: Iterable[Any], after: Iterable[Any]) -> str | None:
    """The name of such a generator among values that others have replaced."""
    held = set(map(id, after))
    for value in before:
        state = state_of(value) if type(value) is GeneratorType and id(value) not in held else None
        if state is not None and _ends_later(state):
            return state.frame.code.co_name
    return None


def _ends_later(state: State) -> bool:
    return state.started and not (state.finished or state.running) and runs_when_dropped(state.vm, state.frame)


def keep(host: Any) -> State | None:
    """The state of a generator, which from now on can be put back, whether it ends or not; ``None``
    for one that cannot.
    """
    state = state_of(host)
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
