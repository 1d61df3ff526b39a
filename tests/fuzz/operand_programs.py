# ruff: noqa: E501 -- tables of expressions
"""Calls with operands of every kind that sizes and data make: the generator behind ``fuzz/operands.py``.

An operand is a number of Python, a scalar or an array of NumPy, of any dtype and with any number of axes, made of a size, of data, or
constant; it meets operators, functions of Python and ``math`` that take integers or numbers alone, methods of sequences and texts, indices
and parameters of NumPy, and what is written into arrays of narrower dtypes.
"""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Callable
from typing import Any

import numpy as np

PARAMETERS = "x, i, b, z, f, u, t"
OPERANDS = (
    "n", "n * 1.0", "n / 2", "n - 3", "-n", "n * 100", "n > 2", "n * 1j", "2**n", "np.array(n)", "np.array([n])", "np.array([[n]])", "np.array(n * 1.0)", "np.int8(n)", "np.uint8(n)", "np.float16(n)", "np.float32(n)", "np.float64(n)", "np.uint64(n)", "np.int64(n)", "np.array(n, 'i1')", "np.array([n], 'u1')", "np.array([n, 300])", "np.bool_(n)", "np.complex64(n)",
    "x[0]", "i[0]", "u[0]", "f[0]", "b[0]", "z[0]", "i[:1]", "u[:1]", "b[:1]", "x[:1]", "i.max()", "x.sum()", "b.sum()", "int(i[0])", "int(u[0])", "float(x[0])", "bool(b[0])", "i", "u", "f", "x", "b", "z", "len(x[x > 0])",
    "300", "-1", "2", "10**20", "2**40", "-0.0", "np.nan", "True", "None", "'a'", "np.int8(-1)", "np.uint8(200)", "np.float32(2)", "np.array(300)", "np.array([2, 1], 'u1')", "np.array(2.5, 'f4')", "np.array(True)", "np.array(['a'])", "[n, 2]", "(n,)", "slice(n)",
)  # fmt: skip
OTHERS = (
    "i",
    "u",
    "f",
    "x",
    "b",
    "z",
    "n",
    "n / 2",
    "np.int8(n)",
    "np.uint8(n)",
    "u[0]",
    "f[0]",
    "b[0]",
    "i[0]",
    "np.array(n, 'u1')",
    "np.array([n], 'i1')",
    "int(u[0])",
    "float(x[0])",
    "np.float32(n)",
    "np.full(n, 2, 'i1')",
    "np.arange(n)",
    "np.arange(n, dtype='f4')",
)
OPERATIONS = (
    *[f"{{o}} {sign} {{a}}" for sign in "+ - * / // % ** & | ^ << >> < == != >= @ and".split()], *[f"{{a}} {sign} {{o}}" for sign in "- / // % ** << <= or".split()],
    *[f"np.{name}({{o}}, {{a}})" for name in "maximum power true_divide hypot arctan2 copysign fmod logaddexp left_shift gcd heaviside isclose append full_like isin searchsorted result_type dot kron outer round percentile".split()],
    "divmod({o}, {a})", "np.where(b[:1], {o}, {a})", "np.clip({o}, 0, {a})", "np.add({o}, {a}, dtype='i2', casting='unsafe')", "np.multiply({o}, {a}, dtype='f4')", "np.array([{o}, {a}])", "np.hstack([{o}, {a}])", "np.stack([{o}, {a}])", "np.sum({o}, initial={a})", "np.max({o}, initial={a})", "np.select([b[:1]], [{o}], {a})", "np.insert({o}, 0, {a})",
    "np.pad({o}, 1, constant_values={a})", "np.diff({o}, prepend={a})", "np.ediff1d({o}, to_end={a})", "np.polyval({o}, {a})", "np.digitize({o}, [0, 2, {a}])", "min({o}, {a})", "sorted([{o}, {a}])", "sum([{o}, {a}])", "round({o}, {a})", "pow({o}, {a})", "{o} in [{a}]", "math.fmod({o}, {a})", "complex({o}, {a})", "'%s %s' % ({o}, {a})",
    "np.put({o}, 0, {a})", "np.place({o}, [True], {a})", "np.putmask({o}, b, {a})", "np.copyto({o}, {a})", "{o}.__setitem__(0, {a})", "{o}.__setitem__(slice(None), {a})", "{o}.__setitem__(slice(0, 0), {a})", "{o}.__setitem__(b, {a})", "{o}.__iadd__({a})", "{o}.__imul__({a})", "{o}.__ifloordiv__({a})", "{o}.__ilshift__({a})", "np.add.at({o}, [0], {a})", "{o}.clip({a}, 3)", "{o}.round({a})",
)  # fmt: skip
CALLS = (
    "[*range({a} or 2)][:4]", "range(n, {a})", "range(1, {a}, n)[:2]", "len(range(0, n, {a}))", "range(n)[{a}]", "range(9)[{a}]", "len(range(n)[{a}:])", "[1, 2, 3, 4][{a}]", "(1, 2, 3, 4)[{a}]", "'abcdefg'[{a}]", "b'abcdefg'[{a}]", "[1, 2, 3, 4][{a}:]", "(1, 2, 3, 4)[:{a}]", "'abcdefg'[::{a}]", "[n, 2][{a}]", "[x, f][{a}]", "(x, f)[{a}]", "operator.index({a})", "{a} in range(n)", "range(n).index({a})", "range(n).count({a})", "[1, n, 3].index({a})", "[1, n, 3].count({a})",
    "math.gcd({a}, n)", "math.comb(n, {a})", "math.comb({a}, 2)", "math.isqrt({a})", "math.sqrt({a})", "math.floor({a})", "math.hypot(n, {a})", "math.isnan({a})", "math.ldexp(1.0, {a})", "math.pow(n, {a})", "round(1.2345, {a})", "round(n, {a})", "round(n * 0.37, {a})", "round(x[0], {a})", "int('12', {a})", "chr({a})", "hex({a})", "bytes([{a}])", "int({a})", "float({a})", "complex({a})", "complex(1, {a})", "bool({a})", "abs({a})", "-{a}", "~{a}", "not {a}", "hash({a}) == 5",
    "'abc'.center({a})", "'5'.zfill({a})", "'aXbXc'.split('X', {a})", "'aaa'.replace('a', 'b', {a})", "'abcabc'.find('a', {a})", "'abc'.startswith('b', {a})", "(5).to_bytes({a}, 'big')", "pow(2, {a}, 7)", "divmod(7, {a})", "sum([1], {a})", "min(1, {a})", "max([{a}, 2])", "slice({a}).indices(9)", "slice(1, {a}).indices(n)", "'%d' % {a}", "'%x' % {a}", "'%5.1f' % {a}", "'%*d' % ({a}, 3)", "'{:d}'.format({a})", "'{:.2f}'.format({a})", "'{:>8}'.format({a})", "str({a})", "repr({a})", "isinstance({a}, int)", "1 if {a} else 2", "{a} < n < 9", "any({a})", "sum({a})", "min({a}, default=3)",
    "np.zeros({a})", "np.ones((2, {a}))", "np.full({a}, 1.5)", "np.eye(3, 3, {a})", "np.tri({a})", "np.reshape(np.arange(6.0), {a})", "np.reshape(np.arange(6.0), (2, {a}))", "np.repeat([1, 2], {a})", "np.roll(x, {a})", "np.sum(np.ones((2, 3)), axis={a})", "np.expand_dims(x, {a})", "np.take(x, {a})", "np.delete(x, {a})", "np.insert(x, {a}, 1)", "np.diag(np.ones((3, 3)), {a})", "np.trace(np.ones((3, 3)), {a})", "np.tril(np.ones((3, 3)), {a})", "np.broadcast_to(1.5, {a})", "np.resize(np.arange(3), {a})", "np.round(x, {a})", "np.linalg.matrix_power(np.eye(2), {a})", "np.strings.center('ab', {a})", "np.char.zfill('5', {a})",
    "x[{a}]", "x[{a}:]", "x[:{a}]", "x[None, {a}]", "x[{a}:][:{a}]", "x.reshape({a}, -1)", "x.repeat({a})", "x.take({a})", "x.item({a})", "x.round({a})", "x.sum({a})", "np.array({a}, 'i4')", "np.float32({a})", "np.int8({a})", "np.uint8({a})", "np.bool_({a})", "np.timedelta64({a}, 'h')", "np.datetime64(0, 'D') + {a}", "t + {a}",
)  # fmt: skip
WRITES = (
    "y[:] = {a}",
    "y[0] = {a}",
    "y[...] = {a}",
    "y[:1] = {a}",
    "y[[0]] = {a}",
    "y[y > 0] = {a}",
    "y.fill({a})",
    "np.copyto(y, {a}, casting='unsafe')",
    "np.put(y, 0, {a})",
    "y += {a}",
    "y.flat[0] = {a}",
    "y.flat[:] = {a}",
    "w[0] = {a}",
    "w[0, 0] = {a}",
    "w[:, 0] = {a}",
    "np.fill_diagonal(w, {a})",
    "y[:] = [{a}, 1, 2]",
    "np.add.at(y, [0], {a})",
)
WRITTEN = ("i1", "u1", "i4", "i8", "u8", "f4", "f2", "c8", "?")


