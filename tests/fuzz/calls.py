"""Hold random calls with operands that only the data know to eager execution: ``python -m tests.fuzz.calls [count] [seed]``.

Compared are results to the bit with their types and dtypes, what is left in the arguments, also where the program raises, and the
exceptions with their texts and causes.
"""

from __future__ import annotations

from typing import Any

from npexport import ExportError, InputMismatch, export
from tests.fuzz.call_programs import arguments, compiled, source
from tests.fuzz.command import main
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
    try:
        with quiet():
            module = export(f, (), example).module()
    except ExportError as refusal:
        assert refusal.code[1] != "9", f"{text}\n{refusal}"
        return f"refused {refusal.code}"
    except Exception as error:
        wanted = outcome(f, example)[0]
        assert wanted[0] == type(error).__name__, f"{text}\nexport raises {error!r}, eager {wanted}"
        return "raises"
    for number in range(RUNS):
        given = arguments(seed + number)
        try:
            found = outcome(module, given)
        except InputMismatch:
            continue
        wanted = outcome(f, given)
        assert found == wanted, f"{text}\nof {given}\nwanted {wanted}\nfound  {found}"
    return "same"


if __name__ == "__main__":
    main(run)
