"""The programs that benchmarks and tests share: ordinary functions and classes over NumPy arrays, each with a maker of its inputs.

The functions keep to names that torch has too (``np.amax`` rather than ``np.max``), so that a second copy of this module whose ``np`` is
torch gives a peer's version of the very same program.
"""

from itertools import pairwise

import numpy as np

# -- a GPT-2-shaped network: functions and a nested dict of weights


def gelu(x):
    return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


def softmax(x):
    exp_x = np.exp(x - np.amax(x, axis=-1, keepdims=True))
    return exp_x / np.sum(exp_x, axis=-1, keepdims=True)


def layer_norm(x, g, b):
    centred = x - np.mean(x, axis=-1, keepdims=True)
    variance = np.mean(centred * centred, axis=-1, keepdims=True)
    return g * (centred / np.sqrt(variance + 1e-5)) + b


def linear(x, w, b):
    return x @ w + b


def ffn(x, c_fc, c_proj):
    return linear(gelu(linear(x, **c_fc)), **c_proj)


def split_heads(x, n_head):
    return np.swapaxes(x.reshape(x.shape[0], x.shape[1], n_head, x.shape[2] // n_head), 1, 2)


def attention(q, k, v, mask):
    return softmax(q @ np.swapaxes(k, 2, 3) / (q.shape[-1] ** 0.5) + mask) @ v


def mha(x, mask, c_attn, c_proj, n_head):
    qkv = linear(x, **c_attn)
    size = x.shape[-1]
    q, k, v = [split_heads(qkv[..., i * size : (i + 1) * size], n_head) for i in range(3)]
    out = np.swapaxes(attention(q, k, v, mask), 1, 2)
    return linear(out.reshape(x.shape), **c_proj)


def transformer_block(x, mask, mlp, attn, ln_1, ln_2, n_head):
    x = x + mha(layer_norm(x, **ln_1), mask, **attn, n_head=n_head)
    return x + ffn(layer_norm(x, **ln_2), **mlp)


def gpt2(tokens, mask, params, n_head):
    """``tokens`` ``(N, L)`` and a ``mask`` ``(L, L)`` to add to the scores; gives logits ``(N, L, vocabulary)``."""
    x = params["wte"][tokens] + params["wpe"][: tokens.shape[1]]
    for block in params["blocks"]:
        x = transformer_block(x, mask, **block, n_head=n_head)
    return layer_norm(x, **params["ln_f"]) @ params["wte"].T


def gpt2_inputs(layers=12, size=64, heads=4, vocabulary=128, length=16, batch=1, seed=0):
    """Arguments of :func:`gpt2`, with random weights."""
    rng = np.random.default_rng(seed)

    def weight(*shape):
        return (rng.standard_normal(shape) * 0.08).astype(np.float32)

    def dense(n_in, n_out):
        return {"w": weight(n_in, n_out), "b": weight(n_out)}

    def norm():
        return {"g": 1 + weight(size), "b": weight(size)}

    params = {
        "wte": weight(vocabulary, size),
        "wpe": weight(2 * length, size),
        "blocks": [
            {
                "mlp": {"c_fc": dense(size, 4 * size), "c_proj": dense(4 * size, size)},
                "attn": {"c_attn": dense(size, 3 * size), "c_proj": dense(size, size)},
                "ln_1": norm(),
                "ln_2": norm(),
            }
            for _ in range(layers)
        ],
        "ln_f": norm(),
    }
    mask = np.where(np.tri(length, dtype=bool), np.float32(0), np.float32(-1e10))
    return rng.integers(0, vocabulary, (batch, length)), mask, params, heads


# -- a Llama-shaped class: weights and key/value caches as attributes


class LlamaBlock:
    """One block with grouped-query attention, rotary positions and a gated feed-forward network."""

    def __init__(self, rng, size, heads, kv_heads, hidden, length, batch):
        def weight(*shape):
            return (rng.standard_normal(shape) * 0.08).astype(np.float32)

        self.heads, self.kv_heads, self.head_size = heads, kv_heads, size // heads
        self.wq, self.wo = weight(size, size), weight(size, size)
        self.wk, self.wv = weight(size, kv_heads * self.head_size), weight(size, kv_heads * self.head_size)
        self.gate, self.up, self.down = weight(size, hidden), weight(size, hidden), weight(hidden, size)
        self.norm1, self.norm2 = 1 + weight(size), 1 + weight(size)
        self.cache_k = np.zeros((batch, length, kv_heads, self.head_size), np.float32)
        self.cache_v = np.zeros((batch, length, kv_heads, self.head_size), np.float32)

    def __call__(self, x, start, cos, sin, mask):
        x = x + self.attend(rms_norm(x, self.norm1), start, cos, sin, mask)
        h = rms_norm(x, self.norm2)
        gate = h @ self.gate
        return x + (gate / (1 + np.exp(-gate)) * (h @ self.up)) @ self.down

    def attend(self, x, start, cos, sin, mask):
        batch, length, size = x.shape
        q = rotate((x @ self.wq).reshape(batch, length, self.heads, self.head_size), cos, sin)
        k = rotate((x @ self.wk).reshape(batch, length, self.kv_heads, self.head_size), cos, sin)
        self.cache_k[:, start : start + length] = k
        self.cache_v[:, start : start + length] = (x @ self.wv).reshape(k.shape)
        keys, values = self.cache_k[:, : start + length], self.cache_v[:, : start + length]
        repeats = self.heads // self.kv_heads
        keys, values = np.repeat(keys, repeats, axis=2), np.repeat(values, repeats, axis=2)
        q, keys, values = q.transpose(0, 2, 1, 3), keys.transpose(0, 2, 3, 1), values.transpose(0, 2, 1, 3)
        scores = q @ keys / np.sqrt(np.float32(self.head_size))
        if mask is not None:
            scores = scores + mask
        return (softmax(scores) @ values).transpose(0, 2, 1, 3).reshape(batch, length, size) @ self.wo


def rms_norm(x, weight):
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + np.float32(1e-5)) * weight


def rotate(x, cos, sin):
    """Rotary position embedding of ``(N, L, heads, 2 * d)`` by angles ``(L, d)``."""
    even, odd = x[..., ::2], x[..., 1::2]
    cos, sin = cos[:, None, :], sin[:, None, :]
    return np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1).reshape(x.shape)


