"""Decompositions: tables of them, what they keep of a program, what is refused; every operator's own is held to its kernel."""

import functools
import itertools
import os

import numpy as np
import pytest

from npexport import (
    Dim,
    ExportError,
    UserError,
    cond,
    core_operators,
    default_decompositions,
    export,
    load,
    nn,
    ops,
    register_decomposition,
    save,
)
from npexport.ir.arguments import map_leaves
from npexport.ir.decompositions.calling import Operand, of_operands
from npexport.ir.numpy_internals import TELLS_BINS
from npexport.ir.op import REGISTRY
from npexport.ir.parsing import parse_graph
from npexport.ir.printing import graph_code
from tests.op_samples import has_samples, samples_of
from tests.support.outcomes import outcome
from tests.support.shards import one_in, shard

X = np.linspace(-1, 1, 12).reshape(3, 4)


def targets(program):
    return [str(node.target).removeprefix("ops.") for node in program.graph.find_nodes(op="call_function")]


def hypot(x, y, /, *, dtype=None):
    return np.sqrt(np.square(x) + np.square(y))


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(np.linspace(0.0, 1.0, 4))
        self.register_buffer("total", np.zeros(4))

    def forward(self, x, out):
        self.total += np.hypot(x, self.weight).sum(0)
        out[...] = np.square(x)
        return self.total * 2, x


@pytest.mark.parametrize("dynamic", [False, True])
def test_signature_state_and_lines_are_kept(dynamic, tmp_path):
    shapes = {"x": {0: Dim("n")}, "out": {0: Dim("n")}} if dynamic else None
    ep = export(Counting(), (X, np.zeros_like(X)), dynamic_shapes=shapes)
    table = default_decompositions()
    table[ops.np.hypot] = hypot
    core = ep.run_decompositions(table)
    core.validate()
    assert not {"np.hypot", "np.square"} & set(targets(core))
    assert [spec.kind for spec in core.graph_signature.output_specs] == [spec.kind for spec in ep.graph_signature.output_specs]
    assert core.range_constraints == ep.range_constraints
    lines = {node.meta["stack_trace"][-1].line for node in ep.graph.find_nodes(op="call_function")}
    assert {node.meta["stack_trace"][-1].line for node in core.graph.find_nodes(op="call_function")} == lines
    save(core, tmp_path / "core.np2")
    again = load(tmp_path / "core.np2")
    assert again.dialect == core.dialect
    assert core.dialect.startswith("CUSTOM-")
    runs = [program.module() for program in (ep, core, again)]
    for rows in (3, 5) if dynamic else (3,):
        x = np.random.default_rng(rows).standard_normal((rows, 4))
        found = []
        for run in runs:
            out = np.zeros_like(x)
            total, same = run(x, out)
            assert same is x
            found.append((total, out))
        for total, out in found[1:]:
            np.testing.assert_allclose(total, found[0][0])
            np.testing.assert_array_equal(out, found[0][1])


def test_the_program_stays_as_it_is_and_a_second_time_changes_nothing():
    ep = export(lambda x: np.square(x) + 1, (X,))
    text = str(ep)
    core = ep.run_decompositions()
    assert (str(ep), ep.dialect, core.dialect) == (text, "NUMPY", "CORE")
    assert str(core.run_decompositions()) == str(core)
    assert core.run_decompositions().dialect == "CORE"


def test_a_program_of_core_operators_is_core():
    ep = export(lambda x: x + 1, (X,))
    core = ep.run_decompositions()
    assert (ep.dialect, core.dialect, str(core.graph)) == ("NUMPY", "CORE", str(ep.graph))


def test_floats_of_data_are_operands():
    ep = export(lambda x, y: float(x) - y, (np.float64(2), np.float64(3)))
    core = ep.run_decompositions()
    assert targets(core)[-1] == "np.subtract"
    assert core.module()(np.float64(5), np.float64(3)) == 2


def test_an_empty_table_decomposes_nothing():
    ep = export(lambda x: np.square(x) + 1, (X,))
    same = ep.run_decompositions({})
    assert (str(same), same.dialect) == (str(ep), "NUMPY")


