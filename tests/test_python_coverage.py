"""``docs/python-coverage.md`` and ``docs/errors`` name only what exists."""

from __future__ import annotations

import re
from pathlib import Path

from npexport.symshapes.codes import CODES
from npexport.tracer.diagnostics.catalogue import page
from tests import test_export_effects
from tests.test_export_language import PROGRAMS

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs" / "python-coverage.md").read_text(encoding="utf-8")
NAMES = {program.id for program in PROGRAMS}
CHAPTERS = {name.partition("-")[0] for name in NAMES}


def test_programs_exist():
    named = set(re.findall(rf"\b((?:{'|'.join(sorted(CHAPTERS))})-[a-z_]+)", TEXT))
    assert len(named) > 60
    assert named <= NAMES, named - NAMES


def test_effects_exist():
    named = re.findall(r"test_export_effects: (.*?) \|", TEXT)
    assert named
    for name in re.findall(r"`(\w+)`", " ".join(named)):
        assert hasattr(test_export_effects, name), name


def test_files_and_codes_exist():
    for path in re.findall(r"`(tests/[\w/.]+)`", TEXT):
        assert (ROOT / path).exists(), path
    assert set(re.findall(r"\bE\d{3}\b", TEXT)) <= set(CODES)


def test_the_index_of_errors_is_complete():
    rows = [f"| [{code}](../../tracer/diagnostics/pages/{code}.md) | {row.slug} | {row.hint} |" for code, row in CODES.items()]
    index = (ROOT / "docs" / "errors" / "README.md").read_text(encoding="utf-8")
    assert [line for line in index.splitlines() if line.startswith("| [E")] == rows
    assert all(page(code).slug == row.slug for code, row in CODES.items())
