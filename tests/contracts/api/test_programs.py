"""What the contract says of a program in hand, one test a name."""

from __future__ import annotations

import dataclasses
import io
import subprocess
import sys

import numpy as np
import pytest

import npexport
from npexport import (
    Dim,
    InputKind,
    InputMismatch,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
    UserError,
    export,
    nn,
    ops,
    passes,
)
from tests.support import contract

A = np.arange(6, dtype=np.float32).reshape(2, 3)


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 2)
        self.table = np.ones(2, np.float32)
        self.register_buffer("calls", np.zeros((), np.int64))
        self.register_buffer("scratch", np.ones(2, np.float32), persistent=False)

    def forward(self, x, *, scale=1.0):
        self.calls += 1
        return self.linear(x) * scale + self.table * self.scratch


def scorer(**options):
    return export(Scorer(), (A,), {"scale": 2.0}, dynamic_shapes={"x": {0: Dim("n")}, "scale": None}, **options)


def test_ExportedProgram():
    program = scorer()
    text = str(program)
    assert "/" in text and 'x: "f32[s0, 3]"' in text and "self.calls += 1" in text and "Range constraints: {s0: VR[0, int_oo]}" in text
    with pytest.raises(UserError):
        program(A)


def test_ExportedProgram_graph():
    for node in scorer().graph.nodes:
        assert node.op in ("placeholder", "call_function", "output")
        if node.op == "call_function":
            assert str(node.meta["val"]) and node.meta["stack_trace"][-1].source and node.meta["nn_module_stack"][""] == "Scorer"


def test_ExportedProgram_graph_module():
    program = scorer()
    assert program.graph_module.graph is program.graph and program.graph_module.recompile() == program.graph_module.code


@pytest.mark.parametrize("f", [lambda x: (len(x) * 2, x.size), lambda x: np.arange(3), lambda x: x if x.sum() > 0 else -x])
def test_every_call_has_a_place(f):
    program = export(f, (A,), dynamic_shapes=({0: Dim.AUTO},))
    for node in program.graph.find_nodes(op="call_function"):
        assert node.meta["stack_trace"][-1].file == __file__ and node.meta["stack_trace"][-1].source


def test_ExportedProgram_graph_signature():
    assert isinstance(scorer().graph_signature, npexport.ExportGraphSignature)


def test_ExportedProgram_state_dict():
    assert set(scorer().state_dict) == {"linear.weight", "linear.bias", "calls"}


def test_ExportedProgram_constants():
    assert set(scorer().constants) == {"table", "scratch"}


def test_ExportedProgram_tensor_constants():
    program = scorer()
    assert program.tensor_constants is program.constants


def test_ExportedProgram_range_constraints():
    import sympy

    assert str(scorer().range_constraints[sympy.Symbol("s0", integer=True)]) == "VR[0, int_oo]"


def test_ExportedProgram_guards():
    program = export(lambda x: x if len(x) != 5 else -x, (A[0],), dynamic_shapes=({0: Dim.AUTO},))
    assert [guard.text for guard in program.guards] == ["x.shape[0] != 5"]


def test_ExportedProgram_module_call_graph():
    entries = scorer(preserve_module_call_signature=("linear",)).module_call_graph
    assert [(entry.fqn, entry.signature is not None) for entry in entries] == [("", True), ("linear", True)]


def test_ExportedProgram_example_inputs():
    args, kwargs = scorer().example_inputs
    np.testing.assert_array_equal(args[0], A)
    assert kwargs == {"scale": 2.0}


def test_ExportedProgram_call_spec():
    spec = scorer().call_spec
    assert spec.in_spec.num_leaves == 2 and spec.out_spec.num_leaves == 1


def test_ExportedProgram_dialect():
    assert scorer().dialect == "NUMPY" and scorer().run_decompositions().dialect == "CORE"


def test_ExportedProgram_opset_version():
    assert scorer().opset_version["np"] >= 1


def test_ExportedProgram_module():
    program = scorer()
    run = program.module()
    np.testing.assert_array_equal(run(A, scale=2.0), Scorer.forward(rebuilt(program), A, scale=2.0))
    assert dict(run.named_buffers())["calls"] == 1 and program.state_dict["calls"] == 0
    guarded = export(lambda x: x if len(x) != 5 else -x, (A[0],), dynamic_shapes=({0: Dim.AUTO},))
    with pytest.raises(InputMismatch):
        guarded.module()(np.ones(5, np.float32))
    assert guarded.module(check_guards=False)(np.ones(5, np.float32)).sum() == 5


def rebuilt(program):
    module = Scorer()
    module.load_state_dict({**program.state_dict})
    return module


