"""Programs whose variables are one of several values as data decide: ``None`` or an array, texts, kinds of numbers, functions, unbound.
From textbooks and public code."""

from __future__ import annotations

import numpy as np

from tests.support.declaring import declaring

PROGRAMS, DYNAMIC, static, dynamic = declaring()
"""Dynamic ones at any size from 2 on."""


# Searches


@dynamic
def smallest_of_positive(x):
    best = None
    for value in x:
        if value > 0 and (best is None or value < best):
            best = value
    return np.float64(-1) if best is None else best


@dynamic
def first_above(x):
    index = None
    for i in range(len(x)):
        if x[i] > 1:
            index = i
            break
    return x[index] * 2 if index is not None else x[0]


@dynamic
def last_above(x):
    index = None
    for i in range(len(x)):
        if x[i] > 1:
            index = i
    if index is None:
        return -1
    return index


@static
def longest_run(x):
    """The longest run of positive values: where it begins, and how long it is."""
    start, best = None, (0, 0)
    for i in range(len(x)):
        if x[i] > 0:
            if start is None:
                start = i
            if i - start + 1 > best[1]:
                best = start, i - start + 1
        else:
            start = None
    return best


@dynamic
def number_of_rises(x):
    previous, count = None, 0
    for value in x:
        if previous is not None and value > previous:
            count += 1
        previous = value
    return count


@dynamic
def two_largest(x):
    first = second = None
    for value in x:
        if first is None or value > first:
            first, second = value, first
        elif second is None or value > second:
            second = value
    return first, second if second is not None else first


@static
def bracket_of_sign_change(x):
    bracket = None
    for i in range(len(x) - 1):
        if bracket is None and x[i] * x[i + 1] < 0:
            bracket = (i, i + 1)
    if bracket is None:
        return x.sum()
    low, high = bracket
    return x[low] - x[high]


def position(x, wanted):
    for i, value in enumerate(x):
        if value == wanted:
            return i
    return None


@dynamic
def found_by_a_callee(x):
    i = position(x, 2.0)
    return -1 if i is None else i


@static
def argument_that_may_be_none(x):
    def scaled(values, scale=None):
        return values if scale is None else values * scale

    return scaled(x, None if x[0] > 0 else x.sum()) + 1


# Iterations with a value of before


@static
def stops_when_it_settles(x):
    last, k = None, 0
    while k < 30:
        k += 1
        new = 0.5 * (x + 2 / (1 + x * x))
        if last is not None and abs(new - last).max() < 1e-3:
            break
        last = x = new
    return x, k


@static
def aitken(x):
    """Aitken's acceleration of a fixed point."""
    before = last = None
    value = x[0]
    for _ in range(6):
        if before is not None and last is not None and value - 2 * last + before != 0:
            value = value - (value - last) ** 2 / (value - 2 * last + before)
        before, last = last, value
        value = np.cos(value) * 0.5
    return value


@static
def secant(x):
    a, b = x[0], x[1]
    root, reason = None, "running"
    k = 0
    while reason == "running":
        k += 1
        fa, fb = a * a * a - 2, b * b * b - 2
        if abs(fb) < 1e-9:
            root, reason = b, "converged"
        elif fa == fb:
            reason = "flat"
        elif k > 40:
            reason = "too many"
        else:
            a, b = b, b - fb * (b - a) / (fb - fa)
    return b if root is None else root, k, reason == "converged", 1 if reason == "flat" else 2


@static
def unbound_before_the_first_iteration(x):
    k = 0
    while x.max() > 1:
        before = x.max()
        x = x / 2
        k += 1
    return before if k > 0 else x.max()


@static
def step_of_before(x):
    k = 0
    while True:
        if k > 0 and old - x.max() < 0.1:  # noqa: F821 (bound below)
            break
        old = x.max()
        x = x / 2
        k += 1
    return x, k


@dynamic
def exponential_average(x):
    level = None
    for value in x:
        level = value if level is None else 0.8 * level + 0.2 * value
    return level


@static
def momentum(x):
    velocity = None
    for _ in range(5):
        gradient = 2 * x
        if (abs(gradient) < 0.1).all():
            break
        velocity = gradient if velocity is None else 0.9 * velocity + gradient
        x = x - 0.1 * velocity
    return x * 1


# Machines of states


@dynamic
def machine_of_texts(x):
    state, count = "idle", 0
    for value in x:
        if state == "idle":
            if value > 0:
                state = "rising"
        elif state == "rising":
            state = "high" if value > 1 else "idle"
        else:
            state, count = "idle", count + 1
    return count, state == "high"


@dynamic
def thermostat(x):
    mode, switched = "off", 0
    for value in x:
        wanted = "heat" if value < -1 else "cool" if value > 1 else mode
        if wanted != mode:
            switched += 1
            mode = wanted
    return switched, {"off": 0, "heat": 1, "cool": 2}[mode]


@static
def text_of_a_status(x):
    status = "low"
    if x[0] > 0:
        status = "high"
    elif x[1] > 0:
        status = "middle"
    if status == "high":
        return x * 2
    if status.startswith("mid"):
        return x * 3
    return x * 1


@static
def flag_of_three_values(x):
    known = None
    if x[0] > 0:
        known = True
    elif x[1] > 0:
        known = False
    return -1 if known is None else 1 if known else 0


# Results of several kinds


