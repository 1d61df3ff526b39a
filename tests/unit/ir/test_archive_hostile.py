"""Archives that were made to do harm are refused, or do none."""

import ast
import io
import json
import random
import re

import numpy as np
import pytest

from npexport import Dim, export, load, nn, save
from npexport.ir.running import runtime
from npexport.runtime.compilation import compile as compiling
from npexport.runtime.emission import emit
from npexport.runtime.entry import sizes
from npexport.symshapes.errors import InputMismatch, LoadError
from tests.fuzz import archives as fuzz_archives
from tests.fuzz.archives import Pair
from tests.support.archive_parts import entries_of, rewritten, sealed, set_at, zip_of
from tests.support.calls import counted
from tests.support.seeds import fresh_seed
from tests.support.shards import shard

X = np.arange(6.0)
EVIL = "__import__('builtins').evidence.append(1)"


def strided(x):
    return np.lib.stride_tricks.as_strided(x, (3,), (8,))


def of_pair(p):
    return p.left + p.right


def plus(x):
    return x + 1


def bytes_of(function, *args, shapes=None):
    buffer = io.BytesIO()
    save(export(function, args, dynamic_shapes=shapes), buffer)
    return buffer.getvalue()


def node(document, name):
    """The first call of an operator of this name."""
    return next(row for row in document["graph"] if row.get("target", "").endswith(f".{name}"))


def every_text(old, new):
    """The document with one text in place of another, keys included."""

    def change(value):
        if isinstance(value, dict):
            return {new if key == old else key: change(item) for key, item in value.items()}
        return [change(item) for item in value] if isinstance(value, list) else new if value == old else value

    return change


def opaque_key(document):
    node(document, "as_strided")["kwargs"] = {"writeable": {"dict": [[{"opaque": EVIL}, {"node": "x"}]]}}


def text_key(document):
    node(document, "as_strided")["kwargs"] = {"writeable": {"dict": [[f"1: 2}}) or {EVIL} or ({{1", {"node": "x"}]]}}


def outside(document):
    """A view of far more than there is, which the bounds of a symbol seem to allow."""
    document["symbols"] = [["s0", "x.shape[0]", 10**9, 10**9, "int_oo"]]
    node(document, "as_strided")["args"][1] = {"tuple": [10**9]}
    node(document, "as_strided")["val"]["array"][1] = [10**9]


def fact(text):
    return lambda document: document.update(facts=[text])


def guard(text):
    def change(document):
        document["guards"] = [{"truth": text, "names": {}, "example": {}, "stack": 0, "reason": "", "deferred": False}]

    return change


N = {"x": {0: Dim("n")}}
PRODUCT = "*".join(["(s0+s1+s2+s3+s4+s5+1)"] * 20) + " >= 0"
HOSTILE = {
    "opaque key": (strided, (X,), None, opaque_key),
    "key": (strided, (X,), None, text_key),
    "field": (of_pair, (Pair(X, X),), None, every_text("left", f"left) or {EVIL} or (p.left")),
    "missing field": (of_pair, (Pair(X, X),), None, every_text("left", "middle")),
    "field of the class": (of_pair, (Pair(X, X),), None, every_text("left", "__class__")),
    "product of sums": (lambda x: x + 1, (np.ones((2, 3, 4, 5, 6, 7)),), {"x": {i: Dim.DYNAMIC for i in range(6)}}, fact(PRODUCT)),
    "power": (plus, (X,), N, guard("s0**9999999999 > 0")),
    "shift": (plus, (X,), N, fact("1 << 9999999999 > 0")),
    "shift in a range": (plus, (X,), N, lambda d: d["ranges"].append(["1 << 9999", 0, 5])),
    "shift in a guard": (plus, (X,), N, guard("s0 << 9999999999 > 0")),
    "unknown symbols": (plus, (X,), N, guard("s7 > 0")),
    "outside": (strided, (X,), None, outside),
    "version": (plus, (X,), None, set_at("version", value=-1)),
    "no version of operators": (plus, (X,), None, lambda d: d["opset"].pop("np")),
    "version of operators": (plus, (X,), None, set_at("opset", "np", value=-1)),
    "dtype": (plus, (X,), None, set_at("arrays", 0, 0, value="i" + "1" * 5000)),
    "integer": (plus, (X,), None, lambda d: node(d, "add")["args"].__setitem__(1, 10**4000)),
    "truth of text": (lambda x: x.sum(axis=0, keepdims=True), (X,), None, lambda d: node(d, "sum")["kwargs"].update(keepdims="no")),
    "an array for a truth": (strided, (X,), None, lambda d: node(d, "as_strided").update(kwargs={"writeable": {"node": "x"}})),
    "reshaped": (plus, (X,), None, lambda d: d["inputs"][0].update(reshaped=[-2, -3])),
    "no operator's name": (plus, (X,), None, lambda d: node(d, "add").update(target="os.system")),
    "deep": (plus, (X,), None, lambda d: d["call"].update(out=_deep(300))),
    "a deque of less": (plus, (X,), None, lambda d: d["call"].update(out=["deque", -1, [None]])),
}  # fmt: skip


