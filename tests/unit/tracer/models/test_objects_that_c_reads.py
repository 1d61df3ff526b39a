"""Objects of the program whose conversions C calls, with sizes and data inside: results and errors,
which handlers may get, are those of eager execution, or the export is refused.
"""

from __future__ import annotations

import bisect
import collections
import datetime
import decimal
import fractions
import functools
import heapq
import itertools
import math
import operator
import random
import re
import statistics
import struct
import warnings
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, InputMismatch, export
from tests.support.shards import shard


class Index:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __index__(self) -> Any:
        return self.value


class Float(Index):
    __index__ = None  # type: ignore[assignment]

    def __float__(self) -> Any:
        return self.value


class Complex:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __complex__(self) -> complex:
        return complex(self.value)


class Length:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __len__(self) -> Any:
        return self.value

    def __getitem__(self, place: int) -> int:
        if place >= self.value:
            raise IndexError
        return place


class Iterable:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __iter__(self) -> Any:
        yield self.value
        yield self.value + 1


class Int:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __int__(self) -> int:
        return int(self.value)

    __trunc__ = __int__


class Truth:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __bool__(self) -> Any:
        return self.value > 2


c = np.arange(12.0).reshape(3, 4)
a_b = {6: 1.0, 3: 2.0}
CALLS = [
    "range({})", "list(range({}))", "[1,2,3]*{}", "'ab'*{}", "[1,2,3,4,5,6,7][{}:]", "[1,2,3,4,5,6,7,8][{}]", "np.zeros({})",
    "np.arange({})", "x[:{}]", "x[{}]", "x.reshape({},-1)", "np.full({},1.)", "np.repeat(x,{})", "np.tile(x,{})", "np.roll(x,{})",
    "np.linspace(0,1,{})", "math.comb(9,{})", "math.factorial({})", "math.gcd({},4)", "divmod(7,{})", "7//{}", "bin({})", "hex({})",
    "chr({})", "round(2.567,{})", "int({})", "float({})", "complex({})", "bytes({})", "'%d'%{}", "'{{:d}}'.format({})", "format({},'d')",
    "slice({}).indices(5)", "slice(0,{}).indices(5)", "operator.index({})", "x.item({})", "np.take(x,{})", "np.expand_dims(x,{})",
    "np.moveaxis(c,0,{})", "np.split(x[:6],{})", "np.partition(x,{})", "np.bincount(np.array([1,2]),minlength={})",
    "itertools.islice([1,2,3,4,5,6,7,8],{})", "list(itertools.islice([1,2,3,4,5,6,7,8],{}))", "list(itertools.repeat(1,{}))",
    "list(itertools.combinations([1,2,3],{}))", "collections.deque([1,2,3,4],{})", "datetime.timedelta(days={})",
    "datetime.date(2020,1,{})", "struct.pack('i',{})", "np.int64({})", "np.float64({})", "np.array({})", "np.array([{},1])",
    "np.asarray([1,{}],dtype=float)", "np.add(x,{})", "x+{}", "np.clip(x,0,{})", "np.unravel_index({},(3,4))", "np.eye({})",
    "np.identity({})", "np.tri({})",
    "np.diag(x,{})", "np.triu(c,{})", "np.rot90(c,{})", "np.quantile(x,{})", "np.pad(x,{})", "x.astype(int)<<{}", "np.insert(x,{},1.)",
    "np.delete(x,{})", "np.fft.fft(x,{})", "np.polyval([1,2],{})", "np.vander(x,{})", "np.diff(x,{})", "np.cumsum(x,{})", "x.take({})",
    "x.repeat({})", "np.ones((2,{}))", "np.broadcast_to(1.,({},2))", "random.Random({}).random()", "np.random.default_rng({}).random()",
    "sum([1,2],{})", "max({},2)", "sorted([3,1])[{}:]", "heapq.nlargest({},[1,2,3])", "bisect.bisect([1,2,3],{})",
    "bisect.bisect([1,2,3],1,{})", "'abc'.center({})", "'abc'.ljust({})", "'a,b'.split(',',{})", "'abc'.find('c',{})", "b'abc'.hex()",
    "(7).to_bytes({},'big')", "fractions.Fraction({},3)", "decimal.Decimal({})", "math.sqrt({})", "math.floor({})", "math.pow({},2)",
    "math.ldexp(1.,{})", "math.isclose({},1)", "math.fsum([{},1])", "statistics.mean([{},1])", "abs({})", "pow(2,{})", "pow(2,5,{})",
    "2**{}", "str({})[:0]", "bool({})", "len({})", "list({})", "tuple({})", "sorted({})", "sum({})", "max({})", "min({})", "any({})",
    "all({})", "enumerate({})", "list(enumerate({}))", "list(zip({},[1,2,3,4,5,6,7,8]))", "list(map(abs,{}))", "set({})",
    "dict.fromkeys({})", "''.join(map(str,{}))[:0]", "np.fromiter({},float)", "np.concatenate({})", "np.stack({})", "np.sum({})",
    "np.max({})", "np.where({},1,2)", "np.sqrt({})", "np.abs({})", "np.isnan({})", "[9,8]+list({})", "functools.reduce(operator.add,{})",
    "math.prod({})", "x.mean(keepdims={})", "np.sum(c,keepdims={})", "np.sort(x,axis={})", "collections.Counter({})",
    "itertools.chain({},{})", "list(itertools.chain({},[1]))", "list(itertools.accumulate({}))", "a_b[{}]",
]  # fmt: skip
X = np.array([1.0, 3.0, 2.0, 5.0, 4.0, 6.0])
OTHERS = (X, np.array([2.0, 3.0, 1.0, 7.0]), np.array([0.0, 2.0, 8.0, 4.0, 4.0, 6.0, 1.0]))
PROGRAM = """
def program(x):
    n = x.shape[0]
    try:
        found = {}
        return found if not hasattr(found, "__next__") else list(found)[:3]
    except Exception as error:
        return type(error).__name__
"""
IMPORTED = (bisect, collections, datetime, decimal, fractions, functools, heapq, itertools, math, operator, random, statistics, struct)


