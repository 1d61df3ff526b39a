"""Statements some paths of which leave a function or a loop: what follows is recorded once, not once for each path."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from npexport.tracer.control import refusals
from tests.support.forms import reloaded
from tests.support.functions import function_of
from tests.support.outcomes import outcome

STATEMENTS = {
    "both": "if x[{i}] > 0.5 and s[{i}] > 1: return s * {i}",
    "not both": "if not (x[{i}] < 0.5 and s[{i}] < 3): return s, {i}",
    "one of two and a third": "if (x[{i}] > 0.5 or x[{i}] < -0.5) and t > 1: return 't', t",
    "a chain": "if 0.5 < x[{i}] < t: return s",
    "inside": """
        if x[{i}] > 0.5:
            t = t + 1
            if s[{i}] > 1: return s * 2, t
            s = s - 0.25""",
    "on one path": """
        if x[{i}] > 0.5:
            s = s * 2
        elif s[{i}] > 3:
            return s * {i}, k
        else:
            k = k + 1""",
    "in a copy": """
        if x[{i}] > 0.5:
            s = s.copy()
            s[{i}] = t
            if s[0] > 2: return s""",
    "with what lists hold": """
        if x[{i}] > 0.5:
            kept.append(t)
            if s[{i}] > 1: return kept
            kept.append({i})""",
    "with an exception": """
        if x[{i}] > 0.5:
            if s[{i}] > 1: raise ValueError(f'no {i}: {{t}}')
            s = s - 0.25
            if t > 4: return t""",
    "from a context": """
        with np.errstate(invalid='ignore'):
            if x[{i}] > 0.5 and s[{i}] > 1: return s * {i}
            t = t + np.sqrt(x[{i}])""",
    "from a handler": """
        try:
            if x[{i}] > 0.5:
                t = math.sqrt(t - 1.5)
                if t > 1: return t
        except ValueError:
            t = 0.5""",
    "from a finally": """
        try:
            if x[{i}] > 0.5 and s[{i}] > 1: return t
        finally:
            s = s + 0.5""",
    "in the caller's array": """
        if x[{i}] > 0.5:
            x[{i}] = t
            if s[{i}] > 1: return 'written'""",
}


def program(statement: str, times: int) -> Any:
    text = STATEMENTS[statement].strip("\n")
    dedented = "\n".join(line[8:] if line.startswith("        ") else line for line in text.splitlines())
    lines = ["def f(x):", "    s, t, k, kept = x * 1.0, float(x[0]) + 1.0, 0, []"]
    for i in range(times):
        lines += [f"    {line}" for line in dedented.format(i=i).splitlines()] + ["    s = s + 1.0", "    t = t * 1.25"]
    return function_of("\n".join([*lines, "    return s, t, k, len(kept)"]), {"np": np, "math": __import__("math")})


def size_of(exported: Any) -> int:
    """The nodes of the program, those of all its sub-graphs included."""
    return str(exported).count("= ops.")


def inputs(times: int) -> Any:
    rng = np.random.default_rng(times)
    yield from (np.zeros(times), np.ones(times), np.full(times, -1.0))
    yield from (rng.choice([-1.0, 0.0, 0.25, 0.75, 2.0], times, p=[0.1, 0.3, 0.3, 0.2, 0.1]) for _ in range(25))


@pytest.mark.parametrize("statement", STATEMENTS)
def test_equals_eager(statement):
    f = program(statement, 3)
    exported = export(f, (np.zeros(3),))
    forms, results = [each.module() for each in (exported, reloaded(exported), exported.run_decompositions())], set()
    for x in inputs(3):
        wanted = outcome(f, (x,))
        assert [outcome(form, (x,)) for form in forms] == [wanted] * 3
        results.add(str(wanted))
    assert len(results) > 3


@pytest.mark.parametrize("statement", STATEMENTS)
def test_grows_by_as_much_with_each(statement):
    one, two, three = [size_of(export(program(statement, times), (np.zeros(times),))) for times in (2, 4, 6)]
    assert three - two <= (two - one) * 1.5


def test_twenty_of_each():
    for statement in STATEMENTS:
        f = program(statement, 20)
        module = export(f, (np.zeros(20),)).module()
        for x in itertools.islice(inputs(20), 8):
            assert outcome(module, (x,)) == outcome(f, (x,))


def test_the_commonest_of_loops_that_are_unrolled():
    def f(parts):
        total, found = 0.0, []
        for number, part in enumerate(parts):
            if part[0] > 0.5 and part.max() > total:
                found.append(number)
                if total > 3:
                    break
                continue
            if part.sum() < total or total > 5:
                return total, len(found)
            total = total + part[0]
        return total + 1, len(found)

    rng = np.random.default_rng(3)
    sizes = (2, 3, 1, 4, 2, 5, 3, 1)
    exported = export(f, ([np.zeros(size) for size in sizes],))
    assert size_of(exported) < 60 * len(sizes)
    module = exported.module()
    for _ in range(40):
        parts = [rng.choice([0.25, 0.75, 1.0, 2.0], size) for size in sizes]
        assert outcome(module, (parts,)) == outcome(f, (parts,))


def test_paths_that_multiply_all_the_same_are_refused(monkeypatch):
    """What the paths leave cannot be joined at the end of a section: dicts with other keys."""
    monkeypatch.setattr(refusals, "MOST_RUNS", 60)
    lines = ["def f(x):", "    s, d = x * 1.0, {'k': x}"]
    for i in range(9):
        lines += [
            f"    if x[{i}] > 0.5:",
            f"        d = {{'{i}': s}}",
            f"        if s[{i}] > 1: return s * {i}",
            "    s = s + sum(d.values())",
        ]
    f = function_of("\n".join([*lines, "    return s"]))
    with pytest.raises(Unsupported, match="E103.*more than 60 others were run within"):
        export(f, (np.zeros(9),))


def views_of_either(x, y):
    """A view is made on a side of a branch on which array it is of, and used behind it."""
    kept, d = [x + 2], {"p": y + 3}
    if x[0] < 2 or x[0] > 5:
        return 1.0
    if y[0] >= 1:
        if x[1] > 0:
            d["p"][0] = x[1]
        kept[0] = d["p"]
    kept[0][::2] += 2.0
    return kept[0] * 1


def a_view_or_zeros(x, y):
    """What stands for a view, where there is none, is one of zeros."""
    b, c = y + 1, np.zeros(3)
    s, o = x[0] + 1, x - y
    if s < c[2]:
        b = np.maximum(o, x + 2)
        c = b[:]
    elif s >= 0.5:
        b = o[:]
        np.multiply(x, 1, out=c)
    if abs(b[1]) > y[2] * 2:
        s = min(y[2], c[1])
    return s


@pytest.mark.parametrize("f", [views_of_either, a_view_or_zeros])
def test_views_that_sides_make(f):
    rng = np.random.default_rng(0)
    module = export(f, (np.ones(3), np.ones(3))).module()
    for _ in range(40):
        args = tuple(rng.choice([-3.0, -1.0, 0.0, 1.0, 2.0, 6.0], (2, 3)))
        assert outcome(module, args) == outcome(f, args)


CHANGES = ("self.n = 3.0", "self.n += 1", "self.w += 1", "self.w = self.w + 1", "self.w[0] = 5", "self.w = x * 2", "x += 1")


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("leaves", ["return x", "return x + 1.0", "raise KeyError('k')"])
def test_what_an_exception_leaves_on_a_path_is_not_lost(change, leaves):
    body = f"""
class Program:
    def __init__(self): self.n, self.w = 0.5, np.zeros(3)
    def __call__(self, x, k):
        if x[0] > 0:
            {change}
            if k[0] > 3: raise ValueError("late")
            if k[0] == 0: {leaves}
        if k[0] == 2: x = x * 2
        return x + self.n + self.w
"""
    Program = function_of(body, {"np": np})
    eager, module = Program(), export(Program(), (np.ones(3), np.array([1]))).module()
    for k, sign in ((1, -1), (1, 1), (2, -1), (5, 1), (1, -1), (2, 1)):
        x, y = np.array([1.0, 2.0, 3.0]) * sign, np.array([k])
        wanted, found = outcome(eager, (x.copy(), y)), outcome(module, (x, y))
        if "an earlier call raised" in str(found):
            return
        assert found == wanted
