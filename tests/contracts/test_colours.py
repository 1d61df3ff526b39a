"""Colours of the command line: on terminals that have some, and nowhere else."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from typing import Any

import pytest

from npexport.colours import shown

TEXT = "E104 data-dependent-value: no\n    # a line\n    x = y\n        ^\nHint: write it"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_errors_comments_and_hints_are_coloured_on_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert shown(TEXT, Terminal()).splitlines() == [
        "\x1b[1m\x1b[31mE104 data-dependent-value\x1b[0m: no",
        "\x1b[2m    # a line\x1b[0m",
        "    x = y",
        "\x1b[31m        ^\x1b[0m",
        "\x1b[1mHint:\x1b[0m write it",
    ]
    assert shown("a:\n  - b\n  + c", Terminal(), changes=True) == "a:\n\x1b[31m  - b\x1b[0m\n\x1b[32m  + c\x1b[0m"


@pytest.mark.parametrize(
    ("stream", "environ"),
    [(io.StringIO(), {}), (Terminal(), {"NO_COLOR": "1"}), (Terminal(), {"TERM": "dumb"})],
    ids=["no terminal", "NO_COLOR", "a terminal without colours"],
)
def test_elsewhere_there_are_none(stream: Any, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert shown(TEXT, stream) == TEXT


def test_a_command_on_a_terminal(tmp_path: Any) -> None:
    pty = pytest.importorskip("pty")
    (tmp_path / "model.py").write_text("def f(x):\n    print(x)\n    return x\n")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "npexport", "explain", "model.py:f", "--input", "x=f8[3]"]
    environ = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"}
    with subprocess.Popen(command, cwd=tmp_path, env=environ, stdout=theirs, stderr=subprocess.DEVNULL) as process:
        os.close(theirs)
        found = b""
        while chunk := read(ours):
            found += chunk
    os.close(ours)
    assert process.returncode == 1 and b"\x1b[1m\x1b[31mE114 printed-array\x1b[0m" in found


def read(terminal: int) -> bytes:
    """What is there; nothing where the other side has been closed, which Linux calls an error."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""
