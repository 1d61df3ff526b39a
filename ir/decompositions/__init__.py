"""Decompositions: composite operators as programs of simpler operators, and tables of them.

A decomposition is a function with the operator's own parameters. It is traced like a user's
program with the operands of a call, and the recorded nodes replace the call. The modules listed
here register npexport's own decompositions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any

from npexport.ir.op import REGISTRY, Op
from npexport.symshapes.errors import UserError, briefly
from npexport.symshapes.parameters import FUNCTION, takes

__all__ = ["CustomDecompTable", "core_operators", "default_decompositions", "register_decomposition"]

Decomposition = Callable[..., Any]

MODULES = (
    "elementwise",
    "own_sources",
    "shapes",
    "reductions",
    "indexing",
    "linalg",
    "signal",
    "scalars",
    "strings",
    "dates",
    "statistics",
    "nn_activation",
    "nn_conv",
    "nn_linear",
    "nn_loss",
    "nn_norm",
    "nn_pool",
    "nn_recurrent",
    "nn_resample",
)
"""The modules of this package that register decompositions."""


def load() -> None:
    """Register npexport's own decompositions, once."""
    import_module("npexport.ir.ops")
    for name in MODULES:
        import_module(f"{__name__}.{name}")


@briefly
def register_decomposition(op_or_name: Op | str) -> Callable[[Decomposition], Decomposition]:
    """Register the decomposition of an operator.

    Parameters
    ----------
    op_or_name : Op or str
        The operator, or its name: ``ops.my_lib.scale`` or ``"my_lib::scale"``.

    Returns
    -------
    callable
        A decorator for a function of the operator's parameters, written in NumPy and other
        operators, which ``ExportedProgram.run_decompositions`` traces. Its results must have the
        operator's shapes and dtypes.

    Raises
    ------
    UserError
        There is no such operator (E201).

    Examples
    --------
    >>> import numpy as np, npexport
    >>> npexport.ops.np.hypot.is_core
    True
    >>> table = npexport.CustomDecompTable({npexport.ops.np.hypot: lambda x, y: np.sqrt(x * x + y * y)})
    >>> program = npexport.export(np.hypot, (np.ones(3), np.ones(3))).run_decompositions(table)
    >>> [str(node.target) for node in program.graph.find_nodes(op="call_function")]
    ['ops.np.multiply', 'ops.np.multiply', 'ops.np.add', 'ops.np.sqrt']
    """
    op = op_or_name if isinstance(op_or_name, Op) else REGISTRY.get(str(op_or_name).replace("::", ".").removeprefix("ops."))
    if op is None:
        raise UserError("E201", f"there is no operator {op_or_name!r}", hint="Pass an operator such as npexport.ops.np.hypot, or its name.")

    @takes(function=FUNCTION)
    def declare(function: Decomposition) -> Decomposition:
        object.__setattr__(op, "decomposition", function)  # the last fact that a record learns
        return function

    return declare


def _rows(rules: Any) -> Any:
    """``rules`` as a mapping or a list of pairs. Raises ``UserError`` (E201) for anything else."""
    rows = list(rules) if isinstance(rules, Iterable) and not isinstance(rules, Mapping) else rules
    if not isinstance(rows, Mapping) and not (isinstance(rows, list) and all(isinstance(row, tuple) and len(row) == 2 for row in rows)):
        raise UserError(
            "E201",
            f"a table of decompositions is made of a mapping, not of {rules!r}",
            hint="Pass None, {}, or npexport.default_decompositions().",
        )
    return rows


