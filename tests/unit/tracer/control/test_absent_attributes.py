"""Attributes that one side of a branch on data sets or deletes, or some iterations of a loop: the
object may lack them from then on, and the program does at run time what eager execution does.
"""

from __future__ import annotations

import copy
import functools
import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from npexport import Dim, Unsupported, export, load, save


class Plain:
    pass


def asked_for(x: Any) -> Any:
    found = Plain()
    if x.sum() > 0:
        found.scaled = x * 2  # type: ignore[attr-defined]
    return found.scaled + 1 if hasattr(found, "scaled") else x  # type: ignore[attr-defined]


def with_a_default(x: Any) -> Any:
    found = Plain()
    if x.sum() > 0:
        found.scaled = x * 2  # type: ignore[attr-defined]
    return getattr(found, "scaled", x - 1)


def read_without_asking(x: Any) -> Any:
    found = Plain()
    if x.sum() > 0:
        found.scaled = x * 2  # type: ignore[attr-defined]
    return found.scaled  # type: ignore[attr-defined]


def read_where_it_was_set(x: Any) -> Any:
    found = Plain()
    if x.sum() > 0:
        found.scaled = x * 2  # type: ignore[attr-defined]
    return found.scaled if x[0] > 0 else x  # type: ignore[attr-defined]


def caught(x: Any) -> Any:
    found = Plain()
    if x.sum() > 0:
        found.scaled = x * 2  # type: ignore[attr-defined]
    try:
        return found.scaled  # type: ignore[attr-defined]
    except AttributeError:
        return x - 1


class Lazy:
    def __init__(self, x: Any) -> None:
        self.x, self.count = x, 0

    def squared(self) -> Any:
        if not hasattr(self, "_squared"):
            self._squared = self.x**2
            self.count += 1
        return self._squared

    @functools.cached_property
    def doubled(self) -> Any:
        self.count += 10
        return self.x * 2


def filled_when_asked(x: Any) -> Any:
    lazy = Lazy(x)
    y = lazy.squared() if x[0] > 0 else x
    return y + lazy.squared(), lazy.count


def cached_property(x: Any) -> Any:
    lazy = Lazy(x)
    y = lazy.doubled if x[0] > 0 else x + 1
    if x[1] > 0:
        y = y + lazy.doubled
    return y, lazy.count


class WithDefault:
    scale = 3.0

    def __getattr__(self, name: str) -> Any:
        if name == "shift":
            return 7.0
        raise AttributeError(name)


def behind_the_class(x: Any) -> Any:
    settings = WithDefault()
    if x.sum() > 0:
        settings.scale = x[0]
    if x[1] > 0:
        settings.shift = x[1]
    return settings.scale * 2, settings.shift + 1


def deleted(x: Any) -> Any:
    found = Plain()
    found.first, found.second = x, x * 3  # type: ignore[attr-defined]
    if x.sum() > 0:
        del found.second  # type: ignore[attr-defined]
    try:
        del found.second  # type: ignore[attr-defined]
    except AttributeError:
        return found.first  # type: ignore[attr-defined]
    return found.first + 1, hasattr(found, "second")  # type: ignore[attr-defined]


class Slots:
    __slots__ = ("__dict__", "first", "second")


def in_slots(x: Any) -> Any:
    held = Slots()
    held.first = 1.0
    if x[0] > 0:
        held.second, held.third = x, 2.0  # type: ignore[attr-defined]
    if hasattr(held, "second"):
        return held.second * held.third * held.first  # type: ignore[attr-defined]
    del held.first
    return x, hasattr(held, "first")


def each_side_its_own(x: Any) -> Any:
    found = Plain()
    if x.sum() > 0:
        found.first, found.both = x, x * 2  # type: ignore[attr-defined]
    else:
        found.both, found.second = x * 3, x  # type: ignore[attr-defined]
    return found.both, hasattr(found, "first"), hasattr(found, "second")  # type: ignore[attr-defined]


def written_over(x: Any) -> Any:
    found = Plain()
    if x[0] > 0:
        found.first = 1.0  # type: ignore[attr-defined]
    found.first = x  # type: ignore[attr-defined]
    found.second = 2.0  # type: ignore[attr-defined]
    return found.first + found.second  # type: ignore[attr-defined]


def array_written_to(x: Any) -> Any:
    found = Plain()
    if x[0] > 0:
        found.buffer = np.zeros(3)  # type: ignore[attr-defined]
    if hasattr(found, "buffer"):
        found.buffer[0] = x[0]
        found.buffer += 1
        return found.buffer
    return x[:3] * 1


