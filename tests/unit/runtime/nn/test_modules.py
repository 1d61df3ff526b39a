"""Modules: registration, state, modes, containers, initialisation, printing."""

from __future__ import annotations

import copy
import pickle
from collections import OrderedDict

import numpy as np
import pytest

from npexport import nn
from npexport.runtime.nn import functional as F

RNG = np.random.default_rng(2)


def f32(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.scale = nn.Parameter(np.ones(4, np.float32))
        self.register_buffer("calls", np.zeros((), np.int64))
        self.register_buffer("scratch", np.zeros(2), persistent=False)
        self.register_parameter("absent", None)
        self.stack = nn.Sequential(nn.ReLU(), nn.Linear(4, 2, bias=False))

    def forward(self, x):
        self.calls += 1
        return self.stack(self.first(x) * self.scale)


def test_names_and_values():
    net = Net()
    assert type(net.scale) is np.ndarray and net.absent is None
    assert [name for name, _ in net.named_parameters()] == ["scale", "first.weight", "first.bias", "stack.1.weight"]
    assert [name for name, _ in net.named_parameters(recurse=False)] == ["scale"]
    assert [name for name, _ in net.named_parameters("net")][1] == "net.first.weight"
    assert [name for name, _ in net.named_buffers()] == ["calls", "scratch"]
    assert [name for name, _ in net.named_modules()] == ["", "first", "stack", "stack.0", "stack.1"]
    assert [name for name, _ in net.named_children()] == ["first", "stack"]
    assert list(net.state_dict()) == ["scale", "calls", "first.weight", "first.bias", "stack.1.weight"]
    assert net.get_submodule("stack.1") is net.stack[1]
    assert net.get_parameter("first.bias") is net.first.bias and net.get_buffer("scratch") is net.scratch
    for path in ("stack.2", "scale", "first.weight"):
        with pytest.raises(AttributeError):
            net.get_submodule(path)
    with pytest.raises(AttributeError):
        net.get_parameter("calls")


def test_the_order_of_names_is_of_registration_parents_first():
    net = Net()
    net.last = nn.Parameter(np.zeros(1))
    assert [name for name, _ in net.named_parameters()][:2] == ["scale", "last"]


def test_calls_run_forward_and_buffers_are_written_in_place():
    net = Net()
    calls = net.calls
    x = f32(5, 3)
    expected = np.maximum(x @ net.first.weight.T + net.first.bias, 0) @ net.stack[1].weight.T
    np.testing.assert_allclose(net(x), expected, rtol=1e-5, atol=1e-6)
    assert net.calls is calls and calls == 1
    net.calls = net.calls + 1  # NumPy hands a scalar over; the buffer stays an array
    assert type(net.calls) is np.ndarray and net.calls == 2 and "calls" in net.state_dict()
    with pytest.raises(NotImplementedError, match=r"Module \[Module\].*forward"):
        nn.Module()(x)


def test_assignment_to_registered_names():
    net = Net()
    net.scale = np.zeros(4, np.float32)
    assert dict(net.named_parameters())["scale"] is net.scale
    net.first = None
    assert "first.weight" not in net.state_dict()
    net.first = nn.Linear(3, 4)
    for name, value in (("scale", 1.0), ("calls", [1]), ("first", np.ones(3))):
        with pytest.raises(TypeError, match=name):
            setattr(net, name, value)
    del net.scale
    assert not hasattr(net, "scale") and "scale" not in net.state_dict()
    for bad, error in (("a.b", KeyError), ("", KeyError), ("forward", KeyError), (3, TypeError)):
        with pytest.raises(error):
            net.register_buffer(bad, np.zeros(1))
    with pytest.raises(TypeError):
        net.register_parameter("weights", [1.0])
    with pytest.raises(TypeError):
        net.add_module("plain", print)


def test_shared_arrays_and_modules_are_named_once_and_saved_under_every_name():
    net = nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 5, bias=False))
    net[1].weight = net[0].weight
    net.append(net[0])
    assert [name for name, _ in net.named_parameters()] == ["0.weight"]
    assert len(dict(net.named_parameters(remove_duplicate=False))) == 3
    assert list(net.state_dict()) == ["0.weight", "1.weight", "2.weight"]
    assert len(list(net.modules())) == 3
    net.to(np.float64)
    assert net[0].weight is net[1].weight and net[0].weight.dtype == np.float64


