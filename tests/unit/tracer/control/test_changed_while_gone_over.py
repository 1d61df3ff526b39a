"""Containers whose items only the data know, and that a loop of few iterations goes over: what changes them there has
its effect, raises as in eager execution, or is refused.
"""

from __future__ import annotations

import itertools
from collections import Counter, deque

import numpy as np
import pytest

from npexport import Dim, InputMismatch, Unsupported, export
from tests.support.functions import function_of
from tests.support.outcomes import outcome
from tests.support.shards import shard

CONTAINERS = {
    "a list among lists": "d = [[] for _ in range(3)]\n    g = d[int(y[0])]\n    d[0].append(7)\n    g = d[0]",
    "lists of which one is chosen": "d = [[] for _ in range(3)]\n    d[int(y[0])].append(7)\n    d[0].append(8)\n    g = d[0]",
    "a set among sets": "d = [set() for _ in range(3)]\n    g = d[int(y[0])]\n    d[0].add(7)\n    g = d[0]",
    "a dict among dicts": "d = [{} for _ in range(3)]\n    g = d[int(y[0])]\n    d[0][7] = 1\n    g = d[0]",
    "a dict": "g = {}\n    g[int(y[0]) + 7] = 1",
    "a set": "g = set()\n    g.add(int(y[0]) + 7)",
    "a counter": "g = Counter()\n    g[int(y[0])] += 3",
    "a list": "g = [7]\n    if y[0] > 0:\n        g.append(8)\n    else:\n        g.append(9)",
    "a deque": "g = deque([7])\n    if y[0] > 0:\n        g.append(8)\n    else:\n        g.append(9)",
}
USES = {
    "is counted": "for q in g:\n        k += 1",
    "is summed": "for q in g:\n        k += q",
    "is collected": "k = [q for q in g]",
    "gives values": "for q in g.values():\n        k += q",
    "gives items": "for q, v in g.items():\n        k += q * v",
    "is searched": "for q in g:\n        k += q\n        if k > 7:\n            break\n    else:\n        k = -k",
    "gets longer": "for q in g:\n        k += 1\n        if len(g) < 4:\n            g.append(q)",
    "gets members": "for q in g:\n        k += 1\n        if len(g) < 4:\n            g.add(q + k)",
    "gets keys": "for q in g:\n        k += 1\n        if len(g) < 4:\n            g[q + k] = k",
    "gets values": "for q in list(g):\n        g[q] = k",
    "gets shorter": "for q in g:\n        k += 1\n        if len(g) > 0:\n            g.pop()",
    "is copied first": "for q in list(g):\n        k += 1\n        if len(g) < 4:\n            g.append(q)",
    "is gone over by C": "it = iter(g)\n    k = next(it), next(it, None)",
    "is unpacked": "k, *_ = g",
}


def source_of(container: str, use: str) -> str:
    return f"def program(y):\n    k = 0\n    {CONTAINERS[container]}\n    {USES[use]}\n    return k, len(g)\n"


@pytest.mark.parametrize(("container", "use"), shard(itertools.product(CONTAINERS, USES), 2))
def test_what_a_loop_changes_that_it_goes_over(container: str, use: str) -> None:
    program = function_of(source_of(container, use), {"np": np, "Counter": Counter, "deque": deque})
    example = (np.array([1, 0]),)
    try:
        module = export(program, example).module()
    except Unsupported as refusal:
        assert refusal.code in ("E103", "E104", "E115"), refusal
        return
    except Exception as error:
        assert outcome(program, example)[0].startswith(type(error).__name__)
        return
    for value in range(-3, 4):
        assert outcome(module, (np.array([value, 0]),)) == outcome(program, (np.array([value, 0]),)), value


@pytest.mark.parametrize("container", [name for name in CONTAINERS if "set" not in name])
@pytest.mark.parametrize("use", ["is counted", "is collected"])
def test_a_loop_over_few_items_is_captured(container: str, use: str) -> None:
    program = function_of(source_of(container, use), {"np": np, "Counter": Counter, "deque": deque})
    module = export(program, (np.array([1, 0]),)).module()
    assert outcome(module, (np.array([2, 0]),)) == outcome(program, (np.array([2, 0]),))


GROWN = {"a list": "list", "a deque": "deque"}
CHANGES = {
    "shorter on a side": "if len(g) > 2:\n            g.pop()",
    "shorter": "g.pop()",
    "longer on a side": "if len(g) < 6:\n            g.append(q)",
    "longer at the end": "if k == len(g) and k < 9:\n            g.append(k)",
    "other items": "g[0] = 9",
    "shorter in a loop inside": "for p in range(k % 2):\n            g.pop()",
}


@pytest.mark.parametrize(("grown", "over", "change"), shard(itertools.product(GROWN, ["g", "reversed(g)"], CHANGES), 2))
def test_what_a_loop_over_any_number_of_items_changes(grown: str, over: str, change: str) -> None:
    source = f"""def program(y):
    g = {GROWN[grown]}()
    for v in y:
        g.append(int(v))
    k = 0
    for q in {over}:
        k += 1
        {CHANGES[change]}
    return k, list(g)
"""
    program = function_of(source, {"deque": deque})
    example = (np.array([3, 1, 6, 0]),)
    try:
        module = export(program, example, dynamic_shapes=({0: Dim.AUTO},)).module()
    except Unsupported as refusal:
        assert refusal.code in ("E103", "E104"), refusal
        return
    except Exception as error:
        assert outcome(program, example)[0].startswith(type(error).__name__)
        return
    compared = 0
    for size in range(8):
        given = (np.random.default_rng(size).integers(-2, 8, size),)
        try:
            found = outcome(module, given)
        except InputMismatch:
            continue
        assert found == outcome(program, given), size
        compared += 1
    assert compared
