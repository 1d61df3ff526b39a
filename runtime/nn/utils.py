"""Helpers of ``torch.nn.utils`` that mean something without gradients."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

import numpy as np

from npexport.runtime.array_types import Array


def parameters_to_vector(parameters: Iterable[Array]) -> Array:
    """All elements of the parameters, one after the other.

    ``parameters``: the arrays. As ``torch.nn.utils.parameters_to_vector``.

    >>> from npexport import nn
    >>> parameters_to_vector(nn.Linear(3, 2).parameters()).shape
    (8,)
    """
    return np.concatenate([parameter.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec: Array, parameters: Iterable[Array]) -> None:
    """Write the elements of ``vec`` into the parameters, one after the other. Raises ``ValueError``
    where they are too few.

    As ``torch.nn.utils.vector_to_parameters``.

    >>> from npexport import nn
    >>> layer = nn.Linear(3, 2)
    >>> vector_to_parameters(np.arange(8, dtype=np.float32), layer.parameters())
    >>> np.asarray(layer.bias)
    array([6., 7.], dtype=float32)
    """
    start = 0
    for parameter in parameters:
        part = vec[start : start + parameter.size]
        if part.size != parameter.size:
            raise ValueError(f"vector_to_parameters: a vector of {vec.size} elements is too short")
        parameter[...] = part.reshape(parameter.shape)
        start += parameter.size


def fuse_conv_bn_weights(
    conv_w: Array,
    conv_b: Array | None,
    bn_rm: Array,
    bn_rv: Array,
    bn_eps: float,
    bn_w: Array | None,
    bn_b: Array | None,
    transpose: bool = False,
) -> tuple[Array, Array]:
    """The weight and bias of a convolution that does what this one does with batch normalisation,
    by running statistics, after it.

    ``conv_w``, ``bn_w``: weight; ``conv_b``: bias of the convolution; ``bn_rm``: running mean;
    ``bn_rv``: running variance; ``bn_eps``: ``eps``; ``bn_b``: bias of the normalisation;
    ``transpose``: the convolution is a transposed one. As
    ``torch.nn.utils.fuse_conv_bn_weights``.

    >>> mean, var = np.zeros(4), np.ones(4)
    >>> weight, bias = fuse_conv_bn_weights(np.ones((4, 3, 2, 2)), None, mean, var, 1e-5, None, None)
    >>> weight.shape, bias.shape
    ((4, 3, 2, 2), (4,))
    """
    factor, offset = _scale_and_offset(bn_rm, bn_rv, bn_eps, bn_w, bn_b)
    shape = (1, -1) if transpose else (-1, 1)
    weight = conv_w * factor.reshape(*shape, *(1,) * (conv_w.ndim - 2))
    return weight.astype(conv_w.dtype), (offset if conv_b is None else conv_b * factor + offset).astype(conv_w.dtype)


def fuse_linear_bn_weights(
    linear_w: Array, linear_b: Array | None, bn_rm: Array, bn_rv: Array, bn_eps: float, bn_w: Array | None, bn_b: Array | None
) -> tuple[Array, Array]:
    """The weight and bias of a linear layer that does what this one does with batch normalisation,
    by running statistics, after it.

    ``linear_w``, ``bn_w``: weight; ``linear_b``: bias of the linear layer; ``bn_rm``: running
    mean; ``bn_rv``: running variance; ``bn_eps``: ``eps``; ``bn_b``: bias of the normalisation.
    As ``torch.nn.utils.fuse_linear_bn_weights``.

    >>> mean, var = np.zeros(4), np.ones(4)
    >>> weight, bias = fuse_linear_bn_weights(np.ones((4, 3)), None, mean, var, 1e-5, None, None)
    >>> weight.shape, bias.shape
    ((4, 3), (4,))
    """
    return fuse_conv_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)


def _scale_and_offset(mean: Array, var: Array, eps: float, weight: Array | None, bias: Array | None) -> tuple[Array, Array]:
    factor = (1 if weight is None else weight) / np.sqrt(var + eps)
    return factor, (0 if bias is None else bias) - mean * factor


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A copy of ``conv`` with the batch normalisation in its weights. Raises ``ValueError`` where
    one of them is not in ``eval()``.

    ``bn``: the normalisation; ``transpose``: the convolution is a transposed one. As
    ``torch.nn.utils.fuse_conv_bn_eval``.

    >>> from npexport import nn
    >>> fused = fuse_conv_bn_eval(nn.Conv2d(3, 4, 3).eval(), nn.BatchNorm2d(4).eval())
    >>> fused(np.zeros((1, 3, 5, 5), np.float32)).shape
    (1, 4, 3, 3)
    """
    return _fused(conv, bn, transpose)


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """A copy of ``linear`` with the batch normalisation in its weights. Raises ``ValueError`` where
    one of them is not in ``eval()``.

    ``bn``: the normalisation. As ``torch.nn.utils.fuse_linear_bn_eval``.

    >>> from npexport import nn
    >>> fused = fuse_linear_bn_eval(nn.Linear(3, 4).eval(), nn.BatchNorm1d(4).eval())
    >>> fused(np.zeros((2, 3), np.float32)).shape
    (2, 4)
    """
    return _fused(linear, bn, False)


