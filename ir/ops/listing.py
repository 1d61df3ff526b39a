"""The page ``docs/operators.md``: every operator with its schema, traits and what it does, from the
records.

``python -m npexport.ir.ops.listing > docs/operators.md`` writes it anew.
"""

from __future__ import annotations

from npexport.ir.op import TRAITS, Op
from npexport.ir.ops import REGISTRY

NAMESPACES = {
    "np": "NumPy's functions with NumPy's semantics: dtypes, shapes, scalars and errors are its own.",
    "nn": "Neural-network operators.",
    "sym": "Sizes of arrays and arithmetic on them.",
    "random": "Draws of random numbers.",
    "py": "Python's own operations on numbers that only the data know.",
    "control": "What a program checks when it runs, what it raises and warns of then, and branches and loops over sub-graphs.",
}
_HEAD = """# Operators

Generated from the records in `ir/ops`; write it anew with `python -m npexport.ir.ops.listing > docs/operators.md`.

A node of a graph calls one operator with arguments in the order of its schema. An operator marked *core* has no decomposition.
Traits: {traits}.
"""


def _row(op: Op) -> str:
    summary, _, rest = op.doc.partition("\n\n")
    page = rest.strip().splitlines()[-1] if rest.strip().startswith("http") else ""
    schema = op.schema.partition(".")[2].replace("|", "\\|")
    words = " ".join([*sorted(op.traits), *(["core"] if op.is_core else [])])
    text = " ".join(summary.split()).replace("|", "\\|").replace("``", "`")
    return f"| `{schema}` | {text}{f' [NumPy]({page})' if page else ''} | {words} |"


def listing() -> str:
    """The text of the page."""
    parts = [_HEAD.format(traits=", ".join(f"`{trait}`" for trait in sorted(TRAITS)))]
    known = list(NAMESPACES)
    own = [op for op in REGISTRY if not op.home]
    names = sorted({op.namespace for op in own}, key=lambda name: (known.index(name) if name in known else len(known), name))
    for namespace in names:
        ops = sorted((op for op in own if op.namespace == namespace), key=lambda op: op.name)
        parts.append(f"## ops.{namespace}\n\n{NAMESPACES.get(namespace, '')} {len(ops)} operators.\n")
        parts.append("| operator | what it does | traits |\n| --- | --- | --- |")
        parts.append("\n".join(map(_row, ops)) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    print(listing(), end="")
