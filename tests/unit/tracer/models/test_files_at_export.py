"""Files: ``export(strict=False)`` reads them while the program is exported, and says so with the line; no export writes one."""

import csv
import glob
import io
import json
import os
import pathlib
import pickle
import zipfile

import numpy as np
import pytest

from npexport import ExportError, draft_export, explain, export
from tests.support.forms import reloaded

X = np.arange(1.0, 4.0)


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """A directory of small files, and what they hold, which no export changes."""
    monkeypatch.chdir(tmp_path)
    pathlib.Path("table.txt").write_text("1.5 2 3\n2.5 4 5\n")
    pathlib.Path("table.csv").write_text("a,b\n1,2\n3,4\n")
    pathlib.Path("s.json").write_text('{"scale": 3, "v": [1, 2, 3]}')
    np.save("a.npy", X)
    np.savez("a.npz", w=X, b=np.ones(3))
    np.savez_compressed("c.npz", w=X)
    X.tofile("raw.bin")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    yield
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def of_npz(x):
    with np.load("a.npz") as archive:
        return x * archive["w"] + archive["b"]


def of_all_in_npz(x):
    archive = np.load("c.npz")
    for name in archive.files:
        x = x + archive[name]
    return x


def of_json(x):
    with open("s.json") as file:
        read = json.load(file)
    return x * read["scale"] + np.array(read["v"])


