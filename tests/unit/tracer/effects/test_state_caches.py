"""What is written once and found by all later calls is no effect; what every call writes again is one."""

from __future__ import annotations

import collections
import copy
import functools

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.outcomes import outcome

SOURCE = """
import functools, collections, numpy as np
TABLE, LOG, NOTHING, DEFAULTS, FLAGS = {}, [], None, collections.defaultdict(list), set()

@functools.singledispatch
def dispatch(x):
    return x

@dispatch.register
def _(x: np.ndarray):
    return x * 2

vector = np.vectorize(lambda a: a * 2, otypes=[float])

class Meta(type):
    made = {}
    def __call__(cls, *args):
        if cls not in cls.made:
            cls.made[cls] = super().__call__(*args)
        return cls.made[cls]

class Single(metaclass=Meta):
    def __init__(self):
        self.w = np.arange(3.0)

class Windows:
    table = None
    @classmethod
    def of(cls):
        if cls.table is None:
            cls.table = np.hanning(5)[1:4]
        return cls.table

class Holder:
    @functools.cached_property
    def window(self):
        return np.hanning(5)[1:4]

HOLDER = Holder()

def memo(n):
    if n not in TABLE:
        TABLE[n] = n if n < 2 else memo(n - 1) + memo(n - 2)
    return TABLE[n]

def by_shape(x):
    if x.shape not in TABLE:
        TABLE[x.shape] = np.arange(x.size).reshape(x.shape) * 1.0
    return TABLE[x.shape]

def lazily():
    global NOTHING
    if NOTHING is None:
        NOTHING = np.hanning(5)[1:4]
    return NOTHING

def attributed(x):
    if not hasattr(attributed, "w"):
        attributed.w = np.hanning(5)[1:4]
    return x * attributed.w

def default(x, known={}):
    if "w" not in known:
        known["w"] = np.hanning(5)[1:4]
    return x * known["w"]

def closing():
    held = None
    def program(x):
        nonlocal held
        if held is None:
            held = np.hanning(5)[1:4]
        return x * held
    return program

closed = closing()
"""

BENIGN = (
    "dispatch(x)",
    "vector(x)",
    "x * Single().w",
    "x * Windows.of()",
    "x * HOLDER.window",
    "x * memo(7)",
    "x + by_shape(x)",
    "x * lazily()",
    "attributed(x)",
    "default(x)",
    "closed(x)",
    "x + len(DEFAULTS['a'])",
    "x * TABLE.setdefault('k', 3)",
)

EFFECTS = (
    "TABLE['n'] = 3",
    "TABLE['f'] = Single",
    "TABLE['none'] = None",
    "TABLE.update(f=memo)",
    "TABLE['x'] = x",
    "TABLE.setdefault('x', x.sum())",
    "LOG.append(3)",
    "FLAGS.add(3)",
    "DEFAULTS['log'].append(1)",
    "global NOTHING; NOTHING = 5",
    "Windows.table = 5",
    "HOLDER.extra = 5",
    "vars(HOLDER)['extra'] = 5",
    "attributed.calls = 5",
    "setattr(HOLDER, 'extra', 5)",
    "HOLDER.__dict__.update(extra=5)",
    "object.__setattr__(HOLDER, 'extra', 5)",
    "dict.__setitem__(TABLE, 'k', 5)",
    "dict.update(TABLE, k=5)",
)


def world():
    space = {"__name__": "caches"}
    exec(compile(SOURCE, "<caches>", "exec"), space)
    return space


def state(space):
    names = ("TABLE", "LOG", "NOTHING", "DEFAULTS", "FLAGS")
    held = [copy.copy(space[name]) for name in names]
    return [*held, dict(vars(space["HOLDER"])), space["Windows"].table, dict(space["Meta"].made), dict(vars(space["attributed"]))]


def program(space, body):
    exec(compile(f"def program(x):\n    {body}\n", f"<{body}>", "exec"), space)
    return space["program"]


@pytest.mark.parametrize("expression", BENIGN)
def test_filling_a_cache_is_no_effect(expression):
    space = world()
    before = state(space)
    run = export(program(space, f"return {expression}"), (np.ones(3),)).module()
    assert state(space) == before, "export filled the cache"
    eager = program(world(), f"return {expression}")
    for x in (np.arange(3.0), np.ones(3), np.full(3, np.nan)):
        np.testing.assert_array_equal(run(x), eager(x), strict=True)


@pytest.mark.parametrize("statement", EFFECTS)
def test_what_every_call_writes_is_an_effect(statement):
    space = world()
    before = state(space)
    with pytest.raises(Unsupported) as refused:
        export(program(space, f"{statement}; return x"), (np.ones(3),))
    assert refused.value.code == "E112" and refused.value.hint
    assert state(space) == before


