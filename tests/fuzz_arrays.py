# ruff: noqa: E501 -- tables of statements
"""Random programs over arrays: views of views, writes through them, ``out=``, masks, layouts, loops; held to eager NumPy.

``python -m tests.fuzz_arrays [count] [seed] [strict]`` runs many; each program is source text, printed where it differs.
"""

from __future__ import annotations

import random
import sys
import warnings
from typing import Any

import numpy as np

from npexport import export
from npexport.ir.signature import InputKind
from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays import ArrayProxy
from npexport.tracer.arrays.methods import shares
from tests.arrays_harness import compare, evaluate, result_nodes, trace

DTYPES = ("float64", "float64", "float32", "int64", "int32", "uint8", "bool", "complex128")
SHAPES = ((), (1,), (3,), (4,), (6,), (2, 3), (3, 3), (1, 4), (4, 1), (3, 4), (2, 3, 2), (2, 2, 3), (0, 3), (1, 1, 2))


def make_array(rng: random.Random, shape: tuple[int, ...], dtype: str, layout: str) -> np.ndarray[Any, Any]:
    """An array of these features whose data differ from call to call."""
    numbers = np.random.default_rng(rng.randrange(1 << 30))
    data: Any = numbers.integers(0, 5, shape)
    if dtype.startswith(("float", "complex")):
        data = data + numbers.integers(0, 4, shape) / 4
    if dtype.startswith("complex"):
        data = data + 1j * numbers.integers(0, 3, shape)
    return lay_out(np.asarray(data).astype(dtype), layout)


def lay_out(array: np.ndarray[Any, Any], layout: str) -> np.ndarray[Any, Any]:
    """The same elements in memory of this kind."""
    if array.ndim == 0:
        return array
    if layout == "F":
        return np.asfortranarray(array)
    if layout == "strided":
        wide = np.zeros((*array.shape[:-1], array.shape[-1] * 2), array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]
    if layout == "reversed":
        return np.ascontiguousarray(array[::-1])[::-1]
    return np.ascontiguousarray(array)


