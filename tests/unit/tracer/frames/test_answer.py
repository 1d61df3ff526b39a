"""Frames that C code starts: answered for by the extension, aborted by the fallback, and everything put back."""

import ctypes
import functools
import gc
import importlib.util
import itertools
import operator
import re
import shutil
import sys
import textwrap

import numpy as np
import pytest

from npexport.symshapes.errors import UserError
from npexport.tracer.frames import CallbackAborted, call_answering, capture_root
from tests.support.callbacks import BEHAVIOUR, RAN, Box, Defaults, add, behave, box, counting, grouped, is_odd, square

CALL_BACKS = [
    # (fn, args, kwargs), the result
    (lambda: (sorted, ([3, -1, 2],), {"key": square}), [-1, 2, 3]),
    (lambda: (max, ([3, -4, 2],), {"key": square}), -4),
    (lambda: (functools.reduce, (add, [1, 2, 3]), {}), 6),
    (lambda: (functools.partial(add, 1, scale=2), (2, 3), {}), 12),
    (lambda: (re.compile("[a-c]+").sub, (grouped, "xabcx"), {}), "xABCx"),
    (lambda: (list, (map(square, [1, 2, 3]),), {}), [1, 4, 9]),
    (lambda: (list, (filter(is_odd, range(5)),), {}), [1, 3]),
    (lambda: (list, (itertools.accumulate([1, 2, 3], add),), {}), [1, 3, 6]),
    (lambda: (sum, (map(square, range(4)),), {}), 14),
    (lambda: (square, (5,), {}), 25),
    (lambda: ([box(1), box(2)].index, (box(2),), {}), 1),
    (lambda: (operator.contains, ([box(1)], box(3)), {}), False),
    (lambda: (dict.get, ({}, box(4), "none"), {}), "none"),
    (lambda: (box(1), (2,), {}), 3),
    (lambda: (operator.index, (box(6),), {}), 6),
    (lambda: (len, (box(6),), {}), 6),
    (lambda: (getattr, (box(1), "prop"), {}), "prop"),
    (lambda: (getattr, (box(1), "other"), {}), "other?"),
    (lambda: (operator.methodcaller("scaled", 3), (box(2),), {}), 11),
    (lambda: (operator.methodcaller("scaled", 3, offset=0), (box(2),), {}), 6),
    (lambda: (operator.getitem, (Defaults(), "k"), {}), "k!"),
    (lambda: (np.frompyfunc(square, 1, 1), (3,), {}), 9),
]


@pytest.mark.parametrize(("call", "result"), CALL_BACKS)
def test_call_back(frame_hook, call, result):
    if frame_hook == "settrace":
        with pytest.raises(CallbackAborted) as raised:
            call_answering(behave, *call())
        assert raised.value.code in {function.__code__ for function in BEHAVIOUR}
    else:
        assert call_answering(behave, *call()) == result


def test_class_is_made_by_c(frame_hook):
    if frame_hook == "settrace":
        with pytest.raises(CallbackAborted):
            call_answering(behave, Box, (3,), {})
    else:
        made = call_answering(behave, Box, (3,), {})
        assert type(made) is Box and vars(made) == {"value": 3}


def test_generator_functions(frame_hook):
    """The extension asks for the generator; under the fallback it is CPython's, and its body is aborted when C starts it."""
    chained = itertools.chain.from_iterable(map(counting, [2, 3]))
    if frame_hook == "settrace":
        with pytest.raises(CallbackAborted) as raised:
            call_answering(behave, list, (chained,), {})
        assert raised.value.code is counting.__code__
    else:
        assert call_answering(behave, list, (chained,), {}) == [0, 1, 0, 1, 2]


def test_started_generator_is_evaluated(frame_hook):
    log = []

    def started():
        log.append("start")
        try:
            yield 1
            log.append([square_outside(2)])
            yield 2
        finally:
            log.append("end")

    def square_outside(x):
        return x * x

    running = started()
    next(running)
    assert call_answering(behave, list, (running,), {}) == [2]
    running = started()
    next(running)
    with pytest.raises(KeyError):
        call_answering(behave, running.throw, (KeyError(1),), {})
    assert log == ["start", [4], "end", "start", "end"]


SILENT = [
    (len, ([1, 2],), {}, 2),
    (sorted, ([3, 1],), {"reverse": True}, [3, 1]),
    (np.add, (1, 2), {}, 3),
    (functools.reduce, (operator.add, [1, 2]), {}, 3),
]


@pytest.mark.parametrize(("fn", "args", "kwargs", "result"), SILENT)
@pytest.mark.usefixtures("frame_hook")
def test_c_code_that_does_not_call_back(fn, args, kwargs, result):
    assert call_answering(behave, fn, args, kwargs) == result


