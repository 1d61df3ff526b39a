"""``max`` and ``min`` go over dates as over numbers."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, export

DAYS = np.array(["2020-01-01", "2021-01-01", "2019-01-01", "2021-05-01"], "M8[D]")


@pytest.mark.parametrize("function", [max, min])
@pytest.mark.parametrize("dates", [DAYS, DAYS - DAYS[0]], ids=["dates", "durations"])
def test_extremes(function, dates):
    run = export(lambda t: function(t), (dates,), dynamic_shapes=({0: Dim("n", min=1)},)).module()
    for some in (dates, dates[1:], dates[:1]):
        assert repr(run(some)) == repr(function(some))
