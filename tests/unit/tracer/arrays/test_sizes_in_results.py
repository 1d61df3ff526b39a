"""Sizes as values of Python, in results of all kinds and given to every callable of C: what eager Python gives, or a coded refusal."""

from __future__ import annotations

import collections
import datetime
import fractions
import functools
import linecache
import math
import random
import statistics

import numpy as np
import pytest

from npexport import Dim, InputMismatch, Unsupported, export
from tests.fuzz.size_programs import SIZES, calls, difference, placements, same
from tests.support.forms import reloaded
from tests.support.functions import function_of
from tests.support.shards import shard

AUTO = {0: Dim.AUTO}


def test_every_value_in_every_place():
    found = collections.Counter()
    for program in shard(placements(), 4):
        result = difference(program)
        assert result in (None, "refused"), result
        found[result] += 1
    assert found[None] > 9 * found["refused"]


@pytest.mark.parametrize("seed", range(2))
def test_callables_of_c(seed):
    rng, compared = np.random.default_rng(seed), 0
    for _ in range(1000):
        result = difference(calls(rng))
        assert result in (None, "refused", "skipped"), result
        compared += result is None
    assert compared > 75


class Index:
    def __init__(self, n):
        self.n = n

    def __index__(self):
        return self.n


def generated(n):
    return random.Random(n).random()


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: np.int64(7) & len(x),
        lambda x: len(x) << np.int64(1),
        lambda x: np.uint8(7) | len(x),
        lambda x: np.timedelta64(len(x), "D").astype(np.int64),
        lambda x: str(np.datetime64(len(x), "D")),
        lambda x: str(np.str_(len(x))),
        lambda x: datetime.timedelta(days=len(x)).total_seconds(),
        lambda x: (datetime.timedelta(1) * len(x)).days,
        lambda x: math.ldexp(1, len(x)),
        lambda x: float(fractions.Fraction(len(x), 3)),
        lambda x: float(statistics.mean([len(x), 2])),
        lambda x: list(collections.deque(range(9), maxlen=len(x))),
        lambda x: np.arange(20)[Index(len(x))],
        lambda x: generated(len(x)),
        lambda x: complex(6) == len(x),
        lambda x: fractions.Fraction(6) == len(x),
    ],
)
def test_sizes_that_c_is_given(fn):
    run = export(fn, (np.ones(6),), dynamic_shapes=(AUTO,)).module()
    accepted = 0
    for n in SIZES:
        try:
            actual = run(np.ones(n))
        except InputMismatch:
            continue
        accepted += 1
        assert same(actual, fn(np.ones(n)))
    assert accepted


@pytest.mark.parametrize(
    "fn",
    [
        lambda x, s: x * [1, 2, 3, 4][s],
        lambda x, s: (x * len(f"{s}"), s),
        lambda x, s: np.moveaxis(np.ones((2, 3, 4)), 0, s % 3) * x[0],
    ],
)
def test_input_numbers_become_constants(fn):
    run = export(fn, (np.arange(4.0), 3), dynamic_shapes=(None, Dim.AUTO)).module()
    np.testing.assert_equal(run(np.arange(4.0), 3), fn(np.arange(4.0), 3))
    with pytest.raises(InputMismatch, match=r"s: expected 3|s % 3 == 0"):
        run(np.arange(4.0), 4)


def test_differences_of_an_order_that_is_an_input_are_a_loop():
    def differences(x, s):
        return np.diff(x, s)

    run = export(differences, (np.arange(4.0) ** 2, 3), dynamic_shapes=(None, Dim.AUTO)).module()
    for s in range(1, 7):
        np.testing.assert_equal(run(np.arange(4.0) ** 2, s), differences(np.arange(4.0) ** 2, s))


def test_sums_over_a_range_of_an_input_number_are_loops():
    def f(x, s):
        return sum(x * i for i in range(s))

    run = export(f, (np.arange(4.0), 3), dynamic_shapes=(None, Dim.AUTO)).module()
    for s in (1, 3, 7):
        np.testing.assert_equal(run(np.arange(4.0), s), f(np.arange(4.0), s))


