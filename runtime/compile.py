"""A program compiled, once, to one Python function: parameters of the user's names, checks written out, a statement a node.

``compile_program`` gives the source and everything that its names mean. The same source is shared by all modules of a program; each
binds its own state. State stands in the function's globals, so that new arrays can be put in its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import Parameter
from types import CodeType
from typing import Any

import numpy as np

from npexport.ir.aliasing import storages_of
from npexport.ir.graph import CALL, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.program import ExportedProgram
from npexport.ir.pytree import TreeSpec, kind_of
from npexport.ir.signature import MUTATIONS, InputKind, OutputSpec
from npexport.runtime.calling import Slot, has, signature_text, slots_of
from npexport.runtime.checks import InputChecker
from npexport.runtime.conditions import Conditions
from npexport.runtime.emit import Source, is_literal
from npexport.runtime.origins import Origins
from npexport.runtime.plan import mutations, plan_memory
from npexport.runtime.sizes import late_check, size_checks
from npexport.symshapes.errors import InternalError

FUNCTION, CHECK = "__call__", "check_inputs"


@dataclass
class Compiled:
    """The function's source and code, the constants of its names, its state (global name -> input name) and its parameters.

    ``check``: the source of a function of the same parameters that only checks them.
    """

    text: str
    code: CodeType
    check: str
    namespace: dict[str, Any]
    state: dict[str, str]
    slots: list[Slot]

    def function(self, state: dict[str, Any]) -> Callable[..., Any]:
        """A function over this state: ``state`` maps input names to arrays. Its globals are its own."""
        scope = dict(self.namespace)
        scope.update({name: state[target] for name, target in self.state.items()})
        exec(self.code, scope)
        function: Callable[..., Any] = scope[FUNCTION]
        return function

    def checking(self) -> Callable[..., None]:
        """The function that only checks; like the other it is a method."""
        scope = dict(self.namespace)
        exec(compile(self.check, "<npexport checks>", "exec", dont_inherit=True), scope)
        function: Callable[..., None] = scope[CHECK]
        return function


def compile_program(program: ExportedProgram, check_guards: bool = True) -> Compiled:
    """Compile a program; ``check_guards=False`` leaves the guards on sizes out."""
    return _Writer(program, check_guards).finish()


class _Writer:
    """One compilation: the lines so far and the names of the values."""

    def __init__(self, program: ExportedProgram, check_guards: bool) -> None:
        self.program = program
        self.graph = program.graph
        self.signature = program.graph_signature
        self.slots = slots_of(program.call_spec, self.graph, self.signature)
        self.source = Source({slot.name for slot in self.slots})
        self.lines: list[str] = []
        self.names: dict[Node, str] = {}
        self.state: dict[str, str] = {}
        self.mutations = mutations(self.graph, self.signature)
        self.rebound: list[tuple[str, Any]] = []
        self.copies: dict[Node, str] = {}  # values that writing back must not change -> their copies
        self.check_guards = check_guards
        self.origins: dict[int, Node] = {}  # index of a node's line -> node
        self.numbers: list[str] = []  # the texts of the dynamic inputs' shapes or values
        self.unbacked: dict[str, str] = {}  # symbol that only data decide -> local variable

    def finish(self) -> Compiled:
        parameters, accept = self._inputs()
        checks, self.lines = self.lines, []
        self._nodes()
        nodes, self.lines = self.lines, []
        outputs = self._write_back()
        self.lines.append(f"return {self._result(self.program.call_spec.out_spec, iter(outputs))}")
        rebound = sorted({name for name, _ in self.rebound})
        before = [*([f"global {', '.join(rebound)}"] if rebound else []), *checks]
        # the def line and "try:" stand before the nodes' lines, and lines count from one
        origins = Origins({line + len(before) + 3: node for line, node in self.origins.items()})
        body = [*before, *(self._guarded(nodes, origins) if nodes else []), *self.lines]
        text = f"def {FUNCTION}({parameters}):\n" + "".join(f"    {line}\n" for line in body)
        code = compile(text, origins.file_of(text), "exec", dont_inherit=True)
        check = f"def {CHECK}({parameters}):\n    {accept}\n"
        return Compiled(text, code, check, self.source.namespace, self.state, self.slots)

    def _guarded(self, nodes: list[str], origins: Origins) -> list[str]:
        """The nodes' lines; an exception in one of them learns which line of the user's it comes from."""
        error = self.source.fresh("error")
        handler = [
            f"except {self.source.bind('Exception', Exception)} as {error}:",
            f"    {self.source.bind('explain', origins.explain)}({error})",
        ]
        return ["try:", *(f"    {line}" for line in nodes), *handler, "    raise"]

    # --- inputs

    def _inputs(self) -> tuple[str, str]:
        """The text of the parameters and of the call that checks them; the checks become the first lines of the body."""
        source, slots = self.source, self.slots
        mutated = {target.name for _, target in self.mutations if target is not None}
        leaves = [leaf for slot in slots for leaf in slot.leaves]
        self.sizes = size_checks(leaves, self.program.range_constraints, self.program.guards if self.check_guards else ())
        for node, spec in zip(self.graph.placeholders, self.signature.input_specs, strict=True):
            if spec.kind is not InputKind.USER_INPUT:
                self.names[node] = source.fresh(node.name)
                self.state[self.names[node]] = node.name
        checker = InputChecker(slots, mutated & {leaf.node.name for leaf in leaves}, self.sizes, self.signature)
        conditions = Conditions(source, slots)
        conditions.sizes(self.sizes)
        conditions.names.update({name: text for text, name in self.state.items()})
        conditions.mutations(slots, checker.mutated)
        conditions.state(checker.lifted)
        self_name, extra, unknown = source.fresh("_self"), source.fresh("_extra"), source.fresh("_unknown")
        arguments = [f"({''.join(f'{slot.name}, ' for slot in slots)})"]
        for kind, name, keyword in ((Parameter.VAR_POSITIONAL, extra, "extra"), (Parameter.VAR_KEYWORD, unknown, "unknown")):
            if not has(slots, kind):
                conditions.terms.append(f"not {name}")
                arguments.append(f"{keyword}={name}")
        targets = "".join(f"{conditions.names[leaf.node.name]}, " for leaf in checker.leaves)
        accept = f"{source.bind('accept', checker.accept)}({', '.join(arguments)}"
        again = f"{accept}{''.join(f', {name}={conditions.names[name]}' for name in checker.compared)})"
        self.lines += [f"if not ({' and '.join(conditions.terms)}):", f"    {targets}= {again}" if targets else f"    {again}"]
        defaults = {
            slot.name: source.bind("default", slot.parameter.default)
            for slot in slots
            if slot.parameter.default is not slot.parameter.empty
        }
        self.numbers = [
            f"{conditions.names[leaf.node.name]}{'.shape' if isinstance(leaf.node.meta['val'], TensorMeta) else ''}"
            for leaf in self.sizes.inputs
        ]
        for node in self.graph.placeholders:
            self.names.setdefault(node, conditions.names.get(node.name, ""))
        return signature_text(slots, self_name, conditions.missing, defaults, extra, unknown), f"{accept})"

    # --- nodes

    def _nodes(self) -> None:
        plan = plan_memory(self.graph, self.signature)
        asked = {symbol for step in self.sizes.late for symbol in step.truth.symbols}
        self.shown = self.graph.showing(asked - self.sizes.terms.keys())
        kept = {self.names[node] for node in self.graph.placeholders}  # their memory may hold other values by now
        for node in self.graph.nodes:
            if node.op != CALL:
                continue
            self.origins[len(self.lines)] = node
            target = plan.in_place.get(node)
            if target is None:
                self.names[node] = self.source.fresh(node.name)
                self.lines.append(f"{self.names[node]} = {self.source.call(node, self.names, None)}")
            else:
                self.names[node] = self.names[target]
                self.lines.append(self.source.call(node, self.names, self.names[target]))
            dead = [self.names[value] for value in plan.dying[node] if self.names[value] not in kept]
            self._late_guards(node)
            if dead:
                self.lines.append(f"del {', '.join(dead)}")
        if self.sizes.late:
            guards = "; ".join(str(step.guard) for step in self.sizes.late)
            raise InternalError("E901", f"no value of the program shows the sizes that these guards are about: {guards}")

    def _late_guards(self, node: Node) -> None:
        """Hold the guards on sizes that only data decide, as soon as this node's value shows the last of them."""
        if not self.sizes.late:
            return
        for symbol, (shown, text) in self.shown.items():
            if shown is node:
                self.unbacked[symbol] = self.source.fresh(symbol)
                self.lines.append(f"{self.unbacked[symbol]} = {text.format(self.names[node])}")
        ready = [step for step in self.sizes.late if step.truth.symbols <= self.sizes.terms.keys() | self.unbacked.keys()]
        for step in ready:
            self.sizes.late.remove(step)
            check = self.source.bind("check", late_check(step, self.sizes))
            unbacked = "".join(f", {symbol}={self.unbacked[symbol]}" for symbol in sorted(step.truth.symbols & self.unbacked.keys()))
            self.lines.append(f"{check}(({''.join(f'{number}, ' for number in self.numbers)}){unbacked})")

    # --- outputs

    def _write_back(self) -> list[str]:
        """Write the mutations back; the texts of the user's outputs.

        Everything is read before anything is written: a new value or an output that may share memory with what is written, and
        is not meant to, is copied first.
        """
        storages = storages_of(self.graph)
        written = {target for _, target in self.mutations if target is not None}
        copies = [
            (target, self._detached(value, storages, written - {target}))
            for value, target in self.mutations
            if target is not None and self._name(value) != self.names[target]
        ]
        leaving = [(spec, value) for spec, value in self._outputs() if spec.rebinds or spec.kind not in MUTATIONS]
        held = [None if spec.alias else self._output(value, storages, written) for spec, value in leaving]
        for target, text in copies:
            self.lines.append(f"{self.source.bind('copyto', np.copyto)}({self.names[target]}, {text})")
        views = self._views([(spec, value) for spec, value in leaving if spec.alias is not None])
        texts = [views[value] if text is None else text for text, (_, value) in zip(held, leaving, strict=True)]
        outputs = [text for (spec, _), text in zip(leaving, texts, strict=True) if not spec.rebinds]
        changes = list(self._changes())
        if changes:
            outputs = [self._kept(text) for text in outputs]  # views of the arrays as they were
            self.lines += changes
        by_target = {spec.target: self.names[node] for node, spec in zip(self.graph.placeholders, self.signature.input_specs, strict=True)}
        self.rebound = [(by_target[spec.target], text) for (spec, _), text in zip(leaving, texts, strict=True) if spec.rebinds]
        if self.rebound:
            # an output may be the state's old array, or a view of it: it is read before the names move on
            outputs = [self._kept(text) for text in outputs]
            names, values = zip(*self.rebound, strict=True)
            self.lines.append(f"{', '.join(names)} = {', '.join(values)}")
        return outputs

    def _changes(self) -> Iterator[str]:
        """What is done to the callers' arrays themselves."""
        for node, spec in zip(self.graph.placeholders, self.signature.input_specs, strict=True):
            if spec.reshaped is not None:
                yield f"{self.names[node]}.shape = {spec.reshaped!r}"
            if spec.frozen:
                yield f"{self.names[node]}.flags.writeable = False"

    def _kept(self, text: str) -> str:
        if text.isidentifier() and text not in {name for name, _ in self.rebound}:
            return text
        name = self.source.fresh("kept")
        self.lines.append(f"{name} = {text}")
        return name

    def _outputs(self) -> Iterator[tuple[OutputSpec, Any]]:
        return zip(self.signature.output_specs, self.graph.output_node.args[0], strict=True)

    def _output(self, value: Any, storages: dict[Node, set[Node]], written: set[Node]) -> str:
        if isinstance(value, Node) and value in written:
            return self.names[value]
        return self._detached(value, storages, written)

    def _detached(self, value: Any, storages: dict[Node, set[Node]], written: set[Node]) -> str:
        """The text of a value that later writes to ``written`` must not change."""
        text = self._name(value)
        if not (isinstance(value, Node) and is_whole_array(value.meta["val"]) and storages[value] & written):
            return text
        name = self.copies.get(value)
        if name is None:
            name = self.copies[value] = self.source.fresh(f"{value.name}_copy")
            self.lines.append(f"{name} = {self.source.bind('copy', np.copy)}({text}, order='K')")
        return name

    def _views(self, outputs: list[tuple[OutputSpec, Node]]) -> dict[Node, str]:
        """The texts of outputs that share memory with a written input: their view operators applied to the input's own array.

        An output of which another is made, or which is there twice, is taken once: it is one object.
        """
        chains: dict[Node, list[Node]] = {}
        names = dict(self.names)
        for spec, value in outputs:
            placeholder = next(node for node in self.graph.placeholders if node.name == spec.alias)
            chain = chains[value] = [value]
            final = next(node for node, target in self.mutations if target is placeholder)
            while chain[-1] is not final:
                chain.append(chain[-1].args[0])
            names[final] = self.names[placeholder]
        uses = Counter(node for _, value in outputs for node in chains[value][:-1])
        taken: set[Node] = set()
        for chain in chains.values():
            for node in reversed(chain[:-1]):
                if node in taken:
                    continue
                names[node] = self.source.call(node, names, None)
                if node in chains and uses[node] > 1:
                    taken.add(node)
                    name = self.source.fresh("view")
                    self.lines.append(f"{name} = {names[node]}")
                    names[node] = name
        return {value: names[value] for value in chains}

    def _name(self, value: Any) -> str:
        return self.source.text(value, self.names)

    def _result(self, spec: TreeSpec, outputs: Any) -> str:
        """The source that builds the program's result."""
        if spec.type is None:
            return str(next(outputs))
        children = [self._result(child, outputs) for child in spec.children]
        if spec.type is tuple:
            return f"({''.join(child + ', ' for child in children)})"
        if spec.type is list:
            return f"[{', '.join(children)}]"
        if spec.type is dict and all(is_literal(key) for key in spec.context):
            return "{" + ", ".join(f"{key!r}: {child}" for key, child in zip(spec.context, children, strict=True)) + "}"
        build = self.source.bind("build", _builder(spec))
        return f"{build}([{', '.join(children)}])"


def is_whole_array(meta: Any) -> bool:
    """Whether a value is an array object, of any rank, not a scalar."""
    return isinstance(meta, TensorMeta) and not meta.scalar


def _builder(spec: TreeSpec) -> Callable[[list[Any]], Any]:
    cls: Any = spec.type
    kind = kind_of(cls)
    return lambda children: kind.build(cls, spec.context, children)
