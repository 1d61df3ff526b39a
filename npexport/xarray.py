"""The names of axes for ``xarray.apply_ufunc``; nothing of xarray is imported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from npexport.ir.independence import named_dims
from npexport.ir.meta import TensorMeta
from npexport.ir.node import Node
from npexport.ir.program import ExportedProgram
from npexport.ir.rows import symbols_of
from npexport.runtime.entry.independence import leaves_of
from npexport.symshapes.errors import UserError, briefly
from npexport.symshapes.parameters import TEXTS, instance, require, takes

__all__ = ["core_dims"]


@briefly
@takes(ep=instance(ExportedProgram))
def core_dims(ep: ExportedProgram, **axes: Sequence[str]) -> dict[str, list[list[str]]]:
    """The ``input_core_dims`` and ``output_core_dims`` with which ``xarray.apply_ufunc`` calls a
    program: every axis is named.

    An axis has the name of its ``Dim``. All others are named after their array, ``x_1`` for axis 1
    of ``x``, unless they are given.

    Parameters
    ----------
    ep : ExportedProgram
        The program.
    **axes
        By the name of an input, or ``result``, ``result_0``, … for the results: the names of all
        its axes.

    Returns
    -------
    dict of str to list
        The names for each array among the inputs, and for each result.

    Raises
    ------
    UserError
        There is no such array, or it has another number of axes (E201).

    Examples
    --------
    >>> import numpy as np, npexport, npexport.xarray
    >>> shapes = {0: npexport.Dim("rows")}, None
    >>> args = np.ones((4, 3)), np.ones((3, 2))
    >>> program = npexport.export(lambda x, w: x @ w, args, dynamic_shapes=shapes)
    >>> named = npexport.xarray.core_dims(program, w=("feature", "score"), x=("rows", "feature"))
    >>> named["input_core_dims"], named["output_core_dims"]
    ([['rows', 'feature'], ['feature', 'score']], [['rows', 'result_1']])
    """
    inputs = [(leaf.path, leaf.node.meta["val"]) for leaf in leaves_of(ep) if isinstance(leaf.node.meta["val"], TensorMeta)]
    values = ep.graph.output_node.args[0]
    results = values[len(values) - ep.call_spec.out_spec.num_leaves :]
    names = ["result"] if len(results) == 1 else [f"result_{i}" for i in range(len(results))]
    outputs = [(name, value.meta["val"]) for name, value in zip(names, results, strict=True) if type(value) is Node]
    unknown = axes.keys() - {name for name, _ in [*inputs, *outputs]}
    if unknown:
        raise UserError(
            "E201", f"the program has no array {sorted(unknown)[0]!r}: it has {', '.join(name for name, _ in [*inputs, *outputs])}"
        )
    dims = {symbol: dim for dim, symbol in named_dims(ep).items()}
    named = [[_named(name, meta, axes.get(name), dims) for name, meta in group] for group in (inputs, outputs)]
    return {"input_core_dims": named[0], "output_core_dims": named[1]}


def _named(name: str, meta: Any, given: Sequence[str] | None, dims: dict[str, str]) -> list[str]:
    shape = meta.shape if isinstance(meta, TensorMeta) else ()
    if given is not None:
        require(name, given, TEXTS._replace(hint=None))
        if len(given) != len(shape):
            raise UserError("E201", f"{name} has {len(shape)} axes, {len(given)} names are given")
        return list(given)
    return [_of_axis(size, dims) or f"{name}_{axis}" for axis, size in enumerate(shape)]


def _of_axis(size: Any, dims: dict[str, str]) -> str | None:
    symbols = symbols_of(size)
    symbol = next(iter(symbols), "")
    return dims.get(symbol) if len(symbols) == 1 and str(size.expression) == symbol else None
