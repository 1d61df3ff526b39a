"""What the contract says of files, modules and the command line, one test a name."""

from __future__ import annotations

import dataclasses
import io
import json
import os

import numpy as np
import pytest

import npexport
from npexport import LoadError, export, nn
from npexport.cli import main
from npexport.ir.archive_encode import VERSION

A = np.arange(6.0).reshape(2, 3)


def program():
    return export(lambda x: np.sin(x) + np.arange(3), (A,))


def test_save(tmp_path):
    ep = program()
    npexport.save(ep, tmp_path / "a.np2", extra_files={"note.txt": "sines"})
    npexport.save(ep, tmp_path / "b.np2", extra_files={"note.txt": "sines"})
    assert (tmp_path / "a.np2").read_bytes() == (tmp_path / "b.np2").read_bytes()
    with pytest.raises(npexport.UserError):
        npexport.save(ep, tmp_path / "c.np2", opset_version={"np": 99})


@pytest.mark.parametrize("mmap", [False, True])
def test_load(tmp_path, mmap):
    ep, extra = program(), {"note.txt": ""}
    npexport.save(ep, tmp_path / "a.np2", extra_files={"note.txt": "sines"})
    again = npexport.load(tmp_path / "a.np2", extra_files=extra, expected_opset_version={"np": ep.opset_version["np"]}, mmap=mmap)
    assert extra == {"note.txt": "sines"} and not npexport.diff(again, ep)
    np.testing.assert_array_equal(again.module()(A), ep.module()(A))
    with pytest.raises(LoadError):
        npexport.load(tmp_path / "a.np2", expected_opset_version={"np": 99})
    with pytest.raises(LoadError):
        npexport.load(io.BytesIO(b"PK"))


def test_package_np2(tmp_path):
    path = npexport.package_np2(tmp_path / "p.np2", exported_programs={"a": program(), "b/c": program()}, extra_files={"note": "two"})
    assert list(npexport.load_np2(path).exported_programs) == ["a", "b/c"]


def test_load_np2():
    contents = npexport.load_np2(npexport.package_np2(io.BytesIO(), exported_programs=program()))
    np.testing.assert_array_equal(contents.exported_programs["model"].module()(A), program().module()(A))


def test_NP2ArchiveContents():
    contents = npexport.load_np2(npexport.package_np2(io.BytesIO(), exported_programs=program(), extra_files={"note": "two"}))
    assert isinstance(contents, npexport.NP2ArchiveContents) and contents.extra_files == {"note": "two"}


def test_is_np2_package(tmp_path):
    npexport.save(program(), tmp_path / "a.np2")
    (tmp_path / "b").write_bytes(b"PK")
    assert npexport.is_np2_package(tmp_path / "a.np2") and not npexport.is_np2_package(tmp_path / "b")
    assert not npexport.is_np2_package(tmp_path / "absent") and not npexport.is_np2_package(tmp_path)


@pytest.fixture
def archive(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "leaf").write_text("leaf")
    file = io.BytesIO()
    with npexport.NP2ArchiveWriter(file) as writer:
        writer.write_string("a/text", "hello")
        writer.write_bytes("a/bytes", b"\0\1")
        writer.write_file("copy", str(tmp_path / "folder" / "leaf"))
        writer.write_folder("tree", str(tmp_path / "folder"))
        assert writer.has_record("copy") and not writer.has_record("none") and writer.count_prefix("a/") == 2
    with npexport.NP2ArchiveReader(file) as reader:
        yield reader


def test_NP2ArchiveWriter(archive):
    assert isinstance(archive, npexport.NP2ArchiveReader)


def test_NP2ArchiveWriter_write_string(archive):
    assert archive.read_bytes("a/text") == b"hello"


def test_NP2ArchiveWriter_write_bytes(archive):
    assert archive.read_bytes("a/bytes") == b"\0\1"


def test_NP2ArchiveWriter_write_file(archive):
    assert archive.read_string("copy") == "leaf"


def test_NP2ArchiveWriter_write_folder(archive):
    assert archive.read_string("tree/leaf") == "leaf"


