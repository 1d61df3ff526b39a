"""Logs of an export through ``logging``; nothing is formatted for a topic that is off."""

from __future__ import annotations

import os
from typing import Any

from npexport.symshapes.errors import UserError
from npexport.symshapes.parameters import TEXT, require

TOPICS = ("bytecode", "graph", "guards", "sizes", "models")
VARIABLE = "NPEXPORT_LOG"


class _Logs:
    """``topics``: those that are on. ``own``: the handler that `set_logs` has installed."""

    def __init__(self) -> None:
        self.topics: frozenset[str] = frozenset()
        self.own: Any = None
        self.read = False  # whether the environment was looked at


_logs = _Logs()


def set_logs(*topics: str) -> None:
    """Show what exports do, through ``logging``.

    Each topic has a logger of its own, ``npexport.graph`` and so on, which tells at the level
    ``DEBUG``. What is told goes to the handlers of your own; where ``logging`` has none, to
    standard error. The environment variable ``NPEXPORT_LOG`` says the same:
    ``NPEXPORT_LOG=graph,guards``.

    Parameters
    ----------
    *topics : str
        The topics that are on from now on, all others are off; none turns all off. ``"bytecode"``:
        each instruction, as it is interpreted; ``"graph"``: the program; ``"guards"``: what it
        demands of sizes; both as far as they came where it is refused; ``"sizes"``: the range of
        each size; ``"models"``: each call of a C function.

    Raises
    ------
    UserError
        There is no such topic (E201).

    Examples
    --------
    >>> import npexport
    >>> npexport.set_logs("graph", "guards")
    >>> npexport.set_logs()
    """
    for topic in topics:
        require("a topic", topic, TEXT)
    unknown = [topic for topic in topics if topic not in TOPICS]
    if unknown:
        raise UserError("E201", f"there is no log of {', '.join(map(repr, unknown))}", hint=f"There are {', '.join(TOPICS)}.")
    import logging  # only who asks pays for it

    root = logging.getLogger("npexport")
    if _logs.own is not None:
        root.removeHandler(_logs.own)
        _logs.own = None
    for topic in TOPICS:
        logging.getLogger(f"npexport.{topic}").setLevel(logging.DEBUG if topic in topics else logging.NOTSET)
    if topics and not root.hasHandlers():
        _logs.own = logging.StreamHandler()
        _logs.own.setFormatter(logging.Formatter("%(name)s: %(message)s"))
        root.addHandler(_logs.own)
    _logs.topics, _logs.read = frozenset(topics), True


def topics() -> frozenset[str]:
    """The topics that are on. Raises ``UserError`` (E201) if the environment names another."""
    if not _logs.read:
        _logs.read = True
        wanted = [name.strip() for name in os.environ.get(VARIABLE, "").split(",") if name.strip()]
        try:
            if wanted:
                set_logs(*wanted)
        except UserError as error:
            raise UserError("E201", f"{VARIABLE}: {error.message}", hint=error.hint) from None
    return _logs.topics


def tell(topic: str, text: str) -> None:
    """Log a text if its topic is on."""
    if topic in _logs.topics:
        import logging

        logging.getLogger(f"npexport.{topic}").debug("%s", text)
