"""Trees of modules that `unflatten` makes: asked for as lists and dicts; what modules hold that are called in branches and loops alone."""

import numpy as np
import pytest

from npexport import export, nn, unflatten


class OfContainers(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
        self.heads = nn.ModuleDict({"up": nn.ReLU(), "down": nn.Linear(2, 2)})

    def forward(self, x):
        for step in self.steps:
            x = step(x)
        return self.heads["up"](self.heads["down"](x))


def test_places_of_lists_and_dicts_are_asked_for_as_in_the_original():
    x = np.ones((1, 2), np.float32)
    tree = unflatten(export(OfContainers(), (x,), preserve_module_call_signature=("steps.1", "heads.up")))
    assert tree.steps[1] is getattr(tree.steps, "1") and tree.heads["down"] is tree.heads.down
    assert list(tree.steps) == [tree.steps[0], tree.steps[1], tree.steps[2]]
    assert list(tree.heads) == ["down", "up"] and "up" in tree.heads and tree.steps[1] in tree.steps and "left" not in tree.heads
    assert len(tree.steps) == 3 and len(tree.steps[0]) == 0 and tree.steps[0]
    tree.steps[1], tree.heads["up"] = (lambda x: np.zeros_like(x)), (lambda x: x + 7)
    np.testing.assert_array_equal(tree(x), tree.heads.down(tree.steps[2](np.zeros((1, 2), np.float32))) + 7)
    tree.steps[1] = nn.Linear(2, 2)
    assert tree(x).shape == (1, 2)
    for owner, key, error in ((tree.steps, 3, IndexError), (tree.steps, -1, IndexError), (tree.heads, "left", KeyError)):
        with pytest.raises(error):
            owner[key]


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.weights, self.rng = np.arange(1.0, 4.0), np.random.default_rng(5)

    def forward(self, x):
        return x * self.weights + self.rng.random()


class OnOneSide(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Noisy()

    def forward(self, x):
        return self.inner(x) if x.sum() > 0 else x


class InALoop(OnOneSide):
    def forward(self, x):
        while x.sum() < 50:
            x = np.abs(self.inner(x)) + 1
        return x


@pytest.mark.parametrize("kind", [OnOneSide, InALoop])
def test_modules_called_in_branches_and_loops_hold_what_has_no_kind(kind):
    """Generators, and arrays that are neither parameters nor buffers."""
    tree, eager = unflatten(export(kind(), (np.ones(3),))), kind()
    for x in (np.ones(3), -np.ones(3), np.full(3, 2.0)):
        np.testing.assert_array_equal(tree(x), eager(x))
    assert np.array_equal(tree.inner.weights, eager.inner.weights)