def test_NP2ArchiveWriter_has_record():
    with npexport.NP2ArchiveWriter(io.BytesIO()) as writer:
        assert not writer.has_record("a")


def test_NP2ArchiveWriter_count_prefix():
    with npexport.NP2ArchiveWriter(io.BytesIO()) as writer:
        assert writer.count_prefix("") == 0


def test_NP2ArchiveWriter_close():
    writer = npexport.NP2ArchiveWriter(file := io.BytesIO())
    writer.write_string("a", "b")
    writer.close()
    assert npexport.NP2ArchiveReader(file).get_file_names() == ["a"]


def test_NP2ArchiveReader(archive):
    with pytest.raises(LoadError):
        archive.read_bytes("none")


def test_NP2ArchiveReader_get_file_names(archive):
    assert archive.get_file_names() == ["a/text", "a/bytes", "copy", "tree/leaf"]


def test_NP2ArchiveReader_read_bytes(archive):
    assert archive.read_bytes("a/bytes") == b"\0\1"


def test_NP2ArchiveReader_read_string(archive):
    assert archive.read_string("a/text") == "hello"


def test_NP2ArchiveReader_archive_version(archive):
    with npexport.NP2ArchiveReader(npexport.package_np2(io.BytesIO(), exported_programs={"a": program()})) as reader:
        assert reader.archive_version() == VERSION
    with pytest.raises(LoadError):
        archive.archive_version()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": "2"}', '{"version": true}', "[" * 100_000])
def test_hostile_versions(text):
    with npexport.NP2ArchiveWriter(file := io.BytesIO()) as writer:
        writer.write_string("program.json", text)
    with npexport.NP2ArchiveReader(file) as reader, pytest.raises(LoadError):
        reader.archive_version()


def test_register_dataclass():
    @dataclasses.dataclass
    class Pair:
        left: np.ndarray
        right: int

    npexport.register_dataclass(Pair, serialized_type_name="contract.Pair")
    ep = export(lambda pair: Pair(pair.left * pair.right, 3), (Pair(A, 2),))
    result = ep.module()(Pair(A, 2))
    assert type(result) is Pair and result.right == 3
    np.testing.assert_array_equal(result.left, A * 2)


# Modules


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(np.ones(3))
        self.register_buffer("count", np.zeros(()), persistent=True)
        self.register_buffer("scratch", np.zeros(()), persistent=False)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(x * self.weight)


def test_nn_Module():
    np.testing.assert_array_equal(Net().eval()(A), A)


def test_nn_Parameter():
    assert type(Net().weight) is np.ndarray


def test_nn_Module_register_parameter():
    net = Net()
    net.register_parameter("bias", nn.Parameter(np.zeros(3)))
    assert "bias" in dict(net.named_parameters())


def test_nn_Module_register_buffer():
    net = Net()
    net.register_buffer(name="mean", array=np.zeros(3), persistent=False)
    assert "mean" in dict(net.named_buffers()) and "mean" not in net.state_dict()


def test_nn_Module_named_parameters():
    assert [name for name, _ in Net().named_parameters()] == ["weight"]


def test_nn_Module_named_buffers():
    assert [name for name, _ in Net().named_buffers()] == ["count", "scratch"]


def test_nn_Module_named_modules():
    assert [name for name, _ in Net().named_modules()] == ["", "drop"]


def test_nn_Module_state_dict():
    assert list(Net().state_dict()) == ["weight", "count"]


def test_nn_Module_load_state_dict():
    net = Net()
    net.load_state_dict({"weight": np.full(3, 2.0), "count": np.ones(())})
    assert net.weight[0] == 2 and net.count == 1


def test_nn_Module_train():
    assert Net().eval().train().drop.training


def test_nn_Module_eval():
    assert not Net().eval().drop.training


def test_nn_functional():
    np.testing.assert_array_equal(nn.functional.relu(-A), np.zeros_like(A))


# The command line

SOURCE = "import numpy as np\n\ndef f(x, n=2):\n    return np.sin(x) * n\n\ndef refused(x):\n    return open(x)\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.py").write_text(SOURCE)
    npexport.save(program(), "a.np2")
    return tmp_path


