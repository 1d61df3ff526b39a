"""Random Python programs over ints, strings, containers, closures, generators, coroutines, classes, exceptions and arrays.

A `Writer` puts statements together out of the chapters: each holds the statements of one part of the language as methods that
return lines, and names them in ``SIMPLE`` or ``COMPOUND``. Statements that hold other statements ask ``nested()`` for them.
"""

from __future__ import annotations

import random
import textwrap

from tests.fuzz.python_programs.arrays import Arrays
from tests.fuzz.python_programs.control import Control
from tests.fuzz.python_programs.library import Library
from tests.fuzz.python_programs.objects import Objects
from tests.fuzz.python_programs.prelude import PRELUDE
from tests.fuzz.python_programs.routines import Routines

ARGUMENTS = ("x", "y", "z", "m", "n")
SETUP = ("log = []", "i0, i1, i2 = 1, n, 3", "l0, l1 = [1, 2, 3], [n]", "d0 = {1: 2, 3: n}", "s0 = 'banana'")
ARRAY_SETUP = ("v0, k0, m0 = x + 0, z * 1, m.copy()",)


class Writer(Control, Routines, Objects, Library, Arrays):
    """Builds one program; every name that it reads is always bound to a value of the kind that its pool says."""

    chapters = (Control, Routines, Objects, Library)

    def __init__(self, rng: random.Random, arrays: bool) -> None:
        super().__init__(rng, arrays)
        chapters = (*self.chapters, Arrays) if arrays else self.chapters
        self.simple = [name for chapter in chapters for name in chapter.SIMPLE]
        self.compound = [name for chapter in chapters for name in chapter.COMPOUND]

    def statement(self) -> list[str]:
        compound = self.depth < 3 and self.rng.random() < 0.5
        return getattr(self, self.rng.choice(self.compound if compound else self.simple))()

    def program(self) -> str:
        body = self.block(self.rng.randint(4, 9))
        arguments = ARGUMENTS if self.arrays else ("n",)
        setup = [*SETUP, *(ARRAY_SETUP if self.arrays else ())]
        result = f"return log, {', '.join(self.names)}"
        return f"{PRELUDE}\ndef prog({', '.join(arguments)}):\n" + textwrap.indent("\n".join([*setup, *body, result]), "    ") + "\n"
