"""The ``sklearn`` namespace: scikit-learn's validation of data, an operator that the program calls
for its exception.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.utils.validation as validation

from npexport.ir.ops.assertions import declare


def assert_all_finite(X: Any, allow_nan: Any = False, msg_dtype: Any = None, estimator_name: Any = None, input_name: Any = "") -> None:
    """What ``_assert_all_finite`` does where it is not told to assume it: at first the sum, then
    every element."""
    with np.errstate(over="ignore"):
        if np.isfinite(np.sum(X)):
            return
    validation._assert_all_finite_element_wise(
        X, xp=np, allow_nan=allow_nan, msg_dtype=msg_dtype, estimator_name=estimator_name, input_name=input_name
    )


declare(
    "sklearn",
    assert_all_finite.__name__,
    lambda: assert_all_finite,
    assert_all_finite,
    (ValueError,),
    "``sklearn.utils.validation._assert_all_finite``",
)
