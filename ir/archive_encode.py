"""A program as one JSON document and a list of arrays.

``archive_decode`` is the inverse; ``docs/archive.md`` describes the document. Values that JSON has
are written as themselves; everything else is an object with a single key, which names its kind:
``{"node": "x"}``, ``{"tuple": [...]}``, ``{"slice": [...]}``, ``{"sym": "s0 + 1"}``. Arrays are
written as numbers of entries.
"""

from __future__ import annotations

import enum
import hashlib
import inspect
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from npexport.ir import random_states
from npexport.ir.archive_limits import MAX_BITS, MAX_NESTING
from npexport.ir.archive_texts import packed, text_of
from npexport.ir.argument_specs import ConstantArgument, CustomObjArgument
from npexport.ir.call_signatures import ModuleCallEntry
from npexport.ir.call_spec import CallSpec
from npexport.ir.containers import kind_of
from npexport.ir.contract import bounds_of, relations
from npexport.ir.graph import CALL, OUTPUT, GraphModule, Node
from npexport.ir.layout_copies import order_of
from npexport.ir.meta import TEXTS, TensorMeta, content, holds_data, meant, size_text
from npexport.ir.op import UNCHECKED_HINT, Op
from npexport.ir.opset import homed
from npexport.ir.program import NUMPY, ExportedProgram
from npexport.ir.pytree import TreeSpec, default_name, find_exception, serialized_name, tree_flatten
from npexport.ir.signature import InputSpec, OutputSpec
from npexport.ir.sources import portable
from npexport.ir.statics import ROWS, TYPES, is_static
from npexport.symshapes.derived_sources import DerivedSource
from npexport.symshapes.errors import Location, UserError
from npexport.symshapes.plain import plain, with_article
from npexport.symshapes.ranges import EVERYTHING

VERSION = 5
FACTORIES = {cls.__name__: cls for cls in (list, dict, set, tuple, int, float, str, bool)}  # of defaultdicts