def test_load_state_dict():
    source, target = Net(), Net()
    arrays = dict(target.named_parameters())
    assert target.load_state_dict(source.state_dict()) == ([], [])
    for name, value in target.named_parameters():
        assert value is arrays[name]
        np.testing.assert_array_equal(value, source.state_dict()[name])
    state = {name: value + 1 for name, value in source.state_dict().items()}
    state["first.bias"] = np.zeros(3)
    del state["scale"]
    state["extra"] = np.zeros(1)
    before = target.first.weight.copy()
    with pytest.raises(RuntimeError) as caught:
        target.load_state_dict(state)
    for text in (
        "size mismatch for first.bias",
        "(3,)",
        "(4,)",
        'Missing key(s) in state_dict: "scale"',
        'Unexpected key(s) in state_dict: "extra"',
    ):
        assert text in str(caught.value)
    np.testing.assert_array_equal(target.first.weight, before)
    state["first.bias"] = np.zeros(4)
    assert target.load_state_dict(state, strict=False) == (["scale"], ["extra"])
    np.testing.assert_array_equal(target.first.weight, state["first.weight"])
    assert target.load_state_dict(source.state_dict(), assign=True) and target.scale is source.scale


def test_modes_apply_and_copies():
    net = Net()
    assert net.eval() is net and not any(module.training for module in net.modules())
    assert all(module.training for module in net.train().modules())
    seen = []
    net.apply(seen.append)
    assert seen[-1] is net and len(seen) == 5
    twin = copy.deepcopy(net)
    twin.scale[0] = 7
    assert net.scale[0] == 1 and list(twin.state_dict()) == list(net.state_dict())
    again = pickle.loads(pickle.dumps(nn.Linear(2, 2)))
    assert list(again.state_dict()) == ["weight", "bias"]


def test_containers():
    layers = nn.ModuleList([nn.Identity(), nn.ReLU()])
    layers.append(nn.Tanh()).extend([nn.Sigmoid()])
    layers.insert(1, nn.Flatten())
    assert [type(layer).__name__ for layer in layers] == ["Identity", "Flatten", "ReLU", "Tanh", "Sigmoid"]
    del layers[0]
    layers[-1] = nn.GELU()
    assert [name for name, _ in layers.named_children()] == ["0", "1", "2", "3"] and type(layers[-1]) is nn.GELU
    assert [type(layer).__name__ for layer in layers[1:3]] == ["ReLU", "Tanh"] and type(layers[1:3]) is nn.ModuleList
    with pytest.raises(IndexError):
        layers[4]
    named = nn.Sequential(OrderedDict(a=nn.Linear(2, 3), b=nn.ReLU()))
    assert named[0] is named.a and [name for name, _ in named[1:].named_children()] == ["b"]
    assert list(named.state_dict()) == ["a.weight", "a.bias"] and len(named) == 2
    table = nn.ModuleDict({"x": nn.ReLU(), "y": nn.Tanh()})
    table["z"] = nn.Identity()
    assert list(table) == ["x", "y", "z"] and "y" in table and type(table.pop("y")) is nn.Tanh and len(table) == 2
    with pytest.raises(KeyError):
        table["y"]
    weights = nn.ParameterList([np.ones(2), nn.Parameter(np.zeros(3))])
    assert [name for name, _ in weights.named_parameters()] == ["0", "1"] and type(weights[1]) is np.ndarray
    assert dict(nn.ParameterDict({"w": np.ones(2)}).named_parameters())["w"].shape == (2,)


def test_repr_is_torchs():
    net = nn.Sequential(nn.Conv2d(1, 2, 3, padding=1, bias=False), nn.Sequential(nn.ReLU(inplace=True), nn.Dropout(0.25)))
    assert repr(net) == (
        "Sequential(\n"
        "  (0): Conv2d(1, 2, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1), bias=False)\n"
        "  (1): Sequential(\n"
        "    (0): ReLU(inplace=True)\n"
        "    (1): Dropout(p=0.25, inplace=False)\n"
        "  )\n"
        ")"
    )
    assert repr(nn.Linear(2, 3)) == "Linear(in_features=2, out_features=3, bias=True)"
    assert repr(nn.Module()) == "Module()"


