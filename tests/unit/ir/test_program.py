"""What a program shows of itself: printed form, signature, accessors."""

import copy
import pickle

import numpy as np
import pytest

import npexport
from npexport.ir.argument_specs import ConstantArgument, SymIntArgument, TensorArgument, TokenArgument
from npexport.ir.meta import TensorMeta
from npexport.ir.printing import value_text
from npexport.ir.signature import ExportGraphSignature, InputKind, InputSpec, OutputKind, OutputSpec
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.errors import Location
from npexport.symshapes.ranges import ValueRanges
from tests.support.program_builder import Builder


def sin_plus():
    builder = Builder()
    x = builder.input("x", np.zeros((10, 10), "f4"))
    y = builder.input("y", np.zeros((10, 10), "f4"))
    mode = builder.input("mode", "same")
    a = builder.call("np.sin", x)
    b = builder.call("np.add", a, y)
    c = builder.call("np.sum", b, axis=(0, 1), keepdims=True)
    for node, line, source in ((a, 4, "    a = np.sin(x)"), (b, 5, "    return np.sum(a + y)"), (c, 5, "    return np.sum(a + y)")):
        node.meta["stack_trace"] = (
            Location("model.py", 9, function="outer"),
            Location("model.py", line, function="forward", source=source),
        )
    assert mode.name == "mode"
    return builder.finish((c, 3), args=("x", "y", "mode"))


PRINTED = """\
ExportedProgram:
    class GraphModule(nn.Module):
        def forward(self, x: "f32[10, 10]", y: "f32[10, 10]", mode: "'same'"):
            # model.py:4 in forward, code: a = np.sin(x)
            sin: "f32[10, 10]" = ops.np.sin(x)

            # model.py:5 in forward, code: return np.sum(a + y)
            add: "f32[10, 10]" = ops.np.add(sin, y)
            sum: "f32[1, 1]" = ops.np.sum(add, (0, 1), keepdims=True)
            return (sum, 3)

Graph signature:
    input  x           USER_INPUT
    input  y           USER_INPUT
    input  mode='same' USER_INPUT
    output sum         USER_OUTPUT
    output 3           USER_OUTPUT
Range constraints: {}
"""


def test_printed_form():
    assert str(sin_plus()) == PRINTED


def test_printed_signature_shows_the_fields_that_are_set():
    program = npexport.export(Counter(), (np.zeros(2),), dynamic_shapes={"x": {0: npexport.Dim.AUTO}})
    table = str(program).partition("Graph signature:\n")[2].partition("Range constraints")[0]
    rows = [" ".join(line.split()) for line in table.splitlines()]
    assert rows[0] == "input b_calls BUFFER target='calls' persistent=False"
    assert rows[1].startswith("input x USER_INPUT") and "overlaps=" in rows[1]
    assert rows[2] == "output setitem BUFFER_MUTATION target='calls'" and rows[3].endswith(" USER_OUTPUT")
    assert len(rows) == 4
    assert repr(program.graph_signature).startswith("ExportGraphSignature(\n    input_specs=[\n        InputSpec(\n")


class Counter:
    def __init__(self):
        self.calls = np.zeros(())

    def __call__(self, x):
        self.calls += 1
        return x * self.calls


def test_printed_sizes_and_guards():
    env = ShapeEnv()
    n = env.create_symbol("x.shape[0]", 5, ValueRanges(3, 6))
    assert bool(n % 2 == 1)
    env.close()
    builder = Builder()
    x = builder.graph.placeholder("x", {"val": TensorMeta((n, n + 1), np.dtype("i8"))})
    builder.inputs.append(InputSpec(InputKind.USER_INPUT, TensorArgument("x"), None))
    size = builder.call("sym.size", x, 1)
    ranges = {n.expression: ValueRanges(3, 6), (n + 1).expression: ValueRanges(4, 7)}
    text = str(builder.finish((x, size), range_constraints=ranges, guards=env.guards))
    assert 'x: "i64[s0, s0 + 1]"' in text
    assert 'size: "Sym(s0 + 1)" = ops.sym.size(x, 1)' in text
    assert "Range constraints: {s0: VR[3, 6], s0 + 1: VR[4, 7]}" in text
    assert "Guards:\n    x.shape[0] % 2 == 1" in text


