"""An exception raised anywhere in npexport leaves nothing behind: it comes out as it is, or not at all; the next export is right."""

import contextvars
import gc
import importlib
import os
import sys
import warnings

import numpy as np
import pytest

from npexport import Dim, ExportError, export, interpret, nn
from tests.support import collector

monitoring = getattr(sys, "monitoring", None)
pytestmark = [
    pytest.mark.skipif(monitoring is None, reason="sys.monitoring, which raises in any function, is of CPython 3.12 and later"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),  # what comes in a finaliser is told so, by CPython
]
TOOL = 2

variable = contextvars.ContextVar("variable", default="outside")


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(np.arange(4.0))
        self.register_buffer("calls", np.zeros(()))
        self.history = ["begun"]

    def forward(self, x):
        self.calls += 1
        with np.errstate(over="ignore"):
            parts = sorted([3, 1, 2], key=lambda part: -part)
            pairs = list(map(lambda part: part * x.shape[0], parts))
        token = variable.set("inside")
        variable.reset(token)
        return (x * self.weight).sum(axis=1) + len(pairs), (part for part in parts).__next__()


class Interrupt:
    """Raises ``error`` when the ``count``-th function of npexport's starts; counts them where it is never reached."""

    def __init__(self, error, count):
        self.error, self.left, self.seen = error, count, 0

    def started(self, code, offset):
        if "/npexport/" not in code.co_filename and not code.co_filename.startswith(OURS):
            return None
        self.seen += 1
        self.left -= 1
        if self.left == 0:
            raise self.error
        return None

    def __enter__(self):
        monitoring.use_tool_id(TOOL, "interrupt")
        monitoring.register_callback(TOOL, monitoring.events.PY_START, self.started)
        monitoring.set_events(TOOL, monitoring.events.PY_START)
        monitoring.restart_events()
        return self

    def __exit__(self, *exception):
        monitoring.set_events(TOOL, 0)
        monitoring.register_callback(TOOL, monitoring.events.PY_START, None)
        monitoring.free_tool_id(TOOL)


def _rooms():
    """The folders of ours that a file of each stands in."""
    found = []
    for name in ("ir.graph", "runtime.modules.module", "symshapes.env", "tracer.driver.export"):
        inside = name.partition(".")[2].replace(".", os.sep)
        found.append(importlib.import_module(f"npexport.{name}").__file__.rpartition(inside)[0])
    return tuple(found)


OURS = _rooms()


def around():
    """What an export must leave as it is."""
    tools = None if monitoring is None else [monitoring.get_tool(tool) for tool in range(6) if tool != TOOL]
    return (
        gc.isenabled(), gc.get_threshold(), sys.gettrace(), sys.getprofile(), sys.getrecursionlimit(), tools, list(warnings.filters),
        np.geterr(), variable.get(), sys.stdout, sys.stderr,
    )  # fmt: skip


@pytest.fixture
def small_heap():
    """The collector looks at what the test makes alone; what the test leaves, it collects while finalisers may still speak."""
    with collector.small_heap():
        yield
        gc.collect()


def act(module):
    return export(module, (np.ones((2, 4)),), dynamic_shapes=({0: Dim("n", min=1)},))


def state_of(module):
    return module.weight.tolist(), module.calls.tolist(), list(module.history), sorted(vars(module))


def points(total, count):
    """Places over the whole run, the first and the last among them."""
    step = max(total // count, 1)
    return sorted({*range(1, total + 1, step), total, total - 1, total - 2, total - 3, 2, 3})


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_an_exception_anywhere_leaves_nothing_behind(error, small_heap):
    module = Counter()
    expected = str(act(module).graph)
    before, state = around(), state_of(module)
    with Interrupt(error("injected"), 0) as counting:
        act(module)
    assert counting.seen > 1000
    wrong = []
    for count in points(counting.seen, 40):
        raised = error("injected")
        with Interrupt(raised, count):
            try:
                act(module)
            except BaseException as caught:
                outcome = caught
            else:
                outcome = None
        if outcome is not raised and outcome is not None and not (isinstance(outcome, ExportError) and outcome.__cause__ is raised):
            wrong.append((count, repr(outcome)))
        if around() != before or state_of(module) != state:
            wrong.append((count, [pair for pair in zip(around(), before) if pair[0] != pair[1]]))
            gc.enable()
            break
    assert wrong == []
    assert str(act(module).graph) == expected


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_so_does_one_in_an_interpreted_program(error, monkeypatch, small_heap):
    def program():
        generator = (item * 2 for item in range(5))
        return sorted(generator, key=lambda item: -item), [len(str(item)) for item in range(3)]

    expected, before, late = program(), around(), []
    with Interrupt(error("injected"), 0) as counting:
        interpret(program)
    monkeypatch.setattr(sys, "unraisablehook", lambda told: late.append((count, repr(told.exc_value))))
    for count in range(1, counting.seen + 1):
        raised = error("injected")
        with Interrupt(raised, count):
            try:
                assert interpret(program) == expected
            except error as caught:
                assert caught is raised
        assert around() == before, count
        late.clear()  # what came in a finaliser is told by CPython
        raised = None
        gc.collect()
        assert late == []  # generators that the exception left behind end in silence
    assert interpret(program) == expected
