"""Branches on data that become part of the program: equal to eager on every side, saved and loaded, and refused where that is not clear."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from npexport import Dim, ExportError, InputMismatch, Unsupported, export, load, save
from npexport.ir import ops
from tests.fuzz import branches
from tests.support.functions import function_of
from tests.support.outcomes import outcome

A = np.array([1.0, 2.0, 3.0])
DATA = [A, -A, A * 3, np.array([0.0, 1.0, -1.0]), np.array([-1.0, 4.0, 2.0]), A[::-1].copy()]
CASES = []


def case(count, dynamic=None):
    """``count``: how many conds there are, nested ones too."""

    def declare(function):
        CASES.append(pytest.param(function, count, dynamic, id=function.__name__))
        return function

    return declare


class Found(tuple):
    """A tuple with attributes, as results of packages are."""

    def __new__(cls, items, note):
        made = super().__new__(cls, items)
        made.note = note
        return made


@case(1)
def tuples_with_attributes(x):
    if x.sum() > 0:
        found = Found((x * 2, 1), x.max())
    else:
        found = Found((x + 1, 2), x.min())
    again = found
    again.note = again.note + 1
    return found[0], found[1], found.note, type(found) is Found


@case(1, {"x": {0: Dim("n", min=3)}})
def if_else(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x - 1
    return y + 1


@case(1)
def scalars(x):
    return x.sum() if x[0] > 0 else x.max()


@case(2)
def early_return(x):
    if x[0] > 5:
        return x * 1
    elif x[0] > 0:
        return x * 2
    return -x


@case(4)
def numbers(x):
    k = 0
    if x[0] > 0:
        k = 1
    if x[1] > 0:
        k += 2
    if x[2] > 0 and x[0] < 2:
        k += 4
    return k, x * k


@case(24)
def many(x):
    total = 0.0
    for i in range(24):
        if x[i % 3] > i:
            total = total + 1.5
        else:
            total = total - 1.0
    return total


@case(1)
def local_memory(x):
    y = np.zeros(3)
    if x[0] > 0:
        y[1] = x[1]
    else:
        y[2] = 5
    return y


@case(1)
def input_memory(x):
    if x[0] > 0:
        x[1] = 9
    return x.sum()


@case(1)
def views_see_writes(x):
    y = x * 1
    view = y[1:]
    if x[0] > 0:
        y *= 2
    view += 1
    return y, view


@case(1)
def containers(x):
    held, box = [x * 1, 2], {"a": (1, x.sum())}
    if x[0] > 0:
        held[1] = 3
        held[0] = x * 4
        box["a"] = (2, x[1])
    return held, box


@case(1)
def new_containers(x):
    if x[0] > 0:
        made = {"a": [x * 2, 1.0]}
    else:
        made = {"a": [x + 1, 2.0]}
    made["a"].append(3)
    return made


@case(1)
def new_views(x):
    if x[0] > 0:
        a = x.copy()
        b = a[1:]
    else:
        a = x * 2
        b = a[1:]
    b[0] = 7
    return a, b


class Counter:
    def __init__(self):
        self.count, self.last = 0, None

    def see(self, value):
        if value > 0:
            self.count += 1
        return self.count


@case(3)
def methods(x):
    counter = Counter()
    return [counter.see(value) for value in x], counter.count


@case(2)
def extremes(x):
    return min(x[0], x[1]) if 0 < x[0] < 3 else x[2]


@case(3)
def skipped_iterations(x):
    for i in range(3):
        if x[i] > 1:
            continue
        x = x + 1
    return x * 1


@case(1)
def nonlocals(x):
    total = 0.0

    def add(value):
        nonlocal total
        if value > 0:
            total = total + 2.0

    add(x[0])
    return total


@case(1)
def one_side_raises(x):
    if x[0] > 0:
        held = [x.sum()]
        z = held[0]
        if z > 7:
            raise ValueError("big")
        y = x * z
    else:
        y = x * 1
    return y


@case(1)
def temporaries_differ(x):
    if x[0] > 0:
        t = [x]
        y = t[0] * 2
    else:
        t = "none"
        y = x * 3
    return y


@case(1)
def unused_where_unbound(x):
    if x[0] > 0:
        z = x * 2
        y = z + 1
    else:
        y = x + 1
    return y


@case(1)
def rebound_after_a_copy(x):
    y = x.copy()
    if x[0] > 0:
        y = y * 2
    y[0] = 1
    return y


@case(1)
def managed(x):
    if x[0] > 0:
        with contextlib.suppress(KeyError):
            y = x * 2
    else:
        y = x + 1
    z = y * 3
    return z, y + 1


@case(2)
def managed_in_a_loop(x):
    for i in range(2):
        if x[i] > 0:
            with contextlib.suppress(KeyError), contextlib.nullcontext(2) as two:
                x = x * two
        else:
            try:
                x = x + 1
            except KeyError:
                x = x - 1
        x = x - 3
    return x


@case(2)
def matched(x):
    match (x[0] > 0, x[1]):
        case (flag, value) if flag:
            y = x + value
        case (_, value) if value > 2:
            y = x - value
        case _:
            y = x * 0
    return y


def conds(program):
    return sum(node.target is ops.control.cond for graph in program.graph.all_graphs() for node in graph.nodes)


@pytest.mark.parametrize(("function", "count", "dynamic"), CASES)
def test_equals_eager_on_every_side(function, count, dynamic, tmp_path):
    program = export(function, (A,), dynamic_shapes=dynamic)
    assert conds(program) <= count or function is matched
    save(program, tmp_path / "program.np2")
    data = DATA if dynamic is None else [*DATA, np.arange(-2.0, 5.0), np.ones(9)]
    for run in (program.module(), load(tmp_path / "program.np2").module()):
        for x in data:
            assert outcome(run, (x,)) == outcome(function, (x,))


def test_one_side_alone_runs():
    def f(x):
        with np.errstate(all="raise"):
            return 1 / x[0] if x[0] != 0 else x[1]

    run = export(f, (A,)).module()
    assert run(np.zeros(3)) == 0 and run(A) == 1


def test_state():
    class Model:
        def __init__(self):
            self.best = np.zeros(3)

        def __call__(self, x):
            if x.sum() > self.best.sum():
                self.best[...] = x
            return self.best.max()

    program = export(Model(), (A,)).module()
    model = Model()
    for x in DATA:
        assert program(x) == model(x)


TWO_KINDS = {
    "kind": "y = x * 2 if x[0] > 0 else 0.0\nreturn y + 1",
    "scalar and array": "y = x[0] if x[0] > 0 else np.zeros(())\nreturn y",
    "dtype": "y = x if x[0] > 0 else x.astype('f4')\nreturn y + 1",
    "number of Python": "k = 1 if x[0] > 0 else 1.0\nreturn k + 1",
    "truth": "k = True if x[0] > 0 else 1\nreturn k",
    "rank": "y = x[:, None] if x[0] > 0 else x\nreturn y * 2",
    "text": "s = 'a' if x[0] > 0 else 1\nreturn s",
    "in a list": "held = {'a': [1, x]}\nif x[0] > 0: held['a'][0] = 2.5\nreturn held",
}
WRITTEN = {
    "source written": "a, b = x * 1, x * 2\ny = a if x[0] > 0 else b\na[0] = 7\nreturn y.sum()",
    "input written": "y = x if x[0] > 0 else x * 2\nx[0] = 7\nreturn y.sum()",
    "results share memory": "b, c = x, x + 1\n"
    "for k in range(3):\n    b = b * 2\n    if x[0] > k: b, c = c, b\n    if x[1] > 2: break\nreturn b, c",
    "two names": "a = x * 1\nif x[0] > 0: b = a\nelse: b = x * 3\nb += 1\nreturn a",
}  # fmt: skip
REFUSED = {
    "keys": "d = {1: x}\nif x[0] > 0: d[2] = 2.5\nelse: del d[1]; d[2] = 1.5; d[1] = x\nreturn list(d)",
    "owner": "y = x if x[0] > 0 else x[:]\nreturn y.flags.owndata",
    "shared": "y = x if x[0] > 0 else x * 2\nreturn np.shares_memory(x, y)",
    "printed": "if x[0] > 0: print('a')\nreturn x * 1",
    "iterator": "i = enumerate([1, 2])\nif x[0] > 0: next(i)\nreturn x * next(i)[1]",
    "generator": "g = (i for i in range(3))\nif x[0] > 0: next(g)\nreturn x * next(g)",
    "drawn": "g = np.random.SeedSequence(0)\nif x[0] > 0: g.spawn(1)\nreturn x * np.random.default_rng(g.spawn(1)[0]).random()",
    "yield": "def g():\n    for v in x:\n        if v > 0: yield v\ns, h = 1.0, g()\nfor v in h: s = s * v\nreturn s, list(h)",
    "all variables": "if x[0] > 0: y = 1\nreturn sorted(locals())",
}  # fmt: skip


def compiled(body):
    return function_of("def f(x):\n" + "".join(f"    {line}\n" for line in body.splitlines()), {"np": np})


@pytest.mark.parametrize("body", [*TWO_KINDS.values(), *WRITTEN.values()], ids=[*TWO_KINDS, *WRITTEN])
def test_results_of_two_kinds_or_of_shared_memory(body):
    function = compiled(body)
    run = export(function, (A,)).module()
    for x in DATA:
        assert outcome(run, (x,)) == outcome(function, (x,))


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    with pytest.raises(ExportError) as caught:
        export(compiled(REFUSED[name]), (A,))
    assert caught.value.code == "E103", str(caught.value)


def test_the_leaf_is_named():
    def f(x):
        held = {"a": {1: x}}
        if x[0] > 0:
            held["a"][2] = 2.5
        else:
            del held["a"][1]
            held["a"] |= {2: 1.0, 1: x}
        return held

    with pytest.raises(Unsupported) as caught:
        export(f, (A,))
    line = f.__code__.co_firstlineno
    assert "`held['a']` is of 2 items" in caught.value.message
    assert f"line {line + 3}" in caught.value.message and f"line {line + 5}" in caught.value.message
    assert caught.value.location.line == line + 2


def bound_on_one_side_and_returned(x):
    if x[0] > 0:
        q = x * 2
    if x[0] > 0:
        return q
    return x * 1


def bound_on_one_side_and_read_in_another_branch(x):
    if x[0] > 0:
        q = x * 2
    if x[1] > 0:
        y = q
    else:
        y = x * 1
    return y


@pytest.mark.parametrize("program", [bound_on_one_side_and_returned, bound_on_one_side_and_read_in_another_branch])
def test_what_only_one_side_binds_is_bound_in_a_later_branch_or_raises(program):
    run = export(program, (A,)).module()
    for x in DATA:
        assert outcome(run, (x,)) == outcome(program, (x,))


def test_nothing_is_captured_where_that_is_switched_off():
    with pytest.raises(Unsupported) as caught:
        export(if_else, (A,), capture_control_flow=False)
    assert caught.value.code == "E103"


def test_cost_is_linear():
    def chain(count):
        lines = "".join(f"    if x[{i % 3}] > {i}: y = y + 1\n    else: y = y * 2\n" for i in range(count))
        return function_of(f"def f(x):\n    y = x * 1\n{lines}    return y\n")

    program = export(chain(60), (A,))
    assert conds(program) == 60
    assert outcome(program.module(), (A,)) == outcome(chain(60), (A,))


@pytest.mark.slow
@pytest.mark.fuzz
@pytest.mark.parametrize("block", range(4))
def test_random_programs(block):
    found = [branches.difference(seed) for seed in range(block * 10, block * 10 + 10)]
    assert [report for _, report in found if report] == []
    assert sum(kind == "same" for kind, _ in found) >= 2


def test_a_loop_that_is_left_from_within_a_loop():
    def f(x, y):
        for _ in range(3):
            if x[2] > 0.5:
                break
            for _ in range(3):
                return y * 2
        return y

    module = export(f, (np.array([0.0, 3.0, 1.5]), np.ones(3))).module()
    for last in (0.0, 1.5):
        args = np.array([0.0, 3.0, last]), np.ones(3)
        assert outcome(module, args) == outcome(f, args)


def test_a_loop_that_is_left_by_what_only_an_iteration_knows():
    def f(x):
        for _ in range(2):
            if x[1] < -1 and x[1] > -1:
                x = x * 3
                raise ValueError("own")
            x = x + 1
        return x

    module = export(f, (np.array([0.0, 3.0, 1.5]),)).module()
    for second in (3.0, -1.0, -2.0, np.nan):
        x = np.array([0.0, second, 1.5])
        assert outcome(module, (x,)) == outcome(f, (x,))


def _known_to_be_two(x):
    k = int(x[0])
    more, half, above = k + 1, k * 0.5, k > 1
    a = x.copy()
    if k == 2:
        a[0] = a[0] + above
        a[1] = np.where(above, half, x[k // 2])
        a[more] += half
    return a


def _known_to_be_another(x):
    k, m = int(x[0]), int(x[1])
    more, product = k + 1, k * m
    a = x.copy()
    if k == m:
        a[more] += 1
        a[product] = more
        if m == 1:
            a[k] = product
    elif k == 2 * m:
        a[more] *= 3
    return a


@pytest.mark.parametrize("program", [_known_to_be_two, _known_to_be_another])
def test_numbers_made_before_a_side_knows_them_are_right_on_it(program):
    run = export(program, (np.array([1.0, 0.0, 3.0, 4.0]),)).module()
    for first in ([1.0, 0.0], [2.0, 0.0], [1.0, 1.0], [0.0, 0.0], [2.0, 1.0], [2.0, 2.0]):
        given = (np.array([*first, 3.0, 4.0]),)
        assert outcome(run, given) == outcome(program, given)


def test_the_text_of_an_error_of_one_side_is_that_of_the_sizes_of_the_call():
    def program(x):
        return x + np.zeros(len(x) + 1) if x.sum() > 0 else x

    run = export(program, (np.array([-1.0, 2.0, -3.0]),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for given in np.ones(3), -np.ones(3), np.ones(4), -np.ones(5):
        with contextlib.suppress(InputMismatch):
            assert outcome(run, (given,)) == outcome(program, (given,))
    with pytest.raises(ValueError, match=r"shapes \(3,\) \(4,\)"):
        run(np.ones(3))
