"""Calls of the operators of `ir/ops/scipy_hierarchy.py`."""

from __future__ import annotations

import numpy as np

from npexport.ir.op import Op
from tests.op_samples.inputs import Samples, call
from tests.op_samples.scipy_functions import matrix, samples

X = matrix(5, 3)
TREE = np.array([[0, 1, 0.5, 2], [2, 3, 1.0, 2], [4, 5, 2.0, 4]])

SAMPLES: dict[Op, Samples] = samples(
    "hierarchy",
    {
        "linkage": [call(X), call(X, "average"), call(X, "ward"), call(X, "complete", "cityblock"), call(np.arange(6.0), "centroid")],
        "fcluster": [call(TREE, 1.5), call(TREE, 2, "maxclust"), call(TREE, 1.0, "distance")],
        "leaves_list": [call(TREE)],
        "inconsistent": [call(TREE), call(TREE, 3)],
        "cophenet": [call(TREE)],
    },
)
