"""Memory planning: the compiled form computes in place, and nobody can tell. Held to the interpreted graph on random programs."""

import random
import re

import numpy as np
import pytest

from npexport.ir.ops import REGISTRY
from npexport.ir.pytree import tree_leaves_with_paths
from npexport.runtime.modules.module import make_module
from tests.op_samples import has_samples, samples_of
from tests.support.comparison import assert_alike
from tests.support.program_builder import Builder
from tests.support.random_graphs import random_program
from tests.support.seeds import fresh_seed
from tests.support.shards import shard


def reference(program, inputs):
    """Outputs, written inputs and buffers as the graph's meaning says."""
    values = [program.state_dict[s.target] if s.target else inputs[s.arg.name] for s in program.graph_signature.input_specs]
    values = [value.copy(order="K") for value in values]
    with np.errstate(all="ignore"):
        results = program.graph.run(*values)
    after = dict(zip([s.arg.name for s in program.graph_signature.input_specs], values, strict=True))
    by_target = {s.target: s.arg.name for s in program.graph_signature.input_specs if s.target}
    outputs = []
    for spec, value in zip(program.graph_signature.output_specs, results, strict=True):
        if spec.kind.name == "USER_OUTPUT":
            outputs.append(value)
        else:
            after[by_target.get(spec.target, spec.target)] = np.array(value)
    written = {by_target.get(s.target, s.target) for s in program.graph_signature.output_specs if s.target}
    specs = [s for s in program.graph_signature.output_specs if s.kind.name == "USER_OUTPUT"]
    names = {id(array): spec.arg.name for spec, array in zip(program.graph_signature.input_specs, values, strict=True)}
    outputs = [after[names[id(value)]] if id(value) in names and names[id(value)] in written else value for value in outputs]
    return outputs, after, specs


def check(seed):
    rng = random.Random(seed)
    program, inputs = random_program(rng)
    program.validate()
    run = program.module()
    mine = {name: array.copy(order="K") for name, array in inputs.items()}
    try:
        expected, after, specs = reference(program, inputs)
    except (OverflowError, ValueError) as error:
        with np.errstate(all="ignore"), pytest.raises(type(error)):
            run(**mine)
        return
    with np.errstate(all="ignore"):
        results = run(**mine)
    context = f"seed {seed}\n{program.graph_module.code}\n{run.code}"
    for spec, have, need in zip(specs, results, expected, strict=True):
        assert_alike(have, need, context, strides=spec.alias is None and spec.arg.name not in after)
        if spec.alias in mine:
            assert have is mine[spec.alias], context
        elif spec.alias is None and have.ndim:
            written = [mine[s.target] for s in program.graph_signature.output_specs if s.target in mine]
            assert spec.arg.name in after or not any(np.shares_memory(have, array) for array in written), context
    for name, array in mine.items():
        np.testing.assert_array_equal(array, after[name], err_msg=context)
    for name, array in run.named_buffers():
        np.testing.assert_array_equal(array, after[f"b_{name}"], err_msg=context)
    for first in range(len(results)):
        for second in range(first):
            same = specs[first].arg.name == specs[second].arg.name
            if same and specs[first].alias == specs[second].alias:
                assert results[first] is results[second], context


@pytest.mark.fuzz
@pytest.mark.parametrize("block", shard(range(8), 4))
def test_random_programs(block):
    for seed in range(block * 100, block * 100 + 100):
        check(seed)


@pytest.mark.fuzz
def test_fresh_random_programs():
    start = fresh_seed()
    for seed in range(start, start + 100):
        check(seed)


def lines(program):
    """The statements of the nodes and the return."""
    text = make_module(program, True, threads=0).code.splitlines()
    start, end = text.index("    try:"), next(index for index, line in enumerate(text) if line.startswith("    except "))
    return [line.strip() for line in (*text[start + 1 : end], text[-1])]


def test_a_chain_uses_one_array():
    builder = Builder()
    x = builder.input("x", np.zeros((4, 4)))
    value = x
    for _ in range(3):
        value = builder.call("np.add", builder.call("np.sin", value), 1.0)
    program = builder.finish(value)
    first, *others, last = lines(program)
    value, sin, argument = re.fullmatch(r"(v\d+) = (c\d+)\((a\d+)\)", first).groups()
    add, one = re.fullmatch(rf"(c\d+)\({value}, (c\d+), {value}\)", others[0]).groups()
    assert others == [f"{add}({value}, {one}, {value})", f"{sin}({value}, {value})"] * 2 + [f"{add}({value}, {one}, {value})"]
    assert last == f"return {value}" != f"return {argument}"


def test_values_die_after_their_last_use():
    builder = Builder()
    x = builder.input("x", np.zeros((4, 4)))
    total = builder.call("np.sum", builder.call("np.sin", x))
    made = [re.sub(r"\d+", "", line) for line in lines(builder.finish(total))]
    assert made == ["v = c(a)", "v = c(v, None)", "del v", "return v"]


def test_layouts_of_unknown_inputs_are_not_mixed():
    builder = Builder()
    x, y = builder.input("x", np.zeros((4, 4))), builder.input("y", np.zeros((4, 4)))
    program = builder.finish(builder.call("np.add", builder.call("np.sin", x), builder.call("np.sin", y)))
    assert re.search(r" = c\d+\(v\d+, v\d+\)\n", program.module().code)  # no out
    mixed = program.module()(np.zeros((4, 4), order="F"), np.zeros((4, 4)))
    assert mixed.flags.c_contiguous


RECORDS = [
    pytest.param(op, id=f"{op.namespace}.{op.name}") for op in REGISTRY if has_samples(op) and op.traits.isdisjoint(("view", "may_share"))
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("op", RECORDS)
def test_operators_that_are_no_views_make_new_arrays(op):
    for args, kwargs in samples_of(op):
        operands = [leaf for _, leaf in tree_leaves_with_paths([list(args), kwargs]) if isinstance(leaf, np.ndarray)]
        first, second = (
            [leaf for _, leaf in tree_leaves_with_paths(op(*args, **kwargs)) if isinstance(leaf, np.ndarray)] for _ in range(2)
        )
        for array in first:
            assert array.flags.writeable
            assert not any(np.shares_memory(array, other) for other in (*operands, *second))


SCATTERS = [pytest.param(op, id=op.name) for op in REGISTRY if "scatter" in op.traits]


@pytest.mark.parametrize("op", SCATTERS)
def test_functional_writes_in_place_do_what_the_copy_does(op):
    for args, kwargs in samples_of(op):
        place = next(index for index, arg in enumerate(args) if isinstance(arg, np.ndarray))
        base = np.array(args[place])
        expected = op(*args, **kwargs)
        result = op.kernel(*args[:place], base, *args[place + 1 :], **kwargs, out=base)
        assert result is base or ("data_dependent_shape" in op.traits and len(result) > len(base))  # with_room: where there is none
        np.testing.assert_array_equal(result, expected)


def test_a_view_that_was_written_to_is_read_after_its_array_is_written_again():
    builder = Builder()
    x = builder.input("x", np.zeros((3, 4)))
    whole = builder.call("np.add", x, 1.0)
    row = builder.call("np.setitem", builder.call("np.getitem", whole, 0), 1, 5.0)
    first = builder.call("np.setitem", whole, 0, row)
    second = builder.call("np.setitem", first, 0, 7.0)
    program = builder.finish((builder.call("np.multiply", row, 1.0), second))
    copied, last = program.module()(np.zeros((3, 4)))
    np.testing.assert_array_equal(copied, [1, 5, 1, 1])
    np.testing.assert_array_equal(last[0], 7.0)
