"""Numbers that are not NumPy scalars but become one beside NumPy's operands: each class defines by
``operand``, ``beside``, ``place`` and ``element`` which.
"""

from __future__ import annotations

from npexport.tracer.arrays.core.complexes import Complex
from npexport.tracer.arrays.core.mixed import Mixed

NUMBERS: frozenset[type] = frozenset({Mixed, Complex})
