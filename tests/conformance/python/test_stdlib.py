"""Larger programs that nobody here wrote: pure-Python parts of the standard library, interpreted, give what CPython gives."""

import inspect

import pytest

from npexport.tracer.interpreter import interpret

SOURCE = inspect.getsource(inspect)[:6000]


def unparse():
    import ast

    return ast.unparse(ast.parse(SOURCE.rsplit("\ndef ", 1)[0]))


def tokens():
    import io
    import tokenize

    return [(t.type, t.string) for t in tokenize.generate_tokens(io.StringIO(inspect.getsource(inspect.Signature.bind)).readline)]


def decimals():
    import _pydecimal as d

    with d.localcontext() as context:
        context.prec = 30
        return str(d.Decimal(2).sqrt()), str(d.Decimal("1.1") ** 10), str(d.Decimal(1) / d.Decimal(7)), str(d.Decimal("1e5").ln())


def fractions():
    from fractions import Fraction

    return sum((Fraction(1, n) for n in range(1, 12)), Fraction(0)), Fraction("3.25") ** 2, Fraction(7, 3).limit_denominator(2)


def json_in_python():
    import json
    from json import decoder, encoder, scanner

    make = encoder.JSONEncoder(indent=1, sort_keys=True)
    text = "".join(make.iterencode({"b": [1, 2.5, None, {"x": True}], "a": "é\n"}))
    parse = decoder.JSONDecoder()
    parse.scan_once = scanner.py_make_scanner(parse)
    return text, parse.decode(text), json.loads('[1, {"k": "v"}]', object_pairs_hook=lambda pairs: ("pairs", pairs))


def differences():
    import difflib

    a, b = "one two three four".split(), "zero one three four five".split()
    ratio = difflib.SequenceMatcher(None, "abcd", "bcde").ratio()
    close = difflib.get_close_matches("appel", ["ape", "apple", "peach"])
    return list(difflib.unified_diff(a, b)), close, ratio


def arguments():
    import argparse

    parser = argparse.ArgumentParser(prog="p", description="A test.")
    parser.add_argument("files", nargs="*")
    parser.add_argument("-n", "--number", type=int, default=3, help="how many")
    sub = argparse.ArgumentParser(add_help=False)
    sub.add_argument("--flag", action="store_true")
    parser = argparse.ArgumentParser(prog="q", parents=[parser, sub], conflict_handler="resolve")
    return vars(parser.parse_args(["a", "b", "-n", "5", "--flag"])), parser.format_help()


def statistics():
    import statistics as s

    data = [1.5, 2.5, 2.5, 2.75, 3.25, 4.75]
    return s.mean(data), s.median(data), s.stdev(data), s.quantiles(data), s.linear_regression(data, [x * 2 for x in data])


def textual():
    import pprint
    import string
    import textwrap

    text = " ".join(SOURCE.split()[:80])
    filled = string.Template("$a and ${b}").substitute(a=1, b=2)
    return textwrap.fill(text, 40), filled, pprint.pformat({"k": [list(range(30))] * 3}, width=50)


def graphs():
    from graphlib import CycleError, TopologicalSorter

    order = list(TopologicalSorter({"d": {"b", "c"}, "b": {"a"}, "c": {"a"}}).static_order())
    try:
        list(TopologicalSorter({1: {2}, 2: {1}}).static_order())
    except CycleError as error:
        return order[0], order[-1], error.args[0]


def configuration():
    import configparser

    parser = configparser.ConfigParser()
    parser.read_string("[a]\nx = 1\ny = %(x)s2\n[b]\nz: text\n more\n")
    return {section: dict(parser[section]) for section in parser.sections()}, parser.getint("a", "y")


def signatures():
    import functools

    def f(a, b: int = 2, *args, c, d=4, **kw) -> str: ...

    bound = inspect.signature(f).bind(1, c=3, e=5)
    bound.apply_defaults()
    return str(inspect.signature(f)), bound.arguments, str(inspect.signature(functools.partial(f, 1, c=2)))


def random_numbers():
    import random

    rng = random.Random(7)
    return [rng.randint(1, 100) for _ in range(5)], rng.sample(range(50), 5), rng.gauss(0, 1), rng.choices("abc", k=4)


def enumerations():
    import enum

    @enum.unique
    class Planet(enum.Enum):
        A = (1, 2)
        B = (3, 4)

        def __init__(self, mass, radius):
            self.mass, self.radius = mass, radius

        @property
        def ratio(self):
            return self.mass / self.radius

    class Flags(enum.Flag):
        X = enum.auto()
        Y = enum.auto()
        XY = X | Y

    return [p.ratio for p in Planet], Flags.XY & Flags.X, list(Flags.XY), ~Flags.X, Planet((3, 4)).name


def contexts_and_variables():
    import contextvars

    var = contextvars.ContextVar("var", default=0)

    def work():
        token = var.set(5)
        inner = var.get()
        var.reset(token)
        return inner, var.get()

    return contextvars.copy_context().run(work), var.get()


def queues():
    import asyncio

    async def producer(q):
        for i in range(5):
            await q.put(i)
            await asyncio.sleep(0)
        await q.put(None)

    async def consumer(q, out):
        while (item := await q.get()) is not None:
            out.append(item * 2)

    async def main():
        q, out = asyncio.Queue(2), []
        async with asyncio.TaskGroup() as group:
            group.create_task(producer(q))
            group.create_task(consumer(q, out))
        try:
            async with asyncio.timeout(0.01):
                await asyncio.sleep(5)
        except TimeoutError:
            out.append("timeout")
        return out

    return asyncio.run(main())


def patterns():
    import re

    scanner = re.Scanner([(r"\d+", lambda s, t: int(t)), (r"\w+", lambda s, t: t.upper()), (r"\s+", None)])
    return scanner.scan("12 abc 7"), re.sub(r"(?P<x>a)(b)?", lambda m: f"<{m['x']}{m[2]}>", "aab"), re.compile("a+", re.X).findall("aab a")


def pickles_in_python():
    import io
    import pickle

    out = io.BytesIO()
    pickle._Pickler(out, 4).dump({"k": [1, (2, 3)], "s": {4}, "f": 1.5})
    return pickle._Unpickler(io.BytesIO(out.getvalue())).load()


def heaps_in_python():
    from test.support.import_helper import import_fresh_module

    heapq = import_fresh_module("heapq", blocked=["_heapq"])
    data = [5, 1, 8, 3, 2, 9]
    heapq.heapify(data)
    return [heapq.heappop(data) for _ in range(6)], list(heapq.merge([1, 4], [2, 3], key=lambda v: v)), heapq.nlargest(2, [1, 5, 3])


PROGRAMS = [
    unparse, tokens, decimals, fractions, json_in_python, differences, arguments, statistics, textual, graphs, configuration, signatures,
    random_numbers, enumerations, contexts_and_variables, queues, patterns, pickles_in_python, heaps_in_python,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_same_as_cpython(program):
    assert repr(interpret(program)) == repr(program())
