"""Hold random programs over most of NumPy's functions to eager execution, with dynamic sizes.

``python -m tests.fuzz.functions [count] [seed]`` runs many. Compared at several sizes are results to the bit with their types and
dtypes, what shares memory, what is left in the arguments, also where the program raises, and the exceptions.
"""

from __future__ import annotations

import copy
import random
import runpy
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from npexport import Dim, InputMismatch, export
from tests.fuzz.command import exported_or_why, main, tallied
from tests.fuzz.function_programs import Writer, arguments, compiled
from tests.support.forms import reloaded
from tests.support.images import arrays_of, image, shared
from tests.support.quiet import quiet

SIZES = ((3, 4), (4, 4), (2, 2), (5, 3), (1, 3), (3, 1), (1, 1), (0, 3), (3, 0), (0, 0), (7, 6))


def called(program: Any, given: dict[str, Any], n: int) -> tuple[Any, dict[str, Any]]:
    """What a call of copies of the arguments gives, or the exception that it raises, and what it leaves in them."""
    given = {name: array.copy() for name, array in given.items()}
    with quiet():
        try:
            return program(**given, n=n), given
        except InputMismatch:
            raise
        except Exception as error:
            return error, given


def outcome(program: Any, given: dict[str, Any], n: int) -> Any:
    """What a call gives or raises, what it leaves in its arguments, and what shares memory."""
    result, given = called(program, given, n)
    if isinstance(result, Exception):
        return type(result).__name__, str(result), image(given)
    return image(result), image(given), shared([*given.values(), *arrays_of(result)])


def plain(exported: Any) -> Any:
    """The function that `to_python` writes, of the inputs that the program takes."""
    run = exported.module()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        exported.to_python(path)
        forward = runpy.run_path(str(path))["forward"]

    def call(**given: Any) -> Any:
        try:
            run(**copy.deepcopy(given))
        except InputMismatch:
            raise
        except Exception:  # which the other raises, too
            pass
        return forward(**given)

    return call


FORMS: tuple[Callable[[Any], Any], ...] = (
    lambda exported: exported.module(),
    lambda exported: exported.module(threads=2),
    lambda exported: reloaded(exported).module(),
    plain,
)
"""What is called of an exported program."""


def run(seed: int, writer: type[Writer] = Writer, form: int = 0) -> Counter[str]:
    """Outcomes by kind; ``form``: a place in ``FORMS``. Raises ``AssertionError`` with the source of a difference."""
    rng = random.Random(seed)
    rows, columns = rng.choice([(3, 4), (4, 4), (3, 3), (5, 2)])
    example = arguments(seed, rows, columns)
    source = writer(rng, example).program(rng.randint(1, 7))
    program = compiled(source)
    specs = {name: dict.fromkeys(range(array.ndim), Dim.AUTO) for name, array in example.items()} | {"n": rng.choice([Dim.DYNAMIC, None])}
    module = exported_or_why(
        source,
        lambda: FORMS[form](export(program, (), {**example, "n": 3}, dynamic_shapes=specs)),
        lambda error: (type(error).__name__, outcome(program, example, 3)[0]),
    )
    if isinstance(module, str):
        return Counter([module])
    sizes = enumerate(((rows, columns), *SIZES))
    calls = ((arguments(seed + number, *size), 3 if specs["n"] is None or not number else number % 5) for number, size in sizes)
    return tallied(source, lambda f, args: outcome(f, *args), program, module, calls)


if __name__ == "__main__":
    main(run)
