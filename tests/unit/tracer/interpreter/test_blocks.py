"""Instructions in blocks do what they do one by one: every program runs so from its first instruction on."""

from __future__ import annotations

import ast
import math
import traceback
import types
import weakref

import numpy as np
import pytest

from npexport import Unsupported, export
from npexport.tracer.interpreter import blocks, interpret
from npexport.tracer.interpreter import vm as machine
from npexport.tracer.interpreter.handlers import control
from npexport.tracer.interpreter.program import code_info
from npexport.tracer.interpreter.vm import VM


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(machine, "OFTEN", 1)
    monkeypatch.setattr(control, "OFTEN", 1)


def sums(items):
    total = 0
    for item in items:
        if item is None or not item:
            continue
        total += item * 2 - -item
    else:
        total <<= 1
    return total


def generated(n):
    total = 0
    for i in (i * i for i in range(n)):
        total += i
    return total


def swaps(n):
    a, b, seen = 0, 1, []
    while a < n:
        a, b = b, a + b
        seen.append((a, a is b, a != b))
    return seen


def items(values, places):
    found = [values[place] for place in places]
    for place in places:
        values[place] = place
    return found, values


def unbound(n):
    for i in range(n):
        if i == 2:
            del n
        last = n + i
    return last


def handled(values):
    said = []
    for value in values:
        try:
            left = 1 / value
            right = left % value
        except ZeroDivisionError as error:
            said.append(str(error))
        except TypeError as error:
            said.append(repr(error))
        else:
            said.append(right)
    return said


def cells(n):
    total = 0

    def add(i):
        nonlocal total
        total += i
        return total

    return [add(i) for i in range(n)]


def empty_cell():
    def inner():
        return later + 1

    inner()
    later = 1


class Number:
    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        return Number(self.value + (other if isinstance(other, int) else other.value))

    __radd__ = __add__

    def __lt__(self, other):
        return self.value < other

    def __bool__(self):
        return self.value % 2 == 0

    def __neg__(self):
        return Number(-self.value)


def objects(n):
    total, seen = 0, []
    for i in range(n):
        part = Number(i) if i % 3 else i
        total = total + part
        if part:
            seen.append(1)
        if not (total < 7):
            seen.append((-total).value if i else 0)
    return seen


def texts(words):
    line = ""
    for word in words:
        line += word + " "
        line = line * 1 % ()
    return line


def truths(values):
    return [[value and 1, value or 2, not value, value is True, value == 1, value != 1, value is not None] for value in values]


def unpacks(pairs):
    return [a - b for a, b in pairs]


def freed(n):
    said = []

    class Told:
        def __init__(self, name):
            self.name = name

        def __del__(self):
            said.append(self.name)

    for i in range(n):
        held = Told(i)
        other = held
        held = 0
        other = 1
        said.append("both")
        held = other + held
    Told("dropped")
    said.append("end")
    return said


def dies(n):
    alive = []
    for i in range(n):
        value = {i}
        seen = weakref.ref(value)
        again = value
        value = i
        again = i
        alive.append(seen() is None)
    return alive


def grown(n):
    known = {0: 0}
    for key in known:
        known[key + n] = key
    return known


def called(values, abs=abs):
    said = []
    for value in values:
        try:
            said.append(abs(value) + min(value, 2) + math.sqrt(value) + int(value.real))
            said.append(divmod(value, 0.0))
        except (TypeError, ValueError, ZeroDivisionError, AttributeError) as error:
            said.append(repr(error))
    return said


def shadowed(n):
    def max(*args):
        return args

    def call(fn, *args):
        return fn(args[0]), fn(1 - args[0]), len("abc") + len(args)

    return [(max(i, 3), call(hex, i), call(lambda i: [i], i)) for i in range(n)]


def half(value):
    if value is None:
        return None
    return value / 2


def helped(values):
    total = 0
    for value in values:
        total = abs(half(value)) + total
        for first in (value, total):
            if (lambda n: n > 1)(first):
                break
    return total, half(None)


COUNT = 0


def counts(n):
    global COUNT
    for _ in range(n):
        COUNT = COUNT + 1
    found, COUNT = COUNT, 0
    return found


def forgotten(n):
    return [missing if i == 2 else i for i in range(n)]  # noqa: F821


