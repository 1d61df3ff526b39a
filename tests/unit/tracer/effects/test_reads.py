"""What the program read of the outside and baked in is recorded by path; what it wrote it reads back, in every way there is to read."""

from __future__ import annotations

import collections
import copy
import dataclasses
import enum
import functools
import heapq
import itertools
import json
import operator
import pickle
import statistics
import sys
import types

import numpy as np
import pytest

from npexport import export

SCALE = 2.5
PAIR = (1, (2,))
LETTERS = frozenset([18])
TABLE = {"k": 3, "nested": {"deep": [7]}}
LIST = [3, 1, 2]
ORDERED = collections.OrderedDict(a=1, b=2)
COUNTS = collections.Counter("aab")
DEFAULT = collections.defaultdict(int, {"k": 1})
QUEUE = collections.deque([1, 2])
MEMBERS = {1, 2}
BYTES = bytearray(b"ab")
SINGLE = np.float64(22.0)
SPACE = types.SimpleNamespace(depth=12)
NAMED = collections.namedtuple("Named", "u")(13)
PART = functools.partial(lambda x, k: x * k, k=19)
MODULE = types.ModuleType("settings")
MODULE.RATE = 15


class Colour(enum.Enum):
    RED = 14


class Owner:
    __slots__ = ("__dict__", "slot")
    shared = 4
    listed = [1]

    def __init__(self):
        self.slot = 5
        self.size = 6
        self.items = [8]

    def tenfold(self):
        return self.size * 10

    @property
    def total(self):
        return self.size + Owner.shared


@dataclasses.dataclass
class Record:
    size: int = 11


OWNER = Owner()
RECORD = Record()


def marked(value):
    return value


marked.mark = 24


def make_scaled():
    factor, table = 25, {"e": 26}

    def scaled(x, power=27, *, shift=28, extra=[29]):  # noqa: B006
        return x * factor * table["e"] * power + shift + extra[0]

    return scaled


SCALED = make_scaled()
READS = {
    "global tests.unit.tracer.effects.test_reads.SCALE": lambda x: x * SCALE,
    "global tests.unit.tracer.effects.test_reads.PAIR": lambda x: x * PAIR[1][0],
    "global tests.unit.tracer.effects.test_reads.LETTERS": lambda x: x * sum(LETTERS),
    "global tests.unit.tracer.effects.test_reads.SINGLE": lambda x: x * SINGLE,
    "global tests.unit.tracer.effects.test_reads.NAMED": lambda x: x * NAMED.u,
    "global tests.unit.tracer.effects.test_reads.TABLE['k']": lambda x: x * TABLE["k"],
    "global tests.unit.tracer.effects.test_reads.TABLE['nested']['deep'][0]": lambda x: x * TABLE["nested"]["deep"][0],
    "global tests.unit.tracer.effects.test_reads.LIST[1]": lambda x: x * LIST[1],
    "global tests.unit.tracer.effects.test_reads.ORDERED['a']": lambda x: x * ORDERED["a"],
    "global tests.unit.tracer.effects.test_reads.DEFAULT['k']": lambda x: x * DEFAULT["k"],
    "global tests.unit.tracer.effects.test_reads.QUEUE[0]": lambda x: x * QUEUE[0],
    "global tests.unit.tracer.effects.test_reads.MEMBERS{2}": lambda x: x * sum(MEMBERS),
    "global tests.unit.tracer.effects.test_reads.SPACE.depth": lambda x: x * SPACE.depth,
    "global tests.unit.tracer.effects.test_reads.OWNER.slot": lambda x: x * OWNER.slot,
    "global tests.unit.tracer.effects.test_reads.OWNER.size": lambda x: x * OWNER.tenfold(),
    "global tests.unit.tracer.effects.test_reads.OWNER.items[0]": lambda x: x * OWNER.items[0],
    "global tests.unit.tracer.effects.test_reads.RECORD.size": lambda x: x * RECORD.size,
    "global tests.unit.tracer.effects.test_reads.PART.keywords['k']": lambda x: PART(x),
    "Owner.shared": lambda x: x * OWNER.shared,
    "Colour.RED": lambda x: x * Colour.RED.value,
    "settings.RATE": lambda x: x * MODULE.RATE,
    "marked.mark": lambda x: x * marked.mark,
    "closure make_scaled.<locals>.scaled.factor": lambda x: SCALED(x),
    "closure make_scaled.<locals>.scaled.table['e']": lambda x: SCALED(x),
    "default make_scaled.<locals>.scaled.power": lambda x: SCALED(x),
    "default make_scaled.<locals>.scaled.shift": lambda x: SCALED(x),
    "default make_scaled.<locals>.scaled.extra[0]": lambda x: SCALED(x),
}


@pytest.mark.parametrize(("path", "program"), READS.items(), ids=READS)
def test_reads_are_recorded_by_path(path, program):
    exported = export(program, (np.ones(3),))
    reads = [read.path for read in exported.report.reads]
    assert reads.count(path) == 1 and path in str(exported.report)
    np.testing.assert_array_equal(exported.module()(np.arange(3.0)), program(np.arange(3.0)))