def _fused(layer: Any, bn: Any, transpose: bool) -> Any:
    if layer.training or bn.training:
        raise ValueError("Fusion only for eval!")
    fused = copy.deepcopy(layer)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        layer.weight, layer.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Make the parameter ``name`` the direction ``name + "_v"`` times the lengths ``name + "_g"``,
    which are parameters instead.

    The lengths are those of the slices along ``dim`` (``None``: of all together). Returns
    ``module``, whose class is a new one. Raises ``ValueError`` where the module is normalised so
    already.

    As ``torch.nn.utils.weight_norm``; Salimans and Kingma, arXiv:1602.07868.

    >>> from npexport import nn
    >>> sorted(name for name, _ in weight_norm(nn.Linear(3, 2)).named_parameters())
    ['bias', 'weight_g', 'weight_v']
    """
    plain, normalised = _normalised(module)
    if name in normalised:
        raise ValueError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    weight = getattr(module, name)
    delattr(module, name)
    module.register_parameter(f"{name}_g", _lengths(weight, dim))
    module.register_parameter(f"{name}_v", weight)
    return _reclassed(module, plain, {**normalised, name: _Normalised(name, dim)})


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Make ``name`` an ordinary parameter again. Raises ``ValueError`` where ``weight_norm`` has
    not been applied to it.

    ``module``: the layer. As ``torch.nn.utils.remove_weight_norm``.

    >>> from npexport import nn
    >>> sorted(name for name, _ in remove_weight_norm(weight_norm(nn.Linear(3, 2))).named_parameters())
    ['bias', 'weight']
    """
    plain, normalised = _normalised(module)
    if name not in normalised:
        raise ValueError(f"weight_norm of {name!r} not found in {module}")
    weight = getattr(module, name)
    delattr(module, f"{name}_g")
    delattr(module, f"{name}_v")
    del normalised[name]
    _reclassed(module, plain, normalised).register_parameter(name, weight)
    return module


def _normalised(module: Any) -> Any:
    """The class of the module without normalised weights, and those weights."""
    own = {name: value for name, value in vars(type(module)).items() if isinstance(value, _Normalised)}
    return type(module).__bases__[0] if own else type(module), own


def _reclassed(module: Any, plain: Any, normalised: Any) -> Any:
    module.__class__ = type(plain.__name__, (plain,), {**normalised, "__module__": plain.__module__}) if normalised else plain
    return module


def _lengths(weight: Any, dim: int | None) -> Any:
    axes = tuple([axis for axis in range(weight.ndim) if dim is None or axis != dim % weight.ndim])
    squares: Any = np.square(weight)
    return np.sqrt(squares.sum(axis=axes, keepdims=dim is not None))


class _Normalised(property):
    """A weight that is computed from its direction and lengths where it is read."""

    def __init__(self, name: str, dim: int | None) -> None:
        super().__init__(lambda module: _product(getattr(module, f"{name}_v"), getattr(module, f"{name}_g"), dim))


def _product(direction: Array, lengths: Array, dim: int | None) -> Array:
    return direction * (lengths / _lengths(direction, dim))
