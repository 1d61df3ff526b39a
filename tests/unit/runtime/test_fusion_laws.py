"""What blocks rest on: NumPy's loops give the same bits for a part of an array that begins at a multiple of 64 elements, and reductions
of other axes the same for each row.
"""

import functools
import warnings

import numpy as np
import pytest

from npexport import nn
from npexport.ir.op import registered
from npexport.runtime.blocks import fusion
from npexport.runtime.blocks.fusion_body import cast
from tests.support.loops import KINDS, UFUNCS, same_numbers, values

UNIT = fusion.POLICY.unit


@pytest.mark.parametrize("name", UFUNCS)
def test_parts_of_arrays_have_the_bits_of_the_whole(name):
    ufunc = getattr(np, name)
    for char in KINDS:
        for special in (False, True):
            size = 20 * UNIT + 37
            args = [values(np.dtype(char), size, special, seed=number) for number in range(ufunc.nin)]
            with np.errstate(all="ignore"):
                try:
                    whole = ufunc(*args)
                except (TypeError, ValueError):
                    continue  # there is no such loop, or these numbers are refused
                for step in (UNIT, 3 * UNIT, 16 * UNIT):
                    parts = np.empty_like(whole)
                    for start in range(0, size, step):
                        block = np.empty(min(step, size - start), whole.dtype)
                        parts[start : start + step] = ufunc(*[arg[start : start + step] for arg in args], out=block)
                    assert parts.tobytes() == whole.tobytes(), (char, special, step)


@pytest.mark.parametrize("name", [name for name in sorted(UFUNCS) if "exact" in registered(f"np.{name}").traits])
def test_exact_operators_have_the_numbers_of_the_whole_wherever_a_part_begins(name):
    ufunc = getattr(np, name)
    for char in KINDS:
        if np.dtype(char).kind == "c":
            continue
        args = [values(np.dtype(char), 5 * UNIT + 37, special=True, seed=number) for number in range(ufunc.nin)]
        with np.errstate(all="ignore"):
            try:
                whole = ufunc(*args)
            except (TypeError, ValueError):
                continue  # there is no such loop, or these numbers are refused
            for step in (1, 3, 7, 13):
                parts = [ufunc(*[arg[start : start + step] for arg in args]) for start in range(0, len(whole), step)]
                assert same_numbers(np.concatenate(parts), whole), (char, step)
            strided = [np.repeat(arg, 2)[::2] for arg in args]
            assert same_numbers(ufunc(*strided), whole), char


def calls():
    """Name -> a reduction of other axes than the first."""
    for name in ("sum", "prod", "max", "min", "any", "all", "mean", "var", "std"):
        for axis in (-1, 1, (1, 2)):
            for keepdims in (False, True):
                yield f"{name} {axis} {keepdims}", functools.partial(getattr(np, name), axis=axis, keepdims=keepdims)
    for name in ("argmax", "argmin"):
        for axis in (-1, 1):
            yield f"{name} {axis}", functools.partial(getattr(np, name), axis=axis)
    yield "softmax", functools.partial(nn.functional.softmax, dim=-1)
    yield "log_softmax", functools.partial(nn.functional.log_softmax, dim=-1)
    yield "layer_norm", lambda x: nn.functional.layer_norm(x, x.shape[1:])


ROWS = dict(calls())
SHAPES = [(9, 3, 1), (6, 1, 5), (7, 4, 33), (5, 129, 8), (3, 2, 1025), (4, 17, 300)]


@pytest.mark.parametrize("name", sorted(ROWS))
def test_rows_are_reduced_by_themselves(name):
    function = ROWS[name]
    floats = "fd" if name.split()[0] in ("mean", "var", "std", "softmax", "log_softmax", "layer_norm") else "?bhilefd"
    for char in floats:
        for special in (False, True):
            for shape in SHAPES:
                whole_of = values(np.dtype(char), np.prod(shape), special).reshape(shape)
                for x in (whole_of, np.pad(whole_of, [(1, 1)] * 3)[1:-1, 1:-1, 1:-1], whole_of[:, :, ::2]):
                    with np.errstate(all="ignore"):
                        whole = function(x)
                        for step in (1, 2, 4):
                            parts = [function(x[start : start + step]) for start in range(0, len(x), step)]
                            assert np.concatenate(parts).tobytes() == whole.tobytes(), (char, special, shape, x.strides, step)


@pytest.mark.parametrize("source", KINDS)
def test_a_cast_into_memory_gives_and_warns_as_a_new_array_does(source):
    for target in KINDS:
        for special in (False, True):
            array = values(np.dtype(source), 200, special)
            if array.dtype.kind == "c" and np.dtype(target).kind != "c":
                continue
            with warnings.catch_warnings(record=True) as expected:
                warnings.simplefilter("always")
                new = array.astype(target)
            out = np.zeros(200, target)
            with warnings.catch_warnings(record=True) as given:
                warnings.simplefilter("always")
                found = cast(array, np.dtype(target), out)
            assert found is out and out.tobytes() == new.tobytes(), target
            assert [str(each.message) for each in given] == [str(each.message) for each in expected], target
