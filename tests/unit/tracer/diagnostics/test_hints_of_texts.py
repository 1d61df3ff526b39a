"""What is said to write in place of reading a text of data, and of returning the object itself: the rewrites run."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export

READ, KEY = "digits by n, digit = divmod(n, 10) in a loop", "table[n] in place of table[f'k{n}'] and {float(v) for v in x}"


def texts_in_a_set(x: Any) -> Any:
    return {str(v) for v in x if v > 1}


def texts_as_keys(x: Any) -> Any:
    counts: dict[str, int] = {}
    for v in x:
        counts[str(int(v))] = counts.get(str(int(v)), 0) + 1
    return counts


def seen_texts(x: Any) -> int:
    seen = set()
    for v in x:
        seen.add(f"{v:.1f}")
    return len(seen)


def sum_of_digits(x: Any) -> int:
    return sum(int(c) for c in str(int(x.sum())))


def number_of_digits(x: Any) -> int:
    return len(str(int(x.sum())))


def reversed_text(x: Any) -> bool:
    text = str(int(x.sum()))
    return text == text[::-1]


def rounded_by_text(x: Any) -> float:
    return float(f"{x[0]:.2f}")


READERS = [
    (texts_in_a_set, KEY),
    (texts_as_keys, KEY),
    (seen_texts, KEY),
    (sum_of_digits, READ),
    (number_of_digits, READ),
    (reversed_text, READ),
    (rounded_by_text, READ),
]


@pytest.mark.parametrize(("program", "hint"), READERS)
def test_readers_of_texts_are_told_to_use_the_numbers(program: Any, hint: str) -> None:
    with pytest.raises(ExportError, match="^E1(04|14)") as caught:
        export(program, (np.array([1.0, 12.0, 3.5]),))
    assert hint in caught.value.hint


def numbers_in_a_set(x: Any) -> Any:
    return {float(v) for v in x if v > 1}


def numbers_as_keys(x: Any) -> Any:
    counts: Counter[int] = Counter()
    for v in x:
        counts[int(v)] += 1
    return counts


def digits(x: Any) -> int:
    n, total = int(x.sum()), 0
    while n > 0:
        n, digit = divmod(n, 10)
        total += digit
    return total


def rounded(x: Any) -> float:
    return round(float(x[0]), 2)


@pytest.mark.parametrize("program", [numbers_in_a_set, numbers_as_keys, digits, rounded])
def test_what_is_written_instead_runs(program: Any) -> None:
    module = export(program, (np.array([1.0, 12.0, 3.5]),)).module()
    for values in ([1.0, 12.0, 3.5], [7.257, 7.257, 90.0], [0.0, -1.0, 0.5]):
        got, want = module(np.array(values)), program(np.array(values))
        assert got == want and type(got) is type(want)


@pytest.mark.parametrize("program", [lambda x: iter(x), lambda x: iter(x.tolist()), lambda x: reversed(x), lambda x: (v for v in x)])
def test_iterators_are_told_to_be_lists(program: Any) -> None:
    with pytest.raises(ExportError, match="^E115") as caught:
        export(program, (np.ones(3),))
    assert "list(...)" in caught.value.hint


def remembers_in_a_default(x: Any, seen: Any = []) -> Any:  # noqa: B006
    seen.append(float(x[0]))
    return sum(seen)


def test_lists_of_defaults_are_made_in_every_call() -> None:
    with pytest.raises(ExportError, match=r"^E112.* adds `default seen\[0\]`") as caught:
        export(remembers_in_a_default, (np.ones(3),))
    assert "seen=None, and `seen = [] if seen is None else seen`" in caught.value.hint


class Line:
    def fit(self, x: Any, y: Any) -> Line:
        self.slope = (x * y).sum() / (x * x).sum()
        return self

    def __call__(self, x: Any, y: Any) -> Line:
        return self.fit(x, y)


class Of:
    """As the hint has it."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __call__(self, *args: Any) -> Any:
        self.inner.fit(*args)
        return vars(self.inner)


def test_who_returns_the_object_itself_is_told_to_return_its_attributes() -> None:
    args = np.arange(1.0, 4.0), np.array([2.0, 1.0, 5.0])
    for program, call in ((Line().fit, "self.inner.fit(*args)"), (Line(), "self.inner(*args)")):
        with pytest.raises(ExportError, match="^E115.*result is the exported object itself, of type Line") as caught:
            export(program, args)
        assert call in caught.value.hint
    assert export(Of(Line()), args).module()(*args) == vars(Line().fit(*args))
