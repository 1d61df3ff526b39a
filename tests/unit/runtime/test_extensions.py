"""C extensions are used where they were compiled from the sources that stand beside them."""

import importlib.util
import runpy
import shutil
import sys
from pathlib import Path

import pytest

from npexport.runtime import extensions

NAMES = [
    "npexport.tracer.frames._evalframe",
    "npexport.runtime._memory",
    "npexport.runtime._checks",
    "npexport.runtime._expressions",
    "npexport.runtime._products",
    "npexport.runtime._loops",
    "npexport.runtime._lists",
]


@pytest.fixture(params=NAMES)
def built(request, tmp_path, monkeypatch):
    """A copy of an extension with its sources beside it, and the name that it is found under."""
    found = importlib.util.find_spec(request.param)
    if found is None:
        pytest.skip("the C extension was not built")
    origin = Path(found.origin)
    sources = [file for file in origin.parent.glob("_*.[ch]") if file.suffix == ".h" or file.stem == origin.name.split(".")[0]]
    if not any(file.suffix == ".c" for file in sources):
        pytest.skip("installed without the sources")
    for file in (origin, *sources):
        shutil.copy(file, tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    name = request.param.rpartition(".")[2]
    yield name, tmp_path / f"{name}.c"
    sys.modules.pop(name, None)


def test_one_of_its_own_sources_is_used(built):
    name, source = built
    assert extensions.extension(name).SOURCES == extensions.checksum(source)


def test_one_of_other_sources_is_not_used_and_says_so(built):
    name, source = built
    source.write_text(source.read_text() + "\n")
    with pytest.warns(RuntimeWarning, match="install npexport again"), pytest.raises(ImportError, match="other sources"):
        extensions.extension(name)


def test_headers_are_sources(built):
    name, source = built
    (source.parent / "_extension.h").write_text("/* another */\n")
    with pytest.warns(RuntimeWarning), pytest.raises(ImportError):
        extensions.extension(name)


def test_without_sources_there_is_nothing_to_compare(built):
    name, source = built
    source.unlink()
    assert extensions.extension(name).__name__.endswith(name)


def test_it_imports_nothing_that_an_installation_lacks():
    """``setup.py`` runs the file before NumPy is there."""
    before = set(sys.modules)
    made = runpy.run_path(extensions.__file__)
    assert made["MACRO"] == extensions.MACRO
    assert not {name for name in set(sys.modules) - before if name.startswith(("npexport", "numpy"))}
