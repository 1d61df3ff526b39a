"""Edit graphs at random: every edit does what it says or is refused and changes nothing, and what is left runs as written or is refused.

``python -m tests.fuzz.edits [count] [seed]`` runs many. A *sheet* is a graph as plain tuples, in which operands are names: edits are
made of it by other means than of the graph. After each edit the graph is its sheet, and users are those who use. In the end the program
is refused by the law that it breaks, or every value has the shape and dtype that its node says, and modules, copies, passes and files
give what the graph means.
"""

from __future__ import annotations

import copy
import pickle
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport import Dim, ExportError, InputMismatch, TensorMeta, export, ops, passes
from npexport.ir.graph import CALL, OUTPUT, PLACEHOLDER, Graph, GraphModule, Node, computed, interpreted
from npexport.ir.signature import InputKind
from tests.fuzz.command import exported_or_why, main
from tests.fuzz.edit_programs import inputs, model, program
from tests.support.forms import reloaded
from tests.support.images import image
from tests.support.quiet import quiet

REFUSED = {"E902": "breaks a law", "E243": "an edit is refused", "E241": "arrays do not fit", "E201": "no such argument"}
UNARY = [ops.np.sin, ops.np.negative, ops.np.sum, ops.np.exp, ops.np.transpose, ops.np.signbit, ops.np.cumsum]
BINARY = [ops.np.add, ops.np.multiply, ops.np.maximum, ops.np.matmul, ops.np.greater, ops.np.subtract, ops.np.copysign]
ITERATIONS = 60
"""A loop that goes on for longer may never end."""
Sheet = list[list[Any]]


class Endless(Exception):
    """A loop whose condition was edited."""


# Sheets


def written(value: Any) -> Any:
    """An argument as plain data: ``("node", name)`` for nodes, ``("graph", name, sheet)`` for sub-graphs."""
    if isinstance(value, Node):
        return "node", value.name
    if isinstance(value, GraphModule):
        return "graph", value.name, sheet_of(value.graph)
    if isinstance(value, (tuple, list)):
        return [type(value).__name__, *map(written, value)]
    if isinstance(value, dict):
        return {key: written(item) for key, item in value.items()}
    return repr(value)


def sheet_of(graph: Graph) -> Sheet:
    return [[node.name, node.op, str(node.target), written(node.args), written(node.kwargs)] for node in graph.nodes]


def named(value: Any) -> list[str]:
    """The operands in an argument of a sheet."""
    if isinstance(value, tuple):
        return [value[1]] if value[0] == "node" else []
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [name for item in items for name in named(item)]


def renamed(value: Any, old: str, new: str) -> Any:
    if isinstance(value, tuple):
        return ("node", new) if value == ("node", old) else value
    if isinstance(value, list):
        return [renamed(item, old, new) for item in value]
    return {key: renamed(item, old, new) for key, item in value.items()} if isinstance(value, dict) else value


def users_in(sheet: Sheet, name: str) -> list[int]:
    return [index for index, row in enumerate(sheet) if name in named(row[3:])]


def place_in(sheet: Sheet, name: str) -> int:
    return next(index for index, row in enumerate(sheet) if row[0] == name)


# Edits: of a graph and of its sheet; the sheet of a refused edit is not taken


