"""Random expressions, facts and programs: every simplification, decision and contract held against Python on samples, decisions also
against z3.
"""

from __future__ import annotations

import contextlib
import copy
import itertools
import pickle
import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from npexport.symshapes import expr as E
from npexport.symshapes.constructors import joined_halves, maximum, minimum
from npexport.symshapes.decide import Facts
from npexport.symshapes.dims import Dim
from npexport.symshapes.fixes import ConstraintViolation
from npexport.symshapes.parsing import parse
from npexport.symshapes.ranges import _RULES as INTERVALS
from npexport.symshapes.ranges import ValueRanges, int_oo
from npexport.symshapes.refine import refine_dynamic_shapes_from_suggested_fixes as refine
from npexport.symshapes.rewrite import evaluate, subexpressions, substitute
from npexport.symshapes.semantics import EVALUATE
from npexport.symshapes.sympy_interop import from_sympy, to_sympy
from tests.support.symshapes_programs import (
    GRID,
    NAMES,
    Array,
    accepts,
    concrete,
    random_tree,
    random_truth,
    run_conditions,
    symbolic,
    to_z3,
    trace,
)  # fmt: skip

seeds = st.integers(0, 2**32).map(random.Random)


def sizes(rng, ranges=None):
    ranges = ranges or dict.fromkeys(NAMES, ValueRanges(-9, 40))
    return {name: rng.randint(r.lower, r.upper if isinstance(r.upper, int) else 30) for name, r in ranges.items()}


@given(seeds)
def test_values_of_normal_forms(rng):
    tree, truth = random_tree(rng, 3), random_truth(rng, 2)
    expression, condition = symbolic(tree), symbolic(truth)
    for _ in range(8):
        numbers = sizes(rng)
        assert evaluate(expression, numbers) == concrete(tree, numbers)
        assert evaluate(condition, numbers) == concrete(truth, numbers)
        assert evaluate(~condition, numbers) != concrete(truth, numbers)


@given(seeds)
def test_printing_and_parsing_are_inverse(rng):
    for value in (symbolic(random_tree(rng, 4)), symbolic(random_truth(rng, 3))):
        assert parse(str(value)) is value
        assert copy.deepcopy(value) is value
        assert pickle.loads(pickle.dumps(value)) is value
        for part in subexpressions(value):
            assert pickle.loads(pickle.dumps(part)) is part


@given(seeds)
def test_substitution_is_composition(rng):
    tree = random_tree(rng, 3)
    inner = {name: random_tree(rng, 1) for name in NAMES}
    composed = substitute(symbolic(tree), {name: symbolic(part) for name, part in inner.items()})
    for _ in range(5):
        numbers = sizes(rng)
        assert evaluate(composed, numbers) == concrete(tree, {name: concrete(part, numbers) for name, part in inner.items()})


@given(seeds)
def test_equal_values_have_the_same_normal_form_where_laws_promise_it(rng):
    a, b, c = (symbolic(random_tree(rng, 2)) for _ in range(3))
    assert (a + b) + c is c + (b + a)
    assert a * (b + c) is a * b + a * c
    assert (a - b) + b is a
    assert minimum(a, b) is minimum(b, a)
    assert E.floordiv(a * 6, 6) is a
    assert E.mod(a * 6 + 5, 6) is E.integer(5)
    assert (a < b) is ~(a >= b)


def random_facts(rng):
    ranges = {name: ValueRanges(rng.choice([0, 0, 1, 2]), rng.choice([int_oo, int_oo, 8, 20])) for name in NAMES}
    facts, trees = Facts(ranges), [random_truth(rng, 1) for _ in range(rng.choice([0, 0, 1, 2]))]
    for tree in trees:
        facts.assume(symbolic(tree))
    return ranges, facts, trees


