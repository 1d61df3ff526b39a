"""The page on dynamic shapes says what happens."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "dynamic-shapes.md"


def test_the_page():
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted >= 18
    assert result.failed == 0