def of_rows(x):
    with open("table.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    return x * float(rows[1]["b"])


def of_lines(x):
    with open("table.txt") as file:
        for line in file:
            if x.sum() > 3:
                x = x + float(line.split()[0])
    return x


def of_what_the_file_says_of_itself(x):
    with open("table.txt", encoding="utf-8") as file, open("raw.bin", "rb") as raw:
        told = [file.name, file.mode, file.encoding, file.writable(), hasattr(file, "getvalue"), raw.name, len(raw.peek(4)) > 3]
        told += [isinstance(file, io.TextIOWrapper), isinstance(raw, io.BufferedReader), file.fileno() > 2, file.closed]
        try:
            file.write("no")
        except io.UnsupportedOperation as error:
            told.append(str(error))
    return x, told, file.closed


def of_parts(x):
    with open("raw.bin", "rb") as file:
        file.seek(8)
        first, second = np.fromfile(file, count=1), np.fromfile(file)
        return x + first[0] * second[0] + file.tell()


def of_private_map(x):
    mapped = np.load("a.npy", mmap_mode="c")
    mapped[0] = 9
    return x * mapped


def of_names(x):
    names = os.listdir()
    names.sort()
    return x * len(names), names + sorted(glob.glob("*.np*")) + sorted(path.name for path in pathlib.Path().iterdir())


READS = {
    "loadtxt": lambda x: x + np.loadtxt("table.txt")[0],
    "genfromtxt": lambda x: x + np.genfromtxt("table.csv", delimiter=",", skip_header=1).sum(),
    "fromregex": lambda x: x + np.fromregex("table.txt", r"(\d+)\.", [("n", float)])["n"].sum(),
    "npy": lambda x: x * np.load("a.npy"),
    "mapped npy": lambda x: x * np.load("a.npy", mmap_mode="r"),
    "memmap": lambda x: x + np.memmap("raw.bin", float, "r")[1:].sum(),
    "fromfile": lambda x: x + np.fromfile("raw.bin") + np.fromfile("table.txt", sep=" ").sum(),
    "text": lambda x: x * float(pathlib.Path("table.txt").read_text().split()[1]) + len(open("table.txt").readlines()),
    **{
        function.__name__: function
        for function in (
            of_npz, of_all_in_npz, of_json, of_rows, of_lines, of_what_the_file_says_of_itself, of_parts, of_private_map, of_names
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("program", READS.values(), ids=READS)
def test_files_are_read_at_export_and_the_report_says_in_which_line(program, tmp_path):
    with pytest.raises(ExportError) as caught:
        export(program, (X,))
    assert caught.value.code == "E105"
    exported, expected = export(program, (X,), strict=False), program(X.copy())
    reads = [read for read in exported.report.reads if read.path.startswith(("file ", "result of "))]
    first = program.__code__.co_firstlineno
    assert reads and all(first <= read.location.line < first + 12 for read in reads)
    assert f"{reads[0].location.file}:{reads[0].location.line}: {reads[0].path}" in str(exported.report)
    assert [(read.path, read.location.line) for read in reads] == [
        (read["path"], read["line"]) for read in exported.report.as_dict()["reads"] if read["file"] == __file__
    ]
    held = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for path in held:
        path.unlink()
    for run in (exported.module(), reloaded(exported).module()):
        for _ in range(2):
            np.testing.assert_equal(run(X.copy()), expected)
    for path, content in held.items():
        path.write_bytes(content)
    assert not exported.report.lost and draft_export(program, (X,), strict=False).report.success


def test_that_there_is_no_such_file_is_told():
    def program(x):
        try:
            return x + np.load("none.npy")
        except FileNotFoundError as error:
            return x + error.errno

    exported = export(program, (X,), strict=False)
    np.testing.assert_array_equal(exported.module()(X), program(X))
    (read,) = exported.report.reads
    assert read.path == "result of open" and type(read.value) is FileNotFoundError


def test_a_file_goes_on_only_where_data_do_not_decide():
    def one_side(x):
        file = open("table.txt")  # noqa: SIM115
        return x * float(file.readline().split()[0]) if x.sum() > 0 else x * len(file.readline())

    with pytest.raises(ExportError) as caught:
        export(one_side, (X,), strict=False)
    assert caught.value.code == "E103"


class Number:
    def __index__(self):
        return 3


class Raw(io.FileIO):
    """A file of a class of Python's."""


OUTSIDE = open(os.devnull)  # noqa: SIM115
RAW = Raw(os.devnull, "w")
WRITE, CLOSE = RAW.write, RAW.close
WRITES = {
    "save": lambda x: np.save("o", x),
    "save of what is known": lambda x: np.save("o", np.ones(3)),
    "savez": lambda x: np.savez("o", np.ones(3), a=[1, 2]),
    "savez_compressed": lambda x: np.savez_compressed("o", np.ones(3)),
    "savetxt": lambda x: np.savetxt("o", np.ones(3)),
    "savetxt of data": lambda x: np.savetxt("o", x, "%.3f"),
    "save of an object": lambda x: np.save("o", Number()),
    "savetxt of an object": lambda x: np.savetxt("o", x, fmt=Number()),
    "FileIO": lambda x: io.FileIO("o", "w"),
    "FileIO by its method": lambda x: io.FileIO.__init__(open("raw.bin", "rb", buffering=0), "table.txt", "w"),
    "files around files": lambda x: io.TextIOWrapper(open("raw.bin", "rb")).read(),
    "zip": lambda x: zipfile.ZipFile("o", "w").writestr("a", "b"),
    "tofile": lambda x: x.tofile("o"),
    "tofile of what is known": lambda x: np.ones(3).tofile("o", ","),
    "tofile of a number": lambda x: np.float64(1).tofile("o"),
    "dump": lambda x: np.ndarray.dump(np.ones(2), "o"),
    "dump of a number": lambda x: np.int32(1).dump("o"),
    "open": lambda x: open("table.txt", "a").write("more"),
    "open for both": lambda x: open("table.txt", "r+").write("more"),
    "write_text": lambda x: pathlib.Path("table.txt").write_text("other"),
    "json": lambda x: json.dump({}, open("s.json", "w")),
    "memmap": lambda x: np.memmap("raw.bin", float)[:1].fill(7),
    "new memmap": lambda x: np.memmap("o", float, "w+", shape=3),
    "mapped npy": lambda x: np.load("a.npy", mmap_mode="r+").fill(7),
    "remove": lambda x: os.remove("a.npy"),
    "rename": lambda x: os.rename("a.npy", "o"),
    "mkdir": lambda x: os.makedirs("o/p"),
    "pickle": lambda x: pickle.dump(1, open("o", "wb")),
    "a file from outside": lambda x: OUTSIDE.read(),
    "a method of one": lambda x: WRITE(b"more"),
    "its end": lambda x: CLOSE(),
    "a class of files": lambda x: Raw("o", "w"),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_no_export_writes_a_file(write):
    def program(x):
        write(x)
        return x + 1

    for strict in (True, False):
        with pytest.raises(ExportError) as caught:
            export(program, (X,), strict=strict)
        assert caught.value.code == "E105" and caught.value.hint
    assert not explain(program, (X,)).ok and not RAW.closed