@given(seeds)
def test_facts_and_decisions_hold(rng):
    ranges, facts, trees = random_facts(rng)
    tree, number = random_truth(rng, 2), random_tree(rng, 3)
    answer, interval = facts.decide(symbolic(tree)), facts.bounds(symbolic(number))
    for _ in range(30):
        numbers = sizes(rng, ranges)
        if not all(concrete(known, numbers) for known in trees):
            continue
        assert not facts.contradictory
        assert answer in (None, concrete(tree, numbers))
        assert concrete(number, numbers) in interval
        assert all(evaluate(truth, numbers) for truth in facts.truths())
        assert evaluate(facts.replace(symbolic(number)), numbers) == concrete(number, numbers)


@pytest.mark.parametrize("op", INTERVALS)
def test_intervals_hold_all_values(op):
    """Of all small intervals of the arguments, and of their values where Python computes one."""
    intervals = [(low, high) for low in range(-2, 4) for high in range(low, 4)]
    for given_ends in itertools.product(intervals, repeat=1 if op in ("isqrt", "bit_length") else 2):
        low, high = INTERVALS[op](*given_ends)
        for numbers in itertools.product(*(range(first, last + 1) for first, last in given_ends)):
            with contextlib.suppress(ValueError, ZeroDivisionError):
                assert low <= EVALUATE[op](*numbers) <= high, given_ends


@given(seeds)
def test_decisions_against_z3(rng):
    z3 = pytest.importorskip("z3")
    ranges, facts, trees = random_facts(rng)
    condition = symbolic(random_truth(rng, 2))
    answer = facts.decide(condition)
    assume(answer is not None)
    solver = z3.Solver()
    solver.set("timeout", 300)
    for name, interval in ranges.items():
        solver.add(z3.Int(name) >= interval.lower, *([z3.Int(name) <= interval.upper] if isinstance(interval.upper, int) else []))
    for truth in [*map(symbolic, trees), ~condition if answer else condition]:
        solver.add(to_z3(truth, z3))
    assert solver.check() != z3.sat, solver.model()


@pytest.mark.parametrize(
    "words", ["gcd(s0, 6*s1)", "round_div(s0, 3)", "isqrt(s0) + s1", "s0 & s1", "int(s0 >= s1 + 2)", "abs(s0 - s1)", "min(s0, 4) // 3"]
)
def test_sympy_says_or_quotes_every_function(words):
    pytest.importorskip("sympy")
    value = parse(words)
    back = from_sympy(to_sympy(value))
    for a, b in itertools.product(range(9), repeat=2):
        assert evaluate(back, {"s0": a, "s1": b}) == evaluate(value, {"s0": a, "s1": b})


@given(seeds)
def test_sympy_and_back(rng):
    pytest.importorskip("sympy")
    tree = random_tree(rng, 2)
    back = from_sympy(to_sympy(symbolic(tree)))
    for _ in range(4):
        numbers = {name: rng.randint(0, 20) for name in NAMES}
        assert evaluate(back, numbers) == concrete(tree, numbers)


# Contracts. A straight-line program branches on conditions; what it handles is what takes the example's side of each.


def random_condition(rng, names):
    kind, name = rng.random(), rng.choice(names)
    if kind < 0.2:
        return "==", ("%", name, rng.choice([2, 3, 4, 6])), rng.choice([0, 1])
    if kind < 0.4:
        return rng.choice(["<=", ">=", "<", ">", "!="]), name, rng.randint(0, 15)
    if kind < 0.6 and len(names) > 1:
        left, right = ("*", names[0], rng.choice([1, 1, 2])), ("*", names[1], rng.choice([1, 1, 2, 3]))
        return rng.choice(["==", "<=", "=="]), ("+", left, rng.randint(-3, 3)), right
    if kind < 0.7 and len(names) > 1:
        return "==", ("+", names[0], names[1]), rng.randint(5, 20)
    return random_truth(rng, rng.choice([1, 2]), names)


