"""Values that nobody can change are results as they are. They are saved where plain data says all of them; ``save`` refuses the others."""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import io
import uuid
import zoneinfo
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export, frame_hook, save
from npexport.ir.statics import remade
from tests.support.forms import reloaded


class Kind(enum.Enum):
    SMALL = "small"


class Level(enum.IntEnum):
    HIGH = 3


class Mode(enum.Flag):
    READ = 1
    WRITE = 2


DAY = datetime.date(2024, 2, 29)
MOMENT = datetime.datetime(2024, 2, 29, 1, 2, 3, 4, fold=1)
SAVED: list[Any] = [
    decimal.Decimal("1.50"),
    decimal.Decimal("NaN"),
    fractions.Fraction(-1, 3),
    DAY,
    MOMENT,
    MOMENT.replace(tzinfo=datetime.timezone.utc),
    MOMENT.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=-5))),
    datetime.time(3, 4, fold=1),
    datetime.timedelta(-1, 5, 7),
    uuid.UUID(int=2**127 + 5),
    range(5, 1, -2),
    slice(1, None, 2),
    np.dtype("f4"),
    np.dtype([("a", "i2"), ("b", "f8", (2,))]),
    np.datetime64("2024-02-29", "D"),
    np.timedelta64(3, "h"),
    np.complex64(1 + 2j),
    1 + 2j,
    b"ab\0",
    ...,
    frozenset(),
    frozenset({7}),
    frozenset({"text"}),
    np.float32,
    int,
]
UNSAVED: list[Any] = [
    Kind.SMALL,
    Level.HIGH,
    Mode.WRITE,
    MOMENT.replace(tzinfo=zoneinfo.ZoneInfo("UTC")),
]


def same(actual: Any, wanted: Any) -> bool:
    return type(actual) is type(wanted) and repr(actual) == repr(wanted)


@pytest.mark.parametrize("value", SAVED + UNSAVED, ids=repr)
def test_results(value: Any) -> None:
    program = export(lambda x: (x + 1, {"value": value}), (np.ones(3),))
    assert same(program.module()(np.ones(3))[1]["value"], value)
    assert repr(value) in str(program) or isinstance(value, (slice, type, np.dtype, np.generic))


@pytest.mark.parametrize("value", SAVED, ids=repr)
def test_results_are_saved(value: Any) -> None:
    assert same(reloaded(export(lambda x: (x + 1, value), (np.ones(3),))).module()(np.ones(3))[1], value)


@pytest.mark.parametrize("value", UNSAVED, ids=repr)
def test_what_no_file_can_hold_is_refused_by_save(value: Any) -> None:
    with pytest.raises(ExportError) as caught:
        save(export(lambda x: (x + 1, value), (np.ones(3),)), io.BytesIO())
    assert caught.value.code == "E242"


REFUSED = {
    "a function": lambda x: (x, len),
    "a slice of sizes": lambda x: (x, slice(0, len(x))),
    "an object": lambda x: (x, object()),
    "a module": lambda x: (x, np),
}


@pytest.mark.parametrize("program", REFUSED.values(), ids=REFUSED)
def test_others_are_refused(program: Any) -> None:
    with pytest.raises(ExportError) as caught:
        export(program, (np.ones(3),), dynamic_shapes=({0: Dim("n")},))
    assert caught.value.code in ("E115", "E301")  # sizes that C looks at are numbers


def test_members_of_enumerations_that_are_made_anew_are_refused() -> None:
    with pytest.raises(ExportError) as caught:
        export(lambda x: (x, enum.Enum("Made", "ONE").ONE), (np.ones(3),))  # type: ignore[attr-defined]
    assert caught.value.code == ("E119" if frame_hook() == "settrace" else "E115")  # making the class calls __set_name__


DAMAGED = [
    ("date", [2024, 13, 1]),
    ("fraction", [1, 0]),
    ("decimal", [1]),
    ("datetime", []),
    ("range", ["1"]),
    ("uuid", [-1]),
    ("uuid", [2**128]),
]


@pytest.mark.parametrize("name, parts", DAMAGED)
def test_damaged_values_are_no_values(name: str, parts: list[Any]) -> None:
    with pytest.raises(ValueError, match=f"no {name} consists of"):
        remade(name, parts)


def test_frozen_sets_of_plain_values_are_results() -> None:
    members = frozenset({None, "q", 2, True})
    program = export(lambda x: ({"k": members}, frozenset({x.ndim, "a"})), (np.ones(3),))
    for form in (program, reloaded(program)):
        assert form.module()(np.ones(3)) == ({"k": members}, frozenset({1, "a"}))
    for refused in (frozenset({1.5}), frozenset({frozenset()}), {1.5}):
        with pytest.raises(ExportError, match="E115"):
            export(lambda x, refused=refused: (x, refused), (np.ones(3),))


def test_uuids_are_made_by_programs() -> None:
    def program(x: Any) -> Any:
        first = uuid.UUID("12345678-1234-5678-1234-567812345678")
        return {first: x, uuid.UUID(int=first.int + 1): x * 2}, uuid.UUID(bytes=first.bytes[::-1])

    ep = export(program, (np.ones(3),))
    for form in (ep, reloaded(ep)):
        assert repr(form.module()(np.ones(3))) == repr(program(np.ones(3)))
    with pytest.raises(ExportError, match="E115|E301"):
        export(lambda x: (x, uuid.UUID(int=len(x))), (np.ones(3),), dynamic_shapes=({0: Dim("n")},))


def flagged(kind: type[enum.Flag]) -> Any:
    return export(lambda x: (x, kind(1) | kind(4), {kind(1) | kind(2): x}), (np.ones(2),)).module()


@pytest.mark.parametrize("base", [enum.Flag, enum.IntFlag])
def test_combinations_of_flags_that_the_program_is_first_to_make_are_those_that_callers_make(base):
    kind = base("Access", {"READ": 1, "WRITE": 2, "RUN": 4}, module=__name__)
    _, result, table = flagged(kind)(np.ones(2))
    assert result is kind(5) and list(table) == [kind(3)] and kind(3) in table


def test_combinations_of_flags_that_callers_have_are_results():
    kind = enum.Flag("Access", {"READ": 1, "WRITE": 2, "RUN": 4}, module=__name__)
    before = kind(5), kind(3)
    _, result, table = flagged(kind)(np.ones(2))
    assert result is before[0] and next(iter(table)) is before[1]


@pytest.mark.parametrize("base", [enum.Flag, enum.IntFlag])
def test_flags_of_sizes_are_refused(base):
    kind = base("Access", {"READ": 1, "WRITE": 2, "RUN": 4}, module=__name__)
    with pytest.raises(ExportError) as caught:
        export(lambda x: (x, kind(x.shape[0])), (np.ones(3),), dynamic_shapes=({0: Dim.AUTO},))
    assert caught.value.code == "E112" and kind(3).value == 3 and type(kind(3).value) is int
