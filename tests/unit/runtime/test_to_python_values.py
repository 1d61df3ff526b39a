"""Modules of plain NumPy: containers as results, random generators, loops over numbers, state
where a call raises.
"""

import collections
import dataclasses
import enum
import types

import numpy as np
import pytest

from npexport import UserError, export, register_dataclass
from npexport.ir.parsing import parse_graph
from npexport.ir.printing import graph_code
from npexport.runtime.machine import scalar_loops
from tests.support.plain_modules import equal, module_of, outcome

X = np.linspace(-1, 1, 12).reshape(3, 4)


@register_dataclass
@dataclasses.dataclass
class Box:
    first: object
    second: object = None


Pair = collections.namedtuple("Pair", "p q")


def containers(x):
    """Every kind of container that a program returns."""
    kept = [x * 3]
    return (
        collections.deque([x + 1, kept], 3),
        collections.defaultdict(list, {"a": x, 3: kept}),
        collections.OrderedDict([("o", x - 1)]),
        collections.Counter(a=2),
        collections.ChainMap({"a": kept}, {}),
        collections.UserDict({"u": x * 2}),
        collections.UserList([x, 1]),
        types.SimpleNamespace(n=x, m=kept),
        Pair(x, kept),
        Box(x, Box(1)),
        (set(), {3, "a"}),
        complex(x[0, 0], 1.5),
    )


def test_containers_are_the_programs(tmp_path):
    program = export(containers, (X,))
    module = module_of(program, tmp_path / "plain.py")
    found, expected = module.forward(X), program.module()(X)
    assert [type(part).__name__ for part in found] == [type(part).__name__ for part in expected]
    for mine, theirs in zip(found, expected, strict=True):
        if isinstance(theirs, Box):  # a class of the same fields, so that nothing of the user's is imported
            mine, theirs = (mine.first, mine.second.first, mine.second.second), (theirs.first, theirs.second.first, theirs.second.second)
        elif isinstance(theirs, (collections.UserDict, collections.UserList, collections.ChainMap, types.SimpleNamespace)):
            mine, theirs = vars(mine), vars(theirs)
        elif isinstance(theirs, collections.deque):
            assert mine.maxlen == theirs.maxlen
            mine, theirs = list(mine), list(theirs)
        elif isinstance(theirs, collections.defaultdict):
            assert mine.default_factory is theirs.default_factory
        equal(mine, theirs)
    assert found[0][1] is found[1][3] is found[8].q, "one list"


class Drawing:
    """Holds a generator, is given one, makes one, and draws on one side of a branch."""

    def __init__(self):
        self.rng = np.random.default_rng(3)

    def __call__(self, x, rng):
        made = np.random.Generator(np.random.Philox(7))
        x = x + self.rng.normal(size=x.shape) + made.integers(10, size=4)
        if x.sum() > 0:
            x = x + rng.standard_normal(4, dtype=np.float32)
        rng.shuffle(x)
        return x, rng.choice(x[0]), rng.spawn(1)[0].random(2)


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.MT19937, np.random.SFC64])
def test_generators_draw_what_the_program_draws(kind, tmp_path):
    program = export(Drawing(), (X, np.random.Generator(kind(1))))
    forward, run, eager = module_of(program, tmp_path / "plain.py").forward, program.module(), Drawing()
    for seed in range(3):
        ours, theirs, own = (np.random.Generator(kind([seed, 5])) for _ in range(3))
        x = np.random.default_rng(seed).normal(size=(3, 4))
        found = forward(x, ours)
        equal(found, run(x, theirs))
        equal(found, eager(x, own))
        for other in (theirs, own):
            assert repr(ours.bit_generator.state) == repr(other.bit_generator.state)
            assert ours.bit_generator.seed_seq.n_children_spawned == other.bit_generator.seed_seq.n_children_spawned
    with pytest.raises(ValueError, match="rng must be a numpy.random.Generator over"):
        forward(X, np.random.Generator(np.random.PCG64DXSM(1)))


def collatz(n, x):
    """A loop over numbers, which runs in machine code where numba is installed."""
    n, iterations = int(n), 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        iterations += 1
    return iterations, x


