"""What networks and single layers cost when they are exported, as parts of the same program run eagerly in the same process.

python benchmarks/layers.py

``plain`` is the program as one writes it in NumPy (``sliding_window_view`` and ``tensordot`` for convolutions), ``nn`` the eager
layers of ``npexport.nn``. Each figure is the median of interleaved rounds, in CPU seconds of one thread, so that it stays true on a busy
machine.
"""

import os
import statistics
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported

import numpy as np
import programs
from numpy.lib.stride_tricks import sliding_window_view

from npexport import export, nn
from npexport.nn import functional as F

ROUNDS = 9


class BasicBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.down = None
        if stride != 1 or inputs != outputs:
            self.down = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        kept = x if self.down is None else self.down(x)
        x = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(x)) + kept)


class ResNet18(nn.Module):
    def __init__(self, width=64, classes=1000):
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        sizes = [width, width, 2 * width, 4 * width, 8 * width]
        blocks = []
        for stage in range(4):
            blocks += [BasicBlock(sizes[stage], sizes[stage + 1], 1 + (stage > 0)), BasicBlock(sizes[stage + 1], sizes[stage + 1], 1)]
        self.blocks = nn.Sequential(*blocks)
        self.fc = nn.Linear(8 * width, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 3, 2, 1)
        return self.fc(self.blocks(x).mean(axis=(2, 3)))


def plain_conv(x, weight, stride, padding):
    """A convolution as it is written in NumPy."""
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    windows = sliding_window_view(x, weight.shape[2:], axis=(2, 3))[:, :, ::stride, ::stride]
    return np.moveaxis(np.tensordot(windows, weight, axes=((1, 4, 5), (1, 2, 3))), 3, 1)


def plain_norm(x, norm):
    shape = (1, -1, 1, 1)
    scaled = (x - norm.running_mean.reshape(shape)) / np.sqrt(norm.running_var.reshape(shape) + np.float32(norm.eps))
    return scaled * norm.weight.reshape(shape) + norm.bias.reshape(shape)


def plain_block(block, x):
    stride = block.conv1.stride[0]
    kept = x if block.down is None else plain_norm(plain_conv(x, block.down[0].weight, stride, 0), block.down[1])
    x = np.maximum(plain_norm(plain_conv(x, block.conv1.weight, stride, 1), block.bn1), 0)
    return np.maximum(plain_norm(plain_conv(x, block.conv2.weight, 1, 1), block.bn2) + kept, 0)


def plain_resnet(net, x):
    """The network in plain NumPy, over the arrays of the layers."""
    x = np.maximum(plain_norm(plain_conv(x, net.conv1.weight, 2, 3), net.bn1), 0)
    x = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
    x = sliding_window_view(x, (3, 3), axis=(2, 3))[:, :, ::2, ::2].max(axis=(4, 5))
    for block in net.blocks:
        x = plain_block(block, x)
    return x.mean(axis=(2, 3)) @ net.fc.weight.T + net.fc.bias


def resnet(seed=0, width=64, size=224, batch=1):
    """The network in evaluation mode, with statistics that are not those of a new one, and an input."""
    nn.init.manual_seed(seed)
    net, rng = ResNet18(width), np.random.default_rng(seed)
    for module in net.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean[:] = rng.standard_normal(module.running_mean.shape) * 0.1
            module.running_var[:] = rng.uniform(0.5, 1.5, module.running_var.shape)
    return net.eval(), rng.standard_normal((batch, 3, size, size)).astype(np.float32)


def medians(calls, rounds=ROUNDS):
    """Seconds of each call: the median of rounds in which each runs once."""
    times = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.process_time()
            call()
            times[name].append(time.process_time() - start)
    return {name: statistics.median(found) for name, found in times.items()}


def report(name, calls, rounds=ROUNDS):
    """Print each call as a part of the first."""
    found = medians(calls, rounds)
    first = next(iter(found.values()))
    parts = ", ".join(f"{key} {seconds / first:.2f}" for key, seconds in found.items())
    print(f"{name}: {first * 1e3:.1f} ms; {parts}", flush=True)


def modules(program):
    """The ways to run a program."""
    return {"exported": program.module(), "fast math": program.module(fast_math=True)}


def networks():
    net, image = resnet()
    calls = {"plain": lambda: plain_resnet(net, image), "nn": lambda: net(image)}
    for name, run in modules(export(net, (image,))).items():
        calls[name] = lambda run=run: run(image)
        np.testing.assert_allclose(run(image), plain_resnet(net, image), rtol=1e-2, atol=1e-3)
    report("ResNet-18, batch 1, 224x224", calls)
    args = programs.gpt2_inputs(layers=12, size=768, heads=12, vocabulary=1024, length=128)
    calls = {"plain": lambda: programs.gpt2(*args)}
    for name, run in modules(export(programs.gpt2, args)).items():
        calls[name] = lambda run=run: run(*args)
    report("GPT-2 shape, batch 1, 128 tokens", calls)


if __name__ == "__main__":
    networks()
