"""The canonical order of terms and truths: it depends on structure, never on text, time or hashes."""

import copy
import itertools
import os
import pickle
import random
import subprocess
import sys

import pytest

from npexport.symshapes import expr as E
from npexport.symshapes import nodes
from npexport.symshapes.constructors import compare_floats, float_node, float_symbol, int_function, maximum, minimum
from npexport.symshapes.parsing import parse

TEXTS = [
    "s0", "s01", "s1", "s10", "s2", "n", "-s0", "s0 + 1", "s0*s1", "s0**2", "s0//2", "(s0 + 1)//2", "s0 % 2", "max(s0, 3)", "max(s0, s1)",
    "min(s0, s1 + 2)", "2**s0", "isqrt(s0)", "int(s0 >= 3)", "int(s0 % 2 == 0 or s1 == 2)", "floor(s0*0.3)", "round(f0)", "gcd(s0, 6)",
]  # fmt: skip
TRUTHS = [
    "s0 >= 3", "s0 <= 9", "s0 == s1", "s0 != 7", "s0 % 4 == 0", "f0 < 1.5", "not f0 < f1", "s0 >= 3 or s1 >= 2", "max(s0, s1) >= 4",
    "s0*0.5 <= f0", "f0 == 2.0",
]  # fmt: skip


def test_any_two_terms_have_an_order():
    values = [parse(text) for text in (*TEXTS, *TRUTHS)]
    places = {value.order for value in values}
    assert len(places) == len(values)
    for a, b in itertools.combinations(values, 2):
        assert (a.order < b.order) != (b.order < a.order)


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_construction_does_not_matter(seed):
    shuffled = random.Random(seed)
    sizes, truths = [parse(text) for text in TEXTS], [parse(text) for text in TRUTHS]
    made = []
    for _ in range(2):
        shuffled.shuffle(sizes)
        shuffled.shuffle(truths)
        total = E.ZERO
        for size in sizes:
            total = total + size
        product = E.monomial(size.atom for size in sizes if size.atom)
        made.append((total, product, E.conjunction(truths), E.disjunction(truths), minimum(*sizes), maximum(*sizes)))
    assert all(a is b for a, b in zip(*made, strict=True))
    assert str(made[0][0]) == str(made[1][0])


def test_nothing_is_printed_while_expressions_are_built(monkeypatch):
    def refuse(value, names=None):
        raise AssertionError("an expression was printed")

    monkeypatch.setattr(nodes, "text", refuse)
    a, b = E.symbol("order_a"), E.symbol("order_b")
    size = maximum(a // 3, b % 5, minimum(a, b)) + int_function("isqrt", a) * b
    truth = E.conjunction([size >= 3, E.eq(a % 7, 2), compare_floats("flt", float_node("fmul", float_symbol("f9"), a), 0.25)])
    assert len((truth | (b >= 2)).args) == 2
    assert pickle.loads(pickle.dumps(truth)) is truth


@pytest.mark.parametrize("text", [*TEXTS, *TRUTHS, "True", "-3"])
def test_copies_and_pickles_are_the_object_itself(text):
    value = parse(text)
    for each in (value, getattr(value, "atom", None)):
        assert pickle.loads(pickle.dumps(each)) is each
        assert copy.deepcopy(each) is each


def test_pickles_do_not_depend_on_hashes():
    code = (
        "import pickle; from npexport.symshapes.parsing import parse;"
        f"print([(pickle.dumps(parse(t), 4).hex(), str(parse(t))) for t in {[' + '.join(TEXTS[:19]), ' and '.join(TRUTHS)]!r}])"
    )
    runs = {
        subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("0", "1", "2")
    }
    assert len(runs) == 1
