"""Weak references that calls leave in the exported object, and those that lead outside."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.outcomes import shown


class Value:
    def __init__(self, data, creator=None):
        self.data, self.creator, self.grad = data, creator, None

    def backward(self):
        """Walks the graph as autograd libraries do, with a function that holds what it has seen."""
        self.grad, functions, seen = np.ones_like(self.data), [], set()

        def add(function):
            if function is not None and function not in seen:
                seen.add(function)
                functions.append(function)

        add(self.creator)
        while functions:
            function = functions.pop()
            (output,) = [each() for each in function.outputs]
            function.inputs[0].grad = output.grad * function.factor
            add(function.inputs[0].creator)


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, value):
        result = Value(value.data * self.factor, self)
        self.inputs, self.outputs = [value], [weakref.ref(result)]
        return result


class Layer:
    def __init__(self, factor):
        self.factor = np.full(3, factor)

    def __call__(self, value):
        result = Scale(self.factor)(value)
        self.inputs, self.output = [weakref.ref(value)], weakref.ref(result)
        return result


class Network:
    def __init__(self):
        self.layers = [Layer(2.0), Layer(3.0)]

    def __call__(self, x):
        value = given = Value(x)
        for layer in self.layers:
            value = layer(value)
        value.backward()
        return value.data, given.grad


class Remembered:
    """Asks whether what the call before has left is still there."""

    def __init__(self):
        self.last = None

    def __call__(self, x):
        known = self.last is not None and self.last() is not None
        value = Value(x)
        self.last = weakref.ref(value)
        return value.data * 2 if known else value.data


class Tree:
    """Children know their parents, and add to what these hold."""

    def __init__(self, parent=None, depth=0):
        self.parent = None if parent is None else weakref.ref(parent)
        self.children = [Tree(self, depth + 1) for _ in range(2)] if depth < 2 else []
        self.sum = np.zeros(3)

    def leaves(self):
        return [leaf for child in self.children for leaf in child.leaves()] if self.children else [self]

    def __call__(self, x):
        for leaf in self.leaves():
            one = leaf
            while one.parent is not None:
                one = one.parent()
                one.sum = one.sum + x
        return self.sum


class Used:
    """Parameters know who uses them, as long as these live."""

    def __init__(self):
        self.parameter, self.users, self.listed = Value(np.ones(3)), set(), []

    def __call__(self, x):
        scale = Scale(2.0)
        reference = weakref.ref(scale, self.users.discard)
        self.users.add(reference)
        self.listed.append(weakref.ref(scale, self.listed.remove))
        result = scale(Value(x * self.parameter.data)).data + len(self.users) + len(self.listed)
        del scale
        return result + len(self.users) * 10


class Watched:
    """Makes references to what the object holds."""

    def __init__(self):
        self.value, self.watch = Value(np.ones(3)), None

    def __call__(self, x):
        self.watch = weakref.ref(self.value)
        return x * self.watch().data


@pytest.mark.parametrize("called", [0, 1])
@pytest.mark.parametrize("make", [Network, Remembered, Tree, Used, Watched])
def test_calls_leave_weak_references(make: Callable[[], Any], called: int) -> None:
    exported, eager = make(), make()
    for _ in range(called):
        exported(np.ones(3)), eager(np.ones(3))
    run = export(exported, (np.ones(3),)).module()
    for step in range(4):
        x = np.full(3, step + 0.5)
        assert shown(run(x)) == shown(eager(x))


class Kept:
    """The reference outlives the call, as what it leads to does."""

    def __init__(self):
        self.value = self.last = None

    def __call__(self, x):
        known = self.last is not None and self.last() is not None
        self.value = Value(x)
        self.last = weakref.ref(self.value)
        return x * 2 if known else x


class Replaced:
    def __init__(self):
        self.value = Value(np.ones(3))
        self.last = weakref.ref(self.value)

    def __call__(self, x):
        self.value = Value(x)
        return x if self.last() is None else x * 2


class ReplacedWithin(Replaced):
    def __init__(self):
        super().__init__()
        self.value = [{"one": self.value}]


class Own:
    """The reference is made before what it leads to is replaced."""

    def __init__(self):
        self.value = Value(np.ones(3))

    def __call__(self, x):
        last = weakref.ref(self.value)
        self.value = None
        return x if last() is None else x * 2


@pytest.mark.parametrize(("make", "code"), [(Kept, "E112"), (Replaced, "E125"), (ReplacedWithin, "E125"), (Own, "E125")])
def test_what_may_die_in_a_call_is_not_followed(make: Callable[[], Any], code: str) -> None:
    with pytest.raises(Unsupported) as refused:
        export(make(), (np.ones(3),))
    assert refused.value.code == code
