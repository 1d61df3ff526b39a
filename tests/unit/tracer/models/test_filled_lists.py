"""Lists that captured loops fill: equal to eager execution at every size, exported, saved and
loaded, and decomposed, or refused.
"""

from __future__ import annotations

import itertools
import sys
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.forms import reloaded
from tests.support.functions import function_of
from tests.support.outcomes import outcome
from tests.support.shards import shard

ANY_SIZE = {
    "left before it is filled": (
        "out, k = [], 0\nfor v in x:\n  if len(out) < 3: k += 1\n  if v > 2: break\n  out += [v]\n  k = len(out)\nreturn np.array(out)"
    ),
    "array": "out = []\nfor i in range(len(x)): out.append(x[i] * 2)\nreturn np.array(out)",
    "length": "out = []\nfor i in range(len(x)): out.append(x[i] * 2)\nreturn len(out), isinstance(out, list)",
    "two lists": "a, b = [], []\nfor v in x:\n  a.append(v); b.append(v * v)\nreturn np.array(a) - np.array(b)",
    "in place": "out = []\nfor i in range(len(x)): out += [x[i], 2 * x[i]]\nreturn np.array(out)",
    "extended": "out = []\nfor v in x: out.extend([v, -v])\nreturn np.array(out)",
    "python floats": "out, s = [], 0.0\nfor v in x:\n  s = s + float(v)\n  out.append(s)\nreturn np.asarray(out)",
    "python integers": "out = []\nfor i in range(len(x)): out.append(i * 3 - 2)\nreturn sum(out), np.array(out, dtype=int)",
    "some": "out = []\nfor v in x:\n  if v > 0: out.append(v)\nreturn np.array(out), len(out)",
    "one or two": "out = []\nfor v in x:\n  if v > 0:\n    out.append(v); out.append(-v)\n  else: out.append(v * v)\nreturn np.array(out)",
    "until": "out = []\nfor v in x:\n  out.append(v)\n  if v > 0.9: break\nreturn len(out), np.array(out)",
    "returned early": "out = []\nfor v in x:\n  out.append(v)\n  if v > 0.9: return np.array(out)\nreturn np.array(out) * 2",
    "nested": "out = []\nfor r in m:\n  for j in range(m.shape[1]): out.append(r[j] + j)\nreturn np.array(out)",
    "nested, some": "out = []\nfor r in m:\n  for v in r:\n    if v > 0: out.append(v)\nreturn np.array(out)",
    "two loops": "out = []\nfor v in x: out.append(v)\nout.append(5.0 * x.sum())\nfor r in m: out.append(r[0])\nreturn np.array(out)",
    "another name": "out = []\nother = out\nfor v in x: out.append(v); other.append(v * 2)\nreturn np.array(other)",
    "of an object": "class A: pass\na = A()\na.h = []\nfor v in x: a.h.append(v * 2)\nreturn np.array(a.h)",
    "of a dict": "d = {'a': []}\nfor v in x: d['a'].append(v)\nreturn np.array(d['a'])",
    "of a closure": "out = []\ndef put(v): out.append(v)\nfor v in x: put(v)\nreturn np.array(out)",
    "a view of itself": "out = [x[0]]\nfor i in range(1, len(x)): out.append(out[-1] * 0.5 + x[i])\nreturn np.array(out)",
    "comprehension": "return np.array([v * 2 for v in x]), len([i for i in range(len(x))])",
    "comprehension with if": "return np.array([v for v in x if v > 0]), len([v for v in x if v > 0])",
    "enumerate and zip": "return np.array([i * v for i, v in enumerate(x)]), np.array([a * b for a, b in zip(x, x[::-1])])",
    "generator expression": "return sum(1 for v in x if v > 0), np.array(list(v * 2 for v in x))",
    "any and all": "return any([v > 0 for v in x]), all([v > -2 for v in x])",
    "is it empty": "out = [v for v in x if v > 0.5]\nif not out: return -1.0\nreturn 1.0",
    "may be empty": "out = [v for v in x if v > 0.5]\nreturn out[0], out[-1]",
    "smallest of some": "return min([v for v in x if v > 0.5])",
    "returned": "return [v * 2 for v in x], [float(v) for v in x if v > 0], [i for i in range(len(x))], [v > 0 for v in x]",
    "tuples returned": "return [(i, v) for i, v in enumerate(x)], {'a': [[v, (i, v * v)] for i, v in enumerate(x) if v > 0]}",
    "returned with others": "out = [v * v for v in x]\nreturn out, len(out), np.array(out), sum(out), out[1:]",
    "slices": "out = [v * 2 for v in x]\nreturn np.array(out[1:]), np.array(out[::-1]), np.array(list(out))",
    "sum": "out = []\nfor v in x: out.append(v * 2)\nreturn sum(out), sum(v * v for v in x), sum(x), sum(out, 0.5)",
    "gone over": "out, s = [v * 2 for v in x], 0.0\nfor v in out: s += v\nfor i, v in enumerate(out): s += i * v\nreturn s",
    "dot": "a, b = [v * 2 for v in x], [v + 1 for v in x]\nreturn sum(p * q for p, q in zip(a, b)), sum(a) / len(a)",
}
"""Programs that are captured for any size."""

