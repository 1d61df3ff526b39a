"""The functions of the array API standard (2023.12 to 2025.12) that ``numpy`` has under the standard's names: exported with dynamic dims,
decomposed, saved and loaded, they compute what they compute eagerly, at the sizes of the example and at others.

A row of ``ROWS`` names functions, the dtypes that the standard gives them, and calls. In a call ``x`` and ``y`` are arrays of the same
shape ``(n, m)``, ``v`` of ``(m,)``, ``s`` of ``(n, n)``, ``c`` of ``(k, n, m)``, ``k`` are places, and ``f`` stands for the function.
``<a|b>`` is one of the alternatives: the seed says which.
"""

from __future__ import annotations

import itertools
import random
import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.comparison import said
from tests.support.forms import reloaded
from tests.support.shards import shard

REAL_FLOATS, COMPLEX = ["f4", "f8"], ["c8", "c16"]
FLOATS = REAL_FLOATS + COMPLEX
INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
REAL = INTEGERS + REAL_FLOATS
NUMERIC = REAL + COMPLEX
DTYPES = {"float": FLOATS, "real float": REAL_FLOATS, "complex": COMPLEX, "integer": INTEGERS, "bool": ["?"], "real": REAL,
          "numeric": NUMERIC, "integer or bool": [*INTEGERS, "?"], "all": [*NUMERIC, "?"]}  # fmt: skip

