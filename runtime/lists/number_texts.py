"""Numbers of Python as text within other text: what is used once is written where it is used, as
long as computing it cannot raise.

Sums and comparisons of integers are written with as few operations as they have terms: what is
taken off one side stands on the other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from npexport.ir import ops
from npexport.ir.arguments import leaves_of
from npexport.ir.graph import CALL, Graph, GraphModule, Node
from npexport.ir.meta import TensorMeta
from npexport.runtime.emission.emit import Source
from npexport.runtime.lists.list_calls import reads_item
from npexport.runtime.loops.counted_loops import is_number_call
from npexport.runtime.memory.inherited_memory import results_of, uses
from npexport.symshapes.symint import SymInt, python_type

MAX_NESTED = 8
"""Python's compiler has a limit to parentheses within one another, in which every text stands."""
OF_NUMBERS = frozenset({"sym", "py"})
"""The namespaces of what computes with Python's numbers, which meet no floating-point errors."""
_NAME = re.compile(r"[a-z]\w*")
_SUMS = {("+", 2): (1, 1), ("-", 2): (1, -1), ("-", 1): (-1,)}
_RELATIONS = frozenset({">=", "==", "!="})


class _Sum(NamedTuple):
    """The texts that are added, those that are subtracted, and the constant."""

    added: list[str]
    taken: list[str]
    const: int


