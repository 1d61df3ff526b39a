"""Files, modules and names of which pages and docstrings tell are there."""

from __future__ import annotations

import functools
import re

import pytest

from tests.support.paths import ROOT, TESTS
from tests.support.sources import ROOMS, SOURCES, name_of

PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "tests/README.md", "docs/internals.md", "docs/archive.md")
WITHIN = (ROOT, TESTS, *(ROOT / room for room in ROOMS))
"""Where paths begin."""
OF_FILES = {"arrays/0", "arrays/1"}
"""Entries of an archive, which look like paths."""
TEST_MODULES = sorted(TESTS.rglob("*.py"))


@functools.cache
def words() -> set[str]:
    return {word for path in (*SOURCES, *TEST_MODULES) for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))}


def is_there(path: str) -> bool:
    return any(next(place.glob(path), None) is not None for place in WITHIN)


@pytest.mark.parametrize("page", PAGES)
def test_what_pages_name_is_there(page: str) -> None:
    named = set(re.findall(r"`([\w./*]+)`", (ROOT / page).read_text(encoding="utf-8"))) - OF_FILES
    paths = {name for name in named if "/" in name or name.endswith((".py", ".c", ".h", ".md"))}
    missing = [path for path in paths if not is_there(path) and not is_there(f"**/{path}")]
    unknown = [name for name in named - paths if not words().issuperset(part for part in name.split(".") if part)]
    assert paths
    assert (missing, [name for name in unknown if not (ROOT / name).exists() and not is_suffix(name)]) == ([], [])


def is_suffix(name: str) -> bool:
    return name.startswith(".")


def test_modules_that_docstrings_name_are_there() -> None:
    found = {}
    for source in SOURCES:
        for name in re.findall(r"`(npexport\.[\w.]+)`", source.read_text(encoding="utf-8")):
            found.setdefault(name, name_of(source))
    missing = {}
    for name, source in found.items():
        parts = name.removeprefix("npexport.").split(".")
        depth = next(n for n in range(len(parts), -1, -1) if n == 0 or is_module("/".join(parts[:n])))
        if not words().issuperset(parts[depth:]) or (depth == 0 and len(parts) > 2):
            missing[name] = source
    assert len(found) > 100
    assert missing == {}


def is_module(path: str) -> bool:
    return any((place / path).is_dir() or (place / f"{path}.py").is_file() for place in (ROOT, ROOT / "npexport"))