class Opaque:
    """Stands for a default value that was not saved: it equals only itself, so that the argument
    can only be left out.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return plain(self.text)


def kept(default: Any) -> Any:
    """What a file keeps of the default of a parameter: the value, or what stands for it."""
    try:
        Encoder(Collected()).value(default)
    except UserError:
        return default if type(default) is Opaque else Opaque(f"<{type(default).__name__}>")
    return default


class Collected:
    """The arrays of an archive, each once: the objects that a program holds are as many entries,
    and what several programs hold alike is one.
    """

    def __init__(self) -> None:
        self.arrays: list[np.ndarray[Any, Any]] = []
        self._numbers: dict[int, int] = {}
        self._alike: dict[Any, list[int]] = {}
        self._known = self._others = 0  # how many entries stand in _alike; how many are of the programs before
        self._taken: set[int] = set()

    def begin(self) -> None:
        """The arrays that are asked for from now on are those of a further program."""
        self._others = len(self.arrays)
        self._taken.clear()

    def number(self, array: Any) -> int:
        """The number of an array's entry; one object is one entry.

        Raises ``UserError`` (E242) for what no file can hold.
        """
        if not isinstance(array, (np.ndarray, np.generic)) or not holds_data(array.dtype):
            raise UserError("E242", f"{type(array).__name__} {getattr(array, 'dtype', '')} cannot be saved as an array")
        number = self._numbers.get(id(array))
        if number is None:
            number = self._numbers[id(array)] = self._entry(np.asarray(array))
        self._taken.add(number)
        return number

    def _entry(self, array: np.ndarray[Any, Any]) -> int:
        """The entry of another program that is alike and that this one has not taken, else a new
        one.
        """
        if self._others:
            for number in range(self._known, self._others):
                self._alike.setdefault(_content(self.arrays[number]), []).append(number)
            self._known = self._others
            for number in self._alike.get(_content(array), ()):
                if number not in self._taken:
                    return number
        self.arrays.append(array)
        return len(self.arrays) - 1


def array_bytes(array: np.ndarray[Any, Any]) -> bytes | memoryview:
    """What an archive holds of an array's elements: its own memory where they lie there one after
    the other.
    """
    if array.dtype == TEXTS:
        return packed(array)
    whole = meant(np.ascontiguousarray(array.T if order_of(array) == "F" else array))
    return whole.reshape(-1).view(np.uint8).data if whole.nbytes else b""


def _content(array: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    """What arrays that are written alike have in common."""
    return repr(array.dtype), array.shape, order_of(array), hashlib.sha256(array_bytes(array)).digest()


class Encoder:
    """Encodes one program; ``arrays`` collects its arrays."""

    def __init__(self, arrays: Collected) -> None:
        self.array = arrays.number
        self._files: dict[str, str] = {}
        self._tables: dict[str, dict[Any, int]] = {"locations": {}, "stacks": {}, "modules": {}}

    def program(self, program: ExportedProgram, opset: Mapping[str, int]) -> dict[str, Any]:
        """The document."""
        document: dict[str, Any] = {
            "format": "npexport",
            "version": VERSION,
            "opset": dict(opset),
            "symbols": symbols_of(program),
            "facts": facts_of(program),
            "graph": [self.node(node) for node in program.graph.nodes],
            "inputs": [self.input_spec(spec) for spec in program.graph_signature.input_specs],
            "outputs": [self.output_spec(spec) for spec in program.graph_signature.output_specs],
            "call": self.call_spec(program.call_spec),
            "modules": [self.module_call(entry) for entry in program.module_call_graph],
            "ranges": [[size_text(size), _end(bounds.lower), _end(bounds.upper)] for size, bounds in program.ranges.items()],
            "guards": [self.guard(guard) for guard in program.guards],
            "state": {name: self.array(array) for name, array in program.state_dict.items()},
            "constants": {name: self.array(array) for name, array in program.constants.items()},
            "example": None if program.example_inputs is None else self.tree_of(program.example_inputs),
        }
        if program.dialect != NUMPY:
            document["dialect"] = program.dialect
        operators = {f"{op.namespace}.{op.name}": [op.schema, op.home] for op in homed(program.graph)}
        document |= {"operators": operators} if operators else {}
        tables = {name: list(rows) for name, rows in self._tables.items()}
        return {**document, "tables": tables}

    # --- values

    def value(self, value: Any) -> Any:
        """An argument or constant. Raises ``UserError`` (E242) for what no file can hold."""
        if type(value) is str and _SURROGATE.search(value):
            return {"text": value.encode("utf-16-le", "surrogatepass").hex()}
        if type(value) is int and value.bit_length() > MAX_BITS:
            raise UserError("E242", f"an integer of {value.bit_length()} bits cannot be saved")
        if type(value) in _SCALARS:
            return value
        if isinstance(value, enum.Enum):  # also where it is a number
            raise UserError(
                "E242", f"a member of the enumeration {type(value).__name__} cannot be saved", hint="Return its value: member.value."
            )
        for cls, encode in _VALUES:
            if isinstance(value, cls):
                return encode(self, value)
        for name, row in ROWS.items():
            if type(value) is row.type:
                return {name: _parts(row, value)}
        if hasattr(value, "expression"):
            return {"sym": text_of(value.expression)}
        if isinstance(value, type) and issubclass(value, BaseException):
            return _exception(value)
        name = f"{value.__module__}.{value.__name__}" if isinstance(value, type) else ""
        if TYPES.get(name) is value:
            return {"type": name}
        raise UserError("E242", f"a value of type {type(value).__name__} cannot be saved: {value!r}")

    def meta(self, value: Any) -> Any:
        """A node's value."""
        if isinstance(value, TensorMeta):
            shape = [size if isinstance(size, int) else size_text(size) for size in value.shape]
            return {"array": [dtype_json(value.dtype), shape, value.scalar]}
        if isinstance(value, (tuple, list)):
            return {"tuple" if isinstance(value, tuple) else "list": [self.meta(item) for item in value]}
        return self.value(value)

    def leaf(self, value: Any) -> Any:
        """A leaf of the example inputs."""
        if isinstance(value, np.ndarray):
            return {"entry": self.array(value)}
        if random_states.is_generator(value):
            return {"generator": [random_states.name_of(random_states.source_of(value)), self.array(random_states.state_of(value))]}
        return self.value(value)

    def tree_of(self, tree: Any) -> list[Any]:
        leaves, spec = tree_flatten(tree)
        return [self.tree(spec), [self.leaf(leaf) for leaf in leaves]]

    # --- graph

    def node(self, node: Node) -> dict[str, Any]:
        """A node; absent keys are empty."""
        row: dict[str, Any] = {"name": node.name, "op": node.op}
        if node.op == CALL:
            assert isinstance(node.target, Op)
            if "unchecked" in node.target.traits:
                what = f"{node.target} cannot be saved: it is C of a library that trusts its arguments, which a file could make wrong"
                raise UserError("E242", what, hint=UNCHECKED_HINT)
            row["target"] = f"{node.target.namespace}.{node.target.name}"
        if node.args:
            row["args"] = [self.value(arg) for arg in node.args]
        if node.kwargs:
            row["kwargs"] = {key: self.value(arg) for key, arg in node.kwargs.items()}
        if "val" in node.meta and node.op != OUTPUT:  # whose value is that of its operands
            row["val"] = self.meta(node.meta["val"])
        if "raises" in node.meta:
            row["raises"] = True
        if node.meta.get("errors"):
            row["errors"] = dict(node.meta["errors"])
        if node.meta.get("stack_trace"):
            row["stack"] = self._stack(node.meta["stack_trace"])
        if node.meta.get("nn_module_stack"):
            row["modules"] = self._row("modules", tuple(node.meta["nn_module_stack"].items()))
        return row

    def _stack(self, stack: tuple[Location, ...]) -> int:
        return self._row(
            "stacks", tuple([self._row("locations", _location(location, self._portable(location.file))) for location in stack])
        )

    def _portable(self, file: str) -> str:
        found = self._files.get(file)
        if found is None:
            found = self._files[file] = portable(file)
        return found

    def _row(self, table: str, row: Any) -> int:
        rows = self._tables[table]
        return rows.setdefault(row, len(rows))

    def guard(self, guard: Any) -> dict[str, Any]:
        names = {name: _name(guard.names[name]) for name in sorted(guard.truth.symbols) if name in guard.names}
        return {
            "truth": text_of(guard.truth),
            "names": names,
            "example": dict(guard.example),
            "stack": self._stack(guard.stack),
            "reason": guard.reason,
            "deferred": guard.deferred,
        }

    # --- signature

    def argument(self, arg: Any) -> list[Any]:
        """``[class name, name]``, with the value of a constant, or the class and the bit generator
        of an object.
        """
        tail = [self.value(arg.value)] if isinstance(arg, ConstantArgument) else []
        tail = [arg.class_fqn, arg.fake_val] if isinstance(arg, CustomObjArgument) else tail
        return [type(arg).__name__, arg.name, *tail]

    def input_spec(self, spec: InputSpec) -> dict[str, Any]:
        row = {"kind": spec.kind.name, "arg": self.argument(spec.arg), "target": spec.target, "persistent": spec.persistent}
        row |= {name: getattr(spec, name) for name in ("same_as", "layout", "writeable") if getattr(spec, name) is not None}
        lists = {"distinct_from": list(spec.distinct_from), "overlaps": list(map(list, spec.overlaps)), "owns": spec.owns}
        lists["names"] = list(spec.names)
        lists |= {"frozen": spec.frozen, "literal": spec.literal, "listed": spec.listed}
        reshaped = {} if spec.reshaped is None else {"reshaped": list(spec.reshaped)}
        return row | {name: value for name, value in lists.items() if value} | reshaped

    def output_spec(self, spec: OutputSpec) -> dict[str, Any]:
        row = {"kind": spec.kind.name, "arg": self.argument(spec.arg), "target": spec.target}
        alias = list(spec.alias) if isinstance(spec.alias, tuple) else spec.alias
        marks = {name: True for name in ("rebinds", "listed") if getattr(spec, name)}
        return row | ({"alias": alias} if alias is not None else {}) | marks

    def call_spec(self, spec: CallSpec) -> dict[str, Any]:
        row = {"in": self.tree(spec.in_spec), "out": self.tree(spec.out_spec), "parameters": self.parameters(spec.parameters)}
        return row | {name: list(map(list, pairs)) for name, pairs in spec.identities._asdict().items() if pairs}

    def parameters(self, parameters: tuple[inspect.Parameter, ...] | None) -> list[Any] | None:
        return None if parameters is None else [self.parameter(parameter) for parameter in parameters]

    def parameter(self, parameter: inspect.Parameter) -> list[Any]:
        """``[name, kind]`` or ``[name, kind, default]``."""
        if parameter.default is parameter.empty:
            return [parameter.name, parameter.kind.name]
        default = kept(parameter.default)
        return [parameter.name, parameter.kind.name, {"opaque": default.text} if type(default) is Opaque else self.value(default)]

    def module_call(self, entry: ModuleCallEntry) -> list[Any]:
        signature = entry.signature
        if entry.same_as is not None:
            return [entry.fqn, {"same_as": entry.same_as}]
        if signature is None:
            return [entry.fqn, None]
        trees = {"in": self.tree(signature.in_spec), "out": self.tree(signature.out_spec), "names": signature.forward_arg_names}
        if signature.parameters is not None:
            trees["parameters"] = self.parameters(signature.parameters)
        if entry.called_as is not None:
            trees["called_as"] = entry.called_as
        return [
            entry.fqn,
            {"inputs": [self.argument(a) for a in signature.inputs], "outputs": [self.argument(a) for a in signature.outputs], **trees},
        ]

    def tree(self, spec: TreeSpec) -> Any:
        """A structure: ``None`` for a leaf, else ``[kind, context, children]``."""
        if spec.type is None:
            return None
        if spec.depth > MAX_NESTING:
            raise UserError("E242", f"containers that are nested {spec.depth} deep cannot be saved, only {MAX_NESTING}")
        kind = kind_of(spec.type).name
        return [kind, _CONTEXTS[kind](self, spec), [self.tree(child) for child in spec.children]]


