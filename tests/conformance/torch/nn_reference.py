"""Calls of ``nn`` and ``nn.functional`` whose results in torch are on record in ``nn_reference.json``.

Each result is recorded as its shapes and, for each array, three sums that other values, orders or signs would change. Beside them stand the
parameters of what torch has under our names, with their defaults. With torch installed
``python -m tests.conformance.torch.nn_reference`` records them anew; the tests need no torch.
"""

from __future__ import annotations

import inspect
import itertools
import json
from pathlib import Path

import numpy as np

RECORD = Path(__file__).with_name("nn_reference.json")


class Data:
    """An array that a case is called with: the same numbers for the same kind, shape and place among the arguments."""

    def __init__(self, kind, *shape, below=0):
        self.kind, self.shape, self.below = kind, shape, below

    def __repr__(self):
        return f"{self.kind}{list(self.shape)}"

    def array(self, place, dtype):
        rng = np.random.default_rng([place, *self.shape])
        if self.kind == "classes":
            return rng.integers(0, self.below, self.shape)
        if self.kind == "mask":
            return rng.random(self.shape) > 0.6
        if self.kind == "unit":
            return rng.random(self.shape).astype(dtype)
        if self.kind == "signs":
            return np.where(rng.random(self.shape) > 0.5, 1, -1).astype(dtype)
        return rng.standard_normal(self.shape).astype(dtype)


def x(*shape):
    return Data("x", *shape)


def unit(*shape):
    return Data("unit", *shape)


def signs(*shape):
    return Data("signs", *shape)


def mask(*shape):
    return Data("mask", *shape)


def classes(below, *shape):
    return Data("classes", *shape, below=below)


def ints(*values):
    return np.array(values)


def _each(names, *args, **kwargs):
    return [(name, args, kwargs) for name in names.split()]


def _functional():
    yield from _each("relu relu6 leaky_relu elu selu celu gelu silu mish sigmoid tanh logsigmoid softplus softsign tanhshrink", x(4, 6))
    yield from _each("hardshrink softshrink hardtanh hardsigmoid hardswish rrelu glu relu_ elu_ selu_ celu_ leaky_relu_ hardtanh_", x(4, 6))
    yield from _each("softmax softmin log_softmax glu", x(2, 3, 4), -1)
    yield "gelu", (x(4, 6),), {"approximate": "tanh"}
    yield from _each("threshold threshold_", x(4, 6), 0.1, 20.0)
    yield "prelu", (x(2, 3, 4), x(3)), {}
    for shape, modes in (((2, 3, 7), "linear"), ((2, 3, 5, 7), "bilinear bicubic"), ((1, 2, 4, 5, 6), "trilinear")):
        for mode in (*modes.split(), "nearest", "nearest-exact", "area"):
            for options in (
                {"size": 4},
                {"scale_factor": 1.7},
                {"scale_factor": 0.6},
                {"scale_factor": 2.5, "recompute_scale_factor": True},
            ):
                yield "interpolate", (x(*shape),), {"mode": mode, **options}
        for mode in modes.split():
            yield "interpolate", (x(*shape),), {"mode": mode, "scale_factor": 2, "align_corners": True}
    yield "interpolate", (x(2, 3, 4),), {"mode": "linear", "scale_factor": 1.2}
    for mode, size in itertools.product(("bilinear", "bicubic", "lanczos"), ((3, 4), (9, 14), (2, 20))):
        yield "interpolate", (x(2, 3, 5, 7), size), {"mode": mode, "antialias": True}
    yield from _each("upsample upsample_nearest upsample_bilinear", x(1, 2, 4, 5), (3, 8))
    for mode, padding, align in itertools.product(("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection"), (False, True)):
        yield "grid_sample", (x(2, 3, 5, 7), x(2, 4, 6, 2), mode, padding, align), {}
    yield "grid_sample", (x(2, 3, 4, 5, 6), x(2, 4, 3, 2, 3)), {"align_corners": False}
    for align in (False, True):
        yield "affine_grid", (x(2, 2, 3), (2, 3, 4, 5), align), {}
        yield "affine_grid", (x(2, 3, 4), (2, 3, 1, 5, 6), align), {}
    yield "unfold", (x(2, 3, 7, 6), (2, 3), 2, (1, 0), (2, 1)), {}
    yield "fold", (x(2, 6, 8), (4, 5), (3, 2), 1, (1, 0), (2, 1)), {}
    yield from _pools()
    for mode, widths in itertools.product(("constant", "reflect", "replicate", "circular"), ((1, 2, 2, 1), (-1, 2, 0, 3))):
        yield "pad", (x(2, 3, 6, 5), widths, mode), {}
    for mode in ("reflect", "replicate"):
        yield "pad", (x(2, 3, 3), (2, -1), mode), {}
    yield "conv_transpose1d", (x(1, 2, 2), x(2, 3, 2)), {"padding": 1}
    yield "pixel_shuffle", (x(2, 8, 3, 4), 2), {}
    yield "pixel_unshuffle", (x(2, 3, 4, 6), 2), {}
    yield "channel_shuffle", (x(2, 6, 4, 4), 3), {}
    yield "local_response_norm", (x(2, 7, 5), 3), {}
    yield "local_response_norm", (x(2, 7, 5, 4), 4, 2e-4, 0.5, 2.0), {}
    yield "group_norm", (x(2, 6, 4), 3, x(6), x(6)), {}
    yield "layer_norm", (x(2, 3, 4), (3, 4), x(3, 4), x(3, 4)), {}
    yield "rms_norm", (x(2, 3, 4), (4,), x(4)), {}
    yield "batch_norm", (x(4, 3, 5), x(3), unit(3), x(3), x(3), True), {}
    yield "instance_norm", (x(2, 3, 4, 5), x(3), unit(3), x(3), x(3)), {}
    for p, dim in itertools.product((1, 2, 3, np.inf), (0, -1)):
        yield "normalize", (x(3, 4, 5), p, dim), {}
    yield "embedding", (classes(10, 4, 5), x(10, 3), 2, 1.5), {}
    for mode in ("sum", "mean", "max"):
        yield "embedding_bag", (classes(10, 4, 5), x(10, 3)), {"mode": mode, "padding_idx": 4}
        yield "embedding_bag", (classes(10, 20), x(10, 3), ints(0, 3, 3, 10)), {"mode": mode}
        yield "embedding_bag", (classes(10, 20), x(10, 3), ints(0, 3, 10, 20)), {"mode": mode, "include_last_offset": True, "max_norm": 1.0}
    yield "embedding_bag", (classes(10, 4, 5), x(10, 3)), {"mode": "sum", "per_sample_weights": x(4, 5)}
    yield "bilinear", (x(2, 3), x(2, 4), x(5, 3, 4), x(5)), {}
    yield "one_hot", (classes(4, 3, 2), 5), {}
    yield "scaled_dot_product_attention", (x(2, 4, 5, 8), x(2, 2, 6, 8), x(2, 2, 6, 3)), {"enable_gqa": True}
    yield "scaled_dot_product_attention", (x(2, 5, 8), x(2, 6, 8), x(2, 6, 3), mask(5, 6)), {"scale": 0.5}