def test_ExportedProgram_parameters():
    assert [array.shape for array in scorer().parameters()] == [(2, 3), (2,)]


def test_ExportedProgram_named_parameters():
    assert [name for name, _ in scorer().named_parameters()] == ["linear.weight", "linear.bias"]


def test_ExportedProgram_buffers():
    assert [array.shape for array in scorer().buffers()] == [(), (2,)]


def test_ExportedProgram_named_buffers():
    assert [name for name, _ in scorer().named_buffers()] == ["calls", "scratch"]


def test_ExportedProgram_run_decompositions():
    program = export(np.square, (A,))
    assert [node.target for node in program.run_decompositions().graph.find_nodes(op="call_function")] == [ops.np.multiply]
    assert not npexport.diff(program, program.run_decompositions({}))
    assert not npexport.diff(program, program.run_decompositions(decomp_table={}))
    assert not npexport.diff(program.run_decompositions(), program.run_decompositions(decomp_table=None))
    with pytest.raises(npexport.UserError, match="E201 .* given as table and as decomp_table"):
        program.run_decompositions({}, decomp_table={})


def test_ExportedProgram_validate():
    program = scorer()
    program.validate()
    program.graph.output_node.args[0][0].meta["val"] = None
    with pytest.raises(npexport.InternalError):
        program.validate()


def test_ExportedProgram_verifiers():
    program = scorer()
    assert program.verifiers[0] is program.verifier


def test_ExportedProgram_verifier():
    program = scorer()
    program.verifier(program)


def test_ExportedProgram_to_python(tmp_path):
    program = export(lambda x, k=2: np.sin(x) * k + np.arange(3, dtype=np.float32), (A,))
    text = program.to_python(tmp_path / "plain.py")
    assert (tmp_path / "plain.py").read_text() == text and "npexport" not in text
    np.save(tmp_path / "x.npy", A)
    code = "import numpy, plain; numpy.save('y.npy', plain.forward(numpy.load('x.npy')))"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), program.module()(A))


