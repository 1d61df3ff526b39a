"""Hold random calls with operands that only the data know to eager execution: ``python -m tests.fuzz.calls [count] [seed]``.

Compared are results to the bit with their types and dtypes, what is left in the arguments, also where the program raises, and the
exceptions with their texts and causes.
"""

from __future__ import annotations

from typing import Any

from npexport import InputMismatch, export
from tests.fuzz.call_programs import arguments, compiled, source
from tests.fuzz.command import exported_or_why, main, tallied
from tests.support.images import image
from tests.support.quiet import quiet

RUNS = 8


def outcome(f: Any, given: dict[str, Any]) -> Any:
    """What a call gives or raises, and what it leaves in its arguments."""
    given = {name: array.copy() for name, array in given.items()}
    with quiet():
        try:
            return image(f(**given)), image(given)
        except InputMismatch:
            raise
        except Exception as error:
            return chain(error), image(given)


def chain(error: BaseException | None) -> Any:
    """What an exception says, and what it was raised from."""
    return error and (type(error).__name__, str(error), chain(error.__cause__))


def run(seed: int) -> str:
    """What became of one program. Raises ``AssertionError`` with the report of a difference."""
    text = source(seed)
    try:
        f = compiled(text)
    except SyntaxError:
        return "no program"
    example = arguments(seed)
    made = exported_or_why(text, lambda: export(f, (), example), lambda error: (type(error).__name__, outcome(f, example)[0][0]))
    if isinstance(made, str):
        return made
    tallied(text, outcome, f, made.module(), (arguments(seed + number) for number in range(RUNS)))
    return "same"


if __name__ == "__main__":
    main(run)
