"""The examples in NumPy's docstrings as programs: what a statement reads of arrays is input, what it gives and leaves is output.

``python -m tests.conformance.numpy.docstrings [PART OF A NAME]`` exports every statement, with static and with dynamic sizes, holds both
to eager NumPy, the latter at other sizes too, and prints what differs and how many are refused with which code.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import doctest
import importlib
import inspect
import io
import itertools
import signal
import sys
import types
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from npexport import Dim, ExportError, export
from tests.support.functions import function_of
from tests.support.images import image
from tests.support.numpy_names import MODULES

SPACES = (*MODULES, "numpy.char", "numpy.emath", "numpy.ma.extras")
_SERIES = np.polynomial
CLASSES = (
    np.ndarray, np.random.Generator, np.generic, np.ufunc, np.poly1d, _SERIES.Polynomial, _SERIES.Chebyshev, _SERIES.Legendre,
    _SERIES.Laguerre, _SERIES.Hermite, _SERIES.HermiteE, np.flatiter, np.broadcast, np.dtype,
)  # fmt: skip
LEFT_OUT = (
    "matplotlib", "plt.", "scipy", "open(", "tempfile", "memmap", "save", "load", "tofile", "fromfile", "print_function", "show_", "info(",
    "random.seed", "random.rand", "np.random.normal", "np.random.uniform", "np.random.choice", "np.empty(", "mpl", "timeit",
    "getrandbits", "print(", "genfromtxt", "StringIO", "os.", "ctypes", "set_printoptions",
)  # fmt: skip
"""What examples draw, read and write is not a program of arrays."""
INPUTS = (np.ndarray, np.random.Generator)
LARGEST = 20_000


class Example(NamedTuple):
    """A statement of an object's docstring: its source, and the names that stood before it."""

    name: str
    source: str
    space: dict[str, Any]


def documented() -> Iterator[tuple[str, str]]:
    """Each object of NumPy with a docstring that has examples, once."""
    seen: set[str] = set()
    for space in SPACES:
        with contextlib.suppress(ImportError):
            module = importlib.import_module(space)
            for name in sorted(getattr(module, "__all__", None) or dir(module)):
                yield from _text(f"{space}.{name}", getattr(module, name, None), seen)
    for cls in CLASSES:
        for name in sorted(dir(cls)):
            if not name.startswith("__"):
                yield from _text(f"{cls.__module__}.{cls.__name__}.{name}", inspect.getattr_static(cls, name), seen)


def _text(name: str, value: Any, seen: set[str]) -> Iterator[tuple[str, str]]:
    text = getattr(value, "__doc__", None)
    if isinstance(text, str) and ">>>" in text and text not in seen and not isinstance(value, (types.ModuleType, str)):
        seen.add(text)
        yield name, text


_MAKING = ("np.array", "np.arange", "np.linspace", "np.random.default_rng")
_KNOWN = {"np", "float", "int", "bool", "complex"}


class _Lifting(ast.NodeTransformer):
    """``np.array`` and ``np.arange`` of constants become inputs: they are called before, and a name stands for them."""

    def __init__(self, space: dict[str, Any]) -> None:
        self.space = space

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        made = isinstance(node.func, ast.Attribute) and node.func.attr in ("array", "arange", "default_rng", "linspace")
        owned = isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) in ("np", "np.random", "numpy")
        if (
            made
            and owned
            and all(part.id in ("np", "float", "int", "bool", "object", "complex") for part in ast.walk(node) if isinstance(part, ast.Name))
        ):
            with contextlib.suppress(Exception), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = eval(compile(ast.Expression(node), "<made>", "eval"), dict(self.space))
                if isinstance(value, INPUTS):
                    name = f"made_{len(self.space)}"
                    self.space[name] = value
                    return ast.copy_location(ast.Name(name, ast.Load()), node)
        return self.generic_visit(node)


def examples(name: str, text: str) -> Iterator[Example]:
    """The statements of a docstring that read arrays or generators."""
    space: dict[str, Any] = {"np": np, "numpy": np}
    try:
        found = doctest.DocTestParser().get_examples(text, name)
    except ValueError:
        return
    for example in found:
        if any(word in example.source for word in LEFT_OUT):
            continue
        try:
            tree = ast.parse(example.source)
        except SyntaxError:
            continue
        for statement in tree.body:
            before = _copied(space)
            with _silent(), contextlib.suppress(Exception):
                exec(compile(ast.Module([statement], []), "<example>", "exec"), space)
            if isinstance(statement, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)):
                continue
            lifted = ast.fix_missing_locations(_Lifting(before).visit(ast.parse(ast.unparse(statement)).body[0]))
            yield Example(name, ast.unparse(lifted), before)


def _copied(space: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in space.items() if name != "__builtins__"}
    return {name: copy.deepcopy(value) if isinstance(value, INPUTS) else value for name, value in kept.items()}


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


