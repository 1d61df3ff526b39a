"""The programs of the golden archives in ``golden``: ``python golden_programs.py VERSION`` wrote those of a version."""

import sys

import numpy as np

from npexport import Dim, export, nn, save


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 2)
        self.register_buffer("calls", np.zeros((), np.int64))
        self.table = np.arange(4.0)
        weights = {"linear.weight": np.arange(6, dtype=np.float32).reshape(2, 3) / 4, "linear.bias": np.ones(2, np.float32)}
        self.load_state_dict({**weights, "calls": np.zeros((), np.int64)})

    def forward(self, x, *, scale=2.0, pair=(1, "a")):
        self.calls += 1
        y = nn.functional.relu(self.linear(x)) * scale
        return {"y": y, "rows": x.shape[0]}, y.sum(axis=0) + self.table[1:3], pair[1]


def sizes(x, y):
    if x.shape[0] != 5:
        x = x[: y.shape[0]]
    return np.concatenate([x * 2, y[1:]]), x.shape[0] % 3


def data(rng, x):
    y = x + rng.normal(size=3)
    if y.sum() > 0:
        y = y * 2
    else:
        y = y - 1
    total = 0.0
    while total < y[0]:
        total = total + 1.0
    return y, total


def quiet(x, y):
    with np.errstate(divide="ignore", invalid="ignore"):
        z = x / y
    return z, np.log(x)


def chosen(x, y):
    z = x if x[0] > 0 else y
    z[1] = 7.0
    return z


class Turned:
    def __init__(self):
        self.weight = np.arange(24.0).reshape(2, 3, 4).transpose(1, 2, 0)
        self.coefficients = np.arange(8.0)[::-2]
        self.row = np.broadcast_to(np.arange(3.0), (2, 3))

    def __call__(self, x):
        return self.weight * x, self.coefficients @ self.weight, self.row + x[0]


def main(version):
    spec = {"x": {0: Dim("n", max=64)}, "scale": None}
    net = export(Net(), (np.ones((4, 3), np.float32),), {"scale": 3.0}, dynamic_shapes=spec)
    save(net, f"{version}-net.np2", extra_files={"note.txt": "golden"})
    save(export(sizes, (np.ones(6), np.ones(4)), dynamic_shapes=({0: Dim.AUTO}, {0: Dim.AUTO})), f"{version}-sizes.np2")
    if version > 1:
        save(export(data, (np.random.default_rng(0), np.ones(3))), f"{version}-data.np2")
    if version > 2:
        save(export(quiet, (np.ones(3), np.ones(3))), f"{version}-quiet.np2")
    if version > 3:
        save(export(chosen, (np.ones(3), np.ones(3))), f"{version}-chosen.np2")
    if version > 4:
        save(export(Turned(), (np.ones(2),)), f"{version}-turned.np2")


if __name__ == "__main__":
    main(int(sys.argv[1]))