def view_of_earlier_memory(x: Any) -> Any:
    y, found = x * 2, Plain()
    if x[0] > 0:
        found.rest = y[1:]  # type: ignore[attr-defined]
    if hasattr(found, "rest"):
        found.rest[0] = 5
    return y


@dataclass
class Record:
    value: Any
    best: Any = None


def objects_in_objects(x: Any) -> Any:
    outer, inner = Plain(), Record(x[0])
    if x[0] > 0:
        outer.inner = inner  # type: ignore[attr-defined]
        outer.made = Record(x[1])  # type: ignore[attr-defined]
        outer.made.extra = x  # type: ignore[attr-defined]
        if x[1] > 0:
            inner.extra = x * 3  # type: ignore[attr-defined]
    if hasattr(outer, "inner") and hasattr(outer.inner, "extra"):
        return outer.inner.extra + outer.made.extra  # type: ignore[attr-defined]
    return x


def copied_by_its_fields(x: Any) -> Any:
    record = Record(1.0)
    if x.sum() > 0:
        record.extra = x  # type: ignore[attr-defined]
    other = replace(record, value=2.0)
    return hasattr(other, "extra"), other.value, hasattr(record, "extra")


def of_one_of_several_kinds(x: Any) -> Any:
    found = Plain()
    if x[0] > 0:
        found.value = 1.0  # type: ignore[attr-defined]
    elif x[1] > 0:
        found.value = x * 2  # type: ignore[attr-defined]
    return found.value * 1.0 if hasattr(found, "value") else x  # type: ignore[attr-defined]


def first_in_a_loop(x: Any) -> Any:
    found = Plain()
    for value in x:
        if value > 0 and not hasattr(found, "first"):
            found.first = value  # type: ignore[attr-defined]
    return getattr(found, "first", -1.0)


def set_by_iterations(x: Any) -> Any:
    found, i = Plain(), 0
    while i < 4 and x[i % 3] > -1:
        found.last, found.index = x[i % 3], i  # type: ignore[attr-defined]
        i += 1
    return getattr(found, "last", 9.0), getattr(found, "index", -1)


def filled_in_a_loop(x: Any) -> Any:
    found, total = Plain(), 0.0
    while total < 5:
        if not hasattr(found, "y"):
            found.y = np.abs(x) + 0.1  # type: ignore[attr-defined]
        total = total + found.y.sum()  # type: ignore[attr-defined]
        found.y = found.y * 1.1  # type: ignore[attr-defined]
    return found.y  # type: ignore[attr-defined]


def deleted_in_a_loop(x: Any) -> Any:
    found, count = Plain(), 0
    for value in x:
        if value > 0:
            found.last = value  # type: ignore[attr-defined]
        elif hasattr(found, "last"):
            del found.last
            count += 1
    return count, hasattr(found, "last"), getattr(found, "last", 0.0)


def in_nested_loops(x: Any) -> Any:
    found, limit = Plain(), 0.0
    for i in range(3):
        for value in x:
            if value > limit:
                found.best = value  # type: ignore[attr-defined]
                limit = value * 0.5
            if hasattr(found, "best") and found.best > 2:
                break
        else:
            found.none = i  # type: ignore[attr-defined]
    return getattr(found, "best", 0.0), getattr(found, "none", -1), limit


def said_at_the_end(x: Any) -> Any:
    result, y = Plain(), np.abs(x) + 1
    for k in range(30):
        z = 0.5 * (y + 2 / y)
        if np.abs(z - y).max() < 1e-6:
            result.converged, result.iterations = True, k  # type: ignore[attr-defined]
            break
        y = z
    return getattr(result, "iterations", -1), hasattr(result, "converged"), y


def in_generators(x: Any) -> Any:
    found = Plain()

    def values() -> Any:
        for value in x[:3]:
            if value > 0:
                found.last = value  # type: ignore[attr-defined]
            yield getattr(found, "last", 0.0)

    return list(values())


def in_context_managers(x: Any) -> Any:
    class Manager:
        def __enter__(self) -> None:
            self.on = True

        def __exit__(self, *error: Any) -> None:
            del self.on

    manager = Manager()
    with manager:
        if x[0] > 0:
            manager.seen = x  # type: ignore[attr-defined]
    return hasattr(manager, "on"), hasattr(manager, "seen")