def attributes(n):
    class Base:
        kind = "base"

        def __init__(self, value):
            self.value = value

        def more(self, by=1):
            self.value = self.value + by
            return self.value

        @property
        def double(self):
            return self.value * 2

        @double.setter
        def double(self, value):
            self.value = value / 2

        @staticmethod
        def static(value):
            return -value

        @classmethod
        def named(cls, value):
            return cls.__name__, value

    class Slotted(Base):
        __slots__ = ("more", "spare")

    class Asking(Base):
        def __getattr__(self, name):
            return name, len(self.__dict__)

    class Told(Base):
        def __setattr__(self, name, value):
            object.__setattr__(self, name, (value,) if type(value) is int else value)

    said = []
    for i in range(n):
        for cls in (Base, Asking, Told):
            one = cls(i)
            said.append((one.value, one.kind, one.double, one.static(1), one.named(i)))
            try:
                said.append((one.more(), one.more(by=2), one.missing))
            except (AttributeError, TypeError) as error:
                said.append(str(error))
            one.double = 3
            one.static = abs
            said.append((one.value, one.static(-i)))
        try:
            said.append(one.more(1, 2))
        except TypeError as error:
            said.append(str(error))
        one = Slotted.__new__(Slotted)
        one.spare = one.more = len
        said.append(one.more("abc") + one.spare(()))
        try:
            del one.spare
            said.append(one.spare)
        except AttributeError as error:
            said.append(str(error))
        if i == 1:
            Base.more = lambda self: "changed"
            Base.kind = property(lambda self: self.value)
        if i == 2:
            Base.value = property(lambda self: "read only")
    return said


def temporaries(n):
    said = []

    class Told:
        def __init__(self, name):
            self.name, self.other = name, None

        def __del__(self):
            said.append(self.name)

        def same(self, other):
            return self

    kept = Told("kept")
    for i in range(n):
        said.append((Told(i).name, said[:]))
        kept.other = Told(str(i))
        kept.other = i
        said.append("after")
        Told(i).same(kept.same(i)).name = -i
        said.append((Told("method").same, 0)[1])
        said.append("end")
    return said


def deep(n):
    class Tree:
        def __init__(self, left):
            self.left = left

        def depth(self):
            return 1 if self.left is None else 1 + self.left.depth()

        def forever(self):
            return self.forever() + 1

    tree = None
    for _ in range(n):
        tree = Tree(tree)
    try:
        tree.forever()
    except RecursionError as error:
        return tree.depth(), type(error)


def summed(n):
    said = []

    class Loud(Number):
        def __radd__(self, other):
            said.append((other, self.value))
            return Number(other + self.value)

    def items(kinds):
        for kind in kinds:
            said.append(kind)
            yield kind

    def outer(kinds):
        yield from items(kinds)
        return 5

    for kinds in ([1, 2.5, 3], [1, Loud(2), 3, 4], [], [True, 2j], [[1], [2]], [1, "a", 2], [0.1] * 9, [1 << 60, 1e300, 2]):
        for start in ((), (1.5,), ([],)):
            try:
                said.append(sum(outer(kinds), *start))
            except TypeError as error:
                said.append(str(error))
        said.append(max((kind for kind in items(kinds) if type(kind) is int), default=n))
    return [one.value if isinstance(one, Number) else one for one in said]


def sent(n):
    def totals(total=0):
        try:
            while True:
                got = yield total
                if got is None:
                    yield from (total, -1)
                else:
                    total += got
        except ValueError as error:
            yield str(error)
        finally:
            said.append("left")

    said, running = [], totals()
    next(running)
    for i in range(n):
        said.append(running.send(i))
        said.append(running.send(None))
        next(running), next(running)
    said.append(running.throw(ValueError("thrown")))
    for again in (running.close, running.send):
        try:
            said.append(again())
        except TypeError:
            said.append("refused")
    return said, running.gi_frame


