"""The README is true: its programs run, and its commands exist."""

import re

import pytest

from npexport import Unsupported, cli
from tests.support.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", README, flags=re.DOTALL) for line in block.splitlines()]


def test_tour(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    tour, refused = PROGRAMS
    names = {"__name__": "tour"}
    exec(compile(tour, "tour.py", "exec"), names)
    assert 'linear: "f32[s0, 32]" = ops.nn.linear(x, p_branch_0_weight, p_branch_0_bias)' in capsys.readouterr().out
    assert names["run"](names["np"].ones((0, 64), "f4"), scale=2.0).shape == (0, 32)
    with pytest.raises(Unsupported) as raised:
        exec(compile(refused, "tour.py", "exec"), names)
    assert raised.value.code == "E103"


def test_commands_of_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    commands = [line for line in COMMANDS if line.startswith("npexport ")]
    assert len(commands) == 4
    for command in commands:
        assert cli.main(command.replace("'", "").split()[1:]) == 0, command
    assert "E103 data-dependent-branch" in capsys.readouterr().out


def test_set_up_commands_are_one_line_each():
    set_up = [line for line in COMMANDS if line.startswith("python3 -m venv .venv && .venv/bin/python -m pip install -q -e ")]
    last = [line.rpartition("&& ")[2] for line in set_up]
    assert last == [".venv/bin/python examples/digits.py", 'NPEXPORT_SUITE=readme .venv/bin/python -m pytest -q -n 2 -m "not slow"']


@pytest.mark.parametrize("target", re.findall(r"\]\(([^)#]+)\)", README))
def test_links_lead_somewhere(target):
    assert (ROOT / target).exists()
