"""Calls of the operators of `ir/ops/scipy_transform.py`."""

from __future__ import annotations

import numpy as np

from npexport.ir.op import Op
from tests.op_samples.inputs import Samples, call
from tests.op_samples.scipy_functions import matrix, samples

V, Q = matrix(4, 3), matrix(4, 4) / 20
TURNS = np.stack([np.eye(3), np.diag([-1.0, -1, 1])])
_EACH = [call(Q), call(Q[:1])]
_MADE = [call(V), call(V[0])]

SAMPLES: dict[Op, Samples] = samples(
    "rotation",
    {
        "from_quat": [*_EACH, call(Q, scalar_first=True)],
        "from_rotvec": [*_MADE, call(V, True)],
        "from_mrp": _MADE,
        "from_matrix": [call(TURNS), call(TURNS[1])],
        "from_euler": [call("xyz", V), call("XZ", V[:, :2], True), call("zyx", V[0]), call("y", V[:, :1]), call("y", V[0, 0])],
        "as_quat": [*_EACH, call(Q, True), call(Q, scalar_first=True)],
        "as_rotvec": [*_EACH, call(Q, True)],
        "as_mrp": _EACH,
        "as_matrix": _EACH,
        "as_euler": [call(Q, "xyz"), call(Q, "ZXZ", True)],
        "inv": _EACH,
        "magnitude": _EACH,
        "pow": [call(Q, 0.5), call(Q, -1.0)],
        "mean": [*_EACH, call(Q, np.arange(4.0))],
        "apply": [call(Q, V), call(Q[:1], V), call(Q, V[:1], True)],
        "compose_quat": [call(Q, Q[::-1]), call(Q[:1], Q), call(Q, Q[:1])],
    },
)
