"""The page on dynamic shapes and the examples in docstrings say what happens."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

from npexport import symshapes

PAGE = Path(__file__).parent.parent / "docs" / "dynamic-shapes.md"
MODULES = [module.name for module in pkgutil.iter_modules(symshapes.__path__)]


def test_the_page():
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted >= 18
    assert result.failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    assert doctest.testmod(importlib.import_module(f"npexport.symshapes.{name}")).failed == 0
