"""Hints that fit the user's statement: what to write instead depends on what the line does with the
data.

The statement is found in the source by the span of the error. Where the source is not available,
the code's own hint is used.
"""

from __future__ import annotations

import ast
import functools
import linecache
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from npexport.runtime.origins import GENERATED
from npexport.symshapes.codes import CODES
from npexport.symshapes.errors import ExportError, Location, blamed


class Use(NamedTuple):
    """A node of the syntax tree around the value, and the child of it that holds the span (the node
    itself, where it is the span).
    """

    node: Any
    child: Any


class Row(NamedTuple):
    """The hint for errors of ``codes`` in a node of class ``kind`` for which ``fits`` holds. What a
    call calls is put where `_CALLED` stands in it.
    """

    codes: frozenset[str]
    kind: type[ast.AST] | tuple[type[ast.AST], ...]
    fits: Callable[[Use], bool]
    hint: str


_CALLED = "CALLED"
"""Stands in a hint for the function that the statement calls, as the user writes it."""
_WITHIN = (
    "A program that another one calls is traced as the code that runs it. Call the original function there, or export the module by "
    "itself: npexport.export(program.module(), args)."
)


IN_C = "is implemented in C and needs"
"""Stands in messages about functions of C that need a value."""
KNOWN_ON_ONE_SIDE = "is known on one side of a branch or in an iteration of a loop alone"
"""Stands in messages about sizes that are needed elsewhere, too."""
RECURS = "a function around it calls itself as deep as data say"
"""Stands in messages about recursions."""
_VALUE_FOR_C = (
    f"Return what {_CALLED} is given, and call it where the program is called; or, if it gives arrays or numbers, make the call one "
    "operator: npexport.opaque(function, fake)."
)
_RECURSION = (
    "Let the function call itself outside of `for`, `while` and `try`, with numbers, arrays of one shape and lists of numbers: the "
    "data then decide how deep it goes. Or write a loop over a list of what is left to do: `todo = [first]`, and "
    "`while todo: each = todo.pop()`, which appends to it what the function would call itself for."
)
_ONE_SIZE = (
    "Give arrays one size in every iteration and on both sides, np.bincount(x, minlength=n)[:n], np.where(mask, x, 0) in place of x[mask]; "
    "or fill an array that is made before."
)
_TYPES_OF_RESULTS = "Say the dtypes of the results, np.vectorize(function, otypes=[float]): NumPy asks them of the first one otherwise."
_IN_NUMPY = [("_get_ufunc_and_otypes", "E", _TYPES_OF_RESULTS), ("_vectorize_call", "E114", _TYPES_OF_RESULTS)]
"""Hints for functions of NumPy's Python that refuse, by how the code begins."""
_MANY = 10
"""How often a line stands in the stack of a recursion that data end."""


def fit(error: ExportError) -> None:
    """Give an error without a hint of its own the hint for the statement that it blames."""
    if error.location is not None and error.location.file.startswith(GENERATED):
        error.hint = _WITHIN
    for function, code, hint in _IN_NUMPY if error.user_stack else ():
        if error.user_stack[-1].function == function and error.code.startswith(code):
            error.hint = hint
    if error.location is None or error.hint != CODES[error.code].hint:
        return
    if error.code in _BRANCH and (_recurs(error.user_stack) or RECURS in error.message):
        error.hint = _RECURSION
        return
    uses, one_sided = [*_uses(error.location)], KNOWN_ON_ONE_SIDE in error.message
    for use in uses:
        for row in (_PARTS,) if one_sided else ROWS:
            if error.code in row.codes and isinstance(use.node, row.kind) and row.fits(use):
                error.hint = row.hint.replace(_CALLED, _function([use]))
                return
    if one_sided:
        error.hint = _ONE_SIZE
    if IN_C in error.message:
        error.hint = _VALUE_FOR_C.replace(_CALLED, _function(uses) or "the function")


def _function(uses: list[Use]) -> str:
    """What the innermost call calls, as the user writes it; empty where there is no call."""
    return next((ast.unparse(use.node.func) for use in uses if isinstance(use.node, ast.Call)), "")


