"""Decision trees of scikit-learn, in plain NumPy: ``sklearn.tree._tree.Tree`` walks one row after
the other in C.

https://scikit-learn.org/stable/modules/tree.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.runtime.operators.control_flow import while_loop


def apply(tree: Any, X: Any) -> Any:
    """The leaf of each row (n,), int64, for rows (n, features) of float32."""
    if X.dtype != np.float32:
        raise ValueError(f"X.dtype should be np.float32, got {X.dtype}")
    is_leaf, places = tree.children_left == -1, np.arange(tree.node_count)
    children = [np.where(is_leaf, places, child) for child in (tree.children_left, tree.children_right)]
    fields = [np.where(is_leaf, 0, tree.feature), tree.threshold, tree.missing_go_to_left != 0, *children]
    numbers, rows = X.ravel(), np.arange(len(X)) * X.shape[1]

    def step(depth: Any, node: Any) -> Any:
        asked, least, with_nan, one, other = [field.take(node, mode="clip") for field in fields]
        value = numbers.take(rows + asked, mode="clip")
        return depth + 1, np.where(np.where(np.isnan(value), with_nan, value <= least), one, other)

    return while_loop(lambda depth, node: depth < tree.max_depth, step, (0, np.zeros(len(X), np.int64)))[1]


def predict(tree: Any, X: Any) -> Any:
    """The values of the leaves of the rows: (n, classes), or (n, outputs, classes)."""
    values = tree.value[:, 0] if tree.n_outputs == 1 else tree.value
    return values.take(apply(tree, X), axis=0, mode="clip")
