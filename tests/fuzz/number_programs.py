"""Random programs over Python numbers that only the data know; what they return and raise must be what eager execution does."""

from __future__ import annotations

import cmath
import math
import random
import re
from typing import Any

import numpy as np

from tests.support.functions import function_of

FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.5, 1e-320, 1e308, -1e308, float("nan"), float("inf"), float("-inf"), 710.0, 2.0**53, 0.1)
INTEGERS = (0, 1, -1, 2, 3, -7, 12, 255, 10**9, -(10**9), 2**62, -(2**63), 2**63 - 1)

_FLOAT = (
    "float({f})",
    "x[{i}].item()",
    "float(x[{i}])",
    "{f} + {f}",
    "{f} - {n}",
    "{f} * {f}",
    "{n} / {n}",
    "{f} / {f}",
    "{f} // {f}",
    "{f} % {f}",
    "{f} ** 2",
    "{f} ** -1",
    "-{f}",
    "+{f}",
    "abs({f})",
    "round({f}, 2)",
    "round({f}, -1)",
    "min({f}, {f})",
    "max({f}, 0.0, {f})",
    "sum([{f}, {f}, {f}])",
    "sum([{f}, {n}])",
    "divmod({f}, {f})[1]",
    "math.sqrt({f})",
    "math.exp({f})",
    "math.log({f})",
    "math.log({f}, 2)",
    "math.sin({n})",
    "math.atan2({f}, {f})",
    "math.hypot({f}, {n})",
    "math.copysign(1.0, {f})",
    "math.fmod({f}, {f})",
    "math.pow({f}, {f})",
    "math.fsum([{f}, {f}])",
    "math.tanh({f})",
    "math.sqrt(x[{i}])",
    "math.log1p(x[{i}])",
    "math.fabs({n})",
    "math.ldexp({f}, 3)",
    "math.modf({f})[0]",
    "math.frexp({f})[0]",
    "float({n})",
    "float({b})",
    "sum(x.tolist())",
    "math.prod([{f}, {n}])",
    "({f}).real",
    "math.degrees(x[{i}])",
    "math.erf({f})",
    "math.gamma({f})",
    "math.remainder({f}, 3)",
    "{f} * 2.5",
    "1 / {f}",
    "w[{i}].item()",
    "float(w[{i}])",
    "[{f}, {f}, 0.5][{n}]",
    "({f}, {f}, {f})[{n} % 3]",
    "{{0: {f}, 1: {f}, 2: 1.5}}.get({n} % 4, {f})",
    "written_at([{f}, 0.25, {f}], {n} % 3, {f})[{n} % 3]",
)
_INT = (
    "int({f})",
    "int(n[{i}])",
    "n[{i}].item()",
    "n.tolist()[{i}]",
    "{n} + {n}",
    "{n} - 3",
    "{n} * {n}",
    "{n} // {n}",
    "{n} % {n}",
    "{n} // 7",
    "{n} % 5",
    "{n} & 255",
    "{n} | {n}",
    "{n} ^ {n}",
    "{n} << 3",
    "{n} >> 2",
    "-{n}",
    "~{n}",
    "abs({n})",
    "round({f})",
    "round(x[{i}])",
    "math.floor({f})",
    "math.ceil({f})",
    "math.trunc({f})",
    "math.floor(x[{i}])",
    "divmod({n}, {n})[0]",
    "divmod({n}, {n})[1]",
    "divmod({n}, 5)[1]",
    "{n} ** 2",
    "pow({n}, 3, 7)",
    "min({n}, {n})",
    "max({n}, 0)",
    "sum([{n}, {n}, 1])",
    "int({b})",
    "{b} + {b}",
    "{b} * {n}",
    "math.gcd({n}, 12)",
    "math.isqrt({n})",
    "({n}).bit_length()",
    "({n}).bit_count()",
    "{n} * 10**30",
    "int(m.sum())",
    "int(x.argmax())",
    "math.frexp({f})[1]",
    "round({n}, -1)",
    "{n} ** 3",
    "pow(2, {n}, 11)",
    "[{n}, 3, {n}][{n} % 3]",
    "{{3: {n}, 1: 7, True: 2}}[{n} % 4]",
    "[[{n}, 1], [2, {n}]][{n} % 2][{b}]",
)
_BOOL = (
    "bool({f})",
    "bool({n})",
    "bool(x[{i}])",
    "bool(m[{i}])",
    "bool(m.any())",
    "bool((x > 0).all())",
    "np.allclose(x, y)",
    "np.array_equal(x, y)",
    "{f} < {f}",
    "{f} <= {n}",
    "{n} > {n}",
    "{n} == {n}",
    "{f} == {f}",
    "{f} != {f}",
    "{f} >= 0",
    "{n} != {f}",
    "not {f}",
    "not {b}",
    "not m[{i}]",
    "not x.any()",
    "{b} & {b}",
    "{b} | {b}",
    "{b} ^ {b}",
    "{b} == {b}",
    "math.isnan({f})",
    "math.isinf({f})",
    "math.isfinite(x[{i}])",
    "math.isclose({f}, {f})",
    "math.isclose({f}, 1.0, rel_tol=0.5)",
    "({f}).is_integer()",
    "m[{i}].item()",
    "np.isclose({f}, {f}).item()",
)
_COMPLEX = (
    "complex({f}, {f})",
    "complex({f})",
    "complex({n}, {f})",
    "complex(x[{i}], y[{i}])",
    "complex(w[{i}])",
    "complex(c[{i}])",
    "complex({z}, {f})",
    "complex(imag={f})",
    "c[{i}].item()",
    "c.tolist()[{i}]",
    "v[{i}].item()",
    "complex({b})",
    "{z} + {z}",
    "{z} - {f}",
    "{n} - {z}",
    "{z} * {z}",
    "{f} * {z}",
    "{z} * {b}",
    "{z} / {z}",
    "{z} / {f}",
    "{n} / {z}",
    "{z} ** 2",
    "{z} ** {z}",
    "{z} ** -1",
    "{f} ** {z}",
    "-{z}",
    "+{z}",
    "({z}).conjugate()",
    "{z} + 1j",
    "2.5j * {f}",
    "{n} + 1.5j",
    "1j * x[{i}]",
    "1j / y[{i}]",
    "{z} - x[{i}]",
    "sum([{z}, {z}, 1])",
    "pow({z}, 3)",
    "cmath.sqrt({z})",
    "cmath.exp({z})",
    "cmath.log({z})",
    "cmath.log({z}, 2)",
    "cmath.sin({f})",
    "cmath.sqrt(c[{i}])",
    "cmath.atanh({z})",
    "cmath.tan(x[{i}])",
    "cmath.rect({f}, {f})",
    "complex(*cmath.polar({z}))",
    "math.prod([{z}, {f}])",
    "({z} if {b} else {z})",
    "({z} if {b} else 1j)",
)
_OF_COMPLEX = {
    "f": ("abs({z})", "({z}).real", "({z}).imag", "cmath.phase({z})", "cmath.polar({z})[0]"),
    "b": ("{z} == {z}", "{z} != {f}", "{n} == {z}", "bool({z})", "not {z}", "cmath.isnan({z})", "cmath.isinf({z})", "cmath.isfinite({z})",
          "cmath.isclose({z}, {z})", "{f} == 1j", "x[{i}] == 1j", "1j == x[{i}]"),
}  # fmt: skip
_RESULT = (
    "{f}",
    "{n}",
    "{b}",
    "({f}, {n})",
    "{{'a': {f}, 'b': [{n}, {b}]}}",
    "x + {f}",
    "w * {f}",
    "n + {b}",
    "np.where({b}, x, y)",
    "np.float32({f})",
    "np.array([{f}, {f}])",
    "np.sin({f})",
    "np.maximum(x, {f})",
    "[{f} for _ in range(2)]",
    "w + {n} * 0.5",
    "x * ({n} % 5)",
    "np.full(2, {f})",
    "helper({f}, {n})",
    "isinstance({f}, float)",
    "isinstance({b}, int)",
    "divmod({f}, {n})",
    "x.tolist()",
    "np.add({f}, w)",
    "x[0] + {f}",
    "{z}",
    "[{z}, {b}]",
    "x + {z}",
    "w * {z}",
    "n - {z}",
    "{z} / v",
    "c[0] * {z}",
    "{z} * c[1]",
    "{z} + w[0]",
    "n[1] * {z}",
    "x[0] / {z}",
    "np.where({b}, c, {z})",
    "np.where(m, w, {z})",
    "np.array([{z}, {z}])",
    "np.array([{z}, {f}])",
    "np.exp({z})",
    "np.add({z}, w)",
    "np.abs({z})",
    "np.full(2, {z})",
    "np.complex128({z})",
    "np.stack([c, np.array([{z}, {z}, 1])])",
    "helper({z}, {z})",
    "isinstance({z}, complex)",
    "type({z}) is complex",
    "written({z})",
    "looped({z}, {f})",
    "c.tolist()",
    "(c == {z})",
    "np.isclose({z}, c)",
    "str({f})",
    "repr({n})",
    "str({b}) + '|' + repr(w[{i}])",
    "'{{:.3e}} {{!r:>12}} {{a}}'.format({f}, {f}, a={n})",
    "'%s %.4g %r' % ({f}, {f}, {b})",
    "'%d of %5x' % (int(n[{i}]), int(n[{i}]))",
    "format({f}, '+10.3f').strip()",
    "', '.join(format(v, '.2f') for v in x)",
    "f'{{{f}:g}} {{{n}:>+8}} {{{b}!s:^7}} {{x[{i}]}}'",
    "(str({f}) if {b} else 'none')",
    "('low' if {b} else 'high')",
    "('low' if {b} else 'high') == 'low'",
    "str({z})",
    "[repr(x), str(w > {f}), np.array2string(y, precision=2)]",
    "bool(f'{{{f}}}')",
)


