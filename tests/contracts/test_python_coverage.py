"""``docs/python-coverage.md`` and ``docs/errors`` name only what exists."""

from __future__ import annotations

import ast
import re

from npexport.symshapes.codes import CODES
from npexport.symshapes.listing import listing
from npexport.tracer.diagnostics.catalogue import page
from tests.support.language import PROGRAMS
from tests.support.paths import ROOT, TESTS

TEXT = (ROOT / "docs" / "python-coverage.md").read_text(encoding="utf-8")
NAMES = {program.id for program in PROGRAMS}
CHAPTERS = {name.partition("-")[0] for name in NAMES}


def test_programs_exist():
    named = set(re.findall(rf"\b((?:{'|'.join(sorted(CHAPTERS))})-[a-z_]+)", TEXT))
    assert len(named) > 60
    assert named <= NAMES, named - NAMES


def test_effects_exist():
    named = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"effects/test_effects: (.*?)[;|]", TEXT))))
    source = (TESTS / "unit/tracer/effects/test_effects.py").read_text(encoding="utf-8")
    defined = {node.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)}
    assert named and named <= defined, named - defined


def test_files_and_codes_exist():
    for path in re.findall(r"`(tests/[\w/.]+)`", TEXT):
        assert (ROOT / path).exists(), path
    modules = set(re.findall(r"(?<![\w/])\w+/test_\w+", TEXT))
    assert modules and not [module for module in modules if not list(TESTS.rglob(f"{module}.py"))]
    assert set(re.findall(r"\bE\d{3}\b", TEXT)) <= set(CODES)


def test_the_index_of_errors_is_current():
    index = (ROOT / "docs" / "errors" / "README.md").read_text(encoding="utf-8")
    assert index == listing(), "write it anew: python -m npexport.symshapes.listing > docs/errors/README.md"
    assert all(page(code).slug == row.slug for code, row in CODES.items())
