"""Every law of the verifier: a program that breaks it is refused, with the lines around the bad node."""

import numpy as np
import pytest

from npexport.ir.argument_specs import ConstantArgument, SymIntArgument, TensorArgument
from npexport.ir.containers import OneOf
from npexport.ir.dicts_of_some import DictOfSome
from npexport.ir.graph import Node
from npexport.ir.laws import OF_EVERY_GRAPH
from npexport.ir.list_of_rows import ListOfRows
from npexport.ir.meta import TensorMeta
from npexport.ir.op import REGISTRY, Op
from npexport.ir.pytree import LEAF, TreeSpec, tree_flatten
from npexport.ir.signature import InputKind, InputSpec, OutputKind, OutputSpec
from npexport.ir.verifier import ROWS
from npexport.symshapes.errors import InternalError
from tests.support.program_builder import Builder

X = np.zeros((2, 3))


def good():
    """A parameter, a buffer that is written, an input that is written, views of both handed out."""
    builder = Builder()
    w = builder.parameter("w", X)
    h = builder.buffer("h", np.zeros(3))
    x = builder.input("x", X)
    builder.input("n", 3)
    total = builder.call("np.add", builder.call("np.multiply", x, w), h)
    new_h = builder.call("np.setitem", h, 0, 1.0)
    row = builder.call("np.getitem", total, 0)
    return builder.finish((row, total, 5), writes=[(h, new_h), (x, total)], aliases={0: x, 1: x})


def node(program, name):
    return next(node for node in program.graph.nodes if node.name == name)


def change(which, /, **attributes):
    def apply(program):
        for key, value in attributes.items():
            setattr(node(program, which), key, value)

    return apply


def swap(program):
    nodes = program.graph.nodes
    first, second = nodes.index(node(program, "multiply")), nodes.index(node(program, "add"))
    nodes[first], nodes[second] = nodes[second], nodes[first]


def early_output(program):
    program.graph.nodes.insert(0, program.graph.nodes.pop())


def meta(name, value):
    return lambda program: node(program, name).meta.__setitem__("val", value)


def spec(index, **attributes):
    def apply(program):
        for key, value in attributes.items():
            setattr(program.graph_signature.input_specs[index], key, value)

    return apply


def output(index, **attributes):
    def apply(program):
        for key, value in attributes.items():
            setattr(program.graph_signature.output_specs[index], key, value)

    return apply


def drop_state(program):
    del program.state_dict["w"]


def other_state(program):
    program.state_dict["w"] = np.zeros((2, 3), "f4")


def user_first(program):
    program.graph.nodes.insert(0, program.graph.nodes.pop(2))
    program.graph_signature.input_specs.insert(0, program.graph_signature.input_specs.pop(2))


def late_mutation(program):
    specs = program.graph_signature.output_specs
    specs.append(specs.pop(0))
    values = list(program.graph.output_node.args[0])
    values.append(values.pop(0))
    program.graph.output_node.args = (tuple(values),)


def other_result(program):
    object.__setattr__(program.call_spec, "out_spec", tree_flatten((1, 2))[1])


def listed(*specs):
    """Parts of the result are lists whose length is not known: of (what an item is, columns)."""

    def apply(program):
        parts = [LEAF if item is None else TreeSpec(ListOfRows, item, (LEAF,) * columns) for item, columns in specs]
        object.__setattr__(program.call_spec, "out_spec", TreeSpec(tuple, None, tuple(parts)))

    return apply


def chosen_by(children):
    """The result is one of several values: of so many children, one of the truths a list."""

    def apply(program):
        object.__setattr__(program.call_spec, "out_spec", TreeSpec(OneOf, None, (LEAF,) * children))

    return apply


def of_some_keys(context, children):
    """The result is a dict that may lack keys."""

    def apply(program):
        object.__setattr__(program.call_spec, "out_spec", TreeSpec(DictOfSome, context, (LEAF,) * children))

    return apply


def other_inputs(program):
    object.__setattr__(program.call_spec, "in_spec", tree_flatten(((1,), {}))[1])


def wrong_arguments(program):
    object.__setattr__(program.call_spec, "parameters", program.call_spec.parameters[:1])


class Mutating(Op):
    is_mutable = True


def mutating(program):
    op = node(program, "multiply").target
    node(program, "multiply").target = Mutating(op.namespace, op.name, op.rule, op.kernel, traits=op.traits)


def rebind(*outputs):
    """The outputs take the place of the buffer, not its elements."""

    def apply(program):
        program.graph.output_node.args = ((node(program, "setitem"),) * len(outputs) + program.graph.output_node.args[0][1:],)
        program.graph_signature.output_specs[:1] = [
            OutputSpec(OutputKind.BUFFER_MUTATION, TensorArgument("setitem"), "h", **attributes) for attributes in outputs
        ]

    return apply