@pytest.mark.parametrize(
    ("layer", "bound"),
    [
        (lambda g: nn.Linear(100, 50, generator=g), 1 / 10),
        (lambda g: nn.Conv2d(8, 40, 5, groups=2, generator=g), 1 / 10),
        (lambda g: nn.LSTM(30, 100, generator=g), 1 / 10),
    ],
)
def test_initialisation_is_torchs(layer, bound):
    first, second = layer(np.random.default_rng(3)), layer(np.random.default_rng(3))
    for (name, value), other in zip(first.named_parameters(), second.parameters()):
        np.testing.assert_array_equal(value, other)
        assert value.dtype == np.float32 and np.abs(value).max() <= bound, name
        assert np.abs(value).max() > 0.85 * bound and abs(value.mean()) < 0.3 * bound, name


def test_default_generator():
    nn.init.manual_seed(5)
    first = nn.Linear(3, 3).weight
    nn.init.manual_seed(5)
    np.testing.assert_array_equal(nn.Linear(3, 3).weight, first)
    table = nn.Embedding(1000, 20, padding_idx=-1).weight
    assert abs(table.std() - 1) < 0.05 and not table[-1].any()
    q = nn.init.orthogonal_(np.empty((3, 5)))
    np.testing.assert_allclose(q @ q.T, np.eye(3), atol=1e-12)
    kaiming = nn.init.kaiming_normal_(np.empty((400, 100)), nonlinearity="relu")
    assert abs(kaiming.std() - np.sqrt(2 / 100)) < 0.005
    assert np.abs(nn.init.trunc_normal_(np.empty(1000))).max() <= 2
    with pytest.raises(ValueError):
        nn.init.calculate_gain("nothing")


def test_batch_norm_in_training_and_evaluation():
    layer, x = nn.BatchNorm1d(3), f32(8, 3)
    mean = layer.running_mean
    out = layer(x)
    np.testing.assert_allclose(out.mean(0), 0, atol=1e-6)
    assert layer.running_mean is mean and layer.num_batches_tracked == 1
    np.testing.assert_allclose(mean, 0.1 * x.mean(0), rtol=1e-5)
    np.testing.assert_allclose(layer.running_var, 0.9 + 0.1 * x.var(0, ddof=1), rtol=1e-5)
    layer.eval()
    before = copy.deepcopy(layer.state_dict())
    np.testing.assert_allclose(layer(x), (x - mean) / np.sqrt(layer.running_var + 1e-5), rtol=1e-4, atol=1e-6)
    for name, value in layer.state_dict().items():
        np.testing.assert_array_equal(value, before[name])
    cumulative = nn.BatchNorm1d(3, momentum=None)
    cumulative(x), cumulative(x + 1)
    np.testing.assert_allclose(cumulative.running_mean, x.mean(0) + 0.5, rtol=1e-4, atol=1e-6)
    assert list(nn.BatchNorm2d(2, affine=False, track_running_stats=False).state_dict()) == []
    with pytest.raises(ValueError, match="expected 4D input"):
        nn.BatchNorm2d(3)(x)


def test_dropout():
    x = np.ones((50, 40), np.float32)
    layer = nn.Dropout(0.25, generator=np.random.default_rng(0))
    out = layer(x)
    assert out.dtype == np.float32 and set(np.unique(out)) == {np.float32(0), np.float32(4 / 3)} and abs((out == 0).mean() - 0.25) < 0.05
    assert layer.eval()(x) is x
    with pytest.raises(ValueError, match=r"generator=.*\.eval\(\)"):
        nn.Dropout()(x)
    channels = F.dropout2d(np.ones((4, 6, 3, 3)), generator=np.random.default_rng(0)).reshape(24, 9)
    assert all(len(set(channel)) == 1 for channel in channels) and len(np.unique(channels)) == 2


