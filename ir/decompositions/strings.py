"""Functions of strings in terms of others."""

from __future__ import annotations

from typing import Any

from npexport.ir import ops
from npexport.ir.decompositions import register_decomposition


@register_decomposition("np.str_strip_whitespace")
def str_strip_whitespace(x: Any, /) -> Any:
    """Exact: one side, then the other."""
    return ops.np.str_rstrip_whitespace(ops.np.str_lstrip_whitespace(x))


@register_decomposition("np.str_strip_chars")
def str_strip_chars(x1: Any, x2: Any, /) -> Any:
    """Exact: one side, then the other."""
    return ops.np.str_rstrip_chars(ops.np.str_lstrip_chars(x1, x2), x2)
