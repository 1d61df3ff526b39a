"""CPython's own ``test`` package, each test method's body run by the interpreter.

``python -m tests.conformance.python.cpython_fidelity [test_patma ...]`` runs each file twice, natively and
interpreted, in processes of their own, and prints which methods that pass natively fail when
interpreted. ``--update`` rewrites the list of expected failures of the running version,
keeping the reasons that stand there.
"""

from __future__ import annotations

import argparse
import builtins
import functools
import gc
import json
import pathlib
import signal
import subprocess
import sys
import time
import unittest
import warnings

from tests.support.paths import ROOT

FILES = """
 test_patma test_generators test_generator_stop test_yield_from test_listcomps test_dictcomps test_setcomps test_scope test_super
test_fstring test_keywordonlyarg test_positional_only_arg test_exceptions test_exception_variations test_except_star
test_exception_group test_raise test_with test_contextlib test_class test_descr test_property test_functools test_itertools
test_dict test_set test_list test_tuple test_range test_slice test_iter test_augassign test_binop test_compare test_bool test_int
test_float test_enumerate test_grammar test_unpack test_unpack_ex test_extcall test_coroutines test_asyncgen test_decorators
test_dataclasses test_enum test_collections test_types test_builtin test_funcattrs test_named_expressions test_userdict
test_operator test_heapq test_deque test_defaultdict test_ordered_dict test_math test_copy test_string test_typing
test_type_params test_type_annotations test_tstring
""".split()

EXPECTED = pathlib.Path(__file__).parent / "cpython_expected" / f"{sys.version_info[0]}.{sys.version_info[1]}.txt"
SECONDS = 100
METHODS = 5_000  # that pass natively, at least, on every version


class TimeLimit(BaseException):
    """A test took too long."""


def _alarm(signum, frame):
    raise TimeLimit


def load(name):
    """The test cases of a file, flat, by identifier."""
    import importlib

    module = None
    for candidate in (f"test.{name}", f"test.{name}.{name}"):
        try:
            module = importlib.import_module(candidate)
        except ModuleNotFoundError:
            continue
        break
    if module is None:
        return {}
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    cases = {}

    def walk(tests):
        for test in tests:
            if isinstance(test, unittest.TestSuite):
                walk(test)
            else:
                cases.setdefault(test.id(), test)

    walk(suite)
    return cases


def interpreting():
    """From here on the body of every test method is interpreted."""
    from npexport.tracer.interpreter import interpret

    def call(self, method):
        interpret(method)

    def call_async(self, method):
        if self._callMaybeAsync(functools.partial(interpret, method)) is not None:
            raise AssertionError("a test returned a value")

    unittest.TestCase._callTestMethod = call
    unittest.IsolatedAsyncioTestCase._callTestMethod = call_async