class Edits:
    """``draw`` makes one edit of a random graph of the program, and says which."""

    def __init__(self, rng: random.Random, program: Any) -> None:
        self.rng, self.program = rng, program
        self.kinds: list[Callable[[Graph, Sheet], str]] = [
            self.swap, self.swap, self.swap, self.put, self.put, self.put, self.put, self.erase, self.erase, self.operand, self.operand,
            self.move, self.meta, self.target, self.foreign, self.dead, self.constant, self.some_users,
        ]  # fmt: skip

    def draw(self) -> str:
        graph = self.rng.choice([*self.program.graph.all_graphs()])
        sheet = sheet_of(graph)
        before = copy.deepcopy(sheet)
        try:
            told = self.rng.choice(self.kinds)(graph, sheet)
        except ExportError as error:
            assert error.code in REFUSED, f"an edit is refused with {error}"
            told, sheet = f"refused: {error.message}", before
        assert sheet_of(graph) == sheet, f"{told}\nwanted {sheet}\nfound  {sheet_of(graph)}"
        by_name = Counter(node.name for node in graph.nodes)
        for node in graph.nodes:
            if by_name[node.name] == 1:
                users = sorted(user.name for user in node.users)
                assert users == sorted(sheet[index][0] for index in users_in(sheet, node.name)), f"{told}\nusers of {node}: {users}"
        return told

    def node(self, graph: Graph, *kinds: str) -> Node:
        found = [node for node in graph.nodes if not kinds or node.op in kinds]
        return self.rng.choice(found or graph.nodes)

    def like(self, graph: Graph, node: Node) -> Node:
        """Mostly another node of the same shape and dtype."""
        alike = [each for each in graph.nodes if each is not node and str(each.meta.get("val")) == str(node.meta.get("val"))]
        return self.rng.choice(alike) if alike and self.rng.random() < 0.8 else self.node(graph, CALL, PLACEHOLDER)

    def swap(self, graph: Graph, sheet: Sheet) -> str:
        return self._swapped(graph, sheet, lambda user: True)

    def some_users(self, graph: Graph, sheet: Sheet) -> str:
        chosen = {node.name for node in graph.nodes if self.rng.random() < 0.5}
        return self._swapped(graph, sheet, lambda user: user.name in chosen)

    def _swapped(self, graph: Graph, sheet: Sheet, chosen: Callable[[Any], bool]) -> str:
        old = self.node(graph)
        new = self.like(graph, old)
        rows = [sheet[index] for index in users_in(sheet, old.name)]
        rows = [row for row in rows if row[0] != new.name and chosen(Node(row[0], CALL, "", (), {}, {}))]
        early = [row for row in rows if place_in(sheet, row[0]) <= place_in(sheet, new.name)]
        changed = old.replace_all_uses_with(new, chosen)
        assert not early, f"{early[0][0]} uses {old} and stands before {new}"
        assert sorted(user.name for user in changed) == sorted(row[0] for row in rows)
        for row in rows:
            row[3:] = [renamed(part, old.name, new.name) for part in row[3:]]
        return f"{old} -> {new}"

    def put(self, graph: Graph, sheet: Sheet) -> str:
        beside, after = self.node(graph), self.rng.random() < 0.5
        number = 2 if self.rng.random() < 0.6 else 1
        args = tuple(self.rng.choice([self.node(graph, CALL, PLACEHOLDER), self.node(graph), 2.0, 3]) for _ in range(number))
        with graph.inserting_after(beside) if after else graph.inserting_before(beside):
            new = graph.call_function(self.rng.choice(BINARY if number == 2 else UNARY), args)
        inputs = next((index for index, row in enumerate(sheet) if row[1] != PLACEHOLDER), len(sheet))
        index = inputs if beside.op == PLACEHOLDER else place_in(sheet, beside.name) + after
        assert new.name not in [row[0] for row in sheet] and new.op == CALL
        assert all(place_in(sheet, name) < index for name in named(written(args))), f"{new} uses what stands behind it"
        sheet.insert(index, [new.name, CALL, str(new.target), written(new.args), written(new.kwargs)])
        return f"put {new} = {new.target}{args} {'after' if after else 'before'} {beside}"

    def erase(self, graph: Graph, sheet: Sheet) -> str:
        unused = [node for node in graph.nodes if not users_in(sheet, node.name)]
        node = self.rng.choice(unused) if self.rng.random() < 0.8 else self.node(graph)
        graph.erase_node(node)
        assert node.op != OUTPUT and not users_in(sheet, node.name), f"{node} is erased and used"
        del sheet[place_in(sheet, node.name)]
        return f"erase {node}"

    def operand(self, graph: Graph, sheet: Sheet) -> str:
        """Another operand by assignment, which is not checked before `lint`."""
        node = self.node(graph, CALL, OUTPUT)
        row = sheet[graph.nodes.index(node)]
        if not node.all_input_nodes:
            return "nothing"
        old = self.rng.choice(node.all_input_nodes)
        new = self.like(graph, old)
        node.args = _with(node.args, old, new)
        row[3] = renamed(row[3], old.name, new.name)
        return f"{node} takes {new} for {old}"

    def constant(self, graph: Graph, sheet: Sheet) -> str:
        node = self.node(graph, CALL)
        places = [index for index, arg in enumerate(node.args) if isinstance(arg, (int, float))]
        if node.op != CALL or not places:
            return "nothing"
        index, value = self.rng.choice(places), self.rng.choice([0, 1, 2.5, True, -1])
        node.args = (*node.args[:index], value, *node.args[index + 1 :])
        sheet[graph.nodes.index(node)][3][index + 1] = repr(value)
        return f"{node}.args[{index}] = {value}"

    def move(self, graph: Graph, sheet: Sheet) -> str:
        index = self.rng.randrange(len(sheet))
        other = max(0, min(len(sheet) - 1, index + self.rng.randint(-3, 3)))
        graph.nodes.insert(other, graph.nodes.pop(index))
        sheet.insert(other, sheet.pop(index))
        return f"{sheet[other][0]} moves from {index} to {other}"

    def meta(self, graph: Graph, sheet: Sheet) -> str:
        node, other = self.node(graph), self.node(graph)
        kind = self.rng.randrange(5)
        if kind == 0:
            node.meta["val"] = other.meta.get("val")
        elif kind == 1:
            node.meta.pop(self.rng.choice(["val", "stack_trace", "nn_module_stack"]), None)
        elif kind == 2 and isinstance(node.meta.get("val"), TensorMeta):
            node.meta["val"] = node.meta["val"].with_(dtype=np.dtype(np.float32))
        elif kind == 3:
            node.meta["mine"] = [1, 2]
        elif kind == 4:
            node.meta["val"] = self.rng.choice([None, 3, "text"])
        return f"meta {kind} of {node}"

    def target(self, graph: Graph, sheet: Sheet) -> str:
        node = self.node(graph, CALL)
        if node.op != CALL:
            return "nothing"
        node.target = self.rng.choice(UNARY + BINARY)
        sheet[graph.nodes.index(node)][2] = str(node.target)
        return f"{node} calls {node.target}"

    def foreign(self, graph: Graph, sheet: Sheet) -> str:
        if self.rng.random() < 0.5:
            return "nothing"
        other = self.rng.choice([*self.program.graph.all_graphs()])
        node = self.node(other, CALL, PLACEHOLDER)
        with graph.inserting_before(graph.nodes[-1]):
            new = graph.call_function(ops.np.negative, (node,))
        assert other is graph, f"{new} uses a node of another graph"
        sheet.insert(len(sheet) - 1, [new.name, CALL, str(new.target), written(new.args), written(new.kwargs)])
        return f"{new} at the end"

    def dead(self, graph: Graph, sheet: Sheet) -> str:
        """What is dropped is a call that nothing that stays uses."""
        graph.eliminate_dead_code()
        left = {row[0] for row in sheet_of(graph)}
        sheet[:] = [row for row in sheet if row[0] in left or row[1] != CALL]
        assert all(name in left for row in sheet for name in named(row[3:])), "what is used is dropped"
        return "eliminate_dead_code"


