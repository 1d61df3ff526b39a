"""A program as a module of plain NumPy: what `ExportedProgram.to_python` writes.

The statements are those of the compiled form, in the program's own names and without the memory
plan; what npexport computes with functions of its own is taken along (`plain_source`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from inspect import Parameter
from typing import Any

import numpy as np

from npexport.ir import random_states, stated
from npexport.ir.argument_specs import ConstantArgument, CustomObjArgument, SymBoolArgument, SymFloatArgument, SymIntArgument
from npexport.ir.checkpoints import aside, is_checkpoint
from npexport.ir.contract import promises
from npexport.ir.graph import CALL, Node
from npexport.ir.layout_copies import filled, strides_of
from npexport.ir.meta import TensorMeta, dtype_name
from npexport.ir.node import is_name
from npexport.ir.printing import source_comment
from npexport.ir.program import ExportedProgram
from npexport.ir.pytree import TreeSpec
from npexport.ir.signature import InputKind, InputSpec, OutputSpec
from npexport.ir.sources import portable
from npexport.ir.verifier import require_valid
from npexport.runtime.calling import GENERIC, STARS, Leaf, Slot
from npexport.runtime.compilation.compile import Writer, is_whole_array
from npexport.runtime.compilation.statements import Statements
from npexport.runtime.emission.live_generators import Draw, live_draws
from npexport.runtime.emission.replays import Noted, with_notes
from npexport.runtime.entry.checks import LAYOUT_FLAGS
from npexport.runtime.entry.sizes import FUNCTIONS, Solve, Truth, size_checks
from npexport.runtime.plain.plain_files import TITLE, is_of_texts, write_files
from npexport.runtime.plain.plain_source import NoSource, PlainSource
from npexport.runtime.plain.readable import Readable, plainer
from npexport.runtime.planning.plan import Step
from npexport.symshapes import expr as E
from npexport.symshapes.derived_sources import source_text
from npexport.symshapes.errors import UserError
from npexport.symshapes.parameters import FilePath
from npexport.symshapes.plain import plain

_SHORT_STATES = ("PCG64", "PCG64DXSM")
"""The bit generators whose states are a few numbers."""
_NUMBERS: dict[type, str] = {SymIntArgument: "int", SymFloatArgument: "float", SymBoolArgument: "bool"}
_USED = ("_require", "_is_array", "type", "tuple", "list", "dict", "int", "float", "bool", "str", "complex", "bytes")
_REQUIRE = """def _require(fits, problem):
    if not fits:
        raise ValueError(f"the program was exported for other inputs: {problem}")"""
_ARRAY = """def _is_array(value, dtype, ndim):
    return type(value) is np.ndarray and value.dtype == dtype and value.ndim == ndim"""


def to_python(program: ExportedProgram, path: FilePath | None = None) -> str:
    """The source of the module. With a path it is written to that file, and the arrays to an
    ``.npz`` beside it.
    """
    require_valid(program)
    noted = with_notes(program)
    avoided: set[str] = set()
    while True:  # until no variable has the name of what its function uses
        writer = _PlainWriter(*noted, avoided)
        try:
            text = writer.module()
        except NoSource as problem:
            raise UserError("E244", f"the program has no form in plain NumPy: {problem}", hint=problem.hint) from None
        hiding = writer.readable.hiding()
        if not hiding:
            break
        avoided |= hiding
    if path is not None:
        write_files(path, text, writer.arrays)
    return text


_TEXTS = "STATE[{name!r}] = np.array(json.loads(STATE[{name!r}].tobytes()), np.dtypes.StringDType()).reshape({shape})"


class _PlainWriter(Writer):
    """The compiled form's writer, with checks that a reader understands."""

    machine = False

    def __init__(self, program: ExportedProgram, notes: list[Noted], avoided: set[str]) -> None:
        self.bit_generators: list[str] = []  # of the callers' generators
        self.plain_source = PlainSource()
        parameters = {parameter.name for parameter in program.call_spec.parameters or GENERIC}
        self.readable = Readable(self.plain_source, parameters | avoided)
        super().__init__(program, check_guards=True, source=self.readable)
        self.arrays: dict[str, Any] = {}
        self.own: list[str] = []  # the generators of the module's own
        self.problems: list[str] = []
        self.hint: str | None = None  # where there is more to say than to save the program
        self.needs_array_check = False
        self.shapes: list[str] = []  # what stands for the shapes or values of the dynamic inputs
        self.symbols: dict[str, str] = {}
        self.omitted: dict[str, str] = {}  # parameters whose defaults have no text, and what stands for those
        self.comment = ""  # the line of the user's that was shown last
        self.stage = self.readable.unique("stage") if self.stages else ""
        self.notes = notes
        for each in notes:
            each.name = self.readable.unique("written")
        self.reached = ""  # the line that says which writes are to be made

    def module(self) -> str:
        """Everything, in the order of a module.

        Raises ``UserError`` (E244) that names every operator that has no plain form.
        """
        self._require_plain_state()
        self._inputs()
        checks, self.lines = self.lines, []
        self._nodes()
        if self.problems:
            listed = "".join(f"\n  - {problem}" for problem in dict.fromkeys(self.problems))
            raise UserError("E244", f"the program has no form in plain NumPy:{listed}", hint=self.hint)
        nodes, self.lines = self._undoing(self.lines), []
        self.outputs = self._write_back()
        result = self._result()
        body = _tidy([*checks, *nodes, *self.lines, f"return {result}"])
        self._require_free_names("\n".join(body[:-1]))
        laid = self._laid()
        definitions = _used(self.plain_source.definitions, [*laid, *body])
        words = set(re.findall(r"\w+", "\n".join([*definitions, *body])))
        imports = {name for name in self.plain_source.imports if name.rpartition(".")[2] in words}
        parts = [
            _heading(imports, self.arrays, any(spec.rebinds for spec in self.signature.output_specs)),
            *self.own,
            *definitions,
            *(["\n".join(laid)] if laid else []),
            _REQUIRE,
        ]
        parts += [_ARRAY] if self.needs_array_check else []
        parts.append(f"def forward({self._parameters()}):\n" + "".join(f"    {line}\n" for line in body))
        return "\n\n\n".join(parts)

    def _laid(self) -> list[str]:
        """Lines that give arrays the strides that an ``.npz`` forgets: the last bits of what is
        computed of them depend on those.
        """
        strides = {name: strides_of(array) for name, array in self.arrays.items()}
        copies = {f"STATE[{name!r}]": found for name, found in strides.items() if found is not None}
        return [f"{array} = {self.plain_source.text(filled)}({array}, {found})" for array, found in copies.items()]

    def _require_free_names(self, body: str) -> None:
        """Raises if a parameter has the name of something that the body uses."""
        used = {"np", "STATE", *_USED, *self.plain_source.definitions, *(name.partition(".")[0] for name in self.plain_source.imports)}
        used |= {each.func.id for each in ast.walk(ast.parse(body)) if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)}
        for slot in self.slots:
            if slot.name in used:
                raise UserError("E244", f"the parameter {slot.name!r} has the name of what the module uses", hint="Rename the parameter.")

    def _require_plain_state(self) -> None:
        """Raises if state is not an array, or shares memory."""
        if self.listed:
            hint = "Let the program put copies into its lists, append(x.copy())."
            raise UserError("E244", "the program puts arrays into lists of its state that others hold, too", hint=hint)
        for spec in self.signature.input_specs:
            if spec.kind is not InputKind.USER_INPUT and (spec.overlaps or not isinstance(self.program.lifted(spec), np.ndarray)):
                raise UserError("E244", f"the state {spec.target!r} shares memory with other state, or is not an array")

    # Inputs

    def _parameters(self) -> str:
        """The parameters of the exported callable."""
        parts: list[str] = []
        previous: Any = None
        for slot in self.slots:
            kind = slot.parameter.kind
            if previous is Parameter.POSITIONAL_ONLY and kind is not previous:
                parts.append("/")
            if kind is Parameter.KEYWORD_ONLY and previous not in (kind, Parameter.VAR_POSITIONAL):
                parts.append("*")
            parts.append(STARS.get(kind, "") + slot.name + self._default(slot))
            previous = kind
        return ", ".join([*parts, *(["/"] if previous is Parameter.POSITIONAL_ONLY else [])])

    def _default(self, slot: Slot) -> str:
        default = slot.parameter.default
        if default is Parameter.empty:
            return ""
        if slot.name in self.omitted:
            return f"={self.omitted[slot.name]}"
        try:
            return f"={self.plain_source.text(default)}"
        except NoSource:
            raise UserError("E244", f"the default of {slot.name} has no form in plain NumPy") from None

    def _inputs(self) -> str:
        self.places = {}
        draws: dict[Node, Draw] = {}  # from generators of the module's own
        for node, spec in zip(self.graph.placeholders, self.signature.input_specs, strict=True):
            if spec.kind is not InputKind.USER_INPUT and (own := self._draws_of_own(node, spec)):
                draws |= own
            elif spec.kind is not InputKind.USER_INPUT:
                self.names[node] = self.source.named(node)
                array = self.program.lifted(spec)
                self.arrays[str(spec.target)] = np.asarray(array)
                self.lines.append(f"{self.names[node]} = STATE[{str(spec.target)!r}]")
        for slot in self.slots:
            if not is_name(slot.name):
                raise UserError("E244", f"the parameter {slot.name!r} is not an identifier")
            self._slot(slot)
        leaves = [leaf for slot in self.slots for leaf in slot.leaves]
        for leaf in leaves:
            self._conditions(leaf)
        self._states(leaves)
        self.draws |= draws
        self._sizes()
        return ""

    def _draws_of_own(self, node: Node, spec: InputSpec) -> dict[Node, Draw]:
        """The draws from a generator that the program holds, where it does nothing else with it:
        then the module has that generator.
        """
        last = self.last.get(node.name)
        if not isinstance(spec.arg, CustomObjArgument) or spec.arg.fake_val not in _SHORT_STATES or last is None:
            return {}
        draws = live_draws(self.graph, {node: last[1]})
        if draws:
            name = self.readable.unique(str(spec.target).rpartition(".")[2])
            state = random_states.unpack(spec.arg.fake_val, self.program.lifted(spec))
            self.own.append(f"{name} = np.random.Generator(np.random.{spec.arg.fake_val}())\n{name}.bit_generator.state = {state!r}")
            self.names |= {node: name, **{draw.after: name for draw in draws.values()}}
        return draws

    def _slot(self, slot: Slot) -> None:
        if slot.spec is None:
            try:
                self._constant(slot.name, slot.parameter.default)
            except NoSource:  # an array, say, which the program holds: whoever leaves it out has the same
                mark = self.omitted[slot.name] = self.plain_source.mark(f"_{slot.name}_of_export")
                self._check(f"{slot.name} is {mark}", f"{slot.name} must be left at its default")
            return
        leaves = iter(slot.leaves)
        self._tree(slot.spec, slot.name, leaves)

    def _tree(self, spec: TreeSpec, text: str, leaves: Iterator[Leaf]) -> None:
        if spec.type is None:
            self._leaf(next(leaves), text)
            return
        self.places[id(spec)] = text
        if spec.type in (tuple, list, dict):
            self._check(f"type({text}) is {spec.type.__name__} and len({text}) == {len(spec.children)}", f"the structure of {text}")
        for key, child in zip(spec.keys, spec.children, strict=True):
            if key.attribute and not is_name(key.value):
                raise UserError("E244", f"the field {key.value!r} is not an identifier")
            step = f".{key.value}" if key.attribute else f"[{self.plain_source.text(key.value)}]"
            self._tree(child, text + step, leaves)

    def _leaf(self, leaf: Leaf, text: str) -> None:
        value, arg = leaf.node.meta["val"], leaf.spec.arg
        if isinstance(arg, ConstantArgument):
            self._constant(text, arg.value)
            self.names[leaf.node] = text
            return
        if isinstance(arg, CustomObjArgument):
            self._generator(leaf, text, arg.fake_val)
            return
        name = text if text.isidentifier() else self.source.named(leaf.node)
        if name != text:
            self.lines.append(f"{name} = {text}")
        self.names[leaf.node] = name
        kind = _NUMBERS.get(type(arg))
        if kind is not None:
            self._check(f"type({name}) is {kind}", f"{text} must be of type {kind}")
        elif is_whole_array(value):
            self.needs_array_check = True
            dtype = self.plain_source.text(value.dtype)
            self._check(
                f"_is_array({name}, {dtype}, {value.ndim})", f"{text} must be an array {dtype_name(value.dtype)} of {value.ndim} axes"
            )
            for axis, size in enumerate(value.shape):
                if type(size) is int:
                    self._check(f"{name}.shape[{axis}] == {size}", f"{text}.shape[{axis}] must be {size}")
        elif isinstance(value, TensorMeta):
            self._check(f"type({name}) is {self.plain_source.text(value.dtype.type)}", f"{text} must be a scalar {dtype_name(value.dtype)}")

    def _generator(self, leaf: Leaf, text: str, name: Any) -> None:
        """The checks of a random generator, whose state the program takes."""
        cls, attribute, bit_generator = random_states.holder(name)
        own = f"type({text}) is np.random.{cls} and type({text}.{attribute}) is np.random.{bit_generator}"
        others = "".join(f" and {text}.{attribute} is not {other}" for other in self.bit_generators)
        self._check(own + others, f"{text} must be a numpy.random.{cls} over {bit_generator}, and no other input")
        self.bit_generators.append(f"{text}.{attribute}")
        self.names[leaf.node] = text

    def _constant(self, text: str, value: Any) -> None:
        """The check of a Python value that the program is specialised on."""
        shown = self.plain_source.text(value)
        if value is None or isinstance(value, bool):
            self._check(f"{text} is {shown}", f"{text} must be {shown}")
        elif isinstance(value, (float, complex)):
            self._check(f"repr({text}) == {repr(value)!r}", f"{text} must be {shown}")
        else:
            self._check(f"type({text}) is {self.plain_source.text(type(value))} and {text} == {shown}", f"{text} must be {shown}")

    def _conditions(self, leaf: Leaf) -> None:
        """The conditions on an input's memory."""
        spec, name, text = leaf.spec, self.names[leaf.node], leaf.path
        others = {*spec.distinct_from, *(other for other, _ in spec.overlaps), spec.same_as}
        by_name = {node.name: shown for node, shown in self.names.items() if node.name in others} if any(others) else {}
        if spec.layout is not None:
            flags = [f"{name}.flags.{flag}" for flag in LAYOUT_FLAGS[spec.layout]] if isinstance(spec.layout, str) else []
            self._check(" and ".join(flags) or f"{name}.strides == {spec.layout}", f"{text} must lie in memory as the example did")
        if spec.same_as is not None:
            self._check(f"{name} is {by_name[spec.same_as]}", f"{text} and {by_name[spec.same_as]} must be one array")
        for other in spec.distinct_from:
            self._check(f"{name} is not {by_name[other]}", f"{text} and {by_name[other]} must be two arrays")
        for other, offset in spec.overlaps:
            if offset is not None:
                raise UserError("E244", f"the inputs {text} and {other} overlap in memory")
            self._check(f"not np.shares_memory({name}, {by_name[other]})", f"{text} and {by_name[other]} must not share memory")
        if spec.writeable is not None:
            self._check(f"{name}.flags.writeable is {spec.writeable}", f"{text} must {'' if spec.writeable else 'not '}be writeable")
        if spec.owns:
            self._check(f"{name}.base is None", f"{text} must not be a view")

    def _check(self, condition: str, problem: str) -> None:
        self.lines.append(f"_require({condition}, {plain(problem)!r})")

    def _sizes(self) -> None:
        """The checks of the sizes of inputs, as in the compiled form."""
        leaves = [leaf for slot in self.slots for leaf in slot.leaves]
        self.sizes = size_checks(leaves, self.program.ranges, (*self.program.guards, *promises(self.graph)), stated.truths(self.graph))
        for index, leaf in enumerate(self.sizes.inputs):
            name = self.names[leaf.node]
            self.shapes.append(self.readable.unique(f"i{index}"))
            self.lines.append(f"{self.shapes[-1]} = {name}{'.shape' * isinstance(leaf.node.meta['val'], TensorMeta)}")
        self.symbols = {symbol: self.readable.unique(symbol) for symbol in self.sizes.terms}
        for step in self.sizes.steps:
            if isinstance(step, Solve) and step.size == E.symbol(step.symbol):
                axis = "" if step.place.axis is None else f"[{step.place.axis}]"
                self.lines.append(f"{self.symbols[step.symbol]} = {self.shapes[step.place.index]}{axis}")
                continue
            self._check(self._term(step, self.symbols), f"it must hold that {step.term(self.sizes.terms)}")

    def _term(self, step: Any, names: Mapping[str, str]) -> str:
        """The text of a condition on sizes, its functions and inputs as they are called here."""

        def here(found: re.Match[str]) -> str:
            index, function = found["index"], found["function"]
            return self.shapes[int(index)] if index else self.plain_source.text(FUNCTIONS[function])

        return re.sub(rf"(?<![\w.])(i(?P<index>\d+)\b|(?P<function>{'|'.join(FUNCTIONS)})(?=\())", here, step.term(names))

    # Nodes

    def _steps(self, statements: Statements) -> Sequence[Step]:
        left_out = set() if self.stages else aside(self.graph)
        return [Step(node) for node in self.graph.nodes if node.op == CALL and node not in left_out and not is_checkpoint(node)]

    def _step(self, statements: Statements, step: Step) -> None:
        node = step.node
        stage = self.stages.get(node)
        if stage is not None and f"{self.stage} = {stage}" != self.reached:
            self.reached = f"{self.stage} = {stage}"
            self.lines.append(self.reached)
        line = plain(source_comment(node, portable))
        if line and line != self.comment:
            self.lines.append(line)
        self.comment = line or self.comment
        try:
            if node in self.draws:
                self._draw(statements, node)
            elif node not in self.names:
                statements.gathered(step, node in self.showing)
        except NoSource as problem:
            self.problems.append(f"{node.target}: {problem}")
            self.hint = problem.hint or self.hint
            self.names[node] = self.source.named(node)
        self.lines += [row.text for row in statements.take()]

    def _undoing(self, nodes: list[str]) -> list[str]:
        """The nodes' lines; where one raises, what the program had written by then is written."""
        if not self.stages:
            return nodes
        restores = [f"    {line}" for line in self._restores(self.stage)]
        notes = [f"{each.name} = {{}}" for each in self.notes]
        return [f"{self.stage} = 0", *notes, "try:", *(f"    {line}" for line in nodes), "except Exception:", *restores, "    raise"]

    def _forget(self, step: Step) -> None:
        """Nothing: Python deletes variables when the function returns."""

    def _late_check(self, step: Truth) -> None:
        self._check(self._term(step, self.symbols | self.unbacked), f"it must hold that {source_text(step.truth, step.guard.names)}")

    # Outputs

    def _place(self, spec: OutputSpec) -> str:
        return f"STATE[{str(spec.target)!r}]"

    def _container(self, spec: TreeSpec, children: list[str]) -> str:
        if spec.type in (tuple, list, dict):
            return super()._container(spec, children)
        assert spec.type is not None
        try:
            return self.plain_source.container(spec.type, spec.context, children)
        except NoSource as problem:
            raise UserError(
                "E244", f"of the result, {problem}", hint=problem.hint or "Return tuples, named tuples, lists and dicts."
            ) from None