ROWS = """
arange | real | f(x.shape[0], dtype=x.dtype) ; f(1, x.shape[1] * 2, 2) ; f(0.0, x.shape[0], 0.5)
asarray | all | f(x) ; f(x, copy=True) ; f(x, dtype=np.complex128) ; f([1, 2.5]) + x[0, 0]
eye | all | f(x.shape[0], dtype=x.dtype) ; f(x.shape[0], x.shape[1], k=<-1|0|1|5>)
full | all | f(x.shape, 1, dtype=x.dtype) ; f((x.shape[0], 2), <2.5|True|3|1j>) ; f(x.shape[1], 7)
full_like ones_like zeros_like | all | f(x) ; f(x, dtype=np.float32) ; f(c)
linspace | real float | f(0, 1, x.shape[0], dtype=x.dtype, endpoint=<True|False>) ; f(-2.5, x.shape[1], 5)
meshgrid | numeric | f(v, x[:, 0], indexing=<'ij'|'xy'>) ; f(v, v, v)
ones zeros | all | f(x.shape, dtype=x.dtype) ; f(x.shape[0]) ; f(())
tril triu | all | f(x, k=<0|1|-1|3>) ; f(c)
astype | all | f(x, np.dtype(<'f8'|'c16'|'?'>)) ; f(x, x.dtype, copy=<False|True>)
broadcast_arrays | all | f(x, v) ; f(c, x, v)
broadcast_shapes | all | f(x.shape, v.shape) ; f((x.shape[0], 1, 3), v.shape[:0], (1, 2, 1)) ; f(c.shape, x.shape, (1,))
empty | all | np.add(f(x.shape, dtype=x.dtype), x, where=False).shape ; f(x.shape[0]).dtype ; f((2, x.shape[1], 0))
empty_like | all | f(x).shape ; f(c, dtype=np.complex64).dtype ; f(c)[:, :, :0]
from_dlpack | numeric | f(x) * 2 ; f(c) ; f(c, copy=<True|False>)
isin | integer or bool | f(x, y) ; f(x, v) ; f(c, x, invert=<True|False>) ; f(x, 1)
broadcast_to | all | f(v, x.shape) ; f(x, (2, *x.shape)) ; f(x[:1, :1], c.shape)
can_cast | all | f(x.dtype, np.float64)
finfo | float | f(x.dtype).eps * x ; f(x.dtype).max
iinfo | integer | f(x.dtype).max - x ; f(x.dtype).bits
isdtype | all | f(x.dtype, <'bool'|'integral'|'numeric'|('real floating', 'unsigned integer')>)
result_type | all | f(x, v) ; f(x.dtype, np.int16)
abs negative positive sign square | numeric | f(x)
acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p log2 sin sinh sqrt tan tanh | float | f(x)
reciprocal | float | f(x)
ceil floor trunc | real | f(x)
round | numeric | f(x)
conj imag real | complex | f(x)
isfinite isinf isnan | numeric | f(x)
signbit | real float | f(x)
logical_not | bool | f(x)
bitwise_invert | integer or bool | f(x)
add subtract multiply | numeric | f(x, y) ; f(c, x) ; f(x, v) ; f(x, 2) ; f(2, x)
divide | float | f(x, y) ; f(x, v) ; f(x, 2)
floor_divide remainder | real | f(x, y) ; f(x, 3) ; f(c, v)
pow | numeric | f(x, abs(y) % 3 if y.dtype.kind != 'c' else y) ; f(x, 2)
atan2 copysign hypot logaddexp nextafter | real float | f(x, y) ; f(x, v) ; f(x, 2.0)
maximum minimum | real | f(x, y) ; f(c, v) ; f(x, 1)
equal not_equal | all | f(x, y) ; f(c, v) ; f(x, 1)
greater greater_equal less less_equal | real | f(x, y) ; f(c, v) ; f(x, 1)
logical_and logical_or logical_xor | bool | f(x, y) ; f(c, v)
bitwise_and bitwise_or bitwise_xor | integer or bool | f(x, y) ; f(c, v)
bitwise_left_shift bitwise_right_shift | integer | f(x, abs(y) % 7) ; f(c, 1)
clip | real | f(x, min=<1|v|None>, max=<5|y|None>) ; f(x, 0, 3) ; f(c, v)
take | all | f(x, k, axis=<0|1|-1>) ; f(v, k) ; f(c, np.asarray([1, 0]), axis=1)
take_along_axis | all | f(x, np.argsort(y, axis=<0|1>), axis=<0|1|-1>) ; f(x, np.argsort(y, axis=1)[:, :2], axis=1)
matmul linalg.matmul | numeric | f(x, x.T) ; f(s, x) ; f(x, v) ; f(c, x.T) ; f(v, v)
matrix_transpose linalg.matrix_transpose | all | f(x) ; f(c)
tensordot linalg.tensordot | numeric | f(s, x, axes=1) ; f(x, y, axes=2) ; f(x, c, axes=((0,), (1,))) ; f(v, v, axes=0)
vecdot linalg.vecdot | numeric | f(x, y) ; f(c, v) ; f(x, y, axis=-1)
linalg.cholesky | float | f(s @ s.conj().T + 9 * np.eye(s.shape[0], dtype=s.dtype), upper=<True|False>)
linalg.cross cross | numeric | f(x[:, :1] + np.asarray([1, 2, 3], dtype=x.dtype), y[:, :1] * np.asarray([3, 1, 1], dtype=x.dtype))
linalg.det linalg.inv linalg.slogdet | float | f(s) ; f(np.stack([s, s + np.eye(s.shape[0], dtype=s.dtype)]))
linalg.diagonal | all | f(x, offset=<0|1|-1>) ; f(c)
linalg.eigvalsh | float | f(s + s.conj().T)
linalg.eigh | float | f(s + s.conj().T).eigenvalues
linalg.matrix_norm | float | f(x, ord=<'fro'|1|2|-1|-2|np.inf|'nuc'>, keepdims=<True|False>) ; f(c)
linalg.vector_norm | float | f(x, ord=<2|1|0|np.inf|-np.inf|3>, axis=<None|0|(0, 1)>, keepdims=<True|False>) ; f(v)
linalg.matrix_power | float | f(s, <0|1|2|3|-1>)
linalg.matrix_rank | float | f(x) ; f(c, rtol=0.5)
linalg.outer | numeric | f(v, x[:, 0]) ; f(v, v)
linalg.pinv | float | f(x) ; f(s, rtol=1e-3)
linalg.qr | float | abs(f(x, mode=<'reduced'|'complete'>).R)
linalg.solve | float | f(s, x) ; f(s, x[:, 0])
linalg.svd | float | f(x, full_matrices=<True|False>).S
linalg.svdvals | float | f(x) ; f(c)
linalg.trace | numeric | f(s, offset=<0|1|-2>) ; f(c, dtype=np.complex128)
concat | all | f([x, y], axis=<0|1|-1>) ; f((x, c[0], y), axis=None) ; f([v, v])
expand_dims | all | f(x, axis=<0|1|2|-1>) ; f(v, axis=-2)
flip | all | f(x, axis=<None|0|1|(0, 1)>) ; f(c)
moveaxis | all | f(c, 0, <1|2|-1>) ; f(c, (0, 1), (2, 0))
permute_dims | all | f(x, (1, 0)) ; f(c, <(2, 0, 1)|(1, 2, 0)>)
repeat | all | f(x, 2, axis=<0|1>) ; f(v, 3) ; f(v, 0)
reshape | all | f(x, (-1,)) ; f(x, (x.shape[1], x.shape[0])) ; f(c, (c.shape[0], -1)) ; f(x, x.shape, copy=<None|True>)
roll | all | f(x, <1|-2>, axis=<None|0|1>) ; f(x, (1, -1), axis=(0, 1))
squeeze | all | f(x[:, None], axis=1) ; f(v[None, :, None], axis=(0, 2))
stack | all | f([x, y], axis=<0|1|2|-1>) ; f((v, v))
tile | all | f(x, (2, 1)) ; f(v, (2, 2)) ; f(c, (2,))
unstack | all | f(np.stack([x, y])) ; f(np.stack([x, y], axis=1), axis=1)
argmax argmin | real | f(x, axis=<None|0|1|-1>, keepdims=<True|False>) ; f(c)
count_nonzero | all | f(x, axis=<None|0|(0, 1)>, keepdims=<True|False>)
nonzero | all | f(x) ; f(v)
searchsorted | real | f(np.sort(v), x, side=<'left'|'right'>) ; f(v, y, sorter=np.argsort(v))
where | all | f(x > y, x, y) ; f(x == v, x, v) ; f(x != y, x, 1) ; f(v == v[0], c, x)
unique_all unique_counts unique_inverse unique_values | all | f(x) ; f(v)
argsort | real | f(x, axis=<0|1|-1>, stable=True) ; f(v, stable=True)
sort | real | f(x, axis=<0|1|-1>, stable=<True|False>) ; f(c)
cumulative_prod cumulative_sum | numeric | f(x, axis=<0|1|-1>, include_initial=<True|False>) ; f(v, dtype=np.complex128)
max min | real | f(x, axis=<None|0|1|(0, 1)>, keepdims=<True|False>) ; f(c, axis=-1)
prod sum | numeric | f(x, axis=<None|0|1|(0, 1)>, keepdims=<True|False>) ; f(c, axis=(0, 2)) ; f(x, dtype=np.complex128)
mean | float | f(x, axis=<None|0|1|(0, 1)>, keepdims=<True|False>) ; f(c, axis=(0, 2))
std var | real float | f(x, axis=<None|0|1|(0, 1)>, correction=<0|1|0.5>, keepdims=<True|False>) ; f(c, axis=-1)
all any | all | f(x, axis=<None|0|1|(0, 1)>, keepdims=<True|False>) ; f(c, axis=())
diff | numeric | f(x, axis=<0|1|-1>, n=<1|2>) ; f(v, prepend=v[:1], append=v)
fft.fft fft.ifft | complex | f(x, n=<None|3|6>, axis=<0|-1>, norm=<'backward'|'ortho'|'forward'>)
fft.rfft fft.ihfft | real float | f(x, n=<None|3|6>, axis=<0|-1>, norm=<'backward'|'ortho'|'forward'>)
fft.irfft fft.hfft | complex | f(x, n=<None|5|6>, axis=<0|-1>, norm=<'backward'|'ortho'|'forward'>)
fft.fftn fft.ifftn | complex | f(x, axes=<None|(0,)|(0, 1)>, norm=<'backward'|'ortho'>) ; f(c, s=(3, 4), axes=(0, 1))
fft.rfftn | real float | f(x, axes=<None|(0,)|(1, 0)>, norm=<'backward'|'ortho'>)
fft.irfftn | complex | f(x, axes=<None|(1, 0)>, norm=<'backward'|'ortho'>)
fft.fftfreq fft.rfftfreq | real float | f(x.shape[0], d=<1.0|0.5>)
fft.fftshift fft.ifftshift | float | f(x, axes=<None|0|(0, 1)>) ; f(v)
"""
OPERATORS = """
numeric | x + y ; x - v ; x * 2 ; +x ; -x ; x @ y.T ; c @ v ; abs(x) ; x == y ; x != 1 ; 2 * x + v
real | x // y ; x % 3 ; x < y ; x >= v ; divmod(x, y)
float | x / y ; 1 / x ; x ** 2 ; complex(x[0, 0])
integer or bool | x & y ; x | v ; x ^ y ; ~x
integer | x << 1 ; x >> (abs(y) % 7)
all | x[0] ; x[:, 1] ; x[..., None] ; x[1:, ::-1] ; x[x == y] ; x[k] ; c[0, ..., -1] ; x.T ; c.mT ; x.to_device('cpu') ; x.size
"""
"""What the standard asks of the array object itself."""
SIZES = [{"n": 3, "m": 4, "k": 2}, {"n": 4, "m": 6, "k": 3}, {"n": 2, "m": 5, "k": 2}]
"""The example's, and others."""
EDGES = [{"n": 1, "m": 1, "k": 1}, {"n": 0, "m": 4, "k": 2}, {"n": 3, "m": 0, "k": 2}, {"n": 2, "m": 3, "k": 0}]
"""Of one element, and of none."""
UNSET = ("fft.hfft", "fft.irfft", "fft.irfftn")
"""Of nothing NumPy reads memory that nothing has set."""


