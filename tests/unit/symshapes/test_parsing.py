"""Text to expressions: polynomials, which are read at once, mean what Python's tree of them means."""

from __future__ import annotations

import random

import pytest

from npexport.symshapes import expr as E
from npexport.symshapes.constructors import float_node
from npexport.symshapes.parsing import parse


def _polynomial(rng: random.Random) -> str:
    def product() -> str:
        return "*".join(rng.choice(["s0", "s1", "s12", "u3", str(rng.randrange(20))]) for _ in range(rng.randint(1, 4)))

    start = rng.choice(["", "-"]) + product()
    return start + "".join(rng.choice(["+", "-", " + ", " - "]) + product() for _ in range(rng.randint(0, 5)))


@pytest.mark.parametrize("seed", range(300))
def test_a_polynomial_is_what_its_tree_is(seed: int) -> None:
    rng = random.Random(seed)
    text = _polynomial(rng)
    if seed % 2:
        left, sign, right = text, rng.choice([">=", "==", "!="]), _polynomial(rng)
        assert parse(f"{left} {sign} {right}") is parse(f"({left}) {sign} ({right})")
    else:
        assert parse(text) is parse(f"({text})")
        assert parse(str(parse(text))) is parse(text)


def test_products_of_products() -> None:
    s, t = E.symbol("s0"), E.symbol("s1")
    assert parse("(s0*s1)*(s1*2)*(s0 + 0)") is s * t * t * 2 * s
    assert parse("(s0 + 1)*s1*3") is (s + 1) * t * 3
    assert parse("0*(s0 + s1)*s1") is E.ZERO
    assert parse("2*f0*3") is parse("(2*f0)*3")


@pytest.mark.parametrize("text", ["s0**3000", "(s0 + s1)**60000", "s0 << 3000", "s0*s1 << 60000", "(s0**60000)**60000"])
def test_a_large_exponent_is_read_where_nothing_is_computed(text: str) -> None:
    read = parse(text)
    assert parse(str(read)) is read
    for larger in (text.replace("3000", "300000").replace("60000", "600000"), "2 << 3000"):
        with pytest.raises(ValueError, match="an exponent is too large"):
            parse(larger)


def test_a_power_of_integers_that_is_a_float_is_read_as_one() -> None:
    n = E.symbol("s0")
    for found in (float_node("fpow", 2, -n), float_node("fpow", n, E.integer(-2)), float_node("fpow", 2.0, -n), E.power(2, n)):
        assert parse(str(found)) is found


@pytest.mark.parametrize("text", ["9" * 5000, "*".join(["99999999999"] * 100), "s0 + 007", "s0x", "s0 +", "", "s0*"])
def test_what_is_no_expression(text: str) -> None:
    if text == "s0x":
        assert parse(text) is E.symbol("s0x")
        return
    with pytest.raises(ValueError):
        parse(text)