def program(example: Example) -> tuple[Any, list[Any]] | None:
    """A function of the arrays and generators that the statement reads, and these; ``None`` where it reads none."""
    tree = ast.parse(example.source)
    read = [part.id for part in ast.walk(tree) if isinstance(part, ast.Name) and isinstance(example.space.get(part.id), INPUTS)]
    names = list(dict.fromkeys(name for name in read if getattr(example.space[name], "size", 0) <= LARGEST))
    names = [name for name in names if not (isinstance(example.space[name], np.ndarray) and example.space[name].dtype.hasobject)]
    names = [name for name in names if type(example.space[name]) in INPUTS]
    if not names:
        return None
    statement, stored = tree.body[0], []
    if isinstance(statement, ast.Expr):
        lines = [f"result = {ast.unparse(statement.value)}"]
        stored = ["result"]
    else:
        lines = example.source.splitlines()
        parts = ast.walk(tree)
        stored = sorted({part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)} - set(names))
    body = "\n".join(f"    {line}" for line in [*lines, f"return [{', '.join(f'plain({name})' for name in [*stored, *names])}]"])
    program = function_of(f"def program({', '.join(names)}):\n{body}", {**example.space, "plain": plain})
    return program, [example.space[name] for name in names]


def plain(value: Any) -> Any:
    """What no program gives back as its parts."""
    if isinstance(value, np.random.Generator):
        return value.random(2)
    if hasattr(value, "coef") and not isinstance(value, np.ndarray):
        return value.coef
    if hasattr(value, "__next__") or type(value) in (np.ndindex, np.flatiter, np.broadcast):
        return list(value)
    return value


class Outcome(NamedTuple):
    """What a call gives, or what it raises; and what it warned of."""

    value: Any
    error: Any
    warned: list[tuple[type, str]]


def outcome(call: Any, given: list[Any]) -> Outcome:
    """Call it with copies of what is given. Raises refusals."""
    given = [copy.deepcopy(value) if not isinstance(value, np.ndarray) else value.copy(order="K") for value in given]
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        try:
            value, error = call(*given), None
        except ExportError:
            raise
        except Exception as raised:
            value, error = None, raised
    return Outcome(value, error, [(each.category, str(each.message)) for each in caught])


def grown(value: Any) -> Any:
    """An array of other sizes: each axis as long again."""
    if isinstance(value, np.ndarray):
        for axis in range(value.ndim):
            value = np.concatenate([value, value], axis)
    return value


def check(example: Example, *, dynamic: bool) -> str:
    """``same``, ``no program``, ``fails`` (in eager execution, too) or the code of a refusal.

    Raises ``AssertionError`` where they differ.
    """
    made = program(example)
    if made is None:
        return "no program"
    call, given = made
    eager = outcome(call, given)
    shapes = [{axis: Dim.AUTO for axis in range(value.ndim)} if isinstance(value, np.ndarray) else None for value in given]
    copies = [copy.deepcopy(value) if not isinstance(value, np.ndarray) else value.copy(order="K") for value in given]
    try:
        with _silent():
            exported = export(call, tuple(copies), dynamic_shapes=tuple(shapes) if dynamic else None)
    except ExportError as refusal:
        assert refusal.code[1] != "9", f"{example.name}: {example.source}\n  {refusal}"
        return refusal.code
    except Exception as error:
        same = eager.error is not None and (type(error), str(error)) == (type(eager.error), str(eager.error))
        assert same, f"{example.name}: {example.source}\n  export raises {error!r}, eager {eager.error!r}"
        return "fails"
    _compare(example, eager, exported.module(), given, "dynamic" if dynamic else "static")
    if dynamic:
        larger = [grown(value) for value in given]
        _compare(example, outcome(call, larger), exported.module(), larger, "at other sizes", may_refuse=True)
    return "same"


def _compare(example: Example, eager: Outcome, module: Any, given: list[Any], how: str, *, may_refuse: bool = False) -> None:
    try:
        ours = outcome(module, given)
    except ExportError:
        if may_refuse:
            return
        raise
    context = f"{example.name}: {example.source}\n  {how}: "
    errors = [each.error and (type(each.error), str(each.error)) for each in (ours, eager)]
    assert errors[0] == errors[1], f"{context}raises {ours.error!r}, eager {eager.error!r}"
    have, need = image(ours.value, strides=True), image(eager.value, strides=True)
    assert have == need, f"{context}{have}, eager {need}"
    assert ours.warned == eager.warned, f"{context}WARNS {ours.warned}, eager {eager.warned}"


class _Late(BaseException):
    pass


def _late(*_: Any) -> None:
    raise _Late


def timed(example: Example, *, dynamic: bool) -> str:
    """As `check`; ``late`` where it takes more than 20 seconds."""
    before = signal.signal(signal.SIGALRM, _late)
    signal.alarm(20)
    try:
        return check(example, dynamic=dynamic)
    except _Late:
        return "late"
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


class Found(NamedTuple):
    """How often each outcome came, and the differences."""

    outcomes: Counter[str]
    differences: list[str]


def run(word: str, *, every: int = 1, forms: tuple[bool, ...] = (False, True)) -> Found:
    """The examples of the names with the word, or each of so many, with static sizes, dynamic ones or both."""
    found = Found(Counter(), [])
    chosen = (example for name, text in documented() if word in name for example in examples(name, text))
    for example in itertools.islice(chosen, 0, None, every):
        for dynamic in forms:
            try:
                outcome = timed(example, dynamic=dynamic)
            except AssertionError as difference:
                outcome = "differs"
                found.differences.append(str(difference))
            found.outcomes[outcome] += 1
    return found


def main(word: str = "") -> None:
    """Run the examples of the names with the word and print what comes of them."""
    found = run(word)
    print(*found.differences, dict(found.outcomes), sep="\n")
    sys.exit(bool(found.differences))


if __name__ == "__main__":
    main(*sys.argv[1:])
