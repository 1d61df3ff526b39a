"""Modules of plain NumPy with operators of users and warnings."""

from __future__ import annotations

import binascii
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

from npexport import Dim, UserError, custom_op, export, map, opaque
from tests.support import plain_library, plain_run
from tests.support.plain_modules import equal, module_of

X = np.array([1.0, -1.0, 2.0])


def operators(x: Any, y: Any) -> Any:
    count = plain_library.count_up(y, 2.0)
    values, places = plain_library.positive(x)
    return plain_library.twice(x) + 1, count, values, places, plain_library.twice(values), plain_library.count_up(x * 1)


@pytest.mark.parametrize("shapes", [None, {"x": {0: Dim.AUTO}, "y": {0: Dim.AUTO}}], ids=["static", "dynamic"])
def test_operators_are_imported_from_the_module_that_declares_them(shapes: Any, tmp_path: Any) -> None:
    program = export(operators, (X, np.zeros(2)), dynamic_shapes=shapes)
    module = module_of(program, tmp_path / "plain.py")
    text = (tmp_path / "plain.py").read_text()
    assert "import tests.support.plain_library" in text
    assert "# `ops.plain_library.twice` is a function of tests.support.plain_library, which is needed where this module runs." in text
    for x in [X, X[::-1]] if shapes is None else [X, np.ones(1), np.arange(5.0) - 2, np.zeros(0)]:
        mine, theirs = np.arange(2.0), np.arange(2.0)
        equal(module.forward(x, mine), program.module()(x, theirs))
        equal(mine, theirs)


def test_functions_of_other_packages_run_where_npexport_is_not(tmp_path: Any) -> None:
    def places(x: Any) -> Any:
        return binascii.crc_hqx(x, 0), map(lambda row: row[0] * binascii.crc_hqx(row, 1), np.stack([x, x + 1]))

    program = export(places, (X,))
    program.to_python(tmp_path / "plain.py")
    plain_run.written((X,), tmp_path / "plain.args")
    subprocess.run([sys.executable, plain_run.__file__, str(tmp_path)], check=True, cwd=tmp_path)
    equal(plain_run.read(tmp_path / "plain.result"), plain_run.called(program.module(), (X,)))


def test_results_that_contradict_the_fake_are_errors(tmp_path: Any) -> None:
    module = module_of(export(lambda x: plain_library.shrinking(x), (X,)), tmp_path / "plain.py")
    with pytest.raises(ValueError, match=r"ops\.plain_library\.shrinking does not give what it gave when the program was exported"):
        module.forward(X)


def local_operator() -> Any:
    @custom_op("plain_library::local")
    def local(x: np.ndarray) -> np.ndarray:
        return x + 1

    local.register_fake(np.empty_like)
    return local


@pytest.mark.parametrize("op", [local_operator(), opaque(lambda x: x * 2, np.empty_like, name="plain_library::nameless")], ids=str)
def test_operators_that_cannot_be_imported_are_named(op: Any) -> None:
    with pytest.raises(UserError, match=rf"{op}: its function \S+ cannot be imported from {__name__}") as caught:
        export(lambda x: op(x), (X,)).to_python()
    assert caught.value.code == "E244"


def warns(x: Any) -> Any:
    if x.sum() > 1:
        warnings.warn(f"it begins with {x[0]}", RuntimeWarning, stacklevel=1)
    return x * 2


def test_warnings_are_those_of_the_program(tmp_path: Any) -> None:
    program = export(warns, (X,))
    found = []
    for run in (program.module(), module_of(program, tmp_path / "plain.py").forward):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            run(X)
            run(-X)
        found.append([(each.category, str(each.message), each.filename, each.lineno) for each in told])
    assert found[0] == found[1] and found[0][0][:2] == (RuntimeWarning, "it begins with 1.0")
