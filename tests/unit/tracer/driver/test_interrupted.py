"""An exception raised anywhere in npexport leaves nothing behind: it comes out as it is, or not at all; the next export is right."""

import contextvars
import gc
import sys
import warnings

import numpy as np
import pytest

from npexport import Dim, ExportError, export, interpret, nn
from tests.support import collector
from tests.support.interrupting import TOOL, Step, monitoring, points

pytestmark = [
    pytest.mark.skipif(monitoring is None, reason="sys.monitoring, which raises in any function, is of CPython 3.12 and later"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),  # what comes in a finaliser is told so, by CPython
]

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


def raising(error):
    def act():
        raise error

    return act


def act(module):
    return export(module, (np.ones((2, 4)),), dynamic_shapes=({0: Dim("n", min=1)},))


def state_of(module):
    return module.weight.tolist(), module.calls.tolist(), list(module.history), sorted(vars(module))


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_an_exception_anywhere_leaves_nothing_behind(error, small_heap):
    module = Counter()
    expected = str(act(module).graph)
    before, state = around(), state_of(module)
    with Step(int, 0) as counting:
        act(module)
    assert counting.seen > 1000
    wrong = []
    for count in points(counting.seen, 40):
        raised = error("injected")
        with Step(raising(raised), count):
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
    with Step(int, 0) as counting:
        interpret(program)
    monkeypatch.setattr(sys, "unraisablehook", lambda told: late.append((count, repr(told.exc_value))))
    for count in range(1, counting.seen + 1):
        raised = error("injected")
        with Step(raising(raised), count):
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