def test_programs_whose_sizes_became_constants_are_saved():
    program = export(lambda x, s: x[: len(f"{len(x)}")] * [1, 2, 3, 4][s], (np.ones(4), 3), dynamic_shapes=(AUTO, Dim.AUTO))
    loaded = reloaded(program)
    assert [guard.text for guard in loaded.guards] == [guard.text for guard in program.guards] != []
    np.testing.assert_array_equal(loaded.module()(np.ones(4), 3), [4.0])


def wrapped(*args, **kwargs):
    return _unwrapped(*args, **kwargs)


def _unwrapped(a, b):
    return a + 1 if a.shape == b.shape else a


wrapped.__wrapped__ = _unwrapped


@pytest.mark.parametrize("fn", [wrapped, np.full_like, np.interp, np.cov, np.column_stack])
def test_sizes_of_inputs_that_a_wrapper_takes(fn):
    """The names of a wrapper's arguments are not those of what it wraps: sizes that are only compared are found all the same."""
    args = {np.interp: (np.ones(3), np.arange(5.0), np.arange(5.0)), np.column_stack: ([np.ones(5), np.ones(5)],)}.get(
        fn, (np.ones(5),) * 2
    )
    specs = [{0: Dim.AUTO} if isinstance(arg, np.ndarray) else [{0: Dim.AUTO}] * 2 for arg in args]
    run = export(fn, args, dynamic_shapes=tuple(specs)).module()
    np.testing.assert_allclose(run(*args), fn(*args))
    longer = [np.arange(7.0) for _ in range(2)]
    args = {np.interp: (np.ones(3), *longer), np.column_stack: (longer,)}.get(fn, longer)
    np.testing.assert_allclose(run(*args), fn(*args))
    args = {np.interp: (np.ones(3), np.ones(7), np.ones(4)), np.column_stack: ([np.ones(7), np.ones(4)],)}.get(fn, (np.ones(7), np.ones(4)))
    with pytest.raises((InputMismatch, ValueError)):
        run(*args)


def test_exceptions_tell_numbers():
    def fn(x):
        error = LookupError(len(x), [len(x)], {len(x): (len(x),)})
        error.size = len(x)
        raise error

    with pytest.raises(LookupError) as caught:
        export(fn, (np.ones(6),), dynamic_shapes=(AUTO,))
    assert same(caught.value.args, (6, [6], {6: (6,)})) and type(caught.value.size) is int


def test_long_lines_are_clipped_around_the_span():
    numbers = ", ".join(map(str, range(2000)))
    text = f"fn = lambda x: x + [{numbers}][len(x)]  # {'and so on ' * 300}"

    linecache.cache["<a long line>"] = (len(text), None, [text + "\n"], "<a long line>")
    fn = function_of(compile(text, "<a long line>", "exec"))
    with pytest.raises(Exception, match="E301") as caught:
        export(fn, (np.ones(6),), dynamic_shapes=({0: Dim("n")},))
    assert max(map(len, str(caught.value).splitlines())) < 400 and "x: x + [0, 1, 2" in str(caught.value)


@functools.lru_cache
def cached(shape, axis):
    return sum(shape) * 2 + axis


