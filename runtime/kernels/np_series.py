"""Kernels of NumPy's polynomials."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.declared import uncaught


def call(operands: Any, module: str, name: str, *parameters: Any) -> Any:
    """``np.polynomial.<module>.<name>``, or of the module "numpy" a function of NumPy's own."""
    function = getattr(np if module == "numpy" else getattr(np.polynomial, module), name)
    result = function(*operands, *parameters)
    if name == "roots" and operands[0].dtype.kind == "c" and result.dtype.kind != "c":
        text = "the data do not fit the program: of coefficients that are zero but one, np.roots gives none, as float64"
        raise uncaught(ValueError(text))
    return result
