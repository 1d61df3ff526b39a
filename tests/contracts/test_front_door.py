"""The public names: all there, each resolved on first use, and cheap."""

import ast
import builtins
import importlib
import re
import subprocess
import sys
from pathlib import Path

import bytecode
import numpy
import pytest

import npexport
from npexport import absent


@pytest.mark.parametrize("name", npexport._NAMES)
def test_public_name_resolves(name):
    value = getattr(npexport, name)
    assert value is not None
    assert name in vars(npexport), "a name is resolved once"


def test_home_tables_are_disjoint_and_listed():
    homes = [name for names in npexport._HOMES.values() for name in names]
    assert len(homes) == len(set(homes))
    assert set(npexport._NAMES) == set(homes) | set(npexport._SUBMODULES)
    assert set(npexport._NAMES) <= set(dir(npexport))


def test_a_star_takes_no_name_of_a_builtin_or_a_library():
    taken = {}
    exec("from npexport import *", taken)
    taken.pop("__builtins__")
    assert set(npexport._NAMES) - set(taken) == {"dask", "map", "xarray"}
    assert taken.keys().isdisjoint(dir(builtins))
    assert npexport.map is vars(npexport)["map"]


def test_homes_own_their_names():
    """The table names the module that a class or function is defined in, not one that merely imports it."""
    for home, names in npexport._HOMES.items():
        for name in names:
            value = getattr(importlib.import_module(home), name)
            defined = getattr(value, "__module__", home)
            assert defined == home or defined.startswith(home + "."), (name, home, defined)


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'exprot'"):
        npexport.exprot
    with pytest.raises(ImportError, match="exprot"):
        exec("from npexport import exprot")


@pytest.mark.parametrize("name", absent.INSTEAD)
def test_name_of_another_version_says_what_to_use(name):
    assert name not in npexport._NAMES, "a name that is there has no row in npexport/absent.py"
    with pytest.raises(AttributeError, match=rf"npexport\.{name} is not in this version: "):
        getattr(npexport, name)


def test_what_to_use_instead_is_there():
    names = {name for text in absent.INSTEAD.values() for name in re.findall(r"`npexport\.(\w+)", text)}
    assert names and names <= set(npexport._NAMES)


ROOT = next(folder for folder in Path(__file__).resolve().parents if (folder / "setup.py").exists())
LIBRARIES = sorted({str(Path(module.__file__).parent.parent) for module in (numpy, bytecode)})


def in_a_checkout(libraries: list[str]) -> subprocess.CompletedProcess:
    """Runs Python in a checkout where npexport is not installed (``-S``: no site-packages), with these folders of libraries."""
    code = f"import sys; sys.path += {libraries}; import npexport; print(npexport.export(lambda x: x + 1, (1,)).module()(1))"
    return subprocess.run([sys.executable, "-S", "-c", code], cwd=ROOT, capture_output=True, text=True)


def test_a_checkout_works_without_an_install():
    run = in_a_checkout(LIBRARIES)
    assert (run.stdout, run.returncode) == ("2\n", 0), run.stderr


def test_a_checkout_without_libraries_says_what_to_do():
    run = in_a_checkout([])
    assert run.returncode == 1 and "python -m pip install -e ." in run.stderr.splitlines()[-1]


OF_ANY_OPTIONS = """
import numpy as np, npexport
from npexport import nn
[getattr(npexport, name) for name in npexport._NAMES]
ep = npexport.export(nn.Conv2d(1, 2, 3), (np.ones((1, 1, 4, 4), np.float32),))
print(ep.module()(np.zeros((1, 1, 4, 4), np.float32)).shape, ep.run_decompositions().to_python().count("def forward"))
"""


@pytest.mark.parametrize("options", [("-O",), ("-OO",), ("-W", "error"), ("-X", "dev", "-W", "error")], ids=" ".join)
def test_works_under_options_of_python(options):
    """``-OO`` strips docstrings, ``-O`` assertions; warnings of npexport's own would be errors."""
    run = subprocess.run([sys.executable, *options, "-c", OF_ANY_OPTIONS], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("(1, 2, 2, 2) 1\n", "")


def loaded_after(statement: str) -> set[str]:
    code = f"import sys; before = set(sys.modules); {statement}; print('\\n'.join(set(sys.modules) - before))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_import_loads_nothing():
    loaded = loaded_after("import npexport")
    assert {name.partition(".")[0] for name in loaded} <= {"npexport", *sys.stdlib_module_names}
    assert [name for name in loaded if name.startswith("npexport.")] == []


def test_no_public_name_loads_sympy():
    loaded = loaded_after("import npexport; [getattr(npexport, name) for name in npexport._NAMES]")
    assert "npexport.tracer.driver.export" in loaded
    assert {"sympy", "mpmath"}.isdisjoint(loaded)


def test_stub_names_the_same():
    stub = ast.parse(Path(npexport.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = {(alias.name, node.module) for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    submodules = {(name, home.rpartition(".")[0]) for name, home in npexport._SUBMODULES.items()}
    assert imports == set(npexport._HOME_OF.items()) | submodules
