"""``sum`` adds up the rounding errors of Python's floats from CPython 3.12 on, whatever holds them."""

import collections
import itertools

import numpy as np
import pytest

from npexport import export

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


@pytest.mark.parametrize("text", SUMS)
def test_sums_are_as_in_eager_execution(text):
    program = eval(f"lambda x, a, b, c: {text}", {"collections": collections, "itertools": itertools, "np": np})

    def called(x):
        return program(x, float(x[0]), float(x[1]), float(x[2]))

    rng = np.random.default_rng(0)
    run = export(called, (rng.normal(size=3),)).module()
    for _ in range(100):
        x = rng.normal(size=3) * 10.0 ** rng.integers(-3, 4, 3)
        assert repr(run(x)) == repr(called(x))
