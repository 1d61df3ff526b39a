"""State as memory: several names of one array, views of state in state, arrays that move from name to name, and what callers hold of it."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from npexport import export, nn
from npexport.symshapes.errors import ExportError, InputMismatch
from tests.support.arrays_harness import compare
from tests.support.forms import reloaded
from tests.support.functions import function_of


class State:
    """Arrays of one kind; ``part``, ``turned`` and ``back`` are views."""

    def __init__(self) -> None:
        self.a, self.b, self.c = np.arange(4.0), np.ones(4), np.full(4, 0.5)
        self.w = np.arange(9.0).reshape(3, 3)
        self.part, self.turned, self.back = self.a[1:3], self.w.T, self.c[::-1]
        self.pair = (np.zeros(4), np.ones(4))
        self.also = self.pair[1]
        self.memory = np.arange(6.0)
        self.ends = self.memory[:2], self.memory[4:]
        self.layer = nn.Linear(4, 4, generator=np.random.default_rng(0), dtype=np.float64)


KEPT = """
self.a[...] = x; self.b[...] = x
z = x * 2; self.a[...] = z; self.b[...] = z; return z
self.a, self.b = self.b, self.a; self.b += x; return self.a[1:], self.b
old = self.b; old[...] = x; self.b = self.c * 1; return old
old, self.b, self.c = self.b, self.c * 1, self.b; old[...] = x; return old
self.b += 1; y = self.b[1:]; self.b = self.b * 2; return y, self.b
self.b = x; x += 1; return self.b
self.b = x[::-1]; x[0] += 1; return self.b
x += 1; self.b = x; return x
x += 1; y = x - self.b; self.b = x.copy(); return y
self.part *= 2; return self.a
self.a += x; return self.part, self.a
self.a[1] = 9; return self.part[::-1]
return self.part, self.a, self.turned
self.w[0] += 1; return self.turned, self.w.reshape(-1)
self.turned[0] = x[:3]; return self.w
self.back += x; return self.c, self.back
self.layer.weight *= 0.5; return self.layer(x[None])
self.layer.weight = self.layer.weight * 0.5; return self.layer(x[None])
z = x + self.b; self.b = self.c = z; return z
y = self.b - self.c; self.c = self.b; self.b = self.b + x; return y
h = x * 2; self.pair = (h, self.pair[1]); return h
self.also += x; return self.pair[1]
self.also = self.also + x; return self.pair[1] * 1, self.also
self.pair = (self.pair[0], self.pair[1] + x); return self.pair[1], self.also * 1
return self.ends[0], self.memory * 1, self.ends[1] * 1
self.ends[0][...] = x[:2]; return self.ends[1], self.memory[1:]
""".strip().splitlines()

REFUSED = {
    "self.b = self.c; self.b += x": "E112",
    "self.b += x; self.b = self.c": "E112",
    "y = self.b is self.c; self.b = self.c * 1 if y else self.c": "E112",
    "y = self.w.reshape(-1); y[0] = 7; self.w = self.w.T * 1": "E121",
    "self.w = self.w[::-1]; y = self.w.reshape(-1); y[0] = 7": "E121",
    "self.b = x; y = self.b[1:]; self.b[0] = 3; self.c = x": "E112",
}


def program(line: str) -> State:
    __call__ = function_of(f"def __call__(self, x):\n    {line}\n", {"np": np})
    return type("Program", (State,), {"__call__": __call__})()


def arrays(value):
    """Every array of a state or a result, in order."""
    if isinstance(value, np.ndarray):
        return [value]
    items = value if isinstance(value, (tuple, list)) else vars(value).values() if isinstance(value, (State, nn.Module)) else ()
    return [array for item in items for array in arrays(item)]


def sharing(found):
    return [[np.shares_memory(one, other) for other in found] for one in found]


@pytest.mark.parametrize("writing", [None, "inputs", "results"])
@pytest.mark.parametrize("line", KEPT)
def test_programs_and_callers_see_what_they_would_see(line, writing):
    ep = export(program(line), (np.ones(4),))
    held = copy.deepcopy((ep.state_dict, ep.constants))
    for run in (ep.module(), reloaded(ep).module()):
        eager = program(line)
        for seed in range(3):
            x = np.random.default_rng(seed).normal(size=4)
            mine, theirs = [x.copy()], [x.copy()]
            mine, theirs = mine + arrays(run(mine[0])), theirs + arrays(eager(theirs[0]))
            state = [(array, _at(eager, name)) for name, array in run.named_buffers()]
            compare([*theirs, *(want for _, want in state)], [*mine, *(have for have, _ in state)])
            assert sharing([*mine, *(have for have, _ in state)]) == sharing([*theirs, *(want for _, want in state)])
            for array in {"inputs": (mine[0], theirs[0]), "results": (*mine[1:], *theirs[1:])}.get(writing, ()):
                array += 1
    compare([*held[0].values(), *held[1].values()], [*ep.state_dict.values(), *ep.constants.values()])


def _at(owner, path):
    for name in path.split("."):
        owner = owner[int(name)] if name.isdigit() else getattr(owner, name)
    return owner


@pytest.mark.parametrize("line", REFUSED)
def test_what_the_next_call_would_see_otherwise(line):
    with pytest.raises(ExportError) as refused:
        export(program(line), (np.ones(4),))
    assert refused.value.code == REFUSED[line] and refused.value.hint


class Tied(nn.Module):
    """An embedding that is the output's matrix too, and a view of it."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(5, 4)
        self.head = nn.Linear(4, 5)
        self.head.weight = self.embed.weight
        self.turned = self.embed.weight.T
        self.register_buffer("seen", np.zeros(5, np.float32))

    def forward(self, tokens):
        x = self.embed(tokens)
        self.seen += x @ self.turned
        return self.head(x) + self.seen


