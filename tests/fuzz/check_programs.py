"""Random programs with branches on data that raise: in blocks, functions, loops, handlers and ``with``, among writes and other errors."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np

from tests.support.functions import function_of

_CONDITIONS = (
    "x.min() < {c}",
    "not (x > {c}).all()",
    "x[{i}] < {c}",
    "float(x[{i}]) < {c}",
    "np.isnan(x).any()",
    "x.sum() > {c}",
    "(x == 0).any()",
    "x[{i}] > x[{j}]",
    "x[{i}] < {c} and x[{j}] > {c}",
    "x[{i}] < {c} or x[{j}] > {c}",
    "not np.isfinite(x).all()",
    "int(n[{i}]) > {k}",
    "n[{i}] == {k}",
    "n.max() - n.min() > {k}",
    "{c} <= x[{i}] <= 2",
    "x.shape[0] > 2 and x[{i}] < {c}",
    "flag and x[{j}] < {c}",
    "state.size < 3 or x[{i}] > {c}",
    "bool(x[{i}] > {c})",
    "not x[{i}]",
)
_ERRORS = (
    "ValueError('bad')",
    "ValueError(f'{{x[{i}]}} is bad')",
    "KeyError(x[{i}])",
    "RuntimeError",
    "IndexError('a %s b %d' % (x[{i}], n[{j}]))",
    "ValueError('{{}}'.format(x.min()), {k})",
    "ArithmeticError(float(x[{i}]), 'b')",
    "ZeroDivisionError(str(x[{i}]) + '!')",
    "fail(x, {k})",
    "Own('own')",
    "ValueError(f'{{x!r}} {{n.sum():>8}} {{x[{i}]:.2f}}')",
    "TypeError(', '.join([str(v) for v in x]))",
    "np.linalg.LinAlgError('s')",
    "StopIteration(1)",
)
_STATEMENTS = (
    "x = x * 2",
    "y = x + {c}",
    "x = x.copy(); x[{i}] = {c}",
    "state[{i}] += 1",
    "state[:] = x",
    "n = n + 1",
    "names.append({k})",
    "box['k'] = {k}",
    "z = 1 / float(x[{i}])",
    "q = math.sqrt(x[{i}])",
    "x = check(x)",
    "flag = not flag",
    "m = int(n[{i}]) % 3",
    "x = x - x[{j}]",
)


def _filled(rng: random.Random, template: str) -> str:
    values = {"c": rng.choice((-1, 0, 0.5, 1, 2)), "i": rng.randrange(3), "j": rng.randrange(3), "k": rng.randrange(4)}
    return template.format(**values)


def _block(rng: random.Random, depth: int, indent: str) -> list[str]:
    lines: list[str] = []
    for _ in range(rng.randrange(1, 4)):
        kind = rng.random()
        condition = _filled(rng, rng.choice(_CONDITIONS))
        error = "raise " + _filled(rng, rng.choice(_ERRORS))
        if kind < 0.3 or depth == 0:
            lines.append(indent + _filled(rng, rng.choice(_STATEMENTS)))
        elif kind < 0.55:
            lines.append(f"{indent}if {condition}: {error}")
        elif kind < 0.62:
            lines += [f"{indent}assert {condition}, f'{{x[0]}}'"]
        elif kind < 0.7:
            lines += [f"{indent}if {condition}:", *_local(rng, indent + "    "), f"{indent}    {error}"]
        elif kind < 0.76:
            lines += [f"{indent}if {condition}:", f"{indent}    pass", f"{indent}else:", f"{indent}    {error}"]
        elif kind < 0.82:
            lines += [f"{indent}if {condition}:", *_block(rng, depth - 1, indent + "    ")]
        elif kind < 0.87:
            handler = rng.choice(("except KeyError:", "except (ValueError, KeyError):", "except Exception as error:", "finally:"))
            after = rng.choice(("x = x * 0", "raise", "raise RuntimeError('other')", "pass"))
            after = "pass" if handler == "finally:" and "raise" in after else after
            lines += [f"{indent}try:", *_block(rng, depth - 1, indent + "    "), indent + handler, f"{indent}    {after}"]
        elif kind < 0.92:
            lines += [f"{indent}with np.errstate(all='ignore'):", *_block(rng, depth - 1, indent + "    ")]
        else:
            lines += [f"{indent}for v in range(2):", *_block(rng, depth - 1, indent + "    ")]
    return lines


def _local(rng: random.Random, indent: str) -> list[str]:
    """What a side does before it raises; some of it has effects."""
    chosen = rng.choice(
        (
            "t = x.min()",
            "t = [v for v in x]",
            "t = 'a' + str(x[0])",
            "u = {'a': x[0]}",
            "x = x * 3",
            "state[0] = 9",
            "box['e'] = 1",
            "t = 0; t += 1",
        )
    )
    return [indent + chosen]


def program(seed: int) -> str:
    """The source of ``f(x, n, state)``: vectors of three floats, integers and floats."""
    rng = random.Random(seed)
    return "\n".join(
        [
            "class Own(LookupError): pass",
            "def fail(x, k):",
            "    if k > 1: raise OverflowError('k')",
            "    return ValueError(x[k])",
            "def check(x):",
            *[
                line
                for line in _block(rng, 0, "    ")
                if not any(name in line for name in ("state", "n = ", "check", "n[", "names", "box", "flag"))
            ],
            f"    if {_filled(rng, rng.choice(_CONDITIONS[:11]))}: raise ValueError(x[0])",
            "    return x + 1",
            "def f(x, n, state):",
            "    flag = True; names = []; box = {}",
            *_block(rng, 2, "    "),
            "    return x, n, names, box, flag",
        ]
    )


def compiled(source: str) -> Any:
    return function_of(compile(source, "<program>", "exec"), {"np": np, "math": math, "flag": True, "n": None})


def inputs(rng: random.Random) -> tuple[Any, ...]:
    floats = [rng.choice((0.0, -0.0, 1.0, -1.0, 0.5, 2.5, float("nan"), float("inf"), -3.5)) for _ in range(6)]
    return np.array(floats[:3]), np.array([rng.randrange(-3, 5) for _ in range(3)]), np.array(floats[3:])
