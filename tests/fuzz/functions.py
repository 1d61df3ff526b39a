"""Hold random programs over most of NumPy's functions to eager execution, with dynamic sizes.

``python -m tests.fuzz.functions [count] [seed]`` runs many. Compared at several sizes are results to the bit with their types and
dtypes, what shares memory, what is left in the arguments, also where the program raises, and the exceptions.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from npexport import Dim, ExportError, InputMismatch, export
from tests.fuzz.command import main
from tests.fuzz.function_programs import Writer, arguments, compiled
from tests.support.images import arrays_of, image, shared
from tests.support.quiet import quiet

SIZES = ((3, 4), (4, 4), (2, 2), (5, 3), (1, 3), (3, 1), (1, 1), (0, 3), (3, 0), (0, 0), (7, 6))


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
    return image(result), image(given), shared([*given.values(), *arrays_of(result)])


def run(seed: int, writer: type[Writer] = Writer) -> Counter[str]:
    """Outcomes by kind. Raises ``AssertionError`` with the source of a difference."""
    rng = random.Random(seed)
    rows, columns = rng.choice([(3, 4), (4, 4), (3, 3), (5, 2)])
    example = arguments(seed, rows, columns)
    source = writer(rng, example).program(rng.randint(1, 7))
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
