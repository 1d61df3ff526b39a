"""Hold decompositions to their operators at odd operands and arguments: results as far as a decomposition promises them, types,
dtypes, exceptions and warnings.

``python -m tests.fuzz.decompositions [count] [seed] [sizes]`` runs many, with ``sizes`` at other sizes than the example's. A call
is a sample of an operator with operands in other dtypes, sizes, layouts and of extreme numbers, and with other axes, ``keepdims``,
``initial`` and ``dtype``.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from npexport import Dim, ExportError, InputMismatch, default_decompositions, export
from npexport.ir.arguments import map_leaves
from npexport.ir.decompositions.calling import Operand, of_operands
from tests.fuzz.command import exported_or_why, main
from tests.op_samples import has_samples, samples_of
from tests.support.images import image
from tests.support.quiet import quiet
from tests.support.variants import lying, sized

UNDEFINED = {"ops.np.empty", "ops.np.empty_like", "ops.np.choose", "ops.np.interp", "ops.nn.ctc_loss"}
"""What they give of such operands is left open: elements that nothing has set, choices that C looks for one step at a time, places that
do not increase, lengths that are none."""
COMPOSITE = [op for op in default_decompositions() if has_samples(op) and str(op) not in UNDEFINED]
DTYPES = (*"f2 f4 f8 g F D G i1 u1 i8 u8 ? M8[D] m8[s] >f8 >i4".split(), None, None, None)
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "axis": (None, 0, -1, 1, -2, 2, (0,), (0, 1), (-1, 0), (), (-1,)),
    "keepdims": (True, False),
    "ddof": (0, 1, 2, 5),
    "initial": (0, 1, -1, 2.5, np.nan, -0.0),
    "where": (True, False),
    "dtype": tuple([np.dtype(name) if name else None for name in DTYPES]),
}
ROUNDING = 64
"""Units in the last place of the largest result."""
OWN_WORDS = ("empty slice", "All-NaN slice", "Degrees of freedom", "Casting complex", "is not valid", "'generic' unit", "Converting input")
"""What NumPy's own Python warns of, and what is warned of constants."""


class Call(NamedTuple):
    op: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    operands: tuple[Any, ...]

    def __str__(self) -> str:
        given = [(str(getattr(each, "dtype", "")), getattr(each, "strides", ()), np.asarray(each).tolist()) for each in self.operands]
        shown = map_leaves((self.args, self.kwargs), lambda leaf: f"%{leaf.index}" if isinstance(leaf, Operand) else leaf)
        return f"{self.op} {shown}\n{given}"


def call_of(seed: int) -> Call:
    rng = random.Random(seed)
    op = rng.choice(COMPOSITE)
    args, kwargs = op.bind(*rng.choice(samples_of(op)))
    given: list[Any] = list(args)
    for place, name in enumerate(op.signature.parameters):
        if name in ARGUMENTS and rng.random() < 0.4:
            value = rng.choice(ARGUMENTS[name])
            if place < len(given):
                given[place] = value
            else:
                kwargs[name] = value
    dtypes = [rng.choice(DTYPES)] * 4 if rng.random() < 0.6 else [rng.choice(DTYPES) for _ in range(4)]
    resized = (rng.choice([0, -1]), rng.choice([0, 1, 2, 5])) if rng.random() < 0.35 else None
    layout, extremes = rng.choice([None, "F", "reversed", "strided"]), rng.random() < 0.6
    operands: list[Any] = []

    def place_of(leaf: Any) -> Any:
        if not isinstance(leaf, (np.ndarray, np.generic)):
            return leaf
        x = in_dtype(leaf, dtypes[len(operands) % len(dtypes)])
        x = sized(x, *resized) if resized else x
        x = extreme(rng, x) if extremes else x
        operands.append(lying(x, layout) if layout else x)
        return Operand(len(operands) - 1)

    return Call(op, map_leaves(tuple(given), place_of), map_leaves(kwargs, place_of), tuple(operands))


def in_dtype(x: Any, dtype: str | None) -> Any:
    if dtype is None or x.dtype.kind in "OSUV":
        return x
    with quiet():
        try:
            return x.astype(dtype)
        except (TypeError, ValueError):
            return x


def extreme(rng: random.Random, x: Any) -> Any:
    """With zeros of both signs, NaN, infinities and the greatest and smallest numbers among the elements."""
    kind = x.dtype.kind
    if kind == "f":
        limits = np.finfo(x.dtype)
        pool = [0.0, -0.0, np.nan, np.inf, -np.inf, limits.max, limits.tiny, -limits.smallest_subnormal, 1, -1, 0.5, -2.5]
    elif kind == "c":
        pool = [complex(real, imag) for real in (0.0, -0.0, np.nan, np.inf, 1) for imag in (0.0, -0.0, np.nan, -np.inf, 2)]
    elif kind in "iu":
        pool = [np.iinfo(x.dtype).max, np.iinfo(x.dtype).min, 0, 1, 2]
    elif kind in "mM":
        pool = [np.array(number, x.dtype) for number in ("NaT", 0, 5)]
    else:
        return x
    found, some = np.array(x), rng.sample(pool, min(len(pool), rng.choice([1, 2, 3, 12])))
    share, flat = rng.choice([0.2, 0.6, 1.0]), found.reshape(-1)
    for place in range(flat.size):
        if rng.random() < share:
            flat[place] = rng.choice(some)
    return found if isinstance(x, np.ndarray) else found[()]


