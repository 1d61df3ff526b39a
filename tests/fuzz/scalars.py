"""Random programs over scalars (``scalar_programs``), exported and held to eager NumPy: values bit by bit, types, warnings, errors.

``python -m tests.fuzz.scalars [count] [seed]`` runs many; each program is source text, printed where it differs.
"""

from __future__ import annotations

import random
import re
import warnings
from typing import Any

import numpy as np

from npexport import Dim, ExportError, export
from tests.fuzz.command import main
from tests.fuzz.scalar_programs import Program
from tests.support.functions import function_of
from tests.support.images import image

CALLS = 4
DISCARDING = re.compile(
    r"type\(|isscalar|isinstance|shape|ndim|size|nbytes|strides|flags|isrealobj|iscomplex|dtype|full_like|\.fill|flags|sort\(\)|\.put|\.base"
)
"""What needs no value of its operand, so that nothing computes it and nothing warns."""


def outcome(function: Any, arguments: tuple[Any, ...]) -> Any:
    """What a call gives or raises, and of what it warns."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            result = "gives", image(function(*[item.copy() if isinstance(item, np.ndarray) else item for item in arguments]))
        except ExportError as refusal:
            if refusal.code != "E401":
                raise
            return None
        except Exception as error:
            result = "raises", (type(error), str(error).partition("\nRaised by")[0])
    # Python asks a stand-in of a scalar first, being of a subclass of that of arrays: `array < scalar` is `scalar > array` in the graph
    return result, sorted({(warning.category.__name__, str(warning.message).replace("greater", "less")) for warning in seen})


def run(seed: int) -> str:
    """Generate, export and compare one program: what came of it. Raises ``AssertionError`` with the source where something differs."""
    program = Program(random.Random(seed))
    function = function_of(program.source, {"np": np})
    rng = np.random.default_rng(seed)
    example = program.arguments(rng, plain=True)
    where = f"seed {seed}, dtypes {program.dtypes}\n{program.source}"
    dims = ({0: Dim.AUTO}, {0: Dim.AUTO}, Dim.AUTO, Dim.AUTO)
    expected, _ = outcome(function, example)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exported = export(function, example, dynamic_shapes=dims).module()
    except ExportError as refusal:
        assert refusal.code[:2] != "E9", f"{where}\n{refusal}"
        return refusal.code
    except Exception as error:
        found = "raises", (type(error), str(error))
        assert expected == found, f"{where}\neager {expected}\nexport raises {error!r}"
        return "raises"
    compared = 0
    for number in range(CALLS):
        arguments = example if number == 0 else program.arguments(rng)
        found = outcome(exported, arguments)
        if found is None:
            continue
        compared += 1
        want = outcome(function, arguments)
        if DISCARDING.search(program.source):
            want, found = want[0], found[0]
        assert want == found, f"{where}\n{arguments}\neager    {want}\nexported {found}"
    assert compared, f"{where}\nthe example is refused"
    return "same"


if __name__ == "__main__":
    main(run)