def _deep(depth):
    tree = None
    for _ in range(depth):
        tree = ["tuple", None, [tree]]
    return tree


@pytest.fixture
def evidence(monkeypatch):
    found = []
    monkeypatch.setattr("builtins.evidence", found, raising=False)
    yield found
    assert not found


@pytest.mark.parametrize("function, args, shapes, change", HOSTILE.values(), ids=HOSTILE)
def test_hostile_archives_are_refused(function, args, shapes, change, evidence):
    data = rewritten(bytes_of(function, *args, shapes=shapes), change)
    with counted() as calls, pytest.raises(LoadError) as caught:
        load(io.BytesIO(data))
    assert calls[0] < 2_000_000
    assert str(caught.value).replace("\n", "").isprintable()


@pytest.mark.slow
def test_many_guards_take_no_more_than_each_by_itself():
    data = bytes_of(lambda x: x + 1, np.ones((6, 7)), shapes={"x": {0: Dim("n"), 1: Dim("m")}})
    row = {"names": {}, "example": {}, "stack": 0, "reason": "", "deferred": False}

    def calls_for(number):
        def change(document):
            document["guards"] = [{"truth": f"(s0*{k} + s1) % {k + 3} == {k % 3} or s1 > {k}", **row} for k in range(1, number + 1)]

        with counted() as calls:
            assert len(load(io.BytesIO(rewritten(data, change))).guards) == number
        return calls[0]

    assert calls_for(1200) < 5 * calls_for(300)


EXTREMA = {
    "sums": "min(s0 + {k}, 2*s1 + {m}) >= max(s0 - {k}, 3)",
    "products": "min(s0*s1, {k})*max(s0, {m}) >= {k}",
    "alternatives": "min(s0, {k}) >= 2 or max(s1, {k}) <= 3 or s0 == {k}",
    "remainders": "min(s0, {k}) % 3 == max(s1, 2) % {m}",
    "many": "min(s0, s1 + {k}, 2*s0 - s1, s0 + {k}*s1, 3*s1 - {m}, s0 + 5*s1 + {k}) >= {m}",
    "nested": "min(max(min(max(s0, s1 - {k}) + {m}, {k}*s0), s1) + 1, s0 + s1) >= max(s0, 2*s1 - {k})",
}


@pytest.mark.slow
@pytest.mark.parametrize("form", EXTREMA)
def test_work_on_extrema_is_proportional_to_the_file(form):
    """About a second for each MB on a quiet machine, of which this asks by the calls."""
    row = {"names": {}, "example": {}, "stack": 0, "reason": "", "deferred": False}

    def change(document):
        document["guards"] = [{"truth": EXTREMA[form].format(k=k, m=k % 7 + 2), **row} for k in range(6_000)]

    data = rewritten(bytes_of(lambda x: x + 1, np.ones((6, 7)), shapes={"x": {0: Dim("n"), 1: Dim("m")}}), change)
    with counted() as calls, pytest.raises(LoadError, match="TooMuchWork"):
        load(io.BytesIO(data))
    assert calls[0] < 2_000_000 * len(data) / 1e6


