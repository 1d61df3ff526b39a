"""Programs whose state is a text, a member of an enumeration or a name of a method, which data choose in each iteration."""

from __future__ import annotations

import enum
import math

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.forms import reloaded
from tests.support.outcomes import outcome


class Phase(enum.Enum):
    REST = 1
    RISE = 2
    FALL = 3


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 4


def members(x):
    phase, seen = Phase.REST, []
    for v in x:
        match phase:
            case Phase.REST:
                phase = Phase.RISE if v > 0 else Phase.REST
            case Phase.RISE:
                phase = Phase.FALL if v > 1 else Phase.REST
            case Phase.FALL:
                break
        seen.append(phase.value)
    return phase.name, np.array(seen)


def numbered_members(x):
    level, total = Level.LOW, 0
    for v in x:
        level = Level.HIGH if v > level else Level.LOW
        total += level
    return level.value, total


class Valve:
    def __init__(self):
        self.state, self.opened = "shut", 0

    def feed(self, v):
        getattr(self, "while_" + self.state)(v)

    def while_shut(self, v):
        if v > 1:
            self.state = "open"
            self.opened += 1

    def while_open(self, v):
        if v < 0:
            self.state = "shut"


def names_of_methods(x):
    valve = Valve()
    for v in x:
        valve.feed(v)
    return valve.state, valve.opened


def keys(x):
    steps = {"on_up": lambda v: v + 1, "on_down": lambda v: v * 2}
    count = {"up_n": 0, "down_n": 0}
    side, total = "up", 0.0
    for v in x:
        total += steps["on_" + side](v)
        count[f"{side}_n"] += 1
        side = "down" if total > 2 else "up"
    return total, side, count


def functions(x):
    kind = "nan" if x[0] > 0 else ""
    return getattr(np, kind + "sum")(x), getattr(x, "m" + ("ax" if x[1] > 0 else "in"))()


def attributes(x):
    valve, name = Valve(), "opened" if x[0] > 0 else "shut"
    setattr(valve, name + "_at", 3.0)
    return getattr(valve, "opened_at", None), hasattr(valve, name + "ed"), hasattr(valve, name + "_at")


def read(x):
    side = "red" if x[0] > 0 else "blue"
    text = side + "_1"
    return len(text), text[::-1], text.split("_"), "d" in text, text < "green", [c for c in text][0], int(text[-1]), sorted([text, "m"])


def numbers(x):
    digit = "1" if x[0] > 0 else "2"
    return int(digit + "0"), float("1e" + digit), math.sqrt(int(digit * 2)), np.zeros(2, "f" + ("4" if digit == "1" else "8")).itemsize


def missing_keys(x):
    try:
        return {"red_1": 1}[("red" if x[0] > 0 else "blue") + "_1"]
    except KeyError as error:
        return str(error)


class Machine:
    def __init__(self, step):
        self.handle, self.count, self.step = self.off, 0, step

    def off(self, v):
        if v > 0:
            self.handle = self.on

    def on(self, v):
        self.count += self.step
        if v < 0:
            self.handle = self.off
        if v > 2:
            self.handle = self.end

    def end(self, v):
        pass


def bound_methods(x):
    machine = Machine(1)
    for v in x:
        machine.handle(v)
        if machine.handle == machine.end:
            break
    return machine.count, machine.handle.__name__


def methods_of_two_objects(x):
    one, other = Machine(1), Machine(2)
    handle = one.on
    for v in x:
        handle(v)
        handle = other.on if v > 0 else one.on
    return one.count, other.count, handle.__self__ is one


class Rest:
    def feed(self, v, total):
        return (RISING if v > 0 else self), total + 1


class Rise:
    def feed(self, v, total):
        return (RESTING if v < 0 else self), total * 2


RESTING, RISING = Rest(), Rise()


def objects_from_before(x):
    state, total = RESTING, 1.0
    for v in x:
        state, total = state.feed(v, total)
    return total, state is RESTING


class Node:
    def __init__(self, value):
        self.value, self.next = value, None


def nodes_of_a_ring(x):
    nodes = [Node(1.0), Node(2.0), Node(3.0)]
    for one, other in zip(nodes, nodes[1:] + nodes[:1], strict=True):
        one.next = other
    at, total = nodes[0], 0.0
    for v in x:
        total += at.value * v
        if v > 0:
            at = at.next
        at.value += 1
    return total, [node.value for node in nodes], at is nodes[1]


def functions_of_several_kinds(x):
    kinds = {"a": abs, "b": np.negative, "c": lambda v: v * 3}
    apply, total = kinds["a"], 0.0
    for v in x:
        total += apply(v)
        apply = kinds["b" if v > 1 else "c" if v < 0 else "a"]
    return total


def closures_made_in_iterations(x):
    apply, total = (lambda v: v), 0.0
    for v in x:
        total += apply(v)
        apply = lambda u, k=v: u * k  # noqa: E731
    return total


PROGRAMS = [
    bound_methods, methods_of_two_objects, objects_from_before, nodes_of_a_ring, functions_of_several_kinds,
    members, numbered_members, names_of_methods, keys, functions, attributes, read, numbers, missing_keys,
]  # fmt: skip
DATA = [
    [1.0, 2.0, -3.0, 0.0, 4.0, -1.0, 2.5, 0.0],
    [-1.0, 0.5, 3.0, 3.0, -2.0, 5.0, 6.0, 7.0],
    [-1.0, 2.0],
    [2.0, -1.0],
    [0.5, 3.0, 3.0],
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("dynamic", [False, True])
def test_states_are_those_of_eager_execution(program, dynamic):
    arrays = [np.array(each) for each in DATA]
    ep = export(program, (arrays[0],), dynamic_shapes={"x": {0: Dim.AUTO}} if dynamic else None)
    for module in (ep.module(), reloaded(ep).module()):
        for x in arrays if dynamic else arrays[:2]:
            assert str(outcome(module, (x,))) == str(outcome(program, (x,)))


@pytest.mark.parametrize("data", DATA)
def test_closures_made_in_iterations(data):
    x = np.array(data)
    assert outcome(export(closures_made_in_iterations, (x,)).module(), (x,)) == outcome(closures_made_in_iterations, (x,))


def test_whether_two_bound_methods_are_one_object_is_not_told():
    def program(x):
        machine = Machine(1)
        first = handle = machine.on
        for _ in x:
            handle = machine.on
        return handle is first, machine.on is machine.off

    assert export(program, (np.ones(3),)).module()(np.ones(3)) == (False, False)  # each iteration by itself
    with pytest.raises(ExportError) as refused:
        export(program, (np.ones(3),), dynamic_shapes={"x": {0: Dim.AUTO}})
    assert refused.value.code == "E109"


def test_a_bound_method_of_several_is_no_other_object():
    def program(x):
        machine = Machine(1)
        for _ in x:
            machine.handle = machine.off
        return machine.handle is x, machine.handle is x[0], machine.handle is len(x), machine.handle is machine.on

    run = export(program, (np.ones(3),), dynamic_shapes={"x": {0: Dim.AUTO}}).module()
    assert run(np.ones(3)) == run(np.ones(2)) == (False, False, False, False)


def test_names_of_sizes():
    def program(x):
        return getattr(np, f"atleast_{x.shape[0]}d")(x)

    ep = export(program, (np.ones(2),), dynamic_shapes={"x": {0: Dim.AUTO}})
    assert ep.module()(np.zeros(2)).shape == (1, 2)
