"""Small changes of a Python function: each makes another program that is much like the first."""

from __future__ import annotations

import ast
import contextlib
import copy
import random
from collections.abc import Callable
from typing import Any

BINARY = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.BitAnd, ast.BitOr)
COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
CONSTANTS = (0, 1, -1, 2, 3, 0.5, 1e-3, 300, True)
METHODS = ("sum", "max", "min", "mean", "prod", "any", "all", "argmax", "argmin", "cumsum", "copy", "ravel", "std", "item", "tolist")
INDICES = ("0", "-1", "1:", "::-1", ":-1", "::2", "None", "...", ":1", "[0, -1]")
CONDITIONS = (
    "np.sum({a}) > 0", "np.any({a} == {a})", "np.max({a}) < 1", "np.mean({b}) > 0.2", "np.size({a}) > 2", "np.ravel({a})[0] > 0",
    "np.isnan({b}).any()", "{b} is {a}", "not {b}", "np.ravel({b})[-1] == np.ravel({a})[0]",
)  # fmt: skip
VALUES = (
    "np.copy(_)", "_[:]", "np.asarray(_).astype(np.float32)", "np.asarray(_).astype(int)", "np.asarray(_).T", "-_", "np.asarray(_)[..., 0]",
    "[_][0]", "np.array(_, order='F')", "abs(_)", "np.sqrt(_)", "np.floor(_)", "np.sort(_)", "np.cumsum(_)", "np.flip(_)", "np.asarray(_)",
    "np.isnan(_)", "np.unique(_)", "np.atleast_1d(_)", "np.ravel(_)", "np.sign(_)",
)  # fmt: skip
RESULTS = (
    "(lambda v: [v, v])(_)", "{{'a': _, 'b': 1}}", "(lambda v: (v, type(v).__name__))(_)", "np.asarray(_)", "np.shape(_)", "(_ is None, _)",
    "float(np.sum(_))", "f'{{np.ndim(_)}}'", "np.sum(_)", "list(_)", "tuple(_)", "bool(_)", "len(_)", "sorted(_)", "(_, {a})",
)  # fmt: skip
AFTER_BINDING = ("{a} *= 2", "{a}[0] = {a}[-1]", "{a}[::2] += 1", "{a} = {a} if {a} is None else {a}", "{a}, _z = {a}, {a}")
AT_FIRST = (
    "if np.ravel({a})[0] > 0: return {a}", "{a} = {a}.copy()", "{a} = np.asarray({a})[::-1]", "_keep = {a}", "{a}[0] = 0",
    "if np.max({a}) > 3: raise ValueError(f'large: {{np.max({a})}}')", "assert np.isfinite({a}).all(), 'not finite'",
)  # fmt: skip
HANDLED = ("Exception", "ValueError", "IndexError", "ZeroDivisionError", "TypeError", "OverflowError")
HANDLERS = ("{a} = {a} * 2", "return {a}", "pass", "raise KeyError('handled')")
REPEATS = ("for _k in range(3): pass", "for _k in (0, 1): pass", "for _k in [1]: pass")

_UNMOVED = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Nonlocal, ast.Global)


class NothingToChange(Exception):
    """The function has no place for the mutation."""


class Site:
    """A function that is changed, and what chooses where."""

    def __init__(self, function: ast.FunctionDef, rng: random.Random) -> None:
        self.function, self.rng = function, rng
        given = function.args
        self.parameters = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
        stored = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        self.locals = sorted({*stored, *self.parameters})

    def any_of(self, choices: Any) -> Any:
        found = list(choices)
        if not found:
            raise NothingToChange
        return self.rng.choice(found)

    def node(self, *types: type, where: Callable[[Any], bool] = lambda node: True) -> Any:
        """One of the function's nodes of these types."""
        return self.any_of(node for node in ast.walk(self.function) if isinstance(node, types) and where(node))

    def blocks(self) -> list[list[ast.stmt]]:
        found = [getattr(node, part, None) for node in ast.walk(self.function) for part in ("body", "orelse", "finalbody")]
        return [block for block in found if isinstance(block, list) and block]

    def place(self) -> tuple[list[ast.stmt], int]:
        """A block and the place in it of a statement that may stand elsewhere."""
        return self.any_of((block, at) for block in self.blocks() for at, each in enumerate(block) if not isinstance(each, _UNMOVED))

    def after(self, statement: ast.stmt) -> tuple[list[ast.stmt], int]:
        block = next(block for block in self.blocks() if statement in block)
        return block, block.index(statement) + 1

    def text(self, templates: tuple[str, ...], name: str | None = None) -> str:
        return self.any_of(templates).format(a=name or self.any_of(self.parameters), b=self.any_of(self.locals))

    def statement(self, templates: tuple[str, ...], name: str | None = None) -> Any:
        return ast.parse(self.text(templates, name)).body[0]

    def expression(self, templates: tuple[str, ...], of: ast.expr | None = None) -> Any:
        """An expression in which ``_`` stands for the one given."""
        tree = ast.parse(self.text(templates), mode="eval").body
        return tree if of is None else _Put(of).visit(tree)


class _Put(ast.NodeTransformer):
    def __init__(self, value: ast.expr) -> None:
        self.value = value

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self.value) if node.id == "_" else node


