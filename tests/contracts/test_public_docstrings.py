"""What ``help()`` shows of public names: every parameter by name, and an example (``test_documentation`` runs all examples)."""

import inspect
import re

import pytest

import npexport
from npexport import dask, nn, passes, testing, xarray
from tests.support.contract import documented_by

PARAMETERS_ELSEWHERE = {
    "InputKind": "an enumeration",
    "Op": "the fields of a record are read by who adds an operator; users meet `name`, `schema`, `is_core`, `is_mutable`, `tags`",
    "OutputKind": "an enumeration",
}

NAMES = [name for name in npexport._NAMES if not inspect.ismodule(getattr(npexport, name))]
MODULES = [getattr(npexport, name) for name in npexport._NAMES if name not in NAMES]
EXEMPLIFIED = {f"npexport.{name}": getattr(npexport, name) for name in NAMES} | {
    f"{module.__name__}.{name}": getattr(module, name) for module in (dask, passes, testing, xarray) for name in module.__all__
}
METHODS = [
    (name, method, value)
    for name in NAMES
    if inspect.isclass(cls := getattr(npexport, name))
    for method, value in vars(cls).items()
    if not method.startswith("_") and (inspect.isfunction(value) or isinstance(value, (property, classmethod, staticmethod)))
]


def unnamed(function, text: str) -> list[str]:
    """The parameters that the text does not name as code, or in a table of parameters."""
    names = [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]
    return [name for name in names if not re.search(rf"``[^`]*\b{name}\b[^`]*``|^[*\w, ]*\b{name}\b[*\w, ]*( :|$)", text, re.M)]


@pytest.mark.parametrize("name", NAMES)
def test_public_name(name):
    value = getattr(npexport, name)
    assert value.__doc__ and not value.__doc__.startswith(f"{name}("), "a docstring of its own"
    text = documented_by(value) if inspect.isclass(value) else inspect.cleandoc(value.__doc__)
    assert name in PARAMETERS_ELSEWHERE or unnamed(value, text) == []


@pytest.mark.parametrize("name", EXEMPLIFIED)
def test_example(name):
    assert ">>>" in EXEMPLIFIED[name].__doc__
    assert EXEMPLIFIED[name].__module__.startswith("npexport."), "the modules that ``test_documentation`` walks"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_public_module(module):
    """It has an example, or each of its names has one."""
    assert ">>>" in module.__doc__ or all(f"{module.__name__}.{name}" in EXEMPLIFIED for name in module.__all__)


@pytest.mark.parametrize("name, method, value", METHODS, ids=[f"{name}.{method}" for name, method, _ in METHODS])
def test_public_method(name, method, value):
    function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
    assert function.__doc__
    assert isinstance(value, property) or unnamed(function, inspect.cleandoc(function.__doc__)) == []


LAYERS = [
    (f"{home}.{name}", value)
    for home, module in (("nn", nn), ("F", nn.functional), ("init", nn.init), ("utils", nn.utils))
    for name, value in sorted(vars(module).items())
    if not name.startswith("_") and callable(value) and (value.__module__ or "").startswith("npexport")
]
OF_NO_TORCH = {"nn.Module", "nn.Parameter", "nn.Buffer", "init.manual_seed", "init.fan_in_and_fan_out"}


@pytest.mark.parametrize("name, value", LAYERS, ids=[name for name, _ in LAYERS])
def test_layer(name, value):
    """Layers and their functions say what they compute, name each parameter, and name the page of torch that has more."""
    text = inspect.cleandoc(value.__doc__)
    assert not re.match(r"``F\.\w+``\.", text), "what it computes, not the name of what computes it"
    generic = inspect.isclass(value) and value.__init__ is nn.Module.__init__  # takes no arguments of its own
    assert generic or unnamed(value, text) == []
    assert name in OF_NO_TORCH or "torch" in text
    assert ">>>" in text, "an example"


def test_all_layers_are_seen():
    assert len(LAYERS) > 270
    assert {name for name, _ in LAYERS} >= {f"nn.{name}" for name in nn.__all__ if inspect.isclass(getattr(nn, name))}
