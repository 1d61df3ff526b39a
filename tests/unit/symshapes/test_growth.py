"""Many sizes: what is known of them stays small, what is asked stays local, and fixes are found group by group."""

import itertools

import numpy as np
import pytest

from npexport import ConstraintViolation, Dim, export
from npexport.symshapes import expr as E
from npexport.symshapes.constructors import maximum, minimum
from npexport.symshapes.decide import Facts
from npexport.symshapes.ranges import SIZES
from npexport.symshapes.rewrite import evaluate

COUNT = 60


def linked(link):
    """Facts about sizes of which each is ``link`` of the next."""
    facts = Facts()
    names = [f"s{number}" for number in range(COUNT)]
    for name in names:
        facts.add_symbol(name, SIZES, 8)
    for name, following in itertools.pairwise(names):
        facts.assume(E.eq(E.symbol(name), link(E.symbol(following))))
    return facts


def test_cut_after_cut_is_one_cut():
    facts = linked(lambda n: maximum(n - 1, 0))
    assert str(facts.replacements["s0"]) == f"max(s{COUNT - 1} - {COUNT - 1}, 0)"


@pytest.mark.parametrize(
    "link", [lambda n: n // 2 + n % 3, lambda n: maximum(n // 3, n - 7), lambda n: n * minimum(n, 4)], ids=["sum", "max", "product"]
)
def test_chains_do_not_grow_without_end(link):
    facts = linked(link)
    assert max(value.weight for value in facts.replacements.values()) <= 64
    assert facts.decide(E.symbol("s0") >= 0) is True


def test_cuts_from_both_ends_are_one_of_each():
    n = size = E.symbol("s0")
    for number in range(20):
        size = minimum(maximum(size - number % 3, 0), 100 - number)
    assert str(size) == "min(max(s0 - 19, 0), 81)"
    assert size.weight == 2 and n.weight == 0


@pytest.mark.parametrize(("low", "d", "high"), list(itertools.product((-2, 0, 3), (-4, -1, 0, 2), (-3, 0, 2, 5))))
def test_extrema_of_extrema(low, d, high):
    n = E.symbol("s0")
    for outer, inner, host_outer, host_inner in ((minimum, maximum, min, max), (maximum, minimum, max, min)):
        for first, kind, host in ((n, inner, host_inner), (n, outer, host_outer)):
            value = outer(kind(first, low) + d, high)
            for number in range(-12, 14):
                assert evaluate(value, {"s0": number}) == host_outer(host(number, low) + d, high)
            assert value.depth <= 2


def test_facts_of_a_part():
    facts = linked(lambda n: n + 1)
    for name in ("a", "b"):
        facts.add_symbol(name, SIZES, 3)
    facts.assume(E.symbol("a") <= E.symbol("b"))
    groups = facts.components.groups(facts.ranges)
    assert [len(group) for group in groups] == [COUNT, 2]
    part = facts.part(groups[1])
    assert list(part.relations) == list(facts.relations)
    assert part.decide(E.symbol("a") <= E.symbol("b") + 1) is True
    assert facts.part(groups[0]).replacements.keys() == facts.replacements.keys()


def test_fixes_of_groups_are_independent():
    """Each pair is tied in its own way."""

    def program(*arrays):
        return [a[1:] * b if number % 2 else a + b for number, (a, b) in enumerate(zip(arrays[::2], arrays[1::2], strict=True))]

    arrays = [np.ones(size) for pair in ((4, 4), (5, 4)) * 6 for size in pair]
    spec = {"arrays": tuple({0: Dim(f"d{number}")} for number in range(len(arrays)))}
    with pytest.raises(ConstraintViolation) as raised:
        export(program, tuple(arrays), dynamic_shapes=spec)
    fixed = raised.value.apply(spec)
    equal = {f"d{number + 1}": f"d{number}" for number in range(0, 24, 4)}
    assert raised.value.suggested_fixes == equal | {f"d{number}": f"d{number + 1} + 1" for number in range(2, 24, 4)}
    assert {name: text for name, text in raised.value.wider_fixes.items() if text != "Dim.AUTO"} == equal
    run = export(program, tuple(arrays), dynamic_shapes=fixed).module()
    for size in (0, 2, 7):
        args = [np.ones(max(n, 0)) for pair in ((size, size), (size + 1, size)) * 6 for n in pair]
        for mine, theirs in zip(run(*args), program(*args), strict=True):
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("count", [3, COUNT])
def test_a_bound_of_a_sum_of_extremes(count):
    names = [f"u{number}" for number in range(count)]
    facts = Facts(dict.fromkeys((*names, "room"), SIZES))
    total = sum((maximum(E.symbol(name) - 1, 0) for name in names), E.ZERO)
    facts.assume(E.symbol("room") >= total)
    assert facts.decide(E.symbol("room") >= total) is True
    assert facts.decide(E.symbol("room") + 1 >= E.symbol("u0")) is True