def _parts(row: Any, value: Any) -> list[Any]:
    if not is_static(value):
        raise UserError("E242", f"what {value!r} holds cannot be saved")
    try:
        return row.parts(value)  # type: ignore[no-any-return]
    except ValueError as error:
        raise UserError("E242", f"{value!r} cannot be saved: {error}") from None


def _factory_name(factory: Any) -> str | None:
    if factory is not None and FACTORIES.get(factory.__name__) is not factory:
        raise UserError("E242", f"a defaultdict with the factory {factory!r} cannot be saved")
    return None if factory is None else str(factory.__name__)


def _keys(encoder: Encoder, spec: TreeSpec) -> list[Any]:
    return [encoder.value(_of_one_class(key.value)) for key in spec.keys]


def _of_one_class(key: Any) -> Any:
    """The key, if what is read back is of its class. Raises ``UserError`` (E242)."""
    plain = next((cls for cls in (tuple, float, complex, bytes) if isinstance(key, cls)), None)
    if plain is not None and type(key) is not plain and not isinstance(key, np.generic):
        raise UserError("E242", f"a key of type {type(key).__name__} cannot be saved: {key!r}", hint=f"Use {with_article(plain.__name__)}.")
    for item in key if plain is tuple else ():
        _of_one_class(item)
    return key