VALUES = [
    (TensorMeta((2, 3), np.dtype("f4")), "f32[2, 3]"),
    (TensorMeta((), np.dtype("?")), "b8[]"),
    ((TensorMeta((2,), np.dtype("c16")),), "(c128[2],)"),
    ((TensorMeta((2,), np.dtype("<U5")), 3), "(<U5[2], 3)"),
    ("a", "'a'"),
    (None, "None"),
]


@pytest.mark.parametrize("value, text", VALUES, ids=[text for _, text in VALUES])
def test_values_as_text(value, text):
    assert value_text(value) == text


def test_arguments_as_text():
    builder = Builder()
    x = builder.input("x", np.zeros((4, 4)))
    builder.call("np.getitem", x, (slice(1, None), ..., None))
    builder.call("np.full", (2, 2), float("inf"), dtype=np.dtype("f4"))
    builder.call("np.concatenate", [x, x])
    program = builder.finish(x)
    code = program.graph_module.code
    assert "ops.np.getitem(x, (slice(1, None, None), ..., None))" in code
    assert "np.dtype('float32')" in code and "ops.np.concatenate([x, x])" in code
    assert code in program.graph_module.print_readable(print_output=False).replace("\n    ", "\n")


def test_graph_module_runs_the_bare_graph():
    ones = np.ones((10, 10), "f4")
    total, three = sin_plus().graph_module(ones, ones, "same")
    assert three == 3
    np.testing.assert_allclose(total, (np.sin(ones) + 1).sum(keepdims=True), rtol=1e-6)
    with pytest.raises(TypeError, match="3 inputs, 1 came"):
        sin_plus().graph_module(ones)


def signature():
    inputs = [
        InputSpec(InputKind.PARAMETER, TensorArgument("p_w"), "layer.w"),
        InputSpec(InputKind.BUFFER, TensorArgument("b_n"), "n", True),
        InputSpec(InputKind.BUFFER, TensorArgument("b_cache"), "cache", False),
        InputSpec(InputKind.CONSTANT_TENSOR, TensorArgument("c_t"), "t"),
        InputSpec(InputKind.TOKEN, TokenArgument("token"), None),
        InputSpec(InputKind.USER_INPUT, TensorArgument("x"), None),
        InputSpec(InputKind.USER_INPUT, ConstantArgument("flag", True), None),
        InputSpec(InputKind.USER_INPUT, SymIntArgument("size"), None),
        InputSpec(InputKind.USER_INPUT, TensorArgument("again"), None, same_as="x"),
    ]
    outputs = [
        OutputSpec(OutputKind.BUFFER_MUTATION, TensorArgument("add"), "n"),
        OutputSpec(OutputKind.USER_INPUT_MUTATION, TensorArgument("mul"), "x"),
        OutputSpec(OutputKind.USER_OUTPUT, TensorArgument("mul"), alias="x"),
        OutputSpec(OutputKind.USER_OUTPUT, ConstantArgument("", 3)),
    ]
    return ExportGraphSignature(inputs, outputs)


PROPERTIES = {
    "parameters": ("layer.w",),
    "buffers": ("n", "cache"),
    "non_persistent_buffers": ("cache",),
    "lifted_tensor_constants": ("t",),
    "lifted_custom_objs": (),
    "user_inputs": ("x", True, "size", "again"),
    "user_outputs": ("mul", 3),
    "inputs_to_parameters": {"p_w": "layer.w"},
    "inputs_to_buffers": {"b_n": "n", "b_cache": "cache"},
    "inputs_to_lifted_tensor_constants": {"c_t": "t"},
    "inputs_to_lifted_custom_objs": {},
    "buffers_to_mutate": {"add": "n"},
    "parameters_to_mutate": {},
    "user_inputs_to_mutate": {"mul": "x"},
    "backward_signature": None,
    "assertion_dep_token": None,
    "input_tokens": ("token",),
    "output_tokens": (),
}


