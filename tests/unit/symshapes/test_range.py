"""``range`` of sizes: against ``range`` itself at the example, and what a program that uses one needs of its sizes."""

from __future__ import annotations

import copy
import itertools

import numpy as np
import pytest

from npexport import Dim, InputMismatch, export
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.ranges import ValueRanges
from npexport.symshapes.symint import is_symbolic
from npexport.symshapes.symrange import SymRange, sym_range

QUERIES = {
    "items": list,
    "reversed": lambda r: list(reversed(r)),
    "length": lambda r: r.__len__(),
    "truth": bool,
    "contains": lambda r: [i in r for i in range(-9, 10)] + ["a" in r, 2.0 in r],
    "first": lambda r: r[0],
    "last": lambda r: r[-1],
    "third": lambda r: r[2],
    "slice": lambda r: r[1:],
    "index": lambda r: r.index(3),
    "index of text": lambda r: r.index("a"),
    "count": lambda r: (r.count(3), r.count(2.0), r.count("a")),
    "equal": lambda r: (r == range(3), r == r, r != range(1, 3)),
    "hash": hash,
    "text": repr,
    "type": lambda r: isinstance(r, range),
    "bound set": lambda r: setattr(r, "start", 2),
    "bound deleted": lambda r: delattr(r, "step"),
    "attribute set": lambda r: setattr(r, "more", 2),
    "copy": lambda r: list(copy.copy(r)),
}


def outcome(query, value):
    try:
        result = query(value)
    except (AttributeError, IndexError, ValueError) as error:
        return type(error), str(error)
    return [item.hint if is_symbolic(item) else item for item in result] if isinstance(result, list) else getattr(result, "hint", result)


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_against_range(query):
    for bounds in itertools.product((-4, 3), (0, 7), (1, 3, -2)):
        for dynamic in ({1}, {0, 1}, {2}):
            env = ShapeEnv()
            made = [env.create_symbol(f"n{at}", bound, ValueRanges(-9, 9)) if at in dynamic else bound for at, bound in enumerate(bounds)]
            assert outcome(query, sym_range(*made)) == outcome(query, range(*bounds)), (bounds, dynamic)


def test_plain_where_no_bound_is_a_size():
    assert sym_range(1, 5) == range(1, 5) and type(sym_range(3)) is range
    with pytest.raises(TypeError, match="range expected at least 1 argument"):
        sym_range()
    n = ShapeEnv().create_symbol("n", 0, ValueRanges(0, 9))
    with pytest.raises(ValueError, match="must not be zero"):
        SymRange(0, 4, n)


def every_fourth(x):
    return sum(x[i] for i in range(0, x.shape[0], 4))


def last_three(x):
    return [x[i] for i in range(len(x) - 3, len(x))]


def as_index(x):
    return x[range(len(x) - 1, -1, -1)], len(range(1, len(x)))


def as_array(x):
    return np.array(range(len(x))) + np.sum(range(2, len(x)), dtype=int)


def contains(x):
    return x if 5 in range(len(x)) else -x


PROGRAMS = {  # program: the sizes that its contract accepts
    every_fourth: range(40), last_three: range(40), as_index: range(40), as_array: range(3, 40), contains: range(6, 40),
}  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_programs(program):
    exported = export(program, (np.arange(8.0),), dynamic_shapes=({0: Dim.AUTO},)).module()
    accepted = set()
    for size in range(40):
        x = np.arange(float(size))
        try:
            result = exported(x)
        except InputMismatch:
            continue
        except IndexError as error:
            with pytest.raises(IndexError, match=str(error)):
                program(x)
        else:
            np.testing.assert_equal(result, program(x))
        accepted.add(size)
    assert accepted == set(PROGRAMS[program])
