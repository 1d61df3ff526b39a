"""What the classes of symbolic values share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol

from npexport.symshapes import expr as E
from npexport.symshapes.decide import Facts
from npexport.symshapes.guards import OF_TEXTS
from npexport.symshapes.immutable import Immutable
from npexport.symshapes.ranges import ValueRanges
from npexport.symshapes.sympy_interop import to_sympy


class Environment(Protocol):
    """What symbolic values ask of the environment of their symbols;
    :class:`npexport.symshapes.env.ShapeEnv` says what each means.
    """

    facts: Facts
    closed: bool
    compared: bool
    foreign: Callable[[str, Any, Any], Any]
    of_data: Callable[..., Any] | None
    names: dict[str, str]
    hints: dict[str, Any]

    @property
    def symbols(self) -> Mapping[str, Any]: ...

    @property
    def traces(self) -> bool: ...

    def hint(self, value: Any) -> Any: ...

    def decide(self, truth: E.Bool) -> bool | None: ...

    def is_exact_float(self, value: E.Expr) -> bool: ...

    def lies_within(self, value: E.Expr, interval: ValueRanges, reason: str) -> bool: ...

    def evaluate(self, truth: E.Bool, reason: str = "") -> bool: ...

    def specialize(self, value: E.Expr, reason: str) -> int: ...

    def is_length(self, value: E.Expr) -> bool: ...
    def counts_elements(self, name: str) -> bool: ...

    def specialize_float(self, value: E.Float, reason: str) -> float: ...

    def check(self, truth: E.Bool, message: str = "") -> bool: ...

    def stands_apart(self, value: E.Expr | E.Bool, weight: int) -> bool: ...

    def is_data(self, value: Any) -> bool: ...

    def is_unknown(self, *values: Any) -> bool: ...

    def of_data_alone(self, truth: E.Bool) -> bool: ...


CLASSES: dict[type, type[Symbolic]] = {}
"""The class of symbolic values for each type of Python's numbers."""


class Symbolic(Immutable):
    """What sizes, truths and floats share: an expression and its environment.

    ``python``: the type that they stand for.
    """

    __slots__ = ("env", "expression")
    __array_ufunc__ = None  # NumPy's own scalars and arrays hand operators over instead of making object arrays
    python: ClassVar[type]
    expression: Any
    env: Environment

    def __init_subclass__(cls, python: type | None = None) -> None:
        if python is not None:
            cls.python = python
            CLASSES[python] = cls
            cls.__name__ = python.__name__  # as messages of CPython call what it stands for

    def __init__(self, expression: Any, env: Environment) -> None:
        self.expression = expression
        self.env = env

    @property
    def expr(self) -> Any:
        """The expression as SymPy's, which is imported for it."""
        return self._sympy_()

    def _sympy_(self) -> Any:
        return to_sympy(self.expression)

    @property
    def hint(self) -> Any:
        """The value at the example inputs; ``None`` where only the data know."""
        return self.env.hint(self.expression)

    def _constant(self, reason: str) -> Any:
        raise NotImplementedError

    def __str__(self) -> str:
        return str(self.expression) if self.env.closed else str(self._constant(OF_TEXTS))

    def __repr__(self) -> str:
        return str(self.expression) if self.env.closed else repr(self._constant(OF_TEXTS))

    def __format__(self, spec: str) -> str:
        return format(str(self.expression), spec) if self.env.closed else format(self._constant(OF_TEXTS), spec)

    def __hash__(self) -> int:
        if self.env.closed or self.env.compared:
            return hash(self.expression)
        return hash(self._constant("it is used as a key of a dict or member of a set"))
