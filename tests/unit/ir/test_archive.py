"""Archives: what is saved comes back, byte for byte; what is damaged, foreign or hostile is refused with a code."""

import dataclasses
import io
import json
import operator
import random
import tracemalloc
import zipfile

import numpy as np
import pytest

from npexport import export
from npexport.ir import pytree
from npexport.ir.archive import load, save
from npexport.ir.archive_encode import dtype_json
from npexport.ir.archive_rows import dtype_from
from npexport.ir.archive_zip import NP2ArchiveReader, NP2ArchiveWriter, is_np2_package
from npexport.ir.op import REGISTRY
from npexport.ir.parsing import parse_graph
from npexport.ir.printing import graph_code
from npexport.ir.pytree import tree_flatten
from npexport.symshapes.errors import InternalError, LoadError, UserError
from tests.op_samples import has_samples, samples_of
from tests.support import rich_program
from tests.support.archive_parts import paths_of, rewritten, sealed, set_at, zip_of
from tests.support.forms import archived, reloaded
from tests.support.paths import ROOT
from tests.support.program_builder import Builder
from tests.support.rich_program import Box, Point, X, rich
from tests.support.seeds import fresh_seed
from tests.support.shards import shard


@dataclasses.dataclass
class Unregistered:
    value: object


def simple():
    builder = Builder()
    w = builder.parameter("w", np.ones(3))
    x = builder.input("x", X)
    return builder.finish(builder.call("np.add", builder.call("np.sin", x), w))


@pytest.mark.parametrize("build", [rich, simple])
def test_the_round_trip_is_byte_identical(build):
    program = build()
    program.validate()
    data = archived(program)
    again = load(io.BytesIO(data))
    assert archived(again) == data
    assert str(again) == str(program)


@pytest.mark.parametrize(
    "op", shard([op for op in REGISTRY if has_samples(op) and op.name != "element" and "unchecked" not in op.traits], 3), ids=str
)
def test_values_of_every_operator_come_back(op):
    leaves, spec = tree_flatten(samples_of(op)[0])

    def program(*arrays):
        given = iter(arrays)
        args, kwargs = spec.unflatten([next(given) if isinstance(leaf, np.ndarray) else leaf for leaf in leaves])
        return op(*args, **kwargs)

    exported = export(program, tuple(leaf for leaf in leaves if isinstance(leaf, np.ndarray)))
    here = f"{ROOT}/"  # files hold no absolute paths
    assert str(reloaded(exported)) == str(exported).replace(here, "")
    text = graph_code(exported.graph)
    again = graph_code(parse_graph(text, next(iter(exported.graph.environments()), None)))
    assert again.splitlines() == [line for line in text.splitlines() if not line.strip().startswith("#")]


def test_what_comes_back():
    program, again = rich(), reloaded(rich())
    assert repr(again.graph_signature) == repr(program.graph_signature)
    assert again.call_spec.in_spec == program.call_spec.in_spec and again.call_spec.out_spec == program.call_spec.out_spec
    for mine, other in zip(program.graph.nodes, again.graph.nodes, strict=True):
        assert (mine.name, mine.op, str(mine.target)) == (other.name, other.op, str(other.target))
        assert mine.meta.get("stack_trace", ()) == other.meta.get("stack_trace", ())
        assert mine.meta.get("nn_module_stack", {}) == other.meta.get("nn_module_stack", {})
    for name, array in program.state_dict.items():
        np.testing.assert_array_equal(array, again.state_dict[name])
        assert array.strides == again.state_dict[name].strides and again.state_dict[name].flags.writeable
    assert again.state_dict["layer.w"] is again.state_dict["tied.w"]
    assert [str(guard) for guard in again.guards] == [str(guard) for guard in program.guards]
    assert again.range_constraints == program.range_constraints
    np.testing.assert_array_equal(again.example_inputs[0][0], X)
    assert [entry.fqn for entry in again.module_call_graph] == [""]
    assert [p.name for p in again.call_spec.parameters] == ["x", "flag", "other"]


def test_loaded_programs_run_and_check():
    program = rich()
    run, again = program.module(), reloaded(program).module()
    for x in (np.ones((3, 3)), np.ones((5, 3))):
        first, second = run(x, flag=float("nan")), again(x, flag=float("nan"))
        assert list(first) == list(second) and type(second["c"]) is Box and second["c"].value == [len(x), b"\x00"]
        np.testing.assert_array_equal(first["a"][0], second["a"][0])
    for bad in (np.ones((4, 3)), np.ones((7, 3))):
        with pytest.raises(ValueError, match="do not fit"):
            again(bad, flag=float("nan"))
    with pytest.raises(ValueError, match="other: expected its default <dict>"):
        again(np.ones((3, 3)), flag=float("nan"), other={})


