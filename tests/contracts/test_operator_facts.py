"""Facts about operators stand in their records: no table is keyed by them, and what compares with one is listed here with a reason."""

import ast
import importlib
import inspect

from npexport.ir import ops
from npexport.ir.op import Op
from npexport.ir.ops import rules
from tests.support.paths import ROOT
from tests.support.sources import SOURCES, modules_of, name_of, nodes_of

OPS = ROOT / "ir" / "ops"
CONTAINERS = (dict, set, frozenset, tuple, list)

COMPARED = {
    "ir/invariants.py": (1, "an iteration is made where its loop goes on"),
    "ir/laws.py": (2, "a side of a branch runs where its condition says so, and what is behind a check where that holds"),
    "ir/module_calls.py": (1, "a call of a sub-module ends there"),
    "ir/passes/dead_stores.py": (1, "the pass is about writes by index"),
    "ir/stated.py": (1, "checks state what they hold"),
    "runtime/emission/attempted.py": (2, "an attempt keeps its result for the call that follows it in the branches of a `cond`"),
    "runtime/memory/borrowing.py": (1, "what is chosen by a condition is not needed where the same condition is otherwise"),
    "runtime/loops/counted_loops.py": (2, "the comparison that asks for another iteration; what a loop goes over is read by an index"),
    "runtime/emission/emit.py": (2, "a trapped call is written as the call of its operator within `np.errstate`"),
    "runtime/loops/endings.py": (1, "NumPy's truth, which Python's `if` asks for itself"),
    "runtime/blocks/expression_calls.py": (1, "a choice by a condition is not a ufunc: runs have a loop of their own for it"),
    "runtime/compilation/fast_math.py": (6, "other formulas take the place of patterns of operators"),
    "runtime/modules/module_graphs.py": (
        2,
        "results of sub-modules are called by their paths alone, so that calls are alike; sizes are arguments'",
    ),
    "runtime/blocks/fusion.py": (1, "casts are members of groups"),
    "runtime/blocks/fusion_body.py": (3, "casts are written as copies; fast mathematics takes short sums as products"),
    "runtime/memory/inherited_memory.py": (3, "sub-graphs and their results are told apart by what takes them"),
    "runtime/loops/next_tests.py": (1, "the comparison that asks for another iteration"),
    "runtime/compilation/node_statements.py": (1, "the results of `while_loop` are variables where it is compiled to a loop"),
    "runtime/emission/number_lists.py": (1, "integers as an index say which element is taken"),
    "runtime/lists/number_texts.py": (1, "products of integers may have a factor in common"),
    "runtime/machine/scalar_loop_code.py": (6, "what an iteration over numbers is made of becomes statements of a machine-code loop"),
    "runtime/memory/view_writes.py": (
        3,
        "the tracer puts results in C order by `flatten` and `reshape`, parts back by `set_part`, `set_field`",
    ),
    "tracer/arrays/api/operators.py": (1, "`x ** 2` is NumPy's own special case of Python's operator"),
    "tracer/arrays/core/recorder.py": (2, "checks and trapped calls are nodes of the recorder's own making"),
    "tracer/arrays/core/rebuilt_views.py": (1, "views by place may look where an array of another size ends"),
    "tracer/arrays/core/writes.py": (1, "`x[i] += y` writes a view that it has just taken"),
    "tracer/arrays/memory/layout.py": (1, "stand-ins are smaller than the places in an index"),
    "tracer/arrays/memory/layout_inference.py": (1, "stand-ins are smaller than the places in an index"),
    "tracer/driver/decompose.py": (1, "a check that says that the decomposition is not written for a size"),
    "tracer/driver/determinism.py": (2, "copies and whole writes put the same elements into other memory"),
    "tracer/driver/session.py": (
        4,
        "checks are named by their lines, and raise what they say; an item is named by its place; an integer is made of data",
    ),
    "tracer/control/joins.py": (1, "a transposed view has all elements of its memory, whatever the sizes are"),
    "tracer/arrays/core/new_numbers.py": (3, "which numbers are objects of their own is said by what makes them"),
}
"""File -> how many comparisons with an operator, and why."""


def is_keyed_by_operators(value, names):
    keys = list(value)
    if any(isinstance(key, Op) for key in keys):
        return True
    texts = [text for key in keys for text in ((key[0], ".".join(map(str, key[:2]))) if isinstance(key, tuple) and key else (key,))]
    return any(type(text) is str and text in names for text in texts)


def test_a_table_keyed_by_an_operators_name_is_found():
    names = {"np.add"}
    assert all(is_keyed_by_operators(table, names) for table in ({ops.np.add: 1}, {"np.add": 1}, {("np", "add"): 1}, [("np.add", 1)]))
    assert not is_keyed_by_operators({"+": 1, ("+", 2): 1}, names)


def found_tables():
    names = {f"{op.namespace}.{op.name}" for op in ops.REGISTRY}
    modules_of_records = [importlib.import_module(f"npexport.ir.ops.{name}") for name in ops.RECORD_MODULES]
    records = {id(value) for module in modules_of_records for value in vars(module).values()}
    declaring = {module.__name__ for module in modules_of_records}
    outside = [module for module in modules_of(("ir", "runtime", "tracer")) if module.__name__ not in declaring]
    for module in outside:
        for name, value in vars(module).items():
            if type(value) in CONTAINERS and id(value) not in records and is_keyed_by_operators(value, names):
                yield f"{module.__name__}.{name}"


def test_no_table_outside_the_records_is_keyed_by_operators():
    assert sorted(set(found_tables())) == []


def _names_operator(node):
    """``ops.np.add``, alone or in a display, or the bare name of an operator; ``ops.fused`` is an attribute of operations of bytecode."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(map(_names_operator, node.elts))
    text = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
    return (text.startswith("ops.") and text.count(".") > 1) or text.endswith(("op.name", "target.name"))


def _compared(node):
    """What is compared, or looked up in a table."""
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
        return node.args[:1]
    return [node.slice] if isinstance(node, ast.Subscript) else []


def found_comparisons():
    counts = {}
    for name, path in {name_of(path): path for path in SOURCES}.items():
        if name.startswith(("ir/", "runtime/", "tracer/")) and path.parent != OPS:
            for node in nodes_of(path):
                if any(map(_names_operator, _compared(node))):
                    counts[name] = counts.get(name, 0) + 1
    return counts


def test_few_places_compare_with_an_operator():
    assert found_comparisons() == {name: count for name, (count, reason) in COMPARED.items()}


def test_operators_are_declared_in_one_way():
    """``record`` makes all of them, and ``raises=`` is no default: whoever declares one states what data make it raise."""
    makers = []
    for path in sorted(OPS.rglob("*.py")):
        for node in nodes_of(path):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Op", "REGISTRY.register"):
                makers.append((path.name, ast.unparse(node.func)))
    assert sorted(makers) == [("rules.py", "Op"), ("rules.py", "REGISTRY.register")]
    assert inspect.signature(rules.record).parameters["raises"].default is inspect.Parameter.empty
    assert [op for op in ops.REGISTRY if op.raises is None and not op.home] == []
