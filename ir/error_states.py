"""Error states: what the program sets for the floating-point errors and the warnings of a call
(``np.errstate``, ``np.seterr``, ``warnings.simplefilter("ignore")``).

A state is a tuple of pairs (kind of error, action) in the order of `KINDS`. A node has it in
``meta["errors"]``, if it is not empty, and the call is made within it. Kinds that it does not name
are the caller's. Errors that the program turns into exceptions do not belong to it: calls that may
meet one are calls of ``ops.np.trapped``. The last item may be the warnings that the program
ignores: the call is made within these filters, in front of the caller's::

    ignored  ::= filter (" | " filter)*
    filter   ::= "ignore" [" " category] [": " message]

A message is a pattern, as of ``warnings.filterwarnings``, in which nothing but ``.*`` repeats.
"""

from __future__ import annotations

import ast
import builtins
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
CATEGORIES: dict[str, type[Warning]] = {
    name: category
    for namespace in (builtins, np.exceptions)
    for name, category in vars(namespace).items()
    if isinstance(category, type) and issubclass(category, Warning)
}
"""The categories of warnings that Python and NumPy issue, by name."""
_FILTER = re.compile(r"ignore(?: (\w+))?(?:: (.+))?")
_MESSAGE = re.compile(r"(?:[\w ,:;%/<>=-]|\.\*?|\\[.()\[\]*+?])+")
_MOST, _LONGEST, _REPEATS = 16, 200, 4  # filters, characters of a message, ``.*`` in one

Filters = tuple[tuple[type[Warning], str], ...]
"""The category and the message of each filter; the message is empty where any is ignored."""


def ignored_text(filters: Iterable[tuple[type[Warning], str]]) -> str | None:
    """What a state says of the warnings that these filters ignore; ``None`` if it cannot.

    >>> ignored_text([(RuntimeWarning, "Mean of empty slice"), (Warning, "")])
    'ignore'
    """
    found = list(dict.fromkeys(filters))
    if (Warning, "") in found:
        return "ignore"
    parts = ["ignore" + f" {kind.__name__}" * (kind is not Warning) + f": {message}" * bool(message) for kind, message in found]
    text = " | ".join(parts)
    return text if ignored_by(text) == tuple(found) else None


@functools.cache
def ignored_by(text: str) -> Filters | None:
    """The filters that a state names so, or ``None``."""
    found: list[tuple[type[Warning], str]] = []
    for part in text.split(" | "):
        match = _FILTER.fullmatch(part)
        kind, message = (match[1] or "Warning", match[2] or "") if match else ("", "")
        if kind not in CATEGORIES or len(message) > _LONGEST or message.count("*") > _REPEATS:
            return None
        if message and not _MESSAGE.fullmatch(message):
            return None
        found.append((CATEGORIES[kind], message))
    return tuple(found) if len(found) <= _MOST else None


def state_of(actions: Mapping[str, Any]) -> State:
    """The state of these actions by kind.

    >>> state_of({"invalid": "ignore", "divide": "raise"})
    (('invalid', 'ignore'),)
    """
    state = tuple([(kind, actions[kind]) for kind in KINDS if actions.get(kind) in ACTIONS])
    ignored = actions.get(WARNINGS)
    return (*state, (WARNINGS, ignored)) if isinstance(ignored, str) and ignored_by(ignored) else state


def tells(state: State) -> bool:
    """Whether a state says that floating-point errors are told of.

    >>> tells((("divide", "ignore"), ("over", "warn"))), tells((("divide", "ignore"),))
    (True, False)
    """
    actions, filters = _parts(state)
    silent = {"ignore"}
    if any(not message and issubclass(RuntimeWarning, kind) for kind, message in filters):
        silent.add("warn")
    return not silent.issuperset(actions.values())


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
    kinds, filters = _parts(state)
    texts = [f"np.errstate({', '.join([f'{kind}={action!r}' for kind, action in kinds.items()])})"] if kinds else []
    if len(filters) == 1 and not filters[0][1]:
        texts.append(f"warnings.catch_warnings(action='ignore', category={_name(filters[0][0])})")
    elif filters:
        calls = [f"warnings.filterwarnings('ignore', {message!r}, {_name(kind)})" for kind, message in filters]
        texts += ["warnings.catch_warnings()", *[f"contextlib.nullcontext({call})" for call in calls]]
    return ", ".join(texts)


def _name(category: type[Warning]) -> str:
    return category.__name__ if category.__module__ == "builtins" else f"np.exceptions.{category.__name__}"


def state_of_text(text: str) -> State | None:
    """The state whose context managers are written so.

    >>> state_of_text("np.errstate(divide='ignore')")
    (('divide', 'ignore'),)
    """
    found = dict(_PAIR.findall(text))
    filters = [(CATEGORIES.get(kind, Warning), "") for kind in _KIND.findall(text)]
    filters += [(CATEGORIES.get(kind, Warning), ast.literal_eval(message)) for message, kind in _CALL.findall(text)]
    actions = {kind: action for kind, action in found.items() if kind in KINDS}
    state = state_of(actions | {WARNINGS: ignored_text(filters)} if filters else actions)
    return state if state and managers_text(state) == text else None


_PAIR = re.compile(r"(\w+)='(\w+)'")
_KIND = re.compile(r"category=(?:np\.exceptions\.)?(\w+)\)")
_CALL = re.compile(r"filterwarnings\('ignore', ('[^']*'), (?:np\.exceptions\.)?(\w+)\)")


def _parts(state: State) -> tuple[dict[str, Any], Filters]:
    """The actions by kind of error, and the filters of warnings."""
    actions = dict(state)
    ignored = actions.pop(WARNINGS, None)
    return actions, (ignored_by(ignored) or () if ignored else ())


@functools.cache
def within(state: State) -> Callable[[], Any]:
    """What makes the context manager in which the calls of a state are made."""
    actions, filters = _parts(state)
    if not filters:
        return functools.partial(np.errstate, **actions)

    @contextmanager
    def ignoring() -> Iterator[None]:
        with np.errstate(**actions), warnings.catch_warnings():
            for kind, message in filters:
                warnings.filterwarnings("ignore", message, kind)
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
    filters = [*_parts(outer)[1], *_parts(inner)[1]]
    actions = {**dict(outer), **dict(inner)}
    return state_of(actions | {WARNINGS: ignored_text(filters)} if filters else actions)


def actions_of(states: Iterable[State | None]) -> set[str]:
    """The actions that states name."""
    return {action for state in states for _, action in state or ()}
