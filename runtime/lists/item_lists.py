"""Arrays that hold the items of one list of Python and nothing more, as the list that they stand
for.

Laws:

1. All values that share such memory are the list, through branches and loops, too.
2. Its items are what the array would give: numbers of Python, or scalars of the array's dtype. An
   integer that the array has no room for raises what the array would raise.
3. Of its beginning an array is made where anything but a list is asked for.
   A list that grows has its items and nothing more; all of it is its only beginning.
4. Lists in which keys are looked up are `KeyColumn` or `KeyPart`, all columns of the keys or none.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.graph import CALL, Graph, Node
from npexport.runtime.emission.emit import Source
from npexport.runtime.lists.appended_lists import MAX_DEPTH, appended_lists, is_most
from npexport.runtime.lists.climbing import Climbing
from npexport.runtime.lists.key_columns import KeyColumn, KeyPart
from npexport.runtime.lists.list_calls import (
    NUMBER,
    READS,
    WRITES,
    calls,
    copies_vector,
    crosses,
    fits,
    is_beginning,
    is_choice,
    is_copy,
    is_new,
    is_part,
    is_seed,
    may_overflow,
    moves_last,
    moves_row,
    places_of,
    raises_as_list,
    reads_item,
    shift_of,
    stored_kind,
    writes_beginning,
    writes_item,
)
from npexport.runtime.lists.list_texts import checked, found_at, found_for, moved, named, placed, shifted
from npexport.runtime.lists.short_lists import Short, closes_gap, size_of, zero_of
from npexport.runtime.lists.table_ops import TABLE, VALUE, is_read, is_table, is_whole, of_table, table_statements
from npexport.runtime.loops.counted_loops import Counted, counted
from npexport.runtime.memory.inherited_memory import Block, block_of, is_item
from npexport.runtime.memory.layouts import is_array
from npexport.runtime.planning.plan import Step


class ItemLists:
    """The lists of a graph, its branches and loops.

    ``kinds``: each value that is a list, and what its items are; ``arrays``: the values that are
    made of lists. ``counts``: the loops, and what `counted` says of them, whose iterations are the
    ones that are looked at. ``columns``: the values that leave the program as lists of such items;
    ``shown``: those of which sizes are asked; ``machines``: the loops that take arrays.
    """

    def __init__(self, graph: Graph, columns: Mapping[Node, str], shown: set[Node], machines: Container[Node] = ()) -> None:
        self._graph = graph
        self._machines = machines
        self._first: dict[Node, Node] = {}
        self._not: set[Node] = set()  # values that are arrays
        self._stored: list[tuple[Node, str | None]] = []
        self._parts: list[Node] = []
        self._read: list[Node] = []
        self._searches: list[Node] = []
        self._choices: list[Node] = []
        self._spread: list[Node] = []  # writes of more than one item
        self._sizes: list[Node] = []
        self._places: list[tuple[Node, list[Node]]] = []
        self._seeds: dict[Node, list[Node]] = {}  # arrays of zeros -> the carries that begin with one of their own
        self._keys: dict[Node, type[KeyColumn | KeyPart]] = {}  # the families of columns of keys, and what they are
        self._climbing = Climbing()
        self._short: dict[Node, Short] = {}  # the families of lists of which only the beginning is there
        self.kinds: dict[Node, str] = {}
        self.arrays: set[Node] = set()
        self.items: set[Node] = set()  # reads of lists, and what becomes of these
        self.counts: dict[Node, Counted | None] = {}
        self._columns = columns
        self._tables: list[Node] = []  # tables, and what is read of them
        self._whole: list[Node] = []  # of which more is asked than is known of lists that grow
        if any(is_new(node) or copies_vector(node) or of_table(node) for each in graph.all_graphs() for node in each.nodes):
            self._appended = appended_lists(graph, self._iteration)
            self._see(graph, 0)
            self._not.update([user for node in shown if block_of(node) is not None for user in node.users])
            self._decide()

    def __contains__(self, node: Any) -> bool:
        return node in self.kinds or node in self.arrays or node in self.items

    def _family(self, node: Node) -> Node:
        while node in self._first:
            node = self._first[node]
        return node

    def _join(self, node: Node, *others: Any) -> None:
        for other in others:
            first, second = self._family(node), self._family(other)
            if first is not second:
                self._first[second] = first

    def _iteration(self, loop: Node) -> Graph:
        """The graph that a loop is compiled from."""
        test, body = loop.args[:2]
        if loop not in self.counts:
            self.counts[loop] = counted(test, body, loop)
        count = self.counts[loop]
        return body.graph if count is None else count.body

    def _see(self, graph: Graph, depth: int) -> None:
        """What shares memory, and what asks for arrays."""
        self._not.update(() if 0 < depth < MAX_DEPTH else graph.placeholders)
        if depth == 0:
            self._not.update([node for node in graph.output_node.all_input_nodes if node not in self._columns or is_part(node)])
        self._places += places_of(graph)
        for node in graph.nodes:
            self._tables += [node] if is_table(node) or of_table(node) else []
            if of_table(node) and is_whole(node) and any(user.op == CALL for user in node.users):
                self._not.add(node)  # an array, and with it what is written to the same memory
            if node.op != CALL or of_table(node):
                continue
            if node in self._machines:
                self._not.update((*node.all_input_nodes, *node.users))
            elif (block := block_of(node)) is not None:
                (self._see_loop if block.loops else self._see_branch)(node, block, depth)
            elif is_choice(node):
                self._choices.append(node)
            elif node in self._appended.rooms:
                self._join(node, node.args[0])
            elif "raises" in node.meta and not (node in self._appended.writes or raises_as_list(node)):
                self._not.update(node.all_input_nodes if is_new(node) else (node, *node.all_input_nodes))
            elif self._writes(node):
                self._whole += [] if node in self._appended.writes or node in self._appended.sure else [node]
                self._join(node, node.args[0])
                self._not.update([node] if is_part(node.args[0]) else ())
                if not moves_last(node):
                    self._stored.append((node, stored_kind(node.args[2], node.meta["val"].dtype)))
            elif shift_of(node) is not None or moves_row(node):
                self._join(node, node.args[0])
                self._spread.append(node)
                self._whole.append(node)
            elif node.users and all(user.op == CALL and shift_of(user) for user in node.users):
                continue
            elif writes_beginning(node):
                value = node.args[2].args[0] if is_beginning(node.args[2]) else node.args[2]
                self._join(node, node.args[0], *([] if value in self._not else [value]))
                self._not.update([node] if is_part(node.args[0]) else ())
                self._spread.append(node)
                self._whole.append(node)
            elif is_part(node):
                self._parts.append(node)
                self._whole += [] if node in self._appended.counts else [node.args[0]]
            elif reads_item(node):
                self._read.append(node)
                self._whole += [] if node in self._appended.sure else [node.args[0]]
            elif calls(node, ops.py.row_place):
                self._searches.append(node)
                self._whole += node.args[0]
            elif calls(node, ops.sym.size):
                self._sizes.append(node)
                self._whole += [] if self._appended.is_full(node.args[0]) else [node.args[0]]
            elif copies_vector(node):
                self._not.update(node.all_input_nodes)
            elif not is_new(node) and not is_item(node) and not calls(node, ops.py.place):
                self._not.update((node, *node.all_input_nodes))

    def _see_branch(self, node: Node, branch: Block, depth: int) -> None:
        sides = branch.graphs
        for side in sides:
            self._climbing.given(side, branch.values)
            for placeholder, operand in zip(side.placeholders, branch.values, strict=True):
                if is_array(placeholder.meta["val"]):
                    self._join(placeholder, operand)
            self._see(side, depth + 1)
        for place, values in enumerate(zip(*[side.output_node.args[0] for side in sides], strict=True)):
            results = [user for user in node.users if is_item(user) and user.args[1] == place]
            arrays = [value for value in values if type(value) is Node and is_array(value.meta["val"])]
            if len(arrays) == len(values) and (results or all(map(is_item, node.users))):
                self._join(*results, *arrays)
            else:
                self._not.update(arrays)
        self._not.update([user for user in node.users if not is_item(user)])

    def _see_loop(self, node: Node, block: Block, depth: int) -> None:
        test, _, carried, operands = node.args
        iteration = self._iteration(node)
        self._climbing.loop(iteration, carried, operands, self.counts[node])
        for graph in (test.graph, iteration):
            for placeholder, value in zip(graph.placeholders, (*carried, *operands), strict=True):
                if not is_array(placeholder.meta["val"]):
                    continue
                if graph is iteration and is_seed(value):
                    self._seeds.setdefault(value, []).append(placeholder)
                elif not is_seed(value):
                    self._join(placeholder, value)
            self._see(graph, depth + 1)
        for place, (first, last) in enumerate(zip(iteration.placeholders, iteration.output_node.args[0], strict=False)):
            if is_array(first.meta["val"]):
                results = [user for user in node.users if is_item(user) and user.args[1] == place]
                self._join(first, test.graph.placeholders[place], last, *results)
                self._not.update([first] if len(results) < len(node.users) and not all(map(is_item, node.users)) else ())

    def _decide(self) -> None:
        growing = {self._family(node) for node in (*self._appended.rooms, *self._appended.writes, *self._appended.begun)}
        arrays = {self._family(node) for node in self._not} | (growing & {self._family(node) for node in self._whole})
        found: dict[Node, str | None] = {}
        for write, kind in self._stored:
            family = self._family(write)
            found[family] = kind if found.get(family, kind) == kind and family not in arrays else None
        for column, kind in self._columns.items():
            family = self._family(column)
            if not is_part(column) and found.get(family, kind) != kind:
                found[family] = None
        self._settle_given_parts(found)
        found = self._settled(found)
        members = {*self._first, *found}
        self.kinds = {node: kind for node in members if (kind := found.get(self._family(node))) is not None}
        self._decide_tables()
        for search in self._searches:
            self._keys |= dict.fromkeys(map(self._family, search.args[0]), KeyColumn if len(search.args[0]) == 1 else KeyPart)
        for read in self._read:
            if read.args[0] in self.kinds:
                users = read.users if self.kinds[read.args[0]] == NUMBER else ()
                self.items.update((read, *[user for user in users if not calls(user, ops.np.setitem)]))
        self.items.update(shift.args[2] for shift in self._spread if shift in self.kinds and shift_of(shift))
        self.items.update(choice for choice in self._choices if choice.args[1] in self.items)
        self.items.update(search for search in self._searches if search.args[0][0] in self.kinds)
        self.items.update(seed for seed, carries in self._seeds.items() if seed not in self._not and self.kinds.keys() >= {*carries})
        self.items.update(place for place, users in self._places if all(self._indexes(user, place) for user in users))
        self._decide_short()
        self._decide_parts(found)

    def _decide_short(self) -> None:
        """Lists that close gaps are short where nothing needs the items behind those that were
        written.
        """
        shifts = {self._family(node) for node in self._spread if node in self.kinds and closes_gap(node)}
        shifts -= {self._family(node) for node in self._spread if not closes_gap(node) and not writes_beginning(node)}
        shifts -= {self._family(node) for node in (*self._columns, *self._appended.rooms) if not is_part(node)}
        shifts -= {self._family(size.args[0]) for size in self._sizes} | {*self._keys}
        for family in shifts:
            members = [node for node in self.kinds if self._family(node) is family]
            if (size := size_of(members)) is not None:
                self._short[family] = Short(size, zero_of(family, self.kinds[family]))

    def _decide_tables(self) -> None:
        """Tables are what they are; of all keys or values there is a list where one leaves the
        program, else an array.
        """
        for node in self._tables:
            if is_table(node):
                self.kinds[node] = TABLE
            elif not is_whole(node):
                self.items.update((node, *(node.users if node.target is VALUE else ())))
            elif self._columns.get(node) == NUMBER and all(user.op != CALL for user in node.users):
                self.kinds[node] = NUMBER
            else:
                self.kinds.pop(node, None)
                self.arrays.add(node)

    def _writes(self, node: Node) -> bool:
        """Whether a call writes to an element that is surely there, or appends one."""
        return node in self._appended.writes or writes_item(node)

    def _indexes(self, user: Node, place: Node) -> bool:
        """Whether a call uses a place as the index of a list that has so many items."""
        _, count, text = place.args
        if not (reads_item(user) and text == READS[list]) and not (writes_item(user) and text == WRITES):
            return False
        base = user.args[0]
        if base not in self.kinds or user.args[1] is not place or (writes_item(user) and user not in self.kinds):
            return False
        return self._appended.holds_so_many(base, count)

    def _takes(self, user: Node, given: bool) -> bool:
        """Whether a call takes a part of a list as a list; ``given``: branches and loops do."""
        return writes_beginning(user) or user in self._sizes or (given and block_of(user) is not None)

    def _settle_given_parts(self, found: dict[Node, str | None]) -> None:
        """Copies of all items are lists for the branches and loops that they are given to if these
        are lists themselves.
        """
        given = [part for part in self._parts if any(block_of(user) is not None for user in part.users)]
        while True:
            kinds = {part: found.get(self._family(part.args[0].args[0])) if self._is_given_whole(part) else None for part in given}
            wrong = [part for part, kind in kinds.items() if kind is None or found.get(self._family(part), kind) != kind]
            wrong = [part for part in wrong if found.get(self._family(part)) is not None]
            if not wrong:
                return
            found |= {self._family(part): None for part in wrong}

    def _is_given_whole(self, part: Node) -> bool:
        return is_copy(part) and part in self._appended.counts and all(user in self._sizes or block_of(user) for user in part.users)

    def _settled(self, found: dict[Node, str | None]) -> dict[Node, str | None]:
        """The kinds of families, where what is read of them fits, and all columns of keys are
        lists.
        """
        for read in self._read:
            family = self._family(read.args[0])
            if not fits(read, found.get(family)):
                found[family] = None
        spread = set(map(self._family, self._spread))
        while True:
            tables = [list(map(self._family, search.args[0])) for search in self._searches]
            single = {family for family, *others in tables if not others}
            mixed = {
                each for table in tables for each in table
                if any(found.get(other) is None or other in spread or (len(table) > 1 and other in single) for other in table)
                or len({*table}) < len(table)
            }  # fmt: skip
            if all(found.get(family) is None for family in mixed):
                return found
            found |= dict.fromkeys(mixed)

    def _decide_parts(self, found: Mapping[Node, str | None]) -> None:
        """Which beginnings of lists are lists, and which are arrays."""
        for part in reversed(self._parts):
            root = part.args[0].args[0] if is_copy(part) else part.args[0]
            kind = found.get(self._family(root))
            if kind is None or type(root) is not Node:
                continue
            given = found.get(self._family(part)) == kind
            asked = all(user.op != CALL or user in self or self._takes(user, given) for user in part.users)
            leaves = all(user.op == CALL for user in part.users) or self._columns.get(part) == kind
            if asked and leaves:
                self.kinds[part] = kind
            else:
                self.arrays.add(part)
        for part in self._parts:  # what is made of an array copies it
            if part in self and is_copy(part) and part.args[0] not in self.kinds:
                self.kinds.pop(part, None)
                self.arrays.discard(part)
        self.items.update(size for size in self._sizes if size.args[0] in self.kinds)
        wholes = {part for part in self._parts if part in self.kinds and part in self._appended.counts}
        ends = {part.args[1].stop for part in wholes if not is_copy(part)}
        self.items.update(end for end in ends if is_most(end) and wholes.issuperset(end.users))

    def only_reads(self, node: Node) -> bool:
        """Whether a call reads an item that is a number."""
        return node in self.items and (is_read(node) or (reads_item(node) and self.kinds.get(node.args[0]) == NUMBER))

    def own(self, node: Node, text: str, source: Source) -> str:
        """The text of a copy of a list."""
        if self.kinds.get(node) == TABLE:
            return f"{text}.copy()"
        keys = self._keys.get(self._family(node))
        return f"{text}[:]" if keys is None else f"{source.bind(keys)}({text})"

    def beginning(self, value: Any, carry: Node, names: Mapping[Node, str], source: Source) -> str | None:
        """The text of the list of zeros that a loop begins with; ``None`` of another value."""
        if carry not in self.kinds or carry not in self._seeds.get(value, ()):
            return None
        size = names[value] if value in self.items else f"{source.bind(len)}({names[value]})"  # others begin with the array
        return self._zeros(carry, self._begun(value, size), source)

    def _begun(self, zeros: Node, size: str) -> str:
        """The number of items that a list begins with."""
        return str(self._appended.begun.get(zeros, size))

    def _zeros(self, family: Node, size: str, source: Source) -> str:
        short = self._family(family) in self._short
        return "[]" if short else self._keyed(f"[{source.value(zero_of(family, self.kinds[family]))}] * {size}", family, source)

    def _keyed(self, text: str, family: Node, source: Source) -> str:
        keys = self._keys.get(self._family(family))
        return text if keys is None else f"{source.bind(keys)}({text})"

    def statements(self, step: Step, names: Mapping[Node, str], source: Source) -> tuple[str, list[str]]:
        """The name of a list, or of an array that is made of one, and the lines that make it."""
        node, in_place = step.node, step.place is not None and step.when == "always"
        kind = self.kinds.get(node)
        if of_table(node):
            return table_statements(step, in_place, node in self.arrays, names, source)
        if node in self.items:
            return self._item(node, names, source)
        if is_new(node) or copies_vector(node):
            name = source.fresh()
            source.lists.add(name)
            if is_new(node):
                return name, [f"{name} = {self._zeros(node, self._begun(node, source.text(node.args[0][0], names)), source)}"]
            items = names[node.args[0]]
            return name, [
                f"{name} = {self._keyed(f'{items}.tolist()' if kind == NUMBER else f'{source.bind(list)}({items})', node, source)}"
            ]
        base, writes = names[node.args[0]], calls(node, ops.np.setitem) or moves_row(node)
        changes = writes or node in self._appended.rooms
        name = base if in_place and changes else source.fresh()
        text = self._taken(node, base, names, source) if is_part(node) else self.own(node, base, source)
        if kind is None:
            return name, [f"{name} = {source.bind(np.array)}({text}, {source.bind(node.meta['val'].dtype)})"]
        source.lists.add(name)
        lines = [] if name == base else [f"{name} = {text}"]
        return name, [*lines, *(self._write(node, name, names, source) if writes else ())]

    def _taken(self, part: Node, base: str, names: Mapping[Node, str], source: Source) -> str:
        """The text of the beginning of a list, or of its copy."""
        short = None if is_copy(part) else self._short.get(self._family(part.args[0]))
        if short is not None:
            end = part.args[1].stop
            return short.beginning(base, str(short.size) if end in self.items and is_most(end) else source.text(end, names), source)
        if is_copy(part) or self._appended.takes_over(part):
            return base
        end = part.args[1].stop
        return f"{base}[:]" if end in self.items and is_most(end) else f"{base}[{source.subscript(part.args[1], names)}]"

    def _write(self, node: Node, name: str, names: Mapping[Node, str], source: Source) -> Iterator[str]:
        """The lines that put a value into a list."""
        short = self._short.get(self._family(node))
        if (shift := shift_of(node)) is not None and short is not None:
            yield from short.close(name, shift.place, source)
            return
        if shift is not None:
            yield shifted(node, shift, name, source)
            return
        if moves_row(node):
            yield from moved(node, name, names, source)
            return
        text, place = self._value(node, names, source), source.subscript(node.args[1], names)
        appends = node in self._appended.writes
        if not appends and node not in self._appended.sure and any(misses := self._climbing.misses(node)):
            place, lines = named(place, source)
            yield from [*lines, placed(node, misses, place, name, source)]
        if may_overflow(node) and self._climbing.of(node.args[2]) is None:
            text, lines = named(text, source)
            yield from [*lines, checked(text, node.args[2], source)]
        if appends:
            yield f"{name}.append({text})"
            return
        if short is not None and not writes_beginning(node):
            yield from short.write(name, node, place, text, source)
            return
        keys = self._keys.get(self._family(node))
        if keys is None:
            yield f"{name}[{place}] = {text}"
            return
        test = ""
        if self.kinds[node] == NUMBER and node.meta["val"].dtype.kind in "bi":  # equal ones are the same
            found = found_for(node)
            test = f"if {name}[{place}] != {text}: " if found is None else f"if {place} >= {source.text(found.args[2], names)}: "
        if keys is KeyColumn:  # `KeyColumn.put` of the first row that is not searched
            new = f"{name}[{place}] = {text}; {name}.places.setdefault({text}, {place}); {name}.searched = {place} + 1"
            yield f"if {place} == {name}.searched: {new}"
            test = f"el{test}" if test else "else: "
        yield f"{test}{name}.put({place}, {text})"

    def _value(self, node: Node, names: Mapping[Node, str], source: Source) -> str:
        """The text of what a call writes; what comes of an array are items of the list's kind."""
        value, text = node.args[2], source.text(node.args[2], names)
        if type(value) is not Node or not is_array(value.meta["val"]):
            return text
        if text in source.lists or (value in self.kinds and value not in self.arrays):
            return text
        return f"{text}.tolist()" if self.kinds[node] == NUMBER else f"{source.bind(list)}({text})"

    def _item(self, node: Node, names: Mapping[Node, str], source: Source) -> tuple[str, list[str]]:
        """The same of what is read of lists."""
        if is_new(node):  # the number of zeros, for the loops that begin with them
            name = source.fresh()
            return name, [f"{name} = {source.text(node.args[0][0], names)}"]
        if is_most(node) or calls(node, ops.np.getitem) and type(node.args[1]) is slice:
            return "", []
        if calls(node, ops.py.place):
            text, name = source.text(node.args[0], names), source.fresh()
            stays = text.isidentifier() and node.graph is not self._graph and not crosses(node)
            return (text, []) if stays else (name, [f"{name} = {text}"])
        if calls(node, ops.sym.size):
            name = source.fresh()
            return name, [f"{name} = {source.bind(len)}({names[node.args[0]]})"]
        if not (is_choice(node) or reads_item(node) or calls(node, ops.py.row_place)):
            return names[node.args[0]], []
        name = source.fresh()
        if is_choice(node):
            test, old, new = [source.text(arg, names) for arg in node.args]
            check = [checked(new, node.args[2], source)] if may_overflow(node) else []
            return name, [*check, f"{name} = {old} if {test} else {new}"]
        if reads_item(node):
            items, place, lines = names[node.args[0]], source.subscript(node.args[1], names), list[str]()
            if node not in self._appended.sure and any(misses := self._climbing.misses(node)):
                place, lines = named(place, source)
                lines.append(placed(node, misses, place, items, source))
            short = self._short.get(self._family(node.args[0]))
            more, text = ([], f"{items}[{place}]") if short is None else short.read(items, node, place, source)
            return name, [*lines, *more, f"{name} = {text}"]
        return name, [f"{name} = {found_at(node, names, source)}"]
