"""Compiles a program, once, to one Python function: its parameters, inlined checks, a statement per
node.

``compile_program`` returns the source and the meaning of its names. The same source is shared by
all modules of a program; each binds its own state. State is in the function's globals, so that it
can be replaced by new arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from npexport.ir import random_states, stated
from npexport.ir.aliasing import ends_of, may_alias
from npexport.ir.argument_specs import CustomObjArgument
from npexport.ir.checkpoints import numbered
from npexport.ir.contract import promises
from npexport.ir.graph import Graph, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.program import ExportedProgram
from npexport.ir.pytree import TreeSpec
from npexport.ir.signature import MUTATIONS, InputKind, OutputSpec
from npexport.runtime.calling import Leaf, convention_of, slots_of
from npexport.runtime.compilation.fast_math import faster
from npexport.runtime.compilation.prepared import prepare
from npexport.runtime.compilation.simplify import simplified
from npexport.runtime.compilation.statements import Statements
from npexport.runtime.compiled import Compiled, Entry
from npexport.runtime.direct import direct
from npexport.runtime.emission.emit import Source, code_of
from npexport.runtime.emission.kept_memory import Entering, entering
from npexport.runtime.emission.listings import beginning, named_if_any, noting
from npexport.runtime.emission.live_generators import Draw, live_draws, text_of
from npexport.runtime.emission.number_lists import NumberLists
from npexport.runtime.emission.replays import replayed, with_replays
from npexport.runtime.emission.results import container_text, result_text
from npexport.runtime.emission.written_views import WrittenViews
from npexport.runtime.entry.checks import InputChecker
from npexport.runtime.entry.conditions import Conditions
from npexport.runtime.entry.sizes import Truth, late_check, size_checks
from npexport.runtime.lists.given_beginnings import given_beginnings, read_beginnings, taken
from npexport.runtime.lists.item_lists import ItemLists
from npexport.runtime.lists.key_tables import with_tables
from npexport.runtime.lists.list_columns import columns_of
from npexport.runtime.machine import loop_machine, scalar_loops
from npexport.runtime.memory.blank import blank
from npexport.runtime.origins import Origins, Row
from npexport.runtime.planning.assumptions import assumptions
from npexport.runtime.planning.fusion_steps import Fused, arranged
from npexport.runtime.planning.plan import SOME, Step, mutations, plan_memory, retaken
from npexport.symshapes.errors import InternalError

FUNCTION, CHECK = "__call__", "check_inputs"


def compile_program(program: ExportedProgram, check_guards: bool = True, *, threads: int | None = 1, fast_math: bool = False) -> Compiled:
    """Compile a program; ``check_guards=False`` leaves the guards on sizes out, ``fast_math``
    allows results that differ by rounding. ``threads``: how many compute on large arrays block by
    block, ``None`` for all cores, 0 for no blocks.
    """
    simple = simplified(with_replays(program))
    simple = with_tables(simple, loop_machine.outermost) if threads != 0 else simple
    if threads != 0 and simple is not program:
        read_beginnings(simple, loop_machine.outermost)
    writer = Writer(prepare(faster(simple) if fast_math else simple), check_guards, threads=threads, fast_math=fast_math)
    writer.original = program.graph
    return writer.finish()


_SHORT = 40
"""The most lines of a function that is compiled a second time, without its checks."""


class Writer:
    """One compilation: the lines that are written so far, and the names of the values."""

    machine = True  # whether loops over numbers may run in machine code
    original: Graph | None = None  # what the program was before it was simplified

    def __init__(
        self,
        program: ExportedProgram,
        check_guards: bool,
        source: Source | None = None,
        *,
        threads: int | None = 0,
        fast_math: bool = False,
    ) -> None:
        self.program = program
        self.threads, self.fast_math = threads, fast_math
        self.graph = program.graph
        self.signature = program.graph_signature
        self.slots = slots_of(program.call_spec, self.graph, self.signature)
        self.source = Source() if source is None else source
        self.convention = convention_of(self.slots, self.source.fresh)
        self.lines: list[str] = []
        self.names: dict[Node, str] = {}
        self.generators: dict[Node, str] = {}  # the callers' own, by the placeholders of their states
        self.draws: dict[Node, Draw] = {}  # from these generators themselves
        self.state: dict[str, str] = {}
        self.held: dict[str, str] = {}
        self.mutations = mutations(self.graph, self.signature)
        self.last = {target.name: (place, value, target) for place, (value, target) in enumerate(self.mutations) if target is not None}
        self.rebound: list[tuple[str, Any]] = []
        self.listed = named_if_any(program, self.source)
        self.beginnings = set[Node]()  # of arrays, which leave as lists
        self.placed: set[Node] = set()  # whose results lie in memory that others have, or never leave a block
        self.uncertain: set[str] = set()  # names of values that may be a mutated array itself
        self.copies: dict[Node, str] = {}  # values that writing back must not change -> their copies
        self.check_guards = check_guards
        self.origins: dict[int, tuple[Node, ...]] = {}  # index of a line -> its nodes
        self.numbers: list[str] = []  # the texts of the dynamic inputs' shapes or values
        self.lasting: set[str] = set()  # the names of inputs, whose memory may hold other values in the end
        self.later: dict[Node, list[str]] = {}  # names that are needed until this node, in whose text they stand
        self.unbacked: dict[str, str] = {}  # symbol that only data decide -> local variable
        self.checkpoints, self.stages = numbered(self.graph)

    def finish(self) -> Compiled:
        accept = self._inputs()
        checks, self.lines = self.lines, []
        written = [self.names[target] for _, target in self.mutations if target is not None]
        listing = beginning(self.listed, self.program, self.names, written, self.source)
        self._nodes()
        nodes, self.lines = self.lines, []
        self.outputs = self._write_back()
        result = self._result()
        self.lines.append(f"return {result}")
        rebound = sorted({name for name, _ in self.rebound})
        entered = entering(self.graph, self.names, self.source, self.placed)
        before = [*([f"global {', '.join(rebound)}"] if rebound else []), *checks, *listing, *entered.before]
        # the def line and "try:" stand before the nodes' lines, and lines count from one
        origins = Origins({line + len(before) + 3: node for line, node in self.origins.items()})
        body = [*before, *(self._guarded(nodes, origins, entered) if nodes else []), *self.lines]
        text = f"def {FUNCTION}({self.convention.text}):\n" + "".join(f"    {line}\n" for line in body)
        code = code_of(text, origins.file_of(text))
        check = code_of(f"def {CHECK}({self.convention.text}):\n    {accept}\n", "<npexport checks>")
        names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
        checked = self.alone and len(checks) == 2
        alone = checked and len(self.lines) == 1 and not (rebound or listing or entered.before or self.stages)
        one = direct(nodes, result, names, self.source.namespace, len(before) + 2) if alone else None
        bare = code_of(self._bare(body, checks), code.co_filename) if checked and one is None and len(body) <= _SHORT else None
        entry = Entry(self.arrays, self.targets, bare, one, origins.noted)
        return Compiled(text, code, check, self.source.namespace, self.state, self.slots, self.convention, self.held, entry, self.listed)

    def _bare(self, body: list[str], checks: list[str]) -> str:
        """The source of the function without its checks, with the same line numbers."""
        lines = ["" if any(line is check for check in checks) else f"    {line}" for line in body]
        return f"def {FUNCTION}({', '.join(self.convention.names.values())}):\n" + "".join(f"{line}\n" for line in lines)

    def _guarded(self, nodes: list[str], origins: Origins, entered: Entering) -> list[str]:
        """The lines of the nodes, in a ``try`` that notes on an exception which line of the user's
        code it comes from.
        """
        error = self.source.fresh()
        raised = f"{self.source.bind(origins.explain)}({error})"
        handler = [f"except {self.source.bind(Exception)} as {error}:", *(f"    {line}" for line in self._undone(raised)), "    raise"]
        return ["try:", *(f"    {line}" for line in nodes), *handler, *entered.behind]

    def _undone(self, raised: str) -> Iterator[str]:
        """The lines that run if a call has raised: they complete what the program had written by
        then. ``raised``: the source of an expression for the node.
        """
        if not self.stages:
            yield raised
            return
        stage = self.source.fresh()
        yield f"{stage} = {self.source.bind(self.stages.get)}({raised})"
        yield from self._restores(stage)

    def _restores(self, stage: str) -> Iterator[str]:
        """The statements for each number that the variable ``stage`` may have."""
        for checkpoint, number in self.checkpoints.items():
            yield f"if {stage} == {number}:"
            yield from (f"    {line}" for line in self._restore(checkpoint))

    def _restore(self, checkpoint: Node) -> list[str]:
        """The statements that write what a checkpoint says. As in `_write_back`, everything is read
        before anything is written.
        """
        outer, self.lines, self.copies = self.lines, [], {}
        specs = [spec for spec in self.signature.output_specs if spec.kind in MUTATIONS]
        rows = list(zip(checkpoint.args[0], specs, [target for _, target in self.mutations], strict=True))
        pairs = [(value, target) for value, _, target in rows if value is not None and target is not None]
        written = dict(reversed(pairs))
        targets = {target for _, target in pairs}
        lasting = targets | {node for node, spec in zip(self.graph.placeholders, self.signature.input_specs, strict=True) if spec.literal}
        storages = may_alias(self.graph)
        copies = [
            (target, self._detached(value, storages, targets, target)) for value, target in pairs if self.names[value] != self.names[target]
        ]
        new = [(spec, value) for value, spec, _ in rows if spec.rebinds and value is not None]
        texts = [self._shown().of_written(value, written) or self._detached(value, storages, lasting) for _, value in new]
        inside = replayed(checkpoint, self.source, self.names, self.lines)
        self.lines += [f"{self.source.bind(np.copyto)}({self.names[target]}, {text})" for target, text in copies]
        for target, text in [(rows[place][2], text) for place, text in inside.items()]:
            assert target is not None  # elements of a placeholder were written
            self.lines.append(f"if {text} is not None: {self.source.bind(np.copyto)}({self.names[target]}, {text})")
            targets.add(target)
        self._advance(targets)
        if new:
            self.lines.append(f"{', '.join(self._place(spec) for spec, _ in new)} = {', '.join(texts)}")
            self.lines += noting(self.listed, [(spec, self._place(spec)) for spec, _ in new], self.source)
        lines, self.lines, self.copies = self.lines or ["pass"], outer, {}
        return lines

    def _advance(self, written: set[Node]) -> None:
        """Set the callers' generators to the states that the program has computed."""
        for node, generator in self.generators.items():
            if node in written:
                self.lines.append(f"{self.source.bind(random_states.write_back)}({generator}, {self.names[node]})")

    def _place(self, spec: OutputSpec) -> str:
        """The global name of the state array that a mutation names. An array without an initial
        value is made here.
        """
        for node, lifted in zip(self.graph.placeholders, self.signature.input_specs, strict=True):
            if lifted.kind is not InputKind.USER_INPUT and lifted.target == spec.target:
                return self.names[node]
        name = next((name for name, target in self.held.items() if target == spec.target), None)
        if name is None:
            name = self.source.fresh("s")
            self.held[name] = str(spec.target)
        return name

    # --- inputs

    def _inputs(self) -> str:
        """The source of the call that checks the arguments; the checks become the first lines of
        the body.
        """
        source, slots, convention = self.source, self.slots, self.convention
        mutated = {target.name for _, target in self.mutations if target is not None}
        leaves = [leaf for slot in slots for leaf in slot.leaves]
        guards = (*self.program.guards, *promises(self.graph, self.original)) if self.check_guards else ()
        self.sizes = size_checks(leaves, self.program.ranges, guards, stated.truths(self.graph))
        for node, spec in zip(self.graph.placeholders, self.signature.input_specs, strict=True):
            if spec.kind is not InputKind.USER_INPUT:
                self.names[node] = source.fresh("s")
                self.state[self.names[node]] = node.name
        checker = InputChecker(
            slots, mutated & {leaf.node.name for leaf in leaves}, self.sizes, self.signature, self.program.report.constants
        )
        conditions = Conditions(source, slots, convention, {name: text for text, name in self.state.items()}, checker.mutated)
        self.places, self.arrays, self.targets = conditions.places, conditions.arrays, conditions.targets
        conditions.sizes(self.sizes)
        conditions.state(checker.lifted)
        self.alone = conditions.arrays is not None and len(conditions.terms) == 1  # whether nothing else is looked at
        values = "".join(f"{convention.names[slot.name]}, " for slot in slots)
        arguments = f"({values}), {convention.extra or '()'}, {convention.unknown or '()'}"
        targets = "".join(f"{conditions.names[leaf.node.name]}, " for leaf in checker.leaves)
        accept = f"{source.bind(checker.accept)}({arguments}"
        again = f"{accept}, ({''.join(f'{conditions.names[name]}, ' for name in checker.compared)}))"
        self.lines += conditions.lines(targets, again)
        self.numbers = [
            f"{conditions.names[leaf.node.name]}{'.shape' if isinstance(leaf.node.meta['val'], TensorMeta) else ''}"
            for leaf in self.sizes.inputs
        ]
        for node in self.graph.placeholders:
            self.names.setdefault(node, conditions.names.get(node.name, ""))
        self._states(leaves)
        return f"{accept})"

    def _states(self, leaves: list[Leaf]) -> None:
        """Read the states of the callers' generators into arrays of the call."""
        by_name = {node.name: node for node in self.graph.placeholders}
        nodes = [by_name[leaf.node.name] for leaf in leaves if isinstance(leaf.spec.arg, CustomObjArgument)]
        last = {target: value for value, target in self.mutations}
        self.draws = live_draws(self.graph, {node: last[node] for node in nodes if node in last})
        self.names.update({draw.after: self.names[draw.generator] for draw in self.draws.values()})
        live = {draw.generator for draw in self.draws.values()}
        for node in nodes:
            if node not in live:
                self.generators[node] = self.names[node]
                self.names[node] = source = self.source.named(node)
                self.lines.append(f"{source} = {self.source.bind(random_states.state_of)}({self.generators[node]})")

    # --- nodes

    def _nodes(self) -> None:
        """The lines of all nodes, each guard on what only data decide where its last number is
        shown.
        """
        asked = {symbol for step in self.sizes.open for symbol in step.truth.symbols}
        self.shown = self.graph.unbacked_bindings(asked - self.sizes.terms.keys())
        self.showing = {node for node, _ in self.shown.values()}
        statements = Statements(self.source, self.names)
        statements.compiles = self.machine and scalar_loops.is_there()
        statements.fuses, self.texts = self.threads != 0, statements.numbers
        if statements.fuses:
            statements.fixed.see(self.graph)
            statements.machines = loop_machine.machines_of(self.graph) if self.machine else {}
            statements.listed = ItemLists(self.graph, columns_of(self.program), self.showing, statements.machines)
            self.beginnings = given_beginnings(self.program)
        self.source.blank |= blank(self.graph)
        self.lists = NumberLists(self.graph if statements.fuses else Graph(), statements.listed.kinds)
        for node in self.graph.placeholders:
            self._late_guards(node)
        for step in arranged(self._steps(statements), self.threads, self.fast_math, self._stands_alone):
            if isinstance(step, Fused):
                statements.fused(step, self._dead)
                self.placed.update(step.targets, set(step.group.members).difference(step.group.outputs))
                self.uncertain |= {self.names[each.node] for each in step.members if each.when in SOME or each.final}
                self._take(statements)
            else:
                self._step(statements, step)
                self._late_guards(step.node)
                self._forget(step)
        if self.sizes.open:
            guards = "; ".join(str(step.guard) for step in self.sizes.open)
            raise InternalError("E901", f"no value of the program shows the sizes that these guards are about: {guards}")
        self.source.lists.update(self.names[value] for value in self.graph.output_node.all_input_nodes if value in statements.listed.kinds)

    def _stands_alone(self, node: Node) -> bool:
        """Whether a value reveals a size that late guards depend on, or is a number of a list."""
        return node in self.showing or node in self.lists

    def _steps(self, statements: Statements) -> Sequence[Step]:
        """The nodes in their order, each with its plan."""
        plan = plan_memory(self.graph, self.signature)
        statements.inside = plan.inside
        statements.assumed, lines = assumptions(plan, self.graph, self.names, self.source)
        self.lines += lines
        self.lasting = {self.names[node] for node in self.graph.placeholders}
        self.names |= dict.fromkeys(retaken(self.graph, self.signature) - self.showing, "")
        return plan.steps

    def _step(self, statements: Statements, step: Step) -> None:
        """The lines of one node."""
        if step.node in self.draws:
            self._draw(statements, step.node)
        elif step.node in self.lists:
            statements.rows += self.lists.taken(step.node, self.names, self.source)
        elif step.node in self.beginnings and (row := taken(step.node, statements.listed.kinds, self.names, self.source)) is not None:
            statements.rows.append(row)
        elif step.node not in self.names:
            shows = step.node in self.showing
            if shows or not (self.texts.stands_within_numbers(step.node) and self.texts.written(step.node)):
                statements.gathered(step, shows)
        self.placed |= {step.node} if step.place is not None else set()
        self.uncertain |= {self.names[step.node]} if step.when in SOME else set()
        self._take(statements)

    def _draw(self, statements: Statements, node: Node) -> None:
        """The line that draws from a caller's generator itself."""
        draw = self.draws[node]
        text = text_of(node, self.names[draw.generator], self.source, self.names)
        if draw.drawn is not None:
            self.names[draw.drawn] = self.source.named(draw.drawn)
            text = f"{self.names[draw.drawn]} = {text}"
        statements.rows.append(Row(text, (node,)))

    def _take(self, statements: Statements) -> None:
        for row in statements.take():
            self.origins[len(self.lines)] = row.nodes
            self.lines.append(row.text)

    def _forget(self, step: Step) -> None:
        """Delete the variables that no later node needs."""
        if (step.dead or self.later) and (dead := self._dead(step)):
            self.lines.append(f"del {', '.join(dead)}")

    def _dead(self, step: Step) -> list[str]:
        """The names of values that no later node needs, except those of inputs and those that
        appear in source that is not written yet.
        """
        dead = [value for value in step.dead if value not in self.draws and not self.texts.ended(value)]
        names = [name for value in dead if (name := self.names[value]).isidentifier() and name not in self.lasting]
        names += [name for name in self.later.pop(step.node, []) if name not in self.texts.moved]
        hosts = {name: self.texts.host_of(name) for name in names}
        for name, host in hosts.items():
            if host is not None:
                self.later.setdefault(host, []).append(name)
        return [name for name, host in hosts.items() if host is None]

    def _late_guards(self, node: Node) -> None:
        """Check the guards on sizes that only data decide, as soon as this node's value reveals the
        last size of each.
        """
        if not self.sizes.open:
            return
        for symbol, (shown, text) in self.shown.items():
            if shown is node:
                self.unbacked[symbol] = self.source.symbol(symbol)
                text = f"{self.source.bind(len)}({{}})" if self.names[node] in self.source.lists else text
                self.lines.append(f"{self.unbacked[symbol]} = {text.format(self.names[node])}")
        for step in [step for step in self.sizes.open if step.truth.symbols <= self.sizes.terms.keys() | self.unbacked.keys()]:
            self.sizes.open.remove(step)
            self._late_check(step)

    def _late_check(self, step: Truth) -> None:
        """The line that checks one guard."""
        symbols = sorted(step.truth.symbols & self.unbacked.keys())
        check = self.source.bind(late_check(step, self.sizes, symbols))
        unbacked = "".join(f", {self.unbacked[symbol]}" for symbol in symbols)
        text = f"{check}(({''.join(f'{number}, ' for number in self.numbers)}){unbacked})"
        plain = step.plain(self.unbacked)
        self.lines.append(text if plain is None else f"if not {plain}: {text}")

    # --- outputs

    def _write_back(self) -> list[str]:
        """Write the mutations back; the texts of the user's outputs.

        Everything is read before anything is written: a new value or an output that may share
        memory with what is written, and is not meant to, is copied first.
        """
        storages = may_alias(self.graph)
        written = {target for _, target in self.mutations if target is not None}
        copies = [
            (target, self._detached(value, storages, written, target))
            for value, target in self.mutations
            if target is not None and self._name(value) != self.names[target]
        ]
        leaving = [(spec, value) for spec, value in self._outputs() if spec.rebinds or spec.kind not in MUTATIONS]
        held = [None if spec.alias else self._output(value, storages, written) for spec, value in leaving]
        shown = [(spec, value) for spec, value in leaving if spec.alias is not None]
        ends = [end for spec, value in shown for end in ends_of(value, self._shown().finals(spec))]
        instead = {end: self._output(end, storages, written) for end in ends}
        for target, text in copies:
            test = f"if {text} is not {self.names[target]}: " if text in self.uncertain else ""
            self.lines.append(f"{test}{self.names[target]}[...] = {text}")
        self._advance(written)
        views, lines = self._shown().outputs(shown, instead)
        self.lines += lines
        texts = [views[value] if text is None else text for text, (_, value) in zip(held, leaving, strict=True)]
        texts = [self._kept(text) if spec.listed else text for (spec, _), text in zip(leaving, texts, strict=True)]
        self.lines += noting(self.listed, [(spec, text) for (spec, _), text in zip(leaving, texts, strict=True)], self.source)
        outputs = [text for (spec, _), text in zip(leaving, texts, strict=True) if not spec.rebinds]
        changes = list(self._changes())
        if changes:
            outputs = [self._kept(text) for text in outputs]  # views of the arrays as they were
            self.lines += changes
        self.rebound = [(self._place(spec), text) for (spec, _), text in zip(leaving, texts, strict=True) if spec.rebinds]
        if self.rebound:
            # an output may be the state's old array, or a view of it: it is read before the names
            # move on
            outputs = [self._kept(text) for text in outputs]
            names, values = zip(*self.rebound, strict=True)
            self.lines.append(f"{', '.join(names)} = {', '.join(values)}")
        return outputs

    def _changes(self) -> Iterator[str]:
        """The statements that change the callers' arrays."""
        for node, spec in zip(self.graph.placeholders, self.signature.input_specs, strict=True):
            if spec.reshaped is not None:
                yield f"{self.names[node]}.shape = {self.source.value(spec.reshaped)}"
            if spec.frozen:
                yield f"{self.names[node]}.flags.writeable = False"

    def _kept(self, text: str) -> str:
        if text.isidentifier() and text not in {name for name, _ in self.rebound}:
            return text
        name = self.source.fresh()
        self.lines.append(f"{name} = {text}")
        return name

    def _outputs(self) -> Iterator[tuple[OutputSpec, Any]]:
        return zip(self.signature.output_specs, self.graph.output_node.args[0], strict=True)

    def _output(self, value: Any, storages: dict[Node, set[Node]], written: set[Node]) -> str:
        if isinstance(value, Node) and value in written:
            return self.names[value]
        return self._detached(value, storages, written)

    def _detached(self, value: Any, storages: dict[Node, set[Node]], written: set[Node], but: Node | None = None) -> str:
        """The source of a copy of a value if later writes to ``written``, but to one, could change
        it; else of the value itself.
        """
        text = self._name(value)
        roots = storages[value] if isinstance(value, Node) and is_whole_array(value.meta["val"]) else ()
        if not any(root in written and root is not but for root in roots):
            return text
        name = self.copies.get(value)
        if name is None:
            name = self.copies[value] = self.source.fresh()
            self.lines.append(f"{name} = {self.source.bind(np.copy)}({text}, 'K')")
        return name

    def _shown(self) -> WrittenViews:
        return WrittenViews(self.graph, self.last, self.source, self.names)

    def _name(self, value: Any) -> str:
        return self.source.text(value, self.names)

    def _result(self) -> str:
        """The source that builds the result of the program."""
        text, lines = result_text(self.program.call_spec, self.outputs, self.places, self.source, self._container)
        self.lines += lines
        return text

    def _container(self, spec: TreeSpec, children: list[str]) -> str:
        return self.lists.whole(spec, children, self.source) or container_text(self.source, spec, children)


def is_whole_array(meta: Any) -> bool:
    """Whether a value is an array object, of any rank, not a scalar."""
    return isinstance(meta, TensorMeta) and not meta.scalar
