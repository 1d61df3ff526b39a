"""A bounded number of mutants of the textbook's programs, and what the fuzzer does with them."""

from __future__ import annotations

import ast
import random
from typing import Any

import numpy as np
import pytest

from tests.fuzz.mutants import Program, check, run_of, textbook
from tests.fuzz.mutations import MUTATIONS, Site
from tests.support.functions import function_of
from tests.support.shards import shard

EVERY_PLACE = """
def program(x, y):
    total = 0
    for row in x:
        if row.sum() > 1:
            total += row[0] * 2
        y = y + row
    return total, y
"""


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", shard(range(160), 4))
def test_mutant(seed: int) -> None:
    assert run_of(textbook())(seed)


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_mutation_makes_another_program(name: str) -> None:
    tree: Any = ast.parse(EVERY_PLACE)
    before = ast.unparse(tree)
    MUTATIONS[name](Site(tree.body[0], random.Random(5)))
    after = ast.unparse(ast.fix_missing_locations(tree))
    assert after != before
    assert callable(function_of(after, {"np": np}))


def test_a_difference_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def program(x: Any) -> Any:
        return x + 1

    monkeypatch.setattr("tests.fuzz.mutants.export", lambda f, args, **options: type("", (), {"module": lambda self: lambda x: x + 2})())
    with pytest.raises(AssertionError, match="eager: "):
        for seed in range(20):
            check(Program(program, (np.ones(3),), {}), random.Random(seed))
