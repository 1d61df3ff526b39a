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


def said(call, *args):
    """What a call gives, or the type and text of what it raises. Raises refusals of npexport."""
    return said_and_warned(call, *args)[0]


def said_and_warned(call, *args):
    """The same, and the texts of warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = call(*args)
        except ExportError:
            raise
        except Exception as error:
            found = type(error), str(error)
    return found, [str(each.message) for each in caught]
