"""Memory planning: the compiled form computes in place, and nobody can tell. Held to the interpreted graph on random programs."""

import random

import numpy as np
import pytest

from npexport.ir.ops import REGISTRY
from npexport.ir.pytree import tree_leaves_with_paths
from tests.program_builder import Builder

UNARY = ["np.sin", "np.negative", "np.absolute", "np.floor", "np.square"]
BINARY = ["np.add", "np.multiply", "np.maximum", "np.subtract", "np.less", "np.arctan2"]
SHAPES = [(3, 4), (4, 3), (4,), (3, 4), (2, 3, 4), (1, 4), (3, 1)]
DTYPES = ["f8", "f8", "f4", "i4", "i8", "u1"]


def random_program(rng):
    """A builder's program and its example inputs (user inputs by name, buffers by target)."""
    builder = Builder()
    pool, inputs, buffers = [], {}, []
    for index in range(rng.randrange(2)):
        buffers.append(builder.buffer(f"b{index}", array_of(rng, (3, 4), "f8")))
    for index in range(rng.randrange(1, 4)):
        array = array_of(rng, rng.choice(SHAPES), rng.choice(DTYPES))
        inputs[f"x{index}"] = array
        pool.append(builder.input(f"x{index}", array))
    written = {}
    originals = [*buffers, *pool]
    pool = list(originals)
    for _ in range(rng.randrange(1, 16)):
        node = random_call(rng, builder, pool)
        if node is not None:
            pool.append(node)
    for target in originals:
        if rng.random() < 0.4:
            new = write_to(rng, builder, target, pool)
            if new is not None:
                written[target] = new
                pool.append(new)
    results = [node for node in rng.choices(pool, k=rng.randrange(1, 4)) if not shares_written(node, written)]
    aliases = {index: target for target, new in written.items() for index, node in enumerate(results) if node is new and rng.random() < 0.5}
    program = builder.finish(tuple(results), writes=list(written.items()), aliases=aliases)
    return program, inputs


def array_of(rng, shape, dtype):
    values = np.random.default_rng(rng.randrange(1 << 30)).integers(0, 9, shape).astype(dtype)
    return values if rng.random() < 0.6 else np.asfortranarray(values)


def random_call(rng, builder, pool):
    choice = rng.random()
    a = rng.choice(pool)
    try:
        with np.errstate(all="ignore"):
            if choice < 0.25:
                return builder.call(rng.choice(UNARY), a)
            if choice < 0.6:
                b = rng.choice([*pool, *pool, 2, 1.5, np.float32(3), True])
                return builder.call(rng.choice(BINARY), *rng.sample([a, b], 2))
            if choice < 0.7:
                return builder.call("np.transpose", a)
            if choice < 0.8:
                return builder.call("np.getitem", a, rng.choice([slice(1, None), slice(None, None, -1), 0, (Ellipsis, slice(0, 2))]))
            if choice < 0.9:
                return builder.call("np.setitem", a, rng.choice([0, slice(1, None), Ellipsis]), rng.choice([1, *pool]))
            return builder.call("np.sum", a, axis=0) if a.meta["val"].shape else None
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def write_to(rng, builder, target, pool):
    """A new value for the whole of ``target``: steps of writes and of operators that keep shape and dtype."""
    value = target
    for _ in range(rng.randrange(1, 4)):
        try:
            if rng.random() < 0.5:
                value = builder.call("np.setitem", value, rng.choice([0, slice(1, None), Ellipsis]), rng.choice([1, *pool]))
            else:
                new = builder.call(rng.choice(["np.add", "np.multiply"]), *rng.sample([value, rng.choice([1, *pool])], 2))
                if new.meta["val"] == value.meta["val"]:
                    value = new
        except (ValueError, TypeError, IndexError, OverflowError):
            pass
    return None if value is target else value


def shares_written(node, written):
    """Whether a value is a view of what is written: such outputs need a declared alias."""
    while node.op == "call_function" and "view" in node.target.traits:
        node = node.args[0]
        if node in written or node in written.values():
            return True
    return False


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


def steps(array):
    """The strides, where they mean anything."""
    return [stride for stride, size in zip(array.strides, array.shape, strict=True) if size > 1]


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
        assert type(have) is type(need) and have.dtype == need.dtype, context
        np.testing.assert_array_equal(have, need, err_msg=context)
        if spec.alias is None and spec.arg.name not in after:
            assert steps(have) == steps(need), context
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


@pytest.mark.parametrize("block", range(8))
def test_random_programs(block):
    for seed in range(block * 100, block * 100 + 100):
        check(seed)


def test_fresh_random_programs():
    start = random.SystemRandom().randrange(1 << 40)
    for seed in range(start, start + 100):
        check(seed)


def lines(program):
    """The statements of the nodes and the return."""
    text = program.module().code.splitlines()
    start, end = text.index("    try:"), next(index for index, line in enumerate(text) if line.startswith("    except "))
    return [line.strip() for line in (*text[start + 1 : end], text[-1])]


def test_a_chain_uses_one_array():
    builder = Builder()
    x = builder.input("x", np.zeros((4, 4)))
    value = x
    for _ in range(3):
        value = builder.call("np.add", builder.call("np.sin", value), 1.0)
    program = builder.finish(value)
    assert lines(program) == ["sin = _np_sin(x)", "_np_add(sin, _c, sin)", "_np_sin(sin, sin)", "_np_add(sin, _c, sin)"] + [
        "_np_sin(sin, sin)",
        "_np_add(sin, _c, sin)",
        "return sin",
    ]


def test_values_die_after_their_last_use():
    builder = Builder()
    x = builder.input("x", np.zeros((4, 4)))
    total = builder.call("np.sum", builder.call("np.sin", x))
    assert lines(builder.finish(total)) == ["sin = _np_sin(x)", "sum_1 = _sum_reduce(sin, None)", "del sin", "return sum_1"]


def test_layouts_of_unknown_inputs_are_not_mixed():
    builder = Builder()
    x, y = builder.input("x", np.zeros((4, 4))), builder.input("y", np.zeros((4, 4)))
    program = builder.finish(builder.call("np.add", builder.call("np.sin", x), builder.call("np.sin", y)))
    assert "_np_add(sin, sin_1)" in program.module().code
    mixed = program.module()(np.zeros((4, 4), order="F"), np.zeros((4, 4)))
    assert mixed.flags.c_contiguous


RECORDS = [
    pytest.param(op, id=f"{op.namespace}.{op.name}")
    for op in REGISTRY
    if op.samples is not None and op.traits.isdisjoint(("view", "may_share"))
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("op", RECORDS)
def test_operators_that_are_no_views_make_new_arrays(op):
    for args, kwargs in op.samples():
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
    for args, kwargs in op.samples():
        place = next(index for index, arg in enumerate(args) if isinstance(arg, np.ndarray))
        base = np.array(args[place])
        expected = op(*args, **kwargs)
        result = op.kernel(*args[:place], base, *args[place + 1 :], **kwargs, out=base)
        assert result is base
        np.testing.assert_array_equal(base, expected)
