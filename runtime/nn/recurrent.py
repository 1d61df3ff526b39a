"""Recurrent layers as plain Python loops over time: an exported program has them unrolled."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from npexport.runtime.nn import functional as F
from npexport.runtime.nn import init
from npexport.runtime.nn.module import Module


def _rnn_step(input_gates, hidden_gates, state, activation):
    return (activation(input_gates + hidden_gates),)


def _gru_step(input_gates, hidden_gates, state, activation):
    reset_i, update_i, new_i = np.split(input_gates, 3, axis=-1)
    reset_h, update_h, new_h = np.split(hidden_gates, 3, axis=-1)
    update = F.sigmoid(update_i + update_h)
    new = np.tanh(new_i + F.sigmoid(reset_i + reset_h) * new_h)
    return (new + update * (state[0] - new),)


def _lstm_step(input_gates, hidden_gates, state, activation):
    into, forget, cell, out = np.split(input_gates + hidden_gates, 4, axis=-1)
    memory = F.sigmoid(forget) * state[1] + F.sigmoid(into) * np.tanh(cell)
    return F.sigmoid(out) * np.tanh(memory), memory


def _add_weights(module, suffix, gates, input_size, hidden_size, bias, dtype, generator):
    bound = 1 / math.sqrt(hidden_size)
    shapes = {"weight_ih": (gates, input_size), "weight_hh": (gates, hidden_size), "bias_ih": (gates,), "bias_hh": (gates,)}
    for name, shape in shapes.items():
        value = None if name.startswith("bias") and not bias else init.uniform_(np.empty(shape, dtype), -bound, bound, generator)
        module.register_parameter(name + suffix, value)


def _activation(nonlinearity):
    if nonlinearity not in ("tanh", "relu"):
        raise ValueError(f"Unknown nonlinearity '{nonlinearity}': 'tanh' or 'relu'")
    return F.tanh if nonlinearity == "tanh" else F.relu


class _Cell(Module):
    _gates, _states = 1, 1
    _step: Any = None

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", *, dtype=np.float32, generator=None):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.activation = _activation(nonlinearity)
        _add_weights(self, "", self._gates * hidden_size, input_size, hidden_size, bias, dtype, generator)

    def forward(self, input, hx=None):
        if hx is None:
            state = (np.zeros((*input.shape[:-1], self.hidden_size), input.dtype),) * self._states
        else:
            state = (hx,) if self._states == 1 else tuple(hx)
        input_gates = F.linear(input, self.weight_ih, self.bias_ih)
        hidden_gates = F.linear(state[0], self.weight_hh, self.bias_hh)
        state = type(self)._step(input_gates, hidden_gates, state, self.activation)
        return state[0] if self._states == 1 else state

    def extra_repr(self):
        return f"{self.input_size}, {self.hidden_size}"


class RNNCell(_Cell):
    """One step of an Elman network: ``input`` ``(N, in)`` and ``hx`` ``(N, hidden)`` give the new ``hx``."""

    _step = staticmethod(_rnn_step)


class GRUCell(_Cell):
    """One step of a gated recurrent unit."""

    _gates = 3
    _step = staticmethod(_gru_step)

    def __init__(self, input_size, hidden_size, bias=True, *, dtype=np.float32, generator=None):
        super().__init__(input_size, hidden_size, bias, dtype=dtype, generator=generator)


class LSTMCell(_Cell):
    """One step of a long short-term memory; its state is the pair ``(h, c)``."""

    _gates, _states = 4, 2
    _step = staticmethod(_lstm_step)

    def __init__(self, input_size, hidden_size, bias=True, *, dtype=np.float32, generator=None):
        super().__init__(input_size, hidden_size, bias, dtype=dtype, generator=generator)


class _Recurrent(Module):
    """Layers of cells over the time axis: ``input`` is ``(L, N, in)``, ``(N, L, in)`` with ``batch_first``, or ``(L, in)``."""

    _gates, _states = 1, 1
    _step: Any = None

    def __init__(
        self,
        input_size,
        hidden_size,
        num_layers=1,
        bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        *,
        nonlinearity="tanh",
        dtype=np.float32,
        generator=None,
    ):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.batch_first = batch_first
        self.dropout = dropout
        self.bidirectional = bidirectional
        self.generator = generator
        self.activation = _activation(nonlinearity)
        self._suffixes = [f"_l{layer}{way}" for layer in range(num_layers) for way in (("", "_reverse") if bidirectional else ("",))]
        ways = 2 if bidirectional else 1
        for index, suffix in enumerate(self._suffixes):
            size = input_size if index < ways else ways * hidden_size
            _add_weights(self, suffix, self._gates * hidden_size, size, hidden_size, bias, dtype, generator)

    def forward(self, input, hx=None):
        batched = input.ndim == 3
        steps = input.swapaxes(0, 1) if batched and self.batch_first else input
        shape = (len(self._suffixes), *steps.shape[1:-1], self.hidden_size)
        given = (np.zeros(shape, input.dtype),) * self._states if hx is None else (hx,) if self._states == 1 else tuple(hx)
        ways = 2 if self.bidirectional else 1
        finals = []
        for layer in range(self.num_layers):
            if layer:
                steps = F.dropout(steps, self.dropout, self.training, generator=self.generator)
            outputs = []
            for way in range(ways):
                index = layer * ways + way
                output, final = self._run(self._suffixes[index], steps[::-1] if way else steps, tuple(state[index] for state in given))
                outputs.append(output[::-1] if way else output)
                finals.append(final)
            steps = outputs[0] if ways == 1 else np.concatenate(outputs, axis=-1)
        out = steps.swapaxes(0, 1) if batched and self.batch_first else steps
        state = tuple(np.stack(states) for states in zip(*finals, strict=True))
        return out, state[0] if self._states == 1 else state

    def _run(self, suffix, steps, state):
        """One layer in one direction: all outputs, and the last state. The products with the inputs are one product for all steps."""
        weight_ih, weight_hh, bias_ih, bias_hh = [getattr(self, name + suffix) for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
        input_gates = F.linear(steps, weight_ih, bias_ih)
        outputs = []
        for step in range(steps.shape[0]):
            state = type(self)._step(input_gates[step], F.linear(state[0], weight_hh, bias_hh), state, self.activation)
            outputs.append(state[0])
        return np.stack(outputs), state

    def extra_repr(self):
        return f"{self.input_size}, {self.hidden_size}, num_layers={self.num_layers}, batch_first={self.batch_first}"


class RNN(_Recurrent):
    """Elman layers. The result is ``(all outputs, last h)``."""

    _step = staticmethod(_rnn_step)


class GRU(_Recurrent):
    """Gated recurrent layers. The result is ``(all outputs, last h)``."""

    _gates = 3
    _step = staticmethod(_gru_step)


class LSTM(_Recurrent):
    """Long short-term memory layers. The result is ``(all outputs, (last h, last c))``."""

    _gates, _states = 4, 2
    _step = staticmethod(_lstm_step)
