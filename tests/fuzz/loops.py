"""Random loops on data, and of a known number of iterations, which one program in two keeps as loops:
exported, each gives what it gives eagerly, or is refused. ``python -m tests.fuzz.loops [count]
[seed]``.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from npexport import ExportError, export
from tests.fuzz.command import main
from tests.fuzz.loop_programs import Holder, Pair, Writer
from tests.support.functions import function_of
from tests.support.quiet import quiet

ARGUMENTS = [
    (np.array([0.5, 1.0, -0.5]), np.array(3)),
    (np.array([5.0, 4.0, 3.0]), np.array(0)),
    (np.array([-1.0, -2.0, 0.25]), np.array(5)),
    (np.array([1.5, 0.0, 2.5]), np.array(1)),
]


def outcome(function: Any, arguments: Any) -> Any:
    """What a call gives or raises, and what its arguments are afterwards, as text to the bit."""
    given = copy.deepcopy(arguments)
    with quiet():
        try:
            result: Any = function(*given)
            leaves = result if isinstance(result, tuple) else (result,)
            text = [repr(result), [leaf.tobytes() for leaf in leaves if isinstance(leaf, (np.ndarray, np.generic))]]
        except ExportError:
            raise
        except Exception as error:
            text = [type(error).__name__]
    return text, repr(given)


def check(seed: int) -> str:
    """The verdict on one program. Raises ``AssertionError`` where the results differ."""
    source = Writer(seed).program()
    program = function_of(source, {"np": np, "Holder": Holder, "Pair": Pair})
    try:
        module = export(program, copy.deepcopy(ARGUMENTS[seed % 2]), unroll=bool(seed % 2)).module()
    except ExportError as error:
        assert error.code.startswith("E1"), f"{source}\n{error}"
        return error.code + " " + error.message[:90]
    except Exception as error:
        with np.errstate(all="ignore"):
            assert len(outcome(program, ARGUMENTS[seed % 2])[0]) == 1, f"{source}\n{error!r}"  # of both sides that raise, either
        return "raises"
    for arguments in ARGUMENTS:
        wanted, found = outcome(program, arguments), outcome(module, arguments)
        assert wanted == found, f"seed {seed}\n{source}\n{arguments}\nwanted {wanted}\nfound  {found}"
    return "captured"


if __name__ == "__main__":
    main(check)