class NumberTexts:
    """``names`` are the texts of all values; ``source`` writes calls."""

    def __init__(self, source: Source, names: dict[Node, str]) -> None:
        self.source = source
        self.names = names
        self._nested: dict[Node, int] = {}  # how deep the texts are that are not identifiers
        self._factors: dict[str, tuple[str, str]] = {}  # of the texts that are products of two integers
        self._waiting: dict[Node, Node] = {}  # those that stand within the text of this node, which is not written yet
        self.apart: Callable[[Node], bool] = lambda _: False  # whether a number has a statement of its own
        self.moved: set[str] = set()  # names that one number has had after another
        self._next: dict[Node, Node] = {}  # what an iteration gives -> what it takes in this place
        self._carries: set[Node] = set()  # all that iterations take of this kind, under names that are theirs

    def __contains__(self, node: Node) -> bool:
        """Whether the text of a node is part of another text."""
        return node in self._nested

    def written(self, node: Node) -> bool:
        """Set the text of a number if it becomes part of the text that uses it."""
        if not self.stands_within(node):
            return False
        self.names[node] = self._asked(node) or self.text(node) or self.source.call(node, self.names, None)
        self._nested[node] = 1 + self._depth(node)
        self._waiting[node] = next(iter(node.users))
        if _is_int(node) and node.target is ops.sym.mul:
            self._factors[self.names[node]] = self.source.text(node.args[0], self.names), self.source.text(node.args[1], self.names)
        return True

    def stands_within(self, node: Node) -> bool:
        """Whether a number is used once, by a value whose text it can be part of."""
        op: Any = node.target
        if self.apart(node) or op.namespace not in OF_NUMBERS or len(node.users) != 1 or node.kwargs or self._depth(node) >= MAX_NESTED:
            return False
        numbers = all(map(_is_number, (node, *node.all_input_nodes)))
        return numbers and _uses_once(next(iter(node.users)), node) and not op.errors(node.args, {})

    def read_within(self, read: Node) -> bool:
        """Whether an item of a list or a dict, which is there, is read where the number that it is
        becomes part of a text: nothing is written before that, and no branch or loop is in between.
        """
        number = read if _is_number(read) else next(iter(read.users), read)
        if "raises" in read.meta or len(number.users) != 1 or not (number is read or (len(read.users) == 1 and is_number_call(number))):
            return False
        host = next(iter(number.users))
        if host.op != CALL or not _is_number(number) or not _uses_once(host, number) or self._depth(read) >= MAX_NESTED:
            return False
        self._nested[number], self._waiting[number] = 1 + self._depth(read), host
        while host.op == CALL and self.stands_within(host):
            host = next(iter(host.users))
        nodes = read.graph.nodes
        if all(map(_changes_nothing, nodes[nodes.index(read) + 1 : nodes.index(host)])):
            return True
        del self._nested[number], self._waiting[number]
        return False

    def stands_within_numbers(self, node: Node) -> bool:
        """The same for uses by other numbers, branches and loops only."""
        host = next(iter(node.users), node)
        return host.op == CALL and (bool(host.target.emit.block) or _is_number(host)) and self.stands_within(node)  # type: ignore[union-attr]

    def ended(self, node: Node) -> bool:
        """Whether nothing needs to be done for a number that ends: it keeps no memory to speak of,
        as integers of Python may, or another one has its name.
        """
        return is_plain(node) and (type(node.meta["val"]) is not SymInt or self.names[node] in self.moved)

    def several(self, node: Node, text: str) -> tuple[str, list[str]] | None:
        """The statement that takes apart what a call gives, if it gives numbers alone and each is
        used, and their texts: names, or items of a list where they leave the program.
        """
        values, results = node.meta["val"], results_of(node)
        used = type(values) is tuple and 0 < len(values) == len(results) == len(node.users)
        if not used or not all(map(is_plain, results.values())):
            return None
        if node in self.source.complexes.made:
            return self.source.complexes.made[node]
        name, op = self.names[node], node.target
        if op.emit.lists and all(user.op != CALL for result in results.values() for user in result.users):  # type: ignore[union-attr]
            self.source.lengths[name] = len(values)
            return f"{name} = {text}", [f"{name}[{place}]" for place in range(len(values))]
        parts = [self.source.fresh() for _ in values]
        return f"{', '.join(parts)}, = {text}", parts

    def follow(self, given: Sequence[Any], taken: Sequence[Node], names: Sequence[str]) -> None:
        """The results of an iteration are the operands of the next one, under these names; an empty
        name stands for none.
        """
        self._carries.update(taken)
        self._next |= {value: place for value, place, name in zip(given, taken, names, strict=True) if name and type(value) is Node}

    def take_over(self, names: list[str], branch: Node, sides: Sequence[Graph], dying: set[Node], outside: set[str]) -> None:
        """Among the ``names`` of a branch's results, those of numbers become names of numbers that
        end here, where a side gives these back or the iteration around makes them the next ones:
        so they need not be moved.
        """
        operands, items = branch.args[3], results_of(branch)
        for number, values in enumerate(zip(*[side.output_node.args[0] for side in sides], strict=True)):
            if number not in items or not is_plain(items[number]):
                continue
            places = [side.placeholders.index(value) for side, value in zip(sides, values, strict=True) if value in side.placeholders]
            for operand in [self._next.get(items[number]), *[operands[place] for place in places]]:
                ends = is_plain(operand) and (operand in dying or not operand.users) and (operand.op == CALL or operand in self._carries)
                name = self.names[operand] if ends else ""
                if name.isidentifier() and name not in outside and name not in names and self.host_of(name, branch) is None:
                    names[number] = name
                    self.moved.add(name)
                    break

    def host_of(self, name: str, here: Node | None = None) -> Node | None:
        """The node, but ``here``, whose text is still to be written and has this name in it: in the
        text of a number that stands there.
        """
        self._waiting = {node: host for node, host in self._waiting.items() if host not in self.names}
        hosts = [host for node, host in self._waiting.items() if host is not here and name in names_in(self.names[node])]
        return hosts[0] if hosts else None

    def _asked(self, node: Node) -> str | None:
        """The text of an integer of which a branch asks only whether it is 0."""
        host: Any = next(iter(node.users))
        asks = host.op == CALL and host.target.emit.block and host.target.emit.asks
        return self._beside_0(node) if asks and node not in leaves_of(host.args[1:]) else None  # a side may give it as it is

    def asked(self, value: Any) -> str | None:
        """The same of a truth that has its text, and of which only that is asked."""
        return self._beside_0(value) if type(value) is Node and value in self else None

    def _beside_0(self, node: Node) -> str | None:
        if _sign(node) != "!=" or node.args[1] != 0 or not _is_int(node.args[0]):
            return None
        return None if node.args[0] in self and signs_of(node.args[0]) else self.names[node.args[0]]

    def _depth(self, node: Node) -> int:
        return max((self._nested.get(operand, 0) for operand in node.all_input_nodes), default=0)

    def text(self, node: Node) -> str | None:
        """The text of a sum of integers or a comparison of them with an integer; ``None`` of any
        other call.
        """
        if not all(type(arg) is int or _is_int(arg) for arg in node.args):
            return None
        sign = _sign(node)
        if sign is None:
            if not signs_of(node):
                return None
            added, taken, const = self._operands(node, _Sum([], [], 0))
            return f"({_total(self._factored(added), self._factored(taken), const)})"
        first, second = node.args
        return self._compared(first, second, sign) if type(second) is int else None

    def _terms(self, value: Any, found: _Sum) -> _Sum:
        """The terms of a value as in its text; those of sums that are part of it are included."""
        if isinstance(value, int):
            return found._replace(const=found.const + value)
        if value in self._nested and signs_of(value) and _is_int(value):
            return self._operands(value, found)
        found.added.append(self.names[value])
        return found

    def _operands(self, node: Node, found: _Sum) -> _Sum:
        for sign, operand in zip(signs_of(node), node.args, strict=True):
            turned = found if sign > 0 else _Sum(found.taken, found.added, -found.const)
            turned = self._terms(operand, turned)
            found = turned if sign > 0 else _Sum(found.added, found.taken, -turned.const)
        return found

    def _factored(self, terms: list[str]) -> list[str]:
        """The terms, with two products that have a common factor combined: ``a * b + a * c``."""
        for place, term in enumerate(terms[1:], 1):
            for other in terms[:place]:
                pairs = [(one, two) for one in self._orders(term) for two in self._orders(other) if one[0] == two[0]]
                if pairs:
                    (factor, one), (_, two) = pairs[0]
                    rest = [each for each in terms if each is not term and each is not other]
                    return self._factored([*rest, f"({factor} * ({two} + {one}))"])
        return terms

    def _orders(self, term: str) -> list[tuple[str, str]]:
        factors = self._factors.get(term)
        return [] if factors is None else [factors, factors[::-1]]

    def _compared(self, first: Any, second: int, sign: str) -> str:
        """The two sides of a comparison: what is added, and what is subtracted."""
        added, taken, const = self._terms(first, _Sum([], [], -second))
        added, taken = self._factored(added), self._factored(taken)
        if sign == ">=" and const == -1 and added:
            sign, const = ">", 0
        moves = bool(added) and (const < 0 or not taken)
        return f"({_total(added, [], 0 if moves else const)} {sign} {_total(taken, [], -const if moves else 0)})"


