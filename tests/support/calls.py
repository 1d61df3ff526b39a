"""How much Python runs, told in calls: the same on every machine, however busy it is."""

import contextlib
import sys


@contextlib.contextmanager
def counted():
    """Gives a list that holds, after the block, how many Python functions were called in it."""
    calls, before = [0], sys.getprofile()

    def see(frame, event, arg):
        calls[0] += event == "call"

    sys.setprofile(see)
    try:
        yield calls
    finally:
        sys.setprofile(before)
