"""Functions of strings in terms of others."""

from __future__ import annotations

from typing import Any

import numpy as np

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


@register_decomposition("np.str_isspace")
def str_isspace(x: Any, /) -> Any:
    """Exact: there are characters, and none is left."""
    return (ops.np.str_len(x) > 0) & (ops.np.str_len(ops.np.str_lstrip_whitespace(x)) == 0)


@register_decomposition("np.str_startswith")
def str_startswith(x1: Any, x2: Any, x3: Any, x4: Any, /) -> Any:
    """Exact: it is found first where the search begins."""
    begin = np.where(np.less(x3, 0), np.maximum(np.add(x3, ops.np.str_len(x1)), 0), x3)
    return ops.np.str_find(x1, x2, x3, x4) == begin


@register_decomposition("np.str_endswith")
def str_endswith(x1: Any, x2: Any, x3: Any, x4: Any, /) -> Any:
    """Exact: it is found last where the search ends."""
    size = ops.np.str_len(x1)
    end = np.where(np.less(x4, 0), np.maximum(np.add(x4, size), 0), np.minimum(x4, size)) - ops.np.str_len(x2)
    return (ops.np.str_rfind(x1, x2, x3, x4) == end) & (end >= 0)