DTYPES = ["f2", "f4", "f8", "i1", "i8", "u4", "?", "c8", "c16", "U3", "S2", "M8[us]", "m8[D]", "V5", ">f4", ">i2", np.longdouble]
DTYPES += [
    [("a", "f4"), ("b", "i8", (2, 3))],
    [("p", [("q", "U2"), ("r", "f8", 2)])],
    {"names": ["a"], "formats": ["f4"], "offsets": [4], "itemsize": 12},
]


@pytest.mark.parametrize("descr", DTYPES, ids=str)
def test_arrays_of_every_dtype(descr):
    dtype = np.dtype(descr)
    assert dtype_from(json.loads(json.dumps(dtype_json(dtype)))) == dtype
    array = np.zeros((2, 3), dtype)
    builder = Builder()
    builder.constant("k", array)
    program = builder.finish(builder.input("x", X), example_inputs=((np.array(1), np.zeros((0, 3)), np.ones((2, 3, 4)).T), {}))
    again = reloaded(program)
    assert again.constants["k"].dtype == dtype and again.constants["k"].tobytes() == array.tobytes()
    assert [array.shape for array in again.example_inputs[0]] == [(), (0, 3), (4, 3, 2)]


def test_paths_are_written_atomically(tmp_path):
    path = tmp_path / "program.np2"
    save(simple(), path)
    before = path.read_bytes()
    bad = simple()
    bad.constants["k"] = np.array([object()])
    with pytest.raises(InternalError, match="the constant 'k' is not an input"):
        save(bad, path)
    with pytest.raises(UserError) as caught:
        save(simple(), path, extra_files={"a": object()})
    assert caught.value.code == "E201"
    assert path.read_bytes() == before and [entry.name for entry in tmp_path.iterdir()] == ["program.np2"]
    assert str(load(str(path))) == str(load(path)) == str(simple())
    assert is_np2_package(path)
    (tmp_path / "x").write_bytes(b"PK")
    assert not is_np2_package(tmp_path / "x")
    with pytest.raises(OSError):
        load(tmp_path / "missing")
    with pytest.raises(OSError):
        save(simple(), tmp_path / "no" / "such" / "folder.np2")


def test_dtypes_with_a_shape_are_not_saved():
    for program in (lambda x: x.dtype * 2, lambda x: x.astype(("i1", 2))):
        with pytest.raises(UserError, match="the dtype") as caught:
            save(export(program, (np.zeros(3, "i1"),)), io.BytesIO())
        assert caught.value.code == "E242"


def test_types_and_the_dtype_of_objects_are_saved_as_values():
    x = np.zeros(3, "f4")
    kinds = (np.dtype(object), x.dtype.type, np.bool_, np.longlong, np.floating, np.object_, bool, str)
    program = load(io.BytesIO(archived(export(lambda x: (*kinds, x.dtype.type), (x,))))).module()
    assert all(map(operator.is_, program(x), (*kinds, np.float32)))
    with pytest.raises(UserError, match="a value of type ABCMeta cannot be saved|a value of type type cannot be saved"):
        archived(export(lambda x: (x, type("Own", (np.float64,), {})), (x,)))


@pytest.mark.parametrize("order", ["C", "F"])
def test_saving_copies_no_array(order, tmp_path):
    big = np.zeros((1000, 1000), order=order)
    program = export(lambda x: x + big[0], (np.zeros(1000),))
    save(program, tmp_path / "warm.np2")
    tracemalloc.start()
    try:
        save(program, tmp_path / "program.np2")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < big.nbytes / 4


def test_lone_surrogates_are_no_extra_text():
    with pytest.raises(UserError, match="lone surrogate") as caught:
        archived(simple(), extra_files={"notes.txt": "h\ud800"})
    assert caught.value.code == "E242" and "surrogatepass" in caught.value.hint


def test_extra_files():
    data = archived(simple(), extra_files={"notes/a.txt": "h\u00e9", "raw": b"\xff\x00"})
    extra = {"notes/a.txt": "", "raw": None}
    load(io.BytesIO(data), extra_files=extra)
    assert extra == {"notes/a.txt": "h\u00e9", "raw": b"\xff\x00"}
    with pytest.raises(LoadError, match=r"(?s)no extra file 'other'.*Its extra files are: 'notes/a.txt', 'raw'"):
        load(io.BytesIO(data), extra_files={"other": ""})
    for name in ("../x", "/x", "a\\b", "c:x", "", "a/../b", "a//b", "\x00"):
        with pytest.raises(UserError):
            archived(simple(), extra_files={name: "x"})


