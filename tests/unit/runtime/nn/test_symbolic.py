"""Rules of nn over symbolic sizes: the shapes that they derive, evaluated at a size, are those of the kernel at that size."""

from __future__ import annotations

import numpy as np
import pytest

from npexport.ir.meta import TensorMeta, described
from npexport.ir.ops import nn as ops
from npexport.symshapes.env import ShapeEnv

F32 = np.dtype(np.float32)


def ones(*shape):
    return np.ones(shape, F32)


# An operator, its arguments as functions of the arrays' shapes, and which axes of the first argument are dynamic.
CASES = [
    ("conv2d", (4, 3, 16, 17), (0, 2, 3), lambda x: (x, ones(5, 3, 3, 2), None, (2, 3), 1)),
    ("conv2d", (4, 3, 16, 17), (0, 2, 3), lambda x: (x, ones(5, 3, 3, 3), ones(5), 1, "same", 2)),
    ("conv1d", (4, 3, 16), (0, 2), lambda x: (x, ones(5, 3, 4))),
    ("conv_transpose2d", (2, 3, 6, 7), (0, 2, 3), lambda x: (x, ones(3, 5, 3, 3), None, 2, 1, 1)),
    ("max_pool2d", (4, 3, 16, 17), (0, 2, 3), lambda x: (x, 3, 2, 1)),
    ("max_pool2d", (4, 3, 16, 17), (0, 2, 3), lambda x: (x, (2, 3), 3, 1, 1, True)),
    ("avg_pool1d", (3, 3, 17), (0, 2), lambda x: (x, 3, 2, 1, True)),
    ("adaptive_avg_pool2d", (2, 3, 9, 8), (0, 2), lambda x: (x, (4, None))),
    ("linear", (4, 6, 3), (0, 1), lambda x: (x, ones(5, 3))),
    ("conv_transpose3d", (2, 3, 4, 5, 6), (0, 2, 3, 4), lambda x: (x, ones(3, 5, 3, 2, 3), None, 2)),
    ("adaptive_avg_pool3d", (2, 3, 4, 5, 6), (0, 2, 4), lambda x: (x, (4, None, 2))),
    ("unfold", (4, 3, 16, 17), (0, 2, 3), lambda x: (x, (2, 3), 2, 1, 2)),
    ("fold", (4, 12, 20), (0,), lambda x: (x, (5, 6), 2)),
    ("interpolate", (4, 3, 5, 6), (0, 2, 3), lambda x: (x, (7, 3), "bilinear")),
    ("interpolate", (4, 3, 5, 6), (0, 2, 3), lambda x: (x, (2 * x.shape[2], 3 * x.shape[3]), "nearest", False, (2.0, 3.0))),
    ("lstm", (4, 6, 3), (0,), lambda x: (x, ones(6, 2), ones(6, 2), ones(8, 3), ones(8, 2))),
    ("gru", (4, 3), (0,), lambda x: (x, ones(2), ones(6, 3), ones(6, 2))),
    ("grid_sample", (2, 3, 5, 6), (2, 3), lambda x: (x, ones(2, 4, 3, 2))),
    ("layer_norm", (4, 6, 3), (0, 1), lambda x: (x, (3,))),
    ("group_norm", (4, 6, 5), (0, 2), lambda x: (x, 3)),
    ("softmax", (4, 6), (0, 1), lambda x: (x,)),
    ("gelu", (4, 6), (0, 1), lambda x: (x,)),
    ("scaled_dot_product_attention", (2, 6, 4), (0, 1), lambda x: (x, x, x, None, True)),
]


@pytest.mark.parametrize(("name", "shape", "dynamic", "call"), CASES)
def test_symbolic_shapes_are_exact(name, shape, dynamic, call):
    op = getattr(ops, name)
    for grown in (0, 1, 2, 5):
        env = ShapeEnv()
        sizes = [size + grown if axis in dynamic else size for axis, size in enumerate(shape)]
        symbolic = tuple(env.create_symbol(f"x{axis}", size) if axis in dynamic else size for axis, size in enumerate(sizes))
        meta = op.rule(*map(described, call(TensorMeta(symbolic, F32))))
        metas, results = meta, op(*call(ones(*sizes)))
        for one, result in zip(metas, results, strict=True) if isinstance(metas, tuple) else [(metas, results)]:
            assert tuple(env.hint(size) for size in one.shape) == result.shape


def test_a_dynamic_batch_needs_no_guard():
    env = ShapeEnv()
    batch = env.create_symbol("batch", 4)
    image = TensorMeta((batch, 3, 16, 16), F32)
    for name, args in (("conv2d", (described(ones(5, 3, 3, 3)),)), ("max_pool2d", (2,)), ("adaptive_avg_pool2d", (1,)), ("relu", ())):
        image = getattr(ops, name).rule(image, *args)
        assert image.shape[0] is batch
        if name == "conv2d":
            image = image.with_(shape=(batch, 3, *image.shape[2:]))
    assert not env.guards
