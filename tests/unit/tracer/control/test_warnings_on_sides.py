"""A side of a branch on data, and an iteration of a loop on data, warn where the program runs, and as often as eager execution does."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export
from tests.support.forms import reloaded

DATA = [np.array(values) for values in ([1.0, 2.0, 3.0, 4.0], [-1.0, 2.0, 0.5, 1.0], [1.0, 1.0, 1.0, 1.0], [0.0, -3.0, 2.0, 9.0])]


class Own(RuntimeWarning):
    pass


def side(x: Any) -> Any:
    if x[0] > 0:
        warnings.warn("positive", stacklevel=1)
        y = x * 2
    else:
        y = x - 1
    return y + 1


def own_category(x: Any) -> Any:
    if x[0] > 0:
        warnings.warn("positive", Own, stacklevel=1)
        return x * 2
    return x + 1


def handled(x: Any) -> Any:
    try:
        y = np.linalg.inv(x.reshape(2, 2))
    except np.linalg.LinAlgError:
        warnings.warn("singular", RuntimeWarning, stacklevel=1)
        y = np.zeros((2, 2))
    return y


def iterations(x: Any) -> Any:
    total, count = x.sum(), 0
    while total < 20:
        total = total + 4
        count += 1
        if total > 12:
            warnings.warn("large", stacklevel=1)
    return total, count


def ignored_there(x: Any) -> Any:
    if x[0] > 0:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.warn("nobody hears", stacklevel=1)
            y = x / 0
    else:
        y = x + 1
    return y


def others_ignored(x: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Own)
        if x[0] > 0:
            warnings.warn("heard", RuntimeWarning, stacklevel=1)
        if x[1] > 0:
            warnings.warn("not heard", Own, stacklevel=1)
            x = x + 1
        y = x * 2
    return y


def by_text(x: Any) -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "posi.*e")
        if x[0] > 0:
            warnings.warn("positive", stacklevel=1)
            warnings.warn("large" if x.size > 1 else "small", stacklevel=1)
            x = x * 2
        return x + 1


def by_text_of_data(x: Any) -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "positive 1")
        if x[0] > 0:
            warnings.warn(f"positive {x[0]}", stacklevel=1)
        return x + 1


def heard(function: Callable[..., Any], x: Any, action: str) -> Any:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter(action)  # type: ignore[arg-type]
        try:
            result = function(x.copy())
        except Warning as warning:
            result = type(warning), str(warning)
    return result, [(each.category, str(each.message), Path(each.filename).name, each.lineno) for each in found]


@pytest.mark.parametrize(
    "program", [side, own_category, handled, iterations, ignored_there, others_ignored, by_text], ids=lambda program: program.__name__
)
def test_warned_as_in_eager_execution(program: Any) -> None:
    for example in DATA[:2]:
        run = export(program, (example,)).module()
        for x in DATA:
            for action in ("always", "ignore", "error"):
                np.testing.assert_equal(heard(run, x, action), heard(program, x, action))


def _warn_of(x: Any, level: int) -> None:
    if x[0] > 0:
        warnings.warn(f"positive {x[0]}", stacklevel=level)


def in_helpers(x: Any) -> Any:
    _warn_of(x, 1)
    _warn_of(x, 2)
    _warn_of(x, 3)
    warnings.warn(f"{x.sum()} in all", stacklevel=2)
    return x + 1


def twice(x: Any) -> Any:
    for _ in range(2):
        _warn_of(x, 2)
    _warn_of(x, 2)
    return x + 1


@pytest.mark.parametrize("program", [in_helpers, twice, iterations], ids=lambda program: program.__name__)
@pytest.mark.parametrize("action", ["always", "default", "module", "once", "error"])
def test_warnings_name_the_line_of_the_program(program: Any, action: str) -> None:
    exported = export(program, (DATA[0],))
    one_module = action in ("module", "once")  # those of a file are of a module that is not loaded
    for run in (exported.module(), *([] if one_module else [reloaded(exported).module()])):
        for x in DATA:
            np.testing.assert_equal(heard(run, x, action), heard(program, x, action))


def caught(x: Any) -> Any:
    try:
        if x[0] > 0:
            warnings.warn("positive", stacklevel=1)
            return x * 2
        return x + 1
    except UserWarning:
        return x


def recorded(x: Any) -> Any:
    with warnings.catch_warnings(record=True) as found:
        if x[0] > 0:
            warnings.warn("positive", stacklevel=1)
            x = x * 2
        return x + 1, len(found)


@pytest.mark.parametrize(("program", "code"), [(caught, "E103"), (by_text_of_data, "E114"), (recorded, "E126")])
def test_what_the_program_makes_of_warnings_itself_is_refused(program: Any, code: str) -> None:
    with pytest.raises(ExportError) as error:
        export(program, (DATA[0],))
    assert error.value.code == code
