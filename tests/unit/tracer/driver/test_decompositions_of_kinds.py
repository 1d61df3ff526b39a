"""Decompositions of data that sets kinds apart: what is not finite, NaT, coordinates and weights that are integers, half precision."""

from __future__ import annotations

import itertools
import operator
import re
import warnings

import numpy as np
import pytest

from npexport import Dim, ExportError, Unsupported, export
from npexport.ir import ops
from tests.support.images import image

X = np.array([1.0, np.inf, 3.0, 4.0, 5.0])
WEIGHTS = np.array([1, 2**63, 3, 2**64 - 4, 5], np.uint64)
TIMES = np.array([1, 2, "NaT", 4], "m8[s]")
HALF = np.array([-128, -100, 128, 65504, -65504, -0.0, 6e-8, np.inf, -np.inf], np.float16)
COMPLEX = np.array([complex(np.nan, 1), 2, complex(0, np.nan), 1j])


def weighted(a, weights):
    return np.histogram(a, 3, weights=weights)


CASES = {
    "slopes beside what is not finite": (ops.np.gradient, lambda f: np.gradient(f, np.arange(5.0)), [X]),
    "slopes over even coordinates": (ops.np.gradient, lambda f, x: np.gradient(f, x), [X, np.arange(5)]),
    "slopes over unsigned coordinates": (ops.np.gradient, lambda f, x: np.gradient(f, x), [X, np.array([3, 1, 0, 7, 9], np.uint8)]),
    "bent slopes over unsigned coordinates": (
        ops.np.gradient,
        lambda f, x: np.gradient(f, x, edge_order=2),
        [X, np.array([3, 1, 0, 7, 9], np.uint8)],
    ),
    "bins around what is not finite": (ops.np.histogram, lambda x: np.histogram(x, 3), [X]),
    "edges around what is not finite": (ops.np.histogram_bin_edges, lambda x: np.histogram_bin_edges(x, 3), [X.astype(np.float32)]),
    "large weights": (ops.np.histogram, weighted, [np.arange(5.0), WEIGHTS]),
    "small weights": (ops.np.histogram, weighted, [np.arange(5.0), np.array([1, 100, 100, 3, 100], np.int8)]),
    "weights in single precision": (ops.np.histogram, weighted, [np.zeros(5000), np.full(5000, 0.1, np.float32)]),
    "weights that are truths": (ops.np.histogram, weighted, [np.arange(5.0), np.arange(5) > 2]),
    "complex weights": (ops.np.histogram, weighted, [np.arange(5.0), COMPLEX.repeat(2)[:5]]),
    "median of times": (ops.np.median, np.median, [TIMES]),
    "medians of times": (ops.np.median, lambda x: np.median(x.reshape(2, 2), 1), [TIMES]),
    "median of times that are there": (ops.np.nanmedian, np.nanmedian, [TIMES]),
    "condition of nothing": (ops.np.cond, np.linalg.cond, [np.zeros((2, 2))]),
    "greatest of complex": (ops.np.fmax, np.fmax, [COMPLEX, COMPLEX[::-1].copy()]),
    "smallest of complex": (ops.np.fmin, np.fmin, [COMPLEX, COMPLEX[::-1].copy()]),
    "spacing in half precision": (
        ops.np.spacing,
        np.spacing,
        [np.array([-128, -100, 128, 65504, -65504, -0.0, 6e-8, np.inf, -np.inf], "e")],
    ),
    "levels that are NaN": (ops.np.quantile, lambda x, q: np.quantile(x, q), [np.arange(4.0), np.array([0.5, np.nan])]),
    "zeros between zeros": (ops.np.clip, lambda x: np.clip(x, 0.0, -0.0), [np.array([0.0, -0.0, 1.0, -1.0, np.nan])]),
    "zeros of wholes between zeros": (ops.np.clip, lambda x: np.clip(x, np.float32(-0.0), 1.0), [np.array([0, -1, 3])]),
    "spacing of zeros": (ops.np.spacing, np.spacing, [np.array([0.0, -0.0, np.inf, -np.inf])]),
    "bins that are NaN": (ops.np.digitize, lambda x: np.digitize(x, np.array([np.nan, 3, 3, 2])), [np.array([4.0, 0.0, np.nan])]),
    "sums of logarithms in long precision": (ops.np.logaddexp, np.logaddexp, [np.array([0, 1], "g"), np.array([0, 2], "g")]),
    "edges of nothing in single precision": (ops.np.histogram_bin_edges, np.histogram_bin_edges, [np.zeros(0, np.float32)]),
    "percents that are NaN": (ops.np.percentile, lambda x, q: np.percentile(x, q), [np.arange(4.0), np.array(np.nan)]),
}


