"""Passes over programs: each changes a program's graph in place and keeps its signature consistent.
:func:`simplify` runs them all.

Laws: what the program computes, raises and returns is unchanged; arrays that leave the program stay
separate arrays.
"""

from __future__ import annotations

from npexport.ir.passes.cse import common_subexpressions
from npexport.ir.passes.dead_code import dead_code
from npexport.ir.passes.dead_stores import skip_overwritten
from npexport.ir.passes.folding import fold_constants, foldable
from npexport.ir.program import ExportedProgram

__all__ = ["common_subexpressions", "dead_code", "fold_constants", "simplify", "skip_overwritten"]


def simplify(program: ExportedProgram, state: frozenset[str] = frozenset()) -> None:
    """Fold constants but those of these dotted paths, and share and drop what that makes equal or
    useless.

    Where nothing can be folded nothing is done: a recorded graph has no equal subexpressions and no
    dead code.
    """
    if foldable(program, state):
        common_subexpressions(program)
        fold_constants(program, state)
        dead_code(program)
