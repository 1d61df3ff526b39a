"""Classes as people write them: optimisers, controllers, filters, statistics, networks that keep what the backward pass needs.

Each is exported twice, saved and loaded, and two modules of it run side by side; after every call results and state are the eager object's.
"""

from __future__ import annotations

import dataclasses
import io
import math
from collections import deque

import numpy as np
import pytest

from npexport import Dim, ExportError, export, load, nn, save
from tests.fuzz.state import at


class Momentum:
    def __init__(self):
        self.velocity, self.weights = None, np.ones(3)

    def __call__(self, x):
        if self.velocity is None:
            self.velocity = np.zeros_like(x)
        self.velocity = 0.9 * self.velocity + x
        self.weights -= 0.1 * self.velocity
        return self.weights.copy()


class MomentumByName:
    def __init__(self):
        self.velocity = {}
        self.weights = {"w": np.ones(3), "b": np.zeros(3)}

    def __call__(self, x):
        for name in self.weights:
            if name not in self.velocity:
                self.velocity[name] = np.zeros(self.weights[name].shape)
            self.velocity[name] *= 0.5
            self.velocity[name] += x
            self.weights[name] = self.weights[name] - 0.1 * self.velocity[name]
        return {name: value * 1 for name, value in self.weights.items()}


class Adam:
    def __init__(self):
        self.m, self.v, self.t, self.weights = np.zeros(3), np.zeros(3), 0, np.ones(3)

    def __call__(self, x):
        self.t += 1
        self.m = 0.9 * self.m + 0.1 * x
        self.v = 0.999 * self.v + 0.001 * x**2
        m, v = self.m / (1 - 0.9**self.t), self.v / (1 - 0.999**self.t)
        self.weights = self.weights - 0.01 * m / (np.sqrt(v) + 1e-8)
        return self.weights.sum()


class AdamByList:
    def __init__(self):
        self.params = [np.ones(3), np.full(3, 2.0)]
        self.m, self.v, self.t = None, None, 0

    def __call__(self, x):
        if self.m is None:
            self.m = [np.zeros_like(p) for p in self.params]
            self.v = [np.zeros_like(p) for p in self.params]
        self.t += 1
        rate = 0.1 * math.sqrt(1 - 0.999**self.t) / (1 - 0.9**self.t)
        for i, p in enumerate(self.params):
            self.m[i] = 0.9 * self.m[i] + 0.1 * x
            self.v[i] = 0.999 * self.v[i] + 0.001 * x * x
            p -= rate * self.m[i] / (np.sqrt(self.v[i]) + 1e-7)
        return self.params[0] + self.params[1]


class RMSProp:
    def __init__(self):
        self.cache, self.rate, self.steps, self.weights = 0, 0.1, 0, np.ones(3)

    def __call__(self, x):
        self.cache = 0.9 * self.cache + 0.1 * x**2
        self.steps += 1
        self.weights = self.weights - self.rate / (1 + 0.01 * self.steps) * x / (np.sqrt(self.cache) + 1e-8)
        return self.weights * 1