def test_ExportedProgram_to_html(tmp_path):
    program = scorer()
    text = program.to_html(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == text and "self.calls += 1" in text
    assert "http://" not in text and "https://" not in text and len(program._repr_html_()) < len(text)


def test_ExportedProgram_to_dot():
    text = scorer().to_dot()
    assert text.startswith("digraph") and "linear" in text and text.count("{") == text.count("}")


# The signature

STATE = InputKind.BUFFER


def test_ExportGraphSignature():
    signature = scorer().graph_signature
    assert [spec.kind.name for spec in signature.input_specs] == [
        "PARAMETER", "PARAMETER", "BUFFER", "BUFFER", "CONSTANT_TENSOR", "USER_INPUT", "USER_INPUT"
    ]  # fmt: skip
    assert [spec.kind.name for spec in signature.output_specs] == ["BUFFER_MUTATION", "USER_OUTPUT"]


SIGNATURE = {
    "assertion_dep_token": None,
    "backward_signature": None,
    "buffers": ("calls", "scratch"),
    "buffers_to_mutate": {"setitem": "calls"},
    "input_tokens": (),
    "inputs_to_buffers": {"b_calls": "calls", "b_scratch": "scratch"},
    "inputs_to_lifted_custom_objs": {},
    "inputs_to_lifted_tensor_constants": {"c_table": "table"},
    "inputs_to_parameters": {"p_linear_weight": "linear.weight", "p_linear_bias": "linear.bias"},
    "lifted_custom_objs": (),
    "lifted_tensor_constants": ("table",),
    "non_persistent_buffers": ("scratch",),
    "output_tokens": (),
    "parameters": ("linear.weight", "linear.bias"),
    "parameters_to_mutate": {},
    "user_inputs": ("x", 2.0),
    "user_inputs_to_mutate": {},
    "user_outputs": ("add_1",),
}


@pytest.mark.parametrize("name", contract.SIGNATURE)
def test_properties_of_ExportGraphSignature(name):
    assert getattr(scorer().graph_signature, name) == SIGNATURE[name]


def test_ExportGraphSignature_replace_all_uses():
    signature = scorer().graph_signature
    signature.replace_all_uses("x", "y")
    signature.replace_all_uses("add_1", "total")
    assert signature.user_inputs == ("y", 2.0) and signature.user_outputs == ("total",)


def test_ExportGraphSignature_get_replace_hook():
    program = scorer()
    (out,) = [node for node in program.graph.nodes if node.name == "add_1"]
    program.graph_signature.get_replace_hook()(out, "total", program.graph.output_node)
    assert program.graph_signature.user_outputs == ("total",)
    x = next(node for node in program.graph.placeholders if node.name == "x")
    program.graph_signature.get_replace_hook(replace_inputs=True)(x, "y", out)
    assert program.graph_signature.user_inputs == ("y", 2.0)


def test_InputKind():
    assert [kind.name for kind in InputKind] == ["USER_INPUT", "PARAMETER", "BUFFER", "CONSTANT_TENSOR", "CUSTOM_OBJ", "TOKEN"]
    assert [kind.value for kind in InputKind] == [1, 2, 3, 4, 5, 6]


def test_OutputKind():
    assert {kind.name: kind.value for kind in OutputKind} == {
        "USER_OUTPUT": 1, "LOSS_OUTPUT": 2, "BUFFER_MUTATION": 3, "PARAMETER_MUTATION": 4, "GRADIENT_TO_PARAMETER": 5,
        "GRADIENT_TO_USER_INPUT": 6, "USER_INPUT_MUTATION": 7, "TOKEN": 8,
    }  # fmt: skip


def test_InputSpec():
    spec = InputSpec(STATE, TensorArgument("b"), "b", persistent=False)
    assert (spec.kind, spec.arg.name, spec.target, spec.persistent) == (STATE, "b", "b", False)
    with pytest.raises(ValueError, match="persistent"):
        InputSpec(STATE, TensorArgument("b"), "b")


def test_OutputSpec():
    spec = OutputSpec(OutputKind.USER_INPUT_MUTATION, TensorArgument("add"), "x")
    assert (spec.kind.name, spec.arg.name, spec.target) == ("USER_INPUT_MUTATION", "add", "x")


def test_TensorArgument():
    assert scorer().graph_signature.output_specs[-1].arg == TensorArgument("add_1")


def args_of(f, *args, **options):
    return [spec.arg for spec in export(f, args, **options).graph_signature.output_specs]


def test_SymIntArgument():
    assert isinstance(args_of(len, A, dynamic_shapes=({0: Dim("n")},))[0], npexport.SymIntArgument)


def test_SymFloatArgument():
    assert isinstance(args_of(lambda x: len(x) / 3, A, dynamic_shapes=({0: Dim("n")},))[0], npexport.SymFloatArgument)


def test_SymBoolArgument():
    assert npexport.SymBoolArgument("b").name == "b"


def test_ConstantArgument():
    assert args_of(lambda x: (x, 3), A)[1].value == 3


def test_CustomObjArgument():
    program = export(lambda rng: rng.random(2), (np.random.default_rng(0),))
    (spec,) = program.graph_signature.input_specs
    assert isinstance(spec.arg, npexport.CustomObjArgument) and spec.arg.class_fqn == "numpy.random.Generator"


def test_TokenArgument():
    assert npexport.TokenArgument("t").name == "t"


def test_ExportBackwardSignature():
    fields = [field.name for field in dataclasses.fields(npexport.ExportBackwardSignature)]
    assert fields == ["gradients_to_parameters", "gradients_to_user_inputs", "loss_output"]


def test_ModuleCallEntry():
    assert npexport.ModuleCallEntry("a.b").signature is None


def test_ModuleCallSignature():
    signature = scorer(preserve_module_call_signature=("linear",)).module_call_graph[1].signature
    assert isinstance(signature, npexport.ModuleCallSignature) and signature.forward_arg_names == ["input"]
    assert [arg.name for arg in signature.inputs] == ["x"] and signature.out_spec.num_leaves == 1


# Taken apart and put together


def test_unflatten():
    program = scorer(preserve_module_call_signature=("linear",))
    tree = npexport.unflatten(program)
    np.testing.assert_array_equal(tree(A, scale=2.0), program.module()(A, scale=2.0))
    tree.linear = lambda x: x[:, :2] * 0
    np.testing.assert_array_equal(tree(A, scale=2.0), np.ones((2, 2)))


def test_UnflattenedModule():
    tree = npexport.unflatten(scorer())
    assert isinstance(tree, npexport.UnflattenedModule) and [name for name, _ in tree.named_modules()] == ["", "linear"]


def test_InterpreterModule():
    tree = npexport.unflatten(scorer())
    assert isinstance(tree.linear, npexport.InterpreterModule)
    assert npexport.InterpreterModule(export(np.sin, (A,)).graph, ty="Sine")(A).shape == A.shape


def test_InterpreterModuleDispatcher():
    modules = [npexport.InterpreterModule(export(f, (A,)).graph) for f in (np.sin, np.cos)]
    both = npexport.InterpreterModuleDispatcher([], modules)
    for f in (np.sin, np.cos, np.sin):
        np.testing.assert_array_equal(both(A), f(A))
    assert both.call_modules() == modules


class Reversed(npexport.FlatArgsAdapter):
    def adapt(self, target_spec, input_spec, input_args, metadata=None, obj=None):
        return input_args[::-1]


def test_FlatArgsAdapter():
    program = export(lambda x, y: x - 2 * y, (A, A))
    np.testing.assert_array_equal(npexport.unflatten(program, Reversed())([A, A * 0]), -2 * A)


def test_FlatArgsAdapter_adapt():
    with pytest.raises(TypeError):
        npexport.FlatArgsAdapter()


def test_FlatArgsAdapter_get_flat_arg_paths():
    assert Reversed().get_flat_arg_paths() == []


def edited():
    program = export(lambda x: np.sin(x) * 2, (A,))
    (sine,) = program.graph.find_nodes(op="call_function", target=ops.np.sin)
    return program, sine


def test_Graph_find_nodes():
    program, sine = edited()
    assert program.graph.find_nodes(op="placeholder") == program.graph.placeholders and sine.target is ops.np.sin


def test_Graph_inserting_before():
    program, sine = edited()
    with program.graph.inserting_before(sine):
        node = program.graph.call_function(ops.np.exp, (program.graph.placeholders[0],))
    assert program.graph.nodes.index(node) == program.graph.nodes.index(sine) - 1


def test_Graph_inserting_after():
    program, sine = edited()
    with program.graph.inserting_after(sine):
        node = program.graph.call_function(ops.np.exp, (sine,))
    assert program.graph.nodes.index(node) == program.graph.nodes.index(sine) + 1


def test_Graph_call_function():
    program, sine = edited()
    assert str(program.graph.call_function(ops.np.sum, (sine,), {"axis": 0}).meta["val"]) == "f32[3]"


def test_Node_replace_all_uses_with():
    program, sine = edited()
    with program.graph.inserting_before(sine):
        cosine = program.graph.call_function(ops.np.cos, (program.graph.placeholders[0],))
    sine.replace_all_uses_with(cosine)
    assert not sine.users
    np.testing.assert_array_equal(program.module()(A), np.cos(A) * 2)


def test_Graph_erase_node():
    program, sine = edited()
    with pytest.raises(UserError):
        program.graph.erase_node(sine)
    sine.replace_all_uses_with(program.graph.placeholders[0])
    program.graph.erase_node(sine)
    np.testing.assert_array_equal(program.module()(A), A * 2)


def test_Graph_lint():
    program, sine = edited()
    program.graph.lint()
    program.graph.nodes.remove(sine)
    with pytest.raises(npexport.ExportError, match="sin"):
        program.graph.lint()


def test_Graph_eliminate_dead_code():
    program, sine = edited()
    program.graph.call_function(ops.np.exp, (sine,))
    assert program.graph.eliminate_dead_code() and not program.graph.eliminate_dead_code()


def test_GraphModule_recompile():
    program, sine = edited()
    sine.target = ops.np.cos
    assert "cos" in program.graph_module.recompile()


def test_passes_dead_code():
    program, sine = edited()
    program.graph.call_function(ops.np.exp, (sine,))
    assert len(passes.dead_code(program).graph) == len(program.graph) - 1


def test_passes_share():
    program = export(lambda x: np.sin(x) * np.cos(x), (A,))
    program.graph.nodes[2].target = ops.np.sin
    assert len(passes.share(program).graph) == len(program.graph) - 1


def test_passes_fold_constants():
    weights = np.ones(3, np.float32)
    program = export(lambda x: x * np.sqrt(weights), (A,))
    assert [node.target for node in passes.fold_constants(program).graph.find_nodes(op="call_function")] == [ops.np.multiply]


@pytest.mark.parametrize("location", ["cpu", {"cuda": "cpu"}], ids=["name", "map"])
def test_passes_move_to_device_pass(location):
    program = scorer()
    assert not npexport.diff(program, passes.move_to_device_pass(ep=program, location=location))
    with pytest.raises(UserError, match="cuda"):
        passes.move_to_device_pass(program, "cuda")


def test_diff():
    program = scorer()
    assert not npexport.diff(program, npexport.load(saved(program)))
    found = npexport.diff(export(np.sin, (A,)), export(np.cos, (A,)))
    assert found and "cos" in str(found)


def test_ProgramDiff():
    program = scorer()
    found = npexport.diff(program, program)
    assert isinstance(found, npexport.ProgramDiff) and not found
    assert (found.graph, found.signature, found.guards, found.constants) == ((), (), (), ())


def saved(program):
    file = io.BytesIO()
    npexport.save(program, file)
    file.seek(0)
    return file