def outcome(call, arrays):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = call(*[array.copy() for array in arrays])
        except ExportError:
            raise
        except Exception as error:
            return type(error), str(error).splitlines()[0]
    found = found if isinstance(found, tuple) else (found,)
    kinds = {str(each.message).partition(" encountered")[0] for each in told}
    return [(type(part), part.dtype, np.asarray(part).tolist()) for part in found], kinds


@pytest.mark.parametrize("name", CASES)
def test_they_give_raise_and_warn_what_the_original_does(name):
    op, call, arrays = CASES[name]
    program = export(call, tuple(arrays))
    core = program.run_decompositions()
    assert program.graph.find_nodes(target=op) and bool(core.graph.find_nodes(target=op)) == op.is_core
    wanted, found = outcome(program.module(), arrays), outcome(core.module(), arrays)
    assert repr(outcome(call, arrays)) == repr(wanted) == repr(found)


@pytest.mark.parametrize("call", [np.inner, np.dot], ids=["inner", "dot"])
def test_products_of_times_stay(call):
    arrays = np.array([1, 2, 3], "m8[s]"), np.arange(3)
    core = export(call, arrays).run_decompositions()
    assert core.module()(*arrays) == call(*arrays)


@pytest.mark.parametrize("call", [lambda x: np.nanmedian(x, axis=[0]), lambda x: np.nanpercentile(x, 50, axis=[0, 1])])
def test_lists_of_axes_are_refused_where_nothing_is_reduced_alone(call):
    core = export(call, (np.ones((2, 3)),), dynamic_shapes=({0: Dim("n")},)).run_decompositions().module()
    assert outcome(core, [np.eye(4, 3)]) == outcome(call, [np.eye(4, 3)])
    assert outcome(core, [np.ones((0, 3))])[0] is outcome(call, [np.ones((0, 3))])[0] is TypeError


