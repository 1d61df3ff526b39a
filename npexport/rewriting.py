"""What ``npexport fix --write`` does to a file: its ``dynamic_shapes`` becomes another one."""

from __future__ import annotations

import ast
import builtins
import io
import itertools
import re
import symtable
import tokenize
from collections.abc import Iterator
from typing import Any

from npexport.symshapes.errors import UserError
from npexport.targets import usage

_SPEC = "dynamic_shapes"
_IMPORT = "from npexport import Dim"


def with_specification(source: bytes, code: str) -> bytes:
    """A module's source with the specification that ``code`` says, ``n = Dim('n')`` lines and a
    ``dynamic_shapes = …``, in place of its own, or at its end.

    Raises ``UserError`` (E205) where it is not plain which statement says it now, and where the
    name of a ``Dim`` is taken.

    >>> print(with_specification(b"dynamic_shapes = None", "dynamic_shapes = {'x': (3,)}").decode())
    dynamic_shapes = {'x': (3,)}
    """
    if tokenize.detect_encoding(io.BytesIO(source).readline)[0] != "utf-8":
        raise usage("the file is not plain UTF-8", "Save it as UTF-8 without a byte order mark.")
    tree = ast.parse(source)
    names = {symbol.get_name() for symbol in symtable.symtable(source.decode(), "<module>", "exec").get_symbols() if _is_bound(symbol)}
    shared = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    held = {name: _statements(tree, name) if name not in shared and _is_settled(tree, name) else [] for name in names | shared}
    *dims, spec = code.splitlines()
    own = _only(held, _SPEC)
    if own is not None and len(_names(own)) != 1:
        raise _not_plain(_SPEC)
    new: list[str] = []
    changed: dict[ast.stmt, dict[str, str]] = {}  # by the statement that binds them, the lines of names
    for line in dims:
        name = line.partition(" ")[0]
        known = _known_dim(held, name)
        if known is not None and own is not None and known in tree.body[: tree.body.index(own)]:
            changed.setdefault(known, {})[name] = line
        else:
            new.append(line)
    edits = [(statement, _with_dims(statement, lines)) for statement, lines in changed.items()]
    if own is not None:
        edits.append((own, "\n".join([*new, spec])))
        edits.sort(key=lambda edit: tree.body.index(edit[0]))
    else:
        new = ["\n".join([*new, spec])]
    if "Dim" not in names and "Dim" in code:  # before the first line that needs it
        if edits:
            edits[0] = (edits[0][0], f"{_IMPORT}\n{edits[0][1]}")
        else:
            new.insert(0, _IMPORT)
    ends = re.search(rb"\r\n?|\n", source)
    end = ends[0] if ends else b"\n"
    if own is None:
        return end.join([*([source.rstrip(), b"", b""] if source.strip() else []), *"\n".join(new).encode().splitlines(), b""])
    return _edited(source, edits, end)


def _known_dim(held: dict[str, list[ast.stmt]], name: str) -> ast.stmt | None:
    known = _only(held, name)
    if known is None and name in dir(builtins):
        raise usage(f"the name {name!r} is one of Python's own", "Give the Dim another name.")
    if known is not None and not _is_dim(_values(known).get(name)):
        raise usage(f"the file has a {name!r} that is no Dim", "Give the Dim another name, or the other thing.")
    return known


def _is_bound(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported()


def _statements(tree: ast.Module, name: str) -> list[ast.stmt]:
    """The plain assignments of the module itself to a name, or to several."""
    return [statement for statement in tree.body if name in _names(statement)]


def _names(statement: ast.stmt) -> list[str]:
    """What a statement binds that is an assignment to names and nothing else."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target] if isinstance(statement, ast.AnnAssign) else []
    if len(targets) != 1:
        return []
    parts = targets[0].elts if isinstance(targets[0], (ast.Tuple, ast.List)) else targets
    return [part.id for part in parts if isinstance(part, ast.Name)] if all(isinstance(part, ast.Name) for part in parts) else []


def _is_settled(tree: ast.Module, name: str) -> bool:
    """Whether what the module binds a name to is never changed: the name is bound no second time,
    nor deleted, and no item or method of what it holds is set or called.
    """
    bound = 0
    for node in _of_module(tree):
        inner = node.value if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load) else node
        inner = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else inner
        if not isinstance(inner, ast.Name) or inner.id != name:
            continue
        if inner is not node or isinstance(inner.ctx, ast.Del):
            return False
        bound += isinstance(inner.ctx, ast.Store)
    return bound < 2


def _of_module(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in a module, without what its functions and classes hold."""
    for part in ast.iter_child_nodes(node):
        yield part
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            yield from _of_module(part)


def _only(held: dict[str, list[ast.stmt]], name: str) -> ast.stmt | None:
    """The statement that binds a name, ``None`` where nothing does."""
    if name not in held:
        return None
    if len(held[name]) != 1:
        raise _not_plain(name)
    return held[name][0]


def _not_plain(name: str) -> UserError:
    return usage(
        f"the file does not say {name!r} in one plain assignment",
        f"Write `{name} = …` once, outside of functions and branches, and change nothing of it later.",
    )


def _values(statement: ast.stmt) -> dict[str, ast.expr]:
    """What a statement binds names to, ``dims(...)`` as the ``Dim``s that it makes; nothing where
    that cannot be told apart.
    """
    names, value = _names(statement), statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    values: list[Any] = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]
    if len(names) > 1 and isinstance(value, ast.Call) and _function(value) == "dims":
        values = [ast.Call(ast.Name("Dim"), [name], value.keywords) for name in value.args if isinstance(name, ast.Constant)]
    return {name: each for name, each in zip(names, values, strict=True) if each is not None} if len(values) == len(names) else {}


def _is_dim(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and _function(value) == "Dim"


def _function(call: ast.Call) -> str:
    function = call.func
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def _with_dims(statement: ast.stmt, lines: dict[str, str]) -> str:
    """An assignment of ``Dim``s, of which these lines say some."""
    values = _values(statement)
    if len(values) == 1:
        return "".join(lines.values())
    texts = [lines[name].partition(" = ")[2] if name in lines else ast.unparse(value) for name, value in values.items()]
    return f"{', '.join(values)} = {', '.join(texts)}"


def _edited(source: bytes, edits: list[tuple[ast.stmt, str]], end: bytes) -> bytes:
    starts = [0, *itertools.accumulate(map(len, source.splitlines(keepends=True)))]
    for statement, text in reversed(edits):
        first = starts[statement.lineno - 1] + statement.col_offset
        last = starts[(statement.end_lineno or statement.lineno) - 1] + (statement.end_col_offset or 0)
        source = source[:first] + end.join(text.encode().splitlines()) + source[last:]
    return source
