"""Containers of the standard library as results and as inputs, in all forms of a program."""

from __future__ import annotations

import copy
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from npexport import InputMismatch, LoadError, Unsupported, UserError, export, unflatten
from npexport.ir.archive_containers import container
from npexport.ir.pytree import tree_flatten
from tests.support.forms import FORMS
from tests.support.functions import function_of

X = np.array([1.0, 2.0])


@dataclass
class Loose:
    p: Any


class Own:
    def __init__(self, p):
        self.p = p


class OwnDict(dict):
    pass


NAMES = {
    cls.__name__: cls
    for cls in (ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque, SimpleNamespace, Loose, Own, OwnDict)
} | {"np": np}
RESULTS = {
    "set": "{1, 'a', None, True}",
    "empty set": "set()",
    "sizes in a set": "{x.shape[0], x.ndim, len(x)}",
    "frozenset": "frozenset([3, 1])",
    "Counter": "Counter('abca')",
    "Counter of data": "Counter(a=x.sum(), b=1)",
    "OrderedDict": "OrderedDict(b=x, a=[x * 2])",
    "defaultdict": "defaultdict(list, a=x + 1)",
    "deque": "deque([x * 2, 1], maxlen=5)",
    "SimpleNamespace": "SimpleNamespace(loss=x.sum(), parts=SimpleNamespace(), n=1)",
    "ChainMap": "ChainMap({'a': x * 2}, {'b': 1}).new_child({'c': x})",
    "UserDict": "UserDict(a=x * 2, b=UserDict())",
    "UserList": "UserList([x * 2, UserList([1])])",
    "dataclass": "Loose({1: {2}})",
    "nested": "[UserDict(a=deque([SimpleNamespace(c=Counter(a=x[0]), s={1})]))]",
    "filled": "[d.update(k=x), d.subtract(k=1), d][-1:] + [d]",
}
PASSED = {
    "Counter": (Counter(a=2, b=1), "d['a'] * x, d['missing'], d.most_common()"),
    "Counter of arrays": (Counter(a=X), "d['a'] * 2"),
    "OrderedDict": (OrderedDict(a=X), "d['a'] * 2, list(d)"),
    "defaultdict": (defaultdict(list, a=X), "d['a'] * 2, d.default_factory is list"),
    "deque": (deque([X, 2]), "d[0] * d[1]"),
    "SimpleNamespace": (SimpleNamespace(w=X, inner=SimpleNamespace(b=2)), "d.w * d.inner.b, d"),
    "ChainMap": (ChainMap({"a": X}, {"a": 1, "b": X + 1}), "d['a'] * d['b'], list(d), d.maps[1]"),
    "UserDict": (UserDict(a=X, b=3), "d['a'] * d['b'], dict(d), 'c' in d"),
    "UserList": (UserList([X, 2]), "[v * 2 for v in d], len(d)"),
    "dataclass": (Loose(X), "d.p * 2"),
    "nested": ({"k": [UserDict(a=SimpleNamespace(w=deque([X])))]}, "d['k'][0]['a'].w[0] * 2"),
    "written": (SimpleNamespace(w=UserList([X.copy()])), "d.w.data[0].__iadd__(1)"),
}


def compiled(text: str, before: str = ""):
    return function_of(f"def f(x, d=None):\n    {before or 'pass'}\n    return {text}\n", dict(NAMES))


def alike(mine: Any, theirs: Any) -> None:
    one, other = tree_flatten(mine), tree_flatten(theirs)
    assert one[1] == other[1]
    for a, b in zip(one[0], other[0], strict=True):
        assert type(a) is type(b)
        np.testing.assert_array_equal(a, b) if isinstance(a, (np.ndarray, np.generic)) else alike_atoms(a, b)
    assert type(mine) is type(theirs)


def alike_atoms(mine: Any, theirs: Any) -> None:
    assert mine == theirs


@pytest.mark.parametrize("text", RESULTS.values(), ids=RESULTS)
def test_results(text):
    f = compiled(text, "d = Counter(k=2)" if "d.update" in text else "")
    program = export(f, (X,))
    changed = [form(program) for name, form in FORMS.items() if "Loose" not in text or name != "loaded"]
    for run in [form.module() for form in (*changed, program.run_decompositions())] + [
        unflatten(program),
        export(f, (X,), strict=False).module(),
    ]:
        for x in (X, X * 3):
            result = run(x)
            alike(result, f(x))
            assert run(x) is not result or isinstance(result, frozenset)


@pytest.mark.parametrize(("value", "text"), PASSED.values(), ids=PASSED)
@pytest.mark.parametrize("dynamic", [False, True])
def test_inputs(value, text, dynamic):
    def again():
        leaves, spec = tree_flatten(value)
        return spec.unflatten([leaf.copy() if isinstance(leaf, np.ndarray) else leaf for leaf in leaves])

    f = compiled(text)
    before = again()
    program = export(f, (X, again()))
    for name, form in FORMS.items():
        if name == "loaded" and isinstance(value, Loose):
            continue
        mine, theirs = again(), again()
        alike(form(program).module()(X, mine), f(X, theirs))
        alike(mine, theirs)
    alike(value, before)


def test_what_is_one_object_stays_one():
    def f(x):
        shared = SimpleNamespace(a=x * 2)
        members = {1}
        return [shared, shared, members, members], UserDict(a=shared)

    for form in FORMS.values():
        first, second = form(export(f, (X,))).module()(X)
        assert first[0] is first[1] is second["a"] and first[2] is first[3]

    def passed(d):
        return [d, d.w], d

    given = SimpleNamespace(w=UserList([X]))
    (one, inner), two = export(passed, (given,)).module()(given)
    assert one is two is given and inner is given.w