FROM_ONE_ON = {
    "last": "out = []\nfor v in x: out.append(v * 2)\nreturn out[-1], out[0], out[len(x) // 2]",
    "sum of floats": "return sum([float(v) * 1e17 for v in x]), sum([float(v) * 1e17 for v in x], 1.5)",
    "extremes": "return max(v * v for v in x), min([abs(v) for v in x]), max([v for v in x], key=abs)",
    "rows": "out = []\nfor r in m: out.append(r * 2)\nreturn np.array(out), np.stack(out), np.concatenate(out), np.vstack(out)",
    "blocks": "out = []\nfor v in x: out.append(m * v)\nreturn np.concatenate(out), np.stack(out), out[-1]",
    "columns": "out = []\nfor r in m: out.append(r * 2)\nreturn np.column_stack(out), np.stack(out, axis=1), np.hstack(out)",
    "tuples": "out = []\nfor i in range(len(x)): out.append((x[i], x[i] + i))\nreturn np.array(out), out[-1]",
    "lists in it": "out = []\nfor v in x: out.append([v, v * v])\nreturn np.array(out), out[0]",
    "filled lists in it": "return np.array([[a * b for b in x] for a in x])",
    "integers": "return np.array([i * i for i in range(len(x))])",
    "float32": "return np.array([np.float32(v) for v in x])",
    "reduced": "out = [r / np.linalg.norm(r) for r in m]\nreturn np.mean(out), np.max(out, axis=0), np.stack(out).sum(axis=1)",
}
"""Programs that a size of 0 gives another kind of result, or an error of eager execution."""

REFUSED = {
    "an array is returned in two places": ("return [m[0] for r in m]", "where one may stand twice, or be the caller's: return an array"),
    "an item of another kind": (
        "out = [v * 2 for v in x]\nout[0] = 5\nreturn np.array(out)",
        "is converted to an array, and holds the NumPy scalar f64[] or a Python int",
    ),
    "a method": ("out = [v * 2 for v in x]\nout.sort()\nreturn out.index(x[0])", "is searched, and holds floats"),
    "compared": ("return [v * 2 for v in x] == []", "is used with `__eq__`"),
    "other items": ("out = [v * 2 for v in x]\nout.append(m)\nreturn len(out)", "holds the NumPy scalar f64[], and now the array"),
    "an array of before": ("out = []\nfor i in range(len(x)): out.append(m[i])\nm[0] = 9\nreturn np.array(out)", "that a list holds"),
    "an item's memory": ("out = [r * 2 for r in m]\nout[-1][0] = 5\nreturn np.array(out)", "that a list holds"),
    "the last one's memory": (
        "out, r = [], m[0]\nfor v in x:\n  r = m[0] * v\n  out.append(r)\nr[0] = 3\nreturn np.array(out)",
        "that a list holds",
    ),
    "one object": ("out, r = [], m[0]\nfor v in x:\n  r = m[0] * v\n  out.append(r)\nreturn out[-1] is r", "that a list holds"),
}
"""By name, a program, and part of what the message says."""

ITERATION_BY_ITERATION = {
    "one array again and again": "b, out = np.zeros(3), []\nfor i in range(len(x)):\n  b[0] = x[i]\n  out.append(b)\nreturn np.array(out)",
    "written after it was put in": "out = []\nfor i in range(len(x)):\n  r = m[i] * 2\n  out.append(r)\n  r[0] = 5\nreturn np.array(out)",
    "written in the next one": "out, r = [], np.zeros(3)\nfor v in x:\n  r[1] = 7\n  r = m[0] * v\n  out.append(r)\nreturn np.array(out)",
    "written where it comes from": "out = []\nfor i in range(len(x)):\n  out.append(m[i])\n  m[i] = m[i] * 2\nreturn np.array(out)",
    "by its method": "out = []\nput = out.append\nfor v in x: put(v)\nreturn np.array(out)",
    "beside its method": "out = []\nput = out.append\nfor v in x: out.append(v)\nput(1.0)\nreturn np.array(out)",
    "in a tuple": "out = []\nt = out, 1\nfor v in x: out.append(v)\nreturn np.array(t[0])",
    "beside its iterator": "out = [1.0]\nit = iter(out)\nfor v in x: out.append(v)\nreturn next(it), len(out)",
    "one list again and again": "out, row = [], []\nfor v in x:\n  row.append(v)\n  out.append(row)\nreturn len(out), len(out[0])",
    "while it is gone over": "out, k = [v for v in x], 0\nfor v in out:\n  k += 1\n  if k < 3: out.append(v)\nreturn np.array(out)",
    "of several kinds": "out = []\nfor i in range(len(x)): out.append(x[i] if i else 0)\nreturn np.array(out)",
    "in another order": "return np.stack([m.T * v for v in x]).ravel(order='K')",
    "texts": "out = []\nfor v in x: out.append('a')\nreturn ''.join(out)",
}
"""Programs that are exported for the size of the example alone, or for any."""


