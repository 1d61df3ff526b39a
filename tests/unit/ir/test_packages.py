"""Packages of several programs, and arrays that are mapped from the file."""

import functools
import io
import zipfile

import numpy as np
import pytest

from npexport import (
    LoadError,
    NP2ArchiveContents,
    NP2ArchiveReader,
    NP2ArchiveWriter,
    UserError,
    diff,
    export,
    is_np2_package,
    load,
    load_np2,
    nn,
    package_np2,
    save,
)

X = np.linspace(0, 1, 8).reshape(2, 4)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(np.asfortranarray(np.linspace(-1, 1, 12).reshape(4, 3)))
        self.register_buffer("calls", np.zeros((), np.int64))

    def forward(self, x):
        self.calls += 1
        return x @ self.weight + self.calls


PROGRAM = export(Layer(), (X,))
OTHER = export(lambda x: (np.sin(x), "text"), (X,))


@pytest.mark.parametrize("files", [{3: "a"}, {"a": 3}, {"a": None}, {b"a": b"a"}], ids=str)
def test_further_files_are_texts_or_bytes_by_name(files, tmp_path):
    save_one = functools.partial(save, PROGRAM)
    package = functools.partial(package_np2, exported_programs=PROGRAM)
    for write in (save_one, package):
        with pytest.raises(UserError, match="extra_files holds") as caught:
            write(tmp_path / "any.np2", extra_files=files)
        assert caught.value.code == "E201" and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mmap", [False, True])
def test_programs_come_back_by_name(tmp_path, mmap):
    path = tmp_path / "both.np2"
    assert package_np2(path, exported_programs={"a": PROGRAM, "part/b": OTHER}, extra_files={"note": "hello", "raw": b"\xff"}) is path
    assert is_np2_package(path)
    found = load_np2(path, mmap=mmap)
    assert isinstance(found, NP2ArchiveContents)
    assert list(found.exported_programs) == ["a", "part/b"]
    assert found.extra_files == {"note": "hello", "raw": b"\xff"}
    for mine, theirs in zip(found.exported_programs.values(), (PROGRAM, OTHER), strict=True):
        assert not diff(mine, theirs)
        np.testing.assert_allclose(mine.module()(X)[0], theirs.module()(X)[0])


def test_one_program_is_the_file_that_save_writes():
    plain, packed = io.BytesIO(), io.BytesIO()
    save(PROGRAM, plain)
    package_np2(packed, exported_programs=PROGRAM)
    assert plain.getvalue() == packed.getvalue()
    assert list(load_np2(packed).exported_programs) == ["model"]
    assert not diff(load(packed), PROGRAM)
    package_np2(again := io.BytesIO(), exported_programs=load_np2(packed).exported_programs)
    assert again.getvalue() == packed.getvalue()


def test_shared_arrays_are_written_and_read_once():
    buffer = package_np2(io.BytesIO(), exported_programs={"a": PROGRAM, "b": PROGRAM.run_decompositions({})})
    with NP2ArchiveReader(buffer) as archive:
        sizes = [archive.size(name) for name in archive.get_file_names() if name.startswith("arrays/")]
    assert sizes.count(PROGRAM.state_dict["weight"].nbytes) == 1
    programs = load_np2(buffer).exported_programs
    assert programs["a"].state_dict["weight"] is programs["b"].state_dict["weight"]


def test_arrays_of_separate_exports_are_shared_where_they_are_alike(tmp_path):
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            for name, array in (("a", np.zeros(40)), ("b", np.zeros(40)), ("c", np.linspace(0, 1, 40))):
                self.register_buffer(name, array)

        def forward(self, x):
            self.a += x
            return self.a + self.b * self.c

    given = np.ones(40)
    programs = {name: export(Two(), (given,)) for name in "xyz"}
    path = package_np2(tmp_path / "all.np2", exported_programs=programs)
    with NP2ArchiveReader(path) as archive:
        assert [archive.size(name) for name in archive.get_file_names() if name.startswith("arrays/")].count(
            given.nbytes
        ) == 4  # with the example
    found = load_np2(path, mmap=True).exported_programs
    runs = [found[name].module() for name in "xyz"]
    for times in range(1, 4):
        for run in runs:
            np.testing.assert_array_equal(run(given), times * given)
    assert all(found[name].state_dict["a"] is not found[name].state_dict["b"] for name in "xyz")
    package_np2(tmp_path / "again.np2", exported_programs=found)
    assert (tmp_path / "again.np2").read_bytes() == path.read_bytes()


def test_the_same_programs_are_the_same_bytes():
    files = [package_np2(io.BytesIO(), exported_programs={"a": PROGRAM, "b": OTHER}).getvalue() for _ in range(2)]
    assert files[0] == files[1]


