"""Weights by name, from mappings and files, into programs."""

from __future__ import annotations

import json

import numpy as np
import pytest

from npexport import LoadError, UserError, export, nn
from tests.support.forms import reloaded

X = np.ones((2, 3), np.float32)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.second = nn.Linear(3, 3, bias=False)
        self.second.weight = nn.Parameter(self.first.weight)  # tied
        self.register_buffer("calls", np.zeros((), np.int64))

    def forward(self, x):
        self.calls += 1
        return self.second(self.first(x))


def weights(net):
    return {name: array.copy() for name, array in net.state_dict().items()}


def as_safetensors(arrays, names={"float32": "F32", "int64": "I64"}):
    header, parts, place = {"__metadata__": {"format": "np"}}, [], 0
    for name, array in arrays.items():
        data = array.tobytes()
        header[name] = {"dtype": names[str(array.dtype)], "shape": list(array.shape), "data_offsets": [place, place + len(data)]}
        place += len(data)
        parts.append(data)
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + b"".join(parts)


def given(kind, arrays, folder):
    if kind == "dict":
        return arrays
    path = folder / f"weights.{kind}"
    if kind == "npz":
        np.savez(path, **arrays)
    else:
        path.write_bytes(as_safetensors(arrays))
    return path


@pytest.mark.parametrize("kind", ["dict", "npz", "safetensors"])
def test_programs_take_over_weights(kind, tmp_path):
    nn.init.manual_seed(0)
    program, other = export(Net(), (X,)), Net()
    before = program.module()
    arrays = weights(other)
    program.load_state_dict(given(kind, arrays, tmp_path))
    for run in (program.module(), reloaded(program).module()):
        np.testing.assert_array_equal(run(X), other(X))
    assert not np.array_equal(before(X), other(X))
    for array in arrays.values():
        array[...] = 0
    assert program.state_dict["first.weight"].any() and not program.state_dict["first.weight"].flags.writeable


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (lambda arrays: arrays.pop("first.bias"), "missing ['first.bias']"),
        (lambda arrays: arrays.update(more=np.ones(1)), "unknown ['more']"),
        (lambda arrays: arrays.update({"first.bias": np.ones(4, np.float32)}), "first.bias: the program was exported with f32[3]"),
        (lambda arrays: arrays.update({"calls": np.zeros(())}), "calls: the program was exported with i64[]"),
    ],
    ids=["missing", "unknown", "shape", "dtype"],
)
def test_what_does_not_fit_changes_nothing(change, part):
    program = export(Net(), (X,))
    before = {name: array.copy() for name, array in program.state_dict.items()}
    arrays = {name: array + 1 for name, array in before.items()}
    change(arrays)
    with pytest.raises(UserError) as caught:
        program.load_state_dict(arrays)
    assert caught.value.code == "E241" and part in caught.value.message
    for name, array in before.items():
        np.testing.assert_array_equal(program.state_dict[name], array)


def test_some_weights_are_enough_where_names_are_not_asked_for():
    program = export(Net(), (X,))
    program.load_state_dict({"first.bias": np.full(3, 7, np.float32), "more": X}, strict=False)
    assert (program.state_dict["first.bias"] == 7).all() and "more" not in program.state_dict


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8"])
def test_files_of_the_safetensors_package(dtype, tmp_path):
    save_file = pytest.importorskip("safetensors.numpy", reason="safetensors is not installed").save_file
    value = np.arange(6).reshape(2, 3).astype(dtype)

    class Holder(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("value", np.zeros((2, 3), dtype))
            self.register_buffer("other", np.zeros((), np.float32))

        def forward(self, x):
            return x + self.value, self.other

    program = export(Holder(), (X,))
    save_file({"value": value, "other": np.array(7, np.float32)}, tmp_path / "w.safetensors", metadata={"format": "np"})
    program.load_state_dict(tmp_path / "w.safetensors")
    np.testing.assert_array_equal(program.module()(X)[0], X + value, strict=True)
    assert program.module()(X)[1] == 7


GOOD = as_safetensors({"a": X})


def header(**row):
    text = json.dumps({"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24], **row}}).encode()
    return len(text).to_bytes(8, "little") + text + X.tobytes()


@pytest.mark.parametrize(
    "data",
    [
        b"", GOOD[:7], GOOD[:20], GOOD[:-1], b"\xff" * 40, (9).to_bytes(8, "little") + b"[" * 9,
        header(dtype="BF16"), header(dtype=[]),
        header(shape=[2, -3]), header(shape=[2, 4]), header(data_offsets=[0, 1 << 62]), header(data_offsets=[-8, 16]),
        header(shape="ab"), header(data_offsets=None),
    ],
    ids=map(str, range(13)),
)  # fmt: skip
def test_damaged_files_are_refused(data, tmp_path):
    (tmp_path / "w.safetensors").write_bytes(data)
    with pytest.raises(LoadError):
        export(Net(), (X,)).load_state_dict(tmp_path / "w.safetensors", strict=False)


def test_dtypes_that_numpy_has_not_are_named(tmp_path):
    (tmp_path / "w.safetensors").write_bytes(header(dtype="BF16"))
    with pytest.raises(LoadError) as caught:
        export(Net(), (X,)).load_state_dict(tmp_path / "w.safetensors", strict=False)
    assert "'a' is BF16" in caught.value.message and "F32" in caught.value.hint


def test_other_files_are_refused(tmp_path):
    program = export(Net(), (X,))
    (tmp_path / "w.npz").write_bytes(b"PK no zip")
    np.savez(tmp_path / "o.npz", a=np.array([{}], object))
    for name in ("w.npz", "o.npz"):
        with pytest.raises(LoadError):
            program.load_state_dict(tmp_path / name)
    with pytest.raises(UserError):
        program.load_state_dict("weights.bin")
    with pytest.raises(FileNotFoundError):
        program.load_state_dict(tmp_path / "none.npz")


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Linear(3, 3)
        self.other = self.one

    def forward(self, x):
        return self.other(self.one(x))


def test_arrays_under_each_name_of_a_shared_parameter_fit():
    program = export(Tied(), (X,))
    held = {name: array.copy() for name, array in program.state_dict.items()}
    with pytest.raises(UserError, match="E241"):
        program.load_state_dict(held | {"one.weight": np.zeros((2, 2), np.float32)})
    assert all((program.state_dict[name] == array).all() for name, array in held.items())
    program.load_state_dict(held | {"one.weight": held["one.weight"] + 1, "other.weight": held["one.weight"] + 2})
    module = Tied()
    module.load_state_dict(held | {"one.weight": held["one.weight"] + 1, "other.weight": held["one.weight"] + 2})
    assert (program.module()(X) == module(X)).all()
