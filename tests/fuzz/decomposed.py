"""Hold decomposed programs over most of NumPy's functions to the programs that they are made of, with dynamic sizes.

``python -m tests.fuzz.decomposed [count] [seed]`` runs many. A decomposed program is valid, and decomposing it again, or reading it from
a file, changes nothing: neither graph nor archive. It keeps signature, ranges, guards, lines and modules, holds core operators but for
calls that stay, and gives within rounding what the program gives, raises what it raises, and leaves in the arguments what it leaves.
"""

from __future__ import annotations

import io
import random
from collections import Counter
from typing import Any

import numpy as np

from npexport import Dim, InputMismatch, core_operators, export, load
from npexport.ir.graph import CALL
from tests.fuzz.command import exported_or_why, main
from tests.fuzz.function_programs import Writer, arguments, compiled
from tests.fuzz.functions import SIZES, called
from tests.support.forms import archived
from tests.support.images import image
from tests.support.quiet import quiet

ROUNDING = 1e-3
"""Of programs of several calls, in which differences of the last place grow."""
CORE = core_operators()


def kept(program: Any) -> dict[str, Any]:
    """What a decomposed program has as the program that it is made of has it."""
    signature = program.graph_signature
    return {
        "inputs": [(spec.kind, spec.target, str(spec.arg)) for spec in signature.input_specs if "CONSTANT" not in spec.kind.name],
        "outputs": [(spec.kind, spec.target) for spec in signature.output_specs],
        "mutated": sorted(signature.user_inputs_to_mutate.values()),
        "ranges": program.range_constraints,
        "guards": [str(guard) for guard in program.guards],
        "calls": (program.call_spec.in_spec, program.call_spec.out_spec),
    }


def calls(program: Any) -> list[Any]:
    return [node for graph in program.graph.all_graphs() for node in graph.nodes if node.op == CALL]


def lines(program: Any) -> set[Any]:
    return {(str(node.meta.get("stack_trace")), str(node.meta.get("nn_module_stack"))) for node in calls(program)}


def near(found: Any, wanted: Any) -> bool:
    """Equal in types, dtypes and shapes, and nearly in values."""
    if type(found) is not type(wanted):
        return False
    if isinstance(wanted, dict):
        return list(found) == list(wanted) and all(near(found[key], wanted[key]) for key in wanted)
    if isinstance(wanted, (list, tuple)):
        return len(found) == len(wanted) and all(map(near, found, wanted))
    if isinstance(wanted, (np.ndarray, np.generic)) and found.dtype != wanted.dtype:
        return False
    mine, theirs = np.asarray(found), np.asarray(wanted)
    if theirs.dtype.kind not in "fc":
        return bool(image(found) == image(wanted))
    return mine.shape == theirs.shape and bool(np.allclose(mine, theirs, rtol=ROUNDING, atol=ROUNDING, equal_nan=True))


def outcome(program: Any, given: dict[str, Any], n: int) -> Any:
    """What a call gives, or the type that it raises, and what it leaves in its arguments."""
    result, given = called(program, given, n)
    return [type(result).__name__ if isinstance(result, Exception) else result, list(given.values())]


def run(seed: int) -> Counter[str]:
    """Outcomes by kind. Raises ``AssertionError`` with the source of a difference."""
    rng = random.Random(seed)
    rows, columns = rng.choice([(3, 4), (4, 4), (3, 3), (5, 2)])
    example = arguments(seed, rows, columns)
    source = Writer(rng, example).program(rng.randint(1, 5))
    specs = {name: dict.fromkeys(range(array.ndim), Dim.AUTO) for name, array in example.items()} | {"n": Dim.DYNAMIC}
    shapes = specs if rng.random() < 0.8 else None
    program = exported_or_why(source, lambda: export(compiled(source), (), {**example, "n": 3}, dynamic_shapes=shapes))
    if isinstance(program, str):
        return Counter([program])
    with quiet():
        core = program.run_decompositions()
        again = core.run_decompositions()
        saved = archived(core)
        loaded = load(io.BytesIO(saved))
    core.validate()
    assert str(again) == str(core) and again.dialect == core.dialect == "CORE", f"{source}\nfound {core}\nagain {again}"
    assert archived(again) == saved == archived(loaded), f"{source}\nanother archive"
    assert str(loaded) == str(core), f"{source}\nsaved {core}\nloaded {loaded}"
    assert kept(core) == kept(program), f"{source}\n{kept(program)}\n{kept(core)}"
    assert lines(core) <= lines(program), f"{source}\n{lines(core) - lines(program)}"
    found = Counter([f"stays: {node.target}" for node in calls(core) if node.target.namespace in ("np", "nn") and node.target not in CORE])
    for number, size in enumerate(((rows, columns), *SIZES)):
        given = arguments(seed + number, *size)
        try:
            wanted = outcome(program.module(), given, 3)
        except InputMismatch:
            found["size not accepted"] += 1
            continue
        ours, again_ours = outcome(core.module(), given, 3), outcome(loaded.module(), given, 3)
        assert near(ours, wanted), f"{source}\nsizes {size}\nwanted {wanted}\nfound  {ours}\n{core.graph}"
        assert image(ours) == image(again_ours), f"{source}\nsizes {size}\nfound  {ours}\nloaded {again_ours}"
        found["equal"] += 1
    return found


if __name__ == "__main__":
    main(run)
