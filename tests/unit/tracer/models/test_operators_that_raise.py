"""Operators of users that state what they raise: a ``try`` around a call becomes a branch."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import npexport
from npexport import Dim, InputMismatch, Unsupported, UserError, custom_op, export, new_size, opaque, ops
from npexport.testing import OpCheckError, opcheck
from tests.support.custom_ops import same
from tests.support.forms import reloaded
from tests.support.outcomes import outcome
from tests.support.plain_modules import module_of

CALLS = collections.Counter()


class Failed(ValueError):
    """A class of a user's that is made of a message alone."""


class Told(Exception):
    """One that is not."""

    def __init__(self, number: int) -> None:
        super().__init__(f"number {number}")


def declare():
    @custom_op("raising::solved", raises=(np.linalg.LinAlgError, ValueError))
    def solved(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        CALLS["solved"] += 1
        if a[0, 0] == 0:
            raise np.linalg.LinAlgError("singular")
        if a[0, 0] < 0:
            raise ValueError(f"negative: {a[0, 0]}")
        return np.linalg.solve(a, b)

    solved.register_fake(lambda a, b: np.empty(b.shape))

    @custom_op("raising::positive", raises=ValueError)
    def positive(a: np.ndarray) -> np.ndarray:
        if a[0, 0] < 0:
            raise ValueError("negative")
        return a[a > 0]

    positive.register_fake(lambda a: np.empty(new_size(max=a.size)))

    @custom_op("raising::raised", mutates_args=("a",), raises=ValueError)
    def raised(a: np.ndarray, by: float) -> None:
        if a[0, 0] < 0:
            raise ValueError("negative")
        a += by

    raised.register_fake(lambda a, by: None)
    return ops.raising


def specific(a, b):
    try:
        return ops.raising.solved(a, b)
    except np.linalg.LinAlgError:
        return np.full(b.shape, 7.0)


def both(a, b):
    try:
        return ops.raising.solved(a, b)
    except np.linalg.LinAlgError:
        return np.full(b.shape, 7.0)
    except ValueError as error:
        raise KeyError(f"found {error}") from error


def everything(a, b):
    try:
        return ops.raising.solved(a, b) + ops.raising.solved(a, b * 2)
    except Exception:
        return b * 2


def at_last(a, b):
    try:
        return ops.raising.solved(a, b)
    finally:
        b = b + 1


def of_sizes(a, b):
    try:
        return ops.raising.positive(a).sum()
    except ValueError:
        return b.sum()


def mutating(a, b):
    try:
        ops.raising.raised(a, 2.0)
    except ValueError:
        return b.sum()
    return a.sum()


def in_a_loop(a, b):
    total = b
    while total.sum() < 20:
        try:
            total = total + ops.raising.solved(a * total[0], b)
        except ValueError:
            total = total + 10
    return total


def on_a_side(a, b):
    if b.sum() > 1:
        try:
            return ops.raising.solved(a - 1, b)
        except ValueError:
            return b * 3
    return b


PROGRAMS = [specific, both, everything, at_last, of_sizes, mutating, in_a_loop, on_a_side]


@pytest.mark.parametrize("f", PROGRAMS)
def test_handlers_get_what_an_operator_raises(f):
    declare()
    n = Dim("n", min=1)
    program = export(f, (np.eye(3), np.ones(3)), dynamic_shapes=({0: n, 1: n}, {0: n}))
    core = program.run_decompositions()
    for run in (program.module(), reloaded(program).module(), core.module()):
        for size in (2, 3):
            for factor in (1.0, 0.0, -1.0, 3.0):
                args = (np.eye(size) * factor, np.arange(1.0, size + 1))
                assert outcome(run, args) == outcome(f, args)


def test_calls_are_made_as_often_as_the_program_makes_them():
    declare()
    for f in (specific, everything, in_a_loop, on_a_side):
        run = export(f, (np.eye(2), np.ones(2))).module()
        for factor in (1.0, 2.0, 0.0):
            counts = []
            for each in (f, run):
                CALLS.clear()
                each(np.eye(2) * factor, np.ones(2))
                counts.append(CALLS["solved"])
            assert counts[0] == counts[1] > 0, (f, factor)


def test_what_is_not_stated_is_no_exception_of_the_program():
    @custom_op("raising::op", raises=(ValueError, RuntimeError), mutates_args=("x",))
    def op(x: np.ndarray, how: int) -> np.ndarray:
        if how == 1:
            raise np.linalg.LinAlgError("a class within ValueError")
        if how == 2:
            raise ValueError("two", "texts")
        if how == 3:
            raise ValueError("x" * 5000)
        if how == 4:
            x += 1
            raise ValueError("after a write")
        if how == 5:
            raise LookupError("another")
        if how == 6:
            return np.ones(7)
        return x * 2

    op.register_fake(lambda x, how: np.empty(x.shape))

    def f(x, how):
        try:
            return op(x, int(how))
        except Exception:
            return x * 3

    program = export(f, (np.ones(2), np.array(0)))
    same(program.module()(np.ones(2), np.array(0)), np.full(2, 2.0))
    for run in (program.module(), reloaded(program).module()):
        for how in range(1, 7):
            with pytest.raises(InputMismatch, match=r"raising\.op") as caught:
                run(np.ones(2), np.array(how))
            assert caught.value.code == "E410"
        x = np.ones(2)
        with pytest.raises(InputMismatch, match="has written to an argument before"):
            run(x, np.array(4))


def test_an_operator_that_raises_nothing_may_stand_in_a_try():
    @custom_op("raising::op", raises=())
    def op(x: np.ndarray) -> np.ndarray:
        return np.sqrt(x) if x[0] >= 0 else 1 // 0

    op.register_fake(lambda x: np.empty(x.shape))

    def f(x):
        try:
            return op(x)
        except ZeroDivisionError:
            return x

    program = export(f, (np.ones(2),))
    assert op.schema == "raising.op(x: ndarray) -> ndarray raises nothing"
    same(program.module()(np.full(2, 4.0)), np.full(2, 2.0))
    with pytest.raises(InputMismatch, match="raises ZeroDivisionError, where raises=\\(\\) is declared"):
        program.module()(-np.ones(2))


def test_without_a_statement_no_program_may_wait():
    op = custom_op("raising::op")(lambda_like)
    op.register_fake(lambda x: np.empty(x.shape))

    def f(x):
        try:
            return op(x)
        except ValueError:
            return x

    with pytest.raises(Unsupported, match="raises=") as caught:
        export(f, (np.ones(2),))
    assert caught.value.code == "E126"


def lambda_like(x: np.ndarray) -> np.ndarray:
    return x * 2


def test_functions_of_libraries_state_it_too():
    linalg = pytest.importorskip("scipy.linalg")
    opaque(
        linalg.solve_banded,
        lambda l_and_u, ab, b: np.empty(b.shape),
        name="raising::solve_banded",
        raises=(np.linalg.LinAlgError, ValueError),
    )

    def f(ab, b):
        try:
            return linalg.solve_banded((1, 1), ab, b)
        except np.linalg.LinAlgError:
            return np.zeros_like(b)

    ab = np.array([[0.0, 1, 1], [4, 4, 4], [1, 1, 0]])
    program = export(f, (ab, np.ones(3)))
    for run in (program.module(), reloaded(program).module()):
        for args in ((ab, np.ones(3)), (ab * 0, np.ones(3)), (ab * np.nan, np.ones(3))):
            assert outcome(run, args) == outcome(f, args)


def test_a_class_of_the_users_own():
    @custom_op("raising::op", raises=(Failed, ValueError))
    def op(x: np.ndarray) -> np.ndarray:
        if x[0] < 0:
            raise Failed("negative")
        return x + 1

    op.register_fake(lambda x: np.empty(x.shape))

    def f(x):
        try:
            return op(x)
        except Failed:
            return x * 2

    program = export(f, (np.ones(2),))
    for run in (program.module(), reloaded(program).module()):
        for x in (np.ones(2), -np.ones(2)):
            same(run(x), f(x))


@pytest.mark.parametrize("raises", [3, "ValueError", BaseException, StopIteration, AttributeError, UnicodeDecodeError, [ValueError], Told])
def test_statements_that_are_none(raises):
    with pytest.raises(UserError, match="E220"):
        custom_op("raising::op", raises=raises)(lambda_like)


def test_a_file_knows_what_was_stated():
    declare()
    program = export(specific, (np.eye(2), np.ones(2)))
    body = ops.raising.solved.body
    try:
        other = custom_op("raising::solved", raises=ValueError)(body)
        other.register_fake(lambda a, b: np.empty(b.shape))
        with pytest.raises(npexport.LoadError, match="E510"):
            reloaded(program)
    finally:
        declare()
    reloaded(program)


def test_plain_python_has_the_same_handlers(tmp_path):
    def f(x):
        try:
            return opaque_root(x)
        except ValueError as error:
            raise KeyError(f"found {error}") from error

    opaque(opaque_root, lambda x: np.empty(x.shape), name="raising::root", raises=(ValueError, RuntimeError))
    plain = module_of(export(f, (np.ones(2),)), tmp_path / "plain.py")
    for x in (np.ones(2), -np.ones(2)):
        assert outcome(plain.forward, (x,)) == outcome(f, (x,))
    with pytest.raises(ValueError, match="raises LinAlgError, which raises= does not state"):
        plain.forward(np.zeros(2))


def opaque_root(x):
    if x[0] == 0:
        raise np.linalg.LinAlgError("zero")
    if x[0] < 0:
        raise ValueError("negative")
    return np.array([float(item) ** 0.5 for item in x.tolist()])


def test_opcheck_holds_an_operator_to_its_statement():
    @custom_op("raising::op", mutates_args=("x",), raises=(ValueError,))
    def op(x: np.ndarray) -> None:
        if x[0] < 0:
            raise ValueError("negative")
        if x[0] > 9:
            raise LookupError("large")
        x += 1
        if x[1] > 9:
            raise ValueError("large, too")

    opcheck(op, (np.ones(2),))
    opcheck(op, (-np.ones(2),))
    for x, code, what in ((np.full(2, 10.0), "E410", "LookupError"), (np.array([1.0, 9]), "E250", "when it raises ValueError")):
        with pytest.raises(OpCheckError, match=what) as caught:
            opcheck(op, (x,))
        assert caught.value.code == code


def test_a_call_that_nothing_uses_is_made():
    for raises in ((), ValueError):

        @custom_op("raising::op", raises=raises)
        def op(x: np.ndarray) -> np.ndarray:
            CALLS["op"] += 1
            return x + 1

        op.register_fake(lambda x: np.empty(x.shape))

        def f(x):
            op(x)  # noqa: B023
            try:
                op(x * 2)  # noqa: B023
            finally:
                x = x + 1
            return x

        run = export(f, (np.ones(2),)).module()
        CALLS.clear()
        run(np.ones(2))
        assert CALLS["op"] == 2, raises


def test_what_contradicts_a_declaration_is_caught_by_no_handler():
    @custom_op("raising::op", raises=(TypeError, ValueError))
    def op(x: np.ndarray) -> tuple[np.ndarray, float]:
        return (x * 2, 1.0) if x[0] > 0 else (x * 2, "text") if x[0] < 0 else x

    op.register_fake(lambda x: (np.empty(x.shape), 0.0))
    opaque(passed_on, lambda x: np.empty(x.shape), name="raising::passed_on", raises=(ValueError,))

    def f(x):
        try:
            return passed_on(x) + op(x)[0]
        except (TypeError, ValueError):
            return x * 3

    run = export(f, (np.ones(2),)).module()
    same(run(np.ones(2)), f(np.ones(2)))
    for x, error in ((np.array([-1.0, 0]), TypeError), (np.zeros(2), TypeError), (np.array([1.0, -1]), ValueError)):
        with pytest.raises(error, match=r"raising\."):
            run(x)


def passed_on(x):
    return x if x[1] < 0 else np.array(x.tolist())
