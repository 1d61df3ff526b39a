"""Recurrent layers: one layer in one direction over all steps. Sequences are ``(L, [N,] in)``,
states ``([N,] hidden)``."""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.meta import TensorMeta
from npexport.ir.ops import rows
from npexport.ir.ops.nn_base import floating, operator, optional, show
from npexport.ir.ops.rules import same_sizes
from npexport.ir.raising import NOTHING


def _gates(
    op: str, gates: int, state: TensorMeta, input: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any, bias_hh: Any
) -> tuple[TensorMeta, Any, list[np.dtype[Any]]]:
    """The sequence, the hidden size and all dtypes; raises ``ValueError`` where the operands do not
    fit ``state``."""
    x, w_ih, w_hh = floating(input, op), floating(weight_ih, op, "weight_ih"), floating(weight_hh, op, "weight_hh")
    if x.ndim not in (2, 3):
        raise ValueError(f"{op}: input must have 3 dimensions, or 2 without a batch, got shape {show(x.shape)}")
    if w_ih.ndim != 2 or w_hh.ndim != 2 or w_ih.shape[0] % gates != 0:
        raise ValueError(f"{op}: weights must be ({gates} * hidden, size), got {show(w_ih.shape)} and {show(w_hh.shape)}")
    if w_ih.shape[1] != x.shape[-1]:
        raise ValueError(f"{op}: input must have the last size {w_ih.shape[1]}, got shape {show(x.shape)}")
    height = w_ih.shape[0]
    if not same_sizes(w_hh.shape, (height, state.shape[-1])):
        raise ValueError(f"{op}: weight_hh must have shape {show((height, state.shape[-1]))}, not {show(w_hh.shape)}")
    if not same_sizes(state.shape[:-1], x.shape[1:-1]):
        raise ValueError(f"{op}: a state of shape {show(state.shape)} does not fit input of shape {show(x.shape)}")
    dtypes = [x.dtype, w_ih.dtype, w_hh.dtype, state.dtype]
    dtypes += optional(bias_ih, (height,), op, "bias_ih") + optional(bias_hh, (height,), op, "bias_hh")
    return x, height // gates, dtypes


def _with_outputs(x: TensorMeta, dtypes: list[np.dtype[Any]], *states: TensorMeta) -> tuple[TensorMeta, ...]:
    """All outputs, which are the first state at each step, and the last states."""
    dtype = np.result_type(*dtypes)
    return TensorMeta((x.shape[0], *states[0].shape), dtype), *[TensorMeta(state.shape, dtype) for state in states]


@operator("nn_recurrent.rnn", raises=NOTHING, rows=rows.recurrent)
def rnn(
    input: Any, h: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any = None, bias_hh: Any = None, nonlinearity: str = "tanh"
) -> tuple[TensorMeta, ...]:
    """An Elman layer: ``h = tanh(x @ weight_ih.T + bias_ih + h @ weight_hh.T + bias_hh)``. Gives
    all ``h``, and the last."""
    if nonlinearity not in ("tanh", "relu"):
        raise ValueError(f"rnn: nonlinearity must be 'tanh' or 'relu', not {nonlinearity!r}")
    state = floating(h, "rnn", "h")
    x, _, dtypes = _gates("rnn", 1, state, input, weight_ih, weight_hh, bias_ih, bias_hh)
    return _with_outputs(x, dtypes, state)


@operator("nn_recurrent.gru", raises=NOTHING, rows=rows.recurrent)
def gru(input: Any, h: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any = None, bias_hh: Any = None) -> tuple[TensorMeta, ...]:
    """A layer of gated recurrent units, rows of the weights in the order reset, update, new. Gives
    all ``h``, and the last."""
    state = floating(h, "gru", "h")
    x, _, dtypes = _gates("gru", 3, state, input, weight_ih, weight_hh, bias_ih, bias_hh)
    return _with_outputs(x, dtypes, state)


@operator("nn_recurrent.lstm", raises=NOTHING, rows=rows.recurrent)
def lstm(
    input: Any, h: Any, c: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any = None, bias_hh: Any = None, weight_hr: Any = None
) -> tuple[TensorMeta, ...]:
    """A long short-term memory, rows of the weights in the order input, forget, cell, output. Gives
    all ``h``, the last one, ``c``.

    ``weight_hr`` ``(projection, hidden)`` projects each ``h``.
    """
    state, memory = floating(h, "lstm", "h"), floating(c, "lstm", "c")
    x, hidden, dtypes = _gates("lstm", 4, state, input, weight_ih, weight_hh, bias_ih, bias_hh)
    if not same_sizes(memory.shape, (*state.shape[:-1], hidden)):
        raise ValueError(f"lstm: c must have shape {show((*state.shape[:-1], hidden))}, not {show(memory.shape)}")
    dtypes = [*dtypes, memory.dtype, *optional(weight_hr, (state.shape[-1], hidden), "lstm", "weight_hr")]
    if weight_hr is None and state.shape[-1] != hidden:
        raise ValueError(f"lstm: h of size {state.shape[-1]} with hidden size {hidden} needs weight_hr")
    return _with_outputs(x, dtypes, state, memory)