@pytest.mark.parametrize("name, value", PROPERTIES.items())
def test_signature_properties(name, value):
    assert getattr(signature(), name) == value


def test_kinds_have_the_numbers_of_torch():
    assert [kind.name for kind in InputKind] == ["USER_INPUT", "PARAMETER", "BUFFER", "CONSTANT_TENSOR", "CUSTOM_OBJ", "TOKEN"]
    assert [kind.value for kind in InputKind] == [1, 2, 3, 4, 5, 6]
    names = (
        "USER_OUTPUT LOSS_OUTPUT BUFFER_MUTATION PARAMETER_MUTATION GRADIENT_TO_PARAMETER GRADIENT_TO_USER_INPUT USER_INPUT_MUTATION TOKEN"
    )
    assert [kind.name for kind in OutputKind] == names.split()
    assert repr(InputKind.PARAMETER) == "<InputKind.PARAMETER: 2>"


def test_backward_signature():
    outputs = [
        OutputSpec(OutputKind.LOSS_OUTPUT, TensorArgument("loss")),
        OutputSpec(OutputKind.GRADIENT_TO_PARAMETER, TensorArgument("g"), "w"),
        OutputSpec(OutputKind.GRADIENT_TO_USER_INPUT, TensorArgument("h"), "x"),
    ]
    backward = ExportGraphSignature([], outputs).backward_signature
    assert (backward.loss_output, backward.gradients_to_parameters, backward.gradients_to_user_inputs) == ("loss", {"g": "w"}, {"h": "x"})


def test_replace_all_uses():
    changed = signature()
    changed.replace_all_uses("x", "z")
    changed.replace_all_uses("mul", "product")
    assert changed.user_inputs == ("z", True, "size", "again") and changed.input_specs[-1].same_as == "z"
    assert changed.user_inputs_to_mutate == {"product": "z"} and changed.output_specs[2].alias == "z"
    assert changed.user_outputs == ("product", 3)


def test_replace_hook():
    class Old:
        name, op = "add", "call_function"

    class User:
        op = "output"

    changed = signature()
    changed.get_replace_hook()(Old, "sum", User)
    assert changed.buffers_to_mutate == {"sum": "n"}
    Old.name, Old.op, User.op = "x", "placeholder", "call_function"
    changed.get_replace_hook()(Old, "z", User)
    assert changed.user_inputs[0] == "x"
    changed.get_replace_hook(replace_inputs=True)(Old, "z", User)
    assert changed.user_inputs[0] == "z"


def test_specs_say_what_they_must():
    with pytest.raises(ValueError, match="persistent"):
        InputSpec(InputKind.BUFFER, TensorArgument("b"), "b")
    with pytest.raises(ValueError, match="names no target"):
        OutputSpec(OutputKind.BUFFER_MUTATION, TensorArgument("b"))


def test_state_is_found_by_name():
    builder = Builder()
    w, n, c, k = np.ones(2), np.zeros(3), np.zeros(4), np.ones(5)
    builder.parameter("layer.w", w)
    builder.buffer("n", n)
    builder.buffer("cache", c, persistent=False)
    builder.constant("k", k)
    x = builder.input("x", np.zeros(2))
    program = builder.finish(x)
    assert dict(program.named_parameters()).keys() == {"layer.w"} and next(program.parameters()) is w
    assert [name for name, _ in program.named_buffers()] == ["n", "cache"] and [b is c for b in program.buffers()] == [False, True]
    assert program.state_dict.keys() == {"layer.w", "n"} and program.constants.keys() == {"cache", "k"}
    assert program.dialect and program.opset_version["np"] >= 1
    assert program.module_call_graph[0].fqn == "" and program.module_call_graph[0].signature.forward_arg_names == ["x"]


def test_programs_are_copied_and_pickled():
    program = sin_plus()
    ones = np.ones((10, 10), "f4")
    for again in (copy.deepcopy(program), pickle.loads(pickle.dumps(program))):
        assert str(again) == str(program) and again.graph is not program.graph
        assert again.graph.nodes[3].target is program.graph.nodes[3].target
        np.testing.assert_array_equal(again.module()(ones, ones, "same")[0], program.module()(ones, ones, "same")[0])
