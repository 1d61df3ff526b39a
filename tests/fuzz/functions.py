"""Hold random programs over most of NumPy's functions to eager execution, with dynamic sizes.

``python -m tests.fuzz.functions [count] [seed]`` runs many. Compared at several sizes are results to the bit with their types and
dtypes, what shares memory, what is left in the arguments, also where the program raises, and the exceptions.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np

from npexport import Dim, ExportError, InputMismatch, export
from tests.fuzz.command import main
from tests.fuzz.function_programs import Writer, arguments, compiled
from tests.support.quiet import quiet

SIZES = ((3, 4), (4, 4), (2, 2), (5, 3), (1, 3), (3, 1), (1, 1), (0, 3), (3, 0), (0, 0), (7, 6))


def image(value: Any) -> Any:
    """A value, told apart to the bit."""
    if isinstance(value, (np.ndarray, np.generic)):
        return type(value), value.dtype, value.shape, bits(np.asarray(value))
    if isinstance(value, (list, tuple)):
        return type(value), [image(item) for item in value]
    if isinstance(value, dict):
        return dict, [(key, image(item)) for key, item in value.items()]
    return type(value), repr(value)


def bits(array: Any) -> Any:
    """The bytes, but for those of NaN."""
    if array.dtype == object:
        return [image(item) for item in array.ravel().tolist()]
    if array.dtype.names:
        return [bits(array[name]) for name in array.dtype.names]
    return (np.where(np.isnan(array), np.nan, array) if array.dtype.kind == "f" else array).tobytes()


def arrays_of(value: Any) -> list[Any]:
    """The arrays in a result."""
    if isinstance(value, np.ndarray):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return [array for item in items for array in arrays_of(item)]


def outcome(program: Any, given: dict[str, Any], n: int) -> Any:
    """What a call gives or raises, what it leaves in its arguments, and what shares memory."""
    given = {name: array.copy() for name, array in given.items()}
    with quiet():
        try:
            result = program(**given, n=n)
        except InputMismatch:
            raise
        except Exception as error:
            return type(error).__name__, str(error), image(given)
    arrays = [*given.values(), *arrays_of(result)]
    return image(result), image(given), [(i, j) for i in range(len(arrays)) for j in range(i) if np.shares_memory(arrays[i], arrays[j])]


def run(seed: int) -> Counter[str]:
    """Outcomes by kind. Raises ``AssertionError`` with the source of a difference."""
    rng = random.Random(seed)
    rows, columns = rng.choice([(3, 4), (4, 4), (3, 3), (5, 2)])
    example = arguments(seed, rows, columns)
    source = Writer(rng, example).program(rng.randint(1, 7))
    program = compiled(source)
    specs = {name: dict.fromkeys(range(array.ndim), Dim.AUTO) for name, array in example.items()} | {"n": rng.choice([Dim.DYNAMIC, None])}
    try:
        with quiet():
            module = export(program, (), {**example, "n": 3}, dynamic_shapes=specs).module()
    except ExportError as refusal:
        assert refusal.code[1] != "9", f"{source}\n{refusal}"
        return Counter([f"refused {refusal.code}"])
    except Exception as error:
        wanted = outcome(program, example, 3)
        assert wanted[0] == type(error).__name__, f"{source}\nexport raises {error!r}"
        return Counter(["raises"])
    found: Counter[str] = Counter()
    for number, size in enumerate(((rows, columns), *SIZES)):
        given = arguments(seed + number, *size)
        n = 3 if specs["n"] is None else number % 5 if number else 3
        try:
            ours = outcome(module, given, n)
        except InputMismatch:
            found["size not accepted"] += 1
            continue
        wanted = outcome(program, given, n)
        assert ours == wanted, f"{source}\nsizes {size}, n = {n}\nwanted {wanted}\nfound  {ours}"
        found["equal"] += 1
    return found


if __name__ == "__main__":
    main(run)