def test_kernels_do_not_trust_rules():
    data = bytes_of(strided, X)
    program = load(io.BytesIO(data))
    call = next(node for node in program.graph.nodes if node.name == "as_strided")
    for shape, strides, offset in (((10**9,), (1,), 0), ((3,), (-1,), 1), ((3,), (1,), 4), ((2,), (2**62,), 0), ((-3,), (1,), 0)):
        call.args = (call.args[0], shape, strides, offset)
        with pytest.raises(ValueError, match="as_strided: an element lies outside"):
            runtime()[0](program, True)(X)  # module() refuses it before


def test_a_fact_that_was_made_up_is_checked():
    """What a file says of sizes that only data decide is held against the data."""
    data = bytes_of(lambda x: x[x > 2] * 2, X, shapes=N)
    document_facts = []
    rewritten(data, lambda document: document_facts.extend(document["facts"]))
    assert load(io.BytesIO(data)).module()(X).tolist() == [6, 8, 10] and document_facts
    lying = load(io.BytesIO(rewritten(data, fact("u0 + 4 <= s0"))))
    with pytest.raises(InputMismatch, match="the data do not fit"):
        lying.module()(X)
    assert lying.module()(np.arange(7.0) - 3).tolist() == [6]


def test_archives_of_version_1_are_read():
    """They had no digest, bounds of all symbols, and absolute paths."""
    entries = entries_of(bytes_of(plus, X, shapes=N))
    document = json.loads(entries["program.json"])
    document["version"] = 1
    document["symbols"] = [[*row, 0, "int_oo"] for row in document["symbols"]]
    for row in document["tables"]["locations"]:
        row[0] = f"/home/somebody/{row[0]}"
    program = load(io.BytesIO(zip_of({**entries, "program.json": json.dumps(document)})))
    assert program.module()(np.ones(4)).tolist() == [2] * 4 and "somebody" not in str(program)
    del entries["digest"]
    assert load(io.BytesIO(zip_of({**entries, "program.json": json.dumps(document)})))


def test_bounds_in_the_list_of_symbols_mean_nothing():
    data = rewritten(bytes_of(plus, X, shapes=N), set_at("symbols", value=[["s0", "x.shape[0]", 6, 5, 5]]))
    assert load(io.BytesIO(data)).module()(np.ones(9)).shape == (9,)


@pytest.mark.parametrize(
    "name", ["None", "def", "__debug__", "ﬁ", "ª", "__call__", "self", "v0", "a1", "m²", "", "a b", "\ud800", "x\ny", "\x1b[2J"]
)
def test_any_text_is_a_key(name):
    program = export(lambda d: d[name] + 1, ({name: X},))
    buffer = io.BytesIO()
    save(program, buffer)
    again = load(io.BytesIO(buffer.getvalue()))
    assert again.module()({name: X}).tolist() == (X + 1).tolist() == program.module()({name: X}).tolist()
    assert str(again).replace("\n", "").isprintable()
    with pytest.raises(InputMismatch):
        again.module()({name: X, "other": X})


@pytest.mark.parametrize("name", ["None", "def", "__debug__", "ﬁ", "__call__", "self", "a0", "v0", "c0"])
def test_any_name_is_a_parameter(name):
    """Positional-only parameters of C functions, keywords of ``**options``."""
    data = bytes_of(plus, X)

    def change(document):
        document["call"]["parameters"] = [[name, "POSITIONAL_ONLY"]]

    assert load(io.BytesIO(rewritten(data, change))).module()(X).tolist() == (X + 1).tolist()

    def options(**given):
        return given[name] * 2

    assert export(options, (), {name: X}).module()(**{name: X}).tolist() == (X * 2).tolist()


