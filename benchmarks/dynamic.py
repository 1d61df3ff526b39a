"""Dynamic exports beside static ones, as ratios measured in one run, and beside torch where it is installed.

python benchmarks/dynamic.py
"""

import contextlib
import gc
import importlib.util
import time

import numpy as np
import programs

from npexport import ConstraintViolation, Dim, export, infer


def stress(*inputs):
    """50 inputs: pairs of equal sizes, sizes that differ by one, halves of even sizes, and concatenations of all of them."""
    total = inputs[0][:0]
    for number in range(0, len(inputs), 5):
        a, b, c, d, e = inputs[number : number + 5]
        same = a + b
        joined = np.concatenate([same, c[1:]])
        halves = d.reshape(2, -1)
        total = np.concatenate([total, joined * e, halves[0] + a])
    return total * 2


def stress_inputs(groups=10):
    """Sizes ``n, n, n + 1, 2*n, 2*n`` with another ``n`` in each group."""
    return tuple(np.ones(size) for n in range(3, 3 + groups) for size in (n, n, n + 1, 2 * n, 2 * n))


def stress_spec(groups=10):
    """A ``Dim`` for each input, tied as the program ties them."""
    spec = []
    for group in range(groups):
        n = Dim(f"n{group}", max=1000)
        spec += [{0: n}, {0: n}, {0: n + 1}, {0: 2 * n}, {0: 2 * n}]
    return {"inputs": tuple(spec)}


def attempt(function, args, spec):
    """An export; a specification that promises too much is part of the measurement: the error brings verified fixes."""
    with contextlib.suppress(ConstraintViolation):
        export(function, args, dynamic_shapes=spec)


def seconds(call, rounds=5):
    """CPU seconds of one call: the fastest of several rounds."""
    best = float("inf")
    for _ in range(rounds):
        gc.collect()
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def rows():
    """name, program, inputs, specifications by name"""
    for groups in (10, 20, 40):
        inputs = stress_inputs(groups)
        specs = {"tied dims": stress_spec(groups)}
        specs |= {f"Dim.{kind.kind}": {"inputs": tuple({0: kind} for _ in inputs)} for kind in (Dim.AUTO, Dim.DYNAMIC)}
        specs |= {"infer()": infer(), "untied dims, refused with fixes": {"inputs": tuple({0: Dim(f"d{i}")} for i in range(len(inputs)))}}
        yield f"stress, {len(inputs)} inputs", stress, inputs, specs
    args = programs.gpt2_inputs(batch=2)
    batch, sequence = Dim("batch"), Dim("sequence", min=1, max=args[0].shape[1])
    yield (
        "GPT-2 shape, 12 layers",
        programs.gpt2,
        args,
        {
            "batch": {"tokens": {0: batch}},
            "batch and sequence": {"tokens": {0: batch, 1: sequence}, "mask": {0: sequence, 1: sequence}},
            "Dim.AUTO": {"tokens": {0: Dim.AUTO, 1: Dim.AUTO}, "mask": {0: Dim.AUTO, 1: Dim.AUTO}},
        },
    )


def main():
    for name, function, args, specs in rows():
        static = seconds(lambda function=function, args=args: export(function, args))
        print(f"{name}: static export {static * 1e3:.1f} ms", flush=True)
        for label, spec in specs.items():
            dynamic = seconds(lambda function=function, args=args, spec=spec: attempt(function, args, spec))
            print(f"  {label}: {dynamic * 1e3:.1f} ms, ratio {dynamic / static:.2f}", flush=True)
    if importlib.util.find_spec("torch") is not None:
        torch_stress()


def torch_stress():
    """The stress program in ``torch.export``."""
    import torch

    class Stress(torch.nn.Module):
        def forward(self, *inputs):
            total = inputs[0][:0]
            for number in range(0, len(inputs), 5):
                a, b, c, d, e = inputs[number : number + 5]
                joined = torch.cat([a + b, c[1:]])
                total = torch.cat([total, joined * e, d.reshape(2, -1)[0] + a])
            return total * 2

    args = tuple(map(torch.from_numpy, stress_inputs()))
    auto = (tuple({0: torch.export.Dim.AUTO} for _ in args),)
    static = seconds(lambda: torch.export.export(Stress(), args, strict=True), 1)
    dynamic = seconds(lambda: torch.export.export(Stress(), args, dynamic_shapes=auto, strict=True), 1)
    print(f"torch, stress: static {static * 1e3:.0f} ms, Dim.AUTO {dynamic * 1e3:.0f} ms, ratio {dynamic / static:.2f}")


if __name__ == "__main__":
    main()