def _pools():
    for rank, shape in ((1, (2, 3, 11)), (2, (2, 3, 11, 8)), (3, (1, 2, 9, 8, 7))):
        for args in ((3, 2, 1), (3, 2, 1, 2), (3, 2, 1, 1, True)):
            yield f"max_pool{rank}d", (x(*shape), *args), {"return_indices": True}
        yield f"avg_pool{rank}d", (x(*shape), 3, 2, 1, True, False), {}
        yield f"adaptive_avg_pool{rank}d", (x(*shape), 5), {}
        yield f"adaptive_max_pool{rank}d", (x(*shape), 3), {"return_indices": True}
        for power in (1, 2, 2.5, np.inf):
            yield f"lp_pool{rank}d", (unit(*shape), power, 3, 2), {}
        positions = ints(*range(0, 12, 2)).reshape(1, 2, 3, *(1,) * (rank - 1)) if rank < 3 else ints(1, 6).reshape(1, 2, 1, 1, 1)
        yield f"max_unpool{rank}d", (x(*positions.shape), positions, 5 if rank < 3 else 2), {}


def _losses():
    for reduction in ("mean", "sum", "none"):
        how = {"reduction": reduction}
        yield from _each("mse_loss l1_loss smooth_l1_loss huber_loss", x(4, 5), x(4, 5), **how)
        yield from _each("mse_loss l1_loss huber_loss", x(4, 5), x(4, 5), weight=unit(4, 5), **how)
        yield "binary_cross_entropy", (unit(4, 5), unit(4, 5), unit(5)), how
        yield "binary_cross_entropy_with_logits", (x(4, 5), unit(4, 5)), {"pos_weight": unit(5), **how}
        yield "kl_div", (x(4, 5), unit(4, 5)), how
        yield "kl_div", (x(4, 5), x(4, 5)), {"log_target": True, **how}
        for full in (False, True):
            yield "poisson_nll_loss", (unit(4, 5), unit(4, 5), full, full), how
            yield "gaussian_nll_loss", (x(4, 5), x(4, 5), unit(4), full), how
        yield from _each("soft_margin_loss hinge_embedding_loss", x(4, 5), signs(4, 5), **how)
        yield "margin_ranking_loss", (x(4), x(4), signs(4), 0.3), how
        yield "cosine_embedding_loss", (x(4, 5), x(4, 5), signs(4), 0.1), how
        yield "multilabel_soft_margin_loss", (x(4, 5), unit(4, 5), unit(5)), how
        yield "multilabel_margin_loss", (x(2, 4), ints(0, 3, -1, 1, 2, 1, 3, -1).reshape(2, 4)), how
        yield "multi_margin_loss", (x(4, 5), classes(5, 4), 2, 0.7, unit(5)), how
        yield "triplet_margin_loss", (x(4, 5), x(4, 5), x(4, 5), 0.5, 1, 1e-3, True), how
        yield "triplet_margin_with_distance_loss", (x(4, 5), x(4, 5), x(4, 5)), {"margin": 0.4, **how}
        for smoothing in (0.0, 0.2):
            more = {"label_smoothing": smoothing, **how}
            yield "cross_entropy", (x(2, 5, 3), classes(5, 2, 3), unit(5), None, 1), more
            yield "cross_entropy", (x(2, 5), unit(2, 5), unit(5)), more
        yield "nll_loss", (x(4, 5), classes(5, 4), unit(5), None, 1), how
        yield "ctc_loss", (x(9, 3, 5), ints(1, 1, 2, 3, 4, 4, 2, 1, 3).reshape(3, 3), ints(9, 5, 7), ints(3, 2, 0)), how
        yield "ctc_loss", (x(9, 2, 5), ints(1, 1, 2, 3), ints(9, 3), ints(3, 1), 4), how
    yield "mse_loss", (x(4, 5), x(4, 5), False), {}
    yield from _each("cosine_similarity pairwise_distance", x(3, 4), x(3, 4))
    yield "pairwise_distance", (x(3, 4), x(3, 4), 1, 1e-3, True), {}
    yield "pdist", (x(5, 3), 3), {}


