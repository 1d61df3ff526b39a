"""Sizes as Python values: every operator against ``int``, what is guarded and what is not, and the models of builtins."""

from __future__ import annotations

import math
import operator

import pytest

from npexport.symshapes.broadcasting import broadcast_shapes, broadcast_sizes
from npexport.symshapes.env import ShapeEnv, known
from npexport.symshapes.errors import Location, Unsupported, UserError
from npexport.symshapes.functions import MODELS, sym_max, sym_min, sym_not
from npexport.symshapes.ranges import SIZES, ValueRanges
from npexport.symshapes.rewrite import evaluate
from npexport.symshapes.symint import SymBool, SymFloat, SymInt, is_symbolic, python_type

HINTS = [(8, 3), (1, 1), (0, 2), (7, 5), (13, 1)]
OTHERS = [-3, -1, 1, 2, 3, 7, True, 0.5, 2.0, 1.7]
BINARY = [
    operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.truediv, operator.pow, divmod,
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
]  # fmt: skip
BITS = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]


def fresh(n=8, m=3, low=0):
    env = ShapeEnv()
    return env, env.create_symbol("x.shape[0]", n, ValueRanges(low, SIZES.upper)), env.create_symbol("y.shape[0]", m)


def concrete(value):
    """The value at the example."""
    if isinstance(value, tuple):
        return tuple(map(concrete, value))
    return value.hint if is_symbolic(value) else value


def outcome(function, *args):
    try:
        return concrete(function(*args))
    except Exception as error:
        return type(error), str(error).replace("SymInt", "int").replace("SymFloat", "float")


def same(actual, expected):
    assert actual == expected or (actual != actual and expected != expected), (actual, expected)
    assert type(actual) is type(expected)


def is_complex(expected):
    return isinstance(expected, complex)


@pytest.mark.parametrize("function", [*BINARY, *BITS])
@pytest.mark.parametrize("hints", HINTS)
def test_operators_both_ways_round(function, hints):
    for other in OTHERS:
        for swap in (False, True):
            _, n, _ = fresh(*hints)
            plain = (other, hints[0]) if swap else (hints[0], other)
            if function in (operator.pow, operator.lshift) and abs(plain[1]) > 20:
                continue
            expected = outcome(function, *plain)
            if not is_complex(expected):
                same(outcome(function, *((other, n) if swap else (n, other))), expected)
    _, n, m = fresh(*hints)
    same(outcome(function, n, m), outcome(function, *hints))


UNARY = [
    operator.neg,
    operator.pos,
    operator.invert,
    abs,
    round,
    math.floor,
    math.ceil,
    math.trunc,
    bool,
    lambda n: round(n, 1),
    lambda n: n.bit_length(),
]


@pytest.mark.parametrize("function", UNARY)
@pytest.mark.parametrize("hints", HINTS)
def test_unary_operators(function, hints):
    _, n, _ = fresh(*hints)
    same(outcome(function, n), outcome(function, hints[0]))


FLOATS = [
    lambda n: n / 2, lambda n: n / 3 + 1, lambda n: n * 0.7, lambda n: n**0.5, lambda n: (n + 1) / 4 - 0.25, lambda n: -n / 8,
    lambda n: 1 / (n + 1),
    lambda n: n // 2.0, lambda n: n % 1.5, lambda n: n * 0.1 + 0.2, lambda n: (n / 3) * (n / 5),
]  # fmt: skip
OF_FLOATS = [
    math.floor,
    math.ceil,
    math.trunc,
    round,
    abs,
    operator.neg,
    bool,
    lambda f: round(f, 2),
    lambda f: f < 2,
    lambda f: f >= 1.5,
    lambda f: f == 2.0,
]


@pytest.mark.parametrize("n", range(12))
def test_floats_are_pythons_floats(n):
    for make in FLOATS:
        for use in OF_FLOATS:
            _, size, _ = fresh(n)
            same(
                outcome(lambda value, make=make, use=use: use(make(value)), size),
                outcome(lambda value, make=make, use=use: use(make(value)), n),
            )


MODELLED = [
    (min, (5,)), (max, (5,)), (int, ()), (float, ()), (abs, ()), (round, ()), (divmod, (3,)), (pow, (2,)), (math.sqrt, ()),
    (math.isqrt, ()),
    (math.gcd, (12,)), (math.lcm, (6,)), (math.floor, ()), (math.ceil, ()), (math.log2, ()), (math.exp, ()), (math.pow, (2,)),
    (math.comb, (2,)),
    (operator.index, ()), (math.fabs, ()), (math.sin, ()),
]  # fmt: skip


