"""The pytest suites that packages bring along, each test's body run by the interpreter.

``python -m tests.conformance.packages.suite_fidelity networkx toolz`` runs each file twice, natively and
interpreted, in processes of their own, and prints the tests that pass natively and fail when
interpreted. A file that stops (a hang, a crash) is told by its last test.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from tests.support.paths import ROOT

QUIET = 150  # seconds a test may take when interpreted
SECONDS = 0.5  # what takes CPython longer is not interpreted
OUTCOMES = "NPEXPORT_OUTCOMES"
INTERPRETED = "NPEXPORT_INTERPRETED"
LEFT_OUT = "NPEXPORT_LEFT_OUT"

# Tests whose outcome is not the interpreter's: identifier or a part of it -> reason. This list may only shrink.
EXPECTED: dict[str, str] = {}


class Recorder:
    """The plugin of the worker: runs test functions in the interpreter, and writes one line before and one after each test."""

    def __init__(self, path, interprets, left_out):
        self.stream = open(path, "a", buffering=1)
        self.interprets = interprets
        self.left_out = left_out

    def pytest_collection_modifyitems(self, items):
        """``--deselect`` would leave out whatever begins with such a name."""
        items[:] = [item for item in items if item.nodeid not in self.left_out]

    def pytest_runtest_logstart(self, nodeid, location):
        self.write("start", nodeid)

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or (report.outcome != "passed" and report.when == "setup"):
            self.write(report.outcome, report.nodeid, str(report.longrepr)[-2500:] if report.failed else "", report.duration)

    def write(self, *row):
        self.stream.write(json.dumps(row) + "\n")

    def pytest_pyfunc_call(self, pyfuncitem):
        if not self.interprets:
            return None
        from npexport.tracer.interpreter import interpret

        names = pyfuncitem._fixtureinfo.argnames
        interpret(pyfuncitem.obj, **{name: pyfuncitem.funcargs[name] for name in names})
        return True


def worker(arguments):
    """Runs pytest with the plugin: ``arguments`` are pytest's."""
    import pytest

    left_out = set(json.loads(pathlib.Path(os.environ[LEFT_OUT]).read_text()))
    recorder = Recorder(os.environ[OUTCOMES], os.environ.get(INTERPRETED) == "1", left_out)
    return pytest.main(["-q", "-p", "no:cacheprovider", "--no-header", "--tb=short", *arguments], plugins=[recorder])


def files(package):
    """The test files of an installed package."""
    folder = pathlib.Path(importlib.util.find_spec(package).origin).parent
    return sorted(path for path in folder.rglob("test_*.py"))


def run_files(paths, interprets, skipped=()):
    """{test: (outcome, text, seconds)} of files in one process; what takes the process down fails, and the rest is run in another."""
    outcomes = {}
    while True:
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, "log")
            log.touch()
            left_out = pathlib.Path(folder, "left_out")
            left_out.write_text(json.dumps([*skipped, *outcomes]))
            env = {**os.environ, OUTCOMES: str(log), INTERPRETED: str(int(interprets)), LEFT_OUT: str(left_out), "PYTHONPATH": str(ROOT)}
            top = os.path.commonpath([path.parent for path in paths])
            command = [sys.executable, "-m", "tests.conformance.packages.suite_fidelity", "--worker", "--", f"--rootdir={top}"]
            command += [str(path) for path in paths]
            with open(pathlib.Path(folder, "out"), "w+") as out:
                code = watched(command, env, folder, log, out)
                out.seek(0)
                text = out.read()[-2000:]
            running = None
            for line in log.read_text().splitlines():
                kind, name, *rest = json.loads(line)
                running = name if kind == "start" else None
                if kind != "start":
                    outcomes[name] = (kind, *rest)
        if code in (0, 1, 5) or running is None:
            return outcomes
        outcomes[running] = ("failed", f"the process ended with {code}: {text}", 0.0)


def watched(command, env, folder, log, out):
    """The exit code; a process whose log does not grow for ``QUIET`` seconds is killed."""
    process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=env, cwd=folder)
    size, since = 0, time.monotonic()
    while process.poll() is None:
        time.sleep(0.05)
        now = os.stat(log).st_size
        if now != size:
            size, since = now, time.monotonic()
        elif time.monotonic() - since > QUIET:
            process.kill()
    return process.wait()


def differences(paths, most=math.inf):
    """(number of tests that pass natively in ``most`` seconds, {test that does not when interpreted: text})"""
    native = run_files(paths, False)
    passing = [name for name, (outcome, _, seconds) in native.items() if outcome == "passed" and seconds <= most]
    interpreted = run_files(paths, True, [name for name in native if name not in passing])
    failing = {name: interpreted.get(name, ("", "did not run")) for name in passing}
    return len(passing), {name: outcome[1] or outcome[0] for name, outcome in failing.items() if outcome[0] != "passed"}


def unexpected(failing):
    """The differences that no row of `EXPECTED` explains."""
    return {name: text for name, text in failing.items() if not any(part in name for part in EXPECTED)}


def main():
    if sys.argv[1:3] == ["--worker", "--"]:
        raise SystemExit(worker(sys.argv[3:]))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="+")
    parser.add_argument("--match", default="", help="only files whose path holds this text")
    parser.add_argument("--batch", type=int, default=20, help="files a process")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    for package in options.packages:
        paths = [path for path in files(package) if options.match in str(path)]
        total, failing, started = 0, {}, time.perf_counter()
        for start in range(0, len(paths), options.batch):
            count, found = differences(paths[start : start + options.batch], SECONDS)
            total += count
            failing |= found
            for name, text in unexpected(found).items():
                print("    ", name, flush=True)
                if options.verbose:
                    print("        " + text.strip().replace("\n", "\n        "), flush=True)
        seconds = time.perf_counter() - started
        new = len(unexpected(failing))
        print(f"{package}: {total - len(failing)} of {total} as in CPython, {new} not expected, {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
