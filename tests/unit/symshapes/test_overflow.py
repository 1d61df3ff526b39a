"""Where functions of sizes overflow: the truth under which they do not."""

import math

import pytest

from npexport.symshapes import expr as E
from npexport.symshapes.constructors import float_node
from npexport.symshapes.intervals import compare_floats
from npexport.symshapes.overflow import holds_no_overflow, is_finite
from npexport.symshapes.ranges import SIZES, ValueRanges
from npexport.symshapes.rewrite import evaluate

S = E.symbol("s0")
TENS = E.power(E.integer(10), S)
NUMBERS = (*range(-12, 60), 99, 250, 709, 710, 1000, 1023, 1024, 1025, 5000)
CONSTANTS = (5e-324, 1e-200, 0.3, 0.5, 0.999, 1.0, 1.05, 2.0, 10.0, 1e200, -0.5, -1.0, -2.0, -7.0)
POWERS = [float_node("fpow", constant, exponent) for constant in CONSTANTS for exponent in (S, S * 100 - 7, -S)]
ROOTS = [float_node("fpow", base, power) for base in (S, S * S, float_node("fdiv", S, 7)) for power in (-300.0, -2.0, 0.0, 0.5, 2.0, 200.0)]
OTHERS = [
    float_node("exp", S * 100), float_node("exp", float_node("fdiv", -S, 3)), float_node("expm1", float_node("fmul", S, 0.5)),
    float_node("fmul", 0.5, TENS), float_node("fsub", 1.0, TENS), float_node("fadd", S, TENS), float_node("fdiv", 3, TENS),
    float_node("float", TENS), float_node("fdiv", TENS, 3), float_node("fmul", E.power(S, E.integer(9)), 0.5),
    float_node("sin", float_node("fmul", S, 1e307)), float_node("ndigits", float_node("fmul", S, 1e306), -307),
    float_node("math_pow", S, 120.0), float_node("math_pow", 1.5, S),
    float_node("fpow", float_node("fadd", 1.0, float_node("fdiv", 1, S)), S),
]  # fmt: skip


@pytest.mark.parametrize("ranges", [{"s0": SIZES}, {"s0": ValueRanges(1, 64)}, {}], ids=["sizes", "small", "any"])
def test_where_the_truth_holds_nothing_overflows_and_nearly_all_else_does(ranges):
    held = raised = missed = 0
    for value in (*POWERS, *ROOTS, *OTHERS):
        truth = holds_no_overflow(value, ranges)
        for number in NUMBERS:
            if number not in ranges.get("s0", ValueRanges(-100, 10**10)):
                continue
            try:
                evaluate(value, {"s0": number})
            except OverflowError:
                assert not evaluate(truth, {"s0": number}), (value, number)
                raised += 1
            except (ZeroDivisionError, ValueError, TypeError):  # no power, whatever its size
                continue
            else:
                held += 1
                missed += not evaluate(truth, {"s0": number})
    assert held > 400 and raised > 20 and missed < held / 10, (held, raised, missed)


@pytest.mark.parametrize(
    "value",
    [
        float_node("fpow", 0.9, S), float_node("fpow", float_node("float", S), 3.0), float_node("fpow", S, 0.5),
        float_node("fmul", S * S, 0.5), float_node("exp", float_node("fdiv", -S, 10)), float_node("fpow", 1e4, float_node("fdiv", -S, 64)),
        float_node("sqrt", S * S * S),
    ],
)  # fmt: skip
def test_what_people_compute_of_sizes_needs_no_guard(value):
    assert holds_no_overflow(value, {"s0": SIZES}) is E.TRUE


def test_what_is_finite():
    assert is_finite(float_node("fmul", S, 1.37), {"s0": SIZES}) is E.TRUE
    truth = is_finite(float_node("fmul", S, 1e308), {"s0": SIZES})
    assert [evaluate(truth, {"s0": number}) for number in (0, 1, 2)] == [True, True, math.isfinite(2e308)]


def test_only_digits_before_the_point_round_upwards():
    large = float_node("fmul", S, 1e300)
    assert [holds_no_overflow(float_node("ndigits", large, digits), {"s0": SIZES}) is E.TRUE for digits in (2, 0, -2)] == [
        True,
        True,
        False,
    ]


def test_of_powers_of_what_may_be_negative_nothing_is_said():
    power = float_node("fpow", float_node("fsub", 0.5, S), float_node("fmul", S, 0.5))
    assert holds_no_overflow(power, {"s0": SIZES}) is E.FALSE


@pytest.mark.parametrize("op", ["fle", "flt", "fne", "feq"])
def test_what_may_be_no_number_is_compared_with_nothing(op):
    unknown = float_node("fmul", S, math.inf)
    assert compare_floats(op, unknown, math.inf, {}) is None
    assert compare_floats(op, -math.inf, unknown, {}) is None
