"""Effects on what existed before the call: none happens, each that would survive is an error with path and line, undone ones are fine."""

from __future__ import annotations

import collections
import copy
import functools
import sys
import types
import zlib

import numpy as np
import pytest

from npexport import explain, export
from npexport.symshapes.errors import ExportError, Unsupported
from npexport.tracer.driver.inputs import read_inputs
from npexport.tracer.driver.trace import Trace, UserException
from npexport.tracer.effects.run_options import RunOptions
from npexport.tracer.interpreter.vm import VM

ITEMS = [1, [2]]
TABLE = {"k": 1, "nested": {"a": [1]}}
COUNTER = 0
FLAGS = {1, 2}
QUEUE = collections.deque([1])
BYTES = bytearray(b"ab")
WEIGHTS = np.zeros(3)


class Settings:
    scale = 2
    shared = [1]

    def __init__(self):
        self.count = 0
        self.items = []
        self.w = np.ones(3)


SETTINGS = Settings()


class Lazy:
    @functools.cached_property
    def size(self):
        return 3


LAZY = Lazy()


def attributed(x):
    return x


attributed.calls = 0


def make_counter():
    n = 0

    def count(x):
        nonlocal n
        n += 1
        return x * n

    return count


def remember(x, seen=[]):  # noqa: B006
    seen.append(1)
    return x * len(seen)


def append(x):
    ITEMS.append(x)
    return x


def nested_append(x):
    ITEMS[1].append(3)
    return x


def set_item(x):
    TABLE["k"] = 5
    return x


def nested_item(x):
    TABLE["nested"]["a"][0] = 7
    return x


def delete_item(x):
    del TABLE["k"]
    return x


def global_statement(x):
    global COUNTER
    COUNTER += 1
    return x * COUNTER


def delete_global(x):
    global COUNTER
    del COUNTER
    return x


def add_to_set(x):
    FLAGS.add(9)
    return x


def rotate(x):
    QUEUE.appendleft(0)
    return x


def write_bytes(x):
    BYTES[0] = 66
    return x


def attribute(x):
    SETTINGS.count += 1
    return x


def new_attribute(x):
    SETTINGS.extra = x
    return x


def class_attribute(x):
    Settings.scale = 3
    return x * Settings.scale


def class_list(x):
    Settings.shared.append(2)
    return x


def setattr_of_class(x):
    setattr(Settings, "scale", 4)  # noqa: B010
    return x


def module_attribute(x):
    sys.modules[__name__].COUNTER = 3
    return x


def module_dict(x):
    sys.modules[__name__].__dict__["COUNTER"] = 3
    return x


def globals_dict(x):
    globals()["COUNTER"] = 3
    return x


def function_attribute(x):
    attributed.calls += 1
    return x


def through_alias(x):
    items = ITEMS
    items += [3]
    return x


def through_method(x):
    add = ITEMS.append
    add(4)
    return x


def in_comprehension(x):
    [ITEMS.append(i) for i in range(2)]
    return x


def swap_items(x):
    TABLE["k"], TABLE["nested"] = TABLE["nested"], TABLE["k"]
    return x


REFUSED = [
    (append, "E112", "ITEMS[2]", "ITEMS.append(x)"),
    (nested_append, "E112", "ITEMS[1][1]", "ITEMS[1].append(3)"),
    (set_item, "E112", "TABLE['k']", 'TABLE["k"] = 5'),
    (nested_item, "E112", "TABLE['nested']['a'][0]", 'TABLE["nested"]["a"][0] = 7'),
    (delete_item, "E112", "TABLE['k']", 'del TABLE["k"]'),
    (global_statement, "E112", "COUNTER", "COUNTER += 1"),
    (delete_global, "E112", "COUNTER", "del COUNTER"),
    (add_to_set, "E112", "FLAGS", "FLAGS.add(9)"),
    (rotate, "E112", "QUEUE", "QUEUE.appendleft(0)"),
    (write_bytes, "E112", "BYTES", "BYTES[0] = 66"),
    (attribute, "E112", "SETTINGS.count", "SETTINGS.count += 1"),
    (new_attribute, "E112", "SETTINGS.extra", "SETTINGS.extra = x"),
    (class_attribute, "E112", "Settings.scale", "Settings.scale = 3"),
    (class_list, "E112", "Settings.shared", "Settings.shared.append(2)"),
    (setattr_of_class, "E112", "Settings.scale", 'setattr(Settings, "scale", 4)'),
    (module_attribute, "E112", "COUNTER", "sys.modules[__name__].COUNTER = 3"),
    (module_dict, "E112", "COUNTER", 'sys.modules[__name__].__dict__["COUNTER"] = 3'),
    (globals_dict, "E112", "COUNTER", 'globals()["COUNTER"] = 3'),
    (function_attribute, "E112", "attributed.calls", "attributed.calls += 1"),
    (through_alias, "E112", "ITEMS[2]", "items += [3]"),
    (through_method, "E112", "ITEMS[2]", "add(4)"),
    (in_comprehension, "E112", "ITEMS[2]", "[ITEMS.append(i) for i in range(2)]"),
    (swap_items, "E112", "TABLE['k']", 'TABLE["k"], TABLE["nested"] = TABLE["nested"], TABLE["k"]'),
    (make_counter(), "E112", "n", "n += 1"),
    (remember, "E112", "seen[0]", "seen.append(1)"),
]


