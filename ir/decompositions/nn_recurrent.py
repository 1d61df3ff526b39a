"""Recurrent layers: step by step, for sequences of a static length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir.decompositions import register_decomposition
from npexport.ir.decompositions.nn_activation import sigmoid
from npexport.ir.decompositions.nn_linear import linear
from npexport.symshapes.symint import is_symbolic


def _layer(
    step: Callable[..., Any],
    input: Any,
    states: list[Any],
    weight_ih: Any,
    weight_hh: Any,
    bias_ih: Any,
    bias_hh: Any,
    weight_hr: Any = None,
) -> Any:
    arrays = [input, *states, weight_ih, weight_hh, bias_ih, bias_hh, weight_hr]
    dtype = np.result_type(*[array.dtype for array in arrays if array is not None])
    if is_symbolic(input.shape[0]):
        raise NotImplementedError
    gates = linear(input.astype(dtype), weight_ih, bias_ih)
    states = [state.astype(dtype) for state in states]
    outputs = []
    for at in range(input.shape[0]):
        states = step(gates[at], linear(states[0], weight_hh, bias_hh), *states)
        if weight_hr is not None:
            states = [np.matmul(states[0], weight_hr.T), *states[1:]]
        outputs.append(states[0])
    return np.stack(outputs) if outputs else np.zeros((0, *states[0].shape), dtype), *states


def _rnn_step(input_gates: Any, hidden_gates: Any, h: Any) -> Any:
    return [np.tanh(input_gates + hidden_gates)]


def _relu_step(input_gates: Any, hidden_gates: Any, h: Any) -> Any:
    return [np.maximum(input_gates + hidden_gates, 0)]


def _gru_step(input_gates: Any, hidden_gates: Any, h: Any) -> Any:
    size = h.shape[-1]
    decided = sigmoid(input_gates[..., : 2 * size] + hidden_gates[..., : 2 * size])
    reset, update = decided[..., :size], decided[..., size:]
    new = np.tanh(input_gates[..., 2 * size :] + reset * hidden_gates[..., 2 * size :])
    return [new + update * (h - new)]


def _lstm_step(input_gates: Any, hidden_gates: Any, h: Any, c: Any) -> Any:
    size = c.shape[-1]
    gates = input_gates + hidden_gates
    decided = sigmoid(gates)
    into, forget, out = decided[..., :size], decided[..., size : 2 * size], decided[..., 3 * size :]
    memory = forget * c + into * np.tanh(gates[..., 2 * size : 3 * size])
    return [out * np.tanh(memory), memory]


def layers(layer: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """``rnn``, ``gru`` and ``lstm``; ``layer`` goes through a sequence step by step."""

    def rnn(
        input: Any, h: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any = None, bias_hh: Any = None, nonlinearity: str = "tanh"
    ) -> Any:
        """Exact: two matrix products and an activation for each step."""
        return layer(_relu_step if nonlinearity == "relu" else _rnn_step, input, [h], weight_ih, weight_hh, bias_ih, bias_hh)

    def gru(input: Any, h: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any = None, bias_hh: Any = None) -> Any:
        """Exact: two matrix products and three gates for each step."""
        return layer(_gru_step, input, [h], weight_ih, weight_hh, bias_ih, bias_hh)

    def lstm(
        input: Any, h: Any, c: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any = None, bias_hh: Any = None, weight_hr: Any = None
    ) -> Any:
        """Exact: two matrix products and four gates for each step."""
        return layer(_lstm_step, input, [h, c], weight_ih, weight_hh, bias_ih, bias_hh, weight_hr)

    return rnn, gru, lstm


for _function in layers(_layer):
    register_decomposition(f"nn.{_function.__name__}")(_function)
