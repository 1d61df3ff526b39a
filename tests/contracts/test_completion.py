"""``npexport completion``: what the shells' scripts offer is what the parser takes."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from npexport.cli import _parser
from npexport.completion import SHELLS, commands_of

COMMANDS = commands_of(_parser())
BASH = shutil.which("bash")


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_option_is_offered(shell):
    text = SHELLS[shell](COMMANDS)
    for command in COMMANDS:
        assert command.name in text
        for option in command.options:
            assert (f"-l {option.long[2:]} " if shell == "fish" else option.long) in text


def offered(line, folder):
    """What bash completes the last word of a line to."""
    script = SHELLS["bash"](COMMANDS) + 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _npexport; printf "%s\\n" "${COMPREPLY[@]}"\n'
    done = subprocess.run([BASH, "--norc", "-c", script, "bash", *line], capture_output=True, text=True, cwd=folder, check=True)
    assert done.stderr == ""
    return sorted(done.stdout.split("\n")[:-1])


@pytest.mark.skipif(BASH is None, reason="bash completes it")
def test_bash_completes(tmp_path):
    for name in ("my model.py", "my.np2", "other.np2"):
        (tmp_path / name).touch()
    table = {
        ("ex",): ["explain", "export"],
        ("show", "--g"): ["--graph", "--guards"],
        ("show", "my.np2", "--c"): ["--code", "--cost"],
        ("export", "model.py:f", "--format", ""): ["json", "text"],
        ("export", "model.py:f", "--format", "j"): ["json"],
        ("export", "my"): ["my model.py", "my.np2"],
        ("export", "model.py:f", "-o", "ot"): ["other.np2"],
        ("run", "my.np2", "--inputs", "o"): ["other.np2"],
        ("diff", "my.np2", "o"): ["other.np2"],
        ("completion", ""): ["bash", "fish", "zsh"],
        ("nothing", "-"): [""],
    }
    assert {words: offered(["npexport", *words], tmp_path) for words in table} == table


PROGRAM = """\
import numpy as np
from os.path import join
SCALE: float = 2.0
model = np.sin
model.there = 3
if model == 3:
    hidden = 1
def forward(x):
    inner = x == 1
    return inner
async def later(x): ...
class Model:
    def method(self): ...
"""
IN_PROGRAM = ["Model", "SCALE", "forward", "later", "model"]


@pytest.mark.skipif(BASH is None, reason="bash completes it")
def test_bash_completes_names_in_files(tmp_path):
    """Whether a colon ends a word (it does by default) or not."""
    (tmp_path / "a.py").write_text(PROGRAM)
    table = {
        ("export", "a.py", ":"): IN_PROGRAM,
        ("export", "a.py", ":", "mo"): ["model"],
        ("run", "x.np2", "--compare", "a.py", ":", "f"): ["forward"],
        ("export", "a.py:"): [f"a.py:{name}" for name in IN_PROGRAM],
        ("explain", "a.py:M"): ["a.py:Model"],
        ("explain", "none.py", ":", "a"): ["a.py"],
    }
    assert {words: offered(["npexport", *words], tmp_path) for words in table} == table


@pytest.mark.skipif(BASH is None, reason="bash reads it")
def test_bash_registers_it():
    script = SHELLS["bash"](COMMANDS) + "complete -p npexport\n"
    done = subprocess.run([BASH, "--norc", "-c", script], capture_output=True, text=True, check=True)
    assert "-F _npexport npexport" in done.stdout


FISH, ZSH = shutil.which("fish"), shutil.which("zsh")
LINES = {
    "npexport ex": {"explain", "export"},
    "npexport show --g": {"--graph", "--guards"},
    "npexport export model.py:f --format ": {"json", "text"},
    "npexport export model.py:f --to ot": {"other.np2"},
    "npexport completion ": {"bash", "fish", "zsh"},
    "npexport explain a.py:fo": {"a.py:forward"},
    "npexport explain a.py:": {f"a.py:{name}" for name in IN_PROGRAM},
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "other.np2").touch()
    (tmp_path / "a.py").write_text(PROGRAM)
    return tmp_path


def said(program, script, folder):
    done = subprocess.run([*program, "-c", script], capture_output=True, text=True, cwd=folder, check=True)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.skipif(FISH is None, reason="fish completes it")
@pytest.mark.parametrize("line", LINES)
def test_fish_completes(line, folder):
    found = said([FISH, "--no-config"], SHELLS["fish"](COMMANDS) + f"\ncomplete -C '{line}'\n", folder)
    assert {row.partition("\t")[0] for row in found.splitlines()} == LINES[line]


@pytest.mark.skipif(ZSH is None, reason="zsh completes it")
@pytest.mark.parametrize("line", LINES)
def test_zsh_completes(line, folder):
    """The function as completion calls it, with zsh's own ways of offering words written down."""
    *words, prefix = line.split(" ")
    offer = 'compadd() { shift; print -l -- "${(@M)@:#$PREFIX*}" }\n_files() { print -l -- $PREFIX*(N) }\ncompdef() { : }\n'
    state = f"words=({' '.join(words)} '{prefix}'); CURRENT=$#words; PREFIX='{prefix}'\n"
    found = said([ZSH, "-f"], offer + SHELLS["zsh"](COMMANDS).replace('_npexport "$@"', "") + state + "_npexport\n", folder)
    assert set(found.split()) == LINES[line]
