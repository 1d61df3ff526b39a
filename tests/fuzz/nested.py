"""Random containers in containers at places of data: exported with dynamic sizes, each program gives at every
size that is accepted what it gives eagerly, or is refused; those of odd seeds have the sizes of the
example. ``python -m tests.fuzz.nested [count] [seed]``.
"""

from __future__ import annotations

from collections import Counter

from tests.fuzz.command import main
from tests.fuzz.nested_programs import Writer
from tests.fuzz.sized_loops import held_to_eager


def check(seed: int) -> Counter[str]:
    """How often there was each outcome of one program.

    Raises ``AssertionError`` where the results differ.
    """
    return held_to_eager(seed, Writer(seed).program(), 5 - seed % 3, bool(seed % 2))


if __name__ == "__main__":
    main(check)
