"""What ``npexport fix --write`` does to a file: its ``dynamic_shapes`` becomes another one."""

from __future__ import annotations

import ast
import codecs
import io
import itertools
import re
import symtable
import tokenize
from collections.abc import Iterator
from typing import Any, NamedTuple

from npexport.symshapes.errors import UserError
from npexport.targets import usage

_SPEC = "dynamic_shapes"
_IMPORT = "from npexport import Dim"


def with_specification(source: bytes, code: str) -> bytes:
    """A module's source with the specification that ``code`` says, ``n = Dim('n')`` lines and a
    ``dynamic_shapes = …``, in place of its own, or at its end.

    Raises ``UserError`` (E205) where it is not plain which statement says it now, or a ``Dim``. A
    byte order mark stays.

    >>> print(with_specification(b"dynamic_shapes = None", "dynamic_shapes = {'x': (3,)}").decode())
    dynamic_shapes = {'x': (3,)}
    """
    if source.startswith(codecs.BOM_UTF8):
        return codecs.BOM_UTF8 + with_specification(source.removeprefix(codecs.BOM_UTF8), code)
    if tokenize.detect_encoding(io.BytesIO(source).readline)[0] != "utf-8":
        raise usage("the file is not UTF-8", "Save it as UTF-8.")
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
    places = _Places(source)
    edits = [edit for statement, lines in changed.items() for edit in places.edits(statement, _with_dims(statement, lines))]
    edits += places.edits(own, spec.partition(" = ")[2]) if own is not None else []
    first = min([own, *changed], key=tree.body.index) if own is not None else None
    texts = [*new, *(edit.text for edit in edits), *([spec] if own is None else [])]
    if any("Dim" in text for text in texts) and not _has_dim(tree.body, first):
        new.insert(0, _IMPORT)
    ends = re.search(rb"\r\n?|\n", source)
    end = ends[0] if ends else b"\n"
    if own is None:
        added = "\n".join([*new, spec]).encode()
        return end.join([*([source.rstrip(), b"", b""] if source.strip() else []), *added.splitlines(), b""])
    before = {first: [_IMPORT]} if first is not None and _IMPORT in new else {}
    before.setdefault(own, []).extend(line for line in new if line != _IMPORT)
    edits += [places.before(statement, lines) for statement, lines in before.items() if lines]
    return places.edited(edits, end)


def _has_dim(body: list[ast.stmt], place: ast.stmt | None) -> bool:
    """Whether statements of the module itself import ``Dim``, or all names, before this one."""
    before = body if place is None else body[: body.index(place)]
    imports = (statement for statement in before if isinstance(statement, ast.ImportFrom))
    return any((alias.asname or alias.name) in {"Dim", "*"} for statement in imports for alias in statement.names)


def _known_dim(held: dict[str, list[ast.stmt]], name: str) -> ast.stmt | None:
    known = _only(held, name)
    if known is not None and not _is_dim(_values(known).get(name)):
        raise usage(f"the file has a {name!r} that is not a Dim", "Give the Dim another name, or the other thing.")
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
    """What an assignment of ``Dim``s assigns, of which these lines say some."""
    values = _values(statement)
    texts = [lines[name].partition(" = ")[2] if name in lines else ast.unparse(value) for name, value in values.items()]
    return ", ".join(texts)


class _Edit(NamedTuple):
    """The bytes of a source from ``first`` to ``last`` become ``text``."""

    first: int
    last: int
    text: str


class _Places:
    """Edits of a source that touch what changes, and leave its comments and its form."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.starts = [0, *itertools.accumulate(map(len, source.splitlines(keepends=True)))]

    def edits(self, statement: ast.stmt, text: str) -> list[_Edit]:
        """Those by which an assignment assigns ``text``; comments of what is replaced go
        before it.
        """
        old: ast.expr = statement.value  # type: ignore[attr-defined]
        new = ast.parse(text, mode="eval").body
        first, last = self._span(old)
        edits = list(self._differences(old, new, text))
        if not _says(self.edited(edits, b"\n")[first : last + sum(len(e.text.encode()) - e.last + e.first for e in edits)], new):
            edits = [_Edit(first, last, text)]
        comments = [comment for edit in edits for comment in _comments(self.source[edit.first : edit.last])]
        return [self.before(statement, comments), *edits] if comments else edits

    def before(self, statement: ast.stmt, lines: list[str]) -> _Edit:
        first, _ = self._span(statement)
        return _Edit(first, first, "".join(f"{line}\n" for line in lines))

    def edited(self, edits: list[_Edit], end: bytes) -> bytes:
        source = self.source
        for first, last, text in sorted(edits, key=lambda edit: edit[:2], reverse=True):
            source = source[:first] + text.encode().replace(b"\n", end) + source[last:]
        return source

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        last = (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
        return self.starts[node.lineno - 1] + node.col_offset, self.starts[last[0] - 1] + last[1]

    def _differences(self, old: ast.expr, new: ast.expr, text: str) -> Iterator[_Edit]:
        if ast.dump(old) == ast.dump(new):
            return
        parts, wanted = _parts(old), _parts(new)
        if not parts or not parts.keys() <= wanted.keys():
            yield _Edit(*self._span(old), ast.get_source_segment(text, new) or "")
            return
        for key, part in parts.items():
            yield from self._differences(part.value, wanted[key].value, text)
        added = [part.prefix + (ast.get_source_segment(text, part.value) or "") for key, part in wanted.items() if key not in parts]
        if added:
            _, last = self._span(list(parts.values())[-1].value)
            yield _Edit(last, last, "".join(f", {each}" for each in added))


class _Part(NamedTuple):
    value: ast.expr
    prefix: str = ""  # what says which part it is


def _parts(node: ast.expr) -> dict[Any, _Part]:
    """The items of a display or the arguments of a call, by what must be there in another one that
    takes its place; nothing for other expressions.
    """
    if isinstance(node, (ast.Tuple, ast.List)):
        return {(type(node), index): _Part(value) for index, value in enumerate(node.elts)}
    if isinstance(node, ast.Dict):
        return {
            (dict, key and ast.dump(key)): _Part(v, f"{key and ast.unparse(key)}: ") for key, v in zip(node.keys, node.values, strict=True)
        }
    if isinstance(node, ast.Call):
        named = {(_function(node), each.arg): _Part(each.value, f"{each.arg}=") for each in node.keywords}
        return {(_function(node), index): _Part(value) for index, value in enumerate(node.args)} | named
    return {}


def _says(source: bytes, expression: ast.expr) -> bool:
    try:
        found = ast.parse(b"(" + source + b"\n)", mode="eval").body
    except SyntaxError:
        return False
    return _bare(found) == _bare(expression)


def _bare(node: ast.expr) -> str:
    """An expression as text, in which the order of keys and arguments with names does not
    count, nor the module of a function.
    """
    parts = _parts(node)
    return str(sorted((str(key), _bare(part.value)) for key, part in parts.items())) if parts else ast.dump(node)


def _comments(source: bytes) -> list[str]:
    """The comments of a piece of source, which stands within brackets."""
    if b"#" not in source:
        return []
    tokens = tokenize.tokenize(io.BytesIO(b"(" + source + b"\n)").readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]
