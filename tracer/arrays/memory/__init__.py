"""Storages and the layout of arrays in them: strides, views, aliasing of inputs."""
