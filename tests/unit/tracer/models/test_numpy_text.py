"""Text that NumPy fills up, business days, dates as text."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, Unsupported, export

TEXTS = np.array(["ab", "Cd", "3"])
DAYS = np.array(["2024-01-01", "2024-01-06", "2024-03-05"], "M8[D]")
CALENDAR = np.busdaycalendar("1111110", ["2024-01-05"])
PROGRAMS = {
    "center": (lambda x: np.strings.center(x, 5, "*"), TEXTS),
    "zfill": (lambda x: np.strings.zfill(x, 5), TEXTS),
    "bytes": (lambda x: np.strings.ljust(x, 4), TEXTS.astype("S2")),
    "of the module char": (lambda x: np.char.rjust(x, 2), TEXTS),
    "is_busday": (lambda x: np.is_busday(x, [1, 1, 1, 1, 0, 0, 0], ["2024-01-01"]), DAYS),
    "one day": (lambda x: np.is_busday(x[0]), DAYS),
    "calendar": (lambda x: np.busday_count(x, x[::-1], busdaycal=CALENDAR), DAYS),
    "calendar of the program": (lambda x: np.is_busday(x, busdaycal=np.busdaycalendar("1111110")), DAYS),
    "busday_offset": (lambda x: np.busday_offset(x, np.array([1, -2, 0]), "forward"), DAYS),
    "datetime_as_string": (lambda x: np.datetime_as_string(x, "s"), DAYS),
}


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