def program_of(body: str) -> Any:
    return function_of("def program(x, m):\n" + "\n".join("  " + line for line in body.split("\n")), {"np": np})


def arguments(size: int) -> tuple[Any, ...]:
    return np.sin(np.arange(size) * 1.3 + 0.5), np.cos(np.arange(size * 3).reshape(size, 3) * 0.7)


def exported(program: Any, least: int) -> Any:
    n = Dim("n", min=least)
    return export(program, arguments(5), dynamic_shapes=({0: n}, {0: n}))


@pytest.mark.parametrize(("name", "least"), shard(itertools.product([*ANY_SIZE, *FROM_ONE_ON], [0, 2]), 4))
def test_they_give_what_they_give_eagerly(name: str, least: int) -> None:
    program = program_of((ANY_SIZE | FROM_ONE_ON)[name])
    found = exported(program, max(least, int(name in FROM_ONE_ON)))
    modules = [found.module(), reloaded(found).module(), found.run_decompositions().module()]
    for size in (size for size in (0, 1, 2, 5, 9) if size >= max(least, int(name in FROM_ONE_ON))):
        wanted = outcome(program, arguments(size))
        for module in modules:
            assert outcome(module, arguments(size)) == wanted, size


KINDS = [name for name in FROM_ONE_ON if name != "sum of floats" or sys.version_info >= (3, 12)]
"""Before CPython 3.12 `sum` is a loop, which carries a number of either kind."""


@pytest.mark.parametrize("name", KINDS)
def test_a_size_that_gives_another_kind_of_result_is_a_violation(name: str) -> None:
    with pytest.raises(ExportError, match=r"n = Dim\('n', min=1\)"):
        exported(program_of(FROM_ONE_ON[name]), 0)


@pytest.mark.parametrize("name", REFUSED)
def test_what_they_do_not_do_is_refused(name: str) -> None:
    body, message = REFUSED[name]
    with pytest.raises(ExportError) as refusal:
        exported(program_of(body), 2)
    assert refusal.value.code == "E103"
    assert message in refusal.value.message


@pytest.mark.parametrize("name", ITERATION_BY_ITERATION)
def test_what_cannot_be_told_apart_is_as_it_is_eagerly(name: str) -> None:
    program = program_of(ITERATION_BY_ITERATION[name])
    module = export(program, arguments(5), dynamic_shapes=({0: Dim.AUTO}, {0: Dim.AUTO})).module()
    assert outcome(module, arguments(5)) == outcome(program, arguments(5))


@pytest.mark.parametrize("size", [2, 3, 5, 8])
def test_a_list_that_a_loop_left_in_its_first_iteration_does_not_fill(size: int) -> None:
    program = program_of("out = []\nfor i in range(len(x) // 2):\n  if i < len(x) - 1: break\n  out.append(0.5)\nreturn len(out)")
    module = export(program, arguments(5), dynamic_shapes=({0: Dim.AUTO}, {0: Dim.AUTO})).module()
    assert outcome(module, arguments(size)) == outcome(program, arguments(size))


def test_a_handler_does_not_get_that_an_integer_needs_more_than_64_bits():
    def kept(x):
        found = []
        for value in x:
            try:
                found.append(int(value) * 3)
            except OverflowError:
                found.append(-1)
        return found

    def counted(x):
        found = []
        for place in range(len(x)):
            try:
                found.append(len(x) - place)
            except OverflowError:
                found.append(-1)
        return found

    given = np.array([1, 2**62, -(2**62), 5])
    try:
        run = export(kept, (given,), dynamic_shapes=({0: Dim.AUTO},)).module()
    except ExportError as refusal:
        assert refusal.code == "E126"
    else:
        assert run(given) == kept(given)
    run = export(counted, (given,), dynamic_shapes=({0: Dim.AUTO},)).module()
    assert [run(np.arange(size)) for size in range(6)] == [counted(np.arange(size)) for size in range(6)]


@pytest.mark.parametrize("call", ["np.histogram(x, bins=found)", "np.round(x, found)", "np.pad(x, found)"])
def test_a_list_that_an_operator_takes_as_it_is_has_to_be_known(call):
    function = function_of(f"def f(x):\n    found = [float(v) for v in x if v > 0]\n    return {call}", {"np": np})
    with pytest.raises(ExportError) as caught:
        export(function, (np.array([2.0, 1.0, 3.0, 0.0]),))
    assert caught.value.code == "E104" and "np.array(values)" in caught.value.hint
