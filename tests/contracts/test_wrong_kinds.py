"""Values of a wrong kind for each parameter of what is public: the refusal is a ``TypeError``, a ``ValueError`` or has a code, and
names the parameter. No value is taken in silence, and none fails within.
"""

import inspect
import io
import re

import numpy as np
import pytest

import npexport
from npexport import Dim, ExportError, InputKind, InputSpec, OutputKind, OutputSpec, TensorArgument, export, nn, ops, passes, testing

X = np.ones((4, 3))
OBJECT = object()
AN_ARRAY = TensorArgument("x")


def f(x, y=2.0):
    return np.sin(x) * y


def program():
    return export(f, (X,))


def layer():
    return export(nn.Sequential(nn.Linear(3, 2, dtype=np.float64)), (X,))


def graph_and_call():
    graph = program().graph
    return graph, graph.find_nodes(op="call_function")[0]


def named(collection, key, value):
    collection[key] = value


def module():
    return nn.Sequential(nn.Linear(3, 2))


PREDICATES = ("a", [], None, OBJECT, X, {})
TABLE = {
    "ShapesCollection": {"key": [lambda v=v: named(npexport.ShapesCollection(), v, {0: Dim.AUTO}) for v in ("a", None, True, [X])]},
    "ShapesCollection of an array": {"ShapesCollection": [lambda v=v: named(npexport.ShapesCollection(), X, v) for v in (4, "a", OBJECT)]},
    "ShapesCollection of a number": {"ShapesCollection": [lambda v=v: named(npexport.ShapesCollection(), 3, v) for v in (4, "a", [3])]},
    "ShapesCollection.get": {"key": [lambda: npexport.ShapesCollection()["a"]]},
    "ShapesCollection.dynamic_shapes": {"f": [lambda: npexport.ShapesCollection().dynamic_shapes(3, (X,))]},
    "infer": {"tuple": [lambda: npexport.infer(3), lambda: npexport.infer(X)]},
    "check": {
        "condition": [lambda v=v: npexport.check(v) for v in PREDICATES],
        "message": [lambda: npexport.check(True, 4), lambda: npexport.check(False, 4)],
    },
    "check in a program": {
        "message": [lambda v=v: export(lambda x: npexport.check(v or x.sum() > 0, 4), (X,)) for v in (True, False)],
        "condition": [lambda v=v: export(lambda x: npexport.check(v), (X,)) for v in ("a", None, OBJECT)],
    },
    "cond": {"pred": [lambda v=v: npexport.cond(v, lambda: 1, lambda: 2) for v in PREDICATES]},
    "cond in a program": {
        "pred": [lambda v=v: export(lambda x: npexport.cond(v, lambda: x, lambda: -x), (X,)) for v in ("a", [], None, OBJECT)]
    },
    "while_loop": {"cond_fn": [lambda v=v: npexport.while_loop(lambda x: v, lambda x: x, (1,)) for v in PREDICATES]},
    "while_loop in a program": {
        "cond_fn": [lambda v=v: export(lambda x: npexport.while_loop(lambda x: v, lambda x: x, (x,)), (X,)) for v in ("", None, [])]
    },
    "scan": {"xs": [lambda: npexport.scan(lambda c, x: (c, x), 1, 3)], "dim": [lambda: npexport.scan(lambda c, x: (c, x), 1, X, dim="a")]},
    "map": {"xs": [lambda: npexport.map(lambda x: x, 3)], "f": [lambda: npexport.map(3, X)]},
    "interpret": {"f": [lambda: npexport.interpret(3), lambda: npexport.interpret("f")]},
    "capture": {"target": [lambda v=v: npexport.capture(v) for v in (3, None, "f")], "limit": [lambda: npexport.capture(f, limit="a")]},
    "package_np2": {"exported_programs": [lambda v=v: npexport.package_np2(io.BytesIO(), exported_programs=v) for v in (3, {"a": 3})]},
    "NP2ArchiveContents": {
        "exported_programs": [lambda: npexport.NP2ArchiveContents(3)],
        "extra_files": [lambda: npexport.NP2ArchiveContents({}, 4)],
    },
    "TensorMeta": {
        "shape": [lambda v=v: npexport.TensorMeta(v, np.dtype(float)) for v in (3, ("a",), (2.5, 1), None)],
        "dtype": [lambda v=v: npexport.TensorMeta((3,), v) for v in ("nonsense", 3, None)],
    },
    **{
        name: {"name": [lambda v=v, name=name: getattr(npexport, name)(v) for v in (3, None, OBJECT)]}
        for name in ("TensorArgument", "SymIntArgument", "SymFloatArgument", "SymBoolArgument", "TokenArgument")
    },
    "ConstantArgument": {"name": [lambda: npexport.ConstantArgument(3, 4)]},
    "CustomObjArgument": {
        "name": [lambda: npexport.CustomObjArgument(3, "a")],
        "class_fqn": [lambda: npexport.CustomObjArgument("a", 3)],
    },
    "InputSpec": {
        "kind": [lambda: InputSpec(3, AN_ARRAY, None), lambda: InputSpec(OutputKind.USER_OUTPUT, AN_ARRAY, None)],
        "arg": [lambda: InputSpec(InputKind.USER_INPUT, "x", None)],
        "target": [lambda: InputSpec(InputKind.PARAMETER, AN_ARRAY, 3)],
        "persistent": [lambda: InputSpec(InputKind.BUFFER, AN_ARRAY, "b", 3), lambda: InputSpec(InputKind.BUFFER, AN_ARRAY, "b")],
    },
    "OutputSpec": {
        "kind": [lambda: OutputSpec(InputKind.USER_INPUT, AN_ARRAY, None)],
        "arg": [lambda: OutputSpec(OutputKind.USER_OUTPUT, 3, None)],
        "target": [lambda: OutputSpec(OutputKind.USER_OUTPUT, AN_ARRAY, 3), lambda: OutputSpec(OutputKind.BUFFER_MUTATION, AN_ARRAY)],
    },
    "ExportGraphSignature": {
        "input_specs": [lambda v=v: npexport.ExportGraphSignature(v, []) for v in (3, [3], None)],
        "output_specs": [lambda v=v: npexport.ExportGraphSignature([], v) for v in (3, [3], None)],
    },
    "ExportGraphSignature.replace_all_uses": {
        "old": [lambda: program().graph_signature.replace_all_uses(3, "a")],
        "new": [lambda: program().graph_signature.replace_all_uses("x", 3)],
    },
    "ExportGraphSignature.get_replace_hook": {"replace_inputs": [lambda: program().graph_signature.get_replace_hook(3)]},
    "ExportBackwardSignature": {
        "gradients_to_parameters": [lambda: npexport.ExportBackwardSignature(3, {}, "a")],
        "gradients_to_user_inputs": [lambda: npexport.ExportBackwardSignature({}, 3, "a")],
        "loss_output": [lambda: npexport.ExportBackwardSignature({}, {}, 3)],
    },
    "ModuleCallEntry": {
        "fqn": [lambda: npexport.ModuleCallEntry(3)],
        "signature": [lambda: npexport.ModuleCallEntry("a", 3)],
    },
    "ModuleCallSignature": {
        "inputs": [lambda: npexport.ModuleCallSignature(3, [], None, None), lambda: npexport.ModuleCallSignature([3], [], None, None)],
        "outputs": [lambda: npexport.ModuleCallSignature([], 3, None, None)],
        "in_spec": [lambda: npexport.ModuleCallSignature([], [], 3, None)],
    },
    "ProgramDiff": {"graph": [lambda: npexport.ProgramDiff(3)]},
    "diff": {"ep1": [lambda: npexport.diff(3, 3)], "ep2": [lambda: npexport.diff(program(), "a.np2")]},
    "InterpreterModule": {"graph": [lambda: npexport.InterpreterModule(3)], "ty": [lambda: npexport.InterpreterModule(program().graph, 3)]},
    "InterpreterModuleDispatcher": {
        "attrs": [lambda: npexport.InterpreterModuleDispatcher(3, [])],
        "call_modules": [lambda v=v: npexport.InterpreterModuleDispatcher([], v) for v in (3, [3])],
    },
    "UnflattenedModule": {"program": [lambda: npexport.UnflattenedModule(3)]},
    "unflatten": {"flat_args_adapter": [lambda: npexport.unflatten(program(), 3)]},
    "refine_dynamic_shapes_from_suggested_fixes": {
        "dynamic_shapes": [lambda: npexport.refine_dynamic_shapes_from_suggested_fixes("Suggested fixes:\n  a = 3", 3)]
    },
    "run_decompositions": {"table": [lambda v=v: program().run_decompositions(v) for v in (3, "a", {3: 4})]},
    "lifted": {"spec": [lambda v=v: program().lifted(v) for v in (3, None, "p_weight")]},
    "find_nodes": {
        "op": [lambda v=v: program().graph.find_nodes(op=v) for v in (3, "abc")],
        "target": [lambda v=v: program().graph.find_nodes(target=v) for v in (3, np.sin)],
    },
    "inserting_before": {"node": [lambda: program().graph.inserting_before(3)]},
    "inserting_after": {"node": [lambda: program().graph.inserting_after(3)]},
    "call_function": {
        "operator": [lambda v=v: program().graph.call_function(v, ()) for v in (3, np.sin, "sin")],
        "args": [lambda: program().graph.call_function(ops.np.sin, 3)],
        "kwargs": [lambda: program().graph.call_function(ops.np.sin, (), 3)],
        "meta": [lambda: program().graph.call_function(ops.np.sin, (1.0,), {}, 3)],
    },
    "erase_node": {"node": [lambda v=v: program().graph.erase_node(v) for v in (3, None, "sin")]},
    "Node": {
        "arguments": [lambda: setattr(graph_and_call()[1], "args", 3), lambda: setattr(graph_and_call()[1], "kwargs", 3)],
        "node": [lambda: graph_and_call()[1].replace_all_uses_with(3), lambda: graph_and_call()[1].replace_input_with(3, 4)],
    },
    "move_to_device_pass": {"location": [lambda: passes.move_to_device_pass(program(), 3)]},
    "opcheck": {"operator": [lambda: testing.opcheck(3, (X,))]},
    "nn.Module": {
        "hook": [lambda: module().register_forward_hook(3), lambda: module().register_forward_pre_hook(3)],
        "persistent": [lambda: module().register_buffer("a", X, "no"), lambda: nn.Buffer(X, persistent="no")],
        "recurse": [lambda: module().parameters("no"), lambda: module().named_buffers(recurse="no")],
        "prefix": [lambda: module().named_parameters(3), lambda: module().named_modules(3), lambda: module().state_dict(prefix=3)],
        "target": [lambda: module().get_submodule(3), lambda: module().get_parameter(3), lambda: module().set_submodule(3, module())],
        "strict": [lambda: module().load_state_dict({}, "no")],
        "assign": [lambda: module().load_state_dict({}, False, "no")],
        "fn": [lambda: module().apply(3)],
        "mode": [lambda: module().train("no")],
    },
}