def _layers():
    """The layer, the arguments that it is made of, and what it is called with."""
    image = x(2, 4, 9, 8)
    for rank, data in ((1, x(2, 4, 11)), (2, image), (3, x(1, 4, 5, 6, 7))):
        yield f"Conv{rank}d", (4, 6, 3), {"stride": 2, "padding": 1, "groups": 2}, (data,)
        yield f"Conv{rank}d", (4, 6, 3), {"padding": "same", "dilation": 2, "bias": False}, (data,)
        yield f"Conv{rank}d", (4, 6, 3), {"padding": 1, "padding_mode": "reflect"}, (data,)
        yield f"ConvTranspose{rank}d", (4, 6, 3, 2, 1, 1, 2), {}, (data,)
        yield f"LPPool{rank}d", (2, 3), {"ceil_mode": True}, (data,)
        yield f"MaxPool{rank}d", (3, 2, 1, 1, True), {}, (data,)
        yield f"AvgPool{rank}d", (3,), {}, (data,)
        yield f"AdaptiveMaxPool{rank}d", (2, True), {}, (data,)
        yield f"InstanceNorm{rank}d", (4,), {"affine": True, "track_running_stats": True}, (data,)
        yield f"BatchNorm{rank}d", (4,), {"momentum": 0.3, "bias": False}, (data,)
    yield "Upsample", (), {"scale_factor": 1.5, "mode": "bilinear"}, (image,)
    yield "UpsamplingBilinear2d", ((3, 4),), {}, (image,)
    yield "UpsamplingNearest2d", (), {"scale_factor": 2}, (image,)
    yield "Unfold", (3, 2, 1), {}, (image,)
    yield "Fold", ((5, 6), 2), {}, (x(2, 12, 20),)
    yield "Softmax2d", (), {}, (image,)
    yield "LocalResponseNorm", (3,), {}, (image,)
    yield "GroupNorm", (2, 4), {}, (image,)
    yield "LayerNorm", (8,), {}, (image,)
    yield "Threshold", (0.1, 20.0, True), {}, (image,)
    yield "EmbeddingBag", (10, 3), {"mode": "max", "padding_idx": 2}, (classes(10, 4, 5),)
    yield "Embedding", (10, 3, -2), {"max_norm": 1.0}, (classes(10, 4, 5),)
    for kind, states in (("RNN", 1), ("GRU", 1), ("LSTM", 2)):
        for options in ({}, {"num_layers": 2, "bidirectional": True, "bias": False}):
            count = 4 if options else 1
            given = x(count, 3, 4) if states == 1 else (x(count, 3, 4), x(count, 3, 4))
            yield kind, (6, 4), options, (x(5, 3, 6), given)
        yield kind, (6, 4), {"batch_first": True}, (x(5, 3, 6),)
        yield f"{kind}Cell", (6, 4), {}, (x(3, 6),)
    yield "RNN", (6, 4, 2, "relu"), {}, (x(5, 3, 6),)
    yield "LSTM", (6, 4), {"proj_size": 2, "num_layers": 2, "bidirectional": True}, (x(5, 3, 6),)
    for options in ({}, {"add_bias_kv": True, "add_zero_attn": True}, {"bias": False}):
        yield "MultiheadAttention", (8, 2), options, (x(5, 3, 8), x(6, 3, 8), x(6, 3, 8), None, True, mask(5, 6))
    yield "MultiheadAttention", (8, 2), {"kdim": 5, "vdim": 7}, (x(5, 3, 8), x(6, 3, 5), x(6, 3, 7))
    for options in ({}, {"norm_first": True, "activation": "gelu"}):
        yield "Transformer", (8, 2, 1, 2, 16, 0.0), options, (x(5, 3, 8), x(4, 3, 8))
    yield "AdaptiveLogSoftmaxWithLoss", (16, 20, [5, 10, 15]), {}, (x(6, 16), ints(0, 6, 12, 19, 3, 10))
    yield "Bilinear", (6, 5, 7), {}, (x(3, 6), x(3, 5))
    yield "CrossEntropyLoss", (), {"label_smoothing": 0.1}, (x(4, 5), classes(5, 4))
    yield "TripletMarginLoss", (0.5,), {}, (x(4, 5), x(4, 5), x(4, 5))