@pytest.mark.parametrize(("function", "more"), MODELLED, ids=[f[0].__name__ for f in MODELLED])
@pytest.mark.parametrize("n", [0, 1, 4, 9, 30])
def test_models_of_functions(function, more, n):
    _, size, _ = fresh(n)
    same(outcome(MODELS[function], size, *more), outcome(function, n, *more))


OF_SHIFTED = [
    lambda n: MODELS[pow](n, -1, 7), lambda n: MODELS[pow](n, 2, 7), lambda n: MODELS[pow](3, n, 7), lambda n: MODELS[pow](3, 2, n),
    lambda n: MODELS[math.comb](n, 2), lambda n: n**-1, lambda n: 2**n,
    lambda n: (n / 2) ** -1, lambda n: (n + 0.5) ** 3.0, lambda n: n**0.5,
    lambda n: MODELS[math.pow](n, -1), lambda n: MODELS[math.pow](n, 0.5), lambda n: MODELS[math.pow](2, n), lambda n: 7 // n,
    lambda n: 7 % n, lambda n: 1.0 / n, lambda n: 2.5 // n, lambda n: MODELS[divmod](9, n), lambda n: 1 << n, lambda n: 99 >> n,
    lambda n: MODELS[math.log](n), lambda n: MODELS[math.log](n + 1, 2), lambda n: MODELS[math.isqrt](n), lambda n: MODELS[math.gcd](n, 6),
    lambda n: MODELS[math.lcm](n, 6), lambda n: MODELS[min](n, 1), lambda n: MODELS[int](n / 3), lambda n: round(n / 2), lambda n: n ^ 5,
    lambda n: n & -2, lambda n: n | -3, lambda n: n.bit_length(), lambda n: abs(n), lambda n: (n * 1.5) ** 400,
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(OF_SHIFTED)))
@pytest.mark.parametrize("example", [2, 9])
def test_functions_hold_wherever_their_guards_do(number, example):
    """Also of negative numbers: what raises for some sizes is guarded against."""

    def function(n):
        return OF_SHIFTED[number](n - 4)

    env, size, _ = fresh(example)
    traced = outcome(lambda: [function(size)])
    for n in range(16):
        expected = outcome(function, n)
        if all(evaluate(guard.truth, {"s0": n}) for guard in env.guards) and not is_complex(expected):
            same(traced if isinstance(traced, tuple) else outcome(at, traced[0], n), expected)


def at(value, n):
    """The value where the size is ``n``."""
    if isinstance(value, tuple):
        return tuple([at(item, n) for item in value])
    return evaluate(value.expression, {"s0": n}) if is_symbolic(value) else value


def test_sums_and_products():
    env, n, m = fresh()
    assert str(MODELS[sum]([n, m, 1]).expression) == "s0 + s1 + 1"
    assert str(MODELS[math.prod]([n, m, 2]).expression) == "2*s0*s1"
    assert env.guards == []


