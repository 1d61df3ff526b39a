"""What the contract says of the fields and members of signatures and locations: a test for each, named after it by its parameter."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import (
    CustomObjArgument,
    Dim,
    ExportBackwardSignature,
    ExportError,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    SymBoolArgument,
    SymFloatArgument,
    TensorArgument,
    TokenArgument,
    export,
    nn,
)
from tests.support.contract import FIELDS

A = np.arange(6.0).reshape(2, 3)


class Everything(nn.Module):
    """Every kind of input and output that programs of this version have."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(np.ones(3))
        self.layer = nn.ReLU()
        self.table = np.ones(3)
        self.own = np.random.default_rng(1)
        self.register_buffer("calls", np.zeros((), np.int64))

    def forward(self, x, rng, k=2):
        self.calls += 1
        self.weight += 1
        x += 1
        return self.layer(x * self.weight + self.table) + rng.random() + self.own.random(), len(x), 3


def signature_of(**options):
    rng = np.random.default_rng(0)
    return export(Everything(), (A.copy(), rng), dynamic_shapes={"x": {0: Dim("n")}, "rng": None}, **options)


PROGRAM = signature_of(preserve_module_call_signature=("layer",))
SIGNATURE = PROGRAM.graph_signature
CALL = PROGRAM.module_call_graph[1]
BACKWARD = ExportBackwardSignature({"g": "weight"}, {"h": "x"}, "loss")


def inputs(kind):
    return [(spec.arg.name, spec.target) for spec in SIGNATURE.input_specs if spec.kind is kind]


def outputs(kind):
    return [spec.target for spec in SIGNATURE.output_specs if spec.kind is kind]


def location():
    with pytest.raises(ExportError) as caught:
        export(lambda x: {f"{x}": x}, (A,))
    return caught.value.location


def constants():
    (three,) = [spec.arg for spec in SIGNATURE.output_specs if getattr(spec.arg, "value", None) == 3]
    return three


def sizes():
    (length,) = [spec.arg for spec in SIGNATURE.output_specs if type(spec.arg).__name__ == "SymIntArgument"]
    return length


def generators():
    rng, _ = [spec.arg for spec in SIGNATURE.input_specs[::-1] if isinstance(spec.arg, CustomObjArgument)]
    return rng