def _with(value: Any, old: Node, new: Node) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(_with(item, old, new) for item in value)
    return new if value is old else value


# What a program means


def meaning(program: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The outputs of the graph, each value held to what its node says. Raises ``Endless``."""
    given = iter(args)
    specs = program.graph_signature.input_specs
    values = [next(given) if spec.kind is InputKind.USER_INPUT else copy.deepcopy(program.lifted(spec)) for spec in specs]

    def call(node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        value = _control(node, args, call)
        value = computed(node, args, kwargs) if value is None else value
        said = node.meta["val"]
        if isinstance(said, TensorMeta):
            array = np.asarray(value)
            sizes = [size if type(size) is int else found for size, found in zip(said.shape, array.shape, strict=True)]
            assert (said.dtype, tuple(sizes)) == (array.dtype, array.shape), f"{node} is said to be {said}, and is {value!r}"
        return value

    return interpreted(program.graph, values, call)


def _control(node: Node, args: tuple[Any, ...], call: Any) -> Any:
    """What a branch or a loop gives; ``None`` of other calls."""
    if node.target is ops.control.cond:
        condition, true, false, operands = args
        return interpreted((true if condition else false).graph, operands, call)
    if node.target is ops.control.while_loop:
        condition, body, carried, operands = args
        for _ in range(ITERATIONS):
            if not interpreted(condition.graph, (*carried, *operands), call)[0]:
                return carried
            carried = interpreted(body.graph, (*carried, *operands), call)
        raise Endless
    return None


def outcome(program: Any, args: tuple[Any, ...]) -> Any:
    """Results, and what is left in the arguments, of two calls: the second finds what the first one leaves in state."""
    args, run = copy.deepcopy(args), program.module()
    try:
        return image([run(*args), run(*args), args])
    except InputMismatch:
        return "does not fit"
    except ExportError:
        raise
    except Exception as error:
        return type(error)


FORMS: dict[str, Callable[[Any], Any]] = {
    "copied": copy.deepcopy, "pickled": lambda program: pickle.loads(pickle.dumps(program)), "saved": reloaded, "share": passes.share,
    "dead code": passes.dead_code, "folded": passes.fold_constants, "not decomposed": lambda program: program.run_decompositions({}),
}  # fmt: skip


def run(seed: int) -> Counter[str]:
    """Outcomes by kind. Raises ``AssertionError`` with the source of a difference."""
    rng = random.Random(seed)
    source = program(rng)
    example = inputs(rng)
    made = exported_or_why(source, lambda: export(model(source), example, dynamic_shapes={"x": {0: Dim("n")}, "y": None, "q": None}))
    if isinstance(made, str):
        return Counter([made])
    edits, told, found = Edits(rng, made), [], Counter[str]()
    try:
        with quiet():
            for _ in range(rng.randint(1, 8)):
                told.append(edits.draw())
                found["refused" if told[-1].startswith("refused") else "edited"] += 1
            found[finished(made, [example, inputs(rng)])] += 1
    except Exception as error:
        raise AssertionError(f"{source}\n{chr(10).join(told)}\n{made.graph}\n{type(error).__name__}: {error}") from error
    return found


def finished(program: Any, calls: list[tuple[Any, ...]]) -> str:
    """What became of an edited program."""
    try:
        program.graph.lint()
        program.validate()
    except ExportError as error:
        assert error.code in REFUSED and error.message, f"the program is refused with {error}"
        return REFUSED[error.code]
    for args in calls:
        try:
            meant: Any = meaning(program, copy.deepcopy(args))
        except Endless:
            return "endless"
        except Exception as error:
            meant = error
        wanted = outcome(program, args)
        if wanted == "does not fit":
            return wanted
        if isinstance(meant, AssertionError):
            raise meant
        if isinstance(meant, Exception):
            assert wanted is type(meant), f"the graph raises {meant!r}, and gives {wanted}"
            return "raises"
        found = program.graph_module(*_flat(program, args))
        assert image([*found]) == image([*meant]), f"the graph means {meant}, and gives {found}"
        for name, form in FORMS.items():
            got = outcome(form(program), args)
            assert got == wanted, f"{name}: {got}\nnot {wanted}"
    return "runs"


def _flat(program: Any, args: tuple[Any, ...]) -> list[Any]:
    given = iter(copy.deepcopy(args))
    specs = program.graph_signature.input_specs
    return [next(given) if spec.kind is InputKind.USER_INPUT else copy.deepcopy(program.lifted(spec)) for spec in specs]


if __name__ == "__main__":
    main(run)
