"""Ctrl-C at any point of the first import and export ends that export, and the next one is as if it had not been.

The package's finder runs within imports of the standard library, too, which CPython does not take back as a whole: such places
(``import pathlib`` of 3.13) are left out.
Where a generator is closed because nothing refers to it any more, CPython drops the exception and reports it to ``sys.unraisablehook``:
nothing can be interrupted there, and the export goes on to its end.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest

from tests.support.seeds import fresh_seed

PROGRAM = """
import sys
import numpy as np

calls = 0

def until_large(x):
    total = 0.0
    while x.sum() > total:
        total = total + float(np.sin(x[0]))
        x = np.sqrt(x)
    return total

def attempt(place):
    def count(frame, event, arg):
        global calls
        if event == "call" and "npexport" in frame.f_globals.get("__name__", "") and frame.f_code.co_name != "find_spec":
            calls += 1
            if calls == place:
                sys.setprofile(None)
                raise KeyboardInterrupt
    sys.setprofile(count)
    try:
        import npexport
        return npexport.export(until_large, (np.full(3, 0.5),))
    finally:
        sys.setprofile(None)

if len(sys.argv) == 1:
    attempt(0)
    print(calls)
else:
    dropped = []
    sys.unraisablehook = lambda report: dropped.append(report.exc_type)
    try:
        attempt(int(sys.argv[1]))
        assert dropped == [KeyboardInterrupt], dropped
        print("dropped")
    except KeyboardInterrupt:
        print("interrupted")
    assert attempt(0).module()(np.full(3, 0.25)) == until_large(np.full(3, 0.25))
"""


def _run(*args: str) -> str:
    done = subprocess.run([sys.executable, "-c", PROGRAM, *args], capture_output=True, text=True, timeout=300, env={**os.environ})
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def places() -> int:
    return int(_run())


@pytest.mark.parametrize("part", range(8))
def test_the_next_export_is_as_if_nothing_had_been(part: int, places: int) -> None:
    place = random.Random(fresh_seed() + part).randrange(1, places)
    assert _run(str(place)) in ("interrupted\n", "dropped\n"), place