def test_inplace_writes_the_input():
    x = np.array([-1.0, 2.0], np.float32)
    assert nn.ReLU(inplace=True)(x) is x and x.tolist() == [0, 2]
    assert nn.ReLU()(x) is not x


def test_multihead_attention():
    generator = np.random.default_rng(4)
    layer = nn.MultiheadAttention(8, 2, kdim=5, vdim=3, batch_first=True, generator=generator)
    q, k, v = f32(2, 4, 8), f32(2, 6, 5), f32(2, 6, 3)
    mask, padding = np.triu(np.ones((4, 6), bool), 2), np.zeros((2, 6), bool)
    padding[1, 4:] = True
    out, weights = layer(q, k, v, key_padding_mask=padding, attn_mask=mask)
    assert out.shape == (2, 4, 8) and weights.shape == (2, 4, 6)
    np.testing.assert_allclose(weights.sum(-1), 1, rtol=1e-5)
    assert not weights[:, 0, 2:].any() and not weights[1, :, 4:].any()
    other, none = layer(q, k, v, key_padding_mask=padding, attn_mask=mask, need_weights=False)
    assert none is None
    np.testing.assert_allclose(other, out, rtol=1e-4, atol=1e-6)
    same = nn.MultiheadAttention(8, 2, generator=generator)
    steps, _ = same(q.swapaxes(0, 1), q.swapaxes(0, 1), q.swapaxes(0, 1))
    single, one = same(q[0], q[0], q[0], average_attn_weights=False)
    assert one.shape == (2, 4, 4)
    np.testing.assert_allclose(single, steps[:, 0], rtol=1e-4, atol=1e-6)


def test_transformer_encoder_layer():
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True).eval()
    x = f32(2, 5, 8)
    y = x + layer.self_attn(layer.norm1(x), layer.norm1(x), layer.norm1(x))[0]
    np.testing.assert_allclose(layer(x), y + layer.linear2(np.maximum(layer.linear1(layer.norm2(y)), 0)), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("layer_type", "cell_type"), [(nn.RNN, nn.RNNCell), (nn.GRU, nn.GRUCell), (nn.LSTM, nn.LSTMCell)])
