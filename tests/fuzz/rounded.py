"""Hold random programs of what NumPy rounds by how memory lies (``rounded_programs``) to eager execution, to the bit:
``python -m tests.fuzz.rounded [count] [seed]``."""

from __future__ import annotations

from collections import Counter

from npexport import Dim
from tests.fuzz.command import main
from tests.fuzz.lengths import held_to_eager
from tests.fuzz.rounded_programs import Writer

SIZES = (1, 2, 3, 4, 5, 9, 17, 130)


def run(seed: int) -> Counter[str]:
    """Outcomes by kind. Raises ``AssertionError`` with the source of a difference."""
    writer = Writer(seed)
    size = writer.draw.choice(SIZES)
    dynamic = ({axis: Dim.AUTO for axis in range(1 + writer.axes // 2)},) * 3 if seed % 3 else None
    calls = [(size, salt) for salt in range(3)] if not dynamic else [(size, 0), (1, 1), (2, 2), (3, 3), (7, 4), (16, 5)]
    return held_to_eager(writer, seed, size, dynamic, calls, f"{writer.dtype} {size}\n{writer.source}")


if __name__ == "__main__":
    main(run)