X = ["--input", "x=f64[batch=2,3]"]


def test_command_export(files, capsys):
    for name in ("b.np2", "b.py", "b.html", "b.dot"):
        assert main(["export", "m.py:f", *X, "--to", name]) == 0 and os.path.getsize(name)
    assert "ops.np.sin" in capsys.readouterr().out


def test_command_explain(files, capsys):
    assert main(["explain", "m.py:refused", *X]) == 1
    assert "E105" in capsys.readouterr().out
    assert main(["explain", "m.py:f", *X, "--html", "f.html"]) == 0
    assert main(["explain", "m.py:refused", *X, "--html", "r.html"]) == 1
    for name, part in (("f.html", "np.sin(x)"), ("r.html", "open(x)")):
        text = (files / name).read_text(encoding="utf-8")
        assert text.startswith("<!doctype html>") and part in text and "https://" not in text


def test_command_fix(files, capsys):
    assert main(["fix", "m.py:f", *X]) == 0 and "Dim" in capsys.readouterr().out


def test_command_show(files, capsys):
    assert main(["show", "a.np2"]) == 0 and "ops.np.sin" in capsys.readouterr().out


def test_command_run(files, capsys):
    assert main(["run", "a.np2"]) == 0 and "out =" in capsys.readouterr().out


def test_command_diff(files, capsys):
    assert main(["diff", "a.np2", "a.np2"]) == 0
    npexport.save(export(np.cos, (A,)), "c.np2")
    assert main(["diff", "a.np2", "c.np2"]) == 1 and "cos" in capsys.readouterr().out


def test_command_verify(files, capsys):
    assert main(["verify", "a.np2"]) == 0
    data = bytearray((files / "a.np2").read_bytes())
    data[len(data) // 2] ^= 1
    (files / "a.np2").write_bytes(data)
    assert main(["verify", "a.np2"]) == 1


def test_command_info(files, capsys):
    assert main(["info", "a.np2"]) == 0 and "inputs" in capsys.readouterr().out


def test_command_completion(capsys):
    assert main(["completion", "bash"]) == 0
    assert "complete -o filenames -F _npexport npexport" in capsys.readouterr().out


def test_command_bench(files, capsys):
    assert main(["export", "m.py:f", *X, "-q", "--to", "f.np2"]) == 0
    assert main(["bench", "f.np2", "m.py:f"]) == 0
    assert "ratio" in capsys.readouterr().out


FORMS = {
    "export m.py:f": {"inputs", "outputs", "ranges", "guards", "nodes", "parameters", "bytes", "dialect", "operators"},
    "explain m.py:f": {"ok", "problems", "guards"},
    "fix m.py:f": {"dynamic_shapes", "guards"},
    "show a.np2": {"graph", "signature", "guards", "code", "cost"},
    "show a.np2 --guards": {"guards"},
    "run a.np2": {"outputs"},
    "diff a.np2 a.np2": {"equal", "graph", "signature", "guards", "constants"},
    "verify a.np2": {"ok", "programs"},
    "info a.np2": {"programs", "extra_files"},
    "bench f.np2 m.py:f": {"program", "original", "ratio", "differs"},
}


@pytest.mark.parametrize("line", FORMS)
def test_every_command_has_a_form_in_json(files, capsys, line):
    assert main(["export", "m.py:f", *X, "-q", "--to", "f.np2"]) == 0
    words = line.split()
    inputs = X if words[1] == "m.py:f" else []
    assert main([*words, *inputs, "--format", "json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) == FORMS[line]


def test_numbers_that_are_not_finite_are_text_in_json(files, capsys):
    npexport.save(export(lambda x: (x / 0, 1j), (np.array([-1.0, 0.0, 1.0]),)), "n.np2")
    with np.errstate(all="ignore"):
        assert main(["run", "n.np2", "--format", "json"]) == 0
    outputs = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)["outputs"]
    assert outputs["out[0]"] == {"type": "f64[3]", "value": ["-inf", "nan", "inf"]} and outputs["out[1]"]["value"] == "1j"
