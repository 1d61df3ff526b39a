"""Trees of modules that `unflatten` makes, asked for as lists and dicts."""

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
