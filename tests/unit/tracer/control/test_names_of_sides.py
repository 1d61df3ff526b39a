"""Names of modules, classes and functions from outside that one side of a branch writes, and that are put back by the end."""

from __future__ import annotations

import itertools
import sys
from typing import Any

import numpy as np
import pytest

from npexport import Unsupported, export
from tests.support.outcomes import outcome

FACTOR: Any = 1


class Settings:
    scale: Any = 1


def scale() -> None:
    pass


scale.times = 1  # type: ignore[attr-defined]
MODULE: Any = sys.modules[__name__]


def a_global(x: Any) -> Any:
    global FACTOR
    if x.sum() > 0:
        FACTOR = 2
    y = x * FACTOR
    FACTOR = 1
    return y


def a_global_of_data(x: Any) -> Any:
    global FACTOR
    if x.sum() > 0:
        FACTOR = x[0]
    y = x * FACTOR
    FACTOR = 1
    return y


def an_attribute(x: Any) -> Any:
    if x.sum() > 0:
        Settings.scale = 2
    y = x * Settings.scale
    Settings.scale = 1
    return y


def an_attribute_of_a_function(x: Any) -> Any:
    if x.sum() > 0:
        scale.times = 2  # type: ignore[attr-defined]
    y = x * scale.times  # type: ignore[attr-defined]
    scale.times = 1  # type: ignore[attr-defined]
    return y


def on_one_side_each(x: Any) -> Any:
    if x.sum() > 0:
        MODULE.FACTOR = 2
    else:
        Settings.scale = 3
    y = x * FACTOR + Settings.scale
    MODULE.FACTOR = Settings.scale = 1
    return y


def before_a_side_raises(x: Any) -> Any:
    global FACTOR
    if x.sum() > 0:
        FACTOR = 5
        if x[0] > 2:
            raise ValueError
        FACTOR = 1
    return x * FACTOR


def deleted_on_both(x: Any) -> Any:
    global FACTOR
    if x.sum() > 0:
        y = x * 2
        del FACTOR
    else:
        y = x * 3
        del FACTOR
    try:
        y = y + FACTOR
    except NameError:
        y = y - 1
    FACTOR = 1
    return y


JOINED = [
    a_global, a_global_of_data, an_attribute, an_attribute_of_a_function, on_one_side_each, before_a_side_raises, deleted_on_both,
]  # fmt: skip


@pytest.mark.parametrize("f", JOINED)
def test_names_that_one_side_writes(f: Any) -> None:
    run = export(f, (np.ones(2),)).module()
    for values in ([1.0, 1.0], [-1.0, -1.0], [3.0, 1.0], [-4.0, 8.0]):
        assert outcome(run, (np.array(values),)) == outcome(f, (np.array(values),))


def deleted_global(x: Any) -> Any:
    global FACTOR
    if x.sum() > 0:
        del FACTOR
    try:
        found = FACTOR == 1
    except NameError:
        found = "gone"
    FACTOR = 1
    return x, found


def deleted_on_the_other_side(x: Any) -> Any:
    global FACTOR
    del FACTOR
    if x.sum() > 0:
        FACTOR = 1
    found = "FACTOR" in globals()
    FACTOR = 1
    return x, found


def deleted_attribute(x: Any) -> Any:
    if x.sum() > 0:
        del Settings.scale
    found = hasattr(Settings, "scale")
    Settings.scale = 1
    return x, found


def new_attribute(x: Any) -> Any:
    if x.sum() > 0:
        Settings.new = 3  # type: ignore[attr-defined]
    found = getattr(Settings(), "new", None)
    if hasattr(Settings, "new"):
        del Settings.new
    return x, found


def new_attribute_of_a_function(x: Any) -> Any:
    if x.sum() > 0:
        scale.new = 3  # type: ignore[attr-defined]
    found = getattr(scale, "new", None)
    if hasattr(scale, "new"):
        del scale.new
    return x, found


def new_global(x: Any) -> Any:
    if x.sum() > 0:
        MODULE.NEW = 3
    found = "NEW" in vars(MODULE)
    if found:
        del MODULE.NEW
    return x, found


UNEVEN = [deleted_global, deleted_on_the_other_side, deleted_attribute, new_attribute, new_attribute_of_a_function, new_global]


@pytest.mark.parametrize("f", UNEVEN)
def test_a_name_that_exists_after_one_side_is_refused(f: Any) -> None:
    with pytest.raises(Unsupported) as caught:
        export(f, (np.ones(2),))
    assert caught.value.code == "E103"
    assert "exists after one side, and not after the other" in caught.value.message


def test_sides_with_results_of_other_kinds_are_named_by_what_they_give():
    with pytest.raises(Unsupported, match=r"a branch depends on data: one side gives .*, the other ") as caught:
        export(lambda x: [list(group) for _, group in itertools.groupby(x > 3)], (np.ones(4),))
    assert caught.value.code == "E103"


@pytest.mark.parametrize("data", [[1.0, 2.0, -1.0, 0.5], [1.0, -2.0, 3.0, 0.5], [-1.0, 1.0, 1.0, 1.0]])
def test_two_objects_of_one_class_are_told_apart(data):
    class Tree:
        def __init__(self, value):
            self.value, self.left, self.right = value, None, None

    def search(x):
        root = Tree(x[0])
        root.left, root.right = Tree(x[1]), Tree(x[2])
        for value in x[1:]:
            node = root
            while node is not None and node.value > 0:
                node = node.left if value < node.value else node.right
        return root.right.value, node is None, root.value

    assert export(search, (np.ones(4),)).module()(np.array(data)) == search(np.array(data))
