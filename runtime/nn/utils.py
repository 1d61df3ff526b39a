"""Helpers of ``torch.nn.utils`` that mean something without gradients."""

from __future__ import annotations

import copy

import numpy as np


def parameters_to_vector(parameters):
    """All elements of the parameters, one after the other."""
    return np.concatenate([parameter.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec, parameters):
    """Write the elements of ``vec`` into the parameters, one after the other. Raises ``ValueError`` where they are too few."""
    start = 0
    for parameter in parameters:
        part = vec[start : start + parameter.size]
        if part.size != parameter.size:
            raise ValueError(f"vector_to_parameters: a vector of {vec.size} elements is too short")
        parameter[...] = part.reshape(parameter.shape)
        start += parameter.size


def fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False):
    """The weight and bias of a convolution that does what this one does with batch normalisation, by running statistics, after it."""
    factor, offset = _scale_and_offset(bn_rm, bn_rv, bn_eps, bn_w, bn_b)
    shape = (1, -1) if transpose else (-1, 1)
    weight = conv_w * factor.reshape(*shape, *(1,) * (conv_w.ndim - 2))
    return weight.astype(conv_w.dtype), (offset if conv_b is None else conv_b * factor + offset).astype(conv_w.dtype)


def fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b):
    """The weight and bias of a linear layer that does what this one does with batch normalisation, by running statistics, after it."""
    return fuse_conv_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)


def _scale_and_offset(mean, var, eps, weight, bias):
    factor = (1 if weight is None else weight) / np.sqrt(var + eps)
    return factor, (0 if bias is None else bias) - mean * factor


def fuse_conv_bn_eval(conv, bn, transpose=False):
    """A copy of ``conv`` with the batch normalisation in its weights. Raises ``ValueError`` where one of them is not in ``eval()``."""
    return _fused(conv, bn, transpose)


def fuse_linear_bn_eval(linear, bn):
    """A copy of ``linear`` with the batch normalisation in its weights. Raises ``ValueError`` where one of them is not in ``eval()``."""
    return _fused(linear, bn, False)


def _fused(layer, bn, transpose):
    if layer.training or bn.training:
        raise ValueError("Fusion only for eval!")
    fused = copy.deepcopy(layer)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        layer.weight, layer.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


def weight_norm(module, name="weight", dim=0):
    """Make the parameter ``name`` the direction ``name + "_v"`` times the lengths ``name + "_g"``, which are parameters instead.

    The lengths are those of the slices along ``dim`` (``None``: of all together). Returns ``module``, whose class is a new one.
    Raises ``ValueError`` where the module is normalised so already.
    """
    plain, normalised = _normalised(module)
    if name in normalised:
        raise ValueError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    weight = getattr(module, name)
    delattr(module, name)
    module.register_parameter(f"{name}_g", _lengths(weight, dim))
    module.register_parameter(f"{name}_v", weight)
    return _reclassed(module, plain, {**normalised, name: _Normalised(name, dim)})


def remove_weight_norm(module, name="weight"):
    """Make ``name`` a parameter of its own again. Raises ``ValueError`` where ``weight_norm`` has not been applied to it."""
    plain, normalised = _normalised(module)
    if name not in normalised:
        raise ValueError(f"weight_norm of {name!r} not found in {module}")
    weight = getattr(module, name)
    delattr(module, f"{name}_g")
    delattr(module, f"{name}_v")
    del normalised[name]
    _reclassed(module, plain, normalised).register_parameter(name, weight)
    return module


def _normalised(module):
    """The class of the module without normalised weights, and those weights."""
    own = {name: value for name, value in vars(type(module)).items() if isinstance(value, _Normalised)}
    return type(module).__bases__[0] if own else type(module), own


def _reclassed(module, plain, normalised):
    module.__class__ = type(plain.__name__, (plain,), {**normalised, "__module__": plain.__module__}) if normalised else plain
    return module


def _lengths(weight, dim):
    axes = tuple([axis for axis in range(weight.ndim) if dim is None or axis != dim % weight.ndim])
    return np.sqrt(np.sum(np.square(weight), axis=axes, keepdims=dim is not None))


class _Normalised(property):
    """A weight that is computed from its direction and lengths where it is read."""

    def __init__(self, name, dim):
        super().__init__(lambda module: _product(getattr(module, f"{name}_v"), getattr(module, f"{name}_g"), dim))


def _product(direction, lengths, dim):
    return direction * (lengths / _lengths(direction, dim))
