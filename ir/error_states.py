"""Error states: what becomes of the floating-point errors of a call where the program itself has
said so (``np.errstate``, ``np.seterr``).

A state is a tuple of pairs, kind of error and action, in the order of `KINDS`. It is part of a node
(``meta["errors"]``, absent where it is empty): the call is made within it. Kinds that it does not
name are the caller's. An error that the program makes an exception is none of it: calls that may
meet one are calls of ``ops.np.trapped``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

State = tuple[tuple[str, str], ...]
KINDS = ("divide", "over", "under", "invalid")
ACTIONS = ("ignore", "warn", "print")


def state_of(actions: Mapping[str, str]) -> State:
    """The state of these actions by kind.

    >>> state_of({"invalid": "ignore", "divide": "raise"})
    (('invalid', 'ignore'),)
    """
    return tuple([(kind, actions[kind]) for kind in KINDS if actions.get(kind) in ACTIONS])


def is_state(value: Any) -> bool:
    """Whether a value is a state that a node may have."""
    if type(value) is not tuple or not value:
        return False
    pairs = all(type(pair) is tuple and len(pair) == 2 and type(pair[0]) is str for pair in value)
    return pairs and value == state_of(dict(value))


def arguments_text(state: State) -> str:
    """The arguments of ``np.errstate``.

    >>> arguments_text((("divide", "ignore"),))
    "divide='ignore'"
    """
    return ", ".join([f"{kind}={action!r}" for kind, action in state])


@functools.cache
def within(state: State) -> Callable[[], Any]:
    """What makes the context manager in which the calls of a state are made."""
    actions: dict[str, Any] = dict(state)
    return functools.partial(np.errstate, **actions)


def under(state: State | None, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, called within a state."""
    if not state:
        return function

    def call(*args: Any, **kwargs: Any) -> Any:
        with within(state)():
            return function(*args, **kwargs)

    return call


def over(outer: State, inner: State) -> State:
    """A state within another."""
    return state_of({**dict(outer), **dict(inner)})


def actions_of(states: Iterable[State | None]) -> set[str]:
    """The actions that states name."""
    return {action for state in states for _, action in state or ()}