def test_nothing_that_terminals_obey_is_printed():
    location = ["/etc/\x1b[2J", 5, 19, 5, 22, "f\x07", "x\n  evil = 1 \x1b[31m"]
    change = set_at("tables", "locations", 0, value=location)
    program = load(io.BytesIO(rewritten(bytes_of(plus, X), change)))
    for text in (str(program), repr(program.graph), program.graph_module.code):
        assert text.replace("\n", "").isprintable() and "\n  evil" not in text
    call = next(node for node in program.graph.nodes if node.name == "add")
    call.args = (call.args[0], "text")
    with pytest.raises(TypeError) as caught:
        runtime()[0](program, True)(X)
    assert caught.value.__notes__ and "\x1b" not in "".join(caught.value.__notes__)


@pytest.mark.parametrize("key", ["format", "graph", "name", "target"])
def test_a_key_stands_once(key):
    entries = entries_of(bytes_of(plus, X))
    text = entries["program.json"].decode()
    escaped = f"\\u{ord(key[0]):04x}{key[1:]}"
    for other in (key, escaped):
        twice = text.replace(f'"{key}":', f'"{other}":1,"{key}":', 1)
        assert twice != text
        with pytest.raises(LoadError, match="an object has a key twice"):
            load(io.BytesIO(sealed(entries | {"program.json": twice})))


@pytest.mark.parametrize("name", ["numpy.ndarray", "builtins.type", "os.system", "Float64", "", None, ["numpy.float64"]])
def test_a_type_is_one_of_the_scalars(name):
    data = bytes_of(lambda x: (x, np.float64), X)
    with pytest.raises(LoadError):
        load(io.BytesIO(rewritten(data, every_text("numpy.float64", name))))


def test_arrays_have_no_dtype_of_objects():
    data = bytes_of(lambda x: (x, np.dtype(object)), X)
    load(io.BytesIO(data))
    for change in (every_text("<f8", "|O"), lambda document: node(document, "add").update(val={"array": ["|O", [6], False]})):
        with pytest.raises(LoadError):
            load(io.BytesIO(rewritten(bytes_of(plus, X), change)))


def test_the_digest_covers_all_entries():
    buffer = io.BytesIO()
    save(export(plus, (X,)), buffer, extra_files={"note": "a"})
    entries = entries_of(buffer.getvalue())
    assert list(entries)[-1] == "digest"
    assert load(io.BytesIO(zip_of(entries)))
    for name in entries:
        with pytest.raises(LoadError):
            load(io.BytesIO(zip_of({**entries, name: entries[name][:-1] + b"~"})))
        with pytest.raises(LoadError):
            load(io.BytesIO(zip_of({other: data for other, data in entries.items() if other != name})))
    with pytest.raises(LoadError):
        load(io.BytesIO(zip_of({**entries, "extra/more": b""})))
    assert load(io.BytesIO(sealed({**entries, "extra/note": b"b"})))


# --- generated code

IDENTIFIER = re.compile(r"[acsvi]\d+$")
ATTRIBUTES = {"shape", "dtype", "flags", "base", "strides", "maxlen", "default_factory", "get", "reshape", "swapaxes", "transpose"} | {
    "writeable", "nbytes", "c_contiguous", "f_contiguous", "aligned", "forc", "first", "made", "__getitem__", "copy", "nonzero",
    "repeat", "append", "tolist",
}  # fmt: skip
FUNCTIONS = {"__call__", "block", "check_inputs", "fits", "iteration"}


def strangers(text, arithmetic=()):
    """What stands in generated code that is neither an identifier of ours, nor a small literal, nor a template's own word."""
    for part in ast.walk(ast.parse(text)):
        match part:
            case ast.Name(id=name) | ast.arg(arg=name) | ast.ExceptHandler(name=str(name)):
                if not IDENTIFIER.match(name) and name not in arithmetic:
                    yield name
            case ast.Global(names=names):
                yield from (name for name in names if not IDENTIFIER.match(name))
            case ast.Attribute(attr=name) if name not in ATTRIBUTES:
                yield name
            case ast.Constant(value=value) if not (value is None or value is ... or value == "K" or type(value) in (bool, int, float)):
                yield repr(value)
            case ast.FunctionDef(name=name) if name not in FUNCTIONS:
                yield name
            case ast.keyword(arg=str(name)) if name not in KEYWORDS:
                yield f"{name}="