def test_npexports_own_frames_run(frame_hook):
    """An own frame that C starts is evaluated, and what libraries it calls; the program's frames below it are not."""
    from npexport.ir.pytree import tree_map

    own = functools.partial(tree_map, textwrap.dedent)
    assert call_answering(behave, list, (map(own, [" a", [" b"]]),), {}) == ["a", ["b"]]
    own = functools.partial(tree_map, square)
    if frame_hook == "settrace":
        with pytest.raises(CallbackAborted):
            call_answering(behave, list, (map(own, [1, [2, 3]]),), {})
    else:
        assert call_answering(behave, list, (map(own, [1, [2, 3]]),), {}) == [1, [4, 9]]


@pytest.mark.usefixtures("pep523")
def test_exceptions_are_the_frames_outcome():

    def fail(function, localsplus):
        raise LookupError(localsplus["x"])

    with pytest.raises(LookupError) as raised:
        call_answering(fail, sorted, ([3, 1],), {"key": square})
    assert raised.value.args == (3,)
    assert square.__code__ not in {entry.tb_frame.f_code for entry in tracebacks(raised.value)}, "its body did not run"
    assert call_answering(fail, next, (filter(None, [0, 5]),), {}) == 5

    def stop(function, localsplus):
        raise StopIteration

    assert call_answering(stop, list, (map(square, [1, 2]),), {}) == []


def tracebacks(error):
    entry = error.__traceback__
    while entry is not None:
        yield entry
        entry = entry.tb_next


@pytest.mark.usefixtures("pep523")
def test_hook_is_off_in_the_callback_and_nests():
    depth = []

    def helper(x):
        return x + 1  # runs as usual: the hook is off

    def callback(function, localsplus):
        depth.append(len(depth))
        if len(depth) < 50:
            return call_answering(callback, functools.reduce, (add, [localsplus["x"], helper(0)]), {})
        root = capture_root(functools.partial(square, 7))
        return root.localsplus["x"]

    assert call_answering(callback, next, (map(add, [1]),), {}) == 7
    assert depth == list(range(50))


@pytest.mark.usefixtures("pep523")
def test_capture_inside_answer_and_back():

    class Capturing:
        def __call__(self, function, localsplus):
            assert capture_root(functools.partial(is_odd, 3)).function is is_odd
            return -localsplus["x"]

    assert call_answering(Capturing(), sorted, ([1, 3, 2],), {"key": square}) == [3, 2, 1]


def test_swallowed_abort_is_said_again(frame_hook):
    """C code that drops the exception would otherwise have gone on with the user's own frames."""

    def callback(function, localsplus):
        return True

    class Key:
        def __eq__(self, other):
            return True

        __hash__ = None

    if frame_hook == "settrace":
        with pytest.raises(CallbackAborted) as raised:
            call_answering(callback, hasattr, (box(1), "other"), {})
        assert raised.value.code is Box.__getattr__.__code__
    else:
        assert call_answering(callback, operator.contains, ([Key()], 3), {}) is True


@pytest.mark.usefixtures("frame_hook")
def test_finalizers_of_strangers_are_not_the_programs():
    """Cyclic garbage is not collected while C code runs under the hook."""
    finalized = []

    class Stranger:
        def __init__(self):
            self.me = self

        def __del__(self):
            finalized.append(1)

    for _ in range(5):
        Stranger()
    threshold = gc.get_threshold()
    gc.set_threshold(1)
    try:
        assert call_answering(behave, list, (zip(*[map(list, [[1]] * 50)] * 2, strict=True),), {})
    finally:
        gc.set_threshold(*threshold)
    assert gc.isenabled()
    gc.collect()
    assert len(finalized) == 5


@pytest.mark.usefixtures("pep523")
def test_a_collection_that_is_due_waits():
    """C code that looks for signals would collect what callbacks left, and the frames of ``gc.callbacks`` are not the program's."""
    collected, asked = [], []

    def stranger(phase, info):
        collected.append(phase)

    class Shown:
        def __repr__(self):
            RAN.append("__repr__")

    def callback(function, localsplus):
        asked.append((function, {1}, {2}, {3}, {4}))  # enough for a collection to be due
        return "shown"

    threshold = gc.get_threshold()
    gc.callbacks.append(stranger)
    gc.set_threshold(1)
    try:
        assert call_answering(callback, repr, ([Shown(), Shown(), Shown()],), {}) == "[shown, shown, shown]"
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(stranger)
    assert [function for function, *_ in asked] == [Shown.__repr__] * 3
    assert collected


@pytest.mark.parametrize("bad", [(), (behave, len), (behave, len, [1], {}), (behave, len, ([],), None)])
def test_extension_checks_its_arguments(bad):
    extension = pytest.importorskip("npexport.tracer.frames._evalframe", reason="the C extension was not built")
    with pytest.raises(TypeError, match="answer"):
        extension.answer(*bad)


