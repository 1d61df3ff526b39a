"""Every layer with the shape of an input, seeded, and modules of one function."""

from __future__ import annotations

import numpy as np

from npexport import nn
from npexport.runtime.nn import functional as F


def f32(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def seeded(make):
    nn.init.manual_seed(0)
    return make().eval()


IMAGE, ROWS, STEPS = (4, 3, 9, 8), (4, 6), (4, 5, 8)
# A layer, the shape of its input, and whether the batch is its first axis.
LAYERS = {
    "Linear": (lambda: nn.Linear(6, 5), ROWS),
    "Conv1d": (lambda: nn.Conv1d(5, 4, 3, padding="same"), STEPS),
    "Conv2d": (lambda: nn.Conv2d(3, 6, (3, 2), stride=2, padding=1, dilation=2, groups=3), IMAGE),
    "Conv2d-circular": (lambda: nn.Conv2d(3, 4, 3, padding=1, padding_mode="circular"), IMAGE),
    "ConvTranspose2d": (lambda: nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1), IMAGE),
    "MaxPool2d": (lambda: nn.MaxPool2d(3, 2, 1, ceil_mode=True), IMAGE),
    "AvgPool2d": (lambda: nn.AvgPool2d(3, 2, 1, True, False), IMAGE),
    "AdaptiveAvgPool2d": (lambda: nn.AdaptiveAvgPool2d((2, None)), IMAGE),
    "AdaptiveMaxPool1d": (lambda: nn.AdaptiveMaxPool1d(3), STEPS),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(3), IMAGE),
    "InstanceNorm2d": (lambda: nn.InstanceNorm2d(3, affine=True), IMAGE),
    "LayerNorm": (lambda: nn.LayerNorm((5, 8)), STEPS),
    "GroupNorm": (lambda: nn.GroupNorm(3, 6), ROWS),
    "RMSNorm": (lambda: nn.RMSNorm(8), STEPS),
    "Dropout": (lambda: nn.Dropout(), ROWS),
    "Softmax": (lambda: nn.Softmax(dim=-1), ROWS),
    "GLU": (lambda: nn.GLU(), ROWS),
    "PReLU": (lambda: nn.PReLU(6), ROWS),
    "GELU": (lambda: nn.GELU(), ROWS),
    "LeakyReLU": (lambda: nn.LeakyReLU(0.2, inplace=True), ROWS),
    "Hardswish": (lambda: nn.Hardswish(), ROWS),
    "Softplus": (lambda: nn.Softplus(), ROWS),
    "Flatten": (lambda: nn.Sequential(nn.Flatten(), nn.Linear(40, 2)), STEPS),
    "PixelShuffle": (lambda: nn.Sequential(nn.Conv2d(3, 4, 1), nn.PixelShuffle(2)), IMAGE),
    "PixelUnshuffle": (lambda: nn.Sequential(nn.ZeroPad2d((0, 2, 0, 0)), nn.PixelUnshuffle(2)), (2, 3, 4, 6)),
    "ChannelShuffle": (lambda: nn.ChannelShuffle(3), (2, 6, 4, 5)),
    "ReflectionPad2d": (lambda: nn.ReflectionPad2d((1, 2, 2, 0)), IMAGE),
    "ReplicationPad1d": (lambda: nn.ReplicationPad1d(2), STEPS),
    "CircularPad1d": (lambda: nn.CircularPad1d((1, 2)), STEPS),
    "ConstantPad3d": (lambda: nn.ConstantPad3d(1, 2.5), (2, 3, 4, 5, 6)),
    "TransformerEncoder": (
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2, nn.LayerNorm(8)),
        STEPS,
    ),
    "TransformerEncoderLayer": (lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), STEPS),
    "GRUCell": (lambda: nn.GRUCell(6, 3), ROWS),
    "ModuleList": (lambda: _Stack(), ROWS),
    "LSTM": (lambda: nn.LSTM(8, 3, num_layers=2, bidirectional=True, batch_first=True), STEPS),
    "RNN": (lambda: nn.RNN(8, 3, batch_first=True), STEPS),
    "CrossEntropyLoss": (lambda: _Loss(), ROWS),
    "ConvTranspose3d": (lambda: nn.ConvTranspose3d(3, 4, 2, stride=2), (2, 3, 4, 5, 3)),
    "MaxPool3d-indices": (lambda: nn.MaxPool3d(2, return_indices=True), (2, 3, 4, 5, 6)),
    "MaxUnpool2d": (lambda: _Unpooled(), IMAGE),
    "LPPool2d": (lambda: nn.LPPool2d(2, 3), IMAGE),
    "AdaptiveMaxPool2d-indices": (lambda: nn.AdaptiveMaxPool2d((2, 3), True), IMAGE),
    "Upsample": (lambda: nn.Upsample(scale_factor=1.5, mode="bicubic"), IMAGE),
    "UpsamplingBilinear2d": (lambda: nn.UpsamplingBilinear2d((4, 5)), IMAGE),
    "Unfold": (lambda: nn.Unfold(3, padding=1), IMAGE),
    "Fold": (lambda: nn.Fold((3, 5), 2), (4, 12, 8)),
    "LocalResponseNorm": (lambda: nn.LocalResponseNorm(3), IMAGE),
    "Softmax2d": (lambda: nn.Softmax2d(), IMAGE),
    "LSTM-projected": (lambda: nn.LSTM(8, 5, num_layers=2, bidirectional=True, proj_size=2), STEPS),
    "GRU": (lambda: nn.GRU(8, 3, bidirectional=True), STEPS),
    "RNNCell": (lambda: nn.RNNCell(6, 3, nonlinearity="relu"), ROWS),
    "MultiheadAttention": (lambda: Attention(), STEPS),
    "Transformer": (lambda: _Translator(), STEPS),
    "AdaptiveLogSoftmax": (lambda: _Adaptive(), ROWS),
    "hooks": (lambda: _hooked(), ROWS),
    "fused": (lambda: nn.utils.fuse_conv_bn_eval(nn.Conv2d(3, 4, 3).eval(), nn.BatchNorm2d(4).eval()), IMAGE),
}


