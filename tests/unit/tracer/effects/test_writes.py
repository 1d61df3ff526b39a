"""Every kind of object that existed before the call, written to in every way: an error that names it, and nothing is changed."""

from __future__ import annotations

import array
import bisect
import collections
import dataclasses
import decimal
import enum
import functools
import heapq
import math
import operator
import sys
import threading
import types
import warnings

import numpy as np
import pytest

from npexport import explain, export
from npexport.symshapes.errors import Unsupported


class Colour(enum.Enum):
    RED = 1


class Slotted:
    __slots__ = ("__dict__", "items", "size")
    shared = [1]
    total = 1

    def __init__(self):
        self.size = 1
        self.items = [1]
        self._hidden = 1

    @property
    def hidden(self):
        return self._hidden

    @hidden.setter
    def hidden(self, value):
        self._hidden = value

    @classmethod
    def grow(cls):
        cls.total += 1


class Store:
    def __init__(self):
        self.held = [1]

    def __setitem__(self, key, value):
        self.held[key] = value

    def __iadd__(self, value):
        self.held.append(value)
        return self


class Items(list):
    pass


@dataclasses.dataclass
class Record:
    size: int = 1
    items: list = dataclasses.field(default_factory=list)


Pair = collections.namedtuple("Pair", "left right")


def counted(value, seen=[], *, table={}):  # noqa: B006
    seen.append(value)
    return len(seen)


def named(value):
    return value


def keeping(item):
    return lambda: item


LIST = [1, 2, 3]
TABLE = {"a": 1, "b": [1]}
ORDERED = collections.OrderedDict(a=1, b=2)
DEFAULT = collections.defaultdict(list, {"k": [1]})
COUNTS = collections.Counter("aab")
QUEUE = collections.deque([1, 2], maxlen=4)
CHAIN = collections.ChainMap({"a": 1}, {"b": 2})
USER_DICT = collections.UserDict(a=1)
USER_LIST = collections.UserList([1])
BYTES = bytearray(b"ab")
NUMBERS = array.array("i", [1, 2])
SPACE = types.SimpleNamespace(size=1)
SLOTTED = Slotted()
STORE = Store()
ITEMS = Items([1])
RECORD = Record()
PAIR = Pair(1, [2])
ERROR = ValueError("text")
APPEND = LIST.append
PARTIAL = functools.partial(lambda items, item: items.append(item), LIST)
VALUES = {"w": np.ones(3), "l": [1]}.values()
EVENT = threading.Event()
LOCAL = threading.local()
LOCAL.items = [1]
CELL = keeping([1])
CONTEXT = decimal.Context(prec=5)


def order_only(x):
    TABLE["a"] = TABLE.pop("a")
    return x


def augmented(x):
    items = LIST
    items *= 2
    return x


def loop_target(x):
    for LIST[0] in range(3):
        pass
    return x


def store_augmented(x):
    store = STORE
    store += 4
    return x


def view_of_array(x):
    for value in VALUES:
        value += 1
        return x


def other_class(x):
    SLOTTED.__class__ = type("Other", (Slotted,), {"__slots__": ()})
    return x


def deleted_slot(x):
    del SLOTTED.size
    return x


def written(statement):
    """The function that executes a statement."""
    space = globals()
    exec(f"def program(x):\n    {statement}\n    return x\n", space)
    return space.pop("program")


