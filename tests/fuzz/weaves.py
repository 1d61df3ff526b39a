"""Hold random programs in which everything meets (``weave_programs``) to eager execution: ``python -m tests.fuzz.weaves [count] [seed]``.

Compared is what ``layouts`` compares, and after every call, also one that raises, the state of the object. In turn programs are called as
exported, saved and loaded, and decomposed; with dynamic sizes that nobody names, named ones of which one is derived, and static ones.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from npexport import Dim, InputMismatch, export
from tests.fuzz.command import exported_or_why, main
from tests.fuzz.layouts import differing, outcome
from tests.fuzz.state import at
from tests.fuzz.weave_programs import Writer
from tests.support.forms import reloaded

FORMS = ("exported", "exported", "loaded", "decomposed")


def dims(writer: Writer, seed: int) -> Any:
    if seed % 5 == 0:
        return None
    if seed % 5 > 1:
        return tuple(None if rank is None else dict.fromkeys(range(rank), Dim.AUTO) for rank in writer.dims())
    n, m = Dim("n", min=writer.sizes[0][0] and 1), Dim("m")
    return ({0: n}, {0: n}, {0: n, 1: m}, {0: 2 * n + 1}, *({0: n},) * 5, None)


def run(seed: int) -> Counter[str]:
    """Outcomes by kind. Raises ``AssertionError`` with the source of a difference."""
    writer = Writer(seed)
    names: dict[str, Any] = {"np": np}
    exec(writer.source, names)
    make, form = names["Program"], FORMS[seed % len(FORMS)]

    def exported() -> Any:
        made = export(make(), writer.arguments(*writer.sizes[0]), dynamic_shapes=dims(writer, seed))
        return {"loaded": reloaded, "decomposed": lambda program: program.run_decompositions()}.get(form, lambda program: program)(made)

    def raised(error: Exception) -> Any:
        return (type(error).__name__, str(error)), outcome(make(), writer.arguments(*writer.sizes[0]))[0]

    program = exported_or_why(writer.source, exported, raised)
    if isinstance(program, str):
        return Counter([program])
    module, eager, found = program.module(), make(), Counter[str]()
    draw = writer.draw
    sizes = [writer.sizes[0]] * 3 if seed % 5 == 0 else [writer.sizes[0], *draw.sample(writer.sizes, 5), writer.sizes[0]]
    for number, size in enumerate(sizes):
        salt = draw.randrange(4) if number else 0
        try:
            ours = outcome(module, writer.arguments(*size, salt))
        except InputMismatch:
            found["size not accepted"] += 1
            continue
        wanted = outcome(eager, writer.arguments(*size, salt))
        told = f"{writer.source}\n{form}, call {number}: {size}, {salt}: {writer.dtypes} {writer.memory} {writer.pair}"
        kind = _compared(wanted, ours, module, eager, form, told)
        found[kind] += 1
        if kind == "interrupted":
            break
    return found


def _compared(wanted: Any, ours: Any, module: Any, eager: Any, form: str, told: str) -> str:
    raises = isinstance(wanted[0][0], str)
    if form == "decomposed":
        assert raises == isinstance(ours[0][0], str), f"{told}\nwanted {wanted[0]}\nfound  {ours[0]}"
        return "equal"
    assert wanted[:-1] == ours[:-1], f"{told}\nwanted {differing(wanted, ours)}\nfound  {differing(ours, wanted)}"
    assert set(ours[-1]) <= set(wanted[-1]), f"{told}\nwanted {wanted[-1]}\nfound  {ours[-1]}"
    state = dict(module.named_buffers())
    if state.get("interrupted"):
        return "interrupted"
    for name, have in state.items():
        want = at(eager, name)
        if isinstance(want, (np.ndarray, np.generic, int, float, complex)) and f"{name}.is_set" not in state:
            assert np.array_equal(have, want, equal_nan=have.dtype.kind in "fcMm"), f"{told}\n{name}: {have}, not {want}"
    return "equal" if wanted[-1] == ours[-1] else "fewer warnings"


if __name__ == "__main__":
    main(run)
