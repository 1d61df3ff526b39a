"""Source of npexport's own functions as plain Python: what a generated module takes with it, so
that it runs without npexport.

A function is taken with all that it uses: other functions of npexport, and constants, under names
of their own; NumPy and the standard library are imported. Annotations are left out.
"""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import inspect
import textwrap
from collections import Counter, OrderedDict
from collections.abc import Sequence
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from npexport.ir.numpy_internals import umath
from npexport.ir.ops.rules import larger, smaller
from npexport.ir.printing import arg_text

NUMPY = (np, np.linalg, np.fft, np.strings, np.lib.stride_tricks, umath)
STANDARD = ("math", "cmath", "operator", "functools", "itertools", "collections", "builtins", "importlib", "warnings")
ON_NUMBERS = {smaller: min, larger: max}
"""Functions on sizes, and what they are of numbers."""
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), np.dtype, np.generic)


class NoSource(Exception):
    """A value that plain Python has no text for."""


class PlainSource:
    """The definitions that a module needs so far; ``imports`` are the modules that it imports."""

    def __init__(self) -> None:
        self.definitions: dict[str, str] = {}
        self.imports: set[str] = set()
        self._names: dict[int, str] = {}
        self._held: list[Any] = []  # what has an identity in ``_names`` lives on

    def text(self, value: Any) -> str:
        """The text of a value where it is used. Raises `NoSource`."""
        if isinstance(value, _PLAIN):
            return arg_text(value)
        if isinstance(value, np.ndarray) and value.ndim == 0 and not value.dtype.hasobject:
            return f"np.array({arg_text(value[()])}, {arg_text(value.dtype)})"
        if type(value) in (tuple, list):
            items = [self.text(item) for item in value]
            return f"[{', '.join(items)}]" if type(value) is list else f"({', '.join(items)}{',' * (len(items) == 1)})"
        if type(value) is dict:
            return "{" + ", ".join(f"{self.text(key)}: {self.text(item)}" for key, item in value.items()) + "}"
        if type(value) is slice:
            return f"slice({self.text(value.start)}, {self.text(value.stop)}, {self.text(value.step)})"
        if type(value) in (set, frozenset) and value:
            return f"{type(value).__name__}([{', '.join(sorted(map(self.text, value)))}])"
        if isinstance(value, ModuleType):
            return self._module(value)
        if type(value) is functools.partial:
            keywords = [f"{name}={self.text(item)}" for name, item in value.keywords.items()]
            return f"{self.text(functools.partial)}({', '.join([*map(self.text, (value.func, *value.args)), *keywords])})"
        return self._found(value) or self._defined(value)

    def container(self, cls: type, context: Any, children: list[str]) -> str:
        """The text that makes a container of these children. Raises `NoSource`."""
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            return f"{self._class(cls)}({', '.join(children)})"
        if cls in (complex, set):
            return f"{cls.__name__}({', '.join(children)})"
        if cls is Counter:
            pairs = [f"{self.text(key)}: {child}" for key, child in zip(context, children, strict=True)]
            return f"{self._class(cls)}({{{', '.join(pairs)}}})"
        if cls is SimpleNamespace:
            pairs = [f"{self.text(name)}: {child}" for name, child in zip(context, children, strict=True)]
            return f"{self._class(cls)}(**{{{', '.join(pairs)}}})"
        if cls is OrderedDict:
            pairs = [f"({self.text(key)}, {child})" for key, child in zip(context, children, strict=True)]
            return f"{self.text(cls)}([{', '.join(pairs)}])"
        raise NoSource(f"the result holds a {cls.__name__}")

    def _class(self, cls: type) -> str:
        """A class that can be imported; a named tuple of npexport's is made anew."""
        if cls.__module__.partition(".")[0] == "npexport":
            self.imports.add("collections")
            self.definitions[cls.__name__] = f"{cls.__name__} = collections.namedtuple({cls.__name__!r}, {cls._fields!r})"  # type: ignore[attr-defined]
            return cls.__name__
        module = importlib.import_module(cls.__module__)
        if getattr(module, cls.__name__, None) is not cls or cls.__module__.partition(".")[0] == "__main__":
            raise NoSource(f"the result holds a {cls.__name__}")
        self.imports.add(cls.__module__)
        return f"{cls.__module__}.{cls.__name__}"

    def _module(self, module: ModuleType) -> str:
        if module.__name__ == "numpy" or module.__name__.startswith("numpy."):
            return "np" + module.__name__[len("numpy") :]
        if module.__name__ not in STANDARD:
            raise NoSource(f"the module {module.__name__}")
        self.imports.add(module.__name__)
        return module.__name__

    def _found(self, value: Any) -> str | None:
        """What is an attribute of NumPy, of a module of the standard library, or of another such
        object.
        """
        value = ON_NUMBERS.get(value, value) if callable(value) else value
        name = getattr(value, "__name__", "")
        owner = getattr(value, "__self__", None)
        if owner is not None and not isinstance(owner, (ModuleType, type)):
            return f"{self.text(owner)}.{name}" if getattr(owner, name, None) == value else None
        for module in (*NUMPY, *map(importlib.import_module, STANDARD)):
            if vars(module).get(name) is value:
                return name if module is builtins else f"{self._module(module)}.{name}"
        owner = getattr(value, "__objclass__", None)
        return f"{owner.__name__}.{name}" if owner in (int, float, str, list, tuple, dict) else None

    def _defined(self, value: Any) -> str:
        """A function of npexport: it is defined after what it uses."""
        name = self._names.get(id(value))
        if name is not None:
            return name
        if not isinstance(value, FunctionType) or not value.__globals__.get("__name__", "").startswith("npexport."):
            raise NoSource(f"{type(value).__name__} {getattr(value, '__qualname__', value)!r}")
        name = self._name_of(value)
        self.definitions[name] = self._function(value, name)
        return name

    def _name_of(self, value: Any) -> str:
        """A new name of a function."""
        name = f"_{value.__name__.strip('_<>')}"
        while name in self._names.values() or name in self.definitions:
            name += "_"
        self._names[id(value)] = name
        self._held.append(value)
        return name

    def define(self, function: FunctionType, parameters: Sequence[str], body: Sequence[str]) -> str:
        """The name of a new function with this body."""
        name = self._name_of(function)
        self.definitions[name] = f"def {name}({', '.join(parameters)}):\n" + "\n".join(f"    {line}" for line in body)
        return name

    def _function(self, function: FunctionType, name: str) -> str:
        """Decorators are left out: what they made of a function is a function that has it in its
        closure.
        """
        if function.__name__ == "<lambda>":
            raise NoSource(f"the function {function.__qualname__}")
        tree: Any = ast.parse(textwrap.dedent(inspect.getsource(function.__code__))).body[0]
        tree = _Bare().visit(tree)
        tree.name, tree.decorator_list = name, []
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        around = function.__globals__ | {variable: cell.cell_contents for variable, cell in cells}
        local = {each.arg for each in ast.walk(tree) if isinstance(each, ast.arg)}
        local |= {each.id for each in ast.walk(tree) if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)}
        for each in ast.walk(tree):
            if isinstance(each, ast.Import | ast.ImportFrom):
                raise NoSource(f"the function {function.__qualname__}, which imports")
            if isinstance(each, ast.Name) and each.id not in local and each.id in around:
                each.id = self._global(each.id, around[each.id])
        return ast.unparse(ast.fix_missing_locations(tree))

    def _global(self, name: str, value: Any) -> str:
        """What a function calls ``name``: itself where it is something of NumPy's, else a
        definition.
        """
        if isinstance(value, ModuleType) or callable(value):
            return self.text(value)
        if type(value) is object:  # a mark that is compared by identity
            self.definitions[name] = f"{name} = object()"
            return name
        if self.definitions.setdefault(name, text := f"{name} = {self.text(value)}") != text:
            raise NoSource(f"two constants {name}")
        return name


class _Bare(ast.NodeTransformer):
    """Without annotations, which speak of npexport's types."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        self.generic_visit(node)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return ast.Pass()
        return ast.copy_location(ast.Assign([node.target], self.visit(node.value)), node)
