"""An array that is written to as a whole lies in memory as before, however what is written lies: sums over it are rounded as NumPy
rounds them."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, custom_op, export


@custom_op("written_order::lowered", mutates_args=("x",))
def lowered(x: np.ndarray, by: float) -> None:
    x -= by


@lowered.register_fake
def _(x, by):
    return None


def in_place(x, y):
    view = x.T
    view += np.ones(view.shape) * 0.37
    return x.sum()


def a_result_and_an_input(x, y):
    z = x * 2
    z += y
    return z.sum()


def a_transpose_and_a_transpose(x, y):
    view = x.T
    view += y.T
    return x.sum()


def a_ufunc_with_out(x, y):
    np.add(np.asfortranarray(y), np.array(y, order="F") * 0.37, out=x)
    return x.sum()


def into_new_memory(x, y):
    z = np.empty(x.shape)
    np.subtract(np.asfortranarray(x), np.asfortranarray(y), out=z)
    return z.sum()


def sums_of_columns(x, y):
    np.cumsum(y.T.copy(), axis=0, out=x.T)
    return x.sum()


def a_product(x, y):
    np.matmul(np.eye(x.shape[1]) * 0.3, y.T.copy(), out=x.T)
    return x.sum()


def taken(x, y):
    np.take(y.T.copy(), [2, 1, 0], axis=0, out=x.T)
    return x.sum()


def stacked(x, y):
    np.stack([y.T[0].copy()] * 3, out=x.T)
    return x.sum()


def shuffled(x, y):
    np.random.default_rng(0).shuffle(x.T)
    return x.sum()


def one_of_two_results(x, y):
    np.modf(y.T.copy(), out=(x.T, np.empty(x.T.shape)))
    return x.sum()


def by_an_operator_of_a_user(x, y):
    lowered(x.T, 0.37)
    return x.sum()


def by_an_operator_in_place(x, y):
    lowered(x, 0.37)
    return x.sum()


PROGRAMS = [
    in_place, a_result_and_an_input, a_transpose_and_a_transpose, a_ufunc_with_out, into_new_memory, sums_of_columns, a_product,
    taken, stacked, shuffled, one_of_two_results, by_an_operator_of_a_user, by_an_operator_in_place,
]  # fmt: skip


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dims", [None, ({0: Dim.AUTO}, {0: Dim.AUTO})], ids=["static", "dynamic"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_to_the_bit(program, dims, order):
    rng = np.random.default_rng(0)

    def matrix():
        return np.array(rng.standard_normal((4, 3)).round(2), order=order)

    run = export(program, (matrix(), matrix()), dynamic_shapes=dims).module()
    for _ in range(60):
        x, y = matrix(), matrix()
        got, expected = run(x.copy("K"), y), program(x.copy("K"), y)
        assert got.tobytes() == expected.tobytes()


def test_what_lies_alike_is_written_by_one_node():
    def program(x, y):
        z = np.zeros(x.shape)
        z += x
        z -= y * 2
        x *= 3
        x += y
        np.exp(x, out=x)
        x -= x.mean(axis=0)
        x.sort(axis=0)
        y.partition(2)
        return z

    graph = export(program, (np.ones((4, 3)), np.ones((4, 3)))).graph
    assert not [node for node in graph.nodes if str(node.target) == "ops.np.setitem"]
