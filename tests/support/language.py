"""The programs of ``conformance/python/language``, with inputs for them."""

from __future__ import annotations

import importlib
import types

import numpy as np
import pytest

CHAPTERS = (
    "control", "functions", "generators", "exceptions", "objects", "datatypes", "stdlib", "algorithms",
    "overloading", "classes", "programs", "coroutines", "texts", "callbacks", "enumerations",
)  # fmt: skip


def programs():
    for chapter in CHAPTERS:
        module = importlib.import_module(f"tests.conformance.python.language.{chapter}")
        for name, value in vars(module).items():
            if isinstance(value, types.FunctionType) and value.__module__ == module.__name__ and not name.startswith("_"):
                yield pytest.param(value, id=f"{chapter}-{name}")


PROGRAMS = list(programs())


def inputs(seed):
    generator = np.random.default_rng(seed)
    return generator.uniform(-2, 2, (3, 4)), generator.uniform(1, 2, 4)
