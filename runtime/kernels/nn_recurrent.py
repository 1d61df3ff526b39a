"""Recurrent layers: the products with the inputs are one product for all steps, those with the
state one for each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.runtime.array_types import Array
from npexport.runtime.kernels.nn_activation import sigmoid
from npexport.runtime.kernels.nn_linear import linear


def _layer(step: Any, input: Any, states: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any, bias_hh: Any, weight_hr: Any = None) -> Any:
    arrays = [input, *states, weight_ih, weight_hh, bias_ih, bias_hh, weight_hr]
    dtype = np.result_type(*[array for array in arrays if array is not None])
    input_gates = linear(input.astype(dtype, copy=False), weight_ih, bias_ih)
    states = [state.astype(dtype) for state in states]
    outputs = np.empty((len(input), *states[0].shape), dtype)
    for at in range(len(input)):
        states = step(input_gates[at], linear(states[0], weight_hh, bias_hh), *states)
        if weight_hr is not None:
            states = [np.matmul(states[0], weight_hr.T), *states[1:]]
        outputs[at] = states[0]
    return outputs, *states


def _rnn_step(input_gates: Any, hidden_gates: Any, h: Any) -> Any:
    return [np.tanh(input_gates + hidden_gates)]


def _relu_step(input_gates: Any, hidden_gates: Any, h: Any) -> Any:
    return [np.maximum(input_gates + hidden_gates, 0)]


def _gru_step(input_gates: Any, hidden_gates: Any, h: Any) -> Any:
    split = 2 * h.shape[-1]
    reset, update = np.split(sigmoid(input_gates[..., :split] + hidden_gates[..., :split]), 2, axis=-1)
    new = np.tanh(input_gates[..., split:] + reset * hidden_gates[..., split:])
    return [new + update * (h - new)]


def _lstm_step(input_gates: Any, hidden_gates: Any, h: Any, c: Any) -> Any:
    gates = input_gates + hidden_gates
    into, forget, _, out = np.split(sigmoid(gates), 4, axis=-1)
    memory = forget * c + into * np.tanh(np.split(gates, 4, axis=-1)[2])
    return [out * np.tanh(memory), memory]


def rnn(
    input: Array,
    h: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None = None,
    bias_hh: Array | None = None,
    nonlinearity: str = "tanh",
) -> Array:
    step = _relu_step if nonlinearity == "relu" else _rnn_step
    return _layer(step, input, [h], weight_ih, weight_hh, bias_ih, bias_hh)


def gru(input: Array, h: Array, weight_ih: Array, weight_hh: Array, bias_ih: Array | None = None, bias_hh: Array | None = None) -> Array:
    return _layer(_gru_step, input, [h], weight_ih, weight_hh, bias_ih, bias_hh)


def lstm(
    input: Array,
    h: Array,
    c: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array | None = None,
    bias_hh: Array | None = None,
    weight_hr: Array | None = None,
) -> Array:
    return _layer(_lstm_step, input, [h, c], weight_ih, weight_hh, bias_ih, bias_hh, weight_hr)