def test_tables_are_mappings():
    table = default_decompositions()
    assert table[ops.np.square] is ops.np.square.decomposition
    kept = table.copy()
    del table[ops.np.square]
    assert ops.np.square not in table
    assert ops.np.square in kept
    with pytest.raises(KeyError):
        table[ops.np.square]
    with pytest.raises(KeyError):
        del table[ops.np.square]
    table.update({ops.np.square: hypot})
    assert table.pop(ops.np.square) is hypot
    assert kept.materialize() == dict(kept.items())
    assert set(kept.keys()) == set(kept)
    assert targets(export(np.square, (X,)).run_decompositions(table)) == ["np.square"]
    with pytest.raises(UserError, match="maps operators to functions"):
        table["np.square"] = hypot


def scaled_by(factor):
    return lambda input, approximate="none": input * factor


def test_a_dialect_says_which_table_it_was():
    ep = export(nn.functional.gelu, (X,))
    assert ep.run_decompositions(default_decompositions()).dialect == ep.run_decompositions().dialect == "CORE"
    dialects = [ep.run_decompositions({ops.nn.gelu: scaled_by(factor)}).dialect for factor in (1.0, 2.0, 2.0)]
    assert dialects[0] != dialects[1] == dialects[2]
    written = [lambda input, approximate="none": input * 1.5, lambda input, approximate="none": input * 1.7]
    assert len({ep.run_decompositions({ops.nn.gelu: function}).dialect for function in written}) == 2


@pytest.mark.parametrize("table", [5, {"np.square": hypot}, {ops.np.square: "x"}], ids=["no table", "no operator", "no function"])
def test_what_is_no_table_is_refused(table):
    with pytest.raises(UserError) as caught:
        export(np.square, (X,)).run_decompositions(table)
    assert caught.value.code == "E201"


def test_core_operators_have_no_decomposition():
    core = core_operators()
    assert all(op.is_core and op.namespace in ("np", "nn") for op in core)
    assert not core & default_decompositions().keys()
    assert {op for op in REGISTRY if op.namespace in ("np", "nn")} - core == {
        op for op in default_decompositions() if op.namespace in ("np", "nn")
    }


def test_sizes_of_data_keep_their_names():
    def places(x):
        found = np.flatnonzero(x)
        return found, np.zeros(found.shape[0])

    ep = export(places, (X,), dynamic_shapes=({0: Dim("n")},))
    core = ep.run_decompositions({ops.np.flatnonzero: lambda a: np.nonzero(np.ravel(a))[0]})
    assert "np.flatnonzero" not in targets(core)
    for x in (X, np.eye(4), np.zeros((2, 4))):
        for mine, theirs in zip(core.module()(x), ep.module()(x), strict=True):
            np.testing.assert_array_equal(mine, theirs)


WEIGHTS = np.arange(4.0)


def test_constants_are_lifted():
    ep = export(lambda x: np.square(x), (X,))
    core = ep.run_decompositions({ops.np.square: lambda x: x * x * np.array([1.0, 2.0, 3.0, 4.0])})
    np.testing.assert_array_equal(core.module()(X), X * X * (WEIGHTS + 1))


def test_constants_of_sub_graphs_are_written_out(tmp_path):
    scale = np.array([1.5, np.nan, np.inf, -0.0])
    ep = export(lambda x: cond(x.sum() > 0, lambda x: np.square(x), lambda x: -x, (x,)), (X,))
    core = ep.run_decompositions({ops.np.square: lambda x: x * x * np.array([1.5, np.nan, np.inf, -0.0])})
    save(core, tmp_path / "core.np2")
    for run in (core.module(), load(tmp_path / "core.np2").module()):
        assert run(X + 9).tobytes() == ((X + 9) * (X + 9) * scale).tobytes()
        np.testing.assert_array_equal(run(X - 9), 9 - X)


@pytest.mark.parametrize("f", [np.mean, np.std, np.var])
def test_moments_of_scalars_are_decomposed(f):
    core = export(lambda x: f(x[0]), (X[0],)).run_decompositions()
    assert core.module()(X[0]).tobytes() == f(X[0][0]).tobytes()


def test_series_of_small_and_of_large_elements_are_decomposed():
    x = np.array([0, 1, -3, 8, 8.5, -20, 700, np.nan, np.inf])
    core = export(np.i0, (x,)).run_decompositions()
    assert ops.np.i0 not in targets_of(core)
    assert outcome(core.module(), (x,)) == outcome(np.i0, (x,))