CALLS = [
    (attributes, 4), (temporaries, 3), (deep, 20), (summed, 3), (sent, 4),
    (helped, [1, 2.5, 3, True]), (helped, [1, "a"]), (helped, [1, None]), (helped, [Number(2)]), (counts, 5), (forgotten, 5),
    (called, [1, 2.5, True, "a", None, -1, [1], 2j, 10**400]), (called, [Number(1)]), (shadowed, 4),
    (sums, [0, 1, None, 2.5, True, 3]), (sums, range(5)), (sums, [1, "a"]), (sums, [[1]]), (sums, {1: 2, 3: 4}), (sums, "ab"),
    (generated, 4),
    (swaps, 50), (swaps, 1e3),
    (items, [1, 2, 3], [0, -1, 2]), (items, (1, 2), [0, 1]), (items, [1, 2], [0, 5]), (items, {0: 1, 2: 3}, [0, 2]), (items, "abc", [1]),
    (items, [1, 2], [True, 0]), (unbound, 2), (unbound, 5), (handled, [1, 2.0, 0, "a", None, True, 3]), (cells, 5), (empty_cell,),
    (objects, 9), (texts, ["a", "b%%"]), (texts, ["a%d"]), (truths, [0, 1, 2.0, "", "a", None, [], [0], (), 1j, Number(1), Number(2)]),
    (unpacks, [(1, 2), [3, 4], (5.0, 6)]), (unpacks, [(1, 2), (3,)]), (unpacks, [(1, 2), "ab"]), (freed, 3), (dies, 3), (grown, 1),
]  # fmt: skip


def outcome(run, function, *args):
    args = [type(arg)(arg) if isinstance(arg, (list, dict)) else arg for arg in args]
    try:
        return repr(run(function, *args)), repr(args)
    except Exception as error:
        lines = [(each.name, each.lineno) for each in traceback.extract_tb(error.__traceback__) if each.filename == __file__]
        return repr(error), [line for line in lines if line[0] not in ("outcome", "<lambda>")], repr(args)


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call[0].__name__)
def test_blocks_do_what_instructions_do(call):
    function, *args = call
    assert outcome(interpret, function, *args) == outcome(lambda run, *args: run(*args), function, *args)
    assert code_info(function.__code__).ops.fused is not None


_EXPORTABLE = (
    attributes,
    deep,
    summed,
    sent,
    called,
    helped,
    forgotten,
    shadowed,
    sums,
    generated,
    swaps,
    items,
    unbound,
    handled,
    unpacks,
)
EXPORTED = [call for call in CALLS if call[0] in _EXPORTABLE and "Number" not in repr(call)]


@pytest.mark.parametrize("call", EXPORTED, ids=lambda call: call[0].__name__)
def test_blocks_in_a_try_keep_the_operands_of_other_instructions(call):
    function, *args = call

    def program(x):
        given = [type(arg)(arg) if isinstance(arg, (list, dict)) else arg for arg in args]
        try:
            return x, repr(function(*given)), repr(given)
        except Exception as error:
            return x, repr(error), repr(given)

    x = np.ones(2)
    assert export(program, (x,)).module()(x)[1:] == program(x)[1:]
    assert code_info(function.__code__).kept[True].fused is not None


def test_a_branch_on_data_after_blocks_in_a_try():
    def program(x):
        total = 0
        try:
            for i in range(5):
                total += i % 3
                total = total * x[i] if i == 3 else total
                if 1 / (total - 4) > 0:
                    total += 1
        except ZeroDivisionError:
            total = -1
        return x + total

    run = export(program, (np.ones(5),)).module()
    for last in (1.0, 2.0, 4 / 3, 1 / 3):
        x = np.arange(5) * last
        with np.errstate(all="ignore"):
            assert np.array_equal(run(x), program(x))


def test_iterations_of_blocks_are_counted():
    def forever():
        i = 0
        while True:
            i += 1

    with pytest.raises(Unsupported) as caught:
        VM(step_limit=1000).run(forever)
    assert caught.value.code == "E124"


def test_blocks_are_made_of_fixed_text(monkeypatch):
    texts = []
    monkeypatch.setattr(blocks, "compile", lambda text, *rest: texts.append(text) or compile(text, *rest), raising=False)
    for function, *args in CALLS:
        code = function.__code__.replace(co_name="x")  # not written before
        outcome(interpret, types.FunctionType(code, function.__globals__, closure=function.__closure__), *args)
    names = {node.id for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    numbered = {name for name in names if name[0] in "vc" and name[1:].isdigit()}
    builtin = {"type", "id", "len", "int", "float", "list", "tuple", "next", "getattr", "setattr", "ValueError"}
    fixed = {"vm", "frame", "arg", "stack", "fast", "fn", "code", "then", "at", "Exception", *builtin, *blocks._TABLES}
    assert len(texts) > 20
    assert names - numbered <= fixed
    constants = {node.value for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)}
    assert {type(value) for value in constants} <= {int, type(None)}