def snapshot():
    space = {name: copy.deepcopy(globals()[name]) for name in ("ITEMS", "TABLE", "COUNTER", "FLAGS", "QUEUE", "BYTES")}
    return (
        repr(space),
        vars(SETTINGS).keys(),
        SETTINGS.count,
        SETTINGS.items,
        Settings.scale,
        Settings.shared[:],
        vars(LAZY).copy(),
        attributed.calls,
    )


@pytest.mark.parametrize(("program", "code", "path", "line"), REFUSED, ids=[row[0].__name__ for row in REFUSED])
def test_surviving_writes_are_refused_by_path_and_line(program, code, path, line):
    before = snapshot()
    with pytest.raises(Unsupported) as caught:
        export(program, (np.ones(3),))
    assert snapshot() == before
    error = caught.value
    assert error.code == code
    assert path in error.message, error.message
    assert error.location is not None, "no line"
    if line is not None:
        assert error.location.source.strip().partition("  #")[0] == line
    assert error.hint
    assert [problem.code for problem in explain(program, (np.ones(3),)).problems][:1] == [code]


def undone_item(x):
    old = TABLE["k"]
    TABLE["k"] = 50
    y = x * TABLE["k"]
    TABLE["k"] = old
    return y


def undone_append(x):
    ITEMS.append(7)
    y = x * len(ITEMS)
    ITEMS.pop()
    return y


def undone_global(x):
    global COUNTER
    old, COUNTER = COUNTER, 40
    y = read_counter(x)
    COUNTER = old
    return y


def read_counter(x):
    return x + COUNTER + sys.modules[__name__].COUNTER


def undone_class_attribute(x):
    old = Settings.scale
    Settings.scale = 9
    y = x * Settings.scale * SETTINGS.scale
    Settings.scale = old
    return y


def undone_new_class_attribute(x):
    Settings.brand_new = 4
    y = x * Settings.brand_new * SETTINGS.brand_new
    del Settings.brand_new
    return y


def undone_method(x):
    def replacement(self, a):
        return a * 100

    Settings.scaled = replacement
    y = SETTINGS.scaled(x)
    del Settings.scaled
    return y


def undone_function_attribute(x):
    attributed.calls = 5
    y = x * attributed.calls
    attributed.calls = 0
    return y


def undone_module_attribute(x):
    module = sys.modules[__name__]
    module.COUNTER = 11
    y = x * COUNTER
    module.COUNTER = 0
    return y


def copied_first(x):
    table = copy.deepcopy(TABLE)
    table["nested"]["a"].append(1)
    items = [*ITEMS, 3]
    return x * len(items) * len(table["nested"]["a"])


def same_value(x):
    SETTINGS.count = 0
    TABLE["k"] = 1
    return x


ALLOWED = [
    undone_item, undone_append, undone_global, undone_class_attribute, undone_new_class_attribute, undone_method, undone_function_attribute,
    undone_module_attribute, copied_first, same_value,
]  # fmt: skip


@pytest.mark.parametrize("program", ALLOWED, ids=[program.__name__ for program in ALLOWED])
def test_reads_see_earlier_writes_and_undone_writes_are_no_effects(program):
    before = snapshot()
    exported = export(program, (np.ones(3),))
    assert snapshot() == before
    np.testing.assert_array_equal(exported.module()(np.arange(3.0)), program(np.arange(3.0)))


class Registered:
    def __init_subclass__(cls, **kwargs):
        cls.made = True


def test_a_class_of_the_program_may_share_the_name_of_one_outside():
    def program(x):
        own = type("Registered", (Registered,), {})
        return x + own.made

    def writing(x):
        type("Registered", (), {})
        Registered.touched = True
        return x

    np.testing.assert_array_equal(export(program, (np.ones(3),)).module()(np.ones(3)), np.full(3, 2.0))
    assert not hasattr(Registered, "made")
    with pytest.raises(Unsupported, match="Registered.touched"):
        export(writing, (np.ones(3),))
    assert not hasattr(Registered, "touched")


