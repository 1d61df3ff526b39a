"""What C callables mean while tracing: the tables name real things, and each callable is judged by the right row."""

from __future__ import annotations

import _random
import array
import builtins
import collections
import csv
import datetime
import decimal
import functools
import grp
import hashlib
import importlib
import importlib.util
import io
import itertools
import math
import multiprocessing.pool
import operator
import os
import pwd
import random
import re
import resource
import struct
import sys
import threading
import time
import types
import warnings
import zlib
from types import SimpleNamespace

import numpy as np
import pytest

from npexport import Dim, export
from npexport.symshapes.errors import Unsupported
from npexport.tracer.models.callables.lookup import CallableResolver
from npexport.tracer.models.host_calls import run, run_on_numbers
from npexport.tracer.models.registry import ROWS, models, row

judge = CallableResolver(lambda fn: None)


class L(list):
    def append(self, item):
        super().append(item)


class D(dict):
    __slots__ = ()


class Problem(ValueError):
    pass


PURE = [
    abs, sorted, isinstance, math.sin, math.gcd, operator.add, operator.itemgetter(0), itertools.chain, itertools.count().__next__,
    functools.reduce, functools.partial, [].append, list.append, [].__len__, list.__len__, {}.get, dict.fromkeys, D().update,
    L().extend, L, D, Problem,
    ValueError, int, float, complex, str, bytes, list, dict, set, tuple, slice, range, object, "".join, str.maketrans, b"".hex,
    (1).bit_length, 1.5.hex,
    re.compile("a").match, struct.pack, zlib.crc32, collections.deque, collections.deque().append, collections.OrderedDict, decimal.Decimal,
    decimal.Decimal(1).sqrt, datetime.date, datetime.date(2020, 1, 1).isoformat, datetime.datetime.fromisoformat, datetime.timedelta,
    array.array, hashlib.md5, hashlib.sha256().update, random.Random(1).random, io.StringIO().readlines, csv.writer(io.StringIO()).writerow,
    types.SimpleNamespace, types.MethodType, property, staticmethod, object.__new__, BaseException.__init__, super(L, L()).append,
    threading.Lock,
    types.MappingProxyType, iter([]).__next__, zip, map, enumerate, memoryview, int.__add__, (3).__add__, "a".__eq__,
]  # fmt: skip
START = getattr(threading, "_start_joinable_thread", None) or threading._start_new_thread
REFUSED = [
    (open, "E105"), (input, "E105"), (os.open, "E105"), (os.getcwd, "E108"), (os.getpid, "E108"), (time.time, "E106"), (time.sleep, "E106"),
    (time.perf_counter, "E106"), (datetime.datetime.now, "E106"), (datetime.date.today, "E106"), (time.gmtime, "E106"),
    (datetime.datetime.fromtimestamp, "E108"), (os.urandom, "E107"), (np.random.seed, "E107"), (_random.Random(1).seed, "E107"),
    (sys.settrace, "E111"), (sys.setrecursionlimit, "E111"), (pwd.getpwnam, "E108"), (grp.getgrgid, "E108"), (resource.setrlimit, "E108"),
    (multiprocessing.pool.Pool.__init__, "E110"), (sys.getrefcount, "E109"), (sys.__stdout__.write, "E105"), (START, "E110"),
]  # fmt: skip


@pytest.mark.parametrize("fn", PURE, ids=lambda fn: getattr(fn, "__qualname__", repr(fn)))
def test_pure(fn):
    model = getattr(judge(fn), "plain", judge(fn))
    own = {facts.model for facts in ROWS.values()}
    assert model in (run, run_on_numbers) or model in own or model.__module__.rpartition(".")[2] in ("sizes", "callbacks", "lookup")
    assert "refuse" not in model.__qualname__


@pytest.mark.parametrize(("fn", "code"), REFUSED, ids=[getattr(fn, "__qualname__", repr(fn)) for fn, _ in REFUSED])
def test_refused(fn, code):
    with pytest.raises(Unsupported) as caught:
        judge(fn)(SimpleNamespace(is_local=lambda value: False), None, fn, (), {})
    assert caught.value.code == code
    assert getattr(fn, "__qualname__", "").removesuffix(".__init__").rpartition(".")[2] in caught.value.message


def test_refusals_say_what_to_do():
    refusals = [facts.refused for facts in ROWS.values() if facts.refused is not None]
    assert len(refusals) > 80
    for refusal in refusals:
        assert refusal.code.startswith("E1") and refusal.what[0].islower()


def names(fact):
    """The callables of which rows state this fact."""
    return [key for key, facts in ROWS.items() if getattr(facts, fact) and "*" not in key[1]]


def here(row):
    """Whether the row is about a module of this operating system, of an extension of npexport's that was built, or of a SciPy that is
    installed.
    """
    if row[0] in ("nt", "posix"):
        return row[0] == os.name
    if not row[0].startswith(("npexport.", "scipy.")):
        return True
    try:
        return importlib.util.find_spec(row[0]) is not None
    except ModuleNotFoundError:
        return False


def types_below(cls):
    for below in type.__subclasses__(cls):
        yield below
        yield from types_below(below)


def exists(module, name):
    owner, _, method = name.partition(".")
    found = [cls for cls in types_below(object) if cls.__module__ == module and cls.__qualname__ == owner]
    if any(not method or hasattr(cls, method) for cls in found):
        return True
    target = importlib.import_module(module)
    for part in name.partition("[")[0].split("."):  # Cython adds the types of one of several functions to its name
        target = getattr(target, part, None)
    return target is not None


