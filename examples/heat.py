"""A simulation with in-place stencils: heat that spreads through a plate with a hot spot and insulated edges.

    python examples/heat.py

The eager program writes into one array again and again. The exported one is a graph without writes, and gives the same bits.
"""

import numpy as np

from npexport import Dim, export

STEPS, ALPHA = 20, 0.2


def spread(plate, source):
    """``STEPS`` explicit steps of the heat equation on ``plate`` ``(height, width)``, which is written in place."""
    flow = np.empty_like(plate)
    for _ in range(STEPS):
        flow[1:-1, 1:-1] = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:] - 4 * plate[1:-1, 1:-1]
        plate[1:-1, 1:-1] += ALPHA * flow[1:-1, 1:-1]
        plate[0], plate[-1] = plate[1], plate[-2]
        plate[:, 0], plate[:, -1] = plate[:, 1], plate[:, -2]
        plate += source
    return plate.max()


def scene(height, width):
    """A cold plate and a source of heat in its middle."""
    source = np.zeros((height, width))
    source[height // 2, width // 2] = 1.0
    return np.zeros((height, width)), source


def main():
    height, width = Dim("height", min=3), Dim("width", min=3)
    shapes = {"plate": {0: height, 1: width}, "source": {0: height, 1: width}}
    program = export(spread, scene(12, 16), dynamic_shapes=shapes)
    print(f"{len(program.graph.nodes)} nodes for {STEPS} steps")
    run = program.module()
    for size in ((5, 5), (40, 60), (300, 200)):
        plate, source = scene(*size)
        eager, _ = scene(*size)
        assert run(plate, source) == spread(eager, source) and np.array_equal(plate, eager)
        print(f"plate {size}: hottest {plate.max():.4f}, heat in all {plate.sum():.2f}")


if __name__ == "__main__":
    main()