def test_sub_graphs_are_decomposed():
    ep = export(lambda x: cond(x.sum() > 0, lambda x: np.square(x), lambda x: -x, (x,)), (X,))
    core = ep.run_decompositions()
    assert ops.np.square not in {node.target for graph in core.graph.all_graphs() for node in graph}
    assert "ops.np.multiply" in core.graph_module.true_graph_0.code
    for x in (np.abs(X), -np.abs(X)):
        np.testing.assert_array_equal(core.module()(x), ep.module()(x))


@pytest.mark.parametrize("of", [np.float64, lambda bound: np.full(5, bound)], ids=["numbers", "arrays"])
@pytest.mark.parametrize(("low", "high"), [(0.0, -0.0), (-0.0, 0.0), (-0.0, -0.0)])
def test_of_two_zeros_the_bounds_give_the_originals(of, low, high):
    x = np.array([0.0, -0.0, 1.0, -1.0, np.nan])
    operands = (x, of(low), of(high))
    exported = export(lambda x, low, high: np.clip(x, low, high), operands)
    found = exported.run_decompositions().module()(*operands)
    assert found.tobytes() == np.clip(*operands).tobytes()


def test_results_are_arrays_of_their_own():
    core = export(np.square, (X,)).run_decompositions({ops.np.square: lambda x: x})
    assert not np.shares_memory(core.module()(X), X)


def circle(x):
    return np.square(np.sqrt(x))


def changed(x):
    x[0] = 1
    return x


@pytest.mark.parametrize(
    ("decomposition", "told"),
    [
        (lambda x: np.square(x) + 0, "leads back to itself"),
        (lambda x: x.astype(np.float32), r"gives f32\[3, 4\], the operator f64\[3, 4\]"),
        (lambda x: x.sum(), "gives"),
        (lambda x: (x, x), "another structure"),
        (lambda x: 1.0, "what it does not compute"),
        (changed, "writes to its operands"),
    ],
)
def test_what_no_decomposition_is_is_refused(decomposition, told):
    with pytest.raises(UserError, match=told):
        export(np.square, (X,)).run_decompositions({ops.np.square: decomposition})


def test_what_does_not_hold_stays():
    def only_matrices(x):
        if x.ndim != 2:
            raise NotImplementedError
        return x * x

    ep = export(lambda x, y: (np.square(x), np.square(y)), (X, X[0]))
    assert targets(ep.run_decompositions({ops.np.square: only_matrices})) == ["np.multiply", "np.square"]


def test_a_size_that_the_program_does_not_promise_leaves_the_call_as_it_is():
    def of_four(x):
        return x * x if x.shape[0] == 3 else x * x * 1.0

    def of_itself_at_any_length(x):
        a, b = (x, x[:1]) if x.shape[0] < 5 else (x[:1], x)
        return np.concatenate([b * b, (a * a)[1:]]) if x.shape[0] == 1 else x * x * np.ones(x.shape[0] + a.shape[0])[: b.shape[0]]

    ep = export(lambda x: np.square(x), (X[:, 0],), dynamic_shapes=({0: Dim("n")},))
    with pytest.warns(UserWarning, match=r"ops\.np\.square in line \d+ of .* stays: .*depends on"):
        assert targets(ep.run_decompositions({ops.np.square: of_itself_at_any_length})) == ["np.square"]
    ep = export(lambda x: np.square(x), (X,))
    assert targets(ep.run_decompositions({ops.np.square: of_four})) == ["np.multiply"]


def by_sides(x):
    if x.sum() > 0:
        return np.maximum(-x, x) if x.max() > 1 else np.maximum(x, -x)
    return np.where(x < 0, -x, x)


def by_a_loop(x):
    y, i, f = np.maximum(x, -x), 0, 0.5
    while i < 5 and f < y.sum():
        y, i, f = y * 1.0, i + 1, f * 2
    return y


def by_sizes_of_data(x):
    m = x[x > 0]
    if m.shape[0] > 1 and m.sum() > 1:
        m = np.sort(m)
    return np.maximum(x, -x) + 0.0 * m.sum()


def by_what_raises(x):
    if x.sum() > 1e6:
        raise ValueError("too large")
    return np.maximum(x, -x)


def by_sizes(x):
    if x.shape[0] == 3:
        return np.maximum(x, -x) if x.shape[1] % 2 else np.maximum(-x, x)
    return np.where(x < 0, -x, x) if x.size > 8 or x.sum() > 3 else np.maximum(x, -x)


