"""Methods of texts and containers that are one of several, also in blocks that all raise; items that are taken out of one of several
containers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.forms import FORMS
from tests.support.outcomes import outcome

X, Y = np.array([0.5, -1.0, 2.0]), np.array([-0.5, 1.0, 3.0])


def kind(x):
    return "negative" if x[0] < 0 else "positive" if x[0] > 0 else "zero"


def a_text_of_two(x, y):
    if kind(x) != kind(y):
        raise ValueError("{0} and {1}".format(kind(x), kind(y)))  # noqa: UP032 (the method is what is tested)
    return x + y


def a_method_before_the_exception(x, y):
    name = kind(y)
    if x[1] > 0:
        loud = name.upper()
        raise KeyError(loud.strip("N"))
    return x * 2


def methods_of_texts(x, y):
    name = kind(x)
    return name.upper(), name.startswith("neg"), name.find("t"), name.replace("e", "a"), name.split("i"), len(name.encode())


def an_item_of_one_of_two_lists(x, y):
    items = [x, y] if x[0] > 0 else [y]
    last = items.pop()
    return last, len(items)


def a_member_of_one_of_two_sets(x, y):
    names = {"a"} if x[0] > 0 else {"b"}
    return names.pop(), len(names)


def a_key_of_one_of_two_dicts(x, y):
    table = {"a": x, "b": y} if x[0] > 0 else {"b": x * 2}
    found = table.pop("b")
    return found, list(table)


def both_are_kept(x, y):
    one, other = [x, 1], [y, 2, 3]
    items = one if x[0] > 0 else other
    items.pop()
    return one, other, items


def taken_in_turn(x, y):
    items = [1, 2, 3] if x[0] > 0 else [4, 5]
    first = items.pop(0)
    second = items.pop()
    return x * first, y * second, len(items)


def of_a_conjunction(x, y):
    one, other = x[0] > 0, y[0] > 0
    if not (one or other):
        raise ValueError("neither")
    return x if one else y


def formatted_texts(x, y):
    one, other = kind(x), kind(y)
    return "{1!r:>12}|{0:<9}|{name:^12}|{{}}|{2}".format(one, other, 3, name=one), "{} {} {}".format(other, x[0], len(one))  # noqa: UP032


PROGRAMS = [
    formatted_texts,
    a_text_of_two, a_method_before_the_exception, methods_of_texts, an_item_of_one_of_two_lists, a_member_of_one_of_two_sets,
    a_key_of_one_of_two_dicts, taken_in_turn, of_a_conjunction,
]  # fmt: skip
INPUTS = [(X, Y), (-X, Y), (X, -Y), (-X, -Y), (X * 0, Y), (X * 0, X * 0)]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("program", PROGRAMS)
def test_as_in_eager_execution(program: Any, dynamic: bool) -> None:
    n = {0: Dim("n", min=2)}
    exported = export(program, (X, Y), dynamic_shapes=(n, n) if dynamic else None)
    for run in [make(exported).module() for make in FORMS.values()]:
        for args in [*INPUTS, *([(x[:2], y[:2]) for x, y in INPUTS] if dynamic else [])]:
            assert outcome(run, args) == outcome(program, args)


def test_a_container_that_is_seen_elsewhere_keeps_items_of_one_kind() -> None:
    with pytest.raises(ExportError) as caught:
        export(both_are_kept, (X, Y))
    assert caught.value.code == "E103" and "holds a Python int, and now the array" in str(caught.value)