def random_program(rng):
    """Conditions, an example, and a named ``Dim`` for every size that admits the example."""
    names = ("x", "y")[: rng.choice([1, 2, 2])]
    conditions = [random_condition(rng, names) for _ in range(rng.choice([1, 1, 2, 3]))]
    example = {name: rng.choice(GRID[:10]) for name in names}
    for _ in range(100):
        other = {name: rng.choice(GRID) for name in names}
        if all(concrete(condition, other) for condition in conditions):
            example = other
            break
    dims = {}
    for name in names:
        low, high = min(rng.choice([0, 0, 0, 1, 2]), example[name]), rng.choice([None, None, 130])
        dims[name] = Dim(f"d{name}", min=low or None, max=high)
    return names, conditions, example, dims


def _lines(fixes):
    return "\n".join(f"  {name} = {text}" for name, text in fixes.items())


@given(seeds)
def test_one_round_of_fixes_gives_the_maximal_contract(rng):
    names, conditions, example, dims = random_program(rng)
    wanted = [concrete(condition, example) for condition in conditions]
    handled = {
        values
        for values in itertools.product(GRID, repeat=len(names))
        for numbers in [dict(zip(names, values, strict=True))]
        if all(numbers[name] in dims[name].interval for name in names)
        and [concrete(condition, numbers) for condition in conditions] == wanted
    }
    program, inputs = run_conditions(conditions, names), {name: Array(example[name]) for name in names}
    spec = {name: {0: dims[name]} for name in names}
    try:
        contracts = [trace(program, spec, inputs)]
    except ConstraintViolation as error:
        assert error.msg.endswith(_lines(error.suggested_fixes))
        specs = [refine(error.msg, spec)]
        if error.wider_fixes:
            specs.append(refine("Suggested fixes:\n" + _lines(error.wider_fixes), spec))
        contracts = [trace(program, each, inputs) for each in specs]  # one round is enough
    for place, (bindings, solution) in enumerate(contracts):
        dynamic = {size.source for size in bindings.sizes}
        accepted = set()
        for values in itertools.product(GRID, repeat=len(names)):
            numbers = {f"{name}.shape[0]": value for name, value in zip(names, values, strict=True)}
            static = all(source in dynamic or numbers[source] == example[source[0]] for source in numbers)
            if static and accepts(bindings, solution, numbers):
                accepted.add(values)
        assert accepted <= handled
        assert accepted == handled or (place < len(contracts) - 1 and all(0 in values for values in handled - accepted))


def test_what_a_cut_leaves_and_takes_is_the_whole():
    rng = random.Random(20)
    first, second = E.symbol("s0"), E.symbol("s1")

    def linear():
        return rng.randint(-2, 2) * first + rng.randint(-1, 1) * second + rng.randint(-3, 3)

    joined = 0
    for _ in range(400):
        a, b, d = linear(), linear(), linear()
        factor = rng.choice([1, 2, -1])
        total = (
            maximum(a, b) * factor + minimum(a + d, b + d) * rng.choice([factor, 1]) + maximum(linear(), 0) + minimum(linear(), linear())
        )
        whole = joined_halves(total)
        joined += whole is not total
        for numbers in ({"s0": x, "s1": y} for x in (-3, 0, 1, 5) for y in (-2, 0, 4)):
            assert evaluate(whole, numbers) == evaluate(total, numbers), (total, whole, numbers)
    assert joined > 50


def test_what_steps_take_is_the_whole():
    n, m = E.symbol("s0"), E.symbol("s1")
    rng = random.Random(21)
    joined = 0
    for _ in range(300):
        d, factor, a = rng.choice([2, 3, 4]), rng.choice([1, 2, -1]), rng.choice([n, 3 * n + m, n - m, 2 * n])
        steps = rng.sample(range(-1, 5), rng.randint(1, 6))
        total = sum((factor * ((a + step) // d) for step in steps), E.expr(rng.choice([0, 1]) * (m // d)))
        whole = joined_halves(total)
        joined += whole is not total
        for numbers in ({"s0": x, "s1": y} for x in (-3, 0, 1, 2, 5, 6) for y in (-2, 0, 3)):
            assert evaluate(whole, numbers) == evaluate(total, numbers), (total, whole, numbers)
    assert joined > 50
    assert joined_halves(n // 2 + (n + 1) // 2) is n and joined_halves(sum((n + k) // 5 for k in range(5))) is n
