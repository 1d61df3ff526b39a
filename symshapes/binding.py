"""From a specification and the example inputs to symbols: what each size of each input is while
tracing, and what the specification promises.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from npexport.symshapes import expr as E
from npexport.symshapes.derived_sources import DerivedSource
from npexport.symshapes.dims import DerivedDim, Dim, DimHint
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.errors import UserError
from npexport.symshapes.ranges import EVERYTHING, SIZES
from npexport.symshapes.rewrite import evaluate, substitute
from npexport.symshapes.spec import LeafSpec
from npexport.symshapes.symint import SymInt
from npexport.symshapes.wrapping import wrap_int


@dataclass(frozen=True, slots=True)
class Binding:
    """One dynamic size or number of the inputs: where it comes from in the user's terms, its
    expression, what the specification says, its example.
    """

    source: str
    argument: int
    expression: E.Expr
    dim: Dim | DerivedDim | DimHint
    example: int


@dataclass(slots=True)
class Bindings:
    """``shapes``: for each leaf of the inputs, in order, its shape (a tuple of ``int`` and
    ``SymInt``) or number; ``sizes``: all that is dynamic; ``roots``: what each symbol stands for.
    """

    shapes: list[Any] = field(default_factory=list)
    sizes: list[Binding] = field(default_factory=list)
    roots: dict[str, Dim | DimHint] = field(default_factory=dict)

    def named(self, symbol: str) -> bool:
        """Whether the symbol is a promise: that of a named ``Dim``."""
        return isinstance(self.roots.get(symbol), Dim)

    def name(self, symbol: str, env: ShapeEnv) -> str:
        """What the user calls the symbol: the name of the ``Dim``, else the input's size."""
        root = self.roots.get(symbol)
        return root.name if isinstance(root, Dim) else env.names[symbol]


def bind(env: ShapeEnv, leaves: Iterable[LeafSpec]) -> Bindings:
    """Make the symbols of a specification, in input order. Raises ``UserError``: E303 where the
    example does not fit it, E302 where it is contradictory.

    >>> class X:
    ...     shape = (8, 3)
    >>> bindings = bind(ShapeEnv(), [LeafSpec("x", X(), (2 * Dim("k"), 3))])
    >>> [size.expression for size in bindings.sizes], bindings.shapes[0][1]
    ([2*s0], 3)
    """
    binder = _Binder(env, list(leaves))
    binder.run()
    return binder.bindings