def alternatives(text: str) -> Iterator[str]:
    parts = re.split(r"<([^<>]*\|[^<>]*)>", text)
    for chosen in itertools.product(*[part.split("|") if place % 2 else (part,) for place, part in enumerate(parts)]):
        yield "".join(chosen)


def rows() -> Iterator[tuple[str, str, str]]:
    """The calls of each function and operator, with the kind of dtypes."""
    for line in ROWS.strip().splitlines():
        functions, kind, calls = re.split(r" \| ", line, maxsplit=2)
        for function in functions.split():
            for call in calls.split(" ; "):
                yield function, kind, re.sub(r"\bf\(", f"np.{function}(", call)
    for line in OPERATORS.strip().splitlines():
        kind, calls = line.split(" | ", 1)
        for call in calls.split(" ; "):
            yield "operators", kind, call


def present(function: str) -> bool:
    found: Any = np
    for part in function.split("."):
        found = getattr(found, part, None)
    return function == "operators" or found is not None


def arrays(kind: str, sizes: dict[str, int], names: list[str], seed: str) -> list[np.ndarray]:
    """Arrays of this dtype: small numbers, of which some are equal."""
    n, m, k = sizes["n"], sizes["m"], sizes["k"]
    shapes = {"x": (n, m), "y": (n, m), "v": (m,), "s": (n, n), "c": (k, n, m), "k": (3,)}
    rng, found = np.random.default_rng([ord(letter) for letter in seed]), []
    for name in names:
        dtype = np.dtype("i8" if name == "k" else kind)
        high = 2 if name == "k" or dtype.kind == "b" else 7
        values = rng.integers(0 if dtype.kind in "ub" or name == "k" else -6, high, shapes[name])
        made = values.astype(dtype) if dtype.kind not in "fc" else (values + rng.integers(0, 4, shapes[name]) / 4).astype(dtype)
        if dtype.kind == "c":
            made = (made + 1j * rng.integers(-3, 4, shapes[name])).astype(dtype)
        if name == "s" and dtype.kind in "fc":
            made += np.asarray(13 * np.eye(n), dtype)
        found.append(made)
    return found


