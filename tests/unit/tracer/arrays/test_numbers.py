"""Python numbers that data decide: ``float(x)``, ``x.item()``, ``x.tolist()``; held to eager NumPy on other data, also saved and loaded."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from npexport import Dim, export, load, save
from npexport.ir.parsing import parse_graph
from npexport.ir.printing import node_text
from npexport.symshapes.errors import Unsupported
from tests.fuzz.numbers import difference
from tests.support.drivers import drivers
from tests.support.shards import shard


def total_of_what_is_positive(x):
    total, least = 0, 1
    for v in x.tolist():
        total += max(0, v)
        least = min(least, v, 2)
    return total, least, total > least


PROGRAMS = {
    "kind of a maximum": lambda x: (max(float(x[0]), 1), max(0, float(x[1])) * 2, [min(max(v, 0), 1) for v in x.tolist()]),
    "kinds of maxima": lambda x: max(max(0, float(x[0])), min(True, float(x[1])), int(x[2])),
    "sums of several kinds": total_of_what_is_positive,
    "complex of a counter": lambda x: complex(sum(1 for v in x if v > 1), x[0]),
    "float": lambda x: float(x.mean()),
    "0-d": lambda x: (float(x[0]), x[1].item(), x.max().item()),
    "single": lambda x: float(x.astype(np.float32)[0]) * 3,
    "half": lambda x: x.astype(np.float16).tolist(),
    "integers": lambda x: (x.astype(int).tolist(), x.argmax().item(), float(x.argmin())),
    "truths": lambda x: ((x > 1).tolist(), float((x > 0).any()), (x > 0).all().item()),
    "nested": lambda x: x.reshape(1, 3, 1).tolist(),
    "arithmetic": lambda x: (float(x.sum()) / len(x) + 1) ** 2 - abs(float(x[0])) * 0.5,
    "functions": lambda x: (math.tanh(float(x[0])), round(float(x[1]), 2), sum(x.tolist()), float(x[0]) % 2),
    "functions of arrays": lambda x: (math.cos(x[0, ...]), math.hypot(x[1, ...], 2), math.gcd(x.argmax(keepdims=True)[0, ...], 6)),
    "weak": lambda x: x.astype(np.float32) * float(x[0]) + x[1].item(),
    "operands": lambda x: (
        np.where(x > float(x.mean()), x, 0.0),
        np.full(2, float(x[0])),
        np.array([float(x[0]), 3]),
        np.float32(float(x[1])),
    ),
    "equality": lambda x: float(x[0]) == float(x[1]),
    "loops": lambda x: [v.item() * 2 for v in x],
    "containers": lambda x: {"loss": float(x[0]), "all": np.array(x.tolist())},
    "complex": lambda x: x.astype(complex).tolist(),
    "sizes": lambda x: float(x.sum()) / x.shape[0],
    "many": lambda x: np.tile(x, 2000).tolist(),
    "kind of a power": lambda x: float(x[0]) ** 0.5,
}
DATA = [np.array(data) for data in ([1.5, 2.25, 0.5], [-3.0, 0.0, 7.1], [2.0, 1e100, -0.0])]


@pytest.mark.parametrize("dynamic", [None, ({0: Dim.AUTO},)], ids=["static", "dynamic"])
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(program, dynamic, tmp_path):
    exported = export(program, (DATA[0],), dynamic_shapes=dynamic)
    save(exported, tmp_path / "program.np2")
    for run in (exported.module(), load(tmp_path / "program.np2").module()):
        for x in DATA:
            with np.errstate(over="ignore", invalid="ignore"):
                assert repr(run(x)) == repr(program(x))


def test_not_a_number():
    x = np.array([np.nan, np.inf])
    run = export(lambda x: (float(x[0]), x[1].item() - x[1].item(), float(x[0]) == float(x[0])), (np.ones(2),)).module()
    assert repr(run(x)) == "(nan, nan, False)"
    with pytest.raises(OverflowError, match="Numerical result out of range"):
        export(lambda x: float(x[0]) ** 2, (np.ones(1),)).module()(np.array([1e300]))
    with pytest.raises(ValueError, match="cannot convert float NaN to integer"):
        export(lambda x: int(float(x[0])), (np.ones(2),)).module()(x)


def test_errors_are_those_of_numpy():
    for program in (lambda x: float(x), lambda x: x.item()):
        with pytest.raises((TypeError, ValueError)) as eager:
            program(DATA[0])
        with pytest.raises(type(eager.value)) as exported:
            export(program, (DATA[0],))
        assert str(exported.value) == str(eager.value)


RAISES = {
    "domain": (lambda x: math.sqrt(x[0].item()), [-1.0, 1.0, 1.0]),
    "divisor": (lambda x: 1 / float(x[0]), [0.0, 1.0, 1.0]),
    "domain of an array": (lambda x: math.sqrt(x[0, ...]), [-1.0, 1.0, 1.0]),
    "integers": (lambda x: int(x[0]) % int(x[1]), [1.0, 0.0, 1.0]),
    "unused": (lambda x: (math.log(x[0]), x.sum())[1], [0.0, 1.0, 1.0]),
    "order": (lambda x: (int(x[0]), 1 / float(x[1]), math.sqrt(x[2])), [1.0, 0.0, -1.0]),
    "factorial": (lambda x: math.factorial(int(x[0])), [-2.0, 1.0, 1.0]),
    "too large": (lambda x: (int(x[0]) ** 9) / 3, [1e200, 1.0, 1.0]),
    "shift": (lambda x: 1 << int(x[0]), [-1.0, 1.0, 1.0]),
}


@pytest.mark.parametrize(("program", "data"), RAISES.values(), ids=RAISES)
def test_raises_when_it_runs_what_eager_execution_raises(program, data):
    run = export(program, (np.array([4.0, 2.0, 1.0]),)).module()
    assert repr(run(np.array([4.0, 2.0, 1.0]))) == repr(program(np.array([4.0, 2.0, 1.0])))
    with pytest.raises((ValueError, ArithmeticError)) as eager:
        program(np.array(data))
    with pytest.raises(eager.type, match=re.escape(str(eager.value))):
        run(np.array(data))


def test_truths_are_no_branches():
    def program(x, y):
        return np.allclose(x, y), np.array_equal(x, y), not x.any(), bool(x[0]) + 1, bool(x[1] > 0) is not None, int(not x[0])

    run = export(program, (np.ones(2), np.ones(2))).module()
    for x in (np.zeros(2), np.array([0.0, np.nan]), np.array([1.0, 1.0 + 1e-12])):
        assert repr(run(x, np.ones(2))) == repr(program(x, np.ones(2)))


def test_sums_of_floats_are_rounded_as_python_rounds_them():
    x = np.array([1e16, 1.0, -1e16, 0.1, 0.2, 0.3])
    assert export(lambda x: sum(x.tolist()), (np.ones(6),)).module()(x) == sum(x.tolist())


def test_long_chains():
    def program(x):
        value, count = float(x[0]), int(x[1])
        for _ in range(300):
            value, count = value * 0.5 + 1, (count * 1103515245 + 12345) % (1 << 31)
        return value, count

    assert export(program, (np.ones(2),)).module()(np.array([3.0, 7.0])) == program(np.array([3.0, 7.0]))


STEPS = {
    "checksum": lambda c: (c >> 1) ^ (0xEDB88320 & -(c & 1)),
    "square": lambda c: (c * c + 1) % 1000,
    "shifts": lambda c: (c ^ (c << 13) | c >> 7) & 0xFFFFFFFF,
    "extremum": lambda c: max(c * 3 - 7, c // 2) % 91 + abs(c - 50),
    "quotient": lambda c: divmod(c * c + 7, 5)[0] % 8191 - c // 3,
    "power": lambda c: (c**3 + ~c) % 9973,
    "condition": lambda c: c * 3 + 1 if c & 1 else c // 2,
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_numbers_are_computed_in_any_number_of_steps(step):
    def program(x):
        number, counts = int(x[0]), np.zeros(100)
        for _ in range(14):
            number = step(number)
            counts[number % 100] += 1
        return number, counts[number % 100 :], counts.reshape(10, -1)[: number % 11]

    data = [np.array([value]) for value in (27, 0, 255)]
    for run in drivers(export(program, data[:1])):
        for x in data:
            assert repr(run(x)) == repr(program(x))


TRUTHS = {
    "xor": lambda truth, other: truth ^ other,
    "or": lambda truth, other: truth & other | (not truth),
    "equal": lambda truth, other: truth == other,
    "sides": lambda truth, other: (truth and other) or not truth,
}


@pytest.mark.parametrize("step", TRUTHS.values(), ids=TRUTHS)
def test_truths_are_combined_in_any_number_of_steps(step):
    def program(x):
        truth = bool(x[0] > 0)
        for i in range(16):
            truth = step(truth, bool(x[i % 3] > i))
        return truth, x + truth

    data = [np.array([4.0, -2.0, 11.0]), np.array([-1.0, 9.0, 0.0])]
    for run in drivers(export(program, data[:1])):
        for x in data:
            assert repr(run(x)) == repr(program(x))


def test_printed_programs_are_parsed():
    exported = export(lambda x: (float(x[0]) / float(x[1]), not x.any(), math.floor(x[0]), math.frexp(x[0])), (np.ones(2),))
    (env,) = exported.graph.environments()
    parsed = parse_graph(exported.graph_module.code, env)
    assert list(map(node_text, parsed)) == list(map(node_text, exported.graph))


@pytest.mark.fuzz
@pytest.mark.parametrize("block", shard(range(4), 4))
def test_random_programs(block, tmp_path):
    found = [difference(seed, tmp_path) for seed in range(block * 40, block * 40 + 40)]
    assert [report for _, report in found if report] == []
    assert sum(kind == "same" for kind, _ in found) > 35


def test_truths_are_the_objects_that_they_equal():
    def program(x):
        truth, long = bool((x > 0).all()), x.shape[0] > 2
        return truth is True, truth is False, truth is not True, truth is None, long is True, long is not False, truth is truth

    run = export(program, (np.ones(3),), dynamic_shapes=({0: Dim("n")},)).module()
    for x in (np.ones(3), -np.ones(3), np.ones(1)):
        assert repr(run(x)) == repr(program(x))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, float, np.complex128, np.longdouble])
@pytest.mark.parametrize("of", ["two", "array", "truth"])
def test_a_ufunc_that_is_told_its_dtype_takes_floats_of_data(of, dtype):
    def program(x):
        other = {"two": 1.0, "array": x, "truth": bool(x[0] > 1)}[of]
        return np.add(float(x[0]), other, dtype=dtype)

    run = export(program, (np.ones(2),)).module()
    for x in (np.array([0.3, 2.0]), np.array([2.5, -1.0]), np.array([np.nan, 0.0]), np.array([-1e-300, 1.0])):
        assert repr(run(x)) == repr(program(x))


def test_a_ufunc_that_is_told_its_dtype_takes_no_integers_of_data():
    with pytest.raises(Unsupported, match="is told in which dtype to compute"):
        export(lambda x: np.add(int(x[0]), 1, dtype=np.int8), (np.ones(2),))
