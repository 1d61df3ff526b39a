"""Hold random programs that draw to eager NumPy, states left included: ``python -m tests.fuzz.generators [count] [seed]``."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from npexport import Dim, ExportError, export
from tests.fuzz.command import main, reporting
from tests.fuzz.generator_programs import BIT_GENERATORS, compiled, program, seeded
from tests.support.forms import reloaded
from tests.support.plain_modules import module_of
from tests.support.quiet import quiet

CALLS = 3


def _left(generator: Any) -> Any:
    seed = generator.bit_generator.seed_seq
    return repr(generator.bit_generator.state), seed.n_children_spawned


def _shown(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, (tuple, list)):
        return type(value), [_shown(item) for item in value]
    return type(value), repr(value)


def _outcome(f: Any, rng: Any, other: Any, x: Any, n: float) -> Any:
    x = x.copy()
    with quiet():
        try:
            found = _shown(f(rng, other, x, n))
        except Exception as error:
            found = type(error).__name__, str(error)
    return found, _shown(x), _left(rng), _left(other)


def _forms(exported: Any) -> Iterator[Any]:
    """The program as a module, loaded, and as plain Python where it has that form."""
    yield from (exported.module(), reloaded(exported).module())
    with TemporaryDirectory() as folder:
        try:
            yield module_of(exported, Path(folder) / "plain.py").forward
        except ExportError as error:
            assert error.code == "E244", error


def difference(seed: int) -> tuple[str, str]:
    """(what became of the program: a code, ``raised``, ``same`` or ``differs``; the report where it is not eager's)."""
    source, rng = program(seed), random.Random(seed)
    cls, names = compiled(source), (rng.choice(BIT_GENERATORS), rng.choice(BIT_GENERATORS))
    example = [seeded(rng, name) for name in names]
    before = [_left(one) for one in example]
    x, n = np.arange(1.0, 4.0), rng.choice((1.5, 0.25))
    shapes = (None, None, {0: Dim("n", min=2, max=9)}, None) if rng.random() < 0.5 else None
    held = cls()
    try:
        with quiet():
            exported = export(held, (*example, x, n), dynamic_shapes=shapes)
    except ExportError as error:
        wrong = error.code in ("E901", "E902")
        return error.code, f"{source}\n{error}" if wrong else ""
    except Exception as error:
        eager = _outcome(cls(), *[seeded(random.Random(seed), name) for name in names], x, n)[0]
        same = eager[0] == type(error).__name__
        return "raised", "" if same else f"{source}\nexport raises {type(error).__name__}: {error}, eager gives {eager}"
    if [_left(one) for one in example] != before:
        return "differs", f"{source}\nthe export drew from an example"
    for run in _forms(exported):
        eager, states = cls(), rng.randrange(1 << 30)
        for iteration in range(CALLS):
            size = 3 if shapes is None else rng.randrange(2, 10)
            given = np.random.default_rng(states + iteration).normal(size=size)
            ours, theirs = ([seeded(random.Random(states + iteration), name) for name in names] for _ in range(2))
            expected, got = _outcome(eager, *theirs, given, n), _outcome(run, *ours, given, n)
            if expected != got:
                return "differs", f"{source}\neager: {expected}\nours:  {got}\n{exported}"
    return "same", ""


run = reporting(difference)


if __name__ == "__main__":
    main(run)