def test_recurrent_layers_are_loops_over_cells(layer_type, cell_type):
    layer, cell = layer_type(3, 4), cell_type(3, 4)
    cell.load_state_dict({name.removesuffix("_l0"): value for name, value in layer.state_dict().items()})
    x = f32(5, 2, 3)
    out, last = layer(x)
    state = None
    for step in range(5):
        state = cell(x[step], state)
        np.testing.assert_allclose(out[step], state[0] if layer_type is nn.LSTM else state, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(np.stack(last).squeeze() if layer_type is nn.LSTM else last[0], np.stack(state), rtol=1e-5, atol=1e-6)
    both = layer_type(3, 4, num_layers=2, bidirectional=True, batch_first=True)
    assert both(x)[0].shape == (5, 2, 8) and both(x[0])[0].shape == (2, 8)


def test_lstm_cell_is_the_textbooks():
    cell = nn.LSTMCell(2, 3)
    x, h, c = f32(4, 2), f32(4, 3), f32(4, 3)
    gates = x @ cell.weight_ih.T + cell.bias_ih + h @ cell.weight_hh.T + cell.bias_hh
    i, f, o = [1 / (1 + np.exp(-gates[:, k * 3 : k * 3 + 3])) for k in (0, 1, 3)]
    expected = f * c + i * np.tanh(gates[:, 6:9])
    new_h, new_c = cell(x, (h, c))
    np.testing.assert_allclose(new_c, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(new_h, o * np.tanh(expected), rtol=1e-5, atol=1e-6)


def test_losses():
    logits, target = RNG.standard_normal((4, 3)), np.array([0, 2, 1, -100])
    log_p = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    weight = np.array([1.0, 2.0, 3.0])
    picked = [-log_p[0, 0] * 1, -log_p[1, 2] * 3, -log_p[2, 1] * 2]
    assert F.cross_entropy(logits, target, weight) == pytest.approx(sum(picked) / 6)
    assert nn.CrossEntropyLoss(reduction="sum")(logits, target) == pytest.approx(-log_p[0, 0] - log_p[1, 2] - log_p[2, 1])
    smoothed = 0.1 * np.eye(3)[[0, 2, 1]] * 0 + 0.9 * np.eye(3)[[0, 2, 1]] + 0.1 / 3
    assert F.cross_entropy(logits, target, label_smoothing=0.1) == pytest.approx(-(smoothed * log_p[:3]).sum() / 3)
    assert F.cross_entropy(logits[:3], np.eye(3)[[0, 2, 1]], label_smoothing=0.1) == pytest.approx(-(smoothed * log_p[:3]).sum() / 3)
    p, t = RNG.random(5), (RNG.random(5) > 0.5) * 1.0
    expected = -(t * np.log(p) + (1 - t) * np.log(1 - p)).mean()
    assert F.binary_cross_entropy(p, t) == pytest.approx(expected)
    assert F.binary_cross_entropy_with_logits(np.log(p / (1 - p)), t) == pytest.approx(expected)
    a, b = RNG.standard_normal(5) * 2, RNG.standard_normal(5)
    assert nn.MSELoss()(a, b) == pytest.approx(((a - b) ** 2).mean()) and nn.L1Loss()(a, b) == pytest.approx(abs(a - b).mean())
    assert F.huber_loss(a, b, delta=2.0) == pytest.approx(2 * F.smooth_l1_loss(a, b, beta=2.0))
    q = np.array([0.5, 0.5, 0.0])
    assert F.kl_div(np.log([0.2, 0.3, 0.5]), q, reduction="sum") == pytest.approx(0.5 * np.log(2.5) + 0.5 * np.log(5 / 3))
    with pytest.raises(ValueError, match="reduction"):
        F.mse_loss(a, b, reduction="avg")


def test_shapes():
    x = f32(2, 3, 4, 5)
    assert (
        nn.Flatten()(x).shape == (2, 60) and nn.Flatten(0, 1)(x).shape == (6, 4, 5) and nn.Unflatten(1, (3, 1))(x).shape == (2, 3, 1, 4, 5)
    )
    padded = F.pad(x, (1, 2, 0, 1))
    assert padded.shape == (2, 3, 5, 8) and not padded[..., 0].any()
    np.testing.assert_array_equal(F.pad(x, (2, 0), "reflect"), np.pad(x, [(0, 0)] * 3 + [(2, 0)], mode="reflect"))
    shuffled = F.pixel_shuffle(np.arange(16).reshape(1, 4, 2, 2), 2)
    np.testing.assert_array_equal(shuffled[0, 0], [[0, 4, 1, 5], [8, 12, 9, 13], [2, 6, 3, 7], [10, 14, 11, 15]])
    circular = nn.Conv1d(1, 1, 3, padding=1, padding_mode="circular", bias=False)
    circular.weight[...] = 1
    np.testing.assert_allclose(circular(np.float32([[[1, 2, 3, 4]]])), [[[7, 6, 9, 8]]])
    with pytest.raises(ValueError, match="Flatten"):
        nn.Flatten(2)(x[0, 0])


def test_every_layer_and_function_has_a_doc():
    for name in nn.__all__:
        assert getattr(nn, name).__doc__, name
    for name, function in vars(F).items():
        if callable(function) and not name.startswith("_") and name != "ops":
            assert function.__doc__, name


def test_the_package_is_importable_under_its_own_name():
    import npexport.nn
    import npexport.nn.functional
    import npexport.nn.init
    from npexport.nn import Linear

    assert npexport.nn is nn and npexport.nn.functional is F and npexport.nn.init is nn.init and Linear is nn.Linear


def test_smoothed_losses_of_float32_stay_float32():
    logits, target = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3), np.array([0, 1, 2, 1])
    loss = F.cross_entropy(logits, target, label_smoothing=0.2, ignore_index=2)
    assert loss.dtype == np.float32
    assert loss == pytest.approx(F.cross_entropy(logits[[0, 1, 3]], target[[0, 1, 3]], label_smoothing=0.2))


def test_negative_padding_cuts_off():
    x = np.arange(24.0).reshape(2, 3, 4)
    np.testing.assert_array_equal(F.pad(x, (-1, 2, 1, -2)), np.pad(x[:, :1, 1:], ((0, 0), (1, 0), (0, 2))))
    np.testing.assert_array_equal(F.pad(x, (-1, 1), mode="replicate"), np.pad(x[..., 1:], ((0, 0), (0, 0), (0, 1)), mode="edge"))


def test_averages_by_a_divisor():
    x = np.arange(16.0).reshape(1, 1, 4, 4)
    np.testing.assert_array_equal(nn.AvgPool2d(2, divisor_override=3)(x), nn.AvgPool2d(2)(x) * 4 / 3)


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        (nn.ZeroPad1d((1, 2)), [[0, 0, 1, 2, 0, 0], [0, 3, 4, 5, 0, 0]]),
        (nn.ConstantPad1d(1, 7.0), [[7, 0, 1, 2, 7], [7, 3, 4, 5, 7]]),
        (nn.ReflectionPad1d(2), [[2, 1, 0, 1, 2, 1, 0], [5, 4, 3, 4, 5, 4, 3]]),
        (nn.ReplicationPad1d((0, 2)), [[0, 1, 2, 2, 2], [3, 4, 5, 5, 5]]),
        (nn.CircularPad1d((1, 0)), [[2, 0, 1, 2], [5, 3, 4, 5]]),
    ],
    ids=str,
)
def test_padding(layer, expected):
    np.testing.assert_array_equal(layer(np.arange(6.0).reshape(2, 3)), expected)


