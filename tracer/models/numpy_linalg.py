"""Functions of C beneath ``numpy.linalg`` and ``numpy.fft`` that its Python calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

CALLS: dict[Any, Callable[..., Any]] = {}
