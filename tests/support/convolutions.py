"""Convolutions element by element, to compare with."""

import numpy as np


def loop_conv2d(x, w, b, stride, pairs, dilation, groups):
    """The correlation of ``x`` ``(N, C, H, W)`` with ``w``, plus ``b``."""
    x = np.pad(x, [(0, 0), (0, 0), *pairs])
    batch, channels, height, width = x.shape
    outputs, per_group, kh, kw = w.shape
    oh = (height - dilation[0] * (kh - 1) - 1) // stride[0] + 1
    ow = (width - dilation[1] * (kw - 1) - 1) // stride[1] + 1
    out = np.zeros((batch, outputs, oh, ow))
    for n, o, i, j in np.ndindex(*out.shape):
        first = o // (outputs // groups) * per_group
        for c, p, q in np.ndindex(per_group, kh, kw):
            out[n, o, i, j] += w[o, c, p, q] * x[n, first + c, i * stride[0] + p * dilation[0], j * stride[1] + q * dilation[1]]
        out[n, o, i, j] += b[o]
    return out
