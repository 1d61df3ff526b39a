"""Facts: learning, replacing, congruences; exact regions; the arithmetic of ``int_oo``."""

from __future__ import annotations

import math
import re

import pytest

from npexport.symshapes import elimination
from npexport.symshapes.arithmetic import combine_residues
from npexport.symshapes.decide import Facts
from npexport.symshapes.parsing import parse, parse_bool, parse_expr
from npexport.symshapes.ranges import EVERYTHING, SIZES, ValueRanges, int_oo
from npexport.symshapes.regions import implied, region
from npexport.symshapes.semantics import round_div


def known(*texts: str) -> Facts:
    facts = Facts({name: SIZES for name in ("a", "b", "c", "s0", "s1", "s2")})
    for text in texts:
        facts.assume(parse_bool(text))
    return facts


FOLLOWS = [
    (["s0 >= 3"], "s0 >= 2", True),
    (["s0 >= 3"], "s0 == 2", False),
    (["s0 != 0"], "s0 >= 1", True),
    (["s0 != 0", "s0 != 1"], "s0 >= 2", True),
    (["s1 == s0 + 1"], "s1 > s0", True),
    (["s1 == s0 + 1", "s0 >= 2"], "s1 >= 3", True),
    (["s0 % 4 == 0"], "s0 % 2 == 0", True),
    (["s0 % 4 == 0"], "s0//4*4 == s0", True),
    (["s0 % 4 == 1"], "s0 % 2 == 0", False),
    (["s0 % 4 == 0", "s0 % 6 == 0"], "s0 % 12 == 0", True),
    (["s0 % 4 == 0", "s0 % 6 == 0"], "s0 % 8 == 0", None),
    (["s0 >= 5"], "min(s0, 5) == 5", True),
    (["s0 <= 5"], "min(s0, 5) == s0", True),
    (["s0 < s1", "s1 < s2"], "s0 + 2 <= s2", True),
    (["s0 < s1"], "s1 < s0", False),
    (["a != 3"], "a != 4 and s0 < s1 and b != 2 and s1 < s0", False),
    (["a != 3"], "a == 4 or s0 < s1 or b == 2 or s1 <= s0", True),
    (["s0 < s1"], "a != 4 and b != 4 and s1 < s2 and s2 < s0", False),
    (["s0 < s1"], "a != 4 and b != 4 and s1 < s2 and c != a", None),
    (["s0 + s1 == 32"], "s0 <= 32", True),
    (["s0 + s1 == 32", "s0 >= 30"], "s1 <= 2", True),
    (["s0*s1 == 12", "s0 == 3"], "s1 == 4", True),
    (["s0 == 1 or s0 == 4"], "s0 >= 1", True),
    (["s0 == 1 or s0 == 4"], "s0 == 2", False),
    (["s0 == 8"], "s0//3 == 2", True),
    (["s0//2 == s1"], "s1 <= s0", True),
    (["s0 % 2 == 1"], "(s0 + 1)//2 == s0//2 + 1", True),
    (["s0 >= 1", "s1 >= 1"], "s0*s1 >= s0", True),
    (["s0 >= 1", "s1 >= 1"], "s0*s1 >= 1", True),
    (["max(s0, s1) <= 4"], "s0 <= 4", True),
    (["s0 <= 3", "s0 >= 5"], "s1 == 17", None),
]


def test_parts_that_nothing_connects_are_not_asked_about_together(monkeypatch):
    monkeypatch.setattr(elimination, "inconsistent", lambda *_, **__: pytest.fail("asked"))
    facts = Facts({f"u{i}": ValueRanges(0, 1) for i in range(40)})
    for connective in (" and ", " or "):
        assert facts.decide(parse_bool(connective.join([f"u{i} != 0" for i in range(40)]))) is None


@pytest.mark.parametrize(("given", "asked", "answer"), FOLLOWS, ids=[f"{' & '.join(g)} => {a}" for g, a, _ in FOLLOWS])
def test_what_follows(given, asked, answer):
    facts = known(*given)
    assert facts.decide(parse_bool(asked)) is answer
    assert facts.copy().decide(parse_bool(asked)) is answer


@pytest.mark.parametrize("text", ["n % d >= 0", "n % d < d"])
def test_a_divisor_that_may_be_negative_bounds_nothing(text):
    assert Facts({"n": EVERYTHING, "d": ValueRanges(-5, 5)}).decide(parse_bool(text)) is None
    assert Facts({"n": EVERYTHING, "d": ValueRanges(1, 5)}).decide(parse_bool(text)) is True


@pytest.mark.parametrize(
    ("text", "answer"),
    [("a*b != 13", True), ("a*b != 7 or a == b", True), ("a*a + b*b >= 13", True), ("a*a + b*b >= 14", False), ("a*b != 12", False)],
)
def test_small_ranges_are_counted(text, answer):
    facts = Facts({"a": ValueRanges(0, 6), "b": ValueRanges(0, 6)})
    facts.assume(parse_bool("a + b >= 5"))
    assert implied(parse_bool(text), facts) is answer


