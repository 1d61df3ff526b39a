"""A process-wide resource that is on while any thread needs it, without a lock that anybody waits
for.

Wherever Python runs, a finaliser or a signal handler may run on the same thread and need the same
resource: to wait for a lock that the interrupted code holds would be a deadlock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable


class Switch:
    """On while anyone holds it.

    Only one thread at a time turns it on or off. A thread that finds another one doing so goes on
    without waiting; the one that switches checks again when it is done. ``turn_on`` and
    ``turn_off`` may be called again after an interruption.
    """

    __slots__ = ("_busy", "_holders", "is_on", "turn_off", "turn_on")

    def __init__(self, turn_on: Callable[[], None], turn_off: Callable[[], None]) -> None:
        self.turn_on = turn_on
        self.turn_off = turn_off
        self.is_on = False
        self._holders: dict[object, None] = {}
        self._busy = threading.Lock()

    def hold(self, holder: object) -> bool:
        """Whether it is on, and stays on until ``holder`` releases it.

        False means that somebody else is switching.
        """
        self._holders[holder] = None
        return self._settle()

    def release(self, holder: object) -> None:
        """End a hold, also one that an exception kept from beginning.

        It may be called again after an interruption.
        """
        self._holders.pop(holder, None)
        if self.is_on is not bool(self._holders):
            self._settle()

    def _settle(self) -> bool:
        while self._busy.acquire(False):
            try:
                if self._holders and not self.is_on:
                    self.turn_on()
                    self.is_on = True
                elif self.is_on and not self._holders:
                    self.turn_off()
                    self.is_on = False
            finally:
                self._busy.release()
            if self.is_on is bool(self._holders):
                return True
        return False