def called(program: Any, given: list[np.ndarray]) -> Any:
    return said(program, *[array.copy() for array in given])


def leaves(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, (tuple, list)) else [value]


def assert_equal(actual: Any, wanted: Any, context: str, *, bits: bool) -> None:
    """The same types, dtypes, shapes and numbers; without ``bits`` these but for rounding."""
    have, need = leaves(actual), leaves(wanted)
    assert type(actual) is type(wanted) and [type(item) for item in have] == [type(item) for item in need], (context, actual, wanted)
    for one, other in zip(have, need, strict=True):
        if isinstance(other, (np.ndarray, np.generic)):
            assert (one.dtype, one.shape) == (other.dtype, other.shape), (context, one, other)
            single = other.dtype in (np.float32, np.complex64)
            tolerance = 0 if bits or other.dtype.kind not in "fc" else 2e-4 if single else 1e-10
            np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance, err_msg=context)
        else:
            assert one == other or one != one, (context, one, other)


def check(call: str, dtype: str, sizes: list[dict[str, int]] = SIZES) -> None:
    names = [name for name in "xyvsck" if re.search(rf"(?<![\w'.]){name}(?![\w'=])", call)]
    program, context = eval(f"lambda {', '.join(names)}: {call}", {"np": np}), f"{call} of {dtype}"
    examples = [arrays(dtype, each, names, call) for each in sizes]
    wanted = [called(program, given) for given in examples]
    spec = tuple(
        [{axis: Dim.AUTO for axis in range(array.ndim)} if name != "k" else None for name, array in zip(names, examples[0], strict=True)]
    )
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            exported = export(program, tuple(examples[0]), dynamic_shapes=spec)
    except ExportError as error:
        raise AssertionError(context) from error
    except Exception as error:  # eager raises it, too
        assert (type(error), str(error)) == wanted[0], context
        return
    again = reloaded(exported.run_decompositions())
    for given, result in zip(examples, wanted, strict=True):
        assert_equal(called(exported.module(), given), result, context, bits=True)
        assert_equal(called(again.module(), given), result, f"{context}, decomposed and loaded", bits=False)


