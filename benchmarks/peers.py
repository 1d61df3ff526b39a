"""One page: calls of exported programs beside eager NumPy and whatever other engines are installed, all in one run.

python benchmarks/peers.py [ROUNDS] > page.md

Peers are asked for by name and left out where they are missing: torch (eager), ONNX Runtime (what ``torch.onnx`` makes of the same), jax
(``jax.jit``) and numexpr (for programs that are one expression). torch and jax get the very source of the programs, in a copy of their
module whose ``np`` is theirs; what a peer refuses says so. "products" are the matrix products of a program by themselves, into memory
that is ready: NumPy's BLAS computes them eagerly and exported, so no program with NumPy's bits takes less. CPU seconds of the process,
the median of interleaved rounds, on one thread of each engine; figures are parts of eager NumPy's.
"""

import contextlib
import importlib.metadata
import importlib.util
import io
import os
import platform
import statistics
import sys
import time
import types
import warnings

os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1")  # before imports
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import array_programs
import blocks
import numpy as np
import programs
from array_programs import random
from export_time import load_programs

from npexport import export, ops

ROUNDS, ENOUGH = 9, 0.02
"""Rounds, and the seconds that a measurement takes at least."""
F4 = np.float32
WORK = {
    "sin + cos, 10x10": (programs.sin_cos, lambda: (random(10, 10), random(10, 10, seed=1))),
    "2,000 operators on 4x4": (programs.chain, lambda: (random(4, 4),)),
    "MLP, batch 8": (programs.mlp, programs.mlp_inputs),
    "ten operators, 10M float32": (blocks.elements, lambda: (random(10_000_000, dtype=F4), random(10_000_000, dtype=F4, seed=1))),
    "softmax 4096x1024": (programs.softmax, lambda: (random(4096, 1024, dtype=F4),)),
    "layer norm 4096x1024": (programs.layer_norm, lambda: tuple(random(*shape, dtype=F4) for shape in ((4096, 1024), (1024,), (1024,)))),
    "GPT-2 shape, 12 layers, 128 tokens": (
        programs.gpt2,
        lambda: programs.gpt2_inputs(layers=12, size=768, heads=12, vocabulary=1024, length=128),
    ),
    "jacobi_2d 1000x1000": (lambda A, B: array_programs.jacobi_2d(3, A, B), lambda: (random(1000, 1000), random(1000, 1000, seed=1))),
    "heat_3d 90": (lambda A, B: array_programs.heat_3d(2, A, B), lambda: (random(90, 90, 90), random(90, 90, 90, seed=1))),
    "hdiff": array_programs.PROGRAMS["hdiff"],
    "sort in place, 1000x1000": (lambda x: x.sort(), lambda: (random(1000, 1000),)),
}
_B = "(where(x * t + y > h, x * t + y, h) - x)"
EXPRESSIONS = {"ten operators, 10M float32": f"({_B} * {_B} + (x * t + y) * q - y) * h + abs({_B} * {_B} + (x * t + y) * q)"}
"""Programs that are one expression; numexpr computes what is there twice once."""
IN_PLACE = {"jacobi_2d 1000x1000", "heat_3d 90", "hdiff", "sort in place, 1000x1000"}
"""Programs that write to their arrays: others have other ways to say that."""


def mapped(function, tree):
    """The tree with a function applied to its arrays."""
    if isinstance(tree, np.ndarray):
        return function(tree)
    if isinstance(tree, dict):
        return {key: mapped(function, item) for key, item in tree.items()}
    return type(tree)(mapped(function, item) for item in tree) if isinstance(tree, (tuple, list)) else tree


def of_module(function, array_module):
    """The function of a copy of its module whose ``np`` is another one."""
    return getattr(load_programs(array_module, function.__code__.co_filename), function.__name__)


def names_of(torch):
    """torch under NumPy's names: its ``maximum`` takes no numbers."""
    return types.SimpleNamespace(**(vars(torch) | {"maximum": lambda x, least: torch.clamp(x, min=least)}))


def of_torch(title, function, args):
    import torch

    torch.set_num_threads(1)
    peer, given = of_module(function, names_of(torch)), mapped(lambda array: torch.from_numpy(array.copy()), args)
    return lambda: peer(*given)