@pytest.mark.parametrize(
    ("example", "other"),
    [
        (SimpleNamespace(a=X), SimpleNamespace(b=X)),
        (SimpleNamespace(a=X), SimpleNamespace(a=X, b=X)),
        (UserDict(a=X), {"a": X}),
        (UserList([X]), UserList([X, X])),
        (Counter(a=1), Counter(a=2)),
        (ChainMap({"a": X}), ChainMap({}, {"a": X})),
        (SimpleNamespace(a=1), SimpleNamespace(a=SimpleNamespace())),
        (UserDict(a=1), UserDict(a={1})),
    ],
)
def test_other_structures_are_refused_at_the_call(example, other):
    for form in FORMS.values():
        run = form(export(lambda d: X * 2, (example,))).module()
        np.testing.assert_array_equal(run(example), X * 2)
        with pytest.raises(InputMismatch, match="E401"):
            run(other)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Own(x)", "E115"),
        ("OwnDict(a=x)", "E115"),
        ("{(1, 2)}", "E115"),
        ("{Own(1)}", "E115"),
        ("[d.__setattr__('extra', x), d]", "E115"),
        ("[d.append(d), d][1]", "E115"),
    ],
)
def test_results_that_are_refused(text, code):
    before = "d = UserList()" if "append" in text else "d = OrderedDict()"
    with pytest.raises(Unsupported) as refusal:
        export(compiled(text, before), (X,))
    assert refusal.value.code == code


MUTATED = {
    "dict": (lambda: {"a": X.copy(), "n": 1}, "d = dict(d)", """d['k'] = d['a'] * 2; d['a'] = d['a'] * 2; d.pop('a'); d.clear();
        d['n'] += 1; d.update(k=d['a']);
        del d['a']; d.setdefault('z', []).append(d['a']); d.popitem(); d |= {'q': 1}"""),
    "list": (lambda: [X.copy(), 1], "d = list(d)", """d.append(d[0] * 2); d[0] = d[0] * 2; d.pop(); d.clear(); d.reverse();
        d.extend([1]); d.insert(0, 1); d += [d[0]];
        del d[0]; d.append(d)"""),
    "deque": (lambda: deque([X.copy(), 1]), "d = copy.copy(d)", "d.append(d[0]); d.appendleft(1); d.popleft(); d.rotate(1)"),
    "defaultdict": (lambda: defaultdict(list, a=X.copy()), "d = copy.copy(d)", "d['z'].append(d['a']); d['z']"),
    "OrderedDict": (lambda: OrderedDict(a=X.copy(), b=1), "d = copy.copy(d)", "d.move_to_end('a'); d['c'] = d['a']"),
    "Counter": (lambda: Counter(a=1), "d = copy.copy(d)", "d['b'] += 1; d.update('aa')"),
    "SimpleNamespace": (lambda: SimpleNamespace(a=X.copy()), "d = copy.copy(d)", "d.b = d.a * 2; d.a = d.a * 2; del d.a"),
    "dataclass": (lambda: Loose(X.copy()), "d = copy.copy(d)", "d.p = d.p * 2; d.extra = 1"),
    "UserDict": (lambda: UserDict(a=X.copy()), "d = copy.deepcopy(d)", "d['b'] = d['a'] * 2; d.clear()"),
    "UserList": (lambda: UserList([X.copy()]), "d = copy.deepcopy(d)", "d.append(d[0] * 2); d.pop()"),
    "ChainMap": (lambda: ChainMap({"a": X.copy()}), "d = copy.deepcopy(d)", "d['b'] = d['a'] * 2"),
    "nested": (lambda: {"k": [X.copy()]}, "d = copy.deepcopy(d)", "d['k'].append(1); d['k'][0] = d['k'][0] * 2"),
}  # fmt: skip
WRITES = [(kind, text.strip()) for kind, (_, _, texts) in MUTATED.items() for text in texts.split(";")]


@pytest.mark.parametrize(("kind", "text"), WRITES)
def test_containers_that_are_passed_are_not_written_to(kind, text):
    """What is written instead is told, and is captured."""
    make, copied, _ = MUTATED[kind]
    namespace = {**NAMES, "copy": copy}
    exec(f"def f(d):\n    {text}\n    return X\ndef g(d):\n    {copied}\n    {text}\n    return d\n", namespace | {"X": X}, namespace)
    given = make()
    with pytest.raises(Unsupported) as refusal:
        export(namespace["f"], (given,))
    alike(given, make())
    assert refusal.value.code == "E112" and f"{copied}; ...; return result, d." in refusal.value.hint
    if text == "d.append(d)":
        return
    run, mine = export(namespace["g"], (make(),)).module(), make()
    alike(run(mine), namespace["g"](make()))
    alike(mine, make())


@pytest.mark.parametrize("value", [{1, 2}, frozenset([1]), [{1}], SimpleNamespace(a=[{1}])])
def test_sets_are_no_inputs(value):
    with pytest.raises(UserError, match="(?s)E202.*sorted"):
        export(lambda d: X, (value,))
    with pytest.raises(UserError, match="E202"):
        export(lambda x, d: x, (X, Own(1)))


@pytest.mark.parametrize(
    ("kind", "context", "count"),
    [
        ("set", None, 2),
        ("set", [], 1),
        ("complex", None, 1),
        ("object", ["Own", []], 0),
        ("object", ["UserDict", ["a", "a"]], 2),
        ("object", ["UserDict", [1]], 1),
    ],
)
def test_files_hold_no_other_containers(kind, context, count):
    with pytest.raises(LoadError):
        container(kind, context, count, lambda key: key)