@pytest.mark.parametrize("shapes", [None, ({0: Dim("n")},)], ids=["static", "dynamic"])
@pytest.mark.parametrize("rule", [by_sides, by_a_loop, by_sizes_of_data, by_what_raises, by_sizes])
def test_branches_and_loops_on_data_are_inserted(rule, shapes, tmp_path):
    def program(x):
        y = np.abs(x) if x.max() > 0.9 else -np.abs(x) * 2  # calls in sub-graphs too
        return y, np.abs(x[:, :2])

    table = {ops.np.absolute: rule}
    made = export(program, (X,), dynamic_shapes=shapes).run_decompositions(table)
    inside = {str(node.target) for graph in made.graph.all_graphs() for node in graph.nodes}
    assert "ops.np.absolute" not in inside
    assert str(made.run_decompositions(table)) == str(made)
    save(made, tmp_path / "made.np2")
    runs = [made.module(), load(tmp_path / "made.np2").module(), made.run_decompositions().module()]
    for x in (X, X - 5, np.vstack([X, X * 3]), X + 1e6)[: None if shapes else 2]:
        want = outcome(lambda x: program(x) if rule is not by_what_raises or x.sum() < 1e6 else rule(x), (x,))
        assert [outcome(run, (x,)) for run in runs] == [want] * len(runs)


@pytest.mark.skipif(not TELLS_BINS, reason="this NumPy counts in bins without width, by a rounding of its own")
@pytest.mark.parametrize("program", [lambda x: np.histogram(x), lambda x: np.histogram_bin_edges(x, 4), lambda x: np.histogramdd(x)])
def test_bins_without_width_are_what_numpy_makes_of_them(program):
    core = export(program, (np.arange(5.0),)).run_decompositions().module()
    for x in (np.array([1e17, 1e17 + 32, 1e17, 1e17, 1e17]), np.full(5, 2.0), np.arange(5.0)):
        assert outcome(core, (x,)) == outcome(program, (x,))


def test_what_a_decomposition_raises_says_whose_it_is():
    with pytest.raises(ZeroDivisionError) as caught:
        export(np.square, (X,)).run_decompositions({ops.np.square: lambda x: x * (1 / 0)})
    assert caught.value.__notes__ == ["This is the decomposition of ops.np.square."]


def test_there_must_be_such_an_operator():
    with pytest.raises(UserError, match="no operator 'np::no_such'"):
        register_decomposition("np::no_such")


# Every operator that has a decomposition, over its samples

COMPOSITE = [op for op in default_decompositions() if has_samples(op)]


def calls(op):
    """The op's samples as programs of their arrays and scalars: (function, operands)."""
    for args, kwargs in samples_of(op):
        operands = []

        def place(leaf, operands=operands):
            if not isinstance(leaf, (np.ndarray, np.generic)):
                return leaf
            operands.append(leaf)
            return Operand(len(operands) - 1)

        yield of_operands(op, map_leaves(args, place), map_leaves(kwargs, place)), tuple(operands)


def flat(result):
    return [leaf for item in result for leaf in flat(item)] if isinstance(result, (tuple, list)) else [result]


def same(mine, theirs):
    """Equal in structure, shape, dtype and kind, and within the rounding of another formula."""
    assert len(flat(mine)) == len(flat(theirs))
    for a, b in zip(flat(mine), flat(theirs), strict=True):
        assert (type(a), np.shape(a), np.asarray(a).dtype) == (type(b), np.shape(b), np.asarray(b).dtype)
        exact = np.asarray(b).dtype.kind not in "fc"
        if exact:
            np.testing.assert_array_equal(a, b)
        else:
            rounding = ROUNDING * np.finfo(np.asarray(b).dtype).eps
            largest = np.max(np.abs(np.nan_to_num(b, posinf=0, neginf=0)), initial=1)
            np.testing.assert_allclose(a, b, rtol=rounding, atol=rounding * largest)


ROUNDING = 64
"""Units in the last place of the largest result within which a decomposition must be; the docstrings state less."""


