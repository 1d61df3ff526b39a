"""Type names for kernels and layers.

Sizes are ints to users; while tracing they may be symbols, which are used like ints.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Sizes: TypeAlias = int | Sequence[int]
"""One size for all axes, or one per axis."""
DTypeLike: TypeAlias = np.dtype[Any] | type[Any] | str
