"""The error states of nodes: in text and back, in archives, in passes and edits, as a law of graphs."""

import copy
import io
import random

import numpy as np
import pytest

from npexport import LoadError, diff, export, load, ops
from npexport.ir.error_states import KINDS, is_state, over, state_of
from npexport.ir.parsing import parse_graph
from npexport.ir.passes import common_subexpressions, fold_constants
from npexport.ir.printing import graph_code
from npexport.symshapes.errors import InternalError, UserError
from tests.support.archive_parts import rewritten
from tests.support.forms import archived
from tests.support.random_graphs import random_program
from tests.support.seeds import fresh_seed
from tests.support.told import told

X = np.array([1.0, 0.0, -1.0])
STATES = [
    state_of(dict(zip(KINDS, actions, strict=False))) for actions in (["ignore"], ["warn", "print"], ["ignore"] * 4, ["", "", "", "warn"])
]
IGNORED = (
    "ignore",
    "ignore: invalid value",
    "ignore RankWarning | ignore DeprecationWarning",
    r"ignore RuntimeWarning: .*Mean of empty slice\. | ignore: All-NaN",
)
STATES += [(*STATES[0], ("warnings", "ignore RuntimeWarning")), *[(("warnings", text),) for text in IGNORED]]


def quiet(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = 1 / x
    return y, np.log(x)


def calls(program):
    return program.graph.find_nodes(op="call_function")


def test_states_are_canonical():
    assert state_of({"invalid": "warn", "divide": "ignore", "over": "raise", "call": "set"}) == (("divide", "ignore"), ("invalid", "warn"))
    assert over((("divide", "ignore"), ("under", "warn")), (("under", "ignore"),)) == (("divide", "ignore"), ("under", "ignore"))
    assert over((("warnings", "ignore"),), (("warnings", "ignore RuntimeWarning"),)) == (("warnings", "ignore"),)
    within, around = "ignore: invalid value", "ignore RankWarning"
    assert over((("warnings", around),), (("warnings", within),)) == (("warnings", f"{around} | {within}"),)
    assert over((("divide", "warn"),), (("warnings", "ignore"),)) == (("divide", "warn"), ("warnings", "ignore"))
    assert all(map(is_state, STATES))
    bad = [
        (),
        [("divide", "ignore")],
        (("invalid", "warn"), ("divide", "warn")),
        (("divide", "raise"),),
        (("all", "ignore"),),
        (1,),
        (("divide",),),
        (("warnings", "error"),),
        (("warnings", []),),
        (("warnings", "ignore: (a|aa)+$"),),
        (("warnings", "ignore: " + "a" * 300),),
        (("warnings", "ignore Exception"),),
        (("warnings", "ignore | "),),
        (("warnings", "ignore"), ("divide", "ignore")),
    ]
    assert not any(map(is_state, [*bad, (("divide", "ignore"), ("divide", "warn")), (("divide", []),), None]))


@pytest.mark.parametrize("seed", [*range(8), pytest.param(fresh_seed(), marks=pytest.mark.fuzz)])
def test_text_and_back(seed):
    rng = np.random.default_rng(seed)
    program, *_ = random_program(random.Random(seed))
    for node in calls(program):
        if rng.random() < 0.6:
            node.meta["errors"] = STATES[rng.integers(len(STATES))]
    envs = program.graph.environments()
    again = parse_graph(graph_code(program.graph), envs[0] if envs else None)
    assert [node.meta.get("errors") for node in again.nodes] == [node.meta.get("errors") for node in program.graph.nodes]
    assert graph_code(again).split() == "\n".join(line for line in graph_code(program.graph).split("\n") if "#" not in line).split()


@pytest.mark.parametrize("head", ["np.errstate(divide='raise')", "np.errstate()", "np.errstate('ignore')", "open(divide='ignore')", "x"])
def test_other_texts_are_no_graphs(head):
    text = f'def forward(self, x: "f64[3]"):\n    with {head}:\n        sin: "f64[3]" = ops.np.sin(x)\n    return (sin,)\n'
    with pytest.raises(UserError) as error:
        parse_graph(text)
    assert error.value.code == "E201"


def test_programs_that_differ_in_a_state_differ():
    program = export(quiet, (X,))
    other = copy.deepcopy(program)
    assert not diff(program, other)
    calls(other)[0].meta["errors"] = STATES[0]
    assert diff(program, other)


BAD = [
    {}, {"divide": "raise"}, {"divide": "call"}, {"all": "ignore"}, {"invalid": "ignore", "divide": "ignore"}, [], "ignore",
    {"divide": ["ignore"]}, {"divide": 1},
]  # fmt: skip


@pytest.mark.parametrize("state", BAD)
def test_archives_with_other_states_are_refused(state):
    def change(document):
        row = next(row for row in document["graph"] if "errors" in row)
        assert row["errors"] == {"divide": "ignore", "invalid": "ignore"}
        row["errors"] = state

    with pytest.raises(LoadError):
        load(io.BytesIO(rewritten(archived(export(quiet, (X,))), change)))


def test_only_calls_have_states():
    def change(document):
        document["graph"][0]["errors"] = {"divide": "ignore"}

    with pytest.raises(LoadError):
        load(io.BytesIO(rewritten(archived(export(quiet, (X,))), change)))
    program = export(quiet, (X,))
    program.graph.placeholders[0].meta["errors"] = STATES[0]
    with pytest.raises(InternalError, match="error state"):
        program.validate()


def test_passes_keep_states_apart():
    def program(x):
        with np.errstate(all="ignore"):
            y = 1 / x
        return y, 1 / x, np.array([1.0]) * 2 + x

    exported = export(program, (X,))
    common_subexpressions(exported)
    fold_constants(exported)
    exported.validate()
    for state in ("warn", "raise"):
        np.testing.assert_equal(told(exported.module(), (X,), state), told(program, (X,), state))


def test_what_is_folded_has_no_state():
    def program(x):
        with np.errstate(all="ignore"):
            return x + (np.sqrt(WEIGHTS) * 3)[:, None].sum(axis=1)

    exported = export(program, (X,))
    fold_constants(exported)
    exported.validate()
    assert any("folded" in node.name for node in exported.graph.placeholders)


WEIGHTS = np.array([1.0, 4.0, 9.0])


def test_a_call_that_is_put_in_has_the_state_that_it_is_given():
    program = export(lambda x: x + 1, (X,))
    (add,) = calls(program)
    with program.graph.inserting_after(add):
        node = program.graph.call_function(ops.np.log, (add,), meta={"errors": STATES[0]})
    add.replace_all_uses_with(node, lambda user: user is not node)
    program.validate()
    assert told(program.module(), (X - 1,), "warn")[2] == [(RuntimeWarning, "invalid value encountered in log")]