@pytest.mark.parametrize(("name", "parameter"), [(name, parameter) for name, row in TABLE.items() for parameter in row])
def test_wrong_kinds_are_refused_by_the_name_of_the_parameter(name, parameter):
    for number, call in enumerate(TABLE[name][parameter]):
        with pytest.raises((ExportError, TypeError, ValueError)) as raised:
            call()
        said = str(raised.value).splitlines()[0]
        assert not said.startswith("E9") and re.search(rf"\b{parameter}s?\b", said), (number, said)


SPECIAL = {
    "AdaptiveLogSoftmaxWithLoss": (4, 8, [2]),
    "MultiheadAttention": (4, 2),
    "Unflatten": (1, (2, 2)),
    "GroupNorm": (2, 4),
    "TransformerDecoder": (nn.TransformerDecoderLayer(4, 2), 1),
    "TransformerEncoder": (nn.TransformerEncoderLayer(4, 2), 1),
}
WRONG = {"a text": "zz", "an object": OBJECT, "a list of objects": [OBJECT], "a dict of texts": {"a": "b"}}


LAYERS = [name for name in nn.__all__ if inspect.isclass(getattr(nn, name)) and issubclass(getattr(nn, name), nn.Module)]


@pytest.mark.parametrize("name", LAYERS)
def test_layers_refuse_wrong_kinds(name):
    layer = getattr(nn, name)
    parameters = [each for each in inspect.signature(layer).parameters.values() if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    base = SPECIAL.get(name, (2,) * sum(each.default is each.empty for each in parameters if each.kind is not each.KEYWORD_ONLY))
    layer(*base)
    for place, parameter in enumerate(parameters):
        for kind, value in WRONG.items():
            takes_texts = "str" in parameter.annotation and kind == "a text"
            if takes_texts or parameter.annotation in ("Any", "Iterable[Any] | None"):
                continue
            args = [value if place == index else given for index, given in enumerate(base)]
            with pytest.raises((ExportError, TypeError, ValueError), match=rf"\b{parameter.name}\b"):
                layer(*args, **({} if place < len(base) else {parameter.name: value}))


def test_layers_take_what_equals_their_kinds():
    assert nn.Linear(np.int64(3), 2, bias=0).bias is None and nn.Linear(3, 2, np.True_).bias is not None
    assert nn.LayerNorm(3, eps=1).eps == 1 and nn.Dropout(np.float32(0.5)).p == 0.5

    class Wider(nn.Linear):
        def __init__(self, width):
            super().__init__(width, width * 2, bias=width)

    with pytest.raises(ExportError, match="E201 .*: bias is an int, not True or False"):
        Wider(3)


class Making(nn.Module):
    """A program that makes layers, and asks a module for its parts."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(3, 2))

    def forward(self, x):
        drawn = np.random.default_rng(0)
        first = nn.Linear(3, x.shape[1], bias=x.shape[0] > 1, generator=drawn)
        second = nn.Conv2d(1, 2, (3, 3), padding="same", generator=drawn)
        total = sum(p.sum() for p in self.parameters()) + self.get_submodule("inner.0").weight.sum()
        return nn.AvgPool2d(2, stride=None)(second(first(x)[None])) + total


def test_programs_make_layers():
    module, x = Making(), np.ones((4, 3), "f4")
    np.testing.assert_allclose(export(module, (x,)).module()(x), module(x), rtol=1e-6)
