"""Messages and hints name what the program names, and no class of npexport's own that stands for it."""

from __future__ import annotations

import re
from collections import deque

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from tests.support.shards import shard
from tests.support.users_names import require_users_names

VALUES = {
    "size": "x.shape[0]",
    "integer": "int(x.sum())",
    "float": "float(x.sum())",
    "truth": "bool(x[0] > 0)",
    "complex": "complex(x[0])",
    "text": "str(x[0])",
    "list": "[v for v in x if v > 0]",
    "lists": "[[v] * 2 for v in x if v > 0]",
    "deque": "deque([v for v in x if v > 0])",
    "dict": "{int(v): v for v in x}",
    "set": "{int(v) for v in x}",
    "keys": "{int(v): v for v in x}.keys()",
    "one of two": "(None if x[0] > 1 else 'a')",
    "one of two numbers": "(1.0 if x[0] > 1 else x[1])",
    "array": "x",
    "scalar": "x.sum()",
    "flat": "x.flat",
    "rows": "iter(x)",
    "iterator": "iter([v for v in x if v > 0])",
    "iterator on a side": "(iter([1, 2]) if x[0] > 1 else iter([3]))",
    "zip": "zip(x, [v for v in x if v > 0])",
    "reversed": "reversed([v for v in x if v > 0])",
}
USES = (
    """
v.__init__() ; type(v).__init__(v) ; v.nope ; v.nope = 1 ; del v.nope ; v() ; v + object() ; v[object()] ; v < object()
len(v) ; iter(v) ; next(v) ; hash(v) ; repr(v) ; f'{v:5}' ; f'{v!r:>9}' ; '%d' % v ; '%s' % [v] ; v @ v ; -v ; ~v ; int(v)
float(v) ; complex(v) ; bytes(v) ; bytearray(v) ; str(v, 'utf8') ; v.__sizeof__() ; v.__reduce_ex__(2) ; v.__class__
vars(v) ; dir(v) ; id(v) ; isinstance(1, v) ; issubclass(v, int) ; [*v] ; {**v} ; dict(v) ; set([v]) ; sorted(v) ; sum(v)
max(v) ; range(v) ; [1, 2][v] ; chr(v) ; round(v, 'a') ; divmod(v, 'a') ; pow(v, 'a') ; abs(v) ; 'a' * v ; 'a'.join(v)
v in v ; np.add(v, None) ; np.asarray(v) ; np.zeros(v) ; np.sum(v, axis='a') ; x[v] ; x.reshape(v) ; x.astype(v)
np.dtype(v) ; np.vstack(v) ; np.linalg.norm(v, v) ; object.__new__(type(v)) ; super(type(v), v).foo ; v.__dict__
v.__iter__().foo ; v.append ; v.pop('a') ; v.update(1) ; v.sort(key=1) ; v.index(object()) ; exec('', v) ; setattr(v, 'a', 1)
memoryview(v) ; open(v) ; __import__(v) ; raise_(v) ; with_(v) ; await_(v) ; copy.deepcopy(v) ; pickle.dumps(v)
json.dumps(v) ; math.floor(v) ; math.sqrt(v) ; itertools.chain(v, 1).foo ; next(itertools.accumulate(v, 'a'))
functools.reduce(v, v) ; operator.index(v) ; v.real.foo ; v.keys().foo
""".strip()
    .replace("\n", " ; ")
    .split(" ; ")
)


STATEMENTS = ("v.nope = ", "del ")


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_what_goes_wrong_names_no_internal_class(value):
    refused = 0
    for use in shard(USES, 3):
        source = f"def f(x):\n    v = {value}\n    {'' if use.startswith(STATEMENTS) else 'return '}{use}\n"
        scope = {"np": np, "deque": deque}
        exec(PRELUDE + source, scope)
        try:
            export(scope["f"], (np.arange(3.0),), dynamic_shapes=({0: Dim.AUTO},))
        except ExportError as error:
            texts = [error.message, error.hint]
            assert not error.code.startswith("E9"), f"{use}: {error}"
        except Exception as error:
            texts = [f"{type(error).__name__}: {error}"]
        else:
            continue
        refused += 1
        for text in texts:
            require_users_names(text, use)
    assert refused > 5


PRELUDE = """
import copy, functools, itertools, json, math, operator, pickle
def raise_(v): raise v
def with_(v):
    with v: pass
def await_(v):
    async def g(): await v
    g().send(None)
"""


@pytest.mark.parametrize("value", ["iterator", "iterator on a side", "list", "float", "size"])
def test_what_is_raised_is_what_eager_execution_raises(value):
    compared = 0
    left_out = ("super(", "await_", "open(")  # open(3) would close a file of the process that runs the tests
    for use in [use for use in shard(USES, 3) if not use.startswith(left_out)]:
        source = f"def f(x):\n    v = {VALUES[value]}\n    {'' if use.startswith(STATEMENTS) else 'return '}{use}\n"
        scope = {"np": np, "deque": deque}
        exec(PRELUDE + source, scope)
        told = []
        for run in (scope["f"], lambda x, f=scope["f"]: export(f, (x,), dynamic_shapes=({0: Dim.AUTO},)).module()(x)):
            try:
                run(np.arange(3.0))
            except ExportError:
                break
            except Exception as error:
                told.append(f"{type(error).__name__}: {re.sub('0x[0-9a-f]+', '', str(error))}")
            else:
                told.append(None)
        if len(told) == 2:
            compared += 1
            assert told[0] == told[1], use
    assert compared >= 2


@pytest.mark.parametrize("value", ["size", "integer", "float", "truth", "complex", "list", "dict"])
@pytest.mark.parametrize("name", ["__annotations__", "__dict__", "__doc__", "__module__", "__slots__", "__init__"])
def test_attributes_of_every_class(value, name):
    """They are those of the class for which a value stands, at every size."""
    scope = {"np": np, "deque": deque}
    kind = "type(getattr(v, name, None))" if name == "__init__" else "getattr(v, name, None)"
    exec(f"name = {name!r}\ndef f(x):\n    v = {VALUES[value]}\n    return hasattr(v, name), str({kind})[:40]", scope)
    run = export(scope["f"], (np.arange(3.0),), dynamic_shapes=({0: Dim.AUTO},)).module()
    for x in (np.arange(3.0), np.arange(5.0)):
        assert run(x) == scope["f"](x)


def test_beginning_an_object_anew():
    assert export(lambda x: (x.shape[0].__init__(), float(x.sum()).__init__()), (np.ones(3),), dynamic_shapes=({0: Dim.AUTO},)).module()(
        np.ones(4)
    ) == (None, None)
    with pytest.raises(ExportError) as refused:
        export(lambda x: [v for v in x if v > 0].__init__(), (np.ones(3),))
    assert refused.value.code == "E101" and "`__init__` of a list of which only the data know what it holds" in refused.value.message


def raises(value):
    raise value


@pytest.mark.parametrize("data", [0.0, 2.0])
def test_what_data_choose_is_raised_by_a_function_that_ends_there(data):
    def f(x):
        try:
            raises(None if x[0] > 1 else "a")
        except TypeError as error:
            return str(error)

    assert export(f, (np.ones(3),)).module()(np.full(3, data)) == f(np.full(3, data))
