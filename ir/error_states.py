"""Error states: what becomes of the floating-point errors and of the warnings of a call where the
program itself has said so (``np.errstate``, ``np.seterr``, ``warnings.simplefilter("ignore")``).

A state is a tuple of pairs, kind of error and action, in the order of `KINDS`. It is part of a node
(``meta["errors"]``, absent where it is empty): the call is made within it. Kinds that it does not
name are the caller's. An error that the program makes an exception is none of it: calls that may
meet one are calls of ``ops.np.trapped``. Last may stand which warnings the program ignores: the
call is made within that filter, in front of the caller's.
"""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

State = tuple[tuple[str, str], ...]
KINDS = ("divide", "over", "under", "invalid")
ACTIONS = ("ignore", "warn", "print")
WARNINGS = "warnings"
IGNORED: dict[str, type[Warning]] = {"ignore": Warning, "ignore RuntimeWarning": RuntimeWarning}
"""What a state says of warnings, and the category that is ignored."""


def state_of(actions: Mapping[str, str]) -> State:
    """The state of these actions by kind.

    >>> state_of({"invalid": "ignore", "divide": "raise"})
    (('invalid', 'ignore'),)
    """
    state = tuple([(kind, actions[kind]) for kind in KINDS if actions.get(kind) in ACTIONS])
    return (*state, (WARNINGS, actions[WARNINGS])) if actions.get(WARNINGS) in tuple(IGNORED) else state


def tells(state: State) -> bool:
    """Whether a state says that floating-point errors are told of.

    >>> tells((("divide", "ignore"), ("over", "warn"))), tells((("divide", "ignore"),))
    (True, False)
    """
    actions = dict(state)
    if actions.get(WARNINGS):
        actions = {kind: action for kind, action in actions.items() if action != "warn"}
    return any(actions.get(kind, "ignore") != "ignore" for kind in KINDS)


def is_state(value: Any) -> bool:
    """Whether a value is a state that a node may have."""
    if type(value) is not tuple or not value:
        return False
    pairs = all(type(pair) is tuple and len(pair) == 2 and type(pair[0]) is str for pair in value)
    return pairs and value == state_of(dict(value))


def managers_text(state: State) -> str:
    """The context managers of a state as Python.

    >>> managers_text((("divide", "ignore"),))
    "np.errstate(divide='ignore')"
    >>> managers_text((("warnings", "ignore RuntimeWarning"),))
    "warnings.catch_warnings(action='ignore', category=RuntimeWarning)"
    """
    kinds, category = _parts(state)
    texts = [f"np.errstate({', '.join([f'{kind}={action!r}' for kind, action in kinds.items()])})"] if kinds else []
    if category is not None:
        texts.append(f"warnings.catch_warnings(action='ignore', category={category.__name__})")
    return ", ".join(texts)


def state_of_text(text: str) -> State | None:
    """The state whose context managers are written so.

    >>> state_of_text("np.errstate(divide='ignore')")
    (('divide', 'ignore'),)
    """
    found = dict(_PAIR.findall(text))
    named = next((name for name in IGNORED if managers_text(((WARNINGS, name),)) in text), None)
    state = state_of({kind: action for kind, action in found.items() if kind in KINDS} | ({} if named is None else {WARNINGS: named}))
    return state if state and managers_text(state) == text else None


_PAIR = re.compile(r"(\w+)='(\w+)'")


def _parts(state: State) -> tuple[dict[str, Any], type[Warning] | None]:
    """The actions by kind of error, and the category of the warnings that are ignored."""
    actions = dict(state)
    ignored = actions.pop(WARNINGS, None)
    return actions, None if ignored is None else IGNORED[ignored]


@functools.cache
def within(state: State) -> Callable[[], Any]:
    """What makes the context manager in which the calls of a state are made."""
    actions, category = _parts(state)
    if category is None:
        return functools.partial(np.errstate, **actions)

    @contextmanager
    def ignoring() -> Iterator[None]:
        with np.errstate(**actions), warnings.catch_warnings(action="ignore", category=category):
            yield

    return ignoring


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
    actions = {**dict(outer), **dict(inner)}
    return state_of(actions | {WARNINGS: "ignore"} if (WARNINGS, "ignore") in outer else actions)


def actions_of(states: Iterable[State | None]) -> set[str]:
    """The actions that states name."""
    return {action for state in states for _, action in state or ()}