class _Binder:
    def __init__(self, env: ShapeEnv, leaves: list[LeafSpec]) -> None:
        self.env = env
        self.leaves = leaves
        self.bindings = Bindings()
        self.roots: dict[str, tuple[Dim, str]] = {}  # by the name of the Dim: the Dim and its symbol
        arguments = dict.fromkeys(leaf.path.partition("[")[0].partition(".")[0] for leaf in leaves)
        self.arguments = {name: index for index, name in enumerate(arguments)}
        self.direct: dict[str, tuple[str, int]] = {}  # by the name of the Dim: the first size that it is by itself
        self.carriers: dict[str, tuple[str, int, DerivedDim]] = {}  # … or the first size that determines it

    def run(self) -> None:
        dynamic = [leaf for leaf in self.leaves if leaf.dims.count(None) < len(leaf.dims)]
        for leaf in dynamic:
            for source, example, dim in _sizes(leaf):
                if isinstance(dim, Dim):
                    self.direct.setdefault(dim.name, (source, example))
                elif isinstance(dim, DerivedDim) and _linear(dim.expression) is not None:
                    self.carriers.setdefault(dim.root.name, (source, example, dim))
        for leaf in self.leaves:
            if leaf.dims.count(None) == len(leaf.dims):
                self.bindings.shapes.append(leaf.value.shape if leaf.is_array else leaf.value)
                continue
            sizes = [self.size(leaf, *entry) for entry in _sizes(leaf)]
            self.bindings.shapes.append(tuple(sizes) if leaf.is_array else sizes[0])

    def size(self, leaf: LeafSpec, source: str, example: Any, dim: Any) -> Any:
        if dim is None:
            return example
        if type(dim) is int:
            if dim != example:
                raise UserError("E303", f"{source} is {example}, but dynamic_shapes says {dim}")
            return example
        if isinstance(dim, DimHint):
            return self.hinted(leaf, source, example, dim)
        root, symbol = self.root(dim.root)
        expression = substitute(dim.expression, {root.name: E.symbol(symbol)})
        expected = evaluate(expression, self.env.hints)
        if expected != example:
            value = self.env.hints[symbol]
            same = f"{self.env.names[symbol]} is {value}" if dim is root or isinstance(dim, Dim) else f"{root.name} is {value}"
            raise UserError("E303", f"{source} is {example}, but dynamic_shapes says {dim!r}, which is {expected} because {same}")
        if leaf.is_array:
            self.env.declare(expression >= 0)
        return self.add(leaf, source, example, dim, expression)

    def add(self, leaf: LeafSpec, source: str, example: int, dim: Any, expression: E.Expr) -> Any:
        argument = self.arguments[leaf.path.partition("[")[0].partition(".")[0]]
        self.bindings.sizes.append(Binding(source, argument, expression, dim, example))
        return wrap_int(expression, self.env)

    def hinted(self, leaf: LeafSpec, source: str, example: Any, dim: DimHint) -> Any:
        interval = dim.interval or (SIZES if leaf.is_array else EVERYTHING)
        if example not in interval:
            raise UserError("E303", f"{source} is {example}, which is outside of {dim!r}")
        if dim.kind == "STATIC":
            return example
        if isinstance(example, float):
            return self.env.create_float(source, example)
        size = self.env.create_symbol(source, example, interval)
        name = next(iter(size.expression.symbols))
        self.bindings.roots[name] = dim
        return self.add(leaf, source, example, dim, size.expression)

    def root(self, dim: Dim) -> tuple[Dim, str]:
        """The symbol of a ``Dim``, made at its first use."""
        known = self.roots.get(dim.name)
        if known is not None:
            if known[0] != dim:
                raise UserError("E302", f"dynamic_shapes has two different dims of the name {dim.name!r}: {known[0]!r} and {dim!r}")
            return known
        source, example = self.direct.get(dim.name) or self.solved(dim)
        if example not in dim.interval:
            raise UserError("E303", f"{source} is {example}, which is outside of {dim!r}")
        size: SymInt = self.env.create_symbol(source, example, dim.interval, dim=dim.name)
        (name,) = size.expression.symbols
        for truth in dim.truths(size.expression):
            if not evaluate(truth, {name: example}):
                raise UserError("E303", f"{source} is {example}, which is outside of {dim!r}")
            self.env.declare(truth)
        self.roots[dim.name] = (dim, name)
        self.bindings.roots[name] = dim
        return dim, name

    def solved(self, dim: Dim) -> tuple[str, int]:
        """The root of ``A*d + B`` where no input has the size ``d`` itself."""
        carrier = self.carriers.get(dim.name)
        if carrier is None:
            raise UserError("E302", f"no input has the size {dim.name} or A*{dim.name} + B, so that its value cannot be known")
        source, example, derived = carrier
        a, b = _linear(derived.expression)  # type: ignore[misc]
        if (example - b) % a:
            raise UserError("E303", f"{source} is {example}, which is not of the form {derived!r} with an integer {dim.name}")
        return DerivedSource(source, a, b), (example - b) // a


def _linear(expression: E.Expr) -> tuple[int, int] | None:
    """``(A, B)`` where the expression is ``A*d + B``."""
    if len(expression.terms) != 1:
        return None
    ((atom, a),) = expression.terms.items()
    return (a, expression.const) if atom.op == "symbol" else None


def _sizes(leaf: LeafSpec) -> list[tuple[str, Any, Any]]:
    """The source, example and specification of each size of a leaf, or of the number that it is."""
    if not leaf.is_array:
        return [(leaf.path, leaf.value, leaf.dims[0])]
    return [(f"{leaf.path}.shape[{axis}]", size, dim) for axis, (size, dim) in enumerate(zip(leaf.value.shape, leaf.dims, strict=True))]