BEHAVIOURS = {
    "InputKind.USER_INPUT": lambda: inputs(InputKind.USER_INPUT) == [("x", None), ("rng", None)],
    "InputKind.PARAMETER": lambda: inputs(InputKind.PARAMETER) == [("p_weight", "weight")],
    "InputKind.BUFFER": lambda: inputs(InputKind.BUFFER) == [("b_calls", "calls")],
    "InputKind.CONSTANT_TENSOR": lambda: inputs(InputKind.CONSTANT_TENSOR) == [("c_table", "table")],
    "InputKind.CUSTOM_OBJ": lambda: [target for _, target in inputs(InputKind.CUSTOM_OBJ)] == ["own"],
    "InputKind.TOKEN": lambda: not inputs(InputKind.TOKEN) and InputSpec(InputKind.TOKEN, TokenArgument("t"), None).kind.value == 6,
    "OutputKind.USER_OUTPUT": lambda: outputs(OutputKind.USER_OUTPUT) == [None] * 3,
    "OutputKind.BUFFER_MUTATION": lambda: outputs(OutputKind.BUFFER_MUTATION) == ["calls", "own"],
    "OutputKind.PARAMETER_MUTATION": lambda: outputs(OutputKind.PARAMETER_MUTATION) == ["weight"],
    "OutputKind.USER_INPUT_MUTATION": lambda: outputs(OutputKind.USER_INPUT_MUTATION) == ["x", "rng"],
    "OutputKind.LOSS_OUTPUT": lambda: not outputs(OutputKind.LOSS_OUTPUT),
    "OutputKind.GRADIENT_TO_PARAMETER": lambda: not outputs(OutputKind.GRADIENT_TO_PARAMETER),
    "OutputKind.GRADIENT_TO_USER_INPUT": lambda: not outputs(OutputKind.GRADIENT_TO_USER_INPUT),
    "OutputKind.TOKEN": lambda: not outputs(OutputKind.TOKEN) and not SIGNATURE.output_tokens,
    "InputSpec.kind": lambda: SIGNATURE.input_specs[0].kind is InputKind.PARAMETER,
    "InputSpec.arg": lambda: SIGNATURE.input_specs[0].arg == TensorArgument("p_weight"),
    "InputSpec.target": lambda: SIGNATURE.input_specs[0].target == "weight",
    "InputSpec.persistent": lambda: [spec.persistent for spec in SIGNATURE.input_specs if spec.target == "calls"] == [True],
    "OutputSpec.kind": lambda: SIGNATURE.output_specs[0].kind is OutputKind.PARAMETER_MUTATION,
    "OutputSpec.arg": lambda: OutputSpec(OutputKind.USER_OUTPUT, TensorArgument("y")).arg.name == "y",
    "OutputSpec.target": lambda: SIGNATURE.output_specs[0].target == "weight",
    "TensorArgument.name": lambda: SIGNATURE.input_specs[0].arg.name == PROGRAM.graph.placeholders[0].name,
    "TokenArgument.name": lambda: TokenArgument("t").name == "t",
    "SymIntArgument.name": lambda: sizes().name in {node.name for node in PROGRAM.graph},
    "SymFloatArgument.name": lambda: SymFloatArgument("f").name == "f",
    "SymBoolArgument.name": lambda: SymBoolArgument("b").name == "b",
    "ConstantArgument.name": lambda: isinstance(constants().name, str),
    "ConstantArgument.value": lambda: constants().value == 3,
    "CustomObjArgument.name": lambda: generators().name == "rng",
    "CustomObjArgument.class_fqn": lambda: generators().class_fqn == "numpy.random.Generator",
    "CustomObjArgument.fake_val": lambda: generators().fake_val == "PCG64",
    "ExportBackwardSignature.gradients_to_parameters": lambda: BACKWARD.gradients_to_parameters == {"g": "weight"},
    "ExportBackwardSignature.gradients_to_user_inputs": lambda: BACKWARD.gradients_to_user_inputs == {"h": "x"},
    "ExportBackwardSignature.loss_output": lambda: BACKWARD.loss_output == "loss",
    "ExportGraphSignature.input_specs": lambda: len(SIGNATURE.input_specs) == len(PROGRAM.graph.placeholders),
    "ExportGraphSignature.output_specs": lambda: len(SIGNATURE.output_specs) == len(PROGRAM.graph.output_node.args[0]),
    "ModuleCallEntry.fqn": lambda: [entry.fqn for entry in PROGRAM.module_call_graph] == ["", "layer"],
    "ModuleCallEntry.signature": lambda: CALL.signature.forward_arg_names == ["input"],
    "ModuleCallSignature.inputs": lambda: [type(arg) for arg in CALL.signature.inputs] == [TensorArgument],
    "ModuleCallSignature.outputs": lambda: [type(arg) for arg in CALL.signature.outputs] == [TensorArgument],
    "ModuleCallSignature.in_spec": lambda: CALL.signature.in_spec.num_leaves == 1,
    "ModuleCallSignature.out_spec": lambda: CALL.signature.out_spec.num_leaves == 1,
    "ModuleCallSignature.forward_arg_names": lambda: CALL.signature.forward_arg_names == ["input"],
    "Location.file": lambda: location().file == __file__,
    "Location.line": lambda: location().line == location.__code__.co_firstlineno + 2,
    "Location.column": lambda: location().source[location().column :].startswith('{f"{x}": x}'),
    "Location.end_line": lambda: location().end_line == location().line,
    "Location.end_column": lambda: location().source[: location().end_column].endswith('{f"{x}": x}'),
    "Location.function": lambda: location().function == "<lambda>",
    "Location.source": lambda: "export(lambda x" in location().source,
    "Graph.nodes": lambda: [node.op for node in PROGRAM.graph.nodes] == [node.op for node in PROGRAM.graph],
}


@pytest.mark.parametrize("name", FIELDS)
def test_field(name):
    assert BEHAVIOURS[name]()


def test_ExportedProgram_load_state_dict():
    program = signature_of()
    program.load_state_dict({"weight": np.full(3, 7.0), "calls": np.array(2)})
    assert program.state_dict["weight"][0] == 7 and dict(program.module().named_buffers())["calls"] == 2
