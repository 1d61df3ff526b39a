"""What users see of a failed export: their frames and one of npexport's, their own exceptions, no warnings of ours."""

import gc
import io
import subprocess
import sys
import traceback
import warnings

import numpy as np
import pytest

from npexport import ConstraintViolation, Dim, LoadError, export, load, save
from npexport.symshapes.errors import Unsupported, UserError


def branch(x):
    return -x if x.sum() > 0 else x


def nested(x):
    return branch(x) * 2


def halves(x):
    return x.reshape(2, -1)


def wrong_keyword(x):
    return np.unpackbits(x)


def result_of_kind(x):
    return object()


x = np.ones(4)
REFUSED = {
    "data": (Unsupported, lambda: export(nested, (x,), capture_control_flow=False)),
    "promise": (ConstraintViolation, lambda: export(halves, (x,), dynamic_shapes={"x": {0: Dim("n")}})),
    "specification": (UserError, lambda: export(halves, (x,), dynamic_shapes={"y": None})),
    "inputs": (UserError, lambda: export(halves, ({1, 2},))),
    "result": (Unsupported, lambda: export(result_of_kind, (x,))),
    "input or output": (Unsupported, lambda: export(lambda x: open("file"), (x,))),
}


def frames_of(error):
    return [entry.filename for entry in traceback.extract_tb(error.__traceback__)]


@pytest.mark.parametrize("name", REFUSED)
def test_tracebacks_hold_one_frame_of_ours(name, monkeypatch):
    monkeypatch.delenv("NPEXPORT_DEBUG", raising=False)
    kind, act = REFUSED[name]
    with pytest.raises(kind) as caught:
        act()
    ours = [file for file in frames_of(caught.value) if file != __file__]
    assert len(ours) == 1 and ours[0].endswith("driver/export.py"), ours
    assert caught.value.__cause__ is None and caught.value.__suppress_context__
    monkeypatch.setenv("NPEXPORT_DEBUG", "1")
    with pytest.raises(kind) as caught:
        act()
    assert len(frames_of(caught.value)) > 4


FILES = {
    "foreign": (LoadError, lambda: load(io.BytesIO(b"abc"))),
    "absent": (FileNotFoundError, lambda: load("/there/is/none.np2")),
    "no folder": (FileNotFoundError, lambda: save(export(np.sin, (x,)), "/there/is/none.np2")),
    "no file": (UserError, lambda: save(export(np.sin, (x,)), 3)),
    "other state": (UserError, lambda: export(np.sin, (x,)).module().load_state_dict({"w": x})),
    "module": (UserError, lambda: _misfitting().module()),
}


def _misfitting():
    weights = np.ones(4)
    program = export(lambda y: y + weights, (x,))
    program.constants.update(dict.fromkeys(program.constants, np.ones(3)))
    return program


@pytest.mark.parametrize("name", FILES)
def test_tracebacks_of_files_and_modules_hold_one_frame_of_ours(name, monkeypatch):
    monkeypatch.delenv("NPEXPORT_DEBUG", raising=False)
    kind, act = FILES[name]
    with pytest.raises(kind) as caught:
        act()
    assert len([file for file in frames_of(caught.value) if file != __file__]) == 1
    monkeypatch.setenv("NPEXPORT_DEBUG", "1")
    with pytest.raises(kind) as caught:
        act()
    assert len([file for file in frames_of(caught.value) if file != __file__]) > 1


@pytest.mark.parametrize("error", [MemoryError, RecursionError, KeyboardInterrupt, SystemExit])
def test_what_ends_programs_is_itself(error, monkeypatch):
    from npexport.ir.graph import Graph

    def raises(*args, **kwargs):
        raise error("now")

    monkeypatch.setattr(Graph, "record", raises)
    with pytest.raises(error) as caught:
        export(lambda x: x + 1, (x,))
    assert type(caught.value) is error


async def waits(x):
    return x


def test_a_coroutine_as_result_leaves_no_warning():
    gc.collect()  # other tests' garbage may warn
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with pytest.raises(Unsupported, match="E115"):
            export(waits, (x,))
        gc.collect()
    assert [str(warning.message) for warning in told] == []


ASSERTIONS = """
import numpy as np
import pytest
from npexport import export

def compares(x):
    assert x.shape[0] == 5, "five %s"
    return x

def chained(x):
    n = len(x.shape)
    assert 0 < n < 1 or n == 3
    return x

def holds(x):
    assert x.ndim == 1 and isinstance(x, np.ndarray) and x.shape[0] > 2, "fine"
    return x + 1

@pytest.mark.parametrize("program", [compares, chained])
def test_fails(program):
    with pytest.raises(AssertionError) as caught:
        export(program, (np.ones(4),))
    assert type(caught.value) is AssertionError
    assert program is chained or "five %s" in str(caught.value) and "4 == 5" in str(caught.value)

def test_holds():
    assert export(holds, (np.ones(4),)).module()(np.ones(4)).tolist() == [2.0] * 4
"""


def test_assertions_that_pytest_has_rewritten(tmp_path):
    path = tmp_path / "test_rewritten.py"
    path.write_text(ASSERTIONS)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert done.returncode == 0 and "3 passed" in done.stdout, done.stdout[-3000:]


def deeper(x, level):
    if level == 0:
        return x.tofile("x.bin")
    return deeper(x, level - 1)


def test_the_line_of_a_recursion_is_shown_three_times():
    with pytest.raises(Unsupported) as raised:
        export(lambda x: deeper(x, 20), (np.ones(3),))
    text = str(raised.value)
    assert text.count("return deeper(x, level - 1)") == 3 and "\n  [Previous line repeated 17 more times]\n" in text
    assert len(raised.value.user_stack) == 22