WRITES = {
    "LIST": ["LIST.sort(reverse=True)", "LIST.reverse()", "LIST.clear()", "LIST[:] = []", "del LIST[0]",
             "list(map(LIST.append, [1]))", "operator.setitem(LIST, 0, 7)", "list.append(LIST, 3)", "heapq.heappush(LIST, 0)",
             "bisect.insort(LIST, 2)", "LIST[0], LIST[1] = LIST[1], LIST[0]", augmented, loop_target],
    "APPEND": ["APPEND(5)"],
    "PARTIAL": ["PARTIAL(5)"],
    "TABLE": ["TABLE.update(a=5)", "TABLE.pop('a')", "TABLE.popitem()", "TABLE.setdefault('z', x)", "dict.__setitem__(TABLE, 'a', 4)",
              "TABLE['b'].append(1)", order_only],
    "ORDERED": ["ORDERED.move_to_end('a')"],
    "DEFAULT": ["DEFAULT['new'] = [1]", "DEFAULT['k'].append(3)"],
    "COUNTS": ["COUNTS.update('z')"],
    "QUEUE": ["QUEUE.rotate(1)", "QUEUE.extendleft([1])"],
    "CHAIN": ["CHAIN['a'] = 5"],
    "USER_DICT": ["USER_DICT['a'] = 5"],
    "USER_LIST": ["USER_LIST.append(5)"],
    "BYTES": ["BYTES.extend(b'z')", "memoryview(BYTES)[0] = 5"],
    "NUMBERS": ["NUMBERS[0] = 7", "NUMBERS.append(7)"],
    "SPACE": ["SPACE.size = 2"],
    "SLOTTED": ["SLOTTED.size = 2", "SLOTTED.items.append(1)", "SLOTTED.fresh = 1", "SLOTTED.hidden = 5", "vars(SLOTTED)['z'] = 1",
                "object.__setattr__(SLOTTED, 'size', 7)", other_class, deleted_slot],
    "Slotted": ["Slotted.total = 5", "Slotted.grow()", "type.__setattr__(Slotted, 'total', 9)", "del Slotted.total",
                "Slotted.added = lambda self: 1", "SLOTTED.shared.append(1)"],
    "STORE": ["STORE[0] = 5", store_augmented],
    "ITEMS": ["ITEMS.append(3)", "ITEMS.label = 1"],
    "RECORD": ["RECORD.size = 4", "RECORD.items.append(4)"],
    "PAIR": ["PAIR.right.append(1)"],
    "ERROR": ["ERROR.args = (1,)", "ERROR.add_note('n')"],
    "Colour.RED.label": ["Colour.RED.label = 1"],
    "named": ["named.calls = 1", "named.__dict__['calls'] = 1", "named.__code__ = (lambda v: v).__code__", "named.__defaults__ = (5,)"],
    "seen": ["counted(1)"],
    "__kwdefaults__": ["counted.__kwdefaults__['table'] = 1"],
    "keeping": ["CELL.__closure__[0].cell_contents.append(5)", "CELL.__closure__[0].cell_contents = 5"],
    "VALUES": [view_of_array],
    "EVENT": ["EVENT.set()"],
    "LOCAL": ["LOCAL.items.append(1)", "LOCAL.items = []", "LOCAL.size = x", "del LOCAL.items"],
    "CONTEXT": ["CONTEXT.prec = 3"],
    "decimal": ["decimal.getcontext().prec = 3"],
    "filters": ["warnings.simplefilter('once')"],
    "tau2": ["math.tau2 = 3"],
    "LIMIT": ["globals().update(LIMIT=3)", "exec('LIMIT = 5', globals())", "sys.modules[__name__].LIMIT = 3"],
    "modules": ["sys.modules['unheard_of'] = sys"],
    "path": ["sys.path.insert(0, 'q')"],
}  # fmt: skip
ROWS = [(name, write) for name, writes in WRITES.items() for write in writes]
USED = (bisect, heapq, math, operator, sys, warnings)  # by the statements


def state():
    names = ("LIST", "TABLE", "ORDERED", "DEFAULT", "COUNTS", "QUEUE", "CHAIN", "USER_DICT", "USER_LIST", "BYTES", "NUMBERS", "SPACE",
             "ITEMS", "RECORD", "PAIR", "VALUES", "CONTEXT", "ERROR")  # fmt: skip
    held = [repr(globals()[name]) for name in names]
    slotted = SLOTTED.size, SLOTTED.items, vars(SLOTTED), type(SLOTTED), Slotted.total, Slotted.shared, list(vars(Slotted))
    functions = vars(named), named.__defaults__, counted.__defaults__, counted.__kwdefaults__, CELL()
    rest = STORE.held, vars(ITEMS), vars(Colour.RED), EVENT.is_set(), vars(LOCAL), hasattr(math, "tau2"), "LIMIT" in globals(), sys.path[0]
    return repr((held, slotted, functions, rest, decimal.getcontext().prec, warnings.filters))


@pytest.mark.parametrize(("name", "write"), ROWS, ids=[write if isinstance(write, str) else write.__name__ for _, write in ROWS])
def test_a_write_is_refused_and_not_made(name, write):
    program = written(write) if isinstance(write, str) else write
    before = state()
    with pytest.raises(Unsupported) as caught:
        export(program, (np.ones(3),))
    assert state() == before
    error = caught.value
    assert error.code in ("E112", "E116", "E118") and name in error.message, error
    assert error.location is not None or name == "decimal"
    problems = explain(program, (np.ones(3),)).problems
    assert error.code in {problem.code for problem in problems}
    assert state() == before


