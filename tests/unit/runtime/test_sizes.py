"""Dynamic sizes at the call: symbols solved, ranges and guards enforced, refusals in the user's words; fast path and explanation agree."""

import itertools

import numpy as np
import pytest

from npexport import Dim, export
from npexport.ir.meta import TensorMeta
from npexport.ir.ops.fresh import fresh_numbers
from npexport.runtime.calling import slots_of
from npexport.runtime.entry.sizes import size_checks
from npexport.symshapes import expr as E
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.errors import InputMismatch, InternalError
from npexport.symshapes.ranges import ValueRanges, int_oo
from tests.support import program_builder
from tests.support.program_builder import Builder

F8 = np.dtype("f8")


def program(shapes, *, ranges=None, guards=(), numbers=()):
    """A program that returns its first input; ``shapes(env)`` gives the shapes of x0, x1, …, ``guards(env)`` is evaluated as the trace
    would.
    """
    env = ShapeEnv()
    env.symbolic = [env.create_symbol(f"s{i}", hint) for i, hint in enumerate((6, 8, 4))]
    builder = Builder()
    nodes = [builder.input(f"x{i}", TensorMetaInput(shape)) for i, shape in enumerate(shapes(*env.symbolic))]
    nodes += [builder.input(f"n{i}", number) for i, number in enumerate(numbers(*env.symbolic) if numbers else ())]
    for guard in guards(*env.symbolic) if guards else ():
        assert bool(guard)
    env.close()
    bounds = {size.expression: ValueRanges(*ends) for size, ends in (ranges(*env.symbolic) if ranges else {}).items()}
    return builder.finish(nodes[0], range_constraints=bounds, guards=env.guards)


class TensorMetaInput:
    """A stand-in for an example array of a symbolic shape."""

    def __init__(self, shape):
        self.shape = shape


@pytest.fixture(autouse=True)
def symbolic_inputs(monkeypatch):
    original = program_builder.meta_of
    monkeypatch.setattr(
        program_builder, "meta_of", lambda value: TensorMeta(value.shape, F8) if isinstance(value, TensorMetaInput) else original(value)
    )


def accepted(run, *inputs):
    try:
        run(*inputs)
    except InputMismatch as error:
        return error.message
    return True


def test_relations_between_sizes():
    run = program(lambda a, b, c: [(a,), (a + 1, b), (2 * b,)], ranges=lambda a, b, c: {a: (3, 6), b: (0, int_oo)}).module()
    fits = {}
    for a, a1, b, b2 in itertools.product(range(2, 8), range(2, 9), (0, 1, 5), (0, 2, 10)):
        fits[a, a1, b, b2] = accepted(run, np.zeros(a), np.zeros((a1, b)), np.zeros(b2)) is True
    assert fits == {(a, a1, b, b2): 3 <= a <= 6 and a1 == a + 1 and b2 == 2 * b for a, a1, b, b2 in fits}
    assert any(fits.values())


