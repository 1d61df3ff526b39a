"""Hold random programs over memory and scalars (``layout_programs``) to eager execution, called with other sizes again and again.

``python -m tests.fuzz.layouts [count] [seed]`` runs many. Compared are results to the bit with their types, dtypes, strides and whether
they can be written to, what shares memory, what is left in the arguments, and exceptions. Programs that differ in warnings are counted:
what is computed of constants alone warns once, at export. Odd seeds save and load the program.
"""

from __future__ import annotations

import random
import warnings
from collections import Counter
from typing import Any

import numpy as np

from npexport import Dim, InputMismatch, export
from tests.fuzz.command import exported_or_why, main, tallied
from tests.fuzz.function_programs import compiled
from tests.fuzz.layout_programs import SIZES, Writer, arguments
from tests.support.comparison import steps
from tests.support.forms import reloaded
from tests.support.images import arrays_of, image, shared

INTEGERS = (5, 0, 1, -1, 300, 2**31, -(2**63), 2**63 - 1)


def outcome(program: Any, given: dict[str, Any] | tuple[Any, ...]) -> Any:
    """What a call gives or raises, leaves in its arguments, which have names or places, and warns of."""
    named = isinstance(given, dict)
    arrays = [value for value in (given.values() if named else given) if isinstance(value, np.ndarray)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = program(**given) if named else program(*given)
        except InputMismatch:
            raise
        except Exception as error:
            found: Any = type(error).__name__, str(error)
        else:
            made = arrays_of(result)
            found = image(result), [*map(memory, made)], shared([*arrays, *made])
    said = sorted({f"{each.category.__name__}: {each.message}" for each in caught})
    return found, image(given), [*map(memory, arrays)], said


def memory(array: Any) -> Any:
    """Whether an array can be written to, and how it lies in memory, if it has elements."""
    return array.flags.writeable, steps(array) if array.size else []


def run(seed: int) -> Counter[str]:
    """Outcomes by kind. Raises ``AssertionError`` with the source of a difference."""
    rng = random.Random(seed)
    rows = rng.choice((3, 2, 4, 7))
    source = Writer(rng, (seed, rows)).program(rng.randint(1, 5))
    program = compiled(source)
    example = arguments(seed, rows)
    auto = {
        name: dict.fromkeys([axis for axis, size in enumerate(array.shape) if size == rows], Dim.AUTO) for name, array in example.items()
    }
    dynamic = {name: rng.choice([Dim.DYNAMIC, None]) for name in "nm"}
    numbers = {"n": rows, "m": 5}

    def make() -> Any:
        exported = export(program, (), example | numbers, dynamic_shapes=auto | dynamic)
        return reloaded(exported) if seed % 2 else exported

    made = exported_or_why(source, make, lambda error: (type(error).__name__, outcome(program, arguments(seed, rows) | numbers)[0][0]))
    if isinstance(made, str):
        return Counter([made])
    calls = [
        (seed + number, size, {"n": size if dynamic["n"] else rows, "m": rng.choice(INTEGERS) if dynamic["m"] and number else 5})
        for number, size in enumerate((rows, *SIZES, rows))
    ]
    call_at = lambda f, call: outcome(f, arguments(*call[:2]) | call[2])  # noqa: E731
    return tallied(source, call_at, program, made.module(), calls, equal_but_for_warnings)


def equal_but_for_warnings(wanted: Any, found: Any) -> str:
    assert wanted[:-1] == found[:-1], f"wanted {differing(wanted, found)}\nfound  {differing(found, wanted)}"
    return "equal" if wanted[-1] == found[-1] else "equal but for warnings"


def differing(one: Any, other: Any) -> Any:
    """The parts of an outcome that another one has not."""
    if type(one) is type(other) and isinstance(one, (tuple, list)) and len(one) == len(other):
        return [differing(mine, its) for mine, its in zip(one, other, strict=True) if mine != its]
    return one


if __name__ == "__main__":
    main(run)
