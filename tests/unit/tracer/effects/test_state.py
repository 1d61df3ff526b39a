"""What a program keeps from call to call: arrays reached from the exported object, whatever holds them and however they are written."""

from __future__ import annotations

import collections
import dataclasses
import functools
import itertools
import re
import types

import numpy as np
import pytest

from npexport import export, nn
from npexport.symshapes.errors import ExportError
from tests.support.forms import reloaded
from tests.support.functions import function_of
from tests.support.paths import DOCS
from tests.support.shards import shard

Pair = collections.namedtuple("Pair", "h c")


@dataclasses.dataclass(frozen=True)
class Frozen:
    h: np.ndarray
    c: np.ndarray


@dataclasses.dataclass
class Slotted:
    __slots__ = ("h", "k")
    h: np.ndarray
    k: int


class Holder:
    """State of every kind."""

    def __init__(self) -> None:
        zeros, ones = np.zeros(4), np.ones(4)
        self.a, self.b = zeros.copy(), ones.copy()
        self.list = [zeros.copy(), ones.copy()]
        self.tuple = (zeros.copy(), ones.copy())
        self.pair = Pair(zeros.copy(), ones.copy())
        self.dict = {"a": zeros.copy(), ("b", 1): ones.copy()}
        self.frozen = Frozen(zeros.copy(), ones.copy())
        self.slotted = Slotted(zeros.copy(), 2)
        self.space = types.SimpleNamespace(w=zeros.copy())
        self.layers = [(zeros.copy(), ones.copy()), (ones.copy(), zeros.copy())]
        self.names = [ones.copy()]
        self.same = self.names
        self.tied = self.also = zeros.copy()
        self.seen = self.tied.view()
        self.held = [zeros.copy()]
        self.holding = (self.held,)
        self.n, self.log, self.none = 0, [], None
        self.moments = {id(p): {"m": zeros.copy()} for p in (self.a, self.b)}

    @functools.cached_property
    def table(self):
        return np.sqrt(np.arange(4.0)), self.b.size

    @functools.cached_property
    def peak(self):
        return self.b.max()

    @functools.cached_property
    def scratch(self):
        return np.zeros(4)


KEPT = """
self.list = [a + x for a in self.list]
self.list = [self.list[1], self.list[0] + x]
self.list[:] = [a + x for a in self.list]
self.list = list(self.list); self.list[0] += x
self.list.pop(0); self.list.append(x * 2)
old = self.list; self.list = [old[0] + x, old[1]]; old[0][:] = 7; old.append(3)
self.tuple = (self.tuple[0] * 0.5 + x, self.tuple[1])
self.tuple[0][:] += x; self.tuple = (self.tuple[0] * 1, self.tuple[1] + 1)
h = np.stack([self.tuple[0] + x, self.tuple[1]]); self.tuple = (h[0], h[1])
h = np.stack([self.tied + x, self.also]); self.tied = h[0]; self.also = h[1]
self.tuple[1][:] *= 0.5; self.tuple = tuple(np.split(np.concatenate([self.tuple[0] + x, self.tuple[1]]), 2))
self.pair = self.pair._replace(h=self.pair.h + x)
self.pair = Pair(self.pair.c, self.pair.h + x)
self.dict = {k: v + x for k, v in self.dict.items()}
self.dict = {**self.dict, "a": self.dict["a"] + x}
self.dict.update(a=self.dict["a"] + x)
self.frozen = dataclasses.replace(self.frozen, h=self.frozen.h + x)
self.frozen = Frozen(self.frozen.c, self.frozen.h + x)
self.slotted = Slotted(self.slotted.h + x, 2)
self.space = types.SimpleNamespace(w=self.space.w + x)
self.layers = [(h + c, c * 0.5 + x) for h, c in self.layers]
self.layers[1] = (self.layers[1][0] + x, self.layers[0][1])
self.names[0] = self.names[0] + x
self.tied += x
self.tied += x; self.seen[0] = self.also[1]
self.tied = self.tied + x
self.a, self.b = self.b, self.a + x
self.n = 5; self.a += x * self.n; self.n = 0
self.log.append(x); self.a += self.log.pop()
self.log.append(1)
self.log.append(x)
self.list = self.list[:1]
self.log.append(x.sum()); self.a += len(self.log)
self.fresh = x * 2; self.a += self.fresh; del self.fresh
self.a += self.table[0] * self.table[1]
h = np.concatenate([x, x]); self.tuple = (h[:4], h[2:6])
h = x * 2; self.tuple = (h, h)
self.n += 1
self.none = x
self.fresh = x
self.fresh = 0.0; self.fresh += self.a[self.b.argmax()]
for i in range(2): self.fresh = self.a * i; self.b = np.linalg.inv(np.diag(1 + self.fresh**2)) @ x; self.a = self.fresh + x
self.scratch += 1
self.list = [self.list[0], x.astype(np.float32)]
self.tuple = (self.tuple[0], x[:2])
self.slotted = Slotted(self.slotted.h, 3)
self.held = [self.held[0] + x]
self.a = self.a * self.peak + x
[self.moments[id(p)].update(m=self.moments[id(p)]["m"] * 0.5 + x) for p in (self.a, self.b)]; self.a -= self.moments[id(self.a)]["m"]
self.list = self.list + [x]
self.names = self.same = [self.names[0] + x]
self.list = self.layers[0] = [x * 1, x * 2]
""".strip().splitlines()