INPUT_WRITES = {
    "append": (lambda d: d["list"].append(1), "d['list'][1]"),
    "set item": (lambda d: d.__setitem__("new", 1), "d['new']"),
    "replace": (lambda d: d["list"].__setitem__(0, 5), "d['list'][0]"),
    "attribute": (lambda d: setattr(d["data"], "v", 5), "d['data'].v"),
    "pop": (lambda d: d.pop("x"), "d['x']"),
}

Data = types.new_class("Data", (), {}, lambda ns: ns.update(__annotations__={"v": object}))
import dataclasses  # noqa: E402

Data = dataclasses.dataclass(Data)


@pytest.mark.parametrize(("write", "path"), INPUT_WRITES.values(), ids=INPUT_WRITES)
def test_writes_to_containers_of_inputs_are_refused(write, path):
    def program(d):
        write(d)
        return d["x"] if "x" in d else 0

    example = {"x": np.ones(3), "list": [1.5], "data": Data(2.5)}
    before = repr(example)
    with pytest.raises(Unsupported) as caught:
        export(program, (example,))
    assert repr(example) == before
    assert caught.value.code == "E112" and path in caught.value.message


class Stateful:
    def __init__(self):
        self.n = 0
        self.log = []
        self.h = np.zeros(3)

    def count(self, x):
        self.n += 1
        return x

    def record(self, x):
        self.log.append(x)
        return x

    def grow(self, x):
        self.fresh = x
        return x

    def reshape(self, x):
        self.h = np.zeros(4)
        return x


@pytest.mark.parametrize("method", ["count", "grow", "reshape"])
def test_what_the_object_holds_after_the_call_is_state(method):
    stateful = Stateful()
    run = export(getattr(stateful, method), (np.ones(3),)).module()
    eager = Stateful()
    for x in (np.ones(3), np.arange(3.0)):
        run(x)
        getattr(eager, method)(x)
        for path, array in run.named_buffers():
            np.testing.assert_array_equal(array, getattr(eager, path))
    assert vars(stateful)["n"] == 0 and "fresh" not in vars(stateful)


def test_the_line_of_a_write_is_told_without_strict_too():
    """The run that looks for the line has the options of the one before: it gets past what only ``strict=False`` runs."""

    def program(x, items):
        zlib.crc32(b"unknown to npexport")
        items.append(x + 1)
        return x

    items = [1.0]
    with pytest.raises(Unsupported) as caught:
        export(program, (np.ones(3), items), strict=False)
    assert caught.value.code == "E112" and caught.value.location.source.strip() == "items.append(x + 1)"
    assert items == [1.0]


def test_writing_to_a_global_array_is_refused():
    def program(x):
        WEIGHTS[0] = 1
        return x

    with pytest.raises(Unsupported) as caught:
        export(program, (np.ones(3),))
    assert caught.value.code == "E116" and "WEIGHTS" in caught.value.message and caught.value.location.source.strip() == "WEIGHTS[0] = 1"
    assert WEIGHTS[0] == 0


def test_what_was_read_is_reported():
    closed = 5

    def program(x):
        return x * COUNTER * closed + TABLE["k"]

    paths = {read.path: read.value for read in export(program, (np.ones(3),)).report.reads}
    assert paths[f"global {__name__}.COUNTER"] == 0
    assert any(path.endswith(".closed") and value == 5 for path, value in paths.items())
    assert any("TABLE['k']" in path and value == 1 for path, value in paths.items())


class Fault(ExportError):
    pass


def busy(x, d):
    """Touches everything that there is to touch, and puts it back."""
    global COUNTER
    COUNTER += 1
    ITEMS.append(x)
    TABLE["k"] = x
    SETTINGS.count += 1
    SETTINGS.items.append(x)
    SETTINGS.w[0] = 3
    Settings.scale = 8
    attributed.calls = 3
    x += 1
    d["a"] = 5
    for i in range(2):
        FLAGS.add(i + 20)
    try:
        raise ValueError
    except ValueError:
        QUEUE.append(1)
    return x


def test_failing_at_any_instruction_changes_nothing():
    example = (np.ones(3), {"a": 1})
    before = snapshot(), example[0].copy(), dict(example[1]), SETTINGS.w.copy()
    steps = 0

    def run(limit):
        nonlocal steps
        steps = 0

        def on_step(frame):
            nonlocal steps
            steps += 1
            if steps == limit:
                raise Fault("E901", "fault")

        trace = Trace(busy, read_inputs(busy, example, {}), options=RunOptions(make_vm=lambda world: VM(world, on_step=on_step)))
        with trace.session.activate():
            try:
                trace.run()
            except (Fault, UserException):
                pass

    run(0)
    total = steps
    assert total > 60
    for limit in range(1, total + 1):
        run(limit)
        assert snapshot() == before[0]
        np.testing.assert_array_equal(example[0], before[1])
        np.testing.assert_array_equal(SETTINGS.w, before[3])
        assert example[1] == before[2]
