"""Hold random programs of nested control flow to eager execution: ``python -m tests.fuzz.control [count] [seed]``.

Compared over several calls are results with their types, what is left in the arguments and on the object, what shares memory, what is
raised with its text, and warnings that eager execution does not give. Every third program has a dynamic size; every fourth is saved and
loaded, every fifth decomposed.
"""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np

from npexport import Dim, ExportError, InputMismatch, export
from tests.fuzz.command import main
from tests.fuzz.control_programs import Writer, inputs
from tests.support.forms import reloaded
from tests.support.images import arrays_of, image, shared

RUNS = 7


def call(f: Any, state: Any, args: tuple[Any, ...]) -> tuple[Any, set[str]]:
    """What a call gives and leaves, and its warnings; ``None`` where the program says that it is not for such arguments."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = f(*args)
            given = image(result), shared([*arrays_of(result), *args])
        except InputMismatch:
            return None, set()
        except Exception as error:
            given = type(error).__name__, str(error)
    return (given, image(args), image(state())), {f"{warning.category.__name__}: {warning.message}" for warning in caught}


def held(module: Any) -> dict[str, Any]:
    """The state of a module by name; what says which kind a number is has the name of the number in front."""
    named = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    return {name: value for name, value in named.items() if "." not in name and name != "interrupted"}


def run(seed: int) -> str:
    """What became of the program: a code, ``raises``, ``same``. Raises ``AssertionError`` with the source where it is not eager's."""
    writer, rng = Writer(seed), random.Random(seed)
    source = writer.program()
    scope: dict[str, Any] = {}
    exec(compile(source, f"<control {seed}>", "exec"), scope)
    make, dynamic = scope["Model"], seed % 3 == 0
    example = inputs(rng, writer.dtype, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exported = export(make(), example, dynamic_shapes=({0: Dim.AUTO}, None) if dynamic else None)
        except ExportError as error:
            assert not error.code.startswith("E9"), f"{source}\n{error}"
            return error.code
        except Exception as error:
            found = call(make(), tuple, example)[0][0]
            assert found[0] == type(error).__name__, f"{source}\nexport raises {error!r}, eager gives {found}"
            return "raises"
        if seed % 5 == 0:
            exported = exported.run_decompositions()
        if seed % 4 == 0:
            try:
                exported = reloaded(exported)
            except ExportError as error:  # classes are not in files
                assert error.code == "E242", f"{source}\n{error}"
                return error.code
    eager, module = make(), exported.module()
    for number in range(RUNS):
        args = inputs(rng, writer.dtype, rng.choice((3, 3, 1, 5, 2)) if dynamic else 3)
        kept = tuple(arg.copy() for arg in args)
        before = image(vars(eager))
        mine, ours = call(module, lambda: held(module), tuple(arg.copy() for arg in args))
        if mine is None:
            continue
        theirs, warned = call(eager, lambda: {name: np.asarray(getattr(eager, name)) for name in held(module)}, args)
        if dict(module.named_buffers()).get("interrupted"):  # the program says so itself: its next call raises
            mine, theirs = mine[:2], theirs[:2]
        report = f"{source}\ncall {number} of {kept}, state {before}\neager: {theirs}\nours:  {mine}"
        assert mine == theirs, report
        if seed % 5 == 0:  # a decomposed program calls the ufuncs of arrays
            ours, warned = [{text.replace("scalar ", "") for text in texts} for texts in (ours, warned)]
        assert ours <= warned, f"{report}\nwarnings: {ours - warned}, eager: {warned}"
        if len(theirs[0]) == 2 and isinstance(theirs[0][0], str):
            eager, module = make(), exported.module()
    return "same"


if __name__ == "__main__":
    main(run)