FUNCTIONS = [*_functional(), *_losses()]
LAYERS = list(_layers())


def filled(value, dtype, count=None):
    """``value`` with an array in the place of each ``Data``."""
    count = itertools.count() if count is None else count
    if isinstance(value, Data):
        return value.array(next(count), dtype)
    if isinstance(value, dict):
        return {name: filled(item, dtype, count) for name, item in value.items()}
    return type(value)([filled(item, dtype, count) for item in value]) if isinstance(value, tuple) else value


def fingerprint(result):
    """For each array of a result its shape and three sums."""
    if isinstance(result, (tuple, list)):
        return [found for part in result for found in fingerprint(part)]
    numbers = np.asarray(result, np.float64).ravel()
    waves = [np.cos(k * np.arange(numbers.size) + k) for k in (0, 1, 2)]
    return [[list(np.shape(result)), *[float(f"{np.dot(numbers, wave):.13g}") for wave in waves]]]


def weights(state):
    """Numbers for the arrays of a ``state_dict``, by their names and shapes."""
    return {
        name: np.asarray(np.abs(0.4 * np.random.default_rng([len(name), *value.shape]).standard_normal(value.shape)), value.dtype)
        for name, value in state.items()
    }


def signatures(module):
    """The parameters with their defaults, as text, of every class and function of ``torch.nn`` and of our ``nn``, under dotted names."""
    namespaces = {"": module, "functional.": module.functional, "init.": module.init}
    for prefix, namespace in namespaces.items():
        for name, value in vars(namespace).items():
            if isinstance(value, type) and issubclass(value, module.Module):
                yield from _described(f"{prefix}{name}", value)
                yield from _described(f"{prefix}{name}.forward", value.forward)
            elif callable(value) and prefix and not name.startswith("_"):
                yield from _described(f"{prefix}{name}", value)


def _described(name, function):
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # one of C, which does not say
        return
    if all(parameter.kind is not parameter.VAR_POSITIONAL for parameter in parameters):
        yield name, [[item.name, getattr(item.default, "__name__", repr(item.default))] for item in parameters if item.name != "self"]


def _record():
    import torch

    from npexport import nn

    ours = {name for name, _ in signatures(nn)}
    theirs = {name: described for name, described in signatures(torch.nn) if name in ours or f"{name}.forward" in ours}

    def tensors(value):
        if isinstance(value, np.ndarray):
            return torch.from_numpy(value.copy())
        if isinstance(value, dict):
            return {name: tensors(item) for name, item in value.items()}
        return type(value)(map(tensors, value)) if isinstance(value, tuple) else value

    torch.set_grad_enabled(False)
    functions = []
    for name, args, kwargs in FUNCTIONS:
        args, kwargs = filled((args, kwargs), np.float64)
        functions.append(fingerprint(getattr(torch.nn.functional, name)(*tensors(args), **tensors(kwargs))))
    layers = []
    for name, args, kwargs, inputs in LAYERS:
        layer = getattr(torch.nn, name)(*args, **kwargs).double().eval()
        state = {key: value.numpy() for key, value in layer.state_dict().items()}
        layer.load_state_dict(tensors(weights(state)))
        shapes = [[key, list(value.shape)] for key, value in state.items()]
        layers.append([repr(layer), shapes, fingerprint(layer(*tensors(filled(inputs, np.float64))))])
    lines = [",\n".join(json.dumps(item) for item in part) for part in (functions, layers, sorted(theirs.items()))]
    parts = [f'"{name}": [\n{part}\n]' for name, part in zip(("functions", "layers", "signatures"), lines, strict=True)]
    RECORD.write_text(f'{{"torch": "{torch.__version__}", {", ".join(parts)}}}\n')


if __name__ == "__main__":
    _record()
