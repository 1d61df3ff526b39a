"""The array API's linear algebra, which packages copy: it calls C of NumPy under an error state that raises."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from npexport.tracer.models.packages.validation import LINALG
from tests.support.outcomes import outcome


@pytest.mark.parametrize("module", LINALG)
def test_solve(module: str) -> None:
    if not module.startswith("array_api_compat"):
        pytest.importorskip(module.partition(".")[0])
    try:
        solve: Any = importlib.import_module(module).solve
    except ImportError:
        pytest.skip(f"{module} is not installed")

    def program(a: Any, b: Any) -> Any:
        try:
            return solve(a, b)
        except np.linalg.LinAlgError as error:
            return str(error)

    rng = np.random.default_rng(1)
    run = export(program, (rng.normal(size=(4, 3, 3)), rng.normal(size=(4, 3, 2))), dynamic_shapes=({0: Dim("n")}, {0: Dim("n")})).module()
    for n in (1, 3, 4):
        arguments = rng.normal(size=(n, 3, 3)), rng.normal(size=(n, 3, 2))
        assert outcome(run, arguments) == outcome(program, arguments)
    arguments = np.zeros((2, 3, 3)), np.ones((2, 3, 2))
    assert outcome(run, arguments) == outcome(program, arguments)