def worker(name, mode, only, skip):
    """Runs the tests of a file and prints one JSON line before and one after each."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _alarm)
    cases = load(name)
    known = dict(vars(builtins))
    if mode == "interpreted":
        interpreting()
    for identifier, case in cases.items():
        if identifier in skip or (only and identifier not in only):
            continue
        print(json.dumps(["start", identifier]), flush=True)
        started = time.perf_counter()
        outcome, text = "passed", ""
        result = unittest.TestResult()
        signal.setitimer(signal.ITIMER_REAL, SECONDS, 1)
        try:
            unittest.TestSuite([case]).run(result)
            if result.errors or result.failures:
                outcome, text = "failed", (result.errors + result.failures)[0][1]
            elif result.skipped:
                outcome = "skipped"
            elif result.expectedFailures:
                outcome = "skipped"
        except TimeLimit:
            outcome, text = "failed", f"took more than {SECONDS} s"
        except BaseException as error:  # noqa: BLE001
            outcome, text = "failed", repr(error)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            vars(builtins).update(known)  # a test may replace builtins, and its own cleaning up fails if the interpreter uses them
        print(json.dumps([outcome, identifier, text[-3000:], time.perf_counter() - started]), flush=True)
    gc.collect()


def run_process(command, text, quiet=240):
    """(exit code, output, errors); a process that prints nothing for ``quiet`` seconds is killed."""
    import os
    import tempfile

    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=err, text=True, cwd=ROOT)
        process.stdin.write(text)
        process.stdin.close()
        size, since = 0, time.monotonic()
        while process.poll() is None:
            time.sleep(0.05)
            now = os.fstat(out.fileno()).st_size
            if now != size:
                size, since = now, time.monotonic()
            elif time.monotonic() - since > quiet:
                process.kill()
        out.seek(0)
        err.seek(0)
        return process.wait(), out.read(), err.read()


def run_file(name, mode, only=(), tries=8):
    """{identifier: (outcome, text, seconds)}; a test that takes the process down is a failure."""
    outcomes = {}
    for _ in range(tries):
        command = [sys.executable, "-m", "tests.conformance.python.cpython_fidelity", "--worker", name, "--mode", mode]
        code, output, errors = run_process(command, json.dumps([list(only), list(outcomes)]))
        running = None
        for line in output.splitlines():
            try:
                kind, identifier, *rest = json.loads(line)
            except (ValueError, TypeError):
                continue
            if kind == "start":
                running = identifier
            elif kind in ("passed", "failed", "skipped"):
                outcomes[identifier] = (kind, *rest)
                running = None
        if code == 0:
            break
        if running is None:
            break
        outcomes[running] = ("failed", f"the process died: {code}\n{errors[-2000:]}", 0.0)
    return outcomes


def read_expected():
    """{identifier: reason}"""
    if not EXPECTED.exists():
        return {}
    rows = (line.partition(": ") for line in EXPECTED.read_text().splitlines() if line.strip() and not line.startswith("#"))
    return {identifier: reason for identifier, _, reason in rows}


def fidelity(name):
    """(methods that pass natively, those among them that fail when interpreted: {identifier: text}, seconds of both)."""
    native = run_file(name, "native")
    passing = [identifier for identifier, outcome in native.items() if outcome[0] == "passed"]
    interpreted = run_file(name, "interpreted", passing) if passing else {}
    failing = {}
    for identifier in passing:
        outcome = interpreted.get(identifier, ("failed", "did not run", 0.0))
        if outcome[0] != "passed":
            failing[identifier] = outcome[1] or outcome[0]
    return passing, failing, interpreted


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--worker", action="store_true")
    parser.add_argument("--mode", default="native")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if options.worker:
        only, skip = json.loads(sys.stdin.read())
        worker(options.files[0], options.mode, set(only), set(skip))
        return
    names = options.files or FILES
    expected = read_expected()
    total = 0
    failed = {}
    for name in names:
        passing, failing, outcomes = fidelity(name)
        total += len(passing)
        failed |= failing
        seconds = sum(outcome[2] for outcome in outcomes.values() if len(outcome) > 2)
        new = [identifier for identifier in failing if identifier not in expected]
        print(f"{name:28} {len(passing) - len(failing):5} of {len(passing):5}  {seconds:6.1f} s  {len(new)} not expected", flush=True)
        for identifier in new:
            print("    ", identifier)
            if options.verbose:
                print("        " + failing[identifier].strip().replace("\n", "\n        "))
    print(f"{sys.version.split()[0]}: {total - len(failed)} of {total} methods = {100 * (total - len(failed)) / max(total, 1):.2f} %")
    if options.update:
        EXPECTED.parent.mkdir(exist_ok=True)
        kept = {key: reason for key, reason in expected.items() if key.split(".")[1] not in names}
        kept |= {key: expected.get(key) or failed[key].strip().splitlines()[-1][:160] for key in failed}
        EXPECTED.write_text("".join(f"{key}: {kept[key]}\n" for key in sorted(kept)))


if __name__ == "__main__":
    main()