def cases(every: bool) -> Iterator[Any]:
    """One call of every row with one dtype; or all of them that are not among these."""
    for function, kind, call in rows():
        if not present(function):
            continue
        texts, dtypes = list(alternatives(call)), DTYPES[kind]
        drawn = random.Random(f"{function} {call}")
        text, dtype = drawn.choice(texts), drawn.choice(dtypes)
        chosen = itertools.product(texts, dtypes) if every else [(text, dtype)]
        for one in chosen:
            if every is not (one == (text, dtype)):
                yield function, *one


BY_FUNCTION = itertools.groupby(cases(False), key=lambda case: case[0])
FAST = {function: [case[1:] for case in group] for function, group in BY_FUNCTION}


@pytest.mark.parametrize("function", shard(FAST, 3))
def test_functions_of_the_standard(function: str) -> None:
    for call, dtype in FAST[function]:
        check(call, dtype)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", shard(EDGES, 4), ids=str)
def test_functions_of_one_element_and_of_none(sizes: dict[str, int]) -> None:
    for function in FAST.keys() - set(UNSET if 0 in sizes.values() else ()):
        for call, dtype in FAST[function]:
            check(call, dtype, [sizes])


@pytest.mark.slow
@pytest.mark.parametrize("group", shard(range(12), 6))
def test_all_calls_with_all_dtypes(group: int) -> None:
    compared = 0
    for _, call, dtype in itertools.islice(cases(True), group, None, 12):
        check(call, dtype)
        compared += 1
    assert compared > 200


def test_what_numpy_lacks_of_the_standard() -> None:
    """The rows hold every function of the standard but those of open results and of other libraries' memory."""
    assert {function for function, _, _ in rows() if not present(function)} <= {
        "cumulative_prod",
        "cumulative_sum",
        "unstack",
    }  # from 2.1 on
