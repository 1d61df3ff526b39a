"""The page of what is captured of NumPy has every name, and is true of a sample of them, on every version of NumPy."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export
from tests.conformance.numpy.coverage import WAYS, captured, findings
from tests.support.numpy_names import METHODS, VERSION, Name, names, present
from tests.support.paths import DOCS

PAGE = (DOCS / "numpy-coverage.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| `(numpy\.[\w.]+)` \| ([\w ]+) \| (?:since|until|\|)", PAGE, re.M))
SHARDS = 20


def test_the_page_has_every_name() -> None:
    found = {str(name) for name in names()}
    rows = {name for name in ROWS if name.rpartition(".")[2] not in METHODS or name in found}
    assert found == {name for name in rows if present(name, VERSION)}


@pytest.mark.parametrize(
    ("row", "share"), [("`numpy`", 95), ("`numpy.linalg`", 100), ("`numpy.fft`", 100), ("all but `numpy.ma` and `numpy.random`", 95)]
)
def test_most_of_what_takes_arrays_is_captured(row: str, share: float) -> None:
    (found,) = [line for line in PAGE.splitlines() if line.startswith(f"| {row} |")]
    assert float(found.split("|")[-2].strip().removesuffix("%")) >= share


@pytest.mark.parametrize("write", [lambda x, path: x.tofile(path), lambda x, path: x.dump(path), lambda x, path: np.save(path, x)])
def test_what_writes_files_is_refused_before_it_writes(write: Any, tmp_path: Any) -> None:
    with pytest.raises(ExportError) as caught:
        export(lambda x: write(x, str(tmp_path / "file")), (np.ones(3),))
    assert caught.value.code == "E105"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("shard", range(0, SHARDS, 5))
def test_the_page_is_true(shard: int) -> None:
    # Versions differ about which functions of numpy.ma take plain arrays.
    everything = [str(name) for name in names() if name.space != "numpy.ma"]
    chosen = set(everything[shard::SHARDS])

    def of_shard(name: Name) -> bool:
        return str(name) in chosen

    for finding in findings(of_shard):
        assert finding.name in ROWS
        assert (ROWS[finding.name] in WAYS) == captured(finding), finding
