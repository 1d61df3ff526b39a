"""Every code has a page, and every page tells the truth: its example is refused with the code, its rewrite runs."""

from __future__ import annotations

import io
import linecache
import re
from contextlib import redirect_stderr, redirect_stdout

import pytest

from npexport.symshapes.codes import CODES
from npexport.symshapes.errors import ExportError, UserError
from npexport.tracer.diagnostics.catalogue import page, parse
from tests.support.paths import ROOT
from tests.support.sources import SOURCES
from tests.support.users_names import require_users_names


def execute(program: str, name: str) -> None:
    filename = f"<{name}>"
    linecache.cache[filename] = (len(program), None, program.splitlines(True), filename)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        exec(compile(program, filename, "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("code", sorted(CODES))
def test_example_is_refused(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ExportError) as caught:
        execute(page(code).example, f"example of {code}")
    assert caught.value.code == code, str(caught.value)
    assert caught.value.slug == page(code).slug == CODES[code].slug
    assert caught.value.message and caught.value.hint
    require_users_names(caught.value.message)
    require_users_names(caught.value.hint)
    if code.startswith("E1"):
        assert caught.value.location is not None and caught.value.location.source.strip() in page(code).example
        assert caught.value.location in caught.value.user_stack
        assert caught.value.location.source.strip() in str(caught.value)


@pytest.mark.parametrize("code", sorted(CODES))
def test_rewrite_runs(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    execute(page(code).rewrite, f"rewrite of {code}")


def test_pages_are_found_by_slug_and_code():
    assert page("data-dependent-branch").code == page("e103").code == "E103"
    with pytest.raises(UserError):
        page("E000")


@pytest.mark.parametrize("text", ["nothing", "# E103 data\n", "# E103 data-dependent-branch\n## Why\nx\n"])
def test_malformed_pages_are_refused(text):
    with pytest.raises(ValueError, match="page"):
        parse(text)


def test_pages_are_those_of_the_codes():
    assert {path.stem for path in (ROOT / "tracer/diagnostics/pages").glob("*.md")} == set(CODES)


def test_codes_of_the_sources_are_those_of_the_table():
    """Every code is used somewhere, and none that does not exist."""
    texts = [path.read_text(encoding="utf-8") for path in SOURCES if path.name != "codes.py"]
    used = {code for text in texts for code in re.findall(r"[\"'](E[0-9]{3})[\"']", text)}
    assert used == set(CODES)
