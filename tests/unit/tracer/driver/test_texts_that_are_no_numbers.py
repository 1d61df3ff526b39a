"""Texts of data that become numbers: what NumPy raises of those that are none, or too large ones, is caught as in eager execution."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import ExportError, export

CALLS = {
    "cast": lambda k, s: s.astype("u1"),
    "array": lambda k, s: np.array(s, dtype="i4"),
    "full": lambda k, s: np.full(3, s[0], dtype="f4"),
    "full_like": lambda k, s: np.full_like(k, s[0]),
    "pad": lambda k, s: np.pad(k, 1, constant_values=s[0]),
    "roll": lambda k, s: np.roll(k, s[0]),
    "rolls": lambda k, s: np.roll(k, (s[0], 1), axis=(0, 0)),
    "putmask": lambda k, s: np.putmask(k, k > 0, s[0]),
    "item": lambda k, s: k.__setitem__(0, s[0]),
    "nan_to_num": lambda k, s: np.nan_to_num(k * 1.0, nan=s[0]),
    "ramp": lambda k, s: np.pad(k, 1, mode="linear_ramp", end_values=s[0]),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_they_raise_is_caught(call):
    def program(k, s):
        try:
            call(k, s)
        except ValueError:
            return 2.0
        except OverflowError:
            return 3.0
        except TypeError:
            return 4.0
        return 1.0

    given = [np.array([text, "2"], dtype="<U4") for text in ("3", "bb", "300", "-1")]
    try:
        run = export(program, (np.arange(3, dtype="u1"), given[0])).module()
    except ExportError as refusal:
        assert (call, refusal.code) in REFUSED
        return
    for s in given:
        assert run(np.arange(3, dtype="u1"), s) == program(np.arange(3, dtype="u1"), s)


REFUSED = [(CALLS["item"], "E126"), (CALLS["putmask"], "E126"), (CALLS["nan_to_num"], "E104")]


@pytest.mark.parametrize("dtype", ["i1", "i8", "u1"])
def test_scalars_in_lists_become_signed_integers_as_python_numbers_do(dtype):
    def program(x):
        return np.array([x[0], x[1]], dtype=dtype)

    run = export(program, (np.ones(2),)).module()
    for number in (1.5, -2.0, 300.7, np.nan, np.inf, 1e30):
        said = []
        for call in (program, run):
            with np.errstate(all="ignore"):
                try:
                    said.append(repr(call(np.array([number, 1]))))
                except (ValueError, OverflowError) as error:
                    said.append(f"{type(error).__name__}: {error}")
        assert said[0] == said[1]


def _in_flat(x, k):
    k.flat[0] = x[0]
    return k


@pytest.mark.parametrize("program", [_in_flat, lambda x, k: np.array([x[0] + 1j * x[1], x[1]], dtype=int)], ids=["flat", "complex"])
def test_what_raises_for_some_scalars_that_become_integers_is_refused(program):
    with pytest.raises(ExportError, match="E126"):
        export(program, (np.ones(2), np.arange(3)))
