"""Messages of exceptions that only some data raise, in objects that the sides make: refused, or the program's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export


def in_a_list(x: Any, i: Any) -> Any:
    try:
        x[i]
        text = "no"
    except IndexError as error:
        text = str(error)
    return [text]


def in_a_returned_list(x: Any, i: Any) -> Any:
    try:
        x[i]
    except IndexError as error:
        return [str(error)]
    return ["no"]


def beside_none(x: Any, i: Any) -> Any:
    try:
        x[i] -= 1
    except IndexError as error:
        text = type(error).__name__, str(error)
    else:
        text = None
    return {"text": [text], "x": x}


def in_an_object(x: Any, i: Any) -> Any:
    class Box:
        text: Any

    box = Box()
    try:
        x[i] -= 1
    except IndexError as error:
        box.text = [str(error)]
    else:
        box.text = ["no"]
    return [box.text]


@pytest.mark.parametrize("program", [in_a_list, in_a_returned_list, beside_none, in_an_object])
def test_what_was_refused_once_is_refused_again(program: Any) -> None:
    """A join that gives a container up forgets what it had taken of it."""
    for args in (np.ones(4), np.array([[0, 1]])), (np.ones(4) > 0, np.array([0, 1], "u1")):
        with pytest.raises(ExportError) as caught:
            export(program, args)
        assert caught.value.code in ("E126", "E103")