class Decay:
    def __init__(self):
        self.rate, self.epoch = 0.1, 0

    def __call__(self, x):
        self.rate *= 0.99
        self.epoch += 1
        return x * self.rate * 0.5 ** (self.epoch // 2)


class PID:
    def __init__(self):
        self.integral, self.previous = 0.0, 0.0

    def __call__(self, x):
        error = 1.0 - float(x[0])
        self.integral += error * 0.1
        derivative = (error - self.previous) / 0.1
        self.previous = error
        return 2.0 * error + 0.5 * self.integral + 0.01 * derivative


class Kalman:
    def __init__(self):
        self.x, self.p, self.f, self.q = np.zeros((2, 1)), np.eye(2), np.array([[1.0, 0.1], [0.0, 1.0]]), 0.01
        self.h, self.k = np.array([[1.0, 0.0]]), None

    def __call__(self, x):
        self.x, self.p = self.f @ self.x, self.f @ self.p @ self.f.T + self.q * np.eye(2)
        self.innovation = x[:1].reshape(1, 1) - self.h @ self.x
        self.k = self.p @ self.h.T / (self.h @ self.p @ self.h.T + 0.1)
        self.x = self.x + self.k @ self.innovation
        self.p = (np.eye(2) - self.k @ self.h) @ self.p
        return self.x[0, 0]


class Biquad:
    def __init__(self):
        self.xs, self.ys = deque([0.0] * 2, maxlen=2), deque([0.0] * 2, maxlen=2)

    def __call__(self, x):
        y = 0.2 * float(x[0]) + 0.3 * self.xs[-1] + 0.2 * self.xs[-2] + 0.4 * self.ys[-1] - 0.1 * self.ys[-2]
        self.xs.append(float(x[0]))
        self.ys.append(y)
        return y


class MovingAverage:
    def __init__(self):
        self.window = deque([np.zeros(3)] * 3, maxlen=3) if False else deque([np.zeros(3) for _ in range(3)], maxlen=3)

    def __call__(self, x):
        self.window.append(x)
        return sum(self.window) / 3


class Ring:
    def __init__(self):
        self.buffer, self.at = np.zeros((4, 3)), 0

    def __call__(self, x):
        self.buffer[self.at] = x
        self.at = (self.at + 1) % 4
        return self.buffer.mean(0)


class Welford:
    def __init__(self):
        self.count, self.mean, self.m2 = 0, 0.0, 0.0

    def __call__(self, x):
        self.count += 1
        delta = float(x[0]) - self.mean
        self.mean += delta / self.count
        self.m2 += delta * (float(x[0]) - self.mean)
        return self.mean, self.m2 / self.count


class Mean:
    def __init__(self):
        self.total, self.n = 0.0, 0

    def __call__(self, x):
        self.total += x.sum()
        self.n += len(x)
        return self.total / self.n


class Best:
    def __init__(self):
        self.best, self.seen = float("inf"), {"calls": 0, "elements": 0}

    def __call__(self, x):
        self.best = min(self.best, float(x.sum()))
        self.seen["calls"] += 1
        self.seen["elements"] += x.size
        return self.best


class Layer:
    def __init__(self, seed):
        self.w = np.random.default_rng(seed).normal(size=(3, 3))
        self.b = np.zeros(3)

    def forward(self, x):
        self.input = x
        self.output = np.tanh(x @ self.w + self.b)
        return self.output

    def backward(self, grad):
        grad = grad * (1 - self.output**2)
        self.dw, self.db = np.outer(self.input, grad), grad
        self.w -= 0.1 * self.dw
        self.b = self.b - 0.1 * self.db
        return grad @ self.w.T


class Network:
    def __init__(self):
        self.layers, self.losses = [Layer(0), Layer(1)], None

    def __call__(self, x):
        y = x
        for layer in self.layers:
            y = layer.forward(y)
        self.loss = ((y - 0.5) ** 2).mean()
        grad = 2 * (y - 0.5) / y.size
        for layer in reversed(self.layers):
            grad = layer.backward(grad)
        return self.loss


class Caching:
    def __init__(self):
        self.cache = {}
        self.w = np.arange(3.0)

    def __call__(self, x):
        self.cache = {"x": x, "shape": x.shape, "pre": (x * self.w, np.exp(x))}
        h, e = self.cache["pre"]
        return h + e


@dataclasses.dataclass
class Saved:
    x: object
    mask: object


class Dropless:
    def __init__(self):
        self.saved, self.mode, self.calls = None, "train", 0

    def __call__(self, x):
        self.saved = Saved(x, x > 0)
        self.mode = "eval"
        self.calls += 1
        return np.where(self.saved.mask, x, 0.0) * self.calls


class BatchNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("running", np.zeros(()))
        self.momentum, self.batches = 0.1, 0

    def forward(self, x):
        self.batches += 1
        self.running = (1 - self.momentum) * self.running[...] + self.momentum * x.mean(keepdims=True)[0]
        self.normed = x - x.mean()
        return self.normed / self.batches


class Annealing:
    def __init__(self):
        self.temperature, self.history = 1.0, [1.0, 1.0, 1.0]

    def __call__(self, x):
        self.temperature = max(self.temperature * 0.5, 0.2)
        self.history.pop(0)
        self.history.append(self.temperature)
        return x / sum(self.history)


class Oscillator:
    def __init__(self):
        self.phase, self.step = 0.0, 3

    def __call__(self, x):
        self.phase = math.fmod(self.phase + 0.7, 2 * math.pi)
        self.step = self.step * 3 % 17
        return x * math.sin(self.phase) + self.step


class Lazy:
    def __init__(self):
        self._table, self.built = None, False

    @property
    def table(self):
        if self._table is None:
            self._table = np.hanning(5)[1:4]
        return self._table

    def __call__(self, x):
        if not self.built:
            self.state = np.zeros(3)
            self.built = True
        self.state += x
        return self.state * self.table


class Text:
    def __init__(self):
        self.last, self.names = "", []

    def __call__(self, x):
        self.last = f"{x.shape}"
        self.names = ["a", "b"]
        return x + len(self.names)


class Scalars:
    def __init__(self):
        self.x, self.n = np.float32(0), np.int64(1)

    def __call__(self, x):
        self.x = self.x * np.float32(0.5) + x.astype("f4").sum()
        self.n *= 2
        return self.x, self.n, self.x / self.n


class Powers:
    def __init__(self):
        self.n, self.sign = 1, -1.0

    def __call__(self, x):
        self.n = self.n * 3 + 1
        self.sign = -self.sign
        return x**2 / self.n, x // self.n, self.n % 7, self.n // 3, self.sign * x, [self.n, {"half": self.n / 2}]


CLASSES = (
    Momentum, MomentumByName, Adam, AdamByList, RMSProp, Decay, PID, Kalman, Biquad, MovingAverage, Ring, Welford, Mean, Best, Network,
    Caching, Dropless, BatchNorm, Annealing, Oscillator, Lazy, Text, Scalars, Powers,
)  # fmt: skip


def images(value):
    """Results with the types of all that they hold."""
    if isinstance(value, (list, tuple)):
        return type(value), [images(item) for item in value]
    if isinstance(value, dict):
        return {key: images(item) for key, item in value.items()}
    return type(value), getattr(value, "dtype", None), np.asarray(value).tobytes(), np.shape(value)


def inputs(count=5):
    return [np.random.default_rng(seed).normal(size=3) for seed in range(count)]


def check(run, make):
    eager = make()
    for x in inputs():
        assert images(run(x.copy())) == images(eager(x.copy()))
        for path, array in run.named_buffers():
            want = at(eager, path)
            assert want is None or np.asarray(want).tobytes() == array.tobytes(), path


@pytest.mark.parametrize("make", CLASSES, ids=lambda make: make.__name__)
def test_calls_are_those_of_the_object(make):
    example = make()
    before = repr(vars(example))
    first, second = export(example, (inputs()[0],)), export(example, (inputs()[0],))
    assert repr(vars(example)) == before
    assert str(first.graph) == str(second.graph)
    file = io.BytesIO()
    save(first, file)
    file.seek(0)
    one, other = first.module(), first.module()
    one(inputs()[1])  # its state is its own
    for run in (other, second.module(), load(file).module()):
        check(run, make)


def test_state_without_a_first_value_is_there_after_the_call():
    program = export(Network(), (np.ones(3),))
    run = program.module()
    assert "layers.0.input" not in dict(run.named_buffers())
    assert "layers.0.input" not in program.graph_signature.buffers
    assert "layers.0.input" in program.graph_signature.buffers_to_mutate.values()
    x = np.arange(3.0)
    run(x)
    assert dict(run.named_buffers())["layers.0.input"] is x


def test_state_without_a_first_value_has_the_size_of_the_input():
    class Keeps:
        def __call__(self, x):
            self.x = x * 2
            return x.sum()

    run = export(Keeps(), (np.ones(4),), dynamic_shapes={"x": {0: Dim("n")}}).module()
    for size in (3, 0, 7):
        run(np.ones(size))
        assert dict(run.named_buffers())["x"].shape == (size,)


def test_ints_are_never_wrapped():
    class Doubles:
        def __init__(self):
            self.n = 1 << 61

        def __call__(self, x):
            self.n *= 2
            return self.n

    run = export(Doubles(), (np.ones(2),)).module()
    assert run(np.ones(2)) == 1 << 62
    with pytest.raises(OverflowError):
        run(np.ones(2))


def test_what_was_written_before_an_exception_is_kept():
    class Counts:
        def __init__(self):
            self.n = 0

        def __call__(self, x, i):
            self.n += 1
            self.seen = x * self.n
            y = x[int(i)]
            self.n += 1
            return y

    run, eager = export(Counts(), (np.ones(3), np.array(0))).module(), Counts()
    for index in (0, 7, 1):
        for call in (run, eager):
            if index == 7:
                with pytest.raises(IndexError):
                    call(np.arange(3.0), np.array(index))
            else:
                call(np.arange(3.0), np.array(index))
        held = dict(run.named_buffers())
        assert held["n"] == eager.n and np.array_equal(held["seen"], eager.seen)


class Schedule:
    def __init__(self):
        self.t = 0

    def __call__(self, x):
        self.t += 1
        return x.astype("f4") if self.t % 10 == 0 else x * 2


class Grows:
    def __init__(self):
        self.history = []

    def __call__(self, x):
        self.history.append(x)
        return x


class FirstInput:
    def __init__(self):
        self.first = None

    def __call__(self, x):
        if self.first is None:
            self.first = x
        return x - self.first


class StartsWithTheFirst:
    def __init__(self):
        self.mean = None

    def __call__(self, x):
        self.mean = x if self.mean is None else 0.9 * self.mean + 0.1 * x
        return self.mean * 1


def test_the_state_decides_the_dtype_of_a_result():
    run, eager = export(Schedule(), (np.ones(3),), dynamic_shapes={"x": {0: Dim("n")}}).module(), Schedule()
    for size in [3, 0, 1, 5] * 6:
        actual, wanted = run(np.arange(float(size))), eager(np.arange(float(size)))
        assert actual.dtype == wanted.dtype
        np.testing.assert_array_equal(actual, wanted)


@pytest.mark.parametrize(
    ("make", "code", "text"),
    [
        (Grows, "E301", "`self.history` keeps this size for the next call"),
        (FirstInput, "E301", "`self.first` keeps this size for the next call"),
        (StartsWithTheFirst, "E301", "`self.mean` keeps this size for the next call"),
    ],
)
def test_what_one_program_cannot_be(make, code, text):
    with pytest.raises(ExportError) as refused:
        export(make(), (np.ones(3),), dynamic_shapes={"x": {0: Dim("n")}})
    assert refused.value.code == code and text in refused.value.message and refused.value.hint
    assert refused.value.location.file == __file__
