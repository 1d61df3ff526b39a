"""Random integer programs and expressions over sizes, for the property tests of ``symshapes``.

A random expression is a nested tuple, computed in two ways: by Python on integers and by ``npexport`` on symbols.
"""

from __future__ import annotations

import math
import operator
import random

from npexport.symshapes import expr as E
from npexport.symshapes.constructors import maximum, minimum

NAMES = ("s0", "s1", "s2")
BINARY = {
    "+": (operator.add, operator.add),
    "-": (operator.sub, operator.sub),
    "*": (operator.mul, operator.mul),
    "//": (operator.floordiv, E.floordiv),
    "%": (operator.mod, E.mod),
    "min": (min, minimum),
    "max": (max, maximum),
}
COMPARE = {
    "<": (operator.lt, operator.lt),
    "<=": (operator.le, operator.le),
    ">": (operator.gt, operator.gt),
    ">=": (operator.ge, operator.ge),
    "==": (operator.eq, E.eq),
    "!=": (operator.ne, E.ne),
}


def random_tree(rng: random.Random, depth: int, names=NAMES):
    if depth == 0 or rng.random() < 0.15:
        return rng.choice([*names, *names, rng.randint(-3, 9)])
    op = rng.choice(list(BINARY))
    left = random_tree(rng, depth - 1, names)
    if op in ("//", "%"):
        return op, left, rng.choice([1, 2, 2, 3, 4, 5, 8, -2, -3])
    if op == "*" and rng.random() < 0.7:
        return op, left, rng.choice([-2, -1, 2, 3, 4])
    return op, left, random_tree(rng, depth - 1, names)


def random_truth(rng: random.Random, depth: int, names=NAMES):
    if depth and rng.random() < 0.25:
        return rng.choice(["and", "or", "not"]), random_truth(rng, depth - 1, names), random_truth(rng, depth - 1, names)
    return rng.choice(list(COMPARE)), random_tree(rng, depth, names), random_tree(rng, max(depth - 1, 0), names)


def concrete(tree, numbers):
    """What Python computes."""
    if isinstance(tree, int):
        return tree
    if isinstance(tree, str):
        return numbers[tree]
    op, a, b = tree
    if op in ("and", "or", "not"):
        left, right = concrete(a, numbers), concrete(b, numbers)
        return left and right if op == "and" else left or right if op == "or" else not left
    return {**BINARY, **COMPARE}[op][0](concrete(a, numbers), concrete(b, numbers))


def symbolic(tree):
    """The same as an expression or truth."""
    if isinstance(tree, int):
        return E.integer(tree)
    if isinstance(tree, str):
        return E.symbol(tree)
    op, a, b = tree
    if op in ("and", "or", "not"):
        left, right = symbolic(a), symbolic(b)
        return left & right if op == "and" else left | right if op == "or" else ~left
    return {**BINARY, **COMPARE}[op][1](symbolic(a), symbolic(b))


def to_z3(value, z3):
    """An expression or truth as z3's, for checking decisions."""
    from npexport.symshapes.rewrite import fold

    def floordiv(a, b):  # z3's division rounds so that the remainder is not negative; divisors here are positive constants
        return a / b

    operators = {
        "add": operator.add, "sub": operator.sub, "neg": operator.neg, "mul": operator.mul, "floordiv": floordiv, "mod": operator.mod,
        "min": lambda *a: _extremum(z3, operator.le, a), "max": lambda *a: _extremum(z3, operator.ge, a),
        "ge": lambda a: a >= 0, "eq": lambda a: a == 0, "ne": lambda a: a != 0, "and": z3.And, "or": z3.Or, "not": z3.Not,
    }  # fmt: skip
    return fold(value, z3.Int, lambda op, *args: operators[op](*[z3.IntVal(arg) if isinstance(arg, int) else arg for arg in args]))


def _extremum(z3, better, args):
    best = args[0]
    for arg in args[1:]:
        best = z3.If(better(best, arg), best, arg)
    return best


GRID = [0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 31, 64, math.prod((3, 5, 7))]


class Array:
    """An input of these sizes."""

    def __init__(self, *shape: int) -> None:
        self.shape = shape

    def __repr__(self) -> str:
        return f"Array{self.shape}"


def trace(program, spec, inputs, **options):
    """Solve the straight-line ``program`` (a function of the inputs' shapes) under a specification: the bindings and the contract."""
    from npexport.symshapes.binding import bind
    from npexport.symshapes.env import ShapeEnv
    from npexport.symshapes.solver import solve
    from npexport.symshapes.spec import normalize

    env = ShapeEnv()
    bindings = bind(env, normalize(spec, inputs))
    program(*bindings.shapes)
    return bindings, solve(env, bindings, **options)


def accepts(bindings, solution, sizes) -> bool:
    """Whether the contract admits inputs of these sizes (``{"x.shape[0]": 4}``); static sizes are not looked at."""
    from npexport.symshapes.rewrite import evaluate, substitute

    known: dict[str, int] = {}
    pending = [(size.expression, sizes[size.source]) for size in bindings.sizes]
    while pending:
        for item in pending:
            expression, value = substitute(item[0], {name: E.integer(number) for name, number in known.items()}), item[1]
            if expression.is_const:
                if expression.const != value:
                    return False
                break
            if len(expression.terms) == 1 and next(iter(expression.terms)).op == "symbol":
                ((atom, coefficient),) = expression.terms.items()
                known[atom.args[0]], rest = divmod(value - expression.const, coefficient)
                if rest:
                    return False
                break
        pending.remove(item)
    ranges = all(evaluate(expression, known) in interval for expression, interval in solution.range_constraints.items())
    ties = all(evaluate(value, known) == known[name] for name, value in solution.replacements.items())
    return ranges and ties and all(evaluate(guard.truth, known) for guard in solution.guards)


def run_conditions(conditions, names):
    """A program that branches on each condition in turn (trees over the names of its inputs' first sizes)."""

    def program(*shapes):
        numbers = dict(zip(names, (shape[0] for shape in shapes), strict=True))
        for condition in conditions:
            bool(symbolic_run(condition, numbers))

    return program


def symbolic_run(tree, numbers):
    """:func:`concrete` on sizes: ``min`` and ``max`` as the tracer models them, truths as values."""
    from npexport.symshapes.functions import sym_max, sym_min

    if not isinstance(tree, tuple):
        return numbers[tree] if isinstance(tree, str) else tree
    op, a, b = tree
    left, right = symbolic_run(a, numbers), symbolic_run(b, numbers)
    if op in ("and", "or"):
        return (left & right) if op == "and" else (left | right)
    if op == "not":
        return left == False  # noqa: E712 - `not` would branch
    if op in ("min", "max"):
        return sym_min(left, right) if op == "min" else sym_max(left, right)
    return {**BINARY, **COMPARE}[op][0](left, right)
