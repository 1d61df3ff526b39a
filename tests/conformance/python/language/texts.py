"""Texts, formats and the modules of the standard library around them; tracebacks as text."""

# ruff: noqa: E731, E741, E742, B008, B018, B023, B904

import ast
import base64
import calendar
import csv
import datetime
import graphlib
import hashlib
import html
import inspect
import io
import json
import logging
import operator
import re
import shlex
import string
import struct
import textwrap
import traceback
import types
import urllib.parse
import warnings
import weakref
import zlib

import numpy as np

_log = logging.getLogger("quiet")
_log.setLevel(logging.CRITICAL)


def fmt_shape(x, y):
    return (
        x,
        f"{x.shape}",
        f"{x.shape!r:>10}",
        "%s %r" % (x.shape, x.dtype),
        "{0.shape} {0.dtype}".format(x),
        f"{x.dtype.name:^12}|{x.ndim:03d}|{x.size:,}|{len(y)=}",
        str(x.dtype),
        repr(y.dtype),
    )


def fmt_nested(x, y):
    return (
        x,
        f"{'a' if x.ndim == 2 else 'b'}{f'{x.shape[0]:>{x.ndim + 2}}'}",
        f"{x.shape[0] * 1.5:.{y.ndim}f}",
        f"{ {'k': x.ndim}['k'] }",
        f"{x.ndim!s:*<4}",
        f"{3.14159:{'.2f'}}",
        f"{{}}{x.ndim}",
    )


def fmt_template(x, y):
    return (
        x,
        string.Template("$a and ${b}").safe_substitute(a=x.ndim),
        string.capwords("hello there"),
        string.Formatter().format("{:>5}", x.ndim),
        "{a[0]} {b.real}".format(a=[1], b=2),
    )


def fmt_numbers(x, y):
    return (
        x,
        format(1234567.891, ",.2f"),
        f"{255:#x} {255:b} {1e-7:g} {0.1 + 0.2!r} {-5:+d} {1j:.1f}",
        "%5.1f|%-4d|%x" % (2.25, 3, 255),
        round(2.675, 2),
        "%%",
    )


def str_methods(x, y):
    return (
        x,
        "a,b;c".replace(";", ",").split(","),
        "abc".translate({97: "z"}),
        "Hi".swapcase().zfill(5),
        "x=1".partition("="),
        "  s ".strip(),
        "abc".rjust(5, "."),
        "aXbX".rsplit("X", 1),
        "ß".casefold(),
        "abc".encode().decode(),
        "a\tb".expandtabs(4),
        "abc".startswith(("x", "a")),
        "prefix_x".removeprefix("prefix_"),
        "1".isdigit(),
        "%s" % [1],
        "abc"[::-1],
        max("abc"),
        "a" * 3,
    )


def str_join_shapes(x, y):
    return x, "x".join(map(str, x.shape)), ", ".join(f"{k}={v}" for k, v in {"n": x.shape[0], "d": x.dtype}.items())


def re_usage(x, y):
    m = re.match(r"(?P<layer>\w+)\.(?P<idx>\d+)", "conv.12")
    return (
        x[:, : int(m["idx"]) % 4],
        m.groupdict(),
        re.sub(r"\d", lambda d: str(int(d[0]) + 1), "a1b2"),
        re.split(r"[,;]", "a,b;c"),
        [t.span() for t in re.finditer("a", "banana")],
        re.fullmatch("b", "a"),
        re.compile("x", re.I).search("aX").start(),
    )


def textwrap_usage(x, y):
    return x, textwrap.dedent("  a\n  b"), textwrap.fill("aaa bbb ccc", 7), textwrap.shorten("hello world", 8, placeholder="..")


def json_usage(x, y):
    return (
        x,
        json.loads(json.dumps({"shape": x.shape, "f": [1.5, None, True]}, sort_keys=True, indent=1)),
        json.dumps("é"),
        json.JSONDecoder().raw_decode("[1] x"),
    )


def json_custom(x, y):
    class Enc(json.JSONEncoder):
        def default(self, o):
            return {"shape": list(o.shape)} if isinstance(o, np.ndarray) else super().default(o)

    return (
        x,
        json.dumps({"x": x}, cls=Enc),
        json.loads('{"a": 1}', object_hook=lambda d: sorted(d.items())),
        json.dumps({"d": x}, default=lambda o: str(o.dtype)),
    )


