"""Tuples that loops read are made where their numbers are made."""

import re

import numpy as np
import pytest

from npexport import export

X = np.random.default_rng(5).integers(0, 40, 150)


def common(x):
    a, b = x[:30].tolist(), x[30:60].tolist()
    before = [0] * (len(b) + 1)
    for u in a:
        now = [0] * (len(b) + 1)
        for j in range(len(b)):
            now[j + 1] = before[j] + 1 if u % 7 == b[j] % 7 else max(now[j], before[j + 1])
        before = now
    return before[-1]


def looked_up(x):
    table, total = [v * v for v in x[:6].tolist()], 0
    for v in x.tolist():
        total = (total * 3 + table[v % 6]) % 1009
    return total


def turned(x):
    a, b, c, d, e = x[:5].tolist()
    total = 0
    for v in x.tolist():
        total = (total * 3 + (a, b, c, d, e)[v % 5]) % 1009
        a, b, c, d, e = b, c, d, e, a
    return total


def within_a_branch(x):
    table, total, n = x[:5].tolist(), 0, 0
    for v in x.tolist():
        if v > 20:
            k = v % 5
            while k > 0 and n < 90:
                total = (total * 5 + table[k]) % 1013
                k -= 1
                n += 1
    return total, n


@pytest.mark.parametrize("f", [common, looked_up, turned, within_a_branch])
def test_what_is_read_of_tuples(f):
    module = export(f, (X,)).module()
    for seed in range(6):
        x = np.random.default_rng(seed).integers(0, 40, 150)
        assert module(x) == f(x)


def test_a_tuple_that_stays_is_made_before_the_loop():
    rows = export(common, (X,)).module().code.splitlines()
    made = [number for number, row in enumerate(rows) if re.search(r"= \((v\d+, ){10,}\)$", row)]
    assert len(made) == 1
    assert rows[made[0] + 1].lstrip().startswith("for ")
    assert not any(re.search(r"(v\d+, ){10,}\)\[", row) for row in rows)


def test_a_tuple_that_changes_is_made_where_it_is_read():
    assert re.search(r"(v\d+, ){4,}(v\d+)?\)\[", export(turned, (X,)).module().code)