def test_class_body_run_by_c(frame_hook):
    """A frame with a namespace instead of locals is given that namespace."""
    code = compile("x = 1", "<body>", "exec")
    namespace = {}

    def callback(function, localsplus):
        localsplus["seen"] = function.__code__
        return None

    if frame_hook == "settrace":
        with pytest.raises(CallbackAborted):
            call_answering(callback, exec, (code, {"__builtins__": {}}, namespace), {})
        assert namespace == {}
    else:
        call_answering(callback, exec, (code, {"__builtins__": {}}, namespace), {})
        assert namespace == {"seen": code}


# What was installed before


def outside():
    line = 1
    return line


@pytest.mark.parametrize("action", ["capture", "capture fails", "answer", "answer fails"])
def test_users_trace_function_is_put_back(frame_hook, action):
    events = []

    def trace(frame, event, arg):
        if frame.f_code is outside.__code__:
            events.append(event)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        outside()
        if action == "capture":
            capture_root(functools.partial(square, 1))
        elif action == "capture fails":
            with pytest.raises(TypeError):
                capture_root(functools.partial(square))
        elif action == "answer":
            assert call_answering(behave, sorted, ([3, 1],), {}) == [1, 3]
        else:
            with pytest.raises((CallbackAborted, ZeroDivisionError)):
                call_answering(lambda function, localsplus: 1 / 0, sorted, ([3, 1],), {"key": square})
        assert sys.gettrace() is trace
        outside()
    finally:
        sys.settrace(before)
    once = ["call", "line", "line", "return"]
    assert events == once * 2


@pytest.mark.usefixtures("frame_hook")
def test_users_trace_function_sees_frames_that_run():
    from npexport.ir.pytree import tree_map

    seen = set()

    def trace(frame, event, arg):
        seen.add(frame.f_code)

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call_answering(behave, next, (map(functools.partial(tree_map, abs), [-1]),), {})
    finally:
        sys.settrace(before)
    assert tree_map.__code__ in seen
    assert square.__code__ not in seen


@pytest.mark.usefixtures("frame_hook")
def test_frames_of_trace_functions_are_not_the_programs():
    """Coverage's trace function calls Python of its own when it meets a new file."""

    def helper(frame):
        return frame.f_code.co_name

    def trace(frame, event, arg):
        helper(frame)

    from npexport.ir.pytree import tree_map

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        root = capture_root(functools.partial(tree_map, square, 5))
    finally:
        sys.settrace(before)
    assert root.function is square


def test_inside_a_trace_function(frame_hook):
    """At a debugger's prompt the extension works as ever; the fallback would see nothing, and says so."""
    caught = []

    def trace(frame, event, arg):
        if frame.f_code is outside.__code__ and not caught:
            try:
                caught.append(capture_root(functools.partial(square, 5)).function)
            except UserError as error:
                caught.append(error.code)

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        outside()
    finally:
        sys.settrace(before)
    assert caught == [square if frame_hook == "pep523" else "E206"]
    assert gc.isenabled()


@pytest.mark.usefixtures("pep523")
def test_no_event_of_a_frame_that_is_answered_for():
    seen = []
    before = sys.gettrace()
    sys.settrace(lambda frame, event, arg: seen.append(frame.f_code))
    try:
        call_answering(lambda function, localsplus: 0, sorted, ([3, 1],), {"key": square})
        capture_root(functools.partial(square, 1))
    finally:
        sys.settrace(before)
    assert square.__code__ not in seen


def test_another_evaluator_is_chained_and_put_back(tmp_path):
    """A second copy of the extension stands for a debugger's hook: ours is called over it and under it."""
    spec = importlib.util.find_spec("npexport.tracer.frames._evalframe")
    if spec is None:
        pytest.skip("the C extension was not built")
    copy = tmp_path / spec.origin.rpartition("/")[2]
    shutil.copy(spec.origin, copy)
    other_spec = importlib.util.spec_from_file_location("debugger._evalframe", copy)
    other = importlib.util.module_from_spec(other_spec)
    other_spec.loader.exec_module(other)
    ours = importlib.import_module("npexport.tracer.frames._evalframe")
    installed = evaluator()

    def asks_ours(function, localsplus):
        return ours.answer(lambda function, localsplus: -localsplus["x"], sorted, ([1, 3, 2],), {"key": square})

    assert other.answer(asks_ours, next, (map(add, [0]),), {}) == [3, 2, 1]
    asked = ours.answer(behave, other.answer, (operator.is_not, next, (map(square, [3]),), {}), {})
    assert asked is True, "the innermost listener is asked"
    assert evaluator() == installed


def evaluator():
    get = ctypes.pythonapi._PyInterpreterState_GetEvalFrameFunc
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    interpreter = ctypes.pythonapi.PyInterpreterState_Get
    interpreter.restype = ctypes.c_void_p
    return get(interpreter())
