"""Small programs: what the interpreter gives equals what CPython gives: value, output, exception, its context and traceback."""

import contextlib
import importlib
import inspect
import io
import re
import sys
import types
from pathlib import Path

import pytest

from npexport.tracer.interpreter import interpret

FOLDER = Path(__file__).parent / "snippets"
LEFT_OUT = {"__init__"} | {name for name, minor in {"newer": 12, "newest": 14}.items() if sys.version_info < (3, minor)}
MODULES = sorted({path.stem for path in FOLDER.glob("*.py")} - LEFT_OUT)


def programs():
    for name in MODULES:
        module = importlib.import_module(f"tests.conformance.python.snippets.{name}")
        for function in vars(module).values():
            if inspect.isfunction(function) and function.__module__ == module.__name__:
                yield pytest.param(function, id=f"{name}.{function.__name__}")


def text_of(value):
    return re.sub(r"0x[0-9a-f]+", "0x", repr(value))


def of_exception(error, depth=0):
    """What must be equal of an exception: type, text, notes, the user's frames, context and cause."""
    if error is None or depth > 5:
        return None
    frames = []
    tb = error.__traceback__
    while tb is not None:
        if "/snippets/" in tb.tb_frame.f_code.co_filename or tb.tb_frame.f_code.co_filename == "<string>":
            frames.append((tb.tb_frame.f_code.co_name, tb.tb_lineno))
        tb = tb.tb_next
    return (
        type(error).__name__,
        re.sub(r"0x[0-9a-f]+", "0x", str(error)),
        getattr(error, "__notes__", []),
        frames,
        error.__suppress_context__,
        of_exception(error.__cause__, depth + 1),
        of_exception(error.__context__, depth + 1),
        [of_exception(part, depth + 1) for part in error.exceptions] if isinstance(error, BaseExceptionGroup) else [],
    )


def outcome(run):
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        try:
            result = ("value", text_of(run()))
        except BaseException as error:  # noqa: BLE001
            result = ("error", of_exception(error))
    return result, output.getvalue()


@pytest.mark.parametrize("function", list(programs()))
def test_same_as_cpython(function):
    assert outcome(lambda: interpret(function)) == outcome(function)


def test_internal_frames_do_not_show():
    """Between the caller of `interpret` and the user's function stand only npexport's own frames, and none between the user's."""

    def fail():
        return sorted([1, 2], key=lambda x: 1 // 0)

    with pytest.raises(ZeroDivisionError) as caught:
        interpret(fail)
    files = [entry.path.name if hasattr(entry.path, "name") else str(entry.path) for entry in caught.traceback]
    users = [index for index, file in enumerate(files) if file == "test_snippets.py"][1:]
    assert [caught.traceback[index].name for index in users] == ["fail", "<lambda>"]
    assert isinstance(caught.value.__traceback__, types.TracebackType)