def outcome(program: Any, operands: tuple[Any, ...]) -> tuple[Any, set[Any]]:
    """What a call gives, or the type that it raises; of what kinds of errors it warns."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            result = program(*operands)
        except ExportError:
            raise
        except Exception as error:  # noqa: BLE001  the operator's
            return type(error), set()
    said = [(each.category, str(each.message).partition(" encountered")[0]) for each in told]
    return result, {kind for kind in said if not any(words in kind[1] for words in OWN_WORDS)}


def alike(found: Any, wanted: Any, exact: bool) -> bool:
    """Equal as far as a decomposition promises."""
    if isinstance(wanted, (tuple, list)):
        pairs = zip(found, wanted, strict=True) if type(found) is type(wanted) else ()
        return type(found) is type(wanted) and all(alike(*pair, exact) for pair in pairs)
    if isinstance(wanted, type) or isinstance(found, (type, tuple, list)):
        return found is wanted
    mine, theirs = np.asarray(found), np.asarray(wanted)
    kinds = [(type(value), np.asarray(value).dtype, np.shape(value)) for value in (found, wanted)]
    if kinds[0] != kinds[1] or theirs.dtype.kind not in "fc":
        return bool(image(found) == image(wanted))
    finite = np.isfinite(theirs)
    if not exact and not np.all(finite):
        return True
    judged = finite if theirs.dtype.kind == "c" else np.ones(theirs.shape, np.bool_)
    mine, theirs = mine[judged], theirs[judged]
    rounding = 0 if exact else ROUNDING * np.finfo(theirs.dtype).eps
    with quiet():
        largest = np.max(np.abs(theirs), initial=1)
        return bool(np.allclose(mine, theirs, rtol=rounding, atol=0 if exact else rounding * largest, equal_nan=True))


def is_exact(op: Any, operands: tuple[Any, ...]) -> bool:
    """Whether a decomposition promises the last bit: NumPy's own source does, others as their docstrings say."""
    function = op.decomposition
    told = "Exact" if function.__module__.startswith("numpy") else function.__doc__
    rounds = ("but for", "within", "another order")
    return told.startswith("Exact") and not any(words in told for words in rounds) and not any(map(_sums, operands))


def _sums(x: Any) -> bool:
    return bool(np.asarray(x).dtype.kind == "c")  # products of complex numbers are sums


def run(seed: int) -> str:
    """The outcome of a seed. Raises ``AssertionError`` with the call of a difference."""
    call = call_of(seed)
    program = exported_or_why(call, lambda: export(of_operands(call.op, call.args, call.kwargs), call.operands))
    if isinstance(program, str):
        return program
    with quiet():
        core = program.run_decompositions()
    if core.graph.find_nodes(target=call.op) or not program.graph.find_nodes(target=call.op):
        return "stays"
    (wanted, warned), (found, told) = outcome(program.module(), call.operands), outcome(core.module(), call.operands)
    exact = is_exact(call.op, call.operands)
    assert alike(found, wanted, exact), f"{call}\nwanted {wanted!r}\nfound  {found!r}\n{core.graph}"
    if exact and not call.op.name.startswith("scalar_"):
        assert told == warned, f"{call}\nwarns of {warned}\nfound     {told}"
    return "raises the same" if isinstance(wanted, type) else "same"


def run_resized(seed: int) -> Counter[str]:
    """The outcomes of a seed's call, exported with dynamic sizes, at others."""
    call, rng = call_of(seed), random.Random(seed)
    shapes = {"operands": tuple([dict.fromkeys(range(np.ndim(operand)), Dim.AUTO) or None for operand in call.operands])}
    program = exported_or_why(call, lambda: export(of_operands(call.op, call.args, call.kwargs), call.operands, dynamic_shapes=shapes))
    if isinstance(program, str):
        return Counter([program])
    with quiet():
        core = program.run_decompositions()
    if not program.graph.find_nodes(target=call.op):
        return Counter(["is another operator"])
    if core.graph.find_nodes(target=call.op):
        return Counter([f"stays {call.op}"])
    found: Counter[str] = Counter()
    modules = program.module(), core.module()
    for _ in range(8):
        place, size = rng.choice([0, 0, 1, -1, -2]), rng.choice([0, 0, 1, 1, 2, 3, 4, 7])
        others = tuple([resized(operand, place, size) for operand in call.operands])
        try:
            wanted, _ = outcome(modules[0], others)
        except InputMismatch:
            found["not accepted"] += 1
            continue
        ours, _ = outcome(modules[1], others)
        told = call._replace(operands=others)
        exact = is_exact(call.op, others)
        assert alike(ours, wanted, exact), f"{told}\nexported with {call.operands}\nwanted {wanted!r}\nfound  {ours!r}\n{core.graph}"
        found["raises the same" if isinstance(wanted, type) else "same"] += 1
    return found


def resized(operand: Any, place: int, size: int) -> Any:
    return sized(operand, place, size) if -np.ndim(operand) <= place < np.ndim(operand) else operand


if __name__ == "__main__":
    main(run_resized if "sizes" in sys.argv else run)
