"""Hold random programs over structured arrays to eager execution, at other sizes and data too:
``python -m tests.fuzz.records [count] [seed]``."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.lib import recfunctions

from npexport import Dim
from tests.fuzz.command import exported_and_tallied, main
from tests.fuzz.record_programs import Writer
from tests.support.functions import function_of

SIZES = ((3, 3), (2, 2), (1, 1), (3, 3), (4, 4))


def run(seed: int) -> str | Counter[str]:
    """How the calls of one program are, or why it is refused. Raises ``AssertionError`` with a difference."""
    writer, rng = Writer(seed), np.random.default_rng(seed)
    source, dtype = f"# {writer.dtype}\n{writer.program()}", np.dtype(eval(writer.dtype, {"np": np}))
    f = function_of(source, {"np": np, "rfn": recfunctions})
    calls = [(_filled(n, dtype, rng), _filled(m, dtype, rng)) for n, m in SIZES]
    dynamic = ({0: Dim.AUTO}, {0: Dim.AUTO}) if seed % 2 else None
    return exported_and_tallied(source, f, calls, dynamic)


def _filled(count: int, dtype: Any, rng: Any) -> Any:
    """Records of small numbers, some of them equal."""
    made = np.zeros(count, dtype)
    _fill(made, rng)
    return made


def _fill(array: Any, rng: Any) -> None:
    if array.dtype.names is not None:
        for name in array.dtype.names:
            _fill(array[name], rng)
    elif array.dtype.kind in "SU":
        array[...] = rng.choice(["a", "b", "cd"], array.shape)
    else:
        array[...] = rng.integers(0, 2 if array.dtype.kind == "b" else 4, array.shape)


if __name__ == "__main__":
    main(run)
