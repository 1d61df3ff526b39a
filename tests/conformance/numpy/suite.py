"""NumPy's own tests as programs: the arrays that a test makes are inputs, what it asserts is output; exported and held to eager NumPy.

``python -m tests.conformance.numpy.suite [MODULE [WORD]]`` runs the tests of a module of NumPy's
(``numpy._core.tests.test_indexing``), those with the word in their names, or all,
and prints how many are the same, how many are refused with which code, and every difference. It fails
where the differences are not those of :mod:`tests.conformance.numpy.differences`.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import itertools
import pkgutil
import random
import sys
import types
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from npexport import ExportError, export
from tests.conformance.numpy.differences import DIFFERENCES

CREATIONS = frozenset(("array", "arange", "zeros", "ones", "full", "linspace", "eye", "identity"))
LARGEST = 5000  # elements of an input
SOME = 4  # of the parameters of a test
_PARAMETRIZE = [
    inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
    for name in ("argnames", "argvalues", "indirect", "ids", "scope")
]


class Run:
    """What a test makes and asserts: ``made`` are its arrays in order, ``given`` what stands for them, ``said`` what it asserts."""

    made: list[Any] | None = None
    given: list[Any] | None = None
    said: list[Any] | None = None


def _make(array: Any) -> Any:
    if type(array) is not np.ndarray or array.dtype.hasobject or array.size > LARGEST:
        return array
    if Run.made is not None:
        Run.made.append(array.copy(order="K"))
    return array if Run.given is None else Run.given.pop(0)


def _say(*values: Any) -> None:
    if Run.said is not None:  # else the module itself asserts, where it is imported
        Run.said.append(values)


class _Raises:
    """``pytest.raises``: any exception but a refusal is caught and noted."""

    def __init__(self) -> None:
        self.value: Any = None

    def __enter__(self) -> Any:
        return self

    def __exit__(self, cls: Any, error: Any, traceback: Any) -> bool:
        if cls is None or isinstance(error, ExportError) or not issubclass(cls, Exception):
            return False
        self.value = error
        _say("raised", cls.__name__)
        return True


def _raises(*args: Any, match: Any = None, **kwargs: Any) -> Any:
    call = [arg for arg in args[1:] if not isinstance(arg, str)]
    if not call:
        return _Raises()
    with _Raises():
        call[0](*call[1:], **kwargs)


class _Nothing:
    """``pytest.warns``: warnings are no part of what is compared."""

    def __enter__(self) -> list[Any]:
        return []

    def __exit__(self, *error: Any) -> bool:
        return False


def _warns(*args: Any, **kwargs: Any) -> Any:
    call = [arg for arg in args[1:] if callable(arg)]
    return call[0](*args[2:]) if call else _Nothing()


class _Rewriting(ast.NodeTransformer):
    """Arrays made of constants become inputs, assertions outputs."""

    def visit_Call(self, node: ast.Call) -> Any:
        owner, name = _name(node.func)
        if owner == "np" and name in CREATIONS and all(map(_constant, [*node.args, *[item.value for item in node.keywords]])):
            return ast.copy_location(ast.Call(ast.Name("_make", ast.Load()), [node], []), node)
        self.generic_visit(node)
        if name.startswith("assert_") or owner == "pytest":
            known = {"raises": "_raises", "warns": "_warns", "deprecated_call": "_warns"}
            word = next((word for word in known if word in name), None)
            if word is not None or name.startswith("assert_"):
                node.func = ast.copy_location(ast.Name(known[word] if word else "_say", ast.Load()), node.func)
                node.keywords = node.keywords if word else []
        return node

    def visit_Assert(self, node: ast.Assert) -> Any:
        self.generic_visit(node)
        return ast.copy_location(ast.Expr(ast.Call(ast.Name("_say", ast.Load()), [node.test], [])), node)


def _name(function: Any) -> tuple[str, str]:
    if isinstance(function, ast.Attribute):
        return getattr(function.value, "id", ""), function.attr
    return "", getattr(function, "id", "")


def _constant(node: Any) -> bool:
    """Whether an argument has no names but NumPy's, and calls nothing else."""
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    calls = [part.func for part in ast.walk(node) if isinstance(part, ast.Call)]
    return names <= {"np", "float", "int", "bool", "complex", "range", "list"} and all(_name(call)[0] in ("", "np") for call in calls)


class Case(NamedTuple):
    """One test with one choice of parameters."""

    name: str
    owner: Any
    function: Any
    parameters: dict[str, Any]

    def run(self) -> None:
        """Run it as a test runner does."""
        if self.owner is None:
            return self.function(**self.parameters)  # type: ignore[no-any-return]
        one = self.owner()
        if hasattr(one, "setup_method"):
            one.setup_method()
        self.function(one, **self.parameters)


def cases(module: str) -> Iterator[Case]:
    """The tests of a module, rewritten. Those that want fixtures, or are slow, are left out."""
    spec = importlib.util.find_spec(module)
    assert spec is not None and spec.origin is not None
    with open(spec.origin) as file:
        tree = ast.fix_missing_locations(_Rewriting().visit(ast.parse(file.read())))
    rewritten = types.ModuleType(f"rewritten_{module.replace('.', '_')}")
    rewritten.__dict__.update(__file__=spec.origin, __package__=spec.parent, _make=_make, _say=_say, _raises=_raises, _warns=_warns)
    sys.modules[rewritten.__name__] = rewritten
    exec(compile(tree, spec.origin, "exec"), rewritten.__dict__)
    for name, value in list(vars(rewritten).items()):
        if name.startswith("test") and inspect.isfunction(value):
            yield from (Case(name, None, value, parameters) for parameters in _choices(None, value))
        elif name.startswith("Test") and inspect.isclass(value):
            for label, function in inspect.getmembers(value, inspect.isfunction):
                if label.startswith("test"):
                    yield from (Case(f"{name}.{label}", value, function, parameters) for parameters in _choices(value, function))


