"""The page of what of SciPy, scikit-image and statsmodels is exported has every call, and what it says is exported goes on being so."""

from __future__ import annotations

import pytest

from npexport import frame_hook
from tests.conformance.packages.library_coverage import DISTRIBUTIONS, EXPORTED, PAGE, Call, calls, page, rows, verdict
from tests.support.shards import shard

for _name in DISTRIBUTIONS:
    pytest.importorskip(_name, reason=f"{_name} is not installed")

ROWS = rows()
FIXED = [call for call in calls() if ROWS[call.package, call.text][0] == "yes"]
DYNAMIC = [call for call in FIXED if ROWS[call.package, call.text][1] == "yes"]
ANSWERS = pytest.mark.skipif(frame_hook() == "settrace", reason="needs the C extension: libraries have callbacks from C")


def test_the_page_has_every_call_and_its_figures() -> None:
    assert [(call.package, call.text) for call in calls()] == list(ROWS)
    assert PAGE.read_text(encoding="utf-8").partition("| package |")[2] == page(ROWS).partition("| package |")[2]
    assert not [row for row in ROWS.values() if row[0] in ("WRONG", "")]


@ANSWERS
@pytest.mark.slow
@pytest.mark.parametrize("call", shard(FIXED, 6), ids=lambda call: call.text)
def test_what_is_exported_with_fixed_sizes_goes_on_being_so(call: Call) -> None:
    assert verdict(call, dynamic=False) == EXPORTED


@ANSWERS
@pytest.mark.slow
@pytest.mark.parametrize("call", shard(DYNAMIC, 6), ids=lambda call: call.text)
def test_what_is_exported_with_dynamic_sizes_goes_on_being_so(call: Call) -> None:
    assert verdict(call, dynamic=True) == EXPORTED
