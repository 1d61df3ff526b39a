"""Text that NumPy fills up, business days, dates as text."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, ExportError, Unsupported, export

TEXTS = np.array(["ab", "Cd", "3"])
DAYS = np.array(["2024-01-01", "2024-01-06", "2024-03-05"], "M8[D]")
CALENDAR = np.busdaycalendar("1111110", ["2024-01-05"])
LONG = np.array(["abcdef", "", "x yz"])
PROGRAMS = {
    "center": (lambda x: np.strings.center(x, 5, "*"), TEXTS),
    "zfill": (lambda x: np.strings.zfill(x, 5), TEXTS),
    "a width of two axes": (lambda x: np.strings.rjust(x, np.array([[7]])), TEXTS),
    "a text and a width of one axis": (lambda x: np.strings.zfill("5", np.array([2])), TEXTS),
    "bytes": (lambda x: np.strings.ljust(x, 4), TEXTS.astype("S2")),
    "of the module char": (lambda x: np.char.rjust(x, 2), TEXTS),
    "is_busday": (lambda x: np.is_busday(x, [1, 1, 1, 1, 0, 0, 0], ["2024-01-01"]), DAYS),
    "one day": (lambda x: np.is_busday(x[0]), DAYS),
    "calendar": (lambda x: np.busday_count(x, x[::-1], busdaycal=CALENDAR), DAYS),
    "calendar of the program": (lambda x: np.is_busday(x, busdaycal=np.busdaycalendar("1111110")), DAYS),
    "busday_offset": (lambda x: np.busday_offset(x, np.array([1, -2, 0]), "forward"), DAYS),
    "days as texts": (lambda x: np.busday_count("2024-01-01", x, holidays=["2024-01-05"]) + np.busday_count(x, ["2024-02"]), DAYS),
    "index": (lambda x: np.strings.index(x, ""), TEXTS),
    "rindex": (lambda x: np.strings.rindex(x, b"", 0, 1), TEXTS.astype("S2")),
    "datetime_as_string": (lambda x: np.datetime_as_string(x, "s"), DAYS),
}


if hasattr(np.strings, "slice"):
    PROGRAMS |= {
        f"slice {bounds}": (lambda x, bounds=bounds: np.strings.slice(x, *bounds), LONG.astype(kind))
        for kind, bounds in (
            ("U7", (2,)), ("S5", (1, None, 2)), (">U6", (None, None, -1)), ("U6", (-2, None)), ("U6", (4, -9, -2)), ("U6", (3, 1)),
            ("U6", (np.array([[1], [-2]]), 3)), ("S6", (-1, np.array([[-4], [0]]), np.array([[-1], [3]]))),
        )
    }  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dynamic", [False, True])
def test_results_are_numpys(name, dynamic):
    program, x = PROGRAMS[name]
    shapes = {"x": {0: Dim("n", min=1)}} if dynamic and name != "busday_offset" else None
    run = export(program, (x,), dynamic_shapes=shapes).module()
    for given in (x, x[::-1].copy(), x[:2]) if shapes else (x, x[::-1].copy()):
        ours, eager = run(given), program(given)
        assert (type(ours), ours.dtype, ours.shape) == (type(eager), eager.dtype, eager.shape)
        np.testing.assert_array_equal(ours, eager)


def test_days_that_are_none():
    nat = np.array(["NaT", "2024-01-02"], "M8[D]")
    assert export(lambda x: np.is_busday(x), (DAYS[:2],)).run_decompositions().module()(nat).tolist() == [False, True]
    with pytest.raises(ValueError, match="NaT"):
        export(lambda x: np.busday_count(x, x), (DAYS[:2],)).module()(nat)


def test_texts_without_the_other():
    run = export(lambda x: np.strings.index(x, "b"), (np.array(["ab", "b"], "U2"),)).module()
    assert run(np.array(["b", "xb"])).tolist() == [0, 1]
    with pytest.raises(ValueError, match="substring not found"):
        run(np.array(["b", "c"], "U2"))


@pytest.mark.parametrize("date", ["2024-01-01T05", 5])
def test_what_numpy_does_not_take_for_a_day_is_refused(date):
    with pytest.raises((Unsupported, TypeError)):
        export(lambda x: np.busday_count(date, x), (DAYS,))


@pytest.mark.parametrize(
    "program",
    [
        lambda x: np.strings.center(x, 1),
        lambda x: np.strings.multiply(x, 2),
        lambda x: np.strings.replace(x, "a", "bcd"),
        lambda x: np.strings.encode(x),
        lambda x: np.strings.mod(x, ["of"]),  # which texts raise is for the data to say
    ],
    ids=["narrow", "multiply", "replace", "encode", "mod"],
)
def test_widths_that_only_the_data_know_are_refused(program):
    with pytest.raises(Unsupported, match="depends on the texts") as caught:
        export(program, (TEXTS,))
    assert caught.value.code == "E114"


def test_the_calendar_is_given_once():
    with pytest.raises(ValueError, match="Cannot supply both"):
        export(lambda x: np.is_busday(x, "1111110", busdaycal=CALENDAR), (DAYS,))


@pytest.mark.parametrize("make", [lambda x: np.str_(tuple(x)), lambda x: np.str_([x[0], 1.0]), lambda x: np.bytes_([x[0]])])
def test_texts_of_what_holds_data_are_refused(make):
    with pytest.raises(ExportError) as caught:
        export(make, (np.ones(2),))
    assert caught.value.code == "E104"
