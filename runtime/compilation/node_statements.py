"""Python statements for nodes, one a node; what consists of blocks is written by a subclass."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import FunctionType, MappingProxyType
from typing import Any

from npexport.ir import ops
from npexport.ir.aliasing import may_alias
from npexport.ir.graph import CALL, Graph, GraphModule, Node
from npexport.runtime.blocks import expressions
from npexport.runtime.blocks.fusion_body import into
from npexport.runtime.emission import attempted
from npexport.runtime.emission.complex_texts import is_part_of_number
from npexport.runtime.emission.emit import Source, defined, state_of
from npexport.runtime.emission.source_rows import SourceRows
from npexport.runtime.lists.fixed_lists import FixedTexts
from npexport.runtime.lists.item_lists import ItemLists
from npexport.runtime.lists.list_calls import calls
from npexport.runtime.lists.list_texts import checked, named
from npexport.runtime.lists.number_texts import NumberTexts
from npexport.runtime.lists.windows import Windows, number_of, writes_number
from npexport.runtime.loops.endings import Ending
from npexport.runtime.machine.loop_machine import Machine
from npexport.runtime.memory.inherited_memory import Inside, is_item, results_of
from npexport.runtime.memory.layouts import copied, has_memory, in_c_order
from npexport.runtime.memory.turned_results import IN_C, Laying
from npexport.runtime.memory.view_writes import makes_longer
from npexport.runtime.origins import Origins
from npexport.runtime.planning.fusion_steps import Fused, Target, arranged_iteration, pays
from npexport.runtime.planning.placement import WHOLE, Place
from npexport.runtime.planning.plan import SOME, Step, When, plan_iteration

MAX_BLOCKS = 10
"""Python's compiler has a limit to blocks within one another; what is deeper becomes a function."""
NO_OTHER: Mapping[int, Laying] = MappingProxyType({})


