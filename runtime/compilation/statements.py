"""Python statements for nodes: one a node, and for branches and loops an ``if`` and a ``while``
over those of their sub-graphs.

Laws of loops: what is carried lies in memory of its own, in C order, so that an iteration may
compute in it. Numbers that are used once are written where they are used, as long as computing them
cannot raise.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from npexport.ir.graph import Graph, GraphModule, Node
from npexport.runtime.compilation.node_statements import NodeStatements
from npexport.runtime.emission.emit import Source
from npexport.runtime.lists.displays import before_loops
from npexport.runtime.lists.number_texts import assignments, names_in
from npexport.runtime.lists.windows import Windows
from npexport.runtime.loops.counted_loops import Counted, counted, counting, ends_of, head_of
from npexport.runtime.loops.endings import Ending, Finish, ending_of, truths_asked, unchanged
from npexport.runtime.loops.next_tests import test_of_next
from npexport.runtime.machine.loop_machine import ALONE, Machine
from npexport.runtime.machine.scalar_loop_code import loop_of
from npexport.runtime.machine.scalar_loops import ScalarLoop
from npexport.runtime.memory.borrowing import unneeded
from npexport.runtime.memory.inherited_memory import is_flag, is_item, results_of
from npexport.runtime.memory.layouts import copied, has_memory, in_c_order
from npexport.runtime.memory.turned_results import IN_C, laying_of
from npexport.runtime.origins import Row


class Statements(NodeStatements):
    """Nodes, branches and loops as statements."""

    def __init__(self, source: Source, names: dict[Node, str]) -> None:
        super().__init__(source, names)
        self._ended: set[Node] = set()  # the branches whose sides have ended their iteration

    def _results(self, names: list[str], values: Sequence[Any]) -> list[str]:
        """The names of the results of a branch or the carries of a loop: `_owned` arrays."""
        self._lying.update(name for name, value in zip(names, values, strict=True) if type(value) is Node and has_memory(value.meta["val"]))
        return names

    def _owning(self, operand: Node, text: str) -> str:
        """The text of an operand that owns its memory."""
        own, ordering = self._own.get(operand), self.source.bind(in_c_order)
        if operand in self.listed.kinds:
            return text if own == ordering else self.listed.own(operand, text, self.source)
        return text if own == ordering and text in self._lying else f"{own or self.source.bind(copied)}({text})"

    def _branch(self, pred: Any, true_graph: GraphModule, false_graph: GraphModule, operands: tuple[Any, ...]) -> list[str]:
        whole = self._around[0] in self._wholes
        borrowed, without = self._borrowed, ((), ()) if whole else unneeded(self._around[0])
        places = [place for place, operand in enumerate(operands) if type(operand) is Node and operand in self._own]
        given, around = self._given(operands), self._shared
        alone = self._hand_over(operands, places, given)
        sides, ending = (true_graph.graph, false_graph.graph), self._endings.pop(self._around[0], None)
        first, second = [side.output_node.args[0] for side in sides]
        names = [self.source.joined(*pair) for pair in zip(first, second, strict=True)]
        parts, users = self._results(names, first), self._around[0].users
        laid = {number: laying_of(result) for number, result in results_of(self._around[0]).items()} if self.fuses and not whole else {}
        self._lying.difference_update(names[number] for number, laying in laid.items() if laying is not IN_C)
        if not whole and all(map(is_item, users)):
            used = {user.args[1] for user in users}
            parts = [part if number in used else "" for number, part in enumerate(parts)]
        for user in users:
            if user in self.fixed.members:
                parts[user.args[1]] = self.fixed.members[user]
        if ending is None:
            self.numbers.take_over(parts, self._around[0], sides, {*self._dying} - self._held, self.outside)
        else:
            parts = self._parts_of_ending(ending, parts)
        heads = (f"if {self.source.text(pred, self.names)}:", "else:")
        written: list[tuple[list[Row], list[str]]] = []  # the rows of each side, and the texts of its results
        gone: list[list[str]] = []  # the names of these that end with each side
        for module, left_out in zip((true_graph, false_graph), without, strict=True):
            outer, self.rows = self.rows, []
            self._depth += 1
            owned = [module.graph.placeholders[place] for place in places]
            self._given_up.update(module.graph.placeholders[place] for place in alone)
            self._delete([given[place] for place in alone if not module.graph.placeholders[place].users])
            results = module.graph.output_node.args[0]
            outputs = tuple([None if number in left_out else value for number, value in enumerate(results)])
            texts = partial(self._owned, outputs, module.graph, owned, borrowed, laid)
            if ending is None:
                self.graph(module.graph, given, owned)
                written.append((self.rows, texts()))
            else:
                self._end(module.graph, results[ending.number], given, owned, texts, partial(self._side, ending, parts))
                written.append((self.rows, parts))
            self._depth -= 1
            self.rows = outer
            names = [name for place, name in enumerate(given) if place not in alone]
            gone.append([] if ending is not None else self._renamed(results, {*parts, *names}))
        self._shared = around
        parts = self._kept_lists(parts, *[texts for _, texts in written])
        for head, (rows, found), names in zip(heads, written, gone, strict=True):
            self._add(head, self._around[0])
            start = len(self.rows)
            self.rows += rows
            self._depth += 1
            self._assign(*self._named(parts, found))
            self._delete(names)
            self._depth -= 1
            if len(self.rows) == start and head == "else:":
                self.rows.pop()
            elif len(self.rows) == start:
                self._add("    pass")
        return parts

    def _hand_over(self, operands: tuple[Any, ...], places: list[int], given: list[str]) -> list[int]:
        """Give a branch the operands at these places; of them those that have no other name
        then.
        """
        alone = []
        for place in places:
            own = self._owning(operands[place], given[place])
            if own != given[place] or not self._shares(operands[place]):
                given[place] = self.source.fresh()
                self._add(f"{given[place]} = {own}")
                if operands[place] not in self.listed.kinds:
                    self._lying.add(given[place])
                    alone.append(place)
            else:
                self._shared = self._shared | {own}
        self._let_go([operands[place] for place in alone], given)
        return alone

    def _renamed(self, values: Sequence[Any], kept: Collection[str]) -> list[str]:
        """The names of arrays that a sub-graph has made and gives, which have others from then on,
        but those that are ``kept``.
        """
        names = dict.fromkeys(self.names[value] for value in self._own_arrays(values) if value not in self.listed.kinds)
        return [name for name in names if name not in kept and name not in self.outside and self.numbers.host_of(name) is None]

    @staticmethod
    def _named(parts: list[str], texts: list[str]) -> tuple[list[str], list[str]]:
        """The results that have names, and their texts."""
        named = [number for number, part in enumerate(parts) if part]
        return [parts[number] for number in named], [texts[number] for number in named]

    def _shares(self, operand: Node) -> bool:
        """Whether a branch may call a list by the name that it has around it: in iterations."""
        return self._depth > 0 and operand in self.listed.kinds

    def _kept_lists(self, parts: list[str], first: list[str], second: list[str]) -> list[str]:
        """The names of a branch's results: of a list that both sides give under one name, that."""
        listed = {user.args[1] for user in self._around[0].users if is_item(user) and self._shares(user)}
        kept = [
            number in listed and one == other and one.isidentifier() for number, (one, other) in enumerate(zip(first, second, strict=True))
        ]
        return [text if keeps else part for part, text, keeps in zip(parts, first, kept, strict=True)]

    def _loop(self, cond_graph: GraphModule, body_graph: GraphModule, carried: tuple[Any, ...], operands: tuple[Any, ...]) -> list[str]:
        windows = Windows(self.source, len(self.rows)) if self.fuses and self.windows is None else None
        entered = body_graph.graph.placeholders[: len(carried)]
        names = [*self._results([self.source.carried(node) for node in entered], entered), *self._given(operands)]
        before = names[:]
        numbers = self.source.complexes.joined(body_graph.graph, names)
        carries, given = names[: len(carried)], names[len(carried) :]
        outside = [place for pair in numbers.values() for place in pair if place >= len(carries)]
        self._assign([names[place] for place in outside], [before[place] for place in outside])
        count = self._count(self._around[0])
        iteration = body_graph.graph if count is None else count.body
        for line in self.fixed.begin(iteration, carried, carries, self._compiled_from, self._depth) if self.fuses else ():
            self._add(line, self._around[0])
        firsts = iteration.placeholders
        for carry, value, first in zip(carries, carried, firsts, strict=False):
            zeros = self.listed.beginning(value, first, self.names, self.source)
            text = self.source.text(value, self.names) if zeros is None else zeros
            array = type(value) is Node and has_memory(value.meta["val"])
            if carry.isidentifier():
                self._add(f"{carry} = {self._owning(value, text) if array and zeros is None else text}")
        parts = [place for place, carry in enumerate(carries) if not carry.isidentifier() and firsts[place] not in self.fixed.members]
        self._assign([carries[place] for place in parts], [self.source.text(carried[place], self.names) for place in parts])
        self._let_go(carried, given)
        outermost = self.compiles and len(self._around) == 1 and not any(value in self.listed for value in (*carried, *operands))
        compiled = loop_of(cond_graph, body_graph, carried, operands, writes=False) if outermost else None
        whole = all(carry.isidentifier() or first in self.fixed.members for carry, first in zip(carries, firsts, strict=False))
        machine = self.machines.get(self._around[0]) if whole else None
        if compiled is not None:
            self._first_iterations(ScalarLoop(compiled, machine), cond_graph, body_graph, carries, given)
        elif machine is not None:
            self._iterations_of(machine, carries, given)
        begun = compiled is not None or machine is not None
        if windows is not None and compiled is None:
            self.windows = windows
        head = len(self.rows)
        if count is not None:
            self._counted_loop(count, carries, given, begun)
        else:
            self._tested_loop(cond_graph, body_graph, carries, given)
        if windows is not None and windows is self.windows:
            windows.settle(self.rows, head, self._around, "    " * self._depth)
            before_loops(self.rows, head, self.source)
            self.windows = None
        self._depth -= begun
        return carries

    def _count(self, loop: Node) -> Counted | None:
        """What is known of a loop that is counted."""
        counts = self.listed.counts
        if loop not in counts:
            counts[loop] = counted(loop.args[0], loop.args[1], loop)
        return counts[loop]

    def _compiled_from(self, loop: Node) -> Graph:
        """The graph of an iteration that is compiled."""
        count = self._count(loop)
        return loop.args[1].graph if count is None else count.body

    def _left(self, carries: list[str]) -> list[str]:
        """The names of the carries that are used after a loop that ends here."""
        if self._around[0] in self._wholes:
            return carries
        used = {user.args[1] for user in self._around[0].users}
        return [carry if place in used else "" for place, carry in enumerate(carries)]

    def _parts_of_ending(self, ending: Ending, parts: list[str]) -> list[str]:
        """The names of the results of a branch that ends an iteration; numbers and lists, which
        each side gives, need none.
        """
        unnamed = [user for user in ending.branch.users if not has_memory(user.meta["val"]) or user in self.listed.kinds]
        numbers = {user.args[1] for user in unnamed}
        parts = ["" if number in numbers else part for number, part in enumerate(parts)]
        self.names.update((user, parts[user.args[1]]) for user in ending.branch.users)
        self._ended.add(ending.branch)
        return parts

    def _end(self, graph: Graph, going: Any, given: list[str], owned: list[Node], texts: Callable[[], list[str]], finish: Finish) -> None:
        """Write a graph and what follows it; on the sides of its last branch where these decide
        whether another iteration follows.
        """
        ending = ending_of(graph, going, texts, finish)
        if ending is not None:
            self._endings[ending.branch] = ending
        self.graph(graph, given, owned)
        if ending is None or ending.branch not in self._ended:
            finish(graph.output_node.args[0], texts())

    def _side(self, ending: Ending, parts: list[str], values: Sequence[Any], texts: list[str]) -> None:
        self._assign(*self._named(parts, texts))
        ending.side(parts, values, texts)

    def _let_go(self, values: Sequence[Any], given: list[str]) -> None:
        """Release the arrays from before a branch or a loop that only it uses."""
        dying = {*self._dying} - self._held
        gone = [value for value in self._own_arrays(values) if value in dying and self.names[value] not in given]
        gone = [value for value in gone if self.numbers.host_of(self.names[value]) is None]
        self._delete([name for name in dict.fromkeys(self.names[value] for value in gone) if name not in self.outside])
        self._dying[:] = [value for value in self._dying if value not in gone]

    def _iterations_of(self, machine: Machine, carries: list[str], given: list[str]) -> None:
        """The iterations that the machine makes; what follows is what is left for Python then."""
        left, lists = self.source.fresh(), dict[str, int]()
        items = [carry.removesuffix("]").split("[") for carry in carries]  # lists are changed where they are
        places = [(lists.setdefault(item[0], len(lists)), int(item[1])) if len(item) > 1 else ALONE for item in items]
        alone = [carry for carry, place in zip(carries, places, strict=True) if place == ALONE]
        call = self.source.bind(machine.call(places))
        self._add(f"{', '.join([left, *alone])} = {call}({', '.join([*alone, *given, *lists])})", self._around[0])
        self._add(f"if {left}:", self._around[0])
        self._depth += 1

    def _first_iterations(self, loop: ScalarLoop, test: GraphModule, body: GraphModule, carries: list[str], given: list[str]) -> None:
        """The iterations that Python makes before machine code does; what follows is what is left
        for Python then.
        """
        machine, iteration = self.source.bind(loop), self.source.fresh()
        self._add(f"for {iteration} in {machine}.first():", self._around[0])
        self._depth += 1
        (going,) = self.graph(test.graph, [*carries, *given])
        self._add(f"if not {self.source.text(going, self.names)}:", self._around[0])
        self._add(f"    {machine}.made({iteration})")
        self._add("    break")
        self._iteration(body.graph, carries, carries, given)
        for node in [node for each in body.graph.all_graphs() for node in each.nodes]:
            self.listed.counts.pop(node, None)  # a loop inside is written once more, and has no lists
        self._depth -= 1
        self._add("else:")
        self._depth += 1
        self._add(f"{', '.join(carries)}, = {machine}({', '.join([*carries, *given])})", self._around[0])

    def _tested_loop(self, cond_graph: GraphModule, body_graph: GraphModule, carries: list[str], given: list[str]) -> None:
        """A ``while`` over the condition."""
        if is_flag(cond_graph, body_graph, self._around[0]):
            self._left_loop(body_graph.graph, carries, given)
            return
        start = len(self.rows)
        self._depth += 1
        (going,) = self.graph(cond_graph.graph, [*carries, *given])
        condition = self.source.text(going, self.names)
        if len(self.rows) == start:
            head = f"while {condition}:"
        elif len(self.rows) == start + 1 and self.rows[start].statement.startswith(f"{condition} = "):
            head = f"while {self.rows.pop().statement.removeprefix(f'{condition} = ')}:"
        else:
            head = "while True:"
            self._add(f"if not {condition}: break", self._around[0])
        self.rows.insert(start, Row("    " * (self._depth - 1) + head, self._around))
        self._iteration(body_graph.graph, carries, carries, given)
        self._depth -= 1

    def _left_loop(self, body: Graph, carries: list[str], given: list[str]) -> None:
        """A loop that ends when an iteration says that no other follows."""
        self.only_asked |= truths_asked(body, 0)
        self._add(f"if {carries[0]}:", self._around[0])
        self._add("    while True:", self._around[0])
        same = {0, *unchanged(body, self._around[0].args[2])}
        self._depth += 2
        self._iteration(body, carries, ["" if place in same else carry for place, carry in enumerate(carries)], given, self._left(carries))
        self._depth -= 2

    def _iteration(self, iteration: Graph, carries: list[str], targets: list[str], given: list[str], left: list[str] | None = None) -> None:
        """The statements of an iteration, which give the carries of the next; ``targets``: their
        names, and the empty text for those that are not assigned. ``left``: the same where no
        iteration follows, if the first carry says that, and leaves the loop.
        """
        start, owned = len(self.rows), iteration.placeholders[: len(carries)]
        values = iteration.output_node.args[0]
        self.numbers.follow(values, owned, targets)
        texts, going = partial(self._owned, values, iteration, owned), None if left is None else values[0]
        names = dict(zip(iteration.placeholders, [*carries, *given], strict=True))
        self._end(iteration, going, [*names.values()], owned, texts, partial(self._follow, names, targets, left))
        if len(self.rows) == start:
            self._add("pass")

    def _follow(
        self, names: Mapping[Node, str], targets: list[str], left: list[str] | None, values: Sequence[Any], texts: list[str]
    ) -> None:
        """What stands at the end of an iteration; ``names``: of what it was given."""
        ends = left is not None and values[0] is False
        chosen = left if left is not None and ends else targets
        pairs = [(target, text) for target, text in zip(chosen, texts, strict=True) if target and target != text]
        if ends:  # the iteration may have deleted the arrays that it was given
            pairs += [
                (names[value], "None") for value, name in zip(names, chosen, strict=False) if not name and has_memory(value.meta["val"])
            ]
        tests = left is not None and type(values[0]) is not bool
        going = (self.numbers.asked(values[0]) or texts[0]) if tests else ""
        following = test_of_next(values[0], values, [*names][: len(values)], names) if tests and values[0] in self.numbers else None
        triples = zip(left or (), targets, texts, strict=True) if tests else ()
        later = [(name, self.source.fresh(), text) for name, target, text in triples if name and not target]
        for _, kept, text in later:  # what has its value after the loop only where no iteration follows
            self._add(f"{kept} = {text}")
        if following is None and not names_in(going).isdisjoint(target for target, _ in pairs):
            following, flag = next(iter(names.values())), next(iter(names.values()))
            self._add(f"{flag} = {going}")
        self._assign([target for target, _ in pairs], [text for _, text in pairs])
        self._delete(self._renamed(values, {*names.values(), *targets, *(left or ()), *names_in(following or going)}))
        if tests:
            self._add(f"if not {following or going}:")
        self._depth += tests
        self._assign([name for name, _, _ in later], [kept for _, kept, _ in later])
        self._depth -= tests
        if tests or ends:
            self._add("    break" if tests else "break")

    def _end_of(self, count: Counted, carries: list[str], given: list[str]) -> str:
        """The name of the value that the counter has after a loop."""
        going, counter, margin, end = carries[0], carries[count.place], self.source.fresh(), self.source.fresh()
        (value,) = self.graph(count.margin, [*carries, *given])
        self._add(f"{margin} = {self.source.text(value, self.names)}")
        most = self.source.bind(max)  # one iteration, where there is one, of a negative margin
        iterations = margin if count.pace == 1 else f"{margin} // {count.pace}"
        step = "" if count.step == 1 else f" * {count.step}"
        self._add(f"{end} = {counter} + {going} * {most}({iterations} + 2, 1){step}")
        return end

    def _counted_loop(self, count: Counted, carries: list[str], given: list[str], begun: bool) -> None:
        """A ``for`` over the counter, which has the value after it that Python would leave;
        ``begun``: whether some iterations have been made elsewhere.
        """
        going, counter, begins = carries[0], carries[count.place], self._around[0].args[2]
        fixed = ends_of(count, begins[count.place]) if begins[0] is True and not begun else None
        first, end = map(str, fixed) if fixed is not None else (counter, self._end_of(count, carries, given))
        head = head_of(count, given, first, end, counter, self.source, self.listed.kinds)
        for text, nodes in head.lines:
            self._add(text, *nodes)
        self._depth += 1
        same = {0, count.place, *(unchanged(count.body, self._around[0].args[2]) if count.leaves else ())}
        targets = ["" if place in same else carry for place, carry in enumerate(carries)]
        start = len(self.rows)
        self._iteration(count.body, carries, targets, [*given, *head.items], self._left(carries) if count.leaves else None)
        self._depth -= 1
        if not count.leaves and (counts := counting(head.lines[-1][0], [row.text.strip() for row in self.rows[start:]], self.source)):
            del self.rows[start - 1 :]
            self._add(counts, self._around[0])
        if count.leaves:
            self._add("else:")
        self._add(f"{'    ' * count.leaves}{going}, {counter} = False, {end}")
        self._delete(head.vectors)

    def _assign(self, names: list[str], texts: list[str]) -> None:
        moved = [pair for pair in zip(names, texts, strict=True) if pair[0] != pair[1]]
        for text in assignments(*self.source.complexes.whole([name for name, _ in moved], [text for _, text in moved])):
            self._add(text)

    blocks = MappingProxyType({"branch": _branch, "loop": _loop})
