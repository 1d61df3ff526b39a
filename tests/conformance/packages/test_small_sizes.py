"""Functions of libraries, exported at ordinary sizes with ``Dim.AUTO``, called at small ones: what they refuse there may only shrink.

At a size that a program takes it gives what eager gives. At one that it refuses, and at which eager computes a value, the function is
listed in `REFUSED` with that size: a branch of its takes a way there that computes something else. A refusal is *needless* where the
graph, called without its guards, computes and warns of what eager does: there is none.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from npexport import Dim, InputMismatch, export

EXAMPLE = 8
SIZES = (0, 1, 2, 3, 5)


def data(*shape, dtype=float):
    """A maker of arrays; ``"n"`` is the size."""
    return lambda n: np.random.default_rng(n).standard_normal([n if size == "n" else size for size in shape]).astype(dtype)


def fixed(value):
    return lambda n: value


FORMS = {
    "v": (data("n"),),
    "vv": (data("n"), data("n")),
    "m": (data("n", "n"),),
    "m3": (data("n", 3),),
    "mv": (data("n", "n"), data("n")),
    "v2": (data("n"), fixed(2)),
    "av": (fixed(np.ones(3) / 3), data("n")),
    "kv": (fixed(np.array([True, False, True])), data("n")),
    "vk": (data("n"), fixed(np.ones(3) / 3)),
    "n": (lambda n: n,),
}

FUNCTIONS = """
numpy: cov:v cov:m3 corrcoef:v corrcoef:vv compress:kv extract:kv ediff1d:v gradient:v trapezoid:v
numpy: unwrap:v convolve:vk vander:v polyadd:v2 diff:v median:m percentile:v2 histogram:v digitize:vv
numpy: kron:vv pad:v2 roll:v2 rot90:m tri:n hanning:n bartlett:n squeeze:v flip:m
numpy: cumsum:m nanmean:m average:v outer:vv hamming:n blackman:n
numpy.linalg: norm:v norm:m det:m slogdet:m inv:m trace:m
scipy.linalg: hankel:v hankel:vv hilbert:n block_diag:m block_diag:vv fiedler:v companion:v helmert:n
scipy.signal: hilbert:v hilbert2:m resample:v2 fftconvolve:vk deconvolve:av
scipy.signal.windows: boxcar:n hann:n cosine:n parzen:n triang:n tukey:n bohman:n
scipy.stats: tiecorrect:v yeojohnson:v2 boxcox:v2 relfreq:v
"""
"""Functions and the form of their arguments."""

REFUSED = {
    (0,): """
        scipy.linalg.hankel:v scipy.linalg.hankel:vv
        scipy.linalg.hilbert:n scipy.stats.yeojohnson:v2 scipy.stats.boxcox:v2 scipy.stats.relfreq:v
    """,
    (0, 1): """
        numpy.cov:v numpy.cov:m3 numpy.corrcoef:v numpy.corrcoef:vv
        numpy.vander:v numpy.polyadd:v2 scipy.linalg.fiedler:v scipy.signal.windows.boxcar:n
        scipy.signal.windows.hann:n scipy.signal.windows.cosine:n scipy.signal.windows.parzen:n scipy.signal.windows.tukey:n
        scipy.signal.windows.bohman:n scipy.stats.tiecorrect:v
    """,
    (0, 1, 2, 3, 5): """
        scipy.signal.fftconvolve:vk
    """,
    (0, 1, 3, 5): """
        scipy.signal.windows.triang:n
    """,
    (1,): """
        numpy.squeeze:v
    """,
    (1, 2): """
        scipy.signal.hilbert2:m scipy.signal.resample:v2
    """,
    (1, 2, 3): """
        scipy.signal.deconvolve:av
    """,
    (1, 3, 5): """
        scipy.signal.hilbert:v
    """,
}
"""The functions that refuse sizes at which eager computes, by these sizes.

They return early, warn beside another value, loop, or ask for the strides of nothing.
"""

NEEDLESS = ["scipy.linalg.hankel:vv"]
"""Refused though nothing differs there: the program asks for the strides of an array, which are others where it holds nothing."""


def rows():
    for line in FUNCTIONS.split("\n"):
        module, _, names = line.partition(":")
        yield from (f"{module}.{name}" for name in names.split())


def refused(row):
    return {size for sizes, names in REFUSED.items() if row in names.split() for size in sizes}


def outcome(function, args):
    """What a call gives and the kinds of what it warns of, or the class of what it raises."""
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        try:
            value = function(*args)
        except Exception as error:
            return None, type(error)
    return (value,), sorted(entry.category.__name__ for entry in record)


def same(actual, expected):
    if isinstance(expected, (tuple, list)):
        return type(actual) is type(expected) and len(actual) == len(expected) and all(map(same, actual, expected))
    if np.shape(actual) != np.shape(expected) or type(actual) is not type(expected):
        return False
    return getattr(actual, "dtype", 0) == getattr(expected, "dtype", 0) and np.allclose(actual, expected, equal_nan=True)


def exported(function, form):
    args = [make(EXAMPLE) for make in FORMS[form]]
    shapes = [{axis: Dim.AUTO for axis, size in enumerate(np.shape(arg)) if size == EXAMPLE} or None for arg in args]
    shapes = [Dim.AUTO if type(arg) is int and arg == EXAMPLE else shape for arg, shape in zip(args, shapes)]
    return export(lambda *args: function(*args), tuple(args), dynamic_shapes=(tuple(shapes),))


@pytest.mark.parametrize("row", list(rows()))
def test_small_sizes(row):
    path, _, form = row.partition(":")
    module, _, name = path.rpartition(".")
    function = getattr(pytest.importorskip(module), name)
    program = exported(function, form)
    run, free = program.module(), program.module(check_guards=False)
    for size in SIZES:
        eager, actual = [outcome(call, [make(size) for make in FORMS[form]]) for call in (function, run)]
        if eager[0] is None:
            assert actual[0] is None, f"at {size} eager raises {eager[1]}, and the program gives {actual[0]}"
        elif actual[1] is InputMismatch:
            assert size in refused(row), f"{size} is refused: {program.guards}"
            unguarded = outcome(free, [make(size) for make in FORMS[form]])
            needless = same(unguarded[0], eager[0]) and unguarded[1] == eager[1]
            assert not needless or row in NEEDLESS, f"{size} is refused, and nothing differs there: {program.guards}"
        else:
            assert same(actual[0], eager[0]) and actual[1] == eager[1], (size, actual, eager)


def test_every_refusal_is_of_a_function_in_the_table():
    assert {name for names in REFUSED.values() for name in names.split()} <= set(rows())