def test_an_equality_replaces_the_younger_symbol():
    facts = known("s2 == s0*s1", "s1 == s0 + 1")
    assert facts.replace(parse_expr("s2 + s1")) is parse_expr("s0**2 + 2*s0 + 1")
    assert facts.decide(parse_bool("s2 >= s0")) is True


def test_facts_only_grow():
    facts = known()
    assert facts.decide(parse_bool("s0 >= 1")) is None
    facts.assume(parse_bool("s0 >= 1"))
    assert facts.decide(parse_bool("s0 >= 1")) is True


def test_contradictions_are_noticed():
    assert known("s0 <= 3", "s0 >= 5").contradictory
    assert known("s0 % 2 == 0", "s0 % 2 == 1").contradictory
    assert not known("s0 <= 3", "s0 >= 3").contradictory


def test_residues_combine():
    assert combine_residues((4, 1), (6, 3)) == (12, 9)
    assert combine_residues((4, 1), (6, 2)) is None


REGIONS = [
    ("a//2 == 4", "VR[8, 9]", 1, None),
    ("a % 4 == 0 and a >= 1", "VR[4, int_oo]", 4, None),
    ("a <= 511 and a != 512", "VR[0, 511]", 1, None),
    ("a % 2 != 0", "VR[1, int_oo]", 2, None),
    ("a % 4 == 0 and a % 6 == 0", "VR[0, int_oo]", 12, None),
    ("(a + 7)//8*8 >= 20", "VR[17, int_oo]", 1, None),
    ("max(a, 3) == a", "VR[3, int_oo]", 1, None),
    ("a*a >= 10", "VR[4, int_oo]", 1, None),
    ("a == 1 or a == 4", "VR[1, 4]", 1, (1, 4)),
    ("a//5 != 1 and a < 12", "VR[0, 11]", 1, (0, 1, 2, 3, 4, 10, 11)),
    ("round_div(a, 2) <= a", "VR[0, int_oo]", 1, None),
    ("2*a == 8", "VR[4, 4]", 1, None),
]


@pytest.mark.parametrize(("text", "interval", "modulus", "members"), REGIONS, ids=[row[0] for row in REGIONS])
def test_regions_are_exact(text, interval, modulus, members):
    found = region([parse_bool("a >= 0"), parse_bool(text)], "a")
    assert (repr(found.interval), found.modulus, found.members) == (interval, modulus, members)
    for a in range(600):
        assert (a in found) == eval(text, {"a": a, "max": max, "round_div": round_div})


@pytest.mark.parametrize("text", ["a != 7", "a % 3 != 1", "a >= 5 or a == 1", "a <= 5 or isqrt(a) >= 100", "a % 3 == 0 or isqrt(a) >= 100"])
def test_what_is_no_region(text):
    """The last two hold of other numbers far beyond those that are counted."""
    assert region([parse_bool("a >= 0"), parse_bool(text)], "a") is None


def test_int_oo():
    assert int_oo > 10**400 > -int_oo
    assert max(int_oo, 3) is int_oo
    assert int_oo == math.inf
    assert 0 * int_oo == 0
    assert repr([int_oo, -int_oo]) == "[int_oo, -int_oo]"
    with pytest.raises(ArithmeticError):
        int_oo - int_oo


def test_hostile_text_is_refused():
    hostile = (
        "__import__('os')",
        "a.b",
        "a[0]",
        "(lambda: 0)()",
        "9**9**9**9**9",
        "1 +",
        "f'{a}'",
        "a if b else c",
        "open('x')",
        "a := 3",
        "(" * 9999,
        "",
    )
    for text in hostile:
        with pytest.raises(ValueError):
            parse(text)


FORGOTTEN = """
from npexport.symshapes import expr as E, nodes
s0 = E.symbol("s0")
kept = [(s0 + 10_000 * i) % 7919 for i in range(50)]
for i in range(60_000):
    s0 + (100_000 + i)
assert sum(map(len, nodes._TABLES)) < 60_000
assert all((s0 + 10_000 * i) % 7919 is value for i, value in enumerate(kept))
"""


def test_unused_expressions_are_forgotten():
    """In a process of its own: what programs of other tests hold is not."""
    import subprocess
    import sys

    subprocess.run([sys.executable, "-c", FORGOTTEN], check=True)


def test_nothing_imports_sympy():
    import subprocess
    import sys

    code = "import sys, npexport.symshapes.solver, npexport.symshapes.fixes, npexport.symshapes.functions; sys.exit('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    "text",
    [
        "max(max(a - 1, 0) - min(a, 1), 0) == max(a - 2, 0)",
        "max(a - min(a, 5), 0) == a - min(a, 5)",
        "min(a, 5) + max(a - 5, 0) == a",
        "(a + 7)//8*8 - a <= 7",
        "min(max(a - 2, 0), 3) <= a",
        "a % 6 % 3 == a % 3",
    ],
)
def test_tautologies_about_one_size_are_never_guarded(text):
    from npexport.symshapes.env import ShapeEnv
    from npexport.symshapes.regions import implied

    assert implied(parse_bool(text), known())
    env = ShapeEnv()
    env.create_symbol("x.shape[0]", 1)
    assert env.evaluate(parse_bool(re.sub(r"\ba\b", "s0", text)))
    assert env.guards == []
