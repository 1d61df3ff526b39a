"""``explain`` finds every problem that a few runs can reach, says where each is, never raises, and agrees with ``export``."""

from __future__ import annotations

import os
import random
import time

import numpy as np
import pytest

from npexport import Dim, draft_export, explain, export, frame_hook
from npexport.symshapes.errors import ExportError
from tests.support.language import PROGRAMS, inputs

X = np.ones(3)
LOG = []


def several(x):
    started = time.time()
    if x.sum() > 0:
        print(x)
    else:
        open("file")
    LOG.append(started)
    return x * random.random() * float(os.environ["HOME"])


def both_sides(x):
    if x.sum() > 0:
        y = hash(x[1])
    else:
        y = hash(x[0])
    return y


def nested_branches(x):
    if x[0] > 0:
        if x[1] > 0:
            time.time()
        else:
            time.sleep(1)
    return x


def loop_on_data(x):
    while x.sum() < 10:
        x = x * 2
        time.time()
    return x


def loop_over_data(x):
    for _ in range(int(x[0])):
        x = x[None]
    return x


def inside_calls(x):
    def helper(v):
        return hash(v)

    return [helper(v) for v in x]


def writes(x):
    LOG.append(x)
    several.note = 3
    return x


def follow_ups_are_not_reported(x):
    n = hash(x[0])
    m = n * 2 + 1
    items = [m] * 3
    if m > 2:
        items.append(n)
    return x[: items[0]] + m


def raises(x):
    return x.reshape(2, 2)


def unknown_in_numpy(x):
    t = time.time()
    return np.sin(t) + np.concatenate([x, x]) * t


def with_and_format(x):
    with open("a") as file:
        text = f"{file.read()} {x}"
    return x, text


def recursive(x, n=3):
    return x if n == 0 else recursive(x * time.time(), n - 1)


EXPECTED = {
    several: ["E106", "E114", "E112", "E107", "E108", "E105"],
    both_sides: ["E104", "E104"],
    nested_branches: ["E106", "E106"],
    loop_on_data: ["E106"],
    loop_over_data: ["E103"],
    inside_calls: ["E104"],
    writes: ["E112", "E112"],
    follow_ups_are_not_reported: ["E104"],
    raises: ["E208"],
    unknown_in_numpy: ["E106"],
    with_and_format: ["E105"],
    recursive: ["E106"],
}


@pytest.mark.parametrize(("program", "codes"), EXPECTED.items(), ids=[program.__name__ for program in EXPECTED])
def test_problems(program, codes):
    before = len(LOG)
    found = explain(program, (X,))
    assert sorted(problem.code for problem in found.problems) == sorted(codes), str(found)
    assert not found.ok and len(LOG) == before
    for problem in found.problems:
        assert isinstance(problem, ExportError) and problem.hint
        assert problem.code == "E208" or problem.location is not None
        assert problem.code in str(found)
    if program is not raises:
        with pytest.raises(ExportError):
            export(program, (X,))


@pytest.mark.parametrize("program", PROGRAMS[::7])
def test_what_can_be_exported_has_no_problems(program, capsys):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = explain(program, inputs(0))
    if frame_hook() != "pep523" and {problem.code for problem in found.problems} == {"E119"}:
        pytest.skip("needs the C extension")
    assert found.ok, str(found)
    assert found.graph is not None and "can be exported" in str(found)


def test_guards_and_violations():
    found = explain(lambda x: x.reshape(-1, 4), (np.ones(8),), dynamic_shapes={"x": {0: Dim.AUTO}})
    assert found.ok and len(found.guards) == 1 and "x.shape[0] % 4 == 0" in str(found)
    broken = explain(lambda x: x.reshape(-1, 4), (np.ones(8),), dynamic_shapes={"x": {0: Dim("n")}})
    assert [problem.code for problem in broken.problems] == ["E301"]
    wrong = explain(lambda x: x, (np.ones(8),), dynamic_shapes={"y": None})
    assert [problem.code for problem in wrong.problems] == ["E302"]


def test_endless_loops_end():
    def endless(x):
        while x.ndim:
            pass

    assert [problem.code for problem in explain(endless, (X,)).problems] == ["E124"]


def depths(tree):
    return [depths(part) for part in tree.children]


def leaves(tree):
    return 1 if tree.is_leaf else leaves(tree.left) + leaves(tree.right)


def repeated(count, value):
    return value if count == 0 else repeated(count - 1, value)


@pytest.mark.parametrize("read", [explain, draft_export])
@pytest.mark.parametrize(
    ("program", "codes"),
    [
        (lambda x: np.ma.masked_array(x, x > 0.5), ["E101"]),
        (lambda x: depths(x.view(np.recarray)), ["E101"]),
        (lambda x: leaves(x.view(np.recarray)), ["E101"]),
        (lambda x: (repeated(50, x.view(np.recarray)), np.random.rand()), ["E101", "E107"]),
    ],
    ids=["of NumPy", "depths", "leaves", "counted"],
)
def test_recursion_over_what_is_unknown_ends(program, codes, read):
    start = time.perf_counter()
    found = read(program, (np.ones(3),))
    problems = found.problems if read is explain else found.report.failures
    assert [problem.code for problem in problems] == codes
    assert time.perf_counter() - start < 20


def test_provenance():
    weights = np.ones(3)

    def branch(x, y):
        z = np.sin(x) * weights
        return y if z.sum() > 0 else x

    line = branch.__code__.co_firstlineno + 2
    with pytest.raises(ExportError) as caught:
        export(branch, (X, X), capture_control_flow=False)
    assert f"computed by np.greater in line {line} from c_weights and x" in caught.value.message

    (problem,) = explain(lambda x: hash(x[0]) + len(x.tolist()[:0]), (X,)).problems[:1]
    assert "computed by np.getitem" in problem.message and "from x" in problem.message
    (problem,) = explain(lambda x: print(x), (np.ones(()),)).problems
    assert "the input x" in problem.message
