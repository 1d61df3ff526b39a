"""What several tests of exported programs need: the program in both its forms, and random float32 arrays."""

from __future__ import annotations

import numpy as np

from tests.support.forms import reloaded


def drivers(ep):
    """The program as it is, and saved and loaded."""
    return [ep.module(), reloaded(ep).module()]


RNG = np.random.default_rng(0)


def f32(*shape):
    return RNG.standard_normal(shape).astype(np.float32)
