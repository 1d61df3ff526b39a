"""The page ``docs/core-operators.md``: which operators are core and why, and how exact the
decompositions of the others are.

``python -m npexport.ir.decompositions.listing > docs/core-operators.md`` writes it anew.
"""

from __future__ import annotations

from npexport.ir.decompositions import core_operators, default_decompositions
from npexport.ir.decompositions.core import GROUPS
from npexport.ir.op import REGISTRY, Op

_HEAD = """# Core operators

Generated from `ir/decompositions`; write it anew with `python -m npexport.ir.decompositions.listing > docs/core-operators.md`.

`ep.run_decompositions()` brings a program to the {count} operators of `np` and `nn` that have no decomposition,
`core_operators()`. Operators of the other namespaces (`sym`, `control`, `random`, those of libraries and your own)
are core as they are. [Decompositions](how-to/decompositions.md) shows how to choose others.
"""

_COMPOSITE = """## The others

What a decomposition says of its results. *Exact* is equal to the last bit: of two zeros that are compared, or
multiplied, either sign; of complex numbers that are not finite any. Elsewhere the text says how the rounding of finite
numbers differs, none of which overflows on the way. All of them are held to their operators over samples with static and
with dynamic sizes. For operands of which a decomposition says that they stay, the call stays as it is.
"""


def _summary(op: Op) -> str:
    return " ".join(op.doc.partition("\n\n")[0].split()).replace("|", "\\|").replace("``", "`")


def _told(op: Op) -> str:
    function = op.decomposition
    if getattr(function, "__module__", "").startswith("numpy"):
        return "Exact: NumPy's own source."
    return " ".join((function.__doc__ or "").split()).replace("|", "\\|").replace("``", "`")


def listing() -> str:
    """The text of the page."""
    parts = [_HEAD.format(count=len(core_operators()))]
    for title, (reason, names) in GROUPS.items():
        parts.append(f"## {title}\n\nWhy they are core: {reason}.\n")
        rows = [f"| `{name}` | {_summary(op)} |" for name in names.split() if (op := REGISTRY.get(name)) is not None]
        parts.append("| operator | what it does |\n| --- | --- |\n" + "\n".join(rows) + "\n")
    own = sorted((op for op in default_decompositions() if op.namespace in ("np", "nn")), key=str)
    rows = [f"| `{str(op).removeprefix('ops.')}` | {_told(op)} |" for op in own]
    parts.append(_COMPOSITE + "\n| operator | its decomposition |\n| --- | --- |\n" + "\n".join(rows))
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    print(listing(), end="")