def _rows(item: Any) -> Any:
    """The context of a list of rows: of a named tuple's class its name and its fields."""
    if type(item) is not tuple:
        return item
    if item[0] in ("record", "text"):
        return [item[0], list(item[1]), *map(_rows, item[2:])]
    if item[0] != "namedtuple":
        return [_rows(part) for part in item]
    return ["namedtuple", serialized_name(item[1]), list(item[1]._fields), *map(_rows, item[2:])]


_CONTEXTS: dict[str, Callable[[Encoder, TreeSpec], Any]] = {
    "tuple": lambda encoder, spec: None,
    "list": lambda encoder, spec: None,
    "complex": lambda encoder, spec: None,
    "text": lambda encoder, spec: list(spec.context),
    "deque": lambda encoder, spec: spec.context,
    "dict": _keys,
    "OrderedDict": _keys,
    "Counter": _keys,
    "set": lambda encoder, spec: None,
    "bytes": lambda encoder, spec: None,
    "list of rows": lambda encoder, spec: _rows(spec.context),
    "one of several": lambda encoder, spec: None,
    "dict of some keys": lambda encoder, spec: [[encoder.value(_of_one_class(key)), lacks] for key, lacks in spec.context],
    "object": lambda encoder, spec: [(spec.type or object).__name__, list(spec.context)],
    "defaultdict": lambda encoder, spec: [_factory_name(spec.context[0]), _keys(encoder, spec)],
    **dict.fromkeys(("namedtuple", "dataclass"), lambda encoder, spec: [serialized_name(spec.type or tuple), list(spec.context)]),
}


def _float(encoder: Encoder, value: float) -> Any:
    return value if math.isfinite(value) else {"float": repr(value)}


_SURROGATE = re.compile("[\ud800-\udfff]")
_SCALARS = (bool, int, str, type(None))


def _exception(cls: type[BaseException]) -> Any:
    name = default_name(cls)
    if find_exception(name) is cls:
        return {"exception": name}
    what = f"the program raises `{cls.__qualname__}` of the module {cls.__module__}, which a reader could not find by its name"
    if "<locals>" in name:
        raise UserError("E242", what, hint=f"Define {cls.__name__} at the top level of its module.")
    hint = (
        f"Make {cls.__name__} a plain class of Exception, without `__new__`, `__slots__` and a metaclass, at the top level of its module."
    )
    raise UserError("E242", what, hint=hint)


