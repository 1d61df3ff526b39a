"""``out=`` of every function and method that has it: what NumPy takes, refuses, writes and returns there, in each version; and what
is left of series without their zeros."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.fuzz.form_programs import Call, Target, targets
from tests.fuzz.forms import held, program
from tests.support.quiet import quiet
from tests.support.shards import shard

ODD: dict[str, Callable[[Any], Any]] = {
    "(None,)": lambda room: (None,), "()": lambda room: (), "(None, None)": lambda room: (None, None),
    "(out, None)": lambda room: (room, None), "[out]": lambda room: [room], "(out,)": lambda room: (room,), "...": lambda room: ...,
    "(...,)": lambda room: (...,), "0": lambda room: 0, "scalar": lambda room: np.float64(1), "list": lambda room: [1.0],
    "transposed": lambda room: room.T, "read-only": lambda room: _locked(room), "larger": lambda room: np.zeros((3, *room.shape)),
}  # fmt: skip
"""Outputs, made of an array for the result."""
TAKING = [target for target in targets() if "out" in (*target.places, *target.options)]


def _locked(room: Any) -> Any:
    room.flags.writeable = False
    return room


def compare(target: Target, args: Any, **options: Any) -> None:
    """What the call gives, if it is exported, or the exception where NumPy raises."""
    call = Call(target.function, target.shown, tuple(copy.deepcopy(args)), options)
    held(str(call), *program(call))


@pytest.mark.parametrize("name", ODD)
def test_odd_outputs_are_numpys(name):
    compared = 0
    for target in shard(TAKING, 3):
        for args in target.samples[:2]:
            with quiet():
                try:
                    result = target.function(*copy.deepcopy(args))
                except Exception:  # noqa: BLE001, S112  with its first arguments alone it takes none
                    continue
                room = np.zeros_like(np.asarray(result[0] if isinstance(result, tuple) else result))
            compare(target, args, out=ODD[name](room))
            compared += 1
    assert compared


X = np.arange(6.0).reshape(2, 3)
SEVERAL = ("fftn", "ifftn", "fft2", "ifft2", "rfftn", "rfft2", "irfftn", "irfft2")


@pytest.mark.parametrize("name", SEVERAL)
@pytest.mark.parametrize("x", [X, X + 1j, [X[0], X[1] + 1]], ids=["real", "complex", "list"])
def test_transforms_hand_outputs_from_axis_to_axis(name, x):
    if name.startswith("rfft") and np.iscomplexobj(x):
        x = np.asarray(x).real
    compared = 0
    for s in (None, (2,), (3, 3), (3, -1), (1, 3), (2, 1)):
        for axes in ((0, 1), (1, 0), (0,), (), (1, 1)):
            transform = functools.partial(getattr(np.fft, name), s=s, axes=axes)
            try:
                out = np.zeros(transform(x).shape, complex if name[0] != "i" or name[1] != "r" else float)
            except (ValueError, IndexError):
                continue
            call = Target(transform, f"{name}(s={s}, axes={axes})", [], [], [])
            compare(call, (x,), out=out)
            compared += 1
    assert compared


TEXTS = np.array(["ab", "Cd", "3"])
MASK = np.array([True, False, True])


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.strings.str_len(TEXTS, out=x, where=MASK),
        lambda x: np.modf(np.arange(3.0), out=(x, None), where=MASK, casting="unsafe"),
        lambda x: np.frexp(np.arange(3.0), out=(np.zeros(3), x), where=MASK, casting="unsafe"),
    ],
    ids=["str_len", "modf", "frexp"],
)
def test_numbers_that_a_mask_reads_in_texts_are_refused(call):
    with pytest.raises(ValueError, match="ab"):
        call(TEXTS.copy())
    with pytest.raises(Unsupported, match="E101"):
        export(call, (TEXTS.copy(),))


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "std", "var", "nansum", "trace"])
def test_reductions_of_python_objects_are_refused(name):
    for call in (lambda x: getattr(np, name)(x, dtype=object), lambda x: getattr(np, name)(x, dtype=object, out=np.zeros(()))):
        with pytest.raises(Unsupported, match="E122"):
            export(call, (X,))


@pytest.mark.parametrize("x", [np.zeros((2, 1)), np.zeros((2, 3)), np.zeros((2, 0)), np.array([[1.0], [0.0], [2.0], [0.0]])], ids=str)
def test_trailing_rows_of_zeros(x):
    held(str(x), lambda seq: np.polynomial.polyutils.trimseq(seq), [x])


@pytest.mark.parametrize(
    "x", [np.array([0, 1.5, 0]), np.zeros(3), np.eye(3)[:2], np.zeros((2, 2)), np.zeros((0, 2)), np.array(0.0)], ids=str
)
@pytest.mark.parametrize("trim", ["fb", "f", "B", "x"])
def test_zeros_are_trimmed_along_axes(x, trim):
    axes: tuple[Any, ...] = (None, 0, 1, -1, 5, (0, 1), (0,), ()) if "axis" in inspect.signature(np.trim_zeros).parameters else (None,)
    for axis in axes:
        call = Target(functools.partial(np.trim_zeros, trim=trim, **{} if axis is None else {"axis": axis}), f"along {axis}", [], [], [])
        compare(call, (x,))