def test_tied_weights_have_all_their_names():
    original = Tied()
    ep = export(original, (np.array(1),))
    (spec,) = [spec for spec in ep.graph_signature.input_specs if spec.target == "embed.weight"]
    assert spec.names == ("head.weight",)
    assert list(ep.state_dict) == list(original.state_dict())
    assert ep.state_dict["embed.weight"] is ep.state_dict["head.weight"]
    loaded = reloaded(ep)
    assert loaded.graph_signature == ep.graph_signature
    other = Tied()
    for run in (ep.module(), loaded.module(), copy.deepcopy(ep.module()), copy.deepcopy(loaded.module())):
        eager = Tied()
        run.load_state_dict(other.state_dict())
        eager.load_state_dict(other.state_dict())
        for number in (3, 0, 3):
            np.testing.assert_array_equal(run(np.array(number)), eager(np.array(number)))
        assert list(run.state_dict()) == list(original.state_dict())
        again = copy.deepcopy(run)
        run.load_state_dict({"head.weight": np.zeros((5, 4), np.float32)}, strict=False)
        assert not run.state_dict()["embed.weight"].any() and again.state_dict()["embed.weight"].any()


FED_BACK = {
    "x[:] = x * 2; self.b = x; return x": True,
    "y = x * 2; self.b[...] = y; return self.b": True,
    "self.b += x; return self.b": True,
    "self.b[1:] += x[:-1]; self.b *= 0.5; return self.b": True,
    "self.b[...] = x + 1; self.c[...] = x * 2; return self.b": False,
    "self.b *= 2; self.b += x; return self.b": False,
    "self.b[0] = 7; self.c[...] = x; return self.b": False,
    "x += 1; self.c[...] = self.b - x; self.b = x; return x": False,
    "self.c = self.b; self.b = x; self.b += self.c; return x": True,
    "self.c, self.b = self.b, x; self.w[0] = self.b[1:] - self.c[1:]; return x": True,
}


@pytest.mark.parametrize("line", FED_BACK)
def test_state_that_is_passed_in_again(line):
    """Either the program does what it does in eager execution, or the call is refused."""
    run, eager = export(program(line), (np.ones(4),)).module(), program(line)
    mine, theirs = np.arange(4.0), np.arange(4.0)
    try:
        for _ in range(4):
            mine, theirs = run(mine), eager(theirs)
            np.testing.assert_array_equal(mine, theirs)
    except InputMismatch as mismatch:
        assert not FED_BACK[line] and "shares" in mismatch.message
    else:
        assert FED_BACK[line]


@pytest.mark.parametrize("first", [None, np.zeros(3)])
@pytest.mark.parametrize("question", ["self.last is x", "self.last is not None and np.shares_memory(self.last, x)"])
def test_an_array_of_the_state_that_is_asked_for_is_not_passed_in(first, question):
    class Program:
        def __init__(self):
            self.last = first

        def __call__(self, x):
            y = x * 2 if ask(self, x) else x * 1
            self.last = x
            return y

    ask = eval(f"lambda self, x: {question}", {"np": np})
    run, x = export(Program(), (np.ones(3),)).module(), np.ones(3)
    assert (run(x) == x).all() and (run(x.copy()) == x).all()
    kept = np.ones(3)
    run(kept)
    with pytest.raises(InputMismatch, match="last"):
        run(kept)
