"""A program may change what it finds outside, and put it back, if every exception that leaves it finds it put back, too.

Otherwise a call that raises would leave something that no graph holds: the program is refused.
"""

from __future__ import annotations

import contextlib
import copy
import itertools
from collections import OrderedDict, deque
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.forms import FORMS
from tests.support.outcomes import outcome
from tests.support.shards import shard

X = np.array([0.5, -1.0, 2.0])


class Holder:
    level = 1


TABLE: dict[str, Any] = {"level": 1}
LISTED: list[Any] = [1]
ORDERED = OrderedDict(a=1, b=2)
QUEUE = deque([1, 2])
MEMBERS = {1, 2}
HOLDER = Holder()
NESTED = {"inner": {"level": 1}}
LEVEL = 1


def outside() -> Any:
    """What the programs write to."""
    return copy.deepcopy((TABLE, LISTED, list(ORDERED), QUEUE, MEMBERS, vars(HOLDER), NESTED, LEVEL))


def a_dict():
    TABLE["level"] = 2
    yield
    TABLE["level"] = 1


def a_new_key():
    TABLE["other"] = 2
    yield
    TABLE.pop("other")


def a_list():
    LISTED.append(2)
    yield
    LISTED.pop()


def an_order():
    ORDERED.move_to_end("a")
    yield
    ORDERED.move_to_end("b")


def a_queue():
    QUEUE.rotate(1)
    yield
    QUEUE.rotate(-1)


def a_set():
    MEMBERS.add(3)
    yield
    MEMBERS.discard(3)


def an_attribute():
    HOLDER.level = 2
    yield
    del HOLDER.level


def an_inner_dict():
    NESTED["inner"]["level"] = 2
    yield
    NESTED["inner"]["level"] = 1


def a_name():
    global LEVEL
    LEVEL = 2
    yield
    LEVEL = 1


WRITES = [a_dict, a_new_key, a_list, an_order, a_queue, a_set, an_attribute, an_inner_dict, a_name]


def a_check(x):
    if x.sum() > 1:
        raise ValueError("large")
    return x * TABLE["level"]


def a_text_of_data(x):
    if x.sum() > 1:
        raise ValueError(f"large: {x[0]}")
    return x + LEVEL


def an_index(x):
    return x[int(x[0] * 4)] * len(LISTED)


def after_a_loop(x):
    total = 0.0
    for value in x:
        if value < -0.5:
            raise KeyError("negative")
        total += value
    return total


def items_of_a_mask(x):
    chosen = [value * 2 for value in x[x > 0].tolist()]
    if len(chosen) > 2:
        raise ValueError("many")
    return np.array(chosen)


BODIES = [a_check, a_text_of_data, an_index, after_a_loop, items_of_a_mask]
CASES = shard(list(itertools.product(WRITES, BODIES)), 3)
INPUTS = [X, -X, X + 1, X * 3, X[1:2], np.append(X, X)]


def unguarded(write: Any, body: Any) -> Any:
    def program(x: Any) -> Any:
        steps = write()
        next(steps)
        y = body(x)
        next(steps, None)
        return y

    return program


def in_finally(write: Any, body: Any) -> Any:
    def program(x: Any) -> Any:
        steps = write()
        next(steps)
        try:
            return body(x)
        finally:
            next(steps, None)

    return program


def managed(write: Any, body: Any) -> Any:
    @contextlib.contextmanager
    def during() -> Any:
        steps = write()
        next(steps)
        try:
            yield
        finally:
            next(steps, None)

    def program(x: Any) -> Any:
        with during():
            return body(x)

    return program


def dims(dynamic: bool) -> Any:
    return ({0: Dim.AUTO},) if dynamic else None


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(("write", "body"), CASES)
@pytest.mark.parametrize("form", [in_finally, managed])
def test_what_is_put_back_is_no_effect(form: Any, write: Any, body: Any, dynamic: bool) -> None:
    program = form(write, body)
    exported = export(program, (X,), dynamic_shapes=dims(dynamic))
    before = outside()
    for run in [make(exported).module() for make in FORMS.values()]:
        for x in INPUTS if dynamic else INPUTS[:4]:
            assert outcome(run, (x,)) == outcome(program, (x,))
    assert outside() == before


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(("write", "body"), CASES)
def test_what_an_exception_leaves_is_refused(write: Any, body: Any, dynamic: bool) -> None:
    before = outside()
    with pytest.raises(ExportError) as caught:
        export(unguarded(write, body), (-X,), dynamic_shapes=dims(dynamic))
    assert caught.value.code == "E112" and "finally" in str(caught.value)
    assert outside() == before
