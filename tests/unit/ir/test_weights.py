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


GOOD = as_safetensors({"a": X})


def header(**row):
    text = json.dumps({"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24], **row}}).encode()
    return len(text).to_bytes(8, "little") + text + X.tobytes()


@pytest.mark.parametrize(
    "data",
    [
        b"", GOOD[:7], GOOD[:20], GOOD[:-1], b"\xff" * 40, (9).to_bytes(8, "little") + b"[" * 9,
        header(dtype="BF16"), header(shape=[2, -3]), header(shape=[2, 4]), header(data_offsets=[0, 1 << 62]), header(data_offsets=[-8, 16]),
        header(shape="ab"), header(data_offsets=None),
    ],
    ids=map(str, range(12)),
)  # fmt: skip
def test_damaged_files_are_refused(data, tmp_path):
    (tmp_path / "w.safetensors").write_bytes(data)
    with pytest.raises(LoadError):
        export(Net(), (X,)).load_state_dict(tmp_path / "w.safetensors", strict=False)


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


def test_files_of_the_package_are_read(tmp_path):
    numpy = pytest.importorskip("safetensors.numpy", reason="safetensors is not installed")
    arrays = {name: array.copy() for name, array in export(Net(), (X,)).state_dict.items()}
    numpy.save_file(arrays, tmp_path / "w.safetensors")
    export(Net(), (X,)).load_state_dict(tmp_path / "w.safetensors")