_VALUES: list[tuple[type, Callable[[Encoder, Any], Any]]] = [
    (Node, lambda encoder, node: {"node": node.name}),
    (GraphModule, lambda encoder, module: {"graph": [module.name, [encoder.node(node) for node in module.graph.nodes]]}),
    (np.generic, lambda encoder, scalar: {"scalar": [dtype_json(scalar.dtype), content(scalar).hex()]}),
    (float, _float),
    (complex, lambda encoder, value: {"complex": [_float(encoder, value.real), _float(encoder, value.imag)]}),
    (tuple, lambda encoder, items: {"tuple": [encoder.value(item) for item in items]}),
    (list, lambda encoder, items: {"list": [encoder.value(item) for item in items]}),
    (dict, lambda encoder, items: {"dict": [[encoder.value(key), encoder.value(item)] for key, item in items.items()]}),
    (slice, lambda encoder, s: {"slice": [encoder.value(part) for part in (s.start, s.stop, s.step)]}),
    (np.dtype, lambda encoder, dtype: {"dtype": _stated(dtype)}),
    (bytes, lambda encoder, value: {"bytes": value.hex()}),
    (type(Ellipsis), lambda encoder, value: {"ellipsis": None}),
    (Opaque, lambda encoder, value: {"opaque": value.text}),
]


def dtype_json(dtype: np.dtype[Any]) -> Any:
    """A dtype as text, or as the list of its fields."""
    if not holds_data(dtype) or dtype.subdtype is not None:  # whose shape no description keeps
        raise UserError("E242", f"the dtype {dtype} cannot be saved")
    try:
        return "T" if dtype.kind == "T" else _lists(np.lib.format.dtype_to_descr(dtype))
    except ValueError as error:  # its fields overlap, or are in another order than in memory
        hint = "Give the fields the order that they have in memory, or copy them one by one."
        raise UserError("E242", f"the dtype {dtype} cannot be saved: {error}", hint=hint) from None


def _stated(dtype: np.dtype[Any]) -> Any:
    """A dtype that is a value itself: that of Python objects may be, which no array has."""
    return dtype.str if dtype == np.dtype(object) else dtype_json(dtype)


def _lists(descr: Any) -> Any:
    return [_lists(item) for item in descr] if isinstance(descr, (tuple, list)) else descr


def _location(location: Location, file: str) -> tuple[Any, ...]:
    return (
        file,
        location.line,
        location.column,
        location.end_line,
        location.end_column,
        location.function,
        location.source,
    )


def _name(name: str) -> Any:
    """What the user calls a symbol; of the ``k`` of a size ``a*k + b``, the size, ``a`` and
    ``b``.
    """
    return [name.place, name.a, name.b] if isinstance(name, DerivedSource) else name


def _end(bound: Any) -> Any:
    return bound if isinstance(bound, int) else str(bound)


def symbols_of(program: ExportedProgram) -> list[list[Any]]:
    """``[name, source, example]`` of every symbol of the program's sizes, in their order; of those
    that only data decide the example is ``None``, and what is assumed of them follows:
    ``lower, upper``. What may be assumed of the others is what calls check; the name of their
    ``Dim`` follows, where they have one.
    """
    rows: list[list[Any]] = []
    for env in program.graph.environments():
        bounds = bounds_of(program.graph, env)
        for symbol in env.symbols.values():
            ends = bounds.get(symbol.name, EVERYTHING) if symbol.hint is None else None
            more = [symbol.dim] * bool(symbol.dim) if ends is None else [_end(ends.lower), _end(ends.upper)]
            rows.append([symbol.name, symbol.source, symbol.hint, *more])
    return rows or _symbols_of_guards(program)


def _symbols_of_guards(program: ExportedProgram) -> list[list[Any]]:
    """Symbols that turned out to be constants: no size has them any more, but guards say which."""
    named = {name: (guard.names.get(name, name), guard.example) for guard in program.guards for name in guard.truth.symbols}
    count = max((int(name[1:]) + 1 for name in named if name[0] == "s"), default=0)
    rows = [(name, *named.get(name, (name, {}))) for name in (f"s{number}" for number in range(count))]
    return [[name, str(source), example.get(source, 0)] for name, source, example in rows]


def facts_of(program: ExportedProgram) -> list[str]:
    """What is assumed of several sizes at once."""
    return [text_of(truth) for env in program.graph.environments() for truth in relations(program.graph, env)]