GUARDS = {
    "divisibility": (lambda a, b, c: [a % 3 == 0], lambda a, b, c: a % 3 == 0),
    "not equal": (lambda a, b, c: [a != 7], lambda a, b, c: a != 7),
    "less": (lambda a, b, c: [a < b], lambda a, b, c: a < b),
    "square": (lambda a, b, c: [a * a >= b], lambda a, b, c: a * a >= b),
    "floor": (lambda a, b, c: [a // 2 == 3], lambda a, b, c: a // 2 == 3),
    "division by a size": (lambda a, b, c: [b // c == 2], lambda a, b, c: c > 0 and b // c == 2),
    "three": (lambda a, b, c: [a + c > b], lambda a, b, c: a + c > b),
}


@pytest.mark.parametrize("guards, truth", GUARDS.values(), ids=GUARDS)
def test_guards(guards, truth):
    exported = program(lambda a, b, c: [(a, b), (c,)], guards=guards)
    run, unguarded = exported.module(), exported.module(check_guards=False)
    for a, b, c in itertools.product((0, 1, 2, 6, 7, 9), (0, 1, 8, 9), (0, 1, 4)):
        inputs = np.zeros((a, b)), np.zeros(c)
        result = accepted(run, *inputs)
        assert (result is True) == truth(a, b, c), (a, b, c, result)
        assert accepted(unguarded, *inputs) is True


SOLVED = {
    "multiple": lambda a, b: 2 * a,
    "sum": lambda a, b: a + 3,
    "multiple and sum": lambda a, b: 3 * a + 1,
    "other size": lambda a, b: a + b,
    "multiple and other size": lambda a, b: 2 * a + b,
}


@pytest.mark.parametrize("size", SOLVED.values(), ids=SOLVED)
def test_sizes_are_solved_for_their_symbols(size):
    """An input of a size alone, and before one that carries the symbol."""
    alone = program(lambda a, b, c: [(b,), (size(a, b),)], ranges=lambda a, b, c: {a: (1, 4)}).module()
    first = program(lambda a, b, c: [(b,), (size(a, b),), (a,)], ranges=lambda a, b, c: {a: (1, 4)}).module()
    for b, whole in itertools.product((0, 2, 3), range(15)):
        roots = [a for a in range(1, 5) if size(a, b) == whole]
        assert (accepted(alone, np.zeros(b), np.zeros(whole)) is True) == bool(roots), (b, whole)
        fits = [a for a in range(15) if accepted(first, np.zeros(b), np.zeros(whole), np.zeros(a)) is True]
        assert fits == roots, (b, whole)


def test_a_root_that_no_input_carries():
    run = program(lambda a, b, c: [(2 * a,), (3 * a - 1,)]).module()
    assert accepted(run, np.zeros(8), np.zeros(11)) is True
    assert "x0.shape[0]: expected a size of the form 2*k, got 7" in accepted(run, np.zeros(7), np.zeros(11))
    assert "x1.shape[0]: expected 11, which is 3*(x0.shape[0]//2) - 1, got 10" in accepted(run, np.zeros(8), np.zeros(10))


def test_numbers_are_checked():
    run = program(lambda a, b, c: [(a,)], numbers=lambda a, b, c: [b], ranges=lambda a, b, c: {b: (-2, 5)}).module()
    assert accepted(run, np.zeros(1), -2) is True
    assert "n0: expected at least -2 and at most 5, got -3" in accepted(run, np.zeros(1), -3)
    for wrong in (True, 1.0, np.int64(1), "1"):
        assert "n0: expected a Python int" in accepted(run, np.zeros(1), wrong)


def test_refusals_speak_of_the_users_terms():
    run = program(lambda a, b, c: [(a, 4), (a,)], ranges=lambda a, b, c: {a: (3, 6)}, guards=lambda a, b, c: [a % 2 == 0]).module()
    assert "x0.shape[0]: expected at least 3 and at most 6, got 8" in accepted(run, np.zeros((8, 4)), np.zeros(8))
    assert "expected x0.shape[0] % 2 == 0; got x0.shape[0] = 5" in accepted(run, np.zeros((5, 4)), np.zeros(5))
    assert "x1.shape[0]: expected 4, which is x0.shape[0], got 5" in accepted(run, np.zeros((4, 4)), np.zeros(5))
    assert "x0: expected 2 dimensions, shape (s0, 4), got shape (4,)" in accepted(run, np.zeros(4), np.zeros(4))
    assert "x0.shape[1]: expected 4, got 3" in accepted(run, np.zeros((4, 3)), np.zeros(4))


def test_several_problems_come_together():
    run = program(lambda a, b, c: [(a, b), (a,)], ranges=lambda a, b, c: {a: (3, 6)}, guards=lambda a, b, c: [b % 4 == 0]).module()
    message = accepted(run, np.zeros((7, 5)), np.zeros(8))
    assert "x1.shape[0]: expected 7" in message and "at most 6" in message and "x0.shape[1] % 4 == 0" in message


def test_sizes_that_cannot_be_solved_are_a_defect_of_the_program():
    with pytest.raises(InternalError, match="cannot be solved"):
        program(lambda a, b, c: [(a * b,)]).module()


def test_guards_on_sizes_that_only_data_decide():
    env = ShapeEnv()
    builder = Builder()
    x = builder.input("x", TensorMetaInput((env.create_symbol("x.shape[0]", 6),)))
    with fresh_numbers(lambda low, high, slot: env.create_unbacked(low, high), env.create_unbacked_float, env.create_unbacked_truth):
        index = builder.call("sym.item", builder.call("np.nonzero", x), 0)
    assert env.check((index.meta["val"].shape[0] >= 2).expression, "two are needed")
    env.close()
    program = builder.finish(index, guards=env.guards)
    program.validate()
    run = program.module()
    np.testing.assert_array_equal(run(np.array([0.0, 1, 2])), [1, 2])
    with pytest.raises(InputMismatch, match="two are needed"):
        run(np.array([0.0, 1, 0]))


def test_guards_on_symbols_that_turned_out_to_be_other_sizes():
    """The trace guarded on ``a``, then found ``a == b - 1``: ``a`` stands in no shape any more, its place does."""
    env = ShapeEnv()
    a, b = env.create_symbol("x0.shape[0]", 6), env.create_symbol("x1.shape[0]", 7)
    assert bool(a % 3 == 0)
    env.close()
    builder = Builder()
    x = builder.input("x0", TensorMetaInput((b - 1, 2)))
    builder.input("x1", TensorMetaInput((b,)))
    run = builder.finish(x, guards=env.guards).module()
    assert accepted(run, np.zeros((3, 2)), np.zeros(4)) is True
    assert "expected x0.shape[0] % 3 == 0; got x0.shape[0] = 4" in accepted(run, np.zeros((4, 2)), np.zeros(5))


@pytest.mark.parametrize("part", [lambda q: q[1:], lambda q: np.concatenate([q, q[:1]]), lambda q: np.repeat(q, 3)[:-1]])
def test_sizes_of_inputs_that_must_be_what_data_give(part):
    def program(x, v):
        y = x * 2
        return part(np.nonzero(v)[0]) @ x, y

    v = np.array([0.0, 1, 2, 3])
    rows = len(part(np.nonzero(v)[0]))
    run = export(program, (np.ones((rows, 2)), v), dynamic_shapes={"x": {0: Dim.AUTO}, "v": {0: Dim.AUTO}}).module()
    for more in range(4):
        numbers = np.arange(4.0 + more)
        x = np.ones((len(part(np.nonzero(numbers)[0])), 2))
        np.testing.assert_equal(run(x, numbers), program(x, numbers))
        with pytest.raises(InputMismatch, match=r"x.shape\[0\]"):
            run(np.ones((len(x) + 1, 2)), numbers)


def test_guards_that_nothing_can_check_are_never_dropped():
    env = ShapeEnv()
    n = env.create_symbol("nowhere", 6)
    assert bool(n % 3 == 0)
    env.close()
    builder = Builder()
    program = builder.finish(builder.input("x", np.zeros(3)), guards=env.guards)
    with pytest.raises(InternalError, match="no value of the program shows the sizes"):
        program.module()


def test_explanation_and_condition_agree():
    exported = program(
        lambda a, b, c: [(a, b), (c, 2 * a)], ranges=lambda a, b, c: {a: (1, 9), c: (0, 5)}, guards=lambda a, b, c: [b % 4 == 0, a != c]
    )
    leaves = [leaf for slot in slots_of(exported.call_spec, exported.graph, exported.graph_signature) for leaf in slot.leaves]
    checks = size_checks(leaves, exported.ranges, exported.guards)
    fits = checks.function()
    for shapes in itertools.product(itertools.product((0, 1, 5, 10), (0, 3, 8)), itertools.product((0, 1, 5, 6), (2, 10, 3))):
        assert fits(*shapes) == (checks.problems(shapes) == [])


@pytest.mark.parametrize(
    ("program", "written"),
    [(lambda x: x[x > 2], 4), (lambda x: np.unique(x)[:3], 4), (lambda x: np.repeat(x, 2)[x.size :], None)],
)
def test_promises_of_data_are_written_out_where_the_rules_do_not_make_them(program, written):
    x = np.arange(6.0)
    exported = export(program, (x,))
    run = exported.module()
    assert "if not (v" not in run.code
    if written is not None:
        (env,) = exported.graph.environments()
        (size,) = exported.graph.unbacked_bindings(env.symbols)
        env.declare(E.symbol(size) <= 3)
        narrow = exported.module()
        assert "if not (v" in narrow.code
        with pytest.raises(InputMismatch, match="<= 3"):
            narrow(x + 9)
    for data in (x, x * 0, x + 9):
        assert repr(run(data)) == repr(program(data))


def test_a_size_without_a_value_is_a_misfit_as_others_are():
    """The size of one input is a quotient by that of another, which is 0."""

    def f(x, y):
        return np.ones(12 // len(x)) * y

    run = export(f, (np.ones(4), np.ones(3)), dynamic_shapes=({0: Dim.AUTO}, {0: Dim.AUTO})).module()
    assert len(run(np.ones(2), np.ones(6))) == 6
    for length in (0, 3):
        with pytest.raises(InputMismatch, match=r"x.shape\[0\]: expected at least 1, got 0") as caught:
            run(np.ones(0), np.ones(length))
        assert str(caught.value).count("y.shape[0]: no size fits, since 12//x.shape[0] has no value") == 1