def solved(x):
    if x[0] == 0:
        return None
    return x[1] / x[0]


@static
def nothing_where_there_is_no_solution(x):
    root = solved(x)
    return x.sum() if root is None else root


def roots(a, b, c):
    d = b * b - 4 * a * c
    if d < 0:
        return ()
    if d == 0:
        return (-b / (2 * a),)
    return ((-b - np.sqrt(d)) / (2 * a), (-b + np.sqrt(d)) / (2 * a))


@static
def roots_of_a_parabola(x):
    found = roots(1.0, x[1], x[2])
    return len(found), sum(found) + x[0]


def clipped(p, q):
    """A line against the unit interval: the part, or nothing."""
    low, high = max(p, 0.0), min(q, 1.0)
    return None if low > high else (low, high)


@static
def part_in_an_interval(x):
    part = clipped(x[0], x[1])
    if part is not None:
        return part[1] - part[0]
    return 0.0 * x[0]


@static
def hit_of_a_ray(x):
    """The nearest of two circles on a line."""
    hit = None
    for centre, name in ((x[0], "first"), (x[1], "second")):
        distance = 1 - centre * centre
        if distance >= 0 and (hit is None or np.sqrt(distance) < hit[0]):
            hit = np.sqrt(distance), name
    if hit is None:
        return np.float64(-1), 0
    return hit[0], 1 if hit[1] == "first" else 2


# Functions, objects, attributes, items


@static
def function_by_data(x):
    f = np.sin if x[0] > 0 else np.cos
    return f(x)


@static
def closure_or_nothing(x):
    shift = (lambda v: v + x[0]) if x[0] > 0 else None
    return shift(x) if shift else -x


class Tracker:
    def __init__(self):
        self.best, self.at, self.note = None, None, "none"

    def offer(self, value, i):
        if self.best is None or value > self.best:
            self.best, self.at = value, i
            self.note = "raised"
        elif value < 0:
            self.note = "low"


@static
def attributes_of_an_object(x):
    tracker = Tracker()
    for i in range(3):
        if x[i] != 0:
            tracker.offer(x[i], i)
    if tracker.best is None:
        return x[0], -1, 0
    return tracker.best, tracker.at, 1 if tracker.note == "low" else 2


@static
def object_or_nothing(x):
    tracker = None
    if x[0] > 0:
        tracker = Tracker()
        tracker.offer(x[1] * 2, 3)
    if tracker is None:
        return x.sum()
    return tracker.best + tracker.at


@static
def slots_of_a_list(x):
    """Buckets that keep the first value that falls into them."""
    buckets = [None, None, None]
    for value in x:
        if value < 0:
            buckets[0] = value
        elif value < 1 and buckets[1] is None:
            buckets[1] = value
        elif buckets[2] is None or value > buckets[2]:
            buckets[2] = value
    total = 0.0
    for value in buckets:
        if value is not None:
            total = total + value
    return total


@static
def memo_in_a_dict(x):
    memo = {"sum": None}

    def total():
        if memo["sum"] is None:
            memo["sum"] = x.sum()
        return memo["sum"]

    return total() + total() if x[0] > 0 else total() if x[1] > 0 else np.float64(0)


@static
def linked_values(x):
    """A tree of two levels, in which a node may have no child."""
    left = (x[0], None) if x[0] > 0 else None
    tree = (x[1], left, (x[2], None))
    total = tree[0]
    for child in tree[1:]:
        if child is not None:
            total = total + child[0]
    return total


@static
def bound_on_one_side(x):
    if x[0] > 0:
        y = x * 2
    if x[1] > 0:
        return y.sum()
    return x.sum()


@static
def written_in_place(x):
    work = None
    if x[0] > 0:
        work = x * 2
    if work is not None:
        work[0] = 7
        work += 1
    if x[1] > 0 and work is not None:
        return work * 1
    return -x


@static
def view_of_the_input(x):
    part = None if x[0] > 0 else x[1:]
    return x.sum() if part is None else part.sum()


@static
def kinds_of_numbers(x):
    step = 1
    if x[0] > 0:
        step = 0.5
    elif x[1] > 0:
        step = x[2]
    return x * step


@static
def dtypes(x):
    y = x if x[0] > 0 else x.astype("f4")
    return (y * 2).sum() + np.float64(0)


@static
def truth_of_what_may_be_none(x):
    weight = 0.0 if x[0] > 1 else None if x[0] > 0 else x[1]
    return x * weight if weight else x + 1


@static
def default_by_or(x):
    name = "" if x[0] > 0 else "given"
    return len(name or "default") + x[0]


@static
def raises_on_one_side(x):
    best = None
    if x[0] > 0:
        best = x[0]
    return best + 1


@static
def raises_by_hand(x):
    best = None
    for value in x:
        if value > 0:
            best = value
    if best is None:
        raise ValueError("no positive value")
    return best


@static
def sides_in_one_another(x):
    y = None
    if x[0] > 0:
        if x[1] > 0:
            y = x * 2
        elif x[2] > 0:
            y = "text"
    if y is None:
        return x.sum()
    return np.float64(len(y)) if isinstance(y, str) else y.sum()


@static
def matched(x):
    point = None if x[0] > 2 else ("left", x[0]) if x[1] > 0 else (x[2], x[1])
    match point:
        case None:
            return x[0]
        case ("left", y):
            return y
        case (a, b):
            return a + b
