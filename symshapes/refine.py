"""Applying fixes to specifications, and reading them back from the text of an error."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping
from typing import Any

from npexport.symshapes import expr as E
from npexport.symshapes.dims import DerivedDim, Dim, DimHint
from npexport.symshapes.errors import UserError
from npexport.symshapes.parameters import TEXT, Kind, takes
from npexport.symshapes.rewrite import substitute
from npexport.symshapes.spec import ShapesCollection

_HEADER = "Suggested fixes:"
_TEXT = "Pass the text of a ConstraintViolation, error.msg, which ends in the suggested fixes."
_LINE = re.compile(r"^\s*(\S.*?) = ([^#]*?)\s*(?:#(?: argument (\d+)$)?.*)?$")
Value = Any
_SPECIFICATION = Kind(lambda value: value is None or isinstance(value, (dict, tuple, list, ShapesCollection)), "a dict, a tuple or a list")


def apply_fixes(spec: Any, values: Mapping[str, Value], arguments: Mapping[str, int | None] | None = None) -> Any:
    """A copy of ``spec`` in which each named ``Dim`` is what ``values`` says; a name that is an
    input's size (``x.shape[0]``) is set at its place.

    ``arguments`` gives the position of the argument of such a size, for specifications that are
    tuples. Raises ``UserError`` (E302) where a name has no place.

    >>> apply_fixes({"x": {0: Dim("dx")}}, {"dx": 4 * Dim("_dx")})
    {'x': {0: 4*_dx}}
    """
    named = {name: value for name, value in values.items() if name.isidentifier()}
    for value in values.values():
        if isinstance(value, DerivedDim):
            named.setdefault(value.root.name, value.root)
    spec = _replace(spec, named)
    for name, value in values.items():
        if not name.isidentifier():
            path = _path(name)
            if isinstance(spec, dict) and path[0] not in spec and path[1] in spec:
                path = path[1:]  # an input of `**kwargs`, which a specification names by itself
            spec = _set(spec, path, value, (arguments or {}).get(name), name)
    return spec


def as_code(spec: Any, taken: Collection[str] = ()) -> str:
    """A specification as Python: one line for each named ``Dim``, then ``dynamic_shapes = …``.

    ``taken``: names that mean something else there; a ``Dim`` of such a name is made in its place.

    >>> d = Dim("d", max=8)
    >>> print(as_code({"x": {0: d, 1: 2 * d}, "y": (None, Dim.AUTO)}))
    d = Dim('d', max=8)
    dynamic_shapes = {'x': {0: d, 1: 2*d}, 'y': (None, Dim.AUTO)}
    >>> print(as_code({"x": {0: d, 1: 2 * d + 1}}, taken={"d"}))
    dynamic_shapes = {'x': {0: Dim('d', max=8), 1: 2 * Dim('d', max=8) + 1}}
    """
    dims = {dim.name: dim for dim in _dims_of(spec)}
    inline = {name: ast.parse(repr(dim), mode="eval").body for name, dim in dims.items() if name in taken}
    lines = [f"{name} = {dim!r}" for name, dim in dims.items() if name not in inline]
    return "\n".join([*lines, f"dynamic_shapes = {_code(spec, inline)}"])


def _code(spec: Any, inline: Mapping[str, ast.expr]) -> str:
    if isinstance(spec, (Dim, DerivedDim)):
        text = spec.name if isinstance(spec, Dim) else repr(spec)
        return ast.unparse(_Inline(inline).visit(ast.parse(text, mode="eval"))) if spec.root.name in inline else text
    if isinstance(spec, dict):
        return "{" + ", ".join(f"{key!r}: {_code(part, inline)}" for key, part in spec.items()) + "}"
    if isinstance(spec, (list, tuple)):
        texts = [_code(part, inline) for part in spec]
        if isinstance(spec, list):
            return "[" + ", ".join(texts) + "]"
        return "(" + ", ".join(texts) + ("," if len(texts) == 1 else "") + ")"
    return repr(spec)


class _Inline(ast.NodeTransformer):
    """Puts expressions in the places of names."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.values.get(node.id, node)


def _replace(spec: Any, values: Mapping[str, Value]) -> Any:
    if isinstance(spec, Dim):
        return values.get(spec.name, spec)
    if isinstance(spec, DerivedDim):
        return _replace_derived(spec, values)
    if isinstance(spec, dict):
        return {key: _replace(part, values) for key, part in spec.items()}
    if isinstance(spec, tuple) and hasattr(spec, "_fields"):
        return type(spec)(*[_replace(part, values) for part in spec])
    if isinstance(spec, (list, tuple)):
        return type(spec)(_replace(part, values) for part in spec)
    if isinstance(spec, ShapesCollection):
        return spec.mapped(lambda part: _replace(part, values))
    return spec


def _replace_derived(spec: DerivedDim, values: Mapping[str, Value]) -> Value:
    value = values.get(spec.root.name, spec.root)
    if isinstance(value, DimHint):
        return Dim.AUTO
    if isinstance(value, int):
        return E.expr(substitute(spec.expression, {spec.root.name: E.integer(value)})).const
    return DerivedDim(value.root, substitute(spec.expression, {spec.root.name: value.expression}))