class CustomDecompTable(MutableMapping[Op, Decomposition]):
    """Which operators `ExportedProgram.run_decompositions` decomposes, and how.

    It is a mapping from operators to functions: delete an operator to keep it, assign one to give
    it a rule of your own; ``|`` joins tables. A missing key is a ``KeyError``.

    Parameters
    ----------
    rules : mapping, optional
        The initial rows.

    Raises
    ------
    UserError
        The rules do not map operators to functions (E201).

    Examples
    --------
    >>> import numpy as np, npexport
    >>> table = npexport.default_decompositions()
    >>> table[npexport.ops.np.sin] = lambda x: np.cos(x - np.pi / 2)
    >>> program = npexport.export(np.sin, (np.ones(3),)).run_decompositions(table)
    >>> [str(node.target) for node in program.graph.find_nodes(op="call_function")]
    ['ops.np.subtract', 'ops.np.cos']
    """

    def __init__(self, rules: Mapping[Op, Decomposition] | Iterable[tuple[Op, Decomposition]] = ()) -> None:
        self._rules: dict[Op, Decomposition] = {}
        self.update(rules)

    def __getitem__(self, op: Op) -> Decomposition:
        return self._rules[op]

    def __setitem__(self, op: Op, decomposition: Decomposition) -> None:
        if not isinstance(op, Op) or not callable(decomposition):
            raise UserError(
                "E201",
                f"a table of decompositions maps operators to functions, not {op!r} to {decomposition!r}",
                hint="Assign table[npexport.ops.np.hypot] = lambda x, y: np.sqrt(x * x + y * y).",
            )
        self._rules[op] = decomposition

    def __delitem__(self, op: Op) -> None:
        del self._rules[op]

    def __iter__(self) -> Iterator[Op]:
        return iter(self._rules)

    def __len__(self) -> int:
        return len(self._rules)

    def __reversed__(self) -> Iterator[Op]:
        return reversed(self._rules)

    def __or__(self, other: Mapping[Op, Decomposition]) -> CustomDecompTable:
        """A new table with the rows of both; those of the right one replace those of the left."""
        return CustomDecompTable({**self._rules, **other}) if isinstance(other, Mapping) else NotImplemented

    def __ror__(self, other: Mapping[Op, Decomposition]) -> CustomDecompTable:
        return CustomDecompTable({**other, **self._rules}) if isinstance(other, Mapping) else NotImplemented

    def __ior__(self, other: Mapping[Op, Decomposition] | Iterable[tuple[Op, Decomposition]]) -> CustomDecompTable:
        self.update(other)
        return self

    def copy(self) -> CustomDecompTable:
        """An independent table with the same rows."""
        return CustomDecompTable(self._rules)

    def pop(self, op: Op, *default: Any) -> Any:
        """Remove the row of ``op``, so that the operator is kept, and return its decomposition.

        Without a row, return ``default``; raise ``KeyError`` if there is no default either.
        """
        return super().pop(op, *default)

    def update(self, *rows: Any, **named: Any) -> None:
        """Add ``*rows``, each a mapping or pairs of operators and decompositions.

        ``**named`` is refused: names are not operators.
        """
        super().update(*map(_rows, rows), **named)

    def materialize(self) -> dict[Op, Decomposition]:
        """The rows as a plain dict."""
        return dict(self._rules)

    def __repr__(self) -> str:
        return f"CustomDecompTable({', '.join(map(str, self._rules))})"


def default_decompositions() -> CustomDecompTable:
    """A new table with the decompositions of all operators that have one.

    Returns
    -------
    CustomDecompTable
        The table that ``run_decompositions()`` uses by default.

    Examples
    --------
    >>> import npexport
    >>> npexport.ops.np.square in npexport.default_decompositions()
    True
    """
    load()
    return CustomDecompTable({op: op.decomposition for op in REGISTRY if op.decomposition is not None})


def rules_of(tables: Iterable[Mapping[Op, Decomposition] | None]) -> dict[Op, Decomposition]:
    """The rows of the table that is not ``None``, those by default if there is none.

    Raises ``UserError`` (E201) for two tables.
    """
    given = [table for table in tables if table is not None]
    if len(given) > 1:
        raise UserError("E201", "a table is given as table and as decomp_table", hint="Pass it once.")
    return dict(CustomDecompTable(given[0]) if given else default_decompositions())


def core_operators() -> frozenset[Op]:
    """The operators of ``np`` and ``nn`` without a decomposition: every program can be reduced to
    them.

    Returns
    -------
    frozenset of Op
        Operators of other namespaces count as core, but are not listed.

    Examples
    --------
    >>> import npexport
    >>> npexport.ops.np.add in npexport.core_operators()
    True
    """
    load()
    return frozenset(op for op in REGISTRY if op.namespace in ("np", "nn") and op.decomposition is None)
