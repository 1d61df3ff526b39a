"""Programs that return one of several values as data decide: ``None`` or an array, a tuple or another one, objects, texts. From textbooks
and public code."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from npexport import register_dataclass
from tests.support.declaring import declaring

PROGRAMS, DYNAMIC, static, dynamic = declaring()
"""Dynamic ones at any size from 4 on."""


@dynamic
def first_above(x):
    for i in range(len(x)):
        if x[i] > 1.0:
            return i
    return None


@dynamic
def mean_of_positive(x):
    positive = x[x > 0]
    if len(positive) == 0:
        return None
    return positive.mean()


@static
def solved(x):
    try:
        return np.linalg.solve(x.reshape(2, 2), x[:2])
    except np.linalg.LinAlgError:
        return None


@dynamic
def bisected(x):
    a, b = x[0], x[1]
    if a * b > 0:
        return None
    for _ in range(20):
        middle = 0.5 * (a + b)
        if a * middle <= 0:
            b = middle
        else:
            a = middle
    return 0.5 * (a + b)


@dynamic
def best_of(x):
    best = None
    for i, value in enumerate(x):
        if value > 0 and (best is None or value > x[best]):
            best = i
    return {"best": best, "total": float(x.sum())}


@dynamic
def with_status(x):
    if np.abs(x).max() > 1.5:
        return None, "diverged"
    return x * 2, "ok"


@dynamic
def intersection(x):
    low, high = max(x[0], x[2]), min(x[1], x[3])
    if low > high:
        return None
    return low, high


@dynamic
def roots(x):
    a, b, c = float(x[0]), float(x[1]), float(x[2])
    d = b * b - 4 * a * c
    if a == 0 or d < 0:
        return ()
    if d == 0:
        return (-b / (2 * a),)
    return ((-b - math.sqrt(d)) / (2 * a), (-b + math.sqrt(d)) / (2 * a))


@dynamic
def its_own_or_a_number(x):
    return x if x[0] > 0 else 0.0


@dynamic
def a_view_or_none_of_what_is_written(x):
    y = x[1:] if x[0] > 0 else None
    x += 1
    return y


@dynamic
def of_two_dtypes(x):
    return (x > 0) if x[0] > 0 else x.astype(np.float32) if x[1] > 0 else x[np.newaxis]


@dynamic
def made_in_every_call(x):
    start = np.zeros(3)
    return start if x[0] > 0 else None


@dynamic
def the_same_list_twice(x):
    both = [x * 2]
    return (both, both, None) if x[0] > 0 else (both, None, both)


@dynamic
def a_list_that_is_long_enough(x):
    out = [v for v in x if v > 0]
    return out if len(out) > 1 else None


@dynamic
def texts_sets_and_dicts(x):
    if x[0] > 0:
        return {1, 2}
    return f"{len(x)} values" if x[1] > 0 else {"min": x.min()} if x[2] > 0 else complex(x[0], x[1])


class Hit(NamedTuple):
    at: Any
    normal: Any


@dynamic
def ray_and_plane(x):
    slope = x[0] * x[1]
    if slope == 0:
        return Hit(None, None)
    t = x[2] / slope
    return None if t < 0 else Hit(t, x / np.abs(x).max())


@register_dataclass
@dataclass
class Result:
    root: Any
    converged: bool


@dynamic
def newton(x):
    guess = x[0]
    if guess == 0:
        return Result(None, False)
    for _ in range(5):
        guess = 0.5 * (guess + 2 / guess)
    return Result(guess, bool(abs(guess * guess - 2) < 1e-6))