def _parameters_of_operators():
    from npexport.ir.op import REGISTRY

    return {name for op in REGISTRY for name in op.signature.parameters} | {"out"}


KEYWORDS = _parameters_of_operators()
ARITHMETIC = {*sizes.FUNCTIONS, "min", "max", "abs", "int", "round", "ArithmeticError", "ValueError", "float"}


@pytest.fixture
def generated(monkeypatch):
    """Every text that is compiled."""
    texts = []
    real = emit.code_of

    def noting(text, file):
        texts.append((text, file))
        return real(text, file)

    for module in (emit, compiling, sizes):
        monkeypatch.setattr(module, "code_of", noting)
    return texts


def test_generated_code_holds_our_own_words_only(generated):
    made = fuzz_archives.archives()
    for name in sorted(made):
        data, args, kwargs = made[name]
        load(io.BytesIO(data)).module()(*args, **kwargs)
    for seed in shard(range(400), 4):
        rng = random.Random(seed)
        data, _, _ = made[rng.choice(sorted(made))]
        try:
            load(io.BytesIO(fuzz_archives.changed(rng, data)[1])).module()
        except LoadError:
            continue
    assert len(generated) > 100
    found = {word for text, file in generated for word in strangers(text, ARITHMETIC if file == "<npexport sizes>" else ())}
    assert not found


# --- fuzzing


@pytest.fixture(scope="module")
def archives():
    return fuzz_archives.archives()


@pytest.mark.fuzz
def test_fixed_seeds(archives):
    for seed in (*shard(range(600), 4), 20_267_272):  # the last ran a loop without end while it was read
        fuzz_archives.one(seed, archives)


@pytest.mark.fuzz
def test_fresh_seeds(archives):
    for seed in range(fresh_seed(), fresh_seed() + 150):
        fuzz_archives.one(seed, archives)


def preserved():
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    buffer = io.BytesIO()
    save(export(net, (np.ones((2, 3), np.float32),), preserve_module_call_signature=("0",)), buffer)
    return buffer.getvalue()


def ends(document):
    return node(document, "module_call")["args"]


def entry(document):
    return next(row for row in document["modules"] if row[0] == "0")[1]


MODULE_CALLS = {
    "a name twice": lambda document: document["modules"].append(["0", None]),
    "another name": lambda document: ends(document).__setitem__(0, "1"),
    "no inputs": lambda document: ends(document).__setitem__(1, {"tuple": []}),
    "inputs of another kind": lambda document: ends(document).__setitem__(1, 3),
    "state that is none": lambda document: ends(document).__setitem__(4, {"tuple": [{"tuple": [1, 2, False]}]}),
    "state in another form": lambda document: ends(document).__setitem__(3, {"tuple": [{"node": "input"}]}),
    "no structure": lambda document: entry(document).__setitem__("in", None),
    "a structure of its own": lambda document: entry(document).__setitem__("in", ["list", 2, [None, None]]),
    "names of another kind": lambda document: entry(document).__setitem__("names", [3]),
    "a call that is not there": lambda document: document["modules"].append(["2", entry(document)]),
}


@pytest.mark.parametrize("name", MODULE_CALLS)
def test_calls_of_modules_in_archives(name):
    """… are what the graph says, or the file is refused."""
    data = preserved()
    assert load(io.BytesIO(rewritten(data, lambda document: None))).module_call_graph[1].signature is not None
    with pytest.raises(LoadError):
        load(io.BytesIO(rewritten(data, lambda document: MODULE_CALLS[name](document) and None)))