def struct_usage(x, y):
    return x, struct.pack("<if", 3, 1.5).hex(), struct.unpack("<h", b"\x01\x02"), struct.calcsize("3d")


def datetime_usage(x, y):
    d = datetime.date(2024, 2, 28) + datetime.timedelta(days=2)
    return (
        x * d.day,
        d.isoformat(),
        (datetime.datetime(2024, 1, 1, 5) - datetime.datetime(2024, 1, 1)).total_seconds(),
        d.strftime("%Y/%m"),
        d > datetime.date(2024, 1, 1),
        calendar.isleap(2024),
    )


def hashing(x, y):
    return (
        x,
        hashlib.sha256(b"abc").hexdigest()[:8],
        base64.b64encode(b"hi").decode(),
        zlib.crc32(b"abc"),
        html.escape("<a>"),
        urllib.parse.quote("a b"),
        shlex.split("a 'b c'"),
    )


def ast_literal(x, y):
    return x * ast.literal_eval("[1, 2]")[1], ast.unparse(ast.parse("a+1", mode="eval"))


def graph_order(x, y):
    ts = graphlib.TopologicalSorter({"c": {"b"}, "b": {"a"}})
    env = {"a": x}
    for n in ts.static_order():
        if n != "a":
            env[n] = env[chr(ord(n) - 1)] * 2
    return env["c"]


def io_memory(x, y):
    buf = io.StringIO()
    print(x.shape, "a", sep=";", file=buf)
    buf.write("tail")
    buf.seek(0)
    return x, buf.readlines(), io.BytesIO(b"abc").read(2)


def csv_memory(x, y):
    rows = list(csv.reader(["a,b", '1,"x,y"']))
    out = io.StringIO()
    csv.writer(out).writerow([1, "a b"])
    return x, rows, out.getvalue(), list(csv.DictReader(["a,b", "1,2"]))


def logging_warning(x, y):
    _log.info("hidden %s", x.shape)
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always")
        warnings.warn("careful", UserWarning)
    return x, str(w[0].message), len(w), w[0].category.__name__


def weakref_usage(x, y):
    class N:
        pass

    n = N()
    n.v = x
    r = weakref.ref(n)
    d = weakref.WeakValueDictionary(a=n)
    return r().v + 1, d["a"] is n, len(weakref.WeakSet([n]))


def inspect_usage(x, y):
    def f(a, /, b, *c, d=1, **e):
        "doc"

    sig = inspect.signature(f)
    ba = sig.bind(x, 2, 3, z=1)
    ba.apply_defaults()
    return (
        ba.arguments["a"] + 1,
        [str(p.kind) for p in sig.parameters.values()],
        list(ba.kwargs),
        inspect.getdoc(f),
        inspect.isfunction(f),
        inspect.isclass(int),
        inspect.ismethod("".join),
        [n for n, _ in inspect.getmembers(types.SimpleNamespace(q=1)) if n == "q"],
    )


def inspect_frames(x, y):
    def f():
        frame = inspect.currentframe()
        return frame.f_code.co_name, frame.f_back.f_code.co_name, "x" in frame.f_back.f_locals

    return x, f()


def operator_usage(x, y):
    return (
        operator.itemgetter(0, 2)(x),
        operator.attrgetter("shape", "ndim")(x),
        operator.methodcaller("sum", axis=0)(x),
        operator.iadd([1], [2]),
        operator.countOf([1, 1], 1),
        operator.concat("a", "b"),
        operator.contains([1], 1),
        operator.not_(0),
        operator.matmul(x, y),
        operator.inv(3),
    )


def tb_print(x, y):
    out = io.StringIO()
    try:
        [][x.ndim]
    except IndexError:
        traceback.print_exc(file=out)
    return x, out.getvalue().splitlines()[-1]


def traceback_of_an_array_error(x, y):
    def project():
        return x.reshape(7)

    try:
        project()
    except ValueError as error:
        entries = traceback.extract_tb(error.__traceback__)
        text = traceback.format_exc().splitlines()
        return x, [(entry.name, entry.line) for entry in entries], text[0], text[-1], traceback.format_exception_only(error)