def tied_elsewhere(program):
    program.graph_signature.input_specs[0].names = ("h",)
    program.state_dict["h"] = np.zeros((2, 3), "f4")


F4 = TensorMeta((2, 3), np.dtype("f4"))
BROKEN = {
    "two outputs": (lambda p: p.graph.nodes.append(Node("o", "output", "output", ((),), {}, {})), "kinds are out of order"),
    "output first": (early_output, "kinds are out of order"),
    "unknown kind": (change("add", op="call_method"), "kinds are out of order"),
    "name": (change("add", name="a b"), "'a b' is not an identifier"),
    "names twice": (change("add", name="multiply"), "the name multiply is given twice"),
    "name of a placeholder": (change("x", target="y"), "the placeholder x has the target 'y'"),
    "name that is not a text": (change("add", name=3), "the node 3 has the meta"),
    "meta": (change("add", meta=3), "the node 'add' has the meta 3"),
    "places": (lambda p: node(p, "add").meta.__setitem__("stack_trace", 3), "add has the stack_trace 3"),
    "modules": (lambda p: node(p, "add").meta.__setitem__("nn_module_stack", "a"), "the nn_module_stack 'a'"),
    "value of the output": (lambda p: p.graph.output_node.meta.__setitem__("val", (3,)), "the output is declared (3,), and is "),
    "order": (swap, "add uses multiply, which is not defined before it"),
    "array argument": (change("add", args=(X, X)), "has the argument array"),
    "nested array": (change("add", kwargs={"k": [(slice(X, None),)]}), "of type ndarray"),
    "no operator": (change("add", target=np.add), "which is not an operator"),
    "schema": (change("multiply", args=()), "the arguments do not fit np.multiply"),
    "no value": (lambda p: node(p, "add").meta.clear(), "add has no value"),
    "shape": (meta("add", TensorMeta((3, 2), np.dtype("f8"))), "add is declared f64[3, 2], its operator makes f64[2, 3]"),
    "dtype": (meta("add", F4), "add is declared f32[2, 3], its operator makes f64[2, 3]"),
    "scalar": (meta("add", TensorMeta((2, 3), np.dtype("f8"), scalar=True)), "add is declared"),
    "rule": (change("multiply", target=REGISTRY.get("np.matmul")), "the rule of ops.np.matmul refuses the call: ValueError"),
    "input names": (spec(2, arg=TensorArgument("y")), "the graph has the inputs"),
    "input kind": (spec(2, arg=ConstantArgument("x", 3)), "x is declared f64[2, 3], its spec says ConstantArgument"),
    "constant value": (spec(3, arg=ConstantArgument("n", 4)), "n is declared 3, its spec says"),
    "constant type": (spec(3, arg=ConstantArgument("n", 3.0)), "n is declared 3, its spec says"),
    "number for size": (spec(3, arg=SymIntArgument("n")), "n is declared 3, its spec says SymInt"),
    "lifted last": (user_first, "comes after a user input"),
    "same_as": (spec(2, same_as="n"), "which is not an earlier array"),
    "distinct from": (spec(2, distinct_from=("n",)), "which is not an earlier array"),
    "overlaps": (spec(2, overlaps=(("n", 8),)), "which is not an earlier array"),
    "an input that is state": (spec(2, same_as="p_w"), "x is said to be, or to lie beside, ['p_w'], which callers do not pass"),
    "an input beside state": (spec(2, overlaps=(("p_w", 8),)), "which callers do not pass"),
    "state without strides": (spec(1, overlaps=(("p_w", 0),), layout=(8,)), "does not say how"),
    "strides": (spec(2, layout=(8,)), "x has 2 axes, its spec 1 strides"),
    "layout of a number": (spec(3, layout="C"), "n is not an array"),
    "owned memory of a number": (spec(3, owns=True), "n is not an array"),
    "writeable number": (spec(3, writeable=True), "n is not an array"),
    "frozen number": (spec(3, frozen=True), "n is not an array"),
    "array for a number": (spec(3, arg=TensorArgument("n")), "n is declared 3, its spec says TensorArgument"),
    "output array for a number": (output(4, arg=TensorArgument("five")), "the output 5 is TensorArgument"),
    "leaves": (other_inputs, "the calling convention has 1 leaves, the signature 2 user inputs"),
    "parameters": (wrong_arguments, "the example call does not fit the parameters"),
    "state missing": (drop_state, "the program holds no PARAMETER 'w'"),
    "state dtype": (other_state, "the graph takes f64[2, 3]"),
    "output count": (lambda p: p.graph_signature.output_specs.pop(), "the signature has 4"),
    "output name": (output(3, arg=TensorArgument("multiply")), "output add is called multiply in the signature"),
    "output kind": (output(3, arg=SymIntArgument("add")), "output add is f64[2, 3], its spec says SymInt"),
    "output constant": (output(4, arg=ConstantArgument("", 6)), "the output 5 is ConstantArgument(name='', value=6)"),
    "mutation last": (late_mutation, "comes after a user output"),
    "result": (other_result, "the result has 2 leaves, the signature 3 user outputs"),
    "column of two axes": (listed((None, 1), ("number", 1), (None, 1)), "f64[2, 3] is not a column of a list"),
    "column of a number": (listed((None, 1), (None, 1), ("scalar", 1)), "5 is not a column of a list"),
    "rows of a number": (listed((None, 1), (None, 1), ("array", 1)), "5 is not a column of a list"),
    "rows of two lengths": (listed((("tuple", "array", "array"), 2), (None, 1)), "the columns of a list differ in length"),
    "key or none": (of_some_keys((("a", True), ("b", False)), 3), "f64[3] is not a truth that says whether a dict has a key"),
    "a key with no truth": (of_some_keys((("a", True), ("b", True)), 3), "a dict of some keys has 3 children"),
    "one of three": (chosen_by(3), "f64[3] is not a truth that says which of several values one is"),
    "columns": (listed((("tuple", "number", "scalar"), 1), (None, 1), (None, 1)), "of 2 numbers in each item has 1 columns"),
    "target": (output(0, target="g"), "BUFFER_MUTATION names 'g', which is no such input"),
    "target kind": (output(0, kind=OutputKind.PARAMETER_MUTATION, target="h"), "PARAMETER_MUTATION names 'h'"),
    "target shape": (output(0, kind=OutputKind.PARAMETER_MUTATION, target="w"), "'w' is f64[2, 3] and is given setitem"),
    "target twice": (output(0, kind=OutputKind.USER_INPUT_MUTATION, target="x"), "'x' is f64[2, 3] and is given setitem"),
    "alias of nothing": (output(2, alias="n"), "which is not written to"),
    "alias of another": (output(2, alias="b_h"), "but is not a view of setitem"),
    "alias of one more": (output(2, alias=("x", "b_h")), "is said to share memory with b_h, but is not a view"),
    "mutating operator": (mutating, "mutates its arguments"),
    "elements twice": (rebind({}, {}), "'h' is mutated twice"),
    "place twice": (rebind({"rebinds": True}, {"rebinds": True}), "'h' is mutated twice"),
    "new array of an unwritten input": (rebind({"rebinds": True, "alias": "p_w"}), "which is not written to"),
    "new array that is not a view": (rebind({}, {"rebinds": True, "alias": "x"}), "but is not a view of add"),
    "an array that no input is": (lambda p: p.state_dict.__setitem__("v", X), "the state 'v' is not an input of the graph"),
    "a constant that no input is": (lambda p: p.constants.__setitem__("c", X), "the constant 'c' is not an input of the graph"),
    "tied name": (tied_elsewhere, "'h' is not the array of 'w'"),
    "hidden alias": (lambda p: (p.graph_signature.output_specs[2].__setattr__("alias", None), hide(p)), "names no alias"),
}