REFUSED = {
    "self.names = [self.names[0] + x]": ("E112", "self."),
    "del self.log": ("E112", "self.log"),
    "self.list = tuple(self.list)": ("E112", "self.list"),
    "self.tuple[0][...] *= 2; h = x * 2; self.tuple = (h, h)": ("E112", "self.tuple[1]"),
    "self.tuple[1][0] = 7; h = np.concatenate([x, x]); self.tuple = (h[:4], h[2:6])": ("E112", "self.tuple[1]"),
    "self.dict = dict(reversed(self.dict.items()))": ("E112", "self.dict"),
    "self.tied = self.tied + x; self.seen[0] = 1": ("E112", "self."),
    "self.a = self.layers[0][0]; self.list = self.layers[0] = [x * 1, x * 2]": ("E112", "self."),
}


def program(line: str) -> Holder:
    names = "a b list tuple pair dict frozen.h slotted.h space.w layers names same tied also seen".split()
    source = f"def __call__(self, x):\n    {line}\n    return total([{', '.join(f'self.{name}' for name in names)}])\n"
    __call__ = function_of(compile(source, f"<{line}>", "exec"), {**globals()})
    return type("Program", (Holder,), {"__call__": __call__})()


def total(value):
    """What all arrays in a structure are at this moment, as one array."""
    if isinstance(value, np.ndarray):
        return np.ravel(value * 1)
    items = list(value.values()) if isinstance(value, dict) else value
    return np.concatenate([np.atleast_1d(total(item)) for item in items])


