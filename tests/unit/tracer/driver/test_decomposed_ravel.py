"""`ravel` of arrays with gaps is a copy, decomposed too: nobody writes through it to an input or a constant."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import export

LAYOUTS = {
    "gaps": lambda v: v[::2],
    "reversed": lambda v: v[::-1],
    "rows": lambda v: v.reshape(6, 4)[::2],
    "columns": lambda v: v.reshape(6, 4)[:, ::2],
    "whole": lambda v: v.reshape(4, 6),
    "turned": lambda v: v.reshape(4, 6).T,
    "none": lambda v: v[:0:2],
}


@pytest.mark.parametrize("order", "CFKA")
@pytest.mark.parametrize("name", LAYOUTS)
def test_memory(name, order):
    held = LAYOUTS[name](np.arange(24.0))
    for function in (lambda x: x.ravel(order), lambda x: held.ravel(order), lambda x: np.ravel(x, order) * 1, lambda x: x.flatten(order)):
        program = export(function, (LAYOUTS[name](np.zeros(24)),))
        for form in (program, program.run_decompositions()):
            given, module = LAYOUTS[name](np.arange(24.0)), form.module()
            found, wanted = module(given), function(given)
            np.testing.assert_array_equal(found, wanted)
            assert np.shares_memory(found, given) == np.shares_memory(wanted, given)
            if not np.shares_memory(wanted, held):
                found[...] = -1.0
                np.testing.assert_array_equal(module(LAYOUTS[name](np.arange(24.0))), function(LAYOUTS[name](np.arange(24.0))))
