"""How long export takes: per recorded node and per Python iteration, as ratios to what the same run measures of its peers.

    python benchmarks/export_time.py

Peers: one eager call of the same program in NumPy, CPython itself for the integer loop, and ``torch.export`` strict on the same source
where torch is installed (a second copy of benchmarks/programs.py whose ``np`` is torch).
"""

import importlib.util
import sys
import time
from pathlib import Path

import numpy as np

from npexport import export

PROGRAMS = Path(__file__).with_name("programs.py")


def load_programs(array_module, path=PROGRAMS):
    """A copy of the programs, or of another module, whose ``np`` is ``array_module``."""
    spec = importlib.util.spec_from_file_location(f"{Path(path).stem}_{array_module.__name__}", path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.np = array_module
    return module


def fastest(call, repeats=3):
    """CPU seconds of the fastest of some calls (true on a busy machine too), and the last result."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        result = call()
        best = min(best, time.process_time() - start)
    return best, result


def cases(programs):
    """``(name, function, args)``; arrays are NumPy's."""
    small = np.random.default_rng(0).standard_normal((4, 4)).astype(np.float32)
    return [
        ("GPT-2 shape, 12 layers", programs.gpt2, programs.gpt2_inputs()),
        ("unrolled loop of 2,000 operators", programs.chain, (small,)),
        ("ResNet block", programs.resnet_block, programs.resnet_block_inputs()),
        ("MLP", programs.mlp, programs.mlp_inputs()),
        ("sin + cos", programs.sin_cos, (small, small)),
        ("20,000 iterations over integers", programs.integer_loop, (small,)),
    ]


def torch_seconds(function, args):
    """Seconds of ``torch.export`` strict on the same function of the programs, or ``None`` where torch is missing or refuses."""
    try:
        import torch
    except ImportError:
        return None
    function = getattr(load_programs(torch), function.__name__)

    class Wrapped(torch.nn.Module):
        def forward(self, *inputs):
            return function(*inputs)

    tensors = torch.utils._pytree.tree_map(lambda leaf: torch.from_numpy(leaf) if isinstance(leaf, np.ndarray) else leaf, args)
    try:
        torch.export.export(Wrapped(), tensors, strict=True)  # the first export of a process pays for imports
        return fastest(lambda: torch.export.export(Wrapped(), tensors, strict=True), 1)[0]
    except Exception as error:  # a peer that cannot run the program is no failure of the benchmark
        print(f"  torch.export: {type(error).__name__}: {str(error).splitlines()[0]}")
        return None


def main():
    programs = load_programs(np)
    export(programs.sin_cos, (np.ones(2), np.ones(2)))  # the first export of a process pays for imports
    for name, function, args in cases(programs):
        eager, _ = fastest(lambda function=function, args=args: function(*args))
        seconds, program = fastest(lambda function=function, args=args: export(function, args))
        nodes = sum(node.op == "call_function" for node in program.graph.nodes)
        line = (
            f"{name}: {seconds * 1e3:.1f} ms, {nodes} nodes, {seconds / max(nodes, 1) * 1e6:.0f} us a node, {seconds / eager:.1f} x eager"
        )
        peer = torch_seconds(function, args)
        print(line + ("" if peer is None else f", 1/{peer / seconds:.0f} of torch.export ({peer * 1e3:.0f} ms)"), flush=True)


if __name__ == "__main__":
    main()