VERSIONED = {
    ("sys", "_is_gil_enabled"), ("_warnings", "_filters_mutated_lock_held"), ("_warnings", "_filters_mutated"), ("_thread", "allocate"),
    ("_decimal", "getcontext"), ("_opcode", "stack_effect"), ("_datetime", "datetime"), ("_thread", "lock"), ("types", "Union"),
    ("posix", "_path_splitroot"), ("posix", "_path_splitroot_ex"), ("posix", "_path_normpath"), ("nt", "_path_normpath"),
    ("posix", "DirEntry.is_junction"), ("nt", "DirEntry.is_junction"),
}  # fmt: skip


@pytest.mark.parametrize(("module", "name"), [row for row in names("pure") if row[0] != "builtins" and row not in VERSIONED and here(row)])
def test_pure_functions_exist(module, name):
    assert exists(module, name)


@pytest.mark.parametrize(("module", "name"), [row for row in names("refused") if row not in VERSIONED and here(row)])
def test_refused_functions_exist(module, name):
    assert exists(module, name)


def test_models_are_of_builtins_that_exist():
    found = {name.partition(".")[0] for module, name in names("model") if module == "builtins"}
    assert "len" in found
    without_a_name = {cls.__name__ for cls in vars(types).values() if isinstance(cls, type)} | {"fortran"}  # of NumPy's f2py
    assert [name for name in found - without_a_name if not hasattr(builtins, name)] == []


def test_a_callable_has_one_row():
    with pytest.raises(ValueError, match="two rows"):
        models("builtins", "len")(lambda *args: None)
    assert row("builtins", "len").model is not None


def test_printing_happens_once_at_export(capsys):
    def program(x):
        print("rank", x.ndim)
        return x

    exported = export(program, (np.ones(3),))
    assert capsys.readouterr().out == "rank 1\n"
    exported.module()(np.ones(3))
    assert capsys.readouterr().out == ""
    (emission,) = exported.report.emitted
    assert emission.kind == "print" and emission.text == "rank 1\n" and emission.location.source.strip() == 'print("rank", x.ndim)'


def test_warnings_are_given_once_at_export():
    def program(x):
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        return x

    with pytest.warns(DeprecationWarning, match="old") as caught:
        exported = export(program, (np.ones(3),))
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exported.module()(np.ones(3))


def test_warnings_that_are_errors_reach_the_program():
    def program(x):
        try:
            warnings.warn("old", stacklevel=1)
        except UserWarning:
            return x * 2
        return x

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (export(program, (np.ones(3),)).module()(np.ones(3)) == 2).all()


def test_logging_happens_once_at_export(caplog):
    import logging

    logger = logging.getLogger("npexport.tests.models")

    def program(x):
        logger.warning("%d axes", x.ndim)
        logger.debug("quiet")
        return x

    with caplog.at_level(logging.INFO):
        exported = export(program, (np.ones(3),))
    assert [record.getMessage() for record in caplog.records] == ["1 axes"]
    assert [emission.text for emission in exported.report.emitted] == ["1 axes"]


def test_warnings_are_given_once_a_place():
    def program(x):
        for _ in range(3):
            warnings.warn("again", stacklevel=1)
        return x

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        assert [emission.text for emission in export(program, (np.ones(3),)).report.emitted] == ["again"]
        warnings.simplefilter("always")
        assert len(export(program, (np.ones(3),)).report.emitted) == 3


def test_standard_streams_are_written_once_at_export(capsys):
    def program(x):
        sys.stdout.write(f"{x.shape}\n")
        sys.stderr.writelines(["a", "b"])
        sys.stdout.flush()
        print("to", "stderr", file=sys.stderr)
        return x

    exported = export(program, (np.ones(3),))
    captured = capsys.readouterr()
    assert captured.out == "(3,)\n" and captured.err == "abto stderr\n"
    assert [emission.text for emission in exported.report.emitted] == ["(3,)\n", "a", "b", "to stderr\n"]


GENERATOR = random.Random(3)
DRAW = GENERATOR.expovariate


@pytest.mark.parametrize("program", [lambda x: DRAW(*[1.0]), lambda x: DRAW(1.0), lambda x: GENERATOR.gauss(*(0, 1))])
def test_bound_methods_that_a_model_answers_for_keep_their_object(program):
    with pytest.raises(Unsupported) as caught:
        export(program, (np.ones(3),))
    assert caught.value.code == "E107"


@pytest.mark.parametrize("compare", [operator.gt, operator.le, operator.eq])
def test_a_decimal_compares_with_a_size_or_the_program_is_refused(compare):
    def program(x):
        return compare(decimal.Decimal(2), x.shape[0] + 1), compare(x.shape[0], decimal.Decimal(3))

    try:
        run = export(program, (np.ones(3),), dynamic_shapes=({0: Dim.AUTO},)).module()
    except Unsupported as refusal:
        assert refusal.code in ("E104", "E119")
    else:
        assert run(np.ones(3)) == program(np.ones(3))


@pytest.mark.skipif(not hasattr(sys, "_getframemodulename"), reason="CPython 3.11 has no such function")
def test_modules_of_callers_are_those_of_the_program_or_refused():
    def program(x, depth):
        return x, sys._getframemodulename(depth)

    assert export(program, (np.ones(2), 0)).module()(np.ones(2), 0)[1] == __name__
    for beyond in (200, "a"):
        with pytest.raises(Unsupported) as caught:
            export(program, (np.ones(2), beyond))
        assert caught.value.code == "E111"
