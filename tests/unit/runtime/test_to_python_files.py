"""The files of `to_python`: both are written or neither is, and no other file is lost."""

import os
import runpy

import numpy as np
import pytest

from npexport import UserError, export, save

X = np.arange(3.0)


class Scaled:
    def __init__(self, /, **arrays):
        vars(self).update(arrays)

    def __call__(self, x):
        return sum((array * x for array in vars(self).values()), x)


def program(value=2.0):
    return export(Scaled(weight=np.full(3, value)), (X,))


def files(folder):
    return {path.name: path.is_dir() or path.read_bytes() for path in folder.iterdir()}


def test_arrays_of_any_name_are_stored(tmp_path):
    scaled = Scaled(file=np.full(3, 2.0), allow_pickle=np.full(3, 4.0), self=np.full(3, 8.0), arr_0=np.full(3, 16.0))
    export(scaled, (X,)).to_python(tmp_path / "m.py")
    assert (runpy.run_path(str(tmp_path / "m.py"))["forward"](X) == scaled(X)).all()


def test_the_files_of_a_module_are_replaced_and_are_the_same_bytes(tmp_path):
    program(1.0).to_python(tmp_path / "m.py")
    first = files(tmp_path)
    program(5.0).to_python(tmp_path / "m.py")
    assert (runpy.run_path(str(tmp_path / "m.py"))["forward"](X) == 6 * X).all()
    program(1.0).to_python(tmp_path / "m.py")
    assert files(tmp_path) == first and set(first) == {"m.py", "m.npz"}


@pytest.mark.parametrize("name", ["m.npz", "m.NPZ"])
@pytest.mark.parametrize("ep", [program(), export(np.sin, (X,))], ids=["arrays", "none"])
def test_the_name_of_the_arrays_is_no_name_of_a_module(tmp_path, monkeypatch, name, ep):
    monkeypatch.chdir(tmp_path)
    np.savez(name if name == "m.npz" else "other.npz", data=X)
    before = files(tmp_path)
    with pytest.raises(UserError, match=name) as caught:
        ep.to_python(name)
    assert caught.value.code == "E201" and "'m.py'" in caught.value.hint
    assert files(tmp_path) == before


@pytest.mark.parametrize("there", [None, "import numpy as np\n"])
def test_arrays_of_somebody_else_are_kept(tmp_path, monkeypatch, there):
    monkeypatch.chdir(tmp_path)
    np.savez("m.npz", data=X)
    if there is not None:
        (tmp_path / "m.py").write_text(there)
    before = files(tmp_path)
    with pytest.raises(FileExistsError) as caught:
        program().to_python("m.py")
    assert caught.value.filename == "m.npz" and files(tmp_path) == before


def test_where_one_of_the_files_cannot_be_written_both_are_as_they_were(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program(1.0).to_python("m.py")
    (tmp_path / "d.py").mkdir()
    before = files(tmp_path)
    with pytest.raises(IsADirectoryError) as caught:
        program().to_python("d.py")
    assert caught.value.filename == "d.py" and files(tmp_path) == before
    (tmp_path / "m.npz").unlink()
    (tmp_path / "m.npz").mkdir()
    before = files(tmp_path)
    with pytest.raises(IsADirectoryError) as caught:
        program(3.0).to_python("m.py")
    assert caught.value.filename == "m.npz" and files(tmp_path) == before


def test_there_is_nothing_beside_a_device():
    with pytest.raises(UserError, match="beside"):
        program().to_python(os.devnull)
    assert not os.path.exists(os.devnull + ".npz")
    export(np.sin, (X,)).to_python(os.devnull)


@pytest.mark.parametrize(("path", "kind"), [("", FileNotFoundError), (".", IsADirectoryError), ("..", IsADirectoryError)])
def test_errors_name_the_path_that_was_given(tmp_path, monkeypatch, path, kind):
    monkeypatch.chdir(tmp_path)
    for write in (program().to_python, program().to_html, lambda path: save(program(), path)):
        with pytest.raises(kind) as caught:
            write(path)
        assert caught.value.filename == path
        with pytest.raises(IsADirectoryError) as caught:
            write("new" + os.sep)
        assert caught.value.filename == "new" + os.sep
        with pytest.raises(FileNotFoundError) as caught:
            write(os.path.join("none", "m.py"))
        assert caught.value.filename == os.path.join("none", "m.py")
    assert not files(tmp_path)
