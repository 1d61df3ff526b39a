"""``fast_math``: other formulas, equal within what is stated; without it nothing of them is there."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import Dim, export, nn
from npexport.nn import functional as F
from npexport.runtime.compilation.fast_math import faster

SINGLE, DOUBLE = 1e-4, 1e-12


def image(*shape, dtype=np.float32, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def settled(net, dtype=np.float32):
    """In evaluation mode, with statistics, scales and offsets that are not those of new layers."""
    rng = np.random.default_rng(5)
    for name, array in [*net.named_parameters(), *net.named_buffers()]:
        if array.ndim == 1 and array.dtype.kind == "f":
            array[:] = rng.uniform(0.5, 1.5, array.shape) if "var" in name else rng.standard_normal(array.shape)
    for module in net.modules():
        for name, array in list(vars(module).items()):
            if isinstance(array, np.ndarray) and array.dtype == np.float32:
                setattr(module, name, array.astype(dtype))
    return net.eval()


def held(net, *inputs, dynamic_shapes=None):
    """The names of the operators that run, after the results are compared."""
    program = export(net, inputs, dynamic_shapes=dynamic_shapes)
    run = program.module(fast_math=True)
    default = program.module()
    for scale in (1, -3):
        scaled = [x * x.dtype.type(scale) for x in inputs]
        expected, found = default(*scaled), run(*scaled)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        assert found.strides == expected.strides or not found.size
        bound = (SINGLE if found.dtype == np.float32 else DOUBLE) * np.abs(expected).max(initial=0)
        assert np.abs(found - expected).max(initial=0) <= bound
        assert np.array_equal(default(*scaled), net(*scaled))
    return [node.target.name for node in faster(program).graph.find_nodes(op="call_function")]


class Block(nn.Module):
    def __init__(self, conv, norm, *, summed=None, relu=None):
        super().__init__()
        self.first, self.conv, self.norm = nn.Conv2d(8, 8, 1), conv, norm
        self.summed, self.relu = summed, relu

    def forward(self, x):
        x = self.first(x)
        y = self.conv(x)
        y = y if self.norm is None else self.norm(y)
        if self.summed == "left":
            y = x + y
        elif self.summed == "right":
            y = y + x
        return y if self.relu is None else F.relu(y) if self.relu == "relu" else np.maximum(y, 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [(1, 8, 24, 24), (2, 8, 13, 30), (9, 8, 6, 5), (1, 8, 3, 3)])
@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize(("summed", "relu"), [(None, None), ("left", "relu"), ("right", "maximum"), (None, "relu")])
def test_convolutions_take_over_what_follows(dtype, size, normalised, summed, relu):
    nn.init.manual_seed(0)
    net = Block(nn.Conv2d(8, 8, 3, 1, 1), nn.BatchNorm2d(8) if normalised else None, summed=summed, relu=relu)
    names = held(settled(net, dtype), image(*size, dtype=dtype))
    assert set(names) <= {"folded_weight", "folded_bias", "winograd_weight", "column_weight", "conv", "winograd"}


@pytest.mark.parametrize("options", [
    {"kernel_size": 1}, {"kernel_size": 1, "stride": 2}, {"kernel_size": 3, "stride": 2, "padding": 1}, {"kernel_size": (5, 2)},
    {"kernel_size": 7, "stride": 2, "padding": 3}, {"kernel_size": 3, "dilation": 2, "padding": (2, 1)},
    {"kernel_size": 3, "padding": "same"}, {"kernel_size": (2, 4), "padding": "same", "bias": False}, {"kernel_size": 3, "bias": False},
    {"kernel_size": 3, "groups": 2}, {"kernel_size": 3, "groups": 6},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("affine", [True, False])
def test_options_of_convolutions(options, affine):
    nn.init.manual_seed(1)
    net = nn.Sequential(nn.Conv2d(6, 12, **options), nn.BatchNorm2d(12, affine=affine), nn.ReLU(), nn.Conv2d(12, 4, 3, padding=1))
    held(settled(net), image(3, 6, 17, 14))
    held(settled(net), np.asfortranarray(image(3, 6, 17, 14)))


def test_one_and_three_axes():
    nn.init.manual_seed(2)
    held(settled(nn.Sequential(nn.Conv1d(4, 6, 3, 2), nn.BatchNorm1d(6), nn.ReLU())), image(2, 4, 19))
    held(settled(nn.Sequential(nn.Conv3d(2, 3, (3, 2, 3), padding=1), nn.BatchNorm3d(3))), image(2, 2, 5, 6, 7))


@pytest.mark.parametrize("large", [24, 7])
def test_layers_follow_one_another_with_channels_last(large):
    nn.init.manual_seed(3)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.n, self.b = nn.Conv2d(8, 16, 3, 1, 1), nn.BatchNorm2d(16), nn.Conv2d(16, 16, 3, 1, 1)
            self.down = nn.Conv2d(16, 4, 1, 2)

        def forward(self, x):
            y = F.relu(self.n(self.a(x)))
            return self.down(F.relu(self.b(y) + y)).mean(axis=(2, 3))

    held(settled(Net()), image(2, 8, large, large))


def test_values_that_are_used_twice_or_leave_stay():
    nn.init.manual_seed(4)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.norm = nn.Conv2d(4, 4, 3, padding=1), nn.BatchNorm2d(4)

        def forward(self, x):
            y = self.conv(x)
            z = self.norm(y)
            return np.stack([y, z, F.relu(z), z + y])

    held(settled(Net()), image(2, 4, 9, 9))


def test_dynamic_batches_and_sizes():
    nn.init.manual_seed(0)
    net = settled(nn.Sequential(nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU()))
    program = export(net, (image(2, 8, 24, 24),), dynamic_shapes=({0: Dim("n"), 2: Dim("h", min=3)},))
    run, default = program.module(fast_math=True), program.module()
    for shape in ((2, 8, 24, 24), (1, 8, 5, 24), (7, 8, 40, 24), (0, 8, 24, 24)):
        np.testing.assert_allclose(run(image(*shape)), default(image(*shape)), atol=1e-4)
    held(net, image(2, 8, 24, 24), dynamic_shapes=({0: Dim("n")},))


@pytest.mark.parametrize("shape", [(3, 4, 5), (2, 1, 4, 5), (0, 4, 5), (1, 4, 5)])
def test_stacks_of_matrices_are_one_product(shape):
    w = image(5, 6)
    held(lambda x: (x @ w) * 2, image(*shape))
    held(lambda x: x.swapaxes(0, 1) @ w, image(*shape))
    names = held(lambda x: x @ w, image(3, 4, 5))
    assert names == ["rows_times"]


def test_training_writes_to_the_state_and_is_not_prepared():
    nn.init.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(4, 4, 3), nn.BatchNorm2d(4), nn.ReLU())
    x = image(2, 4, 9, 9)
    program = export(net, (x,))
    run, default = program.module(fast_math=True), program.module()
    for _ in range(3):
        np.testing.assert_allclose(run(x), default(x), atol=1e-4)
    for (name, one), (_, other) in zip(run.named_buffers(), default.named_buffers(), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5, err_msg=name)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("exponent", [2, 3, 4.0, 5, 6, 7, 11, 16, -2, -3, -7.0])
def test_powers_by_small_integers_are_products(exponent, dtype):
    program = export(lambda x: np.power(x, exponent) + 1, (np.ones(3, dtype),), dynamic_shapes=({0: Dim("n")},))
    names = {node.target.name for node in faster(program).graph.find_nodes(op="call_function")}
    assert names == {"multiply", "add"} | ({"divide"} if exponent < 0 else set())
    x = np.concatenate([image(200, dtype=dtype), np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e9, 1e-9], dtype)])
    with np.errstate(all="ignore"):
        expected, found, default = np.power(x, exponent) + 1, program.module(fast_math=True)(x), program.module()(x)
    assert found.dtype == dtype and np.array_equal(default, expected, equal_nan=True)
    np.testing.assert_allclose(found, expected, rtol=40 * np.finfo(dtype).eps)


@pytest.mark.parametrize("exponent", [0, 1, -1, 0.5, 2.5, 17, np.inf, np.nan, np.array([2.0, 3.0])])
def test_other_powers_stay_what_they_are(exponent):
    program = export(lambda x: np.power(x, exponent), (np.ones(2),))
    assert [node.target.name for node in faster(program).graph.find_nodes(op="call_function")] == ["power"]


def test_powers_of_other_dtypes_stay_what_they_are():
    for x in (np.arange(3), np.ones(3, np.float16), np.ones(3, complex)):
        program = export(lambda x: np.power(x, 3), (x,))
        assert [node.target.name for node in faster(program).graph.find_nodes(op="call_function")] == ["power"]