class Program:
    """Grows a program statement by statement on example arrays, so that every statement is known to run (or to raise)."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.inputs = [
            (rng.choice(SHAPES), rng.choice(DTYPES), rng.choice(("C", "C", "C", "F", "F", "strided", "reversed")))
            for _ in range(rng.randint(1, 3))
        ]
        self.arrays = [make_array(rng, *spec) for spec in self.inputs]
        self.lines: list[str] = []
        self.scope: dict[str, Any] = {"np": np, "log": []}
        self.count = 0
        for i, array in enumerate(self.arrays):
            self.scope[f"x{i}"] = lay_out(array.copy(), self.inputs[i][2])

    def build(self, length: int) -> str:
        """The source of ``def f(np, x0, ...)``."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            for _ in range(length * 3):
                if len(self.lines) >= length:
                    break
                self._grow()
        names = [name for name in self.scope if name[0] in "vx" and isinstance(self.scope[name], (np.ndarray, np.generic))]
        body = "\n".join(f"    {line}" for text in self.lines for line in text.split("\n"))
        arguments = ", ".join(f"x{i}" for i in range(len(self.inputs)))
        return f"def f(np, {arguments}):\n    log = []\n{body}\n    return [{', '.join(names)}], log\n"

    def _grow(self) -> None:
        line = self.rng.choice(
            (self.view, self.view, self.compute, self.compute, self.write, self.write, self.write, self.loop, self.make)
        )()
        if line is None:
            return
        try:
            exec(line, self.scope)
        except Exception:
            line = f"try:\n    {line}\nexcept Exception as error:\n    log.append(type(error).__name__)"
            if "\n" in line.split("\nexcept")[0][5:] or self.rng.random() < 0.8:
                return
        if all(getattr(self.scope[name], "size", 0) <= 200 for name in self.scope if name[0] == "v"):
            self.lines.append(line)
        else:
            del self.scope[f"v{self.count}"]

    # Choices

    def array(self, ndim: int = 0) -> str | None:
        names = [name for name, value in self.scope.items() if name[0] in "vx" and isinstance(value, np.ndarray) and value.ndim >= ndim]
        return self.rng.choice(names) if names else None

    def value(self, name: str) -> Any:
        return self.scope[name]

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def basic(self, shape: tuple[int, ...]) -> str:
        items = []
        for size in shape[: self.rng.randint(0, len(shape))]:
            kind = self.rng.random()
            if kind < 0.3 and size:
                items.append(str(self.rng.randrange(-size, size)))
            elif kind < 0.9:
                parts = [self.rng.choice(("", str(self.rng.randint(-3, 4)))) for _ in range(2)]
                step = self.rng.choice(("", "", "2", "-1", "-2"))
                items.append(f"{parts[0]}:{parts[1]}:{step}")
            else:
                items.append("...") if "..." not in items else items.append(":")
        if self.rng.random() < 0.15:
            items.insert(self.rng.randint(0, len(items)), "None")
        return ", ".join(items) or "..."

    def advanced(self, shape: tuple[int, ...]) -> str:
        if not shape or 0 in shape:
            return "..."
        size = shape[0]
        places = [self.rng.randrange(-size, size) for _ in range(self.rng.randint(1, 4))]
        kind = self.rng.random()
        if kind < 0.4:
            return str(places)
        if kind < 0.7 and len(shape) > 1:
            return f"{places}, {[self.rng.randrange(shape[1]) for _ in places]}"
        if kind < 0.85 and len(shape) > 1:
            return f":, {[self.rng.randrange(shape[1]) for _ in range(2)]}"
        return f"np.array({places}).reshape(1, -1)"

    def operand(self, shape: tuple[int, ...]) -> str:
        """Something that broadcasts with the shape, often."""
        if self.rng.random() < 0.4:
            return self.rng.choice(
                ("1", "2", "-1", "0.5", "3", "True", "np.float32(2)", "np.int64(3)", "2j" if self.rng.random() < 0.1 else "2")
            )
        names = [
            name for name, v in self.scope.items() if name[0] in "vx" and isinstance(v, (np.ndarray, np.generic)) and fits(v.shape, shape)
        ]
        return self.rng.choice(names) if names else "1"

    # Statements

    def view(self) -> str | None:
        name = self.array()
        if name is None:
            return None
        array = self.value(name)
        shape = array.shape
        axes = list(range(array.ndim))
        self.rng.shuffle(axes)
        options = [
            f"{name}[{self.basic(shape)}]",
            f"{name}[{self.basic(shape)}]",
            f"{name}.T",
            f"{name}.ravel()",
            f"{name}.reshape(-1)",
            f"{name}.real",
            f"np.squeeze({name})",
        ]
        options += [
            f"np.atleast_2d({name})",
            f"{name}[None]",
            f"np.asarray({name})",
            f"np.flip({name})",
            f"{name}.view()",
            f"np.expand_dims({name}, 0)",
        ]
        options += [
            f"{name}.ravel('F')",
            f"{name}.reshape({self.reshaped(array.size)})",
            f"{name}.reshape({self.reshaped(array.size)}, order='F')",
        ]
        options += [f"np.ascontiguousarray({name})", f"{name}.astype({name}.dtype, copy=False)", f"np.broadcast_to({name}, {(2, *shape)})"]
        if array.ndim >= 2:
            options += [
                f"{name}.transpose({tuple(axes)})",
                f"{name}.swapaxes(0, -1)",
                f"np.moveaxis({name}, 0, -1)",
                f"np.diagonal({name})",
                f"np.rot90({name})",
            ]
            options += [f"{name}.mT", f"np.fliplr({name})", f"np.transpose({name})"]
        if shape and shape[0] > 1:
            options += [f"np.array_split({name}, 2)[1]", f"np.split({name}, [1])[0]", f"list({name})[0]"]
        if array.dtype.kind == "c":
            options += [f"{name}.imag", f"{name}.real"]
        if array.dtype == np.float64 and array.flags.c_contiguous:
            options += [f"{name}.view(np.int64)"]
        return f"{self.fresh()} = {self.rng.choice(options)}"

    def reshaped(self, size: int) -> tuple[int, ...]:
        divisors = [d for d in range(1, size + 1) if size % d == 0] or [0]
        first = self.rng.choice(divisors)
        return self.rng.choice(((first, -1), (-1, first), (-1, 1), (1, first, -1))) if first else (0, 3)

    def compute(self) -> str | None:
        name = self.array()
        if name is None:
            return None
        array = self.value(name)
        other = self.operand(array.shape)
        operator = self.rng.choice(("+", "-", "*", "+", "*", "/", "//", "%", "<", "==", ">=", "&", "|", "@"))
        axis = self.rng.choice(("None", "0", "-1"))
        options = [f"{name} {operator} {other}", f"{other} {operator} {name}", f"{name} {operator} {other}"]
        options += [f"np.{self.rng.choice(('abs', 'sqrt', 'square', 'negative', 'sign', 'floor', 'isfinite', 'conj'))}({name})"]
        options += [f"np.{self.rng.choice(('maximum', 'minimum', 'add', 'subtract', 'logical_and', 'copysign', 'hypot'))}({name}, {other})"]
        options += [f"{name}.{self.rng.choice(('sum', 'max', 'min', 'mean', 'prod', 'all', 'any', 'argmax'))}(axis={axis})"]
        options += [
            f"np.where({name} > 1, {name}, {other})",
            f"{name}.copy()",
            f"{name}.astype(np.{self.rng.choice(DTYPES[:-2])})",
            f"np.concatenate([{name}, {name}], axis={axis})",
        ]
        options += [
            f"np.cumsum({name}, axis={axis})",
            f"np.sort({name}, axis=-1)",
            f"np.zeros_like({name})",
            f"np.clip({name}, 1, 2)",
            f"np.stack([{name}, {other}])",
        ]
        options += [
            f"{name}[{self.advanced(array.shape)}]",
            f"{name}[{name} > 1].sum()",
            f"np.take({name}, 0, axis={axis})",
            f"{name}[{'0, ' * array.ndim}]" if array.ndim else f"{name}[()]",
        ]
        options += [
            f"np.roll({name}, 1)",
            f"np.repeat({name}, 2)",
            f"np.array([{name}, {name}])",
            f"np.add.reduce({name})",
            f"np.multiply.accumulate({name})",
            f"{name} ** 2",
        ]
        options += [
            f"np.multiply.outer({name}, {other})",
            f"-{name}",
            f"{name}.flatten()",
            f"np.copy({name})",
            f"np.array({name})",
            f"np.divmod({name}, {other})[1]",
            f"np.full_like({name}, 3)",
        ]
        return f"{self.fresh()} = {self.rng.choice(options)}"

    def make(self) -> str:
        shape = self.rng.choice(SHAPES)
        dtype = self.rng.choice(DTYPES)
        options = (
            f"np.zeros({shape}, np.{dtype})",
            f"np.ones({shape})",
            f"np.arange({self.rng.randint(1, 6)})",
            f"np.full({shape}, 2.5)",
            f"np.zeros({shape}, order='F')",
        )
        return f"{self.fresh()} = {self.rng.choice((*options, 'np.eye(3)', 'np.array([[1, 2, 3], [4, 5, 6]])', 'np.arange(12.0).reshape(3, 4)'))}"

    def write(self) -> str | None:
        name = self.array()
        if name is None:
            return None
        array = self.value(name)
        index = self.basic(array.shape) if self.rng.random() < 0.7 else self.advanced(array.shape)
        try:
            shape = array[eval(f"np.s_[{index}]", {"np": np})].shape
        except IndexError:
            shape = ()
        other, part = self.operand(array.shape), self.operand(shape)
        operator = self.rng.choice(("+=", "-=", "*=", "+=", "*=", "//=", "/=", "|=", "**="))
        kind = "" if self.rng.random() < 0.7 else ", where={name} > 1".format(name=name)
        options = [f"{name}[{index}] = {part}"] * 4 + [f"{name}[{index}] {operator} {part}"] * 3 + [f"{name} {operator} {other}"] * 3
        options += [f"np.{self.rng.choice(('add', 'multiply', 'maximum', 'subtract'))}({name}, {other}, out={name}{kind})"] * 2
        options += [
            f"np.{self.rng.choice(('negative', 'square', 'abs'))}({name}, out={name})",
            f"{name}[{name} > 1] = {self.rng.choice(('0', '7', '1.5'))}",
            f"{name}[{name} > 1] += 1",
        ]
        options += [
            f"{name}.fill(3)",
            f"{name}.sort()",
            f"np.copyto({name}, {other})",
            f"np.copyto({name}, 2, where={name} > 1)",
            f"np.put({name}, [0, 0], {self.rng.choice(('5', '[1, 2]'))})",
        ]
        options += [
            f"{name}.flat[::2] = 9",
            f"{name}.flat[0] = 4",
            f"np.add.at({name}, [0, 0], 1)",
            f"np.fill_diagonal({name}, 8)",
            f"np.putmask({name}, {name} > 1, [1, 2])",
            f"np.place({name}, {name} > 1, [6, 5])",
        ]
        options += [
            f"np.sum({name}, axis=0, out={self.array()})",
            f"np.cumsum({name}, axis=0, out={name})",
            f"{name}[...] = {name}[::-1]",
            f"{name}[1:] += {name}[:-1]",
            f"{name}[:-1] = {name}[1:]",
        ]
        options += [
            f"{name}.real = 2",
            f"{name}.imag = {other}",
            f"np.clip({name}, 1, 3, out={name})",
            f"{name}.setflags(write=False)",
            f"np.dot({name}, {name}, out={name})",
            f"{name}.partition(1)",
        ]
        options += [
            f"{name}[[0, 0, 1]] += 1",
            f"{name}.put([0, 0], 3)",
            f"{name}.T[...] = {other}",
            f"np.concatenate([{name}, {name}], out={self.array()})",
            f"{name}.itemset(0, 1)",
            f"{name} = {name}",
        ]
        return self.rng.choice(options)

    def loop(self) -> str | None:
        name = self.array(1)
        if name is None:
            return None
        other = self.operand(self.value(name).shape[1:])
        return self.rng.choice(
            (
                f"for i in range(len({name})): {name}[i] = {name}[i] + {other}",
                f"for i in range(1, len({name})): {name}[i] += {name}[i - 1]",
                f"for row in {name}: row *= 2",
                f"for row in {name}.reshape(-1, 1): row[...] = row + 1",
                f"for i, row in enumerate({name}): row[...] = i",
                f"for i in range(len({name})): {name}[i:] -= {other}",
            )
        )


