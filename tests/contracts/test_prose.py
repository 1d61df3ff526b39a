"""Docstrings and comments are at most 100 columns wide; code may be wider."""

import ast
import re

from tests.support.sources import SOURCES, name_of, nodes_of

WIDTH = 100
NO_PROSE = re.compile(r"\s*(>>>|\.\.\. |\||https?://)|.*(::=|={5,}|\S {3,}\S|https?://\S{60})")
"""Examples, tables, grammars and addresses."""


def docstrings(nodes):
    for parent in nodes:
        body = getattr(parent, "body", None)
        for node in body if isinstance(body, list) else ():
            match node:
                case ast.Expr(value=ast.Constant(value=str())):
                    yield node.value


def prose(text, nodes):
    """Numbers of the lines that are prose; literal blocks, which follow ``::`` and are indented, are none."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if re.match(r"\s*# ", line) and not re.search(r"# (fmt|type|noqa|ruff)", line):
            yield number
    for node in docstrings(nodes):
        literal = False
        for number in range(node.lineno - 1, node.end_lineno):
            line = lines[number]
            if line.strip() and len(line) - len(line.lstrip()) <= node.col_offset:
                literal = False
            if not literal:
                yield number
            literal |= line.rstrip().endswith("::")


def test_prose_is_at_most_100_columns_wide():
    wide = []
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        found = [number + 1 for number in prose(text, nodes_of(path)) if len(lines[number]) > WIDTH and not NO_PROSE.match(lines[number])]
        wide += [f"{name_of(path)}:{number}" for number in found]
    assert wide == []


def test_prose_is_found():
    text = '"""Grammar::\n\n    literal\n\nprose\n"""\n\n# a comment\ncode = 1  # no comment of its own\n'
    assert sorted(prose(text, ast.walk(ast.parse(text)))) == [0, 4, 5, 7]
