"""A program of NumPy, exported."""

import pathlib

import numpy as np

STATE = dict(np.load(pathlib.Path(__file__).with_suffix(".npz")))


def _in_c_order(value):
    """An array in C order that can be written to: the array itself if nobody else sees it, or a
    copy.
    """
    return value if value.flags.carray else np.array(value, order="C")


def _require(fits, problem):
    if not fits:
        raise ValueError(f"the program was exported for other inputs: {problem}")


def _is_array(value, dtype, ndim):
    return type(value) is np.ndarray and value.dtype == dtype and value.ndim == ndim


def forward(x):
    b_t_0_is_option = STATE["t.0.is_option_0"]
    b_t_0_is_option_1 = STATE["t.0.is_option_1"]
    b_t = STATE["t.1"]
    _require(_is_array(x, np.dtype("float64"), 1), "x must be an array f64 of 1 axes")
    truth = bool(b_t_0_is_option)
    element = b_t.item()
    # modes2.py:93 in __call__, code: y = x * 2 if m is E.RUN else x
    not_ = not truth
    if not_:
        multiply = x * 2
        value = _in_c_order(multiply)
    else:
        value = None
    # modes2.py:94 in __call__, code: self.t = (E.RUN if x.sum() > 0 else E.IDLE, n + 1)
    sum_1 = x.sum()
    greater = sum_1 > 0
    truth_1 = bool(greater)
    # modes2.py:91 in __call__, code: def __call__(self, x):
    chosen = value if not_ else x
    not__1 = not truth_1
    array = np.array(not__1, np.dtype("bool"))
    array_1 = np.array(truth_1, np.dtype("bool"))
    add = element + 1
    array_2 = np.array(add, np.dtype("int64"))
    b_t_0_is_option[...] = array
    b_t_0_is_option_1[...] = array_1
    b_t[...] = array_2
    return (chosen, element)