def test_padding_layers_say_what_they_are():
    assert repr(nn.ZeroPad2d(1)) == "ZeroPad2d((1, 1, 1, 1))"
    assert repr(nn.ConstantPad1d((1, 2), 3.5)) == "ConstantPad1d(padding=(1, 2), value=3.5)"
    with pytest.raises(ValueError, match="ReflectionPad2d: padding has 4 widths"):
        nn.ReflectionPad2d((1, 2))


def test_layers_that_rearrange():
    x = np.arange(32.0).reshape(1, 2, 4, 4)
    np.testing.assert_array_equal(nn.PixelShuffle(2)(nn.PixelUnshuffle(2)(x)), x)
    np.testing.assert_array_equal(nn.PixelUnshuffle(2)(x)[0, :, 0, 0], [0, 1, 4, 5, 16, 17, 20, 21])
    np.testing.assert_array_equal(nn.ChannelShuffle(2)(np.arange(4.0).reshape(1, 4, 1))[0, :, 0], [0, 2, 1, 3])
    with pytest.raises(ValueError, match="3 channels are not 2 equal groups"):
        nn.ChannelShuffle(2)(np.ones((1, 3, 1)))


def test_distances():
    a, b = np.array([[1.0, 0.0], [3.0, 4.0]]), np.array([[0.0, 1.0], [0.0, 0.0]])
    np.testing.assert_allclose(nn.CosineSimilarity()(a, b), [0, 0])
    np.testing.assert_allclose(nn.PairwiseDistance(eps=0)(a, b), [2**0.5, 5])
    np.testing.assert_allclose(nn.PairwiseDistance(1, keepdim=True)(a, b), [[2], [7]], atol=1e-5)


def test_dropout_of_whole_volumes():
    layer = nn.Dropout3d(0.5, generator=np.random.default_rng(0))
    out = layer(np.ones((4, 8, 2, 2, 2)))
    kept = out.reshape(4, 8, -1)
    assert ((kept == 0).all(-1) | (kept == 2).all(-1)).all() and 0 < (kept[..., 0] == 0).sum() < 32


def test_encoders_are_copies_of_one_layer():
    layer = nn.TransformerEncoderLayer(4, 2, 8)
    encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm(4))
    assert [name for name, _ in encoder.named_children()] == ["layers", "norm"]
    one, other = encoder.layers[0].linear1.weight, encoder.layers[1].linear1.weight
    assert one is not other and (one == other).all() and one is not layer.linear1.weight
    encoder.eval()
    assert encoder(np.ones((3, 2, 4), np.float32)).shape == (3, 2, 4)