def test_versions():
    program = simple()
    data = archived(program, opset_version={"np": 1})
    load(io.BytesIO(data), expected_opset_version={"np": 1})
    with pytest.raises(LoadError) as caught:
        load(io.BytesIO(data), expected_opset_version={"np": 2})
    assert caught.value.code == "E505"
    with pytest.raises(UserError):
        archived(program, opset_version={"np": 2})


def test_reader_and_writer(tmp_path):
    (tmp_path / "folder" / "sub").mkdir(parents=True)
    (tmp_path / "folder" / "sub" / "b").write_text("B")
    (tmp_path / "folder" / "a").write_text("A")
    with NP2ArchiveWriter(tmp_path / "x.np2") as archive:
        archive.write_folder("f", str(tmp_path / "folder"))
        assert archive.count_prefix("f/") == 2 and archive.has_record("f/a")
        with pytest.raises(UserError):
            archive.write_string("f/a", "again")
    with NP2ArchiveReader(tmp_path / "x.np2") as archive:
        assert archive.get_file_names() == ["f/a", "f/sub/b"]
        assert archive.read_bytes("f/a") == b"A" and archive.read_string("f/sub/b") == "B"


def test_classes_must_be_known(monkeypatch):
    def returning(value):
        builder = Builder()
        x = builder.input("x", X)
        return archived(builder.finish(value(x)))

    with pytest.raises(LoadError) as caught:
        load(io.BytesIO(returning(Unregistered)))
    assert caught.value.code == "E504" and "Unregistered" in caught.value.message
    data = returning(lambda x: Point(x, x))
    assert type(load(io.BytesIO(data)).module()(X)) is Point
    monkeypatch.delattr(rich_program, "Point")
    with pytest.raises(LoadError, match="namedtuple"):
        load(io.BytesIO(data))
    data = returning(Box)
    monkeypatch.setattr(pytree, "REGISTERED", {})
    monkeypatch.setattr("npexport.ir.archive_containers.REGISTERED", {})
    with pytest.raises(LoadError, match="dataclass"):
        load(io.BytesIO(data))


# --- damage


def twice(data):
    buffer = io.BytesIO(data)
    with pytest.warns(UserWarning), zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("program.json", "{}")
    return buffer.getvalue()


def with_entry(name):
    def change(data):
        buffer = io.BytesIO(data)
        with zipfile.ZipFile(buffer, "a") as archive:
            archive.writestr(name, b"x")
        return buffer.getvalue()

    return change


