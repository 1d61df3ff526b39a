"""Programs that raise on data, past handlers, ``finally`` and context managers that raise again, write, fail, or raise another."""

from __future__ import annotations

import random

RAISES = (
    "if x[0] < 0: raise ValueError('neg')",
    "if x[0] < 0: raise ValueError(f'neg {x[0]}')",
    "s = x[int(k[0])]",
    "t = math.sqrt(x[0])",
    "t = 1.0 / float(x[0])",
    "if x[0] < 0: raise Own('o', 1)",
    "s = float(x[0]); assert s >= 0, 'bad'",
    "i = int(x[0])",
    "if x[0] < 0: raise IndexError",
    "z = np.linalg.inv(x.reshape(2, 2))",
    "if x[0] > 1: return t\n    elif x[0] < 0: raise ValueError('two')",
    "q = [1, 2, 3].index(int(k[0]))",
    "q = {1: 2, 2: 3}[int(k[0])]",
    "q = [1, 2, 3][int(k[0])]",
    "for v in x:\n        if v < 0: raise ValueError('loop')",
    "if x[0] < 0: raise ValueError('a') from KeyError('c')",
    "next(v for v in x if v > 1)",
    "check(x)",
)
CLASSES = "ValueError Exception ArithmeticError LookupError Own Undefined BaseException AssertionError".split()
CLASSES += ["", "(ValueError, IndexError)", "finally"]
BODIES = (
    *("pass", "raise", "t = 1 / 0; raise", "t = 1 / 0", "raise KeyError('n')", "raise KeyError('n') from error", "return -5.0"),
    *("undefined; raise", "'a' + 1; raise", "x['q']; raise", "fails(); raise", "error.foo; raise", "t = str(error)"),
    *(
        "t = str(error); raise",
        "x += 1; raise",
        "x += 1",
        "LOG.append(1); raise",
        "raise error",
        "raise type(error)('again')",
        "raise RuntimeError(str(error))",
    ),
    *("t = error.args[0]", "note(error); raise", "error.add_note('n'); raise", "error.args = ('z',); raise", "t = 7.0; raise"),
    *("if x[1] > 0: raise\nt = 9.0", "if x[1] > 0: 1 / 0\nraise", "x[1] = 5.0; 1 / 0", "del t; raise", "int('q'); raise"),
    *("t = float(x[1]); t = 1 / t; raise", "raise Own(*error.args)", "raise KeyError('n') from None"),
)
OF_FINALLY = [body for body in BODIES if not any(word in body for word in ("error", "raise"))]
OF_ALL = [body for body in BODIES if "error" not in body]
ENDS = ("t = 3.0", "x[2] = 4.0", "fails()", "pass", "LOG.clear()")
EXITS = ("return False", "return a is ValueError", "1 / 0", "raise KeyError('exit')", "self.x += 1", "return self.x[0] < -1", "return None")
EXITS += ("return isinstance(b, LookupError)", "self.n = str(b)")
CALLS = ("t = {f}(x, k)",) * 6
CALLS += ("t = max([{f}(x, k), 1.0])", "t = [{f}(x, k) for _ in range(2)][-1]", "t = next({f}(x, k) for _ in range(2))")
CALLS += (
    "t = list(map(lambda u: {f}(x, u), [k]))[0]",
    "t = sum(each({f}, x, k))",
    "t = next(each({f}, x, k), 7.0)",
    "t = managed({f}, x, k)",
)
LOOPS = (["    for w in range(2):"], ["    w = 0", "    while w < 2:", "        w += 1"], ["    for w in x:", "        t = t + 1.0"])
LOOPS += (["    for w in range(3):", "        if x[w] > 2: {}"],)
LEAVES = ("break", "continue", "return t")
BEGINNING = """
import math
import numpy as np
from contextlib import closing
class Own(Exception): pass
LOG = []
def fails(): raise TypeError('fails')
def note(error): return error.nothing
def check(x):
    if x[0] < 0: raise Own('check')
def each(f, x, k):
    try:
        for _ in range(2):
            yield f(x, k)
    finally:
        LOG.append(2) if x[1] > 1 else None
def managed(f, x, k):
    with closing(each(f, x, k)) as values:
        for value in values:
            if value > 1: return value
    return 0.5
class Manager:
    def __init__(self, x): self.x = x
    def __enter__(self): return self
    def __exit__(self, a, b, c): {}
"""


def indented(text: str, by: int = 4) -> list[str]:
    return [" " * by + line for line in text.split("\n")]


def guarded(rng: random.Random, lines: list[str]) -> list[str]:
    """The lines of a function's body in a ``try`` or a ``with``."""
    inner = ["    " + line for line in lines]
    if rng.random() < 0.15:
        return ["    with Manager(x) as manager:", *inner]
    found, cls = ["    try:", *inner], rng.choice(CLASSES)
    if cls == "finally":
        return [*found, "    finally:", *indented(rng.choice(OF_FINALLY), 8)]
    found += [f"    except {cls} as error:" if cls else "    except:", *indented(rng.choice(BODIES if cls else OF_ALL), 8)]
    if rng.random() < 0.2:
        found += ["    else:", "        t = t + 1.0"]
    if rng.random() < 0.2:
        found += ["    finally:", "        " + rng.choice(ENDS)]
    return found


def looped(rng: random.Random, lines: list[str]) -> list[str]:
    """The lines in a loop; handlers in it may leave it."""
    head = [line.format(rng.choice(LEAVES)) for line in rng.choice(LOOPS)]
    inner = [line.replace("pass", rng.choice(LEAVES)) if line.strip() == "pass" else line for line in lines]
    return [*head, *["    " + line for line in inner]]


def program(rng: random.Random) -> str:
    """The source of ``run(x, k)``."""
    lines = ("    " + rng.choice(RAISES)).split("\n")
    depth, found = rng.randint(1, 3), [BEGINNING.format(rng.choice(EXITS))]
    for level in range(depth):
        last = level == depth - 1
        for _ in range(rng.randint(last, 2)):
            lines = guarded(rng, lines)
            if rng.random() < 0.25:
                lines = looped(rng, lines)
        if rng.random() < 0.3:
            lines = [*lines, "    t = t * 2"]
        name = "run" if last else f"f{level}"
        written = ["    x[3] = 8.0"] if rng.random() < 0.2 else []
        found += [f"def {name}(x, k):", "    t = 0.5", *written, *lines, "    return t"]
        lines = indented(rng.choice(CALLS).format(f=name))
    return "\n".join(found) + "\n"
