"""Every layer, exported, computes what it computes eagerly: with static sizes, with a dynamic batch, and with state that it moves."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from npexport import Dim, InputKind, OutputKind, Unsupported, export, load, nn, save
from npexport.runtime.nn import functional as F
from tests.support.layers import IMAGE, LAYERS, ROWS, STEPS, Attention, f32, seeded


def assert_close(actual, expected):
    if isinstance(expected, (tuple, list)):
        for one, other in zip(actual, expected, strict=True):
            assert_close(one, other)
    elif isinstance(expected, dict):
        assert list(actual) == list(expected)
        assert_close(list(actual.values()), list(expected.values()))
    else:
        assert type(actual) is type(expected) and actual.dtype == expected.dtype
        np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", LAYERS)
def test_static(name):
    make, shape = LAYERS[name]
    layer = seeded(make)
    run = export(layer, (f32(*shape),)).module()
    assert_close(run(f32(*shape, seed=1)), layer(f32(*shape, seed=1)))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the mean of nothing
@pytest.mark.parametrize("name", LAYERS)
def test_dynamic_batch(name):
    make, shape = LAYERS[name]
    layer = seeded(make)
    program = export(layer, (f32(*shape),), dynamic_shapes=({0: Dim("batch")},))
    for batch in (0, 1, 2, 7):
        x = f32(batch, *shape[1:], seed=batch)
        assert_close(program.module()(x.copy()), layer(x.copy()))


def test_graph_has_one_operator_of_nn_for_each_layer():
    network = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(4 * 3 * 3, 2)).eval()
    program = export(network, (f32(2, 3, 8, 8),))
    names = [repr(node.target) for node in program.graph.nodes if node.op == "call_function"]
    assert names == ["ops.nn.conv2d", "ops.nn.batch_norm", "ops.nn.relu", "ops.nn.max_pool2d", "ops.np.reshape", "ops.nn.linear"]


# A layer and the shape of its input, of which these axes are dynamic.
DYNAMIC = {
    "LSTM": (lambda: nn.LSTM(8, 3, 2, batch_first=True, bidirectional=True), STEPS, (0, 1)),
    "GRU": (lambda: nn.GRU(8, 3), STEPS, (0, 1)),
    "RNN": (lambda: nn.RNN(8, 3), (5, 8), (0,)),
    "TransformerEncoder": (lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2), STEPS, (0, 1)),
    "MultiheadAttention": (lambda: Attention(), STEPS, (0, 1)),
    "Upsample": (lambda: nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True), IMAGE, (0, 2, 3)),
    "Upsample-part": (lambda: nn.Upsample(scale_factor=1.5), IMAGE, (0, 2, 3)),
    "AdaptiveAvgPool3d": (lambda: nn.AdaptiveAvgPool3d((2, None, 3)), (2, 3, 4, 5, 6), (0, 2, 3, 4)),
    "Unfold": (lambda: nn.Unfold(3, padding=1), IMAGE, (0, 2, 3)),
    "ConvTranspose1d": (lambda: nn.ConvTranspose1d(5, 4, 3, 2, 1, 1), STEPS, (0, 2)),
    "InstanceNorm2d": (lambda: nn.InstanceNorm2d(3), IMAGE, (0, 2, 3)),
    "LocalResponseNorm": (lambda: nn.LocalResponseNorm(2), IMAGE, (0, 2, 3)),
    "PixelShuffle": (lambda: nn.PixelShuffle(2), (2, 4, 3, 5), (0, 2, 3)),
    "CosineSimilarity": (lambda: _Similar(), ROWS, (0,)),
}


class _Similar(nn.Module):
    def forward(self, x):
        return F.cosine_similarity(x, x[::-1]), F.pdist(x), F.normalize(x, 3), F.triplet_margin_loss(x, x[::-1], x + 1, swap=True)


@pytest.mark.parametrize("name", DYNAMIC)
def test_dynamic_lengths(name, tmp_path):
    make, shape, axes = DYNAMIC[name]
    layer = seeded(make)
    program = export(layer, (f32(*shape),), dynamic_shapes=({axis: Dim(f"size{axis}", min=1) for axis in axes},))
    save(program, tmp_path / "layer.np2")
    loaded = load(tmp_path / "layer.np2")
    for grown in (0, 1, 4):
        x = f32(*[size + grown if axis in axes else size for axis, size in enumerate(shape)], seed=grown)
        for run in (program.module(), loaded.module()):
            assert_close(run(x.copy()), layer(x.copy()))


def test_recurrent_layers_are_one_operator_for_each_direction():
    layer = seeded(lambda: nn.LSTM(8, 3, bidirectional=True))
    program = export(layer, (f32(*STEPS),))
    assert [repr(node.target) for node in program.graph.nodes].count("ops.nn.lstm") == 2


def test_multihead_attention():
    layer = nn.MultiheadAttention(8, 2, batch_first=True).eval()
    mask = np.triu(np.ones((5, 5), bool), 1)

    def attend(x, padding):
        return layer(x, x, x, key_padding_mask=padding, attn_mask=mask)

    x, padding = f32(*STEPS), np.zeros((4, 5), bool)
    padding[1, 3:] = True
    assert_close(export(attend, (f32(*STEPS, seed=3), ~padding)).module()(x, padding), attend(x, padding))


def test_batch_norm_in_training_moves_its_statistics():
    layer = nn.BatchNorm1d(6)
    program = export(layer, (f32(*ROWS),))
    assert layer.num_batches_tracked == 0 and not layer.running_mean.any()
    mutated = [spec.target for spec in program.graph_signature.output_specs if spec.kind is OutputKind.BUFFER_MUTATION]
    assert sorted(mutated) == ["num_batches_tracked", "running_mean", "running_var"]
    run, eager = program.module(), copy.deepcopy(layer)
    for seed in (1, 2):
        assert_close(run(f32(*ROWS, seed=seed)), eager(f32(*ROWS, seed=seed)))
    for name, value in run.named_buffers():
        np.testing.assert_allclose(value, getattr(eager, name), rtol=1e-5, atol=1e-6)
    assert layer.num_batches_tracked == 0


def test_the_buffer_of_the_readme_counts_calls():
    class Scorer(nn.Module):
        def __init__(self):
            super().__init__()
            self.branch = nn.Sequential(nn.Linear(6, 3), nn.ReLU())
            self.register_buffer("calls", np.zeros((), np.int64))

        def forward(self, x, *, scale=1.0):
            self.calls += 1
            return self.branch(x) * scale

    network = Scorer()
    program = export(network, (f32(*ROWS),), {"scale": 2.0}, dynamic_shapes={"x": {0: Dim("batch", max=1024)}, "scale": None})
    kinds = {spec.target: spec.kind for spec in program.graph_signature.input_specs if spec.target}
    assert kinds == {"branch.0.weight": InputKind.PARAMETER, "branch.0.bias": InputKind.PARAMETER, "calls": InputKind.BUFFER}
    run = program.module()
    run(f32(2, 6), scale=2.0)
    run(f32(3, 6), scale=2.0)
    assert dict(run.named_buffers())["calls"] == 2 and network.calls == 0


def test_tied_weights_are_one_parameter():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(7, 6)
            self.out = nn.Linear(6, 7, bias=False)
            self.out.weight = self.embedding.weight

        def forward(self, tokens):
            return self.out(self.embedding(tokens))

    network = Tied()
    program = export(network, (np.array([[1, 2]]),))
    parameters = [spec for spec in program.graph_signature.input_specs if spec.kind is InputKind.PARAMETER]
    assert len(parameters) == 1
    assert_close(program.module()(np.array([[3, 6]])), network(np.array([[3, 6]])))
    with pytest.raises(IndexError):
        program.module()(np.array([[3, 7]]))


def test_dropout_in_training_needs_a_generator():
    with pytest.raises(ValueError, match="generator"):
        export(nn.Dropout(), (f32(*ROWS),))


class _Dropping(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.dropout, self.channels = nn.Linear(6, 6), nn.Dropout(0.3), nn.Dropout1d(0.5)

    def forward(self, x, drawn, of_channels):
        return self.channels(self.dropout(self.linear(x), generator=drawn)[None], of_channels)


def test_dropout_takes_what_a_generator_has_drawn():
    network, rng = seeded(_Dropping).train(), np.random.default_rng(0)
    batch = Dim("batch")
    example = f32(4, 6), rng.random((4, 6)), rng.random((1, 4, 1))
    run = export(network, example, dynamic_shapes=({0: batch}, {0: batch}, {1: batch})).module()
    for size in (1, 4, 7):
        x, drawn, of_channels = f32(size, 6), rng.random((size, 6)), rng.random((1, size, 1))
        assert_close(run(x, drawn, of_channels), network(x, drawn, of_channels))
    same, generator = rng.random((2, 6)), np.random.default_rng(5)
    expected = F.dropout(f32(2, 6), generator=np.random.default_rng(5))
    np.testing.assert_array_equal(F.dropout(f32(2, 6), generator=generator.random((2, 6))), expected)
    with pytest.raises(ValueError, match="random numbers of shape"):
        F.dropout(f32(3, 6), generator=same)
    drops = export(lambda x, rng: F.dropout(x, generator=rng), (f32(2, 6), generator)).module()
    np.testing.assert_array_equal(drops(f32(2, 6), np.random.default_rng(5)), expected)


def test_errors_are_those_of_eager_calls():
    layer = nn.Linear(5, 2)
    with pytest.raises(ValueError, match=r"shape \(4, 6\) must have size 5"):
        layer(f32(*ROWS))
    with pytest.raises(ValueError, match=r"shape \(4, 6\) must have size 5"):
        export(layer, (f32(*ROWS),))


def test_classes_of_data_are_refused():
    with pytest.raises(Unsupported):
        export(lambda x: F.one_hot(x), (np.array([0, 2]),))
