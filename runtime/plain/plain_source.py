"""Source of npexport's own functions as plain Python: what a generated module includes, so that it
runs without npexport.

A function is included with everything that it uses: other functions of npexport, and constants,
under new names; NumPy and the standard library are imported. Annotations are left out.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import enum
import functools
import importlib
import inspect
import sys
import textwrap
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType, FunctionType, ModuleType, SimpleNamespace
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from npexport.ir import texts
from npexport.ir.containers import OneOf, chosen_text, of_attributes, of_items
from npexport.ir.dicts_of_some import DictOfSome, dict_text
from npexport.ir.list_of_rows import ListOfRows, rows_of
from npexport.ir.numpy_internals import umath
from npexport.ir.ops.rules import larger, smaller
from npexport.ir.printing import arg_text
from npexport.runtime.extensions import WRITTEN
from npexport.symshapes.plain import with_article

NUMPY = (np, np.linalg, np.fft, np.strings, np.lib.stride_tricks, umath)
STANDARD = (
    "math", "cmath", "operator", "functools", "itertools", "collections", "builtins", "importlib", "inspect", "sys", "types", "warnings",
)  # fmt: skip
OF_VALUES = ("datetime", "decimal", "fractions", "uuid")
"""Modules of values that show themselves as they are made."""
RESERVED = frozenset(("np", "STATE", "forward", "_require", "_is_array"))
"""What a module defines itself."""
UFUNCS = ("scipy.special", "scipy.special._ufuncs")
LIBRARIES = ("scipy", "sklearn")
"""Packages whose functions are operators: they are needed where the module runs."""
ON_NUMBERS = {smaller: min, larger: max}
"""Functions on sizes, and what they are of numbers."""
_PLAIN = frozenset({bool, int, float, complex, str, bytes, type(None), type(Ellipsis)})
_CACHED = type(functools.cache(id))


class NoSource(Exception):
    """A value that cannot be written as plain Python, and what to write instead."""

    def __init__(self, what: str, hint: str | None = None) -> None:
        super().__init__(what)
        self.hint = hint


def place_of(function: Any) -> tuple[str, str]:
    """The module and the name there that lead to a function, from the outermost package that has
    it. Raises `NoSource`.
    """
    home, name = getattr(function, "__module__", None) or "", getattr(function, "__qualname__", "")
    packages = home.split(".")
    for depth in range(1, len(packages) + 1) if home != "__main__" else ():
        found: Any = sys.modules.get(".".join(packages[:depth]))
        for step in name.split("."):
            found = getattr(found, step, None)
        if found is function:
            return ".".join(packages[:depth]), name
    raise NoSource(f"its function {name} cannot be imported from {home or 'a module'}")


def _is_named_tuple(cls: type) -> TypeGuard[Any]:
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


class Imported(NamedTuple):
    """A function that a module imports: an operator of a user's, made of it by functions that are
    taken along.
    """

    module: str
    name: str
    shown: str
    first: Callable[..., Any] | None
    held: functools.partial[Any]


class PlainSource:
    """The definitions that a module needs so far; ``imports`` are the modules that it imports."""

    def __init__(self) -> None:
        self.definitions: dict[str, str] = {}
        self.imports: set[str] = set()
        self._names: dict[int, str] = {}
        self._held: list[Any] = []  # what has an identity in ``_names`` lives on

    def text(self, value: Any) -> str:
        """The text of a value where it is used. Raises `NoSource`."""
        if isinstance(value, np.clongdouble):  # whose text Python reads as two doubles
            return f"np.array([{arg_text(value.real)}, {arg_text(value.imag)}]).view(np.clongdouble)[0]"
        if type(value) in _PLAIN or isinstance(value, (np.dtype, np.generic)):
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
        if type(value) in (set, frozenset):
            return f"{type(value).__name__}([{', '.join(sorted(map(self.text, value)))}])"
        if type(value) is range:
            return repr(value)
        if isinstance(value, Imported):
            return self._imported(value)
        if type(value).__module__ in OF_VALUES and getattr(getattr(value, "tzinfo", None), "key", None) is None:
            return self._value(value)
        if isinstance(value, enum.Enum):
            raise NoSource(f"the member {value.name} of the enumeration {type(value).__name__}", "Return its value: member.value.")
        if isinstance(value, tuple):
            return self._call(type(value), [self.text(item) for item in value])
        if isinstance(value, type) and (issubclass(value, BaseException) or _is_named_tuple(value)):
            return self._found(value) or self._class(value)
        if isinstance(value, ModuleType):
            return self._module(value)
        if type(value) is functools.partial:
            keywords = [f"{name}={self.text(item)}" for name, item in value.keywords.items()]
            return f"{self.text(functools.partial)}({', '.join([*map(self.text, (value.func, *value.args)), *keywords])})"
        return self._found(value) or self._defined(value)

    def _value(self, value: Any) -> str:
        """A date, a decimal number or the like, as it shows itself."""
        module, shown = type(value).__module__, repr(value)
        self.imports.add(module)
        return shown if shown.startswith(f"{module}.") else f"{module}.{shown}"

    def container(self, cls: type, context: Any, children: list[str]) -> str:
        """The text that makes a container of these children. Raises `NoSource`."""
        if cls is ListOfRows:
            return f"{self.text(rows_of)}({self.text(context)}, iter([{', '.join(children)}]))"
        if cls is OneOf:
            return chosen_text(children)
        if cls is DictOfSome:
            return dict_text(context, children, self.text)
        if cls is bytes:
            return f"{children[0]}.tobytes()"
        if cls is str:
            return texts.source(context, children, self.text)
        if _is_named_tuple(cls) and len(children) > (count := len(cls._fields)):
            items = f"[{', '.join(children[:count])}]"
            return f"{self.text(of_items)}({self._class(cls)}, {items}, {self._pairs(context[count:], children[count:])}.items())"
        if cls in (complex, set) or _is_named_tuple(cls):
            return self._call(cls, children)
        if cls is deque:
            return self._call(cls, [f"[{', '.join(children)}]", *([] if context is None else [self.text(context)])])
        if cls is defaultdict:
            return self._call(cls, [self.text(context[0]), self._pairs(context[1], children)])
        if dataclasses.is_dataclass(cls):
            return self._dataclass(cls, context, children)
        pairs = self._pairs(context, children)
        if cls in (Counter, OrderedDict):
            return self._call(cls, [pairs])
        if cls is SimpleNamespace:
            return self._call(cls, [f"**{pairs}"])
        return f"{self.text(of_attributes)}({self._class(cls)}, {pairs})"

    def _call(self, cls: type, arguments: Sequence[str]) -> str:
        return f"{self._found(cls) or self._class(cls)}({', '.join(arguments)})"

    def _pairs(self, keys: Any, children: Sequence[str]) -> str:
        return "{" + ", ".join(f"{self.text(key)}: {child}" for key, child in zip(keys, children, strict=True)) + "}"

    def _class(self, cls: type) -> str:
        """A class that can be imported; a named tuple of npexport's is made anew."""
        if cls.__module__.partition(".")[0] == "npexport":
            return self._anew(cls, lambda name: f"{name} = collections.namedtuple({name!r}, {cls._fields!r})", "collections")  # type: ignore[attr-defined]
        module = importlib.import_module(cls.__module__)
        if getattr(module, cls.__name__, None) is not cls or cls.__module__.partition(".")[0] == "__main__":
            hint = f"Define {cls.__name__} at the top level of a module that the script imports, not in the script itself."
            raise NoSource(f"the class {cls.__name__}, which cannot be imported", hint)
        self.imports.add(cls.__module__)
        return f"{cls.__module__}.{cls.__name__}"

    def _anew(self, cls: type, text: Callable[[str], str], needs: str) -> str:
        """The name of a class that the module defines itself."""
        name = self._names.get(id(cls))
        if name is None:
            name = self._free(cls.__name__)
            self._name(cls, name)
            self.imports.add(needs)
            self.definitions[name] = text(name)
        return name

    def _dataclass(self, cls: Any, fields: tuple[str, ...], children: list[str]) -> str:
        """An instance of a dataclass, made anew of its fields: who registers one imports npexport
        beside it.
        """
        if list(fields) != [field.name for field in dataclasses.fields(cls)]:
            raise NoSource(f"the result holds a {cls.__name__} whose values are not its fields")
        frozen = "(frozen=True)" if cls.__dataclass_params__.frozen else ""
        body = "".join(f"    {field}: object\n" for field in fields) or "    pass\n"
        name = self._anew(cls, lambda name: f"@dataclasses.dataclass{frozen}\nclass {name}:\n{body}".rstrip(), "dataclasses")
        return f"{name}({', '.join(children)})"

    def _module(self, module: ModuleType) -> str:
        if module.__name__ == "numpy" or module.__name__.startswith("numpy."):
            return "np" + module.__name__[len("numpy") :]
        if module.__name__ not in STANDARD and module.__name__.partition(".")[0] not in LIBRARIES:
            raise NoSource(f"the module {module.__name__}")
        self.imports.add(module.__name__)
        return module.__name__

    def _found(self, value: Any) -> str | None:
        """An attribute of NumPy, of a module of the standard library, or of another such object."""
        value = ON_NUMBERS.get(value, value) if callable(value) else value
        name = getattr(value, "__name__", "")
        owner = getattr(value, "__self__", None)
        if owner is not None and not isinstance(owner, (ModuleType, type)):
            return f"{self.text(owner)}.{name}" if getattr(owner, name, None) == value else None
        for module in (*NUMPY, *map(importlib.import_module, STANDARD)):
            if vars(module).get(name) is value:
                return name if module is builtins else f"{self._module(module)}.{name}"
        owner = getattr(value, "__objclass__", None)
        return f"{owner.__name__}.{name}" if owner in (int, float, str, list, tuple, dict) else self._of_library(value)

    def _of_library(self, value: Any) -> str | None:
        """A function of a package beside NumPy, by the outermost of its packages that has it."""
        name, home = getattr(value, "__name__", ""), getattr(value, "__module__", None) or ""
        for module in map(sys.modules.get, UFUNCS if isinstance(value, np.ufunc) else ()):
            if module is not None and vars(module).get(name) is value:
                return f"{self._module(module)}.{name}"
        if home.partition(".")[0] not in LIBRARIES:
            return None
        try:
            place, name = place_of(value)
        except NoSource:
            return None
        self.imports.add(place)
        return f"{place}.{name}"

    def _imported(self, value: Imported) -> str:
        """The name of a function that is imported, one for each call of the program."""
        self.imports.add(value.module)
        place = f"{value.module}.{value.name}"
        function = place if value.first is None else f"{self.text(value.first)}({place})"
        made = [self.text(part) for part in (functools.partial, value.held.func, *value.held.args)]
        name = self._free(f"_{value.name.rpartition('.')[2].strip('_<>')}")
        about = f"# `{value.shown}` is a function of {value.module}, which is needed where this module runs."
        self.definitions[name] = f"{about}\n{name} = {made[0]}({', '.join(made[1:])}, {function}, {value.shown!r})"
        return name

    def _defined(self, value: Any) -> str:
        """The name of a function of npexport, which is defined after those that it uses."""
        value = WRITTEN.get(value, value) if isinstance(value, BuiltinFunctionType) else value
        name = self._names.get(id(value))
        if name is not None:
            return name
        function = value.__wrapped__ if isinstance(value, _CACHED) else value
        if not isinstance(function, FunctionType) or not function.__globals__.get("__name__", "").startswith("npexport."):
            named = getattr(value, "__qualname__", None)
            raise NoSource(with_article(type(value).__name__) if named is None else f"{type(value).__name__} {named!r}")
        name = self._name_of(value)
        cache = "" if function is value else f"@{self.text(functools.cache)}\n"
        self.definitions[name] = cache + self._function(function, name)
        return name

    def _name_of(self, value: Any) -> str:
        """A new name of a function."""
        return self._name(value, self._free(f"_{value.__name__.strip('_<>')}"))

    def _free(self, name: str) -> str:
        while name in RESERVED or name in self._names.values() or name in self.definitions:
            name += "_"
        return name

    def _name(self, value: Any, name: str) -> str:
        self._names[id(value)] = name
        self._held.append(value)
        return name

    def mark(self, base: str) -> str:
        """The name of a new object, which is equal to nothing but itself."""
        name = self._free(base)
        self.definitions[name] = f"{name} = object()"
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
        text = self.text(value)
        while name in RESERVED or self.definitions.setdefault(name, f"{name} = {text}") != f"{name} = {text}":
            name += "_"  # another constant has the name
        return name


class _Bare(ast.NodeTransformer):
    """Drops annotations, which name types of npexport."""

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
