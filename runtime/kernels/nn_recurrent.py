"""Recurrent layers: the products with the inputs are one product for all steps, those with the
state one for each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.decompositions.nn_recurrent import layers
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


rnn, gru, lstm = layers(_layer)
