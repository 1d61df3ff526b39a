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

`ep.run_decompositions()` reduces a program to the {count} operators of `np` and `nn` that have no decomposition,
`core_operators()`. Operators of other namespaces (`sym`, `control`, `random`, those of libraries and your own)
count as core. [Decompositions](how-to/decompositions.md) shows how to choose others.
"""

_COMPOSITE = """## Composite operators

The second column says how exact a decomposition is. *Exact* means equal to the last bit, with two exceptions: the sign
of a zero that comes from comparing or multiplying zeros, and complex numbers that are not finite. Otherwise the text
says how the rounding of finite numbers differs; intermediate results do not overflow. Every decomposition is compared
with its operator on samples with static and with dynamic sizes. A call that a decomposition does not cover stays.
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
