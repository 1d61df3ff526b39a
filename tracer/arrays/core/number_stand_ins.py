"""Numbers that are not scalars of NumPy, and become one beside what is NumPy's: each class says by
``operand``, ``beside``, ``place`` and ``element`` which.
"""

from __future__ import annotations

from npexport.tracer.arrays.core.complexes import Complex
from npexport.tracer.arrays.core.mixed import Mixed

NUMBERS: frozenset[type] = frozenset({Mixed, Complex})
