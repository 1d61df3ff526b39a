"""The inverse of ``archive_encode``: a program from a document and its arrays. The document may
come from anywhere: every read is checked, nothing is imported, evaluated or called except the
constructors of this package, and the result is verified.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir import random_states
from npexport.ir.archive_containers import container
from npexport.ir.archive_limits import MAX_NESTING
from npexport.ir.archive_rows import at, dialect, dtype_from, end, enum, enum_of, location, operator
from npexport.ir.archive_values import damaged, expect, get, items
from npexport.ir.argument_specs import (
    ConstantArgument,
    CustomObjArgument,
    SymBoolArgument,
    SymFloatArgument,
    SymIntArgument,
    TensorArgument,
    TokenArgument,
)
from npexport.ir.call_signatures import ModuleCallEntry, ModuleCallSignature
from npexport.ir.call_spec import CallSpec
from npexport.ir.containers import RESULTS_ALONE
from npexport.ir.error_states import is_state
from npexport.ir.graph import CALL, OUTPUT, PLACEHOLDER, Graph, GraphModule, Node
from npexport.ir.identities import Identities, specs_of
from npexport.ir.meta import MOST_AXES, TensorMeta
from npexport.ir.program import NUMPY, ExportedProgram
from npexport.ir.pytree import LEAF, TreeSpec, find_exception
from npexport.ir.signature import ExportGraphSignature, InputKind, InputSpec, OutputKind, OutputSpec
from npexport.ir.statics import ROWS, TYPES, is_static, remade
from npexport.symshapes.errors import LoadError, Location

Arrays = Callable[[int], Any]
_ARGUMENTS = {
    cls.__name__: cls
    for cls in (TensorArgument, SymIntArgument, SymFloatArgument, SymBoolArgument, TokenArgument, ConstantArgument, CustomObjArgument)
}
_KINDS = {kind.name: kind for kind in (
    inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_POSITIONAL,
    inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD,
)}  # fmt: skip


def _name(row: Any) -> str:
    """What the user calls a symbol: text, or a size, ``a`` and ``b`` of a symbol that no input
    carries."""
    if isinstance(row, str):
        return row
    from npexport.symshapes.derived_sources import DerivedSource

    place, a, b = items(row, 3)
    if expect(a, int) == 0:
        raise damaged("a size is 0 times a symbol")
    return DerivedSource(expect(place, str), a, expect(b, int))


class Decoder:
    """Decodes one document; ``arrays`` gives the array of a number."""

    def __init__(self, document: dict[str, Any], arrays: Arrays) -> None:
        self.document = document
        self.arrays = arrays
        self.nodes: dict[str, Node] = {}
        self.env: Any = None
        self.ends: dict[str, Any] = {}  # symbol that only data decide -> its range
        self.names: dict[str, Any] = {}  # symbol -> what the user calls it
        tables = get(document, "tables", dict)
        self.locations = [Location(*location(row)) for row in get(tables, "locations", list)]
        self.stacks = [tuple([at(self.locations, number) for number in expect(row, list)]) for row in get(tables, "stacks", list)]
        self.module_stacks = [
            {expect(path, str): expect(name, str) for path, name in (items(pair, 2) for pair in expect(row, list))}
            for row in get(tables, "modules", list)
        ]

    def program(self) -> ExportedProgram:
        """The program, not verified yet."""
        document = self.document
        ranges = dict(self.range(row) for row in get(document, "ranges", list))
        self._symbols(get(document, "symbols", list), {str(size): bounds for size, bounds in ranges.items()})
        guards = [self.guard(row) for row in get(document, "guards", list)]
        graph = self.graph(get(document, "graph", list))
        if self.env is not None:
            self._assume(graph, guards)
        return ExportedProgram(
            graph=graph,
            signature=ExportGraphSignature(
                [self.input_spec(row) for row in get(document, "inputs", list)],
                [self.output_spec(row) for row in get(document, "outputs", list)],
            ),
            state_dict=self._named_arrays("state"),
            constants=self._named_arrays("constants"),
            call_spec=self.call_spec(get(document, "call", dict)),
            range_constraints=ranges,
            guards=guards,
            module_call_graph=[self.module_call(row) for row in get(document, "modules", list)],
            example_inputs=self.example(document.get("example")),
            opset_version={expect(name, str): expect(number, int) for name, number in get(document, "opset", dict).items()},
            dialect=dialect(document.get("dialect", NUMPY)),
        )

    def _named_arrays(self, key: str) -> dict[str, Any]:
        return {expect(name, str): self.arrays(expect(number, int)) for name, number in get(self.document, key, dict).items()}

    def _symbols(self, rows: list[Any], ranges: dict[str, Any]) -> None:
        """The symbols. Of those that inputs carry nothing is assumed but ``ranges``, which every
        call checks."""
        if not rows:
            return
        from npexport.symshapes.env import ShapeEnv
        from npexport.symshapes.ranges import EVERYTHING

        self.env = ShapeEnv()
        for row in rows:
            name, source, hint = expect(row, list)[:3]
            if expect(hint, int, type(None)) is None:
                size = self.env.create_unbacked(EVERYTHING.lower, EVERYTHING.upper, expect(source, str))
                self.ends[name] = self.bounds(*items(row, 5)[3:])
            else:
                dim = expect(row[3], str) if len(row) == 4 else ""  # of five, the others are bounds of before
                size = self.env.create_symbol(expect(source, str), hint, ranges.get(expect(name, str), EVERYTHING), dim=dim)
            if str(size.expression) != name:
                raise damaged(f"the symbol {name!r} is out of order")

    def _assume(self, graph: Graph, guards: list[Any]) -> None:
        """Assume what calls of this program check, and what it gets to see of other sizes."""
        from npexport.ir.contract import assume, bounds_of
        from npexport.symshapes import expr as E

        for name in bounds_of(graph, self.env):
            ends = self.ends[name]
            self.env.declare(E.conjunction([E.symbol(name) >= ends.lower] if isinstance(ends.lower, int) else []))
            self.env.declare(E.conjunction([E.symbol(name) <= ends.upper] if isinstance(ends.upper, int) else []))
        for truth in self.facts(self.document):
            self.env.declared.assume(truth)
        assume(self.env, graph, guards)
        self.env.close()

    def facts(self, document: dict[str, Any]) -> list[Any]:
        """What is declared of several symbols at once; files of older programs have none."""
        from npexport.symshapes.parsing import parse_bool

        return [self.known(parse_bool(expect(text, str))) for text in expect(document.get("facts", []), list)]

    def known(self, truth: Any) -> Any:
        """The expression or truth, all of whose symbols the program has."""
        from npexport.symshapes.constructors import is_float_name

        symbols = {name for name in truth.symbols if not is_float_name(name)}
        if symbols and (self.env is None or not symbols <= self.env.symbols.keys()):
            raise damaged(f"{str(truth)[:80]!r} is about symbols that the program does not have")
        return truth

    # --- values

    def value(self, value: Any) -> Any:
        """An argument or constant."""
        if not isinstance(value, dict):
            return expect(value, bool, int, float, str, type(None))
        kind, content = self._tagged(value, _VALUES)
        return _VALUES[kind](self, content)

    def key(self, value: Any) -> Any:
        """A key of a dict: a plain or static value, or a tuple of such."""
        key = self.value(value)
        if not _is_plain_key(key):
            raise damaged(f"{value!r:.80} is not a key")
        return key

    def meta(self, value: Any) -> Any:
        """A node's value."""
        if isinstance(value, dict) and len(value) == 1:
            kind, content = next(iter(value.items()))
            if kind == "array":
                dtype, shape, scalar = items(content, 3)
                sizes = [self.size(size) for size in expect(shape, list)]
                if len(sizes) > MOST_AXES:
                    raise damaged(f"an array has {len(sizes)} axes")
                return TensorMeta(tuple(sizes), dtype_from(dtype), expect(scalar, bool))
            if kind in ("tuple", "list"):
                parts = [self.meta(item) for item in expect(content, list)]
                return tuple(parts) if kind == "tuple" else parts
        return self.value(value)

    def size(self, size: Any) -> Any:
        if type(size) is str:
            return self.sym(size)
        if expect(size, int) < 0:
            raise damaged(f"a size is {size}")
        return size

    def sym(self, text: Any) -> Any:
        """A symbolic size, truth or float."""
        from npexport.symshapes import expr as E
        from npexport.symshapes.constructors import is_float_name
        from npexport.symshapes.env import ShapeEnv
        from npexport.symshapes.parsing import parse
        from npexport.symshapes.symint import SymBool, SymFloat, SymInt

        expression = parse(expect(text, str))
        symbols = {name for name in getattr(expression, "symbols", ()) if not is_float_name(name)}
        if self.env is None and not symbols:  # floats are the only dynamic inputs
            self.env = ShapeEnv()
            self.env.close()
        if self.env is None or isinstance(expression, (int, float)) or not symbols <= self.env.symbols.keys():
            raise damaged(f"{text!r} is not an expression over the program's symbols")
        cls = SymInt if isinstance(expression, E.Expr) else SymBool if isinstance(expression, E.Bool) else SymFloat
        return cls(expression, self.env)

    def node_named(self, name: Any) -> Node:
        node = self.nodes.get(expect(name, str))
        if node is None:
            raise damaged(f"the node {name!r} is used before it is defined")
        return node

    def leaf(self, value: Any) -> Any:
        if isinstance(value, dict) and value.keys() == {"entry"}:
            return self.arrays(expect(value["entry"], int))
        if isinstance(value, dict) and value.keys() == {"generator"}:
            name, number = items(value["generator"], 2)
            try:
                return random_states.generator_of(expect(name, str), self.arrays(expect(number, int)))
            except ValueError as error:
                raise damaged(str(error)) from None
        return self.value(value)

    def example(self, row: Any) -> Any:
        """The example inputs, or ``None``."""
        if row is None:
            return None
        spec, leaves = items(row, 2)
        args, kwargs = self.tree(spec).unflatten([self.leaf(leaf) for leaf in expect(leaves, list)])
        return expect(args, tuple), expect(kwargs, dict)

    def _tagged(self, value: dict[str, Any], table: dict[str, Any]) -> tuple[str, Any]:
        if len(value) != 1 or next(iter(value)) not in table:
            raise damaged(f"{value!r:.80} is not a value")
        return next(iter(value.items()))

    # --- graph

    def graph(self, rows: list[Any]) -> Graph:
        """The graph; names are taken as they stand."""
        graph = Graph()
        for row in rows:
            name, kind = get(row, "name", str), get(row, "op", str)
            args = tuple([self.value(arg) for arg in expect(row.get("args", []), list)])
            kwargs = {expect(key, str): self.value(arg) for key, arg in expect(row.get("kwargs", {}), dict).items()}
            target: Any = operator(get(row, "target", str)) if kind == CALL else name
            if kind not in (PLACEHOLDER, CALL, OUTPUT) or name in self.nodes or (kind == OUTPUT) != (name == "output"):
                raise damaged(f"the node {name!r} is of kind {kind!r}")
            if kind == OUTPUT and not (len(args) == 1 and isinstance(args[0], tuple)):
                raise damaged("the output is not a tuple")
            self.nodes[name] = graph.append(Node(name, kind, target, args, kwargs, self._node_meta(row)))
        if not graph.nodes or graph.nodes[-1].op != OUTPUT:
            raise damaged("the graph has no output")
        return graph

    def sub_graph(self, content: Any) -> GraphModule:
        """A graph among the arguments; its nodes are its own."""
        name, rows = items(content, 2)
        outer, self.nodes = self.nodes, {}
        graph = self.graph(expect(rows, list))
        self.nodes = outer
        return GraphModule(graph, expect(name, str))

    def _node_meta(self, row: dict[str, Any]) -> dict[str, Any]:
        meta: dict[str, Any] = {"val": self.meta(row["val"])} if "val" in row else {}
        if "val" in row or "stack" in row or "modules" in row:
            meta["stack_trace"] = at(self.stacks, row["stack"]) if "stack" in row else ()
            modules: dict[str, str] = at(self.module_stacks, row["modules"]) if "modules" in row else {}
            meta["nn_module_stack"] = dict(modules)
        if expect(row.get("raises", False), bool):
            meta["raises"] = True
        if "errors" in row:
            meta["errors"] = tuple(expect(row["errors"], dict).items())
            if not is_state(meta["errors"]):
                raise damaged(f"{row['errors']!r:.80} is not an error state")
        return meta

    def guard(self, row: Any) -> Any:
        from npexport.symshapes.guards import Guard
        from npexport.symshapes.parsing import parse_bool

        truth = parse_bool(get(row, "truth", str))  # its symbols may stand in no shape any more: calls check it, or it cannot be run
        names = {name: _name(text) for name, text in get(row, "names", dict).items()}
        if any(self.names.setdefault(name, text) != text for name, text in names.items()):
            raise damaged("a symbol has several names")
        example = {name: expect(number, int) for name, number in get(row, "example", dict).items()}
        stack = at(self.stacks, get(row, "stack", int))
        return Guard(truth, names, example, stack, get(row, "reason", str), get(row, "deferred", bool))

    def range(self, row: Any) -> tuple[Any, Any]:
        from npexport.symshapes.parsing import parse_expr

        text, lower, upper = items(row, 3)
        return parse_expr(expect(text, str)), self.bounds(lower, upper)

    def bounds(self, lower: Any, upper: Any) -> Any:
        from npexport.symshapes.ranges import ValueRanges

        return ValueRanges(end(lower), end(upper))

    # --- signature

    def argument(self, row: Any) -> Any:
        name = _ARGUMENTS.get(expect(row, list)[0]) if row else None
        if name is ConstantArgument:
            return ConstantArgument(expect(items(row, 3)[1], str), self.value(row[2]))
        if name is None:
            raise damaged(f"{row!r:.80} is not an argument")
        return name(*[expect(field, str) for field in row[1:]])

    def input_spec(self, row: Any) -> InputSpec:
        return InputSpec(
            enum(InputKind, get(row, "kind", str)),
            self.argument(get(row, "arg", list)),
            get(row, "target", str, type(None)),
            get(row, "persistent", bool, type(None)),
            expect(row.get("same_as"), str, type(None)),
            self.layout(row.get("layout")),
            tuple([expect(name, str) for name in expect(row.get("distinct_from", []), list)]),
            tuple([(expect(name, str), expect(offset, int, type(None))) for name, offset in self.pairs(row.get("overlaps", []))]),
            expect(row.get("owns", False), bool),
            tuple([expect(name, str) for name in expect(row.get("names", []), list)]),
            expect(row.get("writeable"), bool, type(None)),
            None if "reshaped" not in row else tuple([expect(size, int) for size in expect(row["reshaped"], list)]),
            expect(row.get("frozen", False), bool),
            expect(row.get("literal", False), bool),
            expect(row.get("listed", False), bool),
        )

    def layout(self, value: Any) -> Any:
        return tuple([expect(stride, int) for stride in value]) if isinstance(value, list) else enum_of(("C", "F", None), value)

    def pairs(self, value: Any) -> list[list[Any]]:
        return [items(pair, 2) for pair in expect(value, list)]

    def output_spec(self, row: Any) -> OutputSpec:
        return OutputSpec(
            enum(OutputKind, get(row, "kind", str)),
            self.argument(get(row, "arg", list)),
            get(row, "target", str, type(None)),
            self.alias(row.get("alias")),
            expect(row.get("rebinds", False), bool),
            expect(row.get("listed", False), bool),
        )

    def alias(self, value: Any) -> str | tuple[str, ...] | None:
        several = isinstance(value, list)
        return tuple([expect(name, str) for name in value]) if several else expect(value, str, type(None))

    def call_spec(self, row: dict[str, Any]) -> CallSpec:
        parameters = self.parameters(get(row, "parameters", list, type(None)))
        in_spec = self.tree(row.get("in"))
        if in_spec.type is not tuple or [child.type for child in in_spec.children] != [tuple, dict]:
            raise damaged("the inputs are not (args, kwargs)")
        if any(spec.type in RESULTS_ALONE for spec, _ in specs_of(in_spec)):
            raise damaged("the inputs have a container that only results may have")
        numbers = [[(expect(one, int), expect(two, int)) for one, two in self.pairs(row.get(name, []))] for name in Identities._fields]
        return CallSpec(in_spec, self.tree(row.get("out")), parameters, Identities(*map(tuple, numbers)))

    def parameters(self, rows: Any) -> tuple[inspect.Parameter, ...] | None:
        if rows is None:
            return None
        parameters = tuple([self.parameter(parameter) for parameter in rows])
        inspect.Signature(parameters)  # raises for an impossible order
        return parameters

    def parameter(self, row: Any) -> inspect.Parameter:
        name, kind, *default = expect(row, list)
        values = {"default": self.default(default[0])} if default else {}
        return inspect.Parameter(expect(name, str), _KINDS[expect(kind, str)], **values)

    def default(self, row: Any) -> Any:
        """The default of a parameter; only here stands what no file can hold."""
        if isinstance(row, dict) and row.keys() == {"opaque"}:
            from npexport.ir.archive_encode import Opaque

            return Opaque(expect(row["opaque"], str))
        return self.value(row)

    def module_call(self, row: Any) -> ModuleCallEntry:
        fqn, call = items(row, 2)
        if call is None:
            return ModuleCallEntry(expect(fqn, str))
        if "same_as" in expect(call, dict):
            return ModuleCallEntry(expect(fqn, str), same_as=get(call, "same_as", str))
        names = get(call, "names", list, type(None))
        signature = ModuleCallSignature(
            [self.argument(arg) for arg in get(call, "inputs", list)],
            [self.argument(arg) for arg in get(call, "outputs", list)],
            self.tree(call.get("in")),
            self.tree(call.get("out")),
            names if names is None else [expect(name, str) for name in names],
            self.parameters(get(call, "parameters", list, type(None)) if "parameters" in call else None),
        )
        return ModuleCallEntry(expect(fqn, str), signature, called_as=expect(call.get("called_as"), str, type(None)))

    def tree(self, row: Any) -> TreeSpec:
        """A structure."""
        if row is None:
            return LEAF
        kind, context, children = items(row, 3)
        specs = tuple([self.tree(child) for child in expect(children, list)])
        if max([spec.depth for spec in specs], default=0) >= MAX_NESTING:
            raise damaged("its containers are nested too deep")
        cls, context = container(expect(kind, str), context, len(specs), self.key)
        return TreeSpec(cls, context, specs)


