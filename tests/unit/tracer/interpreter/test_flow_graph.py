"""What follows what in a code object, and which variables are read later."""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import ExportError, export
from npexport.tracer.interpreter import (
    flow_graph,
    handlers,  # noqa: F401  # code objects are decoded to handlers
)
from npexport.tracer.interpreter.program import code_info
from tests.support.functions import function_of
from tests.support.quiet import quiet


def straight(a: Any) -> Any:
    b = a + 1
    return b


def branch(a: Any) -> Any:
    b = 1 if a else 2
    return b


def endless(a: Any) -> Any:
    while True:
        a += 1


def raising(a: Any) -> Any:
    if a:
        raise ValueError
    return a


def handled(a: Any) -> Any:
    try:
        return a()
    except ValueError:
        return 0


PROGRAMS = [straight, branch, endless, raising, handled]


def names(program: Callable[..., Any], places: Any) -> list[str]:
    instructions = code_info(program.__code__).decoded.instructions
    return [instructions[place].name for place in places]


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_reached_follows_edges_alone(program):
    code, found = program.__code__, flow_graph.reached(program.__code__, 0)
    assert found[0] == 0 and len(set(found)) == len(found)
    following = {place for index in found for place in flow_graph.successors(code)[index]}
    assert following - {len(flow_graph.successors(code)) - 1} <= set(found)
    assert ("RETURN_VALUE" in names(program, found)) is (program is not endless)


def test_handlers_are_not_reached_but_by_exceptions():
    assert "PUSH_EXC_INFO" not in names(handled, flow_graph.reached(handled.__code__, 0))
    assert names(handled, flow_graph.handler_targets(handled.__code__))[0] == "PUSH_EXC_INFO"


def test_nothing_is_reached_behind_a_stop():
    place = names(straight, range(len(code_info(straight.__code__).decoded.instructions))).index("BINARY_OP")
    assert flow_graph.reached(straight.__code__, 0, frozenset({place}))[-1] == place


def test_there_is_a_raise_before_a_stop():
    code = raising.__code__
    instructions = code_info(code).decoded.instructions
    place = next(index for index, instruction in enumerate(instructions) if instruction.name.startswith("POP_JUMP"))
    sides = [flow_graph.may_raise(code, start, frozenset()) for start in flow_graph.successors(code)[place]]
    assert sorted(sides) == [False, True]
    assert not flow_graph.may_raise(code, 0, frozenset({place}))


class Two:
    """Gives 1 and 2, asynchronously."""

    def __init__(self) -> None:
        self.count = 0

    def __aiter__(self) -> Any:
        return self

    async def __anext__(self) -> int:
        self.count += 1
        if self.count > 2:
            raise StopAsyncIteration
        return self.count


async def _marked(x: Any) -> Any:
    found = 0.0
    async for _ in Two():
        if x.sum() > 0:
            found = 1.0
            warnings.warn("positive", stacklevel=1)
    return found


def after_an_asynchronous_loop(x: Any) -> Any:
    try:
        _marked(x).send(None)
    except StopIteration as stop:
        return x * stop.value


def test_a_variable_is_read_after_an_asynchronous_loop():
    """Only the handler of the loop leads there."""
    with quiet():
        try:
            module = export(after_an_asynchronous_loop, (np.ones(3),)).module()
        except ExportError as refusal:
            assert refusal.code == "E103"
            return
        for x in (np.ones(3), -np.ones(3)):
            np.testing.assert_array_equal(module(x), after_an_asynchronous_loop(x))


def test_a_side_is_looked_at_up_to_what_it_leaves(monkeypatch):
    f = function_of("def f(x):\n" + "    if x:\n        x = x + 1\n    else:\n        x = x - 1\n" * 100 + "    return x")
    code = f.__code__
    asked, edges = [], flow_graph.successors(code)

    class Counted(tuple):
        def __getitem__(self, index):
            asked.append(index)
            return super().__getitem__(index)

    monkeypatch.setattr(flow_graph, "successors", lambda code: Counted(edges))
    frame = types.SimpleNamespace(code=code, info=code_info(code), real=None)
    branches = [index for index, after in enumerate(edges) if len(after) == 2]
    assert len(branches) == 100
    for index in branches:
        assert not any(flow_graph.leaves_nothing(frame, *sides) for sides in (edges[index], edges[index][::-1]))
    assert len(asked) < 4000  # 120,000 if each side were looked at to the end
