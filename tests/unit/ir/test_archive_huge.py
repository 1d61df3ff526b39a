"""Archives that say that operands or numbers are huge: the work of a reader is bounded, whatever NumPy would do with such."""

import io
import json
import random
import resource
import time
import zlib

import numpy as np
import pytest

from npexport import Dim, export, load, save
from npexport.ir.op import REGISTRY
from npexport.symshapes.errors import LoadError, Unsupported
from tests.op_samples import has_samples
from tests.support.archive_parts import entries_of, sealed
from tests.support.quiet import quiet
from tests.support.shards import shard
from tests.support.variants import sampled

SECONDS, MEGABYTES = 2, 300
HUGE = [2**28, 2**31, 2**40]
OTHERS = [
    -1,
    0,
    7,
    2**31,
    2**62,
    True,
    None,
    1.5,
    "x",
    [],
    {"tuple": []},
    {"tuple": [0, 0]},
    {"tuple": [2**31, 2**31]},
    {"list": [0, 1]},
    {"dtype": "<f8"},
]
OPERATORS = [op for op in REGISTRY if op.namespace in ("np", "nn", "random") and has_samples(op) and any(True for _ in sampled(op))]


def entries(function, args, shapes=None):
    file = io.BytesIO()
    save(export(function, args, dynamic_shapes=shapes), file)
    return entries_of(file.getvalue())


def exported(sample):
    try:
        return entries(sample.program, sample.operands)
    except Unsupported:
        return None


def read(archive, document):
    """Read an archive with another document, within what is promised."""
    data = sealed(archive | {"program.json": json.dumps(document)})
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    try:
        load(io.BytesIO(data))
    except LoadError:
        pass
    assert time.process_time() - start < SECONDS
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < MEGABYTES


def nodes(document, kind):
    return [node for node in document["graph"] if node["op"] == kind]


def enlarge(document, place, size):
    """Say that the inputs have so many elements along the first axis, the last, or all."""
    document["example"] = None
    for node in nodes(document, "placeholder"):
        shape = node["val"]["array"][1] if "array" in (node["val"] or ()) else []
        for axis in range(len(shape)) if place is None else [place] if shape else []:
            shape[axis] = size


@pytest.mark.fuzz
@pytest.mark.parametrize("op", shard(OPERATORS, 3), ids=str)
def test_huge_operands_of_every_operator(op):
    rng = random.Random(zlib.crc32(str(op).encode()))
    with quiet():
        archive = next(filter(None, map(exported, sampled(op))))
        for place in (0, -1, None):
            for changed in (False, True, True):
                document = json.loads(archive["program.json"])
                enlarge(document, place, rng.choice(HUGE))
                args = rng.choice(nodes(document, "call_function") or [{}]).get("args")
                if changed and args:
                    args[rng.randrange(len(args))] = rng.choice(OTHERS)
                read(archive, document)


def drawn(state, x):
    return state.normal(x, size=3)


def far(node):
    node["args"][1]["scalar"][1] = "ffffffffffffff00"


WORK = {
    "a state": (drawn, (np.random.default_rng(1), np.ones(3)), lambda d: d["graph"][0]["val"]["array"][1].__setitem__(0, 2**31)),
    "texts of sizes": (
        lambda x: np.tile(x, 2),
        (np.ones(3),),
        lambda d: (enlarge(d, 0, 2**31), nodes(d, "call_function")[0]["args"].__setitem__(1, "x")),
    ),
    "axes": (lambda x: np.histogramdd(x, 3), (np.ones((4, 2)),), lambda d: enlarge(d, 1, 2**40)),
    "a power": (lambda x: x[0] ** 2, (np.ones(3),), lambda d: nodes(d, "call_function")[-1].update(args=[7, 2**31])),
    "dates": (
        lambda x: np.arange(np.datetime64(0, "s"), np.datetime64(9, "s")),
        (np.ones(3),),
        lambda d: far(nodes(d, "call_function")[0]),
    ),
    "children": (
        lambda state: state.spawn(2)[0].normal(),
        (np.random.default_rng(1),),
        lambda d: nodes(d, "call_function")[0]["args"].__setitem__(2, 2**31),
    ),
    "pairs of axes": (
        lambda x: np.tensordot(x, x, 1),
        (np.ones(3),),
        lambda d: nodes(d, "call_function")[0].update(args=[{"node": "x"}, {"node": "x"}, 2**62]),
    ),
    "arrays in a list": (lambda x: np.array([[x, x]]) * 2, (np.ones(3),), lambda d: enlarge(d, 0, 2**31)),
}


@pytest.mark.parametrize("function, args, change", WORK.values(), ids=WORK)
def test_work_of_kernels_that_rules_ask(function, args, change):
    archive = entries(function, args)
    document = json.loads(archive["program.json"])
    change(document)
    read(archive, document)


def test_what_numpy_says_of_large_arrays_is_said_at_export():
    with pytest.raises(ValueError, match=r"\(200000,\) \(300000,\)"):
        export(lambda x, y: x + y, (np.ones(200000), np.ones(300000)))


def test_programs_of_large_arrays_are_read():
    n = Dim("n", min=100_000)
    archive = entries(lambda x: np.sum(x, axis=np.int64(0)) + np.array([x, x]).sum(), (np.ones(200000),), {"x": {0: n}})
    read(archive, json.loads(archive["program.json"]))