def test_a_cache_that_holds_what_depends_on_the_input_is_an_effect():
    cache = {}

    def program(x):
        if "first" not in cache:
            cache["first"] = x
        return x - cache["first"]

    with pytest.raises(Unsupported, match="E112"):
        export(program, (np.ones(3),))
    assert not cache


def test_containers_that_are_passed_in_are_no_caches():
    def program(x, known):
        if "w" not in known:
            known["w"] = np.hanning(5)[1:4]
        return x * known["w"]

    with pytest.raises(Unsupported, match="E112"):
        export(program, (np.ones(3), {}))


def test_the_exported_object_may_be_reached_by_other_names():
    class Single:
        def __call__(self, x):
            KNOWN["single"].count += 1
            return x * self.count

    single = Single()
    single.count = 0
    KNOWN["single"] = single
    run = export(single, (np.ones(3),)).module()
    assert [run(np.ones(3))[0] for _ in range(3)] == [1.0, 2.0, 3.0] and single.count == 0


KNOWN = collections.OrderedDict()


def test_cached_functions_are_not_asked_twice():
    @functools.cache
    def table(n):
        return np.arange(n) * 2.0

    def program(x):
        return x + table(3) + table(3)

    assert (export(program, (np.ones(3),)).module()(np.zeros(3)) == np.arange(3) * 4).all()
    assert table.cache_info().currsize == 0


@pytest.mark.parametrize("result", ["self.table", "self.table[1:]", "{'t': self.table}"])
def test_what_a_cache_holds_and_callers_get_is_state(result):
    class Program:
        @functools.cached_property
        def table(self):
            return np.hanning(5)

        def __call__(self, x):
            return give(self)

    give = eval(f"lambda self: {result}")
    run, eager = export(Program(), (np.ones(3),)).module(), Program()
    for _ in range(3):
        have, want = run(np.ones(3)), eager(np.ones(3))
        assert repr(have) == repr(want)
        for found in (have, want):
            (found["t"] if type(found) is dict else found)[...] = 7.0  # callers write to what they get


def test_what_an_ordered_cache_holds_is_not_handed_out():
    class Program:
        def __init__(self):
            self.tables = collections.OrderedDict()

        def __call__(self, x):
            if "t" not in self.tables:
                self.tables["t"] = np.hanning(5)
            return self.tables["t"]

    with pytest.raises(Unsupported, match="Return a copy"):
        export(Program(), (np.ones(3),))


def test_what_only_the_first_calls_raise():
    class Program:
        ready = False

        def __call__(self, x):
            if not self.ready:
                int(x[0])  # raises for what is not a number
                self.ready = True
            return x * 2

    run, eager = export(Program(), (np.ones(3),)).module(), Program()
    for first in (np.nan, np.inf, 1.0, np.nan, 2.0):
        args = (np.array([first, 1.0, 2.0]),)
        assert outcome(run, args) == outcome(eager, args)


@functools.cache
def kept():
    return {"table": [1, 2], "window": np.hanning(5)[1:4]}


def lengthened(x):
    table = kept()["table"]
    table.append(3)
    return x * len(table)


def normalized(x):
    window = kept()["window"]
    window /= window.sum()
    return x * window


def own_cache(x):
    @functools.lru_cache
    def made():
        return [1]

    made().append(2)
    return x * len(made())


def only_read(x):
    return x * kept()["window"] / sum(kept()["table"])


@pytest.mark.parametrize("program", [lengthened, normalized])
def test_what_a_cache_has_returned_is_not_changed(program):
    """The next call would find it changed."""
    with pytest.raises(Unsupported, match="the program changes what `kept`, whose results are cached, has returned") as caught:
        export(program, (np.ones(3),))
    assert caught.value.code == "E112"


@pytest.mark.parametrize("program", [own_cache, only_read])
def test_what_a_cache_has_returned_is_read(program):
    run = export(program, (np.ones(3),)).module()
    for _ in range(2):
        np.testing.assert_array_equal(run(np.arange(3.0)), program(np.arange(3.0)))


class Options(collections.namedtuple("Options", "width name")):
    __slots__ = ()


@functools.cache
def options():
    return Options(3, "hann")


def by_options(x):
    """A cached function that gives an immutable object of a class of its own, on one side of a branch."""
    if x[0] > 0:
        return x * options().width
    return x - 1


def test_caches_on_sides_give_named_tuples():
    options.cache_clear()
    run = export(by_options, (np.ones(3),)).module()
    for first in (1.0, -1.0):
        x = np.full(3, first)
        np.testing.assert_array_equal(run(x), by_options(x), strict=True)