def by_patterns(x: Any) -> Any:
    found = Plain()
    if x[0] > 0:
        found.kind = 1  # type: ignore[attr-defined]
    match found:
        case Plain(kind=1):  # type: ignore[misc]
            return x + 1
        case _:
            return x


class Function:
    """A function and its gradient, each computed when it is asked for at a new point."""

    def __init__(self) -> None:
        self.calls = 0

    def update(self, x: Any) -> None:
        if not hasattr(self, "x") or not np.array_equal(x, self.x):
            self.x = x
            if hasattr(self, "value"):
                del self.value

    def __call__(self, x: Any) -> Any:
        self.update(x)
        if not hasattr(self, "value"):
            self.value = (self.x**2).sum()
            self.calls += 1
        return self.value


def kept_until_it_changes(x: Any) -> Any:
    function, iterations = Function(), 0
    while function(x) > 1e-3 and iterations < 50:
        step = 1.0
        while function(x - step * 2 * x) > 0.9 * function(x):
            step /= 2
        x = x - step * 2 * x
        iterations += 1
    return x, function(x), function.calls


PROGRAMS = [
    value for value in list(globals().values()) if callable(value) and getattr(value, "__code__", None) and value.__module__ == __name__
]


def told(function: Callable[[Any], Any], x: Any) -> Any:
    try:
        return function(x), x
    except AttributeError as error:
        return str(error), error.name


def data(size: int) -> list[Any]:
    rng = np.random.default_rng(5)
    random = [np.round(rng.normal(size=size) * 1.5, 1) for _ in range(25)]
    return [np.ones(size), -np.ones(size), np.zeros(size), *random]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_what_an_object_lacks_is_what_it_lacks_in_eager_execution(function: Callable[[Any], Any], dynamic: bool, tmp_path: Path) -> None:
    example = np.array([1.0, -2.0, 3.0, 0.5])
    program = export(function, (example,), dynamic_shapes={"x": {0: Dim("n", min=3)}} if dynamic else None)
    save(program, tmp_path / "program.npe")
    for run in (program.module(), load(tmp_path / "program.npe").module()):
        for x in data(4) + (data(3) + data(7) if dynamic else []):
            expected, found = told(function, x.copy()), told(run, x.copy())
            np.testing.assert_equal(found, expected)
            assert type(found[0]) is type(expected[0])


def holds_its_dict(x: Any) -> Any:
    found = Plain()
    names = vars(found).keys()
    if x.sum() > 0:
        found.scaled = x  # type: ignore[attr-defined]
    return len(names)


def gives_its_dict_away(x: Any) -> Any:
    found = Plain()
    if x.sum() > 0:
        found.scaled = x  # type: ignore[attr-defined]
    return "scaled" in found.__dict__


def shows_the_order(x: Any) -> Any:
    found = Plain()
    if x.sum() > 0:
        found.first, found.second = 1.0, 2.0  # type: ignore[attr-defined]
    else:
        found.second, found.first = 3.0, 4.0  # type: ignore[attr-defined]
    return list(vars(found))


def is_copied(x: Any) -> Any:
    found = Plain()
    if x.sum() > 0:
        found.scaled = x  # type: ignore[attr-defined]
    return hasattr(copy.copy(found), "scaled")


def is_read_by_c(x: Any) -> Any:
    found = Plain()
    if x.sum() > 0:
        found.scaled = x  # type: ignore[attr-defined]
    return operator.attrgetter("scaled")(found)


def changes_its_class(x: Any) -> Any:
    found: Any = Plain()
    if x.sum() > 0:
        found.scaled = x
    found.__class__ = Lazy
    return hasattr(found, "scaled")


def is_returned(x: Any) -> Any:
    found = Record(x * 2)
    if x.sum() > 0:
        found.extra = x  # type: ignore[attr-defined]
    return found


REFUSED = [holds_its_dict, gives_its_dict_away, shows_the_order, is_copied, is_read_by_c, changes_its_class, is_returned]


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_whoever_sees_all_attributes_at_once_is_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(Unsupported) as caught:
        export(function, (np.ones(3),))
    assert caught.value.code in ("E103", "E115")


OUTSIDE = Plain()


def sets_an_attribute_of_anothers(x: Any) -> Any:
    if x[0] > 0:
        OUTSIDE.last = x * 2  # type: ignore[attr-defined]
    return x + 1


def test_objects_from_outside_have_the_same_attributes_after_each_side() -> None:
    with pytest.raises(Unsupported, match="after the side at line") as caught:
        export(sets_an_attribute_of_anothers, (np.ones(3),))
    assert caught.value.code == "E103"