REFUSED = {
    "complex places": (lambda x, xp: np.interp(x, xp, xp.real), [np.arange(3.0), np.arange(3) + 0j]),
    "a line between dates": (np.interp, [np.arange(3.0), np.arange(3.0), np.arange(3).astype("M8[D]")]),
    "complex weights of cells": (lambda x, w: np.histogram2d(x, x, 3, weights=w), [np.arange(5.0), np.ones(5, complex)]),
    "weights of cells in long precision": (lambda x, w: np.histogramdd([x], 3, weights=w), [np.arange(5.0), np.ones(5, "g")]),
    "business days of seconds": (np.is_busday, [np.array(["2020-01-01T00:00:00"], "M8[s]")]),
    "counted days of seconds": (lambda x: np.busday_count(x, x), [np.array(["2020-01-01T00:00:00"], "M8[s]")]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_numpy_raises_of_kinds_is_raised_at_export(name):
    call, arrays = REFUSED[name]
    with pytest.raises(TypeError) as wanted:
        call(*arrays)
    with pytest.raises(TypeError) as found:
        export(call, tuple(arrays))
    assert str(found.value) == str(wanted.value)


def test_a_decomposition_that_stays_says_so_before_it_checks():
    x, levels = np.arange(6.0).reshape(2, 3), np.array([[0.25, 0.5], [0.75, 1.0]])
    for _ in range(3):  # whatever stands in memory
        full = [np.full((2, 2), 7.0) for _ in range(100)]
        del full
        core = export(lambda x, q: np.nanquantile(x, q), (x, levels)).run_decompositions()
        np.testing.assert_array_equal(core.module()(x, levels), np.nanquantile(x, levels))


@pytest.mark.parametrize("method", ["nearest", "lower", "inverted_cdf", "linear"])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(("shape", "axis"), [((3, 2), 0), ((3,), 0), ((3, 2), None), ((3, 2), (0, 1))])
def test_elements_that_are_taken_stay_in_their_byte_order(method, keepdims, shape, axis):
    x = np.arange(6.0)[: np.prod(shape)].reshape(shape).astype(">f8")
    program = export(lambda x: np.quantile(x, 0.5, axis, method=method, keepdims=keepdims), (x,))
    wanted = np.quantile(x, 0.5, axis, method=method, keepdims=keepdims).dtype
    (node,) = program.graph.find_nodes(op="call_function")
    assert node.meta["val"].dtype.str == wanted.str == program.run_decompositions().module()(x).dtype.str


def test_what_numpy_takes_for_nothing_is_refused():
    with pytest.raises(Unsupported, match=r"E101 .*dot\(2, <M8\[D\]\[0, 3\]\), which NumPy"):
        export(lambda x: ops.np.dot(2, x), (np.zeros((0, 3), "M8[D]"),))


PARTS = (0.0, -0.0, 1.0, np.nan, np.inf)


@pytest.mark.parametrize("order", [operator.lt, operator.le, operator.gt, operator.ge])
@pytest.mark.parametrize("kinds", ["FF", "GG", "Dd", "iF", "Fd", "?F", "F?"])
def test_scalars_order_complex_numbers_by_their_parts(order, kinds):
    """Ufuncs ask whether parts are NaN, which scalars do not, unless both are cast or the first is a truth."""
    pairs = list(itertools.product(*[[scalar(kind, complex(*parts)) for parts in itertools.product(PARTS, PARTS)] for kind in kinds]))
    core = export(order, pairs[0]).run_decompositions()
    assert not [node for node in core.graph.find_nodes(op="call_function") if "scalar" in str(node.target)]
    run = core.module()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for pair in pairs:
            found, wanted = run(*pair), order(*pair)
            assert (type(found), found) == (type(wanted), wanted), pair


def scalar(kind, number):
    dtype = np.dtype(kind)
    real = number.real if dtype.kind == "f" else np.nan_to_num(number.real, posinf=3)
    return dtype.type(number if dtype.kind == "c" else real)


def test_roots_of_small_integers_are_in_double_precision():
    x = np.array([127, 3], np.int8)
    core = export(lambda x: ops.np.power_of(x, 0.5), (x,)).run_decompositions()
    assert image(core.module()(x)) == image(x**0.5)


EMPTY = np.zeros(0)
STAYING = {
    "density of no bins": (lambda x: np.histogram(x, bins=x, density=True), [EMPTY]),
    "differences of bins that are truths": (lambda x: np.histogram(x > 0, bins=x > 0, density=True), [np.arange(3.0)]),
    "rows of no axes": (np.histogramdd, [np.zeros((7, 0))]),
    "cells of one edge": (lambda x, edges: np.histogram2d(x, x, edges), [np.arange(3.0), np.ones(1)]),
    "one weight for all rows": (lambda x, w: np.histogramdd([x], 2, [(0.0, 1.0)], weights=w), [np.arange(3.0), np.ones(1)]),
    "numbers of cells": (lambda x, counts: np.histogram2d(x, x, counts), [np.arange(3.0), np.array([2, 3])]),
    "lines between no points": (lambda x, xp: np.interp(x, xp, xp), [np.arange(3.0), EMPTY]),
}


@pytest.mark.parametrize("name", STAYING)
def test_what_cannot_be_decomposed_stays(name):
    """And raises what the operator raises, where that is what eager execution does."""
    call, arrays = STAYING[name]
    try:
        program = export(call, tuple(arrays))
    except Exception as error:
        with pytest.raises(type(error), match=re.escape(str(error))):
            call(*arrays)
        return
    assert repr(outcome(call, arrays)) == repr(outcome(program.run_decompositions().module(), arrays))


@pytest.mark.parametrize("levels", [np.uint8(1), np.array([0, 1], np.uint8), np.int8(1), np.array([0, 1])], ids=repr)
def test_quantiles_at_whole_levels_raise_as_numpys_at_sizes_that_their_dtype_does_not_hold(levels):
    exported = export(lambda x: np.quantile(x, levels), (np.arange(3.0),), dynamic_shapes=({0: Dim.AUTO},))
    run = exported.run_decompositions().module()
    for size in (0, 1, 5, 300):
        assert outcome(run, [np.arange(size * 1.0)]) == outcome(lambda x: np.quantile(x, levels), [np.arange(size * 1.0)]), size


def test_sizes_that_are_differences_of_sizes_of_data_have_examples():
    def product(x, y):
        return np.polymul(y[:1], x.mean(0))  # without the zeros that lead

    shapes = ({0: Dim.AUTO, 1: Dim.AUTO}, {0: Dim.AUTO})
    run = export(product, (np.ones((4, 3)), np.ones(4)), dynamic_shapes=shapes).run_decompositions().module()
    for x, y in ((np.ones((2, 3)), np.zeros(3)), (np.zeros((2, 3)), np.ones(1)), (np.eye(4), np.ones(3))):
        np.testing.assert_array_equal(run(x, y), product(x, y))