def source(seed: int) -> str:
    """A function of the arrays, of one call or write."""
    draw = random.Random(seed)
    operand, kind = draw.choice(OPERANDS), draw.randrange(5)
    if kind == 4:
        dtype, returned = draw.choice(WRITTEN), draw.choice(("y, w", "x"))
        write = draw.choice(WRITES).replace("{a}", f"({operand})")
        return f"def program({PARAMETERS}):\n    n = len(x)\n    y, w = np.arange(3).astype('{dtype}'), np.ones((2, 2), '{dtype}')\n    {write}\n    return {returned}\n"
    row = draw.choice(CALLS if kind > 1 else OPERATIONS)
    operand = "n" if operand == "2**n" and "range(" in row else operand  # as long as no memory is
    text = row.replace("{o}", f"({draw.choice(OTHERS)})").replace("{a}", f"({operand})")
    return f"def program({PARAMETERS}):\n    n = len(x)\n    return {text}, {PARAMETERS}\n"


def compiled(text: str) -> Callable[..., Any]:
    names: dict[str, Any] = {"np": np, "math": math, "operator": operator}
    exec(text, names)
    program: Callable[..., Any] = names["program"]
    return program


def arguments(size: int, salt: int) -> tuple[Any, ...]:
    rng = np.random.default_rng([size, salt])
    x, i, b = rng.normal(size=size).round(1), rng.integers(-3, 9, size), rng.random(size) < 0.5
    if salt == 1:
        x[::2], i[::2] = np.inf, 400
    return x, i, b, x + 1j, x.astype("f4"), rng.integers(0, 255, size).astype("u1"), np.datetime64("2020-01-01") + i