def hide(program):
    getitem = node(program, "getitem")
    getitem.args = (node(program, "x"), 0)


def test_a_good_program_passes():
    good().validate()


@pytest.mark.parametrize("breaks, text", BROKEN.values(), ids=BROKEN)
def test_broken_programs_are_refused(breaks, text):
    program = good()
    breaks(program)
    with pytest.raises(InternalError) as caught:
        program.validate()
    assert caught.value.code == "E902"
    assert text in caught.value.message


def test_the_neighbourhood_of_the_bad_node_is_shown():
    program = good()
    meta("add", F4)(program)
    with pytest.raises(InternalError) as caught:
        program.validate()
    assert '  --> add: "f32[2, 3]" = ops.np.add(multiply, b_h)' in caught.value.message
    assert '      multiply: "f64[2, 3]" = ops.np.multiply(x, p_w)' in caught.value.message
    assert "(law: Every value's shape and dtype are what the operator's rule says)" in caught.value.message


def test_every_row_says_its_law():
    assert all((check.__doc__ or "").strip() for check in [*OF_EVERY_GRAPH, *ROWS])


def test_specs_are_data():
    assert InputSpec(InputKind.USER_INPUT, TensorArgument("x"), None) == InputSpec(InputKind.USER_INPUT, TensorArgument("x"), None)
    assert OutputSpec(OutputKind.USER_OUTPUT, TensorArgument("x")) != OutputSpec(OutputKind.USER_OUTPUT, TensorArgument("y"))