def _recurs(stack: tuple[Location, ...]) -> bool:
    """Whether a function calls itself again and again."""
    places = Counter((place.file, place.line, place.column) for place in stack)
    return max(places.values(), default=0) > _MANY


_LONGEST = 40
"""The longest expression, in characters, that is quoted in a hint."""


def expression(stack: tuple[Location, ...], item: Any = None) -> str | None:
    """The user's text for the value of the expression at the end of the stack, or for an item of
    it: the variable that it is assigned to, or the expression itself; ``None`` if that is in other
    people's code, or too long.
    """
    if not stack or blamed(stack) is not stack[-1]:
        return None
    place, uses = stack[-1], _uses(stack[-1])
    value = next((use.node for use in uses if isinstance(use.node, ast.expr)), None)
    if value is None or not value.lineno == value.end_lineno == place.line:
        return None
    if place.source.encode()[value.col_offset : value.end_col_offset].decode() != place.source[place.column : place.end_column]:
        return None  # a part of it
    around = next(uses, None)
    target = _target(around)
    if item is not None:
        if around is not None and isinstance(around.node, ast.Subscript) and getattr(around.node.slice, "value", None) == item:
            target = _target(next(uses, None))
        else:
            target = target.elts[item] if isinstance(target, ast.Tuple) and item < len(target.elts) else None
        value = ast.Subscript(value, ast.Constant(item))
    if isinstance(target, ast.Name):
        return target.id
    text = ast.unparse(value)
    primary = isinstance(value, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
    return None if len(text) > _LONGEST else text if primary else f"({text})"


def _target(use: Use | None) -> ast.expr | None:
    """The target of an assignment."""
    return use.node.targets[-1] if use is not None and isinstance(use.node, ast.Assign) and use.child is use.node.value else None


@functools.lru_cache(maxsize=2)
def _parsed(source: str) -> ast.AST | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return None


def _uses(place: Location) -> Iterator[Use]:
    """The nodes around the span, innermost first, up to the function that contains them."""
    tree = _parsed("".join(linecache.getlines(place.file)))
    if tree is None:
        return
    path = [tree]
    while True:
        inside = [child for child in ast.iter_child_nodes(path[-1]) if _holds(child, place)]
        if not inside:
            break
        path.append(inside[0])
    for node, child in zip(reversed(path), reversed([*path[1:], path[-1]]), strict=True):
        yield Use(node, child)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return


def _holds(node: Any, place: Location) -> bool:
    """Whether the span of the error is inside the node, or its parts if it has no span."""
    if isinstance(node, (ast.comprehension, ast.match_case, ast.withitem)):
        return any(_holds(child, place) for child in ast.iter_child_nodes(node))
    if not hasattr(node, "lineno"):
        return False
    start, stop = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    if place.column is None or place.end_column is None:
        return bool(start[0] <= place.line <= stop[0])
    column = len(place.source[: place.column].encode())
    return start <= (place.line, column) and (place.line, column) < stop and not _ends_before(stop, place)


def _ends_before(stop: tuple[int, int], place: Location) -> bool:
    end_line = place.line if place.end_line is None else place.end_line
    end = len(place.source[: place.end_column].encode()) if end_line == place.line else place.end_column
    return stop < (end_line, end)


# What the rows ask


def _always(use: Use) -> bool:
    return True


def _in_test(use: Use) -> bool:
    return use.child is getattr(use.node, "test", None)


def _in_iterable(use: Use) -> bool:
    """The bytecode of a loop that takes the next item may have the span of the whole loop."""
    return use.child in (use.node, use.node.iter)


def _in_range(use: Use) -> bool:
    """Whether the loop itself iterates over ``range(...)``."""
    return _in_iterable(use) and any(_calls("range")(Use(part, part)) for part in ast.walk(use.node.iter))


def _in_filter(use: Use) -> bool:
    return use.child in getattr(use.node, "ifs", ())


def _grows(use: Use) -> bool:
    """Whether the chosen branch adds to a container."""
    adding = ("append", "add", "extend", "insert", "appendleft")
    calls = (node.func for part in use.node.body for node in ast.walk(part) if isinstance(node, ast.Call))
    return _in_test(use) and any(isinstance(func, ast.Attribute) and func.attr in adding for func in calls)


def _leaves(*kinds: type[ast.stmt]) -> Callable[[Use], bool]:
    """Whether a side of the branch ends in a statement of these kinds."""
    return lambda use: _in_test(use) and any(side and isinstance(side[-1], kinds) for side in (use.node.body, use.node.orelse))


def _calls(*names: str) -> Callable[[Use], bool]:
    """Whether the node is a call of one of these names, with the span as argument or itself."""
    return lambda use: isinstance(use.node, ast.Call) and isinstance(use.node.func, ast.Name) and use.node.func.id in names


def _calls_ending(*names: str) -> Callable[[Use], bool]:
    """Whether the node is a call of one of these names, of whatever module or object."""
    return lambda use: (
        isinstance(use.node, ast.Call)
        and (use.node.func.attr if isinstance(use.node.func, ast.Attribute) else getattr(use.node.func, "id", None)) in names
    )


def _has_call(name: str) -> Callable[[Use], bool]:
    """Whether a call of this name stands in the node."""
    return lambda use: any(_calls_ending(name)(Use(part, part)) for part in ast.walk(use.node))


def _is_chain(use: Use) -> bool:
    return isinstance(use.node, ast.Compare) and len(use.node.ops) > 1


_BRANCH = frozenset({"E103"})
_VALUE = frozenset({"E104"})
_BOTH = _BRANCH | _VALUE
_CALLS = (ast.Call,)
_FILES = frozenset({"E105"})

_BOUND = "Loop to a bound that is known and mask the iterations beyond: `for i in range(bound): y = np.where(i < n, step(y, i), y)`."

_PARTS = Row(
    _BOTH,
    _CALLS,
    lambda use: _calls_ending("split", "array_split")(use) and len(use.node.args) > 1,  # not text.split()
    "Take the parts one by one: `bounds = np.r_[0, places, len(x)]`, and x[i:j] `for i, j in zip(bounds[:-1], bounds[1:])`; "
    "np.add.reduceat(x, starts) adds up all of them at once.",
)
ROWS = (
    Row(
        _FILES,
        _CALLS,
        _calls_ending("genfromtxt", "loadtxt", "load", "fromfile", "fromregex", "memmap", "read_csv", "imread", "loadmat"),
        f"Read the file before exporting, and pass the array: `data = {_CALLED}(path)`, then export(f, (x, data)) of `def f(x, data)`. "
        "A table that never changes may be a global or an attribute: the program then holds it.",
    ),
    Row(
        _FILES,
        _CALLS,
        _calls_ending("fromstring", "frombuffer"),
        f"Make the array before exporting, and pass it: `data = {_CALLED}(raw)`, then export(f, (x, data)) of `def f(x, data)`.",
    ),
    Row(
        _FILES,
        _CALLS,
        _calls_ending(
            "save", "savez", "savez_compressed", "savetxt", "tofile", "dump", "to_csv", "imsave", "savemat", "write", "write_text"
        ),
        "Return what is written as one more output, and write it where the program is called: `y = run(x)`, then np.save(path, y).",
    ),
    Row(
        _FILES,
        _CALLS,
        _calls_ending("open", "read_text", "read_bytes"),
        "Read the file before exporting, and pass what it holds as an argument; write files where the program is called.",
    ),
    Row(
        frozenset({"E122"}),
        (ast.Call, ast.Return, ast.Assign),
        _has_call("frompyfunc"),
        "Use np.vectorize(function), whose results are arrays of numbers: np.frompyfunc gives arrays of Python objects.",
    ),
    Row(_BOTH, ast.Assert, _in_test, "Write npexport.check(condition, message): the program checks it when it runs."),
    Row(
        _BOTH,
        ast.While,
        _in_test,
        "Write npexport.while_loop(condition, step, (x,)): the data then decide how many iterations there are, when the program runs.",
    ),
    Row(_BOTH, _CALLS, _calls("range"), _BOUND),
    Row(_BOTH, (ast.For, ast.comprehension), _in_range, _BOUND),
    Row(_BOTH, _CALLS, _calls("min"), "Use np.minimum(a, b), or np.min of one array: the data then chooses when the program runs."),
    Row(_BOTH, _CALLS, _calls("max"), "Use np.maximum(a, b), or np.max of one array: the data then chooses when the program runs."),
    Row(_BOTH, _CALLS, _calls("sorted"), "Use np.sort, or x[np.argsort(keys)]: the data then chooses the order when the program runs."),
    Row(_BOTH, _CALLS, _calls("any", "all"), "Use np.any or np.all: the truth stays an array, to be used with np.where."),
    _PARTS,
    Row(
        _BOTH,
        _CALLS,
        _calls("print", "str", "repr", "format"),
        "Return the value as one more output, and make text of it where the program is called.",
    ),
    Row(_BOTH, ast.JoinedStr, _always, "Return the value as one more output, and make text of it where the program is called."),
    Row(
        _BRANCH,
        (ast.comprehension,),
        _in_filter,
        "Select with a mask in place of `if`: `x[mask]` keeps what is wanted, np.where(mask, a, b) keeps the length.",
    ),
    Row(_BRANCH, ast.BoolOp, _always, "Use & and | (np.logical_and, np.logical_or) in place of `and` and `or`: they keep arrays."),
    Row(_BRANCH, ast.UnaryOp, lambda use: isinstance(use.node.op, ast.Not), "Use ~ (np.logical_not) in place of `not`: it keeps an array."),
    Row(_BRANCH, ast.Compare, _is_chain, "Write the chain as (low < x) & (x < high): `and` between its links needs a truth."),
    Row(
        _BRANCH,
        ast.If,
        _leaves(ast.Raise),
        "Write npexport.check(condition, message) in place of the branch that raises: the program checks it when it runs.",
    ),
    Row(
        _BRANCH,
        (ast.If, ast.For),
        _grows,
        "Collect with a mask in place of append: x[mask], or np.nonzero(mask) for the positions, give all of them at once.",
    ),
    Row(
        _BRANCH,
        ast.If,
        _leaves(ast.Break, ast.Continue),
        "Let the iteration run for all data and keep what is valid: `done = done | condition; x = np.where(done, x, new)`.",
    ),
    Row(
        _BRANCH,
        ast.If,
        _leaves(ast.Return),
        "Return np.where(condition, early, late), which computes both, or npexport.cond(condition, early, late, (x,)) of two functions.",
    ),
    Row(
        _BOTH,
        ast.Match,
        lambda use: use.child is use.node.subject or isinstance(use.child, ast.match_case),
        "Choose by np.select([x == 0, x == 1], [a, b], default): a match statement needs the value.",
    ),
    Row(
        _BOTH,
        (ast.For, ast.comprehension),
        _in_iterable,
        "Loop over a number of rows that is known, or compute on the whole array at once.",
    ),
    Row(
        _VALUE,
        ast.Subscript,
        lambda use: use.child in (use.node, use.node.slice) and isinstance(use.node.ctx, ast.Load),
        "Keep the index an array: x[i] and np.take(x, i, axis) read at positions that only the data know. "
        "For a dict, compare with its keys: np.select([key == 1.0, key == 3.0], [a, b]).",
    ),
    Row(
        _VALUE,
        ast.Subscript,
        lambda use: use.child in (use.node, use.node.slice) and isinstance(use.node.ctx, (ast.Store, ast.Del)),
        "Keep keys and values in arrays of their own, or use numbers or tuples of numbers: a dict takes no other keys that depend on data.",
    ),
    Row(_VALUE, ast.Dict, _always, "Use keys that are known, numbers, or tuples of numbers: a dict takes no others that depend on data."),
)
