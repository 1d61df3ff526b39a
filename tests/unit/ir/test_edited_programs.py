"""Programs after edits by hand: what runs, writes or rewrites one names the law that an edit broke; one that nobody edited is not
examined again.
"""

import copy
import io

import numpy as np
import pytest

from npexport import Dim, InternalError, UserError, draft_export, export, load, nn, ops, passes, save, unflatten
from npexport.ir.program import ExportedProgram

X = np.linspace(0.1, 1.0, 12).reshape(3, 4)


def program():
    def f(x):
        a = np.sin(x)
        b = a * 2
        return a + b, b

    return export(f, (X,))


def foreign(ep, nodes):
    nodes[-1].args = ((program().graph.nodes[1], nodes[2]),)


def fewer_outputs(ep, nodes):
    nodes[-1].args = ((nodes[2],),)


def no_array(ep, nodes):
    nodes[1].args = ("abc",)


def too_many(ep, nodes):
    nodes[1].args = (nodes[0],) * 4


def no_operator(ep, nodes):
    nodes[1].target = np.sin


def its_own_operand(ep, nodes):
    nodes[1].args = (nodes[1],)


def one_name_twice(ep, nodes):
    nodes[1].name = nodes[2].name


def renamed_input(ep, nodes):
    nodes[0].name = "other"


def no_value(ep, nodes):
    del nodes[1].meta["val"]


def another_value(ep, nodes):
    nodes[3].meta["val"] = nodes[3].meta["val"].with_(shape=(5,))


def keyword_in_place(ep, nodes):
    nodes[2].kwargs["nonsense"] = 1


def kind_of_node(ep, nodes):
    nodes[1].op = "call_method"


def fewer_specs(ep, nodes):
    ep.graph_signature.input_specs.clear()


def output_spec(ep, nodes):
    ep.graph_signature.output_specs[1].arg = ep.graph_signature.output_specs[0].arg


def order(ep, nodes):
    ep.graph.nodes[1], ep.graph.nodes[2] = nodes[2], nodes[1]


EDITS = (foreign, fewer_outputs, no_array, too_many, no_operator, its_own_operand, one_name_twice, renamed_input, no_value)
EDITS += (another_value, keyword_in_place, kind_of_node, fewer_specs, output_spec, order)
USES = {
    "module": lambda ep: ep.module(),
    "save": lambda ep: save(ep, io.BytesIO()),
    "to_python": lambda ep: ep.to_python(),
    "to_html": lambda ep: ep.to_html(),
    "unflatten": unflatten,
    "run_decompositions": lambda ep: ep.run_decompositions(),
    "independent_dims": lambda ep: ep.independent_dims(),
    "share": passes.share,
}


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_a_broken_law_is_named_by_whatever_uses_the_program(edit):
    ep = program()
    edit(ep, list(ep.graph.nodes))
    with pytest.raises(InternalError) as told:
        ep.validate()
    for use in USES.values():
        with pytest.raises(InternalError) as caught:
            use(ep)
        assert (caught.value.code, str(caught.value)) == ("E902", str(told.value))


@pytest.mark.parametrize("array", [np.zeros(7, np.float32), np.zeros((2, 3)), "abc", None], ids=["shape", "dtype", "text", "none"])
def test_arrays_that_do_not_fit_are_refused_by_whatever_uses_the_program(array):
    ep = export(nn.Linear(3, 2), (np.ones((1, 3), np.float32),))
    ep.state_dict["weight"] = array
    for use in USES.values():
        with pytest.raises(UserError, match="weight") as caught:
            use(ep)
        assert caught.value.code == "E241"


def test_an_array_that_is_missing_is_named():
    ep = export(nn.Linear(3, 2), (np.ones((1, 3), np.float32),))
    del ep.state_dict["weight"]
    for use in USES.values():
        with pytest.raises(UserError, match="the program holds no PARAMETER 'weight'") as caught:
            use(ep)
        assert caught.value.code == "E241"


def test_a_file_is_kept_where_an_edited_program_is_refused(tmp_path):
    path = tmp_path / "p.np2"
    save(program(), path)
    before = path.read_bytes()
    ep = program()
    ep.graph.nodes[1].args = ("abc",)
    with pytest.raises(InternalError):
        save(ep, path)
    assert path.read_bytes() == before and [each.name for each in tmp_path.iterdir()] == ["p.np2"]


def test_an_edit_that_is_undone_and_one_that_keeps_the_laws_run():
    ep = program()
    sin = ep.graph.nodes[1]
    sin.args, kept = ("abc",), sin.args
    with pytest.raises(InternalError):
        ep.module()
    sin.args = kept
    assert (ep.module()(X)[1] == np.sin(X) * 2).all()
    sin.target = ops.np.cos
    assert (ep.module()(X)[1] == np.cos(X) * 2).all()


class Counter:
    def __init__(self):
        self.total = np.zeros(3)
        self.generator = np.random.default_rng(0)

    def __call__(self, x):
        self.total += x
        if x.sum() > 0:
            x = x * 2
        while x.sum() < 10:
            x = x + np.abs(self.generator.normal(size=3))
        return x, {"total": self.total}


CALLS = {
    "state": lambda: export(Counter(), (np.ones(3),)),
    "sizes": lambda: export(lambda x: x[x > 0].sum() + len(x), (np.ones(4),), dynamic_shapes=({0: Dim("n")},)),
    "layers": lambda: export(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)), (np.ones((3, 2), np.float32),)),
    "draft": lambda: draft_export(lambda x: np.sin(x), (np.ones(3),)),
}


@pytest.mark.parametrize("make", CALLS.values(), ids=CALLS)
def test_what_nobody_edited_is_not_examined_again(make, monkeypatch):
    ep = make()
    save(ep, file := io.BytesIO())
    others = [ep, load(file), ep.run_decompositions(), passes.share(ep)]
    copied = copy.deepcopy(ep)
    copied.module()
    monkeypatch.setattr(ExportedProgram, "validate", lambda self: pytest.fail("examined again"))
    for each in (*others, copied):
        each.module()
        save(each, io.BytesIO())
