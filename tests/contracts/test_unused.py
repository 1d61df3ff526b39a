"""What a module keeps for itself, it uses."""

import ast
from collections import Counter

from tests.support.sources import SOURCES, name_of, nodes_of


def names_bound_by(statement):
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return [] if statement.decorator_list else [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target] if isinstance(statement, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def names_read_in(node):
    return Counter(each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load))


def unused(module):
    """The private names of a module that only their own definition reads, if anything does."""
    statements = [(statement, names_read_in(statement)) for statement in module.body]
    read = Counter[str]()
    for _, own in statements:
        read.update(own)
    for statement, own in statements:
        for name in names_bound_by(statement):
            if name.startswith("_") and not name.startswith("__") and read[name] == own[name]:
                yield name


def imported_elsewhere():
    return {alias.name for path in SOURCES for node in nodes_of(path) if isinstance(node, ast.ImportFrom) for alias in node.names}


def read_of_modules():
    return {
        node.attr for path in SOURCES for node in nodes_of(path) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }


def test_no_private_name_of_a_module_is_unused():
    outside = imported_elsewhere() | read_of_modules()
    found = [(name_of(path), name) for path in SOURCES for name in unused(nodes_of(path)[0]) if name not in outside]
    assert found == []


def test_an_unused_name_is_found():
    assert [*unused(ast.parse("_a = 1\n_b = 2\ndef _c(): return _b + _c()\ndef d(): pass"))] == ["_a", "_c"]