def of_list(x):
    LIST.append(9)
    found = [
        len(LIST), 9 in LIST, sum(LIST), sorted(LIST), max(LIST), list(LIST), LIST[:], LIST[-1], tuple(LIST), json.dumps(LIST), [*LIST],
        ",".join(map(str, LIST)), copy.copy(LIST), copy.deepcopy(LIST), pickle.loads(pickle.dumps(LIST)), list(reversed(LIST)),
        LIST == [3, 1, 2, 9], LIST.index(9), list(zip(LIST, LIST, strict=True)), functools.reduce(operator.add, LIST), f"{LIST}",
        repr(LIST), heapq.nlargest(1, LIST), statistics.mean(LIST), np.array(LIST).sum(), list(itertools.chain(LIST)),
        dict(enumerate(LIST)),
    ]  # fmt: skip
    alias = LIST
    LIST.pop()
    return x * found[0], [str(value) for value in found], len(alias)


def of_dict(x):
    TABLE["z"] = 5
    found = [
        len(TABLE), "z" in TABLE, list(TABLE), TABLE.get("z"), json.dumps(TABLE), copy.copy(TABLE), {**TABLE}, TABLE | {"q": 1},
        str(TABLE), sorted(TABLE), sorted(TABLE.keys() & {"z"}), [key for key in TABLE], pickle.loads(pickle.dumps(TABLE)), "%(z)d" % TABLE,
        dict(TABLE), "{z}".format(**TABLE), types.MappingProxyType(TABLE)["z"], collections.ChainMap(TABLE)["z"], list(reversed(TABLE)),
    ]  # fmt: skip
    del TABLE["z"]
    return x * found[0], [str(value) for value in found]


def of_others(x):
    MEMBERS.add(7)
    QUEUE.appendleft(0)
    DEFAULT["new"] += 3
    BYTES[0] = 65
    COUNTS["a"] += 5
    ORDERED.move_to_end("a")
    found = [
        sorted(MEMBERS), sum(MEMBERS), list(QUEUE), QUEUE[0], dict(DEFAULT), bytes(BYTES), BYTES.hex(), sum(BYTES),
        memoryview(BYTES).tobytes(), COUNTS.most_common(1), list(ORDERED),
    ]  # fmt: skip
    MEMBERS.remove(7)
    QUEUE.popleft()
    del DEFAULT["new"]
    BYTES[0] = 97
    COUNTS["a"] -= 5
    ORDERED.move_to_end("b")
    return x, [str(value) for value in found]


def of_names(x):
    global SCALE
    old, SCALE = SCALE, 5
    module = sys.modules[__name__]
    found = [read_scale(), globals()["SCALE"], eval("SCALE"), vars(module)["SCALE"], module.SCALE, getattr(module, "SCALE")]  # noqa: B009
    SCALE = old
    return x, found


def read_scale():
    return SCALE


def of_attributes(x):
    OWNER.size, Owner.shared = 5, 7
    OWNER.items.append(3)
    Owner.listed.append(2)
    found = [
        OWNER.tenfold(), OWNER.total, OWNER.shared, Owner.shared, vars(OWNER)["size"], OWNER.__dict__["size"], len(OWNER.items),
        OWNER.listed, copy.copy(OWNER).size, copy.deepcopy(OWNER).items, operator.attrgetter("size")(OWNER), getattr(OWNER, "size"),  # noqa: B009
    ]  # fmt: skip
    OWNER.size, Owner.shared = 6, 4
    OWNER.items.pop()
    Owner.listed.pop()
    return x * found[0], [str(value) for value in found]


def of_new_class_attributes(x):
    Owner.added = 3
    found = [Owner.added, OWNER.added, "added" in dir(Owner), "added" in dir(OWNER), "added" in vars(Owner), Owner.__dict__["added"]]
    del Owner.added
    return x, found, hasattr(Owner, "added"), "added" in dir(Owner), "added" in vars(Owner)


def of_methods(x):
    old, Owner.tenfold = Owner.tenfold, lambda self: self.size * 100
    found = [OWNER.tenfold(), Owner.tenfold(OWNER), list(map(Owner.tenfold, [OWNER]))]
    Owner.tenfold = old
    return x, found


def counter():
    count, seen = 0, []

    def add():
        nonlocal count
        count += 1
        seen.append(count)
        return count, list(seen), sum(seen)

    def undo():
        nonlocal count
        count = 0
        seen.clear()

    return add, undo


ADD, UNDO = counter()


def of_cells(x):
    found = [ADD(), ADD()]
    UNDO()
    return x, found


WRITTEN = (of_list, of_dict, of_others, of_names, of_attributes, of_new_class_attributes, of_methods, of_cells)


@pytest.mark.parametrize("program", WRITTEN, ids=lambda program: program.__name__)
def test_reads_see_writes(program):
    exported = export(program, (np.ones(3),))
    np.testing.assert_equal(exported.module()(np.arange(3.0)), program(np.arange(3.0)))
