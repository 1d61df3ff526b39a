"""Hold calls of NumPy's functions that go wrong, within handlers of the program, to eager execution.

``python -m tests.fuzz.caught [count] [seed]`` runs many. The calls are those of ``form_programs``, with arrays of other kinds, sizes and
shapes in places of theirs. What NumPy refuses has to be known when the program is exported, or decided when it runs, for the handler
runs then. Compared is what ``forms`` compares.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np

from tests.fuzz.command import main
from tests.fuzz.form_programs import Call, call, mapped
from tests.fuzz.forms import filled, held, larger, lifted

_LIKE: tuple[Any, ...] = (
    np.zeros(1, [("a", "i4"), ("b", "f8")]), np.zeros(1, [("b", "f4")]), np.arange(9).astype("M8[D]"), np.arange(9).astype("m8[h]"),
    np.array(["a", "12", "", "x y"]), np.array([b"a", b"1.5", b""]), np.zeros(1, "V8"), np.array([np.nan, 1, -1, np.inf]),
    np.array([-1, 5, 100, 0]),
)  # fmt: skip
_SHAPED: tuple[Any, ...] = (
    lambda array: array.reshape(-1), lambda array: array[..., None], lambda array: array[:0] if array.ndim else array,
    lambda array: np.broadcast_to(array, array.shape), lambda array: np.concatenate([array.reshape(-1)] * 2)[: array.size + 1],
)  # fmt: skip


def odd(rng: random.Random, array: Any) -> Any:
    """Half of the time another array."""
    if rng.random() < 0.5:
        return array
    return rng.choice(_SHAPED)(array) if rng.random() < 0.35 else np.resize(rng.choice(_LIKE), array.shape)


def call_of(seed: int) -> Call:
    """The call of a seed."""
    made, rng = call(seed), random.Random(seed)
    if rng.random() < 0.3:
        return made
    kwargs = {name: mapped(value, lambda array: odd(rng, array)) for name, value in made.kwargs.items()}
    return made._replace(args=mapped(made.args, lambda array: odd(rng, array)), kwargs=kwargs)


def program(made: Call) -> tuple[Any, list[Any]]:
    """A function of the call's arrays that catches what the call raises, and these."""
    arrays: list[Any] = []
    args, kwargs = lifted(made.args, arrays), lifted(made.kwargs, arrays)

    def run(*given: Any) -> Any:
        done = ["before"]
        try:
            result = made.function(*filled(args, given), **filled(kwargs, given))
            done.append("after")
        except Exception as error:
            return done, type(error).__name__, str(error)
        return done, result

    return run, arrays


def run(seed: int) -> Counter[str]:
    """Outcomes by kind. Raises ``AssertionError`` with the call of a difference."""
    made = call_of(seed)
    function, arrays = program(made)
    return held(str(made), function, arrays, [array if array.dtype.names else larger(array) for array in arrays], saves=seed % 3 == 0)


if __name__ == "__main__":
    main(run)
