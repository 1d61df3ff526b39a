"""Every example in a docstring or in a page of the documentation runs and shows what it says."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import pkgutil
import re

import numpy as np
import pytest

import npexport
from tests.support.paths import ROOT

PAGES = sorted((ROOT / "docs").rglob("*.md"))
OF_SCIPY = {"scipy-operators": "1.18"}
"""Pages that show functions which older versions have not."""
ROOMS = ("npexport", "npexport.symshapes", "npexport.ir", "npexport.runtime", "npexport.tracer")
MODULES = [
    module.name
    for room in ROOMS
    for module in pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}.")
    if module.name != "npexport.__main__" and not module.name.startswith("npexport.nn")  # another name of npexport.runtime.nn
]


def with_examples():
    """The modules that have an example in a docstring of theirs."""
    for name in MODULES:
        loader = importlib.util.find_spec(name).loader
        if ">>>" in (loader.get_source(name) or ""):
            yield name


def test_all_rooms_are_walked():
    assert {".".join(name.split(".")[:2]) for name in with_examples()} >= {*ROOMS[1:], "npexport.saved"}


@pytest.mark.parametrize("name", sorted(with_examples()))
def test_docstrings(name):
    """Examples run as a user's: in a module that is not npexport's own."""
    module = importlib.import_module(name)
    result = doctest.testmod(module, globs={**vars(module), "__name__": "__main__"})
    assert result.failed == 0
    assert result.attempted > 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages(page, tmp_path, monkeypatch, capsys):
    """The blocks of one page run in their order as one file, as a reader copies them; lines with prompts and blocks of text show what
    they print.
    """
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL) if ">>>" not in block]
    file = tmp_path / f"{page.stem}.py"  # whose lines programs show
    file.write_text("\n".join(blocks), encoding="utf-8")
    for extra in re.findall(r"^(?:>>> )?import (scipy)\b", text, flags=re.MULTILINE):
        pytest.importorskip(extra, minversion=OF_SCIPY.get(page.stem))
    exec(compile(file.read_bytes(), str(file), "exec"), {"__name__": "__main__"})
    printed = capsys.readouterr().out.replace(f"{tmp_path}/", "")
    assert all(block in printed for block in re.findall(r"```text\n(.*?)```", text, flags=re.DOTALL))
    prompts = re.findall(r"^ *>>> ", text, flags=re.MULTILINE)
    with np.printoptions():  # a page may set its own, which later tests would find in their context
        result = doctest.testfile(str(page), module_relative=False)
    assert result.failed == 0 and bool(result.attempted) == bool(prompts)


def test_the_reference_lists_every_public_name():
    listed = re.findall(r"^::: npexport\.(\w+)$", (ROOT / "docs" / "reference.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(set(listed)) == len(listed)
    assert set(listed) == set(npexport._NAMES) - {"nn", "ops", "testing", "export_for_training"}


def test_every_page_is_on_the_site():
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    missing = [name for page in PAGES if (name := page.relative_to(ROOT / "docs").as_posix()) not in site]
    assert not missing
