"""``nn``: what is there and what it refuses; hooks, buffers, initialisation, helpers, and what draws random numbers."""

from __future__ import annotations

import copy
import re

import numpy as np
import pytest

from npexport import export, nn
from npexport.runtime.nn import functional as F
from tests.support.paths import DOCS

PAGE = (DOCS / "nn.md").read_text()


def f32(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def listed(cell):
    """The names of a cell of the page's table, ``Conv1-3d`` as three."""
    names = set()
    for name in re.findall("`([^`]+)`", cell):
        names |= {name.replace("1-3d", f"{rank}d") for rank in (1, 2, 3)}
    return names


def test_the_page_lists_what_is_there():
    rows = [line.split("|") for line in PAGE.splitlines() if line.startswith("| ")]
    modules, functions = [set().union(*[listed(row[column]) for row in rows]) for column in (2, 3)]
    assert modules == {name for name in nn.__all__ if isinstance(getattr(nn, name), type)}
    assert functions == {
        name for name, value in vars(F).items() if name[0] != "_" and getattr(value, "__module__", "").startswith(nn.__name__)
    }
    absent = listed(PAGE[PAGE.index("Not there") : PAGE.index("## What differs")])
    assert absent and not [name for name in absent if hasattr(nn, name) or hasattr(F, name)]
    helpers = listed(PAGE[PAGE.index("`nn.init` has") : PAGE.index("Not there")]) - {"nn.init", "nn.utils"}
    assert all(hasattr(nn.init, name) or hasattr(nn.utils, name) for name in helpers) and len(helpers) == 23


def test_names_of_functions_made_for_each_rank():
    for rank in (1, 2, 3):
        for kind in ("conv", "conv_transpose", "max_pool", "avg_pool", "lp_pool", "max_unpool", "adaptive_avg_pool", "adaptive_max_pool"):
            function = getattr(F, f"{kind}{rank}d")
            assert function.__name__ == f"{kind}{rank}d" and "{" not in function.__doc__
    assert nn.AdaptiveAvgPool3d.__name__ == "AdaptiveAvgPool3d" and nn.Conv3d.__module__ == "npexport.runtime.nn.conv"


def test_forward_hooks():
    layer, x, seen = nn.Linear(3, 3), f32(2, 3), []
    plain = layer(x)
    handle = layer.register_forward_hook(lambda module, args, result: result * 2)
    layer.register_forward_hook(lambda module, args, kwargs, result: seen.append((args, kwargs)), with_kwargs=True, prepend=True)
    before = layer.register_forward_pre_hook(lambda module, args: args[0] * 0)
    np.testing.assert_array_equal(layer(x), np.broadcast_to(layer.bias * 2, (2, 3)))
    assert not seen[0][0][0].any() and seen[0][1] == {}
    handle.remove(), handle.remove(), before.remove()
    np.testing.assert_array_equal(layer(x), plain)
    with layer.register_forward_pre_hook(lambda module, args, kwargs: ((x,), {}), with_kwargs=True):
        np.testing.assert_array_equal(layer(input=x * 5), plain)


def test_buffers_at_assignment():
    module = nn.Module()
    module.kept, module.scratch = nn.Buffer(np.ones(2)), nn.Buffer(np.zeros(3), persistent=False)
    assert type(module.kept) is np.ndarray and list(module.state_dict()) == ["kept"]
    assert [name for name, _ in module.named_buffers()] == ["kept", "scratch"]


def test_submodules_are_replaced_by_path():
    network = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    network.set_submodule("1", nn.Tanh())
    assert type(network[1]) is nn.Tanh
    with pytest.raises(AttributeError):
        network.set_submodule("7", nn.Tanh(), strict=True)


def test_containers_as_lists_and_dictionaries():
    layers = nn.ModuleList(modules=[nn.ReLU(), nn.ReLU(), nn.Tanh()])
    assert repr(layers) == "ModuleList(\n  (0-1): 2 x ReLU()\n  (2): Tanh()\n)"
    assert type(layers.pop()) is nn.Tanh and len(layers + [nn.GELU()]) == 3
    layers += [nn.GELU()]
    assert type(layers[2]) is nn.GELU and len(nn.Sequential(nn.ReLU()) + nn.Sequential(nn.Tanh())) == 2
    table = nn.ParameterDict({"a": np.ones(2)})
    assert table.get("b") is None and table.setdefault("b", np.zeros(1)) is table["b"]
    assert table.copy()["b"] is table["b"] and table.popitem()[0] == "b" and list(table) == ["a"]


@pytest.mark.parametrize(
    "make",
    [
        lambda: nn.Linear(40, 30),
        lambda: nn.Conv2d(4, 8, 5),
        lambda: nn.ConvTranspose1d(8, 4, 5),
        lambda: nn.Bilinear(9, 8, 7),
        lambda: nn.LSTM(6, 30),
        lambda: nn.GRUCell(6, 30),
        lambda: nn.Embedding(30, 20, padding_idx=2),
        lambda: nn.BatchNorm2d(5),
        lambda: nn.LayerNorm(5),
    ],
)
def test_weights_are_drawn_anew(make):
    nn.init.manual_seed(3)
    layer = make()
    first = {name: value.copy() for name, value in layer.state_dict().items()}
    for value in layer.parameters():
        value[...] = 9
    nn.init.manual_seed(3)
    layer.reset_parameters()
    for name, value in layer.state_dict().items():
        np.testing.assert_array_equal(value, first[name])


def test_initialisation_of_convolutions_and_sparse_matrices():
    image = f32(1, 4, 5, 5)
    kept = F.conv2d(image, nn.init.dirac_(np.empty((4, 2, 3, 3), np.float32), groups=2), padding=1, groups=2)
    np.testing.assert_allclose(kept, image, atol=1e-6)
    sparse = nn.init.sparse_(np.empty((20, 6)), 0.3)
    assert ((sparse == 0).sum(axis=0) == 6).all()
    for call in (lambda: nn.init.dirac_(np.empty((2, 2))), lambda: nn.init.sparse_(np.empty(3), 0.1)):
        with pytest.raises(ValueError, match="dimensions"):
            call()
    assert abs(np.abs(nn.MultiheadAttention(50, 5, add_bias_kv=True).bias_k).max()) < 1


def test_parameters_and_vectors():
    network = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    vector = nn.utils.parameters_to_vector(network.parameters())
    assert vector.shape == (13,)
    nn.utils.vector_to_parameters(vector * 0 + 4, network.parameters())
    assert all((value == 4).all() for value in network.parameters())
    with pytest.raises(ValueError, match="too short"):
        nn.utils.vector_to_parameters(vector[:12], network.parameters())


@pytest.mark.parametrize(
    ("layer", "norm", "shape", "transpose"),
    [
        (lambda: nn.Conv2d(3, 4, 3, bias=False), lambda: nn.BatchNorm2d(4), (2, 3, 6, 6), False),
        (lambda: nn.ConvTranspose1d(3, 4, 3), lambda: nn.BatchNorm1d(4), (2, 3, 6), True),
        (lambda: nn.Linear(3, 4), lambda: nn.BatchNorm1d(4, affine=False), (5, 3), False),
    ],
)
def test_batch_normalisation_is_fused(layer, norm, shape, transpose):
    layer, norm = layer(), norm()
    norm(f32(30, *norm(layer(f32(*shape))).shape[1:]) * 3 + 1)
    with pytest.raises(ValueError, match="eval"):
        nn.utils.fuse_linear_bn_eval(layer, norm)
    layer.eval(), norm.eval()
    fused = nn.utils.fuse_linear_bn_eval(layer, norm) if type(layer) is nn.Linear else nn.utils.fuse_conv_bn_eval(layer, norm, transpose)
    np.testing.assert_allclose(fused(f32(*shape)), norm(layer(f32(*shape))), rtol=1e-4, atol=1e-5)


def test_weight_norm():
    x, layer = f32(5, 2, 3), nn.GRU(3, 4)
    plain = layer(x)[0]
    for name, dim in (("weight_ih_l0", 0), ("weight_hh_l0", None)):
        assert nn.utils.weight_norm(layer, name, dim) is layer
    assert [name for name in layer.state_dict() if name[-2:] in ("_g", "_v")] == [
        "weight_ih_l0_g", "weight_ih_l0_v", "weight_hh_l0_g", "weight_hh_l0_v"
    ]  # fmt: skip
    assert layer.weight_ih_l0_g.shape == (12, 1) and layer.weight_hh_l0_g.shape == () and isinstance(layer, nn.GRU)
    program = export(layer, (x,))
    layer.weight_ih_l0_v *= 3
    for run in (layer, program.module(), copy.deepcopy(layer)):
        np.testing.assert_allclose(run(x)[0], plain, rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="two weight_norm"):
        nn.utils.weight_norm(layer, "weight_ih_l0")
    for name in ("weight_ih_l0", "weight_hh_l0"):
        nn.utils.remove_weight_norm(layer, name)
    assert type(layer) is nn.GRU and set(layer.state_dict()) == set(nn.GRU(3, 4).state_dict())
    with pytest.raises(ValueError, match="not found"):
        nn.utils.remove_weight_norm(layer, "weight_ih_l0")


def test_what_draws_random_numbers():
    x, rng = f32(200, 50), np.random.default_rng(0)
    kept = F.alpha_dropout(F.selu(x), 0.3, True, generator=rng)
    assert kept.dtype == np.float32 and abs(kept.mean() - F.selu(x).mean()) < 0.05 and abs(kept.var() - F.selu(x).var()) < 0.15
    channels = F.feature_alpha_dropout(np.ones((8, 9, 4)), 0.5, True, generator=rng)
    assert (np.ptp(channels, axis=-1) == 0).all() and len(np.unique(channels)) == 2
    slopes = F.rrelu(-np.ones((300, 30)), training=True, generator=rng)
    assert slopes.min() < -0.32 and slopes.max() > -0.13 and abs(slopes.mean() + 11 / 48) < 0.01
    assert (F.rrelu(-np.ones(3)) == -11 / 48).all()
    hard = F.gumbel_softmax(np.log([[0.2, 0.3, 0.5]] * 4000), hard=True, generator=rng)
    np.testing.assert_allclose(hard.mean(axis=0), [0.2, 0.3, 0.5], atol=0.05)
    soft, drawn = F.gumbel_softmax(x, 0.5, dim=0, generator=np.random.default_rng(5)), np.random.default_rng(5).random(x.shape)
    np.testing.assert_array_equal(soft, F.gumbel_softmax(x, 0.5, dim=0, generator=drawn))
    np.testing.assert_allclose(soft.sum(axis=0), 1, rtol=1e-5)
    for layer in (nn.AlphaDropout(0.3), nn.FeatureAlphaDropout(0.3), nn.RReLU()):
        with pytest.raises(ValueError, match="generator="):
            layer(x)
        layer.eval()(x)
    with pytest.raises(ValueError, match="between 0 and 1"):
        F.alpha_dropout(x, 1.5, True)


def test_adaptive_softmax_is_a_softmax():
    layer, x = nn.AdaptiveLogSoftmaxWithLoss(8, 12, [4, 9]), f32(5, 8)
    log_prob, target = layer.log_prob(x), np.array([0, 3, 5, 11, 9])
    np.testing.assert_allclose(np.exp(log_prob).sum(axis=1), 1, rtol=1e-5)
    output, loss = layer(x, target)
    np.testing.assert_allclose(output, log_prob[np.arange(5), target])
    np.testing.assert_allclose(loss, -output.mean())
    np.testing.assert_array_equal(layer.predict(x), log_prob.argmax(axis=1))
    np.testing.assert_allclose(layer(x[0], np.array(3)).output, log_prob[0, 3], rtol=1e-5)


def test_the_index_of_nan_and_of_nothing_but_infinity():
    x = np.array([[[1.0, np.nan, 2.0, np.nan], [-np.inf] * 4]])
    values, indices = F.max_pool1d(x, 2, return_indices=True)
    np.testing.assert_array_equal(values, [[[np.nan, np.nan], [-np.inf, -np.inf]]])
    np.testing.assert_array_equal(indices, [[[1, 3], [0, 2]]])


IMAGE = f32(2, 3, 5, 6)
ERRORS = [
    (lambda: F.interpolate(IMAGE), ValueError, "either size or scale_factor"),
    (lambda: F.interpolate(IMAGE, 3, 2), ValueError, "either size or scale_factor"),
    (lambda: F.interpolate(IMAGE, (3,)), ValueError, r"size must be one number or 2, got \(3,\)"),
    (lambda: F.interpolate(IMAGE, 3, mode="linear"), ValueError, r"'linear' is for 3D input, got shape \(2, 3, 5, 6\)"),
    (lambda: F.interpolate(IMAGE, 3, mode="cubic"), ValueError, "mode must be one of"),
    (lambda: F.interpolate(IMAGE, 3, align_corners=True), ValueError, "align_corners is for"),
    (lambda: F.interpolate(IMAGE, 0), ValueError, "size must be at least 1"),
    (lambda: F.interpolate(IMAGE[0, 0], 3), ValueError, "3, 4 or 5 dimensions"),
    (lambda: F.interpolate(IMAGE, 3, recompute_scale_factor=True), ValueError, "meaningless"),
    (lambda: F.interpolate(IMAGE, 3, antialias=True), ValueError, "antialias=True is for"),
    (lambda: F.interpolate(IMAGE.astype(int), 3, mode="bilinear"), TypeError, "floating-point"),
    (lambda: F.grid_sample(IMAGE, f32(1, 4, 4, 2)), ValueError, "same batch size"),
    (lambda: F.grid_sample(IMAGE, f32(2, 4, 4, 3)), ValueError, "last axis of grid must have size 2"),
    (lambda: F.grid_sample(IMAGE, f32(2, 4, 4, 2), "linear"), ValueError, "mode must be"),
    (lambda: F.affine_grid(f32(2, 3, 3), (2, 1, 4, 4)), ValueError, r"theta must be \(N, 2, 3\)"),
    (lambda: F.fold(f32(2, 9, 4), (4, 4), 2), ValueError, "9 rows .* are not whole patches of 4"),
    (lambda: F.fold(f32(2, 8, 4), (4, 4), 2), ValueError, "has 9 patches, but input .* has 4"),
    (lambda: F.unfold(IMAGE, 9), ValueError, "smaller than the dilated kernel size 9"),
    (lambda: F.max_unpool2d(IMAGE, np.zeros((2, 3, 5, 5), int), 2), ValueError, "must have the same shape"),
    (
        lambda: F.max_unpool2d(IMAGE, np.zeros((2, 3, 5, 6), int), 2, output_size=(20, 20)),
        ValueError,
        "output_size 20 is not between 9 and 11",
    ),
    (lambda: F.pad(IMAGE, (6, 0), "reflect"), ValueError, "cannot pad an axis of size 6"),
    (lambda: F.pixel_shuffle(IMAGE, 2), ValueError, r"3 channels .* are not a multiple of 2 \* 2"),
    (lambda: F.pixel_unshuffle(IMAGE, 4), ValueError, "not multiples of 4"),
    (lambda: F.local_response_norm(f32(2, 3), 2), ValueError, "at least 3 dimensions"),
    (lambda: nn.Unflatten(1, (2, 2))(IMAGE), ValueError, r"axis 1 of size 3 cannot have the sizes \(2, 2\)"),
    (lambda: nn.ConvTranspose2d(3, 2, 3, 2)(IMAGE, output_size=(50, 50)), ValueError, "sizes from 11 to 12"),
    (lambda: nn.ConvTranspose2d(3, 2, 3, padding_mode="circular"), ValueError, "Only .zeros"),
    (lambda: nn.LSTM(6, 4)(f32(5, 3, 7)), ValueError, "last size 6"),
    (lambda: nn.LSTM(6, 4)(f32(5, 3, 6), (f32(1, 2, 4), f32(1, 2, 4))), ValueError, r"hx must have shape \(1, 3, 4\), got \(1, 2, 4\)"),
    (lambda: nn.LSTM(6, 4, proj_size=4), ValueError, "proj_size"),
    (lambda: nn.RNN(6, 4, nonlinearity="sin"), ValueError, "Unknown nonlinearity"),
    (lambda: nn.GRUCell(6, 4)(f32(2, 3, 6)), ValueError, "1D or 2D"),
    (lambda: nn.MultiheadAttention(6, 2)(f32(4, 2, 6), f32(4, 2, 5), f32(4, 2, 6)), ValueError, "last axis of key must have size 6"),
    (lambda: nn.MultiheadAttention(6, 2)(f32(4, 2, 6), f32(4, 6), f32(4, 6)), ValueError, "all be 3D"),
    (lambda: nn.Transformer(8, 2, 1, 1, 8)(f32(3, 2, 8), f32(3, 4, 8)), ValueError, "batch number"),
    (lambda: nn.TransformerEncoderLayer(8, 2, activation="swish"), ValueError, "relu/gelu"),
    (lambda: F.embedding_bag(np.arange(3), f32(5, 2)), ValueError, "1D with offsets"),
    (lambda: F.embedding_bag(np.arange(3), f32(5, 2), np.array([1, 2])), ValueError, "offsets must begin with 0"),
    (lambda: F.embedding_bag(np.arange(3), f32(5, 2), np.array([0, 2, -(2**63)])), ValueError, "not fall"),
    (lambda: F.embedding_bag(np.arange(3), f32(5, 2), np.array([0, 2, 1], np.uint64)), ValueError, "not fall"),
    (lambda: F.embedding_bag(np.array([[7]]), f32(5, 2)), IndexError, r"range\(5\)"),
    (lambda: nn.Embedding(4, 3, _weight=f32(4, 4)), ValueError, "does not match"),
    (lambda: F.nll_loss(f32(2, 3), np.array([0, 3])), IndexError, r"range\(3\)"),
    (lambda: F.cross_entropy(f32(2, 3), np.array([0, -1])), IndexError, r"range\(3\)"),
    (lambda: F.cross_entropy(f32(2, 3), np.array([0, 1, 2])), ValueError, r"needs a target of shape \(2,\), not \(3,\)"),
    (lambda: F.cross_entropy(f32(2, 3), np.array([0, 1]), f32(2)), ValueError, r"weight must have shape \(3,\)"),
    (lambda: F.binary_cross_entropy(f32(2, 3), f32(3)), ValueError, "target must have the shape"),
    (lambda: F.mse_loss(f32(2), f32(2), reduction="max"), ValueError, "not a valid value for reduction"),
    (lambda: F.ctc_loss(f32(5, 2, 3), np.ones((2, 2), int), [5, 5, 5], [1, 1]), ValueError, r"input_lengths must have shape \(2,\)"),
    (lambda: F.huber_loss(f32(2), f32(2), delta=0.0), ValueError, "positive"),
    (lambda: F.triplet_margin_loss(f32(2), f32(2), f32(2), 0.0), ValueError, "greater than 0"),
    (lambda: F.gaussian_nll_loss(f32(2, 3), f32(2, 3), f32(3)), ValueError, "does not fit"),
]


@pytest.mark.parametrize(("call", "error", "text"), ERRORS)
def test_errors_say_what_is_wrong(call, error, text):
    with pytest.raises(error, match=text):
        call()
