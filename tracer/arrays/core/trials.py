"""Trials: what is recorded while one is open can be undone, as if it had never happened.

In contrast to a region (`npexport.tracer.arrays.core.regions`), a trial that is kept changes
nothing in how the program is recorded.
"""

from __future__ import annotations

from typing import Any

from npexport.ir.graph import CALL
from npexport.tracer.arrays.core.current import Recording
from npexport.tracer.arrays.memory.model import Storage

_DICTS = ("_nodes", "constants", "attempts", "generators", "drawn")
_PLAIN = ("rearranged", "effects", "sub_graphs")
_SLOTS = ("node", "array", "recipe", "layout", "hidden", "maker", "version")


class Trial:
    """The present state of recorder and session; a context manager around what may be undone."""

    def __init__(self, recorder: Recording) -> None:
        self.recorder = recorder
        sizes, session, env = recorder.sizes, recorder.session, recorder.session.env
        self._start = len(recorder.graph.nodes)
        owned: list[tuple[Any, str]] = [(recorder, name) for name in _DICTS]
        owned += [(sizes, "_nodes"), (sizes, "_truths"), (sizes, "_sources"), (session, "counts"), (session, "decided")]
        self._dicts = [(getattr(owner, name), dict(getattr(owner, name))) for owner, name in owned]
        self._dicts += [(table, dict(table)) for table in (recorder.layouts.conditions, recorder.overlaps.written)]
        self._plain = {name: getattr(recorder, name) for name in _PLAIN}
        self._raising = list(recorder.raising)
        self._forget, self._declared = env.remember(), env.declared.copy()
        self._symbols = set(env.symbols)
        self._may_alias = recorder.may_alias.copy()
        self._chosen = [(table, dict(table)) for table in (recorder.choices, recorder.aliases)]
        self.saved: dict[Storage, tuple[Any, ...]] = {}

    def note(self, storage: Storage) -> None:
        """The memory is about to change."""
        if storage not in self.saved:
            self.saved[storage] = tuple([getattr(storage, name) for name in _SLOTS])

    def __enter__(self) -> Trial:
        recorder = self.recorder
        self._outer, self._derived = recorder.trial, recorder.derived
        self._own: list[Any] = []
        recorder.trial, recorder.derived = self, self._own
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        recorder = self.recorder
        recorder.trial = self._outer
        if self._derived is not None:
            self._derived += self._own
        recorder.derived = self._derived
        if self._outer is not None:
            for storage, values in self.saved.items():
                self._outer.saved.setdefault(storage, values)

    def take_back(self) -> None:
        """Restore everything; the trial is still open."""
        recorder, env = self.recorder, self.recorder.session.env
        nodes = recorder.graph.nodes
        nodes[self._start :] = [node for node in nodes[self._start :] if node.op != CALL]
        kept = {key: node for key, node in recorder.constants.items() if node.op != CALL}
        for table, before in self._dicts:
            table.clear()
            table.update(before)
        recorder.constants.update(kept)
        for name, value in self._plain.items():
            setattr(recorder, name, value)
        recorder.raising[:] = self._raising
        self._forget()
        env.declared = self._declared
        env.know(*env.symbols.keys() - self._symbols)
        recorder.may_alias = self._may_alias.copy()
        for choices, chosen in self._chosen:
            choices.clear()
            choices.update(chosen)
        for storage, values in self.saved.items():
            now = storage.version
            for name, value in zip(_SLOTS, values, strict=True):
                setattr(storage, name, value)
            if now != storage.version:  # views of what was written show nothing of what is there again
                storage.version = now + 1
        self.saved.clear()
        for link in self._own:
            link.node, link.version = None, -1
        self._own.clear()
