"""Hold what is proved of rows to what the rows do, in random programs: called with parts of the rows, a program gives parts of its
result. ``python -m tests.fuzz.splits [count] [seed]``."""

from __future__ import annotations

import functools
from collections import Counter
from typing import Any

import numpy as np

from npexport import Dim, InputMismatch, export
from npexport.ir.pytree import tree_flatten
from tests.fuzz.command import exported_or_why, main
from tests.fuzz.split_programs import Writer
from tests.support.functions import function_of
from tests.support.quiet import quiet

_CUTS = ((4, 2), (7, 3), (5, 1))


def _rows(rng: np.random.Generator, count: int) -> tuple[Any, ...]:
    return rng.integers(-4, 6, (count, 3)) / 2, rng.integers(-3, 5, count) / 2, rng.integers(0, 4, count)


def run(seed: int) -> str | Counter[str]:
    """Whether parts of the rows gave parts of the results. Raises ``AssertionError`` with what was proved and does not hold."""
    source, rng = Writer(seed).program(), np.random.default_rng(seed)
    f, table, rows = function_of(source, {"np": np}), rng.integers(-3, 6, (3, 3)) / 2, {0: Dim("rows")}
    exported = exported_or_why(source, lambda: export(f, (*_rows(rng, 4), table), dynamic_shapes=(rows, rows, rows, None)))
    if type(exported) is str:
        return exported
    found = exported.independent_dims().get("rows")
    if found is None:
        return "coupled"
    outcomes, module = Counter[str](), exported.module()
    axes = [found.outputs.get(path) for path in exported.call_spec.out_spec.paths("result")]
    for count, cut in _CUTS:
        given = _rows(rng, count)
        parts = [tuple(each[chosen] for each in given) for chosen in (slice(cut), slice(cut, None))]
        runs = [functools.partial(module, *each) for each in (given, *parts)]
        runs.append(functools.partial(exported.module(chunks={"rows": cut}), *given))
        try:
            with quiet():
                whole, *halves, chunked = (tree_flatten(run(table.copy()))[0] for run in runs)
        except InputMismatch:
            outcomes["size not accepted"] += 1
            continue
        except Exception as error:
            outcomes[f"raises {type(error).__name__}"] += 1
            continue
        report = f"{source}\nof {given}\n{found}\nwhole {whole}\nparts {halves}\nchunks {chunked}"
        for leaf, one, other, cut_up, axis in zip(whole, *halves, chunked, axes, strict=True):
            joined = one if axis is None else np.concatenate([one, other], axis)
            assert _are_same(leaf, joined, found.exact) and _are_same(leaf, cut_up, found.exact), report
        outcomes["equal"] += 1
    return outcomes


def _are_same(whole: Any, joined: Any, exact: bool) -> bool:
    return np.array_equal(joined, whole, equal_nan=True) if exact else np.allclose(joined, whole, equal_nan=True, rtol=1e-6)


if __name__ == "__main__":
    main(run)