def test_caches_of_functions_compare_sizes():
    """What a function remembers by sizes makes them no constants; what it would remember is remembered."""
    fn = lambda x, y: x[: cached(x.shape, 1) // 4] + cached(x.shape, 1) + cached(y.shape, 2) + cached.cache_info().hits  # noqa: E731
    cached.cache_clear()
    run = export(fn, (np.ones((6, 2)), np.ones(3)), dynamic_shapes=(AUTO, AUTO)).module()
    for n in (6, 0, 1, 9):
        cached.cache_clear()
        np.testing.assert_array_equal(run(np.ones((n, 2)), np.ones(n + 1)), fn(np.ones((n, 2)), np.ones(n + 1)))


def called_with(keys, options):
    """A program that calls a cached function with these keys, and tells which calls had the result of another one."""
    calls = "".join(f"    held = kept({key}); held.append(1); out.append(len(held))\n" for key in keys)
    text = f"""
def fn(x):
    @functools.lru_cache({options})
    def kept(*args):
        return []
    n, out = len(x), []
{calls}    return x.sum(), out, tuple(kept.cache_info())
"""
    return function_of(text, {"functools": functools, "np": np})


@pytest.mark.parametrize("options", ["", "typed=True", "maxsize=None"])
@pytest.mark.parametrize("keys", ["n 4", "4 n 4", "n n+1 5", "n 4.0 np.int64(4)", "(n,1) (4,1) n,1", "n,1 4.0,1 np.int64(4),1"])
def test_caches_hold_one_result_of_equal_keys(keys, options):
    fn = called_with(keys.split(), options)
    for example in (6, 4):
        run = export(fn, (np.ones(example),), dynamic_shapes=(AUTO,)).module()
        assert run(np.ones(example)) == fn(np.ones(example))
        for n in range(3, 8):
            try:
                assert run(np.ones(n)) == fn(np.ones(n))
            except InputMismatch:
                continue


def test_caches_that_forget_take_no_sizes():
    with pytest.raises(Unsupported) as caught:
        export(called_with(["n", "n + 1"], "maxsize=1"), (np.ones(6),), dynamic_shapes=(AUTO,))
    assert caught.value.code == "E104"


def test_keys_of_caches_can_be_hashed():
    with pytest.raises(TypeError, match="unhashable type"):
        export(lambda x: cached((len(x), [1]), 1), (np.ones(6),), dynamic_shapes=(AUTO,))
    with pytest.raises(TypeError, match="unhashable type"):
        export(lambda x: cached(x, len(x)), (np.ones(6),), dynamic_shapes=(AUTO,))


def test_sizes_are_no_infinities():
    fn = lambda x: x if math.isfinite(x.size * 2) and not math.isnan(len(x)) and not math.isinf(x.size > 2) else -x  # noqa: E731
    run = export(fn, (np.ones(6),), dynamic_shapes=({0: Dim("n")},)).module()
    assert run(np.ones(1)) == 1


def test_memory_and_recursion_errors_are_themselves(monkeypatch):
    for error in (MemoryError, RecursionError):
        with monkeypatch.context() as patched:
            patched.setattr("npexport.tracer.driver.trace.Trace.run", lambda self, error=error: (_ for _ in ()).throw(error()))
            with pytest.raises(error):
                export(np.sin, (np.ones(2),))


@pytest.mark.parametrize("place", [1, 3, -1])
def test_the_parts_of_an_array_are_as_long_as_it(place):
    fn = lambda x: np.concatenate([x[place:], x[:place]])  # noqa: E731
    program = export(fn, (np.ones((6, 2)),), dynamic_shapes=({0: Dim("n")},))
    assert str(program.graph.nodes[-2].meta["val"]) == "f64[s0, 2]"
    for size in range(5):
        x = np.arange(2.0 * size).reshape(size, 2)
        np.testing.assert_array_equal(program.module()(x), fn(x))


@pytest.mark.parametrize("step", [2, 3, 4])
def test_parts_taken_in_steps_are_as_long_as_the_whole(step):
    def dealt(x):
        return np.concatenate([x[start::step] for start in range(step)])

    program = export(dealt, (np.arange(7.0),), dynamic_shapes={"x": {0: Dim("n")}})
    assert str(program.graph.output_node.args[0][0].meta["val"]) == "f64[s0]" and not program.guards
    for size in range(2 * step + 2):
        np.testing.assert_array_equal(program.module()(np.arange(float(size))), dealt(np.arange(float(size))))