def _outcome(f: Any, x: np.ndarray) -> str:
    try:
        found = repr(f(x.copy()))
    except Exception as error:
        found = type(error).__name__
    return re.sub("0x[0-9a-f]+", "", found)


@pytest.mark.parametrize("argument", ["n", "x[1]", "int(x[1])"])
@pytest.mark.parametrize("cls", [Index, Float, Complex, Length, Iterable, Int, Truth])
def test_c_reads_what_the_program_converts(cls: type, argument: str) -> None:
    compared = 0
    for call in shard(CALLS, 6):
        if cls is Int and call == "np.roll(x,{})":
            continue  # NumPy reads it as an array of objects: no argument of an operator (E902)
        source = PROGRAM.replace("{}", call.replace("{}", f"{cls.__name__}({argument})"))
        names = dict(globals())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(source, names)
            program = names["program"]
            expected = [_outcome(program, x) for x in OTHERS]
            try:
                run = export(program, (X.copy(),), dynamic_shapes=({0: Dim.AUTO},)).module()
            except ExportError as refusal:
                assert not refusal.code.startswith("E9"), (call, refusal)
                continue
            for x, eager in zip(OTHERS, expected, strict=True):
                found = _outcome(run, x)
                assert found in (eager, InputMismatch.__name__), (call, x)
                compared += found == eager
    assert compared


def test_no_handler_gets_an_error_of_what_stands_for_a_size() -> None:
    def program(x: Any) -> Any:
        try:
            return slice(1, 5).indices(Index(x.shape[0]))
        except TypeError:
            return "a handler"

    run = export(program, (X,), dynamic_shapes=({0: Dim.AUTO},)).module()
    assert run(X) == (1, 5, 1)
    with pytest.raises(InputMismatch):
        run(X[:2])


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.floordiv, operator.mod, operator.pow, operator.lt])
def test_scalars_of_numpy_beside_sequences_of_sizes(operation: Any) -> None:
    def program(x: Any) -> Any:
        n = x.shape[0]
        return operation(np.int64(5), [n, 2]), operation((n, 3), np.int64(2))

    run = export(program, (X,), dynamic_shapes=({0: Dim("n")},)).module()
    for size in (1, 6, 8):
        found, expected = run(np.ones(size)), program(np.ones(size))
        assert repr(found) == repr(expected)


def test_zip_longest_of_a_tuple_and_a_range_of_dynamic_size() -> None:
    def program(x: Any) -> Any:
        n = x.shape[0]
        return list(itertools.zip_longest((n, 2), range(n)))

    run = export(program, (X,), dynamic_shapes=({0: Dim.AUTO},)).module()
    assert run(X) == program(X)