_READS_COMPLEX = re.compile(r"\{z\}|\bc\b")
_HELPERS = """\
def helper(p, q):
    return [p * 2, {'q': q}]
def written_at(items, place, value):
    items[place] = value
    return items
def written(z):
    new = np.zeros(2, complex)
    new[0] = z
    new[1:] = -z
    return new
def looped(z, limit):
    count = 0
    while abs(z) < abs(limit) and count < 20:
        z = z * 1.5 + 0.25j
        count += 1
    return z, count""".split("\n")


def _expression(rng: random.Random, kind: str, depth: int, complexes: bool) -> str:
    table = {"f": _FLOAT, "n": _INT, "b": _BOOL, "z": _COMPLEX}[kind] + (_OF_COMPLEX.get(kind, ()) if complexes else ())
    if depth <= 0:
        table = {
            "f": ("float(x[{i}])", "y[{i}].item()", "a"),
            "n": ("int(n[{i}])", "k"),
            "b": ("bool(m[{i}])", "d"),
            "z": ("complex(c[{i}])", "complex(x[{i}], y[{i}])", "e", "1.5j"),
        }[kind]
    return f"({_filled(rng, rng.choice(table), depth - 1, complexes)})"


def _filled(rng: random.Random, template: str, depth: int, complexes: bool) -> str:
    for kind in "fnbz":
        while f"{{{kind}}}" in template:
            template = template.replace(f"{{{kind}}}", _expression(rng, kind, depth - rng.randrange(2), complexes), 1)
    while "{i}" in template:
        template = template.replace("{i}", str(rng.randrange(3)), 1)
    return template.replace("{{", "{").replace("}}", "}")


