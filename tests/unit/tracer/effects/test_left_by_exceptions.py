"""What stands in an object after an exception that only the data decide, when handlers on its way have run: as in eager execution,
or the export, or the next call, is refused."""

from __future__ import annotations

import collections
import itertools
import re
import textwrap

import numpy as np

from npexport import Unsupported, export
from tests.support.functions import function_of
from tests.support.outcomes import outcome
from tests.support.shards import shard

SOURCE = """
import contextlib
import numpy as np

class Held:
    pass

def checked(x):
    if x[0, 0] == 0:
        raise ValueError("zero")
    return x * 2

def made():
    held = Held()
    held.flag = 3

    def put(value):
        held.flag = value

    @contextlib.contextmanager
    def putting():
        old = held.flag
        put(True)
        try:
            yield
        finally:
            put(old)

    class Replaced:
        def __init__(self, owner):
            self.owner = owner
        def __enter__(self):
            self.old, self.owner.n = self.owner.n, 11
        def __exit__(self, *error):
            self.owner.n = self.old

    class Counted:
        def __init__(self, owner):
            self.owner = owner
        def __enter__(self):
            self.owner.n += 1
        def __exit__(self, *error):
            self.owner.n -= 1

    class Program:
        def __init__(self):
            self.n, self.k, self.options, self.w, self.log = 3, 1, {{"a": 1}}, np.ones((2, 2)), [1]
        def store(self, value):
            self.n = value
        def reset(self):
            self.n = self.k = 0
        def __call__(self, x):
            seen = self.n + 10 * self.k + 100 * self.options["a"] + self.w.sum() + 1000 * len(self.log) + 10000 * held.flag
            old = self.n
            {before}
            {way}
            {after}
            return y + seen

    return Program()
"""

BEFORE = [
    "pass", "self.n = 5", "self.n += 1", "self.k += 1", "self.options['a'] = 7", "self.w += 1", "self.w = self.w + 1",
    "self.log.append(2)", "held.flag = 8",
]  # fmt: skip
WAYS = {
    "none": "y = RAISES",
    "generator": "with putting(): y = RAISES",
    "replaced": "with Replaced(self): y = RAISES",
    "counted": "with Counted(self): y = RAISES",
    "constant": "try: y = RAISES\nfinally: self.n = 7",
    "old": "try: y = RAISES\nfinally: self.n = old",
    "method": "try: y = RAISES\nfinally: self.store(old)",
    "reset": "try: y = RAISES\nfinally: self.reset()",
    "function": "try: y = RAISES\nfinally: put(held.flag)",
    "item": "try: y = RAISES\nfinally: self.options['a'] = 1",
    "pop": "try: y = RAISES\nfinally: self.log.pop()",
    "minus": "try: y = RAISES\nfinally: self.n -= 1",
    "array": "try: y = RAISES\nfinally: self.w += 1",
    "again": "try: y = RAISES\nexcept Exception:\n    self.k = 9\n    raise",
    "class": "try: y = RAISES\nexcept ValueError:\n    self.k = 9\n    raise",
    "other class": "try: y = RAISES\nexcept KeyError:\n    self.k = 9\n    raise",
    "stack": "with contextlib.ExitStack() as stack:\n    stack.callback(self.store, 2)\n    y = RAISES",
    "closing": "self.close = self.reset\nwith contextlib.closing(self): y = RAISES\ndel self.close",
    "nested": "try:\n    with putting():\n        self.k = 5\n        y = RAISES\nfinally: self.n = 6",
    "side": "if x[1, 1] < 9:\n    with putting(): y = RAISES\nelse: y = x",
    "side, constant": "if x[1, 1] < 9:\n    try: y = RAISES\n    finally: self.k = 4\nelse: y = x",
    "side in a manager": "with putting():\n    if x[1, 1] < 9: y = RAISES\n    else: y = x",
    "side within both": "with Counted(self):\n    if x[1, 1] < 9:\n        with Replaced(self): y = RAISES\n    else: y = x",
    "loop": "with Counted(self):\n    y, i = x, 0\n    while y.sum() < 3 and i < 4: y, i = RAISES + y + 1, i + 1",
}
AFTER = ["pass", "self.n = old", "self.n = 3", "self.k = 1", "self.options['a'] = 1"]
RAISES = ["np.linalg.inv(x)", "checked(x)"]
CASES = shard(itertools.product(BEFORE, WAYS, AFTER, RAISES), 6)
REFUSED = re.compile("an earlier call raised while it changed")


def made(before, way, after, raises):
    """A new object of the program."""
    parts = {"before": before, "way": WAYS[way].replace("RAISES", raises), "after": after}
    source = SOURCE.format_map({name: textwrap.indent(part, " " * 12).lstrip() for name, part in parts.items()})
    made = function_of(compile(source, f"<{before}, {way}, {after}>", "exec"))
    return made()


def test_objects_after_exceptions():
    x = np.array([[2.0, 1.0], [1.0, 3.0]])
    counted = collections.Counter()
    for case in CASES:
        try:
            run = export(made(*case), (x,)).module()
        except Unsupported as error:
            counted[error.code] += 1
            assert error.code in ("E103", "E112", "E126"), case
            continue
        eager = made(*case)
        for given in (x, -x, x * 0, x, x * 0, x * 0, x):
            found = outcome(run, (given,))
            if REFUSED.search(repr(found)):
                counted["refused later"] += 1
                break
            assert repr(found) == repr(outcome(eager, (given,))), case
        else:
            counted["equal"] += 1
    assert counted["equal"] > len(CASES) / 4, counted
