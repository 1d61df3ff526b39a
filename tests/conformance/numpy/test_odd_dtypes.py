"""Functions of dates, times, texts and records of dynamic sizes: as NumPy at all sizes, or refused."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.lib.recfunctions
import pytest

from npexport import Dim, ExportError, export
from tests.support.odd_dtypes import DTYPES, REFUSED, array, calls, table
from tests.support.outcomes import outcome, result_or_error
from tests.support.paths import ROOT
from tests.support.shards import shard

SIZES = (5, 4, 7, 12)


def raises(f: Callable[..., Any], args: tuple[Any, ...]) -> bool:
    """Whether NumPy itself has no such function."""
    return isinstance(result_or_error(f, *args), TypeError)


@pytest.mark.parametrize("call", shard(calls(), 4))
def test_functions_of_dates_texts_and_records(call: str) -> None:
    f = eval(f"lambda x, i: {call}", {"np": np})
    n = Dim("n", min=4)
    for dtype, kind in DTYPES.items():
        if dtype == "StringDType" and np.lib.NumpyVersion(np.__version__) < "2.5.0":
            continue  # np.place and np.lexsort of NumPy itself end the process
        examples = [(array(dtype, size), np.arange(size) % 4) for size in SIZES]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                program = export(f, examples[0], dynamic_shapes=({0: n}, {0: n}))
            except ExportError as refusal:
                assert REFUSED.get((call, kind)) == refusal.code or raises(f, examples[0]), (call, dtype, refusal)
                continue
            except Exception as error:
                assert outcome(f, examples[0])[0].startswith(f"{type(error).__name__}: "), (call, dtype, error)
                continue
        assert (call, kind) not in REFUSED, (call, dtype)
        for args in examples:
            assert outcome(program.module(), args) == outcome(f, args), (call, dtype, len(args[0]))


def test_the_page_lists_what_is_refused() -> None:
    text = (ROOT / "docs" / "numpy-coverage.md").read_text(encoding="utf-8")
    assert "\n".join(table()) in text