_SHAPE, _SIZE = re.compile(r"(\w+) = \w+\.shape"), re.compile(r"(\w+) = (\w+)\[\d+\]")


def _tidy(lines: list[str]) -> list[str]:
    """The lines without redundant parentheses, and without sizes that nothing reads."""
    found: list[str] = []
    words: set[str] = set()
    shapes = {shape[1] for line in lines if (shape := _SHAPE.fullmatch(line))}
    for line in reversed(lines):
        size = _SIZE.fullmatch(line)
        read = size if size is not None and size[2] in shapes else _SHAPE.fullmatch(line)
        if read is None or read[1] in words:
            words.update(re.findall(r"\w+", line))
            found.append(plainer(line))
    return found[::-1]


def _used(definitions: Mapping[str, str], body: list[str]) -> list[str]:
    """The definitions that the body reads, and those that these read: each stands behind those that
    it uses.
    """
    words = set(re.findall(r"\w+", "\n".join(body)))
    found: list[str] = []
    for name, text in reversed([*definitions.items()]):
        if name in words:
            words.update(re.findall(r"\w+", text))
            found.append(text)
    return found[::-1]


def _heading(imports: set[str], arrays: Mapping[str, Any], keeps: bool) -> str:
    """``keeps``: whether calls leave new arrays."""
    lines = [TITLE, ""]
    needed = [*(["pathlib"] if arrays else []), *(["json"] if any(map(is_of_texts, arrays.values())) else [])]
    lines += [f"import {name}" for name in sorted({*imports, *needed})]
    lines += [*([""] if imports or arrays else []), "import numpy as np"]
    if arrays:
        lines += ["", 'STATE = dict(np.load(pathlib.Path(__file__).with_suffix(".npz")))']
        lines += [_TEXTS.format(name=name, shape=array.shape) for name, array in arrays.items() if is_of_texts(array)]
    elif keeps:
        lines += ["", "STATE = {}"]
    return "\n".join(lines)
