"""Recurrent layers.

Each layer is one operator for each direction, over any number of steps; a cell is the same over one
step.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from npexport.ir.ops import nn as ops
from npexport.runtime.array_types import Array, DTypeLike
from npexport.runtime.nn import functional as F
from npexport.runtime.nn import init
from npexport.runtime.nn.module import Module


class _WithWeights(Module):
    """The weights of layers and cells, uniform within ``1 / sqrt(hidden_size)``."""

    _gates, _states = 1, 1
    _function: Any = None
    input_size: int
    hidden_size: int
    bias: bool

    def _add_weights(self, suffix: str, input_size: int, state_size: int, dtype: DTypeLike) -> None:
        """The weights of one layer in one direction, or of a cell."""
        rows = self._gates * self.hidden_size
        shapes = {"weight_ih": (rows, input_size), "weight_hh": (rows, state_size), "bias_ih": (rows,), "bias_hh": (rows,)}
        if state_size != self.hidden_size:
            shapes["weight_hr"] = (state_size, self.hidden_size)
        for name, shape in shapes.items():
            self.register_parameter(name + suffix, None if name.startswith("bias") and not self.bias else np.empty(shape, dtype))

    def _weights(self, suffix: str) -> Any:
        return [getattr(self, name + suffix) for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]

    def reset_parameters(self, generator: np.random.Generator | None = None) -> None:
        """Draw all weights anew."""
        bound = 1 / math.sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound, generator)


def _known(nonlinearity: str) -> str:
    if nonlinearity not in ("tanh", "relu"):
        raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
    return nonlinearity


def _states(name: str, hx: Any, shapes: Any, dtype: DTypeLike) -> Any:
    """The states that were given, or zeros; raises ``ValueError`` for other shapes."""
    if hx is None:
        return [np.zeros(shape, dtype) for shape in shapes]
    given = [hx] if len(shapes) == 1 else list(hx)
    for state, shape in zip(given, shapes, strict=True):
        if state.shape != shape:
            raise ValueError(f"{name}: hx must have shape {shape}, got {state.shape}")
    return given


class _Cell(_WithWeights):
    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        *,
        dtype: DTypeLike = np.float32,
        generator: np.random.Generator | None = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        self._add_weights("", input_size, hidden_size, dtype)
        self.reset_parameters(generator)

    def forward(self, input: Array, hx: Any = None) -> Any:
        name = type(self).__name__
        if input.ndim not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.ndim}D instead")
        states = _states(name, hx, [(*input.shape[:-1], self.hidden_size)] * self._states, input.dtype)
        _, *states = type(self)._function(input[None], *states, *self._weights(""), **self._options())
        return states[0] if self._states == 1 else tuple(states)

    def _options(self) -> dict[str, Any]:
        return {}

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")


class RNNCell(_Cell):
    """One step of an Elman network: ``input`` ``([N,] in)`` and ``hx`` ``([N,] hidden)`` give the
    new ``hx``.

    ``input_size``: the number of features of the input; ``hidden_size``: the number of features
    of the state; ``bias``: whether there is a bias; ``nonlinearity``: the name of the
    nonlinearity; ``dtype``: the dtype of the weights; ``generator``: the source of random
    numbers, a ``numpy.random.Generator``. As ``torch.nn.RNNCell``; Elman, Cognitive Science 14,
    1990.

    >>> RNNCell(4, 3)(np.zeros((2, 4), np.float32)).shape
    (2, 3)
    """

    _function = ops.rnn

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        *,
        dtype: DTypeLike = np.float32,
        generator: np.random.Generator | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, dtype=dtype, generator=generator)
        self.nonlinearity = _known(nonlinearity)

    def _options(self) -> dict[str, Any]:
        return {"nonlinearity": self.nonlinearity}

    def extra_repr(self) -> str:
        return super().extra_repr() + ("" if self.nonlinearity == "tanh" else f", nonlinearity={self.nonlinearity}")


class GRUCell(_Cell):
    """One step of a gated recurrent unit: ``input`` ``([N,] in)`` and ``hx`` ``([N,] hidden)`` give
    ``hx``.

    ``input_size``: the number of features of the input; ``hidden_size``: the number of features
    of the state; ``bias``: whether there is a bias; ``dtype``: the dtype of the weights;
    ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.GRUCell``; Cho et al., arXiv:1406.1078.

    >>> GRUCell(4, 3)(np.zeros((2, 4), np.float32)).shape
    (2, 3)
    """

    _gates = 3
    _function = ops.gru


class LSTMCell(_Cell):
    """One step of a long short-term memory; its state is the pair ``(h, c)``.

    ``input_size``: the number of features of the input; ``hidden_size``: the number of features
    of the state; ``bias``: whether there is a bias; ``dtype``: the dtype of the weights;
    ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.LSTMCell``; Hochreiter and Schmidhuber, Neural Computation 9, 1997.

    >>> hidden, cell = LSTMCell(4, 3)(np.zeros((2, 4), np.float32))
    >>> hidden.shape, cell.shape
    ((2, 3), (2, 3))
    """

    _gates, _states = 4, 2
    _function = ops.lstm


class _Recurrent(_WithWeights):
    """Layers over the time axis: ``input`` is ``(L, N, in)``, ``(N, L, in)`` with ``batch_first``,
    or ``(L, in)``.
    """

    proj_size = 0

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        *,
        dtype: DTypeLike = np.float32,
        generator: np.random.Generator | None = None,
    ) -> None:
        super().__init__()
        if input_size <= 0 or hidden_size <= 0 or num_layers <= 0:
            raise ValueError("input_size, hidden_size and num_layers must be greater than zero")
        if not 0.0 <= dropout <= 1.0:
            raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element being zeroed")
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.generator = generator
        ways = ("", "_reverse") if bidirectional else ("",)
        self._suffixes = [[f"_l{layer}{way}" for way in ways] for layer in range(num_layers)]
        for layer, suffixes in enumerate(self._suffixes):
            for suffix in suffixes:
                size = input_size if layer == 0 else len(ways) * self._output_size()
                self._add_weights(suffix, size, self._output_size(), dtype)
        self.reset_parameters(generator)

    def _output_size(self) -> int:
        return self.proj_size or self.hidden_size

    def forward(self, input: Array, hx: Any = None) -> Any:
        name = type(self).__name__
        if input.ndim not in (2, 3):
            raise ValueError(f"{name}: Expected input to be 2D or 3D, got {input.ndim}D instead")
        turned = input.ndim == 3 and self.batch_first
        steps = input.swapaxes(0, 1) if turned else input
        count = sum([len(suffixes) for suffixes in self._suffixes])
        sizes = [self._output_size(), self.hidden_size][: self._states]
        given = _states(name, hx, [(count, *steps.shape[1:-1], size) for size in sizes], input.dtype)
        finals: list[Any] = []
        for layer, suffixes in enumerate(self._suffixes):
            if layer:
                steps = F.dropout(steps, self.dropout, self.training, generator=self.generator)
            outputs = []
            for way, suffix in enumerate(suffixes):
                states = [state[len(finals)] for state in given]
                output, *states = type(self)._function(
                    steps[::-1] if way else steps, *states, *self._weights(suffix), **self._options(suffix)
                )
                outputs.append(output[::-1] if way else output)
                finals.append(states)
            steps = outputs[0] if len(outputs) == 1 else np.concatenate(outputs, axis=-1)
        last = [np.stack(states) for states in zip(*finals, strict=True)]
        return steps.swapaxes(0, 1) if turned else steps, last[0] if self._states == 1 else tuple(last)

    def _options(self, suffix: str) -> dict[str, Any]:
        return {}

    def extra_repr(self) -> str:
        defaults = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0, "bidirectional": False}
        shown = [f", {name}={getattr(self, name)}" for name, default in defaults.items() if getattr(self, name) != default]
        return f"{self.input_size}, {self.hidden_size}{''.join(shown)}"


class RNN(_Recurrent):
    """Elman layers. The result is ``(all outputs, last h)``.

    ``input_size``: the number of features of the input; ``hidden_size``: the number of features
    of the state; ``num_layers``: the number of layers; ``nonlinearity``: the name of the
    nonlinearity; ``bias``: whether there is a bias; ``batch_first``: the batch axis comes
    before the time axis; ``dropout``: the probability of a zero in training; ``bidirectional``:
    run also backwards over time; ``dtype``: the dtype of the weights; ``generator``: the source
    of random numbers, a ``numpy.random.Generator``. As ``torch.nn.RNN``; Elman, Cognitive
    Science 14, 1990.

    >>> output, hidden = RNN(4, 3, batch_first=True)(np.zeros((2, 5, 4), np.float32))
    >>> output.shape, hidden.shape
    ((2, 5, 3), (1, 2, 3))
    """

    _function = ops.rnn

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        *,
        dtype: DTypeLike = np.float32,
        generator: np.random.Generator | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, dtype=dtype, generator=generator)
        self.nonlinearity = _known(nonlinearity)

    def _options(self, suffix: str) -> dict[str, Any]:
        return {"nonlinearity": self.nonlinearity}


class GRU(_Recurrent):
    """Gated recurrent layers. The result is ``(all outputs, last h)``.

    ``input_size``: the number of features of the input; ``hidden_size``: the number of features
    of the state; ``num_layers``: the number of layers; ``bias``: whether there is a bias;
    ``batch_first``: the batch axis comes before the time axis; ``dropout``: the probability of
    a zero in training; ``bidirectional``: run also backwards over time; ``dtype``: the dtype of
    the weights; ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.GRU``; Cho et al., arXiv:1406.1078.

    >>> output, hidden = GRU(4, 3, batch_first=True)(np.zeros((2, 5, 4), np.float32))
    >>> output.shape, hidden.shape
    ((2, 5, 3), (1, 2, 3))
    """

    _gates = 3
    _function = ops.gru


class LSTM(_Recurrent):
    """Long short-term memory layers, ``h`` projected to ``proj_size`` unless it is 0. The result is
    ``(all outputs, (last h, last c))``.

    ``input_size``: the number of features of the input; ``hidden_size``: the number of features
    of the state; ``num_layers``: the number of layers; ``bias``: whether there is a bias;
    ``batch_first``: the batch axis comes before the time axis; ``dropout``: the probability of
    a zero in training; ``bidirectional``: run also backwards over time; ``dtype``: the dtype of
    the weights; ``generator``: the source of random numbers, a ``numpy.random.Generator``. As
    ``torch.nn.LSTM``; Hochreiter and Schmidhuber, Neural Computation 9, 1997.

    >>> output, (hidden, cell) = LSTM(4, 3, batch_first=True)(np.zeros((2, 5, 4), np.float32))
    >>> output.shape, hidden.shape, cell.shape
    ((2, 5, 3), (1, 2, 3), (1, 2, 3))
    """

    _gates, _states = 4, 2
    _function = ops.lstm

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        *,
        dtype: DTypeLike = np.float32,
        generator: np.random.Generator | None = None,
    ) -> None:
        if not 0 <= proj_size < max(hidden_size, 1):
            raise ValueError("proj_size has to be at least 0 and smaller than hidden_size")
        self.proj_size = proj_size
        super().__init__(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, dtype=dtype, generator=generator)

    def _options(self, suffix: str) -> dict[str, Any]:
        return {"weight_hr": getattr(self, f"weight_hr{suffix}")} if self.proj_size else {}