def of_onnxruntime(title, function, args):
    import onnxruntime
    import torch

    arrays = []
    mapped(arrays.append, args)

    class Program(torch.nn.Module):
        def forward(self, *inputs):
            following = iter(inputs)
            return of_module(function, names_of(torch))(*mapped(lambda array: next(following), args))

    model, names = io.BytesIO(), [f"x{number}" for number in range(len(arrays))]
    with contextlib.redirect_stdout(sys.stderr), warnings.catch_warnings(action="ignore"):
        torch.onnx.export(Program(), tuple(map(torch.from_numpy, arrays)), model, input_names=names, dynamo=False)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.getvalue(), options, providers=["CPUExecutionProvider"])
    asked = {each.name for each in session.get_inputs()}
    given = {name: array for name, array in zip(names, arrays, strict=True) if name in asked}
    np.testing.assert_allclose(session.run(None, given)[0], mapped(np.asarray, function(*args)), rtol=1e-3, atol=1e-3)
    return lambda: session.run(None, given)


def of_jax(title, function, args):
    import jax

    jax.config.update("jax_enable_x64", True)
    peer = jax.jit(of_module(function, jax.numpy), static_argnums=[i for i, arg in enumerate(args) if type(arg) is int])
    given = mapped(jax.numpy.asarray, args)
    return lambda: jax.block_until_ready(peer(*given))


def of_numexpr(title, function, args):
    import numexpr

    numexpr.set_num_threads(1)
    scope = dict(zip("xy", args, strict=True)) | {"t": F4(2), "h": F4(0.5), "q": F4(0.25)}
    np.testing.assert_allclose(numexpr.evaluate(EXPRESSIONS[title], scope), function(*args), rtol=1e-4, atol=1e-4)
    return lambda: numexpr.evaluate(EXPRESSIONS[title], scope)


PEERS = {"torch": of_torch, "onnxruntime": of_onnxruntime, "jax": of_jax, "numexpr": of_numexpr}
NEEDS = {"onnxruntime": ["onnxruntime", "onnx", "torch"]}


def products(program):
    """A call of the matrix products of a program, with operands of their shapes; ``None`` where it has none."""
    nodes = [node for node in program.graph.nodes if node.target is ops.np.matmul]
    metas = [[value.meta["val"] for value in (*node.args[:2], node)] for node in nodes]
    calls = [[np.full(meta.shape, 0.01, meta.dtype) for meta in each] for each in metas]
    return (lambda: [np.matmul(x, y, out=out) for x, y, out in calls]) if calls else None


def calls_of(title, function, args, installed):
    """Name -> call, each over arrays of its own; ``None`` where a peer has no such program."""
    own = [mapped(np.copy, args) for _ in range(3)]
    program = export(function, mapped(np.copy, args))
    exact, fast = program.module(), program.module(fast_math=True)
    calls = {"NumPy": lambda: function(*own[0]), "npexport": lambda: exact(*own[1]), "`fast_math`": lambda: fast(*own[2])}
    calls["products"] = products(program)
    for peer in installed:
        known = title in EXPRESSIONS if peer == "numexpr" else title not in IN_PLACE
        try:
            calls[peer] = PEERS[peer](title, function, args) if known else None
            if known:
                calls[peer]()
        except Exception as error:  # what a peer raises for a program that it does not take is its own
            print(f"{peer}, {title}: {type(error).__name__}: {error}", file=sys.stderr)
            calls[peer] = None
    return calls


def seconds(call, number):
    start = time.process_time()
    for _ in range(number):
        call()
    return (time.process_time() - start) / number


def row(calls, rounds):
    """The median seconds of NumPy, and of each call as a part of it."""
    number = max(1, int(ENOUGH / seconds(calls["NumPy"], 2)))
    found = {name: [] for name, call in calls.items() if call is not None}
    for _ in range(rounds):
        for name, times in found.items():
            times.append(seconds(calls[name], number))
    medians = {name: statistics.median(times) for name, times in found.items()}
    return medians["NumPy"], {name: medians[name] / medians["NumPy"] for name in medians}


def main(rounds):
    installed = [name for name in PEERS if all(map(importlib.util.find_spec, NEEDS.get(name, [name])))]
    columns = ["npexport", "`fast_math`", "products", *installed]
    missing = [name for name in PEERS if name not in installed]
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("numpy", *installed))
    print(f"CPython {platform.python_version()}, {versions}, one thread, medians of {rounds} rounds, parts of eager NumPy.")
    print(f"Not installed: {', '.join(missing)}.\n" if missing else "")
    print(f"| program | NumPy | {' | '.join(columns)} |\n| --- |{' --- |' * (len(columns) + 1)}")
    for title, (function, make) in WORK.items():
        eager, parts = row(calls_of(title, function, tuple(make()), installed), rounds)
        cells = [f"{parts[name]:.2f}" if name in parts else "" for name in columns]
        print(f"| {title} | {eager * 1e3:.3g} ms | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)