class Llama:
    """A decoder that remembers keys and values: a call with ``start`` continues what earlier calls have seen."""

    def __init__(self, layers=2, size=32, heads=4, kv_heads=2, hidden=48, vocabulary=64, length=16, batch=1, seed=0):
        rng = np.random.default_rng(seed)
        self.embedding = (rng.standard_normal((vocabulary, size)) * 0.5).astype(np.float32)
        angles = np.outer(np.arange(length), 10000.0 ** (-np.arange(0, size // heads, 2) / (size // heads)))
        self.cos, self.sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
        self.blocks = [LlamaBlock(rng, size, heads, kv_heads, hidden, length, batch) for _ in range(layers)]
        self.norm = np.ones(size, np.float32)

    def __call__(self, tokens, start):
        """Logits of the last of ``tokens`` ``(N, L)``, which stand at the positions ``start`` and after."""
        x = self.embedding[tokens]
        length = tokens.shape[1]
        cos, sin = self.cos[start : start + length], self.sin[start : start + length]
        mask = None
        if length > 1:
            mask = np.triu(np.full((length, length), -np.inf, np.float32), k=1)
            mask = np.concatenate([np.zeros((length, start), np.float32), mask], axis=1)
        for block in self.blocks:
            x = block(x, start, cos, sin, mask)
        return rms_norm(x[:, -1:], self.norm) @ self.embedding.T


# -- a residual block, convolutions by shifted products


def conv3x3(x, w):
    """``(N, C, H, W)`` with ``(O, C, 3, 3)``, padding 1."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    height, width = x.shape[2:]
    out = 0
    for i in range(3):
        for j in range(3):
            out = out + np.einsum("oc,nchw->nohw", w[:, :, i, j], padded[:, :, i : i + height, j : j + width])
    return out


def batch_norm(x, mean, var, gamma, beta):
    scale = gamma / np.sqrt(var + 1e-5)
    return x * scale[:, None, None] + (beta - mean * scale)[:, None, None]


def resnet_block(x, w1, bn1, w2, bn2):
    """``relu(bn(conv(relu(bn(conv(x))))) + x)``; ``bn1`` and ``bn2`` are tuples of mean, variance, gain and offset."""
    out = np.maximum(batch_norm(conv3x3(x, w1), *bn1), 0)
    return np.maximum(batch_norm(conv3x3(out, w2), *bn2) + x, 0)


def resnet_block_inputs(channels=8, size=8, batch=2, seed=0):
    """Arguments of :func:`resnet_block`."""
    rng = np.random.default_rng(seed)

    def array(*shape):
        return rng.standard_normal(shape).astype(np.float32)

    def norm():
        return array(channels), np.abs(array(channels)) + 0.5, array(channels), array(channels)

    return array(batch, channels, size, size), array(channels, channels, 3, 3), norm(), array(channels, channels, 3, 3), norm()


# -- small ones


def mlp(x, layers):
    """Linear layers with rectified ones between."""
    for w, b in layers[:-1]:
        x = np.tanh(x @ w + b)
    w, b = layers[-1]
    return x @ w + b


def mlp_inputs(sizes=(16, 32, 32, 10), batch=8, seed=0):
    """Arguments of :func:`mlp`."""
    rng = np.random.default_rng(seed)
    layers = [(rng.standard_normal((i, o)).astype(np.float32), np.zeros(o, np.float32)) for i, o in pairwise(sizes)]
    return rng.standard_normal((batch, sizes[0])).astype(np.float32), layers


def sin_cos(x, y):
    return np.sin(x) + np.cos(y)


def chain(x, steps=2000):
    """A loop that a tracer unrolls: four operators an iteration."""
    for _ in range(steps // 4):
        x = np.tanh(x * 1.01 + 0.1) - 0.05
    return x


def integer_loop(x, times=20_000):
    """Python integers for ``times`` iterations, then one operator."""
    total = 0
    for i in range(times):
        if i % 3 == 0:
            total += i
        else:
            total ^= i
    return x + total % 7
