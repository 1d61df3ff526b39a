"""Hold random programs over arrays whose sizes vary apart (``apart_programs``, ``apart_families``) to eager execution.

``python -m tests.fuzz.apart [count] [seed] [kind]`` runs many; seeds go through the kinds in turn. A program is exported at sizes from 0 on
and called with others, each axis and each array for itself: 1 beside n, none, sizes that do not fit. Compared are results to the bit with
their dtypes, strides and whether they can be written to, what shares memory, what is left in the arguments, and exceptions; as exported,
saved and loaded, and decomposed (then types, dtypes, shapes and the kinds of exceptions). Programs that differ in warnings are counted.
"""

from __future__ import annotations

import copy
import random
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport import ExportError, export
from tests.fuzz.apart_families import Chains, Methods, Mixtures, Orders, Records
from tests.fuzz.apart_programs import Contractions, Grower, Indices, compiled
from tests.fuzz.command import exported_or_why, main, tallied
from tests.fuzz.layouts import equal_but_for_warnings, outcome
from tests.support.forms import reloaded
from tests.support.quiet import quiet

KINDS: dict[str, type[Grower]] = {
    "contractions": Contractions, "indices": Indices, "methods": Methods, "mixtures": Mixtures, "orders": Orders, "records": Records,
    "chains": Chains,
}  # fmt: skip
SIZES = (0, 1, 2, 3, 4, 5, 1, 2, 3, 7)
Call = tuple[dict[str, int], set[tuple[str, int]]]
"""The sizes by letter, and the axes of arrays that have one element nevertheless."""


def run(seed: int, kind: str = "") -> Counter[str]:
    """Outcomes by kind. Raises ``AssertionError`` with the source of a difference."""
    rng = random.Random(seed)
    grower = KINDS[kind or [*KINDS][seed % len(KINDS)]](rng)
    few = rng.choice(((2, 3, 4), (2, 3), (0, 1, 2, 3, 4, 5)))
    sizes = {letter: rng.choice(few) for letter in grower.letters}
    example = grower.arguments(seed, sizes, set())
    source = grower.program(copy.deepcopy(example), rng.randint(1, 6))
    program = compiled(source)
    dynamic = rng.choice((True, True, False))
    exported = exported_or_why(
        f"{source}\n{sizes}",
        lambda: export(program, (), copy.deepcopy(example), dynamic_shapes=grower.specs() if dynamic else None),
        lambda error: ((type(error).__name__, str(error)), outcome(program, copy.deepcopy(example))[0]),
    )
    if isinstance(exported, str):
        return Counter([exported])
    found: Counter[str] = Counter()
    for form, module in _forms(exported, seed % 3):
        calls = enumerate(_calls(random.Random(seed), grower, sizes) if dynamic else [(sizes, set())] * 2)
        compare = alike_when_decomposed if form == "decomposed" else equal_but_for_warnings

        def call_at(f: Any, call: Any) -> Any:
            with np.errstate(all="warn"):
                return outcome(f, grower.arguments(seed + call[0], *call[1]))

        found += tallied(f"{form}: {source}\nof {sizes}", call_at, program, module, calls, compare)
    return found


def _forms(exported: Any, number: int) -> Iterator[tuple[str, Any]]:
    yield "exported", exported.module()
    with quiet():
        try:
            if number == 0:
                yield "loaded", reloaded(exported).module()
            if number == 1:
                yield "decomposed", exported.run_decompositions().module()
        except ExportError as refusal:
            assert refusal.code == "E242", refusal


def _calls(rng: random.Random, grower: Grower, sizes: dict[str, int]) -> Iterator[Call]:
    yield sizes, set()
    for _ in range(4):
        yield {letter: rng.choice(SIZES) for letter in sizes}, set()
    for _ in range(3):
        name = rng.choice([*grower.axes])
        yield {letter: rng.choice((2, 3, 4)) for letter in sizes}, {(name, axis) for axis in range(len(grower.axes[name]))}
    yield dict.fromkeys(sizes, rng.choice((0, 1))), set()
    yield sizes, set()


def alike_when_decomposed(wanted: Any, found: Any) -> str:
    assert _loosely(found[0]) == _loosely(wanted[0]), f"wanted {wanted[0]}\nfound  {found[0]}"
    return "equal when decomposed"


def _loosely(found: Any) -> Any:
    """The type of an exception, or the types, dtypes and shapes of results."""
    return found[0] if type(found[0]) is str and len(found) == 2 else _form(found[0])


def _form(image: Any) -> Any:
    if len(image) == 5 and isinstance(image[1], np.dtype):
        return image[:3]
    return image[0], [*map(_form, image[1])] if image[0] in (list, tuple) else None


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word in KINDS]
    main(lambda seed: run(seed, *words[:1]))