def test_a_package_of_several_is_not_loaded_as_one():
    buffer = package_np2(io.BytesIO(), exported_programs={"a": PROGRAM, "b": OTHER})
    with pytest.raises(LoadError, match="several programs") as caught:
        load(buffer)
    assert "load_np2" in caught.value.hint


@pytest.mark.parametrize("programs", [{}, {"../a": PROGRAM}, {"": PROGRAM}, {3: PROGRAM}, {"a": OTHER.module()}, None])
def test_what_no_package_is_is_refused(tmp_path, programs):
    path = tmp_path / "package.np2"
    path.write_text("before")
    with pytest.raises(UserError):
        package_np2(path, exported_programs=programs)
    assert path.read_text() == "before"
    assert not is_np2_package(path)


# -- mapped arrays


def test_mapped_arrays_are_the_files_bytes(tmp_path):
    path = tmp_path / "p.np2"
    save(PROGRAM, path)
    mapped = load(path, mmap=True)
    weight = mapped.state_dict["weight"]
    assert not weight.flags.writeable
    assert weight.flags.f_contiguous
    base = weight
    while isinstance(base, np.ndarray):
        base = base.base
    assert isinstance(base, memoryview)
    run = mapped.module()
    np.testing.assert_allclose(run(X), PROGRAM.module()(X))
    np.testing.assert_allclose(run(X), PROGRAM.module()(X) + 1)
    assert mapped.constants == {} and mapped.state_dict["calls"] == 0
    save(mapped, again := io.BytesIO())
    assert again.getvalue() == path.read_bytes()


def test_loaded_weights_may_be_changed(tmp_path):
    save(PROGRAM, path := tmp_path / "p.np2")
    run = load(path, mmap=True).module()
    run.load_state_dict({"weight": np.ones((4, 3)), "calls": np.zeros((), np.int64)})
    np.testing.assert_allclose(run(X), X @ np.ones((4, 3)) + 1)
    np.testing.assert_array_equal(load(path).state_dict["weight"], PROGRAM.state_dict["weight"])


@pytest.mark.parametrize("entry", ["program.json", "extra/note.txt", "arrays/0"])
def test_of_a_mapped_file_all_is_checked_but_the_elements_of_arrays(tmp_path, entry):
    save(PROGRAM, path := tmp_path / "p.np2", extra_files={"note.txt": "trained on Monday"})
    with zipfile.ZipFile(path) as archive:
        content = archive.read(entry)
    data = bytearray(path.read_bytes())
    place = data.index(content) + len(content) - 6  # in the exponent of a number, in a text
    data[place] ^= 1
    path.write_bytes(data)
    with pytest.raises(LoadError, match="CRC"):
        load(path, extra_files={"note.txt": ""})
    if entry.startswith("arrays/"):
        load(path, mmap=True).module()
    else:
        with pytest.raises(LoadError, match="CRC"):
            load(path, extra_files={"note.txt": ""}, mmap=True)


def test_what_is_no_file_cannot_be_mapped():
    save(PROGRAM, buffer := io.BytesIO())
    with pytest.raises(UserError, match="cannot be mapped"):
        load(buffer, mmap=True)


@pytest.mark.parametrize("place", [lambda data: data.index(b"arrays/0") - 4, lambda data: data.index(b"arrays/0") - 30])
def test_entries_that_lie_elsewhere_are_refused(tmp_path, place):
    save(PROGRAM, buffer := io.BytesIO())
    data = bytearray(buffer.getvalue())
    start = place(data)
    data[start : start + 4] = b"\xff\xff\xff\xff"
    path = tmp_path / "bad.np2"
    path.write_bytes(data)
    for mmap in (False, True):
        with pytest.raises(LoadError):
            load(path, mmap=mmap)


def test_readers_and_writers_take_other_files(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "b.txt").write_text("b")
    with NP2ArchiveWriter(tmp_path / "any.np2") as archive:
        archive.write_string("a.txt", "a")
        archive.write_folder("kept", str(tmp_path / "folder"))
        assert (archive.has_record("a.txt"), archive.count_prefix("kept/")) == (True, 1)
    with NP2ArchiveReader(tmp_path / "any.np2") as archive:
        assert {name: archive.read_string(name) for name in archive.get_file_names()} == {"a.txt": "a", "kept/b.txt": "b"}
    assert not is_np2_package(tmp_path / "any.np2")
    with pytest.raises(LoadError, match="no program"):
        load_np2(tmp_path / "any.np2")


def test_an_archive_without_programs_has_no_version():
    with io.BytesIO() as file:
        NP2ArchiveWriter(file).close()
        file.seek(0)
        with pytest.raises(LoadError, match="the archive holds no program, and so says no version"):
            NP2ArchiveReader(file).archive_version()
