"""What the verifier knows of the counters of loops: no more than the graph of an iteration says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from npexport import Dim, export
from npexport.ir.invariants import of_iterations
from npexport.symshapes.errors import InternalError


def windows(x: Any) -> Any:
    out = np.empty(len(x) - 2)
    for t in range(len(x) - 2):
        out[t] = (np.arange(3.0) * x[t : t + 3]).sum()
    return out


def downwards(x: Any) -> Any:
    total = np.zeros(3)
    for t in range(len(x), 2, -2):
        total += x[t - 3 : t]
    return total


def until_data_say_so(x: Any) -> Any:
    total, i = x.sum(), 0
    while i < len(x) and total < 10:
        total, i = total + x[i], i + 2
    return total


def loop_of(program: Any) -> Any:
    return next(node for node in program.graph.nodes if str(node.target) == "ops.control.while_loop")


def exported(f: Any) -> Any:
    return export(f, (np.arange(8.0),), dynamic_shapes=({0: Dim("n", min=3)},))


@pytest.mark.parametrize(
    ("f", "wanted"),
    [
        (windows, {"s0 >= 3", "s0 >= counter + 2"}),
        (downwards, {"s0 >= counter + 2", "s0 >= 3", "counter >= 1"}),
    ],
)
def test_a_counter_lies_between_its_first_value_and_its_end(f: Any, wanted: set[str]) -> None:
    loop = loop_of(exported(f))
    counter = next(str(node.meta["val"]) for node in loop.args[1].graph.placeholders if node.name.startswith("carry"))
    assert {str(truth).replace(counter, "counter") for truth in of_iterations(loop)} == wanted


def test_a_width_that_the_end_of_the_counter_does_not_say_is_refused() -> None:
    program = exported(windows)
    output = loop_of(program).args[1].graph.output_node
    program.validate()
    output.args = ((True, *output.args[0][1:]),)  # iterations follow one another for ever
    with pytest.raises(InternalError, match=r"getitem.* is declared f64\[3\]"):
        program.validate()


def test_a_loop_whose_first_iteration_is_made_in_any_case_says_nothing_of_its_end() -> None:
    loop = loop_of(exported(windows))
    test, body, carried, operands = loop.args
    loop.args = test, body, (True, 99, *carried[2:]), operands
    assert not [truth for truth in of_iterations(loop) if "s0" in str(truth)]


def test_data_that_end_a_loop_say_nothing_of_its_counter() -> None:
    assert all("s0" not in str(truth) for truth in of_iterations(loop_of(exported(until_data_say_so))))
