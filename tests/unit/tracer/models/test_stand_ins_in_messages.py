# ruff: noqa: E501 -- tables of expressions
"""What stands for an object while a program is traced is called by that object's name in messages, and shows nothing else of itself."""

from __future__ import annotations

import builtins
import importlib
import re
import textwrap
from typing import Any

import numpy as np
import pytest

from npexport import Dim, ExportError, export
from npexport.tracer.interpreter.native import NATIVE_TYPES
from tests.support.functions import function_of
from tests.support.outcomes import result_or_error
from tests.support.quiet import quiet

THINGS = {
    "size": "len(x)", "float": "float(x[0])", "truth": "bool(x[0] > 0)", "complex": "complex(x[0], 1)", "truth of a size": "len(x) > 3", "scalar": "x[0]",
    "place": "x.argmax()", "array": "x", "no axes": "np.asarray(x.sum())", "text": "f'{x[0]}'", "filled": "[v for v in x if v > 0]", "list": "x.tolist()",
    "dict": "dict(zip(x.tolist(), x.tolist()))", "set": "set(x.tolist())", "flat": "x.flat", "flags": "x.flags", "record": "np.zeros(2, 'i4,f4')[0]",
    "mixed": "[True, x[0] > 0][int(x[1] > 0)]", "either": "x[1] if x[0] > 0 else 1.5", "date": "x.astype('M8[D]')[0]", "range": "range(len(x))",
    "rows": "iter(x)", "dtype": "x.dtype", "generator": "np.random.default_rng(0)",
}  # fmt: skip
WAYS = (
    "t[-1] = 1", "t['a'] = 1", "del t[0]", "t['a']", "t.foo", "t.foo = 1", "del t.foo", "t()", "with t: pass", "t + None", "t < None", "~t", "t += None",
    "raise t", "dict(**t)", "print(*t, file=None)", "a, b, c, d, e = t", "None in t", "next(t)", "[1, 2, 3][t]", "range(t)", "{}[t]", "','.join(t)",
    "'%d' % t", "round(t, None)", "sum(t, None)", "'ab' * t", "[1] + t", "'a' + t", "{} | t", "chr(t)", "ord(t)", "getattr(1, t)", "len(t)", "(1).__add__(t)",
    "t.meta", "t.array", "t.rows", "t.storage = 1", "t.expression = 2", "t.scalar = 3", "raise KeyError(t)", "{**t}", "f'{t:zz}'",
)  # fmt: skip
PAIRS = [(thing, way) for row, thing in enumerate(THINGS) for place, way in enumerate(WAYS) if (3 * row + place) % 7 == 0]
X = np.array([1.0, -2.0, 0.5])
OURS = re.compile(r"\b(SymbolicUnion|Mixed|OneOf|\w+Proxy|Filled\w+|InnerList|DataText|Sym\w+|Fence|Rows|Identity|Store)\b(?!\()")


def outcome(function: Any, x: Any) -> tuple[str, str]:
    found = result_or_error(function, x.copy(), passes=ExportError)
    return type(found).__name__, str(found)


@pytest.mark.parametrize("thing", THINGS)
def test_messages_are_those_of_eager_execution(thing: str) -> None:
    for way in [way for each, way in PAIRS if each == thing]:
        program = function_of(f"def program(x):\n    t = {THINGS[thing]}\n{textwrap.indent(way, '    ')}\n    return 0", {"np": np})
        wanted = outcome(program, X)
        try:
            with quiet():
                found = outcome(export(program, (X.copy(),), dynamic_shapes=({0: Dim.AUTO},)).module(), X)
        except ExportError as refusal:
            assert refusal.code[1] != "9", (way, refusal)
            assert not OURS.search(str(refusal)), (way, refusal)
        except Exception as error:
            assert (type(error).__name__, str(error)) == wanted, way
        else:
            assert found == wanted, way


CALLS = (
    "np.linalg.norm(t)", "np.einsum('i', t)", "np.einsum(t, x)", "np.apply_along_axis(t, 0, x)", "np.histogram(x, bins=t)", "x.astype(t)", "np.pad(x, 1, t)",
    "np.vectorize(t)(x)", "np.frombuffer(t)", "np.take(x, 0, mode=t)", "json.dumps(t)", "copy.deepcopy(t) is t", "functools.reduce(t, [1, 2])", "sorted([t, t])",
    "struct.pack('d', t)", "datetime.timedelta(t)", "fractions.Fraction(t)", "decimal.Decimal(t)", "np.random.default_rng(t)", "memoryview(t)", "bytes(t)",
    "operator.itemgetter(t)([1, 2])", "collections.Counter(t)", "np.nditer(t)", "weakref.ref(t)", "np.busday_count(t, t)", "hash(t)", "zlib.crc32(t)",
)  # fmt: skip


@pytest.mark.parametrize("thing", THINGS)
def test_no_refusal_of_c_names_our_classes(thing: str) -> None:
    names = {
        name: importlib.import_module(name)
        for name in "json copy functools struct datetime fractions decimal operator collections weakref zlib".split()
    }
    refused = 0
    for place, call in enumerate(CALLS):
        if (place + len(thing)) % 3:
            continue
        program = function_of(f"def program(x):\n    t = {THINGS[thing]}\n    return {call}", {"np": np, **names})
        try:
            with quiet():
                export(program, (X.copy(),))
        except Exception as error:
            refused += 1
            assert not OURS.search(str(error)), (call, error)
    assert refused


def test_each_class_of_stand_ins_has_a_name_for_messages() -> None:
    export(lambda x: x, (X,))
    ours = [cls for cls in NATIVE_TYPES if cls.__module__.startswith("npexport.tracer")]
    assert len(ours) > 15
    assert [
        cls for cls in ours if cls.__name__ == cls.__qualname__ and "." not in cls.__name__ and not hasattr(builtins, cls.__name__)
    ] == []


@pytest.mark.parametrize("text", ["str(iter(x))", "repr(x.flat)", "f'{np.nditer(x)}'", "'%r' % x.flat"])
def test_texts_that_tell_where_an_object_lies_are_refused(text: str) -> None:
    with pytest.raises(ExportError) as found:
        export(function_of(f"def program(x): return ({text})[:9]", {"np": np}), (X,))
    assert found.value.code == "E109"


TEXTS = (
    "str([m])", "'%r' % [m]", "'%s' % (m,)", "'%(a)s' % {'a': m}", "'{}'.format(m)", "'{0!r}'.format(m)", "'{a}'.format_map({'a': m})", "f'{[m]}'",
    "str({1: m})", "repr(collections.deque([(m,)]))", "str(functools.partial(m, 1))", "str(ValueError(m))", "str(KeyError((m, 1)))", "ascii([[m]])",
    "repr(types.SimpleNamespace(a=m))", "str({'a': m}.values())", "format([m])", "', '.join(map(str, [m]))", "[m].__repr__()", "repr(m)",
)  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_no_text_shows_a_method_of_a_known_array_as_one_of_python(text: str) -> None:
    names = {name: importlib.import_module(name) for name in ("collections", "functools", "types")} | {"np": np}
    for method in ("np.arange(3).sum", "np.arange(3).__add__"):
        with pytest.raises(ExportError) as found:
            export(function_of(f"def program(x):\n    m = {method}\n    return len({text}) > 9", names), (X,))
        assert found.value.code in ("E109", "E101"), found.value
    assert export(function_of("def program(x):\n    m = np.arange(3).sum\n    return f'{m.__name__} {[m()]}'", names), (X,)).module()(X)
