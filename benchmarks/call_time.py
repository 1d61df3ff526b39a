"""What a call of an exported program costs, as ratios to the plain NumPy function measured in the same run.

python benchmarks/call_time.py
"""

import timeit

import numpy as np
import programs

from npexport import export


def microseconds(call, args):
    """Of one call: the fastest of several rounds."""
    timer = timeit.Timer(lambda: call(*args))
    number, _ = timer.autorange()
    return min(timer.repeat(5, max(1, number // 4))) / max(1, number // 4) * 1e6


def main():
    tiny = np.random.default_rng(0).standard_normal((4, 4)).astype(np.float32)
    square = np.random.default_rng(0).standard_normal((10, 10))
    for name, function, args in (
        ("sin + cos, 10x10", programs.sin_cos, (square, square)),
        ("2,000 operators, 4x4", programs.chain, (tiny,)),
        ("MLP", programs.mlp, programs.mlp_inputs()),
        ("ResNet block", programs.resnet_block, programs.resnet_block_inputs()),
        ("GPT-2 shape, 12 layers", programs.gpt2, programs.gpt2_inputs()),
    ):
        run = export(function, args).module()
        plain, exported = microseconds(function, args), microseconds(run, args)
        print(f"{name}: {exported:.2f} us exported, {plain:.2f} us plain, ratio {exported / plain:.2f}", flush=True)


if __name__ == "__main__":
    main()