def image(value, seen=None):
    """Everything that an object holds, with the identities of arrays and containers."""
    if isinstance(value, np.ndarray):
        return id(value), value.tobytes()
    if isinstance(value, dict):
        return id(value), [(key, image(item)) for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return id(value), [image(item) for item in value]
    if hasattr(value, "__dict__"):
        return id(value), image(vars(value))[1]
    return value if not hasattr(value, "__slots__") else [image(getattr(value, name)) for name in value.__slots__]


@pytest.mark.parametrize("line", shard(KEPT, 2))
def test_state_is_kept(line):
    holder = program(line)
    before = image(holder)
    ep = export(holder, (np.ones(4),))
    assert image(holder) == before
    for run in (ep.module(), reloaded(ep).module()):
        eager = program(line)
        for seed in range(4):
            x = np.random.default_rng(seed).normal(size=4)
            np.testing.assert_array_equal(run(x.copy()), eager(x.copy()), strict=True)
    assert image(holder) == before


@pytest.mark.parametrize("line", shard(REFUSED, 2))
def test_what_no_program_keeps(line):
    code, path = REFUSED[line]
    holder = program(line)
    before = image(holder)
    with pytest.raises(ExportError) as refused:
        export(holder, (np.ones(4),))
    assert refused.value.code == code and path in refused.value.message and refused.value.hint
    assert image(holder) == before


class Lazy(nn.Module):
    """What is filled in the first call; a number that becomes a scalar."""

    def __init__(self):
        super().__init__()
        self.table, self.steps, self.cache = None, np.zeros(()), {}

    def forward(self, x, what):
        if what == "none" and self.table is None:
            self.table = np.arange(4.0)
        if what == "key" and 4 not in self.cache:
            self.cache[4] = np.arange(4.0)
        if what == "attribute" and not hasattr(self, "made"):
            self.made = np.arange(4.0)
        if what == "scalar":
            self.steps = self.steps + 1
        return x * (self.table if what == "none" else 2)


@pytest.mark.parametrize("what", ["none", "key", "attribute"])
def test_what_is_made_once_of_constants_is_no_effect(what):
    module = export(Lazy(), (np.ones(4), what)).module()
    eager = Lazy()
    for seed in range(3):
        x = np.random.default_rng(seed).normal(size=4)
        np.testing.assert_array_equal(module(x, what), eager(x, what), strict=True)


def test_an_array_that_becomes_a_scalar_is_state():
    run, eager = export(Lazy(), (np.ones(4), "scalar")).module(), Lazy()
    for _ in range(3):
        run(np.ones(4), "scalar"), eager(np.ones(4), "scalar")
        assert dict(run.named_buffers())["steps"] == eager.steps


def test_what_concerns_the_whole_call_is_said_of_forward():
    class Tying(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = np.zeros(4), np.zeros(4)

        def forward(self, x):
            self.a += x
            self.b = self.a

    with pytest.raises(ExportError) as refused:
        export(Tying(), (np.ones(4),))
    assert refused.value.code == "E112" and refused.value.location.function.endswith("forward")


SHARED = [np.zeros(4)]


def test_a_container_with_a_second_name_outside_keeps_that():
    class Program:
        def __init__(self, items):
            self.items = items

        def __call__(self, x):
            self.items = [self.items[0] + x]
            return self.items[0] + SHARED[0]

    run, eager = export(Program(SHARED), (np.ones(4),)).module(), Program(SHARED)
    for seed in range(3):
        x = np.random.default_rng(seed).normal(size=4)
        np.testing.assert_array_equal(run(x), eager(x), strict=True)


def test_the_example_of_the_documentation():
    text = (DOCS / "state.md").read_text()
    (source,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    scope = {}
    exec(source, scope)
    np.testing.assert_array_equal(scope["run"].state_dict().get("mean", dict(scope["run"].named_buffers())["mean"]), [2.0] * 3)
    assert scope["tracker"].calls == 0


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(np.eye(4))
        self.register_buffer("kept", np.zeros(4))
        self.register_buffer("passing", np.zeros(4), persistent=False)
        self.table = np.arange(4.0)
        self.memory = np.zeros(4)

    def forward(self, x):
        self.kept += x
        self.passing = self.passing + self.kept
        self.memory[...] = self.memory * 0.5 + x
        return x @ self.weight + self.kept + self.passing + self.table + self.memory


def test_names_and_kinds():
    ep = export(Cell(), (np.ones(4),))
    assert [name for name, _ in ep.named_parameters()] == ["weight"]
    assert {name for name, _ in ep.named_buffers()} == {"kept", "passing", "memory"}
    assert set(ep.state_dict) == {"weight", "kept"}
    assert set(ep.constants) == {"passing", "table", "memory"}
    persistent = {spec.target: spec.persistent for spec in ep.graph_signature.input_specs if spec.target}
    assert persistent == {"weight": None, "kept": True, "passing": False, "table": None, "memory": False}
    assert set(ep.graph_signature.buffers_to_mutate.values()) == {"kept", "passing", "memory"}


def test_another_state_dict():
    ep = export(Cell(), (np.ones(4),))
    first, second = ep.module(), ep.module()
    other = Cell()
    other.weight = np.full((4, 4), 0.5)
    other.kept += 3
    first.load_state_dict(other.state_dict())
    x = np.arange(4.0)
    expected, untouched = other(x), Cell()(x)
    np.testing.assert_array_equal(first(x), expected)
    np.testing.assert_array_equal(second(x), untouched)
    for change in ({"weight": np.eye(3)}, {"weight": np.eye(4, dtype=np.float32)}, {"more": np.eye(4)}):
        with pytest.raises(ExportError) as refused:
            first.load_state_dict({**other.state_dict(), **change})
        assert refused.value.code == "E241"
    with pytest.raises(ExportError):
        first.load_state_dict({"weight": np.eye(4)})
    first.load_state_dict({"weight": np.eye(4)}, strict=False)
    assert set(first.state_dict()) == {"weight", "kept"}


class Decoder:
    """Attention over what it has seen so far; its position is state too."""

    def __init__(self, grouped):
        rng = np.random.default_rng(0)
        self.embed = rng.normal(size=(11, 8))
        self.layers = [
            {"w": rng.normal(size=(3, 8, 8)) * 0.3, "past": (np.zeros((1, 2, 40, 4)), np.zeros((1, 2, 40, 4)))} for _ in range(2)
        ]
        self.angles = np.outer(np.arange(40), [1.0, 0.1])
        self.position = np.zeros((), np.int64)
        self.grouped = grouped

    def attend(self, x, layer):
        start, stop = self.position, self.position + x.shape[1]
        q, k, v = [(x @ w).reshape(1, -1, 2, 4).swapaxes(1, 2) for w in layer["w"]]
        keys, values = layer["past"]
        keys[:, :, start:stop] = k * np.repeat(np.cos(self.angles[start:stop]), 2, axis=-1)
        if self.grouped:  # a new tuple of new arrays, as functional code has it
            values = np.where((np.arange(40) == start)[:, None], v, values)
            layer["past"] = (keys.copy(), values)
        else:
            values[:, :, start:stop] = v
        scores = np.where(np.arange(40) < stop, q @ keys.swapaxes(-1, -2), -np.inf)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        return (weights / weights.sum(-1, keepdims=True) @ values).swapaxes(1, 2).reshape(x.shape)

    def __call__(self, token):
        x = self.embed[token]
        for layer in self.layers:
            x = x + self.attend(x, layer)
        self.position += 1
        return x[:, -1] @ self.embed.T


@pytest.mark.parametrize("grouped", [False, True])
def test_a_decoder_keeps_its_cache(grouped):
    decoder = Decoder(grouped)
    run = export(decoder, (np.array([[0]]),)).module()
    token = np.array([[3]])
    for _ in range(32):
        logits = run(token)
        np.testing.assert_allclose(logits, decoder(token), rtol=1e-12)
        token = logits.argmax(-1)[:, None]
    np.testing.assert_allclose(dict(run.named_buffers())["layers.1.past.0"], decoder.layers[1]["past"][0], rtol=1e-12)


class Anew:
    """State and results that are equal, and arrays of their own in eager execution."""

    def __init__(self):
        self.a, self.b = np.ones(3), np.ones(3)

    def __call__(self, x):
        seen = self.a + self.b
        self.a = x * 2
        self.b = x * 2
        return seen, x * 2, x * 2


def test_equal_values_are_arrays_of_their_own():
    program = export(Anew(), (np.ones(3),))
    assert sorted(program.graph_signature.buffers_to_mutate.values()) == ["a", "b"]
    run, eager = program.module(), Anew()
    for _ in range(2):
        results = run(np.ones(3))
        state = dict(run.named_buffers())
        arrays = [*results, state["a"], state["b"]]
        assert not any(np.shares_memory(one, other) for one, other in itertools.combinations(arrays, 2))
        for mine, theirs in zip(results, eager(np.ones(3)), strict=True):
            np.testing.assert_array_equal(mine, theirs)
        for array in results:
            array[...] = 7