def fits(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether the shape broadcasts to the target."""
    try:
        return np.broadcast_shapes(shape, target) == target
    except ValueError:
        return False


def run(seed: int, length: int = 8, strict: bool = False) -> str:
    """Generate, trace and compare one program: ``"same"`` or the code and message of a refusal. Raises ``AssertionError`` with the source otherwise.

    ``strict``: the VM interprets the program, and what ``export`` gives is run; else CPython runs it on proxies.
    """
    rng = random.Random(seed)
    program = Program(rng)
    source = program.build(rng.randint(2, length))
    scope: dict[str, Any] = {"np": np}
    exec(source, scope)
    function = scope["f"]
    example = [lay_out(array.copy(), spec[2]) for array, spec in zip(program.arrays, program.inputs, strict=True)]
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return (_compare_export if strict else _compare)(rng, program, function, example)
    except Unsupported as refusal:
        return f"{refusal.code} {refusal.message}"
    except Exception as error:
        if "negative integer powers" in str(error):  # raised by data, where the program is run
            return "E9 raises"
        raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}\ninputs {program.inputs}\n{source}") from error


def _compare(rng: random.Random, program: Program, function: Any, example: list[Any]) -> str:
    session, proxies, (result, log) = trace(function, *example)
    if "Unsupported" in log:
        return "E9 caught"
    conditions = {condition.placeholder.path: condition.order for condition in session.recorder.layouts.conditions.values()}
    layouts = [spec[2] if f"x{i}" in conditions else rng.choice(("C", "F", "strided", "reversed")) for i, spec in enumerate(program.inputs)]
    data = [make_array(rng, shape, dtype, "C") for shape, dtype, _ in program.inputs]
    eager, inputs = ([lay_out(a.copy(), layout) for a, layout in zip(data, layouts, strict=True)] for _ in range(2))
    expected, wanted_log = function(np, *eager)
    got, after = evaluate(session, (result_nodes(session, result), result_nodes(session, tuple(proxies))), inputs)
    assert log == wanted_log, f"errors {log}, not {wanted_log}"
    compare(list(expected), list(got))
    for want, have in zip(eager, after, strict=True):
        compare(want, have)
    _compare_aliasing(session, function, program, example, result)
    return "same"


def _compare_export(rng: random.Random, program: Program, function: Any, example: list[Any]) -> str:
    exported = export(lambda *arrays: function(np, *arrays), tuple(example))
    given = [spec for spec in exported.graph_signature.input_specs if spec.kind is InputKind.USER_INPUT]
    layouts = [
        spec[2] if argument.layout is not None else rng.choice(("C", "F", "strided", "reversed"))
        for spec, argument in zip(program.inputs, given, strict=True)
    ]
    _compare_module(rng, program, function, exported.module(), layouts, aliasing=False)
    _compare_module(rng, program, function, exported.module(), [spec[2] for spec in program.inputs], aliasing=True)
    return "same"


def _compare_module(rng: random.Random, program: Program, function: Any, module: Any, layouts: list[str], aliasing: bool) -> None:
    """Other data, in these layouts. Aliasing of results is promised for the example's layouts."""
    data = [make_array(rng, shape, dtype, "C") for shape, dtype, _ in program.inputs]
    eager, inputs = ([lay_out(a.copy(), layout) for a, layout in zip(data, layouts, strict=True)] for _ in range(2))
    expected, wanted_log = function(np, *eager)
    got, log = module(*inputs)
    assert log == wanted_log, f"errors {log}, not {wanted_log}"
    compare(list(expected), list(got))
    for want, have in zip(eager, inputs, strict=True):
        compare(want, have)
    if not aliasing:
        return
    pairs = list(zip([*expected, *eager], [*got, *inputs], strict=True))
    for i, (first, mine) in enumerate(pairs):
        for j, (second, other) in enumerate(pairs[:i]):
            want = np.shares_memory(first, second)
            assert np.shares_memory(mine, other) == want, f"results {i} and {j}: shares_memory is {want}"


def _compare_aliasing(session: Any, function: Any, program: Program, example: list[Any], result: list[Any]) -> None:
    """Which results share memory is the example's own answer."""
    with np.errstate(all="ignore"):
        again, _ = function(np, *[lay_out(a.copy(), spec[2]) for a, spec in zip(program.arrays, program.inputs, strict=True)])
    with session.activate():
        for i, first in enumerate(result):
            for j, second in enumerate(result[:i]):
                if type(first) is ArrayProxy and type(second) is ArrayProxy:
                    want = np.shares_memory(again[i], again[j])
                    try:
                        assert shares(first, second) == want, f"results {i} and {j}: shares_memory is {want}"
                    except Unsupported:
                        continue


def main(count: int, seed: int, strict: bool) -> None:
    """Run ``count`` programs from ``seed`` on; print refusals by code and every difference."""
    outcomes: dict[str, int] = {}
    reasons: dict[str, int] = {}
    for number in range(seed, seed + count):
        try:
            outcome = run(number, strict=strict)
            if len(outcome) > 4:
                reasons[outcome] = reasons.get(outcome, 0) + 1
                outcome = outcome[:4]
        except AssertionError as difference:
            outcome = "different"
            print(difference, file=sys.stderr)
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    print(outcomes)
    for reason, times in sorted(reasons.items(), key=lambda item: -item[1]):
        print(f"{times:6} {reason}")


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "strict"]
    main(int(words[0]) if words else 1000, int(words[1]) if len(words) > 1 else random.randrange(1 << 30), "strict" in sys.argv)
