"""Attributes of arrays and scalars that cannot be written or deleted: NumPy's exceptions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.outcomes import outcome

NAMES = "shape dtype ndim size nbytes itemsize device T mT flat base flags data ctypes strides real imag".split()


@pytest.mark.parametrize("of", ["array", "scalar"])
@pytest.mark.parametrize("name", [name for name in NAMES if hasattr(np.ndarray, name)])
def test_what_cannot_be_written_or_deleted_raises_as_numpy_does(name: str, of: str) -> None:
    def program(x: Any) -> Any:
        target, errors = (x * 1 if of == "array" else x[0]), []
        try:
            delattr(target, name)
        except AttributeError as error:
            errors.append(str(error))
        try:
            setattr(target, name, [[1]])
        except (AttributeError, TypeError, ValueError) as error:
            errors.append(f"{type(error).__name__}: {error}")
        return errors, target

    x = np.arange(3.0)
    assert outcome(export(program, (x,)).module(), (x,)) == outcome(program, (x,))


def test_strides_are_not_assigned() -> None:
    def program(x: Any) -> Any:
        y = x * 1
        y.strides = (8,)
        return y

    with pytest.raises(Unsupported, match="`strides` of an array is assigned"):
        export(program, (np.arange(3.0),))