def _changes_nothing(node: Node) -> bool:
    """Whether a call computes a number, or reads what numbers are made of."""
    op: Any = node.target
    return (op.namespace in OF_NUMBERS and "scatter" not in op.traits) or (reads_item(node) and "raises" not in node.meta)


def _total(added: list[str], taken: list[str], const: int) -> str:
    """The text of a sum."""
    if not added and (const or not taken):
        added, const = [str(const)], 0
    text = " - ".join([" + ".join(added) if added else f"-{taken[0]}", *(taken if added else taken[1:])])
    return f"{text} {'-' if const < 0 else '+'} {abs(const)}" if const else text


def _sign(node: Node) -> str | None:
    """The operator of a comparison."""
    op: Any = node.target
    return op.emit.sign if op.namespace == "sym" and op.emit.sign in _RELATIONS else None


def signs_of(node: Node) -> tuple[int, ...]:
    """The signs of the operands of a sum."""
    op: Any = node.target
    return _SUMS.get((op.emit.sign, len(node.args)), ()) if op.namespace == "sym" else ()


def _uses_once(user: Node, node: Node) -> bool:
    if user.op == CALL and user.target.emit.block:  # type: ignore[union-attr]
        return sum(leaf is node for leaf in leaves_of([arg for arg in user.args if type(arg) is not GraphModule])) == 1
    return uses(user, node) == 1


def assignments(names: Sequence[str], texts: Sequence[str]) -> Iterator[str]:
    """The statements that assign all texts to their names: separate ones as far as no assignment
    changes what a later text reads. An item of a list counts as the list.
    """
    pairs = [(name, text) for name, text in zip(names, texts, strict=True) if name != text]
    while pairs:
        read = Counter(name for _, text in pairs for name in names_in(text))
        changed = ((pair, pair[0].partition("[")[0]) for pair in pairs)
        free = next((pair for pair, name in changed if read[name] == (name in names_in(pair[1]))), None)
        if free is None:
            yield f"{', '.join(name for name, _ in pairs)} = {', '.join(text for _, text in pairs)}"
            return
        yield f"{free[0]} = {free[1]}"
        pairs.remove(free)


def names_in(text: str) -> set[str]:
    """The identifiers in a text."""
    return set(_NAME.findall(text))


def is_plain(value: Any) -> bool:
    """Whether a value is a number, of Python or a scalar of NumPy: it keeps no memory."""
    meta = value.meta.get("val") if type(value) is Node else None
    return (meta.scalar and meta.dtype.kind in "biufcmM") if isinstance(meta, TensorMeta) else python_type(meta) in (int, float, bool)


def _is_number(node: Node) -> bool:
    return python_type(node.meta.get("val")) in (int, float, bool)


def _is_int(value: Any) -> bool:
    return type(value) is Node and type(value.meta["val"]) is SymInt
