"""Storages and how arrays lie in them: layouts, strides, aliasing of inputs."""