def _scalar(decoder: Decoder, content: Any) -> np.generic:
    dtype, data = items(content, 2)
    scalar: np.generic = np.frombuffer(bytes.fromhex(expect(data, str)), dtype_from(dtype), count=1)[0]
    return scalar


def _sequence(build: Callable[[list[Any]], Any]) -> Callable[[Decoder, Any], Any]:
    return lambda decoder, content: build([decoder.value(item) for item in expect(content, list)])


def _static(name: str) -> Callable[[Decoder, Any], Any]:
    return lambda decoder, content: remade(name, expect(content, list))


def _text(decoder: Decoder, content: Any) -> str:
    return bytes.fromhex(expect(content, str)).decode("utf-16-le", "surrogatepass")


def _exception(decoder: Decoder, content: Any) -> type[Exception]:
    found = find_exception(expect(content, str))
    if found is None:
        module = content.partition(":")[0]
        hint = f"Import the module that defines it before you load the file: import {module}." if module.isidentifier() else None
        raise LoadError("E504", f"the program raises exceptions of the class {content!r:.80}, which is not known here", hint=hint)
    return found


def _is_plain_key(key: Any) -> bool:
    if type(key) is tuple:
        return all(map(_is_plain_key, key))
    return key is None or type(key) in (bool, int, float, complex, str, bytes) or isinstance(key, np.generic) or is_static(key)


_VALUES: dict[str, Callable[[Decoder, Any], Any]] = {
    "node": lambda decoder, name: decoder.node_named(name),
    "graph": lambda decoder, content: decoder.sub_graph(content),
    "sym": lambda decoder, text: decoder.sym(text),
    "scalar": _scalar,
    "float": lambda decoder, text: {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}[expect(text, str)],
    "complex": lambda decoder, parts: complex(*[expect(decoder.value(part), float) for part in items(parts, 2)]),
    "tuple": _sequence(tuple),
    "list": _sequence(list),
    "dict": lambda decoder, pairs: {decoder.key(key): decoder.value(item) for key, item in (items(p, 2) for p in expect(pairs, list))},
    "slice": lambda decoder, parts: slice(*[decoder.value(part) for part in items(parts, 3)]),
    "dtype": lambda decoder, content: np.dtype(object) if content == np.dtype(object).str else dtype_from(content),
    "type": lambda decoder, name: TYPES[expect(name, str)],
    "bytes": lambda decoder, text: bytes.fromhex(expect(text, str)),
    "ellipsis": lambda decoder, content: ...,
    **{name: _static(name) for name in ROWS},
    "text": _text,
    "exception": _exception,
}