MUTATIONS: dict[str, Callable[[Site], None]] = {}


def mutation(change: Callable[[Site], None]) -> Callable[[Site], None]:
    MUTATIONS[change.__name__] = change
    return change


@mutation
def another_operator(site: Site) -> None:
    site.node(ast.BinOp, ast.AugAssign).op = site.any_of(BINARY)()


@mutation
def another_comparison(site: Site) -> None:
    site.node(ast.Compare).ops[0] = site.any_of(COMPARISONS)()


@mutation
def another_constant(site: Site) -> None:
    node = site.node(ast.Constant, where=lambda node: isinstance(node.value, (int, float)))
    node.value = site.any_of((*CONSTANTS, node.value + 1, node.value * 2))


@mutation
def another_method(site: Site) -> None:
    site.node(ast.Attribute, where=lambda node: node.attr in METHODS).attr = site.any_of(METHODS)


@mutation
def another_index(site: Site) -> None:
    index: Any = ast.parse(f"_[{site.any_of(INDICES)}]", mode="eval").body
    site.node(ast.Subscript).slice = index.slice


@mutation
def another_variable(site: Site) -> None:
    node = site.node(ast.Name, where=lambda node: isinstance(node.ctx, ast.Load) and node.id in site.locals)
    node.id = site.any_of(site.locals)


@mutation
def on_a_condition(site: Site) -> None:
    block, at = site.place()
    block[at] = ast.If(site.expression(CONDITIONS), [block[at]], [])


@mutation
def one_or_another(site: Site) -> None:
    block, at = site.place()
    other = site.any_of(each for each in block if not isinstance(each, _UNMOVED))
    block[at] = ast.If(site.expression(CONDITIONS), [block[at]], [copy.deepcopy(other)])


@mutation
def left_out(site: Site) -> None:
    block, at = site.any_of((block, at) for block in site.blocks() if len(block) > 1 for at in range(len(block)))
    del block[at]


@mutation
def twice(site: Site) -> None:
    block, at = site.place()
    block.insert(at, copy.deepcopy(block[at]))


@mutation
def in_another_order(site: Site) -> None:
    block, at = site.any_of((block, at) for block in site.blocks() for at in range(len(block) - 1))
    block[at : at + 2] = block[at + 1], block[at]


@mutation
def repeated(site: Site) -> None:
    block, at = site.place()
    if any(isinstance(node, (ast.Break, ast.Continue)) for node in ast.walk(block[at])):
        raise NothingToChange
    loop = site.statement(REPEATS)
    loop.body, block[at] = [block[at]], loop


@mutation
def handled(site: Site) -> None:
    block, at = site.place()
    handler = ast.ExceptHandler(ast.Name(site.any_of(HANDLED), ast.Load()), None, [site.statement(HANDLERS)])
    block[at] = ast.Try([block[at]], [handler], [], [])


@mutation
def out_of_a_loop(site: Site) -> None:
    body = site.node(ast.For, ast.While).body
    exit_ = ast.If(site.expression(CONDITIONS), [site.any_of((ast.Break(), ast.Continue()))], [])
    body.insert(site.rng.randrange(len(body) + 1), exit_)


@mutation
def the_other_side(site: Site) -> None:
    node = site.node(ast.If, ast.IfExp)
    node.body, node.orelse = (node.orelse or [ast.Pass()]), node.body


@mutation
def another_value(site: Site) -> None:
    node = site.node(ast.Assign)
    node.value = site.expression(VALUES, node.value)


@mutation
def written_after_it_is_bound(site: Site) -> None:
    node = site.node(ast.Assign, where=lambda node: isinstance(node.targets[0], ast.Name))
    block, at = site.after(node)
    block.insert(at, site.statement(AFTER_BINDING, node.targets[0].id))


@mutation
def bound_and_not_in_place(site: Site) -> None:
    node = site.node(ast.AugAssign, where=lambda node: isinstance(node.target, ast.Name))
    block, at = site.after(node)
    block[at - 1] = ast.Assign([node.target], ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value))


@mutation
def something_at_first(site: Site) -> None:
    site.function.body.insert(0, site.statement(AT_FIRST))


@mutation
def another_result(site: Site) -> None:
    node = site.node(ast.Return, where=lambda node: node.value is not None)
    node.value = site.expression(RESULTS, node.value)


@mutation
def a_further_result(site: Site) -> None:
    node = site.node(ast.Return, where=lambda node: node.value is not None)
    node.value = ast.Tuple([node.value, ast.Name(site.any_of(site.locals), ast.Load())], ast.Load())


def mutated(source: str, rng: random.Random) -> str:
    """The source of a function after one to three mutations. Its decorators are gone.

    Raises ``NothingToChange``.
    """
    tree = ast.parse(source)
    function = tree.body[0]
    if not isinstance(function, ast.FunctionDef):
        raise NothingToChange
    function.decorator_list = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        _mutate(Site(function, rng))
    return ast.unparse(ast.fix_missing_locations(tree))


def _mutate(site: Site) -> None:
    for name in site.rng.sample(sorted(MUTATIONS), len(MUTATIONS)):
        with contextlib.suppress(NothingToChange):
            return MUTATIONS[name](site)
    raise NothingToChange
