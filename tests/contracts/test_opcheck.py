"""``npexport.testing.opcheck``: what it finds in operators, and what it lets pass."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import npexport
from npexport import custom_op, opaque, register_decomposition
from npexport.testing import OpCheckError, opcheck
from tests.support.custom_ops import Ends, declare_lab

KEPT = np.ones(3)
REMEMBERED = []
COUNT = itertools.count()


def declared(body, fake, **options):
    op = custom_op("lab::op", **options)(body)
    if fake is not None:
        op.register_fake(fake)
    return op


def adds_one(x: np.ndarray) -> np.ndarray:
    x += 1
    return x * 2


def writes_to_a_list(x: np.ndarray, ys: list[np.ndarray]) -> np.ndarray:
    ys[-1][...] = 0
    return x * 2


def gives_a_view(x: np.ndarray) -> np.ndarray:
    return x[:]


def gives_one_twice(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    y = x * 2
    return y, y[:]


def gives_one_twice_by_name(x: np.ndarray) -> Ends:
    y = x * 2
    return Ends(y, y[:])


def gives_other_keys(x: np.ndarray) -> dict[str, np.ndarray]:
    return {"a": x * 2}


def gives_what_it_keeps(x: np.ndarray) -> np.ndarray:
    return KEPT


def remembers_what_it_gives(x: np.ndarray) -> np.ndarray:
    REMEMBERED.append(x * 2)
    return REMEMBERED[-1][:]


def gives_objects(x: np.ndarray) -> np.ndarray:
    return (x * 2).astype(object)


def counts(x: np.ndarray) -> np.ndarray:
    return x + next(COUNT)


def leaves_the_first(x: np.ndarray) -> np.ndarray:
    y = np.empty_like(x)
    y[1:] = x[1:]
    return y


def writes_where(x: np.ndarray) -> np.ndarray:
    return np.add(x, 1, out=np.empty(x.shape), where=x > 1)


def in_the_order_of_memory(x: np.ndarray) -> np.ndarray:
    return x.ravel(order="K") * 2


def reads_strides(x: np.ndarray) -> np.ndarray:
    return x * (x.strides[-1] // 8)


def reads_addresses(x: np.ndarray) -> np.ndarray:
    return x * 1.0 if x.ctypes.data % 16 == 0 or not x.flags.c_contiguous else x * 2.0


def writes_as_in_c(x: np.ndarray) -> None:
    x.ravel(order="A")[...] = np.arange(x.size)


def sums(x: np.ndarray) -> np.ndarray:
    return (x / 7).sum(keepdims=True)


def refuses_fortran(x: np.ndarray) -> np.ndarray:
    if not x.flags.c_contiguous:
        raise ValueError("ndarray is not C-contiguous")
    return x.ravel(order="K").reshape(x.shape) * 2


def grows(x: np.ndarray) -> np.ndarray:
    return np.append(x, 1)


def of_three(x: np.ndarray) -> np.ndarray:
    return np.resize(x, 3)


def every_second(x: np.ndarray) -> np.ndarray:
    return x[::2].copy()


def narrow(x: np.ndarray) -> np.ndarray:
    return (x * 2).astype(np.float32)


def twice(x: np.ndarray) -> np.ndarray:
    return x * 2


def gives_a_number(x: np.ndarray) -> np.ndarray:
    return 3.0


def gives_nothing(x: np.ndarray) -> np.ndarray:
    x + 1


def same(x, *rest):
    return np.empty_like(x)


@pytest.mark.parametrize(
    ("body", "fake", "args", "code"),
    [
        (adds_one, same, (np.ones(3),), "E250"),
        (writes_to_a_list, same, (np.ones(3), [np.ones(2)]), "E250"),
        (gives_a_view, same, (np.ones(3),), "E251"),
        (gives_one_twice, lambda x: (x, x), (np.ones(3),), "E251"),
        (gives_what_it_keeps, same, (np.ones(3),), "E251"),
        (remembers_what_it_gives, same, (np.ones(3),), "E251"),
        (counts, same, (np.ones(3),), "E252"),
        (leaves_the_first, same, (np.ones(3),), "E252"),
        (writes_where, same, (np.ones(3),), "E252"),
        (twice, None, (np.ones(3),), "E140"),
        (twice, lambda x: 3, (np.ones(3),), "E141"),
        (twice, lambda x: np.empty(x.shape[1]), (np.ones(3),), "E141"),
        (twice, same, (3.0,), "E220"),
        (twice, same, (), "E220"),
        (grows, same, (np.ones(3),), "E410"),
        (grows, lambda x: np.empty(4), (np.ones(3),), "E410"),
        (of_three, same, (np.ones(3),), "E410"),
        (every_second, lambda x: np.empty(2), (np.ones(3),), "E410"),
        (twice, same, np.ones(1), "E220"),
        (narrow, same, (np.ones(3),), "E410"),
        (gives_a_number, same, (np.ones(3),), "E410"),
        (gives_objects, same, (np.ones(3),), "E410"),
        (gives_nothing, same, (np.ones(3),), "E410"),
        (twice, lambda x: np.empty(npexport.new_size(max=3)), (np.ones(3),), "E410"),
        (gives_one_twice_by_name, lambda x: Ends(np.empty_like(x), np.empty_like(x)), (np.ones(3),), "E251"),
        (gives_other_keys, lambda x: {"b": np.empty_like(x)}, (np.ones(3),), "E410"),
    ],
)
def test_what_is_wrong_is_found(body, fake, args, code):
    op, before = declared(body, fake), [np.copy(arg) for arg in args if isinstance(arg, np.ndarray)]
    with pytest.raises(OpCheckError) as caught:
        opcheck(op, args)
    assert caught.value.code == code, str(caught.value)
    assert caught.value.hint
    assert "lab.op" in caught.value.message
    assert all(map(np.array_equal, before, [arg for arg in args if isinstance(arg, np.ndarray)]))


def reads_only(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return x + y


def fills_none(xs: list[np.ndarray], n: int) -> None:
    for x in xs[:n]:
        x[...] = 0


def puts_the_same(x: np.ndarray) -> None:
    x[...] = x


@pytest.mark.parametrize(
    ("body", "mutates", "args", "written"),
    [
        (reads_only, ("y",), (np.ones(3), np.ones(3)), False),
        (reads_only, ("y",), (np.ones(0), np.ones(0)), True),  # nothing to be seen of
        (fills_none, ("xs",), ([np.ones(2), np.ones(2)], 0), False),
        (fills_none, ("xs",), ([np.ones(2), np.ones(2)], 1), True),
        (puts_the_same, ("x",), (np.ones(3),), True),
    ],
)
def test_what_is_declared_to_be_written_is(body, mutates, args, written):
    op = declared(body, (lambda x, y: np.empty_like(x)) if body is reads_only else lambda *args: None, mutates_args=mutates)
    if written:
        opcheck(op, args)
        return
    with pytest.raises(OpCheckError) as caught:
        opcheck(op, args)
    assert caught.value.code == "E253", str(caught.value)
    assert mutates[0] in caught.value.message


def shifted(x: np.ndarray) -> np.ndarray:
    return x + 1


def shifted_in_place(x: np.ndarray) -> None:
    x += 1


def adds_two(x):
    x += 2


def adds_one_to_few(x):
    x += 1 if len(x) < 4 else 2


DECOMPOSED = [
    (shifted, lambda x: (x - 2) + 3, None),
    (shifted, lambda x: x + 2, "gives other results"),
    (shifted, lambda x: x + (1 if len(x) < 4 else 2), "gives other results"),
    (shifted_in_place, shifted_in_place, None),
    (shifted_in_place, adds_two, "gives other results"),
    (shifted_in_place, adds_one_to_few, "gives other results"),
]


@pytest.mark.parametrize(("body", "rule", "told"), DECOMPOSED)
def test_decompositions_do_what_the_operator_does(body, rule, told):
    writes = body is shifted_in_place
    op = declared(body, (lambda x: None) if writes else same, mutates_args=("x",) if writes else ())
    register_decomposition(op)(rule)
    if told is None:
        opcheck(op, (np.arange(3.0),))
        return
    with pytest.raises(OpCheckError, match=told) as caught:
        opcheck(op, (np.arange(3.0),))
    assert caught.value.code == "E254"


def test_an_operator_that_is_declared_anew_has_no_decomposition():
    register_decomposition(declared(shifted, same))(lambda x: x + 2)
    op = declared(shifted, same)
    opcheck(op, (np.arange(3.0),))
    program = npexport.export(op, (np.ones(3),)).run_decompositions()
    assert [node.target for node in program.graph.find_nodes(op="call_function")] == [op]


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("scale", (np.ones((2, 3)),), {"factor": 3}),
        ("scale", (np.ones((2, 3)).T,), {}),
        ("scale", (np.ones(0),), {}),
        ("positive", (np.array([1.0, -1.0, 2.0]),), {}),
        ("add_to", (np.ones((2, 3)), 3.0), {}),
        ("drain", ([np.ones(2), np.ones(3)],), {"into": np.ones(4)}),
        ("summary", (np.array([1.0, np.nan, -2.0]),), {}),
        ("window", (np.arange(12.0).reshape(6, 2), 1, 2), {}),
    ],
)
def test_right_operators_pass(name, args, kwargs):
    declare_lab()
    opcheck(f"lab::{name}", args, kwargs)


LAID = [
    (in_the_order_of_memory, lambda x: np.empty(x.size), "in Fortran's order"), (reads_strides, same, "in Fortran's order"),
    (reads_addresses, same, "that begins elsewhere"), (sums, lambda x: np.empty((1, 1)), None), (refuses_fortran, same, None),
]  # fmt: skip


@pytest.mark.parametrize(("body", "fake", "found"), LAID)
def test_functions_give_the_same_however_arrays_lie_in_memory(body, fake, found):
    op, args = opaque(body, fake), (np.random.default_rng(0).random((30, 40)),)
    if found is None:
        opcheck(op, args)
        return
    with pytest.raises(OpCheckError, match=found) as caught:
        opcheck(op, args)
    assert caught.value.code == "E252"


def test_operators_get_arrays_in_c_order():
    opcheck(declared(in_the_order_of_memory, lambda x: np.empty(x.size)), (np.arange(6.0).reshape(2, 3),))
    opcheck(declared(writes_as_in_c, lambda x: None, mutates_args=("x",)), (np.ones((2, 3)),))


def test_grown_arrays_are_told_by_their_sizes():
    opcheck(declared(grows, lambda x: np.empty(x.size + 1)), (np.ones(3),))


def test_functions_that_exist_are_checked_too():
    opcheck(opaque(sum_of_squares, lambda x: np.float64(0)), (np.arange(3.0),))
    with pytest.raises(OpCheckError) as caught:
        opcheck(opaque(sum_of_squares, lambda x: np.empty(())), (np.arange(3.0),))
    assert caught.value.code == "E410"


def sum_of_squares(x):
    return np.dot(x, x)


@custom_op("checked::counted", mutates_args=("total",))
def counted(total: np.ndarray, x: np.ndarray) -> np.ndarray:
    total += x.size
    return x + total


counted.register_fake(lambda total, x: np.empty_like(x))


def test_arrays_without_axes_are_laid_out_too():
    opcheck(counted, (np.zeros(()), np.ones(3)))
    opcheck(counted, (np.zeros((), np.int64), np.ones(())))


def freezes(x):
    x.flags.writeable = False
    return x * 2


def gives_a_matrix(x):
    return np.matrix(x)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize(("function", "code"), [(freezes, "E250"), (gives_a_matrix, "E410")])
def test_functions_that_exist(function, code):
    opaque(function, lambda x: np.empty(x.shape, x.dtype), name="lab::existing")
    with pytest.raises(OpCheckError) as caught:
        opcheck("lab::existing", (np.ones((2, 2)),))
    assert caught.value.code == code


def test_a_tuple_with_attributes_may_be_a_plain_one_to_its_fake():
    stats = pytest.importorskip("scipy.stats")
    opaque(stats.linregress, lambda x, y: (np.float64(0),) * 5, name="lab::line")
    opcheck("lab::line", (np.arange(4.0), np.arange(4.0) ** 2))


def test_a_decomposition_of_another_dtype():
    op = declared(twice, same)
    register_decomposition(op)(lambda x: (x * 2).astype(np.float32))
    with pytest.raises(OpCheckError, match="E254"):
        opcheck(op, (np.ones(3),))


def test_bytes_that_mean_nothing_are_no_difference():
    @custom_op("opcheck_long::third")
    def third(x: np.ndarray) -> np.ndarray:
        return np.sqrt(x) * x / 3

    third.register_fake(lambda x: np.empty(x.shape, x.dtype))
    for seed in range(20):
        noise = [np.random.default_rng(seed).normal(size=8) for _ in range(50)]
        del noise  # whose memory results lie in
        opcheck(third, (np.arange(4).astype(np.longdouble) / 7,))