class _Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(6, 6) for _ in range(3)])
        self.heads = nn.ModuleDict({"a": nn.Linear(6, 2), "b": nn.Identity()})

    def forward(self, x):
        for layer in self.layers:
            x = F.silu(layer(x)) + x
        return {name: head(x) for name, head in self.heads.items()}


class _Unpooled(nn.Module):
    def forward(self, x):
        return F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2, output_size=x.shape)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, add_bias_kv=True, add_zero_attn=True, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x, x[..., 0] > 1)


class _Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.transformer = nn.Transformer(8, 2, 1, 1, 16, batch_first=True, norm_first=True)

    def forward(self, x):
        y = x[:, :3]
        return self.transformer(x, y, tgt_mask=nn.Transformer.generate_square_subsequent_mask(y.shape[1]))


class _Adaptive(nn.Module):
    def __init__(self):
        super().__init__()
        self.loss = nn.AdaptiveLogSoftmaxWithLoss(6, 10, [3, 6])

    def forward(self, x):
        return self.loss(x, x.argmax(axis=1)), self.loss.predict(x)


def _hooked():
    network = nn.Sequential(nn.Linear(6, 6), nn.ReLU())
    network[0].register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    network[1].register_forward_hook(lambda module, args, result: result * 2 + args[0])
    return network


class _Loss(nn.Module):
    def __init__(self):
        super().__init__()
        self.loss = nn.CrossEntropyLoss(weight=np.arange(1, 7, dtype=np.float32), label_smoothing=0.1)

    def forward(self, x):
        return self.loss(x, x.argmin(axis=1))


class Net(nn.Module):
    """One module of the class, whose ``forward`` is a function of it."""

    def __init__(self, function, **parts):
        super().__init__()
        self.function = function
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, *args, **kwargs):
        return self.function(self, *args, **kwargs)
