"""``sum`` adds up the rounding errors of Python's floats from CPython 3.12 on, whatever holds them."""

import collections
import itertools
import sys

import numpy as np
import pytest

from npexport import Unsupported, export

SUMS = (
    "sum([a, b, c])", "sum((a, b, c))", "sum([a, b], 0.5)", "sum([a, b], 1)", "sum([1, a, b])", "sum([a, 1, b])", "sum([len(x), a, b])",
    "sum([True, a, b, c])", "sum(iter([a, b, c]))", "sum(reversed([a, b, c]))", "sum(collections.deque([a, b, c]))",
    "sum({1: a, 2: b, 3: c}.values())", "sum(itertools.chain([a], (b, c)))", "sum(itertools.islice([a, b, c], 3))",
    "sum(itertools.accumulate([a, b, c]))", "sum({1: a, 2: b}.values(), start=0.25)", "sum(float(v) for v in x)", "sum(map(float, x))",
    "sum([x[0], a, b, c])", "sum([a, b, x[2], c])", "sum([a, b])", "sum([a], -0.0)", "sum(zip([a], [b]), ())",
    "sum([0.1, 1e17, -1e17], a)", "sum([a, b, c, x[2], a, 0.1, b])", "sum([0.1, 0.2, a, x[0]], b)",
    "sum([a, b], x[2])", "sum([a, b, c], True)",
    "sum([a, b, x[2]]) if a > b else sum([a, b, c])", "type(sum([a, b, x[2]])).__name__", "isinstance(sum((a, x[1], c)), np.floating)",
    "(x.astype(np.float32) * sum([a, b, x[2]])).dtype", "x.astype(np.float32) * sum([a, b, x[2].astype(np.float32)])",
)  # fmt: skip


OF_COMPLEX = (
    "sum([complex(a, b), complex(b, c), complex(c, a)])", "sum(complex(v, 1e17 * v) for v in x)", "sum((x * 1j).tolist())",
    "sum([1, 2, complex(a, b), 3])", "sum({1: complex(a, b), 2: complex(b, c), 3: complex(c, a)}.values())",
    "sum([complex(a, b), complex(b, c), complex(c, a)], complex(a, a))", "sum(map(complex, x.tolist()), start=1j)",
    "sum([complex(a, b), complex(c, b)], start=a)",
)  # fmt: skip
"""Sums of complex numbers, which are corrected from CPython 3.14 on."""
OF_BOTH = (
    "sum((complex(a, b), c, complex(c, a), 2))", "sum([a, complex(a, b), c, 1, b])", "sum([a, b, c, complex(a, b), c, 1, b])",
    "sum([complex(a, b), c, complex(c, a)], 0.5)", "sum([a, b, c], start=complex(a, c))",
)  # fmt: skip
"""Sums of complex numbers and floats, captured from there on."""
MIXED_BITS = ("sum([a, int(b), c, int(a)])", "sum([int(v) if v < 0 else v for v in x.tolist()])", "sum([int(a), b, int(c), a], 0.5)")
NEWER = sys.version_info >= (3, 14)


@pytest.mark.parametrize("text", [*SUMS, *OF_COMPLEX, *MIXED_BITS, *(OF_BOTH if NEWER else ())])
def test_sums_are_as_in_eager_execution(text):
    program = eval(f"lambda x, a, b, c: {text}", {"collections": collections, "itertools": itertools, "np": np})

    def called(x):
        return program(x, float(x[0]), float(x[1]), float(x[2]))

    rng = np.random.default_rng(0)
    run = export(called, (rng.normal(size=3),)).module()
    for _ in range(100):
        x = rng.normal(size=3) * 10.0 ** rng.integers(-3, 17, 3)
        assert repr(run(x)) == repr(called(x))


@pytest.mark.parametrize("text", OF_BOTH)
def test_sums_of_floats_and_complex_numbers_are_corrected_or_refused(text):
    def called(x):
        return eval(text, {"x": x, "a": float(x[0]), "b": float(x[1]), "c": float(x[2])})

    try:
        export(called, (np.ones(3),))
    except Unsupported as error:
        assert error.code == "E104" and not NEWER
    else:
        assert NEWER