DAMAGE = {
    "empty": (lambda data: b"", "E501"),
    "no zip": (lambda data: b"hello" * 100, "E501"),
    "cut": (lambda data: data[: len(data) // 2], "E501"),
    "cut at the end": (lambda data: data[:-5], "E501"),
    "flipped byte": (lambda data: data.replace(b"np.sin", b"np.sim"), "E501"),
    "another zip": (lambda data: zip_of({"a": "b"}), "E501"),
    "no JSON": (lambda data: zip_of({"program.json": "{"}), "E501"),
    "a list": (lambda data: zip_of({"program.json": "[]"}), "E501"),
    "not text": (lambda data: zip_of({"program.json": b"\xff"}), "E501"),
    "NaN": (lambda data: zip_of({"program.json": '{"format": NaN}'}), "E501"),
    "deep": (lambda data: zip_of({"program.json": "[" * 100_000}), "E501"),
    "compressed": (lambda data: rewritten(data, compression=zipfile.ZIP_DEFLATED), "E501"),
    "entry twice": (twice, "E501"),
    "path": (with_entry("../evil"), "E501"),
    "absolute path": (with_entry("/evil"), "E501"),
    "foreign": (lambda data: rewritten(data, set_at("format", value="other")), "E501"),
    "too new": (lambda data: rewritten(data, set_at("version", value=10**6)), "E502"),
    "unknown operator": (lambda data: rewritten(data, set_at("graph", 2, "target", value="np.nosuch")), "E503"),
    "newer operators": (lambda data: rewritten(data, set_at("opset", "np", value=99)), "E505"),
    "foreign operators": (lambda data: rewritten(data, set_at("opset", "aten", value=1)), "E505"),
    "huge array": (lambda data: rewritten(data, set_at("arrays", 0, 1, value=[1 << 40])), "E501"),
    "negative array": (lambda data: rewritten(data, set_at("arrays", 0, 1, value=[-3])), "E501"),
    "missing array": (lambda data: rewritten(data, set_at("state", "w", value=7)), "E501"),
    "object array": (lambda data: rewritten(data, set_at("arrays", 0, 0, value="|O")), "E501"),
    "smaller array": (lambda data: rewritten(data, set_at("arrays", 0, 1, value=[2])), "E501"),
    "wrong shape": (lambda data: rewritten(data, set_at("graph", 2, "val", value={"array": ["<f8", [3, 2], False]})), "E501"),
    "float size": (lambda data: rewritten(data, set_at("graph", 2, "val", value={"array": ["<f8", [2.0, 3], False]})), "E501"),
    "unknown symbol": (lambda data: rewritten(data, set_at("graph", 2, "val", value={"array": ["<f8", ["s0", 3], False]})), "E501"),
    "evil symbol": (
        lambda data: rewritten(data, set_at("graph", 2, "val", value={"array": ["<f8", ["__import__('os')", 3], False]})),
        "E501",
    ),
    "undefined node": (lambda data: rewritten(data, set_at("graph", 2, "args", value=[{"node": "later"}])), "E501"),
    "two tags": (lambda data: rewritten(data, set_at("graph", 2, "args", value=[{"node": "x", "tuple": []}])), "E501"),
    "no output": (lambda data: rewritten(data, lambda document: document["graph"].pop() and None), "E501"),
    "keyword": (lambda data: rewritten(data, set_at("graph", 2, "kwargs", value={"nosuch": 1})), "E501"),
    "kind": (lambda data: rewritten(data, set_at("inputs", 0, "kind", value="USER")), "E501"),
    "parameter order": (lambda data: rewritten(data, lambda d: d["call"]["parameters"].append(["z", "POSITIONAL_ONLY"])), "E501"),
    "bool for version": (lambda data: rewritten(data, set_at("version", value=True)), "E501"),
}


@pytest.mark.parametrize("damage, code", DAMAGE.values(), ids=DAMAGE)
def test_damage_is_refused(damage, code):
    data = damage(archived(simple()))
    with pytest.raises(LoadError) as caught:
        load(io.BytesIO(data))
    assert caught.value.code == code


def test_a_lying_directory_is_refused():
    data = bytearray(archived(simple()))
    start = data.rindex(b"PK\x01\x02")
    data[start + 20 : start + 28] = (1 << 31).to_bytes(4, "little") * 2  # compressed and plain size
    with pytest.raises(LoadError):
        load(io.BytesIO(bytes(data)))


def test_repacking_alone_does_no_harm():
    data = archived(simple())
    assert archived(load(io.BytesIO(rewritten(data)))) == data


VALUES = [
    None,
    True,
    -1,
    0,
    10**30,
    1.5,
    "x",
    "",
    [],
    {},
    [1],
    {"a": 1},
    [[]],
    {"tuple": [1]},
    {"node": "x"},
    "s0",
    {"dtype": "|O"},
    {"sym": "s0"},
]


@pytest.mark.fuzz
@pytest.mark.parametrize("build", [rich, simple])
def test_random_changes_are_refused_or_harmless(build):
    seed = fresh_seed()
    rng = random.Random(seed)
    data = archived(build())
    source = zipfile.ZipFile(io.BytesIO(data))
    text = source.read("program.json")
    places = [path for path in paths_of(json.loads(text)) if path]
    loaded = 0
    for tried in range(3000):
        if tried >= 300 and loaded:
            break
        document = json.loads(text)
        path = rng.choice(places)
        set_at(*path, value=rng.choice(VALUES))(document)
        changed = sealed({"program.json": json.dumps(document)} | {name: source.read(name) for name in source.namelist()[1:]})
        try:
            program = load(io.BytesIO(changed))
        except LoadError:
            continue
        loaded += 1
        try:
            assert str(program) and program.module().code
        except Exception as error:
            raise AssertionError(f"seed {seed}, {path}") from error
    assert loaded


@pytest.mark.fuzz
def test_random_bytes_are_refused_or_harmless():
    seed = fresh_seed()
    rng = random.Random(seed)
    data = archived(simple())
    for _ in range(300):
        damaged = bytearray(data)
        for _ in range(rng.randrange(1, 4)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        try:
            load(io.BytesIO(bytes(damaged)))
        except LoadError:
            continue
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error


def test_trees_are_flattened_alike():
    assert tree_flatten(rich().example_inputs)[1] == tree_flatten(reloaded(rich()).example_inputs)[1]
