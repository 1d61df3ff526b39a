"""Calls of the operators of `ir/ops/scipy_distance.py`."""

from __future__ import annotations

import numpy as np

from npexport.ir.op import Op
from tests.op_samples.inputs import Samples, call
from tests.op_samples.scipy_functions import matrix, samples

X, Y = matrix(5, 3), matrix(4, 3)
_METRICS = "euclidean sqeuclidean cityblock chebyshev cosine correlation canberra braycurtis minkowski jensenshannon".split()
_TRUTHS = "hamming jaccard dice yule rogerstanimoto russellrao".split()

SAMPLES: dict[Op, Samples] = samples(
    "distance",
    {
        "cdist": [
            *[call(abs(X), abs(Y), metric) for metric in _METRICS],
            *[call(X > 0, Y > 0, metric) for metric in _TRUTHS],
            call(X.astype("f4"), Y),
            call(X, Y, "minkowski", p=3, w=np.arange(3.0)),
            call(X, Y, "seuclidean", V=np.arange(1.0, 4.0)),
            call(X, Y, "mahalanobis", VI=np.eye(3)),
            call(X[:0], Y),
        ],
        "squareform": [call(np.arange(6.0)), call(np.arange(6)), call(abs(X[:, :1] - X[:, 0])), call(np.arange(1.0))],
        "directed_hausdorff": [call(X, Y), call(Y, X, 3)],
        "pdist": [*[call(abs(X), metric) for metric in _METRICS], call(X > 0, "hamming"), call(X, "mahalanobis"), call(X[:1])],
    },
)
