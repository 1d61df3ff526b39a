"""What a search leaves ``None`` where it finds nothing, and is then given to NumPy, which raises."""

from __future__ import annotations

import math

import numpy as np
import pytest

from npexport import export, load, save
from tests.support.outcomes import shown


def best_angle(x):
    best, angle = -np.inf, None
    for step in range(3):
        if x[step] > best:
            best, angle = x[step], step * 0.5
    return np.cos(angle), [np.sin(angle)]


def in_a_tuple(x):
    best = (-np.inf, None)
    for step in range(3):
        if best[0] < x[step]:
            best = (x[step], step * 0.25)
    return np.array([np.sqrt(best[1]), math.sin(best[1])])


def an_attribute(x):
    found = None
    if x[0] > 0:
        found = x[:1]
    return found.missing if found is None else found * 2


def a_cause(x):
    if x[0] > 0:
        return x
    error = AttributeError("none")
    error.name, error.place = "unknown", 3
    raise ValueError("nothing is found") from error


def test_errors_of_numpy_about_none_are_raised_at_run_time():
    for program in (best_angle, in_a_tuple, an_attribute, a_cause):
        run = export(program, (np.array([1.0, 3.0, 2.0]),)).module()
        for x in ([4.0, 0.0, 1.0], [1.0, 5.0, 9.0]):
            assert shown(run(np.array(x))) == shown(program(np.array(x)))
        assert told(run) == told(program)


def test_they_stand_in_files_and_in_sources(tmp_path):
    program = export(best_angle, (np.ones(3),))
    save(program, tmp_path / "f.np2")
    assert told(load(tmp_path / "f.np2").module()) == told(best_angle)
    namespace = {}
    exec(program.to_python(), namespace)
    assert told(namespace["forward"])[0] == told(best_angle)[0]


def told(run):
    with pytest.raises((TypeError, AttributeError, ValueError)) as raised:
        run(np.array([np.nan] * 3))
    parts, error = [], raised.value
    while error is not None:
        parts.append((type(error), error.args, getattr(error, "name", None), getattr(error, "place", None), error.__suppress_context__))
        error = error.__cause__ or error.__context__
    return parts
