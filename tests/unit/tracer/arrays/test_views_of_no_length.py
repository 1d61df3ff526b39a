"""``x.view('V')``: a dtype without a length is of the length of the array's elements."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import export
from tests.support.outcomes import outcome


@pytest.mark.parametrize("dtype", ["V", "S", "U", "S0", np.void, np.str_, np.bytes_], ids=str)
@pytest.mark.parametrize("kind", ["f8", "i2", "S3", "U2", "V5"])
@pytest.mark.parametrize("step", [1, 2])
def test_it_is_that_of_eager_execution(dtype, kind, step):
    x = np.arange(4).astype(kind if kind != "V5" else "S5").view(kind)[::step]
    assert outcome(lambda x: export(lambda x: x.view(dtype), (x,)).module()(x), (x,)) == outcome(lambda x: x.view(dtype), (x,))