def _choices(owner: Any, function: Any) -> list[dict[str, Any]]:
    marks = [*getattr(function, "pytestmark", []), *getattr(owner, "pytestmark", [])]
    tables = []
    for mark in marks:
        if mark.name in ("skip", "slow", "thread_unsafe"):
            return []
        if mark.name == "parametrize":
            given, values = inspect.Signature(_PARAMETRIZE).bind(*mark.args, **mark.kwargs).args[:2]
            names = [name.strip() for name in given.split(",")] if isinstance(given, str) else list(given)
            rows = [getattr(row, "values", row) if hasattr(row, "marks") else row if len(names) > 1 else (row,) for row in values]
            tables.append([dict(zip(names, row, strict=True)) for row in rows])
    choices = [dict(itertools.chain.from_iterable(part.items() for part in parts)) for parts in itertools.product(*tables)]
    wanted = set(inspect.signature(function).parameters) - {"self"}
    choices = [choice for choice in choices if wanted <= set(choice)]
    return random.Random(1).sample(choices, SOME) if len(choices) > SOME else choices


def compare(case: Case) -> str:
    """``"same"``, ``"fails"`` (in eager execution, too), or the code of a refusal. Raises ``AssertionError`` where they differ."""
    eager, made = _observed(case)
    if not isinstance(eager, list):
        return "fails"

    def program(*arrays: Any) -> Any:
        Run.given, Run.said = list(arrays), []
        try:
            case.run()
            return Run.said
        finally:
            Run.given = None  # what only puts a constant back is no effect of a program that raises
            Run.said = None

    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = export(program, tuple(array.copy(order="K") for array in made)).module()(*made)
    except ExportError as refusal:
        assert refusal.code[1] != "9", f"{case.name} {case.parameters}: {refusal}"
        return refusal.code
    except Exception as error:
        raise AssertionError(f"{case.name} {case.parameters}: {type(error).__name__}: {error}") from error
    for place, (want, got) in enumerate(itertools.zip_longest(eager, found, fillvalue="nothing")):
        difference = next(((a, b) for a, b in itertools.zip_longest(_flat(want), _flat(got)) if a != b), None)
        assert difference is None, f"{case.name} {case.parameters}: at {place} of {len(eager)}: {difference[1]}, not {difference[0]}"
    return "same"


def _observed(case: Case) -> tuple[Any, list[Any]]:
    """What the test says in eager execution, and the arrays that it makes."""
    Run.made, Run.said = [], []
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            case.run()
        return Run.said, Run.made
    except (Exception, pytest.skip.Exception, pytest.xfail.Exception) as error:
        return error, []
    finally:
        Run.made = Run.said = None


def _flat(value: Any) -> Iterator[Any]:
    """Plain values that can be compared; of floats six digits, since sums may be taken in another order."""
    if isinstance(value, (list, tuple)):
        yield len(value)
        for item in value:
            yield from _flat(item)
    elif isinstance(value, (bool, np.bool_)):  # texts compare to Python's, of data to NumPy's
        yield bool(value)
    elif isinstance(value, (np.ndarray, np.generic)) and not value.dtype.hasobject:
        exact = value.dtype.kind in "biuSUmM"
        yield value.shape, value.dtype.str, value.tobytes() if exact else np.array2string(np.asarray(value), threshold=LARGEST, precision=6)
    elif isinstance(value, (int, float, complex, str, bytes, type(None))):
        yield repr(value)
    else:
        yield type(value).__name__


class Found(NamedTuple):
    """What came of the tests of a module: how often each outcome, which tests differ and how, and which the table has and do not differ."""

    outcomes: Counter[str]
    unlisted: list[str]
    stale: list[str]


def run(module: str, word: str = "") -> Found:
    """The tests of a module, compared with what is listed."""
    listed = DIFFERENCES.get(module, {})
    outcomes: Counter[str] = Counter()
    unlisted, differing, seen = [], set(), set()
    for case in cases(module):
        if word in case.name:
            seen.add(case.name)
            try:
                outcomes[compare(case)] += 1
            except AssertionError as difference:
                outcomes["different"] += 1
                differing.add(case.name)
                unlisted += [] if case.name in listed else [str(difference)]
    return Found(outcomes, unlisted, sorted(seen & listed.keys() - differing))


def modules() -> Iterator[str]:
    """The modules of tests of NumPy's parts that compute with arrays."""
    for part in ("_core", "lib", "linalg", "fft", "ma"):
        package = importlib.import_module(f"numpy.{part}.tests")
        yield from sorted(f"{package.__name__}.{name}" for _, name, _ in pkgutil.iter_modules(package.__path__) if name.startswith("test_"))


def main(module: str = "", word: str = "") -> None:
    """Run the tests of a module, or of all, and print what comes of them."""
    failed = False
    for name in [module] if module else modules():
        outcomes, unlisted, stale = run(name, word)
        print(
            name,
            dict(outcomes),
            *(f"\n  {text[:400]}" for text in unlisted),
            *(f"\n  no longer different: {test}" for test in stale),
            flush=True,
        )
        failed |= bool(unlisted or stale)
    sys.exit(failed)


if __name__ == "__main__":
    main(*sys.argv[1:])