def few(op, count):
    """Some samples from all over the list, the same in each run."""
    found = list(calls(op))
    return found[:: -(-len(found) // count) or 1] if found else []


def held(op, call, arrays, dynamic=False):
    """Whether the call was decomposed; if so, its results are the operator's, of other sizes too."""
    shapes = {"operands": tuple([dict.fromkeys(range(np.ndim(array)), Dim.AUTO) or None for array in arrays])} if dynamic else None
    try:
        ep = export(call, arrays, dynamic_shapes=shapes)
    except ExportError:  # some samples are no programs: a call with Python numbers alone, or whose sizes decide its structure
        return False
    core = ep.run_decompositions()
    core.validate()
    same(core.module()(*arrays), ep.module()(*arrays))
    for other in others(ep, arrays) if dynamic else ():
        same(core.module()(*other), ep.module()(*other))
    return op in targets_of(ep) and op not in targets_of(core)


def targets_of(program):
    return {node.target for graph in program.graph.all_graphs() for node in graph.find_nodes(op="call_function")}


def others(ep, arrays):
    """The operands with every dynamic size one greater, where the program is valid for such."""
    grown = []
    for node, array in zip(ep.graph.placeholders, arrays, strict=False):
        sizes = [size if isinstance(size, int) else int(size.hint) + 1 for size in getattr(node.meta["val"], "shape", ())]
        grown.append(np.resize(array, sizes) if np.ndim(array) else array)
    try:
        ep.module()(*grown)
    except Exception:  # noqa: BLE001  such operands are none of the operator's
        return []
    return [grown]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("op", "dynamic"), one_in(2, shard(itertools.product(COMPOSITE, [False, True]), 5)), ids=str)
def test_a_decomposition_gives_what_the_operator_gives(op, dynamic):
    """Of an operator with hundreds of samples some of every kind; with ``NPEXPORT_FUZZ`` all of them."""
    found = [held(op, call, arrays, dynamic) for call, arrays in (few(op, 5) if "NPEXPORT_FUZZ" not in os.environ else calls(op))]
    assert dynamic or any(found)


class Network(nn.Module):
    """Convolution, attention, recurrence and statistics, with state that training changes."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.pool = nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.MaxPool2d(2)
        self.attention, self.layer_norm = nn.MultiheadAttention(16, 2, batch_first=True), nn.LayerNorm(16)
        self.lstm, self.embedding, self.linear = nn.LSTM(16, 8, batch_first=True), nn.Embedding(10, 16), nn.Linear(8, 5)

    def forward(self, image, words):
        y = self.pool(nn.functional.relu(self.norm(self.conv(image))))
        y = y.reshape(y.shape[0], 4, 16) + self.embedding(words)
        y = self.layer_norm(y + self.attention(y, y, y)[0])
        z = self.linear(self.lstm(y)[0][:, -1])
        return nn.functional.log_softmax(z), np.median(z, axis=1), np.std(z), np.histogram(z, bins=4)[0], np.roll(z, 1, axis=1)


def examples(count):
    rng = np.random.default_rng(count)
    return rng.standard_normal((count, 3, 8, 8)).astype(np.float32), rng.integers(0, 10, (count, 4))


@pytest.mark.parametrize("training", [False, True])
def test_a_network_is_brought_to_the_core(training, tmp_path):
    batch = Dim("batch", min=2)
    ep = export(Network().train(training), examples(2), dynamic_shapes={"image": {0: batch}, "words": {0: batch}})
    core = ep.run_decompositions()
    assert {op for op in targets_of(core) if op.namespace in ("np", "nn")} <= core_operators()
    assert str(core.run_decompositions()) == str(core)
    assert core.range_constraints == ep.range_constraints
    assert sorted(core.graph_signature.buffers_to_mutate.values()) == sorted(ep.graph_signature.buffers_to_mutate.values())
    stacks = [{str(node.meta.get("nn_module_stack")) for node in program.graph.find_nodes(op="call_function")} for program in (ep, core)]
    assert stacks[1] <= stacks[0]
    text = graph_code(core.graph)
    assert without_comments(graph_code(parse_graph(text, core.graph.environments()[0]))) == without_comments(text)
    save(core, tmp_path / "core.np2")
    runs = [program.module() for program in (ep, core, load(tmp_path / "core.np2"))]
    for count in (2, 5):
        expected, found, loaded = [run(*examples(count)) for run in runs]
        same(found, expected)
        same(loaded, expected)


def without_comments(text):
    return [line.partition("  #")[0] for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]


def test_there_are_few_core_operators():
    assert len(core_operators()) <= 150


DAYS = np.array(["1970-01-02", "1970-01-01", "NaT"], "M8[D]")
SPANS = np.array([3, 0, 5], "m8[s]")


def _placed(days):
    kept = days.copy()
    np.place(kept, days, DAYS[:1])
    return kept


def _put_mask(days):
    kept = days.copy()
    np.putmask(kept, days, DAYS[1:])
    return kept


def _put_at(places):
    kept = np.zeros(3)
    np.put(kept, places, [5, 6, 7])
    return kept


@pytest.mark.parametrize(
    ("program", "given"),
    [
        (_put_at, np.array([True, True, True])),
        (_put_at, np.array([True, False, True])),
        (lambda x: np.logical_xor(x, x[::-1]), SPANS),
        (lambda x: np.dot(x, np.array([1, 2, 3]).astype("m8[s]").astype("i8")), SPANS),
        (_placed, DAYS),
        (_put_mask, DAYS),
        (lambda x: np.isin(x, [2, 3]), DAYS),
        (lambda x: np.vdot(x, x[:0]) if len(x) == 0 else np.vdot(x, np.array([1, 2, 3])), SPANS),
        (lambda x: np.unravel_index(x, (3, 4), "F"), np.array([[1, 5], [7, 11]])),
        (lambda x: np.histogram2d(x, x[::-1], 3), np.array([1.5, -2.0, 3.5])),
    ],
    ids=[
        "put at truths",
        "put at two truths",
        "xor of spans",
        "dot of spans",
        "place by dates",
        "putmask by dates",
        "dates among numbers",
        "vdot of spans",
        "unravel_index",
        "histogram2d",
    ],
)
def test_results_of_other_kinds_and_layouts_are_the_originals(program, given):
    ep = export(program, (given,))
    ours, eager = ep.run_decompositions().module()(given), program(given)
    for one, other in zip(*[value if isinstance(value, tuple) else (value,) for value in (ours, eager)], strict=True):
        assert (one.dtype, np.shape(one), one.strides) == (other.dtype, np.shape(other), other.strides)
        np.testing.assert_array_equal(one, other)


def test_places_in_nothing_are_decomposed_as_the_original_is():
    def program(x):
        x = x.copy()
        np.put(x, np.zeros(0, int), 1.0, mode="wrap")
        return x

    assert export(program, (np.zeros(0),)).run_decompositions().module()(np.zeros(0)).shape == (0,)


@pytest.mark.parametrize("shapes", [None, ({0: Dim.AUTO},)])
@pytest.mark.parametrize("order", [lambda y: np.ravel(y, "K"), lambda y: y.reshape(-1, order="A"), lambda y: np.asarray(y).T.ravel("K")])
@pytest.mark.parametrize("f", [lambda x: np.roll(x, 1, 0), lambda x: np.nan_to_num(x), lambda x: np.tile(x, (2, 1)), nn.functional.gelu])
def test_what_is_computed_of_the_order_of_memory_stays(f, order, shapes):
    x = np.asfortranarray(np.arange(12.0).reshape(3, 4))
    core = export(lambda x: order(f(x)), (x,), dynamic_shapes=shapes).run_decompositions()
    np.testing.assert_allclose(core.module()(x), order(f(x)), rtol=1e-12)


@pytest.mark.parametrize(
    ("program", "op"),
    [
        (lambda x: np.convolve(x, np.arange(3.0)), ops.np.convolve),
        (lambda x: np.linspace(0, 1.5, len(x)), ops.np.linspace),
        (lambda x: np.linspace([1, -2], 7, len(x), dtype=int, axis=1), ops.np.linspace),
    ],
    ids=["convolve", "linspace", "linspace of integers"],
)
def test_what_depends_on_a_dynamic_length_is_decomposed(program, op):
    core = export(program, (np.arange(5.0),), dynamic_shapes=({0: Dim("n", min=1)},)).run_decompositions()
    assert op not in targets_of(core)
    for size in (1, 2, 3, 9):
        same(core.module()(np.arange(size) * 0.7), program(np.arange(size) * 0.7))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "D"])
@pytest.mark.parametrize("f", [np.nanvar, np.nanstd])
def test_deviations_are_of_the_dtype_of_the_array(f, dtype):
    """To the bit: NumPy keeps them in the array's dtype, whatever `dtype` the mean and the sum have."""
    x = np.random.default_rng(0).normal(size=(4, 5)).astype(dtype) * 3
    x[1, 2] = np.nan
    x[2:, 0] = 6e4
    for wide in (None, "f8", "D"):
        program = functools.partial(f, axis=0, dtype=wide)
        core = export(lambda x: program(x), (x,)).run_decompositions()  # noqa: B023  (called at once)
        assert ops.np.nanvar not in targets_of(core)
        np.testing.assert_array_equal(core.module()(x), program(x))