class NodeStatements(SourceRows):
    """The rows of the nodes so far; ``names`` are the texts of their values. ``blocks``: what
    writes branches and loops, by the words of `Emit.block`.
    """

    blocks: Mapping[str, Callable[..., list[str]]] = MappingProxyType({})

    def __init__(self, source: Source, names: dict[Node, str]) -> None:
        super().__init__(source)
        self.names = names
        self.outside = set(names.values())  # names of arrays from outside
        self.compiles = False  # whether loops over numbers may run in machine code
        self.machines: dict[Node, Machine] = {}  # the loops of which a machine makes iterations
        self.fuses = False  # whether several calls may be made as one
        self.assumed: dict[When, str] = {}  # the variables that say whether the call is as assumed
        self.numbers = NumberTexts(source, names)
        self.fixed = FixedTexts(source, names, self.numbers.moved)
        self.numbers.apart = self.fixed.stands_apart
        self.listed = ItemLists(Graph(), {}, set())
        self.only_asked: set[Node] = set()  # truths of NumPy of which only a loop asks
        self._parts: dict[Node, list[str]] = {}  # of values that are several
        self._kept: dict[Node, str] = {}  # calls that an attempt has made, perhaps -> the variable of its result, or None
        self._borrowed: frozenset[int] = frozenset()  # the numbers of a branch's results that may lie in operands' memory
        self._dying: list[Node] = []  # the values that a loop is the last to use
        self._held: frozenset[Node] = frozenset()  # the values that are needed where it raises
        self._own: dict[Node, str] = {}  # operands in whose memory a branch or a loop computes -> what gives it
        self._shared: set[str] = set()  # names of lists that a side of a branch has from around it, where they are let go
        self._given_up: set[Node] = set()  # placeholders of sides of branches, whose arrays have no other name
        self._wholes: set[Node] = set()  # branches and loops of which checks may look at any result
        self._lying: set[str] = set()  # names of what branches and loops give and carry, which lies in C order
        self.inside = Inside()  # what the plans of sub-graphs have in common
        self._endings: dict[Node, Ending] = {}  # of the branches that iterations end with
        self.windows: Windows | None = None  # of the loop around everything
        self._shown: set[Node] = set()  # numbers that were made where their elements were read

    # Nodes

    def node(self, step: Step) -> None:
        """The statements of one step, in the error state of its node."""
        state = state_of(step.node)
        if not state:
            self._node(step)
            return
        with self._within(state, step.node):
            self._node(step)

    def _node(self, step: Step) -> None:
        node = step.node
        if node in self.only_asked:
            self.names[node] = self.names[node.args[0]]
            return
        if self._of_lists(step) or self._read(node):
            return
        writer = self.blocks.get(node.target.emit.block)  # type: ignore[union-attr]
        if writer is not None and self._depth < MAX_BLOCKS:
            self._around = (node, *self._around)
            self._borrowed, self._dying, self._held = step.borrowed, step.dead, step.held
            self._own = dict.fromkeys(step.given, self.source.bind(in_c_order))
            if step.lent:
                self._own |= dict.fromkeys(step.lent, self._if("assumed", in_c_order, copied))
            self._parts[node] = writer(self, *node.args)
            self._around = self._around[1:]
            return
        if node.target.emit.unless and not node.users:  # type: ignore[union-attr]
            self.names[node] = ""
            self._add(f"if not {self.source.text(node.args[0], self.names)}: {self.source.call(node, self.names, None)}", node)
            return
        place = step.place
        if step.laid:
            operand, own = self.names[node.args[0]], self.source.bind(in_c_order if place is not None else copied)
            function = self._if(step.when, in_c_order, copied) if step.when in SOME else own
            self.names[node] = self.source.named(node)
            self._add(f"{self.names[node]} = {function}({operand})", node)
        elif step.fresh is not None:
            text = self.source.call(node, self.names, step.fresh.text(self.names, self.source.bind), conditional=True)
            self.names[node] = self.source.named(node)
            self._add(f"{self.names[node]} = {text}", node)
        elif place is None or step.when in SOME:
            taken = None if place is None or node.target is ops.sym.item else self._out(place)
            text = self._computed(step, taken)
            names = [self.names[operand] for operand in node.all_input_nodes]
            self.names[node] = text if text.isidentifier() and text not in names else self.source.named(node)
            if several := self.numbers.several(node, text):
                statement, self._parts[node] = several
                self._add(statement, node)
            elif self.names[node] != text:
                self._add(f"{self.names[node]} = {text}", node)
            kept = self._kept.pop(node, "")
            if kept and has_memory(node.meta["val"]):
                self._add(f"{kept} = None")
        elif place.index is not WHOLE:
            text = self._part(place)
            self.names[node] = self.source.named(node)
            self._add(f"{self.names[node]} = {text}", node)
            self._add(self.source.call(node, self.names, self.names[node]), node)
        else:
            self.names[node] = self.names[place.memory]
            self._written_into(step, self.names[node])

    def _written_into(self, step: Step, name: str) -> None:
        """The statements that write to an array."""
        node = step.node
        shows = self.windows is not None and not step.settled and writes_number(node)
        if shows and "raises" in node.meta:
            self.names[node.args[2]], lines = named(self.source.text(node.args[2], self.names), self.source)
            self._write(node, [*lines, checked(self.names[node.args[2]], node.args[2], self.source)])
        text = self.source.call(node, self.names, name)
        if makes_longer(node):
            self._lengthened(step, name, text)
        elif step.settled != "always":
            self._add(f"if not {self.assumed[step.settled]}: {text}" if step.settled else text, node)
            if shows and self.windows is not None:
                shown = f"[{self.source.subscript(node.args[1], self.names)}] = {self.source.text(node.args[2], self.names)}"
                if text == name + shown:
                    self.windows.note(name, self.rows[-1], f"{{}}{shown}")

    def _lengthened(self, step: Step, name: str, text: str) -> None:
        """The statement that gives an array room for more rows if there is none."""
        test = f"{self.source.text(step.node.args[1], self.names)} > {self.source.bind(len)}({name})"
        if step.settled:
            self._add(f"{name} = {text} if {test} else {name}", step.node)
            return
        self._add(f"if {test}: {name} = {text}", step.node)
        if self.windows is not None:
            self.windows.note_longer(name, self.rows[-1])

    def _read(self, node: Node) -> bool:
        """Whether a call reads an element for a number, in a loop; then its statement is written:
        it makes the number.
        """
        number = None if self.windows is None else number_of(node)
        if self.windows is None or number is None or number in self.only_asked:
            return False
        array, place, name = self.names[node.args[0]], self.source.subscript(node.args[1], self.names), self.source.fresh()
        self.names[node] = f"{array}[{place}]"
        self._add(f"{name} = {self.source.call(number, self.names, None)}", number, node)
        self.windows.note(array, self.rows[-1], f"{name} = {{}}[{place}]")
        self.names[node] = self.names[number] = name
        self._shown.add(number)
        return True

    def _of_lists(self, step: Step) -> bool:
        """Whether a step is about items of lists; then its statements are written."""
        node = step.node
        if node in self.fixed and not is_item(node):
            self._write(node, self.fixed.lines(node))
        elif node in self.listed and not is_item(node):
            self.names[node], lines = self.listed.statements(step, self.names, self.source)
            reads = len(lines) == 1 and self.listed.only_reads(node) and not self._dead(step)  # what ends here is deleted at once
            if self._depth > 0 and reads and self.numbers.read_within(node):
                _, _, self.names[node] = lines.pop().partition(" = ")
            self._write(node, lines)
        elif calls(node, ops.py.place):
            self._add(self.fixed.place(node), node)
        else:
            return False
        return True

    def _write(self, node: Node, lines: Iterable[str]) -> None:
        for line in lines:
            self._add(line, node)

    def _computed(self, step: Step, taken: str | None) -> str:
        """The text of a result; ``taken``: its memory in calls that are as assumed."""
        if taken is None:
            kept, call = self._kept.get(step.node), self._compiled(step.node)
            text = self._attempted(step.node, call) or self.numbers.text(call) or self.source.call(call, self.names, None)
            return text if kept is None else f"{text} if {kept} is None else {kept}"
        taken = f"{taken} if {self.assumed[step.when]} else"
        if step.settled:
            return f"{taken} {self.source.call(step.node, self.names, None)}"
        return self.source.call(step.node, self.names, f"{taken} None", conditional=True)

    def _attempted(self, node: Node, call: Node) -> str | None:
        """The variable for the number of an attempt that keeps its result; ``None`` if unused."""
        if not self.fuses:
            return None
        here = attempted.in_place(node) if self._depth < MAX_BLOCKS else None
        text, again = (None, ()) if here else attempted.keeping(node, call.args, self.source, self.names)
        if text is None and here is None:
            return None
        number, result = self.source.fresh(), self.source.fresh()
        if here is None:
            self._add(f"{number}, {result} = {text}", node)
        else:
            again = here.again
            self._around = (node, *self._around)
            for line in here.lines(self.source, self._given(node.args[2]), number, result):
                self._add(line, here.call)
            self._around = self._around[1:]
        self._kept |= dict.fromkeys(again, result)
        return number

    def _given(self, operands: tuple[Any, ...]) -> list[str]:
        """The texts of what sub-graphs use of the graph around them, each computed once."""
        given = []
        for operand in operands:
            text = self.source.text(operand, self.names)
            if not text.isidentifier() and type(operand) is Node and not (is_part_of_number(text) or operand in self.fixed.members):
                text = self.source.fresh()
                self._add(f"{text} = {self.source.text(operand, self.names)}")
            given.append(text)
        return given

    @classmethod
    def _compiled(cls, node: Node) -> Node:
        """The node with its sub-graphs compiled to functions; any other node itself."""
        if not any(type(arg) is GraphModule for arg in node.args):
            return node
        args = tuple([cls.function_of(arg) if type(arg) is GraphModule else arg for arg in node.args])
        call = Node(node.name, node.op, node.target, args, node.kwargs, node.meta)
        call.release()
        return call

    @classmethod
    def function_of(cls, module: GraphModule) -> Callable[..., Any]:
        """The sub-graph as a function, whose attribute ``module`` is the sub-graph; ``is_quiet``:
        no call of it meets floating-point errors.
        """
        source = Source()
        parameters = [source.fresh() for _ in module.graph.placeholders]
        statements = cls(source, {})
        outputs = statements.graph(module.graph, parameters)
        result = source.text(outputs, statements.names)
        rows = statements.take()
        origins = Origins({number: row.nodes for number, row in enumerate(rows, 3)})  # the def line and "try:" stand before
        error = source.fresh()
        handler = [f"except {source.bind(Exception)} as {error}:", f"    {source.bind(origins.explain)}({error})", "    raise"]
        body = ["try:", *(f"    {row.text}" for row in rows), f"    return {result}", *handler]
        text = f"def iteration({', '.join(parameters)}):\n" + "".join(f"    {line}\n" for line in body)
        function = defined(text, origins.file_of(text), source.namespace)
        function.module = module
        function.is_quiet = attempted.meets_no_errors(module.graph)
        return function  # type: ignore[no-any-return]

    def _if(self, when: When, function: Callable[..., Any], other: Callable[..., Any]) -> str:
        return f"({self.source.bind(function)} if {self.assumed[when]} else {self.source.bind(other)})"

    def _out(self, place: Place) -> str:
        return self.names[place.memory] if place.index is WHOLE else self._part(place)

    def _part(self, place: Place) -> str:
        return f"{self.names[place.memory]}[{self.source.text(place.index, self.names)}]"

    def gathered(self, step: Step, whole: bool) -> None:
        """The same, several values as one tuple where they are used as a ``whole``, or one of them
        has several names.
        """
        node = step.node
        if self.is_part(node):
            self.names[node] = self._parts[node.args[0]][node.args[1]]
            return
        self._wholes |= {node} if whole else set()
        self.node(step)
        parts = self._parts.get(node)
        if parts is None:
            return
        used = results_of(node)
        if not whole and len(used) == len(node.users):
            self.names[node] = ""
            self._delete([part for number, part in enumerate(parts) if number not in used])
            return
        del self._parts[node]
        self.names[node] = self.source.named(node)
        self._add(f"{self.names[node]} = ({''.join(f'{part or None}, ' for part in parts)})", node)
        self._delete([part for part in parts if part.isidentifier()])

    def is_part(self, node: Node) -> bool:
        """Whether a value is one of several results that have names of their own."""
        return is_item(node) and node.args[0] in self._parts

    def fused(self, fused: Fused, dead: Callable[[Step], list[str]]) -> None:
        """The statements of a group: as one, and one node after the other where that gives no
        result.

        ``dead``: the names that are deleted after a step.
        """
        group, members = fused.group, set(fused.group.members)
        for step in fused.before:
            self.node(step)
        first = self.source.count()
        targets = {node: self._target(target) for node, target in fused.targets.items()}
        arguments = [self.names[node] for node in (*group.blocked, *group.whole)]
        arguments += [targets.get(node, "None") for node in group.outputs]
        result = self.source.fresh()
        with self._within(group.errors, *group.members):
            for text in self._attempts(fused, result, ", ".join(arguments)):
                self._add(text, *group.members)
        self._add(f"if {result} is None:")
        self._depth += 1
        self._delete([*targets.values()])  # they keep memory that the nodes may give up
        for step in sorted((*fused.before, *fused.members), key=lambda step: step.number):
            if step.node in members:
                self.node(step)
            self._delete(dead(step))
        self._depth -= 1
        self._add("else:")
        self._depth += 1
        self._put(group.outputs, targets, result)
        names = [self.names[node] for node in group.outputs]
        gone = dict.fromkeys([name for step in (*fused.before, *fused.members) for name in dead(step)])
        self._delete([*[name for name in gone if not self.source.is_since(first, name) and name not in names], *targets.values()])
        self._depth -= 1
        self._delete([result])

    def _attempts(self, fused: Fused, result: str, arguments: str) -> Iterator[str]:
        """The statements that compute a group's results; these are ``None`` if they fail."""
        if fused.expression is not None:
            yield f"{result} = {self.source.bind(expressions.engine.run)}({self.source.bind(fused.expression)}, {arguments})"
        if fused.blocks is not None:
            large = "" if fused.least is None else f"{self.source.bind(pays)}({self.names[fused.largest]}.size, {fused.least})"
            blocks = f"{self.source.bind(fused.blocks)}({arguments})"
            if fused.expression is None:
                yield f"{result} = {blocks}{large and f' if {large} else None'}"
            else:
                yield f"if {result} is None{large and f' and {large}'}: {result} = {blocks}"

    def _target(self, target: Target) -> str:
        """The name of the memory that an output goes to."""
        memory = self.names[target.place.memory] if target.place.index is WHOLE else self._part(target.place)
        memory = memory if target.fresh is None else f"({target.fresh.text(self.names, self.source.bind)})"
        name = self.source.fresh()
        self._add(f"{name} = {memory} if {self.assumed[target.when]} else None" if target.when in SOME else f"{name} = {memory}")
        return name

    def _put(self, outputs: Sequence[Node], targets: Mapping[Node, str], result: str) -> None:
        """Name the results of blocks after the members, in the memory that the plan assigns."""
        names = [self.source.fresh() if node in targets else self.names[node] for node in outputs]
        self._add(f"{', '.join(names)}, = {result}")
        for node, name in zip(outputs, names, strict=True):
            if node in targets:
                text = f"{self.source.bind(into)}({name}, {targets[node]})"
                in_place = self.names[node] in self.outside
                self._add(text if in_place else f"{self.names[node]} = {text}")
                self._add(f"del {name}")

    def graph(self, graph: Graph, values: Sequence[str], owned: Sequence[Node] = ()) -> tuple[Any, ...]:
        """Write the statements of a sub-graph with these operands; its outputs."""
        plan = plan_iteration(graph, owned, self.inside)
        self.names.update(zip(graph.placeholders, values, strict=True))
        fused = arranged_iteration(plan.steps, lambda node: is_item(node) or self.numbers.stands_within(node))
        for step in fused if self.fuses else plan.steps:
            if isinstance(step, Fused):
                self.fused(step, self._dead)
                continue
            node = step.node
            if self.is_part(node):
                self.names[node] = self._parts[node.args[0]][node.args[1]]
            elif node in self._shown:
                self._delete(self._dead(step))
            elif not self.numbers.written(node):
                if node in self._endings and self._dead(step):
                    del self._endings[node]  # they end after the branch
                self.node(step)
                self._delete([name for name in self._dead(step) if name not in self._parts.get(node, ())])
        return tuple(graph.output_node.args[0])

    def _dead(self, step: Step) -> list[str]:
        """The names of arrays that an iteration has made and no longer needs."""
        names = [self.names[value] for value in self._made(step.dead)]
        return [name for name in names if self.numbers.host_of(name) is None]

    def _made(self, values: Sequence[Any]) -> list[Node]:
        """The arrays among the values that calls have made, each under its own name."""
        return [node for node in self._own_arrays(values) if not self.is_part(node)]

    def _own_arrays(self, values: Sequence[Any]) -> list[Node]:
        """The same, and results of branches and loops."""
        nodes = [value for value in values if type(value) is Node and value not in self._parts]
        nodes = [node for node in nodes if node.op == CALL or node in self._given_up]
        return [node for node in nodes if has_memory(node.meta["val"]) and self.names[node] not in self._shared]

    def _owned(
        self,
        values: tuple[Any, ...],
        graph: Graph,
        owned: Sequence[Node],
        borrowed: Collection[int] = (),
        laid: Mapping[int, Laying] = NO_OTHER,
    ) -> list[str]:
        """The texts of outputs, each array in memory of its own but the ``borrowed`` ones: what is
        computed in the memory of a value that comes in lies as that does. ``laid``: those that are
        to lie in another order than C's.
        """
        storages, seen, there = may_alias(graph), set[Node](), {self.names[value] for value in owned}
        texts = []
        for number, value in enumerate(values):
            text = self.source.text(value, self.names)
            if type(value) is Node and has_memory(value.meta["val"]):
                order = laid.get(number, IN_C)
                alone = storages[value] == {value} and value not in seen and all(
                    other is value or type(other) is not Node or value not in storages[other] for other in values
                )  # fmt: skip
                seen.add(value)
                if value in self.listed.kinds:
                    kept = number in borrowed or (alone and (value.op == CALL or value in owned))
                    text = text if kept else self.listed.own(value, text, self.source)
                elif number in borrowed:
                    text = text if text in self._lying else f"{self.source.bind(order.dense)}({text})"
                elif order is not IN_C and _is_private(value, values, storages):
                    text = f"{self.source.bind(order.own)}({text})"
                elif not alone or (value.op != CALL and value not in owned):
                    text = f"{self.source.bind(order.copied)}({text})"
                elif value.op == CALL and text not in there and text not in self._lying:
                    text = f"{self.source.bind(order.own)}({text})"
            texts.append(text)
        return texts


def _is_private(value: Node, values: tuple[Any, ...], storages: Mapping[Node, set[Node]]) -> bool:
    """Whether an array, which may be a view, lies in memory that a graph makes, and gives nobody
    else.
    """
    others = [other for other in values if type(other) is Node and not storages[other].isdisjoint(storages[value])]
    return others == [value] and all(root.op == CALL for root in storages[value])


def is_iteration(value: Any) -> bool:
    """Whether a value is a result of `function_of`."""
    return isinstance(value, FunctionType) and isinstance(getattr(value, "module", None), GraphModule)