def test_loops_over_numbers_are_pythons(monkeypatch, tmp_path):
    monkeypatch.setattr(scalar_loops, "is_there", lambda: True)
    program = export(collatz, (np.int64(27), X))
    assert module_of(program, tmp_path / "plain.py").forward(np.int64(27), X)[0] == collatz(27, X)[0]


class Unset:
    """State that is read by nothing but what is written where a call raises."""

    def __init__(self):
        self.total = 0.0
        self.ring = np.zeros(3)

    def __call__(self, x, place):
        self.total += x.sum()
        self.ring[int(place)] += 0.5
        return x + 1


def test_state_that_only_checkpoints_hold_is_written(tmp_path):
    module, eager = module_of(export(Unset(), (X, np.float64(1))), tmp_path / "plain.py"), Unset()
    for place in (1.0, 7.0, 0.0, -9.0):
        equal(outcome(lambda place: module.forward(X, np.float64(place)), place), outcome(lambda place: eager(X, place), place))
        assert module.STATE["total"] == eager.total and module.STATE["ring"].tolist() == eager.ring.tolist()


def test_defaults_that_have_no_text_are_left_out(tmp_path):
    mark = object()

    def scaled(x, b=X, *, f=np.sin, key=mark):
        return f(x) * b if key is mark else x

    module = module_of(export(scaled, (X,)), tmp_path / "plain.py")
    np.testing.assert_array_equal(module.forward(X), scaled(X))
    for other in ({"b": X}, {"key": 1}, {"f": np.cos}):
        with pytest.raises(ValueError, match="was exported for other inputs"):
            module.forward(X, **other)


TEXTS = np.array([["a", "", "ends with\0"], ["a text that is longer than others", "é\n'", "\U0001f600"]], np.dtypes.StringDType())


def test_texts_of_any_length_are_kept(tmp_path):
    whole, none = TEXTS.copy(), TEXTS[:, :0].copy()
    program = export(lambda x: (np.strings.add(whole, "!"), none == none, x + 1, np.zeros(2, TEXTS.dtype)), (X,))
    text = graph_code(parse_graph(graph_code(program.graph)))
    assert graph_code(parse_graph(text)) == text
    found = module_of(program, tmp_path / "plain.py").forward(X)
    assert found[0].dtype == TEXTS.dtype
    assert found[0].tolist() == np.strings.add(TEXTS, "!").tolist()
    assert found[1].shape == none.shape
    assert found[3].tolist() == ["", ""]


class Level(enum.IntEnum):
    LOW = 1


class Access(enum.IntFlag):
    READ = 1
    WRITE = 2


class Name(enum.StrEnum):
    FIRST = "first"


@pytest.mark.parametrize("member", [Level.LOW, Access.READ | Access.WRITE, Name.FIRST])
def test_members_of_enumerations_that_are_numbers_or_texts_have_no_plain_form(member):
    with pytest.raises(UserError, match=type(member).__name__) as caught:
        export(lambda x: (member, x), (np.ones(2),)).to_python()
    assert caught.value.code == "E244" and caught.value.hint == "Return its value: member.value."


class Permuted:
    def __init__(self):
        self.state = np.zeros((5, 3, 4)).transpose(1, 2, 0)

    def __call__(self, x):
        self.state += x
        return self.state.copy("K"), np.add(PERMUTED, x).sum(), PERMUTED, EVERY_OTHER, SPREAD + x, BACKWARDS * 1


PERMUTED = np.random.default_rng(1).standard_normal((5, 3, 4)).transpose(1, 2, 0)
EVERY_OTHER, BACKWARDS, SPREAD = np.arange(20.0)[::2], np.arange(6.0)[::-1], np.broadcast_to(np.arange(3.0), (4, 3))


def test_arrays_lie_in_memory_as_they_did(tmp_path):
    plain, eager = module_of(export(Permuted(), (np.float64(2),)), tmp_path / "plain.py").forward, Permuted()
    for x in (np.float64(2), np.float64(0.1)):
        for found, wanted in zip(plain(x), eager(x), strict=True):
            assert found.tobytes() == wanted.tobytes() and found.strides == wanted.strides
