"""The line on a terminal that says how far an export is: a clock and a terminal of the test's own."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

from npexport import Unsupported, export
from npexport.tracer.diagnostics.terminal_line import DELAY, Line, shown_on


@pytest.fixture(autouse=True)
def width(monkeypatch):
    """The terminal that the tests run in may have any."""
    monkeypatch.setenv("COLUMNS", "100")


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Clock:
    """Each look at it is later by the same time."""

    def __init__(self, step=0.0):
        self.now, self.step = 100.0, step

    def __call__(self):
        self.now += self.step
        return self.now


def shown(text):
    """What a terminal shows at the end, and the widest line that it has shown."""
    row, column, widest = [], 0, 0
    for character in text.replace("\x1b[2m", "").replace("\x1b[0m", ""):
        if character == "\r":
            column = 0
            continue
        row[column : column + 1] = [character]
        column += 1
        widest = max(widest, column)
    return "".join(row).rstrip(), widest


def at(place, nodes):
    return lambda: (place, nodes)


def test_it_appears_after_a_second_and_goes():
    terminal, clock = Terminal(), Clock()
    line = Line(terminal, clock, {})
    clock.now += DELAY / 2
    line.step(at("model.py:3 in f", 10))
    assert terminal.getvalue() == ""
    clock.now += DELAY
    line.step(at("model.py:12 in forward", 1234))
    assert shown(terminal.getvalue())[0] == "npexport: model.py:12 in forward, 1234 nodes, 1.5 s"
    line.step(at("model.py:13 in forward", 1235))
    assert "1235" not in terminal.getvalue(), "it is written ten times a second at most"
    clock.now += 1
    line.step(at("f.py:1 in f", 9))
    assert shown(terminal.getvalue())[0] == "npexport: f.py:1 in f, 9 nodes, 2.5 s"
    line.close()
    line.close()
    assert shown(terminal.getvalue())[0] == "" and "\n" not in terminal.getvalue() and terminal.getvalue().endswith("\r")


def test_it_is_no_wider_than_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    terminal, clock = Terminal(), Clock(DELAY)
    Line(terminal, clock, {}).step(at("a\x1b[31m\n" + "long" * 50, 1))
    text, widest = shown(terminal.getvalue())
    assert (widest, text.isprintable()) == (29, True)


@pytest.mark.parametrize(
    "environ, coloured", [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True)], ids=["plain", "no", "empty"]
)
def test_no_color(environ, coloured):
    terminal = Terminal()
    Line(terminal, Clock(DELAY), environ).step(at("f.py:1 in f", 1))
    assert ("\x1b" in terminal.getvalue()) is coloured


class OutStream(Terminal):
    def isatty(self):
        return False


def test_where_it_is_shown(monkeypatch):
    assert shown_on(Terminal(), {}) and not shown_on(Terminal(), {"TERM": "dumb"})
    assert not shown_on(io.StringIO(), {}) and not shown_on(None, {}) and not shown_on(OutStream(), {})
    closed = io.StringIO()
    closed.close()
    assert not shown_on(closed, {})
    monkeypatch.setattr(OutStream, "__module__", "ipykernel.iostream")
    assert shown_on(OutStream(), {})
    notebook = OutStream()
    Line(notebook, Clock(DELAY), {}).step(at("f.py:1 in f", 1))
    assert "\x1b" not in notebook.getvalue() and "1 nodes" in notebook.getvalue()


class Broken(Terminal):
    def write(self, text):
        raise BrokenPipeError


def test_a_terminal_that_is_gone_is_no_matter():
    line = Line(Broken(), Clock(DELAY), {})
    line.step(at("f.py:1 in f", 1))
    line.step(at("f.py:1 in f", 2))
    line.close()


def many(x):
    for _ in range(5):
        x = np.sin(x)
    return x


def refused(x):
    return open(np.sin(x))


@pytest.mark.parametrize("program", [many, refused])
def test_an_export_shows_it_and_takes_it_away(program, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(Line.__init__, "__defaults__", (Clock(DELAY), {}))
    try:
        export(program, (np.ones(3),))
    except Unsupported:
        assert program is refused
    assert (
        f"npexport: test_terminal_line.py:{program.__code__.co_firstlineno + 1 + (program is many)} in {program.__name__}, "
        in terminal.getvalue()
    )
    assert shown(terminal.getvalue())[0] == ""


def test_elsewhere_nothing_is_written(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(Line.__init__, "__defaults__", (Clock(DELAY), {}))
    export(many, (np.ones(3),))
    assert stream.getvalue() == ""
