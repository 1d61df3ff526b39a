"""A constant is never handed out and never written; what the program makes is made in every call; the program's arrays are its own."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from npexport import Dim, InternalError, export
from npexport.ir import ops
from npexport.ir.op import Op
from npexport.ir.signature import InputKind
from tests.support.forms import FORMS, reloaded

TABLE = np.array([5.0, 6.0, 7.0])
ORDERED = np.asfortranarray(np.arange(6.0).reshape(2, 3))


@dataclass
class Box:
    value: Any


class Pair(NamedTuple):
    first: Any
    second: Any


def _filled(x: Any) -> Any:
    a = np.zeros(3)
    a[1:] = 2.0
    return a


def _added(x: Any) -> Any:
    a = np.array([1.0, 2.0, 3.0])
    a += 1
    a.sort()
    return a


def _twice(x: Any) -> Any:
    a = np.array([1.0, 2.0, 3.0])
    return a, a, a[::-1], a.reshape(3, 1)


def _fortran(x: Any) -> Any:
    a = np.asfortranarray(np.array([[1.0, 2.0], [3.0, 4.0]]))
    return x[:2] + a, a.reshape(-1), a.T, a


MADE: dict[str, Callable[[Any], Any]] = {
    "array": lambda x: np.array([1.0, 2.0, 3.0]),
    "range": lambda x: np.arange(3.0) + 1,
    "window": lambda x: np.hanning(8),
    "r_": lambda x: np.r_[1:4, 0.5],
    "draws": lambda x: np.random.default_rng(7).random(3),
    "of a global": lambda x: TABLE * 2,
    "copied": lambda x: TABLE.copy(),
    "ones": lambda x: np.ones(3),
    "written": _filled,
    "computed": _added,
    "views": lambda x: np.arange(12.0).reshape(3, 4)[1:, ::2],
    "several views": _twice,
    "orders": _fortran,
    "read too": lambda x: ((a := np.array([1.0, 2.0, 3.0])) + x, a),
    "in containers": lambda x: {"a": [np.array([1.0, 2.0])], "b": Box(np.array([1, 2])), "c": Pair(np.array([0.5]), (np.eye(2),))},
    "structured": lambda x: np.array([(1, 2.0)], [("a", "i4"), ("b", "f8")])["b"],
    "record": lambda x: np.array([(1, 2.0)], [("a", "i4"), ("b", "f8")])[-1],
    "records": lambda x: [(a := np.array([(1, 2.0), (3, 4.0)], [("a", "i4"), ("b", "f8")]))[0], a[1], a, a[0]],
    "text": lambda x: np.array(["a", "b"]),
    "0-d": lambda x: np.array(4.5),
    "broadcast": lambda x: np.broadcast_to(np.array([1.0, 2.0]), (2, 2)).copy(),
    "split": lambda x: np.split(np.arange(6.0) * 2, 3),
}
"""Programs that make arrays of what they know."""


def arrays_of(result: Any) -> list[Any]:
    if isinstance(result, np.ndarray):
        return [result]
    if isinstance(result, np.void):
        return [np.frombuffer(result, result.dtype)]
    if isinstance(result, dict):
        return arrays_of(list(result.values()))
    if isinstance(result, Box):
        return arrays_of(result.value)
    return [array for item in result for array in arrays_of(item)] if isinstance(result, (list, tuple)) else []


def spoil(result: Any) -> None:
    """Write to everything that a caller holds."""
    for array in arrays_of(result):
        if array.flags.writeable:
            array[...] = np.zeros((), array.dtype)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", MADE)
def test_what_the_program_makes_is_made_in_every_call(name: str, form: str) -> None:
    f = MADE[name]
    program = export(f, (np.ones(3),) if name != "orders" else (np.ones((3, 2)),))
    x = np.ones(3) if name != "orders" else np.ones((3, 2))
    if any(isinstance(leaf, Box) for leaf in (f(x).values() if isinstance(f(x), dict) else ())) and form == "loaded":
        from npexport import register_dataclass

        register_dataclass(Box)
    module = FORMS[form](program).module()
    for _ in range(3):
        want, found = arrays_of(f(x)), arrays_of(module(x))
        assert len(want) == len(found) > 0
        for first, second in zip(want, found, strict=True):
            np.testing.assert_array_equal(first, second)
            assert first.flags.writeable == second.flags.writeable
        for i, first in enumerate(want):
            assert [np.shares_memory(first, other) for other in want] == [np.shares_memory(found[i], other) for other in found]
        spoil(found)


class Reset:
    """Accumulates, gives the sum, and starts again from what it makes."""

    def __init__(self) -> None:
        self.w = np.zeros(2)
        self.parts = [np.zeros(2), np.zeros(2)]

    def __call__(self, x: Any) -> Any:
        self.w += x
        self.parts[0] += self.w
        out = self.w.copy()
        self.w = np.array([1.0, 2.0])
        self.parts = [np.array([1.0, 2.0]), np.array([3.0, 4.0])[::-1]]
        return out, self.w, self.parts[1]


@pytest.mark.parametrize("form", FORMS)
def test_state_that_is_rebound_to_what_the_program_makes(form: str) -> None:
    eager, module = Reset(), FORMS[form](export(Reset(), (np.ones(2),))).module()
    for _ in range(4):
        want, found = eager(np.ones(2)), module(np.ones(2))
        for first, second in zip(want, found, strict=True):
            np.testing.assert_array_equal(first, second)
        spoil(want[1:])
        spoil(found[1:])


def test_arrays_from_outside_are_one_array_in_all_calls() -> None:
    module = export(lambda x: (TABLE, ORDERED.T), (np.ones(3),)).module()
    first, second = module(np.ones(3)), module(np.ones(3))
    assert first[0] is second[0] and np.shares_memory(first[1], second[1])
    assert not np.shares_memory(first[0], TABLE)
    first[0][0] = 9
    assert module(np.ones(3))[0][0] == 9 and TABLE[0] == 5


def test_arrays_that_callers_write_to_are_not_folded() -> None:
    table = np.array([3.0, 1.0, 2.0])

    def f(x: Any) -> Any:
        return table[::-1], np.sort(table) + x, table * 2

    module = export(f, (np.ones(3),)).module()
    module(np.ones(3))[0][...] += 10
    assert module(np.ones(3))[1].tolist() == [12.0, 13.0, 14.0] and module(np.ones(3))[2].tolist() == [26.0, 22.0, 24.0]


# --- the law


def _literal_program() -> Any:
    return export(lambda x: x + np.array([1.0, 2.0, 3.0]), (np.ones(3),))


def _returns(program: Any, op: Op | None, *args: Any) -> None:
    graph, signature = program.graph, program.graph_signature
    literal = graph.placeholders[0]
    value = literal
    if op is not None:
        value = graph.call_function(
            op, (literal, *args), {}, {"val": op.rule(literal.meta["val"], *args), "stack_trace": (), "nn_module_stack": {}}
        )
        graph.nodes.remove(value)
        graph.nodes.insert(-1, value)
    graph.output_node.args = ((value,),)
    signature.output_specs[0].arg = type(signature.output_specs[0].arg)(value.name)


@pytest.mark.parametrize(
    ("op", "args"),
    [(None, ()), (ops.np.getitem, (slice(1, None),)), (ops.np.reshape, ((3, 1),)), (ops.np.broadcast_to, ((2, 3),))],
    ids=str,
)
def test_a_program_that_hands_a_literal_out_is_no_program(op: Op | None, args: Any) -> None:
    program = _literal_program()
    assert [spec.literal for spec in program.graph_signature.input_specs] == [True, False]
    _returns(program, op, *args)
    with pytest.raises(InternalError, match="may share memory with the literal"):
        program.validate()
    with pytest.raises(Exception, match="literal"):
        reloaded(program)


def test_copies_and_elements_of_literals_are_handed_out() -> None:
    for op, args in ((ops.np.copy, ()), (ops.np.getitem, (0,)), (ops.np.sin, ())):
        program = _literal_program()
        _returns(program, op, *args)
        program.validate()
        reloaded(program).module()(np.ones(3))


def test_only_constants_are_literals() -> None:
    program = _literal_program()
    program.graph_signature.input_specs[1].literal = True
    with pytest.raises(InternalError, match="no literal"):
        program.validate()


# --- whose arrays they are


class Model:
    def __init__(self) -> None:
        self.w, self.n, self.table = np.ones(2), np.zeros(2), np.full((2, 2), 3.0)

    def __call__(self, x: Any) -> Any:
        self.n += 1
        return x + self.w + self.n, self.table


def test_what_happens_to_the_object_afterwards_changes_no_program() -> None:
    model = Model()
    program = export(model, (np.zeros(2),))
    module = program.module()
    for array in (model.w, model.n, model.table):
        array -= 100
    for run in (module, program.module(), reloaded(program).module()):
        result, table = run(np.zeros(2))
        assert result.tolist() == [2.0, 2.0] and table.tolist() == [[3.0, 3.0], [3.0, 3.0]]


def test_modules_change_neither_each_other_nor_the_program() -> None:
    program = export(Model(), (np.zeros(2),))
    first, second = program.module(), program.module()
    for _, array in first._named(*InputKind):
        array[...] = 50
    first(np.zeros(2))[1][...] = 7
    assert first(np.zeros(2))[0].tolist() == [102.0, 102.0]
    assert second(np.zeros(2))[0].tolist() == [2.0, 2.0]
    assert second(np.zeros(2))[1].tolist() == [[3.0, 3.0], [3.0, 3.0]]
    assert all(not array.flags.writeable for array in [*program.constants.values(), *program.state_dict.values()])
    twin = copy.deepcopy(first)
    assert twin(np.zeros(2))[0].tolist() == first(np.zeros(2))[0].tolist() == [103.0, 103.0]


def test_elements_that_are_one_place_are_copied_once() -> None:
    wide = np.broadcast_to(np.array([1.0, 2.0]), (1 << 24, 2))
    program = export(lambda x: x + wide[3], (np.ones(2),))
    assert next(iter(program.constants.values())).strides == (0, 8)
    assert program.module()(np.ones(2)).tolist() == [2.0, 3.0]


def test_modules_whose_sizes_were_decided_for_a_reason_are_copied():
    def tells_its_size(x):
        print(f"{len(x)} rows")
        return x + 1

    program = export(tells_its_size, (np.ones(3),), dynamic_shapes=({0: Dim.AUTO},))
    assert "its text is used" in str(program.report)
    for copied in (copy.deepcopy(program.module()), pickle.loads(pickle.dumps(program.module())), copy.deepcopy(program).module()):
        assert copied(np.ones(3)).tolist() == [2.0] * 3