def program(seed: int) -> str:
    """The source of a function ``f(x, y, w, n, m, c, v)`` of vectors of three elements: float64 twice, float32, int64, bool, complex128,
    complex64.
    """
    rng = random.Random(seed)
    complexes = rng.random() < 0.6
    results = _RESULT if complexes else tuple(result for result in _RESULT if not _READS_COMPLEX.search(result))
    lines = [*_HELPERS, "def f(x, y, w, n, m, c, v):"]
    lines += ["    a = float(x[0])", "    k = int(n[1])", "    d = bool(m[2])", "    e = complex(c[0])"]
    for _ in range(rng.randrange(4)):
        name, kind = rng.choice(("af", "kn", "db", *(["ez"] * 2 * complexes)))
        lines.append(f"    {name} = {_expression(rng, kind, rng.randrange(1, 4), complexes)}")
    returned = ", ".join(_filled(rng, rng.choice(results), rng.randrange(1, 3), complexes) for _ in range(rng.randrange(1, 4)))
    return "\n".join([*lines, f"    return {returned}"])


def compiled(source: str) -> Any:
    return function_of(compile(source, "<program>", "exec"), {"np": np, "math": math, "cmath": cmath})


def inputs(rng: random.Random) -> tuple[Any, ...]:
    """Data of all signs and sizes."""
    tame = rng.random() < 0.4
    floats = [rng.choice(FLOATS) if not tame else rng.uniform(-4, 4) for _ in range(6)]
    integers = [rng.choice(INTEGERS[:7] if tame else INTEGERS) for _ in range(3)]
    with np.errstate(all="ignore"):
        narrow = np.array([rng.choice(FLOATS) for _ in range(3)]).astype(np.float32)
    pairs = [
        complex(rng.choice(FLOATS), rng.choice(FLOATS)) if not tame else complex(rng.uniform(-2, 2), rng.choice((0.0, 1.5)))
        for _ in range(6)
    ]
    with np.errstate(all="ignore"):
        thin = np.array(pairs[3:]).astype(np.complex64)
    truths = np.array([rng.random() < 0.5 for _ in range(3)])
    return np.array(floats[:3]), np.array(floats[3:]), narrow, np.array(integers), truths, np.array(pairs[:3]), thin
