"""A decomposition whose result has sizes that only the data tell, where the operator's are those of its operands."""

import itertools

import numpy as np
import pytest

from npexport import Dim, UserError, export, ops
from tests.support.outcomes import result_or_error

X = np.linspace(-1, 1, 12).reshape(3, 4)


def one_row_less(x):
    return x * x if x.sum() > 0 else (x * x)[1:]


def two_columns_at_most(x):
    return x * x if x.shape[1] <= 4 else (x * x)[:, :2]


@pytest.mark.parametrize("shapes", [None, ({0: Dim("n")},)], ids=["static", "dynamic"])
@pytest.mark.parametrize(
    "program", [lambda x: np.square(x), lambda x: np.square(x) if x.max() > 2 else x + 1], ids=["alone", "in a branch"]
)
def test_sides_of_other_sizes_are_not_what_the_operator_gives(program, shapes):
    ep = export(program, (X,), dynamic_shapes=shapes)
    with pytest.raises(UserError, match=r"the decomposition of ops\.np\.square gives f64\[u\d+, 4\], the operator"):
        ep.run_decompositions({ops.np.square: one_row_less})
    wide = export(lambda x: np.square(x), (X,), dynamic_shapes=({1: Dim("n")},))
    made = wide.run_decompositions({ops.np.square: two_columns_at_most})
    assert made.module()(np.ones((3, 7))).shape == (3, 7)


def test_counts_of_data_are_not_sizes_of_operands():
    def counted(x):
        y = x[x > 0]
        return np.square(y)

    ep = export(counted, (X,))
    with pytest.raises(UserError, match=r"gives f64\[u\d+\], the operator f64\[u0\]"):
        ep.run_decompositions({ops.np.square: lambda y: (y * y)[y > 1]})
    with pytest.raises(UserError, match=r"gives f64\[u\d+\], the operator f64\[u0\]"):
        ep.run_decompositions({ops.np.square: one_row_less})
    made = ep.run_decompositions({ops.np.square: lambda y: y * y})
    assert made.module()(X).tolist() == counted(X).tolist()


def calls(program):
    return program.graph.find_nodes(op="call_function")


@pytest.mark.parametrize(
    ("program", "shape", "other"),
    [
        (lambda x: np.squeeze(x, 1), (3, 1), (3, 2)),
        (lambda x: np.fill_diagonal(x, 7), (2, 2, 2), (2, 3, 2)),
        (lambda x: np.gradient(x, axis=0), (3, 4), (1, 4)),
        (lambda x: np.gradient(x, np.arange(x.shape[0]), edge_order=2), (4,), (2,)),
        (lambda x: np.gradient(x, np.arange(x.shape[0])), (4,), (1,)),
        (lambda x: np.pad(x, 1, "edge"), (3, 4), (3, 0)),
        (lambda x: np.pad(x, ((0, 0), (2, 1)), "symmetric"), (3, 4), (0, 4)),
        (np.linalg.cond, (3, 4), (3, 0)),
        (lambda x: np.average(x, axis=1), (3, 4), (0, 0)),
        (lambda x: np.percentile(x, [25, 50], axis=1), (3, 4), (0, 0)),
        (lambda x: np.interp(x, x, x), (4,), (0,)),
    ],
    ids=[
        "squeeze",
        "fill_diagonal",
        "gradient",
        "bent gradient",
        "no gaps",
        "pad",
        "pad one axis",
        "cond",
        "average",
        "percentile",
        "interp",
    ],
)
def test_sizes_that_the_operator_refuses_are_refused(program, shape, other):
    dynamic = ({axis: Dim.AUTO for axis in range(len(shape))},)
    core = export(program, (np.ones(shape),), dynamic_shapes=dynamic).run_decompositions()
    assert not {node.target for node in calls(core)} & {ops.np.gradient, ops.np.pad, ops.np.cond, ops.np.average, ops.np.percentile}
    for size in (shape, other):
        wanted, found = (result_or_error(run, np.ones(size)) for run in (program, core.module()))
        assert type(found) is type(wanted)
        assert str(found) == str(wanted) or isinstance(wanted, IndexError)


def test_a_decomposition_that_does_not_apply_to_some_sizes_leaves_the_call_as_it_is():
    def of_many(x):
        if x.shape[0] < 3:
            raise NotImplementedError
        return x * x

    for least, left in ((0, ["np.square"]), (3, ["np.multiply"])):
        ep = export(lambda x: np.square(x), (X,), dynamic_shapes=({0: Dim("n", min=least)},))
        assert [str(node.target)[4:] for node in calls(ep.run_decompositions({ops.np.square: of_many}))] == left


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_nothing_is_put_where_there_are_no_values(mode):
    def program(x, y):
        np.put(x, [0, -1], y, mode)
        return x

    n, m = Dim("n", min=1), Dim("m")
    core = export(program, (np.arange(3.0), np.ones(2)), dynamic_shapes=({0: n}, {0: m})).run_decompositions()
    assert ops.np.put not in {node.target for node in core.graph.nodes}
    for size, count in itertools.product((1, 2, 4), (0, 1, 2, 5)):
        given = np.arange(float(size)), np.arange(count) + 7.0
        np.testing.assert_array_equal(core.module()(*map(np.copy, given)), program(*map(np.copy, given)))
