"""Locations as people read them."""

import sys
from types import SimpleNamespace

import pytest

from npexport.symshapes.errors import Location

CELLS = {"/tmp/ipykernel_12/3456.py": ("Cell", "In[7]")}
PLACE = Location("/tmp/ipykernel_12/3456.py", 2, 4, 2, 12, "f", "    return x")


def stand_in(shell):
    return SimpleNamespace(get_ipython=lambda: shell)


def test_cells_of_notebooks_have_their_names(monkeypatch):
    shell = SimpleNamespace(compile=SimpleNamespace(format_code_name=CELLS.get))
    monkeypatch.setitem(sys.modules, "IPython", stand_in(shell))
    assert PLACE.render() == "  Cell In[7], line 2, in f\n    return x\n    ^^^^^^^^"
    assert Location("model.py", 3, function="g").render() == '  File "model.py", line 3, in g'


@pytest.mark.parametrize("shell", [None, SimpleNamespace(), SimpleNamespace(compile=compile)])
def test_a_program_that_only_imports_ipython_has_files(monkeypatch, shell):
    monkeypatch.setitem(sys.modules, "IPython", stand_in(shell))
    assert PLACE.render().startswith('  File "/tmp/ipykernel_12/3456.py", line 2, in f')


def test_ipython_names_its_cells():
    terminal = pytest.importorskip("IPython.core.interactiveshell", reason="IPython is not installed")
    shell = terminal.InteractiveShell.instance()
    try:
        shell.run_cell("def f(x):\n    return x\n")
        file = shell.user_ns["f"].__code__.co_filename
        assert Location(file, 2, function="f").render() == "  Cell In[1], line 2, in f"
    finally:
        terminal.InteractiveShell.clear_instance()