def _path(source: str) -> list[Any]:
    """``d['b'][0].shape[1]`` as ``["d", "b", 0, 1]``."""
    try:
        tree: ast.expr = ast.parse(source, mode="eval").body
    except SyntaxError as error:
        raise UserError("E302", f"not an input of the program: {source!r}") from error
    steps: list[Any] = []
    while not isinstance(tree, ast.Name):
        if isinstance(tree, ast.Subscript) and isinstance(tree.slice, ast.Constant):
            steps.append(tree.slice.value)
        elif isinstance(tree, ast.Attribute):
            steps += [tree.attr] if tree.attr != "shape" or not steps else []
        else:
            raise UserError("E302", f"not an input of the program: {source!r}")
        tree = tree.value
    return [tree.id, *reversed(steps)]


def _set(spec: Any, path: list[Any], value: Value, argument: int | None, name: str) -> Any:
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(spec, dict):
        if not rest and isinstance(step, int) and step not in spec:  # an axis counted from the end
            negative = [key for key in spec if isinstance(key, int) and key < 0]
            step = negative[0] if len(negative) == 1 else step
        return {**spec, step: _set(spec.get(step), rest, value, None, name)}
    if isinstance(spec, (list, tuple)):
        index = argument if argument is not None else step
        if hasattr(spec, "_fields") and isinstance(step, str):
            index = spec._fields.index(step)
        if not isinstance(index, int) or not 0 <= index < len(spec):
            raise UserError("E302", f"dynamic_shapes has no place for {name}")
        parts = [_set(part, rest, value, None, name) if i == index else part for i, part in enumerate(spec)]
        return type(spec)(*parts) if hasattr(spec, "_fields") else type(spec)(parts)
    if spec is None or isinstance(spec, DimHint):
        return value if not rest else {rest[0]: value} if len(rest) == 1 else spec
    raise UserError("E302", f"dynamic_shapes has no place for {name}")


@takes(msg=TEXT, dynamic_shapes=_SPECIFICATION)
def refine_dynamic_shapes_from_suggested_fixes(msg: str, dynamic_shapes: Any) -> Any:
    r"""Apply the fixes that the text of a ``ConstraintViolation`` suggests.

    Nothing in the text is executed.

    Parameters
    ----------
    msg : str
        The text: ``exc.msg`` or ``str(exc)``.
    dynamic_shapes : dict, tuple, list or ShapesCollection
        What was given to ``export``.

    Returns
    -------
    object
        A copy of ``dynamic_shapes`` with the fixes applied.

    Raises
    ------
    UserError
        The text suggests no fixes, or not in a form that is understood (E302).

    Examples
    --------
    >>> text = "Suggested fixes:\n  dx = Dim('dx', max=6)\n  dy = dx + 1"
    >>> refine_dynamic_shapes_from_suggested_fixes(text, {"x": (Dim("dx"), Dim("dy"))})
    {'x': (Dim('dx', max=6), dx + 1)}
    """
    _, found, block = msg.rpartition(_HEADER)
    if not found:
        raise UserError("E302", "the text suggests no fixes", hint=_TEXT)
    known: dict[str, Value] = {dim.name: dim for dim in _dims_of(dynamic_shapes)}
    values: dict[str, Value] = {}
    arguments: dict[str, int | None] = {}
    for line in block.strip().splitlines():
        match = _LINE.match(line)
        if match is None:
            break
        name, text, argument = match.groups()
        values[name] = known[name] = _read(text, known)
        arguments[name] = int(argument) if argument else None
    if not values:
        raise UserError("E302", "the text suggests no fixes", hint=_TEXT)
    return apply_fixes(dynamic_shapes, values, arguments)


def _dims_of(spec: Any) -> list[Dim]:
    if isinstance(spec, (Dim, DerivedDim)):
        return [spec.root]
    if isinstance(spec, dict):
        return [dim for part in spec.values() for dim in _dims_of(part)]
    if isinstance(spec, (list, tuple)):
        return [dim for part in spec for dim in _dims_of(part)]
    return [dim for part in spec.specs() for dim in _dims_of(part)] if isinstance(spec, ShapesCollection) else []


def _read(text: str, known: Mapping[str, Value]) -> Value:
    """The right-hand side of a fix."""
    try:
        return _value(ast.parse(text, mode="eval").body, known)
    except (SyntaxError, ValueError, TypeError, KeyError, AttributeError, RecursionError, MemoryError) as error:
        raise UserError("E302", f"not a suggested fix: {text!r}") from error


def _value(tree: ast.expr, known: Mapping[str, Value]) -> Value:
    match tree:
        case ast.Constant(int() as value) if not isinstance(value, bool):
            return value
        case ast.Name(name):
            return known[name] if name in known else Dim(name)
        case ast.UnaryOp(ast.USub(), operand):
            return -_value(operand, known)
        case ast.BinOp(left, ast.Add(), right):
            return _value(left, known) + _value(right, known)
        case ast.BinOp(left, ast.Sub(), right):
            return _value(left, known) - _value(right, known)
        case ast.BinOp(left, ast.Mult(), right):
            return _value(left, known) * _value(right, known)
        case ast.BinOp(left, ast.FloorDiv(), right):
            return _value(left, known) // _value(right, known)
        case ast.Call(ast.Name("Dim"), [ast.Constant(str() as name)], keywords):
            return Dim(name, **_options(keywords))
        case ast.Attribute(ast.Name("Dim"), ("AUTO" | "DYNAMIC" | "STATIC") as kind):
            return DimHint(kind)
        case ast.Call(ast.Attribute(ast.Name("Dim"), ("AUTO" | "DYNAMIC" | "STATIC") as kind), [], keywords):
            return DimHint(kind)(**_options(keywords))
    raise ValueError(ast.unparse(tree))


def _options(keywords: list[ast.keyword]) -> dict[str, Any]:
    return {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in keywords}
