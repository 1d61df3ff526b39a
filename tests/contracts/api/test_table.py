"""The table of the contract: every name resolves or says what to use instead, is documented with its parameters, and has a test."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import npexport
from npexport import absent, cli
from npexport.ir.graph import Graph, GraphModule
from npexport.ir.node import Node
from tests.support.contract import COMMANDS, FIELDS, NAMES, PLANNED, SIGNATURE, documented_by

ROOMS = {"Graph": Graph, "Node": Node, "GraphModule": GraphModule}
BEHAVIOURS = {name for file in Path(__file__).parent.glob("test_*.py") for name in re.findall(r"^def (test_\w+)", file.read_text(), re.M)}
PROPERTIES = [f"ExportGraphSignature.{name}" for name in SIGNATURE]
WITHOUT_PARAMETERS = {"Dim.AUTO", "Dim.DYNAMIC", "Dim.STATIC", "Op", "ops", "nn.functional", "InputKind", "OutputKind"}


def found(name):
    """What a dotted name means, and whether it is only in an instance, where its class documents it."""
    first, *rest = name.split(".")
    value = ROOMS[first] if first in ROOMS else getattr(npexport, first)
    for part in rest:
        held = inspect.isclass(value) and (not hasattr(value, part) or inspect.ismemberdescriptor(getattr(value, part)))
        if held:
            assert re.search(rf"^ *(\w+, )*{part}(, \w+)* :|``{part}``", value.__doc__, re.M), f"{name} is documented by its class"
            return None
        value = getattr(value, part)
    return value


@pytest.mark.parametrize("name", [*NAMES, *PROPERTIES, *FIELDS])
def test_name_is_there_and_documented(name):
    value = found(name)
    if value is None or name in WITHOUT_PARAMETERS:
        return
    text = documented_by(value) if inspect.isclass(value) else inspect.getdoc(value)
    assert text
    if callable(value):
        parameters = [parameter for parameter in inspect.signature(value).parameters if parameter not in ("self", "args", "kwargs")]
        assert [parameter for parameter in parameters if not re.search(rf"\b{parameter}\b", text)] == []


@pytest.mark.parametrize("name", [*NAMES, *(f"command.{name}" for name in COMMANDS)])
def test_name_has_a_behavioural_test(name):
    assert f"test_{name.replace('.', '_')}" in BEHAVIOURS


@pytest.mark.parametrize("name", PLANNED)
def test_name_of_a_plan_is_there_or_says_what_to_use(name):
    if name in absent.INSTEAD:
        with pytest.raises(AttributeError, match=rf"{name} is not in this version: \w"):
            getattr(npexport, name)
    else:
        assert getattr(npexport, name).__doc__


@pytest.mark.parametrize("name", COMMANDS)
def test_command_has_help(name, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main([name, "--help"])
    assert caught.value.code == 0 and name in capsys.readouterr().out
