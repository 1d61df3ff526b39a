"""The text of compiled programs, as `linecache` shows it to tracebacks."""

import linecache
import os

from npexport.runtime.origins import Origins


def test_a_program_that_is_collected_while_linecache_is_checked(monkeypatch):
    """CPython 3.11 takes the keys of its cache first and looks each of them up."""
    monkeypatch.setattr(linecache, "cache", {"a file": (1, 1.0, ["1\n"], "a file")})
    programs = [Origins({})]
    name = programs[0].file_of("1\n")

    def stat(file):
        programs.clear()
        raise OSError(file)

    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", stat)
        linecache.checkcache()
    assert not programs and list(linecache.cache) == [name]
    Origins({}).file_of("2\n")
    assert name not in linecache.cache


def test_the_text_of_a_living_program_is_found():
    origins = Origins({})
    name = origins.file_of("first\nsecond\n")
    Origins({}).file_of("other\n")
    assert linecache.getline(name, 2) == "second\n"
