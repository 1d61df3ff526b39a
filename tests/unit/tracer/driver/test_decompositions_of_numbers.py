"""Decompositions of calls whose operands are Python numbers that only the data know."""

import itertools

import numpy as np
import pytest

from npexport import ExportError, default_decompositions, export, ops
from tests.fuzz.decompositions import is_exact
from tests.support.shards import shard


def takes_numbers(ufunc):
    return ufunc.signature is None and any(loop[: ufunc.nin] == "d" * ufunc.nin for loop in ufunc.types)


UFUNCS = [op for op in default_decompositions() if op.namespace == "np" and isinstance(op.kernel, np.ufunc) and takes_numbers(op.kernel)]
NUMBERS = [(float, np.float64(2.5), np.float64(1.25)), (int, np.int64(3), np.int64(2)), (bool, np.True_, np.False_)]


def of_numbers(ufunc, kind, places):
    """A call of a ufunc whose operands are Python numbers of data, but for an array in some place."""

    def program(x, y, array):
        return ufunc(*[array if place == "array" else kind(value) for place, value in zip(places, (x, y))])

    return program


@pytest.mark.parametrize("op", shard(UFUNCS, 3), ids=str)
def test_calls_with_numbers_of_data_are_decomposed(op):
    compared = 0
    for (kind, x, y), places in itertools.product(NUMBERS, [("", ""), ("array", ""), ("", "array")][: 2 * op.kernel.nin - 1]):
        program, args = of_numbers(op.kernel, kind, places[: op.kernel.nin]), (x, y, np.array([x, y]))
        try:
            with np.errstate(all="ignore"):
                program(*args)
            ep = export(program, args)
        except (TypeError, ExportError):
            continue
        if ep.graph.find_nodes(target=op):
            core = ep.run_decompositions()
            assert not core.graph.find_nodes(target=op), (op, kind, places)
            with np.errstate(all="ignore"):
                found, wanted = (np.asarray(run(*args)) for run in (core.module(), ep.module()))
            assert found.dtype == wanted.dtype, (op, kind, places)
            np.testing.assert_array_almost_equal_nulp(found.astype("f8"), wanted.astype("f8"), 0 if is_exact(op, ()) else 4)
            compared += 1
    assert compared


@pytest.mark.parametrize("number", [2.5, 3])
def test_decompositions_of_users_may_give_python_numbers(number):
    ep = export(lambda x: np.square(type(number)(x)), (np.array(number)[()],))
    core = ep.run_decompositions({ops.np.square: lambda x, /, *, dtype=None: x * x})
    assert not core.graph.find_nodes(target=ops.np.square)
    found, wanted = core.module()(np.array(number)[()]), ep.module()(np.array(number)[()])
    assert (type(found), found) == (type(wanted), wanted)
