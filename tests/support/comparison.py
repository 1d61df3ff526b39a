"""Whether two arrays are one and the same to a program that looks at them."""

import warnings

import numpy as np

from npexport import ExportError


def steps(array, strides=None):
    """The strides, where they mean anything: by default the array's own."""
    own = array.strides if strides is None else strides
    return [stride for stride, size in zip(own, array.shape, strict=True) if size > 1]


def assert_alike(have, need, context, *, strides=True):
    """They have one class, dtype, shape and content and, where ``strides``, lie alike in memory."""
    assert (type(have), have.dtype, have.shape) == (type(need), need.dtype, need.shape), context
    np.testing.assert_array_equal(have, need, err_msg=context)
    assert not strides or steps(have) == steps(need), context


def said(call):
    """What a call gives, or the type and text of what it raises. Raises refusals of npexport."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call()
        except ExportError:
            raise
        except Exception as error:
            return type(error), str(error)