NO_GUARD = [
    (lambda n, m: n >= 0, True), (lambda n, m: n + 1 > n, True), (lambda n, m: n - n == 0, True), (lambda n, m: n // 2 <= n, True),
    (lambda n, m: sym_min(n, 5) <= n, True), (lambda n, m: n * m >= 0, True), (lambda n, m: -(-n // 8) * 8 >= n, True),
    (lambda n, m: n % 4 < 4, True),
    (lambda n, m: n < 0, False), (lambda n, m: 2 * n == 7, False), (lambda n, m: round(n / 2) <= n, True), (lambda n, m: int(n >= 0), 1),
]  # fmt: skip


@pytest.mark.parametrize(("function", "value"), NO_GUARD)
def test_what_is_proved_is_plain(function, value):
    env, n, m = fresh()
    assert function(n, m) is value or function(n, m) == value
    assert env.guards == []


SYMBOLIC = [
    (lambda n: n**0.5, "s0**0.5", SymFloat), (lambda n: MODELS[int](n**0.5), "isqrt(s0)", SymInt),
    (lambda n: MODELS[int](n / 2), "s0//2", SymInt),
    (lambda n: MODELS[int](MODELS[math.sqrt](n)), "isqrt(s0)", SymInt), (lambda n: math.ceil(n / 8), "(s0 + 7)//8", SymInt),
    (lambda n: round(n * 0.5), "round_div(s0, 2)", SymInt), (lambda n: n & 7, "s0 % 8", SymInt), (lambda n: n >> 2, "s0//4", SymInt),
    (lambda n: n << 3, "8*s0", SymInt), (lambda n: n * 0.5 > 3, "s0 >= 7", SymBool), (lambda n: n / 3 <= 2, "s0 <= 6", SymBool),
    (lambda n: (n > 3) & (n < 9), "s0 >= 4 and s0 <= 8", SymBool), (lambda n: sym_not(n > 3), "s0 <= 3", SymBool),
    (lambda n: sym_min(sym_max(n, 2), 5), "min(max(s0, 2), 5)", SymInt), (lambda n: (n > 3) + 1, "int(s0 >= 4) + 1", SymInt),
    (lambda n: int(1) + n - 1, "s0", SymInt),
]  # fmt: skip


@pytest.mark.parametrize(("function", "text", "kind"), SYMBOLIC, ids=[row[1] for row in SYMBOLIC])
def test_what_stays_symbolic(function, text, kind):
    env, n, _ = fresh()
    value = function(n)
    assert type(value) is kind
    assert str(value.expression) == text
    assert env.guards == []


SPECIALISING = [
    (lambda n: [0] * n, [0] * 8), (lambda n: f"{n}", "8"), (lambda n: f"{n:>3}", "  8"), (lambda n: "%d-%s" % (n, n), "8-8"),
    (lambda n: {8: "a"}[n], "a"),
    (lambda n: n in {8, 9}, True), (lambda n: range(10)[n], 8), (lambda n: str((n, 1)), "(8, 1)"), (lambda n: repr(n), "8"),
    (lambda n: hash(n), hash(8)),
    (lambda n: list(range(20))[n : n + 1], [8]), (lambda n: float(n), 8.0), (lambda n: "abc".ljust(n), "abc     "), (lambda n: int(n), 8),
]  # fmt: skip


@pytest.mark.parametrize(("function", "value"), SPECIALISING)
def test_what_must_be_a_number_becomes_one_with_a_reason(function, value):
    env, n, _ = fresh()
    assert function(n) == value
    assert [guard.text for guard in env.guards] == ["x.shape[0] == 8"]
    assert env.guards[0].reason
    assert n + 1 == 9  # from now on it is a constant
    assert len(env.guards) == 1


def test_branches_record_one_guard_with_the_users_line():
    line = Location("model.py", 7, 4, 7, 20, "forward", "    if n % 4 == 0:")
    env = ShapeEnv(where=lambda: (line,))
    n = env.create_symbol("x.shape[0]", 8)
    for _ in range(3):
        assert n % 4 == 0
    assert n % 2 == 0
    (guard,) = env.guards
    assert guard.text == "x.shape[0] % 4 == 0"
    assert guard.location is line
    assert str(guard) == "x.shape[0] % 4 == 0  # x.shape[0] = 8; model.py:7 in forward, code: if n % 4 == 0:"


def test_chained_comparison_and_membership():
    env, n, m = fresh()
    assert 1 <= n < 10
    assert n in (m, 3, 8)
    assert [guard.text for guard in env.guards] == [
        "x.shape[0] >= 1",
        "x.shape[0] <= 9",
        "x.shape[0] != y.shape[0]",
        "x.shape[0] != 3",
        "x.shape[0] == 8",
    ]


def test_division_by_a_size_that_may_be_zero():
    env, n, m = fresh(8, 3)
    assert (n // m).hint == 2
    assert [guard.text for guard in env.guards] == ["y.shape[0] != 0"]
    env, n, m = fresh(8, 0)
    with pytest.raises(ZeroDivisionError):
        n // m
    assert [guard.text for guard in env.guards] == ["y.shape[0] == 0"]


def test_known_records_nothing():
    env, n, m = fresh()
    assert (known(n >= 0), known(n < 0), known(n == m), known(True)) == (True, False, None, True)
    assert env.guards == []


def test_unbacked_sizes():
    env = ShapeEnv()
    n = env.create_symbol("x.shape[0]", 8)
    u = env.create_unbacked(0, n, "the number of non-zero elements of x")
    assert str(u.expression) == "u0"
    assert u.hint is None
    assert known(u <= n) is True
    assert (u >= 0) is True
    with pytest.raises(Unsupported, match=r"u0 is the number of non-zero elements of x") as error:
        bool(u == 0)
    assert error.value.code == "E103"
    with pytest.raises(Unsupported) as error:
        [0] * u
    assert error.value.code == "E104"
    assert env.check((u >= 2).expression)
    assert u > 1
    assert [guard.deferred for guard in env.guards] == [True]


def test_between_which_sizes_a_number_lies_is_known_again_unless_that_says_something_about_them():
    env = ShapeEnv()
    n = env.create_symbol("x.shape[0]", 8)
    before = env.facts.copy(), env.declared.copy()
    env.facts.assume((n <= 10).expression)
    below, above = env.create_unbacked(0, n), env.create_unbacked(n, 10)
    assert known(below <= n) and known(above >= n)
    env.facts, env.declared = before
    env.know("u0", "u1")
    assert (known(below <= n), known(above >= n), known(n <= 10)) == (True, None, None)


def test_what_type_means():
    _, n, _ = fresh()
    assert [python_type(value) for value in (n, n > 3, n / 2, 3, "a")] == [int, bool, float, int, str]


def test_numpy_scalars_do_not_swallow_sizes():
    numpy = pytest.importorskip("numpy")
    _, n, _ = fresh()
    for scalar in (numpy.float32(2), numpy.float64(2), numpy.int64(2)):
        with pytest.raises(TypeError):
            scalar * n


def test_closed_environments_print_expressions():
    env, n, _ = fresh()
    env.close()
    assert f"{n} {n + 1!r}" == "s0 s0 + 1"
    for asked in (lambda: (n, 3) == (4, 3), lambda: max(n, 4), lambda: int(n), lambda: range(n)):
        with pytest.raises(UserError, match="may hold or not") as caught:
            asked()
        assert caught.value.code == "E201" and "range_constraints" in caught.value.hint
    assert (n, 3) == (n, 3) and n >= 0 and env.guards == []


BROADCASTS = [
    # a range, b range, hints, result, guards
    ((0, None), 1, (5, 1), "s0", []),
    ((2, None), 4, (4, 4), 4, ["x.shape[0] == 4"]),
    ((0, None), 4, (4, 4), 4, ["x.shape[0] == 4"]),
    ((0, None), 4, (1, 4), 4, ["x.shape[0] == 1"]),
    ((0, None), (0, None), (5, 5), "s0", ["x.shape[0] == y.shape[0]"]),
    ((0, None), (0, None), (5, 1), "s0", ["y.shape[0] == 1"]),
    ((0, None), (0, None), (1, 1), "s0", ["x.shape[0] == y.shape[0]"]),
    ((0, None), (1, 1), (0, 1), "s0", []),
    ((2, 8), (2, 8), (3, 3), "s0", ["x.shape[0] == y.shape[0]"]),
]


@pytest.mark.parametrize(("a", "b", "hints", "result", "guards"), BROADCASTS)
def test_broadcasting_of_sizes(a, b, hints, result, guards):
    env = ShapeEnv()
    make = [
        env.create_symbol(f"{'xy'[i]}.shape[0]", hints[i], ValueRanges(r[0], SIZES.upper if r[1] is None else r[1]))
        if isinstance(r, tuple)
        else r
        for i, r in enumerate((a, b))
    ]
    size = broadcast_sizes(*make)
    assert (str(size.expression) if is_symbolic(size) else size) == result
    assert [guard.text for guard in env.guards] == guards


def test_sizes_that_do_not_fit_stay_refused():
    env, n, m = fresh(8, 3)
    assert broadcast_sizes(n, m) is None
    assert [guard.text for guard in env.guards] == ["x.shape[0] != y.shape[0]", "x.shape[0] != 1", "y.shape[0] != 1"] or env.guards
    assert broadcast_shapes((2, 1), (3,)) == (2, 3)
    assert broadcast_shapes((2,), (3,)) is None


def test_extrema_drop_what_is_known_not_to_matter():
    env, n, _ = fresh(8, 3, low=3)
    assert sym_max(n, 2) is not None
    assert [
        str(value.expression) if is_symbolic(value) else value
        for value in (sym_max(n, 2), sym_min(n, 2), sym_min(n, n + 1), sym_max(n, 0, n - 1))
    ] == ["s0", 2, "s0", "s0"]
    assert env.guards == []


def test_check_states_facts():
    from npexport.symshapes.checking import check

    env, n, _ = fresh(8)
    check(n > 2, "too small")
    check(n > 1)
    assert [(guard.text, guard.reason, guard.deferred) for guard in env.guards] == [("x.shape[0] >= 3", "too small", True)]
    with pytest.raises(AssertionError, match="too large"):
        check(n < 3, lambda: "too large")
    with pytest.raises(AssertionError, match="check failed"):
        check(False)


@pytest.mark.parametrize("step", [lambda n: (3 * n + 1) // 2, lambda n: sym_min(n + 1, 2 * n) // 3 * 4 + 1])
def test_expressions_that_grow_without_end_become_constants(step):
    env, n, _ = fresh(8)
    plain = 8
    for _ in range(60):
        n, plain = step(n), step(plain)
    assert n == plain
    assert "too large" in env.guards[-1].reason
