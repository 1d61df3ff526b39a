"""Named tuples in lists that loops fill: equal to eager execution at any size, with their classes."""

from __future__ import annotations

import heapq
import json
import zipfile
from collections import namedtuple
from runpy import run_path
from typing import Any, NamedTuple

import numpy as np
import pytest

from npexport import Dim, ExportError, LoadError, export, load, save
from tests.support.outcomes import outcome

Peak = namedtuple("Peak", "place height")


class Part(NamedTuple):
    start: int
    stop: int
    last: float = 0.0

    @property
    def length(self) -> int:
        return self.stop - self.start


class Backwards(NamedTuple):
    value: float
    place: int

    def __lt__(self, other: Any) -> bool:
        return bool(self.place > other.place)


def peaks(x: Any) -> Any:
    found = []
    for i in range(1, len(x) - 1):
        if x[i] > x[i - 1] and x[i] > x[i + 1]:
            found.append(Peak(i, x[i]))
    return found


def highest(x: Any) -> Any:
    found = [Peak(i, value) for i, value in enumerate(x)]
    return sorted(found, key=lambda peak: -peak.height)[0], sum(peak.height for peak in found), sorted(Peak(v, i) for i, v in enumerate(x))


def parts(x: Any) -> Any:
    found, start = [], 0
    for i in range(1, len(x)):
        if x[i] < x[i - 1]:
            found.append(Part(start, i, float(x[i])))
            start = i
    found.append(Part(start, len(x)))
    return found, [part.length for part in found], max(part.length for part in found)


def nested(x: Any) -> Any:
    found = []
    for i, value in enumerate(x):
        found.append((Peak(i, None) if value < 0 else Peak(i, value), [value, value * 2]))
    return found


def replaced(x: Any) -> Any:
    found = [Peak(0, 0.0)]
    for i, value in enumerate(x):
        if value > found[-1].height:
            found.append(found[-1]._replace(height=float(value)))
        else:
            found[-1] = Peak(i, found[-1].height)
    return found


def counted(x: Any) -> Any:
    counts: dict[Any, int] = {}
    for i, value in enumerate(x):
        key = Peak(int(value > 0), i % 2)
        counts[key] = counts.get(key, 0) + 1
    return counts


def read(x: Any) -> Any:
    found, total = [], 0.0
    for i, value in enumerate(x):
        found.append(Peak(i, value))
    for place, height in found:
        total += place * height
    return total, np.array(found), Peak(0, 0.5) < found[0]


def of_stack(x: Any) -> Any:
    stack: list[Any] = []
    area = 0.0
    for i, value in enumerate(x):
        while stack and stack[-1].height > value:
            peak = stack.pop()
            area = max(area, peak.height * (i - peak.place))
        stack.append(Peak(i, value))
    return area, stack


def of_heap(x: Any) -> Any:
    heap: list[Any] = []
    for i, value in enumerate(x):
        heapq.heappush(heap, Peak(value, i))
    return heapq.heappop(heap), len(heap)


PROGRAMS = [peaks, highest, parts, nested, replaced, counted, read, of_stack]
GIVEN = [np.random.default_rng(size).integers(-3, 4, size) / 2 for size in (2, 3, 5, 4, 9, 4, 4)]


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.__name__ for program in PROGRAMS])
def test_they_are_those_of_eager_execution_at_any_size(program: Any, tmp_path: Any) -> None:
    exported = export(program, (GIVEN[3],), dynamic_shapes=({0: Dim("n", min=2)},))
    save(exported, tmp_path / "program.np2")
    exported.to_python(tmp_path / "written.py")
    written = run_path(str(tmp_path / "written.py"))["forward"]
    for run in (exported.module(), load(tmp_path / "program.np2").module(), written):
        for x in GIVEN:
            assert outcome(run, (x,)) == outcome(program, (x,))


@pytest.mark.parametrize("program", [highest, of_heap, replaced], ids=lambda program: program.__name__)
def test_they_are_those_of_eager_execution_at_one_size(program: Any) -> None:
    run = export(program, (GIVEN[3],)).module()
    for x in GIVEN:
        if len(x) == 4:
            assert outcome(run, (x,)) == outcome(program, (x,))


def _ordered_by_themselves(x: Any) -> Any:
    return sorted(Backwards(value, place) for place, value in enumerate(x))


def test_those_that_compare_themselves_are_ordered_by_that() -> None:
    run = export(_ordered_by_themselves, (GIVEN[3],)).module()
    assert outcome(run, (GIVEN[3],)) == outcome(_ordered_by_themselves, (GIVEN[3],))
    with pytest.raises(ExportError, match="an item of type Backwards"):
        export(_ordered_by_themselves, (GIVEN[3],), dynamic_shapes=({0: Dim.DYNAMIC},))


def _of_two_classes(x: Any) -> Any:
    found: list[Any] = []
    for place, value in enumerate(x):
        found.append(Peak(place, value) if value > 0 else (place, value))
    return found


def test_those_of_two_classes_are_refused() -> None:
    with pytest.raises(ExportError, match="Peak"):
        export(_of_two_classes, (GIVEN[3],), dynamic_shapes=({0: Dim.DYNAMIC},))


@pytest.mark.parametrize(("old", "new", "text"), [("Peak", "Lost", "not known here"), ('"height"]', '"weight"]', "not known here")])
def test_a_file_names_a_class_that_is_there(old: str, new: str, text: str, tmp_path: Any) -> None:
    save(export(peaks, (GIVEN[3],)), tmp_path / "program.np2")
    with zipfile.ZipFile(tmp_path / "program.np2") as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    changed = {name: _changed(data, old, new) if name.endswith(".json") else data for name, data in contents.items()}
    assert changed != contents
    with zipfile.ZipFile(tmp_path / "changed.np2", "w") as archive:
        for name, data in changed.items():
            archive.writestr(name, data)
    with pytest.raises(LoadError):
        load(tmp_path / "changed.np2")


def _changed(data: bytes, old: str, new: str) -> bytes:
    text = json.dumps(json.loads(data))
    return text.replace(old, new).encode() if '"namedtuple"' in text else data