@pytest.mark.parametrize("owner", [sys.modules[__name__], Store, keeping], ids=["module", "class", "function"])
@pytest.mark.parametrize("delete", [lambda owner: delattr(owner, "absent"), lambda owner: type(owner).__delattr__(owner, "absent")])
def test_nothing_that_is_not_there_is_deleted(owner, delete):
    def f(x):
        try:
            delete(owner)
        except AttributeError as error:
            return x + 1, str(error)
        return x, ""

    x = np.ones(2)
    assert str(export(f, (x,)).module()(x)) == str(f(x))


def test_nothing_is_deleted_twice():
    def f(x):
        Store.fresh = 1
        del Store.fresh
        try:
            del Store.fresh
        except AttributeError as error:
            return x + 1, str(error)
        return x, ""

    x = np.ones(2)
    assert str(export(f, (x,)).module()(x)) == str(f(x))


def test_the_users_line_is_blamed_for_what_a_library_writes():
    with pytest.raises(Unsupported) as caught:
        export(lambda x: (EVENT.set(), x)[1], (np.ones(3),))
    assert "EVENT.set()" in caught.value.location.source and "threading" in caught.value.user_stack[-1].file


CONSTANT, OTHER_CONSTANT = np.zeros(3), np.zeros(3)


def test_explain_tells_every_write_and_output_of_a_run_with_other_problems():
    def program(x):
        LIST.append(1)
        CONSTANT[0] = 1
        OTHER_CONSTANT[0] = 1
        Slotted.total = 5
        open("file")
        return x, id(x), Slotted

    problems = explain(program, (np.ones(3),)).problems
    assert [problem.code for problem in problems] == ["E105", "E116", "E116", "E112", "E112", "E109", "E115"]
    assert ["LIST" in problem.message for problem in problems].count(True) == 1


FUNCTIONS = {"a": np.sin, "b": np.cos, 1: 2.0}


@pytest.mark.parametrize(
    "write",
    [
        lambda: FUNCTIONS.update(a=np.cos),
        lambda: FUNCTIONS.update({"b": FUNCTIONS.pop("b"), 1: FUNCTIONS.pop(1)}) or FUNCTIONS.update(a=FUNCTIONS.pop("a")),
        lambda: FUNCTIONS.update({True: FUNCTIONS.pop(1)}),
        lambda: FUNCTIONS.pop(1),
    ],
    ids=["value", "order", "equal key", "fewer"],
)
def test_writes_to_a_dict_outside_are_seen(write):
    def f(x):
        write()
        return FUNCTIONS["a"](x)

    before = list(FUNCTIONS.items())
    with pytest.raises(Unsupported) as caught:
        export(f, (np.ones(2),))
    assert caught.value.code == "E112"
    assert list(FUNCTIONS.items()) == before


class Logged:
    def __init__(self):
        self.total, self.count, self.log, self.names = 0.0, 0, [], {}

    def __call__(self, x):
        self.total = self.total + float(x.sum())
        self.count += 1
        self.log.append([{"total": [self.total]}])
        self.names["last"] = [set()]
        return x * self.count


def test_numbers_that_can_be_state_are_not_named_beside_what_cannot():
    with pytest.raises(Unsupported, match=r"adds `self.log\[0\]`") as caught:
        export(Logged(), (np.ones(3),))
    assert "total" not in caught.value.message and "count" not in caught.value.message
    assert "(and 1 more: `self.names" in caught.value.message


def test_arrays_that_can_be_state_are_not_named_beside_what_cannot():
    class Layers:
        def __init__(self):
            self.history, self.given, self.grads = [], None, {}

        def __call__(self, x):
            self.given, self.grads["x"] = x, x * 2
            self.history.append({"sum": [x.sum()]})
            self.history.append({"max": [x.max()]})
            return x * 2

    with pytest.raises(Unsupported, match=r"adds `self.history\[0\]`") as caught:
        export(Layers(), (np.ones(3),))
    assert "given" not in caught.value.message and "grads" not in caught.value.message
    assert "(and 1 more: `self.history[1]`)" in caught.value.message
